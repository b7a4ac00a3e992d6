//! The FFI boundary: the only module with unsafe code.
//!
//! [`bridge`](self) declares the functions across the boundary. Higher layers implement [`Semantics`] and [`Passes`].
//! The other functions wrap MLIR's C API where melior does not.
#![allow(unsafe_code, reason = "the one room that talks to C and C++")]

#[allow(unreachable_pub, reason = "cxx generates public items")]
mod bridge;
pub mod build;
mod c_api;
mod c_requests;
mod callbacks;
mod input;
pub mod parts;
mod plugin;
mod rewriter;
mod text;
mod translate;

pub use callbacks::{
    AttributeError, Diagnostic, LayoutCache, NextPasses, Passes, Reported, Semantics, emit_error,
    emit_remark, emit_warning, install, name_rules,
};

pub(crate) use callbacks::are_rewrites_verified;

pub use bridge::ffi::{FollowUp, OptionValue};
pub use c_requests::{Answer, Requests, install_requests};

pub use rewriter::{Rewriter, rewrite};

pub use input::{
    MAX_NESTING, TooDeep, checked_input, input_name, parse_input, read_checked_input, read_input,
    too_deep,
};
pub use text::{Text, bounded};
pub use translate::{
    BlockInstruction, BlockOrder, attach_diagnostic_handler, link_needed, parse_file,
    processor_features, processors, recovered, select_strength_reduction, set_llvm_option,
    stop_at_broken_pipe, to_llvm_ir, version,
};

use bridge::{MlirAttribute, MlirContext, MlirDialectRegistry, MlirOperation, MlirType, ffi};
use melior::dialect::DialectRegistry;
use melior::ir::operation::OperationLike;
use melior::ir::{
    Attribute, AttributeLike, BlockRef, Identifier, Location, OperationRef, Type, TypeLike, Value,
    ValueLike,
};
use melior::{Context, ContextRef};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};

/// Copies an MLIR string, which may be empty or not UTF-8. melior's `as_str` panics for such strings.
#[must_use]
pub fn text(string: melior::StringRef<'_>) -> String {
    let raw = string.to_raw();
    if raw.length == 0 {
        return String::new();
    }
    // SAFETY: MLIR's string outlives the reference to it.
    let bytes = unsafe { std::slice::from_raw_parts(raw.data.cast::<u8>(), raw.length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns an identifier of a value, unique among live values.
#[must_use]
pub fn value_id(value: Value<'_, '_>) -> usize {
    value.to_raw().ptr as usize
}

/// Returns an identifier of a type. Types are uniqued, so equal types have the same identifier.
#[must_use]
pub fn type_id(type_: Type<'_>) -> usize {
    type_.to_raw().ptr as usize
}

/// Returns an identifier of an attribute. Attributes are uniqued, so equal attributes have the same identifier.
#[must_use]
pub fn attribute_id(attribute: Attribute<'_>) -> usize {
    attribute.to_raw().ptr as usize
}

/// Returns a number that identifies a name. Names are uniqued, so equal names have the same number.
#[must_use]
pub fn identifier_id(identifier: Identifier<'_>) -> usize {
    identifier.to_raw().ptr as usize
}

/// Returns the text of an identifier.
#[must_use]
pub fn identifier_text<'c>(identifier: Identifier<'c>) -> &'c str {
    // SAFETY: the context owns the text of its identifiers and never frees it before its own end.
    let bytes = unsafe {
        let text = mlir_sys::mlirIdentifierStr(identifier.to_raw());
        std::slice::from_raw_parts(text.data.cast::<u8>(), text.length)
    };
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// Returns the bytes of a string attribute, or `None` for other attributes.
///
/// The string may be empty or not UTF-8; melior's `value` panics for such strings.
#[must_use]
pub fn string_value<'c>(attribute: Attribute<'c>) -> Option<Text<'c>> {
    let raw = attribute.to_raw();
    // SAFETY: the attribute is alive as long as its context.
    if !unsafe { mlir_sys::mlirAttributeIsAString(raw) } {
        return None;
    }
    // SAFETY: the attribute is a string.
    let text = unsafe { mlir_sys::mlirStringAttrGetValue(raw) };
    // SAFETY: the context owns the text of its attributes and never frees it before its own end.
    Some(unsafe { owned_by_context(text) })
}

