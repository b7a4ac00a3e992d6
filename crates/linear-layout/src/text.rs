//! Parser for layouts in the notation of any layout system.
//!
//! [`LayoutText::parse`] accepts an encoding or a type from MLIR, a layout of Gluon, CuTe, CUTLASS or Tilus, or a
//! printed linear layout. [`System::of`] detects the notation.
//! ```
//! use linear_layout::encoding::Aliases;
//! use linear_layout::text::{LayoutText, TextLayout};
//!
//! let text = "layout: gl.constexpr = gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])";
//! let found = LayoutText::parse(text, &Aliases::new())?;
//! assert!(matches!(found.layout, TextLayout::Encoding(e) if e.family() == "blocked"));
//!
//! let text = "#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
//!             tensor<512xf16, #b>";
//! let found = LayoutText::parse(text, &Aliases::new())?;
//! assert_eq!((found.shape, found.element_bits), (Some(vec![512]), Some(16)));
//!
//! let error = LayoutText::parse("gl.BlokedLayout([1], [32], [4], [0])", &Aliases::new()).unwrap_err();
//! assert_eq!(error.to_string(), "there is no layout `gl.BlokedLayout`; the nearest is `BlockedLayout`");
//! # Ok::<(), linear_layout::text::TextError>(())
//! ```

use crate::cute::{ComposedLayout, TensorText};
use crate::encoding::other::CompilerLayout;
use crate::encoding::spelling::nearest;
use crate::encoding::{Aliases, Encoding, EncodingError, GluonLayout, TypeText};
use crate::layout::LinearLayout;
use crate::tilus::{RegisterLayout, SharedLayout};
use crate::view::shape_text;
use core::fmt;
use thiserror::Error;

/// A description of the accepted notations, for error messages.
pub const FORMS: &str = "give an encoding `#ttg.blocked<{...}>` or `#xegpu.layout<...>`, a type `tensor<64x16xf16, #ttg...>`, \
                         a layout of Gluon `gl.BlockedLayout(...)`, of CuTe `(8,4):(4,1)` or of Tilus \
                         `local(2, 1).spatial(8, 4)`, or a LinearLayout as Triton prints it";
const CUTE: &str =
    "write a CuTe layout as `(4,(2,3)):(1,(4,8))` or `Sw<3,4,3> o 0 o (8,64):(64,1)`";
const TILUS: &str =
    "write a Tilus layout as `local(2, 1).spatial(8, 4)`, or as Tilus prints layouts";
const ALIAS: &str =
    "write the definition of the alias before the layout: `#name = #ttg.blocked<{...}>`";

/// The notation of a layout text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// An encoding, for example `#ttg.blocked<{...}>`, or definitions of aliases of encodings.
    Encoding,
    /// A type with an encoding, for example `tensor<64x16xf16, #ttg.blocked<{...}>>`.
    Type,
    /// A Gluon layout, for example `gl.BlockedLayout(...)`.
    Gluon,
    /// A layout of a compiler other than Triton, for example `#xegpu.layout<...>`.
    Compiler,
    /// A linear layout as Triton prints it.
    Printed,
    /// A CuTe layout or tensor, for example `(8,4):(4,1)` or `Sw<3,4,3> o 0 o (8,64):(64,1)`.
    Cute,
    /// A Tilus register layout, for example `local(2, 1).spatial(8, 4)`.
    Register,
    /// A Tilus shared layout, for example `SharedLayout(...)`.
    Shared,
}

impl System {
    /// Returns the notation of `text` without a full parse, or `None` for other text such as a file name.
    ///
    /// ```
    /// use linear_layout::text::System;
    /// assert_eq!(System::of("(8,4):(4,1)"), Some(System::Cute));
    /// assert_eq!(System::of("local(2, 1).spatial(8, 4)"), Some(System::Register));
    /// assert_eq!(System::of("gl.BlockedLayout([1], [32], [4], [0])"), Some(System::Gluon));
    /// assert_eq!(System::of("layout.txt"), None);
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.starts_with('#') {
            return Some(match CompilerLayout::matches_prefix(text) {
                true => Self::Compiler,
                false => Self::Encoding,
            });
        }
        if text.starts_with("(empty layout") || text.contains("where out dims") {
            return Some(Self::Printed);
        }
        let text = &text[assigned(text)..];
        if TypeText::matches_prefix(text) {
            return Some(Self::Type);
        }
        if TensorText::matches_prefix(text) {
            return Some(Self::Cute);
        }
        let path = path(text);
        let is_called = text[path.len()..].starts_with('(');
        Some(match path {
            "" if text.starts_with('(') => {
                let inside = text.trim_start_matches(['(', ' ']);
                match inside.starts_with(|c: char| c.is_ascii_alphabetic()) {
                    true => Self::Register,
                    false => Self::Cute,
                }
            }
            number if is_number(number) && text.contains(':') => Self::Cute,
            path if is_called && GluonLayout::is_class(path) => Self::Gluon,
            path if is_called && is_shared(path) => Self::Shared,
            path if is_called && path.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                Self::Register
            }
            _ => return None,
        })
    }
}

