//! Tilus layouts: mixed-radix index digits distributed over threads, registers and memory.
//!
//! # Concept
//! A [`RegisterLayout`] splits the extent of each dim into *modes*, the digits of a mixed-radix index. The *spatial*
//! digits form the number of the thread that holds an element, the *local* digits the position in the registers of this
//! thread. Large layouts are compositions of small layouts.
//!
//! For example, `local(2, 1).spatial(8, 4).local(1, 2)` is the operand of a matrix instruction: an 8 x 4 grid of
//! threads with two adjacent elements of a row each. The grid is repeated once below, in further registers of the same
//! threads:
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
//! Unlike in linear layouts, extents need not be powers of two, but register layouts have no XOR. The module `bridge`
//! of the crate `linear-layout` converts between the two.
//!
//! # Reading order
//! [`RegisterLayout`], [`local`] and [`spatial`], [`compose`](RegisterLayout::compose) and
//! [`divide`](RegisterLayout::divide); then the layouts in memory: [`SharedLayout`], [`GlobalLayout`],
//! [`TensorMemoryLayout`]. A [`MultiFunction`] maps elements to sets of threads. A [`TilusError`] names the mode or dim
//! at fault.
//!
//! # Orders
//! Unlike in CuTe, all orders are row-major: the last dim of a shape, and the last digit of a list, are the fastest.
//!
//! # Differences from Tilus 0.2.0
//! Layouts are printed in the same form. Results differ where Tilus computes a wrong map or crashes:
//!
//! - A mode in no list, or an index out of bounds, is an error.
//! - Layouts with the same map are equal and have equal hashes, however their replications are written.
//! - A quotient is found whenever there is one.
//! - [`flatten`](RegisterLayout::flatten) takes a range with explicit bounds; [`reshape`](RegisterLayout::reshape)
//!   keeps all parts of a mode.
//! - Compositions of shared layouts keep the swizzle. Modes of shared layouts merge only if the map is preserved.
//! - A composition of global layouts consists of tiles.
//!
//! # Speed
//! Up to four dims and eight modes need no allocation, except for returned texts, grids and lists. Run `cargo bench
//! --bench tilus` to compare the speed with an installed Tilus.
//!
//! # Not here
//! Symbolic extents, and the selection of layouts for a whole program (see `assign` of `linear-layout`).
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

/// The extents of dims. Up to four extents are stored without an allocation.
type Extents = SmallVec<[u64; 4]>;
/// One item per mode. Up to eight items are stored without an allocation.
type Modes<T> = SmallVec<[T; 8]>;

/// The examples of the README, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
