//! Calls of device library functions, linked later.

use super::state::Lowering;
use crate::sys::Diagnostic;
use crate::sys::build::Val;
use melior::ir::{Type, ValueLike};

#[derive(Clone, Copy, Debug)]
pub(super) struct LibraryFunction<'a> {
    pub(super) name: &'a str,
    /// Name and path of the library, empty if unknown.
    pub(super) library: [&'a str; 2],
    pub(super) is_pure: bool,
}

impl<'a> LibraryFunction<'a> {
    pub(super) fn pure(name: &'a str) -> Self {
        Self {
            name,
            library: [""; 2],
            is_pure: true,
        }
    }
}

/// Calls a library function on scalars.
///
/// # Errors
/// Fails if the name is invalid, or if an earlier call declared the function with another type.
pub(super) fn call<'c>(
    l: &mut Lowering<'c>,
    function: LibraryFunction<'_>,
    values: &[Val<'c>],
    result: Type<'c>,
) -> Result<Val<'c>, Diagnostic> {
    let name = function.name;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.$".contains(c);
    if name.is_empty() || !name.chars().all(is_name) {
        return Err(
            Diagnostic::new(format!("requires a valid symbol, but got `{name}`"))
                .note("a symbol consists of ASCII letters, digits, `_`, `.` and `$`"),
        );
    }
    let operands: Vec<String> = values.iter().map(|v| v.r#type().to_string()).collect();
    let type_ = format!("({}) -> {result}", operands.join(", "));
    let declared = l
        .declarations
        .borrow_mut()
        .library_function(name, &type_, function.library);
    declared.map_err(|other| {
        Diagnostic::new(format!(
            "calls `{name}` with the type `{type_}`, but another call uses `{other}`"
        ))
        .note(format!("use the same type in all calls of `{name}`"))
    })?;
    let callee = l.e.symbol(name);
    Ok(if function.is_pure {
        l.e.pure_call(callee, values, result)
    } else {
        l.e.call(callee, values, Some(result))
            .expect("a function with a result gives one")
    })
}
