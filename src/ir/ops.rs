//! Operation kinds, and typed views of operations, generated from TableGen records.
//!
//! [`OpKind`] enumerates the operations of `tt`, `ttg`, `ttng`, `amdg` and `gluon`; [`UpstreamKind`] those of MLIR's
//! dialects in TTGIR. [`AnyKind::of`] finds the kind without comparing text. Exhaustive matches on kinds make the
//! compiler find code that does not handle a new operation of `dialect/*.td`. `kinds!(LL_UnknownAxes)` and
//! `views!(LL_UnknownAxes)` are patterns for all operations with a TableGen trait.
//!
//! A view has an accessor per declared operand, result, attribute and region: `tt::Load::of(op)?.mask()` is an `Option`
//! of a value. MLIR's operations have views too, for example `arith::CmpI`; [`OpView`] is a view of any kind. Accessors
//! panic on operations that do not conform to their ODS declarations, which MLIR verifies first.

use crate::sys::build::{self, Val};
use crate::sys::{self, OpIndex, Text};
use melior::ir::attribute::{
    BoolAttribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute, TypeAttribute,
};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, OperationRef, RegionRef, Type};
use std::ops::Range;

include!(concat!(env!("OUT_DIR"), "/generated/ops.rs"));

/// The kind of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnyKind {
    /// An operation of this project's dialects.
    Own(OpKind),
    /// An operation of one of MLIR's dialects that occur in TTGIR.
    Upstream(UpstreamKind),
    /// Any other operation.
    Other,
}

impl AnyKind {
    /// Returns the kind of an operation.
    #[must_use]
    pub fn of(op: OperationRef<'_, '_>) -> Self {
        match sys::op_number(op) {
            OpIndex::Own(n) => Self::Own(OpKind::ALL[n]),
            OpIndex::Upstream(n) => Self::Upstream(UpstreamKind::ALL[n]),
            OpIndex::Other => Self::Other,
        }
    }
}

impl OpKind {
    /// Returns true if `op` is of this kind.
    #[must_use]
    pub fn is(self, op: OperationRef<'_, '_>) -> bool {
        Self::of(op) == Some(self)
    }

    /// Returns the dialect name, for example `ttg`.
    #[must_use]
    pub fn dialect(self) -> &'static str {
        self.name().split('.').next().unwrap_or_default()
    }

    /// Returns the kind of an operation, or `None` for other dialects.
    #[must_use]
    pub fn of(op: OperationRef<'_, '_>) -> Option<Self> {
        match AnyKind::of(op) {
            AnyKind::Own(kind) => Some(kind),
            AnyKind::Upstream(_) | AnyKind::Other => None,
        }
    }
}

impl UpstreamKind {
    /// Returns true if `op` is of this kind.
    #[must_use]
    pub fn is(self, op: OperationRef<'_, '_>) -> bool {
        Self::of(op) == Some(self)
    }

    /// Returns the kind of an operation, or `None` for other dialects.
    #[must_use]
    pub fn of(op: OperationRef<'_, '_>) -> Option<Self> {
        match AnyKind::of(op) {
            AnyKind::Upstream(kind) => Some(kind),
            AnyKind::Own(_) | AnyKind::Other => None,
        }
    }
}

/// The number of values of one declared operand or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    One,
    Optional,
    Many,
}

/// The declared operands or results of an operation, each a group of consecutive values.
struct Groups {
    counts: &'static [Count],
    /// Name of the attribute that contains the number of values in each group. `None` if the operation has no such
    /// attribute.
    sizes: Option<&'static str>,
}

impl Groups {
    /// Returns the indices of the values in group `i`. All groups together have `total` values.
    ///
    /// If no attribute contains the group sizes, all optional and variadic groups have the same size, as ODS
    /// requires.
    fn range(&self, op: OperationRef<'_, '_>, total: usize, i: usize) -> Range<usize> {
        if let Some(sizes) = self.sizes.and_then(|key| numbers_32(op, key)) {
            let size = |n: &i32| usize::try_from(*n).unwrap_or(0);
            let start = sizes.iter().take(i).map(size).sum();
            return start..start + sizes.get(i).map_or(0, size);
        }
        let is_fixed = |count: &&Count| **count == Count::One;
        let fixed = self.counts.iter().filter(is_fixed).count();
        let share = total.saturating_sub(fixed) / (self.counts.len() - fixed).max(1);
        let size = |count: &Count| if *count == Count::One { 1 } else { share };
        let start = self.counts.iter().take(i).map(size).sum();
        start..start + size(&self.counts[i])
    }

