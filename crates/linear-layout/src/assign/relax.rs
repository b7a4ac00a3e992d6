//! A lower bound where tables would be too large, and an assignment that it suggests.

use super::cost::Cost;
use super::eliminate::{Bucket, Eliminated};
use super::factor::Factor;
use super::network::Network;
use super::order::Neighbours;

/// Eliminates all variables with tables of at most `limit` entries, or of as many as a table of the network has.
///
/// Where the joint table of a variable is larger, its tables are put in several groups, and each group takes the
/// variable at its own value: as if the variable were several that need not agree. So the number that is left is
/// at most the optimum. Before a group is minimised, what the groups pay for each value is levelled between them,
/// so that they have less reason not to agree.
///
/// ```text
/// group 1: 0 4        group 2: 4 0        apart: 0 + 0 = 0
/// levelled: 2 2                2 2               2 + 2 = 4, the optimum
/// ```
/// # Source
/// Mini-bucket elimination (Dechter and Rish) with matched marginals (Ihler and others).
pub(super) fn relaxed(network: &Network, limit: u64) -> Eliminated<'_> {
    let mut neighbours = Neighbours::new(network, limit);
    let mut relaxed = Eliminated::new(network);
    while let Some((var, _)) = neighbours.least() {
        neighbours.remove(var);
        let inputs = relaxed.take(var);
        let groups = groups(&relaxed, var, &inputs, limit);
        let joints = groups
            .iter()
            .map(|g| relaxed.joint(var, &g.beside, &g.tables));
        let mut joints: Vec<Vec<Cost>> = joints.collect();
        let size = relaxed.sizes[var as usize] as usize;
        if joints.len() > 1 {
            level(&mut joints, size);
        }
        let mut outputs = Vec::new();
        for (group, joint) in groups.iter().zip(joints) {
            neighbours.join(&group.beside);
            let least = joint.chunks(size);
            let least = least.map(|row| row.iter().copied().min().unwrap_or_default());
            let rest = Factor {
                scope: group.beside.clone(),
                table: least.collect(),
            };
            outputs.extend(relaxed.add(rest));
        }
        relaxed.buckets.push(Bucket {
            var,
            inputs,
            outputs,
        });
    }
    relaxed
}

/// Tables that are added up together.
struct Group {
    tables: Vec<usize>,
    /// The variables of the tables, without the one that is eliminated; ascending.
    beside: Vec<u32>,
}

/// Puts tables in as few groups as the limit allows, the largest first.
fn groups(relaxed: &Eliminated<'_>, var: u32, inputs: &[usize], limit: u64) -> Vec<Group> {
    let mut by_size = inputs.to_vec();
    by_size.sort_by_key(|&at| (std::cmp::Reverse(relaxed.table(at).table.len()), at));
    let mut groups: Vec<Group> = Vec::new();
    for at in by_size {
        let scope = relaxed.table(at).scope.iter().copied();
        let own: Vec<u32> = scope.filter(|&other| other != var).collect();
        let fits = groups.iter_mut().find_map(|group| {
            let mut both = [&group.beside[..], &own].concat();
            both.sort_unstable();
            both.dedup();
            let size = |var: u32| u64::from(relaxed.sizes[var as usize]);
            let entries = both
                .iter()
                .fold(size(var), |n, &v| n.saturating_mul(size(v)));
            let is_same = both.len() == group.beside.len();
            (is_same || entries <= limit).then_some((group, both))
        });
        match fits {
            Some((group, both)) => {
                group.beside = both;
                group.tables.push(at);
            }
            None => groups.push(Group {
                tables: vec![at],
                beside: own,
            }),
        }
    }
    groups
}

/// Moves costs between groups, so that each value's least cost is the same in all of them. The sum stays.
fn level(joints: &mut [Vec<Cost>], size: usize) {
    let groups = joints.len();
    for value in 0..size {
        let least = |joint: &Vec<Cost>| {
            let costs = joint.iter().skip(value).step_by(size);
            costs.copied().min().unwrap_or_default()
        };
        let before: Vec<Cost> = joints.iter().map(least).collect();
        let sum = before.iter().copied().fold(Cost::ZERO, Cost::plus);
        let part = sum.part(groups);
        // What does not divide goes to the first.
        let parts = (1..groups).fold(Cost::ZERO, |parts, _| parts.plus(part));
        for (at, joint) in joints.iter_mut().enumerate() {
            let own = if at == 0 { sum - parts } else { part };
            for cost in joint.iter_mut().skip(value).step_by(size) {
                *cost = (*cost - before[at]).plus(own);
            }
        }
    }
}
