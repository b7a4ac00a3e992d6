//! Names of the attributes by which a lowered module says where allocations lie and what indices are below.
//!
//! They stand on `llvm.bitcast` from a type to itself:
//!
//! ```text
//! %b = llvm.bitcast %a {ll.buffer = "ttg.local_alloc", ll.bytes = 512, ll.number = 0} : !llvm.ptr<3> to !llvm.ptr<3>
//! %j = llvm.bitcast %i {ll.index_bound = 2, ll.index_of = "`ttg.memdesc_index` of 2 buffers"} : i32 to i32
//! ```

/// On an address: a buffer of the kernel begins there; the name of the operation that allocates it.
pub const BUFFER: &str = "ll.buffer";
/// On an address: the scratch memory of an operation begins there; the operation's name.
pub const SCRATCH: &str = "ll.scratch";
/// On an address: the bytes of the allocation that begins there.
pub const BYTES: &str = "ll.bytes";
/// On an address: the number of the allocation within its function.
pub const NUMBER: &str = "ll.number";
/// On an address: the allocation that it points to is not used any more.
pub const END: &str = "ll.end";
/// On an index: it is below this, as an integer without sign.
pub const INDEX_BOUND: &str = "ll.index_bound";
/// On an index: the operation that it belongs to, and what it selects.
pub const INDEX_OF: &str = "ll.index_of";
