//! Directed rounding to narrower floats: `cvt.rz`, `cvt.rm`, `cvt.rp`.

use crate::lower::emit::Emitter;
use crate::lower::format::{Rounding, width};
use crate::lower::gpu::isa::Gpu;
use crate::sys::build::Val;
use melior::ir::{Type, ValueLike};

/// Converts f32 or f64 to f16, bf16 or f32, with rounding towards zero, downward or upward. Returns `None` for
/// another rounding mode, or if the target has no instruction for the conversion.
///
/// # Source
/// PTX ISA 8.0, `cvt`: f32 to bf16 with `.rn` and `.rz` requires `sm_80`; other conversions to bf16 require
/// `sm_90`.
pub(super) fn round<'c>(
    gpu: Gpu,
    e: &mut Emitter<'c>,
    value: Val<'c>,
    to: Type<'c>,
    rounding: Rounding,
) -> Option<Val<'c>> {
    let mode = match rounding {
        Rounding::TowardsZero => "rz",
        Rounding::Downward => "rm",
        Rounding::Upward => "rp",
        Rounding::Nearest | Rounding::NearestAway => return None,
    };
    let (from, source) = match width(value.r#type()) {
        32 => ("f32", "f"),
        64 => ("f64", "d"),
        _ => return None,
    };
    if to == e.types.f32 {
        let text = format!("cvt.{mode}.f32.{from} $0, $1;");
        return Some(e.pure_asm(&text, &format!("=f,{source}"), &[value], to));
    }
    let instructions = gpu.target.instructions;
    let (format, is_supported) = match to {
        _ if to == Type::float16(e.context) => ("f16", true),
        _ if from == "f32" && mode == "rz" => ("bf16", instructions.bf16_conversions),
        _ => ("bf16", instructions.bf16_rounding_modes),
    };
    if !is_supported {
        return None;
    }
    let text = format!("cvt.{mode}.{format}.{from} $0, $1;");
    let i16 = e.types.i16;
    let bits = e.pure_asm(&text, &format!("=h,{source}"), &[value], i16);
    Some(e.bitcast(bits, to))
}
