//! Options for the shared memory of functions.

use super::gpu::Gpu;
use crate::analysis::pressure::RegisterEstimate;

/// Rule that limits the shared memory of a function. A function that may use more shared memory may need fewer
/// barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SharedBytes {
    /// The largest number of bytes that does not reduce the occupancy below that of the baseline allocation. A
    /// function that spills registers may get fewer bytes.
    #[default]
    Auto,
    /// The bytes of the baseline allocation, which reuses as much memory as possible.
    Baseline,
}

/// Shared memory, in bytes, that all resident blocks together may use if the function spills registers. Blocks may
/// use more if the baseline allocation needs more. The limit leaves memory for the L1 cache, which holds the
/// spilled values.
const SPILLING_BYTES: u32 = 32 << 10;

/// Severity of the diagnostic for a function that needs more shared memory than the GPU has.
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

    /// Returns the text that selects this severity on the command line.
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

    /// Returns the text that selects this rule on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Baseline => "baseline",
        }
    }

    /// Returns the number of shared-memory bytes that the rule allows for a function. `baseline` is the number of
    /// bytes of the baseline allocation.
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
