//! Documents that MLIR's server is not shown, since it would end by a full stack.

use crate::NAME;
use crate::documents::{Documents, position};
use linear_layout_mlir::sys::too_deep;
use serde_json::{Value, json};
use std::collections::HashMap;

/// What is wrong with the documents that are empty to MLIR's server, by their URI.
#[derive(Debug, Default)]
pub(crate) struct Refused(HashMap<String, Value>);

impl Refused {
    /// Puts into a message that opens or changes a document what MLIR's server may see of it: nothing
    /// while it is nested too deep, and the whole of it from then on.
    ///
    /// Says whether the message is another one now.
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
            // Without a range it is all of the text.
            Some(changes) => *changes = json!([{"text": shown}]),
            None => params["textDocument"]["text"] = json!(shown),
        }
        true
    }

    /// Says whether a message is about a document that is refused.
    pub(crate) fn is_about(&self, params: &Value) -> bool {
        let uri = params["textDocument"]["uri"].as_str();
        uri.is_some_and(|uri| self.0.contains_key(uri))
    }

    /// Forgets a document that the editor closes.
    pub(crate) fn close(&mut self, params: &Value) {
        if let Some(uri) = params["textDocument"]["uri"].as_str() {
            self.0.remove(uri);
        }
    }

    /// Puts the reason into what MLIR's server finds wrong with a document that it was not shown.
    ///
    /// Says whether the message is another one now.
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
