//! Operations on one element at a time.

use super::{Module, Rng};
use crate::referee::registers::{FLOATS, INTEGERS, NUMBERS, POINTERS, tensor};
use crate::referee::text::{Attr, Op, OperandSource, Setting, Shaped, Type};

/// Draws the type of an operand: mostly a tensor, sometimes a scalar.
fn operand(rng: &mut Rng, s: &Setting, element: &str) -> Type {
    if rng.chance(8) {
        Type::from(element)
    } else {
        tensor(rng, s, element).into()
    }
}

/// Returns the type with its element type replaced by `element`.
fn like(type_: &Type, element: &str) -> Type {
    match type_ {
        Type::Plain(_) => Type::from(element),
        Type::Shaped(shaped) => shaped.of(element).into(),
    }
}

pub(crate) fn arith(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let float = rng.choose(FLOATS);
    let integer = rng.choose(INTEGERS);
    let (name, element) = rng.choose(&[
        ("arith.addf", float),
        ("arith.mulf", float),
        ("arith.maximumf", float),
        ("math.exp", float),
        ("math.fma", float),
        ("arith.addi", integer),
        ("arith.xori", integer),
        ("arith.cmpi", integer),
        ("arith.select", float),
        ("arith.extf", "f16"),
        ("arith.sitofp", "i32"),
        ("tt.precise_sqrt", float),
        ("tt.precise_divf", float),
        ("tt.approx_divf", float),
        ("tt.mulhiui", integer),
        ("tt.clampf", float),
    ]);
    let type_ = operand(rng, &s, element);
    let op = Op::new(name);
    let op = match name {
        "math.exp" | "tt.precise_sqrt" => op.takes(type_.clone()).gives(type_),
        "math.fma" => op.takes_all([&type_; 3].map(Clone::clone)).gives(type_),
        "tt.clampf" => op
            .takes_all([&type_; 3].map(Clone::clone))
            .i32("propagateNan", rng.choose(&[0_i64, 65535]))
            .gives(type_),
        "arith.cmpi" => op
            .takes_all([&type_; 2].map(Clone::clone))
            .with("predicate", Attr::Text(format!("{} : i64", rng.below(10))))
            .gives(like(&type_, "i1")),
        "arith.select" => op
            .takes(like(&type_, "i1"))
            .takes_all([&type_; 2].map(Clone::clone))
            .gives(type_),
        "arith.extf" | "arith.sitofp" => {
            let wider = like(&type_, "f32");
            op.takes(type_).gives(wider)
        }
        _ => op.takes_all([&type_; 2].map(Clone::clone)).gives(type_),
    };
    Module::new(s, op)
}

pub(crate) fn constant(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = rng.choose(&["f32", "i32", "f16"]);
    let tensor = tensor(rng, &s, element);
    let value = if element == "i32" { "7" } else { "1.0" };
    let op = Op::new("arith.constant")
        .with("value", Attr::Text(format!("dense<{value}> : {tensor}")))
        .gives(&tensor);
    // A constant alone checks nothing of `tt`.
    let last = tensor.shape.clone();
    let splat = Shaped::tensor(&last, element, tensor.encoding.clone());
    Module {
        setting: s,
        ops: vec![
            op,
            Op::new("ttg.convert_layout")
                .takes_from(OperandSource::Result(0, 0), &tensor)
                .gives(splat),
        ],
        called: String::new(),
    }
}

pub(crate) fn cast(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let name = rng.choose(&[
        "tt.bitcast",
        "tt.fp_to_fp",
        "tt.int_to_ptr",
        "tt.ptr_to_int",
    ]);
    let pointer = rng.choose(POINTERS);
    let (from, to) = match name {
        "tt.int_to_ptr" => ("i64", pointer),
        "tt.ptr_to_int" => (pointer, "i64"),
        "tt.fp_to_fp" => (rng.choose(FLOATS), rng.choose(FLOATS)),
        _ => rng.choose(&[
            ("i32", "f32"),
            ("f16", "bf16"),
            ("f8E5M2", "i8"),
            (pointer, "!tt.ptr<i32>"),
            ("i64", "f64"),
            ("f16", "i16"),
        ]),
    };
    let src = operand(rng, &s, from);
    let dst = like(&src, to);
    let mut op = Op::new(name).takes(src).gives(dst);
    if name == "tt.fp_to_fp" && rng.chance(70) {
        op = op.i32("rounding", rng.below(2) as i64);
    }
    Module::new(s, op)
}

