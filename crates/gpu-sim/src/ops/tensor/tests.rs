//! Tests of tensor copies against elementwise references, and of the reports of misuses.

use crate::ops::tests::asynchronous::{AsyncKernel, FENCE, asm, asm_with, store};
use crate::{Arrival, FaultKind, KernelError, Memory, Schedule, Swizzle, TensorElement, TensorMap};

/// Byte offset in the buffer `%in` at which the data of the tensor begins. The tensor map is at the beginning of
/// the buffer.
const DATA: u32 = 1024;
const BARRIER_AT: u32 = 16384;
const BARRIER: &str = "\"nvvm.barrier0\"() : () -> ()\n";

fn addresses() -> [u64; 2] {
    let mut memory = Memory::default();
    ["in", "out"].map(|name| {
        let buffer = memory.add(name, Vec::new());
        memory.address(buffer)
    })
}

/// Returns the map of a tensor with 20 rows of 72 16-bit elements. A box has 8 rows of 64 elements.
fn map(swizzle: Swizzle) -> TensorMap {
    TensorMap {
        address: addresses()[0] + u64::from(DATA),
        element: TensorElement::U16,
        dims: vec![72, 20],
        strides: vec![160],
        block: vec![64, 8],
        swizzle,
        fills_nan: false,
        pixels: None,
    }
}

fn element(row: u32, column: u32) -> u16 {
    (row * 100 + column + 1) as u16
}

fn input(map: &TensorMap) -> Vec<u8> {
    let mut bytes = vec![0xee; 8192];
    bytes[..128].copy_from_slice(&map.encode());
    for row in 0..20 {
        for column in 0..72 {
            let at = (DATA + row * 160 + column * 2) as usize;
            bytes[at..at + 2].copy_from_slice(&element(row, column).to_le_bytes());
        }
    }
    bytes
}

const NAMES: &str = "%first = \"llvm.icmp\"(%t, %c0) <{predicate = 0 : i64}> : (i32, i32) -> i1\n";

/// Returns an inline assembly operation that is executed only by thread 0, for which `%first` is true.
fn once(text: &str, operands: &[(&str, &str)]) -> String {
    let mut all = operands.to_vec();
    all.push(("%first", "i1"));
    let letters = all.iter().map(|(_, ty)| match *ty {
        "i1" => "b",
        "i32" => "r",
        _ => "l",
    });
    let letters: Vec<&str> = letters.collect();
    asm(
        &format!("@${} {text}", operands.len()),
        &letters.join(","),
        &all,
    )
}

fn init() -> String {
    let one = format!("mbarrier.init.shared::cta.b64 [$0 + {BARRIER_AT}], 1;");
    [&once(&one, &[("%s", "i32")]), BARRIER].concat()
}

fn expect(bytes: u32) -> String {
    let text =
        format!("mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0 + {BARRIER_AT}], {bytes};");
    once(&text, &[("%s", "i32")])
}

fn load(x: i32, y: i32) -> String {
    let names = format!(
        "%x = \"llvm.mlir.constant\"() <{{value = {x} : i32}}> : () -> i32\n%y = \"llvm.mlir.constant\"() <{{value = {y} : i32}}> : () -> i32\n"
    );
    let text = format!(
        "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [$0], [$1, {{$2, $3}}], [$0 + {BARRIER_AT}];"
    );
    let operands = [
        ("%s", "i32"),
        ("%in", "!llvm.ptr<1>"),
        ("%x", "i32"),
        ("%y", "i32"),
    ];
    names + &once(&text, &operands)
}

fn wait() -> String {
    let text = format!(
        "{{ .reg .pred complete; waitLoop: mbarrier.try_wait.parity.shared.b64 complete, [$0 + {BARRIER_AT}], 0; @!complete bra.uni waitLoop; }}"
    );
    asm(&text, "r", &[("%s", "i32")])
}

