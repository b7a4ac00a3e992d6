//! Thread-local accumulation of reductions in a loop.
//!
//! ```text
//! for .. iter(acc = init)                    for .. iter(part = neutral)
//!   r = reduce x along the last dim            y = x as [.., H, R]: thread h has R elements of a row
//!   yield acc + r                              r = reduce y along R, within threads
//! acc                                          yield part + r
//!                                            init + reduce part along H
//! ```
//! From the lowest bit on, positions in a row select registers, then threads, then registers. The view groups all
//! register bits in dimension R. Sums of floats are reassociated.

use crate::ir::ops::{scf, tt};
use crate::ir::{AnyKind, Layouts, TensorType, UpstreamKind, builders};
use crate::passes::respell::attribute;
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Rewriter};
use linear_layout::encoding::{Encoding, infer};
use linear_layout::layout::Dim;
use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Attribute, BlockLike, Type, ValueLike};

struct LoopAccumulation<'c> {
    reduce: Op<'c>,
    update: Op<'c>,
    /// Indices of two operands of `update`: the accumulator, and the result of `reduce`.
    at: (usize, usize),
    looped: Op<'c>,
    carried: usize,
    neutral: Attribute<'c>,
}

/// The distribution of the last dimension over registers and threads. The index along this dimension consists of
/// three groups of bits, from the lowest to the highest: bits that select a register, bits that select a thread,
/// and again bits that select a register. Each field is the number of bits of its group.
#[derive(Clone, Copy)]
struct Row {
    low: usize,
    threads: usize,
    high: usize,
}

/// Rewrites the loop around `reduce` so that each thread accumulates its own elements in the loop, and threads are
/// combined only once, after the loop. This requires that the loop accumulates the results of `reduce` with the
/// same operation that `reduce` uses.
pub(super) fn accumulate<'c>(
    rewriter: Rewriter<'c>,
    layouts: &Layouts,
    reduce: Op<'c>,
) -> Option<()> {
    let found = LoopAccumulation::of(reduce)?;
    let source = build::only_operand(reduce);
    let tensor = TensorType::of(source.r#type())?;
    let row = row(layouts, &tensor)?;
    let layout = layouts.tensor(&tensor).ok()?;
    let shapes = shapes(tensor.shape, row);
    let mut encodings: Vec<Encoding> = Vec::new();
    for (i, shape) in shapes.iter().enumerate() {
        let last = encodings.last().unwrap_or(&layout.encoding);
        let before = if i == 0 {
            tensor.shape
        } else {
            &shapes[i - 1][..]
        };
        let is_transposed = i == 1;
        let encoding = match is_transposed {
            true => infer::trans(last, before, &swapped(shape.len())),
            false => infer::reshape(last, before, shape),
        };
        encodings.push(encoding.ok()?);
    }
    let rank = tensor.shape.len();
    let viewed = encodings.last()?;
    let partial = infer::reduce(viewed, rank).ok()?;
    let total = infer::reduce(&partial, rank - 1).ok()?;
    let type_of = |shape: &[u64], encoding: &Encoding| -> Option<Type<'c>> {
        let encoding = attribute(reduce, encoding)?;
        Some(RankedTensorType::new(shape, tensor.element, Some(encoding)).into())
    };
    let partial_type = type_of(&shapes.last()?[..rank], &partial)?;
    let total_type = type_of(&tensor.shape[..rank - 1], &total)?;
    let types: Option<Vec<_>> = shapes
        .iter()
        .zip(&encodings)
        .map(|(shape, encoding)| type_of(shape, encoding))
        .collect();
    found.carry_out(rewriter, &types?, (partial_type, total_type), rank)
}

/// Returns the shapes of three views of a tensor, each of which is a view of the previous one. In each view,
/// several dimensions replace the last dimension of `shape`.
///
/// With the sizes `low`, `threads` and `high` of the bit groups in `row`, these are `[high, threads, low]` in the
/// first view, `[threads, high, low]` in the second, and `[threads, high * low]` in the third.
fn shapes(shape: &[u64], row: Row) -> Vec<Vec<u64>> {
    let [low, threads, high] = [row.low, row.threads, row.high].map(|bits| 1u64 << bits);
    let outer = &shape[..shape.len() - 1];
    let with = |parts: &[u64]| [outer, parts].concat();
    vec![
        with(&[high, threads, low]),
        with(&[threads, high, low]),
        with(&[threads, high * low]),
    ]
}

/// Returns the permutation that swaps dimensions `rank - 3` and `rank - 2`.
fn swapped(rank: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rank).collect();
    order.swap(rank - 3, rank - 2);
    order
}

