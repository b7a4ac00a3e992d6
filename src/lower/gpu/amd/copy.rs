//! Asynchronous copies from global memory to LDS, and waits that count instructions.
//!
//! | GPU | instruction | destination | counter |
//! |---|---|---|---|
//! | gfx942, gfx950 | `global_load_lds`, `buffer_load … lds` | one address per wave, lanes in order | `vmcnt`, shared with loads and stores |
//! | gfx1250 | `global_load_async_to_lds` | one address per lane | `asynccnt` |
//!
//! A lane with a false mask copies zeros from a constant in global memory instead of branching. Each wave issues every
//! instruction, so the counts are exact.
//!
//! LLVM inserts `vmcnt(0)` waits at workgroup fences and at LDS accesses that may alias a copy. Against these waits,
//! barriers use wavefront fences, and copies have their own alias scope.

use super::super::access::SharedCopy;
use super::super::isa::{Gpu, Isa};
use super::Amd;
use crate::ir::builders::llvm::{self, AtomicOrdering};
use crate::ir::builders::rocdl;
use crate::lower::declarations::Declarations;
use crate::lower::emit::Emitter;
use crate::lower::words;
use crate::sys::build::{Op, Val};
use melior::ir::{Attribute, ValueLike};

/// Maximum number of bytes that one instruction copies per lane.
const MOST_BYTES: usize = 16;

/// Maximum count that `s_waitcnt vmcnt` and `s_wait_asynccnt` can encode.
const MOST_COUNT: u32 = 63;

pub(super) fn copy<'c>(
    gpu: Gpu,
    e: &mut Emitter<'c>,
    declarations: &mut Declarations,
    copy: &SharedCopy<'_, 'c>,
) {
    let mut from = copy.from;
    if let Some(mask) = copy.mask {
        let zeros = declarations.table(vec![0; MOST_BYTES]);
        let zeros = e.address_of_table(&zeros);
        from = e.select(mask, from, zeros);
    }
    if let Some(lane) = copy.source_lane {
        from = shuffle(gpu, e, from, lane);
    }
    let cache = gpu.target.instructions.buffer;
    let cache = cache.map_or(0, |buffer| buffer.cache.of(&copy.cache.modifier, false));
    let aux = i64::from(cache);
    let [_, scope] = e.alias_scopes();
    if gpu.target.instructions.buffer_to_shared {
        let bytes = i64::from(copy.bytes);
        let load = rocdl::global_load_lds(from, copy.to, bytes, 0, aux);
        e.operation(load.alias_scopes(scope));
        return;
    }
    let to = copy.to;
    match copy.bytes {
        4 => e.operation(rocdl::global_load_async_to_lds_b32(from, to, 0, aux)),
        8 => e.operation(rocdl::global_load_async_to_lds_b64(from, to, 0, aux)),
        _ => e.operation(rocdl::global_load_async_to_lds_b128(from, to, 0, aux)),
    };
}

/// Returns the value that lane `lane` holds. Each 32-bit word of the value is shuffled separately.
pub(super) fn shuffle<'c>(gpu: Gpu, e: &mut Emitter<'c>, value: Val<'c>, lane: Val<'c>) -> Val<'c> {
    let parts = words::pack(e, &[value]);
    let parts: Vec<Val<'c>> = parts
        .into_iter()
        .map(|word| Amd.shuffle_index(gpu, e, word, lane))
        .collect();
    words::unpack(e, &parts, 1, value.r#type())[0]
}

/// Emits a wait for all copies of this wave and returns the wait operation. A fence after it prevents the compiler
/// from moving LDS accesses above the wait.
pub(super) fn wait<'c>(gpu: Gpu, e: &mut Emitter<'c>) -> Op<'c> {
    let wait = if gpu.target.instructions.buffer_to_shared {
        e.operation(rocdl::s_waitcnt(waitcnt(0, MOST_LGKM)))
    } else {
        e.operation(rocdl::s_wait_asynccnt(0))
    };
    e.operation(llvm::fence(AtomicOrdering::AcqRel).syncscope(WAVE));
    wait
}

pub(super) fn set_count<'c>(gpu: Gpu, e: &mut Emitter<'c>, wait: Op<'c>, most: Option<u32>) {
    let most = most.unwrap_or(MOST_COUNT).min(MOST_COUNT);
    let (name, count): (_, Attribute<'c>) = if gpu.target.instructions.buffer_to_shared {
        ("bitfield", e.i32_attr(waitcnt(most, MOST_LGKM)))
    } else {
        ("count", e.int_attr(e.types.i16, i64::from(most)))
    };
    e.set_attribute(wait, name, count);
}

/// Waits for the LDS accesses of this wave, then emits and returns a workgroup barrier.
pub(super) fn shared_barrier<'c>(e: &mut Emitter<'c>) -> Op<'c> {
    e.operation(llvm::fence(AtomicOrdering::Release).syncscope(WAVE));
    e.operation(rocdl::s_waitcnt(waitcnt(MOST_COUNT, 0)));
    let barrier = e.operation(rocdl::s_barrier());
    e.operation(llvm::fence(AtomicOrdering::Acquire).syncscope(WAVE));
    barrier
}

const WAVE: &str = "wavefront";

/// Maximum count that `s_waitcnt lgkmcnt` can encode.
const MOST_LGKM: u32 = 15;

fn waitcnt(vector: u32, lds: u32) -> i64 {
    const NO_EXPORTS: u32 = 7 << 4;
    i64::from(vector & 0xf | NO_EXPORTS | lds << 8 | vector >> 4 << 14)
}
