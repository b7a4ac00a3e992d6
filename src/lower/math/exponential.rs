//! Exponential and hyperbolic functions: `exp`, `expm1`, `sinh`, `cosh`, `tanh`.

use super::arithmetic::{Arithmetic, FloatPredicate, IntBinary, Unary};

/// log2 e as the sum of two floats.
const LOG2_E: [f32; 2] = [1.442_695_02, 1.925_963_03e-8];
/// ln 2 as the sum of two floats.
pub(super) const LN_2: [f32; 2] = [0.693_147_182, -1.904_654_21e-9];

/// Computes `exp2(x log2 e)`, with a first-order correction for the rounding error of the product.
pub(super) fn exp<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    let zero = m.float(0.0);
    exp_scaled(m, x, zero, 0.0)
}

/// Computes `2^exponent e^(x + rest)`. The magnitude of `rest` must be below an ulp of `x`.
pub(super) fn exp_scaled<M: Arithmetic>(m: &mut M, x: M::F, rest: M::F, exponent: f32) -> M::F {
    let t = m.scale(x, LOG2_E[0]);
    let minus_t = m.neg(t);
    let lost = m.fma_by(x, LOG2_E[0], minus_t);
    let lost = m.fma_by(x, LOG2_E[1], lost);
    let lost = m.scale(lost, LN_2[0]);
    let lost = m.add(lost, rest);
    let t = if exponent == 0.0 {
        t
    } else {
        m.add_to(t, exponent)
    };
    let power = m.unary(Unary::Exp2, t);
    let correction = m.mul(power, lost);
    let corrected = m.add(power, correction);
    // No correction if the power overflows.
    let size = m.abs(correction);
    let is_finite = m.less(size, f32::INFINITY);
    m.select(is_finite, corrected, power)
}

/// Computes `e^x - 1 = 2^j (e^r - 1) + (2^j - 1)` for `x = j ln 2 + r` and `|r| <= ln 2 / 2`.
pub(super) fn expm1<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    // (e^r - 1 - r) / r^2, minimax.
    const SERIES: [f32; 6] = [
        0.5,
        0.166_666_657,
        0.041_666_489_1,
        0.008_333_540_52,
        0.001_393_273_47,
        0.000_197_669_127,
    ];
    // Outside of these bounds, the result is -1 or infinity. NaN is preserved.
    let is_low = m.less(x, -20.0);
    let bounded = m.constant_where(is_low, -20.0, x);
    let limit = m.float(88.8);
    let is_high = m.compare(FloatPredicate::Less, limit, bounded);
    let bounded = m.select(is_high, limit, bounded);
    let is_number = m.compare(FloatPredicate::Equal, bounded, bounded);
    let j = m.scale(bounded, LOG2_E[0]);
    let j = m.unary(Unary::RoundEven, j);
    let r = m.fma_by(j, -LN_2[0], bounded);
    let r = m.fma_by(j, -LN_2[1], r);
    let series = m.polynomial(r, &SERIES);
    let square = m.mul(r, r);
    let p = m.fma(series, square, r);
    // Half of 2^j: j is up to 128, and 2^128 overflows.
    let zero = m.float(0.0);
    let j = m.select(is_number, j, zero);
    let exponent = m.to_int(j);
    let bits = m.int_with(IntBinary::Add, exponent, 126);
    let bits = m.int_with(IntBinary::ShiftLeft, bits, 23);
    let half = m.float_of(bits);
    let rest = m.add_to(half, -0.5);
    let sum = m.fma(half, p, rest);
    let sum = m.add(sum, sum);
    // Halving the smallest numbers would round. The select also preserves -0.
    let size = m.abs(x);
    let is_tiny = m.less(size, 2f32.powi(-26));
    m.select(is_tiny, x, sum)
}

/// Computes `x + x^3 P(x^2)`, an approximation of an odd function near 0. `series` contains the coefficients of the
/// polynomial `P`.
pub(super) fn odd<M: Arithmetic>(m: &mut M, x: M::F, series: &[f32]) -> M::F {
    let s = m.mul(x, x);
    let p = m.polynomial(s, series);
    // The addition of 0 preserves the sign of a zero argument.
    let p = m.fma_plus(p, s, 0.0);
    m.fma(p, x, x)
}

/// Computes `(e^|x| - e^-|x|) / 2` with the sign of `x`. If `|x| < 1`, computes a power series instead, which
/// avoids cancellation.
pub(super) fn sinh<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    const SERIES: [f32; 4] = [
        0.166_666_672,
        0.008_333_310_48,
        0.000_198_428_621,
        2.782_570_39e-6,
    ];
    let small = odd(m, x, &SERIES);
    let size = m.abs(x);
    let (half, inverse) = half_exp(m, size);
    let large = m.sub(half, inverse);
    let large = m.copy_sign(large, x);
    let is_small = m.less(size, 1.0);
    m.select(is_small, small, large)
}

/// Computes `(e^|x| + e^-|x|) / 2`.
pub(super) fn cosh<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    let size = m.abs(x);
    let (half, inverse) = half_exp(m, size);
    m.add(half, inverse)
}

/// Computes `(e^x / 2, e^-x / 2)` for non-negative `x`.
fn half_exp<M: Arithmetic>(m: &mut M, x: M::F) -> (M::F, M::F) {
    let zero = m.float(0.0);
    let half = exp_scaled(m, x, zero, -1.0);
    let quarter = m.float(0.25);
    let inverse = m.div(quarter, half);
    (half, inverse)
}

/// Computes `1 - 2 / (e^2|x| + 1)` with the sign of `x`. If `|x| < 0.55`, computes a power series instead, which
/// avoids cancellation.
pub(super) fn tanh<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    const SERIES: [f32; 5] = [
        -0.333_333_135,
        0.133_324_474,
        -0.053_837_567_6,
        0.021_009_959_3,
        -0.006_185_434_76,
    ];
    let small = odd(m, x, &SERIES);
    let size = m.abs(x);
    let twice = m.add(size, size);
    let power = exp(m, twice);
    let power = m.add_to(power, 1.0);
    let two = m.float(2.0);
    let rest = m.div(two, power);
    let one = m.float(1.0);
    let large = m.sub(one, rest);
    let large = m.copy_sign(large, x);
    let is_small = m.less(size, 0.55);
    m.select(is_small, small, large)
}
