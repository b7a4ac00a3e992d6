//! A function as values that have layouts: who makes them, who uses them, how often.
//!
//! ```text
//! %x = tt.load ..                     node 0 makes datum 0
//! %y = ttg.convert_layout %x          another name of datum 0
//! %k = arith.constant dense<..>       a slice makes datum 1: it can be made again in any layout
//! %z = arith.addf %y, %k              node 1 uses datums 0 and 1, makes datum 2
//! ```
//! A `ttg.convert_layout` is no operation here. What a loop carries (initial value, argument, yielded value,
//! result) has one layout: it is one node. So have the values that the branches of an `scf.if` yield, and its result.

use super::layouts::{Catalogue, EncodingId, ShapeId};
use super::roles::{self, Role};
use crate::analysis::axis::AxisFacts;
use crate::ir::ops::{scf, ttg};
use crate::ir::{Layouts, TensorType, element_bits};
use crate::sys::build::{self, Blk, Op, Val};
use crate::sys::value_id;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, ValueLike};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The number of a [`Datum`].
pub(crate) type DatumId = usize;
/// The number of a [`Node`].
pub(crate) type NodeId = usize;
/// The number of a [`Slice`].
pub(crate) type SliceId = usize;

/// A value with a layout, under all the names that conversions give it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Datum<'c> {
    /// Its first name.
    pub(crate) value: Val<'c>,
    pub(crate) shape: ShapeId,
    /// The encoding that its first name has.
    pub(crate) present: EncodingId,
    pub(crate) element_bits: u32,
    /// How often the block runs that it is made in.
    pub(crate) weight: u64,
    pub(crate) maker: Maker,
}

/// What makes a datum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Maker {
    /// A node, as its definition of this number.
    Node(NodeId, usize),
    /// An operation that may be repeated, as its result of this number.
    Slice(SliceId, usize),
}

/// An operand that asks for a layout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) at: usize,
    pub(crate) datum: DatumId,
    /// The encoding that it has.
    pub(crate) present: EncodingId,
}

/// What decides on layouts together.
#[derive(Clone, Debug)]
pub(crate) struct Node<'c> {
    /// The operation; of values that control flow hands on, the loop or branch.
    pub(crate) op: Op<'c>,
    pub(crate) role: Role,
    /// How often it runs.
    pub(crate) weight: u64,
    pub(crate) uses: Vec<Use<'c>>,
    pub(crate) defs: Vec<DatumId>,
}

/// An operation that is done again wherever its result is wanted in another layout.
#[derive(Clone, Debug)]
pub(crate) struct Slice<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) role: Role,
    pub(crate) weight: u64,
    pub(crate) uses: Vec<Use<'c>>,
    pub(crate) defs: Vec<DatumId>,
}

/// A conversion that stands in the function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conversion<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) datum: DatumId,
    pub(crate) from: EncodingId,
    pub(crate) to: EncodingId,
    /// How often it runs.
    pub(crate) weight: u64,
}

/// A function, read.
pub(crate) struct Kernel<'c> {
    pub(crate) function: Op<'c>,
    pub(crate) axis: Rc<AxisFacts>,
    pub(crate) catalogue: Catalogue<'c>,
    pub(crate) datums: Vec<Datum<'c>>,
    pub(crate) nodes: Vec<Node<'c>>,
    pub(crate) slices: Vec<Slice<'c>>,
    pub(crate) conversions: Vec<Conversion<'c>>,
    names: FxHashMap<usize, DatumId>,
}

/// How much more a loop's body counts than what is around it, and the most that anything counts.
const MOST_WEIGHT: u64 = 1 << 24;

/// Reads a function; operations without an effect whose results nothing uses are to be gone.
pub(crate) fn read<'c>(function: Op<'c>, loop_weight: u64, axis: Rc<AxisFacts>) -> Kernel<'c> {
    let mut reader = Reader {
        cache: Layouts::of(function.context()),
        loop_weight,
        kernel: Kernel {
            function,
            axis,
            catalogue: Catalogue::new(),
            datums: Vec::new(),
            nodes: Vec::new(),
            slices: Vec::new(),
            conversions: Vec::new(),
            names: FxHashMap::default(),
        },
        groups: Vec::new(),
        pending: Vec::new(),
    };
    for region in 0..function.region_count() {
        for block in build::blocks(function, region) {
            reader.given(function, block, 1);
            reader.block(block, 1);
        }
    }
    reader.finish();
    reader.kernel
}

impl<'c> Kernel<'c> {
    /// Returns the datum that a value is a name of.
    pub(crate) fn datum(&self, value: Val<'c>) -> Option<DatumId> {
        self.names.get(&value_id(value)).copied()
    }
}

