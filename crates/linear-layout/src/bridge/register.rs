//! Conversion between register layouts of Tilus and linear layouts.

use super::ElementOrder;
use super::bits::distributed_ins;
use super::error::{BridgeError, BridgeErrorKind};
use super::thread_value::weights;
use crate::layout::{Dim, LinearLayout, Surjectivity};
use crate::tilus::RegisterLayout;

/// The dims of the thread index, fastest first.
const THREAD_DIMS: [Dim; 3] = [Dim::LANE, Dim::WARP, Dim::BLOCK];

/// The bases of a linear register layout. Each bit of the thread index and of the register index has an element
/// index as its basis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterBases {
    /// Element index for each bit of the thread index, fastest bit first. It is 0 for a replication bit.
    pub threads: Vec<u64>,
    /// Element index for each bit of the register index, fastest bit first.
    pub registers: Vec<u64>,
}

/// Returns the bases of a register layout. The layout must be linear: the extents of all modes and the sizes of all
/// replications must be powers of two.
/// # Errors
/// Returns an error that names the mode or replication that is not a power of two.
pub fn register_bases(
    layout: &RegisterLayout,
    order: ElementOrder,
) -> Result<RegisterBases, BridgeError> {
    let weights = weights(layout, order)?;
    let mut bases = RegisterBases {
        threads: Vec::new(),
        registers: Vec::new(),
    };
    let digit = |list: &mut Vec<u64>, what, at, extent: u64, weight: i64| {
        if !extent.is_power_of_two() {
            return Err(BridgeError::from(BridgeErrorKind::NotPowerOfTwo {
                what,
                at,
                extent,
            }));
        }
        list.extend((0..extent.trailing_zeros()).map(|bit| weight.unsigned_abs() << bit));
        Ok(())
    };
    for (at, &entry) in layout.spatial_modes().iter().enumerate().rev() {
        match usize::try_from(entry) {
            Ok(mode) => {
                let extent = layout.mode_shape()[mode];
                digit(&mut bases.threads, "mode", mode, extent, weights[mode])?;
            }
            Err(_) => digit(
                &mut bases.threads,
                "spatial mode",
                at,
                entry.unsigned_abs(),
                0,
            )?,
        }
    }
    for &mode in layout.local_modes().iter().rev() {
        let extent = layout.mode_shape()[mode];
        digit(&mut bases.registers, "mode", mode, extent, weights[mode])?;
    }
    Ok(bases)
}

/// Returns the linear layout that is equivalent to a register layout, for warps of `lanes` lanes.
///
/// ```
/// # use linear_layout::bridge::linear_from_tilus;
/// # use linear_layout::encoding::Encoding;
/// # use linear_layout::tilus::local;
/// let mma = local(&[2, 1])?.spatial(&[8, 4])?.local(&[1, 2])?;
/// let encoding: Encoding = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], \
///     instrShape = [16, 8]}>".parse()?;
/// assert_eq!(linear_from_tilus(&mma, 32)?, encoding.to_linear_layout(&[16, 8])?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Shape
/// (`register`: values, `lane`: at most `lanes`, `warp`: other threads, `block`: 1) -> (`dim0`, `dim1`,
/// ...: the shape).
///
/// # Errors
/// Returns an error if a mode, a replication or `lanes` is not a power of two, or if the tensor has too many dims.
pub fn linear_from_tilus(layout: &RegisterLayout, lanes: u64) -> Result<LinearLayout, BridgeError> {
    // The first out-dim is in the low bits of a column.
    let bases = register_bases(layout, ElementOrder::ColumnMajor)?;
    let ins = distributed_ins(layout.local_size(), layout.spatial_size(), lanes)?;
    let outs: Vec<(Dim, u64)> = layout
        .shape()
        .iter()
        .enumerate()
        .map(|(dim, extent)| (Dim::out(dim), *extent))
        .collect();
    let columns = [bases.registers, bases.threads].concat();
    Ok(LinearLayout::from_columns(
        &ins,
        &outs,
        &columns,
        Surjectivity::Required,
    )?)
}

