// RUN: ll-opt %s -split-input-file -verify-diagnostics

// ttg_c6
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error @+3 {{has an invalid layout in the result: the layout has 64 threads per warp, but the module has 32}}
    // expected-note @+2 {{the type is `tensor<256xi32, #ttg.blocked<}}
    // expected-note @+1 {{change the encoding, or the module's `"ttg.threads-per-warp"`}}
    %0 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #e>
    tt.return
  }
}

// -----

// ttg_c7, in each place of an operation.
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 8 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f(%p: tensor<256x!tt.ptr<i32>, #e>, %v: tensor<256xi32, #e>) {
    // expected-error @+5 {{has an invalid layout in operand 0: the layout has 4 warps per CTA, but the module has 8}}
    // expected-note @+4 {{the type is `tensor<256x!tt.ptr<i32>}}
    // expected-error @+3 {{has an invalid layout in operand 1: the layout has 4 warps per CTA, but the module has 8}}
    // expected-note @+2 {{the type is `tensor<256xi32}}
    // expected-note @+1 {{change the encoding, or the module's `"ttg.num-warps"`}}
    tt.store %p, %v : tensor<256x!tt.ptr<i32>, #e>
    tt.return
  }
}

// -----

// ttg_c2
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module {
  tt.func @f() {
    // expected-error @+2 {{requires the module attribute `"ttg.num-warps"`, because a tensor has an encoding}}
    // expected-note @+1 {{add `"ttg.num-warps" = ... : i32` to the module's attributes}}
    %0 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #e>
    tt.return
  }
}

// -----

// ttg_c3
#e = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 3 : i32} {
  tt.func @f() {
    // expected-error @+1 {{requires `"ttg.num-warps"` to be a positive power of two, but got 3 : i32}}
    %0 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #e>
    tt.return
  }
}

// -----

// tt_c2
tt.func @f() {
  // expected-error @+2 {{the result has type `tensor<24xi32>` with 24 elements; expected a power of two}}
  // expected-note @+1 {{pad the tensor to the next power of two and mask the rest}}
  %0 = tt.make_range {end = 24 : i32, start = 0 : i32} : tensor<24xi32>
  tt.return
}

// -----

tt.func @f(%x: i32) {
  // expected-error @+1 {{the result has type `tensor<4096x4096xi32>`; expected at most 1048576 elements}}
  %0 = tt.splat %x : i32 -> tensor<4096x4096xi32>
  tt.return
}

// -----

// encoding_c2, ttg_c5: ranks that differ.
#e = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @f() {
    // expected-error @+2 {{has an invalid layout in the result: the encoding is for tensors of rank 2, but the tensor has rank 1}}
    // expected-note @+1 {{the type is}}
    %0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #e>
    tt.return
  }
}

// -----

// encoding_c3
#e = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @f(%x: tensor<24x32xf32>) {
    // expected-error @+2 {{has an invalid layout in the result: shape has 24 elements along dim0, expected a power of two; the nearest ones are 16 and 32}}
    // expected-note @+1 {{the type is}}
    %0 = ttg.convert_layout %x : tensor<24x32xf32> -> tensor<24x32xf32, #e>
    tt.return
  }
}

// -----

// encoding_c4
#e = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @f(%x: tensor<4294967296x1xf32>) {
    // expected-error @+2 {{has an invalid layout in the result: shape has 2^32 elements or more, expected at most 2^62 in total and 2^31 along each dim}}
    // expected-note @+1 {{the type is}}
    %0 = ttg.convert_layout %x : tensor<4294967296x1xf32> -> tensor<4294967296x1xf32, #e>
    tt.return
  }
}

// -----

// encoding_c5: bases that follow from the encoding ...
#e = #ttg.blocked<{sizePerThread = [1073741824, 1073741824], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+2 {{has an invalid layout in the result: the layout has too many bases, expected at most 64 in total and 62 for each in-dim; make the encoding or the shape smaller}}
    // expected-note @+1 {{the type is}}
    %0 = tt.splat %x : f32 -> tensor<1x1xf32, #e>
    tt.return
  }
}

