//! Queries of encodings besides their layouts: ranks, orders, kinds of errors, operand parameters.

use linear_layout::encoding::infer::{self, fp4_to_fp_source, reduce_source};
use linear_layout::encoding::{
    BlockedEncoding, CgaLayout, DotOperandEncoding, Encoding, SwizzledSharedEncoding, key_offset,
};
use linear_layout::layout::Dim;
use std::collections::BTreeSet;

#[track_caller]
fn encoding(text: &str) -> Encoding {
    text.parse().unwrap()
}

/// An error has exactly one of four kinds, according to the stage in which it occurs: parsing, validation,
/// construction of the layout, or inference.
#[test]
fn an_error_has_one_kind() {
    let kinds = |error: linear_layout::encoding::EncodingError| {
        [
            error.is_syntax(),
            error.is_invalid_encoding(),
            error.is_invalid_shape(),
            error.is_inference(),
        ]
    };
    let read = |text: &str| text.parse::<Encoding>().unwrap_err();
    let blocked = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>";
    assert_eq!(kinds(read("#ttg.blocked<")), [true, false, false, false]);
    let three = blocked.replace("[32]", "[3]");
    let torn = three.parse::<Encoding>().map(|_| ()).unwrap_err();
    assert_eq!(kinds(torn), [false, true, false, false]);
    let shape = encoding(blocked).to_linear_layout(&[12]).unwrap_err();
    assert_eq!(kinds(shape), [false, false, true, false]);
    let inferred = reduce_source(&encoding(blocked), 0).unwrap_err();
    assert_eq!(kinds(inferred), [false, false, false, true]);
}

#[test]
fn the_cause_of_an_error_is_kept() {
    use std::error::Error;
    let blocked = encoding(
        "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>",
    );
    assert!(
        blocked
            .to_linear_layout(&[12])
            .unwrap_err()
            .source()
            .is_none()
    );
    let text = "#ttg.linear<{register = [], lane = [[1]], warp = [], block = []}>";
    let layout = encoding(text).to_linear_layout(&[2]).unwrap();
    let error =
        linear_layout::encoding::EncodingError::from(layout.squeeze_ins(Dim::LANE).unwrap_err());
    assert!(error.source().unwrap().to_string().contains("`lane`"));
}

#[test]
fn every_family_counts_its_ctas() {
    let bases = "register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]";
    let padded = "[4:+4] {offset = [[0, 1], [0, 2]]";
    for (text, ctas) in [
        (format!("#ttg.linear<{{{bases}, block = [[64], [0]]}}>"), 4),
        (format!("#ttg.generic_linear<{{{bases}, block = [[64]]}}>"), 2),
        // The block between the lanes splits nothing, but is present.
        (format!("#ttg.generic_linear<{{{}, block = [[16], [0], [0]]}}>", bases.replace("[16]", "[64]")), 8),
        ("#ttg.shared_linear<{offset = [[1], [2]], block = [[4]]}, alignment = 16>".to_owned(), 2),
        (format!("#ttg.padded_shared<{padded}, block = [[1, 0]]}}>"), 2),
        (
            "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[1], [2]]}>".to_owned(),
            4,
        ),
    ] {
        assert_eq!(encoding(&text).num_ctas(), Ok(ctas), "{text}");
    }
}

/// In MLIR, a boolean is spelled as a word, or as a number of type `i1`.
#[test]
fn booleans_are_words_or_bits() {
    let read = |value: &str| {
        let text = format!(
            "#ttg.amd_mfma<{{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = {value}}}>"
        );
        text.parse::<Encoding>()
    };
    for (one, other) in [("true", "1 : i1"), ("false", "0 : i1"), ("true", "-1 : i1")] {
        assert_eq!(read(one).unwrap(), read(other).unwrap(), "{other}");
    }
    assert_ne!(read("true").unwrap(), read("false").unwrap());
    for wrong in ["1", "1 : i8", "yes", "\"true\""] {
        assert!(read(wrong).unwrap_err().is_syntax(), "{wrong}");
    }
}

