// RUN: ll-opt %s | ll-opt | FileCheck %s

// Every operation, in its shortest form and with all its options, prints as it parses.

#row = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#pair = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#tile = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tile_t = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func public @memory
  // CHECK-SAME: (%[[P:.+]]: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %[[S:.+]]: !tt.ptr<i32, "constant">, %[[N:.+]]: i32)
  tt.func public @memory(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %s: !tt.ptr<i32, "constant">, %n: i32) {
    // CHECK: %[[PID:.+]] = tt.get_program_id x : i32
    %pid = tt.get_program_id x : i32
    // CHECK: tt.get_num_programs z : i32
    %num = tt.get_num_programs z : i32
    // CHECK: %[[R:.+]] = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #[[ROW:.+]]>
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #row>
    // CHECK: tt.splat %[[N]] : i32 -> tensor<256xi32, #[[ROW]]>
    %ns = tt.splat %n : i32 -> tensor<256xi32, #row>
    %m = arith.cmpi slt, %r, %ns : tensor<256xi32, #row>
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>, #row>
    // CHECK: %[[A:.+]] = tt.addptr %{{.+}}, %[[R]] : tensor<256x!tt.ptr<f16>, #[[ROW]]>, tensor<256xi32, #[[ROW]]>
    %a = tt.addptr %ps, %r : tensor<256x!tt.ptr<f16>, #row>, tensor<256xi32, #row>
    %zero = arith.constant dense<0.0> : tensor<256xf16, #row>
    // CHECK: tt.load %[[A]] : tensor<256x!tt.ptr<f16>, #[[ROW]]>
    %l0 = tt.load %a : tensor<256x!tt.ptr<f16>, #row>
    // CHECK: tt.load %[[A]], %[[M:.+]] : tensor<256x!tt.ptr<f16>, #[[ROW]]>
    %l1 = tt.load %a, %m : tensor<256x!tt.ptr<f16>, #row>
    // CHECK: %[[L:.+]] = tt.load %[[A]], %[[M]], %[[ZERO:.+]] {cachePolicy = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_last>, isVolatile = true} : tensor<256x!tt.ptr<f16>, #[[ROW]]>
    %l2 = tt.load %a, %m, %zero {cachePolicy = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_last>, isVolatile = true} : tensor<256x!tt.ptr<f16>, #row>
    // CHECK: tt.store %[[A]], %[[L]] : tensor<256x!tt.ptr<f16>, #[[ROW]]>
    tt.store %a, %l2 : tensor<256x!tt.ptr<f16>, #row>
    // CHECK: tt.store %[[A]], %[[L]], %[[M]] {cachePolicy = #tt.cache_policy<cache_modifier = cs, eviction_policy = evict_first>} : tensor<256x!tt.ptr<f16>, #[[ROW]]>
    tt.store %a, %l2, %m {cachePolicy = #tt.cache_policy<cache_modifier = cs, eviction_policy = evict_first>} : tensor<256x!tt.ptr<f16>, #row>
    // One element through one pointer.
    // CHECK: %[[ONE:.+]] = tt.load %[[S]] : !tt.ptr<i32, "constant">
    %one = tt.load %s : !tt.ptr<i32, "constant">
    // CHECK: tt.store %[[S]], %[[ONE]] : !tt.ptr<i32, "constant">
    tt.store %s, %one : !tt.ptr<i32, "constant">
    // CHECK: tt.return
    tt.return
  }

  // CHECK-LABEL: tt.func private @shapes
  tt.func private @shapes(%x: tensor<256xf32, #row>, %t: tensor<16x32xf32, #tile>) -> tensor<256xf32, #row> {
    // CHECK: %[[J:.+]] = tt.join %{{.+}}, %{{.+}} : tensor<256xf32, #{{.+}}> -> tensor<256x2xf32, #{{.+}}>
    %j = tt.join %x, %x : tensor<256xf32, #row> -> tensor<256x2xf32, #pair>
    // CHECK: %{{.+}}, %[[RHS:.+]] = tt.split %[[J]] : tensor<256x2xf32, #{{.+}}> -> tensor<256xf32, #{{.+}}>
    %lhs, %rhs = tt.split %j : tensor<256x2xf32, #pair> -> tensor<256xf32, #row>
    // CHECK: tt.trans %{{.+}} {order = array<i32: 1, 0>} : tensor<16x32xf32, #{{.+}}> -> tensor<32x16xf32, #{{.+}}>
    %u = tt.trans %t {order = array<i32: 1, 0>} : tensor<16x32xf32, #tile> -> tensor<32x16xf32, #tile_t>
    // CHECK: tt.reshape %{{.+}} allow_reorder efficient_layout : tensor<16x32xf32, #{{.+}}> -> tensor<512xf32, #{{.+}}>
    %v = tt.reshape %t allow_reorder efficient_layout : tensor<16x32xf32, #tile> -> tensor<512xf32, #row>
    // CHECK: ttg.convert_layout %[[RHS]] {force_warp_shuffle} : tensor<256xf32
    %w = ttg.convert_layout %rhs {force_warp_shuffle} : tensor<256xf32, #row> -> tensor<256xf32, #row>
    // CHECK: tt.return %{{.+}} : tensor<256xf32, #{{.+}}>
    tt.return %w : tensor<256xf32, #row>
  }
}
