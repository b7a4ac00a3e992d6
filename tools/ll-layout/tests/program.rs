//! Tests of the program `ll-layout`: answers to the vectors in `batch`, errors for invalid input, and output.

#![expect(clippy::print_stdout, reason = "the rate is shown on request")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../../test/rust/bless.rs"]
mod bless;

use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Runs ll-layout with `input` as standard input. Returns the exit code, standard output and standard error.
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
        // A program that ends early closes the pipe.
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
        // The text of an error is free.
        for case in [&mut expected, &mut found] {
            if let Some(error) = case.get_mut("error") {
                *error = json!(true);
            }
        }
        // Only one of the files contains the padding of padded encodings.
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
    bless::check_text(&output, expected);
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
    check_failure(&["show", SMALL], 1, "add a shape after the encoding");
    check_failure(&["show", SMALL, "4xq"], 1, "invalid shape `4xq`");
    check_failure(
        &["show", "#ttg.blocked<{order [0]}>", "4"],
        1,
        "  #ttg.blocked<{order [0]}>\n                      ^",
    );
    check_failure(
        &["show", "blocked", "4x4"],
        1,
        "`blocked` is neither a layout nor an existing file\nnote: give an encoding",
    );
    check_failure(
        &["eval", SMALL, "4x4", "thread=1"],
        1,
        "the layout has no in-dim `thread`; expected one of register, lane, warp, block",
    );
    check_failure(&["eval", SMALL, "4x4", "lane=4"], 1, "`lane` = 4");
    check_failure(
        &["eval", SMALL, "4x4", "--inverse", "4,0"],
        1,
        "index 4 along `dim0` is outside the tensor; expected less than 4",
    );
    check_failure(
        &["show", SMALL, "65536x65536", "--all"],
        1,
        "`--all` and `--json` list at most 2^20 of each",
    );
    check_failure(
        &["show", SMALL, "4xq"],
        1,
        "  4xq\n    ^\nnote: write a shape as `64x16`",
    );
    check_failure(
        &["show", "#ttg.bloked<{order = [0]}>", "4"],
        1,
        "the nearest is `#ttg.blocked`\n  #ttg.bloked<{order = [0]}>\n  ^\n",
    );
    let odd = SMALL.replace("[1, 2]", "[1, 3]");
    check_failure(
        &["show", &odd, "4x4"],
        1,
        &format!("the nearest ones are 2 and 4\n  {odd}\n                ^\n"),
    );
    check_failure(&["batch", "/no/such/file"], 1, "cannot open");
    check_failure(&["shw"], 2, "unrecognized subcommand");
    let (code, output, _) = ll_layout(&["show", SMALL, "4x6", "--json"], "");
    let found: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(code, 1);
    assert!(found["error"].is_string());
}

/// Layout with vectors of four elements along the rows, in four warps.
const ROWS: &str = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>";
const COLUMNS: &str = "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>";
/// Layout like `ROWS`, but with vectors of two elements. Each warp holds the same rows as in `ROWS`.
const PAIRS: &str = "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>";

#[track_caller]
fn convert(src: &str, dst: &str, shape: &str, rest: &[&str]) -> String {
    let arguments = [&["convert", src, dst, shape], rest].concat();
    let (code, output, errors) = ll_layout(&arguments, "");
    assert_eq!((code, errors.as_str()), (0, ""));
    output
}

#[test]
fn convert_says_how_and_why_and_what_it_costs() {
    let output = convert(
        ROWS,
        COLUMNS,
        "64x64",
        &["--type", "f32", "--target", "sm_90"],
    );
    let (asked, others) = output.split_once("\nOn other targets:\n").unwrap();
    assert_eq!(
        asked,
        "shared conversion of a tensor of 64x64, 32 bits an element, on cuda:90
why: elements move between warps, which requires shared memory (moved dims: register, lane, warp)
registers: 32 -> 32 in each of 32 lanes of 4 warps
cost: 268 clk (load-store 256, arithmetic 20, waiting 9)
scratch: 16384 bytes of shared memory, stored 16 and loaded 16 bytes at a time, 1 time
bank conflicts: 0 in 128 wavefronts of stores and 128 wavefronts of loads
steps of a thread: 8 stores, 1 block barrier, 8 loads

Strategies on cuda:90:
  shared   268 clk (load-store 256, arithmetic 20, waiting 9)
  local    the strategy `local` does not support a conversion that moves data across `register`, `lane`, `warp`
  shuffle  the strategy `shuffle` does not support a conversion that moves data across `register`, `lane`, `warp`
"
    );
    let mut named: Vec<&str> = others
        .lines()
        .filter_map(|line| line.trim().split_once(": ").map(|(targets, _)| targets))
        .flat_map(|targets| targets.split(", "))
        .collect();
    named.push("cuda:90");
    let mut known: Vec<&str> = linear_layout::target::TARGETS
        .iter()
        .map(|t| t.name)
        .collect();
    named.sort_unstable();
    known.sort_unstable();
    assert_eq!(named, known);
    assert!(
        others.contains(
            "hip:gfx950: not possible: a warp has 64 lanes, but the layouts are for 32 lanes\n"
        ),
        "{others}"
    );
    assert!(
        others.contains("  hip:gfx1250, hip:gfx1251: shared, 144 clk"),
        "{others}"
    );
}

#[test]
fn convert_shows_the_cheaper_way_and_its_steps() {
    let f16 = ["--type", "f16", "--target", "cuda:90"];
    let output = convert(ROWS, PAIRS, "16x16", &[&f16[..], &["--steps"]].concat());
    for part in [
        "shuffle conversion of a tensor of 16x16",
        "why: elements move between the lanes of a warp (moved dims: register, lane); the cheapest of 2 strategies",
        "bank conflicts: none, since nothing is stored\n",
        "  %7 = shuffle %6 from lanes 0\n",
        "  shuffle  9 clk",
        "  shared   20 clk",
    ] {
        assert!(output.contains(part), "{part}:\n{output}");
    }
    let forced = [&f16[..], &["--strategy", "shared", "--json"]].concat();
    let found: Value = serde_json::from_str(&convert(ROWS, PAIRS, "16x16", &forced)).unwrap();
    assert_eq!(found["kind"], "shared");
    assert_eq!(found["steps"]["block_barrier"], Value::Null);
    assert_eq!(found["moves"], json!(["register", "lane"]));
    assert_eq!(found["ways"][0]["way"], "shuffle");
    assert!(found["cost_quarter_clocks"]["total"].as_u64() > Some(0));
    let nothing = convert(ROWS, ROWS, "64x64", &f16);
    assert!(
        nothing.contains("\nwhy: all elements are already in place\n"),
        "{nothing}"
    );
    assert!(
        nothing.contains("\nsteps of a thread: none, results are source registers\n"),
        "{nothing}"
    );
}

