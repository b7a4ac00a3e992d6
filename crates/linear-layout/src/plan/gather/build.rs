//! Planning of a gather: both strategies are planned, and the cheaper plan is returned.

use super::super::memory::{BufferLayout, IndexedPlan, MemoryPlan};
use super::super::program::{BarrierScope, Builder, IndexProgram, Program, Threads, ValueId};
use super::error::{GatherError, GatherErrorKind};
use super::{Gather, GatherPlan, GatherStrategy};
use crate::f2::Echelon;
use crate::layout::{Dim, LinearLayout, Surjectivity};
use crate::number::narrow;
use crate::target::Access;

/// log2 of the maximum number of candidate registers per element. It is limited because all candidates are
/// shuffled.
const MAX_CANDIDATES: usize = 6;

/// Plans a gather along one axis.
///
/// ```
/// use linear_layout::layout::{Dim, LinearLayout};
/// use linear_layout::plan::gather::{Gather, GatherStrategy, plan_gather};
/// use linear_layout::target::Target;
/// // 64 elements on 32 lanes, two each, and one index for each lane.
/// let d = Dim::out(0);
/// let lanes = LinearLayout::identity_1d(32, Dim::LANE, d)?;
/// let src = LinearLayout::identity_1d(2, Dim::REGISTER, d)?.product(&lanes)?;
/// let target = Target::parse("cuda:90")?;
/// let plan = plan_gather(&Gather { src: &src, indices: &lanes, axis: 0, bits: 32, target })?;
/// // Within one warp: two registers are shuffled, and a bit of the index selects one.
/// assert_eq!(plan.strategy(), GatherStrategy::Lanes);
/// let sorts: Vec<&str> = plan.program().steps().iter().map(|step| step.kind_name()).collect();
/// assert_eq!(sorts, ["index", "shuffle", "shuffle", "select"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error in these cases:
/// - the element width is not supported;
/// - a tensor is distributed over several CTAs;
/// - the shapes of the source and of the indices do not match, or the source does not have the dim `axis`;
/// - the gather cannot use shuffles, and shared memory does not suffice;
/// - the gather cannot use shuffles, and the layouts do not match each other or the target.
pub fn plan_gather(gather: &Gather<'_>) -> Result<GatherPlan, GatherError> {
    check(gather)?;
    let src = gather.src;
    let size = src
        .out_dims()
        .nth(gather.axis)
        .map_or(1, |d| src.out_size(d));
    let index_bits = size.trailing_zeros();
    let lanes = lanes(gather);
    let is_within_warps = lanes.is_some() && has_own_warps(src);
    let mut ways = Vec::new();
    if let Some(lanes) = lanes.filter(|lanes| lanes.candidates.len() <= MAX_CANDIDATES) {
        ways.push((GatherStrategy::Lanes, through_lanes(gather, &lanes)));
    }
    let mut failed = None;
    match through_memory(gather, size, is_within_warps) {
        Ok(program) => ways.push((GatherStrategy::Memory, program)),
        Err(error) => failed = Some(error),
    }
    ways.sort_by_key(|(_, program)| program.cost().total());
    let considered = ways.iter().map(|(_, program)| program.cost()).collect();
    match (ways.into_iter().next(), failed) {
        (Some((strategy, program)), _) => Ok(GatherPlan {
            strategy,
            program,
            index_bits,
            considered,
        }),
        (None, Some(error)) => Err(error),
        (None, None) => unreachable!("memory is a way, or fails with a reason"),
    }
}

