//! How much shared memory a function takes.

use super::gpu::Gpu;

/// How many bytes of shared memory are given for fewer barriers and rounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SharedBytes {
    /// None: a function takes what it would if each operation went the plain way, and all bytes were used again.
    #[default]
    Least,
    /// All that no fewer blocks run on a processor at the same time for.
    Fast,
}

/// What is said of a function that takes more shared memory than the GPU has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SharedLimit {
    /// An error: no GPU of the target can run it.
    #[default]
    Error,
    /// A warning: the launcher decides, as Triton's does.
    Warning,
}

impl SharedLimit {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Error, Self::Warning];

    /// What the option calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl SharedBytes {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Least, Self::Fast];

    /// What the option calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Least => "least",
            Self::Fast => "fast",
        }
    }

    /// How many bytes may be taken where the plain way takes so many, and what is planned so many.
    pub(crate) fn room(self, plain: u32, planned: u32, gpu: Gpu) -> u32 {
        match self {
            Self::Least => plain,
            Self::Fast => gpu
                .target
                .shared_bytes_at_same_occupancy(planned, gpu.threads()),
        }
    }
}
