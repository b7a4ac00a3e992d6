//! Widths of the kernels' global accesses, and facts through loops and branches.

use super::{AxisAnalysis, Indices, operations, shape_of};
use crate::ir::ops::{amdg, tt};
use crate::ir::{Layouts, OpKind, TensorType, element_bits};
use crate::sys;
use crate::testing::context;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, Module, OperationRef, RegionLike, Value, ValueLike};
use std::fmt::Write;

/// Appends a description of each global access to `text`: the kind, the number of accesses, the elements per
/// access, the alignment in bytes, and the elements per access without masks.
fn accesses(analysis: &AxisAnalysis, op: OperationRef<'_, '_>, text: &mut String) {
    for region in op.regions() {
        let mut block = region.first_block();
        while let Some(current) = block {
            for op in operations(current) {
                access(analysis, op, text);
                accesses(analysis, op, text);
            }
            block = current.next_in_region();
        }
    }
}

fn access(analysis: &AxisAnalysis, op: OperationRef<'_, '_>, text: &mut String) {
    let pointee = |value: Value<'_, '_>| {
        let element = TensorType::of(value.r#type()).map_or(value.r#type(), |t| t.element);
        element_bits(sys::pointer(element).unwrap().0).unwrap()
    };
    let kind = OpKind::of(op);
    let mut unmasked = None;
    let (tensor, access) = match kind {
        Some(OpKind::TtLoad | OpKind::TtStore) => {
            let (pointer, mask) = match tt::Load::of(op) {
                Some(load) => (load.ptr(), load.mask()),
                None => tt::Store::of(op).map(|s| (s.ptr(), s.mask())).unwrap(),
            };
            let tensor = TensorType::of(pointer.r#type()).unwrap();
            let layout = Layouts::of(op.context()).tensor(&tensor).unwrap();
            let bits = pointee(pointer);
            let access = analysis.vector(pointer, mask, bits, &layout.unique, 128);
            let runs = analysis.vector(pointer, None, bits, &layout.unique, 128);
            unmasked = mask.and_then(|mask| analysis.unmasked_vector(mask, &access, runs));
            (layout, access)
        }
        Some(OpKind::AmdgBufferLoad) => {
            let load = amdg::BufferLoad::of(op).unwrap();
            let (base, offsets) = (load.ptr(), load.offsets());
            let tensor = TensorType::of(offsets.r#type()).unwrap();
            let layout = Layouts::of(op.context()).tensor(&tensor).unwrap();
            let access = analysis.buffer_vector(
                op,
                base,
                offsets,
                load.mask(),
                pointee(base),
                &layout.unique,
            );
            (layout, access)
        }
        _ => return,
    };
    let verb = kind.unwrap().name().split(['.', '_']).next_back().unwrap();
    let count = tensor.num_registers() / access.elements();
    write!(
        text,
        "{verb} {count} x {} align {}",
        access.elements(),
        access.alignment_bytes()
    )
    .unwrap();
    if let Some(access) = unmasked {
        write!(text, ", {} unmasked", access.elements()).unwrap();
    }
    text.push_str("; ");
}

#[track_caller]
fn check(kernel: &str, expected: &str) {
    check_with(Indices::Any, kernel, expected);
}

#[track_caller]
fn check_with(indices: Indices, kernel: &str, expected: &str) {
    let context = context();
    let module = Module::parse(&context, kernel).unwrap();
    let function = module.body().first_operation().unwrap();
    let mut found = String::new();
    accesses(&AxisAnalysis::with(function, indices), function, &mut found);
    assert_eq!(found.trim_end_matches("; "), expected);
}

#[test]
fn widths_of_kernels() {
    macro_rules! kernel {
        ($name:literal) => {
            include_str!(concat!("../../../test/kernels/", $name, ".ttgir"))
        };
    }
    check(
        kernel!("sm_90/vector_add"),
        "load 8 x 1 align 4, 4 unmasked; load 8 x 1 align 4, 4 unmasked; store 8 x 1 align 4, 4 unmasked",
    );
    check(
        kernel!("sm_90/outer_scale"),
        "load 8 x 1 align 4; load 1 x 4 align 16; load 8 x 4 align 16; store 8 x 4 align 16",
    );
    check(
        kernel!("sm_90/transpose"),
        "load 8 x 8 align 16; store 8 x 8 align 16",
    );
    check(
        kernel!("sm_90/interleave"),
        "load 1 x 4 align 8; load 1 x 4 align 8; store 1 x 8 align 16",
    );
    check(
        kernel!("gfx942/vector_add"),
        "load 4 x 1 align 4, 4 unmasked; load 4 x 1 align 4, 4 unmasked; store 4 x 1 align 4, 4 unmasked",
    );
    check(
        kernel!("gfx942/outer_scale"),
        "load 4 x 1 align 4; load 1 x 4 align 16; load 4 x 4 align 16; store 4 x 4 align 16",
    );
    check(
        kernel!("gfx942/transpose"),
        "load 4 x 8 align 16; store 4 x 8 align 16",
    );
    check(
        kernel!("gfx942/interleave"),
        "load 1 x 2 align 4; load 1 x 2 align 4; store 1 x 4 align 8",
    );
}

/// Returns a module with one function that contains `body`. The body can use `%x` (an aligned pointer), `%n`, `%k`
/// (a multiple of 16), the range `%i`, the pointers `%p` = `%x` + `%i`, and the constants `%c0`, `%c1` and `%c32`.
fn kernel(body: &str) -> String {
    format!(
        r#"
#b = #ttg.blocked<{{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}}>
#t = #ttg.blocked<{{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}}>
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32}} {{
  tt.func public @k(%x: !tt.ptr<f32> {{tt.divisibility = 16 : i32}}, %n: i32, %k: i32 {{tt.divisibility = 16 : i32}}) {{
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %c = arith.constant dense<32> : tensor<512xi32, #b>
    %i = tt.make_range {{end = 512 : i32, start = 0 : i32}} : tensor<512xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %p = tt.addptr %xs, %i : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    {body}
    tt.return
  }}
}}"#
    )
}

#[test]
fn loops_keep_what_every_round_keeps() {
    check(
        &kernel(
            "%r = scf.for %j = %c0 to %n step %c32 iter_args(%q = %p) -> (tensor<512x!tt.ptr<f32>, #b>) : i32 {
               %v = tt.load %q : tensor<512x!tt.ptr<f32>, #b>
               %s = tt.splat %j : i32 -> tensor<512xi32, #b>
               %o = tt.addptr %p, %s : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
               tt.store %o, %v : tensor<512x!tt.ptr<f32>, #b>
               %next = tt.addptr %q, %c : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
               scf.yield %next : tensor<512x!tt.ptr<f32>, #b>
             }
             %v = tt.load %r : tensor<512x!tt.ptr<f32>, #b>",
        ),
        "load 1 x 4 align 16; store 1 x 4 align 16; load 1 x 4 align 16",
    );
    // An unknown step leaves no divisibility, though the first address is aligned.
    check(
        &kernel(
            "%s = tt.splat %n : i32 -> tensor<512xi32, #b>
             %r = scf.for %j = %c0 to %n step %c32 iter_args(%q = %p) -> (tensor<512x!tt.ptr<f32>, #b>) : i32 {
               %v = tt.load %q : tensor<512x!tt.ptr<f32>, #b>
               %next = tt.addptr %q, %s : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
               scf.yield %next : tensor<512x!tt.ptr<f32>, #b>
             }
             %v = tt.load %r : tensor<512x!tt.ptr<f32>, #b>",
        ),
        "load 4 x 1 align 4; load 4 x 1 align 4",
    );
    // After two iterations one loop-carried value reaches the other.
    check(
        &kernel(
            "%s = tt.splat %n : i32 -> tensor<512xi32, #b>
             %bad = tt.addptr %p, %s : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
             %r:2 = scf.for %j = %c0 to %n step %c32 iter_args(%q = %p, %w = %p)
                 -> (tensor<512x!tt.ptr<f32>, #b>, tensor<512x!tt.ptr<f32>, #b>) : i32 {
               %v = tt.load %q : tensor<512x!tt.ptr<f32>, #b>
               scf.yield %w, %bad : tensor<512x!tt.ptr<f32>, #b>, tensor<512x!tt.ptr<f32>, #b>
             }",
        ),
        "load 4 x 1 align 4",
    );
    check(
        &kernel(
            "%r = scf.while (%q = %p) : (tensor<512x!tt.ptr<f32>, #b>) -> tensor<512x!tt.ptr<f32>, #b> {
               %go = arith.cmpi slt, %c0, %n : i32
               scf.condition(%go) %q : tensor<512x!tt.ptr<f32>, #b>
             } do {
             ^bb0(%q: tensor<512x!tt.ptr<f32>, #b>):
               %v = tt.load %q : tensor<512x!tt.ptr<f32>, #b>
               %next = tt.addptr %q, %c : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
               scf.yield %next : tensor<512x!tt.ptr<f32>, #b>
             }
             %v = tt.load %r : tensor<512x!tt.ptr<f32>, #b>",
        ),
        "load 1 x 4 align 16; load 1 x 4 align 16",
    );
}

