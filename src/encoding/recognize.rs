//! From a linear layout back to the encoding that says the same in fewer words.

use super::linear::{cga_of, check_dims, single_step};
use super::tiling::{DISTRIBUTED, SHARED};
use super::{
    AmdMfmaEncoding, AmdRotatingSharedEncoding, BlockedEncoding, CgaLayout, DotOperandEncoding,
    Encoding, EncodingError, GenericLinearEncoding, Ints, LinearEncoding, MAX_RANK,
    NvidiaMmaEncoding, NvmmaSharedEncoding, SharedLinearEncoding, SliceEncoding,
    SwizzledSharedEncoding,
};
use crate::layout::{Dim, LinearLayout};

impl Encoding {
    /// Returns the encoding that best names this layout: its layout on the layout's shape is the same.
    ///
    /// Distributed layouts (register, lane, warp, block) are tried as blocked, as results and operands
    /// of matrix instructions, and as slices of those, and else written out as `linear`, or
    /// `generic_linear` where warps are swizzled. Shared ones (offset, block) are tried as
    /// `swizzled_shared`, `nvmma_shared` and `amd_rotating_shared`, and else written out.
    /// ```
    /// # use linear_layout::encoding::Encoding;
    /// let mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>";
    /// let layout = mma.parse::<Encoding>()?.to_linear_layout(&[64, 64])?;
    /// assert_eq!(Encoding::recognize(&layout)?.to_string(), mma);
    /// # Ok::<(), linear_layout::encoding::EncodingError>(())
    /// ```
    /// # Laws
    /// `recognize(l)?.to_linear_layout(shape of l)? == l` (test `recognized_encodings_spell_their_layout`).
    /// # Errors
    /// When the dims are neither those of a distributed nor of a shared layout, or when not even the
    /// written-out families can say it (it leaves out elements, or repeats some in shared memory).
    pub fn recognize(layout: &LinearLayout) -> Result<Self, EncodingError> {
        let mut shape = [1u64; MAX_RANK];
        let rank = layout.num_out_dims();
        if rank > MAX_RANK {
            check_dims("layout", layout, &DISTRIBUTED, "at most 8 output dims")?;
        }
        for (size, (_, out)) in shape.iter_mut().zip(layout.out_shape()) {
            *size = out;
        }
        let shape = &shape[..rank];
        let spells = |e: &Self| e.to_linear_layout(shape).is_ok_and(|l| l == *layout);
        if layout.in_dims().eq(SHARED) {
            check_dims(
                "layout",
                layout,
                &SHARED,
                "offset, block -> dim0, dim1, ...",
            )?;
            return match shared_candidates(layout, shape).find(spells) {
                Some(found) => Ok(found),
                None => Ok(SharedLinearEncoding::new(layout.clone(), 16)?.into()),
            };
        }
        let expected = "register, lane, warp, block (or offset, block) -> dim0, dim1, ...";
        check_dims("layout", layout, &DISTRIBUTED, expected)?;
        if let Some(found) = distributed_candidates(layout, shape).find(|e| spells(e)) {
            return Ok(found);
        }
        if let Some(found) = slices(layout, shape).find(|e| spells(e)) {
            return Ok(found);
        }
        match LinearEncoding::new(layout.clone()) {
            Ok(linear) => Ok(linear.into()),
            Err(_) => Ok(GenericLinearEncoding::new(layout.clone())?.into()),
        }
    }
}

/// How a layout moves along the dims, input by input: `(dim, bit)` for each basis, nothing for zero.
struct Steps {
    rank: usize,
    register: Vec<Option<(usize, u8)>>,
    lane: Vec<Option<(usize, u8)>>,
    warp: Vec<Option<(usize, u8)>>,
    cga: CgaLayout,
}

impl Steps {
    /// Nothing where a basis moves in several dims at once, or the CTAs are not above all else.
    fn of(layout: &LinearLayout) -> Option<Self> {
        let list = |ind| -> Option<Vec<_>> {
            (0..layout.in_bits(ind))
                .map(|b| single_step(layout.basis(ind, b)).ok())
                .collect()
        };
        Some(Self {
            rank: layout.num_out_dims(),
            register: list(Dim::REGISTER)?,
            lane: list(Dim::LANE)?,
            warp: list(Dim::WARP)?,
            cga: cga_of(layout).ok()?,
        })
    }