#[test]
fn convert_refuses_what_has_no_plan() {
    let target = ["--target", "cuda:90"];
    let refuse = |src, dst, shape, rest: &[&str], code, message: &str| {
        let arguments = [&["convert", src, dst, shape], rest, &target].concat();
        check_failure(&arguments, code, message);
    };
    let f32 = ["--type", "f32"];
    refuse(
        ROWS,
        COLUMNS,
        "64x64",
        &[],
        1,
        "the element type is missing\nnote: add a type, as in `--type f16`",
    );
    let float8 = ["--type", "float8"];
    refuse(
        ROWS,
        COLUMNS,
        "64x64",
        &float8,
        1,
        "note: the nearest is `f8E4M3FN`",
    );
    refuse(
        ROWS,
        COLUMNS,
        "64x64",
        &["--type", "i24"],
        1,
        "`i24` is not a supported element type",
    );
    let lanes = ROWS.replace("[4, 8]", "[8, 8]");
    refuse(
        ROWS,
        &lanes,
        "64x64",
        &f32,
        1,
        "the destination layout has 64 lanes per warp: expected 32 on cuda:90",
    );
    let torn = ROWS.replace("order = ", "order ");
    refuse(ROWS, &torn, "64x64", &f32, 1, "error: DST: ");
    refuse(
        ROWS,
        "-",
        "64x64",
        &f32,
        1,
        "error: DST: `-` contains neither",
    );
    refuse(
        "-",
        "-",
        "64x64",
        &f32,
        1,
        "SRC and DST are both standard input",
    );
    refuse(
        ROWS,
        COLUMNS,
        "4096x4096",
        &f32,
        1,
        "SRC: the layout has 2^24 slots and 2^24 elements; conversions are planned for at most 2^20 of each",
    );
    let unknown = [
        "convert", ROWS, COLUMNS, "64x64", "--type", "f32", "--target", "cuda:91",
    ];
    check_failure(&unknown, 1, "unknown target `cuda:91`");
    let tight = [
        "--type",
        "f32",
        "--strategy",
        "shared",
        "--scratch-limit",
        "64",
    ];
    refuse(
        ROWS,
        COLUMNS,
        "64x64",
        &tight,
        1,
        "bytes of shared memory on cuda:90: expected at most 64",
    );
}

#[track_caller]
fn check_compare(arguments: &[&str], input: &str, code: i32, expected: &str) {
    let arguments = [&["compare"], arguments].concat();
    let (found, output, errors) = ll_layout(&arguments, input);
    assert_eq!((found, errors.as_str()), (code, ""), "{output}");
    bless::check_text(&output, expected);
}

#[test]
fn compare_says_equal_or_where_the_first_difference_is() {
    let linear =
        "#ttg.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0]], warp = [[2, 0]], block = []}>";
    check_compare(
        &[SMALL, linear, "4x4"],
        "",
        0,
        "equal: both put the same elements of a tensor of 4x4 in the same places\n",
    );
    let (_, printed, _) = ll_layout(&["show", SMALL, "4x4", "--view", "bases"], "");
    for order in [[SMALL, "-"], ["-", SMALL]] {
        check_compare(
            &[order[0], order[1], "--json"],
            &printed,
            0,
            "{\"equal\":true}\n",
        );
    }
    let other = linear.replace("[[0, 2], [1, 0]]", "[[1, 0], [0, 2]]");
    check_compare(
        &[SMALL, &other, "4x4"],
        "",
        3,
        "different: first at register=0, lane=1, warp=0, block=0, which holds element (0, 2) in A and (1, 0) in B; \
         1/2 of the slots agree\na conversion from A to B moves: register, lane\n",
    );
    let (_, output, _) = ll_layout(&["compare", SMALL, &other, "4x4", "--json"], "");
    let found: Value = serde_json::from_str(&output).unwrap();
    let slot = json!({"register": 0, "lane": 1, "warp": 0, "block": 0});
    let expected = json!({"equal": false, "slot": slot, "a": [0, 2], "b": [1, 0], "share_that_agrees": 0.5, "moves": ["register", "lane"]});
    assert_eq!(found, expected);
}

#[test]
fn compare_sees_sizes_orders_and_gaps() {
    let wide = SMALL.replace("[2, 2]", "[2, 4]");
    check_compare(
        &[SMALL, &wide, "4x4"],
        "",
        3,
        "different: in-dim `lane` has size 4 in A and has size 8 in B\n",
    );
    let swizzled = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>";
    check_compare(
        &[SMALL, swizzled, "4x4"],
        "",
        3,
        "different: in-dim `register` has size 2 in A and is missing in B\n",
    );
    let printed = "\n - lane=1 -> (1, 0)\nwhere out dims are: [dim0 (size 2), dim1 (size 1)]\n";
    let turned = "\n - lane=1 -> (0, 1)\nwhere out dims are: [dim1 (size 1), dim0 (size 2)]\n";
    check_compare(
        &[printed, turned],
        "",
        3,
        "different: the out-dims have different orders: (dim0, dim1) in A, (dim1, dim0) in B\n",
    );
    let padded = |gap| format!("#ttg.padded_shared<[4:+{gap}] {{order = [0], shape = [8]}}>");
    check_compare(
        &[&padded(1), &padded(2), "8"],
        "",
        3,
        "different: the elements are in the same order, but the padding after every 4 elements is 1 in A and 2 in B\n",
    );
    let plain = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>";
    check_compare(
        &[plain, &padded(2), "8"],
        "",
        3,
        "different: the elements are in the same order, but the padding after every 4 elements is 0 in A and 2 in B\n",
    );
}

/// Splits a command line into words. A quoted layout is one word, even if it contains blanks.
fn words_of(command: &str) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    for (i, piece) in command.split('\'').enumerate() {
        match i % 2 {
            1 => words.push(piece),
            _ => words.extend(piece.split_whitespace()),
        }
    }
    words
}

