// The dialect `amdg`: operations that exist on AMD GPUs only.
#ifndef LL_TRITONAMDGPU_OPS
#define LL_TRITONAMDGPU_OPS

include "TritonAttrs.td"
include "TritonEnums.td"
include "TritonGPUTypes.td"
include "TritonTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def AMDG_SharedMemory : Resource<"::ll::ttg::SharedMemory">;

def TritonAMDGPU_Dialect : Dialect {
  let name = "amdg";
  let cppNamespace = "::ll::amdg";
  let summary = "AMD-specific operations of Triton's GPU IR";
  let dependentDialects = ["::ll::ttg::TritonGPUDialect"];
}

class AMDG_Op<string mnemonic, list<Trait> traits = []>
    : Op<TritonAMDGPU_Dialect, mnemonic, !listconcat(traits, [LL_Verified])>;

def AMDG_BufferLoadOp : AMDG_Op<"buffer_load", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead<TT_GlobalMemory>]>,
    TypesMatchWith<"offsets are i32 in the result's shape and encoding", "result", "offsets",
                   "::ll::tt::withElement($_self, ::mlir::IntegerType::get($_self.getContext(), 32))">,
    TypesMatchWith<"mask is i1 in the result's shape and encoding", "result", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">,
    TypesMatchWith<"other has the result's type", "result", "other", "$_self",
                   "!getOther() || std::equal_to<>()">]> {
  let summary = "read at a base pointer plus a tensor of 32-bit offsets";
  let description = [{
    The base is the same for all threads; offsets count elements. The hardware's buffer
    instructions take a masked-off element as out of range, so no branch is needed.
  }];
  let arguments = (ins TT_PtrType:$ptr, RankedTensorOf<[I32]>:$offsets, Optional<I32>:$stride,
                       OptionalAttr<LL_CachePolicy>:$cachePolicy,
                       Optional<RankedTensorOf<[I1]>>:$mask, Optional<TT_Tensor>:$other,
                       DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $ptr `[` $offsets `]` (`,` $mask^)? (`,` $other^)?
    (`stride` `=` $stride^)?
    attr-dict `:` qualified(type($ptr)) `->` type($result)
  }];
}

def AMDG_BufferStoreOp : AMDG_Op<"buffer_store", [AttrSizedOperandSegments,
    MemoryEffects<[MemWrite<TT_GlobalMemory>]>,
    TypesMatchWith<"offsets are i32 in the value's shape and encoding", "value", "offsets",
                   "::ll::tt::withElement($_self, ::mlir::IntegerType::get($_self.getContext(), 32))">,
    TypesMatchWith<"mask is i1 in the value's shape and encoding", "value", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">]> {
  let summary = "write at a base pointer plus a tensor of 32-bit offsets";
  let arguments = (ins TT_Tensor:$value, TT_PtrType:$ptr, RankedTensorOf<[I32]>:$offsets,
                       Optional<I32>:$stride, OptionalAttr<LL_CachePolicy>:$cachePolicy,
                       Optional<RankedTensorOf<[I1]>>:$mask,
                       DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let assemblyFormat = [{
    $value `,` $ptr `[` $offsets `]` (`,` $mask^)?
    (`stride` `=` $stride^)?
    attr-dict `:` qualified(type($ptr)) `->` type($value)
  }];
}

//===-- Buffer instructions -----------------------------------------------------------------===//

def AMDG_BufferLoadToLocalOp : AMDG_Op<"buffer_load_to_local", [AttrSizedOperandSegments,
    TypesMatchWith<"mask is i1 in the offsets' shape and encoding", "offsets", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">]> {
  let summary = "start to read at a base pointer plus offsets into shared memory";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemWrite<AMDG_SharedMemory>]>:$dest,
                       Arg<TT_PtrType, "", [MemRead<TT_GlobalMemory>]>:$ptr,
                       RankedTensorOf<[I32]>:$offsets, Optional<RankedTensorOf<[I1]>>:$mask,
                       Optional<TT_Tensor>:$other, Optional<I32>:$stride,
                       OptionalAttr<LL_CachePolicy>:$cachePolicy,
                       DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $ptr `[` $offsets `]` (`mask` `=` $mask^)? (`other` `=` $other^)? (`stride` `=` $stride^)?
    `into` $dest attr-dict
    `:` qualified(type($ptr)) `[` type($offsets) `]` type($other) `->` type($dest)
  }];
}

