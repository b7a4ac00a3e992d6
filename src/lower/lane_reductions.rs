//! Strategies of reductions across lanes.

/// The strategy for reductions across the lanes of a warp.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LaneReductions {
    /// The strategy with the lowest cost. If each lane holds several rows, the lanes usually exchange half of the
    /// rows in each step.
    #[default]
    Cheapest,
    /// A butterfly: for each bit of the lane index, each lane exchanges all its rows once with the lane whose index
    /// differs in this bit.
    Butterfly,
}

impl LaneReductions {
    /// All strategies.
    pub const ALL: [Self; 2] = [Self::Cheapest, Self::Butterfly];

    /// Returns the text that selects this strategy on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cheapest => "cheapest",
            Self::Butterfly => "butterfly",
        }
    }
}
