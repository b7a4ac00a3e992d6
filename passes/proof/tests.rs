use super::{names, registers};
use crate::ir::{OpKind, UpstreamKind};
use crate::sys;
use crate::sys::build::{self, Op};
use crate::testing::context;
use melior::ir::{Module, Type};

const LAYOUTS: &str = "
#a = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#b = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>
";

fn text(body: &str) -> String {
    format!(
        "{LAYOUTS}module attributes {{\"ttg.num-warps\" = 4 : i32}} {{\n\
         tt.func @f(%p: tensor<64x64x!tt.ptr<f32>, #a>, %q: tensor<64x64x!tt.ptr<f32>, #b>) {{\n{body}\ntt.return\n}}\n}}"
    )
}

fn function<'c>(module: Op<'c>) -> Op<'c> {
    super::functions(module)[0]
}

#[track_caller]
fn compare(before: &str, after: &str, expected: Result<(), &str>) {
    let context = context();
    let [mut before, mut after] = [before, after]
        .map(|body| Module::parse(&context, &text(body)).expect("the test is valid"));
    let mut names = None;
    sys::rewrite(&mut before, |_, module| {
        names = Some(names::names(function(module)));
    });
    let mut found = Ok(());
    sys::rewrite(&mut after, |_, module| {
        let names = names.as_mut().expect("it was read");
        found = names::compare(names, function(module));
    });
    assert_eq!(found, expected.map_err(str::to_owned));
}

#[test]
fn another_layout_is_no_other_value() {
    let before = "%x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #a>
        %y = arith.addf %x, %x : tensor<64x64xf32, #a>
        tt.store %p, %y : tensor<64x64x!tt.ptr<f32>, #a>";
    let after = "%x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #a>
        %c = ttg.convert_layout %x : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
        %y = arith.addf %c, %c : tensor<64x64xf32, #b>
        %r = ttg.convert_layout %y : tensor<64x64xf32, #b> -> tensor<64x64xf32, #a>
        tt.store %p, %r : tensor<64x64x!tt.ptr<f32>, #a>";
    compare(before, after, Ok(()));
}

#[test]
fn another_value_is_told() {
    let body = |op: &str| {
        format!(
            "%x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #a>
            %y = arith.{op} %x, %x : tensor<64x64xf32, #a>
            tt.store %p, %y : tensor<64x64x!tt.ptr<f32>, #a>"
        )
    };
    compare(
        &body("addf"),
        &body("mulf"),
        Err("effect 1 of 3 differs from the effect before the pass"),
    );
}

#[test]
fn an_effect_more_is_told() {
    let one = "%x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #a>
        tt.store %p, %x : tensor<64x64x!tt.ptr<f32>, #a>";
    let two = format!("{one}\ntt.store %p, %x : tensor<64x64x!tt.ptr<f32>, #a>");
    compare(
        one,
        &two,
        Err("effect 2 of 3 differs from the effect before the pass"),
    );
}

