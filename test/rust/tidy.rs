//! House rules that a program can check.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|reason| panic!("{}: {reason}", path.display()))
}

/// Every file below a folder with one of these endings.
pub(crate) fn files(folder: impl AsRef<Path>, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|e| endings.iter().any(|ending| e == *ending))
            {
                found.push(path);
            }
        }
    }
    found
}

/// The rooms, each with those that it may use.
const ROOMS: [(&str, &[&str]); 11] = [
    ("f2", &[]),
    ("layout", &["f2"]),
    ("encoding", &["f2", "layout"]),
    ("target", &["f2", "layout"]),
    ("cute", &["f2", "layout"]),
    ("tilus", &["f2", "layout"]),
    ("bridge", &["f2", "layout", "encoding", "cute", "tilus"]),
    (
        "access",
        &[
            "f2", "layout", "encoding", "cute", "tilus", "bridge", "target",
        ],
    ),
    (
        "plan",
        &[
            "f2", "layout", "encoding", "cute", "tilus", "bridge", "target", "access",
        ],
    ),
    (
        "machine",
        &[
            "f2", "layout", "encoding", "cute", "tilus", "bridge", "target", "access", "plan",
        ],
    ),
    (
        "view",
        &[
            "f2", "layout", "encoding", "cute", "tilus", "bridge", "target", "access", "plan",
            "machine",
        ],
    ),
];

/// The parts of `plan`, in order: each uses those before it.
const PARTS_OF_PLAN: [&str; 4] = ["gf2", "program", "memory", "convert"];

/// The second row, in order: each uses those before it, and all of the first row.
const MLIR_ROOMS: [&str; 4] = ["sys", "ir", "lower", "passes"];

/// What the crate's root shows of `passes`.
const SHOWN_OF_PASSES: [&str; 2] = ["install", "register_dialects"];

/// The doors that a compiler in C++ enters by: they make everything work, so they ask the last room to.
const DOORS: [&str; 2] = ["src/sys/c_api.rs", "src/sys/plugin.rs"];

/// The rooms that a line names as `crate::room`; an unnamed one where it imports a group of them.
fn rooms_named(line: &str) -> Vec<&str> {
    line.split("crate::")
        .skip(1)
        .map(|rest| {
            let end = rest
                .find(|c: char| c != '_' && !c.is_alphanumeric())
                .unwrap_or(rest.len());
            match &rest[..end] {
                name if SHOWN_OF_PASSES.contains(&name) => "passes",
                name => name,
            }
        })
        .collect()
}

#[test]
fn a_room_is_found_however_it_is_named() {
    assert_eq!(rooms_named("use crate::lower;"), ["lower"]);
    assert_eq!(rooms_named("f(crate::ir::A, crate::sys::B)"), ["ir", "sys"]);
    assert_eq!(rooms_named("crate::install();"), ["passes"]);
    assert_eq!(rooms_named("use crate::{ir, lower};"), [""]);
    assert!(rooms_named("pub(crate) fn f() {}").is_empty());
}

