//! Mutated inputs: one per seed, run through every tool that reads its kind.

use crate::mutate;
use crate::referee::random::Rng;
use crate::sources::{SeedModule, sources};
use crate::tool::{self, Scratch};
use serde_json::json;
use std::path::Path;
use std::sync::OnceLock;

/// Pass pipelines for modules. Each seed runs one of them.
const PIPELINES: [&[&str]; 5] = [
    &["--convert-layouts-to-llvm"],
    &["--canonicalize", "--cse", "--convert-layouts-to-llvm"],
    &["--convert-encodings-to-linear", "--fold-layout-conversions"],
    &["--pretty-encodings", "--print-linear-layouts"],
    &["--emit-bytecode"],
];

/// Files of the project's test vectors that contain queries to `ll-layout`, one per line.
const QUESTIONS: [&str; 3] = [
    include_str!("../golden/encodings.jsonl"),
    include_str!("../golden/encodings_random.jsonl"),
    include_str!("../golden/linear_layout.jsonl"),
];

/// A failure that one input causes.
#[derive(Debug)]
pub(crate) struct Finding {
    /// The command that failed. `INPUT` is a placeholder for the input file.
    pub(crate) command: String,
    pub(crate) fault: String,
    /// Name of the seed module.
    pub(crate) source: String,
    pub(crate) input: Vec<u8>,
}

fn corpus() -> &'static [SeedModule] {
    static CORPUS: OnceLock<Vec<SeedModule>> = OnceLock::new();
    CORPUS.get_or_init(sources)
}

/// Generates an input from a seed and runs the tools on it.
pub(crate) fn check(seed: u64, scratch: &Scratch) -> Vec<Finding> {
    let mut rng = Rng::new(seed);
    match rng.below(20) {
        0 => layouts(&mut rng, scratch),
        1 => document(&mut rng, scratch),
        2..=10 => module(&mut rng, scratch, false, false),
        11..=13 => module(&mut rng, scratch, true, false),
        14..=17 => module(&mut rng, scratch, false, true),
        _ => module(&mut rng, scratch, true, true),
    }
}

fn any_source(rng: &mut Rng) -> &'static SeedModule {
    let corpus = corpus();
    &corpus[rng.below(corpus.len())]
}

/// Draws random seed modules until `what` returns `Some` for one of them. Returns this module and the bytes that
/// `what` returned. If `is_made` is true, `what` converts the module to a different form, and modules of tests for
/// invalid input are skipped because they are seldom valid.
fn draw<'s>(
    rng: &mut Rng,
    is_made: bool,
    what: impl Fn(&'s SeedModule) -> Option<&'s [u8]>,
) -> (&'s SeedModule, &'s [u8]) {
    loop {
        let source = any_source(rng);
        // The parts of these files are seldom valid, so they have no derived forms.
        if is_made && source.name.contains("/invalid") {
            continue;
        }
        if let Some(bytes) = what(source) {
            return (source, bytes);
        }
    }
}

fn module(rng: &mut Rng, scratch: &Scratch, is_lowered: bool, is_bytecode: bool) -> Vec<Finding> {
    let what = |source: &'static SeedModule| match (is_lowered, is_bytecode) {
        (false, false) => Some(source.text.as_slice()),
        (true, false) => source.lowered(scratch),
        (false, true) => source.bytecode(scratch),
        (true, true) => source.lowered_bytecode(scratch),
    };
    let (source, bytes) = draw(rng, is_lowered || is_bytecode, what);
    let (_, other) = draw(rng, is_lowered || is_bytecode, what);
    let input = if is_bytecode {
        mutate::bytes(bytes, other, rng)
    } else {
        mutate::text(bytes, other, rng)
    };
    let pipeline = rng.choose(&PIPELINES);
    let emit = rng.choose(&["--emit=llvm-ir", "-O3"]);
    let launch = source.launch();
    let launch: Vec<&str> = launch.iter().map(String::as_str).collect();
    let mut opt = pipeline.to_vec();
    opt.push("INPUT");
    let translate = vec![emit, "--target=cuda:90", "INPUT"];
    let mut sim = vec!["INPUT", "-q"];
    sim.extend(launch);
    let path = scratch.write(
        if is_bytecode {
            "input.mlirbc"
        } else {
            "input.mlir"
        },
        &input,
    );
    let mut commands = vec![("ll-opt", opt), ("ll-sim", sim)];
    if is_lowered {
        commands.push(("ll-translate", translate));
    }
    run(scratch, &path, &commands, &source.name, &input, None)
}

