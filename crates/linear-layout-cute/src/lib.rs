//! CuTe layouts: nested shapes with strides, of arbitrary integers.
//!
//! A [`Layout`] such as `(4,2):(2,1)` maps a coordinate (i, j) to the index 2 i + j. An integer is a coordinate, too,
//! with the first mode fastest: 5 = 1 + 4 * 1 is (1, 1). Each layout is therefore a function from 0..size to integers,
//! and two layouts can be composed.
//!
//! Unlike linear layouts, which map bits by XOR, CuTe layouts add strides, and sizes need not be powers of two.
//! `linear_layout::bridge` converts between the two kinds.
//!
//! ```
//! use linear_layout_cute::{Layout, Tiler};
//!
//! // A matrix of 8 rows and 6 columns, row after row, in tiles of 4 rows and every third column.
//! let matrix: Layout = "(8,6):(6,1)".parse()?;
//! let tiler = Tiler::Modes(vec![Tiler::Size(4), Tiler::Layout("2:3".parse()?)]);
//! let tiles = matrix.zipped_divide(&tiler)?;
//! assert_eq!(tiles.to_string(), "((4,2),(2,3)):((6,3),(24,1))");
//! // Element (1, 1) of tile (1, 2) is that of row 5 and column 5.
//! assert_eq!(tiles.apply(&"((1,1),(1,2))".parse()?)?, matrix.apply(&"(5,5)".parse()?)?);
//! # Ok::<(), linear_layout_cute::CuteError>(())
//! ```
//!
//! # Reading order
//! [`Layout`] is the main type; `at`, `apply` and `slice` evaluate a layout. [`Layout::coalesce`] computes the normal
//! form of a function. [`Layout::composition`] and [`Layout::complement`] are the primitives for inverses, for
//! divisions and products by a [`Tiler`], and for `upcast` and `downcast`. [`Swizzle`] XORs bits of indices; a
//! [`ComposedLayout`] is a layout followed by a swizzle. [`TensorText`] parses the output of CUTLASS.
//!
//! # Errors
//! Every result satisfies the law in the documentation of its operation. Otherwise the operation returns a
//! [`CuteError`] with the mode, the required divisor, and the nearest valid number.
//!
//! # Not here
//! Strides along several dimensions (`E<i>`), and numbers known only at run time.
#![forbid(unsafe_code)]

mod arithmetic;
mod coalesce;
mod common;
mod complement;
mod composed;
mod composition;
mod coordinate;
mod cpp_text;
mod divide;
mod domain;
mod error;
mod inverse;
mod layout;
mod mode;
mod order;
mod parse;
mod product;
mod rearrange;
mod recast;
mod swizzle;
mod swizzled;
mod tensor_text;
mod tiler;
mod tuple;

pub use composed::ComposedLayout;
pub use coordinate::Slice;
pub use error::CuteError;
pub use layout::Layout;
pub use mode::Mode;
pub use swizzle::Swizzle;
pub use swizzled::ComposedSlice;
pub use tensor_text::TensorText;
pub use tiler::Tiler;
pub use tuple::{Coord, IntTuple, Tuple};

/// The examples of the README, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