/// Returns the register layout that is equivalent to a linear layout. The thread index has the lane bits, then the warp
/// bits, then the block bits. The shape has the sizes of `dim0`, `dim1`, ...
///
/// The register layout exists if and only if each basis is a single bit of the element index (or zero for a lane, warp
/// or block bit), and each bit of the element index is the image of exactly one input bit.
/// ```
/// # use linear_layout::bridge::tilus_from_linear;
/// # use linear_layout::layout::{Dim, LinearLayout};
/// let linear = LinearLayout::from_bases(
///     &[(Dim::REGISTER, &[&[0, 1]]), (Dim::LANE, &[&[1, 1], &[2, 0]])], &[Dim::out(0), Dim::out(1)])?;
/// assert_eq!(tilus_from_linear(&linear).unwrap_err().to_string(),
///     "basis 0 of `lane` changes several bits of an element index; expected one bit, as Tilus requires");
/// # Ok::<(), linear_layout::layout::LayoutError>(())
/// ```
/// # Errors
/// Returns an error that names the violated condition, or an in-dim other than `register`, `lane`, `warp` and `block`.
pub fn tilus_from_linear(layout: &LinearLayout) -> Result<RegisterLayout, BridgeError> {
    for dim in layout.in_dims() {
        if dim != Dim::REGISTER && !THREAD_DIMS.contains(&dim) {
            return Err(BridgeErrorKind::UnexpectedDim { dim }.into());
        }
    }
    let mut outs: Vec<(Dim, u64)> = layout.out_shape().collect();
    if outs.iter().all(|(dim, _)| dim.out_index().is_some()) {
        outs.sort_by_key(|(dim, _)| dim.out_index());
    }
    // One mode of extent 2 for each index bit: first dim first, highest bit first.
    let mut modes: Vec<(Dim, u32)> = Vec::new();
    for &(dim, size) in &outs {
        modes.extend((0..size.trailing_zeros()).rev().map(|bit| (dim, bit)));
    }
    let mut is_covered = vec![false; modes.len()];
    let mut modes_of = |dim: Dim| {
        let mut list: Vec<Option<usize>> = Vec::new();
        for bit in 0..layout.in_bits(dim) {
            let basis = layout.basis(dim, bit);
            let mut parts = layout.out_dims().zip(basis.iter()).filter(|(_, v)| *v != 0);
            let (first, second) = (parts.next(), parts.next());
            list.push(match (first, second) {
                (None, _) if dim == Dim::REGISTER => {
                    return Err(BridgeError::from(BridgeErrorKind::RegisterRepeats { bit }));
                }
                (None, _) => None,
                (Some((out, value)), None) if value.is_power_of_two() => {
                    let of = |mode: &(Dim, u32)| *mode == (out, value.trailing_zeros());
                    let mode = modes.iter().position(of).unwrap_or_default();
                    if is_covered[mode] {
                        return Err(BridgeErrorKind::ImageRepeats {
                            dim,
                            bit,
                            out,
                            value,
                        }
                        .into());
                    }
                    is_covered[mode] = true;
                    Some(mode)
                }
                _ => return Err(BridgeErrorKind::NotUnit { dim, bit }.into()),
            });
        }
        list.reverse();
        Ok(list)
    };
    let local = modes_of(Dim::REGISTER)?;
    let mut spatial = Vec::new();
    for dim in THREAD_DIMS.iter().rev() {
        spatial.extend(modes_of(*dim)?);
    }
    if let Some(mode) = is_covered.iter().position(|is_covered| !is_covered) {
        let (out, bit) = modes[mode];
        return Err(BridgeErrorKind::NoPreimage {
            out,
            value: 1 << bit,
        }
        .into());
    }
    let entry = |mode: Option<usize>| mode.map_or(-2, |mode| i64::try_from(mode).unwrap_or(-2));
    let shape: Vec<u64> = outs.iter().map(|(_, size)| *size).collect();
    let spatial: Vec<i64> = spatial.into_iter().map(entry).collect();
    let local: Vec<i64> = local.into_iter().map(entry).collect();
    Ok(RegisterLayout::new(&shape, &vec![2; modes.len()], &spatial, &local)?.canonical())
}
