pub(super) mod asynchronous;

use super::*;
use crate::{Arg, Launch, Machine, Memory, decode_generic};

#[test]
fn no_two_rows_have_one_name() {
    let operations = FAMILIES.iter().flat_map(|f| rows(f.operations)).count();
    let intrinsics = FAMILIES.iter().flat_map(|f| rows(f.intrinsics)).count();
    assert_eq!(
        (operations, intrinsics),
        (OPERATIONS.len(), INTRINSICS.len())
    );
}

/// The operands of the generated operations, as (name, type): kernel parameters, constants, and values that are not
/// scalars.
const VALUES: [(&str, &str); 9] = [
    ("%i", "i32"),
    ("%f", "f32"),
    ("%p", "!llvm.ptr<3>"),
    ("%c", "i32"),
    ("%long", "i64"),
    ("%bit", "i1"),
    ("%v", "vector<2xi32>"),
    ("%none", "!llvm.struct<()>"),
    ("%d", "!llvm.ptr<8>"),
];

const RESULTS: [&str; 8] = [
    "()",
    "i32",
    "f64",
    "i8",
    "!llvm.ptr<3>",
    "vector<2xf16>",
    "!llvm.struct<()>",
    "!llvm.struct<(i32, i1)>",
];

/// Attribute lists for the generated operations. Each list is valid for some of the tested operations and invalid
/// for others.
const ATTRIBUTES: [&str; 3] = [
    "",
    "value = 7 : i32, predicate = 2 : i64, position = array<i64: 0>, bin_op = 1 : i64, elem_type = i32, \
     rawConstantIndices = array<i32: -2147483648, 1>, noWrapFlags = 7 : i32, global_name = @k, callee = @k, \
     mask = array<i32: 0, 5>, operandSegmentSizes = array<i32: 1, 0, 0>, kind = #nvvm<shfl_kind bfly>, \
     size = 4 : i32, asm_string = \"add.u32 $0, $1, $2;\", constraints = \"=r,r,r\", alignment = 3 : i64, \
     overflowFlags = 3 : i32, isExact, isDisjoint, nonNeg, mode = #nvvm.permute_mode<f4e>, range = #llvm.constant_range<i32, 0, 4>",
    "value = dense<[1, 2]> : tensor<2xi32>, predicate = -1 : i64, position = array<i64: 9>, bin_op = 99 : i64, \
     elem_type = !llvm.struct<(i8, array<3 x i32>)>, rawConstantIndices = array<i32: 3, 1, 7>, global_name = @nothing, \
     callee = @__nv_expf, mask = array<i32: -1>, operandSegmentSizes = array<i32: 7>, kind = #nvvm<vote_kind all>, \
     size = 99 : i32, asm_string = \"ld.global.v2.b32 {$0, $1}, [$2];\", constraints = \"=r,=r,l\", \
     case_values = dense<> : vector<0xi32>, dppCtrl = 4096 : i32, reductionOp = #nvvm.reduction<popc>, \
     range = #llvm.constant_range<i32>, intrin = \"llvm.nothing\"",
];

/// Tests each operation with different numbers of operands and with operands of different types. Decoding the
/// operation must succeed or return an error. A kernel that was decoded must run without a panic.
#[test]
fn no_row_panics_on_what_it_cannot_read() {
    let operations = FAMILIES.iter().flat_map(|f| rows(f.operations));
    let operations = operations.map(|row| (row.name, String::new()));
    let intrinsics = FAMILIES.iter().flat_map(|f| rows(f.intrinsics));
    let names = intrinsics.map(|row| row.name).chain(product::names());
    let intrinsics = names.map(|name| ("llvm.call_intrinsic", format!("intrin = \"{name}\", ")));
    let operations: Vec<_> = operations.chain(intrinsics).collect();
    let num_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let programs: usize = std::thread::scope(|scope| {
        let operations = &operations;
        let threads: Vec<_> = (0..num_threads)
            .map(|first| {
                scope.spawn(move || {
                    let operations = operations.iter().skip(first).step_by(num_threads);
                    let programs = operations.flat_map(|(name, call)| programs(name, call));
                    programs.filter(|program| runs(program)).count()
                })
            })
            .collect();
        let counts = threads.into_iter().map(|thread| thread.join().unwrap());
        counts.sum()
    });
    assert!(programs > 1000, "{programs}");
}

