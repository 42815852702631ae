#!/usr/bin/env bash
# The main job, end to end, on the documents under docs/.
set -euo pipefail
cd "$(dirname "$0")/.."
library=.cache/demo
rm -rf "$library"
mkdir -p "$library"
export IBID_LIBRARY=$PWD/$library
run() { printf '\n\033[1m$ ibid %s\033[0m\n' "$*"; bin/ibid "$@"; }

run add docs --name docs
run plan
run apply --yes
run search "what happens when a folder is not reachable"
run search "ERR_0x80070005" -k 2
run search "Löschung ohne Verlust" -k 2 --mode keyword
run ask "Does moving a folder embed anything again?"
run plan

cat <<TXT

That was the main job. The library is in $library; next, with your own documents:
  bin/ibid add ~/Documents/handbook
  bin/ibid plan
  bin/ibid apply
  bin/ibid search "…"        bin/ibid ask "…"        bin/ibid --help
The same library in a browser, with plans, passages and citations:
  IBID_LIBRARY=$library bin/ibid serve --open
TXT
