// RUN: ll-opt --canonicalize %s | FileCheck %s

// Uniform values stay uniform, in the shape and encoding of the last view.

#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #rows}>
module attributes {"ttg.num-warps" = 1 : i32} {
  // CHECK-LABEL: tt.func @views_of_a_splat
  // CHECK-SAME: (%[[X:.+]]: f32)
  // CHECK-NEXT: %[[Y:.+]] = tt.splat %[[X]] : f32 -> tensor<16x32xf32, #blocked>
  // CHECK-NEXT: tt.return %[[Y]]
  tt.func @views_of_a_splat(%x: f32) -> tensor<16x32xf32, #rows> {
    %0 = tt.splat %x : f32 -> tensor<32xf32, #row>
    %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<32xf32, #row> -> tensor<1x32xf32, #rows>
    %2 = tt.broadcast %1 : tensor<1x32xf32, #rows> -> tensor<16x32xf32, #rows>
    tt.return %2 : tensor<16x32xf32, #rows>
  }

  // CHECK-LABEL: tt.func @constants
  // CHECK-NEXT: %[[Y:.+]] = arith.constant dense<3> : tensor<32x16xi32>
  // CHECK-NEXT: tt.return %[[Y]]
  tt.func @constants() -> tensor<32x16xi32> {
    %c3 = arith.constant 3 : i32
    %0 = tt.splat %c3 : i32 -> tensor<512xi32>
    %1 = tt.reshape %0 : tensor<512xi32> -> tensor<16x32xi32>
    %2 = tt.trans %1 {order = array<i32: 1, 0>} : tensor<16x32xi32> -> tensor<32x16xi32>
    tt.return %2 : tensor<32x16xi32>
  }

  // A constant whose elements differ is no splat.
  // CHECK-LABEL: tt.func @not_uniform
  // CHECK: %[[C:.+]] = arith.constant dense<[1, 2]>
  // CHECK: tt.expand_dims %[[C]]
  tt.func @not_uniform() -> tensor<1x2xi32> {
    %0 = arith.constant dense<[1, 2]> : tensor<2xi32>
    %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<2xi32> -> tensor<1x2xi32>
    tt.return %1 : tensor<1x2xi32>
  }

  // CHECK-LABEL: tt.func @broadcast_twice
  // CHECK-SAME: (%[[X:.+]]: tensor<1x1xf32>)
  // CHECK-NEXT: %[[Y:.+]] = tt.broadcast %[[X]] : tensor<1x1xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: tt.return %[[Y]]
  tt.func @broadcast_twice(%x: tensor<1x1xf32>) -> tensor<4x8xf32> {
    %0 = tt.broadcast %x : tensor<1x1xf32> -> tensor<4x1xf32>
    %1 = tt.broadcast %0 : tensor<4x1xf32> -> tensor<4x8xf32>
    tt.return %1 : tensor<4x8xf32>
  }

  // CHECK-LABEL: tt.func @one_number
  // CHECK-NEXT: %[[Y:.+]] = arith.constant dense<7> : tensor<1xi32>
  // CHECK-NEXT: tt.return %[[Y]]
  tt.func @one_number() -> tensor<1xi32> {
    %0 = tt.make_range {start = 7 : i32, end = 8 : i32} : tensor<1xi32>
    tt.return %0 : tensor<1xi32>
  }

  // CHECK-LABEL: tt.func @moved_by_nothing
  // CHECK-SAME: (%[[P:.+]]: !tt.ptr<f32>, %[[Q:.+]]: tensor<8x!tt.ptr<f32>>)
  // CHECK-NEXT: tt.return %[[P]], %[[Q]]
  tt.func @moved_by_nothing(%p: !tt.ptr<f32>, %q: tensor<8x!tt.ptr<f32>>) -> (!tt.ptr<f32>, tensor<8x!tt.ptr<f32>>) {
    %c0 = arith.constant 0 : i64
    %z = arith.constant dense<0> : tensor<8xi32>
    %0 = tt.addptr %p, %c0 : !tt.ptr<f32>, i64
    %1 = tt.addptr %q, %z : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
    tt.return %0, %1 : !tt.ptr<f32>, tensor<8x!tt.ptr<f32>>
  }

  // CHECK-LABEL: tt.func @bits_there_and_back
  // CHECK-SAME: (%[[X:.+]]: tensor<8xf32>)
  // CHECK-NEXT: tt.return %[[X]], %[[X]]
  tt.func @bits_there_and_back(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = tt.bitcast %x : tensor<8xf32> -> tensor<8xf32>
    %1 = tt.bitcast %x : tensor<8xf32> -> tensor<8xi32>
    %2 = tt.bitcast %1 : tensor<8xi32> -> tensor<8xf32>
    tt.return %0, %2 : tensor<8xf32>, tensor<8xf32>
  }

  // CHECK-LABEL: tt.func @masks
  // CHECK-SAME: (%[[P:.+]]: tensor<8x!tt.ptr<f32>>, %[[X:.+]]: tensor<8xf32>)
  // CHECK-NEXT: %[[A:.+]] = tt.load %[[P]] : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.store %[[P]], %[[A]] : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.return %[[A]], %[[X]]
  tt.func @masks(%p: tensor<8x!tt.ptr<f32>>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %true = arith.constant dense<true> : tensor<8xi1>
    %false = arith.constant dense<false> : tensor<8xi1>
    %0 = tt.load %p, %true, %x : tensor<8x!tt.ptr<f32>>
    %1 = tt.load %p, %false, %x : tensor<8x!tt.ptr<f32>>
    tt.store %p, %0, %true : tensor<8x!tt.ptr<f32>>
    tt.store %p, %1, %false : tensor<8x!tt.ptr<f32>>
    tt.return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }

  // What a masked element is without `other` is for the load to say.
  // CHECK-LABEL: tt.func @masked_without_other
  // CHECK: tt.load %{{.+}}, %{{.+}} :
  tt.func @masked_without_other(%p: tensor<8x!tt.ptr<f32>>) -> tensor<8xf32> {
    %false = arith.constant dense<false> : tensor<8xi1>
    %0 = tt.load %p, %false : tensor<8x!tt.ptr<f32>>
    tt.return %0 : tensor<8xf32>
  }
}