/// Returns the name of a flat symbol reference, or `None` for other attributes.
#[must_use]
pub fn symbol_name<'c>(attribute: Attribute<'c>) -> Option<Text<'c>> {
    let raw = attribute.to_raw();
    // SAFETY: the attribute is alive as long as its context.
    if !unsafe { mlir_sys::mlirAttributeIsAFlatSymbolRef(raw) } {
        return None;
    }
    // SAFETY: it is a flat symbol reference; the context owns the text of its attributes.
    Some(unsafe { owned_by_context(mlir_sys::mlirFlatSymbolRefAttrGetValue(raw)) })
}

/// Returns a text that borrows its bytes from a context.
///
/// # Safety
/// A context must own the text and outlive the result.
unsafe fn owned_by_context<'c>(text: mlir_sys::MlirStringRef) -> Text<'c> {
    Text::new(match text.length {
        0 => &[],
        // SAFETY: guaranteed by the caller.
        length => unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), length) },
    })
}

/// Returns an identifier of a block, unique among live blocks.
#[must_use]
pub fn block_id(block: BlockRef<'_, '_>) -> usize {
    block.to_raw().ptr as usize
}

/// Returns an identifier of an operation, unique among live operations.
#[must_use]
pub fn operation_id(op: OperationRef<'_, '_>) -> usize {
    op.to_raw().ptr as usize
}

/// Kind of an operation, and its index in the enum of `ir::ops` for that kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpIndex {
    /// An operation of this project. Contains its index in the enum of these operations.
    Own(usize),
    /// An MLIR operation that TTGIR uses. Contains its index in the enum of these operations.
    Upstream(usize),
    /// Any other operation.
    Other,
}

/// Returns the kind and the index of an operation.
#[must_use]
pub fn op_number(op: OperationRef<'_, '_>) -> OpIndex {
    let number = ffi::op_number(MlirOperation(op.to_raw()));
    match number.kind {
        1 => OpIndex::Own(usize::from(number.index)),
        2 => OpIndex::Upstream(usize::from(number.index)),
        _ => OpIndex::Other,
    }
}

/// Returns true if the operation is a `builtin.module`.
#[must_use]
pub fn is_module(op: OperationRef<'_, '_>) -> bool {
    op.name().as_string_ref().as_str() == Ok("builtin.module")
}

/// Returns true if all tensor operands and results of an operation must have the same encoding.
///
/// This is so for elementwise operations, and for operations whose declaration requires the same encoding.
#[must_use]
pub fn keeps_encoding(op: OperationRef<'_, '_>) -> bool {
    ffi::keeps_encoding(MlirOperation(op.to_raw()))
}

/// A placeholder for a layout that a later pass infers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenLayout {
    /// `#gluon.auto_encoding`: the layout is inferred from neighbouring operations.
    Auto,
    /// `#gluon.coalesced_encoding`: the inferred layout is one that coalesces global-memory accesses.
    Coalesced,
}

/// Returns the placeholder that an attribute represents, or `None` for other attributes.
#[must_use]
pub fn open_layout(attribute: Attribute<'_>) -> Option<OpenLayout> {
    match ffi::open_layout(MlirAttribute(attribute.to_raw())) {
        1 => Some(OpenLayout::Auto),
        2 => Some(OpenLayout::Coalesced),
        _ => None,
    }
}

/// Returns the pointee and the address space of a `!tt.ptr`, or `None` for other types.
#[must_use]
pub fn pointer<'c>(type_: Type<'c>) -> Option<(Type<'c>, i32)> {
    let info = ffi::pointer_info(MlirType(type_.to_raw()));
    // SAFETY: C++ returned a type of the same context, or null.
    let pointee = unsafe { Type::from_option_raw(info.pointee.0) };
    Some((pointee?, info.address_space))
}

/// The parts of a ranked tensor of static shape.
#[derive(Clone, Copy, Debug)]
pub struct Tensor<'c> {
    /// Sizes of the dimensions, in elements.
    pub shape: &'c [u64],
    /// The element type.
    pub element: Type<'c>,
    /// Encoding, if any.
    pub encoding: Option<Attribute<'c>>,
}

