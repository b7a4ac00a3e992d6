//! Compares the facts of the analysis with tensors that are computed element by element.

use super::arithmetic::wrap;
use super::{AxisInfo, BinaryOp, Comparison, GlobalAccess};
use crate::layout::{Dim, LinearLayout, Surjectivity};
use crate::split_mix::Random;
use proptest::prelude::*;

#[derive(Clone, Debug)]
struct Tensor {
    shape: Vec<u64>,
    bits: u32,
    values: Vec<i64>,
    info: AxisInfo,
    how: String,
}

impl Tensor {
    fn constant(shape: &[u64], value: i64, bits: u32) -> Self {
        let value = wrap(i128::from(value), bits);
        Self {
            shape: shape.to_vec(),
            bits,
            values: vec![value; shape.iter().product::<u64>() as usize],
            info: AxisInfo::constant(shape, value, bits),
            how: format!("{value}"),
        }
    }

    /// Returns the name of a fact in `info` that the elements contradict, or `None` if all facts hold. `step` is
    /// the difference between consecutive elements of a contiguous group.
    fn refuted(&self, step: i64) -> Option<String> {
        let shape: &[u64] = if self.shape.is_empty() {
            &[1]
        } else {
            &self.shape
        };
        let info = &self.info;
        if info.rank() != shape.len() {
            return Some(format!("rank {}", info.rank()));
        }
        if info
            .constant_value()
            .is_some_and(|c| self.values.iter().any(|v| *v != c))
        {
            return Some("constant".to_owned());
        }
        if info.is_non_negative() && self.values.iter().any(|v| *v < 0) {
            return Some("not negative".to_owned());
        }
        for d in 0..shape.len() {
            let stride = shape[d + 1..].iter().product::<u64>() as usize;
            let (run, equal) = (info.contiguity(d), info.constancy(d));
            if run > shape[d] || equal > shape[d] {
                return Some(format!("groups longer than dimension {d}"));
            }
            for (i, v) in self.values.iter().enumerate() {
                let at = (i / stride) as u64 % shape[d];
                let before = |n: i64| {
                    i.checked_sub(stride).is_some_and(|j| {
                        wrap(i128::from(self.values[j]) + i128::from(n), self.bits) == *v
                    })
                };
                if !at.is_multiple_of(run) && !before(step) {
                    return Some(format!("contiguity along {d} at {i}"));
                }
                if !at.is_multiple_of(equal) && !before(0) {
                    return Some(format!("constancy along {d} at {i}"));
                }
                // Beyond the width, only zero is divisible.
                let divisor = i128::from(info.divisibility(d)).min(1 << self.bits);
                if at.is_multiple_of(run) && i128::from(*v).rem_euclid(divisor) != 0 {
                    return Some(format!("divisibility along {d} at {i}"));
                }
            }
        }
        None
    }

    fn assert_claims(&self, step: i64) {
        if let Some(claim) = self.refuted(step) {
            panic!(
                "{claim}: {} {:?} {:?}\n{}",
                self.info, self.shape, self.values, self.how
            );
        }
    }

    fn coordinates(&self, i: usize) -> Vec<u64> {
        let mut rest = i as u64;
        let mut coordinates: Vec<u64> = self
            .shape
            .iter()
            .rev()
            .map(|s| {
                let at = rest % s;
                rest /= s;
                at
            })
            .collect();
        coordinates.reverse();
        coordinates
    }

    fn at(&self, coordinates: &[u64]) -> i64 {
        let i = self
            .shape
            .iter()
            .zip(coordinates)
            .fold(0, |i, (s, c)| i * s + c);
        self.values[i as usize]
    }

    fn moved(
        &self,
        shape: &[u64],
        info: AxisInfo,
        how: &str,
        from: impl Fn(&[u64]) -> Vec<u64>,
    ) -> Self {
        let mut result = Self {
            shape: shape.to_vec(),
            info,
            ..self.clone()
        };
        let count = shape.iter().product::<u64>() as usize;
        result.values = (0..count)
            .map(|i| self.at(&from(&result.coordinates(i))))
            .collect();
        result.how = format!("{how}({})", self.how);
        result
    }

    fn spread(&self, shape: &[u64]) -> Option<Self> {
        if self.shape == shape {
            return Some(self.clone());
        }
        if self.shape.is_empty() {
            return Some(self.moved(shape, self.info.splat(shape), "splat", |_| vec![]));
        }
        let fits = self.shape.len() == shape.len()
            && self.shape.iter().zip(shape).all(|(a, b)| a == b || *a == 1);
        fits.then(|| {
            let from = self.shape.clone();
            self.moved(shape, self.info.broadcast(&from, shape), "broadcast", |c| {
                c.iter().zip(&from).map(|(c, s)| c % s).collect()
            })
        })
    }
}

