//! Timing of the phases in a translation.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Wall-clock times of translation phases, in order of execution.
#[derive(Clone, Debug)]
pub struct Clock {
    since: Instant,
    phases: Vec<(&'static str, Duration)>,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self {
            since: Instant::now(),
            phases: Vec::new(),
        }
    }

    /// Restarts the current phase. The time that has passed in it is not recorded.
    pub(super) fn skip(&mut self) {
        self.since = Instant::now();
    }

    /// Records the time of the current phase under the name `phase`, and starts the next phase.
    pub(super) fn end(&mut self, phase: &'static str) {
        let now = Instant::now();
        self.phases.push((phase, now - self.since));
        self.since = now;
    }

    /// Returns the name and the time of each completed phase, in order of execution.
    #[must_use]
    pub fn phases(&self) -> &[(&'static str, Duration)] {
        &self.phases
    }

    fn total(&self) -> Duration {
        self.phases.iter().map(|(_, time)| time).sum()
    }

    /// Returns the clock with the smaller total time.
    #[must_use]
    pub fn best(self, other: Self) -> Self {
        if other.total() < self.total() {
            other
        } else {
            self
        }
    }

    /// Formats a table with one line per phase, and a last line for the total. Each line has a name and a time in
    /// milliseconds.
    #[must_use]
    pub fn table(&self) -> String {
        let mut text = String::new();
        let total = ("total", self.total());
        for (name, time) in self.phases.iter().chain([&total]) {
            let _ = writeln!(text, "{name:<10} {:>9.3} ms", time.as_secs_f64() * 1e3);
        }
        text
    }
}
