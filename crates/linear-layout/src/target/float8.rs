//! 8-bit floats: their encodings, and the families of formats that the conversion instructions of GPUs support.

/// An 8-bit float format. From the highest bit down, a byte contains the sign bit, `exponent_bits` bits of the
/// exponent and `mantissa_bits` bits of the mantissa.
///
/// ```
/// use linear_layout::target::Float8;
/// let e4m3 = Float8::of("f8E4M3FN").unwrap();
/// // 0x7e is 1.75 * 2^(15 - 7) = 448, the largest number; 0x7f is NaN.
/// assert_eq!((e4m3.largest(), e4m3.bias), (0x7e, 7));
/// assert_eq!(e4m3.value(0x7e), 448.0);
/// assert!(e4m3.value(0x7f).is_nan());
/// // 2^-9, the smallest subnormal number.
/// assert_eq!(e4m3.value(0x01), 1.0 / 512.0);
/// ```
/// # Source
/// OCP 8-bit floating point specification, section 5, for the OCP formats. MLIR's `Float8E4M3FNUZ` and
/// `Float8E5M2FNUZ` for the `FNUZ` formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Float8 {
    /// MLIR's name of the format.
    pub name: &'static str,
    /// Number of exponent bits.
    pub exponent_bits: u32,
    /// Number of mantissa bits, without the implicit leading one of normal numbers.
    pub mantissa_bits: u32,
    /// Exponent bias.
    pub bias: u32,
    /// The standard that defines NaNs and infinities.
    pub family: Float8Family,
}

/// The standard that defines the NaNs and infinities of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Float8Family {
    /// Open Compute Project. E5M2 has infinities and NaNs like the IEEE formats. E4M3 has no infinity, and its only
    /// NaNs are the two codes in which all exponent and mantissa bits are set.
    Ocp,
    /// `FNUZ`: no infinity and no negative zero. The code that would be negative zero is the only NaN.
    Fnuz,
}

/// The 8-bit float formats of Triton's type system.
pub const FLOAT8: [Float8; 4] = [
    float8("f8E4M3FN", 4, 7, Float8Family::Ocp),
    float8("f8E5M2", 5, 15, Float8Family::Ocp),
    float8("f8E4M3FNUZ", 4, 8, Float8Family::Fnuz),
    float8("f8E5M2FNUZ", 5, 16, Float8Family::Fnuz),
];

const fn float8(name: &'static str, exponent_bits: u32, bias: u32, family: Float8Family) -> Float8 {
    Float8 {
        name,
        exponent_bits,
        mantissa_bits: 7 - exponent_bits,
        bias,
        family,
    }
}

impl Float8 {
    /// Returns the format with the MLIR name `name`, e.g. `f8E5M2`, or `None` if there is no such format.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        FLOAT8.into_iter().find(|format| format.name == name)
    }

    /// Returns the code of positive infinity, or `None` if the format has no infinity.
    #[must_use]
    pub const fn infinity(self) -> Option<u8> {
        match (self.family, self.exponent_bits) {
            (Float8Family::Ocp, 5) => Some(0x7c),
            _ => None,
        }
    }

    /// Returns the code of the largest finite number. For `f8E4M3FN` this is 0x7e, the code of 448.
    #[must_use]
    pub const fn largest(self) -> u8 {
        match (self.infinity(), self.family) {
            (Some(infinity), _) => infinity - 1,
            (None, Float8Family::Ocp) => 0x7e,
            (None, Float8Family::Fnuz) => 0x7f,
        }
    }

    /// Returns the code of the canonical NaN.
    #[must_use]
    pub const fn nan(self) -> u8 {
        match self.family {
            Float8Family::Ocp => 0x7f,
            Float8Family::Fnuz => 0x80,
        }
    }

    /// Returns the number that the byte `code` encodes.
    #[must_use]
    pub fn value(self, code: u8) -> f64 {
        let size = code & 0x7f;
        let sign = if code & 0x80 == 0 { 1.0 } else { -1.0 };
        let is_nan = match self.family {
            Float8Family::Ocp => size > self.infinity().unwrap_or(self.largest()),
            Float8Family::Fnuz => code == self.nan(),
        };
        if is_nan {
            return f64::NAN;
        }
        if self.infinity() == Some(size) {
            return sign * f64::INFINITY;
        }
        let mantissa = u32::from(size) & ((1 << self.mantissa_bits) - 1);
        let exponent = u32::from(size) >> self.mantissa_bits;
        let implied = u32::from(exponent != 0) << self.mantissa_bits;
        sign * f64::from(implied + mantissa) * self.step(exponent)
    }

    /// Returns the code of the number nearest to `size`, which must not be negative. Ties go to the even code. The
    /// result is not clamped: if `size` is too large, the code is above [`Self::largest`].
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number too large for 32 bits saturates"
    )]
    pub fn nearest(self, size: f64) -> u32 {
        let powers = (size.to_bits() >> 52) as i32 - 1023;
        let exponent = (powers + self.bias.cast_signed()).max(1).cast_unsigned();
        // The implicit leading one increments the exponent of a normal number.
        let steps = (size / self.step(exponent)).round_ties_even() as u32;
        ((exponent - 1) << self.mantissa_bits).saturating_add(steps)
    }

    /// Returns the distance between adjacent numbers whose exponent field is `exponent`. Subnormal numbers, whose
    /// field is 0, have the same distance as numbers whose field is 1.
    fn step(self, exponent: u32) -> f64 {
        let power = exponent.max(1).cast_signed() - (self.bias + self.mantissa_bits).cast_signed();
        2f64.powi(power)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_nearest_to_itself() {
        for format in FLOAT8 {
            for code in 0..=format.largest() {
                let value = format.value(code);
                assert_eq!(format.nearest(value), u32::from(code), "{}", format.name);
                if code > 0 {
                    assert!(value > format.value(code - 1));
                    assert_eq!(format.value(code | 0x80), -value);
                    let middle = f64::midpoint(value, format.value(code - 1));
                    assert_eq!(format.nearest(middle) % 2, 0, "{} {middle}", format.name);
                }
            }
            assert!(format.value(format.nan()).is_nan(), "{}", format.name);
            for large in [1e5, 1e30, f64::INFINITY] {
                assert!(format.nearest(large) > u32::from(format.largest()));
            }
            if let Some(infinity) = format.infinity() {
                assert_eq!(format.value(infinity), f64::INFINITY);
            }
        }
        let largest = FLOAT8.map(|format| format.value(format.largest()));
        assert_eq!(largest, [448.0, 57344.0, 240.0, 57344.0]);
    }
}
