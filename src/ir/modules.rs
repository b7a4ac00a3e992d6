//! Selection among several modules in a file.

use super::OpKind;
use crate::sys::build::{self, Op};
use crate::sys::{self, Diagnostic};
use melior::ir::RegionLike;
use melior::ir::operation::OperationLike;

const MODULE: &str = "builtin.module";

const SYMBOL: &str = "sym_name";

/// Returns the modules directly inside `module`.
#[must_use]
pub fn inner_modules(module: Op<'_>) -> Vec<Op<'_>> {
    let operations = build::module_body(module).map(build::operations);
    operations
        .unwrap_or_default()
        .into_iter()
        .filter(|op| name(*op) == MODULE)
        .collect()
}

/// Returns the module in a file that `requested` selects. If `requested` is `None`, returns the only module with
/// functions. If no module has functions, returns `file`.
///
/// `requested` is the symbol of a module, the name of a function in the module, or a number starting at 0.
///
/// # Errors
/// Returns an error if `requested` matches no module, or if it is `None` and several modules have functions. The
/// message names the user's option `option`.
pub fn chosen_module<'c>(
    file: Op<'c>,
    requested: Option<&str>,
    option: &str,
) -> Result<Op<'c>, Diagnostic> {
    let mut all = Vec::new();
    let mut pending = vec![file];
    while let Some(module) = pending.pop() {
        if !functions(module).is_empty() {
            all.push(module);
        }
        pending.extend(inner_modules(module).into_iter().rev());
    }
    let matches = |(number, module): (usize, Op<'c>), requested: &str| {
        symbol(module) == Some(requested)
            || functions(module).contains(&requested)
            || requested.parse() == Ok(number)
    };
    match (requested, &all[..]) {
        (_, []) => Ok(file),
        (None, [module]) => Ok(*module),
        (Some(requested), several) => {
            let mut numbered = several.iter().copied().enumerate();
            let found = numbered.find(|module| matches(*module, requested));
            found.map(|(_, module)| module).ok_or_else(|| {
                let text = format!("has no module or function `{requested}`");
                Diagnostic::new(text).note(listed(several, option))
            })
        }
        (None, several) => Err(Diagnostic::new(format!(
            "has {} modules with functions, expected one",
            several.len()
        ))
        .note(listed(several, option))),
    }
}

/// Lists, for each module, the option values that select it.
fn listed(modules: &[Op<'_>], option: &str) -> String {
    let each: Vec<String> = modules
        .iter()
        .map(|module| {
            let functions: Vec<String> = functions(*module)
                .iter()
                .map(|name| format!("`{option} {name}`"))
                .collect();
            functions.join(" or ")
        })
        .collect();
    format!(
        "select a module by the name of a function: {}",
        each.join("; ")
    )
}

/// Returns the names of all `tt.func` and `llvm.func` with a body.
fn functions(module: Op<'_>) -> Vec<&str> {
    let operations = build::module_body(module).map(build::operations);
    let has_body = |op: &Op<'_>| {
        (OpKind::TtFunc.is(*op) || name(*op) == LOWERED_FUNCTION)
            && op.regions().any(|region| region.first_block().is_some())
    };
    operations
        .unwrap_or_default()
        .into_iter()
        .filter(has_body)
        .filter_map(symbol)
        .collect()
}

const LOWERED_FUNCTION: &str = "llvm.func";

fn name(op: Op<'_>) -> String {
    sys::text(op.name().as_string_ref()).to_owned()
}

fn symbol(op: Op<'_>) -> Option<&str> {
    sys::string_value(op.attribute(SYMBOL).ok()?)?.utf8()
}
