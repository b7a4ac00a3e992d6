// Operations of `ttng`.
#ifndef LL_TRITONNVIDIAGPU_OPS
#define LL_TRITONNVIDIAGPU_OPS

include "TritonAttrs.td"
include "TritonGPUTypes.td"
include "TritonNvidiaGPUAttrs.td"
include "TritonNvidiaGPUTypes.td"
include "TritonTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TTNG_SharedMemory : Resource<"::ll::ttg::SharedMemory">;
def TTNG_TensorMemory : Resource<"::ll::ttng::TensorMemory">;

// Operands by their memory effects.
def TTNG_SharedRead : Arg<TTG_MemDescType, "", [MemRead<TTNG_SharedMemory>]>;
def TTNG_SharedWrite : Arg<TTG_MemDescType, "", [MemWrite<TTNG_SharedMemory>]>;
def TTNG_SharedUpdate : Arg<TTG_MemDescType, "", [MemRead<TTNG_SharedMemory>,
                                                  MemWrite<TTNG_SharedMemory>]>;
def TTNG_TensorRead : Arg<TTG_MemDescType, "", [MemRead<TTNG_TensorMemory>]>;
def TTNG_TensorWrite : Arg<TTG_MemDescType, "", [MemWrite<TTNG_TensorMemory>]>;
def TTNG_TensorUpdate : Arg<TTG_MemDescType, "", [MemRead<TTNG_TensorMemory>,
                                                  MemWrite<TTNG_TensorMemory>]>;
def TTNG_DescRead : Arg<TT_TensorDescType, "", [MemRead<TT_GlobalMemory>]>;
def TTNG_DescUpdate : Arg<TT_TensorDescType, "", [MemRead<TT_GlobalMemory>,
                                                  MemWrite<TT_GlobalMemory>]>;
def TTNG_AnyTensorDesc : AnyTypeOf<[TT_TensorDescType, TTNG_TensorDescIm2ColType],
                                   "tensor descriptor">;

class TTNG_Op<string mnemonic, list<Trait> traits = []>
    : Op<TritonNvidiaGPU_Dialect, mnemonic, !listconcat(traits, [LL_Verified])>;

//===-- Hopper: products by warp groups -----------------------------------------------------===//

def TTNG_FenceAsyncSharedOp : TTNG_Op<"fence_async_shared", [LL_Unanalysed]> {
  let summary = "order accesses to shared memory before those of asynchronous units";
  let arguments = (ins BoolAttr:$bCluster);
  let assemblyFormat = "attr-dict";
}

