//! Module-level declarations: strings, constant tables and external functions.

use super::emit;
use crate::sys::Rewriter;
use crate::sys::build::Blk;
use melior::Context;
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(crate) struct Declarations {
    strings: BTreeMap<Vec<u8>, String>,
    tables: BTreeMap<Vec<u8>, String>,
    functions: BTreeMap<String, ExternalFunction>,
}

#[derive(Debug)]
struct ExternalFunction {
    type_: String,
    /// Name and path of the library, each empty if unknown. `None` for a runtime function.
    library: Option<[String; 2]>,
}

impl Declarations {
    pub(crate) fn constant(&mut self, text: &[u8]) -> String {
        let number = self.strings.len();
        let name = self.strings.entry(text.to_owned());
        name.or_insert_with(|| format!("{TEXT}{number}")).clone()
    }

    pub(crate) fn table(&mut self, bytes: Vec<u8>) -> String {
        let number = self.tables.len();
        let name = self.tables.entry(bytes);
        name.or_insert_with(|| format!("{TABLE}{number}")).clone()
    }

    /// Declares a runtime function. `type_` is in MLIR syntax.
    pub(crate) fn function(&mut self, name: &str, type_: &str) {
        self.functions
            .entry(name.to_owned())
            .or_insert_with(|| ExternalFunction {
                type_: type_.to_owned(),
                library: None,
            });
    }

    /// Declares a library function. `type_` is in MLIR syntax. `library` is a name and a path, each empty if
    /// unknown.
    ///
    /// # Errors
    /// If the function is already declared with another type, returns that type.
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

pub(crate) fn literal(text: &[u8]) -> Vec<u8> {
    let escaped = text.iter().flat_map(|byte| match byte {
        b'%' => &b"%%"[..],
        _ => std::slice::from_ref(byte),
    });
    escaped.copied().collect()
}

const TEXT: &str = "text_";
const TABLE: &str = "table_";