fn check(gather: &Gather<'_>) -> Result<(), GatherError> {
    let Gather {
        src,
        indices,
        axis,
        bits,
        ..
    } = *gather;
    if !bits.is_power_of_two() || bits > 64 {
        return Err(GatherErrorKind::Width { bits }.into());
    }
    let blocks = src.in_size(Dim::BLOCK).max(indices.in_size(Dim::BLOCK));
    if blocks > 1 {
        return Err(GatherErrorKind::SeveralBlocks { blocks }.into());
    }
    let shape = |layout: &LinearLayout| -> Vec<u64> {
        layout.out_dims().map(|d| layout.out_size(d)).collect()
    };
    let (from, to) = (shape(src), shape(indices));
    let is_same = |i: usize| i == axis || from.get(i) == to.get(i);
    if axis >= from.len() || from.len() != to.len() || !(0..from.len()).all(is_same) {
        return Err(GatherErrorKind::Shapes {
            src: from,
            indices: to,
            axis,
        }
        .into());
    }
    Ok(())
}

/// A gather that uses shuffles. For each result register, it determines the source register and the source lane.
/// The source lane is in the same warp as the thread that holds the result.
struct LaneGather {
    /// Program that maps (lane, warp, index) to two values. They are XORed into the number of the source lane and
    /// into the number of the source register.
    source: IndexProgram,
    /// For each result register, the two constants that are XORed into the number of the source lane and into the
    /// number of the source register.
    constants: Vec<(u32, u32)>,
    /// The bits of the source register's number that may depend on the run-time index. Each combination of their
    /// values selects one candidate register.
    candidates: Vec<RegisterBit>,
    /// True if every lane already holds the elements that it requests.
    is_in_lane: bool,
}

/// A bit of the source register's number whose value may depend on the run-time index.
struct RegisterBit {
    /// Position of the bit in the register output of [`LaneGather::source`].
    bit: u32,
    /// Mask that is XORed into the source register's number if the bit at `bit` is set.
    registers: u32,
}

/// Returns true if no element is held by two warps.
fn has_own_warps(src: &LinearLayout) -> bool {
    let mut all = Echelon::new();
    let columns = [Dim::WARP, Dim::LANE, Dim::REGISTER]
        .into_iter()
        .flat_map(|dim| src.columns_of(dim));
    let warps = src.columns_of(Dim::WARP).len();
    // Warp columns must be independent of each other and of those within a warp.
    columns
        .enumerate()
        .filter(|(i, column)| {
            all.insert(*i, **column)
                .is_some_and(|kernel| kernel & ((1 << warps) - 1) != 0)
        })
        .count()
        == 0
}

