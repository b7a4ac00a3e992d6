//! Tests of matrix instructions against the planner's table and against sums computed by hand.

use super::fragment::Fragments;
use super::number::{Format, ScaleFormat};
use super::statement::{self, Argument, InstructionSpec};
use crate::{Arg, FaultKind, FloatTy, KernelError, Launch, Memory, decode_generic};
use linear_layout::target::{self, Number, Product, ScaleNumber, TARGETS};
use std::collections::HashSet;

fn format_of(number: Number) -> Format {
    match number {
        Number::F16 => Format::F16,
        Number::Bf16 => Format::BF16,
        Number::Tf32 => Format::Tf32,
        Number::F32 => Format::F32,
        Number::F64 => Format::F64,
        Number::I8 => Format::I8,
        Number::I32 => Format::I32,
        Number::E4m3 | Number::E4m3Fnuz => Format::E4m3,
        Number::E5m2 | Number::E5m2Fnuz => Format::E5m2,
        Number::E2m1 => Format::E2m1,
        other => panic!("{other:?} has no format here"),
    }
}

/// Returns the indices of the operands of `row` that are passed as the arguments A, B and C of the intrinsic, in
/// this order. If the row is transposed, the first two indices are exchanged.
fn passed(row: &Product) -> [usize; 3] {
    let operands = row.arguments.iter().filter_map(|argument| match argument {
        target::Argument::Operand(i) => Some(*i),
        target::Argument::Constant { .. }
        | target::Argument::CallIndex { .. }
        | target::Argument::Scales(_)
        | target::Argument::Selector { .. } => None,
    });
    operands.collect::<Vec<_>>().try_into().expect("A, B and C")
}

/// Returns [`own`, `other`] of the [`ElementPosition`](super::fragment::ElementPosition) that a table row defines
/// for the element that `lane` holds at the index `element`. `operand` is the index of the element's matrix among
/// the operands of `row`. `as_` is the index of the argument of the intrinsic to which this matrix is passed: 0 is
/// A, 1 is B, and 2 is C.
fn place_of_row(row: &Product, [operand, as_]: [usize; 2], element: u32, lane: u32) -> [u32; 2] {
    let packed = row.operands[operand].packed.len();
    let register = element as usize >> packed;
    let mut coordinates = row.coordinates(operand, register, lane as usize);
    // Elements of a byte are in ascending k, lowest first.
    if operand < 2 {
        coordinates[1 - operand] += element as usize & ((1 << packed) - 1);
    }
    let [first, second] = coordinates;
    // For B, and for the transposes of A and D, the coordinate `own` comes second.
    let is_swapped = match as_ {
        2 => passed(row)[0] == 1,
        _ => operand == 1,
    };
    let (own, other) = if is_swapped {
        (second, first)
    } else {
        (first, second)
    };
    [own as u32, other as u32]
}

