//! The rewriter: the only means to change IR.
//!
//! Passes and patterns get a [`Rewriter`], which notifies MLIR's pattern driver of every change.
//!
//! The lifetime `'c` of handles is unique to the rewriter (every constructor is `for<'c>`), so no handle outlives the
//! rewriter. An erased operation leaves the IR immediately, but is freed only with the rewriter. Its handles still have
//! name, attributes and types, but no parent, and placeholders as operands. [`Rewriter::changes`] counts changes, for
//! the invalidation of analyses.

use super::bridge::{MlirAttribute, MlirBlock, MlirOperation, MlirRewriter, MlirType, ffi};
use super::build::{self, Blk, Op, Spec, Val};
use melior::Context;
use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{
    Attribute, AttributeLike, Block, BlockRef, Location, Module, OperationRef, Region, RegionLike,
    Type, TypeLike, Value, ValueLike,
};
use mlir_sys as m;
use std::cell::{Cell, OnceCell};
use std::marker::PhantomData;

pub(super) type Raw = m::MlirRewriterBase;

/// Name of the attribute with the sizes of the operand groups.
const OPERAND_SEGMENTS: &str = "operandSegmentSizes";

/// A handle through which the IR is changed. It is created either for an operation and all nested operations, or
/// for one application of a pattern. All copies of a rewriter share their state.
#[derive(Clone, Copy, Debug)]
pub struct Rewriter<'c> {
    work: &'c Work,
    /// Makes the lifetime invariant, so that handles of different rewriters cannot be mixed.
    brand: PhantomData<Cell<&'c ()>>,
}

/// State shared by all copies of a [`Rewriter`].
#[derive(Debug)]
pub(super) struct Work {
    rewriter: m::MlirRewriterBase,
    is_owned: bool,
    /// Root operation. The rewriter may change all operations nested in it.
    root: m::MlirOperation,
    /// Block of erased operations. They are kept until the `Work` is dropped, so that their handles stay valid.
    limbo: OnceCell<m::MlirBlock>,
    changes: Cell<u64>,
}

impl Work {
    pub(super) fn on(root: OperationRef<'_, '_>) -> Self {
        // SAFETY: the operation and with it its context are alive.
        let rewriter =
            unsafe { m::mlirIRRewriterCreate(m::mlirOperationGetContext(root.to_raw())) };
        Self::with(rewriter, true, root.to_raw())
    }

    /// Creates the state for one application of a pattern to `op`.
    ///
    /// # Safety
    /// `rewriter` must be the rewriter that the driver passed for `op`.
    pub(super) unsafe fn of_pattern(
        rewriter: m::MlirRewriterBase,
        op: OperationRef<'_, '_>,
    ) -> Self {
        Self::with(rewriter, false, outermost(op.to_raw()))
    }

    fn with(rewriter: m::MlirRewriterBase, is_owned: bool, root: m::MlirOperation) -> Self {
        Self {
            rewriter,
            is_owned,
            root,
            limbo: OnceCell::new(),
            changes: Cell::new(0),
        }
    }

    pub(super) fn rewriter(&self) -> Rewriter<'_> {
        Rewriter {
            work: self,
            brand: PhantomData,
        }
    }

    fn limbo(&self) -> m::MlirBlock {
        // SAFETY: a block without arguments needs no types.
        *self
            .limbo
            .get_or_init(|| unsafe { m::mlirBlockCreate(0, std::ptr::null(), std::ptr::null()) })
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // SAFETY: no handle outlives the scope, and nothing outside uses erased operations. A rewriter of our own is
        // destroyed once.
        unsafe {
            if let Some(limbo) = self.limbo.take() {
                m::mlirBlockDestroy(limbo);
            }
            if self.is_owned {
                m::mlirIRRewriterDestroy(self.rewriter);
            }
        }
    }
}

