//! Validation of PTX statements against the table of supported forms.

use super::forms::{self, Form};
use super::text::{Name, PtxOperand, Statement, ptx_type};
use std::collections::HashMap;

pub(super) enum Refusal {
    Unknown,
    /// The opcode is known, but its modifiers match none of the supported forms. The text lists some of these
    /// forms.
    Form(String),
    /// The modifiers match a form, but the guard or an operand does not. The text describes the mismatch.
    Operand(String),
}

/// Finds the supported form that a statement matches. `width` maps a register name to the width of the register in
/// bits, or to `None` if the register does not exist.
pub(super) fn find(
    statement: &Statement,
    width: impl Fn(&Name) -> Option<u32>,
) -> Result<&'static Form, Refusal> {
    let words: Vec<&str> = statement.opcode.iter().map(String::as_str).collect();
    let rows: Vec<&Form> = forms::all().filter(|form| form.name == words[0]).collect();
    if rows.is_empty() {
        return Err(Refusal::Unknown);
    }
    if let Some((name, _)) = &statement.guard
        && width(name) != Some(1)
    {
        return Err(Refusal::Operand(format!(
            "the guard {} is not a predicate",
            show(name)
        )));
    }
    let mut problem = None;
    for form in &rows {
        let Some(said) = form.matches(&words[1..]) else {
            continue;
        };
        match form.fits(&said, &statement.args, &width) {
            None => return Ok(form),
            Some(text) => problem = Some(text),
        }
    }
    Err(match problem {
        Some(text) => Refusal::Operand(text),
        None => {
            let mut forms: Vec<String> = rows.iter().take(3).map(|form| form.spelled()).collect();
            if rows.len() > forms.len() {
                forms.push(format!("{} more", rows.len() - forms.len()));
            }
            Refusal::Form(forms.join("; "))
        }
    })
}

struct ParsedForm {
    type_bits: u32,
    /// Width in bits of the first modifier, which is the result type of `cvt`; 0 if this modifier is not a type.
    result_bits: u32,
    count: usize,
}

impl Form {
    /// Compares `words`, the words after the opcode, with the modifiers and the type of this form. Returns the
    /// parsed form, or `None` if the words do not match.
    fn matches(&self, words: &[&str]) -> Option<ParsedForm> {
        let (modifiers, type_) = if self.types.is_empty() {
            (words, None)
        } else {
            let (last, rest) = words.split_last()?;
            (rest, Some(*last))
        };
        let mut said = ParsedForm {
            type_bits: 0,
            result_bits: words.first().and_then(|word| type_width(word)).unwrap_or(0),
            count: 1,
        };
        if let Some(type_) = type_ {
            self.types.split(' ').find(|t| *t == type_)?;
            said.type_bits = type_width(type_)?;
        }
        // `async.global` is two words.
        let joined = modifiers.join(".");
        let mut rest = joined.as_str();
        for slot in self.modifiers {
            let (list, optional) = match slot.strip_prefix('?') {
                Some(list) => (list, true),
                None => (*slot, false),
            };
            let taken = list
                .split(' ')
                .filter_map(|word| leading(word, rest))
                .filter(|word| {
                    let after = &rest[word.len()..];
                    after.is_empty() || after.starts_with('.')
                })
                .max_by_key(|word| word.len());
            match taken {
                Some(word) => {
                    if let Some(count) = word.strip_prefix('v') {
                        said.count = count.parse().unwrap_or(said.count);
                    }
                    rest = rest[word.len()..].trim_start_matches('.');
                }
                None if optional => {}
                None => return None,
            }
        }
        rest.is_empty().then_some(said)
    }

