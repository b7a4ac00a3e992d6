// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of AMD's tensor data mover.

// async_tdm_fused_copy_global_to_local_c1
#sw = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d0: !tt.tensordesc<8x64xf16>, %s0: !ttg.memdesc<8x64xf16, #sw, #smem, mutable>) {
    // expected-error @+1 {{does 2 to 4 copies at once, but has 1}}
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
    // expected-error @+1 {{needs a hint for each of 2 copies, but has 1}}
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
    // expected-error @+1 {{copies blocks of one rank, but copy 1 has 1x8x64}}
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
    // expected-error @+1 {{gives each copy warps of its own, but the hint 0x2 of copy 1 shares some}}
    %0 = amdg.async_tdm_fused_copy_global_to_local %d0, %d1 into %s0, %s1 {warp_used_hints = array<i32: 3, 2>} : !tt.tensordesc<8x64xf16>, !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #sw, #smem, mutable>, !ttg.memdesc<8x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// async_tdm_gather_c1
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #ttg.padded_shared<[128:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>, %x: tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>>) {
    // expected-error @+1 {{needs padding after a part of a row of 64 elements, but it comes after 128}}
    %0 = amdg.async_tdm_gather %d[%x] to %s : tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>>, !ttg.memdesc<8x64xf16, #ttg.padded_shared<[128:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// async_tdm_gather_c2
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>, #smem, mutable>, %x: tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>>) {
    // expected-error @+1 {{needs a buffer whose rows are contiguous, but its `order` is [0, 1]}}
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
    // expected-error @+1 {{'amdg.async_tdm_gather' op needs the same indices in all threads of a warp, but has `tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>}}
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
    // expected-error @+1 {{'amdg.async_tdm_gather' op needs indices that are split over CTAs as the rows are, but has `tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order =}}
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
    // expected-error @+1 {{copies blocks of at most 65535 in each dimension, but dimension 0 has 131072}}
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
    // expected-error @+1 {{copies without swizzle, but the buffer is `#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase =}}
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
    // expected-error @+1 {{'amdg.async_tdm_copy_global_to_local' op needs a descriptor with the buffer's layout, but they have `#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>` and `#ttg.swizzled_shared<{vec = 1, perPhase = 1, ma}}
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
    // expected-error @+1 {{needs a buffer whose encoding is `#ttg.swizzled_shared` or `#ttg.padded_shared`, but has}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %s : !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #nv, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_c5
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #ttg.padded_shared<[64:+8, 128:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>) {
    // expected-error @+1 {{copies with one interval and padding, but the buffer is `#ttg.padded_shared<[64:+8, 128:+8] {order}}
    %0 = amdg.async_tdm_copy_local_to_global %d from %s : !ttg.memdesc<8x64xf16, #ttg.padded_shared<[64:+8, 128:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// tdm_c6
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #ttg.padded_shared<[2:+2] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>) {
    // expected-error @+1 {{needs padding after at least 64 bits, but it comes after 2 of `f16`}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %s : !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #ttg.padded_shared<[2:+2] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_c7
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #ttg.padded_shared<[64:+1] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>) {
    // expected-error @+1 {{needs padding of at least 32 bits, but it is 1 of `f16`}}
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
    // expected-error @+1 {{chooses among fewer than 32 warps, a power of two, but the module has 32}}
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
    // expected-error @+1 {{needs a hint that chooses at least one warp}}
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
    // expected-error @+1 {{chooses among 4 warps, but the hint is 0x10}}
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
    // expected-error @+1 {{chooses a power of two of warps, but the hint 0x7 has 3}}
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
    // expected-error @+1 {{chooses warps that differ in 1 bits of their number, but the 2 of the hint 0x6 differ in 2}}
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
    // expected-error @+1 {{needs a multiple of 4 warps, one for each piece of the buffer, but the hint has 1}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %s {warp_used_hint = 1 : i32} : !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #sw}>, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_prefetch_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %i: i32, %p: i1) {
    // expected-error @+1 {{needs both `returnOffsets` and a result, or neither}}
    "amdg.tdm_prefetch"(%d, %i, %i, %p) <{returnOffsets, speculative = false}> : (!tt.tensordesc<8x64xf16>, i32, i32, i1) -> ()
    tt.return
  }
}

// -----

// tdm_prefetch_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %i: i32, %p: i1) {
    // expected-error @+1 {{makes an `i64` for each prefetch, of 8x1 with `#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp}}
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
    // expected-error @+1 {{copies rows of blocks of rank 2, but these are 1x8x64}}
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
    // expected-error @+1 {{'amdg.async_tdm_gather' op needs row indices of rank 1, but has `tensor<1x8xi32, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>>`}}
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
    // expected-error @+1 {{needs a power of two of row indices, but has 6}}
    %0 = amdg.async_tdm_gather %d[%x] to %s : tensor<6xi32>, !ttg.memdesc<8x64xf16, #sw, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// tdm_store_c1
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #ttg.padded_shared<[32:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>) {
    // expected-error @+1 {{needs padding after each row of 64 elements, but it comes after 32}}
    %0 = amdg.async_tdm_copy_local_to_global %d from %s : !ttg.memdesc<8x64xf16, #ttg.padded_shared<[32:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// update_tensor_descriptor_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %i: i32) {
    // expected-error @+1 {{needs one of `add_offsets` for each of 2 dimensions, but has 1}}
    %0 = "amdg.update_tensor_descriptor"(%d, %i) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!tt.tensordesc<8x64xf16>, i32) -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// update_tensor_descriptor_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %i: i32) {
    // expected-error @+1 {{needs something to change: `add_offsets`, `set_bounds` or `pred`}}
    %0 = "amdg.update_tensor_descriptor"(%d) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (!tt.tensordesc<8x64xf16>) -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// update_tensor_descriptor_c3
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %i: i32) {
    // expected-error @+1 {{has `clamp_bounds`, which needs `add_offsets` to clamp to}}
    %0 = "amdg.update_tensor_descriptor"(%d, %i) <{clamp_bounds, operandSegmentSizes = array<i32: 1, 0, 0, 1>}> : (!tt.tensordesc<8x64xf16>, i32) -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// update_tensor_descriptor_c4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %i: i32) {
    // expected-error @+1 {{has both `clamp_bounds` and `set_bounds`, expected one of them}}
    %0 = "amdg.update_tensor_descriptor"(%d, %i, %i, %i, %i) <{clamp_bounds, operandSegmentSizes = array<i32: 1, 2, 2, 0>}> : (!tt.tensordesc<8x64xf16>, i32, i32, i32, i32) -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}
