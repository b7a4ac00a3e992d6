// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of copies by the tensor memory accelerator.

// async_shared_store_c2
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<128x64xf16, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>>, %s: !ttg.memdesc<128x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[1, 0]]}>, #smem, mutable>, %b: !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable>) {
    // expected-error @+1 {{requires at least 32 bits that are contiguous both in registers and in memory, but got 16 bits}}
    ttng.async_shared_store %t, %s, %b : tensor<128x64xf16, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>> -> !ttg.memdesc<128x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[1, 0]]}>, #smem, mutable>, !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable>
    tt.return
  }
}

// -----

// async_tma_copy_global_to_local_c1
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !ttng.tensordesc_im2col<64x64xf16, #nv>, %s: !ttg.memdesc<64x64xf16, #nv, #smem, mutable>, %b: !ttg.memdesc<1xi64, #s1, #smem, mutable>, %i: i32, %p: i1, %o: i16) {
    // expected-error @+1 {{im2col mode requires 3 to 5 coordinates, but got 2}}
    ttng.async_tma_copy_global_to_local %d[%i, %i] %s, %b, %p : !ttng.tensordesc_im2col<64x64xf16, #nv>, !ttg.memdesc<1xi64, #s1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nv, #smem, mutable>
    tt.return
  }
}

// -----

// async_tma_copy_global_to_local_c2
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !ttng.tensordesc_im2col<64x64xf16, #nv>, %s: !ttg.memdesc<64x64xf16, #nv, #smem, mutable>, %b: !ttg.memdesc<1xi64, #s1, #smem, mutable>, %i: i32, %p: i1, %o: i16) {
    // expected-error @+1 {{`offsets` has 0 values; expected 1 for 3 coordinates in im2col mode}}
    ttng.async_tma_copy_global_to_local %d[%i, %i, %i] %s, %b, %p : !ttng.tensordesc_im2col<64x64xf16, #nv>, !ttg.memdesc<1xi64, #s1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nv, #smem, mutable>
    tt.return
  }
}

// -----

// async_tma_reduce_c1
#nv8 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x128xsi8, #nv8>, %s: !ttg.memdesc<64x128xi8, #nv8, #smem, mutable>, %i: i32) {
    // expected-error @+1 {{`add` is not supported on `si8` in global memory, only on `i32`, `i64`, `ui32`, `ui64`, `si32`, `f32`,}}
    ttng.async_tma_reduce add, %d[%i, %i] %s : !tt.tensordesc<64x128xsi8, #nv8>, !ttg.memdesc<64x128xi8, #nv8, #smem, mutable>
    tt.return
  }
}

// -----

// tensormap_create_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%p: !tt.ptr<i8>, %i: i32, %j: i64) {
    // expected-error @+1 {{`global_dim` has 1 values; expected 2, one per dimension}}
    ttng.tensormap_create %p, %p, [%i, %i], [%i], [%j], [%i, %i] {elem_type = 3 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 0 : i32} : (!tt.ptr<i8>, !tt.ptr<i8>, i32, i32, i32, i64, i32, i32) -> ()
    tt.return
  }
}

// -----

// tensormap_create_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%p: !tt.ptr<i8>, %i: i32, %j: i64) {
    // expected-error @+1 {{`global_stride` has 2 values for 2 dimensions; expected one per dimension except the last}}
    ttng.tensormap_create %p, %p, [%i, %i], [%i, %i], [%j, %j], [%i, %i] {elem_type = 3 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 0 : i32} : (!tt.ptr<i8>, !tt.ptr<i8>, i32, i32, i32, i32, i64, i64, i32, i32) -> ()
    tt.return
  }
}

// -----

// tensormap_create_c3
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%p: !tt.ptr<i8>, %i: i32, %j: i64) {
    // expected-error @+1 {{`element_stride` has 1 values; expected 2, one per dimension}}
    ttng.tensormap_create %p, %p, [%i, %i], [%i, %i], [%j], [%i] {elem_type = 3 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 0 : i32} : (!tt.ptr<i8>, !tt.ptr<i8>, i32, i32, i32, i32, i64, i32) -> ()
    tt.return
  }
}

// -----

