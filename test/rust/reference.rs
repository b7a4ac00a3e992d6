//! The reference pages: they contain everything that is declared, and their examples are valid.

use linear_layout_mlir::ir::reference::DIALECTS;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Generates the reference pages into a folder whose name ends with `test`, and returns the path of the folder.
fn pages(test: &str) -> PathBuf {
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reference-{test}"));
    let made = Command::new("python3")
        .arg(root().join("tools/docs/reference.py"))
        .arg(&output)
        .output()
        .expect("python3 can be run");
    let message = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success(), "{message}");
    output
}

/// Runs ll-opt on a module and returns its output. Panics if ll-opt prints any message.
#[track_caller]
fn opt(arguments: &[&str], module: &str) -> String {
    let mut opt = Command::new(env!("CARGO_BIN_EXE_ll-opt"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ll-opt can be run");
    let mut input = opt.stdin.take().expect("it has an input");
    input.write_all(module.as_bytes()).expect("ll-opt reads");
    drop(input);
    let output = opt.wait_with_output().expect("ll-opt ends");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && message.is_empty(),
        "{message}\n{module}"
    );
    String::from_utf8(output.stdout).expect("ll-opt writes text")
}

#[test]
fn everything_declared_has_its_place_on_a_page() {
    let output = pages("all");
    let mut all = String::new();
    for dialect in DIALECTS {
        let page = fs::read_to_string(output.join(format!("{}.html", dialect.name)))
            .unwrap_or_else(|e| panic!("{}: {e}", dialect.name));
        for entry in dialect.entries {
            // A heading with an anchor.
            let heading = format!("<code>{}</code></h2>", entry.name);
            assert_eq!(page.matches(&heading).count(), 1, "{}", entry.name);
        }
        assert!(
            !page.contains("::ll::"),
            "{}: {:?}",
            dialect.name,
            page.find("::ll::")
        );
        assert!(!page.contains("LL_"), "{}", dialect.name);
        all += &page;
    }
    // Each rule is an item of a list.
    let mut rules = 0;
    for file in fs::read_dir(root().join("dialect")).expect("the dialects") {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|e| e != "td") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("TableGen is text");
        for line in text.lines().filter_map(|l| l.trim().strip_prefix("- ")) {
            let Some((label, _)) = line.split_once(": ").filter(|(l, _)| l.contains("_c")) else {
                continue;
            };
            assert!(all.contains(&format!("<li>{label}:")), "{label} is no item");
            rules += 1;
        }
    }
    assert!(rules > 40, "{rules}");

    let declared = fs::read_to_string(root().join("passes/Passes.td")).expect("the passes");
    let page = fs::read_to_string(output.join("passes.html")).expect("the page of passes");
    for pass in declared.split("Pass<\"").skip(1) {
        let name = pass.split('"').next().unwrap_or_default();
        assert!(
            page.contains(&format!("<code>--{name}</code></h1>")),
            "{name}"
        );
    }
    let index = fs::read_to_string(output.join("index.html")).expect("the index");
    for page in [
        "tt", "ttg", "ttng", "amdg", "cute", "tilus", "gluon", "enums", "passes",
    ] {
        assert!(index.contains(&format!("href=\"{page}.html\"")), "{page}");
        assert!(output.join(format!("{page}.html")).exists(), "{page}");
    }
}

#[test]
fn examples_of_attributes_parse() {
    const ALIASES: &str = "\
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
";
    let output = pages("examples");
    let mut examples = 0;
    for dialect in DIALECTS {
        let page = fs::read_to_string(output.join(format!("{}.md", dialect.name))).expect("a page");
        for example in page
            .lines()
            .filter(|line| line.starts_with('#') && line.contains('<'))
        {
            opt(
                &[],
                &format!("{ALIASES}module attributes {{x.a = {example}}} {{}}"),
            );
            examples += 1;
        }
        // Each encoding has one.
        for section in page
            .split("\n## ")
            .skip(1)
            .filter(|s| s.starts_with("`#ttg.") && s.contains("| `"))
        {
            let name = section.split('`').nth(1).unwrap_or_default();
            assert!(
                section.contains(&format!("\n{name}<")),
                "{name} has no example"
            );
        }
    }
    assert!(examples >= 18, "{examples}");
}

/// Returns the two examples in the description of a pass: a module before the pass, and the same module after it.
/// Returns `None` if the description has no examples.
fn before_and_after(pass: &str) -> Option<[String; 2]> {
    let module = |title: &str| {
        let (_, rest) = pass.split_once(&format!("\n    {title}:\n    ```mlir\n"))?;
        let (text, _) = rest.split_once("\n    ```\n")?;
        let lines = text
            .lines()
            .map(|line| line.strip_prefix("    ").unwrap_or(line));
        Some(lines.collect::<Vec<_>>().join("\n"))
    };
    Some([module("Before")?, module("After")?])
}

#[test]
fn passes_do_what_their_descriptions_show() {
    let table = fs::read_to_string(root().join("passes/Passes.td")).expect("the passes");
    let mut count = 0;
    for pass in table.split("\ndef ").skip(1) {
        let name = pass.split('"').nth(1).expect("a pass has a name");
        let [before, after] = before_and_after(pass)
            .unwrap_or_else(|| panic!("the description of {name} has no `Before:` and `After:`"));
        let printed = opt(&[&format!("--{name}")], &before);
        let mut rest = printed.lines().filter(|line| !line.is_empty()).peekable();
        let mut may_skip = false;
        for line in after.lines() {
            if line.trim() == "..." {
                may_skip = true;
                continue;
            }
            while may_skip && rest.peek().is_some_and(|found| *found != line) {
                rest.next();
            }
            may_skip = false;
            assert_eq!(rest.next(), Some(line), "{name} prints\n{printed}");
        }
        assert!(
            may_skip || rest.next().is_none(),
            "{name} prints\n{printed}"
        );
        count += 1;
    }
    assert!(count > 2);
}