/// Returns a description of the first contradiction between a table row and a specification, or `None` if they
/// agree.
fn contradiction(row: &Product, statement: &InstructionSpec) -> Option<String> {
    let passed = passed(row);
    let numbers = [row.factors[0], row.factors[1], row.sum];
    let formats = passed.map(|operand| format_of(numbers[operand]));
    let has_formats = statement.arguments.contains(&Argument::FormatOf(0));
    if !has_formats && formats != statement.formats {
        return Some(format!(
            "formats {formats:?}, expected {:?}",
            statement.formats
        ));
    }
    let fragments: Fragments = statement.fragments(formats);
    let calls = row.calls.map_or(1, |calls| 1u32 << calls.count_log2);
    let size_k = statement.sizes[2];
    // The row's k of each k of the manual, call after call. NVIDIA's manual uses k directly.
    let mut names = vec![None; (calls * size_k) as usize];
    for (as_, operand) in passed.into_iter().enumerate() {
        let held = &row.operands[operand];
        let (elements, stride) = (fragments.elements(as_), statement.stride(as_));
        let is_split = row.calls.is_some_and(|calls| calls.operand == operand);
        let found =
            (1u32 << (held.registers.len() + held.packed.len())) / if is_split { calls } else { 1 };
        if found != elements * stride && found != elements {
            return Some(format!(
                "operand {as_} of {found} elements, expected {elements}"
            ));
        }
        let propagate_marks = found / elements;
        let places = (0..calls)
            .flat_map(|call| (0..fragments.lanes()).map(move |lane| (call, lane)))
            .flat_map(|(call, lane)| (0..elements).map(move |element| (call, lane, element)));
        for (call, lane, element) in places {
            let place = fragments.place(as_, lane, element);
            let [edge, other_edge] = fragments.shape(as_);
            // With several calls, each call broadcasts another block of A.
            let is_broadcast = row.calls.is_some() && as_ == 0;
            if is_broadcast && place.block != call {
                continue;
            }
            let at = if is_split { call * elements } else { 0 } + element * propagate_marks;
            let [own, other] = place_of_row(row, [operand, as_], at, lane);
            let (expected, expected_other) = match (row.calls, as_) {
                (Some(_), 0) => (place.own, place.other),
                (Some(_), 2) => (place.own, place.block * other_edge + place.other),
                _ => (place.block * edge + place.own, place.other),
            };
            let k = call * size_k + place.other;
            let k = &mut names[if as_ == 2 { 0 } else { k as usize }];
            let is_same = match as_ {
                2 => other == expected_other,
                _ => *k.get_or_insert(other) == other,
            };
            if own != expected || !is_same {
                return Some(format!(
                    "element {element} of lane {lane} of operand {as_} at ({own}, {other}), expected {place:?}"
                ));
            }
        }
    }
    let is_exact = names[0].is_none() || statement.deal == super::FragmentLayout::Mma;
    let size = statement.scales.map(|blocks| blocks.size);
    let is_named = |(k, name): (usize, &Option<u32>)| match (name, size) {
        (None, _) => false,
        (Some(name), _) if is_exact => *name == k as u32,
        (Some(name), Some(size)) => name / size == k as u32 / size,
        (Some(_), None) => true,
    };
    if let Some(at) = names.iter().enumerate().position(|named| !is_named(named)) {
        return Some(format!("k of {at} is {:?}", names[at]));
    }
    if let Some(text) = contradiction_of_scales(row, statement, formats) {
        return Some(text);
    }
    let different: HashSet<_> = names.iter().collect();
    (different.len() != names.len()).then(|| "two k are one".to_owned())
}

/// Returns a description of the first contradiction between a table row and a specification in their scales or
/// formats, or `None` if these agree.
fn contradiction_of_scales(
    row: &Product,
    statement: &InstructionSpec,
    formats: [Format; 3],
) -> Option<String> {
    let (scales, blocks) = match (&row.scales, statement.scales) {
        (None, None) => return None,
        (Some(scales), Some(blocks)) => (scales, blocks),
        found => return Some(format!("scales {found:?}")),
    };
    let format = match scales.number {
        ScaleNumber::E8m0 => ScaleFormat::E8m0,
        ScaleNumber::E4m3 => ScaleFormat::E4m3,
    };
    if (1 << scales.block_log2, format) != (blocks.size, blocks.format) {
        return Some(format!("blocks {blocks:?}"));
    }
    let passed = passed(row);
    if row.arguments.len() != statement.arguments.len() {
        return Some("another number of arguments".to_owned());
    }
    for (argument, stated) in row.arguments.iter().zip(statement.arguments) {
        let is_right = match (*argument, *stated) {
            (target::Argument::Operand(operand), Argument::Matrix(as_))
            | (target::Argument::Scales(operand), Argument::Scales(as_))
            | (
                target::Argument::Selector {
                    factor: operand, ..
                },
                Argument::Selector(as_),
            ) => passed[as_] == operand,
            (target::Argument::Constant { value, .. }, Argument::FormatOf(as_)) => {
                let codes = [(Format::E4m3, 0), (Format::E5m2, 1), (Format::E2m1, 4)];
                codes.contains(&(formats[as_], value))
            }
            (target::Argument::Constant { value, .. }, Argument::Zero | Argument::Hint) => {
                value == 0
            }
            _ => false,
        };
        if !is_right {
            return Some(format!("{argument:?} is passed as {stated:?}"));
        }
    }
    let fragments = statement.fragments(formats);
    for (as_, operand) in passed.into_iter().enumerate().take(2) {
        let [edge, k] = fragments.shape(as_);
        for selector in statement.selectors() {
            let selector = *selector as u32;
            let all = (0..edge).flat_map(|own| (0..k / blocks.size).map(move |b| (own, b)));
            for (own, block) in all {
                let (lane, byte) = fragments.scale(as_, own, block, selector);
                let held = &scales.operands[operand];
                let found = held.coordinates(byte as usize, lane as usize, selector);
                let expected = [own, block * blocks.size].map(|at| at as usize);
                if found != Some(expected) {
                    return Some(format!(
                        "byte {byte} of lane {lane} at {selector} scales {found:?}, expected {expected:?}"
                    ));
                }
            }
        }
    }
    None
}

