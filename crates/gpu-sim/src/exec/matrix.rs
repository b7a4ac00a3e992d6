//! Matrix loads and stores by whole warps (`ldmatrix`, `stmatrix`).

use super::{Exec, Field, MemoryLocation};
use crate::bits::mask;
use crate::code::Reg;
use crate::error::KernelError;
use crate::memory;
use gpu_race::ShadowAccess;
use linear_layout::machine::matrix::{Size, cell, size};
use linear_layout::target::Fragment;

/// The registers of a warp that hold matrix fragments.
#[derive(Clone, Copy)]
pub(crate) struct Parts<'a> {
    pub(crate) regs: &'a [Reg],
    pub(crate) bytes: u32,
    pub(crate) fragment: Fragment,
}

/// The position of a fragment element, both in a register and in memory.
struct Element {
    reg: Reg,
    lane: u32,
    /// Lowest bit of the element in the register.
    shift: u32,
    row: usize,
    offset: u32,
}

impl Parts<'_> {
    fn count(self) -> usize {
        let Size {
            lanes, unit_bytes, ..
        } = size(self.fragment);
        self.regs.len() * (lanes * self.bytes / unit_bytes) as usize
    }

    /// Returns the element with index `number`. Elements are ordered by register, and within a register by lane.
    fn element(self, number: usize) -> Element {
        let size = size(self.fragment);
        let per_register = self.bytes / size.unit_bytes;
        let per_warp = (size.lanes * per_register) as usize;
        let (register, rest) = (number / per_warp, (number % per_warp) as u32);
        let (lane, low) = (rest / per_register, rest % per_register * size.unit_bytes);
        let byte = register as u32 * self.bytes + low;
        let (row, offset) = cell(lane, byte % size.lane_bytes, self.fragment);
        Element {
            reg: self.regs[register],
            lane,
            shift: 8 * low,
            row: (byte / size.lane_bytes * size.rows + row) as usize,
            offset,
        }
    }
}

impl Exec<'_> {
    /// Loads the fragments of the warp whose first lane is `first`. `rows` are the locations of the matrix rows.
    pub(crate) fn load_matrices(
        &mut self,
        first: u32,
        rows: &[MemoryLocation],
        parts: Parts<'_>,
    ) -> Result<(), KernelError> {
        let bytes = size(parts.fragment).unit_bytes as u8;
        let has_marks = self.carries_marks([]);
        let mut done = 0;
        loop {
            if !has_marks {
                done = self.elements_fast::<true>(first, rows, parts, done);
            }
            if done == parts.count() {
                return Ok(());
            }
            let element = parts.element(done);
            let (reg, lane, shift) = (element.reg, first + element.lane, element.shift);
            let field = Field {
                reg,
                offset: element.offset,
                bytes,
            };
            let low = if shift == 0 { 0 } else { self.get(reg, lane) };
            self.read_location(lane, rows[element.row], &[field], None)?;
            self.set(reg, lane, low | self.get(reg, lane) << shift);
            if has_marks {
                let from = (rows[element.row], element.offset);
                self.load_marks(lane, from, bytes.into(), (reg, shift));
            }
            done += 1;
        }
    }

    /// Stores the fragments of the warp whose first lane is `first`. `rows` are the locations of the matrix rows.
    pub(crate) fn store_matrices(
        &mut self,
        first: u32,
        rows: &[MemoryLocation],
        parts: Parts<'_>,
    ) -> Result<(), KernelError> {
        let bytes = size(parts.fragment).unit_bytes;
        let has_marks = self.carries_marks(parts.regs.iter().copied());
        let mut done = 0;
        loop {
            if !has_marks {
                done = self.elements_fast::<false>(first, rows, parts, done);
            }
            if done == parts.count() {
                return Ok(());
            }
            let element = parts.element(done);
            let lane = first + element.lane;
            let value = self.get(element.reg, lane) >> element.shift & mask(8 * bytes);
            self.write_value(lane, rows[element.row], element.offset, bytes as u8, value)?;
            if has_marks {
                let to = (rows[element.row], element.offset);
                self.store_marks(lane, to, bytes, (element.reg, element.shift));
            }
            done += 1;
        }
    }

    /// Loads or stores elements, starting at index `from`, while the fast path applies. Returns the index of the
    /// first element that is not loaded or stored.
    fn elements_fast<const IS_LOAD: bool>(
        &mut self,
        first: u32,
        rows: &[MemoryLocation],
        parts: Parts<'_>,
        from: usize,
    ) -> usize {
        let Some(&MemoryLocation::Shared { var, window, .. }) = rows.first() else {
            return from;
        };
        if rows
            .first()
            .is_some_and(|location| self.has_history(*location))
            || !IS_LOAD && self.proxies.is_some()
        {
            return from;
        }
        let owner = self.owner(first, window);
        let (now, timestamp) = self.access_point(first);
        let shared = &mut self.shared[var];
        let mut record = ShadowAccess {
            now,
            timestamp,
            order: self.shared_order,
            timestamps: &self.timestamps,
        };
        let count = size(parts.fragment).unit_bytes as usize;
        for done in from..parts.count() {
            let element = parts.element(done);
            let at = match rows[element.row] {
                MemoryLocation::Shared {
                    window: other, at, ..
                } if other == window => at + element.offset as usize,
                _ => return done,
            };
            let location = rows[element.row].behind(element.offset as usize);
            if self
                .in_flight
                .may_conflict(location, count as u32, !IS_LOAD)
            {
                return done;
            }
            record.now.thread = now.block + first + element.lane;
            let value = &mut self.regs[element.reg.0 as usize][(first + element.lane) as usize];
            let shift = element.shift;
            if IS_LOAD {
                let is_own = shared.is_own(at, count, owner);
                if !is_own || !shared.shadow.read_fast(at, count, &record) {
                    return done;
                }
                let loaded = memory::read_le(&shared.bytes, at, count as u8);
                let low = if shift == 0 { 0 } else { *value };
                *value = low | loaded << shift;
            } else {
                let new = &((*value >> shift) as u32).to_le_bytes()[..count];
                let bytes = &mut shared.bytes[at..at + count];
                let Some(redundant) = shared.shadow.write_fast(at, bytes, new, &record) else {
                    return done;
                };
                self.writes += u64::from(*bytes != *new);
                bytes.copy_from_slice(new);
                shared.own(at, count, owner);
                self.report.redundant_bytes += redundant;
            }
        }
        parts.count()
    }
}
