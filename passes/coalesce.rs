//! `coalesce`: memory is accessed in layouts in which neighbouring threads access neighbouring addresses.
//!
//! Each access to global memory through a tensor of pointers gets a blocked layout of its own: the dim along which
//! addresses run on furthest comes first, and a thread holds as many elements along it as one access can move. Its
//! operands are converted to that layout, and its results back; what of this need not be there is for
//! `remove-layout-conversions` to find.
//!
//! Accesses that depend on each other, on tensors of one shape and order, get the widest of what any of them can
//! use, so that one layout fits all; a store does not go beyond its own width, since a wider one leaves gaps.
//! # Source
//! Triton's `tritongpu-coalesce`.

use super::Pass;
use super::context::PassContext;
use super::proof::Claim;
use super::respell::attribute;
use super::table::CoalesceOptions;
use crate::analysis::automatic::open_layout_of;
use crate::analysis::axis::{AxisAnalysis, AxisFacts};
use crate::ir::{Layouts, ModuleInfo, OpKind, OpView, TensorType, builders, element_bits};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, FollowUp, Reported};
use linear_layout::access::AxisInfo;
use linear_layout::encoding::{BlockedEncoding, CgaLayout, Encoding};
use melior::ir::{Attribute, ValueLike};
use std::collections::HashMap;

/// The widest access that layouts are made for, in bits.
const WIDEST_BITS: u32 = 128;

impl Pass for CoalesceOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let module = context.module();
        let functions = build::in_order(module)
            .into_iter()
            .filter(|op| OpKind::TtFunc.is(*op));
        for function in functions {
            // All is decided before anything changes.
            for (op, encoding) in decide(context, function) {
                // What is left open is for `resolve-auto-layouts`.
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

/// An access to memory by a tensor of elements.
struct Access<'c> {
    op: Op<'c>,
    shape: &'c [u64],
    /// The dims, that along which addresses run on furthest first.
    order: Vec<u32>,
    /// How many elements one access can move.
    width: u64,
    cga: CgaLayout,
    /// How the elements are addressed, which says whether other accesses may widen it.
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Load,
    Other,
    /// By a descriptor: the hardware makes the addresses.
    Descriptor,
}

/// The pointers of an access to global memory.
fn pointers<'c>(op: Op<'c>) -> Option<(Val<'c>, Form)> {
    Some(match OpView::of(op)? {
        OpView::TtLoad(op) => (op.ptr(), Form::Load),
        OpView::TtStore(op) => (op.ptr(), Form::Other),
        OpView::TtAtomicRMW(op) => (op.ptr(), Form::Other),
        OpView::TtAtomicCAS(op) => (op.ptr(), Form::Other),
        OpView::TtgAsyncCopyGlobalToLocal(op) => (op.src(), Form::Other),
        _ => return None,
    })
}

impl<'c> Access<'c> {
    fn of(layouts: &Layouts, axis: &AxisAnalysis, op: Op<'c>) -> Option<Self> {
        if let Some((pointer, form)) = pointers(op) {
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
                form,
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
            form: Form::Descriptor,
        })
    }
}

/// How the CTAs of a cluster share a tensor; one CTA has all of what is left open.
fn ctas(layouts: &Layouts, op: Op<'_>, tensor: &TensorType<'_>) -> Option<CgaLayout> {
    let encoding = tensor.encoding?;
    if sys::open_layout(encoding).is_some() {
        let is_single = ModuleInfo::num_ctas(op) == 1;
        return is_single.then(|| CgaLayout::single(tensor.shape.len()).ok())?;
    }
    layouts.of_tensor(tensor).ok()?.cga_layout().ok()
}

/// The dims by how far addresses run on along them; of equal ones the last is first.
fn order(info: &AxisInfo, rank: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..).take(rank).collect();
    order.sort_by_key(|d| std::cmp::Reverse((info.contiguity(*d as usize), *d)));
    order
}

/// How many elements along a dim one access can move.
fn width(info: &AxisInfo, dim: u32, cga: &CgaLayout, tensor: &TensorType<'_>, bits: u32) -> u64 {
    let dim = dim as usize;
    let bytes = u64::from(bits / 8).max(1);
    let aligned = (info.divisibility(dim) / bytes).max(1);
    let share = cga.shape_per_cta(tensor.shape)[dim];
    let most = u64::from(WIDEST_BITS / bits.clamp(1, WIDEST_BITS));
    aligned.min(info.contiguity(dim)).min(share).min(most)
}

/// The layout of each access of a function.
pub(super) fn decide<'c>(context: &PassContext<'c>, function: Op<'c>) -> Vec<(Op<'c>, Encoding)> {
    let (layouts, axis) = (context.layouts(), context.get::<AxisFacts>().of(function));
    let operations = build::in_order(function);
    let accesses: Vec<Access<'_>> = operations
        .iter()
        .filter_map(|op| Access::of(layouts, &axis, *op))
        .collect();
    let mut groups = Groups::of(&operations[1..]);
    let mut decided = Vec::new();
    for access in &accesses {
        let op = access.op;
        let Ok(info) = ModuleInfo::around(op) else {
            continue;
        };
        let own = groups.of_operation(op);
        // Of what hangs together, the widest.
        let mut width = access.width;
        if access.form != Form::Descriptor {
            for other in &accesses {
                if other.form != Form::Descriptor
                    && (other.shape, &other.order) == (access.shape, &access.order)
                    && groups.of_operation(other.op) == own
                {
                    width = width.max(other.width);
                }
            }
        }
        let elements: u64 = access.shape.iter().product();
        width = width.min((elements / info.threads_per_cta()).max(1));
        if access.form == Form::Other {
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

/// Which operations hang together: one uses what another makes, or lies in it.
struct Groups {
    numbers: HashMap<usize, usize>,
    parents: Vec<usize>,
}

impl Groups {
    fn of(operations: &[Op<'_>]) -> Self {
        let numbers: HashMap<usize, usize> = operations
            .iter()
            .enumerate()
            .map(|(i, op)| (sys::operation_id(*op), i))
            .collect();
        let parents = (0..operations.len()).collect();
        let mut groups = Self { numbers, parents };
        for (i, op) in operations.iter().enumerate() {
            for operand in build::operands(*op) {
                if let Some(producer) = sys::defining_operation(operand) {
                    groups.join(i, producer);
                }
            }
            if let Some(around) = build::parent(*op) {
                groups.join(i, around);
            }
        }
        groups
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

/// Lets an operation work on tensors with another encoding, between conversions.
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
