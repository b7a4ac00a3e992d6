//! Operations of NVIDIA GPUs only: barriers, the tensor memory accelerator, tensor memory.

use super::{Module, Rng};
use crate::referee::memory::{barrier, buffer_of, nvmma, nvmma_of, scales, tensor_memory, width};
use crate::referee::policy;
use crate::referee::registers::{any, blocked, slice};
use crate::referee::text::{Attr, Op, Setting, Shaped, Type};

fn flag(rng: &mut Rng, op: Op, percent: usize, name: &str) -> Op {
    if rng.chance(percent) {
        op.with(name, Attr::Unit)
    } else {
        op
    }
}

pub(crate) fn barriers(rng: &mut Rng) -> Module {
    let s = Setting::groups(rng, "cuda:90");
    let one = barrier(rng, &s);
    let name = rng.choose(&[
        "ttng.init_barrier",
        "ttng.inval_barrier",
        "ttng.barrier_expect",
        "ttng.wait_barrier",
        "ttng.arrive_barrier",
        "ttng.async_copy_mbarrier_arrive",
    ]);
    let op = Op::new(name).takes(&one);
    let op = match name {
        "ttng.init_barrier" => op.i32("count", rng.between(1, 4) as i64),
        "ttng.barrier_expect" => op.takes("i1").i32("size", 128_i64),
        "ttng.wait_barrier" => {
            let (pred, deps) = (rng.chance(50), rng.below(2));
            let mut op = op.takes("i32");
            if pred {
                op = op.takes("i1");
            }
            for _ in 0..deps {
                op = op.takes(buffer_of(rng, &s, 2, "f16"));
            }
            op.segments(&[1, 1, usize::from(pred), deps])
        }
        "ttng.arrive_barrier" => {
            let op = if rng.chance(40) { op.takes("i1") } else { op };
            op.i32("count", rng.between(1, 3) as i64)
        }
        "ttng.async_copy_mbarrier_arrive" => flag(rng, op, 50, "noIncrement"),
        _ => op,
    };
    Module::new(s, op)
}

/// Draws the descriptor of a block for the tensor memory accelerator, and a shared-memory buffer for the block.
fn block(rng: &mut Rng, s: &Setting) -> (Shaped, Shaped) {
    let element = rng.choose(&["f16", "bf16", "f32", "i8", "f8E5M2", "i32"]);
    let rank = rng.choose(&[1, 2, 2, 2, 2, 3, 4, 5]);
    let mut sizes: Vec<u64> = vec![rng.power(0, 1); rank];
    sizes[rank - 1] = rng.power(5, 7);
    if rank > 1 {
        sizes[rank - 2] = rng.power(3, 7);
    }
    let layout = if rng.chance(95) {
        nvmma_of(rng, s, &sizes, width(element))
    } else {
        crate::referee::memory::any(rng, s, &sizes, width(element))
    };
    let desc = Shaped::descriptor(&sizes, element, Some(layout.clone()));
    (desc, Shaped::buffer(&sizes, element, layout))
}

pub(crate) fn tma_copy(rng: &mut Rng) -> Module {
    let s = Setting::groups(rng, "cuda:90");
    let (desc, buffer) = block(rng, &s);
    let coordinates = vec!["i32"; desc.rank()];
    let count = coordinates.len();
    let op = match rng.below(4) {
        0 | 1 => {
            let op = Op::new("ttng.async_tma_copy_global_to_local")
                .takes(&desc)
                .takes_all(coordinates)
                .takes(barrier(rng, &s))
                .takes(&buffer)
                .takes("i1")
                .with("isVolatile", Attr::Bool(false))
                .segments(&[1, count, 0, 1, 1, 1]);
            let op = flag(rng, op, 10, "multicast");
            policy::maybe(rng, 20, op)
        }
        2 => {
            let op = Op::new("ttng.async_tma_copy_local_to_global")
                .takes(&desc)
                .takes_all(coordinates)
                .takes(&buffer);
            policy::maybe(rng, 20, op)
        }
        _ => Op::new("ttng.async_tma_reduce")
            .takes(&desc)
            .takes_all(coordinates)
            .takes(&buffer)
            .i32("kind", rng.between(1, 8) as i64),
    };
    Module::new(s, op)
}

