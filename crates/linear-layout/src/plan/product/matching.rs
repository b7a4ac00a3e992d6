//! Matching of an instruction's tile with the layouts of three tensors.

use super::coordinates::{Axes, K, M, N, Point};
use super::mismatch::Mismatch;
use crate::f2::Span;
use crate::layout::{Dim, LinearLayout};
use crate::number::narrow;
use crate::target::{Product, TileBit};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

fn plus(a: Point, b: Point) -> Point {
    core::array::from_fn(|i| a[i] ^ b[i])
}

/// The layout of an operand: for each register, lane and warp bit, the coordinates (matrix, m, n, k) that the bit
/// contributes. The coordinates of an element are the exclusive or of the contributions of all set bits.
#[derive(Clone, Debug)]
pub(super) struct Elements {
    pub(super) registers: Vec<Point>,
    pub(super) lanes: Vec<Point>,
    pub(super) warps: Vec<Point>,
}

impl Elements {
    pub(super) fn of(layout: &LinearLayout, axes: Axes) -> Self {
        let columns = |dim| -> Vec<Point> {
            let columns = layout.columns_of(dim).iter();
            columns
                .map(|column| {
                    let coords = layout.unpack(*column).to_vec();
                    let mut at = [0; 4];
                    let (matrix, own) = coords.split_at(coords.len() - 2);
                    at[0] = matrix.first().copied().unwrap_or(0);
                    for (dim, value) in axes.dims.into_iter().zip(own) {
                        at[dim] = *value << if dim == K { axes.k_log2 } else { 0 };
                    }
                    at
                })
                .collect()
        };
        Self {
            registers: columns(Dim::REGISTER),
            lanes: columns(Dim::LANE),
            warps: columns(Dim::WARP),
        }
    }
}

/// A map from an instruction's tile to the tensors: for each bit of m, n and k of the tile, a tensor coordinate
/// along the same dim. Bits for which the tensors are too small are mapped to 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Renaming {
    /// For each of m, n and k, a map from the index of a tile bit to the tensor coordinate to which this bit is
    /// mapped.
    images: [FxHashMap<u8, u64>; 3],
}

const fn dim_and_bit(bit: TileBit) -> Option<(usize, u8)> {
    match bit {
        TileBit::M(bit) => Some((M, bit)),
        TileBit::N(bit) => Some((N, bit)),
        TileBit::K(bit) => Some((K, bit)),
        TileBit::Copy => None,
    }
}

impl Renaming {
    /// Returns the coordinates to which the renaming maps a bit of the tile; all 0 if the bit is not assigned.
    pub(super) fn image(&self, bit: TileBit) -> Point {
        let mut at = [0; 4];
        if let Some((dim, bit)) = dim_and_bit(bit) {
            at[dim] = self.images[dim - 1].get(&bit).copied().unwrap_or(0);
        }
        at
    }

    fn is_assigned(&self, bit: TileBit) -> bool {
        dim_and_bit(bit).is_none_or(|(dim, bit)| self.images[dim - 1].contains_key(&bit))
    }

    /// Maps the tile bit `bit` to the coordinates `to`. Fails if `to` has a nonzero coordinate along a dim other
    /// than that of `bit`, or if `bit` is already mapped to other coordinates. The error contains the coordinates
    /// to which `bit` was already mapped, if any.
    fn assign(&mut self, bit: TileBit, to: Point) -> Result<(), Option<Point>> {
        let Some((dim, number)) = dim_and_bit(bit) else {
            return if to == [0; 4] { Ok(()) } else { Err(None) };
        };
        let is_alone = (0..4).all(|other| other == dim || to[other] == 0);
        if !is_alone {
            return Err(self.is_assigned(bit).then(|| self.image(bit)));
        }
        let image = *self.images[dim - 1].entry(number).or_insert(to[dim]);
        (image == to[dim])
            .then_some(())
            .ok_or_else(|| Some(self.image(bit)))
    }

