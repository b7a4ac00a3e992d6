//! Options for the shared memory of functions.

use super::gpu::Gpu;

/// Rule for the shared memory of a function. More bytes can save barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SharedBytes {
    /// As many bytes as leave the occupancy of the baseline allocation.
    #[default]
    Auto,
    /// At most the bytes of the baseline allocation, which reuses memory as much as possible.
    Baseline,
}

/// Severity for a function that exceeds the GPU's shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SharedLimit {
    /// The lowering reports an error.
    #[default]
    Error,
    /// The lowering reports a warning, and the launcher an error, as in Triton.
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

    /// Returns the budget in bytes. `baseline` is the need of the baseline in bytes, and `registers` the estimated number
    /// of registers per thread.
    pub(crate) fn budget(self, baseline: u32, registers: u32, gpu: Gpu) -> u32 {
        match self {
            Self::Auto => {
                let threads = gpu.cta_threads();
                // A thread that needs more registers spills.
                let registers = registers.min(gpu.target.registers_per_thread(threads));
                gpu.target
                    .shared_bytes_at_same_occupancy(baseline, threads, registers)
            }
            Self::Baseline => baseline,
        }
    }
}
