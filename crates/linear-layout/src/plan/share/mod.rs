//! Giving a value to all who hold a copy of its element.
//!
//! What may happen once only, as an atomic access, is done by one of the threads that hold an element: by the one
//! whose free bits are all zero ([`LinearLayout::free_variable_masks`]), its *owner*. The others wait for what it
//! found out.
//!
//! ```text
//! 4 elements on 8 lanes, lane bit 2 free      lanes 0 1 2 3 own an element, lanes 4 5 6 7 hold copies
//! within a warp       lane l reads from lane l & 3
//! across warps        owners store, everybody waits, everybody loads
//! ```
//!
//! # Within a warp
//! It is a conversion between two layouts that tell copies apart: one more dimension counts them, each place of the
//! first layout has a number of its own there, and each place of the second wants number 0.
//!
//! # Laws
//! Run on the names of the elements, where only owners hold them, every register of every thread ends with its
//! element's ([`crate::machine::check_sharing`]).

use super::convert::{ConvertPlan, PlanError, PlanOptions, Strategy, plan_conversion};
use super::memory::{MemoryError, MemoryPlan, Place};
use super::program::Program;
use crate::layout::{Dim, LayoutError, LinearLayout, Surjectivity};
use crate::target::{Access, Target};
use thiserror::Error;

/// How the copies of each element get the value that its owner has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharePlan {
    layout: LinearLayout,
    way: ShareWay,
}

/// The way that values take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ShareWay {
    /// Nobody holds a copy.
    Alone,
    /// From lane to lane: a program on all registers, of which those count that owners hold.
    Lanes(Box<ConvertPlan>),
    /// Through shared memory.
    Memory(Box<ThroughMemory>),
}

/// Owners store, everybody in the block waits, everybody loads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThroughMemory {
    /// The registers that owners store, as the accesses of `store` number them.
    pub registers: Vec<usize>,
    /// How owners store them.
    pub store: MemoryPlan,
    /// How all registers are loaded.
    pub load: MemoryPlan,
}

impl SharePlan {
    /// Plans for elements of a layout (register, lane, warp) -> dims without zero register bases.
    ///
    /// ```
    /// use linear_layout::layout::{Dim, LinearLayout};
    /// use linear_layout::plan::share::{SharePlan, ShareWay};
    /// use linear_layout::target::Target;
    /// let d = Dim::out(0);
    /// let lanes = |size| LinearLayout::identity_1d(size, Dim::LANE, d);
    /// let copies = |size, dim| LinearLayout::zeros_1d(size, dim, d, 1);
    /// let target = Target::parse("cuda:90")?;
    /// let unique = lanes(32)?.product(&LinearLayout::identity_1d(4, Dim::WARP, d)?)?;
    /// assert_eq!(*SharePlan::new(&unique, 32, target)?.way(), ShareWay::Alone);
    /// let in_lanes = lanes(16)?.product(&copies(2, Dim::LANE)?)?.product(&copies(1, Dim::WARP)?)?;
    /// assert!(matches!(SharePlan::new(&in_lanes, 32, target)?.way(), ShareWay::Lanes(_)));
    /// let in_warps = lanes(32)?.product(&copies(4, Dim::WARP)?)?;
    /// assert_eq!(SharePlan::new(&in_warps, 32, target)?.scratch_bytes(), 128);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Units
    /// `bits`: the width of an element: 8, 16, 32 or 64.
    /// # Errors
    /// When elements have another width, lie in several blocks, or the layout is not one of the target's.
    pub fn new(layout: &LinearLayout, bits: u32, target: &Target) -> Result<Self, ShareError> {
        let free = layout.free_variable_masks();
        let is_alone = free.iter().all(|(_, mask)| mask == 0);
        let way = if is_alone {
            ShareWay::Alone
        } else if let Some(plan) = Self::by_lanes(layout, bits, target)? {
            ShareWay::Lanes(Box::new(plan))
        } else {
            ShareWay::Memory(Box::new(ThroughMemory::new(layout, bits, target)?))
        };
        Ok(Self {
            layout: layout.clone(),
            way,
        })
    }

