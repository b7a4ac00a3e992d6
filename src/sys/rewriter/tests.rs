//! Tests of the rewriter: erased operations, checks of uses, change counts.

use super::*;
use crate::sys::{defining_operation, has_one_use, identifier_text, is_unused};
use crate::testing::context;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn on_function<T>(
    body: &str,
    f: impl for<'c> FnOnce(Rewriter<'c>, Op<'c>, Vec<Blk<'c>>) -> T,
) -> (T, String) {
    let context = context();
    let text = format!("func.func @f(%x: i32, %y: i32, %c: i1) {{\n{body}\nreturn\n}}");
    let mut module = Module::parse(&context, &text).expect("the test is valid");
    let outcome = rewrite(&mut module, |rewriter, module| {
        let function = build::operations(build::blocks(module, 0)[0])[0];
        f(rewriter, module, build::blocks(function, 0))
    });
    assert!(module.as_operation().verify());
    (outcome, module.as_operation().to_string())
}

fn name<'c>(op: Op<'c>) -> &'c str {
    identifier_text(op.name())
}

fn read(op: Op<'_>) -> String {
    for i in 0..op.operand_count() {
        let operand = build::operand(op, i);
        let _ = (operand.r#type().to_string(), defining_operation(operand));
        let _ = (is_unused(operand), has_one_use(operand));
    }
    for i in 0..op.result_count() {
        assert!(is_unused(build::result(op, i)));
    }
    for i in 0..op.successor_count() {
        let successor = op.successor(i).expect("there are so many");
        let _ = successor.to_string();
    }
    let _ = (op.parent_operation(), op.next_in_block(), op.location());
    for i in 0..op.region_count() {
        for inner in build::blocks(op, i).into_iter().flat_map(build::operations) {
            read(inner);
        }
    }
    format!("{:?} {op}", build::attributes(op))
}

#[test]
fn what_is_erased_leaves_the_ir_and_shows_a_husk() {
    let body = "%a = arith.addi %x, %y : i32\n%b = arith.muli %a, %a {k} : i32";
    let ((), left) = on_function(body, |rewriter, _, blocks| {
        let all = build::operations(blocks[0]);
        let (a, b) = (all[0], all[1]);
        rewriter.erase(b);
        assert!(is_unused(build::result(a, 0)));
        rewriter.erase(a);
        assert!(is_unused(build::argument(blocks[0], 0)));
        assert_eq!(build::operations(blocks[0]).len(), 1);
        // Both operations are unchanged except for their operands.
        assert_eq!((name(a), name(b)), ("arith.addi", "arith.muli"));
        assert_eq!((b.operand_count(), b.result_count()), (2, 1));
        assert!(defining_operation(build::operand(b, 0)).is_none());
        assert!(b.has_attribute("k"));
        assert!(read(a).contains("arith.addi") && read(b).contains("arith.muli"));
        // Erasing again has no effect.
        let changes = rewriter.changes();
        rewriter.erase(a);
        assert_eq!(rewriter.changes(), changes);
    });
    assert!(!left.contains("arith"), "{left}");
}

#[test]
fn what_lies_in_what_is_erased_can_be_read() {
    let body = "scf.if %c {\n%a = arith.addi %x, %y : i32\n%b = arith.muli %a, %x : i32\n\
                scf.if %c {\nfunc.call @g(%b) : (i32) -> ()\n}\n}\nreturn\n}\nfunc.func private @g(i32)\n\
                func.func @h() {";
    let ((), left) = on_function(body, |rewriter, _, blocks| {
        let holder = build::operations(blocks[0])[0];
        let inner = build::operations(build::blocks(holder, 0)[0]);
        rewriter.erase(holder);
        for op in [&inner[..], &[holder]].concat() {
            read(op);
            rewriter.erase(op);
        }
        for i in 0..3 {
            assert!(is_unused(build::argument(blocks[0], i)));
        }
    });
    assert!(!left.contains("scf"), "{left}");
}

#[test]
fn an_erased_branch_leads_nowhere() {
    let body = "cf.br ^end(%x : i32)\n^end(%z: i32):";
    on_function(body, |rewriter, _, blocks| {
        let branch = build::operations(blocks[0])[0];
        let end = build::operations(blocks[1])[0];
        rewriter.erase(branch);
        assert_eq!(branch.successor_count(), 1);
        assert!(branch.successor(0).is_ok_and(|to| to != blocks[1]));
        read(branch);
        // Makes the function valid again.
        let spec = Spec {
            name: "func.return",
            location: end.location(),
            operands: &[],
            results: &[],
            attributes: &[],
            regions: Vec::new(),
            successors: &[],
        };
        let made = rewriter.append(blocks[0], spec).expect("it is registered");
        assert_eq!(build::operations(blocks[0]), [made]);
    });
}

#[test]
fn what_is_used_and_what_holds_the_rest_is_not_erased() {
    let panic_message = |f: &dyn Fn()| {
        let panic = catch_unwind(AssertUnwindSafe(f)).expect_err("it must not");
        *panic.downcast::<String>().expect("a message")
    };
    let body = "%a = arith.addi %x, %y : i32\n%b = arith.muli %a, %a : i32";
    on_function(body, |rewriter, module, blocks| {
        let a = build::operations(blocks[0])[0];
        let used = panic_message(&|| rewriter.erase(a));
        assert_eq!(used, "`arith.addi` is erased while its results are used");
        let root = panic_message(&|| rewriter.erase(module));
        assert_eq!(root, "`builtin.module` holds all that is rewritten");
        let used = panic_message(&|| rewriter.remove_arguments(blocks[0], |i| i == 0));
        assert_eq!(used, "argument 0 of a block is taken away while it is used");
        assert_eq!(rewriter.changes(), 0);
    });
}

#[test]
fn a_list_is_visited_without_what_goes_meanwhile() {
    let body =
        "%a = arith.addi %x, %y : i32\n%b = arith.muli %a, %a : i32\n%d = arith.muli %x, %x : i32";
    on_function(body, |rewriter, _, blocks| {
        let mut all = build::operations(blocks[0]);
        let (a, b) = (all[0], all[1]);
        all.rotate_left(1);
        let mut seen = Vec::new();
        rewriter.each(all, |op| {
            seen.push(name(op));
            if op == b {
                rewriter.erase(b);
                rewriter.erase(a);
            }
        });
        assert_eq!(seen, ["arith.muli", "arith.muli", "func.return"]);
    });
}

#[test]
fn changes_are_counted_and_looks_are_not() {
    let body = "%a = arith.addi %x, %y : i32\n%b = arith.muli %a, %a : i32";
    let ((), left) = on_function(body, |rewriter, _, blocks| {
        let (a, b) = (
            build::operations(blocks[0])[0],
            build::operations(blocks[0])[1],
        );
        let [x, y] = [0, 1].map(|i| build::argument(blocks[0], i));
        let mut before = rewriter.changes();
        let mut changed = |what: &str| {
            assert!(rewriter.changes() > before, "{what}");
            before = rewriter.changes();
        };
        rewriter.replace_all_uses(build::result(b, 0), x);
        rewriter.each([a, b], |_| {});
        assert_eq!(rewriter.changes(), 0);
        rewriter.set_operand(a, 1, x);
        changed("set_operand");
        rewriter.set_attribute(a, "k", Attribute::unit(build::context(a)));
        changed("set_attribute");
        rewriter.remove_attribute(a, "k");
        changed("remove_attribute");
        rewriter.replace_all_uses(x, y);
        changed("replace_all_uses");
        let copy = rewriter.copy_before(b, a);
        changed("copy_before");
        rewriter.replace(a, &[build::result(copy, 0)]);
        changed("replace");
        rewriter.with_copy(b, |inner, copy| {
            inner.set_attribute(copy, "k", Attribute::unit(build::context(copy)));
            assert_eq!(inner.changes(), 1);
        });
        assert!(!b.has_attribute("k"));
        rewriter.replace_parts(b, &[], &[]);
        changed("replace_parts");
    });
    let wanted = "%0 = arith.addi %arg1, %arg1 : i32\n    %1 = arith.muli %0, %0 : i32";
    assert!(left.contains(wanted), "{left}");
}

#[test]
fn groups_of_operands_are_counted_again() {
    let body = "%p = ub.poison : !tt.ptr<i32>\n%a = tt.load %p, %c, %x : !tt.ptr<i32>";
    let ((), left) = on_function(body, |rewriter, _, blocks| {
        let load = build::operations(blocks[0])[1];
        rewriter.remove_operands(load, |i| i > 0);
    });
    assert!(left.contains("tt.load %0 : !tt.ptr<i32>"), "{left}");
}
