//! The entries of the value map: the lowered forms of TTGIR values.

use super::emit::Emitter;
use crate::sys::build::Val;
use std::rc::Rc;

/// The registers of a value: a single register for a scalar; for a tensor, all registers that are not replicas.
pub(crate) type Registers<'c> = Rc<[Val<'c>]>;

/// The lowered form of a value.
#[derive(Clone, Debug)]
pub(crate) enum LoweredValue<'c> {
    /// A scalar or a tensor.
    Registers(Registers<'c>),
    /// A memdesc.
    Buffer(SharedBuffer<'c>),
    /// A token, which has no registers.
    Token,
    /// A value whose type has no LLVM type. The error has been reported.
    Missing,
}

impl<'c> LoweredValue<'c> {
    /// Returns the registers that loops, branches and calls pass for the value.
    pub(crate) fn registers(&self) -> Registers<'c> {
        match self {
            Self::Registers(registers) => Rc::clone(registers),
            Self::Buffer(buffer) => Rc::new([buffer.base, buffer.position]),
            Self::Token | Self::Missing => Rc::new([]),
        }
    }
}

/// A lowered memdesc. The layout of the buffer follows from the memdesc type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedBuffer<'c> {
    /// The address of the allocation.
    pub(crate) base: Val<'c>,
    /// Byte offset of the view in the allocation, before padding is added.
    pub(crate) position: Val<'c>,
}

impl<'c> SharedBuffer<'c> {
    /// Returns the address of a view whose layout has no padding.
    pub(crate) fn address(self, e: &mut Emitter<'c>) -> Val<'c> {
        let i8 = e.types.i8;
        e.gep(self.base, i8, self.position)
    }
}
