//! Matrix instructions: products of tiles in the registers of a warp.
//!
//! [`statement`] lists the instructions by intrinsic, [`fragment`] defines the elements of each lane, and [`number`]
//! defines the element formats. These modules are independent of `linear_layout::target::Product`, which the planner
//! and the lowering use.
//!
//! # Numerics
//! Integer sums are exact, and saturate or wrap at the end. Float products are exact, and are added to C in double
//! precision in ascending order of k. The sum is rounded once, to the format of D. Products of doubles are rounded once
//! per multiply-add. Hardware may differ, since the manuals specify neither the order of additions nor the intermediate
//! precision.

mod descriptor;
mod fragment;
mod number;
mod statement;
#[cfg(test)]
mod tests;
pub(super) mod wgmma;

use super::{OpRow, needs, row};
use crate::bits::mask;
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder};
use crate::error::FaultKind;
use crate::exec::{Exec, Instruction, MarkKind, Marks, PoisonEffect, Regs, WarpInteraction};
use crate::ir::Operation;
use fragment::{FragmentLayout, Fragments};
use linear_layout::target::Float8Family;
use number::Format;
use statement::{Argument, InstructionSpec, ScaleBlocks};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

pub(super) const TITLE: &str = "products of matrices";

static NAMES: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let all = statement::all().iter();
    all.map(|statement| &*statement.intrinsic).collect()
});

static ROW: OpRow = row("a product of matrices", decode);

pub(super) fn intrinsic(name: &str) -> Option<&'static OpRow> {
    NAMES.contains(name).then_some(&ROW)
}

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().copied()
}

