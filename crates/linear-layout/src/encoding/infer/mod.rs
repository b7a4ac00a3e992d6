//! Encoding inference: from the operand of a view to its result, and from the result to the operand.
//!
//! Every function returns the encoding with which an operation moves no data: the thread with element `[i, j]` of the
//! operand also holds the corresponding element of the result. Functions with the suffix `_source` infer the encoding
//! of the operand from the encoding of the result.
//! ```
//! use linear_layout::encoding::{infer, Encoding};
//! let rows: Encoding =
//!     "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>".parse()?;
//! let columns = infer::trans(&rows, &[32, 64], &[1, 0])?;
//! assert_eq!(columns.to_string(),
//!     "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>");
//! assert_eq!(infer::trans_source(&columns, &[64, 32], &[1, 0])?, rows);
//! # Ok::<(), linear_layout::encoding::EncodingError>(())
//! ```
//! The rules follow Triton's `DialectInferLayoutInterface`.

mod reshape;

use super::error::EncodingErrorKind;
use super::linear::permutation_matrix;
use super::{
    BlockedEncoding, DotOperandEncoding, Encoding, EncodingError, GenericLinearEncoding, Ints,
    LinearEncoding, List, MAX_RANK, NvmmaSharedEncoding, PaddedSharedEncoding,
    PartitionedSharedEncoding, SharedLinearEncoding, SliceEncoding, SwizzledSharedEncoding,
};
use crate::layout::{Dim, LinearLayout, Surjectivity};
use crate::number::narrow;

pub use reshape::reshape;

type TensorShape = List<u64, MAX_RANK>;

/// Returns the encoding of the result of the operation `trans`. `src` and `shape` describe the operand, which is in
/// registers or in shared memory. Dim `i` of the result is dim `order[i]` of the operand.
///
/// # Errors
/// Returns an error if `order` is not a permutation of the operand's dims, or the operand is in tensor memory or
/// has no layout on `shape`.
pub fn trans(src: &Encoding, shape: &[u64], order: &[usize]) -> Result<Encoding, EncodingError> {
    let rank = src.rank();
    check_order("trans", order, rank)?;
    check_shape(src, shape)?;
    if order.iter().enumerate().all(|(i, o)| i == *o) {
        return Ok(src.clone());
    }
    Ok(match src {
        Encoding::Blocked(e) => e.permute(order).into(),
        Encoding::SwizzledShared(e) => SwizzledSharedEncoding {
            swizzle: e.swizzle.permute(order),
        }
        .into(),
        Encoding::NvmmaShared(e) if order == [1, 0] => e.transposed().into(),
        Encoding::PartitionedShared(e) => {
            let piece = e.piece(shape)?;
            let inner = trans(e.partition_layout(), &piece, order)?;
            let dim = narrow::<u32>(
                order
                    .iter()
                    .position(|o| *o == e.partition_dim())
                    .unwrap_or(0),
            );
            PartitionedSharedEncoding::new(e.num_partitions(), e.num_groups(), dim, inner)?.into()
        }
        Encoding::PaddedShared(e) => {
            e.cga_layout()?;
            let linear = e.linear_component().transpose_standard(order)?;
            PaddedSharedEncoding::new(e.interval_paddings(), linear)?.into()
        }
        Encoding::TensorMemory(_) | Encoding::TensorMemoryScales(_) => {
            return Err(cannot("trans", "tensor memory cannot be transposed"));
        }
        _ => from_layout(src.to_linear_layout(shape)?.transpose_standard(order)?, src)?,
    })
}

/// Returns the encoding of the operand of a `trans` whose result has the encoding `dst` and the shape `shape`. Dim
/// `i` of the result is dim `order[i]` of the operand.
///
/// # Errors
/// Returns an error in the same cases as [`trans`].
pub fn trans_source(
    dst: &Encoding,
    shape: &[u64],
    order: &[usize],
) -> Result<Encoding, EncodingError> {
    check_order("trans", order, dst.rank())?;
    let mut inverse = [0; MAX_RANK];
    for (i, o) in order.iter().enumerate() {
        inverse[*o] = i;
    }
    trans(dst, shape, &inverse[..order.len()])
}

/// Returns the encoding of the operand of a `reshape` from `src_shape` to `dst_shape` whose result has the encoding
/// `dst`. This is the encoding that [`reshape`] returns for the opposite reshape, from `dst_shape` to `src_shape`.
///
/// # Errors
/// Returns an error in the same cases as [`reshape`].
pub fn reshape_source(
    dst: &Encoding,
    dst_shape: &[u64],
    src_shape: &[u64],
) -> Result<Encoding, EncodingError> {
    reshape(dst, dst_shape, src_shape)
}