def AMDG_BufferAtomicRMWOp : AMDG_Op<"buffer_atomic_rmw", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>,
    TypesMatchWith<"value has the result's type", "result", "value", "$_self">,
    TypesMatchWith<"offsets are i32 in the result's shape and encoding", "result", "offsets",
                   "::ll::tt::withElement($_self, ::mlir::IntegerType::get($_self.getContext(), 32))">,
    TypesMatchWith<"mask is i1 in the result's shape and encoding", "result", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">]> {
  let summary = "update at a base pointer plus offsets, atomically; gives what was there before";
  let arguments = (ins TT_RMWOp:$atomic_rmw_op, TT_PtrType:$ptr, RankedTensorOf<[I32]>:$offsets,
                       TT_Tensor:$value, Optional<I32>:$stride, TT_MemSemantic:$sem,
                       TT_MemSyncScope:$scope, Optional<RankedTensorOf<[I1]>>:$mask);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $value `,` $ptr `[` $offsets `]` (`,` $mask^)?
    (`stride` `=` $stride^)? attr-dict `:` qualified(type($ptr)) `->` type($result)
  }];
}

def AMDG_BufferAtomicCASOp : AMDG_Op<"buffer_atomic_cas", [
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>,
    TypesMatchWith<"expected value has the result's type", "result", "cmp", "$_self">,
    TypesMatchWith<"value has the result's type", "result", "val", "$_self">,
    TypesMatchWith<"offsets are i32 in the result's shape and encoding", "result", "offsets",
                   "::ll::tt::withElement($_self, ::mlir::IntegerType::get($_self.getContext(), 32))">]> {
  let summary = "store at a base pointer plus offsets where memory holds an expected value";
  let arguments = (ins TT_PtrType:$ptr, RankedTensorOf<[I32]>:$offsets, TT_Tensor:$cmp,
                       TT_Tensor:$val, Optional<I32>:$stride, TT_MemSemantic:$sem,
                       TT_MemSyncScope:$scope);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $cmp `,` $val `,` $ptr `[` $offsets `]` (`stride` `=` $stride^)?
    attr-dict `:` qualified(type($ptr)) `->` type($result)
  }];
}

//===-- Registers and shared memory ---------------------------------------------------------===//

def AMDG_InThreadTransposeOp : AMDG_Op<"in_thread_transpose", [Pure, SameOperandsAndResultShape,
                                                               SameOperandsAndResultElementType]> {
  let summary = "exchange registers of one thread, so that another dimension is contiguous";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def AMDG_ExtractSliceOp : AMDG_Op<"extract_slice", [Pure, SameOperandsAndResultElementType]> {
  let summary = "a part of a tensor that each thread has in its registers";
  let arguments = (ins AnyRankedTensor:$source, DenseI64ArrayAttr:$static_offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source $static_offsets attr-dict `:` type($source) `to` type($result)";
}

def AMDG_ConcatOp : AMDG_Op<"concat", [Pure, SameOperandsAndResultElementType]> {
  let summary = "tensors side by side, row by row, as parts of one";
  let arguments = (ins Variadic<TT_Tensor>:$sources);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$sources attr-dict `:` type($sources) `->` type($result)";
}

def AMDG_LocalLoadPackedTransposedOp : AMDG_Op<"local_load_packed_transposed"> {
  let summary = "read pairs of 4-bit elements across their packing";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<AMDG_SharedMemory>]>:$src,
                       Optional<TTG_AsyncToken>:$token);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)
  }];
}

def AMDG_ScaledUpcastFp4Op : AMDG_Op<"scaled_upcast_fp4", [Pure]> {
  let summary = "widen pairs of 4-bit floats and multiply by scales";
  let arguments = (ins RankedTensorOf<[I8]>:$input, RankedTensorOf<[BF16, I8]>:$scale,
                       I32Attr:$axis);
  let results = (outs RankedTensorOf<[F16, BF16, F32]>:$output);
  let assemblyFormat = [{
    $input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)
  }];
}

def AMDG_ScaledUpcastFp8Op : AMDG_Op<"scaled_upcast_fp8", [Pure]> {
  let summary = "widen 8-bit floats and multiply by scales";
  let arguments = (ins RankedTensorOf<[F8E4M3FN, F8E5M2]>:$input, RankedTensorOf<[BF16, I8]>:$scale);
  let results = (outs RankedTensorOf<[F16, BF16, F32]>:$output);
  let assemblyFormat = [{
    $input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)
  }];
}

//===-- Copies and waits --------------------------------------------------------------------===//

def AMDG_AsyncCopyLocalToGlobalOp : AMDG_Op<"async_copy_local_to_global", [
    TypesMatchWith<"mask is i1 in the pointers' shape and encoding", "dst", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">]> {
  let summary = "start to copy from shared to global memory";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<AMDG_SharedMemory>]>:$src,
                       Arg<TT_PtrTensor, "", [MemWrite<TT_GlobalMemory>]>:$dst,
                       Optional<TT_BoolTensor>:$mask, OptionalAttr<LL_CachePolicy>:$cachePolicy,
                       DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $src `,` $dst (`mask` $mask^)? attr-dict `:` qualified(type($src)) `->` type($dst)
  }];
}

