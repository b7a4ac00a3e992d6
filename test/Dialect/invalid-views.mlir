// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of views, of products in registers, and of where swizzled warps may stand.

// expand_dims_c4
#b2 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128xf32>) {
    // expected-error @+1 {{only the result has an encoding; expected an encoding on both operand and result, or on neither}}
    %0 = tt.expand_dims %a {axis = 0 : i32} : tensor<128xf32> -> tensor<1x128xf32, #b2>
    tt.return
  }
}

// -----

// trans_c5
#b2 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<32x4xf32, #b2>) {
    // expected-error @+1 {{only the operand has an encoding; expected an encoding on both operand and result, or on neither}}
    %0 = tt.trans %a {order = array<i32: 1, 0>} : tensor<32x4xf32, #b2> -> tensor<4x32xf32>
    tt.return
  }
}

// -----

// reshape_c3
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#c = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<32xf32, #b>) {
    // expected-error @+2 {{does not have the layout inferred from the operand}}
    // expected-note @+1 {{the inferred layout is:}}
    %0 = tt.reshape %a allow_reorder : tensor<32xf32, #b> -> tensor<8x4xf32, #c>
    tt.return
  }
}

// -----

// join_c3
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#j = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128xf32, #b>) {
    // expected-error @+1 {{result type is `tensor<128x2xf16}}
    %0 = tt.join %a, %a : tensor<128xf32, #b> -> tensor<128x2xf16, #j>
    tt.return
  }
}

// -----

// join_c4
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128xf32, #b>) {
    // expected-error @+1 {{only the operand has an encoding; expected an encoding on both operand and result, or on neither}}
    %0 = tt.join %a, %a : tensor<128xf32, #b> -> tensor<128x2xf32>
    tt.return
  }
}

// -----

// split_c3
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#j = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128x2xf32, #j>) {
    // expected-error @+1 {{expected results of shape 128, but got `tensor<64xf32}}
    %0, %1 = tt.split %a : tensor<128x2xf32, #j> -> tensor<64xf32, #b>
    tt.return
  }
}

// -----

// split_c4
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#j = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128x2xf32, #j>) {
    // expected-error @+1 {{result type is `tensor<128xi32}}
    %0, %1 = tt.split %a : tensor<128x2xf32, #j> -> tensor<128xi32, #b>
    tt.return
  }
}

// -----

// split_c5
#j = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128x2xf32, #j>) {
    // expected-error @+1 {{only the operand has an encoding; expected an encoding on both operand and result, or on neither}}
    %0, %1 = tt.split %a : tensor<128x2xf32, #j> -> tensor<128xf32>
    tt.return
  }
}

// -----

// cat_c1
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128xf32, #b>) {
    // expected-error @+1 {{requires a result with 256 elements, as many as both operands together, but got `tensor<512xf32}}
    %0 = tt.cat %a, %a : tensor<128xf32, #b> -> tensor<512xf32, #b>
    tt.return
  }
}

// -----

// cat_c2
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64xf32, #b>) {
    // expected-error @+2 {{requires a result with 2 elements per thread, as many as both operands together, but got 1}}
    // expected-note @+1 {{convert the operands or the result}}
    %0 = tt.cat %a, %a : tensor<64xf32, #b> -> tensor<128xf32, #b>
    tt.return
  }
}

// -----

// cat_c3
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128xf32, #b>) {
    // expected-error @+1 {{only the operand has an encoding; expected an encoding on both operand and result, or on neither}}
    %0 = tt.cat %a, %a : tensor<128xf32, #b> -> tensor<256xf32>
    tt.return
  }
}

// -----

// generic_linear_c1
#g = #ttg.generic_linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[33], [64]], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128xi32, #g>, %b: tensor<128xf32, #g>) {
    // expected-error @+2 {{does not support an encoding with swizzled warps}}
    // expected-note @+1 {{convert the tensor with `ttg.convert_layout`}}
    %0 = tt.gather %b[%a] {axis = 0 : i32} : (tensor<128xf32, #g>, tensor<128xi32, #g>) -> tensor<128xf32, #g>
    tt.return
  }
}

// -----

// dot_c6
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x32xf32, #a>, %b: tensor<32x64xf32, #b>, %c: tensor<64x64xf32, #mma>) {
    // expected-error @+2 {{`mma` on `f32` requires `inputPrecision = tf32`, but got `ieee`}}
    // expected-note @+1 {{set `inputPrecision = tf32`, or use a `#ttg.blocked` encoding for the result}}
    %0 = tt.dot %a, %b, %c : tensor<64x32xf32, #a> * tensor<32x64xf32, #b> -> tensor<64x64xf32, #mma>
    tt.return
  }
}

// -----

// dot_c6
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x32xi16, #a>, %b: tensor<32x64xi16, #b>, %c: tensor<64x64xi32, #mma>) {
    // expected-error @+1 {{requires float or `i8` elements for `mma`, but got `i16` and `i16`}}
    %0 = tt.dot %a, %b, %c : tensor<64x32xi16, #a> * tensor<32x64xi16, #b> -> tensor<64x64xi32, #mma>
    tt.return
  }
}

// -----

// dot_c7
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 8}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x16xf16, #a>, %b: tensor<16x64xf16, #b>, %c: tensor<64x64xf32, #mma>) {
    // expected-error @+1 {{requires at least 32 elements along K (4 times `kWidth`), but `}}
    %0 = tt.dot %a, %b, %c : tensor<64x16xf16, #a> * tensor<16x64xf16, #b> -> tensor<64x64xf32, #mma>
    tt.return
  }
}

// -----

// broadcast_c3
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#tm32 = #ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<1x64xf32, #b>) {
    // expected-error @+2 {{requires the same layout for operand and result, but got `tensor<1x64xf32, #ttg.blocked<{sizePerThread}}
    // expected-note @+1 {{convert one of the two tensors with `ttg.convert_layout`}}
    %0 = tt.broadcast %a : tensor<1x64xf32, #b> -> tensor<64x64xf32, #tm32>
    tt.return
  }
}

// -----

// fp4_to_fp_c6
#b = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#w = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<4x128xi8, #b>) {
    // expected-error @+2 {{packed type `tensor<4x128xi8, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>` does not have the layout inferred from `tensor<4x256xbf16}}
    // expected-note @+1 {{the inferred layout is:}}
    %0 = ttg.fp4_to_fp %a {axis = 1 : i32} : tensor<4x128xi8, #b> -> tensor<4x256xbf16, #w>
    tt.return
  }
}

// -----

// ttg_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<4x256xf8E5M2, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>, %s: tensor<4x256xi8, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>) {
    // expected-error @+2 {{requires the same encoding for all operands and results, but got `tensor<4x256xf8E5M2,}}
    // expected-note @+1 {{convert one of the two tensors with `ttg.convert_layout`}}
    %0 = amdg.scaled_upcast_fp8 %a scale %s : tensor<4x256xf8E5M2, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>, tensor<4x256xi8, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>> -> tensor<4x256xbf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>>
    tt.return
  }
}
