//! The value map's entries: what a TTGIR value is lowered to.

use super::emit::Emitter;
use crate::sys::build::Val;
use std::rc::Rc;

/// The registers of a value: one for a scalar, one per non-broadcast register for a tensor.
pub(crate) type Registers<'c> = Rc<[Val<'c>]>;

/// The lowered form of a value.
#[derive(Clone, Debug)]
pub(crate) enum LoweredValue<'c> {
    /// Numbers or pointers.
    Registers(Registers<'c>),
    /// A memdesc.
    Buffer(SharedBuffer<'c>),
    /// A token; has no registers.
    Token,
    /// A value whose type has no LLVM type, which has been reported.
    Missing,
}

impl<'c> LoweredValue<'c> {
    /// Returns the registers that are passed for it through loops, branches and calls.
    pub(crate) fn registers(&self) -> Registers<'c> {
        match self {
            Self::Registers(registers) => Rc::clone(registers),
            Self::Buffer(buffer) => Rc::new([buffer.base, buffer.position]),
            Self::Token | Self::Missing => Rc::new([]),
        }
    }
}

/// A lowered memdesc; its layout follows from the type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedBuffer<'c> {
    /// The address of the allocation.
    pub(crate) base: Val<'c>,
    /// Byte offset of the view in the allocation, before padding.
    pub(crate) position: Val<'c>,
}

impl<'c> SharedBuffer<'c> {
    /// Returns the address of the view, for layouts without padding.
    pub(crate) fn address(self, e: &mut Emitter<'c>) -> Val<'c> {
        let i8 = e.types.i8;
        e.gep(self.base, i8, self.position)
    }
}
