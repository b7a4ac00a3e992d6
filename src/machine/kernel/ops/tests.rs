use super::*;
use crate::machine::kernel::{Arg, Launch, Machine, Memory, decode_generic};

#[test]
fn no_two_rows_have_one_name() {
    let operations = FAMILIES.iter().flat_map(|f| rows(f.operations)).count();
    let intrinsics = FAMILIES.iter().flat_map(|f| rows(f.intrinsics)).count();
    assert_eq!(
        (operations, intrinsics),
        (OPERATIONS.len(), INTRINSICS.len())
    );
}

/// Values that operations are tried with: parameters, numbers that are known, and what is no scalar.
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

/// All attributes that any row asks for: right ones for some, wrong ones for others.
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

/// Each row is tried on operands of many numbers and types: a program or an error, and no panic; so is its run.
#[test]
fn no_row_panics_on_what_it_cannot_read() {
    let operations = FAMILIES.iter().flat_map(|f| rows(f.operations));
    let operations = operations.map(|row| (row.name, String::new()));
    let intrinsics = FAMILIES.iter().flat_map(|f| rows(f.intrinsics));
    let intrinsics = intrinsics.map(|row| {
        (
            "llvm.call_intrinsic",
            format!("intrin = \"{}\", ", row.name),
        )
    });
    let mut programs = 0;
    for (name, intrinsic) in operations.chain(intrinsics) {
        for (try_, attributes) in ATTRIBUTES.iter().enumerate() {
            for first in 0..VALUES.len() {
                for count in 0..=4 {
                    // Of one type, or of one after the other.
                    for stride in [0, 1].into_iter().take(count.max(1)) {
                        let value = |index: usize| VALUES[(first + stride * index) % VALUES.len()];
                        let operands: Vec<&str> = (0..count).map(|i| value(i).0).collect();
                        let types: Vec<&str> = (0..count).map(|i| value(i).1).collect();
                        let result = RESULTS[(first + count + try_) % RESULTS.len()];
                        let assigned = if result == "()" { "" } else { "%x = " };
                        let op = format!(
                            "{assigned}\"{name}\"({}) <{{{intrinsic}{attributes}}}> : ({}) -> {result}",
                            operands.join(", "),
                            types.join(", ")
                        );
                        programs += usize::from(runs(&op));
                    }
                }
            }
        }
    }
    assert!(programs > 1000, "{programs}");
}

/// Decodes a kernel around an operation, and runs it; whether there was a program.
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
        // Most find nothing in memory, or lanes missing; that is an answer too.
        let _ = launch.run(&decoded.program, &mut Memory::default());
    }
    true
}

/// What `%x` holds in each of 32 lanes after some operations on `%t`, the lane's number.
fn lanes_after(operations: &str) -> Vec<u32> {
    let text = format!(
        r#""builtin.module"() ({{
  "llvm.func"() <{{sym_name = "k"}}> ({{
  ^bb0(%out: !llvm.ptr<1>):
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
    let launch = Launch::new(decoded.machine).args([Arg::Buffer(out)]);
    let report = launch.run(&decoded.program, &mut memory);
    assert!(report.is_ok(), "{operations}: {report:?}");
    let words = memory.bytes(out).chunks_exact(4);
    words
        .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
        .collect()
}

#[track_caller]
fn check(operations: &str, expect: impl Fn(u32) -> u32) {
    let expect: Vec<u32> = (0..32).map(expect).collect();
    assert_eq!(lanes_after(operations), expect, "{operations}");
}

/// An intrinsic on registers, with a result of 32 bits.
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
    // Only lane 0 is written to: the others get 0.
    let push = intrinsic_on("llvm.amdgcn.ds.permute", &["%zero", "%t"]);
    check(&push, |lane| if lane == 0 { 31 } else { 0 });
    let rows = "%low = \"llvm.mlir.constant\"() <{value = 1985229328 : i32}> : () -> i32\n\
                %high = \"llvm.mlir.constant\"() <{value = -19088744 : i32}> : () -> i32\n";
    for (name, flip) in [("permlane16", 0), ("permlanex16", 16)] {
        let operands = ["%all", "%t", "%low", "%high", "%zero", "%zero"];
        let exchange = intrinsic_on(&format!("llvm.amdgcn.{name}"), &operands);
        check(&format!("{rows}{exchange}"), |lane| lane ^ flip);
    }
    // Row mirror in rows 1 only: lanes of row 0 keep the old value.
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
    // Two words make one of 64 bits, the first one low; an immediate is cut to the width.
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
        // Of -4 to 27, which are large numbers without sign where they are negative.
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
