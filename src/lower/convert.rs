//! Conversions of layouts: the steps of a plan, one operation (or a few) each.

use super::allocate::Asked;
use super::emit::Emitter;
use super::gpu::Gpu;
use super::index::emit_index;
use super::plans::{layout_of, wrong};
use super::state::{Lowering, Outcome};
use super::types::bits_of;
use super::words;
use crate::analysis::effects::{Choice, Effects};
use crate::ir::builders::llvm;
use crate::ir::ops::OpView;
use crate::ir::{Layouts, TensorType, element_bits};
use crate::sys::build::{Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::machine;
use linear_layout::plan::program::IndexProgram;
use linear_layout::plan::{
    Address, BarrierScope, ConvertPlan, PlanKind, PlanOptions, Program, Step, Strategy, ValueId,
    plain_conversion, plan_conversion,
};
use melior::ir::{Type, ValueLike};

/// The operands and constraints of an operation that changes the layout of a tensor.
#[derive(Clone, Copy)]
struct Conversion<'c> {
    src: Val<'c>,
    result: Val<'c>,
    /// Whether data must stay in its warp and out of shared memory.
    force_warp_shuffle: bool,
}

impl<'c> Conversion<'c> {
    fn of(op: Op<'c>) -> Self {
        match OpView::of(op) {
            Some(OpView::TtgConvertLayout(op)) => Self {
                src: op.src(),
                result: op.result(),
                force_warp_shuffle: op.force_warp_shuffle(),
            },
            // in_thread_transpose_c3: each thread keeps its elements.
            Some(OpView::AmdgInThreadTranspose(op)) => Self {
                src: op.src(),
                result: op.result(),
                force_warp_shuffle: true,
            },
            _ => unreachable!("the dispatch goes by kind"),
        }
    }
}

