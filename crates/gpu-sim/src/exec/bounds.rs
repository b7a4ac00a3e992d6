//! Bounds: allocations within a shared variable, variables of a lane's stack, and the objects that pointers come from.
//!
//! An allocation has addresses of its own, so an address says which allocation it was made for. Each byte of a shared
//! variable with allocations remembers through which of them it was written last, and in which of its lives: what an
//! allocation finds where others have written is nothing of its own.

use super::{Exec, Place, SharedVar};
use crate::code::{Reg, Space};
use crate::error::{FaultKind, KernelError};
use crate::exec::origin::Root;
use crate::exec::program::Program;
use crate::memory::{SHARED_SYMBOL_LOG2, STACK_LOG2};

/// The part of a shared variable that addresses of a shared variable or an allocation reach.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) var: usize,
    pub(crate) start: usize,
    pub(crate) bytes: usize,
    /// The address that a GPU gives to its first byte.
    pub(crate) address: u64,
}

/// Through which window a byte was written: its number, and above it the number of the life of the allocation, from 1
/// on; 0 where the warp has not seen it begin.
pub(crate) type Owner = u16;

/// Bits of an [`Owner`] that are the number of a window.
const WINDOW_BITS: u32 = 12;
/// The owner of bytes that were not written.
const NOBODY: Owner = Owner::MAX;

const fn window_of(owner: Owner) -> u32 {
    owner as u32 & ((1 << WINDOW_BITS) - 1)
}

/// Whether the bytes of one owner may be read as those of another.
const fn is_same(owner: Owner, own: Owner) -> bool {
    let lives = (owner >> WINDOW_BITS, own >> WINDOW_BITS);
    window_of(owner) == window_of(own) && (lives.0 == lives.1 || lives.0 == 0 || lives.1 == 0)
}

