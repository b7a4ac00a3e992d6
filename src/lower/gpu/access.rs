//! One access of global memory, as both makers see it.

use crate::lower::emit::Emitter;
use crate::sys::build::{self, Val};
use melior::ir::{Type, ValueLike};

/// Cache behaviour that a user asked for by `cachePolicy`, as the IR spells it; empty for none.
#[derive(Clone, Debug, Default)]
pub(crate) struct CachePolicy {
    /// `ca`, `cg`, `cs`, `cv`, `wb`, `wt`.
    pub(crate) modifier: String,
    /// `evict_first`, `evict_last`.
    pub(crate) eviction: String,
}

/// One access of a thread: elements side by side, from the lowest address on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GlobalAccess<'a, 'c> {
    pub(crate) pointer: Val<'c>,
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

impl<'c> GlobalAccess<'_, 'c> {
    pub(super) fn bits(&self) -> u32 {
        self.width as u32 * self.element_bits
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
    pub(super) fn plain_load(&self, e: &mut Emitter<'c>) -> Val<'c> {
        let type_ = self.type_(e);
        if self.is_volatile {
            return e.load_volatile(self.pointer, type_, self.alignment_bytes);
        }
        e.load(self.pointer, type_, self.alignment_bytes)
    }

    /// Without a look at the mask.
    pub(super) fn plain_store(&self, e: &mut Emitter<'c>, whole: Val<'c>) {
        e.store(whole, self.pointer, self.alignment_bytes);
    }

    /// What is read where the mask is false.
    pub(super) fn fallback(&self, e: &mut Emitter<'c>, others: Option<&[Val<'c>]>) -> Val<'c> {
        match others {
            Some(others) => e.gather(others),
            None => {
                let type_ = self.type_(e);
                e.zero(type_)
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
    let (then, _) = e.open_region(&[]);
    let made: Vec<Val<'c>> = body(e).into_iter().collect();
    e.scf_yield(&made);
    e.close_region();
    let Some(fallback) = fallback else {
        e.scf_if(mask, &[], then, None);
        return None;
    };
    let (otherwise, _) = e.open_region(&[]);
    e.scf_yield(&[fallback]);
    e.close_region();
    let both = e.scf_if(mask, &[fallback.r#type()], then, Some(otherwise));
    Some(build::only_result(both))
}
