//! Attributes of a lowered module that mark allocations in shared memory, bounds of indices, and barriers.
//!
//! Attributes of allocations and indices are on an `llvm.bitcast` to the same type:
//!
//! ```text
//! %b = llvm.bitcast %a {ll.buffer = "ttg.local_alloc", ll.bytes = 512, ll.number = 0} : !llvm.ptr<3> to !llvm.ptr<3>
//! %j = llvm.bitcast %i {ll.index_bound = 2, ll.index_of = "`ttg.memdesc_index` of 2 buffers"} : i32 to i32
//! ```

/// Attribute of the start address of a buffer. The value is the name of the operation that allocates the
/// buffer.
pub const BUFFER: &str = "ll.buffer";
/// Attribute of the start address of scratch memory. The value is the name of the operation that uses the
/// scratch memory.
pub const SCRATCH: &str = "ll.scratch";
/// Attribute of the start address of an allocation. The value is the size in bytes.
pub const BYTES: &str = "ll.bytes";
/// Attribute of the start address of an allocation. The value is the index of the allocation in its function.
pub const NUMBER: &str = "ll.number";
/// Attribute of the start address of a buffer that other warps have already allocated. No lifetime begins at
/// this address.
pub const AGAIN: &str = "ll.again";
/// Attribute of an address in an allocation. The lifetime of the allocation ends at the operation that has this
/// attribute.
pub const END: &str = "ll.end";
/// Attribute of an index. The value is the exclusive upper bound of the unsigned index.
pub const INDEX_BOUND: &str = "ll.index_bound";
/// Attribute of an index. The value is a text for error messages that names the operation, and the objects among
/// which the index selects one.
pub const INDEX_OF: &str = "ll.index_of";
/// Attribute of a barrier on an AMD GPU. It marks a barrier that only some warps execute, while the other warps
/// execute another barrier.
pub const STAGGERING: &str = "ll.staggering";
