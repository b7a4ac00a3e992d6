//! Module-level operations: functions, shared memory, constants.

use super::emitter::{Emitter, NamedAttr};
use crate::ir::builders::{Parts, llvm};
use crate::sys::Rewriter;
use crate::sys::build::Blk;
use melior::Context;
use melior::ir::{Region, Type};

pub(crate) const ALIGN: &str = "llvm.align";

pub(crate) const ARGUMENTS: &str = "arg_attrs";

pub(crate) const LOOP_ANNOTATION: &str = "llvm.loop_annotation";

pub(crate) const NO_INLINE: &str = "no_inline";

/// Returns true if `name` is the name of an operation or attribute with a dialect prefix that [`OUTPUT`] contains.
pub(crate) fn is_of_output(name: &str) -> bool {
    let dialect = name.split('.').next().unwrap_or_default();
    OUTPUT.contains(&dialect) && dialect != name
}

pub(crate) fn is_lowered(name: &str) -> bool {
    is_of_output(name) || name == "builtin.module"
}

const OUTPUT: [&str; 3] = ["llvm", "nvvm", "rocdl"];

/// Declares the shared-memory variable at the start of a block. The launcher sets the size.
pub(crate) fn declare_shared_memory<'c>(
    rewriter: Rewriter<'c>,
    context: &'c Context,
    block: Blk<'c>,
    variable: &str,
) {
    let text = format!(
        "llvm.mlir.global external @{variable}() {{addr_space = 3 : i32, alignment = 16 : i64}} : !llvm.array<0 x i8>"
    );
    rewriter.prepend_parsed(context, block, &text);
}

const LIBRARY: [&str; 2] = ["libname", "libpath"];

/// Declares an external function at the start of a block. `type_` is in MLIR syntax.
pub(crate) fn declare_function<'c>(
    rewriter: Rewriter<'c>,
    context: &'c Context,
    block: Blk<'c>,
    name: &str,
    type_: &str,
    library: Option<[&str; 2]>,
) {
    let entries = library.map_or(Vec::new(), |parts| {
        LIBRARY
            .iter()
            .zip(parts)
            .filter(|(_, part)| !part.is_empty())
            .map(|(key, part)| format!("[\"{key}\", \"{}\"]", escaped(part.as_bytes())))
            .collect()
    });
    let attributes = match entries[..] {
        [] => String::new(),
        _ => format!(" attributes {{passthrough = [{}]}}", entries.join(", ")),
    };
    let name = escaped(name.as_bytes());
    let text = format!("llvm.func @\"{name}\"{type_}{attributes}");
    rewriter.prepend_parsed(context, block, &text);
}

/// Escapes all bytes except letters, digits and `_` for an MLIR string.
pub(crate) fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || *byte == b'_' {
            text.push(char::from(*byte));
        } else {
            text += &format!("\\{byte:02X}");
        }
    }
    text
}

/// Declares a zero-terminated string constant at the start of a block.
pub(crate) fn declare_text<'c>(
    rewriter: Rewriter<'c>,
    context: &'c Context,
    block: Blk<'c>,
    name: &str,
    text: &[u8],
) {
    let bytes = escaped(text);
    let length = text.len() + 1;
    let text = format!(
        "llvm.mlir.global internal constant @{name}(\"{bytes}\\00\") {{addr_space = {TEXT_SPACE} : i32}} : !llvm.array<{length} x i8>"
    );
    rewriter.prepend_parsed(context, block, &text);
}

/// Declares a constant table at the start of a block, aligned for any element type.
pub(crate) fn declare_table<'c>(
    rewriter: Rewriter<'c>,
    context: &'c Context,
    block: Blk<'c>,
    name: &str,
    bytes: &[u8],
) {
    let length = bytes.len();
    let bytes: String = bytes.iter().map(|byte| format!("\\{byte:02X}")).collect();
    let text = format!(
        "llvm.mlir.global internal constant @{name}(\"{bytes}\") {{addr_space = {TEXT_SPACE} : i32, alignment = 16 : i64}} : !llvm.array<{length} x i8>"
    );
    rewriter.prepend_parsed(context, block, &text);
}

/// Address space of string and table constants (global memory).
pub(super) const TEXT_SPACE: u32 = 1;

impl<'c> Emitter<'c> {
    /// Appends a function to a module. `more` contains the attributes of the function other than linkage and
    /// calling convention.
    pub(crate) fn function(
        &mut self,
        module: Blk<'c>,
        name: &str,
        type_: Type<'c>,
        is_external: bool,
        more: &[NamedAttr<'c>],
        body: Region<'c>,
    ) -> Result<(), String> {
        let linkage = if is_external {
            "#llvm.linkage<external>"
        } else {
            "#llvm.linkage<internal>"
        };
        let function = llvm::func(name, type_, body).linkage(self.parsed(linkage));
        let function = function
            .cconv(self.parsed("#llvm.cconv<ccc>"))
            .with_attributes(more);
        let mut parts = Parts::from(function);
        let attributes = self.attributes(&parts);
        let spec = parts.spec(self.location, &attributes);
        self.rewriter.append(module, spec).map(|_| ())
    }
}