    fn fits(
        &self,
        said: &ParsedForm,
        args: &[PtxOperand],
        width: &impl Fn(&Name) -> Option<u32>,
    ) -> Option<String> {
        if args.len() != self.operands.len() {
            return Some(format!(
                "{} operands, expected {}",
                args.len(),
                self.operands.len()
            ));
        }
        if said.count as u32 * said.type_bits > 128 {
            return Some(format!(
                "a vector of {} bits, expected at most 128",
                said.count as u32 * said.type_bits
            ));
        }
        self.operands
            .chars()
            .zip(args)
            .find_map(|(letter, arg)| operand(letter, arg, said, width))
    }

    /// Returns the form as text for messages and listings, such as `mov.b16|b32|b64`.
    pub(super) fn spelled(&self) -> String {
        let mut text = self.name.to_owned();
        for slot in self.modifiers {
            let (open, list, close) = match slot.strip_prefix('?') {
                Some(list) => ("{.", list, "}"),
                None => (".", *slot, ""),
            };
            text += &format!("{open}{}{close}", list.replace(' ', "|"));
        }
        if !self.types.is_empty() {
            text += &format!(".{}", self.types.replace(' ', "|"));
        }
        text
    }
}

/// Returns the prefix of `text` that matches `word`, or `None` if `text` does not begin with `word`. A `*` in
/// `word` matches one or more digits.
fn leading<'t>(word: &str, text: &'t str) -> Option<&'t str> {
    let Some((before, after)) = word.split_once('*') else {
        return text.starts_with(word).then(|| &text[..word.len()]);
    };
    let rest = text.strip_prefix(before)?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let is_word = digits > 0 && rest[digits..].starts_with(after);
    is_word.then(|| &text[..before.len() + digits + after.len()])
}

fn type_width(word: &str) -> Option<u32> {
    ptx_type(word).map(|(bits, _)| bits)
}

fn show(name: &Name) -> String {
    match name {
        Name::Operand(index) => format!("`${index}`"),
        Name::Local(name) => format!("`{name}`"),
    }
}

