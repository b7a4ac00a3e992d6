//! Compatibility of a lowered module with its target, checked before LLVM's back end runs.

use super::Failure;
use crate::ir::ModuleInfo;
use crate::sys::{self, Diagnostic, Text};
use linear_layout::target::{Assembly, Target};
use melior::ir::operation::{OperationLike, WalkOrder, WalkResult};
use melior::ir::{BlockLike, Module, OperationRef};

/// Returns the vendor of the GPUs that an assembly language is for, the vendor's MLIR dialect, and the calling
/// convention of kernels.
fn of_assembly(assembly: Assembly) -> (&'static str, &'static str, &'static str) {
    match assembly {
        Assembly::Ptx => ("NVIDIA", "nvvm", "ptx_kernel"),
        Assembly::Gcn => ("AMD", "rocdl", "amdgpu_kernel"),
    }
}

/// Returns true for operations of dialects that MLIR can translate to LLVM IR.
pub(super) fn is_lowered(op: OperationRef<'_, '_>) -> bool {
    let name = sys::text(op.name().as_string_ref());
    let dialect = name.split('.').next().unwrap_or_default();
    ["builtin", "llvm", "nvvm", "rocdl"].contains(&dialect)
}

/// Checks that a lowered module is for a GPU of the vendor of `target`.
///
/// Unlowered modules pass, since their translation fails with a more specific error. `input` is the file name
/// in a suggested command.
///
/// # Errors
/// Returns an error if the module's own target has another vendor. Reports the first operation with another
/// vendor's dialect or kernel calling convention.
pub(super) fn check_gpu(module: &Module<'_>, target: &Target, input: &str) -> Result<(), Failure> {
    let mut is_whole = true;
    let mut foreign = None;
    let others = match target.assembly {
        Assembly::Ptx => Assembly::Gcn,
        Assembly::Gcn => Assembly::Ptx,
    };
    let (vendor, dialect, convention) = of_assembly(others);
    module.as_operation().walk(WalkOrder::PreOrder, |op| {
        is_whole &= is_lowered(op);
        if foreign.is_none() && is_of(op, dialect, convention) {
            foreign = Some(sys::operation_id(op));
        }
        WalkResult::Advance
    });
    if !is_whole {
        return Ok(());
    }
    let lower = format!(
        "lower the original kernel for this target: `ll-translate --lower --target={} {input}`",
        target.name
    );
    if let Some(own) = ModuleInfo::known_gpu(module.as_operation())
        && own.assembly != target.assembly
    {
        return Err(Failure::new(format!(
            "the module is lowered for `{}`, but translated for `{}`",
            own.name, target.name
        ))
        .note(format!("omit `--target`, or {lower}")));
    }
    let Some(foreign) = foreign else {
        return Ok(());
    };
    module.as_operation().walk(WalkOrder::PreOrder, |op| {
        if sys::operation_id(op) != foreign {
            return WalkResult::Advance;
        }
        let text = format!(
            "is for {vendor} GPUs, but the module is translated for `{}`",
            target.name
        );
        sys::emit_error(op, &Diagnostic::new(text).note(&lower));
        WalkResult::Interrupt
    });
    Err(Failure(Vec::new()))
}

/// Returns true if `op` is an operation of `dialect`, or if an attribute of `dialect` or the calling convention
/// `convention` marks `op` as a kernel.
fn is_of(op: OperationRef<'_, '_>, dialect: &str, convention: &str) -> bool {
    let name = sys::text(op.name().as_string_ref());
    name.split('.').next() == Some(dialect)
        || op.has_attribute(&format!("{dialect}.kernel"))
        || op
            .attribute("CConv")
            .is_ok_and(|attribute| attribute.to_string().contains(convention))
}

