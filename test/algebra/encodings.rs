//! Encodings against the vectors in `test/golden/encodings*.jsonl`, and limits.

use crate::batch;
use crate::files::root;
use std::collections::BTreeMap;

use linear_layout::encoding::{Aliases, Encoding, EncodingError, MAX_RANK};
use linear_layout::layout::LinearLayout;
use serde_json::Value;

const VECTORS: &str = include_str!("../golden/encodings.jsonl");
const RANDOM: &str = include_str!("../golden/encodings_random.jsonl");

fn layout(text: &str, shape: &[u64]) -> Result<(Encoding, LinearLayout), EncodingError> {
    let encoding: Encoding = text.parse()?;
    let layout = encoding.to_linear_layout(shape)?;
    Ok((encoding, layout))
}

fn check_case(case: &Value) -> Result<(), String> {
    let text = case["enc"].as_str().unwrap();
    let expected = case.get("bases");
    let shape: Vec<u64> = match (case.get("shape"), expected) {
        (Some(shape), _) => serde_json::from_value(shape.clone()).unwrap(),
        (None, Some(bases)) => batch::linear::shape_of_bases(bases).unwrap(),
        (None, None) => return Err("a rejected case without a shape".to_owned()),
    };
    let (encoding, layout) = match (layout(text, &shape), expected) {
        (Ok((_, layout)), None) => return Err(format!("expected an error, got {layout}")),
        (Err(_), None) => return Ok(()),
        (Err(e), Some(_)) => return Err(e.to_string()),
        (Ok(found), Some(_)) => found,
    };
    if expected != Some(&batch::linear::bases_by_dim(&layout).into()) {
        return Err(format!("expected {expected:?}, got {layout}"));
    }
    let sizes: Vec<u64> = layout.out_shape().map(|(_, size)| size).collect();
    match case.get("out_dims") {
        Some(outs) => {
            for (dim, size) in layout.out_shape() {
                if outs[dim.name()].as_u64() != Some(size) {
                    return Err(format!("expected sizes {outs}, got {sizes:?}"));
                }
            }
        }
        None if sizes != shape => return Err(format!("expected sizes {shape:?}, got {sizes:?}")),
        None => {}
    }
    if let Some(pairs) = case.get("interval_padding") {
        let Encoding::PaddedShared(padded) = &encoding else {
            return Err("expected a padded encoding".to_owned());
        };
        let pairs: Vec<(u32, u32)> = serde_json::from_value(pairs.clone()).unwrap();
        if pairs != padded.interval_paddings() {
            return Err(format!("expected paddings {pairs:?}"));
        }
    }
    let printed = encoding.to_string();
    if printed.parse().as_ref() != Ok(&encoding) {
        return Err(format!(
            "prints as {printed}, which is read as something else"
        ));
    }
    Ok(())
}

#[track_caller]
fn check_file(text: &str, count: usize) {
    let mut failures = Vec::new();
    let cases: Vec<Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(cases.len(), count);
    for case in &cases {
        if let Err(e) = check_case(case) {
            failures.push(format!("{} on {}: {e}", case["enc"], case["shape"]));
        }
    }
    let first: Vec<_> = failures.iter().take(5).collect();
    assert!(
        failures.is_empty(),
        "{} of {count} cases fail, such as {first:#?}",
        failures.len()
    );
}

#[test]
fn vectors_of_the_reference() {
    check_file(VECTORS, 3290);
}

#[test]
fn random_cases_of_the_reference() {
    check_file(RANDOM, 765);
}

#[test]
fn text_is_read_in_any_order_and_spacing() {
    let canonical = "#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 4], \
                     threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>}>";
    let loose = "\n#ttg.slice <{ parent=#ttg . blocked<{}>".replace(" . blocked<{}>", ".blocked < {order=[1,0] , // fast first\n \
                 warpsPerCTA = [4 : i32,1], \"threadsPerWarp\"= [0x2,16],sizePerThread=[1,4], CGALayout=[]} >")
        + ",dim=1}> ";
    assert_eq!(loose.parse::<Encoding>().unwrap().to_string(), canonical);
    assert_eq!(
        canonical.parse::<Encoding>().unwrap().to_string(),
        canonical
    );
}

