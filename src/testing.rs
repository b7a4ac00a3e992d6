//! The MLIR context of unit and integration tests.
#![allow(unreachable_pub, reason = "test support, not part of the public face")]

/// Creates a context with all dialects of this project and of MLIR.
pub fn context() -> melior::Context {
    let registry = melior::dialect::DialectRegistry::new();
    melior::utility::register_all_dialects(&registry);
    linear_layout_mlir::register_dialects(&registry);
    let context = melior::Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}
