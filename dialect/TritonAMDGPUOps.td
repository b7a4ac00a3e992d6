// The dialect `amdg`: operations that exist on AMD GPUs only.
#ifndef LL_TRITONAMDGPU_OPS
#define LL_TRITONAMDGPU_OPS

include "TritonEnums.td"
include "TritonTypes.td"

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
                       DefaultValuedAttr<TT_CacheModifier, "::ll::tt::CacheModifier::NONE">:$cache,
                       Optional<RankedTensorOf<[I1]>>:$mask, Optional<TT_Tensor>:$other,
                       DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $ptr `[` $offsets `]` (`,` $mask^)? (`,` $other^)?
    oilist(`cacheModifier` `=` $cache | `stride` `=` $stride)
    attr-dict `:` qualified(type($ptr)) `->` type($result)
  }];
}

#endif
