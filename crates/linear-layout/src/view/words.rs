//! Descriptions of layouts, with a sentence for each basis or mode.

use crate::cute::ComposedLayout;
use crate::layout::{Dim, LinearLayout};
use crate::tilus::RegisterLayout;
use crate::view::{Holders, shape_text};

/// Returns a description of a layout in sentences. They state the size, the number of replicas, the contiguity, and
/// the effect of each basis.
///
/// The layout maps an input to the XOR of the bases of the input's set bits, so the effect of each bit is described
/// by a sentence of its own.
/// ```
/// use linear_layout::layout::{Dim, LinearLayout};
/// use linear_layout::view::words;
///
/// let layout = LinearLayout::from_bases(
///     &[(Dim::REGISTER, &[&[0, 1]]), (Dim::LANE, &[&[0, 2], &[1, 2], &[0, 0]])],
///     &[Dim::out(0), Dim::out(1)],
/// )?;
/// assert_eq!(words(&layout), "\
/// a tensor of 2x4 in 2 registers of each of 8 lanes
/// each element is held 2 times
/// 2 neighbours along dim1 lie side by side in registers
///
/// register: what its 1 bit does
///   register 1: goes on by 1 along dim1
/// lane: what its 3 bits do
///   lane 1: goes on by 2 along dim1
///   lane 2: goes on by 1 along dim0, and exchanges places 2 apart along dim1
///   lane 4: holds a copy of what lane 0 holds
/// ");
/// # Ok::<(), linear_layout::layout::LayoutError>(())
/// ```
#[must_use]
pub fn words(layout: &LinearLayout) -> String {
    let mut lines = facts(layout);
    lines.push(String::new());
    for dim in layout.in_dims() {
        match layout.in_bits(dim) {
            0 => lines.push(format!("{dim}: has a single index, 0")),
            1 => lines.push(format!("{dim}: what its 1 bit does")),
            bits => lines.push(format!("{dim}: what its {bits} bits do")),
        }
        for bit in 0..layout.in_bits(dim) {
            let worth = 1u64 << bit;
            lines.push(format!("  {dim} {worth}: {}", basis(layout, dim, bit)));
        }
    }
    lines.join("\n") + "\n"
}

/// Returns a description of a register layout of Tilus. It states the number of threads, the number of registers
/// per thread (which the text calls *places*), and the effect of each mode.
///
/// ```
/// use linear_layout::view::words_of_register;
///
/// let layout: linear_layout::tilus::RegisterLayout = "local(3, 1).spatial(2, 4)".parse()?;
/// assert_eq!(words_of_register(&layout), "\
/// a tensor of 6x4 in 3 places of each of 8 threads
/// each element is held once
///
/// what the digits of an index do, the slowest first
///   3 steps of 2 along dim0: the place, by 1 each
///   2 steps of 1 along dim0: the thread, by 4 each
///   4 steps of 1 along dim1: the thread, by 1 each
/// ");
/// # Ok::<(), linear_layout::tilus::TilusError>(())
/// ```
#[must_use]
pub fn words_of_register(layout: &RegisterLayout) -> String {
    let mut lines = vec![
        format!(
            "a tensor of {} in {} places of each of {} threads",
            shape_text(layout.shape()),
            layout.local_size(),
            layout.spatial_size()
        ),
        match layout.replications() {
            1 => "each element is held once".to_owned(),
            copies => format!("each element is held {copies} times"),
        },
        String::new(),
        "what the digits of an index do, the slowest first".to_owned(),
    ];
    // `(mode, text)`, where the mode is a digit of a thread or place.
    let mut threads = Vec::new();
    let mut weight = 1;
    for entry in layout.spatial_modes().iter().rev() {
        let extent = match usize::try_from(*entry) {
            Ok(mode) => {
                threads.push((mode, format!("the thread, by {weight} each")));
                layout.mode_shape()[mode]
            }
            Err(_) => entry.unsigned_abs(),
        };
        weight *= extent;
    }
    let mut weight = 1;
    for mode in layout.local_modes().iter().rev() {
        threads.push((*mode, format!("the place, by {weight} each")));
        weight *= layout.mode_shape()[*mode];
    }
    for (dim, group) in layout.mode_groups().enumerate() {
        for mode in group.clone() {
            let step: u64 = layout.mode_shape()[mode + 1..group.end].iter().product();
            let does = threads.iter().find(|(of, _)| *of == mode);
            let does = does.map_or("nothing", |(_, text)| text.as_str());
            lines.push(format!(
                "  {} steps of {step} along dim{dim}: {does}",
                layout.mode_shape()[mode]
            ));
        }
    }
    let mut weight = 1;
    for entry in layout.spatial_modes().iter().rev() {
        match usize::try_from(*entry) {
            Ok(mode) => weight *= layout.mode_shape()[mode],
            Err(_) => {
                let copies = entry.unsigned_abs();
                lines.push(format!("  {copies} threads, {weight} apart, hold the same"));
                weight *= copies;
            }
        }
    }
    lines.join("\n") + "\n"
}

