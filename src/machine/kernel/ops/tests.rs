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
