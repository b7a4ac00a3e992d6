//! What the command line names, of any of the three systems: linear layouts, CuTe's and Tilus'.

use crate::Failure;
use crate::subject::{Subject, parse_shape, read_text};
use linear_layout::bridge::{
    DistributedLayout, ElementOrder, System, cute_from_shared, linear_from_composed,
    linear_from_cute, linear_from_tilus, memory_from_shared,
};
use linear_layout::cute::ComposedLayout;
use linear_layout::layout::LinearLayout;
use linear_layout::tilus::{RegisterLayout, SharedLayout};
use linear_layout::view::shape_text;
use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

/// Lanes of a warp, where threads are only numbered: those of NVIDIA's GPUs and of AMD's for graphics.
const LANES: u64 = 32;

/// A layout as it is given.
pub(crate) enum Given {
    /// An encoding on a shape, or a printed linear layout.
    Linear(Box<Subject>),
    /// From coordinates to an index.
    Cute(ComposedLayout),
    /// From elements to threads and places.
    Register(RegisterLayout),
    /// From elements to an offset.
    Shared(SharedLayout),
}

impl Given {
    /// Reads `source` (text, a file, or `-`) for a tensor of this shape, which the others say themselves.
    pub(crate) fn read(
        source: &OsStr,
        shape: Option<&str>,
        aliases: Option<&Path>,
    ) -> Result<Self, Failure> {
        let shape = shape.map(parse_shape).transpose()?;
        Self::of_text(&read_text(source)?, shape.as_deref(), aliases)
    }

    pub(crate) fn of_text(
        text: &str,
        shape: Option<&[u64]>,
        aliases: Option<&Path>,
    ) -> Result<Self, Failure> {
        let text = text.trim();
        let wrong = |e: &dyn fmt::Display, at: Option<usize>| {
            let failure = Failure::new(e);
            match at {
                Some(at) => failure.at(text, at),
                None => failure,
            }
        };
        let given = match System::of(text) {
            Some(System::Cute) => {
                let read = text.parse::<ComposedLayout>();
                Self::Cute(read.map_err(|e| wrong(&e, e.place()).note(CUTE))?)
            }
            Some(System::Register) => {
                let read = text.parse::<RegisterLayout>();
                Self::Register(read.map_err(|e| wrong(&e, e.parse_offset()).note(TILUS))?)
            }
            Some(System::Shared) => {
                let read = text.parse::<SharedLayout>();
                Self::Shared(read.map_err(|e| wrong(&e, e.parse_offset()))?)
            }
            _ => Self::Linear(Box::new(Subject::of_text(text, shape, aliases)?)),
        };
        match (shape, given.shape()) {
            (Some(asked), Some(own)) if asked != own => Err(Failure::new(format!(
                "the layout is of shape {}, not {}",
                shape_text(&own),
                shape_text(asked)
            ))
            .note("it says its shape itself; leave the shape out")),
            _ => Ok(given),
        }
    }

    /// The shape of its tensor; a layout of CuTe is a function of coordinates, which need not be those of one.
    pub(crate) fn shape(&self) -> Option<Vec<u64>> {
        match self {
            Self::Linear(subject) => Some(subject.shape()),
            Self::Cute(_) => None,
            Self::Register(layout) => Some(layout.shape().to_vec()),
            Self::Shared(layout) => Some(layout.shape().to_vec()),
        }
    }

    /// How many elements or coordinates it has.
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

    /// The linear layout that it is; of memory, from offsets to elements.
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

    /// The layout as one of threads and values; of CuTe, `((threads), (values))` to column-major numbers of elements.
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

    /// The layout as a function of a coordinate.
    pub(crate) fn cute(&self) -> Result<Option<ComposedLayout>, Failure> {
        match self {
            Self::Cute(layout) => Ok(Some(layout.clone())),
            Self::Shared(layout) => cute_from_shared(layout).map(Some).map_err(Failure::new),
            Self::Linear(_) | Self::Register(_) => Ok(None),
        }
    }
}

const CUTE: &str = "a layout of CuTe is `(4,(2,3)):(1,(4,8))`, or `Sw<3,4,3> o 0 o (8,64):(64,1)`";
const TILUS: &str = "a layout of Tilus is `local(2, 1).spatial(8, 4)`, or as Tilus prints it";

pub(crate) fn is_plain(layout: &ComposedLayout) -> bool {
    layout.swizzle.is_identity() && layout.offset == 0
}

/// As CuTe prints it; what does nothing is left out.
pub(crate) fn cute_text(layout: &ComposedLayout) -> String {
    if is_plain(layout) {
        layout.layout.to_string()
    } else {
        layout.to_string()
    }
}
