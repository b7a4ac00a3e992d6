//! Constraints between open encodings: equivalence classes of values, and inference edges between classes.

use crate::ir::infer::{self, Dependence};
use crate::ir::ops::{scf, tt, ttg};
use crate::ir::{AnyKind, OpKind, OpView, TensorType, UpstreamKind};
use crate::sys::build::{self, Blk, Op, Val, block_arguments, terminator_operands};
use crate::sys::{self, OpenLayout, Text, symbol_name, value_id};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;

/// Index of an equivalence class of values. All values of a class have the same encoding.
pub(crate) type Class = usize;

/// A constraint between two classes. The encoding of operand `at` of `op` implies the encoding of the results, and
/// vice versa.
#[derive(Clone, Copy, Debug)]
pub(super) struct InferenceEdge<'c> {
    pub(super) op: Op<'c>,
    pub(super) at: usize,
    pub(super) operand: Class,
    pub(super) result: Class,
    pub(super) how: Dependence,
}

/// A layout conversion whose operand or result has an [`OpenLayout`], a placeholder for a layout that is inferred
/// later.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenConversion<'c> {
    pub(super) op: Op<'c>,
    pub(super) from: Val<'c>,
    pub(super) to: Val<'c>,
}

/// All values whose encoding is the same kind of [`OpenLayout`], and the constraints between the encodings that
/// will replace this placeholder. A union-find forest holds the classes of values that get equal encodings.
pub(crate) struct Constraints<'c> {
    /// The values with an open layout, in program order.
    pub(crate) values: Vec<Val<'c>>,
    pub(super) links: Vec<InferenceEdge<'c>>,
    pub(super) conversions: Vec<OpenConversion<'c>>,
    numbers: FxHashMap<usize, usize>,
    parents: Vec<usize>,
    kind: OpenLayout,
}

impl<'c> Constraints<'c> {
    pub(crate) fn of(module: Op<'c>, kind: OpenLayout) -> Self {
        let mut constraints = Self {
            values: Vec::new(),
            links: Vec::new(),
            conversions: Vec::new(),
            numbers: FxHashMap::default(),
            parents: Vec::new(),
            kind,
        };
        let mut operations = Vec::new();
        constraints.define(module, &mut operations);
        if constraints.values.is_empty() {
            return constraints;
        }
        let functions: FxHashMap<Text<'c>, Op<'c>> = operations
            .iter()
            .filter_map(|op| tt::Func::of(*op))
            .map(|function| (function.sym_name(), function.op()))
            .collect();
        for op in &operations {
            constraints.control(*op, &functions);
            constraints.operands(*op);
        }
        for op in operations {
            constraints.link(op);
        }
        constraints
    }

    fn define(&mut self, op: Op<'c>, operations: &mut Vec<Op<'c>>) {
        operations.push(op);
        for value in build::results(op) {
            self.number(value);
        }
        for block in (0..op.region_count()).flat_map(|i| build::blocks(op, i)) {
            for value in block_arguments(block) {
                self.number(value);
            }
            for inner in build::operations(block) {
                self.define(inner, operations);
            }
        }
    }

    fn number(&mut self, value: Val<'c>) {
        if open_layout_of(value) == Some(self.kind) {
            let number = self.values.len();
            self.values.push(value);
            self.parents.push(number);
            self.numbers.insert(value_id(value), number);
        }
    }

    /// Returns the class of a value, or `None` if the value does not have an open layout of this kind.
    pub(crate) fn class(&self, value: Val<'c>) -> Option<Class> {
        let mut number = *self.numbers.get(&value_id(value))?;
        while self.parents[number] != number {
            number = self.parents[number];
        }
        Some(number)
    }

    /// Returns the class of `values[number]`.
    pub(crate) fn class_of(&self, number: usize) -> Class {
        let mut number = number;
        while self.parents[number] != number {
            number = self.parents[number];
        }
        number
    }

    fn unify(&mut self, a: Val<'c>, b: Val<'c>) {
        if let (Some(a), Some(b)) = (self.class(a), self.class(b)) {
            // The first value is the root, so that diagnostics are in program order.
            self.parents[a.max(b)] = a.min(b);
        }
    }