/// Checks that all example commands in the help texts run. Commands that name a file of the user are skipped.
#[test]
fn examples_of_the_help_run() {
    let mut run = 0;
    for verb in [
        "show", "eval", "convert", "compare", "explain", "product", "list",
    ] {
        let (_, help, _) = ll_layout(&[verb, "--help"], "");
        for line in help.lines().map(str::trim) {
            let Some(rest) = line.strip_prefix("ll-layout ") else {
                continue;
            };
            if rest.contains("kernel.mlir") || rest.contains("printed-layout.txt") {
                continue;
            }
            let arguments = words_of(rest);
            let (code, output, errors) = ll_layout(&arguments, "");
            assert!(
                matches!(code, 0 | 3) && !output.is_empty(),
                "{line}\n{errors}"
            );
            run += 1;
        }
    }
    assert_eq!(run, 21);
}

#[test]
fn show_has_the_notation_of_tilus() {
    check(
        &["show", SMALL, "4x4", "--view", "grid"],
        "",
        "┌──────┬──────┬──────┬──────┐
│ 0: 0 │ 0: 1 │ 1: 0 │ 1: 1 │
├──────┼──────┼──────┼──────┤
│ 2: 0 │ 2: 1 │ 3: 0 │ 3: 1 │
├──────┼──────┼──────┼──────┤
│ 4: 0 │ 4: 1 │ 5: 0 │ 5: 1 │
├──────┼──────┼──────┼──────┤
│ 6: 0 │ 6: 1 │ 7: 0 │ 7: 1 │
└──────┴──────┴──────┴──────┘
",
    );
}

#[test]
fn a_table_is_as_wide_as_asked_for() {
    check(
        &["show", SMALL, "2x4", "--view", "tensor", "--width", "24"],
        "",
        "2 x 4: dim0 down, dim1 across; a cell is T<4 * warp + lane>:<register>
            0          1
0:  T0:0|T4:0  T0:1|T4:1
1:  T2:0|T6:0  T2:1|T6:1

            2          3
0:  T1:0|T5:0  T1:1|T5:1
1:  T3:0|T7:0  T3:1|T7:1
",
    );
}

#[test]
fn colours_are_for_terminals_and_who_asks() {
    let show = |color: &[&str]| {
        let arguments = [&["show", SMALL, "4x4", "--view", "tensor"], color].concat();
        ll_layout(&arguments, "").1
    };
    let plain = show(&[]);
    assert!(!plain.contains('\u{1b}'));
    assert_eq!(plain, show(&["--color", "never"]));
    let coloured = show(&["--color", "always"]);
    let mut without = String::new();
    for (i, piece) in coloured.split('\u{1b}').enumerate() {
        let (_, text) = piece
            .split_once('m')
            .filter(|_| i > 0)
            .unwrap_or(("", piece));
        without += text;
    }
    let trimmed: Vec<&str> = without.lines().map(str::trim_end).collect();
    assert_eq!(trimmed, plain.lines().collect::<Vec<_>>());
    // Lanes 0 and 1 have colours of their own.
    let colour_of = |cell: &str| {
        let (before, _) = coloured.split_once(cell).unwrap();
        before.rsplit('\u{1b}').next().unwrap().to_owned()
    };
    assert_ne!(colour_of(" T0:0 "), colour_of(" T1:0 "));
}

/// Checks the bank conflicts that `show` finds. With rows of eight vectors and no swizzle, all lanes of a phase
/// access the same four banks.
#[test]
fn show_finds_bank_conflicts() {
    let shared = |max_phase: u32| {
        format!(
            "#ttg.swizzled_shared<{{vec = 8, perPhase = 1, maxPhase = {max_phase}, order = [1, 0]}}>"
        )
    };
    let rows = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>";
    let show = |max_phase: u32| {
        let shared = shared(max_phase);
        let arguments = [
            "show", &shared, "32x64", "--view", "banks", "--type", "f16", "--target", "cuda:90",
            "--access", rows,
        ];
        let (code, output, errors) = ll_layout(&arguments, "");
        assert_eq!((code, errors.as_str()), (0, ""));
        output
    };
    let (plain, swizzled) = (show(1), show(8));
    assert!(
        plain.contains("256 wavefronts where 32 would do, 224 bank conflicts"),
        "{plain}"
    );
    assert!(plain.contains(" !T0 "), "{plain}");
    assert!(plain.contains("     +7:"), "{plain}");
    assert!(
        swizzled.contains("32 wavefronts where 32 would do, no bank conflict"),
        "{swizzled}"
    );
    assert!(!swizzled.contains('!'), "{swizzled}");
    let arguments = [
        "show", SMALL, "4x4", "--view", "banks", "--type", "f16", "--target", "cuda:90",
    ];
    check_failure(
        &arguments,
        1,
        "`--view banks` requires a layout of shared memory",
    );
    let arguments = [
        "show",
        &shared(1),
        "4096x4096",
        "--view",
        "banks",
        "--type",
        "f16",
        "--target",
        "cuda:90",
        "--access",
        rows,
    ];
    check_failure(&arguments, 1, "accesses are planned for at most 2^20");
    let arguments = ["show", &shared(1), "8x64", "--view", "banks"];
    check_failure(
        &arguments,
        1,
        "note: add them, as in `--type f16 --target cuda:90`",
    );
}

#[test]
fn explain_says_what_each_basis_does() {
    check(
        &["explain", SMALL, "2x4"],
        "",
        "a tensor of 2x4 in 2 registers of each of 4 lanes of each of 2 warps
each element is held 2 times
2 neighbours along dim1 lie side by side in registers

register: what its 1 bit does
  register 1: goes on by 1 along dim1
lane: what its 2 bits do
  lane 1: goes on by 2 along dim1
  lane 2: goes on by 1 along dim0
warp: what its 1 bit does
  warp 1: holds a copy of what warp 0 holds
block: has a single index, 0
",
    );
    let swizzled = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 2, order = [1, 0]}>";
    let (_, output, _) = ll_layout(&["explain", swizzled, "2x2", "--json"], "");
    let found: Value = serde_json::from_str(&output).unwrap();
    let words = found["words"].as_array().unwrap();
    let expected =
        json!("  offset 2: goes on by 1 along dim0, and exchanges places 1 apart along dim1");
    assert!(words.contains(&expected), "{output}");
}

