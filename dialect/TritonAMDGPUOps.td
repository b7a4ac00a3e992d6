// The dialect `amdg`: operations that exist on AMD GPUs only.
#ifndef LL_TRITONAMDGPU_OPS
#define LL_TRITONAMDGPU_OPS

include "TritonAttrs.td"
include "TritonEnums.td"
include "TritonGPUTypes.td"
include "TritonTypes.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def AMDG_SharedMemory : Resource<"::ll::ttg::SharedMemory">;

def TritonAMDGPU_Dialect : Dialect {
  let name = "amdg";
  let cppNamespace = "::ll::amdg";
  let summary = "AMD-specific operations of Triton's GPU IR";
  let dependentDialects = ["::ll::ttg::TritonGPUDialect", "::mlir::LLVM::LLVMDialect"];
  let extraClassDeclaration = LL_DialectHooks.text;
}

class AMDG_Op<string mnemonic, list<Trait> traits = []>
    : Op<TritonAMDGPU_Dialect, mnemonic, !listconcat(traits, [LL_Verified])>;

def AMDG_BufferLoadOp : AMDG_Op<"buffer_load", [LL_Unanalysed, LL_NoSharedMemory, AttrSizedOperandSegments,
    MemoryEffects<[MemRead<TT_GlobalMemory>]>,
    TypesMatchWith<"offsets are i32 with the result's shape and encoding", "result", "offsets",
                   "::ll::tt::withElement($_self, ::mlir::IntegerType::get($_self.getContext(), 32))">,
    TypesMatchWith<"mask is i1 with the result's shape and encoding", "result", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">,
    TypesMatchWith<"other has the result's type", "result", "other", "$_self",
                   "!getOther() || std::equal_to<>()">]> {
  let summary = "read global memory at a base pointer plus a tensor of 32-bit offsets";
  let description = [{
    The base pointer is the same for all threads, and offsets are in elements. The lowering uses
    the hardware's buffer instructions, in which a masked-off element gets an offset out of range,
    so that no branch is needed.
    - buffer_c1: the pointee type must be the element type of the tensor
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

def AMDG_BufferStoreOp : AMDG_Op<"buffer_store", [LL_Unanalysed, LL_NoSharedMemory, AttrSizedOperandSegments,
    MemoryEffects<[MemWrite<TT_GlobalMemory>]>,
    TypesMatchWith<"offsets are i32 with the value's shape and encoding", "value", "offsets",
                   "::ll::tt::withElement($_self, ::mlir::IntegerType::get($_self.getContext(), 32))">,
    TypesMatchWith<"mask is i1 with the value's shape and encoding", "value", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">]> {
  let summary = "write global memory at a base pointer plus a tensor of 32-bit offsets";
  let description = [{
    - buffer_c1: the pointee type must be the element type of the tensor
    - buffer_c2: the pointer must point to global memory
  }];
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

def AMDG_BufferLoadToLocalOp : AMDG_Op<"buffer_load_to_local", [LL_Unanalysed, AttrSizedOperandSegments,
    TypesMatchWith<"mask is i1 with the offsets' shape and encoding", "offsets", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">]> {
  let summary = "start an asynchronous copy from a base pointer plus offsets to shared memory";
  let description = [{
    - buffer_load_to_local_c1: the target must have buffer loads to shared memory
    - buffer_load_to_local_c2: the pointee type must be the element type of the buffer
    - buffer_load_to_local_c3: `other` must have the element type of the buffer, and the shape and encoding of
      the offsets
  }];
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

def AMDG_BufferAtomicRMWOp : AMDG_Op<"buffer_atomic_rmw", [LL_Unanalysed, AttrSizedOperandSegments,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>,
    TypesMatchWith<"value has the result's type", "result", "value", "$_self">,
    TypesMatchWith<"offsets are i32 with the result's shape and encoding", "result", "offsets",
                   "::ll::tt::withElement($_self, ::mlir::IntegerType::get($_self.getContext(), 32))">,
    TypesMatchWith<"mask is i1 with the result's shape and encoding", "result", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">]> {
  let summary = "update global memory at a base pointer plus offsets atomically, and return the old value";
  let description = [{
    - buffer_c1: the pointee type must be the element type of the tensor
    - buffer_c2: the pointer must point to global memory
  }];
  let arguments = (ins TT_RMWOp:$atomic_rmw_op, TT_PtrType:$ptr, RankedTensorOf<[I32]>:$offsets,
                       TT_Tensor:$value, Optional<I32>:$stride, TT_MemSemantic:$sem,
                       TT_MemSyncScope:$scope, Optional<RankedTensorOf<[I1]>>:$mask);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $value `,` $ptr `[` $offsets `]` (`,` $mask^)?
    (`stride` `=` $stride^)? attr-dict `:` qualified(type($ptr)) `->` type($result)
  }];
}

def AMDG_BufferAtomicCASOp : AMDG_Op<"buffer_atomic_cas", [LL_Unanalysed,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>,
    TypesMatchWith<"`cmp` has the result's type", "result", "cmp", "$_self">,
    TypesMatchWith<"value has the result's type", "result", "val", "$_self">,
    TypesMatchWith<"offsets are i32 with the result's shape and encoding", "result", "offsets",
                   "::ll::tt::withElement($_self, ::mlir::IntegerType::get($_self.getContext(), 32))">]> {
  let summary = "store at a base pointer plus offsets if memory holds an expected value";
  let description = [{
    - buffer_c1: the pointee type must be the element type of the tensor
    - buffer_c2: the pointer must point to global memory
  }];
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

def AMDG_InThreadTransposeOp : AMDG_Op<"in_thread_transpose", [LL_FixedLayouts, Pure, SameOperandsAndResultShape,
                                                               SameOperandsAndResultElementType]> {
  let summary = "reorder the registers of each thread, so that another dimension is contiguous";
  let description = [{
    - in_thread_transpose_c1: the operand must have rank 2
    - in_thread_transpose_c2: the operand's encoding must be `#ttg.blocked`
    - in_thread_transpose_c3: the result's layout must be the operand's layout with the elements of each
      thread transposed
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def AMDG_ExtractSliceOp : AMDG_Op<"extract_slice", [LL_Unanalysed, LL_UnknownAxes, LL_NoSharedMemory, LL_Canonicalized, Pure, SameOperandsAndResultElementType]> {
  let summary = "a part of a tensor, which each thread has in its own registers";
  let description = [{
    - extract_slice_c1: operand, result and offsets must have the same rank
    - extract_slice_c2: no dimension of the result may be larger than that of the operand
    - extract_slice_c3: the slice must be within the bounds of the operand
    - extract_slice_c4: each thread must hold its elements of the result in the operand as well
    - extract_slice_c5: operand and result must have the same bases of lanes and warps
  }];
  let arguments = (ins AnyRankedTensor:$source, DenseI64ArrayAttr:$static_offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source $static_offsets attr-dict `:` type($source) `to` type($result)";
}

def AMDG_ConcatOp : AMDG_Op<"concat", [LL_Unanalysed, LL_UnknownAxes, LL_NoSharedMemory, LL_Canonicalized, Pure, SameOperandsAndResultElementType]> {
  let summary = "concatenate tensors, which become the parts of the result in row-major order";
  let description = [{
    - concat_c1: operands and result must have the same rank
    - concat_c2: the shape of the operands must divide the shape of the result
    - concat_c3: the number of operands must be the number of elements of the result divided by that of an
      operand
    - concat_c4: all operands must have the same type
    - concat_c5: each thread must hold its elements of the result in the operands as well
    - concat_c6: operands and result must have the same bases of lanes and warps
  }];
  let arguments = (ins Variadic<TT_Tensor>:$sources);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$sources attr-dict `:` type($sources) `->` type($result)";
}

def AMDG_LocalLoadPackedTransposedOp : AMDG_Op<"local_load_packed_transposed", [LL_Opaque]> {
  let summary = "read pairs of 4-bit elements across their packing";
  let description = [{
    - local_load_packed_transposed_c1: the result's encoding must be `#ttg.dot_op`
    - local_load_packed_transposed_c2: the buffer must be contiguous along the dimension other than K
    - local_load_packed_transposed_c3: the buffer must have the result's shape, with pairs packed along the
      other dimension
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<AMDG_SharedMemory>]>:$src,
                       Optional<TTG_AsyncToken>:$token);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`token` $token^)? attr-dict `:` qualified(type($src)) `->` type($result)
  }];
}

def AMDG_ScaledUpcastFp4Op : AMDG_Op<"scaled_upcast_fp4", [LL_Opaque, Pure]> {
  let summary = "convert pairs of 4-bit floats to wider floats, and multiply by scales";
  let description = [{
    - scaled_c1: scales and result must have the same rank
    - scaled_c2: `axis` must be a dimension of the result
    - scaled_c3: scales must have the result's size in all dimensions except `axis`
    - scaled_c4: the number of scales must divide the number of elements along `axis`
    - scaled_c5: both scales and result must have an encoding, or neither
    - scaled_c9: each scale must be in the thread that holds the scaled elements
    - scaled_c10: a scale must apply to a multiple of 8 elements along `axis`
    - scaled_c11: the first 8 registers of a thread must have the same scale
    - scaled_c12: packed and unpacked tensor must have the same rank
    - scaled_c13: the unpacked tensor must have twice the size of the packed tensor along `axis`
    - scaled_c14: both packed and unpacked tensor must have an encoding, or neither
    - scaled_c15: the two elements of a packed byte must be in neighbouring registers of one thread
    - scaled_c16: scales must be `i8` on `hip:gfx125x`
    - scaled_c17: a thread must hold at least the number of elements that the target converts at a time: 8 on
      `hip:gfx950` and `hip:gfx125x`, 1 on others
    - scaled_c18: the elements that the target converts at a time must be in consecutive registers, and
      contiguous along one dimension
  }];
  let arguments = (ins RankedTensorOf<[I8]>:$input, RankedTensorOf<[BF16, I8]>:$scale,
                       I32Attr:$axis);
  let results = (outs RankedTensorOf<[F16, BF16]>:$output);
  let assemblyFormat = [{
    $input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)
  }];
}

def AMDG_ScaledUpcastFp8Op : AMDG_Op<"scaled_upcast_fp8", [LL_Opaque, Pure, SameOperandsAndResultShape]> {
  let summary = "convert 8-bit floats to wider floats, and multiply by scales";
  let description = [{
    - ttg_c1: operands and result must have the same encoding
    - scaled_c16: scales must be `i8` on `hip:gfx125x`
    - scaled_c17: a thread must hold at least the number of elements that the target converts at a time: 4 on
      `hip:gfx950`, 8 on `hip:gfx125x`, 1 on others
    - scaled_c18: the elements that the target converts at a time must be in consecutive registers, and
      contiguous along one dimension
  }];
  let arguments = (ins RankedTensorOf<[F8E4M3FN, F8E5M2]>:$input, RankedTensorOf<[BF16, I8]>:$scale);
  let results = (outs RankedTensorOf<[F16, BF16]>:$output);
  let assemblyFormat = [{
    $input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)
  }];
}

def AMDG_ScaledDowncastFp4Op : AMDG_Op<"scaled_downcast_fp4", [LL_Opaque, Pure]> {
  let summary = "divide by scales, and convert to pairs of 4-bit floats";
  let description = [{
    - scaled_c1: scales and result must have the same rank
    - scaled_c2: `axis` must be a dimension of the result
    - scaled_c3: scales must have the result's size in all dimensions except `axis`
    - scaled_c4: the number of scales must divide the number of elements along `axis`
    - scaled_c5: both scales and result must have an encoding, or neither
    - scaled_c8: a scale must apply to more than one element along `axis`
    - scaled_c9: each scale must be in the thread that holds the scaled elements
    - scaled_c10: a scale must apply to a multiple of 8 elements along `axis`
    - scaled_c11: the first 8 registers of a thread must have the same scale
    - scaled_c12: packed and unpacked tensor must have the same rank
    - scaled_c13: the unpacked tensor must have twice the size of the packed tensor along `axis`
    - scaled_c14: both packed and unpacked tensor must have an encoding, or neither
    - scaled_c15: the two elements of a packed byte must be in neighbouring registers of one thread
  }];
  let arguments = (ins RankedTensorOf<[F16, BF16, F32]>:$input, RankedTensorOf<[I8]>:$scale,
                       I32Attr:$axis);
  let results = (outs RankedTensorOf<[I8]>:$output);
  let assemblyFormat = [{
    $input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)
  }];
}

def AMDG_ScaledDowncastFp8Op : AMDG_Op<"scaled_downcast_fp8", [LL_Opaque, Pure]> {
  let summary = "divide by scales, and convert to 8-bit floats";
  let description = [{
    - scaled_c1: scales and result must have the same rank
    - scaled_c2: `axis` must be a dimension of the result
    - scaled_c3: scales must have the result's size in all dimensions except `axis`
    - scaled_c4: the number of scales must divide the number of elements along `axis`
    - scaled_c5: both scales and result must have an encoding, or neither
    - scaled_c6: operand and result must have the same shape
    - scaled_c7: operand and result must have the same encoding
    - scaled_c8: a scale must apply to more than one element along `axis`
    - scaled_c9: each scale must be in the thread that holds the scaled elements
    - scaled_c10: a scale must apply to a multiple of 8 elements along `axis`
    - scaled_c11: the first 8 registers of a thread must have the same scale
  }];
  let arguments = (ins RankedTensorOf<[F16, BF16, F32]>:$input, RankedTensorOf<[I8]>:$scale,
                       I32Attr:$axis);
  let results = (outs RankedTensorOf<[F8E4M3FN, F8E5M2]>:$output);
  let assemblyFormat = [{
    $input `scale` $scale attr-dict `:` type($input) `,` type($scale) `->` type($output)
  }];
}

//===-- Copies and waits --------------------------------------------------------------------===//

def AMDG_AsyncCopyLocalToGlobalOp : AMDG_Op<"async_copy_local_to_global", [LL_Opaque,
    TypesMatchWith<"mask is i1 with the pointers' shape and encoding", "dst", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">]> {
  let summary = "start an asynchronous copy from shared to global memory";
  let description = [{
    - async_copy_local_to_global_c1: the buffer must be in shared memory
    - store_c1: the cache policy must be one of stores, without `ca` and `cv`
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<AMDG_SharedMemory>]>:$src,
                       Arg<TT_PtrTensor, "", [MemWrite<TT_GlobalMemory>]>:$dst,
                       Optional<TT_BoolTensor>:$mask, OptionalAttr<LL_CachePolicy>:$cachePolicy,
                       DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $src `,` $dst (`mask` $mask^)? attr-dict `:` qualified(type($src)) `->` type($dst)
  }];
}

def AMDG_AsyncWaitOp : AMDG_Op<"async_wait", [LL_Unanalysed]> {
  let summary = "wait until at most `num_inst` copy instructions are in flight";
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$num_inst);
  let results = (outs TTG_AsyncToken:$retToken);
  let assemblyFormat = "$asyncToken attr-dict";
}