/// Plans a gather that uses shuffles. Returns `None` unless each warp holds all rows from which its threads request
/// elements.
fn lanes(gather: &Gather<'_>) -> Option<LaneGather> {
    let Gather {
        src, indices, axis, ..
    } = *gather;
    // Start of the axis, and of the dims above it, in packed coordinates of each layout.
    let below: usize = src.out_dims().take(axis).map(|d| src.out_bits(d)).sum();
    let bits = |layout: &LinearLayout| {
        layout
            .out_dims()
            .nth(axis)
            .map_or(0, |d| layout.out_bits(d))
    };
    let (axis_bits, own_bits) = (bits(src), bits(indices));
    // The row of an index, as a packed coordinate of the source at index 0.
    let row = |column: u64| {
        let low = column & ((1 << below) - 1);
        low | column >> (below + own_bits) << (below + axis_bits)
    };
    let (lane_columns, registers) = (src.columns_of(Dim::LANE), src.columns_of(Dim::REGISTER));
    let num_lanes = lane_columns.len();
    let mut all = Echelon::new();
    for (i, column) in lane_columns.iter().chain(registers).enumerate() {
        all.insert(i, *column);
    }
    let mut in_registers = Echelon::new();
    for (i, column) in registers.iter().enumerate() {
        in_registers.insert(num_lanes + i, *column);
    }
    let split = |found: u64| {
        let lane = found & ((1 << num_lanes) - 1);
        (narrow(lane), narrow(found >> num_lanes))
    };
    let locate = |target: u64| all.solve(target).map(split);
    let mut lane_outs = Vec::new();
    let mut register_outs = Vec::new();
    for (bit, column) in indices.columns_of(Dim::LANE).iter().enumerate() {
        // The same lane if it holds the row, as far as lane bits determine it.
        let own = in_registers.solve(row(*column) ^ lane_columns[bit]);
        let (lane, register) = match own {
            Some(rest) => (1 << bit, split(rest).1),
            None => locate(row(*column))?,
        };
        lane_outs.push(u64::from(lane));
        register_outs.push(u64::from(register));
    }
    let warps = indices.columns_of(Dim::WARP).iter();
    for (column, held) in warps.zip(src.columns_of(Dim::WARP)) {
        let (lane, register) = locate(row(*column) ^ held)?;
        lane_outs.push(u64::from(lane));
        register_outs.push(u64::from(register));
    }
    for bit in 0..axis_bits {
        let (lane, register) = locate(1 << (below + bit))?;
        lane_outs.push(u64::from(lane));
        register_outs.push(u64::from(register));
    }
    let own: Vec<(u32, u32)> = indices
        .columns_of(Dim::REGISTER)
        .iter()
        .map(|column| locate(row(*column)))
        .collect::<Option<_>>()?;
    let constants: Vec<(u32, u32)> = (0..1usize << own.len())
        .map(|register| {
            let bits = own
                .iter()
                .enumerate()
                .filter(|(i, _)| register >> i & 1 == 1);
            bits.fold((0, 0), |sum, (_, part)| (sum.0 ^ part.0, sum.1 ^ part.1))
        })
        .collect();
    let is_in_lane = constants.iter().all(|(lane, _)| *lane == 0)
        && lane_outs.iter().enumerate().all(|(i, lane)| {
            let identity = if i < num_lanes { 1 << i } else { 0 };
            *lane == identity
        });
    let candidates = candidates(&register_outs);
    let input_bits = [
        narrow::<u32>(num_lanes),
        narrow::<u32>(src.columns_of(Dim::WARP).len()),
        narrow::<u32>(axis_bits),
    ];
    Some(LaneGather {
        source: IndexProgram::new(&input_bits, &[lane_outs, register_outs]),
        constants,
        candidates,
        is_in_lane,
    })
}

/// Returns a basis of the values that the run-time bits can XOR into a register number.
///
/// `columns` contains, for each run-time bit, the value that is XORed into the register number if this bit is set.
/// Each basis vector has a bit that is clear in all other basis vectors.
fn candidates(columns: &[u64]) -> Vec<RegisterBit> {
    let mut basis: Vec<u64> = Vec::new();
    for column in columns {
        let mut rest = *column;
        for known in &basis {
            if rest & (1 << known.trailing_zeros()) != 0 {
                rest ^= known;
            }
        }
        if rest == 0 {
            continue;
        }
        for known in &mut basis {
            if *known & (1 << rest.trailing_zeros()) != 0 {
                *known ^= rest;
            }
        }
        basis.push(rest);
    }
    basis.sort_unstable();
    let choice = |vector: &u64| RegisterBit {
        bit: vector.trailing_zeros(),
        registers: narrow(*vector),
    };
    basis.iter().map(choice).collect()
}

fn builder(gather: &Gather<'_>) -> Builder {
    let registers = |layout: &LinearLayout| narrow::<u32>(layout.in_size(Dim::REGISTER));
    let operands = [
        (registers(gather.src), gather.bits),
        (registers(gather.indices), 32),
    ];
    let threads = Threads::of(gather.src);
    Builder::of_operands(&operands, threads)
}