/// Checks that an operand is of the kind `letter` (see [`Form::operands`]). Returns `None` if the operand fits,
/// otherwise a description of the mismatch.
fn operand(
    letter: char,
    arg: &PtxOperand,
    said: &ParsedForm,
    width: &impl Fn(&Name) -> Option<u32>,
) -> Option<String> {
    let bits = said.type_bits;
    let register = |name: &Name, expected: u32, wider: bool| {
        let Some(found) = width(name) else {
            return Some(format!("register {} is not declared", show(name)));
        };
        // There are no 8-bit registers.
        let least = if wider { expected.max(16) } else { expected };
        let fits = if wider {
            found >= least
        } else {
            found == least
        };
        (!fits).then(|| {
            let or_more = if wider { " or more" } else { "" };
            format!(
                "{} is a register of {found} bits, expected {least}{or_more}",
                show(name)
            )
        })
    };
    let sink = |name: &Name| matches!(name, Name::Local(name) if name == "_");
    match (letter, arg) {
        ('V', PtxOperand::Name(name)) if sink(name) => None,
        ('d' | 's', PtxOperand::Name(name)) => register(name, bits, false),
        ('D', PtxOperand::Name(name)) => register(name, said.result_bits, true),
        ('S', PtxOperand::Name(name)) => register(name, bits, true),
        ('h', PtxOperand::Name(name)) => register(name, 16, false),
        ('w' | 'W', PtxOperand::Name(name)) => register(name, 32, false),
        ('p' | 'P', PtxOperand::Name(name)) => register(name, 1, false),
        ('s' | 'S' | 'w' | 'n', PtxOperand::Immediate(_)) => None,
        ('n', PtxOperand::Name(Name::Local(text))) if text.parse::<f64>().is_ok() => None,
        ('q' | 'x', PtxOperand::Name(name)) => register(name, 64, false),
        ('t', PtxOperand::Tensor(base, parts)) => operand('a', base, said, width).or_else(|| {
            let mut parts = parts.iter();
            parts.find_map(|part| operand('w', part, said, width))
        }),
        ('k', PtxOperand::Name(name)) if sink(name) => None,
        ('k', _) => Some("the result operand is not `_`, expected `_`".to_owned()),
        ('b', PtxOperand::Immediate(_)) => None,
        ('b', PtxOperand::Name(name)) => register(name, 1, false),
        ('c' | 'm' | 'x', PtxOperand::Vector(parts)) => parts.iter().find_map(|part| match part {
            PtxOperand::Name(name) => register(name, if letter == 'c' { 16 } else { 32 }, false),
            _ => Some("a vector element is not a register".to_owned()),
        }),
        ('d' | 's', PtxOperand::Vector(parts)) => {
            let count = parts.len() as u32;
            if !matches!(count, 2 | 4) || bits / count < 16 {
                return Some(format!(
                    "a vector of {count} registers for a {bits}-bit type, expected 2 or 4 of at least 16 bits"
                ));
            }
            parts.iter().find_map(|part| match part {
                PtxOperand::Name(name) if sink(name) && letter == 'd' => None,
                PtxOperand::Name(name) => register(name, bits / count, false),
                _ => Some("a vector element is not a register".to_owned()),
            })
        }
        ('V' | 'v', PtxOperand::Vector(parts)) => {
            if parts.len() != said.count {
                return Some(format!(
                    "a vector of {} registers, expected {}",
                    parts.len(),
                    said.count
                ));
            }
            parts.iter().find_map(|part| match part {
                PtxOperand::Name(name) if sink(name) && letter == 'V' => None,
                PtxOperand::Name(name) => register(name, bits, true),
                PtxOperand::Immediate(_) if letter == 'v' => None,
                _ => Some("a vector element is not a register".to_owned()),
            })
        }
        ('V' | 'v', other) if said.count == 1 => match (letter, other) {
            (_, PtxOperand::Name(name)) => register(name, bits, true),
            ('v', PtxOperand::Immediate(_)) => None,
            _ => Some("an operand is not a register".to_owned()),
        },
        ('V' | 'v', _) => Some(format!("one operand, expected a vector of {}", said.count)),
        ('a', PtxOperand::Address(base, _)) => match &**base {
            PtxOperand::Name(name) => match width(name) {
                Some(32 | 64) => None,
                Some(found) => Some(format!(
                    "the address {} has {found} bits, expected 32 or 64",
                    show(name)
                )),
                None => Some(format!("register {} is not declared", show(name))),
            },
            _ => None,
        },
        ('a', _) => Some("an operand is not an address; write `[register + offset]`".to_owned()),
        ('p' | 'P', _) => Some("an operand is not a predicate".to_owned()),
        ('b', _) => Some("an operand is not a predicate or a number".to_owned()),
        ('n', _) => Some("an operand is not a number".to_owned()),
        ('t', _) => Some("an operand is not an address with coordinates".to_owned()),
        ('c' | 'm', _) => Some("an operand is not a list of registers".to_owned()),
        _ => Some("an operand is not a register".to_owned()),
    }
}

/// Returns the width in bits of each register that `text` declares, by register name. Declarations have the form
/// `.reg .b32 a, b<4>;`.
pub(super) fn declared(text: &str) -> HashMap<String, u32> {
    let mut found = HashMap::new();
    for piece in text.split([';', '{', '}']) {
        let Some(rest) = piece.trim().strip_prefix(".reg") else {
            continue;
        };
        let mut words = rest.trim().splitn(2, char::is_whitespace);
        let bits = words
            .next()
            .and_then(|word| type_width(word.trim_start_matches('.')));
        let (Some(bits), Some(names)) = (bits, words.next()) else {
            continue;
        };
        for name in names.split(',').map(str::trim) {
            match name.split_once('<') {
                Some((stem, count)) => {
                    let count: u32 = count.trim_end_matches('>').trim().parse().unwrap_or(0);
                    found.extend((0..count.min(1024)).map(|i| (format!("{stem}{i}"), bits)));
                }
                None => {
                    found.insert(name.to_owned(), bits);
                }
            }
        }
    }
    found
}
