//! Error texts without another test, and a check that every text has a test.

use linear_layout::encoding::{Encoding, EncodingError, LinearEncoding, infer};
use linear_layout::layout::{
    AffineLayout, Dim, LayoutError, LinearLayout, RegisterPermutation, Surjectivity,
    ensure_not_smaller_than,
};

use linear_layout::plan::{PlanOptions, plan_conversion};
use linear_layout::target::Target;

use crate::files::{files, read};

const D0: Dim = Dim::out(0);
const D1: Dim = Dim::out(1);

fn id(size: u64, i: Dim, o: Dim) -> LinearLayout {
    LinearLayout::identity_1d(size, i, o).unwrap()
}

#[track_caller]
fn rejects<T: std::fmt::Debug>(result: Result<T, LayoutError>, text: &str, dim: Option<Dim>) {
    let e = result.unwrap_err();
    assert_eq!(e.to_string(), text);
    assert_eq!(e.dim(), dim);
}

#[test]
fn layouts_with_dims_in_another_order_do_not_fit() {
    let (r, l) = (Dim::REGISTER, Dim::LANE);
    let rows = id(2, r, D0).product(&id(2, l, D1)).unwrap();
    let swapped = id(2, l, D1).product(&id(2, r, D0)).unwrap();
    let other = Dim::WARP;
    rejects(
        rows.concat_ins(&swapped.rename_in(r, other).unwrap()),
        "found out-dim `dim1`; expected out-dim `dim0`",
        Some(D1),
    );
    rejects(
        rows.concat_outs(&swapped.rename_out(D0, Dim::out(2)).unwrap()),
        "found in-dim `lane`; expected in-dim `register`",
        Some(l),
    );
    let action = RegisterPermutation::identity(r, 1).unwrap();
    rejects(
        action.left_compose(&RegisterPermutation::identity(l, 1).unwrap()),
        "found in-dim `lane`; expected in-dim `register`",
        Some(l),
    );
    rejects(
        RegisterPermutation::for_division(&rows, &id(2, l, D1), true),
        "found in-dim `lane`; expected in-dim `register`",
        Some(l),
    );
}

#[test]
fn products_say_which_limit_they_exceed() {
    let (r, l) = (Dim::REGISTER, Dim::LANE);
    let (a, b) = (id(1 << 40, r, D0), id(1 << 30, r, D0));
    let text = "in-dim `register` has 70 bits; expected at most 63";
    rejects(a.product(&b), text, Some(r));
    let text = "with in-dim `lane`, the in-dims have 70 bits in total; expected at most 64";
    rejects(a.product(&id(1 << 30, l, D1)), text, Some(l));
    let text = "with in-dim `lane`, the in-dims have 70 bits in total; expected at most 64";
    let two = id(1, r, D1).product(&id(1 << 30, l, D0)).unwrap();
    rejects(a.product(&two), text, Some(l));
    let many = (0..16).fold(LinearLayout::empty(), |many, i| {
        many.product(&id(1, Dim::out(i), D0)).unwrap()
    });
    rejects(
        many.product(&id(1, l, D0)),
        "the layout has too many in-dims; expected at most 16",
        None,
    );
    let two = id(1, l, D0).product(&id(1, r, D1)).unwrap();
    rejects(
        many.product(&two),
        "the layout has too many in-dims; expected at most 16",
        None,
    );
}

#[test]
fn lists_of_values_have_one_for_each_slot() {
    let r = Dim::REGISTER;
    let action = RegisterPermutation::new(&[1, 0], r, 2).unwrap();
    let (mut three, mut four) = ([0; 3], [0; 4]);
    let text = "found 3 values along `register`; expected 4";
    rejects(action.apply_values(&[1, 2, 3], &mut four), text, Some(r));
    let values = [1, 2, 3, 4];
    rejects(action.apply_values(&values, &mut three), text, Some(r));
    let broadcast =
        LinearLayout::from_columns(&[(r, 4)], &[(D0, 2)], &[1, 0], Surjectivity::Required).unwrap();
    rejects(
        broadcast.broadcast_values(r, &[1, 2, 3], &mut four),
        "found 3 values along `register`; expected 2",
        Some(r),
    );
    rejects(
        broadcast.broadcast_values(r, &[1, 2], &mut three),
        text,
        Some(r),
    );
}

