//! Parser of encodings, for the subset of MLIR's attribute syntax that encodings use.

use super::error::{EncodingErrorKind, RuleLabel};
use super::{Encoding, EncodingError, FAMILIES, Ints, List};
use core::fmt;
use std::collections::HashMap;

const MAX_DEPTH: usize = 32;
/// Maximum number of bases of one input dim.
const MAX_BASES: usize = 64;

/// A map from the names of aliases to encodings. A module defines aliases at its top, as in `#blocked =
/// #ttg.blocked<{...}>`.
///
/// ```
/// use linear_layout::encoding::{Aliases, Encoding};
/// let aliases = Aliases::parse(
///     "#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
///      #row = #ttg.slice<{dim = 0, parent = #b}>",
/// )?;
/// assert_eq!(aliases.get("row"), Some(&Encoding::parse("#ttg.slice<{dim = 0, parent = #b}>", &aliases)?));
/// # Ok::<(), linear_layout::encoding::EncodingError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Aliases {
    by_name: HashMap<String, Encoding>,
}

impl Aliases {
    /// Returns an empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Parses the text of a module, and returns the aliases that its lines `#name = #ttg...` define. All other
    /// lines are ignored, and so are definitions that cannot be parsed as an encoding.
    ///
    /// # Errors
    /// Returns an error if two encodings are defined under the same name.
    pub fn of_module(text: &str) -> Result<Self, EncodingError> {
        let mut aliases = Self::new();
        for line in text.lines().map(str::trim) {
            let Some((name, value)) = line.strip_prefix('#').and_then(|rest| rest.split_once('='))
            else {
                continue;
            };
            // Locations and other attributes, such as `#ttg.shared_memory`, have aliases, too.
            if let Ok(encoding) = Encoding::parse(value.trim(), &aliases) {
                aliases.define(name.trim(), encoding)?;
            }
        }
        Ok(aliases)
    }

    /// Parses a sequence of definitions `#name = encoding`. Each definition may use the aliases that are defined
    /// before it.
    ///
    /// # Errors
    /// Returns an error if the text contains anything but definitions, a name is defined twice, or an encoding is
    /// invalid.
    pub fn parse(text: &str) -> Result<Self, EncodingError> {
        let mut aliases = Self::new();
        let mut pos = 0;
        loop {
            let mut parser = Parser::at(text, pos, &aliases);
            if parser.at_end() {
                return Ok(aliases);
            }
            parser.expect(b'#', "an alias `#name = ...`")?;
            let name = parser.ident("the name of an alias")?.to_owned();
            parser.expect(b'=', "`=`")?;
            let encoding = parser.encoding()?;
            pos = parser.pos;
            aliases.define(&name, encoding)?;
        }
    }

