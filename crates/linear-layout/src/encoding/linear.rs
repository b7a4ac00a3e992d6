//! `#ttg.linear` and `#ttg.generic_linear`: distributed layouts given by their bases.

use crate::number::narrow;
use core::fmt;
use core::ops::Deref;
use std::sync::Arc;

use super::cga::{check_rank, first_seen};
use super::error::{EncodingErrorKind, RuleLabel};
use super::text::{Parser, RawBases, require, unknown_key};
use super::tiling::{DISTRIBUTED, REGISTER, SHARED, Tiling, shape_log2};
use super::{CgaLayout, Encoding, EncodingError, Ints, MAX_RANK};
use crate::f2::Echelon;
use crate::layout::{Coords, Dim, LinearLayout, Surjectivity};

const KEYS: &str = "`register`, `lane`, `warp`, `block`";

/// A distributed layout given by its bases. Each basis is either zero or a power of two along one dim.
///
/// For example, `register = [[0, 1]], lane = [[1, 0], [2, 0]], warp = [[0, 0]], block = []` distributes a 4x2
/// tensor. Register 1 is one column to the right of register 0, lanes 1 and 2 are one and two rows below lane 0,
/// and both warps hold the same elements.
///
/// If the tensor is larger than the shape that the bases describe, each thread gets additional registers. If the
/// tensor is smaller, register bases that step outside the tensor are removed, and lane and warp bases that step
/// outside the tensor become zero (broadcast).
/// # Shape
/// (register, lane, warp, block) -> (dim0, dim1, ...).
/// # Source
/// Triton's `LinearEncodingAttr`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LinearEncoding {
    explicit: ExplicitLayout,
}

/// A distributed layout given by its bases. Unlike in a [`LinearEncoding`], a warp basis may step along several
/// dims.
///
/// Such swizzled warp bases, e.g. `warp = [[0, 4], [32, 8]]`, are needed if warps share the operands of a matrix
/// instruction. Few other operations accept them.
/// # Shape
/// (register, lane, warp, block) -> (dim0, dim1, ...).
/// # Source
/// Triton's `GenericLinearEncodingAttr`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GenericLinearEncoding {
    explicit: ExplicitLayout,
}

/// The linear layout that is stored in a [`LinearEncoding`] or a [`GenericLinearEncoding`]. Both types dereference
/// to this type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExplicitLayout {
    layout: Arc<LinearLayout>,
}

impl Deref for LinearEncoding {
    type Target = ExplicitLayout;

    fn deref(&self) -> &ExplicitLayout {
        &self.explicit
    }
}

impl Deref for GenericLinearEncoding {
    type Target = ExplicitLayout;

    fn deref(&self) -> &ExplicitLayout {
        &self.explicit
    }
}

impl ExplicitLayout {
    fn new(layout: LinearLayout) -> Self {
        Self {
            layout: Arc::new(layout),
        }
    }

    /// Returns the linear layout that the bases define.
    #[must_use]
    pub fn layout(&self) -> &LinearLayout {
        &self.layout
    }

    pub(crate) fn rank(&self) -> usize {
        self.layout.out_dims().count()
    }

    pub(crate) fn order(&self) -> Ints {
        order_of(&self.layout, Dim::REGISTER)
    }

    pub(crate) fn cga_layout(&self) -> Result<CgaLayout, EncodingError> {
        cga_of(&self.layout)
    }

    /// Returns this layout as a [`Tiling`] of a tensor with the shape `shape`. The layout is repeated in additional
    /// registers on a larger shape, and cut on a smaller one. `family` is the name of the encoding in error
    /// messages.
    pub(crate) fn tiling_as(
        &self,
        family: &'static str,
        shape: &[u64],
    ) -> Result<Tiling, EncodingError> {
        let layout = self.layout();
        let rank = layout.out_dims().count();
        let bits = shape_log2(family, rank, shape)?;
        let mut tiling = Tiling::bare(&DISTRIBUTED, rank);
        tiling.set_bits(&bits[..rank]);
        for (slot, ind) in DISTRIBUTED.into_iter().enumerate() {
            for bit in 0..layout.in_bits(ind) {
                let basis = layout.basis(ind, bit);
                let column = basis
                    .iter()
                    .enumerate()
                    .fold(0, |sum, (d, v)| sum | tiling.component(d, v));
                let cut = column == 0 && basis.iter().any(|v| v != 0);
                if !(slot == REGISTER && cut) {
                    tiling.push(slot, column);
                }
            }
        }
        for dim in 0..rank {
            tiling.advance(dim, narrow(layout.out_bits(Dim::out(dim))));
        }
        tiling.fill(REGISTER, self.order().iter().map(|d| *d as usize));
        Ok(tiling)
    }
}

