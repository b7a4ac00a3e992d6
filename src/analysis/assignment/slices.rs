//! What is computed again where it is wanted in another layout: constants, ranges, addresses, masks.
//!
//! A datum that comes from nothing else has no layout of its own. Who wants it in a layout pays for the operations
//! that make it so, back to the constants; or for those that make it in the layout that it has, and a conversion,
//! where that is cheaper. What several users want is paid once.

use super::kernel::{DatumId, Kernel, Maker, SliceId};
use super::layouts::EncodingId;
use super::modes::{Of, Place, Spelling};
use super::prices::Prices;
use crate::assign::{INFEASIBLE, Price};
use rustc_hash::FxHashMap;

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
    own: Cost,
    total: Cost,
}

/// All that is wanted of what can be made again.
#[derive(Default)]
pub(crate) struct Slices {
    demands: Vec<Demand>,
    known: FxHashMap<(DatumId, EncodingId), DemandId>,
    settled: usize,
}

impl Slices {
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
            own: (0, 0),
            total: (0, 0),
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

    /// Decides how each new demand is met.
    pub(crate) fn settle<'c>(&mut self, kernel: &mut Kernel<'c>, prices: &mut Prices<'c>) {
        // What an operation wants is made by one before it, and what is converted as it is now.
        let mut order: Vec<DemandId> = (self.settled..self.demands.len()).collect();
        order.sort_by_key(|id| {
            let demand = &self.demands[*id];
            let datum = &kernel.datums[demand.datum];
            let Maker::Slice(slice, _) = datum.maker else {
                return (0, false);
            };
            (slice, demand.encoding != datum.present)
        });
        self.settled = self.demands.len();
        for id in order {
            self.decide(kernel, prices, id);
        }
    }

    fn decide<'c>(&mut self, kernel: &mut Kernel<'c>, prices: &mut Prices<'c>, id: DemandId) {
        let demand = self.demands[id].clone();
        let datum = kernel.datums[demand.datum];
        let Maker::Slice(slice, _) = datum.maker else {
            return;
        };
        let mut best: Option<(bool, Cost, Cost)> = None;
        if let Some((spelling, wanted)) = &demand.direct
            && let Some(mode) = kernel.mode(Of::Slice(slice), spelling.clone())
        {
            let own = prices.operation(kernel, Of::Slice(slice), &mode);
            let own = own.saturating_mul(kernel.slices[slice].weight);
            let total = wanted.iter().fold((own, 0), |sum, wanted| {
                add(sum, self.demands[*wanted].total)
            });
            best = Some((true, (own, 0), total));
        }
        if let Some(present) = demand.present {
            let layouts = [datum.present, demand.encoding]
                .map(|encoding| kernel.catalogue.layout(encoding, datum.shape));
            let own = match layouts {
                [Some(from), Some(to)] => prices.conversion(kernel, from, to, datum.element_bits),
                _ => INFEASIBLE,
            };
            let own = (own.saturating_mul(datum.weight), 1);
            let total = add(own, self.demands[present].total);
            if best.is_none_or(|(_, _, direct)| total < direct) {
                best = Some((false, own, total));
            }
        }
        let (is_direct, own, total) = best.unwrap_or((true, (INFEASIBLE, 0), (INFEASIBLE, 0)));
        let demand = &mut self.demands[id];
        (demand.is_direct, demand.own, demand.total) = (is_direct, own, total);
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
                        demand.own,
                    );
                    stack.extend(wanted);
                }
                (_, Some(present)) => {
                    let from = kernel.datums[demand.datum].present;
                    let item = Item::Convert(demand.datum, from, demand.encoding);
                    visit(item, None, demand.own);
                    stack.push(present);
                }
                _ => {}
            }
        }
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
