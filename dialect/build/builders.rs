//! Builders of operations, from their TableGen records: what each requires by parameter, what it may have by method.
//!
//! Made by the build script, so that an operation and its parts are named in TableGen only, and the compiler
//! knows when one is missing or called by another name. `src/ir/builders.rs` takes the result in.

use crate::ops::{self, Count, Operation, bare, fields, snake, variant};
use std::collections::BTreeSet;
use std::fmt::Write;
use tblgen::{Record, RecordKeeper};

/// `builders.rs`: a module for each dialect, with a function for each operation that a list of `LL_Built` names.
pub(crate) fn generate<'a>(keepers: impl IntoIterator<Item = &'a RecordKeeper<'static>>) -> String {
    let keepers: Vec<_> = keepers.into_iter().collect();
    let lists = keepers
        .iter()
        .filter(|keeper| keeper.class("LL_Built").is_ok());
    let mut named: BTreeSet<&str> = lists
        .flat_map(|keeper| keeper.all_derived_definitions("LL_Built"))
        .flat_map(|list| {
            list.list_of_strings_value("names")
                .expect("a list of names")
        })
        .collect();
    let all = keepers
        .iter()
        .flat_map(|keeper| ops::operations(keeper, |_| true));
    // What several records include is built once.
    let mut built: Vec<Operation<'_>> = all.filter(|op| named.remove(&*op.name)).collect();
    assert!(
        named.is_empty(),
        "`LL_Built` names no operations: {named:?}"
    );
    built.sort_by(|a, b| a.name.cmp(&b.name));
    let mut rust =
        String::from("// Made by `dialect/build/builders.rs` from the TableGen records.\n");
    for (namespace, ops) in ops::by_namespace(&built) {
        let mut enums = BTreeSet::new();
        let _ = writeln!(
            rust,
            "/// Builders of the operations of `{namespace}`.\n\
             #[allow(dead_code, non_camel_case_types, unused_imports, clippy::needless_pass_by_value, \
             clippy::too_many_arguments, reason = \"it depends on the declarations\")]\n\
             pub(crate) mod {namespace} {{ use super::*;"
        );
        for op in ops {
            builder(&mut rust, op, &mut enums);
        }
        rust.extend(enums);
        rust += "}\n";
    }
    rust
}

