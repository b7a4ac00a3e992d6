//! What the command line names: a layout, from an encoding and a shape or from printed text.

use crate::Failure;
use crate::given::Given;
use linear_layout::bridge::System;
use linear_layout::encoding::other::{CompilerLayout, CompilerLayoutError};
use linear_layout::encoding::{Aliases, Encoding};
use linear_layout::layout::LinearLayout;
use linear_layout::view::shape_text;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;

/// A layout and, where it came from one, its encoding.
pub(crate) struct Subject {
    pub(crate) encoding: Option<Encoding>,
    pub(crate) layout: LinearLayout,
}

impl Subject {
    /// Reads `source` (text, a file, or `-`) for a tensor of this shape; a layout of another system must be a linear
    /// one.
    pub(crate) fn read(
        source: &OsStr,
        shape: Option<&str>,
        aliases: Option<&Path>,
    ) -> Result<Self, Failure> {
        Given::read(source, shape, aliases)?.linear()
    }

    /// Reads an encoding for a tensor of this shape, or a printed layout.
    pub(crate) fn of_text(
        text: &str,
        shape: Option<&[u64]>,
        aliases: Option<&Path>,
    ) -> Result<Self, Failure> {
        if CompilerLayout::matches_prefix(text) {
            Self::of_other_compiler(text, shape)
        } else if is_encoding_text(text) {
            Self::of_encoding(text, shape, aliases)
        } else {
            Self::of_layout(text, shape)
        }
    }

    fn of_encoding(
        text: &str,
        shape: Option<&[u64]>,
        aliases: Option<&Path>,
    ) -> Result<Self, Failure> {
        let aliases = match aliases {
            Some(file) => read_aliases(file)?,
            None => Aliases::new(),
        };
        let encoding = Encoding::parse(text.trim(), &aliases).map_err(|e| {
            let failure = Failure::new(&e);
            match e.offset_in(text.trim()) {
                Some(at) => failure.at(text.trim(), at),
                None => failure,
            }
        })?;
        let shape = needed(shape)?;
        let (encoding, layout) = encoding.on_shape(shape).map_err(Failure::new)?;
        Ok(Self {
            encoding: Some(encoding),
            layout,
        })
    }

    /// Reads a layout of `XeGPU`, IREE or Mosaic GPU.
    fn of_other_compiler(text: &str, shape: Option<&[u64]>) -> Result<Self, Failure> {
        let layout: CompilerLayout = text.parse().map_err(|e: CompilerLayoutError| {
            let failure = Failure::new(&e);
            match e.parse_offset() {
                Some(at) => failure.at(text, at),
                None => failure,
            }
        })?;
        let layout = layout.to_linear_layout(needed(shape)?);
        Ok(Self {
            encoding: None,
            layout: layout.map_err(Failure::new)?,
        })
    }

    fn of_layout(text: &str, shape: Option<&[u64]>) -> Result<Self, Failure> {
        let layout: LinearLayout = text.parse().map_err(Failure::new)?;
        let own: Vec<u64> = layout.out_shape().map(|(_, size)| size).collect();
        match shape {
            Some(shape) if shape != own => Err(Failure::new(format!(
                "the printed layout is of shape {}, not {}",
                shape_text(&own),
                shape_text(shape)
            ))
            .note("a printed layout says its shape itself; leave the shape out")),
            _ => Ok(Self {
                encoding: None,
                layout,
            }),
        }
    }

    /// What a picture of it is headed.
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

/// The shape, which an encoding does not say.
fn needed(shape: Option<&[u64]>) -> Result<&[u64], Failure> {
    shape.ok_or_else(|| {
        Failure::new("an encoding needs the shape of its tensor")
            .note("add it after the encoding, as in `64x16`")
    })
}

const FORMS: &str = "give an encoding `#ttg.blocked<{...}>` or `#xegpu.layout<...>`, a layout of CuTe `(8,4):(4,1)` or of Tilus \
                     `local(2, 1).spatial(8, 4)`, or a file that holds one or a layout as Triton prints it \
                     (` - register=1 -> (0, 1)` ... `where out dims are: [...]`); `-` is standard input";

/// Returns the text that `source` is, or that the file of this name holds; `-` is standard input.
pub(crate) fn read_text(source: &OsStr) -> Result<String, Failure> {
    if let Some(text) = source.to_str().filter(|text| System::of(text).is_some()) {
        return Ok(text.to_owned());
    }
    let read = read_file(source)?;
    if System::of(&read).is_some() {
        return Ok(read);
    }
    let source = source.display();
    Err(Failure::new(format!("`{source}` holds neither an encoding nor a layout")).note(FORMS))
}

/// Whether text is an encoding rather than a printed layout.
pub(crate) fn is_encoding_text(text: &str) -> bool {
    text.trim_start().starts_with('#')
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
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            Err(Failure::new(format!("`{source}` is neither an encoding nor a file")).note(FORMS))
        }
        Err(e) => Err(Failure::new(format!("cannot read `{source}`: {e}"))),
    }
}

/// Reads the encodings that a file names.
fn read_aliases(file: &Path) -> Result<Aliases, Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|e| Failure::new(format!("cannot read `{}`: {e}", file.display())))?;
    Aliases::of_module(&text).map_err(|e| Failure::new(format!("`{}`: {e}", file.display())))
}

/// Reads `64x16`, `64,16` or `[64, 16]`; `[]` is the shape of a single element.
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
            Failure::new(format!("`{text}` is not a shape: `{size}` is {what}"))
                .at(text, at)
                .note("write it as `64x16`; `[]` is the shape of a single element")
        };
        match size.trim().parse() {
            Ok(0) => {
                return Err(wrong(
                    "no size: a tensor has one element along each dim at least",
                ));
            }
            Ok(size) => shape.push(size),
            Err(_) => return Err(wrong("no size")),
        }
        at += size.len() + 1;
    }
    Ok(shape)
}
