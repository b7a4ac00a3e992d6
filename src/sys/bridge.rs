//! Functions that C++ and Rust call across the language boundary.
//!
//! Handles are those of MLIR's and LLVM's C API, each with its own type. [`super::guard`] catches panics of functions
//! that C++ calls.

use super::callbacks::*;
use inkwell::llvm_sys::prelude::{
    LLVMBasicBlockRef as LlvmBlock, LLVMContextRef as Context, LLVMModuleRef as LlvmModule,
};
use inkwell::llvm_sys::target_machine as machine;

macro_rules! handles {
    ($($name:ident($raw:ty), $id:tt;)*) => {$(
        /// A handle of MLIR's or LLVM's C API.
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $name(pub(super) $raw);

        // SAFETY: both sides are one pointer, and C++ declares the name as the C API's.
        unsafe impl cxx::ExternType for $name {
            type Id = cxx::type_id!($id);
            type Kind = cxx::kind::Trivial;
        }
    )*};
}

handles! {
    LLVMBasicBlockRef(LlvmBlock), "ll::bridge::LLVMBasicBlockRef";
    LLVMContextRef(Context), "ll::bridge::LLVMContextRef";
    LLVMModuleRef(LlvmModule), "ll::bridge::LLVMModuleRef";
    LLVMTargetMachineRef(machine::LLVMTargetMachineRef), "ll::bridge::LLVMTargetMachineRef";
    MlirAttribute(mlir_sys::MlirAttribute), "ll::bridge::MlirAttribute";
    MlirBlock(mlir_sys::MlirBlock), "ll::bridge::MlirBlock";
    MlirContext(mlir_sys::MlirContext), "ll::bridge::MlirContext";
    MlirDiagnostic(mlir_sys::MlirDiagnostic), "ll::bridge::MlirDiagnostic";
    MlirDialectRegistry(mlir_sys::MlirDialectRegistry), "ll::bridge::MlirDialectRegistry";
    MlirOperation(mlir_sys::MlirOperation), "ll::bridge::MlirOperation";
    MlirRewriter(super::rewriter::Raw), "ll::bridge::MlirRewriter";
    MlirType(mlir_sys::MlirType), "ll::bridge::MlirType";
}

#[cxx::bridge(namespace = "ll::bridge")]
pub(super) mod ffi {
    /// An MLIR pass to run after a pass of this project.
    #[derive(Debug)]
    enum FollowUp {
        /// The pass `convert-to-llvm`.
        ToLlvm,
        /// The pass `reconcile-unrealized-casts`.
        ReconcileCasts,
        /// The pass `cse`.
        Cse,
    }