/// The builder of one operation.
fn builder(rust: &mut String, op: &Operation<'_>, enums: &mut BTreeSet<String>) {
    let class = ops::class_name(op.record);
    let (mut parameters, mut body, mut methods) = (String::new(), String::new(), String::new());
    let mut parameter = |name: &str, type_: &str| {
        let _ = write!(parameters, "{name}: {type_}, ");
    };
    let arguments = fields(op.record, "arguments");
    let lists_of_lists = arguments.iter().map(|(_, constraint)| bare(*constraint));
    let written: Vec<&str> = lists_of_lists
        .filter_map(|constraint| constraint.str_value("segmentAttrName").ok())
        .collect();
    let mut sizes = Vec::new();
    for (field, constraint) in &arguments {
        let (name, constraint) = (escaped(field), bare(*constraint));
        if constraint.subclass_of("Property") || written.contains(&&**field) {
            // A property is none of the attributes that an operation is made with.
        } else if constraint.subclass_of("Attr") {
            let (type_, value) = attribute(constraint, enums);
            let is_optional = constraint.bit_value("isOptional").unwrap_or_default()
                || constraint
                    .optional_str_value("defaultValue")
                    .is_ok_and(|text| text.is_some_and(|text| !text.is_empty()));
            if !is_optional {
                parameter(&name, &type_);
                let _ = write!(body, ".with({field:?}, {})", value.replace('$', &name));
            } else if value == UNIT {
                let _ = writeln!(
                    methods,
                    "pub(crate) fn {name}(self, is_set: bool) -> Self {{ self.with_some({field:?}, is_set.then_some({UNIT})) }}"
                );
            } else {
                let _ = writeln!(
                    methods,
                    "pub(crate) fn {name}(self, value: impl Into<Option<{type_}>>) -> Self {{ \
                     self.with_some({field:?}, value.into().map(|value| {})) }}",
                    value.replace('$', "value")
                );
            }
        } else if let Ok(key) = constraint.str_value("segmentAttrName") {
            parameter(&name, "&[&[Val<'c>]]");
            let _ = write!(
                body,
                ".operands(&{name}.concat()).sizes({key:?}, {name}.iter().map(|list| list.len()))"
            );
            sizes.push(format!("{name}.concat().len()"));
        } else {
            let (type_, values, size) = match Count::of(constraint) {
                Count::One => ("Val<'c>", format!("&[{name}]"), "1".to_owned()),
                Count::Optional => (
                    "Option<Val<'c>>",
                    format!("{name}.as_slice()"),
                    format!("usize::from({name}.is_some())"),
                ),
                Count::Many => ("&[Val<'c>]", name.clone(), format!("{name}.len()")),
            };
            parameter(&name, type_);
            let _ = write!(body, ".operands({values})");
            sizes.push(size);
        }
    }
    if op.has_trait("AttrSizedOperandSegments") {
        let _ = write!(
            body,
            ".sizes(\"operandSegmentSizes\", [{}])",
            sizes.join(", ")
        );
    }
    for (dag, many, one_type, method) in [
        ("successors", "VariadicSuccessor", "Blk<'c>", "successors"),
        ("regions", "VariadicRegion", "Region<'c>", "regions"),
    ] {
        for (field, constraint) in fields(op.record, dag) {
            let name = escaped(&field);
            if constraint.subclass_of(many) {
                parameter(&name, &format!("Vec<{one_type}>"));
                let _ = write!(body, ".{method}({name})");
            } else {
                parameter(&name, one_type);
                let _ = write!(body, ".{method}([{name}])");
            }
        }
    }
    for (field, constraint) in fields(op.record, "results") {
        let name = escaped(&field);
        if let Some(operand) = same_type(op, &field, &arguments) {
            let _ = write!(body, ".results(&[{}.r#type()])", escaped(operand));
            continue;
        }
        let (type_, types) = match Count::of(constraint) {
            Count::One => ("Type<'c>", format!("&[{name}]")),
            Count::Optional => ("Option<Type<'c>>", format!("{name}.as_slice()")),
            Count::Many => ("&[Type<'c>]", name.clone()),
        };
        parameter(&name, type_);
        let _ = write!(body, ".results({types})");
    }
    let mnemonic = op.name.split_once('.').map_or(&*op.name, |(_, name)| name);
    let _ = writeln!(
        rust,
        "/// `{name}`\npub(crate) enum {class} {{}}\n\
         impl {class} {{ pub(crate) const NAME: Name = Name({name:?}); }}\n\
         /// `{name}`: {summary}\n\
         pub(crate) fn {function}<'s, 'c>({parameters}) -> Building<'s, 'c, {class}> {{ \
         Building::new({class}::NAME){body} }}",
        name = op.name,
        summary = ops::doc(op.summary()),
        function = escaped(&mnemonic.replace('.', "_")),
    );
    if !methods.is_empty() {
        let _ = writeln!(
            rust,
            "impl<'s, 'c> Building<'s, 'c, {class}> {{ {methods} }}"
        );
    }
}

/// A name as Rust spells it, though it may be a keyword.
fn escaped(name: &str) -> String {
    format!("r#{}", snake(name).trim_start_matches("r#"))
}

/// The operand that has the type of a result, where the declaration says so of one.
fn same_type<'a>(
    op: &Operation<'_>,
    result: &str,
    arguments: &'a [(String, Record<'_>)],
) -> Option<&'a str> {
    let mut operands = arguments.iter().filter(|(_, constraint)| {
        let constraint = bare(*constraint);
        let is_value = !constraint.subclass_of("Attr") && !constraint.subclass_of("Property");
        is_value && Count::of(constraint) == Count::One
    });
    if op.has_trait("SameOperandsAndResultType") {
        return operands.next().map(|(name, _)| &**name);
    }
    let traits = op.record.list_of_defs_value("traits").unwrap_or_default();
    let equal: Vec<Vec<&str>> = traits
        .iter()
        .filter_map(|one| {
            if one.subclass_of("AllTypesMatch") {
                return one.list_of_strings_value("values").ok();
            }
            let is_equal = one.str_value("transformer") == Ok("$_self");
            let sides = ["lhs", "rhs"].map(|side| one.str_value(side).unwrap_or_default());
            is_equal.then(|| sides.to_vec())
        })
        .filter(|names| names.contains(&result))
        .collect();
    operands
        .map(|(name, _)| &**name)
        .find(|name| equal.iter().any(|names| names.contains(name)))
}

