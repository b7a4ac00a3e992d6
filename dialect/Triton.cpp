// The dialect `tt`: registration, and what ODS cannot express.
#include "dialect/Dialects.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "TritonEnums.cpp.inc"
#include "TritonOps.dialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "TritonOps.types.cpp.inc"
#define GET_OP_CLASSES
#include "TritonOps.cpp.inc"

void ll::tt::TritonDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "TritonOps.types.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "TritonOps.cpp.inc"
      >();
}

Type ll::tt::withElement(Type type, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tensor.getShape(), element, tensor.getEncoding());
  return element;
}

Type ll::tt::pointeeLike(Type pointers) {
  return withElement(pointers, cast<PointerType>(getElementTypeOrSelf(pointers)).getPointeeType());
}

Type ll::tt::boolLike(Type type) { return withElement(type, IntegerType::get(type.getContext(), 1)); }

ParseResult ll::tt::FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void ll::tt::FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}
