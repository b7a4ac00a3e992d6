//! Generator of operation builders from TableGen records. Required operands, attributes and regions are parameters;
//! optional ones have methods.
//!
//! Names are written in TableGen only, and the compiler checks each use.

use crate::ops::{self, Count, Operation, bare, fields, snake, variant};
use std::collections::BTreeSet;
use std::fmt::Write;
use tblgen::{Record, RecordKeeper};

/// Returns the text of `builders.rs`. It has one module per dialect. A module contains one builder function for
/// each operation of its dialect whose name the TableGen record `LL_Built` lists.
pub(crate) fn generate<'a>(keepers: impl IntoIterator<Item = &'a RecordKeeper<'static>>) -> String {
    let keepers: Vec<_> = keepers.into_iter().collect();
    let mut lists = keepers
        .iter()
        .filter_map(|keeper| keeper.def("LL_Built").ok());
    let named = lists
        .next()
        .and_then(|list| list.list_of_strings_value("names").ok());
    let mut named: BTreeSet<&str> = named.expect("`LL_Built` has names").into_iter().collect();
    let all = keepers
        .iter()
        .flat_map(|keeper| ops::operations(keeper, |_| true));
    // An operation that several record files contain gets one builder.
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
             #[allow(dead_code, non_camel_case_types, unused_imports, clippy::all, clippy::pedantic, \
              reason = \"it depends on the declarations\")]\n\
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

fn builder(rust: &mut String, op: &Operation<'_>, enums: &mut BTreeSet<String>) {
    let class = ops::class_name(op.record);
    let (mut parameters, mut body, mut methods) = (String::new(), String::new(), String::new());
    let arguments = fields(op.record, "arguments");
    let lists_of_lists = arguments.iter().map(|(_, constraint)| bare(*constraint));
    let written: Vec<&str> = lists_of_lists
        .filter_map(|constraint| constraint.str_value("segmentAttrName").ok())
        .collect();
    let mut sizes = Vec::new();
    for (field, constraint) in &arguments {
        let (name, constraint) = (escaped(field), bare(*constraint));
        if constraint.subclass_of("Property") || written.contains(&&**field) {
            // A property is not an attribute of the new operation.
        } else if constraint.subclass_of("Attr") {
            let (type_, value) = attribute(constraint, enums);
            let default = constraint.optional_str_value("defaultValue");
            let is_optional = constraint.bit_value("isOptional") == Ok(true)
                || default.is_ok_and(|text| text.is_some_and(|text| !text.is_empty()));
            if is_optional {
                let value = value.replace('$', "value");
                let _ = writeln!(
                    methods,
                    "pub(crate) fn {name}(self, value: impl Into<Option<{type_}>>) -> Self {{ \
                     self.with_some({field:?}, value.into().and_then(|value| {value})) }}"
                );
            } else {
                let _ = write!(parameters, "{name}: {type_}, ");
                let value = value.replace('$', &name);
                let _ = write!(body, ".with_some({field:?}, {value})");
            }
        } else if let Ok(key) = constraint.str_value("segmentAttrName") {
            let _ = write!(parameters, "{name}: &[&[Val<'c>]], ");
            let lengths = format!("{name}.iter().map(|list| list.len())");
            let _ = write!(
                body,
                ".operands(&{name}.concat()).sizes({key:?}, {lengths})"
            );
            sizes.push(format!("{lengths}.sum()"));
        } else {
            let (type_, values) = list(&name, Count::of(constraint), "Val<'c>");
            let _ = write!(parameters, "{name}: {type_}, ");
            let _ = write!(body, ".operands({values})");
            sizes.push(format!("({values}).len()"));
        }
    }
    if op.has_trait("AttrSizedOperandSegments") {
        let sizes = sizes.join(", ");
        let _ = write!(body, ".sizes(\"operandSegmentSizes\", [{sizes}])");
    }
    for (region, constraint) in fields(op.record, "regions") {
        assert!(
            Count::of(constraint) == Count::One,
            "`{region}` of `{}` is one region",
            op.name
        );
        let name = escaped(&region);
        let _ = write!(parameters, "{name}: Region<'c>, ");
        let _ = write!(body, ".region({name})");
    }
    for (part, element) in [("successors", "Blk<'c>"), ("results", "Type<'c>")] {
        for (field, constraint) in fields(op.record, part) {
            let name = escaped(&field);
            if part == "results"
                && let Some(operand) = same_type(op, &field, &arguments)
            {
                let _ = write!(body, ".results(&[{}.r#type()])", escaped(operand));
                continue;
            }
            let (type_, values) = list(&name, Count::of(constraint), element);
            let _ = write!(parameters, "{name}: {type_}, ");
            let _ = write!(body, ".{part}({values})");
        }
    }
    let mnemonic = op.name.split_once('.').map_or(&*op.name, |(_, name)| name);
    let _ = writeln!(
        rust,
        "/// `{name}`\npub(crate) enum {class} {{}}\n\
         impl {class} {{ pub(crate) const NAME: Name = Name({name:?}); }}\n\
         impl<'s, 'c> Building<'s, 'c, {class}> {{ {methods} }}\n\
         /// `{name}`: {summary}\n\
         pub(crate) fn {function}<'s, 'c>({parameters}) -> Building<'s, 'c, {class}> {{ \
         Building::new({class}::NAME){body} }}",
        name = op.name,
        summary = ops::doc(op.summary()),
        function = escaped(&mnemonic.replace('.', "_")),
    );
}

