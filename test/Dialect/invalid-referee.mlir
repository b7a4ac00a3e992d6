// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules that random modules found missing.

// barrier_c3
#s = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<1xi64, #s, #ttg.shared_memory, mutable>) {
    // expected-error @+1 {{barrier has encoding `}}
    ttng.init_barrier %a, 1 : !ttg.memdesc<1xi64, #s, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// async_tma_copy_global_to_local_c3
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16, #s>, %a: !ttg.memdesc<64x64xf16, #s, #ttg.shared_memory, mutable>, %b: !ttg.memdesc<1xi64, #b, #ttg.shared_memory, mutable>, %i: i32, %p: i1) {
    // expected-error @+1 {{must not be volatile; remove `isVolatile`}}
    ttng.async_tma_copy_global_to_local %d[%i, %i] %a, %b, %p {isVolatile = true} : !tt.tensordesc<64x64xf16, #s>, !ttg.memdesc<1xi64, #b, #ttg.shared_memory, mutable> -> !ttg.memdesc<64x64xf16, #s, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// memdesc_reinterpret_c7
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#u = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #t, #ttng.tensor_memory, mutable>) {
    // expected-error @+1 {{requires 128 columns of tensor memory for the result, but the operand has 64}}
    %0 = ttg.memdesc_reinterpret %a : !ttg.memdesc<128x64xf32, #t, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x128xf32, #u, #ttng.tensor_memory, mutable>
    tt.return
  }
}

// -----

// memdesc_reinterpret_c7: blocks of 64 rows lie in half of the lanes
#t = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
#u = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #t, #ttng.tensor_memory, mutable>) {
    // expected-error @+1 {{requires 128 rows of tensor memory for the result, but the operand has 64}}
    %0 = ttg.memdesc_reinterpret %a : !ttg.memdesc<64x64xf16, #t, #ttng.tensor_memory, mutable> -> !ttg.memdesc<128x64xf16, #u, #ttng.tensor_memory, mutable>
    tt.return
  }
}

// -----

// tmem_subslice_c10
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CGALayout = [[1, 0], [2, 0]]>
module attributes {"ttg.num-ctas" = 4 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<1024x128xf16, #t, #ttng.tensor_memory, mutable>) {
    // expected-error @+1 {{slice of size 512 in dimension 0 of size 1024 leaves some CTAs without elements}}
    %0 = "ttng.tmem_subslice"(%a) <{dim = 0 : i32, offset = 512 : i32}> : (!ttg.memdesc<1024x128xf16, #t, #ttng.tensor_memory, mutable>) -> !ttg.memdesc<512x128xf16, #t, #ttng.tensor_memory, mutable, 1024x128>
    tt.return
  }
}

// -----

// buffer_load_to_local_c2
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%p: !tt.ptr<bf16>, %o: tensor<64x64xi32, #b>, %d: !ttg.memdesc<64x64xf16, #s, #ttg.shared_memory, mutable>) {
    // expected-error @+1 {{pointer has pointee type `bf16`; expected `f16`, the element type of the buffer}}
    %0 = amdg.buffer_load_to_local %p[%o] into %d : !tt.ptr<bf16>[tensor<64x64xi32, #b>] -> <64x64xf16, #s, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// Atomic operations compare and store what the pointer points to.
tt.func @f(%p: !tt.ptr<i32>, %c: i64, %v: i32) {
  // expected-error @+1 {{failed to verify that type of `cmp` matches the pointee type of ptr}}
  %0 = "tt.atomic_cas"(%p, %c, %v) <{scope = 1 : i32, sem = 4 : i32}> : (!tt.ptr<i32>, i64, i32) -> i32
  tt.return
}

// -----

tt.func @f(%p: !tt.ptr<i32>, %c: i64) {
  // expected-error @+1 {{failed to verify that type of `expected` matches the pointee type of ptr}}
  %0 = "tt.atomic_poll"(%p, %c) <{scope = 1 : i32, sem = 2 : i32}> : (!tt.ptr<i32>, i64) -> i1
  tt.return
}

// -----

// scaled_c17
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: tensor<64x8xf8E5M2, #b>, %s: tensor<64x8xi8, #b>) {
    // expected-error @+1 {{requires at least 4 elements per thread on `hip:gfx950`, but got 2 in `}}
    %0 = amdg.scaled_upcast_fp8 %a scale %s : tensor<64x8xf8E5M2, #b>, tensor<64x8xi8, #b> -> tensor<64x8xbf16, #b>
    tt.return
  }
}