/// Calls `f` with a rewriter and the operation of a module.
///
/// ```
/// use linear_layout_mlir::sys::rewrite;
/// use melior::ir::{Attribute, Location, Module, operation::OperationLike};
///
/// let context = melior::Context::new();
/// let mut module = Module::new(Location::unknown(&context));
/// rewrite(&mut module, |rewriter, module| {
///     rewriter.set_attribute(module, "my.mark", Attribute::unit(&context));
/// });
/// assert!(module.as_operation().has_attribute("my.mark"));
/// ```
/// `f` can neither return a handle nor use a handle of another module:
/// ```compile_fail
/// # use linear_layout_mlir::sys::rewrite;
/// # use melior::ir::{Location, Module};
/// # let context = melior::Context::new();
/// # let mut module = Module::new(Location::unknown(&context));
/// let kept = rewrite(&mut module, |rewriter, module| module);
/// ```
/// ```compile_fail
/// # use linear_layout_mlir::sys::rewrite;
/// # use melior::ir::{Location, Module};
/// # let context = melior::Context::new();
/// # let mut module = Module::new(Location::unknown(&context));
/// let other = Module::new(Location::unknown(&context));
/// rewrite(&mut module, |rewriter, module| rewriter.erase(other.as_operation()));
/// ```
pub fn rewrite<T>(module: &mut Module<'_>, f: impl for<'c> FnOnce(Rewriter<'c>, Op<'c>) -> T) -> T {
    on(module.as_operation(), f)
}

/// Calls `f` with a rewriter and `op`. `f` may change `op` and all nested operations.
pub(super) fn on<T>(
    op: OperationRef<'_, '_>,
    f: impl for<'c> FnOnce(Rewriter<'c>, Op<'c>) -> T,
) -> T {
    let work = Work::on(op);
    f(work.rewriter(), op)
}

fn outermost(mut op: m::MlirOperation) -> m::MlirOperation {
    // SAFETY: the operation is alive, and so are its ancestors.
    unsafe {
        loop {
            let parent = m::mlirOperationGetParentOperation(op);
            if parent.ptr.is_null() {
                return op;
            }
            op = parent;
        }
    }
}

impl<'c> Rewriter<'c> {
    /// Returns the number of changes so far. The IR is unchanged between two calls that return the same number.
    #[must_use]
    pub fn changes(self) -> u64 {
        self.work.changes.get()
    }

    fn count(self) {
        self.work.changes.set(self.changes() + 1);
    }

    /// Applies `change` to an operation in place, and notifies MLIR of the modification.
    fn modify(self, op: Op<'c>, change: impl FnOnce(m::MlirOperation)) {
        let (rewriter, op) = (self.work.rewriter, op.to_raw());
        // SAFETY: rewriter and operation are alive: see the module documentation.
        unsafe { m::mlirRewriterBaseStartOpModification(rewriter, op) };
        change(op);
        // SAFETY: as above; the modification was started.
        unsafe { m::mlirRewriterBaseFinalizeOpModification(rewriter, op) };
        self.count();
    }

