// Assumptions of Triton about indices. A dividend is not negative: `(block + range) % n`, as in matrix products that group their
// programs. An offset does not overflow: rows that start anywhere.
// RUN: ll-opt --convert-layouts-to-llvm %s | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: ll-opt --convert-layouts-to-llvm=triton-indices=true %s | FileCheck %s --check-prefixes=CHECK,TRITON

#four = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 4 : i32} {
  // A negative dividend has a neighbour that is a multiple of n, where the remainders start again.
  // CHECK-LABEL: llvm.func @wrapped
  // EXACT-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
  // TRITON: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
  // CHECK-NOT: llvm.load
  // CHECK: llvm.return
  tt.func public @wrapped(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %group: i32, %n: i32 {tt.divisibility = 16 : i32}) {
    %c512 = arith.constant 512 : i32
    %program = tt.get_program_id x : i32
    %block = arith.divsi %program, %group : i32
    %start = arith.muli %block, %c512 : i32
    %starts = tt.splat %start : i32 -> tensor<512xi32, #four>
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #four>
    %i = arith.addi %starts, %r : tensor<512xi32, #four>
    %ns = tt.splat %n : i32 -> tensor<512xi32, #four>
    %j = arith.remsi %i, %ns : tensor<512xi32, #four>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #four>
    %from = tt.addptr %xs, %j : tensor<512x!tt.ptr<f32>, #four>, tensor<512xi32, #four>
    %v = tt.load %from : tensor<512x!tt.ptr<f32>, #four>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #four>
    %to = tt.addptr %ys, %r : tensor<512x!tt.ptr<f32>, #four>, tensor<512xi32, #four>
    tt.store %to, %v : tensor<512x!tt.ptr<f32>, #four>
    tt.return
  }

  // At the largest offset, the elements of a row would continue at the smallest one.
  // CHECK-LABEL: llvm.func @unaligned
  // EXACT-COUNT-4: llvm.getelementptr %arg0[%{{.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  // EXACT-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
  // TRITON: %[[ROW:.*]] = llvm.getelementptr %arg0[%{{.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  // TRITON: llvm.load %[[ROW]] {alignment = 4 : i64} : !llvm.ptr<1> -> f32
  // TRITON: %[[SECOND:.*]] = llvm.getelementptr %[[ROW]][4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  // TRITON: llvm.load %[[SECOND]] {alignment = 4 : i64} : !llvm.ptr<1> -> f32
  // CHECK: llvm.return
  tt.func public @unaligned(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %start: i32) {
    %starts = tt.splat %start : i32 -> tensor<512xi32, #four>
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #four>
    %i = arith.addi %starts, %r : tensor<512xi32, #four>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #four>
    %from = tt.addptr %xs, %i : tensor<512x!tt.ptr<f32>, #four>, tensor<512xi32, #four>
    %v = tt.load %from : tensor<512x!tt.ptr<f32>, #four>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #four>
    %to = tt.addptr %ys, %r : tensor<512x!tt.ptr<f32>, #four>, tensor<512xi32, #four>
    tt.store %to, %v : tensor<512x!tt.ptr<f32>, #four>
    tt.return
  }

  // Quotients are values: each is computed, whatever their dividends.
  // CHECK-LABEL: llvm.func @quotients
  // CHECK-COUNT-4: llvm.sdiv
  // CHECK: llvm.return
  tt.func public @quotients(%y: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %block: i32) {
    %c4 = arith.constant dense<4> : tensor<512xi32, #four>
    %c512 = arith.constant 512 : i32
    %start = arith.muli %block, %c512 : i32
    %starts = tt.splat %start : i32 -> tensor<512xi32, #four>
    %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #four>
    %i = arith.addi %starts, %r : tensor<512xi32, #four>
    %q = arith.divsi %i, %c4 : tensor<512xi32, #four>
    %ys = tt.splat %y : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #four>
    %to = tt.addptr %ys, %r : tensor<512x!tt.ptr<i32>, #four>, tensor<512xi32, #four>
    tt.store %to, %q : tensor<512x!tt.ptr<i32>, #four>
    tt.return
  }
}
