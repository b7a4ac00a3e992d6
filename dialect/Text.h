// Pieces of text that ODS cannot express: lists in brackets.
#ifndef LL_DIALECT_TEXT_H
#define LL_DIALECT_TEXT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace ll {

// `[1, 2, 4]`
mlir::FailureOr<llvm::SmallVector<unsigned>> parseIntList(mlir::AsmParser &parser);
void printIntList(mlir::AsmPrinter &printer, llvm::ArrayRef<unsigned> values);

// `[[0, 1], [0, 2]]`, as an array of arrays of i32.
mlir::FailureOr<mlir::ArrayAttr> parseBases(mlir::AsmParser &parser);
void printBases(mlir::AsmPrinter &printer, mlir::ArrayAttr bases);

} // namespace ll

#endif
