//! What encodings answer besides their layouts: ranks, orders, kinds of errors, choices for operands.

use linear_layout::encoding::infer::{self, fp4_to_fp_source, reduce_source};
use linear_layout::encoding::{
    CgaLayout, DotOperandEncoding, Encoding, SwizzledSharedEncoding, place_of_key,
};
use linear_layout::layout::Dim;

#[track_caller]
fn encoding(text: &str) -> Encoding {
    text.parse().unwrap()
}

/// The errors of three stages: reading, the encoding itself, what follows from it.
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
fn ranks_and_orders_are_those_of_the_text() {
    let memory = "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>";
    let Encoding::TensorMemory(memory) = encoding(memory) else {
        panic!("another family");
    };
    assert_eq!(memory.rank(), 2);
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

/// A column that is skipped is one more bit of the column that reaches nothing.
#[test]
fn a_stride_of_tensor_memory_skips_columns() {
    let columns = |stride: u32| {
        let text = format!(
            "#ttng.tensor_memory_encoding<blockM = 64, blockN = 1, colStride = {stride}, CGALayout = [[1, 0]], twoCTAs = true>"
        );
        let layout = encoding(&text).to_linear_layout(&[128, 4]).unwrap();
        layout.columns_of(Dim::COL).to_vec()
    };
    let two = columns(2);
    assert_eq!(columns(4), [&[0], &two[..]].concat());
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

/// Nested values are counted by their depth, not by their number.
#[test]
fn many_values_side_by_side_are_not_deep() {
    let text = |value: &str| {
        format!(
            "#ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], other = {value}, instrShape = [16, 8]}}>"
        )
    };
    encoding(&text(&format!("[{}]", vec!["[1]"; 100].join(", "))));
    let deep = text(&format!("{}{}", "[".repeat(100), "]".repeat(100)));
    assert!(deep.parse::<Encoding>().unwrap_err().is_syntax());
}

#[test]
fn a_key_is_not_looked_for_behind_the_attribute() {
    assert_eq!(place_of_key(b"a<{x = 1}>, b<{dim = 0}>", "dim"), None);
    assert_eq!(place_of_key(b"a<{x = 1, dim = 0}>", "dim"), Some(10));
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

/// Rows of 128 bytes: so many rows to a phase as share one, so many phases as there are vectors in it.
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
    assert!(error.contains("not neighbours along the axis"), "{error}");
}

/// Two dims that follow each other merge into one that is blocked as well.
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

/// 62 bits of one dim are the most that sizes can say.
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
