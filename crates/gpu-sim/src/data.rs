//! Arguments given as text, initial contents of buffers, and comparison of results.

use super::bits::mask;
use super::error::{FaultKind, KernelError};
use super::float::{FloatTy, TooLarge, float_to_int, float8_code};
use linear_layout::target::{FLOAT8, Float8};
use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

/// The type of a buffer's elements or of a scalar argument.
///
/// `"f16".parse()` is `ElementTy::Float(FloatTy::F16)`, `"i32".parse()` is `ElementTy::Int(32)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElementTy {
    /// A signless integer of 8, 16, 32 or 64 bits. A scalar argument may also have one bit (`i1`).
    Int(u32),
    /// A float of 16, 32 or 64 bits.
    Float(FloatTy),
    /// An 8-bit float. A scalar argument of this type is passed to the kernel as an integer that contains the 8-bit
    /// code.
    Float8(Float8),
}

impl ElementTy {
    /// Returns the bytes per element in a buffer.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Int(bits) => bits.div_ceil(8) as usize,
            Self::Float(ty) => ty.bits() as usize / 8,
            Self::Float8(_) => 1,
        }
    }

    /// Returns the value of the element with the index `index`, or `None` if the index is out of bounds. Integers
    /// are read as signed numbers.
    pub fn value(self, bytes: &[u8], index: usize) -> Option<f64> {
        let size = self.bytes();
        let element = bytes.get(index * size..(index + 1) * size)?;
        let bits = super::memory::read_le(element, 0, size as u8);
        Some(match self {
            Self::Int(bits_wide) => super::bits::signed(bits, bits_wide.max(8)) as f64,
            Self::Float(ty) => ty.to_f64(bits),
            Self::Float8(format) => format.value(bits as u8),
        })
    }

    /// Returns the bits of `value` in this type. Floats are rounded to nearest, integers towards zero. Integers and
    /// 8-bit floats saturate.
    pub fn encode(self, value: f64) -> u64 {
        match self {
            Self::Int(bits) => float_to_int(FloatTy::F64, bits.max(8), true, value.to_bits()),
            Self::Float(ty) => ty.from_f64(value),
            Self::Float8(format) => float8_code(format, TooLarge::Saturates, value).into(),
        }
    }

    /// Parses an integer that fits `bits` bits either as a signed or as an unsigned number.
    fn integer(bits: u32, text: &str) -> Result<i128, KernelError> {
        let whole = |number: f64| (number.fract() == 0.0 && number.abs() < 1e30).then_some(number);
        let value: i128 = match text.parse() {
            Ok(value) => value,
            Err(_) => match text.parse().ok().and_then(whole) {
                Some(number) => number as i128,
                None => return Err(wrong(format!("`{text}` is not an integer"))),
            },
        };
        let range = integer_range(bits);
        if range.contains(&value) {
            return Ok(value);
        }
        let (low, high) = (range.start(), range.end());
        Err(wrong(format!(
            "`{text}` does not fit i{bits}: expected {low} to {high}"
        )))
    }

    fn number(self, text: &str) -> Result<f64, KernelError> {
        let Ok(value) = text.parse::<f64>() else {
            return Err(wrong(format!("`{text}` is not a number")));
        };
        let largest = match self {
            Self::Int(bits) => mask(bits) as f64,
            Self::Float(FloatTy::F16) => 65504.0,
            Self::Float(FloatTy::BF16) => FloatTy::BF16.to_f64(0x7f7f),
            Self::Float(FloatTy::F32) => f32::MAX.into(),
            Self::Float(FloatTy::F64) => f64::MAX,
            Self::Float8(format) => format.value(format.largest()),
        };
        let fits = match self {
            _ if value.is_nan() => true,
            // Numbers that round to the largest finite number are in range.
            Self::Float(ty) if value.is_finite() => ty.to_f64(ty.from_f64(value)).is_finite(),
            Self::Float8(format) if value.is_finite() => {
                format.nearest(value.abs()) <= u32::from(format.largest())
            }
            Self::Float8(format) => format.infinity().is_some(),
            _ => true,
        };
        if fits {
            return Ok(value);
        }
        Err(wrong(format!(
            "`{text}` does not fit {self}: expected -{largest:?} to {largest:?}"
        )))
    }
}