impl LinearEncoding {
    /// Returns the encoding whose bases are those of `layout`.
    ///
    /// # Errors
    /// Returns an error in these cases:
    /// - The input dims are not register, lane, warp and block.
    /// - The output dims are not dim0, dim1, ....
    /// - A basis is neither zero nor a power of two along one dim.
    /// - Two nonzero bases are equal.
    /// - The bases do not reach all elements.
    pub fn new(layout: LinearLayout) -> Result<Self, EncodingError> {
        check_dims(
            "linear",
            &layout,
            &DISTRIBUTED,
            "register, lane, warp, block -> dim0, dim1, ...",
        )
        .of_rule("linear_c1")?;
        permutation_matrix("linear", &layout).of_rules(|kind| match kind {
            EncodingErrorKind::NotSinglePower { .. } => Some("linear_c3"),
            EncodingErrorKind::NotInjective { .. } => Some("linear_c4"),
            EncodingErrorKind::NotSurjective { .. } => Some("linear_c5"),
            _ => None,
        })?;
        Ok(Self {
            explicit: ExplicitLayout::new(layout),
        })
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        self.explicit.tiling_as("linear", shape)
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        let layout = parse_layout("linear", p).of_rules(|kind| match kind {
            EncodingErrorKind::UnknownKey { .. } | EncodingErrorKind::MissingKey { .. } => {
                Some("linear_c1")
            }
            EncodingErrorKind::BasisLength { .. } => Some("linear_c2"),
            EncodingErrorKind::NotSurjective { .. } => Some("linear_c5"),
            _ => None,
        })?;
        Ok(Self::new(layout)?.into())
    }
}

impl GenericLinearEncoding {
    /// Returns the encoding whose bases are those of `layout`.
    ///
    /// # Errors
    /// Returns an error in these cases:
    /// - The input dims are not register, lane, warp and block.
    /// - The output dims are not dim0, dim1, ....
    /// - A register basis is neither zero nor a power of two along one dim.
    /// - A lane or block basis steps along more than one dim.
    /// - The layout is not surjective.
    pub fn new(layout: LinearLayout) -> Result<Self, EncodingError> {
        let what = "generic_linear";
        check_dims(
            what,
            &layout,
            &DISTRIBUTED,
            "register, lane, warp, block -> dim0, dim1, ...",
        )
        .of_rule("generic_linear_c2")?;
        for dim in [Dim::REGISTER, Dim::LANE, Dim::BLOCK] {
            let what = dim.name();
            for index in 0..layout.in_bits(dim) {
                let coords = layout.basis(dim, index);
                let basis = numbers(coords);
                if basis.iter().filter(|v| **v != 0).count() > 1 {
                    return Err(
                        EncodingError::new(EncodingErrorKind::NotOneDim { what, basis })
                            .of_rule("generic_linear_c4"),
                    );
                }
                // The first register bases determine the dim that is filled first, which needs steps by powers of two.
                if dim == Dim::REGISTER && single_step(coords).is_err() {
                    return Err(
                        EncodingError::new(EncodingErrorKind::NotEvenStep { what, basis })
                            .of_rule("generic_linear_c5"),
                    );
                }
            }
        }
        surjective(what, &layout).of_rule("generic_linear_c6")?;
        Ok(Self {
            explicit: ExplicitLayout::new(layout),
        })
    }

    pub(crate) fn tiling(&self, shape: &[u64]) -> Result<Tiling, EncodingError> {
        self.explicit.tiling_as("generic_linear", shape)
    }

