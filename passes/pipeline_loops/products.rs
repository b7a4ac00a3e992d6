//! Warp-group products that stay in flight while another product starts.
//!
//! A product is a *sum* if the loop only yields its result. The other products are *joins*: an operation of the same
//! iteration needs the result, so the loop waits directly after the product.
//!
//! ```text
//! for i iter_args(total)                for i iter_args(total)
//!   s = q . k                             s = q . k, asynchronous           the join
//!   p = softmax(s)                        s, total = wait for all products
//!   total = p . v + f(total)       ->     p = softmax(s)
//!   yield total                           total = p . v + f(total), asynchronous   the sum
//!                                         yield total
//! ```
//! The loop waits for a sum together with the next join. If the next join is in the next iteration, the sum *crosses*
//! the iterations, and its operands must remain in shared memory or in registers until then. In a loop without joins,
//! all sums cross, and the loop waits for each of them when the next iteration has started the same product again.

use super::loads::PipelinedLoad;
use crate::analysis::effects::OpId;
use crate::ir::builders;
use crate::ir::ops::{ttg, ttng};
use crate::sys::build::{self, Blk, Op, Val};
use crate::sys::{self, Rewriter};
use melior::ir::Type;
use melior::ir::ValueLike;
use melior::ir::attribute::BoolAttribute;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;

/// The products of a loop that become asynchronous. There are none if no product can stay in flight.
#[derive(Default)]
pub(super) struct Overlap<'c> {
    sums: Vec<Sum<'c>>,
    joins: Vec<ttng::WarpGroupDot<'c, 'c>>,
}

/// A product whose result is only yielded.
struct Sum<'c> {
    dot: ttng::WarpGroupDot<'c, 'c>,
    /// The position of the loop-carried value that the result becomes.
    carried: usize,
    /// Index of the next join of the same iteration, in [`Overlap::joins`]. `None` if the sum crosses the iterations.
    join: Option<usize>,
}

impl<'c> Overlap<'c> {
    pub(super) fn of(body: Blk<'c>, loads: &[PipelinedLoad<'c>]) -> Self {
        let ops = build::operations(body);
        let products: Vec<_> = { ops.iter().copied() }
            .flat_map(build::in_order)
            .filter_map(ttng::WarpGroupDot::of)
            .collect();
        let loop_ = ProductLoop {
            body,
            positions: (ops.iter().map(|op| sys::operation_id(*op)).zip(0..)).collect(),
            loads,
        };
        let is_synchronous = |dot: &ttng::WarpGroupDot<'c, 'c>| {
            loop_.is_direct(dot.op()) && !dot.is_async() && dot.use_c().is_none()
        };
        if !products.iter().all(is_synchronous) {
            return Self::default();
        }
        let mut carried: Vec<Option<usize>> = products
            .iter()
            .map(|dot| loop_.only_yielded(dot.d()))
            .collect();
        // A sum that cannot cross becomes a join, which may be the next join of sums before it.
        loop {
            let first = carried.iter().position(Option::is_none);
            let after = carried
                .iter()
                .rposition(Option::is_none)
                .map_or(0, |at| at + 1);
            let first = first.map(|at| products[at]);
            let refused = (after..products.len()).rfind(|at| {
                !carried[*at].is_some_and(|to| loop_.may_cross(products[*at], to, first))
            });
            match refused {
                Some(at) => carried[at] = None,
                None => break,
            }
        }
        let mut overlap = Self::default();
        for (dot, carried) in products.iter().zip(&carried) {
            match carried {
                Some(carried) => overlap.sums.push(Sum {
                    dot: *dot,
                    carried: *carried,
                    join: None,
                }),
                None => {
                    for sum in &mut overlap.sums {
                        sum.join.get_or_insert(overlap.joins.len());
                    }
                    overlap.joins.push(*dot);
                }
            }
        }
        match overlap.sums.is_empty() {
            true => Self::default(),
            false => overlap,
        }
    }

    /// Returns true if sums can be in flight when an iteration ends.
    pub(super) fn may_cross(&self) -> bool {
        self.crossing().next().is_some()
    }

    pub(super) fn has_joins(&self) -> bool {
        !self.joins.is_empty()
    }

    /// Returns the positions of the loop-carried values that crossing sums compute.
    pub(super) fn crossing(&self) -> impl Iterator<Item = usize> {
        let crossing = self.sums.iter().filter(|sum| sum.join.is_none());
        crossing.map(|sum| sum.carried)
    }

    /// Makes the products asynchronous and inserts the waits within the loop. If `crosses` is false, the sums that may
    /// cross the iterations remain synchronous. Otherwise, the caller inserts the wait for them after the loop. Returns
    /// `None` if MLIR rejects an operation.
    pub(super) fn rewrite(
        &self,
        rewriter: Rewriter<'c>,
        body: Blk<'c>,
        crosses: bool,
    ) -> Option<()> {
        let end = *build::operations(body).last()?;
        let is_async = BoolAttribute::new(build::context(end), true).into();
        let start = |dot: ttng::WarpGroupDot<'c, 'c>| {
            rewriter.set_attribute(dot.op(), ttng::WarpGroupDot::IS_ASYNC_KEY, is_async);
            dot.d()
        };
        if crosses && self.joins.is_empty() {
            let sums: Vec<Val<'c>> = self.sums.iter().map(|sum| start(sum.dot)).collect();
            let at_most = i64::try_from(sums.len()).ok()?;
            return wait(rewriter, end, &sums, at_most).map(drop);
        }
        let crossing = self.sums.iter().filter(|sum| crosses && sum.join.is_none());
        let mut crossing: Vec<Val<'c>> = crossing
            .map(|sum| {
                start(sum.dot);
                build::argument(body, sum.carried + 1)
            })
            .collect();
        for (at, join) in self.joins.iter().enumerate() {
            let own = self.sums.iter().filter(|sum| sum.join == Some(at));
            let mut values: Vec<Val<'c>> = own.map(|sum| start(sum.dot)).collect();
            // The first join of an iteration is the first one after the crossing sums.
            values.append(&mut crossing);
            if !values.is_empty() {
                values.insert(0, start(*join));
                wait(rewriter, build::next(join.op())?, &values, 0)?;
            }
        }
        Some(())
    }
}

