// Operations of `ttg`.
#ifndef LL_TRITONGPU_OPS
#define LL_TRITONGPU_OPS

include "TritonAttrs.td"
include "TritonGPUAttrs.td"
include "TritonGPUTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "TritonTypes.td"

def TTG_SharedMemory : Resource<"::ll::ttg::SharedMemory">;

class TTG_Op<string mnemonic, list<Trait> traits = []>
    : Op<TritonGPU_Dialect, mnemonic, !listconcat(traits, [LL_Verified])>;

//===-- Layouts of tensors ------------------------------------------------------------------===//

def TTG_ConvertLayoutOp : TTG_Op<"convert_layout", [LL_Canonicalized, Pure, SameOperandsAndResultShape,
                                                    SameOperandsAndResultElementType]> {
  let summary = "the same tensor in another layout";
  let description = [{
    With `force_warp_shuffle`, data must not move between warps.
    - ttg_c1: operands that require the same encoding must have the same encoding
    - ttg_c5: the encoding of a tensor must have a register layout for the tensor's shape
    - ttg_c6: the encoding of a tensor must have the module's `"ttg.threads-per-warp"` lanes
    - ttg_c7: the encoding of a tensor must have the module's `"ttg.num-warps"` warps, or the warps of the
      partition
    - ttg_c8: the encoding of a tensor must have the module's `"ttg.num-ctas"` CTAs
    - ttg_c9: the encoding of a buffer must have the module's `"ttg.num-ctas"` CTAs
    - convert_layout_c1: with `force_warp_shuffle`, the conversion must move data only within warps
  }];
  let arguments = (ins TT_Tensor:$src, UnitAttr:$force_warp_shuffle);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TTG_Fp4ToFpOp : TTG_Op<"fp4_to_fp", [LL_UnknownAxes, LL_NoSharedMemory, Pure]> {
  let summary = "convert pairs of 4-bit floats (e2m1) in bytes to wider floats";
  let description = [{
    The element in the low half of a byte precedes the element in the high half along `axis`.
    - fp4_to_fp_c1: the result's element type must be `f16` or `bf16`
    - fp4_to_fp_c2: operand and result must have the same rank
    - fp4_to_fp_c3: `axis` must be a dimension of the operand
    - fp4_to_fp_c4: the result must have twice the operand's size along `axis`, and the same size in other
      dimensions
    - fp4_to_fp_c5: both operand and result must have an encoding, or neither
    - fp4_to_fp_c6: the result's layout must be the operand's layout with one more register basis, as the
      first, along `axis`
  }];
  let arguments = (ins RankedTensorOf<[I8]>:$src, I32Attr:$axis);
  let results = (outs TT_FloatTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

//===-- Buffers in shared memory ------------------------------------------------------------===//

def TTG_LocalAllocOp : TTG_Op<"local_alloc", [LL_UnknownAxes, LL_Canonicalized, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "allocate a buffer in shared memory, optionally with initial contents";
  let description = [{
    The allocation of an immutable buffer has no memory effect, so that equal buffers can be merged,
    until the buffer has an offset (`allocation.offset`).
    - local_alloc_c1: initial value and buffer must have the same element type
    - local_alloc_c2: initial value and buffer must have the same shape
    - local_alloc_c3: a buffer without initial value must be mutable
    - local_alloc_c4: the buffer must be in shared memory
    - local_alloc_c5: the shape of the buffer must be the shape of its allocation
    - local_alloc_c6: the initial value must have the rank of the buffer's encoding
  }];
  let arguments = (ins Optional<TT_Tensor>:$src, OptionalAttr<I32Attr>:$alignment);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
}

def TTG_LocalDeallocOp : TTG_Op<"local_dealloc", [LL_Unanalysed]> {
  let summary = "end the lifetime of a buffer";
  let description = [{
    The operation is optional: the lifetime of a buffer without it ends after the last use on each path.
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemFree<TTG_SharedMemory>]>:$src);
  let assemblyFormat = "$src attr-dict `:` qualified(type($src))";
}

def TTG_LocalLoadOp : TTG_Op<"local_load", [LL_UnknownAxes]> {
  let summary = "read a buffer into registers";
  let description = [{
    - local_load_c1: buffer and result must have the same element type
    - local_load_c2: buffer and result must have the same shape
    - local_load_c3: the result must have the rank of the buffer's encoding
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<TTG_SharedMemory>]>:$src,
                       Optional<TTG_AsyncToken>:$token);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)
  }];
}

