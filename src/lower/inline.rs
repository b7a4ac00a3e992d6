//! Regions of scalars, run in place: the body of `tt.map_elementwise`, and what an operation combines with.
//!
//! The operations of such a region are lowered anew for each group of elements, with one register per value. A
//! region of several blocks becomes an `scf.execute_region`, since branches cannot leave a loop's body.

use super::blocks::BlockGraph;
use super::emit::block_arguments;
use super::state::{Lowering, Outcome};
use crate::ir::ops::tt;
use crate::sys::Diagnostic;
use crate::sys::build::{self, Op, Val};
use melior::ir::{Region, Type, ValueLike};

impl<'c> Lowering<'c> {
    /// Runs a region on scalars; returns what its end hands on, registers of `types`.
    pub(crate) fn inline(
        &mut self,
        graph: &BlockGraph<'c>,
        arguments: &[Val<'c>],
        types: &[Type<'c>],
    ) -> Result<Vec<Val<'c>>, Diagnostic> {
        let entry = graph
            .entry()
            .ok_or_else(|| Diagnostic::new("needs a region with a block"))?;
        for (own, given) in block_arguments(entry).into_iter().zip(arguments) {
            self.set(own, [*given]);
        }
        let location = self.e.location;
        let results = if graph.order().len() == 1 {
            let mut operations = build::operations(entry);
            let end = operations.pop();
            for inner in operations {
                self.operation(inner);
            }
            end.map(|end| self.operands(end)).unwrap_or_default()
        } else {
            let region = Region::new();
            let block = self.e.add_block(&region, &[]);
            self.e.enter_block(block);
            self.blocks(graph, &region, block);
            self.e.leave_block();
            self.e.location = location;
            let whole = self.e.execute_region(types, region);
            (0..types.len()).map(|i| build::result(whole, i)).collect()
        };
        self.e.location = location;
        let found: Vec<Type<'c>> = results.iter().map(ValueLike::r#type).collect();
        if found != types && self.emitted.is_none() {
            return Err(Diagnostic::new(format!(
                "has a region that hands on {} registers, not {}",
                found.len(),
                types.len()
            )));
        }
        Ok(results)
    }
}

/// Runs the region on `pack` registers at a time.
pub(crate) fn map_elementwise<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = tt::MapElementwise::of(op).expect("the dispatch goes by kind");
    let pack = usize::try_from(view.pack()).unwrap_or_default();
    let sources: Vec<_> = view.srcs().into_iter().map(|value| l.get(value)).collect();
    let registers = sources.first().map_or(0, |list| list.len());
    if pack == 0 || registers % pack != 0 {
        return Err(Diagnostic::new(format!(
            "takes {pack} elements at a time, but a thread has {registers} of them"
        ))
        .note("convert to a layout in which each thread has a multiple of them, or take fewer"));
    }
    let results = view.result();
    let mut types = Vec::new();
    for result in &results {
        let list = l.types_of(result.r#type())?;
        if list.len() != registers {
            return Err(Diagnostic::new(
                "needs one layout for its operands and results",
            ));
        }
        types.extend(std::iter::repeat_n(list[0], pack));
    }
    let graph = BlockGraph::of(op, 0);
    let mut made = vec![Vec::with_capacity(registers); results.len()];
    for first in (0..registers).step_by(pack) {
        // All elements of one operand, then all of the next; results alike.
        let arguments: Vec<Val<'c>> = sources
            .iter()
            .flat_map(|list| list[first..first + pack].to_vec())
            .collect();
        let group = l.inline(&graph, &arguments, &types)?;
        for (list, own) in made.iter_mut().zip(group.chunks(pack)) {
            list.extend_from_slice(own);
        }
    }
    for (result, list) in results.into_iter().zip(made) {
        l.set(result, list);
    }
    Ok(())
}

/// The end of a region of several blocks, as that of `scf.execute_region`.
pub(crate) fn end<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let operands = l.carried_operands(op);
    l.e.scf_yield(&operands);
    Ok(())
}
