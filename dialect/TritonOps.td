// Operations of `tt`.
#ifndef LL_TRITON_OPS
#define LL_TRITON_OPS

include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "TritonEnums.td"
include "TritonTypes.td"

class TT_Op<string mnemonic, list<Trait> traits = []>
    : Op<Triton_Dialect, mnemonic, !listconcat(traits, [LL_Verified])>;

def TT_FuncOp : TT_Op<"func", [AffineScope, AutomaticAllocationScope, CallableOpInterface,
                               FunctionOpInterface, IsolatedFromAbove, OpAsmOpInterface]> {
  let summary = "function or kernel";
  let description = [{
    A `public` function is a kernel. The argument attribute `tt.divisibility` promises that a
    pointer's address in bytes, or an integer's value, is a multiple of the given number.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getCallableResults() { return getFunctionType().getResults(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
  }];
}

def TT_ReturnOp : TT_Op<"return", [Pure, HasParent<"FuncOp">, ReturnLike, Terminator]> {
  let summary = "end of a function";
  let arguments = (ins Variadic<AnyType>:$srcs);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($srcs^ `:` type($srcs))?";
}

def TT_GetProgramIdOp : TT_Op<"get_program_id", [Pure]> {
  let summary = "index of this program instance along one axis of the grid";
  let arguments = (ins TT_ProgramDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def TT_GetNumProgramsOp : TT_Op<"get_num_programs", [Pure]> {
  let summary = "number of program instances along one axis of the grid";
  let arguments = (ins TT_ProgramDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def TT_MakeRangeOp : TT_Op<"make_range", [Pure]> {
  let summary = "the integers start, start + 1, ..., end - 1";
  let description = [{
    - make_range_c1: `start` < `end`
    - make_range_c2: the result is 1-dimensional
    - make_range_c3: the result has `end` - `start` elements
    - make_range_c4: the elements are i32
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TT_SplatOp : TT_Op<"splat", [Pure, SameOperandsAndResultElementType]> {
  let summary = "a tensor whose every element is the operand";
  let arguments = (ins TT_Any:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_AddPtrOp : TT_Op<"addptr", [Pure, Elementwise, SameOperandsAndResultShape, LL_SameEncoding,
    TypesMatchWith<"result type is the pointer's type", "result", "ptr", "$_self">]> {
  let summary = "pointer plus a number of elements";
  let arguments = (ins TT_PtrLike:$ptr, TT_IntLike:$offset);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
}

def TT_LoadOp : TT_Op<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead<TT_GlobalMemory>]>,
    TypesMatchWith<"result is what the pointer points to", "ptr", "result",
                   "::ll::tt::pointeeLike($_self)">,
    TypesMatchWith<"mask is i1 in the pointer's shape and encoding", "ptr", "mask",
                   "::ll::tt::boolLike($_self)",
                   "!getMask() || std::equal_to<>()">,
    TypesMatchWith<"other is what the pointer points to", "ptr", "other",
                   "::ll::tt::pointeeLike($_self)", "!getOther() || std::equal_to<>()">]> {
  let summary = "read through a pointer or a tensor of pointers";
  let description = [{
    Elements whose mask is false are not read; they take the value of `other`, or an unspecified
    one where it is absent.
  }];
  let arguments = (ins TT_PtrLike:$ptr, Optional<TT_BoolLike>:$mask, Optional<TT_Any>:$other,
                       DefaultValuedAttr<TT_CacheModifier, "::ll::tt::CacheModifier::NONE">:$cache,
                       DefaultValuedAttr<TT_EvictionPolicy, "::ll::tt::EvictionPolicy::NORMAL">:$evict,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs TT_Any:$result);
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
}

def TT_StoreOp : TT_Op<"store", [MemoryEffects<[MemWrite<TT_GlobalMemory>]>,
    TypesMatchWith<"value is what the pointer points to", "ptr", "value",
                   "::ll::tt::pointeeLike($_self)">,
    TypesMatchWith<"mask is i1 in the pointer's shape and encoding", "ptr", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">]> {
  let summary = "write through a pointer or a tensor of pointers";
  let arguments = (ins TT_PtrLike:$ptr, TT_Any:$value, Optional<TT_BoolLike>:$mask,
                       DefaultValuedAttr<TT_CacheModifier, "::ll::tt::CacheModifier::NONE">:$cache,
                       DefaultValuedAttr<TT_EvictionPolicy, "::ll::tt::EvictionPolicy::NORMAL">:$evict);
  let assemblyFormat = [{
    $ptr `,` $value (`,` $mask^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
}

def TT_ExpandDimsOp : TT_Op<"expand_dims", [Pure, SameOperandsAndResultElementType]> {
  let summary = "insert a dimension of size 1";
  let description = [{
    - expand_dims_c1: `axis` is at most the operand's rank
    - expand_dims_c2: the result's shape is the operand's with a 1 inserted at `axis`
    - expand_dims_c3: the operand's encoding is a slice of the result's along `axis`
  }];
  let arguments = (ins TT_Tensor:$src, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_BroadcastOp : TT_Op<"broadcast", [Pure, SameOperandsAndResultElementType, LL_SameEncoding]> {
  let summary = "repeat dimensions of size 1";
  let description = [{
    - broadcast_c1: operand and result have the same rank
    - broadcast_c2: a dimension that changes has size 1 in the operand
  }];
  let arguments = (ins TT_Any:$src);
  let results = (outs TT_Any:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_TransOp : TT_Op<"trans", [Pure, SameOperandsAndResultElementType]> {
  let summary = "permute dimensions";
  let description = [{
    - trans_c1: `order` has one entry per dimension
    - trans_c2: `order` is a permutation
    - trans_c3: dimension i of the result has the size of dimension `order[i]` of the operand
    - trans_c4: the result's layout is the operand's with its dimensions permuted
  }];
  let arguments = (ins TT_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_ReshapeOp : TT_Op<"reshape", [Pure, SameOperandsAndResultElementType]> {
  let summary = "the same elements in another shape";
  let description = [{
    Without `allow_reorder` elements keep their row-major position.
    - reshape_c1: operand and result have the same number of elements
    - reshape_c2: both or neither have an encoding
    - reshape_c3: without `allow_reorder`, the result's layout is the operand's, reshaped
  }];
  let arguments = (ins TT_Tensor:$src, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)?
    attr-dict `:` type($src) `->` type($result)
  }];
}

def TT_JoinOp : TT_Op<"join", [Pure, SameTypeOperands]> {
  let summary = "two tensors side by side along a new last dimension";
  let description = [{
    - join_c1: the result's shape is the operands' with a 2 appended
    - join_c2: the result's layout is the operands' plus one register along the new dimension
  }];
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
}

def TT_SplitOp : TT_Op<"split", [Pure,
    TypesMatchWith<"both results have one type", "outLHS", "outRHS", "$_self">]> {
  let summary = "take the two halves of a last dimension of size 2 apart";
  let description = [{
    - split_c1: the operand's last dimension has size 2
    - split_c2: that dimension lies in the registers of one thread
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$outLHS, TT_Tensor:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
}

#endif
