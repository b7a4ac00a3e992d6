//! Rules of mbarriers, clusters, and cluster launch control.

use super::common::on_blackwell;
use super::common::{Verdict, broken, buffer, dimensions, encoding_of, ensure, tensor, unsigned};
use crate::ir::discardable::{NOINLINE, NUM_CTAS, is_true};
use crate::ir::ops::{tt, ttng};
use crate::ir::rules::labels;
use crate::ir::{ModuleInfo, OpKind, element_bits, element_name};
use crate::sys::build::{self, Val};
use crate::sys::{self, BufferType, Diagnostic};
use linear_layout::encoding::{CgaLayout, Encoding};
use melior::ir::operation::OperationLike;
use melior::ir::{OperationRef, Type};

const SPECIALIZE: OpKind = OpKind::TtgWarpSpecialize;

/// Formats the bases of a CGA layout, for example `[[1], [2]]`.
fn bases(cga: &CgaLayout) -> String {
    let list: Vec<String> = cga.bases().map(|b| format!("{:?}", &*b)).collect();
    format!("[{}]", list.join(", "))
}

/// Returns the CGA layout with one element for each of `count` CTAs: `[[1], [2], ...]`.
pub(super) fn one_each(count: u64) -> Option<CgaLayout> {
    let bits = count.checked_ilog2()?;
    let bases: Vec<[u32; 1]> = (0..bits).map(|bit| [1 << bit]).collect();
    CgaLayout::from_bases(1, &bases).ok()
}

fn cga(buffer: &BufferType<'_>) -> Option<CgaLayout> {
    encoding_of(buffer)?.cga_layout().ok()
}

fn is_i64(element: Type<'_>) -> bool {
    element_bits(element) == Some(64)
        && sys::float_width(element).is_none()
        && sys::pointer(element).is_none()
}

/// Checks that a buffer can be an mbarrier: rank 1, with at most one 64-bit integer per CTA.
pub(super) fn is_barrier(op: OperationRef<'_, '_>, buffer: &BufferType<'_>) -> Verdict {
    let ctas = ModuleInfo::num_ctas(op);
    ensure!(
        barrier_c1,
        is_i64(buffer.element) && buffer.shape.len() == 1 && buffer.shape[0] <= ctas,
        "barrier is `{}x{}`; expected `i64` elements, rank 1, and at most one element per CTA ({ctas})",
        dimensions(&buffer.shape),
        buffer.element
    );
    check_contiguous(buffer, "barrier", labels::barrier_c3)?;
    let cga = cga(buffer);
    let own = cga.iter().flat_map(CgaLayout::bases);
    let own = own.filter_map(|b| b.first().copied().filter(|v| *v != 0));
    ensure!(
        barrier_c4,
        own.enumerate().all(|(i, v)| v == 1 << i),
        "barrier has `CGALayout = {}`; expected `[1]` as the first nonzero basis, `[2]` as the second, `[4]` \
         as the third, and so on",
        cga.as_ref().map_or_else(String::new, bases)
    );
    Ok(())
}

/// Checks that a buffer is a whole allocation without swizzle.
fn check_contiguous(buffer: &BufferType<'_>, what: &str, label: &'static str) -> Verdict {
    let is_plain = encoding_of(buffer).is_some_and(|encoding| match &*encoding {
        Encoding::SwizzledShared(e) => (e.vec(), e.per_phase(), e.max_phase()) == (1, 1, 1),
        _ => false,
    });
    // A multi-buffer has a leading dimension.
    if is_plain && buffer.alloc_shape.ends_with(&buffer.shape) {
        return Ok(());
    }
    let message = if is_plain {
        format!(
            "{what} is a view of shape {} in an allocation of shape {}; expected a whole buffer",
            dimensions(&buffer.shape),
            dimensions(&buffer.alloc_shape)
        )
    } else {
        format!(
            "{what} has encoding `{}`; expected `#ttg.swizzled_shared` without swizzle \
             (`vec = 1, perPhase = 1, maxPhase = 1`)",
            buffer.encoding.map_or_else(String::new, |e| e.to_string())
        )
    };
    Err(vec![Diagnostic::new(message).of_rules([label])])
}

