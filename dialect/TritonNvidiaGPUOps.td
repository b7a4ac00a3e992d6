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
  let summary = "order generic accesses to shared memory before accesses of asynchronous units";
  let arguments = (ins BoolAttr:$bCluster);
  let assemblyFormat = "attr-dict";
}

def TTNG_WarpGroupDotOp : TTNG_Op<"warp_group_dot", [LL_Unanalysed,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"result has the accumulator's type", "d", "c", "$_self">]> {
  let summary = "matrix product by a group of four warps, `a` and `b` in shared memory";
  let description = [{
    `d = a * b + c`. The operand `a` may also be in registers. With `isAsync`, the product is in
    flight until a `ttng.warp_group_dot_wait`.
    - warp_group_dot_c1: the shapes must be M x K, K x N and M x N
    - warp_group_dot_c2: the result's encoding must be `#ttg.nvidia_mma` of version 3
    - warp_group_dot_c3: the encoding of `a` must be `#ttg.dot_op` of operand 0, `#ttg.nvmma_shared` or
      `#ttg.shared_linear`
    - warp_group_dot_c4: the encoding of `b` must be `#ttg.nvmma_shared` or `#ttg.shared_linear`
    - warp_group_dot_c5: the number of warps must be a multiple of four
    - warp_group_dot_c6: `a` in registers must have a `kWidth` of 32 bits
    - warp_group_dot_c7: the number of rows of the result per CTA must be a multiple of 64
    - warp_group_dot_c8: the number of columns of the result per CTA must be a multiple of 8
    - warp_group_dot_c9: the operands must have an element type that the instruction supports
    - warp_group_dot_c10: products of 8-bit floats with an `f32` result require `maxNumImpreciseAcc` of at
      least 32
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
  let summary = "wait until at most `pendings` products of the warp group are in flight";
  let description = [{
    Values that a product in flight reads or writes are operands and results of the wait, so that
    no use of such a value can move before the wait.
    - warp_group_dot_wait_c1: there must be at least one operand
  }];
  let arguments = (ins Variadic<TTG_TensorOrMemDesc>:$inputs, I32Attr:$pendings,
                       UnitAttr:$warpGroupLocal);
  let results = (outs Variadic<TTG_TensorOrMemDesc>:$outputs);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs)";
}

//===-- Barriers in shared memory -----------------------------------------------------------===//

def TTNG_InitBarrierOp : TTNG_Op<"init_barrier", [LL_Unanalysed]> {
  let summary = "initialise a barrier whose phases complete after `count` arrivals";
  let description = [{
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier must be a contiguous whole buffer without swizzle, with one element per CTA if
      completions arrive at the barrier
    - barrier_c4: a barrier with several elements must assign elements to CTAs in order
    - barrier_c2: `count` must be at least 1
    - init_barrier_c1: a barrier shared by CTAs must not be initialised inside `ttg.warp_specialize`
  }];
  let arguments = (ins TTNG_SharedWrite:$alloc, I32Attr:$count);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc))";
}

def TTNG_InvalBarrierOp : TTNG_Op<"inval_barrier", [LL_Unanalysed]> {
  let summary = "end the lifetime of a barrier";
  let description = [{
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier must be a contiguous whole buffer without swizzle, with one element per CTA if
      completions arrive at the barrier
    - barrier_c4: a barrier with several elements must assign elements to CTAs in order
  }];
  let arguments = (ins TTNG_SharedWrite:$alloc);
  let assemblyFormat = "$alloc attr-dict `:` qualified(type($alloc))";
}

def TTNG_BarrierExpectOp : TTNG_Op<"barrier_expect", [LL_Unanalysed]> {
  let summary = "let the current phase of a barrier expect `size` bytes of copies";
  let description = [{
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier must be a contiguous whole buffer without swizzle, with one element per CTA if
      completions arrive at the barrier
    - barrier_c4: a barrier with several elements must assign elements to CTAs in order
    - from_cta_c1: `fromCTA` must be the index of a CTA of the cluster
    - from_cta_c2: `fromCTA` requires a barrier with one element per CTA
  }];
  let arguments = (ins TTNG_SharedWrite:$alloc, I32Attr:$size, OptionalAttr<I32Attr>:$fromCTA,
                       I1:$pred);
  let assemblyFormat = "$alloc `,` $size attr-dict `,` $pred `:` qualified(type($alloc))";
}

