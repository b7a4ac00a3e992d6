//! Inference of encodings between operands and results, in both directions.
//!
//! [`encoding::infer`](linear_layout::encoding::infer) has the rules for shapes and encodings; this module selects the
//! rule of an operation for verifiers, canonicalisation and passes. [`InferenceError::Independent`] in both directions
//! means free layouts: conversions, constants, loads from shared memory.

use crate::ir::ops::tt;
use crate::ir::{OpView, TensorType, views};
use crate::sys::{self, build};
use linear_layout::encoding::{Encoding, EncodingError, infer};
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Type, ValueLike};
use std::fmt;

/// The reason for a failed inference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InferenceError {
    /// Operand and result encodings are independent.
    Independent,
    /// No encoding is consistent with the given one.
    Impossible(EncodingError),
}

impl fmt::Display for InferenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Independent => {
                f.write_str("the layouts of operand and result do not depend on each other")
            }
            Self::Impossible(reason) => reason.fmt(f),
        }
    }
}

impl std::error::Error for InferenceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Independent => None,
            Self::Impossible(reason) => Some(reason),
        }
    }
}

impl From<EncodingError> for InferenceError {
    fn from(reason: EncodingError) -> Self {
        Self::Impossible(reason)
    }
}

enum InferenceRule {
    /// Operand and results have equal encodings.
    Same,
    Trans(Vec<usize>),
    Reshape,
    ExpandDims(usize),
    Reduce(usize),
    Join,
    Split,
    Fp4ToFp(usize),
}

/// Returns the encoding of the results, given `encoding` for operand `i`.
///
/// # Errors
/// Returns [`InferenceError::Independent`] or [`InferenceError::Impossible`].
pub fn result_encoding(
    op: OperationRef<'_, '_>,
    i: usize,
    encoding: &Encoding,
) -> Result<Encoding, InferenceError> {
    let (rule, operand, result) = rule(op, i)?;
    Ok(match rule {
        InferenceRule::Same if operand != result => encoding.for_other_shapes().into_owned(),
        InferenceRule::Same => encoding.clone(),
        InferenceRule::Trans(order) => infer::trans(encoding, &operand, &order)?,
        InferenceRule::Reshape => infer::reshape(encoding, &operand, &result)?,
        InferenceRule::ExpandDims(axis) => infer::expand_dims(encoding, axis)?,
        InferenceRule::Reduce(axis) => infer::reduce(encoding, axis)?,
        InferenceRule::Join => infer::join(encoding, &operand)?,
        InferenceRule::Split => infer::split(encoding, &operand)?,
        InferenceRule::Fp4ToFp(axis) => infer::fp4_to_fp(encoding, &operand, axis)?,
    })
}

/// Returns the encoding of operand `i`, given `encoding` for the results.
///
/// # Errors
/// Returns the errors of [`result_encoding`].
pub fn operand_encoding(
    op: OperationRef<'_, '_>,
    i: usize,
    encoding: &Encoding,
) -> Result<Encoding, InferenceError> {
    let (rule, operand, result) = rule(op, i)?;
    Ok(match rule {
        InferenceRule::Same if operand != result => encoding.for_other_shapes().into_owned(),
        InferenceRule::Same => encoding.clone(),
        InferenceRule::Trans(order) => infer::trans_source(encoding, &result, &order)?,
        InferenceRule::Reshape => infer::reshape_source(encoding, &result, &operand)?,
        InferenceRule::ExpandDims(axis) => infer::expand_dims_source(encoding, axis)?,
        InferenceRule::Reduce(axis) => infer::reduce_source(encoding, axis)?,
        InferenceRule::Join => infer::join_source(encoding, &result)?,
        InferenceRule::Split => infer::split_source(encoding, &result)?,
        InferenceRule::Fp4ToFp(axis) => infer::fp4_to_fp_source(encoding, &result, axis)?,
    })
}

fn may_reorder(op: OperationRef<'_, '_>) -> bool {
    tt::Reshape::of(op).is_some_and(|op| op.allow_reorder())
}

/// Returns the same as [`result_encoding`], except for a reshape with `allow_reorder`. For such a reshape, returns
/// the encoding that keeps the order of elements.
///
/// # Errors
/// Returns the errors of [`result_encoding`].
pub(crate) fn default_result_encoding(
    op: OperationRef<'_, '_>,
    i: usize,
    encoding: &Encoding,
) -> Result<Encoding, InferenceError> {
    match reordered(op) {
        Some((operand, result)) => Ok(infer::reshape(encoding, &operand, &result)?),
        None => result_encoding(op, i, encoding),
    }
}

/// Returns the same as [`operand_encoding`], except for a reshape with `allow_reorder`. For such a reshape, returns
/// the encoding that keeps the order of elements.
///
/// # Errors
/// Returns the errors of [`operand_encoding`].
pub(crate) fn default_operand_encoding(
    op: OperationRef<'_, '_>,
    i: usize,
    encoding: &Encoding,
) -> Result<Encoding, InferenceError> {
    match reordered(op) {
        Some((operand, result)) => Ok(infer::reshape_source(encoding, &result, &operand)?),
        None => operand_encoding(op, i, encoding),
    }
}

