//! What C++ and Rust know of passes, from `passes/Passes.td`: their numbers and their options.
//!
//! A pass crosses the border as its number, its options as typed values in the order of the table, so
//! that neither side reads a text that the other wrote. `passes/table.rs` takes the result in.

use std::fmt::Write;
use tblgen::{Record, RecordKeeper};

/// What is written for C++ and for Rust.
pub(crate) struct Generated {
    /// `PassList.inc`: an X-macro for each pass, with its number and options.
    pub(crate) cpp: String,
    /// `passes.rs`: the options of each pass and the enum of passes, in the order of their numbers.
    pub(crate) rust: String,
}

/// What an option holds.
enum Kind {
    /// A text; one that is empty by default is optional.
    Text {
        is_optional: bool,
    },
    Truth,
    Number,
}

/// One option of a pass.
struct Choice<'a> {
    /// The member of the C++ class, and the key on the command line.
    member: &'a str,
    key: &'a str,
    kind: Kind,
    default: &'a str,
    help: &'a str,
}

impl<'a> Choice<'a> {
    fn of(record: Record<'a>) -> Self {
        let text = |field| record.str_value(field).expect("an option has this field");
        let (member, default) = (text("cppName"), text("defaultValue"));
        assert!(
            !record.subclass_of("ListOption"),
            "`{member}` is a list, which `dialect/build/passes.rs` cannot pass on yet"
        );
        let kind = match text("type") {
            "std::string" => Kind::Text {
                is_optional: matches!(default, "" | "\"\""),
            },
            "bool" => Kind::Truth,
            "int32_t" | "int64_t" | "uint32_t" => Kind::Number,
            other => panic!(
                "`{member}` is a `{other}`; known are std::string, bool, int32_t, int64_t, uint32_t"
            ),
        };
        Self {
            member,
            key: text("argument"),
            kind,
            default,
            help: text("description"),
        }
    }

    /// Its field's name, `how_many` for `howMany`.
    fn field(&self) -> String {
        let mut name = String::new();
        for c in self.member.chars() {
            if c.is_ascii_uppercase() {
                name.push('_');
            }
            name.push(c.to_ascii_lowercase());
        }
        name
    }

    fn rust_type(&self) -> &'static str {
        match self.kind {
            Kind::Text { is_optional: true } => "Option<String>",
            Kind::Text { is_optional: false } => "String",
            Kind::Truth => "bool",
            Kind::Number => "i64",
        }
    }

    /// The value that crossed as the `index`-th.
    fn reading(&self, index: usize) -> String {
        match self.kind {
            Kind::Text { is_optional: true } => {
                format!("Some(text_of(&values[{index}])).filter(|text| !text.is_empty())")
            }
            Kind::Text { is_optional: false } => format!("text_of(&values[{index}])"),
            Kind::Truth => format!("values[{index}].number != 0"),
            Kind::Number => format!("values[{index}].number"),
        }
    }

    fn default_value(&self) -> String {
        match self.kind {
            Kind::Text { is_optional: true } => "None".to_owned(),
            Kind::Text { is_optional: false } => format!("{}.to_owned()", self.default),
            Kind::Truth | Kind::Number => {
                assert!(!self.default.is_empty(), "`{}` has no default", self.member);
                self.default.to_owned()
            }
        }
    }
}

/// Reads the records of `passes/Passes.td`.
pub(crate) fn generate(keeper: &RecordKeeper<'static>) -> Generated {
    let passes: Vec<(&str, &str, &str, Vec<Choice<'_>>)> = keeper
        .all_derived_definitions("PassBase")
        .map(|pass| {
            let options = pass.list_of_defs_value("options");
            (
                pass.name().expect("a pass has a name"),
                pass.str_value("argument").expect("a pass has an argument"),
                pass.str_value("summary").unwrap_or_default(),
                options
                    .map(|list| list.into_iter().map(Choice::of).collect())
                    .unwrap_or_default(),
            )
        })
        .collect();

    let mut cpp = String::from("#ifdef LL_DEFINE_PASSES\n");
    for (name, ..) in &passes {
        let _ = writeln!(cpp, "#define GEN_PASS_DEF_{}", name.to_uppercase());
    }
    cpp += "#else\n";
    for (number, (name, _, _, options)) in passes.iter().enumerate() {
        let members: Vec<String> = options
            .iter()
            .map(|option| format!("LL_OPTION({})", option.member))
            .collect();
        let _ = writeln!(cpp, "LL_PASS({name}, {number}, {})", members.join(" "));
    }
    cpp += "#endif\n";

    let mut rust = String::from("// Made by `dialect/build/passes.rs` from `passes/Passes.td`.\n");
    for (name, argument, _, options) in &passes {
        options_of(&mut rust, name, argument, options);
    }
    let list = |f: &dyn Fn(&str, &str, &str) -> String| -> String {
        passes
            .iter()
            .map(|(name, argument, summary, _)| f(name, argument, summary))
            .collect()
    };
    let _ = writeln!(
        rust,
        "/// A pass of this library; its number is its place in [`Self::ALL`].\n\
         #[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub(super) enum PassKind {{ {variants} }}\n\
         impl PassKind {{\n\
         /// Every one, by its number.\n\
         pub(super) const ALL: &'static [Self] = &[{all}];\n\
         /// The pass, with the values that its options have.\n\
         pub(super) fn with(self, values: &[OptionValue<'_>]) -> Box<dyn Pass> {{ match self {{ {with} }} }}\n}}",
        variants =
            list(&|name, argument, summary| format!("/// `{argument}`: {summary}\n{name},\n")),
        all = list(&|name, _, _| format!("Self::{name},")),
        with =
            list(&|name, _, _| format!("Self::{name} => Box::new({name}Options::read(values)),")),
    );
    Generated { cpp, rust }
}

/// The struct of a pass's options, their defaults, and how they are read as they cross.
fn options_of(rust: &mut String, name: &str, argument: &str, options: &[Choice<'_>]) {
    let list = |f: &dyn Fn(usize, &Choice<'_>) -> String| -> String {
        options.iter().enumerate().map(|(i, o)| f(i, o)).collect()
    };
    let values = if options.is_empty() { "_" } else { "values" };
    let _ = writeln!(
        rust,
        "/// The options of `{argument}`.\n#[derive(Clone, Debug, PartialEq, Eq)]\n\
         pub(super) struct {name}Options {{ {fields} }}\n\
         #[allow(clippy::derivable_impls, reason = \"whether it is, depends on the defaults\")]\n\
         impl Default for {name}Options {{ fn default() -> Self {{ Self {{ {defaults} }} }} }}\n\
         impl {name}Options {{ fn read({values}: &[OptionValue<'_>]) -> Self {{ Self {{ {readings} }} }} }}",
        fields = list(&|_, o| format!(
            "/// `{}`: {}\npub(super) {}: {},\n",
            o.key,
            o.help,
            o.field(),
            o.rust_type()
        )),
        defaults = list(&|_, o| format!("{}: {},", o.field(), o.default_value())),
        readings = list(&|i, o| format!("{}: {},", o.field(), o.reading(i))),
    );
}
