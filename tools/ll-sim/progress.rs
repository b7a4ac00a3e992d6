//! How far a long run is: a bar on a terminal, after a second.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::OnceCell;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// A run that takes less shows nothing.
const QUICK: Duration = Duration::from_secs(1);

/// The blocks of a launch that have run.
pub(crate) struct Progress {
    blocks: u64,
    start: Instant,
    is_terminal: bool,
    bar: OnceCell<ProgressBar>,
}

impl Progress {
    /// A launch of so many blocks begins.
    pub(crate) fn of(blocks: u64) -> Self {
        Self {
            blocks,
            start: Instant::now(),
            is_terminal: stderr().is_terminal(),
            bar: OnceCell::new(),
        }
    }

    /// So many blocks have run.
    pub(crate) fn at(&self, done: u64) {
        if self.is_terminal && self.start.elapsed() >= QUICK {
            self.bar.get_or_init(|| self.show()).set_position(done);
        }
    }

    fn show(&self) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(Some(self.blocks), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} blocks, {eta} left");
        bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
            .with_elapsed(self.start.elapsed())
    }

    /// The run is over: the bar goes.
    pub(crate) fn end(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
