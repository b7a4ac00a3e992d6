// The FFI between C++ and Rust. Handles are those of MLIR's C API; text is (pointer, length).
//
// No exception and no panic crosses: Rust catches its panics, and C++ is built without exceptions.
#ifndef LL_DIALECT_BRIDGE_H
#define LL_DIALECT_BRIDGE_H

#include "mlir-c/Rewrite.h"
#include "mlir/CAPI/Diagnostics.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm-c/TargetMachine.h"
#include "rust/cxx.h"

namespace ll {

namespace bridge {
// The Rust names, each a distinct type.
using ::LLVMBasicBlockRef, ::LLVMContextRef, ::LLVMModuleRef, ::LLVMTargetMachineRef, ::MlirAttribute, ::MlirBlock, ::MlirContext,
    ::MlirDiagnostic, ::MlirDialectRegistry, ::MlirOperation, ::MlirType;
using MlirRewriter = ::MlirRewriterBase;

struct LayoutCache;
struct PointerInfo;
struct ArrayInfo;
struct TensorInfo;
struct BufferInfo;

// User text need not be UTF-8 and is passed as bytes. `view` is for text of this project.
inline rust::Slice<const uint8_t> bytes(llvm::StringRef text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}
inline rust::Str view(llvm::StringRef text) { return rust::Str(text.data(), text.size()); }
inline llvm::StringRef view(rust::Str text) { return {text.data(), text.size()}; }

// --- called from Rust ---
void register_dialects(MlirDialectRegistry registry);
void register_passes();
// Returns the first name in a textual pipeline that is neither an anchor nor a registered pass, or an empty text.
rust::String unknown_pass(rust::Slice<const uint8_t> pipeline);
// All arguments are zero-terminated, here and below.
int32_t opt_main(rust::Slice<const uint8_t> arguments, rust::Str overview, rust::Str examples,
                 rust::Str dialects, rust::Str lowered, rust::Str version);
// Returns the label of a diagnostic's rule as a string attribute, or null.
MlirAttribute diagnostic_rule(MlirDiagnostic diagnostic);
int32_t lsp_main(rust::Slice<const uint8_t> arguments);
// Reads bytecode in a child process, which writes it again; `name` is the name in messages, `most` the limit for the
// nesting depth of operations.
struct TriedBytecode;
TriedBytecode try_bytecode(rust::Slice<const uint8_t> bytecode, rust::Str name, uint32_t most);
void select_strength_reduction(LLVMContextRef context, bool straight_line, bool loops);
// Links the functions that a module calls from a bitcode library. Returns an error message, or an empty text.
rust::String link_needed(LLVMModuleRef module, rust::Slice<const uint8_t> path);
// Returns the instructions of a block after its phis; reorders them by a permutation of their positions.
struct BlockInstruction;
rust::Vec<BlockInstruction> block_instructions(LLVMBasicBlockRef block);
void order_block(LLVMBasicBlockRef block, rust::Slice<const uint32_t> order);
// Sets an LLVM command-line option for the process. Returns false if this LLVM does not have it.
bool set_option(rust::Str name, rust::Str value);
// Returns the CPU names of a target machine, and its features without sign.
rust::Vec<rust::String> processors(LLVMTargetMachineRef machine);
rust::Vec<rust::String> processor_features(LLVMTargetMachineRef machine);
const LayoutCache &layout_cache(MlirContext context);
void emit_error(MlirOperation op, rust::Str message, rust::Slice<const rust::String> notes,
                rust::Str rule);
void emit_remark(MlirOperation op, rust::Str message);
void emit_warning(MlirOperation op, rust::Str message, rust::Slice<const rust::String> notes);
bool keeps_encoding(MlirOperation op);
// 1 for `#gluon.auto_encoding`, 2 for `#gluon.coalesced_encoding`, 0 for other attributes.
uint8_t open_layout(MlirAttribute attribute);
struct OpNumber;
OpNumber op_number(MlirOperation op);
PointerInfo pointer_info(MlirType type);
// The shape is owned by the type's context.
TensorInfo tensor_info(MlirType type);
BufferInfo buffer_info(MlirType type);
// Returns the inherent attributes of an operation as a dictionary, or null.
MlirAttribute properties(MlirOperation op);
ArrayInfo array_info(MlirType type);
// Returns a discardable attribute of `op` or its nearest ancestor that has it, or null.
MlirAttribute nearest_attribute(MlirOperation op, rust::Str name);
// Replaces attributes below an operation, also in types and constants.
void replace_parts(MlirOperation op, rust::Slice<const MlirAttribute> from_attributes,
                   rust::Slice<const MlirAttribute> to_attributes,
                   rust::Slice<const MlirType> from_types, rust::Slice<const MlirType> to_types);
// Moves an operation into the block `limbo`, with placeholders for its operands, and notifies the rewriter's listener of
// its erasure; returns false if its results have uses.
bool erase(MlirRewriter rewriter, MlirOperation op, MlirBlock limbo);
// Moves the blocks of each region to the region with the same index.
void move_regions(MlirRewriter rewriter, MlirOperation from, MlirOperation to);
} // namespace bridge

// Attaches the label of the violated rule to an error, if there is one.
mlir::InFlightDiagnostic broken(mlir::InFlightDiagnostic error, llvm::StringRef rule);

// Rust's cache of layouts, owned by the dialect of one context.
struct LayoutCacheHolder {
  LayoutCacheHolder();
  rust::Box<bridge::LayoutCache> cache;
};

// Returns an attribute parsed from `begin` on; encodings and cache policies in canonical form. Null for null, and after
// an error with the violated rule at the offending key.
mlir::Attribute checkedAttribute(mlir::AsmParser &parser, mlir::Attribute attr, llvm::SMLoc begin);

// Verifies the type of a buffer; an error has the violated rule.
bool isValidBuffer(mlir::Type buffer, llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

// Prints the alias of an encoding if the context has pretty aliases; returns false for other attributes.
bool printPrettyName(mlir::Attribute attr, llvm::raw_ostream &os);

} // namespace ll

#endif
