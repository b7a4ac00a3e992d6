//! Loads, stores and atomics. Each access is checked for bounds, alignment, initialisation and races, and is counted in
//! the statistics.

use super::bounds::Window;
use super::{Access, AtomicOperand, BufferAccess, Exec, Field, Guard, MAX_SAMPLES};
use crate::bits::mask;
use crate::code::{Reg, Space};
use crate::error::{FaultKind, KernelError};
use crate::memory::{self, Buffer, LOCAL_WINDOW, Memory, SHARED_WINDOW};
use crate::report::Sample;
use gpu_race::{AccessKind, Conflict, ExecutionPoint, ShadowAccess, Sync};
use linear_layout::target::Wavefronts;

/// The memory and the byte offset to which an address resolves. All bytes of the access are within bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MemoryLocation {
    Global {
        buffer: usize,
        at: usize,
    },
    /// Byte `at` of the shared variable `var`. The access goes through `window`, which is the variable itself or an
    /// allocation in it.
    Shared {
        var: usize,
        window: u32,
        at: usize,
    },
    Local {
        at: usize,
    },
}

impl MemoryLocation {
    #[inline]
    pub(crate) fn behind(mut self, bytes: usize) -> Self {
        let (Self::Global { at, .. } | Self::Shared { at, .. } | Self::Local { at }) = &mut self;
        *at = at.wrapping_add(bytes);
        self
    }
}

const SECTOR: u64 = 32;
const LARGEST_VECTOR: usize = 32;

/// A load or store of one or more registers that each lane performs at its own address.
struct VectorAccess<'f> {
    addr: Reg,
    space: Space,
    fields: &'f [Field],
    size: u32,
    align: u32,
    /// Memory order of an atomic access; `None` for a non-atomic access.
    sync: Option<Sync>,
}

impl<'f> VectorAccess<'f> {
    fn through_descriptor(addr: Reg, fields: &'f [Field], size: u32) -> Self {
        Self {
            addr,
            space: Space::Global,
            fields,
            size,
            align: size.min(4).next_power_of_two(),
            sync: None,
        }
    }

    fn is_dense(&self) -> bool {
        let mut end = 0;
        let follows = |field: &Field| {
            let is_next = field.offset == end;
            end += u32::from(field.bytes);
            is_next
        };
        self.fields.iter().all(follows) && end == self.size && end > 0
    }
}

fn buffer_mut<'b>(
    memory: &'b mut Memory,
    symbols: &'b mut [Buffer],
    index: usize,
) -> &'b mut Buffer {
    match index.checked_sub(memory.buffers.len()) {
        None => &mut memory.buffers[index],
        Some(symbol) => &mut symbols[symbol],
    }
}

