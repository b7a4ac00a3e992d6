//! Operands of memory accesses, thread indices, and messages.

use crate::code::{Reg, Space};
use gpu_race::Sync;

/// Consecutive bytes of a memory access, and the register that they are loaded to or stored from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Field {
    pub(crate) reg: Reg,
    /// Byte offset from the address of the access.
    pub(crate) offset: u32,
    /// Number of bytes, 1 to 8.
    pub(crate) bytes: u8,
}

/// A predicate of a lane: the lowest bit of a register, possibly negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Guard {
    pub(crate) reg: Reg,
    /// True if a lane is active when the bit is 0.
    pub(crate) negated: bool,
}

/// A load from consecutive bytes of memory into one or more registers, or a store from registers to consecutive
/// bytes.
///
/// For example, a load of `vector<4xf32>` has size 16 and four fields of 4 bytes at offsets 0, 4, 8 and 12. All
/// numbers are in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    pub(crate) space: Space,
    pub(crate) addr: Reg,
    pub(crate) offset: i64,
    /// The fields, in the order of their addresses.
    pub(crate) fields: Box<[Field]>,
    /// Size from the start of the first field to the end of the last field.
    pub(crate) size: u32,
    pub(crate) align: u32,
    /// Predicate that selects the lanes that perform the access; `None` if all lanes perform it. The other lanes
    /// keep their registers and do not store.
    pub(crate) guard: Option<Guard>,
    /// Memory order of an atomic access; `None` for a non-atomic access.
    pub(crate) sync: Option<Sync>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AtomicOperand {
    pub(crate) space: Space,
    pub(crate) addr: Reg,
    /// Byte offset that is added to the address in `addr`.
    pub(crate) offset: i64,
    pub(crate) bits: u32,
    /// Predicate that selects the lanes that perform the access; `None` if all lanes perform it. The other lanes
    /// keep their registers.
    pub(crate) guard: Option<Guard>,
    pub(crate) sync: Sync,
}

/// A bounds-checked load or store through an AMD buffer descriptor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BufferAccess {
    /// Registers that hold the descriptor: base address, stride, number of bytes, and flags.
    pub(crate) rsrc: [Reg; 4],
    /// Register with the byte offset of each lane.
    pub(crate) offset: Reg,
    /// Register with the byte offset that all lanes of the wave share.
    pub(crate) soffset: Reg,
    pub(crate) fields: Box<[Field]>,
    /// Size in bytes, from the start of the first field to the end of the last field.
    pub(crate) size: u32,
}

pub(crate) struct Thread {
    pub(crate) number: u32,
    pub(crate) block_size: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) grid: [u32; 3],
    /// Blocks per cluster along each axis.
    pub(crate) cluster: [u32; 3],
    pub(crate) threads: u32,
    pub(crate) lanes_per_warp: u32,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    pub(crate) format: String,
    pub(crate) values: Vec<u64>,
    /// True if the message reports a failed assertion.
    pub(crate) fails: bool,
}