// -----

// ... and bases that are written out, of one dim and of all.
#e = #ttg.linear<{
  // expected-error @+1 {{`register` has 63 bases, expected at most 62}}
  register = [[0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0],
              [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0],
              [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0],
              [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0]],
  lane = [], warp = [], block = []
}>

// -----

// expected-error @+1 {{`linear` has 66 bases, expected at most 64}}
#e = #ttg.linear<{
  register = [[0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0],
              [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0],
              [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0],
              [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0]],
  lane = [[0], [0], [0], [0], [0]], warp = [], block = []
}>

// -----

// A list that is longer than any dimension of the hardware.
#e = #ttg.linear<{
  // expected-error @+1 {{`register` is too long: expected at most 64 items}}
  register = [[0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0],
              [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0],
              [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0],
              [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0],
              [0]],
  lane = [], warp = [], block = []
}>

// -----

// encoding_c8
#e = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
module attributes {"ttg.num-warps" = 1 : i32} {
  tt.func @f(%x: f32) {
    // expected-error @+2 {{has an invalid layout in the result: a tensor requires a register layout, but `#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>` is a memory layout}}
    // expected-note @+1 {{the type is}}
    %0 = tt.splat %x : f32 -> tensor<32x32xf32, #e>
    tt.return
  }
}

// -----

// encoding_c1: no dimension ...
#e = #ttg.blocked<{
  // expected-error @+1 {{`sizePerThread` has rank 0, expected 1 to 16}}
  sizePerThread = [], threadsPerWarp = [], warpsPerCTA = [], order = []
}>

// -----

// ... more than there can be ...
#e = #ttg.blocked<{
  // expected-error @+1 {{`sizePerThread` is too long: expected at most 16 items}}
  sizePerThread = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  threadsPerWarp = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  warpsPerCTA = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  order = [16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
}>

// -----

// ... no basis that says how many there are ...
// expected-error @+1 {{`linear` has rank 0, expected 1 to 16}}
#e = #ttg.linear<{register = [], lane = [], warp = [], block = []}>

// -----

#e = #ttg.swizzled_shared<{
  vec = 1, perPhase = 1, maxPhase = 1,
  // expected-error @+1 {{`order` has rank 0, expected 1 to 16}}
  order = []
}>

// -----

#e = #ttg.nvidia_mma<{
  versionMajor = 2, versionMinor = 0,
  // expected-error @+1 {{`warpsPerCTA` has rank 0, expected 1 to 16}}
  warpsPerCTA = [],
  instrShape = [16, 8]
}>

// -----

// ... and a rank that is given.
#e = #ttg.nvmma_shared<{
  swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16,
  // expected-error @+1 {{expected an integer from 1 to 2147483647, got 0}}
  rank = 0
}>

// -----

#e = #ttg.amd_wmma<{
  version = 2, isTranspose = true, ctaLayout = {warp = []},
  // expected-error @+1 {{`rank` is 17, expected 1 to 16}}
  rank = 17
}>

// -----

// encoding_c6: numbers of a list ...
#e = #ttg.blocked<{
  sizePerThread = [1,
    // expected-error @+1 {{expected an integer from 0 to 2147483647, got -4}}
    -4],
  threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]
}>

// -----

// ... of a basis ...
#e = #ttg.linear<{
  register = [],
  lane = [[1], [2],
    // expected-error @+1 {{expected an integer from 0 to 2147483647, got 2147483648}}
    [2147483648]
  ], warp = [], block = []
}>

// -----

// ... which are in lists, also those of bases.
// expected-error @+3 {{expected '[' in a list of integers such as `[1, 0]`}}
#e = #ttg.linear<{
  register = [],
  lane = [1, 2, 4], warp = [], block = []
}>

// -----