/// Returns the range of the integers that fit `bits` bits either as signed or as unsigned numbers.
pub(super) fn integer_range(bits: u32) -> RangeInclusive<i128> {
    -(1i128 << (bits - 1))..=(1i128 << bits) - 1
}

impl fmt::Display for ElementTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(bits) => write!(f, "i{bits}"),
            Self::Float(ty) => f.write_str(ty.name()),
            Self::Float8(format) => f.write_str(format.name),
        }
    }
}

impl FromStr for ElementTy {
    type Err = KernelError;

    fn from_str(text: &str) -> Result<Self, KernelError> {
        if let Some(ty) = FloatTy::parse(text) {
            return Ok(Self::Float(ty));
        }
        if let Some(format) = Float8::of(text) {
            return Ok(Self::Float8(format));
        }
        match text.strip_prefix('i').and_then(|bits| bits.parse().ok()) {
            Some(bits @ (1 | 8 | 16 | 32 | 64)) => Ok(Self::Int(bits)),
            _ => {
                let narrow = FLOAT8.map(|format| format.name).join(", ");
                Err(wrong(format!("unknown type `{text}`")).note(format!(
                    "expected one of i1, i8, i16, i32, i64, f16, bf16, f32, f64, {narrow}"
                )))
            }
        }
    }
}

fn wrong(text: String) -> KernelError {
    KernelError::new(FaultKind::Launch, text)
}

/// The initial contents of a buffer.
#[derive(Clone, PartialEq, Debug)]
pub enum Fill {
    /// Zero in every element.
    Zeros,
    /// The numbers 0, 1, 2, ..., which wrap around in narrow integers.
    Iota,
    /// Random values. Integers cover their whole range. Floats are multiples of 2^-11 in [-1, 1). All of these
    /// multiples are exact in `f16`; formats that cannot represent a multiple round it to the nearest value.
    Random,
    /// The same number in every element.
    Full(f64),
    /// The same integer in every element.
    FullInteger(i128),
    /// The bytes of the file with this path.
    File(PathBuf),
}

/// An argument given as text.
///
/// | text | meaning |
/// |---|---|
/// | `5:i32`, `1.5:f32` | a scalar |
/// | `zeros:f16:8192`, `iota:i32:64x64`, `random:f32:100` | a buffer of this many elements |
/// | `full:-1:f32:100` | a buffer filled with one value |
/// | `file:f16:x.bin` | a buffer with the bytes of a file |
/// | `null` | the null pointer |
///
/// A name may precede the argument: `x=random:f16:8192`.
/// ```
/// use gpu_sim::{ArgSpec, ArgValue};
/// let spec: ArgSpec = "x=iota:i32:2x2".parse()?;
/// assert_eq!(spec.name.as_deref(), Some("x"));
/// let ArgValue::Buffer { count, .. } = spec.value else { unreachable!() };
/// assert_eq!(count, Some(4));
/// # Ok::<(), gpu_sim::KernelError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct ArgSpec {
    /// Name of the argument, if the text begins with `name=`.
    pub name: Option<String>,
    /// Value of the argument.
    pub value: ArgValue,
}

/// The value of an [`ArgSpec`].
#[derive(Clone, PartialEq, Debug)]
pub enum ArgValue {
    /// An integer scalar and its type.
    Int(i128, ElementTy),
    /// A floating-point scalar and its type.
    Float(f64, ElementTy),
    /// A buffer.
    Buffer {
        /// Initial contents.
        fill: Fill,
        /// Type of the elements.
        ty: ElementTy,
        /// Number of elements; `None` for a file, whose size determines the number.
        count: Option<usize>,
    },
    /// The null pointer.
    Null,
}

impl FromStr for ArgSpec {
    type Err = KernelError;

