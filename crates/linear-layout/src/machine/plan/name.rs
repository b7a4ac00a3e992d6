//! Symbolic values of registers and memory during the execution of a plan.

use crate::number::narrow;

/// The symbolic value of a granule, the smallest part of an element that a plan moves separately. A name tells from
/// which element the granule is.
pub(crate) trait Name: Copy + PartialEq {
    /// The value of a register or cell that was never written.
    const NOTHING: Self;

    /// Returns the name of granule number `granule` of an element. `self` is the name of the element's first granule.
    fn granule(self, granule: usize) -> Self;

    /// Returns the name of the combination of two elements of one operand, in the order `self`, `other`. `self` and
    /// `other` are the names of the elements' first granules. Returns `None` if this kind of element cannot be
    /// combined.
    fn combined_with(self, other: Self) -> Option<Self>;

    /// Returns the name of an element of `operand` that is the number 0: an empty count, or an element of A or B whose
    /// products add nothing.
    fn zero(_operand: u8) -> Option<Self> {
        None
    }

    /// Returns true if `self` and `other` name elements of different operands that are at the same position in their
    /// operands.
    fn corresponds_to(self, other: Self) -> bool;
}

/// The name of an element that is only moved: the number of the element times the number of granules per element, plus
/// the number of the granule.
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

/// A symbolic element that records which elements have been combined into it.
pub(crate) trait AbstractElement: Copy + PartialEq {
    /// The value of an element that was never written.
    const NOTHING: Self;

    /// Returns the combination of `self` and `other`, in this order.
    #[must_use]
    fn combined_with(self, other: Self) -> Self;

    /// The number 0: an empty count, or an element of A or B whose products add nothing.
    const ZERO: Option<Self> = None;
}

/// A line of an operand's tile: a row of A or a column of B. `owner` is the index of this row or column in the tensor
/// (`None` if all elements are zero), and `ks` is the number of the interned list of the elements' k.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    pub(crate) owner: Option<u32>,
    pub(crate) ks: u32,
}

/// The names of the elements of a line (row of A or column of B), in the tile's order of k, and the names of the line's
/// scales.
#[derive(Debug)]
pub(crate) struct LineNames<'a, N> {
    /// The operand: 0 for a row of A, 1 for a column of B.
    pub(crate) factor: usize,
    pub(crate) elements: &'a [N],
    /// log2 of the number of consecutive k that one name represents.
    pub(crate) packed_log2: usize,
    /// The scales of the line, if there are any, and log2 of the number of k per scale.
    pub(crate) scales: Option<(&'a [N], u8)>,
}

/// A tracker of matrix products over symbolic elements.
pub(crate) trait Products<N> {
    /// Returns the line that these elements form, or `None` if they do not belong to one row of A or column of B.
    fn line(&mut self, names: &LineNames<'_, N>) -> Option<Line>;

    /// Adds products to the sums that one register holds. `places` are the positions `[row, column]` of these sums in a
    /// tile of m x n. Each sum adds the product of the line of A in its row and the line of B in its column. Returns
    /// `None` if the two lines do not match, or if a product was added before.
    fn add(
        &mut self,
        sums: &mut [N],
        places: &[[usize; 2]],
        lines: [&[Line]; 2],
        sizes: [usize; 2],
    ) -> Option<()>;
}

/// A granule of an element of one operand.
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

    /// Returns the element if `self` is the first granule of an element of operand `operand`.
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
