//! Execution of shared-memory accesses: addresses, races, wavefronts.

use super::{CellFault, FaultKind, Machine, Name, PlanFault};
use crate::machine::matrix::{WORD_BYTES, cell, size};
use crate::number::narrow;
use crate::plan::program::{Address, MemorySpace, ValueId};
use crate::target::{Access, Banks, Fragment, Wavefronts};

impl<N: Name> Machine<'_, N> {
    /// Returns the address that each thread accesses, or a fault if an address is out of bounds or misaligned.
    pub(super) fn addresses(
        &mut self,
        step: usize,
        address: Address,
        bytes: u32,
    ) -> Result<Vec<u32>, PlanFault> {
        let plan = self.plan;
        let base = &plan.address_bases()[address.base as usize];
        let mut found = self.bases[address.base as usize].clone();
        for offset in &mut found {
            *offset ^= address.xor;
        }
        for number in plan.operands(address.numbers) {
            for (offset, number) in found.iter_mut().zip(self.numbers(step, *number)?) {
                if number & !base.number_bits != 0 {
                    let what = "a run-time number sets bits outside the address mask";
                    return Err(FaultKind::Width { step, what }.into());
                }
                *offset ^= number;
            }
        }
        let constant = address.add.wrapping_add(base.start);
        for byte in &mut found {
            *byte = base.padded(*byte).wrapping_add(constant);
        }
        let (block_log2, blocks) = (self.block_log2, 1 << plan.blocks_log2());
        let ranks: Vec<u32> = match base.space {
            MemorySpace::Buffer => Vec::new(),
            MemorySpace::Scratch | MemorySpace::Cluster if blocks == 1 => Vec::new(),
            MemorySpace::Scratch => (0..narrow(found.len()))
                .map(|t: u32| t >> block_log2)
                .collect(),
            MemorySpace::Cluster => {
                let ranks = found
                    .iter()
                    .map(|byte| byte >> Address::CTA_SHIFT)
                    .collect();
                let within = (1 << Address::CTA_SHIFT) - 1;
                found.iter_mut().for_each(|byte| *byte &= within);
                ranks
            }
        };
        let all = found.iter().fold(0, |all, byte| all | byte);
        let most = found.iter().copied().max().unwrap_or(0);
        let scratch = self.memory(base.space).1;
        let fits = u64::from(most) + u64::from(bytes) <= u64::from(scratch);
        if let Some(thread) = ranks.iter().position(|rank| *rank >= blocks) {
            let (thread, rank) = (narrow(thread), ranks[thread]);
            return Err(FaultKind::Rank {
                step,
                thread,
                rank,
                blocks,
            }
            .into());
        }
        if fits && all & (bytes - 1) == 0 {
            // The scratch memory of the blocks is one after the other.
            for (byte, rank) in found.iter_mut().zip(ranks) {
                *byte += rank * scratch;
            }
            return Ok(found);
        }
        for (&byte, thread) in found.iter().zip(0..) {
            if byte.checked_add(bytes).is_none_or(|end| end > scratch) {
                return Err(FaultKind::OutOfBounds {
                    step,
                    thread,
                    byte,
                    bytes,
                    scratch,
                }
                .into());
            }
            if byte & (bytes - 1) != 0 {
                return Err(FaultKind::Misaligned {
                    step,
                    thread,
                    byte,
                    bytes,
                }
                .into());
            }
        }
        Ok(found)
    }

    pub(super) fn store(
        &mut self,
        step: usize,
        address: Address,
        values: &[ValueId],
        guard: Option<u32>,
    ) -> Result<(), PlanFault> {
        let guard = guard.map(|guard| self.plan.predicates()[guard as usize]);
        let rows = self.rows(step, values)?;
        let bytes = narrow::<u32>(rows.len()) * self.granule;
        if !bytes.is_power_of_two() {
            return Err(FaultKind::Width {
                step,
                what: "the number of bytes of an access is not a power of two",
            }
            .into());
        }
        let found = self.addresses(step, address, bytes)?;
        let (lanes_log2, granule_log2) = (self.lanes_log2, self.granule_log2);
        let names = std::mem::take(&mut self.names);
        let memory = self.memory(self.space(address)).0;
        for (t, &byte) in found.iter().enumerate() {
            let (first, thread) = ((byte >> granule_log2) as usize, narrow(t));
            if guard.is_some_and(|guard| !guard.holds(thread)) {
                continue;
            }
            let row = rows.iter().map(|row| row.name(&names, t));
            if let Err((cell, _)) = memory.store(first, thread, thread >> lanes_log2, row) {
                let byte = narrow::<u32>(cell) << granule_log2;
                return Err(FaultKind::Race {
                    step,
                    thread,
                    byte,
                    reading: false,
                }
                .into());
            }
        }
        self.names = names;
        let waves = self.wavefronts(address, &found, bytes, Access::Store);
        let warps = self.warps();
        self.report.stores += warps;
        self.report.store_wavefronts += waves.taken * warps;
        self.report.store_conflicts += (waves.taken - waves.ideal) * warps;
        Ok(())
    }

    pub(super) fn load(
        &mut self,
        step: usize,
        address: Address,
        first: ValueId,
        count: u32,
    ) -> Result<(), PlanFault> {
        let granules = self.granules(first);
        let start = self.names.len();
        for k in 0..count {
            self.define(first.plus(k), granules);
        }
        let total = granules * count as usize;
        let bytes = narrow::<u32>(total) * self.granule;
        if !bytes.is_power_of_two() {
            return Err(FaultKind::Width {
                step,
                what: "the number of bytes of an access is not a power of two",
            }
            .into());
        }
        let found = self.addresses(step, address, bytes)?;
        let space = self.space(address);
        for (t, &byte) in found.iter().enumerate() {
            let at = (byte >> self.granule_log2) as usize;
            for (i, cell) in (at..at + total).enumerate() {
                let name = self.load_cell(step, space, narrow(t), cell)?;
                self.names[start + i * self.threads + t] = name;
            }
        }
        let waves = self.wavefronts(address, &found, bytes, Access::Load);
        let warps = self.warps();
        self.report.loads += warps;
        self.report.load_wavefronts += waves.taken * warps;
        self.report.load_conflicts += (waves.taken - waves.ideal) * warps;
        Ok(())
    }

    /// Returns the memory cells that the granules of matrix fragments occupy. The cells are ordered by granule, and
    /// for each granule by thread.
    ///
    /// # Errors
    /// Returns a fault if a row is out of bounds or misaligned, the number of lanes or rows is not that of the
    /// instruction, or a granule is larger than the unit that the instruction keeps contiguous.
    pub(super) fn matrix_cells(
        &mut self,
        step: usize,
        address: Address,
        count: u32,
        fragment: Fragment,
    ) -> Result<Vec<usize>, PlanFault> {
        let size = size(fragment);
        let lanes = 1 << self.lanes_log2;
        let whole = (WORD_BYTES * count).is_multiple_of(size.lane_bytes);
        let matrices = WORD_BYTES * count / size.lane_bytes;
        let fits = whole && matrices.is_power_of_two() && matrices * size.rows <= lanes;
        if !fits || self.granule > size.unit_bytes || size.lanes != lanes {
            let what = "a matrix access and its instruction differ in lanes or words";
            return Err(FaultKind::Width { step, what }.into());
        }
        let found = self.addresses(step, address, size.row_bytes)?;
        let granules = WORD_BYTES * count / self.granule;
        let mut cells = Vec::with_capacity(self.threads * granules as usize);
        for byte in (0..granules).map(|granule| granule * self.granule) {
            let (matrix, byte) = (byte / size.lane_bytes, byte % size.lane_bytes);
            for thread in 0..narrow::<u32>(self.threads) {
                let lane = thread & (lanes - 1);
                let (row, column) = cell(lane, byte, fragment);
                let byte = found[(thread - lane + size.rows * matrix + row) as usize] + column;
                cells.push((byte >> self.granule_log2) as usize);
            }
        }
        Ok(cells)
    }

    pub(super) fn store_matrices(
        &mut self,
        step: usize,
        address: Address,
        values: &[ValueId],
        fragment: Fragment,
    ) -> Result<(), PlanFault> {
        let cells = self.matrix_cells(step, address, narrow(values.len()), fragment)?;
        let mut rows = Vec::with_capacity(16);
        for &v in values {
            let of_value = self.place(step, v)?;
            if of_value.len() * self.granule as usize != WORD_BYTES as usize {
                let what = "an operand of a matrix store is not a 32-bit word";
                return Err(FaultKind::Width { step, what }.into());
            }
            rows.extend(of_value);
        }
        for (row, cells) in rows.into_iter().zip(cells.chunks(self.threads)) {
            for (t, &at) in cells.iter().enumerate() {
                let (thread, name) = (narrow(t), self.name(row, t));
                let warp = thread >> self.lanes_log2;
                let memory = self.memory(self.space(address)).0;
                let stored = memory.store(at, thread, warp, std::iter::once(name));
                if let Err((cell, _)) = stored {
                    let byte = narrow::<u32>(cell) << self.granule_log2;
                    return Err(FaultKind::Race {
                        step,
                        thread,
                        byte,
                        reading: false,
                    }
                    .into());
                }
            }
        }
        let waves = self.matrix_wavefronts(
            (address.base, Access::Store),
            narrow(values.len()),
            fragment,
        );
        let warps = self.warps();
        self.report.stores += warps;
        self.report.store_wavefronts += waves.taken * warps;
        self.report.store_conflicts += (waves.taken - waves.ideal) * warps;
        Ok(())
    }

    pub(super) fn load_matrices(
        &mut self,
        step: usize,
        address: Address,
        (first, count): (ValueId, u32),
        fragment: Fragment,
    ) -> Result<(), PlanFault> {
        let cells = self.matrix_cells(step, address, count, fragment)?;
        let (start, space) = (self.names.len(), self.space(address));
        for k in 0..count {
            self.define(first.plus(k), (WORD_BYTES / self.granule) as usize);
        }
        for (i, cells) in cells.chunks(self.threads).enumerate() {
            for (t, &cell) in cells.iter().enumerate() {
                let name = self.load_cell(step, space, narrow(t), cell)?;
                self.names[start + i * self.threads + t] = name;
            }
        }
        let waves = self.matrix_wavefronts((address.base, Access::Load), count, fragment);
        let warps = self.warps();
        self.report.loads += warps;
        self.report.load_wavefronts += waves.taken * warps;
        self.report.load_conflicts += (waves.taken - waves.ideal) * warps;
        Ok(())
    }

    pub(super) fn load_cell(
        &mut self,
        step: usize,
        space: MemorySpace,
        thread: u32,
        cell: usize,
    ) -> Result<N, PlanFault> {
        let warp = thread >> self.lanes_log2;
        let byte = narrow::<u32>(cell) << self.granule_log2;
        let loaded = self.memory(space).0.load(cell, thread, warp);
        loaded.map_err(|fault| {
            let kind = match fault {
                CellFault::Race => FaultKind::Race {
                    step,
                    thread,
                    byte,
                    reading: true,
                },
                CellFault::Uninitialised => FaultKind::Uninitialised { step, thread, byte },
            };
            kind.into()
        })
    }

    /// Returns the wavefronts that one matrix access by one warp takes. Each lane accesses `count` words.
    pub(super) fn matrix_wavefronts(
        &self,
        (base, access): (u32, Access),
        count: u32,
        fragment: Fragment,
    ) -> Wavefronts {
        let size = size(fragment);
        let rows = size.rows * (WORD_BYTES * count / size.lane_bytes);
        let lanes = self.bases[base as usize].iter().take(rows as usize);
        let addresses: Vec<_> = lanes.map(|&byte| Some(byte.into())).collect();
        let banks = Banks::of(self.target);
        let lane_bits = self.target.phase_lane_bits(access, size.row_bytes);
        banks.wavefronts(&addresses, size.row_bytes, lane_bits)
    }

    /// Returns the wavefronts that one access by one warp takes. They are counted bank by bank.
    ///
    /// If there is no padding, an XOR of all addresses with a constant permutes the banks and preserves conflicts.
    /// Therefore, the count for the first access is reused for all accesses with the same base.
    pub(super) fn wavefronts(
        &mut self,
        address: Address,
        found: &[u32],
        bytes: u32,
        access: Access,
    ) -> Wavefronts {
        let base = &self.plan.address_bases()[address.base as usize];
        let constant = if base.gaps.is_empty() { 0 } else { address.xor };
        let shape = (address.base, constant, bytes, access);
        if let Some((_, known)) = self.waves.iter().find(|w| w.0 == shape) {
            return *known;
        }
        let target = self.target;
        let lanes = found.iter().take(target.lanes as usize);
        let addresses: Vec<_> = lanes.map(|&byte| Some(byte.into())).collect();
        let counted = target.wavefronts(&addresses, bytes, access);
        self.waves.push((shape, counted));
        counted
    }

    pub(super) fn atomic_add(
        &mut self,
        step: usize,
        address: Address,
        value: ValueId,
        (mask, guard): (Option<ValueId>, Option<u32>),
    ) -> Result<(), PlanFault> {
        let guard = guard.map(|guard| self.plan.predicates()[guard as usize]);
        let bytes = self.plan.value_bytes(value);
        let found = self.addresses(step, address, bytes)?;
        let (mask, names) = (self.mask(step, mask)?, self.elements(step, value)?);
        let granule_log2 = self.granule_log2;
        if bytes != self.granule {
            let what = "an operand of an atomic addition is not a number";
            return Err(FaultKind::Width { step, what }.into());
        }
        let memory = self.memory(self.space(address)).0;
        for (t, &byte) in found.iter().enumerate() {
            let thread = narrow(t);
            if !mask[t] || guard.is_some_and(|guard| !guard.holds(thread)) {
                continue;
            }
            let added = memory.add((byte >> granule_log2) as usize, thread, names[t]);
            added.map_err(|fault| match fault {
                CellFault::Race => FaultKind::Race {
                    step,
                    thread,
                    byte,
                    reading: false,
                },
                CellFault::Uninitialised => FaultKind::Uninitialised { step, thread, byte },
            })?;
        }
        Ok(())
    }
}
