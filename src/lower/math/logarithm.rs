//! Logarithms and inverse hyperbolic functions.

use super::arithmetic::{Arithmetic, FloatPredicate, IntBinary, Unary};
use super::exponential::LN_2;

/// Minimax coefficients of `(ln(1 + f) - f) / f^2` for f from -1/3 to 1/3.
const SERIES: [f32; 9] = [
    -0.5,
    0.333_332_151,
    -0.249_998_003,
    0.200_104_445,
    -0.166_803_762,
    0.140_053_421,
    -0.121_857_174,
    0.139_866_933,
    -0.128_856_197,
];

/// The bits of the f32 2/3. Mantissas are reduced to the range from 2/3 to 4/3.
const TWO_THIRDS: u32 = 0x3f2a_aaab;

/// Base of a logarithm.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    E,
    Two,
    Ten,
}

impl Base {
    const fn inverse_ln(self) -> [f32; 2] {
        match self {
            Self::E => [1.0, 0.0],
            Self::Two => [1.442_695_02, 1.925_963_03e-8],
            Self::Ten => [0.434_294_492, -1.010_305e-8],
        }
    }

    const fn of_two(self) -> [f32; 2] {
        match self {
            Self::E => LN_2,
            Self::Two => [1.0, 0.0],
            Self::Ten => [0.301_030_010, -1.432_098_88e-8],
        }
    }
}

/// Computes the logarithm of `x` to the base `base`. For `x = 2^e (1 + f)`, the result is
/// `e log(2) + (f + f^2 P(f)) / ln(base)`. Here `log` is the logarithm to the base `base`, and `P` is the
/// polynomial with the coefficients [`SERIES`].
pub(super) fn log<M: Arithmetic>(m: &mut M, x: M::F, base: Base) -> M::F {
    // Normalises subnormal numbers.
    let is_subnormal = m.less(x, f32::MIN_POSITIVE);
    let scaled = m.scale(x, 2f32.powi(23));
    let normal = m.select(is_subnormal, scaled, x);
    let zero = m.float(0.0);
    let shift = m.constant_where(is_subnormal, -23.0, zero);
    let (exponent, mantissa) = split(m, normal);
    let e = m.to_float(exponent);
    let e = m.fma_by(e, 2f32.powi(-23), shift);
    let f = m.add_to(mantissa, -1.0);
    let sum = sum(m, e, f, base);
    outside(m, x, sum)
}

/// Decomposes `x = 2^e m` with `m` from 2/3 to 4/3. Returns `(2^23 e, m)`.
fn split<M: Arithmetic>(m: &mut M, x: M::F) -> (M::I, M::F) {
    let bits = m.bits(x);
    let exponent = m.int_with(IntBinary::Sub, bits, TWO_THIRDS);
    let exponent = m.int_with(IntBinary::And, exponent, 0xff80_0000);
    let mantissa = m.int_binary(IntBinary::Sub, bits, exponent);
    (exponent, m.float_of(mantissa))
}

fn sum<M: Arithmetic>(m: &mut M, e: M::F, f: M::F, base: Base) -> M::F {
    let square = m.mul(f, f);
    let series = m.polynomial(f, &SERIES);
    let [two, two_rest] = base.of_two();
    if matches!(base, Base::E) {
        let sum = m.fma(series, square, f);
        return m.fma_by(e, two, sum);
    }
    let tail = m.mul(series, square);
    let [inverse, inverse_rest] = base.inverse_ln();
    // f / ln base in two parts, since the first term dominates near 1.
    let head = m.scale(f, inverse);
    let minus_head = m.neg(head);
    let rest = m.fma_by(f, inverse, minus_head);
    let rest = m.fma_by(f, inverse_rest, rest);
    let rest = m.fma_by(tail, inverse, rest);
    let whole = m.scale(e, two);
    let rest = if two_rest == 0.0 {
        rest
    } else {
        let minus_whole = m.neg(whole);
        let lost = m.fma_by(e, two, minus_whole);
        let lost = m.fma_by(e, two_rest, lost);
        m.add(rest, lost)
    };
    // The larger summand comes first, for an exact rounding error.
    let high = m.add(whole, head);
    let back = m.sub(high, whole);
    let lost = m.sub(head, back);
    let is_near = m.equals(e, 0.0);
    let zero = m.float(0.0);
    let lost = m.select(is_near, zero, lost);
    let rest = m.add(rest, lost);
    m.add(high, rest)
}