pub(crate) fn addptr(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let (pointer, offset) = (rng.choose(POINTERS), rng.choose(&["i32", "i64"]));
    let pointers = operand(rng, &s, pointer);
    let op = Op::new("tt.addptr")
        .takes(pointers.clone())
        .takes(like(&pointers, offset))
        .gives(pointers);
    Module::new(s, op)
}

pub(crate) fn external(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = rng.choose(NUMBERS);
    let type_ = operand(rng, &s, element);
    let text = |text: &str| Attr::Text(format!("\"{text}\""));
    let made = like(&type_, rng.choose(NUMBERS));
    let op = if rng.chance(50) {
        Op::new("tt.extern_elementwise")
            .takes_all(vec![type_; rng.between(1, 3)])
            .with("libname", text("a"))
            .with("libpath", text("b"))
            .with("pure", Attr::Bool(rng.chance(50)))
            .with("symbol", text("c"))
            .gives(made)
    } else {
        Op::new("tt.elementwise_inline_asm")
            .takes_all(vec![type_; rng.between(1, 3)])
            .with("asm_string", text("a"))
            .with("constraints", text("=r,r"))
            .with("packed_element", Attr::I32(rng.power(0, 2) as i64))
            .with("pure", Attr::Bool(rng.chance(50)))
            .gives_all(vec![made; rng.between(1, 2)])
    };
    Module::new(s, op)
}

pub(crate) fn map_elementwise(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = rng.choose(&["f32", "i32"]);
    let tensor = tensor(rng, &s, element);
    let (count, pack) = (rng.between(1, 2), rng.power(0, 2) as usize);
    let taken = vec![Type::from(element); count * pack];
    let made = rng.between(1, 2);
    let returned = (0..made * pack).fold(Op::new("tt.map_elementwise.return"), |op, i| {
        op.takes_from(OperandSource::Region(i % taken.len()), element)
    });
    let op = Op::new("tt.map_elementwise")
        .takes_all(vec![&tensor; count])
        .i32("pack", pack as i64)
        .region(taken, vec![returned])
        .gives_all(vec![&tensor; made]);
    Module::new(s, op)
}

pub(crate) fn packed_arith(rng: &mut Rng) -> Module {
    let s = Setting::nvidia(rng);
    let kind = rng.below(6);
    const ELEMENTS: [&str; 7] = [
        "f32",
        "f16",
        "bf16",
        "f8E5M2",
        "f8E4M3FN",
        "f8E8M0FNU",
        "i8",
    ];
    let tensor = tensor(rng, &s, "f32");
    let count = if kind == 3 { 3 } else { 2 };
    let most = if rng.chance(50) { 1 } else { 5 };
    let made = rng.choose(&ELEMENTS[..most]);
    let mixed = rng.chance(60);
    let srcs: Vec<Shaped> = (0..count)
        .map(|_| tensor.of(if mixed { rng.choose(&ELEMENTS) } else { made }))
        .collect();
    let op = Op::new("ttng.packed_arith")
        .takes_all(srcs)
        .i32("op_kind", kind as i64)
        .gives(tensor.of(made));
    Module::new(s, op)
}

pub(crate) fn print(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = rng.choose(NUMBERS);
    let type_ = operand(rng, &s, element);
    let op = if rng.chance(50) {
        Op::new("tt.assert")
            .takes(like(&type_, "i1"))
            .with("message", Attr::Text("\"m\"".to_owned()))
    } else {
        Op::new("tt.print")
            .takes(type_)
            .with("hex", Attr::Bool(false))
            .with("isSigned", Attr::I32s(vec![1]))
            .with("prefix", Attr::Text("\"p\"".to_owned()))
    };
    Module::new(s, op)
}
