//! Costs of operations and conversions, computed from the plans that lowering would use.
//!
//! # Units
//! A price is the cost of one execution by a CTA, in quarters of a cycle of the SM (or CU). All passes that compare
//! layouts compare such prices.

use super::buffers::{accessed_buffers, plan_buffer_access, slot_read};
use super::kernel::{DatumId, Kernel, Use};
use super::layouts::{EncodingId, LayoutId, ShapeId};
use super::modes::{Mode, NodeOrSlice, Tensors};
use super::options::AssignmentOptions;
use super::price_cache::{PlanCost, PriceCache};
use super::roles::{self, Role};
use crate::analysis::pressure::registers_for_tensors;
use crate::ir::ops::tt;
use crate::ir::{ProductTypes, SingleOperation, TensorType, element_bits};
use crate::sys;
use crate::sys::build::{self, Op};
use linear_layout::access::AxisInfo;
use linear_layout::assign::{INFEASIBLE, Price};
use linear_layout::f2::Span;
use linear_layout::layout::{Dim, LinearLayout};
use linear_layout::plan::program::Program;
use linear_layout::plan::reduce::{Reduction, baseline_reduction, plan_reduction};
use linear_layout::plan::scan::{Scan, baseline_scan, plan_scan};
use linear_layout::plan::{PlanOptions, baseline_conversion, plan_conversion};
use linear_layout::target::{Access, Target};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;

/// Bytes of a sector and of a cache line of global memory.
const SECTOR_BYTES: u64 = 32;
const LINE_BYTES: u64 = 128;
/// Penalty for each byte of scratch memory above the scratch budget. It is larger than any saving.
const BYTE_BEYOND: Price = 1 << 22;

pub(crate) struct Prices<'p> {
    options: AssignmentOptions,
    plans: &'p mut PriceCache,
    /// For each layout, the number that identifies the layout in the price cache `plans`. The list is indexed by
    /// [`LayoutId`]. An entry is `None` until the number of the layout is first needed.
    numbers: Vec<Option<u32>>,
    conversions: FxHashMap<(LayoutId, LayoutId, u32), PlanCost>,
    accesses: FxHashMap<(usize, LayoutId), Price>,
    /// Prices of reads of slots, keyed by encoding, shape and element width of the load, and the layout of the result.
    slot_reads: FxHashMap<(EncodingId, ShapeId, u32, LayoutId), Price>,
}

impl<'p> Prices<'p> {
    pub(crate) fn new(options: AssignmentOptions, plans: &'p mut PriceCache) -> Self {
        Self {
            options,
            plans,
            numbers: Vec::new(),
            conversions: FxHashMap::default(),
            accesses: FxHashMap::default(),
            slot_reads: FxHashMap::default(),
        }
    }

    pub(crate) fn scratch_budget(&self) -> Option<u32> {
        self.options.scratch_budget
    }

