//! Operations with given alternatives for their layouts.
//!
//! Example: each instruction for a matrix product fixes the layouts of all operands. Alternatives compete on the costs
//! of [`super::choice`]: plans of conversions, loops, rematerialisation.

use super::kernel::{Kernel, NodeId};
use super::modes::{Mode, NodeOrSlice, Spelling};
use crate::sys::build::Op;
use crate::sys::operation_id;
use linear_layout::encoding::Encoding;
use rustc_hash::FxHashMap;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) struct Alternative {
    pub(crate) uses: Vec<Arc<Encoding>>,
    pub(crate) defs: Vec<Arc<Encoding>>,
}

#[derive(Clone, Debug)]
pub(crate) struct OpWithAlternatives<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) alternatives: Vec<Alternative>,
}

/// Alternative encodings, represented as modes of nodes. A node is included if its operation has alternatives. Mode
/// 0 of the node has the original encodings, and each other mode has the encodings of one alternative.
#[derive(Default)]
pub(super) struct AlternativeModes {
    pub(super) modes: FxHashMap<NodeId, Vec<Mode>>,
    /// For each operation, its node, and the alternatives of modes 1, 2 and so on: item `i` of the list is the
    /// index of the alternative to which mode `i + 1` corresponds.
    ///
    /// `None` if the operation has only its original encodings.
    numbers: Vec<Option<(NodeId, Vec<usize>)>>,
}

impl AlternativeModes {
    pub(super) fn of<'c>(
        kernel: &mut Kernel<'c>,
        open: &[OpWithAlternatives<'c>],
        is_allowed: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let nodes = kernel.nodes.iter().enumerate();
        let nodes: FxHashMap<usize, NodeId> =
            nodes.map(|(i, node)| (operation_id(node.op), i)).collect();
        let mut offered = Self::default();
        for (at, open) in open.iter().enumerate() {
            let node = nodes.get(&operation_id(open.op)).copied();
            offered.numbers.push(node.and_then(|node| {
                let (modes, numbers) = modes(kernel, node, open, |number| is_allowed(at, number))?;
                offered.modes.insert(node, modes);
                Some((node, numbers))
            }));
        }
        offered
    }

    /// Returns the alternative that `choice` selects for each operation, or `None` if the operation keeps its
    /// original encodings.
    pub(super) fn chosen(&self, choice: &[u32]) -> Vec<Option<usize>> {
        let of = |(node, numbers): &(NodeId, Vec<usize>)| {
            let mode = choice[*node] as usize;
            mode.checked_sub(1).map(|at| numbers[at])
        };
        let all = self.numbers.iter();
        all.map(|found| found.as_ref().and_then(of)).collect()
    }
}

/// Returns the modes of a node, and a list of alternatives. Mode 0 has the original encodings. Mode `i + 1` has the
/// encodings of the alternative whose index is item `i` of the list.
fn modes(
    kernel: &mut Kernel<'_>,
    node: NodeId,
    open: &OpWithAlternatives<'_>,
    is_allowed: impl Fn(usize) -> bool,
) -> Option<(Vec<Mode>, Vec<usize>)> {
    let of = NodeOrSlice::Node(node);
    let present = kernel.present(of);
    let mut modes = vec![kernel.mode(of, present.clone())?];
    let mut numbers = Vec::new();
    let all = open.alternatives.iter().enumerate();
    for (number, alternative) in all.filter(|(number, _)| is_allowed(*number)) {
        let lengths = (alternative.uses.len(), alternative.defs.len());
        if lengths != (present.uses.len(), present.defs.len()) {
            continue;
        }
        let mut spelled = |encodings: &[Arc<Encoding>]| {
            let all = encodings.iter().cloned();
            all.map(|encoding| kernel.catalogue.encoding(encoding))
                .collect()
        };
        let spelling = Spelling {
            uses: spelled(&alternative.uses),
            defs: spelled(&alternative.defs),
        };
        let Some(mode) = kernel.mode(of, spelling) else {
            continue;
        };
        let is_known = |known: &Mode| (&known.uses, &known.defs) == (&mode.uses, &mode.defs);
        if !modes.iter().any(is_known) {
            modes.push(mode);
            numbers.push(number);
        }
    }
    Some((modes, numbers))
}
