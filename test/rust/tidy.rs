//! House rules that a program can check.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn root() -> &'static Path {
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
const ROOMS: [(&str, &[&str]); 12] = [
    ("f2", &[]),
    ("layout", &["f2"]),
    ("cute", &["f2", "layout"]),
    ("tilus", &["f2", "layout"]),
    ("bridge", &["f2", "layout", "cute", "tilus"]),
    ("encoding", &["f2", "layout", "cute", "tilus", "bridge"]),
    ("target", &["f2", "layout"]),
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
        "assign",
        &[
            "f2", "layout", "encoding", "cute", "tilus", "bridge", "target", "access", "plan",
        ],
    ),
    (
        "view",
        &[
            "f2", "layout", "encoding", "cute", "tilus", "bridge", "target", "access", "plan",
            "machine", "assign",
        ],
    ),
];

/// The parts of `plan`, in order: each uses those before it.
const PARTS_OF_PLAN: [&str; 9] = [
    "gf2", "program", "memory", "convert", "tuples", "reduce", "scan", "gather", "share",
];

/// The second row, in order: each uses those before it, and all of the first row.
const MLIR_ROOMS: [&str; 5] = ["sys", "ir", "analysis", "lower", "passes"];

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

/// What changes IR in melior: its own methods, and handles that allow them.
const MUTATORS_OF_MELIOR: [&str; 17] = [
    "IrRewriter",
    "OperationBuilder",
    "OperationMutLike",
    "OperationRefMut",
    "RewriterBase",
    "as_operation_mut",
    ".add_argument(",
    ".append_operation(",
    ".detach()",
    ".insert_block_",
    ".insert_operation",
    ".move_after(",
    ".move_before(",
    ".remove_from_parent(",
    ".replace_all_uses_",
    ".replace_uses_of_with(",
    ".walk_mut(",
];

/// What changes IR in MLIR's C API, but for what makes an operation that nobody owns yet.
const MUTATORS_OF_C: [&str; 16] = [
    "mlirBlockAddArgument",
    "mlirBlockAppend",
    "mlirBlockDestroy",
    "mlirBlockDetach",
    "mlirBlockErase",
    "mlirBlockInsert",
    "mlirOperationClone",
    "mlirOperationDestroy",
    "mlirOperationMove",
    "mlirOperationRemove",
    "mlirOperationReplace",
    "mlirOperationSet",
    "mlirRegionTakeBody",
    "mlirRewriterBase",
    "mlirValueReplace",
    "mlirValueSetType",
];

/// What changes IR in C++.
const MUTATORS_OF_CPP: [&str; 9] = [
    "->erase()",
    "->moveBefore(",
    "->remove()",
    "->setAttr(",
    "->setOperand",
    "eraseOp(",
    "modifyOpInPlace(",
    "replaceAllUsesWith(",
    "replaceOp",
];

#[test]
fn only_the_rewriter_changes_ir() {
    let mut wrong = Vec::new();
    let mut look = |file: &Path, names: &[&str]| {
        let text = fs::read_to_string(file).expect("a source file is text");
        let code = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        for (at, line) in code.lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            if let Some(name) = names
                .iter()
                .find(|name| !is_comment && line.contains(**name))
            {
                wrong.push(format!("{}:{}: {name}", file.display(), at + 1));
            }
        }
    };
    let rewriter = root().join("src/sys/rewriter.rs");
    for file in ["src", "passes", "tools"]
        .iter()
        .flat_map(|folder| files(folder, &["rs"]))
    {
        if file != rewriter {
            look(&file, &[&MUTATORS_OF_MELIOR[..], &MUTATORS_OF_C].concat());
        }
    }
    let rewriter = root().join("dialect/Rewrite.cpp");
    for file in files("dialect", &["cpp", "h"]) {
        if file != rewriter {
            look(&file, &MUTATORS_OF_CPP);
        }
    }
    assert!(wrong.is_empty(), "use `sys::Rewriter`: {wrong:#?}");
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

/// What the simulator reads of a module besides the operations of a function.
const NAMES_OF_MODULES: [&str; 8] = [
    "llvm.func",
    "llvm.mlir.global",
    "nvvm.kernel",
    "nvvm.reqntid",
    "rocdl.",
    "rocdl.flat_work_group_size",
    "rocdl.kernel",
    "rocdl.reqd_work_group_size",
];

/// A dialect's names stand in the rows of `ops`, and where a module says how it is launched.
#[test]
fn the_simulator_knows_operations_by_their_rows_only() {
    let ops = root().join("src/machine/kernel/ops");
    let mut wrong = Vec::new();
    for file in files("src/machine/kernel", &["rs"]) {
        if file.starts_with(&ops) || file.ends_with("tests.rs") {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source file is text");
        let code = text.split("#[cfg(test)]\nmod tests {").next();
        for line in code.unwrap_or_default().lines() {
            let is_code = !line.trim_start().starts_with("//");
            for literal in line.split('"').skip(1).step_by(2).filter(|_| is_code) {
                let is_name = ["llvm.", "nvvm.", "rocdl."]
                    .iter()
                    .any(|dialect| literal.starts_with(dialect));
                if is_name && !NAMES_OF_MODULES.contains(&literal) {
                    wrong.push(format!("{}: {line}", file.display()));
                }
            }
        }
    }
    assert_eq!(
        wrong,
        Vec::<String>::new(),
        "operations known outside of rows"
    );
}
