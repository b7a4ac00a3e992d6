//! Black-box tests of the public API, one module per subject.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "tests draw small numbers"
)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod asynchronous;
mod broken;
mod buffers;
mod descriptors;
#[path = "../files.rs"]
mod files;
mod float_formats;
mod inference;
mod instructions;
mod kernels;
mod language_server;
mod late;
mod layout_choices;
mod mathematics;
mod operations;
mod ops;
mod pass_options;
mod pipelined;
mod products;
mod ptx_forms;
#[path = "../ptxas.rs"]
mod ptxas;
mod referee;
mod reference;
mod requests;
mod respelling;
mod rules;
mod simulated;
mod specialized;
#[path = "../split_mix.rs"]
mod split_mix;
mod targets;
#[path = "../../src/testing.rs"]
mod testing;
mod tidy;
mod wording;
