//! The pipelined form of a loop.
//!
//! Iteration `i` waits for its own copies, and starts the copies of iteration `i + ahead`. The loop carries what the
//! addresses of these copies depend on, `ahead` iterations ahead. Copies after the last iteration are masked off.

use super::super::block_copies::{Mbarriers, mutable, replace_buffer};
use super::super::context::PassContext;
use super::super::insertion::{Constants, Insertion};
use super::super::rewrite_layouts::drop_dead;
use super::loads::{CopyPlace, LoadOp, PipelinedLoop, Stages};
use super::products::wait;
use super::reads;
use crate::analysis::assignment::Role;
use crate::analysis::effects::{OpId, ValueId};
use crate::ir::builders::arith::CmpIPredicate;
use crate::ir::ops::tt;
use crate::ir::{TensorType, builders};
use crate::sys;
use crate::sys::build::{self, Op, Val};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Region, Type, ValueLike};
use rustc_hash::{FxHashMap, FxHashSet};

/// Pipelines a loop. Returns `None` if MLIR rejects an operation. In this case, MLIR has already reported the
/// error.
pub(super) fn rewrite<'c>(
    context: &PassContext<'c>,
    plan: &PipelinedLoop<'c>,
    stages: Stages,
) -> Option<()> {
    let constants = Constants::default();
    let before = Insertion {
        context,
        place: plan.looped.op(),
        front: plan.looped.op(),
        constants: &constants,
    };
    let mut buffers = Vec::new();
    for load in &plan.loads {
        let type_ = mutable(load.slot, Some(stages.slots))?;
        buffers.push(before.add(builders::ttg::local_alloc(None, type_))?);
    }
    let before = Insertion {
        front: sys::defining_operation(*buffers.first()?)?,
        ..before
    };
    let mbarriers = match plan.block_bytes()? {
        0 => None,
        _ => Some(before.mbarriers(stages.slots)?),
    };
    let pipeline = Pipeline {
        plan,
        stages,
        before,
        buffers,
        mbarriers,
    };
    pipeline.run()
}

impl<'c> Insertion<'_, 'c> {
    fn token(self) -> Option<Type<'c>> {
        Type::parse(build::context(self.place), "!ttg.async.token")
    }

    /// Inserts a wait until at most `groups` groups of copies are in flight.
    fn wait(self, groups: u32) -> Option<Val<'c>> {
        self.add(builders::ttg::async_wait(&[], groups.into(), self.token()?))
    }

    /// Inserts operations that compute the index of the slot after `slot`, and a Boolean value that is true if this
    /// index wraps around to the first slot. Returns both values.
    fn next_slot(self, slot: Val<'c>, slots: u32) -> Option<[Val<'c>; 2]> {
        let next = self.add(builders::arith::addi(slot, self.index(1)?))?;
        let is_end = self.compare(CmpIPredicate::Sge, next, self.index(slots)?)?;
        let first = self.index(0)?;
        Some([
            self.add(builders::arith::select(is_end, first, next))?,
            is_end,
        ])
    }
}

/// The values of one iteration on which the address computation depends.
struct Iteration<'c> {
    induction: Val<'c>,
    /// The values that the loop-carried values in [`PipelinedLoop::carried`] have in this iteration, in the same
    /// order.
    carried: Vec<Val<'c>>,
    /// True if the iteration exists, false if it is after the last one.
    exists: Val<'c>,
}

struct Pipeline<'p, 'c> {
    plan: &'p PipelinedLoop<'c>,
    stages: Stages,
    /// Insertion point in front of the loop.
    before: Insertion<'p, 'c>,
    /// The buffer of each load, which contains all slots of the load.
    buffers: Vec<Val<'c>>,
    /// One mbarrier per slot, which counts the bytes that TMA copies to the slot. `None` if TMA copies nothing.
    mbarriers: Option<Mbarriers<'c>>,
}

/// The state in front of the loop, after the copies of the first iterations have started.
struct Prologue<'c> {
    /// The initial values of the loop-carried values that compute addresses. Iteration 0 of the new loop starts the
    /// copies of iteration `ahead`, so these are the values at the start of iteration `ahead`. They are in the
    /// order of [`PipelinedLoop::carried`].
    carried: Vec<Val<'c>>,
    /// Bound on the induction variable. An iteration of the new loop starts copies only if its induction variable
    /// has not reached this value.
    end: Val<'c>,
}