/// Checks that the buffer `alloc` is a valid mbarrier, and returns its type. Returns `None` if `alloc` is not a
/// buffer. Returns an error if the mbarrier is invalid.
fn known<'c>(
    op: OperationRef<'_, '_>,
    alloc: Val<'c>,
) -> Result<Option<BufferType<'c>>, Vec<Diagnostic>> {
    let Some(buffer) = buffer(alloc) else {
        return Ok(None);
    };
    is_barrier(op, &buffer)?;
    Ok(Some(buffer))
}

pub(super) fn barrier(op: OperationRef<'_, '_>, alloc: Val<'_>) -> Verdict {
    known(op, alloc).map(drop)
}

pub(super) fn counted(op: OperationRef<'_, '_>, alloc: Val<'_>, count: i64) -> Verdict {
    known(op, alloc)?;
    ensure!(
        barrier_c2,
        unsigned(count) > 0,
        "requires a `count` of at least 1, but got {count}"
    );
    Ok(())
}

pub(super) fn init(op: ttng::InitBarrier<'_, '_>) -> Verdict {
    counted(op.op(), op.alloc(), op.count())?;
    let ctas = ModuleInfo::num_ctas(op.op());
    if let Some(buffer) = buffer(op.alloc()) {
        ensure!(
            init_barrier_c1,
            buffer.shape[0] == ctas || !is_within(op.op(), SPECIALIZE),
            "barrier has size {} for {ctas} CTAs; inside `{}`, expected one element per CTA",
            buffer.shape[0],
            SPECIALIZE.name()
        );
    }
    Ok(())
}

fn is_within(op: OperationRef<'_, '_>, kind: OpKind) -> bool {
    build::ancestors(op).any(|parent| kind.is(parent))
}

/// Checks that `fromCTA` is a valid CTA, and that each CTA has its own element of the barrier.
fn from_cta(op: OperationRef<'_, '_>, buffer: &BufferType<'_>, from: Option<i64>) -> Verdict {
    let Some(from) = from else {
        return Ok(());
    };
    let ctas = ModuleInfo::num_ctas(op);
    ensure!(
        from_cta_c1,
        unsigned(from) < ctas,
        "`fromCTA` is {from}; expected less than {ctas}, the number of CTAs"
    );
    ensure!(
        from_cta_c2,
        buffer.shape == [ctas] && cga(buffer) == one_each(ctas),
        "`fromCTA` requires a barrier with one element for each of {ctas} CTAs, but got shape {} with `CGALayout = {}`",
        dimensions(&buffer.shape),
        cga(buffer).as_ref().map_or_else(String::new, bases)
    );
    Ok(())
}

pub(super) fn expect(op: ttng::BarrierExpect<'_, '_>) -> Verdict {
    known(op.op(), op.alloc())?.map_or(Ok(()), |buffer| from_cta(op.op(), &buffer, op.from_cta()))
}

pub(super) fn arrive(op: ttng::ArriveBarrier<'_, '_>) -> Verdict {
    counted(op.op(), op.alloc(), op.count())?;
    let Some(buffer) = buffer(op.alloc()) else {
        return Ok(());
    };
    let ctas = ModuleInfo::num_ctas(op.op());
    // A mask of 0 is an ordinary arrival.
    let multicast = op.multicast_cta().filter(|mask| unsigned(*mask) != 0);
    if let Some(mask) = multicast {
        ensure!(
            arrive_barrier_c1,
            ctas > 1,
            "`multicastCTA` requires several CTAs, but the module's `\"{NUM_CTAS}\"` is {ctas}"
        );
        ensure!(
            arrive_barrier_c2,
            unsigned(mask) < ctas,
            "requires a `multicastCTA` of at most {}, but got {mask}",
            ctas - 1
        );
        ensure_one_each(op.op(), &buffer)?;
    }
    from_cta(op.op(), &buffer, op.from_cta())?;
    let from = op.from_cta().filter(|_| multicast.is_some());
    ensure!(
        arrive_barrier_c3,
        from.is_none_or(|from| unsigned(from) == ctas - 1),
        "`fromCTA` is {} with `multicastCTA`; expected {} (the last CTA) or no `fromCTA`",
        from.unwrap_or(0),
        ctas - 1
    );
    Ok(())
}