#[test]
fn aliases_name_encodings_in_other_encodings() {
    let aliases = Aliases::parse(
        "#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>\n\
         #mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>\n\
         #dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>",
    )
    .unwrap();
    let dot = Encoding::parse(
        "#ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>",
        &aliases,
    );
    assert_eq!(aliases.get("dot"), dot.as_ref().ok());
    let unknown = Encoding::parse("#nothing", &aliases).unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "alias `#nothing` is not defined; define it with `#nothing = ...` first"
    );
    let twice = Aliases::parse(
        "#a = #ttng.tensor_memory_scales_encoding<> #a = #ttng.tensor_memory_scales_encoding<>",
    );
    assert_eq!(
        twice.unwrap_err().to_string(),
        "alias `#a` is defined twice"
    );
}

#[track_caller]
fn rejects(text: &str, shape: &[u64], message: &str) {
    let error = layout(text, shape).unwrap_err().to_string();
    assert!(error.contains(message), "{error}");
}

#[test]
fn errors_say_what_is_wrong_and_what_would_be_right() {
    let b = |fields: &str| format!("#ttg.blocked<{{{fields}}}>");
    let rest = "threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]";
    rejects(
        "",
        &[],
        "expected an encoding `#ttg...` at byte 0, found the end of the text",
    );
    rejects("#ttg.swizzle<{}>", &[], "unknown encoding `#ttg.swizzle`");
    rejects("#tt.blocked<{}>", &[], "unknown encoding `#tt.blocked`");
    rejects(
        &b("size = [1]"),
        &[],
        "unexpected key `size` in `blocked`; the keys are `sizePerThread`",
    );
    rejects(
        &b("order = [0], order = [0]"),
        &[],
        "key `order` is given twice",
    );
    rejects(
        &b("order = [0]"),
        &[],
        "`blocked` requires the key `sizePerThread`",
    );
    rejects(&b("order = [-1]"), &[], "is -1, expected zero or more");
    rejects(&b("order = [4294967296]"), &[], "does not fit into 32 bits");
    rejects(&b("order = [1 2]"), &[], "expected `,` or `]` at byte");
    rejects(
        &b(&format!("sizePerThread = [1], {rest}")),
        &[],
        "`threadsPerWarp` has rank 2, expected 1 to match `sizePerThread`",
    );
    rejects(
        &b(&format!("sizePerThread = [1, 6], {rest}")),
        &[],
        "`sizePerThread[1]` is 6, expected a power of two; the nearest ones are 4 and 8",
    );
    rejects(
        &b(
            "sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 1]",
        ),
        &[],
        "`order` is [1, 1], expected a permutation of [1, 0]",
    );
    let good = b(&format!("sizePerThread = [1, 4], {rest}"));
    rejects(
        &good,
        &[64],
        "shape has rank 1, but the `blocked` encoding has rank 2",
    );
    rejects(
        &good,
        &[64, 12],
        "shape has 12 elements along dim1, expected a power of two",
    );
    rejects(&good, &[0, 16], "shape has 0 elements along dim0");
    rejects(
        "#ttg.linear<{register = [[1, 2]], lane = [], warp = [], block = []}>",
        &[2, 4],
        "the bases of `linear` do not reach element [1, 0]; add the basis [1, 0], or \
         replace a larger basis by it",
    );
    rejects(
        "#ttg.linear<{register = [[0, 1], [1, 1]], lane = [], warp = [], block = []}>",
        &[2, 2],
        "basis [1, 1] of `register` is invalid, expected all zeros",
    );
    rejects(
        &format!("#ttg.slice<{{dim = 2, parent = {good}}}>"),
        &[64],
        "`dim` is 2, expected less than 2, the rank of the parent",
    );
    rejects(
        &format!("#ttg.dot_op<{{opIdx = 0, parent = {good}, kWidth = 2}}>"),
        &[64, 64],
        "`kWidth` is 2, expected 0 with a `blocked` parent",
    );
    rejects(
        "#ttg.amd_wmma<{version = 2, ctaLayout = {warp = []}, instrShape = [16, 16, 4]}>",
        &[16, 16],
        "instruction shape [16, 16, 4] does not exist for `amd_wmma`; expected [16, 16, 16] or [16, 16, 32] in version 2",
    );
    rejects(
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>",
        &[64, 32],
        "shape has 32 elements along the contiguous dim of one CTA, expected a multiple of 64 for `nvmma_shared`",
    );
    rejects(
        "#ttg.shared_linear<{offset = [[1]]}, alignment = 16>",
        &[4],
        "shape has 4 elements along dim0, but the `shared_linear` encoding has exactly 2",
    );
    rejects(
        "#ttng.tensor_memory_encoding<blockM = 32, blockN = 32, colStride = 1>",
        &[64, 64],
        "`blockM` is 32, expected 64 or 128",
    );
}

