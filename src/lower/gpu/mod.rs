//! Vendor-specific instructions.
//!
//! [`Gpu`] serves the rest of the lowering. It combines the target's table with an [`isa::Isa`], implemented by
//! [`nvidia`] and [`amd`]; [`choose`] selects one per module. Only the vendors' files emit NVVM, ROCDL and inline
//! assembly.

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
pub(crate) use lanes::LaneOperation;
pub(crate) use units::{
    Accumulation, BoxAccess, BoxDirection, DescriptorField, GroupFactor, GroupProduct,
    MbarrierAction, UnitIsa,
};

use isa::Isa;
use linear_layout::target::{Target, Vendor};

/// Returns the [`Gpu`] for a target, with the instruction set of the target's vendor.
///
/// `warps` contains two counts: the warps that are in no partition, and all warps of a CTA. `num_ctas` is the
/// number of CTAs per cluster.
pub(crate) fn choose(target: &'static Target, warps: [u32; 2], num_ctas: u32) -> Gpu {
    let isa: &'static dyn Isa = match target.vendor {
        Vendor::Nvidia => &nvidia::Nvidia,
        Vendor::Amd => &amd::Amd,
    };
    Gpu::new(target, warps, num_ctas, isa)
}
