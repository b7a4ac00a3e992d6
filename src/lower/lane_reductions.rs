//! Strategies of reductions across lanes.

/// Strategies for reductions across the lanes of a warp.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LaneReductions {
    /// The cheapest strategy. Lanes with several rows usually exchange halves of their rows.
    #[default]
    Cheapest,
    /// Butterflies: one exchange of all rows per lane bit.
    Butterfly,
}

impl LaneReductions {
    /// All values of the option.
    pub const ALL: [Self; 2] = [Self::Cheapest, Self::Butterfly];

    /// Returns the value of the command-line option.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cheapest => "cheapest",
            Self::Butterfly => "butterfly",
        }
    }
}
