//! Suggestions for misspelled names.

pub(crate) use strsim::levenshtein as edits;

/// Returns the known name with the smallest edit distance, if the distance is at most half of the length of `name`.
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

/// Returns the known names with an edit distance of at most half of the length of `name`, the nearest name first.
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
