//! Entries of the value map: lowered TTGIR values.

use super::emit::Emitter;
use crate::sys::build::Val;
use std::rc::Rc;

/// The registers that hold a value in one thread. A scalar has one register; a tensor has all its registers except
/// replicas.
pub(crate) type Registers<'c> = Rc<[Val<'c>]>;

#[derive(Clone, Debug)]
pub(crate) enum LoweredValue<'c> {
    Registers(Registers<'c>),
    Buffer(SharedBuffer<'c>),
    Token,
    /// The type of the value has no LLVM type, so the value has no registers. The error was reported.
    Missing,
}

impl<'c> LoweredValue<'c> {
    /// Returns the registers that represent the value in block arguments and calls.
    pub(crate) fn registers(&self) -> Registers<'c> {
        match self {
            Self::Registers(registers) => Rc::clone(registers),
            Self::Buffer(buffer) => Rc::new([buffer.base, buffer.position]),
            Self::Token | Self::Missing => Rc::new([]),
        }
    }
}

/// A lowered memdesc. Its layout is not stored here, because the memdesc type determines it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedBuffer<'c> {
    pub(crate) base: Val<'c>,
    /// Byte offset at which the view begins in the allocation. Padding bytes are not counted.
    pub(crate) position: Val<'c>,
}

impl<'c> SharedBuffer<'c> {
    /// Returns the address at which a view begins. The layout of the buffer must have no padding.
    pub(crate) fn address(self, e: &mut Emitter<'c>) -> Val<'c> {
        let i8 = e.types.i8;
        e.gep(self.base, i8, self.position)
    }
}
