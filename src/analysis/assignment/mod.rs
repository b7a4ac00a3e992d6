//! Layout assignment: encodings for all values of a function, at minimal cost.
//!
//! | file | contents |
//! |---|---|
//! | `options` | target, scope and weights of an assignment |
//! | `layouts` | interned encodings, shapes and layouts |
//! | `roles` | how an operation constrains layouts: pinned, elementwise, view, ... |
//! | `kernel` | a function as values with layouts, their producers, users and execution counts |
//! | `modes` | candidate encodings of an operation, propagated along values |
//! | `slices` | backward slices that can be rematerialised in another layout |
//! | `prices` | costs of operations and conversions, from their plans |
//! | `buffers` | accesses to shared-memory buffers |
//! | `products` | plans of matrix products |
//! | `choice` | the assignment problem as a graph, and its solution |
//! | `scans` | candidate encodings of global accesses that suit scans |
//! | `alternatives` | operations with given alternatives, such as matrix instructions |
//! | `variants` | assignment for sets of values that share one decision |
//! | `outcome` | the result |
//! | `explain` | outcomes of all conversions, and reasons for the remaining ones |
//!
//! [`linear_layout::assign`] solves the graph. Nothing here changes IR.

mod alternatives;
mod buffers;
mod choice;
mod explain;
mod kernel;
mod layouts;
mod modes;
mod options;
mod outcome;
mod price_cache;
mod prices;
mod products;
mod roles;
mod scans;
mod slices;
mod variants;

pub(crate) use alternatives::{Alternative, OpWithAlternatives};
pub(crate) use buffers::{
    WIDEST_BITS, plan_buffer_access, plan_buffer_transfer, plan_converted_write, widest_swizzle,
};
pub(crate) use choice::{assign, assign_explained, choose, improve};
pub(crate) use explain::{ConversionOutcome, ConversionReport, KeptReason, RemainingConversion};
pub(crate) use kernel::{DatumId, Kernel, read};
pub(crate) use layouts::EncodingId;
pub(crate) use modes::{NodeOrSlice, Spelling};
pub(crate) use options::{AssignmentOptions, Scope};
pub(crate) use outcome::{Assignment, ScratchOverflow};
pub(crate) use price_cache::PriceCache;
pub(crate) use products::PricedProduct;
pub(crate) use roles::{Role, combination_cost, divides_integers};
pub(crate) use slices::Materialisation;
pub(crate) use variants::{ValueEncodings, cheapest};