/// Checks that externally visible definitions have valid names in `language`.
///
/// # Errors
/// Reports an error at each definition with an invalid name.
pub(super) fn check_names(module: &Module<'_>, language: Language) -> Result<(), Failure> {
    let mut outcome = Ok(());
    let mut next = module.body().first_operation();
    while let Some(op) = next {
        next = op.next_in_block();
        let kind = sys::text(op.name().as_string_ref());
        let is_defined = match kind.as_str() {
            "llvm.func" => op.regions().any(|region| {
                use melior::ir::RegionLike;
                region.first_block().is_some()
            }),
            "llvm.mlir.global" => true,
            _ => false,
        };
        let linkage = op.attribute("linkage").map(|linkage| linkage.to_string());
        // LLVM renames local symbols.
        let is_local =
            linkage.is_ok_and(|text| text.contains("internal") || text.contains("private"));
        let name = op.attribute("sym_name").ok().and_then(sys::string_value);
        let Some(name) = name.filter(|_| is_defined && !is_local) else {
            continue;
        };
        if language.has_name(name) || name.bytes().starts_with(b"llvm.") {
            continue;
        }
        let (language, rule) = language.described();
        let text = format!("has the name `{name}`, which is not a valid name in {language}");
        let note = format!(
            "rename the symbol, for example to `@{}`: {rule}",
            nearest_name(name)
        );
        sys::emit_error(op, &Diagnostic::new(text).note(note));
        outcome = Err(Failure(Vec::new()));
    }
    outcome
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Language {
    /// PTX, which NVIDIA's `ptxas` assembles.
    Ptx,
    /// Assembly for AMD GPUs. Its directives do not accept quoted names.
    Gcn,
    /// ELF object code.
    Object,
}

impl Language {
    /// Returns the language name and a description of valid names, for messages.
    fn described(self) -> (&'static str, &'static str) {
        match self {
            Self::Ptx => (
                "PTX",
                "PTX names consist of ASCII letters, digits, `_` and `$`, and do not begin with a digit",
            ),
            Self::Gcn => (
                "AMDGCN assembly",
                "names consist of ASCII letters, digits, `_`, `$` and `.`, and do not begin with a digit; \
                 `--emit=object` accepts other names",
            ),
            Self::Object => (
                "an object",
                "names are UTF-8 without control characters, quotes, backslashes and `@`",
            ),
        }
    }

    fn has_name(self, name: Text<'_>) -> bool {
        let bytes = name.bytes();
        let Some((first, rest)) = bytes.split_first() else {
            return false;
        };
        let is_word = |byte: &u8| is_word(*byte);
        match self {
            Self::Ptx => {
                bytes.iter().all(is_word)
                    && (first.is_ascii_alphabetic() || !first.is_ascii_digit() && !rest.is_empty())
            }
            Self::Gcn => {
                bytes.iter().all(|byte| is_word(byte) || *byte == b'.') && !first.is_ascii_digit()
            }
            Self::Object => {
                let is_plain = |byte: &u8| !byte.is_ascii_control() && !b"\"\\@".contains(byte);
                name.utf8().is_some() && bytes.iter().all(is_plain)
            }
        }
    }
}

/// Returns a similar name that is valid in every language: `a.b` -> `a_b`.
fn nearest_name(name: Text<'_>) -> String {
    let letters = name.to_string();
    let mut nearest: String = letters
        .chars()
        .take(64)
        .map(|c| match u8::try_from(c) {
            Ok(byte) if is_word(byte) => c,
            _ => '_',
        })
        .collect();
    if nearest.len() < 2 || nearest.starts_with(|c: char| c.is_ascii_digit()) {
        nearest.insert(0, 'k');
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::{Language, nearest_name};
    use crate::sys::Text;

    #[test]
    fn each_language_has_its_names() {
        let has = |language: Language, name: &str| language.has_name(Text::new(name.as_bytes()));
        for name in ["k", "_k", "$1", "kernel_0d1d", "K$"] {
            for language in [Language::Ptx, Language::Gcn, Language::Object] {
                assert!(has(language, name), "{name}");
            }
        }
        for name in ["_", "$", "0k", "a.b", "a b", "\u{e9}", "%a"] {
            assert!(!has(Language::Ptx, name), "{name}");
            assert!(has(Language::Object, name), "{name}");
            let nearest = nearest_name(Text::new(name.as_bytes()));
            assert!(has(Language::Ptx, &nearest), "{name}");
        }
        assert!(has(Language::Gcn, "a.b"));
        for name in ["0k", "a b", "\u{e9}", "a-b"] {
            assert!(!has(Language::Gcn, name), "{name}");
        }
        for name in ["", "a@b", "a\"b", "a\nb"] {
            assert!(!has(Language::Object, name), "{name}");
        }
        assert!(!Language::Object.has_name(Text::new(b"a\xff")));
    }
}
