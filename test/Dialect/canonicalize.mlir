// RUN: ll-opt %s --canonicalize | FileCheck %s

// Conversions go where they cost least; each rewrite compares layouts, not names.

#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#st = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
// CHECK-DAG: #[[$A:.+]] = #ttg.blocked<{sizePerThread = [1, 4]
// CHECK-DAG: #[[$B:.+]] = #ttg.blocked<{sizePerThread = [4, 1]
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @same_type
  tt.func @same_type(%x: tensor<32x32xf32, #a>) -> tensor<32x32xf32, #a> {
    // CHECK-NEXT: tt.return %{{.+}} : tensor<32x32xf32, #[[$A]]>
    %0 = ttg.convert_layout %x : tensor<32x32xf32, #a> -> tensor<32x32xf32, #a>
    tt.return %0 : tensor<32x32xf32, #a>
  }

  // CHECK-LABEL: @chain
  tt.func @chain(%x: tensor<32x32xf32, #a>) -> tensor<32x32xf32, #a> {
    // CHECK-NEXT: tt.return
    %0 = ttg.convert_layout %x : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
    %1 = ttg.convert_layout %0 : tensor<32x32xf32, #b> -> tensor<32x32xf32, #a>
    tt.return %1 : tensor<32x32xf32, #a>
  }

  // CHECK-LABEL: @splat
  tt.func @splat(%x: f32) -> (tensor<32x32xf32, #b>, tensor<32x32xf32, #b>) {
    // CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<32x32xf32, #[[$B]]>
    // CHECK-DAG: tt.splat %{{.+}} : f32 -> tensor<32x32xf32, #[[$B]]>
    // CHECK-NOT: ttg.convert_layout
    %0 = tt.splat %x : f32 -> tensor<32x32xf32, #a>
    %1 = ttg.convert_layout %0 : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
    %c = arith.constant dense<1.0> : tensor<32x32xf32, #a>
    %2 = ttg.convert_layout %c : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
    tt.return %1, %2 : tensor<32x32xf32, #b>, tensor<32x32xf32, #b>
  }

  // CHECK-LABEL: @load
  tt.func @load(%m: !ttg.memdesc<32x32xf32, #s, #smem, mutable>) -> tensor<32x32xf32, #b> {
    // CHECK: ttg.local_load {{.+}} -> tensor<32x32xf32, #[[$B]]>
    // CHECK-NOT: ttg.convert_layout
    %0 = ttg.local_load %m : !ttg.memdesc<32x32xf32, #s, #smem, mutable> -> tensor<32x32xf32, #a>
    %1 = ttg.convert_layout %0 : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
    tt.return %1 : tensor<32x32xf32, #b>
  }

  // CHECK-LABEL: @store
  tt.func @store(%x: tensor<32x32xf32, #a>, %m: !ttg.memdesc<32x32xf32, #s, #smem, mutable>) {
    // CHECK-NEXT: ttg.local_store %{{.+}} : tensor<32x32xf32, #[[$A]]>
    %0 = ttg.convert_layout %x : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
    ttg.local_store %0, %m : tensor<32x32xf32, #b> -> !ttg.memdesc<32x32xf32, #s, #smem, mutable>
    tt.return
  }

  // CHECK-LABEL: @twice
  tt.func @twice(%m: !ttg.memdesc<32x32xf32, #s, #smem, mutable>) -> !ttg.memdesc<32x32xf32, #s, #smem, mutable> {
    // CHECK-NEXT: tt.return
    %0 = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<32x32xf32, #s, #smem, mutable> -> !ttg.memdesc<32x32xf32, #st, #smem, mutable>
    %1 = ttg.memdesc_trans %0 {order = array<i32: 1, 0>} : !ttg.memdesc<32x32xf32, #st, #smem, mutable> -> !ttg.memdesc<32x32xf32, #s, #smem, mutable>
    tt.return %1 : !ttg.memdesc<32x32xf32, #s, #smem, mutable>
  }

  // The conversion moves data, so a transposition that keeps elements in place stays behind it.
  // CHECK-LABEL: @moves
  tt.func @moves(%x: tensor<32x32xf32, #a>) -> tensor<32x32xf32, #a> {
    // CHECK: ttg.convert_layout
    // CHECK: tt.trans
    %0 = ttg.convert_layout %x : tensor<32x32xf32, #a> -> tensor<32x32xf32, #b>
    %1 = tt.trans %0 {order = array<i32: 1, 0>} : tensor<32x32xf32, #b> -> tensor<32x32xf32, #a>
    tt.return %1 : tensor<32x32xf32, #a>
  }
}
