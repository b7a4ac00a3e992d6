// RUN: ll-opt %s -split-input-file -verify-diagnostics

// The rules of encodings that hold where one lays out a tensor or a buffer.

// nvidia_mma_c2: too few sizes, and too few dimensions.
#e = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+2 {{has an invalid layout in the result: `nvidia_mma` cannot be converted to a linear layout: `instrShape` is [16], expected a size for each of 2 dims}}
    // expected-note @+1 {{the type is}}
    %0 = tt.splat %x : f32 -> tensor<64x64xf32, #e>
    tt.return
  }
}

// -----

#e = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4], instrShape = [16]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+2 {{`nvidia_mma` cannot be converted to a linear layout: `instrShape` is [16], expected a size for each of 2 dims}}
    // expected-note @+1 {{the type is}}
    %0 = tt.splat %x : f32 -> tensor<64xf32, #e>
    tt.return
  }
}

// -----

// nvidia_mma_c3
#e = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [3, 1], instrShape = [16, 8]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+2 {{has an invalid layout in the result: `warpsPerCTA[0]` is 3, expected a power of two; the nearest ones are 2 and 4}}
    // expected-note @+1 {{the type is}}
    %0 = tt.splat %x : f32 -> tensor<64x64xf32, #e>
    tt.return
  }
}

// -----

// nvidia_mma_c4: a number of columns that is no power of two, and rows that are no multiple of 8.
#e = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 24, 16]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+2 {{`nvidia_mma` cannot be converted to a linear layout: a tile is 16 by 24 elements, expected powers of two, at least 8 by 8}}
    // expected-note @+1 {{the type is}}
    %0 = tt.splat %x : f32 -> tensor<64x64xf32, #e>
    tt.return
  }
}

// -----

#e = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [4, 8]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+2 {{`nvidia_mma` cannot be converted to a linear layout: a tile is 4 by 8 elements, expected powers of two, at least 8 by 8}}
    // expected-note @+1 {{the type is}}
    %0 = tt.splat %x : f32 -> tensor<64x64xf32, #e>
    tt.return
  }
}

// -----

// amd_mfma_c4
#e = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4], instrShape = [32, 32, 8], isTransposed = true}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+2 {{`amd_mfma` cannot be converted to a linear layout: `warpsPerCTA` has rank 1, expected 2, or 3 with a batch dim}}
    // expected-note @+1 {{the type is}}
    %0 = tt.splat %x : f32 -> tensor<64xf32, #e>
    tt.return
  }
}

// -----

// amd_mfma_c5
#e = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true, tilesPerWarp = [2]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+2 {{`amd_mfma` cannot be converted to a linear layout: `tilesPerWarp` is [2], expected a number for each of 2 dims}}
    // expected-note @+1 {{the type is}}
    %0 = tt.splat %x : f32 -> tensor<64x64xf32, #e>
    tt.return
  }
}

// -----

// amd_mfma_c6: warps and tiles.
#e = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 3], instrShape = [32, 32, 8], isTransposed = true}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+2 {{has an invalid layout in the result: `warpsPerCTA[1]` is 3, expected a power of two; the nearest ones are 2 and 4}}
    // expected-note @+1 {{the type is}}
    %0 = tt.splat %x : f32 -> tensor<64x64xf32, #e>
    tt.return
  }
}

// -----

#e = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true, tilesPerWarp = [1, 6]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+2 {{has an invalid layout in the result: `tilesPerWarp[1]` is 6, expected a power of two; the nearest ones are 4 and 8}}
    // expected-note @+1 {{the type is}}
    %0 = tt.splat %x : f32 -> tensor<64x64xf32, #e>
    tt.return
  }
}

// -----

// amd_mfma_c7
#e = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 4], instrShape = [64, 4, 4], isTransposed = false}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+2 {{`amd_mfma` cannot be converted to a linear layout: `isTransposed` is false, expected true because the 64x4 instruction swaps the operands}}
    // expected-note @+1 {{the type is}}
    %0 = tt.splat %x : f32 -> tensor<64x64xf32, #e>
    tt.return
  }
}

// -----

// amd_wmma_c6
#e = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[1], [2]]}}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+2 {{`amd_wmma` cannot be converted to a linear layout: `ctaLayout` has rank 1, expected 2, or 3 with a batch dim}}
    // expected-note @+1 {{the type is}}
    %0 = tt.splat %x : f32 -> tensor<64xf32, #e>
    tt.return
  }
}

