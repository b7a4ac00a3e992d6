//! Kernels with asynchronous copies: correct ones pass for every arrival time of copies, and each with a missing or
//! weakened wait, barrier or fence, or with an early access, fails for every arrival time.

use super::simulated::generic_form;
use crate::files::{files, read};
use gpu_sim::{Arg, Arrival, FaultKind, KernelError, Launch, Memory, Schedule, decode_generic};

/// Number of 32-bit words in the input buffer, and in the output buffer.
const WORDS: u32 = 512;

const ARRIVALS: [Arrival; 4] = [
    Arrival::Early,
    Arrival::Late,
    Arrival::Random(1),
    Arrival::Random(2),
];

/// Runs a kernel on an input buffer that contains 0, 1, 2, ... Returns the output buffer.
fn run(text: &str, arrival: Arrival, schedule: Schedule) -> Result<Vec<u8>, KernelError> {
    let decoded = decode_generic(text, None)?;
    let mut memory = Memory::default();
    let bytes = (0..WORDS).flat_map(u32::to_le_bytes).collect();
    let input = memory.add("in", bytes);
    let output = memory.add("out", vec![0; 4 * WORDS as usize]);
    Launch::new(decoded.machine)
        .arrival(arrival)
        .schedule(schedule)
        .args([Arg::Buffer(input), Arg::Buffer(output)])
        .run(&decoded.program, &mut memory)?;
    Ok(memory.bytes(output).to_vec())
}

/// Returns the name of each test kernel and its text in MLIR's generic form.
fn kernels() -> Vec<(String, String)> {
    let kernels = files("test/kernels/asynchronous", &["mlir"])
        .into_iter()
        .map(|path| {
            let name = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            let name = name.expect("a file has a name");
            let text = generic_form(read(&path).as_bytes(), &name);
            (name, text.unwrap_or_else(|e| panic!("{e}")))
        });
    let mut kernels: Vec<_> = kernels.collect();
    kernels.sort();
    kernels
}

fn operation(line: &str) -> Option<&str> {
    line.split('"').nth(1)
}

fn operands(line: &str) -> Vec<&str> {
    let Some((_, rest)) = line.split_once("\"(") else {
        return Vec::new();
    };
    rest.split(')')
        .next()
        .unwrap_or_default()
        .split(", ")
        .collect()
}

/// Replaces the first number that follows `name = ` by the result of `change`. Returns `None` if there is no such
/// number.
fn with_number(line: &str, name: &str, change: impl Fn(u32) -> u32) -> Option<String> {
    let (before, rest) = line.split_once(&format!("{name} = "))?;
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    let number = rest[..digits].parse().ok()?;
    Some(format!(
        "{before}{name} = {}{}",
        change(number),
        &rest[digits..]
    ))
}

/// Returns the mutations of a line. Each consists of its name and the text that replaces the line.
fn wrong_lines(line: &str) -> Vec<(&'static str, String)> {
    let Some(name) = operation(line) else {
        return Vec::new();
    };
    let removed = |what| vec![(what, String::new())];
    let store = |pointer: &str, space: u32| {
        format!(
            "%early = \"llvm.mlir.constant\"() <{{value = 7 : i32}}> : () -> i32\n{line}\n\
             \"llvm.store\"(%early, {pointer}) <{{ordering = 0 : i64}}> : (i32, !llvm.ptr<{space}>) -> ()"
        )
    };
    let load = |pointer: &str, space: u32| {
        format!(
            "{line}\n%early = \"llvm.load\"({pointer}) <{{ordering = 0 : i64}}> : (!llvm.ptr<{space}>) -> i32"
        )
    };
    match name {
        "nvvm.barrier0" | "nvvm.barrier" | "nvvm.bar.warp.sync" | "rocdl.s.barrier" => {
            removed("barrier removed")
        }
        "rocdl.barrier" => removed("barrier that waits removed"),
        "nvvm.fence.proxy" => removed("proxy fence removed"),
        "nvvm.cp.async.commit.group" | "nvvm.cp.async.bulk.commit.group" => {
            removed("commit removed")
        }
        "nvvm.cp.async.wait.group"
        | "nvvm.cp.async.bulk.wait_group"
        | "rocdl.s.wait.asynccnt"
        | "rocdl.s.waitcnt" => {
            let key = ["n", "group", "count", "bitfield"];
            let weaker = key.iter().find_map(|key| with_number(line, key, |n| n + 1));
            let mut all = removed("wait removed");
            all.push(("wait for fewer", weaker.expect("a wait has a number")));
            all
        }
        "nvvm.cp.async.shared.global" => {
            let all = operands(line);
            vec![
                ("destination overwritten", store(all[0], 3)),
                ("destination read", load(all[0], 3)),
                ("source overwritten", store(all[1], 1)),
            ]
        }
        "nvvm.cp.async.bulk.global.shared.cta" => {
            let all = operands(line);
            vec![
                ("destination overwritten", store(all[0], 1)),
                ("destination read", load(all[0], 1)),
                ("source overwritten", store(all[1], 3)),
            ]
        }
        name if name.starts_with("rocdl.") && name.contains(".lds") => {
            let all = operands(line);
            let mut wrong = vec![
                ("destination overwritten", store(all[1], 3)),
                ("destination read", load(all[1], 3)),
            ];
            if !name.contains("buffer") {
                wrong.push(("source overwritten", store(all[0], 1)));
            }
            wrong
        }
        _ => Vec::new(),
    }
}

#[test]
fn correct_kernels_are_clean_whenever_copies_arrive() {
    let kernels = kernels();
    assert!(kernels.len() >= 14);
    for (name, text) in kernels {
        let mut outputs = Vec::new();
        for arrival in ARRIVALS {
            for schedule in [Schedule::Lockstep, Schedule::Warps(1), Schedule::Warps(2)] {
                let output = run(&text, arrival, schedule);
                outputs.push(output.unwrap_or_else(|e| panic!("{name}, {arrival:?}: {e}")));
            }
        }
        assert!(outputs.windows(2).all(|pair| pair[0] == pair[1]), "{name}");
        assert!(outputs[0].iter().any(|byte| *byte != 0), "{name}");
    }
}

#[test]
fn wrong_kernels_are_found_whenever_copies_arrive() {
    let (mut count, mut missed) = (0, Vec::new());
    for (name, text) in kernels() {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            for (what, wrong) in wrong_lines(line) {
                count += 1;
                let text = [&lines[..at], &[wrong.as_str()], &lines[at + 1..]]
                    .concat()
                    .join("\n");
                for arrival in ARRIVALS {
                    match run(&text, arrival, Schedule::Lockstep) {
                        Err(e)
                            if matches!(
                                e.kind(),
                                FaultKind::InFlight | FaultKind::Race | FaultKind::MissingFence
                            ) => {}
                        Err(e) => missed.push(format!("{name}, {arrival:?}: {what}: {line}\n{e}")),
                        Ok(_) => missed.push(format!("{name}, {arrival:?}: {what}: {line}")),
                    }
                }
            }
        }
    }
    assert!(
        missed.is_empty(),
        "{} of {count}:\n{}",
        missed.len(),
        missed.join("\n")
    );
    assert!(count >= 90, "{count} changes");
}
