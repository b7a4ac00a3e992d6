#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked2 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [8], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#shared1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#shared2 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: tensor<32x32xf32, #blocked>, %arg1: tensor<32x32xi32, #blocked>, %arg2: tensor<32x32xi1, #blocked>, %arg3: i32, %arg4: tensor<32x32x!tt.ptr<f32>, #blocked>, %arg5: tensor<32x32xi8, #blocked>, %arg6: i1) {
    %0 = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    %1 = ttg.local_alloc %arg0 {alignment = 16 : i32} : (tensor<32x32xf32, #blocked>) -> !ttg.memdesc<32x32xf32, #shared, #smem>
    ttg.local_store %arg0, %0 : tensor<32x32xf32, #blocked> -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    %2 = ttg.async_copy_global_to_local %arg4, %0 mask %arg2 other %arg0 {contiguity = 4 : i32} : tensor<32x32x!tt.ptr<f32>, #blocked> -> <32x32xf32, #shared, #smem, mutable>
    %3 = ttg.async_copy_global_to_local %arg4, %0 : tensor<32x32x!tt.ptr<f32>, #blocked> -> <32x32xf32, #shared, #smem, mutable>
    %4 = ttg.async_commit_group tokens %2, %3
    %5 = ttg.async_commit_group
    %6 = ttg.async_wait %4, %5 {num = 2 : i32}
    %7 = ttg.async_wait {num = 0 : i32}
    %8 = ttg.local_load %0 token %6 : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> tensor<32x32xf32, #blocked>
    %9 = ttg.local_gather %0[%arg1] {axis = 0 : i32} : !ttg.memdesc<32x32xf32, #shared, #smem, mutable>, tensor<32x32xi32, #blocked> -> tensor<32x32xf32, #blocked>
    ttg.local_scatter %0[%arg1], %arg0 {axis = 1 : i32} : !ttg.memdesc<32x32xf32, #shared, #smem, mutable>, tensor<32x32xi32, #blocked>, tensor<32x32xf32, #blocked>
    %10 = ttg.local_atomic_scatter_rmw fadd, %0[%arg1], %arg0, %arg2 {axis = 0 : i32} : (!ttg.memdesc<32x32xf32, #shared, #smem, mutable>, tensor<32x32xf32, #blocked>, tensor<32x32xi32, #blocked>, tensor<32x32xi1, #blocked>) -> tensor<32x32xf32, #blocked>
    %11 = ttg.local_alloc : () -> !ttg.memdesc<2x32x32xf32, #shared, #smem, mutable>
    %12 = ttg.memdesc_index %11[%arg3] : !ttg.memdesc<2x32x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<32x32xf32, #shared, #smem, mutable>
    %13 = ttg.memdesc_subslice %0[0, 16] : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<32x16xf32, #shared, #smem, mutable, 32x32>
    %14 = ttg.memdesc_trans %0 {order = array<i32: 1, 0>} : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<32x32xf32, #shared1, #smem, mutable>
    %15 = ttg.memdesc_reinterpret %0 : !ttg.memdesc<32x32xf32, #shared, #smem, mutable> -> !ttg.memdesc<2048xf16, #shared2, #smem, mutable>
    ttg.local_dealloc %11 : !ttg.memdesc<2x32x32xf32, #shared, #smem, mutable>
    %16 = ttg.fp4_to_fp %arg5 {axis = 1 : i32} : tensor<32x32xi8, #blocked> -> tensor<32x64xbf16, #blocked1>
    %17 = ttg.convert_layout %arg0 {force_warp_shuffle} : tensor<32x32xf32, #blocked> -> tensor<32x32xf32, #blocked>
    %18 = ttg.predicate_stage %arg3, %arg3, %arg3 maxStage 2 stage 1 : i32 -> i1
    %19 = "ttg.mask"(%arg6) ({
      %c1_i32 = arith.constant 1 : i32
      ttg.mask.return %c1_i32 : i32
    }) : (i1) -> i32
    ttg.barrier local
    ttg.barrier local|global_read
    ttg.barrier all
    ttg.barrier none
    %20 = ttg.warp_id
    %21 = ttg.warp_id {omitUniformHint}
    %22 = ttg.global_scratch_alloc {alignment = 4 : i32, nbytes = 16 : i32, third_party_allocation} : !tt.ptr<i8>
    %23 = ttg.inline_asm "mov" {constraints = "=r,r", pure = true} %arg3 : (i32) -> i32
    tt.return
  }
  tt.func @ws(%arg0: i32, %arg1: !ttg.memdesc<128xf32, #shared2, #smem, mutable>) {
    %0 = ttg.warp_specialize(%arg0, %arg1) attributes {requestedRegisters = array<i32: 24, 80>}
    default {
      %1 = arith.addi %arg0, %arg0 : i32
      ttg.warp_yield %1 : i32
    }
    partition0(%arg2: i32, %arg3: !ttg.memdesc<128xf32, #shared2, #smem, mutable>) num_warps(8) {
      %1 = ttg.local_load %arg3 : !ttg.memdesc<128xf32, #shared2, #smem, mutable> -> tensor<128xf32, #blocked2>
      ttg.warp_return
    }
    partition1(%arg2: i32, %arg3: !ttg.memdesc<128xf32, #shared2, #smem, mutable>) num_warps(4) {
      ttg.warp_return
    } : (i32, !ttg.memdesc<128xf32, #shared2, #smem, mutable>) -> i32
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    } : () -> ()
    tt.return
  }
}
