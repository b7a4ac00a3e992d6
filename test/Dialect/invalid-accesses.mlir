// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of how memory is accessed: by which caches, in which pieces, by which CTAs.

// load_c1
tt.func @f(%p: !tt.ptr<f32>) {
  // expected-error @+1 {{cache modifier `wt` is for stores only; expected `ca`, `cg`, `cs` or `cv`}}
  %0 = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = wt, eviction_policy = evict_first>} : !tt.ptr<f32>
  tt.return
}

// -----

// store_c1
tt.func @f(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @+1 {{cache modifier `ca` is for loads only; expected `cg`, `cs`, `wb` or `wt`}}
  tt.store %p, %x {cachePolicy = #ttng.cache_policy<cache_modifier = ca>} : !tt.ptr<f32>
  tt.return
}

// -----

// tma_c13
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func @f(%d: !tt.tensordesc<16x64xf16, #nv>, %s: !ttg.memdesc<16x64xf16, #nv, #smem, mutable>, %i: i32) {
    // expected-error @+1 {{bypasses the L1 cache and must not have a cache modifier, but got `cg`}}
    ttng.async_tma_copy_local_to_global %d[%i, %i] %s {cachePolicy = #ttng.cache_policy<cache_modifier = cg>} : !tt.tensordesc<16x64xf16, #nv>, !ttg.memdesc<16x64xf16, #nv, #smem, mutable>
    tt.return
  }
}

// -----

// tma_c13
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func @f(%d: !tt.tensordesc<16x64xf16, #nv>, %s: !ttg.memdesc<16x64xf16, #nv, #smem, mutable>, %b: !ttg.memdesc<1xi64, #s1, #smem, mutable>, %i: i32, %p: i1) {
    // expected-error @+1 {{bypasses the L1 cache and must not have an `l1` policy, but got `evict_last`}}
    ttng.async_tma_copy_global_to_local %d[%i, %i] %s, %b, %p {cachePolicy = #ttng.cache_policy<l1 = evict_last>} : !tt.tensordesc<16x64xf16, #nv>, !ttg.memdesc<1xi64, #s1, #smem, mutable> -> !ttg.memdesc<16x64xf16, #nv, #smem, mutable>
    tt.return
  }
}

// -----

// tensordesc_c1
// expected-error @+1 {{expected the block shape and element type, such as `8x16xf32`, but got 'tensor<4x32xf16>'}}
tt.func private @f(!tt.tensordesc<tensor<4x32xf16>>)

// -----

// atomic_load_c2
tt.func @f(%p: tensor<8x!tt.ptr<i1>>) {
  // expected-error @+1 {{requires elements of at least 8 bits, but got 1}}
  %0 = tt.atomic_load relaxed, cta, %p : (tensor<8x!tt.ptr<i1>>) -> tensor<8xi1>
  tt.return
}

// -----

// atomic_store_c1
tt.func @f(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @+1 {{requires memory semantics `relaxed` or `release`, but got `acquire`}}
  tt.atomic_store acquire, cta, %p, %x : !tt.ptr<i32>
  tt.return
}

// -----

// atomic_store_c2
tt.func @f(%p: tensor<8x!tt.ptr<i1>>, %x: tensor<8xi1>) {
  // expected-error @+1 {{requires elements of at least 8 bits, but got 1}}
  tt.atomic_store relaxed, cta, %p, %x : tensor<8x!tt.ptr<i1>>
  tt.return
}

// -----

// atomic_poll_c1
tt.func @f(%p: !tt.ptr<i8>, %x: i8) {
  // expected-error @+1 {{requires elements of 16, 32 or 64 bits, but got 8}}
  %0 = tt.atomic_poll relaxed, sys, %p, %x : !tt.ptr<i8>, i8 -> i1
  tt.return
}

// -----

// buffer_c2
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%p: !tt.ptr<f16, "constant">, %i: tensor<512xi32, #b>, %x: tensor<512xf16, #b>) {
    // expected-error @+1 {{requires a pointer to global memory, but got `!tt.ptr<f16, "constant">`}}
    amdg.buffer_store %x, %p[%i] : !tt.ptr<f16, "constant"> -> tensor<512xf16, #b>
    tt.return
  }
}

// -----

// local_atomic_scatter_rmw_c2
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func @f(%m: !ttg.memdesc<256x!tt.ptr<f32>, #s, #smem, mutable>, %i: tensor<128xi32, #b>, %x: tensor<128x!tt.ptr<f32>, #b>) {
    // expected-error @+1 {{requires values of integer or float type, but got `tensor<128x!tt.ptr<f32>}}
    %0 = ttg.local_atomic_scatter_rmw exch, %m[%i], %x {axis = 0 : i32} : (!ttg.memdesc<256x!tt.ptr<f32>, #s, #smem, mutable>, tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>) -> tensor<128x!tt.ptr<f32>, #b>
    tt.return
  }
}

