//! Register validation: every thread holds the elements for its operations.
//!
//! An operation without data movement computes each result register from registers of the same thread. The semantics
//! give the operand element for each result element; some register of the thread must hold that element.
//!
//! ```text
//! tt.expand_dims %x {axis = 1}      element (i, 0) of the result is element i of %x
//! lane 5, register 2 of the result holds (13, 0): lane 5 has a register of %x that holds 13
//! ```
//! Layouts and coordinate maps are linear, so a check of each bit of the lane, warp, block and register index suffices.
//! Elementwise operations pair registers by index, which requires equal layouts.

use crate::analysis::assignment::Role;
use crate::ir::{Layouts, OpView, TensorLayout, TensorType};
use crate::sys::build::{self, Op};
use linear_layout::f2::Span;
use linear_layout::layout::Dim;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, TypeLike, ValueLike};
use std::sync::Arc;

struct LaidOutTensor {
    layout: Arc<TensorLayout>,
    shape: Vec<u64>,
}

type Element = Vec<u64>;

/// A function that maps each element of a result to the operand element from which the result element is computed.
type Source = Box<dyn Fn(&[u64]) -> Element>;

/// Checks for every operation of a function that each thread holds the elements that it needs.
///
/// # Errors
/// Returns the first operation for which a thread lacks an element, and a description of the element.
pub(super) fn check<'c>(function: Op<'c>) -> Result<(), (Op<'c>, String)> {
    for region in 0..function.region_count() {
        for block in build::blocks(function, region) {
            for op in build::operations(block) {
                operation(op).map_err(|reason| (op, reason))?;
                check(op)?;
            }
        }
    }
    Ok(())
}

fn operation(op: Op<'_>) -> Result<(), String> {
    match Role::of(op) {
        Role::Elementwise | Role::Scan | Role::Access { .. } => pairwise(op),
        Role::View => view(op),
        _ => Ok(()),
    }
}

fn laid_out(type_: Type<'_>) -> Option<LaidOutTensor> {
    let tensor = TensorType::of(type_)?;
    tensor.encoding?;
    // Verifiers reject encodings without a layout.
    let layout = Layouts::of(type_.context()).tensor(&tensor).ok()?;
    Some(LaidOutTensor {
        layout,
        shape: tensor.shape.to_vec(),
    })
}

/// Checks that all operands and results of `op` hold the same element in the same register of each thread.
fn pairwise(op: Op<'_>) -> Result<(), String> {
    let values = build::operands(op).into_iter().chain(build::results(op));
    let mut all = values.filter_map(|value| laid_out(value.r#type()));
    let Some(first) = all.next() else {
        return Ok(());
    };
    match all.find(|other| other.layout.full != first.layout.full) {
        None => Ok(()),
        Some(other) => Err(format!(
            "`{}` and `{}` hold different elements in the same register",
            other.layout.encoding, first.layout.encoding
        )),
    }
}

fn view(op: Op<'_>) -> Result<(), String> {
    let results = build::results(op);
    for result in results {
        let Some(result) = laid_out(result.r#type()) else {
            continue;
        };
        for operand in build::operands(op) {
            let Some(operand) = laid_out(operand.r#type()) else {
                continue;
            };
            let Some((source, also)) = sources(op, &operand.shape, &result.shape) else {
                continue;
            };
            within(&source, also, &operand, &result)?;
        }
    }
    Ok(())
}

/// Returns a function that maps each element of a view's result to the operand element from which it is computed.
/// Returns `None` if the operation is not a known view.
///
/// For `tt.split`, which has two results, the function describes the first result. The second item of the returned
/// pair is then the operand element from which element 0 of the second result is computed. For all other views,
/// this item is `None`.
fn sources(op: Op<'_>, operand: &[u64], result: &[u64]) -> Option<(Source, Option<Element>)> {
    let index = |axis: i64| usize::try_from(axis).ok();
    let source: Source = match OpView::of(op)? {
        OpView::TtExpandDims(op) => {
            let axis = index(op.axis())?;
            Box::new(move |element| {
                let mut element = element.to_vec();
                element.remove(axis);
                element
            })
        }
        OpView::TtBroadcast(_) => {
            let sizes = operand.to_vec();
            Box::new(move |element| {
                let pairs = element.iter().zip(&sizes);
                pairs.map(|(at, size)| at & (size - 1)).collect()
            })
        }
        OpView::TtTrans(op) => {
            let order: Option<Vec<usize>> = op
                .order()
                .into_iter()
                .map(|d| index(i64::from(d)))
                .collect();
            let order = order?;
            Box::new(move |element| {
                let mut moved = vec![0; element.len()];
                for (at, d) in element.iter().zip(&order) {
                    moved[*d] = *at;
                }
                moved
            })
        }
        OpView::TtReshape(op) if !op.allow_reorder() => {
            let (from, to) = (operand.to_vec(), result.to_vec());
            Box::new(move |element| unflattened(flattened(element, &to), &from))
        }
        OpView::TtJoin(_) => Box::new(|element| element[..element.len() - 1].to_vec()),
        OpView::TtSplit(_) => {
            let mut second = vec![0; operand.len()];
            *second.last_mut()? = 1;
            let source: Source = Box::new(|element| [element, &[0]].concat());
            return Some((source, Some(second)));
        }
        OpView::TtgFp4ToFp(op) => {
            let axis = index(op.axis())?;
            Box::new(move |element| {
                let mut element = element.to_vec();
                element[axis] >>= 1;
                element
            })
        }
        _ => return None,
    };
    Some((source, None))
}

/// Checks that each thread holds the operand elements from which its result registers are computed.
fn within(
    source: &Source,
    also: Option<Element>,
    operand: &LaidOutTensor,
    result: &LaidOutTensor,
) -> Result<(), String> {
    let (from, to) = (&operand.layout.full, &result.layout.full);
    let pack = |element: &[u64]| flattened(element, &operand.shape);
    let mut own = Span::empty();
    for bit in 0..from.in_bits(Dim::REGISTER) {
        let basis: Element = from.basis(Dim::REGISTER, bit).iter().collect();
        own.insert(pack(&basis));
    }
    if let Some(also) = also
        && !own.contains(pack(&also))
    {
        return Err(missing("register", 0, &also, operand));
    }
    for dim in [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK] {
        for bit in 0..from.in_bits(dim).max(to.in_bits(dim)) {
            let basis: Element = to.basis(dim, bit).iter().collect();
            let needed = source(&basis);
            let there: Element = from.basis(dim, bit).iter().collect();
            let there = if dim == Dim::REGISTER {
                0
            } else {
                pack(&there)
            };
            if !own.contains(pack(&needed) ^ there) {
                return Err(missing(&dim.to_string(), bit, &needed, operand));
            }
        }
    }
    Ok(())
}

fn missing(dim: &str, bit: usize, element: &[u64], operand: &LaidOutTensor) -> String {
    format!(
        "{dim} {} needs element {element:?} of an operand in `{}`, which no register of the thread holds",
        1u64 << bit,
        operand.layout.encoding
    )
}

fn flattened(element: &[u64], shape: &[u64]) -> u64 {
    let pairs = element.iter().zip(shape);
    pairs.fold(0, |offset, (at, size)| offset * size + at)
}

fn unflattened(mut offset: u64, shape: &[u64]) -> Element {
    let mut element: Element = shape
        .iter()
        .rev()
        .map(|size| {
            let at = offset % size;
            offset /= size;
            at
        })
        .collect();
    element.reverse();
    element
}
