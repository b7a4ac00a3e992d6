//! Indexed buffer accesses: one coordinate of each element is a run-time index.

use super::buffer_layout::BufferLayout;
use super::error::MemoryError;
use crate::layout::{Dim, LinearLayout};
use crate::number::narrow;
use crate::plan::gf2::apply;
use crate::plan::program::IndexProgram;
use core::slice;

/// The plan of an indexed access to a shared-memory buffer. In such an access, one coordinate of each accessed
/// element is a run-time index.
///
/// In this example, there are two lanes with two registers each. Each register accesses one element of a row of 8
/// elements of 4 bytes. The axis is the dim whose coordinate is a run-time index:
/// ```
/// use linear_layout::layout::{Dim, LinearLayout};
/// use linear_layout::plan::memory::{IndexedPlan, BufferLayout};
/// let d = [Dim::out(0)];
/// let registers = LinearLayout::from_bases(&[(Dim::REGISTER, &[&[1]]), (Dim::LANE, &[&[2]])], &d)?;
/// let memory = LinearLayout::from_bases(&[(Dim::OFFSET, &[&[1], &[2], &[4]])], &d)?;
/// let plan = IndexedPlan::new(&registers, 0, 8, &BufferLayout::new(memory, &[], 32)?)?;
/// // A register's coordinate along the axis is replaced by its index.
/// assert_eq!(plan.registers(), [0, 0]);
/// assert_eq!(plan.index_bits(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Units
/// Positions are bytes before padding, and addresses are bytes after padding. Both count from the start of the
/// buffer.
/// # Laws
/// Register `r` accesses the element whose coordinate along the axis is the index that is supplied for register
/// `r`. The property `every_index_is_at_its_element` verifies this.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexedPlan {
    buffer: BufferLayout,
    thread: IndexProgram,
    index: IndexProgram,
    along: Vec<u64>,
    index_bits: u32,
    registers: Vec<u64>,
}

impl IndexedPlan {
    /// Plans an indexed access to `buffer`. `registers` maps (register, lane, warp) to the coordinates of an
    /// element. At run time, the coordinate along dim `axis` is replaced by an index that is supplied for each
    /// register and is less than `size`.
    ///
    /// # Errors
    /// Returns an error if the layout of the buffer is not surjective: some element has no position in the buffer.
    pub fn new(
        registers: &LinearLayout,
        axis: usize,
        size: u64,
        buffer: &BufferLayout,
    ) -> Result<Self, MemoryError> {
        let steps = buffer.steps()?;
        // Contribution of each bit of a packed coordinate of the tensor to the position.
        let mut coordinates = Vec::new();
        for (i, dim) in registers.out_dims().enumerate() {
            let own = steps.get(i).map_or(&[][..], Vec::as_slice);
            let bits = registers.out_bits(dim);
            coordinates.extend((0..bits).map(|bit| match own.get(bit) {
                Some(step) if i != axis => *step,
                _ => 0,
            }));
        }
        let columns = |dim| -> Vec<u64> {
            let columns = registers.columns_of(dim).iter();
            columns.map(|c| apply(&coordinates, *c)).collect()
        };
        let [own, lanes, warps] = [Dim::REGISTER, Dim::LANE, Dim::WARP].map(columns);
        let input_bits = [narrow::<u32>(lanes.len()), narrow::<u32>(warps.len())];
        let index_bits = size.trailing_zeros();
        let mut along = steps.get(axis).cloned().unwrap_or_default();
        along.truncate(index_bits as usize);
        Ok(Self {
            buffer: buffer.clone(),
            thread: IndexProgram::new(&input_bits, &[[lanes, warps].concat()]),
            index: IndexProgram::new(&[index_bits], slice::from_ref(&along)),
            along,
            index_bits,
            registers: (0..1u64 << own.len()).map(|r| apply(&own, r)).collect(),
        })
    }

    /// Returns the layout of the buffer.
    #[must_use]
    pub const fn buffer(&self) -> &BufferLayout {
        &self.buffer
    }

    /// Returns the program that maps (lane, warp) to the term that the thread contributes to the position of an
    /// element. The position is the exclusive or of four terms: those of the thread, of the register and of the
    /// run-time index, and the start of the accessed view of the buffer.
    #[must_use]
    pub const fn thread(&self) -> &IndexProgram {
        &self.thread
    }

    /// Returns the program that maps the run-time index to the term that the index contributes to the position of
    /// an element. The position is the exclusive or of four terms: those of the thread, of the register and of the
    /// run-time index, and the start of the accessed view of the buffer.
    #[must_use]
    pub const fn index(&self) -> &IndexProgram {
        &self.index
    }

    /// Returns a program that computes the same map as [`Self::index`], but takes the inputs (lane, warp, index).
    /// It ignores the lane and the warp.
    pub(crate) fn along(&self) -> IndexProgram {
        IndexProgram::new(&[0, 0, self.index_bits], slice::from_ref(&self.along))
    }

    /// Returns the number of bits of a run-time index.
    #[must_use]
    pub const fn index_bits(&self) -> u32 {
        self.index_bits
    }

    /// Returns, for each register, the term that the register contributes to the position of the element that it
    /// accesses. The position is the exclusive or of four terms: those of the thread, of the register and of the
    /// run-time index, and the start of the accessed view of the buffer.
    #[must_use]
    pub fn registers(&self) -> &[u64] {
        &self.registers
    }

    /// Returns the address of the element that register `register` of `thread` accesses. `thread` is a pair (lane,
    /// warp), `index` is the run-time index that is supplied for the register, and `view` is the position at which
    /// the view starts.
    #[cfg(test)]
    pub(super) fn address(&self, register: usize, thread: [u64; 2], index: u64, view: u64) -> u64 {
        let position = self.thread.evaluate(&thread)[0]
            ^ self.index.evaluate(&[index])[0]
            ^ self.registers[register]
            ^ view;
        self.buffer.padded(position)
    }
}
