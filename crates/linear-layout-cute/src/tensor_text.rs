//! Parser of tensors and layouts in the form that CUTLASS and its Python front end print.

use core::str::FromStr;

use super::composed::ComposedLayout;
use super::cpp_text;
use super::error::{CuteError, ErrorKind};
use super::parse::Cursor;
use super::swizzle::Swizzle;

/// A layout parsed from the text of a tensor, with the element width if the text has a pointer.
///
/// CUTLASS prints swizzles of byte addresses before a pointer. The parser converts them to swizzles of element indices:
/// ```
/// use linear_layout_cute::TensorText;
/// let tile: TensorText = "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)".parse()?;
/// assert_eq!(tile.layout, "Sw<3,3,3> o 0 o (8,64):(64,1)".parse()?);
/// assert_eq!(tile.element_bits, Some(16));
/// // The address counts from the last one at which the swizzle begins again.
/// let tile: TensorText = "tCsA: Sw<3,4,3>_smem_ptr[16b](0x7f8800000480) o (_8,_8):(_64,_1)".parse()?;
/// assert_eq!(tile.layout, "Sw<3,3,3> o 64 o (8,8):(64,1)".parse()?);
/// let tile: TensorText = "gmem_ptr[32b](0x731ff4000200) o (128,64):(_1,128)".parse()?;
/// assert_eq!(tile.layout, "(128,64):(1,128)".parse()?);
/// # Ok::<(), linear_layout_cute::CuteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorText {
    /// The layout. Indices count elements.
    pub layout: ComposedLayout,
    /// The number of bits per element, if the text states it.
    pub element_bits: Option<u32>,
}

/// Prefixes of pointers in the text of a tensor. The name of a memory, such as `smem_`, may precede them.
const POINTERS: [&str; 3] = ["ptr", "subptr", "["];
const MEMORIES: [&str; 4] = ["smem_", "gmem_", "rmem_", "tmem_"];
/// Texts that identify a coordinate tensor, whose strides are coordinates such as `_1@0`.
const COORDINATES: [&str; 2] = ["ArithTuple", "counting_iter("];

impl TensorText {
    /// Returns true if `text` starts like a tensor with a pointer, like a swizzle, or like a layout in C++ syntax.
    /// A label such as `tCsA: ` may precede the tensor.
    #[must_use]
    pub fn matches_prefix(text: &str) -> bool {
        let text = &text[label(text)..];
        let is_swizzle = ["Sw<", "S<", "Swizzle<", "tensor<ptr<", "tensor(raw_ptr("];
        is_pointer(text)
            || cpp_text::begins(text)
            || is_swizzle
                .iter()
                .chain(&COORDINATES)
                .any(|start| text.starts_with(start))
    }
}

/// Parses a tensor, or a layout without a pointer. A label such as `tCsA: ` may precede the text.
impl FromStr for TensorText {
    type Err = CuteError;

    fn from_str(text: &str) -> Result<Self, CuteError> {
        Cursor::read(text, |cursor| {
            let label = label(cursor.rest());
            cursor.skip(label);
            cursor.tensor()
        })
    }
}

/// Returns the length in bytes of a leading label `name: ` or of leading white space.
fn label(text: &str) -> usize {
    let trimmed = text.trim_start();
    let name = trimmed.find(|c: char| c != '_' && !c.is_ascii_alphanumeric());
    let rest = name.map_or("", |end| &trimmed[end..]);
    let is_name = trimmed.starts_with(|c: char| c.is_ascii_alphabetic());
    match rest.strip_prefix(':') {
        Some(after) if is_name && after.starts_with(char::is_whitespace) => {
            text.len() - after.trim_start().len()
        }
        _ => text.len() - trimmed.len(),
    }
}

fn is_pointer(text: &str) -> bool {
    let bare = MEMORIES.iter().find_map(|memory| text.strip_prefix(memory));
    match bare {
        Some(bare) => POINTERS.iter().any(|word| bare.starts_with(word)),
        None => ["ptr[", "subptr["]
            .iter()
            .any(|word| text.starts_with(word)),
    }
}

struct Pointer {
    bits: u32,
    /// Byte address; 0 if the text does not state the address.
    address: u64,
}

