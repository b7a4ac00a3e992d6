//! The reader of printed layouts on any bytes.
#![no_main]

#[path = "../bodies/layout.rs"]
mod layout;

libfuzzer_sys::fuzz_target!(|data: &[u8]| layout::text(data));