/// Returns the dotted name with which `text` begins, e.g. `gl.BlockedLayout`, or an empty string if there is none.
fn path(text: &str) -> &str {
    let end = text.find(|c: char| c != '_' && c != '.' && !c.is_ascii_alphanumeric());
    end.map_or("", |end| &text[..end])
}

fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('_').unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit())
}

fn is_shared(path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or(path);
    name == "SharedLayout" || name.starts_with("shared_")
}

/// Returns the byte length of the assignment with which `text` begins (`name =`, `name: type =` or `using name =`),
/// or 0 if there is none.
fn assigned(text: &str) -> usize {
    let Some(at) = text.find('=') else {
        return 0;
    };
    let is_name = |c: char| matches!(c, '_' | '.' | ':' | ' ') || c.is_ascii_alphanumeric();
    let is_target = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text[..at].chars().all(is_name);
    match is_target {
        true => text.len() - text[at + 1..].trim_start().len(),
        false => 0,
    }
}

/// A parsed layout, in the representation of its layout system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextLayout {
    /// An encoding. Its linear layout also depends on the shape of the tensor.
    Encoding(Encoding),
    /// A layout of a compiler other than Triton. Its linear layout also depends on the shape of the tensor.
    Compiler(CompilerLayout),
    /// A linear layout.
    Linear(LinearLayout),
    /// A CuTe layout, which is a function from coordinates to indices.
    Cute(ComposedLayout),
    /// A Tilus register layout.
    Register(RegisterLayout),
    /// A Tilus shared layout.
    Shared(SharedLayout),
}

/// A parsed layout, together with the shape and the element width, if the text contains them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutText {
    /// The layout.
    pub layout: TextLayout,
    /// The shape of the tensor or buffer, or `None` if the text has no shape.
    pub shape: Option<Vec<u64>>,
    /// Number of bits of an element, or `None` if the text has no element type.
    pub element_bits: Option<u32>,
}

/// An error that is returned if a text is not a layout, or if it contradicts a given shape.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct TextError {
    message: String,
    offset: Option<usize>,
    note: Option<String>,
}

impl TextError {
    #[cold]
    fn new(error: &dyn fmt::Display, offset: Option<usize>, note: Option<&str>) -> Self {
        Self {
            message: error.to_string(),
            offset,
            note: note.map(str::to_owned),
        }
    }

    #[cold]
    fn of_encoding(error: &EncodingError, text: &str, before: usize) -> Self {
        let offset = error.offset_in(text).map(|at| before + at);
        Self::new(error, offset, error.is_unknown_alias().then_some(ALIAS))
    }

    /// Returns the byte offset of the error in the text, if known.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        self.offset
    }

    /// Returns advice to print below the message, if any.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }
}

impl From<EncodingError> for TextError {
    fn from(error: EncodingError) -> Self {
        Self::new(&error, error.offset(), None)
    }
}

impl LayoutText {
    /// Parses a layout. Encodings may use `aliases`, and the aliases that the text defines before the layout.
    ///
    /// # Errors
    /// Returns an error if the text is in no known notation, or has a syntax error.
    pub fn parse(text: &str, aliases: &Aliases) -> Result<Self, TextError> {
        let start = text.len() - text.trim_start().len();
        if !text[start..].starts_with('#') || CompilerLayout::matches_prefix(text) {
            return Self::of_one(text, start, aliases);
        }
        let mut aliases = aliases.clone();
        let (end, last) = aliases
            .read_leading(text)
            .map_err(|e| TextError::of_encoding(&e, text, 0))?;
        match last {
            Some(encoding) if text[end..].trim().is_empty() => Ok(encoding.into()),
            _ => Self::of_one(text, end, &aliases),
        }
    }