// -----

// scaled_c18
#b = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: tensor<64x64xf8E5M2, #b>, %s: tensor<64x64xi8, #b>) {
    // expected-error @+1 {{do not hold 4 contiguous elements along one dimension, which `hip:gfx950` requires}}
    %0 = amdg.scaled_upcast_fp8 %a scale %s : tensor<64x64xf8E5M2, #b>, tensor<64x64xi8, #b> -> tensor<64x64xbf16, #b>
    tt.return
  }
}

// -----

// scaled_c16
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1251", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf8E5M2, #b>, %s: tensor<64x64xbf16, #b>) {
    // expected-error @+1 {{requires scales of element type `i8` on `hip:gfx1251`}}
    %0 = amdg.scaled_upcast_fp8 %a scale %s : tensor<64x64xf8E5M2, #b>, tensor<64x64xbf16, #b> -> tensor<64x64xbf16, #b>
    tt.return
  }
}

// -----

// scaled_c18, for the result of 4-bit elements
#b = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#c = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xi8, #b>, %s: tensor<64x128xi8, #c>) {
    // expected-error @+1 {{do not hold 8 contiguous elements along one dimension, which `hip:gfx1250` requires}}
    %0 = amdg.scaled_upcast_fp4 %a scale %s {axis = 1 : i32} : tensor<64x64xi8, #b>, tensor<64x128xi8, #c> -> tensor<64x128xbf16, #c>
    tt.return
  }
}

// -----

// buffer_load_to_local_c3
#b = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%d: !ttg.memdesc<64x64xf16, #s, #ttg.shared_memory, mutable>, %p: !tt.ptr<f16>, %o: tensor<64x64xi32, #b>, %x: tensor<64x64xbf16, #b>) {
    // expected-error @+1 {{; expected element type `f16` and the shape and encoding of the offsets, `}}
    %0 = amdg.buffer_load_to_local %p[%o] other = %x into %d : !tt.ptr<f16>[tensor<64x64xi32, #b>] tensor<64x64xbf16, #b> -> <64x64xf16, #s, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// memdesc_trans_c6
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#t = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<32x64xf16, #s, #ttg.shared_memory, mutable, 64x64>) {
    // expected-error @+1 {{expected a result with allocation shape 64x64, but got 64x32}}
    %0 = ttg.memdesc_trans %a {order = array<i32: 1, 0>} : !ttg.memdesc<32x64xf16, #s, #ttg.shared_memory, mutable, 64x64> -> !ttg.memdesc<64x32xf16, #t, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// memdesc_reshape_c6
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#t = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<32x64xf16, #s, #ttg.shared_memory, mutable, 3x32x64>) {
    // expected-error @+1 {{expected a result with allocation shape 3x2048, but got 2048}}
    %0 = ttg.memdesc_reshape %a : !ttg.memdesc<32x64xf16, #s, #ttg.shared_memory, mutable, 3x32x64> -> !ttg.memdesc<2048xf16, #t, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// memdesc_subslice_c10
#p = #ttg.partitioned_shared<{numPartitions = 2, numGroups = 1, partitionDim = 0, partitionLayout = #ttg.padded_shared<[8:+8] {order = [1, 0], shape = [16, 8]}>}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<3x32x8xf16, #p, #ttg.shared_memory, mutable>) {
    // expected-error @+1 {{cannot slice a multi-buffer with padding: the operand has rank 3, but `}}
    %0 = ttg.memdesc_subslice %a [0, 16, 0] : !ttg.memdesc<3x32x8xf16, #p, #ttg.shared_memory, mutable> -> !ttg.memdesc<3x16x8xf16, #p, #ttg.shared_memory, mutable, 3x32x8>
    tt.return
  }
}

// -----

// memdesc_reinterpret_c6: each CTA has half of the operand, and all of the result
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
#t = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64xf16, #s, #ttg.shared_memory, mutable>) {
    // expected-error @+1 {{requires 128 bytes for the result, but the operand has 64}}
    %0 = ttg.memdesc_reinterpret %a : !ttg.memdesc<64xf16, #s, #ttg.shared_memory, mutable> -> !ttg.memdesc<64xbf16, #t, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// memdesc_reinterpret_c5
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #s, #ttg.shared_memory, mutable>) {
    // expected-error @+1 {{result type is a view of shape 32x64 in an allocation of shape 64x64; expected a whole buffer}}
    %0 = ttg.memdesc_reinterpret %a : !ttg.memdesc<64x64xf16, #s, #ttg.shared_memory, mutable> -> !ttg.memdesc<32x64xbf16, #s, #ttg.shared_memory, mutable, 64x64>
    tt.return
  }
}

