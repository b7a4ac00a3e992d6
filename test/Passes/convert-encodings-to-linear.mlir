// RUN: ll-opt --convert-encodings-to-linear %s | FileCheck %s

// Two spellings of one layout become one attribute; a slice stays a slice, of a linear parent.

// CHECK-NOT: #ttg.blocked
// CHECK: #[[$L:.+]] = #ttg.linear<{register = {{\[\[}}0, 1]], lane = {{\[\[}}0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = {{\[\[}}4, 0], [8, 0]], block = []}>
// CHECK-NOT: #ttg.blocked
#blocked = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @f
  // CHECK-SAME: tensor<16x16xf32, #[[$L]]>
  // CHECK-SAME: tensor<16xi32, #ttg.slice<{dim = 0, parent = #[[$L]]}>>
  tt.func @f(%a: tensor<16x16xf32, #blocked>, %b: tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>>) {
    // CHECK: ttg.convert_layout %{{.+}} : tensor<16x16xf32, #[[$L]]> -> tensor<16x16xf32, #[[$L]]>
    %0 = ttg.convert_layout %a : tensor<16x16xf32, #blocked> -> tensor<16x16xf32, #linear>
    // CHECK: tt.expand_dims %{{.+}} {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #[[$L]]}>> -> tensor<1x16xi32, #[[$L]]>
    %1 = tt.expand_dims %b {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x16xi32, #blocked>
    tt.return
  }
}
