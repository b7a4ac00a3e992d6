//! What a tool reads before MLIR does: whether MLIR can read it at all.
//!
//! MLIR's parser and its verifier call themselves for what stands inside, so deep nesting ends them by
//! a full stack; its reader of bytecode trusts lengths and indices. A tool asks [`checked_input`] first.

use super::bridge::ffi::{self, BytecodeOutcome};
use melior::Context;
use melior::ir::Module;
use std::fmt;
use std::io::{self, Read};
use std::path::Path;

/// How deep brackets, and with them regions, types and attributes, may be nested in each other.
///
/// MLIR takes up to 4 KiB of stack for each, of the 8 MiB that a thread has.
pub const MAX_NESTING: u32 = 1024;

/// A bracket that stands deeper than [`MAX_NESTING`] others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooDeep {
    /// The byte of the text at which it is.
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

/// How a file in bytecode begins.
const BYTECODE: &[u8] = b"ML\xefR";

/// The most bytes that are read of a file: one without an end, such as `/dev/zero`, is an error.
const MAX_BYTES: u64 = 1 << 30;

/// The bytes of a file, or of standard input for `-`.
///
/// # Errors
/// The file cannot be read, or is longer than 1 GiB.
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

/// Parses a module, text or bytecode, that calls its file `-`. What is wrong with it goes to the
/// context's diagnostic handler.
#[must_use]
pub fn parse_input<'c>(context: &'c Context, input: &[u8]) -> Option<Module<'c>> {
    // The lexer looks at the byte behind the text.
    let mut ended = input.to_vec();
    ended.push(0);
    let text = mlir_sys::MlirStringRef {
        data: ended.as_ptr().cast(),
        length: input.len(),
    };
    // SAFETY: the context is alive; the module that MLIR makes is owned by nobody else.
    unsafe {
        let raw = mlir_sys::mlirModuleCreateParse(context.to_raw(), text);
        (!raw.ptr.is_null()).then(|| Module::from_raw(raw))
    }
}

/// Returns the bytes that MLIR can be given for an input: text as it is, bytecode written again.
///
/// A child process reads bytecode, verifies it, and writes it again, so that a damaged file cannot corrupt this
/// process; no other thread may run yet. Text costs one scan for its brackets.
///
/// # Errors
/// Why MLIR cannot read the input, ready to print.
///
/// # Panics
/// [`crate::install`] has not been called.
///
/// ```
/// linear_layout::install();
/// let deep = "[".repeat(2000).into_bytes();
/// let reason = linear_layout::sys::checked_input("a.mlir", deep).unwrap_err();
/// assert!(reason.starts_with("a.mlir:1:1025: error: brackets are nested more than 1024 deep"));
/// let text = b"module {}".to_vec();
/// assert_eq!(linear_layout::sys::checked_input("a.mlir", text.clone()), Ok(text));
/// ```
pub fn checked_input(name: &str, input: Vec<u8>) -> Result<Vec<u8>, String> {
    if !input.starts_with(BYTECODE) {
        let Some(deep) = too_deep(&input) else {
            return Ok(input);
        };
        let before = &input[..deep.at];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let start = before.iter().rposition(|b| *b == b'\n');
        let column = deep.at - start.map_or(0, |n| n + 1) + 1;
        return Err(format!("{name}:{line}:{column}: error: {deep}"));
    }
    // The child's panic would look like damage.
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
            "{name}: error: the bytecode is damaged: MLIR's reader of bytecode ends by signal \
             {} on it\nnote: write the file again with `--emit-bytecode`, or use text",
            tried.signal
        )),
    }
}

/// Reads a file, or standard input for `-`, and checks it by [`checked_input`].
///
/// # Errors
/// Why it cannot be read, ready to print.
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

/// The name of an input in messages.
#[must_use]
pub fn input_name(path: &Path) -> String {
    if path.as_os_str() == "-" {
        "<stdin>".to_owned()
    } else {
        path.display().to_string()
    }
}

/// Returns the first bracket of a text that is nested too deep for MLIR's parser.
///
/// Strings and comments have no brackets, and the arrow of a function's type is none.
///
/// ```
/// use linear_layout::sys::too_deep;
/// assert_eq!(too_deep("[".repeat(2000).as_bytes()).unwrap().at, 1024);
/// assert_eq!(too_deep("[]".repeat(2000).as_bytes()), None);
/// ```
#[must_use]
pub fn too_deep(text: &[u8]) -> Option<TooDeep> {
    // Angle brackets are counted apart, since `>=` closes nothing.
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

/// The bytes of a string behind its opening quote, the closing one included; of what is not closed
/// none, since a string ends in its line.
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

#[cfg(test)]
mod tests {
    use super::{MAX_NESTING, checked_input, too_deep};

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
        // A quote that nothing closes hides no brackets.
        let text = format!("\"\n{}", "{".repeat(2000));
        assert!(too_deep(text.as_bytes()).is_some());
    }
}
