//! Tilus layouts: mixed-radix index digits distributed over threads, registers and memory.
//!
//! # Concept
//! A [`RegisterLayout`] splits the extent of each dim into a product of *modes*, the digits of a mixed-radix index.
//! Each digit belongs to one of two lists. The *spatial* digits form the number of the thread that holds an element.
//! The *local* digits form the element's position in the registers of that thread. Large layouts are compositions of
//! small layouts. For example, `local(2, 1).spatial(8, 4).local(1, 2)` is the fragment of a tensor instruction. It has
//! two copies, one below the other, of [`spatial`]'s 8 x 4 threads, where each thread holds two adjacent elements of a
//! row:
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
//! Extents need not be powers of two, unlike the extents of linear layouts. On the other hand, there is no XOR. The
//! `bridge` of the crate `linear-layout` converts layouts that both notations can express.
//!
//! # Reading order
//! [`RegisterLayout`], [`local`] and [`spatial`], [`compose`](RegisterLayout::compose) and
//! [`divide`](RegisterLayout::divide), then memory: [`SharedLayout`], [`GlobalLayout`], [`TensorMemoryLayout`].
//! [`MultiFunction`] is the map from elements to sets of threads. Errors are [`TilusError`]s that name the mode or dim
//! at fault.
//!
//! # Orders
//! Everything is row-major, unlike in CuTe: the last dim and the last digit of a list are the fastest.
//!
//! # Differences from Tilus 0.2.0
//! The printed forms agree. Results differ where Tilus computes a wrong map or crashes: modes that are in no list are
//! an error; equal layouts compare equal and have one hash, independent of the spelling of replications; a quotient is
//! found whenever there is one; [`flatten`](RegisterLayout::flatten) takes a range with explicit bounds;
//! [`reshape`](RegisterLayout::reshape) keeps all parts of a mode; out-of-bounds indices are errors; composed shared
//! layouts keep their swizzle, and modes of shared layouts are merged only if the map is preserved; composed global
//! layouts are tiles of tiles.
//!
//! # Speed
//! Operations do not allocate for up to four dims and eight modes, except for returned texts, grids and lists.
//! `cargo bench --bench tilus` compares the speed with that of Tilus, if it is installed.
//!
//! # Not here
//! Symbolic extents; layout selection for a whole program (`assign` of `linear-layout`).
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

/// Extents of dims. Most tensors have at most four dims, so that no allocation is needed.
type Extents = SmallVec<[u64; 4]>;
/// Extents of modes, and lists of modes.
type Modes<T> = SmallVec<[T; 8]>;

/// The examples of the README, as doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