/// Returns texts of the operation `name`, one for each combination of an attribute list and an operand list. An
/// operand list has zero to four operands. It repeats one entry of [`VALUES`], or takes consecutive entries.
fn programs(name: &str, intrinsic: &str) -> Vec<String> {
    let mut programs = Vec::new();
    for (try_, attributes) in ATTRIBUTES.iter().enumerate() {
        for first in 0..VALUES.len() {
            for count in 0..=4 {
                for stride in [0, 1].into_iter().take(count.max(1)) {
                    let value = |index: usize| VALUES[(first + stride * index) % VALUES.len()];
                    let operands: Vec<&str> = (0..count).map(|i| value(i).0).collect();
                    let types: Vec<&str> = (0..count).map(|i| value(i).1).collect();
                    let result = RESULTS[(first + count + try_) % RESULTS.len()];
                    let assigned = if result == "()" { "" } else { "%x = " };
                    programs.push(format!(
                        "{assigned}\"{name}\"({}) <{{{intrinsic}{attributes}}}> : ({}) -> {result}",
                        operands.join(", "),
                        types.join(", ")
                    ));
                }
            }
        }
    }
    programs
}

/// Decodes a kernel that contains the operation `op`. Returns false if decoding fails. Otherwise runs the kernel,
/// ignores faults, and returns true.
fn runs(op: &str) -> bool {
    let text = format!(
        r#""builtin.module"() ({{
  "llvm.mlir.global"() <{{addr_space = 3 : i32, global_type = !llvm.array<64 x i32>, sym_name = "smem"}}> ({{
  }}) : () -> ()
  "llvm.func"() <{{sym_name = "k"}}> ({{
  ^bb0(%i: i32, %f: f32, %bit: i1):
    %p = "llvm.mlir.addressof"() <{{global_name = @smem}}> : () -> !llvm.ptr<3>
    %c = "llvm.mlir.constant"() <{{value = -5 : i32}}> : () -> i32
    %long = "llvm.zext"(%i) : (i32) -> i64
    %v = "llvm.mlir.poison"() : () -> vector<2xi32>
    %none = "llvm.mlir.poison"() : () -> !llvm.struct<()>
    %d = "llvm.mlir.poison"() : () -> !llvm.ptr<8>
    {op}
    "llvm.return"() : () -> ()
  }}) {{nvvm.kernel, nvvm.reqntid = array<i32: 40>}} : () -> ()
}}) : () -> ()"#
    );
    let Ok(decoded) = decode_generic(&text, None) else {
        return false;
    };
    for machine in [Machine::nvidia(), Machine::amd(64)] {
        let launch = Launch::new(machine).args([Arg::Int(-3), Arg::Float(2.5), Arg::Int(1)]);
        // Most runs fault; only panics matter.
        let _ = launch.run(&decoded.program, &mut Memory::default());
    }
    true
}

