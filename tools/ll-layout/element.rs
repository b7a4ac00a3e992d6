//! How wide an element is, from the spelling of its type in IR.

use crate::Failure;
use linear_layout::encoding::{self, FLOATS, is_element_width};

/// The width of an element of this type; a pointer has 64 bits.
pub(crate) fn element_bits(text: &str) -> Result<u32, Failure> {
    let name = text.trim();
    if let Some(bits) = encoding::element_bits(name) {
        return Ok(bits);
    }
    let floats: Vec<&str> = FLOATS.iter().map(|(float, _)| *float).collect();
    let failure = Failure::new(format!("`{text}` is no type of elements that can be converted"))
        .note(format!(
            "expected `i1`, `i2`, `i4`, `i8`, `i16`, `i32`, `i64`, a pointer such as `!tt.ptr<f16>`, or one of {}",
            floats.join(", ")
        ));
    Err(match nearest(name) {
        Some(nearest) => failure.note(format!("the nearest is `{nearest}`")),
        None => failure,
    })
}

/// What other languages call `fp16`, `float16`, `int8`, `u8`: the same width, float or not.
fn nearest(name: &str) -> Option<String> {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit());
    let bits: u32 = digits[..end.unwrap_or(digits.len())].parse().ok()?;
    let float = || {
        let same = FLOATS.iter().find(|(_, width)| *width == bits);
        same.map(|(float, _)| (*float).to_owned())
    };
    match name.chars().next()?.to_ascii_lowercase() {
        'b' if bits == 16 => Some("bf16".to_owned()),
        'f' => float(),
        'i' | 's' | 'u' if is_element_width(bits) => Some(format!("i{bits}")),
        _ => None,
    }
}
