//! Layouts for a whole kernel, as a problem of choosing: each node of a graph has alternatives, and the sum of
//! prices is to be as low as can be.
//!
//! The room knows numbers only. Who builds the [`Graph`] says what a node is (an operation, or several that must
//! agree), what its alternatives are (the layouts that it can work in), and what they cost.
//!
//! # How it is solved
//! The graph becomes a `network`: variables, and tables of costs between them. A variable is eliminated by adding
//! up its tables and keeping the least over its values, which leaves a table over its neighbours (`order`,
//! `factor`, `eliminate`). Graphs of kernels are nearly trees, so tables stay small, and the last number is the
//! optimum. Of assignments that cost the same, `first` takes the first.
//!
//! What is too entangled loses alternatives that another one is always cheaper than (`prune`). What is still too
//! entangled gets a lower bound (`relax`), and assignments are made cheaper by moves (`improve`): most variables are
//! chosen at once, exactly, beside a few as they are; and a layout is spread from an operation as far as it pays
//! (`expand`).
//!
//! # What is exact
//! - The price of a [`Solution`] is that of its assignment, with what is shared paid once: [`Graph::price`].
//! - The bound is below the price of every assignment.
//! - What is eliminated ([`How::Eliminated`]) is the optimum, shared terms and all: a shared term is a variable of
//!   its own, which must be paid if a member asks.
//! - What is found by moves is never dearer than the start.
//!
//! Missing on purpose: limits of time, caps on alternatives, and copies of an operation in several layouts.
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
pub use solve::{How, Solution, next_best, solve};
