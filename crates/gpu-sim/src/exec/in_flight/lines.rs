//! The lines of memory that copies in flight access.

use super::super::MemoryLocation;
use rustc_hash::FxHashMap;

const LINE: usize = 16;

/// Maps (index of the memory, index of the line) to the number of copies in flight that access this line of memory.
#[derive(Debug, Default)]
pub(super) struct Lines(FxHashMap<(u64, usize), u32>);

impl Lines {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn add(&mut self, location: MemoryLocation, bytes: u32) {
        for line in lines(location, bytes) {
            *self.0.entry(line).or_default() += 1;
        }
    }

    pub(super) fn remove(&mut self, location: MemoryLocation, bytes: u32) {
        for line in lines(location, bytes) {
            if let Some(count) = self.0.get_mut(&line) {
                *count -= 1;
                if *count == 0 {
                    self.0.remove(&line);
                }
            }
        }
    }

    pub(super) fn has(&self, location: MemoryLocation, bytes: u32) -> bool {
        !self.0.is_empty() && lines(location, bytes).any(|line| self.0.contains_key(&line))
    }
}

/// Returns (index of the memory, byte offset) of a location. Each buffer and each shared variable counts as one
/// memory. Returns `None` for the stack of a thread, since asynchronous copies do not access stacks.
pub(super) fn region(location: MemoryLocation) -> Option<(u64, usize)> {
    match location {
        MemoryLocation::Global { buffer, at } => Some((buffer as u64, at)),
        MemoryLocation::Shared { var, at, .. } => Some((1 << 32 | var as u64, at)),
        MemoryLocation::Local { .. } => None,
    }
}

fn lines(location: MemoryLocation, bytes: u32) -> impl Iterator<Item = (u64, usize)> {
    let found = region(location).filter(|_| bytes > 0);
    found.into_iter().flat_map(move |(memory, at)| {
        let last = (at + bytes as usize - 1) / LINE;
        (at / LINE..=last).map(move |line| (memory, line))
    })
}

pub(super) fn overlap(a: MemoryLocation, a_bytes: u32, b: MemoryLocation, b_bytes: u32) -> bool {
    let (Some((memory, a)), Some((other, b))) = (region(a), region(b)) else {
        return false;
    };
    let is_empty = a_bytes == 0 || b_bytes == 0;
    memory == other && !is_empty && a < b + b_bytes as usize && b < a + a_bytes as usize
}
