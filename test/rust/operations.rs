//! Single operations: lowered for GPUs of both vendors, and simulated.

use crate::split_mix::Random;
use gpu_sim::{Arg, FloatTy, Launch, Memory};
use linear_layout_mlir::driver;

/// Name and warp size of test targets of both vendors, with 32 and 64 lanes per warp.
pub(crate) const TARGETS: [(&str, u32); 4] = [
    ("cuda:70", 32),
    ("cuda:90", 32),
    ("hip:gfx942", 64),
    ("hip:gfx1200", 32),
];

/// The elements of an input tensor, each given by its bits.
pub(crate) struct Elements<'a> {
    pub(crate) type_: &'a str,
    pub(crate) bits: Vec<u64>,
}

pub(crate) fn elements(type_: &str, bits: impl IntoIterator<Item = u64>) -> Elements<'_> {
    let bits = bits.into_iter().collect();
    Elements { type_, bits }
}

fn bytes_of(type_: &str) -> usize {
    match type_ {
        "i1" | "i8" => 1,
        _ if type_.starts_with("f8") => 1,
        "i16" | "f16" | "bf16" => 2,
        "i32" | "f32" => 4,
        _ => 8,
    }
}

/// Returns a kernel that loads tensors `%x0`, `%x1`, ... of `count` elements, executes `body`, and stores the
/// tensor `%y`. In the body, `$T` is replaced by the shape, and `$E` by the encoding.
pub(crate) fn kernel(
    (target, lanes): (&str, u32),
    inputs: &[&str],
    result: &str,
    count: usize,
    body: &str,
) -> String {
    let mut text = format!(
        "#e = #ttg.blocked<{{sizePerThread = [2], threadsPerWarp = [{lanes}], warpsPerCTA = [4], order = [0]}}>\n\
         module attributes {{\"ttg.num-warps\" = 4 : i32, ttg.target = \"{target}\", \
         \"ttg.threads-per-warp\" = {lanes} : i32}} {{\n\
         tt.func public @k({}%out: !tt.ptr<{result}>) {{\n\
         %range = tt.make_range {{end = {count} : i32, start = 0 : i32}} : tensor<{count}xi32, #e>\n",
        inputs
            .iter()
            .enumerate()
            .map(|(i, type_)| format!("%p{i}: !tt.ptr<{type_}>, "))
            .collect::<String>()
    );
    let address = |pointer: &str, type_: &str| {
        format!(
            "{pointer}s = tt.splat {pointer} : !tt.ptr<{type_}> -> tensor<{count}x!tt.ptr<{type_}>, #e>\n\
             {pointer}a = tt.addptr {pointer}s, %range : tensor<{count}x!tt.ptr<{type_}>, #e>, tensor<{count}xi32, #e>\n"
        )
    };
    for (i, type_) in inputs.iter().enumerate() {
        text += &address(&format!("%p{i}"), type_);
        // An output is not loaded.
        if body.contains(&format!("%x{i}")) {
            text += &format!("%x{i} = tt.load %p{i}a : tensor<{count}x!tt.ptr<{type_}>, #e>\n");
        }
    }
    text += &body.replace("$T", &count.to_string()).replace("$E", "#e");
    text += "\n";
    text += &address("%out", result);
    text +=
        &format!("tt.store %outa, %y : tensor<{count}x!tt.ptr<{result}>, #e>\ntt.return\n}}\n}}\n");
    text
}