/// Runs `operations` in a kernel of 32 lanes. Returns the value of `%x` in each lane, and the printed text.
///
/// `%t` is the lane index, `%zeros` points to 64 words in a buffer, `%s` to 64 words in shared memory, and
/// `%format` to a format string.
fn launched(operations: &str) -> (Vec<u32>, String) {
    let text = format!(
        r#""builtin.module"() ({{
  "llvm.mlir.global"() <{{addr_space = 3 : i32, global_type = !llvm.array<64 x i32>, sym_name = "smem"}}> ({{
  }}) : () -> ()
  "llvm.mlir.global"() <{{addr_space = 4 : i32, constant, global_type = !llvm.array<7 x i8>, sym_name = "format", value = "%u-%u;\00"}}> ({{
  }}) : () -> ()
  "llvm.func"() <{{sym_name = "k"}}> ({{
  ^bb0(%out: !llvm.ptr<1>, %zeros: !llvm.ptr<1>):
    %s = "llvm.mlir.addressof"() <{{global_name = @smem}}> : () -> !llvm.ptr<3>
    %format = "llvm.mlir.addressof"() <{{global_name = @format}}> : () -> !llvm.ptr<4>
    %t = "nvvm.read.ptx.sreg.tid.x"() : () -> i32
    %zero = "llvm.mlir.constant"() <{{value = 0 : i32}}> : () -> i32
    %one = "llvm.mlir.constant"() <{{value = 1 : i32}}> : () -> i32
    %four = "llvm.mlir.constant"() <{{value = 4 : i32}}> : () -> i32
    %all = "llvm.mlir.constant"() <{{value = -1 : i32}}> : () -> i32
    {operations}
    %p = "llvm.getelementptr"(%out, %t) <{{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>
    "llvm.store"(%x, %p) : (i32, !llvm.ptr<1>) -> ()
    "llvm.return"() : () -> ()
  }}) {{nvvm.kernel, nvvm.reqntid = array<i32: 32>}} : () -> ()
}}) : () -> ()"#
    );
    let decoded = decode_generic(&text, None).unwrap_or_else(|error| panic!("{error}"));
    let mut memory = Memory::default();
    let out = memory.add("out", vec![0; 128]);
    let zeros = memory.add("zeros", vec![0; 256]);
    let launch = Launch::new(decoded.machine).args([out, zeros].map(Arg::Buffer));
    let report = launch.run(&decoded.program, &mut memory);
    assert!(report.is_ok(), "{operations}: {report:?}");
    let words = memory.bytes(out).as_chunks::<4>().0;
    let words = words.iter().map(|word| u32::from_le_bytes(*word));
    (words.collect(), memory.printed().to_owned())
}

fn lanes_after(operations: &str) -> Vec<u32> {
    launched(operations).0
}

#[track_caller]
fn check(operations: &str, expect: impl Fn(u32) -> u32) {
    let expect: Vec<u32> = (0..32).map(expect).collect();
    assert_eq!(lanes_after(operations), expect, "{operations}");
}

/// Returns a call of the intrinsic `name` with 32-bit operands. The 32-bit result is `%x`.
fn intrinsic_on(name: &str, operands: &[&str]) -> String {
    let types = vec!["i32"; operands.len()].join(", ");
    let operands = operands.join(", ");
    format!("%x = \"llvm.call_intrinsic\"({operands}) <{{intrin = \"{name}\"}}> : ({types}) -> i32")
}

#[test]
fn lanes_of_a_wave_exchange_values() {
    let other = "%o = \"llvm.xor\"(%t, %one) : (i32, i32) -> i32\n\
                 %i = \"llvm.mul\"(%o, %four) : (i32, i32) -> i32\n";
    for name in ["llvm.amdgcn.ds.permute", "llvm.amdgcn.ds.bpermute"] {
        let exchange = intrinsic_on(name, &["%i", "%t"]);
        check(&format!("{other}{exchange}"), |lane| lane ^ 1);
    }
    // All lanes write to lane 0, so all other lanes get 0.
    let push = intrinsic_on("llvm.amdgcn.ds.permute", &["%zero", "%t"]);
    check(&push, |lane| if lane == 0 { 31 } else { 0 });
    let rows = "%low = \"llvm.mlir.constant\"() <{value = 1985229328 : i32}> : () -> i32\n\
                %high = \"llvm.mlir.constant\"() <{value = -19088744 : i32}> : () -> i32\n";
    for (name, flip) in [("permlane16", 0), ("permlanex16", 16)] {
        let operands = ["%all", "%t", "%low", "%high", "%zero", "%zero"];
        let exchange = intrinsic_on(&format!("llvm.amdgcn.{name}"), &operands);
        check(&format!("{rows}{exchange}"), |lane| lane ^ flip);
    }
    // Row mirror in row 1 only: lanes of row 0 keep the old value.
    let mirror = "%x = \"rocdl.update.dpp\"(%all, %t) <{dppCtrl = 320 : i32, rowMask = 2 : i32, bankMask = 15 : i32, \
                  boundCtrl = false}> : (i32, i32) -> i32";
    check(mirror, |lane| match lane {
        0..16 => u32::MAX,
        _ => 16 + (31 - lane),
    });
    check("%x = \"rocdl.readfirstlane\"(%t) : (i32) -> i32", |_| 0);
    check(
        "%x = \"rocdl.readlane\"(%t, %four) : (i32, i32) -> i32",
        |_| 4,
    );
    check(
        "%x = \"rocdl.mbcnt.lo\"(%all, %four) : (i32, i32) -> i32",
        |lane| lane + 4,
    );
    check(
        "%x = \"rocdl.mbcnt.hi\"(%all, %four) : (i32, i32) -> i32",
        |_| 4,
    );
    check(
        "%b = \"llvm.trunc\"(%t) : (i32) -> i1\n%x = \"rocdl.ballot\"(%b) : (i1) -> i32",
        |_| 0xaaaa_aaaa,
    );
}

