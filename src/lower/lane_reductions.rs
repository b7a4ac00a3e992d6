//! Strategies of reductions across lanes.

/// The strategy for reductions across the lanes of a warp.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LaneReductions {
    /// The strategy with the lowest cost. If each lane holds several rows, this is usually an exchange of half of
    /// the rows between lanes in each step.
    #[default]
    Cheapest,
    /// Butterflies: for each bit of the lane index, the lanes exchange all their rows once.
    Butterfly,
}

impl LaneReductions {
    /// All values of the option.
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
