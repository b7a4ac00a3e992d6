//! Allocation of global scratch memory.
//!
//! The launcher allocates the same number of bytes for each program of the grid. Within this memory, each function
//! has a static frame that follows the frames of its callers, as in shared memory.
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

/// Number of memory areas that the launcher allocates: area 0 for kernels, area 1 for profiling tools.
pub(crate) const NUM_AREAS: usize = 2;

/// One value in bytes per area: first the area for kernels, then the area for profiling tools.
pub(crate) type Areas = [u32; NUM_AREAS];

/// The scratch allocations of one function, without the allocations of its callees.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Area and byte offset in the frame of each allocation.
    pub(crate) offsets: HashMap<OpId, (usize, u32)>,
    /// Size of the frame in each area, in bytes.
    pub(crate) bytes: Areas,
    /// Alignment of the frame in each area, in bytes.
    pub(crate) alignment: Areas,
}

impl Scratch {
    /// Assigns an offset to each scratch allocation of a function.
    ///
    /// # Errors
    /// Returns the operation and the diagnostic if a size or an alignment is invalid, or if the frame is larger than
    /// 2^32 - 1 bytes.
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

    /// Returns true if the function allocates global scratch memory.
    pub(crate) fn is_used(&self) -> bool {
        !self.offsets.is_empty()
    }
}

/// The global scratch memory of one program. It is large enough for every kernel of the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ProgramScratch {
    /// Distance in bytes between the memory of consecutive programs in each area.
    pub(crate) bytes: Areas,
    pub(crate) alignment: Areas,
}

impl ProgramScratch {
    /// Computes the memory that suffices for all functions. `functions` yields the end and the alignment of each
    /// function's frame.
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

/// The global scratch memory that the function being lowered can address.
pub(crate) struct FunctionScratch<'c> {
    pub(crate) scratch: Scratch,
    /// Byte offset of the function's frame in each area of the program's memory.
    pub(crate) frame: Areas,
    pub(crate) program: ProgramScratch,
    /// Calls that must pass the addresses of the program's memory to the callee.
    pub(crate) calls: HashSet<OpId>,
    /// True in a kernel, whose address arguments point to the memory of all programs. In other functions, the address
    /// arguments point to the memory of the current program.
    pub(crate) is_kernel: bool,
    /// Address of each area, from the last arguments of the function. `None` if the function has no such arguments.
    pub(crate) arguments: Option<[Val<'c>; NUM_AREAS]>,
}