/// Returns a description of a layout of CuTe: the number of coordinates, the range of the indices, and the effect of
/// each mode.
///
/// ```
/// use linear_layout::view::words_of_cute;
///
/// let layout: linear_layout::cute::ComposedLayout = "Sw<1,0,3> o 0 o (2,(3,4)):(24,(0,6))".parse()?;
/// assert_eq!(words_of_cute(&layout), "\
/// 24 coordinates to indices below 43
///
/// what the modes do, the fastest of a coordinate that is one number first
///   mode 0: 2 steps of 24
///   mode 1: 3 steps of 0, which repeat
///   mode 1: 4 steps of 6
/// then the index changes: exclusive or of its bits 8 onto its bits 1
/// ");
/// # Ok::<(), linear_layout::cute::CuteError>(())
/// ```
#[must_use]
pub fn words_of_cute(layout: &ComposedLayout) -> String {
    let plain = &layout.layout;
    let mut lines = vec![
        format!(
            "{} coordinates to indices below {}",
            plain.size(),
            plain.cosize()
        ),
        String::new(),
        "what the modes do, the fastest of a coordinate that is one number first".to_owned(),
    ];
    for (i, mode) in plain.modes().enumerate() {
        for leaf in mode.leaves() {
            let repeats = match leaf.stride {
                0 => ", which repeat",
                _ => "",
            };
            lines.push(format!(
                "  mode {i}: {} steps of {}{repeats}",
                leaf.shape, leaf.stride
            ));
        }
    }
    if layout.offset != 0 {
        lines.push(format!("then {} is added to the index", layout.offset));
    }
    if !layout.swizzle.is_identity() {
        lines.push(format!(
            "then the index changes: exclusive or of its bits {} onto its bits {}",
            layout.swizzle.source_mask(),
            layout.swizzle.target_mask()
        ));
    }
    lines.join("\n") + "\n"
}

/// Returns the sentences about the layout as a whole.
fn facts(layout: &LinearLayout) -> Vec<String> {
    let shape: Vec<u64> = layout.out_shape().map(|(_, size)| size).collect();
    let held = [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK]
        .into_iter()
        .filter(|dim| layout.in_bits(*dim) > 0)
        .map(|dim| (dim.name(), layout.in_size(dim)));
    let others = layout
        .in_shape()
        .filter(|(dim, size)| {
            let is_held = [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK].contains(dim);
            *size > 1 && !is_held
        })
        .map(|(dim, size)| (dim.name(), size));
    let places: Vec<String> = others
        .chain(held)
        .map(|(name, size)| format!("{size} {name}s"))
        .collect();
    let places = match places.as_slice() {
        [] => "one slot".to_owned(),
        places => places.join(" of each of "),
    };
    let what = match shape.as_slice() {
        [] => "one element".to_owned(),
        shape => format!("a tensor of {}", shape_text(shape)),
    };
    let mut lines = vec![format!("{what} in {places}")];
    lines.push(match Holders::new(layout).copies() {
        Some(1) => "each element is held once".to_owned(),
        Some(copies) => format!("each element is held {copies} times"),
        None => "each element is held 2^64 times".to_owned(),
    });
    let missing = layout.total_out_bits() - layout.rank();
    if missing > 0 {
        lines[1] += &format!(
            ", of those that are held at all: one in {}",
            1u128 << missing
        );
    }
    if let Some((dim, run)) = neighbours(layout).filter(|(_, run)| *run > 1) {
        let first = layout.in_dims().next().map_or("", Dim::name);
        lines.push(format!(
            "{run} neighbours along {dim} lie side by side in {first}s"
        ));
    }
    lines
}

fn basis(layout: &LinearLayout, dim: Dim, bit: usize) -> String {
    let column = layout.column(dim, bit);
    if column == 0 {
        return format!("holds a copy of what {dim} 0 holds");
    }
    // A bit of an element index belongs to the basis with only this bit, or otherwise to the first basis with this bit.
    // In any other basis, the bit exchanges positions.
    let columns = layout.columns();
    let owner = |bit: u64| {
        let alone = columns.iter().position(|other| *other == bit);
        alone.or_else(|| columns.iter().position(|other| other & bit != 0))
    };
    let before = layout.in_dims().take_while(|other| *other != dim);
    let place = Some(before.map(|other| layout.in_bits(other)).sum::<usize>() + bit);
    let bits = (0..64).map(|i| 1u64 << i).filter(|bit| column & bit != 0);
    let shared = bits
        .filter(|bit| owner(*bit) != place)
        .fold(0, |all, bit| all | bit);
    let (mut moves, mut exchanges, mut at) = (Vec::new(), Vec::new(), 0);
    for (out, size) in layout.out_shape() {
        // Dims beyond 64 bits have size 1.
        let part = |bits: u64| bits.checked_shr(at).unwrap_or(0) & (size - 1);
        let own = part(column);
        let both = part(shared) & own;
        if own & !both != 0 {
            moves.push(format!("goes on by {} along {out}", own & !both));
        }
        if both != 0 {
            exchanges.push(format!("exchanges places {both} apart along {out}"));
        }
        at += size.trailing_zeros();
    }
    moves.append(&mut exchanges);
    match moves.as_slice() {
        [before @ .., last] if !before.is_empty() => {
            format!("{}, and {last}", before.join(", "))
        }
        moves => moves.join(""),
    }
}

/// Finds the output dim along which consecutive indices of the first input dim hold adjacent elements. Returns this
/// dim and the number of consecutive elements, or `None` if there is no such dim.
pub(super) fn neighbours(layout: &LinearLayout) -> Option<(Dim, u64)> {
    let first = layout.in_dims().next()?;
    let mut at = 0;
    for out in layout.out_dims() {
        let mut run = 0;
        while run < layout.in_bits(first).min(layout.out_bits(out)) {
            let bit = 1u64 << (at + run);
            let is_own = layout.columns_of(first)[run] == bit;
            let count = layout.columns().iter().filter(|c| *c & bit != 0).count();
            if !is_own || count != 1 {
                break;
            }
            run += 1;
        }
        if run > 0 {
            return Some((out, 1 << run));
        }
        at += layout.out_bits(out);
    }
    None
}
