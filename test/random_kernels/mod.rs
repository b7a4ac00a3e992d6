//! Random kernels of everything that lowers, against plain evaluation.
//!
//! [`generate`] makes a kernel from a seed: tensors of random shapes in layouts of every family are
//! loaded, computed with, viewed, converted, carried through loops and branches, and stored.
//! [`evaluate`] says what memory must hold afterwards: it works on arrays of elements, and knows no
//! layouts. [`run`] lowers the kernel and runs it lane by lane; memory must be the same, byte by byte,
//! a NaN aside. A kernel that fails is made smaller by [`shrink`]. Kernels of [`layouts`] are large, and of few layouts
//! each: there is something to choose. [`open`] leaves the layouts of some values open.
//!
//! Reading order: [`kernel`], [`generate`], [`evaluate`], [`run`].
//!
//! Missing on purpose: what has more than one right result (`tt.reshape` that may reorder, `tt.cat`,
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
