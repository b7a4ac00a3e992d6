//! Every matrix instruction of every target, from the row to its result: what lies as it takes it is multiplied by it,
//! the simulator gives the product, and the GPU's assembler takes it.

use crate::kernels::Bench;
use crate::mathematics::assemble;
use gpu_sim::{Arg, ElementTy};
use linear_layout::target::{Number, Product, TARGETS, Target, TileBit};
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

/// A type as MLIR spells it, and as the simulator holds it.
fn element_type(number: Number) -> (&'static str, ElementTy) {
    let name = match number {
        Number::Tf32 => Number::F32.ir_name(),
        other => other.ir_name(),
    };
    (name, name.parse().expect("the simulator has the type"))
}

/// `@NAME(a, b, d, out)`: `out = a b + d`.
fn function(name: &str, row: &Product, tensors: &Tensors) -> String {
    let elements = row.types().map(|number| element_type(number).0);
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
    let name = format!("{} on {}", row.name, target.name);
    let mut bench = Bench::with_instruction(&text, &name, None, &format!("\"{intrinsic}\""));
    let mut args = Vec::new();
    for (operand, number) in row.types().into_iter().enumerate() {
        let ([rows, columns], (_, ty)) = (tensors.sizes(operand), element_type(number));
        let places = (0..rows).flat_map(|down| (0..columns).map(move |across| [down, across]));
        let bytes = places.flat_map(|at| {
            let code = ty.encode(element(operand, at)).to_le_bytes();
            code[..ty.bytes()].to_vec()
        });
        args.push(Arg::Buffer(bench.memory.add("operand", bytes.collect())));
    }
    let [m, n, k] = tensors.sizes;
    let (_, sum) = element_type(row.sum);
    let out = bench.untouched(sum, (m * n) as usize);
    args.push(Arg::Buffer(out));
    bench.run([1, 1, 1], args);
    bench.check(out, sum, |at| {
        let (i, j) = (at as u64 / n, at as u64 % n);
        let products = (0..k).map(|k| element(0, [i, k]) * element(1, [k, j]));
        element(2, [i, j]) + products.sum::<f64>()
    });
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
