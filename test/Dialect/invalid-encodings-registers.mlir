// RUN: ll-opt %s -split-input-file -verify-diagnostics

// The rules of encodings for registers; the error is at the key that breaks one.

// blocked_c1: of each list.
#e = #ttg.blocked<{
  sizePerThread = [1, 1],
  // expected-error @+1 {{`threadsPerWarp` has rank 1, expected 2 to match `sizePerThread`}}
  threadsPerWarp = [32],
  warpsPerCTA = [1, 1], order = [1, 0]
}>

// -----

#e = #ttg.blocked<{
  sizePerThread = [1, 1], threadsPerWarp = [8, 4],
  // expected-error @+1 {{`warpsPerCTA` has rank 3, expected 2 to match `sizePerThread`}}
  warpsPerCTA = [1, 1, 1],
  order = [1, 0]
}>

// -----

#e = #ttg.blocked<{
  sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1],
  // expected-error @+1 {{`order` has rank 1, expected 2 to match `sizePerThread`}}
  order = [0]
}>

// -----

// blocked_c2: in each list.
#e = #ttg.blocked<{
  // expected-error @+1 {{`sizePerThread[1]` is 6, expected a power of two; the nearest ones are 4 and 8}}
  sizePerThread = [1, 6],
  threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]
}>

// -----

#e = #ttg.blocked<{
  sizePerThread = [1, 1],
  // expected-error @+1 {{`threadsPerWarp[0]` is 0, expected a power of two; the nearest one is 1}}
  threadsPerWarp = [0, 32],
  warpsPerCTA = [1, 1], order = [1, 0]
}>

// -----

#e = #ttg.blocked<{
  sizePerThread = [1], threadsPerWarp = [32],
  // expected-error @+1 {{`warpsPerCTA[0]` is 3, expected a power of two; the nearest ones are 2 and 4}}
  warpsPerCTA = [3],
  order = [0]
}>

// -----

// blocked_c3
#e = #ttg.blocked<{
  sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1],
  // expected-error @+1 {{`order` is [1, 1], expected a permutation of [1, 0]}}
  order = [1, 1]
}>

// -----

// slice_c1
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#e = #ttg.slice<{
  dim = 0,
  // expected-error @+1 {{`parent` is a `swizzled_shared`, expected a distributed encoding}}
  parent = #s
}>

// -----

// What is no encoding at all.
#e = #ttg.slice<{
  dim = 0,
  // expected-error @+1 {{expected an encoding such as `#ttg.blocked<{...}>`, got 5 : i32}}
  parent = 5 : i32
}>

// -----

// slice_c2
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#e = #ttg.slice<{
  dim = 0,
  // expected-error @+1 {{`parent` has rank 1, expected 2 or more}}
  parent = #b
}>

// -----

// slice_c3, at the key of the outer one.
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#e = #ttg.slice<{
  parent = #ttg.slice<{
    dim = 0,
    parent = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [1, 1, 1], order = [2, 1, 0]}>
  }>,
  // expected-error @+1 {{`dim` is 2, expected less than 2, the rank of the parent}}
  dim = 2
}>

// -----

// linear_c1: a key that it does not have, and one that it has.
#e = #ttg.linear<{
  // expected-error @+1 {{unexpected key `thread` in `linear`; the keys are `register`, `lane`, `warp`, `block`}}
  thread = 1,
  register = [], lane = [], warp = [], block = []
}>

// -----

// expected-error @+1 {{`linear` requires the key `block`; write `block = []` for no bases}}
#e = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// -----

// linear_c2
#e = #ttg.linear<{
  register = [[1, 0]],
  // expected-error @+1 {{basis [4] of `lane` has length 1, expected length 2: one number for each dim}}
  lane = [[2, 0], [4]],
  warp = [], block = []
}>

// -----

// linear_c3: by no power of two, and along two dimensions.
#e = #ttg.linear<{
  register = [],
  // expected-error @+1 {{basis [3] of `lane` is invalid, expected all zeros or zeros with one power of two}}
  lane = [[1], [2], [4], [8], [3]],
  warp = [], block = []
}>

// -----

#e = #ttg.linear<{
  register = [[1, 0]], lane = [],
  // expected-error @+1 {{basis [1, 1] of `warp` is invalid}}
  warp = [[1, 1]],
  block = []
}>

// -----

// linear_c4
#e = #ttg.linear<{
  register = [], lane = [[1], [2]],
  // expected-error @+1 {{basis [2] of `warp` depends linearly on earlier bases, expected a linearly independent basis; write zeros for copies, or drop the basis}}
  warp = [[2]],
  block = []
}>

// -----

