#!/usr/bin/env bash
# The long campaigns: kills at random instants, random sequences, several
# processes, large libraries, saves while watching, retrieval quality, fuzzing.
# IBID_DATA names a folder with retrieval/<set>/…; without it the quality part
# is left out, and said so.
set -euo pipefail
cd "$(dirname "$0")/.."
export IBID_REQUIRE_MODELS=1 IBID_REQUIRE_POSTGRES=1 IBID_REQUIRE_TESSERACT=1
export IBID_MODELS=$PWD/data/models IBID_ONNXRUNTIME
IBID_ONNXRUNTIME=$(echo "$PWD"/data/lib/*onnxruntime.*)

echo "== killed at 200 random instants"
IBID_KILLS=${IBID_KILLS:-200} go test -count=1 -timeout 60m -run 'Kill' ./backend/ingest ./backend/store/sqlite ./backend/store/postgres/...

echo "== random sequences of edits, restarts and kills, on each store"
IBID_SEQUENCES=${IBID_SEQUENCES:-500} go test -count=1 -timeout 120m -run 'TestCampaign$' ./backend/cli
IBID_SEQUENCES=20 go test -count=1 -timeout 60m -run 'TestCampaignOnPostgres$' ./backend/cli

echo "== three processes on one library, on each store"
IBID_MINUTES=${IBID_MINUTES:-10} go test -count=1 -timeout 60m -v -run TestTogether ./backend/cli

echo "== moves, branches, copies, insertions, deletions and 50,000 files"
IBID_SCALE=1 go test -count=1 -timeout 60m -v -run 'AllFilesMove|ABranchAndBack|ACopiedLibrary|AnInsertionAnywhere|ALargeDocument|ManySmallFiles|ALargeLibrary|Unchanged|FirstWords|LongLine' ./backend/service

echo "== documents that want all the memory"
IBID_BOMBS=1 go test -count=1 -timeout 60m -v -run TestBombs .

echo "== 200 saves"
IBID_SAVES=200 go test -count=1 -timeout 20m -v -run TestSaves ./backend/boot

echo "== a plan of 50,000 documents in the page"
(cd frontend && IBID_DOCUMENTS=50000 npx playwright test accept)

echo "== retrieval quality"
if [ -n "${IBID_DATA:-}" ]; then
  go test -count=1 -timeout 60m -v -run TestQuality ./backend/boot
else
  echo "left out: IBID_DATA is not set"
fi

echo "== fuzzing"
scripts/fuzz.sh "${FUZZTIME:-30s}"
