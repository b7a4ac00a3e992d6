//! A function as values with layouts, with producers, users and estimated execution counts.
//!
//! ```text
//! %x = tt.load ..                     node 0 defines datum 0
//! %y = ttg.convert_layout %x          an alias of datum 0
//! %k = arith.constant dense<..>       a slice defines datum 1, rematerialisable in any layout
//! %z = arith.addf %y, %k              node 1 uses datums 0 and 1, defines datum 2
//! ```
//! A `ttg.convert_layout` is not a node. All occurrences of a loop-carried value (initial value, argument, yielded
//! value, result) share one layout and one node. So do the yielded values and the result of an `scf.if`.

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

pub(crate) type DatumId = usize;
pub(crate) type NodeId = usize;
pub(crate) type SliceId = usize;

/// A value, together with all values that chains of `ttg.convert_layout` compute from it. The assignment treats
/// them as one value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConvertedValue<'c> {
    /// The value from which the chains of conversions start.
    pub(crate) value: Val<'c>,
    pub(crate) shape: ShapeId,
    /// The encoding of `value` in the original function.
    pub(crate) present: EncodingId,
    pub(crate) element_bits: u32,
    /// True if a later pass prefetches the value to shared memory, from which it can be read in any layout.
    pub(crate) is_prefetched: bool,
    /// Estimated number of executions of the block that defines the value.
    pub(crate) weight: u64,
    pub(crate) producer: Producer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Producer {
    /// The value is computed by a node. The second field is its index in [`Node::defs`].
    Node(NodeId, usize),
    /// The value is computed by a rematerialisable operation. The second field is its index in [`Slice::defs`].
    Slice(SliceId, usize),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Use<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) at: usize,
    pub(crate) datum: DatumId,
    /// The encoding of the operand in the original function.
    pub(crate) present: EncodingId,
}

/// Tensors whose layouts are chosen together.
#[derive(Clone, Debug)]
pub(crate) struct Node<'c> {
    /// The operation that uses and defines the tensors. For loop-carried and yielded values, this is the loop or
    /// conditional.
    pub(crate) op: Op<'c>,
    pub(crate) role: Role,
    /// Estimated number of executions of the operation.
    pub(crate) weight: u64,
    pub(crate) uses: Vec<Use<'c>>,
    pub(crate) defs: Vec<DatumId>,
}

/// An operation that can be rematerialised in each required layout.
#[derive(Clone, Debug)]
pub(crate) struct Slice<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) role: Role,
    pub(crate) weight: u64,
    pub(crate) uses: Vec<Use<'c>>,
    pub(crate) defs: Vec<DatumId>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ExistingConversion<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) datum: DatumId,
    pub(crate) from: EncodingId,
    pub(crate) to: EncodingId,
    /// Estimated number of executions of the conversion.
    pub(crate) weight: u64,
}

/// A function, represented as a layout assignment problem.
pub(crate) struct Kernel<'c> {
    pub(crate) function: Op<'c>,
    pub(crate) axis: Rc<AxisFacts>,
    pub(crate) catalogue: Catalogue<'c>,
    pub(crate) datums: Vec<ConvertedValue<'c>>,
    pub(crate) nodes: Vec<Node<'c>>,
    pub(crate) slices: Vec<Slice<'c>>,
    pub(crate) conversions: Vec<ExistingConversion<'c>>,
    names: FxHashMap<usize, DatumId>,
}

/// Maximum of the estimated number of executions.
const MAX_WEIGHT: u64 = 1 << 24;

/// Builds the layout assignment problem of a function from which dead operations have been removed.
pub(crate) fn read<'c>(function: Op<'c>, loop_weight: u64, axis: Rc<AxisFacts>) -> Kernel<'c> {
    let mut builder = KernelBuilder {
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
            builder.pinned_arguments(function, block, 1);
            builder.block(block, 1);
        }
    }
    builder.finish();
    builder.kernel
}

impl<'c> Kernel<'c> {
    /// Marks `value` as a value that a later pass prefetches to shared memory.
    pub(crate) fn set_prefetched(&mut self, value: Val<'c>) {
        if let Some(datum) = self.datum(value) {
            self.datums[datum].is_prefetched = true;
        }
    }

    pub(crate) fn datum(&self, value: Val<'c>) -> Option<DatumId> {
        self.names.get(&value_id(value)).copied()
    }
}

/// A node that represents a loop-carried or yielded value, together with the operands that become its uses. The
/// uses are added to the node after all blocks have been read.
struct CarriedGroup<'c> {
    node: NodeId,
    uses: Vec<(Op<'c>, usize)>,
}

struct KernelBuilder<'c> {
    cache: &'c Layouts,
    loop_weight: u64,
    kernel: Kernel<'c>,
    groups: Vec<CarriedGroup<'c>>,
    /// Nodes whose operands are defined in later blocks.
    pending: Vec<(NodeId, Op<'c>)>,
}

