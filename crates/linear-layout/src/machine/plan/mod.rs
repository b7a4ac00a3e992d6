//! Plan verification: executes a plan on symbolic elements and compares every destination register with its layout.
//!
//! At the start, the source registers of every thread hold the *names* of their elements (packed tensor coordinates).
//! The steps move names. At the end, each destination register must hold the name that the destination layout
//! prescribes. A name belongs to a *granule*: an element with up to 32 bits, or half of a 64-bit element that a step
//! splits. A word made of four bytes has four names.
//!
//! ```
//! use linear_layout::layout::{Dim, LinearLayout};
//! use linear_layout::machine::check_plan;
//! use linear_layout::plan::{PlanOptions, Strategy, plan_conversion};
//! use linear_layout::target::Target;
//! let d = Dim::out(0);
//! let pair = LinearLayout::identity_1d(2, Dim::REGISTER, d)?;
//! let lanes = LinearLayout::identity_1d(32, Dim::LANE, d)?;
//! let (src, dst) = (pair.product(&lanes)?, lanes.product(&pair)?);
//! let target = Target::parse("cuda:90")?;
//! let options = PlanOptions::new().with_strategy(Strategy::Shared);
//! let plan = plan_conversion(&src, &dst, 32, target, &options)?;
//! let report = check_plan(plan.program(), &src, &dst, target)?;
//! assert_eq!((report.elements_checked, report.conflicts()), (64, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What counts as a race
//! A race is a pair of accesses by two threads to the same byte, at least one a store, without a barrier in between.
//! Warp barriers order threads of one warp; block barriers order all threads. Several threads may store replicas to the
//! same bytes, but a load must follow a barrier after all of the stores. Lowered kernels are checked by the same code.

mod fault;
mod memory;
mod name;
mod report;
mod run;
#[cfg(test)]
mod tests;

use crate::number::narrow;
pub use fault::PlanFault;
pub use report::PlanReport;

use fault::FaultKind;
pub(super) use name::{AbstractElement, Granule, Line, LineNames, Products};
use run::Machine;

use crate::layout::{Dim, LinearLayout};
use crate::plan::memory::BufferLayout;
use crate::plan::program::Program;
use crate::target::{Access, Target};

/// Executes the plan for every thread and checks each destination register.
///
/// # Shape
/// `plan` is a program that [`crate::plan::plan_conversion`] returns for `target`. Its sources are the registers of
/// `src`, and its results are the registers of `dst`. Zero register bases of both layouts are omitted.
/// # Errors
/// Returns the first fault: a wrong element, a race, a bad address, or a malformed step.
pub fn check_plan(
    plan: &Program,
    src: &LinearLayout,
    dst: &LinearLayout,
    target: &Target,
) -> Result<PlanReport, PlanFault> {
    check(plan, src, dst, target, false)
}

fn check(
    plan: &Program,
    src: &LinearLayout,
    dst: &LinearLayout,
    target: &Target,
    force_ledger: bool,
) -> Result<PlanReport, PlanFault> {
    let order: Vec<Dim> = src.out_dims().collect();
    let transposed = if dst.out_dims().eq(order.iter().copied()) {
        None
    } else {
        dst.transpose_outs(&order).ok()
    };
    let dst = transposed.as_ref().unwrap_or(dst);
    let (src_registers, mut src_threads) = columns(src);
    let (dst_registers, mut dst_threads) = columns(dst);
    for (threads, layout) in [(&mut src_threads, src), (&mut dst_threads, dst)] {
        let blocks = layout.columns_of(Dim::BLOCK).iter().copied();
        let blocks = blocks.chain(std::iter::repeat(0));
        threads.extend(blocks.take(plan.blocks_log2() as usize));
    }
    let expect = |what, found: usize, expected: usize| {
        if found == expected {
            Ok(())
        } else {
            Err(PlanFault::from(FaultKind::Shape {
                what,
                found,
                expected,
            }))
        }
    };
    expect(
        "source registers",
        plan.num_sources(),
        1 << src_registers.len(),
    )?;
    expect(
        "destination registers",
        plan.results().len(),
        1 << dst_registers.len(),
    )?;
    expect(
        "bits of the thread index",
        (plan.lanes_log2() + plan.warps_log2() + plan.blocks_log2()) as usize,
        src_threads.len(),
    )?;
    expect(
        "bits of the thread index",
        src_threads.len(),
        dst_threads.len(),
    )?;

    let machine = Machine::new(plan, target, 1 << src_threads.len(), force_ledger);
    let src = (span(&src_registers), span(&src_threads));
    let dst = (span(&dst_registers), span(&dst_threads));
    run_on_elements(machine, plan, (&src, &|_, _| true), &dst)
}

/// Two tables `(registers, threads)`. Register `r` of thread `t` holds element `registers[r] ^ threads[t]`.
type ElementTable = (Vec<u64>, Vec<u64>);

