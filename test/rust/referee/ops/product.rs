//! Matrix products in registers.

use super::{Module, Rng};
use crate::referee::memory::{nvmma_of, width};
use crate::referee::registers::{any, blocked, dot_operand, list, matrix, nvidia_mma};
use crate::referee::text::{Attr, Op, Setting, Shaped};

/// Draws the sizes of a product: an optional batch dimension, then M, N and K.
fn sizes(rng: &mut Rng) -> (Vec<u64>, u64, u64, u64) {
    let batch = if rng.chance(15) {
        vec![rng.power(0, 2)]
    } else {
        Vec::new()
    };
    (batch, rng.power(4, 7), rng.power(4, 7), rng.power(4, 6))
}

fn of_sizes(batch: &[u64], rows: u64, columns: u64) -> Vec<u64> {
    let mut shape = batch.to_vec();
    shape.extend([rows, columns]);
    shape
}

pub(crate) fn dot(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let (batch, m, n, k) = sizes(rng);
    let rank = batch.len() + 2;
    let (element, sum) = rng.choose(&[
        ("f16", "f32"),
        ("f16", "f16"),
        ("bf16", "f32"),
        ("f32", "f32"),
        ("i8", "i32"),
        ("f8E5M2", "f32"),
        ("f64", "f64"),
    ]);
    let encodings = match rng.below(10) {
        0 => None,
        1..=3 => Some((blocked(rng, &s, rank), 0)),
        _ => Some(matrix(rng, &s, rank)),
    };
    let operand = |i| {
        encodings
            .as_ref()
            .map(|(parent, width)| dot_operand(parent, i, *width))
    };
    let c = Shaped::tensor(
        &of_sizes(&batch, m, n),
        sum,
        encodings.as_ref().map(|(parent, _)| parent.clone()),
    );
    let op = Op::new("tt.dot")
        .takes(Shaped::tensor(&of_sizes(&batch, m, k), element, operand(0)))
        .takes(Shaped::tensor(&of_sizes(&batch, k, n), element, operand(1)))
        .takes(&c)
        .i32("inputPrecision", rng.below(5) as i64)
        .i32("maxNumImpreciseAcc", 0)
        .gives(&c);
    Module::new(s, op)
}

/// Draws an element type of a scaled product. Returns its number in the dialect, and the type that holds its
/// elements in MLIR.
fn scaled_element(rng: &mut Rng) -> (i64, &'static str) {
    rng.choose(&[
        (0, "f8E4M3FN"),
        (1, "f8E5M2"),
        (4, "i8"),
        (4, "i8"),
        (5, "bf16"),
        (6, "f16"),
    ])
}

pub(crate) fn dot_scaled(rng: &mut Rng) -> Module {
    let s = Setting::any(rng);
    let (m, n, k) = (rng.power(5, 7), rng.power(5, 7), rng.power(6, 8));
    let ((a_type, a), (b_type, b)) = (scaled_element(rng), scaled_element(rng));
    let packed = |type_: i64| if type_ == 4 { 2 } else { 1 };
    let (a_along_k, b_along_k) = (!rng.chance(15), !rng.chance(15));
    let (mut a_shape, mut b_shape) = ([m, k], [k, n]);
    a_shape[usize::from(a_along_k)] /= packed(a_type);
    b_shape[usize::from(!b_along_k)] /= packed(b_type);
    let parent = rng.chance(60).then(|| blocked(rng, &s, 2));
    let operand = |i| parent.as_ref().map(|p| dot_operand(p, i, 0));
    let factor = rng.choose(&[32, 32, 32, 16]);
    let scale = |rng: &mut Rng, rows: u64| {
        let shape = [rows, k / factor];
        let encoding = parent.as_ref().map(|_| any(rng, &s, &shape));
        Shaped::tensor(&shape, "i8", encoding)
    };
    let (has_a, has_b) = (rng.chance(75), rng.chance(75));
    let c = Shaped::tensor(&[m, n], "f32", parent.clone());
    let mut op = Op::new("tt.dot_scaled")
        .takes(Shaped::tensor(&a_shape, a, operand(0)))
        .takes(Shaped::tensor(&b_shape, b, operand(1)))
        .takes(&c);
    if has_a {
        let scales = scale(rng, m);
        op = op.takes(scales);
    }
    if has_b {
        let scales = scale(rng, n);
        op = op.takes(scales);
    }
    let op = op
        .i32("a_elem_type", a_type)
        .i32("b_elem_type", b_type)
        .with("fastMath", Attr::Bool(rng.chance(50)))
        .with("lhs_k_pack", Attr::Bool(a_along_k))
        .with("rhs_k_pack", Attr::Bool(b_along_k))
        .segments(&[1, 1, 1, usize::from(has_a), usize::from(has_b)])
        .gives(&c);
    Module::new(s, op)
}

pub(crate) fn warp_group_dot(rng: &mut Rng) -> Module {
    let s = Setting::groups(rng, "cuda:90");
    let (element, sum) = rng.choose(&[
        ("f16", "f32"),
        ("bf16", "f32"),
        ("f16", "f16"),
        ("f8E5M2", "f32"),
        ("f32", "f32"),
        ("i8", "i32"),
    ]);
    let (m, n, k) = (64 * rng.power(0, 1), rng.power(3, 8), rng.power(5, 7));
    let instruction_k = 256 / width(element);
    let groups = s.warps / 4;
    let encoding = if rng.chance(85) && s.ctas == 1 {
        format!(
            "#ttg.nvidia_mma<{{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, {groups}], instrShape = {}}}>",
            list(&[16, n, instruction_k])
        )
    } else {
        nvidia_mma(rng, &s, 3, 2)
    };
    let c = Shaped::tensor(&[m, n], sum, Some(encoding.clone()));
    let mut op = Op::new("ttng.warp_group_dot");
    if rng.chance(30) {
        let operand = dot_operand(&encoding, 0, 32 / width(element).min(32));
        op = op.takes(Shaped::tensor(&[m, k], element, Some(operand)));
    } else {
        let layout = nvmma_of(rng, &s, &[m, k], width(element));
        op = op.takes(Shaped::buffer(&[m, k], element, layout));
    }
    let b_shape = [k, n];
    let layout = nvmma_of(rng, &s, &b_shape, width(element));
    op = op
        .takes(Shaped::buffer(&b_shape, element, layout))
        .takes(&c);
    if rng.chance(30) {
        op = op.takes("i1");
    }
    let op = op
        .i32("inputPrecision", rng.below(3) as i64)
        .i32(
            "maxNumImpreciseAcc",
            if element == "f8E5M2" { 1 << 30 } else { 0 },
        )
        .with("isAsync", Attr::Bool(rng.chance(50)))
        .gives(&c);
    Module::new(s, op)
}

pub(crate) fn warp_group_dot_wait(rng: &mut Rng) -> Module {
    let s = Setting::groups(rng, "cuda:90");
    let encoding = nvidia_mma(rng, &s, 3, 2);
    let c = Shaped::tensor(&[64, rng.power(3, 7)], "f32", Some(encoding));
    let inputs = vec![&c; rng.between(1, 2)];
    let op = Op::new("ttng.warp_group_dot_wait")
        .takes_all(inputs.clone())
        .i32("pendings", rng.below(3) as i64)
        .gives_all(inputs);
    Module::new(s, op)
}
