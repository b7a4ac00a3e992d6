//! The reader of encodings, and their layouts, on any bytes.
#![no_main]

#[path = "../bodies/encoding.rs"]
mod encoding;

libfuzzer_sys::fuzz_target!(|data: &[u8]| encoding::text(data));
