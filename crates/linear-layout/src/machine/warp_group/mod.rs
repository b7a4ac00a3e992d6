//! Verification of warp-group products (`wgmma`): reads the operands through matrix descriptors, and determines the
//! products that each accumulator adds.
//!
//! One issue of one warp group multiplies one tile: 64 rows of A and n columns of B, the *lines*. The check resolves
//! every element of A and B:
//!
//! - in shared memory, through the descriptor word, for two base addresses, and for these views: position 0, each
//!   single bit of the view mask, and the whole mask. Layouts are linear, so the result holds for all views;
//! - in a register, by the register assignment of the PTX manual.
//!
//! All elements of a line must belong to one row or column, and all lines must have the same list of k. Each k must
//! occur once per accumulator, in ascending order.

mod reader;
#[cfg(test)]
mod tests;
mod tile;

use crate::layout::Dim;
use crate::number::narrow;
use crate::plan::warp_group::{LeftFactor, WarpGroupOperands, WarpGroupPlan};
use std::rc::Rc;
use thiserror::Error;
use tile::{FactorA, IssueTile, Lines, OperandRegisters, SharedFactor};

pub use reader::{DescribedMatrix, DescriptorFault};

/// The first fault that was found in the plan of a warp-group product.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(transparent)]
pub struct WarpGroupFault(#[from] WarpGroupFaultKind);

#[derive(Clone, PartialEq, Eq, Debug, Error)]
enum WarpGroupFaultKind {
    #[error("the plan does not match the operands: found {found} {what}, expected {expected}")]
    Shape {
        what: &'static str,
        found: u64,
        expected: u64,
    },
    #[error("the plan has no descriptor for {operand}, which is in a buffer")]
    NoDescriptor { operand: char },
    #[error(
        "{operand} is transposed and has {bits}-bit elements: expected 16-bit elements in a transposed operand"
    )]
    Transposed { operand: char, bits: u64 },
    #[error(
        "the buffer of {operand} takes {bytes} bytes: expected at most {} bytes, the range of a matrix \
         descriptor",
        reader::REACH
    )]
    Far { operand: char, bytes: u64 },
    #[error(transparent)]
    Descriptor(#[from] DescriptorFault),
    #[error(
        "in the buffer of {operand}, issue {issue} of warp group {group} reads an element at byte {byte}: \
         expected the first byte of an element, below byte {bytes}"
    )]
    Byte {
        issue: usize,
        group: u64,
        operand: char,
        byte: u64,
        bytes: u64,
    },
    #[error(
        "in issue {issue} of warp group {group}, {0} {line} and k {k} of the {operand} tile hold ({0}, k) = \
         ({1}, {2}): expected ({3}, {4}), to match the other elements of the tile",
        if *.operand == 'A' { "row" } else { "column" }, .found[0], .found[1], .expected[0], .expected[1]
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
    #[error(
        "issue {issue} of warp group {group} multiplies an element of A with k = {found} by an element of B \
         with k = {expected}: expected the same k"
    )]
    Depth {
        issue: usize,
        group: u64,
        found: u64,
        expected: u64,
    },
    #[error(
        "in lane {lane} of warp {warp}, register {register} holds (m, n) = ({}, {}), but issue {issue} adds \
         products for ({}, {})",
        .found[0], .found[1], .expected[0], .expected[1]
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
        "issue {issue} adds the product for k = {found} to register {register} of D: expected k = {expected}, \
         the next in order"
    )]
    Next {
        issue: usize,
        register: u32,
        found: u64,
        expected: u64,
    },
    #[error(
        "in D, register {register} sums the products for {found} values of k: expected {expected}"
    )]
    Rest {
        register: usize,
        found: u64,
        expected: u64,
    },
    #[error(
        "the plan reads A from {found}, but A is in {}",
        if *.found == "registers" { "a buffer" } else { "registers" }
    )]
    FactorA { found: &'static str },
    #[error(
        "issue {issue} is {} as the first to write register {register} of D, but {} earlier issue writes this \
         register",
        if *.is_marked { "marked" } else { "not marked" }, if *.is_marked { "an" } else { "no" }
    )]
    First {
        issue: usize,
        register: u32,
        is_marked: bool,
    },
}

