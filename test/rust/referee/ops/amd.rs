//! Operations of AMD GPUs only.

use super::{Module, Rng};
use crate::referee::memory::{barrier, buffer};
use crate::referee::policy;
use crate::referee::registers::{any, bases, blocked, dot_operand, known, list, tensor_of_rank};
use crate::referee::text::{Attr, Op, Setting, Shaped, Type};
use linear_layout::layout::{Dim, LinearLayout};

fn pointer(element: &str) -> Type {
    Type::Plain(format!("!tt.ptr<{element}>"))
}

pub(crate) fn buffer_access(rng: &mut Rng) -> Module {
    let s = Setting::amd(rng);
    let element = rng.choose(&["f32", "f16", "i32", "bf16", "i8"]);
    let rank = rng.choose(&[1, 1, 2, 2, 3]);
    let mut values = tensor_of_rank(rng, &s, element, rank);
    if values.encoding.is_none() {
        values.encoding = Some(blocked(rng, &s, rank));
    }
    let (offsets, masks) = (values.of("i32"), values.of("i1"));
    let (masked, filled, strided) = (rng.chance(50), rng.chance(50), rng.chance(30));
    let n = usize::from;
    let optional = |op: Op, present: bool, type_: Type| if present { op.takes(type_) } else { op };
    let op = match rng.below(4) {
        0 => {
            let op = Op::new("amdg.buffer_load")
                .takes(pointer(element))
                .takes(&offsets);
            let op = optional(op, strided, "i32".into());
            let op = optional(op, masked, masks.into());
            let op = optional(op, masked && filled, (&values).into());
            policy::maybe(rng, 15, op)
                .i32("contiguity", rng.power(0, 3) as i64)
                .segments(&[1, 1, n(strided), n(masked), n(masked && filled)])
                .gives(&values)
        }
        1 => {
            let op = Op::new("amdg.buffer_store")
                .takes(&values)
                .takes(pointer(element))
                .takes(&offsets);
            let op = optional(op, strided, "i32".into());
            let op = optional(op, masked, masks.into());
            policy::maybe(rng, 15, op)
                .i32("contiguity", rng.power(0, 3) as i64)
                .segments(&[1, 1, 1, n(strided), n(masked)])
        }
        2 => {
            let op = Op::new("amdg.buffer_atomic_rmw")
                .takes(pointer(element))
                .takes(&offsets)
                .takes(&values);
            let op = optional(op, strided, "i32".into());
            optional(op, masked, masks.into())
                .i32("atomic_rmw_op", rng.between(1, 10) as i64)
                .i32("scope", rng.between(1, 3) as i64)
                .i32("sem", rng.between(1, 4) as i64)
                .segments(&[1, 1, 1, n(strided), n(masked)])
                .gives(&values)
        }
        _ => {
            let op = Op::new("amdg.buffer_atomic_cas")
                .takes(pointer(element))
                .takes(&offsets)
                .takes(&values)
                .takes(&values);
            optional(op, strided, "i32".into())
                .i32("scope", rng.between(1, 3) as i64)
                .i32("sem", rng.between(1, 4) as i64)
                .gives(&values)
        }
    };
    Module::new(s, op)
}

pub(crate) fn buffer_to_local(rng: &mut Rng) -> Module {
    let mut s = Setting::cdna(rng);
    if rng.chance(90) {
        s.target = rng.choose(&["hip:gfx942", "hip:gfx950"]);
    }
    let buffer = buffer(rng, &s);
    let values = Shaped::tensor(
        &buffer.shape,
        &buffer.element,
        Some(any(rng, &s, &buffer.shape)),
    );
    let (masked, filled, strided) = (rng.chance(50), rng.chance(30), rng.chance(30));
    let mut op = Op::new("amdg.buffer_load_to_local")
        .takes(&buffer)
        .takes(pointer(&buffer.element))
        .takes(values.of("i32"));
    if masked {
        op = op.takes(values.of("i1"));
    }
    if filled {
        op = op.takes(&values);
    }
    if strided {
        op = op.takes("i32");
    }
    let n = usize::from;
    let op = policy::maybe(rng, 15, op)
        .i32("contiguity", rng.power(0, 3) as i64)
        .segments(&[1, 1, 1, n(masked), n(filled), n(strided)])
        .gives("!ttg.async.token");
    Module::new(s, op)
}

pub(crate) fn in_thread_transpose(rng: &mut Rng) -> Module {
    let s = Setting::amd(rng);
    let lanes = [rng.power(2, 4), 0];
    let lanes = [lanes[0], s.lanes / lanes[0]];
    let per_thread = [rng.power(0, 3), rng.power(1, 3)];
    let along_m = rng.power(0, s.warps.trailing_zeros() as usize);
    let encoding = format!(
        "#ttg.blocked<{{sizePerThread = {}, threadsPerWarp = {}, warpsPerCTA = {}, order = [1, 0]}}>",
        list(&per_thread),
        list(&lanes),
        list(&[along_m, s.warps / along_m])
    );
    let sizes = [
        per_thread[0] * lanes[0] * along_m * rng.power(0, 1),
        per_thread[1] * lanes[1] * s.warps / along_m * rng.power(0, 1),
    ];
    let element = rng.choose(&["f16", "i8", "bf16"]);
    let src = Shaped::tensor(&sizes, element, Some(encoding));
    let mut dst = src.clone();
    let along = |i: usize| per_thread[i].trailing_zeros() as usize;
    dst.encoding = known(src.encoding.as_deref().unwrap_or_default())
        .and_then(|e| e.to_linear_layout(&sizes).ok())
        .map(|layout| transposed_registers(&layout, along(0) + along(1), along(1)));
    Module::new(
        s,
        Op::new("amdg.in_thread_transpose").takes(&src).gives(&dst),
    )
}

