//! Vector clocks: the order of accesses of different teams.

use std::collections::BTreeMap;

/// A participant with its own time. Each component of a vector clock is the time of one party.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Party {
    /// A team. Its time starts at 1 and increases whenever the team releases its accesses to others, for example by
    /// an arrival.
    Team(usize),
    /// An mbarrier. Its time is the number of completed phases. The asynchronous writes of a phase are complete at
    /// the end of this phase.
    Mbarrier(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moment {
    pub(super) party: Party,
    pub(super) time: u64,
}

impl Moment {
    pub(super) const START: Self = Self {
        party: Party::Team(0),
        time: 0,
    };
}

/// A vector clock, which describes the moments that are in the past. For each party, it holds the latest time that
/// is in the past. Parties that are missing in the map have time 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct TeamClock(BTreeMap<Party, u64>);

impl TeamClock {
    /// Returns the latest moment of `party` that is in the past of this clock.
    pub(super) fn moment(&self, party: Party) -> Moment {
        let time = self.0.get(&party).copied().unwrap_or_default();
        Moment { party, time }
    }

    /// Returns true if `moment` is in the past of this clock.
    pub(super) fn is_after(&self, moment: Moment) -> bool {
        moment.time <= self.moment(moment.party).time
    }

    /// Adds `moment` to the past of this clock.
    pub(super) fn add(&mut self, moment: Moment) {
        let time = self.0.entry(moment.party).or_default();
        *time = moment.time.max(*time);
    }

    /// Adds the past of `other` to the past of this clock.
    pub(super) fn join(&mut self, other: &Self) {
        for (party, time) in &other.0 {
            self.add(Moment {
                party: *party,
                time: *time,
            });
        }
    }

    /// Advances the time of `party` by 1.
    pub(super) fn tick(&mut self, party: Party) {
        *self.0.entry(party).or_default() += 1;
    }
}