    fn operands(&self, op: OperationRef<'_, '_>, i: usize) -> Range<usize> {
        self.range(op, op.operand_count(), i)
    }

    fn one_operand<'c>(&self, op: OperationRef<'_, 'c>, i: usize) -> Val<'c> {
        build::operand(op, self.operands(op, i).start)
    }

    fn optional_operand<'c>(&self, op: OperationRef<'_, 'c>, i: usize) -> Option<Val<'c>> {
        self.operands(op, i).next().map(|at| build::operand(op, at))
    }

    fn many_operand<'c>(&self, op: OperationRef<'_, 'c>, i: usize) -> Vec<Val<'c>> {
        self.operands(op, i)
            .map(|at| build::operand(op, at))
            .collect()
    }

    fn results(&self, op: OperationRef<'_, '_>, i: usize) -> Range<usize> {
        self.range(op, op.result_count(), i)
    }

    fn one_result<'c>(&self, op: OperationRef<'_, 'c>, i: usize) -> Val<'c> {
        build::result(op, self.results(op, i).start)
    }

    fn optional_result<'c>(&self, op: OperationRef<'_, 'c>, i: usize) -> Option<Val<'c>> {
        self.results(op, i).next().map(|at| build::result(op, at))
    }

    fn many_result<'c>(&self, op: OperationRef<'_, 'c>, i: usize) -> Vec<Val<'c>> {
        self.results(op, i)
            .map(|at| build::result(op, at))
            .collect()
    }
}

fn region<'c, 'a>(op: OperationRef<'c, 'a>, i: usize) -> RegionRef<'c, 'a> {
    op.region(i)
        .expect("the declaration says how many regions it has")
}

fn rest_of_regions<'c, 'a>(op: OperationRef<'c, 'a>, first: usize) -> Vec<RegionRef<'c, 'a>> {
    (first..op.region_count()).map(|i| region(op, i)).collect()
}

fn required<T>(found: Option<T>, key: &str) -> T {
    found
        .unwrap_or_else(|| panic!("an operation without the `{key}` that its declaration requires"))
}

fn any<'c>(op: OperationRef<'c, '_>, key: &str) -> Option<Attribute<'c>> {
    op.attribute(key).ok()
}

fn is_set(op: OperationRef<'_, '_>, key: &str) -> bool {
    op.has_attribute(key)
}

fn truth(op: OperationRef<'_, '_>, key: &str) -> Option<bool> {
    Some(BoolAttribute::try_from(any(op, key)?).ok()?.value())
}

fn number(op: OperationRef<'_, '_>, key: &str) -> Option<i64> {
    build::integer_value(any(op, key)?)
}

fn text<'c>(op: OperationRef<'c, '_>, key: &str) -> Option<Text<'c>> {
    sys::string_value(any(op, key)?)
}

fn type_of<'c>(op: OperationRef<'c, '_>, key: &str) -> Option<Type<'c>> {
    Some(TypeAttribute::try_from(any(op, key)?).ok()?.value())
}

fn numbers_32(op: OperationRef<'_, '_>, key: &str) -> Option<Vec<i32>> {
    let list = DenseI32ArrayAttribute::try_from(any(op, key)?).ok()?;
    Some(
        (0..list.len())
            .filter_map(|i| list.element(i).ok())
            .collect(),
    )
}

fn numbers_64(op: OperationRef<'_, '_>, key: &str) -> Option<Vec<i64>> {
    let list = DenseI64ArrayAttribute::try_from(any(op, key)?).ok()?;
    Some(
        (0..list.len())
            .filter_map(|i| list.element(i).ok())
            .collect(),
    )
}
