// RUN: ll-opt --fold-layout-conversions %s | FileCheck %s

// Conversions disappear where the layouts are one linear map, whatever they are called.

#blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// The same map, by its bases.
#linear = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
#other = #ttg.blocked<{sizePerThread = [2, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @same_layout
  // CHECK-SAME: (%[[A:.+]]: tensor<16x16xf32
  tt.func @same_layout(%a: tensor<16x16xf32, #blocked>) -> tensor<16x16xf32, #linear> {
    // CHECK-NOT: ttg.convert_layout
    // CHECK: tt.return %[[A]]
    %0 = ttg.convert_layout %a : tensor<16x16xf32, #blocked> -> tensor<16x16xf32, #linear>
    tt.return %0 : tensor<16x16xf32, #linear>
  }

  // There and back.
  // CHECK-LABEL: tt.func @round_trip
  // CHECK-SAME: (%[[A:.+]]: tensor<16x16xf32
  tt.func @round_trip(%a: tensor<16x16xf32, #blocked>) -> tensor<16x16xf32, #blocked> {
    // CHECK-NOT: ttg.convert_layout
    // CHECK: tt.return %[[A]]
    %0 = ttg.convert_layout %a : tensor<16x16xf32, #blocked> -> tensor<16x16xf32, #other>
    %1 = ttg.convert_layout %0 : tensor<16x16xf32, #other> -> tensor<16x16xf32, #blocked>
    tt.return %1 : tensor<16x16xf32, #blocked>
  }

  // A conversion that moves data stays, and one that is used elsewhere stays for that use.
  // CHECK-LABEL: tt.func @needed
  // CHECK-SAME: (%[[A:.+]]: tensor<16x16xf32
  tt.func @needed(%a: tensor<16x16xf32, #blocked>) -> (tensor<16x16xf32, #other>, tensor<16x16xf32, #blocked>) {
    // CHECK: %[[B:.+]] = ttg.convert_layout %[[A]]
    // CHECK-NOT: ttg.convert_layout
    // CHECK: tt.return %[[B]], %[[A]]
    %0 = ttg.convert_layout %a : tensor<16x16xf32, #blocked> -> tensor<16x16xf32, #other>
    %1 = ttg.convert_layout %0 : tensor<16x16xf32, #other> -> tensor<16x16xf32, #blocked>
    tt.return %0, %1 : tensor<16x16xf32, #other>, tensor<16x16xf32, #blocked>
  }
}
