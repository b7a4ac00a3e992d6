//! Every matrix instruction of every target: the lowering selects it for operands in its layout, the simulator computes
//! the product, and the GPU's assembler accepts it.

use crate::kernels::Bench;
use crate::mathematics::assemble;
use gpu_sim::{Arg, ElementTy};
use linear_layout::target::{Number, Product, ScaleBit, ScaleNumber, TARGETS, Target, TileBit};
use std::collections::HashSet;
use std::fmt::Write;

/// A tensor that a test kernel loads: an operand of the matrix product, or the scales of a factor.
struct ProductTensor {
    letter: char,
    sizes: [u64; 2],
    encoding: String,
    /// Element type in MLIR's syntax.
    element: &'static str,
}

/// Returns the tensors A, B and D that a kernel loads. If the instruction has scales, the scales of A and B follow.
///
/// The kernel has two warps. Each computes `tiles` (1 or 2) tiles along m, the same number along n, and one along
/// k. Along m, the tiles of the first warp are followed by those of the second warp. If each lane computes a
/// separate product, this arrangement is repeated along m for each lane.
fn tensors(row: &Product, target: &Target, tiles: u64) -> Vec<ProductTensor> {
    let [m, n, k] = row.sizes();
    let own = if row.is_per_lane() { target.lanes } else { 1 };
    let of_warp = tiles * m;
    let all = [2 * of_warp * u64::from(own), tiles * n, k];
    let place = |bit: &TileBit| match bit {
        TileBit::M(bit) => (0, 1u64 << bit),
        TileBit::N(bit) => (1, 1 << bit),
        TileBit::K(bit) => (2, 1 << bit),
        TileBit::Copy => (3, 0),
    };
    let encoding = |parts: [Vec<[u64; 2]>; 3]| {
        let [registers, lanes, warps] = parts;
        format!(
            "#ttg.linear<{{register = {registers:?}, lane = {lanes:?}, warp = {warps:?}, block = []}}>"
        )
    };
    // Coordinates of an element, along k in units of `2^unit_log2`.
    let basis = |dims: [usize; 2], unit_log2: usize, (dim, value): (usize, u64)| {
        let value = value >> if dim == 2 { unit_log2 } else { 0 };
        dims.map(|own| if own == dim { value } else { 0 })
    };
    let mut tensors = Vec::new();
    for (operand, dims) in [[0, 2], [2, 1], [0, 1]].into_iter().enumerate() {
        let held = &row.operands[operand];
        let packed = held.packed.len();
        let basis = |at| basis(dims, packed, at);
        let list = |places: &[TileBit]| -> Vec<[u64; 2]> {
            places.iter().map(|bit| basis(place(bit))).collect()
        };
        let further = [(0, m), (1, n)].into_iter();
        let further = further
            .filter(|(dim, _)| tiles == 2 && dims.contains(dim))
            .map(basis);
        let alone = (0..own.trailing_zeros()).map(|bit| basis((0, (2 * of_warp) << bit)));
        let [registers, lanes] = [&held.registers, &held.lanes].map(|bits| list(bits));
        tensors.push(ProductTensor {
            letter: ['a', 'b', 'd'][operand],
            sizes: dims.map(|dim| all[dim] >> if dim == 2 { packed } else { 0 }),
            encoding: encoding([
                registers.into_iter().chain(further).collect(),
                lanes.into_iter().chain(alone).collect(),
                vec![basis((0, of_warp))],
            ]),
            element: element_type(row.types()[operand]).0,
        });
    }
    for (factor, scales) in row.scales.iter().flat_map(|s| [(0, s), (1, s)]) {
        let (held, size) = (&scales.operands[factor], [m, n][factor]);
        let block_log2 = usize::from(scales.block_log2);
        let basis = |at| basis([factor, 2], block_log2, at);
        // The second tile is in the lanes that the selector does not use, or else in other registers.
        let bits = |bits: &[ScaleBit]| -> Vec<[u64; 2]> {
            let bits = bits.iter().map(|bit| match bit {
                ScaleBit::Of(bit) => basis(place(bit)),
                ScaleBit::Selected(_) if tiles == 2 => [size, 0],
                ScaleBit::Selected(_) | ScaleBit::Clear => [0, 0],
            });
            bits.collect()
        };
        let lanes = bits(&held.lanes);
        let mut registers = bits(&held.bytes);
        registers.retain(|basis| basis[0] != size);
        if tiles == 2 && !lanes.contains(&[size, 0]) {
            registers.push([size, 0]);
        }
        let warp = if factor == 0 { [of_warp, 0] } else { [0, 0] };
        tensors.push(ProductTensor {
            letter: ['x', 'y'][factor],
            sizes: [all[factor], k >> block_log2],
            encoding: encoding([registers, lanes, vec![warp]]),
            element: match scales.number {
                ScaleNumber::E8m0 => "i8",
                ScaleNumber::E4m3 => Number::E4m3.ir_name(),
            },
        });
    }
    tensors
}

