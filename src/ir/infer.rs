//! Which encoding the result of an operation has, given an operand's; and the other way round.
//!
//! [`encoding::infer`](linear_layout::encoding::infer) knows the rules for shapes and encodings; this module
//! knows which of them an operation follows, so that verifiers, canonical forms and passes agree.
//! An operation for which both directions answer [`NotInferred::Free`] is where a pass may change a
//! layout without asking anyone: conversions, constants, loads from shared memory.

use crate::ir::ops::tt;
use crate::ir::{OpView, TensorType, views};
use crate::sys::{self, build};
use linear_layout::encoding::{Encoding, EncodingError, infer};
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Type, ValueLike};
use std::fmt;

/// Why there is no encoding to be inferred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotInferred {
    /// Operand and result may have any encodings, each for itself.
    Free,
    /// They go together, but no encoding of the other side goes with this one.
    Impossible(EncodingError),
}

impl fmt::Display for NotInferred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Free => {
                f.write_str("the layouts of operand and result do not depend on each other")
            }
            Self::Impossible(reason) => reason.fmt(f),
        }
    }
}

impl std::error::Error for NotInferred {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Free => None,
            Self::Impossible(reason) => Some(reason),
        }
    }
}

impl From<EncodingError> for NotInferred {
    fn from(reason: EncodingError) -> Self {
        Self::Impossible(reason)
    }
}

/// How the encoding of an operation's results follows from that of one operand.
enum Rule {
    /// It is the same.
    Same,
    Trans(Vec<usize>),
    Reshape,
    ExpandDims(usize),
    Reduce(usize),
    Join,
    Split,
    Fp4ToFp(usize),
}

/// Returns the encoding of an operation's results if operand `i` has this one.
///
/// # Errors
/// [`NotInferred::Free`] if the results do not depend on that operand, [`NotInferred::Impossible`] if no
/// encoding of theirs goes with it.
pub fn result_encoding(
    op: OperationRef<'_, '_>,
    i: usize,
    encoding: &Encoding,
) -> Result<Encoding, NotInferred> {
    let (rule, operand, result) = rule(op, i)?;
    Ok(match rule {
        Rule::Same if operand != result => encoding.for_other_shapes().into_owned(),
        Rule::Same => encoding.clone(),
        Rule::Trans(order) => infer::trans(encoding, &operand, &order)?,
        Rule::Reshape => infer::reshape(encoding, &operand, &result)?,
        Rule::ExpandDims(axis) => infer::expand_dims(encoding, axis)?,
        Rule::Reduce(axis) => infer::reduce(encoding, axis)?,
        Rule::Join => infer::join(encoding, &operand)?,
        Rule::Split => infer::split(encoding, &operand)?,
        Rule::Fp4ToFp(axis) => infer::fp4_to_fp(encoding, &operand, axis)?,
    })
}

/// Returns the encoding that operand `i` must have for the results to have this one.
///
/// # Errors
/// As [`result_encoding`].
pub fn operand_encoding(
    op: OperationRef<'_, '_>,
    i: usize,
    encoding: &Encoding,
) -> Result<Encoding, NotInferred> {
    let (rule, operand, result) = rule(op, i)?;
    Ok(match rule {
        Rule::Same if operand != result => encoding.for_other_shapes().into_owned(),
        Rule::Same => encoding.clone(),
        Rule::Trans(order) => infer::trans_source(encoding, &result, &order)?,
        Rule::Reshape => infer::reshape_source(encoding, &result, &operand)?,
        Rule::ExpandDims(axis) => infer::expand_dims_source(encoding, axis)?,
        Rule::Reduce(axis) => infer::reduce_source(encoding, axis)?,
        Rule::Join => infer::join_source(encoding, &result)?,
        Rule::Split => infer::split_source(encoding, &result)?,
        Rule::Fp4ToFp(axis) => infer::fp4_to_fp_source(encoding, &result, axis)?,
    })
}

/// Whether an operation is a reshape that takes elements as they lie in registers.
fn may_reorder(op: OperationRef<'_, '_>) -> bool {
    tt::Reshape::of(op).is_some_and(|op| op.allow_reorder())
}

/// Returns the encoding of an operation's results as [`result_encoding`] does, that which keeps elements in their
/// order where others go with the operand too.
///
/// # Errors
/// As [`result_encoding`].
pub(crate) fn usual_result_encoding(
    op: OperationRef<'_, '_>,
    i: usize,
    encoding: &Encoding,
) -> Result<Encoding, NotInferred> {
    match reordered(op) {
        Some((operand, result)) => Ok(infer::reshape(encoding, &operand, &result)?),
        None => result_encoding(op, i, encoding),
    }
}

/// Returns the encoding of operand `i` as [`operand_encoding`] does, likewise.
///
/// # Errors
/// As [`operand_encoding`].
pub(crate) fn usual_operand_encoding(
    op: OperationRef<'_, '_>,
    i: usize,
    encoding: &Encoding,
) -> Result<Encoding, NotInferred> {
    match reordered(op) {
        Some((operand, result)) => Ok(infer::reshape_source(encoding, &result, &operand)?),
        None => operand_encoding(op, i, encoding),
    }
}