impl<'c> Pipeline<'_, 'c> {
    fn run(&self) -> Option<()> {
        let (looped, body) = (self.plan.looped, self.plan.body);
        let rewriter = self.before.context.rewriter();
        let prologue = self.prologue()?;
        let kept = self.live_values();

        // The new loop carries the live values of the old one, the values ahead, two slots, and a phase of mbarriers.
        let initial = looped.init_args();
        let mut inits: Vec<Val<'c>> = kept.iter().map(|at| initial[*at]).collect();
        inits.extend(&prologue.carried);
        let Stages { slots, ahead, .. } = self.stages;
        let [first, ahead] = [0, ahead % slots].map(|slot| self.before.index(slot));
        inits.extend([first?, ahead?]);
        inits.extend(self.mbarriers.and(first));
        let types: Vec<Type<'c>> = inits.iter().map(|value| value.r#type()).collect();
        let (lower, upper, step) = (looped.lower_bound(), looped.upper_bound(), looped.step());
        let location = looped.op().location();
        let piped = builders::scf::r#for(lower, upper, step, &inits, Region::new(), &types)
            .with_discardable(&build::discardable_attributes(looped.op()))
            .insert(rewriter, looped.op(), location)?;
        rewriter.move_regions(looped.op(), piped);
        let added = types[kept.len()..].iter();
        let added = added.map(|type_| rewriter.add_block_argument(body, *type_, location));
        let added: Vec<Val<'c>> = added.collect();
        let next = self.iteration(&added, prologue.end)?;
        let old_end = *build::operations(body).last()?;
        let yielded = build::operands(old_end);
        let mut yielded: Vec<Val<'c>> = kept.iter().map(|at| yielded[*at]).collect();
        yielded.extend(next);
        builders::scf::r#yield(&yielded).insert(rewriter, old_end, old_end.location())?;
        rewriter.erase(old_end);
        drop_dead(rewriter, piped, &mut |_| ());
        let old_arguments = 1..=initial.len();
        rewriter.remove_arguments(body, |at| {
            old_arguments.contains(&at) && !kept.contains(&(at - 1))
        });
        self.epilogue(piped, &kept)
    }

    /// Inserts the copies of the first `ahead` iterations in front of the loop.
    fn prologue(&self) -> Option<Prologue<'c>> {
        let (plan, before) = (self.plan, self.before);
        let looped = plan.looped;
        let count = self.count()?;
        let initial = looped.init_args();
        let mut induction = looped.lower_bound();
        let mut carried: Vec<Val<'c>> = plan.carried.iter().map(|at| initial[*at]).collect();
        for number in 0..self.stages.ahead {
            if number > 0 {
                induction = before.add(builders::arith::addi(induction, looped.step()))?;
            }
            let before_it = before.integer(induction.r#type(), number.into())?;
            let iteration = Iteration {
                induction,
                carried,
                exists: before.compare(CmpIPredicate::Ugt, count, before_it)?,
            };
            carried = self.copies(before, &iteration, before.index(number)?)?;
        }
        let end = self.end_of_copies(count)?;
        Some(Prologue { carried, end })
    }

    /// Rewrites the body of the loop: inserts the wait and the copies, and replaces the loads. `added` contains the
    /// new block arguments. Returns the values of these arguments in the next iteration.
    fn iteration(&self, added: &[Val<'c>], end: Val<'c>) -> Option<Vec<Val<'c>>> {
        let plan = self.plan;
        let (body, step) = (plan.body, plan.looped.step());
        let Stages { slots, ahead, .. } = self.stages;
        let (carried, slot) = added.split_at(plan.carried.len());
        let [read, filled, ref phase @ ..] = slot[..] else {
            return None;
        };
        let phase = phase.first().copied();
        let first = Insertion {
            place: *build::operations(body).first()?,
            ..self.before
        };
        self.wait_for_copies(first, read, phase)?;
        let induction = build::argument(body, 0);
        let distance = first.integer(induction.r#type(), ahead.into())?;
        let distance = first.add(builders::arith::muli(step, distance))?;
        let later = Iteration {
            induction: first.add(builders::arith::addi(induction, distance))?,
            carried: carried.to_vec(),
            exists: first.compare(CmpIPredicate::Slt, induction, end)?,
        };
        let end = Insertion {
            place: *build::operations(body).last()?,
            ..first
        };
        let overlap = || {
            let rewriter = self.before.context.rewriter();
            plan.overlap
                .rewrite(rewriter, body, self.stages.products_cross)
        };
        let place = match self.stages.place {
            CopyPlace::Before => first,
            CopyPlace::During | CopyPlace::After => end,
        };
        let copies = || self.copies(place, &later, filled);
        // The wait for products is inserted at the end of the iteration.
        let mut next = if self.stages.place == CopyPlace::During {
            let next = copies()?;
            overlap()?;
            next
        } else {
            overlap()?;
            copies()?
        };
        let [read_next, is_first] = first.next_slot(read, slots)?;
        let [filled_next, _] = first.next_slot(filled, slots)?;
        next.extend([read_next, filled_next]);
        if let Some(phase) = phase {
            let change = first.add(builders::arith::extui(is_first, first.integer_type(32)))?;
            next.push(first.add(builders::arith::xori(phase, change))?);
        }
        self.replace_loads(first, read)?;
        Some(next)
    }

    /// Inserts the waits for the copies that an iteration reads from `slot`. `phase` is the parity of the mbarrier
    /// phase that ends when the copied blocks have arrived.
    fn wait_for_copies(
        &self,
        at: Insertion<'_, 'c>,
        slot: Val<'c>,
        phase: Option<Val<'c>>,
    ) -> Option<()> {
        if self.plan.has_pointers() {
            at.wait(self.stages.ahead - 1)?;
        }
        if let Some((mbarriers, phase)) = self.mbarriers.zip(phase) {
            let mbarrier = mbarriers.get(at, slot)?;
            at.insert(builders::ttng::wait_barrier(mbarrier, phase, None, &[]))?;
        }
        Some(())
    }

    /// Inserts a `ttng.barrier_expect` for the mbarrier of `slot`. The mbarrier then waits for the bytes of all
    /// blocks that TMA copies for one iteration. The operation has no effect if `exists` is false. Returns the
    /// mbarrier.
    fn expect(
        &self,
        mbarriers: Mbarriers<'c>,
        at: Insertion<'_, 'c>,
        slot: Val<'c>,
        exists: Val<'c>,
    ) -> Option<Val<'c>> {
        let mbarrier = mbarriers.get(at, slot)?;
        let bytes = i64::try_from(self.plan.block_bytes()?).ok()?;
        at.insert(builders::ttng::barrier_expect(mbarrier, bytes, exists))?;
        Some(mbarrier)
    }

    /// Replaces each load of an iteration by the contents of its slot. `read` is the index of the slot, which is
    /// the same for all loads.
    fn replace_loads(&self, first: Insertion<'_, 'c>, read: Val<'c>) -> Option<()> {
        let (plan, rewriter) = (self.plan, self.before.context.rewriter());
        let mut slots = Vec::new();
        for (load, all) in plan.loads.iter().zip(&self.buffers) {
            slots.push(first.add(builders::ttg::memdesc_index(*all, read, load.slot))?);
        }
        for (pipelined, slot) in plan.loads.iter().zip(slots) {
            let load = pipelined.load;
            for alloc in &pipelined.allocs {
                replace_buffer(rewriter, alloc.result(), slot)?;
                rewriter.erase(alloc.op());
            }
            reads::replace(first.context, plan.body, load.result(), slot)?;
        }
        Some(())
    }

    /// Inserts the waits for products and copies after the loop, and deallocates the buffers. Then replaces the old
    /// loop by `piped`, which carries the values at the positions `kept`.
    fn epilogue(&self, piped: Op<'c>, kept: &[usize]) -> Option<()> {
        let (plan, rewriter) = (self.plan, self.before.context.rewriter());
        let old = plan.looped.op();
        let mut results = build::results(piped);
        let crossing = plan
            .overlap
            .crossing()
            .filter(|_| self.stages.products_cross);
        let positions = crossing.filter_map(|carried| kept.iter().position(|at| *at == carried));
        let positions: Vec<usize> = positions.collect();
        if !positions.is_empty() {
            let sums: Vec<Val<'c>> = positions.iter().map(|at| results[*at]).collect();
            for (at, sum) in positions.into_iter().zip(wait(rewriter, old, &sums, 0)?) {
                results[at] = sum;
            }
        }
        for (at, new) in kept.iter().zip(results) {
            rewriter.replace_all_uses(build::result(old, *at), new);
        }
        if plan.has_pointers() {
            self.before.wait(0)?;
        }
        if let Some(mbarriers) = self.mbarriers {
            mbarriers.invalidate(self.before)?;
        }
        for buffer in &self.buffers {
            builders::ttg::local_dealloc(*buffer).insert(rewriter, old, old.location())?;
        }
        rewriter.erase(old);
        Some(())
    }

    /// Returns the number of iterations, as an unsigned integer.
    fn count(&self) -> Option<Val<'c>> {
        let (before, looped) = (self.before, self.plan.looped);
        let (lower, upper, step) = (looped.lower_bound(), looped.upper_bound(), looped.step());
        let [zero, one] = [0, 1].map(|n| before.integer(lower.r#type(), n));
        // The difference of two signed integers fits in an unsigned one.
        let distance = before.add(builders::arith::subi(upper, lower))?;
        let last = before.add(builders::arith::subi(distance, one?))?;
        let steps = before.add(builders::arith::divui(last, step))?;
        let count = before.add(builders::arith::addi(steps, one?))?;
        let is_entered = before.compare(CmpIPredicate::Slt, lower, upper)?;
        before.add(builders::arith::select(is_entered, count, zero?))
    }

    /// Returns the induction variable of the first iteration that starts no copies.
    ///
    /// The returned value is at most the upper bound, so its computation does not overflow.
    fn end_of_copies(&self, count: Val<'c>) -> Option<Val<'c>> {
        let (before, looped) = (self.before, self.plan.looped);
        let ahead = before.integer(count.r#type(), self.stages.ahead.into())?;
        let most = before.add(builders::arith::maxui(count, ahead))?;
        let copies = before.add(builders::arith::subi(most, ahead))?;
        let distance = before.add(builders::arith::muli(copies, looped.step()))?;
        before.add(builders::arith::addi(looped.lower_bound(), distance))
    }

    /// Inserts the copies that fill the slot with the index `slot` for an iteration, as one group. Returns the
    /// loop-carried values of the following iteration, in the order of [`PipelinedLoop::carried`].
    fn copies(
        &self,
        at: Insertion<'_, 'c>,
        iteration: &Iteration<'c>,
        slot: Val<'c>,
    ) -> Option<Vec<Val<'c>>> {
        let (plan, rewriter) = (self.plan, at.context.rewriter());
        let arguments = build::block_arguments(plan.body);
        let mut values: FxHashMap<ValueId, Val<'c>> = FxHashMap::default();
        values.insert(sys::value_id(arguments[0]), iteration.induction);
        for (i, value) in plan.carried.iter().zip(&iteration.carried) {
            values.insert(sys::value_id(arguments[i + 1]), *value);
        }
        for op in &plan.slice {
            let copy = rewriter.copy_before(at.place, *op);
            for (i, operand) in build::operands(*op).into_iter().enumerate() {
                if let Some(value) = values.get(&sys::value_id(operand)) {
                    rewriter.set_operand(copy, i, *value);
                }
            }
            let mut made = build::results(copy);
            if let Some(load) = tt::Load::of(copy) {
                made = vec![masked(at, load, iteration.exists)?];
                rewriter.erase(copy);
            }
            let results = build::results(*op).into_iter().map(sys::value_id);
            values.extend(results.zip(made));
        }
        let value = |value: Val<'c>| values.get(&sys::value_id(value)).copied().unwrap_or(value);
        let exists = iteration.exists;
        let mbarrier = match self.mbarriers {
            Some(mbarriers) => Some(self.expect(mbarriers, at, slot, exists)?),
            None => None,
        };
        let mut tokens = Vec::new();
        for (pipelined, slots) in plan.loads.iter().zip(&self.buffers) {
            let slot = at.add(builders::ttg::memdesc_index(*slots, slot, pipelined.slot))?;
            match pipelined.load {
                LoadOp::Pointers(load) => {
                    let pointer = value(load.ptr());
                    let mask = mask(at, pointer, load.mask().map(value), exists)?;
                    let other = load.other().map(value);
                    let token = at.token()?;
                    let copy = builders::ttg::async_copy_global_to_local;
                    let copy = copy(pointer, slot, Some(mask), other, token)
                        .cache_policy(load.cache_policy())
                        .with_discardable(&build::discardable_attributes(load.op()));
                    let copy = copy.insert(rewriter, at.place, load.op().location())?;
                    tokens.push(build::only_result(copy));
                }
                LoadOp::Block(load) => {
                    let indices: Vec<Val<'c>> = load.indices().into_iter().map(value).collect();
                    let block = (load.desc(), &indices[..]);
                    at.copy_block(load, block, (slot, mbarrier?), exists)?;
                }
            }
        }
        if !tokens.is_empty() {
            at.add(builders::ttg::async_commit_group(&tokens, at.token()?))?;
        }
        let yielded = build::terminator_operands(plan.body);
        Some(plan.carried.iter().map(|i| value(yielded[*i])).collect())
    }

    /// Returns the positions of the loop-carried values that have other uses than the replaced loads.
    fn live_values(&self) -> Vec<usize> {
        let PipelinedLoop {
            looped,
            body,
            loads,
            ..
        } = self.plan;
        let replaced: FxHashSet<OpId> = loads
            .iter()
            .flat_map(|load| {
                let allocs = load.allocs.iter().map(|alloc| alloc.op());
                allocs.chain([load.load.op()])
            })
            .map(sys::operation_id)
            .collect();
        let mut ops = build::operations(*body);
        ops.pop();
        ops.retain(|op| !Role::of(*op).is_pure() && !replaced.contains(&sys::operation_id(*op)));
        let mut waiting: Vec<Val<'c>> = ops.into_iter().flat_map(operands_within).collect();
        let yielded = build::terminator_operands(*body);
        let arguments = build::block_arguments(*body);
        let mut live: FxHashSet<usize> = FxHashSet::default();
        let results = build::results(looped.op()).into_iter().enumerate();
        for (at, _) in results.filter(|(_, result)| !sys::is_unused(*result)) {
            live.insert(at);
            waiting.push(yielded[at]);
        }
        let mut seen: FxHashSet<ValueId> = FxHashSet::default();
        while let Some(value) = waiting.pop() {
            if !seen.insert(sys::value_id(value)) {
                continue;
            }
            if let Some(at) = arguments
                .iter()
                .skip(1)
                .position(|argument| *argument == value)
            {
                live.insert(at);
                waiting.push(yielded[at]);
            } else if let Some(op) = sys::defining_operation(value)
                && !replaced.contains(&sys::operation_id(op))
                && build::is_in(op, *body)
            {
                waiting.extend(operands_within(op));
            }
        }
        (0..yielded.len()).filter(|at| live.contains(at)).collect()
    }
}

/// Returns the operands of an operation and of all operations in its regions.
fn operands_within(op: Op<'_>) -> Vec<Val<'_>> {
    build::in_order(op)
        .into_iter()
        .flat_map(build::operands)
        .collect()
}

/// Returns the mask of an access that must not happen if `exists` is false. This is the conjunction of `mask` (if
/// there is one) and `exists`.
fn mask<'c>(
    at: Insertion<'_, 'c>,
    pointer: Val<'c>,
    mask: Option<Val<'c>>,
    exists: Val<'c>,
) -> Option<Val<'c>> {
    let exists = match TensorType::of(pointer.r#type()) {
        Some(tensor) => {
            let type_ = RankedTensorType::new(tensor.shape, exists.r#type(), tensor.encoding);
            at.add(builders::tt::splat(exists, type_.into()))?
        }
        None => exists,
    };
    match mask {
        Some(mask) => at.add(builders::arith::andi(exists, mask)),
        None => Some(exists),
    }
}

/// Inserts a variant of `load` that reads memory only if `exists` is true, and returns its result. If `exists` is
/// false, the result is unspecified.
fn masked<'c>(at: Insertion<'_, 'c>, load: tt::Load<'c, 'c>, exists: Val<'c>) -> Option<Val<'c>> {
    let mask = mask(at, load.ptr(), load.mask(), exists)?;
    let building = builders::tt::load(load.ptr(), Some(mask), load.other(), load.result().r#type())
        .cache_policy(load.cache_policy())
        .with_discardable(&build::discardable_attributes(load.op()));
    at.add(building)
}
