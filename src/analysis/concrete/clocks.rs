//! Vector clocks: the order of accesses of different teams.

use std::collections::BTreeMap;

/// A component of a vector clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Party {
    /// A team; the time is 1 + the number of releases.
    Team(usize),
    /// An mbarrier; the time is the number of completed phases. Asynchronous writes happen at the end of a phase.
    Mbarrier(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moment {
    pub(super) party: Party,
    pub(super) time: u64,
}

impl Moment {
    /// Before everything else.
    pub(super) const START: Self = Self {
        party: Party::Team(0),
        time: 0,
    };
}

/// The latest ordered moment of each party; 0 for missing parties.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct TeamClock(BTreeMap<Party, u64>);

impl TeamClock {
    /// Returns the latest moment of `party` before the present.
    pub(super) fn moment(&self, party: Party) -> Moment {
        let time = self.0.get(&party).copied().unwrap_or_default();
        Moment { party, time }
    }

    /// Returns true if `moment` is ordered before the present.
    pub(super) fn is_after(&self, moment: Moment) -> bool {
        moment.time <= self.moment(moment.party).time
    }

    /// Orders `moment` before the present.
    pub(super) fn add(&mut self, moment: Moment) {
        let time = self.0.entry(moment.party).or_default();
        *time = moment.time.max(*time);
    }

    /// Orders everything before `other` before the present.
    pub(super) fn join(&mut self, other: &Self) {
        for (party, time) in &other.0 {
            self.add(Moment {
                party: *party,
                time: *time,
            });
        }
    }

    /// Advances the time of `party`.
    pub(super) fn tick(&mut self, party: Party) {
        *self.0.entry(party).or_default() += 1;
    }
}
