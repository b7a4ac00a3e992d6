//! Directed graphs of basic blocks: reverse post-order and dominators.
//!
//! A graph is a list of the successors of each node. The lowering visits the blocks of a function in reverse
//! post-order, so that definitions precede uses. The simulator reconverges diverged lanes at the immediate
//! post-dominator: the dominator in the reversed graph.

/// Returns the nodes reachable from `entry` in reverse post-order: each node precedes its successors, except along back
/// edges.
///
/// The first successor of a node, with all nodes reachable from it, precedes the other successors. So a loop body that
/// is the first branch target precedes the exit of the loop.
///
/// ```text
/// 0 -> 1, 0 -> 2, 1 -> 3, 2 -> 3        0 1 2 3
/// ```
pub fn reverse_post_order(entry: usize, successors: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; successors.len()];
    let mut stack = vec![(entry, 0)];
    seen[entry] = true;
    while let Some((node, next)) = stack.pop() {
        if let Some(&target) = successors[node].iter().rev().nth(next) {
            stack.push((node, next + 1));
            if !seen[target] {
                seen[target] = true;
                stack.push((target, 0));
            }
        } else {
            order.push(node);
        }
    }
    order.reverse();
    order
}

/// Returns the immediate dominator of each node; `None` for `entry` and for unreachable nodes.
///
/// ```text
/// 0 -> 1, 0 -> 2, 1 -> 3, 2 -> 3        0 immediately dominates 3
/// ```
/// # Source
/// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
pub fn immediate_dominators(entry: usize, successors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let order = reverse_post_order(entry, successors);
    let mut position = vec![usize::MAX; successors.len()];
    for (at, &node) in order.iter().enumerate() {
        position[node] = at;
    }
    let mut predecessors = vec![Vec::new(); successors.len()];
    for &node in &order {
        for &target in &successors[node] {
            predecessors[target].push(node);
        }
    }
    let mut dominators: Vec<Option<usize>> = vec![None; successors.len()];
    // The entry dominates itself during the iteration.
    dominators[entry] = Some(entry);
    let mut changed = true;
    while changed {
        changed = false;
        for &node in order.iter().skip(1) {
            let known = predecessors[node]
                .iter()
                .copied()
                .filter(|&from| dominators[from].is_some());
            let common = known.reduce(|a, b| common_dominator(&dominators, &position, a, b));
            if dominators[node] != common {
                dominators[node] = common;
                changed = true;
            }
        }
    }
    dominators[entry] = None;
    dominators
}

/// Returns the nearest common dominator of `a` and `b` in the dominator tree computed so far.
fn common_dominator(
    dominators: &[Option<usize>],
    position: &[usize],
    mut a: usize,
    mut b: usize,
) -> usize {
    while a != b {
        let later = if position[a] > position[b] {
            &mut a
        } else {
            &mut b
        };
        *later = dominators[*later].expect("a node that is reached has a dominator");
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_diamond_and_a_loop() {
        // 0 -> 1, 2; both -> 3; 3 -> 4 -> 3; 3 -> 5; 6 is unreachable.
        let graph = [
            vec![1, 2],
            vec![3],
            vec![3],
            vec![4, 5],
            vec![3],
            vec![],
            vec![5],
        ];
        assert_eq!(reverse_post_order(0, &graph), [0, 1, 2, 3, 4, 5]);
        let dominators = [None, Some(0), Some(0), Some(0), Some(3), Some(3), None];
        assert_eq!(immediate_dominators(0, &graph), dominators);
    }

    /// Returns true if a path from the entry to `to` avoids the node `without`.
    fn reaches(graph: &[Vec<usize>], to: usize, without: Option<usize>) -> bool {
        let mut seen = vec![false; graph.len()];
        let mut stack = vec![0];
        while let Some(node) = stack.pop() {
            if Some(node) == without || std::mem::replace(&mut seen[node], true) {
                continue;
            }
            stack.extend(&graph[node]);
        }
        seen[to]
    }

    proptest! {
        /// The chain of immediate dominators of a reachable node contains exactly the other nodes that lie on every
        /// path from the entry to this node. The chain of an unreachable node is empty.
        #[test]
        fn dominators_cut_off(edges in proptest::collection::vec((0usize..9, 0usize..9), 0..24)) {
            let mut graph = vec![Vec::new(); 9];
            for (from, to) in edges {
                graph[from].push(to);
            }
            let dominators = immediate_dominators(0, &graph);
            for node in 0..9 {
                let cutting: Vec<usize> = (0..9)
                    .filter(|&d| d != node && reaches(&graph, node, None))
                    .filter(|&d| !reaches(&graph, node, Some(d)))
                    .collect();
                let mut chain = Vec::new();
                let mut next = dominators[node];
                while let Some(d) = next {
                    chain.push(d);
                    next = dominators[d];
                }
                chain.sort_unstable();
                prop_assert_eq!(chain, cutting, "{:?}, node {}", graph, node);
            }
        }
    }
}
