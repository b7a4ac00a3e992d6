//! The scales of an issue: the words into which scale registers are packed, and the selectors of the bytes of a word.

use super::MatrixProduct;
use super::candidates;
use super::coordinates::{Axes, M, N, Point, SCALES};
use super::error::ProductError;
use super::matching::{Elements, Match, Renaming};
use super::mismatch::Mismatch;
use crate::layout::{Dim, LinearLayout};
use crate::plan::{ConvertPlan, PlanOptions, plan_conversion};
use crate::target::{BlockScales, Product, ScaleBit};
use rustc_hash::FxHashMap;

/// The scales of operand A or B, packed into 32-bit words. The words contain the scales of all tiles.
#[derive(Debug)]
pub(super) struct ScaleWords {
    /// For each word, the registers whose scales it contains, lowest byte first. The instruction ignores any
    /// remaining bytes.
    pub(super) words: Vec<Vec<usize>>,
    /// Map from the coordinates of a tile's first element to (index into `words`, selector of the tile's scales in
    /// the word).
    first: FxHashMap<Point, (usize, u32)>,
    own: usize,
    block_log2: u8,
}

impl ScaleWords {
    /// Packs the scales of operand A (0) or B (1) into words. `elements` is the layout of the scales. If this layout
    /// does not match the instruction, returns the first mismatch.
    fn of(
        scales: &BlockScales,
        factor: usize,
        elements: &Elements,
        renaming: &Renaming,
        sum: &Elements,
    ) -> Result<Self, Mismatch> {
        let (held, own) = (&scales.operands[factor], [M, N][factor]);
        let operand = SCALES[factor];
        let mut selected_lanes = Vec::new();
        for (number, (bit, column)) in held.lanes.iter().zip(&elements.lanes).enumerate() {
            match *bit {
                ScaleBit::Of(bit) if renaming.image(bit) != *column => {
                    return Err(Mismatch::Lane {
                        operand,
                        number,
                        bit,
                        found: *column,
                        expected: Some(renaming.image(bit)),
                    });
                }
                ScaleBit::Selected(bit) => selected_lanes.push((*column, 1 << bit)),
                ScaleBit::Of(_) | ScaleBit::Clear => {}
            }
        }
        for (number, (found, of_sum)) in elements.warps.iter().zip(&sum.warps).enumerate() {
            let expected = candidates::part_of_sum(*of_sum, own);
            if *found != expected {
                return Err(Mismatch::Thread {
                    operand,
                    dim: Dim::WARP,
                    number,
                    found: *found,
                    expected,
                });
            }
        }
        // Each bit of a byte's index is a register bit of the tile, if any, or a selector bit.
        let mut of_tile = Vec::new();
        let mut selected_bytes = Vec::new();
        for (number, bit) in held.bytes.iter().enumerate() {
            match *bit {
                ScaleBit::Of(bit) => {
                    let expected = renaming.image(bit);
                    let register = elements.registers.iter().position(|at| *at == expected);
                    if register.is_none() && expected != [0; 4] {
                        return Err(Mismatch::Register {
                            operand,
                            bit,
                            expected,
                        });
                    }
                    let register = register.filter(|_| expected != [0; 4]);
                    of_tile.push((number, register.map_or(0, |bit| 1usize << bit)));
                }
                ScaleBit::Selected(bit) => selected_bytes.push((number, 1u32 << bit)),
                ScaleBit::Clear => {}
            }
        }
        let taken = of_tile
            .iter()
            .fold(0, |taken, (_, register)| taken | register);
        let others: Vec<usize> = (0..elements.registers.len())
            .filter(|bit| taken >> bit & 1 == 0)
            .collect();
        // First registers of tiles: neighbours share a word.
        let begins: Vec<usize> = (0..1usize << others.len())
            .map(|number| deposit(number, others.iter().map(|bit| 1 << bit)))
            .collect();
        let words = begins.chunks(1 << selected_bytes.len()).map(|members| {
            let bytes = (0..1usize << held.bytes.len()).map(|byte| {
                let of = |(bit, value): &(usize, usize)| (byte >> bit & 1) * value;
                let member = (0..).zip(&selected_bytes);
                let member: usize = member.map(|(i, (bit, _))| (byte >> bit & 1) << i).sum();
                let begin = members.get(member)?;
                Some(
                    of_tile
                        .iter()
                        .fold(*begin, |register, part| register ^ of(part)),
                )
            });
            let mut bytes: Vec<Option<usize>> = bytes.collect();
            let used = bytes
                .iter()
                .rposition(Option::is_some)
                .map_or(0, |last| last + 1);
            bytes.truncate(used);
            bytes
                .into_iter()
                .map(|byte| byte.unwrap_or(members[0]))
                .collect()
        });
        let words = words.collect();
        let mut first = FxHashMap::default();
        for chosen in 0..1usize << selected_lanes.len() {
            for (number, register) in begins.iter().enumerate() {
                let columns = elements.registers.iter().enumerate();
                let columns = columns.filter(|(bit, _)| register >> bit & 1 == 1);
                let lanes = selected_lanes.iter().enumerate();
                let lanes = lanes.filter(|(bit, _)| chosen >> bit & 1 == 1);
                let columns = columns.map(|(_, at)| at);
                let at = columns
                    .chain(lanes.clone().map(|(_, (at, _))| at))
                    .fold([0; 4], |sum: Point, at| {
                        core::array::from_fn(|i| sum[i] ^ at[i])
                    });
                let (word, member) = (
                    number >> selected_bytes.len(),
                    number & ((1 << selected_bytes.len()) - 1),
                );
                let selector = lanes.fold(
                    deposit(member, selected_bytes.iter().map(|(_, bit)| *bit)),
                    |selector: u32, (_, (_, bit))| selector | bit,
                );
                first.entry(at).or_insert((word, selector));
            }
        }
        Ok(Self {
            words,
            first,
            own,
            block_log2: scales.block_log2,
        })
    }

