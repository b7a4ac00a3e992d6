//! Parsing of layouts of all supported systems.

use crate::error::{Failure, failed};
use linear_layout::bridge::{
    linear_from_composed, linear_from_cute, linear_from_thread_value, linear_from_tilus,
    memory_from_shared,
};
use linear_layout::cute::ComposedLayout;
use linear_layout::encoding::{Aliases, Encoding};
use linear_layout::layout::LinearLayout;
use linear_layout::text::{LayoutText, TextError, TextLayout};
use pyo3::prelude::*;

/// The result of [`read`]: a linear layout, and the encoding if the text is an encoding.
pub(crate) type Read = (LinearLayout, Option<Encoding>);

/// Parses a layout in the notation of any supported system, and converts it to a linear layout.
///
/// `aliases` is the text of a module that defines aliases in `#name = ...` lines. `lanes` is the warp size for CuTe
/// and Tilus layouts.
pub(crate) fn read(
    text: &str,
    shape: Option<&[u64]>,
    aliases: Option<&str>,
    lanes: u64,
) -> PyResult<Read> {
    let text = text.trim();
    let aliases = Aliases::of_module(aliases.unwrap_or_default()).map_err(failed)?;
    let failure = |error: TextError| {
        let failure = marked(&error, error.offset(), text);
        match error.note() {
            Some(note) => failure.note(note),
            None => failure,
        }
    };
    let found = LayoutText::parse(text, &aliases).map_err(failure)?;
    let on_shape = found.shape_on(shape).map_err(failure)?;
    let on_shape = on_shape.as_deref();
    let layout = match found.layout {
        TextLayout::Encoding(encoding) => {
            let (encoding, layout) = encoding.on_shape(needed(on_shape)?).map_err(failed)?;
            return Ok((layout, Some(encoding)));
        }
        TextLayout::Compiler(layout) => {
            layout.to_linear_layout(needed(on_shape)?).map_err(failed)?
        }
        TextLayout::Linear(layout) => layout,
        TextLayout::Cute(layout) => linear_of_cute(&layout, shape, lanes)?,
        TextLayout::Register(layout) => linear_from_tilus(&layout, lanes).map_err(not_linear)?,
        TextLayout::Shared(layout) => memory_from_shared(&layout).map_err(not_linear)?,
    };
    Ok((layout, None))
}

const CUTE: &str =
    "write a CuTe layout as `(4,(2,3)):(1,(4,8))` or `Sw<3,4,3> o 0 o (8,64):(64,1)`";
const TILUS: &str =
    "write a Tilus layout as `local(2, 1).spatial(8, 4)`, or as Tilus prints layouts";

pub(crate) fn cute_error(error: &linear_layout::cute::CuteError, text: &str) -> PyErr {
    marked(error, error.place(), text).note(CUTE).into()
}

pub(crate) fn tilus_error(error: &linear_layout::tilus::TilusError, text: &str) -> PyErr {
    marked(error, error.parse_offset(), text).note(TILUS).into()
}

pub(crate) fn not_linear(error: linear_layout::bridge::BridgeError) -> PyErr {
    failed(format!("the layout is not linear over GF(2): {error}"))
}

fn marked(error: impl std::fmt::Display, place: Option<usize>, text: &str) -> Failure {
    let failure = Failure::new(error);
    match place {
        Some(place) => failure.at(text, place),
        None => failure,
    }
}

/// Converts a CuTe layout to a linear layout. If `shape` is given, it is the shape of a tensor, and `layout` is a
/// thread-value layout `((threads), (values))`.
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

fn needed(shape: Option<&[u64]>) -> PyResult<&[u64]> {
    shape.ok_or_else(|| {
        Failure::new("the tensor shape is missing; an encoding requires a shape")
            .note("add a shape after the encoding, as in `ll.Layout(text, [64, 16])`")
            .into()
    })
}
