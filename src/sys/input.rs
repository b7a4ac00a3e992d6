//! Validation of input before MLIR reads it.
//!
//! MLIR's parser and verifier are recursive, so deep nesting overflows the stack. MLIR's bytecode reader trusts lengths
//! and indices. Tools call [`checked_input`] first.

use super::bridge::ffi::{self, BytecodeOutcome};
use melior::Context;
use melior::ir::Module;
use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

/// Maximum nesting depth of brackets. The limit also bounds the nesting of regions, types and attributes.
///
/// MLIR needs up to 4 KiB of stack per level; a thread has 8 MiB.
pub const MAX_NESTING: u32 = 1024;

/// A bracket that is nested deeper than [`MAX_NESTING`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooDeep {
    /// Byte offset of the bracket.
    pub at: usize,
}

impl fmt::Display for TooDeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "brackets are nested more than {MAX_NESTING} deep, which is the limit"
        )
    }
}

const BYTECODE: &[u8] = b"ML\xefR";

/// Maximum input size in bytes. The limit ends the reading of endless files such as `/dev/zero`.
const MAX_BYTES: u64 = 1 << 30;

/// Reads a file. If the path is `-`, reads standard input.
///
/// # Errors
/// Fails if the file is unreadable or larger than 1 GiB.
pub fn read_input(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        io::stdin().take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    } else {
        let file = std::fs::File::open(path)?;
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(
            "the file is longer than 1 GiB, which is the limit",
        ));
    }
    Ok(bytes)
}

/// Parses a textual or bytecode module. Locations name the file `-`. Errors go to the context's diagnostic handler.
#[must_use]
pub fn parse_input<'c>(context: &'c Context, input: &[u8]) -> Option<Module<'c>> {
    // The lexer reads the byte behind the text.
    let mut ended = input.to_vec();
    ended.push(0);
    let text = mlir_sys::MlirStringRef {
        data: ended.as_ptr().cast(),
        length: input.len(),
    };
    // SAFETY: the context is alive; the new module has no other owner.
    unsafe {
        let raw = mlir_sys::mlirModuleCreateParse(context.to_raw(), text);
        (!raw.ptr.is_null()).then(|| Module::from_raw(raw))
    }
}

/// Checks an input and returns it in a form that MLIR can read. `name` names the input in error messages.
///
/// A text is rejected if its brackets are nested too deep. In other texts, spellings of later MLIR versions are
/// replaced. Bytecode is read and written again by a child process, so a damaged file cannot corrupt this process.
/// No other thread may run during the call.
///
/// # Errors
/// Returns a printable reason.
///
/// # Panics
/// Panics if [`crate::install`] has not been called.
///
/// ```
/// linear_layout_mlir::install();
/// let deep = "[".repeat(2000).into_bytes();
/// let reason = linear_layout_mlir::sys::checked_input("a.mlir", deep).unwrap_err();
/// assert!(reason.starts_with("a.mlir:1:1025: error: brackets are nested more than 1024 deep"));
/// let text = b"module {}".to_vec();
/// assert_eq!(linear_layout_mlir::sys::checked_input("a.mlir", text.clone()), Ok(text));
/// ```
pub fn checked_input(name: &str, input: Vec<u8>) -> Result<Vec<u8>, String> {
    if !input.starts_with(BYTECODE) {
        let Some(deep) = too_deep(&input) else {
            return Ok(numbered_masks(&input).unwrap_or(input));
        };
        let before = &input[..deep.at];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let start = before.iter().rposition(|b| *b == b'\n');
        let column = deep.at - start.map_or(0, |n| n + 1) + 1;
        return Err(format!("{name}:{line}:{column}: error: {deep}"));
    }
    // Otherwise the child would panic, which looks like a crash.
    super::callbacks::semantics();
    let tried = ffi::try_bytecode(&input, name, MAX_NESTING);
    match tried.outcome {
        BytecodeOutcome::Written => Ok(tried.bytes),
        BytecodeOutcome::Untried => Ok(input),
        BytecodeOutcome::Refused => {
            Err(String::from_utf8_lossy(&tried.bytes).trim_end().to_owned())
        }
        BytecodeOutcome::TooDeep => Err(format!(
            "{name}: error: operations are nested more than {MAX_NESTING} deep, which is the limit"
        )),
        _ => Err(format!(
            "{name}: error: the bytecode is damaged: MLIR's bytecode reader crashed \
             with signal {}\nnote: write the file again with `--emit-bytecode`, or use text",
            tried.signal
        )),
    }
}

