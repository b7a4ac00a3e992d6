#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked2 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#shared1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#shared2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<32x32xf32, #blocked>, tensor<32x32xi32, #blocked>, tensor<32x32xi1, #blocked>, i32, tensor<32x32x!tt.ptr<f32>, #blocked>, tensor<32x32xi8, #blocked>, i1) -> (), sym_name = "f"}> ({
  ^bb0(%arg6: tensor<32x32xf32, #blocked>, %arg7: tensor<32x32xi32, #blocked>, %arg8: tensor<32x32xi1, #blocked>, %arg9: i32, %arg10: tensor<32x32x!tt.ptr<f32>, #blocked>, %arg11: tensor<32x32xi8, #blocked>, %arg12: i1):
    %3 = "ttg.local_alloc"() : () -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    %4 = "ttg.local_alloc"(%arg6) <{alignment = 16 : i32}> : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
    "ttg.local_store"(%arg6, %3) : (tensor<32x32xf32, #blocked>, !ttg.memdesc<32x32xf32, #shared, #smem, mutable>) -> ()
    %5 = "ttg.async_copy_global_to_local"(%arg10, %3, %arg8, %arg6) <{contiguity = 4 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 1, 1>}> : (tensor<32x32x!tt.ptr<f32>, #blocked>, !ttg.memdesc<32x32xf32, #shared, #smem, mutable>, tensor<32x32xi1, #blocked>, tensor<32x32xf32, #blocked>) -> !ttg.async.token
    %6 = "ttg.async_copy_global_to_local"(%arg10, %3) <{contiguity = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (tensor<32x32x!tt.ptr<f32>, #blocked>, !ttg.memdesc<32x32xf32, #shared, #smem, mutable>) -> !ttg.async.token
    %7 = "ttg.async_commit_group"(%5, %6) : (!ttg.async.token, !ttg.async.token) -> !ttg.async.token
    %8 = "ttg.async_commit_group"() : () -> !ttg.async.token
    %9 = "ttg.async_wait"(%7, %8) <{num = 2 : i32}> : (!ttg.async.token, !ttg.async.token) -> !ttg.async.token
    %10 = "ttg.async_wait"() <{num = 0 : i32}> : () -> !ttg.async.token
    %11 = "ttg.local_load"(%3, %9) : (!ttg.memdesc<32x32xf32, #shared, #smem, mutable>, !ttg.async.token) -> tensor<32x32xf32, #blocked>
    %12 = "ttg.local_gather"(%3, %arg7) <{axis = 0 : i32}> : (!ttg.memdesc<32x32xf32, #shared, #smem, mutable>, tensor<32x32xi32, #blocked>) -> tensor<32x32xf32, #blocked>
    "ttg.local_scatter"(%3, %arg6, %arg7) <{axis = 1 : i32}> : (!ttg.memdesc<32x32xf32, #shared, #smem, mutable>, tensor<32x32xf32, #blocked>, tensor<32x32xi32, #blocked>) -> ()
    %13 = "ttg.local_atomic_scatter_rmw"(%3, %arg6, %arg7, %arg8) <{atomic_rmw_op = 5 : i32, axis = 0 : i32}> : (!ttg.memdesc<32x32xf32, #shared, #smem, mutable>, tensor<32x32xf32, #blocked>, tensor<32x32xi32, #blocked>, tensor<32x32xi1, #blocked>) -> tensor<32x32xf32, #blocked>
    %14 = "ttg.local_alloc"() : () -> !ttg.memdesc<2x32x32xf32, #shared, #smem, mutable>
    %15 = "ttg.memdesc_index"(%14, %arg9) : (!ttg.memdesc<2x32x32xf32, #shared, #smem, mutable>, i32) -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    %16 = "ttg.memdesc_subslice"(%3) <{offsets = array<i32: 0, 16>}> : (!ttg.memdesc<32x32xf32, #shared, #smem, mutable>) -> !ttg.memdesc<32x16xf32, #shared, #smem, mutable, 32x32>
    %17 = "ttg.memdesc_trans"(%3) <{order = array<i32: 1, 0>}> : (!ttg.memdesc<32x32xf32, #shared, #smem, mutable>) -> !ttg.memdesc<32x32xf32, #shared1, #smem, mutable>
    %18 = "ttg.memdesc_reinterpret"(%3) : (!ttg.memdesc<32x32xf32, #shared, #smem, mutable>) -> !ttg.memdesc<2048xf16, #shared2, #smem, mutable>
    "ttg.local_dealloc"(%14) : (!ttg.memdesc<2x32x32xf32, #shared, #smem, mutable>) -> ()
    %19 = "ttg.fp4_to_fp"(%arg11) <{axis = 1 : i32}> : (tensor<32x32xi8, #blocked>) -> tensor<32x64xbf16, #blocked1>
    %20 = "ttg.convert_layout"(%arg6) <{force_warp_shuffle}> : (tensor<32x32xf32, #blocked>) -> tensor<32x32xf32, #blocked>
    %21 = "ttg.predicate_stage"(%arg9, %arg9, %arg9) <{maxStage = 2 : i32, stage = 1 : i32}> : (i32, i32, i32) -> i1
    %22 = "ttg.mask"(%arg12) ({
      %27 = "arith.constant"() <{value = 1 : i32}> : () -> i32
      "ttg.mask.return"(%27) : (i32) -> ()
    }) : (i1) -> i32
    "ttg.barrier"() <{addrSpace = 1 : i32}> : () -> ()
    "ttg.barrier"() <{addrSpace = 3 : i32}> : () -> ()
    "ttg.barrier"() <{addrSpace = 31 : i32}> : () -> ()
    "ttg.barrier"() <{addrSpace = 0 : i32}> : () -> ()
    %23 = "ttg.warp_id"() : () -> i32
    %24 = "ttg.warp_id"() <{omitUniformHint}> : () -> i32
    %25 = "ttg.global_scratch_alloc"() <{alignment = 4 : i32, nbytes = 16 : i32, third_party_allocation}> : () -> !tt.ptr<i8>
    %26 = "ttg.inline_asm"(%arg9) <{asm_string = "mov", constraints = "=r,r", pure = true}> : (i32) -> i32
    "tt.return"() : () -> ()
  }) : () -> ()
  "tt.func"() <{function_type = (i32, !ttg.memdesc<128xf32, #shared2, #smem, mutable>) -> (), sym_name = "ws"}> ({
  ^bb0(%arg0: i32, %arg1: !ttg.memdesc<128xf32, #shared2, #smem, mutable>):
    %0 = "ttg.warp_specialize"() <{partitionNumWarps = array<i32: 8, 4>, requestedRegisters = array<i32: 24, 80>}> ({
      %2 = "arith.addi"(%arg0, %arg0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "ttg.warp_yield"(%2) : (i32) -> ()
    }, {
      "ttg.warp_specialize.partitions"(%arg0, %arg1) ({
      ^bb0(%arg4: i32, %arg5: !ttg.memdesc<128xf32, #shared2, #smem, mutable>):
        %1 = "ttg.local_load"(%arg5) : (!ttg.memdesc<128xf32, #shared2, #smem, mutable>) -> tensor<128xf32, #blocked2>
        "ttg.warp_return"() : () -> ()
      }, {
      ^bb0(%arg2: i32, %arg3: !ttg.memdesc<128xf32, #shared2, #smem, mutable>):
        "ttg.warp_return"() : () -> ()
      }) : (i32, !ttg.memdesc<128xf32, #shared2, #smem, mutable>) -> ()
    }) : () -> i32
    "ttg.warp_specialize"() <{partitionNumWarps = array<i32>}> ({
      "ttg.warp_yield"() : () -> ()
    }, {
      "ttg.warp_specialize.partitions"() : () -> ()
    }) : () -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} : () -> ()
