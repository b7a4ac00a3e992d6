// Loop bounds at the ends of the type: the number of iterations does not overflow, nor does the test for the last copies.

// DEFINE: %{bounds} =
// DEFINE: %{to1} = --dump o=%t.1 --lower='builtin.module(reduce-data-duplication,pipeline-loops{num-stages=1},convert-layouts-to-llvm{bounds=true})'
// DEFINE: %{to4} = --dump o=%t.4 --lower='builtin.module(reduce-data-duplication,pipeline-loops{num-stages=4},convert-layouts-to-llvm{bounds=true})'
// DEFINE: %{run} = ll-sim %s -q --arg p=random:f16:16384 --arg o=zeros:f32:1024 %{bounds}

// From 2147483000 to 2147483447 in steps of 200.
// REDEFINE: %{bounds} = --arg 2147483000:i32 --arg 2147483447:i32 --arg 200:i32
// RUN: %{run} %{to1}
// RUN: %{run} %{to4}
// RUN: cmp %t.1 %t.4

// Two iterations, further apart than the largest signed integer.
// REDEFINE: %{bounds} = --arg -2147483648:i32 --arg 600000000:i32 --arg 1500000000:i32
// RUN: %{run} %{to1}
// RUN: %{run} %{to4}
// RUN: cmp %t.1 %t.4

// The last iteration before the largest integer, with a step that no second one can take.
// REDEFINE: %{bounds} = --arg 0:i32 --arg 5:i32 --arg 2147483647:i32
// RUN: %{run} %{to1}
// RUN: %{run} %{to4}
// RUN: cmp %t.1 %t.4

// No iteration.
// REDEFINE: %{bounds} = --arg 10:i32 --arg 3:i32 --arg 1:i32
// RUN: %{run} %{to1}
// RUN: %{run} %{to4}
// RUN: cmp %t.1 %t.4

#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @f(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %o: !tt.ptr<f32>, %lb: i32, %ub: i32, %st: i32) {
    %ones = arith.constant dense<1.0> : tensor<32x16xf16, #right>
    %none = arith.constant dense<0.0> : tensor<64x16xf32, #mma>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %r1 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<64x1xi32, #rows>
    %c1 = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x32xi32, #rows>
    %w = arith.constant dense<32> : tensor<64x1xi32, #rows>
    %r2 = arith.muli %r1, %w : tensor<64x1xi32, #rows>
    %r3 = tt.broadcast %r2 : tensor<64x1xi32, #rows> -> tensor<64x32xi32, #rows>
    %c3 = tt.broadcast %c1 : tensor<1x32xi32, #rows> -> tensor<64x32xi32, #rows>
    %at = arith.addi %r3, %c3 : tensor<64x32xi32, #rows>
    %base = tt.splat %p : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #rows>
    %ps = tt.addptr %base, %at : tensor<64x32x!tt.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
    %offset = arith.constant dense<2048> : tensor<64x32xi32, #rows>
    %sum:2 = scf.for %i = %lb to %ub step %st iter_args(%acc = %none, %q = %ps) -> (tensor<64x16xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #rows>) : i32 {
      %x = tt.load %q : tensor<64x32x!tt.ptr<f16>, #rows>
      %l = ttg.convert_layout %x : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #left>
      %d = tt.dot %l, %ones, %acc : tensor<64x32xf16, #left> * tensor<32x16xf16, #right> -> tensor<64x16xf32, #mma>
      %nx = tt.addptr %q, %offset : tensor<64x32x!tt.ptr<f16>, #rows>, tensor<64x32xi32, #rows>
      scf.yield %d, %nx : tensor<64x16xf32, #mma>, tensor<64x32x!tt.ptr<f16>, #rows>
    }
    %or = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #mma}>>
    %oc = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %or1 = tt.expand_dims %or {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<64x1xi32, #mma>
    %oc1 = tt.expand_dims %oc {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x16xi32, #mma>
    %ow = arith.constant dense<16> : tensor<64x1xi32, #mma>
    %or2 = arith.muli %or1, %ow : tensor<64x1xi32, #mma>
    %or3 = tt.broadcast %or2 : tensor<64x1xi32, #mma> -> tensor<64x16xi32, #mma>
    %oc3 = tt.broadcast %oc1 : tensor<1x16xi32, #mma> -> tensor<64x16xi32, #mma>
    %oat = arith.addi %or3, %oc3 : tensor<64x16xi32, #mma>
    %ob = tt.splat %o : !tt.ptr<f32> -> tensor<64x16x!tt.ptr<f32>, #mma>
    %op = tt.addptr %ob, %oat : tensor<64x16x!tt.ptr<f32>, #mma>, tensor<64x16xi32, #mma>
    tt.store %op, %sum#0 : tensor<64x16x!tt.ptr<f32>, #mma>
    tt.return
  }
}