/// Returns the distribution of the last dimension over registers and threads.
///
/// Returns `None` if a thread holds a whole row or only one element of it, or if the index bits are in an order
/// that [`Row`] cannot describe.
fn row(layouts: &Layouts, tensor: &TensorType<'_>) -> Option<Row> {
    let layout = layouts.tensor(tensor).ok()?;
    let axis = tensor.shape.len().checked_sub(1)?;
    let bits = layout.unique.out_bits(Dim::out(axis));
    let mut in_register = vec![None; bits];
    for dim in [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK] {
        for bit in 0..layout.unique.in_bits(dim) {
            let place: Vec<u64> = layout.unique.basis(dim, bit).iter().collect();
            let along = place[axis];
            if along == 0 {
                continue;
            }
            let is_pure = place.iter().filter(|at| **at != 0).count() == 1;
            if !along.is_power_of_two() || !is_pure {
                return None;
            }
            in_register[along.trailing_zeros() as usize] = Some(dim == Dim::REGISTER);
        }
    }
    let of = |kind: bool| move |known: &&Option<bool>| **known == Some(kind);
    let low = in_register.iter().take_while(of(true)).count();
    let threads = in_register[low..].iter().take_while(of(false)).count();
    let high = in_register[low + threads..]
        .iter()
        .take_while(of(true))
        .count();
    let is_whole = low + threads + high == bits;
    let is_shared = threads > 0 && low + high > 0;
    (is_whole && is_shared).then_some(Row { low, threads, high })
}

/// Returns the neutral element of an operation, e.g. -0.0 for `arith.addf`.
fn neutral<'c>(
    context: &'c Context,
    kind: UpstreamKind,
    element: Type<'c>,
) -> Option<Attribute<'c>> {
    use UpstreamKind as U;
    let name = element.to_string();
    let width = crate::ir::element_bits(element)?;
    // The exponents of infinity, NaN and negative infinity are all ones.
    let (infinite, nan, minus) = match name.as_str() {
        "f16" => ("0x7C00", "0x7E00", "0xFC00"),
        "bf16" => ("0x7F80", "0x7FC0", "0xFF80"),
        "f32" => ("0x7F800000", "0x7FC00000", "0xFF800000"),
        "f64" => (
            "0x7FF0000000000000",
            "0x7FF8000000000000",
            "0xFFF0000000000000",
        ),
        _ => ("", "", ""),
    };
    let least = || (-(1i128 << (width - 1))).to_string();
    let most = || ((1i128 << (width - 1)) - 1).to_string();
    let value = match kind {
        U::ArithAddF => "-0.0".to_owned(),
        U::ArithMulF => "1.0".to_owned(),
        U::ArithMaximumF => minus.to_owned(),
        U::ArithMinimumF => infinite.to_owned(),
        // These return the other operand if one is NaN.
        U::ArithMaxNumF | U::ArithMinNumF => nan.to_owned(),
        U::ArithAddI | U::ArithOrI | U::ArithXOrI | U::ArithMaxUI => "0".to_owned(),
        U::ArithMulI => "1".to_owned(),
        U::ArithAndI | U::ArithMinUI => "-1".to_owned(),
        U::ArithMaxSI => least(),
        U::ArithMinSI => most(),
        _ => return None,
    };
    // Floats without these values, and integers.
    if value.is_empty() || width == 1 {
        return None;
    }
    Attribute::parse(context, &format!("{value} : {name}"))
}

