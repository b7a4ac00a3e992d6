//! `wgmma`: asynchronous products of a warp group with operands in shared memory, and the instructions that order them.
//!
//! Each of the four warps computes its 16 rows when the product starts, from the contents of shared memory at that
//! time. A write to this memory before the wait is a fault. [The parent module](super) describes the numerics.
//!
//! # Source
//! PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"; [`MatrixDescriptor`] for operands in shared memory.

use super::descriptor::{CHUNK, MatrixDescriptor};
use super::fragment::{FragmentLayout, Fragments};
use super::number::Format;
use crate::bits::mask;
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder};
use crate::error::{FaultKind, KernelError};
use crate::exec::{
    Exec, GROUP, Instruction, Marks, MemoryLocation, PoisonEffect, Regs, WarpInteraction,
};
use crate::ir::Operation;
use crate::ops::{Family, OpRow, needs, row};
use linear_layout::target::Float8Family;
use std::ops::Range;

pub(crate) const FAMILY: Family = Family {
    title: "asynchronous products of matrices",
    operations: &[ROWS],
    intrinsics: &[INTRINSICS],
};

const ROWS: &[OpRow] = &[
    row("nvvm.wgmma.fence.aligned", |d, _| order(d, Order::Fence)).needing(&needs::WARP_GROUPS),
    row("nvvm.wgmma.commit.group.sync.aligned", |d, _| {
        order(d, Order::Commit)
    })
    .needing(&needs::WARP_GROUPS),
    row("nvvm.wgmma.wait.group.sync.aligned", |d, op| {
        let most = op.int("group").and_then(|n| u32::try_from(n).ok());
        let most =
            most.ok_or_else(|| d.malformed(op, "the attribute `group` is not a number of groups"))?;
        order(d, Order::Wait(most))
    })
    .needing(&needs::WARP_GROUPS),
];

const INTRINSICS: &[OpRow] = &[
    row("llvm.nvvm.wgmma.fence.sync.aligned", |d, _| {
        order(d, Order::Fence)
    })
    .needing(&needs::WARP_GROUPS),
    row("llvm.nvvm.wgmma.commit_group.sync.aligned", |d, _| {
        order(d, Order::Commit)
    })
    .needing(&needs::WARP_GROUPS),
    row("llvm.nvvm.wgmma.wait_group.sync.aligned", wait).needing(&needs::WARP_GROUPS),
];

fn wait(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let most = d.b.constant_of(d.scalar(op, 0)?);
    let most = most.and_then(|most| u32::try_from(most).ok());
    let most =
        most.ok_or_else(|| d.unsupported(op, "operand 0 is not a constant number of groups"))?;
    order(d, Order::Wait(most))
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    Fence,
    /// Commits the products started so far as a group.
    Commit,
    /// Waits until at most this number of groups are in flight.
    Wait(u32),
}

impl Instruction for Order {
    fn regs(&self) -> Regs {
        Regs::new([], [])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        match *self {
            Self::Fence => exec.fence_products(),
            Self::Commit => exec.close_products(),
            Self::Wait(most) => exec.wait_for_products(most),
        }
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }
}