#[test]
fn lanes_of_a_warp_agree_and_count() {
    let redux = |kind: &str| {
        format!(
            "%x = \"nvvm.redux.sync\"(%t, %all) <{{kind = #nvvm<redux_kind {kind}>}}> : (i32, i32) -> i32"
        )
    };
    for (kind, expect) in [
        ("add", 496),
        ("umax", 31),
        ("min", 0),
        ("or", 31),
        ("and", 0),
    ] {
        check(&redux(kind), |_| expect);
    }
    check(
        "%e = \"nvvm.elect.sync\"() : () -> i1\n%x = \"llvm.zext\"(%e) : (i1) -> i32",
        |lane| u32::from(lane == 0),
    );
    for (name, expect) in [
        ("eq", (|lane| 1 << lane) as fn(u32) -> u32),
        ("lt", |lane| (1 << lane) - 1),
        ("le", |lane| u32::MAX >> (31 - lane)),
        ("ge", |lane| u32::MAX << lane),
        ("gt", |lane| u32::MAX - (u32::MAX >> (31 - lane))),
    ] {
        let read = format!("%x = \"nvvm.read.ptx.sreg.lanemask.{name}\"() : () -> i32");
        check(&read, expect);
    }
}

#[test]
fn conversions_cut_and_widen() {
    let product = "%k = \"llvm.mlir.constant\"() <{value = 100 : i32}> : () -> i32\n\
                   %w = \"llvm.mul\"(%t, %k) : (i32, i32) -> i32\n";
    let narrow = |widen: &str| {
        format!(
            "{product}%n = \"llvm.trunc\"(%w) : (i32) -> i8\n%x = \"llvm.{widen}\"(%n) : (i8) -> i32"
        )
    };
    check(&narrow("zext"), |t| (100 * t) & 0xff);
    check(&narrow("sext"), |t| (100 * t) as u8 as i8 as u32);
    let assembly = |text: &str, constraints: &str, operands: &str, types: &str, result: &str| {
        format!(
            "{result} = \"llvm.inline_asm\"({operands}) <{{asm_string = \"{text}\", constraints = \"{constraints}\"}}> : {types}"
        )
    };
    // Two words form a 64-bit number, lowest word first. An immediate is truncated to the width.
    let pack = assembly(
        "mov.b64 $0, {$1, $2};",
        "=l,r,r",
        "%w, %t",
        "(i32, i32) -> i64",
        "%l",
    );
    let high = "%n = \"llvm.mlir.constant\"() <{value = 32 : i64}> : () -> i64\n\
                %h = \"llvm.lshr\"(%l, %n) : (i64, i64) -> i64\n";
    check(
        &format!("{product}{pack}\n{high}%x = \"llvm.trunc\"(%h) : (i64) -> i32"),
        |t| t,
    );
    check(
        &format!("{product}{pack}\n%x = \"llvm.trunc\"(%l) : (i64) -> i32"),
        |t| 100 * t,
    );
    let long = "%n = \"llvm.mlir.constant\"() <{value = 32 : i64}> : () -> i64\n\
                %h = \"llvm.lshr\"(%l, %n) : (i64, i64) -> i64\n\
                %x = \"llvm.trunc\"(%h) : (i64) -> i32";
    let negative = "%m = \"llvm.sub\"(%zero, %t) : (i32, i32) -> i32\n";
    for (text, high) in [
        ("cvt.s64.s32 $0, $1;", u32::MAX),
        ("cvt.u64.u32 $0, $1;", 0),
    ] {
        let widen = assembly(text, "=l,r", "%m", "(i32) -> i64", "%l");
        check(&format!("{negative}{widen}\n{long}"), |t| {
            if t == 0 { 0 } else { high }
        });
    }
    let minus = assembly("mov.b32 $0, -3;", "=r", "", "() -> i32", "%x");
    check(&minus, |_| 0xffff_fffd);
    let minus = assembly("mov.b32 $0, -3;", "=r", "", "() -> i32", "%m");
    let widened = format!("{minus}\n%l = \"llvm.zext\"(%m) : (i32) -> i64\n{long}");
    check(&widened, |_| 0);
}

