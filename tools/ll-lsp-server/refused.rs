//! Documents that are hidden from MLIR's server, since they would overflow its stack.

use crate::NAME;
use crate::documents::{Documents, position};
use linear_layout_mlir::sys::too_deep;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Documents that are nested too deeply and are therefore hidden from MLIR's server, which sees them as empty. The
/// map holds the diagnostic of each document, keyed by URI.
#[derive(Debug, Default)]
pub(crate) struct Refused(HashMap<String, Value>);

impl Refused {
    /// Hides a document from MLIR's server if it is nested too deeply: the text in a message that opens or changes
    /// the document is replaced by an empty one. When a hidden document becomes valid, its whole text is sent.
    ///
    /// Returns true if the message was changed.
    pub(crate) fn guard(&mut self, message: &mut Value, documents: &Documents) -> bool {
        let params = &mut message["params"];
        let Some((uri, text)) = documents.text(params) else {
            return false;
        };
        let shown = match too_deep(text.as_bytes()) {
            Some(deep) => {
                let [start, end] = [deep.at, deep.at + 1].map(|at| position(text, at));
                let diagnostic = json!({"range": {"start": start, "end": end}, "severity": 1,
                                        "source": NAME, "message": deep.to_string()});
                self.0.insert(uri.to_owned(), diagnostic);
                ""
            }
            None if self.0.remove(uri).is_some() => text,
            None => return false,
        };
        match params.get_mut("contentChanges") {
            // A change without a range replaces all text.
            Some(changes) => *changes = json!([{"text": shown}]),
            None => params["textDocument"]["text"] = json!(shown),
        }
        true
    }

    /// Returns true if a message concerns a document that is hidden.
    pub(crate) fn is_about(&self, params: &Value) -> bool {
        let uri = params["textDocument"]["uri"].as_str();
        uri.is_some_and(|uri| self.0.contains_key(uri))
    }

    /// Removes the entry of a closed document.
    pub(crate) fn close(&mut self, params: &Value) {
        if let Some(uri) = params["textDocument"]["uri"].as_str() {
            self.0.remove(uri);
        }
    }

    /// If `message` publishes the diagnostics of a hidden document, replaces them by the diagnostic that explains
    /// why the document is hidden.
    ///
    /// Returns true if the message was changed.
    pub(crate) fn complete(&self, message: &mut Value) -> bool {
        if message["method"] != "textDocument/publishDiagnostics" {
            return false;
        }
        let params = &mut message["params"];
        let Some(reason) = params["uri"].as_str().and_then(|uri| self.0.get(uri)) else {
            return false;
        };
        params["diagnostics"] = json!([reason]);
        true
    }
}
