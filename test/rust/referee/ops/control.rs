//! Tensors that pass through control flow, and code for other groups of warps.

use super::{Module, Rng};
use crate::referee::memory::buffer;
use crate::referee::registers::{any, shape, tensor};
use crate::referee::text::{Attr, Op, OperandSource, Setting, Shaped, Type};

pub(crate) fn loops(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let carried = tensor(rng, &s, "f32");
    let yielded = Op::new("scf.yield").takes_from(OperandSource::Result(0, 0), &carried);
    let other = carried
        .encoding
        .as_ref()
        .map(|_| any(rng, &s, &carried.shape));
    let inner = match rng.below(3) {
        0 => Op::new("arith.addf")
            .takes_from(OperandSource::Region(1), &carried)
            .takes_from(OperandSource::Region(1), &carried)
            .gives(&carried),
        1 => Op::new("tt.precise_sqrt")
            .takes_from(OperandSource::Region(1), &carried)
            .gives(&carried),
        _ => Op::new("ttg.convert_layout")
            .takes_from(OperandSource::Region(1), &carried)
            .gives(carried.with_encoding(other)),
    };
    let after = Op::new("ttg.convert_layout")
        .takes_from(OperandSource::Result(0, 0), &carried)
        .gives(&carried);
    let yielded = if inner.results[0] == Type::from(&carried) {
        vec![inner, yielded]
    } else {
        let back = Op::new("ttg.convert_layout")
            .takes_from(OperandSource::Result(0, 0), &carried)
            .gives(&carried);
        let yielded = Op::new("scf.yield").takes_from(OperandSource::Result(1, 0), &carried);
        vec![inner, back, yielded]
    };
    let op = Op::new("scf.for")
        .takes_all(["i32", "i32", "i32"])
        .takes(&carried)
        .region(vec![Type::from("i32"), (&carried).into()], yielded)
        .gives(&carried);
    Module {
        setting: s,
        ops: vec![op, after],
        called: String::new(),
    }
}

pub(crate) fn conditions(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let values = tensor(rng, &s, "f32");
    let arm = || {
        let made = Op::new("tt.splat").takes("f32").gives(&values);
        let yielded = Op::new("scf.yield").takes_from(OperandSource::Result(0, 0), &values);
        vec![made, yielded]
    };
    let op = Op::new("scf.if")
        .takes("i1")
        .region(Vec::new(), arm())
        .region(Vec::new(), arm())
        .gives(&values);
    Module::new(s, op)
}

pub(crate) fn masked(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let values = tensor(rng, &s, "f32");
    let ops = vec![
        Op::new("tt.splat").takes("f32").gives(&values),
        Op::new("ttg.mask.return").takes_from(OperandSource::Result(0, 0), &values),
    ];
    let op = Op::new("ttg.mask")
        .takes("i1")
        .region(Vec::new(), ops)
        .gives(&values);
    Module::new(s, op)
}

/// Draws the operations of a warp-specialization partition with its own number of warps. Most partitions load the
/// captured buffer to a tensor in a layout for these warps.
fn partition(
    rng: &mut Rng,
    s: &Setting,
    warps: u64,
    captures: &[Type],
    buffer: &Shaped,
) -> Vec<Op> {
    let own = Setting { warps, ..s.clone() };
    let mut ops = Vec::new();
    if rng.chance(75) {
        let values = Shaped::tensor(
            &buffer.shape,
            &buffer.element,
            Some(any(rng, &own, &buffer.shape)),
        );
        ops.push(
            Op::new("ttg.local_load")
                .takes_from(OperandSource::Region(0), captures[0].clone())
                .gives(&values),
        );
    }
    if rng.chance(30) {
        let sizes = shape(rng, 2, 10);
        let values = Shaped::tensor(&sizes, "f32", Some(any(rng, &own, &sizes)));
        ops.push(
            Op::new("arith.constant")
                .with("value", Attr::Text(format!("dense<1.0> : {values}")))
                .gives(&values),
        );
    }
    ops.push(Op::new("ttg.warp_return"));
    ops
}

pub(crate) fn warp_specialize(rng: &mut Rng) -> Module {
    let mut s = Setting::nvidia(rng);
    s.warps = s.warps.max(4);
    let one = buffer(rng, &s);
    let captures = vec![Type::from(&one), Type::from("i32")];
    let count = rng.between(1, 3);
    let warps: Vec<u64> = (0..count).map(|_| rng.power(0, 3)).collect();
    let mut holder = Op::new("ttg.warp_specialize.partitions").takes_all(captures.clone());
    for warps in &warps {
        let ops = partition(rng, &s, *warps, &captures, &one);
        holder = holder.region(captures.clone(), ops);
    }
    let values = tensor(rng, &s, "f32");
    let default = vec![
        Op::new("tt.splat").takes("f32").gives(&values),
        Op::new("ttg.warp_yield").takes_from(OperandSource::Result(0, 0), &values),
    ];
    let sizes = warps.iter().map(|n| *n as i64).collect();
    let mut op = Op::new("ttg.warp_specialize").with("partitionNumWarps", Attr::I32s(sizes));
    if rng.chance(25) {
        let mut next = s.warps;
        let starts = warps
            .iter()
            .map(|n| {
                next += n;
                (next - n) as i64
            })
            .collect();
        op = op.with("warpGroupStartIds", Attr::I32s(starts));
    }
    if rng.chance(25) {
        let registers = warps
            .iter()
            .map(|_| 8 * rng.between(3, 31) as i64)
            .collect();
        let name = rng.choose(&["requestedRegisters", "actualRegisters"]);
        op = op.with(name, Attr::I32s(registers));
    }
    let op = op
        .region(Vec::new(), default)
        .region(Vec::new(), vec![holder])
        .gives(&values);
    Module::new(s, op)
}
