//! Addresses of global scratch memory. [`super::areas`] allocates.

use super::abi::Abi;
use super::areas::NUM_AREAS;
use super::state::{Lowering, Outcome};
use crate::ir::ops::ttg;
use crate::sys::build::{Op, Val};
use crate::sys::{Diagnostic, operation_id};

impl<'c> Lowering<'c> {
    /// Returns the scratch addresses that a call passes to its callee. The list is empty if the callee uses no
    /// global scratch memory.
    pub(crate) fn scratch_of_call(&mut self, call: Op<'c>) -> Vec<Val<'c>> {
        if self.scratch.arguments.is_none() || !self.scratch.calls.contains(&operation_id(call)) {
            return Vec::new();
        }
        (0..NUM_AREAS)
            .filter_map(|area| self.program_scratch(area))
            .collect()
    }

    /// Returns the address at which this program's own part of the scratch area `area` begins.
    ///
    /// `None` if the function has no parameters for scratch addresses.
    fn program_scratch(&mut self, area: usize) -> Option<Val<'c>> {
        let base = self.scratch.arguments?[area];
        let bytes = self.scratch.program.bytes[area];
        if !self.scratch.is_kernel || bytes == 0 {
            return Some(base);
        }
        let i64 = self.e.types.i64;
        let wide = |l: &mut Self, value: Val<'c>| l.e.zext(value, i64);
        let [x, y, z] = [0, 1, 2].map(|axis| self.gpu.program_id(&mut self.e, axis));
        let [x, y, mut number] = [x, y, z].map(|id| wide(self, id));
        for (axis, id) in [(1, y), (0, x)] {
            let count = self.gpu.num_programs(&mut self.e, axis);
            let count = wide(self, count);
            let rows = self.e.mul(number, count);
            number = self.e.add(rows, id);
        }
        let bytes = self.e.constant(i64, i64::from(bytes));
        let offset = self.e.mul(number, bytes);
        let i8 = self.e.types.i8;
        Some(self.e.gep(base, i8, offset))
    }
}

pub(crate) fn alloc<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = ttg::GlobalScratchAlloc::of(op).expect("the dispatch goes by kind");
    let offset = l.scratch.scratch.offsets.get(&operation_id(op)).copied();
    let (area, offset) = offset.ok_or_else(|| Diagnostic::new("has no scratch offset"))?;
    let base = l.program_scratch(area).ok_or_else(|| {
        Diagnostic::new(format!(
            "requires global scratch memory, which `abi={}` does not pass to kernels",
            Abi::Plain.name()
        ))
        .note(format!(
            "lower with `abi={}`, which appends two scratch pointers to the arguments",
            Abi::Triton.name()
        ))
    })?;
    let address = l.e.gep_bytes(base, l.scratch.frame[area] + offset);
    l.set(view.result(), [address]);
    Ok(())
}
