// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of AMD's tensor data mover.

// async_tdm_fused_copy_global_to_local_c1
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d0: !tt.tensordesc<8x64xf16>, %s0: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{expected 2 to 4 copies, but got 1}}
    %0 = amdg.async_tdm_fused_copy_global_to_local %d0 into %s0 {warp_used_hints = array<i32: 3>} : !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// async_tdm_fused_copy_global_to_local_c2
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d0: !tt.tensordesc<8x64xf16>, %d1: !tt.tensordesc<8x64xf16>, %s0: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>, %s1: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{requires one warp hint for each of 2 copies, but got 1}}
    %0 = amdg.async_tdm_fused_copy_global_to_local %d0, %d1 into %s0, %s1 {warp_used_hints = array<i32: 3>} : !tt.tensordesc<8x64xf16>, !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #sw, #smem, mutable>, !ttg.memdesc<8x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// async_tdm_fused_copy_global_to_local_c3
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d0: !tt.tensordesc<8x64xf16>, %d1: !tt.tensordesc<1x8x64xf16>, %s0: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>, %s1: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{requires blocks of the same rank in all copies, but copy 1 has 1x8x64}}
    %0 = amdg.async_tdm_fused_copy_global_to_local %d0, %d1 into %s0, %s1 {warp_used_hints = array<i32: 3, 12>} : !tt.tensordesc<8x64xf16>, !tt.tensordesc<1x8x64xf16> -> !ttg.memdesc<8x64xf16, #sw, #smem, mutable>, !ttg.memdesc<8x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// async_tdm_fused_copy_global_to_local_c4
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d0: !tt.tensordesc<8x64xf16>, %d1: !tt.tensordesc<8x64xf16>, %s0: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>, %s1: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{requires disjoint warp hints, but hint 0x2 of copy 1 overlaps with the hint of another copy}}
    %0 = amdg.async_tdm_fused_copy_global_to_local %d0, %d1 into %s0, %s1 {warp_used_hints = array<i32: 3, 2>} : !tt.tensordesc<8x64xf16>, !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #sw, #smem, mutable>, !ttg.memdesc<8x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// async_tdm_gather_c1
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #ttg.padded_shared<[128:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>, %x: tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>>) {
    // expected-error @+1 {{requires a padding interval that divides the row of 64 elements, but got 128}}
    %0 = amdg.async_tdm_gather %d[%x] to %s : tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>>, !ttg.memdesc<8x64xf16, #ttg.padded_shared<[128:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// async_tdm_gather_c2
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>, #smem, mutable>, %x: tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>>) {
    // expected-error @+1 {{requires a buffer whose rows are contiguous, but its `order` is [0, 1]}}
    %0 = amdg.async_tdm_gather %d[%x] to %s : tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>>, !ttg.memdesc<8x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// async_tdm_gather_c3
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>, %x: tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>}>>) {
    // expected-error @+1 {{'amdg.async_tdm_gather' op requires the same indices in all lanes of a warp, but got `tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>}}
    %0 = amdg.async_tdm_gather %d[%x] to %s : tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>}>>, !ttg.memdesc<8x64xf16, #sw, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// async_tdm_gather_c4
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0], CGALayout = [[1, 0]]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>, %x: tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0], CGALayout = [[0, 1]]}>}>>) {
    // expected-error @+1 {{'amdg.async_tdm_gather' op requires indices that are split over CTAs as the rows, but got `tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order =}}
    %0 = amdg.async_tdm_gather %d[%x] to %s : tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0], CGALayout = [[0, 1]]}>}>>, !ttg.memdesc<8x64xf16, #sw, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// tdm_c1
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<131072x2xi8>, %s: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{requires block sizes of at most 65535, but dimension 0 has 131072}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %s : !tt.tensordesc<131072x2xi8> -> !ttg.memdesc<8x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_c2
#sw8 = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #sw8, #smem, mutable>) {
    // expected-error @+1 {{requires a buffer without swizzle, but got `#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase =}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %s : !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #sw8, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_c3
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#other = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16, #other>, %s: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{'amdg.async_tdm_copy_global_to_local' op requires the same layout for descriptor and buffer, but got `#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>` and `#ttg.swizzled_shared<{vec = 1, perPhase = 1, ma}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %s : !tt.tensordesc<8x64xf16, #other> -> !ttg.memdesc<8x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_c4
#nv = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #nv, #smem, mutable>) {
    // expected-error @+1 {{requires a buffer whose encoding is `#ttg.swizzled_shared` or `#ttg.padded_shared`, but got `}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %s : !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #nv, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_c5
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #ttg.padded_shared<[64:+8, 128:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>) {
    // expected-error @+1 {{requires a single padding interval, but got `#ttg.padded_shared<[64:+8, 128:+8] {order}}
    %0 = amdg.async_tdm_copy_local_to_global %d from %s : !ttg.memdesc<8x64xf16, #ttg.padded_shared<[64:+8, 128:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// tdm_c6
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #ttg.padded_shared<[2:+2] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>) {
    // expected-error @+1 {{requires a padding interval of at least 64 bits, but got 2 elements of `f16`}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %s : !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #ttg.padded_shared<[2:+2] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_c7
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #ttg.padded_shared<[64:+1] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>) {
    // expected-error @+1 {{requires padding of at least 32 bits, but got 1 elements of `f16`}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %s : !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #ttg.padded_shared<[64:+1] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_hint_c1
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 32 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{warp hint requires a power of two below 32 as the number of warps, but the module has 32}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %s {warp_used_hint = 1 : i32} : !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_hint_c2
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{warp hint must select at least one warp}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %s {warp_used_hint = 0 : i32} : !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_hint_c3
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{warp hint must select among 4 warps, but got 0x10}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %s {warp_used_hint = 16 : i32} : !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_hint_c4
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{number of warps in the hint must be a power of two, but hint 0x7 has 3}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %s {warp_used_hint = 7 : i32} : !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_hint_c5
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{warps of the hint must differ in 1 bits of their index, but the 2 warps of 0x6 differ in 2}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %s {warp_used_hint = 6 : i32} : !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_hint_c6
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #sw}>, #smem, mutable>) {
    // expected-error @+1 {{requires a multiple of 4 warps, one per partition and group of the buffer, but the hint has 1}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %s {warp_used_hint = 1 : i32} : !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #sw}>, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_prefetch_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %i: i32, %p: i1) {
    // expected-error @+1 {{requires both `returnOffsets` and a result, or neither}}
    "amdg.tdm_prefetch"(%d, %i, %i, %p) <{returnOffsets, speculative = false}> : (!tt.tensordesc<8x64xf16>, i32, i32, i1) -> ()
    tt.return
  }
}