/// Returns the encoding of the result of an `expand_dims` that inserts dim `axis`. The operand's encoding `src`
/// must be a slice along `axis`. The parent of this slice is the encoding of the result.
///
/// # Errors
/// Returns an error if `src` is not a slice along `axis`.
pub fn expand_dims(src: &Encoding, axis: usize) -> Result<Encoding, EncodingError> {
    match src {
        Encoding::Slice(slice) if slice.dim() == axis => Ok(slice.parent().clone()),
        Encoding::Slice(_) => Err(cannot(
            "expand_dims",
            "the operand is a `slice` along a dim other than the axis",
        )),
        _ => Err(cannot(
            "expand_dims",
            "the operand is not a `slice`; convert the operand to a `slice` along the axis",
        )),
    }
}

/// Returns the encoding of the operand of an `expand_dims` that inserts dim `axis`, if the result has the encoding
/// `dst`. This is the slice along `axis` whose parent is `dst`.
///
/// # Errors
/// Returns an error if `dst` is not distributed, has only one dim, or has no dim `axis`.
pub fn expand_dims_source(dst: &Encoding, axis: usize) -> Result<Encoding, EncodingError> {
    reduce(dst, axis)
}

/// Returns the encoding of the result of a `reduce` along `axis`, if the operand has the encoding `src`. This is
/// the slice along `axis` whose parent is `src`.
///
/// # Errors
/// Returns an error if `src` is not distributed, has only one dim (the result is a scalar), or has no dim `axis`.
pub fn reduce(src: &Encoding, axis: usize) -> Result<Encoding, EncodingError> {
    let axis = u32::try_from(axis).map_err(|_| {
        EncodingError::new(EncodingErrorKind::Axis {
            op: "reduce",
            axis,
            rank: src.rank(),
        })
    })?;
    Ok(SliceEncoding::new(axis, src.clone())?.into())
}

/// Returns the encoding of the operand of a `reduce` along `axis`. The result's encoding `dst` must be a slice
/// along `axis`. The parent of this slice is the encoding of the operand.
///
/// # Errors
/// Returns an error if `dst` is not a slice along `axis`.
pub fn reduce_source(dst: &Encoding, axis: usize) -> Result<Encoding, EncodingError> {
    match dst {
        Encoding::Slice(slice) if slice.dim() == axis => Ok(slice.parent().clone()),
        _ => Err(cannot(
            "reduce",
            "the result is not a `slice` along the axis",
        )),
    }
}

/// Returns the encoding of the result of a `broadcast`, which is the encoding `src` of the operand.
///
/// # Errors
/// Returns an error if `src` is not distributed.
pub fn broadcast(src: &Encoding) -> Result<Encoding, EncodingError> {
    if src.is_distributed() {
        return Ok(src.clone());
    }
    Err(cannot(
        "broadcast",
        "the operand is not a tensor in registers",
    ))
}

/// Returns the encoding of the result of `join`. Each of the two operands has the encoding `src` and the shape
/// `shape`.
///
/// The result has an additional last dim of size 2, and one thread holds both elements along this dim.
///
/// # Errors
/// Returns an error if `src` is not distributed, already has the maximum rank, or has no layout on `shape`.
pub fn join(src: &Encoding, shape: &[u64]) -> Result<Encoding, EncodingError> {
    check_shape(src, shape)?;
    if !src.is_distributed() {
        return Err(cannot("join", "the operands are not tensors in registers"));
    }
    let rank = src.rank();
    let mut joined: TensorShape = List::from_slice(shape)?;
    joined.push(2)?;
    match src {
        Encoding::Slice(slice) if slice.dim() == rank => {
            let parent = slice.parent();
            if let Ok(halves) = split(parent, &joined)
                && same_without_copies(&halves, src, shape)
            {
                return Ok(parent.clone());
            }
        }
        Encoding::Blocked(e) => {
            let with = |list: &[u32], value: u32| {
                let mut list = Ints::from_slice(list)?;
                list.push(value).map(|()| list)
            };
            let order = Ints::collect(
                [narrow::<u32>(rank)]
                    .into_iter()
                    .chain(e.order().iter().copied()),
            );
            return Ok(BlockedEncoding::new(
                &with(e.size_per_thread(), 2)?,
                &with(e.threads_per_warp(), 1)?,
                &with(e.warps_per_cta(), 1)?,
                &order,
                e.cga_layout().with_rank(rank + 1),
            )?
            .into());
        }
        _ => {}
    }
    let layout = src.to_linear_layout(shape)?;
    let mut outs: Vec<(Dim, u64)> = layout.out_shape().collect();
    outs.push((Dim::out(rank), 1));
    let pair = LinearLayout::identity_1d(2, Dim::REGISTER, Dim::out(rank))?;
    let names: Vec<Dim> = (0..=rank).map(Dim::out).collect();
    let joined = pair
        .product(&layout.reshape_outs(&outs)?)?
        .transpose_outs(&names)?;
    from_layout(joined, src)
}

