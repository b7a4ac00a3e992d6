//! Attributes with which a lowered module marks allocations in shared memory and bounds of indices.
//!
//! The attributes are attached to an `llvm.bitcast` from a type to the same type:
//!
//! ```text
//! %b = llvm.bitcast %a {ll.buffer = "ttg.local_alloc", ll.bytes = 512, ll.number = 0} : !llvm.ptr<3> to !llvm.ptr<3>
//! %j = llvm.bitcast %i {ll.index_bound = 2, ll.index_of = "`ttg.memdesc_index` of 2 buffers"} : i32 to i32
//! ```

/// On an address at which a buffer begins: the name of the operation that allocates the buffer.
pub const BUFFER: &str = "ll.buffer";
/// On an address at which the scratch memory of an operation begins: the name of the operation.
pub const SCRATCH: &str = "ll.scratch";
/// On an address: the size in bytes of the allocation that begins there.
pub const BYTES: &str = "ll.bytes";
/// On an address: the index of the allocation within its function.
pub const NUMBER: &str = "ll.number";
/// On an address: marks the end of the allocation's lifetime.
pub const END: &str = "ll.end";
/// On an index: its exclusive upper bound, unsigned.
pub const INDEX_BOUND: &str = "ll.index_bound";
/// On an index: the operation to which the index belongs, and what the index selects.
pub const INDEX_OF: &str = "ll.index_of";
