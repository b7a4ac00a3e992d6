//! What layouts cost: conversions by their plans, accesses by what they ask of memory, arithmetic by its registers.
//!
//! # Units
//! Quarters of a clock of one SM for one block, as [`Cost`](linear_layout::plan::Cost).

use super::context::PassContext;
use crate::analysis::axis::AxisAnalysis;
use crate::ir::{Layouts, ModuleInfo, OpKind, TensorLayout, TensorType, element_bits};
use crate::lower;
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Rewriter};
use linear_layout::access::{Sharing, Traffic};
use linear_layout::layout::Dim;
use linear_layout::plan::{ConvertPlan, Cost, PlanKind, PlanOptions, plan_conversion};
use linear_layout::target::{Access, Target};
use melior::ir::{Type, ValueLike};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{AddAssign, SubAssign};
use std::sync::Arc;

/// The cost of something, and, where that is the same, how many conversions it takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Price {
    pub(super) cost: i64,
    pub(super) conversions: i64,
}

impl Price {
    pub(super) const FREE: Self = Self {
        cost: 0,
        conversions: 0,
    };

    pub(super) fn of_conversion(cost: i64) -> Self {
        Self {
            cost,
            conversions: 1,
        }
    }

    /// In whole clocks, for reading.
    pub(super) fn clocks(self) -> i64 {
        (self.cost + 3) / 4
    }
}

impl AddAssign for Price {
    fn add_assign(&mut self, other: Self) {
        self.cost += other.cost;
        self.conversions += other.conversions;
    }
}

impl SubAssign for Price {
    fn sub_assign(&mut self, other: Self) {
        self.cost -= other.cost;
        self.conversions -= other.conversions;
    }
}

/// Facts on the values of each function, by the state of the IR that they were found in.
type Facts = (u64, HashMap<usize, AxisAnalysis>);

/// What is charged on the GPU of a module.
pub(super) struct Prices<'c> {
    rewriter: Rewriter<'c>,
    layouts: &'c Layouts,
    target: &'static Target,
    conversions: RefCell<HashMap<[usize; 2], Option<i64>>>,
    facts: RefCell<Facts>,
}

impl<'c> Prices<'c> {
    pub(super) fn of(context: &PassContext<'c>) -> Self {
        let usual = || {
            let info = ModuleInfo::around(context.module());
            let lanes = info.map_or(32, |info| info.threads_per_warp);
            Target::usual(lanes)
        };
        Self {
            rewriter: context.rewriter(),
            layouts: context.layouts(),
            target: context.gpu(None).unwrap_or_else(|_| usual()),
            conversions: RefCell::default(),
            facts: RefCell::default(),
        }
    }

    pub(super) fn layout(&self, type_: Type<'c>) -> Option<Arc<TensorLayout>> {
        self.layouts.tensor(&TensorType::of(type_)?).ok()
    }

    /// Whether two tensors hold the same elements in the same registers of the same threads, registers that
    /// repeat others included.
    pub(super) fn is_same(&self, a: Type<'c>, b: Type<'c>) -> bool {
        matches!((self.layout(a), self.layout(b)), (Some(a), Some(b)) if a.full == b.full)
    }

    /// What a conversion costs; nothing where there is no plan for it.
    pub(super) fn conversion(&self, from: Type<'c>, to: Type<'c>) -> Option<i64> {
        let key = [from, to].map(sys::type_id);
        if let Some(known) = self.conversions.borrow().get(&key) {
            return *known;
        }
        let cost = || {
            if self.layout(from)?.unique == self.layout(to)?.unique {
                return Some(0);
            }
            Some(i64::from(self.plan(from, to)?.program().cost().total()))
        };
        let cost = cost();
        self.conversions.borrow_mut().insert(key, cost);
        cost
    }

    /// What one instruction for each register of a tensor costs, on words of 32 bits.
    pub(super) fn arithmetic(&self, type_: Type<'c>) -> Option<i64> {
        let tensor = TensorType::of(type_)?;
        let layout = self.layouts.tensor(&tensor).ok()?;
        let words = i64::from(element_bits(tensor.element)?.div_ceil(32));
        let warps = i64::try_from(layout.full.in_size(Dim::WARP)).ok()?;
        let registers = i64::try_from(layout.num_registers()).ok()?;
        Some(registers * words * warps * i64::from(self.target.costs.select))
    }

    /// What it costs to load a tensor from a buffer of a type, or to store it there.
    pub(super) fn buffer_access(
        &self,
        tensor: Type<'c>,
        buffer: Type<'c>,
        access: Access,
    ) -> Option<i64> {
        Some(i64::from(self.access(tensor, buffer, access)?.total()))
    }

    /// What it costs to store a tensor to a buffer, and to load it with another layout when all have stored.
    pub(super) fn through_buffer(
        &self,
        from: Type<'c>,
        to: Type<'c>,
        buffer: Type<'c>,
    ) -> Option<i64> {
        let costs = &self.target.costs;
        let stored = self.access(from, buffer, Access::Store)?;
        let loaded = self.access(to, buffer, Access::Load)?;
        let both = Cost {
            load_store: stored.load_store + loaded.load_store,
            arithmetic: stored.arithmetic + loaded.arithmetic,
            waiting: costs.barrier + costs.round_trip,
        };
        Some(i64::from(both.total()))
    }

    fn access(&self, tensor: Type<'c>, buffer: Type<'c>, access: Access) -> Option<Cost> {
        let tensor = TensorType::of(tensor)?;
        lower::access_cost(self.layouts, self.target, &tensor, buffer, access)
    }

    /// Whether a conversion is carried out in shared memory, at least in part.
    pub(super) fn goes_through_memory(&self, from: Type<'c>, to: Type<'c>) -> bool {
        self.plan(from, to)
            .is_some_and(|plan| matches!(plan.kind(), PlanKind::Shared | PlanKind::Mixed))
    }

    fn plan(&self, from: Type<'c>, to: Type<'c>) -> Option<ConvertPlan> {
        let bits = element_bits(TensorType::of(from)?.element)?;
        let (src, dst) = (self.layout(from)?, self.layout(to)?);
        plan_conversion(&src.full, &dst.full, bits, self.target, &PlanOptions::new()).ok()
    }

    /// What an access to global memory asks for, if its pointers have the layout of this type.
    pub(super) fn traffic(
        &self,
        op: Op<'c>,
        pointer: Val<'c>,
        mask: Option<Val<'c>>,
        type_: Type<'c>,
        sharing: Sharing,
    ) -> Option<Traffic> {
        let layout = self.layout(type_)?;
        let (pointee, _) = sys::pointer(TensorType::of(pointer.r#type())?.element)?;
        let bits = element_bits(pointee)?;
        let widest = match mask {
            None => self.target.max_global_vector_bits,
            Some(_) => lower::MASKED_BITS,
        };
        let function = function_around(op)?;
        let mut facts = self.facts.borrow_mut();
        let now = self.rewriter.changes();
        if facts.0 != now {
            *facts = (now, HashMap::new());
        }
        let id = sys::operation_id(function);
        let axis = facts
            .1
            .entry(id)
            .or_insert_with(|| AxisAnalysis::of(function));
        let vector = axis.vector(pointer, mask, bits, &layout.unique, widest);
        let info = axis.get(pointer);
        Some(Traffic::of(info, &layout.unique, bits, &vector, sharing))
    }
}

/// The function that an operation lies in.
fn function_around(op: Op<'_>) -> Option<Op<'_>> {
    let mut op = op;
    while !OpKind::TtFunc.is(op) {
        op = build::parent(op)?;
    }
    Some(op)
}
