//! CuTe's layouts: nested shapes with strides, of any whole numbers.
//!
//! A [`Layout`] such as `(4,2):(2,1)` takes a coordinate (i, j) to the index 2 i + j. A coordinate may also be a
//! single number, of which the first mode takes its share first: 5 = 1 + 4 * 1 is (1, 1). So each layout is a
//! function of one number from 0 to its size, and two layouts of one size can be composed.
//!
//! Linear layouts are functions of bits, and XOR instead of adding; a CuTe layout adds, and has no need of powers
//! of two. What is both is for `bridge` to say.
//!
//! Reading order: [`Layout`], then [`Swizzle`] and [`ComposedLayout`].
//! Strides that count steps along several dimensions (`E<i>`) and numbers known at run time only are not here.

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
mod list;
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
pub use layout::{Layout, Mode};
pub use swizzle::Swizzle;
pub use swizzled::ComposedSlice;
pub use tiler::Tiler;
pub use tuple::{Coord, IntTuple, MAX_NODES, Tuple};