/// Returns the encoding that both operands of a `join` have if the result has the encoding `dst` and the shape
/// `shape`.
///
/// # Errors
/// Returns an error in the same cases as [`split`].
pub fn join_source(dst: &Encoding, shape: &[u64]) -> Result<Encoding, EncodingError> {
    split(dst, shape)
}

/// Returns the encoding that both results of a `split` have. The operand has the encoding `src` and the shape
/// `shape`, whose last dim has size 2.
///
/// # Errors
/// Returns an error in these cases:
/// - The operand has only one dim, or its rank differs from the length of `shape`.
/// - The operand has no layout on `shape`.
/// - The size of the last dim is not 2. This is not checked if `src` is a blocked encoding in which the box
///   along the last dim consists of two elements of one thread.
/// - The two elements along the last dim are not always held by the same thread.
pub fn split(src: &Encoding, shape: &[u64]) -> Result<Encoding, EncodingError> {
    check_shape(src, shape)?;
    let Some(axis) = src.rank().checked_sub(1).filter(|axis| *axis > 0) else {
        return Err(cannot(
            "split",
            "the operand has rank 1, expected 2 or more",
        ));
    };
    if let Encoding::Blocked(e) = src {
        let [size, threads, warps] = [
            e.size_per_thread()[axis],
            e.threads_per_warp()[axis],
            e.warps_per_cta()[axis],
        ];
        if (size, threads, warps, e.cga_layout().ctas_per_cga()[axis]) == (2, 1, 1, 1) {
            let order = Ints::collect(e.order().iter().copied().filter(|d| *d as usize != axis));
            return Ok(BlockedEncoding::new(
                &e.size_per_thread()[..axis],
                &e.threads_per_warp()[..axis],
                &e.warps_per_cta()[..axis],
                &order,
                e.cga_layout().without_dim(axis),
            )?
            .into());
        }
    }
    if shape[axis] != 2 {
        return Err(cannot(
            "split",
            "the last dim of the operand does not have size 2",
        ));
    }
    let halves = halve("split", &src.to_linear_layout(shape)?, axis)?;
    from_layout(halves.squeeze_outs(Dim::out(axis))?, src)
}

/// Returns the encoding of the operand of a `split` whose two results both have the encoding `dst` and the shape
/// `shape`.
///
/// # Errors
/// Returns an error in the same cases as [`join`].
pub fn split_source(dst: &Encoding, shape: &[u64]) -> Result<Encoding, EncodingError> {
    join(dst, shape)
}

/// Returns the encoding of the result of an `fp4_to_fp` along `axis`. `src` and `shape` are the encoding and the
/// shape of the operand.
///
/// Each element of the operand holds two 4-bit numbers. They become two elements that are adjacent along `axis` and
/// held by the same thread.
///
/// # Errors
/// Returns an error if `src` is not distributed, has no dim `axis`, or has no layout on `shape`.
pub fn fp4_to_fp(src: &Encoding, shape: &[u64], axis: usize) -> Result<Encoding, EncodingError> {
    fp4(src, shape, axis, true)
}

/// Returns the encoding of the operand of an `fp4_to_fp` along `axis`. `dst` and `shape` are the encoding and the
/// shape of the result.
///
/// # Errors
/// Returns an error in the same cases as [`fp4_to_fp`], and if the first two registers of a thread do not hold
/// elements that are adjacent along `axis`.
pub fn fp4_to_fp_source(
    dst: &Encoding,
    shape: &[u64],
    axis: usize,
) -> Result<Encoding, EncodingError> {
    fp4(dst, shape, axis, false)
}

