#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time each, and all of them
# even if some fail. Go writes an input that fails to testdata/fuzz/<target>/ of
# its package, where every later test tries it again: commit it with the mend.
#   scripts/fuzz.sh [TIME [PATTERN]]   PATTERN narrows "folder target" lines
#   scripts/fuzz.sh --list             the targets
set -euo pipefail
cd "$(dirname "$0")/.."
targets() {
  grep -rE '^func Fuzz[A-Za-z0-9_]+\(f \*testing\.F\)' --include='*_test.go' backend |
    sed -E 's|^(.*)/[^/]*:func (Fuzz[A-Za-z0-9_]+).*|\1 \2|' | sort
}
if [ "${1:-}" = --list ]; then
  targets
  exit
fi
time=${1:-30s}
failed=()
while read -r folder target; do
  echo "== $folder $target"
  go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "./$folder" </dev/null || failed+=("$folder $target")
done < <(targets | grep -E "${2:-}")
if [ ${#failed[@]} -gt 0 ]; then
  echo "== failed; the inputs are in testdata/fuzz of their packages:" >&2
  printf '   %s\n' "${failed[@]}" >&2
  git status --short -- '*/testdata/fuzz/*' >&2
  exit 1
fi
echo "== no target failed"
