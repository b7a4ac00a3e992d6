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
    `!ttg.memdesc<64x32xf16, #shared, #smem, mutable, 2x64x32>`: shape and element type, encoding,
    memory space, whether it may be written, and the shape of the whole allocation where that
    differs.
    - memdesc_c1: it has at least one dimension
    - memdesc_c2: no dimension has size 0
    - memdesc_c3: a view has at most the dimensions of its allocation
    - memdesc_c4: a view lies within its allocation
    - memdesc_c5: the encoding lays out memory, for the rank of the buffer or of one in a row of them
    - memdesc_c6: it is in the memory that the encoding is for
    - memdesc_c7: elements have a width that the memory can hold
    - memdesc_c8: sizes are powers of two, but for the number of buffers in a row
    - memdesc_c9: the encoding has a layout on the allocation's shape
    - memdesc_c10: in tensor memory, it has at least a block of the encoding
    - memdesc_c11: scales in tensor memory have rank 2
    - memdesc_c12: rows of a swizzled buffer are at least as long as the swizzle
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
  let summary = "orders the operations that start, commit and await asynchronous work";
}

def TTG_TensorOrMemDesc : AnyTypeOf<[AnyRankedTensor, TTG_MemDescType], "tensor or memdesc">;

#endif