fn together(a: &Tensor, b: &Tensor) -> Option<(Tensor, Tensor)> {
    let shape: Vec<u64> = if a.shape.len() == b.shape.len() {
        a.shape
            .iter()
            .zip(&b.shape)
            .map(|(a, b)| *a.max(b))
            .collect()
    } else if a.shape.is_empty() {
        b.shape.clone()
    } else {
        a.shape.clone()
    };
    (a.bits == b.bits).then(|| Some((a.spread(&shape)?, b.spread(&shape)?)))?
}

const OPS: [BinaryOp; 17] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::DivS,
    BinaryOp::DivU,
    BinaryOp::RemS,
    BinaryOp::RemU,
    BinaryOp::Shl,
    BinaryOp::ShrS,
    BinaryOp::ShrU,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::MinS,
    BinaryOp::MaxS,
    BinaryOp::MinU,
    BinaryOp::MaxU,
];

/// Evaluates an operation on two numbers without using the analysis. Returns `None` if the result is undefined.
fn concrete(op: BinaryOp, x: i64, y: i64, bits: u32) -> Option<i64> {
    let mask = (1i128 << bits) - 1;
    let sx = if bits == 1 { -x } else { x };
    let sy = if bits == 1 { -y } else { y };
    let (ux, uy) = (i128::from(x) & mask, i128::from(y) & mask);
    let least = -(1i64 << (bits - 1));
    let shift = (uy < i128::from(bits)).then_some(uy as u32);
    Some(wrap(
        match op {
            BinaryOp::Add => i128::from(x) + i128::from(y),
            BinaryOp::Sub => i128::from(x) - i128::from(y),
            BinaryOp::Mul => i128::from(x) * i128::from(y),
            BinaryOp::DivS if sy == 0 || (sx == least && sy == -1) => return None,
            BinaryOp::RemS if sy == 0 || (sx == least && sy == -1) => return None,
            BinaryOp::DivS => i128::from(sx / sy),
            BinaryOp::RemS => i128::from(sx % sy),
            BinaryOp::DivU | BinaryOp::RemU if uy == 0 => return None,
            BinaryOp::DivU => ux / uy,
            BinaryOp::RemU => ux % uy,
            BinaryOp::Shl => i128::from(x) << shift?,
            BinaryOp::ShrS => i128::from(sx >> shift?),
            BinaryOp::ShrU => ux >> shift?,
            BinaryOp::And => i128::from(x & y),
            BinaryOp::Or => i128::from(x | y),
            BinaryOp::Xor => i128::from(x ^ y),
            BinaryOp::MinS => i128::from(sx.min(sy)),
            BinaryOp::MaxS => i128::from(sx.max(sy)),
            BinaryOp::MinU => ux.min(uy),
            BinaryOp::MaxU => ux.max(uy),
        },
        bits,
    ))
}

/// Returns true if both operands are non-negative and the exact result exceeds the signed range. The analysis
/// assumes that this does not happen.
fn breaks_assumption(op: BinaryOp, x: i64, y: i64, bits: u32) -> bool {
    let most = (1i128 << (bits - 1)) - 1;
    let truth = match op {
        BinaryOp::Add => i128::from(x) + i128::from(y),
        BinaryOp::Mul => i128::from(x) * i128::from(y),
        BinaryOp::Shl if (0..64).contains(&y) => i128::from(x) << y,
        _ => return false,
    };
    x >= 0 && y >= 0 && truth > most
}

#[derive(Clone, Debug)]
struct ProgramStep {
    op: u8,
    a: u8,
    b: u8,
    c: u8,
    number: i64,
}

fn numbers() -> impl Strategy<Value = i64> {
    prop_oneof![
        (0u32..10).prop_map(|n| 1 << n),
        (0u32..10).prop_map(|n| (1 << n) - 1),
        -40i64..40,
        (0u32..10, -4i64..4).prop_map(|(n, m)| m << n),
        Just(i64::from(i32::MAX)),
        any::<i32>().prop_map(i64::from),
    ]
}

fn programs() -> impl Strategy<Value = (u32, Vec<ProgramStep>)> {
    let instruction = (
        any::<u8>(),
        any::<u8>(),
        any::<u8>(),
        any::<u8>(),
        numbers(),
    )
        .prop_map(|(op, a, b, c, number)| ProgramStep {
            op,
            a,
            b,
            c,
            number,
        });
    (
        prop_oneof![Just(8u32), Just(16), Just(32), Just(32)],
        prop::collection::vec(instruction, 1..16),
    )
}

