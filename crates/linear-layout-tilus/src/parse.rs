//! Parser of the printed forms, and of chains such as `local(2, 1).spatial(8, 4)`.

use core::str::FromStr;

use super::{
    RegisterLayout, SharedLayout, Swizzle, TilusError, column_local, column_spatial, local, spatial,
};

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn takes(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str, expected: &'static str) -> Result<(), TilusError> {
        if self.takes(token) {
            Ok(())
        } else {
            Err(TilusError::parse(self.at, expected))
        }
    }

    fn end(&mut self, expected: &'static str) -> Result<(), TilusError> {
        self.skip_space();
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(TilusError::parse(self.at, expected))
        }
    }

    fn word(&mut self) -> &'a str {
        self.skip_space();
        let rest = self.rest();
        let end = rest
            .find(|c: char| c != '_' && !c.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn number<T: FromStr>(&mut self, expected: &'static str) -> Result<T, TilusError> {
        self.skip_space();
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest[sign..].len()
            - rest[sign..]
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len();
        let number = rest[..sign + digits]
            .parse()
            .map_err(|_| TilusError::parse(self.at, expected))?;
        self.at += sign + digits;
        Ok(number)
    }

    fn numbers<T: FromStr>(
        &mut self,
        close: &str,
        number: &'static str,
        after: &'static str,
    ) -> Result<Vec<T>, TilusError> {
        let mut list = Vec::new();
        if self.takes(close) {
            return Ok(list);
        }
        loop {
            list.push(self.number(number)?);
            if self.takes(close) {
                return Ok(list);
            }
            self.expect(",", after)?;
        }
    }

    fn list<T: FromStr>(&mut self, number: &'static str) -> Result<Vec<T>, TilusError> {
        self.expect("[", "`[`")?;
        self.numbers("]", number, "`,` or `]`")
    }

    fn register_layout(mut self) -> Result<RegisterLayout, TilusError> {
        if !self.takes("RegisterLayout") {
            return self.chain();
        }
        self.expect("(", "`(`")?;
        self.expect("shape=", "`shape=`")?;
        let shape: Vec<u64> = self.list(EXTENT)?;
        self.expect(",", "`,`")?;
        self.expect("mode_shape=", "`mode_shape=`")?;
        let mode_shape: Vec<u64> = self.list(EXTENT)?;
        self.expect(",", "`,`")?;
        self.expect("spatial_modes=", "`spatial_modes=`")?;
        let spatial_modes: Vec<i64> =
            self.list("a mode, or a replication as a negative number,")?;
        self.expect(",", "`,`")?;
        self.expect("local_modes=", "`local_modes=`")?;
        let local_modes: Vec<i64> = self.list("a mode")?;
        self.expect(")", "`)`")?;
        self.end("the end of the text")?;
        RegisterLayout::spelled(&shape, &mode_shape, &spatial_modes, &local_modes)
    }

    fn chain(mut self) -> Result<RegisterLayout, TilusError> {
        let mut layout = RegisterLayout::unit();
        loop {
            self.skip_space();
            let at = self.at;
            let make = match self.word() {
                "spatial" => spatial,
                "local" | "repeat" => local,
                "column_spatial" => column_spatial,
                "column_local" => column_local,
                _ => {
                    return Err(TilusError::parse(
                        at,
                        "`RegisterLayout(`, `spatial(`, `local(`, `repeat(`, `column_spatial(` or \
                         `column_local(`",
                    ));
                }
            };
            self.expect("(", "`(`")?;
            let shape: Vec<u64> = self.numbers(")", EXTENT, "`,` or `)`")?;
            layout = layout.compose(&make(&shape)?)?;
            if !self.takes(".") {
                self.end("`.` or the end of the text")?;
                return Ok(layout);
            }
        }
    }

    fn shared_layout(mut self) -> Result<SharedLayout, TilusError> {
        self.expect("SharedLayout", "`SharedLayout(`")?;
        self.expect("(", "`(`")?;
        self.expect("shape=", "`shape=`")?;
        let shape: Vec<u64> = self.list(EXTENT)?;
        self.expect(",", "`,`")?;
        self.expect("mode_shape=", "`mode_shape=`")?;
        let mode_shape: Vec<u64> = self.list(EXTENT)?;
        self.expect(",", "`,`")?;
        self.expect("mode_strides=", "`mode_strides=`")?;
        let mode_strides: Vec<u64> = self.list("a stride")?;
        self.expect(",", "`,`")?;
        self.expect("swizzle=", "`swizzle=`")?;
        let swizzle = if self.takes("None") {
            None
        } else {
            Some(self.swizzle()?)
        };
        self.expect(")", "`)`")?;
        self.end("the end of the text")?;
        SharedLayout::spelled(&shape, &mode_shape, &mode_strides, swizzle)
    }

    fn swizzle(&mut self) -> Result<Swizzle, TilusError> {
        self.expect("Swizzle", "`None` or `Swizzle(`")?;
        self.expect("(", "`(`")?;
        self.expect("base=", "`base=`")?;
        let base = self.number(BITS)?;
        self.expect(",", "`,`")?;
        self.expect("bits=", "`bits=`")?;
        let bits = self.number(BITS)?;
        self.expect(",", "`,`")?;
        self.expect("shift=", "`shift=`")?;
        let shift = self.number(BITS)?;
        self.expect(")", "`)`")?;
        Swizzle::new(base, bits, shift)
    }
}

const EXTENT: &str = "an extent of 1 or more";
const BITS: &str = "a number of bits";

/// Parses the output of [`Display`](core::fmt::Display), which is that of Tilus, or a chain of `spatial`, `local`,
/// `repeat`, `column_spatial` and `column_local`.
///
/// ```
/// use linear_layout_tilus::RegisterLayout;
/// let l: RegisterLayout = "local(2, 1).spatial(8, 4).local(1, 2)".parse()?;
/// assert_eq!(l.to_string().parse(), Ok(l));
/// let e = "RegisterLayout(shape=[2, 3), mode_shape=[])".parse::<RegisterLayout>().unwrap_err();
/// assert_eq!(e.to_string(), "expected `,` or `]` at byte 26 of the layout text");
/// assert_eq!(e.parse_offset(), Some(26));
/// # Ok::<(), linear_layout_tilus::TilusError>(())
/// ```
/// # Errors
/// If the text does not have that form, with the byte offset; if the layout is invalid, as in [`RegisterLayout::new`].
impl FromStr for RegisterLayout {
    type Err = TilusError;

    fn from_str(text: &str) -> Result<Self, TilusError> {
        Cursor::new(text).register_layout()
    }
}

/// Parses the output of [`Display`](core::fmt::Display), which is that of Tilus.
///
/// # Errors
/// If the text does not have that form, with the byte offset; if the layout is invalid, as in [`SharedLayout::new`].
impl FromStr for SharedLayout {
    type Err = TilusError;

    fn from_str(text: &str) -> Result<Self, TilusError> {
        Cursor::new(text).shared_layout()
    }
}