def AMDG_AsyncTDMWaitOp : AMDG_Op<"async_tdm_wait", [LL_Opaque]> {
  let summary = "wait until at most `num` copies of the tensor data mover are in flight";
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$num);
  let results = (outs TTG_AsyncToken:$retToken);
  let assemblyFormat = "$asyncToken attr-dict";
}

def AMDG_AsyncTDMIntrinsicWaitOp : AMDG_Op<"async_tdm_intrinsic_wait", [LL_Opaque]> {
  let summary = "wait until at most `count` instructions of the tensor data mover are in flight";
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$count);
  let results = (outs TTG_AsyncToken:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
}

def AMDG_AsyncTDMCopyGlobalToLocalOp : AMDG_Op<"async_tdm_copy_global_to_local", [LL_Opaque]> {
  let summary = "start an asynchronous copy of a block to shared memory";
  let description = [{
    - tdm_c1: blocks must have at most 65535 elements in each dimension
    - tdm_c2: the buffer must not be swizzled
    - tdm_c3: if the descriptor has a layout, the buffer must have the same layout
    - tdm_c4: the buffer's encoding must be `#ttg.swizzled_shared` or `#ttg.padded_shared`
    - tdm_c5: a padded buffer must have a single interval and padding
    - tdm_c6: padding must follow at least 64 bits of elements
    - tdm_c7: padding must have at least 32 bits
    - tdm_hint_c1: the module must have fewer than 32 warps, and a power of two
    - tdm_hint_c2: a warp hint must select at least one warp
    - tdm_hint_c3: a warp hint must select only warps of the module
    - tdm_hint_c4: a warp hint must select a power of two of warps
    - tdm_hint_c5: the 2^n warps of a hint must differ in exactly n bits of their index
    - tdm_hint_c6: the number of warps in a hint must be a multiple of the pieces of a partitioned buffer
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier must be a contiguous whole buffer without swizzle, with one element per CTA if
      completions arrive at the barrier
    - barrier_c4: a barrier with several elements must assign elements to CTAs in order
  }];
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

def AMDG_AsyncTDMCopyLocalToGlobalOp : AMDG_Op<"async_tdm_copy_local_to_global", [LL_Opaque]> {
  let summary = "start an asynchronous copy of a block from shared memory";
  let description = [{
    - tdm_c1: blocks must have at most 65535 elements in each dimension
    - tdm_c2: the buffer must not be swizzled
    - tdm_c3: if the descriptor has a layout, the buffer must have the same layout
    - tdm_c4: the buffer's encoding must be `#ttg.swizzled_shared` or `#ttg.padded_shared`
    - tdm_c5: a padded buffer must have a single interval and padding
    - tdm_store_c1: padding must follow each row
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier must be a contiguous whole buffer without swizzle, with one element per CTA if
      completions arrive at the barrier
    - barrier_c4: a barrier with several elements must assign elements to CTAs in order
  }];
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

def AMDG_AsyncTDMFusedCopyGlobalToLocalOp : AMDG_Op<"async_tdm_fused_copy_global_to_local", [LL_Opaque,
    SameVariadicOperandSize]> {
  let summary = "start asynchronous copies of two to four blocks, each by different warps";
  let description = [{
    - tdm_c1: blocks must have at most 65535 elements in each dimension
    - tdm_c2: the buffer must not be swizzled
    - tdm_c3: if the descriptor has a layout, the buffer must have the same layout
    - tdm_c4: the buffer's encoding must be `#ttg.swizzled_shared` or `#ttg.padded_shared`
    - tdm_c5: a padded buffer must have a single interval and padding
    - tdm_c6: padding must follow at least 64 bits of elements
    - tdm_c7: padding must have at least 32 bits
    - tdm_hint_c1: the module must have fewer than 32 warps, and a power of two
    - tdm_hint_c2: a warp hint must select at least one warp
    - tdm_hint_c3: a warp hint must select only warps of the module
    - tdm_hint_c4: a warp hint must select a power of two of warps
    - tdm_hint_c5: the 2^n warps of a hint must differ in exactly n bits of their index
    - tdm_hint_c6: the number of warps in a hint must be a multiple of the pieces of a partitioned buffer
    - async_tdm_fused_copy_global_to_local_c1: the operation must have 2 to 4 copies
    - async_tdm_fused_copy_global_to_local_c2: each copy must have a warp hint
    - async_tdm_fused_copy_global_to_local_c3: the blocks of all copies must have the same rank
    - async_tdm_fused_copy_global_to_local_c4: no two copies may share a warp
  }];
  let arguments = (ins Arg<Variadic<TT_TensorDescType>, "", [MemRead<TT_GlobalMemory>]>:$descs,
                       Arg<Variadic<TTG_MemDescType>, "", [MemWrite<AMDG_SharedMemory>]>:$dests,
                       DenseI32ArrayAttr:$warp_used_hints,
                       DefaultValuedAttr<TT_CacheModifier, "::ll::tt::CacheModifier::NONE">:$cache);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $descs `into` $dests attr-dict `:` qualified(type($descs)) `->` qualified(type($dests))
  }];
}