/// Generates mutated queries and runs `ll-layout` on them.
fn layouts(rng: &mut Rng, scratch: &Scratch) -> Vec<Finding> {
    let questions: Vec<&str> = QUESTIONS.iter().flat_map(|text| text.lines()).collect();
    let mut input = Vec::new();
    // A query takes microseconds.
    for _ in 0..64 {
        let (question, other) = (rng.choose(&questions), rng.choose(&questions));
        input.extend(mutate::text(question.as_bytes(), other.as_bytes(), rng));
        input.push(b'\n');
    }
    let path = scratch.write("input.jsonl", &input);
    let batch = ("ll-layout", vec!["batch", "INPUT"]);
    run(scratch, &path, &[batch], "golden", &input, None)
}

/// Sends a mutated document to the language server as an editor does, with requests at random positions.
fn document(rng: &mut Rng, scratch: &Scratch) -> Vec<Finding> {
    let (source, other) = (any_source(rng), any_source(rng));
    let input = mutate::text(&source.text, &other.text, rng);
    let text = String::from_utf8_lossy(&input);
    let uri = "file:///kernel.mlir";
    let mut messages = vec![
        json!({"id": 0, "method": "initialize", "params": {"processId": null, "rootUri": null, "capabilities": {}}}),
        json!({"method": "initialized", "params": {}}),
        json!({"method": "textDocument/didOpen", "params": {"textDocument":
            {"uri": uri, "languageId": "mlir", "version": 1, "text": text}}}),
    ];
    let lines = text.lines().count();
    for id in 1..8 {
        let place = json!({"line": rng.below(lines + 1), "character": rng.below(80)});
        let method = rng.choose(&["hover", "definition", "references", "documentSymbol"]);
        messages.push(json!({"id": id, "method": format!("textDocument/{method}"), "params":
            {"textDocument": {"uri": uri}, "position": place, "context": {"includeDeclaration": true}}}));
    }
    messages.push(json!({"id": 9, "method": "shutdown", "params": null}));
    messages.push(json!({"method": "exit", "params": null}));
    let mut session = Vec::new();
    for mut message in messages {
        message["jsonrpc"] = "2.0".into();
        let body = message.to_string();
        session.extend(format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes());
    }
    let path = scratch.write("session", &session);
    let server = ("ll-lsp-server", vec!["--log=error"]);
    run(
        scratch,
        &path,
        &[server],
        &source.name,
        &session,
        Some(&path),
    )
}

fn run(
    scratch: &Scratch,
    path: &Path,
    commands: &[(&str, Vec<&str>)],
    source: &str,
    input: &[u8],
    stdin: Option<&Path>,
) -> Vec<Finding> {
    let path = path.to_str().expect("the target folder's name is text");
    let mut findings = Vec::new();
    for (name, arguments) in commands {
        let given: Vec<&str> = arguments
            .iter()
            .map(|a| if *a == "INPUT" { path } else { a })
            .collect();
        if let Some(fault) = tool::run(scratch, name, &given, stdin).fault {
            findings.push(Finding {
                command: format!("{name} {}", arguments.join(" ")),
                fault,
                source: source.to_owned(),
                input: input.to_vec(),
            });
        }
    }
    findings
}
