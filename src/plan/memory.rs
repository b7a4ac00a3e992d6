//! Registers to and from a buffer in shared memory: which ones go in one access, and where to.
//!
//! A buffer's layout says which element lies at which position, a register layout which element a register
//! holds. Together they say at which position a register belongs. [`MemoryPlan`] turns that into accesses as
//! wide as positions allow, each with its share of the address that is known at compile time.
//!
//! # A worked example
//! Four elements of 2 bytes per thread of a row of 8, in a buffer that stores rows one after another:
//! ```
//! use linear_layout::layout::{Dim, LinearLayout};
//! use linear_layout::plan::memory::{MemoryPlan, Place};
//! use linear_layout::target::{Access, Target};
//! let d = [Dim::out(0)];
//! let registers = LinearLayout::from_bases(&[(Dim::REGISTER, &[&[1], &[2]]), (Dim::LANE, &[&[4]])], &d)?;
//! let memory = LinearLayout::from_bases(&[(Dim::OFFSET, &[&[1], &[2], &[4]])], &d)?;
//! let place = Place::new(memory, &[], 16)?;
//! let target = Target::parse("cuda:90")?;
//! let plan = MemoryPlan::new(&registers, &place, 0, Access::Load, target)?;
//! // One access of four elements, 8 bytes apart from lane to lane.
//! assert_eq!((plan.accesses().len(), plan.vector()), (1, 4));
//! assert_eq!(plan.address(0, [1, 0], 0), 8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Units
//! Positions are bytes before padding, addresses bytes after it, both from the start of the buffer.
//!
//! # Laws
//! - Register `r` of a thread is part of one access at the address of its element
//!   (property `every_register_is_at_its_element`).
//! - Every access is aligned to its width, whatever part of the buffer is viewed.

use super::build::wavefronts;
use super::error::{Kind, PlanError};
use super::index::IndexProgram;
use super::swizzle::log2_floor;
use crate::f2::Echelon;
use crate::layout::{Dim, LinearLayout};
use crate::target::{Access, Target};

/// How a buffer skips bytes: after every `1 << interval_log2` bytes, `1 << padding_log2` are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Padding {
    /// Log2 of the bytes between two gaps.
    pub interval_log2: u32,
    /// Log2 of the bytes of a gap.
    pub padding_log2: u32,
}

/// Where the elements of one buffer lie.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    layout: LinearLayout,
    paddings: Vec<Padding>,
    bytes_log2: u32,
}

impl Place {
    /// Returns the place of a buffer with the layout (offset, and partition or block) -> dims, the gaps
    /// of `interval_paddings` in elements, and elements of so many bits.
    ///
    /// Partitions lie one after another.
    ///
    /// # Errors
    /// When an element does not fill 1, 2, 4 or 8 bytes, or the buffer is spread over several CTAs.
    pub fn new(
        layout: LinearLayout,
        interval_paddings: &[(u32, u32)],
        bits: u32,
    ) -> Result<Self, PlanError> {
        if !matches!(bits, 8 | 16 | 32 | 64) {
            return Err(PlanError {
                kind: Kind::MemoryWidth { bits },
            });
        }
        if layout.in_bits(Dim::BLOCK) != 0 {
            return Err(PlanError {
                kind: Kind::SeveralBlocks {
                    blocks: layout.in_size(Dim::BLOCK),
                },
            });
        }
        let bytes_log2 = (bits / 8).trailing_zeros();
        let paddings = interval_paddings
            .iter()
            .map(|(interval, padding)| Padding {
                interval_log2: interval.trailing_zeros() + bytes_log2,
                padding_log2: padding.trailing_zeros() + bytes_log2,
            })
            .collect();
        Ok(Self {
            layout,
            paddings,
            bytes_log2,
        })
    }

    /// Returns the layout (offset, and partition or block) -> dims.
    #[must_use]
    pub fn layout(&self) -> &LinearLayout {
        &self.layout
    }

    /// Returns the gaps.
    #[must_use]
    pub fn paddings(&self) -> &[Padding] {
        &self.paddings
    }

    /// Returns log2 of the bytes of one buffer before padding: how far the next one of a row is.
    #[must_use]
    pub fn pitch_log2(&self) -> u32 {
        let bits = self.layout.in_bits(Dim::OFFSET) + self.layout.in_bits(Dim::PARTITION);
        bits as u32 + self.bytes_log2
    }

