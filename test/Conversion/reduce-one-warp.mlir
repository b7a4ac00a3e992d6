// Blocks of one warp: other blocks hide the latency of shuffles, so a butterfly takes two of them instead of a gather's four.
// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:90 %s -o %t.mlir && FileCheck %s --input-file=%t.mlir
// RUN: ll-sim %t.mlir --arg out=zeros:f32:4 --arg want=full:4:f32:4 --arg in=full:1:f32:16 --expect-same out=want

#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: llvm.func @rows
  // CHECK-COUNT-2: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl.sync
  tt.func public @rows(%out: !tt.ptr<f32>, %want: !tt.ptr<f32>, %in: !tt.ptr<f32>) {
    %row = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32, #ttg.slice<{dim = 1, parent = #a}>>
    %column = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32, #ttg.slice<{dim = 0, parent = #a}>>
    %row1 = tt.expand_dims %row {axis = 1 : i32} : tensor<4xi32, #ttg.slice<{dim = 1, parent = #a}>> -> tensor<4x1xi32, #a>
    %column1 = tt.expand_dims %column {axis = 0 : i32} : tensor<4xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x4xi32, #a>
    %c4 = arith.constant dense<4> : tensor<4x1xi32, #a>
    %start = arith.muli %row1, %c4 : tensor<4x1xi32, #a>
    %start2 = tt.broadcast %start : tensor<4x1xi32, #a> -> tensor<4x4xi32, #a>
    %column2 = tt.broadcast %column1 : tensor<1x4xi32, #a> -> tensor<4x4xi32, #a>
    %n = arith.addi %start2, %column2 : tensor<4x4xi32, #a>
    %i = tt.splat %in : !tt.ptr<f32> -> tensor<4x4x!tt.ptr<f32>, #a>
    %p = tt.addptr %i, %n : tensor<4x4x!tt.ptr<f32>, #a>, tensor<4x4xi32, #a>
    %x = tt.load %p : tensor<4x4x!tt.ptr<f32>, #a>
    %s = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<4x4xf32, #a>) -> tensor<4xf32, #ttg.slice<{dim = 1, parent = #a}>>
    %o = tt.splat %out : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #a}>>
    %q = tt.addptr %o, %row : tensor<4x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #a}>>, tensor<4xi32, #ttg.slice<{dim = 1, parent = #a}>>
    tt.store %q, %s : tensor<4x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #a}>>
    tt.return
  }
}
