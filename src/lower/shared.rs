//! Shared-memory budget options.

use super::gpu::Gpu;

/// The trade-off between shared memory and barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SharedBytes {
    /// Never more bytes than the baseline, which reuses bytes as much as possible.
    #[default]
    Least,
    /// More bytes in exchange for fewer barriers, if occupancy stays the same.
    Fast,
}

/// The severity of the diagnostic for a function that needs more shared memory than the GPU has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SharedLimit {
    /// An error.
    #[default]
    Error,
    /// A warning. The launcher then reports the error, like Triton's launcher.
    Warning,
}

impl SharedLimit {
    /// All severities.
    pub const ALL: [Self; 2] = [Self::Error, Self::Warning];

    /// Returns the name of the option's value.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl SharedBytes {
    /// All trade-offs.
    pub const ALL: [Self; 2] = [Self::Least, Self::Fast];

    /// Returns the name of the option's value.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Least => "least",
            Self::Fast => "fast",
        }
    }

    /// Returns the budget in bytes. `baseline` and `planned` are the bytes that the baseline and the plans need.
    pub(crate) fn budget(self, baseline: u32, planned: u32, gpu: Gpu) -> u32 {
        match self {
            Self::Least => baseline,
            Self::Fast => gpu
                .target
                .shared_bytes_at_same_occupancy(planned, gpu.threads()),
        }
    }
}
