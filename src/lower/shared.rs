//! Options for the shared memory of functions.

use super::gpu::Gpu;
use crate::analysis::pressure::RegisterEstimate;

/// Limit for the shared memory of a function. More memory can save barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SharedBytes {
    /// The most bytes with which the occupancy is the same as with the baseline allocation.
    #[default]
    Auto,
    /// The bytes of the baseline allocation, which reuses as much memory as possible.
    Baseline,
}

/// Shared memory of all resident blocks of a function that spills, if the baseline needs less. The L1 cache holds the
/// spilled values, and is the memory that shared memory leaves.
const SPILLING_BYTES: u32 = 32 << 10;

/// Severity for a function that exceeds the GPU's shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SharedLimit {
    /// The lowering reports an error.
    #[default]
    Error,
    /// The lowering only warns. The launch fails later with an error, as in Triton.
    Warning,
}

impl SharedLimit {
    /// All severities.
    pub const ALL: [Self; 2] = [Self::Error, Self::Warning];

    /// Returns the value of the command-line option.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl SharedBytes {
    /// All rules.
    pub const ALL: [Self; 2] = [Self::Auto, Self::Baseline];

    /// Returns the value of the command-line option.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Baseline => "baseline",
        }
    }

    /// Returns the budget in bytes. `baseline` is the number of bytes that the baseline needs.
    pub(crate) fn budget(self, baseline: u32, registers: &RegisterEstimate, gpu: Gpu) -> u32 {
        let threads = gpu.cta_threads();
        let limit = gpu.target.registers_per_thread(threads);
        let spills = registers.live > u64::from(limit);
        match self {
            Self::Auto => {
                let registers = registers.at_conversions.min(limit);
                let target = gpu.target;
                let all = target.shared_bytes_at_same_occupancy(baseline, threads, registers);
                if spills && gpu.has_l1_in_shared_memory() {
                    let blocks = target.resident_blocks(threads, baseline, registers);
                    all.min(SPILLING_BYTES / blocks.max(1)).max(baseline)
                } else {
                    all
                }
            }
            Self::Baseline => baseline,
        }
    }
}