/// Returns operations that copy 256 words from shared memory to `%out`. Each of 64 threads copies 4 words.
fn show() -> String {
    let one = |column: u32| {
        format!(
            "%at{column} = \"llvm.getelementptr\"(%smem, %t) <{{elem_type = !llvm.array<4 x i32>, rawConstantIndices = array<i32: -2147483648>}}> : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>\n\
             %to{column} = \"llvm.getelementptr\"(%at{column}) <{{elem_type = i32, rawConstantIndices = array<i32: {column}>}}> : (!llvm.ptr<3>) -> !llvm.ptr<3>\n\
             %word{column} = \"llvm.load\"(%to{column}) : (!llvm.ptr<3>) -> i32\n"
        ) + &store(&format!("%word{column}"), "i32", column, 4)
    };
    (0..4).map(one).collect()
}

fn kernel(swizzle: Swizzle, body: &[&str]) -> AsyncKernel {
    AsyncKernel {
        input: input(&map(swizzle)),
        words: 256,
        ..AsyncKernel::new(64, [&[NAMES], body].concat().concat())
    }
}

const SCHEDULES: [Schedule; 3] = [Schedule::Lockstep, Schedule::Warps(4), Schedule::Warps(5)];
const ARRIVALS: [Arrival; 3] = [Arrival::Early, Arrival::Late, Arrival::Random(7)];

fn runs(kernel: &AsyncKernel) -> Vec<Result<Vec<u32>, KernelError>> {
    let pairs = SCHEDULES.map(|schedule| ARRIVALS.map(|arrival| (schedule, arrival)));
    let pairs = pairs.into_iter().flatten();
    pairs
        .map(|(schedule, arrival)| kernel.run_as(schedule, arrival))
        .collect()
}

#[track_caller]
fn check_fault(kernel: &AsyncKernel, kind: FaultKind, words: &[&str]) {
    for found in runs(kernel) {
        let error = found.expect_err("it is wrong");
        assert_eq!(error.kind(), kind, "{error}");
        for word in words {
            assert!(error.to_string().contains(word), "{word}: {error}");
        }
    }
}

#[test]
fn boxes_come_swizzled_and_zero_outside() {
    for (swizzle, bits) in [(Swizzle::None, 0), (Swizzle::Bytes128, 7)] {
        for (x, y) in [(0, 0), (16, 14), (-8, -3), (72, 0)] {
            let body = [&*init(), &expect(1024), &load(x, y), &wait(), &show()];
            for found in runs(&kernel(swizzle, &body)) {
                let words = found.expect("it runs");
                for row in 0..8_u32 {
                    for column in 0..64_u32 {
                        let at = row * 128 + ((column / 8) ^ (row & bits)) * 16 + column % 8 * 2;
                        let word = words[at as usize / 4] >> (8 * (at % 4));
                        let (i, j) = (y + row as i32, x + column as i32);
                        let is_inside = (0..20).contains(&i) && (0..72).contains(&j);
                        let expect = if is_inside {
                            element(i as u32, j as u32)
                        } else {
                            0
                        };
                        assert_eq!(word as u16, expect, "{swizzle:?} {x} {y}: {row} {column}");
                    }
                }
            }
        }
    }
}

#[test]
fn bytes_in_flight_are_not_touched() {
    let begun = [&*init(), &expect(1024), &load(0, 0), BARRIER].concat();
    let late = [&*begun, &show(), &wait()];
    check_fault(
        &kernel(Swizzle::None, &late),
        FaultKind::InFlight,
        &[
            "load from byte",
            "which an asynchronous copy in flight writes",
            "cp.async.bulk.tensor",
            "mbarrier.try_wait",
        ],
    );
    let gone = [&*init(), &expect(1024), &load(0, 0)];
    check_fault(
        &kernel(Swizzle::None, &gone),
        FaultKind::InFlight,
        &["the block returns before an asynchronous copy has finished writing shared memory"],
    );
}

