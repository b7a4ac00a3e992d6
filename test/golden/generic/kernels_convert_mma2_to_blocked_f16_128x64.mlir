#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32}, {}, {}], function_type = (!tt.ptr<f16>, !tt.ptr<f16>, f16, i32) -> (), sym_name = "k", sym_visibility = "public"}> ({
  ^bb0(%arg0: !tt.ptr<f16>, %arg1: !tt.ptr<f16>, %arg2: f16, %arg3: i32):
    %0 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %1 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %2 = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i32
    %3 = "arith.constant"() <{value = 8192 : i32}> : () -> i32
    %4 = "arith.muli"(%2, %3) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %5 = "tt.addptr"(%arg0, %4) : (!tt.ptr<f16>, i32) -> !tt.ptr<f16>
    %6 = "tt.addptr"(%arg1, %4) : (!tt.ptr<f16>, i32) -> !tt.ptr<f16>
    %7 = "tt.make_range"() <{end = 128 : i32, start = 0 : i32}> : () -> tensor<128xi32, #ttg.slice<{dim = 1, parent = #mma}>>
    %8 = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %9 = "tt.expand_dims"(%7) <{axis = 1 : i32}> : (tensor<128xi32, #ttg.slice<{dim = 1, parent = #mma}>>) -> tensor<128x1xi32, #mma>
    %10 = "tt.expand_dims"(%8) <{axis = 0 : i32}> : (tensor<64xi32, #ttg.slice<{dim = 0, parent = #mma}>>) -> tensor<1x64xi32, #mma>
    %11 = "arith.constant"() <{value = dense<64> : tensor<128x1xi32, #mma>}> : () -> tensor<128x1xi32, #mma>
    %12 = "arith.muli"(%9, %11) <{overflowFlags = #arith.overflow<none>}> : (tensor<128x1xi32, #mma>, tensor<128x1xi32, #mma>) -> tensor<128x1xi32, #mma>
    %13 = "tt.broadcast"(%12) : (tensor<128x1xi32, #mma>) -> tensor<128x64xi32, #mma>
    %14 = "tt.broadcast"(%10) : (tensor<1x64xi32, #mma>) -> tensor<128x64xi32, #mma>
    %15 = "arith.addi"(%13, %14) <{overflowFlags = #arith.overflow<none>}> : (tensor<128x64xi32, #mma>, tensor<128x64xi32, #mma>) -> tensor<128x64xi32, #mma>
    %16 = "tt.splat"(%5) : (!tt.ptr<f16>) -> tensor<128x64x!tt.ptr<f16>, #mma>
    %17 = "tt.splat"(%6) : (!tt.ptr<f16>) -> tensor<128x64x!tt.ptr<f16>, #mma>
    %18 = "tt.addptr"(%16, %15) : (tensor<128x64x!tt.ptr<f16>, #mma>, tensor<128x64xi32, #mma>) -> tensor<128x64x!tt.ptr<f16>, #mma>
    %19 = "tt.addptr"(%17, %15) : (tensor<128x64x!tt.ptr<f16>, #mma>, tensor<128x64xi32, #mma>) -> tensor<128x64x!tt.ptr<f16>, #mma>
    %20 = "tt.load"(%18) <{isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<128x64x!tt.ptr<f16>, #mma>) -> tensor<128x64xf16, #mma>
    %21 = "tt.splat"(%arg2) : (f16) -> tensor<128x64xf16, #mma>
    %22 = "tt.splat"(%arg2) : (f16) -> tensor<128x64xf16, #blocked>
    %23 = "scf.for"(%0, %arg3, %1, %20) ({
    ^bb0(%arg4: i32, %arg5: tensor<128x64xf16, #mma>):
      %24 = "ttg.convert_layout"(%arg5) : (tensor<128x64xf16, #mma>) -> tensor<128x64xf16, #blocked>
      %25 = "arith.addf"(%24, %22) <{fastmath = #arith.fastmath<none>}> : (tensor<128x64xf16, #blocked>, tensor<128x64xf16, #blocked>) -> tensor<128x64xf16, #blocked>
      %26 = "ttg.convert_layout"(%25) : (tensor<128x64xf16, #blocked>) -> tensor<128x64xf16, #mma>
      %27 = "arith.addf"(%26, %21) <{fastmath = #arith.fastmath<none>}> : (tensor<128x64xf16, #mma>, tensor<128x64xf16, #mma>) -> tensor<128x64xf16, #mma>
      "scf.yield"(%27) : (tensor<128x64xf16, #mma>) -> ()
    }) : (i32, i32, i32, tensor<128x64xf16, #mma>) -> tensor<128x64xf16, #mma>
    "tt.store"(%19, %23) : (tensor<128x64x!tt.ptr<f16>, #mma>, tensor<128x64xf16, #mma>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} : () -> ()
