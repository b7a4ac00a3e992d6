//! Operands of memory accesses, thread indices, and messages.

use crate::code::{Reg, Space};
use gpu_race::Sync;

/// One register's part of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Field {
    /// The register that is loaded or stored.
    pub(crate) reg: Reg,
    /// Byte offset from the access's address.
    pub(crate) offset: u32,
    /// Size in memory in bytes, 1 to 8.
    pub(crate) bytes: u8,
}

/// A predicate of a lane: the lowest bit of a register, possibly negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Guard {
    pub(crate) reg: Reg,
    /// True if the lane is active when the bit is 0.
    pub(crate) negated: bool,
}

/// A load or a store of consecutive registers.
///
/// A load of `vector<4xf32>` has four fields of 4 bytes at offsets 0, 4, 8, 12, size 16.
/// # Units
/// `offset`, `size` and `align` are bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    pub(crate) space: Space,
    /// Register that holds the address.
    pub(crate) addr: Reg,
    pub(crate) offset: i64,
    /// Registers in address order.
    pub(crate) fields: Box<[Field]>,
    /// Bytes from the first field to the end of the last.
    pub(crate) size: u32,
    /// Required alignment of the address.
    pub(crate) align: u32,
    /// Lanes where this is false do nothing; a load keeps their registers.
    pub(crate) guard: Option<Guard>,
    /// Memory order, if atomic.
    pub(crate) sync: Option<Sync>,
}

/// The address operand of an atomic access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AtomicOperand {
    pub(crate) space: Space,
    /// Register that holds the address.
    pub(crate) addr: Reg,
    /// Byte offset.
    pub(crate) offset: i64,
    pub(crate) bits: u32,
    /// Lanes where this is false do nothing and keep their registers.
    pub(crate) guard: Option<Guard>,
    pub(crate) sync: Sync,
}

/// A load or store through an AMD buffer descriptor, with bounds checking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BufferAccess {
    /// Base address, stride, number of bytes, flags.
    pub(crate) rsrc: [Reg; 4],
    /// Byte offset per lane.
    pub(crate) offset: Reg,
    /// Byte offset shared by the wave.
    pub(crate) soffset: Reg,
    /// Registers in address order.
    pub(crate) fields: Box<[Field]>,
    /// Bytes from the first field to the end of the last.
    pub(crate) size: u32,
}

/// The thread and block indices of a lane.
pub(crate) struct Thread {
    /// Index within the block.
    pub(crate) number: u32,
    pub(crate) block_size: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) grid: [u32; 3],
    pub(crate) threads: u32,
    pub(crate) lanes_per_warp: u32,
}

/// A message under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    pub(crate) format: String,
    pub(crate) values: Vec<u64>,
    /// True if it is the message of a failed assertion.
    pub(crate) fails: bool,
}