impl Cursor<'_> {
    fn tensor(&mut self) -> Result<TensorText, CuteError> {
        let at = self.at();
        if COORDINATES
            .iter()
            .any(|start| self.rest().starts_with(start))
        {
            return Err(ErrorKind::CoordinateTensor { at }.into());
        }
        if self.takes("tensor<ptr<") {
            let (bits, swizzle) = self.described_pointer(">")?;
            let layout = self.after_pointer(bits, swizzle, 0)?;
            self.expect(">", "`>`")?;
            return Ok(layout);
        }
        if self.takes("tensor(raw_ptr(") {
            let address = self.address(":")?;
            let (bits, swizzle) = self.described_pointer(")")?;
            let layout = self.after_pointer(bits, swizzle, address)?;
            // The text of the elements follows, and is skipped.
            let rest = self.rest().len();
            if self.rest().starts_with(',') {
                self.skip(rest);
            } else {
                self.expect(")", "`)` or `, data=`")?;
            }
            return Ok(layout);
        }
        if is_pointer(self.rest()) {
            let pointer = self.pointer()?;
            return self.after_pointer(pointer.bits, Swizzle::IDENTITY, pointer.address);
        }
        if !self.is_swizzle() {
            return self.composed().map(TensorText::plain);
        }
        let start = self.at();
        let swizzle = self.swizzle()?;
        let is_joined = self.takes("_") || (self.takes("o") && is_pointer(self.rest()));
        if !is_joined {
            self.back_to(start);
            return self.composed().map(TensorText::plain);
        }
        let pointer = self.pointer()?;
        self.after_pointer(pointer.bits, swizzle, pointer.address)
    }

    /// Parses ` o layout` after a pointer with the swizzle `swizzle` and the byte address `address`. The swizzle of
    /// byte addresses is converted to a swizzle of element indices, and added to the layout. The low bits of the
    /// address, up to the highest bit of the swizzle, become the offset of the layout. If the swizzle is the
    /// identity, the address is ignored.
    fn after_pointer(
        &mut self,
        bits: u32,
        swizzle: Swizzle,
        address: u64,
    ) -> Result<TensorText, CuteError> {
        self.expect("o", "` o ` and a layout")?;
        let element_bits = Some(bits);
        let at = self.at();
        let mut layout = self.composed()?;
        if swizzle.is_identity() {
            return Ok(TensorText {
                layout,
                element_bits,
            });
        }
        if !layout.swizzle.is_identity() {
            return Err(self.expected_at(at, "a layout without a second swizzle"));
        }
        let span = swizzle.bits() + swizzle.base() + swizzle.shift().unsigned_abs();
        let offset = address & ((1 << span) - 1);
        layout.offset += i64::try_from(offset * 8 / u64::from(bits)).unwrap_or(0);
        layout.swizzle = swizzle.recast(8, i64::from(bits))?;
        Ok(TensorText {
            layout,
            element_bits,
        })
    }

    /// Parses `smem_ptr[16b](0x7f8800000400)`, `ptr[32b](...)`, `tmem_[32b](...)` or `smem_ptr16b`.
    fn pointer(&mut self) -> Result<Pointer, CuteError> {
        for memory in MEMORIES {
            if self.takes(memory) {
                break;
            }
        }
        let _ = self.takes("subptr") || self.takes("ptr");
        let _ = self.takes("_");
        let bracket = self.takes("[");
        let at = self.at();
        let bits = self.number()?;
        let bits = u32::try_from(bits)
            .ok()
            .filter(|bits| (1..=1024).contains(bits));
        let Some(bits) = bits else {
            return Err(self.expected_at(at, "an element width up to 1024 bits, as in `[16b]`"));
        };
        self.expect("b", "`b` after the element width")?;
        if bracket {
            self.expect("]", "`]`")?;
        }
        let address = match self.takes("(") {
            true => self.address(")")?,
            false => 0,
        };
        Ok(Pointer { bits, address })
    }

    /// Parses an address in bytes and the closing bracket. If the address is a name or `unset`, returns 0.
    fn address(&mut self, close: &'static str) -> Result<u64, CuteError> {
        let Some(end) = self.rest().find(close) else {
            return Err(self.expected(match close {
                ":" => "an address and `:`",
                _ => "an address and `)`",
            }));
        };
        let text = self.rest()[..end].trim();
        let address = text
            .strip_prefix("0x")
            .and_then(|hex| u64::from_str_radix(hex, 16).ok());
        self.skip(end + close.len());
        Ok(address.unwrap_or(0))
    }

    /// Parses `f16, smem, align<1024>, S<3,4,3>` and the closing bracket. Returns (element width in bits, swizzle).
    /// The swizzle is the identity if the text has none.
    fn described_pointer(&mut self, close: &str) -> Result<(u32, Swizzle), CuteError> {
        let rest = self.rest();
        let end = rest.find([',', '>', ')']).unwrap_or(rest.len());
        // The first digits of an element type are its width, as in `f16`, `f8E4M3FN` or `i8`.
        let digits = rest[..end].trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let count = digits.bytes().take_while(u8::is_ascii_digit).count();
        let bits = digits[..count]
            .parse()
            .ok()
            .filter(|bits| (1..=1024).contains(bits));
        let Some(bits) = bits else {
            return Err(self.expected("an element type such as `f16`"));
        };
        self.skip(end);
        let mut swizzle = Swizzle::IDENTITY;
        while self.takes(",") {
            if self.is_swizzle() {
                swizzle = self.swizzle()?;
            } else {
                let rest = self.rest();
                let word = rest.find([',', '>', ')']).unwrap_or(rest.len());
                // The closing bracket in `align<1024>` does not end the pointer.
                let is_nested = rest[..word].contains('<');
                self.skip(word + usize::from(is_nested));
            }
        }
        self.expect(close, "`,` or the end of the pointer")?;
        Ok((bits, swizzle))
    }
}

impl TensorText {
    fn plain(layout: ComposedLayout) -> Self {
        Self {
            layout,
            element_bits: None,
        }
    }
}