#[test]
fn arrows_between_rooms_point_one_way() {
    let first: Vec<&str> = ROOMS.iter().map(|(name, _)| *name).collect();
    let names = [first.as_slice(), &MLIR_ROOMS, &[""]].concat();
    let second = MLIR_ROOMS.iter().enumerate().map(|(i, room)| {
        let allowed = [first.as_slice(), &MLIR_ROOMS[..i]].concat();
        (*room, allowed, true)
    });
    let rooms = ROOMS
        .iter()
        .map(|(room, allowed)| (*room, allowed.to_vec(), false))
        .chain(second);
    let mut wrong = Vec::new();
    for (room, allowed, has_mlir) in rooms {
        let folder = match room {
            "passes" => "passes".to_owned(),
            _ => format!("src/{room}"),
        };
        for file in files(folder, &["rs"]) {
            // A test needs the dialects, and they need all rooms.
            let goes_further = DOORS.iter().any(|door| file.ends_with(door))
                || has_mlir && file.ends_with("tests.rs");
            let text = fs::read_to_string(&file).expect("a source file is text");
            let code = text
                .split("#[cfg(test)]\nmod tests {")
                .next()
                .unwrap_or_default();
            for line in code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
            {
                for name in rooms_named(line) {
                    let is_own = name == room || allowed.contains(&name);
                    if !is_own && names.contains(&name) && !(goes_further && name == "passes") {
                        wrong.push(format!(
                            "{}: `{room}` uses `{name}`: {line}",
                            file.display()
                        ));
                    }
                }
                for package in ["melior", "mlir_sys", "inkwell", "cxx"] {
                    if !has_mlir && line.contains(&format!("{package}::")) {
                        wrong.push(format!("{}: `{room}` uses {package}", file.display()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn arrows_between_parts_of_plans_point_one_way() {
    let mut wrong = Vec::new();
    for (i, part) in PARTS_OF_PLAN.iter().enumerate() {
        for file in files(format!("src/plan/{part}"), &["rs"]) {
            let text = fs::read_to_string(&file).expect("a source file is text");
            let code = text.split("#[cfg(test)]\nmod tests {").next();
            let code = code.unwrap_or_default().lines();
            for line in code.filter(|line| !line.trim_start().starts_with("//")) {
                // A part names another as `crate::plan::part`, or from its root as `super::part`.
                let names = |later: &str| {
                    line.contains(&format!("crate::plan::{later}"))
                        || line.contains(&format!("super::{later}::"))
                };
                if PARTS_OF_PLAN[i + 1..].iter().any(|later| names(later)) {
                    wrong.push(format!("{}: {line}", file.display()));
                }
                // The root of `plan` shows all parts: what names it may mean any.
                if line.contains("crate::plan::{") {
                    wrong.push(format!("{}: {line}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unsafe_code_is_in_one_room() {
    let wrong: Vec<String> = ["src", "passes", "tools"]
        .iter()
        .flat_map(|folder| files(folder, &["rs"]))
        .filter(|file| !file.starts_with(root().join("src/sys")))
        .filter(|file| {
            fs::read_to_string(file).is_ok_and(|text| {
                text.lines()
                    .filter(|line| !line.trim_start().starts_with("//"))
                    .any(|line| line.contains("unsafe {") || line.contains("unsafe fn "))
            })
        })
        .map(|file| file.display().to_string())
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// How the names of targets and of LLVM's platforms begin.
const NAMES_OF_TARGETS: [&str; 6] = ["amdgcn", "cuda:", "gfx", "hip:", "nvptx", "sm_"];

/// Where a maker is asked for: the choice of instructions, once for a module.
const ASKS_FOR_THE_MAKER: &str = "src/lower/gpu/mod.rs";

/// The literals of a line that are a target's name, or the beginning of one.
fn targets_named(line: &str) -> Vec<&str> {
    line.split('"')
        .skip(1)
        .step_by(2)
        .filter(|literal| {
            NAMES_OF_TARGETS.iter().any(|start| {
                literal.strip_prefix(start).is_some_and(|rest| {
                    rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
                })
            })
        })
        .collect()
}

#[test]
fn a_name_of_a_target_is_noticed() {
    assert_eq!(targets_named(r#"if name == "cuda:90" {"#), ["cuda:90"]);
    assert_eq!(targets_named(r#"name.starts_with("gfx")"#), ["gfx"]);
    assert!(targets_named(r#".note("say it: `target=cuda:90`")"#).is_empty());
}

/// Elsewhere the columns of the table are asked.
#[test]
fn targets_and_makers_are_named_in_one_room() {
    let mut wrong = Vec::new();
    let sources = ["src", "passes", "tools"]
        .iter()
        .flat_map(|folder| files(folder, &["rs"]));
    for file in sources {
        let path = file.strip_prefix(root()).expect("it was found below");
        let is_test = path.components().any(|part| part.as_os_str() == "tests")
            || path.ends_with("tests.rs")
            || path.starts_with("tools/bench");
        if is_test || path.starts_with("src/target") {
            continue;
        }
        let may_ask = path.ends_with(ASKS_FOR_THE_MAKER);
        let text = fs::read_to_string(&file).expect("a source file is text");
        let code = text.split("#[cfg(test)]\nmod tests {").next();
        for line in code.unwrap_or_default().lines() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            let asks = line.contains("Vendor::") && !may_ask;
            if asks || !targets_named(line).is_empty() {
                wrong.push(format!("{}: {line}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Dialects whose operations lowering emits.
const EMITTED: [&str; 8] = ["arith", "cf", "llvm", "math", "nvvm", "rocdl", "scf", "ub"];

/// The literals of a line that name an operation or an attribute of a dialect that lowering emits.
fn emitted_named(line: &str) -> Vec<&str> {
    line.split('"')
        .skip(1)
        .step_by(2)
        .filter(|literal| {
            literal
                .trim_start_matches(['#', '!'])
                .split_once('.')
                .is_some_and(|(dialect, name)| {
                    EMITTED.contains(&dialect) && name.starts_with(|c: char| c.is_ascii_lowercase())
                })
        })
        .collect()
}

/// Where operations of the output are named: a method for each, and the instructions of each maker.
const EMITTERS: [&str; 2] = ["src/lower/emit", "src/lower/gpu"];

#[test]
fn operations_of_the_output_are_named_where_they_are_emitted() {
    assert_eq!(emitted_named(r#"e.pure("llvm.add", "#), ["llvm.add"]);
    assert_eq!(
        emitted_named(r##"("#nvvm.kind", "math.")"##),
        ["#nvvm.kind"]
    );
    let mut wrong = Vec::new();
    for file in files("src/lower", &["rs"]) {
        let path = file.strip_prefix(root()).expect("it was found below");
        let emits = EMITTERS.iter().any(|room| path.starts_with(room));
        if emits || path.ends_with("tests.rs") {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source file is text");
        wrong.extend(
            text.lines()
                .filter(|line| !line.trim_start().starts_with("//"))
                .filter(|line| !emitted_named(line).is_empty())
                .map(|line| format!("{}: {line}", path.display())),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Labels such as `make_range_c1` in a text.
fn labels(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| {
            word.rsplit_once("_c").is_some_and(|(name, number)| {
                !name.is_empty() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
            })
        })
        .map(str::to_owned)
        .collect()
}

#[test]
fn each_rule_is_checked_and_tested() {
    let text = |folder: &str, ending: &str| -> String {
        files(folder, &[ending])
            .iter()
            .map(|file| fs::read_to_string(file).expect("a source file is text"))
            .collect()
    };
    let declared = labels(&text("dialect", "td"));
    assert!(!declared.is_empty());
    // Those of encodings in encodings stand beside their parameters.
    let td = text("dialect", "td");
    let inner = td.split("LL_Inner<\"").skip(1);
    let inner = inner.filter_map(|rest| rest.split('"').next().map(str::to_owned));
    let code = |text: String| -> String {
        let code = text.lines().map(code_of);
        code.collect::<Vec<_>>().join("\n")
    };
    // A label is an argument of the check: in comments it says nothing.
    let checked: BTreeSet<String> = ["src/ir", "src/encoding"]
        .iter()
        .flat_map(|room| labels(&code(text(room, "rs"))))
        .chain(labels(&code(text("dialect", "cpp"))))
        .chain(inner)
        .collect();
    let tested = labels(&text("test", "mlir"));
    let without =
        |found: &BTreeSet<String>| -> Vec<String> { declared.difference(found).cloned().collect() };
    assert_eq!(
        without(&checked),
        Vec::<String>::new(),
        "labels without a check"
    );
    assert_eq!(
        without(&tested),
        Vec::<String>::new(),
        "labels without a test"
    );
    assert_eq!(
        checked.difference(&declared).collect::<Vec<_>>(),
        Vec::<&String>::new(),
        "checks whose label no description declares"
    );
}

/// The sections of a test of what is wrong, each as its comments and the rest.
fn sections(text: &str) -> Vec<(String, String)> {
    let mut all = vec![(String::new(), String::new())];
    for line in text.lines() {
        if line.starts_with("// -----") {
            all.push((String::new(), String::new()));
            continue;
        }
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        let (comments, body) = all.last_mut().expect("there is a section");
        if !comment.contains("expected-") {
            *comments += comment;
            comments.push('\n');
        }
        *body += code.trim();
        body.push('\n');
    }
    all
}

/// Every section that says what is wrong with it, with its file's name.
fn sections_of_what_is_wrong() -> Vec<(String, String, String)> {
    let mut all = Vec::new();
    for file in files("test", &["mlir"]) {
        let text = fs::read_to_string(&file).expect("a test is text");
        let name = file.display().to_string();
        if text.contains("-verify-diagnostics") {
            let here = sections(&text).into_iter();
            all.extend(here.map(|(comments, body)| (name.clone(), comments, body)));
        }
    }
    all
}

#[test]
fn each_rule_is_tested_on_what_has_it() {
    // Names of operations, attributes and types, as labels begin.
    let mut names = BTreeSet::new();
    for file in files("dialect", &["td"]) {
        let text = fs::read_to_string(&file).expect("a source file is text");
        for line in text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            let quoted = line.split('"').skip(1).step_by(2);
            names.extend(quoted.map(|name| name.replace('.', "_")));
        }
    }
    // Rules that several operations share have a name of their own, or that of one of them.
    let shared = ["barrier", "cluster", "memdesc", "tt", "ttg"];
    let mut tested: BTreeSet<String> = BTreeSet::new();
    let mut elsewhere: BTreeSet<String> = BTreeSet::new();
    for (_, comments, body) in sections_of_what_is_wrong() {
        let words: BTreeSet<String> = body
            .split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '.' | '#' | '!'))
            .filter_map(|word| word.split_once('.'))
            .map(|(_, name)| name.replace('.', "_"))
            .collect();
        for label in labels(&comments) {
            let (name, _) = label.rsplit_once("_c").expect("a label has a number");
            let is_shared = !names.contains(name) || shared.contains(&name);
            // Partitions have no name in the text of what holds them.
            let holder = name.strip_suffix("_partitions").unwrap_or(name);
            if is_shared || words.contains(name) || words.contains(holder) {
                tested.insert(label);
            } else {
                elsewhere.insert(label);
            }
        }
    }
    assert!(!tested.is_empty());
    let wrong: Vec<_> = elsewhere.difference(&tested).collect();
    assert_eq!(wrong, Vec::<&String>::new(), "tested on something else");
}

#[test]
fn no_two_tests_are_the_same() {
    let mut seen = std::collections::BTreeMap::new();
    let mut wrong = Vec::new();
    for (name, comments, body) in sections_of_what_is_wrong() {
        if body.trim().is_empty() {
            continue;
        }
        let labels: Vec<String> = labels(&comments).into_iter().collect();
        let here = format!("{name}: {labels:?}");
        if let Some(other) = seen.insert(body, here.clone()) {
            wrong.push(format!("{here} is {other}"));
        }
    }
    assert!(!seen.is_empty());
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn each_item_of_a_description_is_a_rule_with_a_label() {
    let mut wrong = Vec::new();
    for file in files("dialect", &["td"]) {
        let text = fs::read_to_string(&file).expect("a source file is text");
        for (at, line) in text.lines().enumerate() {
            let Some(item) = line.trim_start().strip_prefix("- ") else {
                continue;
            };
            let label = item.split(": ").next().unwrap_or_default();
            if labels(label).iter().next().map(String::as_str) != Some(label) {
                wrong.push(format!("{}:{}: {item}", file.display(), at + 1));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "rules without a label");
}

/// How a check of an operation begins.
const CHECKS_OF_OPERATIONS: [&str; 5] = [
    "ensure!(",
    "rule!(",
    "Diagnostic::new(",
    "Err(format!(",
    "Err(\"",
];

/// How a check of an encoding begins: an error is made, or a check is called that families share.
const CHECKS_OF_ENCODINGS: [&str; 15] = [
    "EncodingError::new(",
    "EncodingError::bad_value(",
    "EncodingError::no_layout(",
    "Err(bad(",
    "cannot(",
    "check_dims(",
    "check_rank(",
    "check_rank_2(",
    "given_rank(",
    "layout_from_bases(",
    "lay_mma_tile(",
    "permutation_matrix(",
    "powers_of_two(",
    "same_rank(",
    "surjective(",
];

/// Checks that families share, whose labels stand where they are called, and constructors from
/// what no attribute says.
const UNLABELLED: [&str; 16] = [
    "check_dims",
    "check_rank",
    "check_rank_2",
    "default_for_shape",
    "first_missed",
    "for_shape",
    "from_split",
    "given_rank",
    "lay_mma_tile",
    "layout_from_bases",
    "no_layout",
    "permutation",
    "permutation_matrix",
    "powers_of_two",
    "same_rank",
    "surjective",
];

/// How a check begins in C++.
const CHECKS_IN_CPP: [&str; 3] = [".emitError(", " emitError() <<", "emitOpError()"];

/// Files without rules: what an error is and how lists are kept, the grammar of the reader, what is
/// asked of sound encodings, and what operations read of tensor memory.
const WITHOUT_RULES: [&str; 7] = [
    "error.rs",
    "list.rs",
    "mod.rs",
    "name.rs",
    "query.rs",
    "tensor_memory_access.rs",
    "text.rs",
];

/// A line without what is a comment.
fn code_of(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// Where a check without the label of its rule begins, as lines of the text: one of `checks`, with
/// no label before the next one or the end of its function.
fn checks_without_label(text: &str, checks: &[&str]) -> Vec<usize> {
    let begins =
        |line: &str| checks.iter().any(|start| line.contains(start)) && !line.contains("fn ");
    let lines: Vec<&str> = text.lines().collect();
    let mut macro_body = false;
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        macro_body = line.starts_with("macro_rules!") || macro_body && *line != "}";
        if macro_body || line.trim_start().starts_with("//") || !begins(line) {
            continue;
        }
        let rest = lines[at + 1..]
            .iter()
            .take_while(|next| !begins(next) && **next != "}");
        let is_labelled = [line]
            .into_iter()
            .chain(rest)
            .any(|line| line.contains(".of_rule") || !labels(code_of(line)).is_empty());
        if !is_labelled {
            found.push(at + 1);
        }
    }
    found
}

/// The text with empty lines instead of the bodies of these functions.
fn without_functions(text: &str, names: &[&str]) -> String {
    let mut end: Option<String> = None;
    let mut kept = String::new();
    for line in text.lines() {
        let body = line.trim_start();
        let is_function = names.iter().any(|name| {
            body.split_once("fn ").is_some_and(|(before, rest)| {
                !before.contains("//")
                    && rest
                        .strip_prefix(name)
                        .is_some_and(|rest| rest.starts_with(['(', '<']))
            })
        });
        match &end {
            Some(closing) if line == closing => end = None,
            None if is_function => {
                end = Some(format!("{}}}", &line[..line.len() - body.len()]));
            }
            None => kept.push_str(line),
            Some(_) => {}
        }
        kept.push('\n');
    }
    kept
}

#[test]
fn each_check_has_a_label() {
    let mut wrong = Vec::new();
    let mut look = |file: &Path, text: &str, checks: &[&str]| {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in checks_without_label(code, checks) {
            wrong.push(format!("{}:{line}", file.display()));
        }
    };
    let text = |file: &Path| fs::read_to_string(file).expect("a source file is text");
    for file in files("src/ir/verify", &["rs"]) {
        look(&file, &text(&file), &CHECKS_OF_OPERATIONS);
    }
    let encodings = root().join("src/encoding");
    for file in files("src/encoding", &["rs"]) {
        let name = file.file_name().and_then(|name| name.to_str());
        let is_family = file.parent() == Some(&encodings)
            && !name.is_some_and(|name| WITHOUT_RULES.contains(&name));
        if is_family {
            let text = without_functions(&text(&file), &UNLABELLED);
            look(&file, &text, &CHECKS_OF_ENCODINGS);
        }
    }
    // The others report what Rust says, or a name that is not known.
    for file in ["Text.cpp", "Triton.cpp"] {
        let file = root().join("dialect").join(file);
        look(&file, &text(&file), &CHECKS_IN_CPP);
    }
    assert_eq!(wrong, Vec::<String>::new(), "checks without a label");
}

#[test]
fn a_check_without_a_label_is_noticed() {
    let labelled = "fn f() {\n    ensure!(op_c1, a, \"b\");\n}\n";
    let bare = "fn f() {\n    ensure!(a, \"b\"); // op_c1\n}\n\nfn g() {\n    // op_c1\n}\n";
    let check = |text: &str| checks_without_label(text, &CHECKS_OF_OPERATIONS);
    assert_eq!(check(labelled), [0_usize; 0]);
    assert_eq!(check(bare), [2]);
    let called =
        "fn f() {\n    same_rank(a)?;\n}\nfn same_rank(a: u8) {\n    EncodingError::new(a)\n}\n";
    let kept = without_functions(called, &UNLABELLED);
    assert_eq!(checks_without_label(&kept, &CHECKS_OF_ENCODINGS), [2]);
    assert_eq!(kept.lines().count(), called.lines().count());
}

#[test]
fn each_pass_is_spelled_one_way() {
    let table = read("passes/Passes.td");
    let mut count = 0;
    for line in table.lines().filter(|line| line.starts_with("def ")) {
        let (name, rest) = line["def ".len()..]
            .split_once(" : Pass<\"")
            .unwrap_or_else(|| panic!("a pass is declared as `def Name : Pass<\"name\"`: {line}"));
        let argument = rest.split('"').next().unwrap_or_default();
        let squeezed = argument.replace('-', "");
        assert_eq!(
            name.to_lowercase(),
            squeezed,
            "`{name}` and `{argument}` differ"
        );
        for file in [
            format!("passes/{}.rs", argument.replace('-', "_")),
            format!("test/Passes/{argument}.mlir"),
        ] {
            assert!(
                root().join(&file).exists(),
                "pass `{argument}` has no {file}"
            );
        }
        count += 1;
    }
    assert!(count > 0);
}
