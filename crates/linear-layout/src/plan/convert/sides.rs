//! The source layout and the destination layout of a conversion, validated and in a common coordinate system.

use super::error::{MOST_ELEMENTS_LOG2, PlanError, PlanErrorKind};
use crate::f2::{Echelon, compress};
use crate::layout::{Dim, LinearLayout};
use crate::number::narrow;
use crate::plan::gf2::{apply, echelon};
use crate::plan::program::{BarrierScope, Builder, Threads};
use crate::target::Target;
use std::borrow::Cow;

/// The columns of one layout of a conversion. Each register, lane and warp bit has a column, which contains its
/// packed coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SideColumns {
    /// The register columns that are not zero.
    pub(crate) reg: Vec<u64>,
    /// The lane columns, followed by the warp columns. Zero columns are included.
    pub(crate) thread: Vec<u64>,
}

/// The two layouts of a conversion, source and destination, in common coordinates.
///
/// Coordinates consist of those packed output bits of the source that distinguish the elements of one block. The
/// first output dim is in the low bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sides {
    pub(crate) src: SideColumns,
    pub(crate) dst: SideColumns,
    /// log2 of the number of elements that one block holds.
    pub(crate) bits: u32,
    pub(crate) lanes_log2: u32,
    pub(crate) warps_log2: u32,
}

impl SideColumns {
    pub(crate) fn lane(&self, lanes_log2: u32) -> &[u64] {
        &self.thread[..lanes_log2 as usize]
    }

    pub(crate) fn warp(&self, lanes_log2: u32) -> &[u64] {
        &self.thread[lanes_log2 as usize..]
    }
}

pub(super) fn columns(layout: &LinearLayout, dim: Dim) -> impl Iterator<Item = u64> + '_ {
    layout.columns_of(dim).iter().copied()
}

/// Validates the layouts of a conversion. Returns the destination layout with its output dims in the order of the
/// source, log2 of the number of lanes, and log2 of the number of warps.
///
/// # Errors
/// Returns an error in these cases:
/// - a layout has unknown input dims, or a warp size other than the target's;
/// - the layouts are of different tensors, or have different numbers of warps;
/// - a block has more threads than are supported.
pub(super) fn matched<'l>(
    src: &LinearLayout,
    dst: &'l LinearLayout,
    target: &Target,
) -> Result<(Cow<'l, LinearLayout>, u32, u32), PlanError> {
    let outs = |l: &LinearLayout| l.out_dims().map(|d| (d, l.out_size(d))).collect::<Vec<_>>();
    let src_outs = outs(src);
    let mut dst = Cow::Borrowed(dst);
    let dst_outs = outs(&dst);
    if src_outs != dst_outs {
        let mut sorted = (src_outs.clone(), dst_outs.clone());
        sorted.0.sort_by_key(|(d, _)| d.name());
        sorted.1.sort_by_key(|(d, _)| d.name());
        if sorted.0 != sorted.1 {
            return Err(PlanErrorKind::OutDims {
                src: src_outs,
                dst: dst_outs,
            }
            .into());
        }
        let order: Vec<_> = src_outs.iter().map(|&(d, _)| d).collect();
        dst = Cow::Owned(dst.transpose_outs(&order)?);
    }
    for (layout, side) in [(src, "source"), (&*dst, "destination")] {
        for dim in layout.in_dims() {
            if ![Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK].contains(&dim) {
                return Err(PlanErrorKind::UnknownInDim { side, dim }.into());
            }
        }
        let found = columns(layout, Dim::LANE).count();
        if found != target.lanes_log2() as usize {
            let found = 1u64 << found;
            return Err(PlanErrorKind::Lanes {
                side,
                found,
                expected: target.lanes,
                target: target.name,
            }
            .into());
        }
    }
    let warps = columns(src, Dim::WARP).count();
    let dst_warps = columns(&dst, Dim::WARP).count();
    if warps != dst_warps {
        return Err(PlanErrorKind::Warps {
            src: 1 << warps,
            dst: 1 << dst_warps,
        }
        .into());
    }
    let (lanes_log2, warps_log2) = (target.lanes_log2(), narrow::<u32>(warps));
    if lanes_log2 + warps_log2 > 11 {
        return Err(PlanErrorKind::TooManyThreads {
            threads: 1 << (lanes_log2 + warps_log2),
        }
        .into());
    }
    Ok((dst, lanes_log2, warps_log2))
}

impl Sides {
    /// Validates the two layouts, and returns their columns in common coordinates.
    ///
    /// # Errors
    /// Returns an error in these cases:
    /// - a layout has unknown input dims, or a warp size other than the target's;
    /// - the layouts are of different tensors, or have different numbers of warps;
    /// - the destination needs elements that the source does not hold, or that only another block holds.
    pub(crate) fn new(
        src: &LinearLayout,
        dst: &LinearLayout,
        target: &Target,
    ) -> Result<Self, PlanError> {
        let (dst, lanes_log2, warps_log2) = matched(src, dst, target)?;
        let side = |l: &LinearLayout| SideColumns {
            reg: columns(l, Dim::REGISTER).filter(|&c| c != 0).collect(),
            thread: columns(l, Dim::LANE).chain(columns(l, Dim::WARP)).collect(),
        };
        let (mut src_side, mut dst_side) = (side(src), side(&dst));
        let held = echelon(src_side.reg.iter().chain(&src_side.thread));
        Self::check_covered(src, &dst, &held)?;
        // The pivot rows tell the block's elements apart: an element with none of them set is 0.
        let rows = pivot_rows(&held);
        let bits = rows.count_ones();
        let registers = src_side.reg.len().max(dst_side.reg.len());
        let log2 = bits.max(narrow(registers));
        if log2 > MOST_ELEMENTS_LOG2 {
            return Err(PlanErrorKind::TooLarge { log2 }.into());
        }
        for column in [&mut src_side, &mut dst_side]
            .into_iter()
            .flat_map(|s| s.reg.iter_mut().chain(&mut s.thread))
        {
            *column = compress(*column, rows);
        }
        Ok(Self {
            src: src_side,
            dst: dst_side,
            bits,
            lanes_log2,
            warps_log2,
        })
    }