    fn of_one(text: &str, start: usize, aliases: &Aliases) -> Result<Self, TextError> {
        let body = text[start..].trim_end().trim_end_matches(';');
        let spaces = body.len() - body.trim_start().len();
        let body = &body[spaces..];
        let (system, name) = (System::of(body), assigned(body));
        // A printed layout has `=` in its lines.
        let name = if system == Some(System::Printed) {
            0
        } else {
            name
        };
        let (body, before) = (&body[name..], start + spaces + name);
        let shift = |at: Option<usize>| at.map(|at| before + at);
        let encoding_error = |e: EncodingError| TextError::of_encoding(&e, body, before);
        let layout = match system {
            Some(System::Encoding) => {
                let encoding = Encoding::parse(body, aliases).map_err(encoding_error)?;
                return Ok(encoding.into());
            }
            Some(System::Type) => {
                let found = TypeText::parse(body, aliases).map_err(encoding_error)?;
                return Ok(Self {
                    layout: TextLayout::Encoding(found.encoding),
                    shape: Some(found.shape),
                    element_bits: found.element_bits,
                });
            }
            Some(System::Gluon) => {
                let found: GluonLayout = body.parse().map_err(encoding_error)?;
                return Ok(Self {
                    layout: TextLayout::Encoding(found.encoding),
                    shape: found.shape,
                    element_bits: found.element_bits,
                });
            }
            Some(System::Cute) => {
                let found = body.parse::<TensorText>();
                let found = found.map_err(|e| TextError::new(&e, shift(e.place()), Some(CUTE)))?;
                return Ok(Self {
                    layout: TextLayout::Cute(found.layout),
                    shape: None,
                    element_bits: found.element_bits,
                });
            }
            Some(System::Compiler) => {
                let found = body.parse::<CompilerLayout>();
                let found = found.map_err(|e| TextError::new(&e, shift(e.parse_offset()), None));
                TextLayout::Compiler(found?)
            }
            Some(System::Printed) => {
                let found = body.parse::<LinearLayout>();
                TextLayout::Linear(found.map_err(|e| TextError::new(&e, None, None))?)
            }
            Some(System::Register) => {
                check_function(body, before)?;
                let found = body.parse::<RegisterLayout>();
                let found =
                    found.map_err(|e| TextError::new(&e, shift(e.parse_offset()), Some(TILUS)));
                TextLayout::Register(found?)
            }
            Some(System::Shared) => {
                check_function(body, before)?;
                let found = body.parse::<SharedLayout>();
                let found = found.map_err(|e| TextError::new(&e, shift(e.parse_offset()), None));
                TextLayout::Shared(found?)
            }
            None => {
                let start: String = body.chars().take(40).collect();
                let message = format!("`{start}` is neither an encoding nor a layout");
                return Err(TextError::new(&message, None, Some(&note_for(body))));
            }
        };
        Ok(Self {
            layout,
            shape: None,
            element_bits: None,
        })
    }

    /// Returns the shape that the text contains or, if there is none, the shape that the layout itself has.
    ///
    /// Encodings, CuTe layouts and the layouts of compilers other than Triton have no shape of their own, so the
    /// result for them is `None` unless the text contains a shape.
    #[must_use]
    pub fn own_shape(&self) -> Option<Vec<u64>> {
        self.shape.clone().or_else(|| match &self.layout {
            TextLayout::Linear(layout) => Some(layout.out_shape().map(|(_, size)| size).collect()),
            TextLayout::Register(layout) => Some(layout.shape().to_vec()),
            TextLayout::Shared(layout) => Some(layout.shape().to_vec()),
            TextLayout::Encoding(_) | TextLayout::Compiler(_) | TextLayout::Cute(_) => None,
        })
    }

    /// Returns the [own shape](Self::own_shape) of the layout if it has one, otherwise `requested`. Returns `None`
    /// if neither is available.
    ///
    /// # Errors
    /// Returns an error if both shapes are available and differ.
    pub fn shape_on(&self, requested: Option<&[u64]>) -> Result<Option<Vec<u64>>, TextError> {
        match (requested, self.own_shape()) {
            (Some(requested), Some(own)) if requested != own.as_slice() => {
                let (own, requested) = (shape_text(&own), shape_text(requested));
                let message =
                    format!("the layout has shape {own}, but the shape argument is {requested}");
                let note = "remove the shape argument: the text of the layout contains the shape";
                Err(TextError::new(&message, None, Some(note)))
            }
            (requested, own) => Ok(requested.map(<[u64]>::to_vec).or(own)),
        }
    }

    /// Returns true if the linear layout depends on a tensor shape that the text lacks.
    #[must_use]
    pub fn needs_shape(&self) -> bool {
        let is_open = matches!(
            self.layout,
            TextLayout::Encoding(_) | TextLayout::Compiler(_)
        );
        is_open && self.shape.is_none()
    }
}

impl From<Encoding> for LayoutText {
    fn from(encoding: Encoding) -> Self {
        Self {
            layout: TextLayout::Encoding(encoding),
            shape: None,
            element_bits: None,
        }
    }
}

/// Returns a suggestion for correcting `text`, whose notation is unknown.
#[must_use]
pub fn note_for(text: &str) -> String {
    let word = path(text.trim());
    let family = word.rsplit('.').next().unwrap_or(word);
    let is_bracketed = text.trim()[word.len()..].starts_with('<');
    match Encoding::families().find(|known| *known == family) {
        Some(_) if is_bracketed => {
            let dialect = match family.starts_with("tensor_memory") {
                true => "ttng",
                false => "ttg",
            };
            format!("encodings begin with `#`: write `#{dialect}.{family}<...>`")
        }
        _ => FORMS.to_owned(),
    }
}

/// Returns an error with the byte offset `at` if `text` begins with an unknown class name or function name.
fn check_function(text: &str, at: usize) -> Result<(), TextError> {
    let path = path(text);
    let name = path.rsplit('.').next().unwrap_or(path);
    let known = || RegisterLayout::functions().chain(GluonLayout::classes());
    if name.is_empty() || known().any(|known| known == name) {
        return Ok(());
    }
    match nearest(name, known()) {
        Some(near) => {
            let message = format!("there is no layout `{path}`; the nearest is `{near}`");
            Err(TextError::new(&message, Some(at), None))
        }
        None => {
            let message = format!("there is no layout `{path}`");
            Err(TextError::new(&message, Some(at), Some(FORMS)))
        }
    }
}
