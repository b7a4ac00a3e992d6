//! Programs over tuples, one register of each operand: what `tt.reduce` and `tt.scan` become.

use super::allocate::Asked;
use super::blocks::BlockGraph;
use super::convert::emit_plans;
use super::emit::attributes_of;
use super::gpu::{Gpu, LaneOperation, SingleOperation};
use super::plans::{Planned, layout_of, wrong};
use super::state::{Lowering, Outcome};
use super::types::bits_of;
use super::words;
use crate::analysis::effects::{Choice, Effects};
use crate::ir::{Layouts, TensorLayout, TensorType, element_bits};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::plan::tuples::{Condition, LaneSource, TupleProgram, TupleStep, Turns};
use linear_layout::plan::{ConvertPlan, Program, ValueId};
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use std::collections::HashMap;
use std::sync::Arc;

/// What an operation combines, and by how many instructions.
pub(super) struct Operands {
    pub(super) layout: Arc<TensorLayout>,
    pub(super) widths: Vec<u32>,
    pub(super) combine: u32,
}

impl Operands {
    /// Reads operands of one layout, and the region that combines them.
    pub(super) fn of(layouts: &Layouts, op: Op<'_>) -> Result<Self, Diagnostic> {
        let operands: Vec<Val<'_>> = (0..op.operand_count())
            .map(|i| build::operand(op, i))
            .collect();
        let unlike = || Diagnostic::new("needs operands of one layout, which are tensors");
        let layout = layout_of(layouts, operands.first().ok_or_else(unlike)?.r#type())?;
        let widths = operands
            .iter()
            .map(|operand| {
                let tensor = TensorType::of(operand.r#type()).ok_or_else(unlike)?;
                element_bits(tensor.element).ok_or_else(|| {
                    Diagnostic::new(format!(
                        "has elements of unknown width in `{}`",
                        operand.r#type()
                    ))
                })
            })
            .collect::<Result<Vec<u32>, _>>()?;
        Ok(Self {
            layout,
            widths,
            combine: instructions(op),
        })
    }
}

/// How many operations the region has, its end left out: about what a combination costs.
fn instructions(op: Op<'_>) -> u32 {
    let blocks = (0..op.region_count()).flat_map(|region| build::blocks(op, region));
    let operations = blocks.map(|block| {
        let count = build::operations(block).len();
        u32::try_from(count).unwrap_or(u32::MAX)
    });
    operations.sum::<u32>().saturating_sub(1).max(1)
}

/// What an operation does in shared memory: what the conversions in its program do. `options` are what the program
/// depends on beside the operation's types and region. `plan` gives it with the bytes of the plain way, within a limit.
pub(super) fn effects(
    asked: &mut Asked<'_>,
    op: Op<'_>,
    options: [usize; 2],
    plan: impl FnOnce(&Layouts, Gpu, &Operands, Option<u32>) -> Result<Planned, Diagnostic>,
) -> Result<Effects, Diagnostic> {
    let (layouts, gpu, limit) = (asked.layouts, asked.gpu, asked.scratch_limit);
    let operands = Operands::of(layouts, op)?;
    let kind = crate::ir::OpKind::of(op).map_or(0, |kind| kind as usize);
    let types = (0..op.operand_count()).map(|i| build::operand(op, i));
    let results = (0..op.result_count()).map(|i| build::result(op, i));
    let ids = types
        .chain(results)
        .map(|value| sys::type_id(value.r#type()));
    let key = [kind, operands.combine as usize, asked.limit_key()];
    let key = key.into_iter().chain(options).chain(ids).collect();
    let planned = asked
        .tuples
        .plan(op, key, || plan(layouts, gpu, &operands, limit))?;
    let program = &planned.program;
    let plans = program.conversions().iter().flat_map(|c| &c.plans);
    let effects = Effects::of_programs(plans.map(ConvertPlan::program), program.scratch_bytes());
    Ok(match planned.plain_bytes {
        Some(bytes) => effects.with_choice(Choice {
            plain_bytes: bytes,
            barriers: program.num_barriers(),
        }),
        None => effects,
    })
}

/// Carries out the program of an operation.
pub(super) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let Some((planned, offset)) = l.allocation.tuples(op) else {
        // The program could not be made, which has been reported.
        l.set_placeholders(op);
        return Ok(());
    };
    let program = &planned.program;
    let operands: Vec<_> = (0..op.operand_count()).map(|i| l.operand(op, i)).collect();
    let types: Vec<Type<'c>> = operands.iter().map(|list| list[0].r#type()).collect();
    let mut run = Run {
        graph: BlockGraph::of(op, 0),
        plan: program,
        offset,
        scratch_is_used: false,
        tuples: (0..program.num_sources())
            .map(|i| operands.iter().map(|list| list[i]).collect())
            .collect(),
        types,
        at_once: LaneOperation::of(op),
        packed: SingleOperation::of(op).filter(SingleOperation::is_packed),
        words: HashMap::new(),
    };
    run.note_words(ValueId(0), program.num_sources());
    run.tuples.resize(program.num_values(), Vec::new());
    let mut steps = program.steps();
    while let Some((step, rest)) = steps.split_first() {
        if let Some(after) = run.pair(l, steps) {
            steps = after;
        } else {
            run.step(l, step)?;
            steps = rest;
        }
    }
    for i in 0..op.result_count() {
        let of_tuple = |value: &ValueId| run.tuples[value.index()][i];
        let registers: Vec<Val<'c>> = program.results().iter().map(of_tuple).collect();
        l.set(build::result(op, i), registers);
    }
    Ok(())
}

/// The conversion of an operand: its steps, what it converts, its scratch memory.
type Part<'p, 'c> = (&'p Program, &'p [Val<'c>], Option<Val<'c>>);

struct Run<'r, 'c> {
    graph: BlockGraph<'c>,
    plan: &'r TupleProgram,
    /// Where the scratch memory begins.
    offset: u32,
    /// Whether a conversion has used it.
    scratch_is_used: bool,
    /// The registers of each value, one for each operand.
    tuples: Vec<Vec<Val<'c>>>,
    types: Vec<Type<'c>>,
    /// What the region is to an instruction that combines all lanes of a warp.
    at_once: Option<LaneOperation>,
    /// The region, where one instruction combines two elements in a word.
    packed: Option<SingleOperation<'c>>,
    /// The values whose elements are side by side in a word with that of the next value.
    words: HashMap<ValueId, ValueId>,
}

impl<'c> Run<'_, 'c> {
    /// Notes that values travel in words, two of 16 bits in each.
    fn note_words(&mut self, first: ValueId, count: usize) {
        if self.packed.is_some() {
            let firsts = (0..count as u32 / 2).map(|i| first.plus(2 * i));
            self.words.extend(firsts.map(|low| (low, low.plus(1))));
        }
    }

    /// Combines two pairs by one instruction, where what it takes is in words as it is; returns the steps that are left.
    fn pair<'s>(
        &mut self,
        l: &mut Lowering<'c>,
        steps: &'s [TupleStep],
    ) -> Option<&'s [TupleStep]> {
        let packed = self.packed?;
        let [
            TupleStep::Combine { out, acc, other },
            TupleStep::Combine {
                out: next_out,
                acc: next_acc,
                other: next_other,
            },
            rest @ ..,
        ] = steps
        else {
            return None;
        };
        let are_words = [(acc, next_acc), (other, next_other)]
            .iter()
            .all(|(low, high)| self.words.get(low) == Some(high));
        if !are_words {
            return None;
        }
        let mut words = [[acc, next_acc], [other, next_other]].map(|pair| {
            let halves = pair.map(|value| self.tuples[value.index()][0]);
            l.e.gather(&halves)
        });
        if packed.is_swapped {
            words.reverse();
        }
        let type_ = words[0].r#type();
        let attributes = attributes_of(packed.op);
        let combined = l.e.upstream(packed.kind, &words, type_, &attributes);
        let halves = l.e.scatter(combined, 2, packed.element);
        for (value, half) in [out, next_out].into_iter().zip(halves) {
            self.tuples[value.index()] = vec![half];
        }
        self.words.insert(*out, *next_out);
        Some(rest)
    }

    fn step(&mut self, l: &mut Lowering<'c>, step: &TupleStep) -> Outcome {
        match step {
            TupleStep::Combine { out, acc, other } => {
                let both = [acc, other].map(|value| &self.tuples[value.index()][..]);
                self.tuples[out.index()] = l.inline(&self.graph, &both.concat(), &self.types)?;
            }
            TupleStep::Exchange {
                first,
                values,
                lane_mask,
            } => {
                let lists = self.lists(values).into_iter().map(|list| {
                    let words = words::pack(&mut l.e, &list);
                    let received: Vec<Val<'c>> = words
                        .into_iter()
                        .map(|word| l.gpu.shuffle_xor(&mut l.e, word, *lane_mask))
                        .collect();
                    words::unpack(&mut l.e, &received, list.len(), list[0].r#type())
                });
                let lists: Vec<Vec<Val<'c>>> = lists.collect();
                self.set_lists(*first, &lists);
            }
            TupleStep::ReduceLanes { first, values, .. } => {
                let known = self.at_once.ok_or_else(|| {
                    wrong("all lanes are combined at once by a region that no instruction knows")
                })?;
                let lists = self.lists(values).into_iter().map(|list| {
                    let combined = list.into_iter().map(|value| at_once(l, known, value));
                    combined.collect()
                });
                let lists: Vec<Vec<Val<'c>>> = lists.collect();
                self.set_lists(*first, &lists);
            }
            TupleStep::Fetch {
                first,
                values,
                source,
            } => {
                let lane = self.lane(l, *source);
                let lists = self.lists(values).into_iter().map(|list| {
                    let words = words::pack(&mut l.e, &list);
                    let received: Vec<Val<'c>> = words
                        .into_iter()
                        .map(|word| l.gpu.shuffle_index(&mut l.e, word, lane))
                        .collect();
                    words::unpack(&mut l.e, &received, list.len(), list[0].r#type())
                });
                let lists: Vec<Vec<Val<'c>>> = lists.collect();
                self.set_lists(*first, &lists);
            }
            TupleStep::Select {
                out,
                condition,
                if_set,
                if_clear,
            } => {
                let holds = holds(l, *condition);
                let pairs = self.tuples[if_set.index()]
                    .iter()
                    .zip(&self.tuples[if_clear.index()]);
                self.tuples[out.index()] = pairs
                    .map(|(set, clear)| l.e.select(holds, *set, *clear))
                    .collect();
            }
            TupleStep::Convert {
                first,
                values,
                conversion,
            } => {
                let conversion = &self.plan.conversions()[*conversion];
                let sources = self.lists(values);
                let scratch: Vec<_> = conversion
                    .plans
                    .iter()
                    .zip(&conversion.offsets)
                    .map(|(plan, at)| {
                        (plan.program().scratch_bytes() > 0)
                            .then(|| l.shared_memory(self.offset + at))
                    })
                    .collect();
                let parts: Vec<_> = conversion
                    .plans
                    .iter()
                    .zip(&sources)
                    .zip(scratch)
                    .map(|((plan, sources), scratch)| (plan.program(), &sources[..], scratch))
                    .collect();
                let lists = if self.plan.turns() == Turns::Operands {
                    let turns = parts.iter().flat_map(|part| {
                        self.wait_for_turn(l, std::slice::from_ref(part));
                        emit_plans(&mut l.e, l.gpu, std::slice::from_ref(part))
                    });
                    turns.collect()
                } else {
                    if self.plan.turns() == Turns::Conversions {
                        self.wait_for_turn(l, &parts);
                    }
                    emit_plans(&mut l.e, l.gpu, &parts)
                };
                self.set_lists(*first, &lists);
            }
        }
        Ok(())
    }

    /// Waits until the bytes are free that a conversion before these has used.
    fn wait_for_turn(&mut self, l: &mut Lowering<'c>, parts: &[Part<'_, 'c>]) {
        let uses_scratch = parts.iter().any(|part| part.2.is_some());
        if uses_scratch && std::mem::replace(&mut self.scratch_is_used, true) {
            l.gpu.block_barrier(&mut l.e);
        }
    }

    /// The lane that this one takes from.
    fn lane(&self, l: &mut Lowering<'c>, source: LaneSource) -> Val<'c> {
        let lanes = l.gpu.target.lanes - 1;
        let own = l.gpu.lane(&mut l.e);
        let (mask, moved) = match source {
            LaneSource::Fixed { mask, bits } => (mask, l.e.i32(bits)),
            LaneSource::Before { mask } => {
                // Bits that are not counted are clear, so that what is borrowed runs through them.
                let all = l.e.i32(mask);
                let counted = l.e.and(own, all);
                let one = l.e.i32(1);
                let moved = l.e.sub(counted, one);
                (mask, l.e.and(moved, all))
            }
            LaneSource::After { mask } => {
                // They are set, so that what is carried does.
                let (all, others) = (l.e.i32(mask), l.e.i32(lanes & !mask));
                let counted = l.e.or(own, others);
                let one = l.e.i32(1);
                let moved = l.e.add(counted, one);
                (mask, l.e.and(moved, all))
            }
        };
        let others = l.e.i32(lanes & !mask);
        let kept = l.e.and(own, others);
        l.e.or(kept, moved)
    }

    /// The registers of several values, by operand.
    fn lists(&self, values: &[ValueId]) -> Vec<Vec<Val<'c>>> {
        let of = |i: usize| values.iter().map(|v| self.tuples[v.index()][i]).collect();
        (0..self.types.len()).map(of).collect()
    }

    /// Gives values their registers, by operand.
    fn set_lists(&mut self, first: ValueId, lists: &[Vec<Val<'c>>]) {
        let count = lists.first().map_or(0, Vec::len);
        self.note_words(first, count);
        for i in 0..count {
            let tuple = lists.iter().map(|list| list[i]).collect();
            self.tuples[first.index() + i] = tuple;
        }
    }
}

/// An element combined over all lanes: as a word, which a narrower integer is widened to as the operation takes it.
fn at_once<'c>(l: &mut Lowering<'c>, known: LaneOperation, value: Val<'c>) -> Val<'c> {
    let (type_, i32) = (value.r#type(), l.e.types.i32);
    let is_narrow = bits_of(type_) < 32;
    let word = match known {
        _ if !is_narrow => value,
        LaneOperation::Max | LaneOperation::Min => l.e.sext(value, i32),
        _ => l.e.zext(value, i32),
    };
    let combined = l.gpu.reduce_lanes(&mut l.e, known, word);
    if is_narrow {
        l.e.trunc(combined, type_)
    } else {
        combined
    }
}

/// Whether a condition holds in this thread.
fn holds<'c>(l: &mut Lowering<'c>, condition: Condition) -> Val<'c> {
    let lanes_log2 = l.gpu.target.lanes_log2();
    let (number, shift) = if condition.mask < 1 << lanes_log2 {
        (l.gpu.lane(&mut l.e), 0)
    } else if condition.mask.trailing_zeros() >= lanes_log2 {
        // The same in all lanes.
        (l.gpu.warp(&mut l.e), lanes_log2)
    } else {
        (l.gpu.thread_id(&mut l.e), 0)
    };
    let mask = l.e.i32(condition.mask >> shift);
    let bits = l.e.and(number, mask);
    if condition.first == 0 {
        return l.e.is_nonzero(bits);
    }
    let first = l.e.i32(condition.first >> shift);
    let differs = l.e.xor(bits, first);
    l.e.is_nonzero(differs)
}