/// Applies the step `i` of a random program to some of the tensors. Returns `None` if the result is undefined, or
/// if the step does not apply to these tensors.
fn step(tensors: &[Tensor], bits: u32, i: &ProgramStep) -> Option<Tensor> {
    // Recent results are preferred as operands.
    let pick = |n: u8| &tensors[tensors.len() - 1 - usize::from(n) % tensors.len().min(6)];
    let (a, b) = (pick(i.a), pick(i.b));
    Some(match i.op % 32 {
        0..=18 => {
            let op = OPS[usize::from(i.op % 32) % OPS.len()];
            let other = if i.c.is_multiple_of(2) {
                Tensor::constant(&[], i.number, a.bits)
            } else {
                b.clone()
            };
            let (a, b) = together(a, &other)?;
            let assumed = a.info.is_non_negative() && b.info.is_non_negative();
            let mut values = Vec::new();
            for (x, y) in a.values.iter().zip(&b.values) {
                if assumed && breaks_assumption(op, *x, *y, a.bits) {
                    return None;
                }
                values.push(concrete(op, *x, *y, a.bits)?);
            }
            let combine = match a.bits > 1 && a.values.iter().all(|x| *x >= 0) {
                true => AxisInfo::binary_of_non_negative,
                false => AxisInfo::binary,
            };
            Tensor {
                info: combine(op, &a.info, &b.info, a.bits),
                values,
                how: format!("{op:?}({}, {})", a.how, b.how),
                ..a
            }
        }
        19 | 20 => {
            let comparison = Comparison::ALL[usize::from(i.c) % 10];
            let other = if i.c > 127 {
                Tensor::constant(&[], i.number, a.bits)
            } else {
                b.clone()
            };
            let (a, b) = together(a, &other)?;
            let mask = (1i128 << a.bits) - 1;
            let sign = if a.bits == 1 { -1 } else { 1 };
            let values = a
                .values
                .iter()
                .zip(&b.values)
                .map(|(x, y)| {
                    let (ux, uy) = (i128::from(*x) & mask, i128::from(*y) & mask);
                    let (x, y) = (x * sign, y * sign);
                    i64::from(match comparison {
                        Comparison::Eq => x == y,
                        Comparison::Ne => x != y,
                        Comparison::Slt => x < y,
                        Comparison::Sle => x <= y,
                        Comparison::Sgt => x > y,
                        Comparison::Sge => x >= y,
                        Comparison::Ult => ux < uy,
                        Comparison::Ule => ux <= uy,
                        Comparison::Ugt => ux > uy,
                        Comparison::Uge => ux >= uy,
                    })
                })
                .collect();
            Tensor {
                info: AxisInfo::compare(comparison, &a.info, &b.info, a.bits),
                values,
                bits: 1,
                how: format!("{comparison:?}({}, {})", a.how, b.how),
                ..a
            }
        }
        21 => {
            let condition = tensors.iter().rev().find(|t| t.bits == 1)?;
            let (a, b) = together(a, b)?;
            let scalar = condition.shape.is_empty();
            let spread = condition.spread(&a.shape)?;
            let values = (0..a.values.len())
                .map(|k| {
                    if spread.values[k] != 0 {
                        a.values[k]
                    } else {
                        b.values[k]
                    }
                })
                .collect();
            Tensor {
                info: AxisInfo::select(
                    if scalar {
                        &condition.info
                    } else {
                        &spread.info
                    },
                    scalar,
                    &a.info,
                    &b.info,
                ),
                values,
                how: format!("select({}, {}, {})", spread.how, a.how, b.how),
                ..a
            }
        }
        22 => {
            let axis = usize::from(i.c) % (a.shape.len() + 1);
            if a.shape.len() > 2 || a.shape.is_empty() {
                return None;
            }
            let mut shape = a.shape.clone();
            shape.insert(axis, 1);
            a.moved(&shape, a.info.expand_dims(axis), "expand", |c| {
                let mut c = c.to_vec();
                c.remove(axis);
                c
            })
        }
        23 => {
            if a.shape.len() < 2 {
                return None;
            }
            let mut order: Vec<usize> = (0..a.shape.len()).collect();
            order.swap(0, usize::from(i.c) % a.shape.len());
            let shape: Vec<u64> = order.iter().map(|d| a.shape[*d]).collect();
            a.moved(&shape, a.info.transpose(&order), "trans", |c| {
                let mut from = vec![0; c.len()];
                for (k, d) in order.iter().enumerate() {
                    from[*d] = c[k];
                }
                from
            })
        }
        24 => {
            let total: u64 = a.shape.iter().product();
            let first = 1u64 << (u64::from(i.b) % u64::from(total.trailing_zeros() + 1));
            let rest = total / first;
            let second = 1u64 << (u64::from(i.c) % u64::from(rest.trailing_zeros() + 1));
            let shape = match i.number.rem_euclid(3) {
                0 => vec![first, second, rest / second],
                1 => vec![first, rest],
                _ => vec![total],
            };
            if a.shape.is_empty() {
                return None;
            }
            Tensor {
                info: a.info.reshape(&a.shape, &shape),
                how: format!("reshape{shape:?}({})", a.how),
                shape,
                ..a.clone()
            }
        }
        25 => {
            let (a, b) = together(a, b)?;
            if a.shape.len() > 2 || a.shape.is_empty() {
                return None;
            }
            let mut shape = a.shape.clone();
            shape.push(2);
            let values = a
                .values
                .iter()
                .zip(&b.values)
                .flat_map(|(x, y)| [*x, *y])
                .collect();
            Tensor {
                info: a.info.join_tensors(&b.info),
                values,
                how: format!("join({}, {})", a.how, b.how),
                shape,
                ..a
            }
        }
        26 => {
            if a.shape.len() < 2 || *a.shape.last()? != 2 {
                return None;
            }
            let half = u64::from(i.c % 2);
            a.moved(
                &a.shape[..a.shape.len() - 1],
                a.info.split_tensor(),
                "split",
                |c| {
                    let mut c = c.to_vec();
                    c.push(half);
                    c
                },
            )
        }
        27 => {
            let to = [8, 16, 32][usize::from(i.c) % 3];
            let by_sign = i.number % 2 == 0;
            let values = a
                .values
                .iter()
                .map(|v| {
                    let v = i128::from(*v);
                    let mask = (1i128 << a.bits) - 1;
                    let v = match (by_sign, a.bits) {
                        _ if to <= a.bits => v,
                        (true, 1) => -v,
                        (true, _) => v,
                        (false, _) => v & mask,
                    };
                    wrap(v, to)
                })
                .collect();
            Tensor {
                info: a.info.extend(a.bits, to, by_sign),
                values,
                bits: to,
                how: format!("to{to}{}({})", if by_sign { "s" } else { "u" }, a.how),
                ..a.clone()
            }
        }
        28 | 29 => {
            let size = 1u64 << (i.c % 7);
            let start = i.number.rem_euclid(64) & !(i64::from(i.b) & 31);
            if start + size as i64 > 127 {
                return None;
            }
            Tensor {
                shape: vec![size],
                bits,
                values: (start..start + size as i64).collect(),
                info: AxisInfo::range(start, start + size as i64),
                how: format!("range({start}, {size})"),
            }
        }
        _ => {
            // A scalar of which only a divisor or the sign is known.
            let divisor = 1i64 << (i.c % 6);
            let value = wrap(i128::from(i.number) * i128::from(divisor), bits);
            let argument = AxisInfo::argument(divisor as u64);
            Tensor {
                shape: vec![],
                bits,
                values: vec![value],
                info: if value >= 0 && i.a.is_multiple_of(2) {
                    argument.with_non_negative()
                } else {
                    argument
                },
                how: format!("argument({value}, divisible by {divisor})"),
            }
        }
    })
}