/// Returns the element type in MLIR and in the simulator. Elements of less than a byte are stored in pairs as
/// bytes.
fn element_type(number: Number) -> (&'static str, ElementTy) {
    let name = match number {
        Number::Tf32 => Number::F32.ir_name(),
        Number::E2m1 => "i8",
        other => other.ir_name(),
    };
    (name, name.parse().expect("the simulator has the type"))
}

/// Returns a function `@NAME(a, b, d, out)` that computes `out = a b + d`. With scales, it is
/// `@NAME(a, b, d, x, y, out)`, where `x` and `y` scale the factors.
fn function(name: &str, row: &Product, tensors: &[ProductTensor]) -> String {
    let arguments = tensors.iter();
    let arguments = arguments.map(|t| format!("%{}: !tt.ptr<{}>, ", t.letter, t.element));
    let sum = tensors[2].element;
    let mut text = format!(
        "tt.func public @{name}({}%out: !tt.ptr<{sum}>) {{\n",
        arguments.collect::<String>()
    );
    let mut full = Vec::new();
    for tensor in tensors {
        let ([rows, columns], encoding) = (tensor.sizes, &tensor.encoding);
        let of = |shape: &str, element: &str| format!("tensor<{shape}x{element}, {encoding}>");
        let slice = |size, dim| {
            format!("tensor<{size}xi32, #ttg.slice<{{dim = {dim}, parent = {encoding}}}>>")
        };
        let shape = format!("{rows}x{columns}");
        let (down, across) = (
            of(&format!("{rows}x1"), "i32"),
            of(&format!("1x{columns}"), "i32"),
        );
        let (numbers, element) = (of(&shape, "i32"), tensor.element);
        let (pointers, values) = (
            of(&shape, &format!("!tt.ptr<{element}>")),
            of(&shape, element),
        );
        let l = tensor.letter;
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
    let types: Vec<&str> = full.iter().map(|(values, ..)| &**values).collect();
    let (values, pointers, numbers) = &full[2];
    let [left, right] = row.factors.map(Number::name);
    let product = match &types[..] {
        [a, b, _, x, y] => format!(
            "tt.dot_scaled %avalue scale %xvalue, %bvalue scale %yvalue, %dvalue lhs = {left} rhs = {right} \
             {{fastMath = false}} : {a}, {x} * {b}, {y} -> {values}"
        ),
        _ => format!(
            "tt.dot %avalue, %bvalue, %dvalue, inputPrecision = {precision} : {} * {} -> {values}",
            types[0], types[1]
        ),
    };
    write!(
        text,
        "%sum = {product}
%o0 = tt.splat %out : !tt.ptr<{sum}> -> {pointers}
%o1 = tt.addptr %o0, %d8 : {pointers}, {numbers}
tt.store %o1, %sum : {pointers}
tt.return
}}
"
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

/// Returns the element of an operand at given coordinates. It is a small integer, which every format represents
/// exactly.
fn element(operand: usize, at: [u64; 2]) -> f64 {
    let [down, across] = at;
    let number = match operand {
        0 => 3 * down + 2 * across,
        1 => 4 * down + 3 * across + down * across,
        _ => down + 2 * across,
    };
    f64::from(u8::try_from(number % 5).unwrap()) - 2.0
}

/// Returns the exponent of the power of two that scales a block of a factor.
fn scale(factor: usize, at: [u64; 2]) -> i32 {
    let [own, block] = at;
    let number = [own + 2 * block, 2 * own + block][factor] % 3;
    i32::try_from(number).unwrap() - 1
}

/// Returns the bytes of a tensor's elements in row-major order.
fn bytes(row: &Product, operand: usize, sizes: [u64; 2]) -> Vec<u8> {
    let [rows, columns] = sizes;
    let places = (0..rows).flat_map(|down| (0..columns).map(move |across| [down, across]));
    let bytes = places.flat_map(|at| match (operand, &row.scales) {
        (0..3, _) if row.types()[operand] == Number::E2m1 => {
            // The lower half of a byte comes first along k.
            let dim = 1 - operand;
            let halves = [0, 1].map(|half| {
                let mut at = at;
                at[dim] = 2 * at[dim] + half;
                let number = element(operand, at);
                let size = [0, 2, 4][number.abs() as usize];
                size | if number < 0.0 { 8 } else { 0 }
            });
            vec![halves[0] | halves[1] << 4]
        }
        (0..3, _) => {
            let ty = element_type(row.types()[operand]).1;
            ty.encode(element(operand, at)).to_le_bytes()[..ty.bytes()].to_vec()
        }
        (_, Some(scales)) => {
            let power = scale(operand - 3, at);
            let step = match scales.number {
                ScaleNumber::E8m0 => 1,
                ScaleNumber::E4m3 => 8,
            };
            vec![u8::try_from(i32::from(scales.number.one()) + step * power).unwrap()]
        }
        (_, None) => unreachable!("scales of an instruction without any"),
    });
    bytes.collect()
}

/// Simulates a kernel that uses the instruction `row`, and compares its result with a directly computed matrix
/// product.
fn run(row: &Product, target: &Target) {
    let tensors = tensors(row, target, 2);
    let text = module(target, &function("product", row, &tensors));
    let intrinsic = row
        .intrinsic
        .as_ref()
        .expect("an instruction of a warp or a lane");
    let name = format!("{} on {}", row.name, target.name);
    let mut bench = Bench::with_instruction(&text, &name, None, &format!("\"{intrinsic}\""));
    let mut args = Vec::new();
    for (operand, tensor) in tensors.iter().enumerate() {
        let bytes = bytes(row, operand, tensor.sizes);
        args.push(Arg::Buffer(bench.memory.add("operand", bytes)));
    }
    let [m, n] = tensors[2].sizes;
    let k = row.sizes()[2];
    let (_, sum) = element_type(row.sum);
    let out = bench.untouched(sum, (m * n) as usize);
    args.push(Arg::Buffer(out));
    bench.run([1, 1, 1], args);
    bench.check(out, sum, |at| {
        let (i, j) = (at as u64 / n, at as u64 % n);
        let products = (0..k).map(|k| {
            let power = row.scales.as_ref().map_or(0, |scales| {
                let block = k >> scales.block_log2;
                scale(0, [i, block]) + scale(1, [j, block])
            });
            element(0, [i, k]) * element(1, [k, j]) * 2f64.powi(power)
        });
        element(2, [i, j]) + products.sum::<f64>()
    });
}

#[test]
fn each_gives_the_product() {
    let mut known = HashSet::new();
    for target in TARGETS {
        for row in target
            .products()
            .into_iter()
            .chain(target.scaled_products())
        {
            // Targets share instructions.
            if known.insert((row.name.clone(), row.operands[0].registers.len())) {
                run(&row, target);
            }
        }
    }
    assert!(known.len() >= 150, "{}", known.len());
}

/// Checks that LLVM assembles each instruction. If a processor does not support an intrinsic, LLVM reports an error
/// or emits a call to a function with the name of the intrinsic.
#[test]
fn each_assembles() {
    for target in TARGETS {
        let rows = [target.products(), target.scaled_products()].concat();
        let functions: String = (rows.iter().enumerate())
            .map(|(i, row)| function(&format!("product{i}"), row, &tensors(row, target, 1)))
            .collect();
        if functions.is_empty() {
            continue;
        }
        let text = module(target, &functions);
        let assembly = match assemble("instructions", target.name, &text) {
            Ok(assembly) => assembly,
            // LLVM accepted it; an older or newer assembler does not know the processor.
            Err(message) if message.contains("is not defined for option 'gpu-name'") => continue,
            Err(message) => panic!("{}: {message}", target.name),
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
