//! Reduction of a failing kernel to a smaller one with the same failure.

use super::kernel::{Code, Kernel, KernelOp, KernelRegion, Value};
use std::collections::HashSet;

/// Removes operations from `kernel` as long as `fails` returns true for the smaller kernel. Returns the smallest
/// failing kernel that was found.
pub(crate) fn shrink(kernel: &Kernel, fails: impl Fn(&Kernel) -> bool) -> Kernel {
    let mut best = kernel.clone();
    let mut without = kernel.clone();
    remove_unused(&mut without);
    // An unused operation may be the one that fails.
    let removes_unused = fails(&without);
    if removes_unused {
        best = without;
    }
    loop {
        let mut at = 0;
        let mut improved = false;
        // From the end, so that operands of removed operations become unused.
        while at < count(&best.body) {
            let place = count(&best.body) - 1 - at;
            let mut smaller = best.clone();
            let changed = change(&mut smaller, place);
            if changed && removes_unused {
                remove_unused(&mut smaller);
            }
            if changed && fails(&smaller) {
                improved = true;
                best = smaller;
            } else {
                at += 1;
            }
        }
        if !improved {
            return best;
        }
    }
}

fn count(ops: &[KernelOp]) -> usize {
    ops.iter()
        .map(|op| 1 + op.regions.iter().map(|r| count(&r.ops)).sum::<usize>())
        .sum()
}

/// Removes the operation with the index `place` in a pre-order traversal of the kernel, and replaces its results by
/// zero constants. Returns false if the operation cannot be removed.
fn change(kernel: &mut Kernel, place: usize) -> bool {
    let types = kernel.types.clone();
    let mut left = place;
    change_in(&mut kernel.body, &mut left, &|v| {
        !types[v].element.is_pointer()
    })
    .unwrap_or(false)
}

fn change_in(
    ops: &mut Vec<KernelOp>,
    left: &mut usize,
    is_number: &dyn Fn(Value) -> bool,
) -> Option<bool> {
    for i in 0..ops.len() {
        if *left == 0 {
            return Some(change_one(ops, i, is_number));
        }
        *left -= 1;
        for region in &mut ops[i].regions {
            if let Some(changed) = change_in(&mut region.ops, left, is_number) {
                return Some(changed);
            }
        }
    }
    None
}

fn change_one(ops: &mut Vec<KernelOp>, i: usize, is_number: &dyn Fn(Value) -> bool) -> bool {
    match ops[i].code {
        Code::Constant(_) => return false,
        ref code if code.is_end() => return false,
        _ => {}
    }
    if !ops[i].results.iter().all(|v| is_number(*v)) {
        return false;
    }
    let old = ops.remove(i);
    for result in old.results {
        ops.insert(
            i,
            KernelOp {
                code: Code::Constant(0),
                operands: Vec::new(),
                results: vec![result],
                regions: Vec::new(),
            },
        );
    }
    true
}

/// Removes operations whose results are unused and that have no effect on memory.
pub(crate) fn remove_unused(kernel: &mut Kernel) {
    loop {
        let mut used = HashSet::new();
        collect(&kernel.body, &mut used);
        let before = count(&kernel.body);
        sweep(&mut kernel.body, &used);
        if count(&kernel.body) == before {
            return;
        }
    }
}

fn collect(ops: &[KernelOp], used: &mut HashSet<Value>) {
    for op in ops {
        used.extend(&op.operands);
        for region in &op.regions {
            collect(&region.ops, used);
        }
    }
}

fn sweep(ops: &mut Vec<KernelOp>, used: &HashSet<Value>) {
    ops.retain(|op| op.writes() || op.code.is_end() || op.results.iter().any(|v| used.contains(v)));
    for op in ops {
        for KernelRegion { ops, .. } in &mut op.regions {
            sweep(ops, used);
        }
    }
}
