//! Tiles of one issue: the elements of A and B, and the accumulators of their products.

use super::reader::{DescribedMatrix, REACH};
use super::{WARPS, WarpGroupFaultKind};
use crate::f2::{apply_columns, low_mask};
use crate::layout::{Dim, LinearLayout};
use crate::number::narrow;
use crate::plan::memory::BufferLayout;
use crate::plan::warp_group::{
    FactorBuffer, IssuedFactor, MatrixDescriptor, WarpGroupIssue, WarpGroupPlan,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub(super) struct SharedFactor<'a> {
    operand: usize,
    descriptor: &'a MatrixDescriptor,
    place: &'a BufferLayout,
    view_mask: u64,
    group_positions: &'a [u64],
    /// The element `[line, k]` that is stored at each position of the buffer.
    elements: Vec<[u64; 2]>,
    /// The lines that have already been read. The key is the position of their tile in the buffer.
    known: FxHashMap<u64, Rc<Lines>>,
}

impl<'a> SharedFactor<'a> {
    pub(super) fn of(
        plan: &'a WarpGroupPlan,
        operand: usize,
        buffer: FactorBuffer<'a>,
    ) -> Result<Self, WarpGroupFaultKind> {
        let descriptor = plan
            .descriptor(operand)
            .ok_or(WarpGroupFaultKind::NoDescriptor {
                operand: letter(operand),
            })?;
        let bits = 8 * buffer.layout.element_bytes();
        if !descriptor.is_k_major && bits != 16 {
            return Err(WarpGroupFaultKind::Transposed {
                operand: letter(operand),
                bits,
            });
        }
        if !buffer.layout.paddings().is_empty() {
            return Err(WarpGroupFaultKind::Shape {
                what: "padding rules in a buffer",
                found: buffer.layout.paddings().len() as u64,
                expected: 0,
            });
        }
        let (layout, bytes) = (buffer.layout.layout(), buffer.layout.size_bytes(1));
        if bytes > REACH {
            return Err(WarpGroupFaultKind::Far {
                operand: letter(operand),
                bytes,
            });
        }
        let elements = (0..bytes / buffer.layout.element_bytes()).map(|position| {
            let at = coordinates(layout.apply_packed(position), rows_log2(layout));
            [at[operand], at[1 - operand]]
        });
        Ok(Self {
            operand,
            descriptor,
            elements: elements.collect(),
            place: buffer.layout,
            view_mask: buffer.view_mask,
            group_positions: plan.group_positions(operand),
            known: FxHashMap::default(),
        })
    }

    /// Returns the view positions to test: 0, each single bit of the view mask, and the whole mask.
    fn views(&self) -> Vec<u64> {
        let bits = (0..u64::BITS).map(|bit| 1 << bit);
        let bits = bits.filter(|bit| self.view_mask & bit != 0);
        let mut views: Vec<u64> = std::iter::once(0).chain(bits).collect();
        if self.view_mask.count_ones() > 1 {
            views.push(self.view_mask);
        }
        views
    }

    fn element(&self, byte: u64) -> Option<[u64; 2]> {
        let bytes = self.place.element_bytes();
        if !byte.is_multiple_of(bytes) {
            return None;
        }
        let position = usize::try_from(byte / bytes).ok()?;
        self.elements.get(position).copied()
    }
}

pub(super) enum FactorA<'a> {
    Registers(OperandRegisters),
    Buffer(SharedFactor<'a>),
}

/// The rows of A or the columns of B that form a tile.
///
/// `line[i]` is the index that row or column `i` of the tile has in the operand. `k` contains the indices along k,
/// which are the same for all rows or columns.
#[derive(PartialEq, Eq)]
pub(super) struct Lines {
    pub(super) line: Vec<u64>,
    pub(super) k: Vec<u64>,
}

#[derive(Clone, Copy)]
pub(super) struct IssueTile<'a> {
    pub(super) number: usize,
    pub(super) group: u64,
    pub(super) issue: &'a WarpGroupIssue,
    pub(super) plan: &'a WarpGroupPlan,
}