// tma_c1
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16, #nv>, %s: !ttg.memdesc<64x64xf16, #sw, #smem, mutable>, %b: !ttg.memdesc<1xi64, #s1, #smem, mutable>, %i: i32, %p: i1, %o: i16) {
    // expected-error @+1 {{requires a buffer whose encoding is `#ttg.nvmma_shared`, but got `}}
    ttng.async_tma_copy_global_to_local %d[%i, %i] %s, %b, %p : !tt.tensordesc<64x64xf16, #nv>, !ttg.memdesc<1xi64, #s1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// tma_c2
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16>, %s: !ttg.memdesc<64x64xf16, #nv, #smem, mutable>, %b: !ttg.memdesc<1xi64, #s1, #smem, mutable>, %i: i32, %p: i1, %o: i16) {
    // expected-error @+1 {{requires the same layout for descriptor and buffer, but got `none` and `}}
    ttng.async_tma_copy_global_to_local %d[%i, %i] %s, %b, %p : !tt.tensordesc<64x64xf16>, !ttg.memdesc<1xi64, #s1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nv, #smem, mutable>
    tt.return
  }
}

// -----

// tma_c3
#nvt = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16, #nvt>, %s: !ttg.memdesc<64x64xf16, #nvt, #smem, mutable>, %b: !ttg.memdesc<1xi64, #s1, #smem, mutable>, %i: i32, %p: i1, %o: i16) {
    // expected-error @+1 {{requires a buffer that is not transposed, but got `#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed}}
    ttng.async_tma_copy_global_to_local %d[%i, %i] %s, %b, %p : !tt.tensordesc<64x64xf16, #nvt>, !ttg.memdesc<1xi64, #s1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nvt, #smem, mutable>
    tt.return
  }
}

// -----

// tma_c5
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16, #nv>, %s: !ttg.memdesc<64x64xbf16, #nv, #smem, mutable>, %b: !ttg.memdesc<1xi64, #s1, #smem, mutable>, %i: i32, %p: i1, %o: i16) {
    // expected-error @+1 {{requires a block and a buffer of the same element type, but got `f16` and `bf16`}}
    ttng.async_tma_copy_global_to_local %d[%i, %i] %s, %b, %p : !tt.tensordesc<64x64xf16, #nv>, !ttg.memdesc<1xi64, #s1, #smem, mutable> -> !ttg.memdesc<64x64xbf16, #nv, #smem, mutable>
    tt.return
  }
}

// -----

// tma_c7
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16, #nv>, %s: !ttg.memdesc<64x64xf16, #nv, #smem, mutable>, %b: !ttg.memdesc<1xi64, #s1, #smem, mutable>, %i: i32, %p: i1, %o: i16) {
    // expected-error @+1 {{requires one coordinate for each of 2 block dimensions, but got 1}}
    ttng.async_tma_copy_global_to_local %d[%i] %s, %b, %p : !tt.tensordesc<64x64xf16, #nv>, !ttg.memdesc<1xi64, #s1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nv, #smem, mutable>
    tt.return
  }
}

// -----

// tma_c8
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<2x2x2x2x2x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [5, 4, 3, 2, 1, 0]}>>, %s: !ttg.memdesc<2x2x2x2x2x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [5, 4, 3, 2, 1, 0]}>, #smem, mutable>, %i: i32) {
    // expected-error @+1 {{requires 1 to 5 coordinates, but got 6}}
    ttng.async_tma_copy_local_to_global %d[%i, %i, %i, %i, %i, %i] %s : !tt.tensordesc<2x2x2x2x2x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [5, 4, 3, 2, 1, 0]}>>, !ttg.memdesc<2x2x2x2x2x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [5, 4, 3, 2, 1, 0]}>, #smem, mutable>
    tt.return
  }
}

// -----

// tma_c9
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32, "ttng.two-ctas" = false} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>>, %s: !ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>, #smem, mutable>, %b: !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>, #smem, mutable>, %i: i32, %p: i1, %o: i16) {
    // expected-error @+1 {{barrier has encoding `#ttg.swizzled_shared<{vec = 1, perPhase = 1,}}
    ttng.async_tma_copy_global_to_local %d[%i, %i] %s, %b, %p {x} : !tt.tensordesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>>, !ttg.memdesc<1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[0]]}>, #smem, mutable> -> !ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>, #smem, mutable>
    tt.return
  }
}