    /// Returns each assigned tile bit with the tensor coordinate to which it is mapped: first the bits of m, then
    /// n, then k.
    pub(super) fn bits(&self) -> Vec<(TileBit, u64)> {
        let dims = [TileBit::M, TileBit::N, TileBit::K];
        let images = dims.iter().zip(&self.images);
        let images =
            images.flat_map(|(dim, images)| images.iter().map(|(bit, to)| (dim(*bit), *to)));
        let mut bits: Vec<_> = images.collect();
        bits.sort_unstable();
        bits
    }

    /// Returns the linear span (over GF(2)) of the tensor coordinates to which the tile bits of `dim` (m, n or k)
    /// are mapped.
    pub(super) fn span(&self, dim: usize) -> Span {
        let mut span = Span::empty();
        for image in self.images[dim - 1].values() {
            span.insert(*image);
        }
        span
    }

    /// Finds a renaming that is necessary for the instruction `row` to match the given operands:
    /// - A tile bit that numbers the elements within a byte is mapped to a low bit of k.
    /// - A tile bit that the instruction assigns to a lane bit of a given operand is mapped to the coordinates
    ///   of this lane bit in the operand's layout.
    /// - If the instruction assigns a tile bit to register bits of one or more given operands, the tile bit is
    ///   mapped to a coordinate that is the column of a register bit in each of these operands.
    /// - A tile bit that the instruction assigns to no lane bit and no register bit of a given operand is
    ///   mapped to the lowest free coordinate bit.
    /// - A tile bit for which no coordinate is found is mapped to 0.
    ///
    /// Returns a mismatch if lane bits require different coordinates of one tile bit, or if a bit of k would split
    /// a block of elements that share a scale.
    pub(super) fn of(
        row: &Product,
        operands: [Option<&Elements>; 3],
        sizes: Point,
    ) -> Result<Self, Mismatch> {
        let mut renaming = Self::default();
        // The elements of a byte are neighbours along k.
        for (number, bit) in row
            .operands
            .iter()
            .flat_map(|o| o.packed.iter().enumerate())
        {
            let mut at = [0; 4];
            at[K] = 1 << number;
            renaming.assign(*bit, at).unwrap_or(());
        }
        let block_log2 = row.scales.as_ref().map(|scales| scales.block_log2);
        // A block with one scale is not split.
        let may_be_at = |bit: TileBit, image: u64| match (bit, block_log2) {
            (TileBit::K(bit), Some(block_log2)) => {
                let blocks = image >> block_log2;
                let whole = blocks << block_log2 == image;
                if bit < block_log2 { blocks == 0 } else { whole }
            }
            _ => true,
        };
        // The sum first, since it constrains both factors.
        let given = |operand: usize| operands[operand].map(|elements| (operand, elements));
        for (operand, elements) in [2, 0, 1].into_iter().filter_map(given) {
            let bits = &row.operands[operand].lanes;
            if bits.is_empty() {
                continue;
            }
            for (number, (bit, column)) in bits.iter().zip(&elements.lanes).enumerate() {
                renaming
                    .assign(*bit, *column)
                    .map_err(|expected| Mismatch::Lane {
                        operand,
                        number,
                        bit: *bit,
                        found: *column,
                        expected,
                    })?;
            }
        }
        let all: BTreeSet<TileBit> = row
            .operands
            .iter()
            .flat_map(|operand| operand.registers.iter().chain(&operand.lanes))
            .copied()
            .collect();
        for bit in all {
            let Some((dim, number)) = dim_and_bit(bit).filter(|_| !renaming.is_assigned(bit))
            else {
                continue;
            };
            let mut span = renaming.span(dim);
            let holders: Vec<&Elements> = (0..3)
                .filter(|operand| row.operands[*operand].registers.contains(&bit))
                .filter_map(|operand| operands[operand])
                .collect();
            let image = match holders.split_first() {
                Some((first, others)) => {
                    let alone = |at: &&Point| (0..4).all(|i| (i == dim) != (at[i] == 0));
                    let allowed = |at: &&Point| alone(at) && may_be_at(bit, at[dim]);
                    let mut columns = first.registers.iter().filter(allowed);
                    let is_shared = |at: &&Point| others.iter().all(|o| o.registers.contains(at));
                    columns
                        .find(|at| span.reduce(at[dim]) != 0 && is_shared(at))
                        .map_or(0, |at| at[dim])
                }
                None => {
                    let mut units = (0..).map(|i| 1 << i).take_while(|unit| *unit < sizes[dim]);
                    let is_free = |unit: &u64| may_be_at(bit, *unit) && span.insert(*unit);
                    units.find(is_free).unwrap_or(0)
                }
            };
            renaming.images[dim - 1].insert(number, image);
        }
        for (bit, found) in renaming.bits() {
            if let Some(block_log2) = block_log2.filter(|_| !may_be_at(bit, found)) {
                return Err(Mismatch::Block {
                    bit,
                    found,
                    block_log2,
                });
            }
        }
        Ok(renaming)
    }
}

