// A conversion is more expensive in a thread block of several warps, where it may need barriers: there, the value is
// computed again. In a block of one warp it costs its plan and a short latency.
// RUN: ll-opt --split-input-file --remove-layout-conversions=barrier-cost=1000 %s | FileCheck %s
// RUN: ll-opt --split-input-file --remove-layout-conversions %s | FileCheck %s

#wide = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#narrow = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#four = #ttg.linear<{register = [[8], [4]], lane = [[1], [2], [0], [0], [0]], warp = [], block = []}>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @one_warp
  // CHECK: ttg.convert_layout
  tt.func @one_warp(%p: tensor<128x!tt.ptr<f32>, #wide>, %q: tensor<128x!tt.ptr<f32>, #narrow>) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #wide>
    %x0 = arith.sitofp %r : tensor<128xi32, #wide> to tensor<128xf32, #wide>
    %x1 = math.exp %x0 : tensor<128xf32, #wide>
    %x2 = math.exp %x1 : tensor<128xf32, #wide>
    %x3 = math.exp %x2 : tensor<128xf32, #wide>
    %y = ttg.convert_layout %x3 : tensor<128xf32, #wide> -> tensor<128xf32, #narrow>
    tt.store %p, %x3 : tensor<128x!tt.ptr<f32>, #wide>
    tt.store %q, %y : tensor<128x!tt.ptr<f32>, #narrow>
    tt.return
  }

  // The four instructions of each thread cost less than the conversion and its latency.
  // CHECK-LABEL: @little_work
  // CHECK-NOT: ttg.convert_layout
  tt.func @little_work(%p: tensor<128x!tt.ptr<f32>, #wide>, %q: tensor<128x!tt.ptr<f32>, #narrow>) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #wide>
    %x = arith.sitofp %r : tensor<128xi32, #wide> to tensor<128xf32, #wide>
    %y = ttg.convert_layout %x : tensor<128xf32, #wide> -> tensor<128xf32, #narrow>
    tt.store %p, %x : tensor<128x!tt.ptr<f32>, #wide>
    tt.store %q, %y : tensor<128x!tt.ptr<f32>, #narrow>
    tt.return
  }

  // Four loads of one element each would have the latency of three more.
  // CHECK-LABEL: @one_load
  // CHECK: tt.load %{{.*}} : tensor<16x!tt.ptr<f32>, #[[NARROW:.*]]>
  // CHECK: ttg.convert_layout %{{.*}} : tensor<16xf32, #[[NARROW]]>
  tt.func @one_load(%a: !tt.ptr<f32>) -> tensor<16xf32, #four> {
    %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #narrow>
    %b = tt.splat %a : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>, #narrow>
    %p = tt.addptr %b, %r : tensor<16x!tt.ptr<f32>, #narrow>, tensor<16xi32, #narrow>
    %x = tt.load %p : tensor<16x!tt.ptr<f32>, #narrow>
    %y = ttg.convert_layout %x : tensor<16xf32, #narrow> -> tensor<16xf32, #four>
    tt.return %y : tensor<16xf32, #four>
  }
}

// -----

#wide = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#narrow = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
module attributes {ttg.target = "cuda:90", "ttg.num-warps" = 2 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @two_warps
  // CHECK-NOT: ttg.convert_layout
  tt.func @two_warps(%p: tensor<128x!tt.ptr<f32>, #wide>, %q: tensor<128x!tt.ptr<f32>, #narrow>) {
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #wide>
    %x0 = arith.sitofp %r : tensor<128xi32, #wide> to tensor<128xf32, #wide>
    %x1 = math.exp %x0 : tensor<128xf32, #wide>
    %x2 = math.exp %x1 : tensor<128xf32, #wide>
    %x3 = math.exp %x2 : tensor<128xf32, #wide>
    %y = ttg.convert_layout %x3 : tensor<128xf32, #wide> -> tensor<128xf32, #narrow>
    tt.store %p, %x3 : tensor<128x!tt.ptr<f32>, #wide>
    tt.store %q, %y : tensor<128x!tt.ptr<f32>, #narrow>
    tt.return
  }
}
