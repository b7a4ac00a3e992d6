//! Wavefronts of a program's accesses to shared memory.

use super::banks::{phase_lane_bits, wavefronts};
use super::{Address, Program, Step};
use crate::target::{Access, Banks, Fragment, Target, Wavefronts};

/// Expected number of wavefronts of an access whose lanes have unrelated addresses.
const RANDOM_WAVES: u64 = 3;

/// Key of the cache: (index of the address base, constant term of the address, bytes per address, direction of the
/// access, meaning of the addresses). If the memory has no padding, the constant term does not affect bank
/// conflicts, and the key contains 0 instead.
type Shape = (u32, u32, u32, Access, Addresses);

/// The meaning of the addresses that the lanes of a warp pass to an access.
#[derive(Clone, Copy, PartialEq)]
enum Addresses {
    /// Each lane accesses memory at its own address.
    OfLanes,
    /// Each address is the address of a matrix row. Rows with equal addresses count separately, because no GPU is
    /// known to merge them.
    OfRows,
}

/// A cache that holds, for each access of a program, the number of wavefronts that one warp takes. Accesses to
/// memory without padding share an entry if their addresses differ only in the constant term.
pub(super) struct AccessWavefronts<'a> {
    program: &'a Program,
    target: &'a Target,
    known: Vec<(Shape, Wavefronts)>,
}

impl<'a> AccessWavefronts<'a> {
    pub(super) fn new(program: &'a Program, target: &'a Target) -> Self {
        Self {
            program,
            target,
            known: Vec::new(),
        }
    }

    /// Returns the number of wavefronts that one warp takes for a step, multiplied by `target.lanes`. The factor
    /// avoids fractions for matrix accesses in which only some lanes supply addresses. The result is zero for a
    /// step that does not access shared memory.
    pub(super) fn of_step(&mut self, step: &Step) -> Wavefronts {
        let (program, lanes) = (self.program, u64::from(self.target.lanes));
        match *step {
            Step::Store {
                address, values, ..
            } => {
                let element = program.operands[values.start as usize];
                let bytes = values.len * program.value_bytes(element);
                self.of_lanes(address, bytes, Access::Store) * lanes
            }
            Step::Load {
                address,
                first,
                count,
                ..
            } => self.of_lanes(address, count * program.value_bytes(first), Access::Load) * lanes,
            Step::AtomicAdd { address, .. } => self.of_lanes(address, 4, Access::Store) * lanes,
            Step::StoreMatrices {
                address,
                values,
                fragment,
            } => self.of_matrices((address, values.len), fragment, Access::Store),
            Step::LoadMatrices {
                address,
                count,
                fragment,
                ..
            } => self.of_matrices((address, count), fragment, Access::Load),
            Step::Pack { .. }
            | Step::Unpack { .. }
            | Step::Select { .. }
            | Step::SelectBit { .. }
            | Step::Zero { .. }
            | Step::One { .. }
            | Step::CountVotes { .. }
            | Step::Compute { .. }
            | Step::ShuffleAt { .. }
            | Step::ShuffleXor { .. }
            | Step::ShuffleIndex { .. }
            | Step::SwapLanes { .. }
            | Step::TransposeMatrix { .. }
            | Step::Combine { .. }
            | Step::ReduceLanes { .. }
            | Step::Mma { .. }
            | Step::Barrier(_) => Wavefronts::default(),
        }
    }

    /// Returns the number of wavefronts of an access in which each lane accesses `bytes` bytes at its own address.
    /// The number is not multiplied by `target.lanes`. If the address depends on a computed number, the result is
    /// an estimate.
    fn of_lanes(&mut self, address: Address, bytes: u32, access: Access) -> Wavefronts {
        self.of(address, bytes, access, Addresses::OfLanes)
    }

    fn of(
        &mut self,
        address: Address,
        bytes: u32,
        access: Access,
        addresses: Addresses,
    ) -> Wavefronts {
        let (program, target) = (self.program, self.target);
        let base = &program.address_bases[address.base as usize];
        // A computed number differs between lanes; the position of a view does not.
        let mut numbers = program.operands(address.numbers).iter();
        if numbers.any(|number| program.is_word(*number)) {
            return Wavefronts {
                taken: RANDOM_WAVES,
                ideal: RANDOM_WAVES,
            };
        }
        let constant = if base.gaps.is_empty() { 0 } else { address.xor };
        let shape = (address.base, constant, bytes, access, addresses);
        if let Some((_, known)) = self.known.iter().find(|known| known.0 == shape) {
            return *known;
        }
        let lanes = program.lanes_log2 as usize;
        let columns = &base.columns[..lanes.min(base.columns.len())];
        let counted = if base.gaps.is_empty() {
            let phase_bits = match addresses {
                Addresses::OfLanes => phase_lane_bits(columns, bytes, access, target),
                Addresses::OfRows => target.phase_lane_bits(access, bytes),
            };
            let (taken, ideal) = wavefronts(columns, bytes, phase_bits, target);
            Wavefronts {
                taken: taken.into(),
                ideal: ideal.into(),
            }
        } else {
            let address = |lane| Some(base.padded(base.apply(lane) ^ constant).into());
            let found: Vec<_> = (0..target.lanes).map(address).collect();
            match addresses {
                Addresses::OfLanes => target.wavefronts(&found, bytes, access),
                Addresses::OfRows => {
                    let phase_bits = target.phase_lane_bits(access, bytes);
                    Banks::of(target).wavefronts(&found, bytes, phase_bits)
                }
            }
        };
        self.known.push((shape, counted));
        counted
    }

    /// Returns the number of wavefronts of a matrix access of `count` registers per lane, multiplied by
    /// `target.lanes`. The factor avoids fractions if only some lanes supply addresses.
    fn of_matrices(
        &mut self,
        (address, count): (Address, u32),
        fragment: Fragment,
        access: Access,
    ) -> Wavefronts {
        let layout = fragment.layout();
        // A lane that supplies no address makes no request.
        let rows = layout.row_count() * (4 * count).div_ceil(layout.lane_bytes());
        let row = self.of(address, layout.row_bytes(), access, Addresses::OfRows);
        row * u64::from(rows)
    }
}

impl Program {
    /// Returns the number of wavefronts of all accesses to shared memory, summed over all warps.
    ///
    /// If the address of an access depends on a computed number, e.g. a run-time index, the wavefronts of the
    /// access are estimated. The fields `taken` and `ideal` then contain the same estimate for this access.
    #[must_use]
    pub fn wavefronts(&self, target: &Target) -> Wavefronts {
        let mut accesses = AccessWavefronts::new(self, target);
        let lanes = u64::from(target.lanes);
        let mut sum = Wavefronts::default();
        for step in &self.steps {
            sum += accesses.of_step(step) / lanes;
        }
        sum * (1 << self.warps_log2)
    }
}
