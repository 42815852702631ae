#!/usr/bin/env bash
# What only the tests need: PostgreSQL with pgvector, pgbouncer, tesseract, a browser, and
# for the window GTK, WebKit and a virtual screen.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/postgres.sh

# Debian packages, installed only where they are missing.
need=()
for package in pgbouncer chromium git tesseract-ocr \
  pkg-config libgtk-3-dev libwebkit2gtk-4.0-dev xvfb xauth xdotool imagemagick dbus-daemon; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || need+=("$package")
done
if [ ${#need[@]} -gt 0 ]; then
  [ "$(id -u)" = 0 ] || { echo "test-setup.sh: run once as root, or: sudo apt-get install ${need[*]}" >&2; exit 1; }
  export DEBIAN_FRONTEND=noninteractive
  # No service is started by a package.
  printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d && chmod +x /usr/sbin/policy-rc.d
  trap 'rm -f /usr/sbin/policy-rc.d' EXIT
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "${need[@]}" >/dev/null
fi
