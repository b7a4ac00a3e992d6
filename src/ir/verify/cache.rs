//! Rules of cache modifiers and policies.

use super::cache_policy::field;
use super::common::{Verdict, broken, ensure};
use crate::ir::Layouts;
use melior::ir::{Attribute, AttributeLike};

/// Returns the value of `key`, for example `cache_modifier`, in a cache policy. Returns `None` if there is no
/// policy, or if it does not contain `key`.
pub(crate) fn policy(policy: Option<Attribute<'_>>, key: &str) -> Option<String> {
    let attribute = policy?;
    let text = Layouts::of(attribute.context()).text_of_attribute(attribute);
    field(&text, key).map(str::to_owned)
}

fn modifier(of: Option<Attribute<'_>>) -> Option<String> {
    policy(of, "cache_modifier").filter(|name| name != "none")
}

pub(super) fn load(policy: Option<Attribute<'_>>) -> Verdict {
    let found = modifier(policy).unwrap_or_default();
    ensure!(
        load_c1,
        !matches!(&*found, "wb" | "wt"),
        "cache modifier `{found}` is for stores only; expected `ca`, `cg`, `cs` or `cv`"
    );
    Ok(())
}

pub(super) fn store(policy: Option<Attribute<'_>>) -> Verdict {
    let found = modifier(policy).unwrap_or_default();
    ensure!(
        store_c1,
        !matches!(&*found, "ca" | "cv"),
        "cache modifier `{found}` is for loads only; expected `cg`, `cs`, `wb` or `wt`"
    );
    Ok(())
}

/// Checks the cache policy of a TMA copy. Since TMA copies bypass the L1 cache, the policy must not concern this
/// cache. It must not set `l2_prefetch_size` either.
pub(super) fn tma_policy(of: Option<Attribute<'_>>) -> Verdict {
    ensure!(
        tma_c13,
        modifier(of).is_none(),
        "bypasses the L1 cache and must not have a cache modifier, but got `{}`",
        modifier(of).unwrap_or_default()
    );
    let first = policy(of, "l1").filter(|name| name != "none");
    ensure!(
        tma_c13,
        first.is_none(),
        "bypasses the L1 cache and must not have an `l1` policy, but got `{}`",
        first.unwrap_or_default()
    );
    let prefetched = policy(of, "l2_prefetch_size");
    ensure!(
        tma_c14,
        prefetched.is_none(),
        "must not have `l2_prefetch_size`, but got `{}`",
        prefetched.unwrap_or_default()
    );
    Ok(())
}
