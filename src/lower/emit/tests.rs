//! Every method makes an operation that MLIR verifies.

use super::{AtomicOperation, Emitter, FloatPredicate, IntPredicate, Ordering, Usage};
use crate::ir::UpstreamKind;
use crate::lower::tests::context;
use crate::lower::texts::Texts;
use crate::sys;
use crate::sys::build::{self, Val};
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use melior::ir::{Location, Module, Region, Type, ValueLike};
use std::collections::BTreeSet;

/// Emits into a function with arguments of these types, and verifies it; returns it as text, with the full
/// name of every operation.
#[track_caller]
pub(crate) fn verified(
    types: &[&str],
    emit: impl for<'c> FnOnce(&mut Emitter<'c>, &mut Texts, &[Val<'c>]),
) -> String {
    let context = context();
    let mut module = Module::parse(
        &context,
        "llvm.func @callee(i32) -> i32
         llvm.mlir.global external @memory() {addr_space = 3 : i32} : !llvm.array<0 x i8>",
    )
    .expect("the module is valid");
    sys::rewrite(&mut module, |rewriter, module| {
        let context = build::context(module);
        let location = Location::unknown(context);
        let body = build::module_body(module).expect("a module has a block");
        let types: Vec<Type<'_>> = types
            .iter()
            .map(|text| Type::parse(context, text).expect("the type is valid"))
            .collect();
        let region = Region::new();
        let typed: Vec<_> = types.iter().map(|type_| (*type_, location)).collect();
        let block = rewriter.append_block(&region, &typed);
        let mut e = Emitter::new(rewriter, context, location, block);
        let mut texts = Texts::default();
        emit(&mut e, &mut texts, &super::block_arguments(block));
        e.return_(None);
        let type_ = e.function_type(e.void_type(), &types);
        e.function(body, "f", type_, true, &[], region)
            .expect("a function can be made");
        texts.declare(rewriter, context, body);
    });
    let flags = OperationPrintingFlags::new().print_generic_operation_form();
    let text = module
        .as_operation()
        .to_string_with_flags(flags)
        .expect("a module can be printed");
    assert!(module.as_operation().verify(), "{text}");
    text
}

/// The full names of operations that stand as literals in a source.
pub(crate) fn names_in(source: &str) -> BTreeSet<&str> {
    source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split('"').skip(1).step_by(2))
        .filter(|text| {
            text.split_once('.').is_some_and(|(dialect, name)| {
                ["arith", "llvm", "nvvm", "rocdl"].contains(&dialect)
                    && name.starts_with(|c: char| c.is_ascii_lowercase())
                    && !name.contains(' ')
            })
        })
        .collect()
}

fn constants<'c>(e: &mut Emitter<'c>, struct_: Type<'c>) {
    let types = e.types;
    for type_ in [types.i1, types.i8, types.i64] {
        e.constant(type_, -1);
    }
    let one = e.int_attr(types.i32, 1);
    e.constant_attr(types.i32, one);
    e.float(types.f32, 0.5);
    for type_ in [types.i32, types.f32, e.vector_type(2, types.i8), struct_] {
        e.zero(type_);
        e.undefined(type_);
        e.any_bits(type_);
    }
}

