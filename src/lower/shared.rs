//! Options for the shared-memory budget of functions.

use super::gpu::Gpu;

/// The rule for the number of shared-memory bytes that a function may use. More bytes can save barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SharedBytes {
    /// A function may use as many bytes as leave its occupancy as it is with the baseline allocation.
    #[default]
    Auto,
    /// A function may use no more bytes than the baseline allocation, which reuses bytes as much as possible.
    Baseline,
}

/// The severity of the diagnostic that is reported if a function exceeds the GPU's limit on shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SharedLimit {
    /// The lowering reports an error.
    #[default]
    Error,
    /// The lowering reports a warning. The launcher then reports the error, like Triton's launcher.
    Warning,
}

impl SharedLimit {
    /// All severities.
    pub const ALL: [Self; 2] = [Self::Error, Self::Warning];

    /// Returns the option value that selects this severity.
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

    /// Returns the option value that selects this rule.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Baseline => "baseline",
        }
    }

    /// Returns the shared-memory budget of a function in bytes. `baseline` is the number of bytes that the baseline
    /// needs, and `registers` is the estimated number of registers per thread.
    pub(crate) fn budget(self, baseline: u32, registers: u32, gpu: Gpu) -> u32 {
        match self {
            Self::Auto => {
                let threads = gpu.cta_threads();
                gpu.target
                    .shared_bytes_at_same_occupancy(baseline, threads, registers)
            }
            Self::Baseline => baseline,
        }
    }
}
