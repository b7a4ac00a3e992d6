//! Rebuilt operations keep their attributes.

use super::emit::attributes_of;
use super::{LoweringOptions, lower_module};
use crate::ir::ModuleInfo;
use crate::sys::build::{self, Op};
use crate::sys::{self, Rewriter};
use melior::Context;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{BlockLike, Module, RegionLike};
use std::collections::{HashMap, HashSet};

const MARK: &str = "mark.number";

pub(super) fn context() -> Context {
    let context = crate::testing::context();
    context.set_allow_unregistered_dialects(true);
    context
}

fn name_of(op: Op<'_>) -> String {
    let name = op.name();
    name.as_string_ref().as_str().unwrap_or_default().to_owned()
}

fn below<'c>(op: Op<'c>, all: &mut Vec<Op<'c>>) {
    all.push(op);
    for region in op.regions() {
        let mut block = region.first_block();
        while let Some(current) = block {
            for op in build::operations(current) {
                below(op, all);
            }
            block = current.next_in_region();
        }
    }
}

fn attribute_texts(op: Op<'_>) -> HashMap<String, String> {
    attributes_of(op)
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_string()))
        .collect()
}

/// Returns true if the attribute `key = wanted` is in `found`. In `found`, the attribute may have LLVM's spelling
/// and additional fast-math flags. An attribute with its default value may be missing in `found`.
fn is_kept((key, wanted): (&str, &str), found: &HashMap<String, String>) -> bool {
    let flags = |text: &str| -> Option<Vec<String>> {
        let (_, inside) = text.strip_suffix('>')?.split_once('<')?;
        Some(inside.split(',').map(|f| f.trim().to_owned()).collect())
    };
    if found.get(key).is_some_and(|found| found == wanted) {
        return true;
    }
    // Rounding to nearest even is the default.
    if (key, wanted) == ("roundingmode", "0 : i32") {
        return true;
    }
    let name = match wanted {
        "#arith.overflow<none>" => return true,
        _ if wanted.starts_with("#arith.fastmath") => "fastmathFlags",
        _ => return false,
    };
    let found = [key, name]
        .iter()
        .find_map(|name| flags(found.get(*name)?))
        .unwrap_or_default();
    flags(wanted).is_some_and(|wanted| wanted.iter().all(|f| f == "none" || found.contains(f)))
}

/// Operations that are lowered to different operations, so that their attributes are not checked.
const REPLACED: [&str; 5] = [
    "arith.addui_extended",
    "arith.bitcast",
    "arith.constant",
    "arith.mulsi_extended",
    "arith.mului_extended",
];

/// Lowers a module, and checks that its `arith` and `math` operations keep their attributes. Returns the number of
/// checked operations.
fn check(text: &str, what: &str) -> usize {
    let context = context();
    let mut module = Module::parse(&context, text).expect("the module is valid");
    sys::rewrite(&mut module, |rewriter, root| {
        check_lowered_attributes(rewriter, root, what)
    })
}

fn check_lowered_attributes<'c>(rewriter: Rewriter<'c>, root: Op<'c>, what: &str) -> usize {
    let mut before = Vec::new();
    below(root, &mut before);
    let mut wanted = HashMap::new();
    for (number, op) in (0..).zip(before) {
        let name = name_of(op);
        let dialect = name.split('.').next().unwrap_or_default();
        if ["arith", "math"].contains(&dialect) && !REPLACED.contains(&&*name) {
            let mark =
                IntegerAttribute::new(IntegerType::new(build::context(op), 64).into(), number);
            rewriter.set_attribute(op, MARK, mark.into());
            wanted.insert(number, (name, attribute_texts(op)));
        }
    }
    lower_module(
        rewriter,
        root,
        ModuleInfo::gpu(root, None),
        LoweringOptions::default(),
    )
    .unwrap_or_else(|_| panic!("{what} lowers"));
    let mut after = Vec::new();
    below(root, &mut after);
    let mut met = HashSet::new();
    for op in after {
        let Some(number) = build::integer_attribute(op, MARK) else {
            continue;
        };
        met.insert(number);
        let (name, attributes) = &wanted[&number];
        let found = attribute_texts(op);
        for (key, value) in attributes {
            let has = is_kept((key, value), &found);
            assert!(has, "{what}: `{name}` loses `{key} = {value}`: {op}");
        }
    }
    for (number, (name, attributes)) in &wanted {
        assert!(
            met.contains(number),
            "{what}: `{name}` loses {attributes:?}"
        );
    }
    met.len()
}

#[test]
fn kernels_keep_the_attributes_of_rebuilt_operations() {
    let mut count = 0;
    for gpu in ["sm_80", "sm_90", "gfx942"] {
        for kernel in ["vector_add", "transpose"] {
            let path = format!(
                "{}/test/kernels/{gpu}/{kernel}.ttgir",
                env!("CARGO_MANIFEST_DIR")
            );
            let text = std::fs::read_to_string(&path).expect("the kernel is there");
            count += check(&text, &path);
        }
    }
    assert!(count > 20, "{count}");
}

