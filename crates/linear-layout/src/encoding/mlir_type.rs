//! Parser of the MLIR types that have an encoding: tensors, buffers and tensor descriptors.

use super::error::EncodingErrorKind;
use super::text::{Aliases, Parser};
use super::{Encoding, EncodingError, element_bits};

/// The shape, element width and encoding parsed from the text of an MLIR type, such as `tensor<128x64xf16,
/// #blocked>`.
///
/// ```
/// use linear_layout::encoding::{Aliases, TypeText};
/// let text = "!ttg.memdesc<3x64x32xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>, \
///             #ttg.shared_memory, mutable>";
/// let buffer = TypeText::parse(text, &Aliases::new())?;
/// // The first of three buffers of 64x32.
/// assert_eq!((buffer.shape.as_slice(), buffer.element_bits), ([64, 32].as_slice(), Some(16)));
/// assert_eq!(buffer.encoding.family(), "swizzled_shared");
/// # Ok::<(), linear_layout::encoding::EncodingError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeText {
    /// The encoding of the type. If the type is a tensor with a CuTe encoding that states no tile,
    /// [`Encoding::for_tensor`] has added the tensor's shape as the tile.
    pub encoding: Encoding,
    /// The shape of the tensor or buffer that has the encoding. If the type is an array of buffers, this is the
    /// shape of one buffer.
    pub shape: Vec<u64>,
    /// The width of an element in bits, or `None` if layout conversions do not support the element type.
    pub element_bits: Option<u32>,
}

/// The prefixes by which a type is recognised. `memref` and `vector` types have no encoding. They are listed only
/// so that the parser can report a specific error.
const TYPES: [&str; 5] = [
    "tensor<",
    "!ttg.memdesc<",
    "!tt.tensordesc<",
    "memref<",
    "vector<",
];

impl TypeText {
    /// Returns true if `text` begins with a type that [`parse`](Self::parse) recognizes, e.g. `tensor<`.
    #[must_use]
    pub fn matches_prefix(text: &str) -> bool {
        let text = text.trim_start();
        // `tensor<ptr<f16, smem>>` is a type of CuTe, not of MLIR's tensors.
        TYPES.iter().any(|name| text.starts_with(name)) && !text.starts_with("tensor<ptr<")
    }

    /// Parses a text that consists of one type. `aliases` defines the aliases, e.g. `#blocked`, that the type may use.
    ///
    /// # Errors
    /// Returns an error if the text is not a type with an encoding, a size is known only at run time (`?`), or the
    /// encoding is invalid.
    pub fn parse(text: &str, aliases: &Aliases) -> Result<Self, EncodingError> {
        let start = text.len() - text.trim_start().len();
        let name = TYPES.iter().find(|name| text[start..].starts_with(**name));
        let Some(name) = name else {
            return Err(EncodingError::syntax(
                start,
                "expected `tensor<` or `!ttg.memdesc<`".to_owned(),
            ));
        };
        let open = start + name.len();
        let kind = name.trim_end_matches('<');
        if matches!(kind, "memref" | "vector") {
            return Err(EncodingError::syntax(
                start,
                format!(
                    "a `{kind}` has no encoding; write the shape and the strides as a CuTe layout such as \
                     `(64,32):(32,1)`"
                ),
            ));
        }
        let (mut shape, element) = sizes(text, open)?;
        // Earlier Triton versions print `!tt.tensordesc<tensor<64x32xf16, #shared>>`.
        if text[element..].starts_with("tensor<") && shape.is_empty() {
            let inner = text[element..].trim_end();
            let inner = inner.strip_suffix('>').unwrap_or(inner);
            return Self::parse(&format!("{}{inner}", " ".repeat(element)), aliases);
        }
        let end = element_end(text, element);
        let element_bits = element_bits(text[element..end].trim());
        if !text[end..].starts_with(',') {
            let reason = format!(
                "the {kind} has no encoding at byte {end}, expected `, #ttg...`; add the encoding, or give the \
                 shape and the encoding as separate arguments"
            );
            return Err(EncodingError::syntax(end, reason));
        }
        let mut parser = Parser::at(text, end + 1, aliases);
        let encoding = parser.encoding()?;
        let is_tensor = kind == "tensor";
        let mut close = parser.pos();
        if !is_tensor {
            let (alloc, end) = rest_of_buffer(text, close);
            if let Some(alloc) = alloc {
                shape = alloc;
            }
            close = end;
        }
        let after = text[close..].trim_start();
        if !after.starts_with('>') || !after[1..].trim().is_empty() {
            let found = after.trim_start_matches('>').trim_start();
            let at_byte = text.len() - found.len();
            let expected = if after.starts_with('>') {
                "the end of the text"
            } else {
                "`>`"
            };
            let found: String = found.chars().take(12).collect();
            let reason = format!("expected {expected} at byte {at_byte}, found `{found}`");
            return Err(EncodingError::syntax(at_byte, reason));
        }
        let encoding = match is_tensor {
            true => encoding.for_tensor(&shape)?.into_owned(),
            // An array of buffers has an additional first dim.
            false => {
                let of_buffers = shape.len().saturating_sub(encoding.rank()).min(1);
                shape.drain(..of_buffers);
                encoding
            }
        };
        Ok(Self {
            encoding,
            shape,
            element_bits,
        })
    }
}