def TTNG_WaitBarrierOp : TTNG_Op<"wait_barrier", [LL_Unanalysed, AttrSizedOperandSegments]> {
  let summary = "wait until a barrier has completed the phase with a given parity";
  let description = [{
    Other threads or hardware units may use the buffers `deps` until the wait has finished.
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier must be a contiguous whole buffer without swizzle, with one element per CTA if
      completions arrive at the barrier
    - barrier_c4: a barrier with several elements must assign elements to CTAs in order
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
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier must be a contiguous whole buffer without swizzle, with one element per CTA if
      completions arrive at the barrier
    - barrier_c4: a barrier with several elements must assign elements to CTAs in order
    - barrier_c2: `count` must be at least 1
    - from_cta_c1: `fromCTA` must be the index of a CTA of the cluster
    - from_cta_c2: `fromCTA` requires a barrier with one element per CTA
    - arrive_barrier_c1: `multicastCTA` requires several CTAs
    - arrive_barrier_c2: `multicastCTA` must be a mask of bits of the CTA index
    - arrive_barrier_c3: with `multicastCTA`, `fromCTA` must be absent or the last CTA
    - barrier_c3: a barrier at which completions arrive must have one element per CTA
  }];
  let arguments = (ins TTNG_SharedUpdate:$alloc, I32Attr:$count, OptionalAttr<I32Attr>:$fromCTA,
                       OptionalAttr<I32Attr>:$multicastCTA, Optional<I1>:$pred);
  let assemblyFormat = "$alloc `,` $count (`,` $pred^)? attr-dict `:` qualified(type($alloc))";
}

