// Parts of buffers and of clusters, cache policies, and encodings with keys left out.
#ampere = #ttg.nvidia_mma<{versionMajor = 2, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#gen2 = #ttg.amd_wmma<{version = 2, ctaLayout = {warp = [[1, 0], [2, 0]]}}>
#rows = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[1, 0], [2, 0]]}, CGALayout = [[1, 0]], instrShape = [16, 16, 32]}>
#once = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[1, 0], [2, 0]]}, CGALayout = [[0, 0]], instrShape = [16, 16, 32]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#padded = #ttg.padded_shared<[64:+4] {order = [1, 0], shape = [16, 64]}>
#padded2 = #ttg.padded_shared<[64:+4] {order = [1, 0], shape = [32, 64]}>
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
#scales = #ttng.tensor_memory_scales_encoding<>
#smem = #ttg.shared_memory
module {
  module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
    tt.func @left_out(%a: tensor<64x32xf16, #ampere>, %b: tensor<64x32xf16, #gen2>) {
      tt.return
    }
    tt.func @policies(%p: !tt.ptr<f32>, %x: f32) {
      %0 = tt.load %p {cachePolicy = #ttng.cache_policy<l1 = no_allocate, l2_primary = evict_last, l2_secondary = evict_unchanged, l2_fraction = 0.75 : f32, l2_prefetch_size = 128 : i32>} : !tt.ptr<f32>
      tt.store %p, %x {cachePolicy = #ttng.cache_policy<cache_modifier = wb, l2_primary = evict_normal, l2_secondary = evict_first, l2_fraction = 1.0 : f32>} : !tt.ptr<f32>
      tt.return
    }
    tt.func @stages(%m: !ttg.memdesc<9x64x64xf16, #nv, #smem, mutable>, %i: i32) {
      %0 = ttg.memdesc_subslice %m[2, 0, 0] : !ttg.memdesc<9x64x64xf16, #nv, #smem, mutable> -> !ttg.memdesc<5x64x64xf16, #nv, #smem, mutable, 9x64x64>
      %1 = ttg.memdesc_subslice %0[1, 0, 0] : !ttg.memdesc<5x64x64xf16, #nv, #smem, mutable, 9x64x64> -> !ttg.memdesc<3x64x64xf16, #nv, #smem, mutable, 9x64x64>
      %2 = ttg.memdesc_index %1[%i] : !ttg.memdesc<3x64x64xf16, #nv, #smem, mutable, 9x64x64> -> !ttg.memdesc<64x64xf16, #nv, #smem, mutable>
      %3 = ttg.memdesc_reinterpret %1 : !ttg.memdesc<3x64x64xf16, #nv, #smem, mutable, 9x64x64> -> !ttg.memdesc<128x64xi16, #nv, #smem, mutable>
      tt.return
    }
    tt.func @pieces(%m: !ttg.memdesc<32x16xf32, #plain, #smem>, %p: !ttg.memdesc<4x16x64xf16, #padded, #smem>, %t: !ttg.memdesc<256x128xf32, #tmem, #ttng.tensor_memory>) {
      %0 = ttg.memdesc_subslice %m[0, 8] : !ttg.memdesc<32x16xf32, #plain, #smem> -> !ttg.memdesc<32x8xf32, #plain, #smem, 32x16>
      %1 = ttg.memdesc_reinterpret %0 : !ttg.memdesc<32x8xf32, #plain, #smem, 32x16> -> !ttg.memdesc<2x8xi16, #plain, #smem>
      %2 = ttg.memdesc_reinterpret %p : !ttg.memdesc<4x16x64xf16, #padded, #smem> -> !ttg.memdesc<2x32x64xi16, #padded2, #smem>
      %3 = ttng.tmem_subslice %t {dim = 0 : i32, offset = 128 : i32} : !ttg.memdesc<256x128xf32, #tmem, #ttng.tensor_memory> -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, 256x128>
      %4 = ttg.memdesc_reinterpret %3 : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, 256x128> -> !ttg.memdesc<128x64xf16, #tmem, #ttng.tensor_memory>
      tt.return
    }
    tt.func @scales(%m: !ttg.memdesc<16x8xi8, #scales, #ttng.tensor_memory>) {
      %0 = ttng.tmem_subslice %m {dim = 0 : i32, offset = 8 : i32} : !ttg.memdesc<16x8xi8, #scales, #ttng.tensor_memory> -> !ttg.memdesc<8x8xi8, #scales, #ttng.tensor_memory, 16x8>
      %1 = ttg.memdesc_reinterpret %0 : !ttg.memdesc<8x8xi8, #scales, #ttng.tensor_memory, 16x8> -> !ttg.memdesc<8x4xf8E5M2, #scales, #ttng.tensor_memory>
      tt.return
    }
    tt.func @blocks(%d: !tt.tensordesc<1x16x64xf16, #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>>, %m: !ttg.memdesc<16x64xf16, #plain, #smem, mutable>, %b: !ttg.memdesc<1xi64, #line, #smem>) {
      %0 = amdg.async_tdm_copy_global_to_local %d into %m, barrier = %b : !tt.tensordesc<1x16x64xf16, #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>>, !ttg.memdesc<1xi64, #line, #smem> -> !ttg.memdesc<16x64xf16, #plain, #smem, mutable>
      tt.return
    }
  }
  module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
    tt.func @cluster(%a: tensor<128x32xf16, #ttg.dot_op<{opIdx = 0, parent = #rows, kWidth = 8}>>, %b: tensor<32x16xf16, #ttg.dot_op<{opIdx = 1, parent = #once, kWidth = 8}>>, %c: tensor<128x16xf32, #rows>) -> tensor<128x16xf32, #rows> {
      %0 = tt.dot %a, %b, %c : tensor<128x32xf16, #ttg.dot_op<{opIdx = 0, parent = #rows, kWidth = 8}>> * tensor<32x16xf16, #ttg.dot_op<{opIdx = 1, parent = #once, kWidth = 8}>> -> tensor<128x16xf32, #rows>
      tt.return %0 : tensor<128x16xf32, #rows>
    }
  }
}