    /// Returns how many steps in `list` go along each dim.
    fn count(&self, list: &[Option<(usize, u8)>]) -> [u32; MAX_RANK] {
        let mut count = [0; MAX_RANK];
        for (dim, _) in list.iter().flatten() {
            count[*dim] += 1;
        }
        count
    }
}

/// All ways to set `copies` (zero bases) to dims, so that the counts along the dims are whole boxes.
fn spread(count: [u32; MAX_RANK], rank: usize, copies: u32, dim: usize) -> Ints {
    let mut boxes = Ints::collect(count[..rank].iter().map(|c| 1 << c));
    boxes[dim] <<= copies;
    boxes
}

fn distributed_candidates<'a>(
    layout: &'a LinearLayout,
    shape: &'a [u64],
) -> impl Iterator<Item = Encoding> + 'a {
    let steps = Steps::of(layout);
    let steps = steps.into_iter();
    steps.flat_map(move |s| blocked(&s, shape).into_iter().chain(matrix(&s)))
}

/// The dim that a basis which moves nowhere is counted for.
#[derive(Clone, Copy)]
enum Home {
    /// That of the basis before it; the box reaches beyond the tensor there.
    Before,
    /// That of the basis after it.
    After,
    First,
    Last,
}

/// Returns how far the bases reach along each dim, those that move nowhere included.
fn boxes(list: &[Option<(usize, u8)>], order: &[u32], home: Home) -> Ints {
    let mut boxes = Ints::filled(1, order.len());
    let at = |place: usize| order[place.min(order.len() - 1)] as usize;
    for (i, step) in list.iter().enumerate() {
        let before = || list[..i].iter().rev().flatten().next().map(|(d, _)| *d);
        let after = || list[i..].iter().flatten().next().map(|(d, _)| *d);
        let dim = match (step, home) {
            (Some((dim, _)), _) => *dim,
            (None, Home::Before) => before().or_else(after).unwrap_or(at(0)),
            (None, Home::After) => after().or_else(before).unwrap_or(at(order.len())),
            (None, Home::First) => at(0),
            (None, Home::Last) => at(order.len()),
        };
        boxes[dim] = boxes[dim].saturating_mul(2);
    }
    boxes
}

/// Blocked encodings: the order is that in which the inputs first move along the dims.
fn blocked(s: &Steps, shape: &[u64]) -> Vec<Encoding> {
    let rank = s.rank;
    let mut found = Vec::new();
    let moves = s.register.iter().chain(&s.lane).chain(&s.warp).flatten();
    let first = super::cga::first_seen(moves.map(|(d, _)| *d as u32), (0..rank as u32).rev());
    let lanes = s.lane.iter().chain(&s.warp).chain(&s.register).flatten();
    let by_lane = super::cga::first_seen(lanes.map(|(d, _)| *d as u32), (0..rank as u32).rev());
    // A thread's box ends where the lanes begin; where no lane moves, where the warps begin.
    let share = s.cga.shape_per_cta(shape);
    let mut size = [0u32; MAX_RANK];
    for dim in 0..rank {
        let lowest = s
            .lane
            .iter()
            .chain(&s.warp)
            .flatten()
            .filter(|(d, _)| *d == dim)
            .map(|(_, b)| *b)
            .min();
        size[dim] = match lowest {
            Some(bit) => u32::from(bit),
            None => share[dim].trailing_zeros(),
        };
    }
    // Along a dim without lanes and warps, only the registers before the others' repetitions are the box.
    let mut unit = size;
    let mut prefix = [0u32; MAX_RANK];
    for (dim, bit) in s.register.iter().flatten() {
        if u32::from(*bit) == prefix[*dim] && u32::from(*bit) < size[*dim] {
            prefix[*dim] += 1;
        } else {
            break;
        }
    }
    for dim in 0..rank {
        unit[dim] = unit[dim].min(prefix[dim]);
    }
    for order in [by_lane, first] {
        for size in [unit, size] {
            let size = Ints::collect(size[..rank].iter().map(|s| 1 << s));
            for home in [Home::Before, Home::After, Home::Last, Home::First] {
                let threads = boxes(&s.lane, &order, home);
                let warps = boxes(&s.warp, &order, home);
                if let Ok(e) = BlockedEncoding::new(&size, &threads, &warps, &order, s.cga) {
                    let e = Encoding::from(e);
                    if !found.contains(&e) {
                        found.push(e);
                    }
                }
            }
        }
    }
    found
}

