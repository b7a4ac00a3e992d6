//! Floating-point formats of GPU registers, as raw bits.

use crate::bits::{mask, signed};
use linear_layout::target::Float8;

/// A floating-point format of registers.
///
/// `FloatTy::F16.from_f64(1.5)` is `0x3E00` and `FloatTy::F16.to_f64(0x3E00)` is `1.5`.
/// # Units
/// Registers hold raw bits, zero-extended to 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatTy {
    /// IEEE binary16: 5 exponent bits, 10 mantissa bits.
    F16,
    /// The upper half of binary32: 8 exponent bits, 7 mantissa bits.
    BF16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum RoundingMode {
    /// To nearest, ties to even.
    Nearest,
    TowardsZero,
    Downward,
    Upward,
}

impl FloatTy {
    /// Returns the width in bits: 16, 16, 32 or 64.
    pub const fn bits(self) -> u32 {
        match self {
            Self::F16 | Self::BF16 => 16,
            Self::F32 => 32,
            Self::F64 => 64,
        }
    }

    /// Returns MLIR's spelling: `f16`, `bf16`, `f32`, `f64`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        [Self::F16, Self::BF16, Self::F32, Self::F64]
            .into_iter()
            .find(|ty| ty.name() == name)
    }

    /// Returns the exact value of the raw bits `bits`.
    #[allow(
        clippy::wrong_self_convention,
        reason = "the receiver names the format, not the value"
    )]
    pub fn to_f64(self, bits: u64) -> f64 {
        match self {
            Self::F16 | Self::BF16 | Self::F32 => f64::from(self.to_f32(bits)),
            Self::F64 => f64::from_bits(bits),
        }
    }

    /// Returns the value of the raw bits `bits`. The result is exact for all formats except `F64`.
    #[allow(
        clippy::wrong_self_convention,
        reason = "the receiver names the format, not the value"
    )]
    pub(crate) fn to_f32(self, bits: u64) -> f32 {
        match self {
            Self::F16 => f16_to_f32(bits as u16),
            Self::BF16 => f32::from_bits((bits as u32) << 16),
            Self::F32 => f32::from_bits(bits as u32),
            Self::F64 => f64::from_bits(bits) as f32,
        }
    }

    /// Rounds `value` to nearest, ties to even, and returns the bits. Overflow gives infinity.
    #[allow(
        clippy::wrong_self_convention,
        reason = "the receiver names the format, not the value"
    )]
    pub fn from_f64(self, value: f64) -> u64 {
        match self {
            Self::F16 => narrow(value, 5, 10),
            Self::BF16 => narrow(value, 8, 7),
            Self::F32 => u64::from((value as f32).to_bits()),
            Self::F64 => value.to_bits(),
        }
    }

    /// Rounds an integer of up to 65 bits to nearest, ties to even, and returns the bits. Overflow gives infinity.
    #[allow(
        clippy::wrong_self_convention,
        reason = "the receiver names the format, not the value"
    )]
    pub(crate) fn from_integer(self, value: i128) -> u64 {
        let size = value.unsigned_abs();
        // With a sticky lowest bit, rounding from 53 bits gives the same result as rounding from all bits.
        let excess = (128 - size.leading_zeros()).saturating_sub(53);
        let lost = size & ((1 << excess) - 1) != 0;
        let odd = (size >> excess | u128::from(lost)) as f64 * 2f64.powi(excess.cast_signed());
        match self {
            Self::F64 => (value as f64).to_bits(),
            _ => self.from_f64(if value < 0 { -odd } else { odd }),
        }
    }

    /// Rounds `value` in the given direction, and returns the bits.
    ///
    /// `FloatTy::F16.rounded(65519.0, RoundingMode::Upward)` is infinity, `0x7C00`; downward it is `0x7BFF`.
    pub(crate) fn rounded(self, value: f64, direction: RoundingMode) -> u64 {
        let nearest = self.from_f64(value);
        let found = self.to_f64(nearest);
        let sign = 1u64 << (self.bits() - 1);
        let (larger, smaller) = (nearest.wrapping_add(1), nearest.wrapping_sub(1));
        let is_negative = nearest & sign != 0;
        match direction {
            RoundingMode::TowardsZero if found.abs() > value.abs() => smaller,
            RoundingMode::Downward if found > value && is_negative => larger,
            RoundingMode::Downward if found > value => smaller,
            RoundingMode::Upward if found < value && is_negative => smaller,
            RoundingMode::Upward if found < value => larger,
            _ => nearest,
        }
    }

    /// Rounds `value` to nearest, ties to even, and returns the bits. Overflow gives infinity.
    #[allow(
        clippy::wrong_self_convention,
        reason = "the receiver names the format, not the value"
    )]
    pub(crate) fn from_f32(self, value: f32) -> u64 {
        match self {
            Self::F32 => u64::from(value.to_bits()),
            _ => self.from_f64(f64::from(value)),
        }
    }
}

fn f16_to_f32(half: u16) -> f32 {
    let sign = u32::from(half >> 15) << 31;
    let exponent = u32::from(half >> 10) & 0x1f;
    let mantissa = u32::from(half) & 0x3ff;
    match exponent {
        0 => {
            // Subnormals are multiples of 2^-24, which are normal in binary32.
            let magnitude = mantissa as f32 * f32::from_bits(0x3380_0000);
            f32::from_bits(magnitude.to_bits() | sign)
        }
        0x1f => f32::from_bits(sign | 0x7f80_0000 | (mantissa << 13)),
        _ => f32::from_bits(sign | ((exponent + 112) << 23) | (mantissa << 13)),
    }
}