fn statement_of(row: &Product, target: &target::Target) -> &'static InstructionSpec {
    let name = row.intrinsic.as_deref().expect("an intrinsic");
    let mut all = statement::of_intrinsic(name);
    let found = all.find(|statement| statement.is_on(target));
    found.unwrap_or_else(|| panic!("{name} is not said to be on {}", target.name))
}

#[test]
fn every_row_of_every_target_is_what_the_manuals_say() {
    let mut count = 0;
    for target in TARGETS {
        for row in target
            .products()
            .into_iter()
            .chain(target.scaled_products())
        {
            let statement = statement_of(&row, target);
            if let Some(text) = contradiction(&row, statement) {
                panic!("{} on {}: {text}", row.name, target.name);
            }
            count += 1;
        }
    }
    assert!(count >= 400, "{count}");
}

#[test]
fn a_row_with_two_bits_of_scales_exchanged_is_noticed() {
    let mut count = 0;
    for target in TARGETS {
        for row in target.scaled_products() {
            let statement = statement_of(&row, target);
            let bits = |row: &Product, factor: usize| {
                let held = &row.scales.as_ref().unwrap().operands[factor];
                [&held.lanes[..], &held.bytes].concat()
            };
            for (factor, own) in [0, 1].map(|factor| (factor, bits(&row, factor))) {
                for (a, b) in (0..own.len()).flat_map(|b| (0..b).map(move |a| (a, b))) {
                    if own[a] == own[b] {
                        continue;
                    }
                    let mut wrong = row.clone();
                    let held = &mut wrong.scales.as_mut().unwrap().operands[factor];
                    let mut all = own.clone();
                    all.swap(a, b);
                    held.bytes = all.split_off(held.lanes.len());
                    held.lanes = all;
                    let found = contradiction(&wrong, statement);
                    assert!(
                        found.is_some(),
                        "{} factor {factor} bits {a}, {b}",
                        row.name
                    );
                    count += 1;
                }
            }
        }
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn a_row_with_two_bits_exchanged_is_noticed() {
    let mut count = 0;
    for target in TARGETS {
        for row in target
            .products()
            .into_iter()
            .chain(target.scaled_products())
        {
            let statement = statement_of(&row, target);
            for (operand, is_lane) in (0..3).flat_map(|i| [(i, true), (i, false)]) {
                let held = &row.operands[operand];
                let bits = if is_lane {
                    &held.lanes
                } else {
                    &held.registers
                };
                for (a, b) in (0..bits.len()).flat_map(|b| (0..b).map(move |a| (a, b))) {
                    let mut wrong = row.clone();
                    let held = &mut wrong.operands[operand];
                    let bits = if is_lane {
                        &mut held.lanes
                    } else {
                        &mut held.registers
                    };
                    if bits[a] == bits[b] {
                        continue;
                    }
                    bits.swap(a, b);
                    let found = contradiction(&wrong, statement);
                    assert!(
                        found.is_some(),
                        "{} operand {operand} bits {a}, {b}",
                        row.name
                    );
                    count += 1;
                }
            }
        }
    }
    assert!(count > 10_000, "{count}");
}

/// Each element of D is in one lane. Each element of A and B is in one lane, or in one lane of each half of the wave.
#[test]
fn fragments_cover_their_matrices() {
    for statement in statement::all() {
        let fragments = statement.fragments(statement.formats);
        for operand in 0..3 {
            let [rows, columns] = fragments.shape(operand);
            let all = fragments.blocks() * rows * columns;
            let copies = fragments.lanes() * fragments.elements(operand) / all;
            let mut held = vec![0; all as usize];
            for place in &super::places(fragments)[operand] {
                held[*place as usize] += 1;
            }
            assert!(copies == 1 || operand < 2, "{}", statement.intrinsic);
            assert!(held.iter().all(|n| *n == copies), "{}", statement.intrinsic);
        }
    }
}

/// A kernel with one matrix product. Each lane loads its words of A, B, C and the scales, and stores its words of D.
struct Kernel<'t> {
    target: &'t str,
    lanes: usize,
    intrinsic: &'t str,
    /// Types of the operands. An entry `value : type` is a constant.
    operands: &'t [&'t str],
    result: &'t str,
}