/// Results and operands of matrix instructions, tried with the warps that the layout shows.
fn matrix(s: &Steps) -> Vec<Encoding> {
    let mut found: Vec<Encoding> = Vec::new();
    let rank = s.rank;
    if !matches!(rank, 2 | 3) || s.warp.len() > 6 {
        return found;
    }
    let seen = s.count(&s.warp);
    let copies = s.warp.iter().filter(|w| w.is_none()).count() as u32;
    let (m, n) = (rank - 2, rank - 1);
    let mut warps: Vec<Ints> = Vec::new();
    for dim in 0..rank {
        let split = spread(seen, rank, copies, dim);
        if !warps.contains(&split) {
            warps.push(split);
        }
    }
    let mut results: Vec<Encoding> = Vec::new();
    for warps in &warps {
        if s.lane.len() == 5 {
            let tile =
                |list: &[u32]| Ints::collect((2..rank).map(|_| 1).chain(list.iter().copied()));
            results.extend(
                NvidiaMmaEncoding::new(2, 0, warps, s.cga, &tile(&[16, 8])).map(Into::into),
            );
            if rank == 2 {
                for size in [256, 128, 64, 32, 16, 8] {
                    let mma = NvidiaMmaEncoding::new(3, 0, warps, s.cga, &[16, size, 16]);
                    results.extend(mma.map(Encoding::from));
                }
            }
        }
        if s.lane.len() == 6 {
            for (instr, width) in [
                ([32, 32, 8], 32),
                ([16, 16, 16], 32),
                ([64, 4, 4], 32),
                ([4, 64, 4], 32),
                ([16, 16, 4], 64),
            ] {
                for transposed in [false, true] {
                    let mfma =
                        AmdMfmaEncoding::new(3, warps, &instr, transposed, s.cga, &[], width);
                    results.extend(mfma.map(Encoding::from));
                }
            }
        }
    }
    for result in results {
        let wgmma = matches!(&result, Encoding::NvidiaMma(e) if e.is_hopper());
        let mut operands = Vec::new();
        for (op_idx, k) in [(0, n), (1, m)] {
            // Neighbours along the summed dim come first in a thread.
            let run = s
                .register
                .iter()
                .take_while(|r| r.is_some_and(|(d, _)| d == k))
                .count()
                .min(5);
            for width in (0..=run).rev().map(|w| 1u32 << w) {
                if !(wgmma && op_idx == 1) {
                    operands.extend(
                        DotOperandEncoding::new(op_idx, result.clone(), width).map(Encoding::from),
                    );
                }
            }
        }
        found.push(result);
        found.extend(operands);
    }
    found
}

/// Slices of what a layout with one more dim of size 1 is recognized as.
fn slices<'a>(layout: &'a LinearLayout, shape: &'a [u64]) -> impl Iterator<Item = Encoding> + 'a {
    let rank = shape.len();
    let copies =
        layout.columns_of(Dim::LANE).contains(&0) || layout.columns_of(Dim::WARP).contains(&0);
    let dims = if copies && rank < MAX_RANK {
        0..rank + 1
    } else {
        0..0
    };
    dims.rev().flat_map(move |dim| {
        let wide = insert_dim(layout, dim).and_then(|l| Steps::of(&l));
        let mut padded = [1u64; MAX_RANK];
        for (i, size) in shape.iter().enumerate() {
            padded[i + usize::from(i >= dim)] = *size;
        }
        wide.into_iter()
            .flat_map(move |s| sliced(s, dim, &padded[..=rank]))
    })
}

/// Parents whose lanes and warps that repeat here go along the dim that is gone.
fn sliced(s: Steps, gone: usize, shape: &[u64]) -> Vec<Encoding> {
    // What repeats here moves along the dim that is gone.
    let unfold = |list: &[Option<(usize, u8)>], from: u8| {
        let mut next = from;
        list.iter()
            .map(|step| {
                step.or_else(|| {
                    next += 1;
                    Some((gone, next - 1))
                })
            })
            .collect::<Vec<_>>()
    };
    let lane = unfold(&s.lane, 0);
    let lanes = lane.iter().flatten().filter(|(d, _)| *d == gone).count() as u8;
    let warp = unfold(&s.warp, lanes);
    let grown = Steps {
        lane,
        warp,
        register: s.register.clone(),
        cga: s.cga,
        rank: s.rank,
    };
    let parents = blocked(&grown, shape)
        .into_iter()
        .chain(matrix(&grown))
        .chain(matrix(&s));
    parents
        .filter_map(|p| Some(SliceEncoding::new(gone as u32, p).ok()?.into()))
        .collect()
}

