#blocked = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @narrow(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg2: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %cst = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #blocked>
    %cst_0 = arith.constant dense<64> : tensor<1x64xi32, #blocked>
    %cst_1 = arith.constant dense<64> : tensor<64x1xi32, #blocked1>
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>>
    %2 = tt.expand_dims %0 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>> -> tensor<64x1xi32, #blocked1>
    %3 = tt.expand_dims %1 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>> -> tensor<1x64xi32, #blocked1>
    %4 = arith.muli %2, %cst_1 : tensor<64x1xi32, #blocked1>
    %5 = tt.broadcast %4 : tensor<64x1xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %6 = tt.broadcast %3 : tensor<1x64xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %7 = arith.addi %5, %6 : tensor<64x64xi32, #blocked1>
    %8 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked1>
    %9 = tt.addptr %8, %7 : tensor<64x64x!tt.ptr<f32>, #blocked1>, tensor<64x64xi32, #blocked1>
    %10 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %11 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %12 = tt.expand_dims %10 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %13 = tt.expand_dims %11 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %14 = arith.muli %13, %cst_0 : tensor<1x64xi32, #blocked>
    %15 = tt.broadcast %12 : tensor<64x1xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %16 = tt.broadcast %14 : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %17 = arith.addi %15, %16 : tensor<64x64xi32, #blocked>
    %18 = tt.splat %arg1 : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked>
    %19 = tt.addptr %18, %17 : tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>
    %20 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %21 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>>
    %22 = tt.expand_dims %20 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>> -> tensor<64x1xi32, #blocked1>
    %23 = tt.expand_dims %21 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>> -> tensor<1x64xi32, #blocked1>
    %24 = arith.muli %22, %cst_1 : tensor<64x1xi32, #blocked1>
    %25 = tt.broadcast %24 : tensor<64x1xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %26 = tt.broadcast %23 : tensor<1x64xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %27 = arith.addi %25, %26 : tensor<64x64xi32, #blocked1>
    %28 = tt.splat %arg2 : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked1>
    %29 = tt.addptr %28, %27 : tensor<64x64x!tt.ptr<f32>, #blocked1>, tensor<64x64xi32, #blocked1>
    %30 = tt.load %9 : tensor<64x64x!tt.ptr<f32>, #blocked1>
    %31 = ttg.convert_layout %30 : tensor<64x64xf32, #blocked1> -> tensor<64x64xf32, #blocked>
    %32 = tt.load %19 : tensor<64x64x!tt.ptr<f32>, #blocked>
    %33 = arith.cmpf ogt, %32, %cst : tensor<64x64xf32, #blocked>
    %34 = arith.select %33, %31, %cst : tensor<64x64xi1, #blocked>, tensor<64x64xf32, #blocked>
    %35 = ttg.convert_layout %34 : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #blocked1>
    tt.store %29, %35 : tensor<64x64x!tt.ptr<f32>, #blocked1>
    tt.return
  }
}