/// Returns the operand shape and the result shape of a reshape with `allow_reorder`, or `None` for other
/// operations.
fn reordered(op: OperationRef<'_, '_>) -> Option<(Vec<u64>, Vec<u64>)> {
    let view = tt::Reshape::of(op).filter(|op| op.allow_reorder())?;
    Some((shape(view.src().r#type())?, shape(view.result().r#type())?))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dependence {
    /// Operand and result have equal encodings.
    Same,
    /// The operand encoding determines a unique result encoding.
    Derived,
    /// The operand encoding determines the layout of the result. It does not determine the result encoding, since
    /// several encodings have this layout.
    Spelled,
    /// The result may have any encoding, since the operation may reorder elements. By default, the result has the
    /// encoding that keeps the order of the elements.
    Usual,
}

/// Returns the kind of dependence between the encoding of operand `i` and the encodings of the results. Returns
/// `None` if the encodings are independent.
pub(crate) fn dependence(op: OperationRef<'_, '_>, i: usize) -> Option<Dependence> {
    if may_reorder(op) {
        return Some(Dependence::Usual);
    }
    Some(match rule(op, i).ok()?.0 {
        InferenceRule::Same => Dependence::Same,
        InferenceRule::ExpandDims(_) | InferenceRule::Reduce(_) | InferenceRule::Fp4ToFp(_) => {
            Dependence::Derived
        }
        InferenceRule::Trans(_)
        | InferenceRule::Reshape
        | InferenceRule::Join
        | InferenceRule::Split => Dependence::Spelled,
    })
}

fn shape(type_: Type<'_>) -> Option<Vec<u64>> {
    TensorType::of(type_)
        .map(|tensor| tensor.shape.to_vec())
        .or_else(|| sys::buffer(type_).map(|buffer| buffer.shape))
}

/// Returns the inference rule that relates operand `i` to a result, the shape of the operand, and the shape of the
/// result. The result has index `i` if there are more than `i` results, and index 0 otherwise.
fn rule(
    op: OperationRef<'_, '_>,
    i: usize,
) -> Result<(InferenceRule, Vec<u64>, Vec<u64>), InferenceError> {
    if i >= op.operand_count() || op.result_count() == 0 {
        return Err(InferenceError::Independent);
    }
    // Variadic results correspond one to one to operands.
    let of_results = if i < op.result_count() { i } else { 0 };
    let operand = shape(build::operand(op, i).r#type()).ok_or(InferenceError::Independent)?;
    let result =
        shape(build::result(op, of_results).r#type()).ok_or(InferenceError::Independent)?;
    let axis = |axis| usize::try_from(axis).map_err(|_| InferenceError::Independent);
    let trans = |order: Vec<i32>| {
        let order = order.into_iter().map(usize::try_from);
        let order = order.collect::<Result<_, _>>();
        order
            .map(InferenceRule::Trans)
            .map_err(|_| InferenceError::Independent)
    };
    use OpView as V;
    let rule = match OpView::of(op) {
        Some(V::TtTrans(op)) => trans(op.order())?,
        Some(V::TtgMemDescTrans(op)) => trans(op.order())?,
        Some(V::TtReshape(_)) if may_reorder(op) => return Err(InferenceError::Independent),
        Some(V::TtReshape(_) | V::TtgMemDescReshape(_)) => InferenceRule::Reshape,
        Some(V::TtExpandDims(op)) => InferenceRule::ExpandDims(axis(op.axis())?),
        Some(V::TtReduce(op)) => InferenceRule::Reduce(axis(op.axis())?),
        Some(V::TtJoin(_)) => InferenceRule::Join,
        Some(V::TtSplit(_)) => InferenceRule::Split,
        Some(V::TtgFp4ToFp(op)) => InferenceRule::Fp4ToFp(axis(op.axis())?),
        // Only the accumulator: the factors have encodings of their own.
        Some(V::TtDot(op)) if op.c_at().contains(&i) => InferenceRule::Same,
        Some(V::TtDotScaled(op)) if op.c_at().contains(&i) => InferenceRule::Same,
        Some(V::TtngWarpGroupDot(op)) if op.c_at().contains(&i) => InferenceRule::Same,
        // Only the indices: the source may have any layout.
        Some(V::TtGather(op)) if op.indices_at().contains(&i) => InferenceRule::Same,
        Some(V::TtLoad(_) | V::TtBroadcast(_) | V::TtngWarpGroupDotWait(_)) => InferenceRule::Same,
        Some(views!(LL_SameEncoding)) => InferenceRule::Same,
        // Elementwise operations of MLIR's dialects.
        None if sys::keeps_encoding(op) => InferenceRule::Same,
        None
        | Some(
            views!(LL_FixedLayouts)
            | V::TtAssert(_)
            | V::TtDescriptorLoad(_)
            | V::TtDescriptorReduce(_)
            | V::TtDescriptorStore(_)
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
        ) => return Err(InferenceError::Independent),
    };
    Ok((rule, operand, result))
}
