//! How long each phase takes, from text to assembly.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Times of the phases of one translation, in their order.
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

    /// Begins to count anew: what came before is no phase.
    pub(super) fn skip(&mut self) {
        self.since = Instant::now();
    }

    /// Ends a phase; the next one begins.
    pub(super) fn end(&mut self, phase: &'static str) {
        let now = Instant::now();
        self.phases.push((phase, now - self.since));
        self.since = now;
    }

    /// The phases that have ended, in their order, with the time of each.
    #[must_use]
    pub fn phases(&self) -> &[(&'static str, Duration)] {
        &self.phases
    }

    fn total(&self) -> Duration {
        self.phases.iter().map(|(_, time)| time).sum()
    }

    /// Returns the faster of two rounds.
    #[must_use]
    pub fn best(self, other: Self) -> Self {
        if other.total() < self.total() {
            other
        } else {
            self
        }
    }

    /// Returns a line for each phase: its name and milliseconds.
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