    /// Parses the definitions `#name = encoding` at the start of `text`, and adds them to the map. Returns the byte
    /// offset after the last definition, and the encoding that was defined last. Definitions of other attributes
    /// are skipped.
    pub(crate) fn read_leading(
        &mut self,
        text: &str,
    ) -> Result<(usize, Option<Encoding>), EncodingError> {
        let (mut pos, mut last) = (0, None);
        loop {
            let mut parser = Parser::at(text, pos, self);
            let Some(name) = parser.definition() else {
                return Ok((pos, last));
            };
            let value = &text[parser.pos..];
            let line = &value[..value.find('\n').unwrap_or(value.len())];
            let is_encoding = value.trim_start().starts_with('#');
            match parser.encoding() {
                Ok(encoding) => {
                    pos = parser.pos;
                    last = Some(encoding.clone());
                    self.define(&name, encoding)?;
                }
                // The definition is not of an encoding, such as `#smem = #ttg.shared_memory` or `#loc = loc(...)`.
                Err(e) if !is_encoding || (e.is_unknown_family() && !line.contains('<')) => {
                    pos = text.len() - value.len() + line.len();
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Defines the alias `name` (without `#`).
    ///
    /// # Errors
    /// Returns an error if the name is already defined.
    pub fn define(&mut self, name: &str, encoding: Encoding) -> Result<(), EncodingError> {
        if self.by_name.contains_key(name) {
            return Err(EncodingError::new(EncodingErrorKind::DuplicateAlias {
                name: name.to_owned(),
            }));
        }
        self.by_name.insert(name.to_owned(), encoding);
        Ok(())
    }

    /// Returns the encoding of the alias `name` (without `#`).
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Encoding> {
        self.by_name.get(name)
    }
}

/// The bases of one input dim, as stated in the text of an encoding. They have not been checked.
pub(crate) type RawBases = Vec<Ints>;

/// The text of a CuTe or Tilus layout, which is a quoted string inside the text of an encoding.
pub(crate) struct QuotedText<'a> {
    pub(crate) text: &'a str,
    /// Byte offset of the quoted text in the text of the encoding.
    pub(crate) at: usize,
}

impl QuotedText<'_> {
    /// Converts an error in this text, which an encoding contains in quotes, to an error in the text of the whole
    /// encoding. `at` is the byte offset of a syntax error in this text, or `None` for a semantic error.
    #[cold]
    pub(crate) fn error(&self, at: Option<usize>, reason: &dyn fmt::Display) -> EncodingError {
        EncodingError::new(EncodingErrorKind::Quoted {
            at: self.at + at.unwrap_or(0),
            is_syntax: at.is_some(),
            key: None,
            reason: reason.to_string(),
        })
    }
}

pub(crate) struct Parser<'a> {
    text: &'a str,
    pos: usize,
    depth: usize,
    aliases: &'a Aliases,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str, aliases: &'a Aliases) -> Self {
        Self {
            text,
            pos: 0,
            depth: 0,
            aliases,
        }
    }

    pub(crate) fn at(text: &'a str, pos: usize, aliases: &'a Aliases) -> Self {
        Self {
            pos,
            ..Self::new(text, aliases)
        }
    }

    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    /// Parses an encoding, and checks that nothing follows it.
    pub(crate) fn whole(mut self) -> Result<Encoding, EncodingError> {
        let encoding = self.encoding()?;
        if self.at_end() {
            return Ok(encoding);
        }
        let (at, found) = (self.pos, self.found());
        Err(EncodingError::new(EncodingErrorKind::TrailingText {
            at,
            found,
        }))
    }

    /// Parses `#name =`, and returns the name. Returns `None` if the text does not continue with a definition.
    fn definition(&mut self) -> Option<String> {
        let name = match self.eat(b'#') {
            true => self.ident("the name of an alias").ok()?.to_owned(),
            false => return None,
        };
        self.eat(b'=').then_some(name)
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    fn skip_space(&mut self) {
        loop {
            let rest = &self.bytes()[self.pos..];
            let space = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
            self.pos += space;
            if !rest[space..].starts_with(b"//") {
                return;
            }
            let line = rest[space..].iter().take_while(|b| **b != b'\n').count();
            self.pos += line;
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.bytes().get(self.pos).copied()
    }

    fn at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    fn found(&self) -> String {
        match self.text[self.pos..].chars().next() {
            Some(c) => format!("`{}`", c.escape_debug()),
            None => "the end of the text".to_owned(),
        }
    }

    #[cold]
    pub(crate) fn error(&mut self, expected: &'static str) -> EncodingError {
        self.skip_space();
        let (at, found) = (self.pos, self.found());
        EncodingError::new(EncodingErrorKind::Syntax {
            at,
            expected,
            found,
        })
    }

    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let hit = self.peek() == Some(byte);
        self.pos += usize::from(hit);
        hit
    }

    pub(crate) fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), EncodingError> {
        if self.eat(byte) {
            Ok(())
        } else {
            Err(self.error(expected))
        }
    }

