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
mod tile;

use crate::layout::Dim;
use crate::number::narrow;
use crate::plan::warp_group::{LeftFactor, WarpGroupOperands, WarpGroupPlan};
use std::rc::Rc;
use thiserror::Error;
use tile::{Held, Left, Lines, Matrix, Tile};

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
    #[error("{operand} is transposed with elements of {bits} bits: expected 16")]
    Transposed { operand: char, bits: u64 },
    #[error(
        "the buffer of {operand} takes {bytes} bytes: expected at most those that a descriptor reaches"
    )]
    Far { operand: char, bytes: u64 },
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
    #[error(
        "issue {issue} adds k {found} to register {register} of D: expected k {expected}, the next one"
    )]
    Next {
        issue: usize,
        register: u32,
        found: u64,
        expected: u64,
    },
    #[error("register {register} of D adds {found} values of k: expected {expected}")]
    Rest {
        register: usize,
        found: u64,
        expected: u64,
    },
    #[error("A is issued from {found}, where it does not lie")]
    Left { found: &'static str },
    #[error("issue {issue} {} the first on register {register} of D", if *.is_said { "is said to be" } else { "is not said to be" })]
    First {
        issue: usize,
        register: u32,
        is_said: bool,
    },
}

/// Proves that each element of D adds up each k once, in ascending order, of the row of A and the column of B that it
/// belongs to.
///
/// # Shape
/// `plan` is the plan of these operands. Of types only the widths are looked at.
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

fn expect(what: &'static str, found: u64, expected: u64) -> Result<(), Kind> {
    if found == expected {
        return Ok(());
    }
    Err(Kind::Shape {
        what,
        found,
        expected,
    })
}

fn check(plan: &WarpGroupPlan, operands: &WarpGroupOperands<'_>) -> Result<(), Kind> {
    let [m, n, depth] = plan.sizes();
    let d = operands.d;
    expect("rows of a tile", m, 64)?;
    expect("columns of a tile", n, (n / 8 * 8).clamp(8, 256))?;
    for number in operands.factors {
        expect(
            "elements along k of a tile",
            depth,
            u64::from(256 / number.bits()),
        )?;
    }
    expect("lanes", d.in_size(Dim::LANE), LANES)?;
    let mut left = match operands.a {
        LeftFactor::Registers(layout) => Left::Registers(Held::of(layout)),
        LeftFactor::Buffer(buffer) => Left::Buffer(Matrix::of(plan, 0, buffer)?),
    };
    let sums = Held::of(d);
    let mut right = Matrix::of(plan, 1, operands.b)?;
    for group in 0..d.in_size(Dim::WARP) / WARPS {
        let mut next = NextK {
            of_register: vec![0; narrow(d.in_size(Dim::REGISTER))],
        };
        // The accumulators of issues along k are compared once.
        let mut known: Option<(&[u32], Rc<Lines>, Rc<Lines>)> = None;
        for (number, issue) in plan.issues().iter().enumerate() {
            let accumulators = issue.accumulators();
            let count = accumulators.len() as u64;
            expect("accumulators", count, m * n / (WARPS * LANES))?;
            let tile = Tile {
                number,
                group,
                issue,
                plan,
            };
            let a = tile.left(&mut left)?;
            let b = tile.read(&mut right, issue.b())?;
            tile.check_depth(&a, &b)?;
            let is_known = known.as_ref().is_some_and(|known| {
                known.0 == accumulators && known.1.line == a.line && known.2.line == b.line
            });
            if !is_known {
                tile.check_sums(&sums, &a, &b)?;
            }
            next.add(&tile, &a.k)?;
            known = Some((accumulators, a, b));
        }
        next.check(operands.k)?;
    }
    Ok(())
}

/// The k that each register of D of the threads of a warp group adds next.
struct NextK {
    of_register: Vec<u64>,
}

impl NextK {
    fn add(&mut self, tile: &Tile<'_>, ks: &[u64]) -> Result<(), Kind> {
        let issue = tile.number;
        for register in tile.issue.accumulators().iter().copied() {
            // Within range: the element that it holds was looked up.
            let next = &mut self.of_register[register as usize];
            let is_said = tile.issue.is_first_k();
            if (*next == 0) != is_said {
                return Err(Kind::First {
                    issue,
                    register,
                    is_said,
                });
            }
            for found in ks.iter().copied() {
                if found != *next {
                    return Err(Kind::Next {
                        issue,
                        register,
                        found,
                        expected: *next,
                    });
                }
                *next += 1;
            }
        }
        Ok(())
    }

    fn check(&self, k: u64) -> Result<(), Kind> {
        let mut registers = self.of_register.iter().enumerate();
        match registers.find(|(_, next)| **next != k) {
            None => Ok(()),
            Some((register, found)) => Err(Kind::Rest {
                register,
                found: *found,
                expected: k,
            }),
        }
    }
}
