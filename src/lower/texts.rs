//! What a module says to its user: texts as constants, and the functions of the runtime that print them.

use super::emit;
use crate::sys::Rewriter;
use crate::sys::build::Blk;
use melior::Context;
use std::collections::BTreeMap;

/// The texts and functions that the functions of a module use, each declared once.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// The name of the variable that holds a text.
    names: BTreeMap<String, String>,
    /// The type of each function.
    functions: BTreeMap<&'static str, &'static str>,
}

impl Texts {
    /// Returns the name of a constant that holds a text and ends with a zero byte.
    pub(crate) fn constant(&mut self, text: &str) -> String {
        let number = self.names.len();
        let name = self.names.entry(text.to_owned());
        name.or_insert_with(|| format!("{TEXT}{number}")).clone()
    }

    /// Notes that a function of the runtime is called, whose type is spelled as MLIR does.
    pub(crate) fn function(&mut self, name: &'static str, type_: &'static str) {
        self.functions.insert(name, type_);
    }

    /// Declares what has been used at the beginning of a module's block.
    pub(crate) fn declare<'c>(self, rewriter: Rewriter<'c>, context: &'c Context, block: Blk<'c>) {
        for (name, type_) in &self.functions {
            emit::declare_function(rewriter, context, block, name, type_);
        }
        for (text, name) in &self.names {
            emit::declare_text(rewriter, context, block, name, text);
        }
    }
}

/// How names of constants begin.
const TEXT: &str = "text_";