impl Kernel<'_> {
    /// Runs the kernel. `words` maps (lane, index of the word) to an input word. Returns the words of D of each
    /// lane.
    fn run(&self, words: impl Fn(usize, usize) -> u32) -> Result<Vec<Vec<u32>>, KernelError> {
        let (mut body, mut values, mut types) = (String::new(), Vec::new(), Vec::new());
        let mut next = 0;
        for (at, operand) in self.operands.iter().enumerate() {
            if let Some((value, ty)) = operand.split_once(" : ") {
                body += &format!(
                    "%o{at} = \"llvm.mlir.constant\"() <{{value = {value} : {ty}}}> : () -> {ty}\n"
                );
                types.push(ty.to_owned());
            } else {
                body += &format!(
                    "%p{at} = \"llvm.getelementptr\"(%base) <{{elem_type = i32, rawConstantIndices = array<i32: {next}>}}> : (!llvm.ptr<1>) -> !llvm.ptr<1>\n\
                     %o{at} = \"llvm.load\"(%p{at}) <{{alignment = 1 : i64}}> : (!llvm.ptr<1>) -> {operand}\n"
                );
                next += words_of(operand);
                types.push((*operand).to_owned());
            }
            values.push(format!("%o{at}"));
        }
        let (operands, types) = (values.join(", "), types.join(", "));
        let stored = words_of(self.result);
        let (target, lanes, intrinsic, result) =
            (self.target, self.lanes, self.intrinsic, self.result);
        let text = format!(
            "\"builtin.module\"() ({{\n\"llvm.func\"() <{{function_type = !llvm.func<void (ptr<1>, ptr<1>)>, sym_name = \"k\"}}> ({{\n\
             ^bb0(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>):\n\
             %t = {thread} : () -> i32\n\
             %size = \"llvm.mlir.constant\"() <{{value = {next} : i32}}> : () -> i32\n\
             %stored = \"llvm.mlir.constant\"() <{{value = {stored} : i32}}> : () -> i32\n\
             %i = \"llvm.mul\"(%t, %size) : (i32, i32) -> i32\n\
             %j = \"llvm.mul\"(%t, %stored) : (i32, i32) -> i32\n\
             %base = \"llvm.getelementptr\"(%in, %i) <{{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>\n\
             %to = \"llvm.getelementptr\"(%out, %j) <{{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>\n\
             {body}%d = \"llvm.call_intrinsic\"({operands}) <{{intrin = \"{intrinsic}\"}}> : ({types}) -> {result}\n\
             \"llvm.store\"(%d, %to) <{{alignment = 1 : i64}}> : ({result}, !llvm.ptr<1>) -> ()\n\
             \"llvm.return\"() : () -> ()\n}}) {{{kernel}}} : () -> ()\n\
             }}) {{ttg.target = \"{target}\", \"ttg.threads-per-warp\" = {lanes} : i32, \"ttg.num-warps\" = 1 : i32}} : () -> ()",
            thread = if target.starts_with("cuda") {
                "\"nvvm.read.ptx.sreg.tid.x\"()"
            } else {
                "\"rocdl.workitem.id.x\"()"
            },
            kernel = if target.starts_with("cuda") {
                "nvvm.kernel"
            } else {
                "rocdl.kernel"
            },
        );
        let decoded = decode_generic(&text, None)?;
        let mut memory = Memory::default();
        let input = (0..lanes).flat_map(|lane| (0..next).map(move |word| (lane, word)));
        let input = input.flat_map(|(lane, word)| words(lane, word).to_le_bytes());
        let input = memory.add("in", input.collect());
        let out = memory.add("out", vec![0; 4 * stored * lanes]);
        let launch = Launch::new(decoded.machine).args([Arg::Buffer(input), Arg::Buffer(out)]);
        launch.run(&decoded.program, &mut memory)?;
        let bytes = memory.bytes(out).chunks_exact(4);
        let found: Vec<u32> = bytes
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        Ok(found.chunks(stored).map(<[u32]>::to_vec).collect())
    }
}

