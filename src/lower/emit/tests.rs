//! Value numbering, constant folding, and verification of emitted operations.

use super::Emitter;
use crate::lower::declarations::Declarations;
use crate::lower::tests::context;
use crate::sys;
use crate::sys::build::{self, Val};
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Module, Region, Type, ValueLike};

/// Emits a function with arguments of `types`, and verifies the function.
#[track_caller]
pub(crate) fn verified(
    types: &[&str],
    emit: impl for<'c> FnOnce(&mut Emitter<'c>, &mut Declarations, &[Val<'c>]),
) {
    let context = context();
    let mut module = Module::new(Location::unknown(&context));
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
        let mut declarations = Declarations::default();
        emit(&mut e, &mut declarations, &super::block_arguments(block));
        e.return_(None);
        let type_ = e.function_type(e.void_type(), &types);
        e.function(body, "f", type_, true, &[], region)
            .expect("a function can be made");
        declarations.declare(rewriter, context, body);
    });
    let module = module.as_operation();
    assert!(module.verify(), "{module}");
}

/// An equal pure operation is reused only if it dominates the insertion point.
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
