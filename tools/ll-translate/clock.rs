//! How long each phase takes, from text to assembly.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// The phases of one round, in their order.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    since: Instant,
    phases: Vec<(&'static str, Duration)>,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            since: Instant::now(),
            phases: Vec::new(),
        }
    }

    /// Begins to count anew: what came before is no phase.
    pub(crate) fn skip(&mut self) {
        self.since = Instant::now();
    }

    /// Ends a phase; the next one begins.
    pub(crate) fn end(&mut self, phase: &'static str) {
        let now = Instant::now();
        self.phases.push((phase, now - self.since));
        self.since = now;
    }

    fn total(&self) -> Duration {
        self.phases.iter().map(|(_, time)| time).sum()
    }

    /// The faster of two rounds.
    pub(crate) fn best(self, other: Self) -> Self {
        if other.total() < self.total() {
            other
        } else {
            self
        }
    }

    /// A line a phase: its name and milliseconds.
    pub(crate) fn table(&self) -> String {
        let mut text = String::new();
        let total = ("total", self.total());
        for (name, time) in self.phases.iter().chain([&total]) {
            let _ = writeln!(text, "{name:<10} {:>9.3} ms", time.as_secs_f64() * 1e3);
        }
        text
    }
}