    /// Creates an operation at the end of a block.
    ///
    /// # Errors
    /// Fails if MLIR rejects the operation. MLIR has then emitted the reason.
    pub fn append(self, block: Blk<'c>, spec: Spec<'_, 'c>) -> Result<Op<'c>, String> {
        let op = spec.create()?;
        // SAFETY: the block is alive.
        unsafe { m::mlirRewriterBaseSetInsertionPointToEnd(self.work.rewriter, block.to_raw()) };
        Ok(self.insert(op))
    }

    /// Creates an operation before `place`.
    ///
    /// # Errors
    /// As for [`Self::append`].
    pub fn insert_before(self, place: Op<'c>, spec: Spec<'_, 'c>) -> Result<Op<'c>, String> {
        let op = spec.create()?;
        self.go_before(place);
        Ok(self.insert(op))
    }

    /// Parses an operation and inserts it at the start of a block.
    ///
    /// # Panics
    /// Panics if the text is not an operation.
    pub fn prepend_parsed(self, context: &'c Context, block: Blk<'c>, text: &str) {
        // MLIR's lexer reads past the end of the text.
        let ended = format!("{text}\0");
        let raw = |text: &str, length: usize| m::MlirStringRef {
            data: text.as_ptr().cast(),
            length,
        };
        let (source, name) = (raw(&ended, text.len()), "built in");
        // SAFETY: context, rewriter and block are alive; the new operation has no other owner.
        let op = unsafe {
            let op = m::mlirOperationCreateParse(context.to_raw(), source, raw(name, name.len()));
            m::mlirRewriterBaseSetInsertionPointToStart(self.work.rewriter, block.to_raw());
            op
        };
        assert!(!op.ptr.is_null(), "the text is ours");
        self.insert(op);
    }

    /// Appends a block with arguments to a detached region.
    #[must_use]
    pub fn append_block(
        self,
        region: &Region<'c>,
        arguments: &[(Type<'c>, Location<'c>)],
    ) -> Blk<'c> {
        let block = region.append_block(Block::new(arguments));
        self.count();
        // SAFETY: the region owns the block, and an operation will own the region.
        unsafe { BlockRef::from_raw(block.to_raw()) }
    }

    /// Adds a block with arguments after the block `before`, in the same region.
    #[must_use]
    pub fn add_block(self, before: Blk<'c>, arguments: &[(Type<'c>, Location<'c>)]) -> Blk<'c> {
        let block = Block::new(arguments).into_raw();
        self.count();
        // SAFETY: the region of the other block takes ownership of the new one, and outlives the scope.
        unsafe {
            let region = m::mlirBlockGetParentRegion(before.to_raw());
            m::mlirRegionInsertOwnedBlockAfter(region, before.to_raw(), block);
            BlockRef::from_raw(block)
        }
    }

    /// Adds an argument to a block.
    pub fn add_block_argument(
        self,
        block: Blk<'c>,
        type_: Type<'c>,
        location: Location<'c>,
    ) -> Val<'c> {
        self.count();
        // SAFETY: block, type and location are alive and of one context.
        unsafe {
            Value::from_raw(m::mlirBlockAddArgument(
                block.to_raw(),
                type_.to_raw(),
                location.to_raw(),
            ))
        }
    }

    /// Clones `op` with its regions, and inserts the clone before `place`.
    pub fn copy_before(self, place: Op<'c>, op: Op<'c>) -> Op<'c> {
        self.go_before(place);
        self.count();
        // SAFETY: rewriter and operation are alive, and the insertion point is set.
        unsafe { OperationRef::from_raw(m::mlirRewriterBaseClone(self.work.rewriter, op.to_raw())) }
    }

    /// Calls `f` with a temporary clone of an operation. No handle of the clone can leave `f`.
    pub fn with_copy<T>(self, op: Op<'c>, f: impl for<'k> FnOnce(Rewriter<'k>, Op<'k>) -> T) -> T {
        // SAFETY: the operation is alive; the clone has no other owner, and outlives its scope.
        let copy = unsafe { melior::ir::Operation::from_raw(m::mlirOperationClone(op.to_raw())) };
        // SAFETY: the clone is alive until the end of this function.
        on(unsafe { OperationRef::from_raw(copy.to_raw()) }, f)
    }

    fn go_before(self, place: Op<'c>) {
        // SAFETY: rewriter and operation are alive; an operation below the root is in a block.
        unsafe { m::mlirRewriterBaseSetInsertionPointBefore(self.work.rewriter, place.to_raw()) };
    }

