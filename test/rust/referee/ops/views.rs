//! Operations that change the shape or the layout of a tensor, and nothing else.

use super::{Module, Rng};
use crate::referee::registers::{
    NUMBERS, POINTERS, any, blocked, inferred, rank, shape, slice, tensor, tensor_of_rank,
};
use crate::referee::text::{Attr, Op, Setting, Shaped};
use linear_layout::encoding::infer;

fn element(rng: &mut Rng) -> &'static str {
    if rng.chance(12) {
        rng.choose(POINTERS)
    } else {
        rng.choose(NUMBERS)
    }
}

fn one_to_one(s: Setting, name: &str, src: &Shaped, dst: &Shaped) -> Module {
    Module::new(s, Op::new(name).takes(src).gives(dst))
}

pub(crate) fn convert_layout(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = element(rng);
    let src = tensor(rng, &s, element);
    let encoding = any(rng, &s, &src.shape);
    let mut module = one_to_one(
        s,
        "ttg.convert_layout",
        &src,
        &src.with_encoding(Some(encoding)),
    );
    if rng.chance(10) {
        let op = module.ops.remove(0).with("force_warp_shuffle", Attr::Unit);
        module.ops.push(op);
    }
    module
}

pub(crate) fn splat(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = element(rng);
    let dst = tensor(rng, &s, element);
    Module::new(s, Op::new("tt.splat").takes(element).gives(&dst))
}

pub(crate) fn unsplat(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = element(rng);
    let shape = vec![1; rank(rng)];
    let src = Shaped::tensor(&shape, element, Some(any(rng, &s, &shape)));
    Module::new(s, Op::new("tt.unsplat").takes(&src).gives(element))
}

pub(crate) fn make_range(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let dst = tensor_of_rank(rng, &s, "i32", 1);
    let start = if rng.chance(70) {
        0
    } else {
        rng.below(64) as i64
    };
    let op = Op::new("tt.make_range")
        .i32("end", start + dst.shape[0] as i64)
        .i32("start", start)
        .gives(&dst);
    Module::new(s, op)
}

pub(crate) fn expand_dims(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = element(rng);
    let rank = rng.choose(&[1, 1, 1, 2, 2, 3, 4]);
    let small = shape(rng, rank, 12);
    let axis = rng.below(rank + 1);
    let mut large = small.clone();
    large.insert(axis, 1);
    let parent = any(rng, &s, &large);
    let src = Shaped::tensor(&small, element, Some(slice(&parent, axis)));
    let dst = Shaped::tensor(&large, element, Some(parent));
    let op = Op::new("tt.expand_dims")
        .takes(&src)
        .i32("axis", axis as i64)
        .gives(&dst);
    Module::new(s, op)
}

pub(crate) fn broadcast(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = element(rng);
    let mut dst = tensor(rng, &s, element);
    let mut small = dst.shape.clone();
    for size in &mut small {
        if rng.chance(50) {
            *size = 1;
        }
    }
    if let Some(encoding) = &mut dst.encoding
        && encoding.contains("linear")
    {
        *encoding = any(rng, &s, &dst.shape);
    }
    let src = dst.with_shape(&small);
    one_to_one(s, "tt.broadcast", &src, &dst)
}

pub(crate) fn trans(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = element(rng);
    let src = tensor(rng, &s, element);
    let order = rng.permutation(src.rank());
    let moved: Vec<u64> = order.iter().map(|d| src.shape[*d]).collect();
    let encoding = inferred(&src, |e| infer::trans(e, &src.shape, &order));
    let dst = Shaped::tensor(&moved, element, encoding);
    let op = Op::new("tt.trans")
        .takes(&src)
        .with(
            "order",
            Attr::I32s(order.iter().map(|d| *d as i64).collect()),
        )
        .gives(&dst);
    Module::new(s, op)
}

/// Draws a new shape with the same number of elements as `from`.
pub(crate) fn reshaped(rng: &mut Rng, from: &[u64]) -> Vec<u64> {
    let mut bits: usize = from.iter().map(|n| n.trailing_zeros() as usize).sum();
    let rank = rng.between(1, 4);
    let mut to: Vec<u64> = (1..rank)
        .map(|_| {
            let taken = rng.between(0, bits);
            bits -= taken;
            1 << taken
        })
        .collect();
    to.push(1 << bits);
    rng.shuffle(&mut to);
    to
}

pub(crate) fn reshape(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = element(rng);
    let src = tensor(rng, &s, element);
    let to = reshaped(rng, &src.shape);
    let reorder = rng.chance(20);
    let encoding = if reorder && src.encoding.is_some() {
        Some(any(rng, &s, &to))
    } else {
        inferred(&src, |e| infer::reshape(e, &src.shape, &to))
    };
    let dst = Shaped::tensor(&to, element, encoding);
    let mut op = Op::new("tt.reshape").takes(&src).gives(&dst);
    if reorder {
        op = op.with("allow_reorder", Attr::Unit);
    }
    if rng.chance(8) {
        op = op.with("efficient_layout", Attr::Unit);
    }
    Module::new(s, op)
}

pub(crate) fn join(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = element(rng);
    let rank = rng.choose(&[1, 1, 2, 2, 2, 3, 4]);
    let src = tensor_of_rank(rng, &s, element, rank);
    let mut large = src.shape.clone();
    large.push(2);
    let encoding = inferred(&src, |e| infer::join(e, &src.shape));
    let dst = Shaped::tensor(&large, element, encoding);
    let op = Op::new("tt.join").takes_all([&src, &src]).gives(&dst);
    Module::new(s, op)
}

pub(crate) fn split(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = element(rng);
    let rank = rng.choose(&[1, 1, 2, 2, 2, 3, 4]);
    let half = tensor_of_rank(rng, &s, element, rank);
    let mut large = half.shape.clone();
    large.push(2);
    let encoding = inferred(&half, |e| infer::join(e, &half.shape));
    let src = Shaped::tensor(&large, element, encoding);
    let op = Op::new("tt.split").takes(&src).gives_all([&half, &half]);
    Module::new(s, op)
}

pub(crate) fn cat(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let element = element(rng);
    let src = tensor(rng, &s, element);
    let mut large = src.shape.clone();
    large[rng.below(src.rank())] *= 2;
    let dst = src.with_shape(&large);
    let mut encoding = dst.encoding.clone();
    if encoding.is_some() && rng.chance(25) {
        encoding = Some(any(rng, &s, &large));
    }
    let op = Op::new("tt.cat")
        .takes_all([&src, &src])
        .gives(dst.with_encoding(encoding));
    Module::new(s, op)
}

pub(crate) fn fp4_to_fp(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let mut src = tensor(rng, &s, "i8");
    if rng.chance(40) {
        src.encoding = Some(blocked(rng, &s, src.rank()));
    }
    let axis = rng.below(src.rank());
    let mut large = src.shape.clone();
    large[axis] *= 2;
    let encoding = inferred(&src, |e| infer::fp4_to_fp(e, &src.shape, axis));
    let dst = Shaped::tensor(&large, rng.choose(&["f16", "bf16"]), encoding);
    let op = Op::new("ttg.fp4_to_fp")
        .takes(&src)
        .i32("axis", axis as i64)
        .gives(&dst);
    Module::new(s, op)
}
