//! Choice of layouts for a whole kernel: minimum-cost assignment on a graph whose nodes have alternatives.
//!
//! The solver sees numbers only. The caller that builds the [`Graph`] decides what a node is (an operation, or several
//! that must agree), what its alternatives are (the layouts that it can work in), and what they cost.
//!
//! # Algorithm
//! The graph becomes a `network` of variables and cost tables between them. Variables are eliminated one by one (bucket
//! elimination): the tables of a variable are added and minimised over its values, which leaves a table over its neighbours
//! (`order`, `factor`, `eliminate`). Graphs of kernels are nearly trees, so tables stay small, and the last number is the
//! optimum. Ties are broken lexicographically (`first`).
//!
//! Dominated alternatives are pruned where the treewidth is too large (`prune`). A network that is still too large gets a
//! lower bound by mini-buckets (`relax`) and an assignment by local search (`improve`): large neighbourhoods that are
//! solved exactly while a few variables stay fixed, and expansions of one layout from an operation (`expand`).
//!
//! # Guarantees
//! - The price of a [`Solution`] is that of its assignment, with shared terms paid once: [`Graph::price`].
//! - The bound is at most the price of every assignment.
//! - [`SolveMethod::Elimination`] is the optimum, shared terms included: a shared term is a variable of its own, which must
//!   be paid if a member requests it.
//! - Local search never ends dearer than the start.
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