def AMDG_AsyncTDMGatherOp : AMDG_Op<"async_tdm_gather", [LL_Opaque]> {
  let summary = "start an asynchronous copy of rows with given indices to shared memory";
  let description = [{
    - tdm_c1: blocks must have at most 65535 elements in each dimension
    - tdm_c2: the buffer must not be swizzled
    - tdm_c3: if the descriptor has a layout, the buffer must have the same layout
    - tdm_c4: the buffer's encoding must be `#ttg.swizzled_shared` or `#ttg.padded_shared`
    - tdm_c5: a padded buffer must have a single interval and padding
    - tdm_rows_c1: blocks must have rank 2
    - tdm_rows_c2: the row indices must have rank 1
    - tdm_rows_c3: the number of row indices must be a power of two
    - async_tdm_gather_c1: the padding interval must divide a row
    - async_tdm_gather_c2: rows must be contiguous in the buffer
    - async_tdm_gather_c3: all lanes of a warp must have the same indices
    - async_tdm_gather_c4: indices must be split over CTAs as the rows are
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier must be a contiguous whole buffer without swizzle, with one element per CTA if
      completions arrive at the barrier
    - barrier_c4: a barrier with several elements must assign elements to CTAs in order
  }];
  let arguments = (ins Arg<TT_TensorDescType, "", [MemRead<TT_GlobalMemory>]>:$desc,
                       RankedTensorOf<[I16, I32]>:$src_row_indices,
                       Arg<TTG_MemDescType, "", [MemWrite<AMDG_SharedMemory>]>:$dst,
                       Optional<TTG_MemDescType>:$barrier);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $desc `[` $src_row_indices `]` `to` $dst (`,` `barrier` `=` $barrier^)? attr-dict
    `:` type($src_row_indices) `,` qualified(type($dst)) (`,` qualified(type($barrier))^)?
    `->` qualified(type($desc))
  }];
}