    pub(crate) fn ident(&mut self, expected: &'static str) -> Result<&'a str, EncodingError> {
        match self.peek() {
            Some(b) if b.is_ascii_alphabetic() || b == b'_' => {}
            _ => return Err(self.error(expected)),
        }
        let start = self.pos;
        let word = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$');
        self.pos += self.bytes()[start..].iter().take_while(word).count();
        Ok(&self.text[start..self.pos])
    }

    /// Parses an integer. Returns its value and the byte offset at which it begins.
    fn signed(&mut self) -> Result<(i64, usize), EncodingError> {
        self.skip_space();
        let at = self.pos;
        let negative = self.eat(b'-');
        if !self.peek().is_some_and(|b| b.is_ascii_digit()) {
            return Err(self.error("an integer"));
        }
        let rest = &self.bytes()[self.pos..];
        let (skip, radix) =
            if rest.starts_with(b"0x") && rest.get(2).is_some_and(u8::is_ascii_hexdigit) {
                (2, 16)
            } else {
                (0, 10)
            };
        let digits = rest[skip..]
            .iter()
            .take_while(|b| (**b as char).is_digit(radix))
            .count();
        let start = self.pos + skip;
        self.pos = start + digits;
        let value = i64::from_str_radix(&self.text[start..self.pos], radix).map_err(|_| {
            EncodingError::new(EncodingErrorKind::NumberTooLarge { at }).of_rule("encoding_c6")
        })?;
        Ok((if negative { -value } else { value }, at))
    }

    fn skip_type(&mut self) -> Result<Option<&'a str>, EncodingError> {
        let here = self.pos;
        if self.eat(b':') && self.peek() != Some(b'+') {
            return self.ident("a type").map(Some);
        }
        self.pos = here;
        Ok(None)
    }

    /// Parses an unsigned 32-bit number. As in MLIR, a type may follow the number (`1 : i32`).
    pub(crate) fn number(&mut self) -> Result<u32, EncodingError> {
        let (value, at) = self.signed()?;
        self.skip_type()?;
        if value < 0 {
            return Err(
                EncodingError::new(EncodingErrorKind::Negative { at, value })
                    .of_rule("encoding_c6"),
            );
        }
        u32::try_from(value).map_err(|_| {
            EncodingError::new(EncodingErrorKind::NumberTooLarge { at }).of_rule("encoding_c6")
        })
    }

    pub(crate) fn boolean(&mut self) -> Result<bool, EncodingError> {
        let start = {
            self.skip_space();
            self.pos
        };
        if self.peek().is_some_and(|b| b.is_ascii_digit() || b == b'-') {
            // MLIR also accepts `1 : i1` as a boolean.
            let (value, _) = self.signed()?;
            if self.skip_type()? == Some("i1") {
                return Ok(value & 1 != 0);
            }
        } else if let Ok(word) = self.ident("`true` or `false`")
            && matches!(word, "true" | "false")
        {
            return Ok(word == "true");
        }
        self.pos = start;
        Err(self.error("`true` or `false`"))
    }

    fn list(
        &mut self,
        expected: &'static str,
        mut item: impl FnMut(&mut Self) -> Result<(), EncodingError>,
    ) -> Result<(), EncodingError> {
        self.expect(b'[', expected)?;
        if self.eat(b']') {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.eat(b']') {
                return Ok(());
            }
            self.expect(b',', "`,` or `]`")?;
        }
    }

    pub(crate) fn numbers(&mut self) -> Result<Ints, EncodingError> {
        let mut ints = Ints::new();
        self.list("a list of integers", |p| {
            let value = p.number()?;
            ints.push(value)
        })?;
        Ok(ints)
    }

    pub(crate) fn bases(&mut self) -> Result<RawBases, EncodingError> {
        let mut bases = Vec::new();
        self.list("a list of bases", |p| {
            if bases.len() == MAX_BASES {
                return Err(EncodingError::new(EncodingErrorKind::TooMany {
                    key: String::new(),
                    limit: MAX_BASES,
                }));
            }
            bases.push(p.numbers()?);
            Ok(())
        })?;
        Ok(bases)
    }

