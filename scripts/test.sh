#!/usr/bin/env bash
# All tests. Every part that is missing fails the run; nothing is skipped aloud in CI.
set -euo pipefail
cd "$(dirname "$0")/.."
export IBID_MODELS=$PWD/data/models IBID_REQUIRE_MODELS=1
go vet ./...
go test -timeout 20m ./...
CGO_ENABLED=0 go build -o /dev/null .
for os in darwin windows; do GOOS=$os GOARCH=amd64 CGO_ENABLED=0 go vet . ./backend/...; done
