//! Launch parameters: machine, grid, arguments, schedule.

use super::memory::{BufferId, write_le};
use linear_layout::target::{self, Assembly, Banks, Float8Family, Target};

/// The machine on which a kernel runs.
///
/// # Units
/// `bank_bytes` is the width of one bank of shared memory in bytes. `shared_limit` is in bytes per thread block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    /// The target GPU, if known. Instructions that this GPU lacks are rejected.
    pub(crate) target: Option<&'static Target>,
    /// The language of inline assembly and of access names in reports.
    pub(crate) assembly: Assembly,
    /// True if program order orders the accesses of different lanes of a warp. If false, only barriers order these
    /// accesses.
    pub lockstep: bool,
    /// Number of lanes per warp or wave.
    pub lanes_per_warp: u32,
    /// Number of banks of shared memory.
    pub num_banks: u32,
    /// Width of one bank in bytes.
    pub bank_bytes: u32,
    /// Maximum bytes of shared memory per thread block.
    pub shared_limit: u32,
    /// Mask of lane-index bits for 16-byte loads. Lanes whose indices differ only in these bits access the banks of
    /// shared memory in the same pass. `None` if each pass serves consecutive lanes.
    pub(crate) wide_load_lane_bits: Option<u32>,
    /// The family of 8-bit float formats that the conversion instructions use; `None` if the machine has no such
    /// instructions.
    pub(crate) float8: Option<Float8Family>,
}

impl Machine {
    /// Returns the machine with the parameters of `target`.
    #[must_use]
    pub const fn of(target: &'static Target) -> Self {
        Self {
            target: Some(target),
            assembly: target.assembly,
            lockstep: target.lockstep,
            lanes_per_warp: target.lanes,
            num_banks: target.banks,
            bank_bytes: target.bank_bytes,
            shared_limit: target.max_shared_bytes,
            wide_load_lane_bits: Some(target.phase_lane_bits(target::Access::Load, 16)),
            float8: target.instructions.float8,
        }
    }

    /// Returns an NVIDIA machine: 32 lanes, 32 banks of 4 bytes, up to 227 KiB of shared memory.
    #[must_use]
    pub const fn nvidia() -> Self {
        Self {
            target: None,
            assembly: Assembly::Ptx,
            lockstep: false,
            lanes_per_warp: 32,
            num_banks: 32,
            bank_bytes: 4,
            shared_limit: 227 * 1024,
            wide_load_lane_bits: None,
            float8: Some(Float8Family::Ocp),
        }
    }

    /// Returns an AMD machine with `lanes` lanes per wave: 32 banks of 4 bytes, 64 KiB of LDS.
    #[must_use]
    pub const fn amd(lanes: u32) -> Self {
        Self {
            target: None,
            assembly: Assembly::Gcn,
            lockstep: true,
            lanes_per_warp: lanes,
            num_banks: 32,
            bank_bytes: 4,
            shared_limit: 64 * 1024,
            wide_load_lane_bits: None,
            float8: None,
        }
    }

    /// Returns a mask of lane-index bits for an access of `size` bytes per lane. Lanes whose indices differ only in
    /// these bits form a phase: they access the banks of shared memory in the same pass.
    ///
    /// `addresses` has one entry per lane, which is `None` for an inactive lane. For a load on an NVIDIA machine,
    /// the mask has one more bit if each lane `i` has the same address as lane `i ^ 1`, or if each lane `i` has the
    /// same address as lane `i ^ 2`.
    pub(super) fn phase_lane_bits(
        self,
        addresses: &[Option<u64>],
        size: u32,
        is_load: bool,
    ) -> u32 {
        let wide = self.wide_load_lane_bits.filter(|_| is_load && size == 16);
        let bits = wide.unwrap_or_else(|| self.banks().consecutive(size));
        match self.assembly {
            Assembly::Ptx if is_load => {
                target::paired(bits, |mask| target::repeats(addresses, mask))
            }
            _ => bits,
        }
    }

    pub(super) const fn banks(self) -> Banks {
        Banks {
            count: self.num_banks,
            bytes: self.bank_bytes,
        }
    }
}

/// A kernel argument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Arg {
    /// The address of a buffer.
    Buffer(BufferId),
    /// The address of the byte at this offset in a buffer.
    Within(BufferId, u64),
    /// An integer in the signed or the unsigned range of the parameter's type.
    Int(i128),
    /// A float, which is rounded to the parameter's format.
    Float(f64),
}

/// The order in which the warps of a thread block execute between two barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Schedule {
    /// All warps execute each instruction together. The fastest schedule to simulate.
    #[default]
    Lockstep,
    /// One warp runs at a time, in a random order. The number is the seed.
    ///
    /// A warp may run ahead of other warps up to the next block barrier, so a kernel with a race gives one of its
    /// possible results. Takes a few times as long as lockstep. Every schedule reports races, but only some races
    /// change the computed values.
    Warps(u64),
}

/// The time at which an asynchronous copy writes its destination.
///
/// The results of a correctly synchronised kernel do not depend on this time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Arrival {
    /// At the start of the copy.
    Early,
    /// After a thread has waited for the copy.
    #[default]
    Late,
    /// At random for each copy, either early or late. The number is the seed.
    Random(u64),
}