const KERNEL: &str = "#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [2], warpsPerCTA = [1], order = [0]}>
tt.func @f(%x: tensor<4xf32, #b>, %y: tensor<8xf16, #b>) { tt.return }
// -----
tt.func @g(%x: tensor<4xf32, #ttg.linear<{register = [], lane = [[1], [2]], warp = [], block = []}>>) { tt.return }
";

#[test]
fn list_finds_the_encodings_of_a_file() {
    check(
        &["list", "-"],
        KERNEL,
        "module 0
#b: line 1, 2 mentions, on 4, 8
  #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [2], warpsPerCTA = [1], order = [0]}>
module 1
#ttg.linear<{register = [], lane = [[1], [2]], warp = [], block = []}>: line 4, 1 mention, on 4
",
    );
    let (_, output, _) = ll_layout(&["list", "-", "--json"], KERNEL);
    let found: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(found[0]["name"], "#b");
    assert_eq!(found[0]["shapes"], json!([[4], [8]]));
    assert_eq!(found[1]["line"], 4);
    check(&["list", "-"], "module {}", "no encodings\n");
    check_failure(&["list", "/no/such/file"], 1, "cannot read `/no/such/file`");
    let (code, page, _) = ll_layout(&["list", "-", "--format", "html"], KERNEL);
    assert_eq!(code, 0);
    assert!(page.contains("#b on 8"), "{page}");
}

#[test]
fn layouts_of_cute_and_tilus_are_encodings() {
    let tilus = "#tilus.register<\"local(2, 1).spatial(8, 4).local(1, 2)\">";
    let cute = "#cute.layout<\"((4,8),(2,2)):((32,1),(16,8))\">";
    let (code, bases, _) = ll_layout(&["show", tilus, "16x8", "--view", "bases"], "");
    assert_eq!(code, 0);
    // The CuTe encoding is no buffer, so it is a layout of threads and values.
    check(&["show", cute, "16x8", "--view", "bases"], "", &bases);
    let module = format!(
        "#tv = {cute}
#smem = #ttg.shared_memory
tt.func @f(%x: tensor<16x8xf32, #tv>, %y: tensor<8x16xf32, #tv>, %z: tensor<16x8xf32, {tilus}>) {{
  %b = ttg.local_alloc : () -> !ttg.memdesc<2x16x8xf32, #cute.layout<\"(16,8):(8,1)\">, #smem, mutable>
"
    );
    check(
        &["list", "-"],
        &module,
        &format!(
            "#tv: line 1, 2 mentions, on 16x8, 8x16
  {cute}
{tilus}: line 3, 1 mention, on 16x8
#cute.layout<\"(16,8):(8,1)\">: line 4, 1 mention, on 16x8
"
        ),
    );
    let (code, page, _) = ll_layout(&["list", "-", "--format", "html"], &module);
    assert_eq!(code, 0);
    assert!(page.contains("#tv on 8x16"), "{page}");
    check_failure(
        &["show", "#cute.layout<\"(8,6):(6,1)\">", "8x6"],
        1,
        "mode 1 has extent 6; expected a power of two, such as 8",
    );
}

/// Runs a command with `--output` and returns the text of the written file. The command must not write to standard
/// output.
fn written(name: &str, arguments: &[&str]) -> String {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let path = file.to_str().unwrap();
    let (code, output, errors) = ll_layout(&[arguments, &["--output", path]].concat(), "");
    assert_eq!((code, output.as_str(), errors.as_str()), (0, "", ""));
    std::fs::read_to_string(file).unwrap()
}

/// Checks an SVG picture. It must contain the given texts, and every XML element must be closed.
#[track_caller]
fn check_picture(picture: &str, texts: &[&str]) {
    assert!(picture.starts_with("<svg xmlns="), "{picture:.80}");
    for text in texts {
        assert!(picture.contains(&format!(">{text}<")), "{text}");
    }
    let mut open = Vec::new();
    for tag in picture.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').expect("a tag ends");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap());
        }
    }
    assert_eq!(open, Vec::<&str>::new());
}

#[test]
fn pictures_have_the_text_of_the_tables() {
    let tensor = written("tensor.svg", &["show", SMALL, "4x4"]);
    check_picture(&tensor, &["T0", "T7", "1"]);
    let matrix = written("matrix.svg", &["show", SMALL, "4x4", "--view", "matrix"]);
    check_picture(&matrix, &["register", "dim1=2", "1", "."]);
    let f16 = ["--type", "f16", "--target", "cuda:90"];
    let moved = written(
        "moved.svg",
        &[&["convert", ROWS, COLUMNS, "16x64"], &f16[..]].concat(),
    );
    check_picture(&moved, &["before", "after", "(3, 16)"]);
    assert!(moved.contains("T0:1 -&gt; "), "arrows");
    let (code, output, _) = ll_layout(&["compare", ROWS, PAIRS, "16x64", "--format", "svg"], "");
    assert_eq!(code, 3);
    check_picture(&output, &["A", "B", "first differences:"]);
    // Several views are drawn below each other, and so are a buffer and its accesses.
    let several = ["show", SMALL, "4x4", "--view", "tensor,matrix"];
    let several = written("several.svg", &several);
    check_picture(&several, &["Tensor", "T7", "Matrix", "dim1=2"]);
    let shared = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>";
    let access = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>";
    let banks = [
        "show", shared, "32x64", "--view", "banks", "--access", access,
    ];
    let banks = written("banks.svg", &[&banks[..], &f16[..]].concat());
    check_picture(
        &banks,
        &[
            "128",
            "62-63",
            "phase 0",
            "access 0: 4 wavefronts in 4 phases, no bank conflict",
        ],
    );
    let bases = ["show", SMALL, "4x4", "--format", "svg", "--view", "bases"];
    check_failure(&bases, 1, "the view `bases` is text");
    let banks = convert(ROWS, COLUMNS, "64x64", &[&f16[..], &["--banks"]].concat());
    assert!(
        banks.contains(", matrix store: ") && banks.contains("phase 0:  "),
        "{banks}"
    );
    let nothing = [&["convert", ROWS, ROWS, "64x64", "--banks"], &f16[..]].concat();
    check_failure(
        &nothing,
        1,
        "no banks to draw: a rename conversion does not use shared memory",
    );
    let arrows = convert(ROWS, PAIRS, "16x16", &[&f16[..], &["--arrows"]].concat());
    assert!(
        arrows.contains("\nT0:2 -> T1:0, element (0, 2)\n"),
        "{arrows}"
    );
}

#[test]
fn a_picture_of_a_large_layout_is_small() {
    for (i, enc) in [ROWS, COLUMNS, PAIRS].into_iter().enumerate() {
        let picture = written(&format!("large{i}.svg"), &["show", enc, "128x128"]);
        check_picture(&picture, &["T127:127"][..0]);
        assert!(picture.len() < 1_000_000, "{} bytes", picture.len());
    }
}

#[test]
fn list_has_the_matrix_instructions_of_a_target() {
    check(
        &["list", "--instructions", "--target", "sm_75"],
        "",
        "matrix instructions of cuda:75, the fastest first; registers of 32 bits of a lane
                     size       types          registers  clocks
                      m  n   k    A    B    D  A  B    D    warp
mma.m16n8k8.f32.f16  16  8   8  f16  f16  f32  2  1    4       2
mma.m16n8k8.f16.f16  16  8   8  f16  f16  f16  2  1    2       2
mma.m8n8k16.i32.i8    8  8  16   i8   i8  i32  1  1    2       2
",
    );
    let json = ["list", "--instructions", "--target", "cuda:75", "--json"];
    let (_, output, _) = ll_layout(&json, "");
    let found: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(
        found[0],
        json!({
            "name": "mma.m16n8k8.f32.f16", "m": 16, "n": 8, "k": 8,
            "types": {"a": "f16", "b": "f16", "d": "f32"},
            "registers": {"a": 2, "b": 1, "d": 4},
            "issue_quarter_clocks": 8,
            "intrinsic": "llvm.nvvm.mma.m16n8k8.row.col.f32.f32"
        })
    );
    let page = [
        "list",
        "--instructions",
        "--target",
        "cuda:80",
        "--format",
        "html",
    ];
    let (code, page, _) = ll_layout(&page, "");
    assert_eq!(code, 0);
    assert!(
        page.contains("\"title\":\"mma.m8n8k4.f64.f64\""),
        "{page:.300}"
    );
    check_failure(
        &["list", "--instructions", "--target", "cuda:81"],
        1,
        "unknown target `cuda:81`",
    );
    check_failure(&["list", "--instructions"], 2, "--target <TARGET>");
    check_failure(&["list"], 2, "<FILE>");
}

#[test]
fn show_draws_the_operands_of_an_instruction() {
    let f64 = ["show", "mma.m8n8k4.f64.f64", "--target", "cuda:80"];
    check(
        &f64,
        "",
        "D = A B + D, m n k = 8 8 4; a cell is T<lane>:<register>
                                          B: k 4 x n 8 of f64, 2 registers a lane
                                                  0      1      2      3      4      5      6      7
                                          0:   T0:0   T4:0   T8:0  T12:0  T16:0  T20:0  T24:0  T28:0
                                          1:   T1:0   T5:0   T9:0  T13:0  T17:0  T21:0  T25:0  T29:0
                                          2:   T2:0   T6:0  T10:0  T14:0  T18:0  T22:0  T26:0  T30:0
                                          3:   T3:0   T7:0  T11:0  T15:0  T19:0  T23:0  T27:0  T31:0
A: m 8 x k 4 of f64, 2 registers a lane   D: m 8 x n 8 of f64, 4 registers a lane
        0      1      2      3                    0      1      2      3      4      5      6      7
0:   T0:0   T1:0   T2:0   T3:0            0:   T0:0   T0:1   T1:0   T1:1   T2:0   T2:1   T3:0   T3:1
1:   T4:0   T5:0   T6:0   T7:0            1:   T4:0   T4:1   T5:0   T5:1   T6:0   T6:1   T7:0   T7:1
2:   T8:0   T9:0  T10:0  T11:0            2:   T8:0   T8:1   T9:0   T9:1  T10:0  T10:1  T11:0  T11:1
3:  T12:0  T13:0  T14:0  T15:0            3:  T12:0  T12:1  T13:0  T13:1  T14:0  T14:1  T15:0  T15:1
4:  T16:0  T17:0  T18:0  T19:0            4:  T16:0  T16:1  T17:0  T17:1  T18:0  T18:1  T19:0  T19:1
5:  T20:0  T21:0  T22:0  T23:0            5:  T20:0  T20:1  T21:0  T21:1  T22:0  T22:1  T23:0  T23:1
6:  T24:0  T25:0  T26:0  T27:0            6:  T24:0  T24:1  T25:0  T25:1  T26:0  T26:1  T27:0  T27:1
7:  T28:0  T29:0  T30:0  T31:0            7:  T28:0  T28:1  T29:0  T29:1  T30:0  T30:1  T31:0  T31:1
",
    );
    let picture = written("instruction.svg", &f64);
    check_picture(
        &picture,
        &[
            "mma.m8n8k4.f64.f64 on cuda:80",
            "A: m 8 x k 4 of f64, 2 registers a lane",
            "T31",
        ],
    );
    // gfx11 requires two copies of each operand. A window limits the rows.
    let wmma = ["show", "wmma.f32.16x16x16.f16", "--target", "gfx1100"];
    let (_, output, _) = ll_layout(&[&wmma[..], &["--rows", "2"]].concat(), "");
    assert!(output.contains(" T0:0|T16:0 "), "{output}");
    assert!(output.contains("\nB: ... 14 more rows\n"), "{output}");
    let (_, output, _) = ll_layout(&["show", "fdot2", "--target", "gfx1100"], "");
    assert!(
        output.contains("B: k 2 x n 1 of f16, 1 register a lane"),
        "{output}"
    );
    let (_, output, _) = ll_layout(&[&f64[..], &["--json"]].concat(), "");
    let found: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(found["k"], 4);
    assert_eq!(
        found["d"],
        json!({
            "bases": [["register", [[0, 1]]], ["lane", [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]]],
            "out_dims": [["m", 8], ["n", 8]]
        })
    );
    let refuse = |rest: &[&str], message: &str| {
        check_failure(&[&["show"], rest].concat(), 1, message);
    };
    refuse(
        &["mma.m16n8k8.f32.f1", "--target", "cuda:80"],
        "error: cuda:80 has no instruction `mma.m16n8k8.f32.f1`
note: the nearest are `mma.m16n8k8.f32.f16`, `mma.m16n8k8.f32.bf16`, `mma.m16n8k16.f32.f16`
note: `ll-layout list --instructions --target cuda:80` lists all instructions
",
    );
    refuse(
        &["mma.m8n8k4.f64.f64", "--target", "cuda:75"],
        "note: targets with `mma.m8n8k4.f64.f64`: cuda:80, cuda:86, ",
    );
    refuse(
        &["wmma.f32.16x16x16.f16"],
        "requires a target GPU\nnote: add `--target` with one of hip:gfx1100, ",
    );
    refuse(
        &["mma.m8n8k4.f64.f64", "8x8x8", "--target", "cuda:80"],
        "the shape 8x8x8 is given for `mma.m8n8k4.f64.f64`, which has the fixed sizes 8x8x4",
    );
    let view = [&f64[1..], &["--view", "bases"]].concat();
    refuse(&view, "note: leave out `--view`");
}

const MMA: &str = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>";

/// Returns the encodings of operands A and B of a matrix instruction. `widths` are the `kWidth` parameters of A and
/// B, the numbers of consecutive elements along k.
fn factors_of_mma(widths: [u32; 2]) -> [String; 2] {
    [0, 1].map(|i| {
        let width = widths[i];
        format!("#ttg.dot_op<{{opIdx = {i}, parent = {MMA}, kWidth = {width}}}>")
    })
}

const HALF: [&str; 6] = ["--type", "f16", "--sum", "f32", "--target", "cuda:80"];

#[test]
fn product_says_which_instruction_multiplies_and_why_others_do_not() {
    let [a, b] = factors_of_mma([2, 2]);
    let product = |b: &str, rest: &[&str]| -> Vec<String> {
        let arguments = [&["product", &a, b, MMA, "64x64x32"], rest].concat();
        arguments.iter().map(|text| (*text).to_owned()).collect()
    };
    let run = |b: &str, rest: &[&str]| {
        let arguments = product(b, &[&HALF[..], rest].concat());
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (code, output, errors) = ll_layout(&arguments, "");
        assert_eq!((code, errors.as_str()), (0, ""));
        output
    };
    bless::check_text(
        &run(&b, &[]),
        "mma.m16n8k16.f32.f16 multiplies 64x64x32 (m, n, k) of f16 into f32 on cuda:80
in each of 4 warps: 16 issues, 32 clocks of a warp
cost: 128 clk (load-store 0, arithmetic 128, waiting 0)
m: 1 2 4 8 -> 1 2 4 8
n: 1 2 4 -> 1 2 4
k: 1 2 4 8 -> 1 2 4 8
conversions: none, the operands already have the layouts of the instruction
registers of a thread: A 16, B 16, D 32
packing: none, the elements of each word are already adjacent
steps of a thread: 32 packs, 16 matrix products

Instructions of these types on cuda:80, without conversions of the operands:
  mma.m16n8k16.f32.f16             16 issues, 32 clocks of a warp
  mma.m16n8k16.f32.f16 transposed  no: in D, the first element of lane 1 is (m, n) = (0, 2), expected n = 0, because lanes 0 and 1 of the instruction differ only in m
  mma.m16n8k8.f32.f16              32 issues, 64 clocks of a warp
  mma.m16n8k8.f32.f16 transposed   no: in D, the first element of lane 1 is (m, n) = (0, 2), expected n = 0, because lanes 0 and 1 of the instruction differ only in m
  fma                              no: in A, the first element of lane 1 is (m, k) = (0, 2), expected (0, 0), as lane 1 of D has m = 0
",
    );
    let [_, wide] = factors_of_mma([2, 4]);
    bless::check_text(
        &run(&wide, &[]),
        "mma.m16n8k16.f32.f16 multiplies 64x64x32 (m, n, k) of f16 into f32 on cuda:80
in each of 4 warps: 16 issues, 32 clocks of a warp
cost: 204 clk (load-store 64, arithmetic 192, waiting 4)
m: 1 2 4 8 -> 1 2 4 8
n: 1 2 4 -> 1 2 4
k: 1 2 4 8 -> 1 2 4 8
conversion of B: shuffle, 144 clk (load-store 128, arithmetic 96, waiting 4)
registers of a thread: A 16, B 16, D 32
packing: none, the elements of each word are already adjacent
steps of a thread: 48 packs, 32 selects, 16 shuffles, 16 unpacks, 16 matrix products

Instructions of these types on cuda:80, without conversions of the operands:
  mma.m16n8k16.f32.f16             no: in B, the first element of lane 1 is (k, n) = (4, 0), expected (2, 0), which is k = 2 in the instruction tile
  mma.m16n8k16.f32.f16 transposed  no: in D, the first element of lane 1 is (m, n) = (0, 2), expected n = 0, because lanes 0 and 1 of the instruction differ only in m
  mma.m16n8k8.f32.f16              no: in B, the first element of lane 1 is (k, n) = (4, 0), expected (2, 0), which is k = 2 in the instruction tile
  mma.m16n8k8.f32.f16 transposed   no: in D, the first element of lane 1 is (m, n) = (0, 2), expected n = 0, because lanes 0 and 1 of the instruction differ only in m
  fma                              no: in A, the first element of lane 1 is (m, k) = (0, 2), expected (0, 0), as lane 1 of D has m = 0
",
    );
    let found: Value = serde_json::from_str(&run(&wide, &["--json", "--steps"])).unwrap();
    assert_eq!(found["instruction"], "mma.m16n8k16.f32.f16");
    assert_eq!(found["issues"], 16);
    assert_eq!(found["conversions"]["a"], Value::Null);
    assert_eq!(found["conversions"]["b"]["kind"], "shuffle");
    assert_eq!(found["renaming"]["n"], json!([[1, 1], [2, 2], [4, 4]]));
    let refused = &found["instructions"][0];
    assert_eq!(refused["name"], "mma.m16n8k16.f32.f16");
    assert!(
        refused["error"].as_str().unwrap().contains("in B"),
        "{refused}"
    );
    assert!(found["program"].as_array().unwrap().len() > 16);
    // Both operands have wide vectors: k is permuted, no operand is converted, and neighbours need no packing.
    let [left, right] = factors_of_mma([4, 4]);
    let arguments = [&["product", &left, &right, MMA, "32x32x64"], &HALF[..]].concat();
    let (_, output, _) = ll_layout(&arguments, "");
    assert!(output.contains("\nk: 1 2 4 8 -> 1 4 8 2\n"), "{output}");
    assert!(output.contains("\npacking: none"), "{output}");
    let picture = written(
        "product.svg",
        &[&["product", &a, &b, MMA, "32x32x16"], &HALF[..]].concat(),
    );
    check_picture(
        &picture,
        &["D: m 32 x n 32 of f32, 8 registers a lane", "T0:0|+1"],
    );
    assert!(
        run(&b, &["--figure"]).contains("coloured: the first mma.m16n8k16.f32.f16 of warp 0\n")
    );
}

#[test]
fn a_product_of_f32_is_as_precise_as_is_asked() {
    let blocked = "#ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>";
    let operand = |i| format!("#ttg.dot_op<{{opIdx = {i}, parent = {blocked}}}>");
    let [left, right] = [operand(0), operand(1)];
    let run = |precision: &str| {
        let f32 = ["--type", "f32", "--sum", "f32", "--target", "sm_90"];
        let rest = ["--input-precision", precision];
        let layouts = ["product", &left, &right, blocked, "16x16x16"];
        ll_layout(&[&layouts[..], &f32, &rest].concat(), "").1
    };
    let [rounded, exact] = [run("tf32"), run("ieee")];
    assert!(rounded.contains("\n  mma.m16n8k8.f32.tf32 "), "{rounded}");
    assert!(exact.starts_with("fma multiplies 16x16x16 (m, n, k) of f32 into f32 on cuda:90\n"));
    assert!(!exact.contains("mma."), "{exact}");
}

#[test]
fn product_refuses_what_is_none() {
    let [a, b] = factors_of_mma([2, 2]);
    let refuse = |layouts: [&str; 3], rest: &[&str], code, message: &str| {
        let arguments = [&["product"], &layouts[..], rest].concat();
        check_failure(&arguments, code, message);
    };
    let with = |sizes: &'static str| -> Vec<&str> { [&[sizes], &HALF[..]].concat() };
    let all = [&*a, &*b, MMA];
    refuse(
        all,
        &HALF,
        1,
        "error: A: an encoding requires the sizes of the product\nnote: add m, n and k after D",
    );
    refuse(
        all,
        &with("64x64"),
        1,
        "number of sizes in `64x64` is 2; expected 3 (m, n, k)",
    );
    refuse(
        all,
        &with("4096x4096x4096"),
        1,
        "A: the layout has 2^25 slots and 2^24 elements",
    );
    refuse(
        ["-", "-", MMA],
        &with("64x64x32"),
        1,
        "standard input can be read only once",
    );
    let lanes = MMA.replace("[2, 2]", "[4, 2]");
    refuse(
        [&a, &b, &lanes],
        &with("64x64x32"),
        1,
        "the layout of A has 4 warps of 32 lanes: expected 8 warps, as in D, and 32 lanes per warp, as on the \
         target",
    );
    let shared = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>";
    refuse(
        [shared, &b, MMA],
        &with("64x64x32"),
        1,
        "A: expected a register layout, with in-dims register, lane and warp; found in-dims offset",
    );
    let typed = |kind: &'static str| {
        [
            "64x64x32", "--type", kind, "--sum", "f32", "--target", "cuda:80",
        ]
    };
    refuse(all, &typed("fp16"), 1, "note: the nearest is `f16`");
    refuse(
        all,
        &typed("f16,f16,f16"),
        1,
        "3 element types are given; expected 1 (for A and B) or 2 (A, then B)",
    );
    let elsewhere = [
        "64x64x32", "--type", "f16", "--sum", "f32", "--target", "cuda:79",
    ];
    refuse(all, &elsewhere, 1, "unknown target `cuda:79`");
    refuse(
        all,
        &["64x64x32", "--type", "f16", "--sum", "f32"],
        2,
        "--target <TARGET>",
    );
}

