#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%arg0: !tt.ptr<i32>, %arg1: tensor<1024xi32, #blocked>, %arg2: tensor<1024xi1, #blocked>, %arg3: !ttg.memdesc<1024xi32, #shared, #smem, mutable>, %arg4: i32, %arg5: tensor<128x128xf16, #blocked1>, %arg6: i1, %arg7: !ttg.async.token, %arg8: tensor<1024x!tt.ptr<i32>, #blocked>) {
    %0 = amdg.buffer_load_to_local %arg0[%arg1] mask = %arg2 other = %arg1 stride = %arg4 into %arg3 : !tt.ptr<i32>[tensor<1024xi32, #blocked>] tensor<1024xi32, #blocked> -> <1024xi32, #shared, #smem, mutable>
    %1 = amdg.buffer_load_to_local %arg0[%arg1] into %arg3 : !tt.ptr<i32>[tensor<1024xi32, #blocked>]  -> <1024xi32, #shared, #smem, mutable>
    %2 = amdg.buffer_atomic_cas relaxed, gpu, %arg1, %arg1, %arg0[%arg1] stride = %arg4 : !tt.ptr<i32> -> tensor<1024xi32, #blocked>
    %3 = amdg.buffer_load %arg0[%arg1], %arg2, %arg1 stride = %arg4 {contiguity = 4 : i32} : !tt.ptr<i32> -> tensor<1024xi32, #blocked>
    %4 = amdg.buffer_load %arg0[%arg1] {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : !tt.ptr<i32> -> tensor<1024xi32, #blocked>
    amdg.buffer_store %arg1, %arg0[%arg1], %arg2 stride = %arg4 : !tt.ptr<i32> -> tensor<1024xi32, #blocked>
    amdg.buffer_store %arg1, %arg0[%arg1] : !tt.ptr<i32> -> tensor<1024xi32, #blocked>
    %5 = amdg.buffer_atomic_rmw add, relaxed, gpu, %arg1, %arg0[%arg1], %arg2 stride = %arg4 : !tt.ptr<i32> -> tensor<1024xi32, #blocked>
    %6 = amdg.extract_slice %arg5 [0, 0] : tensor<128x128xf16, #blocked1> to tensor<64x128xf16, #blocked1>
    %7 = amdg.concat %arg5, %arg5 : tensor<128x128xf16, #blocked1>, tensor<128x128xf16, #blocked1> -> tensor<256x128xf16, #blocked1>
    %8 = amdg.async_wait %arg7 {num_inst = 1 : i32}
    amdg.cond_barrier %arg6
    %9 = amdg.async_copy_local_to_global %arg3, %arg8 mask %arg2 : !ttg.memdesc<1024xi32, #shared, #smem, mutable> -> tensor<1024x!tt.ptr<i32>, #blocked>
    tt.return
  }
}
