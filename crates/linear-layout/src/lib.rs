//! GPU tensor layouts as linear maps over GF(2).
//!
//! [`guide::linear_layouts`] is an introduction (twenty minutes).
//!
//! Start with [`layout`] (the algebra), [`encoding`] (the named layouts of compilers), [`plan`] (data movement between
//! layouts, with cost and text), [`view`] (layouts as text and pictures), and [`bridge`] with [`cute`] and [`tilus`]
//! (the layouts of these two systems). Compilers that lower plans also need [`plan::program`] (the steps of plans),
//! [`access`] (the width of memory accesses), [`machine`] (the checker that executes plans lane by lane) and [`assign`]
//! (the choice of layouts for a whole kernel). [`target`] describes GPUs as data, [`f2`] is linear algebra over bits.
//! [`text`] parses layouts in the notation of any layout system.
//!
//! Modules use earlier modules in this list: `f2`, `layout`, `cute` and `tilus`, `bridge`, `encoding`, `text`,
//! `target`, `access`, `plan`, `machine`, `assign`, `view`. Exceptions: `text` uses a printer in `view`, and `encoding`
//! uses a type in `plan`.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "tests draw small numbers"
    )
)]

pub mod access;
pub mod assign;
pub mod bridge;
pub mod encoding;
pub mod f2;
pub mod guide;
pub mod layout;
pub mod machine;
mod number;
pub mod plan;
pub mod target;
pub mod text;
pub mod view;

pub use linear_layout_cute as cute;
pub use linear_layout_tilus as tilus;

#[cfg(test)]
extern crate self as linear_layout;
#[cfg(test)]
#[path = "../../../test/split_mix.rs"]
mod split_mix;
#[cfg(test)]
mod testing;

/// An item to which the text of the README is attached as a doc comment, so that the examples in the README run as
/// doctests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
