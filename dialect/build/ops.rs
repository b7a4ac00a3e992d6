//! Generator of operation kinds, typed views and enums in Rust from TableGen records.
//!
//! Names are written in `dialect/*.td` only. `src/ir/ops.rs` includes and documents the result.

use crate::rules;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use tblgen::{Record, RecordKeeper, TypedInit};

pub(crate) struct Own<'a> {
    pub(crate) namespace: &'static str,
    pub(crate) keeper: &'a RecordKeeper<'static>,
}

pub(crate) struct GeneratedOps {
    /// Text of `OpKinds.inc`: an X-macro list of all operations, in the order of the Rust enum variants.
    pub(crate) cpp: String,
    /// Text of `ops.rs`: the operation kinds and the typed views of operations.
    pub(crate) rust: String,
}

const CANONICALISED: &str = "LL_Canonicalized";

pub(crate) struct Operation<'a> {
    pub(crate) record: Record<'a>,
    /// Full name of the operation, such as `tt.load`.
    pub(crate) name: String,
    /// Rust enum variant of the operation, such as `TtLoad`.
    kind: String,
    /// Qualified C++ class of the operation, such as `::ll::tt::LoadOp`.
    class: String,
}

impl<'a> Operation<'a> {
    fn of(record: Record<'a>) -> Self {
        let dialect = record
            .def_value("opDialect")
            .expect("an operation has a dialect");
        let namespace = dialect.str_value("name").expect("a dialect has a name");
        let mnemonic = record.str_value("opName").expect("an operation has a name");
        let class = class_name(record);
        let cpp = dialect
            .str_value("cppNamespace")
            .expect("a dialect has a namespace");
        Self {
            record,
            name: format!("{namespace}.{mnemonic}"),
            kind: format!("{}{}", capitalised(namespace), class.trim_end_matches("Op")),
            class: format!("::{}::{class}", cpp.trim_start_matches(':')),
        }
    }

    pub(crate) fn summary(&self) -> &'a str {
        self.record.str_value("summary").unwrap_or_default().trim()
    }

    pub(crate) fn has_trait(&self, name: &str) -> bool {
        traits(self.record).iter().any(|own| own == name)
    }
}

/// Returns the name of the C++ class that `mlir-tblgen` generates for a record. This is the record name after the
/// first `_`.
pub(crate) fn class_name(record: Record<'_>) -> &str {
    let name = record.name().expect("an operation's record has a name");
    name.split_once('_').map_or(name, |(_, class)| class)
}

/// Returns the names of all traits of a record, including those in nested lists of traits.
fn traits(record: Record<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let mut lists = vec![record.list_of_defs_value("traits").unwrap_or_default()];
    while let Some(list) = lists.pop() {
        for one in list {
            if let Ok(nested) = one.list_of_defs_value("traits") {
                lists.push(nested);
            }
            for field in ["trait", "cppTrait", "cppInterfaceName"] {
                if let Ok(name) = one.str_value(field) {
                    found.push(name.to_owned());
                }
            }
            found.extend(one.name().map(str::to_owned));
        }
    }
    found
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
        .unwrap_or_default()
}

/// Converts a name to snake case, e.g. `isVolatile` to `is_volatile`. A Rust keyword becomes a raw identifier.
pub(crate) fn snake(name: &str) -> String {
    let mut text = String::new();
    let mut previous_is_lower = false;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && previous_is_lower {
            text.push('_');
        }
        previous_is_lower = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        text.push(letter.to_ascii_lowercase());
    }
    if ["else", "false", "for", "if", "in", "true", "type", "where"].contains(&&*text) {
        text.insert_str(0, "r#");
    }
    text
}

/// Converts an enum case to a Rust variant, e.g. `EVICT_FIRST` to `EvictFirst`.
pub(crate) fn variant(symbol: &str) -> String {
    let shouted = symbol.chars().all(|c| !c.is_ascii_lowercase());
    symbol
        .split('_')
        .map(|piece| {
            if shouted {
                capitalised(&piece.to_ascii_lowercase())
            } else {
                capitalised(piece)
            }
        })
        .collect()
}

pub(crate) fn operations<'a>(
    keeper: &'a RecordKeeper<'static>,
    is_selected: impl Fn(&str) -> bool,
) -> Vec<Operation<'a>> {
    let mut all: Vec<Operation<'a>> = keeper
        .all_derived_definitions("Op")
        .filter(|record| {
            record
                .def_value("opDialect")
                .and_then(|dialect| dialect.str_value("name"))
                .is_ok_and(&is_selected)
        })
        .map(Operation::of)
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

