//! The options of a pass, as MLIR prints them: `name{key=value other=value}`.
//!
//! MLIR has checked keys and kinds against `Passes.td` before a pass runs.

/// Options by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Options(Vec<(String, String)>);

impl Options {
    /// Reads the textual pipeline form of one pass.
    #[must_use]
    pub(super) fn parse(text: &str) -> Self {
        let Some((_, inside)) = text.split_once('{') else {
            return Self::default();
        };
        let inside = inside.trim_end().trim_end_matches('}');
        Self(
            inside
                .split_whitespace()
                .filter_map(|item| item.split_once('='))
                .map(|(key, value)| (key.to_owned(), value.trim_matches('"').to_owned()))
                .collect(),
        )
    }

    /// The value of an option, or nothing where it is empty.
    #[must_use]
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        let value = self.0.iter().find(|(name, _)| name == key)?.1.as_str();
        (!value.is_empty()).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::Options;

    #[test]
    fn reads_what_mlir_prints() {
        let options = Options::parse("convert-layouts-to-llvm{check=true target=cuda:90}");
        assert_eq!(options.get("target"), Some("cuda:90"));
        assert_eq!(options.get("check"), Some("true"));
        assert_eq!(options.get("absent"), None);
        assert_eq!(
            Options::parse("fold-layout-conversions"),
            Options::default()
        );
        assert_eq!(Options::parse("p{target=}").get("target"), None);
    }
}
