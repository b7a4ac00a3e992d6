//! Open documents of an editor.

use serde_json::{Value, json};
use std::collections::HashMap;

/// The text of each open document, keyed by its URI.
#[derive(Debug, Default)]
pub(crate) struct Documents(HashMap<String, String>);

impl Documents {
    pub(crate) fn open(&mut self, params: &Value) {
        let document = &params["textDocument"];
        if let (Some(uri), Some(text)) = (document["uri"].as_str(), document["text"].as_str()) {
            self.0.insert(uri.to_owned(), text.to_owned());
        }
    }

    pub(crate) fn close(&mut self, params: &Value) {
        if let Some(uri) = params["textDocument"]["uri"].as_str() {
            self.0.remove(uri);
        }
    }

    /// Applies the edits in a message to a document. Each edit replaces either the whole text or a range of it.
    pub(crate) fn change(&mut self, params: &Value) {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let Some(document) = self.0.get_mut(uri) else {
            return;
        };
        for change in params["contentChanges"].as_array().into_iter().flatten() {
            let Some(text) = change["text"].as_str() else {
                continue;
            };
            let range = &change["range"];
            if range.is_null() {
                text.clone_into(document);
                continue;
            }
            let start = offset(document, &range["start"]);
            let end = offset(document, &range["end"]);
            if let (Some(start), Some(end)) = (start, end)
                && start <= end
            {
                document.replace_range(start..end, text);
            }
        }
    }

    /// Returns the URI and the text of the document that a message names. Returns `None` if the document is not
    /// open.
    pub(crate) fn text<'a>(&'a self, params: &Value) -> Option<(&'a str, &'a str)> {
        let (uri, text) = self
            .0
            .get_key_value(params["textDocument"]["uri"].as_str()?)?;
        Some((uri, text))
    }

    /// Returns the text of the document that a request names, and the byte offset of the request's position.
    pub(crate) fn place(&self, params: &Value) -> Option<(&str, usize)> {
        let text = self.0.get(params["textDocument"]["uri"].as_str()?)?;
        Some((text, offset(text, &params["position"])?))
    }
}

/// Returns the byte offset of a position, which consists of a line and a number of UTF-16 units in that line.
///
/// A position after the end of its line is treated as the end of the line.
fn offset(text: &str, position: &Value) -> Option<usize> {
    let line = usize::try_from(position["line"].as_u64()?).ok()?;
    let units = usize::try_from(position["character"].as_u64()?).ok()?;
    let start = match line {
        0 => 0,
        _ => text.match_indices('\n').nth(line - 1)?.0 + 1,
    };
    let mut left = units;
    for (at, c) in text[start..].char_indices() {
        if left == 0 || c == '\n' || c == '\r' {
            return Some(start + at);
        }
        left = left.saturating_sub(c.len_utf16());
    }
    Some(text.len())
}

/// Converts a byte offset to a position: a line, and a number of UTF-16 units in that line.
pub(crate) fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let character: usize = before[start..].chars().map(char::len_utf16).sum();
    json!({"line": line, "character": character})
}

#[cfg(test)]
mod tests {
    use super::{Documents, offset, position};
    use serde_json::json;

    #[test]
    fn positions_count_utf16_units() {
        let text = "a\u{1F600}b\r\nc\u{e9}d";
        for (line, character, at) in [(0, 0, 0), (0, 3, 5), (0, 9, 6), (1, 2, 11), (1, 3, 12)] {
            let place = json!({"line": line, "character": character});
            assert_eq!(offset(text, &place), Some(at), "{place}");
            assert_eq!(offset(text, &position(text, at)), Some(at));
        }
        assert_eq!(offset(text, &json!({"line": 2, "character": 0})), None);
    }

    #[test]
    fn changes_are_applied_in_order() {
        let mut documents = Documents::default();
        let document = |text| json!({"textDocument": {"uri": "u", "text": text}});
        documents.open(&document("one\ntwo\n"));
        let position = |line, character| json!({"line": line, "character": character});
        documents.change(&json!({"textDocument": {"uri": "u"}, "contentChanges": [
            {"range": {"start": position(1, 0), "end": position(1, 3)}, "text": "three"},
            {"range": {"start": position(0, 3), "end": position(1, 0)}, "text": " "},
        ]}));
        let params = json!({"textDocument": {"uri": "u"}, "position": position(0, 4)});
        assert_eq!(documents.place(&params), Some(("one three\n", 4)));
        documents.change(&json!({"textDocument": {"uri": "u"}, "contentChanges": [{"text": "x"}]}));
        assert_eq!(documents.place(&params), Some(("x", 1)));
        documents.close(&params);
        assert_eq!(documents.place(&params), None);
    }
}
