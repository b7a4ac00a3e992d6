//! Error for a type or attribute without a layout.

use linear_layout::encoding::EncodingError;
use std::fmt;
use std::sync::Arc;

/// The reason why a layout is missing or a rule is broken, with the label of the broken rule if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    text: Arc<str>,
    rule: Option<&'static str>,
}

impl Reason {
    /// Returns the label of the broken rule, if any.
    #[must_use]
    pub fn rule(&self) -> Option<&'static str> {
        self.rule
    }

    /// Sets the label of the broken rule, unless already set.
    #[must_use]
    pub fn of_rule(mut self, label: &'static str) -> Self {
        self.rule.get_or_insert(label);
        self
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Reason {}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        Self {
            text: text.into(),
            rule: None,
        }
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<EncodingError> for Reason {
    fn from(error: EncodingError) -> Self {
        let rule = error.rule();
        Self {
            rule,
            ..error.to_string().into()
        }
    }
}
