//! One access of global memory, as both makers see it; atomic ones may go to shared memory.

use crate::lower::emit::{Emitter, Usage};
use crate::lower::types::bits_of_several;
use crate::sys::build::Val;
use melior::ir::Type;

/// Cache behaviour that a user asked for by `cachePolicy`, as the IR spells it; empty for none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct CachePolicy {
    /// `ca`, `cg`, `cs`, `cv`, `wb`, `wt`.
    pub(crate) modifier: String,
    /// When the first cache lets go: `evict_first`, `evict_last`, and others.
    pub(crate) first: String,
    /// When the second one does.
    pub(crate) second: Option<SecondCache>,
    /// How many bytes around are fetched into it.
    pub(crate) prefetch_bytes: Option<u32>,
}

/// What becomes of lines in the second cache.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SecondCache {
    /// When it lets go of some of them.
    pub(crate) primary: String,
    /// And of the others; empty where nothing is said.
    pub(crate) secondary: String,
    /// Of how many the former is said, as the bits of an f32.
    pub(crate) fraction: u32,
}

/// One access of a thread: elements side by side, from the lowest address on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GlobalAccess<'a, 'c> {
    pub(crate) pointer: Val<'c>,
    /// How far behind the pointer the access begins: accesses to neighbours share the pointer of the first of them.
    pub(crate) offset_bytes: u32,
    /// Whether anything happens at all.
    pub(crate) mask: Option<Val<'c>>,
    pub(crate) cache: &'a CachePolicy,
    pub(crate) is_volatile: bool,
    /// The type of one element in memory.
    pub(crate) element: Type<'c>,
    pub(crate) element_bits: u32,
    /// How many elements.
    pub(crate) width: usize,
    pub(crate) alignment_bytes: u32,
}

/// One copy of a thread from global to shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedCopy<'a, 'c> {
    pub(crate) from: Val<'c>,
    /// The destination of the thread, or of lane 0 of its warp ([`super::Gpu::copies_in_lane_order`]).
    pub(crate) to: Val<'c>,
    pub(crate) bytes: u32,
    /// Where it is false, nothing is read, and zeros are written.
    pub(crate) mask: Option<Val<'c>>,
    /// The lane that has the source and the mask of what this lane writes, if that is not the lane itself.
    pub(crate) source_lane: Option<Val<'c>>,
    pub(crate) cache: &'a CachePolicy,
}

impl<'c> GlobalAccess<'_, 'c> {
    pub(super) fn bits(&self) -> u32 {
        bits_of_several(self.element_bits, self.width)
    }

    /// The elements as one value.
    pub(super) fn type_(&self, e: &Emitter<'c>) -> Type<'c> {
        if self.width == 1 {
            self.element
        } else {
            e.vector_type(self.width, self.element)
        }
    }

    /// Without a look at the mask.
    pub(super) fn plain_load(&self, e: &mut Emitter<'c>, usage: Usage) -> Val<'c> {
        let type_ = self.type_(e);
        let is_volatile = self.is_volatile;
        let usage = Usage {
            is_volatile: is_volatile || usage.is_volatile,
            ..usage
        };
        let pointer = e.gep_bytes(self.pointer, self.offset_bytes);
        e.load_as(pointer, type_, self.alignment_bytes, usage)
    }

    /// Without a look at the mask.
    pub(super) fn plain_store(&self, e: &mut Emitter<'c>, whole: Val<'c>, usage: Usage) {
        let pointer = e.gep_bytes(self.pointer, self.offset_bytes);
        e.store_as(whole, pointer, self.alignment_bytes, usage);
    }

    /// The value where the mask is false.
    pub(super) fn fallback(&self, e: &mut Emitter<'c>, others: Option<&[Val<'c>]>) -> Val<'c> {
        match others {
            Some(others) => e.gather(others),
            None => {
                let type_ = self.type_(e);
                e.unset(type_)
            }
        }
    }
}

/// What `body` gives where a mask holds, and the fallback elsewhere, branched around; without a mask, what `body`
/// gives. Both give a value, or neither does.
pub(super) fn where_true<'c>(
    e: &mut Emitter<'c>,
    mask: Option<Val<'c>>,
    fallback: Option<Val<'c>>,
    body: impl FnOnce(&mut Emitter<'c>) -> Option<Val<'c>>,
) -> Option<Val<'c>> {
    let Some(mask) = mask else {
        return body(e);
    };
    let fork = e.fork(mask);
    let made: Vec<Val<'c>> = body(e).into_iter().collect();
    let fallback: Vec<Val<'c>> = fallback.into_iter().collect();
    e.join_or(fork, &made, &fallback).first().copied()
}