def TTNG_WarpGroupDotOp : TTNG_Op<"warp_group_dot", [LL_Unanalysed,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"result has the accumulator's type", "d", "c", "$_self">]> {
  let summary = "matrix product by a group of four warps, `a` and `b` in shared memory";
  let description = [{
    `d = a * b + c`; `a` may be in registers. With `isAsync` it is under way until
    `ttng.warp_group_dot_wait`.
    - warp_group_dot_c1: the shapes are M x K, K x N and M x N
    - warp_group_dot_c2: the result's layout is `#ttg.nvidia_mma` version 3
    - warp_group_dot_c3: `a` is `#ttg.dot_op` of operand 0, `#ttg.nvmma_shared` or
      `#ttg.shared_linear`
    - warp_group_dot_c4: `b` is `#ttg.nvmma_shared` or `#ttg.shared_linear`
    - warp_group_dot_c5: there is a multiple of four warps
    - warp_group_dot_c6: `a` in registers has a `kWidth` of 32 bits
    - warp_group_dot_c7: the result has a multiple of 64 rows in each CTA
    - warp_group_dot_c8: it has a multiple of 8 columns in each CTA
    - warp_group_dot_c9: the operands have elements that can be multiplied
    - warp_group_dot_c10: 8-bit floats are added up in `f32` only with `maxNumImpreciseAcc` of
      at least 32
  }];
  let arguments = (ins TTG_TensorOrMemDesc:$a, TTG_MemDescType:$b, TT_FpIntTensor:$c,
                       Optional<I1>:$useC,
                       DefaultValuedAttr<TT_InputPrecision, "::ll::tt::InputPrecision::IEEE">:$inputPrecision,
                       DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc,
                       DefaultValuedAttr<BoolAttr, "false">:$isAsync);
  let results = (outs TT_FpIntTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` $useC^)? attr-dict `:` type($a) `*` qualified(type($b)) `->` type($d)
  }];
}

def TTNG_WarpGroupDotWaitOp : TTNG_Op<"warp_group_dot_wait", [LL_UnknownAxes,
    AllTypesMatch<["inputs", "outputs"]>]> {
  let summary = "wait until at most `pendings` products of the warp group are under way";
  let description = [{
    Values that a product writes or reads pass through, so that no use moves before the wait.
    - warp_group_dot_wait_c1: there is at least one input
  }];
  let arguments = (ins Variadic<TTG_TensorOrMemDesc>:$inputs, I32Attr:$pendings,
                       UnitAttr:$warpGroupLocal);
  let results = (outs Variadic<TTG_TensorOrMemDesc>:$outputs);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs)";
}

//===-- Barriers in shared memory -----------------------------------------------------------===//

def TTNG_InitBarrierOp : TTNG_Op<"init_barrier", [LL_Unanalysed]> {
  let summary = "make a barrier that `count` arrivals complete";
  let description = [{
    - barrier_c1: a barrier has rank 1 and elements of `i64`, at most one for each CTA
    - barrier_c3: it is a whole buffer in one piece, without a swizzle
    - barrier_c4: CTAs with elements of their own have them in order
    - barrier_c2: `count` is at least 1
    - init_barrier_c1: a barrier that CTAs share is made outside of `ttg.warp_specialize`
  }];
  let arguments = (ins TTNG_SharedWrite:$alloc, I32Attr:$count);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc))";
}

def TTNG_InvalBarrierOp : TTNG_Op<"inval_barrier", [LL_Unanalysed]> {
  let summary = "end of a barrier's life";
  let description = [{
    - barrier_c1: a barrier has rank 1 and elements of `i64`, at most one for each CTA
    - barrier_c3: it is a whole buffer in one piece, without a swizzle
    - barrier_c4: CTAs with elements of their own have them in order
  }];
  let arguments = (ins TTNG_SharedWrite:$alloc);
  let assemblyFormat = "$alloc attr-dict `:` qualified(type($alloc))";
}

def TTNG_BarrierExpectOp : TTNG_Op<"barrier_expect", [LL_Unanalysed]> {
  let summary = "let a barrier wait for so many bytes of copies";
  let description = [{
    - barrier_c1: a barrier has rank 1 and elements of `i64`, at most one for each CTA
    - barrier_c3: it is a whole buffer in one piece, without a swizzle
    - barrier_c4: CTAs with elements of their own have them in order
    - from_cta_c1: `fromCTA` is the number of a CTA
    - from_cta_c2: with it, the barrier has an element for each CTA
  }];
  let arguments = (ins TTNG_SharedWrite:$alloc, I32Attr:$size, OptionalAttr<I32Attr>:$fromCTA,
                       I1:$pred);
  let assemblyFormat = "$alloc `,` $size attr-dict `,` $pred `:` qualified(type($alloc))";
}

def TTNG_WaitBarrierOp : TTNG_Op<"wait_barrier", [LL_Unanalysed, AttrSizedOperandSegments]> {
  let summary = "wait until a barrier leaves a phase";
  let description = [{
    Buffers given as `deps` may be used by others until then.
    - barrier_c1: a barrier has rank 1 and elements of `i64`, at most one for each CTA
    - barrier_c3: it is a whole buffer in one piece, without a swizzle
    - barrier_c4: CTAs with elements of their own have them in order
  }];
  let arguments = (ins TTNG_SharedUpdate:$alloc, I32:$phase, Optional<I1>:$pred,
                       Variadic<TTG_MemDescType>:$deps);
  let assemblyFormat = [{
    $alloc `,` $phase (`,` $pred^)? (`deps` $deps^)?
    attr-dict `:` qualified(type($alloc)) (`,` qualified(type($deps))^)?
  }];
}

def TTNG_ArriveBarrierOp : TTNG_Op<"arrive_barrier", [LL_Unanalysed]> {
  let summary = "arrive at a barrier `count` times";
  let description = [{
    - barrier_c1: a barrier has rank 1 and elements of `i64`, at most one for each CTA
    - barrier_c3: it is a whole buffer in one piece, without a swizzle
    - barrier_c4: CTAs with elements of their own have them in order
    - barrier_c2: `count` is at least 1
    - from_cta_c1: `fromCTA` is the number of a CTA
    - from_cta_c2: with it, the barrier has an element for each CTA
    - arrive_barrier_c1: `multicastCTA` is for several CTAs
    - arrive_barrier_c2: it is a mask of the bits of their numbers
    - arrive_barrier_c3: it goes with no other `fromCTA` than the last CTA
    - barrier_c3: the barrier has an element for each CTA
  }];
  let arguments = (ins TTNG_SharedUpdate:$alloc, I32Attr:$count, OptionalAttr<I32Attr>:$fromCTA,
                       OptionalAttr<I32Attr>:$multicastCTA, Optional<I1>:$pred);
  let assemblyFormat = "$alloc `,` $count (`,` $pred^)? attr-dict `:` qualified(type($alloc))";
}

def TTNG_AsyncCopyMbarrierArriveOp : TTNG_Op<"async_copy_mbarrier_arrive", [LL_Opaque]> {
  let summary = "arrive at a barrier when the copies issued so far are done";
  let description = [{
    - barrier_c1: a barrier has rank 1 and elements of `i64`, at most one for each CTA
    - barrier_c3: it is a whole buffer in one piece, without a swizzle
    - barrier_c4: CTAs with elements of their own have them in order
  }];
  let arguments = (ins TTNG_SharedWrite:$barrier, UnitAttr:$noIncrement);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

def TTNG_ClusterBarrierOp : TTNG_Op<"cluster_barrier", [LL_Opaque]> {
  let summary = "wait for all threads of the cluster";
  let description = [{
    - cluster_c1: the module has several CTAs in a cluster
    - cluster_barrier_c1: it lies in a kernel, or in a function that is inlined into one
  }];
  let arguments = (ins DefaultValuedAttr<BoolAttr, "false">:$relaxed);
  let assemblyFormat = "attr-dict";
}

def TTNG_FenceMBarrierInitReleaseClusterOp : TTNG_Op<"fence_mbarrier_init_release_cluster", [LL_Opaque]> {
  let summary = "let the cluster see barriers that were made";
  let description = [{
    - cluster_c1: the module has several CTAs in a cluster
  }];
  let assemblyFormat = "attr-dict";
}

//===-- Copies by the tensor memory accelerator ---------------------------------------------===//

def TTNG_AsyncTMACopyGlobalToLocalOp : TTNG_Op<"async_tma_copy_global_to_local", [LL_Unanalysed,
    AttrSizedOperandSegments]> {
  let summary = "start to copy a block into shared memory; a barrier learns of the bytes";
  let description = [{
    - tma_c1: the buffer is `#ttg.nvmma_shared`
    - tma_c12: it is one buffer, of the rank of its encoding
    - tma_c2: descriptor and buffer have the same layout
    - tma_c3: it is not transposed
    - tma_c5: block and buffer have the same element type, signs aside
    - tma_c6: block and buffer have the same number of elements
    - tma_c7: there is a coordinate for each dimension of a block
    - tma_c8: blocks have rank 1 to 5
    - barrier_c1: a barrier has rank 1 and elements of `i64`, at most one for each CTA
    - barrier_c3: it is a whole buffer in one piece, without a swizzle
    - barrier_c4: CTAs with elements of their own have them in order
    - tma_c9: in a module with `"ttng.two-ctas"`, the barrier has an
      element for each CTA, or for each pair
    - tma_c10: `multicast` is to a buffer that CTAs have copies of
    - tma_c11: the buffer is mutable
    - tma_c13: a cache policy is not about the first cache
    - tma_c14: it prefetches nothing
    - async_tma_copy_global_to_local_c1: images have rank 3 to 5
    - async_tma_copy_global_to_local_c2: images have an offset for each coordinate but two,
      tensors have none
    - async_tma_copy_global_to_local_c3: it is not volatile
  }];
  let arguments = (ins Arg<TTNG_AnyTensorDesc, "", [MemRead<TT_GlobalMemory>]>:$desc,
                       Variadic<I32>:$coord, Variadic<I16>:$offsets, TTNG_SharedWrite:$barrier,
                       TTNG_SharedWrite:$result, I1:$pred, UnitAttr:$multicast,
                       OptionalAttr<LL_CachePolicy>:$cachePolicy,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let assemblyFormat = [{
    $desc `[` $coord `]` (`offsets` `=` `[` $offsets^ `]`)? $result `,` $barrier `,` $pred
    attr-dict `:` qualified(type($desc)) `,` qualified(type($barrier)) `->` qualified(type($result))
  }];
}

