//! The memory that copies in flight touch, by lines.

use super::super::Place;
use rustc_hash::FxHashMap;

/// Bytes of a line, the unit of [`Lines`].
const LINE: usize = 16;

/// The number of copies that touch each line of memory.
#[derive(Debug, Default)]
pub(super) struct Lines(FxHashMap<(u64, usize), u32>);

impl Lines {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn add(&mut self, place: Place, bytes: u32) {
        for line in lines(place, bytes) {
            *self.0.entry(line).or_default() += 1;
        }
    }

    pub(super) fn remove(&mut self, place: Place, bytes: u32) {
        for line in lines(place, bytes) {
            if let Some(count) = self.0.get_mut(&line) {
                *count -= 1;
                if *count == 0 {
                    self.0.remove(&line);
                }
            }
        }
    }

    pub(super) fn has(&self, place: Place, bytes: u32) -> bool {
        !self.0.is_empty() && lines(place, bytes).any(|line| self.0.contains_key(&line))
    }
}

/// The memory that a place is in, and its byte there; a stack is no copy's.
pub(super) fn region(place: Place) -> Option<(u64, usize)> {
    match place {
        Place::Global { buffer, at } => Some((buffer as u64, at)),
        Place::Shared { var, at, .. } => Some((1 << 32 | var as u64, at)),
        Place::Local { .. } => None,
    }
}

fn lines(place: Place, bytes: u32) -> impl Iterator<Item = (u64, usize)> {
    let found = region(place).filter(|_| bytes > 0);
    found.into_iter().flat_map(move |(memory, at)| {
        let last = (at + bytes as usize - 1) / LINE;
        (at / LINE..=last).map(move |line| (memory, line))
    })
}

pub(super) fn overlap(a: Place, a_bytes: u32, b: Place, b_bytes: u32) -> bool {
    let (Some((memory, a)), Some((other, b))) = (region(a), region(b)) else {
        return false;
    };
    let is_empty = a_bytes == 0 || b_bytes == 0;
    memory == other && !is_empty && a < b + b_bytes as usize && b < a + a_bytes as usize
}
