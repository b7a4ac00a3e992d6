// The dialect `ttg`: registration, aliases, and the text that ODS cannot express.
#include "dialect/Bridge.h"
#include "dialect/Dialects.h"
#include "dialect/Text.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "TritonGPUOps.dialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "TritonGPUOps.attrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "TritonGPUOps.types.cpp.inc"
#define GET_OP_CLASSES
#include "TritonGPUOps.cpp.inc"

namespace {

// Names that a printed module gives to long attributes: `#blocked`, `#blocked1`, ...
struct EncodingAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    StringRef name = TypeSwitch<Attribute, StringRef>(attr)
                         .Case([](ll::ttg::BlockedEncodingAttr) { return "blocked"; })
                         .Case([](ll::ttg::LinearEncodingAttr) { return "linear"; })
                         .Case([](ll::ttg::SwizzledSharedEncodingAttr) { return "shared"; })
                         .Case([](ll::ttg::SharedMemorySpaceAttr) { return "smem"; })
                         .Default(StringRef());
    if (name.empty())
      return AliasResult::NoAlias;
    os << name;
    return AliasResult::FinalAlias;
  }
};

} // namespace

// The one place where an encoding's own rules are checked.
Attribute ll::ttg::TritonGPUDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  auto location = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attr;
  OptionalParseResult parsed = generatedAttributeParser(parser, &mnemonic, type, attr);
  if (!parsed.has_value()) {
    parser.emitError(location) << "unknown attribute `" << mnemonic << "` in dialect `ttg`";
    return {};
  }
  if (failed(*parsed) || isa<SharedMemorySpaceAttr>(attr))
    return attr;
  std::string reason = checkEncoding(attr);
  if (!reason.empty()) {
    parser.emitError(location) << reason;
    return {};
  }
  return attr;
}

void ll::ttg::TritonGPUDialect::printAttribute(Attribute attr, DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

void ll::ttg::TritonGPUDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "TritonGPUOps.attrs.cpp.inc"
      >();
}

void ll::ttg::TritonGPUDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "TritonGPUOps.types.cpp.inc"
      >();
}

void ll::ttg::TritonGPUDialect::initialize() {
  layoutCache = std::make_shared<LayoutCacheHolder>();
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "TritonGPUOps.cpp.inc"
      >();
  addInterfaces<EncodingAliases>();
}

// `<{register = [[..]], lane = [[..]], warp = [[..]], block = [[..]]}>`, keys in any order.
Attribute ll::ttg::LinearEncodingAttr::parse(AsmParser &parser, Type) {
  static constexpr StringLiteral keys[] = {"register", "lane", "warp", "block"};
  std::array<ArrayAttr, 4> bases;
  auto location = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        auto keyLocation = parser.getCurrentLocation();
        StringRef key;
        if (parser.parseKeyword(&key) || parser.parseEqual())
          return failure();
        const auto *found = llvm::find(keys, key);
        if (found == std::end(keys))
          return parser.emitError(keyLocation)
                 << "expected `register`, `lane`, `warp` or `block`, got `" << key << "`";
        ArrayAttr &slot = bases[found - std::begin(keys)];
        if (slot)
          return parser.emitError(keyLocation) << "`" << key << "` is given twice";
        FailureOr<ArrayAttr> parsed = parseBases(parser);
        if (failed(parsed))
          return failure();
        slot = *parsed;
        return success();
      }) ||
      parser.parseGreater())
    return {};
  for (auto [key, slot] : llvm::zip_equal(keys, bases))
    if (!slot) {
      parser.emitError(location) << "`" << key << "` is missing: a linear encoding gives "
                                 << "`register`, `lane`, `warp` and `block`";
      return {};
    }
  return getChecked([&] { return parser.emitError(location); }, parser.getContext(), bases[0],
                    bases[1], bases[2], bases[3]);
}

void ll::ttg::LinearEncodingAttr::print(AsmPrinter &printer) const {
  auto field = [&](StringRef key, ArrayAttr bases) {
    printer << key << " = ";
    printBases(printer, bases);
  };
  printer << "<{";
  field("register", getRegisters());
  field(", lane", getLanes());
  field(", warp", getWarps());
  field(", block", getBlocks());
  printer << "}>";
}

Type ll::ttg::MemDescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, allocShape;
  Type element;
  Attribute encoding, space;
  bool isMutable = false;
  auto location = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma() || parser.parseAttribute(encoding) ||
      parser.parseComma() || parser.parseAttribute(space))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("mutable"))) {
      isMutable = true;
      if (succeeded(parser.parseOptionalComma()) &&
          parser.parseDimensionList(allocShape, false, /*withTrailingX=*/false))
        return {};
    } else if (parser.parseDimensionList(allocShape, false, /*withTrailingX=*/false)) {
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  if (allocShape.empty())
    allocShape = shape;
  return getChecked([&] { return parser.emitError(location); }, parser.getContext(), shape, element,
                    encoding, space, isMutable, allocShape);
}

void ll::ttg::MemDescType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << 'x' << getElementType() << ", " << getEncoding() << ", " << getMemorySpace();
  if (getMutableMemory())
    printer << ", mutable";
  if (getAllocShape() != getShape()) {
    printer << ", ";
    printer.printDimensionList(getAllocShape());
  }
  printer << '>';
}

ll::ttg::MemDescType ll::ttg::MemDescType::cloneWith(std::optional<ArrayRef<int64_t>> shape,
                                                     Type element) const {
  return get(getContext(), shape.value_or(getShape()), element, getEncoding(), getMemorySpace(),
             getMutableMemory(), shape.value_or(getAllocShape()));
}