#[test]
fn bytes_must_be_those_that_are_expected() {
    let less = [&*init(), &expect(512), &load(0, 0), &wait(), &show()];
    check_fault(
        &kernel(Swizzle::None, &less),
        FaultKind::Barrier,
        &["512 bytes more than expected", "cp.async.bulk.tensor"],
    );
    let more = [&*init(), &expect(2048), &load(0, 0), &wait(), &show()];
    check_fault(
        &kernel(Swizzle::None, &more),
        FaultKind::Deadlock,
        &["0 of 1 arrivals and 1024 bytes pending"],
    );
    let none = [&*load(0, 0)];
    check_fault(
        &kernel(Swizzle::None, &none),
        FaultKind::Barrier,
        &["copy that signals an uninitialised mbarrier at byte 16384 of `smem`"],
    );
}

#[test]
fn maps_and_addresses_are_checked() {
    let body = [&*init(), &expect(1024), &load(0, 0), &wait(), &show()];
    let mut wrong = kernel(Swizzle::Bytes64, &body);
    check_fault(
        &wrong,
        FaultKind::Malformed,
        &["box rows of 128 bytes, expected at most the swizzle width, 64"],
    );
    wrong.input[..128].fill(0);
    check_fault(
        &wrong,
        FaultKind::Malformed,
        &["the bytes are not a tensor map"],
    );
    let one = load(0, 0)
        .replace("tensor.2d", "tensor.1d")
        .replace("{$2, $3}", "{$2}");
    check_fault(
        &kernel(Swizzle::None, &[&*init(), &expect(1024), &one]),
        FaultKind::Malformed,
        &["tensor copy has 1 coordinates, but the tensor map has 2 dimensions"],
    );
    let reported_lane = load(0, 0).replace("[$0], [$1", "[$0 + 64], [$1");
    check_fault(
        &kernel(Swizzle::None, &[&*init(), &expect(1024), &reported_lane]),
        FaultKind::Misaligned,
        &["is not a multiple of 128"],
    );
    let error = kernel(
        Swizzle::None,
        &[&*load(0, 0).replace("tensor.2d", "tensor.3d")],
    )
    .run();
    assert_eq!(
        error.expect_err("two of three").kind(),
        FaultKind::Malformed
    );
}

/// If threads have written shared memory through the generic proxy, a tensor copy to the same bytes needs a proxy
/// fence.
#[test]
fn copies_come_behind_a_fence_of_proxies() {
    let write = "%cell = \"llvm.getelementptr\"(%smem, %t) <{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>\n\"llvm.store\"(%t, %cell) : (i32, !llvm.ptr<3>) -> ()\n";
    let rest = [init(), expect(1024), load(0, 0), wait(), show()].concat();
    check_fault(
        &kernel(Swizzle::None, &[write, &rest]),
        FaultKind::MissingFence,
        &["store to byte", "the write through the async proxy"],
    );
    for found in runs(&kernel(
        Swizzle::None,
        &[write, &asm(FENCE, "", &[]), &rest],
    )) {
        found.expect("it runs");
    }
}

/// Returns a kernel that copies a box of 4 rows of 16 words from shared memory to `%out`, a tensor with 3 rows of
/// 16 words. The box begins at row 1 and column 8, so only 2 rows of 8 words are inside the tensor.
fn stored(direction: &str, element: TensorElement) -> AsyncKernel {
    let map = TensorMap {
        address: addresses()[1],
        element,
        dims: vec![16, 3],
        strides: vec![64],
        block: vec![16, 4],
        swizzle: Swizzle::None,
        fills_nan: false,
        pixels: None,
    };
    let copy = once(
        &format!("{direction} [$0, {{$2, $3}}], [$1 + 512];"),
        &[
            ("%in", "!llvm.ptr<1>"),
            ("%s", "i32"),
            ("%c8", "i32"),
            ("%c1", "i32"),
        ],
    );
    let group = [
        asm("cp.async.bulk.commit_group;", "", &[]),
        asm("cp.async.bulk.wait_group.read 0;", "", &[]),
    ]
    .concat();
    let mut input = vec![0; 1024];
    input[..128].copy_from_slice(&map.encode());
    for word in 0..64_usize {
        let value = match element {
            TensorElement::F32 => (word as f32).to_bits(),
            _ => 1000 + word as u32,
        };
        input[512 + 4 * word..][..4].copy_from_slice(&value.to_le_bytes());
    }
    AsyncKernel {
        input,
        loaded: 1024,
        words: 64,
        ..AsyncKernel::new(64, [NAMES, &copy, &group].concat())
    }
}