pub(crate) fn tma_rows(rng: &mut Rng) -> Module {
    let s = Setting::groups(rng, "cuda:100");
    let element = rng.choose(&["f16", "bf16", "f32", "i8"]);
    let (rows, columns) = (rng.power(3, 7), rng.power(5, 7));
    let layout = nvmma_of(rng, &s, &[rows, columns], width(element));
    let desc = Shaped::descriptor(&[1, columns], element, Some(layout.clone()));
    let buffer = Shaped::buffer(&[rows, columns], element, layout);
    let parent = if s.ctas == 1 && rng.chance(85) {
        format!(
            "#ttg.blocked<{{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [1, {}], order = [1, 0]}}>",
            s.warps
        )
    } else {
        blocked(rng, &s, 2)
    };
    let x = Shaped::tensor(&[rows], "i32", Some(slice(&parent, 0)));
    let op = if rng.chance(50) {
        Op::new("ttng.async_tma_gather")
            .takes(&desc)
            .takes(&x)
            .takes("i32")
            .takes(barrier(rng, &s))
            .takes(&buffer)
            .takes("i1")
    } else {
        Op::new("ttng.async_tma_scatter")
            .takes(&desc)
            .takes(&x)
            .takes("i32")
            .takes(&buffer)
    };
    let op = policy::maybe(rng, 20, op);
    Module::new(s, op)
}

pub(crate) fn shared_store(rng: &mut Rng) -> Module {
    let mut s = Setting::groups(rng, "cuda:90");
    s.ctas = 2;
    let buffer = buffer_of(rng, &s, 2, "f32");
    let values = Shaped::tensor(&buffer.shape, "f32", Some(any(rng, &s, &buffer.shape)));
    let op = Op::new("ttng.async_shared_store")
        .takes(&values)
        .takes(&buffer)
        .takes(barrier(rng, &s));
    Module::new(s, op)
}

/// Draws a tensor with a register layout in which tensor memory can be read: each thread holds elements of one row.
fn rows(rng: &mut Rng, s: &Setting, buffer: &Shaped) -> Shaped {
    let [m, n] = [buffer.shape[0], buffer.shape[1]];
    let along_n = s.warps / 4;
    let encoding = if rng.chance(85) {
        format!(
            "#ttg.blocked<{{sizePerThread = [1, {}], threadsPerWarp = [32, 1], warpsPerCTA = [4, {along_n}], order = [0, 1]{}}}>",
            n / along_n,
            if s.ctas == 1 {
                String::new()
            } else {
                let all: Vec<Vec<u64>> = (0..s.ctas.trailing_zeros())
                    .map(|i| vec![1 << i, 0])
                    .collect();
                format!(", CGALayout = {}", crate::referee::registers::bases(&all))
            }
        )
    } else {
        any(rng, s, &[m, n])
    };
    Shaped::tensor(&[m, n], &buffer.element, Some(encoding))
}

pub(crate) fn tensor_memory_access(rng: &mut Rng) -> Module {
    let s = Setting::groups(rng, "cuda:100");
    let element = rng.choose(&["f32", "f32", "f32", "f16", "bf16", "i32"]);
    let mut buffer = tensor_memory(rng, &s, element);
    let values = rows(rng, &s, &buffer);
    let token = rng.chance(40);
    let op = match rng.below(4) {
        0 => {
            let op = Op::new("ttng.tmem_alloc");
            let op = if rng.chance(50) {
                buffer.mutable = rng.chance(50);
                op.takes(&values)
            } else {
                if rng.chance(30) {
                    let mut shape = buffer.shape.clone();
                    shape.insert(0, rng.power(0, 1));
                    buffer = buffer.with_shape(&shape);
                }
                op
            };
            let op = op.gives(&buffer);
            if token {
                op.gives("!ttg.async.token")
            } else {
                op
            }
        }
        1 | 2 => {
            let op = Op::new("ttng.tmem_load").takes(&buffer);
            let op = if token {
                op.takes("!ttg.async.token")
            } else {
                op
            };
            let op = op.gives(&values);
            let op = if token {
                op.gives("!ttg.async.token")
            } else {
                op
            };
            let reduces = rng.chance(20);
            let op = if reduces {
                let encoding = values.encoding.as_ref().map(|e| slice(e, 1));
                op.gives(Shaped::tensor(&values.shape[..1], element, encoding))
                    .with("redOp", Attr::Text("#ttng.redOp<max>".to_owned()))
            } else {
                op
            };
            let op = if reduces && rng.chance(40) {
                op.with(rng.choose(&["abs", "NaN"]), Attr::Bool(rng.chance(70)))
            } else {
                op
            };
            op.with(
                "resultSegmentSizes",
                Attr::I32s(vec![1, i64::from(token), i64::from(reduces)]),
            )
        }
        _ => {
            let op = Op::new("ttng.tmem_store").takes(&buffer);
            let op = if token {
                op.takes("!ttg.async.token")
            } else {
                op
            };
            let op = op.takes(&values).takes("i1");
            if token {
                op.gives("!ttg.async.token")
            } else {
                op
            }
        }
    };
    Module::new(s, op)
}

