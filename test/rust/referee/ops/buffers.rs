//! Buffers in shared memory: making, reading, writing and viewing them.

use super::views::reshaped;
use super::{Module, Rng};
use crate::referee::memory::{ELEMENTS, any as any_memory, buffer, buffer_of, several, width};
use crate::referee::policy;
use crate::referee::registers::{any, inferred, known};
use crate::referee::text::{Attr, Op, Setting, Shaped};
use linear_layout::encoding::infer;

/// Draws a tensor that holds the contents of a buffer, in a random register layout.
fn contents(rng: &mut Rng, s: &Setting, buffer: &Shaped) -> Shaped {
    let encoding = any(rng, s, &buffer.shape);
    Shaped::tensor(&buffer.shape, &buffer.element, Some(encoding))
}

pub(crate) fn local_alloc(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let mut buffer = buffer(rng, &s);
    let mut op = Op::new("ttg.local_alloc");
    if rng.chance(50) {
        op = op.takes(contents(rng, &s, &buffer));
        buffer.mutable = rng.chance(50);
    } else if rng.chance(40) {
        buffer = several(rng, &buffer);
    }
    if rng.chance(20) {
        op = op.i32("alignment", rng.power(3, 7) as i64);
    }
    Module::new(s, op.gives(&buffer))
}

pub(crate) fn local_access(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let buffer = buffer(rng, &s);
    let values = contents(rng, &s, &buffer);
    let op = match rng.below(5) {
        0 => Op::new("ttg.local_dealloc").takes(&buffer),
        1 | 2 => {
            let op = Op::new("ttg.local_load").takes(&buffer);
            let op = if rng.chance(25) {
                op.takes("!ttg.async.token")
            } else {
                op
            };
            op.gives(&values)
        }
        _ => Op::new("ttg.local_store").takes(&values).takes(&buffer),
    };
    Module::new(s, op)
}

pub(crate) fn local_indexed(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let buffer = buffer(rng, &s);
    let axis = rng.below(buffer.rank());
    let mut sizes = buffer.shape.clone();
    sizes[axis] = rng.power(0, 5);
    let encoding = any(rng, &s, &sizes);
    let values = Shaped::tensor(&sizes, &buffer.element, Some(encoding));
    let indices = values.of(rng.choose(&["i32", "i64", "i16"]));
    let op = match rng.below(3) {
        0 => Op::new("ttg.local_gather")
            .takes(&buffer)
            .takes(&indices)
            .gives(&values),
        1 => Op::new("ttg.local_scatter")
            .takes(&buffer)
            .takes(&values)
            .takes(&indices),
        _ => {
            let op = Op::new("ttg.local_atomic_scatter_rmw")
                .takes(&buffer)
                .takes(&values)
                .takes(&indices);
            let op = if rng.chance(50) {
                op.takes(values.of("i1"))
            } else {
                op
            };
            op.i32("atomic_rmw_op", rng.between(1, 10) as i64)
                .gives(&values)
        }
    };
    Module::new(s, op.i32("axis", axis as i64))
}

pub(crate) fn memdesc_index(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let one = buffer(rng, &s);
    let mut all = several(rng, &one);
    if rng.chance(15) {
        all.alloc.clone_from(&all.shape);
        all.shape[0] = 1;
    }
    let op = Op::new("ttg.memdesc_index")
        .takes(&all)
        .takes("i32")
        .gives(&one);
    Module::new(s, op)
}

