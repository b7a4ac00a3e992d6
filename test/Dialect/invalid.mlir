// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of single operations, by the label that their documentation gives them. Encodings and
// their agreement with the module: invalid-encodings.mlir.

// make_range_c1
tt.func @f() {
  // expected-error @+1 {{'tt.make_range' op requires `start` to be less than `end`, but got 4 and 4}}
  %0 = tt.make_range {end = 4 : i32, start = 4 : i32} : tensor<4xi32>
  tt.return
}

// -----

// make_range_c2
tt.func @f() {
  // expected-error @+1 {{requires a result of rank 1, but `tensor<2x2xi32>` has rank 2}}
  %0 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<2x2xi32>
  tt.return
}

// -----

// make_range_c3
tt.func @f() {
  // expected-error @+1 {{range [2, 10) has 8 elements, but the result has 16}}
  %0 = tt.make_range {end = 10 : i32, start = 2 : i32} : tensor<16xi32>
  tt.return
}

// -----

// make_range_c4, make_range_c3: every broken rule is reported
tt.func @f() {
  // expected-error @+2 {{requires elements of type `i32`, but the result has `i64`}}
  // expected-error @+1 {{range [0, 4) has 4 elements, but the result has 8}}
  %0 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<8xi64>
  tt.return
}

// -----

// expand_dims_c1
tt.func @f(%a: tensor<8xi32>) {
  // expected-error @+1 {{axis 2 is out of bounds for the operand of rank 1; expected 0 to 1}}
  %0 = tt.expand_dims %a {axis = 2 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  tt.return
}

// -----

// expand_dims_c1
tt.func @f(%a: tensor<8xi32>) {
  // expected-error @+1 {{axis -1 is out of bounds for the operand of rank 1; expected 0 to 1}}
  %0 = tt.expand_dims %a {axis = -1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  tt.return
}

// -----

// expand_dims_c2
tt.func @f(%a: tensor<8xi32>) {
  // expected-error @+1 {{expected a result of shape 1x8, but got `tensor<8x1xi32>`}}
  %0 = tt.expand_dims %a {axis = 0 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  tt.return
}

// -----

// expand_dims_c3: a slice along the other dimension
#parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @f(%a: tensor<8xi32, #ttg.slice<{dim = 0, parent = #parent}>>) {
    // expected-error @+2 {{is not the slice of the result's encoding along dimension 1}}
    // expected-note @+1 {{expected `#ttg.slice<{dim = 1, parent = #ttg.blocked<}}
    %0 = tt.expand_dims %a {axis = 1 : i32} : tensor<8xi32, #ttg.slice<{dim = 0, parent = #parent}>> -> tensor<8x1xi32, #parent>
    tt.return
  }
}

// -----

// broadcast_c1
tt.func @f(%a: tensor<8xi32>) {
  // expected-error @+1 {{requires operand and result of the same rank, but got ranks 1 and 2}}
  %0 = tt.broadcast %a : tensor<8xi32> -> tensor<8x4xi32>
  tt.return
}

// -----

// broadcast_c2
tt.func @f(%a: tensor<2x8xi32>) {
  // expected-error @+1 {{dimension 0 has size 2 in the operand and 4 in the result; expected size 1 in the operand, or equal sizes}}
  %0 = tt.broadcast %a : tensor<2x8xi32> -> tensor<4x8xi32>
  tt.return
}

// -----

// trans_c1
tt.func @f(%a: tensor<2x8xi32>) {
  // expected-error @+1 {{requires an `order` of 2 entries for `tensor<2x8xi32>`, but got 3}}
  %0 = tt.trans %a {order = array<i32: 1, 0, 2>} : tensor<2x8xi32> -> tensor<8x2xi32>
  tt.return
}

// -----

// trans_c2
tt.func @f(%a: tensor<2x8xi32>) {
  // expected-error @+1 {{requires a permutation of 0 to 1 as `order`, but got [1, 1]}}
  %0 = tt.trans %a {order = array<i32: 1, 1>} : tensor<2x8xi32> -> tensor<8x8xi32>
  tt.return
}

// -----

// trans_c3
tt.func @f(%a: tensor<2x8xi32>) {
  // expected-error @+1 {{expected a result of shape 8x2, but got `tensor<2x8xi32>`}}
  %0 = tt.trans %a {order = array<i32: 1, 0>} : tensor<2x8xi32> -> tensor<2x8xi32>
  tt.return
}

// -----

// trans_c4: the layout stays behind
#tile = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @f(%a: tensor<8x32xi32, #tile>) {
    // expected-error @+2 {{does not have the layout inferred from the operand}}
    // expected-note @+1 {{the inferred layout is:}}
    %0 = tt.trans %a {order = array<i32: 1, 0>} : tensor<8x32xi32, #tile> -> tensor<32x8xi32, #tile>
    tt.return
  }
}

