#!/usr/bin/env bash
# The window, for real, on a virtual screen and a bus of its own: it opens over a
# library, a click applies the plan, another window is not opened over the same
# library, it ends when told to, a library that cannot be opened is said, and the
# content policy holds. Needs bin/ibid-desktop. Pictures and logs stay in
# .cache/desktop.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -z "${IBID_SCREEN:-}" ]; then
  IBID_SCREEN=1 exec dbus-run-session -- xvfb-run -a -s '-screen 0 1280x900x24' "$0"
fi
program=$PWD/bin/ibid-desktop out=$PWD/.cache/desktop
tmp=$(mktemp -d)
rm -rf "$out"
mkdir -p "$out" "$tmp/notes" "$tmp/home"
user=$HOME
export HOME=$tmp/home IBID_LIBRARY=$tmp/library IBID_EMBEDDINGS=hash NO_AT_BRIDGE=1
unset IBID_DATABASE_URL
trap 'jobs -p | xargs -r kill 2>/dev/null || true; rm -rf "$tmp"' EXIT

fail() {
  picture failure
  echo "desktop-test.sh: $* (pictures and logs: $out)" >&2
  exit 1
}

# within SECONDS WHAT COMMAND…: until the command succeeds.
within() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    [ $SECONDS -lt $end ] || fail "$what"
    sleep 0.2
  done
}

window() { id=$(xdotool search --onlyvisible --name "^$1\$" 2>/dev/null) && [ -n "$id" ]; }
picture() { import -window root "$out/$1.png"; }
# drawn NAME COLOURS: the window shows more colours than an empty one.
drawn() { picture "$1" && [ "$(identify -format %k "$out/$1.png")" -gt "$2" ]; }
ended() { ! kill -0 "$1" 2>/dev/null; }

# exits PID CODE WHAT: the program ends by itself, with that code.
exits() {
  local code=0
  within 20 "$3 does not end" ended "$1"
  wait "$1" || code=$?
  [ $code = "$2" ] || fail "$3 ended with code $code, not $2"
}

# primary finds the middle of the view's one filled button: the largest area in
# the accent's colour (hsl 222 70% 50%).
primary() {
  picture plan
  read -r x y < <(convert "$out/plan.png" -fuzz 4% -fill black +opaque '#265cd9' -fill white -opaque '#265cd9' \
    -define connected-components:verbose=true -define connected-components:area-threshold=800 -connected-components 8 null: |
    awk '$5 ~ /255/ && $4 > most { most = $4; split($3, at, ","); x = at[1]; y = at[2] } END { if (most) printf "%d %d\n", x, y }') && [ -n "${y:-}" ]
}

# planned opens the plan by the palette, as often as keys get lost.
planned() {
  xdotool windowfocus "$id" key Escape key ctrl+k
  sleep 1
  xdotool type --delay 50 plan
  xdotool key Return
  local end=$((SECONDS + 8))
  until primary; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.2
  done
}

found() { "$program" search zanzibar --mode keyword --json 2>/dev/null | grep -q 'lease.md'; }

printf '# Lease\n\nThe deposit is paid in Zanzibar.\n' >"$tmp/notes/lease.md"
"$program" add "$tmp/notes" --quiet >/dev/null

"$program" --verbose >"$out/window.log" 2>&1 &
first=$!
within 60 'no window appears' window ibid
within 60 'the window stays empty' drawn start 100
within 60 'no plan appears' planned
found && fail 'the document is found before the plan was applied'
xdotool mousemove "$x" "$y" click 1
within 30 'the click applied nothing' found
sleep 1
picture applied

"$program" >"$out/second.log" 2>&1 &
exits $! 1 'a second window'
kill -0 $first 2>/dev/null || fail 'the first window ended with the second'

kill -TERM $first
exits $first 0 'the window'

mkdir "$tmp/broken"
echo 'no database' >"$tmp/broken/library.db"
IBID_LIBRARY=$tmp/broken "$program" >"$out/broken.log" 2>&1 &
broken=$!
within 60 'a broken library is not said' window 'ibid cannot open its library'
picture broken
xdotool windowfocus "$id" key Return
exits $broken 1 'the program without a library'
grep -q '^ibid: ' "$out/broken.log" || fail 'a broken library is not said on the terminal'

# The same program with another page: its inline style would make it red, and its
# link would give the window to another site.
python3 -u -m http.server 0 --bind 127.0.0.1 --directory "$tmp/notes" >"$out/site.log" 2>&1 &
listening() { port=$(grep -oP 'port \K\d+' "$out/site.log"); }
within 20 'no site to go to' listening
cat >"$tmp/index.html" <<HTML
<!doctype html><title>ibid</title><style>body { background: red }</style>
<h1><a href="http://127.0.0.1:$port/">policy policy policy</a></h1>
HTML
printf '{"Replace":{"%s":"%s"}}' "$PWD/frontend/dist/index.html" "$tmp/index.html" >"$tmp/overlay.json"
HOME=$user GOFLAGS="${GOFLAGS:-} -overlay=$tmp/overlay.json" scripts/desktop.sh "$tmp/other"
"$tmp/other" >"$out/policy.log" 2>&1 &
policy=$!
within 60 'no other window appears' window ibid
within 60 'the other window stays empty' drawn policy 5
[ "$(convert "$out/policy.png" -format '%[fx:u.p{640,450}.g]' info:)" = 1 ] || fail 'an inline style is applied'
xdotool windowfocus "$id" mousemove 100 80 click 1 click 2
sleep 2
picture policy
grep -q GET "$out/site.log" && fail 'a link leads the window away'
kill -TERM $policy
exits $policy 0 'the other window'
echo "desktop: ok"
