//! Warp-level matrix loads, stores and transposition (`ldmatrix`, `stmatrix`, `movmatrix`; `ds_read_tr`).

use super::{Family, OpRow, needs, row};
use crate::code::{Reg, Space};
use crate::decode::{DecodeResult, Decoder};
use crate::error::FaultKind;
use crate::exec::{
    AccessLabel, Exec, Instruction, Marks, MemoryLocation, Parts, PoisonEffect, Regs,
    WarpInteraction,
};
use crate::ir::Operation;
use linear_layout::machine::matrix::{Size, WORD_BYTES, cell, holder, size};
use linear_layout::target::{Assembly, Fragment};

pub(super) const FAMILY: Family = Family {
    title: "matrices of a warp",
    operations: &[ROWS],
    intrinsics: &[],
};

const ROWS: &[OpRow] = &[
    row("nvvm.ldmatrix", |d, op| {
        let fragment = fragment(d, op, Fragment::LoadedBytes)?;
        load(d, op, fragment)
    })
    .needing(&needs::LOAD_MATRIX),
    row("nvvm.stmatrix", |d, op| {
        let fragment = fragment(d, op, Fragment::StoredBytes)?;
        let addr = d.scalar(op, 0)?;
        let src: Vec<Reg> = (1..op.operands.len())
            .map(|index| d.scalar(op, index))
            .collect::<DecodeResult<_>>()?;
        d.b.push(StoreMatrix {
            src: src.into(),
            addr,
            fragment,
        });
        Ok(())
    })
    .needing(&needs::STORE_MATRIX),
    row("rocdl.ds.read.tr16.b64", |d, op| {
        load(d, op, Fragment::Read16)
    })
    .needing(&needs::TRANSPOSED_READS),
    row("rocdl.ds.read.tr8.b64", |d, op| {
        load(d, op, Fragment::Read8)
    })
    .needing(&needs::TRANSPOSED_READS),
    row("rocdl.ds.load.tr16.b128", |d, op| {
        load(d, op, Fragment::Load16)
    })
    .needing(&needs::TRANSPOSED_LOADS),
    row("rocdl.ds.load.tr8.b64", |d, op| {
        load(d, op, Fragment::Load8)
    })
    .needing(&needs::TRANSPOSED_LOADS),
];

/// Returns the fragment that an NVIDIA matrix load or store accesses. `bytes` is the fragment for 8-bit elements.
/// Returns an error for unsupported shapes, and for 8-bit elements on GPUs without such instructions.
fn fragment(d: &Decoder<'_>, op: &Operation, bytes: Fragment) -> DecodeResult<Fragment> {
    let shape = op.str("shape").unwrap_or("m = 8, n = 8");
    let ty = op.str("eltType").unwrap_or("b16");
    let transposed = op
        .str("layout")
        .is_some_and(|layout| layout.contains("col"));
    let tall = if bytes == Fragment::LoadedBytes {
        "m = 16, n = 16"
    } else {
        "m = 16, n = 8"
    };
    if shape.contains("m = 8, n = 8") && ty.contains("b16") {
        return Ok(if transposed {
            Fragment::Transposed
        } else {
            Fragment::Plain
        });
    }
    if shape.contains(tall) && ty.contains("b8>") && transposed {
        d.check_has(op, |target| {
            let reason = needs::BYTE_MATRICES.lacking(target)?;
            Some(format!("`{}` with matrices of b8 is {reason}", op.name))
        })?;
        return Ok(bytes);
    }
    let text = format!(
        "unsupported shape or element type; expected 8x8 matrices of b16, or transposed matrices of b8 with \
         {tall}"
    );
    Err(d.unsupported(op, text))
}

fn load(d: &mut Decoder<'_>, op: &Operation, fragment: Fragment) -> DecodeResult {
    let addr = d.scalar(op, 0)?;
    let slots = d.result_slots(op)?;
    let (bytes, count) = (slots.first().map_or(0, |slot| slot.bits / 8), slots.len());
    let (size, all) = (size(fragment), bytes * count as u32);
    let fits = all.is_multiple_of(size.lane_bytes) && bytes.is_multiple_of(size.unit_bytes);
    if all == 0 || !fits || all / size.lane_bytes * size.rows > size.lanes {
        let (most, each) = (size.lanes / size.rows, size.lane_bytes);
        let text = format!(
            "the result has {all} bytes per lane, expected 1 to {most} matrices of {each} bytes per lane"
        );
        return Err(d.malformed(op, text));
    }
    let regs = d.b.regs(count);
    d.b.push(LoadMatrix {
        dst: regs.clone().into(),
        bytes,
        addr,
        fragment,
    });
    d.define(op, regs)
}

#[derive(Debug)]
pub(crate) struct LoadMatrix {
    pub(crate) dst: Box<[Reg]>,
    pub(crate) bytes: u32,
    pub(crate) addr: Reg,
    pub(crate) fragment: Fragment,
}

impl LoadMatrix {
    fn count(&self) -> u32 {
        self.dst.len() as u32 * self.bytes / size(self.fragment).lane_bytes
    }
}

