//! Tests of named barriers, on teams of warps that run different code.

use crate::ops::tests::asynchronous::{AsyncKernel, asm, store};
use crate::{Arrival, FaultKind, Schedule};

const BLOCK_BARRIER: &str = "\"nvvm.barrier0\"() : () -> ()\n";
/// Offset of the mbarriers in shared memory, after the data.
const AT: u32 = 1024;
/// Code that defines the values of the test kernels. `%first` is true in thread 0. `%team` is the index of the
/// thread's team, which has two warps, and `%is0` is true in team 0. `%rank` is the index of the thread in its
/// team. `%cell` is the address of the word with index `%rank`. `%other` is the address of the word with index
/// `63 - %rank`, which is the `%cell` of a thread in the other warp of the team.
const NAMES: &str = "%c16 = \"llvm.mlir.constant\"() <{value = 16 : i32}> : () -> i32\n\
    %c32 = \"llvm.mlir.constant\"() <{value = 32 : i32}> : () -> i32\n\
    %c48 = \"llvm.mlir.constant\"() <{value = 48 : i32}> : () -> i32\n\
    %c63 = \"llvm.mlir.constant\"() <{value = 63 : i32}> : () -> i32\n\
    %c64 = \"llvm.mlir.constant\"() <{value = 64 : i32}> : () -> i32\n\
    %c96 = \"llvm.mlir.constant\"() <{value = 96 : i32}> : () -> i32\n\
    %c128 = \"llvm.mlir.constant\"() <{value = 128 : i32}> : () -> i32\n\
    %c160 = \"llvm.mlir.constant\"() <{value = 160 : i32}> : () -> i32\n\
    %first = \"llvm.icmp\"(%t, %c0) <{predicate = 0 : i64}> : (i32, i32) -> i1\n\
    %team = \"llvm.udiv\"(%t, %c64) : (i32, i32) -> i32\n\
    %rank = \"llvm.urem\"(%t, %c64) : (i32, i32) -> i32\n\
    %rest = \"llvm.sub\"(%c63, %rank) : (i32, i32) -> i32\n\
    %is0 = \"llvm.icmp\"(%team, %c0) <{predicate = 0 : i64}> : (i32, i32) -> i1\n\
    %cell = \"llvm.getelementptr\"(%smem, %rank) <{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>\n\
    %other = \"llvm.getelementptr\"(%smem, %rest) <{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>\n";

fn sync(id: u32, threads: u32) -> String {
    format!(
        "\"nvvm.barrier\"(%c{id}, %c{threads}) <{{operandSegmentSizes = array<i32: 1, 1, 0>}}> : (i32, i32) -> ()\n"
    )
}

fn put(value: &str) -> String {
    format!("\"llvm.store\"({value}, %cell) : (i32, !llvm.ptr<3>) -> ()\n")
}

fn get(name: &str) -> String {
    format!("%{name} = \"llvm.load\"(%other) : (!llvm.ptr<3>) -> i32\n")
}

/// Returns code that stores 0 to the words of the teams and executes a block barrier, so that no later load reads
/// uninitialised memory.
fn filled() -> String {
    [&put("%c0"), BLOCK_BARRIER].concat()
}

/// Returns a kernel with two teams of two warps. Both teams execute `before`. Then team 0 executes `first`, and
/// team 1 executes `second`.
fn teams(before: &str, first: &str, second: &str) -> AsyncKernel {
    let body = format!(
        "{NAMES}{before}\"llvm.cond_br\"(%is0)[^bb1, ^bb2] <{{operandSegmentSizes = array<i32: 1, 0, 0>}}> : (i1) -> ()\n\
         ^bb1:\n{first}\"llvm.br\"()[^bb3] : () -> ()\n^bb2:\n{second}\"llvm.br\"()[^bb3] : () -> ()\n^bb3:\n"
    );
    AsyncKernel::new(128, body)
}

const SCHEDULES: [Schedule; 6] = [
    Schedule::Lockstep,
    Schedule::Warps(1),
    Schedule::Warps(2),
    Schedule::Warps(3),
    Schedule::Warps(4),
    Schedule::Warps(5),
];

#[track_caller]
fn check(kernel: &AsyncKernel, kind: FaultKind, words: &[&str]) {
    kernel.check_errors(&SCHEDULES, kind, words);
}

