//! Operations that can be carried out in other layouts than their own.
//!
//! A product of matrices is one: an instruction fixes the layouts of all its operands, so that they are not carried
//! along values but offered here. The choice takes into account all that [`super::choice`] does for a whole kernel:
//! conversions by their plans, loops, values that can be rematerialised.

use super::kernel::{Kernel, NodeId};
use super::modes::{Mode, Of, Spelling};
use crate::sys::build::Op;
use crate::sys::operation_id;
use linear_layout::encoding::Encoding;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Encodings for all tensors that an operation uses and defines.
#[derive(Clone, Debug)]
pub(crate) struct Alternative {
    /// One for each operand that is a tensor.
    pub(crate) uses: Vec<Arc<Encoding>>,
    /// One for each result that is a tensor.
    pub(crate) defs: Vec<Arc<Encoding>>,
}

/// An operation with alternatives.
#[derive(Clone, Debug)]
pub(crate) struct Open<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) alternatives: Vec<Alternative>,
}

/// The modes of nodes with alternatives; the present one is first.
#[derive(Default)]
pub(super) struct Offered {
    pub(super) modes: FxHashMap<NodeId, Vec<Mode>>,
    /// The node of each operation, and the number of the alternative that each mode but the first is.
    numbers: Vec<Option<(NodeId, Vec<usize>)>>,
}

impl Offered {
    pub(super) fn of<'c>(
        kernel: &mut Kernel<'c>,
        open: &[Open<'c>],
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

    /// Returns the alternative of each operation in a choice of modes; none where it stays as it is.
    pub(super) fn chosen(&self, choice: &[u32]) -> Vec<Option<usize>> {
        let of = |(node, numbers): &(NodeId, Vec<usize>)| {
            let mode = choice[*node] as usize;
            mode.checked_sub(1).map(|at| numbers[at])
        };
        let all = self.numbers.iter();
        all.map(|found| found.as_ref().and_then(of)).collect()
    }
}

/// The modes of a node, and the number of the alternative that each but the first is.
fn modes(
    kernel: &mut Kernel<'_>,
    node: NodeId,
    open: &Open<'_>,
    is_allowed: impl Fn(usize) -> bool,
) -> Option<(Vec<Mode>, Vec<usize>)> {
    let of = Of::Node(node);
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
