//! Plans: the data movement of a thread block (CTA), as plain data with a cost.
//!
//! Each plan is complete before the lowering starts. The lowering turns each step of the plan into an instruction, the
//! machine model executes the same steps, and the allocator takes the size of the scratch memory from the plan.
//!
//! | module | content |
//! |---|---|
//! | [`program`] | straight-line code on registers, lanes and shared memory; addresses; costs |
//! | [`memory`] | register tiles to and from a buffer: access widths, addresses, bank conflicts |
//! | [`plan_conversion`] | layout conversions: strategies, the swizzle of scratch memory |
//! | [`tuples`] | elementwise steps on tuples of operands, and the layout conversions between the steps |
//! | [`gather`] | elements at run-time indices: through lanes or shared memory |
//! | [`histogram`] | counts of values: by atomic additions, or by votes among the lanes of a warp |
//! | [`reduce`] | reductions along an axis |
//! | [`scan`] | prefix sums along an axis |
//! | [`product`] | matrix products: the registers of each instruction |
//! | [`warp_group`] | warp-group products with operands in shared memory: descriptors, tile offsets |
//! | [`broadcast`] | broadcasts of an owner's value to its replicas |
//! | [`tensor_copy`] | boxes copied by the tensor memory accelerator |
//!
//! A module uses only modules above it in the table. The widths of accesses to global memory are chosen in
//! [`crate::access`].

pub mod broadcast;
mod convert;
pub mod gather;
mod gf2;
pub mod histogram;
pub mod memory;
pub mod product;
pub mod program;
pub mod reduce;
pub mod scan;
pub mod tensor_copy;
pub mod tuples;
pub mod warp_group;

pub use convert::{
    Baseline, ConvertPlan, PlanError, PlanKind, PlanOptions, Reason, Strategy, baseline_conversion,
    plan_conversion,
};
pub use program::cost::Cost;