// -----

// memdesc_reinterpret_c8
#s = #ttg.padded_shared<[8:+8] {order = [1, 0], shape = [16, 8]}>
#t = #ttg.padded_shared<[8:+8] {order = [1, 0], shape = [8, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<8x8xf16, #s, #ttg.shared_memory, mutable, 16x8>) {
    // expected-error @+1 {{operand is a view of shape 8x8 in a padded allocation of shape 16x8; expected a whole buffer}}
    %0 = ttg.memdesc_reinterpret %a : !ttg.memdesc<8x8xf16, #s, #ttg.shared_memory, mutable, 16x8> -> !ttg.memdesc<8x8xbf16, #t, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// memdesc_reinterpret_c9
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64xf16, #s, #ttg.shared_memory, mutable, 128>) {
    // expected-error @+1 {{operand is sliced along dimension 0, which is split over CTAs; expected the full size in dimension 0}}
    %0 = ttg.memdesc_reinterpret %a : !ttg.memdesc<64xf16, #s, #ttg.shared_memory, mutable, 128> -> !ttg.memdesc<64xbf16, #s, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// memdesc_reinterpret_c10: rows of 64 in an allocation with rows of 128
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<8x64xi8, #s, #ttg.shared_memory, mutable, 8x128>) {
    // expected-error @+1 {{result requires 128 contiguous bytes, but only the first 64 of the operand are contiguous}}
    %0 = ttg.memdesc_reinterpret %a : !ttg.memdesc<8x64xi8, #s, #ttg.shared_memory, mutable, 8x128> -> !ttg.memdesc<2x64xi8, #s, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// memdesc_reinterpret_c10
#s = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x32xf32, #s, #ttng.tensor_memory, mutable, 128x64>) {
    // expected-error @+1 {{result requires 64 contiguous columns of tensor memory, but only the first 32 of the operand are contiguous}}
    %0 = ttg.memdesc_reinterpret %a : !ttg.memdesc<128x32xf32, #s, #ttng.tensor_memory, mutable, 128x64> -> !ttg.memdesc<128x64xf32, #s, #ttng.tensor_memory, mutable>
    tt.return
  }
}

// -----

// memdesc_reinterpret_c7: the second block of 64 rows lies between the rows of the first
#s = #ttng.tensor_memory_encoding<blockM = 64, blockN = 32, colStride = 1>
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 32, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x32xf32, #s, #ttng.tensor_memory, mutable, 64x64>) {
    // expected-error @+1 {{requires 128 rows of tensor memory for the result, but the operand has 64}}
    %0 = ttg.memdesc_reinterpret %a : !ttg.memdesc<64x32xf32, #s, #ttng.tensor_memory, mutable, 64x64> -> !ttg.memdesc<128x32xf32, #t, #ttng.tensor_memory, mutable>
    tt.return
  }
}

// -----

// clc_c3
#s = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<2xi64, #s, #ttg.shared_memory, mutable>) {
    // expected-error @+1 {{response buffer has encoding `}}
    %0 = ttng.clc_load_result %a : !ttg.memdesc<2xi64, #s, #ttg.shared_memory, mutable> -> i128
    tt.return
  }
}

// -----

// clc_try_cancel_sync_c1
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error @+1 {{result type is `}}
    %0 = ttng.clc_try_cancel_sync : tensor<2xf64, #b>
    tt.return
  }
}

// -----

// tma_c12
#n = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16, #n>, %a: !ttg.memdesc<1x64x64xf16, #n, #ttg.shared_memory, mutable>, %i: i32) {
    // expected-error @+1 {{buffer has shape 1x64x64, but encoding `}}
    ttng.async_tma_copy_local_to_global %d[%i, %i] %a : !tt.tensordesc<64x64xf16, #n>, !ttg.memdesc<1x64x64xf16, #n, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// barrier_c1
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#b = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16, #s>, %a: !ttg.memdesc<64x64xf16, #s, #ttg.shared_memory, mutable>, %b: !ttg.memdesc<1xi32, #b, #ttg.shared_memory, mutable>) {
    // expected-error @+1 {{barrier is `1xi32`; expected `i64` elements, rank 1, and at most one element per CTA (1)}}
    %0 = "amdg.async_tdm_copy_local_to_global"(%d, %a, %b) : (!tt.tensordesc<64x64xf16, #s>, !ttg.memdesc<64x64xf16, #s, #ttg.shared_memory, mutable>, !ttg.memdesc<1xi32, #b, #ttg.shared_memory, mutable>) -> !ttg.async.token
    tt.return
  }
}

