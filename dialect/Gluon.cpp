// The dialect `gluon`: registration.
#include "dialect/Dialects.h"
#include "dialect/Unknown.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "GluonOps.dialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "GluonOps.attrs.cpp.inc"
#define GET_OP_CLASSES
#include "GluonOps.cpp.inc"

void ll::gluon::GluonDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "GluonOps.attrs.cpp.inc"
      >();
}

void ll::gluon::GluonDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "GluonOps.cpp.inc"
      >();
}

Attribute ll::gluon::GluonDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  auto generated = [&](StringRef *mnemonic, Attribute &attr) {
    return generatedAttributeParser(parser, mnemonic, type, attr);
  };
  return parseKnown<Attribute>(parser, "attribute", getNamespace(), generated,
                                        mnemonics<
#define GET_ATTRDEF_LIST
#include "GluonOps.attrs.cpp.inc"
                                            >);
}

void ll::gluon::GluonDialect::printAttribute(Attribute attr, DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

// The dialect has no types.
Type ll::gluon::GluonDialect::parseType(DialectAsmParser &parser) const {
  auto location = parser.getCurrentLocation();
  StringRef mnemonic;
  if (succeeded(parser.parseKeyword(&mnemonic)))
    emitUnknown(parser.emitError(location), "type", getNamespace(), mnemonic, {});
  return {};
}

std::optional<Dialect::ParseOpHook>
ll::gluon::GluonDialect::getParseOperationHook(StringRef name) const {
  return rejectUnknownOperation(*this, name);
}