/// Parses sizes such as `128x64x`, starting at byte `open`. Returns the sizes and the byte offset after the last
/// `x`.
fn sizes(text: &str, open: usize) -> Result<(Vec<u64>, usize), EncodingError> {
    let (mut sizes, mut pos) = (Vec::new(), open);
    loop {
        let rest = &text[pos..];
        if rest.starts_with('?') {
            let reason = format!(
                "the size at byte {pos} is dynamic (`?`), expected a number: layouts require a static shape"
            );
            return Err(EncodingError::syntax(pos, reason));
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || !rest[digits..].starts_with('x') {
            return Ok((sizes, pos));
        }
        let size = rest[..digits].parse();
        sizes.push(
            size.map_err(|_| EncodingError::new(EncodingErrorKind::NumberTooLarge { at: pos }))?,
        );
        pos += digits + 1;
    }
}

/// Returns the byte offset at which the element type that begins at byte `element` ends. This is the offset of the
/// next comma or closing bracket.
fn element_end(text: &str, element: usize) -> usize {
    let mut depth = 0usize;
    for (i, byte) in text.bytes().enumerate().skip(element) {
        match byte {
            b'<' | b'(' => depth += 1,
            b',' | b'>' if depth == 0 => return i,
            b'>' | b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    text.len()
}

/// Skips the parameters between the encoding of a buffer type and the closing bracket. Returns the shape of the
/// allocation (`None` if the type does not state one) and the byte offset of the bracket.
fn rest_of_buffer(text: &str, from: usize) -> (Option<Vec<u64>>, usize) {
    let length = text[from..].find('>').unwrap_or(text.len() - from);
    let last = text[from..from + length]
        .rsplit(',')
        .next()
        .unwrap_or_default();
    let sizes: Option<Vec<u64>> = last
        .trim()
        .split('x')
        .map(|size| size.parse().ok())
        .collect();
    (sizes, from + length)
}

#[cfg(test)]
mod tests {
    use super::{Aliases, TypeText};

    const BLOCKED: &str = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>";

    #[track_caller]
    fn check(text: &str, shape: &[u64], bits: Option<u32>) {
        let text = text.replace("#b", BLOCKED);
        let found = TypeText::parse(&text, &Aliases::new()).unwrap();
        assert_eq!(
            (found.shape.as_slice(), found.element_bits),
            (shape, bits),
            "{text}"
        );
    }

    #[test]
    fn types_have_shapes_and_elements() {
        check("tensor<128x64xf16, #b>", &[128, 64], Some(16));
        check("tensor<128x64x!tt.ptr<f16>, #b>", &[128, 64], Some(64));
        check("  tensor<128x64xi1,#b> ", &[128, 64], Some(1));
        check("tensor<128x64xindex, #b>", &[128, 64], None);
        check(
            "!tt.tensordesc<tensor<128x64xbf16, #b>>",
            &[128, 64],
            Some(16),
        );
        check(
            "!ttg.memdesc<2x64x32xi8, #b, #smem, mutable>",
            &[64, 32],
            Some(8),
        );
        check(
            "!ttg.memdesc<64x32xi8, #b, #smem, mutable, 2x64x64>",
            &[64, 64],
            Some(8),
        );
    }

    #[test]
    fn what_is_no_such_type_says_why() {
        let check = |text: &str, message: &str| {
            let text = text.replace("#b", BLOCKED);
            let error = TypeText::parse(&text, &Aliases::new()).unwrap_err();
            assert!(error.to_string().starts_with(message), "{error}");
            assert!(error.to_string().len() <= 200, "{error}");
        };
        check(
            "tensor<128x64xf16>",
            "the tensor has no encoding at byte 17",
        );
        check("tensor<?x64xf16, #b>", "the size at byte 7 is dynamic");
        check("memref<64x32xf16>", "a `memref` has no encoding");
        check("tensor<128x64xf16, #b", "expected `>` at byte");
        check("tensor<128x64xf16, #b> loc", "expected the end of the text");
        let error = TypeText::parse("tensor<4xf16, #x>", &Aliases::new()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "alias `#x` is not defined; define it with `#x = ...` first"
        );
    }
}
