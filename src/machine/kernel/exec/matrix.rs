//! Matrices of 8 rows of 16 bytes in shared memory, two elements of 16 bits a lane.

use super::{Exec, Place};
use crate::machine::kernel::code::Reg;
use crate::machine::kernel::error::KernelError;
use crate::machine::kernel::memory;
use crate::machine::kernel::ops::memory::Field;
use crate::machine::matrix::cell;
use crate::machine::race::Access as Record;

/// Elements of a matrix.
const ELEMENTS: usize = 64;

/// An element of a lane's register: which of the two, and where it is in memory.
struct Element {
    reg: Reg,
    lane: u32,
    half: u32,
    row: usize,
    offset: u32,
}

/// Elements are in the order of matrices, then of lanes.
fn element(number: usize, regs: &[Reg], transposed: bool) -> Element {
    let matrix = number / ELEMENTS;
    let (lane, half) = ((number % ELEMENTS) as u32 / 2, (number % 2) as u32);
    let (row, offset) = cell(lane, 2 * half, transposed);
    Element {
        reg: regs[matrix],
        lane,
        half,
        row: matrix * 8 + row as usize,
        offset,
    }
}

impl Exec<'_> {
    /// Loads a register of each lane of the warp that begins at lane `first` from each matrix.
    pub(crate) fn load_matrices(
        &mut self,
        first: u32,
        rows: &[Place],
        regs: &[Reg],
        transposed: bool,
    ) -> Result<(), KernelError> {
        let mut done = 0;
        loop {
            done = self.elements_at_once::<true>(first, rows, regs, transposed, done);
            if done == regs.len() * ELEMENTS {
                return Ok(());
            }
            let element = element(done, regs, transposed);
            let (reg, lane, half) = (element.reg, first + element.lane, element.half);
            let field = Field {
                reg,
                offset: element.offset,
                bytes: 2,
            };
            let low = if half == 0 { 0 } else { self.get(reg, lane) };
            self.read_place(lane, rows[element.row], &[field])?;
            self.set(reg, lane, low | self.get(reg, lane) << (16 * half));
            done += 1;
        }
    }

    /// The inverse of [`Self::load_matrices`].
    pub(crate) fn store_matrices(
        &mut self,
        first: u32,
        rows: &[Place],
        regs: &[Reg],
        transposed: bool,
    ) -> Result<(), KernelError> {
        let mut done = 0;
        loop {
            done = self.elements_at_once::<false>(first, rows, regs, transposed, done);
            if done == regs.len() * ELEMENTS {
                return Ok(());
            }
            let element = element(done, regs, transposed);
            let lane = first + element.lane;
            let value = self.get(element.reg, lane) >> (16 * element.half) & 0xffff;
            self.write_value(lane, rows[element.row], element.offset, 2, value)?;
            done += 1;
        }
    }

    /// Moves elements from number `from` on as long as nothing speaks against it; says how many are done.
    fn elements_at_once<const IS_LOAD: bool>(
        &mut self,
        first: u32,
        rows: &[Place],
        regs: &[Reg],
        transposed: bool,
        from: usize,
    ) -> usize {
        let Some(&Place::Shared { var, .. }) = rows.first() else {
            return from;
        };
        let (now, number) = self.moment(first);
        let shared = &mut self.shared[var];
        let mut record = Record {
            now,
            number,
            order: self.shared_order,
            moments: &self.moments,
        };
        let mut done = from;
        while done < regs.len() * ELEMENTS {
            let element = element(done, regs, transposed);
            // The two elements of a lane follow each other in a row.
            let count = if transposed || element.half == 1 {
                2
            } else {
                4
            };
            let at = match rows[element.row] {
                Place::Shared { var: other, at } if other == var => at + element.offset as usize,
                _ => return done,
            };
            record.now.thread = now.block + first + element.lane;
            let value = &mut self.regs[element.reg.0 as usize][(first + element.lane) as usize];
            let shift = 16 * element.half;
            if IS_LOAD {
                if !shared.shadow.read_at_once(at, count, &record) {
                    return done;
                }
                let loaded = memory::read_le(&shared.bytes, at, count as u8);
                let low = if element.half == 0 { 0 } else { *value };
                *value = low | loaded << shift;
            } else {
                let new = &((*value >> shift) as u32).to_le_bytes()[..count];
                let bytes = &mut shared.bytes[at..at + count];
                let Some(redundant) = shared.shadow.write_at_once(at, bytes, new, &record) else {
                    return done;
                };
                bytes.copy_from_slice(new);
                self.report.redundant_bytes += redundant;
            }
            done += count / 2;
        }
        done
    }
}