// -----

// ttg_c1: an encoding on some tensors only
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%p: tensor<128x!tt.ptr<f32>>, %o: tensor<128xi32, #b>) {
    // expected-error @+1 {{requires an encoding on all operands and results, or on none, but got `}}
    %0 = "tt.addptr"(%p, %o) : (tensor<128x!tt.ptr<f32>>, tensor<128xi32, #b>) -> tensor<128x!tt.ptr<f32>>
    tt.return
  }
}

// -----

// in_thread_transpose_c2
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: tensor<64x64xf16, #s>) {
    // expected-error @+1 {{requires an operand whose encoding is `#ttg.blocked`, but got `}}
    %0 = "amdg.in_thread_transpose"(%a) : (tensor<64x64xf16, #s>) -> tensor<64x64xf16, #s>
    tt.return
  }
}

// -----

// What Triton takes, and nothing may be said about.
#p = #ttg.partitioned_shared<{numPartitions = 4, numGroups = 2, partitionDim = 0, partitionLayout = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#i8 = #ttg.padded_shared<[16:+16] {order = [1, 0], shape = [8, 8]}>
#f16 = #ttg.padded_shared<[8:+8] {order = [1, 0], shape = [4, 8]}>
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<32x8xbf16, #p, #ttg.shared_memory, mutable>, %b: !ttg.memdesc<4x64xi8, #s, #ttg.shared_memory, mutable, 32x64>, %c: !ttg.memdesc<8x8xi8, #i8, #ttg.shared_memory, mutable>, %d: !ttg.memdesc<128x32xf32, #t, #ttng.tensor_memory, mutable, 128x64>) {
    %0 = ttg.memdesc_reshape %a : !ttg.memdesc<32x8xbf16, #p, #ttg.shared_memory, mutable> -> !ttg.memdesc<16x16xbf16, #p, #ttg.shared_memory, mutable>
    %1 = ttg.memdesc_reinterpret %b : !ttg.memdesc<4x64xi8, #s, #ttg.shared_memory, mutable, 32x64> -> !ttg.memdesc<8x16xbf16, #s, #ttg.shared_memory, mutable>
    %2 = ttg.memdesc_reinterpret %c : !ttg.memdesc<8x8xi8, #i8, #ttg.shared_memory, mutable> -> !ttg.memdesc<4x8xf16, #f16, #ttg.shared_memory, mutable>
    %3 = ttg.memdesc_reinterpret %d : !ttg.memdesc<128x32xf32, #t, #ttng.tensor_memory, mutable, 128x64> -> !ttg.memdesc<128x64xf16, #t, #ttng.tensor_memory, mutable>
    tt.return
  }
}

// -----

// elementwise_inline_asm_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: f32) {
    // expected-error @+1 {{requires at least one result}}
    "tt.elementwise_inline_asm"(%a) <{asm_string = "a", constraints = "r", packed_element = 1 : i32, pure = false}> : (f32) -> ()
    tt.return
  }
}

// -----

// elementwise_inline_asm_c1: read as Triton does, without a sign
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128xf32, #b>) {
    // expected-error @+1 {{`packed_element` is 4294967295; expected a divisor of 128, the number of elements in `}}
    %0 = "tt.elementwise_inline_asm"(%a) <{asm_string = "a", constraints = "=r,r", packed_element = -1 : i32, pure = false}> : (tensor<128xf32, #b>) -> tensor<128xf32, #b>
    tt.return
  }
}

// -----

// dot_c11
#w = #ttg.amd_wmma<{version = 2, isTranspose = false, ctaLayout = {warp = [[0, 1], [0, 2]]}, CGALayout = [[0, 0]], instrShape = [16, 16, 16]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #w, kWidth = 8}>>, %b: tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #w, kWidth = 8}>>, %c: tensor<64x64xf32, #w>) {
    // expected-error @+1 {{result encoding `}}
    %0 = tt.dot %a, %b, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #w, kWidth = 8}>> * tensor<64x64xf16, #ttg.dot_op<{opIdx = 1, parent = #w, kWidth = 8}>> -> tensor<64x64xf32, #w>
    tt.return
  }
}

// -----

