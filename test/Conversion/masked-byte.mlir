// One byte a thread under a mask: PTX has no registers of 8 bits, so the byte travels in one of 16.

// RUN: ll-opt %s --convert-layouts-to-llvm -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: ll-sim %t.mlir -q --arg in=iota:i8:32 --arg out=zeros:i8:32 --arg 32:i32 --expect-same out=in
// RUN: %if ptxas %{ ll-translate --emit=ptx %t.mlir -o %t.ptx %}
// RUN: %if ptxas %{ ptxas -arch=sm_90a %t.ptx -o %t.cubin %}

// CHECK: llvm.inline_asm {{.*}}"mov.b16 $0, $3;\0A@$2 ld.global.b8 $0, [$1];", "=h,l,b,h" {{.*}} -> i16
// CHECK: llvm.inline_asm {{.*}}"@$2 st.global.b8 [$0], $1;", "l,h,b"

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @k(%in: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %n: i32) {
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<32xi32, #b>
    %m = arith.cmpi slt, %r, %ns : tensor<32xi32, #b>
    %is = tt.splat %in : !tt.ptr<i8> -> tensor<32x!tt.ptr<i8>, #b>
    %ip = tt.addptr %is, %r : tensor<32x!tt.ptr<i8>, #b>, tensor<32xi32, #b>
    %x = tt.load %ip, %m : tensor<32x!tt.ptr<i8>, #b>
    %os = tt.splat %out : !tt.ptr<i8> -> tensor<32x!tt.ptr<i8>, #b>
    %op = tt.addptr %os, %r : tensor<32x!tt.ptr<i8>, #b>, tensor<32xi32, #b>
    tt.store %op, %x, %m : tensor<32x!tt.ptr<i8>, #b>
    tt.return
  }
}
