//! Where a user allows approximations (`fastmath<afn>`): the hardware's own instructions.
//!
//! `math.exp %x fastmath<afn>` is a product and a power of two, as Triton has it, and loses up to
//! |x| ulp; without the flag it keeps the bound of the table in [`super`].

use crate::ir::UpstreamKind as K;
use crate::lower::emit::NamedAttr;
use crate::lower::state::Lowering;
use crate::sys::build::Val;
use melior::ir::ValueLike;

/// The function by instructions of the GPU, with its own flags; nothing where the user does not allow
/// it, or the GPU has none.
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
