//! Encoding inference for reshapes.

use super::{TensorShape, cannot, check_shape, from_layout, reshape_nvmma};
use crate::encoding::error::EncodingErrorKind;
use crate::encoding::{
    BlockedEncoding, CgaLayout, Encoding, EncodingError, Ints, List, MAX_RANK,
    PaddedSharedEncoding, SliceEncoding,
};
use crate::number::narrow;

type Dims = List<usize, MAX_RANK>;

/// Returns the encoding that the result of a `reshape` has. The reshape keeps the row-major order of the elements.
///
/// The first of these rules that applies determines the result:
/// - A default blocked encoding becomes the default blocked encoding of the new shape.
/// - A blocked encoding on one CTA stays blocked if two conditions hold for each group of dims that are
///   merged. The dims of the group must follow each other in row-major order, and threads must cover each
///   faster dim completely before they extend along a slower dim. For example, a 32x4 tensor with 4
///   elements per thread along dim1 can become a tensor of 128 elements. A column-major 4x32 tensor cannot,
///   because its dims are not in row-major order.
/// - If the reshape only removes a dim of size 1, the result is a slice of `src`, unless `src` is `linear`
///   or `generic_linear`. If the reshape only restores the dim that a slice removed, the result is the
///   parent of the slice.
/// - Any other distributed encoding becomes `linear`, or `generic_linear` if a warp basis may step along
///   several dims.
/// - A padded shared encoding stays padded.
/// - An `nvmma_shared` encoding on one CTA stays `nvmma_shared` if it has the layout of the reshaped buffer
///   with an unchanged swizzle.
/// - Any other shared encoding becomes `shared_linear`.
///
/// ```
/// # use linear_layout::encoding::{infer, Encoding};
/// let b: Encoding =
///     "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>".parse()?;
/// let flat = infer::reshape(&b, &[32, 32], &[1024])?;
/// assert_eq!(flat.to_string(),
///     "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>");
/// # Ok::<(), linear_layout::encoding::EncodingError>(())
/// ```
/// # Errors
/// Returns an error if the shapes have different numbers of elements, a size is not a power of two, the operand has
/// no layout on its shape, or the operand is in tensor memory or in a partitioned buffer.
pub fn reshape(
    src: &Encoding,
    src_shape: &[u64],
    dst_shape: &[u64],
) -> Result<Encoding, EncodingError> {
    check_shape(src, src_shape)?;
    let count = |shape: &[u64]| shape.iter().fold(1, |n: u64, size| n.saturating_mul(*size));
    let (from, to) = (count(src_shape), count(dst_shape));
    if dst_shape.is_empty() || dst_shape.len() > MAX_RANK {
        return Err(cannot(
            "reshape",
            "the result has an unsupported rank, expected 1 to 16",
        ));
    }
    if from != to {
        return Err(EncodingError::new(EncodingErrorKind::ElementCount {
            op: "reshape",
            src: from,
            dst: to,
        }));
    }
    if src_shape
        .iter()
        .chain(dst_shape)
        .any(|size| !size.is_power_of_two())
    {
        return Err(cannot("reshape", "a size is not a power of two"));
    }
    if let Encoding::Blocked(blocked) = src
        && let Some(dst) = reshape_blocked(blocked, src_shape, dst_shape)
    {
        return Ok(dst.into());
    }
    if src.is_tensor_memory() {
        return Err(cannot("reshape", "tensor memory cannot be reshaped"));
    }
    if let Encoding::PaddedShared(padded) = src {
        padded.cga_layout()?;
        let linear = padded.linear_component().reshape_standard(dst_shape)?;
        return Ok(PaddedSharedEncoding::new(padded.interval_paddings(), linear)?.into());
    }
    if matches!(src, Encoding::PartitionedShared(_)) {
        return Err(cannot("reshape", "a partitioned buffer cannot be reshaped"));
    }
    let layout = src
        .to_linear_layout(src_shape)?
        .reshape_standard(dst_shape)?;
    if let Some(dst) = drop_or_add_unit_dim(src, src_shape, dst_shape)
        && dst.to_linear_layout(dst_shape).as_ref() == Ok(&layout)
    {
        return Ok(dst);
    }
    if let Encoding::NvmmaShared(e) = src
        && let Some(dst) = reshape_nvmma(e, &layout, src_shape, dst_shape)
    {
        return Ok(dst);
    }
    from_layout(layout, src)
}

/// Handles a reshape that only removes a dim of size 1, or only restores the dim that the slice `src` removed.
/// Returns a slice of `src` in the first case, and the parent of `src` in the second case.
///
/// Returns `None` for any other reshape. Also returns `None` if a dim is removed and `src` is not distributed or
/// consists of explicit bases.
fn drop_or_add_unit_dim(src: &Encoding, from: &[u64], to: &[u64]) -> Option<Encoding> {
    if let Encoding::Slice(slice) = src
        && *slice.padded_shape(from) == *to
    {
        return Some(slice.parent().clone());
    }
    if !src.is_distributed() || matches!(src, Encoding::Linear(_) | Encoding::GenericLinear(_)) {
        return None;
    }
    let without = |dim: usize| from[..dim].iter().chain(&from[dim + 1..]).eq(to);
    let dim = (0..from.len()).find(|dim| from[*dim] == 1 && without(*dim))?;
    Some(SliceEncoding::new(narrow(dim), src.clone()).ok()?.into())
}

