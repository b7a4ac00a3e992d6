//! Parser of layouts in the syntax of C++ and of CuTe's Python front end.

use super::composed::ComposedLayout;
use super::error::{CuteError, ErrorKind};
use super::layout::Layout;
use super::parse::Cursor;
use super::swizzle::Swizzle;
use super::tuple::{Builder, IntTuple, Tuple};

/// C++ names whose arguments are the items of a tuple: `Shape<_8, _64>`.
const TUPLES: [&str; 11] = [
    "Shape",
    "Stride",
    "Step",
    "Tile",
    "Coord",
    "tuple",
    "make_shape",
    "make_stride",
    "make_tuple",
    "make_coord",
    "make_tile",
];
/// C++ names whose last argument is a number: `C<8>`, `Int<8>`, `integral_constant<int, 8>`.
const NUMBERS: [&str; 4] = ["C", "Int", "integral_constant", "constant"];
const LAYOUTS: [&str; 2] = ["Layout", "make_layout"];
const COMPOSED: [&str; 4] = [
    "ComposedLayout",
    "composition",
    "make_composed_layout",
    "decltype",
];

pub(super) fn begins(text: &str) -> bool {
    let word = word(unqualified(text));
    let after = &unqualified(text)[word.len()..];
    LAYOUTS.iter().chain(&COMPOSED).any(|name| *name == word) && after.starts_with(['<', '('])
}

/// Strips a leading `cute::` or `cute.`.
fn unqualified(text: &str) -> &str {
    let text = text.trim_start();
    ["cute::", "cute."]
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix))
        .unwrap_or(text)
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| c != '_' && !c.is_ascii_alphanumeric());
    &text[..end.unwrap_or(text.len())]
}