/// Checks that elementwise operations keep their flags. Functions such as `math.exp` have the flag `afn` in this
/// test. Without `afn`, they would be expanded, and the expansions have the same error bounds for all flags.
#[test]
fn flags_of_elements_are_kept() {
    let integers = [
        "arith.addi %i, %j overflow<nsw, nuw>",
        "arith.subi %i, %j overflow<nsw>",
        "arith.muli %i, %j overflow<nuw>",
        "arith.shli %i, %j overflow<nsw>",
        "arith.shrui %i, %j exact",
        "arith.shrsi %i, %j exact",
        "arith.divui %i, %j exact",
        "arith.divsi %i, %j exact",
        "math.ctlz %i",
    ];
    let floats = [
        "arith.addf %x, %y fastmath<contract,nnan>",
        "arith.mulf %x, %y fastmath<reassoc>",
        "arith.divf %x, %y fastmath<arcp>",
        "arith.negf %x fastmath<nsz>",
        "arith.maximumf %x, %y fastmath<nnan,ninf>",
        "math.exp %x fastmath<nnan,afn>",
        "math.log %x fastmath<ninf,afn>",
        "math.exp2 %x fastmath<fast>",
        "math.sin %x fastmath<nsz,afn>",
        "math.sqrt %x fastmath<contract>",
        "math.fma %x, %y, %x fastmath<nnan>",
    ];
    let mut body = String::new();
    for (list, value, type_, pointer) in [
        (
            &integers[..],
            "i",
            "tensor<128xi32, #b>",
            "tensor<128x!tt.ptr<i32>, #b>",
        ),
        (
            &floats[..],
            "x",
            "tensor<128xf32, #b>",
            "tensor<128x!tt.ptr<f32>, #b>",
        ),
    ] {
        for (n, op) in list.iter().enumerate() {
            body += &format!("%r{value}{n} = {op} : {type_}\n");
            body += &format!("tt.store %p{value}, %r{value}{n} : {pointer}\n");
        }
    }
    for target in ["cuda:90", "hip:gfx1100"] {
        let text = format!(
            r#"#b = #ttg.blocked<{{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}}>
            module attributes {{"ttg.num-warps" = 4 : i32, ttg.target = "{target}", "ttg.threads-per-warp" = 32 : i32}} {{
            tt.func public @k(%a: !tt.ptr<i32>, %b: !tt.ptr<f32>, %n: i32) {{
              %i = tt.make_range {{start = 0 : i32, end = 128 : i32}} : tensor<128xi32, #b>
              %j = tt.splat %n : i32 -> tensor<128xi32, #b>
              %sa = tt.splat %a : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #b>
              %pi = tt.addptr %sa, %i : tensor<128x!tt.ptr<i32>, #b>, tensor<128xi32, #b>
              %sb = tt.splat %b : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
              %px = tt.addptr %sb, %i : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
              %w = arith.extui %j {{nonNeg}} : tensor<128xi32, #b> to tensor<128xi64, #b>
              %x = arith.uitofp %w : tensor<128xi64, #b> to tensor<128xf32, #b>
              %d = arith.extf %x fastmath<contract> : tensor<128xf32, #b> to tensor<128xf64, #b>
              %y = arith.truncf %d to_nearest_even : tensor<128xf64, #b> to tensor<128xf32, #b>
              {body}
              %c = arith.cmpf olt, %x, %y fastmath<nnan> : tensor<128xf32, #b>
              %s = arith.select %c, %i, %j : tensor<128xi1, #b>, tensor<128xi32, #b>
              %f = scf.for unsigned %k = %n to %n step %n iter_args(%v = %s) -> (tensor<128xi32, #b>) : i32 {{
                %g = arith.cmpi ult, %k, %n : i32
                %h = scf.if %g -> tensor<128xi32, #b> {{
                  scf.yield %v : tensor<128xi32, #b>
                }} else {{
                  scf.yield %j : tensor<128xi32, #b>
                }}
                scf.yield %h : tensor<128xi32, #b>
              }} {{tt.num_stages = 3 : i32}}
              %u = scf.while (%v = %f) : (tensor<128xi32, #b>) -> tensor<128xi32, #b> {{
                %g = arith.cmpi slt, %n, %n : i32
                scf.condition(%g) %v : tensor<128xi32, #b>
              }} do {{
              ^bb0(%v: tensor<128xi32, #b>):
                scf.yield %v : tensor<128xi32, #b>
              }}
              tt.store %pi, %u : tensor<128x!tt.ptr<i32>, #b>
              tt.return
            }}
            }}"#
        );
        assert!(check(&text, target) > integers.len() + floats.len());
    }
}
