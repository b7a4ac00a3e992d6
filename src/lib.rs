//! GPU tensor layouts as linear maps over GF(2).
//!
//! New to the subject? [`guide::linear_layouts`] takes twenty minutes.
//!
//! Rooms, lowest first; each one uses only those above it in this list:
//! [`f2`] bit matrices, [`layout`] the layout algebra, [`encoding`] the named layouts of compilers,
//! [`cute`] and [`tilus`] the layouts of CuTe and Tilus, [`bridge`] what of one system is one of another,
//! [`target`] GPUs as data, [`access`] how wide accesses to memory may be, [`plan`] how data moves, [`machine`] the evaluator
//! that proves plans and kernels lane by lane, [`assign`] the choice of layouts for a whole kernel, [`view`] layouts as text.

pub mod access;
#[cfg(feature = "mlir")]
pub mod analysis;
pub mod assign;
pub mod bridge;
pub mod cute;
pub mod encoding;
pub mod f2;
mod graph;
pub mod guide;
#[cfg(feature = "mlir")]
pub mod ir;
pub mod layout;
#[cfg(feature = "mlir")]
pub mod lower;
pub mod machine;
#[cfg(feature = "mlir")]
#[path = "../passes/mod.rs"]
pub mod passes;
pub mod plan;
mod short_list;
#[cfg(feature = "mlir")]
pub mod sys;
pub mod target;
pub mod tilus;
pub mod view;

#[cfg(feature = "mlir")]
pub use passes::{install, register_dialects};

#[cfg(test)]
extern crate self as linear_layout;
#[cfg(test)]
mod testing;

/// The README's example, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
