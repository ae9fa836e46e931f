#!/usr/bin/env bash
# lock.sh: makes both locks anew with uv, what runs first; what builds takes the same versions.
#
# Every package has the hashes of its files but torch: the same pin of it is a CPU build where that is what
# pip finds, else the CUDA build, whose packages the lock names too. Bazel's rules install one package at a
# time and check each that has hashes; `pip install -r` refuses a file that has them for some alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

compile() {
  uv pip compile --quiet --generate-hashes --python-version=3.11 --python-platform=x86_64-manylinux_2_28 \
    --no-annotate --no-header "$@" >/dev/null
}

compile requirements.in --no-strip-extras --output-file=requirements_lock.txt
awk '/^torch==/ { print $1; torch = 1; next } torch && /^ / { next } { torch = 0; print }' \
  requirements_lock.txt >requirements_lock.txt.new
mv requirements_lock.txt.new requirements_lock.txt
# Without extras, as constraints are: //third_party/cutlass names the wheels that it takes.
sed 's/\[.*\]//' requirements_lock.txt >constraints.txt
trap 'rm constraints.txt' EXIT
compile requirements_build.in --strip-extras --constraints=constraints.txt --output-file=requirements_build_lock.txt
