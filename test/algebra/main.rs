//! Black-box tests of the algebra, without LLVM: one module for each subject.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "tests draw small numbers"
)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod assign;
#[path = "../../tools/ll-layout/batch/mod.rs"]
mod batch;
mod bench_peer;
mod bridge_laws;
mod conversions;
mod cute_known_faults;
mod cute_laws;
mod cute_vectors;
mod encoding_answers;
mod encodings;
mod error_texts;
#[path = "../files.rs"]
mod files;
mod fuzz_corpus;
mod layout_borders;
mod layout_laws;
mod linear_layout_vectors;
mod ll_layout;
mod no_allocation;
mod no_std;
mod other_compilers;
#[path = "../../tools/bench/peer.rs"]
mod peer;
mod seeds;
#[path = "../split_mix.rs"]
mod split_mix;
#[path = "../../crates/linear-layout/src/testing.rs"]
mod testing;
mod tilus_laws;
mod tilus_random;
mod tilus_seeds;
mod tilus_vectors;
mod views;
