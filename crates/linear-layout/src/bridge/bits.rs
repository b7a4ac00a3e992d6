//! Conversion between CuTe layouts and linear or affine maps over GF(2).

use super::error::{BridgeError, BridgeErrorKind, CoordinateBit};
use crate::cute::{ComposedLayout, Layout, Mode, Swizzle};
use crate::layout::{AffineLayout, Dim, LinearLayout, Surjectivity};

/// Maximum width of an index, in bits.
const BITS: u32 = 62;

/// Returns the value that each coordinate bit adds to the index, fastest bit first. Returns an error if an
/// extent is not a power of two.
fn addends(modes: &[Mode]) -> Result<Vec<CoordinateBit>, BridgeError> {
    let mut bits = Vec::new();
    for (at, mode) in modes.iter().enumerate() {
        let extent = mode.shape.unsigned_abs();
        if !extent.is_power_of_two() {
            return Err(BridgeErrorKind::NotPowerOfTwo {
                what: "mode",
                at,
                extent,
            }
            .into());
        }
        for bit in 0..extent.trailing_zeros() {
            // All indices of a layout fit in 64 bits.
            bits.push(CoordinateBit {
                mode: at,
                bit,
                value: mode.stride << bit,
            });
        }
    }
    Ok(bits)
}

/// Returns one XOR mask for each coordinate bit. The XOR of `offset` and the mask is the sum of `offset` and the value
/// of the bit.
///
/// Adding the values of several bits is equivalent to an XOR with their masks if and only if no two masks share a bit.
/// Otherwise, whether one addition carries depends on another coordinate bit.
///
/// Returns an error if
/// - two masks share a bit,
/// - an index is negative, or
/// - an index has more than 62 bits.
fn xor_masks(bits: &[CoordinateBit], offset: i64) -> Result<Vec<u64>, BridgeError> {
    let lowest = bits.iter().map(|bit| bit.value.min(0));
    let lowest = lowest.fold(offset, i64::saturating_add);
    if lowest < 0 {
        // Blames a negative stride if there is one.
        return Err(match bits.iter().find(|bit| bit.value < 0) {
            Some(bit) if offset == 0 => BridgeErrorKind::NegativeStride {
                mode: bit.mode,
                stride: bit.value >> bit.bit,
            },
            _ => BridgeErrorKind::Negative { value: lowest },
        }
        .into());
    }
    let mut used = 0;
    let mut all = Vec::with_capacity(bits.len());
    for (i, bit) in bits.iter().enumerate() {
        let sum = offset
            .checked_add(bit.value)
            .ok_or(BridgeErrorKind::TooLarge)?;
        let change = (offset ^ sum).unsigned_abs();
        if change >> BITS != 0 {
            return Err(BridgeErrorKind::TooLarge.into());
        }
        if used & change != 0 {
            let first = bits[..i]
                .iter()
                .zip(&all)
                .find(|(_, other)| **other & change != 0);
            return Err(BridgeErrorKind::Carry {
                first: first.map_or(*bit, |(first, _)| *first),
                second: *bit,
                offset,
            }
            .into());
        }
        used |= change;
        all.push(change);
    }
    Ok(all)
}

/// Returns the basis of each coordinate bit, fastest first: the index of the coordinate in which only this bit is set.
///
/// The layout is linear over GF(2) if and only if all extents are powers of two, no stride is negative, and no two of
/// the numbers `stride * 2^k` (one for each coordinate bit `k`) share a set bit. Sums of such numbers never carry, so
/// addition is XOR.
/// ```
/// # use linear_layout::bridge::cute_bases;
/// assert_eq!(cute_bases(&"(4,2):(5,0)".parse()?)?, [5, 10, 0]);
/// assert!(cute_bases(&"(8,2):(5,0)".parse()?).is_err()); // 5 + 20 carries
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Errors
/// Returns an error if the layout is not linear. The error names the mode at fault, or the two bits whose sum carries.
pub fn cute_bases(layout: &Layout) -> Result<Vec<u64>, BridgeError> {
    xor_masks(&addends(layout.leaves())?, 0)
}

