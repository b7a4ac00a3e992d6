#include "dialect/Text.h"
#include "dialect/Bridge.h"
#include "dialect/Dialects.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

static FailureOr<unsigned> parseFrom(AsmParser &parser, int64_t least, StringRef rule) {
  auto location = parser.getCurrentLocation();
  int64_t value;
  Type type;
  if (parser.parseInteger(value) ||
      (succeeded(parser.parseOptionalColon()) && parser.parseType(type)))
    return failure();
  if (value < least || value > INT32_MAX)
    return ll::broken(parser.emitError(location), rule)
           << "expected an integer from " << least << " to 2147483647, got " << value;
  return static_cast<unsigned>(value);
}

FailureOr<unsigned> ll::parseInt(AsmParser &parser) { return parseFrom(parser, 0, "encoding_c6"); }

FailureOr<unsigned> ll::parseRank(AsmParser &parser) {
  return parseFrom(parser, 1, "encoding_c1");
}

// `[1, 2, 4]`
template <typename Integer>
static ParseResult parseNumbers(AsmParser &parser, SmallVectorImpl<Integer> &values) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square,
      [&]() -> ParseResult {
        FailureOr<unsigned> value = ll::parseInt(parser);
        if (failed(value))
          return failure();
        values.push_back(*value);
        return success();
      },
      " in a list of integers such as `[1, 0]`");
}

FailureOr<SmallVector<unsigned>> ll::parseIntList(AsmParser &parser) {
  SmallVector<unsigned> values;
  if (parseNumbers(parser, values))
    return failure();
  return values;
}

void ll::printIntList(AsmPrinter &printer, ArrayRef<unsigned> values) {
  printer << '[';
  llvm::interleaveComma(values, printer);
  printer << ']';
}

FailureOr<bool> ll::parseBool(AsmParser &parser) {
  auto location = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("true")))
    return true;
  if (succeeded(parser.parseOptionalKeyword("false")))
    return false;
  int64_t value;
  Type type;
  OptionalParseResult number = parser.parseOptionalInteger(value);
  if (number.has_value() && succeeded(*number) && succeeded(parser.parseOptionalColon()) &&
      succeeded(parser.parseType(type)) && type.isInteger(1))
    return (value & 1) != 0;
  return ll::broken(parser.emitError(location, "expected `true` or `false`"), "encoding_c6");
}

// Limit for the nesting depth of encodings, the outermost one included; as `crates/linear-layout/src/encoding/text.rs`.
static constexpr unsigned mostNested = 32;

FailureOr<Attribute> ll::parseInnerEncoding(AsmParser &parser, StringRef rule) {
  static thread_local unsigned depth = 1;
  auto location = parser.getCurrentLocation();
  if (depth == mostNested)
    return ll::broken(parser.emitError(location), "encoding_c9")
           << "encodings are nested more than " << mostNested << " deep";
  llvm::SaveAndRestore<unsigned> deeper(depth, depth + 1);
  Attribute attr;
  if (parser.parseAttribute(attr))
    return failure();
  if (!hasEncodings(attr.getDialect()))
    return ll::broken(parser.emitError(location), rule)
           << "expected an encoding such as `#ttg.blocked<{...}>`, got " << attr;
  return attr;
}

FailureOr<std::string> ll::parseQuoted(AsmParser &parser, StringRef rule) {
  auto location = parser.getCurrentLocation();
  std::string text;
  if (failed(parser.parseOptionalString(&text)))
    return ll::broken(parser.emitError(location), rule)
           << "expected a layout in quotes, such as `\"(8,4):(4,1)\"`";
  // The text is printed without escapes, and parsed by Rust.
  for (char c : text)
    if (c == '"' || c == '\\' || !llvm::isPrint(c))
      return ll::broken(parser.emitError(location), rule)
             << "expected a layout in quotes without escapes";
  return text;
}

FailureOr<ArrayAttr> ll::parseBases(AsmParser &parser) {
  SmallVector<Attribute> bases;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&]() -> ParseResult {
            SmallVector<int64_t> basis;
            if (parseNumbers(parser, basis))
              return failure();
            bases.push_back(parser.getBuilder().getI64ArrayAttr(basis));
            return success();
          },
          " in a list of bases such as `[[1, 0], [2, 0]]`"))
    return failure();
  return parser.getBuilder().getArrayAttr(bases);
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

// Keys of numbers, then of bases, in the order in which they are printed.
static constexpr StringLiteral numberKeys[] = {"order", "shape"};
static constexpr StringLiteral basesKeys[] = {"offset", "register", "lane", "warp", "block"};

FailureOr<DictionaryAttr> ll::parseNamedBases(AsmParser &parser) {
  NamedAttrList fields;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        auto location = parser.getCurrentLocation();
        StringRef key;
        if (parser.parseKeyword(&key) || parser.parseEqual())
          return failure();
        if (fields.get(key))
          return ll::broken(parser.emitError(location), "encoding_c7") << "`" << key << "` is given twice, expected once";
        Attribute value;
        if (llvm::is_contained(numberKeys, key)) {
          SmallVector<int64_t> numbers;
          if (parseNumbers(parser, numbers))
            return failure();
          value = parser.getBuilder().getI64ArrayAttr(numbers);
        } else if (llvm::is_contained(basesKeys, key)) {
          FailureOr<ArrayAttr> bases = parseBases(parser);
          if (failed(bases))
            return failure();
          value = *bases;
        } else if (parser.parseAttribute(value)) {
          // An unknown key is kept for the error message.
          return failure();
        }
        fields.append(key, value);
        return success();
      }))
    return failure();
  return fields.getDictionary(parser.getContext());
}

void ll::printNamedBases(AsmPrinter &printer, DictionaryAttr bases) {
  SmallVector<NamedAttribute> fields;
  for (StringRef key : llvm::concat<const StringLiteral>(numberKeys, basesKeys))
    if (std::optional<NamedAttribute> field = bases.getNamed(key))
      fields.push_back(*field);
  for (NamedAttribute field : bases)
    if (!llvm::is_contained(fields, field))
      fields.push_back(field);
  printer << '{';
  llvm::interleaveComma(fields, printer, [&](NamedAttribute field) {
    printer << field.getName().getValue() << " = ";
    printBases(printer, field.getValue());
  });
  printer << '}';
}
