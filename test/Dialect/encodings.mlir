// RUN: ll-opt %s | FileCheck %s
// RUN: ll-opt %s | ll-opt | FileCheck %s

// Encodings print as they are spelled, long ones as aliases named after their kind.

// CHECK: #[[$BLOCKED:.+]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: #[[$LINEAR:.+]] = #ttg.linear<{register = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = {{\[\[}}4, 0], [8, 0]], block = []}>
#linear = #ttg.linear<{lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], register = [[0, 1], [0, 2]], warp = [[4, 0], [8, 0]], block = []}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @encodings
  // CHECK-SAME: %[[ROW:.+]]: tensor<16x32xf32, #[[$LINEAR]]>
  // CHECK-SAME: %[[SLICE:.+]]: tensor<128xi32, #ttg.slice<{dim = 0, parent = #[[$BLOCKED]]}>>
  tt.func public @encodings(%a: tensor<16x32xf32, #linear>, %b: tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>>) {
    // CHECK: ttg.convert_layout %[[ROW]] : tensor<16x32xf32, #[[$LINEAR]]> -> tensor<16x32xf32, #[[$BLOCKED]]>
    %0 = ttg.convert_layout %a : tensor<16x32xf32, #linear> -> tensor<16x32xf32, #blocked>
    // CHECK: tt.expand_dims %[[SLICE]] {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #[[$BLOCKED]]}>> -> tensor<1x128xi32, #[[$BLOCKED]]>
    %1 = tt.expand_dims %b {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x128xi32, #blocked>
    tt.return
  }
}
