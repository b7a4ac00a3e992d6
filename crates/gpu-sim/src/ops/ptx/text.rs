//! Parser of inline assembly text into statements.

use crate::float::FloatTy;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Name {
    /// An operand of the inline assembly operation, such as `$2`.
    Operand(usize),
    /// A declared or predefined register, such as `%r1` or `p`.
    Local(String),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum PtxOperand {
    Name(Name),
    Immediate(u64),
    Vector(Vec<PtxOperand>),
    Address(Box<PtxOperand>, i64),
    /// An address with coordinates, such as `[map, {x, y}]`.
    Tensor(Box<PtxOperand>, Vec<PtxOperand>),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Statement {
    pub(super) guard: Option<(Name, bool)>,
    /// The opcode, split at dots: `ld.shared.b32` is `["ld", "shared", "b32"]`.
    pub(super) opcode: Vec<String>,
    pub(super) args: Vec<PtxOperand>,
    /// True if the statement is in a loop that repeats the statement until its first operand is true.
    pub(super) repeats: bool,
}

/// Splits `wait: mbarrier...` into (label, statement).
fn label(text: &str) -> Option<(&str, &str)> {
    let (label, rest) = text.split_once(':')?;
    let is_name = |c: char| c.is_alphanumeric() || "_$%".contains(c);
    let is_label = !label.is_empty() && label.chars().all(is_name) && !rest.starts_with(':');
    is_label.then_some((label, rest.trim_start()))
}

/// Returns the guard and the target label of a guarded branch; `None` for other statements.
fn branch(statement: &Statement) -> Option<(&(Name, bool), &str)> {
    let guard = statement.guard.as_ref()?;
    match (&*statement.opcode, &*statement.args) {
        ([bra, ..], [PtxOperand::Name(Name::Local(label))]) if bra == "bra" => Some((guard, label)),
        _ => None,
    }
}

pub(super) fn parse(text: &str) -> Result<Vec<Statement>, String> {
    let mut statements = Vec::new();
    // Scope braces are between statements; vector braces are within a statement.
    let cleaned: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .collect::<Vec<_>>()
        .join(" ");
    // The label of the last statement, and a pending branch over statements up to a label.
    let (mut last, mut skip) = (None, None::<((Name, bool), String)>);
    for piece in cleaned.split(';') {
        let mut piece = piece.trim();
        let mut own = None;
        loop {
            if let Some(rest) = piece.strip_prefix('{').or_else(|| piece.strip_prefix('}')) {
                piece = rest.trim_start();
            } else if let Some((label, rest)) = label(piece) {
                skip = skip.filter(|(_, end)| end != label);
                (own, piece) = (Some(label), rest);
            } else {
                break;
            }
        }
        // The closing brace of a scope leaves an empty part.
        if piece.is_empty() || piece.starts_with(".reg") {
            continue;
        }
        let mut statement = parse_statement(piece)?;
        if let Some((guard, label)) = branch(&statement) {
            let repeated = statements.last_mut().filter(|_| last == Some(label));
            let is_until = |old: &&mut Statement| {
                guard.1 && old.args.first() == Some(&PtxOperand::Name(guard.0.clone()))
            };
            match repeated.filter(is_until) {
                Some(old) => {
                    old.repeats = true;
                    last = None;
                }
                None if last.is_none() && skip.is_none() => {
                    skip = Some((guard.clone(), label.to_owned()));
                }
                None => return Err(format!("`{piece}`")),
            }
            continue;
        }
        if let Some(((name, negated), _)) = &skip {
            if statement.guard.is_some() {
                return Err(format!("the guarded statement `{piece}` after a branch"));
            }
            statement.guard = Some((name.clone(), !negated));
        }
        last = own;
        statements.push(statement);
    }
    match skip {
        None => Ok(statements),
        Some((_, label)) => Err(format!(
            "a branch to the label `{label}`, which does not follow,"
        )),
    }
}

pub(super) fn parse_statement(text: &str) -> Result<Statement, String> {
    let mut rest = text;
    let mut guard = None;
    if let Some(after) = rest.strip_prefix('@') {
        let negated = after.starts_with('!');
        let after = after.trim_start_matches('!');
        let end = after
            .find(char::is_whitespace)
            .ok_or_else(|| format!("`{text}`, which has no opcode,"))?;
        let PtxOperand::Name(name) = parse_arg(&after[..end])? else {
            return Err(format!("`{text}`, whose guard is not a register,"));
        };
        guard = Some((name, negated));
        rest = after[end..].trim_start();
    }
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let opcode: Vec<String> = rest[..end].split('.').map(str::to_owned).collect();
    let args = split_args(rest[end..].trim())
        .into_iter()
        .map(|arg| operand(arg, opcode.last()))
        .collect::<Result<_, _>>()?;
    Ok(Statement {
        guard,
        opcode,
        args,
        repeats: false,
    })
}

/// Splits a list of operands at commas outside of brackets, and at `|`, which separates the two results of a
/// shuffle.
pub(super) fn split_args(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' | '|' if depth == 0 => {
                pieces.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        pieces.push(text[start..].trim());
    }
    pieces
}

/// Parses an operand of an instruction with the type `type_`. A decimal constant of type f32 or f64 must contain a
/// point or an exponent: `15.`, `-0.5`, `1e-3`.
fn operand(text: &str, type_: Option<&String>) -> Result<PtxOperand, String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_decimal = digits.starts_with(|c: char| c.is_ascii_digit())
        && !["0x", "0X", "0f", "0F", "0d", "0D"].contains(&digits.get(..2).unwrap_or(""));
    let of_float = |bits: fn(f64) -> u64| match text.parse() {
        Ok(value) if digits.contains(['.', 'e', 'E']) => Ok(PtxOperand::Immediate(bits(value))),
        _ => Err(format!(
            "operand `{text}` (expected a floating-point constant such as `1.0`)"
        )),
    };
    match type_.map(String::as_str) {
        Some("f32") if is_decimal => of_float(|value| (value as f32).to_bits().into()),
        Some("f64") if is_decimal => of_float(f64::to_bits),
        _ => parse_arg(text),
    }
}

