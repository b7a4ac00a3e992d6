//! Suggestions for misspelled names.

pub(crate) use strsim::levenshtein as edits;

/// Returns the name in `known` with the smallest edit distance to `name`. Returns `None` if this distance is more
/// than half the length of `name`.
///
/// ```
/// use linear_layout::encoding::spelling::nearest;
/// assert_eq!(nearest("bloked", ["slice", "blocked"]), Some("blocked"));
/// assert_eq!(nearest("tile", ["slice", "blocked"]), None);
/// ```
#[must_use]
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    by_distance(name, known).first().copied()
}

/// Returns the names in `known` whose edit distance to `name` is at most half the length of `name`, the nearest
/// name first.
///
/// ```
/// use linear_layout::encoding::spelling::by_distance;
/// assert_eq!(by_distance("mma.f6", ["fma", "mma.f16", "mma.bf16"]), ["mma.f16", "mma.bf16"]);
/// ```
#[must_use]
pub fn by_distance<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Vec<&'k str> {
    let known = known.into_iter().map(|near| (edits(name, near), near));
    let mut near: Vec<_> = known
        .filter(|(count, _)| 2 * count <= name.chars().count())
        .collect();
    near.sort_unstable();
    near.into_iter().map(|(_, near)| near).collect()
}
