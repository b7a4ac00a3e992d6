// Accessors for operations and LLVM types that MLIR's C API lacks.
#include "dialect/Bridge.h"
#include "linear-layout-mlir/src/sys/bridge.rs.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

using namespace mlir;
using namespace ll;

MlirAttribute bridge::properties(MlirOperation op) {
  return wrap(unwrap(op)->getPropertiesAsAttribute());
}

bridge::ArrayInfo bridge::array_info(MlirType type) {
  auto array = dyn_cast<LLVM::LLVMArrayType>(unwrap(type));
  if (!array)
    return {};
  return {wrap(array.getElementType()), array.getNumElements()};
}
