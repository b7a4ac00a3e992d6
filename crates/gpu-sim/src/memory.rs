//! Global memory: buffers at widely spaced addresses, so that stray addresses are detected.

use gpu_race::{History, Shadow};
use std::fmt;

/// log2 of the distance in bytes between the start addresses of consecutive buffers.
const BUFFER_LOG2: u32 = 36;
/// Index of the address range of the first global variable. Buffers of the launch have lower indices.
const FIRST_SYMBOL: usize = 0x800;
/// log2 of the distance in bytes between the start addresses of consecutive shared variables.
pub(super) const SHARED_SYMBOL_LOG2: u32 = 20;
/// Maximum number of shared variables and allocations in the 32-bit address space.
pub(super) const MAX_SHARED_SYMBOLS: u32 = 1 << (32 - SHARED_SYMBOL_LOG2);
/// log2 of the distance in bytes between the stacks of consecutive lanes.
pub(super) const STACK_LOG2: u32 = 20;
/// Bit that is set in generic addresses of shared memory.
pub(super) const SHARED_WINDOW: u64 = 1 << 62;
/// Bit that is set in generic addresses of a lane's stack.
pub(super) const LOCAL_WINDOW: u64 = 1 << 61;

pub(super) const fn symbol_address(index: usize) -> u64 {
    ((FIRST_SYMBOL + index + 1) as u64) << BUFFER_LOG2
}

pub(super) const fn symbol_number(address: u64) -> u32 {
    ((address >> BUFFER_LOG2) as usize - 1 - FIRST_SYMBOL) as u32
}

/// The index of a buffer in a [`Memory`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferId(usize);

/// The global memory of a launch: named buffers.
///
/// ```
/// use gpu_sim::Memory;
/// let mut memory = Memory::default();
/// let x = memory.add("x", vec![0; 16]);
/// assert_eq!(memory.bytes(x).len(), 16);
/// ```
#[derive(Clone, Default)]
pub struct Memory {
    pub(super) buffers: Vec<Buffer>,
    pub(super) printed: String,
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = self
            .buffers
            .iter()
            .map(|buffer| (&buffer.name, buffer.bytes.len()));
        f.debug_map().entries(sizes).finish()
    }
}

#[derive(Clone)]
pub(super) struct Buffer {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) writable: bool,
    pub(super) shadow: Shadow,
    pub(super) history: History,
}

impl Buffer {
    pub(super) fn new(name: String, bytes: Vec<u8>, writable: bool) -> Self {
        let shadow = Shadow::new(bytes.len());
        Self {
            name,
            bytes,
            writable,
            shadow,
            history: History::default(),
        }
    }
}

impl Memory {
    /// Adds a buffer that a kernel may read and write.
    pub fn add(&mut self, name: impl Into<String>, bytes: Vec<u8>) -> BufferId {
        self.buffers.push(Buffer::new(name.into(), bytes, true));
        BufferId(self.buffers.len() - 1)
    }

    /// Returns the current bytes of the buffer.
    pub fn bytes(&self, buffer: BufferId) -> &[u8] {
        &self.buffers[buffer.0].bytes
    }

    /// Merges `other`, which began as a copy of this memory. Returns false if any byte was accessed in both memories
    /// and written in at least one of them.
    pub(super) fn merge(&mut self, other: &Self) -> bool {
        self.printed += &other.printed;
        let mut pairs = self.buffers.iter_mut().zip(&other.buffers);
        pairs.all(|(own, other)| {
            let shadow = &mut own.shadow;
            shadow.merge(&other.shadow, &mut own.bytes, &other.bytes)
        })
    }

    /// Returns the text that kernels have printed, including the text of kernels that failed.
    pub fn printed(&self) -> &str {
        &self.printed
    }

    /// Returns the address of the buffer's first byte.
    pub fn address(&self, buffer: BufferId) -> u64 {
        (buffer.0 as u64 + 1) << BUFFER_LOG2
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct GlobalLocation {
    /// Index of the buffer. Global variables follow the buffers of the launch.
    pub(super) buffer: usize,
    /// Byte offset from the start of the buffer. May be negative or past the end.
    pub(super) offset: i64,
}

/// Returns the location of `address` relative to the nearest buffer. If the address lies in the upper half of the
/// address range of a buffer, the nearest buffer is the next one, and the offset is negative. Returns `None` if the
/// nearest buffer does not exist.
pub(super) fn locate(
    address: u64,
    num_buffers: usize,
    num_symbols: usize,
) -> Option<GlobalLocation> {
    let slot_to_buffer = |slot: u64| -> Option<usize> {
        let index = usize::try_from(slot).ok()?.checked_sub(1)?;
        if index < num_buffers {
            Some(index)
        } else {
            let symbol = index.checked_sub(FIRST_SYMBOL)?;
            (symbol < num_symbols).then_some(num_buffers + symbol)
        }
    };
    let slot = address >> BUFFER_LOG2;
    let below = address & ((1 << BUFFER_LOG2) - 1);
    if below >> (BUFFER_LOG2 - 1) == 0 {
        return slot_to_buffer(slot).map(|buffer| GlobalLocation {
            buffer,
            offset: below as i64,
        });
    }
    // In the upper half of a slot the address is an underrun of the next buffer.
    let buffer = slot_to_buffer(slot + 1)?;
    Some(GlobalLocation {
        buffer,
        offset: below as i64 - (1 << BUFFER_LOG2),
    })
}

/// Reads `count` bytes at `at` as a little-endian number.
pub(super) fn read_le(bytes: &[u8], at: usize, count: u8) -> u64 {
    match (count, &bytes[at..]) {
        (4, &[a, b, c, d, ..]) => u64::from(u32::from_le_bytes([a, b, c, d])),
        (2, &[a, b, ..]) => u64::from(u16::from_le_bytes([a, b])),
        (1, &[a, ..]) => u64::from(a),
        (8, &[a, b, c, d, e, f, g, h, ..]) => u64::from_le_bytes([a, b, c, d, e, f, g, h]),
        (_, rest) => rest
            .iter()
            .take(usize::from(count))
            .rev()
            .fold(0, |v, &byte| v << 8 | u64::from(byte)),
    }
}

/// Writes the lowest `count` bytes of `value` at `at`, little-endian.
pub(super) fn write_le(bytes: &mut [u8], at: usize, count: u8, value: u64) {
    let value = value.to_le_bytes();
    // Constant sizes avoid a call to memcpy.
    match count {
        4 => bytes[at..at + 4].copy_from_slice(&value[..4]),
        2 => bytes[at..at + 2].copy_from_slice(&value[..2]),
        8 => bytes[at..at + 8].copy_from_slice(&value),
        1 => bytes[at] = value[0],
        _ => {
            let count = usize::from(count);
            bytes[at..at + count].copy_from_slice(&value[..count]);
        }
    }
}
