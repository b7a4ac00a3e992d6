//! Scratch memory of programs in global memory: what the functions of a module ask for, and where it lies.
//!
//! The launcher allocates as many bytes for each program of the grid, one program after the other. As in shared
//! memory, each function has a place of its own in them, after that of those that call it.
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

/// For whom the launcher allocates memory: for kernels, and for tools that look into them.
pub(crate) const NUM_AREAS: usize = 2;

/// An amount for each area: what kernels use, then what tools use.
pub(crate) type Areas = [u32; NUM_AREAS];

/// What one function asks for, without those that it calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// The area of each allocation, and where it lies among the function's bytes.
    pub(crate) places: HashMap<OpId, (usize, u32)>,
    /// How many bytes it needs.
    pub(crate) bytes: Areas,
    /// What places are multiples of, in bytes.
    pub(crate) alignment: Areas,
}

impl Scratch {
    /// Gives each allocation of a function a place.
    ///
    /// # Errors
    /// The bytes are too many to count, or an alignment is none.
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
            u32::try_from(value)
                .map_err(|_| Diagnostic::new(format!("has `{name} = {value}`, expected 0 or more")))
        };
        let bytes = amount("nbytes", view.nbytes())?;
        let alignment = amount("alignment", view.alignment())?;
        if !alignment.is_power_of_two() {
            return Err(Diagnostic::new(format!(
                "has `alignment = {alignment}`, expected a power of two"
            )));
        }
        let place = self.bytes[area].checked_next_multiple_of(alignment);
        let end = place.and_then(|place| place.checked_add(bytes));
        let (Some(place), Some(end)) = (place, end) else {
            return Err(Diagnostic::new(
                "needs more than 4 GB of scratch memory per program",
            ));
        };
        self.places.insert(operation_id(view.op()), (area, place));
        self.bytes[area] = end;
        self.alignment[area] = self.alignment[area].max(alignment);
        Ok(())
    }

    /// Whether it asks for anything.
    pub(crate) fn is_used(&self) -> bool {
        !self.places.is_empty()
    }
}

/// What a program of a module needs, whichever kernel it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ProgramScratch {
    /// How far one program's bytes are from the next one's.
    pub(crate) bytes: Areas,
    pub(crate) alignment: Areas,
}

impl ProgramScratch {
    /// From the end of each function's bytes, and what its places are multiples of.
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

/// The scratch memory of the function that is lowered.
pub(crate) struct FunctionScratch<'c> {
    pub(crate) scratch: Scratch,
    /// Where its bytes begin in those of the program.
    pub(crate) frame: Areas,
    pub(crate) program: ProgramScratch,
    /// Calls of functions that need the addresses of the program's bytes.
    pub(crate) calls: HashSet<OpId>,
    /// Whether it is a kernel, whose arguments are those of all programs.
    pub(crate) is_kernel: bool,
    /// The last arguments of the function, where it has them: an address for each area.
    pub(crate) arguments: Option<[Val<'c>; NUM_AREAS]>,
}