/// An error carries the label of a rule only if this rule of the encoding family is violated.
#[test]
fn a_rule_is_named_where_one_is_broken() {
    let rule = |vec: u32, order: &str| {
        let text = format!(
            "#ttg.amd_rotating_shared<{{vec = {vec}, perPhase = 1, maxPhase = 8, order = {order}}}>"
        );
        let error = match text.parse::<Encoding>() {
            Ok(encoding) => encoding.to_linear_layout(&[64, 64]).unwrap_err(),
            Err(error) => error,
        };
        error.rule()
    };
    assert_eq!(rule(4, "[1, 1]"), Some("amd_rotating_shared_c1"));
    assert!(rule(4, "[]").is_none_or(|rule| !rule.is_empty()));
    for (text, expected) in [
        (
            "linear<{register = [[2]], lane = [], warp = [], block = []}>",
            "linear_c5",
        ),
        (
            "generic_linear<{register = [[2]], lane = [], warp = [], block = []}>",
            "generic_linear_c6",
        ),
        (
            "generic_linear<{register = [[1], [1, 0]], lane = [], warp = [], block = []}>",
            "generic_linear_c3",
        ),
        (
            "generic_linear<{register = [[1]], lane = [], warp = []}>",
            "generic_linear_c2",
        ),
        (
            "generic_linear<{register = [], lane = [[1, 1], [0, 1]], warp = [], block = []}>",
            "generic_linear_c4",
        ),
        (
            "generic_linear<{register = [[3], [1]], lane = [], warp = [], block = []}>",
            "generic_linear_c5",
        ),
    ] {
        let error = format!("#ttg.{text}").parse::<Encoding>().unwrap_err();
        assert_eq!(error.rule(), Some(expected), "{text}");
    }
    assert_eq!(
        "#ttg.amd_rotating_shared<{vec"
            .parse::<Encoding>()
            .unwrap_err()
            .rule(),
        None
    );
}

/// The key that an error names is the key whose value must change.
#[test]
fn a_key_is_named_where_it_has_the_wrong_value() {
    let blocked = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>";
    let memory = "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, CGALayout = [[1, 0]]>";
    let linear = "#ttg.linear<{register = [[1]], lane = [[2]], warp = [[4]], block = []}>";
    for (good, from, to, key) in [
        (
            blocked,
            "order = [0]",
            "order = [0], speed = 3",
            Some("speed"),
        ),
        (
            blocked,
            "order = [0]",
            "order = [0], order = [0]",
            Some("order"),
        ),
        (blocked, "order = [0]", "order = [1]", Some("order")),
        (blocked, "[32]", "[3]", Some("threadsPerWarp")),
        (blocked, "[4]", "[4, 1]", Some("warpsPerCTA")),
        (blocked, "order = [0]", "order = [0", None),
        (blocked, ", order = [0]", "", None),
        (memory, "blockM = 128", "blockM = 32", Some("blockM")),
        (memory, "blockN = 64", "blockN = 48", Some("blockN")),
        (
            memory,
            "[[1, 0]]",
            "[[0, 1]], twoCTAs = true",
            Some("twoCTAs"),
        ),
        (linear, "[[4]]", "[[4, 0]]", Some("warp")),
        (linear, "[[4]]", "[[2]]", Some("warp")),
        (linear, "[[4]]", "[[5]]", Some("warp")),
    ] {
        encoding(good);
        let text = good.replace(from, to);
        let error = text.parse::<Encoding>().unwrap_err();
        assert_eq!(error.key(), key, "{text}: {error}");
    }
}

/// In an operand of a WMMA instruction, a lane holds groups of `kWidth` elements along K. The register index first
/// covers all elements of the lane along K, and then the next rows.
#[test]
fn wmma_operands_hold_all_of_k_first() {
    for (k_width, k) in [(4u64, 16u64), (8, 16), (4, 32), (8, 32), (16, 32)] {
        let text = format!(
            "#ttg.dot_op<{{opIdx = 0, parent = #ttg.amd_wmma<{{version = 2, isTranspose = true, ctaLayout = {{register = [[1, 0]], warp = []}}, instrShape = [16, 16, {k}]}}>, kWidth = {k_width}}}>"
        );
        let layout = encoding(&text).to_linear_layout(&[32, k]).unwrap();
        let bases = |dim: Dim| {
            (0..layout.in_bits(dim))
                .map(|bit| layout.basis(dim, bit).to_vec())
                .collect::<Vec<_>>()
        };
        let steps: Vec<u64> = (0..k.ilog2())
            .map(|bit| 1 << bit)
            .filter(|step| *step != k_width)
            .collect();
        let along_k = steps.iter().map(|step| vec![0, *step]);
        assert_eq!(
            bases(Dim::REGISTER),
            along_k.chain([vec![16, 0]]).collect::<Vec<_>>(),
            "{text}"
        );
        let rows = (0..4).map(|bit| vec![1 << bit, 0]);
        assert_eq!(
            bases(Dim::LANE),
            rows.chain([vec![0, k_width]]).collect::<Vec<_>>(),
            "{text}"
        );
    }
}