/// Returns the layout with one more out-dim, of size 1, at `dim`.
fn insert_dim(layout: &LinearLayout, dim: usize) -> Option<LinearLayout> {
    let mut outs: Vec<(Dim, u64)> = layout.out_shape().collect();
    outs.insert(dim, (Dim::out(0), 1));
    for (i, out) in outs.iter_mut().enumerate() {
        out.0 = Dim::out(i);
    }
    let ins: Vec<(Dim, u64)> = layout.in_shape().collect();
    let any = crate::layout::Surjectivity::NotRequired;
    LinearLayout::from_columns(&ins, &outs, layout.columns(), any).ok()
}

/// Shared encodings whose swizzle shows in the bases of the rows.
fn shared_candidates<'a>(
    layout: &'a LinearLayout,
    shape: &'a [u64],
) -> impl Iterator<Item = Encoding> + 'a {
    let rank = shape.len();
    let mut found: Vec<Encoding> = Vec::new();
    if let Ok(cga) = cga_of(layout) {
        let moves = (0..layout.in_bits(Dim::OFFSET)).filter_map(|bit| {
            // A swizzled row also moves along the columns, which are known by then.
            let basis = layout.basis(Dim::OFFSET, bit);
            let dims: Vec<u32> = (0..rank as u32)
                .filter(|d| basis.at(*d as usize) != 0)
                .collect();
            (!dims.is_empty()).then_some(dims)
        });
        let mut order = Ints::new();
        for dims in moves {
            let fresh: Vec<u32> = dims.into_iter().filter(|d| !order.contains(d)).collect();
            for dim in fresh {
                let _ = order.push(dim);
            }
        }
        let order = super::cga::first_seen(order.iter().copied(), (0..rank as u32).rev());
        found.extend(swizzles(layout, &order, cga));
        if matches!(rank, 2..) && layout.in_bits(Dim::OFFSET) >= 6 {
            for transposed in [false, true] {
                for swizzle in [128, 64, 32] {
                    for width in [16, 8, 32, 64] {
                        let e = NvmmaSharedEncoding::new(swizzle, transposed, width, false, cga);
                        found.extend(e.map(Encoding::from));
                    }
                }
            }
        }
    }
    found.into_iter()
}

/// Reads vec, perPhase and maxPhase off the bases of the rows.
fn swizzles(layout: &LinearLayout, order: &[u32], cga: CgaLayout) -> Vec<Encoding> {
    let mut found = Vec::new();
    let mut push = |vec: u64, per: u64, max: u64| {
        let [vec, per, max] = [vec, per, max].map(|v| u32::try_from(v).unwrap_or(1));
        found.extend(SwizzledSharedEncoding::new(vec, per, max, order, cga).map(Encoding::from));
        let rotating = AmdRotatingSharedEncoding::new(vec, per, max, order, cga);
        found.extend(rotating.map(Encoding::from));
    };
    let (Some(col), Some(row)) = (order.first(), order.get(1)) else {
        push(1, 1, 1);
        return found;
    };
    let shifted: Vec<(u64, u64)> = (0..layout.in_bits(Dim::OFFSET))
        .map(|bit| layout.basis(Dim::OFFSET, bit))
        .filter(|b| b.at(*row as usize) != 0 && b.at(*col as usize) != 0)
        .map(|b| (b.at(*row as usize), b.at(*col as usize)))
        .collect();
    match (shifted.first(), shifted.last()) {
        (Some(first), Some(last)) => {
            let phases = 2 * last.0 / first.0;
            push(first.1, first.0, phases);
            push(first.1, first.0, phases.isqrt().next_power_of_two());
            push(first.1, first.0, 2 * phases);
            push(first.1, first.0, 4 * phases);
        }
        _ => push(1, 1, 1),
    }
    found
}
