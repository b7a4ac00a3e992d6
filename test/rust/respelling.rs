//! Passes that only respell encodings preserve every layout of all kernels of the project.

use linear_layout::layout::Dim;
use linear_layout_mlir::ir::{Layouts, Recorder};
use linear_layout_mlir::sys::build;
use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, Module, OperationRef, ValueLike};
use melior::pass::PassManager;
use melior::utility::{parse_pass_pipeline, register_all_dialects};
use std::path::Path;

/// Appends the text of the layout of each result and block argument in `op` to `found`, in the order of the module
/// text. Register bases that are zero are omitted. For a value without a layout, an empty string is appended.
fn layouts(op: OperationRef<'_, '_>, found: &mut Vec<String>) {
    let cache = Layouts::of(op.context());
    let layout = |type_| {
        let Ok(layout) = cache.of_type(type_) else {
            return String::new();
        };
        let unique = layout.remove_zero_bases(Dim::REGISTER);
        unique.unwrap_or(layout).to_string()
    };
    found.extend(build::results(op).iter().map(|v| layout(v.r#type())));
    for region in 0..op.region_count() {
        for block in build::blocks(op, region) {
            let arguments = 0..block.argument_count();
            found.extend(arguments.map(|i| layout(build::argument(block, i).r#type())));
            for inner in build::operations(block) {
                layouts(inner, found);
            }
        }
    }
}

fn all_layouts(module: &Module<'_>) -> Vec<String> {
    let mut found = Vec::new();
    layouts(module.as_operation(), &mut found);
    found
}

#[test]
fn respelling_keeps_every_layout() {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    linear_layout_mlir::register_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    let recorder = Recorder::attach(&context);
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/kernels");
    let mut count = 0;
    for folder in ["sm_80", "sm_90", "gfx942", "convert"] {
        for entry in std::fs::read_dir(kernels.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let mut module = Module::parse(&context, &text).unwrap();
            let before = all_layouts(&module);
            for pass in ["convert-encodings-to-linear", "recognize-encodings"] {
                let manager = PassManager::new(&context);
                let pipeline = format!("builtin.module({pass})");
                parse_pass_pipeline(manager.as_operation_pass_manager(), &pipeline).unwrap();
                let done = manager.run(&mut module);
                assert!(done.is_ok(), "{}: {:?}", path.display(), recorder.take());
                assert_eq!(
                    before,
                    all_layouts(&module),
                    "{} after {pass}",
                    path.display()
                );
            }
            count += 1;
        }
    }
    assert!(count >= 32, "{count} kernels");
}
