//! Parser for the Python literals and calls that occur in Gluon's layouts.

use super::super::EncodingError;

const MAX_DEPTH: usize = 32;

/// A parsed Python value and the byte offset in the text at which it begins.
#[derive(Debug)]
pub(super) struct Value<'t> {
    pub(super) kind: ValueKind<'t>,
    pub(super) at: usize,
}

#[derive(Debug)]
pub(super) enum ValueKind<'t> {
    None,
    Bool(bool),
    Int(i64),
    List(Vec<Value<'t>>),
    /// A dotted name, such as `gl.float16`. The name of a called function is not a `Name`, but a part of a `Call`.
    Name(&'t str),
    Call(Call<'t>),
}

/// A call `path(argument, name=argument)`.
#[derive(Debug)]
pub(super) struct Call<'t> {
    /// Dotted name of the class or function.
    pub(super) path: &'t str,
    pub(super) arguments: Vec<PythonArgument<'t>>,
}

#[derive(Debug)]
pub(super) struct PythonArgument<'t> {
    pub(super) name: Option<&'t str>,
    /// Byte offset at which the argument begins in the text.
    pub(super) at: usize,
    pub(super) value: Value<'t>,
}

pub(super) fn parse(text: &str) -> Result<Value<'_>, EncodingError> {
    let mut cursor = Cursor { text, at: 0 };
    let value = cursor.value(0)?;
    cursor.skip_space();
    match cursor.rest() {
        "" => Ok(value),
        _ => Err(cursor.expected("the end of the text")),
    }
}

struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        loop {
            self.at = self.text.len() - self.rest().trim_start().len();
            if !self.rest().starts_with('#') {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    fn takes(&mut self, token: char) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(token);
        self.at += if found { token.len_utf8() } else { 0 };
        found
    }

    fn expected(&mut self, expected: &str) -> EncodingError {
        self.skip_space();
        let found = match self.rest().chars().next() {
            Some(c) => format!("`{}`", c.escape_debug()),
            None => "the end of the text".to_owned(),
        };
        EncodingError::syntax(
            self.at,
            format!("expected {expected} at byte {}, found {found}", self.at),
        )
    }

    fn name(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| c != '_' && c != '.' && !c.is_ascii_alphanumeric());
        let name = &rest[..end.unwrap_or(rest.len())];
        self.at += name.len();
        name
    }

    fn value(&mut self, depth: usize) -> Result<Value<'t>, EncodingError> {
        self.skip_space();
        let at = self.at;
        if depth == MAX_DEPTH {
            return Err(EncodingError::syntax(
                at,
                format!("values are nested more than {MAX_DEPTH} deep"),
            ));
        }
        let kind = match self.rest().chars().next() {
            Some('[') => {
                self.takes('[');
                ValueKind::List(self.items(']', "`,` or `]`", depth)?)
            }
            Some('(') => {
                self.takes('(');
                ValueKind::List(self.items(')', "`,` or `)`", depth)?)
            }
            Some(c) if c == '-' || c.is_ascii_digit() => ValueKind::Int(self.integer()?),
            Some(c) if c == '_' || c.is_ascii_alphabetic() => self.named(depth)?,
            _ => return Err(self.expected("a number, a list or a layout")),
        };
        Ok(Value { kind, at })
    }

    fn integer(&mut self) -> Result<i64, EncodingError> {
        let at = self.at;
        let sign = usize::from(self.takes('-'));
        let digits = self
            .rest()
            .bytes()
            .take_while(|b| b.is_ascii_digit() || *b == b'_')
            .count();
        self.at = at + sign + digits;
        let text = self.text[at..self.at].replace('_', "");
        text.parse().map_err(|_| {
            EncodingError::syntax(at, format!("number at byte {at} does not fit into 64 bits"))
        })
    }

    fn named(&mut self, depth: usize) -> Result<ValueKind<'t>, EncodingError> {
        let path = self.name();
        Ok(match path {
            "None" => ValueKind::None,
            "True" => ValueKind::Bool(true),
            "False" => ValueKind::Bool(false),
            _ if !self.takes('(') => ValueKind::Name(path),
            _ => {
                let mut arguments = self.arguments(depth)?;
                match (path.rsplit('.').next(), arguments.pop()) {
                    // `constexpr(value)` is `value`.
                    (Some("constexpr"), Some(only)) if arguments.is_empty() => only.value.kind,
                    (_, last) => {
                        arguments.extend(last);
                        ValueKind::Call(Call { path, arguments })
                    }
                }
            }
        })
    }

    fn items(
        &mut self,
        close: char,
        after: &'static str,
        depth: usize,
    ) -> Result<Vec<Value<'t>>, EncodingError> {
        let mut items = Vec::new();
        while !self.takes(close) {
            items.push(self.value(depth + 1)?);
            if !self.takes(',') && !self.rest().starts_with(close) {
                return Err(self.expected(after));
            }
        }
        Ok(items)
    }

    fn arguments(&mut self, depth: usize) -> Result<Vec<PythonArgument<'t>>, EncodingError> {
        let mut arguments = Vec::new();
        while !self.takes(')') {
            self.skip_space();
            let at = self.at;
            let word = self.name();
            let name = (!word.is_empty() && self.takes('=')).then_some(word);
            if name.is_none() {
                self.at = at;
            }
            let value = self.value(depth + 1)?;
            arguments.push(PythonArgument { name, at, value });
            if !self.takes(',') && !self.rest().starts_with(')') {
                return Err(self.expected("`,` or `)`"));
            }
        }
        Ok(arguments)
    }
}
