//! Fragments: the elements of A, B and D in each lane, according to the manuals.
//!
//! The formulas follow the manuals, as quotients and remainders of lane and element indices. They are independent of
//! `linear_layout::target::Product`, so a wrong row in that table gives a wrong result in the simulator.
//!
//! # Source
//! - [`FragmentLayout::Mma`]: PTX ISA 8.8, section 9.7.14.5 ("Matrix fragments for mma"), where
//!   `groupID` is `lane >> 2` and `threadID_in_group` is `lane % 4`; section 9.7.14.3 for the lanes that hold scales.
//! - [`FragmentLayout::Mfma`]: CDNA 3 ISA, section 7.1.4; CDNA 4 ISA, section 7.1.5. Lanes hold rows of A and columns
//!   of B. Four consecutive rows of D are in consecutive registers. For f64, consecutive rows of D are in consecutive
//!   groups of lanes.
//! - [`FragmentLayout::WmmaCopies`]: RDNA 3 ISA, section 7.9; the upper half of the wave holds replicas of A and B.
//! - [`FragmentLayout::Wmma`]: RDNA 4 ISA, section 7.12; there are no replicas.
//!
//! # The order of k
//! For MFMA and WMMA, a lane holds runs of 16 bytes of consecutive k. The next run of a lane follows the first runs of
//! all groups of lanes. A and B have the same order of k if their elements have the same width, and then no sum depends
//! on the order. The order matters for block scales along k, and for different widths (`f8f6f4`).

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum FragmentLayout {
    /// NVIDIA's `mma.sync`.
    Mma,
    /// AMD's MFMA, which computes `blocks` independent products.
    Mfma {
        blocks: u32,
    },
    MfmaDouble,
    /// AMD's WMMA of gfx11, with a copy of A and B in each half of the wave.
    WmmaCopies,
    /// AMD's WMMA of gfx12.
    Wmma,
    /// A dot product within each lane.
    Lane,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Fragments {
    pub(super) deal: FragmentLayout,
    /// The sizes m, n and k of the product.
    pub(super) sizes: [u32; 3],
    /// Bits per element of A, B and D.
    pub(super) bits: [u32; 3],
}

/// The position of a matrix element. `block` is the index of the independent product, and `own` and `other` are
/// the indices in the matrix of this product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ElementPosition {
    pub(super) block: u32,
    /// Index that is the row in A and D, and the column in B.
    pub(super) own: u32,
    /// Index that is the column in A and D, and the row in B.
    pub(super) other: u32,
}

impl Fragments {
    /// Returns the number of lanes that execute one instruction together.
    pub(super) const fn lanes(self) -> u32 {
        match self.deal {
            FragmentLayout::Mma | FragmentLayout::WmmaCopies | FragmentLayout::Wmma => 32,
            FragmentLayout::Mfma { .. } | FragmentLayout::MfmaDouble => 64,
            FragmentLayout::Lane => 1,
        }
    }

    pub(super) const fn blocks(self) -> u32 {
        match self.deal {
            FragmentLayout::Mfma { blocks } => blocks,
            _ => 1,
        }
    }

    /// Returns (rows, columns) of A (`operand` 0), of the transpose of B (1), or of D (2).
    pub(super) const fn shape(self, operand: usize) -> [u32; 2] {
        let [m, n, k] = self.sizes;
        [[m, k], [n, k], [m, n]][operand]
    }

    pub(super) const fn elements(self, operand: usize) -> u32 {
        let [rows, columns] = self.shape(operand);
        let all = self.blocks() * rows * columns / self.lanes();
        match self.deal {
            FragmentLayout::WmmaCopies if operand < 2 => 2 * all,
            _ => all,
        }
    }

    /// Returns the position, in the matrix of operand `operand`, of the element that `lane` holds at the index
    /// `element`.
    pub(super) const fn place(self, operand: usize, lane: u32, element: u32) -> ElementPosition {
        if operand == 2 {
            self.of_sum(lane, element)
        } else {
            self.of_factor(operand, lane, element)
        }
    }

    const fn of_factor(self, operand: usize, lane: u32, element: u32) -> ElementPosition {
        let [edge, k] = self.shape(operand);
        let (block, own, other) = match self.deal {
            FragmentLayout::Mma => {
                let packed = if self.bits[operand] < 32 {
                    32 / self.bits[operand]
                } else {
                    1
                };
                let (register, within) = (element / packed, element % packed);
                let halves = edge / 8;
                let own = lane / 4 + 8 * (register % halves);
                let other = lane % 4 * packed + within + 4 * packed * (register / halves);
                (0, own, other)
            }
            FragmentLayout::WmmaCopies => (0, lane % edge, element),
            FragmentLayout::Lane => (0, 0, element),
            FragmentLayout::Mfma { .. } | FragmentLayout::MfmaDouble | FragmentLayout::Wmma => {
                let groups = k / self.elements(operand);
                let run = 128 / self.bits[operand];
                let (group, block) = (lane / edge % groups, lane / edge / groups);
                let other = group * run + element % run + groups * run * (element / run);
                // A lane with fewer than 16 bytes has one run.
                let other = if self.elements(operand) < run {
                    group * self.elements(operand) + element
                } else {
                    other
                };
                (block, lane % edge, other)
            }
        };
        ElementPosition { block, own, other }
    }

    const fn of_sum(self, lane: u32, element: u32) -> ElementPosition {
        let [m, n, _] = self.sizes;
        let (row, other) = match self.deal {
            FragmentLayout::Mma => (lane / 4 + 8 * (element / 2), lane % 4 * 2 + element % 2),
            FragmentLayout::Mfma { .. } => {
                let fours = 64 / n * (element / 4) + lane / n;
                (4 * fours + element % 4, lane % n)
            }
            FragmentLayout::MfmaDouble => (64 / n * element + lane / n, lane % n),
            FragmentLayout::WmmaCopies => (2 * element + lane / n, lane % n),
            FragmentLayout::Wmma => (8 * (lane / n) + element, lane % n),
            FragmentLayout::Lane => (0, 0),
        };
        // The rows of all blocks are numbered consecutively.
        ElementPosition {
            block: row / m,
            own: row % m,
            other,
        }
    }

    /// Returns (lane, byte in the lane's scale register) at which a block scale is stored. `own` is the row of A or
    /// the column of B, and `block` is the index of the block along k. `selected` is the scale selector. For WMMA,
    /// the selector is the index of the half of the wave that holds the scales. For all other instructions, it is
    /// the index of the first byte in the scale register that holds a scale of this instruction.
    pub(super) const fn scale(
        self,
        operand: usize,
        own: u32,
        block: u32,
        selected: u32,
    ) -> (u32, u32) {
        let [edge, _] = self.shape(operand);
        match self.deal {
            // The first lanes of a quad hold rows 8 apart.
            FragmentLayout::Mma => (4 * (own % 8) + own / 8, selected + block),
            FragmentLayout::Mfma { .. } | FragmentLayout::MfmaDouble => {
                (own + edge * block, selected)
            }
            _ => (own + edge * selected, block),
        }
    }
}