/// Checks that in every schedule each thread of team `consumer` stores 7. In the kernels with two rounds, 7 is the
/// sum of the values 3 and 4 that the producer writes.
#[track_caller]
fn check_sums(kernel: &AsyncKernel, consumer: usize) {
    for schedule in SCHEDULES {
        let found = kernel.run_as(schedule, Arrival::Late);
        let found = found.unwrap_or_else(|error| panic!("{schedule:?}: {error}"));
        let own = &found[64 * consumer..64 * consumer + 64];
        assert!(own.iter().all(|word| *word == 7), "{schedule:?}: {own:?}");
    }
}

const SUM: &str = "%z = \"llvm.add\"(%x, %y) : (i32, i32) -> i32\n";

/// Returns the code of the producer and the code of the consumer for two rounds. In each round, both teams execute
/// barrier 1, the producer writes, both teams execute barrier 2, and the consumer reads.
fn named_rounds() -> [String; 2] {
    let producer = [
        sync(1, 128),
        put("%c3"),
        sync(2, 128),
        sync(1, 128),
        put("%c4"),
        sync(2, 128),
    ];
    let consumer = [
        sync(1, 128),
        sync(2, 128),
        get("x"),
        sync(1, 128),
        sync(2, 128),
        get("y"),
        SUM.to_owned(),
        store("%z", "i32", 0, 1),
    ];
    [producer.concat(), consumer.concat()]
}

#[test]
fn teams_hand_a_buffer_over_by_named_barriers() {
    let [producer, consumer] = named_rounds();
    check_sums(&teams(&filled(), &producer, &consumer), 1);
    check_sums(&teams(&filled(), &consumer, &producer), 0);
    let blocks = AsyncKernel {
        blocks: 3,
        ..teams(&filled(), &producer, &consumer)
    };
    check_sums(&blocks, 1);
    // Without one of the two barriers, loads and stores of the two teams are not ordered.
    for id in [1, 2] {
        let [producer, consumer] = named_rounds().map(|code| code.replace(&sync(id, 128), ""));
        for kernel in [
            teams(&filled(), &producer, &consumer),
            teams(&filled(), &consumer, &producer),
        ] {
            check(
                &kernel,
                FaultKind::Race,
                &["data race", "no barrier between"],
            );
        }
    }
    // A barrier of one team does not order the other team.
    let [producer, consumer] = named_rounds();
    let [producer, consumer] = [
        producer.replace(&sync(2, 128), &sync(2, 64)),
        consumer.replace(&sync(2, 128), &sync(3, 64)),
    ];
    check(
        &teams(&filled(), &producer, &consumer),
        FaultKind::Race,
        &["data race"],
    );
}

#[test]
fn a_barrier_of_a_team_orders_its_warps() {
    let own = |id: u32, value: &str| {
        let put = format!(
            "\"llvm.store\"({value}, %mine) : (i32, !llvm.ptr<3>) -> ()\n{}",
            sync(id, 64)
        );
        put + &format!("%x{id} = \"llvm.load\"(%theirs) : (!llvm.ptr<3>) -> i32\n")
            + &store(&format!("%x{id}"), "i32", 0, 1)
    };
    let before = "%from = \"llvm.mul\"(%team, %c64) : (i32, i32) -> i32\n\
        %place = \"llvm.add\"(%from, %rest) : (i32, i32) -> i32\n\
        %mine = \"llvm.getelementptr\"(%smem, %t) <{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>\n\
        %theirs = \"llvm.getelementptr\"(%smem, %place) <{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>\n";
    let kernel = teams(before, &own(1, "%c5"), &own(2, "%c6"));
    for schedule in SCHEDULES {
        let found = kernel.run_as(schedule, Arrival::Late).expect("it runs");
        assert_eq!(found, [[5; 64], [6; 64]].concat());
    }
    let unordered = own(2, "%c6").replace(&sync(2, 64), "");
    for error in teams(before, &own(1, "%c5"), &unordered).errors(&SCHEDULES) {
        let kinds = [FaultKind::Race, FaultKind::Uninitialised];
        assert!(kinds.contains(&error.kind()), "{error}");
    }
}

fn init(count: u32) -> String {
    let one = |at: u32| {
        asm(
            &format!("@$1 mbarrier.init.shared::cta.b64 [$0 + {at}], {count};"),
            "r,b",
            &[("%s", "i32"), ("%first", "i1")],
        )
    };
    one(AT) + &one(AT + 8)
}

