// Unregistered names in registered dialects, as in a file of a later Triton.
#ifndef LL_DIALECT_UNKNOWN_H
#define LL_DIALECT_UNKNOWN_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

namespace ll {

// Returns the names, without the dialect's, in a generated list of attributes or types.
template <typename... Parts> llvm::SmallVector<llvm::StringRef> mnemonics() {
  return {Parts::getMnemonic()...};
}

// Emits an error for an unknown operation, attribute or type, with the nearest known name.
void emitUnknown(mlir::InFlightDiagnostic diagnostic, llvm::StringRef kind, llvm::StringRef dialect,
                 llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known);

// Handles a diagnostic while an attribute is parsed, given the text from its start to the parser's position. It reports
// misspelled keys of encodings, which the generated parser cannot; success hides an error that names C++ types.
llvm::LogicalResult rewordParsed(mlir::Diagnostic &diagnostic, llvm::StringRef dialect,
                                 llvm::StringRef text, bool &hasFailed);

// Runs the generated parser of a dialect's attributes or types; returns null after an error, also for a name that is not
// among `known`.
template <typename Part, typename Generated>
Part parseKnown(mlir::DialectAsmParser &parser, llvm::StringRef kind, llvm::StringRef dialect,
                Generated generated, llvm::SmallVector<llvm::StringRef> (*known)()) {
  auto location = parser.getCurrentLocation();
  llvm::StringRef mnemonic;
  Part part;
  bool hasFailed = false;
  mlir::ScopedDiagnosticHandler handler(parser.getContext(), [&](mlir::Diagnostic &diagnostic) {
    const char *begin = location.getPointer(), *end = parser.getCurrentLocation().getPointer();
    return rewordParsed(diagnostic, dialect, {begin, size_t(end - begin)}, hasFailed);
  });
  mlir::OptionalParseResult parsed = generated(&mnemonic, part);
  if (parsed.has_value())
    return failed(*parsed) ? Part() : part;
  emitUnknown(parser.emitError(location), kind, dialect, mnemonic, known());
  return {};
}

// Fails with `emitUnknown` for an operation in custom form.
std::optional<mlir::Dialect::ParseOpHook> rejectUnknownOperation(const mlir::Dialect &dialect,
                                                                 llvm::StringRef name);

// Replaces errors of MLIR and its generated parsers from here on: for an unknown operation in generic form, for an
// unknown enum value (without C++ names), and for an unsupported dialect of Triton (with the supported ones).
void rewordGeneratedErrors(mlir::MLIRContext *context);

} // namespace ll

#endif
