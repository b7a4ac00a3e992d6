//! `sin`, `cos` and `tan`, with range reduction for arguments of any size.

use super::arithmetic::{Arithmetic, FloatPredicate, IntBinary, Unary};

/// An angle reduced to `|rest| <= pi / 4`. `quarter` is the number of subtracted quarter turns, modulo 4.
struct Reduced<M: Arithmetic> {
    rest: M::F,
    quarter: M::I,
}

/// Maximum magnitude for accurate Cody-Waite reduction with three floats.
const LARGE: f32 = 71_476.0;

/// pi / 2 as the sum of three floats.
const QUARTER_TURN: [f32; 3] = [1.570_796_37, -4.371_138_83e-8, -1.715_124_51e-15];

/// Bits of 2 / pi after the binary point, highest word first.
const TWO_OVER_PI: [u32; 6] = [
    0xa2f9_836e,
    0x4e44_1529,
    0xfc27_57d1,
    0xf534_ddc0,
    0xdb62_9599,
    0x3c43_9041,
];

fn reduce<M: Arithmetic>(m: &mut M, x: M::F) -> Reduced<M> {
    let j = m.scale(x, std::f32::consts::FRAC_2_PI);
    let j = m.unary(Unary::RoundEven, j);
    let size = m.abs(x);
    let limit = m.float(LARGE);
    let is_large = m.compare(FloatPredicate::Less, limit, size);
    // The multiple of a large number overflows 32 bits.
    let zero = m.float(0.0);
    let is_number = m.compare(FloatPredicate::Equal, size, size);
    let bounded = m.select(is_large, zero, j);
    let bounded = m.select(is_number, bounded, zero);
    let quarter = m.to_int(bounded);
    let rest = m.fma_by(bounded, -QUARTER_TURN[0], x);
    let rest = m.fma_by(bounded, -QUARTER_TURN[1], rest);
    let rest = m.fma_by(bounded, -QUARTER_TURN[2], rest);
    // Preserves -0.
    let is_zero = m.equals(x, 0.0);
    let rest = m.select(is_zero, x, rest);
    let (rest, quarter) = m.branch(is_large, |m| reduce_large(m, x), (rest, quarter));
    Reduced { rest, quarter }
}

/// Reduces an angle by the algorithm of Payne and Hanek.
///
/// Let `x = w 2^e` with a 32-bit integer `w`. Only 96 bits of 2 / pi affect `x 2 / pi` modulo 4. The product of `w`
/// and these 96 bits is computed to 64 bits: 2 bits that count quarter turns, and 62 bits for the fraction of a
/// quarter turn.
fn reduce_large<M: Arithmetic>(m: &mut M, x: M::F) -> (M::F, M::I) {
    let bits = m.bits(x);
    let exponent = m.int_with(IntBinary::ShiftRight, bits, 23);
    let exponent = m.int_with(IntBinary::And, exponent, 0xff);
    let mantissa = m.int_with(IntBinary::ShiftLeft, bits, 8);
    let mantissa = m.int_with(IntBinary::Or, mantissa, 1 << 31);
    // x = 0.mantissa * 2^e; LARGE has e = 17, the largest numbers have 128, infinity 129.
    let e = m.int_with(IntBinary::Sub, exponent, 126);
    let word = m.int_with(IntBinary::ShiftRight, e, 5);
    let shift = m.int_with(IntBinary::And, e, 31);
    // Two bits before the binary point: the words begin two bits above 2 / pi.
    let words: Vec<M::I> = (0..4).map(|i| word_at(m, word, i)).collect();
    let shifted: Vec<M::I> = words
        .windows(2)
        .map(|pair| funnel(m, pair[0], pair[1], shift))
        .collect();
    let low = m.wide_product(mantissa, shifted[2]);
    let middle = m.wide_product(mantissa, shifted[1]);
    let high = m.wide_product(mantissa, shifted[0]);
    let carry = m.long_with(IntBinary::ShiftRight, low, 32);
    let high = m.long_with(IntBinary::ShiftLeft, high, 32);
    let sum = m.long_binary(IntBinary::Add, middle, carry);
    let turns = m.long_binary(IntBinary::Add, sum, high);
    // Rounds to the nearest quarter turn, so the rest is signed.
    let half = m.long_with(IntBinary::Add, turns, 1 << 61);
    let quarter = m.long_with(IntBinary::ShiftRight, half, 62);
    let whole = m.long_with(IntBinary::ShiftLeft, quarter, 62);
    let rest = m.long_binary(IntBinary::Sub, turns, whole);
    let quarter = m.low_half(quarter);
    // The rest as two floats, times pi / 2.
    let head = m.long_to_float(rest);
    let back = m.to_long(head);
    let tail = m.long_binary(IntBinary::Sub, rest, back);
    let tail = m.long_to_float(tail);
    let head = m.scale(head, 2f32.powi(-62));
    let tail = m.scale(tail, 2f32.powi(-62));
    let low = m.scale(head, QUARTER_TURN[1]);
    let low = m.fma_by(tail, QUARTER_TURN[0], low);
    let angle = m.fma_by(head, QUARTER_TURN[0], low);
    // For a negative angle, the rest and the number of quarter turns are negated. Infinity and NaN give NaN.
    let zero = m.float(0.0);
    let is_negative = m.compare(FloatPredicate::Less, x, zero);
    let opposite = m.neg(angle);
    let angle = m.select(is_negative, opposite, angle);
    let none = m.int(0);
    let opposite = m.int_binary(IntBinary::Sub, none, quarter);
    let quarter = m.int_select(is_negative, opposite, quarter);
    let size = m.abs(x);
    let is_finite = m.less(size, f32::INFINITY);
    let nan = m.float(f32::NAN);
    (m.select(is_finite, angle, nan), quarter)
}

