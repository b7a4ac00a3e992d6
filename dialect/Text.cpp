#include "dialect/Text.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

FailureOr<SmallVector<unsigned>> ll::parseIntList(AsmParser &parser) {
  SmallVector<unsigned> values;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
        auto location = parser.getCurrentLocation();
        int64_t value;
        if (parser.parseInteger(value))
          return failure();
        if (value < 0 || value > INT32_MAX)
          return parser.emitError(location) << "expected an integer from 0 to 2147483647, got "
                                            << value;
        values.push_back(static_cast<unsigned>(value));
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

FailureOr<ArrayAttr> ll::parseBases(AsmParser &parser) {
  SmallVector<Attribute> bases;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
        FailureOr<SmallVector<unsigned>> basis = parseIntList(parser);
        if (failed(basis))
          return failure();
        SmallVector<int32_t> components(basis->begin(), basis->end());
        bases.push_back(parser.getBuilder().getI32ArrayAttr(components));
        return success();
      }))
    return failure();
  return parser.getBuilder().getArrayAttr(bases);
}

void ll::printBases(AsmPrinter &printer, ArrayAttr bases) {
  printer << '[';
  llvm::interleaveComma(bases, printer, [&](Attribute basis) {
    printer << '[';
    llvm::interleaveComma(cast<ArrayAttr>(basis), printer,
                          [&](Attribute component) { printer << cast<IntegerAttr>(component).getInt(); });
    printer << ']';
  });
  printer << ']';
}