impl IssueTile<'_> {
    /// Reads a tile from shared memory, and checks that the result is the same for all positions of the view.
    pub(super) fn read(
        &self,
        matrix: &mut SharedFactor<'_>,
        position: u64,
    ) -> Result<Rc<Lines>, WarpGroupFaultKind> {
        let groups = matrix.group_positions.iter().enumerate();
        let groups = groups.filter(|(bit, _)| self.group >> bit & 1 == 1);
        let position = position + groups.map(|(_, own)| own).sum::<u64>();
        if let Some(known) = matrix.known.get(&position) {
            return Ok(Rc::clone(known));
        }
        let lines = self.read_at(matrix, position, [0, 0])?;
        for view in matrix.views() {
            // 5 KiB: a multiple of 8 rows, but no power of two.
            for base in [0, 5 * 1024] {
                if base + matrix.place.size_bytes(1) <= REACH {
                    let other = self.read_at(matrix, position, [base, view])?;
                    self.compare(matrix.operand, &other, &lines)?;
                }
            }
        }
        let lines = Rc::new(lines);
        matrix.known.insert(position, Rc::clone(&lines));
        Ok(lines)
    }

    /// Reads a tile from shared memory. `base` is the address of the buffer, and `view` is the position of the
    /// view.
    ///
    /// The coordinates in the result are relative to the view.
    fn read_at(
        &self,
        matrix: &SharedFactor<'_>,
        position: u64,
        [base, view]: [u64; 2],
    ) -> Result<Lines, WarpGroupFaultKind> {
        let (operand, descriptor) = (matrix.operand, matrix.descriptor);
        let element_bytes = matrix.place.element_bytes();
        let address = base + view + position;
        let described = DescribedMatrix::decode(descriptor.word() + descriptor.start(address))?;
        let origin = matrix.element(view);
        self.lines(operand, |line, k| {
            let address = described.address(element_bytes, descriptor.is_k_major, line, k);
            let byte = address.wrapping_sub(base);
            let found = matrix.element(byte).zip(origin);
            let of_view = found.map(|(at, from)| [at[0] ^ from[0], at[1] ^ from[1]]);
            of_view.ok_or(WarpGroupFaultKind::Byte {
                issue: self.number,
                group: self.group,
                operand: letter(operand),
                byte,
                bytes: matrix.place.size_bytes(1),
            })
        })
    }

    fn compare(
        &self,
        operand: usize,
        found: &Lines,
        expected: &Lines,
    ) -> Result<(), WarpGroupFaultKind> {
        for (line, pair) in (0..).zip(found.line.iter().zip(&expected.line)) {
            for (k, other) in (0..).zip(found.k.iter().zip(&expected.k)) {
                self.compare_element((operand, line, k), [*pair.0, *other.0], [*pair.1, *other.1])?;
            }
        }
        Ok(())
    }

    fn compare_element(
        &self,
        (operand, line, k): (usize, u64, u64),
        found: [u64; 2],
        expected: [u64; 2],
    ) -> Result<(), WarpGroupFaultKind> {
        if found == expected {
            return Ok(());
        }
        Err(WarpGroupFaultKind::Element {
            issue: self.number,
            group: self.group,
            operand: letter(operand),
            line,
            k,
            found,
            expected,
        })
    }

    pub(super) fn read_a(&self, a: &mut FactorA<'_>) -> Result<Rc<Lines>, WarpGroupFaultKind> {
        match (a, self.issue.a()) {
            (FactorA::Registers(held), IssuedFactor::Words(words)) => {
                Ok(Rc::new(self.read_words(held, words)?))
            }
            (FactorA::Buffer(matrix), IssuedFactor::Position(position)) => {
                self.read(matrix, *position)
            }
            (FactorA::Registers(_), _) => Err(WarpGroupFaultKind::FactorA { found: "a buffer" }),
            (FactorA::Buffer(_), _) => Err(WarpGroupFaultKind::FactorA { found: "registers" }),
        }
    }

    /// Reads a tile from registers.
    ///
    /// If a word holds `w` elements, element k of row r is in lane `4 (r % 8) + (k / w) % 4`, and in word
    /// `r / 8 + 2 (k / (4 w))`.
    fn read_words(
        &self,
        held: &OperandRegisters,
        words: &[Vec<u32>; 4],
    ) -> Result<Lines, WarpGroupFaultKind> {
        let of_word = u64::from(32 / self.plan.types()[0].bits());
        if let Some(word) = words.iter().find(|word| word.len() as u64 != of_word) {
            return Err(WarpGroupFaultKind::Shape {
                what: "elements per word",
                found: word.len() as u64,
                expected: of_word,
            });
        }
        self.lines(0, |line, k| {
            let (warp, row) = (WARPS * self.group + line / 16, line % 16);
            let lane = 4 * (row % 8) + k / of_word % 4;
            let word = narrow::<usize>(row / 8 + 2 * (k / (4 * of_word)));
            let register = words[word][narrow::<usize>(k % of_word)];
            held.element(register, lane, warp)
        })
    }

    /// Returns the lines of a tile. `element` maps the position `(line, k)` in the tile to the position
    /// `[row or column, k]` in the operand.
    fn lines(
        &self,
        operand: usize,
        mut element: impl FnMut(u64, u64) -> Result<[u64; 2], WarpGroupFaultKind>,
    ) -> Result<Lines, WarpGroupFaultKind> {
        let sizes = self.plan.sizes();
        let (count, depth) = (sizes[operand], sizes[2]);
        let mut lines = Lines {
            line: Vec::new(),
            k: Vec::new(),
        };
        for k in 0..depth {
            lines.k.push(element(0, k)?[1]);
        }
        for line in 0..count {
            lines.line.push(element(line, 0)?[0]);
            for k in 0..depth {
                let expected = [
                    lines.line[narrow::<usize>(line)],
                    lines.k[narrow::<usize>(k)],
                ];
                self.compare_element((operand, line, k), element(line, k)?, expected)?;
            }
        }
        Ok(lines)
    }

    pub(super) fn check_depth(&self, a: &Lines, b: &Lines) -> Result<(), WarpGroupFaultKind> {
        match a.k.iter().zip(&b.k).find(|(a, b)| a != b) {
            None => Ok(()),
            Some((found, expected)) => Err(WarpGroupFaultKind::Depth {
                issue: self.number,
                group: self.group,
                found: *found,
                expected: *expected,
            }),
        }
    }

    /// Checks that each accumulator holds the element of D that the instruction updates.
    ///
    /// Element (i, j) of D is in warp `i / 16`, lane `4 (i % 8) + (j / 2) % 4`, and in register
    /// `j % 2 + 2 ((i / 8) % 2) + 4 (j / 8)`.
    pub(super) fn check_sums(
        &self,
        d: &OperandRegisters,
        a: &Lines,
        b: &Lines,
    ) -> Result<(), WarpGroupFaultKind> {
        for (i, m) in (0..).zip(&a.line) {
            let warp = WARPS * self.group + i / 16;
            for (j, n) in (0..).zip(&b.line) {
                let lane = 4 * (i % 8) + j / 2 % 4;
                let number = narrow::<usize>(j % 2 + 2 * (i / 8 % 2) + 4 * (j / 8));
                let register = self.issue.accumulators()[number];
                let found = d.element(register, lane, warp)?;
                if found != [*m, *n] {
                    return Err(WarpGroupFaultKind::Sum {
                        issue: self.number,
                        register,
                        lane,
                        warp,
                        found,
                        expected: [*m, *n],
                    });
                }
            }
        }
        Ok(())
    }
}

