//! Mutations of pipelined TTGIR at one place: waits, commits, expected bytes, stage indices.

use super::{ChangeKind, PipelineChange};
use std::collections::BTreeSet;

/// Returns the name of an operation's result, without the `:N` that gives the number of results. Returns `None` if
/// the operation has no result.
fn result(line: &str) -> Option<&str> {
    let (result, _) = line.trim().split_once(" = ")?;
    result
        .starts_with('%')
        .then(|| result.split(':').next().unwrap_or(result))
}

/// Returns the names of the values that a line mentions after its results, in order.
fn operands(line: &str) -> Vec<&str> {
    let results = result(line).and_then(|_| line.split_once(" = "));
    let rest = results.map_or(line, |(_, rest)| rest);
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_#-.".contains(c);
    let names = rest.match_indices('%').map(|(at, _)| {
        let end = rest[at + 1..]
            .find(|c| !is_name(c))
            .map_or(rest.len(), |end| at + 1 + end);
        &rest[at..end]
    });
    names.collect()
}

/// Replaces all uses of the value `from` in a text by `to`.
fn with_value(text: &str, from: &str, to: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_#".contains(c);
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(from) {
        let (before, found) = rest.split_at(at);
        out += before;
        rest = &found[from.len()..];
        out += if rest.starts_with(is_name) { from } else { to };
    }
    out + rest
}

/// Replaces the number that follows `before` by the result of `change`. Returns `None` if there is no such number.
fn with_number(line: &str, before: &str, change: impl Fn(i64) -> i64) -> Option<String> {
    let (start, rest) = line.split_once(before)?;
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    let number = change(rest[..end].parse().ok()?);
    Some(format!("{start}{before}{number}{}", &rest[end..]))
}

fn constant(name: &str, value: i64) -> String {
    format!("%{name} = arith.constant {value} : i32")
}

/// Returns the number and the type that the name of a constant in Triton's output contains, such as `%c1_i32` or
/// `%c1_i32_4`.
fn typed_number(name: &str) -> Option<(i64, &str)> {
    let mut parts = name.strip_prefix("%c")?.split('_');
    let number = parts.next()?.parse().ok()?;
    let ty = parts.next().filter(|ty| ty.starts_with('i'))?;
    Some((number, ty))
}

/// Returns the number that the name of a constant in Triton's output contains.
fn number(name: &str) -> Option<i64> {
    typed_number(name).map(|(number, _)| number)
}

/// Returns all changes of a TTGIR kernel that are tested, each with the whole text after the change.
pub(crate) fn changes(text: &str) -> Vec<(PipelineChange, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut all = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let mut add = |kind, new: Vec<String>, renamed: &[(String, String)]| {
            let mut rest = lines[at + 1..].join("\n");
            for (from, to) in renamed {
                rest = with_value(&rest, from, to);
            }
            let text = [&lines[..at].join("\n"), &new.join("\n"), &rest]
                .map(String::as_str)
                .join("\n");
            all.push((
                PipelineChange {
                    kind,
                    at,
                    lines: new,
                },
                text,
            ));
        };
        waits(line, &mut add);
        mbarriers(line, &mut add);
        stages(line, &mut add);
        all.extend(early_arrivals(&lines, at));
    }
    all
}

/// Returns the changes that move the arrival at line `at` upwards. Each moves it before one of the shared-memory
/// accesses that precede it in its block.
fn early_arrivals(lines: &[&str], at: usize) -> Vec<(PipelineChange, String)> {
    const ACCESSES: [&str; 3] = ["ttg.local_load", "ttg.local_store", "ttng.warp_group_dot"];
    if !lines[at].contains("ttng.arrive_barrier") {
        return Vec::new();
    }
    let is_boundary = |line: &str| line.ends_with('{') || line.trim().starts_with(['}', '^']);
    let earlier = (0..at).rev().take_while(|at| !is_boundary(lines[*at]));
    let accesses = earlier.filter(|at| ACCESSES.iter().any(|access| lines[*at].contains(access)));
    let barrier = operands(lines[at])[0];
    let early = |access: usize| {
        let mut new = Vec::new();
        let mut arrive = lines[at].to_owned();
        let mut between = lines[access..at].iter();
        if let Some(index) = between.find(|line| result(line) == Some(barrier)) {
            new.push(with_value(index, barrier, "%late"));
            arrive = with_value(&arrive, barrier, "%late");
        }
        new.extend([arrive, lines[access].to_owned()]);
        let before = lines[..access].join("\n");
        let between = lines[access + 1..at].join("\n");
        let text = [before, new.join("\n"), between, lines[at + 1..].join("\n")].join("\n");
        let change = PipelineChange {
            kind: ChangeKind::ArriveEarly,
            at: access,
            lines: new,
        };
        (change, text)
    };
    accesses.map(early).collect()
}

