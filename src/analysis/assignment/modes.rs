//! Modes: consistent layouts for all operands and results of an operation.

use super::kernel::{DatumId, Kernel, Node, NodeId, Slice, SliceId, Use};
use super::layouts::{EncodingId, LayoutId};
use super::roles::Role;
use crate::ir::infer;
use crate::sys::build::Op;
use linear_layout::encoding::Encoding;
use rustc_hash::FxHashMap;

use std::collections::VecDeque;
use std::sync::Arc;

/// An encoding for each operand (`uses`) and each result (`defs`) of a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Spelling {
    pub(crate) uses: Vec<EncodingId>,
    pub(crate) defs: Vec<EncodingId>,
}

/// A layout for each operand (`uses`) and each result (`defs`) of a node.
#[derive(Clone, Debug)]
pub(crate) struct Mode {
    pub(crate) uses: Vec<LayoutId>,
    pub(crate) defs: Vec<LayoutId>,
    /// Encodings that have these layouts, in the order in which they were discovered. The list is not empty.
    pub(crate) spellings: Vec<Spelling>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TensorPosition {
    Use(usize),
    Def(usize),
}

#[derive(Clone, Copy)]
pub(crate) struct Tensors<'k, 'c> {
    pub(crate) op: Op<'c>,
    pub(crate) role: Role,
    pub(crate) uses: &'k [Use<'c>],
    pub(crate) defs: &'k [DatumId],
}

impl<'c> Node<'c> {
    pub(crate) fn tensors(&self) -> Tensors<'_, 'c> {
        Tensors {
            op: self.op,
            role: self.role,
            uses: &self.uses,
            defs: &self.defs,
        }
    }
}

impl<'c> Slice<'c> {
    pub(crate) fn tensors(&self) -> Tensors<'_, 'c> {
        Tensors {
            op: self.op,
            role: self.role,
            uses: &self.uses,
            defs: &self.defs,
        }
    }
}

impl Tensors<'_, '_> {
    /// Infers the encodings of all tensors of the operation from the encoding of the tensor at `position`. Returns
    /// `None` if there are no consistent encodings.
    pub(crate) fn spelled(
        &self,
        position: TensorPosition,
        encoding: EncodingId,
        number: &mut impl FnMut(Encoding) -> EncodingId,
        get: &impl Fn(EncodingId) -> Arc<Encoding>,
    ) -> Option<Spelling> {
        let all = || Spelling {
            uses: std::iter::repeat_n(encoding, self.uses.len()).collect(),
            defs: std::iter::repeat_n(encoding, self.defs.len()).collect(),
        };
        match self.role {
            Role::Fixed | Role::Conversion | Role::Terminator => None,
            Role::Source
            | Role::Elementwise
            | Role::Scan
            | Role::Access { .. }
            | Role::Buffer { .. }
            | Role::Block { .. }
            | Role::Check
            | Role::Loop
            | Role::Conditional => Some(all()),
            // The result is a scalar.
            Role::Reduction if self.defs.is_empty() => Some(all()),
            Role::View | Role::Reduction => {
                let result = match position {
                    TensorPosition::Def(_) => encoding,
                    TensorPosition::Use(i) => {
                        let made = infer::result_encoding(self.op, self.uses[i].at, &get(encoding));
                        number(made.ok()?)
                    }
                };
                let of_result = get(result);
                let uses = self.uses.iter().map(|used| match position {
                    // All operands have one type.
                    TensorPosition::Use(_) => Some(encoding),
                    TensorPosition::Def(_) => {
                        let found = infer::operand_encoding(self.op, used.at, &of_result);
                        Some(number(found.ok()?))
                    }
                });
                Some(Spelling {
                    uses: uses.collect::<Option<_>>()?,
                    defs: std::iter::repeat_n(result, self.defs.len()).collect(),
                })
            }
        }
    }
}

impl<'c> Kernel<'c> {
    /// Infers the encodings of all tensors of a node or slice from the encoding of the tensor at `position`.
    /// Returns `None` if there are no consistent encodings.
    pub(crate) fn spelled(
        &mut self,
        of: NodeOrSlice,
        position: TensorPosition,
        encoding: EncodingId,
    ) -> Option<(Spelling, Mode)> {
        let tensors = match of {
            NodeOrSlice::Node(node) => self.nodes[node].tensors(),
            NodeOrSlice::Slice(slice) => self.slices[slice].tensors(),
        };
        let catalogue = std::cell::RefCell::new(&mut self.catalogue);
        let spelling = tensors.spelled(
            position,
            encoding,
            &mut |made| catalogue.borrow_mut().encoding(Arc::new(made)),
            &|known| Arc::clone(catalogue.borrow().get(known)),
        )?;
        // Few operations support `#ttg.generic_linear`.
        let encodings = spelling.uses.iter().chain(&spelling.defs);
        let mut all = encodings.copied();
        if all.any(|encoding| self.catalogue.is_generic(encoding)) {
            return None;
        }
        let mode = self.mode(of, spelling.clone())?;
        Some((spelling, mode))
    }

    /// Returns the encodings that a node or slice has in the original function.
    pub(crate) fn present(&self, of: NodeOrSlice) -> Spelling {
        let tensors = match of {
            NodeOrSlice::Node(node) => self.nodes[node].tensors(),
            NodeOrSlice::Slice(slice) => self.slices[slice].tensors(),
        };
        let defs = tensors.defs.iter();
        Spelling {
            uses: tensors.uses.iter().map(|used| used.present).collect(),
            defs: defs.map(|datum| self.datums[*datum].present).collect(),
        }
    }