fn run(bits: u32, program: &[ProgramStep]) -> Vec<Tensor> {
    let range = Tensor {
        shape: vec![32],
        bits,
        values: (0..32).collect(),
        info: AxisInfo::range(0, 32),
        how: "range(0, 32)".to_owned(),
    };
    let row = range.moved(&[32, 1], range.info.expand_dims(1), "expand", |c| {
        vec![c[0]]
    });
    let mut tensors = vec![row, range];
    for instruction in program {
        if let Some(tensor) = step(&tensors, bits, instruction)
            && tensor.values.len() <= 4096
        {
            tensors.push(tensor);
        }
    }
    tensors
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn claims_hold((bits, program) in programs()) {
        for tensor in run(bits, &program) {
            tensor.assert_claims(1);
        }
    }

    #[test]
    fn accesses_are_consecutive_aligned_and_under_one_mask(
        (bits, program) in programs(),
        element_log2 in 0u32..4,
        base in 0i64..64,
        base_alignment in 0u32..6,
        shuffle in any::<u64>(),
    ) {
        let tensors = run(bits, &program);
        let masks: Vec<&Tensor> = tensors.iter().filter(|t| t.bits == 1).collect();
        for offsets in tensors.iter().filter(|t| t.bits > 1 && !t.shape.is_empty()) {
            let base = base << base_alignment;
            let pointer = Tensor {
                bits: 64,
                values: offsets.values.iter().map(|v| base + (v << element_log2)).collect(),
                info: AxisInfo::argument(1 << base_alignment).with_element_bytes(1 << element_log2)
                    .at_offsets(&offsets.info, offsets.bits, &offsets.shape),
                ..offsets.clone()
            };
            pointer.assert_claims(1 << element_log2);
            let mask = masks.iter().find_map(|m| m.spread(&pointer.shape));
            check_access(&pointer, mask.as_ref(), 8 << element_log2, shuffle);
        }
    }

    /// The facts that `AxisInfo::of_elements` computes from the elements hold and are maximal. The constancy is at
    /// least the constancy that the analysis derives from the operations.
    #[test]
    fn elements_are_read_exactly((bits, program) in programs()) {
        for tensor in run(bits, &program) {
            let shape: &[u64] = if tensor.shape.is_empty() { &[1] } else { &tensor.shape };
            let Some(info) = AxisInfo::of_elements(shape, &tensor.values, tensor.bits) else {
                continue;
            };
            let mut exact = Tensor { info, shape: shape.to_vec(), ..tensor.clone() };
            exact.assert_claims(1);
            for (d, size) in shape.iter().enumerate() {
                prop_assert!(info.constancy(d) >= tensor.info.constancy(d), "{tensor:?} {info}");
                // Groups divide the size, runs do not wrap around, and only zero is divisible beyond the width.
                let holds_groups = |of: u64| size.is_multiple_of(2 * of);
                if holds_groups(info.contiguity(d)) && info.contiguity(d) < 1 << (tensor.bits - 1) {
                    exact.info = info;
                    exact.info.contiguity_log2[d] += 1;
                    prop_assert!(exact.refuted(1).is_some(), "{tensor:?} {info}");
                }
                if holds_groups(info.constancy(d)) {
                    exact.info = info;
                    exact.info.constancy_log2[d] += 1;
                    prop_assert!(exact.refuted(1).is_some(), "{tensor:?} {info}");
                }
                if u128::from(info.divisibility(d)) < 1 << tensor.bits {
                    exact.info = info;
                    exact.info.divisibility_log2[d] += 1;
                    prop_assert!(exact.refuted(1).is_some(), "{tensor:?} {info}");
                }
            }
        }
    }

    #[test]
    fn joins_hold_of_both_sides((bits, program) in programs()) {
        let tensors = run(bits, &program);
        for pair in tensors.windows(2) {
            if let Some((a, b)) = together(&pair[0], &pair[1]) {
                let info = a.info.join(&b.info);
                prop_assert_eq!(info, b.info.join(&a.info));
                prop_assert_eq!(info, info.join(&info));
                Tensor { info, ..a }.assert_claims(1);
                Tensor { info, ..b }.assert_claims(1);
            }
        }
    }
}