def AMDG_AsyncWaitOp : AMDG_Op<"async_wait"> {
  let summary = "wait until at most `num_inst` instructions of copies are under way";
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$num_inst);
  let results = (outs TTG_AsyncToken:$retToken);
  let assemblyFormat = "$asyncToken attr-dict";
}

def AMDG_AsyncTDMWaitOp : AMDG_Op<"async_tdm_wait"> {
  let summary = "wait until at most `num` copies of the tensor data mover are under way";
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$num);
  let results = (outs TTG_AsyncToken:$retToken);
  let assemblyFormat = "$asyncToken attr-dict";
}

def AMDG_AsyncTDMIntrinsicWaitOp : AMDG_Op<"async_tdm_intrinsic_wait"> {
  let summary = "wait until at most `count` instructions of the tensor data mover are under way";
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$count);
  let results = (outs TTG_AsyncToken:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
}

def AMDG_AsyncTDMCopyGlobalToLocalOp : AMDG_Op<"async_tdm_copy_global_to_local"> {
  let summary = "start to copy a block into shared memory";
  let arguments = (ins Arg<TT_TensorDescType, "", [MemRead<TT_GlobalMemory>]>:$desc,
                       Arg<TTG_MemDescType, "", [MemWrite<AMDG_SharedMemory>]>:$result,
                       Optional<TTG_MemDescType>:$barrier,
                       DefaultValuedAttr<TT_CacheModifier, "::ll::tt::CacheModifier::NONE">:$cache,
                       OptionalAttr<I32Attr>:$warp_used_hint);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $desc `into` $result (`,` `barrier` `=` $barrier^)? attr-dict
    `:` qualified(type($desc)) (`,` qualified(type($barrier))^)? `->` qualified(type($result))
  }];
}

def AMDG_AsyncTDMCopyLocalToGlobalOp : AMDG_Op<"async_tdm_copy_local_to_global"> {
  let summary = "start to copy a block out of shared memory";
  let arguments = (ins Arg<TT_TensorDescType, "", [MemWrite<TT_GlobalMemory>]>:$desc,
                       Arg<TTG_MemDescType, "", [MemRead<AMDG_SharedMemory>]>:$src,
                       Optional<TTG_MemDescType>:$barrier,
                       DefaultValuedAttr<TT_CacheModifier, "::ll::tt::CacheModifier::NONE">:$cache);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $desc `from` $src (`,` `barrier` `=` $barrier^)? attr-dict
    `:` qualified(type($src)) (`,` qualified(type($barrier))^)? `->` qualified(type($desc))
  }];
}

//===-- Barriers ----------------------------------------------------------------------------===//

def AMDG_CondBarrierOp : AMDG_Op<"cond_barrier"> {
  let summary = "a barrier for the threads where a condition holds, to run warps out of step";
  let arguments = (ins I1:$pred);
  let assemblyFormat = "$pred attr-dict";
}

def AMDG_InitBarrierOp : AMDG_Op<"init_barrier"> {
  let summary = "make a barrier that `count` arrivals complete";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemWrite<AMDG_SharedMemory>]>:$alloc,
                       I32Attr:$count);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc))";
}

def AMDG_WaitBarrierOp : AMDG_Op<"wait_barrier"> {
  let summary = "wait until a barrier leaves a phase";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<AMDG_SharedMemory>,
                                                 MemWrite<AMDG_SharedMemory>]>:$alloc, I32:$phase);
  let assemblyFormat = "$alloc `,` $phase attr-dict `:` qualified(type($alloc))";
}

def AMDG_ArriveBarrierOp : AMDG_Op<"arrive_barrier"> {
  let summary = "arrive at a barrier `count` times; gives its phase before";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<AMDG_SharedMemory>,
                                                 MemWrite<AMDG_SharedMemory>]>:$alloc,
                       I32Attr:$count);
  let results = (outs I32:$result);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc)) `->` type($result)";
}

def AMDG_AsyncCopyMbarrierArriveOp : AMDG_Op<"async_copy_mbarrier_arrive"> {
  let summary = "arrive at a barrier when the copies issued so far are done";
  let arguments = (ins Arg<TTG_MemDescType, "", [MemWrite<AMDG_SharedMemory>]>:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

def AMDG_ClusterBarrierArriveOp : AMDG_Op<"cluster_barrier_arrive"> {
  let summary = "arrive at the barrier of the cluster";
  let assemblyFormat = "attr-dict";
}

def AMDG_ClusterBarrierWaitOp : AMDG_Op<"cluster_barrier_wait"> {
  let summary = "wait at the barrier of the cluster";
  let assemblyFormat = "attr-dict";
}

#endif
