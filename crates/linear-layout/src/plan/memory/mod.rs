//! Accesses of register tiles to a buffer in shared memory: vectorisation and addresses.
//!
//! The layout of a buffer maps positions to elements, and a register layout maps registers to elements. The two layouts
//! determine the position of each register. [`MemoryPlan`] groups registers into accesses that are as wide as the
//! positions allow, and contains the compile-time terms of each address.
//!
//! # Example
//! Each thread loads four elements of 2 bytes from a row of 8 elements, in a row-major buffer:
//! ```
//! use linear_layout::layout::{Dim, LinearLayout};
//! use linear_layout::plan::memory::{MemoryPlan, BufferLayout};
//! use linear_layout::target::{Access, Target};
//! let d = [Dim::out(0)];
//! let registers = LinearLayout::from_bases(&[(Dim::REGISTER, &[&[1], &[2]]), (Dim::LANE, &[&[4]])], &d)?;
//! let memory = LinearLayout::from_bases(&[(Dim::OFFSET, &[&[1], &[2], &[4]])], &d)?;
//! let buffer = BufferLayout::new(memory, &[], 16)?;
//! let target = Target::parse("cuda:90")?;
//! let plan = MemoryPlan::new(&registers, &buffer, 0, Access::Load, target)?;
//! // One access of four elements; lanes are 8 bytes apart.
//! assert_eq!(plan.cost(target).arithmetic, target.costs.access);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Units
//! Positions are bytes before padding, and addresses are bytes after padding. Both count from the start of the buffer.
//!
//! # Laws
//! - Register `r` of a thread is part of one access at the address of its element
//!   (property `every_register_is_at_its_element`).
//! - Every access is aligned to its width, for every view of the buffer.

mod accesses;
mod buffer_layout;
mod error;
mod indexed;
mod program;
mod transfer;

use crate::number::narrow;
pub(crate) use accesses::{AccessConstraints, AccessForm, Accesses};
pub(crate) use buffer_layout::padded;
pub use buffer_layout::{BufferLayout, Padding};
pub use error::MemoryError;
pub use indexed::IndexedPlan;
pub use program::{BufferAccess, plan_access};
pub use transfer::plan_transfer;

use super::Cost;
use super::gf2::apply;
use super::program::IndexProgram;
use crate::layout::{Dim, LinearLayout};
use crate::target::{Access, Target};

/// One access instruction that each thread executes: the registers that it loads or stores, and the compile-time
/// terms of its address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RegisterAccess {
    /// Compile-time term of the position at which the access starts in the buffer. The position is the exclusive or
    /// of this constant, the thread's term and the start of the view.
    pub(crate) xor: u64,
    /// Number of bytes, known at compile time, to add to the address. The address is first computed from the
    /// position.
    pub(crate) add: u64,
    /// Registers that hold the elements of the access. In a per-lane access, they are listed in the order of the
    /// addresses of the elements. In a matrix access, the elements of each 32-bit word are consecutive in the list.
    pub(crate) registers: Vec<u32>,
}

/// The accesses that store the registers of a tensor to a buffer, or load them from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryPlan {
    buffer: BufferLayout,
    thread: IndexProgram,
    view_mask: u64,
    form: AccessForm,
    vector: usize,
    accesses: Vec<RegisterAccess>,
    /// For each register, the index of the access that contains it, and the index of its element within this
    /// access.
    locations: Vec<(u32, u32)>,
    wavefronts: (u32, u32),
    warps_log2: u32,
}

impl MemoryPlan {
    /// Plans the accesses that store the registers of a tensor to a view of `buffer`, or load them from it.
    /// `registers` maps (register, lane, warp) to the coordinates of an element. `view_mask` is the mask of the
    /// bits that may be set in the start position of the view. Each lane accesses its elements independently of
    /// other lanes.
    ///
    /// # Errors
    /// Returns an error if the tensor and the buffer have different dims, or if the tensor is larger than the
    /// buffer.
    pub fn new(
        registers: &LinearLayout,
        buffer: &BufferLayout,
        view_mask: u64,
        access: Access,
        target: &Target,
    ) -> Result<Self, MemoryError> {
        Self::build(registers, buffer, view_mask, access, target, (false, None))
    }

    /// Plans accesses as [`Self::new`] does, but assumes that all lanes of a warp execute each access together. The
    /// plan may therefore use warp-wide matrix accesses, such as `ldmatrix`.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Self::new`].
    pub fn of_warps(
        registers: &LinearLayout,
        buffer: &BufferLayout,
        view_mask: u64,
        access: Access,
        target: &Target,
    ) -> Result<Self, MemoryError> {
        Self::build(registers, buffer, view_mask, access, target, (true, None))
    }

