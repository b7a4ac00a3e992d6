// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of the types of buffers, and of views of them.

// memdesc_c2
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @+1 {{buffer has shape 0x32 in an allocation of shape 0x32; expected no dimension of size 0}}
tt.func private @f(!ttg.memdesc<0x32xf16, #s, #ttg.shared_memory>)

// -----

// memdesc_c3
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @+1 {{view of shape 16x32 has a higher rank than the allocation of shape 32}}
tt.func private @f(!ttg.memdesc<16x32xf16, #s, #ttg.shared_memory, 32>)

// -----

// memdesc_c4
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @+1 {{view of shape 16x32 does not fit in the allocation of shape 8x32}}
tt.func private @f(!ttg.memdesc<16x32xf16, #s, #ttg.shared_memory, 8x32>)

// -----

// memdesc_c5
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @+1 {{requires a buffer of rank 2, or 3 for a multi-buffer, but got rank 1}}
tt.func private @f(!ttg.memdesc<32xf16, #s, #ttg.shared_memory>)

// -----

// memdesc_c5
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// expected-error @+1 {{a buffer requires a memory layout, but `#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>` is a register layout}}
tt.func private @f(!ttg.memdesc<32xf16, #b, #ttg.shared_memory>)

// -----

// memdesc_c6
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @+1 {{requires a buffer in `#ttg.shared_memory`, but the buffer is in `#ttng.tensor_memory`}}
tt.func private @f(!ttg.memdesc<16x32xf16, #s, #ttng.tensor_memory>)

// -----

// memdesc_c7
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @+1 {{elements in shared memory must have a multiple of 8 bits, but `i1` has 1}}
tt.func private @f(!ttg.memdesc<16x32xi1, #s, #ttg.shared_memory>)

// -----

// memdesc_c8
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @+1 {{the sizes of a buffer must be powers of two, but got 15x32}}
tt.func private @f(!ttg.memdesc<15x32xf16, #s, #ttg.shared_memory>)

// -----

// memdesc_c9, padded_shared_c10
#p = #ttg.padded_shared<[8:+2] {order = [1, 0], shape = [8, 8]}>
// expected-error @+1 {{shape has 4 elements along dim0, but the `padded_shared` encoding has exactly 8}}
tt.func private @f(!ttg.memdesc<4x32xf16, #p, #ttg.shared_memory>)

// -----

// memdesc_c12
#n = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// expected-error @+1 {{a swizzle of 128 bytes requires rows of at least 64 elements per CTA, but got 32 along dimension 1}}
tt.func private @f(!ttg.memdesc<64x32xf16, #n, #ttg.shared_memory>)

// -----

// memdesc_c12: padding gives 4-bit data twice the bytes, so 64 are a row here, and 32 are not
#n = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 8, fp4Padded = true}>
tt.func private @fits(!ttg.memdesc<64x128xi8, #n, #ttg.shared_memory>)
// expected-error @+1 {{a swizzle of 128 bytes requires rows of at least 64 elements per CTA, but got 32 along dimension 0}}
tt.func private @f(!ttg.memdesc<32x128xi8, #n, #ttg.shared_memory>)

// -----

// memdesc_subslice_c7, memdesc_subslice_c8
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @f(%m: !ttg.memdesc<32x32xf32, #s, #ttg.shared_memory>) {
  // expected-error @+2 {{offset in dimension 0 is 8; expected 0, because the slice has the full size of the dimension}}
  // expected-error @+1 {{slice of size 16 at offset 24 is out of bounds in dimension 1 of size 32}}
  %0 = ttg.memdesc_subslice %m[8, 24] : !ttg.memdesc<32x32xf32, #s, #ttg.shared_memory> -> !ttg.memdesc<32x16xf32, #s, #ttg.shared_memory, 32x32>
  tt.return
}

// -----

// memdesc_trans_c3
#s = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0]}>
tt.func @f(%m: !ttg.memdesc<32x64xf32, #s, #ttg.shared_memory>) {
  // expected-error @+2 {{does not have the layout inferred from the operand}}
  // expected-note @+1 {{expected `#ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [0, 1]}>`}}
  %0 = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<32x64xf32, #s, #ttg.shared_memory> -> !ttg.memdesc<64x32xf32, #s, #ttg.shared_memory>
  tt.return
}

// -----

// memdesc_index_c5
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @f(%m: !ttg.memdesc<2x32x32xf32, #s, #ttg.shared_memory>, %i: i32) {
  // expected-error @+1 {{expected a result of shape 32x32, but got 32x16}}
  %0 = ttg.memdesc_index %m[%i] : !ttg.memdesc<2x32x32xf32, #s, #ttg.shared_memory> -> !ttg.memdesc<32x16xf32, #s, #ttg.shared_memory>
  tt.return
}

// -----

// memdesc_c1
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
// expected-error @+1 {{buffer has rank 0; expected at least one dimension}}
tt.func private @f(!ttg.memdesc<f16, #s, #ttg.shared_memory>)

// -----

// memdesc_c10
#tmem = #ttng.tensor_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x128xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CGALayout = [[0, 1]]>, #tmem, mutable>) {
    // expected-error @+1 {{; expected at least one block of `#ttng.tensor_memory_encoding<blockM = 128,}}
    %0 = ttng.tmem_subslice %a {offset = 0 : i32} : !ttg.memdesc<128x128xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CGALayout = [[0, 1]]>, #tmem, mutable> -> !ttg.memdesc<128x64xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CGALayout = [[0, 1]]>, #tmem, mutable, 128x128>
    tt.return
  }
}

// -----

// memdesc_c11
#tmem = #ttng.tensor_memory
#ts = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{scales in tensor memory have shape 2x128x4 in an allocation of shape 2x128x4; expected rank 2}}
  tt.func @f(%a: !ttg.memdesc<2x128x4xi8, #ts, #tmem, mutable>) {
    
    tt.return
  }
}

// -----

// memdesc_index_c1
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%m: !ttg.memdesc<2x32x32xf32, #sw, #smem>, %i: i32) {
    // expected-error @+1 {{'ttg.memdesc_index' op result has element type `i32`, but the operand has `f32`; expected the same element type}}
    %0 = ttg.memdesc_index %m[%i] : !ttg.memdesc<2x32x32xf32, #sw, #smem> -> !ttg.memdesc<32x32xi32, #sw, #smem>
    tt.return
  }
}

// -----

// memdesc_index_c2
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#other = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%m: !ttg.memdesc<2x32x32xf32, #sw, #smem>, %i: i32) {
    // expected-error @+1 {{'ttg.memdesc_index' op result has encoding `#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>`, but the operand has `#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>}}
    %0 = ttg.memdesc_index %m[%i] : !ttg.memdesc<2x32x32xf32, #sw, #smem> -> !ttg.memdesc<32x32xf32, #other, #smem>
    tt.return
  }
}

// -----

// memdesc_index_c6
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<2x64x64xf16, #sw, #smem, mutable, 3x2x64x64>, %i: i32) {
    // expected-error @+1 {{operand is a view of shape 2x64x64 in an allocation of shape 3x2x64x64; expected the same shape, except for the first dimension}}
    %0 = ttg.memdesc_index %a[%i] : !ttg.memdesc<2x64x64xf16, #sw, #smem, mutable, 3x2x64x64> -> !ttg.memdesc<64x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// memdesc_index_c7
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%m: !ttg.memdesc<2x32x32xf32, #sw, #smem>, %i: i32) {
    // expected-error @+1 {{'ttg.memdesc_index' op result type is a view of shape 32x32 in an allocation of shape 64x32; expected a whole buffer}}
    %0 = ttg.memdesc_index %m[%i] : !ttg.memdesc<2x32x32xf32, #sw, #smem> -> !ttg.memdesc<32x32xf32, #sw, #smem, 64x32>
    tt.return
  }
}

// -----

// memdesc_reinterpret_c1
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #sw, #smem, mutable>) {
    // expected-error @+1 {{operand is in `#ttg.shared_memory`, but the result is in `#ttng.tensor_memory`; expected the same memory space}}
    %0 = ttg.memdesc_reinterpret %a : !ttg.memdesc<128x64xf32, #sw, #smem, mutable> -> !ttg.memdesc<128x64xf32, #t, #tmem, mutable>
    tt.return
  }
}

// -----

// memdesc_reinterpret_c2
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{only the operand is `mutable`; expected operand and result to be both mutable or both immutable}}
    %0 = ttg.memdesc_reinterpret %a : !ttg.memdesc<64x64xf16, #sw, #smem, mutable> -> !ttg.memdesc<64x64xbf16, #sw, #smem>
    tt.return
  }
}

