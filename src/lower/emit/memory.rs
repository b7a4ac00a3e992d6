//! Memory: addresses, loads, stores, fences.

use super::emitter::{Emitter, Named};
use super::function::TEXT_SPACE;
use crate::sys::build::Val;
use melior::ir::{Type, ValueLike};

/// An index of a `getelementptr` that is a value and not a constant.
const DYNAMIC: i32 = i32::MIN;

/// How memory is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Usage {
    /// Others may read or write it at any time.
    pub(crate) is_volatile: bool,
    /// It is not needed in caches.
    pub(crate) is_once: bool,
}

/// The order that an atomic access or a fence keeps, as LLVM numbers it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ordering {
    Monotonic = 2,
    Acquire = 4,
    Release = 5,
    AcquireRelease = 6,
}

/// What an atomic read-modify-write does, as LLVM numbers it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AtomicOperation {
    Exchange = 0,
    Add = 1,
    And = 3,
    Or = 5,
    Xor = 6,
    SignedMax = 7,
    SignedMin = 8,
    UnsignedMax = 9,
    UnsignedMin = 10,
    FloatAdd = 11,
    /// Of a number and NaN, the number.
    FloatMax = 13,
    FloatMin = 14,
}

impl<'c> Emitter<'c> {
    /// Loads from a multiple of so many bytes.
    pub(crate) fn load(&mut self, pointer: Val<'c>, type_: Type<'c>, alignment: u32) -> Val<'c> {
        let alignment = self.i64_attr(i64::from(alignment));
        self.effect("llvm.load", &[pointer], type_, &[("alignment", alignment)])
    }

    /// Loads what is used in some way.
    pub(crate) fn load_as(
        &mut self,
        pointer: Val<'c>,
        type_: Type<'c>,
        alignment: u32,
        usage: Usage,
    ) -> Val<'c> {
        let attributes = self.used(alignment, usage);
        self.effect("llvm.load", &[pointer], type_, &attributes)
    }

    /// Stores what is used in some way.
    pub(crate) fn store_as(
        &mut self,
        value: Val<'c>,
        pointer: Val<'c>,
        alignment: u32,
        usage: Usage,
    ) {
        let attributes = self.used(alignment, usage);
        self.statement("llvm.store", &[value, pointer], &attributes);
    }

    fn used(&self, alignment: u32, usage: Usage) -> Vec<Named<'c>> {
        let mut attributes = vec![("alignment", self.i64_attr(i64::from(alignment)))];
        if usage.is_volatile {
            attributes.push(("volatile_", self.unit()));
        }
        if usage.is_once {
            attributes.push(("nontemporal", self.unit()));
        }
        attributes
    }

    /// Stores to a multiple of so many bytes.
    pub(crate) fn store(&mut self, value: Val<'c>, pointer: Val<'c>, alignment: u32) {
        let attributes = [("alignment", self.i64_attr(i64::from(alignment)))];
        self.statement("llvm.store", &[value, pointer], &attributes);
    }

    /// Keeps the order of accesses among the threads of a scope, as `wavefront`; all threads where it is empty.
    pub(crate) fn fence(&mut self, ordering: Ordering, scope: &'static str) {
        let attributes = self.ordered("ordering", ordering, scope);
        self.statement("llvm.fence", &[], &attributes);
    }

    /// Reads, changes and writes in one; returns what was there.
    pub(crate) fn atomic_rmw(
        &mut self,
        operation: AtomicOperation,
        pointer: Val<'c>,
        value: Val<'c>,
        ordering: Ordering,
        scope: &'static str,
    ) -> Val<'c> {
        let mut attributes = vec![("bin_op", self.i64_attr(operation as i64))];
        attributes.extend(self.ordered("ordering", ordering, scope));
        let type_ = value.r#type();
        self.effect("llvm.atomicrmw", &[pointer, value], type_, &attributes)
    }

    /// Writes an integer where another one is expected and found; returns what was there.
    pub(crate) fn atomic_cas(
        &mut self,
        pointer: Val<'c>,
        [expected, value]: [Val<'c>; 2],
        ordering: Ordering,
        scope: &'static str,
    ) -> Val<'c> {
        // Nothing is written where the comparison fails, so nothing is released.
        let failure = match ordering {
            Ordering::Monotonic | Ordering::Release => Ordering::Monotonic,
            Ordering::Acquire | Ordering::AcquireRelease => Ordering::Acquire,
        };
        let mut attributes = vec![("failure_ordering", self.i64_attr(failure as i64))];
        attributes.extend(self.ordered("success_ordering", ordering, scope));
        let type_ = value.r#type();
        let both = self.struct_type(&[type_, self.types.i1]);
        let operands = [pointer, expected, value];
        let found = self.effect("llvm.cmpxchg", &operands, both, &attributes);
        self.extract_value(found, 0, type_)
    }

    /// Reads atomically.
    pub(crate) fn atomic_load(
        &mut self,
        pointer: Val<'c>,
        type_: Type<'c>,
        alignment: u32,
        ordering: Ordering,
        scope: &'static str,
    ) -> Val<'c> {
        let mut attributes = vec![("alignment", self.i64_attr(i64::from(alignment)))];
        attributes.extend(self.ordered("ordering", ordering, scope));
        self.effect("llvm.load", &[pointer], type_, &attributes)
    }

    /// Writes atomically.
    pub(crate) fn atomic_store(
        &mut self,
        value: Val<'c>,
        pointer: Val<'c>,
        alignment: u32,
        ordering: Ordering,
        scope: &'static str,
    ) {
        let mut attributes = vec![("alignment", self.i64_attr(i64::from(alignment)))];
        attributes.extend(self.ordered("ordering", ordering, scope));
        self.statement("llvm.store", &[value, pointer], &attributes);
    }

    fn ordered(
        &self,
        key: &'static str,
        ordering: Ordering,
        scope: &'static str,
    ) -> Vec<Named<'c>> {
        let mut attributes = vec![(key, self.i64_attr(ordering as i64))];
        // Without a scope it is that of the whole system.
        if !scope.is_empty() {
            attributes.push(("syncscope", self.string(scope)));
        }
        attributes
    }

    /// The address of a variable in shared memory.
    pub(crate) fn address_of_shared(&mut self, variable: &str) -> Val<'c> {
        let name = self.symbol(variable);
        let type_ = self.types.shared_pointer;
        self.pure("llvm.mlir.addressof", &[], type_, &[("global_name", name)])
    }

    /// The address of a text, wherever it lies.
    pub(crate) fn address_of_text(&mut self, variable: &str) -> Val<'c> {
        let name = self.symbol(variable);
        let global = self.pointer_type(TEXT_SPACE);
        let attributes = [("global_name", name)];
        let address = self.pure("llvm.mlir.addressof", &[], global, &attributes);
        let generic = self.pointer_type(0);
        self.pure("llvm.addrspacecast", &[address], generic, &[])
    }

    /// The address of a table, in global memory.
    pub(crate) fn address_of_table(&mut self, variable: &str) -> Val<'c> {
        let name = self.symbol(variable);
        let global = self.pointer_type(TEXT_SPACE);
        self.pure("llvm.mlir.addressof", &[], global, &[("global_name", name)])
    }

    /// So many words of 64 bits on the stack of the thread, for as long as the function runs.
    pub(crate) fn stack(&mut self, words: u32) -> Val<'c> {
        let (i32, i64) = (self.types.i32, self.types.i64);
        let count = self.i32_attr(1);
        let array = self.array_type(i64, words);
        let element = self.type_attr(array);
        let one = self.at_entry("llvm.mlir.constant", &[], i32, &[("value", count)]);
        let pointer = self.pointer_type(0);
        let attributes = [("elem_type", element)];
        self.at_entry("llvm.alloca", &[one], pointer, &attributes)
    }

    /// `base + index` elements of a type.
    pub(crate) fn gep(&mut self, base: Val<'c>, element: Type<'c>, index: Val<'c>) -> Val<'c> {
        if self.known_constant(index) == Some(0) {
            return base;
        }
        self.element_pointer(&[base, index], DYNAMIC, element)
    }

    /// `base + bytes`, a constant number of them.
    pub(crate) fn gep_bytes(&mut self, base: Val<'c>, bytes: u32) -> Val<'c> {
        if bytes == 0 {
            return base;
        }
        let bytes = i32::try_from(bytes).expect("shared memory is small");
        self.element_pointer(&[base], bytes, self.types.i8)
    }

    fn element_pointer(&mut self, operands: &[Val<'c>], index: i32, element: Type<'c>) -> Val<'c> {
        let attributes = [
            ("rawConstantIndices", self.i32_array(&[index])),
            ("elem_type", self.type_attr(element)),
        ];
        let type_ = operands[0].r#type();
        self.pure("llvm.getelementptr", operands, type_, &attributes)
    }

    pub(crate) fn ptrtoint(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure("llvm.ptrtoint", &[value], type_, &[])
    }

    pub(crate) fn inttoptr(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure("llvm.inttoptr", &[value], type_, &[])
    }
}
