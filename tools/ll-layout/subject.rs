//! Linear layouts named on the command line, and parsing of the texts of layouts.

use crate::Failure;
use crate::any_layout::AnyLayout;
use linear_layout::encoding::{Aliases, Encoding};
use linear_layout::layout::LinearLayout;
use linear_layout::text::{LayoutText, System, TextError, note_for};
use linear_layout::view::shape_text;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;

/// A linear layout, with the encoding from which it was computed, if any.
pub(crate) struct Subject {
    pub(crate) encoding: Option<Encoding>,
    pub(crate) layout: LinearLayout,
}

impl Subject {
    /// Reads a layout and converts it to a linear layout.
    ///
    /// `source` is text, the path of a file, or `-` for standard input. Fails for CuTe and Tilus layouts that are
    /// not linear over GF(2).
    pub(crate) fn read(
        source: &OsStr,
        shape: Option<&str>,
        aliases: Option<&Path>,
    ) -> Result<Self, Failure> {
        AnyLayout::read(source, shape, aliases)?.linear()
    }

    pub(crate) fn title(&self) -> String {
        let shape = shape_text(&self.shape());
        match &self.encoding {
            Some(encoding) => format!("{encoding} on {shape}"),
            None => format!("a layout of {shape}"),
        }
    }

    pub(crate) fn shape(&self) -> Vec<u64> {
        self.layout.out_shape().map(|(_, size)| size).collect()
    }
}

/// Returns `source` if it is itself the text of a layout. Otherwise, returns the contents of the file with this
/// path, or standard input if `source` is `-`. Fails if these contain no layout.
pub(crate) fn read_text(source: &OsStr) -> Result<String, Failure> {
    if let Some(text) = source.to_str().filter(|text| System::of(text).is_some()) {
        return Ok(text.to_owned());
    }
    let read = read_file(source)?;
    if System::of(&read).is_some() {
        return Ok(read);
    }
    let source = source.display();
    Err(Failure::new(format!(
        "`{source}` contains neither an encoding nor a layout"
    ))
    .note(note_for(&read)))
}

/// Parses a layout. `aliases` is the path of a file with `#name = ...` lines.
pub(crate) fn parse_text(text: &str, aliases: Option<&Path>) -> Result<LayoutText, Failure> {
    let aliases = match aliases {
        Some(file) => read_aliases(file)?,
        None => Aliases::new(),
    };
    let text = text.trim();
    LayoutText::parse(text, &aliases).map_err(|error| text_failure(&error, text))
}

pub(crate) fn text_failure(error: &TextError, text: &str) -> Failure {
    let failure = Failure::new(error);
    let failure = match error.offset() {
        Some(at) => failure.at(text, at),
        None => failure,
    };
    match error.note() {
        Some(note) => failure.note(note),
        None => failure,
    }
}

fn read_file(path: &OsStr) -> Result<String, Failure> {
    let source = path.display();
    let mut text = String::new();
    let read = if path == "-" {
        io::stdin().read_to_string(&mut text).map(drop)
    } else {
        std::fs::read_to_string(path).map(|read| text = read)
    };
    match read {
        Ok(()) => Ok(text),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Err(Failure::new(format!(
            "`{source}` is neither a layout nor an existing file"
        ))
        .note(
            note_for(&source.to_string())
                + "; a file with a layout and `-` (standard input) also work",
        )),
        Err(e) => Err(Failure::new(format!("cannot read `{source}`: {e}"))),
    }
}

fn read_aliases(file: &Path) -> Result<Aliases, Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|e| Failure::new(format!("cannot read `{}`: {e}", file.display())))?;
    Aliases::of_module(&text).map_err(|e| Failure::new(format!("`{}`: {e}", file.display())))
}

/// Parses a shape. The forms `64x16`, `64,16` and `[64, 16]` are accepted. `[]` is the shape of rank 0.
pub(crate) fn parse_shape(text: &str) -> Result<Vec<u64>, Failure> {
    let inner = text.trim();
    let inner = inner
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(inner)
        .trim();
    if inner.is_empty() {
        return Ok(Vec::new());
    }
    let mut at = inner.as_ptr() as usize - text.as_ptr() as usize;
    let mut shape = Vec::new();
    for size in inner.split(['x', ',']) {
        let wrong = |what: &str| {
            Failure::new(format!("invalid shape `{text}`: {what}"))
                .at(text, at)
                .note("write a shape as `64x16`; `[]` is the shape of a single element")
        };
        match size.trim().parse() {
            Ok(0) => {
                return Err(wrong("found size 0, expected at least 1"));
            }
            Ok(size) => shape.push(size),
            Err(_) => {
                return Err(wrong(&format!(
                    "`{size}` is not a number from 1 to 2^64 - 1"
                )));
            }
        }
        at += size.len() + 1;
    }
    Ok(shape)
}