def AMDG_AsyncTDMScatterOp : AMDG_Op<"async_tdm_scatter", [LL_Opaque]> {
  let summary = "start an asynchronous copy from shared memory to rows with given indices";
  let description = [{
    - tdm_c1: blocks must have at most 65535 elements in each dimension
    - tdm_c2: the buffer must not be swizzled
    - tdm_c3: if the descriptor has a layout, the buffer must have the same layout
    - tdm_c4: the buffer's encoding must be `#ttg.swizzled_shared` or `#ttg.padded_shared`
    - tdm_c5: a padded buffer must have a single interval and padding
    - tdm_store_c1: padding must follow each row
    - tdm_rows_c1: blocks must have rank 2
    - tdm_rows_c2: the row indices must have rank 1
    - tdm_rows_c3: the number of row indices must be a power of two
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier must be a contiguous whole buffer without swizzle, with one element per CTA if
      completions arrive at the barrier
    - barrier_c4: a barrier with several elements must assign elements to CTAs in order
  }];
  let arguments = (ins Arg<TT_TensorDescType, "", [MemWrite<TT_GlobalMemory>]>:$desc,
                       RankedTensorOf<[I16, I32]>:$dst_row_indices,
                       Arg<TTG_MemDescType, "", [MemRead<AMDG_SharedMemory>]>:$src,
                       Optional<TTG_MemDescType>:$barrier);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $desc `[` $dst_row_indices `]` `from` $src (`,` `barrier` `=` $barrier^)? attr-dict
    `:` type($dst_row_indices) `,` qualified(type($src)) (`,` qualified(type($barrier))^)?
    `->` qualified(type($desc))
  }];
}

