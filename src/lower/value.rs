//! What a value of the input becomes.

use crate::sys::build::Val;
use std::rc::Rc;

/// The registers of a value: one for a scalar, one per unique register for a tensor.
pub(crate) type Registers<'c> = Rc<[Val<'c>]>;

/// A lowered value.
#[derive(Clone, Debug)]
pub(crate) enum Lowered<'c> {
    /// Numbers and pointers.
    Registers(Registers<'c>),
    /// A buffer in shared memory.
    Buffer(Buffer<'c>),
    /// A token: it orders operations, and has no registers.
    Token,
    /// Nothing: its type has no place in the LLVM dialect, which has been reported.
    Missing,
}

impl<'c> Lowered<'c> {
    /// Returns the values that loops, branches and calls hand on for it.
    pub(crate) fn registers(&self) -> Registers<'c> {
        match self {
            Self::Registers(registers) => Rc::clone(registers),
            Self::Buffer(buffer) => Rc::new([buffer.base, buffer.position]),
            Self::Token | Self::Missing => Rc::new([]),
        }
    }
}

/// A lowered buffer: the layout is that of its type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer<'c> {
    /// The address of the allocation.
    pub(crate) base: Val<'c>,
    /// Where in it the view begins, in bytes before padding.
    pub(crate) position: Val<'c>,
}
