//! Copies of tensor boxes between global and shared memory.
//!
//! A box is copied as several [`Transfer`]s. A copy to shared memory is in flight until a thread observes the phase of
//! its mbarrier. A copy to global memory is in flight until its lane waits for the copy's group.

use super::{Channel, Exec, Field, MbarrierAddress, MemoryLocation, Transfer};
use crate::code::{Reg, Space};
use crate::error::{FaultKind, KernelError};
use crate::tensor_map::{MAP_BYTES, TensorMap};

/// Alignment of boxes in shared memory, in bytes.
const BOX_ALIGN: u32 = 128;

#[derive(Clone, Copy, Debug)]
pub(crate) struct TensorBox<'b> {
    /// Address of the tensor map, as (register, byte offset).
    pub(crate) map: (Reg, i64),
    /// Coordinates of the first element, innermost dimension first.
    pub(crate) start: &'b [i32],
    /// Offsets of each pixel in im2col mode, innermost dimension first. Empty if the box is a tile.
    pub(crate) pixel_offsets: &'b [u16],
    /// Address in shared memory, as (register, byte offset).
    pub(crate) shared: (Reg, i64),
    /// Register through which the simulator reads the tensor map and copies the bytes of the box.
    pub(crate) scratch: Reg,
}

impl Exec<'_> {
    fn tensor_map(
        &mut self,
        lane: u32,
        (addr, offset): (Reg, i64),
        scratch: Reg,
    ) -> Result<TensorMap, KernelError> {
        let address = self.get(addr, lane).wrapping_add_signed(offset);
        let size = MAP_BYTES as u32;
        let location = self.resolve(lane, Space::Generic, address, size, 64, "load")?;
        self.check_origin(lane, addr, location, (Space::Generic, size, "load"))?;
        self.check_defined_memory(lane, location, size)?;
        self.check_tensor_map(lane, location)?;
        let mut bytes = [0; MAP_BYTES];
        for (part, offset) in bytes.chunks_exact_mut(8).zip((0..).step_by(8)) {
            let field = Field {
                reg: scratch,
                offset,
                bytes: 8,
            };
            self.read_location(lane, location, &[field], None)?;
            part.copy_from_slice(&self.get(scratch, lane).to_le_bytes());
        }
        TensorMap::decode(&bytes).map_err(|problem| {
            let at = match location {
                MemoryLocation::Global { at, .. }
                | MemoryLocation::Shared { at, .. }
                | MemoryLocation::Local { at } => at,
            };
            let name = self.byte_name(location, at);
            let text = format!("invalid tensor map at {name}: {problem}");
            self.fault(FaultKind::Malformed, lane, text)
        })
    }

    /// Validates a box. Returns the tensor map, and the address in shared memory.
    fn tensor_box(
        &mut self,
        lane: u32,
        of: TensorBox<'_>,
    ) -> Result<(TensorMap, u64), KernelError> {
        let map = self.tensor_map(lane, of.map, of.scratch)?;
        let (given, rank) = (of.start.len(), map.dims.len());
        if given != rank {
            let text = format!(
                "tensor copy has {given} coordinates, but the tensor map has {rank} dimensions"
            );
            return Err(self.fault(FaultKind::Malformed, lane, text));
        }
        let (offsets, expected) = (
            of.pixel_offsets.len(),
            map.pixels.as_ref().map_or(0, |_| rank - 2),
        );
        if offsets != expected {
            let text = format!(
                "tensor copy has {offsets} pixel offsets, but the tensor map requires {expected}"
            );
            return Err(self.fault(FaultKind::Malformed, lane, text));
        }
        let (reg, offset) = of.shared;
        let address = self.get(reg, lane).wrapping_add_signed(offset);
        let size = map.box_bytes();
        let location = self.resolve(lane, Space::Shared, address, size, BOX_ALIGN, "copy")?;
        self.check_origin(lane, reg, location, (Space::Shared, size, "copy"))?;
        Ok((map, address))
    }

    /// Starts a copy of a box to shared memory. The copy signals the mbarrier `barrier`.
    pub(crate) fn load_box(
        &mut self,
        lane: u32,
        of: TensorBox<'_>,
        barrier: MbarrierAddress,
    ) -> Result<(), KernelError> {
        let (map, address) = self.tensor_box(lane, of)?;
        let awaited = self.awaited_phase(lane, barrier)?;
        for run in map.byte_runs(of.start, of.pixel_offsets) {
            let target = map.swizzle.apply(address + u64::from(run.at));
            let to = self.resolve(lane, Space::Shared, target, run.bytes, 1, "store")?;
            let (from, read) = match run.global {
                Some(global) => {
                    let size = run.bytes;
                    let location = self.resolve(lane, Space::Global, global, size, 1, "load")?;
                    (location, size)
                }
                None => (to, 0),
            };
            let transfer = Transfer {
                awaited: Some(awaited),
                filler: map.filler(),
                ..Transfer::new((from, read), (to, run.bytes), of.scratch)
            };
            self.start_copy(Channel::Transaction, lane, transfer)?;
        }
        self.fork_copies(lane);
        self.complete_bytes(lane, barrier, map.box_bytes())
    }

    /// Starts a copy of a box to global memory. If `adds` is true, the copy adds its elements to the elements in
    /// global memory.
    pub(crate) fn store_box(
        &mut self,
        lane: u32,
        of: TensorBox<'_>,
        adds: bool,
    ) -> Result<(), KernelError> {
        let (map, address) = self.tensor_box(lane, of)?;
        let byte_runs = map.byte_runs(of.start, &[]).into_iter();
        for (run, global) in byte_runs.filter_map(|run| Some((run, run.global?))) {
            let (size, source) = (run.bytes, address + u64::from(run.at));
            let source = map.swizzle.apply(source);
            let from = self.resolve(lane, Space::Shared, source, size, 1, "load")?;
            let to = self.resolve(lane, Space::Global, global, size, 1, "store")?;
            let transfer = Transfer {
                adds: adds.then(|| map.element.ty()),
                ..Transfer::new((from, size), (to, size), of.scratch)
            };
            self.start_copy(Channel::Bulk, lane, transfer)?;
        }
        Ok(())
    }
}
