//! Products of matrices by a warp: the instructions that targets list as data ([`linear_layout::target::Product`]).
//!
//! Factors are multiplied exactly and added up in double precision, from the lowest k on, and the sum is rounded once:
//! what hardware does beyond that (the width of its adder, the order of its sum) is not documented, and differs.

use super::{Instruction, Regs, Row, Turn, row};
use crate::code::Reg;
use crate::decode::{Decoder, Done};
use crate::error::FaultKind;
use crate::exec::{Exec, Fate, Marks};
use crate::float::FloatTy;
use crate::text::Node;
use linear_layout::target::{Argument, Float8, Number, Product, TARGETS};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What families print as a title.
pub(super) const TITLE: &str = "products of matrices";

static NAMES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let rows = TARGETS.iter().flat_map(|target| target.products());
    rows.filter_map(|row| row.intrinsic).collect()
});

static ROW: Row = row("a product of matrices", multiply);

/// Returns the row of an intrinsic that some GPU multiplies matrices by.
pub(super) fn intrinsic(name: &str) -> Option<&'static Row> {
    NAMES.contains(name).then_some(&ROW)
}

/// Returns the names of all of them.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(String::as_str)
}

fn multiply<'a>(d: &mut Decoder<'_, 'a>, op: &Node<'a>) -> Done {
    let name = op.str("intrin").unwrap_or_default();
    let targets = match d.machine.target {
        Some(target) => std::slice::from_ref(target),
        None => TARGETS,
    };
    let mut rows = targets.iter().flat_map(|target| target.products());
    let Some(row) = rows.find(|row| row.intrinsic.as_deref() == Some(name)) else {
        let text = format!("not supported on {}", targets[0].name);
        return Err(d.unsupported(op, text));
    };
    let mut registers: [Vec<Reg>; 3] = Default::default();
    let mut operands = 0..op.operands.len();
    for argument in &row.arguments {
        match *argument {
            Argument::Operand(i) => {
                let held = &row.operands[i];
                let (vector, scalar) = (held.vector as usize, held.scalar.bits());
                let elements = 1usize << held.registers.len();
                let bits = elements as u32 * numbers(&row)[i].bits();
                while (registers[i].len() as u32) * scalar < bits {
                    let regs = match operands.next() {
                        Some(index) => d.slots(op, index..index + 1)?,
                        None => return Err(d.malformed(op, "has too few operands")),
                    };
                    if regs.len() != vector {
                        let text = format!(
                            "an operand of {} scalars, expected {vector} of {scalar} bits",
                            regs.len()
                        );
                        return Err(d.malformed(op, text));
                    }
                    registers[i].extend(&*regs);
                }
            }
            Argument::Constant { value, .. } => {
                let Some(index) = operands.next() else {
                    return Err(d.malformed(op, "has too few operands"));
                };
                let modifier = d.scalar(op, index)?;
                let found = d.b.constant_of(modifier);
                if found != Some(value) {
                    let text = format!("modifier {index} is not {value}");
                    return Err(d.unsupported(op, text));
                }
            }
        }
    }
    let slots = d.result_slots(op)?;
    if slots.len() != registers[2].len() || operands.next().is_some() {
        return Err(d.malformed(op, "has other operands or results than the instruction"));
    }
    let dst = d.b.regs(slots.len());
    d.b.push(Multiply {
        dst: dst.clone(),
        registers,
        row,
    });
    d.define(op, dst)
}

fn numbers(row: &Product) -> [Number; 3] {
    [row.factors[0], row.factors[1], row.sum]
}

/// `D = A B + D`.
#[derive(Debug)]
struct Multiply {
    dst: Vec<Reg>,
    /// Of A, B and D.
    registers: [Vec<Reg>; 3],
    row: Product,
}

