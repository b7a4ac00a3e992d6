//! Options for the shared memory of functions.

use super::gpu::Gpu;

/// Rule for the shared memory of a function. More bytes can save barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SharedBytes {
    /// At most the bytes of the baseline allocation, which reuses memory as much as possible.
    #[default]
    Least,
    /// More bytes in exchange for fewer barriers, at the same occupancy.
    Fast,
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
    pub const ALL: [Self; 2] = [Self::Least, Self::Fast];

    /// Returns the value of the command-line option.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Least => "least",
            Self::Fast => "fast",
        }
    }

    /// Returns the budget in bytes. `baseline` is the need of the baseline, `planned` the need of the plans.
    pub(crate) fn budget(self, baseline: u32, planned: u32, gpu: Gpu) -> u32 {
        match self {
            Self::Least => baseline,
            Self::Fast => gpu
                .target
                .shared_bytes_at_same_occupancy(planned, gpu.cta_threads()),
        }
    }
}
