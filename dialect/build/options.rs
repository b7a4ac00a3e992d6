//! C++ and Rust code for passes and their options.
//!
//! Options cross the FFI as one list of values in table order. A string, integer or Boolean is one value; a list is the
//! length and the values.

use std::fmt::Write;

pub(crate) struct Declared<'a> {
    pub(crate) name: &'a str,
    /// Name of the pass on the command line.
    pub(crate) argument: &'a str,
    pub(crate) summary: &'a str,
    pub(crate) options: Vec<Choice<'a>>,
}

pub(crate) struct Choice<'a> {
    /// Name of the option's member in the C++ class of the pass.
    pub(crate) member: &'a str,
    /// Key of the option on the command line.
    pub(crate) key: &'a str,
    pub(crate) kind: Kind,
    /// TableGen's default value, as C++ text.
    pub(crate) default: &'a str,
    pub(crate) help: &'a str,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Kind {
    Text,
    /// A string that may be absent. The empty string means that it is absent.
    OptionalText,
    Truth,
    Number,
    /// A list of values, which is empty by default.
    List(Box<Kind>),
}

impl Kind {
    /// Converts the C++ type of an option. A string whose default is empty becomes [`Self::OptionalText`]. `member`
    /// names the option in panic messages.
    pub(crate) fn of(cpp_type: &str, default: &str, is_list: bool, member: &str) -> Self {
        if is_list {
            // An empty text in a list is a text.
            return Self::List(Box::new(Self::of(cpp_type, ".", false, member)));
        }
        match cpp_type {
            "std::string" if matches!(default, "" | "\"\"") => Self::OptionalText,
            "std::string" => Self::Text,
            "bool" => Self::Truth,
            "int32_t" | "int64_t" | "uint32_t" => Self::Number,
            other => panic!(
                "`{member}` is a `{other}`; known are std::string, bool, int32_t, int64_t, uint32_t"
            ),
        }
    }

    fn rust_type(&self) -> String {
        match self {
            Self::OptionalText => "Option<String>".to_owned(),
            Self::Text => "String".to_owned(),
            Self::Truth => "bool".to_owned(),
            Self::Number => "i64".to_owned(),
            Self::List(each) => format!("Vec<{}>", each.rust_type()),
        }
    }

    /// Returns a Rust expression that reads an option of this kind from `values`.
    fn reading(&self) -> String {
        match self {
            Self::OptionalText => "Some(values.text()).filter(|text| !text.is_empty())".to_owned(),
            Self::Text => "values.text()".to_owned(),
            Self::Truth => "values.number() != 0".to_owned(),
            Self::Number => "values.number()".to_owned(),
            Self::List(each) => {
                format!("(0..values.number()).map(|_| {}).collect()", each.reading())
            }
        }
    }

    /// Returns a Rust expression that formats the variable `value`, which has this kind.
    fn writing(&self) -> String {
        match self {
            // A value in braces is parsed literally.
            Self::OptionalText | Self::Text => "format!(\"{{{value}}}\")".to_owned(),
            Self::Truth | Self::Number => "value.to_string()".to_owned(),
            Self::List(each) => format!(
                "value.iter().map(|value| {}).collect::<Vec<_>>().join(\",\")",
                each.writing()
            ),
        }
    }
}

impl Choice<'_> {
    /// Returns the name of the option's Rust field, for example `how_many` for `howMany`.
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

    /// Returns a Rust statement that adds `key=value` to `options`, unless the option has its default value.
    fn spelling(&self) -> String {
        let (field, key) = (self.field(), self.key);
        let add = format!(
            "let text = {}; options.push(format!(\"{key}={{text}}\"));",
            self.kind.writing()
        );
        match self.kind {
            Kind::OptionalText => format!("if let Some(value) = &self.{field} {{ {add} }}"),
            _ => format!(
                "let value = &self.{field}; if *value != Self::default().{field} {{ {add} }}"
            ),
        }
    }

    fn default_value(&self) -> String {
        match self.kind {
            Kind::OptionalText => "None".to_owned(),
            Kind::Text => format!("{}.to_owned()", self.default),
            Kind::Truth | Kind::Number => {
                assert!(!self.default.is_empty(), "`{}` has no default", self.member);
                self.default.to_owned()
            }
            Kind::List(_) => "Vec::new()".to_owned(),
        }
    }
}

