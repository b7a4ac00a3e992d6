//! Prints the random modules of the referee's test, each below a line with its seed, hash, operation
//! and what is broken: `cargo run --example referee -- FIRST COUNT`.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "tests draw small numbers"
)]

#[path = "../rust/referee/mod.rs"]
mod referee;
#[path = "../split_mix.rs"]
mod split_mix;

use referee::generate::{generate, hash};
use std::io::{self, Write};

fn main() -> io::Result<()> {
    let numbers: Vec<u64> = std::env::args().skip(1).flat_map(|a| a.parse()).collect();
    let [first, count] = numbers[..] else {
        return Err(io::Error::other("usage: referee FIRST COUNT"));
    };
    let mut out = io::BufWriter::new(io::stdout().lock());
    for seed in first..first + count {
        let made = generate(seed);
        let broken = made.broken.unwrap_or("-");
        let hash = hash(&made.text);
        writeln!(out, "//// {seed} {hash:016x} {} {broken}", made.op)?;
        out.write_all(made.text.as_bytes())?;
    }
    out.flush()
}
