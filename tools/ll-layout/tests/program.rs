//! `ll-layout` from outside: the vectors through `batch`, what bad input gives, what is printed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Exit code, standard output, standard error.
fn ll_layout(arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ll-layout"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ll-layout starts");
    let mut stdin = child.stdin.take().expect("its input is ours");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || {
        // A program that has seen enough closes the pipe.
        let _ = stdin.write_all(input.as_bytes());
    });
    let output = child.wait_with_output().expect("ll-layout ends");
    writer.join().expect("the writer ends");
    let text = |bytes| String::from_utf8(bytes).expect("output is text");
    let code = output.status.code().expect("no signal ended it");
    (code, text(output.stdout), text(output.stderr))
}

#[track_caller]
fn check_file(vectors: &str) {
    let start = Instant::now();
    let (code, output, _) = ll_layout(&["batch"], vectors);
    assert_eq!(code, 0);
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(output.lines().count(), vectors.lines().count());
    let mut failures = Vec::new();
    for (question, answer) in vectors.lines().zip(output.lines()) {
        let mut expected: Value = serde_json::from_str(question).unwrap();
        let mut found: Value = serde_json::from_str(answer).unwrap();
        // Which words an error has is ours to choose; that there is one is not.
        for case in [&mut expected, &mut found] {
            if let Some(error) = case.get_mut("error") {
                *error = json!(true);
            }
        }
        // One file says the padding of padded encodings, the other leaves it out.
        if expected.get("interval_padding").is_none() {
            found
                .as_object_mut()
                .map(|case| case.remove("interval_padding"));
        }
        if found != expected {
            failures.push(format!("{question}\n  gives {answer}"));
        }
    }
    assert!(
        failures.is_empty(),
        "{} fail; the first:\n{}",
        failures.len(),
        failures[0]
    );
    let rate = vectors.lines().count() as f64 / seconds;
    println!("{rate:.0} cases a second");
}

#[test]
fn batch_meets_every_vector() {
    check_file(include_str!("../../../test/golden/encodings.jsonl"));
    check_file(include_str!("../../../test/golden/encodings_random.jsonl"));
    check_file(include_str!("../../../test/golden/linear_layout.jsonl"));
    check_file(include_str!(
        "../../../test/golden/linear_layout_shared_dims.jsonl"
    ));
}

#[test]
fn batch_goes_on_after_a_bad_line_and_skips_blank_ones() {
    let (code, output, errors) = ll_layout(
        &["batch", "-", "--stats"],
        "nonsense\n\n{\"op\": \"print\", \"args\": [{\"bases\": [], \"out_dims\": []}]}",
    );
    let lines: Vec<Value> = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(code, 0);
    assert_eq!(lines.len(), 2);
    assert!(lines[0]["error"].is_string());
    assert_eq!(lines[1]["ok"], "\n(empty layout)");
    assert!(
        errors.starts_with("2 cases, 1 of them without an answer"),
        "{errors}"
    );
}

const SMALL: &str = "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], warpsPerCTA = [2, 1], order = [1, 0]}>";

#[track_caller]
fn check(arguments: &[&str], input: &str, expected: &str) {
    let (code, output, errors) = ll_layout(arguments, input);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(output, expected);
}

#[test]
fn show_prints_bases_and_the_tensor() {
    check(
        &["show", SMALL, "4x4"],
        "",
        " - register=1 -> (0, 1)
 - lane=1 -> (0, 2)
   lane=2 -> (1, 0)
 - warp=1 -> (2, 0)
 - block is a size 1 dimension
where out dims are: [dim0 (size 4), dim1 (size 4)]

4 x 4: dim0 down, dim1 across; a cell is T<4 * warp + lane>:<register>
       0     1     2     3
0:  T0:0  T0:1  T1:0  T1:1
1:  T2:0  T2:1  T3:0  T3:1
2:  T4:0  T4:1  T5:0  T5:1
3:  T6:0  T6:1  T7:0  T7:1
",
    );
}

#[test]
fn show_reads_a_printed_layout_from_standard_input() {
    check(
        &["show", "-", "--view", "tensor,matrix"],
        "\n - lane=1 -> (1)\n   lane=2 -> (0)\nwhere out dims are: [dim0 (size 2)]\n",
        "2: dim0 across; a cell is T<lane>:<register>
            0          1
0:  T0:0|T2:0  T1:0|T3:0

        lane
        1  2
dim0=1  1  .
",
    );
}

#[test]
fn show_knows_the_names_that_a_kernel_gives() {
    let kernel = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../test/kernels/sm_90/transpose.ttgir"
    );
    let by_name = |name| {
        let arguments = ["show", name, "64x64", "--aliases", kernel, "--json"];
        ll_layout(&arguments, "")
    };
    let (code, output, _) = by_name("#blocked2");
    let found: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(code, 0, "{output}");
    assert_eq!(
        found["enc"],
        "#ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>"
    );
    let (code, output, _) = by_name("#blocked9");
    assert_eq!(code, 1);
    assert!(
        output.contains("alias `#blocked9` is not defined"),
        "{output}"
    );
}

