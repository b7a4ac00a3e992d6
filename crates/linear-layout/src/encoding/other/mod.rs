//! Layouts of other MLIR compilers, and their linear layouts: upstream MLIR (`XeGPU`), IREE, and JAX (Mosaic GPU).
//!
//! ```
//! use linear_layout::encoding::other::CompilerLayout;
//! use linear_layout::layout::Dim;
//!
//! let text = "#xegpu.layout<sg_layout = [2, 4], sg_data = [16, 16], lane_layout = [2, 8], lane_data = [1, 1]>";
//! let layout: CompilerLayout = text.parse()?;
//! assert_eq!(layout.to_string(), text);
//! let linear = layout.to_linear_layout(&[32, 64])?;
//! assert_eq!(linear.basis(Dim::LANE, 3), [1, 0]);
//! assert_eq!(linear.basis(Dim::WARP, 2), [16, 0]);
//! let e = layout.to_linear_layout(&[32, 48]).unwrap_err();
//! assert_eq!(e.to_string(), "dim 1 of the tensor shape is 48; expected a power of two, the next is 64");
//! # Ok::<(), linear_layout::encoding::other::CompilerLayoutError>(())
//! ```
//! # Shape
//! (`register`, `lane`, `warp`, `block`) -> (`dim0`, `dim1`, ...). A subgroup is a warp, a work item is a lane, and
//! `block` has size 1. Each layout type documents the order of the registers.
//!
//! A size that is not a power of two, an element without a location, and an ambiguous layout are errors.

mod columns;
mod error;
mod nested;
mod text;
mod tiled;
mod xegpu;

use core::fmt;
use core::str::FromStr;

use crate::layout::LinearLayout;

pub use error::CompilerLayoutError;
pub use nested::NestedLayout;
pub use tiled::{TiledDim, TiledLayout};
pub use xegpu::XegpuLayout;

/// A layout attribute of an MLIR compiler other than Triton.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CompilerLayout {
    /// `#xegpu.layout<...>` of MLIR.
    Xegpu(XegpuLayout),
    /// `#iree_vector_ext.nested_layout<...>` of IREE.
    Nested(NestedLayout),
    /// `#mosaic_gpu.TiledLayout<...>` of JAX.
    Tiled(TiledLayout),
}

impl CompilerLayout {
    /// Returns true if `text` begins with the name of a layout attribute that [`CompilerLayout`] can parse.
    #[must_use]
    pub fn matches_prefix(text: &str) -> bool {
        let text = text.trim_start();
        [xegpu::NAME, nested::NAME, tiled::NAME]
            .iter()
            .any(|name| text.starts_with(name))
    }

    /// Returns the linear layout of a tensor of this shape.
    ///
    /// # Errors
    /// Returns an error if the rank of the layout differs from the rank of `shape`, an extent is not a power of
    /// two, the tiles do not divide the shape, or an element has no location.
    pub fn to_linear_layout(&self, shape: &[u64]) -> Result<LinearLayout, CompilerLayoutError> {
        match self {
            Self::Xegpu(layout) => layout.to_linear_layout(shape),
            Self::Nested(layout) => layout.to_linear_layout(shape),
            Self::Tiled(layout) => layout.to_linear_layout(shape),
        }
    }
}

impl fmt::Display for CompilerLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Xegpu(layout) => layout.fmt(f),
            Self::Nested(layout) => layout.fmt(f),
            Self::Tiled(layout) => layout.fmt(f),
        }
    }
}

/// Parses the syntax in which the attribute's compiler prints it.
///
/// # Errors
/// Returns an error if the syntax is wrong (with a byte offset), or the fields contradict each other.
impl FromStr for CompilerLayout {
    type Err = CompilerLayoutError;

    fn from_str(text: &str) -> Result<Self, CompilerLayoutError> {
        let mut parser = text::AttributeParser::new(text);
        let layout = if parser.eat(xegpu::NAME) {
            Self::Xegpu(XegpuLayout::parse(&mut parser)?)
        } else if parser.eat(nested::NAME) {
            Self::Nested(NestedLayout::parse(&mut parser)?)
        } else if parser.eat(tiled::NAME) {
            Self::Tiled(TiledLayout::parse(&mut parser)?)
        } else {
            return Err(parser.error(
                "`#xegpu.layout<`, `#iree_vector_ext.nested_layout<` or `#mosaic_gpu.TiledLayout<`",
            ));
        };
        parser.end()?;
        Ok(layout)
    }
}