def AMDG_UpdateTensorDescriptorOp : AMDG_Op<"update_tensor_descriptor", [LL_Opaque, Pure,
    AttrSizedOperandSegments,
    TypesMatchWith<"the result has the descriptor's type", "desc", "result", "$_self">]> {
  let summary = "a descriptor with other offsets, bounds, or predicate";
  let description = [{
    - update_tensor_descriptor_c1: `add_offsets` and `set_bounds` must have one value per dimension, or none
    - update_tensor_descriptor_c2: at least one of `add_offsets`, `set_bounds` and `pred` must be given
    - update_tensor_descriptor_c3: `clamp_bounds` requires `add_offsets`
    - update_tensor_descriptor_c4: `clamp_bounds` must not be combined with `set_bounds`
  }];
  let arguments = (ins TT_TensorDescType:$desc, Variadic<I32>:$add_offsets,
                       Variadic<I32>:$set_bounds, Optional<I32>:$pred, UnitAttr:$clamp_bounds);
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = [{
    $desc (`add_offsets` `=` `[` $add_offsets^ `]`)? (`set_bounds` `=` `[` $set_bounds^ `]`)?
    (`pred` `=` $pred^)? attr-dict `:` qualified(type($desc))
  }];
}

def AMDG_TDMPrefetchOp : AMDG_Op<"tdm_prefetch", [LL_Opaque,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "prefetch a block into the cache";
  let description = [{
    With `returnOffsets`, which is meant for tests, the results are the byte offsets of the prefetches.
    - tdm_prefetch_c1: `returnOffsets` must be given exactly if there is a result
    - tdm_prefetch_c2: the result must have one `i64` per prefetch, in the default layout
  }];
  let arguments = (ins TT_TensorDescType:$desc, Variadic<I32>:$indices, I1:$pred,
                       BoolAttr:$speculative, UnitAttr:$returnOffsets);
  let results = (outs Optional<TT_Tensor>:$offsets);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $pred `,` `speculative` `=` $speculative
    (`returnOffsets` $returnOffsets^)? attr-dict `:` qualified(type($desc))
    (`->` type($offsets)^)?
  }];
}