impl<'c> LoopAccumulation<'c> {
    /// Matches a loop that accumulates the results of `reduce`. The accumulation must be the only use of each
    /// result, and of the accumulator in the loop. Returns `None` if the loop around `reduce` does not have this
    /// form.
    fn of(reduce: Op<'c>) -> Option<Self> {
        let view = tt::Reduce::of(reduce)?;
        if reduce.operand_count() != 1 {
            return None;
        }
        let result = build::only_result(reduce);
        let tensor = TensorType::of(result.r#type())?;
        let rank = TensorType::of(build::only_operand(reduce).r#type())?
            .shape
            .len();
        if usize::try_from(view.axis()).ok()? + 1 != rank {
            return None;
        }
        let kind = combines(reduce)?;
        let neutral = neutral(build::context(reduce), kind, tensor.element)?;
        let (update, reduced_at) = only_use(result)?;
        if !kind.is(update) || update.operand_count() != 2 {
            return None;
        }
        let at = (1 - reduced_at, reduced_at);
        let argument = build::operand(update, at.0);
        let body = sys::block_of_argument(argument)?;
        let looped = build::parent(update)?;
        scf::For::of(looped)?;
        if !build::is_in(update, body)
            || !build::is_in(reduce, body)
            || only_use(argument)?.0 != update
        {
            return None;
        }
        let (end, carried) = only_use(build::only_result(update))?;
        let is_end = build::operations(body).last() == Some(&end);
        // The first argument is the induction variable.
        if !is_end || build::argument(body, carried + 1) != argument || body.argument_count() < 2 {
            return None;
        }
        Some(Self {
            reduce,
            update,
            at,
            looped,
            carried,
            neutral,
        })
    }

    fn carry_out(
        &self,
        rewriter: Rewriter<'c>,
        views: &[Type<'c>],
        (partial, total): (Type<'c>, Type<'c>),
        rank: usize,
    ) -> Option<()> {
        let Self {
            reduce,
            update,
            looped,
            ..
        } = *self;
        let context = build::context(reduce);
        let axis = |axis: usize| Attribute::parse(context, &format!("{axis} : i32"));
        // The reduction within threads.
        let mut value = build::only_operand(reduce);
        for (i, type_) in views.iter().enumerate() {
            value = view(rewriter, reduce, value, *type_, i == 1)?;
        }
        let inner = rewriter.copy_before(reduce, reduce);
        rewriter.set_operand(inner, 0, value);
        rewriter.set_attribute(inner, tt::Reduce::AXIS_KEY, axis(rank)?);
        rewriter.set_result_type(inner, 0, partial);
        // The loop-carried value.
        let old = build::only_result(reduce).r#type();
        let first = looped.operand_count() - looped.result_count();
        let start = build::operand(looped, first + self.carried);
        let neutral = build::splat(partial, self.neutral);
        let neutral = builders::arith::constant(neutral, partial).before(rewriter, looped)?;
        let carried = build::result(looped, self.carried);
        // The reduction after the loop.
        let behind = build::next(looped)?;
        let outer = rewriter.copy_before(behind, reduce);
        rewriter.set_attribute(outer, tt::Reduce::AXIS_KEY, axis(rank - 1)?);
        rewriter.set_result_type(outer, 0, total);
        let mut all = build::only_result(outer);
        if total != old {
            all = builders::ttg::convert_layout(all, old).before(rewriter, behind)?;
        }
        let last = rewriter.copy_before(behind, update);
        rewriter.set_operand(last, self.at.0, start);
        rewriter.set_operand(last, self.at.1, all);
        rewriter.replace_all_uses(carried, build::only_result(last));
        rewriter.set_operand(outer, 0, carried);
        // The loop operation.
        rewriter.set_operand(looped, first + self.carried, neutral);
        rewriter.set_operand(update, self.at.1, build::only_result(inner));
        rewriter.set_type(build::operand(update, self.at.0), partial);
        rewriter.set_type(build::only_result(update), partial);
        rewriter.set_type(carried, partial);
        rewriter.erase(reduce);
        Some(())
    }
}

fn combines(reduce: Op<'_>) -> Option<UpstreamKind> {
    let block = build::block_of(tt::Reduce::of(reduce)?.combine_op())?;
    let operations = build::operations(block);
    let [op, end] = operations[..] else {
        return None;
    };
    let AnyKind::Upstream(kind) = AnyKind::of(op) else {
        return None;
    };
    let arguments = [build::argument(block, 0), build::argument(block, 1)];
    let operands = build::operands(op);
    let is_of_both = operands[..] == arguments || operands[..] == [arguments[1], arguments[0]];
    let is_result = op.result_count() == 1 && build::operands(end)[..] == [build::only_result(op)];
    (is_of_both && is_result).then_some(kind)
}

fn only_use<'c>(value: Val<'c>) -> Option<(Op<'c>, usize)> {
    match sys::uses(value)[..] {
        [only] => Some(only),
        _ => None,
    }
}

fn view<'c>(
    rewriter: Rewriter<'c>,
    place: Op<'c>,
    value: Val<'c>,
    type_: Type<'c>,
    is_transposed: bool,
) -> Option<Val<'c>> {
    if !is_transposed {
        return builders::tt::reshape(value, type_).before(rewriter, place);
    }
    let order = swapped(TensorType::of(type_)?.shape.len());
    let order = order.into_iter().map(|dim| i32::try_from(dim).ok());
    builders::tt::trans(value, &order.collect::<Option<Vec<_>>>()?, type_).before(rewriter, place)
}