def TTNG_AsyncCopyMbarrierArriveOp : TTNG_Op<"async_copy_mbarrier_arrive", [LL_Unanalysed]> {
  let summary = "arrive at a barrier when all preceding asynchronous copies are complete";
  let description = [{
    Each thread arrives once, when its own copies are complete. Without `noIncrement`, the current phase
    expects these arrivals in addition to its count.
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier must be a contiguous whole buffer without swizzle, with one element per CTA if
      completions arrive at the barrier
    - barrier_c4: a barrier with several elements must assign elements to CTAs in order
  }];
  let arguments = (ins TTNG_SharedWrite:$barrier, UnitAttr:$noIncrement);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

def TTNG_ClusterBarrierOp : TTNG_Op<"cluster_barrier", [LL_Opaque]> {
  let summary = "wait for all threads of the cluster";
  let description = [{
    - cluster_c1: the module must have clusters of several CTAs
    - cluster_barrier_c1: the operation must be in a kernel or an inlined function
  }];
  let arguments = (ins DefaultValuedAttr<BoolAttr, "false">:$relaxed);
  let assemblyFormat = "attr-dict";
}

def TTNG_FenceMBarrierInitReleaseClusterOp : TTNG_Op<"fence_mbarrier_init_release_cluster", [LL_Opaque]> {
  let summary = "make initialised barriers visible to the cluster";
  let description = [{
    - cluster_c1: the module must have clusters of several CTAs
  }];
  let assemblyFormat = "attr-dict";
}

//===-- Copies by the tensor memory accelerator ---------------------------------------------===//

def TTNG_AsyncTMACopyGlobalToLocalOp : TTNG_Op<"async_tma_copy_global_to_local", [LL_Unanalysed,
    AttrSizedOperandSegments]> {
  let summary = "start an asynchronous copy of a block to shared memory, whose bytes a barrier counts";
  let description = [{
    - tma_c1: the buffer's encoding must be `#ttg.nvmma_shared`
    - tma_c12: the operand must be a single buffer, of the rank of its encoding
    - tma_c2: descriptor and buffer must have the same layout
    - tma_c3: the buffer must not be transposed
    - tma_c5: block and buffer must have the same element type, except for signedness
    - tma_c6: block and buffer must have the same number of elements
    - tma_c7: there must be one coordinate per dimension of a block
    - tma_c8: blocks must have rank 1 to 5
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier must be a contiguous whole buffer without swizzle, with one element per CTA if
      completions arrive at the barrier
    - barrier_c4: a barrier with several elements must assign elements to CTAs in order
    - tma_c9: in a module with `"ttng.two-ctas"`, the barrier must have one element per CTA, or per pair of
      CTAs
    - tma_c10: `multicast` requires a buffer that is replicated over CTAs
    - tma_c11: the buffer must be mutable
    - tma_c13: the cache policy must not concern the L1 cache
    - tma_c14: the cache policy must not have `l2_prefetch_size`
    - async_tma_copy_global_to_local_c1: images must have rank 3 to 5
    - async_tma_copy_global_to_local_c2: the number of `offsets` must be the number of coordinates minus two
      for an image, and 0 for a tensor
    - async_tma_copy_global_to_local_c3: the copy must not be volatile
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
  let summary = "start an asynchronous copy of a block from shared memory";
  let description = [{
    - tma_c1: the buffer's encoding must be `#ttg.nvmma_shared`
    - tma_c12: the operand must be a single buffer, of the rank of its encoding
    - tma_c2: descriptor and buffer must have the same layout
    - tma_c3: the buffer must not be transposed
    - tma_c4: the buffer must not be `fp4Padded`
    - tma_c5: block and buffer must have the same element type, except for signedness
    - tma_c6: block and buffer must have the same number of elements
    - tma_c7: there must be one coordinate per dimension of a block
    - tma_c8: blocks must have rank 1 to 5
    - tma_c13: the cache policy must not concern the L1 cache
    - tma_c14: the cache policy must not have `l2_prefetch_size`
  }];
  let arguments = (ins TTNG_DescUpdate:$desc, Variadic<I32>:$coord, TTNG_SharedRead:$src,
                       OptionalAttr<LL_CachePolicy>:$cachePolicy);
  let assemblyFormat = [{
    $desc `[` $coord `]` $src attr-dict `:` qualified(type($desc)) `,` qualified(type($src))
  }];
}

def TTNG_AsyncTMAReduceOp : TTNG_Op<"async_tma_reduce", [LL_Unanalysed]> {
  let summary = "start to combine global memory with a block of shared memory asynchronously";
  let description = [{
    - tma_c1: the buffer's encoding must be `#ttg.nvmma_shared`
    - tma_c12: the operand must be a single buffer, of the rank of its encoding
    - tma_c2: descriptor and buffer must have the same layout
    - tma_c3: the buffer must not be transposed
    - tma_c4: the buffer must not be `fp4Padded`
    - tma_c5: block and buffer must have the same element type, except for signedness
    - tma_c6: block and buffer must have the same number of elements
    - tma_c7: there must be one coordinate per dimension of a block
    - tma_c8: blocks must have rank 1 to 5
    - async_tma_reduce_c1: the target must support the operation for the element type
  }];
  let arguments = (ins TT_DescriptorReduceKind:$kind, TTNG_DescUpdate:$desc, Variadic<I32>:$coord,
                       TTNG_SharedRead:$src);
  let assemblyFormat = [{
    $kind `,` $desc `[` $coord `]` $src
    attr-dict `:` qualified(type($desc)) `,` qualified(type($src))
  }];
}

def TTNG_AsyncTMAGatherOp : TTNG_Op<"async_tma_gather", [LL_Opaque]> {
  let summary = "start an asynchronous copy of selected rows to shared memory";
  let description = [{
    - tma_c1: the buffer's encoding must be `#ttg.nvmma_shared`
    - tma_c12: the operand must be a single buffer, of the rank of its encoding
    - tma_c2: descriptor and buffer must have the same layout
    - tma_c3: the buffer must not be transposed
    - tma_c4: the buffer must not be `fp4Padded`
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier must be a contiguous whole buffer without swizzle, with one element per CTA if
      completions arrive at the barrier
    - barrier_c4: a barrier with several elements must assign elements to CTAs in order
    - tma_c9: in a module with `"ttng.two-ctas"`, the barrier must have one element per CTA, or per pair of
      CTAs
    - tma_c10: `multicast` requires a buffer that is replicated over CTAs
    - tma_c11: the buffer must be mutable
    - tma_c13: the cache policy must not concern the L1 cache
    - tma_c14: the cache policy must not have `l2_prefetch_size`
    - tma_rows_c1: blocks must have rank 2
    - tma_rows_c2: blocks must have one row
    - tma_rows_c3: the buffer must have the number of columns of a block
    - tma_rows_c4: the buffer must have the element type of a block, except for signedness
    - tma_rows_c5: a thread must hold at least 4 consecutive indices
    - tma_rows_c6: all lanes of a warp must have the same indices
    - tma_rows_c7: indices must be split over CTAs as the rows are
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
  let summary = "start an asynchronous copy of rows from shared memory to selected rows";
  let description = [{
    - tma_c1: the buffer's encoding must be `#ttg.nvmma_shared`
    - tma_c12: the operand must be a single buffer, of the rank of its encoding
    - tma_c2: descriptor and buffer must have the same layout
    - tma_c3: the buffer must not be transposed
    - tma_c4: the buffer must not be `fp4Padded`
    - tma_c13: the cache policy must not concern the L1 cache
    - tma_c14: the cache policy must not have `l2_prefetch_size`
    - tma_rows_c1: blocks must have rank 2
    - tma_rows_c2: blocks must have one row
    - tma_rows_c3: the buffer must have the number of columns of a block
    - tma_rows_c4: the buffer must have the element type of a block, except for signedness
    - tma_rows_c5: a thread must hold at least 4 consecutive indices
    - tma_rows_c6: all lanes of a warp must have the same indices
    - tma_rows_c7: indices must be split over CTAs as the rows are
  }];
  let arguments = (ins TTNG_DescUpdate:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset,
                       TTNG_SharedRead:$src, OptionalAttr<LL_CachePolicy>:$cachePolicy);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` $src attr-dict `:` type(operands)
  }];
}

def TTNG_TMAStoreWaitOp : TTNG_Op<"async_tma_store_wait", [LL_Unanalysed]> {
  let summary = "wait until at most `pendings` copies from shared memory still read it";
  let arguments = (ins I32Attr:$pendings, UnitAttr:$read_only);
  let assemblyFormat = "attr-dict";
}

def TTNG_AsyncSharedStoreOp : TTNG_Op<"async_shared_store", [LL_Opaque]> {
  let summary = "start an asynchronous store to the shared memory of another CTA";
  let description = [{
    - cluster_c1: the module must have clusters of several CTAs
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier must be a contiguous whole buffer without swizzle, with one element per CTA if
      completions arrive at the barrier
    - barrier_c4: a barrier with several elements must assign elements to CTAs in order
    - async_shared_store_c1: the buffer must be mutable
    - async_shared_store_c2: at least 32 bits must be contiguous in registers and in memory
    - async_shared_store_c3: operand and buffer must have the same element type
    - async_shared_store_c4: operand and buffer must have the same shape
  }];
  let arguments = (ins TT_Tensor:$src, TTNG_SharedWrite:$dst, TTNG_SharedWrite:$mbarrier);
  let assemblyFormat = [{
    $src `,` $dst `,` $mbarrier attr-dict
    `:` type($src) `->` qualified(type($dst)) `,` qualified(type($mbarrier))
  }];
}

def TTNG_ReinterpretTensorDescOp : TTNG_Op<"reinterpret_tensor_descriptor", [LL_Unanalysed, LL_NoSharedMemory, Pure]> {
  let summary = "convert a pointer to a descriptor to the descriptor";
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
    - tensormap_create_c1: `global_dim` must have one size per dimension of a box
    - tensormap_create_c2: `global_stride` must have one stride per dimension except the last
    - tensormap_create_c3: `element_stride` must have one step per dimension
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
  let summary = "make a descriptor that was written to memory visible to TMA copies";
  let arguments = (ins TT_PtrType:$desc_ptr);
  let assemblyFormat = "$desc_ptr attr-dict `:` qualified(type($desc_ptr))";
}

//===-- Blackwell: tensor memory ------------------------------------------------------------===//

def TTNG_TMEMAllocOp : TTNG_Op<"tmem_alloc", [LL_Opaque, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "allocate a buffer in tensor memory, optionally with initial contents";
  let description = [{
    - tensor_memory_c1: the target must have tensor memory
    - tmem_alloc_c1: the buffer must be in tensor memory
    - tmem_alloc_c2: the initial value must have rank 2
    - tmem_alloc_c3: the initial value must have a layout that `tcgen05.st` supports
    - tmem_alloc_c4: the shape of the buffer must be the shape of its allocation
    - tmem_alloc_c5: a buffer without initial value must be mutable
    - tmem_alloc_c6: initial value and buffer must have the same element type
    - tmem_alloc_c7: initial value and buffer must have the same shape
  }];
  let arguments = (ins Optional<TT_Tensor>:$src);
  let results = (outs TTG_MemDescType:$result, Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
}

def TTNG_TMEMLoadOp : TTNG_Op<"tmem_load", [LL_Opaque, AttrSizedResultSegments]> {
  let summary = "read tensor memory into registers, and optionally reduce its rows";
  let description = [{
    - tensor_memory_c1: the target must have tensor memory
    - tmem_load_c1: the buffer must be in tensor memory, and must not hold scales
    - tmem_load_c2: the result must have rank 2
    - tmem_load_c3: the result must have a layout that `tcgen05.ld` supports
    - tmem_load_c5: `redOp` must be given exactly if the reduction has a result
    - tmem_load_c6: `abs` and `NaN` require `redOp`
    - tmem_load_c7: `abs` and `NaN` require elements of `f32`
    - tmem_load_c8: each reduced row must be in one thread
    - tmem_load_c9: a thread must reduce exactly one row
    - tmem_load_c10: reduced elements must have 32 bits, one per column
    - tmem_load_c11: buffer and result must have the same element type
    - tmem_load_c12: buffer and result must have the same shape
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
    - tensor_memory_c1: the target must have tensor memory
    - tmem_store_c1: the buffer must be in tensor memory
    - tmem_store_c2: the value must have rank 2
    - tmem_store_c3: the value must have a layout that `tcgen05.st` supports
    - tmem_store_c4: the buffer must be mutable
    - tmem_store_c5: value and buffer must have the same element type
    - tmem_store_c6: value and buffer must have the same shape
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
  let summary = "a range of columns of a buffer in tensor memory";
  let description = [{
    - tensor_memory_c1: the target must have tensor memory
    - tmem_subslice_c1: operand and result must be in tensor memory
    - tmem_subslice_c2: operand and result must have the same element type
    - tmem_subslice_c3: operand and result must have the same encoding
    - tmem_subslice_c4: operand and result must have the same allocation shape
    - tmem_subslice_c5: operand and result must have the same rank, 2 or 3
    - tmem_subslice_c6: `dim` must be a dimension of the operand
    - tmem_subslice_c7: only the size of dimension `dim` may change
    - tmem_subslice_c8: the slice must be within the bounds of the operand
    - tmem_subslice_c9: an offset must be a multiple of the slice's size, or the slice must stay within
      consecutive rows or columns
    - tmem_subslice_c10: every CTA must hold elements of the slice
    - tmem_subslice_c11: the slice must start at a 32-bit column
  }];
  let arguments = (ins TTG_MemDescType:$src, I32Attr:$offset,
                       DefaultValuedAttr<I32Attr, "1">:$dim);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = [{
    $src attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
}

def TTNG_TMEMCopyOp : TTNG_Op<"tmem_copy", [LL_Opaque]> {
  let summary = "start an asynchronous copy from shared to tensor memory";
  let description = [{
    - tensor_memory_c1: the target must have tensor memory
    - tmem_copy_c1: the operand must be in shared memory
    - tmem_copy_c2: operand and destination must have the same shape
    - tmem_copy_c3: the destination must be mutable
    - tmem_copy_c4: the operand must be aligned to 16 bytes
    - tmem_copy_c5: operand and destination must be split over CTAs equally
    - tmem_copy_c6: the operand must be neither transposed nor `fp4Padded`
    - tmem_copy_c7: an operand with scales must not be swizzled
    - tmem_copy_c8: the destination must be in tensor memory
    - tmem_copy_c9: the destination must have `blockM = 128`, except for scales
    - tmem_copy_c10: the operand must be swizzled, except for scales
    - tmem_copy_c11: elements must have 32 bits, except for scales
    - tmem_copy_c12: a row of the destination must have at least 4 contiguous elements, except for scales
  }];
  let arguments = (ins TTNG_SharedRead:$src, TTNG_TensorWrite:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` qualified(type(operands))";
}

def TTNG_TMEMWaitOp : TTNG_Op<"tmem_wait", [LL_Opaque]> {
  let summary = "wait for loads from or stores to tensor memory";
  let description = [{
    - tensor_memory_c1: the target must have tensor memory
  }];
  let arguments = (ins TTNG_TMEMWaitKind:$kind);
  let assemblyFormat = "$kind attr-dict";
}

//===-- Blackwell: products -----------------------------------------------------------------===//

def TTNG_TCGen5MMAOp : TTNG_Op<"tc_gen5_mma", [LL_Opaque, AttrSizedOperandSegments]> {
  let summary = "matrix product in tensor memory";
  let description = [{
    `d += a * b`, or `d = a * b` if `useD` is false. With `is_async`, the operation arrives at
    `barriers` when the product is complete.
    - tensor_memory_c1: the target must have tensor memory
    - tc_gen5_mma_c1: completion barriers require `is_async`
    - tc_gen5_mma_c2: the shapes must be M x K, K x N and M x N
    - tc_gen5_mma_c3: the operands must have an element type that the instruction supports
    - tc_gen5_mma_c4: `a` and `b` must have element types of the same kind
    - tc_gen5_mma_c5: the accumulator must have an element type for the products of `a` and `b`
    - tc_gen5_mma_c6: the operands must have rank 2
    - tc_gen5_mma_c7: `a` must be `#ttg.nvmma_shared`, `#ttg.shared_linear` or in tensor memory
    - tc_gen5_mma_c8: `b` must be `#ttg.nvmma_shared` or `#ttg.shared_linear`
    - tc_gen5_mma_c9: `d` must be in tensor memory
    - tc_gen5_mma_c10: `d` must not be `fp4Padded`
    - tc_gen5_mma_c11: `a` in tensor memory must have `colStride = 1`
    - tc_gen5_mma_c12: `a` in tensor memory must not be `fp4Padded`
    - tc_gen5_mma_c13: `d` must have one element per 32-bit column
    - tc_gen5_mma_c14: `d` must have at most 256 columns in a block
    - tc_gen5_mma_c15: `a` and `b` must not be split over CTAs along K
    - tc_gen5_mma_c16: with `two_ctas`, the pair of CTAs must share the columns of `b`
    - tc_gen5_mma_c17: with `two_ctas`, there must be at most 256 columns
    - tc_gen5_mma_c18: `twoCTAs` of an encoding in tensor memory must be set exactly if `two_ctas` is set
    - tc_gen5_mma_c19: `d` must be split over CTAs as `a` and `b` are
    - tc_gen5_mma_c20: `a` and `d` must not both have interleaved blocks with `blockM = 64`
    - tc_gen5_mma_c21: each barrier must have a predicate
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier at which completions arrive must have one element per CTA
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
    - tensor_memory_c1: the target must have tensor memory
    - tc_gen5_mma_scaled_c1: completion barriers require `is_async`
    - tc_gen5_mma_scaled_c2: the shapes must be M x K, K x N and M x N, where a pair of 4-bit elements counts
      as two
    - tc_gen5_mma_scaled_c3: blocks of scales must have the order that the hardware reads
    - tc_gen5_mma_scaled_c4: `a` and `b` must have element types of the same kind
    - tc_gen5_mma_scaled_c5: the accumulator must have an element type for the products of `a` and `b`
    - tc_gen5_mma_scaled_c6: `d` must be in tensor memory
    - tc_gen5_mma_scaled_c7: `d` must not be `fp4Padded`
    - tc_gen5_mma_scaled_c8: `d` must have `blockM = 128`
    - tc_gen5_mma_scaled_c9: 4-bit elements of `a` in tensor memory must be pairs, as `i8`
    - tc_gen5_mma_scaled_c10: 4-bit elements of `a` in tensor memory must be `fp4Padded` exactly if `b` has
      8-bit elements
    - tc_gen5_mma_scaled_c11: `a` in tensor memory must have 8-bit or 4-bit elements
    - tc_gen5_mma_scaled_c12: each barrier must have a predicate
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier at which completions arrive must have one element per CTA
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
  let summary = "arrive at a barrier when all preceding matrix products are complete";
  let description = [{
    - tensor_memory_c1: the target must have tensor memory
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier at which completions arrive must have one element per CTA
    - tc_gen5_commit_c1: there must be at most 4 `descs`
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
  let summary = "start to take over the work of a cluster that has not been launched yet";
  let description = [{
    - clc_c1: the response buffer must have 2 elements of `i64`
    - clc_c2: all CTAs must share the response buffer
    - clc_c3: the response buffer must be a whole buffer that is contiguous and not swizzled
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier at which completions arrive must have one element per CTA
  }];
  let arguments = (ins TTNG_SharedWrite:$result, TTNG_SharedWrite:$mbarrier);
  let assemblyFormat = [{
    $result `,` $mbarrier attr-dict `:` qualified(type($result)) `,` qualified(type($mbarrier))
  }];
}

def TTNG_CLCTryCancelSyncOp : TTNG_Op<"clc_try_cancel_sync", [LL_Opaque]> {
  let summary = "take over the work of a cluster that has not been launched yet";
  let description = [{
    - clc_try_cancel_sync_c1: the result must have 2 elements of `i64`
  }];
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TTNG_CLCLoadResultOp : TTNG_Op<"clc_load_result", [LL_Opaque]> {
  let summary = "read the response of `ttng.clc_try_cancel`";
  let description = [{
    - clc_c1: the response buffer must have 2 elements of `i64`
    - clc_c2: all CTAs must share the response buffer
    - clc_c3: the response buffer must be a whole buffer that is contiguous and not swizzled
  }];
  let arguments = (ins TTNG_SharedRead:$src);
  let results = (outs I128:$clcResult);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src)) `->` type($clcResult)";
}

def TTNG_CLCIsCanceledOp : TTNG_Op<"clc_is_canceled", [LL_Opaque, Pure]> {
  let summary = "true if the work of a cluster was taken over";
  let arguments = (ins I128:$clcResult);
  let results = (outs I1:$is_canceled);
  let assemblyFormat = "$clcResult attr-dict `:` type($clcResult) `->` type($is_canceled)";
}

def TTNG_CLCGetProgramIdOp : TTNG_Op<"clc_get_program_id", [LL_Opaque, Pure]> {
  let summary = "program index of the cluster that was taken over, along one axis of the grid";
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
    - packed_arith_c1: `fma` requires three operands, other operations two
    - packed_arith_c2: the result must have an encoding
    - packed_arith_c3: the target must support the operation on these types
    - packed_arith_c4: the number of elements per thread must be a multiple of the elements that the
      instruction packs
    - packed_arith_c5: all pairs of 4-bit numbers must be along the same dimension
    - packed_arith_c6: the operands must have an encoding
    - packed_arith_c7: the operands must have the result's shape, where a pair counts as two
    - packed_arith_c8: the operands must have the result's layout
  }];
  let arguments = (ins TTNG_PackedArithOpKind:$op_kind, Variadic<TTNG_PackedOperand>:$srcs);
  let results = (outs TTNG_PackedNumber:$result);
  let assemblyFormat = "$op_kind $srcs attr-dict `:` functional-type($srcs, $result)";
}

#endif
