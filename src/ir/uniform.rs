//! Canonicalisation of uniform values: splats, constants and constant masks.

use super::ops::{arith, tt};
use super::pattern::{MatchResult, ViewOp};
use super::{OpKind, builders};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Rewriter};
use melior::ir::attribute::{FloatAttribute, IntegerAttribute};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, AttributeLike, ValueLike};

pub(super) const CONSTANT: &str = arith::Constant::VALUE_KEY;

/// Returns the value of a scalar constant, or the element value of a splat constant. Returns `None` for other
/// values.
pub(super) fn constant<'c>(value: Val<'c>) -> Option<Attribute<'c>> {
    let value = arith::Constant::of(sys::defining_operation(value)?)?.value();
    build::splat_value(value).or_else(|| (value.is_integer() || value.is_float()).then_some(value))
}

/// Returns the integer value of a scalar constant, or of each element of a splat constant. Returns `None` for other
/// values.
pub(crate) fn integer_constant(value: Val<'_>) -> Option<i64> {
    constant(value).and_then(build::integer_value)
}

/// Returns the value of a scalar float constant, or of each element of a splat constant. Returns `None` for other
/// values.
pub(crate) fn float_constant(value: Val<'_>) -> Option<f64> {
    let value = FloatAttribute::try_from(constant(value)?).ok()?;
    Some(value.value())
}

/// Returns true if all elements of `value` are copies of one scalar. A view of such a value can be replaced by a
/// splat with the shape of the view.
fn is_splat(value: Val<'_>) -> bool {
    sys::defining_operation(value).is_some_and(|producer| OpKind::TtSplat.is(producer))
        || constant(value).is_some()
}

/// Replaces a view by a copy of the operation that defines its source. The copy has the result type of the view.
/// The attributes of the view are dropped, since they describe data movement that is no longer necessary.
pub(super) fn make_result<'c>(rewriter: Rewriter<'c>, view: ViewOp<'c>) -> MatchResult {
    let producer = sys::defining_operation(view.source)?;
    let type_ = view.result.r#type();
    let made = rewriter.copy_before(producer, producer);
    rewriter.set_result_type(made, 0, type_);
    if let Some(element) = constant(view.source) {
        rewriter.set_attribute(made, CONSTANT, build::splat(type_, element));
    }
    rewriter.replace(view.op, &[build::only_result(made)]);
    Some(())
}

pub(super) fn view<'c>(rewriter: Rewriter<'c>, view: ViewOp<'c>) -> MatchResult {
    is_splat(view.source)
        .then(|| make_result(rewriter, view))
        .flatten()
}

pub(super) fn broadcast<'c>(rewriter: Rewriter<'c>, broadcast: ViewOp<'c>) -> MatchResult {
    view(rewriter, broadcast).or_else(|| {
        let inner = tt::Broadcast::of(sys::defining_operation(broadcast.source)?)?;
        broadcast.set_source(rewriter, inner.src());
        Some(())
    })
}

/// Folds an `addptr` with offset zero.
pub(super) fn addptr<'c>(rewriter: Rewriter<'c>, add: tt::AddPtr<'c, 'c>) -> MatchResult {
    (integer_constant(add.offset()) == Some(0)).then(|| rewriter.replace(add.op(), &[add.ptr()]))
}

pub(super) fn splat<'c>(rewriter: Rewriter<'c>, splat: tt::Splat<'c, 'c>) -> MatchResult {
    be_constant(rewriter, splat.op(), constant(splat.src())?)
}

pub(super) fn make_range<'c>(rewriter: Rewriter<'c>, range: tt::MakeRange<'c, 'c>) -> MatchResult {
    let start = range.start();
    if range.end() - start != 1 {
        return None;
    }
    let i32 = IntegerType::new(build::context(range.op()), 32).into();
    be_constant(
        rewriter,
        range.op(),
        IntegerAttribute::new(i32, start).into(),
    )
}

fn be_constant<'c>(rewriter: Rewriter<'c>, op: Op<'c>, number: Attribute<'c>) -> MatchResult {
    let type_ = build::only_result(op).r#type();
    let made = builders::arith::constant(build::splat(type_, number), type_);
    rewriter.replace(op, &[made.before(rewriter, op)?]);
    Some(())
}

/// Folds a load with a constant mask. If the mask is true, removes the mask. If the mask is false, replaces the
/// load by `other`.
pub(super) fn load<'c>(rewriter: Rewriter<'c>, load: tt::Load<'c, 'c>) -> MatchResult {
    if integer_constant(load.mask()?)? == 0 {
        rewriter.replace(load.op(), &[load.other()?]);
    } else {
        let (mask, other) = (load.mask_at(), load.other_at());
        rewriter.remove_operands(load.op(), |i| mask.contains(&i) || other.contains(&i));
    }
    Some(())
}

/// Folds a store with a constant mask. If the mask is true, removes the mask. If the mask is false, erases the
/// store.
pub(super) fn store<'c>(rewriter: Rewriter<'c>, store: tt::Store<'c, 'c>) -> MatchResult {
    if integer_constant(store.mask()?)? == 0 {
        rewriter.erase(store.op());
    } else {
        let mask = store.mask_at();
        rewriter.remove_operands(store.op(), |i| mask.contains(&i));
    }
    Some(())
}