// expected-error @+1 {{expected '[' in a list of bases such as `[[1, 0], [2, 0]]`}}
#e = #ttg.linear<{register = 3, lane = [], warp = [], block = []}>

// -----

// A switch.
#e = #ttg.nvmma_shared<{
  swizzlingByteWidth = 64,
  // expected-error @+1 {{expected `true` or `false`}}
  transposed = 1,
  elementBitWidth = 16
}>

// -----

// encoding_c7
#e = #ttg.linear<{
  register = [],
  lane = [[1]],
  // expected-error @+1 {{`lane` is given twice, expected once}}
  lane = [[2]], warp = [], block = []
}>

// -----

// A misspelled key.
#e = #ttg.blocked<{
  // expected-error @+1 {{unexpected key `sizePerThred` in `blocked`; the nearest key is `sizePerThread`}}
  sizePerThred = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]
}>

// -----

// Keys that need no code of ours.
#e = #ttg.slice<{
  dim = 0,
  // expected-error @+1 {{key `dim` is given twice}}
  dim = 1,
  parent = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
}>

// -----

#e = #ttg.blocked<{
  // expected-error @+2 {{struct is missing required parameter: order}}
  sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1]
}>

// -----

// cga_layout_c1
#e = #ttg.blocked<{
  sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0],
  // expected-error @+1 {{basis [1] of `CGALayout` has length 1, expected length 2: one number for each dim}}
  CGALayout = [[1]]
}>

// -----

#e = #ttg.nvmma_shared<{
  swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16, rank = 3,
  // expected-error @+1 {{basis [1, 0] of `CGALayout` has length 2, expected length 3: one number for each dim}}
  CGALayout = [[1, 0]]
}>

// -----

#e = #ttng.tensor_memory_scales_encoding<
  // expected-error @+1 {{basis [1] of `CGALayout` has length 1, expected length 2: one number for each dim}}
  CGALayout = [[1]]
>

// -----

// cga_layout_c2: along two dimensions, and by no power of two.
#e = #ttg.swizzled_shared<{
  vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0],
  // expected-error @+1 {{basis [1, 1] of `CGALayout` is invalid, expected all zeros or zeros with one power of two}}
  CGALayout = [[1, 1]]
}>

// -----

#e = #ttg.swizzled_shared<{
  vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0],
  // expected-error @+1 {{basis [3, 0] of `CGALayout` is invalid}}
  CGALayout = [[1, 0], [3, 0]]
}>

// -----

// cga_layout_c3
#e = #ttg.blocked<{
  sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0],
  // expected-error @+1 {{basis [1, 0] of `CGALayout` depends linearly on earlier bases, expected a linearly independent basis; write zeros for CTAs that hold copies, or drop the basis}}
  CGALayout = [[1, 0], [1, 0]]
}>

// -----

// cga_layout_c4
#e = #ttg.blocked<{
  sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0],
  // expected-error @+1 {{the bases of `CGALayout` do not reach element [0, 2]; add the basis [0, 2], or replace a larger basis by it}}
  CGALayout = [[0, 1], [0, 4]]
}>

// -----

// cga_layout_c5
#e = #ttg.blocked<{
  sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0],
  // expected-error @+1 {{`CGALayout` has 17 bases, expected at most 16}}
  CGALayout = [[0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0]]
}>

// -----

// cga_layout_c6
#s = #ttg.shared_linear<{offset = [[2]], block = [[1]]}, alignment = 16>
// expected-error @+1 {{basis [1] of `block` is not a step past the tile of one CTA along one dim, expected contiguous CTA tiles}}
#e = #ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #s}>

// -----

// expected-error @+2 {{unknown attribute `ttg.brocked`: dialect `ttg` of Triton 3.9 has no such attribute}}
// expected-note @+1 {{the nearest attribute is `ttg.blocked`}}
#e = #ttg.brocked<{sizePerThread = [1]}>

// -----

// encoding_c9
// expected-error @+1 {{encodings are nested more than 32 deep}}
#e = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>}>
