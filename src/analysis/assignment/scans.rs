//! Candidate layouts of global accesses for scans.
//!
//! `coalesce` gives each thread neighbouring elements along the contiguous dimension. Along another axis, a scan then
//! has to combine the elements of many threads, several times. These candidates give each thread consecutive elements
//! along the axis instead. A warp still accesses whole rows, with narrower vectors:
//!
//! ```text
//! 64x32 of f32, 4 warps, contiguous along dimension 1, scanned along dimension 0
//! coalesced    sizePerThread = [1, 4], threadsPerWarp = [4, 8]     levels: 4 lanes, 4 warps, 4 registers
//! candidates   sizePerThread = [4, 4], threadsPerWarp = [4, 8]     levels: 4 registers, 4 lanes, 4 warps
//!              sizePerThread = [8, 2], threadsPerWarp = [2, 16]    levels: 8 registers, 2 lanes, 4 warps
//!              sizePerThread = [16, 1], threadsPerWarp = [1, 32]   levels: 16 registers, 4 warps
//! ```

use super::kernel::{Kernel, NodeId};
use super::layouts::EncodingId;
use super::modes::{Mode, NodeOrSlice, TensorPosition};
use super::roles::Role;
use crate::ir::ops::tt;
use linear_layout::encoding::{BlockedEncoding, Encoding};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Removes from `modes` the layouts of scans that are not blocked, other than the original ones.
pub(super) fn keep_blocked(kernel: &Kernel<'_>, modes: &mut [Vec<Mode>]) {
    let is_blocked =
        |encoding: &EncodingId| matches!(**kernel.catalogue.get(*encoding), Encoding::Blocked(_));
    for (node, modes) in kernel.nodes.iter().zip(modes) {
        if node.role != Role::Scan {
            continue;
        }
        for mode in &mut modes[1..] {
            mode.spellings
                .retain(|spelling| spelling.uses.iter().all(is_blocked));
        }
        modes.retain(|mode| !mode.spellings.is_empty());
    }
}

/// Adds to `modes` the candidates of each access to a tensor that has the shape of a scan. Mode 0 of a node has the
/// original encodings.
pub(super) fn add_candidates(kernel: &mut Kernel<'_>, modes: &mut FxHashMap<NodeId, Vec<Mode>>) {
    let scans = kernel.nodes.iter().filter_map(|node| {
        let axis = usize::try_from(tt::Scan::of(node.op)?.axis()).ok()?;
        Some((kernel.datums[*node.defs.first()?].shape, axis))
    });
    let mut scans: Vec<_> = scans.collect();
    scans.sort_unstable();
    scans.dedup();
    if scans.is_empty() {
        return;
    }
    for node in 0..kernel.nodes.len() {
        let of = NodeOrSlice::Node(node);
        // The pointers come first, with the shape of the accessed tensor.
        let (Role::Access { .. }, Some(pointers)) =
            (kernel.nodes[node].role, kernel.nodes[node].uses.first())
        else {
            continue;
        };
        let (shape, present) = (kernel.datums[pointers.datum].shape, pointers.present);
        let Some(original) = kernel.mode(of, kernel.present(of)) else {
            continue;
        };
        let mut found = vec![original];
        for (_, axis) in scans.iter().filter(|(scanned, _)| *scanned == shape) {
            let catalogue = &kernel.catalogue;
            let all = retiled(catalogue.get(present), catalogue.sizes(shape), *axis);
            for encoding in all.unwrap_or_default() {
                let encoding = kernel.catalogue.encoding(Arc::new(encoding.into()));
                let mode = kernel.spelled(of, TensorPosition::Use(0), encoding);
                let is_new = |mode: &Mode| found.iter().all(|known| known.uses != mode.uses);
                if let Some((_, mode)) = mode.filter(|(_, mode)| is_new(mode)) {
                    found.push(mode);
                }
            }
        }
        if found.len() > 1 {
            modes.entry(node).or_insert(found);
        }
    }
}

/// Returns blocked encodings of a tensor in which each thread has consecutive elements along `axis`, with vectors of at
/// most the width of `present` along the contiguous dimension.
fn retiled(present: &Encoding, shape: &[u64], axis: usize) -> Option<Vec<BlockedEncoding>> {
    let Encoding::Blocked(blocked) = present else {
        return None;
    };
    let contiguous = *blocked.order().first()? as usize;
    if contiguous == axis {
        return None;
    }
    let warps = blocked.warps_per_cta().iter().product();
    let lanes = blocked.threads_per_warp().iter().product();
    let share = blocked.cga_layout().shape_per_cta(shape);
    let tiled = |size: &[u32]| {
        let cga = *blocked.cga_layout();
        BlockedEncoding::for_shape(shape, size, blocked.order(), warps, lanes, cga).ok()
    };
    let mut found = Vec::new();
    let mut width = blocked.size_per_thread()[contiguous];
    while width > 0 {
        let mut size = vec![1; shape.len()];
        size[contiguous] = width;
        if let Some(narrow) = tiled(&size) {
            let threads = narrow.threads_per_warp()[axis] * narrow.warps_per_cta()[axis];
            size[axis] = u32::try_from(share[axis] / u64::from(threads)).ok()?.max(1);
            found.extend(tiled(&size).filter(|_| size[axis] > 1));
        }
        width /= 2;
    }
    Some(found)
}