// -----

// tdm_prefetch_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %i: i32, %p: i1) {
    // expected-error @+1 {{expected a result of `i64` (one per prefetch) of shape 8x1 with encoding `#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp}}
    %0 = "amdg.tdm_prefetch"(%d, %i, %i, %p) <{returnOffsets, speculative = false}> : (!tt.tensordesc<8x64xf16>, i32, i32, i1) -> (tensor<8x2xi64, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>>)
    tt.return
  }
}

// -----

// tdm_rows_c1
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<1x8x64xf16>, %s: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>, %x: tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>>) {
    // expected-error @+1 {{requires blocks of rank 2, but got 1x8x64}}
    %0 = amdg.async_tdm_gather %d[%x] to %s : tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>>, !ttg.memdesc<8x64xf16, #sw, #smem, mutable> -> !tt.tensordesc<1x8x64xf16>
    tt.return
  }
}

// -----

// tdm_rows_c2
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>, %x: tensor<1x8xi32, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>>) {
    // expected-error @+1 {{'amdg.async_tdm_gather' op requires row indices of rank 1, but got `tensor<1x8xi32, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>>`}}
    %0 = amdg.async_tdm_gather %d[%x] to %s : tensor<1x8xi32, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>>, !ttg.memdesc<8x64xf16, #sw, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// tdm_rows_c3
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>, %x: tensor<6xi32>) {
    // expected-error @+1 {{requires a power of two of row indices, but got 6}}
    %0 = amdg.async_tdm_gather %d[%x] to %s : tensor<6xi32>, !ttg.memdesc<8x64xf16, #sw, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// tdm_store_c1
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #ttg.padded_shared<[32:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>) {
    // expected-error @+1 {{requires a padding interval of one row, 64 elements, but got 32}}
    %0 = amdg.async_tdm_copy_local_to_global %d from %s : !ttg.memdesc<8x64xf16, #ttg.padded_shared<[32:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// update_tensor_descriptor_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %i: i32) {
    // expected-error @+1 {{requires one value of `add_offsets` for each of 2 dimensions, but got 1}}
    %0 = "amdg.update_tensor_descriptor"(%d, %i) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!tt.tensordesc<8x64xf16>, i32) -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// update_tensor_descriptor_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %i: i32) {
    // expected-error @+1 {{requires at least one of `add_offsets`, `set_bounds` and `pred`}}
    %0 = "amdg.update_tensor_descriptor"(%d) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!tt.tensordesc<8x64xf16>) -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// update_tensor_descriptor_c3
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %i: i32) {
    // expected-error @+1 {{`clamp_bounds` requires `add_offsets`}}
    %0 = "amdg.update_tensor_descriptor"(%d, %i) <{clamp_bounds, operandSegmentSizes = array<i32: 1, 0, 0, 1>}> : (!tt.tensordesc<8x64xf16>, i32) -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// update_tensor_descriptor_c4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %i: i32) {
    // expected-error @+1 {{must not have both `clamp_bounds` and `set_bounds`}}
    %0 = "amdg.update_tensor_descriptor"(%d, %i, %i, %i, %i) <{clamp_bounds, operandSegmentSizes = array<i32: 1, 2, 2, 0>}> : (!tt.tensordesc<8x64xf16>, i32, i32, i32, i32) -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}
