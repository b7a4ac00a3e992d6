//! Maths library functions of CUDA and AMD, and LLVM intrinsics with the same names.

use super::{BINARY_LIBRARY, Float, FloatBinaryOp, FloatUnary, FloatUnaryOp, Fma, UNARY_LIBRARY};
use crate::decode::{DecodeResult, Decoder, Slot, SlotKind};
use crate::ir::Operation;

/// Returns the names of the supported functions, without prefix and type suffix.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let unary = UNARY_LIBRARY.iter().map(|(name, _)| *name);
    let binary = BINARY_LIBRARY.iter().map(|(name, _)| *name);
    unary.chain(binary).chain(["fma"])
}

/// Returns the unary library function `name`, or `None` if there is no such function. `name` has no prefix and no
/// type suffix, as in `exp`.
pub(crate) fn unary(name: &str) -> Option<&'static FloatUnaryOp> {
    let found = UNARY_LIBRARY.iter().find(|(known, _)| *known == name)?;
    Some(found.1)
}

fn binary(name: &str) -> Option<&'static FloatBinaryOp> {
    let found = BINARY_LIBRARY.iter().find(|(known, _)| *known == name)?;
    Some(found.1)
}

/// Strips the prefix and the type suffix: `exp` from `__nv_expf`, `__ocml_exp_f32` and `llvm.exp.f32`.
fn stem(callee: &str) -> Option<&str> {
    if let Some(name) = callee.strip_prefix("__nv_") {
        let name = name.strip_prefix("fast_").unwrap_or(name);
        if binary(name).is_some() || unary(name).is_some() || name == "fma" {
            return Some(name);
        }
        return Some(name.strip_suffix('f').unwrap_or(name));
    }
    if let Some(name) = callee.strip_prefix("__ocml_") {
        let name = name.strip_prefix("native_").unwrap_or(name);
        return Some(name.rsplit_once('_').map_or(name, |(name, _)| name));
    }
    if let Some(name) = callee.strip_prefix("llvm.nvvm.") {
        // A name in the table keeps its modifiers, as `fmin.xorsign.abs.f` does. The function `ex2.approx.ftz.f32`, for
        // example, is computed exactly.
        let typeless = name.rsplit_once('.').map(|(name, _)| name);
        let known = typeless.filter(|name| binary(name).is_some());
        return known.or_else(|| name.split('.').next());
    }
    if let Some(name) = callee.strip_prefix("llvm.amdgcn.") {
        return match name.split('.').next() {
            // AMD's `log` and `exp2` intrinsics have base 2.
            Some("log") => Some("log2"),
            other => other,
        };
    }
    let name = callee.strip_prefix("llvm.")?;
    Some(name.rsplit_once('.').map_or(name, |(name, _)| name))
}

/// Decodes a call of a library function such as `__nv_expf` or `__ocml_exp_f32`. Returns false for unsupported
/// functions.
pub(crate) fn call(d: &mut Decoder<'_>, op: &Operation, callee: &str) -> DecodeResult<bool> {
    let Some(name) = stem(callee) else {
        return Ok(false);
    };
    let slots = match op.results.first() {
        Some((_, ty)) => d.flat(op, ty)?,
        None => return Ok(false),
    };
    let [
        Slot {
            kind: SlotKind::Float(ty),
            ..
        },
    ] = slots[..]
    else {
        return Ok(false);
    };
    let reg = match (op.operands.len(), unary(name), binary(name)) {
        (1, Some(of), _) => {
            let a = d.scalar(op, 0)?;
            d.emit(|dst| FloatUnary { op: of, ty, dst, a })
        }
        (2, _, Some(of)) => {
            let [a, b] = d.scalars(op, [0, 1])?;
            d.emit(|dst| Float {
                op: of,
                ty,
                dst,
                a,
                b,
            })
        }
        (3, ..) if name == "fma" => {
            let [a, b, c] = d.scalars(op, [0, 1, 2])?;
            d.emit(|dst| Fma { ty, dst, a, b, c })
        }
        _ => return Ok(false),
    };
    d.define(op, vec![reg])?;
    Ok(true)
}

/// The error function: a Taylor series near zero, and a continued fraction of `erfc` elsewhere.
pub(super) fn erf(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let z = x.abs();
    if z > 6.0 {
        return 1f64.copysign(x);
    }
    let factor = 2.0 / std::f64::consts::PI.sqrt();
    if z < 2.5 {
        let (mut term, mut sum, mut n) = (z, z, 0.0);
        while term.abs() > 1e-18 * sum.abs() && n < 200.0 {
            n += 1.0;
            term *= -z * z / n;
            sum += term / (2.0 * n + 1.0);
        }
        return (factor * sum).copysign(x);
    }
    let mut fraction = z;
    for k in (1..=60).rev() {
        fraction = z + f64::from(k) / 2.0 / fraction;
    }
    (1.0 - (-z * z).exp() * factor / 2.0 / fraction).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In `erff` and `expf`, the last `f` is the type suffix. In `erf`, the last `f` is part of the name.
    #[test]
    fn names_are_without_prefix_and_type() {
        for (callee, name) in [
            ("__nv_erf", "erf"),
            ("__nv_erff", "erf"),
            ("__nv_expf", "exp"),
            ("__nv_exp", "exp"),
            ("__nv_fast_expf", "exp"),
            ("__nv_fma", "fma"),
            ("__nv_fmaf", "fma"),
            ("__ocml_exp_f32", "exp"),
            ("__ocml_native_exp_f32", "exp"),
        ] {
            assert_eq!(stem(callee), Some(name), "{callee}");
        }
    }
}