/// Returns the parts of a ranked tensor of static shape, or `None` for other types.
#[must_use]
pub fn tensor<'c>(type_: Type<'c>) -> Option<Tensor<'c>> {
    let info = ffi::tensor_info(MlirType(type_.to_raw()));
    // SAFETY: sizes are not negative in a static shape, and both integers have one layout. C++
    // returned a type and an attribute of the same context, or null.
    unsafe {
        Some(Tensor {
            element: Type::from_option_raw(info.element.0)?,
            shape: std::slice::from_raw_parts(info.shape.as_ptr().cast(), info.shape.len()),
            encoding: Attribute::from_option_raw(info.encoding.0),
        })
    }
}

/// Returns the discardable attribute `name` of `op`. If `op` does not have this attribute, returns the attribute
/// `name` of the nearest ancestor that has it, or `None` if no ancestor has it.
#[must_use]
pub fn nearest_attribute<'c>(op: OperationRef<'c, '_>, name: &str) -> Option<Attribute<'c>> {
    let found = ffi::nearest_attribute(MlirOperation(op.to_raw()), name);
    // SAFETY: C++ returned an attribute of the same context, or null.
    unsafe { Attribute::from_option_raw(found.0) }
}

/// The parts of a `!ttg.memdesc`, `!tt.tensordesc` or `!ttng.tensordesc_im2col`.
#[derive(Clone, Debug)]
pub struct BufferType<'c> {
    /// Shape of the view, in elements.
    pub shape: Vec<u64>,
    /// Element type.
    pub element: Type<'c>,
    /// Encoding, if any.
    pub encoding: Option<Attribute<'c>>,
    /// Memory space. `None` for a tensor descriptor, which describes a block in global memory.
    pub memory_space: Option<Attribute<'c>>,
    /// True if the buffer is writable.
    pub is_mutable: bool,
    /// Shape of the allocation. Empty for a tensor descriptor.
    pub alloc_shape: Vec<u64>,
    /// True for an im2col descriptor, with which a convolution reads an image as a matrix.
    pub is_im2col: bool,
}

/// Returns true for `!ttg.async.token`.
pub fn is_async_token(type_: Type<'_>) -> bool {
    type_.to_string() == "!ttg.async.token"
}

/// Returns the parts of a buffer type, or `None` for other types.
#[must_use]
pub fn buffer<'c>(type_: Type<'c>) -> Option<BufferType<'c>> {
    let info = ffi::buffer_info(MlirType(type_.to_raw()));
    // SAFETY: C++ returned attributes and a type of the same context, or null.
    let (element, encoding, memory_space) = unsafe {
        (
            Type::from_option_raw(info.element.0)?,
            Attribute::from_option_raw(info.encoding.0),
            Attribute::from_option_raw(info.memory_space.0),
        )
    };
    let sizes = |shape: &[i64]| {
        shape
            .iter()
            .map(|n| u64::try_from(*n).unwrap_or(0))
            .collect()
    };
    Some(BufferType {
        shape: sizes(&info.shape),
        element,
        encoding,
        memory_space,
        is_mutable: info.is_mutable,
        alloc_shape: sizes(&info.alloc_shape),
        is_im2col: info.kind == 3,
    })
}

/// Returns the layout cache, which the `ttg` dialect of the context owns.
#[must_use]
pub fn layout_cache<'c>(context: ContextRef<'c>) -> &'c LayoutCache {
    // SAFETY: the context is alive.
    let context = unsafe { context.to_ref() };
    ffi::layout_cache(MlirContext(context.to_raw()))
}

/// Converts a `ContextRef` to the `&Context` that melior's constructors need.
///
/// melior's conversion borrows the handle instead of the context, so one handle per context address is leaked.
pub(crate) fn context_of<'c>(context: ContextRef<'c>) -> &'c Context {
    static KEPT: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());
    // SAFETY: the context is alive.
    let address = unsafe { context.to_ref() }.to_raw().ptr as usize;
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let handle = *kept.entry(address).or_insert_with(|| {
        let raw = mlir_sys::MlirContext {
            ptr: address as *mut _,
        };
        std::ptr::from_mut(Box::leak(Box::new(raw))) as usize
    });
    // SAFETY: `Context` is one raw handle, as `ContextRef::to_ref` relies on; this one is never freed.
    unsafe { &*(handle as *const Context) }
}

