// The dialect `cute`, which has layouts of CuTe as encodings and nothing else.
#include "dialect/Bridge.h"
#include "dialect/Dialects.h"
#include "dialect/Text.h"
#include "dialect/Unknown.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "CuteAttrs.dialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "CuteAttrs.attrs.cpp.inc"

namespace {

struct LayoutAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (!isa<ll::cute::LayoutAttr>(attr))
      return AliasResult::NoAlias;
    if (!ll::printPrettyName(attr, os))
      os << "cute_layout";
    return AliasResult::FinalAlias;
  }
};

} // namespace

// As in `ttg`: the rules of attributes are checked where they are parsed.
Attribute ll::cute::CuteDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  auto begin = parser.getCurrentLocation();
  auto generated = [&](StringRef *mnemonic, Attribute &attr) {
    return generatedAttributeParser(parser, mnemonic, type, attr);
  };
  Attribute attr =
      parseKnown<Attribute>(parser, "attribute", getNamespace(), generated, mnemonics<LayoutAttr>);
  return checkedAttribute(parser, attr, begin);
}

void ll::cute::CuteDialect::printAttribute(Attribute attr, DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

Type ll::cute::CuteDialect::parseType(DialectAsmParser &parser) const {
  return rejectType(parser, getNamespace());
}

std::optional<Dialect::ParseOpHook>
ll::cute::CuteDialect::getParseOperationHook(StringRef name) const {
  return rejectUnknownOperation(*this, name);
}

void ll::cute::CuteDialect::registerAttributes() { addAttributes<LayoutAttr>(); }

void ll::cute::CuteDialect::initialize() {
  registerAttributes();
  addInterfaces<LayoutAliases>();
}
