//! Layouts, types and GPUs in the notations that users paste: each is read as its canonical spelling, or rejected with
//! the most likely fix.
//!
//! Layouts of Gluon are in the notation of Triton 3.9's classes. Tensors of CUTLASS are from its documentation,
//! examples and issues (1717, 2272, 2381, 2629, 2834), layouts of Tilus from its documentation and tests.

use std::process::Command;

#[track_caller]
fn run(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_ll-layout"))
        .args(arguments)
        .output()
        .expect("ll-layout starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is text");
    let code = output.status.code().expect("no signal ended it");
    (code, text(output.stdout), text(output.stderr))
}

/// Returns the description of a layout that `explain` prints. If the layout is linear, also returns its encoding
/// and bases as JSON.
#[track_caller]
fn read(text: &str, shape: &str) -> (String, String) {
    let shape: &[&str] = if shape.is_empty() { &[] } else { &[shape] };
    let (code, words, errors) = run(&[&["explain", text], shape].concat());
    assert_eq!((code, errors.as_str()), (0, ""), "{text}");
    let (_, bases, _) = run(&[&["show", text], shape, &["--view", "bases", "--json"]].concat());
    (words, bases)
}

#[track_caller]
fn check(spellings: &[(&str, &str, &str, &str)]) {
    for (text, shape, canonical, canonical_shape) in spellings {
        assert_eq!(
            read(text, shape),
            read(canonical, canonical_shape),
            "{text}"
        );
    }
}

#[track_caller]
fn refuse(spellings: &[(&str, &str, &str)]) {
    for (text, shape, message) in spellings {
        let shape: &[&str] = if shape.is_empty() { &[] } else { &[shape] };
        let (code, output, errors) = run(&[&["show", text], shape].concat());
        assert_eq!((code, output.as_str()), (1, ""), "{text}: {errors}");
        assert!(errors.contains(message), "{text}: {errors}");
        let first = errors.lines().next().unwrap_or_default();
        assert!(first.len() <= 208, "{} bytes: {first}", first.len());
    }
}

const BLOCKED: &str = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>";
const SWIZZLED: &str =
    "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>";
const MMA: &str = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>";

