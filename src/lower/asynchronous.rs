//! Shared-memory effects of asynchronous operations.
//!
//! Copies by threads use the generic proxy, asynchronous units use the async proxy. Operations on an mbarrier are
//! atomic; only initialisation and invalidation count as writes.

use crate::analysis::effects::{
    AccessTarget, Act, AsyncAccess, BufferView, Buffers, Channel, Effects, MbarrierUse, Proxy,
    SyncScope, ValueId, ViewRange,
};
use crate::ir::ops::{ttg, ttng};
use crate::ir::{ModuleInfo, OpKind, OpView};
use crate::sys::build::{Op, Val};
use crate::sys::value_id;

/// Lanes per warp of the GPUs with `ttng` operations.
const LANES: u64 = 32;

fn start(channel: Channel, is_write: bool, buffer: ValueId, proxy: Proxy) -> Act {
    Act::Start(AsyncAccess {
        channel,
        is_write,
        target: AccessTarget::Buffer(buffer),
        proxy,
    })
}

fn observe(channel: Channel, at_most: impl TryInto<u32>) -> Act {
    // A negative count waits for all groups.
    let at_most = at_most.try_into().unwrap_or_default();
    Act::Observe { channel, at_most }
}

/// Returns the effects of an asynchronous operation. Unknown operations read and write all their buffers.
pub(crate) fn effects(kind: OpKind, op: Op<'_>, buffers: &Buffers) -> Effects {
    let mbarrier = mbarrier(op);
    let acts = match mbarrier {
        Some((object, use_)) => Some(acts_on_mbarrier(object, use_)),
        None => acts(kind, op, buffers),
    };
    acts.map_or_else(
        || Effects::unknown(buffers),
        |acts| Effects {
            acts,
            views: forwarded(buffers),
            predicate: predicate(op).map(value_id),
            mbarrier,
            ..Effects::default()
        },
    )
}

fn predicate(op: Op<'_>) -> Option<Val<'_>> {
    match OpView::of(op)? {
        OpView::TtngBarrierExpect(expect) => Some(expect.pred()),
        OpView::TtngArriveBarrier(arrive) => arrive.pred(),
        OpView::TtngWaitBarrier(wait) => wait.pred(),
        OpView::TtngAsyncTMACopyGlobalToLocal(copy) => Some(copy.pred()),
        _ => None,
    }
}

fn mbarrier(op: Op<'_>) -> Option<(ValueId, MbarrierUse)> {
    let small = |number: i64| u32::try_from(number).unwrap_or_default();
    let (object, use_) = match OpView::of(op)? {
        OpView::TtngInitBarrier(init) => {
            let count = small(init.count());
            (init.alloc(), MbarrierUse::Init { count })
        }
        OpView::TtngInvalBarrier(end) => (end.alloc(), MbarrierUse::Invalidate),
        OpView::TtngBarrierExpect(expect) => {
            let bytes = small(expect.size());
            (expect.alloc(), MbarrierUse::Expect { bytes })
        }
        OpView::TtngArriveBarrier(arrive) => {
            let count = small(arrive.count());
            (arrive.alloc(), MbarrierUse::Arrive { count })
        }
        OpView::TtngAsyncCopyMbarrierArrive(arrive) => {
            let warps = ModuleInfo::num_warps(op).unwrap_or_default();
            let threads = u32::try_from(warps * LANES).unwrap_or_default();
            let count = if arrive.no_increment() { threads } else { 0 };
            (arrive.barrier(), MbarrierUse::ArriveAfterCopies { count })
        }
        OpView::TtngAsyncTMACopyGlobalToLocal(copy) => {
            let to = value_id(copy.result());
            (copy.barrier(), MbarrierUse::Copy { to })
        }
        OpView::TtngWaitBarrier(wait) => {
            let parity = value_id(wait.phase());
            (wait.alloc(), MbarrierUse::Wait { parity })
        }
        _ => return None,
    };
    Some((value_id(object), use_))
}

/// Returns the buffer views of a wait operation. Result i is a view of the whole operand i.
fn forwarded(buffers: &Buffers) -> Vec<BufferView> {
    let pairs = buffers.operands.iter().zip(&buffers.results);
    pairs
        .map(|(source, result)| BufferView {
            source: *source,
            result: *result,
            range: ViewRange::All,
        })
        .collect()
}

fn acts_on_mbarrier(mbarrier: ValueId, use_: MbarrierUse) -> Vec<Act> {
    let object = AccessTarget::Buffer(mbarrier);
    let phases = Channel::Mbarrier(mbarrier);
    match use_ {
        MbarrierUse::Init { .. } => vec![Act::Write(object)],
        MbarrierUse::Invalidate => vec![observe(phases, 0), Act::Write(object)],
        MbarrierUse::Expect { .. } => vec![Act::Read(object), Act::Commit(phases)],
        // An arrival counts for all threads that execute the operation.
        MbarrierUse::Arrive { .. } => vec![Act::Barrier, Act::Read(object)],
        MbarrierUse::ArriveAfterCopies { .. } => {
            vec![Act::Read(object), Act::Attach(mbarrier)]
        }
        MbarrierUse::Copy { to } => {
            vec![Act::Read(object), start(phases, true, to, Proxy::Async)]
        }
        MbarrierUse::Wait { .. } => vec![Act::Read(object), observe(phases, 0)],
    }
}

fn acts(kind: OpKind, op: Op<'_>, buffers: &Buffers) -> Option<Vec<Act>> {
    use OpKind as K;
    let accesses = |channel, is_write, proxy| {
        let buffers = buffers.operands.iter();
        buffers.map(move |buffer| start(channel, is_write, *buffer, proxy))
    };
    Some(match kind {
        K::TtgAsyncCopyGlobalToLocal | K::AmdgBufferLoadToLocal => {
            accesses(Channel::Copies, true, Proxy::Generic).collect()
        }
        K::TtgAsyncCommitGroup => vec![Act::Commit(Channel::Copies)],
        // The number of instructions per copy is unknown, so wait for all copies, even those of an open group.
        K::AmdgAsyncWait => vec![Act::Commit(Channel::Copies), observe(Channel::Copies, 0)],
        K::TtgAsyncWait => vec![observe(Channel::Copies, ttg::AsyncWait::of(op)?.num())],
        K::TtngAsyncTMACopyLocalToGlobal | K::TtngAsyncTMAReduce => {
            let mut acts: Vec<Act> = accesses(Channel::BulkStores, false, Proxy::Async).collect();
            acts.push(Act::Commit(Channel::BulkStores));
            acts
        }
        K::TtngTMAStoreWait => {
            let pendings = ttng::TMAStoreWait::of(op)?.pendings();
            vec![observe(Channel::BulkStores, pendings)]
        }
        K::TtngWarpGroupDot => {
            let mut acts: Vec<Act> = accesses(Channel::Products, false, Proxy::Async).collect();
            acts.push(Act::Commit(Channel::Products));
            if !ttng::WarpGroupDot::of(op)?.is_async() {
                acts.push(observe(Channel::Products, 0));
            }
            acts
        }
        K::TtngWarpGroupDotWait => {
            let pendings = ttng::WarpGroupDotWait::of(op)?.pendings();
            vec![observe(Channel::Products, pendings)]
        }
        K::TtngClusterBarrier => vec![Act::Sync(SyncScope::Cluster)],
        K::TtngFenceAsyncShared => vec![Act::Fence],
        _ => return None,
    })
}
