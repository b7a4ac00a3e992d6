//! Chapters to read, each with examples that run.

#[doc = include_str!("linear_layouts.md")]
pub mod linear_layouts {}
