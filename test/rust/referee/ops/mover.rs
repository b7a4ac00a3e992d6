//! The tensor data mover of AMD GPUs.

use super::{Module, Rng};
use crate::referee::memory::{ELEMENTS, any as any_memory, barrier, nvmma, padded, width};
use crate::referee::registers::{any, list, shape, slice};
use crate::referee::text::{Attr, Op, Setting, Shaped};
use linear_layout::encoding::BlockedEncoding;

fn setting(rng: &mut Rng) -> Setting {
    let mut s = Setting::rdna(rng);
    s.target = "hip:gfx1250";
    s
}

/// Draws a block of a tensor in global memory, and a shared-memory buffer with the same shape and element type.
fn block(rng: &mut Rng, s: &Setting, rank: usize) -> (Shaped, Shaped) {
    let element = rng.choose(ELEMENTS);
    let sizes = shape(rng, rank, 12);
    let buffer = buffer_of(rng, s, &sizes, element);
    let layout = (!rng.chance(25)).then(|| buffer.encoding.clone()).flatten();
    (Shaped::descriptor(&sizes, element, layout), buffer)
}

/// Draws a shared-memory buffer. Its layout is often padded after each row.
fn buffer_of(rng: &mut Rng, s: &Setting, sizes: &[u64], element: &str) -> Shaped {
    let rank = sizes.len();
    let rows_first = list(&(0..rank).rev().collect::<Vec<_>>());
    let row = format!(
        "#ttg.padded_shared<[{}:+4] {{order = {}, shape = {}}}>",
        sizes[rank - 1].max(2),
        rows_first,
        list(sizes)
    );
    let plain = format!(
        "#ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = {rows_first}}}>"
    );
    let layout = match rng.below(10) {
        0..=3 if s.ctas == 1 => row,
        4..=6 if s.ctas == 1 => plain,
        0..=6 => padded(rng, s, sizes),
        7 | 8 => any_memory(rng, s, sizes, width(element)),
        _ => nvmma(rng, s, rank.max(2), width(element)),
    };
    Shaped::buffer(sizes, element, layout)
}

fn maybe_barrier(rng: &mut Rng, s: &Setting, op: Op) -> Op {
    if rng.chance(30) {
        let one = barrier(rng, s);
        op.takes(one)
    } else {
        op
    }
}

pub(crate) fn copy(rng: &mut Rng) -> Module {
    let s = setting(rng);
    let rank = rng.choose(&[1, 2, 2, 2, 3, 5]);
    let (desc, buffer) = block(rng, &s, rank);
    let load = rng.chance(50);
    let op = Op::new(if load {
        "amdg.async_tdm_copy_global_to_local"
    } else {
        "amdg.async_tdm_copy_local_to_global"
    });
    let op = maybe_barrier(rng, &s, op.takes(&desc).takes(&buffer)).i32("cache", 1_i64);
    let op = if load && rng.chance(35) {
        let hint = hints(rng, s.warps, 1)[0];
        op.i32("warp_used_hint", hint)
    } else {
        op
    };
    Module::new(s, op.gives("!ttg.async.token"))
}

/// Draws `count` disjoint sets of warps, each as a bit mask of the warp indices.
fn hints(rng: &mut Rng, warps: u64, count: usize) -> Vec<i64> {
    let pieces = (count as u64).next_power_of_two();
    let each = (warps / pieces).max(1);
    let mask = (1_i64 << each) - 1;
    let mut all: Vec<i64> = (0..pieces)
        .map(|piece| mask << (piece * each).min(40))
        .collect();
    rng.shuffle(&mut all);
    all.truncate(count);
    all
}

pub(crate) fn fused(rng: &mut Rng) -> Module {
    let s = setting(rng);
    let count = rng.choose(&[2, 2, 3, 4]);
    let rank = rng.choose(&[1, 2, 2, 3]);
    let (descs, buffers): (Vec<Shaped>, Vec<Shaped>) =
        (0..count).map(|_| block(rng, &s, rank)).unzip();
    let op = Op::new("amdg.async_tdm_fused_copy_global_to_local")
        .takes_all(descs)
        .takes_all(buffers)
        .with("warp_used_hints", Attr::I32s(hints(rng, s.warps, count)))
        .gives("!ttg.async.token");
    Module::new(s, op)
}