/// Returns the layout as a linear map from `dim0`, `dim1`, ... (one for each mode) to `offset`.
///
/// ```
/// # use linear_layout::bridge::{cute_from_linear, linear_from_cute};
/// # use linear_layout::layout::Dim;
/// let cute = "((2,2),4):((1,8),2)".parse()?;
/// let linear = linear_from_cute(&cute)?;
/// assert_eq!(linear.apply(&[(Dim::out(0), 3), (Dim::out(1), 2)])?, [1 + 8 + 4]);
/// assert_eq!(cute_from_linear(&linear)?.to_string(), "Sw<0,4,3> o 0 o ((2,2),(4)):((1,8),(2))");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Shape
/// (`dim0`, `dim1`, ...: the sizes of the modes) -> (`offset`: the least power of two above all offsets).
///
/// # Errors
/// Returns an error under the same conditions as [`cute_bases`], or if the layout exceeds the limits of a linear
/// layout.
pub fn linear_from_cute(layout: &Layout) -> Result<LinearLayout, BridgeError> {
    linear_from_bases(layout, &cute_bases(layout)?, 0)
}

/// Returns the linear map with the columns `bases`. The size of the out-dim `offset` is the least power of two that
/// exceeds every output and the number `other`.
fn linear_from_bases(
    layout: &Layout,
    bases: &[u64],
    other: u64,
) -> Result<LinearLayout, BridgeError> {
    let ins: Vec<(Dim, u64)> = layout
        .modes()
        .enumerate()
        .map(|(i, mode)| (Dim::out(i), mode.size().unsigned_abs()))
        .collect();
    let extent = bases.iter().fold(other, |all, basis| all | basis);
    let outs = [(Dim::OFFSET, (extent + 1).next_power_of_two())];
    Ok(LinearLayout::from_columns(
        &ins,
        &outs,
        bases,
        Surjectivity::NotRequired,
    )?)
}

/// Returns the linear map that is equivalent to a CuTe layout with a swizzle and an offset; see [`linear_from_cute`].
///
/// A swizzle is linear and invertible, so the composition is linear if and only if the layout is linear and the offset
/// is zero.
/// # Errors
/// Returns an error under the same conditions as [`linear_from_cute`], or if the offset is not zero. A layout with an
/// offset may be [affine](affine_from_cute).
pub fn linear_from_composed(layout: &ComposedLayout) -> Result<LinearLayout, BridgeError> {
    let affine = affine_from_cute(layout)?;
    match affine.offset_packed() {
        0 => Ok(affine.linear().clone()),
        _ => Err(BridgeErrorKind::HasOffset {
            offset: layout.swizzle.apply(layout.offset),
        }
        .into()),
    }
}

/// Returns the affine map that is equivalent to a CuTe layout with a swizzle and an offset. The constant of the map is
/// the image of the first element.
///
/// ```
/// # use linear_layout::bridge::affine_from_cute;
/// // A row of four, reversed: 3 - c is 3 ^ c.
/// let affine = affine_from_cute(&"Sw<0,4,3> o 3 o 4:-1".parse()?)?;
/// assert_eq!((affine.offset_packed(), affine.linear().columns()), (3, &[1, 2][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Errors
/// Returns an error if an extent is not a power of two, an index is negative or exceeds 62 bits, or a sum with the
/// offset carries.
pub fn affine_from_cute(layout: &ComposedLayout) -> Result<AffineLayout, BridgeError> {
    let bits = addends(layout.layout.leaves())?;
    let bases = xor_masks(&bits, layout.offset)?;
    let swizzle = |value: u64| apply_swizzle(layout.swizzle, value);
    let offset = swizzle(layout.offset.unsigned_abs());
    let bases: Vec<u64> = bases.into_iter().map(swizzle).collect();
    if bases.iter().any(|basis| basis >> BITS != 0) || offset >> BITS != 0 {
        return Err(BridgeErrorKind::TooLarge.into());
    }
    let linear = linear_from_bases(&layout.layout, &bases, offset)?;
    Ok(AffineLayout::new(linear, &[(Dim::OFFSET, offset)])?)
}

