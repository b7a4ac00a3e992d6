// RUN: ll-opt %s -split-input-file -verify-diagnostics

// The rules of encodings for memory, of cache policies and of pointers; the error is at the key that
// breaks one.

// swizzled_shared_c1
#e = #ttg.swizzled_shared<{
  vec = 1, perPhase = 1, maxPhase = 1,
  // expected-error @+1 {{`order` is [1, 1], expected a permutation of [1, 0]}}
  order = [1, 1]
}>

// -----

// amd_rotating_shared_c1
#e = #ttg.amd_rotating_shared<{
  vec = 1, perPhase = 1, maxPhase = 1,
  // expected-error @+1 {{`order` is [2, 0], expected a permutation of [1, 0]}}
  order = [2, 0]
}>

// -----

// padded_shared_c1
// expected-error @+1 {{`padded_shared` has no padding, expected at least one pair `interval:+padding`; use `#ttg.shared_linear` for a buffer without padding}}
#e = #ttg.padded_shared<[] {order = [1, 0], shape = [16, 32]}>

// -----

// padded_shared_c2
// expected-error @+1 {{`interval[1]` is 30, expected a power of two; the nearest ones are 16 and 32}}
#e = #ttg.padded_shared<[64:+4, 30:+4] {order = [1, 0], shape = [16, 32]}>

// -----

// expected-error @+1 {{`padding[0]` is 3, expected a power of two; the nearest ones are 2 and 4}}
#e = #ttg.padded_shared<[32:+3] {order = [1, 0], shape = [16, 32]}>

// -----

// padded_shared_c3
// expected-error @+1 {{`interval` 32 is given twice, expected one padding for each interval}}
#e = #ttg.padded_shared<[32:+4, 32:+8] {order = [1, 0], shape = [16, 32]}>

// -----

// padded_shared_c4: a key that it does not have, keys of both kinds, and a key that is missing.
#e = #ttg.padded_shared<[32:+4] {
  order = [0], shape = [64],
  // expected-error @+1 {{unexpected key `alignment` in `padded_shared`; the keys are `offset` and `block`, or `order` and `shape`}}
  alignment = 16
}>

// -----

#e = #ttg.padded_shared<[32:+4] {
  // expected-error @+1 {{unexpected key `order` in `padded_shared`; the keys are `offset` and `block`, or `order` and `shape`}}
  order = [0],
  offset = [[1]], block = []
}>

// -----

// expected-error @+1 {{`padded_shared` requires the key `block`; write `block = []` for no bases}}
#e = #ttg.padded_shared<[32:+4] {offset = [[1], [2]]}>

// -----

// expected-error @+1 {{`padded_shared` requires the key `shape`}}
#e = #ttg.padded_shared<[32:+4] {order = [1, 0]}>

// -----

// padded_shared_c5
#e = #ttg.padded_shared<[32:+4] {
  // expected-error @+1 {{basis [2] of `offset` has length 1, expected length 2: one number for each dim}}
  offset = [[1, 0], [2]],
  block = []
}>

// -----

// padded_shared_c6: a basis that is there already, and zero.
#e = #ttg.padded_shared<[32:+4] {
  // expected-error @+1 {{basis [1] of `offset` depends linearly on earlier bases, expected a linearly independent basis; drop the basis}}
  offset = [[1], [1]],
  block = []
}>

// -----

#e = #ttg.padded_shared<[32:+4] {
  // expected-error @+1 {{basis [0] of `offset` depends linearly on earlier bases, expected a linearly independent basis; drop the basis}}
  offset = [[1], [0], [2]],
  block = []
}>

// -----

// padded_shared_c7
#e = #ttg.padded_shared<[32:+4] {
  // expected-error @+1 {{basis [3] of `offset` is invalid, expected all zeros or zeros with one power of two}}
  offset = [[1], [3]],
  block = []
}>

// -----

// padded_shared_c8
// expected-error @+1 {{the bases of `padded_shared` do not reach element [2]; add the basis [2], or replace a larger basis by it}}
#e = #ttg.padded_shared<[32:+4] {offset = [[1], [4]], block = []}>

// -----

// padded_shared_c9: each dimension once, and all of them.
#e = #ttg.padded_shared<[32:+4] {
  // expected-error @+1 {{`order` is [1, 1], expected a permutation of [1, 0]}}
  order = [1, 1],
  shape = [16, 32]
}>

// -----

#e = #ttg.padded_shared<[32:+4] {
  order = [1, 0],
  // expected-error @+1 {{`shape` has rank 3, expected 2 to match `order`}}
  shape = [16, 32, 2]
}>

// -----

// encoding_c3, as far as the encoding has a shape itself.
// expected-error @+1 {{shape has 24 elements along dim1, expected a power of two; the nearest ones are 16 and 32}}
#e = #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [16, 24]}>

// -----

