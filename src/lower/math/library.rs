//! Functions of f64, which no GPU computes: those of the maker's library.

use crate::ir::UpstreamKind as K;
use crate::lower::library::{self, Function};
use crate::lower::state::Lowering;
use crate::sys::Diagnostic;
use crate::sys::build::Val;
use melior::ir::{Type, ValueLike};

/// One register's results.
pub(super) fn call<'c>(
    l: &mut Lowering<'c>,
    kind: K,
    values: &[Val<'c>],
    types: &[Type<'c>],
) -> Result<Vec<Val<'c>>, Diagnostic> {
    let stems: &[&str] = match kind {
        K::MathSincos => &["sin", "cos"],
        _ => &[stem(kind)],
    };
    if kind == K::MathFPowI && values[1].r#type() != l.e.types.i32 {
        return Err(Diagnostic::new(format!(
            "of f64 is not supported on {} with an exponent of `{}`: its library takes one of `i32`",
            l.gpu.target.name,
            values[1].r#type()
        ))
        .note("convert the exponent, or compute in f32"));
    }
    let calls = stems.iter().zip(types).map(|(stem, type_)| {
        let name = l.gpu.library_function(stem);
        library::call(l, Function::pure(&name), values, *type_)
    });
    calls.collect()
}

/// What both makers call a function, but for a few.
fn stem(kind: K) -> &'static str {
    match kind {
        K::MathPowF => "pow",
        K::MathFPowI => "pown",
        _ => kind.name().trim_start_matches("math."),
    }
}
