//! Bounds checks: allocations in shared variables, stack variables, and the objects from which pointers are derived.
//!
//! Each allocation has its own address range, so an address identifies its allocation. For each byte of a shared
//! variable with allocations, an [`Owner`] records the allocation through which the byte was last written, and the
//! lifetime of the allocation. To a read through another allocation or in another lifetime, the byte is uninitialised.

use super::{Exec, MemoryLocation, SharedVar};
use crate::code::{Reg, Space};
use crate::error::{FaultKind, KernelError};
use crate::exec::points_to::MemoryObject;
use crate::exec::program::Program;
use crate::memory::{SHARED_SYMBOL_LOG2, STACK_LOG2};

/// The bytes of a shared variable, or of an allocation in a shared variable. Each window has its own range of
/// simulator addresses. An access through an address in this range must stay within the bytes of the window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) var: usize,
    pub(crate) start: usize,
    pub(crate) bytes: usize,
    /// GPU address of the first byte. It equals the lowest bits of the simulator address.
    pub(crate) address: u64,
}

/// Identifies the last write to a byte in shared memory. The low bits are the index of the window through which the
/// byte was written. The high bits are the number of the lifetime in which the allocation was at the time of the
/// write. Lifetimes are numbered from 1 to 15, and lifetime 15 is followed by lifetime 1. The high bits are 0 if
/// the writing warp has not executed the start of a lifetime of the allocation.
pub(crate) type Owner = u16;

const WINDOW_BITS: u32 = 12;
const NOT_WRITTEN: Owner = Owner::MAX;

const fn window_of(owner: Owner) -> u32 {
    owner as u32 & ((1 << WINDOW_BITS) - 1)
}