// -----
#blocked = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @nested(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg2: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg3: i32) {
    %cst = arith.constant dense<64> : tensor<1x64xi32, #blocked>
    %cst_0 = arith.constant dense<64> : tensor<64x1xi32, #blocked1>
    %cst_1 = arith.constant dense<4096> : tensor<64x64xi32, #blocked>
    %cst_2 = arith.constant dense<4096> : tensor<64x64xi32, #blocked1>
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #blocked>
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>>
    %2 = tt.expand_dims %0 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>> -> tensor<64x1xi32, #blocked1>
    %3 = tt.expand_dims %1 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>> -> tensor<1x64xi32, #blocked1>
    %4 = arith.muli %2, %cst_0 : tensor<64x1xi32, #blocked1>
    %5 = tt.broadcast %4 : tensor<64x1xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %6 = tt.broadcast %3 : tensor<1x64xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %7 = arith.addi %5, %6 : tensor<64x64xi32, #blocked1>
    %8 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked1>
    %9 = tt.addptr %8, %7 : tensor<64x64x!tt.ptr<f32>, #blocked1>, tensor<64x64xi32, #blocked1>
    %10 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %11 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %12 = tt.expand_dims %10 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %13 = tt.expand_dims %11 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %14 = arith.muli %13, %cst : tensor<1x64xi32, #blocked>
    %15 = tt.broadcast %12 : tensor<64x1xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %16 = tt.broadcast %14 : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %17 = arith.addi %15, %16 : tensor<64x64xi32, #blocked>
    %18 = tt.splat %arg1 : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked>
    %19 = tt.addptr %18, %17 : tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>
    %20 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %21 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>>
    %22 = tt.expand_dims %20 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>> -> tensor<64x1xi32, #blocked1>
    %23 = tt.expand_dims %21 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>> -> tensor<1x64xi32, #blocked1>
    %24 = arith.muli %22, %cst_0 : tensor<64x1xi32, #blocked1>
    %25 = tt.broadcast %24 : tensor<64x1xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %26 = tt.broadcast %23 : tensor<1x64xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %27 = arith.addi %25, %26 : tensor<64x64xi32, #blocked1>
    %28 = tt.splat %arg2 : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked1>
    %29 = tt.addptr %28, %27 : tensor<64x64x!tt.ptr<f32>, #blocked1>, tensor<64x64xi32, #blocked1>
    %30:3 = scf.for %arg4 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg5 = %cst_3, %arg6 = %9, %arg7 = %19) -> (tensor<64x64xf32, #blocked>, tensor<64x64x!tt.ptr<f32>, #blocked1>, tensor<64x64x!tt.ptr<f32>, #blocked>)  : i32 {
      %32:2 = scf.for %arg8 = %c0_i32 to %arg3 step %c1_i32 iter_args(%arg9 = %arg5, %arg10 = %arg6) -> (tensor<64x64xf32, #blocked>, tensor<64x64x!tt.ptr<f32>, #blocked1>)  : i32 {
        %36 = tt.load %arg10 : tensor<64x64x!tt.ptr<f32>, #blocked1>
        %37 = ttg.convert_layout %36 : tensor<64x64xf32, #blocked1> -> tensor<64x64xf32, #blocked>
        %38 = arith.addf %arg9, %37 : tensor<64x64xf32, #blocked>
        %39 = tt.addptr %arg10, %cst_2 : tensor<64x64x!tt.ptr<f32>, #blocked1>, tensor<64x64xi32, #blocked1>
        scf.yield %38, %39 : tensor<64x64xf32, #blocked>, tensor<64x64x!tt.ptr<f32>, #blocked1>
      }
      %33 = tt.load %arg7 : tensor<64x64x!tt.ptr<f32>, #blocked>
      %34 = arith.addf %32#0, %33 : tensor<64x64xf32, #blocked>
      %35 = tt.addptr %arg7, %cst_1 : tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>
      scf.yield %34, %32#1, %35 : tensor<64x64xf32, #blocked>, tensor<64x64x!tt.ptr<f32>, #blocked1>, tensor<64x64x!tt.ptr<f32>, #blocked>
    }
    %31 = ttg.convert_layout %30#0 : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #blocked1>
    tt.store %29, %31 : tensor<64x64x!tt.ptr<f32>, #blocked1>
    tt.return
  }
}

