// Slots for tensors in registers: swizzled if threads read other elements than they have copied, so that the reads have
// fewer bank conflicts; without a swizzle, whose addresses cost more, if each thread reads what it has copied.
// RUN: ll-opt '--pipeline-loops=num-stages=3' --canonicalize --cse %s | FileCheck %s

// CHECK-DAG: [[$SWIZZLED:#shared[0-9]*]] = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>
// CHECK-DAG: [[$PLAIN:#shared[0-9]*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// CHECK-LABEL: @scaled_by_transpose
// CHECK-DAG: ttg.local_alloc : () -> !ttg.memdesc<3x64x32xbf16, [[$SWIZZLED]], #smem, mutable>
// CHECK-DAG: ttg.local_alloc : () -> !ttg.memdesc<3x64x32xbf16, [[$PLAIN]], #smem, mutable>
// CHECK: scf.for
// CHECK-DAG: ttg.local_load {{.*}}[[$PLAIN]], {{.*}} -> tensor<64x32xbf16, #blocked>
// CHECK-DAG: ttg.local_load {{.*}}[[$SWIZZLED]], {{.*}} -> tensor<64x32xbf16, #linear>
// CHECK: tt.dot
#tile = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 1, parent = #tile}>
#column = #ttg.slice<{dim = 0, parent = #tile}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 2], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
#flipped = #ttg.linear<{register = [[0, 1], [0, 8], [0, 16], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @scaled_by_transpose(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32, #mma> {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %none = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
    %half = arith.constant dense<0.5> : tensor<64x32xbf16, #tile>
    %width = arith.constant dense<128> : tensor<64x1xi32, #tile>
    %next = arith.constant dense<32> : tensor<64x32xi32, #tile>
    %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #row>
    %columns = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #column>
    %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32, #row> -> tensor<64x1xi32, #tile>
    %c = tt.expand_dims %columns {axis = 0 : i32} : tensor<32xi32, #column> -> tensor<1x32xi32, #tile>
    %above = arith.muli %r, %width : tensor<64x1xi32, #tile>
    %down = tt.broadcast %above : tensor<64x1xi32, #tile> -> tensor<64x32xi32, #tile>
    %across = tt.broadcast %c : tensor<1x32xi32, #tile> -> tensor<64x32xi32, #tile>
    %offsets = arith.addi %down, %across : tensor<64x32xi32, #tile>
    %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<64x32x!tt.ptr<bf16>, #tile>
    %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<64x32x!tt.ptr<bf16>, #tile>
    %x0 = tt.addptr %xs, %offsets : tensor<64x32x!tt.ptr<bf16>, #tile>, tensor<64x32xi32, #tile>
    %y0 = tt.addptr %ys, %offsets : tensor<64x32x!tt.ptr<bf16>, #tile>, tensor<64x32xi32, #tile>
    %all:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %none, %px = %x0, %py = %y0) -> (tensor<64x64xf32, #mma>, tensor<64x32x!tt.ptr<bf16>, #tile>, tensor<64x32x!tt.ptr<bf16>, #tile>) : i32 {
      %loaded = tt.load %px : tensor<64x32x!tt.ptr<bf16>, #tile>
      %scaled = arith.mulf %loaded, %half : tensor<64x32xbf16, #tile>
      %a = ttg.convert_layout %scaled : tensor<64x32xbf16, #tile> -> tensor<64x32xbf16, #left>
      %other = tt.load %py : tensor<64x32x!tt.ptr<bf16>, #tile>
      %moved = ttg.convert_layout %other : tensor<64x32xbf16, #tile> -> tensor<64x32xbf16, #flipped>
      %b = tt.trans %moved {order = array<i32: 1, 0>} : tensor<64x32xbf16, #flipped> -> tensor<32x64xbf16, #right>
      %d = tt.dot %a, %b, %acc : tensor<64x32xbf16, #left> * tensor<32x64xbf16, #right> -> tensor<64x64xf32, #mma>
      %nx = tt.addptr %px, %next : tensor<64x32x!tt.ptr<bf16>, #tile>, tensor<64x32xi32, #tile>
      %ny = tt.addptr %py, %next : tensor<64x32x!tt.ptr<bf16>, #tile>, tensor<64x32xi32, #tile>
      scf.yield %d, %nx, %ny : tensor<64x64xf32, #mma>, tensor<64x32x!tt.ptr<bf16>, #tile>, tensor<64x32x!tt.ptr<bf16>, #tile>
    }
    tt.return %all#0 : tensor<64x64xf32, #mma>
  }
}
