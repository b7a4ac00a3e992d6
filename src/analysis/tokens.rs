//! Tokens of groups of copies: how many groups have been committed since the group that a token stands for.
//!
//! A forward data-flow analysis over the segments of a function. The state has, for each token, the least number of groups
//! since its own; a commit adds one to all and begins its token at 0; the join is the minimum. A token that is not the
//! result of a commit or of a wait stands for no known group.
//!
//! ```text
//! a = commit; b = commit; c = commit      since: a 2, b 1, c 0
//! for (old = a, new = b) { d = commit; wait old; yield new, d }
//!                                         at the wait: d 0, new 1, old 2
//! ```

use super::effects::{OpNumber, ValueNumber};
use super::flow::Flow;
use std::collections::{BTreeMap, HashMap};

/// An operation on tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TokenOp {
    /// Commits a group, which the token stands for.
    Commit(ValueNumber),
    /// Waits for the groups of tokens; nothing is left to wait for of the result.
    Wait {
        tokens: Vec<ValueNumber>,
        result: ValueNumber,
    },
}

/// The groups since that of a token, where they are known; `DONE` where it has completed.
type Since = Option<u32>;

/// More groups than any wait leaves in flight.
const DONE: u32 = 1 << 16;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct State(BTreeMap<ValueNumber, Since>);

impl State {
    fn get(&self, token: ValueNumber) -> Since {
        self.0.get(&token).copied().flatten()
    }

    /// A token that only one path defines is not used behind the join.
    fn join(&mut self, other: &Self) {
        for (token, there) in &other.0 {
            let since = self.0.entry(*token).or_insert(*there);
            *since = since.zip(*there).map(|(a, b)| a.min(b));
        }
    }

    fn pass(&self, passes: &[(ValueNumber, ValueNumber)]) -> Self {
        let mut state = self.clone();
        for (here, there) in passes {
            state.0.insert(*there, self.get(*here));
        }
        state
    }

    fn commit(&mut self, token: ValueNumber) {
        for since in self.0.values_mut().flatten() {
            *since = (*since + 1).min(DONE);
        }
        self.0.insert(token, Some(0));
    }

    /// The groups that may be in flight after a wait for tokens, if all of them are known.
    fn wait(&mut self, tokens: &[ValueNumber], result: ValueNumber) -> Since {
        let since: Option<Vec<u32>> = tokens.iter().map(|token| self.get(*token)).collect();
        self.0.insert(result, Some(DONE));
        since?.into_iter().min().filter(|since| *since < DONE)
    }
}

/// Returns how many groups may be in flight after each wait, where that is known.
pub(crate) fn groups_since(
    flow: &Flow,
    ops: &HashMap<OpNumber, TokenOp>,
) -> HashMap<OpNumber, u32> {
    let order = flow.order();
    let mut entries: Vec<Option<State>> = vec![None; flow.segments.len()];
    if let Some(first) = entries.first_mut() {
        *first = Some(State::default());
    }
    let mut waits = HashMap::new();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        waits.clear();
        for &number in &order {
            let Some(mut state) = entries[number].clone() else {
                continue;
            };
            for event in &flow.segments[number].events {
                match ops.get(&event.op) {
                    Some(TokenOp::Commit(token)) => state.commit(*token),
                    Some(TokenOp::Wait { tokens, result }) => {
                        let since = state.wait(tokens, *result);
                        waits.extend(since.map(|since| (event.op, since)));
                    }
                    None => {}
                }
            }
            for edge in &flow.segments[number].edges {
                let state = state.pass(&edge.passes);
                let entry = &mut entries[edge.to];
                let before = entry.clone();
                match entry {
                    Some(entry) => entry.join(&state),
                    None => *entry = Some(state),
                }
                changed |= *entry != before;
            }
        }
    }
    waits
}
