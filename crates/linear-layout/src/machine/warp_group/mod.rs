//! Products of warp groups: what each accumulator adds up, read through matrix descriptors.
//!
//! Each issue of each warp group is a tile: 64 lines of A, n lines of B, and the k of the instruction. Every element of
//! both is looked up: through the descriptor word in shared memory, at address 0 and at another one, for the view at
//! position 0, at each single bit of its mask and at all of them; or in the registers of the thread that the manual
//! names. Positions are sums and layouts linear, so these decide for all views. All elements of a line must belong to one
//! row of A or column of B, and all lines must have the same list of k. Then an accumulator adds up those k of its row
//! and column, and it remains to count: each k once.

mod reader;
#[cfg(test)]
mod tests;

use crate::f2::apply_columns;
use crate::layout::{Dim, LinearLayout};
use crate::number::narrow;
use crate::plan::memory::Place;
use crate::plan::warp_group::{
    FactorBuffer, IssuedFactor, LeftFactor, MatrixDescriptor, WarpGroupIssue, WarpGroupOperands,
    WarpGroupPlan,
};
use thiserror::Error;

pub use reader::{DescribedMatrix, DescriptorFault};

/// A fault of a plan of a product of warp groups, at the first place where it shows.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(transparent)]
pub struct WarpGroupFault(#[from] Kind);

#[derive(Clone, PartialEq, Eq, Debug, Error)]
enum Kind {
    #[error("the plan is not for these operands: it has {found} {what}, expected {expected}")]
    Shape {
        what: &'static str,
        found: u64,
        expected: u64,
    },
    #[error("{operand} has no descriptor: expected one, as it is in a buffer")]
    NoDescriptor { operand: char },
    #[error(transparent)]
    Descriptor(#[from] DescriptorFault),
    #[error(
        "issue {issue} of warp group {group} reads byte {byte} of the buffer of {operand}: expected the start of one of its \
         elements, below {bytes}"
    )]
    Byte {
        issue: usize,
        group: u64,
        operand: char,
        byte: u64,
        bytes: u64,
    },
    #[error(
        "issue {issue} of warp group {group} has element {found:?} of {operand} at line {line} and k {k} of its tile: expected \
         {expected:?} (line, k), as the elements beside it"
    )]
    Element {
        issue: usize,
        group: u64,
        operand: char,
        line: u64,
        k: u64,
        found: [u64; 2],
        expected: [u64; 2],
    },
    #[error("issue {issue} of warp group {group} multiplies k {found} of A by k {expected} of B")]
    Depth {
        issue: usize,
        group: u64,
        found: u64,
        expected: u64,
    },
    #[error(
        "issue {issue} adds products of {expected:?} to register {register} of lane {lane}, warp {warp}, which holds {found:?} \
         (m, n)"
    )]
    Sum {
        issue: usize,
        register: u32,
        lane: u64,
        warp: u64,
        found: [u64; 2],
        expected: [u64; 2],
    },
    #[error("register {register} of D adds k {k} {count} times: expected once")]
    Times { register: u64, k: u64, count: u32 },
    #[error("issue {issue} {} the first on register {register} of D", if *.is_said { "is said to be" } else { "is not said to be" })]
    First {
        issue: usize,
        register: u32,
        is_said: bool,
    },
}

/// Proves that each element of D adds up each k once, of the row of A and the column of B that it belongs to.
///
/// # Shape
/// `plan` is the plan of these operands. The order of the sum is not looked at, nor the types.
/// # Errors
/// The first fault: a tile of other elements, an accumulator of another element, a k twice or never, a wrong first issue.
pub fn check_warp_group_product(
    plan: &WarpGroupPlan,
    operands: &WarpGroupOperands<'_>,
) -> Result<(), WarpGroupFault> {
    Ok(check(plan, operands)?)
}

/// The warps of a warp group, and the lanes of a warp.
const WARPS: u64 = 4;
const LANES: u64 = 32;