/// Builds the program of a gather that uses shuffles. The program shuffles all candidate registers, and then
/// selects one of them depending on the index.
fn through_lanes(gather: &Gather<'_>, lanes: &LaneGather) -> Program {
    let mut b = builder(gather);
    let sources = b.sources();
    let (src, indices) = sources.split_at(narrow(gather.src.in_size(Dim::REGISTER)));
    let map = b.index_map(lanes.source.clone());
    let pairs = indices.iter().zip(&lanes.constants);
    let results = pairs.map(|(index, (lane, own))| {
        let location = b.compute(map, &[*index]);
        let candidates = 0..1usize << lanes.candidates.len();
        let candidates = candidates.map(|number| {
            let chosen = lanes.candidates.iter().enumerate();
            let chosen = chosen.filter(|(i, _)| number >> i & 1 == 1);
            let register = chosen.fold(*own, |register, (_, choice)| register ^ choice.registers);
            src[register as usize]
        });
        let mut found: Vec<ValueId> = candidates.collect();
        if !lanes.is_in_lane {
            found = b.through_words(&found, |b, word| b.shuffle_at(word, location, *lane));
        }
        for choice in &lanes.candidates {
            let bit = (location.plus(1), choice.bit);
            let pairs = found.chunks(2);
            found = pairs
                .map(|pair| b.select_bit(bit, pair[1], pair[0]))
                .collect();
        }
        found[0]
    });
    let results = results.collect();
    b.finish(results, 0, gather.target)
}

/// Builds the program of a gather that uses shared memory. It stores the source tensor, and loads each requested
/// element separately.
fn through_memory(
    gather: &Gather<'_>,
    size: u64,
    is_within_warps: bool,
) -> Result<Program, GatherError> {
    let (src, target) = (gather.src, gather.target);
    let buffer = BufferLayout::new(offsets(src)?, &[], gather.bits.max(8))?;
    let bytes = buffer.size_bytes(1);
    let limit = target.max_shared_bytes;
    let bytes = u32::try_from(bytes)
        .ok()
        .filter(|bytes| *bytes <= limit)
        .ok_or(GatherErrorKind::Scratch {
            needed: bytes,
            limit,
            target: target.name,
        })?;
    let store = MemoryPlan::new(src, &buffer, 0, Access::Store, target)?;
    let load = IndexedPlan::new(gather.indices, gather.axis, size, &buffer)?;
    let mut b = builder(gather);
    let sources = b.sources();
    let (src, indices) = sources.split_at(narrow(src.in_size(Dim::REGISTER)));
    b.store_registers(&store, src, None, None);
    b.barrier(if is_within_warps || gather.src.in_size(Dim::WARP) == 1 {
        BarrierScope::Warp
    } else {
        BarrierScope::Block
    });
    let addresses = b.indexed_addresses(&load, indices, None).into_iter();
    let results = addresses.map(|address| b.load(address, 1, false)).collect();
    Ok(b.finish(results, bytes, target))
}

/// Returns the layout of the scratch buffer that holds the source. The first dim along which registers step is
/// contiguous.
///
/// If registers do not step along any dim, the first dim along which lanes step is contiguous.
fn offsets(src: &LinearLayout) -> Result<LinearLayout, GatherError> {
    let mut starts = Vec::new();
    let mut at = 0;
    for dim in src.out_dims() {
        starts.push((at, src.out_bits(dim)));
        at += src.out_bits(dim);
    }
    let mut order: Vec<usize> = Vec::new();
    let columns = [Dim::REGISTER, Dim::LANE, Dim::WARP]
        .into_iter()
        .flat_map(|dim| src.columns_of(dim).iter().copied())
        .collect::<Vec<u64>>();
    let of = |column: &u64| {
        let is_in = |(start, bits): &(usize, usize)| column >> start & ((1 << bits) - 1) != 0;
        starts.iter().position(is_in)
    };
    for dim in columns.iter().filter_map(of).chain(0..starts.len()) {
        if !order.contains(&dim) {
            order.push(dim);
        }
    }
    let offsets: Vec<u64> = order
        .iter()
        .flat_map(|dim| {
            let (start, bits) = starts[*dim];
            (start..start + bits).map(|bit| 1u64 << bit)
        })
        .collect();
    let outs: Vec<(Dim, u64)> = src.out_dims().map(|d| (d, src.out_size(d))).collect();
    let ins = [(Dim::OFFSET, 1 << offsets.len())];
    Ok(LinearLayout::from_columns(
        &ins,
        &outs,
        &offsets,
        Surjectivity::Required,
    )?)
}