// partitioned_shared_c1
#s = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>
#e = #ttg.partitioned_shared<{
  numPartitions = 2, numGroups = 2, partitionDim = 0,
  // expected-error @+1 {{`partitionLayout` is a `blocked`, expected a shared encoding}}
  partitionLayout = #s
}>

// -----

// partitioned_shared_c2: one partition, and three.
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#e = #ttg.partitioned_shared<{
  // expected-error @+1 {{`numPartitions` is 1, expected a power of two, 2 or more}}
  numPartitions = 1,
  numGroups = 2, partitionDim = 0, partitionLayout = #s
}>

// -----

#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#e = #ttg.partitioned_shared<{
  // expected-error @+1 {{`numPartitions` is 3, expected a power of two, 2 or more}}
  numPartitions = 3,
  numGroups = 2, partitionDim = 0, partitionLayout = #s
}>

// -----

// partitioned_shared_c3
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#e = #ttg.partitioned_shared<{
  numPartitions = 2,
  // expected-error @+1 {{`numGroups` is 0, expected a power of two}}
  numGroups = 0,
  partitionDim = 0, partitionLayout = #s
}>

// -----

// partitioned_shared_c4
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#e = #ttg.partitioned_shared<{
  numPartitions = 2, numGroups = 2,
  // expected-error @+1 {{`partitionDim` is 2, expected less than 2, the rank of `partitionLayout`}}
  partitionDim = 2,
  partitionLayout = #s
}>

// -----

// nvmma_shared_c1
#e = #ttg.nvmma_shared<{
  swizzlingByteWidth = 128, transposed = false,
  // expected-error @+1 {{`elementBitWidth` is 0, expected 1 or more}}
  elementBitWidth = 0
}>

// -----

// nvmma_shared_c2
#e = #ttg.nvmma_shared<{
  // expected-error @+1 {{`swizzlingByteWidth` is 16, expected 0, 32, 64 or 128}}
  swizzlingByteWidth = 16,
  transposed = false, elementBitWidth = 16
}>

// -----

// shared_linear_c1
#e = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0]]},
  // expected-error @+1 {{`alignment` is 12, expected a power of two; the nearest ones are 8 and 16}}
  alignment = 12>

// -----

// shared_linear_c2: a key that it does not have, and one that it has.
#e = #ttg.shared_linear<{
  offset = [[0, 1]],
  // expected-error @+1 {{unexpected key `lane` in `shared_linear`; the keys are `offset`, `block`}}
  lane = []
}, alignment = 16>

// -----

// expected-error @+1 {{`shared_linear` requires the key `offset`; write `offset = []` for no bases}}
#e = #ttg.shared_linear<{block = [[1]]}, alignment = 16>

// -----

// shared_linear_c3
#e = #ttg.shared_linear<{
  // expected-error @+1 {{basis [1] of `offset` has length 1, expected length 2: one number for each dim}}
  offset = [[0, 1], [0, 2], [1]]
}, alignment = 16>

// -----

// shared_linear_c4
// expected-error @+1 {{the bases of `shared_linear` do not reach element [0, 2]; add the basis [0, 2], or replace a larger basis by it}}
#e = #ttg.shared_linear<{offset = [[0, 1], [0, 4], [1, 0]]}, alignment = 16>

// -----

// shared_linear_c5: within offsets, and between them and CTAs.
#e = #ttg.shared_linear<{
  // expected-error @+1 {{basis [1, 1] of `offset` depends linearly on earlier bases, expected a linearly independent basis; write zeros for copies, or drop the basis}}
  offset = [[0, 1], [0, 2], [1, 0], [1, 1]]
}, alignment = 16>

// -----

#e = #ttg.shared_linear<{
  offset = [[1], [2]],
  // expected-error @+1 {{basis [3] of `block` depends linearly on earlier bases, expected a linearly independent basis}}
  block = [[3]]
}, alignment = 16>

// -----

// tensor_memory_encoding_c1: without CTAs, and split along the columns.
#e = #ttng.tensor_memory_encoding<
  blockM = 128, blockN = 64, colStride = 1,
  // expected-error @+1 {{`twoCTAs` is true, expected [1, 0] as the first basis of `CGALayout`}}
  twoCTAs = true
>

// -----

#e = #ttng.tensor_memory_encoding<
  blockM = 128, blockN = 64, colStride = 1, CGALayout = [[0, 1]],
  // expected-error @+1 {{`twoCTAs` is true, expected [1, 0] as the first basis of `CGALayout`}}
  twoCTAs = true
>

// -----

// tensor_memory_encoding_c2
#e = #ttng.tensor_memory_encoding<
  // expected-error @+1 {{`blockM` is 32, expected 64 or 128}}
  blockM = 32,
  blockN = 64, colStride = 1
>

// -----

// tensor_memory_encoding_c3: no power of two, and too many.
#e = #ttng.tensor_memory_encoding<
  blockM = 128,
  // expected-error @+1 {{`blockN` is 48, expected a power of two up to 512}}
  blockN = 48,
  colStride = 1
