//! Programs of buffer accesses.

use super::error::MemoryError;
use super::{BufferLayout, IndexedPlan, MemoryPlan};
use crate::layout::{Dim, LinearLayout};
use crate::number::narrow;
use crate::plan::program::{Builder, Program, Threads, View};
use crate::target::{Access, Target};

/// The input of [`plan_access`]: an access that all threads of a block make to a view of a buffer.
#[derive(Clone, Copy, Debug)]
pub struct BufferAccess<'a> {
    /// Layout of the registers, which maps (register, lane, warp) to the coordinates of an element. No register
    /// basis vector may be zero.
    pub registers: &'a LinearLayout,
    /// Layout of the buffer.
    pub buffer: &'a BufferLayout,
    /// Mask of the bits that may be set in the start position of the view, which is a byte offset before padding.
    /// See [`BufferLayout::view_mask`].
    pub view_mask: u64,
    /// For an indexed access: (dim whose coordinate is a run-time index, size of the view along this dim). `None`
    /// if the access is not indexed.
    pub indexed: Option<(usize, u64)>,
    /// Kind of the access: load or store.
    pub access: Access,
    /// If given, the access stores to the buffer as a part of a copy from a source memory. The list contains the
    /// register bits along which elements are adjacent in the source memory, lowest bit first. Each store then
    /// writes elements that are adjacent in both memories. `None` if the access is not part of such a copy. An
    /// indexed access ignores this field.
    pub neighbours: Option<&'a [u8]>,
    /// Target GPU.
    pub target: &'a Target,
}

/// Plans the buffer access that `access` describes, and returns its program.
///
/// # Shape
/// - Operand 0: the registers to store; empty for a load.
/// - Operand 1: the position of the view, in bytes before padding.
/// - Operand 2, only for an indexed access: the run-time index of each register. Each index is less than
///   the size
///   of the view along the indexed dim.
/// - Results: the loaded registers; empty for a store.
///
/// If `neighbours` is given and the access is not indexed, the program contains the stores of a copy from global
/// memory to the buffer. Each store step then lists single elements, lowest address first. The program does not
/// pack the elements into words, because the emitter replaces each store by a copy from global memory.
///
/// # Errors
/// Returns an error if the tensor and the buffer have different dims, or if the tensor is larger than the buffer.
pub fn plan_access(access: &BufferAccess<'_>) -> Result<Program, MemoryError> {
    let BufferAccess {
        registers,
        buffer,
        view_mask,
        neighbours,
        target,
        ..
    } = *access;
    let count = narrow(registers.in_size(Dim::REGISTER));
    let stored = if access.access == Access::Store {
        count
    } else {
        0
    };
    let bits = 8 * narrow::<u32>(buffer.element_bytes());
    let mut operands = vec![(stored, bits), (1, 32)];
    operands.extend(access.indexed.map(|_| (count, 32)));
    let threads = Threads::of(registers);
    let mut b = Builder::of_operands(&operands, threads);
    let sources = b.sources();
    let (values, numbers) = sources.split_at(stored as usize);
    // The position may also select one of several buffers.
    let row = u32::MAX.checked_shl(buffer.pitch_log2()).unwrap_or(0);
    let view = View {
        position: numbers[0],
        bits: narrow::<u32>(view_mask) | row,
    };
    let results = match (access.indexed, neighbours) {
        (None, Some(bits)) => {
            let plan = MemoryPlan::of_neighbours(registers, buffer, view_mask, bits, target)?;
            b.copy_registers(&plan, values, Some(view));
            Vec::new()
        }
        (None, None) => {
            let plan = MemoryPlan::of_warps(registers, buffer, view_mask, access.access, target)?;
            match access.access {
                Access::Load => b.load_registers(&plan, Some(view)),
                Access::Store => {
                    b.store_registers(&plan, values, None, Some(view));
                    Vec::new()
                }
            }
        }
        (Some((axis, size)), _) => {
            let plan = IndexedPlan::new(registers, axis, size, buffer)?;
            let addresses = b.indexed_addresses(&plan, &numbers[1..], Some(view));
            let mut loaded = Vec::new();
            for (register, address) in addresses.into_iter().enumerate() {
                match access.access {
                    Access::Load => loaded.push(b.load(address, 1, false)),
                    Access::Store => b.store(address, &[values[register]]),
                }
            }
            loaded
        }
    };
    Ok(b.finish(results, 0, target))
}