/// Returns the layout that results from an in-thread transpose of `layout`. The transpose permutes only the lowest
/// `block` register bits. The lowest `first` of these bits run along dimension 1; the transpose makes them the
/// highest of the `block` bits.
fn transposed_registers(layout: &LinearLayout, block: usize, first: usize) -> String {
    let of = |dim: Dim| -> Vec<Vec<u64>> {
        (0..layout.in_bits(dim))
            .map(|bit| layout.basis(dim, bit).to_vec())
            .collect()
    };
    let mut register = of(Dim::REGISTER);
    let count = register.len();
    register[..block.min(count)].rotate_left(first.min(count));
    format!(
        "#ttg.linear<{{register = {}, lane = {}, warp = {}, block = {}}}>",
        bases(&register),
        bases(&of(Dim::LANE)),
        bases(&of(Dim::WARP)),
        bases(&of(Dim::BLOCK))
    )
}

/// Draws a blocked layout. Returns it with the shape of its tile, and with the number of repetitions of the tile
/// along each dimension.
fn tiled(rng: &mut Rng, s: &Setting) -> (String, [u64; 2], [u64; 2]) {
    let lanes = [rng.power(2, 4), 0];
    let lanes = [lanes[0], s.lanes / lanes[0]];
    let per_thread = [1, rng.power(0, 3)];
    let encoding = format!(
        "#ttg.blocked<{{sizePerThread = {}, threadsPerWarp = {}, warpsPerCTA = {}, order = [1, 0]}}>",
        list(&per_thread),
        list(&lanes),
        list(&[s.warps, 1])
    );
    let tile = [lanes[0] * s.warps, per_thread[1] * lanes[1]];
    (encoding, tile, [rng.power(0, 2), rng.power(0, 2)])
}

pub(crate) fn extract_slice(rng: &mut Rng) -> Module {
    let s = Setting::cdna(rng);
    let (encoding, tile, times) = tiled(rng, &s);
    let src = Shaped::tensor(
        &[tile[0] * times[0], tile[1] * times[1]],
        "f16",
        Some(encoding),
    );
    let kept = [
        rng.power(0, times[0].trailing_zeros() as usize),
        rng.power(0, times[1].trailing_zeros() as usize),
    ];
    let dst = src.with_shape(&[tile[0] * kept[0], tile[1] * kept[1]]);
    let offsets = (0..2)
        .map(|i| (rng.below((times[i] / kept[i]) as usize) as u64 * dst.shape[i]) as i64)
        .collect();
    let op = Op::new("amdg.extract_slice")
        .takes(&src)
        .with("static_offsets", Attr::I64s(offsets))
        .gives(&dst);
    Module::new(s, op)
}

pub(crate) fn concat(rng: &mut Rng) -> Module {
    let s = Setting::cdna(rng);
    let (encoding, tile, times) = tiled(rng, &s);
    let dst = Shaped::tensor(
        &[tile[0] * times[0], tile[1] * times[1]],
        "f16",
        Some(encoding),
    );
    let src = dst.with_shape(&tile);
    let op = Op::new("amdg.concat")
        .takes_all(vec![&src; (times[0] * times[1]) as usize])
        .gives(&dst);
    Module::new(s, op)
}

pub(crate) fn local_load_packed(rng: &mut Rng) -> Module {
    let s = Setting::cdna(rng);
    let (m, k) = (rng.power(5, 7), rng.power(5, 7));
    let parent = format!(
        "#ttg.amd_mfma<{{version = 4, warpsPerCTA = [{}, 1], instrShape = [32, 32, 64], isTransposed = true}}>",
        s.warps
    );
    let operand = rng.below(2);
    let (from, to, order) = if operand == 0 {
        ([m / 2, k], [m, k / 2], "[0, 1]")
    } else {
        ([k, m / 2], [k / 2, m], "[1, 0]")
    };
    let layout =
        format!("#ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = {order}}}>");
    let dst = dot_operand(&parent, operand, 16);
    let op = Op::new("amdg.local_load_packed_transposed")
        .takes(Shaped::buffer(&from, "i8", layout))
        .gives(Shaped::tensor(&to, "i8", Some(dst)));
    Module::new(s, op)
}

pub(crate) fn copies(rng: &mut Rng) -> Module {
    let s = Setting::rdna(rng);
    let one = buffer(rng, &s);
    let op = match rng.below(6) {
        0 => {
            let values = Shaped::tensor(&one.shape, &one.element, Some(any(rng, &s, &one.shape)));
            let op = Op::new("amdg.async_copy_local_to_global")
                .takes(&one)
                .takes(values.of(&format!("!tt.ptr<{}>", one.element)));
            let op = if rng.chance(50) {
                op.takes(values.of("i1"))
            } else {
                op
            };
            policy::maybe(rng, 20, op)
                .i32("contiguity", rng.power(0, 3) as i64)
                .gives("!ttg.async.token")
        }
        1 => Op::new("amdg.async_wait")
            .takes_all(vec!["!ttg.async.token"; rng.below(3)])
            .i32("num_inst", rng.below(4) as i64)
            .gives("!ttg.async.token"),
        2 => Op::new("amdg.async_copy_mbarrier_arrive").takes(barrier(rng, &s)),
        3 => Op::new("amdg.init_barrier")
            .takes(barrier(rng, &s))
            .i32("count", rng.between(1, 4) as i64),
        4 => Op::new("amdg.wait_barrier")
            .takes(barrier(rng, &s))
            .takes("i32"),
        _ => Op::new("amdg.arrive_barrier")
            .takes(barrier(rng, &s))
            .i32("count", rng.between(1, 4) as i64)
            .gives("i32"),
    };
    Module::new(s, op)
}
