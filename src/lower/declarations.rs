//! What a module says to its user: texts as constants, and the functions of the runtime that print them.

use super::emit;
use crate::sys::Rewriter;
use crate::sys::build::Blk;
use melior::Context;
use std::collections::BTreeMap;

/// The texts and functions that the functions of a module use, each declared once.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    /// The name of the variable that holds a text.
    names: BTreeMap<Vec<u8>, String>,
    /// The name of the variable that holds the elements of a constant.
    tables: BTreeMap<Vec<u8>, String>,
    /// The functions by their names.
    functions: BTreeMap<String, Declared>,
}

/// A function that is defined elsewhere.
#[derive(Debug)]
struct Declared {
    type_: String,
    /// The name and the path of a library, where the kernel says them.
    library: Option<[String; 2]>,
}

impl Declarations {
    /// Returns the name of a constant that holds a text and ends with a zero byte.
    pub(crate) fn constant(&mut self, text: &[u8]) -> String {
        let number = self.names.len();
        let name = self.names.entry(text.to_owned());
        name.or_insert_with(|| format!("{TEXT}{number}")).clone()
    }

    /// Returns the name of a constant that holds bytes.
    pub(crate) fn table(&mut self, bytes: Vec<u8>) -> String {
        let number = self.tables.len();
        let name = self.tables.entry(bytes);
        name.or_insert_with(|| format!("{TABLE}{number}")).clone()
    }

    /// Notes that a function of the runtime is called, whose type is spelled as MLIR does.
    pub(crate) fn function(&mut self, name: &str, type_: &str) {
        self.functions
            .entry(name.to_owned())
            .or_insert_with(|| Declared {
                type_: type_.to_owned(),
                library: None,
            });
    }

    /// Notes that a function of a library is called; `library` is its name and its path, where they are known.
    ///
    /// # Errors
    /// The type that it is called as elsewhere.
    pub(crate) fn library_function(
        &mut self,
        name: &str,
        type_: &str,
        library: [&str; 2],
    ) -> Result<(), String> {
        let known = self
            .functions
            .entry(name.to_owned())
            .or_insert_with(|| Declared {
                type_: type_.to_owned(),
                library: Some(library.map(str::to_owned)),
            });
        if known.type_ == type_ {
            Ok(())
        } else {
            Err(known.type_.clone())
        }
    }

    /// Declares what has been used at the beginning of a module's block.
    pub(crate) fn declare<'c>(self, rewriter: Rewriter<'c>, context: &'c Context, block: Blk<'c>) {
        for (name, declared) in &self.functions {
            let library = declared.library.as_ref();
            let library = library.map(|parts| parts.each_ref().map(String::as_str));
            emit::declare_function(rewriter, context, block, name, &declared.type_, library);
        }
        for (text, name) in &self.names {
            emit::declare_text(rewriter, context, block, name, text);
        }
        for (bytes, name) in &self.tables {
            emit::declare_table(rewriter, context, block, name, bytes);
        }
    }
}

/// The format that prints these bytes as they are.
pub(crate) fn literal(text: &[u8]) -> Vec<u8> {
    let escaped = text.iter().flat_map(|byte| match byte {
        b'%' => &b"%%"[..],
        _ => std::slice::from_ref(byte),
    });
    escaped.copied().collect()
}

/// How names of constants begin.
const TEXT: &str = "text_";
const TABLE: &str = "table_";
