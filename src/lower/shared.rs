//! Shared-memory budget options.

use super::gpu::Gpu;

/// The trade-off between shared memory and barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SharedBytes {
    /// Never more than the baseline with maximal reuse of bytes.
    #[default]
    Least,
    /// More memory for fewer barriers, as long as occupancy stays the same.
    Fast,
}

/// The severity of a function that needs more shared memory than the GPU has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SharedLimit {
    /// An error.
    #[default]
    Error,
    /// A warning: the launcher reports the error, as Triton's does.
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

    /// Returns the budget in bytes, given the needs of the baseline and of the plans.
    pub(crate) fn budget(self, baseline: u32, planned: u32, gpu: Gpu) -> u32 {
        match self {
            Self::Least => baseline,
            Self::Fast => gpu
                .target
                .shared_bytes_at_same_occupancy(planned, gpu.threads()),
        }
    }
}