/// If the bases do not reach every element, the error names the coordinates of the first element that is not
/// reached.
#[test]
fn an_element_that_is_not_reached_is_named() {
    let text = "#ttg.generic_linear<{register = [[0, 1]], lane = [[1, 0], [2, 0], [0, 4]], warp = [[0, 1]], block = []}>";
    let error = text
        .parse::<Encoding>()
        .and_then(|e| e.to_linear_layout(&[4, 8]));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("[0, 2]"), "{error}");
}

/// A WMMA encoding describes the result of a product. The result has two dims, or three if it has a batch dim.
#[test]
fn wmma_has_rank_2_or_3() {
    let text = |rank: usize| {
        let zeros = vec!["0"; rank - 1].join(", ");
        format!(
            "#ttg.amd_wmma<{{version = 2, isTranspose = true, ctaLayout = {{warp = [[{zeros}, 1]]}}}}>"
        )
    };
    for rank in 2..=4 {
        let made = text(rank)
            .parse::<Encoding>()
            .and_then(|e| e.to_linear_layout(&vec![32; rank]));
        match made {
            Ok(_) => assert!(rank < 4),
            Err(error) => {
                assert!(
                    rank == 4 && error.to_string().contains("`ctaLayout` has rank 4"),
                    "{error}"
                );
                assert_eq!(error.rule(), Some("amd_wmma_c6"));
            }
        }
    }
}

/// CTAs are distributed over the rows first. If there are more CTAs than rows, the rest is distributed over the
/// columns; any CTAs still left hold replicas.
#[test]
fn ctas_share_the_slowest_dim_first() {
    let ctas = |shape: &[u64], ctas: u32| {
        let encoding = BlockedEncoding::default_for_shape(shape, 4, 32, ctas).unwrap();
        let layout = Encoding::from(encoding).to_linear_layout(shape).unwrap();
        (0..layout.in_bits(Dim::BLOCK))
            .map(|bit| layout.basis(Dim::BLOCK, bit).to_vec())
            .collect::<Vec<_>>()
    };
    assert!(ctas(&[64, 64], 1).is_empty());
    assert_eq!(ctas(&[64, 64], 4), [[16, 0], [32, 0]]);
    let mut split = ctas(&[2, 64], 4);
    split.sort_unstable();
    assert_eq!(split, [[0, 32], [1, 0]]);
    let mut copies = ctas(&[2, 1], 4);
    copies.sort_unstable();
    assert_eq!(copies, [[0, 0], [1, 0]]);
}

/// Threads are distributed over the dims from the fastest to the slowest dim. If threads remain when all dims are
/// covered, they are distributed over the slowest dim.
#[test]
fn threads_fill_the_fastest_dim_first() {
    let shares = |shape: &[u64], size: &[u32]| {
        let cga = CgaLayout::single(3).unwrap();
        let made = BlockedEncoding::for_shape(shape, size, &[2, 1, 0], 8, 32, cga).unwrap();
        [
            made.threads_per_warp().to_vec(),
            made.warps_per_cta().to_vec(),
        ]
    };
    assert_eq!(shares(&[4, 8, 16], &[1; 3]), [[1, 2, 16], [2, 4, 1]]);
    assert_eq!(shares(&[4, 8, 256], &[1, 1, 2]), [[1, 1, 32], [1, 2, 4]]);
    assert_eq!(shares(&[1, 2, 4], &[1; 3]), [[4, 2, 4], [8, 1, 1]]);
}

#[test]
fn an_order_names_each_dim_once() {
    let blocked = encoding(
        "#ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [4, 4, 2], warpsPerCTA = [1, 1, 1], order = [2, 1, 0]}>",
    );
    for order in [[0, 0, 1], [1, 1, 0], [2, 0, 2], [0, 1, 3], [1, 2, 2]] {
        let error = infer::trans(&blocked, &[8, 8, 8], &order).unwrap_err();
        assert!(
            error.to_string().contains("not a permutation"),
            "{order:?}: {error}"
        );
    }
    assert!(infer::trans(&blocked, &[8, 8, 8], &[0, 1]).is_err());
}

