//! Inlining of scalar regions: `tt.map_elementwise` and combine regions.
//!
//! A region is lowered once per group of elements, with one register per value. Several blocks are inserted after the
//! current block.

use super::blocks::BlockGraph;
use super::emit::block_arguments;
use super::state::{Lowering, Outcome};
use crate::ir::ops::tt;
use crate::sys::Diagnostic;
use crate::sys::build::{Op, Val};
use melior::ir::{Type, ValueLike};

impl<'c> Lowering<'c> {
    /// Inlines a region with the given arguments. Returns the yielded registers, whose types are `types`.
    pub(crate) fn inline(
        &mut self,
        graph: &BlockGraph<'c>,
        arguments: &[Val<'c>],
        types: &[Type<'c>],
    ) -> Result<Vec<Val<'c>>, Diagnostic> {
        let parameters = graph.entry().map(block_arguments).unwrap_or_default();
        for (parameter, argument) in parameters.into_iter().zip(arguments) {
            self.set(parameter, [*argument]);
        }
        self.region(graph, types)
    }

    /// Inlines a region whose arguments are already set. Returns the yielded registers, whose types are `types`.
    pub(crate) fn region(
        &mut self,
        graph: &BlockGraph<'c>,
        types: &[Type<'c>],
    ) -> Result<Vec<Val<'c>>, Diagnostic> {
        let entry = graph
            .entry()
            .ok_or_else(|| Diagnostic::new("requires a region with at least one block"))?;
        let location = self.e.location;
        let results = if graph.order().len() == 1 {
            let outer = self.exit.take();
            self.block(entry);
            self.exit = outer;
            std::mem::take(&mut self.yielded)
        } else {
            let exit = self.e.next_block(types);
            let first = self.e.next_block(&[]);
            self.e.branch(first, &[], None);
            let outer = self.exit.replace(exit);
            self.e.enter_block(first);
            self.blocks(graph, first);
            self.e.leave_block();
            self.exit = outer;
            self.e.continue_in(exit);
            block_arguments(exit)
        };
        self.e.location = location;
        let found: Vec<Type<'c>> = results.iter().map(ValueLike::r#type).collect();
        if found != types && self.emitted.is_none() {
            return Err(Diagnostic::new(format!(
                "region yields {} registers, expected {}",
                found.len(),
                types.len()
            )));
        }
        Ok(results)
    }
}

/// Lowers `tt.map_elementwise`: inlines the region once for each group of `pack` registers.
pub(crate) fn map_elementwise<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = tt::MapElementwise::of(op).expect("the dispatch goes by kind");
    let pack = usize::try_from(view.pack()).unwrap_or_default();
    let sources: Vec<_> = view.srcs().into_iter().map(|value| l.get(value)).collect();
    let registers = sources.first().map_or(0, |list| list.len());
    if pack == 0 || registers % pack != 0 {
        return Err(Diagnostic::new(format!(
            "requires a multiple of `pack` = {pack} elements per thread, but got {registers}"
        ))
        .note(
            "convert the operands to a layout with a multiple of `pack` elements per thread, or reduce `pack`",
        ));
    }
    let results = view.result();
    let mut types = Vec::new();
    for result in &results {
        let list = l.types_of(result.r#type())?;
        if list.len() != registers {
            return Err(Diagnostic::new(format!(
                "requires the same layout for operands and results, but found {registers} and {} \
                 elements per thread",
                list.len()
            )));
        }
        types.extend(std::iter::repeat_n(list[0], pack));
    }
    let graph = BlockGraph::of(op, 0);
    let mut lists = vec![Vec::with_capacity(registers); results.len()];
    for first in (0..registers).step_by(pack) {
        // Arguments are grouped by operand, yielded registers by result.
        let arguments: Vec<Val<'c>> = sources
            .iter()
            .flat_map(|list| list[first..first + pack].to_vec())
            .collect();
        let group = l.inline(&graph, &arguments, &types)?;
        for (list, own) in lists.iter_mut().zip(group.chunks(pack)) {
            list.extend_from_slice(own);
        }
    }
    for (result, list) in results.into_iter().zip(lists) {
        l.set(result, list);
    }
    Ok(())
}

/// Lowers the terminator of a scalar region.
///
/// If the region has several blocks, the terminator becomes a branch to the exit block. If it has one block, the
/// yielded registers are stored in [`Lowering::yielded`].
pub(crate) fn end<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let registers = l.operands(op);
    match l.exit {
        Some(exit) => l.e.branch(exit, &registers, None),
        None => l.yielded = registers,
    }
    Ok(())
}
