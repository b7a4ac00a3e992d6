// The dialect `amdg`: registration.
#include "dialect/Dialects.h"
#include "dialect/Unknown.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

#include "TritonAMDGPUOps.dialect.cpp.inc"
#define GET_OP_CLASSES
#include "TritonAMDGPUOps.cpp.inc"

void ll::amdg::TritonAMDGPUDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "TritonAMDGPUOps.cpp.inc"
      >();
}

// The dialect has no attributes and no types.
Attribute ll::amdg::TritonAMDGPUDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  auto location = parser.getCurrentLocation();
  StringRef mnemonic;
  if (succeeded(parser.parseKeyword(&mnemonic)))
    emitUnknown(parser.emitError(location), "attribute", getNamespace(), mnemonic, {});
  return {};
}

Type ll::amdg::TritonAMDGPUDialect::parseType(DialectAsmParser &parser) const {
  return rejectType(parser, getNamespace());
}

std::optional<Dialect::ParseOpHook>
ll::amdg::TritonAMDGPUDialect::getParseOperationHook(StringRef name) const {
  return rejectUnknownOperation(*this, name);
}