type AddTtgirChange<'a> = dyn FnMut(ChangeKind, Vec<String>, &[(String, String)]) + 'a;

fn waits(line: &str, add: &mut AddTtgirChange<'_>) {
    let operands = operands(line);
    let renamed = |to: Option<&&str>| -> Vec<(String, String)> {
        let pair = result(line).zip(to);
        pair.map(|(from, to)| (from.to_owned(), (*to).to_owned()))
            .into_iter()
            .collect()
    };
    if line.contains("ttg.async_wait") {
        add(
            ChangeKind::WaitDropped,
            Vec::new(),
            &renamed(operands.first()),
        );
        add(
            ChangeKind::WaitWeakened,
            with_number(line, "num = ", |n| n + 1).into_iter().collect(),
            &[],
        );
    } else if line.contains("ttng.warp_group_dot_wait") {
        let Some(result) = result(line) else {
            return;
        };
        // Several results are named `%r#0`, `%r#1`, ...; longer names are replaced first.
        let renamed: Vec<(String, String)> = match operands.len() {
            1 => vec![(result.to_owned(), operands[0].to_owned())],
            _ => operands
                .iter()
                .enumerate()
                .map(|(i, operand)| (format!("{result}#{i}"), (*operand).to_owned()))
                .collect(),
        };
        add(ChangeKind::WaitDropped, Vec::new(), &renamed);
        add(
            ChangeKind::WaitWeakened,
            with_number(line, "pendings = ", |n| n + 1)
                .into_iter()
                .collect(),
            &[],
        );
    } else if line.contains("ttng.async_tma_store_wait") {
        add(ChangeKind::WaitDropped, Vec::new(), &[]);
        add(
            ChangeKind::WaitWeakened,
            with_number(line, "pendings = ", |n| n + 1)
                .into_iter()
                .collect(),
            &[],
        );
    } else if line.contains("ttg.async_commit_group") {
        add(ChangeKind::Commit, Vec::new(), &renamed(operands.first()));
    } else if line.contains("ttng.fence_async_shared") {
        add(ChangeKind::Fence, Vec::new(), &[]);
    }
}

fn mbarriers(line: &str, add: &mut AddTtgirChange<'_>) {
    let operands = operands(line);
    if line.contains("ttng.wait_barrier") {
        add(ChangeKind::WaitDropped, Vec::new(), &[]);
        let flip = format!("%late = arith.xori {}, %late_one : i32", operands[1]);
        let wait = with_value(line, operands[1], "%late");
        add(
            ChangeKind::Phase,
            vec![constant("late_one", 1), flip, wait],
            &[],
        );
    } else if line.contains("ttng.barrier_expect") {
        add(ChangeKind::Expect, Vec::new(), &[]);
        let changes: [fn(i64) -> i64; 4] = [|n| n / 2, |n| n * 2, |n| n - 16, |n| n + 16];
        let (before, rest) = line.split_once(", ").unwrap_or_default();
        for change in changes {
            let changed = with_number(&format!(", {rest}"), ", ", change);
            add(
                ChangeKind::Expect,
                changed
                    .map(|rest| format!("{before}{rest}"))
                    .into_iter()
                    .collect(),
                &[],
            );
        }
    } else if line.contains("ttng.arrive_barrier") {
        add(ChangeKind::Arrive, Vec::new(), &[]);
        add(
            ChangeKind::ArriveCount,
            vec![line.to_owned(), line.to_owned()],
            &[],
        );
        add_counts(line, ChangeKind::ArriveCount, add);
    } else if line.contains("ttng.init_barrier") {
        add_counts(line, ChangeKind::InitCount, add);
    }
}

/// Proposes edits of `line` that change its arrival count. The count never becomes 0, which the verifier rejects.
fn add_counts(line: &str, kind: ChangeKind, add: &mut AddTtgirChange<'_>) {
    let changes: [fn(i64) -> i64; 3] = [|n| n + 1, |n| n - 1, |n| n / 2];
    let changed = changes.map(|change| with_number(line, ", ", change));
    let changed: BTreeSet<String> = changed.into_iter().flatten().collect();
    for changed in changed.into_iter().filter(|line| !line.contains(", 0")) {
        add(kind, vec![changed], &[]);
    }
}