#[test]
fn ranks_and_orders_are_those_of_the_text() {
    let memory = "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>";
    let Encoding::TensorMemory(memory) = encoding(memory) else {
        panic!("another family");
    };
    assert_eq!(memory.rank(), 2);
    for scales in ["", "CGALayout = [[1, 0]]", "blockRepOrder = kThenMn"] {
        let scales = encoding(&format!("#ttng.tensor_memory_scales_encoding<{scales}>"));
        let Encoding::TensorMemoryScales(scales) = scales else {
            panic!("another family");
        };
        assert_eq!(scales.rank(), scales.cga_layout().rank());
    }
    let shared = "#ttg.shared_linear<{offset = [[1, 0], [2, 0], [0, 1], [0, 2]]}, alignment = 16>";
    let Encoding::SharedLinear(shared) = encoding(shared) else {
        panic!("another family");
    };
    assert_eq!(*shared.order(), [0, 1]);
    let wmma = |cga: &str| {
        let text = format!(
            "#ttg.amd_wmma<{{version = 2, isTranspose = true, ctaLayout = {{warp = [[0, 1], [1, 0]]}}{cga}}}>"
        );
        match encoding(&text) {
            Encoding::AmdWmma(wmma) => wmma,
            _ => panic!("another family"),
        }
    };
    let (one, two) = (wmma(""), wmma(", CGALayout = [[1, 0]]"));
    assert!(one != two && one.is_same_in_cta(&two));
    let turned = encoding(
        "#ttg.amd_wmma<{version = 2, isTranspose = false, ctaLayout = {warp = [[0, 1], [1, 0]]}}>",
    );
    assert!(matches!(turned, Encoding::AmdWmma(turned) if !one.is_same_in_cta(&turned)));
}

/// With a column stride above 1, a tensor-memory encoding uses only some of the columns. A bit of the column index
/// has a zero basis if it only distinguishes used columns from skipped columns.
#[test]
fn a_stride_of_tensor_memory_skips_columns() {
    let layout = |stride: u32| {
        let text = format!(
            "#ttng.tensor_memory_encoding<blockM = 64, blockN = 1, colStride = {stride}, CGALayout = [[1, 0]], twoCTAs = true>"
        );
        encoding(&text).to_linear_layout(&[128, 4])
    };
    let columns = |stride: u32| layout(stride).unwrap().columns_of(Dim::COL).to_vec();
    let two = columns(2);
    assert_eq!(columns(4), [&[0], &two[..]].concat());
    let error = layout(1).unwrap_err().to_string();
    assert!(error.contains("a block has 1 column"), "{error}");
}

/// The rows of a tensor are distributed over two CTAs. Each CTA must have at least the 128 rows of a block.
#[test]
fn a_block_of_tensor_memory_is_not_larger_than_what_a_cta_has() {
    let memory = encoding(
        "#ttng.tensor_memory_encoding<blockM = 128, blockN = 16, colStride = 1, CGALayout = [[1, 0]]>",
    );
    assert!(memory.to_linear_layout(&[256, 16]).is_ok());
    for rows in [2, 32, 128] {
        let error = memory.to_linear_layout(&[rows, 16]).unwrap_err();
        let expected = format!("shape has {} elements along dim0 of one CTA", rows / 2);
        assert!(error.to_string().starts_with(&expected), "{error}");
        assert!(error.to_string().contains("multiple of 128"), "{error}");
    }
}

#[test]
fn up_to_64_bases_are_read() {
    let text = |lanes: usize| {
        let zeros = |count| vec!["[0]"; count].join(", ");
        format!(
            "#ttg.generic_linear<{{register = [{}], lane = [{}], warp = [[1]], block = []}}>",
            zeros(40),
            zeros(lanes)
        )
    };
    let layout = encoding(&text(23)).to_linear_layout(&[2]).unwrap();
    assert_eq!(layout.total_in_bits(), 64);
    let error = text(24).parse::<Encoding>().unwrap_err().to_string();
    assert!(error.contains("65"), "{error}");
}

/// The search for a key covers only the attribute at the start of the text, not the text after it.
#[test]
fn a_key_is_not_looked_for_behind_the_attribute() {
    assert_eq!(key_offset(b"a<{x = 1}>, b<{dim = 0}>", "dim"), None);
    assert_eq!(key_offset(b"a<{x = 1, dim = 0}>", "dim"), Some(10));
}