const STORE: &str = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group";
const ADD: &str = "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group";

#[test]
fn boxes_are_stored_as_far_as_they_lie_inside() {
    for found in runs(&stored(STORE, TensorElement::U32)) {
        let found = found.expect("it runs");
        for (at, word) in found.into_iter().enumerate() {
            let (row, column) = (at / 16, at % 16);
            let is_inside = (1..3).contains(&row) && column >= 8;
            let expect = 976 + 16 * row + column;
            assert_eq!(
                word as usize,
                if is_inside { expect } else { 0 },
                "{row} {column}"
            );
        }
    }
}

#[test]
fn boxes_are_added() {
    let mut kernel = stored(ADD, TensorElement::F32);
    let copies = kernel
        .body
        .lines()
        .filter(|line| line.contains("cp.reduce"));
    let copies: Vec<String> = copies.map(str::to_owned).collect();
    kernel.body = kernel
        .body
        .replace(&copies[0], &format!("{0}\n{0}", copies[0]));
    for found in runs(&kernel) {
        let found = found.expect("it runs");
        for (at, word) in found.into_iter().enumerate() {
            let (row, column) = (at / 16, at % 16);
            let is_inside = (1..3).contains(&row) && column >= 8;
            let value = 2.0 * (16.0 * (row as f32 - 1.0) + column as f32 - 8.0);
            assert_eq!(
                f32::from_bits(word),
                if is_inside { value } else { 0.0 },
                "{row} {column}"
            );
        }
    }
}

#[test]
fn sources_of_stores_are_kept() {
    let write = "%cell = \"llvm.getelementptr\"(%smem, %t) <{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>\n\
        %to = \"llvm.getelementptr\"(%cell) <{elem_type = i32, rawConstantIndices = array<i32: 128>}> : (!llvm.ptr<3>) -> !llvm.ptr<3>\n\"llvm.store\"(%t, %to) : (i32, !llvm.ptr<3>) -> ()\n";
    let mut kernel = stored(STORE, TensorElement::U32);
    let end = kernel.body.lines().last().unwrap_or_default().to_owned();
    kernel.body = kernel.body.replace(&end, write);
    // Without the wait, a store conflicts with the copy. If the store comes first, the fence is missing.
    for found in runs(&kernel) {
        let error = found.expect_err("it is wrong");
        assert!(
            matches!(error.kind(), FaultKind::InFlight | FaultKind::Race),
            "{error}"
        );
    }
    kernel.body = [write, BARRIER, &stored(STORE, TensorElement::U32).body].concat();
    check_fault(
        &kernel,
        FaultKind::MissingFence,
        &["store to byte", "the read through the async proxy"],
    );
}

