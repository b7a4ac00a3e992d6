//! What approximations are written in: binary32, and integers where bits or wide products count.
//!
//! Each function of this room is written once over [`Arithmetic`]. A lowering makes operations of
//! it, the tests make numbers, so what is measured is what runs.

/// Binary32 with its bits, on a machine that rounds each operation once.
///
/// `F` is a float, `I` an integer of 32 bits, `L` one of 64 bits, `B` a condition.
pub(super) trait Arithmetic {
    type F: Copy;
    type I: Copy;
    type L: Copy;
    type B: Copy;

    fn float(&mut self, value: f32) -> Self::F;
    fn int(&mut self, value: u32) -> Self::I;
    fn unary(&mut self, op: Unary, a: Self::F) -> Self::F;
    fn binary(&mut self, op: Binary, a: Self::F, b: Self::F) -> Self::F;
    /// `a * b + c`, rounded once.
    fn fma(&mut self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    fn compare(&mut self, order: Order, a: Self::F, b: Self::F) -> Self::B;
    fn select(&mut self, condition: Self::B, a: Self::F, b: Self::F) -> Self::F;
    fn and(&mut self, a: Self::B, b: Self::B) -> Self::B;

    fn bits(&mut self, a: Self::F) -> Self::I;
    fn float_of(&mut self, a: Self::I) -> Self::F;
    /// To the nearest float.
    fn to_float(&mut self, a: Self::I) -> Self::F;
    /// Towards zero; the number fits.
    fn to_int(&mut self, a: Self::F) -> Self::I;
    fn int_binary(&mut self, op: IntBinary, a: Self::I, b: Self::I) -> Self::I;
    fn int_equal(&mut self, a: Self::I, b: Self::I) -> Self::B;
    fn int_select(&mut self, condition: Self::B, a: Self::I, b: Self::I) -> Self::I;

    /// The whole product of two unsigned integers.
    fn wide_product(&mut self, a: Self::I, b: Self::I) -> Self::L;
    fn long_binary(&mut self, op: IntBinary, a: Self::L, b: Self::L) -> Self::L;
    fn long(&mut self, value: u64) -> Self::L;
    fn low_half(&mut self, a: Self::L) -> Self::I;
    /// A signed integer to the nearest float.
    fn long_to_float(&mut self, a: Self::L) -> Self::F;
    /// Towards zero; the number fits.
    fn to_long(&mut self, a: Self::F) -> Self::L;

    /// `rare` where the condition holds, else `usual`; a branch, since `rare` is long.
    fn branch(
        &mut self,
        condition: Self::B,
        rare: impl FnOnce(&mut Self) -> (Self::F, Self::I),
        usual: (Self::F, Self::I),
    ) -> (Self::F, Self::I);

    // --- names for what is used most ---

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
    /// `a * constant + c`
    fn fma_by(&mut self, a: Self::F, constant: f32, c: Self::F) -> Self::F {
        let constant = self.float(constant);
        self.fma(a, constant, c)
    }
    /// `a * b + constant`
    fn fma_plus(&mut self, a: Self::F, b: Self::F, constant: f32) -> Self::F {
        let constant = self.float(constant);
        self.fma(a, b, constant)
    }
    fn less(&mut self, a: Self::F, b: f32) -> Self::B {
        let b = self.float(b);
        self.compare(Order::Less, a, b)
    }
    fn equals(&mut self, a: Self::F, b: f32) -> Self::B {
        let b = self.float(b);
        self.compare(Order::Equal, a, b)
    }
    /// True for NaN only.
    fn is_nan(&mut self, a: Self::F) -> Self::B {
        self.compare(Order::Unordered, a, a)
    }
    /// `constant` where the condition holds, else `other`.
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

    /// A polynomial by Horner's rule, the constant term first.
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

/// Functions of one float that GPUs compute themselves.
#[derive(Clone, Copy, Debug)]
pub(super) enum Unary {
    Neg,
    Abs,
    /// Rounded to nearest.
    Sqrt,
    RoundEven,
    Trunc,
    /// The GPU's own power of two: within 2 ulp.
    Exp2,
    /// The GPU's own: within 2 ulp.
    Rsqrt,
}

/// Functions of two floats, rounded to nearest.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    CopySign,
}

/// Functions of two integers, modulo their width.
#[derive(Clone, Copy, Debug)]
pub(super) enum IntBinary {
    Add,
    Sub,
    And,
    Or,
    Xor,
    /// By less than the width.
    ShiftLeft,
    /// Unsigned, by less than the width.
    ShiftRight,
}

/// Comparisons, all but the last of which are false for NaN.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    Less,
    Equal,
    /// One of them is NaN.
    Unordered,
}
