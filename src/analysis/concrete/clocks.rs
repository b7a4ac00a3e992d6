//! Vector clocks: the order of accesses of different teams.

use std::collections::BTreeMap;

/// The owner of a component of a clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Party {
    /// A team. Its time is one more than the number of its releases.
    Team(usize),
    /// An mbarrier. Its time is the number of completed phases; an asynchronous write happens at the end of its phase.
    Mbarrier(usize),
}

/// A time of a party.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moment {
    pub(super) party: Party,
    pub(super) time: u64,
}

impl Moment {
    /// A moment before everything else.
    pub(super) const START: Self = Self {
        party: Party::Team(0),
        time: 0,
    };
}

/// For each party, the latest moment that is ordered before the present. A missing party has time 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct TeamClock(BTreeMap<Party, u64>);

impl TeamClock {
    /// Returns the latest moment of a party that is ordered before the present.
    pub(super) fn moment(&self, party: Party) -> Moment {
        let time = self.0.get(&party).copied().unwrap_or_default();
        Moment { party, time }
    }

    /// Returns true if a moment is ordered before the present.
    pub(super) fn is_after(&self, moment: Moment) -> bool {
        moment.time <= self.moment(moment.party).time
    }

    /// Orders a moment before the present.
    pub(super) fn add(&mut self, moment: Moment) {
        let time = self.0.entry(moment.party).or_default();
        *time = moment.time.max(*time);
    }

    /// Orders everything before the present that is ordered before `other`.
    pub(super) fn join(&mut self, other: &Self) {
        for (party, time) in &other.0 {
            self.add(Moment {
                party: *party,
                time: *time,
            });
        }
    }

    /// Starts the next time of a party.
    pub(super) fn tick(&mut self, party: Party) {
        *self.0.entry(party).or_default() += 1;
    }
}
