//! Widths of element types, by their names in IR and in front ends.

use super::spelling::nearest;
use thiserror::Error;

/// The names of MLIR's float types that layout conversions support, with their widths in bits.
pub const FLOATS: [(&str, u32); 11] = [
    ("f64", 64),
    ("f32", 32),
    ("f16", 16),
    ("bf16", 16),
    ("f8E4M3FN", 8),
    ("f8E5M2", 8),
    ("f8E4M3FNUZ", 8),
    ("f8E5M2FNUZ", 8),
    ("f8E4M3B11FNUZ", 8),
    ("f8E8M0FNU", 8),
    ("f4E2M1FN", 4),
];

/// Element types of Triton, `NumPy`, `PyTorch` and CUTLASS, with their widths in bits. Names that consist of one of
/// [`PREFIXES`] and the width, such as `int32`, are not listed.
#[rustfmt::skip]
const FRONT_END_NAMES: [(&str, u32); 21] = [
    ("fp8e4nv", 8), ("fp8e4b8", 8), ("fp8e4b15", 8), ("fp8e5", 8), ("fp8e5b16", 8),
    ("bool", 8), ("half", 16), ("float", 32), ("double", 64),
    ("float8_e4m3fn", 8), ("float8_e5m2", 8), ("float8_e4m3fnuz", 8), ("float8_e5m2fnuz", 8), ("float8_e8m0fnu", 8),
    ("half_t", 16), ("bfloat16_t", 16), ("float_e4m3_t", 8), ("float_e5m2_t", 8), ("float_ue8m0_t", 8),
    ("float_e2m1_t", 4), ("float16_t", 16),
];

/// Prefixes of the names that end with a number of bits, e.g. `int` of `int32`.
const PREFIXES: [&str; 9] = ["uint", "int", "bfloat", "float", "fp", "bf", "f", "i", "u"];

/// The error for an unknown element type.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{name}` is not a supported element type")]
pub struct ElementTypeError {
    name: String,
}

impl ElementTypeError {
    /// Returns the error for the unknown element type `name`.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let name = name.chars().take(60).collect();
        Self { name }
    }

    /// Returns notes to print below the message: the expected names, and the nearest known name if there is one.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let floats = FLOATS.map(|(float, _)| float).join(", ");
        let mut notes = vec![format!(
            "expected `i1`, `i2`, `i4`, `i8`, `i16`, `i32`, `i64`, a pointer such as `!tt.ptr<f16>`, or one of {floats}"
        )];
        notes.extend(
            self.nearest()
                .map(|near| format!("the nearest is `{near}`")),
        );
        notes
    }

    /// Returns the float type of the same width, such as `f8E4M3FN` for `float8`. If no float type has this width,
    /// returns the known name with the smallest edit distance.
    fn nearest(&self) -> Option<&'static str> {
        let name = self.name.to_lowercase();
        let floats = || FLOATS.iter().map(|(float, _)| *float);
        let bits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
        let same = |(_, width): &&(&str, u32)| name.starts_with('f') && bits == width.to_string();
        let same = FLOATS.iter().find(same).map(|(float, _)| *float);
        same.or_else(|| nearest(&self.name, floats()))
            .or_else(|| nearest(&name, FRONT_END_NAMES.iter().map(|(known, _)| *known)))
    }
}

/// Returns the width in bits of the element type `name` in IR, or `None` if the type is unknown. A pointer has 64 bits.
///
/// ```
/// use linear_layout::encoding::element_bits;
/// assert_eq!(["bf16", "i8", "!tt.ptr<f16>", "i3"].map(element_bits), [Some(16), Some(8), Some(64), None]);
/// ```
#[must_use]
pub fn element_bits(name: &str) -> Option<u32> {
    if let Some((_, bits)) = FLOATS.iter().find(|(float, _)| *float == name) {
        return Some(*bits);
    }
    if (name.starts_with("!tt.ptr<") && name.ends_with('>')) || name.starts_with("!llvm.ptr") {
        return Some(64);
    }
    let bits = name.strip_prefix('i')?.parse().ok()?;
    is_element_width(bits).then_some(bits)
}