impl Instruction for LoadMatrix {
    fn regs(&self) -> Regs {
        Regs::new(&*self.dst, [self.addr])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let parts = Parts {
            regs: &self.dst,
            bytes: self.bytes,
            fragment: self.fragment,
        };
        for (first, places) in rows(exec, self.addr, self.count(), self.fragment, "load")? {
            exec.load_matrices(first, &places, parts)?;
        }
        exec.order_waves();
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.require_defined()
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }

    fn access(&self, _: Assembly) -> Option<AccessLabel> {
        use Fragment as F;
        let count = self.count();
        Some(AccessLabel::Shared(match self.fragment {
            F::Plain | F::Transposed | F::StoredBytes => format!("ldmatrix x{count}"),
            F::LoadedBytes => format!("ldmatrix m16n16 x{count}"),
            F::Read16 => "ds_read_b64_tr_b16".to_owned(),
            F::Read8 => "ds_read_b64_tr_b8".to_owned(),
            F::Load16 => "ds_load_tr16_b128".to_owned(),
            F::Load8 => "ds_load_tr8_b64".to_owned(),
        }))
    }
}

/// A matrix store, which is the inverse of [`LoadMatrix`]. Each register of `src` holds one 32-bit word per lane,
/// and the words of all lanes form one matrix.
#[derive(Debug)]
pub(crate) struct StoreMatrix {
    pub(crate) src: Box<[Reg]>,
    pub(crate) addr: Reg,
    pub(crate) fragment: Fragment,
}

impl Instruction for StoreMatrix {
    fn regs(&self) -> Regs {
        Regs::new([], [&*self.src, &[self.addr]].concat())
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let parts = Parts {
            regs: &self.src,
            bytes: WORD_BYTES,
            fragment: self.fragment,
        };
        let count = self.src.len() as u32;
        for (first, places) in rows(exec, self.addr, count, self.fragment, "store")? {
            exec.store_matrices(first, &places, parts)?;
        }
        exec.order_waves();
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.require_defined_in(&[self.addr])
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }

    fn access(&self, _: Assembly) -> Option<AccessLabel> {
        let shape = match self.fragment {
            Fragment::StoredBytes => "m16n8 ",
            _ => "",
        };
        let name = format!("stmatrix {shape}x{}", self.src.len());
        Some(AccessLabel::Shared(name))
    }
}

#[derive(Debug)]
pub(crate) struct TransposeMatrix {
    pub(crate) dst: Reg,
    pub(crate) src: Reg,
}

impl Instruction for TransposeMatrix {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for (_, lanes) in whole_warps(exec, "transposition")? {
            let words: Vec<u64> = lanes.iter().map(|&lane| exec.get(self.src, lane)).collect();
            exec.report.shuffles += 1;
            for (i, &lane) in (0..).zip(&lanes) {
                let half = |half: u32| {
                    let (row, column) = cell(i, 2 * half, Fragment::Transposed);
                    let (from, byte) = holder(row, column);
                    words[from as usize] >> (8 * byte) & 0xffff
                };
                exec.set(self.dst, lane, half(0) | half(1) << 16);
            }
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.exchanged(&[self.src])
    }

    fn moved(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }
}

/// Returns the active warps with their lanes, or an error if a warp is only partly active.
fn whole_warps(exec: &Exec<'_>, verb: &str) -> DecodeResult<Vec<(u32, Vec<u32>)>> {
    let per_warp = exec.launch.machine.lanes_per_warp as usize;
    let warps = exec.active_warps();
    match warps.iter().find(|(_, lanes)| lanes.len() < per_warp) {
        None => Ok(warps),
        Some((_, lanes)) => {
            let text = format!(
                "only {} of {per_warp} lanes execute the matrix {verb}; expected all",
                lanes.len()
            );
            Err(exec.fault(FaultKind::Divergence, lanes[0], text))
        }
    }
}

/// Returns the first lane of each active warp, with the locations of the matrix rows. Returns an error if a warp is
/// only partly active.
fn rows(
    exec: &mut Exec<'_>,
    addr: Reg,
    count: u32,
    fragment: Fragment,
    verb: &str,
) -> DecodeResult<Vec<(u32, Vec<MemoryLocation>)>> {
    let per_warp = exec.launch.machine.lanes_per_warp;
    let Size {
        rows, row_bytes, ..
    } = size(fragment);
    let mut warps = Vec::new();
    for (warp, lanes) in whole_warps(exec, verb)? {
        let mut places = Vec::new();
        let mut addresses = Vec::new();
        for &lane in lanes.iter().take((rows * count) as usize) {
            let address = exec.get(addr, lane);
            let space = Space::Shared;
            let place = exec.resolve(lane, space, address, row_bytes, row_bytes, verb)?;
            exec.check_origin(lane, addr, place, (space, row_bytes, verb))?;
            places.push(place);
            addresses.push((lane, address));
        }
        exec.count(Space::Shared, &addresses, row_bytes, false);
        warps.push((warp * per_warp, places));
    }
    Ok(warps)
}