/// Applies the swizzle. Numbers above `i64::MAX`, which callers reject, are returned unchanged.
fn apply_swizzle(swizzle: Swizzle, value: u64) -> u64 {
    match i64::try_from(value) {
        Ok(value) => swizzle.apply(value).unsigned_abs(),
        Err(_) => value,
    }
}

/// Returns the indices of the first two values that share a set bit.
fn first_overlap(values: &[u64]) -> Option<(usize, usize)> {
    let mut used = 0;
    for (second, value) in values.iter().enumerate() {
        if used & value != 0 {
            let first = values[..second].iter().position(|v| v & value != 0)?;
            return Some((first, second));
        }
        used |= value;
    }
    None
}

/// Returns the swizzle with the fewest bits that maps `values` to numbers that share no set bit. Returns an error
/// if no swizzle does this.
fn separating_swizzle(values: &[u64]) -> Result<Swizzle, BridgeError> {
    let Some((first, second)) = first_overlap(values) else {
        return Ok(Swizzle::IDENTITY);
    };
    let extent = values.iter().fold(0, |all, value| all | value);
    let width = i64::from(64 - extent.leading_zeros());
    for bits in 1..=width / 2 {
        for base in 0..=width - 2 * bits {
            for shift in bits..=width - bits - base {
                for shift in [shift, -shift] {
                    let swizzle = Swizzle::new(bits, base, shift)?;
                    let mut used = 0;
                    if values.iter().all(|value| {
                        let value = apply_swizzle(swizzle, *value);
                        let is_apart = used & value == 0;
                        used |= value;
                        is_apart
                    }) {
                        return Ok(swizzle);
                    }
                }
            }
        }
    }
    let mut echelon = crate::f2::Echelon::new();
    let mut is_injective = true;
    for (i, value) in values.iter().enumerate().filter(|(_, value)| **value != 0) {
        is_injective &= echelon.insert(i, *value).is_none();
    }
    Err(BridgeErrorKind::NotOneSwizzle {
        first,
        second,
        values: (values[first], values[second]),
        is_injective,
    }
    .into())
}

/// Removes modes of extent 1, and merges adjacent modes with contiguous strides.
pub(super) fn coalesce(modes: impl IntoIterator<Item = Mode>) -> Vec<Mode> {
    let mut list: Vec<Mode> = Vec::new();
    for mode in modes {
        if mode.shape == 1 {
            continue;
        }
        match list.last_mut() {
            Some(last) if last.shape.checked_mul(last.stride) == Some(mode.stride) => {
                last.shape *= mode.shape;
            }
            _ => list.push(mode),
        }
    }
    list
}

/// Returns the layout with the modes `modes`, or `1:0` if there are none.
pub(super) fn tuple_of(modes: &[Mode]) -> Result<Layout, BridgeError> {
    Ok(match modes {
        [] => Layout::flat(&[Mode::new(1, 0)])?,
        modes => Layout::flat(modes)?,
    })
}

/// Returns a CuTe layout that maps bit `i` of its coordinate to `bases[i]`, with coalesced modes and at most one
/// swizzle.
///
/// If bases share bits, all swizzles are tried.
/// ```
/// # use linear_layout::bridge::cute_from_bases;
/// assert_eq!(cute_from_bases(&[1, 2, 8])?.to_string(), "Sw<0,4,3> o 0 o (4,2):(1,8)");
/// assert_eq!(cute_from_bases(&[2, 6, 1])?.to_string(), "Sw<1,1,1> o 0 o (4,2):(2,1)");
/// assert_eq!(
///     cute_from_bases(&[1, 3, 7]).unwrap_err().to_string(),
///     "bases 0 and 1 are 1 and 3, which share bits, and no single swizzle makes all bases disjoint; a chain \
///      of swizzles does"
/// );
/// # Ok::<(), linear_layout::bridge::BridgeError>(())
/// ```
/// # Errors
/// Returns an error if no single swizzle suffices, or a basis does not fit in 62 bits.
pub fn cute_from_bases(bases: &[u64]) -> Result<ComposedLayout, BridgeError> {
    let (swizzle, modes) = separate(bases, 0)?;
    let layout = tuple_of(&coalesce(modes.modes))?;
    Ok(ComposedLayout::new(swizzle, modes.offset, layout))
}