#[test]
fn gluon() {
    check(&[
        (
            "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])",
            "64x64",
            BLOCKED,
            "64x64",
        ),
        (
            "gl.BlockedLayout([1, 4], [8, 4], warps_per_cta=[4, 1], order=[1, 0])",
            "64x64",
            BLOCKED,
            "64x64",
        ),
        // As Python prints it.
        (
            "BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[8, 4], warps_per_cta=[4, 1], order=[1, 0], cga_layout=[])",
            "64x64",
            BLOCKED,
            "64x64",
        ),
        (
            "layout: gl.constexpr = ttgl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])",
            "64x64",
            BLOCKED,
            "64x64",
        ),
        (
            "blocked = gluon.BlockedLayout((1, 4), (8, 4), (4, 1), (1, 0),)",
            "64x64",
            BLOCKED,
            "64x64",
        ),
        (
            "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0], ctas_per_cga=[1, 1], cta_split_num=[1, 1], cta_order=[1, 0])",
            "64x64",
            BLOCKED,
            "64x64",
        ),
        (
            "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0], cga_layout=[[1, 0]])",
            "64x64",
            "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>",
            "64x64",
        ),
        (
            "gl.SliceLayout(dim=0, parent=gl.BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]))",
            "64",
            "#ttg.slice<{dim = 0, parent = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>}>",
            "64",
        ),
        (
            "DistributedLinearLayout(reg_bases=[[0, 1]], lane_bases=[[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], \
             warp_bases=[[8, 0], [16, 0]], block_bases=[], shape=[32, 8])",
            "",
            "#ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>",
            "32x8",
        ),
        (
            "DistributedLinearLayout([[0, 1]], [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], [[8, 0], [24, 0]], [], [32, 8])",
            "",
            "#ttg.generic_linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [24, 0]], block = []}>",
            "32x8",
        ),
        (
            "NVMMADistributedLayout(version=[2, 0], warps_per_cta=[4, 1], instr_shape=[16, 8])",
            "64x64",
            MMA,
            "64x64",
        ),
        (
            "gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16])",
            "64x64",
            "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>",
            "64x64",
        ),
        (
            "gl.DotOperandLayout(operand_index=0, parent=gl.NVMMADistributedLayout([2, 0], [4, 1], [16, 8]), k_width=2)",
            "64x64",
            "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>, kWidth = 2}>",
            "64x64",
        ),
        (
            "NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2, transposed=False, fp4_padded=False)",
            "64x64",
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>",
            "64x64",
        ),
        (
            "gl.NVMMASharedLayout.get_default_for([128, 32], gl.float16)",
            "",
            "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>",
            "128x32",
        ),
        (
            "NVMMASharedLayout.get_default_for([64, 128], gl.float8e5, transposed=True)",
            "",
            "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>",
            "64x128",
        ),
        (
            "gl.SwizzledSharedLayout(vec=8, per_phase=1, max_phase=8, order=[1, 0])",
            "64x64",
            SWIZZLED,
            "64x64",
        ),
        (
            "SwizzledSharedLayout(8, 1, 8, [1, 0])",
            "64x64",
            SWIZZLED,
            "64x64",
        ),
        (
            "PaddedSharedLayout(interval_padding_pairs=[[4, 2]], offset_bases=[[0, 1], [0, 2], [1, 0], [2, 0]], cga_layout=[], shape=[4, 4])",
            "",
            "#ttg.padded_shared<[4:+2] {order = [1, 0], shape = [4, 4]}>",
            "4x4",
        ),
        (
            "gl.PaddedSharedLayout.with_identity_for([[256, 8]], [16, 32], [1, 0])",
            "",
            "#ttg.padded_shared<[256:+8] {order = [1, 0], shape = [16, 32]}>",
            "16x32",
        ),
        // As Triton 3.9 prints both texts: bases over CTAs count parts in the class, but elements in the encoding.
        (
            "PaddedSharedLayout([[4, 2]], [[0, 1], [0, 2], [1, 0], [2, 0]], [[1, 0]], [8, 4])",
            "",
            "#ttg.padded_shared<[4:+2] {offset = [[0, 1], [0, 2], [1, 0], [2, 0]], block = [[4, 0]]}>",
            "8x4",
        ),
        (
            "PaddedSharedLayout.with_identity_for([[256, 8]], [16, 32], [1, 0], [[0, 1], [1, 0]])",
            "",
            "#ttg.padded_shared<[256:+8] {offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], block = [[0, 16], [8, 0]]}>",
            "16x32",
        ),
        (
            "gl.SharedLinearLayout(offset_bases=[[0, 1], [0, 2], [1, 0], [2, 2]])",
            "",
            "#ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 2]], block = []}, alignment = 16>",
            "4x4",
        ),
        (
            "AMDMFMALayout(version=3, instr_shape=[32, 32, 8], transposed=True, warps_per_cta=[2, 2])",
            "64x64",
            "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>",
            "64x64",
        ),
        (
            "gl.amd.AMDMFMALayout(4, [16, 16, 32], False, [2, 2], element_bitwidth=64, tiles_per_warp=[1, 2])",
            "64x64",
            "#ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 32], isTransposed = false, tilesPerWarp = [1, 2], elementBitWidth = 64}>",
            "64x64",
        ),
        (
            "gl.amd.AMDWMMALayout(version=2, transposed=True, warp_bases=[[0, 1], [1, 0]])",
            "64x64",
            "#ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}}>",
            "64x64",
        ),
        (
            "AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, 32])",
            "64x64",
            "#ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}, instrShape = [16, 16, 32]}>",
            "64x64",
        ),
        (
            "PartitionedSharedLayout(2, 1, 0, gl.PaddedSharedLayout.with_identity_for([[256, 8]], [16, 32], [1, 0]))",
            "32x32",
            "#ttg.partitioned_shared<{numPartitions = 2, numGroups = 1, partitionDim = 0, partitionLayout = #ttg.padded_shared<[256:+8] {order = [1, 0], shape = [16, 32]}>}>",
            "32x32",
        ),
        (
            "TensorMemoryLayout(block=(128, 64), col_stride=1)",
            "128x64",
            "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>",
            "128x64",
        ),
        (
            "TensorMemoryScalesLayout()",
            "128x8",
            "#ttng.tensor_memory_scales_encoding<>",
            "128x8",
        ),
    ]);
    refuse(&[
        (
            "gl.AutoLayout()",
            "64x64",
            "`AutoLayout` leaves the layout to the compiler",
        ),
        (
            "CoalescedLayout()",
            "64x64",
            "paste the encoding from the TTGIR of the compiled kernel",
        ),
        (
            "gl.BlokedLayout([1], [32], [4], [0])",
            "128",
            "the nearest is `BlockedLayout`",
        ),
        (
            "gl.BlockedLayout([1, 3], [8, 4], [4, 1], [1, 0])",
            "64x64",
            "`size_per_thread[1]` is 3, expected a power of two; the nearest ones are 2 and 4\n  gl.BlockedLayout([1, 3]",
        ),
        (
            "BlockedLayout([1, 4], [8, 4], [4, 1], oder=[1, 0])",
            "64x64",
            "the nearest field is `order`",
        ),
        (
            "BlockedLayout([1, 4], [8, 4], [4, 1])",
            "64x64",
            "`BlockedLayout` needs the field `order`",
        ),
        (
            "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0], order=[1, 0])",
            "64x64",
            "field `order` is given twice",
        ),
        (
            "BlockedLayout([1, VEC], [8, 4], [4, 1], [1, 0])",
            "64x64",
            "the value of `VEC` is unknown",
        ),
        (
            "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0]",
            "64x64",
            "expected `,` or `)` at byte 44, found the end",
        ),
        (
            "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0], ctas_per_cga=[2, 1])",
            "64x64",
            "exists only in Triton 3.6 and earlier; use `cga_layout`, such as `cga_layout=[[1, 0]]`",
        ),
        (
            "BlockedLayout([1, 4], [8, 4], [4, 1], [1, 0])",
            "",
            "the tensor shape is missing; an encoding requires a shape",
        ),
        (
            "DistributedLinearLayout([[0, 1]], [], [], [], [1, 2])",
            "4x2",
            "the layout has shape 1x2, but the shape argument is 4x2",
        ),
    ]);
}