// -----

// dot_op_c5
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#e = #ttg.dot_op<{opIdx = 0, parent = #b}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+2 {{`dot_op` cannot be converted to a linear layout: `parent` has rank 1, expected 2 or more}}
    // expected-note @+1 {{the type is}}
    %0 = tt.splat %x : f32 -> tensor<64xf32, #e>
    tt.return
  }
}

// -----

// dot_op_c6: with parents of both vendors, and a number that no register file holds.
#m = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#e = #ttg.dot_op<{opIdx = 0, parent = #m, kWidth = 3}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+2 {{has an invalid layout in the result: `kWidth` is 3, expected a power of two; the nearest ones are 2 and 4}}
    // expected-note @+1 {{the type is}}
    %0 = tt.splat %x : f32 -> tensor<64x64xf32, #e>
    tt.return
  }
}

// -----

#m = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
#e = #ttg.dot_op<{opIdx = 0, parent = #m, kWidth = 6}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 64 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+2 {{has an invalid layout in the result: `kWidth` is 6, expected a power of two; the nearest ones are 4 and 8}}
    // expected-note @+1 {{the type is}}
    %0 = tt.splat %x : f32 -> tensor<64x64xf32, #e>
    tt.return
  }
}

// -----

#m = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#e = #ttg.dot_op<{opIdx = 0, parent = #m, kWidth = 1073741824}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+2 {{has an invalid layout in the result: `kWidth` is 1073741824, expected at most 536870911, because 8 * `kWidth` must fit into 32 bits}}
    // expected-note @+1 {{the type is}}
    %0 = tt.splat %x : f32 -> tensor<64x64xf32, #e>
    tt.return
  }
}

// -----

