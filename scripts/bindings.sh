#!/usr/bin/env bash
# Writes the types of what the window's page can call into frontend/wailsjs, as
# the Wails command does: built with the tag bindings, the program writes them
# instead of opening its window. Neither GTK nor WebKit is needed.
# With --check nothing is written; a difference fails.
set -euo pipefail
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
go build -tags bindings -o "$tmp/ibid" .
cp wails.json "$tmp"
(cd "$tmp" && tsoutputtype=interfaces ./ibid) >"$tmp/log" 2>&1 || { cat "$tmp/log" >&2; exit 1; }
new=$tmp/frontend/wailsjs
# The types are all that is used: the page calls its own objects.
rm -rf "$new/runtime" "$new"/go/*/*.js
find "$new" -type f -exec chmod 644 {} +
if [ "${1:-}" = --check ]; then
  diff -r frontend/wailsjs "$new" >&2 || { echo "bindings.sh: frontend/wailsjs is out of date; run: make generate" >&2; exit 1; }
else
  rm -rf frontend/wailsjs
  cp -r "$new" frontend/wailsjs
fi
