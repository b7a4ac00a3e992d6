// The border between C++ and Rust. Handles cross as those of MLIR's C API; text as (pointer, length).
//
// No exception and no panic crosses: Rust catches its own, and this side is built without
// exceptions.
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
// As Rust names them: each a type of its own.
using ::LLVMBasicBlockRef, ::LLVMContextRef, ::LLVMModuleRef, ::LLVMTargetMachineRef, ::MlirAttribute, ::MlirBlock, ::MlirContext,
    ::MlirDiagnostic, ::MlirDialectRegistry, ::MlirOperation, ::MlirType;
using MlirRewriter = ::MlirRewriterBase;

struct LayoutCache;
struct PointerInfo;
struct ArrayInfo;
struct TensorInfo;
struct BufferInfo;

// Text that a user wrote need not be UTF-8, so it crosses as bytes. `view` is for our own words.
inline rust::Slice<const uint8_t> bytes(llvm::StringRef text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}
inline rust::Str view(llvm::StringRef text) { return rust::Str(text.data(), text.size()); }
inline llvm::StringRef view(rust::Str text) { return {text.data(), text.size()}; }

// --- called from Rust ---
void register_dialects(MlirDialectRegistry registry);
void register_passes();
// Each argument ends with a zero byte, here and below.
int32_t opt_main(rust::Slice<const uint8_t> arguments, rust::Str overview, rust::Str examples,
                 rust::Str dialects, rust::Str lowered, rust::Str version);
// The label of the rule that a diagnostic says is broken, as a text attribute, or null.
MlirAttribute diagnostic_rule(MlirDiagnostic diagnostic);
int32_t lsp_main(rust::Slice<const uint8_t> arguments);
// Reads bytecode in a child process, which writes it again; `name` is what messages call it, and `most` how deep
// operations may be nested.
struct TriedBytecode;
TriedBytecode try_bytecode(rust::Slice<const uint8_t> bytecode, rust::Str name, uint32_t most);
void disable_pass(LLVMContextRef context, rust::Str name);
// Links what a module calls from a library of bitcode into it. Returns why it cannot, or no text.
rust::String link_needed(LLVMModuleRef module, rust::Slice<const uint8_t> path);
// The instructions of a block after its phis, and puts them into another order: the position of each that comes next.
struct BlockInstruction;
rust::Vec<BlockInstruction> block_instructions(LLVMBasicBlockRef block);
void order_block(LLVMBasicBlockRef block, rust::Slice<const uint32_t> order);
// Sets an option of LLVM's command line for the whole process. False where this LLVM has no such option.
bool set_option(rust::Str name, rust::Str value);
// What LLVM's machine of some target knows: names for `--target-cpu`, and of features without their sign.
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
// The shape lives as long as the type's context.
TensorInfo tensor_info(MlirType type);
BufferInfo buffer_info(MlirType type);
// The inherent attributes of an operation as a dictionary, or null where it has none.
MlirAttribute properties(MlirOperation op);
ArrayInfo array_info(MlirType type);
// A discardable attribute of the innermost operation around `op`, itself included, or null.
MlirAttribute nearest_attribute(MlirOperation op, rust::Str name);
// Replaces attributes everywhere below an operation, in types and constants too.
void replace_parts(MlirOperation op, rust::Slice<const MlirAttribute> from_attributes,
                   rust::Slice<const MlirAttribute> to_attributes,
                   rust::Slice<const MlirType> from_types, rust::Slice<const MlirType> to_types);
// Takes an operation out of the IR into the block `limbo`, with stand-ins for all that it uses, and tells
// the rewriter's listener that it is gone; false where its results are used.
bool erase(MlirRewriter rewriter, MlirOperation op, MlirBlock limbo);
// Moves the blocks of each region to the region of the same number.
void move_regions(MlirRewriter rewriter, MlirOperation from, MlirOperation to);
} // namespace bridge

// Makes an error carry the label of the rule that is broken, if it has one.
mlir::InFlightDiagnostic broken(mlir::InFlightDiagnostic error, llvm::StringRef rule);

// Rust's cache of layouts, owned by the dialect of one context.
struct LayoutCacheHolder {
  LayoutCacheHolder();
  rust::Box<bridge::LayoutCache> cache;
};

// An attribute that was parsed from `begin` on; an encoding or a cache policy in its normal spelling. Null where it is
// null, and after an error that names the rule it breaks and stands at the key that breaks it.
mlir::Attribute checkedAttribute(mlir::AsmParser &parser, mlir::Attribute attr, llvm::SMLoc begin);

// Whether a buffer's type keeps the rules of buffers; an error names the rule it breaks.
bool isValidBuffer(mlir::Type buffer, llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

// Prints what Rust calls an encoding, where the context has pretty aliases; false for what is none.
bool printPrettyName(mlir::Attribute attr, llvm::raw_ostream &os);

} // namespace ll

#endif