#[test]
fn other_layout_errors() {
    let l = id(4, Dim::LANE, D0);
    let nd = |order: &[usize]| LinearLayout::identity_nd(Dim::OFFSET, &[4], order);
    let text = "the order names 2 dims; expected 1";
    rejects(nd(&[1, 0]), text, None);
    rejects(l.transpose_standard(&[0, 1]), text, None);
    let text = "dim 3 does not exist; expected less than 1, the rank";
    rejects(nd(&[3]), text, None);
    rejects(l.transpose_standard(&[3]), text, None);
    rejects(l.remove_standard_dim(3), text, None);
    let registers = id(2, Dim::REGISTER, D0)
        .concat_outs(&LinearLayout::zeros_1d(2, Dim::REGISTER, D1, 2).unwrap());
    rejects(
        RegisterPermutation::additive_strides(&registers.unwrap(), &l, 0),
        "the layout has 2 out-dims; expected 1",
        None,
    );
    rejects(
        Dim::try_named(&"x".repeat(257)),
        "a dim name of 257 bytes is too long; expected at most 256",
        None,
    );
    let flat = LinearLayout::zeros_1d(2, Dim::LANE, D0, 2).unwrap();
    let two = id(2, Dim::LANE, D0).concat_outs(&flat.rename_out(D0, D1).unwrap());
    let moved = AffineLayout::new(two.unwrap(), &[(D0, 0), (D1, 1)]).unwrap();
    rejects(
        moved.invert(),
        "layout is not invertible: it has 1 input bits, 2 output bits and rank 1; expected these to be equal",
        None,
    );
    let point = AffineLayout::new(flat.clone(), &[(D0, 1)]).unwrap();
    rejects(
        AffineLayout::from(flat).invert_and_compose(&point),
        "the offset is outside the image of the layout to be inverted",
        None,
    );
    let outs = LinearLayout::from_columns(&[], &[(D0, 2)], &[], Surjectivity::NotRequired).unwrap();
    rejects(
        ensure_not_smaller_than(&outs, &[(D0, 4)]),
        "the layout has no in-dim; expected at least one",
        None,
    );
}

/// Returns the error of parsing an encoding. If the text can be parsed, returns the error of computing its layout
/// for the shape.
fn error(text: &str, shape: &[u64]) -> EncodingError {
    match text.parse::<Encoding>() {
        Ok(encoding) => encoding.to_linear_layout(shape).unwrap_err(),
        Err(e) => e,
    }
}

const BLOCKED: &str = "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], \
                       warpsPerCTA = [1, 1], order = [1, 0]}>";
const SHARED: &str = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>";