/// Adds the dialects of this project to a registry.
pub fn register_dialects(registry: &DialectRegistry) {
    ffi::register_dialects(MlirDialectRegistry(registry.to_raw()));
}

/// Registers the passes of this project with MLIR, for the whole process.
pub fn register_passes() {
    ffi::register_passes();
}

/// Returns the first name in a textual pipeline that is not the name of a registered pass. `None` if all names are
/// registered.
pub(crate) fn unknown_pass(pipeline: &str) -> Option<String> {
    Some(ffi::unknown_pass(pipeline.as_bytes())).filter(|name| !name.is_empty())
}

/// Output texts of `ll-opt`, and the function for `--explain-rule`.
#[derive(Clone, Copy, Debug)]
pub struct OptTexts<'t> {
    /// First lines of `--help`.
    pub overview: &'t str,
    /// Last lines of `--help`.
    pub examples: &'t str,
    /// Text that `--show-dialects` prints before MLIR's list of dialects.
    pub dialects: &'t str,
    /// Output of `--list-lowered-operations`.
    pub lowered: &'t str,
    /// Function that `--explain-rule` calls. It returns the explanation of the rule with a given label, or an error
    /// if the label is unknown.
    pub explain_rule: fn(&str) -> Result<String, String>,
    /// Output of `--version`.
    pub version: &'t str,
}

/// Concatenates arguments. A zero byte terminates each argument.
fn ended(arguments: &[OsString]) -> Vec<u8> {
    let mut all = Vec::new();
    for argument in arguments {
        all.extend(argument.as_encoded_bytes());
        all.push(0);
    }
    all
}

/// Runs MLIR's `mlir-opt` driver with all dialects and passes. Returns the exit code.
#[must_use]
pub fn opt_main(arguments: &[OsString], texts: &OptTexts<'_>) -> i32 {
    *callbacks::EXPLAIN
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner) = Some(texts.explain_rule);
    ffi::opt_main(
        &ended(arguments),
        texts.overview,
        texts.examples,
        texts.dialects,
        texts.lowered,
        texts.version,
    )
}

/// Runs MLIR's language server on standard input and output. Returns the exit code.
#[must_use]
pub fn lsp_main(arguments: &[OsString]) -> i32 {
    ffi::lsp_main(&ended(arguments))
}

/// Returns true if a value has no use.
#[must_use]
pub fn is_unused(value: Value<'_, '_>) -> bool {
    // SAFETY: the value is alive.
    unsafe { mlir_sys::mlirOpOperandIsNull(mlir_sys::mlirValueGetFirstUse(value.to_raw())) }
}

/// A location in a file. Lines and columns start at 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileLocation {
    /// Name of the file.
    pub file: String,
    /// Line number.
    pub line: u32,
    /// Column number.
    pub column: u32,
}

/// Returns the position of a `FileLineColLoc`, or `None` for other locations.
#[must_use]
pub fn file_location(location: Location<'_>) -> Option<FileLocation> {
    // SAFETY: the location is alive, and only accessors of its kind are used; the name is copied.
    unsafe {
        let raw = location.to_raw();
        if !mlir_sys::mlirLocationIsAFileLineColRange(raw) {
            return None;
        }
        let name = mlir_sys::mlirLocationFileLineColRangeGetFilename(raw);
        let line = mlir_sys::mlirLocationFileLineColRangeGetStartLine(raw);
        let column = mlir_sys::mlirLocationFileLineColRangeGetStartColumn(raw);
        let name = Identifier::from_raw(name);
        Some(FileLocation {
            file: identifier_text(name).to_owned(),
            line: u32::try_from(line).ok()?,
            column: u32::try_from(column).ok()?,
        })
    }
}

/// Returns true if a value has exactly one use.
#[must_use]
pub fn has_one_use(value: Value<'_, '_>) -> bool {
    // SAFETY: the value is alive; the second use is asked for only where there is a first.
    unsafe {
        let first = mlir_sys::mlirValueGetFirstUse(value.to_raw());
        !mlir_sys::mlirOpOperandIsNull(first)
            && mlir_sys::mlirOpOperandIsNull(mlir_sys::mlirOpOperandGetNextUse(first))
    }
}

