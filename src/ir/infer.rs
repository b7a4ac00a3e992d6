//! Inference of result encodings from operand encodings, and of operand encodings from results.
//!
//! [`encoding::infer`](linear_layout::encoding::infer) has the rules for shapes and encodings; this module selects the
//! rule of an operation, so that verifiers, canonicalisation and passes agree. If both directions return
//! [`InferenceError::Independent`], a pass may change the layout freely: conversions, constants, loads from shared
//! memory.

use crate::ir::ops::tt;
use crate::ir::{OpView, TensorType, views};
use crate::sys::{self, build};
use linear_layout::encoding::{Encoding, EncodingError, infer};
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Type, ValueLike};
use std::fmt;

/// The reason why no encoding can be inferred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotInferred {
    /// Operand and result encodings are independent.
    Free,
    /// They depend on each other, but no encoding of the other side matches this one.
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

/// The rule by which result and operand encodings depend on each other.
enum Rule {
    /// Equal encodings.
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

/// Returns true for a reshape with `allow_reorder`.
fn may_reorder(op: OperationRef<'_, '_>) -> bool {
    tt::Reshape::of(op).is_some_and(|op| op.allow_reorder())
}

/// Returns the encoding of an operation's results as [`result_encoding`] does; for a reshape that may reorder elements,
/// the one that keeps their order.
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

/// Returns the shapes of operand and result of a reshape with `allow_reorder`.
fn reordered(op: OperationRef<'_, '_>) -> Option<(Vec<u64>, Vec<u64>)> {
    let view = tt::Reshape::of(op).filter(|op| op.allow_reorder())?;
    Some((shape(view.src().r#type())?, shape(view.result().r#type())?))
}

/// The dependence of result encodings on an operand encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Follows {
    /// Equal.
    Same,
    /// Determined uniquely.
    Derived,
    /// The layout is determined, but several encodings spell it.
    Spelled,
    /// Any encoding is valid; one keeps the elements in order.
    Usual,
}

/// Returns the dependence of the result encodings on that of operand `i`, if there is one.
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

/// Returns the shape of a tensor or buffer.
fn shape(type_: Type<'_>) -> Option<Vec<u64>> {
    TensorType::of(type_)
        .map(|tensor| tensor.shape.to_vec())
        .or_else(|| sys::buffer(type_).map(|buffer| buffer.shape))
}

/// Returns the rule that relates operand `i` to the results, and both shapes.
fn rule(op: OperationRef<'_, '_>, i: usize) -> Result<(Rule, Vec<u64>, Vec<u64>), NotInferred> {
    if i >= op.operand_count() || op.result_count() == 0 {
        return Err(NotInferred::Free);
    }
    // Variadic results correspond to operands one to one.
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
        // Only the accumulator; the factors have encodings of their own.
        Some(V::TtDot(op)) if op.c_at().contains(&i) => Rule::Same,
        Some(V::TtDotScaled(op)) if op.c_at().contains(&i) => Rule::Same,
        Some(V::TtngWarpGroupDot(op)) if op.c_at().contains(&i) => Rule::Same,
        // Only the indices; the source may have any layout.
        Some(V::TtGather(op)) if op.indices_at().contains(&i) => Rule::Same,
        Some(V::TtLoad(_) | V::TtBroadcast(_) | V::TtngWarpGroupDotWait(_)) => Rule::Same,
        Some(views!(LL_SameEncoding)) => Rule::Same,
        // Elementwise operations of MLIR's dialects.
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
