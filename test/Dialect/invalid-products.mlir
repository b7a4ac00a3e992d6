// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of products, reductions, calls and warp specialisation.

// dot_c2
tt.func @f(%a: tensor<16x32xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{requires shapes M x K, K x N and M x N, but got 16x32, 16x16 and 16x16}}
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
  // expected-error @+1 {{requires the same `kWidth` for both operands, but got 2 and 4}}
  %0 = tt.dot %a, %b, %c : tensor<64x32xf16, #a> * tensor<32x16xf16, #b> -> tensor<64x16xf32, #mma>
  tt.return
}
}

// -----

// reduce_c3
tt.func @f(%t: tensor<16x32xf32>) {
  // expected-error @+1 {{axis 2 is out of bounds for operands of rank 2; expected 0 to 1}}
  %0 = "tt.reduce"(%t) <{axis = 2 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.reduce.return %x : f32
  }) : (tensor<16x32xf32>) -> tensor<16xf32>
  tt.return
}

// -----

// reduce_c4, reduce_c6, reduce_c7
tt.func @f(%t: tensor<16x32xf32>, %i: i32) {
  // expected-error @+3 {{expected a result tensor of shape 16 and element type `f32`, but got `tensor<32xf32>`}}
  // expected-error @+2 {{region arguments are (f32), expected (f32, f32)}}
  // expected-error @+1 {{region yields (f32, f32), expected (f32)}}
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
  // expected-error @+2 {{is not the slice of the operand's encoding along dimension 1}}
  // expected-note @+1 {{expected `#ttg.slice<{dim = 1, parent = #ttg.blocked<}}
  %0 = "tt.reduce"(%t) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    tt.reduce.return %x : f32
  }) : (tensor<16x32xf32, #b>) -> tensor<16xf32, #ttg.slice<{dim = 0, parent = #b}>>
  tt.return
}
}

// -----

// call_c1
tt.func @f() {
  // expected-error @+1 {{calls `g`, which is not a `tt.func` of the module}}
  tt.call @g() : () -> ()
  tt.return
}

// -----

// call_c2: other operands, and more of them.
tt.func private @g(i32)
tt.func @f(%x: i32) {
  // expected-error @+1 {{has 2 operands, but callee `g` has 1}}
  tt.call @g(%x, %x) : (i32, i32) -> ()
  tt.return
}

// -----

// call_c3
tt.func private @g() -> i32
tt.func @f() {
  // expected-error @+1 {{has 'f32' as result 0, but callee `g` has 'i32'}}
  %0 = tt.call @g() : () -> f32
  tt.return
}

// -----

tt.func private @g(i32)
tt.func @f(%x: i64) {
  // expected-error @+1 {{has 'i64' as operand 0, but callee `g` has 'i32'}}
  tt.call @g(%x) : (i64) -> ()
  tt.return
}

// -----

// fp_to_fp_c1
tt.func @f(%x: f32) {
  // expected-error @+2 {{requires a rounding mode to narrow `f32` to `f8E4M3FN`}}
  // expected-note @+1 {{add `, rounding = rtne`}}
  %0 = tt.fp_to_fp %x : f32 -> f8E4M3FN
  tt.return
}

// -----

// bitcast_c3
tt.func @f(%x: f32) {
  // expected-error @+1 {{requires types of the same width, but `f32` has 32 bits and `i64` has 64}}
  %0 = tt.bitcast %x : f32 -> i64
  tt.return
}

// -----

// atomic_load_c1
tt.func @f(%p: !tt.ptr<i32>) {
  // expected-error @+1 {{requires memory semantics `relaxed` or `acquire`, but got `release`}}
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
    // expected-error @+3 {{the layout has 4 warps per CTA, but the module has 8}}
    // expected-note @+2 {{the type is}}
    // expected-note @+1 {{change the encoding}}
    %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b4>
    ttg.warp_return
  } : () -> ()
  tt.return
}
}

// -----

