//! Memory accesses of programs: emits the accesses of memory plans, and packs their values into words.

use super::{Builder, intern};
use crate::number::narrow;
use crate::plan::memory::{AccessForm, BufferLayout, IndexedPlan, MemoryPlan, RegisterAccess};
use crate::plan::program::{
    Address, AddressBase, IndexProgram, MemorySpace, Operands, Step, ValueId, ValueType,
};
use crate::target::Fragment;

/// A view of a buffer. The position of each access in the view is the exclusive or of the view's start position and
/// the access's own terms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// Start of the view in the buffer, as a byte offset before padding.
    pub(crate) position: ValueId,
    /// Mask of the bits that may be set in `position`.
    pub(crate) bits: u32,
}

impl Builder {
    pub(crate) fn store(&mut self, address: Address, values: &[ValueId]) {
        let values = self.list(values);
        self.steps.push(Step::Store {
            address,
            values,
            guard: None,
        });
    }

    /// Emits the stores of a memory plan. They write to `view` or, if `view` is `None`, to scratch memory. If
    /// `guard` is the index of a predicate, only threads for which the predicate is true store. If `guard` is
    /// `None`, all threads store.
    pub(crate) fn store_registers(
        &mut self,
        plan: &MemoryPlan,
        values: &[ValueId],
        guard: Option<u32>,
        view: Option<View>,
    ) {
        let address = self.addresses(plan, view);
        let per_word = (32 / self.container_bits().min(32)) as usize;
        for access in plan.accesses() {
            let registers = access.registers.iter();
            let mut values: Vec<ValueId> = registers.map(|r| values[*r as usize]).collect();
            if let AccessForm::Matrices(fragment) = plan.form() {
                let words = values.chunks(per_word);
                if per_word > 1 {
                    values = words.map(|parts| self.pack(parts)).collect();
                }
                self.store_matrices(address(access), &values, fragment);
                continue;
            }
            if per_word > 1 && values.len() > per_word {
                values = values
                    .chunks(per_word)
                    .map(|parts| self.pack(parts))
                    .collect();
            }
            let values = self.list(&values);
            self.steps.push(Step::Store {
                address: address(access),
                values,
                guard,
            });
        }
    }

    /// Emits the stores of a memory plan without packing elements into words. The stores write to `view` or, if
    /// `view` is `None`, to scratch memory.
    pub(crate) fn copy_registers(
        &mut self,
        plan: &MemoryPlan,
        values: &[ValueId],
        view: Option<View>,
    ) {
        let address = self.addresses(plan, view);
        for access in plan.accesses() {
            let registers = access.registers.iter();
            let values: Vec<ValueId> = registers.map(|r| values[*r as usize]).collect();
            self.store(address(access), &values);
        }
    }

    /// Emits the loads of a memory plan, and returns the loaded value of each register. The loads read from `view`
    /// or, if `view` is `None`, from scratch memory. The loaded values belong to the first operand.
    pub(crate) fn load_registers(&mut self, plan: &MemoryPlan, view: Option<View>) -> Vec<ValueId> {
        let address = self.addresses(plan, view);
        let per_word = (32 / self.container_bits().min(32)) as usize;
        let loaded: Vec<Vec<ValueId>> = plan
            .accesses()
            .iter()
            .map(|access| {
                let run = |first: ValueId, count: usize| {
                    (0..narrow::<u32>(count)).map(move |i| first.plus(i))
                };
                if let AccessForm::Matrices(fragment) = plan.form() {
                    let words = plan.vector() / per_word;
                    let first = self.load_matrices(address(access), narrow(words), fragment);
                    if per_word == 1 {
                        return run(first, words).collect();
                    }
                    return run(first, words)
                        .flat_map(|word| run(self.unpack(word, narrow(per_word)), per_word))
                        .collect();
                }
                if per_word == 1 || plan.vector() <= per_word {
                    let first = self.load(address(access), narrow(plan.vector()), false);
                    return run(first, plan.vector()).collect();
                }
                let words = plan.vector() / per_word;
                let first = self.load(address(access), narrow(words), true);
                run(first, words)
                    .flat_map(|word| run(self.unpack(word, narrow(per_word)), per_word))
                    .collect()
            })
            .collect();
        let held = plan.locations().iter();
        held.map(|(access, slot)| loaded[*access as usize][*slot as usize])
            .collect()
    }

    /// Returns a function that computes the address of an access of the memory plan. The address is in `view` or,
    /// if `view` is `None`, in scratch memory.
    fn addresses(
        &mut self,
        plan: &MemoryPlan,
        view: Option<View>,
    ) -> impl Fn(&RegisterAccess) -> Address + use<> {
        let columns = self.thread_columns(plan.thread());
        let bits = view.map_or(0, |view| view.bits);
        let base = self.base_of(columns, plan.buffer(), view, bits);
        let numbers = match view {
            Some(view) => self.list(&[view.position]),
            None => Operands::default(),
        };
        move |access| Address {
            base,
            xor: narrow(access.xor),
            add: narrow(access.add),
            numbers,
        }
    }

