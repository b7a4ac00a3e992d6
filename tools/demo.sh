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

echo "A transpose as Triton hands it to its lowering: a 64x128 tile is read along rows, converted"
echo "to another layout, and written along columns."
show "grep -E 'ttg.blocked<|tt.trans|convert_layout' $kernel"

echo
echo "Lowered: one value per register, the conversion through swizzled shared memory."
show "ll-opt --convert-layouts-to-llvm $kernel -o $lowered"
show "ll-translate --emit=ptx $lowered | grep -E '^\.(version|target)|entry|reqntid|(ld|st)(matrix|\.global|\.shared)|bar.sync' | sed -E 's/[[:space:]]+/ /g; s/%[a-z]+[0-9]+(\+[0-9]+)?/%_/g' | sort | uniq -c"

echo
echo "On the CPU: 144 rows by 208 columns: no multiple of the tile, so some blocks are partly empty."
show "ll-sim $lowered --grid 3,2 --arg x=random:f16:29952 --arg out=zeros:f16:29952 --arg 144:i32 --arg 208:i32"
