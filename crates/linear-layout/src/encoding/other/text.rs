//! Reading the texts of attributes.

use super::error::{CompilerLayoutError, Kind};
use core::fmt;

pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    pub(super) fn wrong(&mut self, expected: &'static str) -> CompilerLayoutError {
        self.skip_space();
        let at = self.at;
        Kind::Parse { at, expected }.into()
    }

    pub(super) fn takes(&mut self, token: &str) -> bool {
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
        if self.takes(token) {
            Ok(())
        } else {
            Err(self.wrong(expected))
        }
    }

    pub(super) fn end(&mut self) -> Result<(), CompilerLayoutError> {
        self.skip_space();
        if self.rest().is_empty() {
            Ok(())
        } else {
            Err(self.wrong("the end of the text"))
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
        let number = rest[..end].parse().map_err(|_| self.wrong(expected))?;
        self.at += end;
        Ok(number)
    }

    /// A list in brackets.
    pub(super) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, CompilerLayoutError>,
    ) -> Result<Vec<T>, CompilerLayoutError> {
        self.expect("[", "`[`")?;
        let mut list = Vec::new();
        if self.takes("]") {
            return Ok(list);
        }
        loop {
            list.push(item(self)?);
            if self.takes("]") {
                return Ok(list);
            }
            self.expect(",", "`,` or `]`")?;
        }
    }

    pub(super) fn numbers(&mut self) -> Result<Vec<u64>, CompilerLayoutError> {
        self.list(|cursor| cursor.number("a whole number of zero or more"))
    }

    /// `field = [1, 2], ...>` with these fields in any order.
    pub(super) fn fields<const N: usize>(
        &mut self,
        names: [&'static str; N],
        expected: &'static str,
    ) -> Result<[Option<Vec<u64>>; N], CompilerLayoutError> {
        let mut values = [const { None }; N];
        if self.takes(">") {
            return Ok(values);
        }
        loop {
            // A name that begins as another does comes after it.
            let Some(i) = (0..N).rev().find(|i| self.takes(names[*i])) else {
                return Err(self.wrong(expected));
            };
            self.expect("=", "`=`")?;
            let field = names[i];
            if values[i].replace(self.numbers()?).is_some() {
                return Err(Kind::FieldTwice { field }.into());
            }
            if self.takes(">") {
                return Ok(values);
            }
            self.expect(",", "`,` or `>`")?;
        }
    }
}

/// Fails where an entry is zero.
pub(super) fn check_entries(
    field: &'static str,
    entries: &[u64],
) -> Result<(), CompilerLayoutError> {
    match entries.iter().position(|entry| *entry == 0) {
        Some(at) => Err(Kind::Zero { field, at }.into()),
        None => Ok(()),
    }
}

/// A list in brackets.
pub(super) struct List<'a, T>(pub(super) &'a [T]);

impl<T: fmt::Display> fmt::Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str("]")
    }
}