#[test]
fn types_of_mlir() {
    let tensor = format!("tensor<64x64xf16, {BLOCKED}>");
    let pointers = format!("tensor<64x64x!tt.ptr<f16>, {BLOCKED}>");
    let buffer = format!("!ttg.memdesc<64x64xf16, {SWIZZLED}, #ttg.shared_memory, mutable>");
    let buffers = format!("!ttg.memdesc<3x64x64xf16, {SWIZZLED}, #ttg.shared_memory, mutable>");
    let part = format!("!ttg.memdesc<64x32xf16, {SWIZZLED}, #ttg.shared_memory, mutable, 64x64>");
    let descriptor = format!("!tt.tensordesc<tensor<64x64xf16, {SWIZZLED}>>");
    let defined =
        format!("#blocked = {BLOCKED}\n#smem = #ttg.shared_memory\ntensor<64x64xf16, #blocked>");
    let sliced = format!(
        "#b = {BLOCKED}\n#loc = loc(\"k.py\":1:1)\ntensor<64xf32, #ttg.slice<{{dim = 1, parent = #b}}>>"
    );
    let slice = format!("#ttg.slice<{{dim = 1, parent = {BLOCKED}}}>");
    let definition = format!("#blocked = {BLOCKED}");
    check(&[
        (&tensor, "", BLOCKED, "64x64"),
        (&tensor, "64x64", BLOCKED, "64x64"),
        (&pointers, "", BLOCKED, "64x64"),
        (&buffer, "", SWIZZLED, "64x64"),
        (&buffers, "", SWIZZLED, "64x64"),
        (&part, "", SWIZZLED, "64x64"),
        (&descriptor, "", SWIZZLED, "64x64"),
        (&defined, "", BLOCKED, "64x64"),
        (&sliced, "", &slice, "64"),
        (&definition, "64x64", BLOCKED, "64x64"),
    ]);
    refuse(&[
        (
            "tensor<64x64xf16, #blocked>",
            "",
            "alias `#blocked` is not defined; define it with `#blocked = ...` first\n  tensor<64x64xf16, #blocked>\n",
        ),
        (
            "tensor<64x64xf16, #blocked>",
            "",
            "note: write the definition of the alias before the layout",
        ),
        (
            "#blocked",
            "64x64",
            "note: write the definition of the alias before the layout",
        ),
        ("tensor<64x64xf16>", "", "the tensor has no encoding"),
        ("tensor<?x64xf16, #blocked>", "", "is dynamic (`?`)"),
        (
            "memref<64x64xf16>",
            "",
            "write the shape and the strides as a CuTe layout",
        ),
        (
            &tensor,
            "32x64",
            "the layout has shape 64x64, but the shape argument is 32x64",
        ),
        (
            "ttg.blocked<{order = [0]}>",
            "64",
            "encodings begin with `#`: write `#ttg.blocked<...>`",
        ),
    ]);
}

