#!/usr/bin/env bash
# Benchmarks, each in one run that prints figures and ends with a ratio.
#
#   bench/run.sh [ingest] [FLAG…]   passages a second against Python's onnxruntime
#   bench/run.sh pdf [FLAG…]        pages of PDF a CPU second against bare go-pdfium
#   bench/run.sh golden             recomputes the embedder's goldens (see golden.py)
#
# Passages are cut from docs/, or from the corpora below $IBID_DATA/retrieval.
# The PDF documents are those below $IBID_DATA/documents.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p .cache

if [ "${1:-}" = pdf ]; then
  shift
  [ -n "${IBID_DATA:-}" ] || { echo "bench: IBID_DATA names no folder of documents" >&2; exit 2; }
  go build -o .cache/bench-pdf ./bench/pdf
  exec .cache/bench-pdf -least 0.7 "$@" "$IBID_DATA/documents"
fi

venv=.cache/bench-venv
if ! cmp -s bench/requirements.txt "$venv/requirements.txt"; then
  rm -rf "$venv"
  python3 -m venv "$venv" || {
    echo "bench: python3 cannot make a virtual environment (Debian: apt-get install python3-venv)" >&2
    exit 1
  }
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r bench/requirements.txt
  cp bench/requirements.txt "$venv/requirements.txt"
fi
scripts/models.sh

case "${1:-ingest}" in
golden)
  exec "$venv/bin/python" bench/golden.py
  ;;
ingest)
  shift || true
  ;;
-*) ;;
*)
  echo "bench: no benchmark \"$1\"; there are ingest, pdf and golden" >&2
  exit 2
  ;;
esac
go build -o .cache/bench-ingest ./bench/ingest
texts=docs
[ -z "${IBID_DATA:-}" ] || texts=$IBID_DATA/retrieval
exec .cache/bench-ingest -python "$venv/bin/python" -least 0.8 "$@" "$texts"
