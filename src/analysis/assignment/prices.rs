//! What operations and conversions cost in a layout, by the plans that would be made for them.
//!
//! All prices are of one run, for a CTA, in sixteenths of a cycle of its processor.

use super::kernel::{Kernel, Use};
use super::layouts::LayoutId;
use super::modes::{Mode, Of, Tensors};
use super::roles::{self, Role};
use crate::access::AxisInfo;
use crate::analysis::axis::AxisAnalysis;
use crate::assign::{INFEASIBLE, Price};
use crate::f2::Span;
use crate::ir::ops::tt;
use crate::ir::{Layouts, TensorType, element_bits};
use crate::layout::{Dim, LinearLayout};
use crate::plan::memory::{MemoryPlan, Place};
use crate::plan::reduce::{Reduction, plan_reduction};
use crate::plan::scan::{Scan, plan_scan};
use crate::plan::{PlanOptions, plan_conversion};
use crate::sys;
use crate::sys::build::{self, Op};
use crate::target::{Access, Target};
use melior::ir::operation::OperationLike;
use melior::ir::{Type, TypeLike, ValueLike};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// Sixteenths of a cycle in a quarter, which plans count.
const QUARTER: Price = 4;

/// Bytes that global memory is read and written in.
const SECTOR_BYTES: u64 = 32;
/// What a sector costs that is read: the first cache gives 64 bytes in a cycle.
const SECTOR_READ: Price = 8;
/// What a sector costs that is written: through to the second cache, 32 bytes in a cycle.
const SECTOR_WRITTEN: Price = 16;

/// Prices of one function, each computed once.
pub(crate) struct Prices<'c> {
    target: &'static Target,
    function: Op<'c>,
    axis: OnceCell<AxisAnalysis>,
    conversions: FxHashMap<(LayoutId, LayoutId, u32), Price>,
    planned: FxHashMap<(Vec<usize>, LayoutId), Price>,
}

impl<'c> Prices<'c> {
    pub(crate) fn new(target: &'static Target, function: Op<'c>) -> Self {
        Self {
            target,
            function,
            axis: OnceCell::new(),
            conversions: FxHashMap::default(),
            planned: FxHashMap::default(),
        }
    }

    /// Returns what a conversion costs; [`INFEASIBLE`] where there is no plan for it.
    pub(crate) fn conversion(
        &mut self,
        kernel: &Kernel<'c>,
        from: LayoutId,
        to: LayoutId,
        bits: u32,
    ) -> Price {
        if from == to {
            return 0;
        }
        let target = self.target;
        *self.conversions.entry((from, to, bits)).or_insert_with(|| {
            let [from, to] = [from, to].map(|layout| kernel.catalogue.linear(layout));
            plan_conversion(from, to, bits, target, &PlanOptions::new())
                .map_or(INFEASIBLE, |plan| {
                    Price::from(plan.program().cost().total()) * QUARTER
                })
        })
    }

    /// Returns what an operation costs in a mode; [`INFEASIBLE`] where there is no plan for it.
    pub(crate) fn operation(&mut self, kernel: &Kernel<'c>, of: Of, mode: &Mode) -> Price {
        let tensors = match of {
            Of::Node(node) => kernel.nodes[node].tensors(),
            Of::Slice(slice) => kernel.slices[slice].tensors(),
        };
        match tensors.role {
            Role::Fixed
            | Role::View
            | Role::Check
            | Role::Loop
            | Role::Choice
            | Role::Conversion
            | Role::End => 0,
            Role::Source | Role::Elementwise => self.elementwise(kernel, tensors, mode),
            Role::Reduction | Role::Scan => self.combination(kernel, tensors, mode),
            Role::Access { is_store } => self.access(kernel, tensors, mode, is_store),
            Role::Buffer { is_store } => {
                let access = if is_store {
                    Access::Store
                } else {
                    Access::Load
                };
                let layout = mode.defs.first().or(mode.uses.first());
                layout.map_or(0, |layout| {
                    let layout = kernel.catalogue.linear(*layout);
                    let price = self.buffer(tensors.op, layout, access);
                    price.unwrap_or(INFEASIBLE)
                })
            }
        }
    }

