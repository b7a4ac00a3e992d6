//! Layouts from text, of any of the systems.

use crate::error::{Failure, failed};
use linear_layout::bridge::{
    linear_from_composed, linear_from_cute, linear_from_thread_value, linear_from_tilus,
    memory_from_shared,
};
use linear_layout::cute::ComposedLayout;
use linear_layout::encoding::other::CompilerLayout;
use linear_layout::encoding::{Aliases, Encoding, EncodingError};
use linear_layout::layout::LinearLayout;
use linear_layout::tilus::{RegisterLayout, SharedLayout};
use linear_layout::view::shape_text;
use pyo3::prelude::*;
use std::borrow::Cow;

/// A linear layout and, where it came from one, its encoding.
pub(crate) type Read = (LinearLayout, Option<Encoding>);

/// Reads any spelling of a layout that is linear.
///
/// `shape` is that of the tensor, `aliases` the text of a module whose `#name = ...` lines the text may use, `lanes`
/// the size of a warp where threads are only numbered.
pub(crate) fn read(
    text: &str,
    shape: Option<&[u64]>,
    aliases: Option<&str>,
    lanes: u64,
) -> PyResult<Read> {
    let text = text.trim();
    let word = text
        .find(|c: char| c != '_' && !c.is_ascii_alphanumeric())
        .map_or(text, |end| &text[..end]);
    let is_number = !word.is_empty() && word.bytes().all(|c| c.is_ascii_digit());
    let layout = match word {
        _ if CompilerLayout::is_begun_by(text) => of_compiler(text, shape)?,
        _ if text.starts_with('#') => return of_encoding(text, shape, aliases),
        _ if text.starts_with("(empty layout") || text.contains("where out dims") => {
            own_shape(text.parse::<LinearLayout>().map_err(failed)?, shape)?
        }
        "SharedLayout" => {
            let shared: SharedLayout = text.parse().map_err(|e| tilus_error(&e, text))?;
            own_shape(memory_from_shared(&shared).map_err(not_linear)?, shape)?
        }
        "S" | "Sw" => of_cute(text, shape, lanes)?,
        "" if text.starts_with('(') => of_cute(text, shape, lanes)?,
        _ if is_number && text.contains(':') => of_cute(text, shape, lanes)?,
        _ if text[word.len()..].starts_with('(') => {
            let register: RegisterLayout = text.parse().map_err(|e| tilus_error(&e, text))?;
            let layout = linear_from_tilus(&register, lanes).map_err(not_linear)?;
            own_shape(layout, shape)?
        }
        _ => {
            let start: String = text.chars().take(40).collect();
            return Err(
                Failure::new(format!("`{start}` is neither an encoding nor a layout"))
                    .note(FORMS)
                    .into(),
            );
        }
    };
    Ok((layout, None))
}

const FORMS: &str = "give an encoding `#ttg.blocked<{...}>` or `#xegpu.layout<...>`, a layout of CuTe `(8,4):(4,1)` \
                     or of Tilus `local(2, 1).spatial(8, 4)`, or a LinearLayout as Triton prints it";
const CUTE: &str = "a layout of CuTe is `(4,(2,3)):(1,(4,8))`, or `Sw<3,4,3> o 0 o (8,64):(64,1)`";
const TILUS: &str = "a layout of Tilus is `local(2, 1).spatial(8, 4)`, or as Tilus prints it";

/// Returns the exception for text that is no layout of CuTe.
pub(crate) fn cute_error(error: &linear_layout::cute::CuteError, text: &str) -> PyErr {
    marked(error, error.place(), text).note(CUTE).into()
}

/// Returns the exception for text that is no layout of Tilus.
pub(crate) fn tilus_error(error: &linear_layout::tilus::TilusError, text: &str) -> PyErr {
    marked(error, error.parse_offset(), text).note(TILUS).into()
}

/// Returns the exception for a layout of another system that is not linear over bits.
pub(crate) fn not_linear(error: linear_layout::bridge::BridgeError) -> PyErr {
    failed(format!("the layout is not linear over bits: {error}"))
}

fn marked(error: impl std::fmt::Display, place: Option<usize>, text: &str) -> Failure {
    let failure = Failure::new(error);
    match place {
        Some(place) => failure.at(text, place),
        None => failure,
    }
}

