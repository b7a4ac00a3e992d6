//! Progress bar on a terminal for long runs.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::OnceCell;
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

/// Delay before the progress bar is shown.
const QUICK: Duration = Duration::from_secs(1);

/// Progress of a launch: the number of finished blocks, shown as a bar on a terminal.
pub(crate) struct Progress {
    blocks: u64,
    start: Instant,
    is_terminal: bool,
    bar: OnceCell<ProgressBar>,
}

impl Progress {
    /// Starts to measure the progress of a launch of `blocks` blocks.
    pub(crate) fn of(blocks: u64) -> Self {
        Self {
            blocks,
            start: Instant::now(),
            is_terminal: stderr().is_terminal(),
            bar: OnceCell::new(),
        }
    }

    /// Sets the number of finished blocks, and updates the progress bar. The bar appears only on a terminal, if the
    /// launch takes longer than [`QUICK`].
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

    /// Removes the progress bar, if it is shown.
    pub(crate) fn end(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
