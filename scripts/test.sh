#!/usr/bin/env bash
# All tests. A part that is missing fails the run: nothing is skipped in silence.
set -euo pipefail
cd "$(dirname "$0")/.."
export IBID_REQUIRE_MODELS=1 IBID_REQUIRE_POSTGRES=1 IBID_REQUIRE_TESSERACT=1
step() { printf '\n\033[1m== %s (%d s)\033[0m\n' "$*" "$SECONDS"; }

step "format and vet"
unformatted=$(gofmt -l main*.go app backend bench frontend/*.go)
[ -z "$unformatted" ] || { echo "not formatted: $unformatted" >&2; exit 1; }
go vet ./...

step "Go"
go test -timeout 20m ./...

step "other builds: without cgo, macOS, Windows"
CGO_ENABLED=0 go build -o /dev/null .
GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 go vet . ./backend/...
GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go vet . ./backend/...

step "frontend: types, rules, units"
npm --prefix frontend run --silent check
npm --prefix frontend run --silent lint
npm --prefix frontend run --silent test

step "browser"
npm --prefix frontend run --silent e2e

step "window"
scripts/bindings.sh --check
VERSION=test scripts/desktop.sh
scripts/desktop-test.sh

step "all passed"