#[track_caller]
fn check_swizzle(parent: &str, k_width: u32, shape: &[u64], expected: [u32; 3]) {
    let operand = DotOperandEncoding::new(0, encoding(parent), k_width).unwrap();
    let cga = CgaLayout::single(2).unwrap();
    let made =
        SwizzledSharedEncoding::for_dot_operand(&operand, shape, &[1, 0], cga, 16, false).unwrap();
    let [vec, per_phase, max_phase] = expected;
    let text = format!(
        "#ttg.swizzled_shared<{{vec = {vec}, perPhase = {per_phase}, maxPhase = {max_phase}, order = [1, 0]}}>"
    );
    assert_eq!(Encoding::from(made), encoding(&text));
}

/// In the swizzle for an operand of a product, each phase consists of as many rows as fill 128 bytes, and the
/// number of phases is the number of vectors per row.
#[test]
fn operands_get_the_swizzle_that_fills_the_banks() {
    let mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>";
    check_swizzle(mma, 2, &[128, 64], [8, 1, 8]);
    check_swizzle(mma, 2, &[128, 32], [8, 2, 4]);
    check_swizzle(mma, 4, &[128, 64], [16, 1, 4]);
    let wmma =
        "#ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}}>";
    check_swizzle(wmma, 8, &[128, 16], [8, 4, 2]);
    check_swizzle(wmma, 8, &[128, 64], [8, 1, 8]);
}

#[test]
fn pairs_that_one_byte_holds_are_found_from_their_result() {
    let wide = encoding(
        "#ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]], block = []}>",
    );
    let narrow = fp4_to_fp_source(&wide, &[256], 0).unwrap();
    assert_eq!(
        narrow.to_linear_layout(&[128]).unwrap(),
        encoding(
            "#ttg.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]], block = []}>"
        )
        .to_linear_layout(&[128])
        .unwrap()
    );
    let apart = encoding(
        "#ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], block = []}>",
    );
    let error = fp4_to_fp_source(&apart, &[64], 0).unwrap_err().to_string();
    assert!(
        error.contains("do not hold adjacent elements along the axis"),
        "{error}"
    );
}

#[test]
fn a_reshape_of_following_dims_stays_blocked() {
    let square = encoding(
        "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>",
    );
    let line = infer::reshape(&square, &[32, 16], &[512]).unwrap();
    assert!(matches!(line, Encoding::Blocked(_)), "{line}");
    assert_eq!(
        line.to_linear_layout(&[512]).unwrap(),
        square
            .to_linear_layout(&[32, 16])
            .unwrap()
            .reshape_standard(&[512])
            .unwrap()
    );
}

#[test]
fn a_reshape_keeps_elements_and_a_rank_that_layouts_have() {
    let line = encoding(
        "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>",
    );
    let error = |from: u64, to: &[u64]| {
        let error = infer::reshape(&line, &[from], to).unwrap_err();
        assert!(error.is_inference(), "{error}");
        error.to_string()
    };
    assert!(error(64, &[32]).contains("64"));
    error(1, &[]);
    error(1, &[1; 17]);
    assert!(infer::reshape(&line, &[1], &[1; 16]).is_ok());
}

/// The dims are ordered by the positions of their first non-zero bases, separately for registers, lanes and warps.
/// Zero bases, which make replicas, do not affect the order. Dims without a non-zero basis are ordered as in the
/// registers.
#[test]
fn orders_go_by_registers_lanes_and_warps() {
    let layout = encoding(
        "#ttg.linear<{register = [[0, 0, 1], [0, 0, 2]], lane = [[1, 0, 0], [2, 0, 0], [0, 0, 0], [0, 1, 0], [0, 2, 0]], warp = [[0, 4, 0], [4, 0, 0]], block = []}>",
    );
    let shape = [8, 8, 4];
    assert_eq!(*layout.order(&shape).unwrap(), [2, 1, 0]);
    assert_eq!(*layout.thread_order(&shape).unwrap(), [0, 1, 2]);
    assert_eq!(*layout.warp_order(&shape).unwrap(), [1, 0, 2]);
    // A thread holds one element along dim 0; adjacent ones are in adjacent threads.
    assert_eq!(*layout.order_for_memory(&shape).unwrap(), [0, 1, 2]);
    let wider = encoding(
        "#ttg.linear<{register = [[0, 0, 1], [4, 0, 0]], lane = [[1, 0, 0], [2, 0, 0], [0, 0, 0], [0, 1, 0], [0, 2, 0]], warp = [[0, 4, 0], [0, 0, 2]], block = []}>",
    );
    assert_eq!(
        *wider.order_for_memory(&shape).unwrap(),
        *wider.order(&shape).unwrap()
    );
}