// linear_c5
// expected-error @+1 {{the bases of `linear` do not reach element [0, 2]; add the basis [0, 2], or replace a larger basis by it}}
#e = #ttg.linear<{register = [], lane = [[1, 0], [0, 1], [0, 4]], warp = [], block = []}>

// -----

// generic_linear_c2
#e = #ttg.generic_linear<{
  register = [], lane = [], warp = [], block = [],
  // expected-error @+1 {{unexpected key `offset` in `generic_linear`; the keys are `register`, `lane`, `warp`, `block`}}
  offset = [[1]]
}>

// -----

// expected-error @+1 {{`generic_linear` requires the key `warp`; write `warp = []` for no bases}}
#e = #ttg.generic_linear<{register = [[1]], lane = [], block = []}>

// -----

// generic_linear_c3
#e = #ttg.generic_linear<{
  register = [[1, 0]], lane = [],
  // expected-error @+1 {{basis [2] of `warp` has length 1, expected length 2: one number for each dim}}
  warp = [[2]],
  block = []
}>

// -----

// generic_linear_c4: of each dimension of the hardware but `warp`.
#e = #ttg.generic_linear<{
  // expected-error @+1 {{basis [1, 1] of `register` steps along several dims, expected at most one dim; only bases of `warp` may step along several dims}}
  register = [[1, 1]],
  lane = [[0, 1]], warp = [], block = []
}>

// -----

#e = #ttg.generic_linear<{
  register = [[1, 0]],
  // expected-error @+1 {{basis [2, 1] of `lane` steps along several dims, expected at most one dim; only bases of `warp` may step along several dims}}
  lane = [[2, 1], [0, 1]],
  warp = [], block = []
}>

// -----

#e = #ttg.generic_linear<{
  register = [[1, 0]], lane = [[0, 1]], warp = [],
  // expected-error @+1 {{basis [2, 1] of `block` steps along several dims, expected at most one dim; only bases of `warp` may step along several dims}}
  block = [[2, 1]]
}>

// -----

// generic_linear_c5
#e = #ttg.generic_linear<{
  // expected-error @+1 {{basis [3, 0] of `register` has a step that is not a power of two; only `lane` and `warp` allow other steps}}
  register = [[3, 0]],
  lane = [[0, 1]], warp = [[1, 0]], block = []
}>

// -----

// generic_linear_c6
// expected-error @+1 {{the bases of `generic_linear` do not reach element [2, 0]; add the basis [2, 0], or replace a larger basis by it}}
#e = #ttg.generic_linear<{register = [[1, 0]], lane = [[0, 1]], warp = [[2, 2]], block = []}>

// -----

// nvidia_mma_c1: an instruction that is gone, and one whose result is in tensor memory.
#e = #ttg.nvidia_mma<{
  // expected-error @+1 {{`versionMajor` is 1, expected 2 for `mma` or 3 for `wgmma`}}
  versionMajor = 1,
  versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]
}>

// -----

#e = #ttg.nvidia_mma<{
  // expected-error @+1 {{`versionMajor` is 5, expected 2 for `mma` or 3 for `wgmma`}}
  versionMajor = 5,
  versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]
}>

// -----

// amd_mfma_c1
#e = #ttg.amd_mfma<{
  // expected-error @+1 {{`version` is 5, expected 0 to 4}}
  version = 5,
  warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true
}>

// -----

// amd_mfma_c2: a shape that no instruction has, and too few sizes.
#e = #ttg.amd_mfma<{
  version = 3, warpsPerCTA = [2, 2],
  // expected-error @+1 {{instruction shape [32, 16, 8] does not exist for `amd_mfma`; expected [32, 32, k], [16, 16, k], [64, 4, k] or [4, 64, k]}}
  instrShape = [32, 16, 8],
  isTransposed = true
}>

// -----

#e = #ttg.amd_mfma<{
  version = 3, warpsPerCTA = [2, 2],
  // expected-error @+1 {{instruction shape [32] does not exist for `amd_mfma`; expected [32, 32, k], [16, 16, k], [64, 4, k] or [4, 64, k]}}
  instrShape = [32],
  isTransposed = true
}>

// -----

// amd_mfma_c3
#e = #ttg.amd_mfma<{
  version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true,
  // expected-error @+1 {{`elementBitWidth` is 16, expected 32 or 64}}
  elementBitWidth = 16
}>

// -----

// amd_wmma_c1
#e = #ttg.amd_wmma<{
  // expected-error @+1 {{`version` is 4, expected 1, 2 or 3}}
  version = 4,
  isTranspose = true, ctaLayout = {warp = [[1, 0]]}
}>

// -----

// amd_wmma_c2: of each version.
#e = #ttg.amd_wmma<{
  version = 1, isTranspose = true, ctaLayout = {warp = [[1, 0]]},
  // expected-error @+1 {{instruction shape [16, 16, 32] does not exist for `amd_wmma`; expected [16, 16, 16] in version 1}}
  instrShape = [16, 16, 32]
}>

