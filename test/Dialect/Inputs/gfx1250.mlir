#blocked = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [8, 64]}>
#shared1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#shared2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @tdm(%arg0: !tt.tensordesc<8x64xf16, #shared>, %arg1: !ttg.memdesc<8x64xf16, #shared, #smem, mutable>, %arg2: !tt.tensordesc<8x64xf16>, %arg3: !ttg.memdesc<8x64xf16, #shared1, #smem, mutable>, %arg4: tensor<8xi32, #ttg.slice<{dim = 1, parent = #blocked}>>, %arg5: i32, %arg6: i1, %arg7: !ttg.memdesc<1xi64, #shared2, #smem, mutable>) {
    %0 = amdg.async_tdm_copy_global_to_local %arg0 into %arg1 : !tt.tensordesc<8x64xf16, #shared> -> !ttg.memdesc<8x64xf16, #shared, #smem, mutable>
    %1 = amdg.async_tdm_copy_global_to_local %arg2 into %arg3, barrier = %arg7 {warp_used_hint = 3 : i32} : !tt.tensordesc<8x64xf16>, !ttg.memdesc<1xi64, #shared2, #smem, mutable> -> !ttg.memdesc<8x64xf16, #shared1, #smem, mutable>
    %2 = amdg.async_tdm_copy_local_to_global %arg2 from %arg3 : !ttg.memdesc<8x64xf16, #shared1, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    %3 = amdg.async_tdm_gather %arg0[%arg4] to %arg1 : tensor<8xi32, #ttg.slice<{dim = 1, parent = #blocked}>>, !ttg.memdesc<8x64xf16, #shared, #smem, mutable> -> !tt.tensordesc<8x64xf16, #shared>
    %4 = amdg.async_tdm_scatter %arg2[%arg4] from %arg3 : tensor<8xi32, #ttg.slice<{dim = 1, parent = #blocked}>>, !ttg.memdesc<8x64xf16, #shared1, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    %5 = amdg.async_tdm_fused_copy_global_to_local %arg2, %arg2 into %arg3, %arg3 {warp_used_hints = array<i32: 3, 12>} : !tt.tensordesc<8x64xf16>, !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #shared1, #smem, mutable>, !ttg.memdesc<8x64xf16, #shared1, #smem, mutable>
    %6 = amdg.update_tensor_descriptor %arg2 add_offsets = [%arg5, %arg5] set_bounds = [%arg5, %arg5] pred = %arg5 : !tt.tensordesc<8x64xf16>
    %7 = amdg.tdm_prefetch %arg2[%arg5, %arg5], %arg6, speculative = false returnOffsets : !tt.tensordesc<8x64xf16> -> tensor<8x1xi64, #blocked1>
    amdg.tdm_prefetch %arg2[%arg5, %arg5], %arg6, speculative = true : !tt.tensordesc<8x64xf16>
    tt.return
  }
  tt.func @narrow(%arg0: tensor<4x512xbf16>, %arg1: tensor<4x16xi8>, %arg2: !llvm.ptr, %arg3: f32, %arg4: i1, %arg5: i32) {
    %0 = amdg.scaled_downcast_fp4 %arg0 scale %arg1 {axis = 1 : i32} : tensor<4x512xbf16>, tensor<4x16xi8> -> tensor<4x256xi8>
    %1 = amdg.scaled_downcast_fp8 %arg0 scale %arg1 {axis = 1 : i32} : tensor<4x512xbf16>, tensor<4x16xi8> -> tensor<4x512xf8E4M3FN>
    %2 = amdg.masked_load %arg2, %arg4, %arg3 : (!llvm.ptr, i1, f32) -> f32
    %3 = amdg.masked_load %arg2, %arg4, %arg3, %arg5 cacheModifier = ca volatile true forceNoAlias true : (!llvm.ptr, i1, f32, i32) -> f32
    amdg.masked_store %arg2, %arg3, %arg4 cacheModifier = ca forceNoAlias true : !llvm.ptr, f32, i1
    tt.return
  }
}