/// Returns the number of 32-bit words of a type such as `vector<4xf32>`, `i64` or `!llvm.struct<(f32, f32)>`.
fn words_of(ty: &str) -> usize {
    let bits = |scalar: &str| {
        scalar
            .trim_start_matches(['i', 'f', 'b'])
            .parse::<usize>()
            .unwrap()
    };
    let inner = |ty: &str, open| {
        ty.split_once(open)
            .unwrap()
            .1
            .trim_end_matches(['>', ')'])
            .to_owned()
    };
    if ty.starts_with("vector") {
        let inner = inner(ty, '<');
        let (count, scalar) = inner.split_once('x').unwrap();
        return count.parse::<usize>().unwrap() * bits(scalar) / 32;
    }
    if ty.starts_with('!') {
        return inner(ty, '(').split(", ").map(words_of).sum();
    }
    bits(ty) / 32
}

fn floats(words: &[Vec<u32>]) -> Vec<Vec<f32>> {
    let lanes = words.iter();
    lanes
        .map(|lane| lane.iter().map(|word| f32::from_bits(*word)).collect())
        .collect()
}

/// `mma.m16n8k16`: the elements of A are numbered. Column j of B is j + 1 at k = 3, and zero elsewhere. Column j of
/// D is then j + 1 times column 3 of A, plus C.
#[test]
fn mma_follows_the_manual() {
    let kernel = Kernel {
        target: "cuda:80",
        lanes: 32,
        intrinsic: "llvm.nvvm.mma.m16n8k16.row.col.f32.f32",
        operands: &[
            "vector<2xf16>",
            "vector<2xf16>",
            "vector<2xf16>",
            "vector<2xf16>",
            "vector<2xf16>",
            "vector<2xf16>",
            "f32",
            "f32",
            "f32",
            "f32",
        ],
        result: "!llvm.struct<(f32, f32, f32, f32)>",
    };
    let half = |value: usize| FloatTy::F16.from_f64(value as f64) as u32;
    let found = kernel.run(|lane, word| {
        let (group, thread) = (lane / 4, lane % 4);
        // A(i, k) = 16 i + k, in a0 a1 | a2 a3 | a4 a5 | a6 a7.
        let a = |word: usize| {
            let (i, k) = (group + 8 * (word % 2), 2 * thread + 8 * (word / 2));
            half(16 * i + k) | half(16 * i + k + 1) << 16
        };
        // B(k, j) is j + 1 at k = 3: b1 of thread 1.
        let b = |word: usize| {
            if word == 4 && thread == 1 {
                half(group + 1) << 16
            } else {
                0
            }
        };
        match word {
            0..4 => a(word),
            4..6 => b(word),
            _ => 0.5f32.to_bits(),
        }
    });
    for (lane, values) in floats(&found.unwrap()).iter().enumerate() {
        for (at, value) in values.iter().enumerate() {
            let (i, j) = (lane / 4 + 8 * (at / 2), 2 * (lane % 4) + at % 2);
            assert_eq!(
                *value,
                ((16 * i + 3) * (j + 1)) as f32 + 0.5,
                "lane {lane} d{at}"
            );
        }
    }
}

