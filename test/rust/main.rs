//! Black-box tests of the public API: one binary, one module for each subject.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod assign;
#[path = "../../tools/ll-layout/batch/mod.rs"]
mod batch;
mod bench_peer;
mod bridge_laws;
#[cfg(feature = "mlir")]
mod broken;
#[cfg(feature = "mlir")]
mod buffers;
mod circles;
mod conversions;
mod cute_known_faults;
mod cute_laws;
mod cute_vectors;
mod encoding_answers;
mod encodings;
mod error_texts;
#[cfg(feature = "mlir")]
mod float_formats;
mod fuzz_corpus;
#[cfg(feature = "mlir")]
mod inference;
#[cfg(feature = "mlir")]
mod kernels;
#[cfg(feature = "mlir")]
mod language_server;
mod layout_borders;
#[cfg(feature = "mlir")]
mod layout_choices;
mod layout_laws;
mod linear_layout_vectors;
mod ll_layout;
#[cfg(feature = "mlir")]
mod mathematics;
mod no_allocation;
mod no_std;
#[cfg(feature = "mlir")]
mod operations;
#[cfg(feature = "mlir")]
mod ops;
mod other_compilers;
mod pass_options;
#[path = "../../tools/bench/peer.rs"]
mod peer;
mod ptx_forms;
#[cfg(feature = "mlir")]
mod referee;
#[cfg(feature = "mlir")]
mod reference;
#[cfg(feature = "mlir")]
mod respelling;
#[cfg(feature = "mlir")]
mod rules;
mod seeds;
#[path = "../split_mix.rs"]
mod split_mix;
mod targets;
#[path = "../../src/testing.rs"]
mod testing;
mod tidy;
mod tilus_laws;
mod tilus_random;
mod tilus_seeds;
mod tilus_vectors;
mod views;
