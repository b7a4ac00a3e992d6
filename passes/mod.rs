//! The passes: one file each, named as on the command line, declared in `Passes.td`.

mod convert_encodings_to_linear;
mod convert_layouts_to_llvm;
mod fold_layout_conversions;
mod options;
mod respell;

use crate::encoding::{error_of_key, place_of_key};
use crate::ir::{Layouts, canonical, verify};
use crate::layout::LinearLayout;
use crate::sys::{self, Complaint, Emitted, Flaw, LayoutCache, Rewrite, Semantics};
use melior::dialect::DialectRegistry;
use melior::ir::{Attribute, OperationRef, Type};
use options::Options;
use std::any::Any;

/// Makes dialects and passes work, and registers the passes with MLIR, ours and those that ours end
/// with. Idempotent.
pub fn install() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        sys::install(&LinearLayouts);
        sys::register_passes();
    });
}

/// Adds `tt`, `ttg`, `ttng` and `amdg` to a registry.
pub fn register_dialects(registry: &DialectRegistry) {
    install();
    sys::register_dialects(registry);
}

/// Runs a pass on a module; returns the pipeline of MLIR passes to run after it.
type Run = fn(OperationRef<'_, '_>, &Options) -> Result<String, Emitted>;

/// Every pass by its argument, sorted.
const PASSES: [(&str, Run); 3] = [
    (
        "convert-encodings-to-linear",
        convert_encodings_to_linear::run,
    ),
    ("convert-layouts-to-llvm", convert_layouts_to_llvm::run),
    ("fold-layout-conversions", fold_layout_conversions::run),
];

struct LinearLayouts;

impl Semantics for LinearLayouts {
    fn new_cache(&self) -> Box<dyn Any + Send + Sync> {
        Box::new(Layouts::default())
    }

    fn check_attribute(
        &self,
        cache: &LayoutCache,
        attribute: Attribute<'_>,
        text: &[u8],
    ) -> Result<Option<String>, Flaw> {
        if text.starts_with(b"cache_policy") {
            let rules = verify::cache_policy(attribute);
            return rules.map(|()| None).map_err(|(reason, key)| Flaw {
                reason,
                place: place_of_key(text, key).unwrap_or(0),
            });
        }
        let layouts: &Layouts = cache.get().expect("`new_cache` made it");
        layouts.normal_spelling(attribute).map_err(|reason| Flaw {
            place: Layouts::place_of_flaw(attribute, text).unwrap_or(0),
            reason: reason.to_string(),
        })
    }

    fn pretty_name(&self, cache: &LayoutCache, encoding: Attribute<'_>) -> Option<String> {
        let layouts: &Layouts = cache.get().expect("`new_cache` made it");
        layouts.encoding(encoding).ok().map(|e| e.pretty_name())
    }

    fn check_type(&self, cache: &LayoutCache, type_: Type<'_>) -> Result<(), String> {
        let layouts: &Layouts = cache.get().expect("`new_cache` made it");
        layouts
            .type_rules(type_)
            .map_err(|reason| reason.to_string())
    }

    fn layout(&self, cache: &LayoutCache, type_: Type<'_>) -> Result<LinearLayout, String> {
        let layouts: &Layouts = cache.get().expect("`new_cache` made it");
        layouts.of_type(type_).map_err(|reason| reason.to_string())
    }

    fn unknown_name(&self, kind: &str, dialect: &str, name: &str, known: &[String]) -> Complaint {
        crate::ir::unknown_name(kind, dialect, name, known)
    }

    fn wrong_key(&self, dialect: &str, family: &str, key: &str) -> Option<String> {
        error_of_key(dialect, family, key).map(|error| error.to_string())
    }

    fn canonicalize<'c>(&self, op: OperationRef<'c, '_>) -> Rewrite<'c> {
        canonical::rewrite(op)
    }

    fn verify_operation(&self, op: OperationRef<'_, '_>) -> Result<(), Vec<Complaint>> {
        verify::operation(op)
    }

    fn verify_attribute(&self, op: OperationRef<'_, '_>, name: &str) -> Result<(), Vec<Complaint>> {
        verify::attribute(op, name)
    }

    fn verify_same_encoding(
        &self,
        op: OperationRef<'_, '_>,
        results: bool,
    ) -> Result<(), Vec<Complaint>> {
        verify::same_encoding(op, results)
    }

    fn run_pass(
        &self,
        argument: &str,
        options: &str,
        module: OperationRef<'_, '_>,
    ) -> Result<String, Emitted> {
        let run = PASSES
            .iter()
            .find(|(name, _)| *name == argument)
            .map(|(_, run)| run);
        let Some(run) = run else {
            let known: Vec<&str> = PASSES.iter().map(|(name, _)| *name).collect();
            let complaint = Complaint::new(format!("has no pass `{argument}` in this library"))
                .note(format!("the passes are: {}", known.join(", ")));
            return Err(sys::emit_error(module, &complaint));
        };
        run(module, &Options::parse(options))
    }

    fn finish_pass(&self, argument: &str, module: OperationRef<'_, '_>) -> Result<(), Emitted> {
        if argument == "convert-layouts-to-llvm" {
            convert_layouts_to_llvm::finish(module)
        } else {
            Ok(())
        }
    }
}
