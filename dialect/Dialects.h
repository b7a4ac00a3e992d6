// The generated classes of the dialects, and the traits their operations share.
#ifndef LL_DIALECT_DIALECTS_H
#define LL_DIALECT_DIALECTS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ll {

struct LayoutCacheHolder;

// Implemented in Rust (src/ir/verify.rs).
mlir::LogicalResult verifySameEncoding(mlir::Operation *op, bool results);
mlir::LogicalResult verifyOperation(mlir::Operation *op);

template <typename ConcreteType>
struct Verified : mlir::OpTrait::TraitBase<ConcreteType, Verified> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyOperation(op); }
};

template <typename ConcreteType>
struct SameEncoding : mlir::OpTrait::TraitBase<ConcreteType, SameEncoding> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifySameEncoding(op, true); }
};

template <typename ConcreteType>
struct SameOperandsEncoding : mlir::OpTrait::TraitBase<ConcreteType, SameOperandsEncoding> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifySameEncoding(op, false);
  }
};

// Returns true if a dialect has encodings of this project.
bool hasEncodings(const mlir::Dialect &dialect);

// Returns true for a cache policy.
bool isCachePolicy(mlir::Attribute attr);

namespace tt {

struct GlobalMemory : mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() final { return "<GlobalMemory>"; }
};

// The name of a pointer's address space, as in `!tt.ptr<f32, "constant">`.
mlir::FailureOr<int> parseAddressSpace(mlir::AsmParser &parser);
void printAddressSpace(mlir::AsmPrinter &printer, int space);

// The type with its shape and encoding, if any, and another element.
mlir::Type withElement(mlir::Type type, mlir::Type element);
// For a pointer or a tensor of pointers: the pointee type, in the same shape and encoding.
mlir::Type pointeeLike(mlir::Type pointers);
// i1 in the shape and encoding of `type`.
mlir::Type boolLike(mlir::Type type);

} // namespace tt

namespace ttg {

struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "<SharedMemory>"; }
};

} // namespace ttg

namespace ttng {

struct TensorMemory : mlir::SideEffects::Resource::Base<TensorMemory> {
  llvm::StringRef getName() final { return "<TensorMemory>"; }
};

} // namespace ttng
} // namespace ll

#include "TritonOps.dialect.h.inc"
#include "TritonGPUOps.dialect.h.inc"
#include "TritonNvidiaGPUOps.dialect.h.inc"
#include "TritonAMDGPUOps.dialect.h.inc"
#include "CuteAttrs.dialect.h.inc"
#include "TilusAttrs.dialect.h.inc"
#include "GluonOps.dialect.h.inc"

#include "TritonEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "TritonOps.attrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "TritonOps.types.h.inc"
#define GET_ATTRDEF_CLASSES
#include "TritonGPUOps.attrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "TritonGPUOps.types.h.inc"

#define GET_ATTRDEF_CLASSES
#include "TritonNvidiaGPUOps.attrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "TritonNvidiaGPUOps.types.h.inc"

#define GET_ATTRDEF_CLASSES
#include "CuteAttrs.attrs.h.inc"
#define GET_ATTRDEF_CLASSES
#include "TilusAttrs.attrs.h.inc"
#define GET_ATTRDEF_CLASSES
#include "GluonOps.attrs.h.inc"

#define GET_OP_CLASSES
#include "TritonOps.h.inc"
#define GET_OP_CLASSES
#include "TritonGPUOps.h.inc"
#define GET_OP_CLASSES
#include "TritonNvidiaGPUOps.h.inc"
#define GET_OP_CLASSES
#include "TritonAMDGPUOps.h.inc"
#define GET_OP_CLASSES
#include "GluonOps.h.inc"

#endif