    /// Returns the bytes that `count` such buffers take, one after another.
    #[must_use]
    pub fn size_bytes(&self, count: u64) -> u64 {
        let element = 1 << self.bytes_log2;
        let bytes = count.saturating_mul(1 << self.pitch_log2());
        bytes
            .checked_sub(element)
            .map_or(0, |last| self.padded(last).saturating_add(element))
    }

    /// Returns the address of a position.
    #[must_use]
    pub fn padded(&self, position: u64) -> u64 {
        self.paddings.iter().fold(position, |address, padding| {
            address.saturating_add(position >> padding.interval_log2 << padding.padding_log2)
        })
    }

    /// Returns the positions of the points that a layout maps to, one column per bit of each in-dim.
    fn positions(&self, points: &LinearLayout) -> Result<LinearLayout, PlanError> {
        points
            .invert_and_compose(&self.layout)
            .map_err(PlanError::from)
    }

    /// Returns a column of [`Self::positions`] as bytes.
    fn column(&self, positions: &LinearLayout, dim: Dim, bit: usize) -> u64 {
        let part = |out| {
            if positions.has_out_dim(out) {
                positions.basis_component(dim, bit, out)
            } else {
                0
            }
        };
        let above = self.layout.in_bits(Dim::OFFSET);
        (part(Dim::OFFSET) | part(Dim::PARTITION) << above) << self.bytes_log2
    }

    /// Returns the position of the element at `coords`.
    ///
    /// # Errors
    /// When there is not one coordinate per dim, each below its size.
    pub fn position(&self, coords: &[u64]) -> Result<u64, PlanError> {
        let whole = self.layout.pseudoinvert().map_err(PlanError::from)?;
        let point: Vec<(Dim, u64)> = self.layout.out_dims().zip(coords.iter().copied()).collect();
        whole.pack_in(&point).map_err(PlanError::from)?;
        Ok(point.iter().fold(0, |position, (dim, value)| {
            (0..whole.in_bits(*dim))
                .filter(|bit| value >> bit & 1 == 1)
                .fold(position, |p, bit| p ^ self.column(&whole, *dim, bit))
        }))
    }

    /// Returns the bits that the position of a view of this shape can have set.
    ///
    /// # Errors
    /// When the layout does not reach every element.
    pub fn view_mask(&self, shape: &[u64]) -> Result<u64, PlanError> {
        let whole = self.layout.pseudoinvert().map_err(PlanError::from)?;
        let dims = self.layout.out_dims().zip(shape);
        Ok(dims.fold(0, |mask, (dim, size)| {
            (size.trailing_zeros() as usize..whole.in_bits(dim))
                .fold(mask, |m, bit| m | self.column(&whole, dim, bit))
        }))
    }
}

/// One access of each thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryAccess {
    /// What is combined, exclusive or, with the position of thread and view.
    pub xor: u64,
    /// What is added to the address.
    pub add: u64,
    /// The register of each element, lowest address first.
    pub registers: Vec<u32>,
}

/// How the registers of a tensor are stored to a buffer, or loaded from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryPlan {
    place: Place,
    thread: IndexProgram,
    view_mask: u64,
    vector_log2: u32,
    accesses: Vec<MemoryAccess>,
    /// Access and element of each register.
    held: Vec<(u32, u32)>,
    wavefronts: Option<(u32, u32)>,
}

