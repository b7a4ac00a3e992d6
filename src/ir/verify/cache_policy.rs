//! Rules of `#ttng.cache_policy`.

use crate::ir::rules::labels;
use melior::ir::Attribute;

/// A broken rule: the reason, the invalid key, and the label of the rule.
type Broken = (String, &'static str, &'static str);

/// Checks the rules of `#ttng.cache_policy`. Other attributes are valid.
///
/// # Errors
/// Returns the broken rule.
pub(crate) fn cache_policy(attribute: Attribute<'_>) -> Result<(), Broken> {
    let text = attribute.to_string();
    if text.starts_with("#ttng.cache_policy<") {
        rules(&text)
    } else {
        Ok(())
    }
}

/// Returns the value of `key` in the text of a cache policy, for example
/// `#ttng.cache_policy<l1 = evict_first, l2_primary = evict_last>`.
///
/// Returns `None` if the text does not contain `key`: fields with the value `none` are omitted.
pub(super) fn field<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let (_, fields) = text.strip_suffix('>')?.split_once('<')?;
    let mut fields = fields.split(", ").filter_map(|f| f.split_once(" = "));
    fields
        .find(|(name, _)| *name == key)
        .map(|(_, value)| value)
}

fn rules(text: &str) -> Result<(), Broken> {
    let field = |key: &str| field(text, key);
    let broken = |label, reason: String, key| Err((reason, key, label));
    if let (Some(modifier), Some(l1)) = (field("cache_modifier"), field("l1")) {
        let reason = format!(
            "requires at most one of `cache_modifier` and `l1`, but got `cache_modifier = {modifier}` and `l1 = {l1}`"
        );
        return broken(labels::cache_policy_c1, reason, "l1");
    }
    let l2 = ["l2_primary", "l2_secondary", "l2_fraction"];
    if let Some(key) = l2.into_iter().find(|key| field(key).is_some())
        && let Some(missing) = l2.into_iter().find(|key| field(key).is_none())
    {
        let reason = format!(
            "requires all of `l2_primary`, `l2_secondary` and `l2_fraction`, or none, but got `{key}` \
             without `{missing}`"
        );
        return broken(labels::cache_policy_c2, reason, key);
    }
    if field("l2_primary") == Some("no_allocate") {
        let reason = "`l2_primary` is no_allocate, expected evict_normal, evict_unchanged, evict_first \
                      or evict_last";
        return broken(labels::cache_policy_c3, reason.to_owned(), "l2_primary");
    }
    if let Some(secondary) = field("l2_secondary")
        && !matches!(secondary, "evict_first" | "evict_unchanged")
    {
        let reason =
            format!("`l2_secondary` is {secondary}, expected evict_first or evict_unchanged");
        return broken(labels::cache_policy_c4, reason, "l2_secondary");
    }
    if let Some(fraction) = field("l2_fraction") {
        let value = fraction.strip_suffix(" : f32").unwrap_or_default();
        if !value.parse().is_ok_and(|v: f32| v > 0.0 && v <= 1.0) {
            let reason = format!(
                "`l2_fraction` is {fraction}, expected an f32 above 0 and up to 1, as in `0.5 : f32`"
            );
            return broken(labels::cache_policy_c5, reason, "l2_fraction");
        }
    }
    if let Some(size) = field("l2_prefetch_size")
        && !matches!(size, "64 : i32" | "128 : i32" | "256 : i32")
    {
        let reason = format!(
            "`l2_prefetch_size` is {size}, expected `64 : i32`, `128 : i32` or `256 : i32`"
        );
        return broken(labels::cache_policy_c6, reason, "l2_prefetch_size");
    }
    Ok(())
}
