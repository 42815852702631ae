#!/usr/bin/env bash
# Installs the frontend's packages and builds it into frontend/dist, where the
# binary embeds it. Does nothing when what is built is newer than its sources.
set -euo pipefail
cd "$(dirname "$0")/../frontend"
command -v npm >/dev/null || { echo "frontend.sh: Node 20 with npm is needed; install it" >&2; exit 1; }
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --no-audit --no-fund --loglevel=error
fi
if [ ! -e dist/index.html ] || [ -n "$(find src public index.html package-lock.json vite.config.ts -newer dist/index.html -print -quit)" ]; then
  npm run --silent build
fi
