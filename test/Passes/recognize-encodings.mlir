// RUN: ll-opt --recognize-encodings -split-input-file %s | FileCheck %s

// Bases become the family that says them, in slices and for buffers too.

// CHECK-DAG: #[[$B:.+]] = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$S:.+]] = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#linear = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>
#rows = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 2], [2, 4], [4, 0], [8, 0]]}, alignment = 16>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @f
  // CHECK-SAME: tensor<16x16xf32, #[[$B]]>
  // CHECK-SAME: tensor<16xi32, #ttg.slice<{dim = 0, parent = #[[$B]]}>>
  // CHECK-SAME: !ttg.memdesc<16x8xf32, #[[$S]], #smem>
  tt.func @f(%a: tensor<16x16xf32, #linear>, %b: tensor<16xi32, #ttg.slice<{dim = 0, parent = #linear}>>, %m: !ttg.memdesc<16x8xf32, #rows, #smem>) {
    tt.return
  }
}

// -----

// What no family says stays, and so does what would begin less aligned.

// CHECK-DAG: #ttg.linear<{register = {{\[\[}}1, 0], [0, 1]]
// CHECK-DAG: #ttg.shared_linear<{offset = {{.*}}, alignment = 256>
#odd = #ttg.linear<{register = [[1, 0], [0, 1]], lane = [[0, 2], [2, 0], [0, 4], [4, 0], [0, 8]], warp = [[8, 0]], block = []}>
#rows = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 2], [2, 4], [4, 0], [8, 0]]}, alignment = 256>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<16x16xf32, #odd>, %m: !ttg.memdesc<16x8xf32, #rows, #smem>) {
    tt.return
  }
}
