//! Floats of every format as exact numbers, independent of the library.

use super::kernel::Scalar;

/// Returns the number of exponent bits and the number of fraction bits of a float format.
fn format(scalar: Scalar) -> (u32, u32) {
    match scalar {
        Scalar::F16 => (5, 10),
        Scalar::Bf16 => (8, 7),
        Scalar::F32 => (8, 23),
        Scalar::F64 => (11, 52),
        Scalar::Int(_) | Scalar::F8E5M2 | Scalar::F8E4M3 => {
            unreachable!("nothing is computed with {scalar:?}")
        }
    }
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(u64::from((exponent + 1023).cast_unsigned()) << 52)
}

/// Returns the value that `bits` represents in the format `scalar`. `f64` represents the values of all formats
/// exactly.
pub(crate) fn decode(scalar: Scalar, bits: u64) -> f64 {
    let (exponent_bits, fraction_bits) = format(scalar);
    if scalar == Scalar::F64 {
        return f64::from_bits(bits);
    }
    let bias = (1 << (exponent_bits - 1)) - 1;
    let exponent = (bits >> fraction_bits & ((1 << exponent_bits) - 1)) as i32;
    let fraction = bits & ((1 << fraction_bits) - 1);
    let scale = fraction_bits.cast_signed();
    let magnitude = if exponent == (1 << exponent_bits) - 1 {
        if fraction == 0 {
            f64::INFINITY
        } else {
            f64::NAN
        }
    } else if exponent == 0 {
        fraction as f64 * power_of_two(1 - bias - scale)
    } else {
        (fraction | 1 << fraction_bits) as f64 * power_of_two(exponent - bias - scale)
    };
    if bits >> (exponent_bits + fraction_bits) & 1 == 1 {
        -magnitude
    } else {
        magnitude
    }
}

/// Returns the bits of the number in the format `scalar` that is nearest to `mantissa * 2^exponent`. Ties are
/// rounded to even.
pub(crate) fn round(scalar: Scalar, negative: bool, mantissa: u128, exponent: i32) -> u64 {
    let (exponent_bits, fraction_bits) = format(scalar);
    let bias = (1 << (exponent_bits - 1)) - 1;
    let sign = u64::from(negative) << (exponent_bits + fraction_bits);
    if mantissa == 0 {
        return sign;
    }
    // The exponent of the last place that the result keeps: below the leading bit, but not below
    // the smallest denormal.
    let leading = 127 - mantissa.leading_zeros().cast_signed() + exponent;
    let fraction = fraction_bits.cast_signed();
    let last = (leading - fraction).max(1 - bias - fraction);
    let dropped = last - exponent;
    let kept = if dropped <= 0 {
        mantissa << dropped.unsigned_abs()
    } else if dropped > 127 {
        0
    } else {
        let (whole, rest) = (mantissa >> dropped, mantissa & ((1 << dropped) - 1));
        let half = 1u128 << (dropped - 1);
        whole + u128::from(rest > half || (rest == half && whole & 1 == 1))
    };
    // A carry into the next power of two adds one to the exponent, as the encoding has it.
    let field = (last + fraction + bias) as u64;
    let bits = if kept >> fraction_bits == 0 {
        kept as u64
    } else {
        ((field - 1) << fraction_bits) + kept as u64
    };
    let infinity = ((1 << exponent_bits) - 1) << fraction_bits;
    sign | bits.min(infinity)
}

/// Returns the bits of the number in the format `scalar` that is nearest to `value`. NaN becomes the quiet NaN.
pub(crate) fn encode(scalar: Scalar, value: f64) -> u64 {
    let (exponent_bits, fraction_bits) = format(scalar);
    if value.is_nan() {
        return ((1 << (exponent_bits + 1)) - 1) << (fraction_bits - 1);
    }
    let infinity = ((1 << exponent_bits) - 1) << fraction_bits;
    let negative = value.is_sign_negative();
    if value.is_infinite() {
        return infinity | u64::from(negative) << (exponent_bits + fraction_bits);
    }
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) = if exponent == 0 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, exponent - 1075)
    };
    round(scalar, negative, u128::from(mantissa), exponent)
}

pub(crate) fn is_nan(scalar: Scalar, bits: u64) -> bool {
    match scalar {
        Scalar::Int(_) | Scalar::F8E5M2 | Scalar::F8E4M3 => false,
        _ => decode(scalar, bits).is_nan(),
    }
}
