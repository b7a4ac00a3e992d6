//! Choice of layouts for a whole kernel: minimum-cost assignment on a graph whose nodes have alternatives.
//!
//! The solver only processes numbers. The caller builds the [`Graph`]: nodes (an operation, or several operations with
//! one common layout), the alternatives of each node (the supported layouts), and costs.
//!
//! # Algorithm
//! The graph becomes a `network` of variables and cost tables. Bucket elimination (`order`, `factor`, `eliminate`)
//! removes one variable after the other: the sum of the variable's tables, minimised over the values of this variable,
//! is a table over the neighbours. Graphs of kernels are nearly trees, so tables stay small. The last number is the
//! optimum. Ties are broken lexicographically (`first`).
//!
//! If the treewidth is too large, dominated alternatives are removed (`prune`). If tables are still too large,
//! mini-buckets give a lower bound (`relax`), and local search gives an assignment (`improve`). Local-search moves
//! solve exactly with a few variables fixed, or expand one layout from an operation (`expand`).
//!
//! # Guarantees
//! - The price of a [`Solution`] is exact, with shared terms paid once: [`Graph::price`].
//! - The bound is at most the price of every assignment.
//! - [`SolveMethod::Elimination`] gives the optimum, shared terms included.
//! - The result of local search never costs more than the start.
//!
//! Absent on purpose: time limits, caps on alternatives, and copies of an operation in several layouts.
//!
//! Reading order: [`Graph`], [`solve`], `network`, `eliminate`, `improve`.

mod cost;
mod eliminate;
mod expand;
mod factor;
mod first;
mod graph;
mod improve;
mod network;
mod order;
mod prune;
mod relax;
mod solve;
#[cfg(test)]
mod tests;

pub use graph::{Graph, INFEASIBLE, NodeId, Price};
pub use solve::{Solution, SolveMethod, next_best, solve};
