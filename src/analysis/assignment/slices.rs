//! What is computed again where it is wanted in another layout: constants, ranges, addresses, masks.
//!
//! A datum that comes from nothing else has no layout of its own. Who wants it in a layout pays for the operations
//! that make it so, back to the constants; or for those that make it in the layout that it has, and a conversion,
//! where that is cheaper. What several users want is paid once.

use super::kernel::{DatumId, Kernel, Maker, SliceId};
use super::layouts::EncodingId;
use super::modes::{Of, Place, Spelling};
use super::prices::Prices;
use linear_layout::assign::{INFEASIBLE, Price};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A price, and how many conversions are in it.
pub(crate) type Cost = (Price, u32);

/// The number of a [`Demand`].
pub(crate) type DemandId = usize;

/// Something that is made, or converted.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Item {
    /// An operation, with this encoding of its first result.
    Make(SliceId, EncodingId),
    /// A conversion of a datum.
    Convert(DatumId, EncodingId, EncodingId),
}

/// A datum that is wanted in a layout.
#[derive(Clone, Debug)]
struct Demand {
    datum: DatumId,
    encoding: EncodingId,
    /// How its operation is spelled then, and what that wants; nothing where that cannot be.
    direct: Option<(Spelling, Vec<DemandId>)>,
    /// The same datum as it is now, where that is another demand.
    present: Option<DemandId>,
    is_direct: bool,
    /// What its operation costs, and what the conversion does.
    ways: [Option<Cost>; 2],
    total: Cost,
    /// How many want it, in the assignment that is looked at.
    wanted: u32,
}

impl Demand {
    fn own(&self) -> Cost {
        self.ways[usize::from(!self.is_direct)].unwrap_or((INFEASIBLE, 0))
    }

    /// What it wants in turn.
    fn wants(&self) -> &[DemandId] {
        match &self.direct {
            Some((_, wanted)) if self.is_direct => wanted,
            _ => self.present.as_slice(),
        }
    }
}

/// All that is wanted of what can be made again.
#[derive(Default)]
pub(crate) struct Slices {
    demands: Vec<Demand>,
    known: FxHashMap<(DatumId, EncodingId), DemandId>,
    settled: usize,
    /// What each conversion counts beyond its plan.
    conversion_cost: Price,
}

impl Slices {
    pub(crate) fn new(conversion_cost: Price) -> Self {
        Self {
            conversion_cost,
            ..Self::default()
        }
    }