    /// What an instruction costs that all warps of a layout issue.
    fn issue(&self, layout: &LinearLayout) -> Price {
        let warps = layout.in_size(Dim::WARP);
        Price::from(self.target.costs.select) * QUARTER * warps
    }

    fn elementwise(&self, kernel: &Kernel<'c>, tensors: Tensors<'_, 'c>, mode: &Mode) -> Price {
        let Some(layout) = mode.defs.first().or(mode.uses.first()) else {
            return 0;
        };
        let own = tensors.defs.iter().copied();
        let datums = own.chain(tensors.uses.iter().map(|used| used.datum));
        let widest = datums.map(|datum| kernel.datums[datum].element_bits).max();
        let words = u64::from(widest.unwrap_or(32).div_ceil(32));
        let linear = kernel.catalogue.linear(*layout);
        kernel.catalogue.registers(*layout)
            * words
            * roles::instructions(tensors.op)
            * self.issue(linear)
    }

    /// By the plan that lowering would make.
    fn combination(&mut self, kernel: &Kernel<'c>, tensors: Tensors<'_, 'c>, mode: &Mode) -> Price {
        let Some(src) = mode.uses.first() else {
            return 0;
        };
        let (op, target) = (tensors.op, self.target);
        let (axis, reverse) = match (tt::Reduce::of(op), tt::Scan::of(op)) {
            (Some(reduce), _) => (reduce.axis(), None),
            (None, Some(scan)) => (scan.axis(), Some(scan.reverse())),
            (None, None) => return 0,
        };
        let axis = usize::try_from(axis).unwrap_or_default();
        let widths: Vec<u32> = (0..op.operand_count())
            .filter_map(|i| TensorType::of(build::operand(op, i).r#type()))
            .map(|tensor| element_bits(tensor.element).unwrap_or(32))
            .collect();
        let combine = combined(op);
        let mut key = vec![axis, usize::from(reverse.is_none()), combine as usize];
        key.push(usize::from(reverse == Some(true)));
        key.extend(widths.iter().map(|bits| *bits as usize));
        let key = (key, *src);
        if let Some(known) = self.planned.get(&key) {
            return *known;
        }
        let linear = kernel.catalogue.linear(*src);
        let total = match reverse {
            None => plan_reduction(&Reduction {
                src: linear,
                axis,
                dst: mode.defs.first().map(|dst| kernel.catalogue.linear(*dst)),
                widths: &widths,
                combine,
                at_once: None,
                target,
                scratch_limit: None,
            })
            .ok()
            .map(|plan| plan.program().cost().total()),
            Some(reverse) => plan_scan(&Scan {
                src: linear,
                axis,
                reverse,
                widths: &widths,
                combine,
                target,
                scratch_limit: None,
            })
            .ok()
            .map(|plan| plan.program().cost().total()),
        };
        let price = total.map_or(INFEASIBLE, |total| Price::from(total) * QUARTER);
        self.planned.insert(key, price);
        price
    }

    /// Each warp issues its accesses to a buffer, and each takes wavefronts.
    fn buffer(&self, op: Op<'c>, layout: &LinearLayout, access: Access) -> Option<Price> {
        let values = build::operands(op).into_iter().chain(build::results(op));
        let (place, mask) = values.into_iter().find_map(|value| place(value.r#type()))?;
        let plan = MemoryPlan::of_warps(layout, &place, mask, access, self.target).ok()?;
        let costs = &self.target.costs;
        let waves = Price::from(plan.wavefronts().0) * Price::from(costs.wavefront);
        let issue = plan.accesses().len() as Price * Price::from(costs.access);
        Some((waves + issue) * QUARTER * layout.in_size(Dim::WARP))
    }

    /// Each warp issues its accesses, and each touches sectors.
    fn access(
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
        let layout = kernel.catalogue.linear(mode.uses[found]);
        let pointee = TensorType::of(pointer.r#type())
            .and_then(|tensor| sys::pointer(tensor.element))
            .and_then(|(pointee, _)| element_bits(pointee));
        let bits = pointee.unwrap_or(32).max(8);
        let axis = self.axis.get_or_init(|| AxisAnalysis::of(self.function));
        let widest = match mask {
            None => self.target.max_global_vector_bits,
            Some(_) => 128,
        };
        let vector = axis.vector(pointer, mask, bits, layout, widest);
        // Of registers that hold the same, one is stored.
        let copies = layout
            .free_variable_masks()
            .mask(Dim::REGISTER)
            .count_ones();
        let stored = if is_store { copies } else { 0 };
        let accesses = (kernel.catalogue.registers(mode.uses[found]) >> stored)
            .max(vector.elements() as u64)
            / vector.elements() as u64;
        let sectors = sectors(layout, vector.register_bits(), axis.get(pointer), bits);
        let each = if is_store {
            SECTOR_WRITTEN
        } else {
            SECTOR_READ
        };
        let slot = Price::from(self.target.costs.wavefront) * QUARTER;
        let issue = Price::from(self.target.costs.select) * QUARTER;
        let warps = layout.in_size(Dim::WARP);
        accesses * warps * ((sectors * each).max(slot) + issue)
    }
}

/// Where the elements of a buffer lie, and the bits of positions that tell parts of it from one another.
fn place(type_: Type<'_>) -> Option<(Place, u64)> {
    let buffer = sys::buffer(type_)?;
    let encoding = Layouts::of(type_.context())
        .encoding(buffer.encoding?)
        .ok()?;
    if !encoding.is_shared() || buffer.alloc_shape.len() != buffer.shape.len() {
        return None;
    }
    let leading = buffer.shape.len().checked_sub(encoding.rank())?;
    let layout = encoding.to_surjective_layout(&buffer.alloc_shape[leading..]);
    let bits = element_bits(buffer.element)?;
    let place = Place::new(layout.ok()?, encoding.interval_paddings(), bits).ok()?;
    let mask = place.view_mask(&buffer.shape[leading..]).ok()?;
    Some((place, mask))
}

/// How many sectors an access of a warp touches: those of all lanes, each with the registers of one access.
fn sectors(layout: &LinearLayout, registers: &[u8], pointer: &AxisInfo, bits: u32) -> u64 {
    let bytes = u64::from(bits / 8).max(1);
    let lanes = (0..layout.in_bits(Dim::LANE)).map(|bit| layout.basis(Dim::LANE, bit));
    let own = registers
        .iter()
        .map(|bit| layout.basis(Dim::REGISTER, usize::from(*bit)));
    // Along the dimension in which addresses run on, elements of one sector are one.
    let along = (0..pointer.rank()).max_by_key(|d| (pointer.contiguity(*d), *d));
    let run = along.map_or(1, |d| {
        pointer.contiguity(d).min((SECTOR_BYTES / bytes).max(1))
    });
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

/// How many operations the region of a reduction or scan has, less its end.
fn combined(op: Op<'_>) -> u32 {
    let blocks = (0..op.region_count()).flat_map(|region| build::blocks(op, region));
    let count: usize = blocks.map(|block| build::operations(block).len()).sum();
    u32::try_from(count.saturating_sub(1))
        .unwrap_or(u32::MAX)
        .max(1)
}

/// Whether an access is of a whole tensor of pointers, so that its layout was chosen with care.
pub(crate) fn is_expensive(op: Op<'_>, threads: u64) -> bool {
    let pointer = match (tt::Load::of(op), tt::Store::of(op)) {
        (Some(load), _) => load.ptr(),
        (None, Some(store)) => store.ptr(),
        (None, None) => return false,
    };
    let elements = TensorType::of(pointer.r#type()).map(|tensor| tensor.num_elements());
    elements.is_some_and(|elements| elements > 1 && elements >= threads)
}