/// The size of one dim has at most 62 bits, so a dim has at most 62 bases.
#[test]
fn as_many_bases_as_sizes_have_bits() {
    let zeros = |count: usize| {
        let list = vec!["[0]"; count].join(", ");
        format!("#ttg.linear<{{register = [{list}], lane = [[1]], warp = [], block = []}}>")
    };
    let most: Encoding = zeros(62).parse().unwrap();
    assert_eq!(
        most.to_linear_layout(&[2]).unwrap().in_size(Dim::REGISTER),
        1 << 62
    );
    let error = zeros(63).parse::<Encoding>().unwrap_err().to_string();
    assert!(error.contains("63"), "{error}");
}

/// The swizzle for an operand of an AMD matrix product assumes that 16 lanes read at once and that each reads
/// `kWidth` elements. A row of the swizzle fills 32 banks (64 on gfx950).
#[test]
fn amd_operands_get_the_swizzle_that_fills_the_banks() {
    let mfma = |version: u32, shape: &str| {
        format!(
            "#ttg.amd_mfma<{{version = {version}, warpsPerCTA = [2, 2], instrShape = {shape}, isTransposed = true}}>"
        )
    };
    let wide = mfma(3, "[32, 32, 8]");
    check_swizzle(&wide, 4, &[128, 64], [4, 1, 16]);
    check_swizzle(&wide, 4, &[128, 32], [4, 2, 8]);
    // A row of 16 elements has two vectors of 8.
    check_swizzle(&wide, 8, &[128, 16], [8, 4, 2]);
    check_swizzle(&wide, 8, &[128, 256], [8, 1, 16]);
    check_swizzle(&mfma(3, "[4, 64, 16]"), 4, &[128, 64], [4, 1, 4]);
    let gfx950 = mfma(4, "[32, 32, 16]");
    check_swizzle(&gfx950, 8, &[128, 64], [8, 2, 8]);
    check_swizzle(&gfx950, 8, &[128, 128], [8, 1, 16]);
}

/// If K is the contiguous dim, the operands of an AMD matrix product are swizzled. Otherwise only gfx950 swizzles
/// them, since it can transpose 8-bit and 16-bit elements while it loads them.
#[test]
fn a_swizzle_along_k_only() {
    let swizzle = |parent: &str, op_idx: u32, order: [u32; 2], bits: u32, transposed: bool| {
        let operand = DotOperandEncoding::new(op_idx, encoding(parent), 4).unwrap();
        let cga = CgaLayout::single(2).unwrap();
        let made = SwizzledSharedEncoding::for_dot_operand(
            &operand,
            &[64, 64],
            &order,
            cga,
            bits,
            transposed,
        )
        .unwrap();
        (made.vec(), made.per_phase(), made.max_phase())
    };
    let gfx942 = "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>";
    let gfx950 = gfx942.replace("version = 3", "version = 4");
    let wmma =
        "#ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}}>";
    let (plain, along_k) = ((1, 1, 1), (4, 1, 16));
    for (op_idx, k_order, other) in [(0, [1, 0], [0, 1]), (1, [0, 1], [1, 0])] {
        assert_eq!(swizzle(gfx942, op_idx, k_order, 16, false), along_k);
        assert_eq!(swizzle(gfx942, op_idx, other, 16, false), plain);
        assert_eq!(swizzle(gfx942, op_idx, k_order, 16, true), plain);
        assert_eq!(swizzle(gfx942, op_idx, other, 16, true), along_k);
        assert_eq!(swizzle(&gfx950, op_idx, other, 16, false), (4, 2, 8));
        assert_eq!(swizzle(&gfx950, op_idx, other, 32, false), plain);
        assert_eq!(swizzle(wmma, op_idx, k_order, 16, false), along_k);
        assert_eq!(swizzle(wmma, op_idx, other, 16, false), plain);
    }
}