/// Values that have one layout, and whose users and makers are known when all is read.
struct Group<'c> {
    node: NodeId,
    /// Operands: operation and number.
    uses: Vec<(Op<'c>, usize)>,
}

struct Reader<'c> {
    cache: &'c Layouts,
    loop_weight: u64,
    kernel: Kernel<'c>,
    groups: Vec<Group<'c>>,
    /// Nodes whose operands may be made further down: those that branch to other blocks.
    pending: Vec<(NodeId, Op<'c>)>,
}

impl<'c> Reader<'c> {
    fn tensor(&mut self, value: Val<'c>) -> Option<(EncodingId, ShapeId, u32)> {
        let tensor = TensorType::of(value.r#type())?;
        let (encoding, shape) = self.kernel.catalogue.tensor(self.cache, &tensor)?;
        Some((encoding, shape, element_bits(tensor.element).unwrap_or(32)))
    }

    /// Takes a value in, if it has a layout.
    fn define(&mut self, value: Val<'c>, weight: u64, maker: Maker) -> Option<DatumId> {
        let (present, shape, element_bits) = self.tensor(value)?;
        let id = self.kernel.datums.len();
        self.kernel.datums.push(Datum {
            value,
            shape,
            present,
            element_bits,
            weight,
            maker,
        });
        self.kernel.names.insert(value_id(value), id);
        Some(id)
    }

    fn use_of(&mut self, op: Op<'c>, at: usize) -> Option<Use<'c>> {
        let value = build::operand(op, at);
        let datum = self.kernel.datum(value)?;
        let (present, _, _) = self.tensor(value)?;
        Some(Use {
            op,
            at,
            datum,
            present,
        })
    }

    /// The arguments of a block that nothing is known of keep their layouts.
    fn given(&mut self, op: Op<'c>, block: Blk<'c>, weight: u64) {
        for i in 0..block.argument_count() {
            self.alone(op, build::argument(block, i), weight);
        }
    }

    fn alone(&mut self, op: Op<'c>, value: Val<'c>, weight: u64) {
        let node = self.kernel.nodes.len();
        if let Some(datum) = self.define(value, weight, Maker::Node(node, 0)) {
            self.kernel.nodes.push(Node {
                op,
                role: Role::Fixed,
                weight,
                uses: Vec::new(),
                defs: vec![datum],
            });
        }
    }

    fn block(&mut self, block: Blk<'c>, weight: u64) {
        for op in build::operations(block) {
            match Role::of(op) {
                Role::Conversion => self.conversion(op, weight),
                Role::Loop => self.looped(op, weight),
                Role::Choice => self.choice(op, weight),
                // Handed on by what is around it, or by nobody who has a layout.
                Role::End => {}
                role if roles::has_tensors(op) => self.operation(op, role, weight),
                role => self.regions(op, role, weight),
            }
        }
    }

    /// What lies in an operation that is no control flow runs as often as it does, as far as is known.
    fn regions(&mut self, op: Op<'c>, role: Role, weight: u64) {
        // What is combined has no layout of its own.
        if matches!(role, Role::Reduction | Role::Scan | Role::Elementwise) {
            return;
        }
        for region in 0..op.region_count() {
            for block in build::blocks(op, region) {
                self.given(op, block, weight);
                self.block(block, weight);
                // An end of a kind that control flow has, in something else.
                let end = build::operations(block).pop();
                if let Some(end) = end.filter(|end| Role::of(*end) == Role::End) {
                    self.operation(end, Role::Fixed, weight);
                }
            }
        }
    }

    fn conversion(&mut self, op: Op<'c>, weight: u64) {
        let Some(cvt) = ttg::ConvertLayout::of(op) else {
            return;
        };
        let (src, result) = (cvt.src(), cvt.result());
        let found = (
            self.kernel.datum(src),
            self.tensor(src),
            self.tensor(result),
        );
        let (Some(datum), Some((from, ..)), Some((to, ..))) = found else {
            return self.operation(op, Role::Fixed, weight);
        };
        self.kernel.names.insert(value_id(result), datum);
        self.kernel.conversions.push(Conversion {
            op,
            datum,
            from,
            to,
            weight,
        });
    }

    fn operation(&mut self, op: Op<'c>, role: Role, weight: u64) {
        let uses: Vec<Use<'c>> = (0..op.operand_count())
            .filter_map(|at| self.use_of(op, at))
            .collect();
        let is_slice = role.is_repeatable()
            && uses.iter().all(|used| {
                let maker = self.kernel.datums[used.datum].maker;
                matches!(maker, Maker::Slice(..))
            });
        let number = if is_slice {
            self.kernel.slices.len()
        } else {
            self.kernel.nodes.len()
        };
        let mut defs = Vec::new();
        for i in 0..op.result_count() {
            let maker = if is_slice {
                Maker::Slice(number, defs.len())
            } else {
                Maker::Node(number, defs.len())
            };
            defs.extend(self.define(build::result(op, i), weight, maker));
        }
        if is_slice {
            self.kernel.slices.push(Slice {
                op,
                role,
                weight,
                uses,
                defs,
            });
        } else {
            if uses.len() < self.tensors_among_operands(op) {
                self.pending.push((number, op));
            }
            self.kernel.nodes.push(Node {
                op,
                role,
                weight,
                uses,
                defs,
            });
            self.regions(op, role, weight);
        }
    }

    fn tensors_among_operands(&mut self, op: Op<'c>) -> usize {
        (0..op.operand_count())
            .filter(|at| self.tensor(build::operand(op, *at)).is_some())
            .count()
    }

    /// Values of one layout that control flow hands on: what comes out of it, and the operands that go in.
    fn group(
        &mut self,
        (op, role, weight): (Op<'c>, Role, u64),
        values: &[(Val<'c>, u64)],
        uses: Vec<(Op<'c>, usize)>,
    ) {
        let node = self.kernel.nodes.len();
        let mut defs = Vec::new();
        for (value, weight) in values {
            defs.extend(self.define(*value, *weight, Maker::Node(node, defs.len())));
        }
        if defs.is_empty() {
            return;
        }
        self.kernel.nodes.push(Node {
            op,
            role,
            weight,
            uses: Vec::new(),
            defs,
        });
        self.groups.push(Group { node, uses });
    }

    fn looped(&mut self, op: Op<'c>, weight: u64) {
        let within = (weight.saturating_mul(self.loop_weight)).min(MOST_WEIGHT);
        let what = (op, Role::Loop, weight);
        if scf::For::of(op).is_some() {
            let Some(body) = build::single_block(op, 0) else {
                return self.operation(op, Role::Fixed, weight);
            };
            let end = build::operations(body).pop();
            let carried = op.result_count();
            let first = op.operand_count() - carried;
            for i in 0..carried {
                let values = [
                    (build::argument(body, i + 1), within),
                    (build::result(op, i), weight),
                ];
                let uses = [Some((op, first + i)), end.map(|end| (end, i))];
                self.group(what, &values, uses.into_iter().flatten().collect());
            }
            return self.block(body, within);
        }
        let blocks = (build::single_block(op, 0), build::single_block(op, 1));
        let (Some(before), Some(after)) = blocks else {
            return self.operation(op, Role::Fixed, weight);
        };
        let ends = [before, after].map(|block| build::operations(block).pop());
        for i in 0..before.argument_count() {
            let values = [(build::argument(before, i), within)];
            let uses = [Some((op, i)), ends[1].map(|end| (end, i))];
            self.group(what, &values, uses.into_iter().flatten().collect());
        }
        for i in 0..after.argument_count() {
            let values = [
                (build::argument(after, i), within),
                (build::result(op, i), weight),
            ];
            // The first operand of the condition says whether the loop goes on.
            let uses = ends[0].map(|end| (end, i + 1));
            self.group(what, &values, uses.into_iter().collect());
        }
        self.block(before, within);
        self.block(after, within);
    }

    fn choice(&mut self, op: Op<'c>, weight: u64) {
        let blocks: Vec<Blk<'c>> = (0..op.region_count())
            .flat_map(|region| build::blocks(op, region))
            .collect();
        for i in 0..op.result_count() {
            let ends = blocks.iter().filter_map(|block| {
                let end = build::operations(*block).pop()?;
                (Role::of(end) == Role::End && i < end.operand_count()).then_some((end, i))
            });
            let uses = ends.collect();
            self.group(
                (op, Role::Choice, weight),
                &[(build::result(op, i), weight)],
                uses,
            );
        }
        for block in blocks {
            self.given(op, block, weight);
            self.block(block, weight);
        }
    }

    /// Finds what groups use, now that all that is made is known.
    fn finish(&mut self) {
        for group in std::mem::take(&mut self.groups) {
            let uses: Vec<Use<'c>> = group
                .uses
                .iter()
                .filter_map(|(op, at)| self.use_of(*op, *at))
                .collect();
            let node = &mut self.kernel.nodes[group.node];
            if uses.len() != group.uses.len() {
                // Something goes in that is not known: all stays as it is.
                node.role = Role::Fixed;
            }
            node.uses = uses;
        }
        for (node, op) in std::mem::take(&mut self.pending) {
            let uses = (0..op.operand_count())
                .filter_map(|at| self.use_of(op, at))
                .collect();
            let node = &mut self.kernel.nodes[node];
            node.uses = uses;
            node.role = Role::Fixed;
        }
    }
}