//===-- Accesses of single threads ----------------------------------------------------------===//

// The load may be volatile, so its memory effects are unknown.
def AMDG_MaskedLoadOp : AMDG_Op<"masked_load", [LL_Opaque]> {
  let summary = "read through a pointer if a condition is true";
  let arguments = (ins LLVM_AnyPointer:$ptr, I1:$mask, LLVM_Type:$falseVal,
                       Optional<I32>:$multicastMask,
                       DefaultValuedAttr<TT_CacheModifier, "::ll::tt::CacheModifier::NONE">:$cache,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile,
                       DefaultValuedAttr<BoolAttr, "false">:$forceNoAlias);
  let results = (outs LLVM_Type:$result);
  let assemblyFormat = [{
    $ptr `,` $mask `,` $falseVal (`,` $multicastMask^)?
    oilist(`cacheModifier` `=` $cache | `volatile` $isVolatile | `forceNoAlias` $forceNoAlias)
    attr-dict `:` functional-type(operands, $result)
  }];
}

def AMDG_MaskedStoreOp : AMDG_Op<"masked_store", [LL_Opaque, MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "write through a pointer if a condition is true";
  let arguments = (ins LLVM_AnyPointer:$ptr, LLVM_Type:$value, I1:$mask,
                       DefaultValuedAttr<TT_CacheModifier, "::ll::tt::CacheModifier::NONE">:$cache,
                       DefaultValuedAttr<BoolAttr, "false">:$forceNoAlias);
  let assemblyFormat = [{
    $ptr `,` $value `,` $mask oilist(`cacheModifier` `=` $cache | `forceNoAlias` $forceNoAlias)
    attr-dict `:` type(operands)
  }];
}