/// Returns the type of the builder parameter `name`, and an expression for the list of its values. Both are Rust
/// text.
fn list(name: &str, count: Count, element: &str) -> (String, String) {
    match count {
        Count::One => (element.to_owned(), format!("&[{name}]")),
        Count::Optional => (format!("Option<{element}>"), format!("{name}.as_slice()")),
        Count::Many => (format!("&[{element}]"), name.to_owned()),
    }
}

/// Converts `name` to snake case, and adds the prefix of a raw identifier, as in `r#type`.
fn escaped(name: &str) -> String {
    format!("r#{}", snake(name).trim_start_matches("r#"))
}

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

/// Returns the type of the builder parameter for an attribute, and an expression that converts the parameter to an
/// `Option<AttributeSource>`. Both are Rust text. `$` in the expression is the parameter.
fn attribute(mut constraint: Record<'_>, enums: &mut BTreeSet<String>) -> (String, String) {
    while let Some(base) = constraint.optional_def_value("baseAttr") {
        constraint = base;
    }
    let storage = constraint.str_value("storageType").unwrap_or_default();
    let bits = constraint.def_value("valueType");
    let bits = bits.and_then(|type_| type_.int_value("bitwidth"));
    let cases = constraint.def_value("enum").unwrap_or(constraint);
    let is_enum = cases.subclass_of("EnumInfo") && !cases.subclass_of("BitEnumBase");
    let (type_, value) = match (storage.trim().rsplit("::").next().unwrap_or_default(), bits) {
        ("UnitAttr", _) => ("bool", "$.then_some(AttributeSource::Unit)"),
        ("StringAttr", _) => ("&'s str", "Some(AttributeSource::Text($))"),
        ("DenseI32ArrayAttr", _) => ("&'s [i32]", "Some(AttributeSource::Array32($))"),
        ("DenseI64ArrayAttr", _) => ("&'s [i64]", "Some(AttributeSource::Array64($))"),
        ("TypeAttr", _) => ("Type<'c>", "Some(AttributeSource::Type($))"),
        _ if is_enum && is_own(cases) => {
            let name = cases.str_value("className").expect("an enum has a name");
            let value = "Some(AttributeSource::Integer(32, $ as i64))";
            return (format!("crate::ir::ops::{name}"), value.to_owned());
        }
        _ if is_enum => {
            return (
                enumeration(constraint, cases, enums),
                "Some($.said())".to_owned(),
            );
        }
        ("BoolAttr", _) | ("IntegerAttr", Ok(1)) => ("bool", "Some(AttributeSource::Bool($))"),
        ("IntegerAttr", Ok(bits)) => {
            return (
                "i64".to_owned(),
                format!("Some(AttributeSource::Integer({bits}, $))"),
            );
        }
        _ => ("Attribute<'c>", "Some(AttributeSource::Existing($))"),
    };
    (type_.to_owned(), value.to_owned())
}

/// Returns true if one of this project's dialects declares the enum. The Rust type of such an enum is in the text
/// that `ops.rs` generates.
fn is_own(cases: Record<'_>) -> bool {
    { cases.str_value("cppNamespace") }.is_ok_and(|namespace| namespace.starts_with("::ll"))
}

fn enumeration(constraint: Record<'_>, cases: Record<'_>, enums: &mut BTreeSet<String>) -> String {
    let text = |record: Record<'_>, field| -> String {
        let text = record.str_value(field);
        text.unwrap_or_else(|e| panic!("{:?}: {e}", record.name()))
            .to_owned()
    };
    let (mut variants, mut said) = (String::new(), String::new());
    for case in cases
        .list_of_defs_value("enumerants")
        .expect("an enum has cases")
    {
        let symbol = variant(&text(case, "symbol"));
        let _ = write!(variants, "{symbol}, ");
        let value = if let Ok(mnemonic) = constraint.str_value("mnemonic") {
            // As the attribute is printed, within the name of its dialect.
            let dialect = constraint
                .def_value("dialect")
                .expect("an attribute has a dialect");
            let format = text(constraint, "assemblyFormat").replace('`', "");
            let value = format.replace("$value", &text(case, "str"));
            format!("Parsed(\"#{}<{mnemonic} {value}>\")", text(dialect, "name"))
        } else {
            let [bits, value] = [(constraint, "bitwidth"), (case, "value")]
                .map(|(record, field)| record.int_value(field).expect("an enum has numbers"));
            format!("Integer({bits}, {value})")
        };
        let _ = write!(said, "Self::{symbol} => AttributeSource::{value}, ");
    }
    let name = text(cases, "className");
    enums.insert(format!(
        "#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub(crate) enum {name} {{ {variants} }}\n\
         impl {name} {{ fn said<'s, 'c>(self) -> AttributeSource<'s, 'c> {{ match self {{ {said} }} }} }}\n"
    ));
    name
}
