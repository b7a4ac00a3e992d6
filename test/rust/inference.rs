//! Results of [`linear_layout_mlir::ir::infer`] for the operations of whole kernels, compared with their types, which
//! Triton's inference produced or accepted.

use linear_layout::encoding::{Encoding, infer::equivalent};
use linear_layout_mlir::ir::infer::{InferenceError, operand_encoding, result_encoding};
use linear_layout_mlir::ir::{Layouts, TensorType};
use linear_layout_mlir::sys::{self, build};
use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, RegionLike, Type, TypeLike, ValueLike};
use melior::utility::register_all_dialects;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder)
        .expect("a folder of the tests")
        .flatten()
    {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path
            .extension()
            .is_some_and(|e| e == "ttgir" || e == "mlir")
        {
            found.push(path);
        }
    }
}

fn walk<'c>(op: build::Op<'c>, visit: &mut dyn FnMut(build::Op<'c>)) {
    for region in op.regions() {
        let mut block = region.first_block();
        while let Some(current) = block {
            for inner in build::operations(current) {
                visit(inner);
                walk(inner, visit);
            }
            block = current.next_in_region();
        }
    }
}

/// Returns the shape and encoding of a type. Returns `None` if it is not a tensor with an encoding.
fn laid_out(type_: Type<'_>) -> Option<(Vec<u64>, Arc<Encoding>)> {
    let tensor = TensorType::of(type_)?;
    let encoding = Layouts::of(type_.context())
        .encoding(tensor.encoding?)
        .ok()?;
    Some((tensor.shape.to_vec(), encoding))
}

#[derive(Default)]
struct Tally {
    forward: usize,
    backward: usize,
    /// Number of checks in which the operand encoding that is inferred from the result differs from the actual one,
    /// but implies the same result encoding.
    ambiguous: usize,
}

/// Checks the inference of encodings in both directions: the result encoding that is inferred from operand `i`, and
/// the operand encoding that is inferred from the result.
fn check(op: build::Op<'_>, i: usize, place: &str, tally: &mut Tally) {
    let of_results = if i < op.result_count() { i } else { 0 };
    let (Some((shape, from)), Some((result_shape, to))) = (
        laid_out(build::operand(op, i).r#type()),
        laid_out(build::result(op, of_results).r#type()),
    ) else {
        return;
    };
    // A broadcast only requires that its operand and result have the same encoding.
    let is_broadcast = op.name().as_string_ref().as_str() == Ok("tt.broadcast");
    let result_shape = if is_broadcast {
        shape.clone()
    } else {
        result_shape
    };
    match result_encoding(op, i, &from) {
        Ok(inferred) => {
            assert!(
                equivalent(&inferred, &to, &result_shape),
                "{place}: operand {i} is {from}; inferred {inferred}, but the result is {to}"
            );
            tally.forward += 1;
        }
        Err(InferenceError::Independent) => return,
        Err(InferenceError::Impossible(reason)) => {
            panic!("{place}: operand {i}, forward: {reason}")
        }
    }
    match operand_encoding(op, i, &to) {
        Ok(inferred) if equivalent(&inferred, &from, &shape) => tally.backward += 1,
        // Another operand encoding may be inferred; it must produce the same result.
        Ok(inferred) => {
            let again = result_encoding(op, i, &inferred).expect("the inference goes both ways");
            assert!(
                equivalent(&again, &to, &result_shape),
                "{place}: result {to} gives operand {inferred}, which gives {again}"
            );
            tally.ambiguous += 1;
        }
        Err(reason) => panic!("{place}: operand {i}, backward: {reason}"),
    }
}

#[test]
fn inference_gives_the_types_of_whole_kernels() {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    linear_layout_mlir::register_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    context.load_all_available_dialects();

    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    files(&root.join("test/kernels"), &mut paths);
    files(&root.join("test/Dialect/Inputs"), &mut paths);
    paths.sort();
    let mut by_name: BTreeMap<String, Tally> = BTreeMap::new();
    for path in &paths {
        let text = std::fs::read_to_string(path).expect("a kernel is text");
        for piece in text.split("// -----") {
            let piece =
                sys::checked_input("-", piece.as_bytes().to_vec()).expect("its nesting is shallow");
            let module = sys::parse_input(&context, &piece)
                .unwrap_or_else(|| panic!("{} does not parse", path.display()));
            walk(module.as_operation(), &mut |op| {
                if op.result_count() == 0 {
                    return;
                }
                let name = op.name();
                let name = name.as_string_ref().as_str().unwrap_or_default().to_owned();
                let place = format!("{}: {name}", path.display());
                let tally = by_name.entry(name).or_default();
                for i in 0..op.operand_count() {
                    check(op, i, &place, tally);
                }
            });
        }
    }
    // Every kind of relation occurs, not only equality.
    for name in [
        "arith.addi",
        "tt.expand_dims",
        "tt.broadcast",
        "tt.trans",
        "tt.load",
        "tt.join",
    ] {
        let tally = by_name.get(name);
        assert!(
            tally.is_some_and(|t| t.forward > 0 && t.backward + t.ambiguous == t.forward),
            "no {name} was checked in {} kernels",
            paths.len()
        );
    }
    for name in ["ttg.convert_layout", "tt.splat", "tt.make_range"] {
        assert_eq!(
            by_name.get(name).map_or(0, |t| t.forward),
            0,
            "{name} is free"
        );
    }
}
