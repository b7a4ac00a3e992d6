//! Vectors, structs, bitcasts and selects.

use super::emitter::{Emitter, NamedAttr};
use crate::ir::builders::llvm;
use crate::sys::build::Val;
use melior::ir::{Type, ValueLike};

impl<'c> Emitter<'c> {
    /// Builds a vector. A single element is returned unchanged.
    pub(crate) fn gather(&mut self, elements: &[Val<'c>]) -> Val<'c> {
        if let [only] = elements {
            return *only;
        }
        let type_ = self.vector_type(elements.len(), elements[0].r#type());
        let mut vector = self.undefined(type_);
        for (i, element) in (0..).zip(elements) {
            let index = self.i32(i);
            vector = self.pure(llvm::insertelement(vector, *element, index));
        }
        vector
    }

    /// Splits a vector into its `count` elements. This is the inverse of [`Self::gather`].
    pub(crate) fn scatter(
        &mut self,
        vector: Val<'c>,
        count: usize,
        element: Type<'c>,
    ) -> Vec<Val<'c>> {
        if count == 1 {
            return vec![vector];
        }
        (0..)
            .take(count)
            .map(|i| {
                let index = self.i32(i);
                self.pure(llvm::extractelement(vector, index, element))
            })
            .collect()
    }

    pub(crate) fn extract_value(&mut self, value: Val<'c>, i: usize, type_: Type<'c>) -> Val<'c> {
        self.pure(llvm::extractvalue(value, &[member_index(i)], type_))
    }

    pub(crate) fn insert_value(&mut self, struct_: Val<'c>, member: Val<'c>, i: usize) -> Val<'c> {
        self.pure(llvm::insertvalue(struct_, member, &[member_index(i)]))
    }

    pub(crate) fn bitcast(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        if value.r#type() == type_ {
            return value;
        }
        self.pure(llvm::bitcast(value, type_))
    }

    /// Attaches attributes to a value. Emits an identity bitcast of the value that has these attributes, and
    /// returns the result of the bitcast.
    pub(crate) fn marked(&mut self, value: Val<'c>, marks: &[NamedAttr<'c>]) -> Val<'c> {
        self.pure(llvm::bitcast(value, value.r#type()).with_attributes(marks))
    }

    /// Attaches attributes to a value at the insertion point, by an identity bitcast. The bitcast is not erased,
    /// although its result is unused.
    pub(crate) fn marked_here(&mut self, value: Val<'c>, marks: &[NamedAttr<'c>]) {
        self.effect(llvm::bitcast(value, value.r#type()).with_attributes(marks));
    }

    pub(crate) fn select(&mut self, condition: Val<'c>, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        if a == b {
            return a;
        }
        self.pure(llvm::select(condition, a, b))
    }
}

fn member_index(i: usize) -> i64 {
    i64::try_from(i).expect("a struct has fewer members than 2^63")
}
