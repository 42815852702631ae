#!/usr/bin/env bash
# Builds bin/ibid-desktop, or the file given: the program with its window. The
# headers of GTK 3 and WebKitGTK are needed; all else builds without them.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(uname -s)" = Linux ] || { echo "desktop.sh: this is for Linux; elsewhere: go build -tags desktop,production -o bin/ibid-desktop ." >&2; exit 1; }
command -v pkg-config >/dev/null || { echo "desktop.sh: pkg-config is missing; install it (Debian: apt-get install pkg-config)" >&2; exit 1; }
# Before 2.40 a page of the window has no response headers, and so no content policy.
if pkg-config --exists gtk+-3.0 'webkit2gtk-4.0 >= 2.40'; then
  webkit=webkit2_40
elif pkg-config --exists gtk+-3.0 webkit2gtk-4.1; then
  webkit=webkit2_41
else
  echo "desktop.sh: GTK 3 and WebKitGTK 2.40 are missing; install their headers (Debian 12: apt-get install libgtk-3-dev libwebkit2gtk-4.0-dev)" >&2
  exit 1
fi
go build -trimpath -tags "desktop,production,$webkit" -ldflags "-s -w -X main.version=${VERSION:-dev}" -o "${1:-bin/ibid-desktop}" .
