//! The passes of `Passes.td` and their options, as `dialect/build/passes.rs` writes them down.
//!
//! MLIR reads the options of a pass from text, and says what is wrong with it; here they arrive as
//! values, in the order of the table.

use super::Pass;
use crate::sys::OptionValue;

include!(concat!(env!("OUT_DIR"), "/generated/passes.rs"));

/// A text as it crosses. What is no UTF-8 names nothing; that is for the pass to say.
fn text_of(value: &OptionValue<'_>) -> String {
    String::from_utf8_lossy(value.text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{ConvertLayoutsToLLVMOptions, OptionValue};

    fn read(target: &[u8]) -> Option<String> {
        let value = OptionValue {
            text: target,
            number: 0,
        };
        ConvertLayoutsToLLVMOptions::read(&[value]).target
    }

    #[test]
    fn a_text_arrives_as_it_was_given() {
        for text in ["cuda:90", "a b", "{a=b c=\"d\"}", "'"] {
            assert_eq!(read(text.as_bytes()).as_deref(), Some(text));
        }
        assert_eq!(read(b"cuda:\xff").as_deref(), Some("cuda:\u{fffd}"));
    }

    #[test]
    fn an_option_that_is_not_given_has_its_default() {
        assert_eq!(read(b""), ConvertLayoutsToLLVMOptions::default().target);
        assert_eq!(ConvertLayoutsToLLVMOptions::default().target, None);
    }
}