def TTNG_AsyncTMACopyLocalToGlobalOp : TTNG_Op<"async_tma_copy_local_to_global", [LL_Unanalysed]> {
  let summary = "start to copy a block out of shared memory";
  let description = [{
    - tma_c1: the buffer is `#ttg.nvmma_shared`
    - tma_c12: it is one buffer, of the rank of its encoding
    - tma_c2: descriptor and buffer have the same layout
    - tma_c3: it is not transposed
    - tma_c4: the buffer is not `fp4Padded`
    - tma_c5: block and buffer have the same element type, signs aside
    - tma_c6: block and buffer have the same number of elements
    - tma_c7: there is a coordinate for each dimension of a block
    - tma_c8: blocks have rank 1 to 5
    - tma_c13: a cache policy is not about the first cache
    - tma_c14: it prefetches nothing
  }];
  let arguments = (ins TTNG_DescUpdate:$desc, Variadic<I32>:$coord, TTNG_SharedRead:$src,
                       OptionalAttr<LL_CachePolicy>:$cachePolicy);
  let assemblyFormat = [{
    $desc `[` $coord `]` $src attr-dict `:` qualified(type($desc)) `,` qualified(type($src))
  }];
}

def TTNG_AsyncTMAReduceOp : TTNG_Op<"async_tma_reduce", [LL_Unanalysed]> {
  let summary = "start to combine a block of shared memory with global memory";
  let description = [{
    - tma_c1: the buffer is `#ttg.nvmma_shared`
    - tma_c12: it is one buffer, of the rank of its encoding
    - tma_c2: descriptor and buffer have the same layout
    - tma_c3: it is not transposed
    - tma_c4: the buffer is not `fp4Padded`
    - tma_c5: block and buffer have the same element type, signs aside
    - tma_c6: block and buffer have the same number of elements
    - tma_c7: there is a coordinate for each dimension of a block
    - tma_c8: blocks have rank 1 to 5
    - async_tma_reduce_c1: the accelerator has the operation for the element type
  }];
  let arguments = (ins TT_DescriptorReduceKind:$kind, TTNG_DescUpdate:$desc, Variadic<I32>:$coord,
                       TTNG_SharedRead:$src);
  let assemblyFormat = [{
    $kind `,` $desc `[` $coord `]` $src
    attr-dict `:` qualified(type($desc)) `,` qualified(type($src))
  }];
}