#[test]
fn encodings_that_do_not_fit_together() {
    let rejects = |text: String, shape: &[u64], message: &str| {
        let e = error(&text, shape);
        assert_eq!(e.to_string(), message, "{text}");
    };
    rejects(
        "#ttg.tile<{}>".to_owned(),
        &[],
        "unknown encoding `#ttg.tile`; the known encodings are `#ttg.blocked`, `#ttg.slice`, `#ttg.linear`, \
         `#ttg.generic_linear`, `#ttg.dot_op`, `#ttg.nvidia_mma`, `#ttg.amd_mfma`, `#ttg.amd_wmma`, \
         `#ttg.swizzled_shared`, `#ttg.amd_rotating_shared`, `#ttg.padded_shared`, \
         `#ttg.partitioned_shared`, `#ttg.nvmma_shared`, `#ttg.shared_linear`, \
         `#ttng.tensor_memory_encoding`, `#ttng.tensor_memory_scales_encoding`, `#cute.layout`, `#tilus.register`",
    );
    rejects(
        "#ttg.bloked<{}>".to_owned(),
        &[],
        "unknown encoding `#ttg.bloked`; the nearest is `#ttg.blocked`",
    );
    rejects(
        "#ttg.tensor_memory_encoding<>".to_owned(),
        &[],
        "unknown encoding `#ttg.tensor_memory_encoding`; the nearest is `#ttng.tensor_memory_encoding`",
    );
    rejects(
        "#ttg.slice<{dim = 0, parnt = #ttg.linear<{}>}>".to_owned(),
        &[],
        "unexpected key `parnt` in `slice`; the nearest key is `parent`",
    );
    rejects(
        "#ttg.swizzled_shared<{vec = 4294967296, perPhase = 1, maxPhase = 1, order = [0]}>".into(),
        &[],
        "number at byte 28 does not fit into 32 bits; expected 0 to 4294967295",
    );
    rejects(
        format!("#ttg.slice<{{dim = 0, parent = {SHARED}}}>"),
        &[],
        "`parent` is a `swizzled_shared`, expected a distributed encoding",
    );
    rejects(
        format!("#ttg.dot_op<{{opIdx = 0, parent = {SHARED}}}>"),
        &[],
        "`parent` is a `swizzled_shared`, expected `blocked`, `nvidia_mma`, `amd_mfma` or `amd_wmma`",
    );
    rejects(
        "#ttg.linear<{register = [[1, 0], [2]], lane = [], warp = [], block = []}>".into(),
        &[],
        "basis [2] of `register` has length 1, expected length 2: one number for each dim",
    );
    rejects(
        "#ttg.linear<{register = [[1, 0], [1, 1]], lane = [], warp = [], block = []}>".into(),
        &[],
        "basis [1, 1] of `register` is invalid, expected all zeros or zeros with one power of two",
    );
    rejects(
        "#ttg.generic_linear<{register = [], lane = [[1, 1], [0, 1]], warp = [], block = []}>"
            .into(),
        &[],
        "basis [1, 1] of `lane` steps along several dims, expected at most one dim; only bases of `warp` may step \
         along several dims",
    );
    rejects(
        "#ttg.generic_linear<{register = [[3], [1]], lane = [], warp = [], block = []}>".into(),
        &[],
        "basis [3] of `register` has a step that is not a power of two; only `lane` and `warp` allow other \
         steps",
    );
    rejects(
        "#ttg.linear<{register = [[1], [1]], lane = [], warp = [], block = []}>".into(),
        &[],
        "basis [1] of `register` depends linearly on earlier bases, expected a linearly independent basis; write \
         zeros for copies, or drop the basis",
    );
    rejects(
        "#ttg.shared_linear<{offset = [[1], [1]]}, alignment = 16>".into(),
        &[],
        "basis [1] of `offset` depends linearly on earlier bases, expected a linearly independent basis; write \
         zeros for copies, or drop the basis",
    );
    rejects(
        "#ttg.padded_shared<[8:+1, 8:+2] {offset = [[1], [2]], block = []}>".into(),
        &[],
        "`interval` 8 is given twice, expected one padding for each interval",
    );
    rejects(
        BLOCKED.to_owned(),
        &[1 << 31, 1 << 32],
        "shape has 2^63 elements or more, expected at most 2^62 in total and 2^31 along each dim",
    );
    let zeros = |count: usize| vec!["[0]"; count].join(", ");
    rejects(
        format!(
            "#ttg.linear<{{register = [{}], lane = [{}], warp = [], block = []}}>",
            zeros(33),
            zeros(32)
        ),
        &[],
        "`linear` has 65 bases, expected at most 64",
    );
    let boxes = "#ttg.blocked<{sizePerThread = [2147483648, 2147483648], threadsPerWarp = [32, 1], \
                 warpsPerCTA = [1, 1], order = [1, 0]}>";
    rejects(
        boxes.replace("2147483648", "1073741824"),
        &[1, 1],
        "the layout has too many bases, expected at most 64 in total and 62 for each in-dim; make the \
         encoding or the shape smaller",
    );
    rejects(
        "#ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 8, \
         fp4Padded = true}>"
            .to_owned(),
        &[64, 64],
        "`nvmma_shared` cannot be converted to a linear layout: `fp4Padded` is true with `swizzlingByteWidth` 0 and \
         `elementBitWidth` 8, expected 128 and 8",
    );
}

#[test]
fn inference_says_why_there_is_no_answer() {
    let blocked: Encoding = BLOCKED.parse().unwrap();
    let text = |result: Result<Encoding, EncodingError>| {
        let e = result.unwrap_err();
        assert!(e.is_inference(), "{e}");
        e.to_string()
    };
    assert_eq!(
        text(infer::reshape(&blocked, &[4, 8], &[4, 4])),
        "`reshape` turns 32 elements into 16; expected the same number of elements"
    );
    assert_eq!(
        text(infer::reduce(&blocked, usize::MAX)),
        format!(
            "`reduce` has axis {}, expected less than 2, the rank",
            usize::MAX
        )
    );
    assert_eq!(
        text(infer::expand_dims(&blocked, 0)),
        "cannot infer an encoding through `expand_dims`: the operand is not a `slice`; convert the \
         operand to a `slice` along the axis"
    );
}