fn arrive(at: u32) -> String {
    let text = format!("mbarrier.arrive.shared::cta.b64 _, [$0 + {at}];");
    asm(&text, "r", &[("%s", "i32")])
}

fn wait(at: u32, parity: u32) -> String {
    let text = format!(
        "{{ .reg .pred complete; waitLoop: mbarrier.try_wait.parity.shared::cta.b64 complete, [$0 + {at}], {parity}; @!complete bra.uni waitLoop; }}"
    );
    asm(&text, "r", &[("%s", "i32")])
}

/// Returns the code of the producer and the code of the consumer for two rounds. The rounds are ordered by two
/// mbarriers: `full`, which is at `AT`, and `empty`, which follows `full` in memory. Each team also executes a
/// named barrier of its own.
fn mbarrier_rounds() -> [String; 2] {
    let (full, empty) = (AT, AT + 8);
    let producer = [
        sync(3, 64),
        put("%c3"),
        arrive(full),
        wait(empty, 0),
        put("%c4"),
        sync(3, 64),
        arrive(full),
    ];
    let consumer = [
        wait(full, 0),
        get("x"),
        sync(4, 64),
        arrive(empty),
        wait(full, 1),
        get("y"),
        SUM.to_owned(),
        store("%z", "i32", 0, 1),
    ];
    [producer.concat(), consumer.concat()]
}

#[test]
fn teams_hand_a_buffer_over_by_mbarriers() {
    let before = [init(64), filled()].concat();
    let [producer, consumer] = mbarrier_rounds();
    check_sums(&teams(&before, &producer, &consumer), 1);
    check_sums(&teams(&before, &consumer, &producer), 0);
    // Without a wait for `full`, a load races with the store.
    for parity in [0, 1] {
        let hasty = consumer.replace(&wait(AT, parity), "");
        for kernel in [
            teams(&before, &producer, &hasty),
            teams(&before, &hasty, &producer),
        ] {
            check(&kernel, FaultKind::Race, &["data race"]);
        }
    }
    // Without the wait for `empty`, the second store races with a load, or the consumer misses a phase.
    let hasty = producer.replace(&wait(AT + 8, 0), "");
    for kernel in [
        teams(&before, &hasty, &consumer),
        teams(&before, &consumer, &hasty),
    ] {
        let error = kernel.run().expect_err("it is wrong");
        assert_eq!(error.kind(), FaultKind::Race, "{error}");
        for error in kernel.errors(&SCHEDULES) {
            let kinds = [FaultKind::Race, FaultKind::Deadlock];
            assert!(kinds.contains(&error.kind()), "{error}");
        }
    }
}

#[test]
fn all_warps_wait_before_one_of_them_goes_on() {
    let is_first =
        "%leads = \"llvm.icmp\"(%rank, %c0) <{predicate = 0 : i64}> : (i32, i32) -> i1\n";
    let arrive = |at: u32| {
        let text = format!("@$1 mbarrier.arrive.shared::cta.b64 _, [$0 + {at}];");
        asm(&text, "r,b", &[("%s", "i32"), ("%leads", "i1")])
    };
    let before = [init(1), is_first.to_owned(), filled()].concat();
    // One thread of each team arrives for its team. The consumer has a barrier before its arrival.
    let rounds = |producer: &str, consumer: &str| {
        let (mut produce, mut consume) = (String::new(), String::new());
        for parity in [0, 1, 0, 1] {
            produce += &[&arrive(AT), &wait(AT + 8, parity), producer].concat();
            consume += &[&wait(AT, parity), consumer, &arrive(AT + 8)].concat();
        }
        teams(&before, &produce, &consume)
    };
    for schedule in SCHEDULES {
        let found = rounds(&sync(3, 64), &sync(4, 64)).run_as(schedule, Arrival::Late);
        found.unwrap_or_else(|error| panic!("{schedule:?}: {error}"));
    }
    for kernel in [rounds("", &sync(4, 64)), rounds(&sync(3, 64), "")] {
        for error in kernel.errors(&SCHEDULES) {
            let kinds = [FaultKind::Barrier, FaultKind::Deadlock];
            assert!(kinds.contains(&error.kind()), "{error}");
        }
    }
}