    fn from_str(text: &str) -> Result<Self, KernelError> {
        let is_name =
            |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if is_name(name) => (Some(name.to_owned()), value),
            _ => (None, text),
        };
        Ok(Self {
            name,
            value: value.parse()?,
        })
    }
}

impl FromStr for ArgValue {
    type Err = KernelError;

    fn from_str(text: &str) -> Result<Self, KernelError> {
        let pieces: Vec<&str> = text.split(':').collect();
        let buffer = |fill, ty: &str, count: &str| {
            let ty: ElementTy = ty.parse()?;
            let numbers: Result<Vec<usize>, _> = count.split('x').map(str::parse).collect();
            let numbers =
                numbers.map_err(|_| wrong(format!("`{count}` is not a number of elements")))?;
            let count = numbers.iter().try_fold(1usize, |n, &m| n.checked_mul(m));
            let fits =
                count.filter(|count| count.checked_mul(ty.bytes()).is_some_and(|b| b < 1 << 34));
            match fits {
                Some(count) => Ok(Self::Buffer {
                    fill,
                    ty,
                    count: Some(count),
                }),
                None => Err(wrong(format!(
                    "buffer `{text}` is too large, expected less than 16 GiB"
                ))),
            }
        };
        match pieces[..] {
            ["null"] => Ok(Self::Null),
            ["zeros", ty, count] => buffer(Fill::Zeros, ty, count),
            ["iota", ty, count] => buffer(Fill::Iota, ty, count),
            ["random", ty, count] => buffer(Fill::Random, ty, count),
            ["full", value, ty, count] => {
                let fill = match ty.parse()? {
                    ElementTy::Int(bits) => Fill::FullInteger(ElementTy::integer(bits, value)?),
                    float => Fill::Full(float.number(value)?),
                };
                buffer(fill, ty, count)
            }
            ["file", ty, ..] if pieces.len() > 2 => {
                let path = pieces[2..].join(":");
                Ok(Self::Buffer { fill: Fill::File(path.into()), ty: ty.parse()?, count: None })
            }
            [value, ty] => match ty.parse()? {
                ty @ ElementTy::Int(bits) => Ok(Self::Int(ElementTy::integer(bits, value)?, ty)),
                ty => Ok(Self::Float(ty.number(value)?, ty)),
            },
            _ => Err(wrong(format!("argument `{text}` has an unknown form")).note(
                "write `5:i32`, `1.5:f32`, `zeros|iota|random:TYPE:COUNT`, `full:VALUE:TYPE:COUNT`, `file:TYPE:PATH` or `null`",
            )),
        }
    }
}

/// Returns the initial contents of a buffer. [`Fill::Random`] uses `seed`. For a [`Fill::File`], returns zeros
/// and does not read the file.
pub fn initial_bytes(fill: &Fill, ty: ElementTy, count: usize, seed: u64) -> Vec<u8> {
    let size = ty.bytes();
    let mut bytes = vec![0; count * size];
    let mut state = seed;
    for index in 0..count {
        let bits = match fill {
            Fill::Zeros | Fill::File(_) => return bytes,
            Fill::Iota => match ty {
                ElementTy::Int(_) => index as u64,
                float => float.encode(index as f64),
            },
            Fill::Random => {
                let word = split_mix(&mut state);
                match ty {
                    ElementTy::Int(_) => word,
                    float => float.encode((word >> 52) as f64 / 2048.0 - 1.0),
                }
            }
            Fill::Full(value) => ty.encode(*value),
            Fill::FullInteger(value) => *value as u64,
        };
        super::memory::write_le(&mut bytes, index * size, size as u8, bits);
    }
    bytes
}

/// Returns the next number of the SplitMix64 generator of Steele, Lea and Flood, and advances its state.
pub(super) fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The tolerance of a comparison. An element may differ from its expected value by at most `absolute + relative *
/// |expected|`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tolerance {
    /// Absolute part of the tolerance, in units of the elements.
    pub absolute: f64,
    /// Relative part of the tolerance, as a fraction of `|expected|`.
    pub relative: f64,
}

