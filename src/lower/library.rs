//! Functions of libraries that are linked later: declared once in a module, and called.

use super::state::Lowering;
use crate::sys::Diagnostic;
use crate::sys::build::Val;
use melior::ir::{Type, ValueLike};

/// A function that a library defines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function<'a> {
    pub(super) name: &'a str,
    /// The name and the path of the library, empty where nobody says them.
    pub(super) library: [&'a str; 2],
    /// Whether a call does nothing but compute its result.
    pub(super) is_pure: bool,
}

impl<'a> Function<'a> {
    /// A function without an effect, in a library that its name says.
    pub(super) fn pure(name: &'a str) -> Self {
        Self {
            name,
            library: [""; 2],
            is_pure: true,
        }
    }
}

/// Calls a function of scalars.
///
/// # Errors
/// Its name is none, or elsewhere in the module it takes or returns other types.
pub(super) fn call<'c>(
    l: &mut Lowering<'c>,
    function: Function<'_>,
    values: &[Val<'c>],
    result: Type<'c>,
) -> Result<Val<'c>, Diagnostic> {
    let name = function.name;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.$".contains(c);
    if name.is_empty() || !name.chars().all(is_name) {
        return Err(Diagnostic::new(format!("has the invalid symbol `{name}`"))
            .note("expected letters, digits, `_`, `.` and `$`"));
    }
    let operands: Vec<String> = values.iter().map(|v| v.r#type().to_string()).collect();
    let type_ = format!("({}) -> {result}", operands.join(", "));
    let known = l
        .declarations
        .borrow_mut()
        .library_function(name, &type_, function.library);
    known.map_err(|other| {
        Diagnostic::new(format!(
            "calls `{name}` as `{type_}`, but another call uses `{other}`"
        ))
        .note("give all calls of a function the same type")
    })?;
    let callee = l.e.symbol(name);
    Ok(if function.is_pure {
        l.e.pure_call(callee, values, result)
    } else {
        l.e.call(callee, values, Some(result))
            .expect("a function with a result gives one")
    })
}
