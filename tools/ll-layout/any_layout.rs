//! Layouts of any supported system: linear layouts, CuTe, or Tilus.

use crate::Failure;
use crate::subject::{Subject, parse_shape, parse_text, read_text, text_failure};
use linear_layout::bridge::{
    DistributedLayout, ElementOrder, cute_from_shared, linear_from_composed, linear_from_cute,
    linear_from_tilus, memory_from_shared,
};
use linear_layout::cute::ComposedLayout;
use linear_layout::layout::LinearLayout;
use linear_layout::text::{LayoutText, TextLayout};
use linear_layout::tilus::{RegisterLayout, SharedLayout};
use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

/// Number of lanes per warp that is assumed for layouts that number threads but not warps.
const LANES: u64 = 32;

pub(crate) enum AnyLayout {
    /// Linear layout: an encoding applied to a shape, or Triton's text for a LinearLayout.
    Linear(Box<Subject>),
    /// CuTe layout: maps coordinates to an index.
    Cute(ComposedLayout),
    /// Tilus register layout: maps elements to threads and registers.
    Register(RegisterLayout),
    /// Tilus shared layout: maps elements to an offset.
    Shared(SharedLayout),
}

impl AnyLayout {
    /// Reads a layout. `source` is text, the path of a file, or `-` for standard input.
    ///
    /// `shape` is required only for encodings.
    pub(crate) fn read(
        source: &OsStr,
        shape: Option<&str>,
        aliases: Option<&Path>,
    ) -> Result<Self, Failure> {
        let shape = shape.map(parse_shape).transpose()?;
        let text = read_text(source)?;
        Self::on_shape(parse_text(&text, aliases)?, shape.as_deref())
    }

    /// Applies the layout in `text` to a shape. If `shape` is `None`, the shape in the text is used.
    pub(crate) fn on_shape(text: LayoutText, shape: Option<&[u64]>) -> Result<Self, Failure> {
        let shape = text
            .shape_on(shape)
            .map_err(|error| text_failure(&error, ""))?;
        let shape = shape.as_deref();
        Ok(match text.layout {
            TextLayout::Cute(layout) => Self::Cute(layout),
            TextLayout::Register(layout) => Self::Register(layout),
            TextLayout::Shared(layout) => Self::Shared(layout),
            TextLayout::Linear(layout) => Self::Linear(Box::new(Subject {
                encoding: None,
                layout,
            })),
            TextLayout::Compiler(layout) => Self::Linear(Box::new(Subject {
                encoding: None,
                layout: layout
                    .to_linear_layout(needed(shape)?)
                    .map_err(Failure::new)?,
            })),
            TextLayout::Encoding(encoding) => {
                let (encoding, layout) = encoding.on_shape(needed(shape)?).map_err(Failure::new)?;
                Self::Linear(Box::new(Subject {
                    encoding: Some(encoding),
                    layout,
                }))
            }
        })
    }

    /// Returns the shape of the tensor. CuTe layouts have no tensor shape and yield `None`.
    pub(crate) fn shape(&self) -> Option<Vec<u64>> {
        match self {
            Self::Linear(subject) => Some(subject.shape()),
            Self::Cute(_) => None,
            Self::Register(layout) => Some(layout.shape().to_vec()),
            Self::Shared(layout) => Some(layout.shape().to_vec()),
        }
    }

    /// Returns the number of coordinates of a CuTe layout, and the number of elements of any other layout.
    pub(crate) fn size(&self) -> u64 {
        match self {
            Self::Cute(layout) => layout.layout.size().unsigned_abs(),
            Self::Linear(_) | Self::Register(_) | Self::Shared(_) => {
                let shape = self.shape().unwrap_or_default();
                shape
                    .iter()
                    .fold(1, |size, extent| size.saturating_mul(*extent))
            }
        }
    }

    pub(crate) fn title(&self) -> String {
        match self {
            Self::Linear(subject) => subject.title(),
            Self::Cute(layout) => cute_text(layout),
            Self::Register(layout) => layout.to_string(),
            Self::Shared(layout) => layout.to_string(),
        }
    }

    /// Converts the layout to a linear layout. Fails if it is not linear over GF(2).
    ///
    /// The linear layout of a Tilus shared layout maps offsets to elements.
    pub(crate) fn linear(self) -> Result<Subject, Failure> {
        let none = |e: &dyn fmt::Display| {
            Failure::new(format!("the layout is not linear over GF(2): {e}"))
                .note("`ll-layout show --view grid` also draws layouts that are not linear")
        };
        let layout: LinearLayout = match self {
            Self::Linear(subject) => return Ok(*subject),
            Self::Cute(layout) if is_plain(&layout) => {
                linear_from_cute(&layout.layout).map_err(|e| none(&e))?
            }
            Self::Cute(layout) => linear_from_composed(&layout).map_err(|e| none(&e))?,
            Self::Register(layout) => linear_from_tilus(&layout, LANES).map_err(|e| none(&e))?,
            Self::Shared(layout) => memory_from_shared(&layout).map_err(|e| none(&e))?,
        };
        Ok(Subject {
            encoding: None,
            layout,
        })
    }

    /// Returns the layout as a map from threads and registers to elements. Returns `None` for a memory layout, and
    /// for a CuTe layout with a swizzle or offset.
    ///
    /// A CuTe layout is interpreted as a map from `((threads), (values))` to column-major element numbers.
    pub(crate) fn distributed(&self) -> Option<DistributedLayout> {
        match self {
            Self::Linear(subject) => Some(DistributedLayout::Linear(subject.layout.clone())),
            Self::Cute(layout) if is_plain(layout) => Some(DistributedLayout::ThreadValue(
                layout.layout.clone(),
                ElementOrder::ColumnMajor,
            )),
            Self::Register(layout) => Some(DistributedLayout::Register(layout.clone())),
            Self::Cute(_) | Self::Shared(_) => None,
        }
    }

    /// Returns the CuTe form of the layout. Returns `None` for linear layouts and Tilus register layouts.
    pub(crate) fn cute(&self) -> Result<Option<ComposedLayout>, Failure> {
        match self {
            Self::Cute(layout) => Ok(Some(layout.clone())),
            Self::Shared(layout) => cute_from_shared(layout).map(Some).map_err(Failure::new),
            Self::Linear(_) | Self::Register(_) => Ok(None),
        }
    }
}

fn needed(shape: Option<&[u64]>) -> Result<&[u64], Failure> {
    shape.ok_or_else(|| {
        Failure::new("the tensor shape is missing; an encoding requires a shape").note(
            "add a shape after the encoding, as in `64x16`, or give a type, `tensor<64x16xf16, #ttg...>`",
        )
    })
}

pub(crate) fn is_plain(layout: &ComposedLayout) -> bool {
    layout.swizzle.is_identity() && layout.offset == 0
}

/// Formats a CuTe layout. An identity swizzle and a zero offset are omitted.
pub(crate) fn cute_text(layout: &ComposedLayout) -> String {
    if is_plain(layout) {
        layout.layout.to_string()
    } else {
        layout.to_string()
    }
}
