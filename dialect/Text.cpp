#include "dialect/Text.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

static FailureOr<unsigned> parseFrom(AsmParser &parser, int64_t least) {
  auto location = parser.getCurrentLocation();
  int64_t value;
  if (parser.parseInteger(value))
    return failure();
  if (value < least || value > INT32_MAX)
    return parser.emitError(location)
           << "expected an integer from " << least << " to 2147483647, got " << value;
  return static_cast<unsigned>(value);
}

FailureOr<unsigned> ll::parseInt(AsmParser &parser) { return parseFrom(parser, 0); }

FailureOr<unsigned> ll::parseRank(AsmParser &parser) { return parseFrom(parser, 1); }

FailureOr<SmallVector<unsigned>> ll::parseIntList(AsmParser &parser) {
  SmallVector<unsigned> values;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
        auto value = parseInt(parser);
        if (failed(value))
          return failure();
        values.push_back(*value);
        return success();
      }))
    return failure();
  return values;
}

void ll::printIntList(AsmPrinter &printer, ArrayRef<unsigned> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

FailureOr<bool> ll::parseBool(AsmParser &parser) {
  if (succeeded(parser.parseOptionalKeyword("true")))
    return true;
  if (succeeded(parser.parseOptionalKeyword("false")))
    return false;
  return parser.emitError(parser.getCurrentLocation(), "expected `true` or `false`");
}

FailureOr<ArrayAttr> ll::parseBases(AsmParser &parser) {
  ArrayAttr bases;
  if (parser.parseAttribute(bases))
    return failure();
  return bases;
}

void ll::printBases(AsmPrinter &printer, Attribute bases) {
  if (auto list = dyn_cast<ArrayAttr>(bases)) {
    printer << '[';
    llvm::interleaveComma(list, printer, [&](Attribute item) { printBases(printer, item); });
    printer << ']';
  } else if (auto number = dyn_cast<IntegerAttr>(bases)) {
    printer << number.getInt();
  } else {
    printer << bases;
  }
}

FailureOr<DictionaryAttr> ll::parseNamedBases(AsmParser &parser) {
  NamedAttrList fields;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        auto location = parser.getCurrentLocation();
        StringRef key;
        Attribute value;
        if (parser.parseKeyword(&key) || parser.parseEqual() || parser.parseAttribute(value))
          return failure();
        if (fields.get(key))
          return parser.emitError(location) << "`" << key << "` is given twice";
        fields.append(key, value);
        return success();
      }))
    return failure();
  return fields.getDictionary(parser.getContext());
}

void ll::printNamedBases(AsmPrinter &printer, DictionaryAttr bases) {
  static constexpr StringLiteral order[] = {"order", "shape", "offset", "register",
                                            "lane",  "warp",  "block"};
  SmallVector<NamedAttribute> fields;
  for (StringRef key : order)
    if (std::optional<NamedAttribute> field = bases.getNamed(key))
      fields.push_back(*field);
  // Keys that no encoding has are kept, so that the error can name them.
  for (NamedAttribute field : bases)
    if (!llvm::is_contained(order, field.getName().getValue()))
      fields.push_back(field);
  printer << '{';
  llvm::interleaveComma(fields, printer, [&](NamedAttribute field) {
    printer << field.getName().getValue() << " = ";
    printBases(printer, field.getValue());
  });
  printer << '}';
}