/// The registers of an operand, divided into tiles. Some register bits number the elements of a tile, and the
/// remaining register bits number the tiles. A tile is identified by its first register.
#[derive(Debug)]
struct OperandTiles {
    /// For each register bit of the instruction's tile, the register bit of the tensor to which it is mapped.
    /// `None` if the tensor is too small for this bit of the tile.
    bits: Vec<Option<usize>>,
    /// For each tile, (first register, coordinates of the first element). The register bits in `bits` are clear in
    /// the first register.
    begins: Vec<(usize, Point)>,
    /// Map from the coordinates of a tile's first element to the tile's first register. If several tiles have the
    /// same coordinates, the lowest register is used.
    first: FxHashMap<Point, usize>,
}

impl OperandTiles {
    fn of(elements: &Elements, bits: &[TileBit], renaming: &Renaming) -> Result<Self, TileBit> {
        let mut taken = Vec::with_capacity(bits.len());
        for bit in bits {
            let image = renaming.image(*bit);
            let register = elements.registers.iter().position(|at| *at == image);
            if image != [0; 4] && register.is_none() {
                return Err(*bit);
            }
            taken.push(register.filter(|_| image != [0; 4]));
        }
        let others: Vec<usize> = (0..elements.registers.len())
            .filter(|bit| !taken.contains(&Some(*bit)))
            .collect();
        let mut begins = Vec::with_capacity(1 << others.len());
        let mut first = FxHashMap::default();
        for number in 0..1usize << others.len() {
            let chosen = others.iter().zip(0..);
            let chosen = chosen.filter(|(_, i)| number >> i & 1 == 1);
            let (register, at) = chosen.fold((0, [0; 4]), |(register, at), (bit, _)| {
                (register | 1 << bit, plus(at, elements.registers[*bit]))
            });
            begins.push((register, at));
            first.entry(at).or_insert(register);
        }
        Ok(Self {
            bits: taken,
            begins,
            first,
        })
    }

    /// Returns the register of each element of the tile that starts at register `first`. If two tile bits are
    /// mapped to the same register bit, this register bit is the exclusive or of the two tile bits.
    fn registers(&self, first: usize) -> Vec<usize> {
        let count = 1usize << self.bits.len();
        let of = |element: usize| {
            let bits = self.bits.iter().zip(0..);
            let set = bits.filter(|(_, i)| element >> i & 1 == 1);
            set.filter_map(|(bit, _)| *bit)
                .fold(first, |register, bit| register ^ 1 << bit)
        };
        (0..count).map(of).collect()
    }
}

/// One execution (issue) of an instruction. It multiplies one tile of A by one tile of B, and adds the product to
/// one tile of D.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Issue {
    /// Coordinates (matrix, m, n, k) of the first elements of the three tiles.
    pub(super) at: Point,
    /// For each of A, B and D, the registers that hold the elements of the tile, in the order of the elements.
    pub(super) registers: [Vec<usize>; 3],
}

/// The match of an instruction with a product: the [`Renaming`] of the instruction's tile, and the issues
/// (executions) that compute the whole product.
#[derive(Debug)]
pub(super) struct Match {
    /// Tensor coordinate to which each bit of the tile is mapped.
    pub(super) renaming: Renaming,
    /// All issues, sorted by k. Issues with the same k are sorted by the first register of their tile of D.
    pub(super) issues: Vec<Issue>,
    /// For each element of the tile of A that a lane holds, true if the element must be replaced by zero. Such an
    /// element repeats another element, because one of its bits of k has no counterpart in the tensor. Without the
    /// replacement, the same product would be added twice.
    pub(super) zero_elements: Vec<bool>,
    /// Mask of the lane bits that number replicas of A's elements. A lane in which at least one of these bits is
    /// set replaces its elements of A by zero, so that their products are not added twice.
    pub(super) zero_lanes: u32,
}

