//! Every matrix instruction of every target, from the row to its result: what lies as it takes it is multiplied by it,
//! the simulator gives the product, and the GPU's assembler takes it.

use crate::kernels::source;
use crate::mathematics::assemble;
use gpu_sim::{Arg, BufferId, ElementTy, Fill, FloatTy, Launch, Memory, initial_bytes};
use linear_layout::target::{Float8, Number, Product, TARGETS, Target, TileBit};
use linear_layout_mlir::simulated;
use std::collections::HashSet;
use std::fmt::Write;

/// The letter and the dims of each operand, among m, n, k.
const OPERANDS: [(char, [usize; 2]); 3] = [('a', [0, 2]), ('b', [2, 1]), ('d', [0, 1])];

/// The tensors of a kernel: four tiles along m, by registers and warps, two along n, one along k; lanes follow m where
/// each multiplies alone.
struct Tensors {
    sizes: [u64; 3],
    encodings: [String; 3],
}

impl Tensors {
    fn around(row: &Product, target: &Target) -> Self {
        let [m, n, k] = row.sizes();
        let own = if row.is_of_lane() { target.lanes } else { 1 };
        let place = |bit: &TileBit| match bit {
            TileBit::M(bit) => (0, 1u64 << bit),
            TileBit::N(bit) => (1, 1 << bit),
            TileBit::K(bit) => (2, 1 << bit),
            TileBit::Copy => (3, 0),
        };
        let encodings = [0, 1, 2].map(|operand| {
            let (_, dims) = OPERANDS[operand];
            let list = |places: Vec<(usize, u64)>| {
                let basis = |(dim, value): &(usize, u64)| {
                    dims.map(|own| if own == *dim { *value } else { 0 })
                };
                format!("{:?}", places.iter().map(basis).collect::<Vec<_>>())
            };
            let held = &row.operands[operand];
            let further = [(0, m), (1, n)]
                .into_iter()
                .filter(|(dim, _)| dims.contains(dim));
            let registers = held.registers.iter().map(place).chain(further).collect();
            let alone = (0..own.trailing_zeros()).map(|bit| (0, (4 * m) << bit));
            let lanes = held.lanes.iter().map(place).chain(alone).collect();
            format!(
                "#ttg.linear<{{register = {}, lane = {}, warp = {}, block = []}}>",
                list(registers),
                list(lanes),
                list(vec![(0, 2 * m)])
            )
        });
        Self {
            sizes: [4 * m * u64::from(own), 2 * n, k],
            encodings,
        }
    }

    fn sizes(&self, operand: usize) -> [u64; 2] {
        OPERANDS[operand].1.map(|dim| self.sizes[dim])
    }
}

fn float8(name: &'static str) -> (&'static str, ElementTy) {
    let format = Float8::of(name).expect("a format of 8 bits");
    (name, ElementTy::Float8(format))
}

/// A type as MLIR spells it, and as the simulator holds it.
fn types(number: Number) -> (&'static str, ElementTy) {
    match number {
        Number::F16 => ("f16", ElementTy::Float(FloatTy::F16)),
        Number::Bf16 => ("bf16", ElementTy::Float(FloatTy::BF16)),
        Number::Tf32 | Number::F32 => ("f32", ElementTy::Float(FloatTy::F32)),
        Number::F64 => ("f64", ElementTy::Float(FloatTy::F64)),
        Number::I8 => ("i8", ElementTy::Int(8)),
        Number::I32 => ("i32", ElementTy::Int(32)),
        Number::E4m3 => float8("f8E4M3FN"),
        Number::E5m2 => float8("f8E5M2"),
        Number::E4m3Fnuz => float8("f8E4M3FNUZ"),
        Number::E5m2Fnuz => float8("f8E5M2FNUZ"),
        other => panic!("no kernel is written for {other:?}"),
    }
}

fn numbers(row: &Product) -> [Number; 3] {
    [row.factors[0], row.factors[1], row.sum]
}

/// `@NAME(a, b, d, out)`: `out = a b + d`.
fn function(name: &str, row: &Product, tensors: &Tensors) -> String {
    let elements = numbers(row).map(|number| types(number).0);
    let [a, b, d] = elements;
    let mut text = format!(
        "tt.func public @{name}(%a: !tt.ptr<{a}>, %b: !tt.ptr<{b}>, %d: !tt.ptr<{d}>, %out: !tt.ptr<{d}>) {{\n"
    );
    let mut full = Vec::new();
    for (operand, (letter, _)) in OPERANDS.into_iter().enumerate() {
        let ([rows, columns], encoding) = (tensors.sizes(operand), &tensors.encodings[operand]);
        let of = |shape: &str, element: &str| format!("tensor<{shape}x{element}, {encoding}>");
        let slice = |size, dim| {
            format!("tensor<{size}xi32, #ttg.slice<{{dim = {dim}, parent = {encoding}}}>>")
        };
        let shape = format!("{rows}x{columns}");
        let (down, across) = (
            of(&format!("{rows}x1"), "i32"),
            of(&format!("1x{columns}"), "i32"),
        );
        let (numbers, element) = (of(&shape, "i32"), elements[operand]);
        let (pointers, values) = (
            of(&shape, &format!("!tt.ptr<{element}>")),
            of(&shape, element),
        );
        let l = letter;
        writeln!(
            text,
            "%{l}0 = tt.make_range {{start = 0 : i32, end = {rows} : i32}} : {row}
%{l}1 = tt.expand_dims %{l}0 {{axis = 1 : i32}} : {row} -> {down}
%{l}2 = arith.constant dense<{columns}> : {down}
%{l}3 = arith.muli %{l}1, %{l}2 : {down}
%{l}4 = tt.broadcast %{l}3 : {down} -> {numbers}
%{l}5 = tt.make_range {{start = 0 : i32, end = {columns} : i32}} : {column}
%{l}6 = tt.expand_dims %{l}5 {{axis = 0 : i32}} : {column} -> {across}
%{l}7 = tt.broadcast %{l}6 : {across} -> {numbers}
%{l}8 = arith.addi %{l}4, %{l}7 : {numbers}
%{l}9 = tt.splat %{l} : !tt.ptr<{element}> -> {pointers}
%{l}at = tt.addptr %{l}9, %{l}8 : {pointers}, {numbers}
%{l}value = tt.load %{l}at : {pointers}",
            row = slice(rows, 1),
            column = slice(columns, 0),
        )
        .unwrap();
        full.push((values, pointers, numbers));
    }
    let precision = if row.factors[0] == Number::Tf32 {
        "tf32"
    } else {
        "ieee"
    };
    let (values, pointers, numbers) = &full[2];
    write!(
        text,
        "%sum = tt.dot %avalue, %bvalue, %dvalue, inputPrecision = {precision} : {} * {} -> {values}
%o0 = tt.splat %out : !tt.ptr<{d}> -> {pointers}
%o1 = tt.addptr %o0, %d8 : {pointers}, {numbers}
tt.store %o1, %sum : {pointers}
tt.return
}}
",
        full[0].0, full[1].0
    )
    .unwrap();
    text
}