    /// Inserts a detached operation at the insertion point.
    fn insert(self, op: m::MlirOperation) -> Op<'c> {
        self.count();
        // SAFETY: the rewriter is alive with an insertion point, and takes ownership.
        unsafe { OperationRef::from_raw(m::mlirRewriterBaseInsert(self.work.rewriter, op)) }
    }

    /// Erases an operation and its regions. Has no effect if the operation is already erased.
    ///
    /// # Panics
    /// Panics if a result of the operation is used, or if the operation is the root.
    pub fn erase(self, op: Op<'c>) {
        if self.is_erased(op) {
            return;
        }
        assert!(
            op.to_raw().ptr != self.work.root.ptr,
            "`{}` holds all that is rewritten",
            super::identifier_text(op.name())
        );
        assert!(
            ffi::erase(
                MlirRewriter(self.work.rewriter),
                MlirOperation(op.to_raw()),
                MlirBlock(self.work.limbo())
            ),
            "`{}` is erased while its results are used",
            super::identifier_text(op.name())
        );
        self.count();
    }

    /// Replaces all uses of the results of `op` by `values`, and erases `op`.
    ///
    /// # Panics
    /// Panics if the numbers of values and results differ.
    pub fn replace(self, op: Op<'c>, values: &[Val<'c>]) {
        assert_eq!(op.result_count(), values.len(), "a value for each result");
        let raw: Vec<m::MlirValue> = values.iter().map(ValueLike::to_raw).collect();
        // SAFETY: all are alive, and there are as many values as results.
        unsafe {
            m::mlirRewriterBaseReplaceAllOpUsesWithValueRange(
                self.work.rewriter,
                op.to_raw(),
                raw.len().cast_signed(),
                raw.as_ptr(),
            );
        }
        self.count();
        self.erase(op);
    }

    /// Calls `visit` for each operation of `ops` in order. An operation that an earlier call of `visit` has erased
    /// is skipped.
    pub fn each(self, ops: impl IntoIterator<Item = Op<'c>>, mut visit: impl FnMut(Op<'c>)) {
        for op in ops {
            if !self.is_erased(op) {
                visit(op);
            }
        }
    }

    fn is_erased(self, op: Op<'c>) -> bool {
        self.work.limbo.get().is_some_and(|limbo| {
            let top = outermost(op.to_raw());
            // SAFETY: the operation is alive.
            unsafe { m::mlirOperationGetBlock(top).ptr == limbo.ptr }
        })
    }

    /// Replaces every use of `old` by `new`.
    pub fn replace_all_uses(self, old: Val<'c>, new: Val<'c>) {
        if super::is_unused(old) {
            return;
        }
        // SAFETY: the rewriter and both values are alive.
        unsafe {
            m::mlirRewriterBaseReplaceAllUsesWith(self.work.rewriter, old.to_raw(), new.to_raw());
        }
        self.count();
    }

    /// Replaces operand `i` of an operation.
    ///
    /// # Panics
    /// Panics if `i` is out of range.
    pub fn set_operand(self, op: Op<'c>, i: usize, value: Val<'c>) {
        // Checks that there are enough operands.
        let _ = build::operand(op, i);
        self.modify(op, |op| {
            // SAFETY: the operation is alive and has that many operands.
            unsafe { m::mlirOperationSetOperand(op, i.cast_signed(), value.to_raw()) }
        });
    }

    /// Removes each operand `i` for which `is_gone(i)` is true, and updates the sizes of operand groups.
    pub fn remove_operands(self, op: Op<'c>, is_gone: impl Fn(usize) -> bool) {
        let kept: Vec<m::MlirValue> = (0..op.operand_count())
            .filter(|i| !is_gone(*i))
            .map(|i| build::operand(op, i).to_raw())
            .collect();
        if kept.len() == op.operand_count() {
            return;
        }
        let groups = op.attribute(OPERAND_SEGMENTS).ok();
        if let Some(groups) = groups.and_then(|a| DenseI32ArrayAttribute::try_from(a).ok()) {
            let mut first = 0;
            let left: Vec<i32> = (0..groups.len())
                .filter_map(|i| usize::try_from(groups.element(i).ok()?).ok())
                .map(|size| {
                    let group = first..first + size;
                    first = group.end;
                    group.fold(0, |left, i| left + i32::from(!is_gone(i)))
                })
                .collect();
            let left = DenseI32ArrayAttribute::new(build::context(op), &left);
            self.set_attribute(op, OPERAND_SEGMENTS, left.into());
        }
        self.modify(op, |op| {
            // SAFETY: the operation and the values are alive, and MLIR copies the list.
            unsafe { m::mlirOperationSetOperands(op, kept.len().cast_signed(), kept.as_ptr()) }
        });
    }

    /// Removes each block argument `i` for which `is_gone(i)` is true.
    ///
    /// # Panics
    /// Panics if a removed argument is used.
    pub fn remove_arguments(self, block: Blk<'c>, is_gone: impl Fn(usize) -> bool) {
        let raw = block.to_raw();
        // SAFETY: the block is alive.
        let count = unsafe { m::mlirBlockGetNumArguments(raw) };
        for i in (0..usize::try_from(count).unwrap_or(0)).rev() {
            if is_gone(i) {
                assert!(
                    super::is_unused(build::argument(block, i)),
                    "argument {i} of a block is taken away while it is used"
                );
                let at = u32::try_from(i).expect("a block has fewer arguments");
                // SAFETY: the block is alive and has that many arguments; this one is unused.
                unsafe { m::mlirBlockEraseArgument(raw, at) };
                self.count();
            }
        }
    }

    /// Sets the type of result `i`. The operation must be valid with the new type.
    pub fn set_result_type(self, op: Op<'c>, i: usize, type_: Type<'c>) {
        let result = build::result(op, i);
        self.modify(op, |_| {
            // SAFETY: value and type are alive and of one context.
            unsafe { m::mlirValueSetType(result.to_raw(), type_.to_raw()) }
        });
    }

    /// Sets the type of a value. The defining operation and the users must be valid with the new type.
    pub fn set_type(self, value: Val<'c>, type_: Type<'c>) {
        let set = || {
            // SAFETY: value and type are alive and of one context.
            unsafe { m::mlirValueSetType(value.to_raw(), type_.to_raw()) }
        };
        match super::defining_operation(value) {
            Some(op) => self.modify(op, |_| set()),
            None => {
                set();
                self.count();
            }
        }
    }

    /// Sets an inherent or discardable attribute.
    pub fn set_attribute(self, op: Op<'c>, name: &str, value: Attribute<'_>) {
        let name = m::MlirStringRef {
            data: name.as_ptr().cast(),
            length: name.len(),
        };
        self.modify(op, |op| {
            // SAFETY: operation and attribute are alive and of one context, which owns the attribute.
            unsafe { m::mlirOperationSetAttributeByName(op, name, value.to_raw()) }
        });
    }

    /// Sets the location of an operation.
    pub fn set_location(self, op: Op<'c>, location: Location<'c>) {
        self.modify(op, |op| {
            // SAFETY: operation and location are alive and of one context, which owns the location.
            unsafe { m::mlirOperationSetLocation(op, location.to_raw()) }
        });
    }

    /// Removes an attribute, if present.
    pub fn remove_attribute(self, op: Op<'c>, name: &str) {
        let name = m::MlirStringRef {
            data: name.as_ptr().cast(),
            length: name.len(),
        };
        self.modify(op, |op| {
            // SAFETY: the operation is alive.
            unsafe { m::mlirOperationRemoveAttributeByName(op, name) };
        });
    }

    /// Moves the blocks of all regions of `from` to the regions of `to`.
    ///
    /// # Panics
    /// Panics if the numbers of regions differ.
    pub fn move_regions(self, from: Op<'c>, to: Op<'c>) {
        assert_eq!(from.region_count(), to.region_count(), "a region for each");
        ffi::move_regions(
            MlirRewriter(self.work.rewriter),
            MlirOperation(from.to_raw()),
            MlirOperation(to.to_raw()),
        );
        self.count();
    }

    /// Replaces attributes and types in `op` and in all nested operations. Each pair is (old, new).
    ///
    /// Attributes and types that are nested in other types and in constants are replaced too.
    pub fn replace_parts(
        self,
        op: Op<'c>,
        attributes: &[(Attribute<'_>, Attribute<'_>)],
        types: &[(Type<'_>, Type<'_>)],
    ) {
        let (from, to): (Vec<_>, Vec<_>) = attributes
            .iter()
            .map(|(old, new)| (MlirAttribute(old.to_raw()), MlirAttribute(new.to_raw())))
            .unzip();
        let (from_types, to_types): (Vec<_>, Vec<_>) = types
            .iter()
            .map(|(old, new)| (MlirType(old.to_raw()), MlirType(new.to_raw())))
            .unzip();
        let op = MlirOperation(op.to_raw());
        ffi::replace_parts(op, &from, &to, &from_types, &to_types);
        self.count();
    }
}

#[cfg(test)]
mod tests;