    /// Plans the stores of a copy from a source memory to `buffer`. `neighbours` lists the register bits along
    /// which elements are adjacent in the source memory, lowest bit first. A store of `2^v` elements writes the
    /// registers that differ only in the first `v` bits of the list, and bit `i` of an index in the store is
    /// register bit `neighbours[i]`. Each store therefore writes elements that are adjacent in both memories. The
    /// remaining arguments are those of [`Self::new`].
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Self::new`].
    pub(crate) fn of_neighbours(
        registers: &LinearLayout,
        buffer: &BufferLayout,
        view_mask: u64,
        neighbours: &[u8],
        target: &Target,
    ) -> Result<Self, MemoryError> {
        let how = (false, Some(neighbours));
        Self::build(registers, buffer, view_mask, Access::Store, target, how)
    }

    fn build(
        registers: &LinearLayout,
        buffer: &BufferLayout,
        view_mask: u64,
        access: Access,
        target: &Target,
        (is_converged, neighbours): (bool, Option<&[u8]>),
    ) -> Result<Self, MemoryError> {
        let positions = buffer.positions(registers)?;
        let columns = |dim| -> Vec<u64> {
            (0..positions.in_bits(dim))
                .map(|bit| buffer.column(&positions, dim, bit))
                .collect()
        };
        let [own, lanes, warps] = [Dim::REGISTER, Dim::LANE, Dim::WARP].map(columns);
        let threads = [&*lanes, &*warps].concat();
        let input_bits = [narrow::<u32>(lanes.len()), narrow::<u32>(warps.len())];
        let paddings = buffer.paddings();
        // An access crosses no gap, and paddings preserve its alignment.
        let max_bytes = paddings
            .iter()
            .flat_map(|gap| [gap.interval_log2, gap.padding_log2])
            .map(|bytes_log2| 1 << bytes_log2.min(31))
            .chain([target.max_shared_vector_bits / 8])
            .min()
            .unwrap_or(1);
        let chosen = Accesses::choose(&AccessConstraints {
            registers: &own,
            threads: &threads,
            lanes_log2: narrow(lanes.len()),
            element_bytes: 1 << buffer.bytes_log2,
            max_bytes,
            neighbours,
            runtime_bits: view_mask,
            repetition_bits: 0,
            paddings,
            access,
            is_converged,
            target,
        })
        .expect("there are no repetitions that a thread could move along");
        let thread = IndexProgram::new(&input_bits, &[chosen.threads().to_vec()]);
        let moving = thread.possible_bits(0) | view_mask;
        let vector = chosen.vector();
        let accesses = (0..chosen.count())
            .map(|x| {
                let (start, first) = chosen.access(x);
                RegisterAccess {
                    xor: start & moving,
                    add: buffer.padded(start & !moving),
                    registers: (0..vector)
                        .map(|i| narrow::<u32>(first ^ chosen.element(i)))
                        .collect(),
                }
            })
            .collect();
        let numbers = chosen.numbers();
        let locations = (0..1u64 << own.len())
            .map(|register| {
                let number = numbers
                    .solve(apply(&own, register))
                    .expect("accesses reach wherever registers do");
                let number = narrow::<usize>(number);
                (narrow(number / vector), narrow(number % vector))
            })
            .collect();
        Ok(Self {
            buffer: buffer.clone(),
            thread,
            view_mask,
            form: chosen.form(),
            vector,
            accesses,
            locations,
            wavefronts: chosen.waves(),
            warps_log2: narrow(warps.len()),
        })
    }

    pub(crate) fn buffer(&self) -> &BufferLayout {
        &self.buffer
    }

    pub(crate) const fn form(&self) -> AccessForm {
        self.form
    }

    /// Returns the program that maps (lane, warp) to the thread's term of the position of an access. The position
    /// is the exclusive or of this term, the access's own term and the start of the view. In a matrix access, it is
    /// the position of the matrix row whose address the thread supplies.
    pub(crate) fn thread(&self) -> &IndexProgram {
        &self.thread
    }

    /// Returns the number of elements that a thread loads or stores with one access.
    pub(crate) const fn vector(&self) -> usize {
        self.vector
    }

    pub(crate) fn accesses(&self) -> &[RegisterAccess] {
        &self.accesses
    }

    /// Returns, for each register, the index of the access that contains it, and the index of its element within
    /// this access.
    pub(crate) fn locations(&self) -> &[(u32, u32)] {
        &self.locations
    }

    /// Returns the number of byte permutes that each thread needs to pack elements into words before the stores, or
    /// to unpack words after the loads. Adjacent registers that form an aligned group of the size of a word are
    /// assumed to share one hardware register, so they need no permutes.
    #[must_use]
    pub fn permutes(&self) -> u32 {
        let word = (4usize >> self.buffer.bytes_log2).clamp(1, self.vector);
        let words = self.accesses.iter().flat_map(|a| a.registers.chunks(word));
        let is_run = |elements: &&[u32]| {
            let first = elements[0];
            let is_aligned = narrow::<usize>(first) & (word - 1) == 0;
            is_aligned && (first..).zip(*elements).all(|(at, found)| at == *found)
        };
        let permuted = words.filter(|elements| !is_run(elements)).count();
        narrow(permuted * (word - 1))
    }

    /// Returns the cost of all accesses that the warps of a block execute. The field `arithmetic` is the time to
    /// issue the accesses, and the field `load_store` is the time that their wavefronts take.
    #[must_use]
    pub fn cost(&self, target: &Target) -> Cost {
        let warps = 1 << self.warps_log2;
        Cost {
            load_store: self.wavefronts.0 * target.costs.wavefront * warps,
            arithmetic: narrow::<u32>(self.accesses.len()) * target.costs.access * warps,
            waiting: 0,
        }
    }

    /// Returns the address that `thread`, a pair (lane, warp), supplies for the access with index `access`. The view
    /// starts at position `view`.
    pub(crate) fn address(&self, access: usize, thread: [u64; 2], view: u64) -> u64 {
        let access = &self.accesses[access];
        let position = self.thread.evaluate(&thread)[0] ^ view ^ access.xor;
        self.buffer.padded(position) + access.add
    }
}

#[cfg(test)]
mod tests;
