//! Peers: other implementations with which the benchmarks compare this project.
//!
//! An environment variable names a command. It runs with the arguments of the benchmark, and prints a line for each
//! measurement: a name, a tab, a time, and optionally more numbers separated by tabs. Other lines are ignored. Times of
//! different machines do not compare, so a ratio is printed only if the peer alternated with our runs.

use std::collections::HashMap;
use std::env::VarError;
use std::process::Command;

/// Number of turns. In each turn, the peer and this project are measured once.
pub(crate) const TURNS: usize = 3;

/// A command that measures another implementation, and its best results so far, keyed by the name of the
/// measurement.
pub(crate) struct Peer {
    variable: &'static str,
    command: Vec<String>,
    best: HashMap<String, Vec<f64>>,
}

impl Peer {
    /// Returns the peer whose command is `value`, for example `python /path/script.py`.
    ///
    /// `value` is the content of the environment variable `variable`. Returns `None` if the variable is unset or
    /// empty.
    pub(crate) fn named(variable: &'static str, value: Result<String, VarError>) -> Option<Self> {
        let command: Vec<String> = value.ok()?.split_whitespace().map(str::to_owned).collect();
        (!command.is_empty()).then(|| Self {
            variable,
            command,
            best: HashMap::new(),
        })
    }

    /// Runs the peer once, and updates its best results. Fails if the peer cannot be run or prints no result.
    pub(crate) fn take_turn(&mut self, arguments: &[String]) -> Result<(), String> {
        let (variable, program) = (self.variable, &self.command[0]);
        let output = Command::new(program)
            .args(&self.command[1..])
            .args(arguments)
            .output()
            .map_err(|e| format!("`{variable}` names `{program}`, which cannot be run: {e}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut found = 0;
        for line in text.lines() {
            let mut columns = line.split('\t');
            let name = columns.next().unwrap_or_default();
            let figures: Vec<f64> = columns.map_while(|t| t.trim().parse().ok()).collect();
            if figures.is_empty() {
                continue;
            }
            found += 1;
            let best = self.best.entry(name.to_owned()).or_default();
            for (best, figure) in best.iter_mut().zip(&figures) {
                *best = figure.min(*best);
            }
            best.extend(figures.iter().skip(best.len()));
        }
        if found == 0 {
            let errors = String::from_utf8_lossy(&output.stderr);
            return Err(format!(
                "`{variable}` names `{program}`, which printed no line `name<TAB>time` ({}): {}",
                output.status,
                errors.lines().last().unwrap_or("no output")
            ));
        }
        Ok(())
    }

    /// Returns the best time of the measurement `name`.
    pub(crate) fn time(&self, name: &str) -> Option<f64> {
        self.figure(name, 0)
    }

    /// Returns the best result in column `column` of the measurement `name`. Column 0 is the time.
    pub(crate) fn figure(&self, name: &str, column: usize) -> Option<f64> {
        self.best.get(name)?.get(column).copied()
    }
}

/// Formats two columns of a table: the peer's time, and its ratio to this project's time. Returns an empty string
/// if the peer has no time.
pub(crate) fn columns(theirs: Option<f64>, ours: f64) -> String {
    match theirs {
        Some(theirs) => format!(" {theirs:>10.1} {:>7.1}x", theirs / ours),
        None => String::new(),
    }
}

/// Formats the headings of the two columns of [`columns`].
pub(crate) fn heads(peer: Option<&Peer>) -> String {
    match peer {
        Some(_) => format!(" {:>10} {:>8}", "peer", "ratio"),
        None => String::new(),
    }
}