/// Returns the width in bits of the element type `name`, a name in IR, Triton, `NumPy`, `PyTorch` or CUTLASS.
///
/// ```
/// use linear_layout::encoding::element_bits_of_name;
/// let names = ["f16", "tl.float16", "torch.bfloat16", "uint8", "cutlass::half_t", "Float8E4M3FN", "gl.float8e5"];
/// assert_eq!(names.map(|name| element_bits_of_name(name).unwrap_or(0)), [16, 16, 16, 8, 16, 8, 8]);
/// let error = element_bits_of_name("float8").unwrap_err();
/// assert_eq!(error.to_string(), "`float8` is not a supported element type");
/// assert_eq!(error.notes()[1], "the nearest is `f8E4M3FN`");
/// ```
/// # Errors
/// Returns an error if no element type has this name, or the width is not a power of two up to 64.
pub fn element_bits_of_name(name: &str) -> Result<u32, ElementTypeError> {
    let whole = name.trim();
    if let Some(bits) = element_bits(whole) {
        return Ok(bits);
    }
    // Drops the qualifier of `tl.float16` or `cutlass::half_t`.
    let bare = whole.rsplit(['.', ':']).next().unwrap_or(whole);
    let bare = bare.to_lowercase();
    let named = FRONT_END_NAMES.iter().find(|(known, _)| *known == bare);
    let found = named.map(|(_, bits)| *bits).or_else(|| {
        let bare = bare.strip_suffix("_t").unwrap_or(&bare);
        let rest = PREFIXES
            .iter()
            .find_map(|prefix| bare.strip_prefix(prefix))?;
        let end = rest.find(|c: char| !c.is_ascii_digit());
        let (digits, format) = rest.split_at(end.unwrap_or(rest.len()));
        let bits = digits.parse().ok().filter(|bits| is_element_width(*bits))?;
        // A float of at most one byte has a format such as `e4m3fn`. No other type has a format.
        let needs_format = bare.contains('f') && bits <= 8;
        let is_format = format.strip_prefix(['e', '_']).is_some();
        (needs_format == is_format && (is_format || format.is_empty())).then_some(bits)
    });
    found.ok_or_else(|| ElementTypeError::new(whole))
}

/// Returns true if `bits` is a valid width of an integer element: a power of two up to 64.
#[must_use]
pub fn is_element_width(bits: u32) -> bool {
    bits.is_power_of_two() && bits <= 64
}

#[cfg(test)]
mod tests {
    use super::{ElementTypeError, element_bits_of_name};

    #[test]
    fn names_of_front_ends_have_widths() {
        for (name, bits) in [
            ("fp16", 16),
            ("bfloat16", 16),
            ("u8", 8),
            ("int1", 1),
            ("np.int64", 64),
            ("fp8e4nv", 8),
            ("float8_e4m3fn", 8),
            ("Float4E2M1FN", 4),
            ("uint4b_t", 0),
            ("float_e2m1_t", 4),
            ("int8_t", 8),
            ("float24", 0),
            ("i24", 0),
            ("f16e5", 0),
            ("", 0),
            ("tensor", 0),
        ] {
            let expected = match bits {
                0 => Err(ElementTypeError::new(name)),
                bits => Ok(bits),
            };
            assert_eq!(element_bits_of_name(name), expected, "{name}");
        }
    }

    #[test]
    fn the_nearest_type_is_named() {
        let nearest = |name| {
            let notes = ElementTypeError::new(name).notes();
            notes.get(1).cloned().unwrap_or_default()
        };
        assert_eq!(nearest("float8"), "the nearest is `f8E4M3FN`");
        assert_eq!(nearest("f8E4M3F"), "the nearest is `f8E4M3FN`");
        assert_eq!(nearest("fp8e4nw"), "the nearest is `fp8e4nv`");
        assert_eq!(nearest("i24"), "");
    }
}
