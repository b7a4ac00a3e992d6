//! Where a user allows approximations (`fastmath<afn>`): the hardware's own instructions.
//!
//! `math.exp %x fastmath<afn>` is a product and a power of two, as Triton has it, and loses up to
//! |x| ulp; without the flag it keeps the bound of the table in [`super`].

use crate::lower::emit::Named;
use crate::lower::function::Lowering;
use crate::sys::build::Val;
use crate::target::Vendor;
use melior::ir::ValueLike;

/// The function by instructions of the GPU, with its own flags; nothing where the user does not allow
/// it, or the GPU has none.
pub(super) fn lower<'c>(
    l: &mut Lowering<'c>,
    name: &str,
    x: Val<'c>,
    attributes: &[Named<'_, 'c>],
) -> Option<Val<'c>> {
    if !is_allowed(attributes) {
        return None;
    }
    let type_ = x.r#type();
    // PTX has the powers and logarithms of base 2 only; LLVM makes the others of them for AMD.
    let nvidia = matches!(l.gpu.target.vendor, Vendor::Nvidia);
    Some(match name {
        "exp" if nvidia => {
            let scaled = scale(l, x, std::f64::consts::LOG2_E, attributes);
            l.e.pure("math.exp2", &[scaled], type_, attributes)
        }
        "log" if nvidia => {
            let log2 = ptx_log2(l, x);
            scale(l, log2, std::f64::consts::LN_2, attributes)
        }
        "log2" if nvidia => ptx_log2(l, x),
        "exp" | "exp2" | "log" | "log2" | "sin" | "cos" => {
            l.e.pure(&format!("math.{name}"), &[x], type_, attributes)
        }
        _ => return None,
    })
}

fn is_allowed(attributes: &[Named<'_, '_>]) -> bool {
    let said = attributes.iter().find(|(key, _)| *key == "fastmath");
    let said = said.map_or_else(String::new, |(_, value)| value.to_string());
    said.split(['<', ',', '>'])
        .any(|flag| flag == "afn" || flag == "fast")
}

/// LLVM's own `log2` has no instructions on NVIDIA, whatever its flags allow.
fn ptx_log2<'c>(l: &mut Lowering<'c>, x: Val<'c>) -> Val<'c> {
    let name = l.e.string("llvm.nvvm.lg2.approx.f");
    l.e.intrinsic(name, &[x], x.r#type())
}

fn scale<'c>(
    l: &mut Lowering<'c>,
    value: Val<'c>,
    factor: f64,
    attributes: &[Named<'_, 'c>],
) -> Val<'c> {
    let type_ = value.r#type();
    let factor = l.e.float(type_, factor);
    l.e.pure("arith.mulf", &[value, factor], type_, attributes)
}