    /// Parses a list of intervals and paddings such as `[64:+8, ...]`.
    pub(crate) fn interval_pads<const N: usize>(
        &mut self,
    ) -> Result<List<(u32, u32), N>, EncodingError> {
        let mut pairs = List::new();
        self.list("a list `[interval:+padding, ...]`", |p| {
            let (interval, at) = p.signed()?;
            p.expect(b':', "`:+` and a padding")?;
            p.expect(b'+', "`:+` and a padding")?;
            let (padding, padding_at) = p.signed()?;
            let unsigned = |v: i64, at: usize| {
                u32::try_from(v).map_err(|_| {
                    EncodingError::new(EncodingErrorKind::NumberTooLarge { at })
                        .of_rule("encoding_c6")
                })
            };
            pairs.push((unsigned(interval, at)?, unsigned(padding, padding_at)?))
        })?;
        Ok(pairs)
    }

    /// Parses a list of fields `key = value, ...` between the characters `open` and `close`. The closure `value` is
    /// called with each key, and parses the value of this key.
    pub(crate) fn fields(
        &mut self,
        open: u8,
        close: u8,
        mut value: impl FnMut(&mut Self, &'a str) -> Result<(), EncodingError>,
    ) -> Result<(), EncodingError> {
        let (opening, ending) = match close {
            b'}' => ("`{`", "`,` or `}`"),
            _ => ("`<`", "`,` or `>`"),
        };
        self.expect(open, opening)?;
        if self.eat(close) {
            return Ok(());
        }
        let mut keys: Vec<&'a str> = Vec::new();
        loop {
            let key = self.key()?;
            if keys.contains(&key) {
                return Err(EncodingError::new(EncodingErrorKind::DuplicateKey {
                    key: key.to_owned(),
                })
                .of_rule("encoding_c7"));
            }
            keys.push(key);
            self.expect(b'=', "`=`")?;
            value(self, key).map_err(|e| e.at_key(key))?;
            if self.eat(close) {
                return Ok(());
            }
            self.expect(b',', ending)?;
        }
    }

    fn key(&mut self) -> Result<&'a str, EncodingError> {
        if !self.eat(b'"') {
            return self.ident("a key");
        }
        let key = self.ident("a key")?;
        self.expect(b'"', "`\"`")?;
        Ok(key)
    }

    /// Parses a list of fields `<{key = value, ...}>`. The closure `value` is called with each key, and parses the
    /// value of this key.
    pub(crate) fn dict(
        &mut self,
        value: impl FnMut(&mut Self, &'a str) -> Result<(), EncodingError>,
    ) -> Result<(), EncodingError> {
        self.expect(b'<', "`<`")?;
        self.fields(b'{', b'}', value)?;
        self.expect(b'>', "`>`")
    }

    pub(crate) fn quoted(
        &mut self,
        expected: &'static str,
    ) -> Result<QuotedText<'a>, EncodingError> {
        self.expect(b'"', expected)?;
        let at = self.pos;
        let Some(length) = self.text[at..].find('"') else {
            self.pos = self.text.len();
            return Err(self.error("`\"`"));
        };
        self.pos += length + 1;
        let text = &self.text[at..at + length];
        Ok(QuotedText { text, at })
    }

