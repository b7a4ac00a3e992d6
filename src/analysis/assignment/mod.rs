//! Layouts for all values of a function at once: what there is to choose, what it costs, and what is best.
//!
//! | file | knows |
//! |---|---|
//! | `layouts` | encodings and layouts by number |
//! | `roles` | what an operation is to layouts |
//! | `kernel` | a function as values with layouts: who makes them, who uses them, how often |
//! | `modes` | the ways to lay out an operation, and how they are carried from one to the next |
//! | `slices` | what is made again where it is wanted in another layout |
//! | `prices` | what operations and conversions cost |
//! | `products` | plans of products of matrices |
//! | `choice` | the graph of all that, and the choice |
//! | `alternatives` | operations that can be carried out in other layouts than their own |
//! | `variants` | the choice where sets of values are laid out as a whole, in one of a few ways |
//! | `explain` | why conversions are left, and what became of the others |
//!
//! The choice is made by [`linear_layout::assign`], which knows numbers only. Nothing here changes IR.

mod alternatives;
mod asked;
mod choice;
mod explain;
mod kernel;
mod layouts;
mod modes;
mod outcome;
mod prices;
mod products;
mod roles;
mod slices;
mod variants;

pub(crate) use alternatives::{Alternative, Open};
pub(crate) use asked::{Asked, Scope};
pub(crate) use choice::{assign, assign_explained, choose, improve};
pub(crate) use explain::{Explanation, Left, Went, Why};
pub(crate) use kernel::{DatumId, Kernel, read};
pub(crate) use layouts::EncodingId;
pub(crate) use modes::{Of, Spelling};
pub(crate) use outcome::{Assignment, Large};
pub(crate) use prices::{Plans, plan_buffer_access};
pub(crate) use products::PricedProduct;
pub(crate) use roles::Role;
pub(crate) use slices::Item;
pub(crate) use variants::cheapest;
