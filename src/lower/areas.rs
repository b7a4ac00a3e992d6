//! Allocation of global scratch memory.
//!
//! Each program of the grid gets the same number of bytes. Frames of functions have static offsets; the frame of a
//! callee follows the frames of its callers.
//!
//! ```text
//! base + ((z * programs_y + y) * programs_x + x) * bytes of a program + frame + offset
//! ```

use crate::analysis::effects::OpId;
use crate::ir::ops::ttg;
use crate::sys::build::{self, Op, Val};
use crate::sys::{Diagnostic, operation_id};
use melior::ir::operation::OperationLike;
use std::collections::{HashMap, HashSet};

/// Number of scratch areas in global memory. Kernels use one area, and profiling tools use the other.
pub(crate) const NUM_AREAS: usize = 2;

pub(crate) type Areas = [u32; NUM_AREAS];

#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// For each scratch allocation, the index of its area and its byte offset in the frame.
    pub(crate) offsets: HashMap<OpId, (usize, u32)>,
    /// Size of the function's frame in each area, in bytes.
    pub(crate) bytes: Areas,
    /// Alignment of the function's frame in each area, in bytes.
    pub(crate) alignment: Areas,
}

impl Scratch {
    /// Assigns an offset to each scratch allocation of a function.
    ///
    /// # Errors
    /// Returns the operation with an invalid size or alignment, or with an offset beyond 2^32 - 1 bytes.
    pub(crate) fn of<'c>(function: Op<'c>) -> Result<Self, (Op<'c>, Diagnostic)> {
        let mut scratch = Self {
            alignment: [1; NUM_AREAS],
            ..Self::default()
        };
        let mut pending = vec![function];
        while let Some(op) = pending.pop() {
            if let Some(view) = ttg::GlobalScratchAlloc::of(op) {
                scratch.add(view).map_err(|diagnostic| (op, diagnostic))?;
            }
            for region in (0..op.region_count()).rev() {
                for block in build::blocks(op, region).into_iter().rev() {
                    pending.extend(build::operations(block).into_iter().rev());
                }
            }
        }
        Ok(scratch)
    }

    fn add(&mut self, view: ttg::GlobalScratchAlloc<'_, '_>) -> Result<(), Diagnostic> {
        let area = usize::from(view.third_party_allocation());
        let amount = |name: &str, value: i64| {
            u32::try_from(value).map_err(|_| {
                Diagnostic::new(format!("requires `{name}` of at least 0, but got {value}"))
            })
        };
        let bytes = amount("nbytes", view.nbytes())?;
        let alignment = amount("alignment", view.alignment())?;
        if !alignment.is_power_of_two() {
            return Err(Diagnostic::new(format!(
                "requires a power of two as `alignment`, but got {alignment}"
            )));
        }
        let offset = self.bytes[area].checked_next_multiple_of(alignment);
        let end = offset.and_then(|offset| offset.checked_add(bytes));
        let (Some(offset), Some(end)) = (offset, end) else {
            return Err(Diagnostic::new(
                "exceeds the limit of 4 GiB of scratch memory per program",
            ));
        };
        self.offsets.insert(operation_id(view.op()), (area, offset));
        self.bytes[area] = end;
        self.alignment[area] = self.alignment[area].max(alignment);
        Ok(())
    }

    pub(crate) fn is_used(&self) -> bool {
        !self.offsets.is_empty()
    }
}

/// Size and alignment of the global scratch memory of each kernel instance (a program, in Triton's terms). The
/// memory is large enough for every kernel of the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ProgramScratch {
    /// Distance in bytes between the memory of consecutive kernel instances, for each area.
    pub(crate) bytes: Areas,
    pub(crate) alignment: Areas,
}

impl ProgramScratch {
    pub(crate) fn of(functions: impl Iterator<Item = (Areas, Areas)>) -> Self {
        let none = Self {
            bytes: [0; NUM_AREAS],
            alignment: [1; NUM_AREAS],
        };
        let mut all = functions.fold(none, |all, (ends, alignment)| Self {
            bytes: [0, 1].map(|area| all.bytes[area].max(ends[area])),
            alignment: [0, 1].map(|area| all.alignment[area].max(alignment[area])),
        });
        for (bytes, alignment) in all.bytes.iter_mut().zip(all.alignment) {
            *bytes = bytes
                .checked_next_multiple_of(alignment)
                .unwrap_or(u32::MAX);
        }
        all
    }
}

pub(crate) struct FunctionScratch<'c> {
    pub(crate) scratch: Scratch,
    /// Byte offset at which the function's frame starts in each area.
    pub(crate) frame: Areas,
    pub(crate) program: ProgramScratch,
    pub(crate) calls: HashSet<OpId>,
    /// True for a kernel, whose scratch arguments point to the memory of all kernel instances. In other functions,
    /// the scratch arguments point to the memory of the current instance.
    pub(crate) is_kernel: bool,
    /// The function arguments with the scratch addresses, one per area, or `None` if the function takes no scratch
    /// addresses.
    pub(crate) arguments: Option<[Val<'c>; NUM_AREAS]>,
}
