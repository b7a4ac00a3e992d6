//! Emission of planned programs, step by step.

mod mma;
mod vote;

use super::blocks::BlockGraph;
use super::emit::attributes_of;
use super::gpu::LaneOperation;
use super::index::emit_index;
use super::plans::wrong;
use super::state::Lowering;
use super::types::{bits_of, bits_of_several};
use super::words;
use crate::ir::SingleOperation;
use crate::ir::builders::llvm;
use crate::sys::build::Val;
use crate::sys::{self, Diagnostic};
use linear_layout::plan::program::{Address, BarrierScope, MemorySpace, Program, Step, ValueId};
use linear_layout::plan::program::{IndexProgram, LaneMap, LaneOrder, Predicate};
use melior::ir::{Type, ValueLike};
use std::collections::HashMap;

/// The combine region of a reduction or scan, and the instructions that are equivalent to the region.
pub(super) struct CombineRegion<'c> {
    pub(super) graph: BlockGraph<'c>,
    /// Equivalent instruction that reduces across the lanes of a warp. `None` if there is no such instruction.
    pub(super) lane_operation: Option<LaneOperation>,
    pub(super) packed: Option<SingleOperation<'c>>,
}

pub(super) struct ProgramInputs<'r, 'c> {
    /// Concatenated registers of all operands, without replicas.
    pub(super) sources: &'r [Val<'c>],
    pub(super) elements: Vec<Type<'c>>,
    pub(super) scratch: u32,
    /// Address of the accessed buffer. `None` if the program accesses only scratch memory.
    pub(super) buffer: Option<Val<'c>>,
    pub(super) region: Option<&'r CombineRegion<'c>>,
    pub(super) stores: Option<StoreHook<'r, 'c>>,
}

#[derive(Clone, Copy)]
pub(super) struct Destination<'c> {
    /// Address to which the elements are stored. There is one address per thread, or one per warp if the
    /// [`StoreHook`] has a lane order.
    pub(super) pointer: Val<'c>,
    /// The lane whose elements this lane stores. `None` if each lane stores its own elements.
    pub(super) source_lane: Option<Val<'c>>,
}

/// A callback that replaces the stores of a program.
#[derive(Clone, Copy)]
pub(super) struct StoreHook<'r, 'c> {
    /// Emits code that replaces one store. The slice contains the indices of the stored registers in
    /// [`ProgramInputs::sources`].
    pub(super) emit: &'r dyn Fn(&mut Lowering<'c>, Destination<'c>, &[usize]),
    /// Permutation of the stored elements among the lanes of a warp. If it is `Some`, each destination has one
    /// address per warp.
    pub(super) lane_order: Option<&'r LaneOrder>,
}

impl<'r, 'c> ProgramInputs<'r, 'c> {
    pub(super) fn new(sources: &'r [Val<'c>], elements: Vec<Type<'c>>, scratch: u32) -> Self {
        Self {
            sources,
            elements,
            scratch,
            buffer: None,
            region: None,
            stores: None,
        }
    }

    /// Returns the inputs of a program whose operands all have the same number of registers.
    pub(super) fn uniform(program: &Program, sources: &'r [Val<'c>], scratch: u32) -> Self {
        let count = program.num_sources() / program.widths().len();
        let elements = sources.iter().step_by(count).map(|v| v.r#type()).collect();
        Self::new(sources, elements, scratch)
    }
}

/// Emits a program and returns its results.
///
/// # Errors
/// Fails if the combine region cannot be lowered.
pub(super) fn emit<'c>(
    l: &mut Lowering<'c>,
    program: &Program,
    inputs: ProgramInputs<'_, 'c>,
) -> Result<Vec<Val<'c>>, Diagnostic> {
    let mut memory = HashMap::new();
    for base in program.address_bases() {
        let start = match (base.space, inputs.buffer) {
            (MemorySpace::Scratch | MemorySpace::Cluster, _) => {
                l.shared_memory(inputs.scratch + base.start)
            }
            (MemorySpace::Buffer, Some(buffer)) => l.e.gep_bytes(buffer, base.start),
            (MemorySpace::Buffer, None) => return Err(wrong("a program is given no buffer")),
        };
        memory.entry((base.space, base.start)).or_insert(start);
    }
    let mut values = inputs.sources.to_vec();
    values.resize(program.num_values(), l.e.i32(0));
    let mut emitter = ProgramEmitter {
        l,
        plan: program,
        elements: inputs.elements,
        memory,
        values,
        region: inputs.region,
        stores: inputs.stores,
    };
    let guard_of = |step: &Step| match step {
        Step::Store { guard, .. } => *guard,
        _ => None,
    };
    for steps in program.steps().chunk_by(|a, b| guard_of(a) == guard_of(b)) {
        let guard = guard_of(&steps[0]);
        let fork = guard.map(|guard| {
            let holds = emitter.predicate(guard);
            emitter.l.e.fork(holds)
        });
        for step in steps {
            emitter.step(step)?;
        }
        if let Some(fork) = fork {
            emitter.l.e.join_or(fork, &[], &[]);
        }
    }
    let results = program.results().iter().map(|v| emitter.get(*v));
    Ok(results.collect())
}