#[test]
fn a_deadlock_names_all_places() {
    // Too few warps arrive at barrier 1, because the other team waits for barrier 2.
    check(
        &teams("", &sync(1, 128), &sync(2, 96)),
        FaultKind::Deadlock,
        &[
            "deadlock: no warp can make progress",
            "note: warps 0 to 1 of block (0, 0, 0) wait at the barrier `\"nvvm.barrier\"",
            ": 64 of 128 threads have arrived at barrier 1\n",
            "note: warps 2 to 3 of block (0, 0, 0) wait at the barrier `\"nvvm.barrier\"",
            ": 64 of 96 threads have arrived at barrier 2",
        ],
    );
    // The other team waits for an mbarrier.
    let before = [init(1), filled()].concat();
    check(
        &teams(&before, &sync(1, 128), &wait(AT, 0)),
        FaultKind::Deadlock,
        &[
            "warps 0 to 1 of block (0, 0, 0) wait at the barrier",
            "64 of 128 threads have arrived at barrier 1",
            "warps 2 to 3 of block (0, 0, 0) wait at",
            "the mbarrier at byte 1024 of `smem` is in phase 0 with 1 of 1 arrivals and 0 bytes pending; the wait ends when a phase with parity 0 completes",
        ],
    );
    // All blocks wait, and the first one is reported.
    let blocks = AsyncKernel {
        blocks: 3,
        ..teams("", &sync(1, 128), &sync(2, 96))
    };
    check(&blocks, FaultKind::Deadlock, &["block (0, 0, 0)"]);
    for error in blocks.errors(&SCHEDULES) {
        assert!(!error.to_string().contains("block (1, 0, 0)"), "{error}");
    }
    // The other team has returned.
    check(
        &teams("", &sync(1, 128), ""),
        FaultKind::Deadlock,
        &[
            "warps 0 to 1",
            "64 of 128 threads have arrived at barrier 1",
        ],
    );
}

#[test]
fn rules_of_named_barriers_are_checked() {
    let refused = |code: &str, kind: FaultKind, words: &[&str]| {
        check(&teams("", code, ""), kind, words);
    };
    refused(
        &sync(16, 64),
        FaultKind::Barrier,
        &["barrier has the id 16, expected 0 to 15"],
    );
    for (threads, name) in [(0, "0"), (48, "48"), (160, "160")] {
        let text = format!(
            "barrier 1 has a thread count of {name}, expected a multiple of 32 from 32 to 128"
        );
        refused(&sync(1, threads), FaultKind::Barrier, &[&text]);
    }
    for error in teams("", &sync(1, 128), &sync(1, 96)).errors(&SCHEDULES) {
        assert_eq!(error.kind(), FaultKind::Barrier, "{error}");
        let texts = [
            "barrier 1 has a thread count of 96, but other warps wait with a thread count of 128",
            "barrier 1 has a thread count of 128, but other warps wait with a thread count of 96",
        ];
        let text = error.to_string();
        assert!(texts.iter().any(|part| text.contains(part)), "{text}");
        assert!(text.contains("waits at `\"nvvm.barrier\""), "{text}");
    }
    let part = format!(
        "%lane = \"llvm.urem\"(%t, %c32) : (i32, i32) -> i32\n\
         %low = \"llvm.icmp\"(%lane, %c5) <{{predicate = 6 : i64}}> : (i32, i32) -> i1\n\
         \"llvm.cond_br\"(%low)[^bb4, ^bb3] <{{operandSegmentSizes = array<i32: 1, 0, 0>}}> : (i1) -> ()\n^bb4:\n{}",
        sync(1, 64)
    );
    refused(
        &part,
        FaultKind::Divergence,
        &["barrier in divergent code: only 5 of 32 threads of the warp reach the barrier"],
    );
    let mixed = sync(1, 64).replace("%c1,", "%rank,");
    refused(
        &mixed,
        FaultKind::Divergence,
        &["barrier id differs within a warp"],
    );
    let no_id =
        "\"nvvm.barrier\"(%c64) <{operandSegmentSizes = array<i32: 0, 1, 0>}> : (i32) -> ()\n";
    refused(
        no_id,
        FaultKind::Malformed,
        &["barrier has a number of threads but no id; expected an id from 0 to 15"],
    );
    let limit = |count: u32| {
        format!(
            "\"nvvm.setmaxregister\"() <{{action = #nvvm.action<increase>, regCount = {count} : i32}}> : () -> ()\n"
        )
    };
    teams("", &limit(232), &limit(24)).run().expect("it runs");
    for count in [0, 16, 100, 264] {
        let text = format!("`regCount` is {count}, expected a multiple of 8 from 24 to 256");
        refused(&limit(count), FaultKind::Malformed, &[&text]);
    }
}