    pub(crate) fn parse(p: &mut Parser<'_>) -> Result<Encoding, EncodingError> {
        let layout = parse_layout("generic_linear", p).of_rules(|kind| match kind {
            EncodingErrorKind::UnknownKey { .. } | EncodingErrorKind::MissingKey { .. } => {
                Some("generic_linear_c2")
            }
            EncodingErrorKind::BasisLength { .. } => Some("generic_linear_c3"),
            EncodingErrorKind::NotSurjective { .. } => Some("generic_linear_c6"),
            _ => None,
        })?;
        Ok(Self::new(layout)?.into())
    }
}

fn parse_layout(family: &'static str, p: &mut Parser<'_>) -> Result<LinearLayout, EncodingError> {
    let mut bases: [Option<RawBases>; 4] = [None, None, None, None];
    p.dict(|p, key| {
        let slot = match key {
            "register" => 0,
            "lane" => 1,
            "warp" => 2,
            "block" => 3,
            _ => return unknown_key(family, key, KEYS),
        };
        bases[slot] = Some(p.bases()?);
        Ok(())
    })?;
    let [register, lane, warp, block] = bases;
    let bases = [
        require(register, family, "register")?,
        require(lane, family, "lane")?,
        require(warp, family, "warp")?,
        require(block, family, "block")?,
    ];
    layout_from_bases(family, &DISTRIBUTED, &bases, 0)
}

/// Returns the layout in which input dim `ins[i]` has the bases `bases[i]`. The size of each output dim is the
/// smallest power of two that is greater than every basis entry along this dim. If `rank` is 0, the length of the
/// first basis is used as the rank. `what` is a name for error messages.
pub(crate) fn layout_from_bases(
    what: &'static str,
    ins: &[Dim],
    bases: &[RawBases],
    rank: usize,
) -> Result<LinearLayout, EncodingError> {
    let first = bases.iter().flatten().next().map_or(0, |b| b.len());
    let rank = if rank == 0 { first } else { rank };
    check_rank(what, rank)?;
    let mut sizes = [1u64; MAX_RANK];
    let mut wide: Vec<[u64; MAX_RANK]> = Vec::new();
    let named = ins.iter().zip(bases);
    for (dim, basis) in named.flat_map(|(dim, bases)| bases.iter().map(move |b| (*dim, b))) {
        if basis.len() != rank {
            return Err(EncodingError::new(EncodingErrorKind::BasisLength {
                what: dim.name(),
                basis: *basis,
                expected: rank,
            }));
        }
        let mut row = [0; MAX_RANK];
        for (dim, value) in basis.iter().enumerate() {
            row[dim] = u64::from(*value);
            sizes[dim] = sizes[dim].max((u64::from(*value) + 1).next_power_of_two());
        }
        wide.push(row);
    }
    let too_many = |what, found, limit| EncodingErrorKind::TooManyBases { what, found, limit };
    if wide.len() > 64 {
        return Err(EncodingError::new(too_many(what, wide.len(), 64)).of_rule("encoding_c5"));
    }
    let outs: Vec<(Dim, u64)> = (0..rank).map(|d| (Dim::out(d), sizes[d])).collect();
    let mut offsets = [0; MAX_RANK];
    for dim in 1..rank {
        offsets[dim] = offsets[dim - 1] + sizes[dim - 1].trailing_zeros();
    }
    let total = offsets[rank - 1] + sizes[rank - 1].trailing_zeros();
    if total > 62 || sizes[..rank].iter().any(|s| *s > 1 << 31) {
        return Err(
            EncodingError::new(EncodingErrorKind::ShapeTooLarge { bits: total })
                .of_rule("encoding_c4"),
        );
    }
    let pack = |row: &[u64; MAX_RANK]| (0..rank).fold(0, |sum, d| sum | row[d] << offsets[d]);
    let columns: Vec<u64> = wide.iter().map(pack).collect();
    let mut sides: Vec<(Dim, u64)> = Vec::new();
    for (dim, bases) in ins.iter().zip(bases) {
        if bases.len() > 62 {
            let what = dim.name();
            return Err(EncodingError::new(too_many(what, bases.len(), 62)).of_rule("encoding_c5"));
        }
        sides.push((*dim, 1 << bases.len()));
    }
    let layout = LinearLayout::from_columns(&sides, &outs, &columns, Surjectivity::NotRequired)?;
    surjective(what, &layout)?;
    Ok(layout)
}