impl<'c> KernelBuilder<'c> {
    fn tensor(&mut self, value: Val<'c>) -> Option<(EncodingId, ShapeId, u32)> {
        let tensor = TensorType::of(value.r#type())?;
        let (encoding, shape) = self.kernel.catalogue.tensor(self.cache, &tensor)?;
        Some((encoding, shape, element_bits(tensor.element).unwrap_or(32)))
    }

    /// Adds a datum, or returns `None` if the value has no layout.
    fn define(&mut self, value: Val<'c>, weight: u64, producer: Producer) -> Option<DatumId> {
        let (present, shape, element_bits) = self.tensor(value)?;
        let id = self.kernel.datums.len();
        self.kernel.datums.push(ConvertedValue {
            value,
            shape,
            present,
            element_bits,
            is_prefetched: false,
            weight,
            producer,
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

    fn pinned_arguments(&mut self, op: Op<'c>, block: Blk<'c>, weight: u64) {
        for i in 0..block.argument_count() {
            self.pinned_value(op, build::argument(block, i), weight);
        }
    }

    fn pinned_value(&mut self, op: Op<'c>, value: Val<'c>, weight: u64) {
        let node = self.kernel.nodes.len();
        if let Some(datum) = self.define(value, weight, Producer::Node(node, 0)) {
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
                Role::Loop => self.loop_(op, weight),
                Role::Conditional => self.conditional(op, weight),
                // Its operands belong to the node of the loop or branch.
                Role::Terminator => {}
                role if roles::has_tensors(op) => self.operation(op, role, weight),
                role => self.regions(op, role, weight),
            }
        }
    }

    /// Adds the regions of an operation that is neither a loop nor a branch. Assumes that each region is executed
    /// once per execution of the operation.
    fn regions(&mut self, op: Op<'c>, role: Role, weight: u64) {
        // The regions compute on scalars.
        if matches!(role, Role::Reduction | Role::Scan | Role::Elementwise) {
            return;
        }
        for region in 0..op.region_count() {
            for block in build::blocks(op, region) {
                self.pinned_arguments(op, block, weight);
                self.block(block, weight);
                // A terminator of `scf` in a region of another operation.
                let end = build::operations(block).pop();
                if let Some(end) = end.filter(|end| Role::of(*end) == Role::Terminator) {
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
        self.kernel.conversions.push(ExistingConversion {
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
                let producer = self.kernel.datums[used.datum].producer;
                matches!(producer, Producer::Slice(..))
            });
        let number = if is_slice {
            self.kernel.slices.len()
        } else {
            self.kernel.nodes.len()
        };
        let mut defs = Vec::new();
        for i in 0..op.result_count() {
            let producer = if is_slice {
                Producer::Slice(number, defs.len())
            } else {
                Producer::Node(number, defs.len())
            };
            defs.extend(self.define(build::result(op, i), weight, producer));
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

    /// Adds a node that represents one loop-carried or yielded value.
    ///
    /// `values` are the block arguments and results through which the value is passed on. `uses` are the operands
    /// from which it is passed: the initial value of a loop, and the operands of terminators.
    fn group(
        &mut self,
        (op, role, weight): (Op<'c>, Role, u64),
        values: &[(Val<'c>, u64)],
        uses: Vec<(Op<'c>, usize)>,
    ) {
        let node = self.kernel.nodes.len();
        let mut defs = Vec::new();
        for (value, weight) in values {
            defs.extend(self.define(*value, *weight, Producer::Node(node, defs.len())));
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
        self.groups.push(CarriedGroup { node, uses });
    }

    fn loop_(&mut self, op: Op<'c>, weight: u64) {
        let within = (weight.saturating_mul(self.loop_weight)).min(MAX_WEIGHT);
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
            // The first operand of the terminator is the condition.
            let uses = ends[0].map(|end| (end, i + 1));
            self.group(what, &values, uses.into_iter().collect());
        }
        self.block(before, within);
        self.block(after, within);
    }

    fn conditional(&mut self, op: Op<'c>, weight: u64) {
        let blocks: Vec<Blk<'c>> = (0..op.region_count())
            .flat_map(|region| build::blocks(op, region))
            .collect();
        for i in 0..op.result_count() {
            let ends = blocks.iter().filter_map(|block| {
                let end = build::operations(*block).pop()?;
                (Role::of(end) == Role::Terminator && i < end.operand_count()).then_some((end, i))
            });
            let uses = ends.collect();
            self.group(
                (op, Role::Conditional, weight),
                &[(build::result(op, i), weight)],
                uses,
            );
        }
        for block in blocks {
            self.pinned_arguments(op, block, weight);
            self.block(block, weight);
        }
    }

    fn finish(&mut self) {
        for group in std::mem::take(&mut self.groups) {
            let uses: Vec<Use<'c>> = group
                .uses
                .iter()
                .filter_map(|(op, at)| self.use_of(*op, *at))
                .collect();
            let node = &mut self.kernel.nodes[group.node];
            if uses.len() != group.uses.len() {
                // An incoming value is unknown.
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
