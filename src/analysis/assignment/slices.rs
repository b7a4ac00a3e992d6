//! Backward slices that can be rematerialised in another layout: constants, ranges, addresses, masks.
//!
//! The layout of such a datum is not part of a node. In each required layout, the datum is either rematerialised
//! together with its slice, or converted from the original value; the cheaper source wins. A shared source costs only
//! once.

use super::kernel::{DatumId, Kernel, Producer, SliceId};
use super::layouts::EncodingId;
use super::modes::{NodeOrSlice, Spelling, TensorPosition};
use super::prices::Prices;
use linear_layout::assign::{INFEASIBLE, Price};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A cost, as a price and a number of conversions. Costs are compared by price first.
pub(crate) type Cost = (Price, u32);

pub(crate) type DemandId = usize;

/// An operation that provides a datum in a required encoding: a rematerialised operation or a conversion.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Materialisation {
    /// An operation that is rematerialised, so that its first result has the given encoding.
    Recompute(SliceId, EncodingId),
    /// A conversion of a datum from the first encoding to the second.
    Convert(DatumId, EncodingId, EncodingId),
}

/// A request for a datum in an encoding. The datum is either rematerialised in this encoding or converted from its
/// original encoding.
#[derive(Clone, Debug)]
struct Demand {
    datum: DatumId,
    encoding: EncodingId,
    /// The encodings of all operands and results of the operation that rematerialises the datum, and the demands
    /// for the operands of this operation.
    ///
    /// `None` if rematerialisation in this encoding is impossible.
    direct: Option<(Spelling, Vec<DemandId>)>,
    /// The demand for the datum in its original encoding, which is the source of a conversion.
    ///
    /// `None` if `encoding` is the original encoding.
    present: Option<DemandId>,
    is_direct: bool,
    /// The cost of rematerialisation, then the cost of conversion. Both exclude the costs of operands, and are
    /// `None` if impossible.
    costs: [Option<Cost>; 2],
    total: Cost,
    users: u32,
}

impl Demand {
    fn own(&self) -> Cost {
        self.costs[usize::from(!self.is_direct)].unwrap_or((INFEASIBLE, 0))
    }

    fn operands(&self) -> &[DemandId] {
        match &self.direct {
            Some((_, wanted)) if self.is_direct => wanted,
            _ => self.present.as_slice(),
        }
    }
}

/// The demands for rematerialisable values. For each demand, either rematerialisation or conversion is chosen.
#[derive(Default)]
pub(crate) struct Slices {
    demands: Vec<Demand>,
    known: FxHashMap<(DatumId, EncodingId), DemandId>,
    settled: usize,
    /// Penalty for each conversion, added to the price of its plan.
    conversion_cost: Price,
}

impl Slices {
    pub(crate) fn new(conversion_cost: Price) -> Self {
        Self {
            conversion_cost,
            ..Self::default()
        }
    }

    /// Returns the demand for `datum` in `encoding`. If this demand does not exist yet, adds it, together with all
    /// missing demands that it needs directly or indirectly.
    pub(crate) fn demand(
        &mut self,
        kernel: &mut Kernel<'_>,
        datum: DatumId,
        encoding: EncodingId,
    ) -> DemandId {
        let first = self.enter(datum, encoding);
        let mut next = first.min(self.demands.len());
        // Iterative, since chains of operations may be long.
        while next < self.demands.len() {
            if self.demands[next].direct.is_none() && self.demands[next].present.is_none() {
                self.open(kernel, next);
            }
            next += 1;
        }
        first
    }

    fn enter(&mut self, datum: DatumId, encoding: EncodingId) -> DemandId {
        if let Some(known) = self.known.get(&(datum, encoding)) {
            return *known;
        }
        let id = self.demands.len();
        self.known.insert((datum, encoding), id);
        self.demands.push(Demand {
            datum,
            encoding,
            direct: None,
            present: None,
            is_direct: true,
            costs: [None, None],
            total: (0, 0),
            users: 0,
        });
        id
    }

