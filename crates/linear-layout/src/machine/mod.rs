//! The plan evaluator, which executes plans on symbolic values, lane by lane.

mod access;
mod broadcast;
mod gather;
mod histogram;
pub mod matrix;
mod plan;
mod product;
mod reduce;
mod scan;
mod tensor_copy;
mod tuples;
mod warp_group;

pub use access::{AccessFault, check_access};
pub use broadcast::check_broadcast;
pub use gather::check_gather;
pub use histogram::check_histogram;
pub use plan::{PlanFault, PlanReport, check_plan};
pub use product::check_product;
pub use reduce::check_reduction;
pub use scan::check_scan;
pub use tensor_copy::{TensorCopyFault, check_tensor_copy};
pub use warp_group::{DescribedMatrix, DescriptorFault, WarpGroupFault, check_warp_group_product};
