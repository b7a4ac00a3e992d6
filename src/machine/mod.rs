//! The evaluator: runs plans and lowered kernels lane by lane.

pub mod kernel;