// -----

// tma_c10
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16, #nv>, %s: !ttg.memdesc<64x64xf16, #nv, #smem, mutable>, %b: !ttg.memdesc<1xi64, #s1, #smem, mutable>, %i: i32, %p: i1, %o: i16) {
    // expected-error @+1 {{`multicast` requires a buffer that is replicated over CTAs, but got `}}
    ttng.async_tma_copy_global_to_local %d[%i, %i] %s, %b, %p {multicast} : !tt.tensordesc<64x64xf16, #nv>, !ttg.memdesc<1xi64, #s1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nv, #smem, mutable>
    tt.return
  }
}

// -----

// tma_rows_c1
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#nv3 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x1x64xf16, #nv3>, %s: !ttg.memdesc<32x64xf16, #nv, #smem, mutable>, %b: !ttg.memdesc<1xi64, #s1, #smem, mutable>, %x: tensor<32xi32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>}>>, %y: i32, %p: i1) {
    // expected-error @+1 {{'ttng.async_tma_gather' op descriptor has blocks of shape 1x1x64; expected rank 2}}
    ttng.async_tma_gather %d[%x, %y] %s, %b, %p : !tt.tensordesc<1x1x64xf16, #nv3>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>}>>, i32, !ttg.memdesc<1xi64, #s1, #smem, mutable>, !ttg.memdesc<32x64xf16, #nv, #smem, mutable>, i1
    tt.return
  }
}

// -----

// tma_rows_c2
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<2x64xf16, #nv>, %s: !ttg.memdesc<32x64xf16, #nv, #smem, mutable>, %b: !ttg.memdesc<1xi64, #s1, #smem, mutable>, %x: tensor<32xi32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>}>>, %y: i32, %p: i1) {
    // expected-error @+1 {{'ttng.async_tma_gather' op descriptor has blocks of shape 2x64; expected one row}}
    ttng.async_tma_gather %d[%x, %y] %s, %b, %p : !tt.tensordesc<2x64xf16, #nv>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>}>>, i32, !ttg.memdesc<1xi64, #s1, #smem, mutable>, !ttg.memdesc<32x64xf16, #nv, #smem, mutable>, i1
    tt.return
  }
}

// -----

// tma_rows_c3
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x32xf16, #nv>, %s: !ttg.memdesc<32x64xf16, #nv, #smem, mutable>, %b: !ttg.memdesc<1xi64, #s1, #smem, mutable>, %x: tensor<32xi32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>}>>, %y: i32, %p: i1) {
    // expected-error @+1 {{buffer has shape 32x64; expected 32 columns, as in the blocks of the descriptor}}
    ttng.async_tma_gather %d[%x, %y] %s, %b, %p : !tt.tensordesc<1x32xf16, #nv>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>}>>, i32, !ttg.memdesc<1xi64, #s1, #smem, mutable>, !ttg.memdesc<32x64xf16, #nv, #smem, mutable>, i1
    tt.return
  }
}

// -----

// tma_rows_c4
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x64xbf16, #nv>, %s: !ttg.memdesc<32x64xf16, #nv, #smem, mutable>, %b: !ttg.memdesc<1xi64, #s1, #smem, mutable>, %x: tensor<32xi32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>}>>, %y: i32, %p: i1) {
    // expected-error @+1 {{buffer has element type `f16`; expected `bf16`, as in the blocks of the descriptor}}
    ttng.async_tma_gather %d[%x, %y] %s, %b, %p : !tt.tensordesc<1x64xbf16, #nv>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>}>>, i32, !ttg.memdesc<1xi64, #s1, #smem, mutable>, !ttg.memdesc<32x64xf16, #nv, #smem, mutable>, i1
    tt.return
  }
}

// -----

// tma_rows_c5
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x64xf16, #nv>, %s: !ttg.memdesc<32x64xf16, #nv, #smem, mutable>, %b: !ttg.memdesc<1xi64, #s1, #smem, mutable>, %x: tensor<32xi32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>}>>, %y: i32, %p: i1) {
    // expected-error @+1 {{requires at least 4 consecutive indices in each thread, but got 2}}
    ttng.async_tma_gather %d[%x, %y] %s, %b, %p : !tt.tensordesc<1x64xf16, #nv>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0]}>}>>, i32, !ttg.memdesc<1xi64, #s1, #smem, mutable>, !ttg.memdesc<32x64xf16, #nv, #smem, mutable>, i1
    tt.return
  }
}

