//! Loads, stores and atomics: bounds, alignment, uninitialised reads, races, statistics.

use super::Exec;
use crate::machine::kernel::bits::mask;
use crate::machine::kernel::code::Space;
use crate::machine::kernel::error::{FaultKind, KernelError};
use crate::machine::kernel::memory::{self, LOCAL_WINDOW, SHARED_SYMBOL_LOG2, SHARED_WINDOW};
use crate::machine::kernel::ops::atomic::AtomicPlace;
use crate::machine::kernel::ops::buffer::BufferAccess;
use crate::machine::kernel::ops::memory::{Access, Field, Guard};
use crate::machine::race::Conflict;
use crate::target::{Banks, Wavefronts};

/// A byte that exists, with room for the access.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Global { buffer: usize, at: usize },
    Shared { var: usize, at: usize },
    Local { at: usize },
}

/// Bytes of a global-memory sector.
const SECTOR: u64 = 32;

impl Exec<'_> {
    /// The lanes that take part in an access and their addresses.
    fn collect(&self, access: &Access) -> Vec<(u32, u64)> {
        let bits = access.space.pointer_bits();
        let address = |lane: u32| {
            self.get(access.addr, lane)
                .wrapping_add(access.offset as u64)
                & mask(bits)
        };
        let lanes = self.lanes.iter().copied();
        let lanes = lanes.filter(|&lane| self.is_on(access.guard, lane));
        lanes.map(|lane| (lane, address(lane))).collect()
    }

    /// Whether a lane takes part under a guard.
    fn is_on(&self, guard: Option<Guard>, lane: u32) -> bool {
        guard.is_none_or(|guard| (self.get(guard.reg, lane) & 1 == 1) != guard.negated)
    }

    /// Finds the memory that an address means and checks bounds and alignment.
    pub(crate) fn resolve(
        &self,
        lane: u32,
        space: Space,
        address: u64,
        size: u32,
        align: u32,
        verb: &str,
    ) -> Result<Place, KernelError> {
        let wrong = |kind, text: String| Err(self.fault(kind, lane, text));
        let what = || format!("{} {verb} of {size} bytes", space.name());
        if !address.is_multiple_of(u64::from(align.max(1))) {
            let text = format!(
                "misaligned {}: address {address:#x} is no multiple of {align}",
                what()
            );
            return wrong(FaultKind::Misaligned, text);
        }
        let in_shared =
            space == Space::Shared || (space == Space::Generic && address & SHARED_WINDOW != 0);
        let in_local =
            space == Space::Local || (space == Space::Generic && address & LOCAL_WINDOW != 0);
        let size = size as usize;
        if in_shared {
            let offset = address & 0xffff_ffff;
            let (var, at) = (
                (offset >> SHARED_SYMBOL_LOG2) as usize,
                offset & ((1 << SHARED_SYMBOL_LOG2) - 1),
            );
            let at = at as usize;
            return match self.shared.get(var) {
                Some(shared) if at + size <= shared.bytes.len() => Ok(Place::Shared { var, at }),
                Some(shared) => {
                    let (name, len) = (&shared.name, shared.bytes.len());
                    let text = format!(
                        "out-of-bounds {}: byte {at} of shared variable `{name}`, which has {len} bytes",
                        what()
                    );
                    wrong(FaultKind::OutOfBounds, text)
                }
                None => wrong(
                    FaultKind::OutOfBounds,
                    format!(
                        "out-of-bounds {}: {offset:#x} lies in no shared variable",
                        what()
                    ),
                ),
            };
        }
        if in_local {
            let at = (address & 0xffff_ffff) as usize;
            let frame = self.program.local_bytes as usize;
            if at + size > frame {
                let text = format!(
                    "out-of-bounds {}: byte {at} of a stack of {frame} bytes",
                    what()
                );
                return wrong(FaultKind::OutOfBounds, text);
            }
            return Ok(Place::Local {
                at: lane as usize * frame + at,
            });
        }
        let num_buffers = self.memory.buffers.len();
        let Some(place) = memory::locate(address, num_buffers, self.symbols.len()) else {
            let text = format!("out-of-bounds {}: {address:#x} lies in no buffer", what());
            return wrong(FaultKind::OutOfBounds, text);
        };
        let buffer = self.buffer(place.buffer);
        match usize::try_from(place.offset) {
            Ok(at) if at + size <= buffer.bytes.len() => {
                if verb != "load" && !buffer.writable {
                    let text = format!("{} to constant `{}`", what(), buffer.name);
                    return wrong(FaultKind::ReadOnly, text);
                }
                Ok(Place::Global {
                    buffer: place.buffer,
                    at,
                })
            }
            _ => {
                let (name, len) = (&buffer.name, buffer.bytes.len());
                let text = format!(
                    "out-of-bounds {}: byte {} of `{name}`, which has {len} bytes",
                    what(),
                    place.offset
                );
                wrong(FaultKind::OutOfBounds, text)
            }
        }
    }

    pub(crate) fn buffer(&self, index: usize) -> &memory::Buffer {
        let own = index.checked_sub(self.memory.buffers.len());
        own.map_or_else(
            || &self.memory.buffers[index],
            |symbol| &self.symbols[symbol],
        )
    }

    fn buffer_mut(&mut self, index: usize) -> &mut memory::Buffer {
        match index.checked_sub(self.memory.buffers.len()) {
            None => &mut self.memory.buffers[index],
            Some(symbol) => &mut self.symbols[symbol],
        }
    }

    /// The error for an access that meets `conflict`.
    #[cold]
    fn race(&self, lane: u32, what: &str, place: &str, conflict: Conflict) -> KernelError {
        let other_lane = conflict.thread % self.num_threads;
        let mut other = self.place(other_lane);
        let block = conflict.thread / self.num_threads;
        if block != self.block_linear {
            let [x, y, _] = self.launch.grid;
            other.block = [block % x, block / x % y, block / x / y];
        }
        let did = if conflict.wrote { "stored" } else { "loaded" };
        let text =
            format!("data race: {what} of {place}, which {other} {did} with no barrier between");
        let site = self.program.site(conflict.op);
        self.fault(FaultKind::Race, lane, text)
            .note(format!("the other access is {site}"))
    }

    pub(crate) fn read_place(
        &mut self,
        lane: u32,
        place: Place,
        fields: &[Field],
    ) -> Result<(), KernelError> {
        let now = self.now(lane);
        for field in fields {
            let offset = field.offset as usize;
            let count = usize::from(field.bytes);
            let value = match place {
                Place::Global { buffer, at } => {
                    let at = at + offset;
                    let order = self.global_order;
                    let check = self.launch.check_global_races;
                    let memory = self.buffer_mut(buffer);
                    let value = memory::read_le(&memory.bytes, at, field.bytes);
                    if check
                        && memory.writable
                        && let (_, Some(conflict)) = memory.shadow.read(at, count, now, order)
                    {
                        let place = format!("byte {at} of `{}`", memory.name);
                        return Err(self.race(lane, "load", &place, conflict));
                    }
                    value
                }
                Place::Shared { var, at } => {
                    let at = at + offset;
                    let order = self.shared_order;
                    let shared = &mut self.shared[var];
                    let value = memory::read_le(&shared.bytes, at, field.bytes);
                    let (missing, conflict) = shared.shadow.read(at, count, now, order);
                    if let Some(byte) = missing {
                        let text = format!(
                            "read of uninitialised shared memory: byte {byte} of `{}`",
                            shared.name
                        );
                        return Err(self.fault(FaultKind::Uninitialised, lane, text));
                    }
                    if let Some(conflict) = conflict {
                        let place = format!("byte {at} of `{}`", shared.name);
                        return Err(self.race(lane, "load", &place, conflict));
                    }
                    value
                }
                Place::Local { at } => {
                    let at = at + offset;
                    if self.local_shadow[at..at + count].contains(&false) {
                        let text = "read of uninitialised local memory".to_owned();
                        return Err(self.fault(FaultKind::Uninitialised, lane, text));
                    }
                    memory::read_le(&self.local, at, field.bytes)
                }
            };
            self.set(field.reg, lane, value);
        }
        Ok(())
    }

    fn write_place(
        &mut self,
        lane: u32,
        place: Place,
        fields: &[Field],
    ) -> Result<(), KernelError> {
        for field in fields {
            self.write_value(
                lane,
                place,
                field.offset,
                field.bytes,
                self.get(field.reg, lane),
            )?;
        }
        Ok(())
    }

    pub(crate) fn write_value(
        &mut self,
        lane: u32,
        place: Place,
        offset: u32,
        count: u8,
        value: u64,
    ) -> Result<(), KernelError> {
        let now = self.now(lane);
        let offset = offset as usize;
        let (bytes, shadow, order, at, checked) = match place {
            Place::Global { buffer, at } => {
                let order = self.global_order;
                let check = self.launch.check_global_races;
                let memory = self.buffer_mut(buffer);
                (
                    &mut memory.bytes,
                    &mut memory.shadow,
                    order,
                    at + offset,
                    check,
                )
            }
            Place::Shared { var, at } => {
                let shared = &mut self.shared[var];
                (
                    &mut shared.bytes,
                    &mut shared.shadow,
                    self.shared_order,
                    at + offset,
                    true,
                )
            }
            Place::Local { at } => {
                let at = at + offset;
                memory::write_le(&mut self.local, at, count, value);
                self.local_shadow[at..at + usize::from(count)].fill(true);
                return Ok(());
            }
        };
        if !checked {
            memory::write_le(bytes, at, count, value);
            return Ok(());
        }
        let words = [
            memory::read_le(bytes, at, count),
            value & mask(8 * u32::from(count)),
        ];
        let (redundant, conflict) = shadow.write(at, count.into(), words, now, order);
        memory::write_le(bytes, at, count, value);
        self.report.redundant_bytes += redundant;
        match conflict {
            None => Ok(()),
            Some(conflict) => {
                let name = match place {
                    Place::Global { buffer, .. } => &self.buffer(buffer).name,
                    Place::Shared { var, .. } => &self.shared[var].name,
                    Place::Local { .. } => "",
                };
                let place = format!("byte {at} of `{name}`");
                Err(self.race(lane, "store", &place, conflict))
            }
        }
    }

    /// What lies at an address, of which nobody but the simulator knows that it is read.
    pub(crate) fn peek(&self, lane: u32, address: u64, bytes: u32) -> Result<u64, KernelError> {
        let place = self.resolve(lane, Space::Generic, address, bytes, 1, "load")?;
        let count = bytes as u8;
        Ok(match place {
            Place::Global { buffer, at } => memory::read_le(&self.buffer(buffer).bytes, at, count),
            Place::Shared { var, at } => memory::read_le(&self.shared[var].bytes, at, count),
            Place::Local { at } => memory::read_le(&self.local, at, count),
        })
    }

    pub(crate) fn load(&mut self, access: &Access) -> Result<(), KernelError> {
        self.carry_out(access, true)
    }

    pub(crate) fn store(&mut self, access: &Access) -> Result<(), KernelError> {
        self.carry_out(access, false)
    }

    fn carry_out(&mut self, access: &Access, is_load: bool) -> Result<(), KernelError> {
        let verb = if is_load { "load" } else { "store" };
        let lanes = self.collect(access);
        for &(lane, address) in &lanes {
            let place =
                self.resolve(lane, access.space, address, access.size, access.align, verb)?;
            if is_load {
                self.read_place(lane, place, &access.fields)?;
            } else {
                self.write_place(lane, place, &access.fields)?;
            }
        }
        self.count(access.space, &lanes, access.size, is_load);
        self.order_waves();
        Ok(())
    }

    /// The fields inside the descriptor's range, with the access's address.
    fn buffer_fields(&self, access: &BufferAccess, lane: u32) -> (u64, Vec<Field>, Vec<Field>) {
        let [base, _, records, _] = access.rsrc.map(|reg| self.get(reg, lane));
        // The descriptor's size field has 32 bits; the hardware clamps larger ones.
        let records = records.min(0xffff_ffff);
        let offset = self.get(access.offset, lane) + self.get(access.soffset, lane);
        let inside = |field: &Field| {
            let end = offset + u64::from(field.offset) + u64::from(field.bytes);
            end <= records
        };
        let (inside, outside) = access.fields.iter().partition(|field| inside(field));
        (base.wrapping_add(offset), inside, outside)
    }

    pub(crate) fn buffer_load(&mut self, access: &BufferAccess) -> Result<(), KernelError> {
        let mut lanes = Vec::new();
        for index in 0..self.lanes.len() {
            let lane = self.lanes[index];
            let (address, inside, outside) = self.buffer_fields(access, lane);
            for field in outside {
                self.set(field.reg, lane, 0);
            }
            if let Some(size) = inside.iter().map(|f| f.offset + u32::from(f.bytes)).max() {
                let align = size.min(4).next_power_of_two();
                let place = self.resolve(lane, Space::Global, address, size, align, "load")?;
                self.read_place(lane, place, &inside)?;
                lanes.push((lane, address));
            }
        }
        self.count(Space::Global, &lanes, access.size, true);
        self.order_waves();
        Ok(())
    }

    pub(crate) fn buffer_store(&mut self, access: &BufferAccess) -> Result<(), KernelError> {
        let mut lanes = Vec::new();
        for index in 0..self.lanes.len() {
            let lane = self.lanes[index];
            let (address, inside, _) = self.buffer_fields(access, lane);
            if let Some(size) = inside.iter().map(|f| f.offset + u32::from(f.bytes)).max() {
                let align = size.min(4).next_power_of_two();
                let place = self.resolve(lane, Space::Global, address, size, align, "store")?;
                self.write_place(lane, place, &inside)?;
                lanes.push((lane, address));
            }
        }
        self.count(Space::Global, &lanes, access.size, false);
        self.order_waves();
        Ok(())
    }

    /// Lanes one after the other; an atomic is ordered against everything. `update` gets the lane and the old
    /// value, and returns the new one.
    pub(crate) fn atomic(
        &mut self,
        access: &AtomicPlace,
        update: impl Fn(&mut Self, u32, u64) -> u64,
    ) -> Result<(), KernelError> {
        let (space, count) = (access.space, (access.bits / 8) as u8);
        let mut lanes = Vec::new();
        for index in 0..self.lanes.len() {
            let lane = self.lanes[index];
            if !self.is_on(access.guard, lane) {
                continue;
            }
            let address = self.get(access.addr, lane);
            let address = address.wrapping_add_signed(access.offset) & mask(space.pointer_bits());
            let place = self.resolve(lane, space, address, count.into(), count.into(), "atomic")?;
            let now = self.now(lane);
            let (bytes, at) = match place {
                Place::Global { buffer, at } => {
                    let memory = self.buffer_mut(buffer);
                    memory.shadow.write_ordered(at, count.into(), now);
                    (&mut memory.bytes, at)
                }
                Place::Shared { var, at } => {
                    let shared = &mut self.shared[var];
                    shared.shadow.write_ordered(at, count.into(), now);
                    (&mut shared.bytes, at)
                }
                Place::Local { at } => (&mut self.local, at),
            };
            let old = memory::read_le(bytes, at, count);
            let new = update(self, lane, old);
            let (bytes, at) = match place {
                Place::Global { buffer, at } => (&mut self.buffer_mut(buffer).bytes, at),
                Place::Shared { var, at } => (&mut self.shared[var].bytes, at),
                Place::Local { at } => (&mut self.local, at),
            };
            memory::write_le(bytes, at, count, new);
            lanes.push((lane, address));
        }
        self.count(space, &lanes, count.into(), false);
        self.order_waves();
        Ok(())
    }

    /// Adds an access of all `lanes` to the statistics, warp by warp.
    pub(crate) fn count(&mut self, space: Space, lanes: &[(u32, u64)], size: u32, is_load: bool) {
        let machine = self.launch.machine;
        let per_warp = machine.lanes_per_warp;
        let mut sectors = Vec::new();
        for warp in lanes.chunk_by(|a, b| a.0 / per_warp == b.0 / per_warp) {
            let shared = space == Space::Shared
                || (space == Space::Generic && warp[0].1 & SHARED_WINDOW != 0);
            let used = if shared {
                let mut addresses = vec![None; per_warp as usize];
                for &(lane, address) in warp {
                    addresses[(lane % per_warp) as usize] = Some(address & 0xffff_ffff);
                }
                let banks = Banks {
                    count: machine.num_banks,
                    bytes: machine.bank_bytes,
                };
                let wide = machine
                    .wide_load_lane_bits
                    .filter(|_| is_load && size == 16);
                let lane_bits = wide.unwrap_or_else(|| banks.consecutive(size));
                banks.wavefronts(&addresses, size, lane_bits)
            } else {
                sectors.clear();
                let mut bytes: Vec<(u64, u64)> = warp
                    .iter()
                    .map(|&(_, address)| (address, address + u64::from(size)))
                    .collect();
                bytes.sort_unstable();
                let (mut distinct, mut reached) = (0, 0);
                for (start, end) in bytes {
                    distinct += end.saturating_sub(start.max(reached));
                    reached = reached.max(end);
                    sectors.extend(start / SECTOR..end.div_ceil(SECTOR));
                }
                sectors.dedup();
                Wavefronts {
                    taken: sectors.len() as u64,
                    ideal: distinct.div_ceil(SECTOR),
                }
            };
            let counters = &mut self.counters[self.op as usize];
            counters.accesses += 1;
            counters.wavefronts += used;
        }
    }
}