// -----

// memdesc_reinterpret_c3
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<8x64xf16, #ttg.partitioned_shared<{numPartitions = 2, numGroups = 1, partitionDim = 0, partitionLayout = #sw}>, #smem, mutable>) {
    // expected-error @+1 {{operand or result has the encoding `#ttg.partitioned_shared`, which cannot be reinterpreted}}
    %0 = ttg.memdesc_reinterpret %a : !ttg.memdesc<8x64xf16, #ttg.partitioned_shared<{numPartitions = 2, numGroups = 1, partitionDim = 0, partitionLayout = #sw}>, #smem, mutable> -> !ttg.memdesc<8x64xbf16, #ttg.partitioned_shared<{numPartitions = 2, numGroups = 1, partitionDim = 0, partitionLayout = #sw}>, #smem, mutable>
    tt.return
  }
}

// -----

// memdesc_reinterpret_c4
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<8x64xf16, #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>) {
    // expected-error @+1 {{requires the same padding in operand and result, but got `#ttg.padded_shared<[64:+8] {order = [1, 0],}}
    %0 = ttg.memdesc_reinterpret %a : !ttg.memdesc<8x64xf16, #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable> -> !ttg.memdesc<8x64xf16, #ttg.padded_shared<[32:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>
    tt.return
  }
}

