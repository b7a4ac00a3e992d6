//! The two layouts of one tensor that `convert` and `compare` take as arguments.

use crate::Failure;
use crate::any_layout::AnyLayout;
use crate::subject::{Subject, parse_shape, parse_text, read_text};
use linear_layout::text::LayoutText;
use linear_layout::view::shape_text;
use std::ffi::OsStr;
use std::path::PathBuf;

/// Arguments shared by the commands that take two layouts.
#[derive(Debug, clap::Args)]
pub(crate) struct PairArguments {
    /// Shape of the tensor, such as 64x16; not needed if the text of one layout contains the shape, as a type does
    shape: Option<String>,

    /// File, such as a kernel in TTGIR, whose `#name = ...` lines the encodings may use
    #[arg(long, value_name = "FILE")]
    aliases: Option<PathBuf>,
}

impl PairArguments {
    /// Reads two layouts. Also returns the element width in bits if one of the texts contains it.
    ///
    /// `names` are the names of the two arguments in error messages.
    pub(crate) fn read(
        &self,
        sources: [&OsStr; 2],
        names: [&str; 2],
    ) -> Result<([AnyLayout; 2], Option<u32>), Failure> {
        if sources.iter().all(|source| *source == "-") {
            let [first, second] = names;
            return Err(Failure::new(format!(
                "{first} and {second} are both standard input, which can be read only once"
            ))
            .note(format!("give {first} or {second} as text or as a file")));
        }
        let parse = |i: usize| {
            let text = read_text(sources[i])?;
            parse_text(&text, self.aliases.as_deref())
        };
        let parse = |i| parse(i).map_err(|failure: Failure| failure.within(names[i]));
        let [first, second] = [parse(0)?, parse(1)?];
        let bits = first.element_bits.or(second.element_bits);
        let given = self.shape.as_deref().map(parse_shape).transpose()?;
        // An encoding takes the shape of the other layout if no shape is given.
        let shape = |own: &LayoutText, other: &LayoutText| match &given {
            None if own.needs_shape() => other.own_shape(),
            given => given.clone(),
        };
        let shapes = [shape(&first, &second), shape(&second, &first)];
        let layout = |text, i: usize| {
            AnyLayout::on_shape(text, shapes[i].as_deref())
                .map_err(|failure| failure.within(names[i]))
        };
        Ok(([layout(first, 0)?, layout(second, 1)?], bits))
    }
}

pub(crate) fn tensor_text(subject: &Subject) -> String {
    match subject.shape().as_slice() {
        [] => "a single element".to_owned(),
        shape => format!("a tensor of {}", shape_text(shape)),
    }
}

/// Formats a number with its noun: `1 register`, `2 registers`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
