//! Verification of buffer accesses: executes the program of a load or store, and compares registers or buffer with the
//! layouts.
//!
//! Addresses are linear in thread, register, view position and index. The check therefore tests the zero view and
//! index, and each single bit of the view and of the index. Every register of every thread gets the same index.

use super::plan::{BufferCells, PlanFault, check_buffer, columns, span};
use crate::f2::apply_columns;
use crate::layout::LayoutError;
use crate::number::narrow;
use crate::plan::memory::{BufferAccess, MemoryError};
use crate::plan::program::Program;
use thiserror::Error;

/// The first fault that was detected in the execution of a program that accesses a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct AccessFault(#[from] AccessFaultKind);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum AccessFaultKind {
    #[error(transparent)]
    Plan(#[from] PlanFault),
    #[error(transparent)]
    Memory(#[from] MemoryError),
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

/// Executes the program of a buffer access for every thread and checks the accessed elements.
///
/// Two numbers are known only at run time: the position of the accessed view in the buffer, and the index. The
/// program is executed once with both numbers equal to 0, and once for each bit that may be set in one of them,
/// with only this bit set. Addresses are linear in these bits, so a program without a fault is correct for all
/// values.
///
/// # Shape
/// `program` is the result of [`crate::plan::memory::plan_access`] for `access`.
/// # Errors
/// Returns the first fault: a register or a byte of the buffer with a wrong element, or a bad address.
pub fn check_access(program: &Program, access: &BufferAccess<'_>) -> Result<(), AccessFault> {
    check(program, access).map_err(AccessFault)
}

fn check(program: &Program, access: &BufferAccess<'_>) -> Result<(), AccessFaultKind> {
    let BufferAccess {
        registers: layout,
        buffer: place,
        indexed,
        ..
    } = *access;
    // The position bits of each coordinate bit. The indexed axis has zeros here, since the index is added later.
    let mut steps = Vec::new();
    let mut along = Vec::new();
    for (dim, own) in place.steps()?.into_iter().enumerate() {
        let bits = layout.out_dims().nth(dim).map_or(0, |d| layout.out_bits(d));
        match indexed {
            Some((axis, size)) if axis == dim => {
                along = own[..(size.trailing_zeros() as usize).min(own.len())].to_vec();
                steps.resize(steps.len() + bits, 0);
            }
            _ => steps.extend(own.into_iter().take(bits)),
        }
    }
    let (registers, threads) = columns(layout);
    let position = |columns: Vec<u64>| -> Vec<u64> {
        let columns = columns.iter().map(|c| apply_columns(&steps, *c));
        span(&columns.collect::<Vec<u64>>())
    };
    let (registers, threads) = (position(registers), position(threads));
    let views = (0..u64::BITS).map(|bit| 1 << bit);
    let views = views.filter(|bit| access.view_mask & bit != 0);
    let indices = (0..along.len()).map(|bit| (0, 1 << bit));
    for (view, index) in std::iter::once((0, 0))
        .chain(views.map(|view| (view, 0)))
        .chain(indices)
    {
        let start = view ^ apply_columns(&along, index);
        let cells = BufferCells {
            registers: registers.iter().map(|at| at ^ start).collect(),
            threads: threads.clone(),
            place,
            numbers: (narrow(view), narrow(index)),
        };
        check_buffer(program, &cells, access.access, access.target)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::Encoding;
    use crate::layout::{Dim, LinearLayout};
    use crate::plan::memory::{BufferLayout, plan_access};
    use crate::plan::program::Step;
    use crate::target::{Access, Target};

    const BUFFERS: [&str; 4] = [
        "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
        "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>",
        "#ttg.padded_shared<[64:+8, 256:+2] {order = [1, 0], shape = [32, 64]}>",
        "#ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0]}>}>",
    ];
    const REGISTERS: [&str; 3] = [
        "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>",
        "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>, kWidth = 2}>",
        "#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 1, 2], threadsPerWarp = [4, 8, 1], warpsPerCTA = [1, 2, 2], order = [2, 1, 0]}>}>",
    ];

    fn every(mut check: impl FnMut(&BufferAccess<'_>)) {
        let target = Target::parse("cuda:90").unwrap();
        for buffer in BUFFERS {
            let encoding: Encoding = buffer.parse().unwrap();
            let layout = encoding.to_surjective_layout(&[32, 64]).unwrap();
            for bits in [8, 16, 32, 64] {
                let gaps = encoding.interval_paddings();
                let place = BufferLayout::new(layout.clone(), gaps, bits).unwrap();
                for text in REGISTERS {
                    for shape in [[32, 64], [16, 32]] {
                        let registers: Encoding = text.parse().unwrap();
                        let registers = registers.to_surjective_layout(&shape).unwrap();
                        let registers: LinearLayout =
                            registers.remove_zero_bases(Dim::REGISTER).unwrap();
                        let view_mask = place.view_mask(&shape).unwrap();
                        for indexed in [None, Some((0, shape[0])), Some((1, shape[1]))] {
                            let plain = BufferAccess {
                                registers: &registers,
                                buffer: &place,
                                view_mask,
                                indexed,
                                access: Access::Store,
                                neighbours: None,
                                target,
                            };
                            check(&plain);
                            check(&BufferAccess {
                                access: Access::Load,
                                ..plain
                            });
                            for neighbours in [&[0, 1, 2, 3][..], &[1, 0], &[]] {
                                if indexed.is_none() {
                                    check(&BufferAccess {
                                        neighbours: Some(neighbours),
                                        ..plain
                                    });
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn accesses_are_right() {
        every(|access| {
            let program = plan_access(access).unwrap();
            check_access(&program, access).unwrap_or_else(|e| panic!("{access:?}: {e}\n{program}"));
        });
    }

    /// Checks that the register numbers of the values of each store differ only in the bits listed in
    /// `BufferAccess::neighbours`.
    #[test]
    fn copies_move_neighbours() {
        every(|access| {
            let Some(neighbours) = access.neighbours else {
                return;
            };
            let program = plan_access(access).unwrap();
            for step in program.steps() {
                let Step::Store { values, .. } = step else {
                    continue;
                };
                let values = program.operands(*values);
                assert!(values.len() <= 1 << neighbours.len(), "{program}");
                for (i, value) in values.iter().enumerate() {
                    let moved = (0..neighbours.len()).filter(|bit| i >> bit & 1 == 1);
                    let moved: u32 = moved.map(|bit| 1 << neighbours[bit]).sum();
                    assert_eq!(value.0, values[0].0 ^ moved, "{program}");
                }
            }
        });
    }

    #[test]
    fn broken_accesses_are_found() {
        every(|access| {
            let program = plan_access(access).unwrap();
            let with = |change: fn(&mut crate::plan::program::Address)| {
                program.edited(|steps| {
                    let address = steps.iter_mut().find_map(|step| match step {
                        Step::Store { address, .. }
                        | Step::Load { address, .. }
                        | Step::StoreMatrices { address, .. }
                        | Step::LoadMatrices { address, .. } => Some(address),
                        _ => None,
                    });
                    change(address.expect("an access"));
                })
            };
            let mut broken = vec![with(|address| address.xor ^= 16)];
            if access.view_mask != 0 {
                broken.push(with(|address| address.numbers = Default::default()));
            }
            for program in broken {
                assert!(
                    check_access(&program, access).is_err(),
                    "{access:?}\n{program}"
                );
            }
        });
    }
}