/// A kernel builds a tensor map in shared memory, field by field, and copies it to global memory.
#[test]
fn maps_are_made_on_the_device() {
    let field = |name: &str, bits: u32, operand: &str| {
        format!("tensormap.replace.tile.{name}.shared::cta.b1024.b{bits} [$0], {operand};")
    };
    let address = addresses()[0] + u64::from(DATA);
    let fields = [
        field("global_address", 64, &address.to_string()),
        field("rank", 32, "1"),
        field("box_dim", 32, "0, 64"),
        field("box_dim", 32, "1, 8"),
        field("global_dim", 32, "0, 72"),
        field("global_dim", 32, "1, 20"),
        field("global_stride", 64, "0, 160"),
        field("element_stride", 32, "0, 1"),
        field("element_stride", 32, "1, 1"),
        field("elemtype", 32, "1"),
        field("interleave_layout", 32, "0"),
        field("swizzle_mode", 32, "3"),
        field("fill_mode", 32, "0"),
    ];
    let fields: String = fields
        .iter()
        .map(|text| once(text, &[("%m", "i32")]))
        .collect();
    let zero = "%c8192 = \"llvm.mlir.constant\"() <{value = 8192 : i32}> : () -> i32\n\
        %m = \"llvm.add\"(%s, %c8192) : (i32, i32) -> i32\n\
        %mp = \"llvm.inttoptr\"(%m) : (i32) -> !llvm.ptr<3>\n\
        %mq = \"llvm.getelementptr\"(%mp, %t) <{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>\n\
        \"llvm.store\"(%c0, %mq) : (i32, !llvm.ptr<3>) -> ()\n";
    let first_warp = "%c32 = \"llvm.mlir.constant\"() <{value = 32 : i32}> : () -> i32\n\
        %is0 = \"llvm.icmp\"(%t, %c32) <{predicate = 6 : i64}> : (i32, i32) -> i1\n\
        \"llvm.cond_br\"(%is0)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()\n^bb1:\n";
    let publish = asm(
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], 128;",
        "l,r",
        &[("%in", "!llvm.ptr<1>"), ("%m", "i32")],
    );
    let acquire = asm(
        "fence.proxy.tensormap::generic.acquire.gpu [$0], 128;",
        "l",
        &[("%in", "!llvm.ptr<1>")],
    );
    let elected = asm_with(
        "{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.b32 $0, 1, 0, p; }",
        "=r",
        &[],
        "%leader = i32",
    );
    let body = [
        zero,
        BARRIER,
        &fields,
        first_warp,
        "\"nvvm.bar.warp.sync\"(%all) : (i32) -> ()\n",
        &publish,
        &acquire,
        "\"llvm.br\"()[^bb2] : () -> ()\n^bb2:\n",
        BARRIER,
        &init(),
        &expect(1024),
        &load(0, 0),
        &wait(),
        &show(),
        &elected,
    ];
    let all = "%all = \"llvm.mlir.constant\"() <{value = -1 : i32}> : () -> i32\n";
    let made = |body: String| AsyncKernel {
        input: [vec![0; 128], input(&map(Swizzle::None))[128..].to_vec()].concat(),
        words: 256,
        ..AsyncKernel::new(64, [NAMES, all, &body].concat())
    };
    let no_fence = made(body.concat().replace(&*acquire, ""));
    for found in runs(&no_fence) {
        let error = found.expect_err("no thread acquires the map");
        assert_eq!(error.kind(), FaultKind::MissingFence, "{error}");
    }
    let made = made(body.concat());
    let given = [&*init(), &expect(1024), &load(0, 0), &wait(), &show()];
    let given = kernel(Swizzle::Bytes128, &given).run().expect("it runs");
    for found in runs(&made) {
        assert_eq!(found.expect("it runs"), given);
    }
}

