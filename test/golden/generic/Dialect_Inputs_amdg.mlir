#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
"builtin.module"() ({
  "tt.func"() <{function_type = (!tt.ptr<i32>, tensor<1024xi32, #blocked>, tensor<1024xi1, #blocked>, !ttg.memdesc<1024xi32, #shared, #smem, mutable>, i32, tensor<128x128xf16, #blocked1>, i1, !ttg.async.token, tensor<1024x!tt.ptr<i32>, #blocked>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: !tt.ptr<i32>, %arg1: tensor<1024xi32, #blocked>, %arg2: tensor<1024xi1, #blocked>, %arg3: !ttg.memdesc<1024xi32, #shared, #smem, mutable>, %arg4: i32, %arg5: tensor<128x128xf16, #blocked1>, %arg6: i1, %arg7: !ttg.async.token, %arg8: tensor<1024x!tt.ptr<i32>, #blocked>):
    %0 = "amdg.buffer_load_to_local"(%arg3, %arg0, %arg1, %arg2, %arg1, %arg4) <{contiguity = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1>}> : (!ttg.memdesc<1024xi32, #shared, #smem, mutable>, !tt.ptr<i32>, tensor<1024xi32, #blocked>, tensor<1024xi1, #blocked>, tensor<1024xi32, #blocked>, i32) -> !ttg.async.token
    %1 = "amdg.buffer_load_to_local"(%arg3, %arg0, %arg1) <{contiguity = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}> : (!ttg.memdesc<1024xi32, #shared, #smem, mutable>, !tt.ptr<i32>, tensor<1024xi32, #blocked>) -> !ttg.async.token
    %2 = "amdg.buffer_atomic_cas"(%arg0, %arg1, %arg1, %arg1, %arg4) <{scope = 1 : i32, sem = 1 : i32}> : (!tt.ptr<i32>, tensor<1024xi32, #blocked>, tensor<1024xi32, #blocked>, tensor<1024xi32, #blocked>, i32) -> tensor<1024xi32, #blocked>
    %3 = "amdg.buffer_load"(%arg0, %arg1, %arg4, %arg2, %arg1) <{contiguity = 4 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> : (!tt.ptr<i32>, tensor<1024xi32, #blocked>, i32, tensor<1024xi1, #blocked>, tensor<1024xi32, #blocked>) -> tensor<1024xi32, #blocked>
    %4 = "amdg.buffer_load"(%arg0, %arg1) <{cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>, contiguity = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> : (!tt.ptr<i32>, tensor<1024xi32, #blocked>) -> tensor<1024xi32, #blocked>
    "amdg.buffer_store"(%arg1, %arg0, %arg1, %arg4, %arg2) <{contiguity = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}> : (tensor<1024xi32, #blocked>, !tt.ptr<i32>, tensor<1024xi32, #blocked>, i32, tensor<1024xi1, #blocked>) -> ()
    "amdg.buffer_store"(%arg1, %arg0, %arg1) <{contiguity = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<1024xi32, #blocked>, !tt.ptr<i32>, tensor<1024xi32, #blocked>) -> ()
    %5 = "amdg.buffer_atomic_rmw"(%arg0, %arg1, %arg1, %arg4, %arg2) <{atomic_rmw_op = 4 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>, scope = 1 : i32, sem = 1 : i32}> : (!tt.ptr<i32>, tensor<1024xi32, #blocked>, tensor<1024xi32, #blocked>, i32, tensor<1024xi1, #blocked>) -> tensor<1024xi32, #blocked>
    %6 = "amdg.extract_slice"(%arg5) <{static_offsets = array<i64: 0, 0>}> : (tensor<128x128xf16, #blocked1>) -> tensor<64x128xf16, #blocked1>
    %7 = "amdg.concat"(%arg5, %arg5) : (tensor<128x128xf16, #blocked1>, tensor<128x128xf16, #blocked1>) -> tensor<256x128xf16, #blocked1>
    %8 = "amdg.async_wait"(%arg7) <{num_inst = 1 : i32}> : (!ttg.async.token) -> !ttg.async.token
    "amdg.cond_barrier"(%arg6) : (i1) -> ()
    %9 = "amdg.async_copy_local_to_global"(%arg3, %arg8, %arg2) <{contiguity = 1 : i32}> : (!ttg.memdesc<1024xi32, #shared, #smem, mutable>, tensor<1024x!tt.ptr<i32>, #blocked>, tensor<1024xi1, #blocked>) -> !ttg.async.token
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} : () -> ()
