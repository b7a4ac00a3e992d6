// What a poll of a scalar found reaches all threads of the block as a byte.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s | FileCheck %s
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null

module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @poll(
  // CHECK: llvm.zext {{.*}} : i1 to i8
  // CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i8
  // CHECK: llvm.trunc {{.*}} : i8 to i1
  tt.func public @poll(%ptr: !tt.ptr<i32>, %expected: i32, %timeout: i64, %out: !tt.ptr<i32>) {
    %matched = tt.atomic_poll acquire, sys, %ptr, %expected timeout %timeout : !tt.ptr<i32>, i32 -> i1
    %result = arith.extui %matched : i1 to i32
    tt.store %out, %result : !tt.ptr<i32>
    tt.return
  }
}