// -----

#e = #ttg.amd_wmma<{
  version = 2, isTranspose = true, ctaLayout = {warp = [[1, 0]]},
  // expected-error @+1 {{instruction shape [16, 16, 8] does not exist for `amd_wmma`; expected [16, 16, 16] or [16, 16, 32] in version 2}}
  instrShape = [16, 16, 8]
}>

// -----

#e = #ttg.amd_wmma<{
  version = 3, isTranspose = true, ctaLayout = {warp = [[1, 0]]},
  // expected-error @+1 {{instruction shape [16, 16, 16] does not exist for `amd_wmma`; expected [16, 16, 4|32|64|128] or [32, 16, 64|128] in version 3}}
  instrShape = [16, 16, 16]
}>

// -----

// amd_wmma_c3: a misspelled key would be no warps.
#e = #ttg.amd_wmma<{
  version = 2, isTranspose = true,
  ctaLayout = {
    // expected-error @+1 {{unexpected key `wrap` in `ctaLayout`; the nearest key is `warp`}}
    wrap = [[1, 0]]
  }
}>

// -----

// amd_wmma_c4: among themselves, and against the rank that is given.
#e = #ttg.amd_wmma<{
  version = 2, isTranspose = true,
  ctaLayout = {
    // expected-error @+1 {{basis [2] of `warp` has length 1, expected length 2: one number for each dim}}
    warp = [[1, 0], [2]]
  }
}>

// -----

#e = #ttg.amd_wmma<{
  version = 2, isTranspose = true,
  ctaLayout = {
    // expected-error @+1 {{basis [1, 0] of `warp` has length 2, expected length 3: one number for each dim}}
    warp = [[1, 0]]
  },
  rank = 3
}>

// -----

// amd_wmma_c5
#e = #ttg.amd_wmma<{
  version = 2, isTranspose = true,
  // expected-error @+1 {{the bases of `ctaLayout` do not reach element [2, 0]; add the basis [2, 0], or replace a larger basis by it}}
  ctaLayout = {warp = [[1, 0], [4, 0]]}
}>

// -----

// dot_op_c1
#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#e = #ttg.dot_op<{
  // expected-error @+1 {{`opIdx` is 2, expected 0 or 1}}
  opIdx = 2,
  parent = #b
}>

// -----

// dot_op_c2
#l = #ttg.linear<{register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = []}>
#e = #ttg.dot_op<{
  opIdx = 0,
  // expected-error @+1 {{`parent` is a `linear`, expected `blocked`, `nvidia_mma`, `amd_mfma` or `amd_wmma`}}
  parent = #l,
  kWidth = 2
}>

// -----

// dot_op_c3
#m = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>
#e = #ttg.dot_op<{
  // expected-error @+1 {{`opIdx` is 1, expected 0 because an `nvidia_mma` parent of version 3 reads B from shared memory}}
  opIdx = 1,
  parent = #m, kWidth = 2
}>

// -----

// dot_op_c4: with each parent.
#m = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#e = #ttg.dot_op<{
  opIdx = 0, parent = #m,
  // expected-error @+1 {{`kWidth` is 2, expected 0 with a `blocked` parent}}
  kWidth = 2
}>

// -----

#m = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#e = #ttg.dot_op<{
  opIdx = 0, parent = #m,
  // expected-error @+1 {{`kWidth` is 0, expected 1 or more with an `nvidia_mma` parent}}
  kWidth = 0
}>

// -----

#m = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
#e = #ttg.dot_op<{
  opIdx = 0, parent = #m,
  // expected-error @+1 {{`kWidth` is 0, expected 1 or more with an `amd_mfma` parent}}
  kWidth = 0
}>

// -----

#m = #ttg.amd_wmma<{version = 1, isTranspose = true, ctaLayout = {warp = [[1, 0]]}}>
#e = #ttg.dot_op<{
  opIdx = 0, parent = #m,
  // expected-error @+1 {{`kWidth` is 4, expected 8 or 16 with an `amd_wmma` parent of version 1}}
  kWidth = 4
}>

// -----

#m = #ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[1, 0]]}}>
#e = #ttg.dot_op<{
  opIdx = 0, parent = #m,
  // expected-error @+1 {{`kWidth` is 2, expected 4, 8 or 16 with an `amd_wmma` parent of version 2}}
  kWidth = 2
}>

// -----

#m = #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[1, 0]]}, instrShape = [16, 16, 32]}>
#e = #ttg.dot_op<{
  opIdx = 0, parent = #m,
  // expected-error @+1 {{`kWidth` is 0, expected 1 or more with an `amd_wmma` parent of version 3}}
  kWidth = 0
}>
