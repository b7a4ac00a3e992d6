//! Launch parameters: machine, grid, arguments, schedule.

use super::memory::{BufferId, write_le};
use linear_layout::target::{self, Assembly, Banks, Float8Family, Target};

/// The machine on which a kernel runs.
///
/// # Units
/// `bank_bytes` is the width of one bank of shared memory. `shared_limit` is the maximum number of bytes per block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    /// The GPU, if it is known. Instructions that it lacks are rejected.
    pub(crate) target: Option<&'static Target>,
    /// The assembly language of inline assembly, and of the names of accesses in reports.
    pub(crate) assembly: Assembly,
    /// True if program order orders the accesses of a warp's lanes. If false, only barriers order them.
    pub lockstep: bool,
    /// Number of lanes per warp or wave.
    pub lanes_per_warp: u32,
    /// Banks of shared memory.
    pub num_banks: u32,
    /// Bytes per bank.
    pub bank_bytes: u32,
    /// Maximum bytes of shared memory per block.
    pub shared_limit: u32,
    /// The bits of the lane index that vary within a group of lanes whose 16-byte shared loads are served in one pass.
    /// `None` if these are the lowest bits.
    pub(crate) wide_load_lane_bits: Option<u32>,
    /// The 8-bit float formats that its conversion instructions use.
    pub(crate) float8: Option<Float8Family>,
}

impl Machine {
    /// Returns the machine that a target describes.
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

    /// Returns an AMD machine whose waves have `lanes` lanes: 32 banks of 4 bytes, 64 KiB of LDS.
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
    /// The address of a byte within a buffer, given by its offset.
    Within(BufferId, u64),
    /// An integer. It must fit the width of the parameter, as signed or as unsigned.
    Int(i128),
    /// A float, rounded to the parameter's format.
    Float(f64),
}

/// The order of the warps of a block between its barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Schedule {
    /// All warps execute each instruction together. This is the fastest schedule to simulate.
    #[default]
    Lockstep,
    /// One warp runs at a time, in an order drawn from this seed.
    ///
    /// A warp may run ahead of the other warps up to the next block barrier. So the result shows what a kernel with a
    /// race may compute. This schedule takes a few times as long as lockstep. A race is an error in any schedule, but
    /// only some races change the computed values.
    Warps(u64),
}

/// The time at which the values of asynchronous copies arrive at their destinations.
///
/// The results of a correctly synchronised kernel do not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Arrival {
    /// When the copy starts.
    Early,
    /// When a thread has waited for the copy.
    #[default]
    Late,
    /// Early or late for each copy, drawn from this seed.
    Random(u64),
}

/// The parameters of a launch, except for the kernel and the memory.
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
    /// The default limit of executed instructions, which a simulation reaches after seconds rather than hours.
    pub const DEFAULT_STEP_LIMIT: u64 = 1 << 26;

    /// Returns a launch of one block without arguments.
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

    /// Sets the number of blocks along each axis.
    #[must_use]
    pub fn grid(self, grid: [u32; 3]) -> Self {
        Self { grid, ..self }
    }

    /// Sets the number of threads per block along each axis. This is needed if the kernel does not specify them.
    #[must_use]
    pub fn block(self, block: [u32; 3]) -> Self {
        Self {
            block: Some(block),
            ..self
        }
    }

    /// Sets the size in bytes of the dynamically sized shared variable.
    #[must_use]
    pub fn dynamic_shared(self, bytes: u32) -> Self {
        Self {
            dynamic_shared: bytes,
            ..self
        }
    }

    /// Sets the arguments, in order.
    #[must_use]
    pub fn args(self, args: impl Into<Vec<Arg>>) -> Self {
        Self {
            args: args.into(),
            ..self
        }
    }

    /// Sets the maximum number of executed instructions. Each instruction counts once per warp that executes it. The
    /// default is [`Self::DEFAULT_STEP_LIMIT`].
    #[must_use]
    pub fn step_limit(self, steps: u64) -> Self {
        Self {
            step_limit: steps,
            ..self
        }
    }

    /// Sets whether races on global memory are errors; by default they are. The records take 8 bytes per accessed
    /// granule, 8 more bytes if it is both read and written, and more if threads access it without order.
    #[must_use]
    pub fn check_global_races(self, check: bool) -> Self {
        Self {
            check_global_races: check,
            ..self
        }
    }

    /// Sets the order in which warps run; the default is lockstep.
    #[must_use]
    pub fn schedule(self, schedule: Schedule) -> Self {
        Self { schedule, ..self }
    }

    pub(super) const fn lanes(&self) -> u32 {
        self.machine.lanes_per_warp
    }

    /// Sets the time at which the values of asynchronous copies arrive.
    #[must_use]
    pub fn arrival(self, arrival: Arrival) -> Self {
        Self { arrival, ..self }
    }

    /// Sets the number of host cores that run blocks in parallel; the default is 1.
    ///
    /// The number does not affect results. Each core needs a copy of memory and of the access records. If blocks race
    /// or fail, the whole kernel is run again sequentially.
    #[must_use]
    pub fn threads(self, threads: u32) -> Self {
        Self { threads, ..self }
    }

    /// Returns the hidden kernel arguments of AMD's runtime that describe the grid. All other hidden arguments are
    /// zero.
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