    /// Returns (index into `words`, selector of the scales in the word) for the tile whose first element has these
    /// coordinates. Returns `None` if the tile has no scales.
    pub(super) fn at(&self, [matrix, m, n, k]: Point) -> Option<(usize, u32)> {
        let mut at = [matrix, m, n, k >> self.block_log2 << self.block_log2];
        at[M + N - self.own] = 0;
        self.first.get(&at).copied()
    }

    /// Returns true if the words contain the scales of every issue of `found`.
    fn covers(&self, found: &Match) -> bool {
        found.issues.iter().all(|issue| self.at(issue.at).is_some())
    }
}

/// Returns the bitwise or of `values[i]` for all bits `i` that are set in `number`.
fn deposit<T: core::ops::BitOr<Output = T> + Default>(
    number: usize,
    values: impl Iterator<Item = T>,
) -> T {
    let set = values.enumerate().filter(|(bit, _)| number >> bit & 1 == 1);
    set.fold(T::default(), |sum, (_, value)| sum | value)
}

/// The scales of operand A or B, converted to an instruction's layout if necessary.
#[derive(Debug)]
pub(super) struct ScaleSource {
    pub(super) words: ScaleWords,
    pub(super) conversion: Option<ConvertPlan>,
}

/// Returns the scales of A and B in the instruction's layout, converted if necessary. An entry is `None` if the
/// operand has no scales. The whole result is `None` if the scales do not match the instruction even after a
/// conversion.
pub(super) fn sources(
    product: &MatrixProduct<'_>,
    row: &Product,
    found: &Match,
    sum: &Elements,
    k_size: u64,
) -> Result<Option<[Option<ScaleSource>; 2]>, ProductError> {
    let mut sources = [None, None];
    let (Some(given), Some(scales)) = (product.scales, &row.scales) else {
        return Ok(Some(sources));
    };
    for (factor, source) in sources.iter_mut().enumerate() {
        let Some(layout) = given.layouts[factor] else {
            continue;
        };
        let axes = Axes::of(product, SCALES[factor]);
        let words = |layout: &LinearLayout| {
            let elements = Elements::of(layout, axes);
            let words = ScaleWords::of(scales, factor, &elements, &found.renaming, sum);
            words.ok().filter(|words| words.covers(found))
        };
        if let Some(words) = words(layout) {
            *source = Some(ScaleSource {
                words,
                conversion: None,
            });
            continue;
        }
        let bits = &scales.operands[factor];
        let to = candidates::scales(bits, &found.renaming, factor, sum, (layout, axes), k_size);
        let Some((to, words)) = to.ok().and_then(|to| {
            let words = words(&to)?;
            Some((to, words))
        }) else {
            return Ok(None);
        };
        let plan = plan_conversion(layout, &to, 8, product.target, &PlanOptions::new())?;
        *source = Some(ScaleSource {
            words,
            conversion: Some(plan),
        });
    }
    Ok(Some(sources))
}