#[test]
fn a_product_reads_what_a_copy_brought() {
    let map = TensorMap {
        address: addresses()[0] + u64::from(DATA),
        element: TensorElement::F16,
        dims: vec![64, 64],
        strides: vec![128],
        block: vec![64, 64],
        swizzle: Swizzle::Bytes128,
        fills_nan: false,
        pixels: None,
    };
    let mut input = vec![0; 16384];
    input[..128].copy_from_slice(&map.encode());
    let value = |row: u32, k: u32| ((row * 3 + k * 5) % 7) as f32 - 3.0;
    for (row, k) in (0..64).flat_map(|row| (0..64).map(move |k| (row, k))) {
        let at = (DATA + row * 128 + k * 2) as usize;
        let bits = crate::FloatTy::F16.from_f64(value(row, k).into()) as u16;
        input[at..at + 2].copy_from_slice(&bits.to_le_bytes());
    }
    // Both operands are the box: 64 rows, and its first 8 rows as columns; k from 48 on.
    let descriptor = (96_u64 >> 4) | (1024 >> 4) << 32 | 1 << 62;
    let product = [
        format!("%d = \"llvm.mlir.constant\"() <{{value = {descriptor} : i64}}> : () -> i64\n"),
        asm("wgmma.fence.sync.aligned;", "", &[]),
        asm_with(
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $4, $5, 0, 1, 1, 0, 0;",
            "=f,=f,=f,=f,l,l",
            &[("%d", "i64"), ("%d", "i64")],
            "%p = !llvm.struct<(f32, f32, f32, f32)>",
        ),
        asm("wgmma.commit_group.sync.aligned;", "", &[]),
        asm("wgmma.wait_group.sync.aligned 0;", "", &[]),
        "%p0 = \"llvm.extractvalue\"(%p) <{position = array<i64: 0>}> : (!llvm.struct<(f32, f32, f32, f32)>) -> f32\n".to_owned(),
        store("%p0", "f32", 0, 1),
    ]
    .concat();
    let kernel = AsyncKernel {
        input,
        ..AsyncKernel::new(
            128,
            [
                NAMES,
                &init(),
                &expect(8192),
                &load(0, 0),
                &wait(),
                &product,
            ]
            .concat(),
        )
    };
    for found in runs(&kernel) {
        let found = found.expect("it runs");
        for (thread, word) in (0..).zip(found) {
            let (row, column) = (thread / 32 * 16 + thread % 32 / 4, thread % 4 * 2);
            let sum: f32 = (48..64).map(|k| value(row, k) * value(column, k)).sum();
            assert_eq!(f32::from_bits(word), sum, "{row} {column}");
        }
    }
    let hasty = AsyncKernel {
        body: kernel.body.replace(&wait(), ""),
        input: kernel.input.clone(),
        ..AsyncKernel::new(128, "")
    };
    for found in runs(&hasty) {
        let error = found.expect_err("it does not wait");
        let kinds = [FaultKind::InFlight, FaultKind::Uninitialised];
        assert!(kinds.contains(&error.kind()), "{error}");
    }
}