/// Returns the logarithm of `x` for any `x`. `inside` is the logarithm for positive finite `x`.
///
/// 0 gives -infinity, a negative `x` gives NaN; infinity and NaN are returned unchanged.
fn outside<M: Arithmetic>(m: &mut M, x: M::F, inside: M::F) -> M::F {
    let is_finite = m.less(x, f32::INFINITY);
    let result = m.select(is_finite, inside, x);
    let is_zero = m.equals(x, 0.0);
    let result = m.constant_where(is_zero, f32::NEG_INFINITY, result);
    let is_negative = m.less(x, 0.0);
    m.constant_where(is_negative, f32::NAN, result)
}

/// Computes `ln(1 + x)` without the rounding error of the sum `1 + x`.
pub(super) fn log1p<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    let whole = m.add_to(x, 1.0);
    let (exponent, _) = split(m, whole);
    // 4 * 2^-e, which is normal even if 2^-e is not.
    let four = m.int(4f32.to_bits());
    let inverse = m.int_binary(IntBinary::Sub, four, exponent);
    let inverse = m.float_of(inverse);
    let quarter = m.scale(inverse, 0.25);
    let minus_one = m.add_to(quarter, -1.0);
    let scaled = m.scale(x, 0.25);
    let near = m.fma(x, quarter, minus_one);
    let far = m.fma(scaled, inverse, minus_one);
    // A quarter of a small x may be rounded, and 2^-e of a large x underflows.
    let is_near = m.less(x, 2f32.powi(60));
    let f = m.select(is_near, near, far);
    let e = m.to_float(exponent);
    let e = m.scale(e, 2f32.powi(-23));
    let inside = sum(m, e, f, Base::E);
    let result = outside(m, whole, inside);
    let size = m.abs(x);
    let is_tiny = m.less(size, 2f32.powi(-26));
    m.select(is_tiny, x, result)
}

/// If `x` has at least this value, `sqrt(x^2 + 1)` rounds to `x`.
const LARGE: f32 = 1e9;

/// Computes `log1p(t + t^2 / (1 + sqrt(t^2 + 1)))` for `t = |x|`, with the sign of `x`.
pub(super) fn asinh<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    let size = m.abs(x);
    let root = m.fma_plus(size, size, 1.0);
    let root = m.unary(Unary::Sqrt, root);
    let root = m.add_to(root, 1.0);
    let quotient = m.div(size, root);
    let argument = m.fma(size, quotient, size);
    let result = log1p_of_large(m, size, argument);
    m.copy_sign(result, x)
}

/// Computes `log1p(t + sqrt(2 t + t^2))` for `t = x - 1`. The result is NaN if `x` is below 1.
pub(super) fn acosh<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    let t = m.add_to(x, -1.0);
    let twice = m.add(t, t);
    let root = m.fma(t, t, twice);
    let root = m.unary(Unary::Sqrt, root);
    let argument = m.add(t, root);
    let result = log1p_of_large(m, x, argument);
    let is_outside = m.less(x, 1.0);
    m.constant_where(is_outside, f32::NAN, result)
}

/// Computes `log1p(argument)`, or `ln(2 x)` for `x` above [`LARGE`].
fn log1p_of_large<M: Arithmetic>(m: &mut M, x: M::F, argument: M::F) -> M::F {
    let large = m.float(LARGE);
    let is_large = m.compare(FloatPredicate::Less, large, x);
    let argument = m.select(is_large, x, argument);
    let result = log1p(m, argument);
    let doubled = m.add_to(result, LN_2[0]);
    m.select(is_large, doubled, result)
}

/// Computes `log1p(2 t / (1 - t)) / 2` for `t = |x|`, with the sign of `x`. The result is NaN if `t` is above 1.
pub(super) fn atanh<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    let size = m.abs(x);
    let one = m.float(1.0);
    let rest = m.sub(one, size);
    let twice = m.add(size, size);
    let argument = m.div(twice, rest);
    let result = log1p(m, argument);
    let result = m.scale(result, 0.5);
    // Halving the smallest numbers would round.
    let is_tiny = m.less(size, 2f32.powi(-26));
    let result = m.select(is_tiny, size, result);
    let is_outside = m.compare(FloatPredicate::Less, one, size);
    let result = m.constant_where(is_outside, f32::NAN, result);
    m.copy_sign(result, x)
}