>

// -----

#e = #ttng.tensor_memory_encoding<
  blockM = 128,
  // expected-error @+1 {{`blockN` is 1024, expected a power of two up to 512}}
  blockN = 1024,
  colStride = 1
>

// -----

// tensor_memory_encoding_c4
#e = #ttng.tensor_memory_encoding<
  blockM = 128, blockN = 64,
  // expected-error @+1 {{`colStride` is 3, expected 1, 2 or 4}}
  colStride = 3
>

// -----

// tensor_memory_encoding_c5
#e = #ttng.tensor_memory_encoding<
  blockM = 128, blockN = 64, fp4Padded = true,
  // expected-error @+1 {{`colStride` is 2, expected 1 because `fp4Padded` is true}}
  colStride = 2
>

// -----

// cache_policy_c1
#p = #ttng.cache_policy<
  cache_modifier = cg,
  // expected-error @+1 {{requires at most one of `cache_modifier` and `l1`, but got `cache_modifier = cg` and `l1 = evict_first`}}
  l1 = evict_first
>

// -----

// cache_policy_c2
#p = #ttng.cache_policy<
  l1 = evict_first,
  // expected-error @+1 {{requires all of `l2_primary`, `l2_secondary` and `l2_fraction`, or none, but got `l2_primary` without `l2_secondary`}}
  l2_primary = evict_last
>

// -----

#p = #ttng.cache_policy<
  // expected-error @+1 {{or none, but got `l2_secondary` without `l2_primary`}}
  l2_secondary = evict_first, l2_fraction = 0.5 : f32
>

// -----

// cache_policy_c3
#p = #ttng.cache_policy<
  // expected-error @+1 {{`l2_primary` is no_allocate, expected evict_normal, evict_unchanged, evict_first or evict_last}}
  l2_primary = no_allocate,
  l2_secondary = evict_first, l2_fraction = 0.5 : f32
>

// -----

// cache_policy_c4
#p = #ttng.cache_policy<
  l2_primary = evict_last,
  // expected-error @+1 {{`l2_secondary` is evict_last, expected evict_first or evict_unchanged}}
  l2_secondary = evict_last,
  l2_fraction = 0.5 : f32
>

// -----

// cache_policy_c5: too large, zero, of another type, and no number.
#p = #ttng.cache_policy<
  l2_primary = evict_last, l2_secondary = evict_first,
  // expected-error @+1 {{`l2_fraction` is 1.500000e+00 : f32, expected an f32 above 0 and up to 1, as in `0.5 : f32`}}
  l2_fraction = 1.5 : f32
>

// -----

#p = #ttng.cache_policy<
  l2_primary = evict_last, l2_secondary = evict_first,
  // expected-error @+1 {{`l2_fraction` is 0.000000e+00 : f32, expected an f32 above 0 and up to 1, as in `0.5 : f32`}}
  l2_fraction = 0.0 : f32
>

// -----

#p = #ttng.cache_policy<
  l2_primary = evict_last, l2_secondary = evict_first,
  // expected-error @+1 {{`l2_fraction` is 5.000000e-01 : f16, expected an f32 above 0 and up to 1, as in `0.5 : f32`}}
  l2_fraction = 0.5 : f16
>

// -----

#p = #ttng.cache_policy<
  l2_primary = evict_last, l2_secondary = evict_first,
  // expected-error @+1 {{`l2_fraction` is 0x7FC00000 : f32, expected an f32 above 0 and up to 1, as in `0.5 : f32`}}
  l2_fraction = 0x7FC00000 : f32
>

// -----

// cache_policy_c6: another size, and another type.
#p = #ttng.cache_policy<
  // expected-error @+1 {{`l2_prefetch_size` is 32 : i32, expected `64 : i32`, `128 : i32` or `256 : i32`}}
  l2_prefetch_size = 32 : i32
>

// -----

#p = #ttng.cache_policy<
  // expected-error @+1 {{`l2_prefetch_size` is 128 : i64, expected `64 : i32`, `128 : i32` or `256 : i32`}}
  l2_prefetch_size = 128
>

// -----

// ptr_c1: no number, another pointer, and a tensor.
// expected-error @+1 {{expected a pointee of integer or float type, got 'index'; use a tensor of `!tt.ptr` for several pointers}}
tt.func private @f(!tt.ptr<index>)

// -----

// expected-error @+1 {{expected a pointee of integer or float type, got '!tt.ptr<f32>'}}
tt.func private @f(!tt.ptr<!tt.ptr<f32>>)

// -----

// expected-error @+1 {{expected a pointee of integer or float type, got 'tensor<4xf32>'}}
tt.func private @f(!tt.ptr<tensor<4xf32>>)

// -----

// ptr_c2
// expected-error @+1 {{expected `"descriptor"`, `"global"` or `"constant"`, got `"shared"`}}
tt.func private @f(!tt.ptr<f32, "shared">)
