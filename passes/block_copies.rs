//! TMA copies of blocks to buffers, and the mbarriers that count their bytes.

use super::insertion::Insertion;
use crate::ir::descriptor::{block, block_buffer};
use crate::ir::ops::{tt, ttg};
use crate::ir::{ModuleInfo, OpView, builders, element_bits, memdesc};
use crate::sys::build::{self, Blk, Op, Val};
use crate::sys::{self, Rewriter};
use linear_layout::target::Target;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Type, ValueLike};

/// The encoding of mbarriers.
const MBARRIER_ENCODING: &str =
    "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>";

/// Number of arrivals that complete a phase of an mbarrier. Only the thread that starts the copies arrives.
const ARRIVALS: i64 = 1;

/// Returns true if passes convert the accesses through descriptors in `module` to TMA copies. This requires a GPU
/// that has such copies, and one CTA per cluster. With several CTAs per cluster, each CTA would have to copy only
/// its part of a block.
pub(super) fn copies_blocks(target: &Target, module: Op<'_>) -> bool {
    target.instructions.tensor_copies && ModuleInfo::num_ctas(module) == 1
}

/// Returns the type of a mutable buffer for the block that `load` loads.
pub(super) fn loaded_buffer<'c>(load: tt::DescriptorLoad<'c, 'c>) -> Option<Type<'c>> {
    block_buffer(load.desc().r#type(), load.result().r#type(), true)
}

/// Returns the number of bytes that a copy of the loaded block reports to its mbarrier. This is always the size of
/// the whole block: if elements of the block are outside the tensor, the copy writes a fill value for them.
pub(super) fn block_bytes(load: tt::DescriptorLoad<'_, '_>) -> Option<u64> {
    let block = block(load.desc().r#type())?;
    let bits = u64::from(element_bits(block.element)?);
    Some(block.shape.iter().product::<u64>() * bits / 8)
}

/// Returns the `ttg.local_alloc` that is the only user of `tensor`, if a copy can fill its buffer ([`buffers_of`]).
pub(super) fn buffer_of<'c>(tensor: Val<'c>, body: Blk<'c>) -> Option<ttg::LocalAlloc<'c, 'c>> {
    let alloc = buffers_of(tensor, body).into_iter().next()?;
    (sys::uses(tensor).len() == 1).then_some(alloc)
}

/// Returns the users of `tensor` that are `ttg.local_alloc` operations directly in the block `body`, and whose buffers
/// are immutable and only read. A copy can fill such a buffer instead.
pub(super) fn buffers_of<'c>(tensor: Val<'c>, body: Blk<'c>) -> Vec<ttg::LocalAlloc<'c, 'c>> {
    let users = sys::uses(tensor).into_iter().map(|(user, _)| user);
    let allocs = users.filter_map(ttg::LocalAlloc::of);
    let is_only_read = |alloc: &ttg::LocalAlloc<'c, 'c>| {
        let buffer = sys::buffer(alloc.result().r#type());
        build::is_in(alloc.op(), body)
            && buffer.is_some_and(|buffer| !buffer.is_mutable)
            && are_reads(alloc.result())
    };
    allocs.filter(is_only_read).collect()
}

/// Returns true if all users of a buffer read it, directly or through a transposed view.
fn are_reads(buffer: Val<'_>) -> bool {
    sys::uses(buffer)
        .into_iter()
        .all(|(user, _)| match OpView::of(user) {
            Some(OpView::TtgLocalLoad(_) | OpView::TtngWarpGroupDot(_)) => true,
            Some(OpView::TtgMemDescTrans(view)) => are_reads(view.result()),
            _ => false,
        })
}

/// Replaces the buffer `old` by the mutable buffer `new`. Transposed views of `old` become mutable as well.
pub(super) fn replace_buffer<'c>(rewriter: Rewriter<'c>, old: Val<'c>, new: Val<'c>) -> Option<()> {
    let mut views = vec![old];
    while let Some(view) = views.pop() {
        for (user, _) in sys::uses(view) {
            if let Some(view) = ttg::MemDescTrans::of(user) {
                rewriter.set_type(view.result(), mutable(view.result().r#type(), None)?);
                views.push(view.result());
            }
        }
    }
    rewriter.replace_all_uses(old, new);
    Some(())
}

/// Returns the mutable variant of a buffer type. If `slots` is given, it becomes the size of a new first dimension.
pub(super) fn mutable(type_: Type<'_>, slots: Option<u32>) -> Option<Type<'_>> {
    let buffer = sys::buffer(type_)?;
    let slots = slots.map(u64::from).into_iter();
    let shape: Vec<u64> = slots.chain(buffer.shape).collect();
    memdesc(&shape, buffer.element, buffer.encoding?, true)
}

impl<'c> Insertion<'_, 'c> {
    /// Returns the type of a buffer that holds one mbarrier.
    pub(super) fn mbarrier_type(self) -> Option<Type<'c>> {
        let encoding = Attribute::parse(build::context(self.place), MBARRIER_ENCODING)?;
        memdesc(&[1], self.integer_type(64), encoding, true)
    }

    pub(super) fn init_mbarrier(self, mbarrier: Val<'c>) -> Option<Op<'c>> {
        self.insert(builders::ttng::init_barrier(mbarrier, ARRIVALS))
    }

    /// Allocates an array of `count` mbarriers in shared memory, and initialises them.
    pub(super) fn mbarriers(self, count: u32) -> Option<Mbarriers<'c>> {
        let one = self.mbarrier_type()?;
        let all = mutable(one, Some(count))?;
        let mbarriers = Mbarriers {
            all: self.add(builders::ttg::local_alloc(None, all))?,
            one,
            count,
        };
        for at in 0..count {
            self.init_mbarrier(mbarriers.get(self, self.index(at)?)?)?;
        }
        Some(mbarriers)
    }

    /// Inserts an asynchronous copy of a block from global memory to `buffer`. `descriptor` and `indices` select
    /// the block, and the cache policy and attributes are those of `load`. `mbarrier` counts the copied bytes. The
    /// copy is executed only if `condition` is true.
    pub(super) fn copy_block(
        self,
        load: tt::DescriptorLoad<'c, 'c>,
        (descriptor, indices): (Val<'c>, &[Val<'c>]),
        (buffer, mbarrier): (Val<'c>, Val<'c>),
        condition: Val<'c>,
    ) -> Option<Op<'c>> {
        let copy = builders::ttng::async_tma_copy_global_to_local(
            descriptor,
            indices,
            &[],
            mbarrier,
            buffer,
            condition,
        );
        let copy = copy
            .cache_policy(load.cache_policy())
            .with_discardable(&build::discardable_attributes(load.op()));
        copy.insert(self.context.rewriter(), self.place, load.op().location())
    }
}

/// An array of mbarriers in shared memory.
#[derive(Clone, Copy)]
pub(super) struct Mbarriers<'c> {
    all: Val<'c>,
    /// The type of a buffer that holds one of the mbarriers.
    one: Type<'c>,
    count: u32,
}

impl<'c> Mbarriers<'c> {
    pub(super) fn get(self, at: Insertion<'_, 'c>, index: Val<'c>) -> Option<Val<'c>> {
        at.add(builders::ttg::memdesc_index(self.all, index, self.one))
    }

    /// Ends the lifetime of all mbarriers, and deallocates their buffer.
    pub(super) fn invalidate(self, at: Insertion<'_, 'c>) -> Option<()> {
        for index in 0..self.count {
            let mbarrier = self.get(at, at.index(index)?)?;
            at.insert(builders::ttng::inval_barrier(mbarrier))?;
        }
        at.insert(builders::ttg::local_dealloc(self.all))?;
        Some(())
    }
}
