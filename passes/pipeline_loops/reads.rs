//! The reads of a slot in the iteration that uses it.
//!
//! ```text
//! x = load p                          x = read of the slot, in the layout of the load
//! y = convert x                  ->   y = read of the slot, in the layout of y
//! t = trans x; z = convert t          z = read of the transposed slot, in the layout of z
//! ```
//! A conversion through shared memory would store the elements of the slot a second time, and wait for the store.

use super::super::context::PassContext;
use super::super::respell::attribute;
use crate::analysis::assignment::plan_buffer_access;
use crate::ir::infer::result_encoding;
use crate::ir::ops::{tt, ttg};
use crate::ir::{TensorType, builders, element_bits, memdesc};
use crate::sys;
use crate::sys::build::{self, Blk, Op, Val};
use linear_layout::plan::{PlanOptions, plan_conversion};
use linear_layout::target::Access;
use melior::ir::{Type, ValueLike};

/// Replaces `value`, a loaded tensor whose elements are in the buffer `slot`, by reads of this buffer. `body` is the
/// block of the loop. Returns `None` if MLIR rejects an operation.
pub(super) fn replace<'c>(
    context: &PassContext<'c>,
    body: Blk<'c>,
    value: Val<'c>,
    slot: Val<'c>,
) -> Option<()> {
    let reads = SlotReads { context, body };
    reads.replace_conversions(value, slot)?;
    let load = sys::defining_operation(value)?;
    if sys::is_unused(value) {
        context.rewriter().erase(load);
    } else {
        reads.replace(load, value, slot)?;
    }
    Some(())
}

/// Returns the cost of the reads by which [`replace`] replaces `value`, and of the conversions that it leaves, in quarters of a
/// cycle, if the slot has the type `buffer`. Returns `None` if a read cannot be planned.
pub(super) fn cost<'c>(
    context: &PassContext<'c>,
    body: Blk<'c>,
    value: Val<'c>,
    buffer: Type<'c>,
) -> Option<u32> {
    SlotReads { context, body }.cost(value, buffer)
}

struct SlotReads<'p, 'c> {
    context: &'p PassContext<'c>,
    body: Blk<'c>,
}

impl<'c> SlotReads<'_, 'c> {
    /// Replaces `op` and its result by a read of the buffer `slot`.
    fn replace(&self, op: Op<'c>, result: Val<'c>, slot: Val<'c>) -> Option<()> {
        let rewriter = self.context.rewriter();
        let read = builders::ttg::local_load(slot, None, result.r#type());
        rewriter.replace(op, &[read.before(rewriter, op)?]);
        Some(())
    }

    /// Replaces the conversions of `value` and of its transposes, where a read of the buffer `slot` is cheaper.
    fn replace_conversions(&self, value: Val<'c>, slot: Val<'c>) -> Option<()> {
        for cvt in self.cheaper(value, slot.r#type()) {
            self.replace(cvt.op(), cvt.result(), slot)?;
        }
        let rewriter = self.context.rewriter();
        for trans in users(value).filter_map(tt::Trans::of) {
            let Some(view) = self.transposed(trans, slot.r#type()) else {
                continue;
            };
            let order = trans.order();
            let view = builders::ttg::memdesc_trans(slot, &order, view);
            let view = view.before(rewriter, trans.op())?;
            self.replace_conversions(trans.result(), view)?;
            for value in [view, trans.result()] {
                if sys::is_unused(value) {
                    rewriter.erase(sys::defining_operation(value)?);
                }
            }
        }
        Some(())
    }

    /// Returns the conversions of `value` that cost more than a read of a buffer of type `buffer` that holds the same
    /// elements.
    fn cheaper(&self, value: Val<'c>, buffer: Type<'c>) -> Vec<ttg::ConvertLayout<'c, 'c>> {
        let conversions = users(value).filter_map(ttg::ConvertLayout::of);
        let is_cheaper = |cvt: &ttg::ConvertLayout<'c, 'c>| self.direct(*cvt, buffer).is_some();
        conversions.filter(is_cheaper).collect()
    }

    /// Returns the cost of a read in place of a conversion, if it is lower than that of the conversion.
    fn direct(&self, cvt: ttg::ConvertLayout<'c, 'c>, buffer: Type<'c>) -> Option<u32> {
        let read = self.read(cvt.result(), buffer)?;
        (read < self.conversion(cvt)?).then_some(read)
    }

    fn cost(&self, value: Val<'c>, buffer: Type<'c>) -> Option<u32> {
        let mut sum = 0;
        let mut reads_all = false;
        for user in users(value).filter(|user| build::is_in(*user, self.body)) {
            let trans = tt::Trans::of(user);
            let view = trans.and_then(|trans| Some((trans, self.transposed(trans, buffer)?)));
            if let Some((trans, view)) = view {
                sum += self.cost(trans.result(), view)?;
                continue;
            }
            let cvt = ttg::ConvertLayout::of(user);
            if let Some(read) = cvt.and_then(|cvt| self.direct(cvt, buffer)) {
                sum += read;
                continue;
            }
            reads_all = true;
            sum += cvt.and_then(|cvt| self.conversion(cvt)).unwrap_or(0);
        }
        let own = if reads_all {
            self.read(value, buffer)?
        } else {
            0
        };
        Some(sum + own)
    }

    /// Returns the cost of a read of `value` from a buffer of type `buffer`.
    fn read(&self, value: Val<'c>, buffer: Type<'c>) -> Option<u32> {
        let target = self.context.default_gpu();
        let tensor = TensorType::of(value.r#type())?;
        let layout = self.context.layouts().tensor(&tensor).ok()?;
        let read = plan_buffer_access(&layout.unique, buffer, Access::Load, target)?;
        Some(read.cost(target).total())
    }

    /// Returns the cost of a conversion in the loop. Returns `None` for a conversion that must stay.
    fn conversion(&self, cvt: ttg::ConvertLayout<'c, 'c>) -> Option<u32> {
        if !build::is_in(cvt.op(), self.body) || cvt.force_warp_shuffle() {
            return None;
        }
        let (layouts, target) = (self.context.layouts(), self.context.default_gpu());
        let from = TensorType::of(cvt.src().r#type())?;
        let to = TensorType::of(cvt.result().r#type())?;
        let bits = element_bits(from.element)?;
        let [from, to] = [layouts.tensor(&from).ok()?, layouts.tensor(&to).ok()?];
        let plan = plan_conversion(&from.full, &to.full, bits, target, &PlanOptions::new()).ok()?;
        Some(plan.program().cost().total())
    }

    /// Returns the type of the view that transposes a buffer of type `buffer` as `trans` transposes a tensor.
    fn transposed(&self, trans: tt::Trans<'c, 'c>, buffer: Type<'c>) -> Option<Type<'c>> {
        let buffer = sys::buffer(buffer)?;
        let result = TensorType::of(trans.result().r#type())?;
        let encoding = self.context.layouts().encoding(buffer.encoding?).ok()?;
        let encoding = result_encoding(trans.op(), 0, &encoding).ok()?;
        let encoding = attribute(trans.op(), &encoding)?;
        memdesc(result.shape, buffer.element, encoding, buffer.is_mutable)
    }
}

fn users<'c>(value: Val<'c>) -> impl Iterator<Item = Op<'c>> {
    sys::uses(value).into_iter().map(|(user, _)| user)
}