impl Match {
    /// Matches the instruction `row` with operands A, B and D that have the given layouts. Returns the first
    /// mismatch if they do not match.
    pub(super) fn of(
        row: &Product,
        operands: [&Elements; 3],
        k_size: u64,
    ) -> Result<Self, Mismatch> {
        let renaming = Renaming::of(row, operands.map(Some), [0, 0, 0, k_size])?;
        let [a, b, d] = operands;
        // Bits that the instruction does not cover must agree in all threads, since registers are the same everywhere.
        let outer = |elements: &Elements| match row.is_per_lane() {
            true => [&elements.lanes[..], &elements.warps].concat(),
            false => elements.warps.clone(),
        };
        let lanes = outer(d).len() - d.warps.len();
        let threads = outer(a).into_iter().zip(outer(b)).zip(outer(d));
        for (number, ((a, b), d)) in threads.enumerate() {
            let [matrix, m, n, _] = d;
            let expected = [[matrix, m, 0, 0], [matrix, 0, n, 0]];
            for (operand, (found, expected)) in [a, b].into_iter().zip(expected).enumerate() {
                if found != expected {
                    let (dim, number) = match number.checked_sub(lanes) {
                        Some(number) => (Dim::WARP, number),
                        None => (Dim::LANE, number),
                    };
                    return Err(Mismatch::Thread {
                        operand,
                        dim,
                        number,
                        found,
                        expected,
                    });
                }
            }
        }
        let tiles = |operand: usize| {
            let bits = &row.operands[operand].registers;
            OperandTiles::of(operands[operand], bits, &renaming).map_err(|bit| Mismatch::Register {
                operand,
                bit,
                expected: renaming.image(bit),
            })
        };
        let [a, b, d] = [tiles(0)?, tiles(1)?, tiles(2)?];
        let ks: BTreeSet<u64> = (a.first.keys())
            .filter(|at| at[..K] == [0; 3])
            .map(|at| at[K])
            .collect();
        // Coinciding bits of k would add products twice.
        let images = renaming.images[K - 1].values();
        let bits = images.filter(|image| **image != 0).count();
        let found = (ks.len() as u64) << bits;
        if found != k_size || bits != renaming.span(K).dimension() {
            return Err(Mismatch::Depth {
                found,
                expected: k_size,
            });
        }
        let begin = |tiles: &OperandTiles, operand: usize, at: Point| {
            let first = tiles.first.get(&at).copied();
            first.ok_or(Mismatch::Tile { operand, at })
        };
        let mut issues = Vec::with_capacity(ks.len() * d.begins.len());
        for k in ks {
            for (register, [matrix, m, n, _]) in &d.begins {
                let left = begin(&a, 0, [*matrix, *m, 0, k])?;
                let right = begin(&b, 1, [*matrix, 0, *n, k])?;
                issues.push(Issue {
                    at: [*matrix, *m, *n, k],
                    registers: [
                        a.registers(left),
                        b.registers(right),
                        d.registers(*register),
                    ],
                });
            }
        }
        let is_twice =
            |bit: &TileBit| matches!(bit, TileBit::K(_)) && renaming.image(*bit) == [0; 4];
        let mask = |bits: &[TileBit]| -> usize {
            let bits = bits.iter().zip(0..);
            bits.filter(|(bit, _)| is_twice(bit))
                .fold(0, |mask, (_, i)| mask | 1 << i)
        };
        let left = &row.operands[0];
        let (twice, zero_lanes) = (mask(&left.registers), mask(&left.lanes));
        Ok(Self {
            renaming,
            issues,
            zero_elements: (0..1usize << left.registers.len())
                .map(|element| element & twice != 0)
                .collect(),
            zero_lanes: narrow(zero_lanes),
        })
    }
}
