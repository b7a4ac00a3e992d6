//! The evaluator: runs plans and lowered kernels lane by lane.