pub(crate) fn tensor_memory_view(rng: &mut Rng) -> Module {
    let s = Setting::groups(rng, "cuda:100");
    let element = rng.choose(&["f32", "f32", "f16", "i8"]);
    let src = tensor_memory(rng, &s, element);
    let op = match rng.below(4) {
        0 | 1 => {
            let mut dst = src.clone();
            dst.alloc.clone_from(&src.shape);
            let dim = usize::from(!rng.chance(10));
            dst.shape[dim] /= 2;
            let offset = if rng.chance(50) { dst.shape[dim] } else { 0 };
            Op::new("ttng.tmem_subslice")
                .takes(&src)
                .i32("dim", dim as i64)
                .i32("offset", offset as i64)
                .gives(&dst)
        }
        2 => {
            let mut all = src.clone();
            all.shape.insert(0, rng.power(0, 2));
            Op::new("ttg.memdesc_index")
                .takes(&all)
                .takes("i32")
                .gives(&src)
        }
        _ => {
            let element = rng.choose(&["f32", "f16"]);
            let other = tensor_memory(rng, &s, element);
            Op::new("ttg.memdesc_reinterpret").takes(&src).gives(&other)
        }
    };
    Module::new(s, op)
}

pub(crate) fn tensor_memory_copy(rng: &mut Rng) -> Module {
    let s = Setting::groups(rng, "cuda:100");
    let op = if rng.chance(50) {
        let dst = tensor_memory(rng, &s, "f32");
        let layout = if rng.chance(80) {
            nvmma_of(rng, &s, &dst.shape, 32)
        } else {
            crate::referee::memory::any(rng, &s, &dst.shape, 32)
        };
        Op::new("ttng.tmem_copy")
            .takes(Shaped::buffer(&dst.shape, "f32", layout))
            .takes(&dst)
    } else {
        let dst = scales(rng, 128, 4);
        let layout = crate::referee::memory::any(rng, &s, &[128, 4], 8);
        Op::new("ttng.tmem_copy")
            .takes(Shaped::buffer(&[128, 4], "i8", layout))
            .takes(&dst)
    };
    Module::new(s, op)
}

/// Adds up to two mbarriers to the operands of the product `op`, followed by one predicate per mbarrier. Returns
/// the operation and the number of mbarriers.
fn with_barriers(rng: &mut Rng, s: &Setting, op: Op) -> (Op, usize) {
    let count = rng.below(3);
    let op = (0..count).fold(op, |op, _| {
        let one = barrier(rng, s);
        op.takes(one)
    });
    (op.takes_all(vec!["i1"; count]), count)
}

/// Draws the shared-memory layout of an operand of a product. Either dimension may be the contiguous one.
fn operand_layout(rng: &mut Rng, s: &Setting, shape: &[u64; 2], bits: u64) -> String {
    let text = nvmma_of(rng, s, shape, bits);
    if rng.chance(25) && shape[0] >= 128 {
        text.replace("transposed = false", "transposed = true")
    } else {
        text
    }
}

pub(crate) fn tensor_core(rng: &mut Rng) -> Module {
    let s = Setting::groups(rng, "cuda:100");
    let element = rng.choose(&["f16", "bf16", "f32", "f8E5M2", "f8E4M3FN", "i8"]);
    let sum = if element == "i8" { "i32" } else { "f32" };
    let d = tensor_memory(rng, &s, sum);
    let k = rng.power(5, 7);
    let a: Type = if rng.chance(20) {
        let mut a = tensor_memory(rng, &s, element);
        a.shape[0] = d.shape[0];
        a.into()
    } else {
        let layout = operand_layout(rng, &s, &[d.shape[0], k], width(element));
        Shaped::buffer(&[d.shape[0], k], element, layout).into()
    };
    let k = match &a {
        Type::Shaped(a) => a.shape[1],
        Type::Plain(_) => k,
    };
    let layout = operand_layout(rng, &s, &[k, d.shape[1]], width(element));
    let b = Shaped::buffer(&[k, d.shape[1]], element, layout);
    let token = rng.chance(40);
    let op = Op::new("ttng.tc_gen5_mma").takes(a).takes(b).takes(&d);
    let op = if token {
        op.takes("!ttg.async.token")
    } else {
        op
    };
    let (op, count) = with_barriers(rng, &s, op.takes_all(["i1", "i1"]));
    let op = op.segments(&[1, 1, 1, usize::from(token), 1, 1, count, count]);
    let op = if count > 0 || rng.chance(20) {
        op.with("is_async", Attr::Unit)
    } else {
        op
    };
    let op = flag(rng, op, 10, "two_ctas");
    let op = if token {
        op.gives("!ttg.async.token")
    } else {
        op
    };
    Module::new(s, op)
}