// -----

// tma_rows_c6
#b4 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x64xf16, #nv>, %s: !ttg.memdesc<32x64xf16, #nv, #smem, mutable>, %b: !ttg.memdesc<1xi64, #s1, #smem, mutable>, %x: tensor<32xi32, #b4>, %y: i32, %p: i1) {
    // expected-error @+1 {{indices of type `tensor<32xi32,}}
    ttng.async_tma_gather %d[%x, %y] %s, %b, %p : !tt.tensordesc<1x64xf16, #nv>, tensor<32xi32, #b4>, i32, !ttg.memdesc<1xi64, #s1, #smem, mutable>, !ttg.memdesc<32x64xf16, #nv, #smem, mutable>, i1
    tt.return
  }
}

// -----

// tma_rows_c7
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>>, %s: !ttg.memdesc<32x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>, #smem, mutable>, %b: !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable>, %x: tensor<32xi32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0], CGALayout = [[1, 0]]}>}>>, %y: i32, %p: i1) {
    // expected-error @+1 {{indices of type `tensor<32xi32, #ttg.slice<{dim =}}
    ttng.async_tma_gather %d[%x, %y] %s, %b, %p : !tt.tensordesc<1x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>>, tensor<32xi32, #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [1, 0], CGALayout = [[1, 0]]}>}>>, i32, !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable>, !ttg.memdesc<32x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, CGALayout = [[1, 0]]}>, #smem, mutable>, i1
    tt.return
  }
}

// -----

// tma_c4
#nvfp4 = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8, fp4Padded = true}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x128xi8, #nvfp4>, %s: !ttg.memdesc<64x128xi8, #nvfp4, #smem, mutable>, %i: i32) {
    // expected-error @+1 {{requires a buffer that is not `fp4Padded`, but got `#ttg.nvmma_shared<{swizzlingByteWidth =}}
    ttng.async_tma_copy_local_to_global %d[%i, %i] %s : !tt.tensordesc<64x128xi8, #nvfp4>, !ttg.memdesc<64x128xi8, #nvfp4, #smem, mutable>
    tt.return
  }
}

// -----

// tma_c6
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16, #nv>, %s: !ttg.memdesc<128x64xf16, #nv, #smem, mutable>, %i: i32) {
    // expected-error @+1 {{requires a block and a buffer with the same number of elements, but got 64x64 and 128x64}}
    ttng.async_tma_copy_local_to_global %d[%i, %i] %s : !tt.tensordesc<64x64xf16, #nv>, !ttg.memdesc<128x64xf16, #nv, #smem, mutable>
    tt.return
  }
}

// -----

// tma_c11
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#s1 = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<64x64xf16, #nv>, %s: !ttg.memdesc<64x64xf16, #nv, #smem>, %b: !ttg.memdesc<1xi64, #s1, #smem, mutable>, %i: i32, %p: i1) {
    // expected-error @+2 {{must not write to an immutable buffer}}
    // expected-note @+1 {{make the buffer `mutable` in its type}}
    ttng.async_tma_copy_global_to_local %d[%i, %i] %s, %b, %p : !tt.tensordesc<64x64xf16, #nv>, !ttg.memdesc<1xi64, #s1, #smem, mutable> -> !ttg.memdesc<64x64xf16, #nv, #smem>
    tt.return
  }
}

// -----

// async_shared_store_c1
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%t: tensor<128x64xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>>, %s: !ttg.memdesc<128x64xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[1, 0]]}>, #smem>, %b: !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable>) {
    // expected-error @+2 {{must not write to an immutable buffer}}
    // expected-note @+1 {{make the buffer `mutable` in its type}}
    ttng.async_shared_store %t, %s, %b : tensor<128x64xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>> -> !ttg.memdesc<128x64xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[1, 0]]}>, #smem>, !ttg.memdesc<2xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0], CGALayout = [[1]]}>, #smem, mutable>
    tt.return
  }
}
