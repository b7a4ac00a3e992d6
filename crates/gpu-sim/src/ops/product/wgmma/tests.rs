//! Tests of `wgmma` against sums computed by hand, and tests of faults while a product is in flight.

use crate::ops::tests::asynchronous::{AsyncKernel, FENCE, asm, asm_with, store};
use crate::{Arrival, FaultKind, KernelError, Schedule};

/// The memory layout of an operand, and the fields of its descriptor.
#[derive(Clone, Copy)]
struct Layout {
    /// Maps (index along M or N, index along K) to the byte offset of the element.
    at: fn(u32, u32) -> u32,
    leading: u64,
    stride: u64,
    swizzle: u64,
    is_transposed: bool,
}

/// A layout with rows of 128 bytes along K, whose 16-byte chunks are permuted. The permutation repeats after 8
/// rows.
const SWIZZLED: Layout = Layout {
    at: |own, k| own * 128 + ((k / 8) ^ (own % 8)) * 16 + k % 8 * 2,
    leading: 0,
    stride: 1024,
    swizzle: 1,
    is_transposed: false,
};
/// A layout with rows of 64 bytes along K, whose 16-byte chunks are permuted. Two consecutive rows have the same
/// permutation, and the permutations repeat after 8 rows.
const SWIZZLED_BY_64: Layout = Layout {
    at: |own, k| own * 64 + ((k / 8) ^ (own / 2 % 4)) * 16 + k % 8 * 2,
    leading: 0,
    stride: 512,
    swizzle: 2,
    is_transposed: false,
};
/// A layout in which elements are contiguous along M or N. For each of 16 values of k, it has a row of 128 bytes
/// with 64 elements, whose 16-byte chunks are permuted. The next 64 elements along M or N follow after these 16
/// rows.
const TRANSPOSED: Layout = Layout {
    at: |own, k| own / 64 * 2048 + k * 128 + ((own % 64 / 8) ^ (k % 8)) * 16 + own % 8 * 2,
    leading: 2048,
    stride: 1024,
    swizzle: 1,
    is_transposed: true,
};
/// A layout without a swizzle. Its core matrices have 8 rows of 16 bytes along K. Core matrices that are adjacent
/// along K are adjacent in memory.
const PLAIN: Layout = Layout {
    at: |own, k| own / 8 * 256 + k / 8 * 128 + own % 8 * 16 + k % 8 * 2,
    leading: 128,
    stride: 256,
    swizzle: 0,
    is_transposed: false,
};
/// A layout without a swizzle, in which elements are contiguous along M or N. Its core matrices have 8 rows, one
/// for each value of k, with 16 bytes along M or N.
const PLAIN_TRANSPOSED: Layout = Layout {
    at: |own, k| own / 8 * 256 + k / 8 * 128 + k % 8 * 16 + own % 8 * 2,
    leading: 128,
    stride: 256,
    swizzle: 0,
    is_transposed: true,
};

impl Layout {
    fn descriptor(self, start: u64) -> u64 {
        start >> 4 | (self.leading >> 4) << 16 | (self.stride >> 4) << 32 | self.swizzle << 62
    }
}

/// Byte offset of B in shared memory.
const B_AT: u32 = 16384;

fn a(row: u32, k: u32) -> i32 {
    ((row * 7 + k * 3) % 11) as i32 - 5
}

fn b(column: u32, k: u32) -> i32 {
    ((column * 5 + k * 2) % 13) as i32 - 6
}

fn half(value: i32) -> [u8; 2] {
    (crate::FloatTy::F16.from_f64(value.into()) as u16).to_le_bytes()
}

/// Returns the contents of shared memory with both operands. A has 64 rows, B has `n` columns, and the size along K
/// is `ks`.
fn input(layouts: [Layout; 2], n: u32, ks: u32) -> Vec<u8> {
    let mut bytes = vec![0; 32768];
    for k in 0..ks {
        for row in 0..64 {
            let at = (layouts[0].at)(row, k) as usize;
            bytes[at..at + 2].copy_from_slice(&half(a(row, k)));
        }
        for column in 0..n {
            let at = (B_AT + (layouts[1].at)(column, k)) as usize;
            bytes[at..at + 2].copy_from_slice(&half(b(column, k)));
        }
    }
    bytes
}