// -----

// memdesc_reinterpret_c6
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{requires 16384 bytes for the result, but the operand has 8192}}
    %0 = ttg.memdesc_reinterpret %a : !ttg.memdesc<64x64xf16, #sw, #smem, mutable> -> !ttg.memdesc<64x64xf32, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// memdesc_reshape_c1
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{requires the same number of elements in result and operand, but got 2048 and 4096}}
    %0 = ttg.memdesc_reshape %a : !ttg.memdesc<64x64xf16, #sw, #smem, mutable> -> !ttg.memdesc<64x32xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// memdesc_reshape_c2
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<32x64xf16, #sw, #smem, mutable, 64x64>) {
    // expected-error @+1 {{operand is a view of shape 32x64 in an allocation of shape 64x64; expected a whole buffer}}
    %0 = ttg.memdesc_reshape %a : !ttg.memdesc<32x64xf16, #sw, #smem, mutable, 64x64> -> !ttg.memdesc<2048xf16, #s1, #smem, mutable>
    tt.return
  }
}

// -----

// memdesc_reshape_c3
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#sw8 = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #sw, #smem, mutable>) {
    // expected-error @+2 {{result encoding `#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1,}}
    // expected-note @+1 {{expected `#ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64],}}
    %0 = ttg.memdesc_reshape %a : !ttg.memdesc<64x64xf16, #sw, #smem, mutable> -> !ttg.memdesc<32x128xf16, #sw8, #smem, mutable>
    tt.return
  }
}

// -----

// memdesc_reshape_c5
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{only the operand is `mutable`; expected operand and result to be both mutable or both immutable}}
    %0 = ttg.memdesc_reshape %a : !ttg.memdesc<64x64xf16, #sw, #smem, mutable> -> !ttg.memdesc<4096xf16, #s1, #smem>
    tt.return
  }
}

// -----

// memdesc_subslice_c1
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x64xf32, #sw, #smem>) {
    // expected-error @+1 {{'ttg.memdesc_subslice' op result has element type `i32`, but the operand has `f32`; expected the same element type}}
    %0 = ttg.memdesc_subslice %m[0, 32] : !ttg.memdesc<64x64xf32, #sw, #smem> -> !ttg.memdesc<64x32xi32, #sw, #smem, 64x64>
    tt.return
  }
}

// -----

// memdesc_subslice_c2
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#other = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x64xf32, #sw, #smem>) {
    // expected-error @+1 {{'ttg.memdesc_subslice' op result has encoding `#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>`, but the operand has `#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0}}
    %0 = ttg.memdesc_subslice %m[0, 32] : !ttg.memdesc<64x64xf32, #sw, #smem> -> !ttg.memdesc<64x32xf32, #other, #smem, 64x64>
    tt.return
  }
}

// -----

// memdesc_subslice_c3
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<2x64x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{operand has rank 3, result has rank 2, and there are 3 offsets; expected these numbers to be equal}}
    %0 = ttg.memdesc_subslice %a[0, 0, 0] : !ttg.memdesc<2x64x64xf16, #sw, #smem, mutable> -> !ttg.memdesc<64x64xf16, #sw, #smem, mutable, 2x64x64>
    tt.return
  }
}

// -----

// memdesc_subslice_c5
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%m: !ttg.memdesc<64x64xf32, #sw, #smem>) {
    // expected-error @+1 {{'ttg.memdesc_subslice' op result type has allocation shape 128x64; expected 64x64, the allocation shape of the operand}}
    %0 = ttg.memdesc_subslice %m[0, 32] : !ttg.memdesc<64x64xf32, #sw, #smem> -> !ttg.memdesc<64x32xf32, #sw, #smem, 128x64>
    tt.return
  }
}

// -----