    /// Parses the end of the text of an encoding, which follows its first parameter. This is either `>`, or a list
    /// of further parameters `, key = value, ...>`. The closure `value` is called with each key, and parses the
    /// value of this key.
    pub(crate) fn further_fields(
        &mut self,
        value: impl FnMut(&mut Self, &'a str) -> Result<(), EncodingError>,
    ) -> Result<(), EncodingError> {
        if self.eat(b'>') {
            return Ok(());
        }
        if self.peek() != Some(b',') {
            return Err(self.error("`,` or `>`"));
        }
        self.fields(b',', b'>', value)
    }

    /// Parses an encoding `#ttg.name<...>` or `#ttg<name<...>>`, or an alias `#name`.
    pub(crate) fn encoding(&mut self) -> Result<Encoding, EncodingError> {
        if self.depth == MAX_DEPTH {
            return Err(
                EncodingError::new(EncodingErrorKind::TooDeep { limit: MAX_DEPTH })
                    .of_rule("encoding_c9"),
            );
        }
        self.depth += 1;
        let encoding = self.encoding_here();
        self.depth -= 1;
        encoding
    }

    fn encoding_here(&mut self) -> Result<Encoding, EncodingError> {
        self.expect(b'#', "an encoding `#ttg...`")?;
        let name = self.ident("the name of an encoding")?;
        let dialect = FAMILIES.iter().any(|(dialect, _)| *dialect == name);
        if dialect && self.bytes().get(self.pos) == Some(&b'.') {
            self.pos += 1;
            let family = self.ident("the name of an encoding")?;
            return Encoding::parse_family(self, name, family);
        }
        if dialect && self.eat(b'<') {
            let family = self.ident("the name of an encoding")?;
            let encoding = Encoding::parse_family(self, name, family)?;
            self.expect(b'>', "`>`")?;
            return Ok(encoding);
        }
        let mut end = self.pos;
        while self.bytes().get(end) == Some(&b'.') {
            end += 1;
            let word = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'_';
            end += self.bytes()[end..].iter().take_while(word).count();
        }
        let start = self.pos - name.len();
        let name = &self.text[start..end];
        self.pos = end;
        match self.aliases.get(name) {
            Some(encoding) => Ok(encoding.clone()),
            None if name.contains('.') || self.peek() == Some(b'<') => {
                Err(EncodingError::new(EncodingErrorKind::UnknownFamily {
                    name: format!("#{name}"),
                }))
            }
            None => Err(EncodingError::new(EncodingErrorKind::UnknownAlias {
                name: name.to_owned(),
            })),
        }
    }
}

/// Returns the error that the parser reports if the key `key` is invalid in an encoding of the family `family`. If
/// the family has no such key, the error says that the key is unknown. If the family has the key, the error says
/// that the key is given twice, because a known key is invalid only if it is repeated. Returns `None` if the family
/// is unknown.
#[must_use]
pub fn invalid_key_error(dialect: &str, family: &str, key: &str) -> Option<EncodingError> {
    if !FAMILIES.contains(&(dialect, family)) {
        return None;
    }
    let aliases = Aliases::new();
    // The three syntaxes are `<key = value>`, `<{key = value}>`, and `<"layout", key = value>`. An unknown key is
    // rejected before the value is parsed.
    [("<", ">"), ("<{", "}>"), ("<\"\", ", ">")]
        .iter()
        .filter_map(|(open, close)| {
            let text = format!("#{dialect}.{family}{open}{key} = {close}");
            Encoding::parse(&text, &aliases).err()
        })
        .find(EncodingError::is_unknown_key)
        .or_else(|| {
            Some(EncodingError::new(EncodingErrorKind::DuplicateKey {
                key: key.to_owned(),
            }))
        })
}

/// Returns the byte offset of the key `key` in the text of an attribute, or `None` if the attribute has no such
/// key.
///
/// The text begins with the name of the attribute. It may continue after the attribute, and need not be UTF-8. The
/// keys of encodings nested in the attribute are skipped.
/// ```
/// use linear_layout::encoding::key_offset;
/// let text = "slice<{parent = #ttg.slice<{parent = #blocked, dim = 7}>, dim = 0}> ...";
/// assert_eq!(key_offset(text.as_bytes(), "dim"), text.find("dim = 0"));
/// ```
#[must_use]
pub fn key_offset(text: &[u8], key: &str) -> Option<usize> {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.');
    let (mut depth, mut at) = (0, 0);
    while let Some(byte) = text.get(at) {
        let rest = &text[at..];
        let length = match byte {
            b'<' => {
                depth += 1;
                1
            }
            b'>' if depth <= 1 => return None,
            b'>' => {
                depth -= 1;
                1
            }
            b'"' => 2 + rest[1..].iter().take_while(|b| **b != b'"').count(),
            b'/' if rest.starts_with(b"//") => rest.iter().take_while(|b| **b != b'\n').count(),
            _ => {
                let length = rest.iter().take_while(|b| is_word(b)).count();
                let mut after = rest[length..].iter().filter(|b| !b.is_ascii_whitespace());
                if depth == 1 && &rest[..length] == key.as_bytes() && after.next() == Some(&b'=') {
                    return Some(at);
                }
                length.max(1)
            }
        };
        at += length;
    }
    None
}

pub(crate) fn require<T>(
    value: Option<T>,
    family: &'static str,
    key: &'static str,
) -> Result<T, EncodingError> {
    value.ok_or_else(|| EncodingError::new(EncodingErrorKind::MissingKey { family, key }))
}

#[cold]
pub(crate) fn unknown_key<T>(
    family: &'static str,
    key: &str,
    valid: &'static str,
) -> Result<T, EncodingError> {
    Err(EncodingError::new(EncodingErrorKind::UnknownKey {
        family,
        key: key.to_owned(),
        valid,
    }))
}

#[cfg(test)]
mod tests {
    use super::{invalid_key_error, key_offset};

