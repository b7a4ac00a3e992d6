// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of products in tensor memory.

// tc_gen5_mma_c1
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #nv, #smem>, %b: !ttg.memdesc<64x128xf16, #nv, #smem>, %d: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{has a completion barrier, but not `is_async`; expected both or neither}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p, %bar[%p] : !ttg.memdesc<128x64xf16, #nv, #smem>, !ttg.memdesc<64x128xf16, #nv, #smem>, !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, !ttg.memdesc<1xi64, #s1, #smem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c3
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xi16, #nv, #smem, mutable>, %b: !ttg.memdesc<64x128xi16, #nv, #smem, mutable>, %d: !ttg.memdesc<128x128xi32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{requires elements of `f32`, `f16`, `bf16`, `i8` or a float of at most 8 bits, but got `i16`}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<128x64xi16, #nv, #smem, mutable>, !ttg.memdesc<64x128xi16, #nv, #smem, mutable>, !ttg.memdesc<128x128xi32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c4
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#ts = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xi8, #ts, #tmem, mutable>, %b: !ttg.memdesc<64x128xf16, #nv, #smem>, %d: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{`i8` needs an instruction of kind `i8`, and `f16` an instruction of kind `f16`; expected operands of the same kind}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<128x64xi8, #ts, #tmem, mutable>, !ttg.memdesc<64x128xf16, #nv, #smem>, !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c5
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xbf16, #nv, #smem, mutable>, %b: !ttg.memdesc<64x128xbf16, #nv, #smem, mutable>, %d: !ttg.memdesc<128x128xf16, #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 2>, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{products of `bf16` and `bf16` require an accumulator of `f32`, but got `f16`}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<128x64xbf16, #nv, #smem, mutable>, !ttg.memdesc<64x128xbf16, #nv, #smem, mutable>, !ttg.memdesc<128x128xf16, #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 2>, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c6
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<1x128x64xf16, #nv, #smem>, %b: !ttg.memdesc<1x64x128xf16, #nv, #smem>, %d: !ttg.memdesc<1x128x128xf32, #t128, #tmem, mutable>, %u: i1, %p: i1) {
    // expected-error @+1 {{requires operands of rank 2, but got rank 3}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<1x128x64xf16, #nv, #smem>, !ttg.memdesc<1x64x128xf16, #nv, #smem>, !ttg.memdesc<1x128x128xf32, #t128, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c7
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #sw, #smem, mutable>, %b: !ttg.memdesc<64x128xf16, #nv, #smem>, %d: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{encoding of `a` is `}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<128x64xf16, #sw, #smem, mutable>, !ttg.memdesc<64x128xf16, #nv, #smem>, !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c8
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #nv, #smem>, %b: !ttg.memdesc<64x128xf16, #sw, #smem, mutable>, %d: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{encoding of `b` is `#ttg.swizzled_shared<{vec = 1, perPhase = 1,}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<128x64xf16, #nv, #smem>, !ttg.memdesc<64x128xf16, #sw, #smem, mutable>, !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c9
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nv32 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #nv, #smem>, %b: !ttg.memdesc<64x128xf16, #nv, #smem>, %d: !ttg.memdesc<128x128xf32, #nv32, #smem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{encoding of `d` is `#ttg.nvmma_shared<{swizzlingByteWidth = 128,}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<128x64xf16, #nv, #smem>, !ttg.memdesc<64x128xf16, #nv, #smem>, !ttg.memdesc<128x128xf32, #nv32, #smem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c10
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #nv, #smem>, %b: !ttg.memdesc<64x128xf16, #nv, #smem>, %d: !ttg.memdesc<128x128xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1, fp4Padded = true>, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{encoding of `d` is `}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<128x64xf16, #nv, #smem>, !ttg.memdesc<64x128xf16, #nv, #smem>, !ttg.memdesc<128x128xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1, fp4Padded = true>, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c11
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#t2 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 2>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #t2, #tmem, mutable>, %b: !ttg.memdesc<64x128xf16, #nv, #smem>, %d: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{`a` in tensor memory has `colStride = 2`; expected 1}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<128x64xf16, #t2, #tmem, mutable>, !ttg.memdesc<64x128xf16, #nv, #smem>, !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c12
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#tfp4 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, fp4Padded = true>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #tfp4, #tmem, mutable>, %b: !ttg.memdesc<64x128xf16, #nv, #smem>, %d: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{`a` is `fp4Padded`, which only `ttng.tc_gen5_mma_scaled` supports}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<128x64xf16, #tfp4, #tmem, mutable>, !ttg.memdesc<64x128xf16, #nv, #smem>, !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c13
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #nv, #smem>, %b: !ttg.memdesc<64x128xf16, #nv, #smem>, %d: !ttg.memdesc<128x128xf16, #t128, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{accumulator has `colStride = 1`; expected 2, so that each 32-bit column holds one `f16`}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<128x64xf16, #nv, #smem>, !ttg.memdesc<64x128xf16, #nv, #smem>, !ttg.memdesc<128x128xf16, #t128, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c14
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #nv, #smem>, %b: !ttg.memdesc<64x512xf16, #nv, #smem, mutable>, %d: !ttg.memdesc<128x512xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 512, colStride = 1>, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{requires a `blockN` of at most 256, but got 512}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<128x64xf16, #nv, #smem>, !ttg.memdesc<64x512xf16, #nv, #smem, mutable>, !ttg.memdesc<128x512xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 512, colStride = 1>, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c15
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<256x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>, #smem, mutable>, %b: !ttg.memdesc<64x256xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>, #smem, mutable>, %d: !ttg.memdesc<256x256xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1, CGALayout = [[1, 0]]>, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{`b` is split over 2 CTAs along K; expected the whole K dimension in each CTA}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<256x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>, #smem, mutable>, !ttg.memdesc<64x256xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>, #smem, mutable>, !ttg.memdesc<256x256xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1, CGALayout = [[1, 0]]>, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c16
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #nv, #smem>, %b: !ttg.memdesc<64x128xf16, #nv, #smem>, %d: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{`two_ctas` requires [0, 1] as the first basis in the `CGALayout` of `b`, but got no basis}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p {two_ctas} : !ttg.memdesc<128x64xf16, #nv, #smem>, !ttg.memdesc<64x128xf16, #nv, #smem>, !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c17
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<256x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>, #smem, mutable>, %b: !ttg.memdesc<64x512xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 1]]}>, #smem, mutable>, %d: !ttg.memdesc<256x512xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 256, colStride = 1, CGALayout = [[1, 0]], twoCTAs = true>, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{`two_ctas` requires at most 256 columns of `d` per CTA, but got 512}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p {two_ctas} : !ttg.memdesc<256x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>, #smem, mutable>, !ttg.memdesc<64x512xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 1]]}>, #smem, mutable>, !ttg.memdesc<256x512xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 256, colStride = 1, CGALayout = [[1, 0]], twoCTAs = true>, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c18
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<256x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>, #smem, mutable>, %b: !ttg.memdesc<64x256xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 1]]}>, #smem, mutable>, %d: !ttg.memdesc<256x256xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 256, colStride = 1, CGALayout = [[1, 0]], twoCTAs = true>, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{encoding of `d` has `twoCTAs = true`; expected false, because the product is without `two_ctas`}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<256x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>, #smem, mutable>, !ttg.memdesc<64x256xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 1]]}>, #smem, mutable>, !ttg.memdesc<256x256xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 256, colStride = 1, CGALayout = [[1, 0]], twoCTAs = true>, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c19
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<256x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>, #smem, mutable>, %b: !ttg.memdesc<64x256xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 1]]}>, #smem, mutable>, %d: !ttg.memdesc<256x256xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1, CGALayout = [[1, 0]]>, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{; expected (128, 128), from the rows of `a` and the columns of `b`}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<256x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>, #smem, mutable>, !ttg.memdesc<64x256xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[0, 1]]}>, #smem, mutable>, !ttg.memdesc<256x256xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1, CGALayout = [[1, 0]]>, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c20
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t64 = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #t64, #tmem, mutable>, %b: !ttg.memdesc<64x128xf16, #nv, #smem>, %d: !ttg.memdesc<128x128xf32, #ttng.tensor_memory_encoding<blockM = 64, blockN = 128, colStride = 1>, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{`a` and `d` both have interleaved blocks (`blockM = 64`); expected interleaved blocks in at most one operand}}
    ttng.tc_gen5_mma %a, %b, %d, %u, %p : !ttg.memdesc<128x64xf16, #t64, #tmem, mutable>, !ttg.memdesc<64x128xf16, #nv, #smem>, !ttg.memdesc<128x128xf32, #ttng.tensor_memory_encoding<blockM = 64, blockN = 128, colStride = 1>, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_scaled_c1