#[test]
fn shells_and_man_know_every_verb() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, output, _) = ll_layout(&["completion", shell], "");
        assert_eq!(code, 0);
        for verb in ["show", "explain", "product", "compare", "list"] {
            assert!(output.contains(verb), "{shell}: {verb}");
        }
    }
    let (_, page, _) = ll_layout(&["man"], "");
    assert!(page.contains(".TH ll-layout 1"), "{page}");
    let (_, page, _) = ll_layout(&["man", "convert"], "");
    assert!(page.contains("ll\\-layout convert"), "{page}");
    check_failure(&["man", "shwo"], 1, "note: the commands are show, eval");
}

#[test]
fn layouts_of_cute_and_tilus_are_shown_as_they_are() {
    check(
        &["show", "(4,2):(2,1)"],
        "",
        "(4,2):(2,1): mode 0 down, mode 1 across; a cell is <index>
    0  1
0:  0  1
1:  2  3
2:  4  5
3:  6  7
",
    );
    check(
        &["show", "local(1, 2).spatial(3, 1)"],
        "",
        "RegisterLayout(shape=[3, 2], mode_shape=[3, 2], spatial_modes=[0], local_modes=[1])
┌──────┬──────┐
│ 0: 0 │ 0: 1 │
├──────┼──────┤
│ 1: 0 │ 1: 1 │
├──────┼──────┤
│ 2: 0 │ 2: 1 │
└──────┴──────┘
",
    );
    // Other views show the equal linear layout, if there is one.
    check(
        &["show", "local(2, 1).spatial(2, 2)", "--view", "matrix"],
        "",
        "        register  lane
               1  1  2
dim0=1         .  .  1
dim0=2         1  .  .
dim1=1         .  1  .
",
    );
    let three = ["show", "local(1, 2).spatial(3, 1)", "--view", "matrix"];
    check_failure(&three, 1, "the layout is not linear over GF(2): ");
    let picture = written("cute.svg", &["show", "Sw<2,0,3> o 0 o (8,8):(8,1)"]);
    check_picture(&picture, &["63", "mode 0 down"][..1]);
}