pub(crate) fn tensor_core_scaled(rng: &mut Rng) -> Module {
    let mut s = Setting::groups(rng, "cuda:100");
    let mut d = tensor_memory(rng, &s, "f32");
    d.shape = vec![128, rng.power(5, 7)];
    if rng.chance(85) {
        s.ctas = 1;
        d.encoding = Some(format!(
            "#ttng.tensor_memory_encoding<blockM = 128, blockN = {}, colStride = 1>",
            d.shape[1]
        ));
    }
    let k = rng.power(6, 8);
    let kinds = [(0, "f8E4M3FN"), (1, "f8E5M2"), (4, "i8")];
    let ((a_type, a), (b_type, b)) = (rng.choose(&kinds), rng.choose(&kinds));
    let packed = |type_| if type_ == 4 { k / 2 } else { k };
    let (a_shape, b_shape) = ([128, packed(a_type)], [packed(b_type), d.shape[1]]);
    let layout = |rng: &mut Rng, shape: &[u64; 2], type_: i64, other: i64| {
        let text = operand_layout(rng, &s, shape, 8);
        if type_ == 4 && other != 4 && rng.chance(80) {
            text.replace(
                "elementBitWidth = 8",
                "elementBitWidth = 8, fp4Padded = true",
            )
        } else {
            text
        }
    };
    let a_layout = layout(rng, &a_shape, a_type, b_type);
    let b_layout = layout(rng, &b_shape, b_type, a_type);
    let token = rng.chance(30);
    let op = Op::new("ttng.tc_gen5_mma_scaled")
        .takes(Shaped::buffer(&a_shape, a, a_layout))
        .takes(Shaped::buffer(&b_shape, b, b_layout))
        .takes(&d);
    let op = if token {
        op.takes("!ttg.async.token")
    } else {
        op
    };
    let op = op
        .takes(scales(rng, 128, k / 32))
        .takes(scales(rng, d.shape[1], k / 32))
        .takes_all(["i1", "i1"]);
    let (op, count) = with_barriers(rng, &s, op);
    let op = op
        .segments(&[1, 1, 1, usize::from(token), 1, 1, 1, 1, count, count])
        .i32("a_type", a_type)
        .i32("b_type", b_type);
    let op = if count > 0 {
        op.with("is_async", Attr::Unit)
    } else {
        op
    };
    let op = if token {
        op.gives("!ttg.async.token")
    } else {
        op
    };
    Module::new(s, op)
}

pub(crate) fn others(rng: &mut Rng) -> Module {
    let s = Setting::groups(rng, "cuda:100");
    let op = match rng.below(8) {
        0 => Op::new("ttng.clc_load_result")
            .takes(buffer_of_i64(rng, &s, 2))
            .gives("i128"),
        1 => Op::new("ttng.clc_try_cancel")
            .takes(buffer_of_i64(rng, &s, 2))
            .takes(barrier(rng, &s)),
        2 => Op::new("ttng.clc_try_cancel_sync").gives(Shaped::tensor(
            &[2],
            "i64",
            Some(blocked(rng, &s, 1)),
        )),
        3 => Op::new("ttng.reinterpret_tensor_descriptor")
            .takes("!tt.ptr<i8>")
            .gives(block(rng, &s).0),
        4 => Op::new("ttng.fence_async_shared").with("bCluster", Attr::Bool(rng.chance(50))),
        5 => Op::new("ttng.async_tma_store_wait").i32("pendings", rng.below(3) as i64),
        6 => {
            let (pred, descs) = (rng.chance(50), rng.below(2));
            let mut op = Op::new("ttng.tc_gen5_commit").takes(barrier(rng, &s));
            if pred {
                op = op.takes("i1");
            }
            for _ in 0..descs {
                let layout = nvmma(rng, &s, 2, 16);
                op = op.takes(Shaped::buffer(&[128, 64], "f16", layout));
            }
            op.segments(&[1, usize::from(pred), descs])
        }
        _ => Op::new("ttng.tmem_wait").i32("kind", rng.below(2) as i64),
    };
    Module::new(s, op)
}

fn buffer_of_i64(rng: &mut Rng, s: &Setting, size: u64) -> Shaped {
    let mut one = barrier(rng, s);
    one.shape = vec![size];
    one
}