    fn base_of(
        &mut self,
        columns: Vec<u32>,
        buffer: &BufferLayout,
        view: Option<View>,
        number_bits: u32,
    ) -> u32 {
        let base = AddressBase {
            columns,
            start: 0,
            space: view.map_or(MemorySpace::Scratch, |_| MemorySpace::Buffer),
            gaps: buffer.paddings().to_vec(),
            number_bits,
        };
        intern(&mut self.address_bases, base)
    }

    /// Returns the address of a 4-byte number in scratch memory. The byte offset is `offset ^ base ^ number`, where
    /// `base` is the exclusive or of `columns[i]` for all set bits `i` of the thread number. `number` is a value
    /// that is computed at run time; its set bits must be within the mask `number_bits`. If `number` is `None`, it
    /// counts as 0.
    pub(crate) fn number_address(
        &mut self,
        columns: Vec<u32>,
        (offset, number): (u32, Option<ValueId>),
        number_bits: u32,
    ) -> Address {
        let base = AddressBase {
            columns,
            start: 0,
            space: MemorySpace::Scratch,
            gaps: Vec::new(),
            number_bits,
        };
        let numbers: Vec<ValueId> = number.into_iter().collect();
        Address {
            base: intern(&mut self.address_bases, base),
            xor: offset,
            add: 0,
            numbers: self.list(&numbers),
        }
    }

    /// Adds steps that compute the addresses of an indexed access, and returns one address per register.
    /// `indices[r]` is the run-time index of register `r`. The addresses are in `view` or, if `view` is `None`, in
    /// scratch memory.
    pub(crate) fn indexed_addresses(
        &mut self,
        plan: &IndexedPlan,
        indices: &[ValueId],
        view: Option<View>,
    ) -> Vec<Address> {
        let columns = self.thread_columns(plan.thread());
        let along = plan.along();
        let bits = view.map_or(0, |view| view.bits) | narrow::<u32>(along.possible_bits(0));
        let base = self.base_of(columns, plan.buffer(), view, bits);
        let map = self.index_map(along);
        let registers = plan.registers().iter().zip(indices);
        let addresses = registers.map(|(register, index)| {
            let number = self.compute(map, &[*index]);
            let numbers: Vec<ValueId> = view.map(|view| view.position).into_iter().collect();
            Address {
                base,
                xor: narrow(*register),
                add: 0,
                numbers: self.list(&[&numbers[..], &[number]].concat()),
            }
        });
        addresses.collect()
    }

    /// Returns, for each bit of the thread number, the output of `map` for the thread in which only this bit is
    /// set. The inputs of `map` are (lane, warp).
    fn thread_columns(&self, map: &IndexProgram) -> Vec<u32> {
        let of_bit = |bit: u32| match bit.checked_sub(self.lanes_log2) {
            None => map.evaluate(&[1 << bit, 0])[0],
            Some(bit) => map.evaluate(&[0, 1 << bit])[0],
        };
        let bits = 0..self.lanes_log2 + self.warps_log2;
        bits.map(|bit| narrow::<u32>(of_bit(bit))).collect()
    }

    /// Emits one load of `count` values of the first operand, and returns the first value. If `words` is true, the
    /// values are words; otherwise they are elements.
    pub(crate) fn load(&mut self, address: Address, count: u32, words: bool) -> ValueId {
        let type_ = ValueType {
            operand: 0,
            is_word: words,
        };
        let first = self.define(count, type_);
        self.steps.push(Step::Load {
            address,
            first,
            count,
            words,
        });
        first
    }

    pub(crate) fn store_matrices(
        &mut self,
        address: Address,
        values: &[ValueId],
        fragment: Fragment,
    ) {
        let values = self.list(values);
        self.steps.push(Step::StoreMatrices {
            address,
            values,
            fragment,
        });
    }

    pub(crate) fn load_matrices(
        &mut self,
        address: Address,
        count: u32,
        fragment: Fragment,
    ) -> ValueId {
        let type_ = ValueType {
            operand: 0,
            is_word: self.widths[0] < 32,
        };
        let first = self.define(count, type_);
        self.steps.push(Step::LoadMatrices {
            address,
            first,
            count,
            fragment,
        });
        first
    }

    pub(crate) fn address_base(&mut self, columns: Vec<u32>, space: MemorySpace) -> u32 {
        let base = AddressBase {
            columns,
            start: 0,
            space,
            gaps: Vec::new(),
            number_bits: 0,
        };
        intern(&mut self.address_bases, base)
    }

    /// Returns the mask of the bits that are set in the byte offset of at least one thread. `base` is an index into
    /// the address bases.
    pub(crate) fn possible_bits(&self, base: u32) -> u32 {
        self.address_bases[base as usize].possible_bits()
    }
}
