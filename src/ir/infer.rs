//! Which encoding the result of an operation has, given an operand's; and the other way round.
//!
//! [`encoding::infer`](crate::encoding::infer) knows the rules for shapes and encodings; this module
//! knows which of them an operation follows, so that verifiers, canonical forms and passes agree.
//! An operation for which both directions answer [`Untied::Free`] is where a pass may change a
//! layout without asking anyone: conversions, constants, loads from shared memory.

use crate::encoding::{Encoding, EncodingError, infer};
use crate::ir::verify::{integer, order};
use crate::ir::{OpKind, TensorType};
use crate::sys::{self, build};
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Type, ValueLike};
use std::fmt;

/// Why there is no encoding to be inferred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untied {
    /// Operand and result may have any encodings, each for itself.
    Free,
    /// They are tied, but no encoding of the other side goes with this one.
    Impossible(EncodingError),
}

impl fmt::Display for Untied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Free => {
                f.write_str("the layouts of operand and result do not depend on each other")
            }
            Self::Impossible(reason) => reason.fmt(f),
        }
    }
}

impl std::error::Error for Untied {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Free => None,
            Self::Impossible(reason) => Some(reason),
        }
    }
}

impl From<EncodingError> for Untied {
    fn from(reason: EncodingError) -> Self {
        Self::Impossible(reason)
    }
}

/// How the encoding of an operation's results follows from that of one operand.
enum Tie {
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
/// [`Untied::Free`] if the results do not depend on that operand, [`Untied::Impossible`] if no
/// encoding of theirs goes with it.
pub fn result_encoding(
    op: OperationRef<'_, '_>,
    i: usize,
    encoding: &Encoding,
) -> Result<Encoding, Untied> {
    let (tie, operand, result) = tie(op, i)?;
    Ok(match tie {
        Tie::Same => encoding.clone(),
        Tie::Trans(order) => infer::trans(encoding, &operand, &order)?,
        Tie::Reshape => infer::reshape(encoding, &operand, &result)?,
        Tie::ExpandDims(axis) => infer::expand_dims(encoding, axis)?,
        Tie::Reduce(axis) => infer::reduce(encoding, axis)?,
        Tie::Join => infer::join(encoding, &operand)?,
        Tie::Split => infer::split(encoding, &operand)?,
        Tie::Fp4ToFp(axis) => infer::fp4_to_fp(encoding, &operand, axis)?,
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
) -> Result<Encoding, Untied> {
    let (tie, operand, result) = tie(op, i)?;
    Ok(match tie {
        Tie::Same => encoding.clone(),
        Tie::Trans(order) => infer::trans_source(encoding, &result, &order)?,
        Tie::Reshape => infer::reshape_source(encoding, &result, &operand)?,
        Tie::ExpandDims(axis) => infer::expand_dims_source(encoding, axis)?,
        Tie::Reduce(axis) => infer::reduce_source(encoding, axis)?,
        Tie::Join => infer::join_source(encoding, &result)?,
        Tie::Split => infer::split_source(encoding, &result)?,
        Tie::Fp4ToFp(axis) => infer::fp4_to_fp_source(encoding, &result, axis)?,
    })
}

/// Sizes of the dimensions of what has an encoding.
fn shape(type_: Type<'_>) -> Option<Vec<u64>> {
    TensorType::of(type_)
        .map(|tensor| tensor.shape.to_vec())
        .or_else(|| sys::buffer(type_).map(|buffer| buffer.shape))
}

/// How operand `i` and the results are tied, and the shapes of the two.
fn tie(op: OperationRef<'_, '_>, i: usize) -> Result<(Tie, Vec<u64>, Vec<u64>), Untied> {
    let op = build::of_context(op);
    if i >= op.operand_count() || op.result_count() == 0 {
        return Err(Untied::Free);
    }
    // A tuple of results belongs to a tuple of operands, one to one.
    let of_results = if i < op.result_count() { i } else { 0 };
    let operand = shape(build::operand(op, i).r#type()).ok_or(Untied::Free)?;
    let result = shape(build::result(op, of_results).r#type()).ok_or(Untied::Free)?;
    let axis = || usize::try_from(integer(op, "axis")).map_err(|_| Untied::Free);
    let Some(kind) = OpKind::of(op) else {
        // Of MLIR's own, what works element by element.
        return if sys::keeps_encoding(op) {
            Ok((Tie::Same, operand, result))
        } else {
            Err(Untied::Free)
        };
    };
    use OpKind as K;
    let tie = match kind {
        K::TtTrans | K::TtgMemDescTrans => {
            let order = order(op).into_iter().map(usize::try_from);
            Tie::Trans(order.collect::<Result<_, _>>().map_err(|_| Untied::Free)?)
        }
        // A reshape that may reorder takes elements as they lie in registers.
        K::TtReshape if op.has_attribute("allow_reorder") => return Err(Untied::Free),
        K::TtReshape | K::TtgMemDescReshape => Tie::Reshape,
        K::TtExpandDims => Tie::ExpandDims(axis()?),
        K::TtReduce => Tie::Reduce(axis()?),
        K::TtJoin => Tie::Join,
        K::TtSplit => Tie::Split,
        K::TtgFp4ToFp => Tie::Fp4ToFp(axis()?),
        // The accumulator; the factors have encodings of their own.
        K::TtDot | K::TtDotScaled | K::TtngWarpGroupDot if i == 2 => Tie::Same,
        // The indices; what is gathered from may lie anywhere.
        K::TtGather if i == 1 => Tie::Same,
        K::TtLoad | K::TtBroadcast => Tie::Same,
        K::TtngWarpGroupDotWait => Tie::Same,
        _ if sys::keeps_encoding(op) => Tie::Same,
        _ => return Err(Untied::Free),
    };
    Ok((tie, operand, result))
}