fn fp4(
    enc: &Encoding,
    shape: &[u64],
    axis: usize,
    forward: bool,
) -> Result<Encoding, EncodingError> {
    const OP: &str = "fp4_to_fp";
    check_shape(enc, shape)?;
    if axis >= enc.rank() {
        return Err(EncodingError::new(EncodingErrorKind::Axis {
            op: OP,
            axis,
            rank: enc.rank(),
        }));
    }
    let scaled = |value: u32| match forward {
        true => value.checked_mul(2),
        false => (value > 1).then_some(value / 2),
    };
    let few = || {
        cannot(
            OP,
            "a thread does not hold two adjacent elements along the axis",
        )
    };
    let order = enc.order(shape)?;
    // Triton rejects encodings whose box has no two adjacent elements, although a repetition of the box may provide
    // them. From rank 3 on, Triton accepts some of these encodings: it confuses the order with its inverse.
    let rejects = order.get(axis) == Some(&0);
    // Adjacent elements are in consecutive registers only along the fastest dim.
    if order.first().map(|d| *d as usize) == Some(axis) {
        match enc {
            Encoding::DotOperand(e) => match scaled(e.k_width()) {
                // `kWidth` applies only along K, which may be shorter than `kWidth`.
                Some(width) if axis + 1 + e.op_idx() as usize == e.rank() => {
                    let parent = e.shared_parent().clone();
                    return Ok(DotOperandEncoding::new(e.op_idx(), parent, width)?.into());
                }
                None if rejects => return Err(few()),
                _ => {}
            },
            Encoding::Blocked(e) => match scaled(e.size_per_thread()[axis]) {
                Some(along) => {
                    let mut size = Ints::from_slice(e.size_per_thread())?;
                    size[axis] = along;
                    let (threads, warps) = (e.threads_per_warp(), e.warps_per_cta());
                    let blocked =
                        BlockedEncoding::new(&size, threads, warps, e.order(), *e.cga_layout())?;
                    return Ok(blocked.into());
                }
                None if rejects => return Err(few()),
                None => {}
            },
            _ => {}
        }
    }
    if !enc.is_distributed() {
        return Err(cannot(OP, "the operand is not a tensor in registers"));
    }
    let layout = enc.to_linear_layout(shape)?;
    let new = if forward {
        let names: Vec<Dim> = layout.out_dims().collect();
        let pair = LinearLayout::identity_1d(2, Dim::REGISTER, Dim::out(axis))?;
        pair.product(&layout)?.transpose_outs(&names)?
    } else {
        // The two elements of a byte are the first two registers.
        let is_pair = layout.in_bits(Dim::REGISTER) > 0
            && layout
                .basis(Dim::REGISTER, 0)
                .iter()
                .enumerate()
                .all(|(d, at)| at == u64::from(d == axis));
        if !is_pair {
            return Err(cannot(
                OP,
                "the first two registers of a thread do not hold adjacent elements along the axis",
            ));
        }
        halve(OP, &layout, axis)?
    };
    from_layout(new, enc)
}

/// Returns true if `a` and `b` are equal, or have the same linear layout on `shape`.
#[must_use]
pub fn equivalent(a: &Encoding, b: &Encoding, shape: &[u64]) -> bool {
    a == b
        || matches!((a.to_linear_layout(shape), b.to_linear_layout(shape)), (Ok(a), Ok(b)) if a == b)
}

/// Returns `layout` with the size of dim `axis` halved. The register basis that steps by 1 along `axis` is dropped,
/// and all other steps along `axis` are halved. Returns an error if there is no such register basis.
fn halve(
    op: &'static str,
    layout: &LinearLayout,
    axis: usize,
) -> Result<LinearLayout, EncodingError> {
    let out = Dim::out(axis);
    let offset: usize = (0..axis).map(|d| layout.out_bits(Dim::out(d))).sum();
    let bits = layout.out_bits(out);
    let mut found = false;
    let mut columns = Vec::new();
    let mut ins: Vec<(Dim, u64)> = layout.in_shape().collect();
    let low = (1u64 << offset) - 1;
    for (dim, size) in &mut ins {
        for column in layout.columns_of(*dim) {
            let step = (*column >> offset) & ((1 << bits) - 1);
            if step == 1 && *dim == Dim::REGISTER {
                found = true;
                *size /= 2;
                continue;
            }
            // An axis of size 1 has no step, so this fails below.
            let above = column >> (offset + bits) << offset << bits.saturating_sub(1);
            columns.push(column & low | (step / 2) << offset | above);
        }
    }
    if !found {
        return Err(cannot(
            op,
            "a thread does not hold two adjacent elements along the axis",
        ));
    }
    let outs: Vec<(Dim, u64)> = layout
        .out_shape()
        .map(|(d, s)| (d, if d == out { (s / 2).max(1) } else { s }))
        .collect();
    Ok(LinearLayout::from_columns(
        &ins,
        &outs,
        &columns,
        Surjectivity::Required,
    )?)
}