#[test]
fn layouts_of_different_systems_are_compared() {
    let tilus = "local(2, 1).spatial(8, 4).local(1, 2)";
    let mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>";
    let cute = "((4,8),(2,2)):((32,1),(16,8))";
    let equal = "equal: both put the same elements in the same places\n";
    for pair in [[tilus, mma], [mma, tilus], [tilus, cute], [cute, tilus]] {
        check_compare(&pair, "", 0, equal);
    }
    check_compare(&[mma, cute, "16x8"], "", 0, equal);
    check_compare(
        &[tilus, "spatial(8, 4).local(2, 2)"],
        "",
        3,
        "different: first in thread 0, where register 2 holds element (8, 0) in A and (1, 0) in B\n",
    );
    check_compare(
        &["(4,2):(2,1)", "8:1"],
        "",
        3,
        "different: first at coordinate 1, which maps to index 2 in A and 1 in B\n",
    );
    check_compare(&["(4,2):(1,4)", "8:1"], "", 0, equal);
    // At any size: modes are compared, not coordinates.
    let large = "(1048576,1048576):(1,1048576)";
    check_compare(&[large, "1099511627776:1"], "", 0, equal);
    check_compare(
        &[large, "(1048576,1048576):(1,1048577)"],
        "",
        3,
        "different: first at coordinate 1048576, which maps to index 1048576 in A and 1048577 in B\n",
    );
    check_compare(
        &["(4,6):(1,8)", "(2,12):(1,2)"],
        "",
        3,
        "different: first at coordinate 4, which maps to index 8 in A and 4 in B\n",
    );
    check_compare(
        &["Sw<1,0,3> o 0 o 16:1", "Sw<1,0,2> o 0 o 16:1"],
        "",
        3,
        "different: first at coordinate 4, which maps to index 4 in A and 5 in B\n",
    );
    check_failure(&["show", large, "--all"], 1, "`--all` draws at most 2^20");
    let (_, output, _) = ll_layout(
        &[
            "show",
            "RegisterLayout(shape=[1], mode_shape=[1], spatial_modes=[-100000000], local_modes=[])",
        ],
        "",
    );
    assert!(output.contains("1022, 1023, ...]: 0"), "{output:.100}");
    let (_, output, _) = ll_layout(&["compare", "(4,2):(2,1)", "8:1", "--json"], "");
    let found: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(
        found,
        json!({"equal": false, "coordinate": 1, "a": 2, "b": 1})
    );
    let shared = "SharedLayout(shape=[8, 64], mode_shape=[8, 64], mode_strides=[64, 1], swizzle=Swizzle(base=3, bits=3, shift=3))";
    let swizzled = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>";
    let (code, output, errors) = ll_layout(&["compare", shared, swizzled], "");
    assert_eq!((code, errors.as_str()), (0, ""), "{output}");
    check_failure(
        &["compare", tilus, shared],
        1,
        "A maps slots to elements, but B maps coordinates to offsets in memory",
    );
}

