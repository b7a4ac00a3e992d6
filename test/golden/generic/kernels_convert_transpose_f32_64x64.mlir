#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#blocked1 = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {}, {}], function_type = (!tt.ptr<f32>, !tt.ptr<f32>, f32, i32) -> (), sym_name = "k", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<f32>, %arg1: !tt.ptr<f32>, %arg2: f32, %arg3: i32):
    %0 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %1 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %2 = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i32
    %3 = "arith.constant"() <{value = 4096 : i32}> : () -> i32
    %4 = "arith.muli"(%2, %3) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %5 = "tt.addptr"(%arg0, %4) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>
    %6 = "tt.addptr"(%arg1, %4) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>
    %7 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %8 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %9 = "tt.expand_dims"(%7) <{axis = 1 : i32}> : (tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>) -> tensor<64x1xi32, #blocked>
    %10 = "tt.expand_dims"(%8) <{axis = 0 : i32}> : (tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>) -> tensor<1x64xi32, #blocked>
    %11 = "arith.constant"() <{value = dense<64> : tensor<64x1xi32, #blocked>}> : () -> tensor<64x1xi32, #blocked>
    %12 = "arith.muli"(%9, %11) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x1xi32, #blocked>, tensor<64x1xi32, #blocked>) -> tensor<64x1xi32, #blocked>
    %13 = "tt.broadcast"(%12) : (tensor<64x1xi32, #blocked>) -> tensor<64x64xi32, #blocked>
    %14 = "tt.broadcast"(%10) : (tensor<1x64xi32, #blocked>) -> tensor<64x64xi32, #blocked>
    %15 = "arith.addi"(%13, %14) <{overflowFlags = #arith.overflow<none>}> : (tensor<64x64xi32, #blocked>, tensor<64x64xi32, #blocked>) -> tensor<64x64xi32, #blocked>
    %16 = "tt.splat"(%5) : (!tt.ptr<f32>) -> tensor<64x64x!tt.ptr<f32>, #blocked>
    %17 = "tt.splat"(%6) : (!tt.ptr<f32>) -> tensor<64x64x!tt.ptr<f32>, #blocked>
    %18 = "tt.addptr"(%16, %15) : (tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>) -> tensor<64x64x!tt.ptr<f32>, #blocked>
    %19 = "tt.addptr"(%17, %15) : (tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>) -> tensor<64x64x!tt.ptr<f32>, #blocked>
    %20 = "tt.load"(%18) <{isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x64x!tt.ptr<f32>, #blocked>) -> tensor<64x64xf32, #blocked>
    %21 = "tt.splat"(%arg2) : (f32) -> tensor<64x64xf32, #blocked>
    %22 = "tt.splat"(%arg2) : (f32) -> tensor<64x64xf32, #blocked1>
    %23 = "scf.for"(%0, %arg3, %1, %20) ({
    ^bb0(%arg4: i32, %arg5: tensor<64x64xf32, #blocked>):
      %24 = "ttg.convert_layout"(%arg5) : (tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked1>
      %25 = "arith.addf"(%24, %22) <{fastmath = #arith.fastmath<none>}> : (tensor<64x64xf32, #blocked1>, tensor<64x64xf32, #blocked1>) -> tensor<64x64xf32, #blocked1>
      %26 = "ttg.convert_layout"(%25) : (tensor<64x64xf32, #blocked1>) -> tensor<64x64xf32, #blocked>
      %27 = "arith.addf"(%26, %21) <{fastmath = #arith.fastmath<none>}> : (tensor<64x64xf32, #blocked>, tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked>
      "scf.yield"(%27) : (tensor<64x64xf32, #blocked>) -> ()
    }) : (i32, i32, i32, tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #blocked>
    "tt.store"(%19, %23) : (tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xf32, #blocked>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} : () -> ()