#[test]
fn branches_keep_what_both_sides_keep() {
    let choose = |other: &str| {
        kernel(&format!(
            "%go = arith.cmpi slt, %c0, %n : i32
             %s = tt.splat {other} : i32 -> tensor<512xi32, #b>
             %o = tt.addptr %p, %s : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
             %r = scf.if %go -> (tensor<512x!tt.ptr<f32>, #b>) {{
               scf.yield %p : tensor<512x!tt.ptr<f32>, #b>
             }} else {{
               scf.yield %o : tensor<512x!tt.ptr<f32>, #b>
             }}
             %v = tt.load %r : tensor<512x!tt.ptr<f32>, #b>"
        ))
    };
    check(&choose("%k"), "load 1 x 4 align 16");
    check(&choose("%n"), "load 4 x 1 align 4");
    check(
        &kernel(
            "%go = arith.cmpi slt, %c0, %n : i32
             cf.cond_br %go, ^bb1(%p : tensor<512x!tt.ptr<f32>, #b>), ^bb2
           ^bb1(%q: tensor<512x!tt.ptr<f32>, #b>):
             %v = tt.load %q : tensor<512x!tt.ptr<f32>, #b>
             %next = tt.addptr %q, %c : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
             cf.cond_br %go, ^bb1(%next : tensor<512x!tt.ptr<f32>, #b>), ^bb2
           ^bb2:",
        ),
        "load 1 x 4 align 16",
    );
}

#[test]
fn masks_and_remainders() {
    let masked = |predicate: &str, limit: &str| {
        kernel(&format!(
            "%s = tt.splat {limit} : i32 -> tensor<512xi32, #b>
             %m = arith.cmpi {predicate}, %i, %s : tensor<512xi32, #b>
             %v = tt.load %p, %m : tensor<512x!tt.ptr<f32>, #b>"
        ))
    };
    check(&masked("slt", "%k"), "load 1 x 4 align 16");
    check(&masked("ult", "%k"), "load 1 x 4 align 16");
    check(&masked("sle", "%k"), "load 4 x 1 align 4, 4 unmasked");
    check(&masked("eq", "%k"), "load 4 x 1 align 4");
    check(&masked("slt", "%n"), "load 4 x 1 align 4, 4 unmasked");
    check(&masked("sgt", "%n"), "load 4 x 1 align 4, 4 unmasked");
    // `(block + range) % k`, as in blocked matrix products: only for a non-negative dividend.
    let wrapped = |block: &str| {
        kernel(&format!(
            "{block}
             %b32 = arith.muli %block, %c32 : i32
             %s = tt.splat %b32 : i32 -> tensor<512xi32, #b>
             %j = arith.addi %s, %i : tensor<512xi32, #b>
             %ks = tt.splat %k : i32 -> tensor<512xi32, #b>
             %w = arith.remsi %j, %ks : tensor<512xi32, #b>
             %q = tt.addptr %xs, %w : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
             %v = tt.load %q : tensor<512x!tt.ptr<f32>, #b>"
        ))
    };
    check(
        &wrapped("%block = tt.get_program_id x : i32"),
        "load 1 x 4 align 16",
    );
    let unknown = "%pid = tt.get_program_id x : i32 %block = arith.divsi %pid, %n : i32";
    check(&wrapped(unknown), "load 4 x 1 align 4");
    check_with(Indices::Triton, &wrapped(unknown), "load 1 x 4 align 16");
    let assumed =
        format!("{unknown} %sure = arith.cmpi sge, %block, %c0 : i32 llvm.intr.assume %sure : i1");
    check(&wrapped(&assumed), "load 1 x 4 align 16");
}

#[test]
fn masks_of_consecutive_elements() {
    let masked = |body: &str| {
        kernel(&format!(
            "%ns = tt.splat %n : i32 -> tensor<512xi32, #b>
             %below = arith.cmpi slt, %i, %ns : tensor<512xi32, #b>
             {body}
             %v = tt.load %p, %m : tensor<512x!tt.ptr<f32>, #b>"
        ))
    };
    let both = "%above = arith.cmpi sge, %i, %c : tensor<512xi32, #b>
                %m = arith.andi %above, %below : tensor<512xi1, #b>";
    check(&masked(both), "load 4 x 1 align 4, 4 unmasked");
    let either = "%above = arith.cmpi sge, %i, %c : tensor<512xi32, #b>
                  %m = arith.ori %above, %below : tensor<512xi1, #b>";
    check(&masked(either), "load 4 x 1 align 4");
    // A chain of conjunctions with shared operands is not followed to its end.
    let chain: String = (1..64)
        .map(|i| {
            format!(
                "%m{i} = arith.andi %m{}, %m{} : tensor<512xi1, #b>\n",
                i - 1,
                i - 1
            )
        })
        .collect();
    let chain = format!(
        "%m0 = arith.andi %below, %below : tensor<512xi1, #b>
         {chain} %m = arith.andi %m63, %below : tensor<512xi1, #b>"
    );
    check(&masked(&chain), "load 4 x 1 align 4");
    // The sum may overflow within four elements, unless a multiple of four is added.
    let added = |scale: &str| {
        masked(&format!(
            "%first = arith.muli %n, {scale} : i32
             %firsts = tt.splat %first : i32 -> tensor<512xi32, #b>
             %sum = arith.addi %firsts, %i : tensor<512xi32, #b>
             %m = arith.cmpi slt, %sum, %ns : tensor<512xi32, #b>"
        ))
    };
    check(&added("%c1"), "load 4 x 1 align 4");
    check(&added("%c32"), "load 4 x 1 align 4, 4 unmasked");
    let in_both_dims = kernel(
        "%m0 = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #t}>>
         %n0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #t}>>
         %m1 = tt.expand_dims %m0 {axis = 1 : i32} : tensor<8xi32, #ttg.slice<{dim = 1, parent = #t}>> -> tensor<8x1xi32, #t>
         %n1 = tt.expand_dims %n0 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #t}>> -> tensor<1x64xi32, #t>
         %rows = tt.splat %n : i32 -> tensor<8x1xi32, #t>
         %columns = tt.splat %n : i32 -> tensor<1x64xi32, #t>
         %row = arith.cmpi slt, %m1, %rows : tensor<8x1xi32, #t>
         %column = arith.cmpi slt, %n1, %columns : tensor<1x64xi32, #t>
         %rowm = tt.broadcast %row : tensor<8x1xi1, #t> -> tensor<8x64xi1, #t>
         %columnm = tt.broadcast %column : tensor<1x64xi1, #t> -> tensor<8x64xi1, #t>
         %m = arith.andi %rowm, %columnm : tensor<8x64xi1, #t>
         %at = tt.broadcast %n1 : tensor<1x64xi32, #t> -> tensor<8x64xi32, #t>
         %ps = tt.splat %x : !tt.ptr<f32> -> tensor<8x64x!tt.ptr<f32>, #t>
         %q = tt.addptr %ps, %at : tensor<8x64x!tt.ptr<f32>, #t>, tensor<8x64xi32, #t>
         %v = tt.load %q, %m : tensor<8x64x!tt.ptr<f32>, #t>",
    );
    check(&in_both_dims, "load 4 x 1 align 4, 4 unmasked");
}

#[test]
fn promises_on_operations() {
    let text = kernel(
        "%s = tt.splat %n : i32 -> tensor<512xi32, #b>
         %j = arith.muli %s, %i : tensor<512xi32, #b>
         %w = arith.addi %j, %i {tt.contiguity = dense<8> : tensor<1xi32>, tt.divisibility = dense<8> : tensor<1xi32>} : tensor<512xi32, #b>
         %q = tt.addptr %xs, %w : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
         %v = tt.load %q : tensor<512x!tt.ptr<f32>, #b>",
    );
    check(&text, "load 1 x 4 align 16");
}

#[test]
fn every_value_has_facts() {
    let context = context();
    let text =
        kernel("%d = arith.constant dense<\"0x00000000010000000200000003000000\"> : tensor<4xi32>");
    let module = Module::parse(&context, &text).unwrap();
    let function = module.body().first_operation().unwrap();
    let analysis = AxisAnalysis::of(function);
    let body = function.region(0).unwrap().first_block().unwrap();
    let last = operations(body)
        .filter(|op| op.result_count() == 1)
        .last()
        .unwrap();
    let result = Value::from(last.result(0).unwrap());
    assert_eq!(shape_of(result.r#type()), [4]);
    assert_eq!(
        analysis.get(result).to_string(),
        "contiguity [4], divisibility [4611686018427387904], constancy [1], not negative"
    );
    let range = operations(body)
        .find(|op| OpKind::TtMakeRange.is(*op))
        .unwrap();
    assert_eq!(tt::MakeRange::of(range).unwrap().end(), 512);
    assert_eq!(
        analysis.get(range.result(0).unwrap().into()).contiguity(0),
        512
    );
}

#[test]
fn partitions_know_the_captured_values() {
    let text = kernel(
        "%w = ttg.warp_specialize(%x)
         default {
           ttg.warp_yield %x : !tt.ptr<f32>
         }
         partition0(%a: !tt.ptr<f32>) num_warps(4) {
           %r = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #b>
           %s = tt.splat %a : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
           %q = tt.addptr %s, %r : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
           %v = tt.load %q : tensor<512x!tt.ptr<f32>, #b>
           ttg.warp_return
         } : (!tt.ptr<f32>) -> !tt.ptr<f32>
         %t = tt.splat %w : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
         %q = tt.addptr %t, %i : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
         %v = tt.load %q : tensor<512x!tt.ptr<f32>, #b>",
    );
    check(&text, "load 1 x 4 align 16; load 1 x 4 align 16");
}