#[test]
fn layouts_of_other_compilers_are_encodings_too() {
    check(
        &[
            "show",
            "#xegpu.layout<lane_layout = [2, 4], lane_data = [1, 1], order = [0, 1]>",
            "2x8",
        ],
        "",
        " - register=1 -> (0, 4)
 - lane=1 -> (1, 0)
   lane=2 -> (0, 1)
   lane=4 -> (0, 2)
 - warp is a size 1 dimension
 - block is a size 1 dimension
where out dims are: [dim0 (size 2), dim1 (size 8)]

2 x 8: dim0 down, dim1 across; a cell is T<lane>:<register>
       0     1     2     3     4     5     6     7
0:  T0:0  T2:0  T4:0  T6:0  T0:1  T2:1  T4:1  T6:1
1:  T1:0  T3:0  T5:0  T7:0  T1:1  T3:1  T5:1  T7:1
",
    );
    let mosaic = "#mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [1, 2]], warp_dims = [-8], \
                  lane_dims = [-4, -3], vector_dim = -1>";
    let triton = "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], \
                  instrShape = [16, 8, 16]}>";
    let (code, output, errors) = ll_layout(&["compare", mosaic, triton, "64x8"], "");
    assert_eq!(code, 0, "{output}{errors}");
    check_failure(
        &["show", "#xegpu.layout<lane_layout = [2, 4>", "2x8"],
        1,
        "  #xegpu.layout<lane_layout = [2, 4>\n                                   ^\n",
    );
}

