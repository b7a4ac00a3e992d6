//! Bit widths of element types.

/// MLIR's float types that conversions support, with their widths in bits.
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

/// Returns the width in bits of an element type, or `None` for any other type; a pointer has 64.
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

/// Returns true if `bits` is a valid width of an integer element.
#[must_use]
pub fn is_element_width(bits: u32) -> bool {
    bits.is_power_of_two() && bits <= 64
}
