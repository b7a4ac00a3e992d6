// The dialect `tilus`, which has register layouts of Tilus as encodings and nothing else.
#include "dialect/Bridge.h"
#include "dialect/Dialects.h"
#include "dialect/Text.h"
#include "dialect/Unknown.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "TilusAttrs.dialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "TilusAttrs.attrs.cpp.inc"

namespace {

struct RegisterAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (!isa<ll::tilus::RegisterAttr>(attr))
      return AliasResult::NoAlias;
    if (!ll::printPrettyName(attr, os))
      os << "tilus_register";
    return AliasResult::FinalAlias;
  }
};

} // namespace

// As in `ttg`: the rules of attributes are checked where they are parsed.
Attribute ll::tilus::TilusDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  auto begin = parser.getCurrentLocation();
  auto generated = [&](StringRef *mnemonic, Attribute &attr) {
    return generatedAttributeParser(parser, mnemonic, type, attr);
  };
  Attribute attr =
      parseKnown<Attribute>(parser, "attribute", getNamespace(), generated, mnemonics<RegisterAttr>);
  return checkedAttribute(parser, attr, begin);
}

void ll::tilus::TilusDialect::printAttribute(Attribute attr, DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

Type ll::tilus::TilusDialect::parseType(DialectAsmParser &parser) const {
  return rejectType(parser, getNamespace());
}

std::optional<Dialect::ParseOpHook>
ll::tilus::TilusDialect::getParseOperationHook(StringRef name) const {
  return rejectUnknownOperation(*this, name);
}

void ll::tilus::TilusDialect::registerAttributes() { addAttributes<RegisterAttr>(); }

void ll::tilus::TilusDialect::initialize() {
  registerAttributes();
  addInterfaces<RegisterAliases>();
}
