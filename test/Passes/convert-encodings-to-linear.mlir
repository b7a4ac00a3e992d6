// RUN: ll-opt --convert-encodings-to-linear -split-input-file %s | FileCheck %s

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

// -----

// A product asks for its encodings by their kinds: they keep their names, also where they are used
// for something else. What it does not ask for is spelled.

// CHECK-DAG: #[[$ROWS:.+]] = #ttg.linear
// CHECK-DAG: #[[$MMA:.+]] = #ttg.nvidia_mma
#rows = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @product
  // CHECK-SAME: tensor<64x32xf16, #[[$ROWS]]>
  tt.func @product(%a: tensor<64x32xf16, #rows>, %b: tensor<32x64xf16, #right>, %c: tensor<64x64xf32, #mma>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>> {
    // CHECK: ttg.convert_layout %{{.+}} : tensor<64x32xf16, #[[$ROWS]]> -> tensor<64x32xf16, #ttg.dot_op<{opIdx = 0, parent = #[[$MMA]], kWidth = 2}>>
    %0 = ttg.convert_layout %a : tensor<64x32xf16, #rows> -> tensor<64x32xf16, #left>
    // CHECK: tt.dot {{.*}} -> tensor<64x64xf32, #[[$MMA]]>
    %1 = tt.dot %0, %b, %c : tensor<64x32xf16, #left> * tensor<32x64xf16, #right> -> tensor<64x64xf32, #mma>
    // CHECK: #ttg.slice<{dim = 1, parent = #[[$MMA]]}>
    %2 = "tt.reduce"(%1) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %3 = arith.addf %x, %y : f32
      tt.reduce.return %3 : f32
    }) : (tensor<64x64xf32, #mma>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>
    tt.return %2 : tensor<64xf32, #ttg.slice<{dim = 1, parent = #mma}>>
  }
}

// -----

// Buffers, each by the bases of its shape; of an array of buffers those of one.

// CHECK-DAG: #[[$A:.+]] = #ttg.shared_linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [1, 2], [2, 4], [4, 0], [8, 0]]}, alignment = 16>
// CHECK-DAG: #[[$B:.+]] = #ttg.shared_linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [1, 2], [2, 4], [4, 0]]}, alignment = 16>
#shared = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @buffers(
  tt.func @buffers(%x: tensor<16x8xf32, #rows>, %i: i32, %n: !ttg.memdesc<8x16xf32, #shared, #smem>) -> tensor<16x8xf32, #rows> {
    // CHECK-SAME: !ttg.memdesc<8x16xf32, #[[$B]], #smem>
    // CHECK: ttg.local_alloc : () -> !ttg.memdesc<2x16x8xf32, #[[$A]], #smem, mutable>
    // CHECK: ttg.memdesc_index {{.*}} -> !ttg.memdesc<16x8xf32, #[[$A]], #smem, mutable>
    %m = ttg.local_alloc : () -> !ttg.memdesc<2x16x8xf32, #shared, #smem, mutable>
    %0 = ttg.memdesc_index %m[%i] : !ttg.memdesc<2x16x8xf32, #shared, #smem, mutable> -> !ttg.memdesc<16x8xf32, #shared, #smem, mutable>
    ttg.local_store %x, %0 : tensor<16x8xf32, #rows> -> !ttg.memdesc<16x8xf32, #shared, #smem, mutable>
    %1 = ttg.local_load %0 : !ttg.memdesc<16x8xf32, #shared, #smem, mutable> -> tensor<16x8xf32, #rows>
    tt.return %1 : tensor<16x8xf32, #rows>
  }
}
