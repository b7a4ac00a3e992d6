//! Addresses, loads and stores.

use super::emitter::Emitter;
use super::function::TEXT_SPACE;
use crate::ir::builders::llvm;
use crate::sys::build::Val;
use melior::ir::{Attribute, Type, ValueLike};

const ACCESSES: &str =
    "[#llvm.alias_scope<id = \"accesses\", domain = #llvm.alias_scope_domain<id = \"shared\">>]";

const COPIES: &str =
    "[#llvm.alias_scope<id = \"copies\", domain = #llvm.alias_scope_domain<id = \"shared\">>]";

/// Placeholder for a dynamic index in the constant indices of a `getelementptr`.
const DYNAMIC: i32 = i32::MIN;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct AccessFlags {
    pub(crate) is_volatile: bool,
    pub(crate) is_nontemporal: bool,
}

impl<'c> Emitter<'c> {
    pub(crate) fn load(&mut self, pointer: Val<'c>, type_: Type<'c>, alignment: u32) -> Val<'c> {
        self.load_as(pointer, type_, alignment, AccessFlags::default())
    }

    pub(crate) fn load_as(
        &mut self,
        pointer: Val<'c>,
        type_: Type<'c>,
        alignment: u32,
        flags: AccessFlags,
    ) -> Val<'c> {
        let load = llvm::load(pointer, type_).alignment(i64::from(alignment));
        let load = load
            .volatile_(flags.is_volatile)
            .nontemporal(flags.is_nontemporal);
        let [own, copies] = self.alias_scopes_of(pointer);
        self.effect(load.alias_scopes(own).noalias_scopes(copies))
    }

    pub(crate) fn store_as(
        &mut self,
        value: Val<'c>,
        pointer: Val<'c>,
        alignment: u32,
        flags: AccessFlags,
    ) {
        let store = llvm::store(value, pointer).alignment(i64::from(alignment));
        let store = store
            .volatile_(flags.is_volatile)
            .nontemporal(flags.is_nontemporal);
        let [own, copies] = self.alias_scopes_of(pointer);
        self.operation(store.alias_scopes(own).noalias_scopes(copies));
    }

    /// Returns two alias scopes for an access through `pointer`. The first is the scope of the access itself. The
    /// second is the scope of copies to shared memory, which do not alias the access.
    ///
    /// Both are `None` if the access is outside shared memory, or if copies have no scope of their own.
    pub(crate) fn alias_scopes_of(&mut self, pointer: Val<'c>) -> [Option<Attribute<'c>>; 2] {
        let is_shared = pointer.r#type() == self.types.shared_pointer;
        if self.separates_copies && is_shared {
            self.alias_scopes().map(Some)
        } else {
            [None, None]
        }
    }

    pub(crate) fn alias_scopes(&mut self) -> [Attribute<'c>; 2] {
        [ACCESSES, COPIES].map(|scope| self.cached_attr(scope))
    }

    pub(crate) fn store(&mut self, value: Val<'c>, pointer: Val<'c>, alignment: u32) {
        self.store_as(value, pointer, alignment, AccessFlags::default());
    }

    pub(crate) fn address_of_shared(&mut self, variable: &str) -> Val<'c> {
        let name = self.symbol(variable);
        self.pure(llvm::mlir_addressof(name, self.types.shared_pointer))
    }

    /// Returns the address of the constant `variable` as a generic pointer.
    pub(crate) fn address_of_text(&mut self, variable: &str) -> Val<'c> {
        let address = self.address_of_table(variable);
        self.pure(llvm::addrspacecast(address, self.pointer_type(0)))
    }

    pub(crate) fn address_of_table(&mut self, variable: &str) -> Val<'c> {
        let name = self.symbol(variable);
        let global = self.pointer_type(TEXT_SPACE);
        self.pure(llvm::mlir_addressof(name, global))
    }

    /// Allocates 64-bit words of stack memory in the entry block.
    pub(crate) fn stack(&mut self, words: u32) -> Val<'c> {
        let i32 = self.types.i32;
        let array = self.array_type(self.types.i64, words);
        let one = self.at_entry(llvm::mlir_constant(self.i32_attr(1), i32));
        self.at_entry(llvm::alloca(one, array, self.pointer_type(0)))
    }

    pub(crate) fn gep(&mut self, base: Val<'c>, element: Type<'c>, index: Val<'c>) -> Val<'c> {
        if self.known_constant(index) == Some(0) {
            return base;
        }
        self.element_pointer(base, &[index], DYNAMIC, element)
    }

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
