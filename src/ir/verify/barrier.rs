//! Rules of barriers in shared memory, of clusters, and of the launching of clusters.

use super::buffer::{buffer_of, encoding_of};
use super::tensor_core::on_blackwell;
use super::{Verdict, dimensions, flag, integer, operand_type, result, segment};
use crate::encoding::{CgaLayout, Encoding};
use crate::ir::{ModuleInfo, OpKind, element_bits, element_name};
use crate::sys::{self, Buffer};
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Type};

const SPECIALIZE: OpKind = OpKind::TtgWarpSpecialize;

/// The bases of a CGA layout as text, `[[1], [2]]`.
fn bases(cga: &CgaLayout) -> String {
    let list: Vec<String> = cga.bases().map(|b| format!("{:?}", &*b)).collect();
    format!("[{}]", list.join(", "))
}

/// A CGA layout that gives each of `count` CTAs an element of its own: `[[1], [2], ...]`.
pub(super) fn one_each(count: u64) -> Option<CgaLayout> {
    let bits = count.checked_ilog2()?;
    let bases: Vec<[u32; 1]> = (0..bits).map(|bit| [1 << bit]).collect();
    CgaLayout::from_bases(1, &bases).ok()
}

fn cga(op: OperationRef<'_, '_>, buffer: &Buffer<'_>) -> Option<CgaLayout> {
    encoding_of(op, buffer)?.cga_layout().ok()
}

/// A 32-bit attribute that Triton reads as unsigned.
fn unsigned(op: OperationRef<'_, '_>, name: &str) -> Option<u64> {
    op.has_attribute(name)
        .then(|| u64::from(integer(op, name) as u32))
}

/// With a sign or without.
fn is_i64(element: Type<'_>) -> bool {
    element_bits(element) == Some(64)
        && sys::float_width(element).is_none()
        && sys::pointer(element).is_none()
}

/// The buffer is a barrier: one 64-bit number for each CTA that has one of its own.
pub(super) fn is_barrier(op: OperationRef<'_, '_>, buffer: &Buffer<'_>) -> Verdict {
    let ctas = ModuleInfo::num_ctas(op);
    ensure!(
        is_i64(buffer.element) && buffer.shape.len() == 1 && buffer.shape[0] <= ctas,
        "needs a barrier of rank 1 with at most {ctas} elements of `i64`, one for each CTA, but has {} of `{}`",
        dimensions(&buffer.shape),
        buffer.element
    ); // barrier_c1
    in_one_piece(op, buffer, "barrier")?;
    let cga = cga(op, buffer);
    let own = cga.iter().flat_map(CgaLayout::bases);
    let own = own.filter_map(|b| b.first().copied().filter(|v| *v != 0));
    ensure!(
        own.enumerate().all(|(i, v)| v == 1 << i),
        "needs a barrier whose elements are those of CTAs in their order, `[1]`, `[2]` and so on with `[0]` between, but has `CGALayout = {}`",
        cga.as_ref().map_or_else(String::new, bases)
    ); // barrier_c4
    Ok(())
}

/// A small buffer for the hardware is a whole one without a swizzle.
fn in_one_piece(op: OperationRef<'_, '_>, buffer: &Buffer<'_>, what: &str) -> Verdict {
    let is_plain = encoding_of(op, buffer).is_some_and(|encoding| match &*encoding {
        Encoding::SwizzledShared(e) => (e.vec(), e.per_phase(), e.max_phase()) == (1, 1, 1),
        _ => false,
    });
    // One of several in a row has their number in front.
    ensure!(
        is_plain && buffer.alloc_shape.ends_with(&buffer.shape),
        "needs a {what} in one piece, a whole buffer without a swizzle, but has `{}` of {}",
        buffer.encoding.map_or_else(String::new, |e| e.to_string()),
        dimensions(&buffer.alloc_shape)
    ); // barrier_c3, clc_c3
    Ok(())
}

/// The barrier that operand 0 is.
fn first<'c>(op: OperationRef<'c, '_>) -> Result<Option<Buffer<'c>>, Vec<sys::Diagnostic>> {
    let Some(buffer) = buffer_of(op, 0) else {
        return Ok(None);
    };
    is_barrier(op, &buffer)?;
    Ok(Some(buffer))
}