/// Reads a file, or standard input if the path is `-`, and validates the input by [`checked_input`].
///
/// # Errors
/// Returns a printable error.
pub fn read_checked_input(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = read_input(path).map_err(|error| {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "No such file or directory".to_owned(),
            io::ErrorKind::IsADirectory => "Is a directory".to_owned(),
            io::ErrorKind::PermissionDenied => "Permission denied".to_owned(),
            _ => error.to_string(),
        };
        format!("cannot open input file '{}': {reason}", path.display())
    })?;
    checked_input(&input_name(path), bytes)
}

/// Returns the name by which messages refer to an input. Standard input is `<stdin>`.
#[must_use]
pub fn input_name(path: &Path) -> String {
    if path.as_os_str() == "-" {
        "<stdin>".to_owned()
    } else {
        path.display().to_string()
    }
}

/// Returns the first bracket that is nested too deep for MLIR's parser. Brackets in strings and comments and the
/// arrow `->` are ignored.
///
/// ```
/// use linear_layout_mlir::sys::too_deep;
/// assert_eq!(too_deep("[".repeat(2000).as_bytes()).unwrap().at, 1024);
/// assert_eq!(too_deep("[]".repeat(2000).as_bytes()), None);
/// ```
#[must_use]
pub fn too_deep(text: &[u8]) -> Option<TooDeep> {
    // Angle brackets are counted separately: `>=` closes none.
    let (mut depth, mut angles) = (0u32, 0u32);
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let rest = &text[at + 1..];
        match byte {
            b'"' => at += string_length(rest),
            b'/' if rest.first() == Some(&b'/') => {
                at += rest.iter().take_while(|b| **b != b'\n').count();
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'<' => angles += 1,
            b'>' if at == 0 || text[at - 1] != b'-' => angles = angles.saturating_sub(1),
            _ => {}
        }
        if depth + angles > MAX_NESTING {
            return Some(TooDeep { at });
        }
        at += 1;
    }
    None
}

/// Returns the length of a string literal, whose opening quote precedes `rest`. The length includes the closing
/// quote; it is 0 if the literal is not closed on its line.
fn string_length(rest: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&byte) = rest.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\n' => return 0,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    0
}

/// ROCDL operations with named masks in later MLIR versions.
const MASKED: [&[u8]; 2] = [b"rocdl.sched.barrier", b"rocdl.sched.group.barrier"];

const MASK_ATTRIBUTES: [(&[u8], u8); 2] = [
    (b"#rocdl<sched_group_mask ", b'>'),
    (b"#rocdl.sched_group_mask<", b'>'),
];

/// Instruction groups of `ROCDL::SchedGroupMask` since LLVM 23.
const GROUPS: [(&str, u32); 13] = [
    ("none", 0),
    ("non_mem_non_sideeffect", 0x1),
    ("valu", 0x2),
    ("salu", 0x4),
    ("mfma_wmma", 0x8),
    ("all_vmem", 0x10),
    ("vmem_read", 0x20),
    ("vmem_write", 0x40),
    ("all_ds", 0x80),
    ("ds_read", 0x100),
    ("ds_write", 0x200),
    ("transcendental", 0x400),
    ("ldsdma", 0x800),
];

/// Replaces the named masks of later MLIR versions by numbers, which MLIR 22 can read. Returns `None` if the text
/// has no named masks.
///
/// The text is changed because MLIR's parser of these operations cannot be replaced. Padding keeps the line and
/// column of every other token. Strings and comments are unchanged.
///
/// ```text
/// rocdl.sched.barrier valu|salu
/// rocdl.sched.barrier 6
/// ```
fn numbered_masks(text: &[u8]) -> Option<Vec<u8>> {
    if text.starts_with(BYTECODE) {
        return None;
    }
    let mut changed: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let rest = &text[at + 1..];
        match byte {
            b'"' => at += 1 + string_length(rest),
            b'/' if rest.first() == Some(&b'/') => {
                at += rest.iter().take_while(|b| **b != b'\n').count() + 1;
            }
            _ => {
                let found = if is_word(byte) {
                    mask_of_operation(text, at)
                } else {
                    mask_of_attribute(text, at)
                };
                if let Some((span, number)) = &found {
                    let width = span.len();
                    let padded = format!("{number:<width$}");
                    let changed = changed.get_or_insert_with(|| text.to_vec());
                    changed[span.clone()].copy_from_slice(padded.as_bytes());
                }
                let word = text[at..].iter().take_while(|b| is_word(**b)).count();
                at = found.map_or(at + word.max(1), |(span, _)| span.end);
            }
        }
    }
    changed
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'%' | b'@' | b'^' | b'!')
}