def TTNG_AsyncTMAGatherOp : TTNG_Op<"async_tma_gather", [LL_Opaque]> {
  let summary = "start to copy rows into shared memory";
  let description = [{
    - tma_c1: the buffer is `#ttg.nvmma_shared`
    - tma_c12: it is one buffer, of the rank of its encoding
    - tma_c2: descriptor and buffer have the same layout
    - tma_c3: it is not transposed
    - tma_c4: the buffer is not `fp4Padded`
    - barrier_c1: a barrier has rank 1 and elements of `i64`, at most one for each CTA
    - barrier_c3: it is a whole buffer in one piece, without a swizzle
    - barrier_c4: CTAs with elements of their own have them in order
    - tma_c9: in a module with `"ttng.two-ctas"`, the barrier has an
      element for each CTA, or for each pair
    - tma_c10: `multicast` is to a buffer that CTAs have copies of
    - tma_c11: the buffer is mutable
    - tma_c13: a cache policy is not about the first cache
    - tma_c14: it prefetches nothing
    - tma_rows_c1: blocks have rank 2
    - tma_rows_c2: blocks have one row
    - tma_rows_c3: the buffer has the columns of a block
    - tma_rows_c4: its elements are the block's, signs aside
    - tma_rows_c5: a thread has at least 4 consecutive indices
    - tma_rows_c6: all threads of a warp have the same indices
    - tma_rows_c7: indices are split over CTAs as the rows are
  }];
  let arguments = (ins TTNG_DescRead:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset,
                       TTNG_SharedWrite:$barrier, TTNG_SharedWrite:$result, I1:$pred,
                       UnitAttr:$multicast, OptionalAttr<LL_CachePolicy>:$cachePolicy);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` $result `,` $barrier `,` $pred
    attr-dict `:` type(operands)
  }];
}

def TTNG_AsyncTMAScatterOp : TTNG_Op<"async_tma_scatter", [LL_Opaque]> {
  let summary = "start to copy rows out of shared memory";
  let description = [{
    - tma_c1: the buffer is `#ttg.nvmma_shared`
    - tma_c12: it is one buffer, of the rank of its encoding
    - tma_c2: descriptor and buffer have the same layout
    - tma_c3: it is not transposed
    - tma_c4: the buffer is not `fp4Padded`
    - tma_c13: a cache policy is not about the first cache
    - tma_c14: it prefetches nothing
    - tma_rows_c1: blocks have rank 2
    - tma_rows_c2: blocks have one row
    - tma_rows_c3: the buffer has the columns of a block
    - tma_rows_c4: its elements are the block's, signs aside
    - tma_rows_c5: a thread has at least 4 consecutive indices
    - tma_rows_c6: all threads of a warp have the same indices
    - tma_rows_c7: indices are split over CTAs as the rows are
  }];
  let arguments = (ins TTNG_DescUpdate:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset,
                       TTNG_SharedRead:$src, OptionalAttr<LL_CachePolicy>:$cachePolicy);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` $src attr-dict `:` type(operands)
  }];
}

def TTNG_TMAStoreWaitOp : TTNG_Op<"async_tma_store_wait", [LL_Unanalysed]> {
  let summary = "wait until at most `pendings` copies out of shared memory still read it";
  let arguments = (ins I32Attr:$pendings, UnitAttr:$read_only);
  let assemblyFormat = "attr-dict";
}

def TTNG_AsyncSharedStoreOp : TTNG_Op<"async_shared_store", [LL_Opaque]> {
  let summary = "start to write to the shared memory of another CTA";
  let description = [{
    - cluster_c1: the module has several CTAs in a cluster
    - barrier_c1: a barrier has rank 1 and elements of `i64`, at most one for each CTA
    - barrier_c3: it is a whole buffer in one piece, without a swizzle
    - barrier_c4: CTAs with elements of their own have them in order
    - async_shared_store_c1: the buffer is mutable
    - async_shared_store_c2: at least 32 bits are together in registers and in memory
    - async_shared_store_c3: operand and buffer have the same element type
    - async_shared_store_c4: operand and buffer have the same shape
  }];
  let arguments = (ins TT_Tensor:$src, TTNG_SharedWrite:$dst, TTNG_SharedWrite:$mbarrier);
  let assemblyFormat = [{
    $src `,` $dst `,` $mbarrier attr-dict
    `:` type($src) `->` qualified(type($dst)) `,` qualified(type($mbarrier))
  }];
}

def TTNG_ReinterpretTensorDescOp : TTNG_Op<"reinterpret_tensor_descriptor", [LL_Unanalysed, LL_NoSharedMemory, Pure]> {
  let summary = "a pointer to a descriptor as the descriptor";
  let arguments = (ins TT_PtrType:$rawDesc);
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = [{
    $rawDesc attr-dict `:` qualified(type($rawDesc)) `to` qualified(type($result))
  }];
}

def TTNG_TensormapCreateOp : TTNG_Op<"tensormap_create", [LL_Unanalysed, AttrSizedOperandSegments,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "write a descriptor to memory";
  let description = [{
    - tensormap_create_c1: there is a size for each dimension of a box
    - tensormap_create_c2: there is a stride for each dimension but the last
    - tensormap_create_c3: there is a step for each dimension
  }];
  let arguments = (ins TT_PtrType:$desc_ptr, TT_PtrType:$global_address, Variadic<I32>:$box_dim,
                       Variadic<I32>:$global_dim, Variadic<I64>:$global_stride,
                       Variadic<I32>:$element_stride,
                       ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<15>]>:$elem_type,
                       ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<2>]>:$interleave_layout,
                       ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<3>]>:$swizzle_mode,
                       ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<1>]>:$fill_mode);
  let assemblyFormat = [{
    $desc_ptr `,` $global_address `,` `[` $box_dim `]` `,` `[` $global_dim `]` `,`
    `[` $global_stride `]` `,` `[` $element_stride `]`
    attr-dict `:` functional-type(operands, results)
  }];
}

def TTNG_TensormapFenceproxyAcquireOp : TTNG_Op<"tensormap_fenceproxy_acquire", [LL_Unanalysed, LL_NoSharedMemory,
    MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "see a descriptor that was written to memory";
  let arguments = (ins TT_PtrType:$desc_ptr);
  let assemblyFormat = "$desc_ptr attr-dict `:` qualified(type($desc_ptr))";
}

//===-- Blackwell: tensor memory ------------------------------------------------------------===//

def TTNG_TMEMAllocOp : TTNG_Op<"tmem_alloc", [LL_Opaque, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a buffer in tensor memory, with contents or without";
  let description = [{
    - tensor_memory_c1: the GPU has tensor memory
    - tmem_alloc_c1: the buffer is in tensor memory
    - tmem_alloc_c2: contents have rank 2
    - tmem_alloc_c3: they lie where `tcgen05.st` can take them from
    - tmem_alloc_c4: the buffer's shape is that of its allocation
    - tmem_alloc_c5: a buffer without contents is mutable
    - tmem_alloc_c6: contents and buffer have the same element type
    - tmem_alloc_c7: contents and buffer have the same shape
  }];
  let arguments = (ins Optional<TT_Tensor>:$src);
  let results = (outs TTG_MemDescType:$result, Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
}

def TTNG_TMEMLoadOp : TTNG_Op<"tmem_load", [LL_Opaque, AttrSizedResultSegments]> {
  let summary = "read tensor memory into registers, and reduce its rows on request";
  let description = [{
    - tensor_memory_c1: the GPU has tensor memory
    - tmem_load_c1: the buffer is in tensor memory, and holds no scales
    - tmem_load_c2: the result has rank 2
    - tmem_load_c3: it lies where `tcgen05.ld` can put it
    - tmem_load_c5: `redOp` requires a result for the reduction
    - tmem_load_c6: `abs` and `NaN` come with `redOp`
    - tmem_load_c7: `abs` and `NaN` are for `f32`
    - tmem_load_c8: the reduced elements are in one thread
    - tmem_load_c9: a thread reduces one row
    - tmem_load_c10: elements that are reduced fill their columns
    - tmem_load_c11: buffer and result have the same element type
    - tmem_load_c12: buffer and result have the same shape
  }];
  let arguments = (ins TTNG_TensorRead:$src, Optional<TTG_AsyncToken>:$dep,
                       OptionalAttr<TTNG_TMEMLoadReduceModifierEnum>:$redOp,
                       OptionalAttr<BoolAttr>:$abs, OptionalAttr<BoolAttr>:$NaN);
  let results = (outs TT_Tensor:$result, Optional<TTG_AsyncToken>:$token,
                      Optional<TT_Tensor>:$red);
  let assemblyFormat = [{
    $src `` custom<Token>($dep, type($token))
    attr-dict `:` qualified(type($src)) `->` type($result) (`,` type($red)^)?
  }];
}

def TTNG_TMEMStoreOp : TTNG_Op<"tmem_store", [LL_Opaque, LL_Canonicalized]> {
  let summary = "write registers to tensor memory";
  let description = [{
    - tensor_memory_c1: the GPU has tensor memory
    - tmem_store_c1: the buffer is in tensor memory
    - tmem_store_c2: the value has rank 2
    - tmem_store_c3: it lies where `tcgen05.st` can take it from
    - tmem_store_c4: the buffer is mutable
    - tmem_store_c5: value and buffer have the same element type
    - tmem_store_c6: value and buffer have the same shape
  }];
  let arguments = (ins TTNG_TensorWrite:$dst, Optional<TTG_AsyncToken>:$dep, TT_Tensor:$src,
                       I1:$pred);
  let results = (outs Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = [{
    $src `,` $dst `` custom<Token>($dep, type($token)) `,` $pred
    attr-dict `:` type($src) `->` qualified(type($dst))
  }];
}

def TTNG_TMEMSubSliceOp : TTNG_Op<"tmem_subslice", [LL_Opaque, Pure]> {
  let summary = "some columns of a buffer in tensor memory";
  let description = [{
    - tensor_memory_c1: the GPU has tensor memory
    - tmem_subslice_c1: both buffers are in tensor memory
    - tmem_subslice_c2: operand and result have the same element type
    - tmem_subslice_c3: operand and result have the same encoding
    - tmem_subslice_c4: operand and result have the same allocation
    - tmem_subslice_c5: operand and result have the same rank, 2 or 3
    - tmem_subslice_c6: `dim` is a dimension of them
    - tmem_subslice_c7: the other dimensions are unchanged
    - tmem_subslice_c8: the part lies within the operand
    - tmem_subslice_c9: an offset that is no multiple of the part's size stays within
      consecutive rows or columns
    - tmem_subslice_c10: every CTA has elements of the part
    - tmem_subslice_c11: the part starts at a column of 32 bits
  }];
  let arguments = (ins TTG_MemDescType:$src, I32Attr:$offset,
                       DefaultValuedAttr<I32Attr, "1">:$dim);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = [{
    $src attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
}

def TTNG_TMEMCopyOp : TTNG_Op<"tmem_copy", [LL_Opaque]> {
  let summary = "start to copy from shared to tensor memory";
  let description = [{
    - tensor_memory_c1: the GPU has tensor memory
    - tmem_copy_c1: the operand is in shared memory
    - tmem_copy_c2: both buffers have the same shape
    - tmem_copy_c3: the destination is mutable
    - tmem_copy_c4: the operand is aligned to 16 bytes
    - tmem_copy_c5: both buffers are split over CTAs in one way
    - tmem_copy_c6: the operand is neither transposed nor `fp4Padded`
    - tmem_copy_c7: scales come from a buffer without swizzle
    - tmem_copy_c8: the destination is in tensor memory
    - tmem_copy_c9: but for scales, it has `blockM = 128`
    - tmem_copy_c10: but for scales, the operand is swizzled
    - tmem_copy_c11: but for scales, elements have 32 bits
    - tmem_copy_c12: but for scales, a row of the destination has 4 elements side by side
  }];
  let arguments = (ins TTNG_SharedRead:$src, TTNG_TensorWrite:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` qualified(type(operands))";
}