fn list(range: std::ops::Range<u32>) -> String {
    range
        .map(|i| format!("${i}"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn constants(name: &str, value: u64, ty: &str) -> String {
    format!("%{name} = \"llvm.mlir.constant\"() <{{value = {value} : {ty}}}> : () -> {ty}\n")
}

fn floats(count: u32) -> String {
    format!("!llvm.struct<({})>", vec!["f32"; count as usize].join(", "))
}

/// Returns code that extracts the `count` fields of the struct of floats `%<of>` as `%<of>0`, `%<of>1` and so on.
fn parts(of: &str, count: u32) -> String {
    let part = |i| {
        format!(
            "%{of}{i} = \"llvm.extractvalue\"(%{of}) <{{position = array<i64: {i}>}}> : ({}) -> f32\n",
            floats(count)
        )
    };
    (0..count).map(part).collect()
}

/// Returns code that computes a product with 64 rows and `n` columns as `%<name>`. If `sum` is given, D starts with
/// the values `%<sum>0`, `%<sum>1` and so on; otherwise it starts with zero.
fn product(
    name: &str,
    layouts: [Layout; 2],
    n: u32,
    sum: Option<&str>,
    starts: [u64; 2],
) -> String {
    let count = n / 2;
    let mut text = constants(
        &format!("{name}da"),
        layouts[0].descriptor(starts[0]),
        "i64",
    );
    text += &constants(
        &format!("{name}db"),
        layouts[1].descriptor(u64::from(B_AT) + starts[1]),
        "i64",
    );
    let flags = layouts.map(|layout| u32::from(layout.is_transposed));
    let names = [format!("%{name}da"), format!("%{name}db")];
    let descriptors = [(&*names[0], "i64"), (&*names[1], "i64")];
    let outputs = vec!["=f"; count as usize].join(",");
    let result = format!("%{name} = {}", floats(count));
    let opcode = format!("wgmma.mma_async.sync.aligned.m64n{n}k16.f32.f16.f16");
    let (x, y) = (flags[0], flags[1]);
    let Some(sum) = sum else {
        let asm_text = format!(
            "{opcode} {{{}}}, ${count}, ${}, 0, 1, 1, {x}, {y};",
            list(0..count),
            count + 1
        );
        return text + &asm_with(&asm_text, &format!("{outputs},l,l"), &descriptors, &result);
    };
    let tied: Vec<String> = (0..count).map(|i| i.to_string()).collect();
    let sums: Vec<String> = (0..count).map(|i| format!("%{sum}{i}")).collect();
    let mut operands: Vec<(&str, &str)> = sums.iter().map(|name| (&**name, "f32")).collect();
    operands.extend(descriptors);
    operands.push(("%c1", "i32"));
    let asm_text = format!(
        "{{ .reg .pred p; setp.ne.b32 p, ${}, 0; {opcode} {{{}}}, ${}, ${}, p, 1, 1, {x}, {y}; }}",
        2 * count + 2,
        list(0..count),
        2 * count,
        2 * count + 1
    );
    let constraints = format!("{outputs},{},l,l,r", tied.join(","));
    text + &asm_with(&asm_text, &constraints, &operands, &result)
}

const ORDER: &str = "\"nvvm.wgmma.fence.aligned\"() : () -> ()\n";
const COMMIT: &str = "\"nvvm.wgmma.commit.group.sync.aligned\"() : () -> ()\n";

/// Returns code that waits until at most `most` groups are in flight, in the form that the lowering emits. The
/// registers `%<of>0`, `%<of>1` and so on pass through the wait and become the fields of `%<name>`.
fn wait(name: &str, of: &str, count: u32, most: u32) -> String {
    let tied: Vec<String> = (0..count).map(|i| i.to_string()).collect();
    let names: Vec<String> = (0..count).map(|i| format!("%{of}{i}")).collect();
    let operands: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "f32")).collect();
    asm_with(
        &format!(
            "// wait for regs: {}\\0A\\09wgmma.wait_group.sync.aligned {most};",
            list(0..count)
        ),
        &format!(
            "{},{}",
            vec!["=f"; count as usize].join(","),
            tied.join(",")
        ),
        &operands,
        &format!("%{name} = {}", floats(count)),
    )
}

fn stores(of: &str, count: u32) -> String {
    let one = |i| store(&format!("%{of}{i}"), "f32", i, count);
    (0..count).map(one).collect()
}

/// Returns a kernel that runs `body` in one warp group. Shared memory contains A and B in the given layouts.
fn kernel(layouts: [Layout; 2], n: u32, ks: u32, body: String) -> AsyncKernel {
    AsyncKernel {
        input: input(layouts, n, ks),
        loaded: 32768,
        words: (128 * n / 2) as usize,
        ..AsyncKernel::new(128, body)
    }
}

fn check(found: &[u32], n: u32, ks: u32) {
    let count = n / 2;
    for thread in 0..128 {
        for element in 0..count {
            let row = thread / 32 * 16 + thread % 32 / 4 + 8 * (element / 2 % 2);
            let column = 8 * (element / 4) + thread % 4 * 2 + element % 2;
            let sum: i32 = (0..ks).map(|k| a(row, k) * b(column, k)).sum();
            let value = f32::from_bits(found[(thread * count + element) as usize]);
            assert_eq!(value, sum as f32, "row {row}, column {column}");
        }
    }
}

fn steps(k_step: [u64; 2], layouts: [Layout; 2], n: u32) -> String {
    let count = n / 2;
    [
        ORDER.to_owned(),
        product("x", layouts, n, None, [0, 0]),
        parts("x", count),
        product("y", layouts, n, Some("x"), k_step),
        parts("y", count),
        COMMIT.to_owned(),
        wait("z", "y", count, 0),
        parts("z", count),
        stores("z", count),
    ]
    .concat()
}

#[test]
fn products_follow_the_manual() {
    for (layouts, n, ks, step) in [
        ([SWIZZLED; 2], 64, 32, Some([32, 32])),
        ([SWIZZLED_BY_64; 2], 16, 32, Some([32, 32])),
        ([SWIZZLED, TRANSPOSED], 128, 16, None),
        ([PLAIN, PLAIN_TRANSPOSED], 40, 16, None),
        ([PLAIN_TRANSPOSED, PLAIN], 8, 16, None),
    ] {
        let count = n / 2;
        let body = match step {
            Some(step) => steps(step, layouts, n),
            None => [
                ORDER.to_owned(),
                product("y", layouts, n, None, [0, 0]),
                parts("y", count),
                COMMIT.to_owned(),
                wait("z", "y", count, 0),
                parts("z", count),
                stores("z", count),
            ]
            .concat(),
        };
        let kernel = kernel(layouts, n, ks, body);
        check(&kernel.run().expect("it runs"), n, ks);
        for seed in 0..3 {
            let found = kernel.run_as(Schedule::Warps(seed), Arrival::Early);
            check(&found.expect("it runs"), n, ks);
        }
    }
}

/// Computes an integer product whose factor A is in registers and whose sum wraps. The fence, the commit and the
/// wait are intrinsics.
#[test]
fn a_factor_may_be_in_registers() {
    let call = |name: &str, operands: &str, types: &str| {
        format!(
            "\"llvm.call_intrinsic\"({operands}) <{{intrin = \"llvm.nvvm.wgmma.{name}.sync.aligned\"}}> : ({types}) -> ()\n"
        )
    };
    let sums = "!llvm.struct<(i32, i32, i32, i32)>";
    let body = [
        constants("big", 0x7fff_ffff, "i32"),
        constants("ones", 0x0101_0101, "i32"),
        constants("zero", 0, "i64"),
        constants("db", PLAIN.descriptor(0), "i64"),
        call("fence", "", ""),
        asm_with(
            "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, 1;",
            "=r,=r,=r,=r,0,1,2,3,r,r,r,r,l",
            &[("%big", "i32"), ("%big", "i32"), ("%c0", "i32"), ("%c0", "i32"), ("%ones", "i32"), ("%ones", "i32"), ("%ones", "i32"), ("%ones", "i32"), ("%db", "i64")],
            &format!("%x = {sums}"),
        ),
        call("commit_group", "", ""),
        call("wait_group", "%zero", "i64"),
        format!("%x0 = \"llvm.extractvalue\"(%x) <{{position = array<i64: 0>}}> : ({sums}) -> i32\n"),
        store("%x0", "i32", 0, 1),
    ]
    .concat();
    let kernel = AsyncKernel {
        input: vec![1; 512],
        loaded: 512,
        ..AsyncKernel::new(128, body)
    };
    let sum = 0x7fff_ffff_u32 + 32;
    assert_eq!(kernel.run().expect("it runs"), vec![sum; 128]);
}

fn fault(body: String) -> KernelError {
    kernel([SWIZZLED; 2], 8, 16, body)
        .run()
        .expect_err("it is wrong")
}

#[track_caller]
fn check_fault(error: &KernelError, kind: FaultKind, words: &[&str]) {
    assert_eq!(error.kind(), kind, "{error}");
    for word in words {
        assert!(error.to_string().contains(word), "{word}: {error}");
    }
}

#[test]
fn registers_in_flight_are_not_read() {
    let first = [
        ORDER,
        &product("x", [SWIZZLED; 2], 8, None, [0, 0]),
        &parts("x", 4),
    ]
    .concat();
    let use_ = stores("x", 4);
    for (waits, most) in [(false, 0), (true, 1)] {
        let wait = match waits {
            true => [COMMIT, &wait("z", "x", 4, most)].concat(),
            false => String::new(),
        };
        let error = fault([&*first, &wait, &use_].concat());
        check_fault(
            &error,
            FaultKind::InFlight,
            &[
                "register that a matrix product in flight writes",
                "the product is `%",
                "llvm.store",
            ],
        );
    }
    // A wait before the group is committed does not cover the group.
    let error = fault([&*first, &wait("z", "x", 4, 0), COMMIT, &use_].concat());
    assert_eq!(error.kind(), FaultKind::InFlight, "{error}");
    let most = [COMMIT, &wait("z", "x", 4, 0), &use_].concat();
    kernel([SWIZZLED; 2], 8, 16, first + &most)
        .run()
        .expect("it runs");
}

#[test]
fn registers_in_flight_may_be_renamed() {
    let renamed = "%w = \"llvm.bitcast\"(%x0) : (f32) -> vector<2xf16>\n\
                   %x9 = \"llvm.bitcast\"(%w) : (vector<2xf16>) -> f32\n";
    let first = [
        ORDER,
        &product("x", [SWIZZLED; 2], 8, None, [0, 0]),
        &parts("x", 4),
        renamed,
        COMMIT,
    ]
    .concat();
    let use_ = store("%x9", "f32", 0, 4);
    let waited = [&*first, &wait("z", "x", 4, 0), &use_].concat();
    kernel([SWIZZLED; 2], 8, 16, waited).run().expect("it runs");
    let error = fault([&*first, &use_].concat());
    check_fault(&error, FaultKind::InFlight, &["llvm.store"]);
    // An accumulator by another name needs no fence.
    let again = first.replace(COMMIT, "") + &product("y", [SWIZZLED; 2], 8, Some("r"), [0, 0]);
    let names = "%r0 = \"llvm.bitcast\"(%w) : (vector<2xf16>) -> f32\n";
    let names = (1..4).fold(names.to_owned(), |all, i| {
        format!("{all}%v{i} = \"llvm.bitcast\"(%x{i}) : (f32) -> vector<2xf16>\n%r{i} = \"llvm.bitcast\"(%v{i}) : (vector<2xf16>) -> f32\n")
    });
    let again = again.replacen(renamed, &(renamed.to_owned() + &names), 1);
    let end = [
        &parts("y", 4),
        COMMIT,
        &wait("z", "y", 4, 0),
        &stores("y", 4),
    ]
    .concat();
    kernel([SWIZZLED; 2], 8, 16, again + &end)
        .run()
        .expect("it runs");
}

#[test]
fn memory_in_flight_is_not_written() {
    let write = "\"llvm.store\"(%c0, %smem) : (i32, !llvm.ptr<3>) -> ()\n";
    let first = [ORDER, &product("x", [SWIZZLED; 2], 8, None, [0, 0]), COMMIT].concat();
    let error = fault([&*first, write].concat());
    check_fault(
        &error,
        FaultKind::InFlight,
        &[
            "store to byte 0 of `smem`, which a matrix product in flight reads",
            "the product is",
            "wgmma.wait_group",
        ],
    );
    // The products of other warps may still read the memory.
    let waited = [&*first, &parts("x", 4), &wait("z", "x", 4, 0), write].concat();
    let error = fault(waited);
    assert_eq!(error.kind(), FaultKind::Race, "{error}");
}

#[test]
fn fences_come_before_products() {
    let one = product("x", [SWIZZLED; 2], 8, None, [0, 0]);
    let error = fault(one.clone());
    check_fault(
        &error,
        FaultKind::MissingFence,
        &["has not executed `wgmma.fence` before the matrix product"],
    );
    let sums: String = (0..4)
        .map(|i| format!("%v{i} = \"llvm.uitofp\"(%t) : (i32) -> f32\n"))
        .collect();
    let two = product("y", [SWIZZLED; 2], 8, Some("v"), [0, 0]);
    let error = fault([ORDER, &sums, &two].concat());
    check_fault(
        &error,
        FaultKind::MissingFence,
        &["written after the last `wgmma.fence`", "llvm.uitofp"],
    );
    kernel([SWIZZLED; 2], 8, 16, [&sums, ORDER, &two, COMMIT].concat())
        .run()
        .expect("it runs");
    // Generic writes to shared memory need a proxy fence.
    let write =
        "\"llvm.store\"(%c0, %smem) : (i32, !llvm.ptr<3>) -> ()\n\"nvvm.barrier0\"() : () -> ()\n";
    let late = asm(FENCE, "", &[]);
    let error = kernel([SWIZZLED; 2], 8, 16, [write, ORDER, &one].concat())
        .run()
        .expect_err("there is no fence");
    check_fault(
        &error,
        FaultKind::MissingFence,
        &["async proxy", "llvm.store"],
    );
    kernel([SWIZZLED; 2], 8, 16, [write, &late, ORDER, &one].concat())
        .run()
        .expect("it runs");
}

#[test]
fn warp_groups_are_whole_and_agree() {
    let one = product("x", [SWIZZLED; 2], 8, None, [0, 0]);
    let error = AsyncKernel {
        input: vec![0; 32768],
        loaded: 32768,
        ..AsyncKernel::new(64, [ORDER, &one].concat())
    };
    for schedule in [Schedule::Lockstep, Schedule::Warps(1)] {
        let error = error
            .run_as(schedule, Arrival::Late)
            .expect_err("two warps");
        check_fault(
            &error,
            FaultKind::Divergence,
            &[
                "warp 2 does not execute",
                "expected all 4 warps of the warp group",
            ],
        );
    }
    // A warp that skips the product is detected at once in lockstep, otherwise at the end.
    let part = format!(
        "%limit = \"llvm.mlir.constant\"() <{{value = 96 : i32}}> : () -> i32\n\
         %few = \"llvm.icmp\"(%t, %limit) <{{predicate = 6 : i64}}> : (i32, i32) -> i1\n\
         \"llvm.cond_br\"(%few)[^bb1, ^bb2] <{{operandSegmentSizes = array<i32: 1, 0, 0>}}> : (i1) -> ()\n\
         ^bb1:\n{ORDER}{one}\"llvm.br\"()[^bb2] : () -> ()\n^bb2:\n"
    );
    let part = kernel([SWIZZLED; 2], 8, 16, part);
    for schedule in [Schedule::Lockstep, Schedule::Warps(1)] {
        let error = part
            .run_as(schedule, Arrival::Late)
            .expect_err("three warps");
        check_fault(
            &error,
            FaultKind::Divergence,
            &["asynchronous matrix product", "warp group", "warp 3"],
        );
    }
    let differs = one.replace(
        "%xda = \"llvm.mlir.constant\"() <{value = 4611686293305294848 : i64}> : ()",
        "%xda = \"llvm.zext\"(%t) : (i32)",
    );
    assert_ne!(differs, one);
    check_fault(
        &fault([ORDER, &differs].concat()),
        FaultKind::Divergence,
        &["the descriptor of A", "differs between the lanes"],
    );
}

/// The accumulators of a product in flight may be loop-carried values. The product is then still in flight when the
/// next iteration starts a product.
#[test]
fn sums_in_flight_go_round_loops() {
    let names = |of: &str| -> String {
        let all: Vec<String> = (0..4).map(|i| format!("%{of}{i}")).collect();
        all.join(", ")
    };
    let types = ["f32"; 4].join(", ");
    let params: Vec<String> = (0..4).map(|i| format!("%a{i}: f32")).collect();
    let body = |waits: u32, after: &str| {
        [
            "%zero = \"llvm.mlir.constant\"() <{value = 0.0 : f32}> : () -> f32\n".to_owned(),
            format!("\"llvm.br\"(%c0, {z}, {z}, {z}, {z})[^bb1] : (i32, {types}) -> ()\n", z = "%zero"),
            format!("^bb1(%i: i32, {}):\n", params.join(", ")),
            ORDER.to_owned(),
            product("y", [SWIZZLED; 2], 8, Some("a"), [0, 0]),
            parts("y", 4),
            COMMIT.to_owned(),
            wait("z", "y", 4, waits),
            parts("z", 4),
            after.to_owned(),
            "%next = \"llvm.add\"(%i, %c1) : (i32, i32) -> i32\n\
             %more = \"llvm.icmp\"(%next, %c3) <{predicate = 2 : i64}> : (i32, i32) -> i1\n"
                .to_owned(),
            format!(
                "\"llvm.cond_br\"(%more, %next, {})[^bb1, ^bb2] <{{operandSegmentSizes = array<i32: 1, 5, 0>}}> : (i1, i32, {types}) -> ()\n^bb2:\n",
                names("z")
            ),
            wait("w", "z", 4, 0),
            parts("w", 4),
            stores("w", 4),
        ]
        .concat()
    };
    for waits in [0, 1, 2] {
        let found = kernel([SWIZZLED; 2], 8, 16, body(waits, ""));
        let found = found.run().expect("it runs");
        let sum: i32 = (0..16).map(|k| a(0, k) * b(0, k)).sum();
        assert_eq!(f32::from_bits(found[0]), 3.0 * sum as f32);
    }
    let use_ = "%use = \"llvm.fadd\"(%z0, %z1) : (f32, f32) -> f32\n";
    check_fault(&fault(body(1, use_)), FaultKind::InFlight, &["llvm.fadd"]);
    // An accumulator that is changed in the loop needs a fence after the change.
    let changed = body(0, "")
        .replace(ORDER, "")
        .replace("\"llvm.br\"(%c0", &format!("{ORDER}\"llvm.br\"(%c0"));
    let scaled = "%s0 = \"llvm.fadd\"(%z0, %z0) : (f32, f32) -> f32\n%next = ";
    let changed = changed
        .replace("%next = ", scaled)
        .replace("(%more, %next, %z0,", "(%more, %next, %s0,");
    check_fault(
        &fault(changed),
        FaultKind::MissingFence,
        &["written after the last `wgmma.fence`", "llvm.fadd"],
    );
}

/// The second warp group computes a product while the first group waits for the result at a named barrier.
#[test]
fn a_team_of_one_warp_group_computes_a_product() {
    let n = 64;
    let body = |first: u32| {
        let size = 256;
        [
            constants("size", size, "i32"),
            constants("start", first.into(), "i32"),
            "%works = \"llvm.icmp\"(%t, %start) <{predicate = 9 : i64}> : (i32, i32) -> i1\n\
             \"llvm.cond_br\"(%works)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()\n^bb1:\n"
                .to_owned(),
            steps([32, 32], [SWIZZLED; 2], n),
            "\"llvm.br\"()[^bb2] : () -> ()\n^bb2:\n\
             \"nvvm.barrier\"(%c3, %size) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> ()\n"
                .to_owned(),
        ]
        .concat()
    };
    let kernel = |first: u32| AsyncKernel {
        threads: 256,
        words: (256 * n / 2) as usize,
        ..kernel([SWIZZLED; 2], n, 32, body(first))
    };
    for schedule in [Schedule::Lockstep, Schedule::Warps(1), Schedule::Warps(2)] {
        let found = kernel(128)
            .run_as(schedule, Arrival::Late)
            .expect("it runs");
        check(&found[(128 * n / 2) as usize..], n, 32);
        // A team of warps 2 to 7 is no whole number of warp groups.
        let error = kernel(64).run_as(schedule, Arrival::Late);
        check_fault(
            &error.expect_err("it is wrong"),
            FaultKind::Divergence,
            &["asynchronous matrix product", "warp group"],
        );
    }
}
