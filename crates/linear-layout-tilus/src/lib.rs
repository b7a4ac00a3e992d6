//! Layouts as Tilus has them: digits of an index, dealt out to threads and to places.
//!
//! # The idea
//! A [`RegisterLayout`] splits the extent of each dim into a product of *modes*, as a number is split
//! into digits. Each digit goes to one of two lists: the *spatial* digits make the number of the thread
//! that holds an element, the *local* ones its place among the registers of that thread. Small layouts
//! are composed to large ones: `local(2, 1).spatial(8, 4).local(1, 2)` is two of [`spatial`]'s 8 x 4
//! threads below each other, each with two neighbours in a row, which is what one tensor instruction
//! gives each thread:
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
//! Extents need not be powers of two, which is what this crate has over linear layouts; in return
//! there is no XOR here. The `bridge` of the crate `linear-layout` says when a layout is both, and converts.
//!
//! # Reading order
//! [`RegisterLayout`], [`local`] and [`spatial`], [`compose`](RegisterLayout::compose) and
//! [`divide`](RegisterLayout::divide), then memory: [`SharedLayout`], [`GlobalLayout`],
//! [`TensorMemoryLayout`]. [`MultiFunction`] is the part of a layout that says which threads hold an
//! element. Errors are [`TilusError`]s that name the mode or dim at fault.
//!
//! # Orders
//! All is row-major, unlike in CuTe: the last dim, the last digit of a list are the fastest.
//!
//! # Where Tilus 0.2.0 differs
//! What Tilus prints, this room prints. It differs where Tilus gives a wrong map or a crash: modes that
//! are in no list are an error; equal layouts are equal, and have one hash, however replications are
//! spelled; a quotient is found whenever there is one; [`flatten`](RegisterLayout::flatten) takes a
//! range that says whether it includes its end; [`reshape`](RegisterLayout::reshape) loses no part of a
//! mode; indices beyond the shape are errors; composed shared layouts keep their swizzle, and modes of
//! shared layouts are merged only where the map stays; composed global layouts are tiles of tiles.
//!
//! # Speed
//! Nothing here allocates for up to four dims and eight modes, but for texts, grids and lists that are
//! returned. `cargo bench --bench tilus` prints our times, beside those of Tilus where it is at hand.
//!
//! # Deliberately missing
//! Symbolic extents; the search for layouts of a whole program, which is what `assign` is for.
#![forbid(unsafe_code)]

mod compose;
mod create;
mod error;
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

/// Extents of dims: most tensors have at most four.
type Extents = SmallVec<[u64; 4]>;
/// Extents of modes, and lists of modes.
type Modes<T> = SmallVec<[T; 8]>;
