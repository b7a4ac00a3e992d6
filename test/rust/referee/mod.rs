//! Random modules and what Triton says about them.
//!
//! [`generate`] makes the module of a seed, `verdict` compares the library's verdict with the
//! recorded one of Triton. `test/referee/verdicts.py` records.

#[cfg(test)]
mod differences;
pub(crate) mod generate;
mod memory;
mod mutate;
mod ops;
mod policy;
pub(crate) mod random;
mod registers;
mod text;
#[cfg(test)]
mod verdict;