#[test]
fn arithmetic_of_lanes_is_that_of_the_rows() {
    let binary = |name: &str, a: &str, b: &str| {
        format!("%x = \"llvm.{name}\"({a}, {b}) : (i32, i32) -> i32")
    };
    check(&binary("srem", "%t", "%four"), |t| t % 4);
    check(&binary("intr.usub.sat", "%t", "%four"), |t| {
        t.saturating_sub(4)
    });
    let rotate = "%x = \"llvm.intr.fshr\"(%t, %t, %four) : (i32, i32, i32) -> i32";
    check(rotate, |t| t.rotate_right(4));
    for (name, a, b, expect) in [
        ("uadd", "%t", "%all", (|t| t > 0) as fn(u32) -> bool),
        ("usub", "%t", "%four", |t| t < 4),
        ("umul", "%t", "%all", |t| t > 1),
    ] {
        let overflow = format!(
            "%s = \"llvm.intr.{name}.with.overflow\"({a}, {b}) : (i32, i32) -> !llvm.struct<(i32, i1)>\n\
             %b = \"llvm.extractvalue\"(%s) <{{position = array<i64: 1>}}> : (!llvm.struct<(i32, i1)>) -> i1\n\
             %x = \"llvm.zext\"(%b) : (i1) -> i32"
        );
        check(&overflow, |t| u32::from(expect(t)));
    }
    for (number, expect) in [
        (|t| t == 4) as fn(i64) -> bool,
        |t| t != 4,
        |t| t < 4,
        |t| t <= 4,
        |t| t > 4,
        |t| t >= 4,
    ]
    .into_iter()
    .enumerate()
    {
        // The operands are -4 to 27; the negative ones are large unsigned numbers.
        let compare = |number: usize| {
            format!(
                "%m = \"llvm.sub\"(%t, %four) : (i32, i32) -> i32\n\
                 %c = \"llvm.icmp\"(%m, %four) <{{predicate = {number} : i64}}> : (i32, i32) -> i1\n\
                 %x = \"llvm.zext\"(%c) : (i1) -> i32"
            )
        };
        check(&compare(number), |t| u32::from(expect(i64::from(t) - 4)));
        let unsigned = if number < 2 { number } else { number + 4 };
        check(&compare(unsigned), |t| {
            u32::from(expect(i64::from(t.wrapping_sub(4))))
        });
    }
}

#[test]
fn constants_have_the_bits_that_are_written() {
    for (value, bits) in [
        ("1.5", 0x3fc0_0000),
        ("-0.0", 0x8000_0000),
        ("0x7FC00001", 0x7fc0_0001),
        ("0xFF800000", 0xff80_0000),
    ] {
        let operations = format!(
            "%c = \"llvm.mlir.constant\"() <{{value = {value} : f32}}> : () -> f32\n\
             %x = \"llvm.bitcast\"(%c) : (f32) -> i32"
        );
        check(&operations, |_| bits);
    }
    let half = "%c = \"llvm.mlir.constant\"() <{value = 0xFC01 : f16}> : () -> f16\n\
                %h = \"llvm.bitcast\"(%c) : (f16) -> i16\n\
                %x = \"llvm.zext\"(%h) : (i16) -> i32";
    check(half, |_| 0xfc01);
    let halves = "%c = \"llvm.mlir.constant\"() <{value = dense<\"0x003C00C0\"> : vector<2xf16>}> : () -> vector<2xf16>\n\
                  %x = \"llvm.bitcast\"(%c) : (vector<2xf16>) -> i32";
    check(halves, |_| 0xc000_3c00);
    let numbers = "%c = \"llvm.mlir.constant\"() <{value = array<i32: 7, -2>}> : () -> vector<2xi32>\n\
                   %x = \"llvm.extractelement\"(%c, ";
    check(
        &format!("{numbers}%zero) : (vector<2xi32>, i32) -> i32"),
        |_| 7,
    );
    check(
        &format!("{numbers}%one) : (vector<2xi32>, i32) -> i32"),
        |_| 0xffff_fffe,
    );
}

