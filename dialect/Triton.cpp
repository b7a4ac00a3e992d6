// The dialect `tt`: registration, and functions that ODS cannot express.
#include "mlir/Interfaces/FunctionImplementation.h"

#define LL_DIALECT ll::tt::TritonDialect
#define LL_STEM TritonOps
#define LL_PREPARE rewordGeneratedErrors(getContext());
#include "TritonEnums.cpp.inc"
#include "dialect/Definition.inc"

FailureOr<int> ll::tt::parseAddressSpace(AsmParser &parser) {
  auto location = parser.getCurrentLocation();
  std::string name;
  if (parser.parseString(&name))
    return failure();
  std::optional<PtrAddrSpace> space = symbolizePtrAddrSpace(name);
  if (!space)
    return ll::broken(parser.emitError(location), "ptr_c2")
           << "expected `\"descriptor\"`, `\"global\"` or `\"constant\"`, got `\"" << name << "\"`";
  return static_cast<int>(*space);
}

void ll::tt::printAddressSpace(AsmPrinter &printer, int space) {
  printer << '"' << stringifyPtrAddrSpace(static_cast<PtrAddrSpace>(space)) << '"';
}

LogicalResult ll::tt::PointerType::verify(function_ref<InFlightDiagnostic()> emitError,
                                          Type pointee, int) {
  if (!pointee.isIntOrFloat())
    return ll::broken(emitError(), "ptr_c1") << "expected a pointee of integer or float type, got " << pointee
                       << "; use a tensor of `!tt.ptr` for several pointers";
  return success();
}

Type ll::tt::TensorDescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  Attribute layout;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false))
    return {};
  auto location = parser.getCurrentLocation();
  if (parser.parseType(element))
    return {};
  if (isa<ShapedType>(element)) {
    ll::broken(parser.emitError(location), "tensordesc_c1") << "expected the block shape and element type, such as "
                                  "`8x16xf32`, but got "
                               << element;
    return {};
  }
  if ((succeeded(parser.parseOptionalComma()) && parser.parseAttribute(layout)) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), shape, element, layout);
}

void ll::tt::TensorDescType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  if (!getShape().empty())
    printer << 'x';
  printer << getElementType();
  if (getSharedLayout())
    printer << ", " << getSharedLayout();
  printer << '>';
}

Type ll::tt::withElement(Type type, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tensor.getShape(), element, tensor.getEncoding());
  return element;
}

Type ll::tt::pointeeLike(Type pointers) {
  // Another rule rejects non-pointers; type inference may run before that check.
  auto pointer = dyn_cast<PointerType>(getElementTypeOrSelf(pointers));
  return pointer ? withElement(pointers, pointer.getPointeeType()) : pointers;
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

// A volatile read is modelled as a write, so that it is not moved.
void ll::tt::LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(), GlobalMemory::get());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
}

// An external function has unknown effects unless it is pure.
template <typename Effects> static void externalEffects(bool pure, Effects &effects) {
  if (pure)
    return;
  effects.emplace_back(MemoryEffects::Write::get());
  effects.emplace_back(MemoryEffects::Read::get());
}

void ll::tt::ExternElementwiseOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  externalEffects(getPure(), effects);
}

void ll::tt::ElementwiseInlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  externalEffects(getPure(), effects);
}

LogicalResult ll::tt::ReturnOp::verify() {
  auto function = cast<FuncOp>((*this)->getParentOp());
  TypeRange given = getOperandTypes(), results = function.getFunctionType().getResults();
  if (given != results)
    return ll::broken(emitOpError(), "return_c1") << "returns (" << given << "), but `" << function.getName()
                         << "` has the results (" << results << ')';
  return success();
}

// The symbol table is that of the module, so this runs after the verification of its regions.
LogicalResult ll::tt::CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!function)
    return ll::broken(emitOpError(), "call_c1") << "calls `" << getCallee() << "`, which is not a `tt.func` of the module";
  auto compare = [&](StringRef what, StringRef rule, TypeRange given,
                     ArrayRef<Type> declared) -> LogicalResult {
    if (given.size() != declared.size())
      return ll::broken(emitOpError(), rule) << "has " << given.size() << ' ' << what << "s, but callee `" << getCallee()
                           << "` has " << declared.size();
    for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(given, declared)))
      if (std::get<0>(pair) != std::get<1>(pair))
        return ll::broken(emitOpError(), rule) << "has " << std::get<0>(pair) << " as " << what << ' ' << i
                             << ", but callee `" << getCallee() << "` has " << std::get<1>(pair);
    return success();
  };
  FunctionType type = function.getFunctionType();
  return success(succeeded(compare("operand", "call_c2", getOperandTypes(), type.getInputs())) &&
                 succeeded(compare("result", "call_c3", getResultTypes(), type.getResults())));
}