/// Rounds `value` to the nearest number, ties to even, of a format with the given numbers of exponent and mantissa
/// bits. Returns the bits of the result.
fn narrow(value: f64, exponent_bits: u32, mantissa_bits: u32) -> u64 {
    let bits = value.to_bits();
    let sign = (bits >> 63) << (exponent_bits + mantissa_bits);
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    let mantissa = bits & ((1 << 52) - 1);
    let infinity = ((1u64 << exponent_bits) - 1) << mantissa_bits;
    if exponent == 0x7ff {
        if mantissa == 0 {
            return sign | infinity;
        }
        let quiet = 1 << (mantissa_bits - 1);
        return sign | infinity | quiet | (mantissa >> (52 - mantissa_bits));
    }
    if exponent == 0 {
        // A subnormal binary64 is far below the smallest value of any narrower format.
        return sign;
    }
    let bias = (1 << (exponent_bits - 1)) - 1;
    let target = exponent - 1023 + bias;
    let full = (1u64 << 52) | mantissa;
    let normal_shift = 52 - mantissa_bits;
    let shift = if target >= 1 {
        normal_shift
    } else {
        normal_shift + (1 - target) as u32
    };
    if shift > 62 {
        return sign;
    }
    let rest = full & ((1 << shift) - 1);
    let half = 1u64 << (shift - 1);
    let mut kept = full >> shift;
    if rest > half || (rest == half && kept & 1 == 1) {
        kept += 1;
    }
    // `kept` includes the hidden bit, so a carry moves into the exponent by itself.
    let result = if target >= 1 {
        (((target - 1) as u64) << mantissa_bits) + kept
    } else {
        kept
    };
    sign | result.min(infinity)
}

/// The result of converting a number to an 8-bit float if the magnitude of the number exceeds the largest finite
/// number of the format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TooLarge {
    /// The result is the largest finite number. This also applies to infinity.
    Saturates,
    /// The result is infinity, or NaN if the format has no infinity.
    Overflows,
}

pub(crate) fn float8_code(format: Float8, too_large: TooLarge, value: f64) -> u8 {
    if value.is_nan() {
        return format.nan();
    }
    let nearest = format.nearest(value.abs());
    let largest = format.largest();
    let size = if nearest <= u32::from(largest) {
        nearest as u8
    } else if too_large == TooLarge::Saturates {
        largest
    } else {
        format.infinity().unwrap_or(format.nan())
    };
    let negative = u8::from(value.is_sign_negative()) << 7;
    // An unsigned encoding is zero or NaN.
    if format.value(negative | size).is_nan() && !format.value(size).is_nan() {
        return size;
    }
    negative | size
}

/// Rounds a float towards zero to an integer of `bits` bits. Saturates; NaN gives 0.
pub(crate) fn float_to_int(from: FloatTy, bits: u32, is_signed: bool, a: u64) -> u64 {
    let value = from.to_f64(a).trunc();
    if is_signed {
        let smallest = signed(1 << (bits - 1), bits);
        // `as` saturates and turns NaN into 0.
        (value as i64).clamp(smallest, -(smallest + 1)) as u64 & mask(bits)
    } else {
        (value as u64).min(mask(bits))
    }
}

#[cfg(test)]
mod tests {
    use super::FloatTy;

    #[test]
    fn every_half_survives_a_round_trip() {
        for ty in [FloatTy::F16, FloatTy::BF16] {
            for bits in 0..=0xffffu64 {
                let value = ty.to_f64(bits);
                if value.is_nan() {
                    assert!(ty.to_f64(ty.from_f64(value)).is_nan());
                } else {
                    assert_eq!(ty.from_f64(value), bits, "{} {bits:#x}", ty.name());
                }
            }
        }
    }

    #[test]
    fn no_nan_becomes_infinity() {
        for ty in [FloatTy::F16, FloatTy::BF16, FloatTy::F32] {
            for bits in [
                0x7ff0_0000_0000_0001,
                0xfff0_0000_0000_0001,
                0x7ff8_0000_0000_0000,
            ] {
                let value = f64::from_bits(bits);
                let narrow = ty.to_f64(ty.from_f64(value));
                assert!(narrow.is_nan(), "{} {bits:#x}", ty.name());
                assert_eq!(narrow.is_sign_negative(), value.is_sign_negative());
            }
        }
    }

    #[track_caller]
    fn check(ty: FloatTy, value: f64, bits: u64) {
        assert_eq!(ty.from_f64(value), bits, "{} of {value}", ty.name());
    }

    #[test]
    fn ties_go_to_even_and_overflow_to_infinity() {
        check(FloatTy::F16, 2049.0, 0x6800);
        check(FloatTy::F16, 2051.0, 0x6802);
        check(FloatTy::F16, 65519.0, 0x7bff);
        check(FloatTy::F16, 65520.0, 0x7c00);
        check(FloatTy::F16, -f64::INFINITY, 0xfc00);
        check(FloatTy::F16, 2f64.powi(-25), 0);
        check(FloatTy::F16, 3.0 * 2f64.powi(-25), 2);
        check(FloatTy::BF16, 1.0 + 2f64.powi(-8), 0x3f80);
        check(FloatTy::BF16, 1.0 + 3.0 * 2f64.powi(-8), 0x3f82);
    }
}
