//! The ways in which an operation can be laid out: an encoding for each operand and result, which go together.

use super::alternatives::Offered;
use super::kernel::{DatumId, Kernel, Node, NodeId, Slice, SliceId, Use};
use super::layouts::{EncodingId, LayoutId};
use super::roles::Role;
use crate::ir::infer;
use crate::sys::build::Op;
use linear_layout::encoding::Encoding;
use rustc_hash::FxHashMap;

use std::collections::VecDeque;
use std::sync::Arc;

/// How the tensors of an operation are spelled: those it uses, those it makes, in the order of the node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Spelling {
    pub(crate) uses: Vec<EncodingId>,
    pub(crate) defs: Vec<EncodingId>,
}

/// A way to lay out a node: layouts, and the encodings that spell them.
#[derive(Clone, Debug)]
pub(crate) struct Mode {
    pub(crate) uses: Vec<LayoutId>,
    pub(crate) defs: Vec<LayoutId>,
    /// At least one; the first is the one that came up first.
    pub(crate) spellings: Vec<Spelling>,
}

/// The place of a tensor at a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Use(usize),
    Def(usize),
}

/// What is laid out together: the tensors of a node or of a slice.
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
    /// Returns the encodings of all tensors if the one at a place has this one; nothing where none go with it.
    pub(crate) fn spelled(
        &self,
        place: Place,
        encoding: EncodingId,
        number: &mut impl FnMut(Encoding) -> EncodingId,
        get: &impl Fn(EncodingId) -> Arc<Encoding>,
    ) -> Option<Spelling> {
        let all = || Spelling {
            uses: std::iter::repeat_n(encoding, self.uses.len()).collect(),
            defs: std::iter::repeat_n(encoding, self.defs.len()).collect(),
        };
        match self.role {
            Role::Fixed | Role::Conversion | Role::End => None,
            Role::Source
            | Role::Elementwise
            | Role::Scan
            | Role::Access { .. }
            | Role::Buffer { .. }
            | Role::Check
            | Role::Loop
            | Role::Choice => Some(all()),
            // Of a row, a scalar is left.
            Role::Reduction if self.defs.is_empty() => Some(all()),
            Role::View | Role::Reduction => {
                let result = match place {
                    Place::Def(_) => encoding,
                    Place::Use(i) => {
                        let made = infer::result_encoding(self.op, self.uses[i].at, &get(encoding));
                        number(made.ok()?)
                    }
                };
                let of_result = get(result);
                let uses = self.uses.iter().map(|used| match place {
                    // Operands of one operation are of one type.
                    Place::Use(_) => Some(encoding),
                    Place::Def(_) => {
                        let asked = infer::operand_encoding(self.op, used.at, &of_result);
                        Some(number(asked.ok()?))
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
    /// Returns how a node or slice is spelled if the tensor at a place has an encoding.
    pub(crate) fn spelled(
        &mut self,
        of: Of,
        place: Place,
        encoding: EncodingId,
    ) -> Option<(Spelling, Mode)> {
        let tensors = match of {
            Of::Node(node) => self.nodes[node].tensors(),
            Of::Slice(slice) => self.slices[slice].tensors(),
        };
        let catalogue = std::cell::RefCell::new(&mut self.catalogue);
        let spelling = tensors.spelled(
            place,
            encoding,
            &mut |made| catalogue.borrow_mut().encoding(Arc::new(made)),
            &|known| Arc::clone(catalogue.borrow().get(known)),
        )?;
        // Few operations take swizzled warps.
        let encodings = spelling.uses.iter().chain(&spelling.defs);
        let mut all = encodings.copied();
        if all.any(|encoding| self.catalogue.is_generic(encoding)) {
            return None;
        }
        let mode = self.mode(of, spelling.clone())?;
        Some((spelling, mode))
    }

    /// Returns how a node or slice is spelled now.
    pub(crate) fn present(&self, of: Of) -> Spelling {
        let tensors = match of {
            Of::Node(node) => self.nodes[node].tensors(),
            Of::Slice(slice) => self.slices[slice].tensors(),
        };
        let defs = tensors.defs.iter();
        Spelling {
            uses: tensors.uses.iter().map(|used| used.present).collect(),
            defs: defs.map(|datum| self.datums[*datum].present).collect(),
        }
    }

    /// Returns the layouts of a spelling, where there are some.
    pub(crate) fn mode(&mut self, of: Of, spelling: Spelling) -> Option<Mode> {
        let tensors = match of {
            Of::Node(node) => self.nodes[node].tensors(),
            Of::Slice(slice) => self.slices[slice].tensors(),
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

/// A node or a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Of {
    Node(NodeId),
    Slice(SliceId),
}

/// No node has more modes than this; it takes a cycle of views to reach it.
const MOST_MODES: usize = 64;
/// Nor a mode more spellings.
const MOST_SPELLINGS: usize = 4;

struct Carrying<'k, 'c> {
    kernel: &'k mut Kernel<'c>,
    users: Vec<Vec<(NodeId, usize)>>,
    modes: Vec<Vec<Mode>>,
    known: Vec<FxHashMap<Spelling, usize>>,
    is_open: Vec<bool>,
    queue: VecDeque<(NodeId, Spelling)>,
}

/// Finds the modes of all nodes: the present one, which is the first, and those that are offered are carried to all others
/// along values, both ways. The modes of a second run are among them.
pub(super) fn candidates(
    kernel: &mut Kernel<'_>,
    is_pinned: &[bool],
    offered: &Offered,
) -> Vec<Vec<Mode>> {
    let mut users = vec![Vec::new(); kernel.datums.len()];
    for (node, of) in kernel.nodes.iter().enumerate() {
        for (i, used) in of.uses.iter().enumerate() {
            users[used.datum].push((node, i));
        }
    }
    let count = kernel.nodes.len();
    let mut carrying = Carrying {
        users,
        modes: vec![Vec::new(); count],
        known: vec![FxHashMap::default(); count],
        is_open: is_pinned.iter().map(|pinned| !pinned).collect(),
        queue: VecDeque::new(),
        kernel,
    };
    let mut roots = Vec::new();
    for node in 0..count {
        let present = carrying.kernel.present(Of::Node(node));
        let modes = match offered.modes.get(&node) {
            Some(modes) => modes.clone(),
            None => {
                let mode = carrying.kernel.mode(Of::Node(node), present);
                vec![mode.expect("what is read has layouts")]
            }
        };
        for (i, mode) in modes.iter().enumerate() {
            let spelling = mode.spellings[0].clone();
            carrying.known[node].insert(spelling.clone(), i);
            roots.push((node, spelling));
        }
        carrying.modes[node] = modes;
    }
    carrying.queue.extend(roots);
    carrying.carry();
    carrying.modes
}

impl Carrying<'_, '_> {
    fn carry(&mut self) {
        while let Some((node, spelling)) = self.queue.pop_front() {
            for i in 0..self.kernel.nodes[node].uses.len() {
                let datum = self.kernel.nodes[node].uses[i].datum;
                if let super::kernel::Maker::Node(maker, def) = self.kernel.datums[datum].maker {
                    self.offer(maker, Place::Def(def), spelling.uses[i]);
                }
            }
            for i in 0..self.kernel.nodes[node].defs.len() {
                let datum = self.kernel.nodes[node].defs[i];
                for (user, at) in self.users[datum].clone() {
                    self.offer(user, Place::Use(at), spelling.defs[i]);
                }
            }
        }
    }

    /// Lets a node know of an encoding at one of its tensors.
    fn offer(&mut self, node: NodeId, place: Place, encoding: EncodingId) {
        if !self.is_open[node] {
            return;
        }
        let Some((spelling, mode)) = self.kernel.spelled(Of::Node(node), place, encoding) else {
            return;
        };
        if self.known[node].contains_key(&spelling) {
            return;
        }
        let modes = &mut self.modes[node];
        let same = |known: &Mode| known.uses == mode.uses && known.defs == mode.defs;
        let at = match modes.iter().position(same) {
            Some(at) if modes[at].spellings.len() < MOST_SPELLINGS => {
                modes[at].spellings.push(spelling.clone());
                at
            }
            None if modes.len() < MOST_MODES => {
                modes.push(mode);
                modes.len() - 1
            }
            _ => return,
        };
        self.known[node].insert(spelling.clone(), at);
        self.queue.push_back((node, spelling));
    }
}