def TTNG_TMEMWaitOp : TTNG_Op<"tmem_wait", [LL_Opaque]> {
  let summary = "wait for loads from or stores to tensor memory";
  let description = [{
    - tensor_memory_c1: the GPU has tensor memory
  }];
  let arguments = (ins TTNG_TMEMWaitKind:$kind);
  let assemblyFormat = "$kind attr-dict";
}

//===-- Blackwell: products -----------------------------------------------------------------===//

def TTNG_TCGen5MMAOp : TTNG_Op<"tc_gen5_mma", [LL_Opaque, AttrSizedOperandSegments]> {
  let summary = "matrix product in tensor memory";
  let description = [{
    `d += a * b`, or `d = a * b` where `useD` is false. With `is_async`, barriers learn of its end.
    - tensor_memory_c1: the GPU has tensor memory
    - tc_gen5_mma_c1: barriers are for a product that `is_async`
    - tc_gen5_mma_c2: the shapes are M x K, K x N and M x N
    - tc_gen5_mma_c3: the operands have elements that can be multiplied
    - tc_gen5_mma_c4: both have elements of one kind
    - tc_gen5_mma_c5: the accumulator can hold their products
    - tc_gen5_mma_c6: it is a product of matrices
    - tc_gen5_mma_c7: `a` is `#ttg.nvmma_shared`, `#ttg.shared_linear` or in tensor memory
    - tc_gen5_mma_c8: `b` is `#ttg.nvmma_shared` or `#ttg.shared_linear`
    - tc_gen5_mma_c9: `d` is in tensor memory
    - tc_gen5_mma_c10: `d` is not `fp4Padded`
    - tc_gen5_mma_c11: `a` in tensor memory has `colStride = 1`
    - tc_gen5_mma_c12: `a` in tensor memory is not `fp4Padded`
    - tc_gen5_mma_c13: `d` has an element in each column
    - tc_gen5_mma_c14: `d` has at most 256 columns in a block
    - tc_gen5_mma_c15: `a` and `b` are whole along K in each CTA
    - tc_gen5_mma_c16: with `two_ctas`, the pair of CTAs shares the columns of `b`
    - tc_gen5_mma_c17: with `two_ctas`, there are at most 256 columns
    - tc_gen5_mma_c18: encodings in tensor memory say whether there are `two_ctas`
    - tc_gen5_mma_c19: `d` is split over CTAs as `a` and `b` are
    - tc_gen5_mma_c20: `a` and `d` are not both in interleaved blocks of 64 rows
    - tc_gen5_mma_c21: each barrier has a predicate
    - barrier_c1: a barrier has rank 1 and elements of `i64`, at most one for each CTA
    - barrier_c3: the barrier has an element for each CTA
  }];
  let arguments = (ins TTNG_SharedRead:$a, TTNG_SharedRead:$b, TTNG_TensorUpdate:$d,
                       Optional<TTG_AsyncToken>:$acc_dep, I1:$useD, I1:$pred,
                       Variadic<TTG_MemDescType>:$barriers, Variadic<I1>:$barrier_preds,
                       UnitAttr:$is_async, UnitAttr:$two_ctas, UnitAttr:$multicast,
                       UnitAttr:$is_unsigned);
  let results = (outs Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = [{
    $a `,` $b `,` $d `` custom<Token>($acc_dep, type($token)) `,` $useD `,` $pred
    `` custom<BarriersAndPreds>($barriers, $barrier_preds)
    attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($d))
    (`,` qualified(type($barriers))^)?
  }];
}

