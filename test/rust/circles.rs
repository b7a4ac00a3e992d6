//! No file of the lowering needs one that needs it: each can be read, and changed, from the leaves on.

use crate::tidy::{files, read};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A module of a room, by its path in it: `gpu::nvidia::access`, and nothing for the room itself.
type Module = Vec<String>;

/// The module that a file of a room is.
fn module_of(file: &Path) -> Module {
    let mut path: Module = file
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    if path.last().is_some_and(|name| name == "mod") {
        path.pop();
    }
    path
}

/// The code of a file: without comments, and without the tests at its end.
fn code_of(text: &str) -> String {
    text.split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default()
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The paths that a tree of imports names: `super::{a::B, c}` names `super::a::B` and `super::c`.
fn leaves(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((before, rest)) = tree.split_once('{') else {
        return vec![tree.to_owned()];
    };
    let inside = rest.rsplit_once('}').map_or(rest, |(inside, _)| inside);
    let mut depth = 0;
    inside
        .split(|c: char| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        })
        .filter(|part| !part.trim().is_empty())
        .flat_map(leaves)
        .map(|leaf| format!("{before}{leaf}"))
        .collect()
}

/// The paths to modules that code names: imports, and paths where they are used.
fn paths(code: &str) -> Vec<Vec<String>> {
    const IMPORTS: [&str; 4] = ["use ", "pub use ", "pub(crate) use ", "pub(super) use "];
    let mut found = Vec::new();
    let mut import: Option<String> = None;
    for line in code.lines() {
        let start = IMPORTS
            .iter()
            .find_map(|import| line.trim_start().strip_prefix(import));
        match (&mut import, start) {
            (Some(import), _) => import.push_str(line),
            (None, Some(start)) => import = Some(start.to_owned()),
            (None, None) => found.extend(
                line.split(|c: char| c != ':' && c != '_' && !c.is_ascii_alphanumeric())
                    .filter(|word| word.contains("::"))
                    .map(str::to_owned),
            ),
        }
        if let Some((tree, _)) = import.as_ref().and_then(|import| import.split_once(';')) {
            found.extend(leaves(tree));
            import = None;
        }
    }
    found
        .iter()
        .map(|path| {
            path.split("::")
                .map(|part| part.trim().to_owned())
                .collect()
        })
        .collect()
}

/// The module of a room that a path leads to from another, if it leads to one.
fn target(room: &str, from: &Module, path: &[String], all: &BTreeSet<Module>) -> Option<Module> {
    let mut at = from.clone();
    let mut rest = path;
    match rest {
        [first, second, ..] if first == "crate" && second == room => {
            at.clear();
            rest = &rest[2..];
        }
        [first, ..] if first == "self" => rest = &rest[1..],
        [first, ..] if first == "super" => {
            while rest.first().is_some_and(|first| first == "super") {
                at.pop()?;
                rest = &rest[1..];
            }
        }
        // A path without a start names a module below this one, or something imported.
        [first, ..] => {
            let below = [from.as_slice(), std::slice::from_ref(first)].concat();
            if !all.contains(&below) {
                return None;
            }
        }
        [] => return None,
    }
    for name in rest {
        let below = [at.as_slice(), std::slice::from_ref(name)].concat();
        if !all.contains(&below) {
            break;
        }
        at = below;
    }
    Some(at).filter(|at| at != from)
}

/// Which files of a room each file needs.
fn needs(room: &str) -> BTreeMap<Module, BTreeSet<Module>> {
    let folder = format!("src/{room}");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(&folder);
    let sources: BTreeMap<Module, String> = files(&folder, &["rs"])
        .iter()
        .filter(|file| !file.ends_with("tests.rs"))
        .map(|file| {
            let module = module_of(file.strip_prefix(&root).expect("it was found below"));
            (module, code_of(&read(file)))
        })
        .collect();
    let all: BTreeSet<Module> = sources.keys().cloned().collect();
    sources
        .iter()
        .map(|(module, code)| {
            let targets = paths(code)
                .iter()
                .filter_map(|path| target(room, module, path, &all))
                .collect();
            (module.clone(), targets)
        })
        .collect()
}

/// The files that need themselves through others: what is left when those are taken away, one after another, that
/// need none that is left.
fn circles(mut needs: BTreeMap<Module, BTreeSet<Module>>) -> BTreeMap<Module, BTreeSet<Module>> {
    loop {
        let free: Vec<Module> = needs
            .iter()
            .filter(|(_, targets)| targets.iter().all(|target| !needs.contains_key(target)))
            .map(|(module, _)| module.clone())
            .collect();
        if free.is_empty() {
            break;
        }
        for module in free {
            needs.remove(&module);
        }
    }
    // What only needs a circle is in none.
    loop {
        let needed: BTreeSet<Module> = needs.values().flatten().cloned().collect();
        let before = needs.len();
        needs.retain(|module, _| needed.contains(module));
        if needs.len() == before {
            return needs;
        }
    }
}

#[test]
fn files_of_the_lowering_go_in_no_circle() {
    let needs = needs("lower");
    assert!(needs.len() > 30, "{}", needs.len());
    let arrows: usize = needs.values().map(BTreeSet::len).sum();
    assert!(arrows > 100, "{arrows}");
    let left = circles(needs);
    let text: Vec<String> = left
        .iter()
        .map(|(module, targets)| {
            let targets: Vec<String> = targets
                .iter()
                .filter(|target| left.contains_key(*target))
                .map(|target| format!("`{}`", target.join("::")))
                .collect();
            format!("`{}` needs {}", module.join("::"), targets.join(", "))
        })
        .collect();
    assert!(text.is_empty(), "{}", text.join("\n"));
}

#[test]
fn a_circle_is_noticed() {
    let module = |name: &str| vec![name.to_owned()];
    let arrow = |from: &str, to: &[&str]| (module(from), to.iter().map(|to| module(to)).collect());
    let straight = BTreeMap::from([arrow("a", &["b", "c"]), arrow("b", &["c"]), arrow("c", &[])]);
    assert!(circles(straight).is_empty());
    let round = BTreeMap::from([
        arrow("a", &["b"]),
        arrow("b", &["c"]),
        arrow("c", &["b", "d"]),
        arrow("d", &[]),
    ]);
    let left: Vec<Module> = circles(round).into_keys().collect();
    assert_eq!(left, [module("b"), module("c")]);
}

#[test]
fn a_module_is_found_however_it_is_named() {
    let all: BTreeSet<Module> = ["", "a", "a::b", "c"]
        .iter()
        .map(|path| {
            path.split("::")
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect()
        })
        .collect();
    let found = |from: &str, code: &str| -> Vec<String> {
        let from: Module = from
            .split("::")
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        paths(&code_of(code))
            .iter()
            .filter_map(|path| target("lower", &from, path, &all))
            .map(|module| module.join("::"))
            .collect()
    };
    assert_eq!(found("c", "use super::a::{self, b::Thing};"), ["a", "a::b"]);
    assert_eq!(
        found("a::b", "use super::super::c::f;\nuse super::Thing;"),
        ["c", "a"]
    );
    assert_eq!(found("c", "pub(crate) use crate::lower::a;"), ["a"]);
    assert_eq!(
        found("c", "fn f() { super::a::b::g(); } // super::a"),
        ["a::b"]
    );
    assert_eq!(
        found("a", "pub use b::Thing;\nfn f(x: b::Other) {}"),
        ["a::b", "a::b"]
    );
    assert_eq!(found("", "use a::{Thing, b};"), ["a", "a::b"]);
    assert!(found("c", "use std::fmt;\nuse crate::plan::a;").is_empty());
}