// reshape_c3: another register is a copy
#l = #ttg.linear<{register = [[32], [0]], lane = [[1], [2], [4], [8], [16]], warp = [], block = []}>
#m = #ttg.linear<{register = [[0], [32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = []}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64xf32, #l>) {
    // expected-error @+2 {{does not have the layout inferred from the operand}}
    // expected-note @+1 {{the inferred layout is:}}
    %0 = tt.reshape %a allow_reorder : tensor<64xf32, #l> -> tensor<64xf32, #m>
    tt.return
  }
}

// -----

// dot_scaled_c4: the last dimension of scales is K
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128x128xf8E5M2>, %b: tensor<128x32xf8E5M2>, %c: tensor<128x32xf32>, %s: tensor<128x4x1xi8>) {
    // expected-error @+1 {{requires one scale per 16 or 32 elements along K, but `a` has 1 scales for 128 elements}}
    %0 = "tt.dot_scaled"(%a, %b, %c, %s) <{a_elem_type = 1 : i32, b_elem_type = 1 : i32, fastMath = false, lhs_k_pack = true, rhs_k_pack = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (tensor<128x128xf8E5M2>, tensor<128x32xf8E5M2>, tensor<128x32xf32>, tensor<128x4x1xi8>) -> tensor<128x32xf32>
    tt.return
  }
}

// -----

// tmem_copy_c5: cut where it is split over CTAs
#n = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32, CGALayout = [[1, 0]]}>
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CGALayout = [[1, 0]]>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<256x64xf32, #n, #ttg.shared_memory, mutable>, %b: !ttg.memdesc<256x64xf32, #t, #ttng.tensor_memory, mutable, 512x64>) {
    // expected-error @+1 {{operand and destination are split over CTAs differently: `}}
    ttng.tmem_copy %a, %b : !ttg.memdesc<256x64xf32, #n, #ttg.shared_memory, mutable>, !ttg.memdesc<256x64xf32, #t, #ttng.tensor_memory, mutable, 512x64>
    tt.return
  }
}

// -----

// a number that does not fit
// expected-error @+1 {{expected an integer from 0 to 2147483647, got 4294967295}}
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4294967295, order = [0]}>

// -----

// a rank that is none
// expected-error @+1 {{expected an integer from 1 to 2147483647, got 0}}
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 0}>

// -----

// not a rule of ours: MLIR checks the types
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%p: tensor<128x!tt.ptr<i32>, #b>, %e: tensor<128xi32, #b>) {
    // expected-error @+1 {{failed to verify that result type is i1 with the shape and encoding of operand `expected`}}
    %0 = "tt.atomic_poll"(%p, %e) <{scope = 1 : i32, sem = 2 : i32}> : (tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>) -> tensor<64xi1, #b>
    tt.return
  }
}

// -----

// scaled_c8: whatever the layouts are
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: tensor<32x64xbf16, #b>, %s: tensor<32x64xi8, #s>) {
    // expected-error @+1 {{requires more than one result element per scale along dimension 1, but got 1}}
    %0 = amdg.scaled_downcast_fp8 %a scale %s {axis = 1 : i32} : tensor<32x64xbf16, #b>, tensor<32x64xi8, #s> -> tensor<32x64xf8E4M3FN, #b>
    tt.return
  }
}

// -----

// tmem_load_c5: what is reduced is the only result
#b = #ttg.blocked<{sizePerThread = [1, 64], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [0, 1]}>
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf32, #t, #ttng.tensor_memory, mutable>) {
    // expected-error @+1 {{has a result for the reduction, but not `redOp`; expected both or neither}}
    %0 = "ttng.tmem_load"(%a) <{resultSegmentSizes = array<i32: 0, 0, 1>}> : (!ttg.memdesc<128x64xf32, #t, #ttng.tensor_memory, mutable>) -> tensor<128x64xf32, #b>
    tt.return
  }
}

// -----

// fp4_to_fp_c6: another column lies between the rows of a pair
#p = #ttg.blocked<{sizePerThread = [4, 2], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#w = #ttg.blocked<{sizePerThread = [8, 2], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx950", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: tensor<128x16xi8, #p>) {
    // expected-error @+1 {{the first two registers of a thread do not hold adjacent elements along the axis}}
    %0 = ttg.fp4_to_fp %a {axis = 0 : i32} : tensor<128x16xi8, #p> -> tensor<256x16xbf16, #w>
    tt.return
  }
}

// -----

