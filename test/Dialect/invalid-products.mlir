// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of products, reductions, calls and warp specialisation.

// dot_c2
tt.func @f(%a: tensor<16x32xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{needs shapes M x K, K x N and M x N, but has 16x32, 16x16 and 16x16}}
  %0 = tt.dot %a, %b, %c : tensor<16x32xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  tt.return
}

// -----

// dot_c5
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @f(%a: tensor<64x32xf16, #a>, %b: tensor<32x16xf16, #b>, %c: tensor<64x16xf32, #mma>) {
  // expected-error @+1 {{needs the same `kWidth` for both operands, but has 2 and 4}}
  %0 = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x16xf16, #b> -> tensor<64x16xf32, #mma>
  tt.return
}
}

// -----

// reduce_c3
tt.func @f(%t: tensor<16x32xf32>) {
  // expected-error @+1 {{has axis 2, but the operands have rank 2}}
  %0 = "tt.reduce"(%t) <{axis = 2 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.reduce.return %x : f32
  }) : (tensor<16x32xf32>) -> tensor<16xf32>
  tt.return
}

// -----

// reduce_c4, reduce_c6, reduce_c7
tt.func @f(%t: tensor<16x32xf32>, %i: i32) {
  // expected-error @+3 {{makes a tensor of 16 elements `f32`, but the result is `tensor<32xf32>`}}
  // expected-error @+2 {{has a region that takes (f32), but is to take (f32, f32)}}
  // expected-error @+1 {{has a region that gives (f32, f32), but is to give (f32)}}
  %0 = "tt.reduce"(%t) <{axis = 1 : i32}> ({
  ^bb0(%x: f32):
    tt.reduce.return %x, %x : f32, f32
  }) : (tensor<16x32xf32>) -> tensor<32xf32>
  tt.return
}

// -----

// reduce_c5
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @f(%t: tensor<16x32xf32, #b>) {
  // expected-error @+2 {{needs a result whose encoding is the operand's slice along dimension 1}}
  // expected-note @+1 {{expected `#ttg.slice<{dim = 1, parent = #ttg.blocked<}}
  %0 = "tt.reduce"(%t) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.reduce.return %x : f32
  }) : (tensor<16x32xf32, #b>) -> tensor<16xf32, #ttg.slice<{dim = 0, parent = #b}>>
  tt.return
}
}

// -----

// A rule of the module as a whole.
tt.func @f() {
  // expected-error @+1 {{calls `g`, which is no `tt.func` of the module}}
  tt.call @g() : () -> ()
  tt.return
}

// -----

// A rule of the module as a whole.
tt.func private @g(i32)
tt.func @f(%x: i64) {
  // expected-error @+1 {{has 'i64' as operand 0, but `g` has 'i32'}}
  tt.call @g(%x) : (i64) -> ()
  tt.return
}

// -----

// fp_to_fp_c1
tt.func @f(%x: f32) {
  // expected-error @+2 {{narrows `f32` to `f8E4M3FN`, but does not say how to round}}
  // expected-note @+1 {{add `, rounding = rtne`}}
  %0 = tt.fp_to_fp %x : f32 -> f8E4M3FN
  tt.return
}

// -----

// bitcast_c3
tt.func @f(%x: f32) {
  // expected-error @+1 {{needs types of the same width, but `f32` has 32 bits and `i64` has 64}}
  %0 = tt.bitcast %x : f32 -> i64
  tt.return
}

// -----

// atomic_load_c1
tt.func @f(%p: !tt.ptr<i32>) {
  // expected-error @+1 {{can be `relaxed` or `acquire`, but is `release`}}
  %0 = tt.atomic_load release, gpu, %p : (!tt.ptr<i32>) -> i32
  tt.return
}

// -----

// A partition's tensors are laid out over its own warps.
#b4 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @f() {
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(8) {
    // expected-error @+3 {{it has 4 warps per CTA, but the module says 8}}
    // expected-note @+2 {{the type is}}
    // expected-note @+1 {{change the encoding}}
    %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b4>
    ttg.warp_return
  } : () -> ()
  tt.return
}
}