/// Divides the dims of both shapes into corresponding groups that have the same number of elements. For example,
/// the shapes 4x8 and 2x2x8 have two groups: 4 corresponds to 2x2, and 8 corresponds to 8.
fn decompose(src: &[u64], dst: &[u64]) -> Vec<(Dims, Dims)> {
    let mut groups = vec![(Dims::new(), Dims::new())];
    let (mut i, mut j) = (0, 0);
    let (mut src_count, mut dst_count) = (1u64, 1u64);
    while i < src.len() || j < dst.len() {
        let (from, to) = groups.last_mut().expect("there is always a group");
        let take_src = i < src.len() && (src_count < dst_count || src_count == 1 || src[i] == 1);
        let take_dst = j < dst.len() && (dst_count < src_count || dst[j] == 1);
        if take_src {
            src_count *= src[i];
            let _ = from.push(i);
            i += 1;
        } else if take_dst {
            dst_count *= dst[j];
            let _ = to.push(j);
            j += 1;
        } else {
            groups.push((Dims::new(), Dims::new()));
            (src_count, dst_count) = (1, 1);
        }
    }
    groups
}

/// Returns the blocked encoding that a tensor with the encoding `src` has after a reshape from the shape `from` to
/// the shape `to`. Returns `None` if no such encoding is found, e.g. if merged dims are not in row-major order.
fn reshape_blocked(src: &BlockedEncoding, from: &[u64], to: &[u64]) -> Option<BlockedEncoding> {
    if from == to {
        return Some(src.clone());
    }
    let product = |list: &[u32]| list.iter().product::<u32>();
    let warps = product(src.warps_per_cta());
    let threads = product(src.threads_per_warp());
    let ctas = src.cga_layout().num_ctas();
    let default = |shape: &[u64]| BlockedEncoding::default_for_shape(shape, warps, threads, ctas);
    if default(from).as_ref() == Ok(src) {
        return default(to).ok();
    }
    // The distribution of several CTAs over the new dims is ambiguous.
    if !src.cga_layout().is_single() {
        return None;
    }
    let mut groups = decompose(from, to);
    let mut rank_of = [0usize; MAX_RANK];
    for (i, dim) in src.order().iter().enumerate() {
        rank_of[*dim as usize] = i;
    }
    // Merged dims must be consecutive in the order, and the last merged dim must be the fastest.
    let follow = |dims: &Dims| dims.windows(2).all(|w| rank_of[w[0]] == rank_of[w[1]] + 1);
    if !groups.iter().all(|(src, _)| follow(src)) {
        return None;
    }
    let parts = [
        src.size_per_thread(),
        src.threads_per_warp(),
        src.warps_per_cta(),
    ];
    // A faster dim must be covered before a slower dim starts. Only along the slowest dim may the box exceed the
    // tensor.
    for (dims, _) in &groups {
        let mut left: TensorShape = List::collect(dims.iter().map(|d| from[*d]));
        for part in parts {
            for i in (0..dims.len()).rev() {
                let size = u64::from(part[dims[i]]);
                if size == 1 {
                    continue;
                }
                if left[i + 1..].iter().any(|l| *l != 1) {
                    return None;
                }
                left[i] = if left[i] >= size { left[i] / size } else { 0 };
                if left[i] == 0 && i != 0 {
                    return None;
                }
            }
        }
    }
    let mut left: TensorShape = List::collect(to.iter().copied());
    let mut new = [Ints::filled(1, to.len()); 3];
    for (new, part) in new.iter_mut().zip(parts) {
        for (src_dims, dst_dims) in &groups {
            let mut rest: u64 = src_dims.iter().map(|d| u64::from(part[*d])).product();
            for dim in dst_dims.iter().rev() {
                let here = rest.min(left[*dim]);
                new[*dim] = u32::try_from(here).ok()?;
                rest /= here;
                left[*dim] /= here;
            }
            // Every group has dims, because a group with one element is merged with its neighbour.
            let slowest = *dst_dims.first()?;
            new[slowest] = u32::try_from(u64::from(new[slowest]) * rest).ok()?;
        }
    }
    // The new dims have the order of the operand dims from which they come.
    groups.sort_by_key(|(src, _)| src.first().map_or(0, |d| rank_of[*d]));
    let order = Ints::collect(
        groups
            .iter()
            .flat_map(|(_, dst)| dst.iter().rev())
            .map(|d| narrow::<u32>(*d)),
    );
    let cga = CgaLayout::single(to.len()).ok()?;
    BlockedEncoding::new(&new[0], &new[1], &new[2], &order, cga).ok()
}
