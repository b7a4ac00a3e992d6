// The dialect `ttng`: registration, aliases, and the text that ODS cannot express.
#include "dialect/Bridge.h"
#include "dialect/Dialects.h"
#include "dialect/Text.h"
#include "dialect/Unknown.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

// `[%token]`, or `[]` where a token comes out but none goes in; nothing where there is none.
static ParseResult parseToken(OpAsmParser &parser,
                              std::optional<OpAsmParser::UnresolvedOperand> &dep, Type &token) {
  if (failed(parser.parseOptionalLSquare()))
    return success();
  token = ll::ttg::AsyncTokenType::get(parser.getContext());
  if (succeeded(parser.parseOptionalRSquare()))
    return success();
  return failure(parser.parseOperand(dep.emplace()) || parser.parseRSquare());
}

static void printToken(OpAsmPrinter &printer, Operation *, Value dep, Type token) {
  if (!token)
    return;
  printer << '[';
  if (dep)
    printer << dep;
  printer << ']';
}

// `, %barrier[%predicate]` any number of times
static ParseResult
parseBarriersAndPreds(OpAsmParser &parser,
                      SmallVectorImpl<OpAsmParser::UnresolvedOperand> &barriers,
                      SmallVectorImpl<OpAsmParser::UnresolvedOperand> &predicates) {
  while (succeeded(parser.parseOptionalComma()))
    if (parser.parseOperand(barriers.emplace_back()) || parser.parseLSquare() ||
        parser.parseOperand(predicates.emplace_back()) || parser.parseRSquare())
      return failure();
  return success();
}

static void printBarriersAndPreds(OpAsmPrinter &printer, Operation *, OperandRange barriers,
                                  OperandRange predicates) {
  for (auto [barrier, predicate] : llvm::zip(barriers, predicates))
    printer << ", " << barrier << '[' << predicate << ']';
}

#include "TritonNvidiaGPUOps.dialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "TritonNvidiaGPUOps.attrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "TritonNvidiaGPUOps.types.cpp.inc"
#define GET_OP_CLASSES
#include "TritonNvidiaGPUOps.cpp.inc"

namespace {

struct TensorMemoryAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (ll::printPrettyName(attr, os))
      return AliasResult::FinalAlias;
    if (isa<ll::ttng::TensorMemoryEncodingAttr>(attr))
      os << "tmem";
    else if (isa<ll::ttng::TensorMemoryScalesEncodingAttr>(attr))
      os << "tmem_scales";
    else
      return AliasResult::NoAlias;
    return AliasResult::FinalAlias;
  }
};

} // namespace

// As in `ttg`: the rules of attributes are checked where they are parsed.
Attribute ll::ttng::TritonNvidiaGPUDialect::parseAttribute(DialectAsmParser &parser,
                                                           Type type) const {
  auto begin = parser.getCurrentLocation();
  auto generated = [&](StringRef *mnemonic, Attribute &attr) {
    return generatedAttributeParser(parser, mnemonic, type, attr);
  };
  Attribute attr = parseKnown<Attribute>(parser, "attribute", getNamespace(), generated,
                                        mnemonics<
#define GET_ATTRDEF_LIST
#include "TritonNvidiaGPUOps.attrs.cpp.inc"
                                            >);
  if (isa_and_present<TensorMemoryEncodingAttr, TensorMemoryScalesEncodingAttr, CachePolicyAttr>(attr))
    return checkedAttribute(parser, attr, begin);
  return attr;
}

void ll::ttng::TritonNvidiaGPUDialect::printAttribute(Attribute attr,
                                                      DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

Type ll::ttng::TritonNvidiaGPUDialect::parseType(DialectAsmParser &parser) const {
  auto generated = [&](StringRef *mnemonic, Type &type) {
    return generatedTypeParser(parser, mnemonic, type);
  };
  return parseKnown<Type>(parser, "type", getNamespace(), generated,
                          mnemonics<
#define GET_TYPEDEF_LIST
#include "TritonNvidiaGPUOps.types.cpp.inc"
                              >);
}

void ll::ttng::TritonNvidiaGPUDialect::printType(Type type, DialectAsmPrinter &printer) const {
  (void)generatedTypePrinter(type, printer);
}

std::optional<Dialect::ParseOpHook>
ll::ttng::TritonNvidiaGPUDialect::getParseOperationHook(StringRef name) const {
  return rejectUnknownOperation(*this, name);
}

void ll::ttng::TritonNvidiaGPUDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "TritonNvidiaGPUOps.attrs.cpp.inc"
      >();
}

void ll::ttng::TritonNvidiaGPUDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "TritonNvidiaGPUOps.types.cpp.inc"
      >();
}

Type ll::ttng::TensorDescIm2ColType::parse(AsmParser &parser) {
  auto location = parser.getCurrentLocation();
  auto desc = dyn_cast_if_present<tt::TensorDescType>(tt::TensorDescType::parse(parser));
  if (!desc)
    return {};
  Type type =
      get(desc.getContext(), desc.getShape(), desc.getElementType(), desc.getSharedLayout());
  return isValidBuffer(type, [&] { return parser.emitError(location); }) ? type : Type();
}

void ll::ttng::TensorDescIm2ColType::print(AsmPrinter &printer) const {
  tt::TensorDescType::get(getContext(), getShape(), getElementType(), getSharedLayout())
      .print(printer);
}

void ll::ttng::TritonNvidiaGPUDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "TritonNvidiaGPUOps.cpp.inc"
      >();
  addInterfaces<TensorMemoryAliases>();
}

// It only reads, also while it is under way: one whose result is not used may go.
void ll::ttng::WarpGroupDotOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand *operand : {&getAMutable(), &getBMutable()})
    if (isa<ttg::MemDescType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand, ttg::SharedMemory::get());
}

void ll::ttng::TMEMAllocOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(), getOperation()->getOpResult(0),
                       TensorMemory::get());
  if (getSrc())
    effects.emplace_back(MemoryEffects::Write::get(), getOperation()->getOpResult(0),
                         TensorMemory::get());
}
