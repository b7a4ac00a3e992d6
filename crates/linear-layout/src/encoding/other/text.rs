//! Helpers to parse and print attributes.

use super::error::{CompilerLayoutError, CompilerLayoutErrorKind};
use core::fmt;

pub(super) struct AttributeParser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> AttributeParser<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    pub(super) fn error(&mut self, expected: &'static str) -> CompilerLayoutError {
        self.skip_space();
        let at = self.at;
        CompilerLayoutErrorKind::Parse { at, expected }.into()
    }

    pub(super) fn eat(&mut self, token: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    pub(super) fn expect(
        &mut self,
        token: &str,
        expected: &'static str,
    ) -> Result<(), CompilerLayoutError> {
        if self.eat(token) {
            Ok(())
        } else {
            Err(self.error(expected))
        }
    }

    pub(super) fn end(&mut self) -> Result<(), CompilerLayoutError> {
        self.skip_space();
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(self.error("the end of the text"))
        }
    }

    pub(super) fn number<T: core::str::FromStr>(
        &mut self,
        expected: &'static str,
    ) -> Result<T, CompilerLayoutError> {
        self.skip_space();
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let after = rest[sign..].trim_start_matches(|c: char| c.is_ascii_digit());
        let end = rest.len() - after.len();
        let number = rest[..end].parse().map_err(|_| self.error(expected))?;
        self.at += end;
        Ok(number)
    }

    pub(super) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, CompilerLayoutError>,
    ) -> Result<Vec<T>, CompilerLayoutError> {
        self.expect("[", "`[`")?;
        let mut list = Vec::new();
        if self.eat("]") {
            return Ok(list);
        }
        loop {
            list.push(item(self)?);
            if self.eat("]") {
                return Ok(list);
            }
            self.expect(",", "`,` or `]`")?;
        }
    }

    pub(super) fn numbers(&mut self) -> Result<Vec<u64>, CompilerLayoutError> {
        self.list(|parser| parser.number("a whole number of zero or more"))
    }

    /// Parses the fields of an attribute up to the closing bracket, such as `field = [1, 2], ...>`. The fields may
    /// be in any order. Returns the values in the order of `names`, with `None` for each omitted field. `expected`
    /// describes the names in the error message for an unknown field.
    pub(super) fn fields<const N: usize>(
        &mut self,
        names: [&'static str; N],
        expected: &'static str,
    ) -> Result<[Option<Vec<u64>>; N], CompilerLayoutError> {
        let mut values = [const { None }; N];
        if self.eat(">") {
            return Ok(values);
        }
        loop {
            // In reverse, because a name comes after its prefixes.
            let Some(i) = (0..N).rev().find(|i| self.eat(names[*i])) else {
                return Err(self.error(expected));
            };
            self.expect("=", "`=`")?;
            let field = names[i];
            if values[i].replace(self.numbers()?).is_some() {
                return Err(CompilerLayoutErrorKind::FieldTwice { field }.into());
            }
            if self.eat(">") {
                return Ok(values);
            }
            self.expect(",", "`,` or `>`")?;
        }
    }
}

pub(super) fn check_entries(
    field: &'static str,
    entries: &[u64],
) -> Result<(), CompilerLayoutError> {
    match entries.iter().position(|entry| *entry == 0) {
        Some(at) => Err(CompilerLayoutErrorKind::Zero { field, at }.into()),
        None => Ok(()),
    }
}

pub(super) struct BracketList<'a, T>(pub(super) &'a [T]);

impl<T: fmt::Display> fmt::Display for BracketList<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str("]")
    }
}
