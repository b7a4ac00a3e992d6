//! An MLIR dialect family with layouts for tensors, compatible with Triton's textual IR. Includes passes, and a
//! lowering to LLVM for NVIDIA and AMD.
//!
//! [`linear_layout`] is the layout algebra, [`gpu_sim`] the simulator of lowered kernels. Modules, lowest first:
//! [`sys`] (unsafe code), [`ir`] (typed operations and rules), [`analysis`] (data flow), [`lower`] (emission),
//! [`passes`], [`driver`] (from text to a result). [`simulated`] converts lowered modules for the simulator. Each
//! module uses only earlier ones.

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "tests draw small numbers"
    )
)]

pub mod analysis;
pub mod driver;
pub mod ir;
pub mod lower;
#[path = "../passes/mod.rs"]
pub mod passes;
pub mod simulated;
pub mod sys;

pub use gpu_sim;
pub use linear_layout;

/// Installs the dialects, passes and C API, and registers the passes with MLIR. Further calls have no effect.
pub fn install() {
    passes::install();
    sys::install_requests(&driver::requests::Driver);
}

/// Adds `tt`, `ttg`, `ttng`, `amdg`, `cute`, `tilus` and `gluon` to a registry.
pub fn register_dialects(registry: &melior::dialect::DialectRegistry) {
    install();
    sys::register_dialects(registry);
}

#[cfg(test)]
extern crate self as linear_layout_mlir;
#[cfg(test)]
#[path = "../test/split_mix.rs"]
mod split_mix;
#[cfg(test)]
mod testing;
