//! The passes of `Passes.td` and their options, as `dialect/build/passes.rs` writes them down.
//!
//! MLIR reads the options of a pass from text, and says what is wrong with it; here they arrive as
//! values, in the order of the table.

use super::Pass;
use crate::sys::OptionValue;

include!(concat!(env!("OUT_DIR"), "/generated/passes.rs"));

/// A pass as it is named on a command line, with the options that have not their defaults.
pub(super) trait Spelled {
    fn spelled(&self) -> String;
}

/// The values of a pass's options as they cross, taken in the order of the table.
pub(super) struct Values<'v>(std::slice::Iter<'v, OptionValue<'v>>);

impl<'v> Values<'v> {
    pub(super) fn of(values: &'v [OptionValue<'v>]) -> Self {
        Self(values.iter())
    }

    fn next(&mut self) -> &'v OptionValue<'v> {
        // C++ sends them by the same table.
        self.0.next().expect("each option has crossed")
    }

    /// Takes a text. What is no UTF-8 names nothing; that is for the pass to say.
    fn text(&mut self) -> String {
        String::from_utf8_lossy(self.next().text).into_owned()
    }

    /// Takes a number, a truth, or the length of a list.
    fn number(&mut self) -> i64 {
        self.next().number
    }
}

#[cfg(test)]
mod tests {
    use super::{
        ConvertEncodingsToLinearOptions, ConvertLayoutsToLLVMOptions, OptionValue, Spelled, Values,
    };

    fn text(text: &[u8]) -> OptionValue<'_> {
        OptionValue { text, number: 0 }
    }

    fn read(target: &[u8]) -> Option<String> {
        ConvertLayoutsToLLVMOptions::read(&mut Values::of(&[
            text(target),
            text(b"plain"),
            text(b"least"),
            text(b"error"),
            text(b""),
            text(b""),
        ]))
        .target
    }

    #[test]
    fn a_text_arrives_as_it_was_given() {
        for text in ["cuda:90", "a b", "{a=b c=\"d\"}", "'"] {
            assert_eq!(read(text.as_bytes()).as_deref(), Some(text));
        }
        assert_eq!(read(b"cuda:\xff").as_deref(), Some("cuda:\u{fffd}"));
    }

    #[test]
    fn options_are_spelled_where_they_are_not_the_defaults() {
        let keep = vec!["a".to_owned(), "b,c".to_owned()];
        let pass = ConvertEncodingsToLinearOptions {
            keep,
            ..Default::default()
        };
        assert_eq!(
            pass.spelled(),
            "convert-encodings-to-linear{keep={a},{b,c}}"
        );
        let pass = ConvertLayoutsToLLVMOptions::default();
        assert_eq!(pass.spelled(), "convert-layouts-to-llvm{}");
    }

    #[test]
    fn an_option_that_is_not_given_has_its_default() {
        assert_eq!(read(b""), ConvertLayoutsToLLVMOptions::default().target);
        assert_eq!(ConvertLayoutsToLLVMOptions::default().target, None);
    }

    #[test]
    fn a_list_is_its_length_and_its_values() {
        let read = |values: &[OptionValue<'_>]| {
            let none = [OptionValue {
                text: b"",
                number: 0,
            }];
            let all = [values, &none].concat();
            ConvertEncodingsToLinearOptions::read(&mut Values::of(&all)).keep
        };
        let length = |number| OptionValue { text: b"", number };
        assert_eq!(read(&[length(0)]), [""; 0]);
        assert_eq!(
            read(&[length(3), text(b"a"), text(b""), text(b"b,c")]),
            ["a", "", "b,c"]
        );
    }
}
