//! Block operands: registers that carry values through loops and branches.
//!
//! 16-bit floats are carried in pairs, the unit of arithmetic, lane exchanges and memory accesses. Otherwise each
//! iteration would unpack and repack each pair with a byte permute.

use super::emit::{Emitter, block_arguments};
use super::state::Lowering;
use super::value::Registers;
use crate::sys;
use crate::sys::build::{self, Blk, Op, Val};
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};

fn is_paired(types: &[Type<'_>]) -> bool {
    types.len() > 1
        && types.len().is_multiple_of(2)
        && types
            .iter()
            .all(|type_| sys::float_width(*type_) == Some(16))
}

fn pair<'c>(e: &Emitter<'c>, element: Type<'c>) -> Type<'c> {
    e.vector_type(2, element)
}

impl<'c> Lowering<'c> {
    /// Returns the types of the block arguments that receive a value of type `type_`. The result is empty if
    /// `type_` cannot be lowered.
    fn carried_types_of(&self, type_: Type<'c>) -> Vec<Type<'c>> {
        let registers = self.placeholder_types(type_);
        if is_paired(&registers) {
            let pair = pair(&self.e, registers[0]);
            return vec![pair; registers.len() / 2];
        }
        registers
    }

    /// Returns the types of the block arguments that receive values of the given types, and the number of block
    /// arguments for each value.
    pub(crate) fn carried_types(
        &self,
        types: impl Iterator<Item = Type<'c>>,
    ) -> (Vec<Type<'c>>, Vec<usize>) {
        let each: Vec<_> = types.map(|type_| self.carried_types_of(type_)).collect();
        let counts = each.iter().map(Vec::len).collect();
        (each.concat(), counts)
    }

    pub(crate) fn carried(&mut self, values: impl IntoIterator<Item = Val<'c>>) -> Vec<Val<'c>> {
        let mut flat = Vec::new();
        for value in values {
            let registers = self.get(value);
            let types: Vec<Type<'c>> = registers.iter().map(ValueLike::r#type).collect();
            if is_paired(&types) {
                flat.extend(registers.chunks(2).map(|pair| self.e.gather(pair)));
            } else {
                flat.extend_from_slice(&registers);
            }
        }
        flat
    }

    pub(crate) fn carried_operands(&mut self, op: Op<'c>) -> Vec<Val<'c>> {
        self.carried((0..op.operand_count()).map(|i| build::operand(op, i)))
    }

    /// Sets the registers of `values` from the block arguments `flat`. `counts` contains the number of block
    /// arguments for each value. A block argument that holds a pair of registers is unpacked.
    pub(crate) fn receive(
        &mut self,
        values: impl IntoIterator<Item = Val<'c>>,
        counts: &[usize],
        flat: &[Val<'c>],
    ) {
        let mut rest = flat;
        for (value, count) in values.into_iter().zip(counts) {
            let (own, others) = rest.split_at(*count);
            rest = others;
            let types = self.placeholder_types(value.r#type());
            let registers: Registers<'c> = if is_paired(&types) {
                let pairs = own.iter();
                pairs
                    .flat_map(|pair| self.e.scatter(*pair, 2, types[0]))
                    .collect()
            } else {
                own.into()
            };
            self.set(value, registers);
        }
    }

    pub(crate) fn add_block(&mut self, before: Blk<'c>, old: Blk<'c>) -> Blk<'c> {
        let arguments = block_arguments(old);
        let (types, _) = self.carried_types(arguments.iter().map(ValueLike::r#type));
        self.e.add_block(before, &types)
    }

    /// Moves the insertion point to `new`, the lowered block of `old`. Sets the registers of the arguments of
    /// `old`.
    pub(crate) fn enter(&mut self, new: Blk<'c>, old: Blk<'c>) {
        self.e.enter_block(new);
        let arguments = block_arguments(old);
        let (_, counts) = self.carried_types(arguments.iter().map(ValueLike::r#type));
        self.receive(arguments, &counts, &block_arguments(new));
    }
}
