//! Error functions: `erf` and `erfc`.

use super::arithmetic::{Arithmetic, FloatPredicate};
use super::exponential::{exp, exp_scaled};

/// Computes `erf x` for magnitudes of `x` up to 0.93.
fn near_erf<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    // (erf x - x) / x
    const NEAR: [f32; 7] = [
        0.128_379_166,
        -0.376_126_289,
        0.112_836_249,
        -0.026_855_647_6,
        0.005_192_104_73,
        -0.000_804_551_586,
        7.975_995_69e-5,
    ];
    let square = m.mul(x, x);
    let series = m.polynomial(square, &NEAR);
    m.fma(series, x, x)
}

/// Computes the error function: a power series if `|x| < 0.93`, otherwise `1 - e^-g(|x|)` with the sign of `x`,
/// where `g` is a polynomial.
///
/// The result is 1 or -1 for `|x| >= 3.92`.
pub(super) fn erf<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    // (ln erfc x + x) / x
    const FAR: [f32; 8] = [
        -0.128_551_781,
        -0.635_625_124,
        -0.105_262_965,
        0.022_674_379_9,
        -0.002_930_273_77,
        4.961_291_05e-5,
        4.558e-5,
        -4.938_510_3e-6,
    ];
    let near = near_erf(m, x);
    let size = m.abs(x);
    let limit = m.float(4.0);
    let is_far = m.compare(FloatPredicate::Less, limit, size);
    let bounded = m.select(is_far, limit, size);
    let far = m.polynomial(bounded, &FAR);
    let minus = m.neg(bounded);
    let far = m.fma(far, bounded, minus);
    let far = exp(m, far);
    let one = m.float(1.0);
    let far = m.sub(one, far);
    let far = m.copy_sign(far, x);
    let is_near = m.less(size, 0.93);
    m.select(is_near, near, far)
}

/// Computes the complementary error function `1 - erf(x)`.
///
/// If `|x| >= 0.5`, computes `q = e^(-x^2) P / (1 + 2 |x|)`, where `P` is a polynomial in `(|x| - 4) / (|x| + 4)`.
/// The result is `q` for positive `x`, and `2 - q` for negative `x`. If `|x| < 0.5`, computes the difference
/// `1 - erf(x)`, which is more accurate there.
pub(super) fn erfc<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    // (1 + 2 t) e^(t^2) erfc t, of (t - 4) / (t + 4)
    const SERIES: [f32; 12] = [
        1.232_995_15,
        -0.139_621_034,
        0.015_375_565_7,
        0.068_090_982_7,
        -0.100_957_505,
        0.093_879_230_3,
        -0.066_820_897_2,
        0.035_941_381,
        -0.015_804_316_8,
        0.008_146_854_12,
        0.001_989_897_11,
        0.000_340_497_645,
    ];
    let size = m.abs(x);
    // From 10.06 on the result is 0.
    let limit = m.float(10.5);
    let is_far = m.compare(FloatPredicate::Less, limit, size);
    let t = m.select(is_far, limit, size);
    let over = m.add_to(t, -4.0);
    let under = m.add_to(t, 4.0);
    let p = m.div(over, under);
    let series = m.polynomial(p, &SERIES);
    let two = m.float(2.0);
    let under = m.fma_plus(t, two, 1.0);
    let fraction = m.div(series, under);
    // The rounding error of the square matters, since it is an exponent.
    let square = m.mul(t, t);
    let minus_square = m.neg(square);
    let minus_t = m.neg(t);
    let lost = m.fma(minus_t, t, square);
    let power = exp_scaled(m, minus_square, lost, 0.0);
    let result = m.mul(power, fraction);
    let opposite = m.sub(two, result);
    let is_negative = m.less(x, 0.0);
    let result = m.select(is_negative, opposite, result);
    let one = m.float(1.0);
    let near = near_erf(m, x);
    let near = m.sub(one, near);
    let is_near = m.less(size, 0.5);
    m.select(is_near, near, result)
}