fn statement_of(d: &Decoder<'_>, op: &Operation) -> DecodeResult<&'static InstructionSpec> {
    let name = op.str("intrin").unwrap_or_default();
    let mut all = statement::of_intrinsic(name);
    let Some(target) = d.machine.target else {
        let (first, second) = (all.next(), all.next());
        return first.filter(|_| second.is_none()).ok_or_else(|| {
            let error = d.unsupported(
                op,
                format!("`{name}` differs between GPUs, but the module has no target GPU"),
            );
            error.note("set the attribute `ttg.target`, for example to `hip:gfx1201`")
        });
    };
    all.find(|statement| statement.is_on(target))
        .ok_or_else(|| {
            let on: Vec<&str> = statement::of_intrinsic(name)
                .flat_map(|s| s.on.split(' '))
                .collect();
            let on = on.join(", ").replace('+', " or later");
            d.unsupported(op, format!("`{name}` is {}", needs::only_on(target, &on)))
        })
}

#[derive(Clone, Copy)]
struct Modifiers {
    formats: [Format; 3],
    saturates: bool,
    is_upper: bool,
    /// `cbsz` and `abid`: log2 of the number of blocks that share one block of A, and the index of the shared block.
    broadcast: [u32; 2],
    selectors: [u32; 2],
}

fn decode(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let statement = statement_of(d, op)?;
    let lanes = statement.fragments(statement.formats).lanes();
    if statement.deal != FragmentLayout::Lane && d.machine.lanes_per_warp != lanes {
        let found = d.machine.lanes_per_warp;
        let text =
            format!("the matrix product requires warps of {lanes} lanes, found {found} lanes");
        return Err(d.unsupported(op, text));
    }
    let ranges = arguments(d, op, statement)?;
    let modifiers = modifiers(d, op, statement, &ranges)?;
    let fragments = statement.fragments(modifiers.formats);
    let mut operands = [Vec::new(), Vec::new(), Vec::new()];
    let mut scales = [None, None];
    for (argument, range) in statement.arguments.iter().zip(&ranges) {
        match *argument {
            Argument::Matrix(i) => {
                let bits = fragments.elements(i) * statement.stride(i) * fragments.bits[i];
                operands[i] = words(d, op, range.clone(), bits)?;
                if statement.stride(i) > 1 && operands[i][0].1 != fragments.bits[i] {
                    let found = operands[i][0].1;
                    let text = format!("operand C has elements of {found} bits, expected 16 bits");
                    return Err(d.malformed(op, text));
                }
            }
            Argument::Scales(i) => scales[i] = Some(d.scalar(op, range.start)?),
            _ => {}
        }
    }
    let slots = d.result_slots(op)?;
    let widths = operands[2].iter().map(|(_, bits)| *bits);
    if !widths.eq(slots.iter().map(|slot| slot.bits)) {
        return Err(d.malformed(op, "the result and operand C have different types"));
    }
    let is_unscaled = is_unscaled(d, statement, &scales);
    let blocks = statement.scales.filter(|_| !is_unscaled);
    let scales = blocks.map(|blocks| Scales {
        blocks,
        registers: scales.map(|reg| reg.unwrap_or(Reg(0))),
        selectors: modifiers.selectors,
    });
    // On gfx11 a 16-bit sum leaves the other half of each register undefined.
    let stride = statement.stride(2) as usize;
    let first = usize::from(modifiers.is_upper);
    let used = |at: usize| at % stride == first;
    let mut results = Vec::with_capacity(slots.len());
    for (at, slot) in slots.iter().enumerate() {
        results.push(match used(at) {
            true => d.b.reg(),
            false => d.undefined(
                MarkKind::Undef,
                slot.bits,
                "use of an undefined value: the matrix product sets only one half of each register",
            ),
        });
    }
    let taken = |(at, reg): (usize, &(Reg, u32))| used(at).then_some(*reg);
    let sum = operands[2].iter().enumerate().filter_map(taken).collect();
    let dst = results.iter().enumerate().filter(|(at, _)| used(*at));
    let dst = dst.map(|(_, reg)| *reg).collect();
    let [a, b, _] = operands;
    d.b.push(Multiply {
        dst,
        operands: [a, b, sum],
        scales,
        fragments,
        formats: modifiers.formats,
        saturates: modifiers.saturates,
        broadcast: modifiers.broadcast,
        family: d.machine.float8.unwrap_or(Float8Family::Ocp),
        places: places(fragments),
    });
    d.define(op, results)
}

/// Returns the range of operand indices for each argument of the intrinsic. NVIDIA's intrinsics have one operand
/// per register of a matrix. AMD's intrinsics have one vector operand per matrix.
fn arguments(
    d: &Decoder<'_>,
    op: &Operation,
    statement: &InstructionSpec,
) -> DecodeResult<Vec<Range<usize>>> {
    let fragments = statement.fragments(statement.formats);
    let mut next = 0;
    let ranges = statement.arguments.iter().map(|argument| {
        let count = match *argument {
            Argument::Matrix(i) if statement.deal == FragmentLayout::Mma => {
                let bits = fragments.bits[i];
                fragments.elements(i) * bits / bits.max(32)
            }
            _ => 1,
        };
        next += count as usize;
        next - count as usize..next
    });
    let ranges: Vec<Range<usize>> = ranges.collect();
    if next != op.operands.len() {
        let text = format!(
            "`{}` has {} operands, expected {next}",
            statement.intrinsic,
            op.operands.len()
        );
        return Err(d.malformed(op, text));
    }
    Ok(ranges)
}

fn modifiers(
    d: &Decoder<'_>,
    op: &Operation,
    statement: &InstructionSpec,
    ranges: &[Range<usize>],
) -> DecodeResult<Modifiers> {
    let mut all = Modifiers {
        formats: statement.formats,
        saturates: statement.saturates,
        is_upper: false,
        broadcast: [0; 2],
        selectors: [0; 2],
    };
    let blocks = u64::from(statement.fragments(statement.formats).blocks());
    for (argument, range) in statement.arguments.iter().zip(ranges) {
        if matches!(
            argument,
            Argument::Matrix(_) | Argument::Scales(_) | Argument::Hint
        ) {
            continue;
        }
        let at = range.start;
        let reg = d.scalar(op, at)?;
        let Some(value) = d.b.constant_of(reg) else {
            let text = format!("operand {at} is not a constant; expected a constant modifier");
            return Err(d.malformed(op, text));
        };
        let refused = |expected: &str| {
            let text =
                format!("modifier in operand {at} has the value {value}, expected {expected}");
            d.unsupported(op, text)
        };
        match (*argument, value) {
            (Argument::Zero, 0) => {}
            (Argument::Zero, _) => return Err(refused("0")),
            (Argument::Saturates, _) => all.saturates = value & 1 == 1,
            (Argument::Upper, _) => all.is_upper = value & 1 == 1,
            (Argument::BroadcastLog2, _) if 1 << value.min(32) <= blocks => {
                all.broadcast[0] = value as u32;
            }
            (Argument::BroadcastBlock, _) if value < 1 << all.broadcast[0] => {
                all.broadcast[1] = value as u32;
            }
            (Argument::BroadcastLog2, _) => {
                return Err(refused(&format!("at most {}", blocks.trailing_zeros())));
            }
            (Argument::BroadcastBlock, _) => {
                return Err(refused(&format!("less than {}", 1 << all.broadcast[0])));
            }
            (Argument::IsSigned(i), _) => {
                all.formats[i] = if value & 1 == 1 {
                    Format::I8
                } else {
                    Format::U8
                };
            }
            (Argument::FormatOf(i), 0) => all.formats[i] = Format::E4m3,
            (Argument::FormatOf(i), 1) => all.formats[i] = Format::E5m2,
            (Argument::FormatOf(i), 4) => all.formats[i] = Format::E2m1,
            (Argument::FormatOf(_), _) => {
                return Err(refused("0 (E4M3), 1 (E5M2) or 4 (E2M1)"));
            }
            (Argument::Selector(i), _) => {
                let known = statement.selectors();
                if !known.contains(&value) {
                    return Err(refused(&format!("one of {known:?}")));
                }
                all.selectors[i] = value as u32;
            }
            (Argument::Matrix(_) | Argument::Scales(_) | Argument::Hint, _) => {}
        }
    }
    Ok(all)
}

/// Returns true for an MFMA without scales. LLVM selects the unscaled instruction if both scales are the constant 0,
/// although a scale of 0 otherwise means 2^-127.
fn is_unscaled(d: &Decoder<'_>, statement: &InstructionSpec, scales: &[Option<Reg>; 2]) -> bool {
    let is_zero = |reg: &Option<Reg>| reg.is_some_and(|reg| d.b.constant_of(reg) == Some(0));
    matches!(statement.deal, FragmentLayout::Mfma { .. }) && scales.iter().all(is_zero)
}

/// Returns the registers of a matrix operand, as (register, width in bits). `bits` is the required total width.
fn words(
    d: &Decoder<'_>,
    op: &Operation,
    range: Range<usize>,
    bits: u32,
) -> DecodeResult<Vec<(Reg, u32)>> {
    let mut words = Vec::new();
    for index in range.clone() {
        let value = d.operand(op, index)?;
        let slots = d.flat(op, &value.ty)?;
        words.extend(
            value
                .slots
                .iter()
                .copied()
                .zip(slots.iter().map(|slot| slot.bits)),
        );
    }
    let found: u32 = words.iter().map(|(_, bits)| bits).sum();
    let widths: BTreeSet<u32> = words.iter().map(|(_, bits)| *bits).collect();
    if found != bits || widths.len() != 1 {
        let name = match range.len() {
            1 => format!("operand {} has", range.start),
            _ => format!("operands {} to {} have", range.start, range.end - 1),
        };
        let text = match found == bits {
            true => format!("{name} elements of different widths, expected equal widths"),
            false => format!("{name} {found} bits in total, expected {bits} bits"),
        };
        return Err(d.malformed(op, text));
    }
    Ok(words)
}

/// For each of A, B and D, a table (lane, element) -> index in the matrix. A and D are row-major, B is
/// column-major.
type PositionTables = Arc<[Box<[u32]>; 3]>;

fn places(fragments: Fragments) -> PositionTables {
    static KNOWN: LazyLock<Mutex<HashMap<Fragments, PositionTables>>> =
        LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let all = known.entry(fragments).or_insert_with(|| {
        Arc::new([0, 1, 2].map(|operand| {
            let [rows, columns] = fragments.shape(operand);
            let elements = fragments.elements(operand);
            let numbers = 0..fragments.lanes() * elements;
            let places = numbers.map(|number| {
                let place = fragments.place(operand, number / elements, number % elements);
                (place.block * rows + place.own) * columns + place.other
            });
            places.collect()
        }))
    });
    all.clone()
}

#[derive(Debug)]
struct Scales {
    blocks: ScaleBlocks,
    registers: [Reg; 2],
    selectors: [u32; 2],
}

/// A matrix product `D = A B + C`.
#[derive(Debug)]
struct Multiply {
    dst: Vec<Reg>,
    /// The registers of A, B and C, as (register, width in bits).
    operands: [Vec<(Reg, u32)>; 3],
    scales: Option<Scales>,
    fragments: Fragments,
    formats: [Format; 3],
    saturates: bool,
    broadcast: [u32; 2],
    family: Float8Family,
    places: PositionTables,
}

impl Multiply {
    /// Returns the matrix of operand `operand` that the warp with the first lane `first` holds in its registers.
    /// Its elements are in the order of [`PositionTables`]. If the operand has block scales, each element is
    /// multiplied by its scale.
    fn tile(&self, exec: &Exec<'_>, operand: usize, first: u32) -> DecodeResult<Vec<f64>> {
        let fragments = self.fragments;
        let [rows, columns] = fragments.shape(operand);
        let mut tile = vec![0.0; (fragments.blocks() * rows * columns) as usize];
        let elements = fragments.elements(operand);
        let (format, bits) = (self.formats[operand], fragments.bits[operand]);
        let has_copies = fragments.deal == FragmentLayout::WmmaCopies && operand < 2;
        for lane in 0..fragments.lanes() {
            for element in 0..elements {
                let code = self.code_at(exec, operand, first + lane, element * bits);
                if has_copies && lane >= 16 {
                    let other = self.code_at(exec, operand, first + lane - 16, element * bits);
                    if other != code {
                        let name = ["A", "B"][operand];
                        let text = format!(
                            "in {name}, element {element} is {code:#x} in lane {lane} and {other:#x} in lane {}; \
                             expected equal values in both halves of the wave",
                            lane - 16
                        );
                        return Err(exec.fault(FaultKind::Poison, first + lane, text));
                    }
                }
                let place = self.places[operand][(lane * elements + element) as usize];
                tile[place as usize] = format.value(code, self.family);
            }
        }
        if let Some(scales) = self.scales.as_ref().filter(|_| operand < 2) {
            for (at, element) in tile.iter_mut().enumerate() {
                let (own, k) = (at as u32 / columns, at as u32 % columns);
                let (block, selected) = (k / scales.blocks.size, scales.selectors[operand]);
                let (lane, byte) = fragments.scale(operand, own, block, selected);
                let word = exec.get(scales.registers[operand], first + lane);
                *element *= scales.blocks.format.value((word >> (8 * byte)) as u8);
            }
        }
        Ok(tile)
    }

    /// Returns a mask of the bits that the instruction reads from a scale register.
    fn scale_bits(&self, scales: &Scales, operand: usize) -> u64 {
        let blocks = self.fragments.sizes[2] / scales.blocks.size;
        let bytes = (0..blocks).map(|block| {
            let selected = scales.selectors[operand];
            let (_, byte) = self.fragments.scale(operand, 0, block, selected);
            0xff << (8 * byte)
        });
        bytes.fold(0, |all, bits| all | bits)
    }

    /// Returns the bits of an element in `lane`. `at` is the bit offset of the element in the registers of the
    /// operand.
    fn code_at(&self, exec: &Exec<'_>, operand: usize, lane: u32, at: u32) -> u64 {
        let words = &self.operands[operand];
        let width = words[0].1;
        let word = exec.get(words[(at / width) as usize].0, lane) >> (at % width);
        word & mask(self.fragments.bits[operand])
    }

    fn multiply(&self, exec: &mut Exec<'_>, first: u32) -> DecodeResult {
        let [m, n, k] = self.fragments.sizes.map(|size| size as usize);
        let a = self.tile(exec, 0, first)?;
        let b = self.tile(exec, 1, first)?;
        let mut d = self.tile(exec, 2, first)?;
        let is_double = self.formats[0] == Format::F64;
        for (at, sum) in d.iter_mut().enumerate() {
            let (block, row, column) = (at / (m * n), at / n % m, at / (m * n) * n + at % n);
            // Each group of blocks shares one block of A.
            let [group_log2, chosen] = self.broadcast.map(|value| value as usize);
            let row = ((block >> group_log2 << group_log2) + chosen) * m + row;
            let pairs = a[row * k..][..k].iter().zip(&b[column * k..][..k]);
            *sum = match is_double {
                true => pairs.fold(*sum, |sum, (a, b)| a.mul_add(*b, sum)),
                false => pairs.fold(*sum, |sum, (a, b)| sum + a * b),
            };
        }
        let (format, bits) = (self.formats[2], self.fragments.bits[2]);
        let (elements, width) = (self.fragments.elements(2), self.operands[2][0].1);
        for lane in 0..self.fragments.lanes() {
            let mut words = vec![0; self.dst.len()];
            for element in 0..elements {
                let place = self.places[2][(lane * elements + element) as usize];
                let at = element * bits;
                let code = format.code(d[place as usize], self.saturates);
                words[(at / width) as usize] |= code << (at % width);
            }
            for (register, word) in self.dst.iter().zip(words) {
                exec.set(*register, first + lane, word);
            }
        }
        Ok(())
    }
}

impl Instruction for Multiply {
    fn regs(&self) -> Regs {
        let words = self.operands.iter().flatten().map(|(reg, _)| *reg);
        let scales = self.scales.iter().flat_map(|scales| scales.registers);
        Regs::new(&*self.dst, words.chain(scales).collect::<Vec<Reg>>())
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for (warp, lanes) in exec.active_warps() {
            let all = exec.launch.machine.lanes_per_warp;
            if self.fragments.deal == FragmentLayout::Lane {
                for lane in lanes {
                    self.multiply(exec, lane)?;
                }
                continue;
            }
            if lanes.len() != all as usize {
                let text = format!(
                    "only {} of {all} lanes execute the matrix product; expected all",
                    lanes.len()
                );
                return Err(exec.fault(FaultKind::Divergence, lanes[0], text));
            }
            self.multiply(exec, warp * all)?;
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        if self.fragments.deal == FragmentLayout::Lane {
            return PoisonEffect::Results(lane.of_reads());
        }
        let Some(scales) = &self.scales else {
            return lane.require_defined();
        };
        for (operand, register) in scales.registers.into_iter().enumerate() {
            if lane.bits(register) & self.scale_bits(scales, operand) != 0 {
                return lane.require_defined_in(&[register]);
            }
        }
        let words = self.operands.iter().flatten().map(|(reg, _)| *reg);
        lane.require_defined_in(&words.collect::<Vec<Reg>>())
    }

    fn interaction(&self) -> WarpInteraction {
        WarpInteraction::None
    }
}
