//! Parser of CuTe's textual notation.

use core::str::FromStr;

use super::composed::ComposedLayout;
use super::cpp_text;
use super::error::{CuteError, ErrorKind};
use super::layout::Layout;
use super::swizzle::Swizzle;
use super::tuple::{Builder, Coord, IntTuple, MAX_NODES, Tuple};

/// Prefixes of swizzles in CuTe's output, in its Python front end, and in C++.
const SWIZZLES: [&str; 3] = ["Sw<", "S<", "Swizzle<"];

/// Parses a tuple such as `(4,(2,3))`. The mark `_` of static numbers is ignored.
impl FromStr for IntTuple {
    type Err = CuteError;

    fn from_str(text: &str) -> Result<Self, CuteError> {
        Cursor::read(text, |cursor| cursor.tuple(&mut Cursor::number))
    }
}

/// Parses a coordinate such as `(1,_)`.
impl FromStr for Coord {
    type Err = CuteError;

    fn from_str(text: &str) -> Result<Self, CuteError> {
        Cursor::read(text, |cursor| cursor.tuple(&mut Cursor::number_or_all))
    }
}

/// Parses a layout such as `(4,(2,3)):(1,(4,8))`. A shape without a stride is a compact layout with the first mode
/// fastest.
///
/// ```
/// use linear_layout_cute::Layout;
/// assert_eq!("(_4,_2) : (_2,_1)".parse::<Layout>()?, "(4,2):(2,1)".parse()?);
/// assert_eq!("(4,2)".parse::<Layout>()?.to_string(), "(4,2):(1,4)");
/// let error = "(4,2):(2,1".parse::<Layout>().unwrap_err();
/// assert_eq!(error.to_string(), "expected `,` or `)` at byte 10, found the end of the text");
/// # Ok::<(), linear_layout_cute::CuteError>(())
/// ```
/// # Laws
/// `l.to_string().parse() == Ok(l)`, and the same for `format!("{l:#}")`.
impl FromStr for Layout {
    type Err = CuteError;

    fn from_str(text: &str) -> Result<Self, CuteError> {
        Cursor::read(text, Cursor::layout)
    }
}

/// Parses a swizzle such as `Sw<2,0,3>` or `S<2,0,3>`.
impl FromStr for Swizzle {
    type Err = CuteError;

    fn from_str(text: &str) -> Result<Self, CuteError> {
        Cursor::read(text, Cursor::swizzle)
    }
}

/// Parses a composed layout such as `Sw<2,0,3> o 0 o (4,4):(1,4)`, or a layout without a swizzle. The syntax of C++ is
/// accepted, too.
///
/// ```
/// use linear_layout_cute::ComposedLayout;
/// let text = "composition(Swizzle<3,3,3>{}, Layout<Shape<_8,_64>, Stride<_64,_1>>{})";
/// assert_eq!(text.parse::<ComposedLayout>()?, "Sw<3,3,3> o 0 o (8,64):(64,1)".parse()?);
/// # Ok::<(), linear_layout_cute::CuteError>(())
/// ```
impl FromStr for ComposedLayout {
    type Err = CuteError;

    fn from_str(text: &str) -> Result<Self, CuteError> {
        Cursor::read(text, Cursor::composed)
    }
}

pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    nodes: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn read<T>(
        text: &'a str,
        read: impl FnOnce(&mut Self) -> Result<T, CuteError>,
    ) -> Result<T, CuteError> {
        let (at, nodes) = (0, 0);
        let mut cursor = Self { text, at, nodes };
        cursor.skip_space();
        let found = read(&mut cursor)?;
        match cursor.rest() {
            "" => Ok(found),
            _ => Err(cursor.expected("the end of the text")),
        }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    pub(super) fn takes(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        if found {
            self.at += word.len();
            self.skip_space();
        }
        found
    }

    pub(super) fn expect(&mut self, word: &str, expected: &'static str) -> Result<(), CuteError> {
        match self.takes(word) {
            true => Ok(()),
            false => Err(self.expected(expected)),
        }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn back_to(&mut self, at: usize) {
        self.at = at;
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
        self.skip_space();
    }

    pub(super) fn expected(&self, expected: &'static str) -> CuteError {
        self.expected_at(self.at, expected)
    }

    pub(super) fn expected_at(&self, at: usize, expected: &'static str) -> CuteError {
        let found = self.text[at..].chars().take(12).collect();
        ErrorKind::Parse {
            at,
            expected,
            found,
        }
        .into()
    }

    pub(super) fn add_node(&mut self) -> Result<(), CuteError> {
        self.nodes += 1;
        match self.nodes > MAX_NODES {
            true => Err(ErrorKind::TooManyNodes { limit: MAX_NODES }.into()),
            false => Ok(()),
        }
    }

    pub(super) fn is_swizzle(&self) -> bool {
        SWIZZLES.iter().any(|word| self.rest().starts_with(word))
    }

    pub(super) fn composed(&mut self) -> Result<ComposedLayout, CuteError> {
        if cpp_text::begins(self.rest()) {
            return self.composed_cpp();
        }
        if !self.is_swizzle() {
            return self.layout().map(ComposedLayout::from);
        }
        let swizzle = self.swizzle()?;
        self.expect("o", "` o ` and an offset")?;
        let offset = self.number()?;
        self.expect("o", "` o ` and a layout")?;
        Ok(ComposedLayout::new(swizzle, offset, self.layout()?))
    }

    fn layout(&mut self) -> Result<Layout, CuteError> {
        let shape = self.tuple(&mut Self::number)?;
        if !self.takes(":") {
            return match self.rest() {
                "" => Layout::compact(&shape),
                _ => Err(self.expected("`:` and a stride")),
            };
        }
        let stride = self.tuple(&mut Self::number)?;
        Layout::new(&shape, &stride)
    }

    pub(super) fn swizzle(&mut self) -> Result<Swizzle, CuteError> {
        if !SWIZZLES.iter().any(|word| self.takes(word)) {
            return Err(self.expected("a swizzle such as `Sw<3,4,3>`"));
        }
        let bits = self.number()?;
        self.expect(",", "`,` and the base of the swizzle")?;
        let base = self.number()?;
        self.expect(",", "`,` and the shift of the swizzle")?;
        let shift = self.number()?;
        self.expect(">", "`>`")?;
        Swizzle::new(bits, base, shift)
    }

    fn tuple<T: Copy + Default>(
        &mut self,
        leaf: &mut impl FnMut(&mut Self) -> Result<T, CuteError>,
    ) -> Result<Tuple<T>, CuteError> {
        self.add_node()?;
        if !self.takes("(") {
            return leaf(self).map(Tuple::leaf);
        }
        let mut items = Builder::new();
        loop {
            items.push(self.tuple(leaf)?.as_ref())?;
            if self.takes(")") {
                return items.finish();
            }
            self.expect(",", "`,` or `)`")?;
            // CuTe prints a tuple with one item as `(4)`; Python prints `(4,)`.
            if self.takes(")") {
                return items.finish();
            }
        }
    }

    fn number_or_all(&mut self) -> Result<Option<i64>, CuteError> {
        let rest = self.rest();
        match rest.strip_prefix('_') {
            Some(rest) if !rest.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
                self.takes("_");
                Ok(None)
            }
            _ => self.number().map(Some),
        }
    }

    pub(super) fn number(&mut self) -> Result<i64, CuteError> {
        let rest = self.rest();
        let unmarked = rest.strip_prefix('_').unwrap_or(rest);
        let digits = unmarked.strip_prefix('-').unwrap_or(unmarked);
        let count = digits.bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 {
            return Err(self.expected("a number"));
        }
        let end = unmarked.len() - digits.len() + count;
        let Ok(number) = unmarked[..end].parse() else {
            return Err(self.expected("a number of at most 64 bits"));
        };
        self.at += rest.len() - unmarked.len() + end;
        self.skip_space();
        Ok(number)
    }
}