/// An MFMA that computes sixteen independent 4 x 4 products. A lane takes part in product `lane / 4`, and holds one
/// column of D.
#[test]
fn mfma_of_blocks_follows_the_manual() {
    let kernel = Kernel {
        target: "hip:gfx942",
        lanes: 64,
        intrinsic: "llvm.amdgcn.mfma.f32.4x4x1f32",
        operands: &[
            "f32",
            "f32",
            "vector<4xf32>",
            "0 : i32",
            "0 : i32",
            "0 : i32",
        ],
        result: "vector<4xf32>",
    };
    let found = kernel.run(|lane, word| match word {
        0 => (lane as f32).to_bits(),
        1 => (1.0 + lane as f32).to_bits(),
        _ => 0,
    });
    for (lane, values) in floats(&found.unwrap()).iter().enumerate() {
        for (row, value) in values.iter().enumerate() {
            let expect = (lane / 4 * 4 + row) * (lane + 1);
            assert_eq!(*value, expect as f32, "lane {lane} row {row}");
        }
    }
}

/// Lanes 32 to 63 of an MFMA hold the block scales of the upper 32 values of k, even if the elements in these lanes
/// have other values of k.
#[test]
fn scaled_mfma_follows_the_manual() {
    let kernel = |scale: &'static str| Kernel {
        target: "hip:gfx950",
        lanes: 64,
        intrinsic: "llvm.amdgcn.mfma.scale.f32.32x32x64.f8f6f4",
        operands: match scale {
            "i32" => &[
                "vector<8xi32>",
                "vector<4xi32>",
                "vector<16xf32>",
                "0 : i32",
                "4 : i32",
                "1 : i32",
                "i32",
                "0 : i32",
                "i32",
            ],
            _ => &[
                "vector<8xi32>",
                "vector<4xi32>",
                "vector<16xf32>",
                "0 : i32",
                "4 : i32",
                "0 : i32",
                "0 : i32",
                "0 : i32",
                "0 : i32",
            ],
        },
        result: "vector<16xf32>",
    };
    // A is 1.0 (0x38) for k < 16, and 2.0 (0x40) for 32 <= k < 48; both are in lanes 0 to 31. B is 1.0 (2) of E2M1. A's
    // scales are in byte 1.
    let words = |lane: usize, word: usize| match word {
        0..4 if lane < 32 => 0x3838_3838,
        4..8 if lane < 32 => 0x4040_4040,
        8..12 => 0x2222_2222,
        28 => {
            if lane < 32 {
                0x8000
            } else {
                0x8200
            }
        }
        29 => 127,
        _ => 0,
    };
    let found = floats(&kernel("i32").run(words).unwrap());
    assert!(
        found
            .iter()
            .flatten()
            .all(|value| *value == 16.0 * 2.0 + 32.0 * 8.0),
        "{found:?}"
    );
    let found = floats(&kernel("").run(words).unwrap());
    assert!(
        found.iter().flatten().all(|value| *value == 16.0 + 32.0),
        "{found:?}"
    );
}

const WMMA: Kernel<'static> = Kernel {
    target: "hip:gfx1100",
    lanes: 32,
    intrinsic: "llvm.amdgcn.wmma.i32.16x16x16.iu8",
    operands: &[
        "1 : i1",
        "vector<4xi32>",
        "0 : i1",
        "vector<4xi32>",
        "vector<8xi32>",
        "1 : i1",
    ],
    result: "vector<8xi32>",
};

/// All elements of A are -1 and signed, and all elements of B are 255 and unsigned. All elements of C are the
/// smallest 32-bit integer, so the sums saturate.
#[test]
fn wmma_of_integers_saturates_and_takes_signs() {
    let words = |_: usize, word: usize| if word < 8 { u32::MAX } else { 0x8000_0000 };
    let found = WMMA.run(words).unwrap();
    assert!(
        found.iter().flatten().all(|word| *word == 0x8000_0000),
        "{found:x?}"
    );
    let wraps = Kernel {
        operands: &[
            "1 : i1",
            "vector<4xi32>",
            "0 : i1",
            "vector<4xi32>",
            "vector<8xi32>",
            "0 : i1",
        ],
        ..WMMA
    };
    let found = wraps.run(words).unwrap();
    let expect = 0x8000_0000 - 16 * 255;
    assert!(
        found.iter().flatten().all(|word| *word == expect),
        "{found:x?}"
    );
}

#[test]
fn copies_that_differ_are_an_error() {
    let words = |lane: usize, word: usize| u32::from((lane, word) == (20, 1));
    let error = WMMA.run(words).unwrap_err();
    assert_eq!(error.kind(), FaultKind::Poison);
    let text = error.to_string();
    assert!(
        text.starts_with(
            "in A, element 4 is 0x1 in lane 20 and 0x0 in lane 4; expected equal values"
        ),
        "{text}"
    );
}

