//! Random kernels: one per seed, whose memory after simulation must agree with plain evaluation.

use crate::inputs::Finding;
use crate::random_kernels::generate::{exchanges, generate, products};
use crate::random_kernels::kernel::Kernel;
use crate::random_kernels::layouts::layouts;
use crate::random_kernels::run::{Failure, Runner};
use crate::random_kernels::shrink::shrink;
use crate::random_kernels::text;
use crate::tool::Scratch;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Number of kernels that are compiled in one MLIR context. A context keeps all types and attributes, so it is
/// replaced from time to time.
const KERNELS_PER_CONTEXT: u32 = 500;

thread_local! {
    static RUNNER: RefCell<(Runner, u32)> = RefCell::new((Runner::new(), 0));
}

/// Calls `what` with the runner of this worker thread. A panic is returned as a failure.
pub(crate) fn with_runner<T>(
    what: impl FnOnce(&Runner) -> Result<T, (Failure, String)>,
) -> Result<T, (Failure, String)> {
    RUNNER.with_borrow_mut(|(runner, count)| {
        *count += 1;
        if *count > KERNELS_PER_CONTEXT {
            (*runner, *count) = (Runner::new(), 0);
        }
        catch_unwind(AssertUnwindSafe(|| what(runner))).unwrap_or_else(|_| {
            (*runner, *count) = (Runner::new(), 0);
            Err((Failure::Panic, "a panic, see above".to_owned()))
        })
    })
}

type Check = fn(&Runner, &Kernel) -> Result<(), (Failure, String)>;

/// Generates a kernel from a seed and runs it in the simulator. Compares the final memory with that of a direct
/// evaluation of the kernel.
pub(crate) fn check(seed: u64, _: &Scratch) -> Vec<Finding> {
    check_kernel(&generate(seed), Runner::check)
}

/// Generates from a seed a kernel in which threads exchange elements, and checks the kernel as [`check`] does.
pub(crate) fn check_exchanges(seed: u64, _: &Scratch) -> Vec<Finding> {
    check_kernel(&exchanges(seed), Runner::check)
}

/// Generates from a seed a kernel that multiplies matrices, and checks the kernel as [`check`] does.
pub(crate) fn check_products(seed: u64, _: &Scratch) -> Vec<Finding> {
    check_kernel(&products(seed), Runner::check)
}

/// Generates a large kernel from a seed, and checks it as [`check`] does, both before and after layouts are chosen.
pub(crate) fn check_layouts(seed: u64, _: &Scratch) -> Vec<Finding> {
    check_kernel(&layouts(seed), Runner::check)
}

/// Generates a large kernel from a seed, and runs each pass that chooses layouts twice. The second run must change
/// nothing.
pub(crate) fn check_settled(seed: u64, _: &Scratch) -> Vec<Finding> {
    check_kernel(&layouts(seed), Runner::check_settled)
}

/// Generates a kernel from a seed, and replaces some of its layouts by placeholders. The layouts that are inferred
/// for the placeholders must not change the results.
pub(crate) fn check_open(seed: u64, _: &Scratch) -> Vec<Finding> {
    let kernel = if seed.is_multiple_of(4) {
        layouts(seed)
    } else {
        generate(seed)
    };
    check_kernel(&kernel, Runner::check_open)
}

fn check_kernel(kernel: &Kernel, check: Check) -> Vec<Finding> {
    let run = |kernel: &Kernel| with_runner(|runner| check(runner, kernel));
    let Err((failure, _)) = run(kernel) else {
        return Vec::new();
    };
    let small = shrink(kernel, |smaller| {
        run(smaller).is_err_and(|(other, _)| other == failure)
    });
    let message = run(&small).map_or_else(
        |(_, message)| message,
        |()| "the failure is not reproducible".to_owned(),
    );
    let text = text::module(&[&small]);
    vec![Finding {
        command: "ll-opt --convert-layouts-to-llvm INPUT".to_owned(),
        fault: format!("{failure:?}: {message}"),
        source: format!("the generator, made smaller:\n{text}"),
        input: text.into_bytes(),
    }]
}
