//! Strategies of reductions across lanes.

/// The strategy for reductions across the lanes of a warp.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LaneReductions {
    /// The strategy with the lowest cost. A row consists of the elements that are reduced to one result. If each
    /// lane holds parts of several rows, two lanes usually exchange halves of their rows in each step.
    #[default]
    Cheapest,
    /// A butterfly with one step per bit of the lane index. In each step, each lane exchanges its partial results
    /// of all rows with the lane whose index differs in this bit.
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