/// Distributes a tensor of pointers over registers and lanes with a random invertible layout. Checks the vector
/// accesses that `GlobalAccess::widest` returns, in each lane. `shuffle` is the seed of the layout.
fn check_access(pointer: &Tensor, mask: Option<&Tensor>, element_bits: u32, shuffle: u64) {
    let mut columns: Vec<Vec<u64>> = Vec::new();
    for (d, size) in pointer.shape.iter().enumerate() {
        for bit in 0..size.trailing_zeros() {
            let mut column = vec![0; pointer.shape.len()];
            column[d] = 1 << bit;
            columns.push(column);
        }
    }
    // A few swaps and additions keep the map invertible.
    let mut random = Random(shuffle);
    let mut below = |n: usize| random.below(n.max(1) as u64) as usize;
    let count = columns.len();
    for _ in 0..below(4) {
        let (x, y) = (below(count), below(count));
        if count > 0 {
            columns.swap(x, y);
        }
    }
    if below(3) == 0 {
        let (x, y) = (below(count), below(count));
        if x != y {
            let added: Vec<u64> = columns[x]
                .iter()
                .zip(&columns[y])
                .map(|(a, b)| a ^ b)
                .collect();
            columns[x] = added;
        }
    }
    let registers = below(count + 1);
    let bases: Vec<&[u64]> = columns.iter().map(Vec::as_slice).collect();
    let outs: Vec<(Dim, u64)> = pointer
        .shape
        .iter()
        .enumerate()
        .map(|(i, s)| (Dim::out(i), *s))
        .collect();
    let layout = LinearLayout::from_bases_sized(
        &[
            (Dim::REGISTER, &bases[..registers]),
            (Dim::LANE, &bases[registers..]),
        ],
        &outs,
        Surjectivity::Required,
    )
    .unwrap();
    let widest = GlobalAccess {
        pointer: &pointer.info,
        mask: mask.map(|m| &m.info),
        element_bits,
        layout: &layout,
        hinted_elements: 1,
        widest_bits: 128,
    }
    .widest();
    let bytes = i64::from(element_bits / 8);
    for most in [16, 8, 4, 2, 1] {
        let access = widest.at_most(most);
        for lane in 0..layout.in_size(Dim::LANE) {
            for register in 0..1usize << registers {
                if !access.is_first(register) {
                    continue;
                }
                let at = |r: usize| {
                    layout
                        .apply(&[(Dim::REGISTER, r as u64), (Dim::LANE, lane)])
                        .unwrap()
                        .to_vec()
                };
                let first = pointer.at(&at(register));
                if widest.elements() > 1 {
                    assert_eq!(
                        first.rem_euclid(access.alignment_bytes() as i64),
                        0,
                        "{}",
                        pointer.how
                    );
                    assert!(access.alignment_bytes() as i64 >= bytes * access.elements() as i64);
                }
                for (i, r) in access.registers_of(register).enumerate() {
                    assert_eq!(
                        pointer.at(&at(r)),
                        first + bytes * i as i64,
                        "{}",
                        pointer.how
                    );
                    if let Some(mask) = mask {
                        assert_eq!(mask.at(&at(r)), mask.at(&at(register)), "{}", mask.how);
                    }
                }
            }
        }
    }
}

