#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#mma1 = #ttg.amd_wmma<{version = 2, isTranspose = false, ctaLayout = {warp = [[1, 0], [2, 0]]}}>
#mma2 = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[1, 0], [2, 0]]}, CGALayout = [[1, 0]], instrShape = [16, 16, 32]}>
#mma3 = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[1, 0], [2, 0]]}, CGALayout = [[0, 0]], instrShape = [16, 16, 32]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#shared2 = #ttg.padded_shared<[64:+4] {order = [1, 0], shape = [16, 64]}>
#shared3 = #ttg.padded_shared<[64:+4] {order = [1, 0], shape = [32, 64]}>
#shared4 = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 1, order = [2, 1, 0]}>
#shared5 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
#tmem_scales = #ttng.tensor_memory_scales_encoding<>
"builtin.module"() ({
  "builtin.module"() ({
    "tt.func"() <{function_type = (tensor<64x32xf16, #mma>, tensor<64x32xf16, #mma1>) -> (), sym_name = "left_out"}> ({
    ^bb0(%arg14: tensor<64x32xf16, #mma>, %arg15: tensor<64x32xf16, #mma1>):
      "tt.return"() : () -> ()
    }) : () -> ()
    "tt.func"() <{function_type = (!tt.ptr<f32>, f32) -> (), sym_name = "policies"}> ({
    ^bb0(%arg12: !tt.ptr<f32>, %arg13: f32):
      %13 = "tt.load"(%arg12) <{cachePolicy = #ttng.cache_policy<l1 = no_allocate, l2_primary = evict_last, l2_secondary = evict_unchanged, l2_fraction = 7.500000e-01 : f32, l2_prefetch_size = 128 : i32>, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f32
      "tt.store"(%arg12, %arg13) <{cachePolicy = #ttng.cache_policy<cache_modifier = wb, l2_primary = evict_normal, l2_secondary = evict_first, l2_fraction = 1.000000e+00 : f32>}> : (!tt.ptr<f32>, f32) -> ()
      "tt.return"() : () -> ()
    }) : () -> ()
    "tt.func"() <{function_type = (!ttg.memdesc<9x64x64xf16, #shared, #smem, mutable>, i32) -> (), sym_name = "stages"}> ({
    ^bb0(%arg10: !ttg.memdesc<9x64x64xf16, #shared, #smem, mutable>, %arg11: i32):
      %9 = "ttg.memdesc_subslice"(%arg10) <{offsets = array<i32: 2, 0, 0>}> : (!ttg.memdesc<9x64x64xf16, #shared, #smem, mutable>) -> !ttg.memdesc<5x64x64xf16, #shared, #smem, mutable, 9x64x64>
      %10 = "ttg.memdesc_subslice"(%9) <{offsets = array<i32: 1, 0, 0>}> : (!ttg.memdesc<5x64x64xf16, #shared, #smem, mutable, 9x64x64>) -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable, 9x64x64>
      %11 = "ttg.memdesc_index"(%10, %arg11) : (!ttg.memdesc<3x64x64xf16, #shared, #smem, mutable, 9x64x64>, i32) -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
      %12 = "ttg.memdesc_reinterpret"(%10) : (!ttg.memdesc<3x64x64xf16, #shared, #smem, mutable, 9x64x64>) -> !ttg.memdesc<128x64xi16, #shared, #smem, mutable>
      "tt.return"() : () -> ()
    }) : () -> ()
    "tt.func"() <{function_type = (!ttg.memdesc<32x16xf32, #shared1, #smem>, !ttg.memdesc<4x16x64xf16, #shared2, #smem>, !ttg.memdesc<256x128xf32, #tmem, #ttng.tensor_memory>) -> (), sym_name = "pieces"}> ({
    ^bb0(%arg7: !ttg.memdesc<32x16xf32, #shared1, #smem>, %arg8: !ttg.memdesc<4x16x64xf16, #shared2, #smem>, %arg9: !ttg.memdesc<256x128xf32, #tmem, #ttng.tensor_memory>):
      %4 = "ttg.memdesc_subslice"(%arg7) <{offsets = array<i32: 0, 8>}> : (!ttg.memdesc<32x16xf32, #shared1, #smem>) -> !ttg.memdesc<32x8xf32, #shared1, #smem, 32x16>
      %5 = "ttg.memdesc_reinterpret"(%4) : (!ttg.memdesc<32x8xf32, #shared1, #smem, 32x16>) -> !ttg.memdesc<2x8xi16, #shared1, #smem>
      %6 = "ttg.memdesc_reinterpret"(%arg8) : (!ttg.memdesc<4x16x64xf16, #shared2, #smem>) -> !ttg.memdesc<2x32x64xi16, #shared3, #smem>
      %7 = "ttng.tmem_subslice"(%arg9) <{dim = 0 : i32, offset = 128 : i32}> : (!ttg.memdesc<256x128xf32, #tmem, #ttng.tensor_memory>) -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, 256x128>
      %8 = "ttg.memdesc_reinterpret"(%7) : (!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, 256x128>) -> !ttg.memdesc<128x64xf16, #tmem, #ttng.tensor_memory>
      "tt.return"() : () -> ()
    }) : () -> ()
    "tt.func"() <{function_type = (!ttg.memdesc<16x8xi8, #tmem_scales, #ttng.tensor_memory>) -> (), sym_name = "scales"}> ({
    ^bb0(%arg6: !ttg.memdesc<16x8xi8, #tmem_scales, #ttng.tensor_memory>):
      %2 = "ttng.tmem_subslice"(%arg6) <{dim = 0 : i32, offset = 8 : i32}> : (!ttg.memdesc<16x8xi8, #tmem_scales, #ttng.tensor_memory>) -> !ttg.memdesc<8x8xi8, #tmem_scales, #ttng.tensor_memory, 16x8>
      %3 = "ttg.memdesc_reinterpret"(%2) : (!ttg.memdesc<8x8xi8, #tmem_scales, #ttng.tensor_memory, 16x8>) -> !ttg.memdesc<8x4xf8E5M2, #tmem_scales, #ttng.tensor_memory>
      "tt.return"() : () -> ()
    }) : () -> ()
    "tt.func"() <{function_type = (!tt.tensordesc<1x16x64xf16, #shared4>, !ttg.memdesc<16x64xf16, #shared1, #smem, mutable>, !ttg.memdesc<1xi64, #shared5, #smem>) -> (), sym_name = "blocks"}> ({
    ^bb0(%arg3: !tt.tensordesc<1x16x64xf16, #shared4>, %arg4: !ttg.memdesc<16x64xf16, #shared1, #smem, mutable>, %arg5: !ttg.memdesc<1xi64, #shared5, #smem>):
      %1 = "amdg.async_tdm_copy_global_to_local"(%arg3, %arg4, %arg5) <{cache = 1 : i32}> : (!tt.tensordesc<1x16x64xf16, #shared4>, !ttg.memdesc<16x64xf16, #shared1, #smem, mutable>, !ttg.memdesc<1xi64, #shared5, #smem>) -> !ttg.async.token
      "tt.return"() : () -> ()
    }) : () -> ()
  }) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} : () -> ()
  "builtin.module"() ({
    "tt.func"() <{function_type = (tensor<128x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 8}>>, tensor<32x16xf16, #ttg.dot_op<{opIdx = 1, parent = #mma3, kWidth = 8}>>, tensor<128x16xf32, #mma2>) -> tensor<128x16xf32, #mma2>, sym_name = "cluster"}> ({
    ^bb0(%arg0: tensor<128x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 8}>>, %arg1: tensor<32x16xf16, #ttg.dot_op<{opIdx = 1, parent = #mma3, kWidth = 8}>>, %arg2: tensor<128x16xf32, #mma2>):
      %0 = "tt.dot"(%arg0, %arg1, %arg2) <{inputPrecision = 2 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<128x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 8}>>, tensor<32x16xf16, #ttg.dot_op<{opIdx = 1, parent = #mma3, kWidth = 8}>>, tensor<128x16xf32, #mma2>) -> tensor<128x16xf32, #mma2>
      "tt.return"(%0) : (tensor<128x16xf32, #mma2>) -> ()
    }) : () -> ()
  }) {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} : () -> ()
}) : () -> ()