/// The windows of a program, and the lives of allocations as each warp sees them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Windows {
    pub(super) all: Vec<Window>,
    /// For each warp and window, what it writes.
    owners: Vec<Owner>,
    /// For each warp and window, the instruction that ended its life, plus one.
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

    /// A block begins, of so many warps.
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
    /// A block begins: nothing is written.
    pub(super) fn forget_owners(&mut self) {
        self.owners.fill(NOBODY);
    }

    /// Notes who writes bytes.
    #[inline]
    pub(super) fn own(&mut self, at: usize, count: usize, owner: Owner) {
        if !self.owners.is_empty() {
            self.owners[at..at + count].fill(owner);
        }
    }

    /// Whether bytes were all written by one owner, or owners do not matter.
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

    /// What a lane writes through a window.
    #[inline]
    pub(crate) fn owner(&self, lane: u32, window: u32) -> Owner {
        let at = self.warp_of(lane) * self.windows.all.len() + window as usize;
        self.windows.owners[at]
    }

    /// The life of an allocation begins anew in the active warps.
    pub(crate) fn begin_life(&mut self, window: u32) {
        for (warp, _) in self.active_warps() {
            let at = warp as usize * self.windows.all.len() + window as usize;
            let life = self.windows.owners[at] >> WINDOW_BITS;
            self.windows.owners[at] = (life % 15 + 1) << WINDOW_BITS | window as Owner;
            self.windows.ended[at] = 0;
        }
    }

    /// The life of the allocations that a register points to ends in the active warps.
    pub(crate) fn end_life(&mut self, address: Reg) {
        for (warp, lanes) in self.active_warps() {
            for lane in lanes {
                let window = (self.get(address, lane) & 0xffff_ffff) >> SHARED_SYMBOL_LOG2;
                let Some(found) = self.windows.all.get(window as usize) else {
                    continue;
                };
                // A variable as a whole, and what lies on a stack, ends with the kernel.
                if found.var == window as usize {
                    continue;
                }
                let at = warp as usize * self.windows.all.len() + window as usize;
                self.windows.ended[at] = self.op + 1;
                self.windows.has_ended = true;
            }
        }
    }

    /// The place of a shared address.
    pub(super) fn shared_place(
        &self,
        lane: u32,
        address: u64,
        size: usize,
        what: &dyn Fn() -> String,
    ) -> Result<Place, KernelError> {
        let offset = address & 0xffff_ffff;
        let half = 1u64 << (SHARED_SYMBOL_LOG2 - 1);
        // In the upper half of a slot the next variable is nearer: the address lies before its start.
        let window = (offset + half) >> SHARED_SYMBOL_LOG2;
        let address = self
            .window(window as usize)
            .map_or(0, |found| found.address);
        let at = offset.cast_signed() - ((window << SHARED_SYMBOL_LOG2) + address).cast_signed();
        let wrong = |text: String| Err(self.fault(FaultKind::OutOfBounds, lane, text));
        let Some(found) = self.window(window as usize) else {
            return wrong(format!(
                "out-of-bounds {}: {offset:#x} lies in no shared variable",
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
                let text = format!("{} after the end of its life: byte {at} of {name}", what());
                let site = self.program.site(ended - 1);
                let error = self.fault(FaultKind::OutOfBounds, lane, text);
                return Err(error.note(format!("its life ends in {site}")));
            }
        }
        Ok(Place::Shared {
            var: found.var,
            window,
            at: found.start + inside,
        })
    }

    /// The place of `bytes` bytes at an address of a matrix descriptor, which says no variable.
    pub(crate) fn descriptor_place(
        &self,
        lane: u32,
        address: u32,
        bytes: u32,
    ) -> Result<Place, KernelError> {
        let (address, bytes) = (u64::from(address), bytes as usize);
        let has = |(number, window): &(usize, &Window)| {
            let end = window.address + window.bytes as u64;
            window.var == *number && (window.address..end).contains(&address)
        };
        let found = self.windows.all.iter().enumerate().find(has);
        let inside = found
            .filter(|(_, window)| address + bytes as u64 <= window.address + window.bytes as u64);
        match inside {
            Some((var, window)) => Ok(Place::Shared {
                var,
                window: var as u32,
                at: (address - window.address) as usize,
            }),
            None => {
                let text = format!(
                    "out-of-bounds shared load of {bytes} bytes by a matrix descriptor: byte {address} of shared memory"
                );
                Err(self.fault(FaultKind::OutOfBounds, lane, text))
            }
        }
    }

    /// A shared variable or an allocation.
    pub(crate) fn window(&self, number: usize) -> Option<Window> {
        self.windows.all.get(number).copied()
    }

    /// What messages call a shared variable or an allocation.
    pub(super) fn window_name(&self, window: u32) -> String {
        let symbol = &self.program.shared[window as usize];
        match symbol.part_of {
            Some(_) => symbol.name.clone(),
            None => format!("shared variable `{}`", symbol.name),
        }
    }

    /// What messages call a byte of a window that lies at a byte of its variable.
    pub(super) fn shared_byte(&self, window: u32, at: usize) -> String {
        let symbol = &self.program.shared[window as usize];
        let start = self.windows.all[window as usize].start;
        match symbol.part_of {
            Some(_) => format!("byte {} of {}", at - start, symbol.name),
            None => format!("byte {at} of `{}`", symbol.name),
        }
    }

    /// The allocation that a byte beside a window belongs to: the one that wrote it, or the first that has it.
    fn neighbour(&self, window: u32, found: Window, at: i64) -> Option<String> {
        let at = usize::try_from(at + found.start as i64).ok()?;
        let owner = *self.shared[found.var].owners.get(at)?;
        let has = |other: &Window| {
            other.var == found.var && (other.start..other.start + other.bytes).contains(&at)
        };
        let others = || self.windows.all.iter().enumerate();
        let is_allocation = |number: usize| self.program.shared[number].part_of.is_some();
        let wrote =
            (owner != NOBODY && is_allocation(window_of(owner) as usize)).then(|| window_of(owner));
        let first = others()
            .find(|(number, other)| {
                *number != window as usize && is_allocation(*number) && has(other)
            })
            .map(|(number, _)| number as u32);
        let other = wrote.filter(|other| *other != window).or(first)?;
        Some(self.window_name(other))
    }

    /// The error for bytes that are read through an allocation that has not written them.
    pub(super) fn check_owner(
        &self,
        lane: u32,
        var: usize,
        window: u32,
        at: usize,
        count: usize,
    ) -> Result<(), KernelError> {
        let shared = &self.shared[var];
        // A variable as a whole has all that was written to it, and what was written to it all have.
        if shared.owners.is_empty() || window as usize == var {
            return Ok(());
        }
        let own = self.owner(lane, window);
        let is_foreign = |owner: Owner| {
            owner != NOBODY && window_of(owner) as usize != var && !is_same(owner, own)
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
            error.note("it was written before this allocation was made anew")
        } else {
            error.note(format!(
                "it was last written through {}",
                self.window_name(owner)
            ))
        })
    }

    /// Checks that an address leads to one of the objects that it was made from.
    pub(crate) fn check_origin(
        &self,
        lane: u32,
        address: Reg,
        place: Place,
        (space, size, verb): (Space, u32, &str),
    ) -> Result<(), KernelError> {
        let Some(roots) = self.program.origins.get(address) else {
            return Ok(());
        };
        let num_buffers = self.memory.buffers.len();
        let leads_to = |root: &Root| match (*root, place) {
            (Root::Argument(number), Place::Global { buffer, .. }) => {
                // A null pointer has no buffer of its own.
                self.argument_buffers[number as usize].is_none_or(|own| own == buffer)
            }
            (Root::Argument(number), _) => self.argument_buffers[number as usize].is_none(),
            (Root::Global(number), Place::Global { buffer, .. }) => {
                buffer == num_buffers + number as usize
            }
            (Root::Shared(number), Place::Shared { window, .. }) => number == window,
            (Root::Stack(number), Place::Local { at }) => {
                let at = at % (self.program.local_bytes as usize).max(1);
                self.program.stack_variable(at) == Some(number)
            }
            _ => false,
        };
        if roots.iter().any(leads_to) {
            return Ok(());
        }
        let name = |root: &Root| match *root {
            Root::Argument(number) => match self.argument_buffers[number as usize] {
                Some(buffer) => format!("`{}`", self.buffer(buffer).name),
                None => format!("argument {number}"),
            },
            Root::Global(number) => format!("`{}`", self.symbols[number as usize].name),
            Root::Shared(number) => self.window_name(number),
            Root::Stack(_) => "a variable of the stack".to_owned(),
        };
        let from: Vec<String> = roots.iter().map(name).collect();
        let to = match place {
            Place::Global { buffer, at } => format!("byte {at} of `{}`", self.buffer(buffer).name),
            Place::Shared { window, at, .. } => self.shared_byte(window, at),
            Place::Local { .. } => "another variable of the stack".to_owned(),
        };
        let text = format!(
            "out-of-bounds {} {verb} of {size} bytes: {to}, by a pointer into {}",
            space.name(),
            from.join(" or ")
        );
        Err(self
            .fault(FaultKind::OutOfBounds, lane, text)
            .note("no offset leads from one buffer to another one, not even the difference of their addresses"))
    }

    /// Notes that the stack variable at an address holds nothing.
    pub(crate) fn forget_stack_variable(
        &mut self,
        lane: u32,
        address: u64,
    ) -> Result<(), KernelError> {
        let place = self.resolve(lane, Space::Generic, address, 1, 1, "lifetime")?;
        if let Place::Local { at } = place {
            let frame = lane as usize * self.program.local_bytes as usize;
            if let Some(number) = self.program.stack_variable(at - frame) {
                let (start, bytes) = self.program.stack[number as usize];
                let start = frame + start as usize;
                self.local_shadow[start..start + bytes as usize].fill(false);
            }
        }
        Ok(())
    }

    /// The place of an address in a stack.
    pub(super) fn stack_place(
        &self,
        lane: u32,
        address: u64,
        size: usize,
        what: &dyn Fn() -> String,
    ) -> Result<Place, KernelError> {
        let offset = address & 0xffff_ffff;
        let (owner, at) = (offset >> STACK_LOG2, offset & ((1 << STACK_LOG2) - 1));
        let at = at as usize;
        let wrong = |text: String| Err(self.fault(FaultKind::OutOfBounds, lane, text));
        if owner != u64::from(lane) {
            return wrong(format!(
                "out-of-bounds {}: byte {at} of the stack of thread {owner}; this is thread {lane}",
                what()
            ));
        }
        let last = at + size.max(1) - 1;
        match self.program.stack_variable(at) {
            Some(found) if self.program.stack_variable(last) == Some(found) => Ok(Place::Local {
                at: lane as usize * self.program.local_bytes as usize + at,
            }),
            Some(found) => {
                let (start, bytes) = self.program.stack[found as usize];
                wrong(format!(
                    "out-of-bounds {}: byte {} of a variable of the stack, which has {bytes} bytes",
                    what(),
                    at - start as usize
                ))
            }
            None => wrong(format!(
                "out-of-bounds {}: byte {at} of a stack lies in no variable",
                what()
            )),
        }
    }
}