#[test]
fn what_layouts_spell_no_encoding() {
    let text = |e: EncodingError| e.to_string();
    let only_lane = id(4, Dim::LANE, D0);
    assert_eq!(
        text(LinearEncoding::new(only_lane).unwrap_err()),
        "`linear` has the wrong in-dims or out-dims, expected register, lane, warp, block -> dim0, dim1, ..."
    );
    let blocks_first = "#ttg.shared_linear<{offset = [[2]], block = [[1]]}, alignment = 16>";
    assert_eq!(
        text(
            blocks_first
                .parse::<Encoding>()
                .unwrap()
                .cga_layout()
                .unwrap_err()
        ),
        "basis [1] of `block` is not a step past the tile of one CTA along one dim, expected contiguous \
         CTA tiles"
    );
}

#[test]
fn conversions_of_too_many_threads() {
    let (r, l, w) = (Dim::REGISTER, Dim::LANE, Dim::WARP);
    let layout = [(2, r), (32, l), (128, w), (1, Dim::BLOCK)]
        .into_iter()
        .fold(LinearLayout::empty(), |all, (size, dim)| {
            all.product(&id(size, dim, D0)).unwrap()
        });
    let target = Target::parse("cuda:90").unwrap();
    assert_eq!(
        plan_conversion(&layout, &layout, 32, target, &PlanOptions::new())
            .unwrap_err()
            .to_string(),
        "the layouts have 4096 threads per CTA: expected at most 2048"
    );
}

#[test]
fn conversions_of_too_many_registers() {
    let (r, l, w) = (Dim::REGISTER, Dim::LANE, Dim::WARP);
    let layout = [(1 << 24, r), (32, l), (4, w), (1, Dim::BLOCK)]
        .into_iter()
        .fold(LinearLayout::empty(), |all, (size, dim)| {
            all.product(&id(size, dim, D0)).unwrap()
        });
    let target = Target::parse("cuda:90").unwrap();
    assert_eq!(
        plan_conversion(&layout, &layout, 32, target, &PlanOptions::new())
            .unwrap_err()
            .to_string(),
        "the layouts have 2^31 elements per CTA, or 2^31 registers per thread; expected at most 2^28 of each"
    );
}

/// Returns one text for each string literal in `source`, a file that contains error texts: the longest part of the
/// literal between placeholders. Short parts and single words are omitted.
fn fixed_texts(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//") && !line.contains("reason = "));
    let body = lines.collect::<Vec<_>>().join("\n");
    let mut texts = Vec::new();
    for literal in body.split('"').skip(1).step_by(2) {
        let longest = joined(literal)
            .replace("\\n", "\n")
            .split(['{', '}'])
            .step_by(2)
            .max_by_key(|piece| piece.len())
            .unwrap_or_default()
            .to_owned();
        // A single word is a key, or the name of a type in its `Debug` form.
        if longest.len() > 8 && longest.trim().contains(' ') {
            texts.push(longest);
        }
    }
    texts
}

fn joined(text: &str) -> String {
    let mut parts = text.split("\\\n");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        all += part.trim_start();
    }
    all
}

/// Returns the part of a file that counts as tests. For a test file, this is the whole text; for other files, it
/// consists of the comments and the code after `#[cfg(test)]`.
fn tested_text(path: &std::path::Path) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let in_tests = path.components().any(|c| c.as_os_str() == "test");
    if in_tests || path.file_name().is_some_and(|name| name == "tests.rs") {
        return text;
    }
    let docs = text
        .lines()
        .filter(|line| line.trim_start().starts_with("//"));
    let mut tested: String = docs.collect::<Vec<_>>().join("\n");
    if let Some((_, tests)) = text.split_once("#[cfg(test)]") {
        tested += tests;
    }
    tested
}

#[test]
fn every_error_text_has_a_test() {
    let tested: String = files("crates", &["rs"])
        .iter()
        .chain(&files("test", &["rs", "mlir"]))
        .map(|path| joined(&tested_text(path)))
        .collect();
    let mut untested = Vec::new();
    for file in [
        "crates/linear-layout/src/layout/error.rs",
        "crates/linear-layout/src/encoding/error.rs",
        "crates/linear-layout/src/plan/convert/error.rs",
        "crates/linear-layout/src/plan/memory/error.rs",
    ] {
        let texts = fixed_texts(&read(file));
        assert!(!texts.is_empty(), "{file} has texts");
        untested.extend(texts.into_iter().filter(|text| !tested.contains(text)));
    }
    assert!(untested.is_empty(), "no test shows {untested:#?}");
}
