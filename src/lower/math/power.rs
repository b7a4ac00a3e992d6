//! Powers and roots: `powf`, `fpowi` and `cbrt`.

use super::arithmetic::{Arithmetic, FloatPredicate, IntBinary, Unary};
use super::exponential::{LN_2, exp_scaled};

/// An unevaluated sum of two floats. `low` is below an ulp of `high`.
#[derive(Clone, Copy)]
struct DoubleFloat<F> {
    high: F,
    low: F,
}

fn product<M: Arithmetic>(
    m: &mut M,
    a: DoubleFloat<M::F>,
    b: DoubleFloat<M::F>,
) -> DoubleFloat<M::F> {
    let high = m.mul(a.high, b.high);
    let minus = m.neg(high);
    let low = m.fma(a.high, b.high, minus);
    let low = m.fma(a.high, b.low, low);
    let low = m.fma(a.low, b.high, low);
    DoubleFloat { high, low }
}

/// Adds two double floats. The magnitude of `a` must be at least that of `b`.
fn sum<M: Arithmetic>(m: &mut M, a: DoubleFloat<M::F>, b: DoubleFloat<M::F>) -> DoubleFloat<M::F> {
    let high = m.add(a.high, b.high);
    let back = m.sub(high, a.high);
    let low = m.sub(b.high, back);
    let low = m.add(low, b.low);
    let low = m.add(low, a.low);
    DoubleFloat { high, low }
}

fn constant<M: Arithmetic>(m: &mut M, [high, low]: [f32; 2]) -> DoubleFloat<M::F> {
    DoubleFloat {
        high: m.float(high),
        low: m.float(low),
    }
}

/// Computes the natural logarithm of a positive, finite number, with a relative error of about 2^-36.
///
/// For `x = 2^e c` with `c` from sqrt 1/2 to sqrt 2, and `q = (c - 1) / (c + 1)`:
/// `ln c = 2 atanh q = 2 q + q^3 (2 / 3 + q^2 P(q^2))`.
fn ln<M: Arithmetic>(m: &mut M, x: M::F) -> DoubleFloat<M::F> {
    const SERIES: [f32; 3] = [0.400_001_585, 0.285_464_853, 0.234_341_115];
    let is_subnormal = m.less(x, f32::MIN_POSITIVE);
    let scaled = m.scale(x, 2f32.powi(23));
    let normal = m.select(is_subnormal, scaled, x);
    let zero = m.float(0.0);
    let shift = m.constant_where(is_subnormal, -23.0, zero);
    let bits = m.bits(normal);
    let exponent = m.int_with(
        IntBinary::Sub,
        bits,
        std::f32::consts::FRAC_1_SQRT_2.to_bits(),
    );
    let exponent = m.int_with(IntBinary::And, exponent, 0xff80_0000);
    let mantissa = m.int_binary(IntBinary::Sub, bits, exponent);
    let c = m.float_of(mantissa);
    let e = m.to_float(exponent);
    let e = m.fma_by(e, 2f32.powi(-23), shift);

    let over = m.add_to(c, -1.0);
    let under = m.add_to(c, 1.0);
    // c + 1 is not exact; its error is c - (under - 1).
    let back = m.add_to(under, -1.0);
    let under_low = m.sub(c, back);
    let high = m.div(over, under);
    let minus = m.neg(high);
    let rest = m.fma(minus, under, over);
    let rest = m.fma(minus, under_low, rest);
    let low = m.div(rest, under);
    let q = DoubleFloat { high, low };

    let square = product(m, q, q);
    let tail = m.polynomial(square.high, &SERIES);
    let two_thirds = constant(m, [0.666_666_687, -1.986_821_55e-8]);
    let tail = m.mul(tail, square.high);
    let factor = m.add(two_thirds.high, tail);
    let back = m.sub(factor, two_thirds.high);
    let low = m.sub(tail, back);
    let low = m.add(low, two_thirds.low);
    let factor = DoubleFloat { high: factor, low };
    let cube = product(m, square, q);
    let cubic = product(m, cube, factor);
    let twice = DoubleFloat {
        high: m.add(q.high, q.high),
        low: m.add(q.low, q.low),
    };
    let near = sum(m, twice, cubic);
    let whole = DoubleFloat { high: e, low: zero };
    let ln_2 = constant(m, LN_2);
    let whole = product(m, whole, ln_2);
    // For e = 0, the order of the summands is irrelevant, since one of them is 0.
    let total = sum(m, whole, near);
    let is_near = m.equals(e, 0.0);
    DoubleFloat {
        high: m.select(is_near, near.high, total.high),
        low: m.select(is_near, near.low, total.low),
    }
}

/// Computes `x^n` for positive, finite `x` and finite `n`.
fn magnitude<M: Arithmetic>(m: &mut M, x: M::F, n: DoubleFloat<M::F>) -> M::F {
    let logarithm = ln(m, x);
    let exponent = product(m, n, logarithm);
    // If the product overflows, its low part is NaN.
    let size = m.abs(exponent.high);
    let is_bounded = m.less(size, 200.0);
    let zero = m.float(0.0);
    let rest = m.select(is_bounded, exponent.low, zero);
    exp_scaled(m, exponent.high, rest, 0.0)
}