def TTG_LocalStoreOp : TTG_Op<"local_store", [LL_UnknownAxes, LL_Canonicalized]> {
  let summary = "write registers to a buffer";
  let description = [{
    - local_store_c1: the buffer must be mutable
    - local_store_c2: operand and buffer must have the same element type
    - local_store_c3: operand and buffer must have the same shape
    - local_store_c4: the operand must have the rank of the buffer's encoding
  }];
  let arguments = (ins TT_Tensor:$src, Arg<TTG_MemDescType, "", [MemWrite<TTG_SharedMemory>]>:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `->` qualified(type($dst))";
}

def TTG_LocalGatherOp : TTG_Op<"local_gather", [LL_Unanalysed]> {
  let summary = "read elements of a buffer at indices along one dimension";
  let description = [{
    For `axis = 0`, `result[i, j] = src[indices[i, j], j]`.
    - local_gather_c1: the buffer must be in shared memory
    - local_gather_c2: result and indices must have the same shape
    - local_gather_c3: buffer and indices must have the same rank
    - local_gather_c4: `axis` must be a dimension of the buffer
    - local_gather_c5: buffer and result must have the same element type
    - local_gather_c6: indices and result must have the same layout
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<TTG_SharedMemory>]>:$src,
                       TT_IntTensor:$indices, I32Attr:$axis, Optional<TTG_AsyncToken>:$token);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src `[` $indices `]` (`token` $token^)? attr-dict
    `:` qualified(type($src)) `,` type($indices) `->` type($result)
  }];
}

def TTG_LocalScatterOp : TTG_Op<"local_scatter", [LL_Unanalysed]> {
  let summary = "write elements of a buffer at indices along one dimension";
  let description = [{
    For `axis = 0`, `dst[indices[i, j], j] = values[i, j]`.
    - local_scatter_c2: the buffer must be in shared memory
    - local_scatter_c3: values and indices must have the same shape
    - local_scatter_c4: buffer and indices must have the same rank
    - local_scatter_c5: `axis` must be a dimension of the buffer
    - local_scatter_c6: values and buffer must have the same element type
    - local_scatter_c7: values and indices must have the same layout
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemWrite<TTG_SharedMemory>]>:$dst,
                       TT_Tensor:$values, TT_IntTensor:$indices, I32Attr:$axis,
                       Optional<TTG_AsyncToken>:$token);
  let assemblyFormat = [{
    $dst `[` $indices `]` `,` $values (`token` $token^)? attr-dict
    `:` qualified(type($dst)) `,` type($indices) `,` type($values)
  }];
}