#[test]
fn a_load_from_a_buffer_written_once_is_what_was_stored() {
    let before = "%x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #a>
        %c = ttg.convert_layout %x : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
        tt.store %q, %c : tensor<64x64x!tt.ptr<f32>, #b>";
    let shared = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory";
    let through = |kind: &str| {
        format!(
            "%x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #a>
            %m = ttg.local_alloc %x : (tensor<64x64xf32, #a>) -> !ttg.memdesc<64x64xf32, {shared}{kind}>
            %c = ttg.local_load %m : !ttg.memdesc<64x64xf32, {shared}{kind}> -> tensor<64x64xf32, #b>
            tt.store %q, %c : tensor<64x64x!tt.ptr<f32>, #b>"
        )
    };
    compare(before, &through(""), Ok(()));
    compare(
        before,
        &through(", mutable"),
        Err("effect 1 of 3 differs from the effect before the pass"),
    );
}

/// Returns the text of a kernel that computes a product in registers, and a function that returns the text of a
/// kernel with the equivalent warp-group product. The function has three arguments: the tensor in the buffer of
/// operand A, the tensor in the buffer of operand B (which the product reads through a transposed view), and the
/// attributes of the product.
fn products() -> (String, impl Fn(&str, &str, &str) -> String) {
    let loads = "%x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #a>
        %y = tt.load %q : tensor<64x64x!tt.ptr<f32>, #b>
        %c = arith.constant dense<0.0> : tensor<64x64xf32, #a>";
    let (l, r) = (
        "#ttg.dot_op<{opIdx = 0, parent = #a}>",
        "#ttg.dot_op<{opIdx = 1, parent = #a}>",
    );
    let in_registers = format!(
        "{loads}
        %t = tt.trans %y {{order = array<i32: 1, 0>}} : tensor<64x64xf32, #b> -> tensor<64x64xf32, {B_TRANSPOSED}>
        %l = ttg.convert_layout %x : tensor<64x64xf32, #a> -> tensor<64x64xf32, {l}>
        %r = ttg.convert_layout %t : tensor<64x64xf32, {B_TRANSPOSED}> -> tensor<64x64xf32, {r}>
        %d = tt.dot %l, %r, %c, inputPrecision = tf32 : tensor<64x64xf32, {l}> * tensor<64x64xf32, {r}> -> tensor<64x64xf32, #a>
        tt.store %p, %d : tensor<64x64x!tt.ptr<f32>, #a>"
    );
    let in_buffers = move |a: &str, b: &str, attributes: &str| {
        let encoding = |is_transposed: bool| {
            format!(
                "#ttg.nvmma_shared<{{swizzlingByteWidth = 128, transposed = {is_transposed}, elementBitWidth = 32}}>"
            )
        };
        let buffer = format!(
            "!ttg.memdesc<64x64xf32, {}, #ttg.shared_memory>",
            encoding(false)
        );
        let transposed = format!(
            "!ttg.memdesc<64x64xf32, {}, #ttg.shared_memory>",
            encoding(true)
        );
        let mma = "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 8]}>";
        format!(
            "{loads}
            %z = ttg.convert_layout %y : tensor<64x64xf32, #b> -> tensor<64x64xf32, #a>
            %m = ttg.local_alloc {a} : (tensor<64x64xf32, #a>) -> {buffer}
            %n = ttg.local_alloc {b} : (tensor<64x64xf32, #a>) -> {buffer}
            %t = ttg.memdesc_trans %n {{order = array<i32: 1, 0>}} : {buffer} -> {transposed}
            %k = ttg.convert_layout %c : tensor<64x64xf32, #a> -> tensor<64x64xf32, {mma}>
            %w = ttng.warp_group_dot %m, %t, %k {{{attributes}}} : {buffer} * {transposed} -> tensor<64x64xf32, {mma}>
            %d = ttg.convert_layout %w : tensor<64x64xf32, {mma}> -> tensor<64x64xf32, #a>
            tt.store %p, %d : tensor<64x64x!tt.ptr<f32>, #a>"
        )
    };
    (in_registers, in_buffers)
}

#[test]
fn a_warp_group_product_of_buffers_is_the_product_of_their_contents() {
    let (before, after) = products();
    compare(
        &before,
        &after("%x", "%z", "inputPrecision = 0 : i32"),
        Ok(()),
    );
}

#[test]
fn a_warp_group_product_of_another_operand_or_precision_is_found() {
    let (before, after) = products();
    let error = Err("effect 2 of 5 differs from the effect before the pass");
    compare(
        &before,
        &after("%z", "%z", "inputPrecision = 0 : i32"),
        error,
    );
    compare(
        &before,
        &after("%x", "%x", "inputPrecision = 0 : i32"),
        error,
    );
    compare(
        &before,
        &after("%x", "%z", "inputPrecision = 2 : i32"),
        error,
    );
    // The result of a product in flight is not yet the product.
    compare(
        &before,
        &after("%x", "%z", "inputPrecision = 0 : i32, isAsync = true"),
        error,
    );
}

#[track_caller]
fn after_retyping(body: &str, is_it: fn(Op<'_>) -> bool, to: &str) -> Result<(), String> {
    let context = context();
    let mut module = Module::parse(&context, &text(body)).expect("the test is valid");
    let mut found = Ok(());
    sys::rewrite(&mut module, |rewriter, module| {
        let function = function(module);
        assert_eq!(registers::check(function).map_err(|(_, said)| said), Ok(()));
        let block = build::single_block(function, 0).expect("it has a body");
        let all = build::operations(block);
        let op = all.into_iter().find(|op| is_it(*op));
        let result = build::only_result(op.expect("it is there"));
        let type_ = Type::parse(build::context(function), to);
        rewriter.set_type(result, type_.expect("a type"));
        found = registers::check(function).map_err(|(_, said)| said);
    });
    found
}

const B_TRANSPOSED: &str = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>";

const B: &str = "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>";

#[test]
fn a_view_of_what_another_thread_holds_is_told() {
    let body = "%i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #a}>>
        %e = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #a}>> -> tensor<64x1xi32, #a>";
    let is_it = |op: Op<'_>| OpKind::TtExpandDims.is(op);
    let said = after_retyping(body, is_it, &format!("tensor<64x1xi32, {B}>"));
    let said = said.expect_err("threads hold other elements");
    assert!(
        said.starts_with("register 1 needs element [1] of an operand in `#ttg.slice"),
        "{said}"
    );
}

#[test]
fn arithmetic_on_registers_of_other_elements_is_told() {
    let body = "%x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #a>
        %y = arith.addf %x, %x : tensor<64x64xf32, #a>";
    let is_it = |op: Op<'_>| UpstreamKind::ArithAddF.is(op);
    let said = after_retyping(body, is_it, &format!("tensor<64x64xf32, {B}>"));
    let said = said.expect_err("registers hold other elements");
    assert!(
        said.ends_with("hold different elements in the same register"),
        "{said}"
    );
}

#[test]
fn views_of_what_a_thread_holds_are_right() {
    let body = "%x = tt.load %p : tensor<64x64x!tt.ptr<f32>, #a>
        %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x64xf32, #a> -> tensor<64x64xf32, #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [16, 2], warpsPerCTA = [1, 4], order = [0, 1]}>>
        %j = tt.join %x, %x : tensor<64x64xf32, #a> -> tensor<64x64x2xf32, #ttg.blocked<{sizePerThread = [1, 4, 2], threadsPerWarp = [2, 16, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>>
        %l, %r = tt.split %j : tensor<64x64x2xf32, #ttg.blocked<{sizePerThread = [1, 4, 2], threadsPerWarp = [2, 16, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>> -> tensor<64x64xf32, #a>
        %y = arith.addf %x, %l : tensor<64x64xf32, #a>";
    let is_it = |op: Op<'_>| UpstreamKind::ArithAddF.is(op);
    let same = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>";
    assert_eq!(
        after_retyping(body, is_it, &format!("tensor<64x64xf32, {same}>")),
        Ok(())
    );
}
