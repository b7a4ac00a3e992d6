//! Execution of matrix products: the tiles of an instruction, in every warp or in every lane.
//!
//! The elements of a row of A or column of B are resolved to a [`Line`] once, not once per sum. Instructions that read
//! the same registers share their lines.

use super::{FaultKind, Machine, Name, NameRow, PlanFault};
use crate::machine::plan::name::{Line, LineNames, Products};
use crate::number::narrow;
use crate::plan::program::{ScaleWord, ValueId};
use crate::target::Product;
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub(super) struct Multiplier<'a, N> {
    products: &'a mut dyn Products<N>,
    instructions: FxHashMap<u32, Rc<InstructionTiles>>,
    lines: FxHashMap<FactorKey, Rc<[Line]>>,
}

/// Key of the cache of decoded rows of A and columns of B. It consists of the instruction number, the operand (0
/// for A, 1 for B), the registers that hold the operand and, if the operand has scales, their registers and the
/// scale selector of the instruction.
type FactorKey = (u32, usize, Vec<NameRow>, Option<(Vec<NameRow>, u32)>);

impl<'a, N> Multiplier<'a, N> {
    pub(super) fn new(products: &'a mut dyn Products<N>) -> Self {
        Self {
            products,
            instructions: FxHashMap::default(),
            lines: FxHashMap::default(),
        }
    }

    /// Returns the tiles of instruction `number`, or `None` if the tiles are malformed.
    fn instruction(&mut self, number: u32, row: &Product) -> Option<Rc<InstructionTiles>> {
        if let Some(known) = self.instructions.get(&number) {
            return Some(Rc::clone(known));
        }
        let tiles = [0, 1, 2].map(|operand| OperandTile::of(row, operand));
        let [Some(a), Some(b), Some(d)] = tiles else {
            return None;
        };
        let instruction = Rc::new(InstructionTiles {
            row: row.clone(),
            sizes: row.sizes().map(narrow),
            tiles: [a, b, d],
        });
        self.instructions.insert(number, Rc::clone(&instruction));
        Some(instruction)
    }
}

struct InstructionTiles {
    row: Product,
    /// The sizes of the instruction's tile along m, n and k.
    sizes: [usize; 3],
    tiles: [OperandTile; 3],
}

const NOT_AN_ELEMENT: &str = "an operand of a product is not an element";

/// Tables that map elements of an operand to (register, lane) pairs, and these pairs to elements.
struct OperandTile {
    registers: usize,
    lanes: usize,
    /// The (register, lane) pairs that hold each element. Each element has `copies` consecutive pairs.
    ///
    /// The elements of one row of A or D, or of one column of B, are consecutive.
    holders: Vec<(usize, usize)>,
    /// For each pair of a register and a lane, the position `[line, offset in the line]` of the element that the
    /// register holds in this lane. The lane varies fastest. A line is a row of A or D, or a column of B.
    places: Vec<[usize; 2]>,
    /// Number of replicas of each element.
    copies: usize,
}

impl OperandTile {
    /// Returns the tile of operand `operand`, or `None` if elements have different numbers of replicas.
    fn of(row: &Product, operand: usize) -> Option<Self> {
        let held = &row.operands[operand];
        let packed = held.packed.len();
        let [m, n, k] = row.sizes().map(|size| narrow::<usize>(size));
        let k = k >> packed;
        let [lines, each] = [[m, k], [n, k], [m, n]][operand];
        let (registers, lanes) = (1 << held.registers.len(), 1 << held.lanes.len());
        let mut holders = vec![Vec::new(); lines * each];
        let mut places = Vec::with_capacity(registers * lanes);
        for register in 0..registers {
            for lane in 0..lanes {
                let place = match (operand, row.coordinates(operand, register, lane)) {
                    (0, [i, k]) => [i, k >> packed],
                    (1, [k, j]) => [j, k >> packed],
                    (_, sum) => sum,
                };
                holders[place[0] * each + place[1]].push((register, lane));
                places.push(place);
            }
        }
        let copies = holders[0].len();
        let are_alike = copies > 0 && holders.iter().all(|all| all.len() == copies);
        are_alike.then(|| Self {
            registers,
            lanes,
            holders: holders.concat(),
            places,
            copies,
        })
    }
}

