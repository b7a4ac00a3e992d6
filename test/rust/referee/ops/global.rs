//! Accesses to global memory.

use super::{Module, Rng};
use crate::referee::memory::{ELEMENTS, nvmma_of, width};
use crate::referee::policy;
use crate::referee::registers::{any, blocked, shape, slice, tensor};
use crate::referee::text::{Attr, Op, Setting, Shaped, Type};

fn pointer_to(element: &str) -> String {
    format!("!tt.ptr<{element}>")
}

/// Draws the types of pointers, values and masks of a memory access. All three have the same shape and layout, or
/// are scalars.
fn access(rng: &mut Rng, s: &Setting, element: &str) -> (Type, Type, Type) {
    if rng.chance(12) {
        return (
            Type::Plain(pointer_to(element)),
            Type::from(element),
            Type::from("i1"),
        );
    }
    let values = tensor(rng, s, element);
    (
        values.of(&pointer_to(element)).into(),
        (&values).into(),
        values.of("i1").into(),
    )
}

pub(crate) fn load(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = rng.choose(ELEMENTS);
    let (pointers, values, masks) = access(rng, &s, element);
    let (masked, filled) = (rng.chance(60), rng.chance(50));
    let mut op = Op::new("tt.load").takes(pointers);
    if masked {
        op = op.takes(masks);
    }
    if masked && filled {
        op = op.takes(values.clone());
    }
    op = policy::maybe(rng, 30, op);
    let op = op
        .with("isVolatile", Attr::Bool(rng.chance(20)))
        .segments(&[1, usize::from(masked), usize::from(masked && filled)])
        .gives(values);
    Module::new(s, op)
}

pub(crate) fn store(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = rng.choose(ELEMENTS);
    let (pointers, values, masks) = access(rng, &s, element);
    let mut op = Op::new("tt.store").takes(pointers).takes(values);
    if rng.chance(50) {
        op = op.takes(masks);
    }
    op = policy::maybe(rng, 30, op);
    Module::new(s, op)
}

pub(crate) fn atomic(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let name = rng.choose(&[
        "tt.atomic_rmw",
        "tt.atomic_cas",
        "tt.atomic_load",
        "tt.atomic_store",
    ]);
    let element = rng.choose(&["i32", "i64", "i32", "f32", "i16"]);
    let (pointers, values, masks) = access(rng, &s, element);
    let masked = rng.chance(50) && name != "tt.atomic_cas";
    let sem = match name {
        "tt.atomic_load" => rng.between(1, 2),
        "tt.atomic_store" => rng.choose(&[1, 3]),
        _ => rng.between(1, 4),
    };
    let mut op = Op::new(name).takes(pointers);
    if name != "tt.atomic_load" {
        op = op.takes(values.clone());
    }
    if name == "tt.atomic_cas" {
        op = op.takes(values.clone());
    }
    if masked {
        op = op.takes(masks);
    }
    if name == "tt.atomic_rmw" {
        op = op.i32("atomic_rmw_op", rng.between(1, 10) as i64);
    }
    op = op
        .i32("scope", rng.between(1, 3) as i64)
        .i32("sem", sem as i64);
    if name != "tt.atomic_store" {
        op = op.gives(values);
    }
    Module::new(s, op)
}

pub(crate) fn atomic_poll(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = rng.choose(&["i32", "i64", "i16"]);
    let (pointer, expected, done) = if rng.chance(60) {
        (
            Type::Plain(pointer_to(element)),
            Type::from(element),
            Type::from("i1"),
        )
    } else {
        access(rng, &s, element)
    };
    let mut op = Op::new("tt.atomic_poll").takes(pointer).takes(expected);
    if rng.chance(40) {
        op = op.takes("i64");
    }
    let op = op
        .i32("scope", rng.between(1, 3) as i64)
        .i32("sem", rng.between(1, 2) as i64)
        .gives(done);
    Module::new(s, op)
}