fn blocked(per_thread: u64, lanes: u64, repeat: u64) -> LinearLayout {
    [
        (Dim::REGISTER, per_thread),
        (Dim::LANE, lanes),
        (Dim::REGISTER, repeat),
    ]
    .into_iter()
    .fold(LinearLayout::empty(), |l, (dim, size)| {
        l.product(&LinearLayout::identity_1d(size, dim, Dim::out(0)).unwrap())
            .unwrap()
    })
}

/// Returns the axis information of the pointers `x + pid * 1024 + range(0, 1024)` to 4-byte elements, and of their
/// offsets. `alignment` is the alignment of `x` in bytes.
fn pointer(alignment: u64) -> (AxisInfo, AxisInfo) {
    let block = AxisInfo::binary(
        BinaryOp::Mul,
        &AxisInfo::scalar().with_non_negative(),
        &AxisInfo::constant(&[], 1024, 32),
        32,
    );
    let offsets = AxisInfo::binary(
        BinaryOp::Add,
        &block.splat(&[1024]),
        &AxisInfo::range(0, 1024),
        32,
    );
    let pointer = AxisInfo::argument(alignment)
        .with_element_bytes(4)
        .at_offsets(&offsets, 32, &[1024]);
    (pointer, offsets)
}

#[track_caller]
fn check_width(
    alignment: u64,
    divisor_of_n: Option<u64>,
    layout: &LinearLayout,
    expected: (usize, &[u8], u64),
) {
    let (pointer, offsets) = pointer(alignment);
    let mask = divisor_of_n.map(|divisor| {
        let n = AxisInfo::argument(divisor).splat(&[1024]);
        AxisInfo::compare(Comparison::Slt, &offsets, &n, 32)
    });
    let access = GlobalAccess {
        pointer: &pointer,
        mask: mask.as_ref(),
        element_bits: 32,
        layout,
        hinted_elements: 1,
        widest_bits: 128,
    }
    .widest();
    assert_eq!(
        (
            access.elements(),
            access.register_bits(),
            access.alignment_bytes()
        ),
        expected
    );
    for register in 0..layout.in_size(Dim::REGISTER) as usize {
        let first = access.registers_of(register).next();
        assert_eq!(access.is_first(register), first == Some(register));
    }
}

#[test]
fn widths() {
    check_width(16, None, &blocked(4, 32, 8), (4, &[0, 1], 16));
    check_width(16, None, &blocked(8, 32, 4), (4, &[0, 1], 16));
    check_width(8, None, &blocked(4, 32, 8), (2, &[0], 8));
    check_width(1, None, &blocked(4, 32, 8), (1, &[], 4));
    check_width(16, Some(1), &blocked(4, 32, 8), (1, &[], 4));
    check_width(16, Some(2), &blocked(4, 32, 8), (2, &[0], 8));
    check_width(16, Some(16), &blocked(4, 32, 8), (4, &[0, 1], 16));
    check_width(16, None, &blocked(1, 32, 32), (1, &[], 4));
}

#[test]
fn any_register_bits_and_only_undisturbed_ones() {
    // Registers step by 512, 2, 1; lanes by 4 to 256.
    let bases: Vec<Vec<u64>> = [512, 2, 1, 4, 8, 16, 32, 64, 128, 256]
        .iter()
        .map(|b| vec![*b])
        .collect();
    let bases: Vec<&[u64]> = bases.iter().map(Vec::as_slice).collect();
    let layout = LinearLayout::from_bases(
        &[(Dim::REGISTER, &bases[..3]), (Dim::LANE, &bases[3..])],
        &[Dim::out(0)],
    )
    .unwrap();
    check_width(16, None, &layout, (4, &[2, 1], 16));
    // Lane bit 0 has stride 6: it exchanges pairs of pairs.
    let bases: Vec<Vec<u64>> = [512, 2, 1, 6, 8, 16, 32, 64, 128, 256]
        .iter()
        .map(|b| vec![*b])
        .collect();
    let bases: Vec<&[u64]> = bases.iter().map(Vec::as_slice).collect();
    let layout = LinearLayout::from_bases(
        &[(Dim::REGISTER, &bases[..3]), (Dim::LANE, &bases[3..])],
        &[Dim::out(0)],
    )
    .unwrap();
    check_width(16, None, &layout, (2, &[2], 8));
}

