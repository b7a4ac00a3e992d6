//! Rules of how accesses use the caches.

use super::Verdict;
use super::cache_policy::field;
use crate::ir::Layouts;
use melior::ir::OperationRef;
use melior::ir::operation::OperationLike;

/// One word of an operation's `cachePolicy`, such as what stands behind `cache_modifier =`.
pub(crate) fn policy(op: OperationRef<'_, '_>, key: &str) -> Option<String> {
    let attribute = op.attribute("cachePolicy").ok()?;
    let text = Layouts::of(op.context()).text_of_attribute(attribute);
    field(&text, key).map(str::to_owned)
}

/// The modifier, where there is one.
fn modifier(op: OperationRef<'_, '_>) -> Option<String> {
    policy(op, "cache_modifier").filter(|name| name != "none")
}

pub(super) fn load(op: OperationRef<'_, '_>) -> Verdict {
    let found = modifier(op).unwrap_or_default();
    ensure!(
        !matches!(&*found, "wb" | "wt"),
        "reads, but its cache modifier `{found}` is for writes; expected `ca`, `cg`, `cs` or `cv`"
    ); // load_c1
    Ok(())
}

pub(super) fn store(op: OperationRef<'_, '_>) -> Verdict {
    let found = modifier(op).unwrap_or_default();
    ensure!(
        !matches!(&*found, "ca" | "cv"),
        "writes, but its cache modifier `{found}` is for reads; expected `cg`, `cs`, `wb` or `wt`"
    ); // store_c1
    Ok(())
}

/// Copies by the accelerator pass the first cache by.
pub(super) fn beside_first(op: OperationRef<'_, '_>) -> Verdict {
    ensure!(
        modifier(op).is_none(),
        "copies beside the first cache, so it takes no cache modifier, but has `{}`",
        modifier(op).unwrap_or_default()
    ); // tma_c13
    let first = policy(op, "l1").filter(|name| name != "none");
    ensure!(
        first.is_none(),
        "copies beside the first cache, so it takes no `l1` policy, but has `{}`",
        first.unwrap_or_default()
    ); // tma_c13
    let prefetched = policy(op, "l2_prefetch_size");
    ensure!(
        prefetched.is_none(),
        "copies what it is told to, so it takes no `l2_prefetch_size`, but has `{}`",
        prefetched.unwrap_or_default()
    ); // tma_c14
    Ok(())
}
