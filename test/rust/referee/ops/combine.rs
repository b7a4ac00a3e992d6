//! Operations that combine or pick elements along a dimension.

use super::{Module, Rng};
use crate::referee::registers::{any, slice, tensor, tensor_of_rank};
use crate::referee::text::{Attr, Op, OperandSource, Setting, Shaped, Type};

/// Returns the arguments and operations of a region that adds two lists of elements pairwise.
fn adding(elements: &[&str], end: &str) -> (Vec<Type>, Vec<Op>) {
    let count = elements.len();
    let taken = elements
        .iter()
        .chain(elements)
        .map(|e| Type::from(*e))
        .collect();
    let mut ops: Vec<Op> = elements
        .iter()
        .enumerate()
        .map(|(i, element)| {
            let name = if element.starts_with('i') {
                "arith.addi"
            } else {
                "arith.addf"
            };
            Op::new(name)
                .takes_from(OperandSource::Region(i), *element)
                .takes_from(OperandSource::Region(count + i), *element)
                .gives(*element)
        })
        .collect();
    ops.push(
        elements
            .iter()
            .enumerate()
            .fold(Op::new(end), |op, (i, e)| {
                op.takes_from(OperandSource::Result(i, 0), *e)
            }),
    );
    (taken, ops)
}

fn sources(rng: &mut Rng, s: &Setting) -> (Vec<Shaped>, Vec<&'static str>) {
    let first = tensor(rng, s, "f32");
    let elements: Vec<&str> = (0..rng.choose(&[1, 1, 1, 2, 3]))
        .map(|_| rng.choose(&["f32", "i32", "f16", "i64"]))
        .collect();
    (elements.iter().map(|e| first.of(e)).collect(), elements)
}

pub(crate) fn reduce(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let (srcs, elements) = sources(rng, &s);
    let axis = rng.below(srcs[0].rank());
    let (taken, ops) = adding(&elements, "tt.reduce.return");
    let results: Vec<Type> = srcs
        .iter()
        .map(|src| {
            let mut small = src.shape.clone();
            small.remove(axis);
            if small.is_empty() {
                return Type::from(src.element.as_str());
            }
            let encoding = src.encoding.as_ref().map(|parent| slice(parent, axis));
            Shaped::tensor(&small, &src.element, encoding).into()
        })
        .collect();
    let op = Op::new("tt.reduce")
        .takes_all(&srcs)
        .i32("axis", axis as i64)
        .region(taken, ops)
        .gives_all(results);
    Module::new(s, op)
}

pub(crate) fn scan(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let (srcs, elements) = sources(rng, &s);
    let (taken, ops) = adding(&elements, "tt.scan.return");
    let op = Op::new("tt.scan")
        .takes_all(&srcs)
        .i32("axis", rng.below(srcs[0].rank()) as i64)
        .with("reverse", Attr::Bool(rng.chance(50)))
        .region(taken, ops)
        .gives_all(&srcs);
    Module::new(s, op)
}

pub(crate) fn gather(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let src = tensor(rng, &s, "f16");
    let axis = rng.below(src.rank());
    let mut picked = src.shape.clone();
    picked[axis] = rng.power(0, 6);
    let encoding = src.encoding.as_ref().map(|_| any(rng, &s, &picked));
    let dst = Shaped::tensor(&picked, "f16", encoding);
    let mut op = Op::new("tt.gather")
        .takes(&src)
        .takes(dst.of(rng.choose(&["i32", "i64", "i16"])))
        .i32("axis", axis as i64)
        .gives(&dst);
    if rng.chance(15) {
        op = op.with("efficient_layout", Attr::Unit);
    }
    Module::new(s, op)
}

pub(crate) fn histogram(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let src = tensor_of_rank(rng, &s, "i32", 1);
    let bins = [rng.power(1, 8)];
    let dst = Shaped::tensor(
        &bins,
        "i32",
        src.encoding.as_ref().map(|_| any(rng, &s, &bins)),
    );
    let mut op = Op::new("tt.histogram").takes(&src);
    if rng.chance(40) {
        op = op.takes(src.of("i1"));
    }
    Module::new(s, op.gives(&dst))
}
