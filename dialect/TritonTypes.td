// Types of `tt`: pointers, the operand classes built on them, and the traits all operations share.
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

def TT_PtrType : TT_TypeDef<"Pointer", "ptr"> {
  let summary = "pointer to an element in memory";
  let description = [{
    `!tt.ptr<f32>` points to global memory (address space 1); `!tt.ptr<f32, 3>` names the space.
    Arithmetic on it counts elements of the pointee, not bytes.
  }];
  let parameters = (ins "::mlir::Type":$pointeeType,
                        DefaultValuedParameter<"int", "1">:$addressSpace);
  let assemblyFormat = "`<` $pointeeType (`,` $addressSpace^)? `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointeeType,
                                                      CArg<"int", "1">:$addressSpace), [{
    return $_get(pointeeType.getContext(), pointeeType, addressSpace);
  }]>];
}

def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, BF16, F32, F64],
                         "floating-point">;
def TT_Int : AnyTypeOf<[I1, I<4>, I8, I16, I32, I64], "integer">;
def TT_PtrLike : AnyTypeOf<[TT_PtrType, RankedTensorOf<[TT_PtrType]>], "pointer or tensor of pointers">;
def TT_BoolLike : AnyTypeOf<[I1, RankedTensorOf<[I1]>], "i1 or tensor of i1">;
def TT_IntLike : AnyTypeOf<[TT_Int, RankedTensorOf<[TT_Int]>], "integer or tensor of integers">;
def TT_I32Like : AnyTypeOf<[I32, RankedTensorOf<[I32]>], "i32 or tensor of i32">;
def TT_Tensor : RankedTensorOf<[TT_Float, TT_Int, TT_PtrType]>;
def TT_Any : AnyTypeOf<[TT_Float, TT_Int, TT_PtrType, TT_Tensor],
                       "number, pointer, or tensor of them">;

// Every operation's tensors are checked against the module: lanes, warps, CTAs, rank, powers of
// two; then the rules of the operation itself, labelled in its description. All of it is
// src/ir/verify.rs.
def LL_Verified : NativeOpTrait<"Verified"> {
  let cppNamespace = "::ll";
}
def LL_SameEncoding : NativeOpTrait<"SameEncoding"> {
  let cppNamespace = "::ll";
}

def TT_GlobalMemory : Resource<"::ll::tt::GlobalMemory">;

#endif
