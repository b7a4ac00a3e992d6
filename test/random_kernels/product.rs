//! Products of matrices, of numbers so small that every order of a sum gives the same.

use super::builder::{Builder, MAX_ELEMENTS};
use super::kernel::{Code, Element, I32, Scalar, Value};
use crate::referee::registers;

/// What is multiplied, and what sums are of.
const TYPES: [(Scalar, Scalar); 6] = [
    (Scalar::F16, Scalar::F32),
    (Scalar::F16, Scalar::F16),
    (Scalar::Bf16, Scalar::F32),
    (Scalar::F32, Scalar::F32),
    (Scalar::F64, Scalar::F64),
    (Scalar::Int(8), Scalar::Int(32)),
];

impl Builder {
    /// A product of two new matrices, or of two each, in layouts of any matrix instruction or of none.
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
        let a = self.small_numbers(&left, 3, factor, &operands[0]);
        let b = self.small_numbers(&right, 3, factor, &operands[1]);
        let c = self.small_numbers(&sum, 127, total, &parent);
        let type_ = self.type_(c);
        Some(self.one(Code::Dot, &[a, b, c], type_))
    }

    /// Numbers from 0 to `most`, one less than a power of two.
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