    fn number<'c>(&mut self, kernel: &Kernel<'c>, layout: LayoutId) -> u32 {
        let at = layout.index();
        if let Some(Some(known)) = self.numbers.get(at) {
            return *known;
        }
        let number = self.plans.number(kernel.catalogue.linear(layout));
        if self.numbers.len() <= at {
            self.numbers.resize(at + 1, None);
        }
        self.numbers[at] = Some(number);
        number
    }

    /// Returns the price of a plan, plus the penalty for the scratch bytes that the plan needs above the scratch
    /// budget.
    fn within(&self, planned: PlanCost) -> Price {
        let beyond = planned
            .bytes
            .saturating_sub(self.options.scratch_budget.unwrap_or(u32::MAX));
        let beyond = u64::from(beyond).saturating_mul(BYTE_BEYOND);
        planned.price.saturating_add(beyond)
    }

    /// Returns the price of converting elements of `bits` bits from layout `from` to layout `to`, including the
    /// penalty for scratch memory above the budget. Returns [`INFEASIBLE`] if there is no plan for the conversion.
    pub(crate) fn conversion<'c>(
        &mut self,
        kernel: &Kernel<'c>,
        from: LayoutId,
        to: LayoutId,
        bits: u32,
    ) -> Price {
        if from == to {
            return 0;
        }
        let planned = self.planned(kernel, from, to, bits);
        self.within(planned)
    }

    /// Returns the price of providing the value `datum`, which has the layout `from`, in the layout `to`, and the number
    /// of conversions: 0 if `pipeline-loops` replaces the conversion by a read of the slot to which it prefetches the value.
    ///
    /// The read must not need more registers than the layout of the load. Prices do not contain the registers that all
    /// later operations on the value then need as well (ADR 48).
    pub(crate) fn conversion_of<'c>(
        &mut self,
        kernel: &Kernel<'c>,
        datum: DatumId,
        from: LayoutId,
        to: LayoutId,
    ) -> (Price, u32) {
        let of = &kernel.datums[datum];
        let price = self.conversion(kernel, from, to, of.element_bits);
        let [before, after] = [from, to].map(|layout| kernel.catalogue.registers(layout));
        if of.is_prefetched && after <= before {
            let read = self.slot_read(kernel, datum, to);
            if read < price {
                return (read, 0);
            }
        }
        (price, 1)
    }

    /// Returns the price of reading a prefetched value from its slot in the layout `to`.
    fn slot_read<'c>(&mut self, kernel: &Kernel<'c>, datum: DatumId, to: LayoutId) -> Price {
        let of = &kernel.datums[datum];
        let key = (of.present, of.shape, of.element_bits, to);
        if let Some(known) = self.slot_reads.get(&key) {
            return *known;
        }
        let loaded = kernel.catalogue.get(of.present);
        let shape = kernel.catalogue.sizes(of.shape);
        let layout = kernel.catalogue.linear(to);
        let least = slot_read(
            layout,
            (loaded, shape, of.element_bits),
            self.options.target,
        );
        let least = least.map_or(INFEASIBLE, Price::from);
        self.slot_reads.insert(key, least);
        least
    }

    /// Returns the smallest amount of shared memory in bytes that is sufficient for a conversion.
    pub(crate) fn conversion_bytes<'c>(
        &mut self,
        kernel: &Kernel<'c>,
        from: LayoutId,
        to: LayoutId,
        bits: u32,
    ) -> u32 {
        match from == to {
            true => 0,
            false => self.planned(kernel, from, to, bits).bytes,
        }
    }

    fn planned<'c>(
        &mut self,
        kernel: &Kernel<'c>,
        from: LayoutId,
        to: LayoutId,
        bits: u32,
    ) -> PlanCost {
        if let Some(known) = self.conversions.get(&(from, to, bits)) {
            return *known;
        }
        let key = (self.number(kernel, from), self.number(kernel, to), bits);
        let planned = match self.plans.conversions.get(&key) {
            Some(known) => *known,
            None => {
                let layouts = [from, to].map(|layout| kernel.catalogue.linear(layout));
                let planned = plan_within(layouts, bits, self.options);
                self.plans.conversions.insert(key, planned);
                planned
            }
        };
        self.conversions.insert((from, to, bits), planned);
        planned
    }

    /// Returns the price of the operation `of` if its operands and results have the layouts in `mode`. Returns
    /// [`INFEASIBLE`] if no plan exists for these layouts.
    pub(crate) fn operation<'c>(
        &mut self,
        kernel: &Kernel<'c>,
        of: NodeOrSlice,
        mode: &Mode,
    ) -> Price {
        let tensors = match of {
            NodeOrSlice::Node(node) => kernel.nodes[node].tensors(),
            NodeOrSlice::Slice(slice) => kernel.slices[slice].tensors(),
        };
        match tensors.role {
            Role::Fixed => self.fixed(kernel, tensors.op, mode),
            Role::View
            | Role::Check
            | Role::Loop
            | Role::Conditional
            | Role::Conversion
            | Role::Terminator => 0,
            Role::Source | Role::Elementwise => self.elementwise(kernel, tensors, mode),
            Role::Reduction | Role::Scan => {
                let planned = self.combination(kernel, tensors, mode);
                planned.map_or(0, |planned| self.within(planned))
            }
            Role::Access { is_store } => self.access(kernel, tensors, mode, is_store),
            Role::Buffer { is_store } | Role::Block { is_store } => {
                let access = if is_store {
                    Access::Store
                } else {
                    Access::Load
                };
                let layout = mode.defs.first().or(mode.uses.first());
                layout.map_or(0, |layout| {
                    let layout = kernel.catalogue.linear(*layout);
                    let plan = accessed_buffers(tensors.op).into_iter().find_map(|buffer| {
                        plan_buffer_access(layout, buffer, access, self.options.target)
                    });
                    plan.map_or(INFEASIBLE, |plan| {
                        Price::from(plan.cost(self.options.target).total())
                    })
                })
            }
        }
    }

    /// Returns the price of an operation whose layouts must not change. The price of a `tt.dot` is that of its
    /// plan, or [`INFEASIBLE`] if no plan exists. The price of every other operation is 0, since its layouts have
    /// no alternatives.
    fn fixed<'c>(&mut self, kernel: &Kernel<'c>, op: Op<'c>, mode: &Mode) -> Price {
        let Some(dot) = tt::Dot::of(op) else {
            return 0;
        };
        let ([a, b, _], [d]) = (&mode.uses[..], &mode.defs[..]) else {
            return 0;
        };
        let layouts = [a, b, d].map(|layout| kernel.catalogue.linear(*layout));
        let planned = ProductTypes::of(dot).ok().and_then(|types| {
            let planned = self.plans.product(&types, layouts, self.options);
            planned.ok()
        });
        planned.map_or(INFEASIBLE, |planned| planned.price)
    }

    /// Returns the smallest amount of scratch memory in bytes that is sufficient for an operation.
    pub(crate) fn scratch_bytes<'c>(
        &mut self,
        kernel: &Kernel<'c>,
        of: NodeOrSlice,
        mode: &Mode,
    ) -> u32 {
        let tensors = match of {
            NodeOrSlice::Node(node) => kernel.nodes[node].tensors(),
            NodeOrSlice::Slice(slice) => kernel.slices[slice].tensors(),
        };
        let planned = match tensors.role {
            Role::Reduction | Role::Scan => self.combination(kernel, tensors, mode),
            _ => None,
        };
        planned.map_or(0, |planned| planned.bytes)
    }

    fn elementwise<'c>(&self, kernel: &Kernel<'c>, tensors: Tensors<'_, 'c>, mode: &Mode) -> Price {
        let Some(layout) = mode.defs.first().or(mode.uses.first()) else {
            return 0;
        };
        let own = tensors.defs.iter().copied();
        let datums = own.chain(tensors.uses.iter().map(|used| used.datum));
        let widest = datums.map(|datum| kernel.datums[datum].element_bits).max();
        let words = u64::from(widest.unwrap_or(32).div_ceil(32));
        let warps = kernel.catalogue.linear(*layout).in_size(Dim::WARP);
        let cost = roles::cost_per_word(tensors.op, &self.options.target.costs);
        kernel.catalogue.registers(*layout) * words * warps * Price::from(cost)
    }

    fn combination<'c>(
        &mut self,
        kernel: &Kernel<'c>,
        tensors: Tensors<'_, 'c>,
        mode: &Mode,
    ) -> Option<PlanCost> {
        let src = mode.uses.first()?;
        let op = tensors.op;
        let (axis, reverse) = match (tt::Reduce::of(op), tt::Scan::of(op)) {
            (Some(reduce), _) => (reduce.axis(), None),
            (None, Some(scan)) => (scan.axis(), Some(scan.reverse())),
            (None, None) => return None,
        };
        let axis = usize::try_from(axis).unwrap_or_default();
        let widths: Vec<u32> = (0..op.operand_count())
            .filter_map(|i| TensorType::of(build::operand(op, i).r#type()))
            .map(|tensor| element_bits(tensor.element).unwrap_or(32))
            .collect();
        let combine = roles::combination_cost(op, &self.options.target.costs);
        let mut key = vec![axis, usize::from(reverse.is_none()), combine as usize];
        key.push(usize::from(reverse == Some(true)));
        let is_packed = SingleOperation::packed(op, self.options.target).is_some();
        key.push(usize::from(is_packed));
        key.extend(widths.iter().map(|bits| *bits as usize));
        let dst = match reverse {
            None => mode.defs.first(),
            Some(_) => None,
        };
        let key = (
            key,
            self.number(kernel, *src),
            dst.map(|dst| self.number(kernel, *dst)),
        );
        if let Some(known) = self.plans.combinations.get(&key) {
            return Some(*known);
        }
        let linear = |layout: &LayoutId| kernel.catalogue.linear(*layout);
        let planned = match reverse {
            None => reduction_within(
                &Reduction {
                    src: linear(src),
                    axis,
                    dst: dst.map(linear),
                    widths: &widths,
                    combine,
                    at_once: None,
                    is_packed,
                    target: self.options.target,
                    scratch_limit: None,
                    can_halve: true,
                },
                self.options,
            ),
            Some(reverse) => scan_within(
                &Scan {
                    src: linear(src),
                    axis,
                    reverse,
                    widths: &widths,
                    combine,
                    is_packed,
                    target: self.options.target,
                    scratch_limit: None,
                },
                self.options,
            ),
        };
        self.plans.combinations.insert(key, planned);
        Some(planned)
    }

    /// Returns the price of a load from or store to global memory. Each access of a warp pays for issuing the
    /// instruction and for the sectors that it touches.
    fn access<'c>(
        &mut self,
        kernel: &Kernel<'c>,
        tensors: Tensors<'_, 'c>,
        mode: &Mode,
        is_store: bool,
    ) -> Price {
        let op = tensors.op;
        let operand = |at: usize| build::operand(op, at);
        let (pointer, mask) = match (tt::Load::of(op), tt::Store::of(op)) {
            (Some(load), _) => (load.ptr(), load.mask()),
            (None, Some(store)) => (store.ptr(), store.mask()),
            (None, None) => return 0,
        };
        let found = tensors
            .uses
            .iter()
            .position(|used: &Use<'c>| operand(used.at) == pointer);
        let Some(found) = found else {
            return 0;
        };
        let key = (sys::operation_id(op), mode.uses[found]);
        if let Some(known) = self.accesses.get(&key) {
            return *known;
        }
        let layout = kernel.catalogue.linear(mode.uses[found]);
        let pointee = TensorType::of(pointer.r#type())
            .and_then(|tensor| sys::pointer(tensor.element))
            .and_then(|(pointee, _)| element_bits(pointee));
        let bits = pointee.unwrap_or(32).max(8);
        let axis = kernel.axis.of(kernel.function);
        let widest = match mask {
            None => self.options.target.max_global_vector_bits,
            Some(_) => 128,
        };
        let vector_with = |mask| axis.vector(pointer, mask, bits, layout, widest);
        let masked = vector_with(mask);
        // Most threads use the accesses without masks.
        let unmasked = |mask| axis.unmasked_vector(mask, &masked, vector_with(None));
        let vector = mask.and_then(unmasked).unwrap_or(masked);
        // Each element is stored once.
        let free = layout.free_variable_masks();
        let [replicas, idle_warps] = [Dim::REGISTER, Dim::WARP].map(|dim| match is_store {
            true => free.mask(dim).count_ones(),
            false => 0,
        });
        let accesses = (kernel.catalogue.registers(mode.uses[found]) >> replicas)
            .max(vector.elements() as u64)
            / vector.elements() as u64;
        let touched = |bytes| {
            touched_blocks(
                layout,
                vector.register_bits(),
                axis.get(pointer),
                bits,
                bytes,
            )
        };
        let costs = &self.options.target.costs;
        let of = if is_store { costs.written } else { costs.read };
        let moved = touched(SECTOR_BYTES) * Price::from(of.sector)
            + touched(LINE_BYTES) * Price::from(of.line);
        let slot = Price::from(self.options.target.costs.wavefront);
        let issue = Price::from(self.options.target.costs.select);
        let warps = layout.in_size(Dim::WARP) >> idle_warps;
        let latency = match is_store {
            true => 0,
            false => (accesses - 1) * Price::from(self.options.latency),
        };
        let price = accesses * warps * (moved.max(slot) + issue) + latency;
        self.accesses.insert(key, price);
        price
    }
}

fn plan_cost(total: u32, own_bytes: u32, baseline_bytes: Option<u32>) -> PlanCost {
    PlanCost {
        price: Price::from(total),
        bytes: baseline_bytes.map_or(own_bytes, |baseline| baseline.min(own_bytes)),
    }
}

/// Returns a price and a byte count, or [`PlanCost::INFEASIBLE`] if there is no plan.
///
/// The price is that of the fastest plan. If the fastest plan needs more than `budget` bytes and some plan fits in
/// the budget, the price is that of the fastest plan that fits. The byte count is that of the overall fastest plan.
/// If this count exceeds the budget and the baseline plan needs fewer bytes, the byte count is that of the baseline
/// plan.
///
/// `plan(limit)` returns the cost and the bytes of the fastest plan that needs at most `limit` bytes. `baseline()`
/// returns the bytes of the baseline plan.
fn within(
    budget: Option<u32>,
    plan: impl Fn(Option<u32>) -> Option<(u32, u32)>,
    baseline: impl FnOnce() -> Option<u32>,
) -> PlanCost {
    let Some((cost, own)) = plan(None) else {
        return PlanCost::INFEASIBLE;
    };
    let Some(budget) = budget.filter(|budget| own > *budget) else {
        return plan_cost(cost, own, None);
    };
    let cost = plan(Some(budget)).map_or(cost, |(limited, _)| limited);
    plan_cost(cost, own, baseline())
}

/// Returns the cost of a program in quarters of a cycle, including the latency of its barriers, and the bytes of
/// shared memory that it needs.
pub(super) fn cost_and_bytes(program: &Program, options: AssignmentOptions) -> (u32, u32) {
    let barriers = u32::try_from(program.num_barriers()).unwrap_or(u32::MAX);
    let waiting = barriers.saturating_mul(options.barrier_latency);
    (program.cost().total() + waiting, program.scratch_bytes())
}

fn plan_within([from, to]: [&LinearLayout; 2], bits: u32, options: AssignmentOptions) -> PlanCost {
    let plan = |limit: Option<u32>| {
        let unlimited = PlanOptions::new();
        let limited = limit.map_or(unlimited, |limit| unlimited.with_scratch_limit(limit));
        let plan = plan_conversion(from, to, bits, options.target, &limited).ok()?;
        let (cost, bytes) = cost_and_bytes(plan.program(), options);
        let latency = if cost == 0 { 0 } else { options.latency };
        let spills = spills(to, bits, options.target);
        Some((cost.saturating_add(latency).saturating_add(spills), bytes))
    };
    within(options.scratch_budget, plan, || {
        let baseline = baseline_conversion(from, to, bits, options.target);
        baseline.ok().map(|plan| plan.bytes)
    })
}

/// Returns the price of the spills caused by the result of a conversion. The whole result is live at once, so each
/// word that does not fit in the registers is stored and loaded once.
fn spills(to: &LinearLayout, bits: u32, target: &Target) -> u32 {
    let warps = 1 << to.in_bits(Dim::WARP);
    let threads = u64::from(target.lanes) * u64::from(warps);
    let words = (to.in_size(Dim::REGISTER) * u64::from(bits)).div_ceil(32);
    let spilled = words.saturating_sub(registers_for_tensors(target, threads));
    // A store and a load of each word.
    let each = 2 * (target.costs.access + target.costs.wavefront) * warps;
    u32::try_from(spilled)
        .unwrap_or(u32::MAX)
        .saturating_mul(each)
}

fn reduction_within(reduction: &Reduction<'_>, options: AssignmentOptions) -> PlanCost {
    let plan = |scratch_limit| {
        let plan = plan_reduction(&Reduction {
            scratch_limit,
            ..*reduction
        });
        Some(cost_and_bytes(plan.ok()?.program(), options))
    };
    within(options.scratch_budget, plan, || {
        let baseline = baseline_reduction(reduction).ok().flatten();
        baseline.map(|plan| plan.bytes)
    })
}

fn scan_within(scan: &Scan<'_>, options: AssignmentOptions) -> PlanCost {
    let plan = |scratch_limit| {
        let plan = plan_scan(&Scan {
            scratch_limit,
            ..*scan
        });
        Some(cost_and_bytes(plan.ok()?.program(), options))
    };
    within(options.scratch_budget, plan, || {
        Some(baseline_scan(scan).bytes)
    })
}

/// Returns the number of aligned blocks of `block` bytes, such as sectors, that one access of a warp touches.
fn touched_blocks(
    layout: &LinearLayout,
    registers: &[u8],
    pointer: &AxisInfo,
    bits: u32,
    block: u64,
) -> u64 {
    let bytes = u64::from(bits / 8).max(1);
    let lanes = (0..layout.in_bits(Dim::LANE)).map(|bit| layout.basis(Dim::LANE, bit));
    let own = registers
        .iter()
        .map(|bit| layout.basis(Dim::REGISTER, usize::from(*bit)));
    // Elements of one block along the contiguous dimension count once.
    let along = (0..pointer.rank()).max_by_key(|d| (pointer.contiguity(*d), *d));
    let run = along.map_or(1, |d| pointer.contiguity(d).min((block / bytes).max(1)));
    let mut span = Span::empty();
    let shifts: Vec<usize> = layout.out_dims().map(|dim| layout.out_bits(dim)).collect();
    for basis in lanes.chain(own) {
        let (mut packed, mut shift) = (0u64, 0);
        for (d, value) in basis.iter().enumerate() {
            let kept = if Some(d) == along {
                value & !(run - 1)
            } else {
                value
            };
            packed |= kept << shift;
            shift += shifts.get(d).copied().unwrap_or(0);
        }
        span.insert(packed);
    }
    1 << span.dimension()
}

/// Returns true for a `tt.load` or `tt.store` of at least two elements and at least one element per thread.
///
/// The layout of such an access determines how well the accesses of the threads coalesce.
pub(crate) fn is_expensive(op: Op<'_>, threads: u64) -> bool {
    let pointer = match (tt::Load::of(op), tt::Store::of(op)) {
        (Some(load), _) => load.ptr(),
        (None, Some(store)) => store.ptr(),
        (None, None) => return false,
    };
    let elements = TensorType::of(pointer.r#type()).map(|tensor| tensor.num_elements());
    elements.is_some_and(|elements| elements > 1 && elements >= threads)
}

pub(super) fn convert<'c>(
    kernel: &mut Kernel<'c>,
    prices: &mut Prices<'_>,
    datum: DatumId,
    from: EncodingId,
    to: EncodingId,
) -> (Price, u32) {
    let shape = kernel.datums[datum].shape;
    let layouts = [from, to].map(|encoding| kernel.catalogue.layout(encoding, shape));
    match layouts {
        [Some(from), Some(to)] => prices.conversion_of(kernel, datum, from, to),
        _ => (INFEASIBLE, 1),
    }
}
