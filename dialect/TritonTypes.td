// Types of `tt`: pointers, operand classes that contain pointers, and traits that operations of all dialects share.
#ifndef LL_TRITON_TYPES
#define LL_TRITON_TYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "TritonDialect.td"

class TT_TypeDef<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Triton_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

// `"constant"`: the name of a memory as a string.
def TT_AddressSpace : AttrOrTypeParameter<"int", "address space"> {
  let parser = "::ll::tt::parseAddressSpace($_parser)";
  let printer = "::ll::tt::printAddressSpace($_printer, $_self)";
  let defaultValue = "1";
}

def TT_PtrType : TT_TypeDef<"Pointer", "ptr"> {
  let summary = "pointer to an element in memory";
  let description = [{
    `!tt.ptr<f32>` points to global memory (address space 1). `!tt.ptr<f32, "constant">` points to
    another memory: `descriptor` is address space 0, and `constant` is address space 4, global memory
    that the kernel does not write (`tl.const`); the lowering treats it as address space 1. Pointer
    arithmetic counts elements of the pointee type, not bytes.
    - ptr_c1: the pointee type must be an integer or a float
    - ptr_c2: the address space must be `descriptor`, `global` or `constant`
  }];
  let parameters = (ins "::mlir::Type":$pointeeType, TT_AddressSpace:$addressSpace);
  let assemblyFormat = "`<` $pointeeType (`,` $addressSpace^)? `>`";
  let genVerifyDecl = 1;
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointeeType,
                                                      CArg<"int", "1">:$addressSpace), [{
    return $_get(pointeeType.getContext(), pointeeType, addressSpace);
  }]>];
}

def TT_TensorDescType : TT_TypeDef<"TensorDesc", "tensordesc", [ShapedTypeInterface]> {
  let summary = "a tensor in global memory that is read and written in blocks";
  let description = [{
    `!tt.tensordesc<128x64xf16, #shared>` contains the shape and the element type of a block and,
    if it is known, the encoding of a block in shared memory.
    - tensordesc_c1: the element type must be the type of an element of a block, not a tensor type
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        OptionalParameter<"::mlir::Attribute">:$sharedLayout);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    bool hasRank() const { return true; }
    TensorDescType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape,
                             ::mlir::Type elementType) const {
      return get(getContext(), shape.value_or(getShape()), elementType, getSharedLayout());
    }
  }];
}

def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, BF16, F32, F64],
                         "floating-point">;
def TT_Int : AnyTypeOf<[I1, I<4>, I8, I16, I32, I64], "integer">;
def TT_PtrLike : AnyTypeOf<[TT_PtrType, RankedTensorOf<[TT_PtrType]>], "pointer or tensor of pointers">;
def TT_BoolLike : AnyTypeOf<[I1, RankedTensorOf<[I1]>], "i1 or tensor of i1">;
def TT_IntLike : AnyTypeOf<[TT_Int, RankedTensorOf<[TT_Int]>], "integer or tensor of integers">;
def TT_I32Like : AnyTypeOf<[I32, RankedTensorOf<[I32]>], "i32 or tensor of i32">;
def TT_FloatLike : AnyTypeOf<[TT_Float, RankedTensorOf<[TT_Float]>], "float or tensor of floats">;
def TT_F32Like : AnyTypeOf<[F32, RankedTensorOf<[F32]>], "f32 or tensor of f32">;
def TT_FloatTensor : RankedTensorOf<[TT_Float]>;
def TT_IntTensor : RankedTensorOf<[TT_Int]>;
def TT_FpIntTensor : RankedTensorOf<[TT_Float, TT_Int]>;
def TT_PtrTensor : RankedTensorOf<[TT_PtrType]>;
def TT_BoolTensor : RankedTensorOf<[I1]>;
def TT_I64Like : AnyTypeOf<[I64, RankedTensorOf<[I64]>], "i64 or tensor of i64">;
def TT_Tensor : RankedTensorOf<[TT_Float, TT_Int, TT_PtrType]>;
def TT_Any : AnyTypeOf<[TT_Float, TT_Int, TT_PtrType, TT_Tensor],
                       "number, pointer, or tensor of numbers or pointers">;

// The operation is verified in src/ir/verify/: its tensors must fit the attributes of the module (lanes, warps, CTAs),
// and the rules in the operation's description must hold.
def LL_Verified : NativeOpTrait<"Verified"> {
  let cppNamespace = "::ll";
}
// The traits below are for `dialect/build/ops.rs` and have no effect in C++.
// The operation has canonicalisation in Rust (`src/ir/canonical.rs`).
def LL_Canonicalized : GenInternalOpTrait<"LLCanonicalized">;
// The encodings of the operation's tensors do not follow from each other, and no pass changes them.
def LL_FixedLayouts : GenInternalOpTrait<"LLFixedLayouts">;
// The contiguity, divisibility and constancy of the operation's results are unknown.
def LL_UnknownAxes : GenInternalOpTrait<"LLUnknownAxes">;
def LL_Unanalysed : TraitList<[LL_FixedLayouts, LL_UnknownAxes]>;
// The operation has no operands or results in shared memory, and its lowering uses no shared memory.
def LL_NoSharedMemory : GenInternalOpTrait<"LLNoSharedMemory">;
// The operation has no lowering. Analyses assume that it may read and write its buffer operands.
def LL_NotLowered : GenInternalOpTrait<"LLNotLowered">;
def LL_Opaque : TraitList<[LL_Unanalysed, LL_NotLowered]>;

def LL_SameEncoding : NativeOpTrait<"SameEncoding"> {
  let cppNamespace = "::ll";
}

def LL_SameOperandsEncoding : NativeOpTrait<"SameOperandsEncoding"> {
  let cppNamespace = "::ll";
}

def TT_GlobalMemory : Resource<"::ll::tt::GlobalMemory">;

#endif
