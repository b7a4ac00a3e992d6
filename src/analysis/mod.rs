//! What is known of a function before it is lowered: facts on values ([`axis`]), and what goes on in shared memory.
//!
//! Shared memory is decided in steps, each of which knows only what the one before says:
//!
//! | file | answers |
//! |---|---|
//! | `effects` | what one operation does: allocations, scratch, accesses, channels, barriers, fences |
//! | `flow` | in which order operations run: segments without branches, and the edges between them |
//! | `alias` | which bytes of which buffers a value may stand for |
//! | `in_flight` | which asynchronous accesses may be under way where, and which waits observe them |
//! | `concrete` | the same on paths whose integers are known: rotating buffers, phases of mbarriers |
//! | `counted` | how many instructions of copies may be in flight after each wait |
//! | `liveness` | which buffers are live where |
//! | `allocation` | where each buffer and each scratch lies: bytes that no live buffer has are used again |
//! | `barriers` | which operations need a barrier or a proxy fence before them |
//!
//! `tokens` says which groups of copies a wait for tokens may leave in flight, `pressure` estimates how many registers a loop with products keeps filled.
//!
//! Effects are what each family of operations says of itself, from its plan; nothing here knows an operation by
//! name but those of `scf` and `cf`, which are control flow, and those of `arith` that `concrete` evaluates. An operation that touches shared memory in a region of
//! anything else is an error that names it.

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
pub(crate) mod liveness;
pub(crate) mod pressure;
#[cfg(test)]
mod tests;
pub(crate) mod tokens;
