#!/usr/bin/env bash
# The server on port 7878 and the frontend with hot reload on port 5173, which
# passes /api on. Both end together.
set -euo pipefail
cd "$(dirname "$0")/.."
export IBID_ADDR=127.0.0.1:7878 IBID_TOKEN=${IBID_TOKEN:-dev} IBID_LIBRARY=${IBID_LIBRARY:-$PWD/.cache/dev}
go build -o bin/ibid .
bin/ibid serve --addr "$IBID_ADDR" --host localhost:5173 &
trap 'kill %1 2>/dev/null' EXIT
npm --prefix frontend run dev
