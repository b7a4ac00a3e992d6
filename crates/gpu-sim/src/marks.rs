//! Attributes of a lowered module that mark allocations in shared memory and bounds of indices.
//!
//! They are attached to `llvm.bitcast` from a type to itself:
//!
//! ```text
//! %b = llvm.bitcast %a {ll.buffer = "ttg.local_alloc", ll.bytes = 512, ll.number = 0} : !llvm.ptr<3> to !llvm.ptr<3>
//! %j = llvm.bitcast %i {ll.index_bound = 2, ll.index_of = "`ttg.memdesc_index` of 2 buffers"} : i32 to i32
//! ```

/// On an address: begin of a buffer; the name of the operation that allocates it.
pub const BUFFER: &str = "ll.buffer";
/// On an address: begin of the scratch memory of an operation; the operation's name.
pub const SCRATCH: &str = "ll.scratch";
/// On an address: size in bytes of the allocation that begins there.
pub const BYTES: &str = "ll.bytes";
/// On an address: index of the allocation within its function.
pub const NUMBER: &str = "ll.number";
/// On an address: end of the allocation's lifetime.
pub const END: &str = "ll.end";
/// On an index: exclusive bound, unsigned.
pub const INDEX_BOUND: &str = "ll.index_bound";
/// On an index: the operation that it belongs to, and what it selects.
pub const INDEX_OF: &str = "ll.index_of";
