// The results of a conversion are all live at once. Each thread of `#wide` has all 128 row pointers, in 256 registers, of
// which some would be spilled: 32-bit row offsets are converted instead.
// RUN: ll-opt --remove-layout-conversions=conversion-cost=260 %s | FileCheck %s

#tall = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [8, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 8], order = [1, 0]}>
module attributes {"ttg.num-warps" = 8 : i32, ttg.target = "cuda:90"} {
  // CHECK: arith.muli
  // CHECK-NEXT: ttg.convert_layout {{.*}} tensor<128x1xi32, #blocked{{[0-9]*}}> -> tensor<128x1xi32, #blocked{{[0-9]*}}>
  // CHECK-NOT: ttg.convert_layout
  tt.func public @rows(%p: !tt.ptr<f16>, %n: i32, %first: i32, %x: tensor<128x256xf16, #wide>) {
    %is = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #tall}>>
    %firsts = tt.splat %first : i32 -> tensor<128xi32, #ttg.slice<{dim = 1, parent = #tall}>>
    %rows = arith.addi %is, %firsts : tensor<128xi32, #ttg.slice<{dim = 1, parent = #tall}>>
    %column = tt.expand_dims %rows {axis = 1 : i32} : tensor<128xi32, #ttg.slice<{dim = 1, parent = #tall}>> -> tensor<128x1xi32, #tall>
    %n_s = tt.splat %n : i32 -> tensor<128x1xi32, #tall>
    %offsets = arith.muli %column, %n_s : tensor<128x1xi32, #tall>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>, #tall>
    %at = tt.addptr %ps, %offsets : tensor<128x1x!tt.ptr<f16>, #tall>, tensor<128x1xi32, #tall>
    %of_rows = ttg.convert_layout %at : tensor<128x1x!tt.ptr<f16>, #tall> -> tensor<128x1x!tt.ptr<f16>, #wide>
    %all = tt.broadcast %of_rows : tensor<128x1x!tt.ptr<f16>, #wide> -> tensor<128x256x!tt.ptr<f16>, #wide>
    %js = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #wide}>>
    %row = tt.expand_dims %js {axis = 0 : i32} : tensor<256xi32, #ttg.slice<{dim = 0, parent = #wide}>> -> tensor<1x256xi32, #wide>
    %columns = tt.broadcast %row : tensor<1x256xi32, #wide> -> tensor<128x256xi32, #wide>
    %places = tt.addptr %all, %columns : tensor<128x256x!tt.ptr<f16>, #wide>, tensor<128x256xi32, #wide>
    tt.store %places, %x : tensor<128x256x!tt.ptr<f16>, #wide>
    tt.return
  }
}
