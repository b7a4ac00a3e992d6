//! The one object that changes IR.
//!
//! A pass and a pattern get a [`Rewriter`]; nothing else erases, replaces, moves, copies or adds operations,
//! and what it does reaches MLIR's own rewriter, so that a driver of patterns hears of every change.
//!
//! Three things make handles safe to keep while it works. They carry its brand: their lifetime `'c` is that of
//! one piece of work (`for<'c>` in every way to get a rewriter), so none of them outlives it. What is erased
//! leaves the IR at once, and its memory goes when the work is done: a handle that is still kept shows a husk,
//! in no module, with the operation's name, attributes and types, and placeholders for its operands. And every
//! change is counted, so that what was computed of the IR is known to be out of date: [`Rewriter::changes`].

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

/// The handle of the rewriter that a driver gives a pattern.
pub(super) type Raw = m::MlirRewriterBase;

/// How many operands each group of an operation has, where its declaration needs it said.
const OPERAND_SEGMENTS: &str = "operandSegmentSizes";

/// What changes the IR, for one piece of work on it; a copy is the same rewriter.
#[derive(Clone, Copy, Debug)]
pub struct Rewriter<'c> {
    work: &'c Work,
    /// Invariant: a handle of one piece of work is none of another.
    brand: PhantomData<Cell<&'c ()>>,
}

/// One piece of work: a pass over a module, or a pattern at an operation.
#[derive(Debug)]
pub(super) struct Work {
    rewriter: m::MlirRewriterBase,
    is_owned: bool,
    /// The operation that holds all that may be changed.
    root: m::MlirOperation,
    /// The block that erased operations lie in until the end.
    limbo: OnceCell<m::MlirBlock>,
    changes: Cell<u64>,
}

impl Work {
    /// Work on all that is below an operation.
    pub(super) fn on(root: OperationRef<'_, '_>) -> Self {
        // SAFETY: the operation and with it its context are alive.
        let rewriter =
            unsafe { m::mlirIRRewriterCreate(m::mlirOperationGetContext(root.to_raw())) };
        Self::with(rewriter, true, root.to_raw())
    }