#nv8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#ts = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, %b: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, %d: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, %as: !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, %bs: !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{has a completion barrier, but not `is_async`; expected both or neither}}
    ttng.tc_gen5_mma_scaled %a, %b, %d, %as, %bs, %u, %p lhs = e5m2 rhs = e5m2, %bar[%p] : !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, !ttg.memdesc<1xi64, #s1, #smem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_scaled_c4
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nv8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#ts = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x128xf16, #nv, #smem, mutable>, %b: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, %d: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, %s: !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, %u: i1, %p: i1) {
    // expected-error @+1 {{`f16` needs an instruction of kind `f16`, and `f8E5M2` an instruction of kind `f8f6f4`; expected operands of the same kind}}
    ttng.tc_gen5_mma_scaled %a, %b, %d, %s, %s, %u, %p lhs = e5m2 rhs = e5m2 : !ttg.memdesc<128x128xf16, #nv, #smem, mutable>, !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_scaled_c5
#nv8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#ts = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, %b: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, %d: !ttg.memdesc<128x128xbf16, #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 2>, #tmem, mutable>, %as: !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, %bs: !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{products of `f8E5M2` and `f8E5M2` require an accumulator of `f16` or `f32`, but got `bf16`}}
    ttng.tc_gen5_mma_scaled %a, %b, %d, %as, %bs, %u, %p lhs = e5m2 rhs = e5m2 : !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, !ttg.memdesc<128x128xbf16, #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 2>, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_scaled_c6