// -----

// memdesc_subslice_c8: an offset before the beginning
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @f(%m: !ttg.memdesc<32x16xf32, #s, #ttg.shared_memory>) {
  // expected-error @+1 {{slice of size 8 at offset -8 is out of bounds in dimension 0 of size 32}}
  %0 = ttg.memdesc_subslice %m[-8, 0] : !ttg.memdesc<32x16xf32, #s, #ttg.shared_memory> -> !ttg.memdesc<8x16xf32, #s, #ttg.shared_memory, 32x16>
  tt.return
}

// -----

// memdesc_subslice_c9: any buffer may be taken, but not any row of it
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @f(%m: !ttg.memdesc<6x32x16xf32, #s, #ttg.shared_memory>) {
  // expected-error @+1 {{requires an offset that is a multiple of 8 in dimension 1, but got 4}}
  %0 = ttg.memdesc_subslice %m[1, 4, 0] : !ttg.memdesc<6x32x16xf32, #s, #ttg.shared_memory> -> !ttg.memdesc<5x8x16xf32, #s, #ttg.shared_memory, 6x32x16>
  tt.return
}

// -----

// barrier_c4
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[2], [1]]}>
module attributes {"ttg.num-ctas" = 4 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func @f(%b: !ttg.memdesc<4xi64, #s, #ttg.shared_memory, mutable>, %phase: i32) {
    // expected-error @+1 {{barrier has `CGALayout = [[2], [1]]`; expected `[1]` as the first nonzero basis, `[2]` as the second, `[4]` as the third, and so on}}
    ttng.wait_barrier %b, %phase : !ttg.memdesc<4xi64, #s, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// barrier_c1
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250"} {
  tt.func @f(%d: !tt.tensordesc<32x16xf16>, %m: !ttg.memdesc<32x16xf16, #s, #smem, mutable>, %b: !ttg.memdesc<2xi64, #s1, #smem>) {
    // expected-error @+1 {{barrier is `2xi64`; expected `i64` elements, rank 1, and at most one element per CTA (1)}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %m, barrier = %b : !tt.tensordesc<32x16xf16>, !ttg.memdesc<2xi64, #s1, #smem> -> !ttg.memdesc<32x16xf16, #s, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_store_c1: a CTA has half of each row
#p = #ttg.padded_shared<[64:+4] {offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], block = [[0, 32]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250"} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %m: !ttg.memdesc<8x64xf16, #p, #smem, mutable>, %i: tensor<8xi32>) {
    // expected-error @+1 {{padding interval is 64 elements; expected 32, the length of one row}}
    amdg.async_tdm_scatter %d[%i] from %m : tensor<8xi32>, !ttg.memdesc<8x64xf16, #p, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// dot_c12
#rows = #ttg.amd_wmma<{version = 3, isTranspose = false, ctaLayout = {warp = [[1, 0], [2, 0]]}, CGALayout = [[1, 0]], instrShape = [16, 16, 32]}>
#columns = #ttg.amd_wmma<{version = 3, isTranspose = false, ctaLayout = {warp = [[1, 0], [2, 0]]}, CGALayout = [[0, 1]], instrShape = [16, 16, 32]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #rows, kWidth = 8}>
#b = #ttg.dot_op<{opIdx = 1, parent = #columns, kWidth = 8}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: tensor<128x32xf16, #a>, %y: tensor<32x32xf16, #b>, %z: tensor<128x32xf32, #rows>) {
    // expected-error @+1 {{operand 1 has CTA bases [[0, 1]]; expected [[0, 0]]: those of the result, but 0 along K}}
    %0 = tt.dot %x, %y, %z : tensor<128x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<128x32xf32, #rows>
    tt.return
  }
}

// -----

// dot_scaled_c7
#mma = #ttg.amd_wmma<{version = 3, isTranspose = false, ctaLayout = {warp = [[1, 0], [2, 0]]}, CGALayout = [[0, 0]], instrShape = [16, 16, 128]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 16}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 16}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: tensor<64x128xf8E5M2, #a>, %y: tensor<128x16xf8E5M2, #b>, %z: tensor<64x16xf32, #mma>) {
    // expected-error @+1 {{result encoding `#ttg.amd_wmma}}
    %0 = tt.dot_scaled %x, %y, %z lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<64x128xf8E5M2, #a> * tensor<128x16xf8E5M2, #b> -> tensor<64x16xf32, #mma>
    tt.return
  }
}

