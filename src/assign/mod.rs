//! Layouts for a whole kernel, as a problem of choosing: each node of a graph has alternatives, and the sum of
//! prices is to be as low as can be.
//!
//! The room knows numbers only. Who builds the [`Graph`] says what a node is (an operation, or several that must
//! agree), what its alternatives are (the layouts that it can work in), and what they cost.
//!
//! Reading order: [`Graph`], [`solve`].

mod graph;
mod solve;

pub use graph::{EdgeId, Graph, INFEASIBLE, NodeId, Price, SharedId};
pub use solve::{How, Solution, next_best, solve};