fn integers<'c>(e: &mut Emitter<'c>, a: Val<'c>, long: Val<'c>) {
    let b = e.count_ones(a);
    for operation in [
        Emitter::and,
        Emitter::or,
        Emitter::or_disjoint,
        Emitter::xor,
        Emitter::add,
        Emitter::sub,
        Emitter::mul,
        Emitter::shift_left,
        Emitter::shift_right,
        Emitter::shift_right_signed,
        Emitter::signed_max,
        Emitter::signed_min,
    ] {
        operation(e, a, b);
    }
    for predicate in [
        IntPredicate::Equal,
        IntPredicate::NotEqual,
        IntPredicate::SignedLess,
    ] {
        e.icmp(predicate, a, b);
    }
    for operation in [
        Emitter::count_leading_zeros,
        Emitter::count_trailing_zeros,
        Emitter::reverse_bits,
        Emitter::abs,
    ] {
        operation(e, a);
    }
    e.is_zero(long);
    e.is_nonzero(long);
    e.shl(long, 3);
    e.lshr(long, 3);
    e.sext(a, long.r#type());
    e.zext(a, long.r#type());
    e.trunc(long, a.r#type());
}

fn floats<'c>(e: &mut Emitter<'c>, a: Val<'c>, half: Val<'c>, i: Val<'c>) {
    let b = e.fpext(half, a.r#type());
    e.fptrunc(a, half.r#type());
    for operation in [
        Emitter::fadd,
        Emitter::fsub,
        Emitter::fmul,
        Emitter::fdiv,
        Emitter::frem,
        Emitter::copysign,
    ] {
        operation(e, a, b);
    }
    for operation in [
        Emitter::fneg,
        Emitter::fabs,
        Emitter::sqrt,
        Emitter::round_even,
        Emitter::round_to_zero,
        Emitter::exp2,
        Emitter::approximate_exp2,
    ] {
        operation(e, a);
    }
    e.fma(a, b, a);
    for predicate in [
        FloatPredicate::Equal,
        FloatPredicate::Greater,
        FloatPredicate::GreaterOrEqual,
        FloatPredicate::Less,
        FloatPredicate::Unordered,
    ] {
        e.fcmp(predicate, a, b);
    }
    e.sitofp(i, a.r#type());
    e.uitofp(i, a.r#type());
    e.fptosi(a, i.r#type());
    for is_signed in [true, false] {
        e.saturated(a, i.r#type(), is_signed);
    }
    e.upstream(UpstreamKind::ArithAddF, &[a, b], a.r#type(), &[]);
}

fn memory<'c>(e: &mut Emitter<'c>, pointer: Val<'c>, i: Val<'c>, long: Val<'c>) {
    let value = e.load(pointer, i.r#type(), 4);
    let usage = Usage {
        is_volatile: true,
        is_once: true,
    };
    e.load_as(pointer, i.r#type(), 4, usage);
    e.store_as(value, pointer, 4, usage);
    e.store(value, pointer, 4);
    e.fence(Ordering::AcquireRelease, "wavefront");
    e.atomic_rmw(
        AtomicOperation::SignedMax,
        pointer,
        i,
        Ordering::Release,
        "agent",
    );
    e.atomic_cas(pointer, [i, value], Ordering::AcquireRelease, "agent");
    e.atomic_load(pointer, i.r#type(), 4, Ordering::Acquire, "");
    e.atomic_store(value, pointer, 4, Ordering::Monotonic, "agent");
    let shared = e.address_of_shared("memory");
    let bytes = e.gep_bytes(shared, 16);
    e.gep(bytes, i.r#type(), i);
    e.ptrtoint(pointer, long.r#type());
    e.inttoptr(long, pointer.r#type());
}

fn parts<'c>(e: &mut Emitter<'c>, x: Val<'c>, i: Val<'c>, bit: Val<'c>, struct_: Type<'c>) {
    let vector = e.gather(&[x, x]);
    e.scatter(vector, 2, x.r#type());
    let whole = e.undefined(struct_);
    let whole = e.insert_value(whole, x, 1);
    e.extract_value(whole, 1, x.r#type());
    let other = e.bitcast(i, x.r#type());
    e.select(bit, x, other);
}

fn calls<'c>(e: &mut Emitter<'c>, texts: &mut Texts, x: Val<'c>, i: Val<'c>) {
    let callee = e.symbol("callee");
    e.call(callee, &[i], Some(i.r#type()));
    e.call_intrinsic("llvm.nvvm.lg2.approx.f", &[x], x.r#type());
    e.stack(3);
    e.address_of_text(&texts.constant(b"a text"));
    e.trap();
    e.call_intrinsic_with_effect("llvm.amdgcn.ds.bpermute", &[i, i], i.r#type());
    e.inline_asm("nop;", "", &[], None);
    e.pure_asm("mov.b32 $0, $1;", "=r,r", &[i], i.r#type());
    e.inline_asm("mov.b32 $0, $1;", "=r,r", &[i], Some(i.r#type()));
}

fn control<'c>(e: &mut Emitter<'c>, i: Val<'c>, bit: Val<'c>) {
    let fork = e.fork(bit);
    e.join_or(fork, &[], &[]);
    let fork = e.fork(bit);
    let otherwise = e.otherwise(fork, &[i]);
    let either = e.join(otherwise, &[i]);
    let (header, carried) = e.begin_loop(&either);
    let body = e.begin_body(header, bit);
    e.end_loop(body, &carried, None);
    let mut switch = e.switch(&[i.r#type()]);
    for _ in 0..3 {
        e.begin_case(&mut switch);
        e.end_case(&mut switch, &[i]);
    }
    e.end_switch(switch, i, &[1, -7]);
    let mut switch = e.switch(&[]);
    e.begin_case(&mut switch);
    e.end_case(&mut switch, &[]);
    e.end_switch(switch, i, &[]);
}

#[test]
fn every_method_makes_a_verified_operation() {
    let types = ["i32", "i64", "f32", "f16", "i1", "!llvm.ptr"];
    let text = verified(&types, |e, texts, arguments| {
        let &[i, long, x, half, bit, pointer] = arguments else {
            panic!("a function has an argument for each type");
        };
        let struct_ = e.struct_type(&[i.r#type(), x.r#type()]);
        constants(e, struct_);
        integers(e, i, long);
        floats(e, x, half, i);
        memory(e, pointer, i, long);
        parts(e, x, i, bit, struct_);
        calls(e, texts, x, i);
        control(e, i, bit);
    });
    let mut count = 0;
    for source in [
        include_str!("call.rs"),
        include_str!("constants.rs"),
        include_str!("control.rs"),
        include_str!("float.rs"),
        include_str!("integer.rs"),
        include_str!("memory.rs"),
        include_str!("parts.rs"),
    ] {
        for name in names_in(source) {
            assert!(
                text.contains(&format!("\"{name}\"")),
                "no test emits {name}"
            );
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
}

/// An operation is found again where the first dominates, and not beside it.
#[test]
fn a_pure_operation_is_emitted_once() {
    verified(&["i32", "i1"], |e, _, arguments| {
        let &[i, bit] = arguments else {
            panic!("a function has an argument for each type");
        };
        let sum = e.add(i, i);
        let fork = e.fork(bit);
        assert_eq!(e.add(i, i), sum);
        let product = e.mul(i, i);
        assert_eq!(e.mul(i, i), product);
        e.join_or(fork, &[], &[]);
        assert_ne!(e.mul(i, i), product);
        assert_eq!(e.add(i, i), sum);
    });
}

#[test]
fn constants_are_folded() {
    verified(&["i32"], |e, _, arguments| {
        let (i, zero, one) = (arguments[0], e.i32(0), e.i32(1));
        let wrong = [
            e.add(i, zero),
            e.add(zero, i),
            e.xor(i, zero),
            e.xor(zero, i),
            e.or_disjoint(i, zero),
            e.or_disjoint(zero, i),
            e.mul(i, one),
            e.mul(one, i),
            e.shl(i, 0),
            e.lshr(i, 0),
            e.gep_bytes(i, 0),
            e.select(i, i, i),
            e.bitcast(i, i.r#type()),
            e.gather(&[i]),
        ];
        assert_eq!(wrong, [i; 14]);
        assert_eq!(e.and(i, zero), zero);
    });
}