// swizzled_shared_c2
#e = #ttg.swizzled_shared<{vec = 1, perPhase = 0, maxPhase = 1, order = [1, 0]}>
// expected-error @+1 {{`swizzled_shared` cannot be converted to a linear layout: `perPhase` is 0 and `maxPhase` is 1, expected 1 or more of each}}
tt.func private @f(!ttg.memdesc<16x16xf16, #e, #ttg.shared_memory>)

// -----

// amd_rotating_shared_c2
#e = #ttg.amd_rotating_shared<{vec = 1, perPhase = 1, maxPhase = 0, order = [1, 0]}>
// expected-error @+1 {{`amd_rotating_shared` cannot be converted to a linear layout: `perPhase` is 1 and `maxPhase` is 0, expected 1 or more of each}}
tt.func private @f(!ttg.memdesc<16x16xf16, #e, #ttg.shared_memory>)

// -----

// padded_shared_c10
#e = #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [16, 32]}>
// expected-error @+1 {{shape has 64 elements along dim1, but the `padded_shared` encoding has exactly 32}}
tt.func private @f(!ttg.memdesc<16x64xf16, #e, #ttg.shared_memory>)

// -----

// shared_linear_c6
#e = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0]]}, alignment = 16>
// expected-error @+1 {{shape has 4 elements along dim0, but the `shared_linear` encoding has exactly 2}}
tt.func private @f(!ttg.memdesc<4x4xf16, #e, #ttg.shared_memory>)

// -----

// encoding_c4 of a buffer.
#e = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// expected-error @+1 {{shape has 2^32 elements or more, expected at most 2^62 in total and 2^31 along each dim}}
tt.func private @f(!ttg.memdesc<4294967296x1xf16, #e, #ttg.shared_memory>)

// -----

// tensor_memory_encoding_c6, memdesc_c10, also of a block of 64 rows.
#e = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>
// expected-error @+1 {{buffer in tensor memory has shape 64x64; expected at least one block of `#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>`, 128x64}}
tt.func private @f(!ttg.memdesc<64x64xf32, #e, #ttng.tensor_memory>)

// -----

// tensor_memory_encoding_c7
#e = #ttng.tensor_memory_encoding<blockM = 64, blockN = 1, colStride = 1, CGALayout = [[1, 0]], twoCTAs = true>
// expected-error @+1 {{`tensor_memory_encoding` cannot be converted to a linear layout: a block has 1 column, expected at least 2 columns to split between two CTAs}}
tt.func private @f(!ttg.memdesc<128x1xf32, #e, #ttng.tensor_memory>)

// -----

// nvmma_shared_c3
#e = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8, fp4Padded = true}>
tt.func @f(%x: !ttg.memdesc<64x64xi8, #e, #ttg.shared_memory>) {
  // expected-error @+1 {{operand has no valid layout: `nvmma_shared` cannot be converted to a linear layout: `fp4Padded` is true with `swizzlingByteWidth` 64 and `elementBitWidth` 8, expected 128 and 8}}
  %0 = ttg.memdesc_reshape %x : !ttg.memdesc<64x64xi8, #e, #ttg.shared_memory> -> !ttg.memdesc<32x128xi8, #e, #ttg.shared_memory>
  tt.return
}

// -----

// nvmma_shared_c4
#e = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 12}>
tt.func @f(%x: !ttg.memdesc<64x64xi8, #e, #ttg.shared_memory>) {
  // expected-error @+1 {{operand has no valid layout: `elementBitWidth` is 12, expected a power of two; the nearest ones are 8 and 16}}
  %0 = ttg.memdesc_reshape %x : !ttg.memdesc<64x64xi8, #e, #ttg.shared_memory> -> !ttg.memdesc<32x128xi8, #e, #ttg.shared_memory>
  tt.return
}

// -----

// nvmma_shared_c5
#e = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16, rank = 1}>
tt.func @f(%x: !ttg.memdesc<64xf16, #e, #ttg.shared_memory>) {
  // expected-error @+1 {{operand has no valid layout: `nvmma_shared` cannot be converted to a linear layout: `rank` is 1, expected 2 or more with a swizzle}}
  %0 = ttg.memdesc_reshape %x : !ttg.memdesc<64xf16, #e, #ttg.shared_memory> -> !ttg.memdesc<64xf16, #e, #ttg.shared_memory>
  tt.return
}

// -----

// nvmma_shared_c6
#e = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
tt.func @f(%x: !ttg.memdesc<4x64xf16, #e, #ttg.shared_memory>) {
  // expected-error @+1 {{operand has no valid layout: shape has 4 elements along the non-contiguous dims of one CTA, expected a multiple of 8 for `nvmma_shared`}}
  %0 = ttg.memdesc_reshape %x : !ttg.memdesc<4x64xf16, #e, #ttg.shared_memory> -> !ttg.memdesc<8x32xf16, #e, #ttg.shared_memory>
  tt.return
}

// -----

// partitioned_shared_c5
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#e = #ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #s}>
tt.func @f(%x: !ttg.memdesc<2x64xf16, #e, #ttg.shared_memory>) {
  // expected-error @+1 {{operand has no valid layout: shape has 2 elements along the partitioned dim, expected a multiple of 4 for `partitioned_shared`}}
  %0 = ttg.memdesc_trans %x {order = array<i32: 1, 0>} : !ttg.memdesc<2x64xf16, #e, #ttg.shared_memory> -> !ttg.memdesc<64x2xf16, #e, #ttg.shared_memory>
  tt.return
}

// -----

// encoding_c10: the only way to odd columns is a basis that reaches out of four columns ...
#e = #ttg.generic_linear<{register = [[2, 0], [0, 4]], lane = [[0, 2], [4, 0], [8, 0], [16, 0], [1, 0]], warp = [[0, 5]], block = []}>
module attributes {"ttg.num-warps" = 2 : i32} {
  tt.func @f(%x: f32) {
    // Eight columns are as the bases are written, and one column needs none of them.
    %0 = tt.splat %x : f32 -> tensor<32x8xf32, #e>
    %1 = tt.splat %x : f32 -> tensor<32x1xf32, #e>
    // expected-error @+2 {{has an invalid layout in the result: `generic_linear` cannot be converted to a linear layout: the bases do not reach element [0, 1] (a basis beyond the shape counts as zero); use a larger shape or smaller bases}}
    // expected-note @+1 {{the type is}}
    %2 = tt.splat %x : f32 -> tensor<32x4xf32, #e>
    tt.return
  }
}

// -----

// ... and so in a slice of it.
#e = #ttg.generic_linear<{register = [[2, 0], [0, 4]], lane = [[0, 2], [4, 0], [8, 0], [16, 0], [1, 0]], warp = [[0, 5]], block = []}>
module attributes {"ttg.num-warps" = 2 : i32} {
  tt.func @f() {
    // expected-error @+2 {{`slice` cannot be converted to a linear layout: the bases do not reach element [1]}}
    // expected-note @+1 {{the type is}}
    %0 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32, #ttg.slice<{dim = 0, parent = #e}>>
    tt.return
  }
}
