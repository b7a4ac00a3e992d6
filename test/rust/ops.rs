//! Generated views of operations: every accessor of every operation is called on an example.

use crate::files::{files, read, root};
use crate::referee::generate::generate;
use crate::testing::context;
use linear_layout_mlir::ir::ops::{OpKind, OpView, UpstreamView};
use linear_layout_mlir::ir::{AnyKind, UpstreamKind};
use linear_layout_mlir::sys::build;
use melior::Context;
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use melior::ir::{BlockLike, Module, OperationRef, RegionLike, ValueLike};
use std::collections::BTreeSet;

fn walk(op: OperationRef<'_, '_>, visit: &mut dyn FnMut(OperationRef<'_, '_>)) {
    visit(op);
    for region in op.regions() {
        let mut block = region.first_block();
        while let Some(current) = block {
            for inner in build::operations(current) {
                walk(inner, visit);
            }
            block = current.next_in_region();
        }
    }
}

/// The operation kinds and accessors that the examples have exercised so far.
#[derive(Default)]
struct Coverage {
    num_upstream_accessors: usize,
    kinds: BTreeSet<OpKind>,
    num_accessors: usize,
}

impl Coverage {
    /// Parses `text` and, if it is a valid module, checks the kind and calls the accessors of every operation in
    /// it.
    fn look_at(&mut self, context: &Context, text: &str) {
        let Some(module) = Module::parse(context, text) else {
            return;
        };
        walk(module.as_operation(), &mut |op| {
            let name = op.name();
            let name = name.as_string_ref().as_str().expect("names are UTF-8");
            // The kind, determined by class, agrees with the name.
            match AnyKind::of(op) {
                AnyKind::Own(kind) => assert_eq!(kind.name(), name),
                AnyKind::Upstream(kind) => assert_eq!(kind.name(), name),
                AnyKind::Other => {
                    assert!(OpKind::ALL.iter().all(|kind| kind.name() != name));
                    assert!(UpstreamKind::ALL.iter().all(|kind| kind.name() != name));
                }
            }
            if let Some(view) = UpstreamView::of(op) {
                self.num_upstream_accessors += view.call_every_accessor();
            }
            if let Some(kind) = OpKind::of(op) {
                self.kinds.insert(kind);
                self.num_accessors += OpView::of(op).expect("one of ours").call_every_accessor();
            }
        });
    }

    fn missing(&self) -> Vec<&'static str> {
        OpKind::ALL
            .iter()
            .filter(|kind| !self.kinds.contains(kind))
            .map(|kind| kind.name())
            .collect()
    }
}

#[test]
fn every_accessor_answers_on_an_example_of_every_operation() {
    let context = context();
    // Sections that are invalid on purpose emit errors.
    context.attach_diagnostic_handler(|_| true);
    let mut seen = Coverage::default();
    for path in ["test/Dialect", "test/Conversion", "test/kernels"]
        .iter()
        .flat_map(|folder| files(folder, &["mlir", "ttgir"]))
    {
        for section in read(&path).split("// -----") {
            seen.look_at(&context, section);
        }
    }
    // Some occur in the tests of rules only, whose sections are invalid as a whole.
    let mut seeds = 0..40_000;
    while !seen.missing().is_empty() {
        let seed = seeds
            .next()
            .unwrap_or_else(|| panic!("no example of {:?}", seen.missing()));
        let made = generate(seed);
        if seen.missing().iter().any(|name| made.text.contains(name)) {
            seen.look_at(&context, &made.text);
        }
    }
    assert!(
        seen.num_accessors > 1000,
        "{} accessors",
        seen.num_accessors
    );
    assert!(seen.num_upstream_accessors > 100);
}

/// The parts of an operation in generic form. They are separate, so that single parts can be omitted.
#[derive(Clone)]
struct Parts {
    name: String,
    operands: Vec<String>,
    results: Vec<String>,
    attributes: Vec<(String, String)>,
}

/// Name of the attribute that holds the sizes of the operand groups.
const SEGMENTS: &str = "operandSegmentSizes";

