//! Which known name a misspelled one is most like.

pub(crate) use strsim::levenshtein as edits;

/// The known name that the fewest edits turn into `name`, if they are no more than half of its letters.
///
/// ```
/// use linear_layout::encoding::spelling::nearest;
/// assert_eq!(nearest("bloked", ["slice", "blocked"]), Some("blocked"));
/// assert_eq!(nearest("tile", ["slice", "blocked"]), None);
/// ```
#[must_use]
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    known
        .into_iter()
        .map(|near| (edits(name, near), near))
        .filter(|(count, _)| 2 * count <= name.chars().count())
        .min()
        .map(|(_, near)| near)
}