/// Checks that each element of D adds the product for every index k exactly once, in ascending order of k.
///
/// # Shape
/// `plan` is the plan for `operands`. The element types are not checked, except for their widths.
/// # Errors
/// Returns the first of these faults:
/// - mismatched elements in a tile,
/// - a wrong accumulator,
/// - a repeated or missing k,
/// - an accumulator that is not initialised by the first instruction that uses it, or is initialised by a
///   later one.
pub fn check_warp_group_product(
    plan: &WarpGroupPlan,
    operands: &WarpGroupOperands<'_>,
) -> Result<(), WarpGroupFault> {
    Ok(check(plan, operands)?)
}

const WARPS: u64 = 4;
const LANES: u64 = 32;

fn expect(what: &'static str, found: u64, expected: u64) -> Result<(), WarpGroupFaultKind> {
    if found == expected {
        return Ok(());
    }
    Err(WarpGroupFaultKind::Shape {
        what,
        found,
        expected,
    })
}

fn check(plan: &WarpGroupPlan, operands: &WarpGroupOperands<'_>) -> Result<(), WarpGroupFaultKind> {
    let [m, n, depth] = plan.sizes();
    let d = operands.d;
    expect("rows per tile", m, 64)?;
    expect("columns per tile", n, (n / 8 * 8).clamp(8, 256))?;
    for number in operands.factors {
        expect(
            "elements along k per tile",
            depth,
            u64::from(256 / number.bits()),
        )?;
    }
    expect("lanes per warp", d.in_size(Dim::LANE), LANES)?;
    let mut factor_a = match operands.a {
        LeftFactor::Registers(layout) => FactorA::Registers(OperandRegisters::of(layout)),
        LeftFactor::Buffer(buffer) => FactorA::Buffer(SharedFactor::of(plan, 0, buffer)?),
    };
    let sums = OperandRegisters::of(d);
    let mut factor_b = SharedFactor::of(plan, 1, operands.b)?;
    for group in 0..d.in_size(Dim::WARP) / WARPS {
        let mut next = NextK {
            of_register: vec![0; narrow(d.in_size(Dim::REGISTER))],
        };
        // Consecutive issues along k share their accumulators: compare them once.
        let mut known: Option<(&[u32], Rc<Lines>, Rc<Lines>)> = None;
        for (number, issue) in plan.issues().iter().enumerate() {
            let accumulators = issue.accumulators();
            let count = accumulators.len() as u64;
            expect("accumulators per issue", count, m * n / (WARPS * LANES))?;
            let tile = IssueTile {
                number,
                group,
                issue,
                plan,
            };
            let a = tile.read_a(&mut factor_a)?;
            let b = tile.read(&mut factor_b, issue.b())?;
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

/// For each register of D, the index k that must be added next. It is the same for all threads of a warp group.
struct NextK {
    of_register: Vec<u64>,
}

impl NextK {
    fn add(&mut self, tile: &IssueTile<'_>, ks: &[u64]) -> Result<(), WarpGroupFaultKind> {
        let issue = tile.number;
        for register in tile.issue.accumulators().iter().copied() {
            // In range: the element of this register was resolved before.
            let next = &mut self.of_register[register as usize];
            let is_marked = tile.issue.is_first_k();
            if (*next == 0) != is_marked {
                return Err(WarpGroupFaultKind::First {
                    issue,
                    register,
                    is_marked,
                });
            }
            for found in ks.iter().copied() {
                if found != *next {
                    return Err(WarpGroupFaultKind::Next {
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

    fn check(&self, k: u64) -> Result<(), WarpGroupFaultKind> {
        let mut registers = self.of_register.iter().enumerate();
        match registers.find(|(_, next)| **next != k) {
            None => Ok(()),
            Some((register, found)) => Err(WarpGroupFaultKind::Rest {
                register,
                found: *found,
                expected: k,
            }),
        }
    }
}
