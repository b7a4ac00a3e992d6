//! `coalesce`: chooses layouts in which neighbouring threads access neighbouring addresses.
//!
//! Each global access by a tensor of pointers gets its own blocked layout. The dimension with the largest contiguity
//! comes first, with as many elements per thread as one access can move. Operands and results are converted;
//! `remove-layout-conversions` removes redundant conversions.
//!
//! Dependent accesses with equal shape and order share a layout, with the widest vector of the group. A store does not
//! exceed its own width, since a wider vector would leave gaps. Neither does a load of an operand of a product:
//! `pipeline-loops` turns it into copies of one vector each.
//!
//! # Source
//! Triton's `tritongpu-coalesce`.

use super::Pass;
use super::context::PassContext;
use super::proof::Claim;
use super::respell::attribute;
use super::table::CoalesceOptions;
use crate::analysis::automatic::open_layout_of;
use crate::analysis::axis::{AxisAnalysis, AxisFacts, Indices};
use crate::ir::{Layouts, ModuleInfo, OpKind, OpView, TensorType, builders, element_bits};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, FollowUp, Reported};
use linear_layout::access::AxisInfo;
use linear_layout::encoding::{BlockedEncoding, CgaLayout, Encoding};
use melior::ir::{Attribute, ValueLike};
use std::collections::HashMap;

const WIDEST_BITS: u32 = 128;

impl Pass for CoalesceOptions {
    fn indices(&self) -> Indices {
        Indices::of_option(self.triton_indices)
    }

    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let module = context.module();
        let functions = build::in_order(module)
            .into_iter()
            .filter(|op| OpKind::TtFunc.is(*op));
        for function in functions {
            // The analysis must see the unchanged function.
            for (op, encoding) in decide(context, function) {
                // `resolve-auto-layouts` handles open layouts.
                let mut operands = build::operands(op).into_iter();
                if operands.any(|value| open_layout_of(value).is_some()) {
                    continue;
                }
                if let Some(encoding) = attribute(op, &encoding) {
                    relayout(context, op, encoding);
                }
            }
        }
        Ok(Vec::new())
    }

    fn claim(&self) -> Option<Claim> {
        Some(Claim::Values)
    }
}

struct PointerAccess<'c> {
    op: Op<'c>,
    shape: &'c [u64],
    /// Dimensions in the order of decreasing contiguity.
    order: Vec<u32>,
    width: u64,
    cga: CgaLayout,
    kind: AccessKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AccessKind {
    /// A load from a tensor of pointers, except operands of products. Its vector may be wider than its own pointers
    /// justify, if an access that is connected to the load has a wider vector; see [`Components`].
    Load,
    Other,
    /// An access through a tensor descriptor, for which the hardware generates the addresses.
    Descriptor,
}

fn pointers<'c>(op: Op<'c>) -> Option<(Val<'c>, AccessKind)> {
    Some(match OpView::of(op)? {
        OpView::TtLoad(op) if is_factor(op.result()) => (op.ptr(), AccessKind::Other),
        OpView::TtLoad(op) => (op.ptr(), AccessKind::Load),
        OpView::TtStore(op) => (op.ptr(), AccessKind::Other),
        OpView::TtAtomicRMW(op) => (op.ptr(), AccessKind::Other),
        OpView::TtAtomicCAS(op) => (op.ptr(), AccessKind::Other),
        OpView::TtgAsyncCopyGlobalToLocal(op) => (op.src(), AccessKind::Other),
        _ => return None,
    })
}

/// Returns true if a value is used, and only as an operand of matrix products.
fn is_factor(value: Val<'_>) -> bool {
    let uses = sys::uses(value);
    !uses.is_empty()
        && uses.into_iter().all(|(user, _)| match OpView::of(user) {
            Some(OpView::TtDot(_)) => true,
            Some(OpView::TtgConvertLayout(convert)) => is_factor(convert.result()),
            Some(OpView::TtTrans(trans)) => is_factor(trans.result()),
            _ => false,
        })
}