/// Draws a block of a tensor in global memory. The block may or may not have a shared-memory layout.
fn block(rng: &mut Rng, s: &Setting, element: &str) -> Shaped {
    let rank = rng.choose(&[1, 2, 2, 2, 3, 4, 5]);
    let sizes: Vec<u64> = (0..rank)
        .map(|i| {
            if i + 1 == rank {
                rng.power(4, 7)
            } else {
                rng.power(0, 4)
            }
        })
        .collect();
    let layout = rng
        .chance(35)
        .then(|| nvmma_of(rng, s, &sizes, width(element)));
    Shaped::descriptor(&sizes, element, layout)
}

pub(crate) fn make_tensor_descriptor(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = rng.choose(ELEMENTS);
    let desc = block(rng, &s, element);
    let rank = desc.rank();
    let op = Op::new("tt.make_tensor_descriptor")
        .takes(Type::Plain(pointer_to(element)))
        .takes_all(vec!["i32"; rank])
        .takes_all(vec!["i64"; rank])
        .i32("padding", rng.between(1, 2) as i64)
        .gives(&desc);
    Module::new(s, op)
}

pub(crate) fn descriptor_access(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = rng.choose(ELEMENTS);
    let desc = block(rng, &s, element);
    let indices = vec!["i32"; desc.rank()];
    let mut sizes = desc.shape.clone();
    if rng.chance(15) {
        // Leading ones may be left out.
        while sizes.len() > 1 && sizes[0] == 1 {
            sizes.remove(0);
        }
    }
    let values = Shaped::tensor(&sizes, element, Some(any(rng, &s, &sizes)));
    let op = match rng.below(3) {
        0 => {
            let op = Op::new("tt.descriptor_load")
                .takes(&desc)
                .takes_all(indices)
                .gives(&values);
            policy::maybe(rng, 20, op)
        }
        1 => Op::new("tt.descriptor_store")
            .takes(&desc)
            .takes(&values)
            .takes_all(indices),
        _ => Op::new("tt.descriptor_reduce")
            .takes(&desc)
            .takes(&values)
            .takes_all(indices)
            .i32("kind", rng.between(1, 8) as i64),
    };
    Module::new(s, op)
}

pub(crate) fn descriptor_rows(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = rng.choose(&["f16", "bf16", "f32", "i8", "i32", "f8E5M2"]);
    let columns = rng.power(4, 7);
    let rows = rng.power(3, 7);
    let layout = rng
        .chance(35)
        .then(|| nvmma_of(rng, &s, &[1, columns], width(element)));
    let desc = Shaped::descriptor(&[1, columns], element, layout);
    let offsets = [rows];
    let x = if rng.chance(50) {
        any(rng, &s, &offsets)
    } else {
        slice(&blocked(rng, &s, 2), 0)
    };
    let x = Shaped::tensor(&offsets, rng.choose(&["i32", "i32", "i32", "i16"]), Some(x));
    let sizes = [rows, columns];
    let values = Shaped::tensor(&sizes, element, Some(any(rng, &s, &sizes)));
    let op = if rng.chance(50) {
        Op::new("tt.descriptor_gather")
            .takes(&desc)
            .takes(&x)
            .takes("i32")
            .gives(&values)
    } else {
        Op::new("tt.descriptor_scatter")
            .takes(&desc)
            .takes(&x)
            .takes("i32")
            .takes(&values)
    };
    Module::new(s, op)
}

/// Generates a module that tests the verifier of tensor types. Its only operation has an operand of a random tensor
/// type.
pub(crate) fn argument(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = rng.choose(ELEMENTS);
    let rank = rng.choose(&[1, 2, 2, 3, 4]);
    let sizes = shape(rng, rank, 12);
    let encoding = any(rng, &s, &sizes);
    let values = Shaped::tensor(&sizes, element, Some(encoding));
    Module::new(
        s,
        Op::new("builtin.unrealized_conversion_cast")
            .takes(&values)
            .gives("i32"),
    )
}
