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
include "TritonAttrs.td"
include "TritonEnums.td"
include "TritonTypes.td"

class TT_Op<string mnemonic, list<Trait> traits = []>
    : Op<Triton_Dialect, mnemonic, !listconcat(traits, [LL_Verified])>;

def TT_FuncOp : TT_Op<"func", [LL_Opaque, AffineScope, AutomaticAllocationScope, CallableOpInterface,
                               FunctionOpInterface, IsolatedFromAbove, OpAsmOpInterface]> {
  let summary = "function or kernel";
  let description = [{
    A `public` function is a kernel. The argument attribute `tt.divisibility` guarantees that the
    address of a pointer in bytes, or the value of an integer, is a multiple of the attribute's value.
    - tt_c1: a tensor of a `tt` operation must have at most 2^20 elements
    - tt_c2: the number of elements of a tensor of a `tt` operation must be a power of two
    - func_c1: the value of an axis hint, as `tt.divisibility`, must be a positive power of two
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    // A symbol that is declared, not defined, is private: MLIR checks it.
    bool isDeclaration() { return isExternal(); }
    ::mlir::Region *getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getCallableResults() { return getFunctionType().getResults(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
  }];
}

def TT_ReturnOp : TT_Op<"return", [LL_Unanalysed, Pure, HasParent<"FuncOp">, ReturnLike, Terminator]> {
  let summary = "terminator of a function";
  let description = [{
    - return_c1: the operands must have the types of the results of the function
  }];
  let arguments = (ins Variadic<AnyType>:$srcs);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
  let assemblyFormat = "attr-dict ($srcs^ `:` type($srcs))?";
  let hasVerifier = 1;
}

def TT_GetProgramIdOp : TT_Op<"get_program_id", [LL_FixedLayouts, LL_NoSharedMemory, Pure]> {
  let summary = "index of this program instance along one axis of the grid";
  let arguments = (ins TT_ProgramDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def TT_GetNumProgramsOp : TT_Op<"get_num_programs", [LL_FixedLayouts, LL_NoSharedMemory, Pure]> {
  let summary = "number of program instances along one axis of the grid";
  let arguments = (ins TT_ProgramDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def TT_MakeRangeOp : TT_Op<"make_range", [LL_NoSharedMemory, LL_Canonicalized, Pure]> {
  let summary = "the integers start, start + 1, ..., end - 1";
  let description = [{
    - make_range_c1: `start` < `end`
    - make_range_c2: the result must have rank 1
    - make_range_c3: the result must have `end` - `start` elements
    - make_range_c4: the elements must be i32
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TT_SplatOp : TT_Op<"splat", [LL_NoSharedMemory, LL_Canonicalized, Pure, SameOperandsAndResultElementType]> {
  let summary = "a tensor in which every element equals the operand";
  let arguments = (ins TT_Any:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_AddPtrOp : TT_Op<"addptr", [LL_Canonicalized, Pure, Elementwise, SameOperandsAndResultShape, LL_SameEncoding,
    TypesMatchWith<"result type is the pointer's type", "result", "ptr", "$_self">]> {
  let summary = "a pointer advanced by a number of elements";
  let arguments = (ins TT_PtrLike:$ptr, TT_IntLike:$offset);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
}

def TT_LoadOp : TT_Op<"load", [LL_UnknownAxes, LL_NoSharedMemory, LL_Canonicalized, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    TypesMatchWith<"result type matches the pointee type of ptr", "ptr", "result",
                   "::ll::tt::pointeeLike($_self)">,
    TypesMatchWith<"mask is i1 with the pointer's shape and encoding", "ptr", "mask",
                   "::ll::tt::boolLike($_self)",
                   "!getMask() || std::equal_to<>()">,
    TypesMatchWith<"other type matches the pointee type of ptr", "ptr", "other",
                   "::ll::tt::pointeeLike($_self)", "!getOther() || std::equal_to<>()">]> {
  let summary = "read through a pointer or a tensor of pointers";
  let description = [{
    Elements whose mask is false are not read. Their results are the elements of `other`, or
    unspecified values if `other` is absent. A volatile read without uses is not removed.

    - load_c1: the cache modifier must be one of loads, without `wb` and `wt`
  }];
  let arguments = (ins TT_PtrLike:$ptr, Optional<TT_BoolLike>:$mask, Optional<TT_Any>:$other,
                       OptionalAttr<LL_CachePolicy>:$cachePolicy,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs TT_Any:$result);
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)?
    attr-dict `:` type($ptr)
  }];
}

def TT_StoreOp : TT_Op<"store", [LL_UnknownAxes, LL_NoSharedMemory, LL_Canonicalized, MemoryEffects<[MemWrite<TT_GlobalMemory>]>,
    TypesMatchWith<"value type matches the pointee type of ptr", "ptr", "value",
                   "::ll::tt::pointeeLike($_self)">,
    TypesMatchWith<"mask is i1 with the pointer's shape and encoding", "ptr", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">]> {
  let summary = "write through a pointer or a tensor of pointers";
  let description = [{
    - store_c1: the cache modifier must be one of stores, without `ca` and `cv`
  }];
  let arguments = (ins TT_PtrLike:$ptr, TT_Any:$value, Optional<TT_BoolLike>:$mask,
                       OptionalAttr<LL_CachePolicy>:$cachePolicy, UnitAttr:$ignore_cta);
  let assemblyFormat = [{
    $ptr `,` $value (`,` $mask^)?
    attr-dict `:` type($ptr)
  }];
}

def TT_ExpandDimsOp : TT_Op<"expand_dims", [LL_NoSharedMemory, LL_Canonicalized, Pure, SameOperandsAndResultElementType]> {
  let summary = "insert a dimension of size 1";
  let description = [{
    - expand_dims_c1: `axis` must be at most the operand's rank
    - expand_dims_c2: the result's shape must be the operand's shape with a 1 inserted at `axis`
    - expand_dims_c3: the operand's encoding must be the slice of the result's encoding along `axis`
    - expand_dims_c4: both operand and result must have an encoding, or neither
  }];
  let arguments = (ins TT_Tensor:$src, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_BroadcastOp : TT_Op<"broadcast", [LL_NoSharedMemory, LL_Canonicalized, Pure, SameOperandsAndResultElementType]> {
  let summary = "repeat a tensor along dimensions of size 1";
  let description = [{
    - broadcast_c1: operand and result must have the same rank
    - broadcast_c2: a dimension whose size changes must have size 1 in the operand
    - broadcast_c3: both encodings must have the same layout on the operand's shape
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_TransOp : TT_Op<"trans", [LL_NoSharedMemory, LL_Canonicalized, Pure, SameOperandsAndResultElementType]> {
  let summary = "permute dimensions";
  let description = [{
    - trans_c1: `order` must have one entry per dimension
    - trans_c2: `order` must be a permutation of the dimensions
    - trans_c3: dimension i of the result must have the size of dimension `order[i]` of the operand
    - trans_c4: the result's layout must be the operand's layout with permuted dimensions
    - trans_c5: both operand and result must have an encoding, or neither
  }];
  let arguments = (ins TT_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_ReshapeOp : TT_Op<"reshape", [LL_NoSharedMemory, LL_Canonicalized, Pure, SameOperandsAndResultElementType]> {
  let summary = "a tensor with the same elements in another shape";
  let description = [{
    Without `allow_reorder`, elements keep their row-major position. With `allow_reorder`, elements
    may be permuted, but every thread keeps its number of elements.
    - reshape_c1: operand and result must have the same number of elements
    - reshape_c2: both operand and result must have an encoding, or neither
    - reshape_c3: the result's layout must be the reshaped layout of the operand; with `allow_reorder`, the
      result must have the operand's number of elements per thread and the operand's replication
  }];
  let arguments = (ins TT_Tensor:$src, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)?
    attr-dict `:` type($src) `->` type($result)
  }];
}

def TT_JoinOp : TT_Op<"join", [LL_NoSharedMemory, Pure, SameTypeOperands]> {
  let summary = "a tensor that contains two tensors along a new last dimension of size 2";
  let description = [{
    - join_c1: the result's shape must be the operands' shape with a 2 appended
    - join_c2: the result's layout must be the operands' layout with one register basis along the new
      dimension
    - join_c3: operands and result must have the same element type
    - join_c4: both operands and result must have an encoding, or neither
  }];
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
}

def TT_SplitOp : TT_Op<"split", [LL_NoSharedMemory, LL_Canonicalized, Pure,
    TypesMatchWith<"both results have the same type", "outLHS", "outRHS", "$_self">]> {
  let summary = "split a tensor along its last dimension of size 2";
  let description = [{
    - split_c1: the operand's last dimension must have size 2
    - split_c2: the operand's last dimension must lie within one thread
    - split_c3: the results' shape must be the operand's shape without the last dimension
    - split_c4: operand and results must have the same element type
    - split_c5: both operand and results must have an encoding, or neither
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$outLHS, TT_Tensor:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
}


//===-- Products and reductions -------------------------------------------------------------===//

def TT_DotOp : TT_Op<"dot", [LL_Unanalysed, Pure,
    TypesMatchWith<"result has the accumulator's type", "d", "c", "$_self">]> {
  let summary = "matrix product";
  let description = [{
    `d = a * b + c`. `inputPrecision` is the precision of f32 operands.
    - dot_c1: `a` and `b` must have elements of the same width
    - dot_c2: the shapes must be M x K, K x N and M x N, with the same leading dimensions
    - dot_c3: both `a` and `b` must have an encoding, or neither
    - dot_c4: the result must have an encoding if the operands have one
    - dot_c5: both operands must have the same `kWidth`
    - dot_c6: `mma` of version 2 supports floats and i8, and f32 only with `inputPrecision = tf32`
    - dot_c7: for `#ttg.nvidia_mma`, K must be at least 4 times `kWidth`
    - dot_c8: the operands' encoding must be `#ttg.dot_op`, or `#ttg.linear` for both
    - dot_c9: `opIdx` must be 0 in the encoding of `a`, and 1 in that of `b`
    - dot_c10: the parent of the operands' encodings must be the result's encoding
    - dot_c11: for `#ttg.amd_wmma`, each CTA must hold distinct elements of the result
    - dot_c12: for `#ttg.amd_wmma`, the operands must be split over CTAs as the result
  }];
  let arguments = (ins TT_FpIntTensor:$a, TT_FpIntTensor:$b, TT_FpIntTensor:$c,
                       DefaultValuedAttr<TT_InputPrecision, "::ll::tt::InputPrecision::IEEE">:$inputPrecision,
                       DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs TT_FpIntTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict
    `:` type($a) `*` type($b) `->` type($d)
  }];
}

def TT_ReduceOp : TT_Op<"reduce", [LL_UnknownAxes, Pure, SameOperandsShape, LL_SameOperandsEncoding, SingleBlock]> {
  let summary = "combine the elements along one dimension";
  let description = [{
    The region combines two elements of each operand. This operation must be associative.
    - reduce_c1: there must be at least one operand
    - reduce_c2: the number of results must be the number of operands
    - reduce_c3: `axis` must be a dimension of the operands
    - reduce_c4: a result must have the type of its operand without `axis`, which is a scalar for an operand
      of rank 1
    - reduce_c5: a result's encoding must be the slice of its operand's encoding along `axis`
    - reduce_c6: the arguments of the region must be two elements of each operand
    - reduce_c7: the region must yield one element of each operand
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<TT_Any>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
}

def TT_ReduceReturnOp : TT_Op<"reduce.return", [LL_Unanalysed, LL_NoSharedMemory, HasParent<"ReduceOp">, Pure, Terminator,
                                                ReturnLike]> {
  let summary = "terminator of the region of `tt.reduce`, with the combined elements";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_DotScaledOp : TT_Op<"dot_scaled", [LL_Unanalysed, Pure, AttrSizedOperandSegments,
    TypesMatchWith<"result has the accumulator's type", "d", "c", "$_self">]> {
  let summary = "matrix product of operands with a scale per block of elements";
  let description = [{
    `d = (a * a_scale) * (b * b_scale) + c`. Each byte contains two 4-bit elements. `lhs_k_pack` and
    `rhs_k_pack` are true if the two elements are neighbours along K.
    - dot_scaled_c1: the operands must have rank 2 or 3
    - dot_scaled_c2: operands and result must have the same rank
    - dot_scaled_c3: the shapes must be M x K, K x N and M x N, where a pair of 4-bit elements counts as two
    - dot_scaled_c4: there must be one scale per 16 or 32 elements along K
    - dot_scaled_c5: there must be scales for each row of `a` and each column of `b`
    - dot_scaled_c6: the number of elements per scale must be the same in `a` and `b`
    - dot_scaled_c7: for `#ttg.amd_wmma`, each CTA must hold distinct elements of the result
    - dot_scaled_c8: for `#ttg.amd_wmma`, the operands must be split over CTAs as the result
    - dot_scaled_c9: for `#ttg.amd_wmma`, scales must be split over CTAs as their operands
  }];
  let arguments = (ins RankedTensorOf<[TT_Float, I8]>:$a, RankedTensorOf<[TT_Float, I8]>:$b,
                       TT_FloatTensor:$c, Optional<RankedTensorOf<[TT_Float, I8]>>:$a_scale,
                       Optional<RankedTensorOf<[TT_Float, I8]>>:$b_scale,
                       TT_ScaleDotElemType:$a_elem_type, TT_ScaleDotElemType:$b_elem_type,
                       BoolAttr:$fastMath, DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack,
                       DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs TT_FloatTensor:$d);
  let assemblyFormat = [{
    $a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c
    `lhs` `=` $a_elem_type `rhs` `=` $b_elem_type attr-dict
    `:` type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)
  }];
}

def TT_ScanOp : TT_Op<"scan", [LL_UnknownAxes, Pure, SameOperandsAndResultShape, LL_SameEncoding, SingleBlock]> {
  let summary = "combine each element with all preceding elements along one dimension";
  let description = [{
    - scan_c1: there must be at least one operand
    - scan_c2: the number of results must be the number of operands
    - reduce_c3: `axis` must be a dimension of the operands
    - scan_c4: a result must have the type of its operand
    - reduce_c6: the arguments of the region must be two elements of each operand
    - reduce_c7: the region must yield one element of each operand
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis, BoolAttr:$reverse);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
}

def TT_ScanReturnOp : TT_Op<"scan.return", [LL_Unanalysed, LL_NoSharedMemory, HasParent<"ScanOp">, Pure, Terminator, ReturnLike]> {
  let summary = "terminator of the region of `tt.scan`, with the combined elements";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_HistogramOp : TT_Op<"histogram", [LL_Unanalysed, LL_Canonicalized, Pure,
    TypesMatchWith<"mask is i1 with the operand's shape and encoding", "src", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">]> {
  let summary = "count the occurrences of each integer from 0 in a tensor";
  let arguments = (ins TT_IntTensor:$src, Optional<TT_BoolLike>:$mask);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)";
}

def TT_GatherOp : TT_Op<"gather", [LL_UnknownAxes, LL_Canonicalized, Pure]> {
  let summary = "select elements by their indices along one dimension";
  let description = [{
    For `axis = 0`, `result[i, j] = src[indices[i, j], j]`.
    - gather_c1: indices and result must have the same shape
    - gather_c2: indices and result must have the same encoding
    - gather_c3: operand and result must have the same element type
    - gather_c4: operand and indices must have the same rank
    - gather_c5: `axis` must be a dimension of the operand
    - gather_c6: operand and indices must have the same size in dimensions other than `axis`
  }];
  let arguments = (ins TT_Tensor:$src, TT_IntTensor:$indices, I32Attr:$axis,
                       UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)";
}

//===-- Element by element ------------------------------------------------------------------===//

class TT_Cast<string mnemonic, TypeConstraint from, TypeConstraint to, list<Trait> traits = []>
    : TT_Op<mnemonic, !listconcat(traits, [Pure, Elementwise, SameOperandsAndResultShape,
                                           LL_SameEncoding])> {
  let arguments = (ins from:$src);
  let results = (outs to:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

def TT_IntToPtrOp : TT_Cast<"int_to_ptr", TT_I64Like, TT_PtrLike> {
  let summary = "convert an address to a pointer";
}

def TT_PtrToIntOp : TT_Cast<"ptr_to_int", TT_PtrLike, TT_I64Like> {
  let summary = "convert a pointer to an address";
}

def TT_BitcastOp : TT_Cast<"bitcast", TT_Any, TT_Any, [LL_Canonicalized]> {
  let summary = "reinterpret the bits of a value as another type";
  let description = [{
    - bitcast_c1: pointer operand and result must have the same address space
    - bitcast_c2: both operand and result must be pointers, or neither
    - bitcast_c3: operand and result must have the same bit width
  }];
}

def TT_FpToFpOp : TT_Op<"fp_to_fp", [LL_UnknownAxes, Pure, Elementwise, SameOperandsAndResultShape,
                                     LL_SameEncoding]> {
  let summary = "convert between floating-point types";
  let description = [{
    - fp_to_fp_c1: a narrowing conversion must have a rounding mode
  }];
  let arguments = (ins TT_FloatLike:$src, OptionalAttr<TT_RoundingMode>:$rounding);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = [{
    $src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)
  }];
}

def TT_ClampFOp : TT_Op<"clampf", [LL_UnknownAxes, Pure, Elementwise, SameOperandsAndResultType, LL_SameEncoding]> {
  let summary = "limit a number to the range between two bounds";
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$min, TT_FloatLike:$max,
                       TT_PropagateNan:$propagateNan);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = [{
    $x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)
  }];
}

def TT_PreciseSqrtOp : TT_Op<"precise_sqrt", [LL_UnknownAxes, Pure, Elementwise, SameOperandsAndResultType, LL_SameEncoding]> {
  let summary = "square root, rounded to nearest";
  let arguments = (ins TT_FloatLike:$x);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

class TT_Binary<string mnemonic, TypeConstraint type>
    : TT_Op<mnemonic, [LL_UnknownAxes, Pure, Elementwise, SameOperandsAndResultType, LL_SameEncoding]> {
  let arguments = (ins type:$x, type:$y);
  let results = (outs type:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def TT_PreciseDivFOp : TT_Binary<"precise_divf", TT_FloatLike> {
  let summary = "quotient, rounded to nearest";
}

def TT_ApproxDivFOp : TT_Binary<"approx_divf", TT_F32Like> {
  let summary = "quotient, computed by the hardware's fast approximate division";
}

def TT_MulhiUIOp : TT_Binary<"mulhiui", TT_IntLike> {
  let summary = "the upper half of the product of unsigned integers";
}

def TT_MapElementwiseOp : TT_Op<"map_elementwise", [LL_UnknownAxes, LL_NoSharedMemory, SameOperandsAndResultShape, LL_SameEncoding,
                                                    RecursiveMemoryEffects]> {
  let summary = "run a region on every element, `pack` elements at a time";
  let description = [{
    - map_elementwise_c1: there must be at least one operand
    - map_elementwise_c2: `pack` must be a power of two
    - map_elementwise_c3: the arguments of the region must be `pack` elements of each operand
    - map_elementwise_c4: the region must yield `pack` elements of each result
    - map_elementwise_c5: the region must not write to memory
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region AnyRegion:$scalarOp);
}

def TT_MapElementwiseReturnOp : TT_Op<"map_elementwise.return", [LL_Unanalysed, LL_NoSharedMemory, HasParent<"MapElementwiseOp">,
                                                                 Pure, Terminator, ReturnLike]> {
  let summary = "terminator of the region of `tt.map_elementwise`, with the result elements";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "attr-dict ($result^ `:` type($result))?";
}

def TT_ExternElementwiseOp : TT_Op<"extern_elementwise", [LL_UnknownAxes, Elementwise, LL_SameEncoding,
    SameVariadicOperandSize, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    ConditionallySpeculatable]> {
  let summary = "call a function of a library on every element";
  let arguments = (ins Variadic<TT_Any>:$srcs, StrAttr:$libname, StrAttr:$libpath, StrAttr:$symbol,
                       BoolAttr:$pure);
  let results = (outs TT_Any:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = [{
    ::mlir::Speculation::Speculatability getSpeculatability() {
      return getPure() ? ::mlir::Speculation::Speculatable : ::mlir::Speculation::NotSpeculatable;
    }
  }];
}

def TT_ElementwiseInlineAsmOp : TT_Op<"elementwise_inline_asm", [LL_UnknownAxes, Elementwise, LL_SameEncoding,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, ConditionallySpeculatable]> {
  let summary = "assembly run on groups of elements";
  let description = [{
    - elementwise_inline_asm_c1: the number of elements of an operand must be a multiple of `packed_element`
    - elementwise_inline_asm_c2: there must be at least one result
  }];
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure,
                       I32Attr:$packed_element, Variadic<AnyTypeOf<[TT_Any]>>:$args);
  let results = (outs Variadic<TT_Any>:$result);
  let assemblyFormat = [{
    $asm_string attr-dict ($args^ `:` type($args))? `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::Speculation::Speculatability getSpeculatability() {
      return getPure() ? ::mlir::Speculation::Speculatable : ::mlir::Speculation::NotSpeculatable;
    }
  }];
}

//===-- Tensors and numbers -----------------------------------------------------------------===//

def TT_UnsplatOp : TT_Op<"unsplat", [LL_FixedLayouts, LL_NoSharedMemory, Pure,
    TypesMatchWith<"result type is the operand's element type", "src", "result",
                   "::mlir::getElementTypeOrSelf($_self)">]> {
  let summary = "the only element of a tensor with one element";
  let description = [{
    - unsplat_c1: the operand must have exactly one element
  }];
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Any:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
}

def TT_CatOp : TT_Op<"cat", [LL_Unanalysed, LL_NoSharedMemory, NoMemoryEffect, SameTypeOperands,
                             SameOperandsAndResultElementType]> {
  let summary = "a tensor with the elements of two tensors, in any order";
  let description = [{
    - cat_c1: the result must have as many elements as both operands together
    - cat_c2: the result must have as many elements per thread as both operands together
    - cat_c3: both operands and result must have an encoding, or neither
  }];
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
}

//===-- Atomic accesses ---------------------------------------------------------------------===//

def TT_AtomicRMWOp : TT_Op<"atomic_rmw", [LL_UnknownAxes, SameOperandsAndResultShape, LL_SameEncoding,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>,
    TypesMatchWith<"value type matches the pointee type of ptr", "ptr", "val",
                   "::ll::tt::pointeeLike($_self)">,
    TypesMatchWith<"mask is i1 with the value's shape and encoding", "val", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">]> {
  let summary = "update global memory atomically, and return the old value";
  let arguments = (ins TT_RMWOp:$atomic_rmw_op, TT_PtrLike:$ptr, TT_Any:$val,
                       Optional<TT_BoolLike>:$mask, TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_Any:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict
    `:` functional-type(operands, $result)
  }];
}

def TT_AtomicCASOp : TT_Op<"atomic_cas", [LL_UnknownAxes, SameOperandsAndResultShape, LL_SameEncoding,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>,
    TypesMatchWith<"type of `cmp` matches the pointee type of ptr", "ptr", "cmp",
                   "::ll::tt::pointeeLike($_self)">,
    TypesMatchWith<"value type matches the pointee type of ptr", "ptr", "val",
                   "::ll::tt::pointeeLike($_self)">]> {
  let summary = "store to global memory atomically if it holds an expected value";
  let arguments = (ins TT_PtrLike:$ptr, TT_Any:$cmp, TT_Any:$val, TT_MemSemantic:$sem,
                       TT_MemSyncScope:$scope);
  let results = (outs TT_Any:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)
  }];
}

def TT_AtomicLoadOp : TT_Op<"atomic_load", [LL_UnknownAxes, SameOperandsAndResultShape, LL_SameEncoding,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>,
    TypesMatchWith<"result type matches the pointee type of ptr", "ptr", "result",
                   "::ll::tt::pointeeLike($_self)">,
    TypesMatchWith<"mask is i1 with the pointer's shape and encoding", "ptr", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">]> {
  let summary = "read global memory atomically";
  let description = [{
    - atomic_load_c1: the memory semantics must be `relaxed` or `acquire`
    - atomic_load_c2: an element must have at least 8 bits
  }];
  let arguments = (ins TT_PtrLike:$ptr, Optional<TT_BoolLike>:$mask, TT_MemSemantic:$sem,
                       TT_MemSyncScope:$scope);
  let results = (outs TT_Any:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr (`,` $mask^)? attr-dict `:` functional-type(operands, $result)
  }];
}

def TT_AtomicStoreOp : TT_Op<"atomic_store", [LL_Unanalysed, SameOperandsShape, LL_SameOperandsEncoding,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>,
    TypesMatchWith<"value type matches the pointee type of ptr", "ptr", "value",
                   "::ll::tt::pointeeLike($_self)">,
    TypesMatchWith<"mask is i1 with the pointer's shape and encoding", "ptr", "mask",
                   "::ll::tt::boolLike($_self)", "!getMask() || std::equal_to<>()">]> {
  let summary = "write global memory atomically";
  let description = [{
    - atomic_store_c1: the memory semantics must be `relaxed` or `release`
    - atomic_store_c2: an element must have at least 8 bits
  }];
  let arguments = (ins TT_PtrLike:$ptr, TT_Any:$value, Optional<TT_BoolLike>:$mask,
                       TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $value (`,` $mask^)? attr-dict `:` type($ptr)
  }];
}

def TT_AtomicPollOp : TT_Op<"atomic_poll", [LL_Unanalysed,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>,
    TypesMatchWith<"type of `expected` matches the pointee type of ptr", "ptr", "expected",
                   "::ll::tt::pointeeLike($_self)">,
    TypesMatchWith<"result type is i1 with the shape and encoding of operand `expected`", "expected",
                   "result", "::ll::tt::boolLike($_self)">]> {
  let summary = "wait until global memory holds a value, or until a timeout";
  let description = [{
    - atomic_load_c1: the memory semantics must be `relaxed` or `acquire`
    - atomic_poll_c1: an element must have 16, 32 or 64 bits
  }];
  let arguments = (ins TT_PtrLike:$ptr, TT_IntLike:$expected, Optional<I64>:$timeout,
                       TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_BoolLike:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $expected (`timeout` $timeout^)? attr-dict
    `:` qualified(type($ptr)) `,` type($expected) `->` type($result)
  }];
}

//===-- Tensors in global memory ------------------------------------------------------------===//

def TT_MakeTensorDescOp : TT_Op<"make_tensor_descriptor", [LL_Opaque, Pure, SameVariadicOperandSize]> {
  let summary = "create a descriptor of a tensor in global memory, for block loads and stores";
  let arguments = (ins TT_PtrType:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
                       DefaultValuedAttr<TT_PaddingOption, "::ll::tt::PaddingOption::PAD_ZERO">:$padding);
  let results = (outs TT_TensorDescType:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)
  }];
}

def TT_DescriptorLoadOp : TT_Op<"descriptor_load", [LL_UnknownAxes, LL_NotLowered, MemoryEffects<[MemRead<TT_GlobalMemory>]>]> {
  let summary = "read a block";
  let description = [{
    - descriptor_load_c1: block and tensor must have the same element type, except for signedness
    - descriptor_load_c2: block and tensor must have the same number of elements
  }];
  let arguments = (ins TT_TensorDescType:$desc, Variadic<I32>:$indices,
                       OptionalAttr<LL_CachePolicy>:$cachePolicy);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]` attr-dict `:` qualified(type($desc)) `->` type($result)
  }];
}

def TT_DescriptorStoreOp : TT_Op<"descriptor_store", [LL_UnknownAxes, LL_NotLowered,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "write a block";
  let description = [{
    - descriptor_store_c1: block and tensor must have the same element type, except for signedness
    - descriptor_store_c2: block and tensor must have the same number of elements
  }];
  let arguments = (ins TT_TensorDescType:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
}

def TT_DescriptorReduceOp : TT_Op<"descriptor_reduce", [LL_UnknownAxes, LL_NotLowered,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "combine a block with global memory atomically";
  let description = [{
    - descriptor_reduce_c1: block and tensor must have the same element type, except for signedness
    - descriptor_reduce_c2: block and tensor must have the same number of elements
  }];
  let arguments = (ins TT_DescriptorReduceKind:$kind, TT_TensorDescType:$desc, TT_Tensor:$src,
                       Variadic<I32>:$indices);
  let assemblyFormat = [{
    $kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
}

def TT_DescriptorGatherOp : TT_Op<"descriptor_gather", [LL_Opaque,
    MemoryEffects<[MemRead<TT_GlobalMemory>]>]> {
  let summary = "read several rows, each as one block";
  let description = [{
    - descriptor_gather_c1: blocks must have rank 2
    - descriptor_gather_c2: blocks must have one row
    - descriptor_gather_c3: the row indices must have rank 1
    - descriptor_gather_c4: the tensor must have rank 2
    - descriptor_gather_c5: the tensor must have at least 8 rows
    - descriptor_gather_c6: the elements of the tensor must have at most 32 bits
    - descriptor_gather_c7: a row must have at least 32 bytes
    - descriptor_gather_c8: the tensor must have the number of columns of a block
    - descriptor_gather_c9: the tensor must have the element type of a block, except for signedness
    - descriptor_gather_c10: there must be one index per row
  }];
  let arguments = (ins TT_TensorDescType:$desc, RankedTensorOf<[I16, I32]>:$x_offsets, I32:$y_offset);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)
  }];
}

def TT_DescriptorScatterOp : TT_Op<"descriptor_scatter", [LL_Opaque,
    MemoryEffects<[MemRead<TT_GlobalMemory>, MemWrite<TT_GlobalMemory>]>]> {
  let summary = "write several rows, each as one block";
  let description = [{
    - descriptor_scatter_c1: blocks must have rank 2
    - descriptor_scatter_c2: blocks must have one row
    - descriptor_scatter_c3: the row indices must have rank 1
    - descriptor_scatter_c4: the tensor must have rank 2
    - descriptor_scatter_c5: the tensor must have at least 8 rows
    - descriptor_scatter_c6: the elements of the tensor must have at most 32 bits
    - descriptor_scatter_c7: a row must have at least 32 bytes
    - descriptor_scatter_c8: the tensor must have the number of columns of a block
    - descriptor_scatter_c9: the tensor must have the element type of a block, except for signedness
    - descriptor_scatter_c10: there must be one index per row
  }];
  let arguments = (ins TT_TensorDescType:$desc, RankedTensorOf<[I16, I32]>:$x_offsets, I32:$y_offset,
                       TT_Tensor:$src);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)
  }];
}

//===-- Functions and the host --------------------------------------------------------------===//

def TT_CallOp : TT_Op<"call", [LL_Unanalysed, CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "call a function of the module";
  let description = [{
    - call_c1: `callee` must name a `tt.func` of the module
    - call_c2: the operands must have the types of the arguments of the function
    - call_c3: the results must have the types of the results of the function
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>);
  let assemblyFormat = "$callee `(` $operands `)` attr-dict `:` functional-type($operands, results)";
  let extraClassDeclaration = [{
    operand_range getArgOperands() { return getOperands(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() { return getOperandsMutable(); }
    ::mlir::CallInterfaceCallable getCallableForCallee() { return getCalleeAttr(); }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(::llvm::cast<::mlir::FlatSymbolRefAttr>(::llvm::cast<::mlir::SymbolRefAttr>(callee)));
    }
  }];
}

def TT_PrintOp : TT_Op<"print", [LL_Unanalysed, LL_NoSharedMemory, SameVariadicOperandSize,
                                 MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "print values on the host, for debugging";
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex, Variadic<AnyTypeOf<[TT_Any]>>:$args,
                       DenseI32ArrayAttr:$isSigned);
  let assemblyFormat = "$prefix attr-dict (`:` $args^ `:` type($args))?";
}

def TT_AssertOp : TT_Op<"assert", [LL_UnknownAxes, MemoryEffects<[MemWrite<TT_GlobalMemory>]>]> {
  let summary = "stop the kernel if a condition is false";
  let arguments = (ins TT_BoolLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

def TT_GridDependencyWaitOp : TT_Op<"grid_dependency_wait", [LL_Unanalysed, LL_NoSharedMemory]> {
  let summary = "wait for the preceding kernels on which this kernel depends";
  let assemblyFormat = "attr-dict";
}

def TT_GridDependencyLaunchDependentsOp : TT_Op<"grid_dependency_launch_dependents", [LL_Unanalysed, LL_NoSharedMemory]> {
  let summary = "allow the kernels that depend on this kernel to start";
  let assemblyFormat = "attr-dict";
}

#endif
