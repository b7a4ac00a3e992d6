#!/usr/bin/env bash
# `make demo`: one kernel, from Triton's IR to PTX and to a result, each command shown before it runs.
set -eu -o pipefail
cd "$(dirname "$0")/.."
PATH="${CARGO_TARGET_DIR:-$PWD/target}/debug:$PATH"
kernel=test/kernels/sm_90/transpose.ttgir
lowered=$(mktemp --suffix .mlir)
trap 'rm -f "$lowered"' EXIT

# show COMMAND: prints it with short names, and runs it
show() {
    printf '\n$ %s\n' "${1//$lowered/lowered.mlir}"
    bash -o pipefail -c "$1"
}

echo "A transpose in the IR that Triton lowers: a 64x128 tile is loaded along rows, converted to another"
echo "layout, and stored along columns."
show "grep -E 'ttg.blocked<|tt.trans|convert_layout' $kernel"

echo
echo "Lowered: one value per register, the conversion through swizzled shared memory."
show "ll-opt --convert-layouts-to-llvm $kernel -o $lowered"
show "ll-translate --emit=ptx $lowered | grep -oE '(ld|st)(matrix|\.global|\.shared)[a-z0-9.]*|bar.sync' | sort | uniq -c"

echo
echo "On the CPU, with 144 rows and 208 columns, which are no multiples of the tile."
show "ll-sim $lowered --grid 3,2 --arg x=random:f16:29952 --arg out=zeros:f16:29952 --arg 144:i32 --arg 208:i32"