//===-- Barriers ----------------------------------------------------------------------------===//

def AMDG_CondBarrierOp : AMDG_Op<"cond_barrier", [LL_Unanalysed]> {
  let summary = "a barrier for the threads with a true condition, so that warps run out of step";
  let arguments = (ins I1:$pred);
  let assemblyFormat = "$pred attr-dict";
}

def AMDG_InitBarrierOp : AMDG_Op<"init_barrier", [LL_Opaque]> {
  let summary = "initialise a barrier whose phases complete after `count` arrivals";
  let description = [{
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier must be a contiguous whole buffer without swizzle, with one element per CTA if
      completions arrive at the barrier
    - barrier_c4: a barrier with several elements must assign elements to CTAs in order
    - barrier_c2: `count` must be at least 1
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemWrite<AMDG_SharedMemory>]>:$alloc,
                       I32Attr:$count);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc))";
}

def AMDG_WaitBarrierOp : AMDG_Op<"wait_barrier", [LL_Opaque]> {
  let summary = "wait until a barrier has completed the phase with a given parity";
  let description = [{
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier must be a contiguous whole buffer without swizzle, with one element per CTA if
      completions arrive at the barrier
    - barrier_c4: a barrier with several elements must assign elements to CTAs in order
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<AMDG_SharedMemory>,
                                                 MemWrite<AMDG_SharedMemory>]>:$alloc, I32:$phase);
  let assemblyFormat = "$alloc `,` $phase attr-dict `:` qualified(type($alloc))";
}