pub(crate) fn memdesc_subslice(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let mut whole = buffer(rng, &s);
    if rng.chance(15) {
        whole = several(rng, &whole);
    }
    let mut part = whole.clone();
    part.alloc.clone_from(&whole.shape);
    let mut offsets = vec![0; whole.rank()];
    for _ in 0..rng.between(1, 2) {
        let dim = rng.below(whole.rank());
        let size = part.shape[dim];
        if size > 1 && size.is_power_of_two() {
            let pieces = 1 << rng.between(1, (size.trailing_zeros() as usize).min(3));
            part.shape[dim] = size / pieces;
            offsets[dim] = (rng.below(pieces as usize) as u64 * part.shape[dim]) as i64;
        }
    }
    if rng.chance(12) {
        // A slice of a slice.
        let dim = rng.below(whole.rank());
        whole.alloc.clone_from(&whole.shape);
        whole.shape[dim] *= 2;
        whole.alloc[dim] *= 4;
        part.alloc.clone_from(&whole.alloc);
    }
    let op = Op::new("ttg.memdesc_subslice")
        .takes(&whole)
        .with("offsets", Attr::I32s(offsets))
        .gives(&part);
    Module::new(s, op)
}

pub(crate) fn memdesc_trans(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let src = buffer(rng, &s);
    let order = rng.permutation(src.rank());
    let moved: Vec<u64> = order.iter().map(|d| src.shape[*d]).collect();
    let encoding = inferred(&src, |e| infer::trans(e, &src.shape, &order));
    let dst = src.with_shape(&moved).with_encoding(encoding);
    let op = Op::new("ttg.memdesc_trans")
        .takes(&src)
        .with(
            "order",
            Attr::I32s(order.iter().map(|d| *d as i64).collect()),
        )
        .gives(&dst);
    Module::new(s, op)
}

pub(crate) fn memdesc_reshape(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let src = buffer(rng, &s);
    let to = reshaped(rng, &src.shape);
    let encoding = inferred(&src, |e| infer::reshape(e, &src.shape, &to));
    let dst = src.with_shape(&to).with_encoding(encoding);
    Module::new(s, Op::new("ttg.memdesc_reshape").takes(&src).gives(&dst))
}

pub(crate) fn memdesc_reinterpret(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let src = buffer(rng, &s);
    let element = rng.choose(ELEMENTS);
    let mut to = reshaped(rng, &src.shape);
    let (has, needs) = (width(&src.element), width(element));
    if needs > has {
        let last = to.len() - 1;
        to[last] = (to[last] / (needs / has)).max(1);
    } else {
        to[0] *= has / needs;
    }
    let layout = any_memory(rng, &s, &to, needs);
    // A layout that does not fit the shape is not what is asked here.
    let layout = known(&layout)
        .filter(|e| e.to_linear_layout(&to).is_ok())
        .map_or_else(
            || buffer_of(rng, &s, to.len(), element).encoding,
            |_| Some(layout),
        );
    let dst = Shaped {
        shape: to,
        element: element.to_owned(),
        encoding: layout,
        ..src.clone()
    };
    Module::new(
        s,
        Op::new("ttg.memdesc_reinterpret").takes(&src).gives(&dst),
    )
}

pub(crate) fn async_copy(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let buffer = buffer(rng, &s);
    let values = contents(rng, &s, &buffer);
    let (masked, filled) = (rng.chance(50), rng.chance(30));
    let mut op = Op::new("ttg.async_copy_global_to_local")
        .takes(values.of(&format!("!tt.ptr<{}>", buffer.element)))
        .takes(&buffer);
    if masked {
        op = op.takes(values.of("i1"));
    }
    if masked && filled {
        op = op.takes(&values);
    }
    let op = policy::maybe(rng, 20, op)
        .i32("contiguity", rng.power(0, 3) as i64)
        .with("isVolatile", Attr::Bool(false))
        .segments(&[1, 1, usize::from(masked), usize::from(masked && filled)])
        .gives("!ttg.async.token");
    Module::new(s, op)
}

pub(crate) fn async_groups(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let tokens = vec!["!ttg.async.token"; rng.below(3)];
    let op = if rng.chance(50) {
        Op::new("ttg.async_commit_group").takes_all(tokens)
    } else {
        Op::new("ttg.async_wait")
            .takes_all(tokens)
            .i32("num", rng.below(4) as i64)
    };
    Module::new(s, op.gives("!ttg.async.token"))
}
