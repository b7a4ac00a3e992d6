//! Strategies of reductions across lanes.

/// The strategies that reductions across the lanes of a warp may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LaneReductions {
    /// The cheapest strategy. If a thread holds several rows, lanes usually exchange halves of their rows.
    #[default]
    Cheapest,
    /// Butterflies: every lane combines all of its rows with another lane, once for each lane bit.
    Butterfly,
}

impl LaneReductions {
    /// All values of the option.
    pub const ALL: [Self; 2] = [Self::Cheapest, Self::Butterfly];

    /// Returns the option value that selects these strategies.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cheapest => "cheapest",
            Self::Butterfly => "butterfly",
        }
    }
}