def AMDG_ArriveBarrierOp : AMDG_Op<"arrive_barrier", [LL_Opaque]> {
  let summary = "arrive at a barrier `count` times, and return its previous phase";
  let description = [{
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier must be a contiguous whole buffer without swizzle, with one element per CTA if
      completions arrive at the barrier
    - barrier_c4: a barrier with several elements must assign elements to CTAs in order
    - barrier_c2: `count` must be at least 1
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemRead<AMDG_SharedMemory>,
                                                 MemWrite<AMDG_SharedMemory>]>:$alloc,
                       I32Attr:$count);
  let results = (outs I32:$result);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc)) `->` type($result)";
}

def AMDG_AsyncCopyMbarrierArriveOp : AMDG_Op<"async_copy_mbarrier_arrive", [LL_Opaque]> {
  let summary = "arrive at a barrier when all preceding asynchronous copies are complete";
  let description = [{
    - barrier_c1: a barrier must have rank 1 and at most one element of `i64` per CTA
    - barrier_c3: a barrier must be a contiguous whole buffer without swizzle, with one element per CTA if
      completions arrive at the barrier
    - barrier_c4: a barrier with several elements must assign elements to CTAs in order
  }];
  let arguments = (ins Arg<TTG_MemDescType, "", [MemWrite<AMDG_SharedMemory>]>:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

def AMDG_ClusterBarrierArriveOp : AMDG_Op<"cluster_barrier_arrive", [LL_Opaque]> {
  let summary = "arrive at the barrier of the cluster";
  let description = [{
    - cluster_c1: the module must have clusters of several CTAs
  }];
  let assemblyFormat = "attr-dict";
}

def AMDG_ClusterBarrierWaitOp : AMDG_Op<"cluster_barrier_wait", [LL_Opaque]> {
  let summary = "wait at the barrier of the cluster";
  let description = [{
    - cluster_c1: the module must have clusters of several CTAs
  }];
  let assemblyFormat = "attr-dict";
}

#endif