pub(crate) fn order(d: &mut Decoder<'_>, order: Order) -> DecodeResult {
    d.b.push(order);
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Types([Format; 3]);

impl Types {
    /// Returns the formats with the given PTX names; `None` if a name is unknown. `sum` is the format of D.
    pub(crate) fn of(sum: &str, a: &str, b: &str) -> Option<Self> {
        let factor = |name: &str| {
            Some(match name {
                "f16" => Format::F16,
                "bf16" => Format::BF16,
                "tf32" => Format::Tf32,
                "e4m3" => Format::E4m3,
                "e5m2" => Format::E5m2,
                "s8" => Format::I8,
                _ => return None,
            })
        };
        let sum = match sum {
            "f16" => Format::F16,
            "f32" => Format::F32,
            "s32" => Format::I32,
            _ => return None,
        };
        Some(Self([factor(a)?, factor(b)?, sum]))
    }

    pub(crate) fn are_integers(self) -> bool {
        self.0[0] == Format::I8
    }

    /// Returns the number of registers that hold D in each lane, if D has `n` columns.
    pub(crate) const fn sum_registers(self, n: u32) -> u32 {
        n / 2 * self.0[2].bits() / 32
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Factor {
    /// A is in four registers of each lane.
    Registers(Vec<Reg>),
    Shared(Reg),
}

/// The operand `scale-d`, which selects the initial value of D.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScaleD {
    Zero,
    One,
    /// The previous value of D if the predicate holds, otherwise zero.
    If(Reg),
}

/// An asynchronous product `D = A B` or `D = A B + D`.
#[derive(Debug)]
pub(crate) struct Wgmma {
    pub(crate) types: Types,
    pub(crate) n: u32,
    pub(crate) dst: Vec<Reg>,
    /// The registers that hold the previous value of D; empty if D starts at zero.
    pub(crate) sum: Vec<Reg>,
    pub(crate) scale: ScaleD,
    pub(crate) a: Factor,
    pub(crate) b: Reg,
    /// For each of A and B, false if consecutive elements along K are contiguous in memory, and true if consecutive
    /// elements along M (for A) or N (for B) are.
    pub(crate) is_transposed: [bool; 2],
    /// Register through which the simulator reads shared memory.
    pub(crate) scratch: Reg,
}

const WARP_ROWS: u32 = 16;
/// Size of an instruction's tiles along K, in bytes.
const DEPTH: u32 = 32;

/// (Elements of a tile, reads of shared memory). The elements are stored row by row for A and column by column for
/// B, each in ascending k. Each read is (location, number of bytes).
type Tile = (Vec<f64>, Vec<(MemoryLocation, u32)>);

impl Wgmma {
    const fn bytes(&self) -> u32 {
        self.types.0[0].bits() / 8
    }

    const fn k(&self) -> u32 {
        DEPTH / self.bytes()
    }

    /// Returns the value of `reg` in all of `lanes`, or an error that begins with `what` if the lanes have
    /// different values.
    fn uniform(&self, exec: &Exec<'_>, lanes: &[u32], reg: Reg, what: &str) -> DecodeResult<u64> {
        let value = exec.get(reg, lanes[0]);
        match lanes.iter().find(|&&lane| exec.get(reg, lane) != value) {
            None => Ok(value),
            Some(&lane) => {
                let other = exec.get(reg, lane);
                let text = format!(
                    "{what} differs between the lanes of a matrix product: {value:#x} and {other:#x}"
                );
                Err(exec.fault(FaultKind::Divergence, lane, text))
            }
        }
    }

    /// Reads the rows `own` of A (`factor` 0) or the columns `own` of B (`factor` 1) from shared memory.
    fn read(
        &self,
        exec: &Exec<'_>,
        lane: u32,
        factor: usize,
        descriptor: u64,
        own: Range<u32>,
    ) -> DecodeResult<Tile> {
        let (bytes, k) = (self.bytes(), self.k());
        let descriptor = MatrixDescriptor::decode(descriptor);
        let is_transposed = self.is_transposed[factor];
        let step = CHUNK / bytes;
        let mut tile = vec![0.0; (own.len() as u32 * k) as usize];
        let mut reads = Vec::new();
        let [rows, columns] = match is_transposed {
            true => [0..k, own.clone()],
            false => [own.clone(), 0..k],
        };
        for row in rows {
            for column in columns.clone().step_by(step as usize) {
                let coordinates = |within: u32| match is_transposed {
                    true => (column + within, row),
                    false => (row, column + within),
                };
                let (first, first_k) = coordinates(0);
                let address = descriptor.address(first, first_k, bytes, is_transposed);
                let place = exec.descriptor_location(lane, address, CHUNK)?;
                reads.push((place, CHUNK));
                for within in 0..step {
                    let (own_at, k_at) = coordinates(within);
                    let code = exec.value_at(place.behind((within * bytes) as usize), bytes as u8);
                    let at = (own_at - own.start) * k + k_at;
                    tile[at as usize] = self.number(factor, code);
                }
            }
        }
        Ok((tile, reads))
    }

    fn number(&self, operand: usize, code: u64) -> f64 {
        self.types.0[operand].value(code, Float8Family::Ocp)
    }

    /// Returns the elements of A that the warp whose first lane is `first` holds in `registers`, row by row.
    fn held(&self, exec: &Exec<'_>, first: u32, registers: &[Reg]) -> Vec<f64> {
        let k = self.k();
        let fragments = Fragments {
            deal: FragmentLayout::Mma,
            sizes: [WARP_ROWS, 8, k],
            bits: self.types.0.map(Format::bits),
        };
        let (elements, bits) = (fragments.elements(0), 8 * self.bytes());
        let mut tile = vec![0.0; (WARP_ROWS * k) as usize];
        for lane in 0..fragments.lanes() {
            for element in 0..elements {
                let at = element * bits;
                let word = exec.get(registers[(at / 32) as usize], first + lane) >> (at % 32);
                let place = fragments.place(0, lane, element);
                let value = self.number(0, word & mask(bits));
                tile[(place.own * k + place.other) as usize] = value;
            }
        }
        tile
    }

    /// Returns (row, column) of element `element` of D in `lane`. The row is an index among the 16 rows of the
    /// warp.
    const fn place(lane: u32, element: u32) -> (u32, u32) {
        let row = lane / 4 + 8 * (element / 2 % 2);
        (row, 8 * (element / 4) + lane % 4 * 2 + element % 2)
    }

    fn multiply(
        &self,
        exec: &mut Exec<'_>,
        warp: u32,
        lanes: &[u32],
        adds: bool,
    ) -> Result<(), KernelError> {
        let (k, first) = (self.k() as usize, lanes[0]);
        let (a, mut reads) = match &self.a {
            Factor::Registers(registers) => (self.held(exec, first, registers), Vec::new()),
            Factor::Shared(register) => {
                let descriptor = exec.get(*register, first);
                let row = warp % GROUP * WARP_ROWS;
                self.read(exec, first, 0, descriptor, row..row + WARP_ROWS)?
            }
        };
        let (b, b_reads) = self.read(exec, first, 1, exec.get(self.b, first), 0..self.n)?;
        reads.extend(b_reads);
        exec.start_product(first, merged(reads), self.scratch)?;
        let format = self.types.0[2];
        let bits = format.bits();
        for &lane in lanes {
            let mut words = vec![0; self.dst.len()];
            for element in 0..self.n / 2 {
                let (row, column) = Self::place(lane - first, element);
                let (at, shift) = ((element * bits / 32) as usize, element * bits % 32);
                let sum = match adds {
                    true => {
                        let word = exec.get(self.sum[at], lane) >> shift;
                        self.number(2, word & mask(bits))
                    }
                    false => 0.0,
                };
                let row = a[row as usize * k..][..k].iter();
                let pairs = row.zip(&b[column as usize * k..][..k]);
                let sum = pairs.fold(sum, |sum, (a, b)| sum + a * b);
                words[at] |= format.code(sum, false) << shift;
            }
            for (register, word) in self.dst.iter().zip(words) {
                exec.set(*register, lane, word);
            }
        }
        exec.mark_product(warp, lanes, &self.dst);
        Ok(())
    }

    /// Returns the registers of A. The hardware may read these registers until the wait for the product.
    fn held_registers(&self) -> &[Reg] {
        match &self.a {
            Factor::Registers(registers) => registers,
            Factor::Shared(_) => &[],
        }
    }

    /// Returns the registers that must have the same value in all lanes. Each register has a name for error
    /// messages.
    fn uniform_registers(&self) -> Vec<(Reg, &'static str)> {
        let mut all = vec![(self.b, "the descriptor of B")];
        if let Factor::Shared(register) = self.a {
            all.push((register, "the descriptor of A"));
        }
        if let ScaleD::If(register) = self.scale {
            all.push((register, "the scale of D"));
        }
        all
    }

    fn adds(&self, scale: impl Fn(Reg) -> u64) -> bool {
        match self.scale {
            ScaleD::Zero => false,
            ScaleD::One => true,
            ScaleD::If(register) => scale(register) & 1 == 1,
        }
    }
}

fn merged(mut reads: Vec<(MemoryLocation, u32)>) -> Vec<(MemoryLocation, u32)> {
    let key = |place: &MemoryLocation| match *place {
        MemoryLocation::Shared { var, at, .. } => (var, at),
        MemoryLocation::Global { at, .. } | MemoryLocation::Local { at } => (usize::MAX, at),
    };
    reads.sort_unstable_by_key(|(place, _)| key(place));
    reads.dedup_by_key(|(place, _)| key(place));
    let mut joined: Vec<(MemoryLocation, u32)> = Vec::new();
    for (place, bytes) in reads {
        match joined.last_mut() {
            Some((last, size)) if key(&last.behind(*size as usize)) == key(&place) => {
                *size += bytes;
            }
            _ => joined.push((place, bytes)),
        }
    }
    joined
}

impl Instruction for Wgmma {
    fn regs(&self) -> Regs {
        let mut writes = self.dst.clone();
        writes.push(self.scratch);
        let uniform = self.uniform_registers().into_iter().map(|(reg, _)| reg);
        let reads = self.sum.iter().chain(self.held_registers()).copied();
        Regs::new(writes, uniform.chain(reads).collect::<Vec<Reg>>())
    }

    fn product(&self) -> Regs {
        Regs::new(&*self.sum, [&[self.b], self.held_registers()].concat())
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        const WHAT: &str = "the asynchronous matrix product";
        let warps = exec.whole_warps(WHAT)?;
        exec.check_warp_groups(WHAT, &warps)?;
        for group in warps.chunk_by(|a, b| a.0 / GROUP == b.0 / GROUP) {
            let lanes: Vec<u32> = group.iter().flat_map(|(_, lanes)| lanes.clone()).collect();
            for (register, what) in self.uniform_registers() {
                self.uniform(exec, &lanes, register, what)?;
            }
            for (warp, lanes) in group {
                let adds = self.adds(|register| exec.get(register, lanes[0]));
                let mut fenced = self.held_registers().to_vec();
                fenced.extend(self.sum.iter().filter(|_| adds));
                exec.check_product_fence(*warp, lanes[0], &fenced)?;
                self.multiply(exec, *warp, lanes, adds)?;
            }
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        let sum = self.sum.iter().filter_map(|reg| lane.mark(*reg));
        let adds = self.adds(|register| lane.get(register));
        match sum.into_iter().find(|mark| adds && !mark.is_in_flight()) {
            Some(mark) => PoisonEffect::Error(mark),
            None => {
                let uniform = self.uniform_registers().into_iter().map(|(reg, _)| reg);
                let held = self.held_registers().iter().copied();
                lane.require_defined_in(&uniform.chain(held).collect::<Vec<Reg>>())
            }
        }
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::Visible
    }
}

#[cfg(test)]
mod tests;
