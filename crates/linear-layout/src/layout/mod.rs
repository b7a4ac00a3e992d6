//! The layout algebra: linear maps between named dimensions.
//!
//! # The idea
//! A layout maps hardware locations (register, lane, warp, ... or an offset in memory) to coordinates of a tensor. In
//! nearly every layout on GPUs, the bits of the coordinates are XORs of bits of the location. Such a function is
//! determined by the image of each input bit, its *basis*:
//!
//! ```text
//! L(x ^ y) = L(x) ^ L(y),    so    L(x) = XOR of the bases of the bits that are set in x
//! ```
//!
//! # A 4x4 example
//! Four lanes with four registers each hold a 4x4 tile. Lane bits select the row, register bits select the column. The
//! column is XORed with the row number, so that one column of the tile lies in four different registers (a *swizzle*):
//!
//! ```text
//! register=1 -> (0, 1)     the tile, as register number:     column 0 1 2 3
//! register=2 -> (0, 2)                              row/lane 0      0 1 2 3
//! lane=1     -> (1, 1)                              row/lane 1      1 0 3 2
//! lane=2     -> (2, 2)                              row/lane 2      2 3 0 1
//!                                                   row/lane 3      3 2 1 0
//! ```
//!
//! Lane 3 and register 2 hold element (3, 1). Lane `3 = 0b11` selects the bases `(1, 1)` and `(2, 2)`, and register
//! `2 = 0b10` selects the basis `(0, 2)`. The XOR of these bases is `(1^2^0, 1^2^2) = (3, 1)`. In code:
//!
//! ```
//! use linear_layout::layout::{Dim, LayoutError, LinearLayout};
//!
//! let (r, l, rows, cols) = (Dim::REGISTER, Dim::LANE, Dim::out(0), Dim::out(1));
//! let swizzled = LinearLayout::from_bases(
//!     &[(r, &[&[0, 1], &[0, 2]]), (l, &[&[1, 1], &[2, 2]])],
//!     &[rows, cols],
//! )?;
//! assert_eq!(swizzled.apply(&[(r, 2), (l, 3)])?, [3, 1]);
//! // The inverse maps element (3, 1) to its location.
//! assert_eq!(swizzled.invert()?.apply(&[(rows, 3), (cols, 1)])?, [2, 3]);
//! // The tile without swizzle is a product of identities; the conversion permutes registers.
//! let plain = LinearLayout::identity_1d(4, r, cols)?.product(&LinearLayout::identity_1d(4, l, rows)?)?;
//! let plain = plain.transpose_outs(&[rows, cols])?;
//! let conversion = plain.minimal_conversion_to(&swizzled)?;
//! assert!(conversion.in_dims().eq([r, l])); // the register to read depends on the lane
//! # Ok::<(), LayoutError>(())
//! ```
//!
//! # The maths
//! Bits form the field GF(2): adding is XOR, multiplying is AND. A layout is a matrix with one column for each input
//! bit and one row for each output bit. Operations on layouts are matrix operations:
//!
//! | operation | on matrices | use |
//! |---|---|---|
//! | [`product`](LinearLayout::product) | block-diagonal sum | tiles of tiles: elements, threads, warps |
//! | [`compose`](LinearLayout::compose) | product | one map after another |
//! | [`invert`](LinearLayout::invert) | inverse | from elements back to locations |
//! | [`invert_and_compose`](LinearLayout::invert_and_compose) | solve `B X = A` | convert between two layouts |
//! | [`divide_left`](LinearLayout::divide_left) | split off a block | fitting an instruction's tile |
//! | [`free_variable_masks`](LinearLayout::free_variable_masks) | kernel | locations that hold copies |
//! | [`sublayout`](LinearLayout::sublayout) | sub-matrix | interaction of two dims |
//!
//! A zero basis is a broadcast: both values of the input bit map to the same element. A layout is surjective if every
//! element has a location, and injective if no element has two locations. The order of the dims is part of a layout:
//! the first dim is the fastest. The order matters for reshaping, printing and equality.
//!
//! A slice, a flip or a subview does not map zero to zero. Such a map is an [`AffineLayout`] `y = A x ^ b`.
//!
//! # Reading order
//! [`Dim`], [`LinearLayout`], [`ensure_not_larger_than`] and [`ensure_not_smaller_than`] (fitting a tensor),
//! [`RegisterPermutation`] (Triton's `ColumnAction`), [`AffineLayout`]. A [`LayoutError`] names the dim or basis at
//! fault.
//!
//! # Speed
//! Most operations do not allocate. [`LinearLayout::block_slice`], layouts with more than 2^24 inputs and new dim names
//! do. `cargo bench --bench algebra` prints timings, next to Triton's C++ where installed (see CONTRIBUTING.md).
//!
//! # Rejected alternatives
//! - *Maps from strings to lists of lists*, as in Triton: hashing and allocation cost more than the arithmetic.
//! - *Strides*, as in CuTe: they cover sizes that are not powers of two, but a swizzle needs a second kind of object.
//! - *Unbounded storage*: no tensor needs more than 64 input or output bits. 24 columns are stored inline, since a copy
//!   of 64 columns would cost more than most operations.
//!
//! # Deliberately missing
//! Sizes that are not powers of two. Operators such as `*`, which could report an error only by a panic.

mod action;
mod action_choices;
mod affine;
mod block;
mod columns;
mod combine;
mod compose;
mod conversion;
mod coords;
mod dim;
mod error;
mod fit;
mod linear_layout;
mod parse;
mod query;
mod reshape;
mod side;
mod standard;
mod sublayout;
mod text;

pub use action::RegisterPermutation;
pub use affine::AffineLayout;
pub use block::BlockSlice;
pub use coords::Coords;
pub use dim::Dim;
pub use error::{LayoutError, Role};
pub use fit::{ensure_not_larger_than, ensure_not_smaller_than};
pub use linear_layout::{LinearLayout, Surjectivity};
pub use query::FreeMasks;
pub use side::MAX_DIMS;
pub use standard::standard_out_dims;