fn of_encoding(text: &str, shape: Option<&[u64]>, aliases: Option<&str>) -> PyResult<Read> {
    let aliases = aliases_of(aliases.unwrap_or_default())?;
    let encoding =
        Encoding::parse(text, &aliases).map_err(|e| marked(&e, place(text, &e), text))?;
    let shape = needed(shape)?;
    match encoding.to_linear_layout(shape) {
        Ok(layout) => Ok((layout, Some(encoding))),
        // A layout of CuTe that is none of a buffer may be one of a tensor.
        Err(reason) => {
            let on_tensor = encoding.for_tensor(shape).map(Cow::into_owned);
            on_tensor
                .and_then(|encoding| Ok((encoding.to_linear_layout(shape)?, Some(encoding))))
                .map_err(|_| failed(reason))
        }
    }
}

fn of_compiler(text: &str, shape: Option<&[u64]>) -> PyResult<LinearLayout> {
    let layout: CompilerLayout =
        text.parse()
            .map_err(|e: linear_layout::encoding::other::CompilerLayoutError| {
                marked(&e, e.parse_offset(), text)
            })?;
    layout.to_linear_layout(needed(shape)?).map_err(failed)
}

fn of_cute(text: &str, shape: Option<&[u64]>, lanes: u64) -> PyResult<LinearLayout> {
    let layout: ComposedLayout = text.parse().map_err(|e| cute_error(&e, text))?;
    linear_of_cute(&layout, shape, lanes)
}

/// Returns a layout of CuTe as a map of bits; with a shape, as one of threads and values of a tensor.
pub(crate) fn linear_of_cute(
    layout: &ComposedLayout,
    shape: Option<&[u64]>,
    lanes: u64,
) -> PyResult<LinearLayout> {
    let is_plain = layout.swizzle.is_identity() && layout.offset == 0;
    match shape {
        Some(shape) => linear_from_thread_value(layout, shape, lanes),
        None if is_plain => linear_from_cute(&layout.layout),
        None => linear_from_composed(layout),
    }
    .map_err(not_linear)
}

/// Returns a layout that says its shape itself, if it is the one that was asked for.
fn own_shape(layout: LinearLayout, shape: Option<&[u64]>) -> PyResult<LinearLayout> {
    let own: Vec<u64> = layout.out_shape().map(|(_, size)| size).collect();
    match shape {
        Some(asked) if asked != own => Err(Failure::new(format!(
            "the layout is of shape {}, not {}",
            shape_text(&own),
            shape_text(asked)
        ))
        .note("it says its shape itself; leave the shape out")
        .into()),
        _ => Ok(layout),
    }
}

/// Returns the shape, which an encoding does not say.
fn needed(shape: Option<&[u64]>) -> PyResult<&[u64]> {
    shape.ok_or_else(|| {
        Failure::new("an encoding needs the shape of its tensor")
            .note("add it after the encoding, as in `ll.Layout(text, [64, 16])`")
            .into()
    })
}

/// Returns where in its text an encoding is wrong: where reading stopped, or at what the message names first.
fn place(text: &str, error: &EncodingError) -> Option<usize> {
    error.offset().or_else(|| {
        let message = error.to_string();
        let named = message.split('`').nth(1)?;
        // `sizePerThread[0]` is the value of a key.
        let key = named.split('[').next().filter(|key| !key.is_empty())?;
        text.find(named).or_else(|| text.find(key))
    })
}

/// Returns the encodings that a module names: its lines `#name = #ttg...`, whatever else it holds.
fn aliases_of(module: &str) -> PyResult<Aliases> {
    let mut aliases = Aliases::new();
    for line in module.lines().map(str::trim) {
        let Some((name, value)) = line.strip_prefix('#').and_then(|rest| rest.split_once('='))
        else {
            continue;
        };
        // Other attributes have names too, such as locations and `#ttg.shared_memory`.
        if let Ok(encoding) = Encoding::parse(value.trim(), &aliases) {
            aliases.define(name.trim(), encoding).map_err(failed)?;
        }
    }
    Ok(aliases)
}
