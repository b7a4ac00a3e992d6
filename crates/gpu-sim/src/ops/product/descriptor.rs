//! Matrix descriptors of `wgmma`: addresses of matrix elements in shared memory.
//!
//! The formulas follow the PTX manual, independently of the planner's descriptors, so a wrong stride in a planned
//! descriptor gives a wrong result in the simulator.
//!
//! ```text
//! bits  0 to 13   start address / 16          bits 49 to 51   base offset
//! bits 16 to 29   leading byte offset / 16    bits 62, 63     swizzle: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes
//! bits 32 to 45   stride byte offset / 16
//! ```
//! A core matrix has 8 rows of 16 bytes. With a swizzle, a row is as long as the swizzle, and its 16-byte chunks are
//! permuted: the address bits from 4 on are XORed with the address bits from 7 on.
//!
//! # Source
//! PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout", "Matrix Descriptor Format", "Strides".

/// Size in bytes of the chunks that a swizzle permutes.
pub(super) const CHUNK: u32 = 16;
const ROWS: u32 = 8;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MatrixDescriptor {
    start: u32,
    leading: u32,
    stride: u32,
    base_offset: u32,
    /// Bytes per row of a swizzled core matrix; 0 without a swizzle.
    swizzle: u32,
}

impl MatrixDescriptor {
    pub(super) fn decode(bits: u64) -> Self {
        let field = |first: u32| (bits >> first & 0x3fff) as u32 * 16;
        Self {
            start: field(0),
            leading: field(16),
            stride: field(32),
            base_offset: (bits >> 49 & 7) as u32,
            swizzle: match bits >> 62 {
                0 => 0,
                1 => 128,
                2 => 64,
                _ => 32,
            },
        }
    }

    /// Returns the shared-memory address of a matrix element of `bytes` bytes. `own` is the row in A or the column
    /// in B, and `k` is the index along K. If `is_transposed` is false, consecutive values of `k` are contiguous in
    /// memory; otherwise consecutive values of `own` are.
    pub(super) const fn address(&self, own: u32, k: u32, bytes: u32, is_transposed: bool) -> u32 {
        let (column, row) = if is_transposed { (own, k) } else { (k, own) };
        if self.swizzle == 0 {
            let width = CHUNK / bytes;
            let (across, down) = (column / width, row / ROWS);
            let (along_k, along_own) = if is_transposed {
                (down, across)
            } else {
                (across, down)
            };
            return self.start
                + along_k * self.leading
                + along_own * self.stride
                + row % ROWS * CHUNK
                + column % width * bytes;
        }
        let width = self.swizzle / bytes;
        let linear = self.start
            + column / width * self.leading
            + row / ROWS * self.stride
            + row % ROWS * self.swizzle
            + column % width * bytes;
        let line = (linear >> 7).wrapping_sub(self.base_offset);
        linear ^ (line & (self.swizzle / CHUNK - 1)) << 4
    }
}