    /// Creates a builder for a program whose sources are the source registers of the conversion.
    pub(crate) fn builder(&self, elem_bits: u32) -> Builder {
        let threads = Threads {
            lanes_log2: self.lanes_log2,
            warps_log2: self.warps_log2,
            blocks_log2: 0,
        };
        Builder::new(narrow(self.src.reg.len()), &[elem_bits], threads)
    }

    /// Checks that the block of each thread holds, in the source layout, all elements that the thread needs in the
    /// destination layout.
    fn check_covered(
        src: &LinearLayout,
        dst: &LinearLayout,
        held: &Echelon,
    ) -> Result<(), PlanError> {
        let mut src_blocks = columns(src, Dim::BLOCK);
        let in_cluster = columns(src, Dim::BLOCK)
            .chain(columns(dst, Dim::BLOCK))
            .any(|c| c != 0);
        for (bit, column) in columns(dst, Dim::BLOCK).enumerate() {
            if column != src_blocks.next().unwrap_or(0) {
                return Err(PlanErrorKind::BlockMovement {
                    dim: Dim::BLOCK,
                    bit,
                }
                .into());
            }
        }
        if src_blocks.any(|c| c != 0) {
            let bit = columns(dst, Dim::BLOCK).count();
            return Err(PlanErrorKind::BlockMovement {
                dim: Dim::BLOCK,
                bit,
            }
            .into());
        }
        for dim in [Dim::REGISTER, Dim::LANE, Dim::WARP] {
            for (bit, column) in columns(dst, dim).enumerate() {
                if !held.contains(column) {
                    return Err(if in_cluster {
                        PlanErrorKind::BlockMovement { dim, bit }.into()
                    } else {
                        PlanErrorKind::NotCovered { dim, bit }.into()
                    });
                }
            }
        }
        Ok(())
    }

    /// Returns the same conversion, restricted to subsets of the registers. The source registers are those whose
    /// numbers are in the span of `src_masks`, and the destination registers are those whose numbers are in the
    /// span of `dst_masks`. Both subsets must hold the same elements.
    pub(crate) fn restricted(&self, src_masks: &[u64], dst_masks: &[u64]) -> Self {
        let side = |side: &SideColumns, masks: &[u64]| SideColumns {
            reg: masks.iter().map(|&m| apply(&side.reg, m)).collect(),
            thread: side.thread.clone(),
        };
        let (mut src, mut dst) = (side(&self.src, src_masks), side(&self.dst, dst_masks));
        let rows = pivot_rows(&echelon(src.reg.iter().chain(&src.thread)));
        for column in [&mut src, &mut dst]
            .into_iter()
            .flat_map(|s| s.reg.iter_mut().chain(&mut s.thread))
        {
            *column = compress(*column, rows);
        }
        Self {
            src,
            dst,
            bits: rows.count_ones(),
            ..*self
        }
    }

    /// Returns the scope of the barrier between the stores and the loads of this conversion.
    ///
    /// If every warp holds all elements that it needs, a warp barrier suffices. The exception is a conversion in
    /// which other warps store replicas of the same elements, because such a store could complete after the bytes
    /// are reused.
    pub(crate) fn barrier_scope(&self) -> BarrierScope {
        if self.stays_in_warp() && !self.has_copies() {
            BarrierScope::Warp
        } else {
            BarrierScope::Block
        }
    }

    /// Returns true if two warps of the source hold replicas of the same element.
    fn has_copies(&self) -> bool {
        let lanes = self.lanes_log2;
        let mut held = echelon(self.src.reg.iter().chain(self.src.lane(lanes)));
        let mut warps = self.src.warp(lanes).iter().enumerate();
        warps.any(|(i, &column)| held.insert(i, column).is_some())
    }

    /// Returns true if the source layout gives every warp all elements that it needs in the destination layout.
    pub(crate) fn stays_in_warp(&self) -> bool {
        let lanes = self.lanes_log2;
        let e = echelon(self.src.reg.iter().chain(self.src.lane(lanes)));
        let warps = self
            .src
            .warp(lanes)
            .iter()
            .zip(self.dst.warp(lanes))
            .map(|(a, b)| a ^ b);
        self.dst
            .reg
            .iter()
            .chain(self.dst.lane(lanes))
            .copied()
            .chain(warps)
            .all(|c| e.contains(c))
    }
}

/// Returns the mask of the pivot rows of `held`. If a vector of the span has only zero bits in the pivot rows, it
/// is the zero vector.
///
/// A row is a pivot row if and only if [`Echelon::reduce`] clears the only set bit of the row's unit vector. This
/// is true because `reduce` clears each set bit in a pivot row, lowest first.
pub(super) fn pivot_rows(held: &Echelon) -> u64 {
    (0..64)
        .map(|row| 1u64 << row)
        .filter(|unit| held.reduce(*unit).0 & unit == 0)
        .fold(0, |a, unit| a | unit)
}