pub(crate) fn check_dims(
    what: &'static str,
    layout: &LinearLayout,
    ins: &[Dim],
    expected: &'static str,
) -> Result<(), EncodingError> {
    let rank = layout.out_dims().count();
    check_rank(what, rank)?;
    let outs = (0..rank).map(Dim::out);
    if layout.in_dims().eq(ins.iter().copied()) && layout.out_dims().eq(outs) {
        Ok(())
    } else {
        Err(EncodingError::new(EncodingErrorKind::WrongDims {
            what,
            expected,
        }))
    }
}

pub(crate) fn surjective(what: &'static str, layout: &LinearLayout) -> Result<(), EncodingError> {
    match first_uncovered(layout) {
        Some(missed) => Err(EncodingError::new(EncodingErrorKind::NotSurjective {
            what,
            missed,
        })),
        None => Ok(()),
    }
}

/// Returns the coordinates of an element that no input of `layout` maps to, or `None` if the layout is surjective.
/// All coordinates of the element are zero except one, which is a power of two.
pub(crate) fn first_uncovered(layout: &LinearLayout) -> Option<Ints> {
    if layout.is_surjective() {
        return None;
    }
    let mut span = Echelon::new();
    for (index, column) in layout.columns().iter().enumerate() {
        span.insert(index, *column);
    }
    let mut missed = Ints::filled(0, layout.num_out_dims());
    let mut bit = 0;
    for (dim, out) in layout.out_dims().enumerate() {
        let bits = narrow(layout.out_bits(out));
        if let Some(step) = (0..bits).find(|step| !span.contains(1 << (bit + step))) {
            missed[dim] = 1 << step;
            break;
        }
        bit += bits;
    }
    Some(missed)
}

pub(crate) fn numbers(basis: Coords) -> Ints {
    Ints::collect(basis.iter().map(|v| narrow::<u32>(v)))
}

/// Returns `(dim, bit)` if `basis` is a step by `2^bit` along dim `dim`, and `None` if it is zero.
///
/// # Errors
/// Returns an error for any other basis.
pub(crate) fn single_step(basis: Coords) -> Result<Option<(usize, u8)>, ()> {
    let mut step = None;
    for (dim, value) in basis.iter().enumerate().filter(|(_, v)| *v != 0) {
        if step.is_some() || !value.is_power_of_two() {
            return Err(());
        }
        step = Some((dim, narrow(value.trailing_zeros())));
    }
    Ok(step)
}

/// Checks that `layout` satisfies two rules: every basis is zero or a power of two along one dim, and along each
/// dim, every power of two below the size is the basis of exactly one input bit. `what` is a name for error
/// messages.
pub(crate) fn permutation_matrix(
    what: &'static str,
    layout: &LinearLayout,
) -> Result<(), EncodingError> {
    let mut seen = [0u64; MAX_RANK];
    for dim in layout.in_dims() {
        for bit in 0..layout.in_bits(dim) {
            let (coords, what) = (layout.basis(dim, bit), dim.name());
            let basis = numbers(coords);
            match single_step(coords) {
                Err(()) => {
                    return Err(EncodingError::new(EncodingErrorKind::NotSinglePower {
                        what,
                        basis,
                    }));
                }
                Ok(Some((d, b))) if seen[d] >> b & 1 != 0 => {
                    return Err(EncodingError::new(EncodingErrorKind::NotInjective {
                        what,
                        basis,
                        advice: "write zeros for copies, or drop the basis",
                    }));
                }
                Ok(Some((d, b))) => seen[d] |= 1 << b,
                Ok(None) => {}
            }
        }
    }
    surjective(what, layout)
}

/// Returns the dims of `layout`, ordered by the bases of input dim `ind`. First come the dims along which these
/// bases step, in the order of the input bits. The remaining dims follow, starting with the last one.
pub(crate) fn order_of(layout: &LinearLayout, ind: Dim) -> Ints {
    let rank = layout.out_dims().count();
    let moves = (0..layout.in_bits(ind)).filter_map(|bit| {
        layout
            .basis(ind, bit)
            .iter()
            .position(|v| v != 0)
            .map(|d| narrow::<u32>(d))
    });
    first_seen(moves, (0..narrow::<u32>(rank)).rev())
}