#[test]
fn hints_widen_along_the_first_register() {
    let unknown = AxisInfo::unknown(1).with_element_bytes(4);
    let layout = blocked(4, 32, 8);
    let access = |hinted_elements| {
        GlobalAccess {
            pointer: &unknown,
            mask: Some(&unknown),
            element_bits: 32,
            layout: &layout,
            hinted_elements,
            widest_bits: 128,
        }
        .widest()
    };
    for (hinted, elements) in [(1, 1), (2, 2), (4, 4), (64, 4)] {
        let widest = access(hinted);
        assert_eq!(widest.elements(), elements);
        assert_eq!(widest.alignment_bytes(), 4 * elements as u64);
    }
}

/// Each row has 8 equal elements. If two consecutive rows are also equal, flattening gives groups of 16 equal
/// elements.
#[test]
fn equal_rows_go_on_into_the_next() {
    let two = AxisInfo::constant(&[8], 2, 32);
    let pairs = AxisInfo::binary(BinaryOp::DivS, &AxisInfo::range(0, 8), &two, 32);
    let rows = pairs.expand_dims(1).broadcast(&[8, 1], &[8, 8]);
    assert_eq!((rows.constancy(0), rows.constancy(1)), (2, 8));
    let line = rows.reshape(&[8, 8], &[64]);
    assert_eq!((line.constancy(0), line.contiguity(0)), (16, 1));
    let back = line.reshape(&[64], &[4, 16]);
    assert_eq!((back.constancy(0), back.constancy(1)), (1, 16));
}

/// For 8-bit numbers, -1 is less than 1 in a signed comparison, and greater in an unsigned comparison.
#[test]
fn comparisons_of_constants_are_known() {
    use Comparison::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
    for (comparison, below, same, above) in [
        (Eq, 0, 1, 0),
        (Ne, 1, 0, 1),
        (Slt, 1, 0, 0),
        (Sle, 1, 1, 0),
        (Sgt, 0, 0, 1),
        (Sge, 0, 1, 1),
        (Ult, 0, 0, 1),
        (Ule, 0, 1, 1),
        (Ugt, 1, 0, 0),
        (Uge, 1, 1, 0),
    ] {
        let holds = |x: i64, y: i64| {
            let [x, y] = [x, y].map(|value| AxisInfo::constant(&[4], value, 8));
            AxisInfo::compare(comparison, &x, &y, 8).constant_value()
        };
        let found = [holds(-1, 1), holds(1, 1), holds(1, -1)];
        assert_eq!(found, [below, same, above].map(Some), "{comparison:?}");
    }
}

#[test]
fn negative_dividends_keep_nothing() {
    // -4 ... -1 divided by 4 is -1 0 0 0, and the remainders are 0 -3 -2 -1.
    let four = AxisInfo::constant(&[8], 4, 32);
    let below = AxisInfo::binary(BinaryOp::Sub, &AxisInfo::range(0, 8), &four, 32);
    assert_eq!((below.contiguity(0), below.divisibility(0)), (8, 4));
    let signed = AxisInfo::binary(BinaryOp::DivS, &below, &four, 32);
    assert_eq!(signed.constancy(0), 1);
    assert_eq!(
        AxisInfo::binary(BinaryOp::RemS, &below, &four, 32).contiguity(0),
        1
    );
    // A shift rounds down.
    let two = AxisInfo::constant(&[8], 2, 32);
    assert_eq!(
        AxisInfo::binary(BinaryOp::ShrS, &below, &two, 32).constancy(0),
        4
    );
    let from_zero = AxisInfo::binary(BinaryOp::DivS, &AxisInfo::range(0, 8), &four, 32);
    assert_eq!(from_zero.constancy(0), 4);
}

#[test]
fn shifts_by_unknown_amounts_may_turn_negative() {
    let amount = AxisInfo::argument(1).splat(&[32]);
    let shifted = AxisInfo::binary(BinaryOp::Shl, &AxisInfo::range(0, 32), &amount, 8);
    assert!(!shifted.is_non_negative());
}

#[test]
fn elements_must_fill_their_shape() {
    let found = |shape: &[u64], count: usize| {
        let values: Vec<i64> = (0..count as i64).collect();
        AxisInfo::of_elements(shape, &values, 32).is_some()
    };
    assert!(found(&[2, 4], 8) && !found(&[2, 4], 7) && !found(&[2, 4], 4));
    assert!(!found(&[0], 0) && !found(&[u64::MAX, 2], 2));
    let most = (1..).find(|rank| !found(&vec![1; *rank], 1)).unwrap();
    assert!(most > 4 && !found(&vec![1; 200], 1));
}

/// In a signed interpretation, the truth value true is -1.
#[test]
fn truth_values_have_no_sign_to_rely_on() {
    let is_non_negative = |values: &[i64], bits| {
        let info = AxisInfo::of_elements(&[values.len() as u64], values, bits);
        info.unwrap().is_non_negative()
    };
    assert_eq!(
        [1, 8, 32].map(|bits| is_non_negative(&[0, 1], bits)),
        [false, true, true]
    );
    assert!(!is_non_negative(&[1, -1], 32));
}