// dot_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<32x32xf16>, %b: tensor<32x32xf32>, %c: tensor<32x32xf32>) {
    // expected-error @+1 {{requires operands of the same element width, but got `f16` and `f32`}}
    %0 = tt.dot %a, %b, %c : tensor<32x32xf16> * tensor<32x32xf32> -> tensor<32x32xf32>
    tt.return
  }
}

// -----

// dot_c3
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 2}>>, %b: tensor<32x32xf16>, %c: tensor<32x32xf32, #mma2>) {
    // expected-error @+1 {{only operand 0 has an encoding; expected an encoding on both operands, or on neither}}
    %0 = tt.dot %a, %b, %c : tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 2}>> * tensor<32x32xf16> -> tensor<32x32xf32, #mma2>
    tt.return
  }
}

// -----

// dot_c4
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 2}>>, %b: tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 2}>>, %c: tensor<32x32xf32>) {
    // expected-error @+1 {{operands have encodings, but the accumulator has type `tensor<32x32xf32>`; expected an encoding on the accumulator}}
    %0 = tt.dot %a, %b, %c : tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 2}>> * tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 2}>> -> tensor<32x32xf32>
    tt.return
  }
}

// -----

// dot_c8
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<32x32xf16, #b>, %b: tensor<32x32xf16, #b>, %c: tensor<32x32xf32, #b>) {
    // expected-error @+2 {{operands have types `tensor<32x32xf16,}}
    // expected-note @+1 {{convert the operands with `ttg.convert_layout`}}
    %0 = tt.dot %a, %b, %c : tensor<32x32xf16, #b> * tensor<32x32xf16, #b> -> tensor<32x32xf32, #b>
    tt.return
  }
}

// -----

// dot_c9
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 2}>>, %b: tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 2}>>, %c: tensor<32x32xf32, #mma2>) {
    // expected-error @+1 {{requires `opIdx = 0` in the encoding of operand 0, but got 1}}
    %0 = tt.dot %a, %b, %c : tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 2}>> * tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 2}>> -> tensor<32x32xf32, #mma2>
    tt.return
  }
}

// -----

// dot_c10
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 2}>>, %b: tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>, kWidth = 2}>>, %c: tensor<32x32xf32, #mma2>) {
    // expected-error @+2 {{encoding of operand 1 has parent `#ttg.nvidia_mma<{versionMajor = 2,}}
    // expected-note @+1 {{the result's encoding is `#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4,}}
    %0 = tt.dot %a, %b, %c : tensor<32x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 2}>> * tensor<32x32xf16, #ttg.dot_op<{opIdx = 1, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>, kWidth = 2}>> -> tensor<32x32xf32, #mma2>
    tt.return
  }
}

// -----

// dot_scaled_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64xf8E5M2>, %b: tensor<64x128xf8E5M2>, %c: tensor<128x128xf32>) {
    // expected-error @+1 {{requires operands of rank 2, or 3 with a batch dimension, but got `tensor<64xf8E5M2>`}}
    %0 = tt.dot_scaled %a, %b, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<64xf8E5M2> * tensor<64x128xf8E5M2> -> tensor<128x128xf32>
    tt.return
  }
}

// -----

// dot_scaled_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<2x128x64xf8E5M2>, %b: tensor<64x128xf8E5M2>, %c: tensor<128x128xf32>) {
    // expected-error @+1 {{requires operands and a result of the same rank, but got ranks 3, 2 and 2}}
    %0 = tt.dot_scaled %a, %b, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<2x128x64xf8E5M2> * tensor<64x128xf8E5M2> -> tensor<128x128xf32>
    tt.return
  }
}

// -----

// dot_scaled_c3
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128x64xf8E5M2>, %b: tensor<32x128xf8E5M2>, %c: tensor<128x128xf32>, %as: tensor<128x2xi8>) {
    // expected-error @+1 {{requires shapes M x K, K x N and M x N, but got 128x64, 32x128 and 128x128}}
    %0 = tt.dot_scaled %a scale %as, %b, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<128x64xf8E5M2>, tensor<128x2xi8> * tensor<32x128xf8E5M2> -> tensor<128x128xf32>
    tt.return
  }
}

// -----

