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

#![allow(dead_code, reason = "operations that use all of it follow")]

mod composed;
mod error;
mod layout;
mod list;
mod parse;
mod swizzle;
mod tuple;

pub use composed::ComposedLayout;
pub use error::CuteError;
pub use layout::{Layout, Mode};
pub use swizzle::Swizzle;
pub use tuple::{Coord, IntTuple, MAX_NODES, Tuple};
