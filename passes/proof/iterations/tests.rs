use super::Traces;
use crate::passes::proof::functions;
use crate::passes::run_pipeline;
use crate::testing::context;
use melior::Context;
use melior::ir::Module;

/// Pipeline from a kernel with default layouts to the input of `pipeline-loops`.
const LAYOUTS: &str = "coalesce,choose-matrix-instructions,choose-descriptor-encodings,remove-layout-conversions,\
                       reduce-data-duplication{only-cheaper=true},fold-layout-conversions";

const MATMUL: &str = include_str!("../../../test/kernels/blocked/matmul.ttgir");
const DESCRIPTORS: &str = include_str!("../../../test/kernels/blocked/matmul_tma.ttgir");

fn run<'c>(context: &'c Context, text: &str, pipeline: &str) -> Module<'c> {
    let mut module = Module::parse(context, text).expect("the kernel is valid");
    run_pipeline(context, &mut module, pipeline).expect("the passes succeed");
    module
}

fn compare(before: &mut Module<'_>, after: &mut Module<'_>) -> Result<(), String> {
    let mut traces = None;
    crate::sys::rewrite(before, |_, module| {
        traces = Some(Traces::of(functions(module)[0], false));
    });
    let mut found = Ok(());
    crate::sys::rewrite(after, |_, module| {
        let traces: &mut Traces = traces.as_mut().expect("it was read");
        found = traces.compare(functions(module)[0]);
    });
    found
}

/// Checks that the comparison detects changes to a pipelined kernel. Pipelines the kernel, and then changes one
/// line of the result at a time. After each change, the comparison with the original kernel must fail. `change`
/// returns the new text of a line, or `None` to leave the line unchanged.
#[track_caller]
fn is_told(kernel: &str, change: impl Fn(&str) -> Option<String>) {
    let context = context();
    let mut before = run(&context, kernel, LAYOUTS);
    let piped = run(
        &context,
        &before.as_operation().to_string(),
        "pipeline-loops",
    );
    let piped = piped.as_operation().to_string();
    let mut changes = 0;
    for (at, line) in piped.lines().enumerate() {
        let Some(changed) = change(line) else {
            continue;
        };
        assert_ne!(changed, line);
        changes += 1;
        let lines = piped.lines().enumerate();
        let text: Vec<&str> = lines
            .map(|(i, line)| if i == at { &changed } else { line })
            .collect();
        let mut after = Module::parse(&context, &text.join("\n")).expect("the change is valid");
        let found = compare(&mut before, &mut after);
        assert!(found.is_err(), "not told:\n{line}\n{changed}");
    }
    assert!(changes > 0, "nothing was changed in:\n{piped}");
}

#[test]
fn a_pipelined_loop_computes_the_same() {
    let context = context();
    for kernel in [MATMUL, DESCRIPTORS] {
        let mut before = run(&context, kernel, LAYOUTS);
        for stages in [2, 3, 5] {
            let pipeline = format!("pipeline-loops{{num-stages={stages}}}");
            let text = before.as_operation().to_string();
            let mut after = run(&context, &text, &pipeline);
            assert_ne!(after.as_operation().to_string(), text);
            assert_eq!(compare(&mut before, &mut after), Ok(()));
        }
    }
}

#[test]
fn another_slot_is_told() {
    for kernel in [MATMUL, DESCRIPTORS] {
        // The slots of the loop are its arguments, those in front of it constants.
        is_told(kernel, |line| {
            let is_slot = line.contains("memdesc_index") && !line.contains("xi64");
            let (from, to) = ("[%c1_i32", "[%c0_i32");
            (is_slot && line.contains(from)).then(|| line.replace(from, to))
        });
        is_told(kernel, |line| {
            let wraps = line.contains("arith.cmpi sge");
            wraps.then(|| line.replace("sge", "sgt"))
        });
    }
}

#[test]
fn another_iteration_is_told() {
    for kernel in [MATMUL, DESCRIPTORS] {
        is_told(kernel, |line| {
            let is_distance = line.contains("arith.muli %c32_i32, %c2_i32");
            is_distance.then(|| line.replace("%c2_i32", "%c1_i32"))
        });
        // Fewer copies.
        is_told(kernel, |line| {
            let is_end = line.contains("arith.subi") && line.contains("%c2_i32");
            is_end.then(|| line.replace("%c2_i32", "%c32_i32"))
        });
        is_told(kernel, |line| {
            let exists = line.contains("arith.cmpi ugt");
            exists.then(|| line.replace("ugt", "ult"))
        });
    }
}

#[test]
fn another_pointer_is_told() {
    is_told(MATMUL, |line| {
        let is_copy = line.contains("async_copy_global_to_local %arg11");
        is_copy.then(|| line.replace("%arg11", "%19"))
    });
}
