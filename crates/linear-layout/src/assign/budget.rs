//! The cheapest assignment whose shared memory fits.

use super::graph::Graph;
use super::network::{BYTE_PRICE_BITS, Network};
use super::solve::{Limits, Solution, best, solve};

/// How often the graph is solved, at most.
const MAX_SOLVES: u32 = 8;
/// By how much more a byte costs, while assignments do not fit, in powers of two.
const RAISE_BITS: u32 = 3;

/// Returns the cheapest assignment that is found whose shared memory fits.
///
/// `fits` says of an assignment whether its shared memory fits, or by how many bytes it is too large: it may know
/// when buffers live, and what else lies there, which sums of bytes do not. While what is cheapest does not fit, a
/// price is put on each byte, and raised until it does; then it is lowered again as far as what is cheapest still
/// fits. `start` is taken if it fits and nothing cheaper does. The bound is one for any assignment, whether it fits
/// or not.
///
/// # Units
/// Bytes are those that [`Graph::set_node_bytes`] and its like say.
/// # Errors
/// If nothing fits that was found, by how many bytes the best was too large.
/// # Panics
/// If `start` does not have one alternative for each node.
pub fn solve_within(
    graph: &Graph,
    start: &[u32],
    mut fits: impl FnMut(&[u32]) -> Result<(), u64>,
) -> Result<Solution, u64> {
    let free = solve(graph, start);
    let Err(mut excess) = fits(&free.choice) else {
        return Ok(free);
    };
    let mut fitting: Vec<Vec<u32>> = Vec::new();
    match fits(start) {
        Ok(()) => fitting.push(start.to_vec()),
        Err(by) => excess = excess.min(by),
    }
    let mut steps = free.steps;
    // At the first price, the bytes cost an eighth of what the kernel does.
    let bytes = u128::from(graph.bytes(&free.choice).max(1));
    let first = (u128::from(free.price) << BYTE_PRICE_BITS) / (8 * bytes);
    let mut per_byte = u64::try_from(first).unwrap_or(u64::MAX).max(1);
    let (mut too_low, mut enough) = (0, None);
    for _ in 1..MAX_SOLVES {
        let network = Network::new(graph, per_byte);
        let found = best(&network, graph, &[start, &free.choice], Limits::USUAL);
        steps += found.steps;
        match fits(&found.choice) {
            Ok(()) => {
                fitting.push(found.choice);
                enough = Some(per_byte);
            }
            Err(by) => {
                excess = excess.min(by);
                too_low = per_byte;
            }
        }
        per_byte = match enough {
            Some(enough) => too_low + (enough - too_low) / 2,
            None => per_byte.saturating_mul(1 << RAISE_BITS),
        };
        if per_byte == too_low {
            break;
        }
    }
    let priced = fitting
        .into_iter()
        .map(|choice| (graph.price(&choice), choice));
    let Some(((price, conversions), choice)) = priced.min() else {
        return Err(excess);
    };
    Ok(Solution {
        choice,
        price,
        conversions,
        steps,
        ..free
    })
}