// memdesc_subslice_c6
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #t, #tmem, mutable>) {
    // expected-error @+1 {{requires a buffer in `#ttg.shared_memory`, but the buffer is in `#ttng.tensor_memory`}}
    %0 = ttg.memdesc_subslice %a[0, 32] : !ttg.memdesc<128x64xf32, #t, #tmem, mutable> -> !ttg.memdesc<128x32xf32, #t, #tmem, mutable, 128x64>
    tt.return
  }
}

// -----

// memdesc_subslice_c9
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{requires an offset that is a multiple of 32 in dimension 0, but got 16}}
    %0 = ttg.memdesc_subslice %a[16, 0] : !ttg.memdesc<64x64xf16, #sw, #smem, mutable> -> !ttg.memdesc<32x64xf16, #sw, #smem, mutable, 64x64>
    tt.return
  }
}

// -----

// memdesc_subslice_c10
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<4x64x64xf16, #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>, #smem, mutable>) {
    // expected-error @+1 {{cannot slice a multi-buffer with padding: the operand has rank 3, but `#ttg.padded_shared<[64:+8] {order = [1, 0], shape =}}
    %0 = ttg.memdesc_subslice %a[2, 0, 0] : !ttg.memdesc<4x64x64xf16, #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>, #smem, mutable> -> !ttg.memdesc<2x64x64xf16, #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 64]}>, #smem, mutable, 4x64x64>
    tt.return
  }
}

// -----

// memdesc_subslice_c11
#sw8 = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #sw8, #smem, mutable>) {
    // expected-error @+1 {{slice of size 4 in dimension 0 splits a swizzle period of `#ttg.swizzled_shared<{vec = 8,}}
    %0 = ttg.memdesc_subslice %a[4, 0] : !ttg.memdesc<64x64xf16, #sw8, #smem, mutable> -> !ttg.memdesc<4x64xf16, #sw8, #smem, mutable, 64x64>
    tt.return
  }
}

// -----

// memdesc_trans_c1
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x32xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{requires a permutation of 0 to 1 as `order`, but got [0, 0]}}
    %0 = ttg.memdesc_trans %a {order = array<i32: 0, 0>} : !ttg.memdesc<64x32xf16, #sw, #smem, mutable> -> !ttg.memdesc<32x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>, #smem, mutable>
    tt.return
  }
}

// -----

// memdesc_trans_c2
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#st = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%m: !ttg.memdesc<32x64xf32, #sw, #smem>) {
    // expected-error @+1 {{'ttg.memdesc_trans' op expected a result of shape 64x32, but got 32x64}}
    %0 = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<32x64xf32, #sw, #smem> -> !ttg.memdesc<32x64xf32, #st, #smem>
    tt.return
  }
}

// -----

// memdesc_trans_c5
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x32xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{only the operand is `mutable`; expected operand and result to be both mutable or both immutable}}
    %0 = ttg.memdesc_trans %a {order = array<i32: 1, 0>} : !ttg.memdesc<64x32xf16, #sw, #smem, mutable> -> !ttg.memdesc<32x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>, #smem>
    tt.return
  }
}

// -----

// tensordesc_im2col_c1
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  // expected-error @+1 {{an im2col descriptor requires blocks of rank 2, but got 1x64x64}}
  tt.func @f(%d: !ttng.tensordesc_im2col<1x64x64xf16, #nv>) {
    
    tt.return
  }
}

// -----

// memdesc_trans_c4, memdesc_trans_c3
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x128xf32, #sw, #smem, mutable>) {
    // expected-error @+3 {{operand is in `#ttg.shared_memory`, but the result is in `#ttng.tensor_memory`; expected the same memory space}}
    // expected-error @+2 {{result encoding `#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>` does not have the layout inferred from the operand}}
    // expected-note @+1 {{expected `#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>`}}
    %0 = ttg.memdesc_trans %a {order = array<i32: 1, 0>} : !ttg.memdesc<64x128xf32, #sw, #smem, mutable> -> !ttg.memdesc<128x64xf32, #t, #tmem, mutable>
    tt.return
  }
}

// -----

// memdesc_reshape_c4, memdesc_reshape_c3
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x128xf32, #sw, #smem, mutable>) {
    // expected-error @+3 {{operand is in `#ttg.shared_memory`, but the result is in `#ttng.tensor_memory`; expected the same memory space}}
    // expected-error @+2 {{result encoding `#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>` does not have the layout inferred from the operand}}
    // expected-note @+1 {{expected `#ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0],}}
    %0 = ttg.memdesc_reshape %a : !ttg.memdesc<64x128xf32, #sw, #smem, mutable> -> !ttg.memdesc<128x64xf32, #t, #tmem, mutable>
    tt.return
  }
}
