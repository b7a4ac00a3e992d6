// RUN: ll-opt --reorder-broadcast -split-input-file %s -o %t.mlir && FileCheck %s --input-file=%t.mlir

// A second run changes nothing.
// RUN: ll-opt --reorder-broadcast -split-input-file %t.mlir | diff %t.mlir -

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // Uniform values are computed once, in scalar registers.
  // CHECK-LABEL: tt.func @splats
  // CHECK-SAME: (%[[A:.+]]: f32, %[[B:.+]]: f32)
  tt.func @splats(%a: f32, %b: f32) -> tensor<64x64xf32, #rows> {
    // CHECK-DAG: %[[K:.+]] = arith.constant 2.000000e+00 : f32
    // CHECK-DAG: %[[S:.+]] = arith.addf %[[A]], %[[B]] : f32
    // CHECK: %[[M:.+]] = arith.mulf %[[S]], %[[K]] : f32
    // CHECK: %[[W:.+]] = tt.splat %[[M]] : f32 -> tensor<64x64xf32
    // CHECK: tt.return %[[W]]
    %x = tt.splat %a : f32 -> tensor<64x64xf32, #rows>
    %y = tt.splat %b : f32 -> tensor<64x64xf32, #rows>
    %k = arith.constant dense<2.0> : tensor<64x64xf32, #rows>
    %s = arith.addf %x, %y : tensor<64x64xf32, #rows>
    %m = arith.mulf %s, %k : tensor<64x64xf32, #rows>
    tt.return %m : tensor<64x64xf32, #rows>
  }

  // A row that is copied to a tile is worked on as a row, another type of element included.
  // CHECK-LABEL: tt.func @row
  // CHECK-SAME: (%[[X:.+]]: tensor<1x64xf32, #{{.+}}>, %[[A:.+]]: f32)
  tt.func @row(%x: tensor<1x64xf32, #rows>, %a: f32) -> tensor<64x64xi1, #rows> {
    // CHECK: %[[E:.+]] = math.exp %[[X]] : tensor<1x64xf32
    // CHECK: %[[S:.+]] = tt.splat %[[A]] : f32 -> tensor<1x64xf32
    // CHECK: %[[C:.+]] = arith.cmpf olt, %[[E]], %[[S]] : tensor<1x64xf32
    // CHECK: %[[B:.+]] = tt.broadcast %[[C]] : tensor<1x64xi1, #{{.+}}> -> tensor<64x64xi1
    // CHECK: tt.return %[[B]]
    %b = tt.broadcast %x : tensor<1x64xf32, #rows> -> tensor<64x64xf32, #rows>
    %e = math.exp %b : tensor<64x64xf32, #rows>
    %s = tt.splat %a : f32 -> tensor<64x64xf32, #rows>
    %c = arith.cmpf olt, %e, %s : tensor<64x64xf32, #rows>
    tt.return %c : tensor<64x64xi1, #rows>
  }

  // A row and a column meet in the tile.
  // CHECK-LABEL: tt.func @row_and_column
  tt.func @row_and_column(%x: tensor<1x64xf32, #rows>, %y: tensor<64x1xf32, #rows>) -> tensor<64x64xf32, #rows> {
    // CHECK: arith.addf %{{.+}}, %{{.+}} : tensor<64x64xf32
    %b = tt.broadcast %x : tensor<1x64xf32, #rows> -> tensor<64x64xf32, #rows>
    %c = tt.broadcast %y : tensor<64x1xf32, #rows> -> tensor<64x64xf32, #rows>
    %s = arith.addf %b, %c : tensor<64x64xf32, #rows>
    tt.return %s : tensor<64x64xf32, #rows>
  }

  // The divisor is uniform, the dividend is not.
  // CHECK-LABEL: tt.func @tile
  tt.func @tile(%x: tensor<64x64xf32, #rows>, %a: f32) -> tensor<64x64xf32, #rows> {
    // CHECK: arith.divf %{{.+}}, %{{.+}} : tensor<64x64xf32
    %s = tt.splat %a : f32 -> tensor<64x64xf32, #rows>
    %d = arith.divf %x, %s : tensor<64x64xf32, #rows>
    tt.return %d : tensor<64x64xf32, #rows>
  }
}