#[test]
fn no_shape_and_no_cut_text_makes_a_panic() {
    let sizes = [
        0,
        1,
        2,
        3,
        16,
        1 << 30,
        1 << 31,
        1 << 32,
        1 << 62,
        1 << 63,
        u64::MAX,
    ];
    let mut seen = std::collections::HashSet::new();
    for line in VECTORS.lines().step_by(7).chain(RANDOM.lines().step_by(3)) {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = case["enc"].as_str().unwrap();
        for end in (0..text.len())
            .step_by(5)
            .filter(|e| text.is_char_boundary(*e))
        {
            let _ = text[..end].parse::<Encoding>();
        }
        let Ok(encoding) = text.parse::<Encoding>() else {
            continue;
        };
        if !seen.insert(text.to_owned()) {
            continue;
        }
        for rank in 0..MAX_RANK + 2 {
            for (i, size) in sizes.iter().enumerate() {
                let mut shape = vec![*size; rank];
                let _ = encoding.to_linear_layout(&shape);
                if let Some(last) = shape.last_mut() {
                    *last = sizes[(i + 5) % sizes.len()];
                }
                let _ = encoding.to_linear_layout(&shape);
            }
        }
    }
}

#[test]
fn the_largest_dim_and_the_largest_rank_have_layouts() {
    let one = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>";
    let (_, l) = layout(one, &[1 << 31]).unwrap();
    assert_eq!(l.total_out_bits(), 31);
    assert!(layout(one, &[1 << 32]).is_err());
    let ones = "[1, 1, 1, 1, 1, 1]";
    let six = format!(
        "#ttg.blocked<{{sizePerThread = {ones}, threadsPerWarp = {ones}, warpsPerCTA = {ones}, order = [5, 4, 3, 2, 1, 0]}}>"
    );
    let (_, l) = layout(&six, &[2, 1, 4, 2, 1, 2]).unwrap();
    assert_eq!((l.total_in_bits(), l.is_invertible()), (5, true));
    // The layout of a sort of 4096 elements, and the supported maximum.
    let hypercube = |rank: usize| {
        let ones = format!("{:?}", vec![1; rank]);
        let order: Vec<usize> = (0..rank).rev().collect();
        format!(
            "#ttg.blocked<{{sizePerThread = {ones}, threadsPerWarp = {ones}, warpsPerCTA = {ones}, order = {order:?}}}>"
        )
    };
    for rank in [12, MAX_RANK] {
        let (_, l) = layout(&hypercube(rank), &vec![2; rank]).unwrap();
        assert_eq!((l.total_in_bits(), l.is_invertible()), (rank, true));
    }
    rejects(
        &hypercube(MAX_RANK + 1),
        &[1; MAX_RANK + 1],
        "`sizePerThread` is too long: expected at most 16 items",
    );
    let deep = "#ttg.slice<{dim = 0, parent = ".repeat(100);
    rejects(&deep, &[], "encodings are nested more than 32 deep");
}

const WRITTEN_OUT: [&str; 3] = ["linear", "generic_linear", "shared_linear"];