/// Converts the `block` bases of `layout` to a `CGALayout`. Returns an error if these bases do not split the tensor
/// into one contiguous part per CTA.
pub(crate) fn cga_of(layout: &LinearLayout) -> Result<CgaLayout, EncodingError> {
    let rank = layout.out_dims().count();
    let mut split = [0u32; MAX_RANK];
    let num = layout.in_bits(Dim::BLOCK);
    let mut steps = [None; 64];
    for (index, step) in steps.iter_mut().enumerate().take(num) {
        match single_step(layout.basis(Dim::BLOCK, index)) {
            Ok(found) => *step = found,
            Err(()) => return Err(not_outermost(layout, index)),
        }
        if let Some((dim, _)) = *step {
            split[dim] += 1;
        }
    }
    let mut bases = [Ints::filled(0, rank); 64];
    for (index, step) in steps[..num].iter().enumerate() {
        if let Some((dim, bit)) = *step {
            let below = narrow::<u32>(layout.out_bits(Dim::out(dim))).saturating_sub(split[dim]);
            match u32::from(bit).checked_sub(below) {
                Some(bit) => bases[index][dim] = 1 << bit,
                None => return Err(not_outermost(layout, index)),
            }
        }
    }
    CgaLayout::from_bases(rank, &bases[..num])
}

#[cold]
fn not_outermost(layout: &LinearLayout, index: usize) -> EncodingError {
    let basis = numbers(layout.basis(Dim::BLOCK, index));
    EncodingError::new(EncodingErrorKind::NotOutermost { basis }).of_rule("cga_layout_c6")
}

/// Converts `layout` to a [`Tiling`] of a tensor with the shape `shape`. Returns an error that cites the rule
/// `rule` if `shape` differs from the output sizes of the layout.
pub(crate) fn exact(
    family: &'static str,
    rule: &'static str,
    layout: &LinearLayout,
    shape: &[u64],
) -> Result<Tiling, EncodingError> {
    let rank = layout.num_out_dims();
    let bits = shape_log2(family, rank, shape)?;
    for (dim, (_, expected)) in layout.out_shape().enumerate() {
        let found = shape[dim];
        if found != expected {
            return Err(EncodingError::new(EncodingErrorKind::FixedShape {
                family,
                dim,
                found,
                expected,
            })
            .of_rule(rule));
        }
    }
    let mut tiling = Tiling::bare(&SHARED, rank);
    tiling.set_bits(&bits[..rank]);
    for (slot, ind) in SHARED.into_iter().enumerate() {
        for column in layout.columns_of(ind) {
            tiling.push(slot, *column);
        }
    }
    Ok(tiling)
}

/// Prints the bases of each input dim, as in `register = [[0, 1]], lane = [[1, 0]]`. Input dims for which `skip`
/// returns true are omitted.
pub(crate) fn fmt_bases(
    f: &mut fmt::Formatter<'_>,
    layout: &LinearLayout,
    skip: impl Fn(Dim) -> bool,
) -> fmt::Result {
    for (i, dim) in layout.in_dims().filter(|d| !skip(*d)).enumerate() {
        write!(f, "{}{} = [", if i > 0 { ", " } else { "" }, dim.name())?;
        for bit in 0..layout.in_bits(dim) {
            f.write_str(if bit > 0 { ", [" } else { "[" })?;
            for (d, value) in layout.basis(dim, bit).iter().enumerate() {
                write!(f, "{}{value}", if d > 0 { ", " } else { "" })?;
            }
            f.write_str("]")?;
        }
        f.write_str("]")?;
    }
    Ok(())
}

impl fmt::Display for LinearEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("#ttg.linear<{")?;
        fmt_bases(f, self.layout(), |_| false)?;
        f.write_str("}>")
    }
}

impl fmt::Display for GenericLinearEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("#ttg.generic_linear<{")?;
        fmt_bases(f, self.layout(), |_| false)?;
        f.write_str("}>")
    }
}
