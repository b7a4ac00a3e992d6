//! Insertion of operations at a place, with shared integer constants.

use super::context::PassContext;
use crate::ir::builders;
use crate::ir::builders::arith::CmpIPredicate;
use crate::sys;
use crate::sys::build::{self, Op, Val};
use melior::ir::Type;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Integer constants that have been inserted, keyed by type and value.
pub(super) type Constants<'c> = RefCell<FxHashMap<(usize, u64), Val<'c>>>;

#[derive(Clone, Copy)]
pub(super) struct Insertion<'p, 'c> {
    pub(super) context: &'p PassContext<'c>,
    pub(super) place: Op<'c>,
    /// The operation in front of which new constants are inserted. All other operations are inserted in front of
    /// `place`.
    pub(super) front: Op<'c>,
    pub(super) constants: &'p Constants<'c>,
}

impl<'c> Insertion<'_, 'c> {
    pub(super) fn add<O>(self, building: builders::Building<'_, 'c, O>) -> Option<Val<'c>> {
        building.before(self.context.rewriter(), self.place)
    }

    /// Inserts an operation that has no results, and returns the operation.
    pub(super) fn insert<O>(self, building: builders::Building<'_, 'c, O>) -> Option<Op<'c>> {
        let location = self.place.location();
        building.insert(self.context.rewriter(), self.place, location)
    }

    pub(super) fn integer(self, type_: Type<'c>, number: u64) -> Option<Val<'c>> {
        let key = (sys::type_id(type_), number);
        if let Some(known) = self.constants.borrow().get(&key) {
            return Some(*known);
        }
        let value = IntegerAttribute::new(type_, number.cast_signed());
        let constant = builders::arith::constant(value.into(), type_)
            .before(self.context.rewriter(), self.front)?;
        self.constants.borrow_mut().insert(key, constant);
        Some(constant)
    }

    /// Returns a signless integer type.
    pub(super) fn integer_type(self, bits: u32) -> Type<'c> {
        IntegerType::new(build::context(self.place), bits).into()
    }

    pub(super) fn index(self, value: u32) -> Option<Val<'c>> {
        self.integer(self.integer_type(32), value.into())
    }

    pub(super) fn compare(
        self,
        predicate: CmpIPredicate,
        left: Val<'c>,
        right: Val<'c>,
    ) -> Option<Val<'c>> {
        self.add(builders::arith::cmpi(
            predicate,
            left,
            right,
            self.integer_type(1),
        ))
    }
}
