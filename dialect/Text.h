// Assembly formats that ODS cannot express: bracketed lists, and keyword lists.
#ifndef LL_DIALECT_TEXT_H
#define LL_DIALECT_TEXT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace ll {

// `8`, optionally with a type, as in `8 : i32`.
mlir::FailureOr<unsigned> parseInt(mlir::AsmParser &parser);
// A rank; 0 is reserved for attributes without one.
mlir::FailureOr<unsigned> parseRank(mlir::AsmParser &parser);

// `[1, 2, 4]`
mlir::FailureOr<llvm::SmallVector<unsigned>> parseIntList(mlir::AsmParser &parser);
void printIntList(mlir::AsmPrinter &printer, llvm::ArrayRef<unsigned> values);

// `true` or `false`
mlir::FailureOr<bool> parseBool(mlir::AsmParser &parser);

// An attribute of a dialect with encodings; others violate the rule with this label.
mlir::FailureOr<mlir::Attribute> parseInnerEncoding(mlir::AsmParser &parser, llvm::StringRef rule);

// `"(8,4):(4,1)"`; other text violates the rule with this label.
mlir::FailureOr<std::string> parseQuoted(mlir::AsmParser &parser, llvm::StringRef rule);

// `[[0, 1], [0, 2]]`
mlir::FailureOr<mlir::ArrayAttr> parseBases(mlir::AsmParser &parser);
void printBases(mlir::AsmPrinter &printer, mlir::Attribute bases);

// `{register = [[0, 1]], lane = [[1, 0]]}`, printed in the order of the hardware's dimensions.
mlir::FailureOr<mlir::DictionaryAttr> parseNamedBases(mlir::AsmParser &parser);
void printNamedBases(mlir::AsmPrinter &printer, mlir::DictionaryAttr bases);

} // namespace ll

#endif
