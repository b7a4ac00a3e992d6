//! Mini-bucket relaxation: a lower bound where tables would be too large, and an assignment that it suggests.

use super::cost::LexCost;
use super::eliminate::{Bucket, Elimination};
use super::factor::CostTable;
use super::network::Network;
use super::order::Neighbours;

/// Eliminates all variables approximately. Joint tables have at most `limit` entries, unless an input table is
/// larger.
///
/// If the joint table of a bucket would be larger, the bucket is split into mini-buckets, and each mini-bucket is
/// minimised separately. `Elimination::constant` then is a lower bound. Before the minimisation, costs are moved
/// between the mini-buckets until each value of the variable has the same least cost in every mini-bucket. This
/// raises the bound.
///
/// ```text
/// mini-bucket 1: 0 4        mini-bucket 2: 4 0        separate: 0 + 0 = 0
/// levelled:      2 2                       2 2                  2 + 2 = 4, the optimum
/// ```
/// # Source
/// Mini-bucket elimination (Dechter and Rish) with matched marginals (Ihler and others).
pub(super) fn relax(network: &Network, limit: u64) -> Elimination<'_> {
    let mut neighbours = Neighbours::new(network, limit);
    let mut relaxed = Elimination::new(network);
    while let Some((var, _)) = neighbours.least() {
        neighbours.remove(var);
        let inputs = relaxed.consume(var);
        let groups = groups(&relaxed, var, &inputs, limit);
        let joints = groups
            .iter()
            .map(|g| relaxed.joint(var, &g.beside, &g.tables));
        let mut joints: Vec<Vec<LexCost>> = joints.collect();
        let size = relaxed.sizes[var as usize] as usize;
        if joints.len() > 1 {
            level(&mut joints, size);
        }
        let mut outputs = Vec::new();
        for (group, joint) in groups.iter().zip(joints) {
            neighbours.join(&group.beside);
            let least = joint.chunks(size);
            let least = least.map(|row| row.iter().copied().min().unwrap_or_default());
            let rest = CostTable {
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

/// Some of the tables of a bucket, which are added up together.
struct MiniBucket {
    tables: Vec<usize>,
    /// All variables of the tables except the eliminated variable, in ascending order.
    beside: Vec<u32>,
}

/// Splits the tables `inputs` of a bucket into mini-buckets. Each table, the largest first, is assigned to the
/// first mini-bucket whose joint table stays within `limit` entries, or to a new mini-bucket.
fn groups(relaxed: &Elimination<'_>, var: u32, inputs: &[usize], limit: u64) -> Vec<MiniBucket> {
    let mut by_size = inputs.to_vec();
    by_size.sort_by_key(|&at| (std::cmp::Reverse(relaxed.table(at).table.len()), at));
    let mut groups: Vec<MiniBucket> = Vec::new();
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
            None => groups.push(MiniBucket {
                tables: vec![at],
                beside: own,
            }),
        }
    }
    groups
}

/// Moves costs between mini-buckets until each value has the same least cost in every mini-bucket. The sum of
/// the mini-buckets does not change.
fn level(joints: &mut [Vec<LexCost>], size: usize) {
    let groups = joints.len();
    for value in 0..size {
        let least = |joint: &Vec<LexCost>| {
            let costs = joint.iter().skip(value).step_by(size);
            costs.copied().min().unwrap_or_default()
        };
        let before: Vec<LexCost> = joints.iter().map(least).collect();
        let sum = before.iter().copied().fold(LexCost::ZERO, LexCost::plus);
        let part = sum.part(groups);
        // The first mini-bucket takes the remainder of the division.
        let parts = (1..groups).fold(LexCost::ZERO, |parts, _| parts.plus(part));
        for (at, joint) in joints.iter_mut().enumerate() {
            let own = if at == 0 { sum - parts } else { part };
            for cost in joint.iter_mut().skip(value).step_by(size) {
                *cost = (*cost - before[at]).plus(own);
            }
        }
    }
}