impl<'c> PointerAccess<'c> {
    fn of(layouts: &Layouts, axis: &AxisAnalysis, op: Op<'c>) -> Option<Self> {
        if let Some((pointer, kind)) = pointers(op) {
            let tensor = TensorType::of(pointer.r#type())?;
            let (pointee, _) = sys::pointer(tensor.element)?;
            let cga = ctas(layouts, op, &tensor)?;
            let info = axis.get(pointer);
            let order = order(info, tensor.shape.len());
            let width = width(info, order[0], &cga, &tensor, element_bits(pointee)?);
            let shape = tensor.shape;
            return Some(Self {
                op,
                shape,
                order,
                width,
                cga,
                kind,
            });
        }
        let value = match OpView::of(op)? {
            OpView::TtDescriptorLoad(op) => op.result(),
            OpView::TtDescriptorStore(op) => op.src(),
            _ => return None,
        };
        let tensor = TensorType::of(value.r#type())?;
        let cga = ctas(layouts, op, &tensor)?;
        let rank = u32::try_from(tensor.shape.len()).ok()?;
        let bits = element_bits(tensor.element)?;
        Some(Self {
            op,
            shape: tensor.shape,
            order: (0..rank).rev().collect(),
            width: u64::from(WIDEST_BITS / bits.clamp(1, WIDEST_BITS)),
            cga,
            kind: AccessKind::Descriptor,
        })
    }
}

/// Returns the distribution of a tensor over CTAs. If the layout of the tensor is still open, the result is a
/// single CTA for a module with one CTA per cluster, and `None` for other modules.
fn ctas(layouts: &Layouts, op: Op<'_>, tensor: &TensorType<'_>) -> Option<CgaLayout> {
    let encoding = tensor.encoding?;
    if sys::open_layout(encoding).is_some() {
        let is_single = ModuleInfo::num_ctas(op) == 1;
        return is_single.then(|| CgaLayout::single(tensor.shape.len()).ok())?;
    }
    layouts.of_tensor(tensor).ok()?.cga_layout().ok()
}

/// Returns the dimensions in the order of decreasing contiguity. If dimensions have equal contiguity, later
/// dimensions come first.
fn order(info: &AxisInfo, rank: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..).take(rank).collect();
    order.sort_by_key(|d| std::cmp::Reverse((info.contiguity(*d as usize), *d)));
    order
}

fn width(info: &AxisInfo, dim: u32, cga: &CgaLayout, tensor: &TensorType<'_>, bits: u32) -> u64 {
    let dim = dim as usize;
    let bytes = u64::from(bits / 8).max(1);
    let aligned = (info.divisibility(dim) / bytes).max(1);
    let share = cga.shape_per_cta(tensor.shape)[dim];
    let most = u64::from(WIDEST_BITS / bits.clamp(1, WIDEST_BITS));
    aligned.min(info.contiguity(dim)).min(share).min(most)
}

pub(super) fn decide<'c>(context: &PassContext<'c>, function: Op<'c>) -> Vec<(Op<'c>, Encoding)> {
    let (layouts, axis) = (context.layouts(), context.get::<AxisFacts>().of(function));
    let operations = build::in_order(function);
    let accesses: Vec<PointerAccess<'_>> = operations
        .iter()
        .filter_map(|op| PointerAccess::of(layouts, &axis, *op))
        .collect();
    let mut components = Components::of(&operations[1..]);
    let mut decided = Vec::new();
    for access in &accesses {
        let op = access.op;
        let Ok(info) = ModuleInfo::around(op) else {
            continue;
        };
        let own = components.of_operation(op);
        // The widest vector of dependent accesses.
        let mut width = access.width;
        if access.kind != AccessKind::Descriptor {
            for other in &accesses {
                if other.kind != AccessKind::Descriptor
                    && (other.shape, &other.order) == (access.shape, &access.order)
                    && components.of_operation(other.op) == own
                {
                    width = width.max(other.width);
                }
            }
        }
        let elements: u64 = access.shape.iter().product();
        width = width.min((elements / info.threads_per_cta()).max(1));
        if access.kind == AccessKind::Other {
            width = width.min(access.width);
        }
        let mut size = vec![1; access.shape.len()];
        let first = access.order[0] as usize;
        size[first] = u32::try_from(width).unwrap_or(1);
        let numbers = u32::try_from(info.num_warps).ok();
        let numbers = numbers.zip(u32::try_from(info.threads_per_warp).ok());
        let Some((warps, lanes)) = numbers else {
            continue;
        };
        let blocked = BlockedEncoding::for_shape(
            access.shape,
            &size,
            &access.order,
            warps,
            lanes,
            access.cga,
        );
        decided.extend(blocked.ok().map(|blocked| (op, blocked.into())));
    }
    decided
}

/// Union-find forest of operations that are connected by use-def edges or by nesting in regions.
struct Components {
    numbers: HashMap<usize, usize>,
    parents: Vec<usize>,
}

impl Components {
    fn of(operations: &[Op<'_>]) -> Self {
        let numbers: HashMap<usize, usize> = operations
            .iter()
            .enumerate()
            .map(|(i, op)| (sys::operation_id(*op), i))
            .collect();
        let parents = (0..operations.len()).collect();
        let mut components = Self { numbers, parents };
        for (i, op) in operations.iter().enumerate() {
            for operand in build::operands(*op) {
                if let Some(producer) = sys::defining_operation(operand) {
                    components.join(i, producer);
                }
            }
            if let Some(around) = build::parent(*op) {
                components.join(i, around);
            }
        }
        components
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.parents[i] != i {
            self.parents[i] = self.parents[self.parents[i]];
            i = self.parents[i];
        }
        i
    }

    fn join(&mut self, i: usize, other: Op<'_>) {
        if let Some(other) = self.numbers.get(&sys::operation_id(other)).copied() {
            let (a, b) = (self.root(i), self.root(other));
            self.parents[a.max(b)] = a.min(b);
        }
    }

    fn of_operation(&mut self, op: Op<'_>) -> Option<usize> {
        let number = self.numbers.get(&sys::operation_id(op)).copied()?;
        Some(self.root(number))
    }
}

fn relayout<'c>(context: &PassContext<'c>, op: Op<'c>, encoding: Attribute<'c>) -> Option<()> {
    let rewriter = context.rewriter();
    let convert = |value, type_| builders::ttg::convert_layout(value, type_).before(rewriter, op);
    let with = |value: Val<'c>| {
        let tensor = TensorType::of(value.r#type())?;
        let type_ = tensor.with_encoding(encoding);
        (type_ != value.r#type()).then_some(type_)
    };
    for (i, operand) in build::operands(op).into_iter().enumerate() {
        if let Some(type_) = with(operand) {
            let converted = convert(operand, type_)?;
            rewriter.set_operand(op, i, converted);
        }
    }
    if !build::results(op)
        .into_iter()
        .any(|result| with(result).is_some())
    {
        return Some(());
    }
    let made = rewriter.copy_before(op, op);
    let mut results = Vec::new();
    for (i, result) in build::results(op).into_iter().enumerate() {
        let new = build::result(made, i);
        results.push(match with(result) {
            None => new,
            Some(type_) => {
                rewriter.set_result_type(made, i, type_);
                convert(new, result.r#type())?
            }
        });
    }
    rewriter.replace(op, &results);
    Some(())
}