/// Computes `x^y`, with the same special cases as C's `pow`.
pub(super) fn powf<M: Arithmetic>(m: &mut M, x: M::F, y: M::F) -> M::F {
    let zero = m.float(0.0);
    let size = m.abs(x);
    let power = magnitude(m, size, DoubleFloat { high: y, low: zero });
    // y is odd if y - 2 trunc(y / 2) is 1 or -1.
    let half = m.scale(y, 0.5);
    let half = m.unary(Unary::Trunc, half);
    let parity = m.fma_by(half, -2.0, y);
    let parity = m.abs(parity);
    let is_odd = m.equals(parity, 1.0);
    let power = limits(m, x, y, power);
    let signed = signed_power(m, x, is_odd, power);
    // A negative base has integer powers only.
    let whole = m.unary(Unary::Trunc, y);
    let is_integer = m.compare(FloatPredicate::Equal, whole, y);
    let is_negative = m.less(x, 0.0);
    let none = m.constant_where(is_negative, f32::NAN, signed);
    let is_infinite = m.equals(size, f32::INFINITY);
    let none = m.select(is_infinite, signed, none);
    let result = m.select(is_integer, signed, none);
    // Infinite y.
    let length = m.abs(y);
    let y_infinite = m.equals(length, f32::INFINITY);
    let one = m.float(1.0);
    let is_one = m.equals(size, 1.0);
    let grows = m.compare(FloatPredicate::Less, one, size);
    let infinity = m.float(f32::INFINITY);
    let up = m.select(grows, infinity, zero);
    let down = m.select(grows, zero, infinity);
    let y_negative = m.less(y, 0.0);
    let limit = m.select(y_negative, down, up);
    let limit = m.select(is_one, one, limit);
    let result = m.select(y_infinite, limit, result);
    let has_nan = m.compare(FloatPredicate::Unordered, x, y);
    let result = m.constant_where(has_nan, f32::NAN, result);
    // `pow(1, y)` and `pow(x, 0)` are 1 even for NaN.
    let x_one = m.equals(x, 1.0);
    let result = m.select(x_one, one, result);
    let y_zero = m.equals(y, 0.0);
    m.select(y_zero, one, result)
}

/// If the base `x` is zero or infinite, returns the magnitude of `x^y`, which is 0 or infinity. Otherwise returns
/// `power`.
fn limits<M: Arithmetic>(m: &mut M, x: M::F, y: M::F, power: M::F) -> M::F {
    let size = m.abs(x);
    let zero = m.float(0.0);
    let infinity = m.float(f32::INFINITY);
    let falls = m.less(y, 0.0);
    let of_zero = m.select(falls, infinity, zero);
    let of_infinity = m.select(falls, zero, infinity);
    let is_zero = m.equals(size, 0.0);
    let power = m.select(is_zero, of_zero, power);
    let is_infinite = m.equals(size, f32::INFINITY);
    m.select(is_infinite, of_infinity, power)
}

/// If the exponent is odd, returns `power` with the sign of the base `x`, which may be -0. Otherwise returns
/// `power`.
fn signed_power<M: Arithmetic>(m: &mut M, x: M::F, is_odd: M::B, power: M::F) -> M::F {
    let signed = m.copy_sign(power, x);
    m.select(is_odd, signed, power)
}

/// Computes `x^n` for the integer `n = upper + lower`, with `lower` below 256. `odd` is the lowest bit of `n`.
pub(super) fn fpowi<M: Arithmetic>(
    m: &mut M,
    x: M::F,
    upper: M::I,
    lower: M::I,
    odd: M::I,
) -> M::F {
    let (upper, lower) = (m.to_float(upper), m.to_float(lower));
    let high = m.add(upper, lower);
    let back = m.sub(high, upper);
    let low = m.sub(lower, back);
    let n = DoubleFloat { high, low };
    let size = m.abs(x);
    let power = magnitude(m, size, n);
    let one = m.int(1);
    let is_odd = m.int_equal(odd, one);
    let power = limits(m, x, high, power);
    let result = signed_power(m, x, is_odd, power);
    let x_nan = m.is_nan(x);
    let result = m.constant_where(x_nan, f32::NAN, result);
    let is_zero = m.equals(high, 0.0);
    m.constant_where(is_zero, 1.0, result)
}

/// Computes the cube root. A first estimate comes from a division of the bits of `x` by 3; two Halley iterations
/// then refine it.
pub(super) fn cbrt<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    let size = m.abs(x);
    // Scaled against overflow and underflow of three times the root's cube.
    let is_small = m.less(size, 2f32.powi(-100));
    let up = m.scale(size, 2f32.powi(24));
    let down = m.scale(size, 2f32.powi(-3));
    let a = m.select(is_small, up, down);
    let bits = m.bits(a);
    let third = m.int(0x5555_5556);
    let product = m.wide_product(bits, third);
    let product = m.long_with(IntBinary::ShiftRight, product, 32);
    let third = m.low_half(product);
    // Two thirds of the bias, with a correction that minimises the worst error.
    let start = m.int_with(IntBinary::Add, third, 0x2a51_19f2);
    let mut root = m.float_of(start);
    for _ in 0..2 {
        // y (y^3 + 2 a) / (2 y^3 + a) = y + y (a - y^3) / (2 y^3 + a)
        let square = m.mul(root, root);
        let minus = m.neg(root);
        let lacking = m.fma(minus, square, a);
        let cube = m.mul(square, root);
        let twice = m.add(cube, cube);
        let under = m.add(twice, a);
        let quotient = m.div(lacking, under);
        root = m.fma(root, quotient, root);
    }
    let small = m.scale(root, 2f32.powi(-8));
    let twice = m.add(root, root);
    let root = m.select(is_small, small, twice);
    let root = m.copy_sign(root, x);
    // 0, infinity and NaN are fixed points.
    let is_finite = m.less(size, f32::INFINITY);
    let root = m.select(is_finite, root, x);
    let is_zero = m.equals(size, 0.0);
    m.select(is_zero, x, root)
}