/// Operations that store two words on the lane's stack: the lane index and 4. `%m` points to the first of these
/// words, and `%before` to an address two words below `%m`.
const ON_THE_STACK: &str = r#"%before = "llvm.alloca"(%four) <{elem_type = i32}> : (i32) -> !llvm.ptr
    %m = "llvm.getelementptr"(%before) <{elem_type = i32, rawConstantIndices = array<i32: 2>}> : (!llvm.ptr) -> !llvm.ptr
    %v0 = "llvm.mlir.poison"() : () -> vector<2xi32>
    %v1 = "llvm.insertelement"(%v0, %t, %zero) : (vector<2xi32>, i32, i32) -> vector<2xi32>
    %v2 = "llvm.insertelement"(%v1, %four, %one) : (vector<2xi32>, i32, i32) -> vector<2xi32>
    "llvm.store"(%v2, %m) <{alignment = 4 : i64}> : (vector<2xi32>, !llvm.ptr) -> ()
"#;

#[test]
fn lanes_find_on_their_stack_what_they_put_there() {
    for (word, expect) in [(2, (|t| t) as fn(u32) -> u32), (3, |_| 4)] {
        let load = format!(
            "%q = \"llvm.getelementptr\"(%before) <{{elem_type = i32, rawConstantIndices = array<i32: {word}>}}> : (!llvm.ptr) -> !llvm.ptr\n\
             %x = \"llvm.load\"(%q) : (!llvm.ptr) -> i32"
        );
        check(&format!("{ON_THE_STACK}{load}"), expect);
        let index = if word == 2 { "%zero" } else { "%one" };
        let load = format!(
            "%v = \"llvm.load\"(%m) <{{alignment = 4 : i64}}> : (!llvm.ptr) -> vector<2xi32>\n\
             %x = \"llvm.extractelement\"(%v, {index}) : (vector<2xi32>, i32) -> i32"
        );
        check(&format!("{ON_THE_STACK}{load}"), expect);
    }
}

#[test]
fn each_lane_prints_what_it_points_to() {
    let print =
        "%x = \"llvm.call\"(%format, %m) <{callee = @vprintf}> : (!llvm.ptr<4>, !llvm.ptr) -> i32";
    let lines: String = (0..32).map(|lane| format!("{lane}-4;")).collect();
    assert_eq!(launched(&format!("{ON_THE_STACK}{print}")).1, lines);
}

/// In MLIR's generic form, `llvm.atomicrmw` states the operation as a number of an enum. The test runs the integer
/// operations 0 to 10. The result is the value in memory before the operation.
#[test]
fn atomic_operations_go_by_their_number() {
    let place = "%q = \"llvm.getelementptr\"(%zeros, %t) <{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>\n\
                 %n = \"llvm.sub\"(%t, %four) : (i32, i32) -> i32\n\
                 \"llvm.store\"(%n, %q) : (i32, !llvm.ptr<1>) -> ()\n";
    let all: [fn(u32, u32) -> u32; 11] = [
        |_, new| new,
        u32::wrapping_add,
        u32::wrapping_sub,
        |old, new| old & new,
        |old, new| !(old & new),
        |old, new| old | new,
        |old, new| old ^ new,
        |old, new| (old as i32).max(new as i32) as u32,
        |old, new| (old as i32).min(new as i32) as u32,
        u32::max,
        u32::min,
    ];
    for (number, expect) in all.into_iter().enumerate() {
        let change = |result: &str| {
            format!(
                "{place}{result} = \"llvm.atomicrmw\"(%q, %four) <{{bin_op = {number} : i64, ordering = 2 : i64}}> : (!llvm.ptr<1>, i32) -> i32\n"
            )
        };
        check(&change("%x"), |t| t.wrapping_sub(4));
        let load = "%x = \"llvm.load\"(%q) : (!llvm.ptr<1>) -> i32";
        check(&(change("%old") + load), |t| expect(t.wrapping_sub(4), 4));
    }
}

