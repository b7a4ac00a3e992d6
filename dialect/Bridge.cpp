#include "dialect/Bridge.h"
#include "dialect/Dialects.h"
#include "linear-layout-mlir/src/sys/bridge.rs.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace ll;

LayoutCacheHolder::LayoutCacheHolder() : cache(bridge::new_layout_cache()) {}

Attribute ll::checkedAttribute(AsmParser &parser, Attribute attr, SMLoc begin) {
  // The canonical spelling is parsed again below, and then unchanged.
  static thread_local bool isNormal = false;
  if (!attr || isNormal || !hasEncodings(attr.getDialect()) ||
      isa<ttg::SharedMemorySpaceAttr, ttng::TensorMemorySpaceAttr,
          ttng::TMEMLoadReduceModifierAttr>(attr))
    return attr;
  const LayoutCacheHolder &holder =
      attr.getContext()->getLoadedDialect<ttg::TritonGPUDialect>()->getLayoutCache();
  // The text ends at the parser's position, after the attribute.
  const char *text = begin.getPointer();
  size_t length = parser.getCurrentLocation().getPointer() - text;
  bridge::AttributeCheck check =
      holder.cache->check_attribute(wrap(attr), bridge::bytes(StringRef(text, length)));
  if (!check.reason.empty()) {
    broken(parser.emitError(SMLoc::getFromPointer(text + check.place)), StringRef(check.rule.data(), check.rule.size()))
        << std::string(check.reason);
    return {};
  }
  if (check.normal.empty())
    return attr;
  isNormal = true;
  Attribute normal = parseAttribute(std::string(check.normal), attr.getContext());
  isNormal = false;
  return normal;
}

bool ll::hasEncodings(const Dialect &dialect) {
  return isa<ttg::TritonGPUDialect, ttng::TritonNvidiaGPUDialect, cute::CuteDialect,
             tilus::TilusDialect>(dialect);
}

bool ll::printPrettyName(Attribute attr, raw_ostream &os) {
  auto *dialect = attr.getContext()->getLoadedDialect<ttg::TritonGPUDialect>();
  if (!dialect->hasPrettyAliases() ||
      !ll::hasEncodings(attr.getDialect()))
    return false;
  rust::String name = dialect->getLayoutCache().cache->pretty_name(wrap(attr));
  os << std::string(name);
  return !name.empty();
}

bool ll::isValidBuffer(Type buffer, function_ref<InFlightDiagnostic()> emitError) {
  const LayoutCacheHolder &holder =
      buffer.getContext()->getLoadedDialect<ttg::TritonGPUDialect>()->getLayoutCache();
  bridge::TypeCheck check = holder.cache->check_type(wrap(buffer));
  if (check.reason.empty())
    return true;
  broken(emitError(), StringRef(check.rule.data(), check.rule.size())) << std::string(check.reason);
  return false;
}

void bridge::register_dialects(MlirDialectRegistry registry) {
  DialectRegistry &dialects = *unwrap(registry);
  dialects.insert<tt::TritonDialect, ttg::TritonGPUDialect, ttng::TritonNvidiaGPUDialect,
                  amdg::TritonAMDGPUDialect, cute::CuteDialect, tilus::TilusDialect,
                  gluon::GluonDialect>();
  // The `convert-to-llvm` interfaces of the dialects that the lowering leaves.
  arith::registerConvertArithToLLVMInterface(dialects);
  cf::registerConvertControlFlowToLLVMInterface(dialects);
  index::registerConvertIndexToLLVMInterface(dialects);
  registerConvertMathToLLVMInterface(dialects);
  ub::registerConvertUBToLLVMInterface(dialects);
}

const bridge::LayoutCache &bridge::layout_cache(MlirContext context) {
  return *unwrap(context)->getOrLoadDialect<ttg::TritonGPUDialect>()->getLayoutCache().cache;
}

// The metadata key of a diagnostic's label.
static constexpr StringLiteral ruleKey = "ll.rule";

InFlightDiagnostic ll::broken(InFlightDiagnostic error, StringRef rule) {
  Diagnostic *diagnostic = error.getUnderlyingDiagnostic();
  if (rule.empty() || !diagnostic)
    return error;
  MLIRContext *context = diagnostic->getLocation().getContext();
  Builder builder(context);
  diagnostic->getMetadata().push_back(DiagnosticArgument(
      builder.getDictionaryAttr(builder.getNamedAttr(ruleKey, builder.getStringAttr(rule)))));
  if (rust::String note = bridge::rule_note(bridge::view(rule)); !note.empty())
    error.attachNote() << std::string(note);
  return error;
}

