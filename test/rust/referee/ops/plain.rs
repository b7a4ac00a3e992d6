//! Operations without tensors, and calls of functions.

use super::{Module, Rng};
use crate::referee::memory::{barrier, buffer};
use crate::referee::registers::tensor;
use crate::referee::text::{Attr, Op, Setting, Type};

pub(crate) fn program(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let axis = rng.below(3) as i64;
    let op = match rng.below(9) {
        0 => Op::new("tt.get_program_id").i32("axis", axis).gives("i32"),
        1 => Op::new("tt.get_num_programs")
            .i32("axis", axis)
            .gives("i32"),
        2 => Op::new("tt.grid_dependency_wait"),
        3 => Op::new("tt.grid_dependency_launch_dependents"),
        4 => Op::new("ttg.barrier").i32("addrSpace", rng.below(32) as i64),
        5 => Op::new("ttg.global_scratch_alloc")
            .i32("nbytes", rng.power(3, 8) as i64)
            .i32("alignment", rng.power(2, 7) as i64)
            .gives("!tt.ptr<i8>"),
        6 => {
            let op = Op::new("ttg.warp_id");
            let op = if rng.chance(50) {
                op.with("omitUniformHint", Attr::Unit)
            } else {
                op
            };
            op.gives("i32")
        }
        7 => {
            let counter = rng.choose(&["i32", "i64", "index"]);
            let last = rng.below(4) as i64;
            Op::new("ttg.predicate_stage")
                .takes_all([counter; 3])
                .i32("maxStage", last)
                .i32("stage", rng.below(last as usize + 1) as i64)
                .gives("i1")
        }
        _ => Op::new("ttg.inline_asm")
            .takes_all(vec!["i32"; rng.below(3)])
            .with("asm_string", Attr::Text("\"a\"".to_owned()))
            .with("constraints", Attr::Text("\"=r,r\"".to_owned()))
            .with("pure", Attr::Bool(rng.chance(50)))
            .gives_all(vec!["i32"; rng.below(3)]),
    };
    Module::new(s, op)
}

/// Generates a module with one operation. It concerns a CTA cluster, cluster launch control, or a tensor map, or it
/// is an mbarrier operation that names a CTA of the cluster.
pub(crate) fn cluster(rng: &mut Rng) -> Module {
    let mut s = Setting::groups(rng, "cuda:100");
    if rng.chance(70) {
        s.ctas = rng.power(1, 3);
    }
    let op = match rng.below(7) {
        0 => Op::new("ttng.cluster_barrier").with("relaxed", Attr::Bool(rng.chance(50))),
        1 => Op::new("ttng.fence_mbarrier_init_release_cluster"),
        2 => Op::new("ttng.clc_is_canceled").takes("i128").gives("i1"),
        3 => Op::new("ttng.clc_get_program_id")
            .takes("i128")
            .i32("dim", rng.below(3) as i64)
            .gives("i32"),
        4 => Op::new("ttng.tensormap_fenceproxy_acquire").takes("!tt.ptr<i8>"),
        5 => {
            let rank = rng.between(1, 5);
            Op::new("ttng.tensormap_create")
                .takes_all(["!tt.ptr<i8>", "!tt.ptr<f16>"])
                .takes_all(vec!["i32"; 2 * rank])
                .takes_all(vec!["i64"; rank - 1])
                .takes_all(vec!["i32"; rank])
                .i32("elem_type", rng.below(16) as i64)
                .i32("fill_mode", rng.below(2) as i64)
                .i32("interleave_layout", rng.below(3) as i64)
                .i32("swizzle_mode", rng.below(4) as i64)
                .segments(&[1, 1, rank, rank, rank - 1, rank])
        }
        _ => {
            let one = barrier(rng, &s);
            let op =
                Op::new(rng.choose(&["ttng.barrier_expect", "ttng.arrive_barrier"])).takes(&one);
            let expects = op.name == "ttng.barrier_expect";
            let op = if expects {
                op.takes("i1").i32("size", 128_i64)
            } else {
                op.i32("count", rng.between(1, 3) as i64)
            };
            let ctas = s.ctas as usize;
            let op = if expects || rng.chance(50) {
                op.i32("fromCTA", rng.below(ctas) as i64)
            } else {
                op.i32("multicastCTA", rng.below(ctas) as i64)
            };
            return Module::new(s, op);
        }
    };
    Module::new(s, op)
}

/// Generates a module with a call of a function that returns its arguments.
pub(crate) fn call(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let mut types: Vec<Type> = Vec::new();
    for _ in 0..rng.between(1, 3) {
        types.push(match rng.below(4) {
            0 => Type::from("i32"),
            1 => buffer(rng, &s).into(),
            _ => tensor(rng, &s, "f32").into(),
        });
    }
    let names: Vec<String> = (0..types.len()).map(|i| format!("%x{i}")).collect();
    let list: Vec<String> = types.iter().map(Type::to_string).collect();
    let taken: Vec<String> = names
        .iter()
        .zip(&list)
        .map(|(x, t)| format!("{x}: {t}"))
        .collect();
    let never = if rng.chance(40) {
        " attributes {noinline = true}"
    } else {
        ""
    };
    let called = format!(
        "  tt.func private @g({}) -> ({}){never} {{\n    tt.return {} : {}\n  }}\n",
        taken.join(", "),
        list.join(", "),
        names.join(", "),
        list.join(", ")
    );
    let op = Op::new("tt.call")
        .takes_all(types.clone())
        .with("callee", Attr::Text("@g".to_owned()))
        .gives_all(types);
    Module {
        called,
        ..Module::new(s, op)
    }
}
