//! House rules that a program can check.

use crate::files::{files, read, root};
use std::fs;
use std::path::Path;

#[test]
fn unsafe_code_is_in_one_module() {
    let wrong: Vec<String> = ["src", "crates", "passes", "python", "tools"]
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

/// Names in the melior library by which code can change the IR.
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

/// Prefixes of MLIR C API functions that change the IR. Constructors of detached operations are not included.
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

/// Code fragments by which C++ code can change the IR.
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
    for file in ["src", "crates", "passes", "tools"]
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

/// Prefixes of target names and of LLVM platform names.
const NAMES_OF_TARGETS: [&str; 6] = ["amdgcn", "cuda:", "gfx", "hip:", "nvptx", "sm_"];

/// The only file that selects instructions by vendor, which it does once per module.
const VENDOR_SELECTION: &str = "src/lower/gpu/mod.rs";

/// Returns the string literals in a line that are the name of a target or the beginning of one.
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

/// Checks that only one module names targets and vendors. Other code reads the columns of the target table.
#[test]
fn targets_and_vendors_are_named_in_one_module() {
    let mut wrong = Vec::new();
    let sources = ["src", "crates", "passes", "tools"]
        .iter()
        .flat_map(|folder| files(folder, &["rs"]));
    for file in sources {
        let path = file.strip_prefix(root()).expect("it was found below");
        let is_test = path.components().any(|part| part.as_os_str() == "tests")
            || path.ends_with("tests.rs")
            || path.starts_with("tools/bench")
            || path.starts_with("tools/docs");
        // The simulator's own statement of the instructions is beside the table, not of it.
        let states = path.ends_with("crates/gpu-sim/src/ops/product/statement.rs");
        if is_test || states || path.starts_with("crates/linear-layout/src/target") {
            continue;
        }
        let may_ask = path.ends_with(VENDOR_SELECTION);
        let text = fs::read_to_string(&file).expect("a source file is text");
        let end = ["mod tests {", "pub(super) mod tests {"]
            .iter()
            .find_map(|module| text.find(&format!("#[cfg(test)]\n{module}")));
        for line in text[..end.unwrap_or(text.len())].lines() {
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

/// Operation and attribute names that the simulator reads outside of function bodies.
const NAMES_OF_MODULES: [&str; 9] = [
    "llvm.func",
    "llvm.mlir.global",
    "nvvm.cluster_dim",
    "nvvm.kernel",
    "nvvm.reqntid",
    "rocdl.",
    "rocdl.flat_work_group_size",
    "rocdl.kernel",
    "rocdl.reqd_work_group_size",
];

/// Checks that the simulator mentions operation names only in the tables of its module `ops`. The names in
/// [`NAMES_OF_MODULES`] are allowed everywhere.
#[test]
fn the_simulator_knows_operations_by_their_rows_only() {
    let ops = root().join("crates/gpu-sim/src/ops");
    let mut wrong = Vec::new();
    for file in files("crates/gpu-sim/src", &["rs"]) {
        if file.starts_with(&ops) || file.ends_with("tests.rs") {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source file is text");
        let end = ["mod tests {", "pub(super) mod tests {"]
            .iter()
            .find_map(|module| text.find(&format!("#[cfg(test)]\n{module}")));
        for line in text[..end.unwrap_or(text.len())].lines() {
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
