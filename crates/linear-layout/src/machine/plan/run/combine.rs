//! Elements that others are combined into: by a region, over lanes, by matrix products, by counting.

use super::{Kind, Machine, Name, PlanFault};
use crate::number::narrow;
use crate::plan::program::{ScaleWord, ValueId};
use crate::target::Product;
use rustc_hash::FxHashMap;

impl<N: Name> Machine<'_, N> {
    /// Combines elements in all threads: one of each operand, which must stand for the same, or two of one.
    pub(super) fn combine(
        &mut self,
        step: usize,
        first: ValueId,
        [acc, other]: [&[ValueId]; 2],
        is_packed: bool,
    ) -> Result<(), PlanFault> {
        let mut made = Vec::with_capacity(acc.len());
        for list in [acc, other] {
            let of_first = self.elements(step, list[0])?;
            for value in list[1..].iter().filter(|_| !is_packed) {
                let mut pairs = of_first.iter().zip(self.elements(step, *value)?);
                if !pairs.all(|(a, b)| a.is_beside(*b)) {
                    return Err(Kind::Tuple { step }.into());
                }
            }
        }
        for (acc, other) in acc.iter().zip(other) {
            let (acc, other) = (self.elements(step, *acc)?, self.elements(step, *other)?);
            let pairs = acc.iter().zip(other);
            let combined: Option<Vec<N>> = pairs.map(|(a, b)| a.combined_with(*b)).collect();
            made.push(combined.ok_or(Kind::Tuple { step })?);
        }
        for (i, names) in (0..).zip(made) {
            self.define_element(first.plus(i), &names);
        }
        Ok(())
    }

    /// Combines an element over the lanes of each warp; those that differ in `copies` alone must stand for the same.
    pub(super) fn reduce_lanes(
        &mut self,
        step: usize,
        [out, value]: [ValueId; 2],
        copies: u32,
    ) -> Result<(), PlanFault> {
        let mut names = self.elements(step, value)?.to_vec();
        for warp in names.chunks_mut(1 << self.lanes_log2) {
            let mut all: Option<N> = None;
            for lane in 0..warp.len() {
                let once = lane & !copies as usize;
                if warp[lane] != warp[once] {
                    return Err(Kind::Lanes { step }.into());
                }
                if lane == once {
                    all = match all {
                        None => Some(warp[lane]),
                        Some(all) => all.combined_with(warp[lane]),
                    };
                }
            }
            warp.fill(all.ok_or(Kind::Tuple { step })?);
        }
        self.define_element(out, &names);
        Ok(())
    }

    /// Multiplies matrices in each warp, or in each lane; `lists` are the registers of A, B and D.
    pub(super) fn multiply(
        &mut self,
        step: usize,
        first: ValueId,
        lists: [&[ValueId]; 3],
        scales: [Option<ScaleWord>; 2],
        row: u32,
    ) -> Result<(), PlanFault> {
        let plan = self.plan;
        let row = &plan.rows()[row as usize];
        let malformed = |what| PlanFault::from(Kind::Width { step, what });
        let [m, n, k] = row.sizes().map(|size| narrow::<usize>(size));
        let lanes = match row.is_of_lane() {
            true => 1,
            false => 1usize << self.lanes_log2,
        };
        // Of each operand: the granules of an element, where they lie, and the coordinates by register and lane.
        let mut held = Vec::with_capacity(3);
        for (operand, list) in lists.into_iter().enumerate() {
            let each = (plan.element_bits(list[0]).max(8) / 8 / self.granule) as usize;
            let rows = self.rows(step, list)?;
            let of_row = &row.operands[operand];
            let registers = 1usize << of_row.registers.len();
            if rows.len() != registers * each || 1 << of_row.lanes.len() != lanes {
                return Err(malformed("an instruction has other registers or lanes"));
            }
            let places = (0..registers).flat_map(|r| (0..lanes).map(move |lane| (r, lane)));
            let coordinates = places.map(|(r, lane)| (r, lane, row.coordinates(operand, r, lane)));
            let coordinates: Vec<(usize, usize, [usize; 2])> = coordinates.collect();
            held.push((each, rows, coordinates));
        }
        // Several elements in a byte are one name until they are multiplied.
        let packed = [0, 1].map(|factor| row.operands[factor].packed.len());
        let columns = [k >> packed[0], n, n];
        let block_log2 = row.scales.as_ref().map_or(0, |scales| scales.block_log2);
        let mut scale_rows = [None, None];
        for (rows, scales) in scale_rows.iter_mut().zip(scales) {
            if let Some(scales) = scales {
                *rows = Some((self.rows(step, &[scales.word])?, scales.selector));
            }
        }
        let made: Vec<usize> = {
            let values = (0..narrow::<u32>(lists[2].len())).map(|i| first.plus(i));
            let made = values.flat_map(|value| {
                let granules = self.granules(value);
                let start = self.define(value, granules);
                (0..granules).map(move |g| (start, g))
            });
            let made: Vec<(usize, usize)> = made.collect();
            made.into_iter()
                .map(|(start, g)| start + g * self.threads)
                .collect()
        };
        for warp in (0..self.threads).step_by(lanes) {
            let mut tiles = Vec::with_capacity(3);
            let sizes = [(m * k) >> packed[0], (k >> packed[1]) * n, m * n];
            for ((each, rows, coordinates), size) in held.iter().zip(sizes) {
                let columns = columns[tiles.len()];
                // Which of a factor's coordinates is k.
                let shifts = match tiles.len() {
                    0 => [0, packed[0]],
                    1 => [packed[1], 0],
                    _ => [0; 2],
                };
                let mut tile = vec![N::NOTHING; size];
                for (register, lane, at) in coordinates {
                    let [i, j] = [at[0] >> shifts[0], at[1] >> shifts[1]];
                    let granule = |g: usize| self.names[rows[register * each + g] + warp + lane];
                    let name = granule(0);
                    if name == N::NOTHING || (1..*each).any(|g| granule(g) != name.granule(g)) {
                        return Err(malformed("a product of something that is no element"));
                    }
                    let known = &mut tile[i * columns + j];
                    if *known != N::NOTHING && *known != name {
                        return Err(Kind::Lanes { step }.into());
                    }
                    *known = name;
                }
                tiles.push(tile);
            }
            let mut blocks = [None, None];
            for (factor, blocks) in blocks.iter_mut().enumerate() {
                if let Some((rows, selector)) = &scale_rows[factor] {
                    let lanes = warp..warp + lanes;
                    let found = self.scales(row, factor, (rows, *selector), lanes);
                    *blocks = Some(found.ok_or(Kind::Lanes { step })?);
                }
            }
            let scale = |factor: usize, own: usize, k_at: usize| {
                let blocks: Option<&Vec<N>> = blocks[factor].as_ref();
                blocks.map(|blocks| blocks[(own * k + k_at) >> block_log2])
            };
            let mut sums = std::mem::take(&mut tiles[2]);
            for (at, sum) in sums.iter_mut().enumerate() {
                let (i, j) = (at / n, at % n);
                for k_at in 0..k {
                    let [a, b] = packed.map(|log2| (k_at >> log2, k_at & ((1 << log2) - 1)));
                    let a = tiles[0][i * columns[0] + a.0].within(a.1);
                    let b = tiles[1][b.0 * n + j].within(b.1);
                    let scales = [scale(0, i, k_at), scale(1, j, k_at)];
                    let sum_of = sum.plus_product([a, b], scales);
                    *sum = sum_of.ok_or(Kind::Product { step })?;
                }
            }
            let (each, _, coordinates) = &held[2];
            for (register, lane, [i, j]) in coordinates {
                for g in 0..*each {
                    self.names[made[register * each + g] + warp + lane] =
                        sums[i * n + j].granule(g);
                }
            }
        }
        Ok(())
    }

    /// The scales of a factor by row or column and block of k, from the words of a warp's lanes; nothing where two of
    /// the lanes that are read differ, or none holds a scale.
    fn scales(
        &self,
        row: &Product,
        factor: usize,
        (rows, selector): (&[usize], u32),
        lanes: core::ops::Range<usize>,
    ) -> Option<Vec<N>> {
        let held = row.scales.as_ref()?;
        let [m, n, k] = row.sizes().map(|size| narrow::<usize>(size));
        let mut found = vec![N::NOTHING; ([m, n][factor] * k) >> held.block_log2];
        for thread in lanes.clone() {
            for (byte, row) in rows
                .iter()
                .enumerate()
                .take(1 << held.operands[factor].bytes.len())
            {
                let lane = thread - lanes.start;
                let Some([own, of_k]) = held.operands[factor].coordinates(byte, lane, selector)
                else {
                    continue;
                };
                let known = &mut found[(own * k + of_k) >> held.block_log2];
                let name = self.names[row + thread];
                if *known != N::NOTHING && *known != name {
                    return None;
                }
                *known = name;
            }
        }
        (!found.contains(&N::NOTHING)).then_some(found)
    }

    /// Counts the elements of each warp by the bins that lanes own.
    pub(super) fn count_votes(
        &mut self,
        step: usize,
        (first, count): (ValueId, u32),
        vote: u32,
        (bin, mask): (ValueId, Option<ValueId>),
        acc: &[ValueId],
    ) -> Result<(), PlanFault> {
        let vote = &self.plan.votes()[vote as usize];
        let zero = N::zero(0).ok_or(Kind::Tuple { step })?;
        let (names, bins) = (self.elements(step, bin)?, self.numbers(step, bin)?);
        let mask = self.mask(step, mask)?;
        let is_counted = acc.is_empty() || acc.len() == count as usize;
        if !is_counted || count != 1 << vote.counts_log2() {
            let what = "other counts than the lanes of a vote have";
            return Err(Kind::Width { step, what }.into());
        }
        let mut sums: Vec<Vec<N>> = match acc.is_empty() {
            true => vec![vec![zero; self.threads]; count as usize],
            false => acc
                .iter()
                .map(|value| Ok(self.elements(step, *value)?.to_vec()))
                .collect::<Result<_, PlanFault>>()?,
        };
        let lanes = 1 << self.lanes_log2;
        for warp in (0..self.threads).step_by(lanes) {
            let mut found: FxHashMap<u32, N> = FxHashMap::default();
            for lane in (0..lanes).filter(|lane| narrow::<u32>(*lane) & vote.copies == 0) {
                let thread = warp + lane;
                // Votes see no more bits of a number than bins have.
                let bin = bins[thread] & ((1 << vote.places.len()) - 1);
                if mask[thread] {
                    let sum = found.entry(bin).or_insert(zero);
                    *sum = sum
                        .combined_with(names[thread])
                        .ok_or(Kind::Tuple { step })?;
                }
            }
            for (register, sums) in (0..).zip(&mut sums) {
                for lane in 0..lanes {
                    if let Some(added) = found.get(&vote.bin(register, narrow(lane))) {
                        let sum = &mut sums[warp + lane];
                        *sum = sum.combined_with(*added).ok_or(Kind::Tuple { step })?;
                    }
                }
            }
        }
        for (i, sums) in (0..).zip(sums) {
            self.define_element(first.plus(i), &sums);
        }
        Ok(())
    }
}
