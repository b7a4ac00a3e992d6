//! The names that values and memory hold while a plan is run.

use crate::number::narrow;

/// The name of a granule: of a part of an element, as large as the smallest that a plan moves alone.
pub(crate) trait Name: Copy + PartialEq {
    /// The name of a register or a cell that was never written.
    const NOTHING: Self;

    /// Returns the name of a granule of the element whose first granule has this name.
    fn granule(self, granule: usize) -> Self;

    /// Returns the combination of two elements of one operand, by the names of their first granules; this one comes
    /// earlier. Nothing where elements are not combined.
    fn combined_with(self, other: Self) -> Option<Self>;

    /// Returns a sum with the product of two elements added to it, by the names of their first granules and of their
    /// scales. Nothing where they do not belong together.
    fn plus_product(self, factors: [Self; 2], scales: [Option<Self>; 2]) -> Option<Self>;

    /// Returns the name of an element of those that a byte holds, by the name of the byte.
    fn within(self, index: usize) -> Self;

    /// The name of the number 0 as an element of an operand: it counts no element, and its products add nothing.
    fn zero(_operand: u8) -> Option<Self> {
        None
    }

    /// Whether two elements of different operands stand for the same.
    fn is_beside(self, other: Self) -> bool;
}

/// An element's number, times the granules of an element.
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

    fn plus_product(self, _: [Self; 2], _: [Option<Self>; 2]) -> Option<Self> {
        None
    }

    fn within(self, _: usize) -> Self {
        self
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

    /// What the number 0 stands for: a count of no element, a factor of products that add nothing.
    const ZERO: Option<Self> = None;

    /// Returns what a sum stands for with the product of two elements added, each with its scale if it has one, where
    /// they belong together.
    #[must_use]
    fn plus_product(self, _factors: [Self; 2], _scales: [Option<Self>; 2]) -> Option<Self> {
        None
    }

    /// Returns what an element of those that a byte holds stands for.
    #[must_use]
    fn within(self, _index: usize) -> Self {
        self
    }
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
            granule: narrow(granule),
            ..self
        }
    }

    fn combined_with(self, other: Self) -> Option<Self> {
        let are_elements = (self.granule, other.granule) == (0, 0);
        let is_one = are_elements && self.operand == other.operand;
        is_one.then(|| Self::of(self.cell.combined_with(other.cell), self.operand))
    }

    fn plus_product(self, factors: [Self; 2], scales: [Option<Self>; 2]) -> Option<Self> {
        // The result is the first operand of a product, its factors the next ones, then their scales.
        let operands = [
            Some(self),
            Some(factors[0]),
            Some(factors[1]),
            scales[0],
            scales[1],
        ];
        let mut parts = (0..).zip(operands);
        let are_of_product = parts.all(|(operand, part)| {
            part.is_none_or(|part| (part.operand, part.granule) == (operand, 0))
        });
        let cells = factors.map(|part| part.cell);
        let scales = scales.map(|part| part.map(|part| part.cell));
        let cell = self.cell.plus_product(cells, scales)?;
        are_of_product.then(|| Self::of(cell, 0))
    }

    fn within(self, index: usize) -> Self {
        Self {
            cell: self.cell.within(index),
            ..self
        }
    }

    fn zero(operand: u8) -> Option<Self> {
        C::ZERO.map(|cell| Self::of(cell, operand))
    }

    fn is_beside(self, other: Self) -> bool {
        self.cell == other.cell
    }
}