    /// The value of a pass option. The type of the option selects the field.
    #[derive(Clone, Copy, Debug)]
    struct OptionValue<'a> {
        /// Text value.
        text: &'a [u8],
        /// Integer value; 0 or 1 for Booleans.
        number: i64,
    }

    /// The outcome of a pass, and the passes that must run after it.
    ///
    /// `pipeline` is a textual pipeline of this project's passes. `follow_ups` are MLIR's passes, which run after
    /// this pipeline.
    struct PassOutcome {
        succeeded: bool,
        pipeline: String,
        follow_ups: Vec<FollowUp>,
    }

    /// An instruction of an LLVM basic block. Phis are not included.
    #[derive(Clone, Debug)]
    struct BlockInstruction {
        /// Positions in the block of the instructions that compute the operands. Operands that are phis or come
        /// from outside the block are omitted.
        operands: Vec<u32>,
        /// Number of 32-bit registers that the result occupies. A predicate occupies 0.
        registers: u32,
        /// True if the instruction may be moved to any place after its operands and before its users.
        is_movable: bool,
        /// True if a phi or another block uses the result.
        is_live_out: bool,
    }

    #[derive(Debug)]
    enum BytecodeOutcome {
        /// The module was read, verified and written again.
        Written,
        /// The child process could not be created.
        Untried,
        /// MLIR's reader rejected the module. `TriedBytecode::bytes` contains the diagnostics.
        Refused,
        TooDeep,
        /// A signal terminated the child process.
        Damaged,
    }

    struct TriedBytecode {
        outcome: BytecodeOutcome,
        bytes: Vec<u8>,
        signal: i32,
    }

    struct ReadInput {
        bytes: Vec<u8>,
        refusal: String,
    }

    /// Parts of a `!tt.ptr`. The pointee is null for other types.
    struct PointerInfo {
        pointee: MlirType,
        address_space: i32,
    }

    /// Parts of an `!llvm.array`. The element is null for other types.
    struct ArrayInfo {
        element: MlirType,
        count: u64,
    }

    /// Parts of a ranked tensor of static shape. The element is null for other types.
    struct TensorInfo {
        shape: &'static [i64],
        element: MlirType,
        encoding: MlirAttribute,
    }

    /// The parts of a `!ttg.memdesc` (kind 1), `!tt.tensordesc` (kind 2) or `!ttng.tensordesc_im2col` (kind 3). For
    /// any other type, the kind is 0.
    struct BufferInfo {
        kind: u8,
        shape: Vec<i64>,
        element: MlirType,
        encoding: MlirAttribute,
        memory_space: MlirAttribute,
        is_mutable: bool,
        alloc_shape: Vec<i64>,
    }

    /// The kind of an operation, and its index in the generated enum for that kind.
    ///
    /// Kind 1 is an operation of this project, kind 2 an operation of MLIR, and kind 0 any other operation, which
    /// has no index.
    struct OpNumber {
        kind: u8,
        index: u16,
    }

    /// Result of an attribute check.
    ///
    /// If the attribute is invalid, `reason` is the error message, `rule` is the label of the broken rule, if
    /// known, and `place` is the byte offset of the error. If the attribute is valid but does not have the normal
    /// spelling, `normal` is the normal spelling. In all other cases, these texts are empty.
    struct AttributeCheck {
        reason: String,
        rule: &'static str,
        place: usize,
        normal: String,
    }

    /// Result of a type check. `reason` is empty for a valid type.
    struct TypeCheck {
        reason: String,
        rule: &'static str,
    }

    /// Explanation of a rule. `text` is an error message if the label is unknown.
    struct RuleExplanation {
        is_known: bool,
        text: String,
    }

    /// Diagnostic for an unknown name. `note` may be empty.
    struct UnknownName {
        message: String,
        note: String,
    }

    extern "Rust" {
        type LayoutCache;
        fn new_layout_cache() -> Box<LayoutCache>;
        fn check_attribute(
            self: &LayoutCache,
            attribute: MlirAttribute,
            text: &[u8],
        ) -> AttributeCheck;

        fn pretty_name(self: &LayoutCache, attribute: MlirAttribute) -> String;
        fn check_type(self: &LayoutCache, type_: MlirType) -> TypeCheck;
        fn rule_note(label: &str) -> String;
        fn name_rules(are_named: bool);
        fn verify_layout_rewrites();
        fn explain_rule(label: &[u8]) -> RuleExplanation;
        fn unknown_name(kind: &str, dialect: &[u8], name: &[u8], known: &[String]) -> UnknownName;
        fn read_checked_input(path: &[u8]) -> ReadInput;
        fn wrong_key(dialect: &str, family: &str, key: &str) -> String;
        fn verify_operation(op: MlirOperation) -> bool;
        fn verify_attribute(op: MlirOperation, name: &[u8]) -> bool;
        fn canonicalize(rewriter: MlirRewriter, op: MlirOperation) -> bool;
        fn verify_same_encoding(op: MlirOperation, results: bool) -> bool;
        fn with_layout_comments(text: &[u8], marker: &str) -> Vec<u8>;
        fn run_pass(number: u16, options: &[OptionValue<'_>], op: MlirOperation) -> PassOutcome;
        fn finish_pass(number: u16, options: &[OptionValue<'_>], op: MlirOperation) -> bool;
    }

    unsafe extern "C++" {
        include!("dialect/Bridge.h");

        type LLVMBasicBlockRef = super::LLVMBasicBlockRef;
        type LLVMContextRef = super::LLVMContextRef;
        type LLVMModuleRef = super::LLVMModuleRef;
        type LLVMTargetMachineRef = super::LLVMTargetMachineRef;
        type MlirAttribute = super::MlirAttribute;
        type MlirBlock = super::MlirBlock;
        type MlirContext = super::MlirContext;
        type MlirDiagnostic = super::MlirDiagnostic;
        type MlirDialectRegistry = super::MlirDialectRegistry;
        type MlirOperation = super::MlirOperation;
        type MlirRewriter = super::MlirRewriter;
        type MlirType = super::MlirType;

        fn register_dialects(registry: MlirDialectRegistry);
        fn register_passes();
        fn unknown_pass(pipeline: &[u8]) -> String;
        fn opt_main(
            arguments: &[u8],
            overview: &str,
            examples: &str,
            dialects: &str,
            lowered: &str,
            version: &str,
        ) -> i32;
        fn lsp_main(arguments: &[u8]) -> i32;
        fn try_bytecode(bytecode: &[u8], name: &str, most: u32) -> TriedBytecode;
        fn select_strength_reduction(context: LLVMContextRef, straight_line: bool, loops: bool);
        fn link_needed(module: LLVMModuleRef, path: &[u8]) -> String;
        fn block_instructions(block: LLVMBasicBlockRef) -> Vec<BlockInstruction>;
        fn order_block(block: LLVMBasicBlockRef, order: &[u32]);
        fn set_option(name: &str, value: &str) -> bool;
        fn processors(machine: LLVMTargetMachineRef) -> Vec<String>;
        fn processor_features(machine: LLVMTargetMachineRef) -> Vec<String>;
        fn layout_cache(context: MlirContext) -> &'static LayoutCache;
        fn emit_error(op: MlirOperation, message: &str, notes: &[String], rule: &str);
        fn diagnostic_rule(diagnostic: MlirDiagnostic) -> MlirAttribute;
        fn emit_remark(op: MlirOperation, message: &str);
        fn emit_warning(op: MlirOperation, message: &str, notes: &[String]);
        fn keeps_encoding(op: MlirOperation) -> bool;
        fn open_layout(attribute: MlirAttribute) -> u8;
        fn op_number(op: MlirOperation) -> OpNumber;
        fn pointer_info(type_: MlirType) -> PointerInfo;
        fn tensor_info(type_: MlirType) -> TensorInfo;
        fn buffer_info(type_: MlirType) -> BufferInfo;
        fn properties(op: MlirOperation) -> MlirAttribute;
        fn array_info(type_: MlirType) -> ArrayInfo;
        fn nearest_attribute(op: MlirOperation, name: &str) -> MlirAttribute;
        fn replace_parts(
            op: MlirOperation,
            from_attributes: &[MlirAttribute],
            to_attributes: &[MlirAttribute],
            from_types: &[MlirType],
            to_types: &[MlirType],
        );
        fn erase(rewriter: MlirRewriter, op: MlirOperation, limbo: MlirBlock) -> bool;
        fn move_regions(rewriter: MlirRewriter, from: MlirOperation, to: MlirOperation);
    }
}