def TTNG_TCGen5MMAScaledOp : TTNG_Op<"tc_gen5_mma_scaled", [LL_Opaque, AttrSizedOperandSegments]> {
  let summary = "matrix product in tensor memory, of operands with a scale per block of elements";
  let description = [{
    - tensor_memory_c1: the GPU has tensor memory
    - tc_gen5_mma_scaled_c1: barriers are for a product that `is_async`
    - tc_gen5_mma_scaled_c2: the shapes are M x K, K x N and M x N, pairs of 4-bit elements
      counted as two
    - tc_gen5_mma_scaled_c3: blocks of scales lie in the order that the hardware reads
    - tc_gen5_mma_scaled_c4: both have elements of one kind
    - tc_gen5_mma_scaled_c5: the accumulator can hold their products
    - tc_gen5_mma_scaled_c6: `d` is in tensor memory
    - tc_gen5_mma_scaled_c7: `d` is not `fp4Padded`
    - tc_gen5_mma_scaled_c8: `d` has `blockM = 128`
    - tc_gen5_mma_scaled_c9: 4-bit elements of `a` in tensor memory are pairs, as `i8`
    - tc_gen5_mma_scaled_c10: they are `fp4Padded` exactly if `b` has 8-bit elements
    - tc_gen5_mma_scaled_c11: `a` in tensor memory has 8-bit or 4-bit elements
    - tc_gen5_mma_scaled_c12: each barrier has a predicate
    - barrier_c1: a barrier has rank 1 and elements of `i64`, at most one for each CTA
    - barrier_c3: the barrier has an element for each CTA
  }];
  let arguments = (ins TTNG_SharedRead:$a, TTNG_SharedRead:$b, TTNG_TensorUpdate:$d,
                       Optional<TTG_AsyncToken>:$acc_dep, TTNG_TensorRead:$a_scale,
                       TTNG_TensorRead:$b_scale, TT_ScaleDotElemType:$a_type,
                       TT_ScaleDotElemType:$b_type, I1:$useD, I1:$pred,
                       Variadic<TTG_MemDescType>:$barriers, Variadic<I1>:$barrier_preds,
                       UnitAttr:$two_ctas, UnitAttr:$multicast, UnitAttr:$is_async);
  let results = (outs Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = [{
    $a `,` $b `,` $d `` custom<Token>($acc_dep, type($token)) `,` $a_scale `,` $b_scale `,`
    $useD `,` $pred `lhs` `=` $a_type `rhs` `=` $b_type
    `` custom<BarriersAndPreds>($barriers, $barrier_preds)
    attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($d)) `,`
    qualified(type($a_scale)) `,` qualified(type($b_scale)) (`,` qualified(type($barriers))^)?
  }];
}

