//! Hardware approximations for `fastmath<afn>`.
//!
//! `math.exp %x fastmath<afn>` becomes `exp2(x * log2 e)`, as in Triton, with an error up to |x| ulp. Without the flag,
//! the error bounds in [`super`] hold.

use crate::ir::UpstreamKind as K;
use crate::lower::emit::NamedAttr;
use crate::lower::state::Lowering;
use crate::sys::build::Val;
use melior::ir::ValueLike;

/// Lowers a `math` function to an approximate instruction.
///
/// Returns `None` if the fast-math flags in `flags` forbid approximations, or if there is no approximate
/// instruction for the function.
pub(super) fn lower<'c>(
    l: &mut Lowering<'c>,
    function: K,
    x: Val<'c>,
    flags: &[NamedAttr<'c>],
) -> Option<Val<'c>> {
    if !l.e.may_approximate(flags) {
        return None;
    }
    let own = l.gpu.approximate(&mut l.e, function, x, flags);
    own.or_else(|| match function {
        K::MathExp | K::MathExp2 | K::MathLog | K::MathLog2 | K::MathSin | K::MathCos => {
            Some(l.e.upstream(function, &[x], x.r#type(), flags))
        }
        _ => None,
    })
}