pub(super) fn parse_number(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    };
    let digits = digits.strip_suffix('U').unwrap_or(digits);
    let value = if let Some(hex) = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        i128::from_str_radix(hex, 16).ok()?
    } else if let Some(hex) = digits
        .strip_prefix("0f")
        .or_else(|| digits.strip_prefix("0d"))
    {
        i128::from_str_radix(hex, 16).ok()?
    } else {
        digits.parse().ok()?
    };
    Some(if negative { -value } else { value })
}

pub(super) fn parse_arg(text: &str) -> Result<PtxOperand, String> {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
        return Ok(PtxOperand::Vector(
            split_args(inner)
                .into_iter()
                .map(parse_arg)
                .collect::<Result<_, _>>()?,
        ));
    }
    if let Some(inner) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        if let [base, coordinates] = split_args(inner)[..]
            && let PtxOperand::Vector(coordinates) = parse_arg(coordinates)?
        {
            let base = Box::new(parse_arg(&format!("[{base}]"))?);
            return Ok(PtxOperand::Tensor(base, coordinates));
        }
        let (base, offset) = match inner.split_once('+') {
            Some((base, offset)) => {
                let offset =
                    parse_number(offset.trim()).ok_or_else(|| format!("offset `{offset}`"))?;
                (base, offset as i64)
            }
            None => (inner, 0),
        };
        return Ok(PtxOperand::Address(Box::new(parse_arg(base)?), offset));
    }
    if let Some(rest) = text.strip_prefix('$') {
        let digits = rest.trim_start_matches('{').trim_end_matches('}');
        let digits = digits.split(':').next().unwrap_or("");
        let index = digits.parse().map_err(|_| format!("operand `{text}`"))?;
        return Ok(PtxOperand::Name(Name::Operand(index)));
    }
    if let Some(value) = parse_number(text) {
        return Ok(PtxOperand::Immediate(value as u64));
    }
    let is_name = |c: char| c.is_alphanumeric() || "_%.$".contains(c);
    if !text.is_empty() && text.chars().all(is_name) {
        return Ok(PtxOperand::Name(Name::Local(text.to_owned())));
    }
    Err(format!("operand `{text}`"))
}

/// Returns (width in bits, is signed) of a PTX type: `u32` is (32, false).
pub(super) fn ptx_type(word: &str) -> Option<(u32, bool)> {
    match word {
        "pred" => return Some((1, false)),
        "bf16" | "e4m3x2" | "e5m2x2" => return Some((16, false)),
        "f16x2" | "bf16x2" => return Some((32, false)),
        _ => {}
    }
    let (kind, bits) = word.split_at_checked(1)?;
    let bits = match bits {
        "8" => 8,
        "16" => 16,
        "32" => 32,
        "64" => 64,
        "128" => 128,
        _ => return None,
    };
    match kind {
        "b" | "u" | "f" => Some((bits, false)),
        "s" => Some((bits, true)),
        _ => None,
    }
}

pub(super) fn float_type(word: &str) -> Option<FloatTy> {
    FloatTy::parse(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_cut_and_read() {
        let text =
            "mov.u32 $0, 0x0;\n\t@!$3 ld.global.L1::evict_last.v2.b32 { $0, $1 }, [ $2 + 16 ];";
        let statements = parse(text).unwrap();
        assert_eq!(statements.len(), 2);
        assert_eq!(statements[0].args[1], PtxOperand::Immediate(0));
        assert_eq!(statements[1].guard, Some((Name::Operand(3), true)));
        assert_eq!(statements[1].opcode[3], "v2");
        let base = Box::new(PtxOperand::Name(Name::Operand(2)));
        assert_eq!(statements[1].args[1], PtxOperand::Address(base, 16));
        let scoped = "{ .reg .pred p; setp.ne.b32 p, $1, 0; @p st.shared.b8 [$0], $2; }";
        assert_eq!(parse(scoped).unwrap().len(), 2);
        assert_eq!(parse("ld.b32 $0, [a*b];").unwrap_err(), "operand `a*b`");
    }
}