    /// Adds the demands for the operands of demand `id`, both for rematerialisation and for conversion.
    fn open(&mut self, kernel: &mut Kernel<'_>, id: DemandId) {
        let Demand {
            datum, encoding, ..
        } = self.demands[id];
        let Producer::Slice(slice, def) = kernel.datums[datum].producer else {
            unreachable!("only slices are demanded");
        };
        let present = kernel.datums[datum].present;
        let spelling = if encoding == present {
            Some(kernel.present(NodeOrSlice::Slice(slice)))
        } else {
            let found = kernel.spelled(
                NodeOrSlice::Slice(slice),
                TensorPosition::Def(def),
                encoding,
            );
            found.map(|(spelling, _)| spelling)
        };
        if encoding != present {
            self.demands[id].present = Some(self.enter(datum, present));
        }
        if let Some(spelling) = spelling {
            let wanted: Vec<_> = kernel.slices[slice]
                .uses
                .iter()
                .zip(&spelling.uses)
                .map(|(used, encoding)| (used.datum, *encoding))
                .collect();
            let wanted = wanted
                .into_iter()
                .map(|(datum, encoding)| self.enter(datum, encoding))
                .collect();
            self.demands[id].direct = Some((spelling, wanted));
        }
    }

    /// Chooses rematerialisation or conversion for each demand that was added since the last call.
    ///
    /// An operand demand that already has users adds no cost, since its value is computed anyway.
    pub(crate) fn choose_sources<'c>(&mut self, kernel: &mut Kernel<'c>, prices: &mut Prices<'_>) {
        for id in self.settled..self.demands.len() {
            self.price(kernel, prices, id);
        }
        let new = self.settled..self.demands.len();
        self.settled = self.demands.len();
        self.decide_all(kernel, new);
    }

    /// Chooses rematerialisation or conversion again for each demand without users.
    ///
    /// A demand that has users keeps its choice. As an operand of another demand, it adds no cost, since its value
    /// is computed anyway.
    pub(crate) fn settle_again(&mut self, kernel: &Kernel<'_>) {
        self.decide_all(kernel, 0..self.demands.len());
    }

    fn decide_all(&mut self, kernel: &Kernel<'_>, range: Range<DemandId>) {
        // Operands precede users: earlier slices, and a demand in the original encoding before the conversions of it.
        let mut order: Vec<DemandId> = range.collect();
        order.sort_by_key(|id| {
            let demand = &self.demands[*id];
            let datum = &kernel.datums[demand.datum];
            let Producer::Slice(slice, _) = datum.producer else {
                return (0, false);
            };
            (slice, demand.encoding != datum.present)
        });
        for id in order {
            self.decide(id);
        }
    }

    fn price<'c>(&mut self, kernel: &mut Kernel<'c>, prices: &mut Prices<'_>, id: DemandId) {
        let demand = &self.demands[id];
        let (encoding, is_present) = (demand.encoding, demand.present.is_none());
        let datum = kernel.datums[demand.datum];
        let Producer::Slice(slice, _) = datum.producer else {
            return;
        };
        let spelling = demand.direct.as_ref().map(|(spelling, _)| spelling.clone());
        let mode = spelling.and_then(|spelling| kernel.mode(NodeOrSlice::Slice(slice), spelling));
        let make = mode.map(|mode| {
            let own = prices.operation(kernel, NodeOrSlice::Slice(slice), &mode);
            (own.saturating_mul(kernel.slices[slice].weight), 0)
        });
        let convert = (!is_present).then(|| {
            let layouts = [datum.present, encoding]
                .map(|encoding| kernel.catalogue.layout(encoding, datum.shape));
            let own = match layouts {
                [Some(from), Some(to)] => prices.conversion(kernel, from, to, datum.element_bits),
                _ => INFEASIBLE,
            };
            let own = own.saturating_mul(datum.weight);
            (own.saturating_add(self.conversion_cost), 1)
        });
        self.demands[id].costs = [make, convert];
    }

    fn decide(&mut self, id: DemandId) {
        if self.demands[id].users > 0 {
            self.demands[id].total = (0, 0);
            return;
        }
        let demand = &self.demands[id];
        let total = |own: Cost, wanted: &[DemandId]| {
            let totals = wanted.iter().map(|wanted| self.demands[*wanted].total);
            totals.fold(own, add)
        };
        let direct = demand.costs[0].zip(demand.direct.as_ref());
        let direct = direct.map(|(own, (_, wanted))| total(own, wanted));
        let converted = demand.costs[1].map(|own| total(own, demand.present.as_slice()));
        let is_direct = match (direct, converted) {
            (Some(direct), Some(converted)) => direct <= converted,
            (direct, _) => direct.is_some(),
        };
        let best = if is_direct { direct } else { converted };
        let demand = &mut self.demands[id];
        demand.is_direct = is_direct;
        demand.total = best.unwrap_or((INFEASIBLE, 0));
    }

    /// Improves the choices between rematerialisation and conversion by local search. Returns true if the total
    /// cost of `roots` has decreased.
    ///
    /// Each step changes the choice of one demand. A second search starts with all values rematerialised, since the
    /// first search cannot leave a local optimum in which several conversions share an operand. The better result
    /// is kept.
    pub(crate) fn improve(&mut self, roots: &[DemandId]) -> bool {
        let sources = |of: &Self| -> Vec<bool> { of.demands.iter().map(|d| d.is_direct).collect() };
        let first = sources(self);
        let as_is = self.count_users(roots).cost();
        let found = self.descend(roots);
        let improved = sources(self);
        for demand in &mut self.demands {
            demand.is_direct = demand.costs[0].is_some_and(|own| own.0 != INFEASIBLE);
        }
        let anew = self.descend(roots);
        let best = if anew < found {
            sources(self)
        } else {
            improved
        };
        // Demands without users keep their sources.
        let wanted: Vec<bool> = self.demands.iter().map(|d| d.users > 0).collect();
        for (id, demand) in self.demands.iter_mut().enumerate() {
            demand.is_direct = if anew < found && !wanted[id] {
                first[id]
            } else {
                best[id]
            };
        }
        let now = self.count_users(roots).cost();
        debug_assert!(now <= as_is);
        now < as_is
    }

    fn count_users(&mut self, roots: &[DemandId]) -> TotalCost {
        for demand in &mut self.demands {
            demand.users = 0;
        }
        let mut sum = TotalCost::default();
        for root in roots {
            self.acquire(*root, &mut sum);
        }
        sum
    }

    /// Changes the choice between rematerialisation and conversion for one demand at a time, as long as this
    /// decreases the total cost.
    ///
    /// Returns the final total cost of `roots`.
    fn descend(&mut self, roots: &[DemandId]) -> (u128, u64) {
        let mut sum = self.count_users(roots);
        loop {
            let mut is_done = true;
            for id in 0..self.demands.len() {
                let demand = &self.demands[id];
                let other = demand.costs[usize::from(demand.is_direct)];
                if demand.users == 0 || other.is_none() {
                    continue;
                }
                let before = sum.cost();
                self.flip(id, &mut sum);
                if sum.cost() < before {
                    is_done = false;
                } else {
                    self.flip(id, &mut sum);
                }
            }
            if is_done {
                return sum.cost();
            }
        }
    }

    /// Improves the choices for `roots` as [`Self::improve`] does. Then returns the increase of the total cost that
    /// results if demand `id` is converted instead of rematerialised, or vice versa.
    ///
    /// Returns `None` if the demand has no users, if only one of the two choices exists, or if the cost of one of
    /// them is infeasible.
    pub(crate) fn flip_cost(&mut self, roots: &[DemandId], id: DemandId) -> Option<Price> {
        self.improve(roots);
        let demand = &self.demands[id];
        if demand.users == 0 || demand.costs.iter().any(Option::is_none) {
            return None;
        }
        let own = demand.own().0;
        let mut sum = TotalCost {
            // Only the difference matters.
            price: 1 << 100,
            conversions: 1 << 40,
        };
        self.flip(id, &mut sum);
        let increase = sum.price.saturating_sub(1 << 100);
        self.flip(id, &mut sum);
        let increase = Price::try_from(increase).ok().filter(|_| own != INFEASIBLE);
        increase.filter(|increase| *increase < INFEASIBLE / 2)
    }

    /// Changes the choice of a demand with users from rematerialisation to conversion or vice versa, and updates
    /// `sum`.
    fn flip(&mut self, id: DemandId, sum: &mut TotalCost) {
        let demand = &mut self.demands[id];
        let (own, old) = (demand.own(), demand.operands().to_vec());
        demand.is_direct = !demand.is_direct;
        sum.add(demand.own());
        // Users are added before users are removed, so that demands for shared operands stay in use.
        for wanted in demand.operands().to_vec() {
            self.acquire(wanted, sum);
        }
        for wanted in old {
            self.release(wanted, sum);
        }
        sum.subtract(own);
    }

    fn acquire(&mut self, id: DemandId, sum: &mut TotalCost) {
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            self.demands[id].users += 1;
            if self.demands[id].users == 1 {
                sum.add(self.demands[id].own());
                stack.extend(self.demands[id].operands());
            }
        }
    }

    fn release(&mut self, id: DemandId, sum: &mut TotalCost) {
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            self.demands[id].users -= 1;
            if self.demands[id].users == 0 {
                sum.subtract(self.demands[id].own());
                stack.extend(self.demands[id].operands());
            }
        }
    }

    /// Calls `visit` once for each materialisation that `roots` need directly or indirectly. The second argument of
    /// `visit` contains the encodings of the rematerialised operation, and is `None` for a conversion. The third
    /// argument is the cost of the materialisation.
    pub(crate) fn visit(
        &self,
        roots: impl IntoIterator<Item = DemandId>,
        kernel: &Kernel<'_>,
        seen: &mut VisitSet,
        mut visit: impl FnMut(Materialisation, Option<&Spelling>, Cost),
    ) {
        seen.begin(self.demands.len());
        let mut stack: Vec<DemandId> = roots.into_iter().collect();
        while let Some(id) = stack.pop() {
            if !seen.first(id) {
                continue;
            }
            let demand = &self.demands[id];
            let Producer::Slice(slice, _) = kernel.datums[demand.datum].producer else {
                continue;
            };
            match (&demand.direct, demand.present) {
                (Some((spelling, wanted)), _) if demand.is_direct => {
                    visit(
                        Materialisation::Recompute(slice, spelling.defs[0]),
                        Some(spelling),
                        demand.own(),
                    );
                    stack.extend(wanted);
                }
                (_, Some(present)) => {
                    let from = kernel.datums[demand.datum].present;
                    let item = Materialisation::Convert(demand.datum, from, demand.encoding);
                    visit(item, None, demand.own());
                    stack.push(present);
                }
                _ => {}
            }
        }
    }
}