struct ProgramEmitter<'r, 'c> {
    l: &'r mut Lowering<'c>,
    plan: &'r Program,
    elements: Vec<Type<'c>>,
    /// Base addresses, keyed by memory space and first byte.
    memory: HashMap<(MemorySpace, u32), Val<'c>>,
    values: Vec<Val<'c>>,
    region: Option<&'r CombineRegion<'c>>,
    stores: Option<StoreHook<'r, 'c>>,
}

impl<'r, 'c> ProgramEmitter<'r, 'c> {
    fn get(&self, id: ValueId) -> Val<'c> {
        self.values[id.index()]
    }

    fn set(&mut self, id: ValueId, value: Val<'c>) {
        self.values[id.index()] = value;
    }

    fn element(&self, id: ValueId) -> Type<'c> {
        self.elements[usize::from(self.plan.type_of(id).operand)]
    }

    /// Returns the type of an element in memory: `i8` for elements of fewer than 8 bits, otherwise the element
    /// type.
    fn container(&self, id: ValueId) -> Type<'c> {
        match self.plan.element_bits(id) {
            ..8 => self.l.e.types.i8,
            _ => self.element(id),
        }
    }

    /// Returns a value as `i32`, for lane exchanges and byte permutes.
    fn word(&mut self, id: ValueId) -> Val<'c> {
        let value = self.get(id);
        words::as_integer(&mut self.l.e, value, 32)
    }

    /// Sets the result of a step that computes on 32-bit words. Casts the word if the result has an element type.
    fn set_word(&mut self, id: ValueId, value: Val<'c>) {
        let value = if self.plan.is_word(id) {
            value
        } else {
            let element = self.element(id);
            words::integer_as(&mut self.l.e, value, element)
        };
        self.set(id, value);
    }

    fn contained(&mut self, id: ValueId) -> Val<'c> {
        let (value, container) = (self.get(id), self.container(id));
        if value.r#type() == self.element(id) && value.r#type() != container {
            return self.l.e.zext(value, container);
        }
        value
    }

    fn step(&mut self, step: &Step) -> Result<(), Diagnostic> {
        match *step {
            Step::Pack { out, parts } => {
                let parts: Vec<Val<'c>> = self
                    .plan
                    .operands(parts)
                    .iter()
                    .map(|v| self.get(*v))
                    .collect();
                // Narrow elements are packed into a word, and two words into a 64-bit element.
                let packed = if self.plan.is_word(out) {
                    words::pack(&mut self.l.e, &parts)
                } else {
                    let element = self.element(out);
                    words::unpack(&mut self.l.e, &parts, 1, element)
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
                    let element = self.element(value);
                    words::unpack(&mut self.l.e, &whole, count as usize, element)
                } else {
                    words::pack(&mut self.l.e, &whole)
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
                let chosen = self.l.e.select(condition, a, b);
                self.set(out, chosen);
            }
            Step::Zero { out } => {
                let type_ = self.element(out);
                let zero = self.l.e.zero(type_);
                self.set(out, zero);
            }
            Step::One { out, .. } => {
                let one = self.l.e.i32(1);
                self.set(out, one);
            }
            Step::AtomicAdd {
                address,
                value,
                mask,
                guard,
            } => {
                let pointer = self.address(address)?;
                let (value, mask) = (self.get(value), mask.map(|mask| self.get(mask)));
                self.atomic_add(pointer, value, mask, guard);
            }
            Step::CountVotes {
                first,
                vote,
                bin,
                mask,
                acc,
                ..
            } => {
                let (bin, mask) = (self.get(bin), mask.map(|mask| self.get(mask)));
                let acc = self.plan.operands(acc).iter();
                let acc: Vec<Val<'c>> = acc.map(|v| self.get(*v)).collect();
                let vote = &self.plan.votes()[vote as usize];
                let counts = self.count_votes(vote, bin, mask, &acc);
                for (i, count) in (0..).zip(counts) {
                    self.set(first.plus(i), count);
                }
            }
            Step::SelectBit {
                out,
                number,
                bit,
                if_set,
                if_clear,
            } => {
                let number = self.word(number);
                let bit = self.l.e.i32(1 << bit);
                let bit = self.l.e.and(number, bit);
                let is_set = self.l.e.is_nonzero(bit);
                let (a, b) = (self.get(if_set), self.get(if_clear));
                let chosen = self.l.e.select(is_set, a, b);
                self.set(out, chosen);
            }
            Step::Compute {
                first, map, inputs, ..
            } => {
                let l = &mut *self.l;
                let mut all = vec![l.gpu.lane(&mut l.e), l.gpu.warp(&mut l.e)];
                let inputs = self.plan.operands(inputs).iter();
                all.extend(inputs.map(|v| self.values[v.index()]));
                let map = &self.plan.index_maps()[map as usize];
                let numbers = emit_index(&mut l.e, map, &all);
                for (i, number) in (0..).zip(numbers) {
                    self.set(first.plus(i), number);
                }
            }
            Step::ShuffleAt {
                out,
                value,
                lane,
                lane_xor,
            } => {
                let value = self.word(value);
                let flip = self.l.e.i32(lane_xor);
                let lane = self.get(lane);
                let source = self.l.e.xor(lane, flip);
                let word = self.l.gpu.shuffle_index(&mut self.l.e, value, source);
                self.set_word(out, word);
            }
            Step::ShuffleXor {
                out,
                value,
                lane_mask,
            } => {
                let value = self.word(value);
                let word = self.l.gpu.shuffle_xor(&mut self.l.e, value, lane_mask);
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
                let word = self.l.gpu.shuffle_index(&mut self.l.e, value, source);
                self.set_word(out, word);
            }
            Step::TransposeMatrix { out, value } => {
                let value = self.word(value);
                let word = self.l.gpu.transpose_matrix(&mut self.l.e, value);
                self.set_word(out, word);
            }
            Step::SwapLanes {
                first,
                low,
                high,
                lane_bit,
            } => {
                let (low, high) = (self.word(low), self.word(high));
                let [low, high] = self.l.gpu.swap_lanes(&mut self.l.e, low, high, lane_bit);
                self.set_word(first, low);
                self.set_word(first.plus(1), high);
            }
            Step::Store {
                address, values, ..
            } => self.store(address, self.plan.operands(values))?,
            Step::Load {
                address,
                first,
                count,
                ..
            } => self.load(address, first, count)?,
            Step::StoreMatrices {
                address,
                values,
                fragment,
            } => {
                let words = self.plan.operands(values).iter();
                let words: Vec<Val<'c>> = words.map(|v| self.word(*v)).collect();
                let pointer = self.address(address)?;
                self.l
                    .gpu
                    .store_matrices(&mut self.l.e, pointer, &words, fragment);
            }
            Step::LoadMatrices {
                address,
                first,
                count,
                fragment,
            } => {
                let pointer = self.address(address)?;
                let count = count as usize;
                let words = self
                    .l
                    .gpu
                    .load_matrices(&mut self.l.e, pointer, count, fragment);
                for (i, word) in (0..).zip(words) {
                    self.set_word(first.plus(i), word);
                }
            }
            Step::Combine {
                first,
                acc,
                other,
                is_packed,
            } => {
                let both = [acc, other].map(|list| -> Vec<Val<'c>> {
                    let list = self.plan.operands(list).iter();
                    list.map(|v| self.get(*v)).collect()
                });
                let combined = match is_packed {
                    true => self.combine_packed(both)?,
                    false => {
                        let graph = &self.region()?.graph;
                        self.l.inline(graph, &both.concat(), &self.elements)?
                    }
                };
                for (i, value) in (0..).zip(combined) {
                    self.set(first.plus(i), value);
                }
            }
            Step::ReduceLanes { out, value, .. } => {
                let operation = self.region()?.lane_operation.ok_or_else(|| {
                    wrong("no instruction combines the lanes of a warp by this region")
                })?;
                let value = self.get(value);
                let combined = reduce_lanes(self.l, operation, value);
                self.set(out, combined);
            }
            Step::Mma {
                first,
                acc,
                a,
                b,
                scales,
                row,
            } => {
                let plan = self.plan;
                let lists = [a, b, acc].map(|list| plan.operands(list));
                self.multiply(first, lists, scales, &plan.rows()[row as usize])?;
            }
            Step::Barrier(BarrierScope::Warp) => self.l.gpu.warp_barrier(&mut self.l.e),
            Step::Barrier(BarrierScope::Block) => self.l.shared_barrier(),
            Step::Barrier(BarrierScope::Cluster) => {
                let barrier = self.l.gpu.cluster_barrier(&mut self.l.e);
                barrier.ok_or_else(|| wrong("a barrier of a cluster on a GPU without clusters"))?;
            }
        }
        Ok(())
    }

    fn region(&self) -> Result<&'r CombineRegion<'c>, Diagnostic> {
        let region = self.region;
        region.ok_or_else(|| wrong("elements are combined in a program that is given no region"))
    }

    fn combine_packed(&mut self, both: [Vec<Val<'c>>; 2]) -> Result<Vec<Val<'c>>, Diagnostic> {
        let packed = self.region()?.packed;
        let packed =
            packed.ok_or_else(|| wrong("no instruction combines two elements in a word"))?;
        let mut words = both.map(|halves| self.l.e.gather(&halves));
        if packed.is_swapped {
            words.reverse();
        }
        let type_ = words[0].r#type();
        let attributes = attributes_of(packed.op);
        let combined = self.l.e.upstream(packed.kind, &words, type_, &attributes);
        Ok(self.l.e.scatter(combined, 2, packed.element))
    }

    fn predicate(&mut self, predicate: u32) -> Val<'c> {
        let mask = match self.plan.predicates()[predicate as usize] {
            Predicate::Parity(mask) => mask,
            Predicate::Clear(mask) => {
                let thread = self.l.gpu.thread_id(&mut self.l.e);
                let mask = self.l.e.i32(mask);
                let bits = self.l.e.and(thread, mask);
                return self.l.e.is_zero(bits);
            }
            Predicate::Differs { mask, first } => return self.differs(mask, first),
        };
        let thread = self.l.gpu.thread_id(&mut self.l.e);
        let mask_value = self.l.e.i32(mask);
        let bits = self.l.e.and(thread, mask_value);
        if mask.count_ones() == 1 {
            return self.l.e.is_nonzero(bits);
        }
        let count = self.l.e.pure(llvm::intr_ctpop(bits));
        let i1 = self.l.e.types.i1;
        self.l.e.trunc(count, i1)
    }

    /// Returns the condition `(thread index & mask) != first`.
    fn differs(&mut self, mask: u32, first: u32) -> Val<'c> {
        let (l, lanes_log2) = (&mut *self.l, self.plan.lanes_log2());
        let (number, shift) = if mask < 1 << lanes_log2 {
            (l.gpu.lane(&mut l.e), 0)
        } else if mask.trailing_zeros() >= lanes_log2 {
            // The condition is uniform across the warp.
            (l.gpu.warp(&mut l.e), lanes_log2)
        } else {
            (l.gpu.thread_id(&mut l.e), 0)
        };
        let mask = l.e.i32(mask >> shift);
        let bits = l.e.and(number, mask);
        if first == 0 {
            return l.e.is_nonzero(bits);
        }
        let first = l.e.i32(first >> shift);
        let differs = l.e.xor(bits, first);
        l.e.is_nonzero(differs)
    }

    fn source_lane(&mut self, map: u32, lane_xor: u32) -> Val<'c> {
        let l = &mut *self.l;
        let lanes_log2 = self.plan.lanes_log2();
        let source = match self.plan.lane_maps()[map as usize] {
            LaneMap::Linear(ref columns) => {
                let columns: Vec<u64> = columns.iter().map(|c| u64::from(*c)).collect();
                // A map with more columns than lane bits also depends on the warp.
                let (bits, input) = if columns.len() > lanes_log2 as usize {
                    let bits = lanes_log2 + self.plan.warps_log2();
                    (bits, l.gpu.thread_id(&mut l.e))
                } else {
                    (lanes_log2, l.gpu.lane(&mut l.e))
                };
                let program = IndexProgram::new(&[bits], &[columns]);
                emit_index(&mut l.e, &program, &[input])[0]
            }
            LaneMap::Fixed { mask, bits } => {
                let own = l.gpu.lane(&mut l.e);
                let moved = l.e.i32(bits);
                replace_bits(l, own, mask, moved)
            }
            LaneMap::Before { mask } => {
                // The other bits are clear, so that a borrow propagates through them.
                let own = l.gpu.lane(&mut l.e);
                let all = l.e.i32(mask);
                let counted = l.e.and(own, all);
                let one = l.e.i32(1);
                let moved = l.e.sub(counted, one);
                let moved = l.e.and(moved, all);
                replace_bits(l, own, mask, moved)
            }
            LaneMap::After { mask } => {
                // The other bits are set, so that a carry propagates through them.
                let own = l.gpu.lane(&mut l.e);
                let lanes = l.gpu.target.lanes - 1;
                let (all, others) = (l.e.i32(mask), l.e.i32(lanes & !mask));
                let counted = l.e.or(own, others);
                let one = l.e.i32(1);
                let moved = l.e.add(counted, one);
                let moved = l.e.and(moved, all);
                replace_bits(l, own, mask, moved)
            }
        };
        let flip = l.e.i32(lane_xor);
        l.e.xor(source, flip)
    }

    fn of_thread(&mut self, columns: impl Iterator<Item = u32>, thread: Val<'c>) -> Val<'c> {
        let plan = self.plan;
        let mut bits = vec![plan.lanes_log2() + plan.warps_log2()];
        let mut inputs = vec![thread];
        if plan.blocks_log2() > 0 {
            bits.push(plan.blocks_log2());
            inputs.push(self.l.gpu.cta_rank(&mut self.l.e));
        }
        let program = IndexProgram::new(&bits, &[columns.map(u64::from).collect()]);
        emit_index(&mut self.l.e, &program, &inputs)[0]
    }

    /// Returns the pointer of an access. In an address of cluster memory, the bits above the byte offset contain
    /// the rank of the CTA.
    fn address(&mut self, address: Address) -> Result<Val<'c>, Diagnostic> {
        let base = &self.plan.address_bases()[address.base as usize];
        let memory = self.memory[&(base.space, base.start)];
        let (thread, mask) = match self.lane_order() {
            Some(order) => {
                let warp = self.l.gpu.warp(&mut self.l.e);
                let first = self.l.e.shl(warp, self.plan.lanes_log2());
                (first, !order.mask())
            }
            None => (self.l.gpu.thread_id(&mut self.l.e), u32::MAX),
        };
        let is_remote = base.space == MemorySpace::Cluster;
        let within = if is_remote {
            (1 << Address::CTA_SHIFT) - 1
        } else {
            u32::MAX
        };
        let mask = mask & within;
        let columns = base.columns.iter().map(|column| column & mask);
        let offset = self.of_thread(columns, thread);
        let constant = self.l.e.i32(address.xor & mask);
        let mut offset = self.l.e.xor(offset, constant);
        let is_disjoint = (base.possible_bits() | address.xor) & base.number_bits == 0;
        for (i, number) in self.plan.operands(address.numbers).iter().enumerate() {
            let number = self.word(*number);
            offset = match is_disjoint && i == 0 {
                true => self.l.e.or_disjoint(offset, number),
                false => self.l.e.xor(offset, number),
            };
        }
        let offset = base.gaps.iter().fold(offset, |sum, gap| {
            let gaps = self.l.e.lshr(offset, gap.interval_log2);
            let bytes = self.l.e.shl(gaps, gap.padding_log2);
            self.l.e.add(sum, bytes)
        });
        let i8 = self.l.e.types.i8;
        let pointer = self.l.e.gep(memory, i8, offset);
        let pointer = self.l.e.gep_bytes(pointer, address.add & within);
        if !is_remote {
            return Ok(pointer);
        }
        let ranks = base
            .columns
            .iter()
            .map(|column| column >> Address::CTA_SHIFT);
        let rank = self.of_thread(ranks, thread);
        let constant = self.l.e.i32(address.xor >> Address::CTA_SHIFT);
        let rank = self.l.e.xor(rank, constant);
        // The bits of `add` are zero in all other terms.
        let constant = self.l.e.i32(address.add >> Address::CTA_SHIFT);
        let rank = self.l.e.or_disjoint(rank, constant);
        let remote = self.l.gpu.address_in_cta(&mut self.l.e, pointer, rank);
        remote.ok_or_else(|| wrong("an access to another CTA on a GPU without clusters"))
    }

    fn lane_order(&self) -> Option<&'r LaneOrder> {
        self.stores?.lane_order
    }

    /// Returns the lane that holds the elements which this lane stores. `None` if each lane stores its own
    /// elements.
    fn lane_stored(&mut self, address: Address) -> Option<Val<'c>> {
        let order = self.lane_order()?;
        let lane_xor = order.lane_xor(address);
        if order.is_identity() && lane_xor == 0 {
            return None;
        }
        let thread = self.l.gpu.thread_id(&mut self.l.e);
        let lane = self.of_thread(order.columns().iter().copied(), thread);
        let flip = self.l.e.i32(lane_xor);
        Some(self.l.e.xor(lane, flip))
    }

    fn store(&mut self, address: Address, values: &[ValueId]) -> Result<(), Diagnostic> {
        if let Some(hook) = self.stores {
            let destination = Destination {
                pointer: self.address(address)?,
                source_lane: self.lane_stored(address),
            };
            let sources: Vec<usize> = values.iter().map(|id| id.index()).collect();
            (hook.emit)(self.l, destination, &sources);
            return Ok(());
        }
        let values: Vec<Val<'c>> = values
            .iter()
            .map(|id| {
                let value = self.contained(*id);
                // A vector of pointers cannot be bitcast to bits.
                if is_pointer(value.r#type()) {
                    words::as_integer(&mut self.l.e, value, 64)
                } else {
                    value
                }
            })
            .collect();
        let bytes = bits_of_several(bits_of(values[0].r#type()), values.len()) / 8;
        let value = self.l.e.gather(&values);
        let pointer = self.address(address)?;
        self.l.e.store(value, pointer, bytes);
        Ok(())
    }

    fn load(&mut self, address: Address, first: ValueId, count: u32) -> Result<(), Diagnostic> {
        let element = self.element(first);
        let type_ = match self.plan.is_word(first) {
            true => self.l.e.types.i32,
            false => self.container(first),
        };
        let memory_type = if is_pointer(type_) {
            self.l.e.types.i64
        } else {
            type_
        };
        let bytes = count * bits_of(memory_type) / 8;
        let whole = if count == 1 {
            memory_type
        } else {
            self.l.e.vector_type(count as usize, memory_type)
        };
        let pointer = self.address(address)?;
        let value = self.l.e.load(pointer, whole, bytes);
        for (i, part) in (0..).zip(self.l.e.scatter(value, count as usize, memory_type)) {
            let id = first.plus(i);
            let part = if self.plan.is_word(id) {
                part
            } else if is_pointer(type_) {
                words::integer_as(&mut self.l.e, part, type_)
            } else if element == type_ {
                part
            } else {
                self.l.e.trunc(part, element)
            };
            self.set(id, part);
        }
        Ok(())
    }
}

fn is_pointer(type_: Type<'_>) -> bool {
    sys::is_llvm_pointer(type_)
}

/// Returns `own` with the bits in `mask` replaced by those of `moved`. `moved` must be 0 outside `mask`.
fn replace_bits<'c>(l: &mut Lowering<'c>, own: Val<'c>, mask: u32, moved: Val<'c>) -> Val<'c> {
    let lanes = l.gpu.target.lanes - 1;
    let others = l.e.i32(lanes & !mask);
    let kept = l.e.and(own, others);
    l.e.or(kept, moved)
}

/// Reduces a value over the lanes of the warp. Integers of fewer than 32 bits are extended to 32 bits for the
/// reduction.
fn reduce_lanes<'c>(l: &mut Lowering<'c>, operation: LaneOperation, value: Val<'c>) -> Val<'c> {
    let (type_, i32) = (value.r#type(), l.e.types.i32);
    let is_narrow = bits_of(type_) < 32;
    let word = match operation {
        _ if !is_narrow => value,
        LaneOperation::Max | LaneOperation::Min => l.e.sext(value, i32),
        _ => l.e.zext(value, i32),
    };
    let combined = l.gpu.reduce_lanes(&mut l.e, operation, word);
    if is_narrow {
        l.e.trunc(combined, type_)
    } else {
        combined
    }
}
