//! Conversions inside a warp by matrix transposes (`movmatrix`): a word of each lane forms a matrix of 8 x 8 elements of
//! 16 bits.
//!
//! ```text
//!           half of the word   lane bit 0   1   2      3   4
//! before    column 0                    1   2   row 0  1   2
//! after     row 0                       1   2   col 0  1   2
//! ```
//! The instruction exchanges the half of the word, which is a register bit, with lane bit 2, lane bit 0 with lane bit
//! 3, and lane bit 1 with lane bit 4. If nothing else moves between lanes, a conversion takes one instruction per word,
//! which costs as much as one shuffle. By comparison, shuffles would take two instructions and a byte permute per word,
//! and shared memory a store and a load.

use super::local::LocalMap;
use super::sides::{SideColumns, Sides};
use super::{ConvertPlan, PlanKind};
use crate::number::narrow;
use crate::plan::gf2::{apply, log2_floor};
use crate::plan::program::{Builder, ValueId};
use crate::target::Target;

/// Width in bits of an element of the matrix that `movmatrix` transposes. A 32-bit word holds a pair of elements.
const PAIR_BITS: u32 = 16;

/// The register bits that select the element within a 32-bit word, lowest bit first. The last of these bits selects
/// the half of the word. A transpose exchanges this bit with a lane bit.
struct Word(Vec<u64>);

impl Word {
    /// Returns the word in which register bit `half` selects the half.
    ///
    /// Returns `None` if there are too few registers to fill a word.
    fn of(half: usize, registers: usize, container_bits: u32) -> Option<Self> {
        let others = (0..registers).filter(|bit| *bit != half);
        let count = log2_floor(PAIR_BITS / container_bits) as usize;
        let mut bits: Vec<u64> = others.take(count).map(|bit| 1 << bit).collect();
        let is_full = bits.len() == count;
        bits.push(1 << half);
        is_full.then_some(Self(bits))
    }

    /// Transposes all words of the registers. `values` and the result contain one value per register.
    fn transpose(&self, b: &mut Builder, values: &[ValueId]) -> Vec<ValueId> {
        let mut moved = values.to_vec();
        let all = self.0.iter().fold(0, |all, bit| all | bit);
        for first in (0..values.len() as u64).filter(|x| x & all == 0) {
            let registers =
                (0..1 << self.0.len()).map(|i| narrow::<usize>(first | apply(&self.0, i)));
            let parts: Vec<ValueId> = registers.clone().map(|register| values[register]).collect();
            let word = b.pack(&parts);
            let word = b.transpose(word);
            let parts = b.unpack(word, narrow(parts.len()));
            for (i, register) in (0..).zip(registers) {
                moved[register] = parts.plus(i);
            }
        }
        moved
    }
}

/// Returns the columns of `side` after its words have been transposed. Register bit `half` selects the half of a
/// word.
fn transposed(side: &SideColumns, half: usize) -> SideColumns {
    let mut side = side.clone();
    core::mem::swap(&mut side.reg[half], &mut side.thread[2]);
    side.thread.swap(0, 3);
    side.thread.swap(1, 4);
    side
}

/// Returns the cheapest plan that transposes words of either the source or the destination, and moves no other data
/// between lanes. Returns `None` if there is no such plan.
pub(super) fn plan_transposed(
    sides: &Sides,
    elem_bits: u32,
    target: &Target,
) -> Option<ConvertPlan> {
    let container_bits = elem_bits.max(8);
    if !target.instructions.move_matrix || container_bits > PAIR_BITS {
        return None;
    }
    let first = (0..sides.src.reg.len()).filter_map(|half| {
        let word = Word::of(half, sides.src.reg.len(), container_bits)?;
        let rest = LocalMap::of(&transposed(&sides.src, half), &sides.dst)?;
        let mut b = sides.builder(elem_bits);
        let sources = b.sources();
        let moved = word.transpose(&mut b, &sources);
        let results = rest.emit(&mut b, &moved);
        Some(b.finish(results, 0, target))
    });
    let last = (0..sides.dst.reg.len()).filter_map(|half| {
        let word = Word::of(half, sides.dst.reg.len(), container_bits)?;
        let rest = LocalMap::of(&sides.src, &transposed(&sides.dst, half))?;
        let mut b = sides.builder(elem_bits);
        let sources = b.sources();
        let values = rest.emit(&mut b, &sources);
        let results = word.transpose(&mut b, &values);
        Some(b.finish(results, 0, target))
    });
    let program = first.chain(last).min_by_key(|p| p.cost().total())?;
    let mut plan = ConvertPlan::new(PlanKind::Shuffle, program);
    plan.reason.exchanged_bits = 1;
    Some(plan)
}
