//! Wording rules that a program can check: how docs open, words that are not used, one meaning per type name.

use crate::files::{files, read, root};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Folders with Rust sources.
const SOURCES: [&str; 7] = [
    "src", "crates", "passes", "dialect", "python", "tools", "test",
];

/// Words with which a doc comment must not begin. A doc comment begins with a noun phrase or a verb, and these
/// words would begin a question instead.
const QUESTIONS: [&str; 7] = ["What", "Whether", "How", "Who", "Where", "Why", "Which"];

/// Phrases that must not be used. Each has a standard replacement: "vendor", "all threads", "no thread",
/// "forwards", "baseline", "rematerialised" or "the user".
const AVOIDED: [&str; 11] = [
    "maker",
    "makers",
    "whoever",
    "everybody",
    "nobody",
    "hands on",
    "handed on",
    "plain way",
    "makes again",
    "made again",
    "who asks",
];

/// Maximum length of an error message in characters, without its notes.
const MAX_MESSAGE: usize = 200;

fn sources(extensions: &[&str]) -> Vec<PathBuf> {
    let all = SOURCES.iter().flat_map(|folder| files(folder, extensions));
    all.filter(|file| !file.ends_with("wording.rs")).collect()
}

fn name(file: &Path) -> String {
    let inside = file.strip_prefix(root()).unwrap_or(file);
    inside.display().to_string()
}

#[test]
fn docs_open_with_a_noun_or_a_verb() {
    let mut wrong = Vec::new();
    for file in sources(&["rs"]) {
        let text = read(&file);
        let mut is_inside = false;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start();
            let doc = line
                .strip_prefix("///")
                .or_else(|| line.strip_prefix("//!"));
            let first = doc.and_then(|doc| doc.split_whitespace().next());
            if let Some(first) = first.filter(|_| !is_inside)
                && QUESTIONS.contains(&first.trim_end_matches([',', '.']))
            {
                wrong.push(format!("{}:{}: {line}", name(&file), number + 1));
            }
            is_inside = doc.is_some();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn standard_terms_are_used() {
    let mut wrong = Vec::new();
    for file in sources(&["rs", "td", "cpp", "h", "py", "md"]) {
        for (number, line) in read(&file).lines().enumerate() {
            let lower = line.to_lowercase();
            let found = AVOIDED.iter().filter(|phrase| has_words(&lower, phrase));
            wrong.extend(found.map(|phrase| format!("{}:{}: {phrase}", name(&file), number + 1)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns true if `text` contains a phrase as whole words.
fn has_words(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

#[test]
fn a_type_name_has_one_meaning_in_a_crate() {
    let mut places: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for file in sources(&["rs"]) {
        let file_name = name(&file);
        let parts: Vec<&str> = file_name.split('/').collect();
        let crate_name = match parts[..] {
            ["crates", name, ..] => name,
            // One library.
            ["src" | "passes", ..] => "src",
            // Each tool is a program of its own; so is each benchmark.
            ["tools", "ll-layout", ..] => "ll-layout",
            ["python", "src", ..] => "python",
            _ => continue,
        };
        if file_name.contains("/tests") {
            continue;
        }
        for line in read(&file).lines() {
            // Items of a module, not of an impl or an inner module.
            let visibility = line
                .strip_prefix("pub")
                .map(|rest| match rest.strip_prefix('(') {
                    Some(rest) => rest.split_once(')').map_or("", |(_, rest)| rest),
                    None => rest,
                });
            let item = visibility.map_or(line, |rest| rest.strip_prefix(' ').unwrap_or_default());
            if item.starts_with(' ') {
                continue;
            }
            let mut words = item.split_whitespace();
            let is_type = words
                .next()
                .is_some_and(|word| ["struct", "enum", "trait", "union"].contains(&word));
            // A verb of a command line has its arguments in its module.
            let word = words.next().filter(|word| is_type && *word != "Arguments");
            if let Some(word) = word {
                let end = word
                    .find(|c: char| !c.is_alphanumeric())
                    .unwrap_or(word.len());
                let key = (crate_name.to_owned(), word[..end].to_owned());
                places.entry(key).or_default().push(file_name.clone());
            }
        }
    }
    let twice: Vec<_> = places.iter().filter(|(_, files)| files.len() > 1).collect();
    assert!(twice.is_empty(), "{twice:#?}");
}

#[test]
fn messages_are_short() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for file in files("test", &["mlir", "test"]) {
        for line in read(&file).lines() {
            let message = line.split_once("expected-error").and_then(|(_, rest)| {
                let rest = rest.split_once("{{")?.1;
                rest.rsplit_once("}}").map(|(message, _)| message)
            });
            if let Some(message) = message {
                count += 1;
                // Types and encodings of the program in backquotes do not count.
                let own: String = message.split('`').step_by(2).collect();
                if own.chars().count() > MAX_MESSAGE {
                    wrong.push(format!("{}: {message}", name(&file)));
                }
            }
        }
    }
    assert!(count > 500, "{count} messages found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
