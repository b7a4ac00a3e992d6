//! How a kernel is called: which arguments it takes beside its own, and what its module says to the launcher.

/// What a launcher and a kernel agree on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Abi {
    /// The kernel's own arguments, and nothing else.
    #[default]
    Plain,
    /// That of Triton's runtime: two pointers to scratch memory follow the kernel's own arguments, whether it needs
    /// them or not, and the module says how large each is.
    Triton,
}

impl Abi {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Plain, Self::Triton];

    /// What the option calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Triton => "triton",
        }
    }
}
