//! Operands of memory accesses, thread indices, and messages.

use crate::code::{Reg, Space};
use gpu_race::Sync;

/// A field of a memory access: a range of consecutive bytes, and the register that is loaded from or stored to these
/// bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Field {
    /// The register that is loaded or stored.
    pub(crate) reg: Reg,
    /// Byte offset from the address of the access.
    pub(crate) offset: u32,
    /// Number of bytes in memory, 1 to 8.
    pub(crate) bytes: u8,
}

/// A predicate that decides whether a lane is active: the lowest bit of a register, possibly negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Guard {
    pub(crate) reg: Reg,
    /// True if the lane is active when the bit is 0. False if the lane is active when the bit is 1.
    pub(crate) negated: bool,
}

/// A load or store of registers to consecutive memory.
///
/// For example, a load of `vector<4xf32>` has size 16 and four fields of 4 bytes at offsets 0, 4, 8 and 12.
/// # Units
/// `offset`, `size` and `align` count bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    pub(crate) space: Space,
    /// Register that holds the address.
    pub(crate) addr: Reg,
    pub(crate) offset: i64,
    /// Fields in address order.
    pub(crate) fields: Box<[Field]>,
    /// Number of bytes from the start of the first field to the end of the last field.
    pub(crate) size: u32,
    /// Required alignment of the address in bytes.
    pub(crate) align: u32,
    /// Predicate of the active lanes. In inactive lanes, a load leaves its registers unchanged, and a store does
    /// nothing.
    pub(crate) guard: Option<Guard>,
    /// The memory order of an atomic access; `None` if the access is not atomic.
    pub(crate) sync: Option<Sync>,
}

/// The address operand of an atomic access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AtomicOperand {
    pub(crate) space: Space,
    /// Register that holds the address.
    pub(crate) addr: Reg,
    /// Byte offset that is added to the address.
    pub(crate) offset: i64,
    pub(crate) bits: u32,
    /// Predicate of the active lanes. Inactive lanes keep the contents of their registers.
    pub(crate) guard: Option<Guard>,
    pub(crate) sync: Sync,
}

/// A load or store through an AMD buffer descriptor, with bounds checking.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BufferAccess {
    /// Registers that hold the base address, the stride, the number of bytes, and the flags of the descriptor.
    pub(crate) rsrc: [Reg; 4],
    /// Register that holds the byte offset of each lane.
    pub(crate) offset: Reg,
    /// Register that holds the byte offset that all lanes of the wave share.
    pub(crate) soffset: Reg,
    /// Fields in address order.
    pub(crate) fields: Box<[Field]>,
    /// Number of bytes from the start of the first field to the end of the last field.
    pub(crate) size: u32,
}

/// The indices of a thread, and the sizes of its block and grid.
pub(crate) struct Thread {
    /// Linear index of the thread within the block.
    pub(crate) number: u32,
    pub(crate) block_size: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) grid: [u32; 3],
    /// Blocks per cluster along each axis.
    pub(crate) cluster: [u32; 3],
    pub(crate) threads: u32,
    pub(crate) lanes_per_warp: u32,
}

/// A message that the kernel prints in parts: the format string and the values that have been appended so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    pub(crate) format: String,
    pub(crate) values: Vec<u64>,
    /// True if the message reports a failed assertion.
    pub(crate) fails: bool,
}
