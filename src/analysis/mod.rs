//! Analyses of functions before lowering: integer facts ([`axis`]), layout assignment, and shared memory.
//!
//! The shared-memory analyses run in this order:
//!
//! | file | computes |
//! |---|---|
//! | `effects` | the effects of one operation: allocations, scratch, accesses, channels, barriers, fences |
//! | `flow` | the control-flow graph, and a solver for forward data-flow problems |
//! | `alias` | the bytes of each buffer to which a value may refer |
//! | `slots` | the slot of a rotating buffer to which a value refers |
//! | `in_flight` | asynchronous accesses in flight, and the waits that observe them |
//! | `concrete` | faults on paths with known integers: rotating buffers, phases of mbarriers, concurrent regions |
//! | `counted` | the number of copy instructions that may be in flight after each wait |
//! | `liveness` | live buffers |
//! | `allocation` | offsets of buffers and scratch memory; dead bytes are reused |
//! | `barriers` | barrier and proxy-fence insertion |
//!
//! `tokens` computes how many groups a wait for async tokens may leave in flight. `pressure` computes how many
//! registers a loop with products needs, and `live_tensors` how many are live at each operation. `positions` numbers
//! operations for live ranges.
//!
//! Each lowering states the shared-memory effects of its operation. The analyses know only control flow (`scf`, `cf`),
//! `ttg.warp_specialize`, and the `arith` operations that `concrete` evaluates. Shared-memory use inside any other
//! operation with regions is an error.
//!
//! The regions of `ttg.warp_specialize` run concurrently, each on the warps of a `Team`. Different teams have disjoint
//! memory. Analyses of paths see one region at a time; `concrete` finds conflicts between regions.

pub(crate) mod alias;
pub(crate) mod allocation;
pub(crate) mod assignment;
pub(crate) mod automatic;
pub mod axis;
pub(crate) mod barriers;
pub(crate) mod concrete;
pub(crate) mod counted;
pub(crate) mod effects;
pub(crate) mod flow;
pub(crate) mod in_flight;
pub(crate) mod live_tensors;
pub(crate) mod liveness;
pub(crate) mod positions;
pub(crate) mod pressure;
mod slots;
#[cfg(test)]
mod tests;
pub(crate) mod tokens;
