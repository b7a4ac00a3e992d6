//! Kernel calling conventions.

/// The calling convention of kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Abi {
    /// The kernel's own arguments only.
    #[default]
    Plain,
    /// Triton's runtime: two pointers to scratch memory always follow the kernel's own arguments. Module attributes
    /// state the sizes of these scratch areas.
    Triton,
}

impl Abi {
    /// All conventions.
    pub const ALL: [Self; 2] = [Self::Plain, Self::Triton];

    /// Returns the name of the option's value.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Triton => "triton",
        }
    }
}
