#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%arg0: tensor<128x!tt.ptr<f32>, #blocked>, %arg1: tensor<128xf32, #blocked>, %arg2: tensor<128xi1, #blocked>, %arg3: tensor<128xi32, #blocked>, %arg4: !tt.ptr<i32>, %arg5: i32, %arg6: tensor<1xf32, #blocked>, %arg7: tensor<16x16xf32, #blocked1>, %arg8: tensor<128xf16, #blocked>, %arg9: i64) {
    %0 = tt.approx_divf %arg1, %arg1 : tensor<128xf32, #blocked>
    %1 = tt.cat %arg1, %arg1 : tensor<128xf32, #blocked> -> tensor<256xf32, #blocked>
    %2 = tt.unsplat %arg6 : tensor<1xf32, #blocked>
    tt.grid_dependency_wait
    tt.grid_dependency_launch_dependents
    %3 = "tt.map_elementwise"(%arg1, %arg1) <{pack = 1 : i32}> ({
    ^bb0(%arg10: f32, %arg11: f32):
      tt.map_elementwise.return %arg10 : f32
    }) : (tensor<128xf32, #blocked>, tensor<128xf32, #blocked>) -> tensor<128xf32, #blocked>
    %4 = tt.fp_to_fp %arg1, rounding = rtne : tensor<128xf32, #blocked> -> tensor<128xf16, #blocked>
    %5 = tt.clampf %arg1, %arg1, %arg1, propagateNan = none : tensor<128xf32, #blocked>
    %6 = tt.extern_elementwise %arg1 {libname = "a", libpath = "b", pure = true, symbol = "c"} : (tensor<128xf32, #blocked>) -> tensor<128xf32, #blocked>
    %7 = tt.elementwise_inline_asm "a" {constraints = "b", packed_element = 1 : i32, pure = true} %arg1 : tensor<128xf32, #blocked> -> tensor<128xf32, #blocked>
    %8 = tt.int_to_ptr %arg9 : i64 -> !tt.ptr<f32>
    %9 = tt.ptr_to_int %arg4 : !tt.ptr<i32> -> i64
    %10 = tt.mulhiui %arg3, %arg3 : tensor<128xi32, #blocked>
    %11 = tt.gather %arg1[%arg3] {axis = 0 : i32} : (tensor<128xf32, #blocked>, tensor<128xi32, #blocked>) -> tensor<128xf32, #blocked>
    %12 = tt.gather %arg1[%arg3] {axis = 0 : i32, efficient_layout} : (tensor<128xf32, #blocked>, tensor<128xi32, #blocked>) -> tensor<128xf32, #blocked>
    %13 = tt.histogram %arg3, %arg2 : tensor<128xi32, #blocked> -> tensor<128xi32, #blocked>
    tt.assert %arg2, "x" : tensor<128xi1, #blocked>
    %14 = tt.atomic_rmw fadd, relaxed, gpu, %arg0, %arg1, %arg2 : (tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xf32, #blocked>, tensor<128xi1, #blocked>) -> tensor<128xf32, #blocked>
    %15 = tt.call @g(%arg5) : (i32) -> i32
    %c1_i64 = arith.constant 1 : i64
    %16 = tt.make_tensor_descriptor %arg4, [%arg5, %arg5], [%c1_i64, %c1_i64] : <i32>, <16x16xi32>
    %17 = tt.make_tensor_descriptor %arg4, [%arg5, %arg5], [%c1_i64, %c1_i64] {padding = 2 : i32} : <i32>, <16x16xi32>
    %18 = tt.descriptor_load %16[%arg5, %arg5] : !tt.tensordesc<16x16xi32> -> tensor<16x16xi32, #blocked1>
    tt.descriptor_store %16[%arg5, %arg5], %18 : !tt.tensordesc<16x16xi32>, tensor<16x16xi32, #blocked1>
    tt.descriptor_reduce add, %16[%arg5, %arg5], %18 : !tt.tensordesc<16x16xi32>, tensor<16x16xi32, #blocked1>
    %19 = tt.descriptor_load %16[%arg5, %arg5] {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : !tt.tensordesc<16x16xi32> -> tensor<16x16xi32, #blocked1>
    %20 = tt.splat %arg4 : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #blocked>
    %21 = tt.atomic_load relaxed, gpu, %20, %arg2 : (tensor<128x!tt.ptr<i32>, #blocked>, tensor<128xi1, #blocked>) -> tensor<128xi32, #blocked>
    tt.atomic_store release, gpu, %20, %arg3, %arg2 : tensor<128x!tt.ptr<i32>, #blocked>
    %22 = tt.atomic_poll acquire, sys, %arg4, %arg5 timeout %arg9 : !tt.ptr<i32>, i32 -> i1
    %23 = tt.atomic_poll acquire, gpu, %arg4, %arg5 : !tt.ptr<i32>, i32 -> i1
    %24 = tt.atomic_cas acq_rel, cta, %arg4, %arg5, %arg5 : (!tt.ptr<i32>, i32, i32) -> i32
    %25 = tt.load %20, %arg2, %arg3 {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>, isVolatile = true} : tensor<128x!tt.ptr<i32>, #blocked>
    tt.store %20, %arg3, %arg2 {cachePolicy = #tt.cache_policy<cache_modifier = wb, eviction_policy = evict_first>, ignore_cta} : tensor<128x!tt.ptr<i32>, #blocked>
    %26 = tt.bitcast %arg4 : !tt.ptr<i32> -> !tt.ptr<f32>
    tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %arg3 : tensor<128xi32, #blocked>
    %27 = "tt.scan"(%arg1) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%arg10: f32, %arg11: f32):
      %30 = arith.addf %arg10, %arg11 : f32
      tt.scan.return %30 : f32
    }) : (tensor<128xf32, #blocked>) -> tensor<128xf32, #blocked>
    %28 = tt.fp_to_fp %arg7, rounding = rtne : tensor<16x16xf32, #blocked1> -> tensor<16x16xf8E4M3FN, #blocked1>
    %29 = tt.dot_scaled %28, %28, %arg7 lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x16xf8E4M3FN, #blocked1> * tensor<16x16xf8E4M3FN, #blocked1> -> tensor<16x16xf32, #blocked1>
    tt.return
  }
  tt.func private @g(%arg0: i32) -> i32 {
    tt.return %arg0 : i32
  }
}