/// On gfx11, the 16-bit sum is in the upper halves of the registers, and the lower halves are undefined.
#[test]
fn a_sum_of_halves_leaves_the_others_undefined() {
    let kernel = Kernel {
        target: "hip:gfx1100",
        lanes: 32,
        intrinsic: "llvm.amdgcn.wmma.f16.16x16x16.f16",
        operands: &[
            "vector<16xf16>",
            "vector<16xf16>",
            "vector<16xf16>",
            "1 : i1",
        ],
        result: "vector<16xf16>",
    };
    let error = kernel.run(|_, _| 0x3c00_3c00).unwrap_err();
    assert_eq!(error.kind(), FaultKind::Poison);
    assert!(
        error.to_string().contains("only one half of each register"),
        "{error}"
    );
    // gfx12 has no unused halves: 16 ones and C, which is one.
    let kernel = Kernel {
        target: "hip:gfx1201",
        operands: &["vector<8xf16>", "vector<8xf16>", "vector<8xf16>", "0 : i1"],
        result: "vector<8xf16>",
        ..kernel
    };
    let found = kernel.run(|_, _| 0x3c00_3c00).unwrap();
    assert!(
        found.iter().flatten().all(|word| *word == 0x4c40_4c40),
        "{found:x?}"
    );
}

#[track_caller]
fn check_dot(a: [f64; 2], b: [f64; 2], c: f32, expect: f32) {
    let kernel = Kernel {
        target: "hip:gfx942",
        lanes: 64,
        intrinsic: "llvm.amdgcn.fdot2",
        operands: &["vector<2xf16>", "vector<2xf16>", "f32", "0 : i1"],
        result: "f32",
    };
    let pair =
        |[x, y]: [f64; 2]| (FloatTy::F16.from_f64(x) | FloatTy::F16.from_f64(y) << 16) as u32;
    let found = kernel
        .run(|_, word| [pair(a), pair(b), c.to_bits()][word])
        .unwrap();
    let found = f32::from_bits(found[0][0]);
    let is_same = found.to_bits() == expect.to_bits() || found.is_nan() && expect.is_nan();
    assert!(is_same, "{found}, expected {expect}");
}

#[test]
fn sums_are_rounded_once() {
    let tiny = 2f64.powi(-24);
    // Half of the last place of 1.0, twice: lost if each addition rounds to f32.
    check_dot([tiny, tiny], [1.0, 1.0], 1.0, 1.0 + f32::EPSILON);
    check_dot([-0.0, -0.0], [1.0, 1.0], -0.0, -0.0);
    check_dot([-0.0, 0.0], [1.0, 1.0], -0.0, 0.0);
    check_dot([f64::INFINITY, 1.0], [1.0, 1.0], 1.0, f32::INFINITY);
    check_dot(
        [f64::INFINITY, f64::NEG_INFINITY],
        [1.0, 1.0],
        1.0,
        f32::NAN,
    );
    check_dot([f64::INFINITY, 0.0], [0.0, 0.0], 1.0, f32::NAN);
    check_dot([f64::NAN, 0.0], [0.0, 0.0], 1.0, f32::NAN);
    check_dot(
        [65504.0, 65504.0],
        [65504.0, 65504.0],
        0.0,
        2.0 * 65504.0 * 65504.0,
    );
}

#[test]
fn an_instruction_of_another_gpu_is_refused() {
    let kernel = Kernel {
        target: "hip:gfx1201",
        ..WMMA
    };
    let error = kernel.run(|_, _| 0).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("operand 1 has 128 bits in total, expected 64 bits"),
        "{error}"
    );
    let kernel = Kernel {
        target: "hip:gfx1250",
        ..WMMA
    };
    let error = kernel.run(|_, _| 0).unwrap_err();
    assert_eq!(error.kind(), FaultKind::Unsupported);
    let text = error.to_string();
    assert!(
        text.contains("` is not supported on hip:gfx1250; expected hip:gfx11"),
        "{text}"
    );
}
