//! Loads, stores and transposition of 8x8 matrices by a warp (`ldmatrix`, `stmatrix`, `movmatrix`).

use super::{Counted, Family, Instruction, Regs, Row, Turn, needs, row};
use crate::machine::kernel::code::{Reg, Space};
use crate::machine::kernel::decode::{Decoder, Done};
use crate::machine::kernel::error::FaultKind;
use crate::machine::kernel::exec::{Exec, Fate, Marks, Place};
use crate::machine::kernel::text::Node;
use crate::machine::matrix::{cell, holder};
use crate::target::Assembly;

pub(super) const FAMILY: Family = Family {
    title: "matrices of a warp (NVIDIA)",
    operations: &[ROWS],
    intrinsics: &[],
};

const ROWS: &[Row] = &[
    row("nvvm.ldmatrix", |d, op| {
        let transposed = transposed(d, op)?;
        let addr = d.scalar(op, 0)?;
        let regs = d.b.regs(d.result_slots(op)?.len());
        d.b.push(LoadMatrix {
            dst: regs.clone().into(),
            addr,
            transposed,
        });
        d.define(op, regs)
    })
    .needing(&needs::LOAD_MATRIX),
    row("nvvm.stmatrix", |d, op| {
        let transposed = transposed(d, op)?;
        let addr = d.scalar(op, 0)?;
        let src: Vec<Reg> = (1..op.operands.len())
            .map(|index| d.scalar(op, index))
            .collect::<Done<_>>()?;
        d.b.push(StoreMatrix {
            src: src.into(),
            addr,
            transposed,
        });
        Ok(())
    })
    .needing(&needs::STORE_MATRIX),
];

/// Says whether matrices are transposed on their way, and refuses other shapes.
fn transposed(d: &Decoder<'_, '_>, op: &Node<'_>) -> Done<bool> {
    let shape = op.str("shape").unwrap_or("m = 8, n = 8");
    let ty = op.str("eltType").unwrap_or("b16");
    if !(shape.contains("m = 8, n = 8") && ty.contains("b16")) {
        return Err(d.unsupported(op, "only 8x8 matrices of 16 bits are supported"));
    }
    let layout = op.str("layout");
    Ok(layout.is_some_and(|layout| layout.contains("col")))
}

/// 8x8 matrices of 16 bits from shared memory.
#[derive(Debug)]
pub(crate) struct LoadMatrix {
    pub(crate) dst: Box<[Reg]>,
    pub(crate) addr: Reg,
    pub(crate) transposed: bool,
}

impl Instruction for LoadMatrix {
    fn regs(&self) -> Regs {
        Regs::new(&*self.dst, [self.addr])
    }

    /// Lane `l` gets row `l / 4`, elements `2 (l % 4)` and the next, of each matrix; transposed:
    /// column `l / 4` of the same rows.
    fn step(&self, exec: &mut Exec<'_>) -> Done {
        for (first, places) in rows(exec, self.addr, self.dst.len(), "load")? {
            exec.load_matrices(first, &places, &self.dst, self.transposed)?;
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> Fate {
        lane.harm()
    }

    fn turn(&self) -> Turn {
        Turn::Matters
    }

    fn access(&self, _: Assembly) -> Option<Counted> {
        let name = format!("ldmatrix x{}", self.dst.len());
        Some(Counted::Shared(name))
    }
}

/// The inverse of [`LoadMatrix`].
#[derive(Debug)]
pub(crate) struct StoreMatrix {
    pub(crate) src: Box<[Reg]>,
    pub(crate) addr: Reg,
    pub(crate) transposed: bool,
}

impl Instruction for StoreMatrix {
    fn regs(&self) -> Regs {
        Regs::new([], [&*self.src, &[self.addr]].concat())
    }

    fn step(&self, exec: &mut Exec<'_>) -> Done {
        for (first, places) in rows(exec, self.addr, self.src.len(), "store")? {
            exec.store_matrices(first, &places, &self.src, self.transposed)?;
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> Fate {
        lane.harm()
    }

    fn turn(&self) -> Turn {
        Turn::Matters
    }

    fn access(&self, _: Assembly) -> Option<Counted> {
        let name = format!("stmatrix x{}", self.src.len());
        Some(Counted::Shared(name))
    }
}

/// Rows of a matrix of which lanes hold a word each become its columns.
#[derive(Debug)]
pub(crate) struct TransposeMatrix {
    pub(crate) dst: Reg,
    pub(crate) src: Reg,
}

impl Instruction for TransposeMatrix {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> Done {
        for (_, lanes) in whole_warps(exec, "transposition")? {
            let words: Vec<u64> = lanes.iter().map(|&lane| exec.get(self.src, lane)).collect();
            exec.report.shuffles += 1;
            for (i, &lane) in (0..).zip(&lanes) {
                let half = |half: u32| {
                    let (row, column) = cell(i, 2 * half, true);
                    let (from, byte) = holder(row, column);
                    words[from as usize] >> (8 * byte) & 0xffff
                };
                exec.set(self.dst, lane, half(0) | half(1) << 16);
            }
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> Fate {
        lane.harm()
    }
}

/// The warps with their lanes, all of which must be here.
fn whole_warps(exec: &Exec<'_>, verb: &str) -> Done<Vec<(u32, Vec<u32>)>> {
    let per_warp = exec.launch.machine.lanes_per_warp as usize;
    let warps = exec.active_warps();
    match warps.iter().find(|(_, lanes)| lanes.len() < per_warp) {
        None => Ok(warps),
        Some((_, lanes)) => {
            let text = format!(
                "matrix {verb} in divergent code: {} of {per_warp} lanes of the warp reach it",
                lanes.len()
            );
            Err(exec.fault(FaultKind::Divergence, lanes[0], text))
        }
    }
}

/// The first lane of each warp, and where its rows lie; all lanes of a warp must be here.
fn rows(exec: &mut Exec<'_>, addr: Reg, count: usize, verb: &str) -> Done<Vec<(u32, Vec<Place>)>> {
    let per_warp = exec.launch.machine.lanes_per_warp;
    let mut warps = Vec::new();
    for (warp, lanes) in whole_warps(exec, verb)? {
        let mut places = Vec::new();
        let mut addresses = Vec::new();
        for &lane in lanes.iter().take(8 * count) {
            let address = exec.get(addr, lane);
            places.push(exec.resolve(lane, Space::Shared, address, 16, 16, verb)?);
            addresses.push((lane, address));
        }
        exec.count(Space::Shared, &addresses, 16, false);
        warps.push((warp * per_warp, places));
    }
    Ok(warps)
}
