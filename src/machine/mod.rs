//! The evaluator: runs plans and lowered kernels lane by lane.

pub mod kernel;
mod plan;
mod race;
mod reduce;

pub use plan::{PlanFault, PlanReport, check_plan};
pub use reduce::{ReduceFault, check_reduction};
