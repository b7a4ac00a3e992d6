//! Services of a block to instructions: accesses to memory, the numbers of a thread, messages.

use crate::code::{Reg, Space};
use gpu_race::Sync;

/// One register's part of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Field {
    /// The register that is loaded or stored.
    pub(crate) reg: Reg,
    /// Its place, in bytes from the access's address.
    pub(crate) offset: u32,
    /// How many bytes it takes in memory, 1 to 8.
    pub(crate) bytes: u8,
}

/// A condition on a lane: the register's lowest bit, possibly negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Guard {
    /// The register that holds the bit.
    pub(crate) reg: Reg,
    /// Act where the bit is 0 instead of 1.
    pub(crate) negated: bool,
}

/// A load or a store of one or more neighbouring registers.
///
/// A load of `vector<4xf32>` has four fields of 4 bytes at offsets 0, 4, 8, 12, size 16.
/// # Units
/// `offset`, `size` and `align` are bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    /// The memory.
    pub(crate) space: Space,
    /// The register that holds the address.
    pub(crate) addr: Reg,
    /// Added to the address.
    pub(crate) offset: i64,
    /// The registers, in order of their place.
    pub(crate) fields: Box<[Field]>,
    /// Bytes from the first field to the end of the last.
    pub(crate) size: u32,
    /// The address must be a multiple of this.
    pub(crate) align: u32,
    /// Lanes where this fails do nothing; a load leaves their registers as they were.
    pub(crate) guard: Option<Guard>,
    /// The order that it keeps, if it is atomic.
    pub(crate) sync: Option<Sync>,
}

/// Where an atomic access goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AtomicPlace {
    pub(crate) space: Space,
    /// The register that holds the address.
    pub(crate) addr: Reg,
    /// Added to the address, in bytes.
    pub(crate) offset: i64,
    pub(crate) bits: u32,
    /// Lanes where this fails do nothing, and keep what their registers held.
    pub(crate) guard: Option<Guard>,
    pub(crate) sync: Sync,
}

/// A load or store through an AMD buffer descriptor, checked against its size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BufferAccess {
    /// Base address, stride, number of bytes, flags.
    pub(crate) rsrc: [Reg; 4],
    /// Byte offset per lane.
    pub(crate) offset: Reg,
    /// Byte offset shared by the wave.
    pub(crate) soffset: Reg,
    /// The registers, in order of their place.
    pub(crate) fields: Box<[Field]>,
    /// Bytes from the first field to the end of the last.
    pub(crate) size: u32,
}

/// A lane, as far as it may ask.
pub(crate) struct Thread {
    /// Its number within the block.
    pub(crate) number: u32,
    pub(crate) block_size: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) grid: [u32; 3],
    pub(crate) threads: u32,
    pub(crate) lanes_per_warp: u32,
}

/// What has been said of a message so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    pub(crate) format: String,
    pub(crate) values: Vec<u64>,
    /// Whether it says why a kernel stops.
    pub(crate) fails: bool,
}
