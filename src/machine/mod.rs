//! The evaluator: runs plans and lowered kernels lane by lane.

pub mod kernel;
mod plan_memory;
mod plan_run;

pub use plan_run::{PlanFault, PlanReport, check_plan};