    /// Returns the demand for a datum in an encoding, a new one where there is none.
    pub(crate) fn demand(
        &mut self,
        kernel: &mut Kernel<'_>,
        datum: DatumId,
        encoding: EncodingId,
    ) -> DemandId {
        let first = self.enter(datum, encoding);
        let mut next = first.min(self.demands.len());
        // Without recursion: a chain of operations may be long.
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
            ways: [None, None],
            total: (0, 0),
            wanted: 0,
        });
        id
    }

    /// Finds what a demand wants in turn.
    fn open(&mut self, kernel: &mut Kernel<'_>, id: DemandId) {
        let Demand {
            datum, encoding, ..
        } = self.demands[id];
        let Maker::Slice(slice, def) = kernel.datums[datum].maker else {
            unreachable!("only what can be made again is demanded");
        };
        let present = kernel.datums[datum].present;
        let spelling = if encoding == present {
            Some(kernel.present(Of::Slice(slice)))
        } else {
            let found = kernel.spelled(Of::Slice(slice), Place::Def(def), encoding);
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

    /// Decides how each new demand is met: as if nobody else wanted anything, but what is wanted now is there.
    pub(crate) fn settle<'c>(&mut self, kernel: &mut Kernel<'c>, prices: &mut Prices<'_>) {
        for id in self.settled..self.demands.len() {
            self.price(kernel, prices, id);
        }
        let new = self.settled..self.demands.len();
        self.settled = self.demands.len();
        self.decide_all(kernel, new);
    }

    /// Decides again how each demand is met that nobody wants yet, now that some are wanted in any case.
    pub(crate) fn settle_again(&mut self, kernel: &Kernel<'_>) {
        self.decide_all(kernel, 0..self.demands.len());
    }

    fn decide_all(&mut self, kernel: &Kernel<'_>, range: Range<DemandId>) {
        // What an operation wants is made by one before it, and what is converted as it is now.
        let mut order: Vec<DemandId> = range.collect();
        order.sort_by_key(|id| {
            let demand = &self.demands[*id];
            let datum = &kernel.datums[demand.datum];
            let Maker::Slice(slice, _) = datum.maker else {
                return (0, false);
            };
            (slice, demand.encoding != datum.present)
        });
        for id in order {
            self.decide(id);
        }
    }

    /// Finds what both ways to meet a demand cost.
    fn price<'c>(&mut self, kernel: &mut Kernel<'c>, prices: &mut Prices<'_>, id: DemandId) {
        let demand = &self.demands[id];
        let (encoding, is_present) = (demand.encoding, demand.present.is_none());
        let datum = kernel.datums[demand.datum];
        let Maker::Slice(slice, _) = datum.maker else {
            return;
        };
        let spelling = demand.direct.as_ref().map(|(spelling, _)| spelling.clone());
        let mode = spelling.and_then(|spelling| kernel.mode(Of::Slice(slice), spelling));
        let make = mode.map(|mode| {
            let own = prices.operation(kernel, Of::Slice(slice), &mode);
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
        self.demands[id].ways = [make, convert];
    }

    fn decide(&mut self, id: DemandId) {
        if self.demands[id].wanted > 0 {
            self.demands[id].total = (0, 0);
            return;
        }
        let demand = &self.demands[id];
        let total = |own: Cost, wanted: &[DemandId]| {
            let totals = wanted.iter().map(|wanted| self.demands[*wanted].total);
            totals.fold(own, add)
        };
        let direct = demand.ways[0].zip(demand.direct.as_ref());
        let direct = direct.map(|(own, (_, wanted))| total(own, wanted));
        let converted = demand.ways[1].map(|own| total(own, demand.present.as_slice()));
        let is_direct = match (direct, converted) {
            (Some(direct), Some(converted)) => direct <= converted,
            (direct, _) => direct.is_some(),
        };
        let best = if is_direct { direct } else { converted };
        let demand = &mut self.demands[id];
        demand.is_direct = is_direct;
        demand.total = best.unwrap_or((INFEASIBLE, 0));
    }

    /// Changes how demands are met, one at a time, as long as all that `roots` come to gets cheaper; returns whether
    /// anything changed. What they come to counts as wanted from then on.
    ///
    /// Conversions that share what they convert are dear to give up one by one, so making all anew is a second
    /// place to start from.
    pub(crate) fn improve(&mut self, roots: &[DemandId]) -> bool {
        let ways = |of: &Self| -> Vec<bool> { of.demands.iter().map(|d| d.is_direct).collect() };
        let first = ways(self);
        let as_is = self.want(roots).cost();
        let found = self.descend(roots);
        let improved = ways(self);
        for demand in &mut self.demands {
            demand.is_direct = demand.ways[0].is_some_and(|own| own.0 != INFEASIBLE);
        }
        let anew = self.descend(roots);
        let best = if anew < found { ways(self) } else { improved };
        // What nobody wants stays as it was.
        let wanted: Vec<bool> = self.demands.iter().map(|d| d.wanted > 0).collect();
        for (id, demand) in self.demands.iter_mut().enumerate() {
            demand.is_direct = if anew < found && !wanted[id] {
                first[id]
            } else {
                best[id]
            };
        }
        let now = self.want(roots).cost();
        debug_assert!(now <= as_is);
        now < as_is
    }

    /// Counts how often each demand is wanted.
    fn want(&mut self, roots: &[DemandId]) -> Sum {
        for demand in &mut self.demands {
            demand.wanted = 0;
        }
        let mut sum = Sum::default();
        for root in roots {
            self.acquire(*root, &mut sum);
        }
        sum
    }

    /// Meets single demands in the other way while that is cheaper; returns what all comes to then.
    fn descend(&mut self, roots: &[DemandId]) -> (u128, u64) {
        let mut sum = self.want(roots);
        loop {
            let mut is_done = true;
            for id in 0..self.demands.len() {
                let demand = &self.demands[id];
                let other = demand.ways[usize::from(demand.is_direct)];
                if demand.wanted == 0 || other.is_none() {
                    continue;
                }
                let before = sum.cost();
                self.turn(id, &mut sum);
                if sum.cost() < before {
                    is_done = false;
                } else {
                    self.turn(id, &mut sum);
                }
            }
            if is_done {
                return sum.cost();
            }
        }
    }

    /// Returns by how much all that `roots` come to gets dearer if one demand is met in the other way, where there
    /// is one.
    pub(crate) fn other_way(&mut self, roots: &[DemandId], id: DemandId) -> Option<Price> {
        self.improve(roots);
        let demand = &self.demands[id];
        if demand.wanted == 0 || demand.ways.iter().any(Option::is_none) {
            return None;
        }
        let own = demand.own().0;
        let mut sum = Sum {
            // Differences alone count.
            price: 1 << 100,
            conversions: 1 << 40,
        };
        self.turn(id, &mut sum);
        let dearer = sum.price.saturating_sub(1 << 100);
        self.turn(id, &mut sum);
        let dearer = Price::try_from(dearer).ok().filter(|_| own != INFEASIBLE);
        dearer.filter(|dearer| *dearer < INFEASIBLE / 2)
    }

    /// Meets a demand that is wanted in the other way.
    fn turn(&mut self, id: DemandId, sum: &mut Sum) {
        let demand = &mut self.demands[id];
        let (own, old) = (demand.own(), demand.wants().to_vec());
        demand.is_direct = !demand.is_direct;
        sum.add(demand.own());
        // First what is wanted now, so that what both want stays.
        for wanted in demand.wants().to_vec() {
            self.acquire(wanted, sum);
        }
        for wanted in old {
            self.release(wanted, sum);
        }
        sum.subtract(own);
    }

    fn acquire(&mut self, id: DemandId, sum: &mut Sum) {
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            self.demands[id].wanted += 1;
            if self.demands[id].wanted == 1 {
                sum.add(self.demands[id].own());
                stack.extend(self.demands[id].wants());
            }
        }
    }

    fn release(&mut self, id: DemandId, sum: &mut Sum) {
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            self.demands[id].wanted -= 1;
            if self.demands[id].wanted == 0 {
                sum.subtract(self.demands[id].own());
                stack.extend(self.demands[id].wants());
            }
        }
    }

    /// Visits what demands come to, each item once, with its price and conversions.
    pub(crate) fn visit(
        &self,
        roots: impl IntoIterator<Item = DemandId>,
        kernel: &Kernel<'_>,
        seen: &mut Seen,
        mut visit: impl FnMut(Item, Option<&Spelling>, Cost),
    ) {
        seen.begin(self.demands.len());
        let mut stack: Vec<DemandId> = roots.into_iter().collect();
        while let Some(id) = stack.pop() {
            if !seen.first(id) {
                continue;
            }
            let demand = &self.demands[id];
            let Maker::Slice(slice, _) = kernel.datums[demand.datum].maker else {
                continue;
            };
            match (&demand.direct, demand.present) {
                (Some((spelling, wanted)), _) if demand.is_direct => {
                    visit(
                        Item::Make(slice, spelling.defs[0]),
                        Some(spelling),
                        demand.own(),
                    );
                    stack.extend(wanted);
                }
                (_, Some(present)) => {
                    let from = kernel.datums[demand.datum].present;
                    let item = Item::Convert(demand.datum, from, demand.encoding);
                    visit(item, None, demand.own());
                    stack.push(present);
                }
                _ => {}
            }
        }
    }
}

/// What is wanted costs in sum, also while some of it cannot be had.
#[derive(Clone, Copy, Default)]
struct Sum {
    price: u128,
    conversions: u64,
}

impl Sum {
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

/// Which demands a visit has come by.
#[derive(Default)]
pub(crate) struct Seen {
    stamps: Vec<u32>,
    stamp: u32,
}

impl Seen {
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