/// If a [`MASKED`] operation with a named mask begins at byte `at` of `text`, returns the byte range of the mask
/// and its numeric value as text.
fn mask_of_operation(text: &[u8], at: usize) -> Option<(Range<usize>, String)> {
    let word = text[at..].iter().take_while(|b| is_word(**b)).count();
    if !MASKED.contains(&&text[at..at + word]) {
        return None;
    }
    let start = at + word + blanks(&text[at + word..]);
    let (length, number) = groups(&text[start..])?;
    Some((start..start + length, number.to_string()))
}

/// If a mask attribute begins at byte `at` of `text`, returns its byte range and the text of the integer attribute
/// with the same value.
fn mask_of_attribute(text: &[u8], at: usize) -> Option<(Range<usize>, String)> {
    let (open, close) = MASK_ATTRIBUTES
        .iter()
        .find(|(open, _)| text[at..].starts_with(open))?;
    let start = at + open.len();
    let (length, number) = groups(&text[start..])?;
    let end = start + length + blanks(&text[start + length..]);
    (text.get(end) == Some(close)).then(|| (at..end + 1, format!("{number} : i32")))
}

/// Parses a list of instruction groups such as `valu|salu`. Returns the length of the list in bytes, and the mask.
/// `None` if a name is unknown.
fn groups(text: &[u8]) -> Option<(usize, u32)> {
    let (mut at, mut number) = (0, 0);
    loop {
        let is_letter = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'_';
        let length = text[at..].iter().take_while(is_letter).count();
        let name = &text[at..at + length];
        let (_, bit) = GROUPS.iter().find(|(known, _)| known.as_bytes() == name)?;
        number |= bit;
        at += length;
        let next = at + blanks(&text[at..]);
        if text.get(next) != Some(&b'|') {
            return Some((at, number));
        }
        at = next + 1 + blanks(&text[next + 1..]);
    }
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|b| b.is_ascii_whitespace()).count()
}

#[cfg(test)]
mod tests {
    use super::{GROUPS, MAX_NESTING, checked_input, numbered_masks, too_deep};

    fn nested(open: &str, close: &str, times: u32) -> String {
        open.repeat(times as usize) + "x" + &close.repeat(times as usize)
    }

    #[test]
    fn nesting_has_a_limit() {
        for (open, close) in [("{", "}"), ("[\n", "]"), ("<", ">"), ("(", ")")] {
            let limit = MAX_NESTING;
            assert_eq!(too_deep(nested(open, close, limit).as_bytes()), None);
            assert!(too_deep(nested(open, close, limit + 1).as_bytes()).is_some());
        }
        let found = checked_input("a", nested("{\n", "}", 2000).into_bytes());
        let place = format!("a:{}:1: error: ", MAX_NESTING + 1);
        assert!(found.is_err_and(|text| text.starts_with(&place)));
    }

    #[track_caller]
    fn check_masks(text: &str, expected: &str) {
        let found = numbered_masks(text.as_bytes());
        let found = found.map_or_else(
            || text.to_owned(),
            |bytes| String::from_utf8(bytes).unwrap(),
        );
        assert_eq!(found, expected);
        assert_eq!(found.len(), text.len());
    }

    #[test]
    fn masks_by_name_become_numbers_where_they_stand() {
        for (name, number) in GROUPS {
            let width = name.len();
            check_masks(
                &format!("  rocdl.sched.barrier {name} {{a}}\n"),
                &format!("  rocdl.sched.barrier {number:<width$} {{a}}\n"),
            );
        }
        check_masks(
            "rocdl.sched.group.barrier mfma_wmma, 1, 0",
            "rocdl.sched.group.barrier 8        , 1, 0",
        );
        check_masks(
            "<{mask = #rocdl<sched_group_mask ds_read|none>}>",
            "<{mask = 256 : i32                            }>",
        );
        for same in [
            "rocdl.sched.barrier 0",
            "rocdl.sched.barrier nothing",
            "// rocdl.sched.barrier none",
            "\"rocdl.sched.barrier none\"",
            "xrocdl.sched.barrier none",
            "%rocdl.sched.barrier none",
            "rocdl.sched.barrier",
            "rocdl.iglp.opt none",
        ] {
            check_masks(same, same);
        }
    }

    #[test]
    fn what_is_no_bracket_is_not_nested() {
        for text in [
            "\"{\"",
            "\"\\\"{\"",
            "// {{\n",
            "(a) -> b\n",
            "d0 >= 0\n",
            "<->>",
            "{}",
        ] {
            assert_eq!(too_deep(text.repeat(3000).as_bytes()), None, "{text}");
        }
        // An unclosed quote hides no brackets.
        let text = format!("\"\n{}", "{".repeat(2000));
        assert!(too_deep(text.as_bytes()).is_some());
    }
}
