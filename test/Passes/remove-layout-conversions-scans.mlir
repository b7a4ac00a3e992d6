// RUN: ll-opt --remove-layout-conversions --verify-layout-rewrites %s | FileCheck %s
// RUN: ll-opt --remove-layout-conversions=blocked-scans=true --verify-layout-rewrites %s | FileCheck %s --check-prefix=BLOCKED

// Global accesses of the shape of a scan may give each thread consecutive elements along the axis, with narrower
// vectors. A warp still accesses whole rows.

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
// CHECK-DAG: #[[$SCANNED:.+]] = #ttg.blocked<{sizePerThread = [8, 2], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[$ROWS:.+]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {ttg.target = "cuda:90", "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @columns
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.load {{.*}}, #[[$SCANNED]]>
  // CHECK: }) : (tensor<64x32xf32, #[[$SCANNED]]>) -> tensor<64x32xf32, #[[$SCANNED]]>
  // CHECK: tt.store {{.*}}, #[[$SCANNED]]>
  tt.func @columns(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %c32 = arith.constant dense<32> : tensor<64x1xi32, #rows>
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>>
    %1 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #rows}>>
    %2 = tt.expand_dims %0 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #rows}>> -> tensor<64x1xi32, #rows>
    %3 = tt.expand_dims %1 {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #rows}>> -> tensor<1x32xi32, #rows>
    %4 = arith.muli %2, %c32 : tensor<64x1xi32, #rows>
    %5 = tt.broadcast %4 : tensor<64x1xi32, #rows> -> tensor<64x32xi32, #rows>
    %6 = tt.broadcast %3 : tensor<1x32xi32, #rows> -> tensor<64x32xi32, #rows>
    %7 = arith.addi %5, %6 : tensor<64x32xi32, #rows>
    %8 = tt.splat %arg0 : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>, #rows>
    %9 = tt.addptr %8, %7 : tensor<64x32x!tt.ptr<f32>, #rows>, tensor<64x32xi32, #rows>
    %10 = tt.load %9 : tensor<64x32x!tt.ptr<f32>, #rows>
    %11 = "tt.scan"(%10) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.scan.return %s : f32
    }) : (tensor<64x32xf32, #rows>) -> tensor<64x32xf32, #rows>
    tt.store %9, %11 : tensor<64x32x!tt.ptr<f32>, #rows>
    tt.return
  }

  // Along the contiguous dimension, vectors hold consecutive elements already.
  // CHECK-LABEL: @rows
  // CHECK: tt.load {{.*}}, #[[$ROWS]]>
  // CHECK: }) : (tensor<64x32xf32, #[[$ROWS]]>) -> tensor<64x32xf32, #[[$ROWS]]>
  tt.func @rows(%arg0: tensor<64x32x!tt.ptr<f32>, #rows>) {
    %0 = tt.load %arg0 : tensor<64x32x!tt.ptr<f32>, #rows>
    %1 = "tt.scan"(%0) <{axis = 1 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.scan.return %s : f32
    }) : (tensor<64x32xf32, #rows>) -> tensor<64x32xf32, #rows>
    tt.store %arg0, %1 : tensor<64x32x!tt.ptr<f32>, #rows>
    tt.return
  }

  // Triton's lowering supports only blocked layouts of scans.
  // CHECK-LABEL: @accumulators
  // CHECK: }) : (tensor<64x32xf32, #mma>) -> tensor<64x32xf32, #mma>
  // BLOCKED-LABEL: @accumulators
  // BLOCKED: ttg.convert_layout {{.*}} : tensor<64x32xf32, #mma> -> tensor<64x32xf32, #blocked
  // BLOCKED: }) : (tensor<64x32xf32, #blocked{{[0-9]*}}>) -> tensor<64x32xf32, #blocked{{[0-9]*}}>
  tt.func @accumulators(%x: tensor<64x32xf32, #mma>) -> tensor<64x32xf32, #mma> {
    %0 = ttg.convert_layout %x : tensor<64x32xf32, #mma> -> tensor<64x32xf32, #rows>
    %1 = "tt.scan"(%0) <{axis = 1 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.scan.return %s : f32
    }) : (tensor<64x32xf32, #rows>) -> tensor<64x32xf32, #rows>
    %2 = ttg.convert_layout %1 : tensor<64x32xf32, #rows> -> tensor<64x32xf32, #mma>
    tt.return %2 : tensor<64x32xf32, #mma>
  }
}
