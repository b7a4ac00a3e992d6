// Kinds of operations, numbered as in the generated Rust enums.
#include "dialect/Bridge.h"
#include "dialect/Dialects.h"
#include "linear-layout-mlir/src/sys/bridge.rs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace {

// Kinds by TypeID, without comparison of names.
struct Numbers {
  llvm::DenseMap<TypeID, ll::bridge::OpNumber> of;

  Numbers() {
    uint16_t own = 0, upstream = 0;
#define LL_OWN_OP(Op) of[TypeID::get<Op>()] = {1, own++};
#define LL_UPSTREAM_OP(Op) of[TypeID::get<Op>()] = {2, upstream++};
#define LL_CANONICALISED_OP(Op)
#include "OpKinds.inc"
#undef LL_OWN_OP
#undef LL_UPSTREAM_OP
#undef LL_CANONICALISED_OP
  }
};

} // namespace

ll::bridge::OpNumber ll::bridge::op_number(MlirOperation op) {
  static const Numbers numbers;
  return numbers.of.lookup(unwrap(op)->getName().getTypeID());
}
