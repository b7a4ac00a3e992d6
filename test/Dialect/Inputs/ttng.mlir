#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked2 = #ttg.blocked<{sizePerThread = [1, 128], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#blocked3 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>
#blocked4 = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#shared1 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared2 = #ttg.padded_shared<[128:+8] {order = [1, 0], shape = [128, 128]}>
#shared3 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#tmem_scales = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: tensor<128x!tt.ptr<f32>, #blocked>, %arg1: tensor<128xf32, #blocked>, %arg2: tensor<128xi1, #blocked>, %arg3: tensor<128xi32, #blocked>, %arg4: !tt.ptr<i32>, %arg5: i32, %arg6: !ttg.memdesc<1xi64, #shared, #smem, mutable>, %arg7: tensor<16x16xf32, #blocked1>, %arg8: i1, %arg9: i64, %arg10: !tt.tensordesc<128x128xf16, #shared1>, %arg11: !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>, %arg12: !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, %arg13: !ttg.async.token, %arg14: tensor<128x128xf32, #blocked2>, %arg15: !ttg.memdesc<128x128xf8E5M2, #shared1, #smem, mutable>, %arg16: !ttg.memdesc<128x4xi8, #tmem_scales, #ttng.tensor_memory>, %arg17: tensor<128x!tt.ptr<i32>, #blocked>, %arg18: !ttg.memdesc<2xi64, #shared, #smem, mutable>, %arg19: i128, %arg20: tensor<32xi32, #blocked>, %arg21: tensor<16x16xf8E4M3FN, #blocked1>, %arg22: !tt.tensordesc<1x128xf16, #shared1>, %arg23: !ttg.memdesc<32x128xf16, #shared1, #smem, mutable>, %arg24: tensor<128x128xf16, #blocked1>, %arg25: tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked3}>>, %arg26: tensor<256xf32, #blocked4>, %arg27: tensor<2xi64, #blocked>, %arg28: tensor<16x16xi8, #blocked1>, %arg29: tensor<16x16xbf16, #blocked1>, %arg30: !ttg.memdesc<128x128xf16, #shared2, #smem, mutable>, %arg31: !tt.tensordesc<128x128xf16, #shared2>, %arg32: !ttg.memdesc<128xi32, #shared, #smem, mutable>, %arg33: !ttg.memdesc<128x128xi32, #shared3, #smem, mutable>) {
    ttng.wait_barrier %arg6, %arg5 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.wait_barrier %arg6, %arg5, %arg8 deps %arg11 : !ttg.memdesc<1xi64, #shared, #smem, mutable>, !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>
    ttng.arrive_barrier %arg6, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.arrive_barrier %arg6, 2, %arg8 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.barrier_expect %arg6, 128 {fromCTA = 0 : i32}, %arg8 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.init_barrier %arg6, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.inval_barrier %arg6 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.async_copy_mbarrier_arrive %arg6 {noIncrement} : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.fence_async_shared {bCluster = false}
    ttng.async_tma_copy_global_to_local %arg10[%arg5, %arg5] %arg11, %arg6, %arg8 : !tt.tensordesc<128x128xf16, #shared1>, !ttg.memdesc<1xi64, #shared, #smem, mutable> -> !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>
    ttng.async_tma_copy_local_to_global %arg10[%arg5, %arg5] %arg11 : !tt.tensordesc<128x128xf16, #shared1>, !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>
    ttng.async_tma_reduce add, %arg10[%arg5, %arg5] %arg11 : !tt.tensordesc<128x128xf16, #shared1>, !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>
    ttng.async_tma_gather %arg22[%arg25, %arg5] %arg23, %arg6, %arg8 : !tt.tensordesc<1x128xf16, #shared1>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked3}>>, i32, !ttg.memdesc<1xi64, #shared, #smem, mutable>, !ttg.memdesc<32x128xf16, #shared1, #smem, mutable>, i1
    ttng.async_tma_scatter %arg22[%arg25, %arg5] %arg23 : !tt.tensordesc<1x128xf16, #shared1>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked3}>>, i32, !ttg.memdesc<32x128xf16, #shared1, #smem, mutable>
    ttng.async_tma_store_wait {pendings = 0 : i32}
    ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
    ttng.tc_gen5_mma %arg11, %arg11, %arg12, %arg8, %arg8 : !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>, !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
    %0 = ttng.tc_gen5_mma %arg11, %arg11, %arg12[%arg13], %arg8, %arg8, %arg6[%arg8] {is_async} : !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>, !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ttng.tc_gen5_mma_scaled %arg15, %arg15, %arg12, %arg16, %arg16, %arg8, %arg8 lhs = e5m2 rhs = e5m2 : !ttg.memdesc<128x128xf8E5M2, #shared1, #smem, mutable>, !ttg.memdesc<128x128xf8E5M2, #shared1, #smem, mutable>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x4xi8, #tmem_scales, #ttng.tensor_memory>, !ttg.memdesc<128x4xi8, #tmem_scales, #ttng.tensor_memory>
    ttng.tc_gen5_commit %arg6, %arg8 descs %arg11 : !ttg.memdesc<1xi64, #shared, #smem, mutable>, !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>
    %result, %token = ttng.tmem_load %arg12[%arg13] : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #blocked2>
    %result_0 = ttng.tmem_load %arg12 : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #blocked2>
    %result_1, %red = ttng.tmem_load %arg12 {NaN = true, abs = true, redOp = #ttng.redOp<max>} : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> tensor<128x128xf32, #blocked2>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked2}>>
    %1 = ttng.tmem_store %arg14, %arg12[%arg13], %arg8 : tensor<128x128xf32, #blocked2> -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
    ttng.tmem_store %arg14, %arg12, %arg8 : tensor<128x128xf32, #blocked2> -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
    %result_2, %token_3 = ttng.tmem_alloc : () -> (!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %result_4 = ttng.tmem_alloc %arg14 : (tensor<128x128xf32, #blocked2>) -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory>
    %2 = ttng.tmem_subslice %arg12 {offset = 64 : i32} : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable, 128x128>
    ttng.tmem_copy %arg33, %arg12 : !ttg.memdesc<128x128xi32, #shared3, #smem, mutable>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>
    ttng.tmem_wait load
    %3 = ttng.clc_load_result %arg18 : !ttg.memdesc<2xi64, #shared, #smem, mutable> -> i128
    %4 = ttng.clc_is_canceled %arg19 : i128 -> i1
    %5 = ttng.clc_get_program_id %arg19, x : i128 -> i32
    ttng.clc_try_cancel %arg18, %arg6 : !ttg.memdesc<2xi64, #shared, #smem, mutable>, !ttg.memdesc<1xi64, #shared, #smem, mutable>
    %6 = ttng.clc_try_cancel_sync : tensor<2xi64, #blocked>
    %7 = ttng.packed_arith fma %arg26, %arg26, %arg26 : (tensor<256xf32, #blocked4>, tensor<256xf32, #blocked4>, tensor<256xf32, #blocked4>) -> tensor<256xf32, #blocked4>
    %8 = ttng.reinterpret_tensor_descriptor %arg4 : !tt.ptr<i32> to !tt.tensordesc<128x128xf16, #shared1>
    ttng.tensormap_fenceproxy_acquire %arg4 : !tt.ptr<i32>
    ttng.tensormap_create %arg4, %arg4, [%arg5, %arg5], [%arg5, %arg5], [%arg9], [%arg5, %arg5] {elem_type = 1 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 1 : i32} : (!tt.ptr<i32>, !tt.ptr<i32>, i32, i32, i32, i32, i64, i32, i32) -> ()
    %9 = tt.load %arg4 {cachePolicy = #ttng.cache_policy<l1 = evict_first>} : !tt.ptr<i32>
    tt.return
  }
}