    fn unify_all(&mut self, values: &[Val<'c>]) {
        let open: Vec<Val<'c>> = values
            .iter()
            .copied()
            .filter(|value| self.class(*value).is_some())
            .collect();
        for pair in open.windows(2) {
            self.unify(pair[0], pair[1]);
        }
    }

    fn unify_each(&mut self, a: &[Val<'c>], b: &[Val<'c>]) {
        for (a, b) in a.iter().zip(b) {
            self.unify(*a, *b);
        }
    }

    /// Unifies the classes of values that control flow passes to each other unchanged, for example a yielded value
    /// and the result of the loop.
    fn control(&mut self, op: Op<'c>, functions: &FxHashMap<Text<'c>, Op<'c>>) {
        use UpstreamKind as U;
        match AnyKind::of(op) {
            AnyKind::Upstream(U::ScfFor) => {
                let (Some(view), Some(body)) = (scf::For::of(op), single(op)) else {
                    return;
                };
                let taken = block_arguments(body);
                // The first argument is the induction variable.
                let taken = taken.get(1..).unwrap_or_default();
                self.unify_each(&view.init_args(), taken);
                self.unify_each(taken, &terminator_operands(body));
                self.unify_each(taken, &build::results(op));
            }
            AnyKind::Upstream(U::ScfWhile) => {
                let blocks: Vec<Blk<'c>> = (0..op.region_count())
                    .filter_map(|i| build::single_block(op, i))
                    .collect();
                let (Some(view), [before, after]) = (scf::While::of(op), &blocks[..]) else {
                    return;
                };
                let taken = block_arguments(*before);
                self.unify_each(&view.inits(), &taken);
                self.unify_each(&taken, &terminator_operands(*after));
                let end = build::operations(*before).pop();
                if let Some(end) = end.and_then(scf::Condition::of) {
                    self.unify_each(&end.args(), &block_arguments(*after));
                    self.unify_each(&end.args(), &build::results(op));
                }
            }
            AnyKind::Upstream(U::ScfIf | U::ScfIndexSwitch | U::ScfExecuteRegion)
            | AnyKind::Own(OpKind::TtgMask | OpKind::TtgWarpSpecialize) => {
                let results = build::results(op);
                for block in (0..op.region_count()).flat_map(|i| build::blocks(op, i)) {
                    let end = build::operations(block).pop();
                    let is_yield = end.is_some_and(|end| {
                        U::ScfYield.is(end)
                            || OpKind::TtgMaskReturn.is(end)
                            || OpKind::TtgWarpYield.is(end)
                    });
                    if is_yield {
                        self.unify_each(&terminator_operands(block), &results);
                    }
                }
            }
            AnyKind::Own(OpKind::TtgWarpSpecializePartitions) => {
                let Some(view) = ttg::WarpSpecializePartitions::of(op) else {
                    return;
                };
                for block in
                    (0..op.region_count()).flat_map(|i| build::blocks(op, i).into_iter().take(1))
                {
                    self.unify_each(&view.explicit_captures(), &block_arguments(block));
                }
            }
            AnyKind::Upstream(U::CfBranch | U::CfCondBranch | U::CfSwitch) => {
                // Block arguments are the last operands.
                let targets = build::successors(op);
                let taken: Vec<Vec<Val<'c>>> = targets.into_iter().map(block_arguments).collect();
                let operands = build::operands(op);
                let passed: usize = taken.iter().map(Vec::len).sum();
                let mut rest = &operands[operands.len().saturating_sub(passed)..];
                for taken in &taken {
                    let (own, others) = rest.split_at(taken.len().min(rest.len()));
                    self.unify_each(own, taken);
                    rest = others;
                }
            }
            AnyKind::Own(OpKind::TtCall) => {
                let name = tt::Call::of(op).and_then(|call| symbol_name(call.callee()));
                let callee = name.and_then(|name| functions.get(&name).copied());
                let Some(callee) = callee.and_then(tt::Func::of) else {
                    return;
                };
                let blocks = build::blocks_of(callee.body());
                if let Some(entry) = blocks.first() {
                    self.unify_each(&build::operands(op), &block_arguments(*entry));
                }
                for block in blocks {
                    let end = build::operations(block).pop();
                    if end.is_some_and(|end| OpKind::TtReturn.is(end)) {
                        self.unify_each(&terminator_operands(block), &build::results(op));
                    }
                }
            }
            _ => {}
        }
    }

    /// Unifies the classes of those operands and results whose encodings must be equal.
    fn operands(&mut self, op: Op<'c>) {
        use OpView as V;
        let values = || [build::operands(op), build::results(op)].concat();
        match OpView::of(op) {
            _ if sys::keeps_encoding(op) => self.unify_all(&values()),
            Some(
                V::TtStore(_)
                | V::TtAtomicStore(_)
                | V::TtLoad(_)
                | V::TtBroadcast(_)
                | V::TtgAsyncCopyGlobalToLocal(_)
                | V::TtgLocalAtomicScatterRMW(_)
                | V::TtgLocalGather(_)
                | V::TtgLocalScatter(_)
                | V::AmdgBufferLoad(_)
                | V::AmdgBufferStore(_)
                | V::AmdgBufferLoadToLocal(_)
                | V::AmdgBufferAtomicCAS(_)
                | V::AmdgBufferAtomicRMW(_),
            ) => self.unify_all(&values()),
            Some(V::TtReduce(_) | V::TtJoin(_) | V::TtCat(_) | V::TtHistogram(_)) => {
                self.unify_all(&build::operands(op));
                self.unify_all(&build::results(op));
            }
            Some(V::TtSplit(_)) => self.unify_all(&build::results(op)),
            _ => {}
        }
    }

    /// Records `op` for the inference of encodings. A layout conversion is added to `conversions`. For any other
    /// operation, its inference edges are added to `links`.
    fn link(&mut self, op: Op<'c>) {
        if let Some(conversion) = ttg::ConvertLayout::of(op) {
            let (from, to) = (conversion.src(), conversion.result());
            if self.class(from).is_some() || self.class(to).is_some() {
                self.conversions.push(OpenConversion { op, from, to });
            }
            return;
        }
        let result = build::results(op)
            .into_iter()
            .find_map(|value| self.class(value));
        let Some(result) = result else {
            return;
        };
        let mut linked = Vec::new();
        for (at, operand) in build::operands(op).into_iter().enumerate() {
            let Some(operand) = self.class(operand) else {
                continue;
            };
            match infer::dependence(op, at) {
                Some(how) if operand != result && !linked.contains(&operand) => {
                    linked.push(operand);
                    self.links.push(InferenceEdge {
                        op,
                        at,
                        operand,
                        result,
                        how,
                    });
                }
                _ => {}
            }
        }
    }
}

/// Returns the kind of open layout that a value has, or `None` if it has no open layout.
pub(crate) fn open_layout_of(value: Val<'_>) -> Option<OpenLayout> {
    let tensor = TensorType::of(value.r#type())?;
    tensor.encoding.and_then(sys::open_layout)
}

fn single<'c>(op: Op<'c>) -> Option<Blk<'c>> {
    (0..op.region_count()).find_map(|i| build::single_block(op, i))
}
