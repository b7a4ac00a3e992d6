//! Kernel calling conventions.

/// The calling convention of kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Abi {
    /// A kernel takes only its own arguments.
    #[default]
    Plain,
    /// Triton's runtime: two pointers to scratch memory follow the kernel's own arguments. Module attributes state the
    /// sizes of the scratch areas.
    Triton,
}

impl Abi {
    /// All calling conventions.
    pub const ALL: [Self; 2] = [Self::Plain, Self::Triton];

    /// Returns the value of the command-line option that selects this calling convention.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Triton => "triton",
        }
    }
}
