// RUN: ll-opt %s | FileCheck %s
// RUN: ll-opt %s | ll-opt | FileCheck %s
// RUN: ll-opt %s -emit-bytecode | ll-opt | FileCheck %s

// Layouts that are left open print as they are spelled; what follows from them is left open alike.

#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @views
  // CHECK-SAME: %[[X:.+]]: tensor<16x8xf32, #gluon.auto_encoding>, %[[Y:.+]]: tensor<16x8xf32, #blocked>
  tt.func @views(%x: tensor<16x8xf32, #gluon.auto_encoding>, %y: tensor<16x8xf32, #blocked>) -> tensor<8x16xf32, #gluon.auto_encoding> {
    // CHECK: arith.constant dense<1> : tensor<16xi32, #gluon.coalesced_encoding>
    %0 = arith.constant dense<1> : tensor<16xi32, #gluon.coalesced_encoding>
    // CHECK: tt.expand_dims %{{.+}} {axis = 0 : i32} : tensor<16xi32, #gluon.coalesced_encoding> -> tensor<1x16xi32, #gluon.coalesced_encoding>
    %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<16xi32, #gluon.coalesced_encoding> -> tensor<1x16xi32, #gluon.coalesced_encoding>
    // CHECK: tt.trans %[[X]] {order = array<i32: 1, 0>} : tensor<16x8xf32, #gluon.auto_encoding> -> tensor<8x16xf32, #gluon.auto_encoding>
    %2 = tt.trans %x {order = array<i32: 1, 0>} : tensor<16x8xf32, #gluon.auto_encoding> -> tensor<8x16xf32, #gluon.auto_encoding>
    // CHECK: tt.reshape %{{.+}} : tensor<8x16xf32, #gluon.auto_encoding> -> tensor<128xf32, #gluon.auto_encoding>
    %3 = tt.reshape %2 : tensor<8x16xf32, #gluon.auto_encoding> -> tensor<128xf32, #gluon.auto_encoding>
    // CHECK: %[[J:.+]] = tt.join %{{.+}}, %{{.+}} : tensor<128xf32, #gluon.auto_encoding> -> tensor<128x2xf32, #gluon.auto_encoding>
    %4 = tt.join %3, %3 : tensor<128xf32, #gluon.auto_encoding> -> tensor<128x2xf32, #gluon.auto_encoding>
    // CHECK: tt.split %[[J]] : tensor<128x2xf32, #gluon.auto_encoding> -> tensor<128xf32, #gluon.auto_encoding>
    %5, %6 = tt.split %4 : tensor<128x2xf32, #gluon.auto_encoding> -> tensor<128xf32, #gluon.auto_encoding>
    // CHECK: "tt.reduce"(%{{.+}}) <{axis = 1 : i32}>
    // CHECK: (tensor<8x16xf32, #gluon.auto_encoding>) -> tensor<8xf32, #gluon.auto_encoding>
    %7 = "tt.reduce"(%2) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      tt.reduce.return %sum : f32
    }) : (tensor<8x16xf32, #gluon.auto_encoding>) -> tensor<8xf32, #gluon.auto_encoding>
    // CHECK: gluon.set_auto_layout %[[X]] : tensor<16x8xf32, #gluon.auto_encoding> -> tensor<16x8xf32, #blocked>
    %8 = gluon.set_auto_layout %x : tensor<16x8xf32, #gluon.auto_encoding> -> tensor<16x8xf32, #blocked>
    // CHECK: gluon.set_auto_layout %[[X]] {my.note} : tensor<16x8xf32, #gluon.auto_encoding> -> tensor<16x8xf32, #gluon.coalesced_encoding>
    %9 = gluon.set_auto_layout %x {my.note} : tensor<16x8xf32, #gluon.auto_encoding> -> tensor<16x8xf32, #gluon.coalesced_encoding>
    // CHECK: ttg.convert_layout %[[Y]] : tensor<16x8xf32, #blocked> -> tensor<16x8xf32, #gluon.auto_encoding>
    %10 = ttg.convert_layout %y : tensor<16x8xf32, #blocked> -> tensor<16x8xf32, #gluon.auto_encoding>
    tt.return %2 : tensor<8x16xf32, #gluon.auto_encoding>
  }
}
