//! `tt.gather`: through lanes of the same warp, or through shared memory.

use super::allocate::Asked;
use super::gpu::Gpu;
use super::index::emit_index;
use super::local;
use super::plans::{layout_of, wrong};
use super::state::{Lowering, Outcome};
use super::types::bits_of;
use super::value::Buffer;
use super::words;
use crate::analysis::effects::{Act, Effects, Request, Touched};
use crate::ir::ops::tt;
use crate::ir::{Layouts, TensorType, element_bits};
use crate::sys::build::{Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::machine;
use linear_layout::plan::gather::{
    Gather, GatherPlan, GatherWay, LaneGather, MemoryGather, plan_gather,
};
use melior::ir::{Type, ValueLike};

/// What a gather does in shared memory.
pub(crate) fn effects(asked: &mut Asked<'_>, op: Op<'_>) -> Result<Effects, Diagnostic> {
    let gather = tt::Gather::of(op).expect("the dispatch goes by kind");
    let types = [gather.src(), gather.indices()].map(|value| sys::type_id(value.r#type()));
    let axis = usize::try_from(gather.axis()).unwrap_or_default();
    let key = vec![types[0], types[1], axis];
    let (layouts, gpu) = (asked.layouts, asked.gpu);
    let plan = asked
        .plans
        .plan(op, key, || plan(layouts, gpu, gather, axis))?;
    let GatherWay::Memory(memory) = plan.way() else {
        return Ok(Effects::default());
    };
    let mut acts = vec![Act::Write(Touched::Scratch)];
    acts.extend((!memory.is_within_warps).then_some(Act::Barrier));
    acts.push(Act::Read(Touched::Scratch));
    Ok(Effects {
        scratch: Some(Request::scratch(memory.bytes)),
        acts,
        ..Effects::default()
    })
}

/// Plans a gather, and has the machine prove the plan.
fn plan(
    layouts: &Layouts,
    gpu: Gpu,
    gather: tt::Gather<'_, '_>,
    axis: usize,
) -> Result<GatherPlan, Diagnostic> {
    let type_ = gather.src().r#type();
    let src = layout_of(layouts, type_)?;
    let indices = layout_of(layouts, gather.indices().r#type())?;
    let bits = TensorType::of(type_)
        .and_then(|tensor| element_bits(tensor.element))
        .ok_or_else(|| Diagnostic::new(format!("has elements of unknown width in `{type_}`")))?;
    let gather = Gather {
        src: &src.unique,
        indices: &indices.unique,
        axis,
        bits,
        target: gpu.target,
    };
    let plan = plan_gather(&gather).map_err(|e| Diagnostic::new(e.to_string()))?;
    machine::check_gather(&plan, &gather).map_err(wrong)?;
    Ok(plan)
}

/// Lowers `tt.gather`.
pub(crate) fn lower<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let gather = tt::Gather::of(op).expect("the dispatch goes by kind");
    let Some((plan, offset)) = l.allocation.plan::<GatherPlan>(op) else {
        // The plan could not be made, which has been reported.
        l.set_placeholders(op);
        return Ok(());
    };
    let src = l.get(gather.src());
    let axis = usize::try_from(gather.axis()).unwrap_or_default();
    let shape = TensorType::of(gather.src().r#type()).map(|tensor| tensor.shape);
    let size = shape.and_then(|shape| shape.get(axis).copied());
    let indices = l.get(gather.indices());
    let indices = l.bounded_along(&indices, gather.axis(), size.unwrap_or(1));
    let results = match plan.way() {
        GatherWay::Lanes(lanes) => indices
            .iter()
            .enumerate()
            .map(|(register, index)| {
                let index = local::indexed::index(l, *index, plan.index_bits());
                from_lanes(l, lanes, &src, register, index)
            })
            .collect(),
        GatherWay::Memory(memory) => from_memory(l, memory, &src, &indices, offset),
    };
    l.set(gather.result(), results);
    Ok(())
}

/// All registers that may have the element are shuffled; the register part of the index chooses.
fn from_lanes<'c>(
    l: &mut Lowering<'c>,
    plan: &LaneGather,
    src: &[Val<'c>],
    register: usize,
    index: Val<'c>,
) -> Val<'c> {
    let inputs = [l.gpu.lane(&mut l.e), l.gpu.warp(&mut l.e), index];
    let place = emit_index(&mut l.e, &plan.source, &inputs);
    let (lane, own) = plan.constants[register];
    let mut found: Vec<Val<'c>> = (0..1usize << plan.choices.len())
        .map(|number| {
            let chosen = plan.choices.iter().enumerate();
            let chosen = chosen.filter(|(i, _)| number >> i & 1 == 1);
            let register = chosen.fold(own, |register, (_, choice)| register ^ choice.registers);
            src[register as usize]
        })
        .collect();
    if !plan.is_own_lane {
        let constant = l.e.i32(lane);
        let lane = l.e.xor(place[0], constant);
        let words: Vec<Val<'c>> = words::pack(&mut l.e, &found)
            .into_iter()
            .map(|word| l.gpu.shuffle_index(&mut l.e, word, lane))
            .collect();
        found = words::unpack(&mut l.e, &words, found.len(), found[0].r#type());
    }
    for choice in &plan.choices {
        let bit = l.e.i32(1 << choice.bit);
        let bit = l.e.and(place[1], bit);
        let is_set = l.e.is_nonzero(bit);
        found = found
            .chunks(2)
            .map(|pair| l.e.select(is_set, pair[1], pair[0]))
            .collect();
    }
    found[0]
}

/// The source is stored as it lies, and each element loaded by itself.
fn from_memory<'c>(
    l: &mut Lowering<'c>,
    plan: &MemoryGather,
    src: &[Val<'c>],
    indices: &[Val<'c>],
    offset: u32,
) -> Vec<Val<'c>> {
    let buffer = Buffer {
        base: l.shared_memory(offset),
        position: l.e.i32(0),
    };
    let element = src[0].r#type();
    let held = held_type(l, element);
    let values: Vec<Val<'c>> = src
        .iter()
        .map(|value| {
            if held == element {
                *value
            } else {
                l.e.zext(*value, held)
            }
        })
        .collect();
    local::store_registers(l, &plan.store, buffer, &values);
    if plan.is_within_warps {
        l.gpu.warp_barrier(&mut l.e);
    } else {
        l.gpu.block_barrier(&mut l.e);
    }
    let loaded = local::indexed::load_elements(l, &plan.load, buffer, indices, held);
    loaded
        .into_iter()
        .map(|value| {
            if held == element {
                value
            } else {
                l.e.trunc(value, element)
            }
        })
        .collect()
}

/// The type that an element has in memory: its own, but an integer where it is narrower than a byte.
fn held_type<'c>(l: &Lowering<'c>, element: Type<'c>) -> Type<'c> {
    if bits_of(element) < 8 {
        l.e.types.i8
    } else {
        element
    }
}
