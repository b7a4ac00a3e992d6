//! CuTe's layouts: nested shapes with strides, of any whole numbers.
//!
//! A [`Layout`] such as `(4,2):(2,1)` takes a coordinate (i, j) to the index 2 i + j. A coordinate may also be a
//! single number, of which the first mode takes its share first: 5 = 1 + 4 * 1 is (1, 1). So each layout is a
//! function of one number from 0 to its size, and two layouts of one size can be composed.
//!
//! Linear layouts are functions of bits, and XOR instead of adding; a CuTe layout adds, and has no need of powers
//! of two. What is both is for `bridge` to say.
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
//! [`Layout`] is the type; `at`, `apply` and `slice` are what it is as a function. [`Layout::coalesce`] gives a function its
//! one form, [`Layout::composition`] and [`Layout::complement`] are what all the rest is made of: inverses, divisions
//! and products by a [`Tiler`], `upcast` and `downcast` for other widths of elements. [`Swizzle`] XORs bits of indices,
//! and [`ComposedLayout`] is a layout with one behind it.
//!
//! # Errors
//! An answer satisfies the law that its documentation states. Where there is no such layout the operation says why, in
//! a [`CuteError`]: which mode does not fit, by what it would have to be divided, and the nearest number that would do.
//!
//! # Not here
//! Strides that count steps along several dimensions (`E<i>`), and numbers that are known at run time only.
#![forbid(unsafe_code)]

mod arithmetic;
mod coalesce;
mod common;
mod complement;
mod composed;
mod composition;
mod coordinate;
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
mod tiler;
mod tuple;

pub use composed::ComposedLayout;
pub use coordinate::Slice;
pub use error::CuteError;
pub use layout::Layout;
pub use mode::Mode;
pub use swizzle::Swizzle;
pub use swizzled::ComposedSlice;
pub use tiler::Tiler;
pub use tuple::{Coord, IntTuple, Tuple};