/// The parameters of a launch: machine, grid, thread block, arguments and options. [`Launch::run`] takes the kernel and
/// the memory.
///
/// ```
/// use gpu_sim::{Launch, Machine};
/// let launch = Launch::new(Machine::nvidia()).grid([4, 2, 1]).block([128, 1, 1]);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Launch {
    pub(super) machine: Machine,
    pub(super) grid: [u32; 3],
    pub(super) block: Option<[u32; 3]>,
    pub(super) dynamic_shared: u32,
    pub(super) args: Vec<Arg>,
    pub(super) step_limit: u64,
    pub(super) check_global_races: bool,
    pub(super) schedule: Schedule,
    pub(super) arrival: Arrival,
    pub(super) threads: u32,
}

impl Launch {
    /// Default limit on the number of executed instructions, which the simulator reaches within seconds.
    pub const DEFAULT_STEP_LIMIT: u64 = 1 << 26;

    /// Returns a launch of one thread block without arguments.
    #[must_use]
    pub fn new(machine: Machine) -> Self {
        Self {
            machine,
            grid: [1; 3],
            block: None,
            dynamic_shared: 0,
            args: Vec::new(),
            step_limit: Self::DEFAULT_STEP_LIMIT,
            check_global_races: true,
            schedule: Schedule::Lockstep,
            arrival: Arrival::Late,
            threads: 1,
        }
    }

    /// Sets the number of thread blocks along the x, y and z axes.
    #[must_use]
    pub fn grid(self, grid: [u32; 3]) -> Self {
        Self { grid, ..self }
    }

    /// Sets the number of threads per block along the x, y and z axes. Required if the kernel does not specify a block
    /// size.
    #[must_use]
    pub fn block(self, block: [u32; 3]) -> Self {
        Self {
            block: Some(block),
            ..self
        }
    }

    /// Sets the size of dynamic shared memory in bytes.
    #[must_use]
    pub fn dynamic_shared(self, bytes: u32) -> Self {
        Self {
            dynamic_shared: bytes,
            ..self
        }
    }

    /// Sets the kernel arguments, in the order of the parameters.
    #[must_use]
    pub fn args(self, args: impl Into<Vec<Arg>>) -> Self {
        Self {
            args: args.into(),
            ..self
        }
    }

    /// Sets the maximum number of executed instructions, where each instruction counts once for each warp that
    /// executes it. The default is [`Self::DEFAULT_STEP_LIMIT`].
    #[must_use]
    pub fn step_limit(self, steps: u64) -> Self {
        Self {
            step_limit: steps,
            ..self
        }
    }

    /// Enables or disables the check for data races on global memory. The check is enabled by default. Access
    /// records take 8 bytes for each accessed granule of 1 to 16 bytes, 8 more if the granule is both read and
    /// written, and more if unordered threads access it.
    #[must_use]
    pub fn check_global_races(self, check: bool) -> Self {
        Self {
            check_global_races: check,
            ..self
        }
    }

    /// Sets the order in which warps execute; the default is lockstep.
    #[must_use]
    pub fn schedule(self, schedule: Schedule) -> Self {
        Self { schedule, ..self }
    }

    pub(super) const fn lanes(&self) -> u32 {
        self.machine.lanes_per_warp
    }

    /// Sets the time at which asynchronous copies write their destinations.
    #[must_use]
    pub fn arrival(self, arrival: Arrival) -> Self {
        Self { arrival, ..self }
    }

    /// Sets the number of host cores that simulate thread blocks in parallel; the default is 1.
    ///
    /// The number of cores does not affect the results. Each core needs a copy of the memory and of the access records.
    /// If thread blocks race or fail, the whole kernel runs again sequentially.
    #[must_use]
    pub fn threads(self, threads: u32) -> Self {
        Self { threads, ..self }
    }

    /// Returns the hidden kernel arguments of AMD's runtime that describe the grid, at the byte offsets below. No
    /// block is smaller than the others, so the entries for a smaller last block are zero. The number of grid axes
    /// is always 3. All other hidden arguments are zero.
    ///
    /// ```text
    /// byte  0  4  8   blocks along x, y, z         i32
    /// byte 12 14 16   threads of a block           i16
    /// byte 18 20 22   threads of a last, smaller block: none
    /// byte 64         axes of the grid             i16
    /// ```
    /// # Source
    /// LLVM's user guide of AMDGPU, "Code Object V5 Kernel Argument Metadata".
    pub(super) fn implicit_arguments(&self, block: [u32; 3]) -> Vec<u8> {
        let mut bytes = vec![0; 256];
        for (axis, (blocks, threads)) in self.grid.into_iter().zip(block).enumerate() {
            write_le(&mut bytes, 4 * axis, 4, blocks.into());
            write_le(&mut bytes, 12 + 2 * axis, 2, threads.into());
        }
        write_le(&mut bytes, 64, 2, 3);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_for_amd_finds_its_grid_behind_its_arguments() {
        let launch = Launch::new(Machine::amd(64)).grid([2, 3, 5]);
        let bytes = launch.implicit_arguments([64, 7, 1]);
        let at = |first: usize, count: usize| {
            let bytes = bytes[first..first + count].iter().rev();
            bytes.fold(0, |value, byte| value << 8 | u32::from(*byte))
        };
        assert_eq!([0, 4, 8].map(|first| at(first, 4)), [2, 3, 5]);
        assert_eq!([12, 14, 16].map(|first| at(first, 2)), [64, 7, 1]);
        assert_eq!([18, 20, 22].map(|first| at(first, 2)), [0; 3]);
        assert_eq!((at(64, 2), bytes.len()), (3, 256));
    }
}