#nv8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#nv32 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#ts = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem>, %b: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem>, %d: !ttg.memdesc<128x128xf32, #nv32, #smem, mutable>, %s: !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, %u: i1, %p: i1) {
    // expected-error @+1 {{'ttng.tc_gen5_mma_scaled' op encoding of `d` is `#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>`}}
    ttng.tc_gen5_mma_scaled %a, %b, %d, %s, %s, %u, %p lhs = e5m2 rhs = e5m2 : !ttg.memdesc<128x128xf8E5M2, #nv8, #smem>, !ttg.memdesc<128x128xf8E5M2, #nv8, #smem>, !ttg.memdesc<128x128xf32, #nv32, #smem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_scaled_c7
#nv8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#t4 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1, fp4Padded = true>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#ts = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem>, %b: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem>, %d: !ttg.memdesc<128x128xf32, #t4, #tmem, mutable>, %s: !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, %u: i1, %p: i1) {
    // expected-error @+1 {{'ttng.tc_gen5_mma_scaled' op encoding of `d` is `#ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1, fp4Padded = true>`}}
    ttng.tc_gen5_mma_scaled %a, %b, %d, %s, %s, %u, %p lhs = e5m2 rhs = e5m2 : !ttg.memdesc<128x128xf8E5M2, #nv8, #smem>, !ttg.memdesc<128x128xf8E5M2, #nv8, #smem>, !ttg.memdesc<128x128xf32, #t4, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_scaled_c8
#nv8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#ts = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<64x128xf8E5M2, #ttng.tensor_memory_encoding<blockM = 64, blockN = 128, colStride = 1>, #tmem, mutable>, %b: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, %d: !ttg.memdesc<64x128xf32, #ttng.tensor_memory_encoding<blockM = 64, blockN = 128, colStride = 1>, #tmem, mutable>, %s: !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, %u: i1, %p: i1) {
    // expected-error @+1 {{requires `blockM = 128` for `d`, but got 64}}
    ttng.tc_gen5_mma_scaled %a, %b, %d, %s, %s, %u, %p lhs = e5m2 rhs = e5m2 : !ttg.memdesc<64x128xf8E5M2, #ttng.tensor_memory_encoding<blockM = 64, blockN = 128, colStride = 1>, #tmem, mutable>, !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, !ttg.memdesc<64x128xf32, #ttng.tensor_memory_encoding<blockM = 64, blockN = 128, colStride = 1>, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_scaled_c9
#nv8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#ts = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf8E5M2, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>, #tmem, mutable>, %b: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, %d: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, %s: !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, %u: i1, %p: i1) {
    // expected-error @+1 {{`a` has element type `f8E5M2`; expected `i8`, because each byte holds two 4-bit elements}}
    ttng.tc_gen5_mma_scaled %a, %b, %d, %s, %s, %u, %p lhs = e2m1 rhs = e5m2 : !ttg.memdesc<128x64xf8E5M2, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>, #tmem, mutable>, !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_scaled_c10