    /// Returns the mode with the encodings `spelling`, or `None` if an encoding does not support the shape of its
    /// tensor.
    pub(crate) fn mode(&mut self, of: NodeOrSlice, spelling: Spelling) -> Option<Mode> {
        let tensors = match of {
            NodeOrSlice::Node(node) => self.nodes[node].tensors(),
            NodeOrSlice::Slice(slice) => self.slices[slice].tensors(),
        };
        let catalogue = &mut self.catalogue;
        let uses = tensors.uses.iter().zip(&spelling.uses);
        let uses = uses
            .map(|(used, encoding)| catalogue.layout(*encoding, self.datums[used.datum].shape))
            .collect::<Option<_>>()?;
        let defs = tensors.defs.iter().zip(&spelling.defs);
        let defs = defs
            .map(|(datum, encoding)| catalogue.layout(*encoding, self.datums[*datum].shape))
            .collect::<Option<_>>()?;
        Some(Mode {
            uses,
            defs,
            spellings: vec![spelling],
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NodeOrSlice {
    Node(NodeId),
    Slice(SliceId),
}

/// Maximum number of modes of a node. Further modes are ignored. The limit is reached only if views form a cycle.
const MAX_MODES: usize = 64;
const MAX_SPELLINGS: usize = 4;

struct ModePropagation<'k, 'c> {
    kernel: &'k mut Kernel<'c>,
    users: Vec<Vec<(NodeId, usize)>>,
    modes: Vec<Vec<Mode>>,
    known: Vec<FxHashMap<Spelling, usize>>,
    is_open: Vec<bool>,
    queue: VecDeque<(NodeId, Spelling)>,
}

/// Computes the modes of all nodes. Mode 0 has the original layouts. If `offered` contains modes for a node, these
/// are the first modes of the node. All further modes result from propagation: the layout of a value in a mode of
/// its producer is offered to its users, and vice versa. Pinned nodes get no further modes.
pub(super) fn candidates(
    kernel: &mut Kernel<'_>,
    is_pinned: &[bool],
    offered: &FxHashMap<NodeId, Vec<Mode>>,
) -> Vec<Vec<Mode>> {
    let mut users = vec![Vec::new(); kernel.datums.len()];
    for (node, of) in kernel.nodes.iter().enumerate() {
        for (i, used) in of.uses.iter().enumerate() {
            users[used.datum].push((node, i));
        }
    }
    let count = kernel.nodes.len();
    let mut propagation = ModePropagation {
        users,
        modes: vec![Vec::new(); count],
        known: vec![FxHashMap::default(); count],
        is_open: is_pinned.iter().map(|pinned| !pinned).collect(),
        queue: VecDeque::new(),
        kernel,
    };
    let mut roots = Vec::new();
    for node in 0..count {
        let present = propagation.kernel.present(NodeOrSlice::Node(node));
        let modes = match offered.get(&node) {
            Some(modes) => modes.clone(),
            None => {
                let mode = propagation.kernel.mode(NodeOrSlice::Node(node), present);
                vec![mode.expect("a node has layouts")]
            }
        };
        for (i, mode) in modes.iter().enumerate() {
            let spelling = mode.spellings[0].clone();
            propagation.known[node].insert(spelling.clone(), i);
            roots.push((node, spelling));
        }
        propagation.modes[node] = modes;
    }
    propagation.queue.extend(roots);
    propagation.propagate();
    propagation.modes
}

impl ModePropagation<'_, '_> {
    fn propagate(&mut self) {
        while let Some((node, spelling)) = self.queue.pop_front() {
            for i in 0..self.kernel.nodes[node].uses.len() {
                let datum = self.kernel.nodes[node].uses[i].datum;
                if let super::kernel::Producer::Node(producer, def) =
                    self.kernel.datums[datum].producer
                {
                    self.offer(producer, TensorPosition::Def(def), spelling.uses[i]);
                }
            }
            for i in 0..self.kernel.nodes[node].defs.len() {
                let datum = self.kernel.nodes[node].defs[i];
                for (user, at) in self.users[datum].clone() {
                    self.offer(user, TensorPosition::Use(at), spelling.defs[i]);
                }
            }
        }
    }

    /// Adds to `node` the mode in which the tensor at `position` has `encoding`. Does nothing if the node is pinned
    /// or if there is no such mode.
    fn offer(&mut self, node: NodeId, position: TensorPosition, encoding: EncodingId) {
        if !self.is_open[node] {
            return;
        }
        let Some((spelling, mode)) =
            self.kernel
                .spelled(NodeOrSlice::Node(node), position, encoding)
        else {
            return;
        };
        if self.known[node].contains_key(&spelling) {
            return;
        }
        let modes = &mut self.modes[node];
        let same = |known: &Mode| known.uses == mode.uses && known.defs == mode.defs;
        let at = match modes.iter().position(same) {
            Some(at) if modes[at].spellings.len() < MAX_SPELLINGS => {
                modes[at].spellings.push(spelling.clone());
                at
            }
            None if modes.len() < MAX_MODES => {
                modes.push(mode);
                modes.len() - 1
            }
            _ => return,
        };
        self.known[node].insert(spelling.clone(), at);
        self.queue.push_back((node, spelling));
    }
}
