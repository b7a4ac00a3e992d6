//! Generator of modules from seeds.

use super::mutate;
use super::ops::GENERATORS;
use super::random::Rng;
use super::text::Module;

/// A generated module as text, with facts about its origin.
pub(crate) struct Generated {
    pub(crate) text: String,
    /// Name of the operation that the module tests.
    pub(crate) op: String,
    /// Name of the mutation by which the module was deliberately broken, if any.
    pub(crate) broken: Option<&'static str>,
}

/// Generates the module that `seed` determines. About a third of the modules are deliberately broken.
pub(crate) fn generate(seed: u64) -> Generated {
    let mut rng = Rng::new(seed);
    let total: usize = GENERATORS.iter().map(|(_, weight)| weight).sum();
    let mut at = rng.below(total);
    let mut make = GENERATORS[0].0;
    for (generator, weight) in GENERATORS {
        if at < *weight {
            make = *generator;
            break;
        }
        at -= weight;
    }
    let mut module: Module = make(&mut rng);
    let op = module.ops[0].name.clone();
    let broken = rng
        .chance(36)
        .then(|| mutate::break_one(&mut rng, &mut module));
    Generated {
        text: module.to_string(),
        op,
        broken,
    }
}

/// Returns the FNV-1a hash of a module's text. It identifies the module in the recorded verdicts.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