// dot_scaled_c4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128x64xf8E5M2>, %b: tensor<64x128xf8E5M2>, %c: tensor<128x128xf32>, %as: tensor<128xi8>, %bs: tensor<128x2xi8>) {
    // expected-error @+1 {{requires one scale per 16 or 32 elements along K, but `a` has 128 scales for 64 elements: `tensor<128xi8>`}}
    %0 = tt.dot_scaled %a scale %as, %b scale %bs, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<128x64xf8E5M2>, tensor<128xi8> * tensor<64x128xf8E5M2>, tensor<128x2xi8> -> tensor<128x128xf32>
    tt.return
  }
}

// -----

// dot_scaled_c5
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128x64xf8E5M2>, %b: tensor<64x128xf8E5M2>, %c: tensor<128x128xf32>, %as: tensor<64x2xi8>, %bs: tensor<128x2xi8>) {
    // expected-error @+1 {{scales of `a` have type `tensor<64x2xi8>`; expected 128 rows}}
    %0 = tt.dot_scaled %a scale %as, %b scale %bs, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<128x64xf8E5M2>, tensor<64x2xi8> * tensor<64x128xf8E5M2>, tensor<128x2xi8> -> tensor<128x128xf32>
    tt.return
  }
}

// -----

// dot_scaled_c6
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128x64xf8E5M2>, %b: tensor<64x128xf8E5M2>, %c: tensor<128x128xf32>, %as: tensor<128x4xi8>, %bs: tensor<128x2xi8>) {
    // expected-error @+1 {{requires the same number of elements per scale in `a` and `b`, but got 16 and 32}}
    %0 = tt.dot_scaled %a scale %as, %b scale %bs, %c lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<128x64xf8E5M2>, tensor<128x4xi8> * tensor<64x128xf8E5M2>, tensor<128x2xi8> -> tensor<128x128xf32>
    tt.return
  }
}

// -----

// tc_gen5_mma_c2
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #nv, #smem>, %b: !ttg.memdesc<32x128xf16, #nv, #smem, mutable>, %d: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{requires shapes M x K, K x N and M x N, but got 128x64, 32x128 and 128x128}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<128x64xf16, #nv, #smem>, !ttg.memdesc<32x128xf16, #nv, #smem, mutable>, !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_scaled_c2
#nv8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#ts = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x128xf8E5M2, #t, #tmem, mutable>, %b: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, %d: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, %s: !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, %u: i1, %p: i1) {
    // expected-error @+1 {{requires shapes M x K, K x N and M x N, but got 128x256, 128x128 and 128x128}}
    ttng.tc_gen5_mma_scaled %a, %b, %d, %s, %s, %u, %p lhs = e2m1 rhs = e5m2 : !ttg.memdesc<128x128xf8E5M2, #t, #tmem, mutable>, !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>
    tt.return
  }
}

// -----

// warp_group_dot_c1
#mma3 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #nv, #smem>, %b: !ttg.memdesc<32x64xf16, #nv, #smem>, %c: tensor<128x64xf32, #mma3>) {
    // expected-error @+1 {{requires shapes M x K, K x N and M x N, but got 128x64, 32x64 and 128x64}}
    %0 = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<128x64xf16, #nv, #smem> * !ttg.memdesc<32x64xf16, #nv, #smem> -> tensor<128x64xf32, #mma3>
    tt.return
  }
}

// -----

// warp_group_dot_c2
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #nv, #smem>, %b: !ttg.memdesc<64x64xf16, #nv, #smem>, %c: tensor<128x64xf32, #mma2>) {
    // expected-error @+1 {{result type is `tensor<128x64xf32,}}
    %0 = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<128x64xf16, #nv, #smem> * !ttg.memdesc<64x64xf16, #nv, #smem> -> tensor<128x64xf32, #mma2>
    tt.return
  }
}

// -----

// warp_group_dot_c3
#mma3 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #sw, #smem>, %b: !ttg.memdesc<64x64xf16, #nv, #smem>, %c: tensor<128x64xf32, #mma3>) {
    // expected-error @+1 {{encoding of `a` is `}}
    %0 = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<128x64xf16, #sw, #smem> * !ttg.memdesc<64x64xf16, #nv, #smem> -> tensor<128x64xf32, #mma3>
    tt.return
  }
}