fn check(plan: &WarpGroupPlan, operands: &WarpGroupOperands<'_>) -> Result<(), Kind> {
    let [m, n, _] = plan.sizes();
    let groups = operands.d.in_size(Dim::WARP) / WARPS;
    let registers = operands.d.in_size(Dim::REGISTER);
    let expect = |what, found, expected| {
        if found == expected {
            return Ok(());
        }
        Err(Kind::Shape {
            what,
            found,
            expected,
        })
    };
    expect("rows of a tile", m, 64)?;
    expect("lanes", operands.d.in_size(Dim::LANE), LANES)?;
    let matrices = [
        match operands.a {
            LeftFactor::Registers(_) => None,
            LeftFactor::Buffer(buffer) => Some(Matrix::of(plan, 0, buffer)?),
        },
        Some(Matrix::of(plan, 1, operands.b)?),
    ];
    for group in 0..groups {
        let mut counts = Counts::new(registers, operands.k);
        for (number, issue) in plan.issues().iter().enumerate() {
            let of_tile = m * n / (WARPS * LANES);
            expect("accumulators", issue.accumulators().len() as u64, of_tile)?;
            let tile = Tile {
                number,
                group,
                issue,
                plan,
            };
            let a = tile.left(operands.a, matrices[0].as_ref())?;
            let b = match &matrices[1] {
                Some(matrix) => tile.read(matrix, issue.b())?,
                None => return Err(Kind::NoDescriptor { operand: 'B' }),
            };
            tile.check_sums(operands.d, &a, &b)?;
            counts.add(&tile, &a.k)?;
        }
        counts.check()?;
    }
    Ok(())
}

/// A factor in shared memory.
struct Matrix<'a> {
    operand: usize,
    descriptor: &'a MatrixDescriptor,
    place: &'a Place,
    view_mask: u64,
    group_positions: &'a [u64],
}

impl<'a> Matrix<'a> {
    fn of(plan: &'a WarpGroupPlan, operand: usize, buffer: FactorBuffer<'a>) -> Result<Self, Kind> {
        let descriptor = plan.descriptor(operand).ok_or(Kind::NoDescriptor {
            operand: letter(operand),
        })?;
        if !buffer.place.paddings().is_empty() {
            return Err(Kind::Shape {
                what: "paddings of a buffer",
                found: buffer.place.paddings().len() as u64,
                expected: 0,
            });
        }
        Ok(Self {
            operand,
            descriptor,
            place: buffer.place,
            view_mask: buffer.view_mask,
            group_positions: plan.group_positions(operand),
        })
    }

    /// The positions of views that decide for all.
    fn views(&self) -> Vec<u64> {
        let bits = (0..u64::BITS).map(|bit| 1 << bit);
        let bits = bits.filter(|bit| self.view_mask & bit != 0);
        let mut views: Vec<u64> = std::iter::once(0).chain(bits).collect();
        if self.view_mask.count_ones() > 1 {
            views.push(self.view_mask);
        }
        views
    }

    /// The line and k of the element at a byte of the buffer.
    fn element(&self, byte: u64) -> Option<[u64; 2]> {
        let (layout, bytes) = (self.place.layout(), self.place.element_bytes());
        let position = byte / bytes;
        if byte % bytes != 0 || position >> layout.total_in_bits() != 0 {
            return None;
        }
        let at = coordinates(layout, layout.apply_packed(position));
        Some([at[self.operand], at[1 - self.operand]])
    }
}

/// The elements of a tile of a factor: those of the same line have one coordinate, and all lines one list of k.
#[derive(PartialEq, Eq)]
struct Lines {
    line: Vec<u64>,
    k: Vec<u64>,
}

/// One issue of one warp group.
struct Tile<'a> {
    number: usize,
    group: u64,
    issue: &'a WarpGroupIssue,
    plan: &'a WarpGroupPlan,
}