/// If a barrier has no operand for the number of threads, all threads of the block take part. `nvvm.barrier0` is
/// the named barrier 0.
#[test]
fn a_barrier_without_a_number_of_threads_is_of_the_block() {
    let all = "\"nvvm.barrier\"(%c5) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()\n";
    let intrinsic = |name: &str, operands: &str, types: &str| {
        format!(
            "\"llvm.call_intrinsic\"({operands}) <{{intrin = \"llvm.nvvm.barrier.cta.sync.aligned.{name}\"}}> : ({types}) -> ()\n"
        )
    };
    for (first, second) in [
        (all.to_owned(), intrinsic("all", "%c5", "i32")),
        (sync(5, 128), intrinsic("count", "%c5, %c128", "i32, i32")),
        (BLOCK_BARRIER.to_owned(), sync(0, 128)),
    ] {
        let producer = [&put("%c7"), &first[..]].concat();
        let consumer = [&second, &get("x")[..], &store("%x", "i32", 0, 1)].concat();
        check_sums(&teams(&filled(), &producer, &consumer), 1);
    }
}

#[test]
fn barriers_of_teams_are_counted() {
    let popc = "%bit = \"llvm.zext\"(%is0) : (i1) -> i32\n\
        %count = \"nvvm.barrier\"(%bit) <{operandSegmentSizes = array<i32: 0, 0, 1>, reductionOp = #nvvm.reduction<popc>}> : (i32) -> i32\n";
    let first = [sync(1, 64), store("%count", "i32", 0, 1)].concat();
    let second = [sync(2, 64), sync(2, 64), store("%team", "i32", 0, 1)].concat();
    let kernel = teams(popc, &first, &second);
    for schedule in SCHEDULES {
        let (found, report) = kernel.report_as(schedule, Arrival::Late).expect("it runs");
        assert_eq!(found, [[64; 64], [1; 64]].concat());
        assert_eq!((report.barriers, report.warp_barriers), (4, 0));
    }
    // Another barrier 0 does not take part in the reduction.
    check(
        &teams("", &(popc.to_owned() + &sync(1, 64)), BLOCK_BARRIER),
        FaultKind::Divergence,
        &["warps wait at different barriers, one of which has a reduction"],
    );
}

/// The last warp has 8 threads and counts as a whole warp. Returned threads count as well.
#[test]
fn a_partial_warp_counts_as_a_warp() {
    let body = format!(
        "{NAMES}\"llvm.cond_br\"(%first)[^bb2, ^bb1] <{{operandSegmentSizes = array<i32: 1, 0, 0>}}> : (i1) -> ()\n\
         ^bb1:\n{}{}\"llvm.return\"() : () -> ()\n^bb2:\n",
        sync(1, 64),
        store("%c1", "i32", 0, 1)
    );
    let kernel = AsyncKernel::new(40, body);
    for schedule in SCHEDULES {
        let found = kernel.run_as(schedule, Arrival::Late);
        assert_eq!(found.expect("it runs")[1..], [1; 39]);
    }
}

/// One lane waits for the other lanes of its warp, and then arrives at the barrier, where the warp reconverges.
#[test]
fn diverged_lanes_meet_at_a_barrier() {
    let code = |last: &str| {
        [
            "%lane = \"llvm.urem\"(%t, %c32) : (i32, i32) -> i32\n\
             %alone = \"llvm.icmp\"(%t, %c0) <{predicate = 0 : i64}> : (i32, i32) -> i1\n\
             \"llvm.cond_br\"(%alone)[^bb4, ^bb5] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()\n^bb4:\n",
            &wait(AT, 0),
            "\"llvm.br\"()[^bb6] : () -> ()\n^bb5:\n",
            last,
            "\"llvm.br\"()[^bb6] : () -> ()\n^bb6:\n",
            &sync(1, 128),
            "%all = \"llvm.mlir.constant\"() <{value = -1 : i32}> : () -> i32\n\"nvvm.bar.warp.sync\"(%all) : (i32) -> ()\n",
            &store("%c7", "i32", 0, 1),
        ]
        .concat()
    };
    let before = [init(63), BLOCK_BARRIER.to_owned()].concat();
    check_sums(&teams(&before, &code(&arrive(AT)), &sync(1, 128)), 0);
    // Without the arrivals, the barrier waits for one thread.
    check(
        &teams(&before, &code(""), &sync(1, 128)),
        FaultKind::Deadlock,
        &[
            "warp 0 of block (0, 0, 0) waits at",
            "the wait ends when a phase with parity 0 completes",
            "96 of 128 threads have arrived at barrier 1",
        ],
    );
}

