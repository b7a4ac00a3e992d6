//! Attributes of a lowered module that mark allocations in shared memory, bounds of indices, and barriers.
//!
//! Attributes of allocations and indices are on an `llvm.bitcast` to the same type:
//!
//! ```text
//! %b = llvm.bitcast %a {ll.buffer = "ttg.local_alloc", ll.bytes = 512, ll.number = 0} : !llvm.ptr<3> to !llvm.ptr<3>
//! %j = llvm.bitcast %i {ll.index_bound = 2, ll.index_of = "`ttg.memdesc_index` of 2 buffers"} : i32 to i32
//! ```

/// On the start address of a buffer: the name of the operation that allocates the buffer.
pub const BUFFER: &str = "ll.buffer";
/// On the start address of scratch memory: the name of the operation that uses the scratch memory.
pub const SCRATCH: &str = "ll.scratch";
/// On the start address of an allocation: the size in bytes.
pub const BYTES: &str = "ll.bytes";
/// On the start address of an allocation: the index in its function.
pub const NUMBER: &str = "ll.number";
/// On the start address of a buffer that other warps have allocated: no lifetime begins.
pub const AGAIN: &str = "ll.again";
/// On an address of an allocation: the end of the allocation's lifetime.
pub const END: &str = "ll.end";
/// On an index: the exclusive upper bound, unsigned.
pub const INDEX_BOUND: &str = "ll.index_bound";
/// On an index: the operation to which the index belongs, and the objects from which it selects.
pub const INDEX_OF: &str = "ll.index_of";
/// On a barrier of an AMD GPU that only some warps execute, while the other warps execute another barrier.
pub const STAGGERING: &str = "ll.staggering";
