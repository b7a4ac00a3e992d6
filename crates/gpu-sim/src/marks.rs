//! Attributes with which a lowered module marks allocations in shared memory, bounds of indices, and barriers.
//!
//! Those of allocations and indices are attached to an `llvm.bitcast` from a type to the same type:
//!
//! ```text
//! %b = llvm.bitcast %a {ll.buffer = "ttg.local_alloc", ll.bytes = 512, ll.number = 0} : !llvm.ptr<3> to !llvm.ptr<3>
//! %j = llvm.bitcast %i {ll.index_bound = 2, ll.index_of = "`ttg.memdesc_index` of 2 buffers"} : i32 to i32
//! ```

/// Attribute on the start address of a buffer: the name of the operation that allocates the buffer.
pub const BUFFER: &str = "ll.buffer";
/// Attribute on the start address of scratch memory: the name of the operation that uses the scratch memory.
pub const SCRATCH: &str = "ll.scratch";
/// Attribute on the start address of an allocation: the size of the allocation in bytes.
pub const BYTES: &str = "ll.bytes";
/// Attribute on the start address of an allocation: the index of the allocation within its function.
pub const NUMBER: &str = "ll.number";
/// Attribute on the start address of a buffer that other warps have allocated: no lifetime begins.
pub const AGAIN: &str = "ll.again";
/// Attribute on an address of an allocation: marks the end of the allocation's lifetime.
pub const END: &str = "ll.end";
/// Attribute on an index: the exclusive upper bound of the unsigned index.
pub const INDEX_BOUND: &str = "ll.index_bound";
/// Attribute on an index: the operation to which the index belongs, and the objects from which it selects.
pub const INDEX_OF: &str = "ll.index_of";
/// Attribute on a barrier of an AMD GPU that only some warps of the block execute, while the others execute another barrier.
pub const STAGGERING: &str = "ll.staggering";