    /// The work of a pattern.
    ///
    /// # Safety
    /// `rewriter` is the one that the driver gave the pattern for `op`.
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
        // SAFETY: a block without arguments is made of nothing.
        *self
            .limbo
            .get_or_init(|| unsafe { m::mlirBlockCreate(0, std::ptr::null(), std::ptr::null()) })
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        // SAFETY: no handle outlives the work; what lies in limbo is used by nothing outside of it. A
        // rewriter of our own is destroyed once.
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

/// Changes a module; its operations are within reach for as long as `f` runs.
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
/// No handle leaves it, and none of another module enters:
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

/// Changes what is below an operation.
pub(super) fn on<T>(
    op: OperationRef<'_, '_>,
    f: impl for<'c> FnOnce(Rewriter<'c>, Op<'c>) -> T,
) -> T {
    let work = Work::on(op);
    f(work.rewriter(), op)
}

/// The operation around all others around this one.
fn outermost(mut op: m::MlirOperation) -> m::MlirOperation {
    // SAFETY: the operation is alive, and so is what it lies in.
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
    /// How often it has changed anything; the same number twice means the same IR.
    #[must_use]
    pub fn changes(self) -> u64 {
        self.work.changes.get()
    }

    fn count(self) {
        self.work.changes.set(self.changes() + 1);
    }

    /// Changes one operation in its place, and lets MLIR know.
    fn modify(self, op: Op<'c>, change: impl FnOnce(m::MlirOperation)) {
        let (rewriter, op) = (self.work.rewriter, op.to_raw());
        // SAFETY: rewriter and operation are alive: see the module's comment.
        unsafe { m::mlirRewriterBaseStartOpModification(rewriter, op) };
        change(op);
        // SAFETY: as above; the modification was started.
        unsafe { m::mlirRewriterBaseFinalizeOpModification(rewriter, op) };
        self.count();
    }

    // --- adding ---

    /// Makes an operation and appends it to a block.
    ///
    /// # Errors
    /// MLIR has no such operation, or refuses the parts (it has emitted why).
    pub fn append(self, block: Blk<'c>, spec: Spec<'_, 'c>) -> Result<Op<'c>, String> {
        let op = spec.create()?;
        // SAFETY: the block is alive.
        unsafe { m::mlirRewriterBaseSetInsertionPointToEnd(self.work.rewriter, block.to_raw()) };
        Ok(self.insert(op))
    }

    /// Makes an operation before another one.
    ///
    /// # Errors
    /// As of [`Self::append`].
    pub fn insert_before(self, place: Op<'c>, spec: Spec<'_, 'c>) -> Result<Op<'c>, String> {
        let op = spec.create()?;
        self.go_before(place);
        Ok(self.insert(op))
    }

    /// Parses an operation and puts it at the beginning of a block.
    ///
    /// # Panics
    /// The text is no operation; it is the caller's own.
    pub fn prepend_parsed(self, context: &'c Context, block: Blk<'c>, text: &str) {
        // MLIR's lexer looks at what stands behind the text, and takes it for a part of the last word.
        let ended = format!("{text}\0");
        let raw = |text: &str, length: usize| m::MlirStringRef {
            data: text.as_ptr().cast(),
            length,
        };
        let (source, name) = (raw(&ended, text.len()), "built in");
        // SAFETY: context, rewriter and block are alive; the operation made has no other owner.
        let op = unsafe {
            let op = m::mlirOperationCreateParse(context.to_raw(), source, raw(name, name.len()));
            m::mlirRewriterBaseSetInsertionPointToStart(self.work.rewriter, block.to_raw());
            op
        };
        assert!(!op.ptr.is_null(), "the text is ours");
        self.insert(op);
    }

    /// Adds a block with arguments to a region that is being built.
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

    /// Adds a block with arguments behind another.
    #[must_use]
    pub fn add_block(self, before: Blk<'c>, arguments: &[(Type<'c>, Location<'c>)]) -> Blk<'c> {
        let block = Block::new(arguments).into_raw();
        self.count();
        // SAFETY: the region that the other block stands in takes the new one over, and outlives the work.
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

    /// Makes the same operation once more, with all below it, before another one.
    pub fn copy_before(self, place: Op<'c>, op: Op<'c>) -> Op<'c> {
        self.go_before(place);
        self.count();
        // SAFETY: rewriter and operation are alive, and the rewriter has a place to insert at.
        unsafe { OperationRef::from_raw(m::mlirRewriterBaseClone(self.work.rewriter, op.to_raw())) }
    }

    /// Does something with a copy of an operation and all below it, which then goes away.
    ///
    /// The copy is a piece of work of its own: no handle of it leaves `f`.
    pub fn with_copy<T>(self, op: Op<'c>, f: impl for<'k> FnOnce(Rewriter<'k>, Op<'k>) -> T) -> T {
        // SAFETY: the operation is alive; nobody else owns its copy, which outlives the work on it.
        let copy = unsafe { melior::ir::Operation::from_raw(m::mlirOperationClone(op.to_raw())) };
        // SAFETY: the copy is alive until the end of this function.
        on(unsafe { OperationRef::from_raw(copy.to_raw()) }, f)
    }

    fn go_before(self, place: Op<'c>) {
        // SAFETY: rewriter and operation are alive; an operation below the root lies in a block.
        unsafe { m::mlirRewriterBaseSetInsertionPointBefore(self.work.rewriter, place.to_raw()) };
    }

    /// Inserts what nobody owns where the rewriter is.
    fn insert(self, op: m::MlirOperation) -> Op<'c> {
        self.count();
        // SAFETY: the rewriter is alive and has a place to insert at, and takes the operation over.
        unsafe { OperationRef::from_raw(m::mlirRewriterBaseInsert(self.work.rewriter, op)) }
    }

    // --- taking away ---

    /// Takes an operation without uses out of the IR, with all below it.
    ///
    /// Doing it again does nothing.
    /// # Panics
    /// Its results are used, or it is the operation that this work is on.
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

    /// Erases an operation and puts other values in the place of its results.
    ///
    /// # Panics
    /// There are more or fewer values than results.
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

    /// Visits those operations that are still there when their turn comes.
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

    // --- changing ---

    /// Replaces every use of a value by another.
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

    /// Replaces an operand.
    ///
    /// # Panics
    /// The operation has fewer.
    pub fn set_operand(self, op: Op<'c>, i: usize, value: Val<'c>) {
        // It checks that there is one.
        let _ = build::operand(op, i);
        self.modify(op, |op| {
            // SAFETY: the operation is alive and has that many operands.
            unsafe { m::mlirOperationSetOperand(op, i.cast_signed(), value.to_raw()) }
        });
    }

    /// Takes operands away; where the operation says how many each group of its operands has, it says so of
    /// those that are left.
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

    /// Takes arguments that nothing uses from a block.
    ///
    /// # Panics
    /// One of them is used.
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
                // SAFETY: the block is alive and has that many arguments; nothing uses this one.
                unsafe { m::mlirBlockEraseArgument(raw, at) };
                self.count();
            }
        }
    }

    /// Gives a result of an operation another type; that the operation allows it is the caller's to know.
    pub fn set_result_type(self, op: Op<'c>, i: usize, type_: Type<'c>) {
        let result = build::result(op, i);
        self.modify(op, |_| {
            // SAFETY: value and type are alive and of one context.
            unsafe { m::mlirValueSetType(result.to_raw(), type_.to_raw()) }
        });
    }

    /// Gives a value another type; that what makes it and what uses it allow it is the caller's to know.
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

    /// Sets an attribute of an operation, inherent or discardable.
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

    /// Says where an operation comes from.
    pub fn set_location(self, op: Op<'c>, location: Location<'c>) {
        self.modify(op, |op| {
            // SAFETY: operation and location are alive and of one context, which owns the location.
            unsafe { m::mlirOperationSetLocation(op, location.to_raw()) }
        });
    }

    /// Takes an attribute from an operation, if it has it.
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

    /// Moves all blocks of an operation's regions to the same regions of another one.
    ///
    /// # Panics
    /// They have different numbers of regions.
    pub fn move_regions(self, from: Op<'c>, to: Op<'c>) {
        assert_eq!(from.region_count(), to.region_count(), "a region for each");
        ffi::move_regions(
            MlirRewriter(self.work.rewriter),
            MlirOperation(from.to_raw()),
            MlirOperation(to.to_raw()),
        );
        self.count();
    }

    /// Replaces attributes and types everywhere below an operation, in types and in the types of constants.
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
