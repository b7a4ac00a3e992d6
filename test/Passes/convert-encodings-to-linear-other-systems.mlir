// RUN: ll-opt --convert-encodings-to-linear %s 2>&1 | FileCheck %s
// RUN: ll-opt --verify-layout-rewrites --fold-layout-conversions %s -o %t.fold
// RUN: ll-opt --verify-layout-rewrites --remove-layout-conversions=verify=true %s -o %t.remove
// RUN: ll-opt --layout-pipeline %s -o %t.llvm

// A layout of threads and values without a tile is another one on each shape; other passes keep it apart as well. A
// buffer of one element keeps its name: no basis would say how many dims it has.

// CHECK-NOT: error
// CHECK-DAG: #[[$FLAT:.+]] = #ttg.linear<{register = {{\[\[}}16], [8]], lane = {{\[\[}}32], [64], [1], [2], [4]], warp = [], block = []}>
// CHECK-DAG: #[[$TILE:.+]] = #ttg.linear<{register = {{\[\[}}0, 1], [8, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>
// CHECK-DAG: #[[$ONE:.+]] = #cute.layout<"1:0">
#tv = #cute.layout<"((4,8),(2,2)):((32,1),(16,8))">
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [16, 2], warpsPerCTA = [1, 1], order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @f
  // CHECK: tensor<128xi32, #[[$FLAT]]>
  // CHECK: tensor<16x8xf32, #[[$TILE]]>
  // CHECK: !ttg.memdesc<1xf32, #[[$ONE]], #smem, mutable>
  tt.func @f(%p: !tt.ptr<f32>) {
    %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #tv>
    %x = arith.constant dense<1.0> : tensor<16x8xf32, #tv>
    %o = ttg.local_alloc : () -> !ttg.memdesc<1xf32, #cute.layout<"1:0">, #smem, mutable>
    %y = tt.trans %x {order = array<i32: 1, 0>} : tensor<16x8xf32, #tv> -> tensor<8x16xf32, #ttg.linear<{register = [[1, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [], block = []}>>
    %z = ttg.convert_layout %x : tensor<16x8xf32, #tv> -> tensor<16x8xf32, #b>
    %w = ttg.convert_layout %z : tensor<16x8xf32, #b> -> tensor<16x8xf32, #ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>>
    %q = ttg.local_alloc %w : (tensor<16x8xf32, #ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>>) -> !ttg.memdesc<16x8xf32, #cute.layout<"(16,8):(8,1)">, #smem>
    %ql = ttg.local_load %q : !ttg.memdesc<16x8xf32, #cute.layout<"(16,8):(8,1)">, #smem> -> tensor<16x8xf32, #tv>
    %s = tt.reshape %ql : tensor<16x8xf32, #tv> -> tensor<128xf32, #ttg.linear<{register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []}>>
    %pp = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #tv>
    %pa = tt.addptr %pp, %i : tensor<128x!tt.ptr<f32>, #tv>, tensor<128xi32, #tv>
    %sc = ttg.convert_layout %s : tensor<128xf32, #ttg.linear<{register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []}>> -> tensor<128xf32, #tv>
    tt.store %pa, %sc : tensor<128x!tt.ptr<f32>, #tv>
    tt.return
  }
}
