//! Kernels with open layouts, which are inferred from the remaining ones.

use super::kernel::{BufferAccess, Code, Kernel, KernelOp, KernelRegion, KernelType, Value};
use crate::referee::random::Rng;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Encoding attribute of a tensor whose layout is open, that is, left to inference.
const OPEN: &str = "#gluon.auto_encoding";

/// Selects the open tensors whose original layout is nevertheless stated by `gluon.set_auto_layout`. A tensor is
/// open if its layout must be inferred.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GivenLayouts {
    /// All tensors with an open layout.
    All,
    /// A random subset of the tensors with an open layout. The layouts of the subset do not necessarily determine
    /// those of the other tensors.
    Some,
}

/// Returns a copy of `kernel` in which the layouts of some tensors are open, that is, left to inference. `given`
/// selects the open tensors whose original layout is stated nevertheless.
///
/// Tensors that are related by elementwise operations, views, loops or branches form a group; either all tensors of
/// a group are open, or none. Layout conversions separate groups.
pub(crate) fn left_open(kernel: &Kernel, seed: u64, given: GivenLayouts) -> Kernel {
    let mut classes = LayoutClasses {
        parents: (0..kernel.types.len()).collect(),
        fixed: Vec::new(),
        kernel,
    };
    classes.ops(&kernel.body);
    let mut rng = Rng::new(seed);
    let fixed = classes
        .fixed
        .iter()
        .map(|value| (classes.root(*value), false));
    let mut is_open: BTreeMap<usize, bool> = fixed.collect();
    let mut kernel = kernel.clone();
    let mut layouts = HashMap::new();
    for value in 0..kernel.types.len() {
        let root = classes.root(value);
        let is_open = *is_open.entry(root).or_insert_with(|| rng.chance(60));
        if let Some(tensor) = kernel.types[value].tensor.as_mut().filter(|_| is_open) {
            layouts.insert(value, Rc::clone(&tensor.encoding));
            tensor.encoding = OPEN.into();
        }
    }
    let mut insertion = LayoutInsertion {
        types: kernel.types.clone(),
        layouts,
        rng,
        given,
    };
    let mut body = std::mem::take(&mut kernel.body);
    insertion.ops(&mut body);
    kernel.body = body;
    kernel.types = insertion.types;
    kernel
}

/// Equivalence classes of values whose layouts determine each other, stored as a union-find forest.
struct LayoutClasses<'k> {
    parents: Vec<usize>,
    /// Values whose layout is never left open.
    fixed: Vec<Value>,
    kernel: &'k Kernel,
}

impl LayoutClasses<'_> {
    fn root(&self, mut value: Value) -> usize {
        while self.parents[value] != value {
            value = self.parents[value];
        }
        value
    }

    fn join(&mut self, values: &[Value]) {
        let is_tensor = |value: &&Value| self.kernel.types[**value].tensor.is_some();
        let tensors: Vec<Value> = values.iter().filter(is_tensor).copied().collect();
        for pair in tensors.windows(2) {
            let (a, b) = (self.root(pair[0]), self.root(pair[1]));
            self.parents[a.max(b)] = a.min(b);
        }
    }

    fn join_each(&mut self, a: &[Value], b: &[Value]) {
        for (a, b) in a.iter().zip(b) {
            self.join(&[*a, *b]);
        }
    }

    fn ops(&mut self, ops: &[KernelOp]) {
        for op in ops {
            match op.code {
                Code::Convert => {}
                Code::Histogram => self.join(&op.operands),
                Code::Buffer { ref access, .. } => {
                    // The final load has its own layout.
                    let first = match access {
                        BufferAccess::Gather(_) => 0,
                        _ => 1,
                    };
                    let others = op.results.get(first..).unwrap_or_default();
                    self.join(&[&op.operands[1..], others].concat());
                }
                Code::Gather(_) => self.join(&[op.operands[1], op.results[0]]),
                Code::For { .. } => {
                    let body = &op.regions[0];
                    let taken = &body.arguments[1..];
                    self.join_each(&op.operands[3..], taken);
                    self.join_each(taken, yielded(body));
                    self.join_each(taken, &op.results);
                }
                Code::While { .. } => {
                    let (before, after) = (&op.regions[0], &op.regions[1]);
                    self.join_each(&op.operands, &before.arguments);
                    self.join_each(&before.arguments, yielded(after));
                    // The first is the condition of the loop.
                    let passed = &yielded(before)[1..];
                    self.join_each(passed, &after.arguments);
                    self.join_each(passed, &op.results);
                }
                Code::If { .. } | Code::Mask => {
                    for region in &op.regions {
                        self.join_each(yielded(region), &op.results);
                    }
                }
                // The layouts of the factors follow from that of the sum.
                Code::Dot => self.fixed.extend(op.operands.iter().chain(&op.results)),
                _ if op.code.is_end() => {}
                _ => self.join(&[&op.operands[..], &op.results].concat()),
            }
            for region in &op.regions {
                self.ops(&region.ops);
            }
        }
    }
}

fn yielded(region: &KernelRegion) -> &[Value] {
    region.ops.last().map_or(&[], |end| &end.operands)
}

/// Inserts `gluon.set_auto_layout` after the definitions of tensors with an open layout.
struct LayoutInsertion {
    types: Vec<KernelType>,
    /// The original layouts of the values that are left open.
    layouts: HashMap<Value, Rc<str>>,
    rng: Rng,
    given: GivenLayouts,
}

impl LayoutInsertion {
    fn ops(&mut self, ops: &mut Vec<KernelOp>) {
        let mut all = Vec::new();
        for mut op in ops.drain(..) {
            for region in &mut op.regions {
                self.ops(&mut region.ops);
                let mut first = self.of(&region.arguments.clone());
                first.append(&mut region.ops);
                region.ops = first;
            }
            let inserted = self.of(&op.results);
            all.push(op);
            all.extend(inserted);
        }
        *ops = all;
    }

    fn of(&mut self, values: &[Value]) -> Vec<KernelOp> {
        let mut ops = Vec::new();
        for value in values {
            let Some(layout) = self.layouts.get(value) else {
                continue;
            };
            let is_given = self.given == GivenLayouts::All || self.rng.chance(30);
            if !is_given {
                continue;
            }
            let mut type_ = self.types[*value].clone();
            if let Some(tensor) = &mut type_.tensor {
                tensor.encoding = Rc::clone(layout);
            }
            self.types.push(type_);
            ops.push(KernelOp {
                code: Code::SetLayout,
                operands: vec![*value],
                results: vec![self.types.len() - 1],
                regions: Vec::new(),
            });
        }
        ops
    }
}
