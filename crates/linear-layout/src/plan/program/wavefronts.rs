//! Wavefronts of a program's accesses to shared memory.

use super::banks::wavefronts;
use super::{Address, Program, Step};
use crate::target::{Access, Banks, Fragment, Target, Wavefronts};

/// Expected wavefronts of an access whose lanes have unrelated addresses.
const RANDOM_WAVES: u64 = 3;

/// The wavefronts that one warp takes for each access of a program. Accesses that differ only in a constant are counted
/// once.
pub(super) struct AccessWavefronts<'a> {
    program: &'a Program,
    target: &'a Target,
    known: Vec<((u32, u32, u32, Access), Wavefronts)>,
}

impl<'a> AccessWavefronts<'a> {
    pub(super) fn new(program: &'a Program, target: &'a Target) -> Self {
        Self {
            program,
            target,
            known: Vec::new(),
        }
    }

    /// Returns the wavefronts of an access of `bytes` bytes per lane. For an access whose address depends on run-time
    /// numbers, returns the expected wavefronts.
    pub(super) fn of(&mut self, address: Address, bytes: u32, access: Access) -> Wavefronts {
        let (program, target) = (self.program, self.target);
        let base = &program.address_bases[address.base as usize];
        // A computed number differs between lanes, the position of a view does not.
        let mut numbers = program.operands(address.numbers).iter();
        if numbers.any(|number| program.is_word(*number)) {
            return Wavefronts {
                taken: RANDOM_WAVES,
                ideal: RANDOM_WAVES,
            };
        }
        let constant = if base.gaps.is_empty() { 0 } else { address.xor };
        let shape = (address.base, constant, bytes, access);
        if let Some((_, known)) = self.known.iter().find(|known| known.0 == shape) {
            return *known;
        }
        let lanes = program.lanes_log2 as usize;
        let columns = &base.columns[..lanes.min(base.columns.len())];
        let counted = if base.gaps.is_empty() {
            let (taken, ideal) = wavefronts(columns, bytes, access, target);
            Wavefronts {
                taken: taken.into(),
                ideal: ideal.into(),
            }
        } else {
            let served = target.phase_lane_bits(access, bytes);
            let address = |lane| Some(base.padded(base.apply(lane) ^ constant).into());
            let addresses: Vec<_> = (0..target.lanes).map(address).collect();
            Banks::of(target).wavefronts(&addresses, bytes, served)
        };
        self.known.push((shape, counted));
        counted
    }

    /// Returns the wavefronts of a matrix access of `count` registers, in units of 1 / `target.lanes`.
    pub(super) fn of_matrices(
        &mut self,
        (address, count): (Address, u32),
        fragment: Fragment,
        access: Access,
    ) -> Wavefronts {
        let layout = fragment.layout();
        // Lanes that supply no address request nothing.
        let rows = layout.row_count() * (4 * count).div_ceil(layout.lane_bytes());
        let row = self.of(address, layout.row_bytes(), access);
        Wavefronts {
            taken: row.taken * u64::from(rows),
            ideal: row.ideal * u64::from(rows),
        }
    }
}

impl Program {
    /// Counts the wavefronts of all accesses to shared memory, summed over all warps.
    ///
    /// For an access whose address depends on run-time numbers, the expected wavefronts are counted, and no conflicts.
    #[must_use]
    pub fn wavefronts(&self, target: &Target) -> Wavefronts {
        let mut accesses = AccessWavefronts::new(self, target);
        let mut sum = Wavefronts::default();
        let lanes = u64::from(target.lanes);
        for step in &self.steps {
            sum += match *step {
                Step::Store {
                    address, values, ..
                } => {
                    let bytes = values.len * self.value_bytes(self.operands[values.start as usize]);
                    accesses.of(address, bytes, Access::Store)
                }
                Step::Load {
                    address,
                    first,
                    count,
                    ..
                } => accesses.of(address, count * self.value_bytes(first), Access::Load),
                Step::AtomicAdd { address, .. } => accesses.of(address, 4, Access::Store),
                Step::StoreMatrices {
                    address,
                    values,
                    fragment,
                } => accesses.of_matrices((address, values.len), fragment, Access::Store) / lanes,
                Step::LoadMatrices {
                    address,
                    count,
                    fragment,
                    ..
                } => accesses.of_matrices((address, count), fragment, Access::Load) / lanes,
                _ => continue,
            };
        }
        sum * (1 << self.warps_log2)
    }
}
