// The border between C++ and Rust. Handles cross as integers; text as (pointer, length).
//
// No exception and no panic crosses: Rust catches its own, and this side is built without
// exceptions.
#ifndef LL_DIALECT_BRIDGE_H
#define LL_DIALECT_BRIDGE_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"
#include "rust/cxx.h"

namespace ll {

namespace bridge {
struct LayoutCache;
struct PointerInfo;
struct TensorInfo;
struct BufferInfo;

inline size_t handle(mlir::Operation *op) { return reinterpret_cast<size_t>(op); }
// Text that a user wrote need not be UTF-8, so it crosses as bytes. `view` is for our own words.
inline rust::Slice<const uint8_t> bytes(llvm::StringRef text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}
inline rust::Str view(llvm::StringRef text) { return rust::Str(text.data(), text.size()); }
inline llvm::StringRef view(rust::Str text) { return {text.data(), text.size()}; }

// --- called from Rust ---
void register_dialects(size_t registry);
void register_passes();
// Each argument ends with a zero byte, here and below.
int32_t opt_main(rust::Slice<const uint8_t> arguments, rust::Str overview, rust::Str examples,
                 rust::Str dialects, rust::Str lowered, rust::Str version);
// The label of the rule that a diagnostic says is broken, as the address of a text attribute, or null.
size_t diagnostic_rule(size_t diagnostic);
int32_t lsp_main(rust::Slice<const uint8_t> arguments);
// Reads bytecode in a child process, which writes it again; `name` is what messages call it, and `most` how deep
// operations may be nested.
struct TriedBytecode;
TriedBytecode try_bytecode(rust::Slice<const uint8_t> bytecode, rust::Str name, uint32_t most);
void disable_pass(size_t context, rust::Str name);
// Sets an option of LLVM's command line for the whole process. False where this LLVM has no such option.
bool set_option(rust::Str name, rust::Str value);
// What LLVM's machine of some target knows: names for `--target-cpu`, and of features without their sign.
rust::Vec<rust::String> processors(size_t machine);
rust::Vec<rust::String> processor_features(size_t machine);
const LayoutCache &layout_cache(size_t context);
void emit_error(size_t op, rust::Str message, rust::Slice<const rust::String> notes,
                rust::Str rule);
void emit_remark(size_t op, rust::Str message);
void emit_warning(size_t op, rust::Str message, rust::Slice<const rust::String> notes);
bool keeps_encoding(size_t op);
// 1 for `#gluon.auto_encoding`, 2 for `#gluon.coalesced_encoding`, 0 for other attributes.
uint8_t open_layout(size_t attribute);
struct OpNumber;
OpNumber op_number(size_t op);
PointerInfo pointer_info(size_t type);
// The shape lives as long as the type's context.
TensorInfo tensor_info(size_t type);
BufferInfo buffer_info(size_t type);
// A discardable attribute of the innermost operation around `op`, itself included, or null.
size_t nearest_attribute(size_t op, rust::Str name);
// Replaces attributes everywhere below an operation, in types and constants too.
void replace_parts(size_t op, rust::Slice<const size_t> from_attributes,
                   rust::Slice<const size_t> to_attributes, rust::Slice<const size_t> from_types,
                   rust::Slice<const size_t> to_types);
// Takes an operation out of the IR into the block `limbo`, with stand-ins for all that it uses, and tells
// the rewriter's listener that it is gone; false where its results are used.
bool erase(size_t rewriter, size_t op, size_t limbo);
// Moves the blocks of each region to the region of the same number.
void move_regions(size_t rewriter, size_t from, size_t to);
} // namespace bridge

// Makes an error carry the label of the rule that is broken, if it has one.
mlir::InFlightDiagnostic broken(mlir::InFlightDiagnostic error, llvm::StringRef rule);

// Rust's cache of layouts, owned by the dialect of one context.
struct LayoutCacheHolder {
  LayoutCacheHolder();
  rust::Box<bridge::LayoutCache> cache;
};

// An attribute that was parsed from `begin` on, in its normal spelling; null where it is null, and after
// an error that names the rule it breaks and stands at the key that breaks it.
mlir::Attribute checkedAttribute(mlir::AsmParser &parser, mlir::Attribute attr, llvm::SMLoc begin);

// Whether a buffer's type keeps the rules of buffers; an error names the rule it breaks.
bool isValidBuffer(mlir::Type buffer, llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

// Prints what Rust calls an encoding, where the context has pretty aliases; false for what is none.
bool printPrettyName(mlir::Attribute attr, llvm::raw_ostream &os);

} // namespace ll

#endif