pub(crate) fn generate(own: &[Own<'_>], upstream: &RecordKeeper<'static>) -> GeneratedOps {
    let own: Vec<(&str, Vec<Operation<'_>>)> = own
        .iter()
        .map(|dialect| {
            (
                dialect.namespace,
                operations(dialect.keeper, |own| own == dialect.namespace),
            )
        })
        .collect();
    let mut others = operations(upstream, |own| !["llvm", "rocdl"].contains(&own));
    for list in upstream.all_derived_definitions("LL_Upstream") {
        let selected = list
            .list_of_defs_value("ops")
            .expect("a list of operations");
        others.extend(selected.into_iter().map(Operation::of));
    }
    let all_own: Vec<&Operation<'_>> = own.iter().flat_map(|(_, ops)| ops).collect();
    let all_others: Vec<&Operation<'_>> = others.iter().collect();

    let mut cpp = String::new();
    for (macro_name, ops) in [("LL_OWN_OP", &all_own), ("LL_UPSTREAM_OP", &all_others)] {
        for op in ops {
            let _ = writeln!(cpp, "{macro_name}({})", op.class);
            if op.has_trait(CANONICALISED) {
                let _ = writeln!(cpp, "LL_CANONICALISED_OP({})", op.class);
            }
        }
    }

    let mut rust = String::from("// Made by `dialect/build/ops.rs` from the TableGen records.\n");
    kinds(
        &mut rust,
        "OpKind",
        "An operation of `tt`, `ttg`, `ttng`, `amdg` or `gluon`.",
        &all_own,
    );
    kinds(
        &mut rust,
        "UpstreamKind",
        "An operation of MLIR's own dialects that stands in TTGIR.",
        &all_others,
    );
    patterns(&mut rust, &all_own);
    let mut enums = BTreeSet::new();
    for (namespace, ops) in &own {
        let _ = writeln!(
            rust,
            "/// Views of the operations of `{namespace}`.\npub mod {namespace} {{\n\
             #[allow(unused_imports, reason = \"which ones, depends on the operations\")]\n\
             use super::*;"
        );
        for op in ops {
            view(&mut rust, op, "OpKind", &mut enums);
        }
        rust += "}\n";
    }
    let upstream = by_namespace(&others);
    for (namespace, ops) in &upstream {
        let _ = writeln!(
            rust,
            "/// Views of MLIR's operations of `{namespace}`.\npub mod {namespace} {{\n\
             #[allow(unused_imports, reason = \"which ones, depends on the operations\")]\n\
             use super::*;"
        );
        // Enums of upstream operations stay in their own module, since some share names with this project's enums.
        let mut enums = BTreeSet::new();
        for op in ops {
            view(&mut rust, op, "UpstreamKind", &mut enums);
        }
        rust += &enums.into_iter().collect::<String>();
        rust += "}\n";
    }
    rust += &enums.into_iter().collect::<String>();
    let own: Vec<(&str, Vec<&Operation<'_>>)> = own
        .iter()
        .map(|(namespace, ops)| (*namespace, ops.iter().collect()))
        .collect();
    any_view(
        &mut rust,
        "OpView",
        "OpKind",
        "An operation of `tt`, `ttg`, `ttng`, `amdg` or `gluon` as the view of its kind.",
        &own,
    );
    any_view(
        &mut rust,
        "UpstreamView",
        "UpstreamKind",
        "An operation of MLIR's own dialects as the view of its kind.",
        &upstream,
    );
    GeneratedOps { cpp, rust }
}

pub(crate) fn by_namespace<'a, 'o>(
    ops: &'o [Operation<'a>],
) -> Vec<(&'o str, Vec<&'o Operation<'a>>)> {
    let mut found: Vec<(&str, Vec<&Operation<'a>>)> = Vec::new();
    for op in ops {
        let namespace = op.name.split('.').next().unwrap_or_default();
        match found.iter_mut().find(|(known, _)| *known == namespace) {
            Some((_, list)) => list.push(op),
            None => found.push((namespace, vec![op])),
        }
    }
    found
}

fn kinds(rust: &mut String, name: &str, summary: &str, ops: &[&Operation<'_>]) {
    let _ = writeln!(
        rust,
        "/// {summary}\n#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]\n\
         #[repr(u16)]\npub enum {name} {{"
    );
    for op in ops {
        let _ = writeln!(
            rust,
            "/// `{}`: {}\n{},",
            op.name,
            doc(op.summary()),
            op.kind
        );
    }
    let list =
        |f: &dyn Fn(&Operation<'_>) -> String| -> String { ops.iter().map(|op| f(op)).collect() };
    let with = |wanted: &str| -> String {
        let found: Vec<String> = ops
            .iter()
            .filter(|op| op.has_trait(wanted))
            .map(|op| format!("Self::{}", op.kind))
            .collect();
        if found.is_empty() {
            "false".to_owned()
        } else {
            format!("matches!(self, {})", found.join(" | "))
        }
    };
    let _ = writeln!(
        rust,
        "}}\nimpl {name} {{\n\
         /// All kinds, sorted by dialect and name.\n\
         pub const ALL: &'static [Self] = &[{all}];\n\
         /// Returns the full name, `dialect.operation`.\n\
         #[must_use] pub const fn name(self) -> &'static str {{ match self {{ {names} }} }}\n\
         /// Returns the declared attributes, as pairs of a name in the IR and the name of the accessor.\n\
         #[must_use] pub const fn attributes(self) -> &'static [(&'static str, &'static str)] {{ match self {{ {attributes} }} }}\n\
         /// Returns true if the operation is declared elementwise.\n\
         #[must_use] pub const fn is_elementwise(self) -> bool {{ {elementwise} }}\n\
         /// Returns true if the operation is declared as a terminator.\n\
         #[must_use] pub const fn is_terminator(self) -> bool {{ {terminator} }}\n\
         /// Returns, for each declared operand, true if the operand is optional or variadic.\n\
         #[must_use] pub const fn optional_operands(self) -> &'static [bool] {{ match self {{ {optional} }} }}\n\
         /// Returns true if the operation is declared with canonicalisation in Rust.\n\
         #[must_use] pub const fn is_canonicalised(self) -> bool {{ {canonical} }}\n\
         }}",
        all = list(&|op| format!("Self::{},", op.kind)),
        names = list(&|op| format!("Self::{} => {:?},", op.kind, op.name)),
        attributes = list(&|op| {
            let named: String = fields(op.record, "arguments")
                .iter()
                .filter(|(_, constraint)| bare(*constraint).subclass_of("Attr"))
                .map(|(field, _)| {
                    format!("({field:?}, {:?}),", snake(field).trim_start_matches("r#"))
                })
                .collect();
            format!("Self::{} => &[{named}],", op.kind)
        }),
        optional = list(&|op| {
            let operands = fields(op.record, "arguments").into_iter();
            let operands =
                operands.filter(|(_, constraint)| !bare(*constraint).subclass_of("Attr"));
            let optional: Vec<bool> = operands
                .map(|(_, constraint)| Count::of(constraint) != Count::One)
                .collect();
            format!("Self::{} => &{optional:?},", op.kind)
        }),
        elementwise = with("Elementwise"),
        terminator = with("Terminator"),
        canonical = with(CANONICALISED),
    );
}

pub(crate) fn doc(text: &str) -> String {
    text.replace('\n', " ")
        .replace('[', "\\[")
        .replace(']', "\\]")
}

/// Appends the macros `kinds` and `views`. Each macro expands the name of a trait to a pattern that matches all
/// operations with this trait.
fn patterns(rust: &mut String, own: &[&Operation<'_>]) {
    let mut sets: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for op in own {
        let description = op.record.str_value("description").unwrap_or_default();
        let is_unruled = rules::declared(description).is_empty();
        let traits = traits(op.record).into_iter();
        let listed = traits.filter(|name| name.starts_with("LL_") || name == "Elementwise");
        let mut sets_of_op: BTreeSet<String> = listed.collect();
        sets_of_op.extend(is_unruled.then(|| "WithoutRules".to_owned()));
        for set in sets_of_op {
            sets.entry(set).or_default().push(&op.kind);
        }
    }
    for (name, path, parts) in [("kinds", "OpKind", ""), ("views", "OpView", "(_)")] {
        let _ = writeln!(
            rust,
            "/// All operations with a trait, as a pattern of [`{path}`].\nmacro_rules! {name} {{"
        );
        for (set, kinds) in &sets {
            let kinds = kinds.iter();
            let kinds: Vec<String> = kinds
                .map(|kind| format!("$crate::ir::{path}::{kind}{parts}"))
                .collect();
            let _ = writeln!(rust, "({set}) => {{ {} }};", kinds.join(" | "));
        }
        let _ = writeln!(rust, "}}\npub(crate) use {name};");
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Count {
    One,
    Optional,
    Many,
}

impl Count {
    pub(crate) fn of(constraint: Record<'_>) -> Self {
        let constraint = bare(constraint);
        let is_many = ["Variadic", "VariadicRegion", "VariadicSuccessor"];
        if constraint.subclass_of("Optional") {
            Self::Optional
        } else if is_many.iter().any(|class| constraint.subclass_of(class)) {
            Self::Many
        } else {
            Self::One
        }
    }

    fn rust(self) -> &'static str {
        match self {
            Self::One => "Count::One",
            Self::Optional => "Count::Optional",
            Self::Many => "Count::Many",
        }
    }
}

/// Returns the constraint inside `constraint` if that is an `Arg<...>`. Otherwise, returns `constraint` itself.
pub(crate) fn bare(constraint: Record<'_>) -> Record<'_> {
    if constraint.subclass_of("OpVariable") {
        constraint.def_value("constraint").unwrap_or(constraint)
    } else {
        constraint
    }
}

pub(crate) fn fields<'a>(record: Record<'a>, dag: &str) -> Vec<(String, Record<'a>)> {
    let Ok(dag) = record.dag_value(dag) else {
        return Vec::new();
    };
    dag.args()
        .enumerate()
        .map(|(i, (name, init))| {
            let name = name.filter(|n| !n.is_empty());
            let name = name.map_or_else(|| format!("unnamed_{i}"), str::to_owned);
            let TypedInit::Def(def) = init else {
                panic!("`{name}` of {:?} is no definition", record.name())
            };
            (name, def.into())
        })
        .collect()
}

/// Appends the typed view of an operation: a newtype with accessors for operands, results, regions and attributes.
fn view(rust: &mut String, op: &Operation<'_>, kinds: &str, enums: &mut BTreeSet<String>) {
    let name = class_name(op.record).trim_end_matches("Op");
    let arguments = fields(op.record, "arguments");
    let (attributes, operands): (Vec<_>, Vec<_>) = arguments
        .into_iter()
        .partition(|(_, constraint)| bare(*constraint).subclass_of("Attr"));
    let results = fields(op.record, "results");
    let regions = fields(op.record, "regions");
    let mut accessors = Vec::new();
    let mut body = String::new();
    for (kind, list, sizes) in [
        ("operand", &operands, "AttrSizedOperandSegments"),
        ("result", &results, "AttrSizedResultSegments"),
    ] {
        let counts: Vec<Count> = list.iter().map(|(_, c)| Count::of(*c)).collect();
        let declared: Vec<&str> = counts.iter().map(|c| c.rust()).collect();
        let segments = if op.has_trait(sizes) {
            format!("Some(\"{kind}SegmentSizes\")")
        } else {
            "None".to_owned()
        };
        if list.is_empty() {
            continue;
        }
        let _ = writeln!(
            body,
            "const {upper}S: Groups = Groups {{ counts: &[{}], sizes: {segments} }};",
            declared.join(", "),
            upper = kind.to_uppercase(),
        );
        for (i, (field, _)) in list.iter().enumerate() {
            let method = snake(field);
            let (type_, reader) = match counts[i] {
                Count::One => ("Val<'a>", "one"),
                Count::Optional => ("Option<Val<'a>>", "optional"),
                Count::Many => ("Vec<Val<'a>>", "many"),
            };
            let _ = writeln!(
                body,
                "/// The {kind} `{field}`.\n#[must_use] pub fn {method}(self) -> {type_} {{ \
                 Self::{upper}S.{reader}_{kind}(self.0, {i}) }}",
                upper = kind.to_uppercase(),
            );
            if kind == "operand" {
                let _ = writeln!(
                    body,
                    "/// The operand index range of `{field}`.\n#[must_use] pub fn \
                     {plain}_at(self) -> Range<usize> {{ Self::OPERANDS.operands(self.0, {i}) }}",
                    plain = method.trim_start_matches("r#"),
                );
            }
            accessors.push(method);
        }
    }
    for (i, (field, constraint)) in regions.iter().enumerate() {
        let method = snake(field);
        let (type_, reader) = if Count::of(*constraint) == Count::Many {
            ("Vec<RegionRef<'c, 'a>>", "rest_of_regions")
        } else {
            ("RegionRef<'c, 'a>", "region")
        };
        let _ = writeln!(
            body,
            "/// The region `{field}`.\n#[must_use] pub fn {method}(self) -> {type_} {{ {reader}(self.0, {i}) }}"
        );
        accessors.push(method);
    }
    for (field, constraint) in &attributes {
        let method = snake(field);
        let (type_, expression) = attribute(field, *constraint, enums);
        let _ = writeln!(
            body,
            "/// The attribute `{field}`.\n#[must_use] pub fn {method}(self) -> {type_} {{ {expression} }}\n\
             /// The key of [`Self::{method}`].\npub const {}_KEY: &'static str = {field:?};",
            snake(field).trim_start_matches("r#").to_uppercase()
        );
        accessors.push(method);
    }
    let _ = writeln!(
        rust,
        "/// `{full}`: {summary}\n#[derive(Clone, Copy, Debug)]\n\
         pub struct {name}<'c, 'a>(pub(super) OperationRef<'c, 'a>);\n\
         impl<'c, 'a> {name}<'c, 'a> {{\n\
         /// The kind of the operation.\n\
         pub const KIND: {kinds} = {kinds}::{kind};\n\
         /// Returns the view of an operation of this kind, or `None` for an operation of another kind.\n\
         #[must_use] pub fn of(op: OperationRef<'c, 'a>) -> Option<Self> {{ Self::KIND.is(op).then_some(Self(op)) }}\n\
         /// Returns the operation.\n\
         #[must_use] pub fn op(self) -> OperationRef<'c, 'a> {{ self.0 }}\n\
         {body}\
         pub(super) fn exercise(self) -> usize {{ {calls} {num} }}\n}}",
        full = op.name,
        summary = doc(op.summary()),
        kind = op.kind,
        calls = accessors
            .iter()
            .map(|a| format!("let _ = self.{a}();"))
            .collect::<String>(),
        num = accessors.len(),
    );
}

/// Returns the type that the accessor of the attribute `field` returns, and the expression that reads the
/// attribute. Both are Rust text.
fn attribute(
    field: &str,
    constraint: Record<'_>,
    enums: &mut BTreeSet<String>,
) -> (String, String) {
    let mut constraint = bare(constraint);
    let optional = constraint.subclass_of("OptionalAttr");
    let default = constraint
        .optional_str_value("defaultValue")
        .ok()
        .flatten()
        .filter(|text| !text.is_empty());
    while let Some(base) = constraint.optional_def_value("baseAttr") {
        constraint = base;
    }
    let storage = constraint
        .str_value("storageType")
        .unwrap_or_default()
        .trim();
    let own_enum = constraint.subclass_of("EnumInfo") && !constraint.subclass_of("BitEnumBase");
    let (type_, reader) = if storage.ends_with("::UnitAttr") {
        return ("bool".to_owned(), format!("is_set(self.0, {field:?})"));
    } else if own_enum {
        let name = enumeration(constraint, enums);
        (
            name.clone(),
            format!("number(self.0, {field:?}).and_then({name}::from_number)"),
        )
    } else if storage.ends_with("::BoolAttr") {
        ("bool".to_owned(), format!("truth(self.0, {field:?})"))
    } else if storage.ends_with("::IntegerAttr") || constraint.subclass_of("EnumInfo") {
        ("i64".to_owned(), format!("number(self.0, {field:?})"))
    } else if storage.ends_with("::StringAttr") {
        ("Text<'c>".to_owned(), format!("text(self.0, {field:?})"))
    } else if storage.ends_with("::DenseI32ArrayAttr") {
        (
            "Vec<i32>".to_owned(),
            format!("numbers_32(self.0, {field:?})"),
        )
    } else if storage.ends_with("::DenseI64ArrayAttr") {
        (
            "Vec<i64>".to_owned(),
            format!("numbers_64(self.0, {field:?})"),
        )
    } else if storage.ends_with("::TypeAttr") {
        ("Type<'c>".to_owned(), format!("type_of(self.0, {field:?})"))
    } else {
        (
            "Attribute<'c>".to_owned(),
            format!("any(self.0, {field:?})"),
        )
    };
    match default {
        _ if optional => (format!("Option<{type_}>"), reader),
        // A default that is only valid in C++ is left to the caller of the accessor.
        Some(_) if !own_enum && type_ != "bool" && type_ != "i64" => {
            (format!("Option<{type_}>"), reader)
        }
        // The default contains the C++ name of an enum case.
        Some(default) => {
            let default = match default.rsplit_once("::") {
                Some((_, symbol)) => format!("{type_}::{}", variant(symbol)),
                None => default.to_owned(),
            };
            (type_, format!("{reader}.unwrap_or({default})"))
        }
        None => (type_, format!("required({reader}, {field:?})")),
    }
}

fn enumeration(record: Record<'_>, enums: &mut BTreeSet<String>) -> String {
    let name = record
        .str_value("className")
        .expect("an enum has a name")
        .to_owned();
    let cases = record
        .list_of_defs_value("enumerants")
        .expect("an enum has cases");
    let cases: Vec<(String, i64, &str)> = cases
        .iter()
        .map(|case| {
            let symbol = case.str_value("symbol").expect("a case has a symbol");
            let value = case.int_value("value").expect("a case has a number");
            let text = case.str_value("str").expect("a case has a text");
            (variant(symbol), value, text)
        })
        .collect();
    let list = |f: &dyn Fn(&(String, i64, &str)) -> String| cases.iter().map(f).collect::<String>();
    let summary = doc(record.str_value("summary").unwrap_or_default());
    enums.insert(format!(
        "/// {summary}\n#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\npub enum {name} {{ {variants} }}\n\
         impl {name} {{\n\
         /// Returns the case whose number in the IR is `number`, or `None` if there is no such case.\n\
         #[must_use] pub const fn from_number(number: i64) -> Option<Self> {{ Some(match number {{ {from} _ => return None }}) }}\n\
         /// Returns the keyword of the case in the text of a module.\n\
         #[must_use] pub const fn name(self) -> &'static str {{ match self {{ {names} }} }}\n}}\n",
        variants = list(&|(v, number, text)| format!("/// `{text}`\n{v} = {number},\n")),
        from = list(&|(v, number, _)| format!("{number} => Self::{v},")),
        names = list(&|(v, _, text)| format!("Self::{v} => {text:?},")),
    ));
    name
}

fn any_view(
    rust: &mut String,
    name: &str,
    kinds: &str,
    summary: &str,
    views: &[(&str, Vec<&Operation<'_>>)],
) {
    let list = |f: &dyn Fn(&str, &Operation<'_>) -> String| -> String {
        views
            .iter()
            .flat_map(|(namespace, ops)| ops.iter().map(|op| f(namespace, op)))
            .collect()
    };
    let class = |op: &Operation<'_>| class_name(op.record).trim_end_matches("Op").to_owned();
    let _ = writeln!(
        rust,
        "/// {summary}\n#[derive(Clone, Copy, Debug)]\npub enum {name}<'c, 'a> {{ {variants} }}\n\
         impl<'c, 'a> {name}<'c, 'a> {{\n\
         /// Returns the view of an operation, or `None` for an operation of another dialect.\n\
         #[must_use] pub fn of(op: OperationRef<'c, 'a>) -> Option<Self> {{ Some(match {kinds}::of(op)? {{ {made} }}) }}\n\
         /// Returns the kind of the operation.\n\
         #[must_use] pub const fn kind(self) -> {kinds} {{ match self {{ {known} }} }}\n\
         /// Calls every accessor, for tests. Returns the number of accessors.\n\
         #[must_use] pub fn call_every_accessor(self) -> usize {{ match self {{ {called} }} }}\n}}",
        variants = list(&|namespace, op| format!(
            "/// `{}`\n{}({namespace}::{}<'c, 'a>),\n",
            op.name,
            op.kind,
            class(op)
        )),
        made = list(&|namespace, op| format!(
            "{kinds}::{kind} => Self::{kind}({namespace}::{}(op)),\n",
            class(op),
            kind = op.kind
        )),
        known = list(&|_, op| format!("Self::{kind}(_) => {kinds}::{kind},\n", kind = op.kind)),
        called = list(&|_, op| format!("Self::{}(op) => op.exercise(),\n", op.kind)),
    );
}