/// Returns an encoding whose explicit bases are those of `layout`. The result is a shared encoding if `like` is
/// shared, and a distributed encoding otherwise.
pub(super) fn from_layout(
    layout: LinearLayout,
    like: &Encoding,
) -> Result<Encoding, EncodingError> {
    if like.is_shared() {
        let alignment = like.alignment_bytes().unwrap_or(16);
        return Ok(SharedLinearEncoding::new(layout, alignment)?.into());
    }
    let generic = has_swizzled_warps(like);
    if !generic && permutation_matrix("linear", &layout).is_ok() {
        return Ok(LinearEncoding::new(layout)?.into());
    }
    Ok(GenericLinearEncoding::new(layout)?.into())
}

/// Returns true if a warp basis of `enc` may step along several dims.
fn has_swizzled_warps(enc: &Encoding) -> bool {
    match enc {
        Encoding::GenericLinear(_) => true,
        Encoding::Cute(e) => e.is_generic(),
        Encoding::AmdWmma(e) => permutation_matrix("ctaLayout", e.cta_layout()).is_err(),
        Encoding::Slice(e) => has_swizzled_warps(e.parent()),
        Encoding::DotOperand(e) => has_swizzled_warps(e.parent()),
        _ => false,
    }
}

/// Returns true if `a` and `b` have equal layouts on `shape` when registers that only hold copies of elements in
/// other registers are ignored.
fn same_without_copies(a: &Encoding, b: &Encoding, shape: &[u64]) -> bool {
    let unique = |e: &Encoding| {
        e.to_linear_layout(shape)
            .ok()?
            .remove_zero_bases(Dim::REGISTER)
            .ok()
    };
    matches!((unique(a), unique(b)), (Some(a), Some(b)) if a == b)
}

#[cold]
fn cannot(op: &'static str, reason: &'static str) -> EncodingError {
    EncodingError::new(EncodingErrorKind::CannotInfer { op, reason })
}

fn check_shape(enc: &Encoding, shape: &[u64]) -> Result<(), EncodingError> {
    if shape.len() == enc.rank() {
        return Ok(());
    }
    let (family, found, expected) = (enc.family(), shape.len(), enc.rank());
    Err(EncodingError::new(EncodingErrorKind::ShapeRank {
        family,
        found,
        expected,
    }))
}

fn check_order(op: &'static str, order: &[usize], rank: usize) -> Result<(), EncodingError> {
    let mut seen = 0u64;
    for dim in order {
        if *dim >= rank || seen >> dim & 1 != 0 {
            return Err(cannot(op, "the order is not a permutation of the dims"));
        }
        seen |= 1 << dim;
    }
    if order.len() == rank {
        Ok(())
    } else {
        Err(cannot(op, "the order needs one entry for each dim"))
    }
}

/// Returns the `nvmma_shared` encoding that a buffer with the encoding `e` has after a reshape from `src_shape` to
/// `dst_shape`. The swizzle is unchanged. `src` is the linear layout of the reshaped buffer.
///
/// Returns `None` if an encoding with this swizzle does not have the layout `src`, the reshape changes the size of
/// the contiguous dim, or the buffer is distributed over several CTAs.
pub(super) fn reshape_nvmma(
    e: &NvmmaSharedEncoding,
    src: &LinearLayout,
    src_shape: &[u64],
    dst_shape: &[u64],
) -> Option<Encoding> {
    let inner = |shape: &[u64]| {
        if e.is_transposed() {
            shape.first().copied()
        } else {
            shape.last().copied()
        }
    };
    if !e.cga_layout().is_single() || inner(src_shape) != inner(dst_shape) {
        return None;
    }
    let cga = super::CgaLayout::single(dst_shape.len()).ok()?;
    let (swizzle, width) = (e.swizzle_bytes(), e.element_width_bits());
    let candidate: Encoding =
        NvmmaSharedEncoding::new(swizzle, e.is_transposed(), width, e.is_fp4_padded(), cga)
            .ok()?
            .into();
    (candidate.to_linear_layout(dst_shape).ok()? == *src).then_some(candidate)
}