#[test]
fn recognized_encodings_spell_their_layout() {
    // For each family: the number of cases, of those recognised as the same family, and of those spelled out.
    let mut named: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for line in VECTORS.lines().chain(RANDOM.lines()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let Some(bases) = case.get("bases") else {
            continue;
        };
        let shape: Vec<u64> = match case.get("shape") {
            Some(shape) => serde_json::from_value(shape.clone()).unwrap(),
            None => batch::linear::shape_of_bases(bases).unwrap(),
        };
        let (encoding, layout) = layout(case["enc"].as_str().unwrap(), &shape).unwrap();
        if encoding.is_tensor_memory() {
            assert!(Encoding::recognize(&layout).is_err());
            continue;
        }
        let found = match Encoding::recognize(&layout) {
            Ok(found) => found,
            // Layouts that omit elements have no other spelling.
            Err(e) => {
                assert!(
                    !layout.is_surjective() || !layout.is_injective(),
                    "{encoding}: {e}"
                );
                continue;
            }
        };
        let sizes: Vec<u64> = layout.out_shape().map(|(_, size)| size).collect();
        assert_eq!(
            found.to_linear_layout(&sizes).as_ref(),
            Ok(&layout),
            "{encoding} as {found}"
        );
        let family = match &encoding {
            Encoding::DotOperand(e) => format!("dot_op of {}", e.parent().family()),
            e => e.family().to_owned(),
        };
        let entry = named.entry(family).or_default();
        entry[0] += 1;
        entry[1] += usize::from(found.family() == encoding.family());
        entry[2] += usize::from(WRITTEN_OUT.contains(&found.family()));
    }
    // The random cases of the reference are often ambiguous, since boxes larger than the tensor do not affect it; all
    // others are recognised as the same family or a shorter one.
    let share = |family: &str, i: usize| named[family][i] * 100 / named[family][0];
    for (family, same, written_out) in [
        ("blocked", 80, 14),
        ("slice", 39, 9),
        ("nvidia_mma", 87, 1),
        ("amd_mfma", 30, 0),
        ("amd_wmma", 54, 0),
        ("dot_op of nvidia_mma", 67, 0),
        ("dot_op of amd_mfma", 45, 0),
        ("dot_op of amd_wmma", 24, 1),
        ("dot_op of blocked", 2, 26),
        ("swizzled_shared", 100, 0),
        ("amd_rotating_shared", 47, 2),
        ("nvmma_shared", 55, 0),
        ("partitioned_shared", 100, 0),
    ] {
        assert!(
            share(family, 1) >= same && share(family, 2) <= written_out,
            "{family}: {named:#?}"
        );
    }
}

#[test]
fn families_that_nothing_else_spells_come_back() {
    let wmma = |fields: &str| format!("#ttg.amd_wmma<{{{fields}}}>");
    let mfma = |fields: &str| {
        format!(
            "#ttg.amd_mfma<{{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], {fields}}}>"
        )
    };
    let warps = "ctaLayout = {register = [[0, 1]], warp = [[0, 2], [1, 0]]}";
    let rows = "ctaLayout = {warp = [[0, 1], [1, 0]]}";
    let op = |index: u32, parent: &str, width: u32| {
        format!("#ttg.dot_op<{{opIdx = {index}, parent = {parent}, kWidth = {width}}}>")
    };
    let first = wmma(&format!("version = 1, isTranspose = false, {rows}"));
    let second = wmma(&format!("version = 2, isTranspose = false, {rows}"));
    let swizzled = "#ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>";
    for text in [
        first.clone(),
        wmma(&format!("version = 1, isTranspose = true, {warps}")),
        wmma(&format!("version = 2, isTranspose = false, {warps}")),
        op(0, &first, 16),
        op(0, &second, 4),
        op(1, &second, 4),
        mfma("isTransposed = true, tilesPerWarp = [2, 2]"),
        mfma("isTransposed = false, tilesPerWarp = [1, 4]"),
        op(0, &mfma("isTransposed = false, tilesPerWarp = [2, 1]"), 4),
        op(1, &mfma("isTransposed = false, tilesPerWarp = [1, 2]"), 4),
        format!("#ttg.partitioned_shared<{{numPartitions = 2, numGroups = 4, partitionDim = 0, partitionLayout = {swizzled}}}>"),
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8, fp4Padded = true}>".to_owned(),
    ] {
        let (encoding, layout) = layout(&text, &[128, 256]).unwrap();
        let found = Encoding::recognize(&layout).unwrap();
        assert_eq!(found.to_string(), encoding.to_string());
    }
}

