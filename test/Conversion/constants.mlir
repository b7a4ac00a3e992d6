// Constants whose elements differ: selected by few bits of the thread's index, or loaded from a table; and sums with a carry.
// RUN: ll-opt --convert-layouts-to-llvm %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s -o %t.amd.mlir && FileCheck %s --input-file=%t.amd.mlir
// RUN: ll-translate --emit=ptx %t.mlir -o %t.ptx && ptxas -arch=sm_90a %t.ptx -o /dev/null
// RUN: ll-translate --emit=object %t.amd.mlir -o %t.o
// RUN: ll-sim %t.mlir --entry few --arg out=zeros:i32:4 --arg want=iota:i32:4 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry few --arg out=zeros:i32:4 --arg want=iota:i32:4 --expect-same out=want
// RUN: ll-sim %t.mlir --entry many --arg out=zeros:i32:32 --arg want=iota:i32:32 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry many --arg out=zeros:i32:32 --arg want=iota:i32:32 --expect-same out=want
// RUN: ll-sim %t.mlir --entry carry --arg out=zeros:i32:128 --arg want=iota:i32:128 --expect-same out=want
// RUN: ll-sim %t.amd.mlir --entry carry --arg out=zeros:i32:128 --arg want=iota:i32:128 --expect-same out=want

#two = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#one = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK: llvm.mlir.global internal constant @table_0
  // CHECK-LABEL: llvm.func @few(
  // CHECK-NOT: addressof
  // CHECK: llvm.select
  // CHECK: llvm.return
  tt.func public @few(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %c = arith.constant dense<[2, 0, 3, 1]> : tensor<4xi32, #two>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>, #two>
    %p = tt.addptr %o, %c : tensor<4x!tt.ptr<i32>, #two>, tensor<4xi32, #two>
    tt.store %p, %c : tensor<4x!tt.ptr<i32>, #two>
    tt.return
  }

  // CHECK-LABEL: llvm.func @many(
  // CHECK: llvm.mlir.addressof @table_0
  tt.func public @many(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %c = arith.constant dense<[9, 24, 14, 10, 28, 1, 5, 3, 22, 21, 13, 12, 23, 16, 27, 6, 7, 29, 8, 25, 0, 26, 2, 30, 20, 31, 19, 11, 4, 17, 18, 15]> : tensor<32xi32, #one>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>, #one>
    %p = tt.addptr %o, %c : tensor<32x!tt.ptr<i32>, #one>, tensor<32xi32, #one>
    tt.store %p, %c : tensor<32x!tt.ptr<i32>, #one>
    tt.return
  }

  // A carry of 1 for all elements but the first: of r and -1, the sum is r - 1.
  tt.func public @carry(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #one>
    %m = arith.constant dense<-1> : tensor<128xi32, #one>
    %s, %c = arith.addui_extended %r, %m : tensor<128xi32, #one>, tensor<128xi1, #one>
    %wide = arith.extui %c : tensor<128xi1, #one> to tensor<128xi32, #one>
    %zero = arith.constant dense<0> : tensor<128xi32, #one>
    %v = arith.addi %s, %wide : tensor<128xi32, #one>
    %none = arith.select %c, %v, %zero : tensor<128xi1, #one>, tensor<128xi32, #one>
    %o = tt.splat %out : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #one>
    %p = tt.addptr %o, %r : tensor<128x!tt.ptr<i32>, #one>, tensor<128xi32, #one>
    tt.store %p, %none : tensor<128x!tt.ptr<i32>, #one>
    tt.return
  }

  tt.func public @scalars(%a: i64, %b: i64, %out: !tt.ptr<i64>, %over: !tt.ptr<i1>) {
    %s, %c = arith.addui_extended %a, %b : i64, i1
    tt.store %out, %s : !tt.ptr<i64>
    tt.store %over, %c : !tt.ptr<i1>
    tt.return
  }
}
