//! Tests of the order by mbarriers, and of the reports of misuses.

use crate::ops::tests::asynchronous::{AsyncKernel, FENCE, asm, asm_with, store};
use crate::{Arrival, FaultKind, Schedule};

/// Offset of the mbarriers in shared memory, after the data.
const AT: u32 = 1024;

fn init(count: u32) -> String {
    asm(
        &format!("@$1 mbarrier.init.shared::cta.b64 [$0 + {AT}], {count};"),
        "r,b",
        &[("%s", "i32"), ("%first", "i1")],
    )
}

fn arrive(at: u32) -> String {
    let text = format!("mbarrier.arrive.shared::cta.b64 _, [$0 + {at}];");
    asm(&text, "r", &[("%s", "i32")])
}

fn wait(at: u32, parity: &str) -> String {
    let text = format!(
        "{{ .reg .pred complete; waitLoop: mbarrier.try_wait.parity.shared::cta.b64 complete, [$0 + {at}], $1; @!complete bra.uni waitLoop; }}"
    );
    asm(&text, "r,r", &[("%s", "i32"), (parity, "i32")])
}

const BARRIER: &str = "\"nvvm.barrier0\"() : () -> ()\n";
/// Code that defines the values of the test kernels. `%first` is true in thread 0. `%warp` is the index of the
/// warp, and `%is0` is true in warp 0. `%lane` is the index of the thread in its warp, and `%cell` is the address
/// of the word with this index.
const NAMES: &str = "%c32 = \"llvm.mlir.constant\"() <{value = 32 : i32}> : () -> i32\n\
    %first = \"llvm.icmp\"(%t, %c0) <{predicate = 0 : i64}> : (i32, i32) -> i1\n\
    %warp = \"llvm.udiv\"(%t, %c32) : (i32, i32) -> i32\n\
    %lane = \"llvm.urem\"(%t, %c32) : (i32, i32) -> i32\n\
    %is0 = \"llvm.icmp\"(%warp, %c0) <{predicate = 0 : i64}> : (i32, i32) -> i1\n\
    %cell = \"llvm.getelementptr\"(%smem, %lane) <{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>\n";

/// Returns a kernel with two warps. Both warps execute `before`. Then warp 0 executes `first`, and warp 1 executes
/// `second`.
fn partitions(before: &str, first: &str, second: &str) -> AsyncKernel {
    let body = format!(
        "{NAMES}{before}\"llvm.cond_br\"(%is0)[^bb1, ^bb2] <{{operandSegmentSizes = array<i32: 1, 0, 0>}}> : (i1) -> ()\n\
         ^bb1:\n{first}\"llvm.br\"()[^bb3] : () -> ()\n^bb2:\n{second}\"llvm.br\"()[^bb3] : () -> ()\n^bb3:\n"
    );
    AsyncKernel::new(64, body)
}

const PUT: &str = "\"llvm.store\"(%t, %cell) : (i32, !llvm.ptr<3>) -> ()\n";

/// Returns code in which each lane loads its word as `%<name>` and stores the word in `%out`.
fn get(name: &str) -> String {
    let load = format!("%{name} = \"llvm.load\"(%cell) : (!llvm.ptr<3>) -> i32\n");
    load + &store(&format!("%{name}"), "i32", 0, 1)
}

const SCHEDULES: [Schedule; 4] = [
    Schedule::Lockstep,
    Schedule::Warps(1),
    Schedule::Warps(2),
    Schedule::Warps(3),
];

#[track_caller]
fn check(kernel: &AsyncKernel, kind: FaultKind, words: &[&str]) {
    kernel.check_errors(&SCHEDULES, kind, words);
}

#[test]
fn a_phase_orders_what_came_before_the_arrivals() {
    let before = [&init(32), BARRIER].concat();
    let producer = [PUT, &arrive(AT)].concat();
    let consumer = [wait(AT, "%c0"), get("x")].concat();
    // Either warp may come first in program order, and therefore in lockstep.
    for kernel in [
        partitions(&before, &producer, &consumer),
        partitions(&before, &consumer, &producer),
    ] {
        for schedule in SCHEDULES {
            let found = kernel.run_as(schedule, Arrival::Late).expect("it runs");
            let produced: Vec<u32> = match found[0] {
                0 => found[32..].to_vec(),
                _ => found[..32].to_vec(),
            };
            assert!(
                produced.iter().copied().eq(0..32) || produced.iter().copied().eq(32..64),
                "{found:?}"
            );
        }
    }
    // Without the wait, the load is a race or an uninitialised read.
    for error in partitions(&before, &producer, &get("x")).errors(&SCHEDULES) {
        let kinds = [FaultKind::Race, FaultKind::Uninitialised];
        assert!(kinds.contains(&error.kind()), "{error}");
    }
}

