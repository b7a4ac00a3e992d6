//! Descriptions of global accesses and of copies to shared memory, independent of the vendor.

use crate::lower::emit::{AccessFlags, Emitter};
use crate::lower::types::bits_of_several;
use crate::sys::build::Val;
use melior::ir::Type;

/// A parsed `cachePolicy` attribute. Each string is a keyword of the IR, or empty if it is absent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct CachePolicy {
    /// The cache modifier: `ca`, `cg`, `cs`, `cv`, `wb` or `wt`.
    pub(crate) modifier: String,
    /// Eviction priority in the first-level cache, L1, for example `evict_first` or `evict_last`.
    pub(crate) first: String,
    /// Eviction priorities in the second-level cache, L2.
    pub(crate) second: Option<SecondCache>,
    /// Number of bytes prefetched into L2.
    pub(crate) prefetch_bytes: Option<u32>,
}

/// Eviction priorities in the second-level cache, L2.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SecondCache {
    pub(crate) primary: String,
    /// Priority of the lines that do not get the primary priority; empty if absent.
    pub(crate) secondary: String,
    /// Fraction of lines that get the primary priority, as the bits of an f32.
    pub(crate) fraction: u32,
}

/// One access of a thread to contiguous elements in global memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GlobalAccess<'a, 'c> {
    pub(crate) pointer: Val<'c>,
    /// Constant offset in bytes from the pointer. The accesses of a contiguous run share the pointer of the first
    /// access and differ in this offset.
    pub(crate) offset_bytes: u32,
    /// Condition under which the access is executed. `None` if the access is unconditional.
    pub(crate) mask: Option<Val<'c>>,
    pub(crate) cache: &'a CachePolicy,
    pub(crate) is_volatile: bool,
    /// The type of an element in memory (e.g. `i8` for a boolean).
    pub(crate) element: Type<'c>,
    pub(crate) element_bits: u32,
    /// Number of elements that are accessed.
    pub(crate) width: usize,
    pub(crate) alignment_bytes: u32,
}

/// One copy by a thread from global to shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedCopy<'a, 'c> {
    pub(crate) from: Val<'c>,
    /// The destination of the thread's data. For copies in lane order ([`super::Gpu::copies_in_lane_order`]), the
    /// destination of the data of lane 0 of the warp.
    pub(crate) to: Val<'c>,
    pub(crate) bytes: u32,
    /// Condition under which the source is read. If it is false, zeros are stored. `None` if the source is always read.
    pub(crate) mask: Option<Val<'c>>,
    /// The lane that holds the source address and the mask for the data that this lane writes. `None` if each lane
    /// holds its own source address and mask.
    pub(crate) source_lane: Option<Val<'c>>,
    pub(crate) cache: &'a CachePolicy,
}

impl<'c> GlobalAccess<'_, 'c> {
    pub(super) fn bits(&self) -> u32 {
        bits_of_several(self.element_bits, self.width)
    }

    /// Returns the type that holds all elements of the access: a vector, or a scalar for one element.
    pub(super) fn type_(&self, e: &Emitter<'c>) -> Type<'c> {
        if self.width == 1 {
            self.element
        } else {
            e.vector_type(self.width, self.element)
        }
    }

    /// Emits a load of the accessed elements that ignores the mask.
    pub(super) fn unmasked_load(&self, e: &mut Emitter<'c>, flags: AccessFlags) -> Val<'c> {
        let type_ = self.type_(e);
        let is_volatile = self.is_volatile;
        let flags = AccessFlags {
            is_volatile: is_volatile || flags.is_volatile,
            ..flags
        };
        let pointer = e.gep_bytes(self.pointer, self.offset_bytes);
        e.load_as(pointer, type_, self.alignment_bytes, flags)
    }

    /// Emits a store to the accessed elements that ignores the mask.
    pub(super) fn unmasked_store(&self, e: &mut Emitter<'c>, whole: Val<'c>, flags: AccessFlags) {
        let pointer = e.gep_bytes(self.pointer, self.offset_bytes);
        e.store_as(whole, pointer, self.alignment_bytes, flags);
    }

    /// Returns the result of a load whose mask is false: `others`, or undefined elements if there are no `others`.
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

/// Emits `body`, in a branch on the mask if there is a mask. Returns the value of `body`, or `fallback` if the mask is
/// false. If there is a mask, `fallback` must be `Some` exactly if `body` returns `Some`.
pub(super) fn emit_masked<'c>(
    e: &mut Emitter<'c>,
    mask: Option<Val<'c>>,
    fallback: Option<Val<'c>>,
    body: impl FnOnce(&mut Emitter<'c>) -> Option<Val<'c>>,
) -> Option<Val<'c>> {
    let Some(mask) = mask else {
        return body(e);
    };
    let fork = e.fork(mask);
    let values: Vec<Val<'c>> = body(e).into_iter().collect();
    let fallback: Vec<Val<'c>> = fallback.into_iter().collect();
    e.join_or(fork, &values, &fallback).first().copied()
}
