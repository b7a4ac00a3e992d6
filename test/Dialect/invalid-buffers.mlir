// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of buffers: of their types, and of the operations on them.

// memdesc_c2
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @+1 {{a buffer has no dimension of size 0, but this one is 0x32 of 0x32}}
tt.func private @f(!ttg.memdesc<0x32xf16, #s, #ttg.shared_memory>)

// -----

// memdesc_c3
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @+1 {{a view has at most the dimensions of its allocation, but 16x32 has more than 32}}
tt.func private @f(!ttg.memdesc<16x32xf16, #s, #ttg.shared_memory, 32>)

// -----

// memdesc_c4
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @+1 {{a view lies within its allocation, but 16x32 is larger than 8x32}}
tt.func private @f(!ttg.memdesc<16x32xf16, #s, #ttg.shared_memory, 8x32>)

// -----

// memdesc_c5
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @+1 {{is for buffers of rank 2, or 3 with one dimension of buffers, but this one has rank 1}}
tt.func private @f(!ttg.memdesc<32xf16, #s, #ttg.shared_memory>)

// -----

// memdesc_c5
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// expected-error @+1 {{is a layout of registers}}
tt.func private @f(!ttg.memdesc<32xf16, #b, #ttg.shared_memory>)

// -----

// memdesc_c6
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @+1 {{lays out buffers in `#ttg.shared_memory`, but this one is in `#ttng.tensor_memory`}}
tt.func private @f(!ttg.memdesc<16x32xf16, #s, #ttng.tensor_memory>)

// -----

// memdesc_c7
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @+1 {{elements in shared memory have a multiple of 8 bits, but `i1` has 1}}
tt.func private @f(!ttg.memdesc<16x32xi1, #s, #ttg.shared_memory>)

// -----

// memdesc_c8
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @+1 {{the sizes of a buffer are powers of two, but this one is 15x32}}
tt.func private @f(!ttg.memdesc<15x32xf16, #s, #ttg.shared_memory>)

// -----

// memdesc_c9
#n = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
// expected-error @+1 {{shape of one CTA has 32 elements along the contiguous dim, but the tile of `nvmma_shared` has 64}}
tt.func private @f(!ttg.memdesc<64x32xf16, #n, #ttg.shared_memory>)

// -----

// local_alloc_c3
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
tt.func @f() {
  // expected-error @+2 {{makes a buffer without contents that can never be written}}
  // expected-note @+1 {{make the buffer `mutable` in its type, or give its contents}}
  %0 = ttg.local_alloc : () -> !ttg.memdesc<128xf32, #s, #ttg.shared_memory>
  tt.return
}

// -----

// local_alloc_c1, local_alloc_c2
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @f(%t: tensor<128xf32, #b>) {
  // expected-error @+2 {{needs a tensor and a buffer of the same element type, but has `f32` and `f16`}}
  // expected-error @+1 {{needs a tensor and a buffer of the same shape, but has 128 and 256}}
  %0 = ttg.local_alloc %t : (tensor<128xf32, #b>) -> !ttg.memdesc<256xf16, #s, #ttg.shared_memory>
  tt.return
}
}

// -----

// local_store_c1
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @f(%t: tensor<128xf32, #b>, %m: !ttg.memdesc<128xf32, #s, #ttg.shared_memory>) {
  // expected-error @+2 {{writes to a buffer that may not be written}}
  // expected-note @+1 {{make the buffer `mutable` in its type}}
  ttg.local_store %t, %m : tensor<128xf32, #b> -> !ttg.memdesc<128xf32, #s, #ttg.shared_memory>
  tt.return
}
}

// -----

// memdesc_subslice_c7, memdesc_subslice_c8
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @f(%m: !ttg.memdesc<32x32xf32, #s, #ttg.shared_memory>) {
  // expected-error @+2 {{has offset 8 in dimension 0, which is not cut}}
  // expected-error @+1 {{takes 16 from 24 on in dimension 1, which has size 32}}
  %0 = ttg.memdesc_subslice %m[8, 24] : !ttg.memdesc<32x32xf32, #s, #ttg.shared_memory> -> !ttg.memdesc<32x16xf32, #s, #ttg.shared_memory, 32x32>
  tt.return
}

// -----

// memdesc_trans_c3
#s = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0]}>
tt.func @f(%m: !ttg.memdesc<32x64xf32, #s, #ttg.shared_memory>) {
  // expected-error @+2 {{whose layout is not the one that follows from the operand}}
  // expected-note @+1 {{expected `#ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [0, 1]}>`}}
  %0 = ttg.memdesc_trans %m {order = array<i32: 1, 0>} : !ttg.memdesc<32x64xf32, #s, #ttg.shared_memory> -> !ttg.memdesc<64x32xf32, #s, #ttg.shared_memory>
  tt.return
}

// -----

// memdesc_index_c5
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
tt.func @f(%m: !ttg.memdesc<2x32x32xf32, #s, #ttg.shared_memory>, %i: i32) {
  // expected-error @+1 {{makes the shape 32x32, but the result has 32x16}}
  %0 = ttg.memdesc_index %m[%i] : !ttg.memdesc<2x32x32xf32, #s, #ttg.shared_memory> -> !ttg.memdesc<32x16xf32, #s, #ttg.shared_memory>
  tt.return
}