#[test]
fn a_layout_without_dims_has_one_slot_and_one_element() {
    check(
        &["show", "(empty layout)", "--view", "tensor"],
        "",
        "one element; a cell is ()\n     0\n0:  ()\n",
    );
}

#[test]
fn a_cut_view_says_what_is_left_out() {
    check(
        &[
            "show",
            SMALL,
            "1024x1024",
            "--view",
            "tensor",
            "--rows",
            "1",
            "--columns",
            "2",
        ],
        "",
        "1024 x 1024: dim0 down, dim1 across; a cell is T<4 * warp + lane>:<register>
       0     1
0:  T0:0  T0:1
... 1023 more rows
... 1022 more columns
",
    );
}

#[test]
fn show_as_json_has_the_fields_of_a_vector() {
    let arguments = ["show", SMALL, "2x2", "--view", "tensor", "--json"];
    let (code, output, _) = ll_layout(&arguments, "");
    let found: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(code, 0);
    assert_eq!(found["enc"], SMALL);
    assert_eq!(
        found["bases"],
        json!({"register": [[0, 1]], "lane": [[0, 0], [1, 0]], "warp": [[0, 0]], "block": []})
    );
    assert_eq!(found["out_dims"], json!({"dim0": 2, "dim1": 2}));
    let second = &found["tensor"][1];
    assert_eq!(second["element"], json!([0, 1]));
    assert_eq!(second["held_by"].as_array().unwrap().len(), 4);
    assert_eq!(
        second["held_by"][3],
        json!({"register": 1, "lane": 1, "warp": 1, "block": 0})
    );
}

#[test]
fn eval_goes_both_ways() {
    check(
        &["eval", SMALL, "4x4", "register=1,lane=3", "warp=1"],
        "",
        "register=1, lane=3, warp=0, block=0 -> dim0=1, dim1=3
register=0, lane=0, warp=1, block=0 -> dim0=2, dim1=0
",
    );
    check(
        &["eval", SMALL, "4x4", "--inverse", "1,3", "dim0=2"],
        "",
        "dim0=1, dim1=3 <- register=1, lane=3, warp=0, block=0
dim0=2, dim1=0 <- register=0, lane=0, warp=1, block=0
",
    );
    check(
        &["eval", SMALL, "4x4", "lane=2", "--json"],
        "",
        "[{\"slot\":{\"register\":0,\"lane\":2,\"warp\":0,\"block\":0},\"element\":[1,0]}]\n",
    );
    let padded = "#ttg.padded_shared<[4:+2] {order = [0], shape = [8]}>";
    check(
        &["eval", padded, "8", "--inverse", "5"],
        "",
        "dim0=5 <- offset=5, block=0 (with the gaps 7)\n",
    );
}

#[track_caller]
fn check_failure(arguments: &[&str], code: i32, message: &str) {
    let (found, output, errors) = ll_layout(arguments, "");
    assert_eq!((found, output.as_str()), (code, ""), "{errors}");
    assert!(errors.contains(message), "{errors}");
}

#[test]
fn failures_have_a_reason_and_a_code() {
    check_failure(&["show", SMALL, "4x6"], 1, "error: shape has 6 elements");
    check_failure(&["show", SMALL], 1, "add it after the encoding");
    check_failure(&["show", SMALL, "4xq"], 1, "`4xq` is not a shape");
    check_failure(
        &["show", "#ttg.blocked<{order [0]}>", "4"],
        1,
        "  #ttg.blocked<{order [0]}>\n                      ^",
    );
    check_failure(
        &["show", "blocked", "4x4"],
        1,
        "`blocked` is neither an encoding nor a file\nnote: give an encoding",
    );
    check_failure(
        &["eval", SMALL, "4x4", "thread=1"],
        1,
        "the layout has no `thread`; its in-dims are register, lane, warp, block",
    );
    check_failure(&["eval", SMALL, "4x4", "lane=4"], 1, "`lane` = 4");
    check_failure(
        &["eval", SMALL, "4x4", "--inverse", "4,0"],
        1,
        "`dim0` = 4 is outside the tensor; expected < 4",
    );
    check_failure(
        &["show", SMALL, "65536x65536", "--all"],
        1,
        "all of them are listed up to 2^20",
    );
    check_failure(&["batch", "/no/such/file"], 1, "cannot open");
    check_failure(&["shw"], 2, "unrecognized subcommand");
    let (code, output, _) = ll_layout(&["show", SMALL, "4x6", "--json"], "");
    let found: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(code, 1);
    assert!(found["error"].is_string());
}