/// Returns the text of `PassList.inc`: an X-macro list with one entry per pass. The entry contains the name, the
/// index and the options of the pass.
pub(crate) fn cpp(passes: &[Declared<'_>]) -> String {
    let mut cpp = String::from("#ifdef LL_DEFINE_PASSES\n");
    for pass in passes {
        let _ = writeln!(cpp, "#define GEN_PASS_DEF_{}", pass.name.to_uppercase());
    }
    cpp += "#else\n";
    for (number, pass) in passes.iter().enumerate() {
        let members: Vec<String> = pass
            .options
            .iter()
            .map(|option| match option.kind {
                Kind::List(_) => format!("LL_LIST_OPTION({})", option.member),
                _ => format!("LL_OPTION({})", option.member),
            })
            .collect();
        let _ = writeln!(
            cpp,
            "LL_PASS({}, {number}, {})",
            pass.name,
            members.join(" ")
        );
    }
    cpp + "#endif\n"
}

/// Returns the text of `passes.rs`: the options of each pass, and the enum of passes in index order.
pub(crate) fn rust(passes: &[Declared<'_>]) -> String {
    let mut rust = String::from("// Made by `dialect/build/options.rs` from `passes/Passes.td`.\n");
    for pass in passes {
        options_of(&mut rust, pass);
    }
    let list = |f: &dyn Fn(&Declared<'_>) -> String| -> String { passes.iter().map(f).collect() };
    let _ = writeln!(
        rust,
        "/// A pass of this library; its index is that in [`Self::ALL`].\n\
         #[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub(super) enum PassKind {{ {variants} }}\n\
         impl PassKind {{\n\
         /// All passes, by index.\n\
         pub(super) const ALL: &'static [Self] = &[{all}];\n\
         /// Returns the name on the command line.\n\
         pub(super) const fn argument(self) -> &'static str {{ match self {{ {arguments} }} }}\n\
         /// Returns the pass with the values of its options.\n\
         pub(super) fn with(self, values: &mut Values<'_>) -> Box<dyn Pass> {{ match self {{ {with} }} }}\n}}",
        variants = list(&|pass| format!(
            "/// `{}`: {}\n{},\n",
            pass.argument, pass.summary, pass.name
        )),
        all = list(&|pass| format!("Self::{},", pass.name)),
        arguments = list(&|pass| format!("Self::{} => {:?},", pass.name, pass.argument)),
        with = list(&|pass| format!(
            "Self::{name} => Box::new({name}Options::read(values)),",
            name = pass.name
        )),
    );
    rust
}

/// Appends the Rust struct for the options of a pass, its `Default` implementation, and the functions that read the
/// options and format them as text.
fn options_of(rust: &mut String, pass: &Declared<'_>) {
    let Declared { name, options, .. } = pass;
    let list = |f: &dyn Fn(&Choice<'_>) -> String| -> String { options.iter().map(f).collect() };
    let values = if options.is_empty() { "_" } else { "values" };
    let _ = writeln!(
        rust,
        "/// The options of `{argument}`.\n#[derive(Clone, Debug, PartialEq, Eq)]\n\
         pub(super) struct {name}Options {{ {fields} }}\n\
         #[allow(clippy::derivable_impls, reason = \"whether it is, depends on the defaults\")]\n\
         impl Default for {name}Options {{ fn default() -> Self {{ Self {{ {defaults} }} }} }}\n\
         impl {name}Options {{ fn read({values}: &mut Values<'_>) -> Self {{ Self {{ {readings} }} }} }}\n\
         impl Spelled for {name}Options {{ fn spelled(&self) -> String {{\n\
         let {options}: Vec<String> = Vec::new(); {spellings}\n\
         format!(\"{argument}{{{{{{}}}}}}\", options.join(\" \")) }} }}",
        argument = pass.argument,
        fields = list(&|o| format!(
            "/// `{}`: {}\npub(super) {}: {},\n",
            o.key,
            o.help,
            o.field(),
            o.kind.rust_type()
        )),
        defaults = list(&|o| format!("{}: {},", o.field(), o.default_value())),
        readings = list(&|o| format!("{}: {},", o.field(), o.kind.reading())),
        options = if options.is_empty() {
            "options"
        } else {
            "mut options"
        },
        spellings = list(&|o| o.spelling() + "\n"),
    );
}