/// The conversion from fp4 splits each element, which packs two numbers, into two elements of the same thread. If
/// the two elements are adjacent along the dim K of a product's operand, the result has the same encoding with
/// twice the `kWidth`. If they are adjacent along the other dim, it has a different encoding.
#[test]
fn two_elements_of_a_byte_stay_in_their_thread() {
    let operand = |op_idx: u32, k_width: u32| {
        encoding(&format!(
            "#ttg.dot_op<{{opIdx = {op_idx}, parent = #ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, \
             warpsPerCTA = [2, 2], instrShape = [16, 8]}}>, kWidth = {k_width}}}>"
        ))
    };
    let held = |encoding: &Encoding, shape: &[u64]| {
        let layout = encoding.to_linear_layout(shape).unwrap();
        let registers = layout.in_size(Dim::REGISTER);
        let element = |slot: u64| layout.unpack(layout.apply_packed(slot)).to_vec();
        (0..1 << (layout.total_in_bits() - layout.in_bits(Dim::REGISTER)))
            .map(|thread| {
                let slots = thread * registers..(thread + 1) * registers;
                slots.map(element).collect::<BTreeSet<_>>()
            })
            .collect::<Vec<_>>()
    };
    for op_idx in [0, 1] {
        for axis in [0, 1] {
            let (narrow, shape) = (operand(op_idx, 2), [64, 64]);
            let mut doubled = shape;
            doubled[axis] *= 2;
            let wide = infer::fp4_to_fp(&narrow, &shape, axis).unwrap();
            let along_k = axis == 1 - op_idx as usize;
            assert_eq!(wide == operand(op_idx, 4), along_k, "{wide}");
            let expected: Vec<_> = held(&narrow, &shape)
                .iter()
                .map(|elements| {
                    let twice = |at: &Vec<u64>| {
                        [0, 1].map(|half| {
                            let mut at = at.clone();
                            at[axis] = 2 * at[axis] + half;
                            at
                        })
                    };
                    elements.iter().flat_map(twice).collect()
                })
                .collect();
            assert_eq!(
                held(&wide, &doubled),
                expected,
                "operand {op_idx}, axis {axis}"
            );
            let back = fp4_to_fp_source(&wide, &doubled, axis).unwrap();
            assert!(
                infer::equivalent(&back, &narrow, &shape),
                "operand {op_idx}, axis {axis}: {back}"
            );
        }
        let (narrow, wide) = (operand(op_idx, 2), operand(op_idx, 4));
        assert!(!infer::equivalent(&narrow, &wide, &[64, 64]));
        // A thread with single elements along K has no pairs.
        let error = fp4_to_fp_source(&operand(op_idx, 1), &[64, 64], 1 - op_idx as usize);
        assert!(error.is_err_and(|e| e.is_inference()));
    }
}

/// The coordinates of an element have at most 62 bits in all and at most 31 bits in one dim, which limits the
/// shape.
#[test]
fn as_many_elements_as_coordinates_can_say() {
    let units = |rank: usize, bits: usize| {
        let bases = (0..rank).flat_map(|dim| {
            (0..bits).map(move |bit| {
                let mut basis = vec![0u64; rank];
                basis[dim] = 1 << bit;
                format!("{basis:?}")
            })
        });
        let mut bases: Vec<String> = bases.collect();
        let warps = bases.split_off(bases.len() / 2).join(", ");
        format!(
            "#ttg.generic_linear<{{register = [{}], lane = [], warp = [{warps}], block = []}}>",
            bases.join(", ")
        )
    };
    for (rank, bits) in [(2, 31), (1, 31), (3, 20)] {
        let layout = encoding(&units(rank, bits))
            .to_linear_layout(&vec![1 << bits; rank])
            .unwrap();
        assert_eq!(layout.total_out_bits(), rank * bits);
    }
    let blocked = encoding(
        "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>",
    );
    let elements = |rows: u64, columns: u64| {
        let layout = blocked.to_linear_layout(&[1 << rows, 1 << columns]);
        layout.map(|layout| layout.total_out_bits())
    };
    assert_eq!(elements(31, 31), Ok(62));
    assert!(elements(32, 30).is_err_and(|e| e.is_invalid_shape()));
    for (rank, bits) in [(1, 32), (3, 21), (2, 32)] {
        let error = units(rank, bits).parse::<Encoding>().unwrap_err();
        assert!(error.to_string().contains("at most 2^62"), "{error}");
    }
}