// -----

// warp_group_dot_c4
#mma3 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #nv, #smem>, %b: !ttg.memdesc<64x64xf16, #sw, #smem>, %c: tensor<128x64xf32, #mma3>) {
    // expected-error @+1 {{encoding of `b` is `#ttg.swizzled_shared<{vec =}}
    %0 = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<128x64xf16, #nv, #smem> * !ttg.memdesc<64x64xf16, #sw, #smem> -> tensor<128x64xf32, #mma3>
    tt.return
  }
}

// -----

// warp_group_dot_c5
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #nv, #smem>, %b: !ttg.memdesc<64x64xf16, #nv, #smem>, %c: tensor<64x64xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [2, 1], instrShape = [16, 64, 16]}>>) {
    // expected-error @+1 {{requires a multiple of four warps, but got 2}}
    %0 = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #nv, #smem> * !ttg.memdesc<64x64xf16, #nv, #smem> -> tensor<64x64xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [2, 1], instrShape = [16, 64, 16]}>>
    tt.return
  }
}

// -----

// warp_group_dot_c6
#mma3 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma3, kWidth = 1}>>, %b: !ttg.memdesc<64x64xf16, #nv, #smem>, %c: tensor<128x64xf32, #mma3>) {
    // expected-error @+1 {{`a` in registers has `kWidth = 1`; expected 2, the number of `f16` elements in 32 bits}}
    %0 = ttng.warp_group_dot %a, %b, %c : tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma3, kWidth = 1}>> * !ttg.memdesc<64x64xf16, #nv, #smem> -> tensor<128x64xf32, #mma3>
    tt.return
  }
}

// -----

// warp_group_dot_c7
#mma3 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<32x64xf16, #nv, #smem>, %b: !ttg.memdesc<64x64xf16, #nv, #smem>, %c: tensor<32x64xf32, #mma3>) {
    // expected-error @+1 {{requires a multiple of 64 rows per CTA, but the result has 32}}
    %0 = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<32x64xf16, #nv, #smem> * !ttg.memdesc<64x64xf16, #nv, #smem> -> tensor<32x64xf32, #mma3>
    tt.return
  }
}

// -----

// warp_group_dot_c9
#mma3 = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xi16, #nv, #smem>, %b: !ttg.memdesc<64x64xi16, #nv, #smem>, %c: tensor<128x64xi32, #mma3>) {
    // expected-error @+1 {{requires elements of `f16`, `bf16`, `f32`, `f64`, `i8` or an 8-bit float, but got `i16`}}
    %0 = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<128x64xi16, #nv, #smem> * !ttg.memdesc<64x64xi16, #nv, #smem> -> tensor<128x64xi32, #mma3>
    tt.return
  }
}

// -----

// warp_group_dot_wait_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error @+1 {{requires at least one operand}}
    "ttng.warp_group_dot_wait"() <{pendings = 0 : i32}> : () -> ()
    tt.return
  }
}

// -----

// warp_group_dot_c10
#nv8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x128xf8E5M2, #nv8, #smem>, %b: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem>, %c: tensor<64x128xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>>) {
    // expected-error @+1 {{products of `f8E5M2` require `maxNumImpreciseAcc` of at least 32, but got 0}}
    %0 = ttng.warp_group_dot %a, %b, %c {maxNumImpreciseAcc = 0 : i32} : !ttg.memdesc<64x128xf8E5M2, #nv8, #smem> * !ttg.memdesc<128x128xf8E5M2, #nv8, #smem> -> tensor<64x128xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 32]}>>
    tt.return
  }
}

// -----

// warp_group_dot_c8
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #nv, #smem>, %b: !ttg.memdesc<64x4xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>, #smem>, %c: tensor<64x4xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>>) {
    // expected-error @+1 {{requires a multiple of 8 columns per CTA, but the result has 4}}
    %0 = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #nv, #smem> * !ttg.memdesc<64x4xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>, #smem> -> tensor<64x4xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>>
    tt.return
  }
}