/// A number as it is multiplied.
fn value(number: Number, bits: u64) -> f64 {
    let float8 = |name| Float8::of(name).map_or(f64::NAN, |format| format.value(bits as u8));
    match number {
        Number::F16 => FloatTy::F16.to_f64(bits),
        Number::Bf16 => FloatTy::BF16.to_f64(bits),
        // The lowest 13 bits are not looked at.
        Number::Tf32 => FloatTy::F32.to_f64(bits & !0x1fff),
        Number::F32 => FloatTy::F32.to_f64(bits),
        Number::F64 => f64::from_bits(bits),
        Number::I8 => f64::from((bits as u8).cast_signed()),
        Number::I32 => f64::from((bits as u32).cast_signed()),
        Number::E4m3 => float8("f8E4M3FN"),
        Number::E5m2 => float8("f8E5M2"),
        Number::E4m3Fnuz => float8("f8E4M3FNUZ"),
        Number::E5m2Fnuz => float8("f8E5M2FNUZ"),
        _ => f64::NAN,
    }
}

impl Multiply {
    /// The sum as bits of a register.
    fn code(&self, sum: f64) -> u64 {
        match self.row.sum {
            Number::F16 => FloatTy::F16.from_f64(sum),
            Number::F64 => sum.to_bits(),
            Number::I32 => {
                let intrinsic = self.row.intrinsic.as_deref().unwrap_or_default();
                // Sums of 8-bit products are whole numbers far below what a double holds.
                let sum = sum as i64;
                let sum = match intrinsic.contains("satfinite") {
                    true => sum.clamp(i32::MIN.into(), i32::MAX.into()),
                    false => sum,
                };
                (sum as u32).into()
            }
            _ => FloatTy::F32.from_f64(sum),
        }
    }

    /// The elements of an operand, by row and column.
    fn tile(&self, exec: &Exec<'_>, operand: usize, first: u32) -> Vec<f64> {
        let [m, n, k] = self.row.sizes().map(|size| size as usize);
        let (rows, columns) = [(m, k), (k, n), (m, n)][operand];
        let held = &self.row.operands[operand];
        let number = numbers(&self.row)[operand];
        let (bits, scalar) = (number.bits(), held.scalar.bits());
        let mut tile = vec![0.0; rows * columns];
        for lane in 0..1usize << held.lanes.len() {
            for element in 0..1usize << held.registers.len() {
                let [row, column] = self.row.coordinates(operand, element, lane);
                let at = element as u32 * bits;
                let register = self.registers[operand][(at / scalar) as usize];
                let word = exec.get(register, first + lane as u32) >> (at % scalar);
                let code = word & crate::bits::mask(bits);
                tile[row * columns + column] = value(number, code);
            }
        }
        tile
    }
}

impl Instruction for Multiply {
    fn regs(&self) -> Regs {
        Regs::new(&*self.dst, self.registers.concat())
    }

    fn step(&self, exec: &mut Exec<'_>) -> Done {
        let [_, n, k] = self.row.sizes().map(|size| size as usize);
        for (warp, lanes) in exec.active_warps() {
            let all = exec.launch.machine.lanes_per_warp;
            let first = warp * all;
            if lanes.len() != all as usize {
                let text = format!("matrix product in {} of {all} lanes", lanes.len());
                return Err(exec.fault(FaultKind::Divergence, lanes[0], text));
            }
            let [a, b, mut d] = [0, 1, 2].map(|operand| self.tile(exec, operand, first));
            for (at, sum) in d.iter_mut().enumerate() {
                let (i, j) = (at / n, at % n);
                let products = (0..k).map(|k_at| a[i * k + k_at] * b[k_at * n + j]);
                *sum = products.fold(*sum, |sum, product| sum + product);
            }
            let held = &self.row.operands[2];
            let (bits, scalar) = (self.row.sum.bits(), held.scalar.bits());
            for lane in 0..all {
                let mut words = vec![0; self.dst.len()];
                for element in 0..1usize << held.registers.len() {
                    let [row, column] = self.row.coordinates(2, element, lane as usize);
                    let at = element as u32 * bits;
                    words[(at / scalar) as usize] |=
                        self.code(d[row * n + column]) << (at % scalar);
                }
                for (register, word) in self.dst.iter().zip(words) {
                    exec.set(*register, first + lane, word);
                }
            }
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> Fate {
        lane.harm()
    }

    fn turn(&self) -> Turn {
        Turn::Any
    }
}
