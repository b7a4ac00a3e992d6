//! Random kernels of all supported operations, compared with plain evaluation.
//!
//! [`generate`] draws a kernel from a seed: tensors of random shapes in layouts of every family are loaded, computed
//! with, viewed, converted, carried through loops and branches, and stored. [`evaluate`] computes the expected memory,
//! on arrays of elements without layouts. [`run`] lowers the kernel and simulates it; memory must agree byte by byte,
//! except for bits of NaNs. [`shrink`] reduces a failing kernel. Kernels of [`layouts`] are large with few layouts
//! each, for the choice of layouts. [`open`] opens the layouts of some values.
//!
//! Reading order: [`kernel`], [`generate`], [`evaluate`], [`run`].
//!
//! Not generated: operations with more than one valid result (`tt.reshape` that may reorder, `tt.cat`,
//! poison), and approximations.

mod arithmetic;
mod atomics;
mod builder;
mod compute;
mod evaluate;
mod exchange;
mod float;
pub(crate) mod generate;
pub(crate) mod kernel;
pub(crate) mod layouts;
mod memory;
pub(crate) mod open;
mod product;
pub(crate) mod run;
pub(crate) mod shrink;
mod systems;
pub(crate) mod text;
