//! The evaluator: runs plans lane by lane.

mod access;
mod gather;
mod histogram;
pub mod matrix;
mod plan;
mod product;
mod reduce;
mod scan;
mod share;
mod tensor_copy;
mod tuples;
mod warp_group;

pub use access::{AccessFault, check_access};
pub use gather::check_gather;
pub use histogram::check_histogram;
pub use plan::{PlanFault, PlanReport, check_plan};
pub use product::check_product;
pub use reduce::check_reduction;
pub use scan::check_scan;
pub use share::check_sharing;
pub use tensor_copy::{TensorCopyFault, check_tensor_copy};
pub use warp_group::{DescribedMatrix, DescriptorFault, WarpGroupFault, check_warp_group_product};