/// In PTX, the elements of a vector are contiguous in global and in shared memory.
#[test]
fn elements_of_vectors_lie_side_by_side() {
    let assembly = |text: &str, constraints: &str, operands: &str, types: &str, result: &str| {
        format!(
            "{result}\"llvm.inline_asm\"({operands}) <{{asm_string = \"{text}\", constraints = \"{constraints}\"}}> : {types}\n"
        )
    };
    let pair = |base: &str, space: u32| {
        format!(
            "%i = \"llvm.add\"(%t, %t) : (i32, i32) -> i32\n\
             %q = \"llvm.getelementptr\"({base}, %i) <{{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}}> : (!llvm.ptr<{space}>, i32) -> !llvm.ptr<{space}>\n\
             %f = \"llvm.sitofp\"(%t) : (i32) -> f32\n\
             %g = \"llvm.sitofp\"(%i) : (i32) -> f32\n"
        )
    };
    let number = "%x = \"llvm.fptosi\"(%y) : (f32) -> i32";
    for (word, expect) in [(0, (|t| t) as fn(u32) -> u32), (1, |t| 2 * t)] {
        let add = assembly(
            "red.global.add.v2.f32 [$0], {$1, $2};",
            "l,f,f",
            "%q, %f, %g",
            "(!llvm.ptr<1>, f32, f32) -> !llvm.void",
            "",
        );
        let read = format!(
            "%r = \"llvm.getelementptr\"(%q) <{{elem_type = f32, rawConstantIndices = array<i32: {word}>}}> : (!llvm.ptr<1>) -> !llvm.ptr<1>\n\
             %y = \"llvm.load\"(%r) : (!llvm.ptr<1>) -> f32\n{number}"
        );
        check(&format!("{}{add}{read}", pair("%zeros", 1)), expect);
        let index = if word == 0 { "%zero" } else { "%one" };
        let both = format!(
            "%v = \"llvm.load\"(%q) <{{alignment = 4 : i64}}> : (!llvm.ptr<1>) -> vector<2xf32>\n\
             %y = \"llvm.extractelement\"(%v, {index}) : (vector<2xf32>, i32) -> f32\n{number}"
        );
        check(&format!("{}{add}{both}", pair("%zeros", 1)), expect);
        let store = assembly(
            "st.shared.v2.f32 [$0], {$1, $2};",
            "r,f,f",
            "%q, %f, %g",
            "(!llvm.ptr<3>, f32, f32) -> !llvm.void",
            "",
        );
        let load = assembly(
            &format!("ld.shared.f32 $0, [$1 + {}];", 4 * word),
            "=f,r",
            "%q",
            "(!llvm.ptr<3>) -> f32",
            "%y = ",
        );
        check(&format!("{}{store}{load}{number}", pair("%s", 3)), expect);
    }
}

/// In PTX, `red.f16x2` adds the lower half of the operand to the lower half of the word in memory, and the upper
/// half to the upper half. The operand has the lower half 1 and the upper half 2.
#[test]
fn halves_of_a_word_are_added_to_their_own() {
    let operations = r#"%q = "llvm.getelementptr"(%zeros, %t) <{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>
    %w = "llvm.mlir.constant"() <{value = 1073757184 : i32}> : () -> i32
    "llvm.inline_asm"(%q, %w) <{asm_string = "red.global.add.noftz.f16x2 [$0], $1;", constraints = "l,r"}> : (!llvm.ptr<1>, i32) -> !llvm.void
    %x = "llvm.load"(%q) : (!llvm.ptr<1>) -> i32"#;
    check(operations, |_| 0x4000_3c00);
}

#[test]
fn what_runs_is_listed() {
    let list = list_operations();
    let lines = |start: &str| list.lines().filter(|line| line.starts_with(start)).count();
    for family in FAMILIES {
        assert_eq!(lines(&format!("{}:", family.title)), 1);
    }
    let intrinsics = INTRINSICS.len() + product::names().count();
    assert_eq!(lines("  llvm.call_intrinsic \""), intrinsics);
    for form in ["mov", "ld", "st", "atom", "red"] {
        assert_ne!(lines(&format!("  llvm.inline_asm: {form}")), 0, "{form}");
    }
}