MlirAttribute bridge::diagnostic_rule(MlirDiagnostic diagnostic) {
  for (const DiagnosticArgument &argument : unwrap(diagnostic).getMetadata())
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Attribute)
      if (auto entries = dyn_cast<DictionaryAttr>(argument.getAsAttribute()))
        return wrap(entries.get(ruleKey));
  return {};
}

// True if MLIR may print the operation in a note below a diagnostic: its location does not identify it, and it is short,
// without regions and with few operands and results.
static bool mustBeShown(Operation *op) {
  return isa<UnknownLoc>(op->getLoc()) && op->getNumRegions() == 0 &&
         op->getNumOperands() + op->getNumResults() <= 32;
}

void bridge::emit_error(MlirOperation op, rust::Str message, rust::Slice<const rust::String> notes,
                        rust::Str rule) {
  Operation *operation = unwrap(op);
  InFlightDiagnostic diagnostic = mustBeShown(operation)
                                      ? operation->emitOpError()
                                      : emitError(operation->getLoc())
                                            << "'" << operation->getName() << "' op ";
  diagnostic << view(message);
  for (const rust::String &note : notes)
    diagnostic.attachNote() << StringRef(note.data(), note.size());
  (void)broken(std::move(diagnostic), view(rule));
}

void bridge::emit_warning(MlirOperation op, rust::Str message,
                          rust::Slice<const rust::String> notes) {
  // MLIR's own warnings print the whole operation, also a function.
  Operation *operation = unwrap(op);
  InFlightDiagnostic warning = emitWarning(operation->getLoc())
                               << "'" << operation->getName() << "' op " << view(message);
  for (const rust::String &note : notes)
    warning.attachNote() << StringRef(note.data(), note.size());
}

void bridge::emit_remark(MlirOperation op, rust::Str message) {
  Operation *operation = unwrap(op);
  (mustBeShown(operation) ? operation->emitRemark() : emitRemark(operation->getLoc())) << view(message);
}

bool bridge::keeps_encoding(MlirOperation op) {
  return unwrap(op)->hasTrait<SameEncoding>() || unwrap(op)->hasTrait<OpTrait::Elementwise>();
}

uint8_t bridge::open_layout(MlirAttribute attribute) {
  Attribute attr = unwrap(attribute);
  return isa<gluon::AutoEncodingAttr>(attr) ? 1 : isa<gluon::CoalescedEncodingAttr>(attr) ? 2 : 0;
}

bridge::PointerInfo bridge::pointer_info(MlirType type) {
  auto pointer = dyn_cast<tt::PointerType>(unwrap(type));
  if (!pointer)
    return {};
  return {wrap(pointer.getPointeeType()), pointer.getAddressSpace()};
}

bridge::TensorInfo bridge::tensor_info(MlirType type) {
  auto tensor = dyn_cast<RankedTensorType>(unwrap(type));
  if (!tensor || llvm::any_of(tensor.getShape(), ShapedType::isDynamic))
    return {};
  ArrayRef<int64_t> shape = tensor.getShape();
  return {rust::Slice<const int64_t>(shape.data(), shape.size()), wrap(tensor.getElementType()),
          wrap(tensor.getEncoding())};
}

MlirAttribute bridge::nearest_attribute(MlirOperation inner, rust::Str name) {
  for (Operation *op = unwrap(inner); op; op = op->getParentOp())
    if (Attribute found = op->getRawDictionaryAttrs().get(view(name)))
      return wrap(found);
  return {};
}

bridge::BufferInfo bridge::buffer_info(MlirType handle) {
  auto sizes = [](ArrayRef<int64_t> shape) {
    rust::Vec<int64_t> copy;
    for (int64_t size : shape)
      copy.push_back(size);
    return copy;
  };
  Type type = unwrap(handle);
  BufferInfo info{};
  if (auto buffer = dyn_cast<ttg::MemDescType>(type)) {
    info.kind = 1;
    info.shape = sizes(buffer.getShape());
    info.element = wrap(buffer.getElementType());
    info.encoding = wrap(buffer.getEncoding());
    info.memory_space = wrap(buffer.getMemorySpace());
    info.is_mutable = buffer.getMutableMemory();
    info.alloc_shape = sizes(buffer.getAllocShape());
  } else if (auto desc = dyn_cast<tt::TensorDescType>(type)) {
    info.kind = 2;
    info.shape = sizes(desc.getShape());
    info.element = wrap(desc.getElementType());
    info.encoding = wrap(desc.getSharedLayout());
  } else if (auto desc = dyn_cast<ttng::TensorDescIm2ColType>(type)) {
    info.kind = 3;
    info.shape = sizes(desc.getShape());
    info.element = wrap(desc.getElementType());
    info.encoding = wrap(desc.getSharedLayout());
  }
  return info;
}