// -----
#blocked = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
#blocked1 = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func public @loop_majority(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg2: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg3: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg4: i32) {
    %cst = arith.constant dense<64> : tensor<1x64xi32, #blocked>
    %cst_0 = arith.constant dense<64> : tensor<64x1xi32, #blocked1>
    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #blocked>
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>>
    %2 = tt.expand_dims %0 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>> -> tensor<64x1xi32, #blocked1>
    %3 = tt.expand_dims %1 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>> -> tensor<1x64xi32, #blocked1>
    %4 = arith.muli %2, %cst_0 : tensor<64x1xi32, #blocked1>
    %5 = tt.broadcast %4 : tensor<64x1xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %6 = tt.broadcast %3 : tensor<1x64xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %7 = arith.addi %5, %6 : tensor<64x64xi32, #blocked1>
    %8 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked1>
    %9 = tt.addptr %8, %7 : tensor<64x64x!tt.ptr<f32>, #blocked1>, tensor<64x64xi32, #blocked1>
    %10 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %11 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %12 = tt.expand_dims %10 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %13 = tt.expand_dims %11 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %14 = arith.muli %13, %cst : tensor<1x64xi32, #blocked>
    %15 = tt.broadcast %12 : tensor<64x1xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %16 = tt.broadcast %14 : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %17 = arith.addi %15, %16 : tensor<64x64xi32, #blocked>
    %18 = tt.splat %arg1 : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked>
    %19 = tt.addptr %18, %17 : tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>
    %20 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %21 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>>
    %22 = tt.expand_dims %20 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>> -> tensor<64x1xi32, #blocked1>
    %23 = tt.expand_dims %21 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>> -> tensor<1x64xi32, #blocked1>
    %24 = arith.muli %22, %cst_0 : tensor<64x1xi32, #blocked1>
    %25 = tt.broadcast %24 : tensor<64x1xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %26 = tt.broadcast %23 : tensor<1x64xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %27 = arith.addi %25, %26 : tensor<64x64xi32, #blocked1>
    %28 = tt.splat %arg3 : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked1>
    %29 = tt.addptr %28, %27 : tensor<64x64x!tt.ptr<f32>, #blocked1>, tensor<64x64xi32, #blocked1>
    %30 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>>
    %31 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>>
    %32 = tt.expand_dims %30 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked1}>> -> tensor<64x1xi32, #blocked1>
    %33 = tt.expand_dims %31 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked1}>> -> tensor<1x64xi32, #blocked1>
    %34 = arith.muli %32, %cst_0 : tensor<64x1xi32, #blocked1>
    %35 = tt.broadcast %34 : tensor<64x1xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %36 = tt.broadcast %33 : tensor<1x64xi32, #blocked1> -> tensor<64x64xi32, #blocked1>
    %37 = arith.addi %35, %36 : tensor<64x64xi32, #blocked1>
    %38 = tt.splat %arg2 : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked1>
    %39 = tt.addptr %38, %37 : tensor<64x64x!tt.ptr<f32>, #blocked1>, tensor<64x64xi32, #blocked1>
    %40 = scf.for %arg5 = %c0_i32 to %arg4 step %c1_i32 iter_args(%arg6 = %cst_1) -> (tensor<64x64xf32, #blocked>)  : i32 {
      %42 = tt.load %9 : tensor<64x64x!tt.ptr<f32>, #blocked1>
      %43 = ttg.convert_layout %42 : tensor<64x64xf32, #blocked1> -> tensor<64x64xf32, #blocked>
      %44 = tt.load %29 : tensor<64x64x!tt.ptr<f32>, #blocked1>
      %45 = ttg.convert_layout %44 : tensor<64x64xf32, #blocked1> -> tensor<64x64xf32, #blocked>
      %46 = tt.load %19 : tensor<64x64x!tt.ptr<f32>, #blocked>
      %47 = arith.mulf %arg6, %43 : tensor<64x64xf32, #blocked>
      %48 = arith.addf %47, %45 : tensor<64x64xf32, #blocked>
      %49 = arith.addf %48, %46 : tensor<64x64xf32, #blocked>
      scf.yield %49 : tensor<64x64xf32, #blocked>
    }
    %41 = ttg.convert_layout %40 : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #blocked1>
    tt.store %39, %41 : tensor<64x64x!tt.ptr<f32>, #blocked1>
    tt.return
  }
}

