//! The layout algebra: linear maps between named dimensions.

mod action;
mod action_choices;
mod affine;
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

pub use action::{ColumnAction, RegisterPermutation};
pub use affine::AffineLayout;
pub use coords::Coords;
pub use dim::Dim;
pub use error::{LayoutError, Role};
pub use fit::{ensure_not_larger_than, ensure_not_smaller_than};
pub use linear_layout::{LinearLayout, Surjectivity};
pub use query::FreeMasks;
pub use side::MAX_DIMS;
pub use standard::{ApplyRange, standard_out_dims};