#[test]
fn inference_of_the_reference() {
    use linear_layout::encoding::infer;
    for line in include_str!("../golden/inference.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let src: Encoding = case["enc"].as_str().unwrap().parse().unwrap();
        let shape: Vec<u64> = serde_json::from_value(case["shape"].clone()).unwrap();
        let arg: Vec<u64> = serde_json::from_value(case["arg"].clone()).unwrap();
        let (dst, back) = match case["op"].as_str().unwrap() {
            "trans" => {
                let order: Vec<usize> = arg.iter().map(|d| *d as usize).collect();
                let dst = infer::trans(&src, &shape, &order).unwrap();
                let moved: Vec<u64> = order.iter().map(|d| shape[*d]).collect();
                let back = infer::trans_source(&dst, &moved, &order);
                (dst, back)
            }
            "reshape" => {
                let dst = infer::reshape(&src, &shape, &arg).unwrap();
                let back = infer::reshape_source(&dst, &arg, &shape);
                (dst, back)
            }
            _ => {
                let dst = infer::join(&src, &shape).unwrap();
                let joined: Vec<u64> = shape.iter().copied().chain([2]).collect();
                let back = infer::split(&dst, &joined);
                (dst, back)
            }
        };
        assert_eq!(
            Some(dst.to_string().as_str()),
            case["result"].as_str(),
            "{line}"
        );
        // Backwards inference yields an encoding with the same elements, apart from replicas in registers.
        let unique = |e: &Encoding| {
            let layout = e.to_linear_layout(&shape).unwrap();
            let register = linear_layout::layout::Dim::REGISTER;
            if layout.has_in_dim(register) {
                layout.remove_zero_bases(register).unwrap()
            } else {
                layout
            }
        };
        let back = back.unwrap_or_else(|e| panic!("{line}: {e}"));
        assert_eq!(unique(&back), unique(&src), "{line}");
    }
}

#[test]
fn slices_go_up_and_down() {
    use linear_layout::encoding::infer;
    let parent: Encoding = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>".parse().unwrap();
    let row = infer::reduce(&parent, 1).unwrap();
    assert_eq!(infer::expand_dims(&row, 1).as_ref(), Ok(&parent));
    assert_eq!(infer::reduce_source(&row, 1).as_ref(), Ok(&parent));
    assert_eq!(infer::expand_dims_source(&parent, 1).as_ref(), Ok(&row));
    let wrong = infer::expand_dims(&row, 0).unwrap_err().to_string();
    assert!(wrong.contains("a dim other than the axis"), "{wrong}");
    let none = infer::expand_dims(&parent, 0).unwrap_err().to_string();
    assert!(none.contains("not a `slice`"), "{none}");
}

#[test]
fn queries_count_what_the_layout_holds() {
    let blocked: Encoding = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], order = [1, 0], CGALayout = [[1, 0]]}>".parse().unwrap();
    let shape = [64, 128];
    assert_eq!(*blocked.order(&shape).unwrap(), [1, 0]);
    assert_eq!(*blocked.contig_per_thread(&shape).unwrap(), [1, 4]);
    assert_eq!(*blocked.elems_per_thread(&shape).unwrap(), [4, 8]);
    assert_eq!(blocked.total_elems_per_thread(&shape).unwrap(), 32);
    assert_eq!(*blocked.threads_per_warp(&shape).unwrap(), [4, 8]);
    assert_eq!(*blocked.warps_per_cta(&shape).unwrap(), [2, 2]);
    assert_eq!(*blocked.shape_per_cta(&shape).unwrap(), [32, 128]);
    let sizes = (blocked.num_lanes(), blocked.num_warps(), blocked.num_ctas());
    assert_eq!(sizes, (Ok(32), Ok(4), Ok(2)));
}

#[path = "../fuzz/bodies/encoding.rs"]
mod fuzz_body;

#[test]
fn fuzz_corpus_of_texts() {
    let folder = root().join("test/fuzz/corpus/encoding_text");
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let data = std::fs::read(entry.unwrap().path()).unwrap();
        fuzz_body::text(&data);
        // Truncated and mutated texts, as a fuzzer would try next.
        for at in (0..data.len().min(400)).step_by(7) {
            let mut changed = data.clone();
            changed[at] = [b'0', b'9', b',', b'[', b'#', b'<', 0xff][at / 7 % 7];
            fuzz_body::text(&changed);
            fuzz_body::text(&data[..at]);
        }
        count += 1;
    }
    assert!(count > 20, "only {count} files in {}", folder.display());
}
