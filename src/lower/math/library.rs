//! Calls of vendor library functions: f64 functions without an instruction, and f32 functions on request of the option.

use crate::ir::UpstreamKind as K;
use crate::lower::library::{self, LibraryFunction};
use crate::lower::state::Lowering;
use crate::sys::build::Val;
use crate::sys::{self, Diagnostic};
use melior::ir::{Type, ValueLike};

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
            "requires an exponent of type `i32` for an f64 base on {}, but got `{}`",
            l.gpu.target.name,
            values[1].r#type()
        ))
        .note("convert the exponent to `i32`, or compute in f32"));
    }
    let calls = stems.iter().zip(types).map(|(stem, type_)| {
        let name = l
            .gpu
            .library_function(stem, sys::float_width(values[0].r#type()) == Some(32));
        library::call(l, LibraryFunction::pure(&name), values, *type_)
    });
    calls.collect()
}

/// Returns true if Triton calls the vendor library for this function on f32.
pub(super) fn has_binary32(kind: K) -> bool {
    !matches!(
        kind,
        K::MathExp | K::MathExp2 | K::MathRsqrt | K::MathFPowI | K::MathSincos
    )
}

fn stem(kind: K) -> &'static str {
    match kind {
        K::MathPowF => "pow",
        K::MathFPowI => "pown",
        _ => kind.name().trim_start_matches("math."),
    }
}