def TTG_LocalAtomicScatterRMWOp : TTG_Op<"local_atomic_scatter_rmw", [LL_Unanalysed,
    TypesMatchWith<"result has the values' type", "values", "result", "$_self">,
    TypesMatchWith<"mask is i1 with the values' shape and encoding", "values", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">]> {
  let summary = "update elements of a buffer at indices along one dimension, atomically";
  let description = [{
    Returns the old elements. If the mask of an element is false, nothing is updated and the
    result is unspecified.
    - local_scatter_c2: the buffer must be in shared memory
    - local_scatter_c3: values and indices must have the same shape
    - local_scatter_c4: buffer and indices must have the same rank
    - local_scatter_c5: `axis` must be a dimension of the buffer
    - local_scatter_c6: values and buffer must have the same element type
    - local_scatter_c7: values and indices must have the same layout
    - local_atomic_scatter_rmw_c1: the buffer must be mutable
    - local_atomic_scatter_rmw_c2: the values must be of integer or float type
  }];
  let arguments = (ins TT_RMWOp:$atomic_rmw_op,
                       Arg<TTG_MemDescType, "", [MemRead<TTG_SharedMemory>,
                                                 MemWrite<TTG_SharedMemory>]>:$dst,
                       TT_Tensor:$values, TT_IntTensor:$indices, Optional<TT_BoolTensor>:$mask,
                       I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $dst `[` $indices `]` `,` $values (`,` $mask^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

//===-- Views of buffers --------------------------------------------------------------------===//

def TTG_MemDescIndexOp : TTG_Op<"memdesc_index", [LL_Unanalysed, Pure]> {
  let summary = "one of the buffers of a multi-buffer, whose first dimension numbers them";
  let description = [{
    For example, index 1 of a `2x64x32` buffer selects its second `64x32` buffer.
    - memdesc_index_c1: operand and result must have the same element type
    - memdesc_index_c2: operand and result must have the same encoding
    - memdesc_index_c5: the result must have the operand's shape without the first dimension
    - memdesc_index_c6: the operand must be a multi-buffer of whole buffers
    - memdesc_index_c7: the result must be a whole buffer
  }];
  let arguments = (ins TTG_MemDescType:$src, I32:$index);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = [{
    $src `[` $index `]` attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
}

def TTG_MemDescSubsliceOp : TTG_Op<"memdesc_subslice", [LL_Unanalysed, LL_Canonicalized, Pure]> {
  let summary = "a part of a buffer at constant offsets";
  let description = [{
    - memdesc_subslice_c1: operand and result must have the same element type
    - memdesc_subslice_c2: operand and result must have the same encoding
    - memdesc_subslice_c3: there must be one offset and one dimension of the result per dimension of the
      operand
    - memdesc_subslice_c5: operand and result must have the same allocation shape
    - memdesc_subslice_c6: the buffer must be in shared memory
    - memdesc_subslice_c7: the offset must be 0 in each dimension whose size does not change
    - memdesc_subslice_c8: the slice must be within the bounds of the operand
    - memdesc_subslice_c9: an offset within a buffer must be a multiple of the slice's size
    - memdesc_subslice_c10: a slice of padded buffers must be a slice of a single buffer
    - memdesc_subslice_c11: the slice must not split a swizzle period
  }];
  let arguments = (ins TTG_MemDescType:$src, DenseI32ArrayAttr:$offsets);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = [{
    $src `[` custom<Offsets>($offsets) `]` attr-dict
    `:` qualified(type($src)) `->` qualified(type($result))
  }];
}

def TTG_MemDescTransOp : TTG_Op<"memdesc_trans", [LL_UnknownAxes, LL_Canonicalized, Pure, SameOperandsAndResultElementType]> {
  let summary = "a buffer with its dimensions permuted";
  let description = [{
    - memdesc_trans_c1: `order` must be a permutation of the dimensions
    - memdesc_trans_c2: dimension i of the result must have the size of dimension `order[i]` of the operand
    - memdesc_trans_c3: the result's layout must be the operand's layout with permuted dimensions
    - memdesc_trans_c4: operand and result must be in the same memory space
    - memdesc_trans_c5: operand and result must be both mutable or both immutable
    - memdesc_trans_c6: the result's allocation shape must be the operand's allocation shape with permuted
      dimensions
  }];
  let arguments = (ins TTG_MemDescType:$src, DenseI32ArrayAttr:$order);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = [{
    $src attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
}

def TTG_MemDescReshapeOp : TTG_Op<"memdesc_reshape", [LL_UnknownAxes, LL_Canonicalized, Pure, SameOperandsAndResultElementType]> {
  let summary = "a buffer in another shape";
  let description = [{
    - memdesc_reshape_c1: operand and result must have the same number of elements
    - memdesc_reshape_c2: the operand must be a whole buffer
    - memdesc_reshape_c3: the result's layout must be the reshaped layout of the operand
    - memdesc_reshape_c4: operand and result must be in the same memory space
    - memdesc_reshape_c5: operand and result must be both mutable or both immutable
    - memdesc_reshape_c6: the result's allocation shape must be the reshaped allocation shape of the operand
  }];
  let arguments = (ins TTG_MemDescType:$src);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = [{
    $src attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
}

def TTG_MemDescReinterpretOp : TTG_Op<"memdesc_reinterpret", [LL_Unanalysed, LL_Canonicalized, Pure]> {
  let summary = "reinterpret the bytes of a buffer with another element type and shape";
  let description = [{
    - memdesc_reinterpret_c1: operand and result must be in the same memory space
    - memdesc_reinterpret_c2: operand and result must be both mutable or both immutable
    - memdesc_reinterpret_c3: neither operand nor result may be partitioned
    - memdesc_reinterpret_c4: operand and result must have the same padding
    - memdesc_reinterpret_c5: the result must be a whole buffer
    - memdesc_reinterpret_c6: the result must not need more bytes of shared memory per CTA than the operand
      has
    - memdesc_reinterpret_c7: the result must not need more rows or columns of tensor memory than the operand
      has
    - memdesc_reinterpret_c8: a view of a padded buffer must not be reinterpreted
    - memdesc_reinterpret_c9: a view that is sliced along a dimension split over CTAs must not be
      reinterpreted
    - memdesc_reinterpret_c10: the result must fit into the contiguous prefix of the operand
  }];
  let arguments = (ins TTG_MemDescType:$src);
  let results = (outs TTG_MemDescType:$result);
  let assemblyFormat = [{
    $src attr-dict `:` qualified(type($src)) `->` qualified(type($result))
  }];
}

//===-- Copies that run beside the program --------------------------------------------------===//

def TTG_AsyncCopyGlobalToLocalOp : TTG_Op<"async_copy_global_to_local", [LL_Unanalysed, AttrSizedOperandSegments,
    TypesMatchWith<"mask is i1 with the pointers' shape and encoding", "src", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">,
    TypesMatchWith<"other type matches the pointee type of src", "src", "other",
                   "::ll::tt::pointeeLike($_self)", "!getOther() || std::equal_to<>()">]> {
  let summary = "start an asynchronous copy from global memory to a buffer";
  let description = [{
    The copy reads like `tt.load`, but writes to shared memory. `contiguity` guarantees that groups of
    this many elements are contiguous in global memory, even if this does not follow from the addresses.
    - async_copy_global_to_local_c1: the buffer must be mutable
  }];
  let arguments = (ins Arg<TT_PtrTensor, "", [MemRead<TT_GlobalMemory>]>:$src,
                       Arg<TTG_MemDescType, "", [MemWrite<TTG_SharedMemory>]>:$result,
                       Optional<TT_BoolTensor>:$mask, Optional<TT_Any>:$other,
                       OptionalAttr<LL_CachePolicy>:$cachePolicy,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile,
                       DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $src `,` $result (`mask` $mask^)? (`other` $other^)?
    attr-dict `:` type($src) `->` type($result)
  }];
}

def TTG_AsyncCommitGroupOp : TTG_Op<"async_commit_group", [LL_Unanalysed]> {
  let summary = "close a group of asynchronous copies, for which `ttg.async_wait` can wait";
  let arguments = (ins Variadic<TTG_AsyncToken>:$inputTokens);
  let results = (outs TTG_AsyncToken:$asyncToken);
  let assemblyFormat = "(`tokens` $inputTokens^)? attr-dict";
}

def TTG_AsyncWaitOp : TTG_Op<"async_wait", [LL_Unanalysed]> {
  let summary = "wait until at most `num` groups of asynchronous copies are in flight";
  let description = [{
    Each thread waits for its own copies. A barrier makes the copies of other threads visible.
  }];
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$num);
  let results = (outs TTG_AsyncToken:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
}

//===-- Pipelining --------------------------------------------------------------------------===//

def TTG_PredicateStageOp : TTG_Op<"predicate_stage", [LL_Unanalysed, LL_NoSharedMemory, Pure, AllTypesMatch<["iv", "ub", "step"]>]> {
  let summary = "true if a stage of a software pipeline runs in this loop iteration";
  let arguments = (ins AnySignlessIntegerOrIndex:$iv, AnySignlessIntegerOrIndex:$ub,
                       AnySignlessIntegerOrIndex:$step, I32Attr:$maxStage, I32Attr:$stage);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $iv `,` $ub `,` $step `maxStage` $maxStage `stage` $stage attr-dict
    `:` type($iv) `->` type($result)
  }];
}

def TTG_MaskOp : TTG_Op<"mask", [LL_UnknownAxes, SingleBlock]> {
  let summary = "operations that have an effect only if a condition is true";
  let arguments = (ins I1:$pred);
  let results = (outs Variadic<AnyType>:$result);
  let regions = (region SizedRegion<1>:$region);
}

def TTG_MaskReturnOp : TTG_Op<"mask.return", [LL_UnknownAxes, HasParent<"MaskOp">, Pure, Terminator, ReturnLike]> {
  let summary = "terminator of the region of `ttg.mask`, with its results";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "($result^)? attr-dict (`:` type($result)^)?";
}

//===-- Warps -------------------------------------------------------------------------------===//

def TTG_WarpSpecializeOp : TTG_Op<"warp_specialize", [LL_Unanalysed, LL_Canonicalized, RecursiveMemoryEffects,
    RecursivelySpeculatable, DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let summary = "run different code on different groups of warps concurrently";
  let description = [{
    The current warps run the default region, and additional warps run each partition. The layouts
    in a partition are for the number of its warps. Partitions are isolated from above: they use
    values of the function only through captures.
    - warp_specialize_c1: the second region must contain exactly one `ttg.warp_specialize.partitions`
    - warp_specialize_c2: `partitionNumWarps` must have one entry per partition
    - warp_specialize_c3: the number of warps of a partition must be a power of two
    - warp_specialize_c4: `warpGroupStartIds`, if given, must have one entry per partition
    - warp_specialize_c5: the operation must not be nested in another `ttg.warp_specialize`
    - warp_specialize_c6: the number of warps of the module must be a multiple of four
  }];
  let arguments = (ins DenseI32ArrayAttr:$partitionNumWarps,
                       OptionalAttr<DenseI32ArrayAttr>:$warpGroupStartIds,
                       OptionalAttr<DenseI32ArrayAttr>:$requestedRegisters,
                       OptionalAttr<DenseI32ArrayAttr>:$actualRegisters);
  let results = (outs Variadic<AnyType>:$defaultPassthrough);
  let regions = (region MinSizedRegion<1>:$defaultRegion, SizedRegion<1>:$partitionOpHolder);
  let hasCustomAssemblyFormat = 1;
}

def TTG_WarpSpecializePartitionsOp : TTG_Op<"warp_specialize.partitions", [LL_Unanalysed, LL_Canonicalized, IsolatedFromAbove,
    RecursiveMemoryEffects, RecursivelySpeculatable, Terminator, HasParent<"WarpSpecializeOp">,
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>]> {
  let summary = "holds the partitions of `ttg.warp_specialize`, isolated from above";
  let description = [{
    - warp_specialize_partitions_c1: the arguments of a partition must have the types of the captures
  }];
  let arguments = (ins Variadic<AnyType>:$explicitCaptures);
  let regions = (region VariadicRegion<MinSizedRegion<1>>:$partitionRegions);
}

def TTG_WarpYieldOp : TTG_Op<"warp_yield", [LL_Unanalysed, Pure, Terminator, ReturnLike,
                                            HasParent<"WarpSpecializeOp">]> {
  let summary = "terminator of the default region of `ttg.warp_specialize`, with its results";
  let description = [{
    - warp_yield_c1: the operands must have the types of the results of `ttg.warp_specialize`
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^)? attr-dict (`:` type($values)^)?";
}

def TTG_WarpReturnOp : TTG_Op<"warp_return", [LL_Unanalysed, Pure, Terminator, ReturnLike,
                                              HasParent<"WarpSpecializePartitionsOp">]> {
  let summary = "terminator of a partition of `ttg.warp_specialize`";
  let assemblyFormat = "attr-dict";
}

def TTG_WarpIdOp : TTG_Op<"warp_id", [LL_Unanalysed, LL_NoSharedMemory, Pure]> {
  let summary = "index of this warp in its CTA";
  let description = [{
    With `omitUniformHint`, the result is not marked as uniform over the threads of a warp.
  }];
  let arguments = (ins UnitAttr:$omitUniformHint);
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def TTG_BarrierOp : TTG_Op<"barrier", [LL_Unanalysed]> {
  let summary = "wait for all threads of the CTA, and order their accesses to some memories";
  let arguments = (ins TTG_AddrSpace:$addrSpace);
  let assemblyFormat = "custom<AddrSpace>($addrSpace) attr-dict";
}

def TTG_InlineAsmOp : TTG_Op<"inline_asm", [LL_Opaque, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "assembly run once by each thread";
  let description = [{
    - inline_asm_c1: tensors must have an encoding
  }];
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure,
                       Variadic<AnyTypeOf<[TT_Any, TTG_MemDescType]>>:$args);
  let results = (outs Variadic<AnyTypeOf<[TT_Any, TTG_MemDescType]>>:$result);
  let assemblyFormat = "$asm_string attr-dict ($args^)? `:` functional-type($args, $result)";
}

//===-- Others ------------------------------------------------------------------------------===//

def TTG_GlobalScratchAllocOp : TTG_Op<"global_scratch_alloc", [LL_FixedLayouts, LL_NoSharedMemory]> {
  let summary = "a buffer in global memory for this program instance";
  let arguments = (ins I32Attr:$nbytes, I32Attr:$alignment, UnitAttr:$third_party_allocation,
                       UnitAttr:$shared_cluster_state);
  let results = (outs Res<TT_PtrType, "", [MemAlloc<TT_GlobalMemory>]>:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

#endif