def TTNG_TCGen5CommitOp : TTNG_Op<"tc_gen5_commit", [LL_Opaque, AttrSizedOperandSegments]> {
  let summary = "arrive at a barrier when the products issued so far are done";
  let description = [{
    - tensor_memory_c1: the GPU has tensor memory
    - barrier_c1: a barrier has rank 1 and elements of `i64`, at most one for each CTA
    - barrier_c3: the barrier has an element for each CTA
    - tc_gen5_commit_c1: there are at most 4 `descs`
  }];
  let arguments = (ins TTNG_SharedWrite:$barrier, Optional<I1>:$pred,
                       Variadic<TTG_MemDescType>:$descs);
  let assemblyFormat = [{
    $barrier (`,` $pred^)? (`descs` $descs^)? attr-dict
    `:` qualified(type($barrier)) (`,` qualified(type($descs))^)?
  }];
}

//===-- Blackwell: launching clusters -------------------------------------------------------===//

def TTNG_CLCTryCancelOp : TTNG_Op<"clc_try_cancel", [LL_Opaque]> {
  let summary = "start to take over the work of a cluster that is not launched yet";
  let description = [{
    - clc_c1: the answer has 2 elements of `i64`
    - clc_c2: all CTAs have the same answer
    - clc_c3: the buffer is a whole one in one piece, without a swizzle
    - barrier_c1: a barrier has rank 1 and elements of `i64`, at most one for each CTA
    - barrier_c3: the barrier has an element for each CTA
  }];
  let arguments = (ins TTNG_SharedWrite:$result, TTNG_SharedWrite:$mbarrier);
  let assemblyFormat = [{
    $result `,` $mbarrier attr-dict `:` qualified(type($result)) `,` qualified(type($mbarrier))
  }];
}