/// Executes the plan on symbolic elements, and compares the results with `dst`. The sources hold the elements of
/// `src`, but a source register is undefined in each thread for which `holds(register, thread)` is false.
fn run_on_elements(
    mut machine: Machine<'_, u32>,
    plan: &Program,
    (src, holds): (&ElementTable, &dyn Fn(usize, usize) -> bool),
    dst: &ElementTable,
) -> Result<PlanReport, PlanFault> {
    // The granules of an element have consecutive names.
    let granules = narrow::<u32>(machine.granules_of_elements());
    let element = |(registers, threads): &ElementTable, register: usize, thread: usize| {
        narrow::<u32>(registers[register] ^ threads[thread])
    };
    machine.fill(|register, thread| match holds(register, thread) {
        true => element(src, register, thread) * granules,
        false => u32::MAX,
    });
    for index in 0..plan.steps().len() {
        machine.step(index)?;
    }
    let lanes_log2 = plan.lanes_log2();
    machine.compare(
        |register, thread| element(dst, register, thread) * granules,
        |register, thread, found| FaultKind::Wrong {
            register,
            lane: narrow::<u32>(thread) & ((1 << lanes_log2) - 1),
            warp: narrow::<u32>(thread) >> lanes_log2,
            found: (found != u32::MAX).then(|| found / granules),
            expected: element(dst, register, thread),
        },
    )?;
    Ok(machine.report())
}

/// Executes a plan whose sources and results both have the layout `layout`, and checks the results. A source
/// register is undefined in each thread for which `holds(register, thread)` is false.
pub(super) fn check_owned(
    plan: &Program,
    layout: &LinearLayout,
    target: &Target,
    holds: impl Fn(usize, usize) -> bool,
) -> Result<(), PlanFault> {
    let (registers, threads) = columns(layout);
    let (registers, threads) = (span(&registers), span(&threads));
    for (what, found) in [
        ("source registers", plan.num_sources()),
        ("destination registers", plan.results().len()),
    ] {
        let expected = registers.len();
        if found != expected {
            return Err(FaultKind::Shape {
                what,
                found,
                expected,
            }
            .into());
        }
    }
    let machine = Machine::new(plan, target, threads.len(), false);
    let held = (registers, threads);
    run_on_elements(machine, plan, (&held, &holds), &held)?;
    Ok(())
}

/// Executes a plan, and compares its results with `expected`. The first operand holds the elements of `src`. Each
/// register of the other operands holds the run-time number `number` in every thread.
pub(super) fn check_at_numbers(
    plan: &Program,
    src: &ElementTable,
    number: u32,
    expected: &ElementTable,
    target: &Target,
) -> Result<(), PlanFault> {
    let (registers, threads) = (src.0.len(), src.1.len());
    for (what, found, expected) in [
        (
            "source registers",
            plan.num_sources(),
            registers + expected.0.len(),
        ),
        (
            "destination registers",
            plan.results().len(),
            expected.0.len(),
        ),
    ] {
        if found != expected {
            return Err(FaultKind::Shape {
                what,
                found,
                expected,
            }
            .into());
        }
    }
    let mut machine = Machine::new(plan, target, threads, false);
    machine.set_numbers(registers..plan.num_sources(), |_| number);
    run_on_elements(
        machine,
        plan,
        (src, &|register, _| register < registers),
        expected,
    )?;
    Ok(())
}

/// The positions of a buffer that a program accesses. Register `r` of thread `t` accesses position
/// `registers[r] ^ threads[t]`. Padding is not included in positions.
pub(super) struct BufferCells<'a> {
    pub(super) registers: Vec<u64>,
    pub(super) threads: Vec<u64>,
    pub(super) place: &'a BufferLayout,
    /// The run-time numbers `(view, index)`: the position of the view, and the index that every index register
    /// holds.
    pub(super) numbers: (u32, u32),
}