/// Runs the kernel that [`kernel`] returns for `body`. Returns the elements of its result `%y`.
pub(crate) fn run(
    target: (&str, u32),
    inputs: &[Elements<'_>],
    result: &str,
    body: &str,
) -> Vec<u64> {
    let mut memory = run_all(target, inputs, result, body);
    memory.pop().unwrap()
}

/// Runs the kernel that [`kernel`] returns for `body`. Returns the final elements of each input buffer, then those
/// of `%y`.
fn run_all(
    target: (&str, u32),
    inputs: &[Elements<'_>],
    result: &str,
    body: &str,
) -> Vec<Vec<u64>> {
    let count = inputs[0].bits.len();
    let types: Vec<&str> = inputs.iter().map(|input| input.type_).collect();
    let text = kernel(target, &types, result, count, body);
    let decoded = driver::decode(text.as_bytes(), "kernel.mlir", None, None)
        .unwrap_or_else(|e| panic!("{}: {body}\n{e}", target.0));
    let mut memory = Memory::default();
    let mut buffers = Vec::new();
    for input in inputs {
        let width = bytes_of(input.type_);
        let bits = input.bits.iter();
        let bytes = bits.flat_map(|bits| bits.to_le_bytes()[..width].to_vec());
        buffers.push((memory.add("input", bytes.collect()), width));
    }
    let width = bytes_of(result);
    buffers.push((memory.add("output", vec![0xa5; width * count]), width));
    Launch::new(decoded.machine)
        .dynamic_shared(decoded.info.shared.unwrap_or(0))
        .args(
            buffers
                .iter()
                .map(|(b, _)| Arg::Buffer(*b))
                .collect::<Vec<_>>(),
        )
        .run(&decoded.program, &mut memory)
        .unwrap_or_else(|e| panic!("{}: {body}\n{e}", target.0));
    let element = |chunk: &[u8]| {
        let mut bits = [0; 8];
        bits[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(bits)
    };
    buffers
        .into_iter()
        .map(|(buffer, width)| memory.bytes(buffer).chunks(width).map(element).collect())
        .collect()
}

/// Runs `body` on every target, and checks each element of the result. `expected` computes an element from the
/// input elements with the same index.
#[track_caller]
fn check(inputs: &[Elements<'_>], result: &str, body: &str, expected: impl Fn(&[u64]) -> u64) {
    for target in TARGETS {
        let found = run(target, inputs, result, body);
        for (i, found) in found.into_iter().enumerate() {
            let row: Vec<u64> = inputs.iter().map(|input| input.bits[i]).collect();
            let expected = expected(&row);
            assert_eq!(
                found, expected,
                "{}: {body}\nof {row:#x?}: found {found:#x}, expected {expected:#x}",
                target.0
            );
        }
    }
}

/// Returns pseudo-random numbers, the same on each run.
pub(crate) fn noise(count: usize, seed: u64) -> Vec<u64> {
    let mut random = Random(seed);
    (0..count).map(|_| random.next()).collect()
}

/// Returns `count` integers of `bits` bits. The first ones are numbers at which a carry or sign changes; the others
/// are pseudo-random.
fn integers(count: usize, seed: u64, bits: u32) -> Vec<u64> {
    let mask = u64::MAX >> (64 - bits);
    let mut all = noise(count, seed);
    let edges = [
        0,
        1,
        u64::MAX,
        1 << (bits - 1),
        (1 << (bits - 1)) - 1,
        0xffff_ffff,
        1 << 31,
    ];
    for (i, value) in all.iter_mut().take(49).enumerate() {
        *value = edges[if seed == 1 { i % 7 } else { i / 7 }];
    }
    all.into_iter().map(|x| x & mask).collect()
}

const FORMATS: [FloatTy; 4] = [FloatTy::F16, FloatTy::BF16, FloatTy::F32, FloatTy::F64];

/// Returns `count` floats of a format. The first ones are near the limits of narrower formats; the others are
/// pseudo-random.
pub(crate) fn floats(format: FloatTy, count: usize) -> Vec<u64> {
    let shift = 64 - format.bits();
    let mut all: Vec<u64> = noise(count, 7).into_iter().map(|x| x >> shift).collect();
    let edges = [
        0.0,
        1.0,
        65504.0,
        65519.0,
        65520.0,
        65536.0,
        3.4e38,
        3.402_823_5e38,
        1e-8,
        2e-8,
        6e-8,
        5.97e-8,
        6.1e-5,
        1e-40,
        1e-45,
        1e300,
        1e-300,
        5e-324,
        2049.0,
        2051.0,
        1.003_906_25,
        f64::INFINITY,
        f64::NAN,
    ];
    for (i, edge) in edges.into_iter().enumerate() {
        all[2 * i] = format.from_f64(edge);
        all[2 * i + 1] = format.from_f64(-edge);
    }
    all
}

#[test]
fn floats_change_format_as_they_are_told() {
    for from in FORMATS {
        for to in FORMATS {
            if from == to {
                continue;
            }
            let (a, b) = (from.name(), to.name());
            let inputs = [elements(a, floats(from, 1024))];
            let is_nan = |bits| to.to_f64(bits).is_nan();
            let nearest = |row: &[u64]| to.from_f64(from.to_f64(row[0]));
            // All NaNs are equal.
            let same_nan = |expected: u64| if is_nan(expected) { u64::MAX } else { expected };
            let narrows = from.bits() > to.bits() || from.bits() == 16 && to.bits() == 16;
            let roundings: &[&str] = if narrows { &["rtne", "rtz"] } else { &[""] };
            for rounding in roundings {
                let clause = if rounding.is_empty() {
                    String::new()
                } else {
                    format!(", rounding = {rounding}")
                };
                let body = format!(
                    "%y = tt.fp_to_fp %x0{clause} : tensor<$Tx{a}, $E> -> tensor<$Tx{b}, $E>"
                );
                for target in TARGETS {
                    let found = run(target, &inputs, b, &body);
                    for (bits, found) in inputs[0].bits.iter().zip(found) {
                        let mut expected = nearest(&[*bits]);
                        let (before, after) = (from.to_f64(*bits), to.to_f64(expected));
                        if *rounding == "rtz" && after.abs() > before.abs() {
                            expected -= 1;
                        }
                        let found = if is_nan(found) { u64::MAX } else { found };
                        assert_eq!(
                            found,
                            same_nan(expected),
                            "{}: {body} of {before}",
                            target.0
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn products_keep_their_upper_half() {
    for bits in [8u32, 16, 32, 64] {
        let type_ = format!("i{bits}");
        let inputs = [
            elements(&type_, integers(1024, 1, bits)),
            elements(&type_, integers(1024, 2, bits)),
        ];
        let mask = u64::MAX >> (64 - bits);
        let signed = |x: u64| i128::from((x << (64 - bits)).cast_signed() >> (64 - bits));
        for (name, high) in [
            (
                "mulsi_extended",
                (|x: i128, _: u128| x as u128) as fn(i128, u128) -> u128,
            ),
            ("mului_extended", |_, y| y),
        ] {
            // The difference of the halves is stored, so that both are tested.
            let body = format!(
                "%low, %high = arith.{name} %x0, %x1 : tensor<$Tx{type_}, $E>\n\
                 %y = arith.subi %high, %low : tensor<$Tx{type_}, $E>"
            );
            check(&inputs, &type_, &body, |row| {
                let product = high(
                    signed(row[0]) * signed(row[1]),
                    u128::from(row[0]) * u128::from(row[1]),
                );
                ((product >> bits) as u64).wrapping_sub(product as u64) & mask
            });
        }
        let body = format!("%y = tt.mulhiui %x0, %x1 : tensor<$Tx{type_}, $E>");
        check(&inputs, &type_, &body, |row| {
            ((u128::from(row[0]) * u128::from(row[1])) >> bits) as u64
        });
    }
}

#[test]
fn bits_are_kept_by_bitcasts() {
    for (from, to) in [
        ("f32", "i32"),
        ("i16", "bf16"),
        ("f16", "bf16"),
        ("i64", "f64"),
        ("f8E5M2", "i8"),
        ("i8", "f8E4M3FN"),
        ("f8E4M3FNUZ", "f8E5M2FNUZ"),
    ] {
        let mask = u64::MAX >> (64 - 8 * bytes_of(from));
        let inputs = [elements(from, noise(1024, 3).into_iter().map(|x| x & mask))];
        let body = format!("%y = tt.bitcast %x0 : tensor<$Tx{from}, $E> -> tensor<$Tx{to}, $E>");
        check(&inputs, to, &body, |row| row[0]);
    }
}

#[test]
fn addresses_are_numbers() {
    // A pointer is converted to an integer, advanced by one element, and converted back to another pointee type.
    let body = "\
        %a = tt.ptr_to_int %p0a : tensor<$Tx!tt.ptr<i32>, $E> -> tensor<$Txi64, $E>\n\
        %two = arith.constant dense<2> : tensor<$Txi64, $E>\n\
        %b = arith.addi %a, %two : tensor<$Txi64, $E>\n\
        %p = tt.int_to_ptr %b : tensor<$Txi64, $E> -> tensor<$Tx!tt.ptr<i32>, $E>\n\
        %q = tt.bitcast %p : tensor<$Tx!tt.ptr<i32>, $E> -> tensor<$Tx!tt.ptr<i16>, $E>\n\
        %y = tt.load %q : tensor<$Tx!tt.ptr<i16>, $E>";
    let inputs = [elements("i32", noise(1024, 4).into_iter().map(|x| x >> 32))];
    check(&inputs, "i16", body, |row| row[0] >> 16);
}

#[test]
fn floats_of_eight_bits_travel() {
    for type_ in ["f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"] {
        let one: u64 = match type_ {
            "f8E4M3FN" => 0x38,
            "f8E5M2" => 0x3c,
            "f8E4M3FNUZ" => 0x40,
            _ => 0x40,
        };
        // A select between loaded numbers, a constant and a splat, in another layout.
        let body = format!(
            "%ones = arith.constant dense<1.0> : tensor<$Tx{type_}, $E>\n\
             %half = arith.constant 0.5 : {type_}\n\
             %halves = tt.splat %half : {type_} -> tensor<$Tx{type_}, $E>\n\
             %c300 = arith.constant dense<300> : tensor<$Txi32, $E>\n\
             %c600 = arith.constant dense<600> : tensor<$Txi32, $E>\n\
             %m = arith.cmpi slt, %range, %c300 : tensor<$Txi32, $E>\n\
             %n = arith.cmpi slt, %range, %c600 : tensor<$Txi32, $E>\n\
             %a = arith.select %m, %x0, %ones : tensor<$Txi1, $E>, tensor<$Tx{type_}, $E>\n\
             %b = arith.select %n, %a, %halves : tensor<$Txi1, $E>, tensor<$Tx{type_}, $E>\n\
             %c = tt.reshape %b : tensor<$Tx{type_}, $E> -> tensor<32x32x{type_}, #two>\n\
             %d = ttg.convert_layout %c : tensor<32x32x{type_}, #two> -> tensor<32x32x{type_}, #far>\n\
             %f = tt.trans %d {{order = array<i32: 1, 0>}} : tensor<32x32x{type_}, #far> -> tensor<32x32x{type_}, #turned>\n\
             %g = tt.trans %f {{order = array<i32: 1, 0>}} : tensor<32x32x{type_}, #turned> -> tensor<32x32x{type_}, #far>\n\
             %h = ttg.convert_layout %g : tensor<32x32x{type_}, #far> -> tensor<32x32x{type_}, #two>\n\
             %y = tt.reshape %h : tensor<32x32x{type_}, #two> -> tensor<$Tx{type_}, $E>"
        );
        let input = elements(type_, noise(1024, 5).into_iter().map(|x| x & 0xff));
        for target in TARGETS {
            let lanes = target.1;
            let body = body
                .replace(
                    "#two",
                    &format!("#ttg.blocked<{{sizePerThread = [1, 2], threadsPerWarp = [{}, 16], warpsPerCTA = [4, 1], order = [1, 0]}}>", lanes / 16),
                )
                .replace(
                    "#far",
                    &format!("#ttg.blocked<{{sizePerThread = [1, 1], threadsPerWarp = [32, {}], warpsPerCTA = [1, 4], order = [0, 1]}}>", lanes / 32),
                )
                .replace(
                    "#turned",
                    &format!("#ttg.blocked<{{sizePerThread = [1, 1], threadsPerWarp = [{}, 32], warpsPerCTA = [4, 1], order = [1, 0]}}>", lanes / 32),
                );
            let inputs = [elements(type_, input.bits.iter().copied())];
            let found = run(target, &inputs, type_, &body);
            for (i, found) in found.into_iter().enumerate() {
                let expected = match i {
                    0..300 => input.bits[i],
                    300..600 => one,
                    _ => one - (if type_.starts_with("f8E4") { 8 } else { 4 }),
                };
                assert_eq!(found, expected, "{type_} on {}: element {i}", target.0);
            }
        }
    }
}

#[test]
fn cases_are_chosen_by_a_switch() {
    let body = "\
        %c2 = arith.constant 2 : index\n\
        %scalar = tt.load %p1 : !tt.ptr<i32>\n\
        %index = arith.index_cast %scalar : i32 to index\n\
        %y = scf.index_switch %index -> tensor<$Txi32, $E>\n\
        case 2 { scf.yield %x0 : tensor<$Txi32, $E> }\n\
        case 5 {\n\
          %s = arith.addi %x0, %x1 : tensor<$Txi32, $E>\n\
          scf.yield %s : tensor<$Txi32, $E>\n\
        }\n\
        default { scf.yield %x1 : tensor<$Txi32, $E> }";
    for choice in [2u64, 5, 0, 7] {
        let mut second: Vec<u64> = noise(256, 6).into_iter().map(|x| x >> 33).collect();
        second[0] = choice;
        let inputs = [
            elements("i32", noise(256, 8).into_iter().map(|x| x >> 33)),
            elements("i32", second),
        ];
        check(&inputs, "i32", body, |row| match choice {
            2 => row[0],
            5 => row[0] + row[1],
            _ => row[1],
        });
    }
}

#[test]
fn poison_is_any_value_and_an_assumption_no_code() {
    let body = "\
        %p = ub.poison : tensor<$Txi32, $E>\n\
        %zero = arith.constant 0 : i32\n\
        %s = tt.load %p0 : !tt.ptr<i32>\n\
        %t = arith.cmpi sge, %s, %zero : i32\n\
        llvm.intr.assume %t : i1\n\
        %never = arith.constant dense<false> : tensor<$Txi1, $E>\n\
        %y = arith.select %never, %p, %x0 : tensor<$Txi1, $E>, tensor<$Txi32, $E>";
    let inputs = [elements("i32", noise(256, 9).into_iter().map(|x| x >> 33))];
    check(&inputs, "i32", body, |row| row[0]);
}

#[test]
fn two_tensors_become_one_in_any_order() {
    for target in TARGETS {
        let body = "\
            %long = tt.cat %x0, %x1 : tensor<$Txi32, $E> -> tensor<2048xi32, $E>\n\
            %r = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, $E>\n\
            %os = tt.splat %p2 : !tt.ptr<i32> -> tensor<2048x!tt.ptr<i32>, $E>\n\
            %oa = tt.addptr %os, %r : tensor<2048x!tt.ptr<i32>, $E>, tensor<2048xi32, $E>\n\
            tt.store %oa, %long : tensor<2048x!tt.ptr<i32>, $E>\n\
            %y = tt.load %p2a : tensor<$Tx!tt.ptr<i32>, $E>";
        let text = kernel(target, &["i32", "i32", "i32"], "i32", 1024, body);
        let decoded = driver::decode(text.as_bytes(), "kernel.mlir", None, None).unwrap();
        let mut memory = Memory::default();
        let bytes =
            |from: u32, count: u32| (from..from + count).flat_map(u32::to_le_bytes).collect();
        let parts = [
            bytes(0, 1024),
            bytes(1024, 1024),
            vec![0; 8192],
            vec![0; 4096],
        ];
        let buffers = parts.map(|part| memory.add("buffer", part));
        Launch::new(decoded.machine)
            .args(buffers.map(Arg::Buffer).to_vec())
            .run(&decoded.program, &mut memory)
            .unwrap();
        let mut found: Vec<u32> = memory
            .bytes(buffers[2])
            .chunks(4)
            .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
            .collect();
        found.sort_unstable();
        assert!(found.into_iter().eq(0..2048), "{}", target.0);
    }
}

#[test]
fn buffer_stores_leave_masked_elements_alone() {
    for target in [
        ("hip:gfx90a", 64),
        ("hip:gfx942", 64),
        ("hip:gfx1100", 32),
        ("hip:gfx1250", 32),
    ] {
        for type_ in ["i8", "f8E5M2", "f16", "bf16", "f32", "i64", "f64"] {
            let mask = u64::MAX >> (64 - 8 * bytes_of(type_));
            let bits: Vec<u64> = noise(64, 10).into_iter().map(|x| x & mask).collect();
            // 64 elements on more threads: one of the replicas stores each element.
            let body = format!(
                "%c40 = arith.constant dense<40> : tensor<$Txi32, $E>\n\
                 %m = arith.cmpi slt, %range, %c40 : tensor<$Txi32, $E>\n\
                 %y = amdg.buffer_load %p0[%range] : !tt.ptr<{type_}> -> tensor<$Tx{type_}, $E>\n\
                 amdg.buffer_store %y, %p1[%range], %m {{cachePolicy = #tt.cache_policy<cache_modifier = wt, eviction_policy = evict_normal>}} \
                 : !tt.ptr<{type_}> -> tensor<$Tx{type_}, $E>"
            );
            let inputs = [elements(type_, bits.clone()), elements(type_, vec![0; 64])];
            let memory = run_all(target, &inputs, type_, &body);
            assert_eq!(memory[2], bits, "{type_} on {}", target.0);
            for (i, &found) in memory[1].iter().enumerate() {
                let expected = if i < 40 { bits[i] } else { 0 };
                assert_eq!(found, expected, "{type_} on {}: element {i}", target.0);
            }
        }
    }
}

/// Checks accesses of several elements whose masks differ within an access. Threads in which all masks are true use accesses of
/// two elements.
#[test]
fn masks_that_differ_within_an_access() {
    const COUNT: u64 = 1024;
    let bounds = [(0, 0), (0, 1), (0, 517), (3, 1021), (511, 512), (0, 1024)];
    for target in TARGETS {
        for type_ in ["i1", "i8", "f16", "i32", "i64"] {
            for (first, end) in bounds {
                let mask = if type_ == "i1" {
                    1
                } else {
                    u64::MAX >> (64 - 8 * bytes_of(type_))
                };
                let bits: Vec<u64> = noise(1024, 11).into_iter().map(|x| x & mask).collect();
                let body = format!(
                    "%first = arith.constant dense<{first}> : tensor<$Txi32, $E>\n\
                     %end = arith.constant dense<{end}> : tensor<$Txi32, $E>\n\
                     %above = arith.cmpi sle, %first, %range : tensor<$Txi32, $E>\n\
                     %below = arith.cmpi ult, %range, %end : tensor<$Txi32, $E>\n\
                     %m = arith.andi %above, %below : tensor<$Txi1, $E>\n\
                     %zeros = arith.constant dense<{zero}> : tensor<$Tx{type_}, $E>\n\
                     %from = tt.addptr %p0s, %range {{tt.divisibility = dense<16> : tensor<1xi32>, \
                     tt.contiguity = dense<8> : tensor<1xi32>}} : tensor<$Tx!tt.ptr<{type_}>, $E>, tensor<$Txi32, $E>\n\
                     %to = tt.addptr %p1s, %range {{tt.divisibility = dense<16> : tensor<1xi32>, \
                     tt.contiguity = dense<8> : tensor<1xi32>}} : tensor<$Tx!tt.ptr<{type_}>, $E>, tensor<$Txi32, $E>\n\
                     %y = tt.load %from, %m, %zeros : tensor<$Tx!tt.ptr<{type_}>, $E>\n\
                     tt.store %to, %y, %m : tensor<$Tx!tt.ptr<{type_}>, $E>",
                    zero = match type_ {
                        "i1" => "false",
                        "f16" => "0.0",
                        _ => "0",
                    }
                );
                let old: Vec<u64> = bits.iter().map(|x| x ^ mask).collect();
                let inputs = [elements(type_, bits.clone()), elements(type_, old.clone())];
                let memory = run_all(target, &inputs, type_, &body);
                for i in 0..COUNT {
                    let (is_active, at) = ((first..end).contains(&i), i as usize);
                    let expected = if is_active {
                        [bits[at]; 2]
                    } else {
                        [old[at], 0]
                    };
                    let found = [memory[1][at], memory[2][at]];
                    let name = target.0;
                    assert_eq!(
                        found, expected,
                        "{type_} on {name}: element {i} of {first} to {end}"
                    );
                }
            }
        }
    }
}

/// Checks that remainders are exact. LLVM expands `frem` for NVIDIA GPUs to `x - trunc(x / y) * y`. This remainder
/// has the wrong sign if `x` is just below a multiple of `y`, and it is meaningless if the quotient exceeds the
/// precision of the type.
#[test]
fn remainders_are_exact() {
    let special = |exponents: &[i32], one: f64| -> Vec<f64> {
        let powers = exponents.iter().map(|e| f64::powi(2.0, *e));
        let around = powers.flat_map(|p| [p, p * (1.0 + one), p * (1.5 - one), -p]);
        let rest = [
            0.0,
            -0.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            3.0,
            0.1,
            -7.3,
        ];
        around.chain(rest).collect()
    };
    let narrow = special(
        &[-149, -140, -126, -60, -1, 0, 1, 21, 22, 23, 40, 100, 127],
        f64::powi(2.0, -23),
    );
    let wide = special(
        &[-1074, -1022, -1, 0, 1, 50, 51, 60, 600, 1023],
        f64::EPSILON,
    );
    let pairs = |list: &[f64]| -> Vec<(f64, f64)> {
        list.iter()
            .flat_map(|x| list.iter().map(|y| (*x, *y)))
            .collect()
    };
    let random = noise(4096, 77);
    let mut singles: Vec<(f32, f32)> = pairs(&narrow)
        .iter()
        .map(|(x, y)| (*x as f32, *y as f32))
        .collect();
    singles.extend(random.chunks(2).map(|bits| {
        (
            f32::from_bits(bits[0] as u32),
            f32::from_bits(bits[1] as u32),
        )
    }));
    // Just below a multiple, where the rounded quotient is too large.
    singles.extend(random.chunks(2).map(|bits| {
        let y = 1.0 + (bits[0] >> 40) as f32 * f32::powi(2.0, -24);
        let multiple = (1 + bits[1] % 4000) as f32 * y;
        (multiple.next_down(), y)
    }));
    let mut doubles = pairs(&wide);
    doubles.extend(
        random
            .chunks(2)
            .map(|bits| (f64::from_bits(bits[0]), f64::from_bits(bits[1]))),
    );
    let body = |type_: &str| format!("%y = arith.remf %x0, %x1 : tensor<$Tx{type_}, $E>");
    for target in [("cuda:80", 32), ("cuda:90", 32), ("hip:gfx942", 64)] {
        let count = singles.len().next_power_of_two();
        let padded = singles
            .iter()
            .copied()
            .chain(std::iter::repeat((5.0, 3.0)))
            .take(count);
        let (x, y): (Vec<f32>, Vec<f32>) = padded.unzip();
        let bits = |list: &[f32]| {
            list.iter()
                .map(|x| u64::from(x.to_bits()))
                .collect::<Vec<_>>()
        };
        let inputs = [elements("f32", bits(&x)), elements("f32", bits(&y))];
        for ((x, y), found) in x
            .iter()
            .zip(&y)
            .zip(run(target, &inputs, "f32", &body("f32")))
        {
            let (expected, found) = (x % y, f32::from_bits(found as u32));
            let same = expected.to_bits() == found.to_bits() || expected.is_nan() && found.is_nan();
            assert!(
                same,
                "{}: {x:e} % {y:e} is {expected:e}, not {found:e}",
                target.0
            );
        }
        let count = doubles.len().next_power_of_two();
        let padded = doubles
            .iter()
            .copied()
            .chain(std::iter::repeat((5.0, 3.0)))
            .take(count);
        let (x, y): (Vec<f64>, Vec<f64>) = padded.unzip();
        let bits = |list: &[f64]| list.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let inputs = [elements("f64", bits(&x)), elements("f64", bits(&y))];
        for ((x, y), found) in x
            .iter()
            .zip(&y)
            .zip(run(target, &inputs, "f64", &body("f64")))
        {
            let (expected, found) = (x % y, f64::from_bits(found));
            let same = expected.to_bits() == found.to_bits() || expected.is_nan() && found.is_nan();
            assert!(
                same,
                "{}: {x:e} % {y:e} is {expected:e}, not {found:e}",
                target.0
            );
        }
    }
}