// -----

// reshape_c1
tt.func @f(%a: tensor<8xi32>) {
  // expected-error @+1 {{requires the same number of elements in result and operand, but got 16 and 8}}
  %0 = tt.reshape %a : tensor<8xi32> -> tensor<4x4xi32>
  tt.return
}

// -----

// reshape_c2
#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @f(%a: tensor<32xi32, #row>) {
    // expected-error @+1 {{only the operand has an encoding; expected an encoding on both operand and result, or on neither}}
    %0 = tt.reshape %a : tensor<32xi32, #row> -> tensor<4x8xi32>
    tt.return
  }
}

// -----

// reshape_c3
#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#tile = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [0, 1]}>
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @f(%a: tensor<32xi32, #row>) {
    // expected-error @+2 {{does not have the layout inferred from the operand}}
    // expected-note @+1 {{the inferred layout is:}}
    %0 = tt.reshape %a : tensor<32xi32, #row> -> tensor<8x4xi32, #tile>
    tt.return
  }
}

// -----

// join_c1
tt.func @f(%a: tensor<8xi32>) {
  // expected-error @+1 {{expected a result of shape 8x2, but got `tensor<2x8xi32>`}}
  %0 = tt.join %a, %a : tensor<8xi32> -> tensor<2x8xi32>
  tt.return
}

// -----

// join_c2: the new dimension lies in the lanes
#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#pair = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @f(%a: tensor<32xi32, #row>) {
    // expected-error @+1 {{lane bit 0 steps along the last dimension; expected a register bit that steps only along the last dimension}}
    %0 = tt.join %a, %a : tensor<32xi32, #row> -> tensor<32x2xi32, #pair>
    tt.return
  }
}

// -----

// split_c1
tt.func @f(%a: tensor<8x4xi32>) {
  // expected-error @+1 {{requires an operand whose last dimension has size 2, but got `tensor<8x4xi32>`}}
  %0, %1 = tt.split %a : tensor<8x4xi32> -> tensor<8xi32>
  tt.return
}

// -----

// split_c2: that dimension lies in the lanes
#row = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#pair = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @f(%a: tensor<32x2xi32, #pair>) {
    // expected-error @+1 {{lane bit 0 steps along the last dimension; expected a register bit that steps only along the last dimension}}
    %0, %1 = tt.split %a : tensor<32x2xi32, #pair> -> tensor<32xi32, #row>
    tt.return
  }
}

// -----

// One encoding for all tensors of an operation.
#a = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @f(%p: tensor<64x!tt.ptr<f32>, #a>, %i: tensor<64xi32, #b>) {
    // expected-error @+2 {{requires the same encoding for all operands and results}}
    // expected-note @+1 {{convert one of the two tensors with `ttg.convert_layout`}}
    %0 = tt.addptr %p, %i : tensor<64x!tt.ptr<f32>, #a>, tensor<64xi32, #b>
    tt.return
  }
}

// -----

// What ODS checks is checked too: a mask of another shape.
tt.func @f(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<4xi1>) {
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{use of value '%m' expects different type than prior uses}}
  %0 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @f(%a: tensor<8xi32>) {
  // expected-error @+1 {{'ttg.convert_layout' op requires the same shape for all operands and results}}
  %0 = ttg.convert_layout %a : tensor<8xi32> -> tensor<16xi32>
  tt.return
}

// -----

// An operation that no dialect here has.
tt.func @f(%a: tensor<8xi32>) {
  // expected-error @+1 {{unknown operation `tt.nonesuch`: dialect `tt` of Triton 3.9 has no such operation}}
  tt.nonesuch %a : tensor<8xi32>
  tt.return
}

// -----

// func_c1
module {
  // expected-error @+7 {{axis hint `tt.divisibility` of argument 0 is `24 : i32`; expected an integer that is a positive power of two}}
  // expected-note @+6 {{the largest power of two that divides 24 is 8}}
  // expected-error @+5 {{of argument 1 is `0 : i32`; expected an integer}}
  // expected-note @+4 {{use 1 if nothing is known}}
  // expected-error @+3 {{of argument 2 is `-16 : i32`; expected}}
  // expected-error @+2 {{of argument 3 is `"16"`; expected an integer}}
  // expected-note @+1 2 {{use 1 if nothing is known}}
  tt.func @f(%a: !tt.ptr<f32> {tt.divisibility = 24 : i32}, %b: i32 {tt.divisibility = 0 : i32}, %c: i32 {tt.divisibility = -16 : i32}, %d: i32 {tt.divisibility = "16"}, %e: i64 {tt.divisibility = 16 : i64}, %g: i64 {tt.divisibility = 1 : si32}) {
    tt.return
  }
}
