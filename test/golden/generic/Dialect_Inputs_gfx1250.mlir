#blocked = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [8, 64]}>
#shared1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#shared2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
"builtin.module"() ({
  "tt.func"() <{function_type = (!tt.tensordesc<8x64xf16, #shared>, !ttg.memdesc<8x64xf16, #shared, #smem, mutable>, !tt.tensordesc<8x64xf16>, !ttg.memdesc<8x64xf16, #shared1, #smem, mutable>, tensor<8xi32, #ttg.slice<{dim = 1, parent = #blocked}>>, i32, i1, !ttg.memdesc<1xi64, #shared2, #smem, mutable>) -> (), sym_name = "tdm"}> ({
  ^bb0(%arg6: !tt.tensordesc<8x64xf16, #shared>, %arg7: !ttg.memdesc<8x64xf16, #shared, #smem, mutable>, %arg8: !tt.tensordesc<8x64xf16>, %arg9: !ttg.memdesc<8x64xf16, #shared1, #smem, mutable>, %arg10: tensor<8xi32, #ttg.slice<{dim = 1, parent = #blocked}>>, %arg11: i32, %arg12: i1, %arg13: !ttg.memdesc<1xi64, #shared2, #smem, mutable>):
    %4 = "amdg.async_tdm_copy_global_to_local"(%arg6, %arg7) <{cache = 1 : i32}> : (!tt.tensordesc<8x64xf16, #shared>, !ttg.memdesc<8x64xf16, #shared, #smem, mutable>) -> !ttg.async.token
    %5 = "amdg.async_tdm_copy_global_to_local"(%arg8, %arg9, %arg13) <{cache = 1 : i32, warp_used_hint = 3 : i32}> : (!tt.tensordesc<8x64xf16>, !ttg.memdesc<8x64xf16, #shared1, #smem, mutable>, !ttg.memdesc<1xi64, #shared2, #smem, mutable>) -> !ttg.async.token
    %6 = "amdg.async_tdm_copy_local_to_global"(%arg8, %arg9) <{cache = 1 : i32}> : (!tt.tensordesc<8x64xf16>, !ttg.memdesc<8x64xf16, #shared1, #smem, mutable>) -> !ttg.async.token
    %7 = "amdg.async_tdm_gather"(%arg6, %arg10, %arg7) : (!tt.tensordesc<8x64xf16, #shared>, tensor<8xi32, #ttg.slice<{dim = 1, parent = #blocked}>>, !ttg.memdesc<8x64xf16, #shared, #smem, mutable>) -> !ttg.async.token
    %8 = "amdg.async_tdm_scatter"(%arg8, %arg10, %arg9) : (!tt.tensordesc<8x64xf16>, tensor<8xi32, #ttg.slice<{dim = 1, parent = #blocked}>>, !ttg.memdesc<8x64xf16, #shared1, #smem, mutable>) -> !ttg.async.token
    %9 = "amdg.async_tdm_fused_copy_global_to_local"(%arg8, %arg8, %arg9, %arg9) <{cache = 1 : i32, warp_used_hints = array<i32: 3, 12>}> : (!tt.tensordesc<8x64xf16>, !tt.tensordesc<8x64xf16>, !ttg.memdesc<8x64xf16, #shared1, #smem, mutable>, !ttg.memdesc<8x64xf16, #shared1, #smem, mutable>) -> !ttg.async.token
    %10 = "amdg.update_tensor_descriptor"(%arg8, %arg11, %arg11, %arg11, %arg11, %arg11) <{operandSegmentSizes = array<i32: 1, 2, 2, 1>}> : (!tt.tensordesc<8x64xf16>, i32, i32, i32, i32, i32) -> !tt.tensordesc<8x64xf16>
    %11 = "amdg.tdm_prefetch"(%arg8, %arg11, %arg11, %arg12) <{returnOffsets, speculative = false}> : (!tt.tensordesc<8x64xf16>, i32, i32, i1) -> tensor<8x1xi64, #blocked1>
    "amdg.tdm_prefetch"(%arg8, %arg11, %arg11, %arg12) <{speculative = true}> : (!tt.tensordesc<8x64xf16>, i32, i32, i1) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
  "tt.func"() <{function_type = (tensor<4x512xbf16>, tensor<4x16xi8>, !llvm.ptr, f32, i1, i32) -> (), sym_name = "narrow"}> ({
  ^bb0(%arg0: tensor<4x512xbf16>, %arg1: tensor<4x16xi8>, %arg2: !llvm.ptr, %arg3: f32, %arg4: i1, %arg5: i32):
    %0 = "amdg.scaled_downcast_fp4"(%arg0, %arg1) <{axis = 1 : i32}> : (tensor<4x512xbf16>, tensor<4x16xi8>) -> tensor<4x256xi8>
    %1 = "amdg.scaled_downcast_fp8"(%arg0, %arg1) <{axis = 1 : i32}> : (tensor<4x512xbf16>, tensor<4x16xi8>) -> tensor<4x512xf8E4M3FN>
    %2 = "amdg.masked_load"(%arg2, %arg4, %arg3) <{cache = 1 : i32, forceNoAlias = false, isVolatile = false}> : (!llvm.ptr, i1, f32) -> f32
    %3 = "amdg.masked_load"(%arg2, %arg4, %arg3, %arg5) <{cache = 2 : i32, forceNoAlias = true, isVolatile = true}> : (!llvm.ptr, i1, f32, i32) -> f32
    "amdg.masked_store"(%arg2, %arg3, %arg4) <{cache = 2 : i32, forceNoAlias = true}> : (!llvm.ptr, f32, i1) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} : () -> ()