#[test]
fn wrong_text_of_any_system_is_marked() {
    check_failure(&["show", "(4,2):(2,1"], 1, "  (4,2):(2,1\n            ^\n");
    check_failure(
        &["show", "local(2, 1).spatal(8, 4)"],
        1,
        "  local(2, 1).spatal(8, 4)\n              ^\nnote: write a Tilus layout as",
    );
    check_failure(
        &["show", "spatial(3, 2)", "4x4"],
        1,
        "the layout has shape 3x2, but the shape argument is 4x4\nnote: remove the shape argument",
    );
}

#[test]
fn a_conversion_takes_layouts_of_tilus() {
    let output = convert(
        "local(2, 1).spatial(8, 4).local(1, 2)",
        "spatial(8, 4).local(2, 2)",
        "16x8",
        &["--type", "f16", "--target", "cuda:90"],
    );
    assert!(
        output.starts_with("shuffle conversion of a tensor of 16x8"),
        "{output}"
    );
}

#[test]
fn ctas_of_a_cluster_exchange_elements() {
    let layout = |cga: &str| {
        format!(
            "#ttg.blocked<{{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], order = [1, 0], \
             CGALayout = {cga}}}>"
        )
    };
    let (src, dst) = (layout("[[1, 0]]"), layout("[[0, 1]]"));
    let output = convert(&src, &dst, "32x64", &["--type", "f16", "--target", "h100"]);
    for line in [
        "why: elements move between CTAs, through the shared memory of the source CTA",
        "steps of a thread: 2 stores, 2 cluster barriers, 2 loads",
        "  local    the strategy `local` does not support a conversion that moves data across",
        ": not possible: in the destination layout, basis 0 of `block` maps to elements that another CTA holds in the",
    ] {
        assert!(output.contains(line), "{line}\n{output}");
    }
}

#[test]
fn an_option_for_the_shape_is_explained() {
    let (code, _, error) = ll_layout(&["show", "(8,4):(4,1)", "--shape", "8x4"], "");
    assert_eq!(code, 2);
    assert!(
        error.contains("tip: the shape follows the layout"),
        "{error}"
    );
}