/// A sum of costs that does not saturate, even if some summands are [`INFEASIBLE`]. Without saturation, a summand
/// can be subtracted again and leaves the exact sum of the rest.
#[derive(Clone, Copy, Default)]
struct TotalCost {
    price: u128,
    conversions: u64,
}

impl TotalCost {
    fn cost(self) -> (u128, u64) {
        (self.price, self.conversions)
    }

    fn add(&mut self, cost: Cost) {
        self.price += u128::from(cost.0);
        self.conversions += u64::from(cost.1);
    }

    fn subtract(&mut self, cost: Cost) {
        self.price -= u128::from(cost.0);
        self.conversions -= u64::from(cost.1);
    }
}

#[derive(Default)]
pub(crate) struct VisitSet {
    stamps: Vec<u32>,
    stamp: u32,
}

impl VisitSet {
    fn begin(&mut self, count: usize) {
        self.stamp += 1;
        if self.stamps.len() < count {
            self.stamps.resize(count, 0);
        }
    }

    fn first(&mut self, id: usize) -> bool {
        std::mem::replace(&mut self.stamps[id], self.stamp) != self.stamp
    }
}

pub(super) fn add(a: Cost, b: Cost) -> Cost {
    (a.0.saturating_add(b.0), a.1.saturating_add(b.1))
}
