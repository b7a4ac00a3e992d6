//! The names that values and memory hold while a plan is run.

/// The name of a granule: of a part of an element, as large as the smallest that a plan moves alone.
pub(crate) trait Name: Copy + PartialEq {
    /// The name of a register or a cell that was never written.
    const NOTHING: Self;

    /// Returns the name of a granule of the element whose first granule has this name.
    fn granule(self, granule: usize) -> Self;

    /// Returns the combination of two elements of one operand, by the names of their first granules; this one comes
    /// earlier. Nothing where elements are not combined.
    fn combined_with(self, other: Self) -> Option<Self>;

    /// Whether two elements of different operands stand for the same.
    fn is_beside(self, other: Self) -> bool;
}

/// An element's number, times the granules of an element.
impl Name for u32 {
    const NOTHING: Self = Self::MAX;

    fn granule(self, granule: usize) -> Self {
        match self {
            Self::MAX => self,
            first => first + granule as Self,
        }
    }

    fn combined_with(self, _: Self) -> Option<Self> {
        None
    }

    fn is_beside(self, _: Self) -> bool {
        false
    }
}

/// What an element stands for that others have been combined into.
pub(crate) trait Cell: Copy + PartialEq {
    /// No element was written.
    const NOTHING: Self;

    /// Returns what the combination of two elements stands for, in this order.
    #[must_use]
    fn combined_with(self, other: Self) -> Self;
}

/// A granule of an element of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Part<C> {
    pub(crate) cell: C,
    pub(crate) operand: u8,
    granule: u8,
}

impl<C> Part<C> {
    /// The first granule of an element of an operand.
    pub(crate) const fn of(cell: C, operand: u8) -> Self {
        Self {
            cell,
            operand,
            granule: 0,
        }
    }
}

impl<C: Cell> Name for Part<C> {
    const NOTHING: Self = Self::of(C::NOTHING, 0);

    fn granule(self, granule: usize) -> Self {
        Self {
            granule: granule as u8,
            ..self
        }
    }

    fn combined_with(self, other: Self) -> Option<Self> {
        let are_elements = (self.granule, other.granule) == (0, 0);
        let is_one = are_elements && self.operand == other.operand;
        is_one.then(|| Self::of(self.cell.combined_with(other.cell), self.operand))
    }

    fn is_beside(self, other: Self) -> bool {
        self.cell == other.cell
    }
}
