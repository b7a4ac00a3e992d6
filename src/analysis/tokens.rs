//! Distance of each async token from the youngest group of copies.
//!
//! A forward data-flow analysis. The state has a lower bound for the commits since each token's group: a commit adds
//! one to all bounds and sets the bound of its own token to 0. The join is the minimum. Only results of commits and
//! waits are known tokens.
//!
//! ```text
//! a = commit; b = commit; c = commit      since: a 2, b 1, c 0
//! for (old = a, new = b) { d = commit; wait old; yield new, d }
//!                                         at the wait: d 0, new 1, old 2
//! ```

use super::effects::{OpId, ValueId};
use super::flow::{Edge, Event, Flow, ForwardAnalysis};
use std::collections::{BTreeMap, HashMap};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TokenOp {
    /// Commits a group of copies. The value is the token of this group.
    Commit(ValueId),
    /// Waits for the groups of `tokens`. The result is the token `result`, whose group is complete.
    Wait {
        tokens: Vec<ValueId>,
        result: ValueId,
    },
}

/// Lower bound for the number of commits since the commit of a token's group. The value is [`DONE`] for a completed
/// group, and `None` if the group is unknown.
type CommitDistance = Option<u32>;

/// The distance of a completed group. It is larger than the distance of any group in flight.
const DONE: u32 = 1 << 16;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct TokenDistances(BTreeMap<ValueId, CommitDistance>);

impl TokenDistances {
    fn get(&self, token: ValueId) -> CommitDistance {
        self.0.get(&token).copied().flatten()
    }

    // Tokens defined on only one path are unused after the join.
    fn join(&mut self, other: &Self) {
        for (token, there) in &other.0 {
            let since = self.0.entry(*token).or_insert(*there);
            *since = since.zip(*there).map(|(a, b)| a.min(b));
        }
    }

    fn commit(&mut self, token: ValueId) {
        for since in self.0.values_mut().flatten() {
            *since = (*since + 1).min(DONE);
        }
        self.0.insert(token, Some(0));
    }

    /// Applies a wait. Returns the number of groups that may stay in flight, or `None` if a token is unknown or all
    /// groups are already complete.
    fn wait(&mut self, tokens: &[ValueId], result: ValueId) -> CommitDistance {
        let since: Option<Vec<u32>> = tokens.iter().map(|token| self.get(*token)).collect();
        self.0.insert(result, Some(DONE));
        since?.into_iter().min().filter(|since| *since < DONE)
    }
}

/// Returns the number of groups that may stay in flight after each wait. A wait is absent if one of its tokens is
/// unknown, or if all its groups are already complete.
pub(crate) fn groups_since(flow: &Flow, ops: &HashMap<OpId, TokenOp>) -> HashMap<OpId, u32> {
    let mut analysis = TokenAnalysis {
        ops,
        waits: HashMap::new(),
    };
    flow.forward(&mut analysis, TokenDistances::default());
    let waits = analysis.waits.into_iter();
    waits.filter_map(|(op, since)| Some((op, since?))).collect()
}

struct TokenAnalysis<'a> {
    ops: &'a HashMap<OpId, TokenOp>,
    waits: HashMap<OpId, CommitDistance>,
}

impl ForwardAnalysis for TokenAnalysis<'_> {
    type State = TokenDistances;

    fn event(&mut self, event: &Event, state: &mut TokenDistances) {
        match self.ops.get(&event.op) {
            Some(TokenOp::Commit(token)) => state.commit(*token),
            Some(TokenOp::Wait { tokens, result }) => {
                let since = state.wait(tokens, *result);
                self.waits.insert(event.op, since);
            }
            None => {}
        }
    }

    fn edge(&mut self, edge: &Edge, state: &mut TokenDistances) {
        let passed = edge.passes.iter().map(|(from, to)| (*to, state.get(*from)));
        let passed: Vec<(ValueId, CommitDistance)> = passed.collect();
        state.0.extend(passed);
    }

    fn join(state: &mut TokenDistances, other: &TokenDistances) {
        state.join(other);
    }
}