/// Returns word `index + offset` of a sequence of 32-bit words. The sequence consists of 34 zero bits followed by
/// the bits of 2 / pi.
fn word_at<M: Arithmetic>(m: &mut M, index: M::I, offset: usize) -> M::I {
    // Two bits come from the preceding word.
    let at = |k: usize| match k {
        0 => 0,
        _ => TWO_OVER_PI.get(k - 1).copied().unwrap_or_default(),
    };
    let word = |i: usize| match i {
        0 => 0,
        _ => at(i - 1) << 30 | at(i) >> 2,
    };
    let mut found = m.int(word(offset));
    for i in 1..5usize {
        let this = m.int(u32::try_from(i).unwrap_or_default());
        let is_this = m.int_equal(index, this);
        let value = m.int(word(i + offset));
        found = m.int_select(is_this, value, found);
    }
    found
}

/// Returns the upper 32 bits of the 64-bit number `high:low` after a left shift by `by`, which must be below 32.
fn funnel<M: Arithmetic>(m: &mut M, high: M::I, low: M::I, by: M::I) -> M::I {
    let high = m.int_binary(IntBinary::ShiftLeft, high, by);
    // In two steps, since a shift by 32 is undefined.
    let low = m.int_with(IntBinary::ShiftRight, low, 1);
    let all = m.int(31);
    let back = m.int_binary(IntBinary::Xor, by, all);
    let low = m.int_binary(IntBinary::ShiftRight, low, back);
    m.int_binary(IntBinary::Or, high, low)
}

/// Computes the sine of an angle of at most an eighth of a turn.
fn near_sine<M: Arithmetic>(m: &mut M, r: M::F) -> M::F {
    super::exponential::odd(
        m,
        r,
        &[
            -0.166_666_672,
            0.008_333_379_4,
            -0.000_198_528_141,
            2.827_828_12e-6,
        ],
    )
}

/// Computes the cosine of an angle of at most an eighth of a turn.
fn near_cosine<M: Arithmetic>(m: &mut M, r: M::F) -> M::F {
    let s = m.mul(r, r);
    let p = m.polynomial(s, &[0.041_666_645_6, -0.001_388_729_43, 2.442_943_15e-5]);
    let p = m.fma_plus(p, s, -0.5);
    m.fma_plus(p, s, 1.0)
}

/// Returns the sine and the cosine of `x`, as `[sine, cosine]`.
pub(super) fn sincos<M: Arithmetic>(m: &mut M, x: M::F) -> [M::F; 2] {
    let Reduced { rest, quarter } = reduce(m, x);
    let (sine, cosine) = (near_sine(m, rest), near_cosine(m, rest));
    let odd = m.int_with(IntBinary::And, quarter, 1);
    let zero = m.int(0);
    let is_even = m.int_equal(odd, zero);
    // Quarters 2 and 3 negate the sine, 1 and 2 the cosine.
    let sine_sign = m.int_with(IntBinary::And, quarter, 2);
    let sine_sign = m.int_with(IntBinary::ShiftLeft, sine_sign, 30);
    let after = m.int_with(IntBinary::Add, quarter, 1);
    let cosine_sign = m.int_with(IntBinary::And, after, 2);
    let cosine_sign = m.int_with(IntBinary::ShiftLeft, cosine_sign, 30);
    let pairs = [(sine, cosine, sine_sign), (cosine, sine, cosine_sign)];
    pairs.map(|(even, odd, sign)| {
        let value = m.select(is_even, even, odd);
        let bits = m.bits(value);
        let bits = m.int_binary(IntBinary::Xor, bits, sign);
        m.float_of(bits)
    })
}

/// Divides the sine by the cosine of the reduced angle. After an odd number of quarter turns, the result is the
/// negative inverse of this quotient.
pub(super) fn tan<M: Arithmetic>(m: &mut M, x: M::F) -> M::F {
    let Reduced { rest, quarter } = reduce(m, x);
    let (sine, cosine) = (near_sine(m, rest), near_cosine(m, rest));
    let odd = m.int_with(IntBinary::And, quarter, 1);
    let zero = m.int(0);
    let is_even = m.int_equal(odd, zero);
    let opposite = m.neg(cosine);
    let over = m.select(is_even, sine, opposite);
    let under = m.select(is_even, cosine, sine);
    m.div(over, under)
}