/// The shapes of operand and result of a reshape that takes elements as they lie in registers.
fn reordered(op: OperationRef<'_, '_>) -> Option<(Vec<u64>, Vec<u64>)> {
    let view = tt::Reshape::of(op).filter(|op| op.allow_reorder())?;
    Some((shape(view.src().r#type())?, shape(view.result().r#type())?))
}

/// How far the encoding of an operation's results is settled by that of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Follows {
    /// It is the same.
    Same,
    /// It is another, of which there is one.
    Derived,
    /// Its layout is settled, which several encodings may spell.
    Spelled,
    /// Any goes with it; one keeps the elements in their order.
    Usual,
}

/// Returns how the encoding of an operation's results goes with that of operand `i`; nothing where it does not.
pub(crate) fn follows(op: OperationRef<'_, '_>, i: usize) -> Option<Follows> {
    if may_reorder(op) {
        return Some(Follows::Usual);
    }
    Some(match rule(op, i).ok()?.0 {
        Rule::Same => Follows::Same,
        Rule::ExpandDims(_) | Rule::Reduce(_) | Rule::Fp4ToFp(_) => Follows::Derived,
        Rule::Trans(_) | Rule::Reshape | Rule::Join | Rule::Split => Follows::Spelled,
    })
}

/// Sizes of the dimensions of what has an encoding.
fn shape(type_: Type<'_>) -> Option<Vec<u64>> {
    TensorType::of(type_)
        .map(|tensor| tensor.shape.to_vec())
        .or_else(|| sys::buffer(type_).map(|buffer| buffer.shape))
}

/// By which rule operand `i` and the results go together, and the shapes of the two.
fn rule(op: OperationRef<'_, '_>, i: usize) -> Result<(Rule, Vec<u64>, Vec<u64>), NotInferred> {
    if i >= op.operand_count() || op.result_count() == 0 {
        return Err(NotInferred::Free);
    }
    // A tuple of results belongs to a tuple of operands, one to one.
    let of_results = if i < op.result_count() { i } else { 0 };
    let operand = shape(build::operand(op, i).r#type()).ok_or(NotInferred::Free)?;
    let result = shape(build::result(op, of_results).r#type()).ok_or(NotInferred::Free)?;
    let axis = |axis| usize::try_from(axis).map_err(|_| NotInferred::Free);
    let trans = |order: Vec<i32>| {
        let order = order.into_iter().map(usize::try_from);
        let order = order.collect::<Result<_, _>>();
        order.map(Rule::Trans).map_err(|_| NotInferred::Free)
    };
    use OpView as V;
    let rule = match OpView::of(op) {
        Some(V::TtTrans(op)) => trans(op.order())?,
        Some(V::TtgMemDescTrans(op)) => trans(op.order())?,
        Some(V::TtReshape(_)) if may_reorder(op) => return Err(NotInferred::Free),
        Some(V::TtReshape(_) | V::TtgMemDescReshape(_)) => Rule::Reshape,
        Some(V::TtExpandDims(op)) => Rule::ExpandDims(axis(op.axis())?),
        Some(V::TtReduce(op)) => Rule::Reduce(axis(op.axis())?),
        Some(V::TtJoin(_)) => Rule::Join,
        Some(V::TtSplit(_)) => Rule::Split,
        Some(V::TtgFp4ToFp(op)) => Rule::Fp4ToFp(axis(op.axis())?),
        // The accumulator; the factors have encodings of their own.
        Some(V::TtDot(op)) if op.c_at().contains(&i) => Rule::Same,
        Some(V::TtDotScaled(op)) if op.c_at().contains(&i) => Rule::Same,
        Some(V::TtngWarpGroupDot(op)) if op.c_at().contains(&i) => Rule::Same,
        // The indices; what is gathered from may lie anywhere.
        Some(V::TtGather(op)) if op.indices_at().contains(&i) => Rule::Same,
        Some(V::TtLoad(_) | V::TtBroadcast(_) | V::TtngWarpGroupDotWait(_)) => Rule::Same,
        Some(views!(LL_SameEncoding)) => Rule::Same,
        // Of MLIR's own too, what works element by element.
        None if sys::keeps_encoding(op) => Rule::Same,
        None
        | Some(
            views!(LL_FixedLayouts)
            | V::TtAssert(_)
            | V::TtGather(_)
            | V::TtMakeRange(_)
            | V::TtSplat(_)
            | V::TtStore(_)
            | V::TtgConvertLayout(_)
            | V::TtgLocalAlloc(_)
            | V::TtgLocalLoad(_)
            | V::TtgLocalStore(_)
            | V::TtgMask(_)
            | V::TtgMaskReturn(_),
        ) => return Err(NotInferred::Free),
    };
    Ok((rule, operand, result))
}
