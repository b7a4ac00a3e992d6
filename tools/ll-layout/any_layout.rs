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

/// Number of lanes per warp for layouts without warps, as on NVIDIA GPUs and AMD's graphics GPUs.
const LANES: u64 = 32;

pub(crate) enum AnyLayout {
    /// An encoding on a shape, or a printed linear layout.
    Linear(Box<Subject>),
    /// A map from coordinates to an index.
    Cute(ComposedLayout),
    /// A map from elements to threads and registers.
    Register(RegisterLayout),
    /// A map from elements to an offset.
    Shared(SharedLayout),
}

impl AnyLayout {
    /// `source` is text, a file, or `-`. Only encodings need `shape`.
    pub(crate) fn read(
        source: &OsStr,
        shape: Option<&str>,
        aliases: Option<&Path>,
    ) -> Result<Self, Failure> {
        let shape = shape.map(parse_shape).transpose()?;
        let text = read_text(source)?;
        Self::on_shape(parse_text(&text, aliases)?, shape.as_deref())
    }

    /// The default is the shape in the text.
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

    /// `None` for CuTe layouts, which are functions of coordinates.
    pub(crate) fn shape(&self) -> Option<Vec<u64>> {
        match self {
            Self::Linear(subject) => Some(subject.shape()),
            Self::Cute(_) => None,
            Self::Register(layout) => Some(layout.shape().to_vec()),
            Self::Shared(layout) => Some(layout.shape().to_vec()),
        }
    }

    /// Coordinates for CuTe, else elements.
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

    /// A layout of memory becomes a map from offsets to elements.
    pub(crate) fn linear(self) -> Result<Subject, Failure> {
        let none = |e: &dyn fmt::Display| {
            Failure::new(format!("the layout is not linear over bits: {e}"))
                .note("`--view grid` shows it as it is")
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

    /// A CuTe layout must have the modes `((threads), (values))` and map to column-major element numbers.
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

    /// `None` for linear and register layouts.
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
        Failure::new("an encoding requires the shape of its tensor").note(
            "add it after the encoding, as in `64x16`, or give the type, `tensor<64x16xf16, #ttg...>`",
        )
    })
}

pub(crate) fn is_plain(layout: &ComposedLayout) -> bool {
    layout.swizzle.is_identity() && layout.offset == 0
}

/// Omits an identity swizzle and a zero offset.
pub(crate) fn cute_text(layout: &ComposedLayout) -> String {
    if is_plain(layout) {
        layout.layout.to_string()
    } else {
        layout.to_string()
    }
}
