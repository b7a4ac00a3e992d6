// Names of our dialects that nothing is registered for: what a file of a later Triton contains.
#ifndef LL_DIALECT_UNKNOWN_H
#define LL_DIALECT_UNKNOWN_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

namespace ll {

// The names, without the dialect's, of the attributes or types in a generated list.
template <typename... Parts> llvm::SmallVector<llvm::StringRef> mnemonics() {
  return {Parts::getMnemonic()...};
}

// Says that a dialect has no such operation, attribute or type, and which one comes nearest.
void emitUnknown(mlir::InFlightDiagnostic diagnostic, llvm::StringRef kind, llvm::StringRef dialect,
                 llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known);

// What a handler of diagnostics does while the attribute is parsed that the text begins with, and that the parser has
// read so far. It says more of an encoding's key than the generated parser, which does not know whether the key is
// misspelled; success hides an error that names types of C++.
llvm::LogicalResult rewordParsed(mlir::Diagnostic &diagnostic, llvm::StringRef dialect,
                                 llvm::StringRef text, bool &hasFailed);

// What the parser that is generated for a dialect's attributes or types makes of the input; null after
// an error, also that of a name which is none of `known`.
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

// Parses nothing: fails with `emitUnknown` for an operation in custom form.
std::optional<mlir::Dialect::ParseOpHook> rejectUnknownOperation(const mlir::Dialect &dialect,
                                                                 llvm::StringRef name);

// From here on, errors that MLIR and its generated parsers word become ours: an unknown operation in
// generic form `emitUnknown`, a value that an enumeration lacks without names of C++, a dialect of Triton's
// that is not among ours with the names of ours.
void rewordGeneratedErrors(mlir::MLIRContext *context);

} // namespace ll

#endif
