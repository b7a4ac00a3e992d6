//! Choice of layouts for a whole kernel: minimum-cost assignment on a graph whose nodes have alternatives.
//!
//! The solver only processes numbers. The caller builds the [`Graph`]: it defines the nodes (an operation, or several
//! operations that must have the same layout), the alternatives of each node (the layouts that the operation supports),
//! and their costs.
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
//! - The price of a [`Solution`] is the exact price of its assignment, in which shared terms are paid once:
//!   [`Graph::price`].
//! - The bound is at most the price of every assignment.
//! - [`SolveMethod::Elimination`] gives the optimum, shared terms included: a shared term is represented by a variable,
//!   which must be paid if a member requests the term.
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