impl MemoryPlan {
    /// Plans the accesses of registers (register, lane, warp) -> dims, on a part of a buffer whose
    /// position has no bits but those of `view_mask`.
    ///
    /// # Errors
    /// When the tensor has other dims than the buffer, or is larger.
    pub fn new(
        registers: &LinearLayout,
        place: &Place,
        view_mask: u64,
        access: Access,
        target: &Target,
    ) -> Result<Self, PlanError> {
        let positions = place.positions(registers)?;
        let columns = |dim| -> Vec<u64> {
            (0..positions.in_bits(dim))
                .map(|bit| place.column(&positions, dim, bit))
                .collect()
        };
        let [own, lanes, warps] = [Dim::REGISTER, Dim::LANE, Dim::WARP].map(columns);
        let input_bits = [lanes.len() as u32, warps.len() as u32];
        let thread = IndexProgram::new(&input_bits, &[[&*lanes, &*warps].concat()]);

        // Bits below the vector must be the registers' alone, or an access is not aligned.
        let moving = thread.possible_bits(0) | view_mask;
        let mut held = Echelon::new();
        for (i, column) in own.iter().enumerate() {
            held.insert(i, *column);
        }
        let element = 1u32 << place.bytes_log2;
        let gaps = place.paddings.iter();
        let widest = gaps
            .flat_map(|gap| [gap.interval_log2, gap.padding_log2])
            .chain([log2_floor(target.max_shared_vector_bits / 8)])
            .min()
            .map_or(0, |bytes_log2| bytes_log2.saturating_sub(place.bytes_log2));
        let run = (0..widest)
            .take_while(|v| {
                let unit = u64::from(element) << v;
                held.contains(unit) && moving & unit == 0
            })
            .count() as u32;
        // Fewest wavefronts per element, then fewest accesses. What gaps do to banks is not linear.
        let lane_bytes: Vec<u32> = lanes.iter().map(|column| *column as u32).collect();
        let best = (0..=run)
            .filter(|_| place.paddings.is_empty())
            .map(|v| (v, wavefronts(&lane_bytes, element << v, access, target)))
            .min_by_key(|(v, (waves, _))| (waves << (run - v), run - v));
        let vector_log2 = best.map_or(run, |(v, _)| v);

        let within = (u64::from(element) << vector_log2) - 1;
        let mut plan = Self {
            place: place.clone(),
            thread,
            view_mask,
            vector_log2,
            accesses: Vec::new(),
            held: Vec::new(),
            wavefronts: best.map(|(_, waves)| waves),
        };
        let mut starts = std::collections::HashMap::new();
        for register in 0..1u32 << own.len() {
            let position = own
                .iter()
                .enumerate()
                .filter(|(bit, _)| register >> bit & 1 == 1)
                .fold(0, |sum, (_, column)| sum ^ column);
            let slot = (position & within) >> place.bytes_log2;
            let start = position & !within;
            let at = *starts.entry(start).or_insert_with(|| {
                plan.accesses.push(MemoryAccess {
                    xor: start & moving,
                    add: place.padded(start & !moving),
                    registers: vec![register; 1 << vector_log2],
                });
                plan.accesses.len() - 1
            });
            // Where several registers hold one element, the last one stores it: they are equal.
            plan.accesses[at].registers[slot as usize] = register;
            plan.held.push((at as u32, slot as u32));
        }
        Ok(plan)
    }

    /// Returns where the buffer's elements lie.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the position of a thread's register 0: inputs lane and warp.
    #[must_use]
    pub fn thread(&self) -> &IndexProgram {
        &self.thread
    }

    /// Tells whether the position of a view never has a bit in common with that of a thread.
    #[must_use]
    pub fn is_view_disjoint(&self) -> bool {
        let constants = self.accesses.iter().fold(0, |bits, a| bits | a.xor);
        (self.thread.possible_bits(0) | constants) & self.view_mask == 0
    }

    /// Returns how many elements an access has.
    #[must_use]
    pub fn vector(&self) -> usize {
        1 << self.vector_log2
    }

    /// Returns the accesses of each thread.
    #[must_use]
    pub fn accesses(&self) -> &[MemoryAccess] {
        &self.accesses
    }

    /// Returns, for each register, which access has it, and as which element.
    #[must_use]
    pub fn held(&self) -> &[(u32, u32)] {
        &self.held
    }

    /// Returns the wavefronts that one access of a warp takes, and at best; nothing for a buffer with gaps.
    #[must_use]
    pub fn wavefronts(&self) -> Option<(u32, u32)> {
        self.wavefronts
    }

    /// Returns the address of an access of a thread, lane and warp, in a view at a position.
    #[must_use]
    pub fn address(&self, access: usize, thread: [u64; 2], view: u64) -> u64 {
        let access = &self.accesses[access];
        let position = self.thread.evaluate(&thread)[0] ^ view ^ access.xor;
        self.place.padded(position) + access.add
    }
}

#[cfg(test)]
mod tests;
