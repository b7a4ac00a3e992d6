//! Arithmetic interface of approximations: binary32 floats, and integers for bits and wide products.
//!
//! Approximations are generic over [`Arithmetic`]. The lowering emits operations and the tests compute numbers, so the
//! tests measure the errors of the emitted code.

/// Arithmetic on binary32 floats, and conversions between floats and their bits. Operations are correctly rounded,
/// except [`Unary::Exp2`] and [`Unary::Rsqrt`].
///
/// `F` is the type of floats, `I` of 32-bit integers, `L` of 64-bit integers, and `B` of conditions.
pub(super) trait Arithmetic {
    type F: Copy;
    type I: Copy;
    type L: Copy;
    type B: Copy;

    fn float(&mut self, value: f32) -> Self::F;
    fn int(&mut self, value: u32) -> Self::I;
    fn unary(&mut self, op: Unary, a: Self::F) -> Self::F;
    fn binary(&mut self, op: Binary, a: Self::F, b: Self::F) -> Self::F;
    fn fma(&mut self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    fn compare(&mut self, order: FloatPredicate, a: Self::F, b: Self::F) -> Self::B;
    fn select(&mut self, condition: Self::B, a: Self::F, b: Self::F) -> Self::F;
    fn and(&mut self, a: Self::B, b: Self::B) -> Self::B;

    fn bits(&mut self, a: Self::F) -> Self::I;
    fn float_of(&mut self, a: Self::I) -> Self::F;
    /// Converts a signed integer to the nearest float.
    fn to_float(&mut self, a: Self::I) -> Self::F;
    /// Converts a float to a signed integer, rounded towards zero. The result must fit.
    fn to_int(&mut self, a: Self::F) -> Self::I;
    fn int_binary(&mut self, op: IntBinary, a: Self::I, b: Self::I) -> Self::I;
    fn int_equal(&mut self, a: Self::I, b: Self::I) -> Self::B;
    fn int_select(&mut self, condition: Self::B, a: Self::I, b: Self::I) -> Self::I;

    /// Computes the exact 64-bit product of two unsigned integers.
    fn wide_product(&mut self, a: Self::I, b: Self::I) -> Self::L;
    fn long_binary(&mut self, op: IntBinary, a: Self::L, b: Self::L) -> Self::L;
    fn long(&mut self, value: u64) -> Self::L;
    fn low_half(&mut self, a: Self::L) -> Self::I;
    /// Converts a signed integer to the nearest float.
    fn long_to_float(&mut self, a: Self::L) -> Self::F;
    /// Converts a float to a signed integer, rounded towards zero. The result must fit.
    fn to_long(&mut self, a: Self::F) -> Self::L;

    /// Returns the result of `rare` if the condition is true, otherwise `usual`. The code of `rare` is long, so it
    /// is emitted in a branch and skipped if the condition is false.
    fn branch(
        &mut self,
        condition: Self::B,
        rare: impl FnOnce(&mut Self) -> (Self::F, Self::I),
        usual: (Self::F, Self::I),
    ) -> (Self::F, Self::I);

    // --- shorthands ---

    fn add(&mut self, a: Self::F, b: Self::F) -> Self::F {
        self.binary(Binary::Add, a, b)
    }
    fn sub(&mut self, a: Self::F, b: Self::F) -> Self::F {
        self.binary(Binary::Sub, a, b)
    }
    fn mul(&mut self, a: Self::F, b: Self::F) -> Self::F {
        self.binary(Binary::Mul, a, b)
    }
    fn div(&mut self, a: Self::F, b: Self::F) -> Self::F {
        self.binary(Binary::Div, a, b)
    }
    fn copy_sign(&mut self, magnitude: Self::F, sign: Self::F) -> Self::F {
        self.binary(Binary::CopySign, magnitude, sign)
    }
    fn neg(&mut self, a: Self::F) -> Self::F {
        self.unary(Unary::Neg, a)
    }
    fn abs(&mut self, a: Self::F) -> Self::F {
        self.unary(Unary::Abs, a)
    }
    fn add_to(&mut self, a: Self::F, constant: f32) -> Self::F {
        let constant = self.float(constant);
        self.add(a, constant)
    }
    fn scale(&mut self, a: Self::F, constant: f32) -> Self::F {
        let constant = self.float(constant);
        self.mul(a, constant)
    }
    fn fma_by(&mut self, a: Self::F, constant: f32, c: Self::F) -> Self::F {
        let constant = self.float(constant);
        self.fma(a, constant, c)
    }
    fn fma_plus(&mut self, a: Self::F, b: Self::F, constant: f32) -> Self::F {
        let constant = self.float(constant);
        self.fma(a, b, constant)
    }
    fn less(&mut self, a: Self::F, b: f32) -> Self::B {
        let b = self.float(b);
        self.compare(FloatPredicate::Less, a, b)
    }
    fn equals(&mut self, a: Self::F, b: f32) -> Self::B {
        let b = self.float(b);
        self.compare(FloatPredicate::Equal, a, b)
    }
    fn is_nan(&mut self, a: Self::F) -> Self::B {
        self.compare(FloatPredicate::Unordered, a, a)
    }
    fn constant_where(&mut self, condition: Self::B, constant: f32, other: Self::F) -> Self::F {
        let constant = self.float(constant);
        self.select(condition, constant, other)
    }
    fn int_with(&mut self, op: IntBinary, a: Self::I, b: u32) -> Self::I {
        let b = self.int(b);
        self.int_binary(op, a, b)
    }
    fn long_with(&mut self, op: IntBinary, a: Self::L, b: u64) -> Self::L {
        let b = self.long(b);
        self.long_binary(op, a, b)
    }

    /// Evaluates a polynomial at `x` with Horner's rule. The first coefficient is the constant term.
    fn polynomial(&mut self, x: Self::F, coefficients: &[f32]) -> Self::F {
        let (last, rest) = coefficients
            .split_last()
            .expect("a polynomial has a coefficient");
        let mut sum = self.float(*last);
        for coefficient in rest.iter().rev() {
            sum = self.fma_plus(sum, x, *coefficient);
        }
        sum
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Unary {
    Neg,
    Abs,
    Sqrt,
    RoundEven,
    Trunc,
    /// Power of 2, with an error of at most 2 ulp.
    Exp2,
    /// Reciprocal square root, with an error of at most 2 ulp.
    Rsqrt,
}

/// A binary operation on floats. Its result is rounded to nearest.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    CopySign,
}

/// A binary operation on integers. Additions and subtractions wrap.
#[derive(Clone, Copy, Debug)]
pub(super) enum IntBinary {
    Add,
    Sub,
    And,
    Or,
    Xor,
    /// Left shift by less than the width of the integer.
    ShiftLeft,
    /// Logical right shift by less than the width of the integer.
    ShiftRight,
}

/// A comparison of two floats. [`Self::Less`] and [`Self::Equal`] are false if an operand is NaN.
#[derive(Clone, Copy, Debug)]
pub(super) enum FloatPredicate {
    Less,
    Equal,
    /// True if an operand is NaN.
    Unordered,
}