// -----

// dot_scaled_c8
#rows = #ttg.amd_wmma<{version = 3, isTranspose = false, ctaLayout = {warp = [[1, 0], [2, 0]]}, CGALayout = [[1, 0]], instrShape = [16, 16, 128]}>
#columns = #ttg.amd_wmma<{version = 3, isTranspose = false, ctaLayout = {warp = [[1, 0], [2, 0]]}, CGALayout = [[0, 1]], instrShape = [16, 16, 128]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #columns, kWidth = 16}>
#b = #ttg.dot_op<{opIdx = 1, parent = #rows, kWidth = 16}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: tensor<128x128xf8E5M2, #a>, %y: tensor<128x16xf8E5M2, #b>, %z: tensor<128x16xf32, #rows>) {
    // expected-error @+1 {{; expected [[1, 0]]: those of the result, but 0 along K}}
    %0 = tt.dot_scaled %x, %y, %z lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<128x128xf8E5M2, #a> * tensor<128x16xf8E5M2, #b> -> tensor<128x16xf32, #rows>
    tt.return
  }
}

// -----

// dot_scaled_c9
#mma = #ttg.amd_wmma<{version = 3, isTranspose = false, ctaLayout = {warp = [[1, 0], [2, 0]]}, CGALayout = [[0, 1]], instrShape = [16, 16, 128]}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 16}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 16}>
#s = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 0]]}>
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%x: tensor<64x128xf8E5M2, #a>, %y: tensor<128x32xf8E5M2, #b>, %s: tensor<32x4xi8, #s>, %z: tensor<64x32xf32, #mma>) {
    // expected-error @+1 {{scales of operand 1 have type `tensor<32x4xi8,}}
    %0 = tt.dot_scaled %x, %y scale %s, %z lhs = e5m2 rhs = e5m2 {fastMath = false} : tensor<64x128xf8E5M2, #a> * tensor<128x32xf8E5M2, #b>, tensor<32x4xi8, #s> -> tensor<64x32xf32, #mma>
    tt.return
  }
}

// -----

// tmem_copy_c12: between two columns of the part lie those of other rows
#s = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 2, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x32xf32, #s, #ttg.shared_memory>, %b: !ttg.memdesc<128x32xf32, #t, #ttng.tensor_memory, mutable, 256x32>) {
    // expected-error @+1 {{requires at least 4 contiguous elements in each row of the destination, but got 2}}
    ttng.tmem_copy %a, %b : !ttg.memdesc<128x32xf32, #s, #ttg.shared_memory>, !ttg.memdesc<128x32xf32, #t, #ttng.tensor_memory, mutable, 256x32>
    tt.return
  }
}

// -----

// return_c1
tt.func @two(%x: i32) -> (i32, i32) {
  // expected-error @+1 {{returns ('i32'), but `two` has the results ('i32', 'i32')}}
  tt.return %x : i32
}

// -----

// return_c1
tt.func @wide(%x: i32) -> i64 {
  // expected-error @+1 {{returns ('i32'), but `wide` has the results ('i64')}}
  tt.return %x : i32
}

// -----

// expected-error @+1 {{symbol declaration cannot have public visibility}}
tt.func @without_body(i32)

// -----

// tma_c14
#n = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16, #n>, %a: !ttg.memdesc<64x64xf16, #n, #ttg.shared_memory, mutable>, %i: i32) {
    // expected-error @+1 {{must not have `l2_prefetch_size`, but got `64 : i32`}}
    ttng.async_tma_copy_local_to_global %d[%i, %i] %a {cachePolicy = #ttng.cache_policy<l2_prefetch_size = 64 : i32>} : !tt.tensordesc<64x64xf16, #n>, !ttg.memdesc<64x64xf16, #n, #ttg.shared_memory, mutable>
    tt.return
  }
}

// -----

// store_c1: from shared memory
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x64xf16, #s, #ttg.shared_memory, mutable>, %p: tensor<64x64x!tt.ptr<f16>, #b>) {
    // expected-error @+1 {{cache modifier `cv` is for loads only; expected `cg`, `cs`, `wb` or `wt`}}
    %0 = amdg.async_copy_local_to_global %a, %p {cachePolicy = #tt.cache_policy<cache_modifier = cv, eviction_policy = evict_normal>} : !ttg.memdesc<64x64xf16, #s, #ttg.shared_memory, mutable> -> tensor<64x64x!tt.ptr<f16>, #b>
    tt.return
  }
}
