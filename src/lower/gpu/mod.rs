//! Vendor-specific instructions.
//!
//! [`Gpu`] is the interface to operation families: it combines the target's table with an [`isa::Isa`], implemented by
//! [`nvidia`] and [`amd`]. [`choose`] selects one per module; no other file distinguishes vendors, and operations of
//! NVVM and ROCDL and inline assembly occur in the vendors' files only.

mod access;
mod amd;
mod atomic;
mod isa;
mod lanes;
mod nvidia;
#[cfg(test)]
mod tests;
mod units;

pub(crate) use access::{CachePolicy, GlobalAccess, SecondCache, SharedCopy};
pub(crate) use atomic::{AtomicAccess, AtomicAction, AtomicMemory, acquires, releases};
pub(crate) use isa::{BufferIsa, Gpu, GridDependency};
pub(crate) use lanes::{LaneOperation, SingleOperation};
pub(crate) use units::{
    Accumulation, BoxAccess, BoxDirection, DescriptorField, GroupFactor, GroupProduct,
    MbarrierAction, UnitIsa,
};

use isa::Isa;
use linear_layout::target::{Target, Vendor};

/// Selects the instruction set of a target, for CTAs of `num_warps` warps.
pub(crate) fn choose(target: &'static Target, num_warps: u32) -> Gpu {
    let isa: &'static dyn Isa = match target.vendor {
        Vendor::Nvidia => &nvidia::Nvidia,
        Vendor::Amd => &amd::Amd,
    };
    Gpu::new(target, num_warps, isa)
}
