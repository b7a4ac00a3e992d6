//! Options for the shared-memory budget of functions.

use super::gpu::Gpu;

/// The rule for the number of shared-memory bytes that a function may use. More bytes can save barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SharedBytes {
    /// A function gets no more bytes than the baseline allocation, which reuses bytes as much as possible.
    #[default]
    Least,
    /// A function may get more bytes in exchange for fewer barriers, if the occupancy stays the same.
    Fast,
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
    pub const ALL: [Self; 2] = [Self::Least, Self::Fast];

    /// Returns the option value that selects this rule.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Least => "least",
            Self::Fast => "fast",
        }
    }

    /// Returns the shared-memory budget of a function in bytes. `baseline` is the number of bytes that the baseline
    /// needs, and `planned` is the number of bytes that the plans need.
    pub(crate) fn budget(self, baseline: u32, planned: u32, gpu: Gpu) -> u32 {
        match self {
            Self::Least => baseline,
            Self::Fast => gpu
                .target
                .shared_bytes_at_same_occupancy(planned, gpu.cta_threads()),
        }
    }
}
