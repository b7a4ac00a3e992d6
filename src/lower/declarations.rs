//! Module-level declarations: strings, constant tables, and external functions.

use super::emit;
use crate::sys::Rewriter;
use crate::sys::build::Blk;
use melior::Context;
use std::collections::BTreeMap;

/// The declarations that the functions of a module use. Each declaration is emitted once.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    /// Names of the variables that hold strings, keyed by the string.
    strings: BTreeMap<Vec<u8>, String>,
    /// Names of the variables that hold constant tables, keyed by the bytes of the table.
    tables: BTreeMap<Vec<u8>, String>,
    /// External functions, keyed by their name.
    functions: BTreeMap<String, ExternalFunction>,
}

/// A declaration of a function that is defined elsewhere.
#[derive(Debug)]
struct ExternalFunction {
    type_: String,
    /// Name and path of the library that defines the function, each empty if unknown. `None` for a runtime function.
    library: Option<[String; 2]>,
}

impl Declarations {
    /// Returns the name of the variable that holds `text` and a terminating zero.
    pub(crate) fn constant(&mut self, text: &[u8]) -> String {
        let number = self.strings.len();
        let name = self.strings.entry(text.to_owned());
        name.or_insert_with(|| format!("{TEXT}{number}")).clone()
    }

    /// Returns the name of the variable that holds the constant table `bytes`.
    pub(crate) fn table(&mut self, bytes: Vec<u8>) -> String {
        let number = self.tables.len();
        let name = self.tables.entry(bytes);
        name.or_insert_with(|| format!("{TABLE}{number}")).clone()
    }

    /// Declares a runtime function. `type_` is the type of the function in MLIR syntax.
    pub(crate) fn function(&mut self, name: &str, type_: &str) {
        self.functions
            .entry(name.to_owned())
            .or_insert_with(|| ExternalFunction {
                type_: type_.to_owned(),
                library: None,
            });
    }

    /// Declares a library function. `type_` is the type of the function in MLIR syntax; `library` is the name and the
    /// path of the library, each empty if unknown.
    ///
    /// # Errors
    /// Returns the type of the earlier declaration if the function was declared with another type.
    pub(crate) fn library_function(
        &mut self,
        name: &str,
        type_: &str,
        library: [&str; 2],
    ) -> Result<(), String> {
        let declared = self
            .functions
            .entry(name.to_owned())
            .or_insert_with(|| ExternalFunction {
                type_: type_.to_owned(),
                library: Some(library.map(str::to_owned)),
            });
        if declared.type_ == type_ {
            Ok(())
        } else {
            Err(declared.type_.clone())
        }
    }

    /// Emits the declarations at the start of a module's block.
    pub(crate) fn declare<'c>(self, rewriter: Rewriter<'c>, context: &'c Context, block: Blk<'c>) {
        for (name, declared) in &self.functions {
            let library = declared.library.as_ref();
            let library = library.map(|parts| parts.each_ref().map(String::as_str));
            emit::declare_function(rewriter, context, block, name, &declared.type_, library);
        }
        for (text, name) in &self.strings {
            emit::declare_text(rewriter, context, block, name, text);
        }
        for (bytes, name) in &self.tables {
            emit::declare_table(rewriter, context, block, name, bytes);
        }
    }
}

/// Escapes percent signs, so that `printf` prints the text literally.
pub(crate) fn literal(text: &[u8]) -> Vec<u8> {
    let escaped = text.iter().flat_map(|byte| match byte {
        b'%' => &b"%%"[..],
        _ => std::slice::from_ref(byte),
    });
    escaped.copied().collect()
}

/// Prefix of the names of string variables.
const TEXT: &str = "text_";
const TABLE: &str = "table_";
