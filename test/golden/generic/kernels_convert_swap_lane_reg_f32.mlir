#linear = #ttg.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
#linear1 = #ttg.linear<{register = [[0, 8], [0, 16], [1, 0]], lane = [[0, 1], [0, 2], [0, 4], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {}, {}], function_type = (!tt.ptr<f32>, !tt.ptr<f32>, f32, i32) -> (), sym_name = "k", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<f32>, %arg2: f32, %arg3: i32):
    %0 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %1 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %2 = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i32
    %3 = "arith.constant"() <{value = 1024 : i32}> : () -> i32
    %4 = "arith.muli"(%2, %3) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %5 = "tt.addptr"(%arg0, %4) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>
    %6 = "tt.addptr"(%arg1, %4) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>
    %7 = "tt.make_range"() <{end = 32 : i32, start = 0 : i32}> : () -> tensor<32xi32, #ttg.slice<{dim = 1, parent = #linear}>>
    %8 = "tt.make_range"() <{end = 32 : i32, start = 0 : i32}> : () -> tensor<32xi32, #ttg.slice<{dim = 0, parent = #linear}>>
    %9 = "tt.expand_dims"(%7) <{axis = 1 : i32}> : (tensor<32xi32, #ttg.slice<{dim = 1, parent = #linear}>>) -> tensor<32x1xi32, #linear>
    %10 = "tt.expand_dims"(%8) <{axis = 0 : i32}> : (tensor<32xi32, #ttg.slice<{dim = 0, parent = #linear}>>) -> tensor<1x32xi32, #linear>
    %11 = "arith.constant"() <{value = dense<32> : tensor<32x1xi32, #linear>}> : () -> tensor<32x1xi32, #linear>
    %12 = "arith.muli"(%9, %11) <{overflowFlags = #arith.overflow<none>}> : (tensor<32x1xi32, #linear>, tensor<32x1xi32, #linear>) -> tensor<32x1xi32, #linear>
    %13 = "tt.broadcast"(%12) : (tensor<32x1xi32, #linear>) -> tensor<32x32xi32, #linear>
    %14 = "tt.broadcast"(%10) : (tensor<1x32xi32, #linear>) -> tensor<32x32xi32, #linear>
    %15 = "arith.addi"(%13, %14) <{overflowFlags = #arith.overflow<none>}> : (tensor<32x32xi32, #linear>, tensor<32x32xi32, #linear>) -> tensor<32x32xi32, #linear>
    %16 = "tt.splat"(%5) : (!tt.ptr<f32>) -> tensor<32x32x!tt.ptr<f32>, #linear>
    %17 = "tt.splat"(%6) : (!tt.ptr<f32>) -> tensor<32x32x!tt.ptr<f32>, #linear>
    %18 = "tt.addptr"(%16, %15) : (tensor<32x32x!tt.ptr<f32>, #linear>, tensor<32x32xi32, #linear>) -> tensor<32x32x!tt.ptr<f32>, #linear>
    %19 = "tt.addptr"(%17, %15) : (tensor<32x32x!tt.ptr<f32>, #linear>, tensor<32x32xi32, #linear>) -> tensor<32x32x!tt.ptr<f32>, #linear>
    %20 = "tt.load"(%18) <{isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<32x32x!tt.ptr<f32>, #linear>) -> tensor<32x32xf32, #linear>
    %21 = "tt.splat"(%arg2) : (f32) -> tensor<32x32xf32, #linear>
    %22 = "tt.splat"(%arg2) : (f32) -> tensor<32x32xf32, #linear1>
    %23 = "scf.for"(%0, %arg3, %1, %20) ({
    ^bb0(%arg4: i32, %arg5: tensor<32x32xf32, #linear>):
      %24 = "ttg.convert_layout"(%arg5) : (tensor<32x32xf32, #linear>) -> tensor<32x32xf32, #linear1>
      %25 = "arith.addf"(%24, %22) <{fastmath = #arith.fastmath<none>}> : (tensor<32x32xf32, #linear1>, tensor<32x32xf32, #linear1>) -> tensor<32x32xf32, #linear1>
      %26 = "ttg.convert_layout"(%25) : (tensor<32x32xf32, #linear1>) -> tensor<32x32xf32, #linear>
      %27 = "arith.addf"(%26, %21) <{fastmath = #arith.fastmath<none>}> : (tensor<32x32xf32, #linear>, tensor<32x32xf32, #linear>) -> tensor<32x32xf32, #linear>
      "scf.yield"(%27) : (tensor<32x32xf32, #linear>) -> ()
    }) : (i32, i32, i32, tensor<32x32xf32, #linear>) -> tensor<32x32xf32, #linear>
    "tt.store"(%19, %23) : (tensor<32x32x!tt.ptr<f32>, #linear>, tensor<32x32xf32, #linear>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} : () -> ()
