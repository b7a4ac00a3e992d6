//! Number formats of the operands of matrix instructions.

use crate::float::FloatTy;
use linear_layout::target::{Float8, Float8Family};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Format {
    Float(FloatTy),
    /// The upper 19 bits of a binary32; the lower bits are ignored.
    Tf32,
    /// E4M3 in the variant of the GPU: OCP or FNUZ.
    E4m3,
    /// E5M2 in the variant of the GPU: OCP or FNUZ.
    E5m2,
    /// E2M1 as defined by OCP, in 4 bits.
    E2m1,
    /// E2M1 in bits 2 to 5 of a byte, as in the operands of `kind::f8f6f4`.
    PaddedE2m1,
    I8,
    U8,
    I32,
}

/// The absolute values of the E2M1 numbers, indexed by the lowest 3 bits of the number (OCP microscaling formats
/// 1.0, section 5.3.3).
const E2M1: [f64; 8] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];

impl Format {
    pub(super) const F16: Self = Self::Float(FloatTy::F16);
    pub(super) const BF16: Self = Self::Float(FloatTy::BF16);
    pub(super) const F32: Self = Self::Float(FloatTy::F32);
    pub(super) const F64: Self = Self::Float(FloatTy::F64);

    pub(super) const fn bits(self) -> u32 {
        match self {
            Self::Float(ty) => ty.bits(),
            Self::Tf32 | Self::I32 => 32,
            Self::E4m3 | Self::E5m2 | Self::PaddedE2m1 | Self::I8 | Self::U8 => 8,
            Self::E2m1 => 4,
        }
    }

    /// Returns the exact value of the element with the bits `bits`.
    pub(super) fn value(self, bits: u64, family: Float8Family) -> f64 {
        let float8 = |exponent_bits| float8(family, exponent_bits).value(bits as u8);
        match self {
            Self::Float(ty) => ty.to_f64(bits),
            Self::Tf32 => FloatTy::F32.to_f64(bits & !0x1fff),
            Self::E4m3 => float8(4),
            Self::E5m2 => float8(5),
            Self::E2m1 | Self::PaddedE2m1 => {
                let code = if self == Self::E2m1 { bits } else { bits >> 2 };
                let size = E2M1[code as usize & 7];
                if code & 8 == 0 { size } else { -size }
            }
            Self::I8 => f64::from((bits as u8).cast_signed()),
            Self::U8 => f64::from(bits as u8),
            Self::I32 => f64::from((bits as u32).cast_signed()),
        }
    }

    /// Converts a sum to this format and returns its bits. Floats round to nearest, ties to even. Integers saturate
    /// if `saturates` is true, and wrap otherwise.
    pub(super) fn code(self, sum: f64, saturates: bool) -> u64 {
        match self {
            Self::Float(ty) => ty.from_f64(sum),
            _ => {
                // A sum of 8-bit products and a 32-bit integer is exact in a double.
                let sum = sum as i64;
                let limits = i64::from(i32::MIN)..=i64::from(i32::MAX);
                let sum = if saturates {
                    sum.clamp(*limits.start(), *limits.end())
                } else {
                    sum
                };
                u64::from(sum as u32)
            }
        }
    }
}

fn float8(family: Float8Family, exponent_bits: u32) -> Float8 {
    let name = match (family, exponent_bits) {
        (Float8Family::Ocp, 4) => "f8E4M3FN",
        (Float8Family::Ocp, _) => "f8E5M2",
        (Float8Family::Fnuz, 4) => "f8E4M3FNUZ",
        (Float8Family::Fnuz, _) => "f8E5M2FNUZ",
    };
    Float8::of(name).expect("one of the four formats")
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum ScaleFormat {
    /// A power of two, given by an exponent with bias 127; 255 is NaN.
    E8m0,
    /// E4M3 as defined by OCP, without the sign bit.
    E4m3,
}

impl ScaleFormat {
    pub(super) fn value(self, code: u8) -> f64 {
        match self {
            Self::E8m0 if code == 0xff => f64::NAN,
            Self::E8m0 => 2f64.powi(i32::from(code) - 127),
            Self::E4m3 => float8(Float8Family::Ocp, 4).value(code & 0x7f),
        }
    }
}