/// Returns a kernel with two teams: warp 2 copies two boxes to shared memory, and warps 0 and 1 add them up. Each
/// entry of `changes` is a part of the kernel and its replacement.
fn teams(changes: &[(&str, &str)]) -> AsyncKernel {
    let at = |offset: u32| BARRIER_AT + offset;
    let mbarrier = |text: &str, offset: u32, parameter: &str| {
        let address = format!("[$0 + {}]", at(offset));
        asm(
            &format!(
                "@$1 mbarrier.{text}.shared::cta.b64 {}{address}{parameter};",
                match text {
                    "init" => "",
                    _ => "_, ",
                }
            ),
            "r,b",
            &[("%s", "i32"), ("%elected", "i1")],
        )
    };
    let wait = |offset: u32, parity: u32| {
        let text = format!(
            "{{ .reg .pred complete; waitLoop: mbarrier.try_wait.parity.shared.b64 complete, [$0 + {}], {parity}; @!complete bra.uni waitLoop; }}",
            at(offset)
        );
        asm(&text, "r", &[("%s", "i32")])
    };
    let copy = |row: u32| {
        mbarrier("arrive.expect_tx", 0, ", 1024")
            + &load(0, row as i32)
                .replace("%first", "%elected")
                .replace("%x", &format!("%x{row}"))
                .replace("%y", &format!("%y{row}"))
    };
    let elect = "%elected = \"nvvm.elect.sync\"() : () -> i1\n";
    let word = |name: &str| {
        format!(
            "%at{name} = \"llvm.getelementptr\"(%smem, %t) <{{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}}> : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>\n\
             %{name} = \"llvm.load\"(%at{name}) : (!llvm.ptr<3>) -> i32\n"
        )
    };
    let note = "\"llvm.store\"(%c7, %note) : (i32, !llvm.ptr<3>) -> ()\n\
        %all = \"llvm.mlir.constant\"() <{value = -1 : i32}> : () -> i32\n\
        \"nvvm.bar.warp.sync\"(%all) : (i32) -> ()\n";
    let sync = "\"nvvm.barrier\"(%c1, %c64) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> ()\n";
    let mut body = [
        "%c64 = \"llvm.mlir.constant\"() <{value = 64 : i32}> : () -> i32\n\
         %leads = \"llvm.icmp\"(%t, %c64) <{predicate = 6 : i64}> : (i32, i32) -> i1\n\
         %note = \"llvm.getelementptr\"(%smem) <{elem_type = i8, rawConstantIndices = array<i32: 17000>}> : (!llvm.ptr<3>) -> !llvm.ptr<3>\n"
            .to_owned(),
        mbarrier("init", 0, ", 1").replace("%elected", "%first"),
        mbarrier("init", 8, ", 1").replace("%elected", "%first"),
        BARRIER.to_owned(),
        "\"llvm.cond_br\"(%leads)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()\n^bb2:\n"
            .to_owned(),
        elect.to_owned(),
        copy(0),
        "// after the copy\n".to_owned(),
        wait(8, 0),
        copy(8),
        "\"llvm.br\"()[^bb3] : () -> ()\n^bb1:\n".to_owned(),
        wait(0, 0),
        word("p"),
        sync.to_owned(),
        mbarrier("arrive", 8, "").replace("%elected", "%first"),
        wait(0, 1),
        word("q"),
        "// the end\n".to_owned(),
        "%sum = \"llvm.add\"(%p, %q) : (i32, i32) -> i32\n".to_owned(),
        store("%sum", "i32", 0, 1),
        "\"llvm.br\"()[^bb3] : () -> ()\n^bb3:\n".to_owned(),
    ]
    .concat();
    for (from, to) in changes {
        let part = match *from {
            "the wait for the consumers" => wait(8, 0),
            "the first wait for the copy" => wait(0, 0),
            "the barrier of the consumers" => sync.to_owned(),
            other => other.to_owned(),
        };
        assert!(body.contains(&part), "{part}");
        let to = if *to == "note" { note } else { *to };
        body = body.replace(&part, to);
    }
    AsyncKernel {
        input: input(&map(Swizzle::None)),
        ..AsyncKernel::new(96, [NAMES, &body].concat())
    }
}

#[test]
fn a_team_copies_for_another_team() {
    for found in runs(&teams(&[])) {
        let found = found.expect("it runs");
        for thread in 0..64_u32 {
            let word = |row: u32| {
                let column = thread % 32 * 2;
                let [low, high] =
                    [column, column + 1].map(|column| u32::from(element(row, column)));
                high << 16 | low
            };
            let row = thread / 32;
            assert_eq!(found[thread as usize], word(row) + word(8 + row));
        }
    }
    let check = |changes: &[(&str, &str)], kinds: &[FaultKind]| {
        for found in runs(&teams(changes)) {
            let error = found.expect_err("it is wrong");
            assert!(kinds.contains(&error.kind()), "{changes:?}: {error}");
        }
    };
    // The second copy overwrites what the consumers may still read.
    let kinds = [FaultKind::Race, FaultKind::InFlight, FaultKind::Deadlock];
    check(&[("the wait for the consumers", "")], &kinds);
    // One warp of the consumers says that both warps have read.
    check(&[("the barrier of the consumers", "")], &kinds);
    let kinds = [FaultKind::Uninitialised, FaultKind::InFlight];
    check(&[("the first wait for the copy", "")], &kinds);
    // The end of a copy does not order accesses of its thread after the start of the copy.
    let read = "%n = \"llvm.load\"(%note) : (!llvm.ptr<3>) -> i32\n";
    check(
        &[
            ("// after the copy\n", "note"),
            ("%p = ", &[read, "%p = "].concat()),
        ],
        &[FaultKind::Race, FaultKind::Uninitialised],
    );
    let changes = [("// after the copy\n", "note"), ("// the end\n", read)];
    assert!(
        runs(&teams(&changes))
            .into_iter()
            .all(|found| found.is_ok())
    );
}
