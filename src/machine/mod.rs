//! The evaluator: runs plans and lowered kernels lane by lane.

pub mod kernel;
mod plan;
mod race;
mod reduce;
mod scan;
mod share;
mod tuples;

pub use plan::{PlanFault, PlanReport, check_plan};
pub use reduce::check_reduction;
pub use scan::check_scan;
pub use share::{ShareFault, check_sharing};
pub use tuples::TupleFault;
