// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of layouts that are left open.

// gluon_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<16x8xi32, #gluon.auto_encoding>) {
    // expected-error @+1 {{requires the same unresolved layout for operand 0 and the result, but got `tensor<16x8xi32, #gluon.auto_encoding>` and `tensor<8x16xi32, #gluon.coalesced_encoding>`}}
    %0 = tt.trans %a {order = array<i32: 1, 0>} : tensor<16x8xi32, #gluon.auto_encoding> -> tensor<8x16xi32, #gluon.coalesced_encoding>
    tt.return
  }
}

// -----

// gluon_c1
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<16x8xi32, #blocked>) {
    // expected-error @+1 {{requires the same unresolved layout for operand 0 and the result, but got `}}
    %0 = tt.reshape %a : tensor<16x8xi32, #blocked> -> tensor<128xi32, #gluon.auto_encoding>
    tt.return
  }
}

// -----

// gluon_c1
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<16x8xi32, #gluon.auto_encoding>) {
    // expected-error @+1 {{requires the same unresolved layout for operand 0 and the result, but got `}}
    %0 = tt.reshape %a : tensor<16x8xi32, #gluon.auto_encoding> -> tensor<8x16xi32, #blocked>
    tt.return
  }
}

// -----

// gluon_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<16x8xi32, #gluon.auto_encoding>) {
    // expected-error @+1 {{requires the same unresolved layout for operand 0 and the result, but got `}}
    %0 = tt.expand_dims %a {axis = 0 : i32} : tensor<16x8xi32, #gluon.auto_encoding> -> tensor<1x16x8xi32, #gluon.coalesced_encoding>
    tt.return
  }
}

// -----

// set_auto_layout_c1
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<16xi32, #blocked>) {
    // expected-error @+1 {{; expected the encoding `#gluon.auto_encoding`}}
    %0 = gluon.set_auto_layout %a : tensor<16xi32, #blocked> -> tensor<16xi32, #blocked>
    tt.return
  }
}

// -----

// set_auto_layout_c1
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<16xi32, #gluon.coalesced_encoding>) {
    // expected-error @+1 {{operand type is `tensor<16xi32, #gluon.coalesced_encoding>`; expected the encoding `#gluon.auto_encoding`}}
    %0 = gluon.set_auto_layout %a : tensor<16xi32, #gluon.coalesced_encoding> -> tensor<16xi32, #blocked>
    tt.return
  }
}

// -----

// set_auto_layout_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<16xi32, #gluon.auto_encoding>) {
    // expected-error @+1 {{result type is `tensor<16xi32>`; expected an encoding other than `#gluon.auto_encoding`}}
    %0 = gluon.set_auto_layout %a : tensor<16xi32, #gluon.auto_encoding> -> tensor<16xi32>
    tt.return
  }
}

// -----

// set_auto_layout_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<16xi32, #gluon.auto_encoding>) {
    // expected-error @+1 {{result type is `tensor<16xi32, #gluon.auto_encoding>`; expected an encoding other than `#gluon.auto_encoding`}}
    %0 = gluon.set_auto_layout %a : tensor<16xi32, #gluon.auto_encoding> -> tensor<16xi32, #gluon.auto_encoding>
    tt.return
  }
}

// -----

// An encoding in an encoding is not left open.
// slice_c1
// expected-error @+1 {{expected an encoding such as `#ttg.blocked<{...}>`, got #gluon.auto_encoding}}
tt.func private @nested(tensor<16xi32, #ttg.slice<{dim = 0, parent = #gluon.auto_encoding}>>)

// -----

// expected-error @+2 {{unknown attribute `gluon.auto_encodin`: dialect `gluon` of Triton 3.9 has no such attribute}}
// expected-note @+1 {{the nearest attribute is `gluon.auto_encoding`}}
tt.func private @misspelled(tensor<16xi32, #gluon.auto_encodin>)

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @unknown(%a: tensor<16xi32, #gluon.auto_encoding>) {
    // expected-error @+2 {{unknown operation `gluon.set_layout`}}
    // expected-note @+1 {{the nearest operation is `gluon.set_auto_layout`}}
    %0 = gluon.set_layout %a : tensor<16xi32, #gluon.auto_encoding> -> tensor<16xi32>
    tt.return
  }
}

// -----

// expected-error @+1 {{unknown type `gluon.tile`}}
tt.func private @no_types(!gluon.tile)