// scaled_c15
#p = #ttg.blocked<{sizePerThread = [4, 2], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#w = #ttg.blocked<{sizePerThread = [8, 2], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%a: tensor<128x16xi8, #p>, %s: tensor<256x16xi8, #w>) {
    // expected-error @+1 {{the first two registers of a thread do not hold adjacent elements along the axis}}
    %0 = amdg.scaled_upcast_fp4 %a scale %s {axis = 0 : i32} : tensor<128x16xi8, #p>, tensor<256x16xi8, #w> -> tensor<256x16xbf16, #w>
    tt.return
  }
}

// -----

// tc_gen5_mma_c3: an f64 is no float of 6 bits
#n = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 8}>
#t = #ttng.tensor_memory_encoding<blockM = 64, blockN = 32, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf64, #n, #ttg.shared_memory, mutable>, %b: !ttg.memdesc<64x32xf8E4M3FN, #n, #ttg.shared_memory, mutable>, %d: !ttg.memdesc<64x32xf32, #t, #ttng.tensor_memory, mutable>, %p: i1) {
    // expected-error @+1 {{requires elements of `f32`, `f16`, `bf16`, `i8` or a float of at most 8 bits, but got `f64`}}
    ttng.tc_gen5_mma %a, %b, %d, %p, %p : !ttg.memdesc<64x64xf64, #n, #ttg.shared_memory, mutable>, !ttg.memdesc<64x32xf8E4M3FN, #n, #ttg.shared_memory, mutable>, !ttg.memdesc<64x32xf32, #t, #ttng.tensor_memory, mutable>
    tt.return
  }
}

// -----

// memdesc_reinterpret_c4: also of a buffer without a layout
#n = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 32}>
#p = #ttg.padded_shared<[32:+2] {order = [1, 0], shape = [8, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<32x4xi32, #n, #ttg.shared_memory, mutable>) {
    // expected-error @+1 {{requires the same padding in operand and result, but got `}}
    %0 = ttg.memdesc_reinterpret %a : !ttg.memdesc<32x4xi32, #n, #ttg.shared_memory, mutable> -> !ttg.memdesc<8x16xf32, #p, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// inline_asm_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<128xi32>) {
    // expected-error @+1 {{requires tensors with an encoding, but got `}}
    %0 = "ttg.inline_asm"(%a) <{asm_string = "a", constraints = "=r,r", pure = false}> : (tensor<128xi32>) -> i32
    tt.return
  }
}

// -----

// generic_linear_c1: the tiles of a warp lie along a diagonal
#w = #ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {register = [[1, 1]], warp = [[1, 0]]}, instrShape = [16, 16, 16]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x64xf32, #w>, %b: tensor<64x64xi32, #w>) {
    // expected-error @+2 {{does not support an encoding with swizzled warps}}
    // expected-note @+1 {{convert the tensor with `ttg.convert_layout`}}
    %0 = tt.gather %a[%b] {axis = 0 : i32} : (tensor<64x64xf32, #w>, tensor<64x64xi32, #w>) -> tensor<64x64xf32, #w>
    tt.return
  }
}

// -----

// What Triton takes: several buffers, of which an atomic update changes one.
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<2x8xi32, #s, #ttg.shared_memory, mutable>, %v: tensor<8xi32, #b>) {
    %0 = "ttg.local_atomic_scatter_rmw"(%a, %v, %v) <{atomic_rmw_op = 4 : i32, axis = 0 : i32}> : (!ttg.memdesc<2x8xi32, #s, #ttg.shared_memory, mutable>, tensor<8xi32, #b>, tensor<8xi32, #b>) -> tensor<8xi32, #b>
    tt.return
  }
}

// -----

// tdm_hint_c1
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 3 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16>, %a: !ttg.memdesc<64x64xf16, #s, #ttg.shared_memory, mutable>) {
    // expected-error @+1 {{number of warps is 3; with a warp hint, expected a power of two below 32}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %a {warp_used_hint = 3 : i32} : !tt.tensordesc<64x64xf16> -> !ttg.memdesc<64x64xf16, #s, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// fp4_to_fp_c6: `kWidth` is along K, which has one element
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1, 1], instrShape = [1, 16, 8]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: tensor<64x1x32xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>>) {
    // expected-error @+1 {{the first two registers of a thread do not hold adjacent elements along the axis}}
    %0 = ttg.fp4_to_fp %a {axis = 2 : i32} : tensor<64x1x32xi8, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 2}>> -> tensor<64x1x64xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
    tt.return
  }
}
