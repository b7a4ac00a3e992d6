//! Attributes of a lowered module that mark allocations in shared memory, bounds of indices, and barriers.
//!
//! Attributes of allocations and indices are on an `llvm.bitcast` to the same type:
//!
//! ```text
//! %b = llvm.bitcast %a {ll.buffer = "ttg.local_alloc", ll.bytes = 512, ll.number = 0} : !llvm.ptr<3> to !llvm.ptr<3>
//! %j = llvm.bitcast %i {ll.index_bound = 2, ll.index_of = "`ttg.memdesc_index` of 2 buffers"} : i32 to i32
//! ```

/// Name of the attribute that marks the operation whose result is the start address of a buffer. The value is the
/// name of the operation that allocates the buffer.
pub const BUFFER: &str = "ll.buffer";
/// Name of the attribute that marks the operation whose result is the start address of scratch memory. The value is
/// the name of the operation that uses the scratch memory.
pub const SCRATCH: &str = "ll.scratch";
/// Name of the attribute that holds the size in bytes of an allocation in shared memory. The operation with the
/// attribute returns the start address of the allocation.
pub const BYTES: &str = "ll.bytes";
/// Name of the attribute that holds the index of an allocation among the allocations of its function. The operation
/// with the attribute returns the start address of the allocation.
pub const NUMBER: &str = "ll.number";
/// Name of the attribute that marks the start address of a buffer that other warps have already allocated. No
/// lifetime begins at the operation with this attribute.
pub const AGAIN: &str = "ll.again";
/// Name of the attribute that marks the end of an allocation's lifetime. The lifetime ends at the operation with
/// the attribute, which returns an address in the allocation.
pub const END: &str = "ll.end";
/// Name of the attribute that holds the exclusive upper bound of an unsigned index. The operation with the
/// attribute returns the index.
pub const INDEX_BOUND: &str = "ll.index_bound";
/// Name of the attribute that holds a text for error messages about an index. The text names the operation that
/// uses the index. It also names the set of objects from which the index selects one.
pub const INDEX_OF: &str = "ll.index_of";
/// Name of the attribute that marks a barrier on AMD GPUs. Only some warps of the block execute the marked barrier,
/// while the other warps execute a different barrier instruction.
pub const STAGGERING: &str = "ll.staggering";
