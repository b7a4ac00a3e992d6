// RUN: ll-opt --fold-layout-conversions -split-input-file %s | FileCheck %s

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

// -----

// The registers of a product are an operand of the next as they are, but the next asks for them as
// `#ttg.dot_op`: the conversion stays, and costs nothing when it is lowered.

#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @operand_of_the_next_product
  tt.func @operand_of_the_next_product(%p: tensor<64x64xf16, #mma>, %v: tensor<64x64xf16, #right>, %acc: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    // CHECK: %[[P:.+]] = ttg.convert_layout %{{.+}} : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>
    %0 = ttg.convert_layout %p : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #left>
    // CHECK: tt.dot %[[P]],
    %1 = tt.dot %0, %v, %acc : tensor<64x64xf16, #left> * tensor<64x64xf16, #right> -> tensor<64x64xf32, #mma>
    tt.return %1 : tensor<64x64xf32, #mma>
  }
}

// -----

// A buffer takes no tensor whose warps are swizzled, so what converts it stays.
#swizzled = #ttg.generic_linear<{register = [], lane = [[2, 0], [1, 0], [0, 1], [0, 0], [0, 0]], warp = [[2, 0], [0, 0]], block = []}>
#plain = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @swizzled_warps
  tt.func @swizzled_warps(%a: tensor<4x2xf32, #swizzled>, %i: tensor<4x2xf32, #plain>) -> !ttg.memdesc<4x2xf32, #shared, #smem, mutable> {
    // CHECK: %[[B:.+]] = ttg.convert_layout
    // CHECK: ttg.local_alloc %[[B]]
    %0 = ttg.convert_layout %a : tensor<4x2xf32, #swizzled> -> tensor<4x2xf32, #plain>
    %1 = ttg.local_alloc %0 : (tensor<4x2xf32, #plain>) -> !ttg.memdesc<4x2xf32, #shared, #smem, mutable>
    tt.return %1 : !ttg.memdesc<4x2xf32, #shared, #smem, mutable>
  }
}