/// The value of an attribute that is there or not.
const UNIT: &str = "Said::Unit";

/// The Rust type of an attribute, and the value that `$` of this type is.
fn attribute(mut constraint: Record<'_>, enums: &mut BTreeSet<String>) -> (String, String) {
    while let Some(base) = constraint.optional_def_value("baseAttr") {
        constraint = base;
    }
    let storage = constraint
        .str_value("storageType")
        .unwrap_or_default()
        .trim();
    let bits = || {
        constraint
            .def_value("valueType")
            .and_then(|type_| type_.int_value("bitwidth"))
    };
    let is_enum = constraint.subclass_of("EnumAttrInfo") || constraint.subclass_of("EnumAttr");
    let is_of_bits = ["BitEnumBase", "BitEnumAttr"].iter().any(|class| {
        let of = constraint.def_value("enum").unwrap_or(constraint);
        of.subclass_of(class)
    });
    let (type_, value) = match storage.rsplit("::").next().unwrap_or_default() {
        "UnitAttr" => ("bool", UNIT),
        "BoolAttr" => ("bool", "Said::Truth($)"),
        "StringAttr" => ("&'s str", "Said::Text($)"),
        "DenseI32ArrayAttr" => ("&'s [i32]", "Said::Array32($)"),
        "DenseI64ArrayAttr" => ("&'s [i64]", "Said::Array64($)"),
        "TypeAttr" => ("Type<'c>", "Said::Type($)"),
        _ if is_enum && !is_of_bits => {
            let name = enumeration(constraint, enums);
            return (name, "$.said()".to_owned());
        }
        "IntegerAttr" if bits() == Ok(1) => ("bool", "Said::Truth($)"),
        "IntegerAttr" if bits().is_ok() => {
            let bits = bits().unwrap_or_default();
            return ("i64".to_owned(), format!("Said::Integer({bits}, $)"));
        }
        _ => ("Attribute<'c>", "Said::Given($)"),
    };
    (type_.to_owned(), value.to_owned())
}

/// An enum of a dialect; returns its name.
fn enumeration(constraint: Record<'_>, enums: &mut BTreeSet<String>) -> String {
    let cases = constraint.def_value("enum").unwrap_or(constraint);
    let name = cases.str_value("className").expect("an enum has a name");
    let listed = cases
        .list_of_defs_value("enumerants")
        .expect("an enum has cases");
    let (mut variants, mut said) = (String::new(), String::new());
    for case in listed.iter() {
        let symbol = case.str_value("symbol").expect("a case has a symbol");
        let mut symbol = variant(symbol);
        if symbol.starts_with(|c: char| c.is_ascii_digit()) {
            symbol.insert(0, 'N');
        }
        let _ = write!(variants, "{symbol}, ");
        let value = if let Ok(mnemonic) = constraint.str_value("mnemonic") {
            // As the attribute is printed, within the name of its dialect.
            let namespace = constraint
                .def_value("dialect")
                .and_then(|dialect| dialect.str_value("name"));
            let text = case.str_value("str").expect("a case has a text");
            let format = constraint
                .str_value("assemblyFormat")
                .expect("an attribute has a format");
            let text = format.replace('`', "").replace("$value", text);
            format!(
                "Parsed(\"#{}<{mnemonic} {text}>\")",
                namespace.expect("a dialect has a name")
            )
        } else {
            let bits = constraint
                .int_value("bitwidth")
                .expect("an enum has a width");
            format!(
                "Integer({bits}, {})",
                case.int_value("value").expect("a case has a number")
            )
        };
        let _ = write!(said, "Self::{symbol} => Said::{value}, ");
    }
    enums.insert(format!(
        "#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub(crate) enum {name} {{ {variants} }}\n\
         impl {name} {{ fn said<'s, 'c>(self) -> Said<'s, 'c> {{ match self {{ {said} }} }} }}\n"
    ));
    name.to_owned()
}