/// Executes a buffer access with symbolic values, and checks that each register and each cell of the buffer gets the
/// element that the layouts assign to it. An element is named by its position in the buffer.
pub(super) fn check_buffer(
    plan: &Program,
    cells: &BufferCells<'_>,
    access: Access,
    target: &Target,
) -> Result<(), PlanFault> {
    let (registers, threads) = (cells.registers.len(), cells.threads.len());
    let (stored, loaded) = match access {
        Access::Store => (registers, 0),
        Access::Load => (0, registers),
    };
    if plan.results().len() != loaded || plan.num_sources() <= stored {
        return Err(FaultKind::Shape {
            what: "destination registers",
            found: plan.results().len(),
            expected: loaded,
        }
        .into());
    }
    let mut machine = Machine::new(plan, target, threads, false);
    let (view, index) = cells.numbers;
    machine.set_numbers(stored..=stored, |_| view);
    machine.set_numbers(stored + 1..plan.num_sources(), |_| index);
    let position =
        |register: usize, thread: usize| cells.registers[register] ^ cells.threads[thread];
    let name = |register, thread| narrow::<u32>(position(register, thread));
    let byte = |register, thread| narrow::<u32>(cells.place.padded(position(register, thread)));
    let bytes = u32::try_from(cells.place.size_bytes(1)).unwrap_or(u32::MAX);
    machine.with_buffer(bytes);
    machine.fill(|value, thread| match value < stored {
        true => name(value, thread),
        false => u32::MAX,
    });
    let all = || (0..registers).flat_map(|r| (0..threads).map(move |t| (r, t)));
    if access == Access::Load {
        machine.fill_buffer(all().map(|(r, t)| (byte(r, t), name(r, t))))?;
    }
    for index in 0..plan.steps().len() {
        machine.step(index)?;
    }
    if access == Access::Store {
        let elements = all().map(|(r, t)| (byte(r, t), name(r, t)));
        if let Some(byte) = machine.wrong_byte(elements) {
            return Err(FaultKind::Stored { byte }.into());
        }
    }
    let lanes_log2 = plan.lanes_log2();
    machine.compare(name, |register, thread, found| FaultKind::Wrong {
        register,
        lane: narrow::<u32>(thread) & ((1 << lanes_log2) - 1),
        warp: narrow::<u32>(thread) >> lanes_log2,
        found: (found != u32::MAX).then_some(found),
        expected: name(register, thread),
    })
}

/// Executes a plan on symbolic elements, and compares its results with `expected`. `sources` and `expected` are
/// indexed by `[register][thread]`, and each operand has the same sources and the same expected results.
pub(super) fn check_cells<C: AbstractElement>(
    plan: &Program,
    sources: &[Vec<C>],
    expected: &[Vec<C>],
    target: &Target,
) -> Result<(), PlanFault> {
    let all = |cells: &[Vec<C>]| vec![cells.to_vec(); plan.widths().len()];
    let operands = OperandCells {
        sources: &all(sources),
        expected: &all(expected),
        numbers: &[],
        products: None,
    };
    check_operands(plan, operands, target)
}

pub(super) struct OperandCells<'a, C> {
    pub(super) sources: &'a [Vec<Vec<C>>],
    /// The expected results, indexed by `[operand][register][thread]`. `sources` is indexed in the same way.
    pub(super) expected: &'a [Vec<Vec<C>>],
    /// The run-time numbers that the first source registers hold, indexed by `[source][thread]`. If the list ends
    /// before a source register, the number in this register is unknown.
    pub(super) numbers: &'a [Vec<u32>],
    /// The tracker of matrix products, or `None` if the program has no matrix products.
    pub(super) products: Option<&'a mut dyn Products<Granule<C>>>,
}

pub(super) fn check_operands<C: AbstractElement>(
    plan: &Program,
    operands: OperandCells<'_, C>,
    target: &Target,
) -> Result<(), PlanFault> {
    fn registers<C>(cells: &[Vec<Vec<C>>]) -> Vec<(u8, &[C])> {
        let operands = (0..).zip(cells);
        let registers = operands
            .flat_map(|(operand, rows)| rows.iter().map(move |threads| (operand, &threads[..])));
        registers.collect()
    }
    let (sources, expected) = (registers(operands.sources), registers(operands.expected));
    for (what, found, expected) in [
        ("source registers", plan.num_sources(), sources.len()),
        ("result registers", plan.results().len(), expected.len()),
    ] {
        if found != expected {
            return Err(FaultKind::Shape {
                what,
                found,
                expected,
            }
            .into());
        }
    }
    let threads = 1 << (plan.lanes_log2() + plan.warps_log2());
    let name = |cells: &[(u8, &[C])], value: usize, thread: usize| {
        let (operand, threads) = cells[value];
        Granule::of(threads[thread], operand)
    };
    let mut machine = Machine::new(plan, target, threads, false);
    if let Some(products) = operands.products {
        machine.with_products(products);
    }
    for (value, numbers) in operands.numbers.iter().enumerate() {
        machine.set_numbers(value..=value, |thread| numbers[thread]);
    }
    machine.fill(|value, thread| name(&sources, value, thread));
    for index in 0..plan.steps().len() {
        machine.step(index)?;
    }
    machine.compare(
        |result, thread| name(&expected, result, thread),
        |result, thread, _| FaultKind::Combined { result, thread },
    )
}

/// Returns the nonzero register bases of `layout`, and a list of its lane bases followed by its warp bases.
pub(super) fn columns(layout: &LinearLayout) -> (Vec<u64>, Vec<u64>) {
    let of = |dim| layout.columns_of(dim).iter().copied();
    (
        of(Dim::REGISTER).filter(|&c| c != 0).collect(),
        of(Dim::LANE).chain(of(Dim::WARP)).collect(),
    )
}

pub(super) fn span(columns: &[u64]) -> Vec<u64> {
    let mut sums = vec![0];
    for &c in columns {
        for i in 0..sums.len() {
            sums.push(sums[i] ^ c);
        }
    }
    sums
}
