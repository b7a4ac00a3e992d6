// Types of `ttng`.
#ifndef LL_TRITONNVIDIAGPU_TYPES
#define LL_TRITONNVIDIAGPU_TYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "TritonNvidiaGPUDialect.td"

def TTNG_TensorDescIm2ColType
    : TypeDef<TritonNvidiaGPU_Dialect, "TensorDescIm2Col", [ShapedTypeInterface]> {
  let mnemonic = "tensordesc_im2col";
  let summary = "an image in global memory that is read as the matrix of a convolution";
  let description = [{
    `!ttng.tensordesc_im2col<64x32xf16, #shared>` has the same parameters as `!tt.tensordesc`.
    - tensordesc_im2col_c1: blocks must have rank 2
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        OptionalParameter<"::mlir::Attribute">:$sharedLayout);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    bool hasRank() const { return true; }
    TensorDescIm2ColType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape,
                                   ::mlir::Type elementType) const {
      return get(getContext(), shape.value_or(getShape()), elementType, getSharedLayout());
    }
  }];
}

#endif
