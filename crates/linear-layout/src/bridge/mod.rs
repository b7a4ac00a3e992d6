//! Conversions between layout systems: linear over GF(2), CuTe, Tilus.
//!
//! Each conversion is exact and complete: it returns the equivalent layout, or an error that states why none exists.
//!
//! | from | to | exists exactly if |
//! |---|---|---|
//! | CuTe | linear: [`linear_from_cute`] | extents are powers of two and no sum carries |
//! | CuTe, one mode for each dim | memory: [`memory_from_cute`] | it is linear, and gaps are bits of the offset |
//! | CuTe, threads and values | linear: [`linear_from_thread_value`] | it is linear, and maps onto all elements |
//! | CuTe with swizzle and offset | affine: [`affine_from_cute`] | no sum with the offset carries |
//! | linear, affine | CuTe: [`cute_from_linear`], [`cute_from_affine`] | no two bases share a bit after one swizzle |
//! | Tilus | CuTe, threads and values: [`thread_value_from_tilus`] | always |
//! | CuTe, threads and values | Tilus: [`tilus_from_thread_value`] | strides step through all elements, and dims end at divisors |
//! | Tilus | linear: [`linear_from_tilus`] | modes and replications are powers of two |
//! | linear | Tilus: [`tilus_from_linear`] | each basis moves one bit of the index, each bit moves once |
//!
//! ```
//! use linear_layout::bridge::{ElementOrder, linear_from_tilus, thread_value_from_tilus};
//! use linear_layout::tilus::{TilusError, local};
//!
//! // The fragment of a tensor instruction's result, in three systems.
//! let tilus = local(&[2, 1])?.spatial(&[8, 4])?.local(&[1, 2])?;
//! let cute = thread_value_from_tilus(&tilus, ElementOrder::ColumnMajor).unwrap();
//! assert_eq!(cute.to_string(), "((4,8),(2,2)):((32,1),(16,8))");
//! let linear = linear_from_tilus(&tilus, 32).unwrap();
//! assert_eq!(linear.to_string(), "
//!  - register=1 -> (0, 1)
//!    register=2 -> (8, 0)
//!  - lane=1 -> (0, 2)
//!    lane=2 -> (0, 4)
//!    lane=4 -> (1, 0)
//!    lane=8 -> (2, 0)
//!    lane=16 -> (4, 0)
//!  - warp is a size 1 dimension
//!  - block is a size 1 dimension
//! where out dims are: [dim0 (size 16), dim1 (size 8)]");
//! # Ok::<(), TilusError>(())
//! ```
//!
//! # Orders
//! Tilus numbers elements in row-major order, CuTe in column-major order. In a linear layout, the first dim is in the
//! low bits. An [`ElementOrder`] selects the order.
//!
//! # Reading order
//! Read [`cute_bases`] first, which explains when sums are XORs. Then read the functions in the table above,
//! [`cute_from_shared`] for memory, and [`DistributedLayout`] for equality.

mod bits;
mod compare;
mod error;
mod register;
mod shared;
mod thread_value;

pub use bits::{
    affine_from_cute, cute_bases, cute_from_affine, cute_from_bases, cute_from_linear,
    linear_from_composed, linear_from_cute,
};
pub use compare::{Difference, DistributedLayout};
pub use error::BridgeError;
pub use register::{RegisterBases, linear_from_tilus, register_bases, tilus_from_linear};
pub use shared::{
    cute_from_shared, linear_from_shared, memory_from_cute, memory_from_shared, shared_from_cute,
    shared_from_linear,
};
pub use thread_value::{
    ElementOrder, linear_from_thread_value, thread_value_from_tilus, tilus_from_thread_value,
};
