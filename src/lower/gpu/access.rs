//! Vendor-independent descriptions of global accesses and of copies to shared memory.

use crate::lower::emit::{AccessFlags, Emitter};
use crate::lower::types::bits_of_several;
use crate::sys::build::Val;
use melior::ir::Type;

/// A parsed `cachePolicy` attribute. A text field is empty if the attribute does not set it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct CachePolicy {
    /// Cache modifier: `ca`, `cg`, `cs`, `cv`, `wb` or `wt`.
    pub(crate) modifier: String,
    /// L1 eviction priority, for example `evict_first`.
    pub(crate) first: String,
    /// L2 eviction priorities.
    pub(crate) second: Option<SecondCache>,
    pub(crate) prefetch_bytes: Option<u32>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SecondCache {
    pub(crate) primary: String,
    /// L2 eviction priority of the cache lines that do not get the primary priority. Empty if the attribute does
    /// not set one.
    pub(crate) secondary: String,
    /// Fraction of the cache lines that get the primary priority, as the bits of an f32.
    pub(crate) fraction: u32,
}

/// One access of a thread to contiguous elements in global memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GlobalAccess<'a, 'c> {
    pub(crate) pointer: Val<'c>,
    /// Constant byte offset that is added to the pointer. Accesses to contiguous elements may share one pointer and
    /// differ only in this offset.
    pub(crate) offset_bytes: u32,
    /// The access is performed only if this condition is true. `None` if the access is unconditional.
    pub(crate) mask: Option<Val<'c>>,
    pub(crate) cache: &'a CachePolicy,
    pub(crate) is_volatile: bool,
    /// Element type in memory, e.g. `i8` for a boolean.
    pub(crate) element: Type<'c>,
    pub(crate) element_bits: u32,
    pub(crate) width: usize,
    pub(crate) alignment_bytes: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedCopy<'a, 'c> {
    pub(crate) from: Val<'c>,
    /// Address to which the thread copies. For copies in lane order ([`super::Gpu::copies_in_lane_order`]), the
    /// address to which lane 0 copies.
    pub(crate) to: Val<'c>,
    pub(crate) bytes: u32,
    /// If this condition is false, zeros are stored instead of the source data. If it is `None`, the source is
    /// always read.
    pub(crate) mask: Option<Val<'c>>,
    /// The lane that holds the source address and the mask. `None` if each lane holds its own.
    pub(crate) source_lane: Option<Val<'c>>,
    pub(crate) cache: &'a CachePolicy,
}

impl<'c> GlobalAccess<'_, 'c> {
    pub(super) fn bits(&self) -> u32 {
        bits_of_several(self.element_bits, self.width)
    }

    /// Returns the type of the accessed data: a vector type, or the element type if the access has only one
    /// element.
    pub(super) fn type_(&self, e: &Emitter<'c>) -> Type<'c> {
        if self.width == 1 {
            self.element
        } else {
            e.vector_type(self.width, self.element)
        }
    }

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

    pub(super) fn unmasked_store(&self, e: &mut Emitter<'c>, whole: Val<'c>, flags: AccessFlags) {
        let pointer = e.gep_bytes(self.pointer, self.offset_bytes);
        e.store_as(whole, pointer, self.alignment_bytes, flags);
    }

    /// Returns the result of a load whose mask is false: `others`, or undefined elements if `others` is `None`.
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

/// Emits `body` in a branch that is taken only if `mask` is true, and returns the value of `body`. If the mask is
/// false, the result is `fallback`, which must be `Some` if and only if `body` returns `Some`. If `mask` is `None`,
/// `body` is unconditional.
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
