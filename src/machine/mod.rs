//! The evaluator: runs plans and lowered kernels lane by lane.

pub mod kernel;
mod plan;
mod race;

pub use plan::{PlanFault, PlanReport, check_plan};
