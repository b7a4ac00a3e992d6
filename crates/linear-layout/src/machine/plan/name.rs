//! Symbolic values of registers and memory during the execution of a plan.

use crate::number::narrow;

/// A symbolic value of a granule: a few consecutive bytes of an element.
pub(crate) trait Name: Copy + PartialEq {
    /// The value of a register or cell that was never written.
    const NOTHING: Self;

    /// Returns the name of granule `granule`. `self` is granule 0.
    fn granule(self, granule: usize) -> Self;

    /// Returns `None` if such elements cannot be combined. Both names are first granules. The order matters.
    fn combined_with(self, other: Self) -> Option<Self>;

    /// Returns the name of the number 0: an empty count, or a zero element of A or B. `None` if there is no such
    /// name.
    fn zero(_operand: u8) -> Option<Self> {
        None
    }

    /// Returns true if both elements have the same position in their operands.
    fn corresponds_to(self, other: Self) -> bool;
}

/// The name of a granule is `element * granules_per_element + granule`.
impl Name for u32 {
    const NOTHING: Self = Self::MAX;

    fn granule(self, granule: usize) -> Self {
        match self {
            Self::MAX => self,
            first => first + narrow::<u32>(granule),
        }
    }

    fn combined_with(self, _: Self) -> Option<Self> {
        None
    }

    fn corresponds_to(self, _: Self) -> bool {
        false
    }
}

/// A symbolic element that records the elements combined into it.
pub(crate) trait AbstractElement: Copy + PartialEq {
    const NOTHING: Self;

    #[must_use]
    fn combined_with(self, other: Self) -> Self;

    /// The number 0: an empty count, or a zero element of A or B. `None` if there is no such element.
    const ZERO: Option<Self> = None;
}

/// A row of A or a column of B in a tile.
///
/// `owner` is the index of the row or column in the tensor, or `None` if all elements are zero. `ks` identifies
/// the interned list of the elements' indices along k.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    pub(crate) owner: Option<u32>,
    pub(crate) ks: u32,
}

/// The elements of a row of A or of a column of B, ordered along k.
#[derive(Debug)]
pub(crate) struct LineNames<'a, N> {
    /// 0 for a row of A, 1 for a column of B.
    pub(crate) factor: usize,
    pub(crate) elements: &'a [N],
    /// log2 of the number of elements along k that share one name.
    pub(crate) packed_log2: usize,
    /// The scales, and log2 of the number of elements along k that share a scale.
    pub(crate) scales: Option<(&'a [N], u8)>,
}

/// A tracker of matrix products over symbolic elements.
pub(crate) trait Products<N> {
    /// Returns `None` if the elements do not belong to one row of A or column of B.
    fn line(&mut self, names: &LineNames<'_, N>) -> Option<Line>;

    /// Adds one product to each sum of a register.
    ///
    /// `places` lists the `[row, column]` of each sum, in a tile with `sizes` `[m, n]`. The product multiplies line
    /// `row` of A by line `column` of B. Returns `None` if these lines do not match, or if a sum already has the
    /// product.
    fn add(
        &mut self,
        sums: &mut [N],
        places: &[[usize; 2]],
        lines: [&[Line]; 2],
        sizes: [usize; 2],
    ) -> Option<()>;
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Granule<C> {
    pub(crate) cell: C,
    pub(crate) operand: u8,
    granule: u8,
}

impl<C> Granule<C> {
    pub(crate) const fn of(cell: C, operand: u8) -> Self {
        Self {
            cell,
            operand,
            granule: 0,
        }
    }

    /// Returns the element if this is its first granule and belongs to `operand`, and `None` otherwise.
    pub(crate) fn element_of(self, operand: u8) -> Option<C> {
        ((self.operand, self.granule) == (operand, 0)).then_some(self.cell)
    }
}

impl<C: AbstractElement> Name for Granule<C> {
    const NOTHING: Self = Self::of(C::NOTHING, 0);

    fn granule(self, granule: usize) -> Self {
        Self {
            granule: narrow(granule),
            ..self
        }
    }

    fn combined_with(self, other: Self) -> Option<Self> {
        let are_elements = (self.granule, other.granule) == (0, 0);
        let is_one = are_elements && self.operand == other.operand;
        is_one.then(|| Self::of(self.cell.combined_with(other.cell), self.operand))
    }

    fn zero(operand: u8) -> Option<Self> {
        C::ZERO.map(|cell| Self::of(cell, operand))
    }

    fn corresponds_to(self, other: Self) -> bool {
        self.cell == other.cell
    }
}