/// Two warps pass a buffer back and forth with two mbarriers, which may have completed different numbers of phases.
#[test]
fn a_buffer_goes_to_and_fro() {
    let second = AT + 8;
    let inits = init(32) + &init(32).replace(&format!("+ {AT}"), &format!("+ {second}"));
    let before = [&inits, BARRIER].concat();
    let again = "%more = \"llvm.add\"(%t, %c5) : (i32, i32) -> i32\n\"llvm.store\"(%more, %cell) : (i32, !llvm.ptr<3>) -> ()\n";
    let producer = [PUT, &arrive(AT), &wait(second, "%c0"), again, &arrive(AT)].concat();
    let consumer = [
        wait(AT, "%c0"),
        "%x = \"llvm.load\"(%cell) : (!llvm.ptr<3>) -> i32\n".to_owned(),
        arrive(second),
        wait(AT, "%c1"),
        "%y = \"llvm.load\"(%cell) : (!llvm.ptr<3>) -> i32\n%z = \"llvm.add\"(%x, %y) : (i32, i32) -> i32\n".to_owned(),
        store("%z", "i32", 0, 1),
    ]
    .concat();
    let kernel = partitions(&before, &producer, &consumer);
    for schedule in SCHEDULES {
        let found = kernel.run_as(schedule, Arrival::Late).expect("it runs");
        let expect: Vec<u32> = (0..32).map(|lane| 2 * lane + 5).collect();
        assert_eq!(found[32..], expect);
    }
    // A producer that does not wait overwrites data in use, or is two phases ahead of a waiting warp.
    let hasty = producer.replace(&wait(second, "%c0"), "");
    for error in partitions(&before, &hasty, &consumer).errors(&SCHEDULES) {
        let kinds = [FaultKind::Race, FaultKind::Deadlock];
        assert!(kinds.contains(&error.kind()), "{error}");
    }
}

#[test]
fn a_phase_that_never_ends_is_a_deadlock() {
    let before = [&init(33), BARRIER].concat();
    let producer = [PUT, &arrive(AT)].concat();
    let consumer = [wait(AT, "%c0"), get("x")].concat();
    check(
        &partitions(&before, &producer, &consumer),
        FaultKind::Deadlock,
        &[
            "warp 1 of block (0, 0, 0) waits at",
            "try_wait",
            "the mbarrier at byte 1024 of `smem` is in phase 0 with 1 of 33 arrivals and 0 bytes pending",
        ],
    );
    // The phase expects bytes, but there is no copy.
    let expects = asm(
        &format!("@$1 mbarrier.arrive.expect_tx.shared.b64 _, [$0 + {AT}], 64;"),
        "r,b",
        &[("%s", "i32"), ("%first", "i1")],
    );
    let before = [&init(1), BARRIER].concat();
    check(
        &partitions(&before, &expects, &consumer),
        FaultKind::Deadlock,
        &["0 of 1 arrivals and 64 bytes pending"],
    );
    // A wait with a parity that was not flipped waits for the next phase.
    let before = [&init(32), BARRIER].concat();
    let twice = [wait(AT, "%c0"), wait(AT, "%c1"), get("x")].concat();
    check(
        &partitions(&before, &producer, &twice),
        FaultKind::Deadlock,
        &["phase 1", "ends when a phase with parity 1 completes"],
    );
}

#[test]
fn rules_of_barriers_are_checked() {
    let producer = arrive(AT);
    check(
        &partitions("", &producer, ""),
        FaultKind::Barrier,
        &["arrival at an uninitialised mbarrier at byte 1024 of `smem`"],
    );
    let before = [&init(3), BARRIER].concat();
    let four = producer.replace("[$0 + 1024]", "[$0 + 1024], 4");
    check(
        &partitions(&before, &four, ""),
        FaultKind::Barrier,
        &["arrival with count 4 exceeds the pending arrivals of the mbarrier"],
    );
    let before = [&init(32), &init(32), BARRIER].concat();
    check(
        &partitions(&before, &producer, ""),
        FaultKind::Barrier,
        &["which is already initialised"],
    );
    let end = "\"nvvm.mbarrier.inval.shared\"(%b) : (!llvm.ptr<3>) -> ()\n";
    let pointer = "%b = \"llvm.getelementptr\"(%smem) <{elem_type = i8, rawConstantIndices = array<i32: 1024>}> : (!llvm.ptr<3>) -> !llvm.ptr<3>\n\
        \"llvm.cond_br\"(%first)[^bb4, ^bb5] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()\n^bb4:\n";
    let ended = [
        &init(32),
        BARRIER,
        pointer,
        end,
        "\"llvm.br\"()[^bb5] : () -> ()\n^bb5:\n",
        BARRIER,
    ]
    .concat();
    check(
        &partitions(&ended, &producer, ""),
        FaultKind::Barrier,
        &["the mbarrier was invalidated by `\"nvvm.mbarrier.inval.shared\""],
    );
    // The initialisation is not ordered before the uses.
    let kernel = partitions(&init(32), &wait(AT, "%c0"), &producer);
    for error in kernel.errors(&SCHEDULES) {
        assert!(
            matches!(error.kind(), FaultKind::Race | FaultKind::Barrier),
            "{error}"
        );
    }
}

