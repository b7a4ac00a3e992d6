// Types of `ttg`.
#ifndef LL_TRITONGPU_TYPES
#define LL_TRITONGPU_TYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "TritonGPUDialect.td"

def TTG_MemDescType : TypeDef<TritonGPU_Dialect, "MemDesc", [ShapedTypeInterface]> {
  let mnemonic = "memdesc";
  let summary = "a view of a buffer in shared or tensor memory";
  let description = [{
    `!ttg.memdesc<64x32xf16, #shared, #smem, mutable, 2x64x32>` contains the shape and the element
    type of the view, its encoding, its memory space, `mutable` if the buffer may be written, and the
    shape of the whole allocation if it differs from the shape of the view.
    - memdesc_c1: a buffer must have at least one dimension
    - memdesc_c2: no dimension may have size 0
    - memdesc_c3: the rank of a view must not exceed the rank of its allocation
    - memdesc_c4: a view must fit its allocation
    - memdesc_c5: the encoding must be a memory encoding of the buffer's rank, or of one dimension less for a
      multi-buffer
    - memdesc_c6: a buffer must be in the memory space of its encoding
    - memdesc_c7: the element width must be one that the memory supports
    - memdesc_c8: sizes must be powers of two, except the number of buffers of a multi-buffer
    - memdesc_c9: the encoding must have a layout for the shape of the allocation
    - memdesc_c10: a buffer in tensor memory must have at least one block of its encoding
    - memdesc_c11: scales in tensor memory must have rank 2
    - memdesc_c12: the rows of a swizzled buffer must be at least as long as the swizzle
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "::mlir::Attribute":$encoding, "::mlir::Attribute":$memorySpace,
                        "bool":$mutableMemory, ArrayRefParameter<"int64_t">:$allocShape);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    bool hasRank() const { return true; }
    MemDescType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape,
                          ::mlir::Type elementType) const;
  }];
}

def TTG_AsyncToken : TypeDef<TritonGPU_Dialect, "AsyncToken"> {
  let mnemonic = "async.token";
  let summary = "a token that orders operations that start, commit and await asynchronous work";
}

def TTG_TensorOrMemDesc : AnyTypeOf<[AnyRankedTensor, TTG_MemDescType], "tensor or memdesc">;

#endif