    #[test]
    fn a_wrong_key_is_unknown_or_given_twice() {
        let check = |family, key, expected: &str| {
            let error = invalid_key_error("ttg", family, key).map(|e| e.to_string());
            assert_eq!(error.unwrap_or_default(), expected, "{family}");
        };
        check(
            "blocked",
            "sizePerThred",
            "unexpected key `sizePerThred` in `blocked`; the nearest key is `sizePerThread`",
        );
        check("blocked", "order", "key `order` is given twice");
        check("slice", "dim", "key `dim` is given twice");
        for family in ["amd_mfma", "amd_wmma", "nvidia_mma"] {
            let error = invalid_key_error("ttg", family, "surplus").map(|e| e.to_string());
            let error = error.unwrap_or_default();
            assert!(
                error.contains("unexpected key `surplus`"),
                "{family}: {error}"
            );
        }
        check("shared_memory", "size", "");
        let error =
            invalid_key_error("ttng", "tensor_memory_encoding", "blokM").map(|e| e.to_string());
        let expected =
            "unexpected key `blokM` in `tensor_memory_encoding`; the nearest key is `blockM`";
        assert_eq!(error.unwrap_or_default(), expected);
    }

    #[test]
    fn keys_are_found_where_they_are_the_attributes_own() {
        let check = |text: &str, key: &str, rest: &str| {
            let found = key_offset(text.as_bytes(), key).map(|at| &text[at..]);
            assert_eq!(found.unwrap_or_default(), rest);
        };
        let nested = "slice<{parent = #ttg.slice<{parent = #blocked, dim = 7}>, dim = 0}> dim = 1";
        check(nested, "dim", "dim = 0}> dim = 1");
        check(
            "blocked<{ // order = none\n order=[1]}>",
            "order",
            "order=[1]}>",
        );
        check(
            "linear<{a = \"lane = 1\", lane\n= []}>",
            "lane",
            "lane\n= []}>",
        );
        check(
            "amd_wmma<{ctaLayout = {warp = []}}>",
            "warp",
            "warp = []}}>",
        );
        check("blocked<{order_c = [], xorder = []}>", "order", "");
        check("blocked<{order = []}>", "order", "order = []}>");
        check("blocked<{}> order = []", "order", "");
        check("\"", "order", "");
    }
}