pub(super) fn barrier(op: OperationRef<'_, '_>) -> Verdict {
    first(op).map(drop)
}

pub(super) fn counted(op: OperationRef<'_, '_>) -> Verdict {
    first(op)?;
    // Triton takes a negative count for a large one.
    ensure!(
        unsigned(op, "count").is_none_or(|count| count > 0),
        "needs a `count` of at least 1, but has {}",
        integer(op, "count")
    ); // barrier_c2
    Ok(())
}

pub(super) fn init(op: OperationRef<'_, '_>) -> Verdict {
    counted(op)?;
    let ctas = ModuleInfo::num_ctas(op);
    if let Some(buffer) = buffer_of(op, 0) {
        ensure!(
            buffer.shape[0] == ctas || !is_within(op, SPECIALIZE),
            "makes a barrier that CTAs share, which cannot be done inside `{}`",
            SPECIALIZE.name()
        ); // init_barrier_c1
    }
    Ok(())
}

fn is_within(op: OperationRef<'_, '_>, kind: OpKind) -> bool {
    let mut above = op.parent_operation();
    while let Some(parent) = above {
        if kind.is(parent) {
            return true;
        }
        above = parent.parent_operation();
    }
    false
}

/// `fromCTA` names a CTA, whose own element of the barrier it is about.
fn from_cta(op: OperationRef<'_, '_>, buffer: &Buffer<'_>) -> Verdict {
    let Some(from) = unsigned(op, "fromCTA") else {
        return Ok(());
    };
    let ctas = ModuleInfo::num_ctas(op);
    ensure!(
        from < ctas,
        "needs a `fromCTA` from 0 to {}, but has {}",
        ctas.saturating_sub(1),
        integer(op, "fromCTA")
    ); // from_cta_c1
    ensure!(
        buffer.shape == [ctas] && cga(op, buffer) == one_each(ctas),
        "has `fromCTA`, so it needs a barrier with an element for each of {ctas} CTAs, but has {} with `CGALayout = {}`",
        dimensions(&buffer.shape),
        cga(op, buffer).as_ref().map_or_else(String::new, bases)
    ); // from_cta_c2
    Ok(())
}

pub(super) fn expect(op: OperationRef<'_, '_>) -> Verdict {
    first(op)?.map_or(Ok(()), |buffer| from_cta(op, &buffer))
}

pub(super) fn arrive(op: OperationRef<'_, '_>) -> Verdict {
    counted(op)?;
    let Some(buffer) = buffer_of(op, 0) else {
        return Ok(());
    };
    let ctas = ModuleInfo::num_ctas(op);
    // A mask of 0 is a plain arrival.
    let multicast = unsigned(op, "multicastCTA").filter(|mask| *mask != 0);
    if let Some(mask) = multicast {
        ensure!(
            ctas > 1,
            "arrives at several CTAs, but the module has one: `\"ttg.num-ctas\"` is {ctas}"
        ); // arrive_barrier_c1
        ensure!(
            mask < ctas,
            "needs a `multicastCTA` of at most {}, but has {}",
            ctas - 1,
            integer(op, "multicastCTA")
        ); // arrive_barrier_c2
        ensure_one_each(op, &buffer)?;
    }
    from_cta(op, &buffer)?;
    ensure!(
        multicast.is_none() || unsigned(op, "fromCTA").is_none_or(|from| from == ctas - 1),
        "has both `multicastCTA` and a `fromCTA` of {}, of which it can have one",
        integer(op, "fromCTA")
    ); // arrive_barrier_c3
    Ok(())
}

/// Each CTA has an element of its own, at which what ends there arrives.
fn ensure_one_each(op: OperationRef<'_, '_>, buffer: &Buffer<'_>) -> Verdict {
    let expected = one_each(ModuleInfo::num_ctas(op));
    let found = cga(op, buffer);
    ensure!(
        found == expected,
        "needs a barrier with `CGALayout = {}`, an element for each CTA, but has `{}`",
        expected.as_ref().map_or_else(String::new, bases),
        found.as_ref().map_or_else(String::new, bases)
    ); // barrier_c3
    Ok(())
}