#[test]
fn types_need_no_type_and_shape_beside_them() {
    let src = format!("tensor<64x64xf16, {BLOCKED}>");
    let dst = format!(
        "#ttg.slice<{{dim = 2, parent = {}}}>",
        "#ttg.blocked<{sizePerThread = [4, 1, 1], threadsPerWarp = [8, 4, 1], warpsPerCTA = [1, 4, 1], order = [0, 1, 2]}>"
    );
    let (code, output, errors) = run(&["convert", &src, &dst, "--target", "h100"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(
        output.contains("a tensor of 64x64, 16 bits an element, on cuda:90\n"),
        "{output}"
    );
    let buffer = format!("!ttg.memdesc<64x64xf16, {SWIZZLED}, #ttg.shared_memory>");
    let banks = ["show", &buffer, "--view", "banks", "--target", "a100"];
    assert_eq!(run(&banks).0, 0);
    let typed = [
        "show", SWIZZLED, "64x64", "--view", "banks", "--target", "sm_80", "--type", "float16",
    ];
    assert_eq!(run(&banks).1, run(&typed).1);
    let (code, output, _) = run(&["eval", &src, "register=1,lane=5"]);
    assert_eq!(
        (code, output.as_str()),
        (0, "register=1, lane=5, warp=0, block=0 -> dim0=1, dim1=5\n")
    );
    let (code, output, _) = run(&["eval", &src, "--inverse", "1,5"]);
    assert_eq!(
        (code, output.as_str()),
        (0, "dim0=1, dim1=5 <- register=1, lane=5, warp=0, block=0\n")
    );
}

#[test]
fn cute_and_cutlass() {
    let swizzled = "Sw<3,3,3> o 0 o (8,64):(64,1)";
    check(&[
        ("(_8,_64):(_64,_1)", "", "(8,64):(64,1)", ""),
        ("(8, 64) : (64, 1)", "", "(8,64):(64,1)", ""),
        (
            "((_8,_1),_1,_16,_1):((_1,_0),_0,_1024,_0)",
            "",
            "((8,1),1,16,1):((1,0),0,1024,0)",
            "",
        ),
        // A swizzle before a pointer acts on bytes.
        (
            "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)",
            "",
            swizzled,
            "",
        ),
        (
            "Sw<3,4,3> o smem_ptr[32b](unset) o (_8,_32):(_32,_1)",
            "",
            "Sw<3,2,3> o 0 o (8,32):(32,1)",
            "",
        ),
        (
            "Sw<1,4,3> o smem_ptr[8b](unset) o (_8,_32):(_32,_1)",
            "",
            "Sw<1,4,3> o 0 o (8,32):(32,1)",
            "",
        ),
        (
            "Sw<3,4,3> o smem_ptr[16b](unset) o ((_64,_4),(_8,_8),(_1,_3)):((_1,_512),(_64,_2048),(_0,_16384))",
            "",
            "Sw<3,3,3> o 0 o ((64,4),(8,8),(1,3)):((1,512),(64,2048),(0,16384))",
            "",
        ),
        (
            "tCsA: Sw<3,4,3>_smem_ptr[16b](0x7f8800000400) o\n    ((_64,(_8,_2)),_2,_4,_3):((_1,(_64,_1024)),_512,_2048,_8192)",
            "",
            "Sw<3,3,3> o 0 o ((64,(8,2)),2,4,3):((1,(64,1024)),512,2048,8192)",
            "",
        ),
        (
            "tCsA:\tSw<3,4,3>_smem_ptr[16b](SMEM_ADDR_A) o ((_128,_16),_1,_4):((_64,_1),_0,_16)",
            "",
            "Sw<3,3,3> o 0 o ((128,16),1,4):((64,1),0,16)",
            "",
        ),
        (
            "Sw<3,4,3> o smem_ptr16b o (_8,_64):(_64,_1)",
            "",
            swizzled,
            "",
        ),
        // A swizzle after a pointer acts on elements.
        (
            "smem_ptr[16b](0x7f8f00000c00) o Sw<3,3,3> o _0 o (((_64,_256),_2)):(((_1,_64),_16384))",
            "",
            "Sw<3,3,3> o 0 o (((64,256),2)):(((1,64),16384))",
            "",
        ),
        (
            "smem_ptr[16b](0x7f8f00001380) o ((_8,_1),_1,_16,_1):((_1,_0),_0,_1024,_0)",
            "",
            "((8,1),1,16,1):((1,0),0,1024,0)",
            "",
        ),
        (
            "mA: gmem_ptr[32b](0x731ff4000200) o (128,64):(_1,128)",
            "",
            "(128,64):(1,128)",
            "",
        ),
        (
            "tErA: ptr[32b](0x732143fff640) o (_1,(_8)):(_0,(_1))",
            "",
            "(1,(8)):(0,(1))",
            "",
        ),
        ("Swizzle<3,3,3> o _0 o (_8,_64):(_64,_1)", "", swizzled, ""),
        ("S<3,3,3> o 0 o (8,64):(64,1)", "", swizzled, ""),
        (
            "Layout<Shape<_8,_64>,Stride<_64,_1>>",
            "",
            "(8,64):(64,1)",
            "",
        ),
        (
            "cute::Layout<cute::tuple<cute::C<8>, cute::C<64>>, cute::tuple<cute::C<64>, cute::C<1>>>",
            "",
            "(8,64):(64,1)",
            "",
        ),
        (
            "using A = Layout<Shape <_8, Shape<_4,_2>>, Stride<_8, Stride<_1,_4>>>;",
            "",
            "(8,(4,2)):(8,(1,4))",
            "",
        ),
        (
            "using SmemLayoutAtom = decltype(composition(Swizzle<3,3,3>{}, Layout<Shape < _8,_64>, Stride<_64, _1>>{}));",
            "",
            swizzled,
            "",
        ),
        (
            "ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag_bits<16>, Layout<Shape<_8,_64>,Stride<_64,_1>>>",
            "",
            swizzled,
            "",
        ),
        (
            "ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag, Layout<Shape<_8,_1024>,Stride<_1024,_1>>>",
            "",
            "Sw<3,7,3> o 0 o (8,1024):(1024,1)",
            "",
        ),
        (
            "make_layout(make_shape(Int<8>{}, Int<64>{}), LayoutRight{})",
            "",
            "(8,64):(64,1)",
            "",
        ),
        (
            "make_layout(Shape<_8,_64>{}, GenColMajor{})",
            "",
            "(8,64):(1,8)",
            "",
        ),
        (
            "sA = cute.make_layout((8, 64), stride=(64, 1))",
            "",
            "(8,64):(64,1)",
            "",
        ),
        (
            "cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, cute.make_layout((8, 64), stride=(64, 1)))",
            "",
            swizzled,
            "",
        ),
        // CuTe's Python front end.
        (
            "tensor<ptr<f32, smem, align<1024>, S<3,4,3>> o ((32,2),(8,8),(1,2)):((1,2048),(32,256),(0,4096))>",
            "",
            "Sw<3,2,3> o 0 o ((32,2),(8,8),(1,2)):((1,2048),(32,256),(0,4096))",
            "",
        ),
        (
            "tensor(raw_ptr(0x0000000000000400: f16, smem, align<1024>) o (8,8):(8,1), data=\n       [[",
            "",
            "(8,8):(8,1)",
            "",
        ),
    ]);
    refuse(&[
        (
            "ArithTuple(0,_0) o (((_64,_128),_1),4):(((_1@0,_1@1),_0),_64@0)",
            "",
            "is a coordinate tensor",
        ),
        (
            "Layout<Shape<int,_64>,Stride<_64,_1>>",
            "",
            "is dynamic; expected a static number, such as `_8`",
        ),
        (
            "smem_ptr[16b](0x7f00)",
            "",
            "expected ` o ` and a layout at byte 21, found the end",
        ),
        (
            "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1",
            "",
            "expected `,` or `)` at byte",
        ),
        ("(8,64):(64)", "", "have different structures"),
        (
            "Sw<3,4> o 0 o (8,64):(64,1)",
            "",
            "expected `,` and the shift",
        ),
        (
            "Sw<4,3,3> o 0 o (8,64):(64,1)",
            "",
            "Sw<4,3,3> is not a swizzle",
        ),
        (
            "Layout<Shape<_8,_64>",
            "",
            "expected `,` or `>` at byte 20, found the end",
        ),
    ]);
}

#[test]
fn tilus() {
    let mma = "RegisterLayout(shape=[16, 8], mode_shape=[2, 8, 4, 2], spatial_modes=[1, 2], local_modes=[0, 3])";
    let shared = "SharedLayout(shape=[8, 64], mode_shape=[8, 64], mode_strides=[64, 1], swizzle=Swizzle(base=3, bits=3, shift=3))";
    check(&[
        ("local(2, 1).spatial(8, 4).local(1, 2)", "", mma, ""),
        ("repeat(2, 1).spatial(8, 4).repeat(1, 2)", "", mma, ""),
        ("local(2, 1) * spatial(8, 4) * local(1, 2)", "", mma, ""),
        (
            "tilus.ir.layout.local(2, 1).spatial(8, 4).local(1, 2)",
            "",
            mma,
            "",
        ),
        (
            "register_layout(shape=[16, 8], mode_shape=[2, 8, 4, 2], spatial_modes=[1, 2], local_modes=[0, 3])",
            "",
            mma,
            "",
        ),
        (
            "RegisterLayout(shape=(16, 8), mode_shape=(2, 8, 4, 2), spatial_modes=(1, 2), local_modes=(0, 3))",
            "",
            mma,
            "",
        ),
        (
            "register_layout([16, 8], [2, 8, 4, 2], [1, 2], [0, 3])",
            "",
            mma,
            "",
        ),
        (
            "spatial(8, 4).local(2, 1)",
            "",
            "compose(spatial(8, 4), local(2, 1))",
            "",
        ),
        (
            "spatial(3, 4, ranks=[1, 0])",
            "",
            "column_spatial(3, 4)",
            "",
        ),
        (
            "column_local(2, 3)",
            "",
            "RegisterLayout(shape=[2, 3], mode_shape=[2, 3], spatial_modes=[], local_modes=[1, 0])",
            "",
        ),
        (
            "reduce(spatial(3, 4), dims=[0])",
            "",
            "RegisterLayout(shape=[4], mode_shape=[4], spatial_modes=[-3, 0], local_modes=[])",
            "",
        ),
        (
            "auto_local_spatial(num_threads=16, shape=[2, 32])",
            "",
            "local(2, 2).spatial(1, 16)",
            "",
        ),
        (
            "permute(local(2, 1).spatial(8, 4), dims=[1, 0])",
            "",
            "local(1, 2) * column_spatial(4, 8)",
            "",
        ),
        (
            "shared_row_major(8, 64).apply_swizzle(Swizzle(base=3, bits=3, shift=3))",
            "",
            shared,
            "",
        ),
        (
            "shared_row_major_swizzle(shape=[8, 64], dtype_nbytes=2)",
            "",
            shared,
            "",
        ),
        (
            "shared_layout(shape=[8, 64], mode_shape=[8, 64], mode_strides=[64, 1], optional_swizzle=Swizzle(base=3, bits=3, shift=3))",
            "",
            shared,
            "",
        ),
        (
            "shared_column_major(64, 8).transpose()",
            "",
            "shared_row_major(8, 64)",
            "",
        ),
    ]);
    refuse(&[
        (
            "spacial(8, 4)",
            "",
            "there is no layout `spacial`; the nearest is `spatial`",
        ),
        ("spatial(8, 4).locl(2)", "", "expected `spatial(`, `local("),
        ("spatial(8, 4", "", "expected `,` or `)` at byte 12"),
        (
            "spatial(8, 4, dims=[0])",
            "",
            "a known argument of the function, or `)`",
        ),
        ("spatial(8, 0)", "", "expected an extent of 1 or more"),
        (
            "register_layout(shape=[4], mode_shape=[4])",
            "",
            "expected `spatial_modes=[...]`",
        ),
        (
            "shared_row_major(8, 64).spatial(4)",
            "",
            "expected a layout of shared memory",
        ),
        ("frobnicate(8)", "", "there is no layout `frobnicate`"),
    ]);
}

#[test]
fn gpus_and_element_types() {
    for (name, target) in [
        ("h100", "cuda:90"),
        ("H200", "cuda:90"),
        ("sm90", "cuda:90"),
        ("sm_90a", "cuda:90"),
        ("NVIDIA GeForce RTX 4090", "cuda:89"),
        ("t4", "cuda:75"),
        ("v100", "cuda:70"),
        ("b200", "cuda:100"),
        ("MI250", "hip:gfx90a"),
        ("mi325x", "hip:gfx942"),
        ("GFX942", "hip:gfx942"),
        ("mi355x", "hip:gfx950"),
        ("rx7900xtx", "hip:gfx1100"),
        ("rx 9070 xt", "hip:gfx1201"),
    ] {
        let list = |target| run(&["list", "--instructions", "--json", "--target", target]);
        assert_eq!(list(name), list(target), "{name}");
        assert_eq!(list(name).0, 0, "{name}");
    }
    let convert = |element: &str, target: &str| {
        run(&[
            "convert", BLOCKED, BLOCKED, "64x64", "--type", element, "--target", target,
        ])
    };
    for (target, message) in [
        (
            "mi30x",
            "unknown target `mi30x`; the nearest is `mi300x`, which is `hip:gfx942`",
        ),
        (
            "cuda:91",
            "unknown target `cuda:91`; the nearest is `cuda:90`",
        ),
        (
            "p100",
            "target `p100` is not supported: `sm_60` is too old; the oldest supported target is `cuda:70`",
        ),
        ("abacus", "known targets are `cuda:70` to `cuda:121`"),
    ] {
        let (code, _, errors) = convert("f16", target);
        assert_eq!(code, 1);
        assert!(errors.contains(message), "{errors}");
    }
    for (name, bits) in [
        ("fp16", 16),
        ("bfloat16", 16),
        ("u8", 8),
        ("torch.float8_e4m3fn", 8),
        ("half_t", 16),
    ] {
        let (code, output, _) = convert(name, "h100");
        assert_eq!(code, 0, "{name}");
        assert!(
            output.contains(&format!(" {bits} bits an element")),
            "{output}"
        );
    }
}