/// If a warp executes a proxy fence before its arrival, a bulk copy that another warp starts after the wait reads
/// the writes of the first warp.
#[test]
fn a_wait_orders_behind_a_fence_of_proxies() {
    let copy = |fence: &str| {
        let before = [&init(32), BARRIER].concat();
        let producer = [PUT, fence, &arrive(AT)].concat();
        let bulk = "%n = \"llvm.mlir.constant\"() <{value = 128 : i32}> : () -> i32\n\
            %only = \"llvm.icmp\"(%lane, %c0) <{predicate = 0 : i64}> : (i32, i32) -> i1\n\
            \"llvm.cond_br\"(%only)[^bb6, ^bb3] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()\n^bb6:\n\
            \"nvvm.cp.async.bulk.global.shared.cta\"(%out, %smem, %n) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!llvm.ptr<1>, !llvm.ptr<3>, i32) -> ()\n\
            \"nvvm.cp.async.bulk.commit.group\"() : () -> ()\n\
            \"nvvm.cp.async.bulk.wait_group\"() <{group = 0 : i32}> : () -> ()\n";
        partitions(&before, &producer, &[&wait(AT, "%c0"), bulk].concat())
    };
    let fence = asm(FENCE, "", &[]);
    for schedule in SCHEDULES {
        let found = copy(&fence).run_as(schedule, Arrival::Late);
        assert_eq!(found.expect("it runs")[..32], (0..32).collect::<Vec<_>>());
    }
    check(&copy(""), FaultKind::MissingFence, &["async proxy"]);
}

#[test]
fn a_wait_may_be_skipped() {
    let text = format!(
        "{{ @!$2 bra.uni skipWait; .reg .pred complete; waitLoop: mbarrier.try_wait.parity.shared.b64 complete, [$0 + {AT}], $1; @!complete bra.uni waitLoop; skipWait: }}"
    );
    let wait = asm(
        &text,
        "r,r,b",
        &[("%s", "i32"), ("%c0", "i32"), ("%is0", "i1")],
    );
    let before = [&init(32), BARRIER].concat();
    partitions(&before, "", &wait)
        .run()
        .expect("warp 1 does not wait");
    check(
        &partitions(&before, &wait, ""),
        FaultKind::Deadlock,
        &["warp 0"],
    );
    let once = asm_with(
        "mbarrier.try_wait.parity.shared.b64 $0, [$1], 0;",
        "=b,r",
        &[("%s", "i32")],
        "%p = i1",
    );
    let error = partitions("", &once, "").run().expect_err("it is no loop");
    assert_eq!(error.kind(), FaultKind::Unsupported, "{error}");
}

/// A lane may wait for an arrival of other lanes of its warp. The scheduler runs the other lanes only if no other
/// warp can make progress.
#[test]
fn lanes_of_a_warp_wait_for_each_other() {
    let parted = |before: &str, others: &str| {
        let body = format!(
            "{NAMES}{before}%alone = \"llvm.icmp\"(%lane, %c0) <{{predicate = 0 : i64}}> : (i32, i32) -> i1\n\
             %all = \"llvm.mlir.constant\"() <{{value = -1 : i32}}> : () -> i32\n\
             \"llvm.cond_br\"(%is0)[^bb1, ^bb4] <{{operandSegmentSizes = array<i32: 1, 0, 0>}}> : (i1) -> ()\n\
             ^bb1:\n\"llvm.cond_br\"(%alone)[^bb2, ^bb3] <{{operandSegmentSizes = array<i32: 1, 0, 0>}}> : (i1) -> ()\n\
             ^bb2:\n{}\"llvm.br\"()[^bb5] : () -> ()\n\
             ^bb3:\n{others}\"llvm.br\"()[^bb5] : () -> ()\n\
             ^bb5:\n\"nvvm.bar.warp.sync\"(%all) : (i32) -> ()\n\"llvm.br\"()[^bb6] : () -> ()\n\
             ^bb4:\n{}\"llvm.br\"()[^bb6] : () -> ()\n^bb6:\n",
            wait(AT, "%c0"),
            if others.is_empty() {
                arrive(AT)
            } else {
                String::new()
            },
        );
        AsyncKernel::new(64, body)
    };
    // The second warp arrives, and the lanes of the first warp reconverge after the wait.
    let kernel = parted(&[&init(32), BARRIER].concat(), "");
    for schedule in SCHEDULES {
        kernel.run_as(schedule, Arrival::Late).expect("it runs");
    }
    // The diverged lanes must arrive themselves, and the last arrival is missing.
    let kernel = parted(&[&init(32), BARRIER].concat(), &arrive(AT));
    for error in kernel.errors(&SCHEDULES) {
        assert!(error.to_string().contains("lane 0"), "{error}");
    }
}