pub(super) struct OperandRegisters {
    /// Three tables, which are indexed by the register number, the lane number and the warp number. The packed
    /// coordinates of an element are the XOR of three entries, one from each table.
    tables: [Vec<u64>; 3],
    rows_log2: usize,
}

impl OperandRegisters {
    pub(super) fn of(layout: &LinearLayout) -> Self {
        let table = |dim| {
            let columns = layout.columns_of(dim);
            let values = 0..layout.in_size(dim);
            values.map(|value| apply_columns(columns, value)).collect()
        };
        Self {
            tables: [Dim::REGISTER, Dim::LANE, Dim::WARP].map(table),
            rows_log2: rows_log2(layout),
        }
    }

    fn element(&self, register: u32, lane: u64, warp: u64) -> Result<[u64; 2], WarpGroupFaultKind> {
        let mut packed = 0;
        let numbers = [u64::from(register), lane, warp];
        let what = ["registers", "lanes", "warps"];
        for ((table, number), what) in self.tables.iter().zip(numbers).zip(what) {
            match table.get(narrow::<usize>(number)) {
                Some(added) => packed ^= added,
                None => {
                    return Err(WarpGroupFaultKind::Shape {
                        what,
                        found: number + 1,
                        expected: table.len() as u64,
                    });
                }
            }
        }
        Ok(coordinates(packed, self.rows_log2))
    }
}

fn rows_log2(layout: &LinearLayout) -> usize {
    layout
        .out_dims()
        .next()
        .map_or(0, |dim| layout.out_bits(dim))
}

const fn coordinates(packed: u64, rows_log2: usize) -> [u64; 2] {
    [packed & low_mask(rows_log2), packed >> rows_log2]
}

pub(super) const fn letter(operand: usize) -> char {
    ['A', 'B'][operand]
}
