//! Operations with one result, made before another operation and at its location.

use crate::ir::OpKind;
use crate::ir::ops::arith;
use crate::sys::Rewriter;
use crate::sys::build::{self, Op, Spec, Val};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Identifier, Type};

/// Where operations are made: before this one.
#[derive(Clone, Copy)]
pub(super) struct Maker<'c> {
    pub(super) rewriter: Rewriter<'c>,
    pub(super) place: Op<'c>,
}

impl<'c> Maker<'c> {
    /// An operation; `None` where it cannot be made.
    pub(super) fn op(
        self,
        name: &'static str,
        operands: &[Val<'c>],
        type_: Type<'c>,
        attributes: &[(Identifier<'c>, Attribute<'c>)],
    ) -> Option<Val<'c>> {
        let spec = Spec {
            name,
            location: self.place.location(),
            operands,
            results: &[type_],
            attributes,
            regions: Vec::new(),
            successors: &[],
        };
        let made = self.rewriter.insert_before(self.place, spec).ok()?;
        Some(build::only_result(made))
    }

    pub(super) fn convert(self, value: Val<'c>, type_: Type<'c>) -> Option<Val<'c>> {
        self.op(OpKind::TtgConvertLayout.name(), &[value], type_, &[])
    }

    pub(super) fn splat(self, value: Val<'c>, type_: Type<'c>) -> Option<Val<'c>> {
        self.op(OpKind::TtSplat.name(), &[value], type_, &[])
    }

    /// A constant with this value, which for a tensor is an attribute of all its elements.
    pub(super) fn constant(self, type_: Type<'c>, value: Attribute<'c>) -> Option<Val<'c>> {
        let key = Identifier::new(build::context(self.place), arith::Constant::VALUE_KEY);
        self.op(arith::Constant::KIND.name(), &[], type_, &[(key, value)])
    }
}
