//! Which known name a misspelled one is most like.

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

/// Levenshtein's distance: insertions, deletions and replacements of one character.
pub(crate) fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::edits;

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("abc", ""), 3);
    }
}