impl<N: Name> Machine<'_, N> {
    /// Executes a matrix instruction. `lists` contains the registers of A, of B and of the accumulator D.
    pub(super) fn multiply(
        &mut self,
        step: usize,
        first: ValueId,
        lists: [&[ValueId]; 3],
        scales: [Option<ScaleWord>; 2],
        number: u32,
    ) -> Result<(), PlanFault> {
        let malformed = || {
            let what = "a product and its instruction differ in registers or lanes";
            PlanFault::from(FaultKind::Width { step, what })
        };
        let mut multiplier = self.multiplier.take().ok_or(FaultKind::Product { step })?;
        let row = &self.plan.rows()[number as usize];
        let instruction = multiplier.instruction(number, row);
        let instruction = instruction.ok_or_else(malformed)?;
        let lanes = match row.is_per_lane() {
            true => 1,
            false => 1 << self.lanes_log2,
        };
        let mut rows = Vec::with_capacity(3);
        for (list, tile) in lists.into_iter().zip(&instruction.tiles) {
            let bits = self.plan.element_bits(list[0]);
            let granules = (bits.max(8) / 8 / self.granule) as usize;
            let of_list = self.rows(step, list)?;
            if of_list.len() != tile.registers * granules || tile.lanes != lanes {
                return Err(malformed());
            }
            rows.push(of_list);
        }
        let sums = rows.pop().unwrap_or_default();
        let mut lines = Vec::with_capacity(2);
        for ((factor, rows), scales) in rows.into_iter().enumerate().zip(scales) {
            let word = match scales {
                None => None,
                Some(scales) => Some((self.rows(step, &[scales.word])?, scales.selector)),
            };
            let key = (number, factor, rows, word);
            let known = multiplier.lines.get(&key).cloned();
            lines.push(match known {
                Some(known) => known,
                None => {
                    let found = self.lines(step, &instruction, &key, multiplier.products)?;
                    multiplier.lines.insert(key, Rc::clone(&found));
                    found
                }
            });
        }
        let tile = &instruction.tiles[2];
        if tile.copies > 1 {
            // Replicas of a sum must remain equal.
            self.tile(step, tile, &sums)?;
        }
        let [m, n, _] = instruction.sizes;
        let granules = sums.len() / tile.registers;
        let mut sum_rows = Vec::with_capacity(sums.len());
        for (rows, places) in sums.chunks(granules).zip(tile.places.chunks(lanes)) {
            if !self.are_elements(rows) || rows[0].granule > 0 {
                return Err(FaultKind::Width {
                    step,
                    what: NOT_AN_ELEMENT,
                }
                .into());
            }
            let start = self.names.len();
            self.names.extend_from_within(rows[0].names(self.threads));
            let sums = &mut self.names[start..];
            let lines = [&*lines[0], &*lines[1]];
            let added = multiplier.products.add(sums, places, lines, [m, n]);
            added.ok_or(FaultKind::Product { step })?;
            sum_rows.extend(NameRow::of_elements(start, granules));
        }
        let mut sum_rows = sum_rows.into_iter();
        for value in (0..narrow::<u32>(lists[2].len())).map(|i| first.plus(i)) {
            let granules = self.granules(value);
            if sum_rows.len() < granules {
                return Err(malformed());
            }
            self.define_rows(value, sum_rows.by_ref().take(granules));
        }
        self.multiplier = Some(multiplier);
        Ok(())
    }

    /// Returns the elements of a tile for each warp, one warp after the other. If each lane multiplies alone, the
    /// elements are returned lane by lane instead.
    fn tile(&self, step: usize, tile: &OperandTile, rows: &[NameRow]) -> Result<Vec<N>, PlanFault> {
        let granules = rows.len() / tile.registers;
        if !rows.chunks(granules).all(|rows| self.are_elements(rows)) {
            return Err(FaultKind::Width {
                step,
                what: NOT_AN_ELEMENT,
            }
            .into());
        }
        let mut names =
            Vec::with_capacity(self.threads / tile.lanes * tile.holders.len() / tile.copies);
        for warp in (0..self.threads).step_by(tile.lanes) {
            for holders in tile.holders.chunks_exact(tile.copies) {
                let mut known = N::NOTHING;
                for (register, lane) in holders {
                    let name = self.name(rows[register * granules], warp + lane);
                    if name == N::NOTHING {
                        return Err(FaultKind::Width {
                            step,
                            what: NOT_AN_ELEMENT,
                        }
                        .into());
                    }
                    if known != N::NOTHING && known != name {
                        return Err(FaultKind::Lanes { step }.into());
                    }
                    known = name;
                }
                names.push(known);
            }
        }
        Ok(names)
    }

    /// Returns the rows of A or the columns of B for each warp, in the order of the instruction's tile.
    fn lines(
        &self,
        step: usize,
        instruction: &InstructionTiles,
        (_, factor, rows, word): &FactorKey,
        products: &mut dyn Products<N>,
    ) -> Result<Rc<[Line]>, PlanFault> {
        let factor = *factor;
        let tile = &instruction.tiles[factor];
        let names = self.tile(step, tile, rows)?;
        let packed_log2 = instruction.row.operands[factor].packed.len();
        let k = instruction.sizes[2];
        let (count, lanes, each) = (instruction.sizes[factor], tile.lanes, k >> packed_log2);
        let mut lines = Vec::with_capacity(names.len() / each);
        for (warp, names) in (0..).step_by(lanes).zip(names.chunks_exact(count * each)) {
            let blocks = match word {
                None => None,
                Some((word, selector)) => {
                    let warp = warp..warp + lanes;
                    let blocks = self.scales(instruction, factor, (word, *selector), warp);
                    Some(blocks.ok_or(FaultKind::Lanes { step })?)
                }
            };
            for (own, elements) in names.chunks_exact(each).enumerate() {
                let scales = blocks.as_ref().map(|(blocks, block_log2)| {
                    let of_line = k >> block_log2;
                    (&blocks[own * of_line..][..of_line], *block_log2)
                });
                let line = products.line(&LineNames {
                    factor,
                    elements,
                    packed_log2,
                    scales,
                });
                lines.push(line.ok_or(FaultKind::Product { step })?);
            }
        }
        Ok(lines.into())
    }

    /// Returns the scales of A or B, and log2 of the number of elements along k that share a scale. The scales are
    /// ordered by row or column, and then by block of k. Returns `None` if replicas differ or a scale is missing.
    fn scales(
        &self,
        instruction: &InstructionTiles,
        factor: usize,
        (rows, selector): (&[NameRow], u32),
        lanes: core::ops::Range<usize>,
    ) -> Option<(Vec<N>, u8)> {
        let held = instruction.row.scales.as_ref()?;
        let (count, k) = (instruction.sizes[factor], instruction.sizes[2]);
        let mut found = vec![N::NOTHING; (count * k) >> held.block_log2];
        let operand = &held.operands[factor];
        for thread in lanes.clone() {
            for (byte, row) in rows.iter().enumerate().take(1 << operand.bytes.len()) {
                let lane = thread - lanes.start;
                let Some([own, of_k]) = operand.coordinates(byte, lane, selector) else {
                    continue;
                };
                let known = &mut found[(own * k + of_k) >> held.block_log2];
                let name = self.name(*row, thread);
                if *known != N::NOTHING && *known != name {
                    return None;
                }
                *known = name;
            }
        }
        (!found.contains(&N::NOTHING)).then_some((found, held.block_log2))
    }
}