/// The layout inside of a swizzle, with its offset: the swizzle maps their sum to an index. The layout has one mode of
/// extent 2 for each basis of the index.
struct Separation {
    offset: i64,
    modes: Vec<Mode>,
}

/// Finds a swizzle that separates `bases`. Returns the swizzle, and a layout with an offset. Applying the swizzle
/// to the layout and to the offset gives `bases` and `offset`. In the returned layout, no two bases share a bit.
fn separate(bases: &[u64], offset: u64) -> Result<(Swizzle, Separation), BridgeError> {
    if bases.iter().any(|basis| basis >> BITS != 0) || offset >> BITS != 0 {
        return Err(BridgeErrorKind::TooLarge.into());
    }
    let swizzle = separating_swizzle(bases)?;
    // A swizzle is its own inverse, and keeps values below 2^62.
    let before = |value: u64| {
        i64::try_from(apply_swizzle(swizzle, value)).map_err(|_| BridgeErrorKind::TooLarge)
    };
    let offset = before(offset)?;
    let mut modes = Vec::with_capacity(bases.len());
    for basis in bases {
        modes.push(Mode::new(2, (offset ^ before(*basis)?) - offset));
    }
    Ok((swizzle, Separation { offset, modes }))
}

/// Returns the CuTe layout that is equivalent to a linear layout, with one mode for each in-dim. The first out-dim is
/// in the low bits of the index.
///
/// # Errors
/// Returns an error under the same conditions as [`cute_from_bases`].
pub fn cute_from_linear(layout: &LinearLayout) -> Result<ComposedLayout, BridgeError> {
    cute_from_affine(&AffineLayout::from(layout.clone()))
}

/// Returns the CuTe layout that is equivalent to an affine layout. A basis that clears a bit of the constant becomes a
/// negative stride.
///
/// ```
/// # use linear_layout::bridge::{affine_from_cute, cute_from_affine};
/// let cute = "Sw<2,0,3> o 10 o ((4),(4)):((-1),(32))".parse()?;
/// assert!(affine_from_cute(&cute).is_err()); // 10 - 1 borrows
/// let cute = "Sw<2,0,3> o 11 o ((4),(4)):((-1),(32))".parse()?;
/// let affine = affine_from_cute(&cute)?;
/// assert_eq!(affine_from_cute(&cute_from_affine(&affine)?)?, affine);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// # Errors
/// Returns an error under the same conditions as [`cute_from_bases`].
pub fn cute_from_affine(layout: &AffineLayout) -> Result<ComposedLayout, BridgeError> {
    let linear = layout.linear();
    let (swizzle, separated) = separate(linear.columns(), layout.offset_packed())?;
    let mut rest = separated.modes.into_iter();
    let mut dims = Vec::new();
    for dim in linear.in_dims() {
        let modes = coalesce(rest.by_ref().take(linear.in_bits(dim)));
        dims.push(tuple_of(&modes)?);
    }
    let whole = match dims.is_empty() {
        true => Layout::unit(),
        false => Layout::concat(&dims)?,
    };
    Ok(ComposedLayout::new(swizzle, separated.offset, whole))
}

/// Returns the sizes of the in-dims `register`, `lane`, `warp` and `block` for warps of `lanes` lanes.
pub(super) fn distributed_ins(
    registers: u64,
    threads: u64,
    lanes: u64,
) -> Result<[(Dim, u64); 4], BridgeError> {
    if !lanes.is_power_of_two() {
        return Err(BridgeErrorKind::LanesNotPowerOfTwo { lanes }.into());
    }
    let in_warp = threads.min(lanes);
    Ok([
        (Dim::REGISTER, registers),
        (Dim::LANE, in_warp),
        (Dim::WARP, threads / in_warp),
        (Dim::BLOCK, 1),
    ])
}
