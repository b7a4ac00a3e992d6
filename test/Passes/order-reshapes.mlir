// A reshape that may permute elements keeps them in order. The layout of before follows by a conversion, which the other
// passes remove: the reduction takes the layout of the load.
// RUN: ll-opt --order-reshapes %s | FileCheck %s
// RUN: ll-opt --order-reshapes --remove-layout-conversions --canonicalize %s | FileCheck %s --check-prefix=REMOVED

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
  // CHECK-LABEL: @sum
  // CHECK: [[X:%.*]] = ttg.convert_layout
  // CHECK-NEXT: [[Y:%.*]] = tt.reshape [[X]] : tensor<512xf32, [[LINE:#blocked[0-9]*]]> -> tensor<512xf32, [[LINE]]>
  // CHECK-NEXT: [[Z:%.*]] = ttg.convert_layout [[Y]] : tensor<512xf32, [[LINE]]> -> tensor<512xf32, [[LINE]]>
  // CHECK-NEXT: "tt.reduce"([[Z]])
  // REMOVED-LABEL: @sum
  // REMOVED-NOT: ttg.convert_layout
  // REMOVED: tt.return
  tt.func public @sum(%p: tensor<512x!tt.ptr<f32>, #wide>) -> f32 {
    %x = tt.load %p : tensor<512x!tt.ptr<f32>, #wide>
    %c = ttg.convert_layout %x : tensor<512xf32, #wide> -> tensor<512xf32, #line>
    %r = tt.reshape %c allow_reorder : tensor<512xf32, #line> -> tensor<512xf32, #line>
    %s = "tt.reduce"(%r) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %d = arith.addf %a, %b : f32
      tt.reduce.return %d : f32
    }) : (tensor<512xf32, #line>) -> f32
    tt.return %s : f32
  }

  // CHECK-LABEL: @matrix
  // CHECK: [[Y:%.*]] = tt.reshape %arg0 : tensor<8x64xf32, {{.*}}> -> tensor<512xf32, [[ORDERED:#blocked[0-9]*]]>
  // CHECK-NEXT: ttg.convert_layout [[Y]] : tensor<512xf32, [[ORDERED]]>
  tt.func public @matrix(%x: tensor<8x64xf32, #rows>) -> tensor<512xf32, #line> {
    %y = tt.reshape %x allow_reorder : tensor<8x64xf32, #rows> -> tensor<512xf32, #line>
    tt.return %y : tensor<512xf32, #line>
  }

  // The layout has been chosen.
  // CHECK-LABEL: @chosen
  // CHECK: tt.reshape %arg0 allow_reorder efficient_layout
  tt.func public @chosen(%x: tensor<8x64xf32, #rows>) -> tensor<512xf32, #line> {
    %y = tt.reshape %x allow_reorder efficient_layout : tensor<8x64xf32, #rows> -> tensor<512xf32, #line>
    tt.return %y : tensor<512xf32, #line>
  }
}