/// The last operand, where there are more than `without`, is a barrier.
pub(super) fn last(op: OperationRef<'_, '_>, without: usize) -> Verdict {
    let count = op.operand_count();
    match operand_type(op, count.wrapping_sub(1)).and_then(sys::buffer) {
        Some(buffer) if count > without => is_barrier(op, &buffer),
        _ => Ok(()),
    }
}

/// The barriers at which an operation arrives when it is done.
pub(super) fn completion(op: OperationRef<'_, '_>, barriers: std::ops::Range<usize>) -> Verdict {
    for i in barriers {
        if let Some(buffer) = operand_type(op, i).and_then(sys::buffer) {
            is_barrier(op, &buffer)?;
            ensure_one_each(op, &buffer)?;
        }
    }
    Ok(())
}

pub(super) fn commit(op: OperationRef<'_, '_>) -> Verdict {
    on_blackwell(op)?;
    let described = segment(op, 2).len();
    ensure!(
        described <= 4,
        "takes at most 4 buffers as `descs`, but has {described}"
    ); // tc_gen5_commit_c1
    completion(op, 0..1)
}

/// A buffer for the answer to `ttng.clc_try_cancel`: 128 bits, the same for all CTAs.
fn answer(op: OperationRef<'_, '_>) -> Verdict {
    let Some(buffer) = buffer_of(op, 0) else {
        return Ok(());
    };
    ensure!(
        is_i64(buffer.element) && buffer.shape == [2],
        "needs a buffer of 2 elements of `i64` for the answer, but has {} of `{}`",
        dimensions(&buffer.shape),
        buffer.element
    ); // clc_c1
    let cga = cga(op, &buffer);
    ensure!(
        cga.as_ref()
            .is_none_or(|cga| cga.bases().all(|b| b.iter().all(|v| *v == 0))),
        "needs one answer for all CTAs, but has `CGALayout = {}`",
        cga.as_ref().map_or_else(String::new, bases)
    ); // clc_c2
    in_one_piece(op, &buffer, "buffer for the answer") // clc_c3
}

pub(super) fn try_cancel(op: OperationRef<'_, '_>) -> Verdict {
    answer(op)?;
    completion(op, 1..2)
}

pub(super) fn try_cancel_sync(op: OperationRef<'_, '_>) -> Verdict {
    if let Some(tensor) = result(op, 0) {
        ensure!(
            tensor.shape == [2] && *element_name(tensor.element) == *"i64",
            "makes an answer of 2 elements of `i64`, but the result is `{}`",
            tensor.type_
        ); // clc_try_cancel_sync_c1
    }
    Ok(())
}

pub(super) fn load_result(op: OperationRef<'_, '_>) -> Verdict {
    answer(op)
}

pub(super) fn in_cluster(op: OperationRef<'_, '_>) -> Verdict {
    let ctas = ModuleInfo::num_ctas(op);
    ensure!(
        ctas > 1,
        "needs a cluster of several CTAs, but the module's `\"ttg.num-ctas\"` is {ctas}"
    ); // cluster_c1
    Ok(())
}

pub(super) fn cluster(op: OperationRef<'_, '_>) -> Verdict {
    in_cluster(op)?;
    let mut above = op.parent_operation();
    while let Some(parent) = above {
        if OpKind::TtFunc.is(parent) {
            let inlined = !flag(parent, "noinline");
            let is_kernel = !parent.has_attribute("sym_visibility")
                || parent
                    .attribute("sym_visibility")
                    .is_ok_and(|a| a.to_string() == "\"public\"");
            ensure!(
                inlined || is_kernel,
                "waits for the whole cluster, so it must be in a kernel or in a function that is inlined"
            ); // cluster_barrier_c1
            return Ok(());
        }
        above = parent.parent_operation();
    }
    ensure!(
        false,
        "waits for the whole cluster, so it must be in a kernel or in a function that is inlined"
    ); // cluster_barrier_c1
    Ok(())
}
