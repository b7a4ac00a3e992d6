//! Terms, which are equal if and only if their numbers are.

use crate::ir::ops::{arith, tt};
use crate::ir::{Layouts, TensorType};
use crate::sys;
use crate::sys::build::{self, Op, Val};
use melior::ir::{Type, ValueLike};
use rustc_hash::FxHashMap;

/// Tables that assign a number to each distinct term and to each distinct text.
#[derive(Default)]
pub(super) struct Terms {
    /// Number of each term, keyed by the operation and the numbers of its operands.
    terms: FxHashMap<Vec<usize>, usize>,
    texts: FxHashMap<String, usize>,
}

impl Terms {
    pub(super) fn text(&mut self, text: String) -> usize {
        let next = self.texts.len();
        *self.texts.entry(text).or_insert(next)
    }

    pub(super) fn name(&mut self, term: Vec<usize>) -> usize {
        let next = self.terms.len();
        *self.terms.entry(term).or_insert(next)
    }

    /// Returns a number for the type of a value. Types that differ only in their layout have the same number.
    pub(super) fn bare(&mut self, value: Val<'_>) -> usize {
        let type_ = value.r#type();
        let text = match TensorType::of(type_) {
            Some(tensor) => format!("{:?} {}", tensor.shape, tensor.element),
            None => Layouts::of(value.context()).text_of_type(type_).to_string(),
        };
        self.text(text)
    }

    /// Returns the numbers of an operation's attributes. If the operation is a constant whose elements are all
    /// equal, the element replaces the value of the constant.
    pub(super) fn attributes(&mut self, op: Op<'_>) -> Vec<usize> {
        let is_value = arith::Constant::of(op).is_some();
        let attributes = build::attributes(op).into_iter();
        let attributes = attributes.map(|(key, value)| {
            let value = match build::splat_value(value).filter(|_| is_value) {
                Some(element) => element.to_string(),
                None => value.to_string(),
            };
            self.text(format!("{} = {value}", sys::identifier_text(key)))
        });
        attributes.collect()
    }

    /// Returns the term of the product that `op` adds to `c`. A `tt.dot` and the equivalent warp-group product have
    /// the same term.
    pub(super) fn product(
        &mut self,
        op: Op<'_>,
        (left, right, sum): (usize, usize, usize),
        precision: String,
        c: Val<'_>,
    ) -> Vec<usize> {
        let mut term = vec![self.text(tt::Dot::KIND.name().to_owned()), left, right, sum];
        term.extend([self.text(precision), self.bare(c)]);
        for (key, value) in build::discardable_attributes(op) {
            term.push(self.text(format!("{} = {value}", sys::identifier_text(key))));
        }
        term
    }

    /// Returns the number of the term for the transpose of `src`, which is a tensor or the contents of a buffer.
    pub(super) fn transposition(
        &mut self,
        src: usize,
        order: &[i32],
        shape: &[u64],
        element: Type<'_>,
    ) -> usize {
        let term = vec![
            self.text(tt::Trans::KIND.name().to_owned()),
            src,
            self.text(format!("{order:?} {shape:?} {element}")),
        ];
        self.name(term)
    }
}
