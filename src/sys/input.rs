//! What a tool reads before MLIR does: whether MLIR can read it at all.
//!
//! MLIR's parser and its verifier call themselves for what stands inside, so deep nesting ends them by
//! a full stack; its reader of bytecode trusts lengths and indices. A tool asks [`refuse_input`] first.

use super::bridge::ffi;
use melior::Context;
use melior::ir::Module;
use std::fmt;
use std::io::{self, Read};

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

/// The most bytes of an input.
const MOST_INPUT_BYTES: u64 = 1 << 30;

/// The bytes of a file, or of standard input for `-`.
///
/// # Errors
/// The file cannot be read, or is larger than 1 GiB, as one is that never ends.
pub fn read_input(path: &str) -> io::Result<Vec<u8>> {
    let limit = MOST_INPUT_BYTES;
    let mut bytes = Vec::new();
    if path == "-" {
        io::stdin().take(limit + 1).read_to_end(&mut bytes)?;
    } else {
        std::fs::File::open(path)?
            .take(limit + 1)
            .read_to_end(&mut bytes)?;
    }
    if bytes.len() as u64 > limit {
        let text = format!("it has more than {limit} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
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

/// Why MLIR cannot read an input, ready to print; nothing where it can be tried.
///
/// Bytecode is tried in a child process, so no other thread may run yet.
///
/// # Panics
/// [`crate::install`] has not been called.
///
/// ```
/// linear_layout::install();
/// let deep = "[".repeat(2000);
/// let reason = linear_layout::sys::refuse_input("a.mlir", deep.as_bytes());
/// assert!(reason.unwrap().starts_with("a.mlir:1:1025: error: brackets are nested more than 1024 deep"));
/// assert_eq!(linear_layout::sys::refuse_input("a.mlir", b"module {}"), None);
/// ```
#[must_use]
pub fn refuse_input(name: &str, input: &[u8]) -> Option<String> {
    if !input.starts_with(BYTECODE) {
        let deep = too_deep(input)?;
        let before = &input[..deep.at];
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        let start = before.iter().rposition(|b| *b == b'\n');
        let column = deep.at - start.map_or(0, |n| n + 1) + 1;
        return Some(format!("{name}:{line}:{column}: error: {deep}"));
    }
    // The child's panic would look like damage.
    super::callbacks::semantics();
    match ffi::try_bytecode(input, MAX_NESTING) {
        0 => None,
        -1 => Some(format!(
            "{name}: error: operations are nested more than {MAX_NESTING} deep, which is the limit"
        )),
        signal => Some(format!(
            "{name}: error: the bytecode is damaged: MLIR's reader of bytecode ends by signal \
             {signal} on it\nnote: write the file again with `--emit-bytecode`, or use text"
        )),
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

/// The arguments of the process.
///
/// # Errors
/// One is not UTF-8, which the tools take for granted.
pub fn arguments() -> Result<Vec<String>, String> {
    std::env::args_os()
        .map(|argument| {
            argument
                .into_string()
                .map_err(|bad| format!("the argument `{}` is not UTF-8", bad.to_string_lossy()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{MAX_NESTING, refuse_input, too_deep};

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
        let found = refuse_input("a", nested("{\n", "}", 2000).as_bytes());
        let place = format!("a:{}:1: error: ", MAX_NESTING + 1);
        assert!(found.is_some_and(|text| text.starts_with(&place)));
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