def TTNG_CLCTryCancelSyncOp : TTNG_Op<"clc_try_cancel_sync", [LL_Opaque]> {
  let summary = "take over the work of a cluster that is not launched yet";
  let description = [{
    - clc_try_cancel_sync_c1: the result has 2 elements of `i64`
  }];
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TTNG_CLCLoadResultOp : TTNG_Op<"clc_load_result", [LL_Opaque]> {
  let summary = "read the answer to `ttng.clc_try_cancel`";
  let description = [{
    - clc_c1: the answer has 2 elements of `i64`
    - clc_c2: all CTAs have the same answer
    - clc_c3: the buffer is a whole one in one piece, without a swizzle
  }];
  let arguments = (ins TTNG_SharedRead:$src);
  let results = (outs I128:$clcResult);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` type($clcResult)";
}

def TTNG_CLCIsCanceledOp : TTNG_Op<"clc_is_canceled", [LL_Opaque, Pure]> {
  let summary = "whether work was taken over";
  let arguments = (ins I128:$clcResult);
  let results = (outs I1:$is_canceled);
  let assemblyFormat = "$clcResult attr-dict `:` type($clcResult) `->` type($is_canceled)";
}

def TTNG_CLCGetProgramIdOp : TTNG_Op<"clc_get_program_id", [LL_Opaque, Pure]> {
  let summary = "index of the work that was taken over, along one axis of the grid";
  let arguments = (ins I128:$clcResult, TT_ProgramDim:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$clcResult `,` $dim attr-dict `:` type($clcResult) `->` type($result)";
}

//===-- Blackwell: arithmetic ---------------------------------------------------------------===//

def TTNG_PackedNumber : RankedTensorOf<[F32, F16, BF16, F8E5M2, F8E4M3FN]>;
def TTNG_PackedOperand : RankedTensorOf<[F32, F16, BF16, F8E5M2, F8E4M3FN, F8E8M0FNU, I8]>;

def TTNG_PackedArithOp : TTNG_Op<"packed_arith", [LL_Opaque, Pure]> {
  let summary = "arithmetic on two or four numbers at a time";
  let description = [{
    - packed_arith_c1: `fma` takes three operands, the others two
    - packed_arith_c2: the result has an encoding
    - packed_arith_c3: the hardware has the operation for these types
    - packed_arith_c4: a thread holds a multiple of the numbers that go together
    - packed_arith_c5: pairs of 4-bit numbers all lie along one dimension
    - packed_arith_c6: the operands have an encoding
    - packed_arith_c7: the operands have the result's shape, pairs counted as two
    - packed_arith_c8: the operands have the result's layout
  }];
  let arguments = (ins TTNG_PackedArithOpKind:$op_kind, Variadic<TTNG_PackedOperand>:$srcs);
  let results = (outs TTNG_PackedNumber:$result);
  let assemblyFormat = "$op_kind $srcs attr-dict `:` functional-type($srcs, $result)";
}

#endif