/// Returns true if a byte whose owner is `owner` may be read through the window of `own`, in the lifetime of `own`.
/// An owner without a lifetime matches every lifetime.
const fn is_same(owner: Owner, own: Owner) -> bool {
    let lives = (owner >> WINDOW_BITS, own >> WINDOW_BITS);
    window_of(owner) == window_of(own) && (lives.0 == lives.1 || lives.0 == 0 || lives.1 == 0)
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Windows {
    pub(super) all: Vec<Window>,
    /// For each warp and window, the owner of the bytes that the warp writes through the window. The entries of a
    /// warp are consecutive.
    owners: Vec<Owner>,
    /// For each warp and window, 1 + the index of the instruction that ended the lifetime; 0 while the allocation
    /// is alive.
    ended: Vec<u32>,
    has_ended: bool,
}

impl Windows {
    pub(super) fn new(program: &Program, shared: &[SharedVar]) -> Self {
        let window = |(number, symbol): (usize, &crate::exec::program::SharedSymbol)| {
            let (var, start) = symbol.part_of.unwrap_or((number, 0));
            let start = start as usize;
            let limit = shared[var].bytes.len().saturating_sub(start);
            let bytes = symbol.bytes.map_or(limit, |bytes| bytes as usize);
            Window {
                var,
                start: start.min(shared[var].bytes.len()),
                bytes: bytes.min(limit),
                address: symbol.address().into(),
            }
        };
        Self {
            all: program.shared.iter().enumerate().map(window).collect(),
            ..Self::default()
        }
    }

    pub(super) fn begin_block(&mut self, warps: usize) {
        self.owners.clear();
        for _ in 0..warps {
            self.owners.extend((0..self.all.len()).map(|n| n as Owner));
        }
        self.ended.clear();
        self.ended.resize(warps * self.all.len(), 0);
        self.has_ended = false;
    }
}

impl SharedVar {
    pub(super) fn forget_owners(&mut self) {
        self.owners.fill(NOT_WRITTEN);
    }

    #[inline]
    pub(super) fn own(&mut self, at: usize, count: usize, owner: Owner) {
        self.log_store(at, count);
        if !self.owners.is_empty() {
            self.owners[at..at + count].fill(owner);
        }
    }

    /// Returns true if all bytes `at..at + count` have the owner `owner`, or if owners are not tracked.
    #[inline]
    pub(super) fn is_own(&self, at: usize, count: usize, owner: Owner) -> bool {
        self.owners.is_empty()
            || self.owners[at..at + count]
                .iter()
                .all(|found| *found == owner)
    }
}

impl Exec<'_> {
    fn warp_of(&self, lane: u32) -> usize {
        (lane / self.launch.machine.lanes_per_warp) as usize
    }

    /// Returns the owner of the bytes that `lane` writes through `window`.
    #[inline]
    pub(crate) fn owner(&self, lane: u32, window: u32) -> Owner {
        let at = self.warp_of(lane) * self.windows.all.len() + window as usize;
        self.windows.owners[at]
    }

    pub(crate) fn begin_lifetime(&mut self, window: u32) {
        for (warp, _) in self.active_warps() {
            let at = warp as usize * self.windows.all.len() + window as usize;
            let life = self.windows.owners[at] >> WINDOW_BITS;
            self.windows.owners[at] = (life % 15 + 1) << WINDOW_BITS | window as Owner;
            self.windows.ended[at] = 0;
        }
    }

    pub(crate) fn end_lifetime(&mut self, address: Reg) {
        for (warp, lanes) in self.active_warps() {
            for lane in lanes {
                let window = (self.get(address, lane) & 0xffff_ffff) >> SHARED_SYMBOL_LOG2;
                let Some(found) = self.windows.all.get(window as usize) else {
                    continue;
                };
                // Variables and stack memory live until the kernel ends.
                if found.var == window as usize {
                    continue;
                }
                let at = warp as usize * self.windows.all.len() + window as usize;
                self.windows.ended[at] = self.op + 1;
                self.windows.has_ended = true;
            }
        }
    }

    pub(super) fn shared_location(
        &self,
        lane: u32,
        address: u64,
        size: usize,
        what: &dyn Fn() -> String,
    ) -> Result<MemoryLocation, KernelError> {
        let offset = address & 0xffff_ffff;
        let half = 1u64 << (SHARED_SYMBOL_LOG2 - 1);
        // In the upper half of a slot the address is an underrun of the next variable.
        let window = (offset + half) >> SHARED_SYMBOL_LOG2;
        let address = self
            .window(window as usize)
            .map_or(0, |found| found.address);
        let at = offset.cast_signed() - ((window << SHARED_SYMBOL_LOG2) + address).cast_signed();
        let wrong = |text: String| Err(self.fault(FaultKind::OutOfBounds, lane, text));
        let Some(found) = self.window(window as usize) else {
            return wrong(format!(
                "out-of-bounds {}: offset {offset:#x} is outside of all shared variables",
                what()
            ));
        };
        let window = window as u32;
        let name = self.window_name(window);
        let inside = usize::try_from(at)
            .ok()
            .filter(|at| at + size <= found.bytes);
        let Some(inside) = inside else {
            let bytes = found.bytes;
            let text = format!(
                "out-of-bounds {}: byte {at} of {name}, which has {bytes} bytes",
                what()
            );
            let error = self.fault(FaultKind::OutOfBounds, lane, text);
            return Err(match self.neighbour(window, found, at) {
                Some(other) => error.note(format!("this byte belongs to {other}")),
                None => error,
            });
        };
        if self.windows.has_ended {
            let number = self.warp_of(lane) * self.windows.all.len() + window as usize;
            let ended = self.windows.ended[number];
            if ended != 0 {
                let text = format!("{} after deallocation: byte {at} of {name}", what());
                let site = self.program.site(ended - 1);
                let error = self.fault(FaultKind::OutOfBounds, lane, text);
                return Err(error.note(format!("the allocation is deallocated by {site}")));
            }
        }
        Ok(MemoryLocation::Shared {
            var: found.var,
            window,
            at: found.start + inside,
        })
    }

    /// Returns the location of an address from a matrix descriptor. Searches all shared variables, since the
    /// address does not identify its variable.
    pub(crate) fn descriptor_location(
        &self,
        lane: u32,
        address: u32,
        bytes: u32,
    ) -> Result<MemoryLocation, KernelError> {
        let (address, bytes) = (u64::from(address), bytes as usize);
        let has = |(number, window): &(usize, &Window)| {
            let end = window.address + window.bytes as u64;
            window.var == *number && (window.address..end).contains(&address)
        };
        let found = self.windows.all.iter().enumerate().find(has);
        let inside = found
            .filter(|(_, window)| address + bytes as u64 <= window.address + window.bytes as u64);
        match inside {
            Some((var, window)) => Ok(MemoryLocation::Shared {
                var,
                window: var as u32,
                at: (address - window.address) as usize,
            }),
            None => {
                let place = match found {
                    Some((var, window)) => format!(
                        "byte {} of {}, which has {} bytes",
                        address - window.address,
                        self.window_name(var as u32),
                        window.bytes
                    ),
                    None => format!("address {address:#x} is outside of all shared variables"),
                };
                let text = format!(
                    "out-of-bounds shared load of {bytes} bytes through a matrix descriptor: {place}"
                );
                Err(self.fault(FaultKind::OutOfBounds, lane, text))
            }
        }
    }

    pub(crate) fn window(&self, number: usize) -> Option<Window> {
        self.windows.all.get(number).copied()
    }

    pub(super) fn window_name(&self, window: u32) -> String {
        let symbol = &self.program.shared[window as usize];
        match symbol.part_of {
            Some(_) => symbol.name.clone(),
            None => format!("shared variable `{}`", symbol.name),
        }
    }

    /// Describes byte `at` of a shared variable as `byte N of NAME`. If `window` is an allocation in the variable,
    /// N is relative to the start of the allocation; otherwise N equals `at`.
    pub(super) fn shared_byte(&self, window: u32, at: usize) -> String {
        let symbol = &self.program.shared[window as usize];
        let start = self.windows.all[window as usize].start;
        match symbol.part_of {
            Some(_) => format!("byte {} of {}", at - start, symbol.name),
            None => format!("byte {at} of `{}`", symbol.name),
        }
    }

    /// Returns the name of an allocation that contains a given byte and is not the window with the index `window`.
    /// `found` is the window with this index, and `at` is the offset of the byte from the start of `found`. Prefers
    /// the allocation through which the byte was last written. Returns `None` if there is no such allocation.
    fn neighbour(&self, window: u32, found: Window, at: i64) -> Option<String> {
        let at = usize::try_from(at + found.start as i64).ok()?;
        let owner = *self.shared[found.var].owners.get(at)?;
        let has = |other: &Window| {
            other.var == found.var && (other.start..other.start + other.bytes).contains(&at)
        };
        let others = || self.windows.all.iter().enumerate();
        let is_allocation = |number: usize| self.program.shared[number].part_of.is_some();
        let wrote = (owner != NOT_WRITTEN && is_allocation(window_of(owner) as usize))
            .then(|| window_of(owner));
        let first = others()
            .find(|(number, other)| {
                *number != window as usize && is_allocation(*number) && has(other)
            })
            .map(|(number, _)| number as u32);
        let other = wrote.filter(|other| *other != window).or(first)?;
        Some(self.window_name(other))
    }

    /// Returns an error if `lane` reads bytes through `window` that were written through another allocation or in
    /// another lifetime.
    pub(super) fn check_owner(
        &self,
        lane: u32,
        var: usize,
        window: u32,
        at: usize,
        count: usize,
    ) -> Result<(), KernelError> {
        let shared = &self.shared[var];
        // Accesses through the variable itself may read and initialise all bytes.
        if shared.owners.is_empty() || window as usize == var {
            return Ok(());
        }
        let own = self.owner(lane, window);
        let is_foreign = |owner: Owner| {
            owner != NOT_WRITTEN && window_of(owner) as usize != var && !is_same(owner, own)
        };
        let found = (at..at + count).find(|at| is_foreign(shared.owners[*at]));
        let Some(byte) = found else {
            return Ok(());
        };
        let owner = window_of(shared.owners[byte]);
        let text = format!(
            "read of uninitialised shared memory: {}",
            self.shared_byte(window, byte)
        );
        let error = self.fault(FaultKind::Uninitialised, lane, text);
        Err(if owner == window {
            error.note("the byte was last written before this allocation began")
        } else {
            error.note(format!(
                "the byte was last written through {}",
                self.window_name(owner)
            ))
        })
    }

    /// Returns an error if `location` is outside all objects from which `address` may be derived.
    pub(crate) fn check_origin(
        &self,
        lane: u32,
        address: Reg,
        location: MemoryLocation,
        (space, size, verb): (Space, u32, &str),
    ) -> Result<(), KernelError> {
        let Some(roots) = self.program.origins.get(address) else {
            return Ok(());
        };
        let num_buffers = self.memory.buffers.len();
        let leads_to = |root: &MemoryObject| match (*root, location) {
            (MemoryObject::Argument(number), MemoryLocation::Global { buffer, .. }) => {
                // A null pointer has no buffer.
                self.argument_buffers[number as usize].is_none_or(|own| own == buffer)
            }
            (MemoryObject::Argument(number), _) => self.argument_buffers[number as usize].is_none(),
            (MemoryObject::Global(number), MemoryLocation::Global { buffer, .. }) => {
                buffer == num_buffers + number as usize
            }
            (MemoryObject::Shared(number), MemoryLocation::Shared { window, .. }) => {
                number == window
            }
            (MemoryObject::Stack(number), MemoryLocation::Local { at }) => {
                let at = at % (self.program.local_bytes as usize).max(1);
                self.program.stack_variable(at) == Some(number)
            }
            _ => false,
        };
        if roots.iter().any(leads_to) {
            return Ok(());
        }
        let name = |root: &MemoryObject| match *root {
            MemoryObject::Argument(number) => match self.argument_buffers[number as usize] {
                Some(buffer) => format!("`{}`", self.buffer(buffer).name),
                None => format!("argument {number}"),
            },
            MemoryObject::Global(number) => format!("`{}`", self.symbols[number as usize].name),
            MemoryObject::Shared(number) => self.window_name(number),
            MemoryObject::Stack(_) => "a stack variable".to_owned(),
        };
        let from: Vec<String> = roots.iter().map(name).collect();
        let to = match location {
            MemoryLocation::Global { buffer, at } => {
                format!("byte {at} of `{}`", self.buffer(buffer).name)
            }
            MemoryLocation::Shared { window, at, .. } => self.shared_byte(window, at),
            MemoryLocation::Local { .. } => "another stack variable".to_owned(),
        };
        let text = format!(
            "out-of-bounds {} {verb} of {size} bytes: a pointer into {} reaches {to}",
            space.name(),
            from.join(" or ")
        );
        Err(self
            .fault(FaultKind::OutOfBounds, lane, text)
            .note("pointer arithmetic must not leave a buffer, also not to reach another buffer"))
    }

    /// Marks the bytes of the stack variable at `address` as uninitialised.
    pub(crate) fn forget_stack_variable(
        &mut self,
        lane: u32,
        address: u64,
    ) -> Result<(), KernelError> {
        let location = self.resolve(lane, Space::Generic, address, 1, 1, "lifetime")?;
        if let MemoryLocation::Local { at } = location {
            let frame = lane as usize * self.program.local_bytes as usize;
            if let Some(number) = self.program.stack_variable(at - frame) {
                let (start, bytes) = self.program.stack[number as usize];
                let start = frame + start as usize;
                self.local_shadow[start..start + bytes as usize].fill(false);
            }
        }
        Ok(())
    }

    pub(super) fn stack_location(
        &self,
        lane: u32,
        address: u64,
        size: usize,
        what: &dyn Fn() -> String,
    ) -> Result<MemoryLocation, KernelError> {
        let offset = address & 0xffff_ffff;
        let (owner, at) = (offset >> STACK_LOG2, offset & ((1 << STACK_LOG2) - 1));
        let at = at as usize;
        let wrong = |text: String| Err(self.fault(FaultKind::OutOfBounds, lane, text));
        if owner != u64::from(lane) {
            return wrong(format!(
                "out-of-bounds {}: thread {lane} accesses byte {at} in the stack of thread {owner}",
                what()
            ));
        }
        let last = at + size.max(1) - 1;
        match self.program.stack_variable(at) {
            Some(found) if self.program.stack_variable(last) == Some(found) => {
                Ok(MemoryLocation::Local {
                    at: lane as usize * self.program.local_bytes as usize + at,
                })
            }
            Some(found) => {
                let (start, bytes) = self.program.stack[found as usize];
                wrong(format!(
                    "out-of-bounds {}: byte {} of a stack variable, which has {bytes} bytes",
                    what(),
                    at - start as usize
                ))
            }
            None => wrong(format!(
                "out-of-bounds {}: byte {at} of the stack is outside of all stack variables",
                what()
            )),
        }
    }
}
