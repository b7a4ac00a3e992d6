//! What differs between the makers' GPUs, down to the operation.
//!
//! [`Gpu`] is what the families of operations ask: it knows the target's numbers, and what it cannot say by
//! numbers it asks of an [`isa::Isa`], of which there are two, [`nvidia`] and [`amd`]. The choice is made once for a
//! module, in [`choose`], and no other file asks who made a GPU. Names of operations of NVVM and ROCDL, and
//! the text of inline assembly, stand in the files of the makers and nowhere else.

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

/// The instructions of a target, for blocks of so many warps.
pub(crate) fn choose(target: &'static Target, num_warps: u32) -> Gpu {
    let isa: &'static dyn Isa = match target.vendor {
        Vendor::Nvidia => &nvidia::Nvidia,
        Vendor::Amd => &amd::Amd,
    };
    Gpu::new(target, num_warps, isa)
}