/// In warp-specialised code, the worker warps wait at barrier 1 for the number of a state, execute the code of this
/// state, and then execute barrier 1 again.
#[test]
fn workers_execute_the_code_of_a_state() {
    let state = "%at = \"llvm.getelementptr\"(%smem) <{elem_type = i8, rawConstantIndices = array<i32: 2048>}> : (!llvm.ptr<3>) -> !llvm.ptr<3>\n";
    let set = |value: u32| {
        let store = format!("\"llvm.store\"(%c{value}, %at) : (i32, !llvm.ptr<3>) -> ()\n");
        [sync(0, 64), store, sync(1, 128)].concat()
    };
    // Both rounds have state 0. The only change of memory that the workers read is in their own words.
    let body = |second: &str| {
        format!(
            "{NAMES}{state}\
         %one = \"llvm.getelementptr\"(%out, %t) <{{elem_type = i32, rawConstantIndices = array<i32: -2147483648>}}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>\n\
         \"llvm.cond_br\"(%is0)[^bb1, ^bb2] <{{operandSegmentSizes = array<i32: 1, 0, 0>}}> : (i1) -> ()\n\
         ^bb1:\n{first}{wait}{second}{wait}{exit}\"llvm.return\"() : () -> ()\n\
         ^bb2:\n{wait}\
         %state = \"llvm.load\"(%at) : (!llvm.ptr<3>) -> i32\n\
         \"llvm.switch\"(%state)[^bb6, ^bb3, ^bb4] <{{case_operand_segments = array<i32: 0, 0>, case_values = dense<[0, 1]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 0, 0>}}> : (i32) -> ()\n\
         ^bb3:\n%warp = \"llvm.udiv\"(%t, %c32) : (i32, i32) -> i32\n\
         %is2 = \"llvm.icmp\"(%warp, %c2) <{{predicate = 0 : i64}}> : (i32, i32) -> i1\n\
         \"llvm.cond_br\"(%is2)[^bb7, ^bb5] <{{operandSegmentSizes = array<i32: 1, 0, 0>}}> : (i1) -> ()\n\
         ^bb7:\n{two}%old = \"llvm.load\"(%one) : (!llvm.ptr<1>) -> i32\n\
         %new = \"llvm.add\"(%old, %c3) : (i32, i32) -> i32\n\
         \"llvm.store\"(%new, %one) : (i32, !llvm.ptr<1>) -> ()\n{two}\"llvm.br\"()[^bb5] : () -> ()\n\
         ^bb4:\n\"llvm.store\"(%c9, %one) : (i32, !llvm.ptr<1>) -> ()\n\"llvm.br\"()[^bb5] : () -> ()\n\
         ^bb5:\n{wait}\"llvm.br\"()[^bb2] : () -> ()\n\
         ^bb6:\n",
            first = set(0),
            exit = set(2),
            wait = sync(1, 128),
            two = sync(3, 32),
        )
    };
    for (state, words) in [(0, [6, 0]), (1, [9, 9])] {
        let kernel = AsyncKernel::new(128, body(&set(state)));
        for schedule in SCHEDULES {
            let found = kernel.run_as(schedule, Arrival::Late);
            let found = found.unwrap_or_else(|error| panic!("{schedule:?}: {error}"));
            assert_eq!(found[..64], [0; 64]);
            assert_eq!(found[64..96], [words[0]; 32]);
            assert_eq!(found[96..], [words[1]; 32]);
        }
    }
    // Many rounds without a memory change are no deadlock of the workers.
    let rounds = [sync(1, 128), set(1)].concat().repeat(40);
    let kernel = AsyncKernel::new(128, body(&(set(1) + &rounds)));
    assert_eq!(kernel.run().expect("it runs")[64..], [9; 64]);
}