impl Tile<'_> {
    /// Reads a tile of a factor in shared memory, in all the places that it may have.
    fn read(&self, matrix: &Matrix<'_>, position: u64) -> Result<Lines, Kind> {
        let groups = matrix.group_positions.iter().enumerate();
        let groups = groups.filter(|(bit, _)| self.group >> bit & 1 == 1);
        let position = position + groups.map(|(_, own)| own).sum::<u64>();
        let (place, operand) = (matrix.place, matrix.operand);
        let bytes = place.size_bytes(1);
        let element_bytes = place.element_bytes();
        let mut known: Option<Lines> = None;
        for view in matrix.views() {
            let origin = matrix.element(view);
            // Aligned to 8 rows, but no power of two.
            let bases = [0, 5 * 1024].into_iter();
            for base in bases.filter(|base| *base == 0 || base + bytes <= 1 << 18) {
                let address = base + view + position;
                let word = matrix.descriptor.word() + matrix.descriptor.start(address);
                let described = DescribedMatrix::decode(word)?;
                let is_k_major = matrix.descriptor.is_k_major;
                let lines = self.lines(operand, |line, k| {
                    let address = described.address(element_bytes, is_k_major, line, k);
                    let byte = address.wrapping_sub(base);
                    let found = matrix.element(byte).zip(origin);
                    found
                        .map(|(at, from)| [at[0] ^ from[0], at[1] ^ from[1]])
                        .ok_or(Kind::Byte {
                            issue: self.number,
                            group: self.group,
                            operand: letter(operand),
                            byte,
                            bytes,
                        })
                })?;
                match &known {
                    Some(known) if *known == lines => {}
                    Some(known) => return Err(self.moved(operand, known, &lines)),
                    None => known = Some(lines),
                }
            }
        }
        known.ok_or(Kind::NoDescriptor {
            operand: letter(operand),
        })
    }

    /// A tile that has other elements for another view.
    fn moved(&self, operand: usize, known: &Lines, lines: &Lines) -> Kind {
        let pair = |lines: &Lines| [lines.line[0], lines.k[0]];
        Kind::Element {
            issue: self.number,
            group: self.group,
            operand: letter(operand),
            line: 0,
            k: 0,
            found: pair(lines),
            expected: pair(known),
        }
    }

    /// Reads the left factor.
    fn left(&self, a: LeftFactor<'_>, matrix: Option<&Matrix<'_>>) -> Result<Lines, Kind> {
        match (a, self.issue.a(), matrix) {
            (LeftFactor::Registers(layout), IssuedFactor::Words(words), _) => {
                self.read_words(layout, words)
            }
            (LeftFactor::Buffer(_), IssuedFactor::Position(position), Some(matrix)) => {
                self.read(matrix, *position)
            }
            _ => Err(Kind::Shape {
                what: "issues with A where it does not lie",
                found: 1,
                expected: 0,
            }),
        }
    }

    /// Reads A from registers: element k of row r of a warp is in lane `4 (r % 8) + k / w % 4`, with `w` elements in a word,
    /// in word `r / 8 + 2 (k / 4 w)`.
    fn read_words(&self, layout: &LinearLayout, words: &[Vec<u32>; 4]) -> Result<Lines, Kind> {
        let of_word = u64::from(32 / self.plan.types()[0].bits());
        if let Some(word) = words.iter().find(|word| word.len() as u64 != of_word) {
            return Err(Kind::Shape {
                what: "elements in a word",
                found: word.len() as u64,
                expected: of_word,
            });
        }
        self.lines(0, |line, k| {
            let (warp, row) = (WARPS * self.group + line / 16, line % 16);
            let lane = 4 * (row % 8) + k / of_word % 4;
            let word = narrow::<usize>(row / 8 + 2 * (k / (4 * of_word)));
            let register = words[word][narrow::<usize>(k % of_word)];
            held(layout, register, lane, warp)
        })
    }

    /// Collects the lines of a tile from its elements, each as (line, k).
    fn lines(
        &self,
        operand: usize,
        mut element: impl FnMut(u64, u64) -> Result<[u64; 2], Kind>,
    ) -> Result<Lines, Kind> {
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
                let found = element(line, k)?;
                let of_line = narrow::<usize>(line);
                let expected = [lines.line[of_line], lines.k[narrow::<usize>(k)]];
                if found != expected {
                    return Err(Kind::Element {
                        issue: self.number,
                        group: self.group,
                        operand: letter(operand),
                        line,
                        k,
                        found,
                        expected,
                    });
                }
            }
        }
        Ok(lines)
    }

    /// Compares the accumulators with the lines: element (i, j) of D is in warp `i / 16`, lane `4 (i % 8) + j / 2 % 4`,
    /// register `j % 2 + 2 (i / 8 % 2) + 4 (j / 8)`.
    fn check_sums(&self, d: &LinearLayout, a: &Lines, b: &Lines) -> Result<(), Kind> {
        if let Some((found, expected)) = a.k.iter().zip(&b.k).find(|(a, b)| a != b) {
            return Err(Kind::Depth {
                issue: self.number,
                group: self.group,
                found: *found,
                expected: *expected,
            });
        }
        for (i, m) in (0..).zip(&a.line) {
            let warp = WARPS * self.group + i / 16;
            for (j, n) in (0..).zip(&b.line) {
                let lane = 4 * (i % 8) + j / 2 % 4;
                let number = narrow::<usize>(j % 2 + 2 * (i / 8 % 2) + 4 * (j / 8));
                let register = self.issue.accumulators()[number];
                let found = held(d, register, lane, warp)?;
                if found != [*m, *n] {
                    return Err(Kind::Sum {
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

/// How often each register of D of the threads of a warp group has added each k.
struct Counts {
    k: u64,
    of_register: Vec<Vec<u32>>,
}

impl Counts {
    fn new(registers: u64, k: u64) -> Self {
        Self {
            k,
            of_register: vec![vec![0; narrow(k)]; narrow(registers)],
        }
    }

    fn add(&mut self, tile: &Tile<'_>, ks: &[u64]) -> Result<(), Kind> {
        for register in tile.issue.accumulators() {
            // Within range: the element that it holds was looked up.
            let counts = &mut self.of_register[*register as usize];
            let is_first = counts.iter().all(|count| *count == 0);
            if is_first != tile.issue.is_first_k() {
                return Err(Kind::First {
                    issue: tile.number,
                    register: *register,
                    is_said: tile.issue.is_first_k(),
                });
            }
            for k in ks {
                match counts.get_mut(narrow::<usize>(*k)) {
                    Some(count) => *count += 1,
                    None => {
                        return Err(Kind::Shape {
                            what: "elements along k",
                            found: k + 1,
                            expected: self.k,
                        });
                    }
                }
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), Kind> {
        for (register, counts) in (0..).zip(&self.of_register) {
            for (k, count) in (0..).zip(counts) {
                if *count != 1 {
                    return Err(Kind::Times {
                        register,
                        k,
                        count: *count,
                    });
                }
            }
        }
        Ok(())
    }
}

/// The element of an operand that a register of a thread holds.
fn held(layout: &LinearLayout, register: u32, lane: u64, warp: u64) -> Result<[u64; 2], Kind> {
    let mut found = 0;
    let values = [
        ("registers", Dim::REGISTER, u64::from(register)),
        ("lanes", Dim::LANE, lane),
        ("warps", Dim::WARP, warp),
    ];
    for (what, dim, value) in values {
        let expected = layout.in_size(dim);
        if value >= expected {
            return Err(Kind::Shape {
                what,
                found: value + 1,
                expected,
            });
        }
        found ^= apply_columns(layout.columns_of(dim), value);
    }
    Ok(coordinates(layout, found))
}

/// The first two coordinates of a packed point.
fn coordinates(layout: &LinearLayout, packed: u64) -> [u64; 2] {
    let all = layout.unpack(packed);
    let mut all = all.iter();
    [(); 2].map(|()| all.next().unwrap_or(0))
}

const fn letter(operand: usize) -> char {
    ['A', 'B'][operand]
}