fn stages(line: &str, add: &mut AddTtgirChange<'_>) {
    let operands = operands(line);
    if line.contains("ttg.memdesc_index") {
        let count = line
            .split_once("!ttg.memdesc<")
            .and_then(|(_, rest)| rest.split_once('x'));
        let Some(count) = count.and_then(|(count, _)| count.parse::<i64>().ok()) else {
            return;
        };
        let next = [
            constant("late_one", 1),
            constant("late_none", 0),
            constant("late_count", count),
            format!("%late_next = arith.addi {}, %late_one : i32", operands[1]),
            "%late_end = arith.cmpi sge, %late_next, %late_count : i32".to_owned(),
            "%late = arith.select %late_end, %late_none, %late_next : i32".to_owned(),
            line.replace(&format!("[{}]", operands[1]), "[%late]"),
        ];
        if count > 1 {
            add(ChangeKind::Stage, next.into(), &[]);
        }
    } else if line.contains("scf.for") {
        let Some((_, carried)) = line.split_once("iter_args(") else {
            return;
        };
        let carried = carried.split(')').next().unwrap_or_default();
        for pair in carried.split(", ") {
            let Some((argument, initial)) = pair.split_once(" = ") else {
                continue;
            };
            if let Some((number, ty)) = typed_number(initial) {
                let line = line.replacen(pair, &format!("{argument} = %late"), 1);
                let late = format!("%late = arith.constant {} : {ty}", number + 1);
                add(ChangeKind::Stage, vec![late, line], &[]);
            }
        }
    } else if line.contains("arith.cmpi sge") {
        if let Some(number) = operands.get(1).and_then(|name| number(name)) {
            for number in [number - 1, number + 1] {
                let line = line.replacen(operands[1], "%late", 1);
                add(ChangeKind::Stage, vec![constant("late", number), line], &[]);
            }
        }
    } else if line.contains("arith.remsi") {
        let Some(result) = result(line) else {
            return;
        };
        let next = "%late_next = arith.addi %late, %late_one : i32".to_owned();
        let wrapped = format!("{result} = arith.remsi %late_next, {} : i32", operands[1]);
        let index = with_value(line, result, "%late");
        add(
            ChangeKind::Stage,
            vec![index, constant("late_one", 1), next, wrapped],
            &[],
        );
    } else if line.contains("arith.xori") && operands.get(1).is_some_and(|name| is_one(name)) {
        let renamed = result(line).map(|name| (name.to_owned(), operands[0].to_owned()));
        add(ChangeKind::Phase, Vec::new(), renamed.as_slice());
    }
}

/// Returns true if the name of a value shows that it is the constant 1.
fn is_one(name: &str) -> bool {
    number(name) == Some(1) || name == "%true" || name.starts_with("%true_")
}

/// Returns true if a change increments the initial value of a stage index, and the first addition to the index
/// wraps it to 0 both in the original and in the changed kernel. This addition must be the only use of the index,
/// and its result must be compared with the number of stages.
pub(crate) fn wraps_alike(text: &str, change: &PipelineChange) -> bool {
    let inner = || -> Option<bool> {
        let line = change
            .lines
            .last()
            .filter(|line| line.contains("scf.for"))?;
        let (before, _) = line.split_once(" = %late")?;
        let argument = &before[before.rfind('%')?..];
        let (_, value) = change.lines.first()?.split_once("arith.constant ")?;
        let value: i64 = value.split(' ').next()?.parse().ok()?;
        let uses = |name: &str| -> Vec<&str> {
            let lines = text.lines().filter(|line| operands(line).contains(&name));
            lines.filter(|line| !line.contains("scf.for")).collect()
        };
        let [add] = uses(argument)[..] else {
            return None;
        };
        let by = number(operands(add).get(1)?).filter(|_| add.contains("arith.addi"))?;
        let compared = uses(result(add)?)
            .into_iter()
            .find(|line| line.contains("arith.cmpi sge"))?;
        let count = number(operands(compared).get(1)?)?;
        Some(value - 1 + by >= count)
    };
    change.kind == ChangeKind::Stage && inner().unwrap_or(false)
}