#[test]
fn equal_elements_are_one_constant() {
    let constant = |values: &[i64]| {
        let info = AxisInfo::of_elements(&[values.len() as u64], values, 32);
        info.unwrap().constant_value()
    };
    assert_eq!(constant(&[7, 7, 7, 7]), Some(7));
    assert_eq!(constant(&[7, 7, 7, 8]), None);
    assert_eq!(constant(&[7, 8, 8, 8]), None);
}

/// The elements 0 to 31 are all 0 after a right shift by 31. A shift by 32, the width of the type, is undefined.
#[test]
fn shifts_by_the_width_have_no_facts() {
    let constancy = |by: i64| {
        let (a, b) = (AxisInfo::range(0, 32), AxisInfo::constant(&[32], by, 32));
        AxisInfo::binary(BinaryOp::ShrU, &a, &b, 32).constancy(0)
    };
    assert_eq!([1, 5, 31, 32, 33].map(constancy), [2, 32, 32, 1, 1]);
}

#[test]
fn zeros_that_a_shift_brings_in_clear_the_sign() {
    let shifted = |op: BinaryOp, by: i64| {
        let by = AxisInfo::constant(&[], by, 32);
        AxisInfo::binary(op, &AxisInfo::argument(1), &by, 32).is_non_negative()
    };
    assert_eq!(
        [0, 1, 31].map(|by| shifted(BinaryOp::ShrU, by)),
        [false, true, true]
    );
    assert_eq!([0, 1, 31].map(|by| shifted(BinaryOp::ShrS, by)), [false; 3]);
}

/// The elements of one operand are 0 to 31, and the other operand is a multiple of 16. In the low four bits, at
/// most one operand has a bit set, so `or` and `xor` equal the sum.
#[test]
fn bits_of_one_side_only_count_up() {
    let high = AxisInfo::argument(16).splat(&[32]);
    for op in [BinaryOp::Or, BinaryOp::Xor] {
        for (a, b) in [
            (AxisInfo::range(0, 32), high),
            (high, AxisInfo::range(0, 32)),
        ] {
            let info = AxisInfo::binary(op, &a, &b, 32);
            assert_eq!(
                (info.contiguity(0), info.divisibility(0)),
                (16, 16),
                "{op:?}"
            );
        }
    }
}

/// If the dividend is a multiple of 16 and the divisor is 4, the quotient is a multiple of 4. Nothing is known if
/// the divisor is not a power of two.
#[test]
fn quotients_keep_what_the_divisor_leaves() {
    let quotient = |divisibility: u64, by: i64| {
        let (a, b) = (
            AxisInfo::argument(divisibility),
            AxisInfo::constant(&[], by, 32),
        );
        AxisInfo::binary(BinaryOp::DivS, &a, &b, 32).divisibility(0)
    };
    assert_eq!(quotient(16, 4), 4);
    assert_eq!(quotient(16, 16), 1);
    assert_eq!(quotient(16, 3), 1);
    assert_eq!(quotient(16, -4), 1);
}

#[test]
fn display() {
    assert_eq!(
        pointer(16).0.to_string(),
        "contiguity [1024], divisibility [16], constancy [1]"
    );
    assert_eq!(
        AxisInfo::constant(&[4], 12, 32).to_string(),
        "contiguity [1], divisibility [4], constancy [4], constant 12"
    );
}

#[test]
fn a_scalar_condition_cuts_no_run() {
    let run = AxisInfo::range(0, 64);
    let info = AxisInfo::select(&AxisInfo::scalar(), true, &run, &run);
    assert_eq!(
        (info.contiguity(0), info.divisibility(0)),
        (64, run.divisibility(0))
    );
    let info = AxisInfo::select(&AxisInfo::unknown(1), false, &run, &run);
    assert_eq!(info.contiguity(0), 1);
}

#[test]
fn consecutive_registers_need_no_alignment() {
    // `x + start + range(0, 1024)` for any `start`, of either sign.
    let offsets = AxisInfo::binary(
        BinaryOp::Add,
        &AxisInfo::scalar().splat(&[1024]),
        &AxisInfo::range(0, 1024),
        32,
    );
    let layout = blocked(8, 32, 4);
    let elements = |offsets: &AxisInfo| {
        let base = AxisInfo::argument(16).with_element_bytes(4).splat(&[1024]);
        let pointer = base.add_offset(offsets, 64);
        let access = GlobalAccess {
            pointer: &pointer,
            mask: None,
            element_bits: 32,
            layout: &layout,
            hinted_elements: 1,
            widest_bits: 128,
        };
        (access.consecutive().elements(), access.widest().elements())
    };
    // A group may wrap around at the largest 32-bit offset.
    assert_eq!(elements(&offsets.extend(32, 64, true)), (1, 1));
    let assumed = offsets.extend_without_wrap(32, 64);
    assert_eq!(elements(&assumed), (4, 1));
    assert!(!assumed.is_non_negative());
}