    /// Plans for a scalar, which every thread of so many warps holds.
    ///
    /// # Errors
    /// When the scalar has another width than 8, 16, 32 or 64 bits.
    pub fn of_scalar(warps: u32, bits: u32, target: &Target) -> Result<Self, ShareError> {
        let ins = [
            (Dim::LANE, u64::from(target.lanes)),
            (Dim::WARP, u64::from(warps)),
        ];
        let bits_in = target.lanes_log2() + warps.ilog2();
        let columns = vec![0; bits_in as usize];
        let outs = [(Dim::out(0), 1)];
        let layout = LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::Required)?;
        Self::new(&layout, bits, target)
    }

    fn by_lanes(
        layout: &LinearLayout,
        bits: u32,
        target: &Target,
    ) -> Result<Option<ConvertPlan>, ShareError> {
        if layout.free_variable_masks().mask(Dim::WARP) != 0 {
            return Ok(None);
        }
        let (from, to) = told_apart(layout)?;
        let options = PlanOptions::new().with_strategy(Strategy::Shuffle);
        match plan_conversion(&from, &to, bits, target, &options) {
            Ok(plan) => Ok(Some(plan)),
            // What owners hold in registers that depend on the lane goes through memory.
            Err(error) if error.is_strategy() => Ok(None),
            Err(error) => Err(Kind::Conversion(error).into()),
        }
    }

    /// Returns the layout of the elements.
    #[must_use]
    pub const fn layout(&self) -> &LinearLayout {
        &self.layout
    }

    /// Returns the way that values take.
    #[must_use]
    pub const fn way(&self) -> &ShareWay {
        &self.way
    }

    /// Returns the bytes of shared memory that are needed: 0 where values stay in their warp.
    #[must_use]
    pub fn scratch_bytes(&self) -> u32 {
        match &self.way {
            ShareWay::Alone => 0,
            ShareWay::Lanes(plan) => plan.program().scratch_bytes(),
            ShareWay::Memory(memory) => memory.bytes(),
        }
    }

    /// Returns the program of lanes that read from each other, where there is one.
    #[must_use]
    pub fn program(&self) -> Option<&Program> {
        match &self.way {
            ShareWay::Lanes(plan) => Some(plan.program()),
            ShareWay::Alone | ShareWay::Memory(_) => None,
        }
    }
}

#[cfg(test)]
impl SharePlan {
    /// The plan with another way, to see that the machine notices.
    pub(crate) fn with_way(mut self, way: ShareWay) -> Self {
        self.way = way;
        self
    }
}

/// The layout with its copies told apart by one more dimension, and the one in which all are the first copy.
pub(crate) fn told_apart(
    layout: &LinearLayout,
) -> Result<(LinearLayout, LinearLayout), LayoutError> {
    let free = layout.free_variable_masks();
    let ins: Vec<_> = layout.in_shape().collect();
    let mut outs: Vec<_> = layout.out_shape().collect();
    let mut copies = layout.total_out_bits();
    let mut columns = Vec::new();
    for (dim, mask) in free.iter() {
        for (bit, column) in layout.columns_of(dim).iter().enumerate() {
            let is_free = mask >> bit & 1 == 1;
            columns.push(column | u64::from(is_free) << copies);
            copies += usize::from(is_free);
        }
    }
    outs.push((
        Dim::out(outs.len()),
        1 << (copies - layout.total_out_bits()),
    ));
    let all = Surjectivity::NotRequired;
    Ok((
        LinearLayout::from_columns(&ins, &outs, &columns, all)?,
        LinearLayout::from_columns(&ins, &outs, layout.columns(), all)?,
    ))
}

impl ThroughMemory {
    fn new(layout: &LinearLayout, bits: u32, target: &Target) -> Result<Self, ShareError> {
        let free = layout.free_variable_masks();
        let own = free.mask(Dim::REGISTER);
        let outs: Vec<_> = layout.out_shape().collect();
        let mut stored = Vec::new();
        // Elements lie in the order of their owners: registers first, so that accesses are wide, then lanes.
        let mut positions = Vec::new();
        for (dim, mask) in free.iter() {
            for (bit, column) in layout.columns_of(dim).iter().enumerate() {
                let is_free = mask >> bit & 1 == 1;
                if !is_free {
                    positions.push(*column);
                }
                if !is_free || dim != Dim::REGISTER {
                    stored.push(*column);
                }
            }
        }
        let offsets = [(Dim::OFFSET, 1 << positions.len())];
        let all = Surjectivity::Required;
        let memory = LinearLayout::from_columns(&offsets, &outs, &positions, all)?;
        let place = Place::new(memory, &[], bits)?;
        let ins: Vec<_> = layout
            .in_shape()
            .map(|(dim, size)| match dim {
                Dim::REGISTER => (dim, size >> own.count_ones()),
                _ => (dim, size),
            })
            .collect();
        let held = LinearLayout::from_columns(&ins, &outs, &stored, all)?;
        let registers = (0..layout.in_size(Dim::REGISTER))
            .filter(|register| register & own == 0)
            .filter_map(|register| usize::try_from(register).ok())
            .collect();
        Ok(Self {
            registers,
            store: MemoryPlan::new(&held, &place, 0, Access::Store, target)?,
            load: MemoryPlan::new(layout, &place, 0, Access::Load, target)?,
        })
    }

    /// Returns the bytes of shared memory that are needed.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        let bytes = self.store.place().size_bytes(1);
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }
}

/// No plan: elements that memory is not accessed by, or a layout that is not one of the target's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub struct ShareError(Kind);

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a value cannot be shared among those who hold copies of it: {0}")]
enum Kind {
    Layout(#[from] LayoutError),
    Memory(#[from] MemoryError),
    Conversion(#[source] PlanError),
}

impl<E: Into<Kind>> From<E> for ShareError {
    fn from(kind: E) -> Self {
        Self(kind.into())
    }
}