#nv8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#ts = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xi8, #t, #tmem, mutable>, %b: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, %d: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, %s: !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, %u: i1, %p: i1) {
    // expected-error @+1 {{`a` in tensor memory has `fp4Padded = false`; expected true, because `b` has 8-bit elements}}
    ttng.tc_gen5_mma_scaled %a, %b, %d, %s, %s, %u, %p lhs = e2m1 rhs = e5m2 : !ttg.memdesc<128x64xi8, #t, #tmem, mutable>, !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_scaled_c11
#nv8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#ts = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x128xf8E5M2, #t128, #tmem, mutable>, %b: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, %d: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, %as: !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, %bs: !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{`a` in tensor memory has element type `f8E5M2` and format `e3m2`; expected an 8-bit float with format `e4m3` or `e5m2`, or `i8` with `e2m1`}}
    ttng.tc_gen5_mma_scaled %a, %b, %d, %as, %bs, %u, %p lhs = e3m2 rhs = e5m2 : !ttg.memdesc<128x128xf8E5M2, #t128, #tmem, mutable>, !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_scaled_c3
#nv8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#ts = #ttng.tensor_memory_scales_encoding<>
#tsk = #ttng.tensor_memory_scales_encoding<blockRepOrder = kThenMn>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, %b: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, %d: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, %as: !ttg.memdesc<128x4xi8, #tsk, #tmem, mutable>, %bs: !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{`; expected `#ttng.tensor_memory_scales_encoding<blockRepOrder = mnThenK>`}}
    ttng.tc_gen5_mma_scaled %a, %b, %d, %as, %bs, %u, %p lhs = e5m2 rhs = e5m2 : !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, !ttg.memdesc<128x4xi8, #tsk, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>
    tt.return
  }
}

// -----

// tensor_memory_c1
#nv8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#ts = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:120", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<256x256xf8E5M2, #nv8, #smem, mutable>, %b: !ttg.memdesc<256x256xf8E5M2, #nv8, #smem, mutable>, %d: !ttg.memdesc<256x256xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 256, colStride = 1>, #tmem, mutable>, %as: !ttg.memdesc<256x8xi8, #ts, #tmem, mutable>, %bs: !ttg.memdesc<256x8xi8, #ts, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{requires a target with tensor memory (`cuda:100`, `cuda:101`, `cuda:103`, `cuda:107`, `cuda:110`), but got `cuda:120`}}
    ttng.tc_gen5_mma_scaled %a, %b, %d, %as, %bs, %u, %p lhs = e5m2 rhs = e5m2 : !ttg.memdesc<256x256xf8E5M2, #nv8, #smem, mutable>, !ttg.memdesc<256x256xf8E5M2, #nv8, #smem, mutable>, !ttg.memdesc<256x256xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 256, colStride = 1>, #tmem, mutable>, !ttg.memdesc<256x8xi8, #ts, #tmem, mutable>, !ttg.memdesc<256x8xi8, #ts, #tmem, mutable>
    tt.return
  }
}

// -----

// tc_gen5_mma_c21
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x64xf16, #nv, #smem>, %b: !ttg.memdesc<64x128xf16, #nv, #smem>, %d: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{requires one predicate per barrier, but got 1 barriers and 0 predicates}}
    "ttng.tc_gen5_mma"(%a, %b, %d, %u, %p, %bar) <{is_async, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 1, 0>}> : (!ttg.memdesc<128x64xf16, #nv, #smem>, !ttg.memdesc<64x128xf16, #nv, #smem>, !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, i1, i1, !ttg.memdesc<1xi64, #s1, #smem, mutable>) -> ()
    tt.return
  }
}

// -----

// tc_gen5_mma_scaled_c12
#nv8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#tmem = #ttng.tensor_memory
#t128 = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>
#ts = #ttng.tensor_memory_scales_encoding<>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%a: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, %b: !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, %d: !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, %as: !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, %bs: !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, %u: i1, %p: i1, %bar: !ttg.memdesc<1xi64, #s1, #smem, mutable>) {
    // expected-error @+1 {{requires one predicate per barrier, but got 1 barriers and 0 predicates}}
    "ttng.tc_gen5_mma_scaled"(%a, %b, %d, %as, %bs, %u, %p, %bar) <{is_async, a_type = 1 : i32, b_type = 1 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 1, 1, 1, 0>}> : (!ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, !ttg.memdesc<128x128xf8E5M2, #nv8, #smem, mutable>, !ttg.memdesc<128x128xf32, #t128, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, !ttg.memdesc<128x4xi8, #ts, #tmem, mutable>, i1, i1, !ttg.memdesc<1xi64, #s1, #smem, mutable>) -> ()
    tt.return
  }
}