fn module(target: &Target, functions: &str) -> String {
    format!(
        r#"module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "{}", "ttg.threads-per-warp" = {} : i32}} {{
{functions}}}
"#,
        target.name, target.lanes
    )
}

/// Small integers, which every format holds.
fn element(operand: usize, at: [u64; 2]) -> f64 {
    let [down, across] = at;
    let number = match operand {
        0 => 3 * down + 2 * across,
        1 => 4 * down + 3 * across + down * across,
        _ => down + 2 * across,
    };
    f64::from(u8::try_from(number % 5).unwrap()) - 2.0
}

/// Runs the kernel of a row on a CPU, and compares with the sum of products.
fn run(row: &Product, target: &Target) {
    let tensors = Tensors::around(row, target);
    let text = module(target, &function("product", row, &tensors));
    let intrinsic = row
        .intrinsic
        .as_ref()
        .expect("an instruction of a warp or a lane");
    let decoded = source::with_lowered(text.as_bytes(), &row.name, None, None, |module| {
        let said = module.to_string();
        assert!(
            said.contains(&format!("\"{intrinsic}\"")),
            "{} is not {intrinsic}:\n{said}",
            row.name
        );
        gpu_sim::decode(&simulated::module(module, &row.name), None).map_err(|e| e.to_string())
    });
    let decoded = decoded.unwrap_or_else(|said| panic!("{}: {said}\n{text}", row.name));
    let mut memory = Memory::default();
    let mut buffers: Vec<BufferId> = Vec::new();
    for (operand, number) in numbers(row).into_iter().enumerate() {
        let ([rows, columns], (_, ty)) = (tensors.sizes(operand), types(number));
        let places = (0..rows).flat_map(|down| (0..columns).map(move |across| [down, across]));
        let bytes = places.flat_map(|at| {
            let code = ty.encode(element(operand, at)).to_le_bytes();
            code[..ty.bytes()].to_vec()
        });
        buffers.push(memory.add("operand", bytes.collect()));
    }
    let [m, n, k] = tensors.sizes;
    let (_, sum) = types(row.sum);
    let out = memory.add("out", initial_bytes(&Fill::Zeros, sum, (m * n) as usize, 0));
    buffers.push(out);
    Launch::new(decoded.machine)
        .dynamic_shared(decoded.info.shared.unwrap_or(0))
        .args(buffers.into_iter().map(Arg::Buffer).collect::<Vec<_>>())
        .run(&decoded.program, &mut memory)
        .unwrap_or_else(|error| panic!("{}: {error}", row.name));
    let bytes = memory.bytes(out);
    for i in 0..m {
        for j in 0..n {
            let products = (0..k).map(|k| element(0, [i, k]) * element(1, [k, j]));
            let expected = element(2, [i, j]) + products.sum::<f64>();
            let found = sum.value(bytes, (i * n + j) as usize);
            assert_eq!(
                found,
                Some(expected),
                "{} on {}: ({i}, {j})",
                row.name,
                target.name
            );
        }
    }
}

#[test]
fn each_gives_the_product() {
    let mut known = HashSet::new();
    for target in TARGETS {
        for row in target.products() {
            // Many targets have the same instructions.
            if known.insert((row.name.clone(), row.operands[0].registers.len())) {
                run(&row, target);
            }
        }
    }
    assert!(known.len() >= 90, "{}", known.len());
}

/// An intrinsic that LLVM does not know for a processor is an error there, or becomes the call of a symbol.
#[test]
fn each_assembles() {
    for target in TARGETS {
        let rows = target.products();
        let functions: String = (rows.iter().enumerate())
            .map(|(i, row)| function(&format!("product{i}"), row, &Tensors::around(row, target)))
            .collect();
        if functions.is_empty() {
            continue;
        }
        let text = module(target, &functions);
        let assembly = match assemble("instructions", target.name, &text) {
            Ok(assembly) => assembly,
            // LLVM took it, an assembler of another age does not know the processor.
            Err(said) if said.contains("is not defined for option 'gpu-name'") => continue,
            Err(said) => panic!("{}: {said}", target.name),
        };
        for symbol in ["gotpcrel", "llvm.amdgcn", "llvm.nvvm"] {
            assert!(
                !assembly.contains(symbol),
                "{} calls `{symbol}`",
                target.name
            );
        }
    }
}
