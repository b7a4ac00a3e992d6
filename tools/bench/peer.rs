//! Another implementation to compare with, where one is at hand.
//!
//! An environment variable names a command. It is run with the arguments that the benchmark gives it,
//! and prints a line for each thing that it timed: a name, a tab, a time, and perhaps more figures after tabs,
//! of which those that are numbers are read. Other lines are passed over. A time of another machine says nothing here, so a ratio is
//! printed only where the peer ran in the same minutes, in turns with what it is compared with.

use std::collections::HashMap;
use std::env::VarError;
use std::process::Command;

/// How often each side has its turn.
pub(crate) const TURNS: usize = 3;

/// A command that times another implementation, and its best times so far.
pub(crate) struct Peer {
    variable: &'static str,
    command: Vec<String>,
    best: HashMap<String, Vec<f64>>,
}

impl Peer {
    /// Returns the peer that the value of this environment variable names, such as `/path/program` or
    /// `python /path/script.py`; none where it is not set or empty.
    pub(crate) fn named(variable: &'static str, value: Result<String, VarError>) -> Option<Self> {
        let command: Vec<String> = value.ok()?.split_whitespace().map(str::to_owned).collect();
        (!command.is_empty()).then(|| Self {
            variable,
            command,
            best: HashMap::new(),
        })
    }

    /// Runs the peer once, and keeps what is better than before.
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
                errors.lines().last().unwrap_or("it said nothing")
            ));
        }
        Ok(())
    }

    /// Returns the best time of this name.
    pub(crate) fn time(&self, name: &str) -> Option<f64> {
        self.figure(name, 0)
    }

    /// Returns the least of its figures in this column after the name, the time being column 0.
    pub(crate) fn figure(&self, name: &str, column: usize) -> Option<f64> {
        self.best.get(name)?.get(column).copied()
    }
}

/// Two columns for a row: the peer's time and how many times ours that is; empty without a peer.
pub(crate) fn columns(theirs: Option<f64>, ours: f64) -> String {
    match theirs {
        Some(theirs) => format!(" {theirs:>10.1} {:>7.1}x", theirs / ours),
        None => String::new(),
    }
}

/// The heads of those columns.
pub(crate) fn heads(peer: Option<&Peer>) -> String {
    match peer {
        Some(_) => format!(" {:>10} {:>8}", "peer", "ratio"),
        None => String::new(),
    }
}
