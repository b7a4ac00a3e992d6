//! GPU tensor layouts as linear maps over GF(2).
//!
//! New to the subject? [`guide::linear_layouts`] takes twenty minutes.
//!
//! Modules, lowest first; each one uses only those above it in this list:
//! [`f2`] bit matrices, [`layout`] the layout algebra, [`cute`] and [`tilus`] the layouts of CuTe and
//! Tilus, [`bridge`] conversions between the three systems, [`encoding`] the named layouts of compilers,
//! [`target`] GPUs as data, [`access`] how wide accesses to memory may be, [`plan`] how data moves,
//! [`machine`] the checker that proves plans lane by lane, [`assign`] the choice of layouts for a whole
//! kernel, [`view`] layouts as text and pictures.
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
