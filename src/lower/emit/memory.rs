//! Memory: addresses, loads, stores.

use super::emitter::Emitter;
use super::function::TEXT_SPACE;
use crate::ir::builders::llvm;
use crate::sys::build::Val;
use melior::ir::{Attribute, Type, ValueLike};

/// The alias scope of accesses to shared memory by registers.
const ACCESSES: &str =
    "[#llvm.alias_scope<id = \"accesses\", domain = #llvm.alias_scope_domain<id = \"shared\">>]";

/// The alias scope of copies to shared memory.
const COPIES: &str =
    "[#llvm.alias_scope<id = \"copies\", domain = #llvm.alias_scope_domain<id = \"shared\">>]";

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

impl<'c> Emitter<'c> {
    /// Loads from a multiple of so many bytes.
    pub(crate) fn load(&mut self, pointer: Val<'c>, type_: Type<'c>, alignment: u32) -> Val<'c> {
        self.load_as(pointer, type_, alignment, Usage::default())
    }

    /// Loads what is used in some way.
    pub(crate) fn load_as(
        &mut self,
        pointer: Val<'c>,
        type_: Type<'c>,
        alignment: u32,
        usage: Usage,
    ) -> Val<'c> {
        let load = llvm::load(pointer, type_).alignment(i64::from(alignment));
        let load = load.volatile_(usage.is_volatile).nontemporal(usage.is_once);
        let [own, copies] = self.apart(pointer);
        self.effect(load.alias_scopes(own).noalias_scopes(copies))
    }

    /// Stores what is used in some way.
    pub(crate) fn store_as(
        &mut self,
        value: Val<'c>,
        pointer: Val<'c>,
        alignment: u32,
        usage: Usage,
    ) {
        let store = llvm::store(value, pointer).alignment(i64::from(alignment));
        let store = store
            .volatile_(usage.is_volatile)
            .nontemporal(usage.is_once);
        let [own, copies] = self.apart(pointer);
        self.operation(store.alias_scopes(own).noalias_scopes(copies));
    }

    /// The alias scopes of an access to shared memory that meets no copy, and of the copies; of other accesses none.
    pub(crate) fn apart(&mut self, pointer: Val<'c>) -> [Option<Attribute<'c>>; 2] {
        let is_shared = pointer.r#type() == self.types.shared_pointer;
        if self.are_copies_apart && is_shared {
            self.alias_scopes().map(Some)
        } else {
            [None, None]
        }
    }

    /// The alias scopes of accesses to shared memory by registers, and by copies.
    pub(crate) fn alias_scopes(&mut self) -> [Attribute<'c>; 2] {
        [ACCESSES, COPIES].map(|scope| self.kept(scope))
    }

    /// Stores to a multiple of so many bytes.
    pub(crate) fn store(&mut self, value: Val<'c>, pointer: Val<'c>, alignment: u32) {
        self.store_as(value, pointer, alignment, Usage::default());
    }

    /// The address of a variable in shared memory.
    pub(crate) fn address_of_shared(&mut self, variable: &str) -> Val<'c> {
        let name = self.symbol(variable);
        self.pure(llvm::mlir_addressof(name, self.types.shared_pointer))
    }

    /// The address of a text, wherever it lies.
    pub(crate) fn address_of_text(&mut self, variable: &str) -> Val<'c> {
        let address = self.address_of_table(variable);
        self.pure(llvm::addrspacecast(address, self.pointer_type(0)))
    }

    /// The address of a table, in global memory.
    pub(crate) fn address_of_table(&mut self, variable: &str) -> Val<'c> {
        let name = self.symbol(variable);
        let global = self.pointer_type(TEXT_SPACE);
        self.pure(llvm::mlir_addressof(name, global))
    }

    /// So many words of 64 bits on the stack of the thread, for as long as the function runs.
    pub(crate) fn stack(&mut self, words: u32) -> Val<'c> {
        let i32 = self.types.i32;
        let array = self.array_type(self.types.i64, words);
        let one = self.at_entry(llvm::mlir_constant(self.i32_attr(1), i32));
        self.at_entry(llvm::alloca(one, array, self.pointer_type(0)))
    }

    /// `base + index` elements of a type.
    pub(crate) fn gep(&mut self, base: Val<'c>, element: Type<'c>, index: Val<'c>) -> Val<'c> {
        if self.known_constant(index) == Some(0) {
            return base;
        }
        self.element_pointer(base, &[index], DYNAMIC, element)
    }

    /// `base + bytes`, a constant number of them.
    pub(crate) fn gep_bytes(&mut self, base: Val<'c>, bytes: u32) -> Val<'c> {
        if bytes == 0 {
            return base;
        }
        let bytes = i32::try_from(bytes).expect("shared memory is small");
        self.element_pointer(base, &[], bytes, self.types.i8)
    }

    fn element_pointer(
        &mut self,
        base: Val<'c>,
        dynamic: &[Val<'c>],
        index: i32,
        element: Type<'c>,
    ) -> Val<'c> {
        self.pure(llvm::getelementptr(
            base,
            dynamic,
            &[index],
            element,
            base.r#type(),
        ))
    }
}
