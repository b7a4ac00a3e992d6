//! Copies of boxes of tensors, between global and shared memory.
//!
//! A box is copied in pieces, each a [`Transfer`] of its own. What comes to shared memory is in flight until a thread has
//! observed the phase of the barrier that its bytes count for; what goes to global memory is until its lane has waited
//! for the group.

use super::{Channel, Exec, Field, MbarrierAddress, Place, Transfer};
use crate::code::{Reg, Space};
use crate::error::{FaultKind, KernelError};
use crate::tensor_map::{MAP_BYTES, TensorMap};

/// Shared addresses of boxes are multiples of this.
const BOX_ALIGN: u32 = 128;

/// The part of a tensor that a lane copies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TensorBox<'b> {
    /// The register with the address of the map, and an offset.
    pub(crate) map: (Reg, i64),
    /// The first coordinates, innermost first.
    pub(crate) start: &'b [i32],
    /// The register with the address in shared memory, and an offset.
    pub(crate) shared: (Reg, i64),
    /// A register that holds nothing else.
    pub(crate) scratch: Reg,
}

impl Exec<'_> {
    /// The tensor map at an address.
    fn tensor_map(
        &mut self,
        lane: u32,
        (addr, offset): (Reg, i64),
        scratch: Reg,
    ) -> Result<TensorMap, KernelError> {
        let address = self.get(addr, lane).wrapping_add_signed(offset);
        let size = MAP_BYTES as u32;
        let place = self.resolve(lane, Space::Generic, address, size, 64, "load")?;
        self.check_origin(lane, addr, place, (Space::Generic, size, "load"))?;
        self.uses_memory(lane, place, size)?;
        self.check_tensor_map(lane, place)?;
        let mut bytes = [0; MAP_BYTES];
        for (part, offset) in bytes.chunks_exact_mut(8).zip((0..).step_by(8)) {
            let field = Field {
                reg: scratch,
                offset,
                bytes: 8,
            };
            self.read_place(lane, place, &[field], None)?;
            part.copy_from_slice(&self.get(scratch, lane).to_le_bytes());
        }
        TensorMap::decode(&bytes).map_err(|problem| {
            let at = match place {
                Place::Global { at, .. } | Place::Shared { at, .. } | Place::Local { at } => at,
            };
            let name = self.byte_name(place, at);
            let text = format!("copy by the tensor map at {name}: {problem}");
            self.fault(FaultKind::Malformed, lane, text)
        })
    }

    /// The map of a box and its address in shared memory, both checked.
    fn tensor_box(
        &mut self,
        lane: u32,
        of: TensorBox<'_>,
    ) -> Result<(TensorMap, u64), KernelError> {
        let map = self.tensor_map(lane, of.map, of.scratch)?;
        let (given, rank) = (of.start.len(), map.dims.len());
        if given != rank {
            let text = format!("copy of {given} dimensions by a tensor map of {rank}");
            return Err(self.fault(FaultKind::Malformed, lane, text));
        }
        let (reg, offset) = of.shared;
        let address = self.get(reg, lane).wrapping_add_signed(offset);
        let size = map.box_bytes();
        let place = self.resolve(lane, Space::Shared, address, size, BOX_ALIGN, "copy")?;
        self.check_origin(lane, reg, place, (Space::Shared, size, "copy"))?;
        Ok((map, address))
    }

    /// A lane starts the copy of a box to shared memory, whose bytes a barrier expects.
    pub(crate) fn load_box(
        &mut self,
        lane: u32,
        of: TensorBox<'_>,
        barrier: MbarrierAddress,
    ) -> Result<(), KernelError> {
        let (map, address) = self.tensor_box(lane, of)?;
        let awaited = self.awaited_phase(lane, barrier)?;
        for piece in map.pieces(of.start) {
            let target = map.swizzle.apply(address + u64::from(piece.at));
            let to = self.resolve(lane, Space::Shared, target, piece.bytes, 1, "store")?;
            let (from, read) = match piece.global {
                Some(global) => {
                    let size = piece.bytes;
                    let place = self.resolve(lane, Space::Global, global, size, 1, "load")?;
                    (place, size)
                }
                None => (to, 0),
            };
            let transfer = Transfer {
                awaited: Some(awaited),
                ..Transfer::new((from, read), (to, piece.bytes), of.scratch)
            };
            self.start_copy(Channel::Transaction, lane, transfer)?;
        }
        self.bring_bytes(lane, barrier, map.box_bytes())
    }

    /// A lane starts the copy of a box to global memory, or its sum with what is there.
    pub(crate) fn store_box(
        &mut self,
        lane: u32,
        of: TensorBox<'_>,
        adds: bool,
    ) -> Result<(), KernelError> {
        let (map, address) = self.tensor_box(lane, of)?;
        let pieces = map.pieces(of.start).into_iter();
        for (piece, global) in pieces.filter_map(|piece| Some((piece, piece.global?))) {
            let (size, source) = (piece.bytes, address + u64::from(piece.at));
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