impl Exec<'_> {
    /// Adds an entry (lane, address) to `lanes` for each active lane in which the guard of `access` holds.
    fn collect(&self, access: &Access, lanes: &mut Vec<(u32, u64)>) {
        let kept = mask(access.space.pointer_bits());
        let bases = &self.regs[access.addr.0 as usize];
        let address = |lane: u32| bases[lane as usize].wrapping_add(access.offset as u64) & kept;
        let active = self.lanes.iter().copied();
        match access.guard {
            None => lanes.extend(active.map(|lane| (lane, address(lane)))),
            Some(_) => {
                let active = active.filter(|&lane| self.is_on(access.guard, lane));
                lanes.extend(active.map(|lane| (lane, address(lane))));
            }
        }
    }

    /// Returns true if there is no guard, or if the guard holds in `lane`.
    pub(crate) fn is_on(&self, guard: Option<Guard>, lane: u32) -> bool {
        guard.is_none_or(|guard| (self.get(guard.reg, lane) & 1 == 1) != guard.negated)
    }

    /// Returns the location of an address, or an error if the access is out of bounds or misaligned.
    pub(crate) fn resolve(
        &self,
        lane: u32,
        space: Space,
        address: u64,
        size: u32,
        align: u32,
        verb: &str,
    ) -> Result<MemoryLocation, KernelError> {
        let wrong = |kind, text: String| Err(self.fault(kind, lane, text));
        let what = || format!("{} {verb} of {size} bytes", space.name());
        if !address.is_multiple_of(u64::from(align.max(1))) {
            let text = format!(
                "misaligned {}: address {address:#x} is not a multiple of {align}",
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
            let location = self.shared_location(lane, address, size, &what)?;
            return match location {
                // An allocation may begin at any byte of its variable.
                MemoryLocation::Shared { window, at, .. }
                    if !at.is_multiple_of(align.max(1) as usize) =>
                {
                    let byte = self.shared_byte(window, at);
                    let text = format!(
                        "misaligned {}: {byte} is not at a multiple of {align} bytes",
                        what()
                    );
                    wrong(FaultKind::Misaligned, text)
                }
                location => Ok(location),
            };
        }
        if in_local {
            return self.stack_location(lane, address, size, &what);
        }
        let num_buffers = self.memory.buffers.len();
        let Some(location) = memory::locate(address, num_buffers, self.symbols.len()) else {
            let text = format!(
                "out-of-bounds {}: address {address:#x} is outside of all buffers",
                what()
            );
            return wrong(FaultKind::OutOfBounds, text);
        };
        let buffer = self.buffer(location.buffer);
        match usize::try_from(location.offset) {
            Ok(at) if at + size <= buffer.bytes.len() => {
                if verb != "load" && !buffer.writable {
                    let text = format!("{} to constant `{}`", what(), buffer.name);
                    return wrong(FaultKind::ReadOnly, text);
                }
                Ok(MemoryLocation::Global {
                    buffer: location.buffer,
                    at,
                })
            }
            _ => {
                let (name, len) = (&buffer.name, buffer.bytes.len());
                let text = format!(
                    "out-of-bounds {}: byte {} of `{name}`, which has {len} bytes",
                    what(),
                    location.offset
                );
                wrong(FaultKind::OutOfBounds, text)
            }
        }
    }

    pub(crate) fn buffer(&self, index: usize) -> &Buffer {
        let own = index.checked_sub(self.memory.buffers.len());
        own.map_or_else(
            || &self.memory.buffers[index],
            |symbol| &self.symbols[symbol],
        )
    }

    /// Returns the execution point of `lane` and the index of its timestamp.
    pub(super) fn access_point(&mut self, lane: u32) -> (ExecutionPoint, u32) {
        if self.timestamps.is_full() {
            let buffers = self.memory.buffers.iter_mut().chain(&mut self.symbols);
            let shadows = buffers.map(|buffer| &mut buffer.shadow);
            let shadows = shadows.chain(self.shared.iter_mut().map(|shared| &mut shared.shadow));
            shadows.for_each(|shadow| shadow.unpack(&self.timestamps));
            self.timestamps.clear();
        }
        let now = self.now(lane);
        (now, self.timestamps.index_of(now))
    }

    #[cold]
    fn race(&self, lane: u32, what: &str, location: &str, conflict: Conflict) -> KernelError {
        let lane = self.reported_lane(lane, conflict.thread);
        let other_lane = conflict.thread % self.num_threads;
        let mut other = self.thread_id(other_lane);
        other.block = self.block_index(conflict.thread / self.num_threads);
        let did = if conflict.wrote { "store" } else { "load" };
        let lacks = match other.block == self.block {
            true => "no barrier",
            false => "no release and acquire",
        };
        let text =
            format!("data race: {lacks} between the {what} {location} and the {did} by {other}");
        let site = self.program.site(conflict.op);
        self.fault(FaultKind::Race, lane, text)
            .note(format!("the other access is {site}"))
    }

    pub(crate) fn read_location(
        &mut self,
        lane: u32,
        location: MemoryLocation,
        fields: &[Field],
        sync: Option<Sync>,
    ) -> Result<(), KernelError> {
        let (now, timestamp) = self.access_point(lane);
        let has_history = self.has_history(location);
        for field in fields {
            let offset = field.offset as usize;
            let count = usize::from(field.bytes);
            self.check_in_flight(lane, location.behind(offset), count as u32, false)?;
            if has_history {
                let kind = sync.map_or(AccessKind::Read, |sync| AccessKind::AtomicRead(sync.scope));
                self.note_access(lane, location, (offset, count), kind, 0)?;
                if let MemoryLocation::Shared { var, window, at } = location {
                    self.check_owner(lane, var, window, at + offset, count)?;
                }
                let value = self.value_at(location.behind(offset), field.bytes);
                self.set(field.reg, lane, value);
                continue;
            }
            let value = match location {
                MemoryLocation::Global { buffer, at } => {
                    let at = at + offset;
                    let record = ShadowAccess {
                        now,
                        timestamp,
                        order: self.global_order,
                        timestamps: &self.timestamps,
                    };
                    let check = self.launch.check_global_races;
                    let memory = buffer_mut(self.memory, &mut self.symbols, buffer);
                    let value = memory::read_le(&memory.bytes, at, field.bytes);
                    if check
                        && memory.writable
                        && !memory.shadow.read_fast(at, count, &record)
                        && let (_, Some(conflict)) = memory.shadow.read(at, count, &record)
                    {
                        let location = format!("byte {at} of `{}`", memory.name);
                        return Err(self.race(lane, "load from", &location, conflict));
                    }
                    value
                }
                MemoryLocation::Shared { var, window, at } => {
                    let at = at + offset;
                    let record = ShadowAccess {
                        now,
                        timestamp,
                        order: self.shared_order,
                        timestamps: &self.timestamps,
                    };
                    let shared = &mut self.shared[var];
                    let value = memory::read_le(&shared.bytes, at, field.bytes);
                    let (missing, conflict) = match shared.shadow.read_fast(at, count, &record) {
                        true => (None, None),
                        false => shared.shadow.read(at, count, &record),
                    };
                    if let Some(byte) = missing {
                        let text = format!(
                            "read of uninitialised shared memory: {}",
                            self.shared_byte(window, byte)
                        );
                        return Err(self.fault(FaultKind::Uninitialised, lane, text));
                    }
                    if let Some(conflict) = conflict {
                        let location = self.shared_byte(window, at);
                        return Err(self.race(lane, "load from", &location, conflict));
                    }
                    self.check_owner(lane, var, window, at, count)?;
                    value
                }
                MemoryLocation::Local { at } => {
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
        if let Some(sync) = sync {
            self.synchronize(lane, location, sync, (true, false));
        }
        Ok(())
    }

    fn write_location(
        &mut self,
        lane: u32,
        location: MemoryLocation,
        fields: &[Field],
        sync: Option<Sync>,
    ) -> Result<(), KernelError> {
        for field in fields {
            let value = self.get(field.reg, lane);
            if let Some(sync) = sync.filter(|_| self.has_history(location)) {
                let at = location.behind(field.offset as usize);
                self.check_in_flight(lane, at, field.bytes.into(), true)?;
                let old = self.value_at(at, field.bytes);
                let kind = AccessKind::AtomicWrite(sync.scope);
                self.note_access(lane, at, (0, field.bytes.into()), kind, 0)?;
                self.put(lane, at, field.bytes, value);
                self.notice_change(old != value & mask(8 * u32::from(field.bytes)));
                continue;
            }
            self.write_value(lane, location, field.offset, field.bytes, value)?;
        }
        if let Some(sync) = sync {
            self.synchronize(lane, location, sync, (false, true));
        }
        Ok(())
    }

    pub(super) fn byte_name(&self, location: MemoryLocation, at: usize) -> String {
        match location {
            MemoryLocation::Global { buffer, .. } => {
                format!("byte {at} of `{}`", self.buffer(buffer).name)
            }
            MemoryLocation::Shared { window, .. } => self.shared_byte(window, at),
            MemoryLocation::Local { .. } => format!("byte {at} of a stack"),
        }
    }

    /// Reads `count` bytes as a little-endian number, without checks.
    pub(crate) fn value_at(&self, location: MemoryLocation, count: u8) -> u64 {
        match location {
            MemoryLocation::Global { buffer, at } => {
                memory::read_le(&self.buffer(buffer).bytes, at, count)
            }
            MemoryLocation::Shared { var, at, .. } => {
                memory::read_le(&self.shared[var].bytes, at, count)
            }
            MemoryLocation::Local { at } => memory::read_le(&self.local, at, count),
        }
    }

    /// Stores the lowest `count` bytes of `value`, without checks.
    pub(super) fn put(&mut self, lane: u32, location: MemoryLocation, count: u8, value: u64) {
        let (bytes, at) = match location {
            MemoryLocation::Global { buffer, at } => {
                let memory = buffer_mut(self.memory, &mut self.symbols, buffer);
                (&mut memory.bytes, at)
            }
            MemoryLocation::Shared { var, window, at } => {
                let owner = self.owner(lane, window);
                let shared = &mut self.shared[var];
                shared.own(at, count.into(), owner);
                (&mut shared.bytes, at)
            }
            MemoryLocation::Local { at } => (&mut self.local, at),
        };
        memory::write_le(bytes, at, count, value);
    }

    pub(crate) fn write_value(
        &mut self,
        lane: u32,
        location: MemoryLocation,
        offset: u32,
        count: u8,
        value: u64,
    ) -> Result<(), KernelError> {
        let start = location.behind(offset as usize);
        self.check_in_flight(lane, start, count.into(), true)?;
        if self.proxies.is_some() {
            self.note_generic_write(lane, start, count.into());
        }
        if self.has_history(location) {
            let location = location.behind(offset as usize);
            let value = value & mask(8 * u32::from(count));
            let changed = self.value_at(location, count) ^ value;
            let is_changed = |byte: &u32| changed >> (8 * byte) & 0xff != 0;
            let changes = (0..u32::from(count))
                .filter(is_changed)
                .fold(0, |bits, byte| bits | 1 << byte);
            let redundant = self.note_access(
                lane,
                location,
                (0, count.into()),
                AccessKind::Write,
                changes,
            )?;
            self.report.redundant_bytes += redundant;
            self.put(lane, location, count, value);
            self.notice_change(changed != 0);
            return Ok(());
        }
        if let MemoryLocation::Shared { var, window, at } = location {
            let first = at + offset as usize;
            if self.shared[var].is_loaded_remotely(first, count.into()) {
                let byte = self.shared_byte(window, first);
                let text = format!(
                    "data race: no cluster barrier between the store to {byte} and the load by another block \
                     of the cluster"
                );
                return Err(self.fault(FaultKind::Race, lane, text));
            }
        }
        let (now, timestamp) = self.access_point(lane);
        let offset = offset as usize;
        let (bytes, shadow, order, at, checked) = match location {
            MemoryLocation::Global { buffer, at } => {
                let memory = buffer_mut(self.memory, &mut self.symbols, buffer);
                (
                    &mut memory.bytes,
                    &mut memory.shadow,
                    self.global_order,
                    at + offset,
                    self.launch.check_global_races,
                )
            }
            MemoryLocation::Shared { var, window, at } => {
                let owner = self.owner(lane, window);
                let shared = &mut self.shared[var];
                shared.own(at + offset, count.into(), owner);
                (
                    &mut shared.bytes,
                    &mut shared.shadow,
                    self.shared_order,
                    at + offset,
                    true,
                )
            }
            MemoryLocation::Local { at } => {
                let at = at + offset;
                memory::write_le(&mut self.local, at, count, value);
                self.local_shadow[at..at + usize::from(count)].fill(true);
                self.notice_change(true);
                return Ok(());
            }
        };
        if !checked {
            memory::write_le(bytes, at, count, value);
            self.notice_change(true);
            return Ok(());
        }
        let record = ShadowAccess {
            now,
            timestamp,
            order,
            timestamps: &self.timestamps,
        };
        let end = at + usize::from(count);
        let new = &value.to_le_bytes()[..usize::from(count)];
        let (redundant, conflict) = match shadow.write_fast(at, &bytes[at..end], new, &record) {
            Some(redundant) => (redundant, None),
            None => {
                let words = [
                    memory::read_le(bytes, at, count),
                    value & mask(8 * u32::from(count)),
                ];
                shadow.write(at, count.into(), words, &record)
            }
        };
        let is_changed = bytes[at..end] != *new;
        bytes[at..end].copy_from_slice(new);
        self.report.redundant_bytes += redundant;
        self.notice_change(is_changed);
        match conflict {
            None => Ok(()),
            Some(conflict) => {
                let location = self.byte_name(location, at);
                Err(self.race(lane, "store to", &location, conflict))
            }
        }
    }

    /// Reads `bytes` bytes at a generic address without recording an access.
    pub(crate) fn peek(&self, lane: u32, address: u64, bytes: u32) -> Result<u64, KernelError> {
        let location = self.resolve(lane, Space::Generic, address, bytes, 1, "load")?;
        self.check_defined_memory(lane, location, bytes)?;
        Ok(self.value_at(location, bytes as u8))
    }

    pub(crate) fn load(&mut self, access: &Access) -> Result<(), KernelError> {
        if access.space == Space::Cluster {
            return self.load_from_cluster(access);
        }
        self.carry_out(access, true)
    }

    pub(crate) fn store(&mut self, access: &Access) -> Result<(), KernelError> {
        self.carry_out(access, false)
    }

    fn carry_out(&mut self, access: &Access, is_load: bool) -> Result<(), KernelError> {
        let mut lanes = self.idle_lanes();
        self.collect(access, &mut lanes);
        let vector = VectorAccess {
            addr: access.addr,
            space: access.space,
            fields: &access.fields,
            size: access.size,
            align: access.align,
            sync: access.sync,
        };
        if is_load {
            self.notice_read(access.sync.is_some());
        }
        self.each_lane(&vector, &lanes, is_load)?;
        if let Some(sync) = access.sync {
            self.broadcast_acquire(sync);
        }
        self.count(access.space, &lanes, access.size, is_load);
        self.spare_lanes = lanes;
        self.order_waves();
        Ok(())
    }

    /// Takes the cleared list `spare_lanes`, to reuse its allocation. The caller puts the list back.
    fn idle_lanes(&mut self) -> Vec<(u32, u64)> {
        let mut lanes = std::mem::take(&mut self.spare_lanes);
        lanes.clear();
        lanes
    }

    fn each_lane(
        &mut self,
        vector: &VectorAccess<'_>,
        lanes: &[(u32, u64)],
        is_load: bool,
    ) -> Result<(), KernelError> {
        let stored = vector.fields.iter().map(|field| field.reg);
        let has_marks = self.carries_marks(stored.filter(|_| !is_load));
        let mut rest = lanes;
        while let Some(&(lane, address)) = rest.first() {
            let verb = if is_load { "load" } else { "store" };
            let (space, size, align) = (vector.space, vector.size, vector.align);
            let location = self.resolve(lane, space, address, size, align, verb)?;
            self.check_origin(lane, vector.addr, location, (space, size, verb))?;
            let joint = match location {
                MemoryLocation::Local { .. } => &[],
                _ => self.joint_prefix(vector, rest, is_load),
            };
            if !joint.is_empty() {
                self.joint_access(vector, joint, location, is_load)?;
                for &(lane, _) in joint.iter().filter(|_| has_marks) {
                    self.move_marks(lane, location, vector.fields, is_load);
                }
                rest = &rest[joint.len()..];
                continue;
            }
            let done = match is_load {
                _ if has_marks => 0,
                true => self.lanes_fast::<true>(vector, rest, location),
                false => self.lanes_fast::<false>(vector, rest, location),
            };
            rest = &rest[done..];
            if done > 0 {
                continue;
            }
            if is_load {
                self.read_location(lane, location, vector.fields, vector.sync)?;
            } else {
                self.write_location(lane, location, vector.fields, vector.sync)?;
            }
            if has_marks {
                self.move_marks(lane, location, vector.fields, is_load);
            }
            rest = &rest[1..];
        }
        Ok(())
    }

    /// Copies the marks of undefined bits: for a load, from memory to the registers of `fields`; for a store, from
    /// these registers to memory.
    fn move_marks(&mut self, lane: u32, location: MemoryLocation, fields: &[Field], is_load: bool) {
        for field in fields {
            let (from, bytes) = ((location, field.offset), field.bytes.into());
            match is_load {
                true => self.load_marks(lane, from, bytes, (field.reg, 0)),
                false => self.store_marks(lane, from, bytes, (field.reg, 0)),
            }
        }
    }

    /// Returns the entries of the first lane's warp if they make a joint access, and an empty slice otherwise. The
    /// entries make a joint access if all these conditions hold:
    /// - there are at least two entries
    /// - all entries have the same address
    /// - the access is not atomic and not in local memory
    /// - the access is a load, or all lanes store equal values
    fn joint_prefix<'l>(
        &self,
        vector: &VectorAccess<'_>,
        lanes: &'l [(u32, u64)],
        is_load: bool,
    ) -> &'l [(u32, u64)] {
        let (first, address) = lanes[0];
        let is_alone = lanes.get(1).is_none_or(|next| next.1 != address);
        if is_alone || vector.space == Space::Local || vector.sync.is_some() {
            return &[];
        }
        let per_warp = self.launch.machine.lanes_per_warp;
        let warp = first / per_warp;
        let count = lanes.partition_point(|(lane, _)| lane / per_warp == warp);
        let is_same = |&(lane, other): &(u32, u64)| {
            let stores = |field: &Field| self.get(field.reg, lane) == self.get(field.reg, first);
            other == address && (is_load || vector.fields.iter().all(stores))
        };
        match count > 1 && lanes[..count].iter().all(is_same) {
            true => &lanes[..count],
            false => &[],
        }
    }

    fn joint_access(
        &mut self,
        vector: &VectorAccess<'_>,
        lanes: &[(u32, u64)],
        location: MemoryLocation,
        is_load: bool,
    ) -> Result<(), KernelError> {
        let per_warp = self.launch.machine.lanes_per_warp;
        let (first, _) = lanes[0];
        let bits = lanes.iter().map(|(lane, _)| 1u64 << (lane % per_warp));
        self.joint_lanes = bits.fold(0, |all, bit| all | bit);
        let done = match is_load {
            true => self.read_location(first, location, vector.fields, None),
            false => self.write_location(first, location, vector.fields, None),
        };
        self.joint_lanes = 0;
        done?;
        if is_load {
            for field in vector.fields {
                let value = self.get(field.reg, first);
                for &(lane, _) in &lanes[1..] {
                    self.set(field.reg, lane, value);
                }
            }
        } else if self.launch.check_global_races
            || matches!(location, MemoryLocation::Shared { .. })
        {
            // The other lanes store copies.
            let bytes: u64 = vector
                .fields
                .iter()
                .map(|field| u64::from(field.bytes))
                .sum();
            self.report.redundant_bytes += bytes * (lanes.len() as u64 - 1);
        }
        Ok(())
    }

    /// Loads or stores in consecutive lanes of a warp, as long as each lane accesses the same memory as the first
    /// lane and the fast path applies. The first lane accesses `location`. Returns the number of lanes that have
    /// completed the access.
    fn lanes_fast<const IS_LOAD: bool>(
        &mut self,
        vector: &VectorAccess<'_>,
        lanes: &[(u32, u64)],
        location: MemoryLocation,
    ) -> usize {
        let size = vector.size as usize;
        if size > LARGEST_VECTOR
            || !vector.is_dense()
            || vector.sync.is_some()
            || self.has_history(location)
            // Stores that the async proxy or other blocks may observe are recorded one by one.
            || !IS_LOAD && (self.proxies.is_some() || self.program.cluster() != [1; 3])
        {
            return 0;
        }
        let (first, start) = lanes[0];
        let (now, timestamp) = self.access_point(first);
        let owner = match location {
            MemoryLocation::Shared { window, .. } => self.owner(first, window),
            MemoryLocation::Global { .. } | MemoryLocation::Local { .. } => 0,
        };
        let (bytes, shadow, order, at, is_checked, (low, high), owners) = match location {
            MemoryLocation::Global { buffer, at } => {
                let memory = buffer_mut(self.memory, &mut self.symbols, buffer);
                let is_checked = self.launch.check_global_races && (memory.writable || !IS_LOAD);
                let end = memory.bytes.len();
                (
                    &mut memory.bytes[..],
                    &mut memory.shadow,
                    self.global_order,
                    at,
                    is_checked,
                    (0, end),
                    &mut [][..],
                )
            }
            MemoryLocation::Shared { var, window, at } => {
                let Window { start, bytes, .. } = self.windows.all[window as usize];
                let shared = &mut self.shared[var];
                (
                    &mut shared.bytes[..],
                    &mut shared.shadow,
                    self.shared_order,
                    at,
                    true,
                    (start, start + bytes),
                    &mut shared.owners[..],
                )
            }
            MemoryLocation::Local { .. } => return 0,
        };
        let first_at = at;
        let begin = start.wrapping_sub(at as u64);
        // The first byte at which an access may begin, and the distance to the last such byte.
        let (low, span) = (low as u64, (high - size - low) as u64);
        let warp = (now.warp - now.block, self.launch.machine.lanes_per_warp);
        let mut record = ShadowAccess {
            now,
            timestamp,
            order,
            timestamps: &self.timestamps,
        };
        let low_bits = u64::from(vector.align.max(1)) - 1;
        if low_bits & (low_bits + 1) != 0 {
            return 0;
        }
        let mut done = 0;
        let mut is_changed = false;
        for &(lane, address) in lanes {
            let at = address.wrapping_sub(begin);
            let here = location.behind((at as usize).wrapping_sub(first_at));
            if self.in_flight.may_conflict(here, vector.size, !IS_LOAD)
                || at.wrapping_sub(low) > span
                || address & low_bits != 0
                || lane - warp.0 >= warp.1
            {
                break;
            }
            let at = at as usize;
            record.now.thread = now.block + lane;
            if IS_LOAD {
                if is_checked && !shadow.read_fast(at, size, &record) {
                    break;
                }
                if !owners.is_empty() && owners[at..at + size].iter().any(|found| *found != owner) {
                    break;
                }
            } else {
                let bytes = &mut bytes[at..at + size];
                let mut new = [0; LARGEST_VECTOR];
                for field in vector.fields {
                    let value = self.regs[field.reg.0 as usize][lane as usize];
                    memory::write_le(&mut new, field.offset as usize, field.bytes, value);
                }
                let new = &new[..size];
                if is_checked {
                    match shadow.write_fast(at, bytes, new, &record) {
                        Some(redundant) => self.report.redundant_bytes += redundant,
                        None => break,
                    }
                }
                if !owners.is_empty() {
                    owners[at..at + size].fill(owner);
                }
                is_changed = is_changed || *bytes != *new;
                match (bytes.as_chunks_mut::<4>(), new.as_chunks::<4>()) {
                    ((words, []), (new, [])) => words.copy_from_slice(new),
                    _ => bytes.copy_from_slice(new),
                }
            }
            done += 1;
        }
        self.writes += u64::from(is_changed);
        if IS_LOAD {
            for field in vector.fields {
                let reg = &mut self.regs[field.reg.0 as usize][..];
                let from = begin.wrapping_sub(field.offset.into());
                let mut load = |count| {
                    for &(lane, address) in &lanes[..done] {
                        let at = address.wrapping_sub(from) as usize;
                        reg[lane as usize] = memory::read_le(bytes, at, count);
                    }
                };
                match field.bytes {
                    4 => load(4),
                    2 => load(2),
                    1 => load(1),
                    8 => load(8),
                    count => load(count),
                }
            }
        }
        done
    }

    pub(crate) fn buffer_load(&mut self, access: &BufferAccess) -> Result<(), KernelError> {
        self.buffer_access(access, true)
    }

    pub(crate) fn buffer_store(&mut self, access: &BufferAccess) -> Result<(), KernelError> {
        self.buffer_access(access, false)
    }

    /// Loads or stores through a buffer descriptor. A load sets fields that are out of range to 0, and a store
    /// omits them.
    fn buffer_access(&mut self, access: &BufferAccess, is_load: bool) -> Result<(), KernelError> {
        let mut lanes = self.idle_lanes();
        // The lanes from this index on are pending, with all fields in range.
        let mut waiting = 0;
        for index in 0..self.lanes.len() {
            let lane = self.lanes[index];
            let [base, _, records, _] = access.rsrc.map(|reg| self.get(reg, lane));
            // The descriptor's size field has 32 bits; the hardware clamps larger sizes.
            let records = records.min(0xffff_ffff);
            let offset = self.get(access.offset, lane) + self.get(access.soffset, lane);
            let address = base.wrapping_add(offset);
            if offset + u64::from(access.size) <= records {
                lanes.push((lane, address));
                continue;
            }
            let end = |field: &Field| field.offset + u32::from(field.bytes);
            let is_inside = |field: &Field| offset + u64::from(end(field)) <= records;
            let (inside, outside): (Vec<Field>, Vec<Field>) =
                access.fields.iter().partition(|field| is_inside(field));
            if is_load {
                for field in outside {
                    self.set(field.reg, lane, 0);
                }
            }
            if let Some(size) = inside.iter().map(end).max() {
                let whole =
                    VectorAccess::through_descriptor(access.rsrc[0], &access.fields, access.size);
                self.each_lane(&whole, &lanes[waiting..], is_load)?;
                lanes.push((lane, address));
                let part = VectorAccess::through_descriptor(access.rsrc[0], &inside, size);
                self.each_lane(&part, &lanes[lanes.len() - 1..], is_load)?;
                waiting = lanes.len();
            }
        }
        let whole = VectorAccess::through_descriptor(access.rsrc[0], &access.fields, access.size);
        self.each_lane(&whole, &lanes[waiting..], is_load)?;
        self.count(Space::Global, &lanes, access.size, is_load);
        self.spare_lanes = lanes;
        self.order_waves();
        Ok(())
    }

    /// Performs an atomic operation in the active lanes, one after the other. `update` maps the lane and the old value
    /// to the new value, or to `None` if the lane does not write. `acquires_on_failure` is true if an acquire takes
    /// effect even without a write.
    pub(crate) fn atomic(
        &mut self,
        access: &AtomicOperand,
        acquires_on_failure: bool,
        update: impl Fn(&mut Self, u32, u64) -> Option<u64>,
    ) -> Result<(), KernelError> {
        let (space, count) = (access.space, (access.bits / 8) as u8);
        let mut lanes = Vec::new();
        self.notice_read(true);
        for index in 0..self.lanes.len() {
            let lane = self.lanes[index];
            if !self.is_on(access.guard, lane) {
                continue;
            }
            let address = self.get(access.addr, lane);
            let address = address.wrapping_add_signed(access.offset) & mask(space.pointer_bits());
            let location =
                self.resolve(lane, space, address, count.into(), count.into(), "atomic")?;
            self.check_origin(lane, access.addr, location, (space, count.into(), "atomic"))?;
            if let MemoryLocation::Shared { var, window, at } = location {
                self.check_owner(lane, var, window, at, count.into())?;
            }
            self.check_defined_memory(lane, location, count.into())?;
            self.check_in_flight(lane, location, count.into(), true)?;
            let old = self.value_at(location, count);
            let new = update(self, lane, old);
            let scope = access.sync.scope;
            let kind = match new {
                Some(_) => AccessKind::AtomicWrite(scope),
                None => AccessKind::AtomicRead(scope),
            };
            if self.has_history(location) {
                if matches!(location, MemoryLocation::Shared { .. }) {
                    // The old value is read, so it must be initialised.
                    let read = AccessKind::AtomicRead(scope);
                    self.note_access(lane, location, (0, count.into()), read, 0)?;
                }
                self.note_access(lane, location, (0, count.into()), kind, 0)?;
            }
            let mut sync = access.sync;
            if let Some(new) = new {
                self.put(lane, location, count, new);
                self.notice_change(old != new & mask(8 * u32::from(count)));
            } else {
                sync.acquires &= acquires_on_failure;
            }
            self.synchronize(lane, location, sync, (true, new.is_some()));
            lanes.push((lane, address));
        }
        self.broadcast_acquire(access.sync);
        self.count(space, &lanes, count.into(), false);
        self.order_waves();
        Ok(())
    }

    /// Adds an access by `lanes` to the statistics of the current instruction. Each warp counts as a separate
    /// access.
    pub(crate) fn count(&mut self, space: Space, lanes: &[(u32, u64)], size: u32, is_load: bool) {
        let machine = self.launch.machine;
        let per_warp = machine.lanes_per_warp;
        let mut addresses = Vec::new();
        let mut lane_bits = 0;
        for warp in lanes.chunk_by(|a, b| a.0 / per_warp == b.0 / per_warp) {
            let shared = matches!(space, Space::Shared | Space::Cluster)
                || (space == Space::Generic && warp[0].1 & SHARED_WINDOW != 0);
            let used = if shared {
                addresses.clear();
                addresses.resize(per_warp as usize, None);
                for &(lane, address) in warp {
                    addresses[(lane % per_warp) as usize] = Some(address & 0xffff_ffff);
                }
                lane_bits = machine.phase_lane_bits(&addresses, size, is_load);
                machine.banks().wavefronts(&addresses, size, lane_bits)
            } else if warp.is_sorted_by_key(|lane| lane.1) {
                sectors(warp.iter().map(|lane| lane.1), size)
            } else {
                let mut starts: Vec<u64> = warp.iter().map(|lane| lane.1).collect();
                starts.sort_unstable();
                sectors(starts.into_iter(), size)
            };
            let counters = &mut self.counters[self.op as usize];
            counters.accesses += 1;
            counters.wavefronts += used;
            if used.taken > used.ideal && counters.samples.len() < MAX_SAMPLES {
                let mut addresses = vec![None; per_warp as usize];
                for &(lane, address) in warp {
                    let address = if shared {
                        address & 0xffff_ffff
                    } else {
                        address
                    };
                    addresses[(lane % per_warp) as usize] = Some(address);
                }
                counters.samples.push(Sample {
                    addresses,
                    bytes: size,
                    lane_bits,
                    is_shared: shared,
                });
            }
        }
    }
}

/// Counts the sectors that accesses of `size` bytes touch, and the smallest number of sectors that could hold the
/// accessed bytes. The accesses begin at the addresses `starts`, which must be in ascending order.
fn sectors(starts: impl Iterator<Item = u64>, size: u32) -> Wavefronts {
    let (mut distinct, mut reached) = (0, 0);
    let (mut taken, mut last) = (0, None);
    for start in starts {
        let end = start + u64::from(size);
        distinct += end.saturating_sub(start.max(reached));
        reached = reached.max(end);
        let (from, to) = (start / SECTOR, end.div_ceil(SECTOR));
        if from < to {
            taken += to - from - u64::from(last == Some(from));
            last = Some(to - 1);
        }
    }
    Wavefronts {
        taken,
        ideal: distinct.div_ceil(SECTOR),
    }
}