pub(crate) fn rows(rng: &mut Rng) -> Module {
    let s = setting(rng);
    let element = rng.choose(ELEMENTS);
    let (rows, columns) = (rng.power(2, 6), rng.power(3, 7));
    let buffer = buffer_of(rng, &s, &[rows, columns], element);
    let layout = (!rng.chance(25)).then(|| buffer.encoding.clone()).flatten();
    let desc = Shaped::descriptor(&[rows, columns], element, layout);
    // All lanes along the dimension that the slice drops.
    let parent = if s.ctas == 1 && rng.chance(85) {
        format!(
            "#ttg.blocked<{{sizePerThread = [{}, 1], threadsPerWarp = [1, 32], warpsPerCTA = [{}, 1], order = [1, 0]}}>",
            rng.power(0, 3),
            s.warps
        )
    } else {
        any(rng, &s, &[rows, 32])
    };
    let indices = Shaped::tensor(
        &[rows],
        rng.choose(&["i32", "i16"]),
        Some(slice(&parent, 1)),
    );
    let op = Op::new(rng.choose(&["amdg.async_tdm_gather", "amdg.async_tdm_scatter"]))
        .takes(&desc)
        .takes(&indices)
        .takes(&buffer);
    let op = maybe_barrier(rng, &s, op).gives("!ttg.async.token");
    Module::new(s, op)
}

pub(crate) fn descriptor(rng: &mut Rng) -> Module {
    let s = setting(rng);
    let rank = rng.choose(&[1, 2, 2, 3]);
    let (desc, _) = block(rng, &s, rank);
    if rng.chance(50) {
        let [offsets, bounds] = [0, 1].map(|_| if rng.chance(60) { rank } else { 0 });
        let pred = usize::from(rng.chance(40));
        let op = Op::new("amdg.update_tensor_descriptor")
            .takes(&desc)
            .takes_all(vec!["i32"; offsets + bounds + pred])
            .segments(&[1, offsets, bounds, pred])
            .gives(&desc);
        let op = if rng.chance(25) {
            op.with("clamp_bounds", Attr::Unit)
        } else {
            op
        };
        return Module::new(s, op);
    }
    let op = Op::new("amdg.tdm_prefetch")
        .takes(&desc)
        .takes_all(vec!["i32"; rank])
        .takes("i1")
        .with("speculative", Attr::Bool(rng.chance(50)));
    let op = if rng.chance(60) {
        let mut sizes = desc.shape.clone();
        if let Some(last) = sizes.last_mut() {
            *last = last.div_ceil(256 * 8 / width(&desc.element));
        }
        let default = BlockedEncoding::default_for_shape(
            &sizes,
            s.warps as u32,
            s.lanes as u32,
            s.ctas as u32,
        );
        let encoding = default.ok().map(|e| e.to_string());
        op.with("returnOffsets", Attr::Unit)
            .gives(Shaped::tensor(&sizes, "i64", encoding))
    } else {
        op
    };
    Module::new(s, op)
}

/// Generates a module that tests a wait, or another operation that does not access a block of global memory.
pub(crate) fn waits(rng: &mut Rng) -> Module {
    let s = setting(rng);
    let tokens = vec!["!ttg.async.token"; rng.below(3)];
    let op = match rng.below(5) {
        0 => Op::new("amdg.async_tdm_wait")
            .takes_all(tokens)
            .i32("num", rng.below(4) as i64)
            .gives("!ttg.async.token"),
        1 => Op::new("amdg.async_tdm_intrinsic_wait")
            .takes_all(tokens)
            .i32("count", rng.below(4) as i64)
            .gives("!ttg.async.token"),
        2 => Op::new(rng.choose(&["amdg.cluster_barrier_arrive", "amdg.cluster_barrier_wait"])),
        3 => Op::new("amdg.cond_barrier").takes("i1"),
        _ => {
            let value = rng.choose(&["f32", "i32", "f16", "vector<4xf16>"]);
            let pointer = rng.choose(&["!llvm.ptr", "!llvm.ptr<1>"]);
            if rng.chance(50) {
                let op = Op::new("amdg.masked_load").takes_all([pointer, "i1", value]);
                let op = if rng.chance(30) { op.takes("i32") } else { op };
                op.i32("cache", rng.between(1, 7) as i64).gives(value)
            } else {
                Op::new("amdg.masked_store")
                    .takes_all([pointer, value, "i1"])
                    .with("forceNoAlias", Attr::Bool(rng.chance(50)))
            }
        }
    };
    Module::new(s, op)
}
