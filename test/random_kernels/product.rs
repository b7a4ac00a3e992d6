//! Random matrix products, of numbers so small that sums are exact in every order.

use super::builder::{Builder, MAX_ELEMENTS};
use super::kernel::{Code, Element, I32, KernelType, Scalar, Value};
use crate::referee::registers;

/// Pairs of element types of a matrix product: the type of both factors, and the type of the sum.
const TYPES: [(Scalar, Scalar); 6] = [
    (Scalar::F16, Scalar::F32),
    (Scalar::F16, Scalar::F16),
    (Scalar::Bf16, Scalar::F32),
    (Scalar::F32, Scalar::F32),
    (Scalar::F64, Scalar::F64),
    (Scalar::Int(8), Scalar::Int(32)),
];

impl Builder {
    /// Adds a matrix product of new matrices, or a loop that accumulates such products. The layouts may or may not
    /// be those of a matrix instruction. Returns `None` if the drawn layouts or sizes do not fit.
    pub(super) fn product(&mut self) -> Option<Value> {
        let [m, n, k] = [0, 1, 2].map(|_| self.rng.power(3, 6));
        let batch = if self.rng.chance(15) {
            vec![2]
        } else {
            Vec::new()
        };
        let shape = |rows, columns| [&batch[..], &[rows, columns]].concat();
        let (left, right, sum) = (shape(m, k), shape(k, n), shape(m, n));
        let size = |shape: &[u64]| shape.iter().product::<u64>();
        if [&left, &right, &sum].iter().any(|s| size(s) > MAX_ELEMENTS) {
            return None;
        }
        let (factor, total) = self.rng.choose(&TYPES);
        let (parent, width) = match self.rng.chance(30) {
            true => (
                registers::blocked(&mut self.rng, &self.setting, sum.len()),
                0,
            ),
            false => registers::matrix(&mut self.rng, &self.setting, sum.len()),
        };
        // Triton's rule for its first instructions.
        if parent.contains("nvidia_mma") && k < 4 * width {
            return None;
        }
        let operands = [0, 1].map(|i| registers::dot_operand(&parent, i, width));
        let lie = [
            (&operands[0], &left),
            (&operands[1], &right),
            (&parent, &sum),
        ];
        if !lie
            .iter()
            .all(|(encoding, shape)| self.fits(encoding, shape))
        {
            return None;
        }
        let c = self.small_numbers(&sum, 127, total, &parent);
        let multiply = |builder: &mut Self, sum: Value| {
            let a = builder.small_numbers(&left, 3, factor, &operands[0]);
            let b = builder.small_numbers(&right, 3, factor, &operands[1]);
            let type_ = builder.type_(sum);
            builder.one(Code::Dot, &[a, b, sum], type_)
        };
        Some(match self.rng.chance(30) {
            true => self.summed(c, multiply),
            false => multiply(self, c),
        })
    }

    /// Adds a loop that adds up to three products to `sum`. The largest result, 3 * 3 * 3 * 64 + 127, is exact in
    /// `f16`.
    fn summed(&mut self, sum: Value, multiply: impl FnOnce(&mut Self, Value) -> Value) -> Value {
        let number = KernelType::scalar(I32);
        let [zero, one] = [0, 1].map(|value| self.constant(&number, value));
        let trips = self.rng.below(4) as u64;
        let trips = self.constant(&number, trips);
        let types = [number.clone(), self.type_(sum)];
        let arguments = [&number, &types[0], &types[1]];
        let arguments = arguments.map(|type_| self.kernel.new_value(type_.clone()));
        let [_, count, carried] = arguments;
        let region = self.region(arguments.to_vec(), |b| {
            b.enter_iteration(count, 4);
            let result = multiply(b, carried);
            let next = b.next_number(count);
            b.terminate(Code::Yield, vec![next, result]);
        });
        let operands = vec![zero, trips, one, zero, sum];
        self.structured(
            Code::For { unsigned: false },
            operands,
            &types,
            vec![region],
        );
        self.tensors[self.tensors.len() - 1]
    }

    /// Adds a tensor of integers from 0 to `most`, which must be one less than a power of two.
    fn small_numbers(&mut self, shape: &[u64], most: u64, scalar: Scalar, encoding: &str) -> Value {
        let own = self.encoding(shape);
        let type_ = self.tensor_type(I32, shape, &own);
        let numbers = self.fresh(&type_);
        let mask = self.constant(&type_, most);
        let small = self.elementwise("arith.andi", &[numbers, mask]);
        let element = Element::number(scalar);
        let cast = match scalar {
            Scalar::Int(32) => small,
            Scalar::Int(_) => self.cast("arith.trunci", small, element),
            _ => self.cast("arith.sitofp", small, element),
        };
        self.convert(cast, encoding)
    }
}
