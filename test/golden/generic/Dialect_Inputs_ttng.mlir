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
"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xf32, #blocked>, tensor<128xi1, #blocked>, tensor<128xi32, #blocked>, !tt.ptr<i32>, i32, !ttg.memdesc<1xi64, #shared, #smem, mutable>, tensor<16x16xf32, #blocked1>, i1, i64, !tt.tensordesc<128x128xf16, #shared1>, !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token, tensor<128x128xf32, #blocked2>, !ttg.memdesc<128x128xf8E5M2, #shared1, #smem, mutable>, !ttg.memdesc<128x4xi8, #tmem_scales, #ttng.tensor_memory>, tensor<128x!tt.ptr<i32>, #blocked>, !ttg.memdesc<2xi64, #shared, #smem, mutable>, i128, tensor<32xi32, #blocked>, tensor<16x16xf8E4M3FN, #blocked1>, !tt.tensordesc<1x128xf16, #shared1>, !ttg.memdesc<32x128xf16, #shared1, #smem, mutable>, tensor<128x128xf16, #blocked1>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked3}>>, tensor<256xf32, #blocked4>, tensor<2xi64, #blocked>, tensor<16x16xi8, #blocked1>, tensor<16x16xbf16, #blocked1>, !ttg.memdesc<128x128xf16, #shared2, #smem, mutable>, !tt.tensordesc<128x128xf16, #shared2>, !ttg.memdesc<128xi32, #shared, #smem, mutable>, !ttg.memdesc<128x128xi32, #shared3, #smem, mutable>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: tensor<128x!tt.ptr<f32>, #blocked>, %arg1: tensor<128xf32, #blocked>, %arg2: tensor<128xi1, #blocked>, %arg3: tensor<128xi32, #blocked>, %arg4: !tt.ptr<i32>, %arg5: i32, %arg6: !ttg.memdesc<1xi64, #shared, #smem, mutable>, %arg7: tensor<16x16xf32, #blocked1>, %arg8: i1, %arg9: i64, %arg10: !tt.tensordesc<128x128xf16, #shared1>, %arg11: !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>, %arg12: !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, %arg13: !ttg.async.token, %arg14: tensor<128x128xf32, #blocked2>, %arg15: !ttg.memdesc<128x128xf8E5M2, #shared1, #smem, mutable>, %arg16: !ttg.memdesc<128x4xi8, #tmem_scales, #ttng.tensor_memory>, %arg17: tensor<128x!tt.ptr<i32>, #blocked>, %arg18: !ttg.memdesc<2xi64, #shared, #smem, mutable>, %arg19: i128, %arg20: tensor<32xi32, #blocked>, %arg21: tensor<16x16xf8E4M3FN, #blocked1>, %arg22: !tt.tensordesc<1x128xf16, #shared1>, %arg23: !ttg.memdesc<32x128xf16, #shared1, #smem, mutable>, %arg24: tensor<128x128xf16, #blocked1>, %arg25: tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked3}>>, %arg26: tensor<256xf32, #blocked4>, %arg27: tensor<2xi64, #blocked>, %arg28: tensor<16x16xi8, #blocked1>, %arg29: tensor<16x16xbf16, #blocked1>, %arg30: !ttg.memdesc<128x128xf16, #shared2, #smem, mutable>, %arg31: !tt.tensordesc<128x128xf16, #shared2>, %arg32: !ttg.memdesc<128xi32, #shared, #smem, mutable>, %arg33: !ttg.memdesc<128x128xi32, #shared3, #smem, mutable>):
    "ttng.wait_barrier"(%arg6, %arg5) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!ttg.memdesc<1xi64, #shared, #smem, mutable>, i32) -> ()
    "ttng.wait_barrier"(%arg6, %arg5, %arg8, %arg11) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (!ttg.memdesc<1xi64, #shared, #smem, mutable>, i32, i1, !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>) -> ()
    "ttng.arrive_barrier"(%arg6) <{count = 1 : i32}> : (!ttg.memdesc<1xi64, #shared, #smem, mutable>) -> ()
    "ttng.arrive_barrier"(%arg6, %arg8) <{count = 2 : i32}> : (!ttg.memdesc<1xi64, #shared, #smem, mutable>, i1) -> ()
    "ttng.barrier_expect"(%arg6, %arg8) <{fromCTA = 0 : i32, size = 128 : i32}> : (!ttg.memdesc<1xi64, #shared, #smem, mutable>, i1) -> ()
    "ttng.init_barrier"(%arg6) <{count = 1 : i32}> : (!ttg.memdesc<1xi64, #shared, #smem, mutable>) -> ()
    "ttng.inval_barrier"(%arg6) : (!ttg.memdesc<1xi64, #shared, #smem, mutable>) -> ()
    "ttng.async_copy_mbarrier_arrive"(%arg6) <{noIncrement}> : (!ttg.memdesc<1xi64, #shared, #smem, mutable>) -> ()
    "ttng.fence_async_shared"() <{bCluster = false}> : () -> ()
    "ttng.async_tma_copy_global_to_local"(%arg10, %arg5, %arg5, %arg6, %arg11, %arg8) <{isVolatile = false, operandSegmentSizes = array<i32: 1, 2, 0, 1, 1, 1>}> : (!tt.tensordesc<128x128xf16, #shared1>, i32, i32, !ttg.memdesc<1xi64, #shared, #smem, mutable>, !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>, i1) -> ()
    "ttng.async_tma_copy_local_to_global"(%arg10, %arg5, %arg5, %arg11) : (!tt.tensordesc<128x128xf16, #shared1>, i32, i32, !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>) -> ()
    "ttng.async_tma_reduce"(%arg10, %arg5, %arg5, %arg11) <{kind = 1 : i32}> : (!tt.tensordesc<128x128xf16, #shared1>, i32, i32, !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>) -> ()
    "ttng.async_tma_gather"(%arg22, %arg25, %arg5, %arg6, %arg23, %arg8) : (!tt.tensordesc<1x128xf16, #shared1>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked3}>>, i32, !ttg.memdesc<1xi64, #shared, #smem, mutable>, !ttg.memdesc<32x128xf16, #shared1, #smem, mutable>, i1) -> ()
    "ttng.async_tma_scatter"(%arg22, %arg25, %arg5, %arg23) : (!tt.tensordesc<1x128xf16, #shared1>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked3}>>, i32, !ttg.memdesc<32x128xf16, #shared1, #smem, mutable>) -> ()
    "ttng.async_tma_store_wait"() <{pendings = 0 : i32}> : () -> ()
    "ttng.async_tma_store_wait"() <{pendings = 0 : i32, read_only}> : () -> ()
    "ttng.tc_gen5_mma"(%arg11, %arg11, %arg12, %arg8, %arg8) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 0, 0>}> : (!ttg.memdesc<128x128xf16, #shared1, #smem, mutable>, !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, i1, i1) -> ()
    %0 = "ttng.tc_gen5_mma"(%arg11, %arg11, %arg12, %arg13, %arg8, %arg8, %arg6, %arg8) <{is_async, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1>}> : (!ttg.memdesc<128x128xf16, #shared1, #smem, mutable>, !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token, i1, i1, !ttg.memdesc<1xi64, #shared, #smem, mutable>, i1) -> !ttg.async.token
    "ttng.tc_gen5_mma_scaled"(%arg15, %arg15, %arg12, %arg16, %arg16, %arg8, %arg8) <{a_type = 1 : i32, b_type = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 1, 1, 0, 0>}> : (!ttg.memdesc<128x128xf8E5M2, #shared1, #smem, mutable>, !ttg.memdesc<128x128xf8E5M2, #shared1, #smem, mutable>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.memdesc<128x4xi8, #tmem_scales, #ttng.tensor_memory>, !ttg.memdesc<128x4xi8, #tmem_scales, #ttng.tensor_memory>, i1, i1) -> ()
    "ttng.tc_gen5_commit"(%arg6, %arg8, %arg11) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!ttg.memdesc<1xi64, #shared, #smem, mutable>, i1, !ttg.memdesc<128x128xf16, #shared1, #smem, mutable>) -> ()
    %1:2 = "ttng.tmem_load"(%arg12, %arg13) <{resultSegmentSizes = array<i32: 1, 1, 0>}> : (!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token) -> (tensor<128x128xf32, #blocked2>, !ttg.async.token)
    %2 = "ttng.tmem_load"(%arg12) <{resultSegmentSizes = array<i32: 1, 0, 0>}> : (!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>) -> tensor<128x128xf32, #blocked2>
    %3:2 = "ttng.tmem_load"(%arg12) <{NaN = true, abs = true, redOp = #ttng.redOp<max>, resultSegmentSizes = array<i32: 1, 0, 1>}> : (!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>) -> (tensor<128x128xf32, #blocked2>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #blocked2}>>)
    %4 = "ttng.tmem_store"(%arg12, %arg13, %arg14, %arg8) : (!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token, tensor<128x128xf32, #blocked2>, i1) -> !ttg.async.token
    "ttng.tmem_store"(%arg12, %arg14, %arg8) : (!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, tensor<128x128xf32, #blocked2>, i1) -> ()
    %5:2 = "ttng.tmem_alloc"() : () -> (!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>, !ttg.async.token)
    %6 = "ttng.tmem_alloc"(%arg14) : (tensor<128x128xf32, #blocked2>) -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory>
    %7 = "ttng.tmem_subslice"(%arg12) <{dim = 1 : i32, offset = 64 : i32}> : (!ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>) -> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable, 128x128>
    "ttng.tmem_copy"(%arg33, %arg12) : (!ttg.memdesc<128x128xi32, #shared3, #smem, mutable>, !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable>) -> ()
    "ttng.tmem_wait"() <{kind = 0 : i32}> : () -> ()
    %8 = "ttng.clc_load_result"(%arg18) : (!ttg.memdesc<2xi64, #shared, #smem, mutable>) -> i128
    %9 = "ttng.clc_is_canceled"(%arg19) : (i128) -> i1
    %10 = "ttng.clc_get_program_id"(%arg19) <{dim = 0 : i32}> : (i128) -> i32
    "ttng.clc_try_cancel"(%arg18, %arg6) : (!ttg.memdesc<2xi64, #shared, #smem, mutable>, !ttg.memdesc<1xi64, #shared, #smem, mutable>) -> ()
    %11 = "ttng.clc_try_cancel_sync"() : () -> tensor<2xi64, #blocked>
    %12 = "ttng.packed_arith"(%arg26, %arg26, %arg26) <{op_kind = 3 : i32}> : (tensor<256xf32, #blocked4>, tensor<256xf32, #blocked4>, tensor<256xf32, #blocked4>) -> tensor<256xf32, #blocked4>
    %13 = "ttng.reinterpret_tensor_descriptor"(%arg4) : (!tt.ptr<i32>) -> !tt.tensordesc<128x128xf16, #shared1>
    "ttng.tensormap_fenceproxy_acquire"(%arg4) : (!tt.ptr<i32>) -> ()
    "ttng.tensormap_create"(%arg4, %arg4, %arg5, %arg5, %arg5, %arg5, %arg9, %arg5, %arg5) <{elem_type = 1 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 2, 2, 1, 2>, swizzle_mode = 1 : i32}> : (!tt.ptr<i32>, !tt.ptr<i32>, i32, i32, i32, i32, i64, i32, i32) -> ()
    %14 = "tt.load"(%arg4) <{cachePolicy = #ttng.cache_policy<l1 = evict_first>, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<i32>) -> i32
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} : () -> ()