impl Cursor<'_> {
    /// Parses a composed layout, or a layout without a swizzle, in C++ syntax.
    pub(super) fn composed_cpp(&mut self) -> Result<ComposedLayout, CuteError> {
        let at = self.at();
        let name = self.cpp_name();
        if LAYOUTS.contains(&name) {
            self.back_to(at);
            return self.layout_cpp().map(ComposedLayout::from);
        }
        if !COMPOSED.contains(&name) {
            return Err(self.expected_at(at, "`Layout<` or `ComposedLayout<`"));
        }
        let close = self.open()?;
        if name == "decltype" {
            self.add_node()?;
            let layout = self.composed_cpp()?;
            self.close(close)?;
            return Ok(layout);
        }
        let mut swizzle = self.swizzle_cpp()?;
        self.expect(",", "`,`")?;
        let mut offset = 0;
        if !begins(self.rest()) {
            let at = self.at();
            if self.takes("smem_ptr_flag_bits<") || self.takes("cute::smem_ptr_flag_bits<") {
                let bits = self.number()?;
                self.expect(">", "`>`")?;
                swizzle = swizzle.recast(8, bits)?;
            } else if self.takes("smem_ptr_flag") || self.takes("cute::smem_ptr_flag") {
                swizzle = swizzle.recast(8, 1)?;
            } else {
                offset = self.number_cpp(at)?;
            }
            let _ = self.takes("{}");
            self.expect(",", "`,` and a layout")?;
        }
        let layout = self.layout_cpp()?;
        self.close(close)?;
        Ok(ComposedLayout::new(swizzle, offset, layout))
    }

    fn swizzle_cpp(&mut self) -> Result<Swizzle, CuteError> {
        let at = self.at();
        if self.cpp_name() == "make_swizzle" {
            self.expect("(", "`(`")?;
            let mut numbers = [0; 3];
            for (i, number) in numbers.iter_mut().enumerate() {
                if i > 0 {
                    self.expect(",", "`,` and the next number of the swizzle")?;
                }
                *number = self.number()?;
            }
            self.expect(")", "`)`")?;
            return Swizzle::new(numbers[0], numbers[1], numbers[2]);
        }
        self.back_to(at);
        let _ = self.takes("cute::");
        let swizzle = self.swizzle()?;
        let _ = self.takes("{}");
        Ok(swizzle)
    }

    /// Parses `Layout<Shape<_8,_64>, Stride<_64,_1>>` or `make_layout((8, 64), stride=(64, 1))`.
    fn layout_cpp(&mut self) -> Result<Layout, CuteError> {
        let at = self.at();
        if !LAYOUTS.contains(&self.cpp_name()) {
            return Err(self.expected_at(at, "`Layout<` or `make_layout(`"));
        }
        let close = self.open()?;
        let shape = self.tuple_cpp()?;
        let layout = if self.takes(",") {
            let _ = self.takes("stride=");
            let at = self.at();
            match self.cpp_name() {
                "LayoutLeft" | "GenColMajor" => Layout::compact(&shape)?,
                "LayoutRight" | "GenRowMajor" => Layout::compact_right(&shape)?,
                _ => {
                    self.back_to(at);
                    Layout::new(&shape, &self.tuple_cpp()?)?
                }
            }
        } else {
            Layout::compact(&shape)?
        };
        let _ = self.takes("{}");
        self.close(close)?;
        Ok(layout)
    }

    fn tuple_cpp(&mut self) -> Result<IntTuple, CuteError> {
        self.add_node()?;
        let at = self.at();
        let name = self.cpp_name();
        let is_tuple = TUPLES.contains(&name);
        if !(is_tuple || name.is_empty() && self.rest().starts_with('(')) {
            self.back_to(at);
            return self.number_cpp(at).map(Tuple::leaf);
        }
        let close = self.open()?;
        let mut items = Builder::new();
        loop {
            items.push(self.tuple_cpp()?.as_ref())?;
            if !self.takes(",") || self.rest().starts_with(close) {
                self.close(close)?;
                return items.finish();
            }
        }
    }

    /// Parses `_8`, `_8{}`, `8`, `C<8>`, or `Int<8>{}`.
    fn number_cpp(&mut self, at: usize) -> Result<i64, CuteError> {
        let name = self.cpp_name();
        let number = if NUMBERS.contains(&name) {
            self.expect("<", "`<`")?;
            let _ = self.takes("int,") || self.takes("int ,");
            let number = self.number()?;
            self.expect(">", "`>`")?;
            number
        } else {
            self.back_to(at);
            if matches!(name, "int" | "long" | "unsigned" | "uint32_t" | "int64_t") {
                return Err(ErrorKind::DynamicNumber { at }.into());
            }
            self.number()?
        };
        let _ = self.takes("{}");
        Ok(number)
    }

    /// Parses one of the known C++ names, which may follow `cute::` or `cute.`. If the text does not begin with
    /// such a name, consumes nothing and returns an empty name.
    fn cpp_name(&mut self) -> &'static str {
        let rest = self.rest();
        let bare = unqualified(rest);
        let word = word(bare);
        let known = TUPLES
            .iter()
            .chain(&NUMBERS)
            .chain(&LAYOUTS)
            .chain(&COMPOSED)
            .chain(&[
                "LayoutLeft",
                "LayoutRight",
                "GenColMajor",
                "GenRowMajor",
                "make_swizzle",
                "int",
                "long",
                "unsigned",
                "uint32_t",
                "int64_t",
            ]);
        let known = known.copied().find(|name| *name == word);
        if known.is_some() {
            self.skip(rest.len() - bare.len() + word.len());
        }
        known.unwrap_or("")
    }

    /// Consumes `<` or `(`, and returns the matching closing bracket.
    fn open(&mut self) -> Result<&'static str, CuteError> {
        if self.takes("<") {
            return Ok(">");
        }
        self.expect("(", "`<` or `(`")?;
        Ok(")")
    }

    fn close(&mut self, close: &'static str) -> Result<(), CuteError> {
        self.expect(
            close,
            if close == ">" {
                "`,` or `>`"
            } else {
                "`,` or `)`"
            },
        )?;
        let _ = self.takes("{}");
        Ok(())
    }
}