/// The body of a loop, and the loads that become copies.
struct ProductLoop<'p, 'c> {
    body: Blk<'c>,
    /// The position of each operation in the body. Operations in nested regions have none.
    positions: FxHashMap<OpId, usize>,
    loads: &'p [PipelinedLoad<'c>],
}

impl<'c> ProductLoop<'_, 'c> {
    fn is_direct(&self, op: Op<'c>) -> bool {
        self.positions.contains_key(&sys::operation_id(op))
    }

    /// Returns the position of the operation of the body that is or contains `op`.
    fn position(&self, op: Op<'c>) -> Option<usize> {
        let mut around = std::iter::once(op).chain(build::ancestors(op));
        around.find_map(|op| self.positions.get(&sys::operation_id(op)).copied())
    }

    /// If the terminator of the body is the only user of `value`, and yields it once, returns the position of the
    /// loop-carried value.
    fn only_yielded(&self, value: Val<'c>) -> Option<usize> {
        let [(user, carried)] = sys::uses(value)[..] else {
            return None;
        };
        (self.position(user)? + 1 == self.positions.len() && self.is_direct(user))
            .then_some(carried)
    }

    /// Returns true if a product may stay in flight until the join `first` of the next iteration. If the loop has no
    /// join, returns true if the product may stay in flight until it has started again in the next iteration.
    fn may_cross(
        &self,
        dot: ttng::WarpGroupDot<'c, 'c>,
        carried: usize,
        first: Option<ttng::WarpGroupDot<'c, 'c>>,
    ) -> bool {
        let sum = build::argument(self.body, carried + 1);
        let uses = sys::uses(sum);
        let is_read_in_time = match first.and_then(|first| self.position(first.op())) {
            Some(first) => uses
                .iter()
                .all(|(user, _)| self.position(*user) > Some(first)),
            None => sum == dot.c() && uses.len() == 1 && self.is_in_memory(dot.a()),
        };
        is_read_in_time && self.stays(dot.a()) && self.stays(dot.b())
    }

    fn is_in_memory(&self, operand: Val<'c>) -> bool {
        sys::buffer(operand.r#type()).is_some()
    }

    /// Returns true if an operand keeps its value during the next iteration: it is in registers, in a slot, or in a
    /// buffer from outside the loop.
    fn stays(&self, operand: Val<'c>) -> bool {
        if !self.is_in_memory(operand) {
            return true;
        }
        let mut buffer = operand;
        while let Some(op) =
            sys::defining_operation(buffer).filter(|op| build::is_in(*op, self.body))
        {
            let Some(view) = ttg::MemDescTrans::of(op) else {
                let mut allocs = self.loads.iter().flat_map(|load| &load.allocs);
                return allocs.any(|alloc| alloc.op() == op);
            };
            buffer = view.src();
        }
        true
    }
}

/// Inserts a wait in front of `place` until at most `at_most` products are in flight. The results of the wait replace
/// `values` everywhere else. Returns these results, or `None` if MLIR rejects the wait.
pub(super) fn wait<'c>(
    rewriter: Rewriter<'c>,
    place: Op<'c>,
    values: &[Val<'c>],
    at_most: i64,
) -> Option<Vec<Val<'c>>> {
    let types: Vec<Type<'c>> = values.iter().map(|value| value.r#type()).collect();
    let wait = builders::ttng::warp_group_dot_wait(values, at_most, &types);
    let wait = wait.insert(rewriter, place, place.location())?;
    let waited = build::results(wait);
    for (at, (old, new)) in values.iter().zip(&waited).enumerate() {
        rewriter.replace_all_uses(*old, *new);
        rewriter.set_operand(wait, at, *old);
    }
    Some(waited)
}
