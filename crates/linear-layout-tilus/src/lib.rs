//! Tilus layouts: mixed-radix index digits distributed over threads, registers and memory.
//!
//! # Concept
//! A [`RegisterLayout`] splits the extent of each dim into a product of *modes*, the digits of a mixed-radix index.
//! Each digit belongs to one of two lists. The *spatial* digits form the number of the thread that holds an element.
//! The *local* digits form the element's position in the registers of that thread. Large layouts are compositions of
//! small layouts. For example, `local(2, 1).spatial(8, 4).local(1, 2)` is the layout of an operand of a matrix
//! instruction. It has an 8 x 4 grid of threads, where each thread holds two adjacent elements of a row. The grid is
//! repeated once more below, in further registers of the same threads:
//!
//! ```
//! use linear_layout_tilus::{TilusError, local};
//!
//! let mma = local(&[2, 1])?.spatial(&[8, 4])?.local(&[1, 2])?;
//! assert_eq!(mma.shape(), [16, 8]);
//! // Row 10 = 8 + 2, column 5 = 2*2 + 1: thread 2*4 + 2, its register 2*1 + 1.
//! assert_eq!(mma.threads_of(&[10, 5])?.collect::<Vec<_>>(), [10]);
//! assert_eq!(mma.local_of(&[10, 5])?, 3);
//! // Back from the whole to a part: the instruction's tile divides a larger layout.
//! let warps = local(&[2, 2])?.compose(&mma)?;
//! assert_eq!(warps.divide(&mma)?, local(&[2, 2])?);
//! # Ok::<(), TilusError>(())
//! ```
//!
//! Unlike in linear layouts, extents need not be powers of two. On the other hand, register layouts have no XOR. The
//! module `bridge` of the crate `linear-layout` converts layouts that both notations can express.
//!
//! # Reading order
//! Read [`RegisterLayout`], [`local`] and [`spatial`], [`compose`](RegisterLayout::compose) and
//! [`divide`](RegisterLayout::divide) first, then the layouts in memory: [`SharedLayout`], [`GlobalLayout`],
//! [`TensorMemoryLayout`]. A [`MultiFunction`] is a map from elements to sets of threads. A [`TilusError`] names the
//! mode or dim that causes the error.
//!
//! # Orders
//! Unlike in CuTe, all orders are row-major: the last dim of a shape, and the last digit of a list, are the fastest.
//!
//! # Differences from Tilus 0.2.0
//! Layouts are printed in the same form as by Tilus. Results differ where Tilus computes a wrong map or crashes. A mode
//! that is in no list is an error. Layouts that are the same map compare equal and have equal hashes, even if their
//! replications are written differently. A quotient is found whenever there is one.
//! [`flatten`](RegisterLayout::flatten) takes a range with explicit bounds. [`reshape`](RegisterLayout::reshape) keeps
//! all parts of a mode. An index that is out of bounds is an error. A composition of shared layouts keeps the swizzle,
//! and modes of shared layouts are merged only if the map is preserved. A composition of global layouts consists of
//! tiles.
//!
//! # Speed
//! Operations do not allocate for up to four dims and eight modes, except for the texts, grids and lists that they
//! return. `cargo bench --bench tilus` compares the speed with the speed of Tilus, if Tilus is installed.
//!
//! # Not here
//! This crate has no symbolic extents, and does not select layouts for a whole program (see `assign` of
//! `linear-layout`).
#![forbid(unsafe_code)]

mod compose;
mod create;
mod error;
mod expression;
mod global;
mod index;
mod multi_function;
mod parse;
mod register_layout;
mod reshape;
mod shared;
mod swizzle;
mod tensor_memory;
mod text;

use smallvec::SmallVec;

pub use create::{
    auto_local_spatial, column_local, column_spatial, local, local_ranked, repeat, replicated,
    spatial, spatial_ranked,
};
pub use error::{ModeList, TilusError};
pub use global::GlobalLayout;
pub use index::Threads;
pub use multi_function::MultiFunction;
pub use register_layout::{RegisterLayout, mode_groups};
pub use shared::SharedLayout;
pub use swizzle::Swizzle;
pub use tensor_memory::TensorMemoryLayout;

/// A list of the extents of dims. Most tensors have at most four dims, so that no allocation is needed.
type Extents = SmallVec<[u64; 4]>;
/// A list with one item for each mode. Most layouts have at most eight modes, so that no allocation is needed.
type Modes<T> = SmallVec<[T; 8]>;

/// The examples of the README, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
