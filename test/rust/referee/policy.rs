//! Policies by which global accesses use the caches.

use super::random::Rng;
use super::text::{Attr, Op};

const MODIFIERS: [&str; 7] = ["none", "ca", "cg", "wb", "cs", "wt", "cv"];
const PRIORITIES: [&str; 5] = [
    "evict_normal",
    "evict_unchanged",
    "evict_first",
    "evict_last",
    "no_allocate",
];

fn policy(rng: &mut Rng) -> String {
    if rng.chance(40) {
        return format!(
            "#tt.cache_policy<cache_modifier = {}, eviction_policy = {}>",
            rng.choose(&MODIFIERS),
            rng.choose(&["evict_normal", "evict_first", "evict_last"])
        );
    }
    let mut entries = Vec::new();
    if rng.chance(20) {
        entries.push(format!("cache_modifier = {}", rng.choose(&MODIFIERS)));
    } else if rng.chance(30) {
        entries.push(format!("l1 = {}", rng.choose(&PRIORITIES)));
    }
    if rng.chance(60) {
        entries.push(format!("l2_primary = {}", rng.choose(&PRIORITIES[..4])));
        let second = rng.choose(&["evict_first", "evict_unchanged"]);
        entries.push(format!("l2_secondary = {second}"));
        let part = rng.choose(&["5.000000e-01", "1.000000e+00", "2.500000e-01"]);
        entries.push(format!("l2_fraction = {part} : f32"));
    }
    if rng.chance(15) {
        entries.push(format!("l2_prefetch_size = {} : i32", rng.power(6, 8)));
    }
    format!("#ttng.cache_policy<{}>", entries.join(", "))
}

/// Adds a random cache policy to the operation, with a probability of `percent` percent.
pub(crate) fn maybe(rng: &mut Rng, percent: usize, op: Op) -> Op {
    if rng.chance(percent) {
        let policy = policy(rng);
        op.with("cachePolicy", Attr::Text(policy))
    } else {
        op
    }
}