/// What a conversion does in shared memory: what its plan says.
pub(crate) fn effects(asked: &mut Asked<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let conversion = Conversion::of(op);
    let (layouts, gpu) = (asked.layouts, asked.gpu);
    let [from, to] = [conversion.src, conversion.result].map(|v| sys::type_id(v.r#type()));
    let is_forced = usize::from(conversion.force_warp_shuffle);
    let key = vec![from, to, is_forced, asked.limit_key()];
    let limit = asked.scratch_limit;
    let plan = asked
        .conversions
        .plan(op, key, || plan(layouts, gpu, conversion, limit))?;
    let program = plan.program();
    let effects = Effects::of_programs([program], program.scratch_bytes());
    if is_forced != 0 || matches!(plan.kind(), PlanKind::Rename | PlanKind::Select) {
        return Ok(effects);
    }
    let [from, to] = [conversion.src, conversion.result].map(|v| layout_of(layouts, v.r#type()));
    let plain = plain_conversion(&from?.full, &to?.full, program.elem_bits(), gpu.target);
    let plain = plain.map_err(|e| Diagnostic::new(e.to_string()))?;
    Ok(effects.with_choice(Choice {
        plain_bytes: plain.bytes,
        barriers: program.num_barriers(),
    }))
}

/// Plans a conversion, and has the machine prove the plan.
fn plan<'c>(
    layouts: &Layouts,
    gpu: Gpu,
    conversion: Conversion<'c>,
    scratch_limit: Option<u32>,
) -> Result<ConvertPlan, Diagnostic> {
    let (from, to) = (conversion.src.r#type(), conversion.result.r#type());
    let (src, dst) = (layout_of(layouts, from)?, layout_of(layouts, to)?);
    let bits = TensorType::of(from)
        .and_then(|tensor| element_bits(tensor.element))
        .ok_or_else(|| Diagnostic::new(format!("has elements of unknown width in `{from}`")))?;
    let mut options = PlanOptions::new();
    options.scratch_limit = scratch_limit;
    if conversion.force_warp_shuffle {
        // convert_layout_c1: the plan fails if data leaves its warp.
        options = options.with_strategy(Strategy::Shuffle);
    }
    let plan = plan_conversion(&src.full, &dst.full, bits, gpu.target, &options)
        .map_err(|e| Diagnostic::new(e.to_string()))?;
    machine::check_plan(plan.program(), &src.full, &dst.full, gpu.target).map_err(wrong)?;
    Ok(plan)
}

/// Lowers `ttg.convert_layout` and `amdg.in_thread_transpose`.
pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let conversion = Conversion::of(op);
    let Some((plan, offset)) = l.allocation.conversion(op) else {
        // The plan could not be made, which has been reported.
        l.set_placeholders(op);
        return Ok(());
    };
    let sources = l.get(conversion.src);
    let program = plan.program();
    let scratch = (program.scratch_bytes() > 0).then(|| l.shared_memory(offset));
    let results = emit_plan(&mut l.e, l.gpu, program, &sources, scratch);
    l.set(conversion.result, results);
    Ok(())
}

/// Carries a plan out on the unique registers of a tensor.
///
/// `scratch` is the address of the plan's shared memory, where it needs any.
fn emit_plan<'c>(
    e: &mut Emitter<'c>,
    gpu: Gpu,
    plan: &Program,
    sources: &[Val<'c>],
    scratch: Option<Val<'c>>,
) -> Vec<Val<'c>> {
    emit_plans(e, gpu, &[(plan, sources, scratch)]).remove(0)
}

/// Carries out plans side by side, each in scratch memory of its own: where all wait for the block, they wait
/// once for all.
pub(crate) fn emit_plans<'c>(
    e: &mut Emitter<'c>,
    gpu: Gpu,
    plans: &[(&Program, &[Val<'c>], Option<Val<'c>>)],
) -> Vec<Vec<Val<'c>>> {
    let mut values: Vec<Vec<Val<'c>>> = plans
        .iter()
        .map(|(plan, sources, _)| {
            let mut values = sources.to_vec();
            values.resize(plan.num_values(), sources[0]);
            values
        })
        .collect();
    let i32 = e.types.i32;
    // What lies between the barriers of each plan; plans that have fewer are done earlier.
    let mut parts: Vec<_> = plans
        .iter()
        .map(|(plan, ..)| plan.steps().split(is_block_barrier))
        .collect();
    let rounds = plans
        .iter()
        .map(|(plan, ..)| 1 + plan.steps().iter().filter(|s| is_block_barrier(s)).count());
    for round in 0..rounds.max().unwrap_or_default() {
        if round > 0 {
            gpu.block_barrier(e);
        }
        for ((plan, sources, scratch), (values, parts)) in
            plans.iter().zip(values.iter_mut().zip(&mut parts))
        {
            let element = sources[0].r#type();
            let mut run = Run {
                container: container_type(e, plan, element),
                e: &mut *e,
                gpu,
                plan,
                element,
                scratch: *scratch,
                values: std::mem::take(values),
            };
            for step in parts.next().unwrap_or_default() {
                run.step(step, i32);
            }
            *values = run.values;
        }
    }
    plans
        .iter()
        .zip(&values)
        .map(|((plan, ..), values)| plan.results().iter().map(|v| values[v.index()]).collect())
        .collect()
}

fn is_block_barrier(step: &Step) -> bool {
    matches!(step, Step::Barrier(BarrierScope::Block))
}

/// The type an element has in words and in shared memory: the element's own, but an integer where
/// it is narrower than a byte.
fn container_type<'c>(e: &Emitter<'c>, plan: &Program, element: Type<'c>) -> Type<'c> {
    if plan.elem_bits() < 8 {
        e.types.i8
    } else {
        element
    }
}

struct Run<'r, 'c> {
    e: &'r mut Emitter<'c>,
    gpu: Gpu,
    plan: &'r Program,
    element: Type<'c>,
    container: Type<'c>,
    scratch: Option<Val<'c>>,
    values: Vec<Val<'c>>,
}

impl<'c> Run<'_, 'c> {
    fn get(&self, id: ValueId) -> Val<'c> {
        self.values[id.index()]
    }

    fn set(&mut self, id: ValueId, value: Val<'c>) {
        self.values[id.index()] = value;
    }

    /// A value as an `i32`, as lane exchanges and permutes take it.
    fn word(&mut self, id: ValueId) -> Val<'c> {
        let value = self.get(id);
        words::as_integer(self.e, value, 32)
    }

    /// The result of a step that works on words: a word, or a 32-bit element again.
    fn set_word(&mut self, id: ValueId, value: Val<'c>) {
        let value = if self.plan.is_word(id) {
            value
        } else {
            words::integer_as(self.e, value, self.element)
        };
        self.set(id, value);
    }

    /// An element as it lies in words and in shared memory.
    fn contained(&mut self, value: Val<'c>) -> Val<'c> {
        if value.r#type() == self.element && self.element != self.container {
            return self.e.zext(value, self.container);
        }
        value
    }

    fn uncontained(&mut self, value: Val<'c>) -> Val<'c> {
        if self.element == self.container {
            return value;
        }
        self.e.trunc(value, self.element)
    }

    fn step(&mut self, step: &Step, i32: Type<'c>) {
        match *step {
            Step::Pack { out, parts } => {
                let parts: Vec<Val<'c>> = self
                    .plan
                    .operands(parts)
                    .iter()
                    .map(|v| self.get(*v))
                    .collect();
                // Narrow elements make a word, two words a 64-bit element.
                let packed = if self.plan.is_word(out) {
                    words::pack(self.e, &parts)
                } else {
                    words::unpack(self.e, &parts, 1, self.element)
                };
                self.set(out, packed[0]);
            }
            Step::Unpack {
                first,
                count,
                value,
            } => {
                let whole = [self.get(value)];
                let parts = if self.plan.is_word(value) {
                    words::unpack(self.e, &whole, count as usize, self.element)
                } else {
                    words::pack(self.e, &whole)
                };
                for (i, part) in (0..).zip(parts) {
                    self.set(first.plus(i), part);
                }
            }
            Step::Select {
                out,
                predicate,
                if_set,
                if_clear,
            } => {
                let condition = self.predicate(predicate);
                let (a, b) = (self.get(if_set), self.get(if_clear));
                let chosen = self.e.select(condition, a, b);
                self.set(out, chosen);
            }
            Step::ShuffleXor {
                out,
                value,
                lane_mask,
            } => {
                let value = self.word(value);
                let word = self.gpu.shuffle_xor(self.e, value, lane_mask);
                self.set_word(out, word);
            }
            Step::ShuffleIndex {
                out,
                value,
                map,
                lane_xor,
            } => {
                let value = self.word(value);
                let source = self.source_lane(map, lane_xor);
                let word = self.gpu.shuffle_index(self.e, value, source);
                self.set_word(out, word);
            }
            Step::TransposeMatrix { out, value } => {
                let value = self.word(value);
                let word = self.gpu.transpose_matrix(self.e, value);
                self.set_word(out, word);
            }
            Step::SwapLanes {
                first,
                low,
                high,
                lane_bit,
            } => {
                let (low, high) = (self.word(low), self.word(high));
                let [low, high] = self.gpu.swap_lanes(self.e, low, high, lane_bit);
                self.set_word(first, low);
                self.set_word(first.plus(1), high);
            }
            Step::Store { address, values } => {
                let values: Vec<Val<'c>> = self
                    .plan
                    .operands(values)
                    .iter()
                    .map(|v| self.get(*v))
                    .collect();
                self.store(address, &values);
            }
            Step::Load {
                address,
                first,
                count,
                words,
            } => {
                self.load(
                    address,
                    first,
                    count,
                    if words { i32 } else { self.container },
                );
            }
            Step::StoreMatrices {
                address,
                values,
                fragment,
            } => {
                let words = self.plan.operands(values).iter();
                let words: Vec<Val<'c>> = words.map(|v| self.word(*v)).collect();
                let pointer = self.address(address);
                self.gpu.store_matrices(self.e, pointer, &words, fragment);
            }
            Step::LoadMatrices {
                address,
                first,
                count,
                fragment,
            } => {
                let pointer = self.address(address);
                let count = count as usize;
                let words = self.gpu.load_matrices(self.e, pointer, count, fragment);
                for (i, word) in (0..).zip(words) {
                    self.set_word(first.plus(i), word);
                }
            }
            Step::Barrier(BarrierScope::Warp) => self.gpu.warp_barrier(self.e),
            Step::Barrier(BarrierScope::Block) => self.gpu.block_barrier(self.e),
        }
    }

    /// Whether an odd number of the mask's bits are set in the thread number.
    fn predicate(&mut self, predicate: u32) -> Val<'c> {
        let mask = self.plan.predicates()[predicate as usize].thread_mask;
        let thread = self.gpu.thread_id(self.e);
        let mask_value = self.e.i32(mask);
        let bits = self.e.and(thread, mask_value);
        if mask.count_ones() == 1 {
            return self.e.is_nonzero(bits);
        }
        let count = self.e.pure(llvm::intr_ctpop(bits));
        let i1 = self.e.types.i1;
        self.e.trunc(count, i1)
    }

    fn source_lane(&mut self, map: u32, lane_xor: u32) -> Val<'c> {
        let columns: Vec<u64> = self.plan.lane_maps()[map as usize]
            .columns
            .iter()
            .map(|c| u64::from(*c))
            .collect();
        // A map that goes on past the lane bits depends on the warp too.
        let lanes_log2 = self.plan.lanes_log2();
        let (bits, input) = if columns.len() > lanes_log2 as usize {
            let bits = lanes_log2 + self.plan.warps_log2();
            (bits, self.gpu.thread_id(self.e))
        } else {
            (lanes_log2, self.gpu.lane(self.e))
        };
        let program = IndexProgram::new(&[bits], &[columns]);
        let source = emit_index(self.e, &program, &[input])[0];
        let flip = self.e.i32(lane_xor);
        self.e.xor(source, flip)
    }

    fn address(&mut self, address: Address) -> Val<'c> {
        let scratch = self
            .scratch
            .expect("a plan that stores has been given scratch memory");
        let base = &self.plan.address_bases()[address.base as usize];
        let columns = base.columns.iter().map(|c| u64::from(*c));
        let program = IndexProgram::new(
            &[self.plan.lanes_log2() + self.plan.warps_log2()],
            &[columns.collect()],
        );
        let thread = self.gpu.thread_id(self.e);
        let offset = emit_index(self.e, &program, &[thread])[0];
        let constant = self.e.i32(address.xor);
        let offset = self.e.xor(offset, constant);
        let i8 = self.e.types.i8;
        let pointer = self.e.gep(scratch, i8, offset);
        self.e.gep_bytes(pointer, address.add)
    }

    fn store(&mut self, address: Address, values: &[Val<'c>]) {
        let values: Vec<Val<'c>> = values
            .iter()
            .map(|v| {
                let v = self.contained(*v);
                // Vectors of pointers are no vectors of bits.
                if is_pointer(v.r#type()) {
                    words::as_integer(self.e, v, 64)
                } else {
                    v
                }
            })
            .collect();
        let bytes = values.len() as u32 * bits_of(values[0].r#type()) / 8;
        let value = self.e.gather(&values);
        let pointer = self.address(address);
        self.e.store(value, pointer, bytes);
    }

    fn load(&mut self, address: Address, first: ValueId, count: u32, type_: Type<'c>) {
        let held = if is_pointer(type_) {
            self.e.types.i64
        } else {
            type_
        };
        let bytes = count * bits_of(held) / 8;
        let whole = if count == 1 {
            held
        } else {
            self.e.vector_type(count as usize, held)
        };
        let pointer = self.address(address);
        let value = self.e.load(pointer, whole, bytes);
        for (i, part) in (0..).zip(self.e.scatter(value, count as usize, held)) {
            let id = first.plus(i);
            let part = if self.plan.is_word(id) {
                part
            } else if is_pointer(type_) {
                words::integer_as(self.e, part, type_)
            } else {
                self.uncontained(part)
            };
            self.set(id, part);
        }
    }
}

fn is_pointer(type_: Type<'_>) -> bool {
    sys::is_llvm_pointer(type_)
}
