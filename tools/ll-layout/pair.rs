//! Two layouts of one tensor, as `convert` and `compare` take them.

use crate::Failure;
use crate::given::Given;
use crate::subject::{Subject, is_encoding_text, parse_shape, read_text};
use linear_layout::view::shape_text;
use std::ffi::OsStr;
use std::path::PathBuf;

/// What the verbs that take two layouts are given besides them.
#[derive(Debug, clap::Args)]
pub(crate) struct PairArguments {
    /// Shape of the tensor: 64x16; not needed when one of the two says it
    shape: Option<String>,

    /// File, such as a kernel in TTGIR, whose `#name = ...` lines the encodings may use
    #[arg(long, value_name = "FILE")]
    aliases: Option<PathBuf>,
}

impl PairArguments {
    /// Reads both layouts; `names` are what the help calls them, for messages.
    pub(crate) fn read(
        &self,
        sources: [&OsStr; 2],
        names: [&str; 2],
    ) -> Result<[Given; 2], Failure> {
        if sources.iter().all(|source| *source == "-") {
            let [first, second] = names;
            return Err(Failure::new(format!(
                "{first} and {second} are both standard input, which can be read once"
            ))
            .note("give one of them as text or as a file"));
        }
        let mut texts = [String::new(), String::new()];
        for (i, text) in texts.iter_mut().enumerate() {
            *text = read_text(sources[i]).map_err(|failure| failure.within(names[i]))?;
        }
        let given = self.shape.as_deref().map(parse_shape).transpose()?;
        let read = |i: usize, shape: Option<&[u64]>| {
            Given::of_text(&texts[i], shape, self.aliases.as_deref())
                .map_err(|failure| failure.within(names[i]))
        };
        // Others than encodings say their shapes; where none is given, an encoding takes it from there.
        if given.is_none() && is_encoding_text(&texts[0]) && !is_encoding_text(&texts[1]) {
            let second = read(1, None)?;
            return Ok([read(0, second.shape().as_deref())?, second]);
        }
        let first = read(0, given.as_deref())?;
        let shape = match given {
            None if is_encoding_text(&texts[1]) => first.shape(),
            given => given,
        };
        let second = read(1, shape.as_deref())?;
        Ok([first, second])
    }
}

/// The shape of a tensor, in words for a sentence.
pub(crate) fn tensor_text(subject: &Subject) -> String {
    match subject.shape().as_slice() {
        [] => "a single element".to_owned(),
        shape => format!("a tensor of {}", shape_text(shape)),
    }
}

/// `1 register`, `2 registers`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
