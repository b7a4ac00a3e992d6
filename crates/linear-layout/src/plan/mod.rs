//! Plans: what the threads of a block do to move data, as plain data with a cost.
//!
//! A plan is decided before anything is emitted. The lowering turns each step into the instruction of the same
//! name, the machine model runs the same steps, and allocation asks the plan how much memory it takes: nobody
//! decides anew.
//!
//! | room | knows |
//! |---|---|
//! | [`program`] | steps on values, addresses, what they cost; not what they are for |
//! | [`memory`] | registers to and from a buffer: widths of accesses, addresses, bank conflicts |
//! | [`plan_conversion`] | from one register layout to another: strategies, the swizzle of scratch memory |
//! | [`tuples`] | steps on one element of each operand, the conversions in between |
//! | [`gather`] | elements at indices known at run time: through lanes or shared memory |
//! | [`histogram`] | how often each value occurs: by atomic additions or by votes |
//! | [`reduce`] | one value out of each row: who combines what |
//! | [`scan`] | each element combined with those before it |
//! | [`product`] | products of matrices: which instruction multiplies which registers |
//! | [`warp_group`] | products of warp groups that read factors from shared memory: descriptors, positions |
//! | [`share`] | one thread's value for all that hold copies of its element |
//! | [`tensor_copy`] | boxes that the tensor memory accelerator copies |
//!
//! Each uses those above it. How wide accesses to global memory may be is another question: [`crate::access`].

mod convert;
pub mod gather;
mod gf2;
pub mod histogram;
pub mod memory;
pub mod product;
pub mod program;
pub mod reduce;
pub mod scan;
pub mod share;
pub mod tensor_copy;
pub mod tuples;
pub mod warp_group;

pub use convert::{
    ConvertPlan, Plain, PlanError, PlanKind, PlanOptions, Reason, Strategy, plain_conversion,
    plan_conversion,
};
pub use program::cost::Cost;