/// Checks that the barrier has one element per CTA, since each CTA receives its completions in its own element.
fn ensure_one_each(op: OperationRef<'_, '_>, buffer: &BufferType<'_>) -> Verdict {
    let expected = one_each(ModuleInfo::num_ctas(op));
    let found = cga(buffer);
    ensure!(
        barrier_c3,
        found == expected,
        "requires a barrier with `CGALayout = {}` (one element per CTA), but got `{}`",
        expected.as_ref().map_or_else(String::new, bases),
        found.as_ref().map_or_else(String::new, bases)
    );
    Ok(())
}

/// Checks the completion barriers of an asynchronous operation. Each must be a valid mbarrier with one element per
/// CTA.
pub(super) fn completion(op: OperationRef<'_, '_>, barriers: &[Val<'_>]) -> Verdict {
    for barrier in barriers {
        if let Some(buffer) = known(op, *barrier)? {
            ensure_one_each(op, &buffer)?;
        }
    }
    Ok(())
}

pub(super) fn commit(op: ttng::TCGen5Commit<'_, '_>) -> Verdict {
    on_blackwell(op.op())?;
    let described = op.descs().len();
    ensure!(
        tc_gen5_commit_c1,
        described <= 4,
        "expected at most 4 `descs`, but got {described}"
    );
    completion(op.op(), &[op.barrier()])
}

/// Checks the response buffer of `ttng.clc_try_cancel`: 128 bits, shared by all CTAs.
pub(super) fn answer(value: Val<'_>) -> Verdict {
    let Some(buffer) = buffer(value) else {
        return Ok(());
    };
    ensure!(
        clc_c1,
        is_i64(buffer.element) && buffer.shape == [2],
        "response buffer is `{}x{}`; expected `2xi64`",
        dimensions(&buffer.shape),
        buffer.element
    );
    let cga = cga(&buffer);
    ensure!(
        clc_c2,
        cga.as_ref()
            .is_none_or(|cga| cga.bases().all(|b| b.iter().all(|v| *v == 0))),
        "response buffer has `CGALayout = {}`; expected only zero bases, so that all CTAs share the buffer",
        cga.as_ref().map_or_else(String::new, bases)
    );
    check_contiguous(&buffer, "response buffer", labels::clc_c3)
}

pub(super) fn try_cancel(op: ttng::CLCTryCancel<'_, '_>) -> Verdict {
    answer(op.result())?;
    completion(op.op(), &[op.mbarrier()])
}

pub(super) fn try_cancel_sync(op: ttng::CLCTryCancelSync<'_, '_>) -> Verdict {
    if let Some(tensor) = tensor(op.result()) {
        ensure!(
            clc_try_cancel_sync_c1,
            tensor.shape == [2] && *element_name(tensor.element) == *"i64",
            "result type is `{}`; expected 2 elements of type `i64`",
            tensor.type_
        );
    }
    Ok(())
}

pub(super) fn in_cluster(op: OperationRef<'_, '_>) -> Verdict {
    let ctas = ModuleInfo::num_ctas(op);
    ensure!(
        cluster_c1,
        ctas > 1,
        "requires a cluster of several CTAs, but the module's `\"{NUM_CTAS}\"` is {ctas}"
    );
    Ok(())
}

/// Name of LLVM's function operation. Some of Triton's passes leave unlowered operations inside such functions.
const LOWERED_FUNCTION: &str = "llvm.func";

pub(super) fn cluster(op: ttng::ClusterBarrier<'_, '_>) -> Verdict {
    in_cluster(op.op())?;
    let mut can_wait = false;
    for parent in build::ancestors(op.op()) {
        if let Some(function) = tt::Func::of(parent) {
            let is_inlined = !is_true(function.op(), NOINLINE);
            let visibility = function.sym_visibility();
            can_wait =
                is_inlined || visibility.is_none_or(|visibility| visibility.bytes() == b"public");
            break;
        }
        // Inlining has already happened.
        if sys::text(parent.name().as_string_ref()) == LOWERED_FUNCTION {
            can_wait = true;
            break;
        }
    }
    ensure!(
        cluster_barrier_c1,
        can_wait,
        "waits for the whole cluster, but is in neither a kernel nor an inlined function; make the function \
         public or remove `{NOINLINE}`"
    );
    Ok(())
}
