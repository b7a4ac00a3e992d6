#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xf32, #blocked>, tensor<128xi1, #blocked>, tensor<128xi32, #blocked>, !tt.ptr<i32>, i32, tensor<1xf32, #blocked>, tensor<16x16xf32, #blocked1>, tensor<128xf16, #blocked>, i64) -> (), sym_name = "f"}> ({
  ^bb0(%arg1: tensor<128x!tt.ptr<f32>, #blocked>, %arg2: tensor<128xf32, #blocked>, %arg3: tensor<128xi1, #blocked>, %arg4: tensor<128xi32, #blocked>, %arg5: !tt.ptr<i32>, %arg6: i32, %arg7: tensor<1xf32, #blocked>, %arg8: tensor<16x16xf32, #blocked1>, %arg9: tensor<128xf16, #blocked>, %arg10: i64):
    %0 = "tt.approx_divf"(%arg2, %arg2) : (tensor<128xf32, #blocked>, tensor<128xf32, #blocked>) -> tensor<128xf32, #blocked>
    %1 = "tt.cat"(%arg2, %arg2) : (tensor<128xf32, #blocked>, tensor<128xf32, #blocked>) -> tensor<256xf32, #blocked>
    %2 = "tt.unsplat"(%arg7) : (tensor<1xf32, #blocked>) -> f32
    "tt.grid_dependency_wait"() : () -> ()
    "tt.grid_dependency_launch_dependents"() : () -> ()
    %3 = "tt.map_elementwise"(%arg2, %arg2) <{pack = 1 : i32}> ({
    ^bb0(%arg13: f32, %arg14: f32):
      "tt.map_elementwise.return"(%arg13) : (f32) -> ()
    }) : (tensor<128xf32, #blocked>, tensor<128xf32, #blocked>) -> tensor<128xf32, #blocked>
    %4 = "tt.fp_to_fp"(%arg2) <{rounding = 1 : i32}> : (tensor<128xf32, #blocked>) -> tensor<128xf16, #blocked>
    %5 = "tt.clampf"(%arg2, %arg2, %arg2) <{propagateNan = 0 : i32}> : (tensor<128xf32, #blocked>, tensor<128xf32, #blocked>, tensor<128xf32, #blocked>) -> tensor<128xf32, #blocked>
    %6 = "tt.extern_elementwise"(%arg2) <{libname = "a", libpath = "b", pure = true, symbol = "c"}> : (tensor<128xf32, #blocked>) -> tensor<128xf32, #blocked>
    %7 = "tt.elementwise_inline_asm"(%arg2) <{asm_string = "a", constraints = "b", packed_element = 1 : i32, pure = true}> : (tensor<128xf32, #blocked>) -> tensor<128xf32, #blocked>
    %8 = "tt.int_to_ptr"(%arg10) : (i64) -> !tt.ptr<f32>
    %9 = "tt.ptr_to_int"(%arg5) : (!tt.ptr<i32>) -> i64
    %10 = "tt.mulhiui"(%arg4, %arg4) : (tensor<128xi32, #blocked>, tensor<128xi32, #blocked>) -> tensor<128xi32, #blocked>
    %11 = "tt.gather"(%arg2, %arg4) <{axis = 0 : i32}> : (tensor<128xf32, #blocked>, tensor<128xi32, #blocked>) -> tensor<128xf32, #blocked>
    %12 = "tt.gather"(%arg2, %arg4) <{axis = 0 : i32, efficient_layout}> : (tensor<128xf32, #blocked>, tensor<128xi32, #blocked>) -> tensor<128xf32, #blocked>
    %13 = "tt.histogram"(%arg4, %arg3) : (tensor<128xi32, #blocked>, tensor<128xi1, #blocked>) -> tensor<128xi32, #blocked>
    "tt.assert"(%arg3) <{message = "x"}> : (tensor<128xi1, #blocked>) -> ()
    %14 = "tt.atomic_rmw"(%arg1, %arg2, %arg3) <{atomic_rmw_op = 5 : i32, scope = 1 : i32, sem = 1 : i32}> : (tensor<128x!tt.ptr<f32>, #blocked>, tensor<128xf32, #blocked>, tensor<128xi1, #blocked>) -> tensor<128xf32, #blocked>
    %15 = "tt.call"(%arg6) <{callee = @g}> : (i32) -> i32
    %16 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %17 = "tt.make_tensor_descriptor"(%arg5, %arg6, %arg6, %16, %16) <{padding = 1 : i32}> : (!tt.ptr<i32>, i32, i32, i64, i64) -> !tt.tensordesc<16x16xi32>
    %18 = "tt.make_tensor_descriptor"(%arg5, %arg6, %arg6, %16, %16) <{padding = 2 : i32}> : (!tt.ptr<i32>, i32, i32, i64, i64) -> !tt.tensordesc<16x16xi32>
    %19 = "tt.descriptor_load"(%17, %arg6, %arg6) : (!tt.tensordesc<16x16xi32>, i32, i32) -> tensor<16x16xi32, #blocked1>
    "tt.descriptor_store"(%17, %19, %arg6, %arg6) : (!tt.tensordesc<16x16xi32>, tensor<16x16xi32, #blocked1>, i32, i32) -> ()
    "tt.descriptor_reduce"(%17, %19, %arg6, %arg6) <{kind = 1 : i32}> : (!tt.tensordesc<16x16xi32>, tensor<16x16xi32, #blocked1>, i32, i32) -> ()
    %20 = "tt.descriptor_load"(%17, %arg6, %arg6) <{cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>}> : (!tt.tensordesc<16x16xi32>, i32, i32) -> tensor<16x16xi32, #blocked1>
    %21 = "tt.splat"(%arg5) : (!tt.ptr<i32>) -> tensor<128x!tt.ptr<i32>, #blocked>
    %22 = "tt.atomic_load"(%21, %arg3) <{scope = 1 : i32, sem = 1 : i32}> : (tensor<128x!tt.ptr<i32>, #blocked>, tensor<128xi1, #blocked>) -> tensor<128xi32, #blocked>
    "tt.atomic_store"(%21, %arg4, %arg3) <{scope = 1 : i32, sem = 3 : i32}> : (tensor<128x!tt.ptr<i32>, #blocked>, tensor<128xi32, #blocked>, tensor<128xi1, #blocked>) -> ()
    %23 = "tt.atomic_poll"(%arg5, %arg6, %arg10) <{scope = 3 : i32, sem = 2 : i32}> : (!tt.ptr<i32>, i32, i64) -> i1
    %24 = "tt.atomic_poll"(%arg5, %arg6) <{scope = 1 : i32, sem = 2 : i32}> : (!tt.ptr<i32>, i32) -> i1
    %25 = "tt.atomic_cas"(%arg5, %arg6, %arg6) <{scope = 2 : i32, sem = 4 : i32}> : (!tt.ptr<i32>, i32, i32) -> i32
    %26 = "tt.load"(%21, %arg3, %arg4) <{cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>, isVolatile = true, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<128x!tt.ptr<i32>, #blocked>, tensor<128xi1, #blocked>, tensor<128xi32, #blocked>) -> tensor<128xi32, #blocked>
    "tt.store"(%21, %arg4, %arg3) <{cachePolicy = #tt.cache_policy<cache_modifier = wb, eviction_policy = evict_first>, ignore_cta}> : (tensor<128x!tt.ptr<i32>, #blocked>, tensor<128xi32, #blocked>, tensor<128xi1, #blocked>) -> ()
    %27 = "tt.bitcast"(%arg5) : (!tt.ptr<i32>) -> !tt.ptr<f32>
    "tt.print"(%arg4) <{hex = false, isSigned = array<i32: 1>, prefix = " x: "}> : (tensor<128xi32, #blocked>) -> ()
    %28 = "tt.scan"(%arg2) <{axis = 0 : i32, reverse = true}> ({
    ^bb0(%arg11: f32, %arg12: f32):
      %31 = "arith.addf"(%arg11, %arg12) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tt.scan.return"(%31) : (f32) -> ()
    }) : (tensor<128xf32, #blocked>) -> tensor<128xf32, #blocked>
    %29 = "tt.fp_to_fp"(%arg8) <{rounding = 1 : i32}> : (tensor<16x16xf32, #blocked1>) -> tensor<16x16xf8E4M3FN, #blocked1>
    %30 = "tt.dot_scaled"(%29, %29, %arg8) <{a_elem_type = 0 : i32, b_elem_type = 0 : i32, fastMath = false, lhs_k_pack = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, rhs_k_pack = true}> : (tensor<16x16xf8E4M3FN, #blocked1>, tensor<16x16xf8E4M3FN, #blocked1>, tensor<16x16xf32, #blocked1>) -> tensor<16x16xf32, #blocked1>
    "tt.return"() : () -> ()
  }) : () -> ()
  "tt.func"() <{function_type = (i32) -> i32, sym_name = "g", sym_visibility = "private"}> ({
  ^bb0(%arg0: i32):
    "tt.return"(%arg0) : (i32) -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} : () -> ()
