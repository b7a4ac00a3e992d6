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
    // expected-error @+1 {{copy 1 has blocks of shape 1x8x64; expected rank 2, as in copy 0}}
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
    // expected-error @+1 {{warp hint 0x2 of copy 1 overlaps the hints of earlier copies (0x3); expected disjoint hints}}
    %0 = amdg.async_tdm_fused_copy_global_to_local %d0, %d1 into %s0, %s1 {warp_used_hints = array<i32: 3, 2>} : !tt.tensordesc<8x64xf16>, !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #sw, #smem, mutable>, !ttg.memdesc<8x64xf16, #sw, #smem, mutable>
    tt.return
  }
}

// -----

// async_tdm_gather_c1
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #ttg.padded_shared<[128:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>, %x: tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>>) {
    // expected-error @+1 {{padding interval is 128 elements; expected a divisor of 64, the length of one row}}
    %0 = amdg.async_tdm_gather %d[%x] to %s : tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>>, !ttg.memdesc<8x64xf16, #ttg.padded_shared<[128:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// async_tdm_gather_c2
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>, #smem, mutable>, %x: tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order = [1, 0]}>}>>) {
    // expected-error @+1 {{buffer has `order = [0, 1]`; expected contiguous rows (the last dimension first in `order`)}}
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
    // expected-error @+1 {{'amdg.async_tdm_gather' op indices of type `tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [1, 0]}>}}
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
    // expected-error @+1 {{'amdg.async_tdm_gather' op indices of type `tensor<8xi32, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [1, 32], warpsPerCTA = [1, 4], order =}}
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
    // expected-error @+1 {{requires block sizes of at most 65535, but dimension 0 has size 131072}}
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
    // expected-error @+1 {{padding interval has 32 bits (2 x `f16`); expected at least 64 bits}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %s : !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #ttg.padded_shared<[2:+2] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_c7
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #ttg.padded_shared<[64:+1] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>) {
    // expected-error @+1 {{padding has 16 bits (1 x `f16`); expected at least 32 bits}}
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
    // expected-error @+1 {{number of warps is 32; with a warp hint, expected a power of two below 32}}
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
    // expected-error @+1 {{warp hint is 0; expected a mask with at least one warp}}
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
    // expected-error @+1 {{warp hint 0x10 selects a warp that does not exist; expected warps 0 to 3}}
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
    // expected-error @+1 {{warp hint 0x7 selects 3 warps; expected a power of two}}
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
    // expected-error @+1 {{warp hint 0x6 selects 2 warps with indices that differ in 2 bits; expected 1, log2 of the number of selected warps}}
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
    // expected-error @+1 {{warp hint selects 1 warps; expected a multiple of 4, the partitions times the groups of the buffer}}
    %0 = amdg.async_tdm_copy_global_to_local %d into %s {warp_used_hint = 1 : i32} : !tt.tensordesc<8x64xf16> -> !ttg.memdesc<8x64xf16, #ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #sw}>, #smem, mutable>
    tt.return
  }
}

// -----

// tdm_prefetch_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %i: i32, %p: i1) {
    // expected-error @+1 {{has `returnOffsets`, but no result; expected both or neither}}
    "amdg.tdm_prefetch"(%d, %i, %i, %p) <{returnOffsets, speculative = false}> : (!tt.tensordesc<8x64xf16>, i32, i32, i1) -> ()
    tt.return
  }
}

// -----

// tdm_prefetch_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %i: i32, %p: i1) {
    // expected-error @+1 {{; expected element type `i64` (one per prefetch), shape 8x1 and encoding `#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp}}
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
    // expected-error @+1 {{descriptor has blocks of shape 1x8x64; expected rank 2}}
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
    // expected-error @+1 {{number of row indices is 6; expected a power of two}}
    %0 = amdg.async_tdm_gather %d[%x] to %s : tensor<6xi32>, !ttg.memdesc<8x64xf16, #sw, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// tdm_store_c1
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %s: !ttg.memdesc<8x64xf16, #ttg.padded_shared<[32:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable>) {
    // expected-error @+1 {{padding interval is 32 elements; expected 64, the length of one row}}
    %0 = amdg.async_tdm_copy_local_to_global %d from %s : !ttg.memdesc<8x64xf16, #ttg.padded_shared<[32:+8] {order = [1, 0], shape = [8, 64]}>, #smem, mutable> -> !tt.tensordesc<8x64xf16>
    tt.return
  }
}

// -----

// update_tensor_descriptor_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx1250", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%d: !tt.tensordesc<8x64xf16>, %i: i32) {
    // expected-error @+1 {{`add_offsets` has 1 values for 2 dimensions; expected one value per dimension, or no values}}
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