/// Returns an identifier of the block that contains `op`, or 0 if no block contains it.
#[must_use]
pub fn block_of(op: OperationRef<'_, '_>) -> usize {
    // SAFETY: the operation is alive.
    unsafe { mlir_sys::mlirOperationGetBlock(op.to_raw()).ptr as usize }
}

/// Returns the uses of a value as (user, operand index).
#[must_use]
pub fn uses<'c>(value: build::Val<'c>) -> Vec<(build::Op<'c>, usize)> {
    let mut all = Vec::new();
    // SAFETY: the value is alive, and so are its uses and their owners; only existing uses are followed.
    unsafe {
        let mut next = mlir_sys::mlirValueGetFirstUse(value.to_raw());
        while !mlir_sys::mlirOpOperandIsNull(next) {
            let owner = OperationRef::from_raw(mlir_sys::mlirOpOperandGetOwner(next));
            all.push((
                owner,
                mlir_sys::mlirOpOperandGetOperandNumber(next) as usize,
            ));
            next = mlir_sys::mlirOpOperandGetNextUse(next);
        }
    }
    all
}

/// Returns the width of a float type in bits, or `None` for other types.
#[must_use]
pub fn float_width(type_: Type<'_>) -> Option<u32> {
    // SAFETY: the type is alive; the width is read only of a float.
    unsafe {
        mlir_sys::mlirTypeIsAFloat(type_.to_raw())
            .then(|| mlir_sys::mlirFloatTypeGetWidth(type_.to_raw()))
    }
}

/// Returns true for `!llvm.ptr` of any address space.
#[must_use]
pub fn is_llvm_pointer(type_: Type<'_>) -> bool {
    // SAFETY: the type is alive.
    unsafe { mlir_sys::mlirTypeIsALLVMPointerType(type_.to_raw()) }
}

/// Returns the entry `name` of a dictionary attribute. `None` if there is no such entry, or for other attributes.
#[must_use]
pub fn dictionary_entry<'c>(dictionary: Attribute<'c>, name: &str) -> Option<Attribute<'c>> {
    // SAFETY: the attribute is alive, and is a dictionary.
    unsafe {
        let raw = dictionary.to_raw();
        if !mlir_sys::mlirAttributeIsADictionary(raw) {
            return None;
        }
        let key = mlir_sys::MlirStringRef {
            data: name.as_ptr().cast(),
            length: name.len(),
        };
        Attribute::from_option_raw(mlir_sys::mlirDictionaryAttrGetElementByName(raw, key))
    }
}

/// Returns the entries of a dictionary attribute, sorted by name. Returns an empty list for other attributes.
#[must_use]
pub fn dictionary_entries<'c>(dictionary: Attribute<'c>) -> Vec<(Identifier<'c>, Attribute<'c>)> {
    let raw = dictionary.to_raw();
    // SAFETY: the attribute is alive, and is a dictionary with this many entries.
    unsafe {
        if !mlir_sys::mlirAttributeIsADictionary(raw) {
            return Vec::new();
        }
        let count = mlir_sys::mlirDictionaryAttrGetNumElements(raw);
        let entries = (0..count).map(|i| mlir_sys::mlirDictionaryAttrGetElement(raw, i));
        let named = entries.map(|entry| {
            let name = Identifier::from_raw(entry.name);
            (name, Attribute::from_raw(entry.attribute))
        });
        named.collect()
    }
}

/// Returns the operation that defines a value, or `None` for a block argument.
#[must_use]
pub fn defining_operation<'c>(value: build::Val<'c>) -> Option<build::Op<'c>> {
    // SAFETY: the value is alive; the owner is read only of an operation's result.
    unsafe {
        mlir_sys::mlirValueIsAOpResult(value.to_raw())
            .then(|| OperationRef::from_raw(mlir_sys::mlirOpResultGetOwner(value.to_raw())))
    }
}

/// Returns the block of an argument, or `None` for a result.
#[must_use]
pub fn block_of_argument<'c>(value: build::Val<'c>) -> Option<build::Blk<'c>> {
    // SAFETY: the value is alive; the owner is read only of a block argument.
    unsafe {
        mlir_sys::mlirValueIsABlockArgument(value.to_raw())
            .then(|| BlockRef::from_raw(mlir_sys::mlirBlockArgumentGetOwner(value.to_raw())))
    }
}
