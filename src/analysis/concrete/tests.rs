//! Faults of the kernels in `test/Conversion/warp-specialize-faults.mlir`, with effects that do not depend on plans.

use super::{Fault, faults};
use crate::analysis::allocation::Allocation;
use crate::analysis::effects::{
    AccessTarget, Act, BufferAllocation, BufferView, Buffers, Effects, OpId, Request, Team,
    ValueId, ViewRange,
};
use crate::analysis::flow;
use crate::ir::{OpKind, OpView, element_bits};
use crate::lower::asynchronous;
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, operation_id, value_id};
use crate::testing::context;
use melior::ir::{BlockLike, Module, ValueLike};
use std::collections::{BTreeMap, BTreeSet, HashMap};

fn bytes(value: Val<'_>) -> u32 {
    let buffer = sys::buffer(value.r#type()).unwrap();
    let elements: u64 = buffer.shape.iter().product();
    u32::try_from(elements).unwrap() * element_bits(buffer.element).unwrap() / 8
}

fn allocation(value: ValueId, bytes: u32) -> Option<BufferAllocation> {
    let request = Request {
        bytes,
        alignment: 16,
    };
    Some(BufferAllocation { value, request })
}

fn effects(op: Op<'_>, buffers: &Buffers) -> Effects {
    let mut effects = Effects::default();
    let target = AccessTarget::Buffer;
    match OpView::of(op) {
        Some(OpView::TtgWarpSpecialize(_)) => {
            let captures = operation_id(op);
            effects.allocation = allocation(captures, 64);
            effects.acts = vec![Act::Write(target(captures)), Act::Barrier];
        }
        Some(OpView::TtgLocalAlloc(alloc)) => {
            effects.allocation = allocation(value_id(alloc.result()), bytes(alloc.result()));
            let write = alloc
                .src()
                .map(|_| Act::Write(target(value_id(alloc.result()))));
            effects.acts.extend(write);
        }
        Some(OpView::TtgLocalLoad(load)) => {
            effects.acts = vec![Act::Read(target(value_id(load.src())))];
        }
        Some(OpView::TtgLocalStore(store)) => {
            effects.acts = vec![Act::Write(target(value_id(store.dst())))];
        }
        Some(OpView::TtngFenceAsyncShared(_)) => effects.acts = vec![Act::Fence],
        Some(OpView::TtgMemDescIndex(view)) => {
            effects.views.push(BufferView {
                source: value_id(view.src()),
                result: value_id(view.result()),
                range: ViewRange::Indexed {
                    rotation: None,
                    index: value_id(view.index()),
                    bytes: bytes(view.result()),
                },
            });
        }
        _ => {
            let kind = OpKind::of(op).filter(|kind| kind.name().starts_with("ttng."));
            return kind.map_or(effects, |kind| asynchronous::effects(kind, op, buffers));
        }
    }
    effects
}

/// Returns the name and the faults of the first function in a module. The text of each fault names the kinds of the
/// operations involved.
fn found(text: &str) -> (String, BTreeSet<String>) {
    let context = context();
    let module = Module::parse(&context, text).unwrap();
    let function = module.body().first_operation().unwrap();
    let mut flow = flow::of(function, &mut |op, buffers| Ok(effects(op, buffers)));
    assert!(flow.errors.is_empty());
    let room = |bytes| bytes;
    let allocation = Allocation::of(&mut flow.flow, &flow.arguments, &room, &mut |_, _| None);
    // Faults between regions are not faults of any path.
    assert!(allocation.is_ok(), "{allocation:?}");
    let names = build::in_order(function).into_iter();
    let names: HashMap<OpId, &str> = names
        .filter_map(|op| Some((operation_id(op), OpKind::of(op)?.name())))
        .collect();
    let faults = faults(function, &flow.flow, true).into_iter();
    let faults = faults.map(|fault| match fault {
        Fault::OtherWarps { first, at } => {
            format!("{} unordered with {}", names[&at], names[&first])
        }
        Fault::InFlight { started, at } => format!("{} while {}", names[&at], names[&started]),
        Fault::Endless {
            at,
            arrivals,
            bytes,
        } => format!("{} {arrivals} {bytes}", names[&at]),
        Fault::Unwritten(at) => format!("{} unwritten", names[&at]),
        other => format!("{other:?}"),
    });
    let name = crate::ir::ops::tt::Func::of(function).unwrap();
    let name = name.sym_name().to_string();
    (name, faults.collect())
}

const KERNELS: &str = include_str!("../../../test/Conversion/warp-specialize-faults.mlir");
const MATMUL: &str = include_str!("../../../test/Dialect/Inputs/triton_sm_90_tma_matmul.ttgir");

const HAND_OVER: &str = include_str!("../../../test/kernels/specialized/hand_over.ttgir");

const COPY: &str = "ttng.async_tma_copy_global_to_local";
const PRODUCT: &str = "ttng.warp_group_dot";

#[test]
fn faults_between_regions() {
    let late = format!("{PRODUCT} unordered with {COPY}");
    let early = format!("{COPY} unordered with {PRODUCT}");
    let twice = format!("{COPY} while {COPY}");
    let pending = format!("{COPY} while {PRODUCT}");
    let store = "ttg.local_store unordered with ttg.local_load".to_owned();
    let load = "ttg.local_load unwritten".to_owned();
    let endless = "ttng.wait_barrier 1 0".to_owned();
    let expected: [(&str, Vec<&String>); 7] = [
        ("stage", vec![]),
        ("consumer_without_wait", vec![&late]),
        ("consumer_without_arrival", vec![&endless]),
        ("producer_without_wait", vec![&early, &twice]),
        ("store_without_wait", vec![&store]),
        ("load_without_wait", vec![&load]),
        ("arrival_before_product", vec![&pending]),
    ];
    for (name, faults) in KERNELS.split("// -----").map(found) {
        let known = expected.iter().find(|(part, _)| name.contains(part));
        let expected: Vec<&String> = known.unwrap().1.clone();
        assert_eq!(faults.iter().collect::<Vec<_>>(), expected, "{name}");
    }
}

#[test]
fn a_kernel_of_triton_needs_its_waits_and_arrivals() {
    assert_eq!(found(MATMUL).1, BTreeSet::new());
    let (before, regions) = MATMUL.split_once("ttg.warp_specialize(").unwrap();
    let lines: Vec<&str> = regions.lines().collect();
    // Each of these waits follows a wait for another arrival of the same partition.
    let redundant = ["wait_barrier %51, %acc_18", "wait_barrier %54, %acc_18"];
    let mut count = 0;
    for (number, line) in lines.iter().enumerate() {
        if line.contains("ttng.wait_barrier") || line.contains("ttng.arrive_barrier") {
            let without = [&lines[..number], &lines[number + 1..]].concat();
            let text = format!("{before}ttg.warp_specialize({}", without.join("\n"));
            let is_redundant = redundant.iter().any(|wait| line.contains(wait));
            assert_eq!(found(&text).1.is_empty(), is_redundant, "{line}");
            count += 1;
        }
    }
    assert_eq!(count, 12);
}

#[test]
fn regions_run_on_their_teams() {
    let context = context();
    let module = Module::parse(&context, MATMUL).unwrap();
    let function = module.body().first_operation().unwrap();
    let flow = flow::of(function, &mut |op, buffers| Ok(effects(op, buffers)));
    let mut teams: BTreeMap<Team, Vec<&str>> = BTreeMap::new();
    for block in &flow.flow.blocks {
        let known = block
            .events
            .iter()
            .filter_map(|event| flow.ops.get(&event.op));
        let names = known.filter_map(|op| Some(OpKind::of(*op)?.name()));
        teams.entry(block.team).or_default().extend(names);
        for act in block.events.iter().flat_map(|event| &event.effects.acts) {
            assert!(block.team == Team::BLOCK || *act != Act::Barrier);
        }
    }
    let team = |first_warp, barrier| Team {
        first_warp,
        end_warp: first_warp + 4,
        barrier,
    };
    let (producer, consumers) = (team(0, 0), [team(4, 2), team(8, 3)]);
    // The loops inherit the team of the region.
    assert!(teams[&producer].contains(&COPY) && !teams[&producer].contains(&PRODUCT));
    for consumer in consumers {
        assert!(teams[&consumer].contains(&PRODUCT) && !teams[&consumer].contains(&COPY));
    }
    assert_eq!(teams.len(), 4);
    // The join keeps all captured and used buffers alive.
    let after = flow
        .flow
        .blocks
        .iter()
        .filter(|block| block.edges.is_empty());
    let join = after.map(|block| &block.events[0]).next().unwrap();
    assert!(OpKind::TtgWarpSpecializePartitions.is(flow.ops[&join.op]));
    let specialize = build::parent(flow.ops[&join.op]).unwrap();
    assert!(join.effects.uses.contains(&operation_id(specialize)));
    let captures = build::operands(flow.ops[&join.op]).into_iter();
    let buffers = captures.filter(|value| sys::buffer(value.r#type()).is_some());
    for buffer in buffers {
        assert!(join.effects.uses.contains(&value_id(buffer)));
    }
}

#[test]
fn a_phase_completes_after_the_waits_for_the_phase_before_it() {
    assert_eq!(found(HAND_OVER).1, BTreeSet::new());
    // The consumer arrives at the mbarrier for which the producer waits next, and is late enough not to block it.
    let late = (0..8).map(|i| format!("%late_{i} = arith.addi %t, %t : i32\n"));
    let other = "%late = arith.subi %c1_i32, %6 : i32\n%10 = ttg.memdesc_index %empty[%late]";
    let other = format!("{}{other}", late.collect::<String>());
    let text = HAND_OVER.replace("%10 = ttg.memdesc_index %empty[%6]", &other);
    let faults = found(&text).1;
    assert!(faults.iter().all(|fault| fault.starts_with("Overtaken")));
    assert!(!faults.is_empty());
}

#[test]
fn mbarriers_are_initialised_before_their_use() {
    let text = HAND_OVER.replace(
        "%0 = ttg.memdesc_index %full[%c0_i32]",
        "%0 = ttg.memdesc_index %full[%c1_i32]",
    );
    let faults = found(&text).1;
    assert!(faults.iter().all(|fault| fault.starts_with("NoMbarrier")));
    assert!(!faults.is_empty());
}