/// The result of comparing a buffer with its expected contents.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparison {
    /// Number of compared elements.
    pub elements: usize,
    /// Number of elements outside the tolerance.
    pub wrong: usize,
    /// The first few elements outside the tolerance, as (index, found value, expected value).
    pub first: Vec<(usize, f64, f64)>,
    /// Largest absolute difference.
    pub max_error: f64,
}

impl Comparison {
    /// Returns true if every element is within the tolerance.
    pub fn is_equal(&self) -> bool {
        self.wrong == 0
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} elements differ", self.wrong, self.elements)?;
        for (index, found, expected) in &self.first {
            write!(f, "\n  element {index}: found {found}, expected {expected}")?;
        }
        Ok(())
    }
}

/// Compares two buffers element by element. Two NaNs count as equal.
/// # Errors
/// Returns a `Launch` error if the buffers differ in size.
pub fn compare(
    found: &[u8],
    expected: &[u8],
    ty: ElementTy,
    tolerance: Tolerance,
) -> Result<Comparison, KernelError> {
    if found.len() != expected.len() {
        let text = format!(
            "the buffer has {} bytes; expected {}",
            found.len(),
            expected.len()
        );
        return Err(wrong(text));
    }
    let mut result = Comparison {
        elements: found.len() / ty.bytes(),
        ..Comparison::default()
    };
    for index in 0..result.elements {
        let (Some(a), Some(b)) = (ty.value(found, index), ty.value(expected, index)) else {
            continue;
        };
        let distance = (a - b).abs();
        let near = a == b
            || (a.is_nan() && b.is_nan())
            || distance <= tolerance.absolute + tolerance.relative * b.abs();
        if distance > result.max_error {
            result.max_error = distance;
        }
        if !near {
            result.wrong += 1;
            if result.first.len() < 5 {
                result.first.push((index, a, b));
            }
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read() {
        let parse = |text: &str| text.parse::<ArgSpec>().unwrap().value;
        assert_eq!(parse("5:i32"), ArgValue::Int(5, ElementTy::Int(32)));
        assert_eq!(parse("n=-1:i8"), ArgValue::Int(-1, ElementTy::Int(8)));
        assert_eq!(
            parse("1.5:f32"),
            ArgValue::Float(1.5, ElementTy::Float(FloatTy::F32))
        );
        let ty = ElementTy::Float(FloatTy::F16);
        assert_eq!(
            parse("zeros:f16:4x8"),
            ArgValue::Buffer {
                fill: Fill::Zeros,
                ty,
                count: Some(32)
            }
        );
        let fill = Fill::File("a:b.bin".into());
        assert_eq!(
            parse("file:f16:a:b.bin"),
            ArgValue::Buffer {
                fill,
                ty,
                count: None
            }
        );
        let error = |text: &str| text.parse::<ArgSpec>().unwrap_err().to_string();
        assert!(
            error("zeros:f16").contains("unknown type")
                || error("zeros:f16").contains("not a number")
        );
        assert!(error("random:f9:3").starts_with("unknown type `f9`"));
        assert!(error("hello").starts_with("argument `hello` has an unknown form"));
        assert!(error("zeros:f16:9999999999999").contains("too large"));
    }

    /// The expected numbers are the first outputs of the reference implementation for the seed 1234567.
    #[test]
    fn random_numbers_are_those_of_split_mix() {
        let mut state = 1_234_567;
        let found = [(); 3].map(|()| split_mix(&mut state));
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn values_out_of_range_name_the_range() {
        let check = |text: &str, expected: Option<&str>| {
            let found = text.parse::<ArgSpec>().err();
            let found = found.map(|error| error.message().to_owned());
            assert_eq!(found.as_deref(), expected, "{text}");
        };
        check("full:255:i8:1", None);
        check("full:-128:i8:1", None);
        let text = "`256` does not fit i8: expected -128 to 255";
        check("full:256:i8:1", Some(text));
        let text = "`-129` does not fit i8: expected -128 to 255";
        check("-129:i8", Some(text));
        check("full:1.5:i32:1", Some("`1.5` is not an integer"));
        check("full:18446744073709551615:i64:1", None);
        check("full:65519:f16:1", None);
        let text = "`65520` does not fit f16: expected -65504.0 to 65504.0";
        check("full:65520:f16:1", Some(text));
        check("inf:f16", None);
        check(
            "3.5e38:f32",
            Some(
                "`3.5e38` does not fit f32: expected -3.4028234663852886e38 to 3.4028234663852886e38",
            ),
        );
        check("full:448:f8E4M3FN:1", None);
        let text = "`480` does not fit f8E4M3FN: expected -448.0 to 448.0";
        check("full:480:f8E4M3FN:1", Some(text));
        let text = "`inf` does not fit f8E4M3FN: expected -448.0 to 448.0";
        check("full:inf:f8E4M3FN:1", Some(text));
        check("full:-inf:f8E5M2:1", None);
    }

    #[test]
    fn floats_of_8_bits_are_filled_and_read() {
        for format in FLOAT8 {
            let ty = ElementTy::Float8(format);
            assert_eq!(ty.to_string().parse::<ElementTy>().unwrap(), ty);
            let iota = initial_bytes(&Fill::Iota, ty, 9, 0);
            let found: Vec<_> = (0..9).filter_map(|i| ty.value(&iota, i)).collect();
            assert_eq!(
                found,
                [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0][..found.len()]
                    .to_vec()
                    .into_iter()
                    .map(|v: f64| format.value(format.nearest(v) as u8))
                    .collect::<Vec<_>>()
            );
            for code in 0..=255u8 {
                let value = format.value(code);
                let bytes = initial_bytes(&Fill::Full(value), ty, 1, 0);
                let back = ty.value(&bytes, 0).unwrap();
                let is_same =
                    back == value || back.is_nan() && value.is_nan() || value.is_infinite();
                assert!(is_same, "{} {code:#x}", format.name);
            }
        }
    }

    #[test]
    fn buffers_are_filled_the_same_way_every_time() {
        let f16 = ElementTy::Float(FloatTy::F16);
        assert_eq!(
            initial_bytes(&Fill::Iota, ElementTy::Int(16), 3, 0),
            [0, 0, 1, 0, 2, 0]
        );
        assert_eq!(
            initial_bytes(&Fill::Full(-1.0), ElementTy::Int(8), 2, 0),
            [255, 255]
        );
        let random = initial_bytes(&Fill::Random, f16, 1000, 7);
        assert_eq!(random, initial_bytes(&Fill::Random, f16, 1000, 7));
        let values: Vec<f64> = (0..1000).filter_map(|i| f16.value(&random, i)).collect();
        assert!(
            values
                .iter()
                .all(|v| (-1.0..1.0).contains(v) && (v * 2048.0).fract() == 0.0)
        );
        assert!(values.iter().sum::<f64>().abs() < 60.0);
    }

    #[test]
    fn comparisons_allow_for_rounding_and_count() {
        let ty = ElementTy::Float(FloatTy::F32);
        let bytes = |values: &[f32]| {
            values
                .iter()
                .flat_map(|v| v.to_le_bytes())
                .collect::<Vec<_>>()
        };
        let (a, b) = (bytes(&[1.0, 2.0, f32::NAN]), bytes(&[1.0, 2.5, -f32::NAN]));
        let strict = compare(&a, &b, ty, Tolerance::default()).unwrap();
        assert_eq!(
            strict.to_string(),
            "1 of 3 elements differ\n  element 1: found 2, expected 2.5"
        );
        assert!(!strict.is_equal());
        let loose = Tolerance {
            absolute: 0.0,
            relative: 0.2,
        };
        assert!(compare(&a, &b, ty, loose).unwrap().is_equal());
        assert!(compare(&a, &b[4..], ty, loose).is_err());
    }
}