impl Parts {
    fn of(op: OperationRef<'_, '_>) -> Self {
        let attributes = op.attributes().map(|(key, value)| {
            let key = linear_layout_mlir::sys::text(key.as_string_ref());
            (key, value.to_string())
        });
        Self {
            name: linear_layout_mlir::sys::text(op.name().as_string_ref()),
            operands: op.operands().map(|v| v.r#type().to_string()).collect(),
            results: op.results().map(|v| v.r#type().to_string()).collect(),
            attributes: attributes.collect(),
        }
    }

    /// Returns this operation and variants of it. Some variants lack a single part: an attribute, a group of
    /// operands, or the results. Other variants lack several of these parts. Variants that `is_operation` rejects
    /// are omitted; the others may still be invalid.
    fn variants(&self, kind: OpKind, is_operation: &dyn Fn(&Self) -> bool) -> Vec<Self> {
        let mut all = vec![self.clone()];
        let mut least = self.clone();
        let mut consider = |without: &dyn Fn(&Self) -> Self| {
            all.push(without(self));
            let less = without(&least);
            if is_operation(&less) {
                all.push(less.clone());
                least = less;
            }
        };
        for (key, _) in self.attributes.iter().filter(|(key, _)| key != SEGMENTS) {
            consider(&|parts: &Self| {
                let mut parts = parts.clone();
                parts.attributes.retain(|(own, _)| own != key);
                parts
            });
        }
        let optional = kind.optional_operands();
        if self.segments().is_some() {
            // From the last one on, since text names operands by position (`other` follows `mask`). Only optional
            // groups, since MLIR asserts that required operands are present.
            let mut parts = self.clone();
            for group in (0..optional.len()).rev().filter(|group| optional[*group]) {
                parts = parts.without_group(group);
                all.push(parts.clone());
            }
            // A token operand is printed together with the token result.
            parts.results.clear();
            all.push(parts);
        } else if optional.iter().filter(|may_lack| **may_lack).count() == 1 {
            consider(&|parts: &Self| Self {
                operands: Vec::new(),
                ..parts.clone()
            });
            consider(&|parts: &Self| {
                let mut parts = parts.clone();
                parts.operands.pop();
                parts
            });
        }
        all.retain(|parts| is_operation(parts));
        all
    }

    fn segments(&self) -> Option<Vec<usize>> {
        let (_, sizes) = self.attributes.iter().find(|(key, _)| key == SEGMENTS)?;
        let list = sizes.strip_prefix("array<i32:")?.strip_suffix('>')?;
        list.split(',').map(|n| n.trim().parse().ok()).collect()
    }

    fn without_group(&self, group: usize) -> Self {
        let mut parts = self.clone();
        let mut sizes = self.segments().expect("it has groups");
        let start: usize = sizes[..group].iter().sum();
        parts.operands.drain(start..start + sizes[group]);
        sizes[group] = 0;
        let list: Vec<String> = sizes.iter().map(usize::to_string).collect();
        for (key, value) in &mut parts.attributes {
            if key == SEGMENTS {
                *value = format!("array<i32: {}>", list.join(", "));
            }
        }
        parts
    }

    /// Returns a module that contains the operation. It is nested either in an unregistered operation or, if
    /// `is_in_mask` is true, in `ttg.mask`.
    fn module(&self, around: &str, is_in_mask: bool) -> String {
        let values: Vec<String> = (0..self.operands.len()).map(|i| format!("%{i}")).collect();
        let values = values.join(", ");
        let types = self.operands.join(", ");
        let results = self.results.join(", ");
        let made = match self.operands.len() {
            0 => String::new(),
            _ => format!("{values} = \"test.values\"() : () -> ({types})\n"),
        };
        let set = match self.results.len() {
            0 => String::new(),
            count => format!("%r:{count} = "),
        };
        let entries = self
            .attributes
            .iter()
            .map(|(key, value)| match value.as_str() {
                "unit" => format!("\"{key}\""),
                value => format!("\"{key}\" = {value}"),
            });
        let attributes = entries.collect::<Vec<_>>().join(", ");
        let op = format!(
            "{set}\"{}\"({values}) {{{attributes}}} : ({types}) -> ({results})",
            self.name
        );
        let body = if is_in_mask {
            format!(
                "%c = \"test.values\"() : () -> i1\n{made}\"ttg.mask\"(%c) ({{ {op} }}) : (i1) -> ({types})"
            )
        } else {
            format!("\"test.around\"() ({{ {made}{op} }}) : () -> ()")
        };
        format!("module attributes {around} {{\n{body}\n}}")
    }
}

fn generic(module: &Module<'_>) -> String {
    let flags = OperationPrintingFlags::new().print_generic_operation_form();
    let text = module.as_operation().to_string_with_flags(flags);
    text.expect("the text is UTF-8")
}

#[test]
fn every_operation_is_read_as_it_is_printed_with_its_optional_parts_left_out() {
    let context = context();
    context.set_allow_unregistered_dialects(true);
    context.attach_diagnostic_handler(|_| true);
    let mut kinds = BTreeSet::new();
    let (mut num_variants, mut wrong) = (0, Vec::new());
    let mut look_at = |text: &str, kinds: &mut BTreeSet<OpKind>, most: usize| {
        let Some(module) = Module::parse(&context, text) else {
            return;
        };
        let top = module.as_operation();
        let attributes = top.attributes().map(|(key, value)| {
            let key = linear_layout_mlir::sys::text(key.as_string_ref());
            format!("\"{key}\" = {value}")
        });
        let around = format!("{{{}}}", attributes.collect::<Vec<_>>().join(", "));
        let mut seen = std::collections::BTreeMap::new();
        walk(module.as_operation(), &mut |op| {
            let Some(kind) = OpKind::of(op).filter(|_| op.region_count() == 0) else {
                return;
            };
            let count = seen.entry(kind).or_insert(0);
            *count += 1;
            if *count > most || op.successor_count() > 0 {
                return;
            }
            for is_in_mask in [false, true] {
                let is_operation = |parts: &Parts| {
                    Module::parse(&context, &parts.module(&around, is_in_mask)).is_some()
                };
                for parts in Parts::of(op).variants(kind, &is_operation) {
                    let read = Module::parse(&context, &parts.module(&around, is_in_mask));
                    let module = read.expect("it has been read before");
                    kinds.insert(kind);
                    num_variants += 1;
                    let printed = module.as_operation().to_string();
                    let again = Module::parse(&context, &printed);
                    if again.map(|again| generic(&again)) != Some(generic(&module)) {
                        wrong.push(printed);
                    }
                }
                if kinds.contains(&kind) {
                    break;
                }
            }
        });
    };
    for path in ["test/Dialect", "test/kernels"]
        .iter()
        .flat_map(|folder| files(folder, &["mlir", "ttgir"]))
    {
        for section in read(&path).split("// -----") {
            look_at(section, &mut kinds, 2);
        }
    }
    for seed in 0..400 {
        look_at(&generate(seed).text, &mut kinds, 1);
    }
    assert!(
        wrong.is_empty(),
        "{} of {num_variants}: {wrong:#?}",
        wrong.len()
    );
    assert!(kinds.contains(&OpKind::TtgMaskReturn));
    assert!(kinds.len() > 90, "{} operations", kinds.len());
    assert!(num_variants > 2000, "{num_variants} variants");
}

/// Line before the table of operations that lower, on the page `tools/docs/operations.md`. `TABLE_END` is the line
/// after the table. `make bless` writes the table.
const TABLE_BEGIN: &str = "<!-- what lowers: from the table in `src/lower/dispatch.rs` -->\n";
const TABLE_END: &str = "<!-- end of what lowers -->\n";

#[test]
fn the_table_of_lowered_operations_is_current() {
    let mut expected = String::from("| dialect | operations that lower |\n|---|---|\n");
    for (dialect, names) in linear_layout_mlir::lower::can_be_lowered() {
        expected += &format!("| `{dialect}` | {} |\n", names.join(", "));
    }
    let page = read("tools/docs/operations.md");
    let (before, rest) = page
        .split_once(TABLE_BEGIN)
        .expect("the page has the table");
    let (found, after) = rest.split_once(TABLE_END).expect("the table has an end");
    if std::env::var_os("LL_BLESS").is_some() {
        let blessed = [before, TABLE_BEGIN, &expected, TABLE_END, after].concat();
        std::fs::write(root().join("tools/docs/operations.md"), blessed)
            .expect("the page is writable");
        return;
    }
    assert_eq!(found, expected, "`make bless` writes it");
}

/// Checks the list of files in `CONTRIBUTING.md` that a new elementwise operation needs. The list must contain
/// exactly the files that mention `mulhiui`, the operation that serves as the example.
#[test]
fn the_files_of_an_elementwise_operation_are_named() {
    let guide = read("CONTRIBUTING.md");
    let mut sections = guide.split("\n## ");
    let section = sections.find(|text| text.starts_with("Add an elementwise operation"));
    let words = section.into_iter().flat_map(|text| text.split('`'));
    let named: BTreeSet<_> = words
        .map(|word| root().join(word))
        .filter(|path| path.is_file())
        .collect();
    let found: BTreeSet<_> = [
        "crates",
        "dialect",
        "passes",
        "src",
        "test/Conversion",
        "tools",
    ]
    .iter()
    .flat_map(|folder| files(folder, &["cpp", "h", "inc", "mlir", "rs", "td", "test"]))
    .chain([root().join("tools/docs/operations.md")])
    .filter(|path| read(path).to_lowercase().contains("mulhiui"))
    .collect();
    assert_eq!(named, found);
    assert!(found.len() <= 6);
}

/// Checks that the names of the library's operations do not occur in Rust code. Only TableGen contains them; Rust
/// identifies operations by kind.
#[test]
fn no_operation_of_ours_is_named_by_a_literal() {
    let mut found = Vec::new();
    for path in ["src/ir", "src/lower", "src/sys", "passes"]
        .iter()
        .flat_map(|folder| files(folder, &["rs"]))
        .filter(|path| !path.ends_with("tests.rs"))
    {
        let text = read(&path);
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for kind in OpKind::ALL {
            if code.contains(&format!("\"{}\"", kind.name())) {
                found.push(format!("{}: \"{}\"", path.display(), kind.name()));
            }
        }
    }
    assert!(found.is_empty(), "use `OpKind`: {found:#?}");
}

/// Prefixes of calls that access a part of an operation, such as an operand, result or region, by number. The calls
/// in `BY_KEY` access attributes by key.
const BY_NUMBER: [&str; 8] = [
    "operand(",
    "result(",
    "region(",
    "single_block(",
    "blocks(",
    "nth(",
    "segment(",
    "successor(",
];
const BY_KEY: [&str; 5] = [
    ".attribute(\"",
    "has_attribute(\"",
    "remove_attribute(\"",
    "set_attribute(\"",
    "integer_attribute(",
];

/// Returns true if a line of code accesses a part of an operation by a literal number or key.
fn names_by_literal(line: &str) -> bool {
    let by_number = BY_NUMBER.iter().any(|call| {
        line.match_indices(call).any(|(at, _)| {
            let arguments = &line[at + call.len()..];
            let end = arguments.find(')').unwrap_or(arguments.len());
            let last = arguments[..end]
                .rsplit(',')
                .next()
                .unwrap_or_default()
                .trim();
            !last.is_empty() && last.bytes().all(|b| b.is_ascii_digit())
        })
    });
    by_number || BY_KEY.iter().any(|key| line.contains(key))
}

#[test]
fn a_part_named_by_a_literal_is_noticed() {
    assert!(names_by_literal("let a = build::operand(op, 0);"));
    assert!(names_by_literal("op.result(1)"));
    assert!(names_by_literal("op.has_attribute(\"axis\")"));
    assert!(!names_by_literal("let a = build::operand(op, i);"));
    assert!(!names_by_literal("load.result()"));
}

/// Checks that code accesses the parts of operations by name, through the views of [`linear_layout_mlir::ir::ops`].
#[test]
fn no_part_of_an_operation_is_named_by_a_literal() {
    let mut found = Vec::new();
    for path in ["src/ir", "src/lower", "passes"]
        .iter()
        .flat_map(|folder| files(folder, &["rs"]))
        .filter(|path| !path.ends_with("tests.rs"))
    {
        let text = read(&path);
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (at, line) in code.lines().enumerate() {
            if line.trim_start().starts_with("//") || !names_by_literal(line) {
                continue;
            }
            found.push(format!("{}:{}: {}", path.display(), at + 1, line.trim()));
        }
    }
    assert!(found.is_empty(), "use a view of the operation: {found:#?}");
}

/// Checks that the names of discardable attributes are declared in one place only.
#[test]
fn discardable_attributes_are_named_in_one_place() {
    let mut found = Vec::new();
    for path in ["src/ir", "src/lower", "passes"]
        .iter()
        .flat_map(|folder| files(folder, &["rs"]))
        .filter(|path| !path.ends_with("tests.rs") && !path.ends_with("discardable.rs"))
    {
        let text = read(&path);
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for line in lines {
            let named = ["tt", "ttg", "ttng", "amdg", "cute", "tilus", "gluon"]
                .iter()
                .any(|dialect| {
                    let quoted = line.split('"').skip(1).step_by(2);
                    quoted.into_iter().any(|text| {
                        let rest = text.strip_prefix(&format!("{dialect}."));
                        rest.is_some_and(|rest| !rest.contains(' '))
                    })
                });
            if named {
                found.push(format!("{}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "use `ir::discardable`: {found:#?}");
}
