//! Parsing of layouts of any supported system.

use crate::error::{Failure, failed};
use linear_layout::bridge::{
    System, linear_from_composed, linear_from_cute, linear_from_thread_value, linear_from_tilus,
    memory_from_shared,
};
use linear_layout::cute::ComposedLayout;
use linear_layout::encoding::other::CompilerLayout;
use linear_layout::encoding::{Aliases, Encoding};
use linear_layout::layout::LinearLayout;
use linear_layout::tilus::{RegisterLayout, SharedLayout};
use linear_layout::view::shape_text;
use pyo3::prelude::*;

/// A linear layout, and its encoding if it has one.
pub(crate) type Read = (LinearLayout, Option<Encoding>);

/// Parses a layout that is linear.
///
/// `shape` is the shape of the tensor, `aliases` the text of a module with `#name = ...` lines, and `lanes` the size of
/// a warp for systems that only number threads.
pub(crate) fn read(
    text: &str,
    shape: Option<&[u64]>,
    aliases: Option<&str>,
    lanes: u64,
) -> PyResult<Read> {
    let text = text.trim();
    if CompilerLayout::matches_prefix(text) {
        return Ok((of_compiler(text, shape)?, None));
    }
    let layout = match System::of(text) {
        Some(System::Encoding) => return of_encoding(text, shape, aliases),
        Some(System::Printed) => own_shape(text.parse::<LinearLayout>().map_err(failed)?, shape)?,
        Some(System::Shared) => {
            let shared: SharedLayout = text.parse().map_err(|e| tilus_error(&e, text))?;
            own_shape(memory_from_shared(&shared).map_err(not_linear)?, shape)?
        }
        Some(System::Cute) => of_cute(text, shape, lanes)?,
        Some(System::Register) => {
            let register: RegisterLayout = text.parse().map_err(|e| tilus_error(&e, text))?;
            let layout = linear_from_tilus(&register, lanes).map_err(not_linear)?;
            own_shape(layout, shape)?
        }
        None => {
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

/// Returns the exception for an invalid CuTe layout.
pub(crate) fn cute_error(error: &linear_layout::cute::CuteError, text: &str) -> PyErr {
    marked(error, error.place(), text).note(CUTE).into()
}

/// Returns the exception for an invalid Tilus layout.
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
    let aliases = Aliases::of_module(aliases.unwrap_or_default()).map_err(failed)?;
    let encoding =
        Encoding::parse(text, &aliases).map_err(|e| marked(&e, e.offset_in(text), text))?;
    let (encoding, layout) = encoding.on_shape(needed(shape)?).map_err(failed)?;
    Ok((layout, Some(encoding)))
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

/// Returns a CuTe layout as a linear layout; with a shape, as one of threads and values.
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

/// Returns a layout with its own shape, if that is the requested one.
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

/// Returns the shape, which an encoding requires.
fn needed(shape: Option<&[u64]>) -> PyResult<&[u64]> {
    shape.ok_or_else(|| {
        Failure::new("an encoding needs the shape of its tensor")
            .note("add it after the encoding, as in `ll.Layout(text, [64, 16])`")
            .into()
    })
}
