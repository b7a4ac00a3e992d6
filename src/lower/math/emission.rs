//! Emission of approximations as LLVM operations.

use super::arithmetic::{Arithmetic, Binary, FloatPredicate, IntBinary, Unary};
use crate::ir::builders::llvm;
use crate::lower::emit::{Emitter, FCmpPredicate, ICmpPredicate};
use crate::lower::gpu::Gpu;
use crate::sys::build::Val;

pub(super) struct Emission<'e, 'c> {
    pub(super) e: &'e mut Emitter<'c>,
    pub(super) gpu: Gpu,
}

impl<'c> Emission<'_, 'c> {
    fn integer(&mut self, op: IntBinary, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match op {
            IntBinary::Add => self.e.add(a, b),
            IntBinary::Sub => self.e.sub(a, b),
            IntBinary::And => self.e.and(a, b),
            IntBinary::Or => self.e.or(a, b),
            IntBinary::Xor => self.e.xor(a, b),
            IntBinary::ShiftLeft => self.e.pure(llvm::shl(a, b)),
            IntBinary::ShiftRight => self.e.pure(llvm::lshr(a, b)),
        }
    }
}

impl<'c> Arithmetic for Emission<'_, 'c> {
    type F = Val<'c>;
    type I = Val<'c>;
    type L = Val<'c>;
    type B = Val<'c>;

    fn float(&mut self, value: f32) -> Val<'c> {
        let f32 = self.e.types.f32;
        self.e.float(f32, f64::from(value))
    }

    fn int(&mut self, value: u32) -> Val<'c> {
        self.e.i32(value)
    }

    fn unary(&mut self, op: Unary, a: Val<'c>) -> Val<'c> {
        match op {
            Unary::Neg => self.e.pure(llvm::fneg(a)),
            Unary::Abs => self.e.pure(llvm::intr_fabs(a)),
            Unary::Sqrt => self.e.pure(llvm::intr_sqrt(a)),
            Unary::RoundEven => self.e.pure(llvm::intr_roundeven(a)),
            Unary::Trunc => self.e.pure(llvm::intr_trunc(a)),
            Unary::Exp2 => self.gpu.exp2(self.e, a),
            Unary::Rsqrt => self.gpu.rsqrt(self.e, a),
        }
    }

    fn binary(&mut self, op: Binary, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match op {
            Binary::Add => self.e.pure(llvm::fadd(a, b)),
            Binary::Sub => self.e.pure(llvm::fsub(a, b)),
            Binary::Mul => self.e.pure(llvm::fmul(a, b)),
            Binary::Div => self.e.pure(llvm::fdiv(a, b)),
            Binary::CopySign => self.e.pure(llvm::intr_copysign(a, b)),
        }
    }

    fn fma(&mut self, a: Val<'c>, b: Val<'c>, c: Val<'c>) -> Val<'c> {
        self.e.pure(llvm::intr_fma(a, b, c))
    }

    fn compare(&mut self, order: FloatPredicate, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let predicate = match order {
            FloatPredicate::Equal => FCmpPredicate::Oeq,
            FloatPredicate::Less => FCmpPredicate::Olt,
            FloatPredicate::Unordered => FCmpPredicate::Uno,
        };
        self.e.fcmp(predicate, a, b)
    }

    fn select(&mut self, condition: Val<'c>, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.e.select(condition, a, b)
    }

    fn and(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.e.and(a, b)
    }

    fn bits(&mut self, a: Val<'c>) -> Val<'c> {
        let i32 = self.e.types.i32;
        self.e.bitcast(a, i32)
    }

    fn float_of(&mut self, a: Val<'c>) -> Val<'c> {
        let f32 = self.e.types.f32;
        self.e.bitcast(a, f32)
    }

    fn to_float(&mut self, a: Val<'c>) -> Val<'c> {
        let f32 = self.e.types.f32;
        self.e.pure(llvm::sitofp(a, f32))
    }

    fn to_int(&mut self, a: Val<'c>) -> Val<'c> {
        let i32 = self.e.types.i32;
        self.e.pure(llvm::fptosi(a, i32))
    }

    fn int_binary(&mut self, op: IntBinary, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.integer(op, a, b)
    }

    fn int_equal(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.e.icmp(ICmpPredicate::Eq, a, b)
    }

    fn int_select(&mut self, condition: Val<'c>, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.e.select(condition, a, b)
    }

    fn wide_product(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let i64 = self.e.types.i64;
        let [a, b] = [a, b].map(|v| self.e.zext(v, i64));
        self.e.mul(a, b)
    }

    fn long_binary(&mut self, op: IntBinary, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.integer(op, a, b)
    }

    fn long(&mut self, value: u64) -> Val<'c> {
        let i64 = self.e.types.i64;
        self.e.constant(i64, value.cast_signed())
    }

    fn low_half(&mut self, a: Val<'c>) -> Val<'c> {
        let i32 = self.e.types.i32;
        self.e.trunc(a, i32)
    }

    fn long_to_float(&mut self, a: Val<'c>) -> Val<'c> {
        let f32 = self.e.types.f32;
        self.e.pure(llvm::sitofp(a, f32))
    }

    fn to_long(&mut self, a: Val<'c>) -> Val<'c> {
        let i64 = self.e.types.i64;
        self.e.pure(llvm::fptosi(a, i64))
    }

    fn branch(
        &mut self,
        condition: Val<'c>,
        rare: impl FnOnce(&mut Self) -> (Val<'c>, Val<'c>),
        usual: (Val<'c>, Val<'c>),
    ) -> (Val<'c>, Val<'c>) {
        let fork = self.e.fork(condition);
        let (a, b) = rare(self);
        let either = self.e.join_or(fork, &[a, b], &[usual.0, usual.1]);
        (either[0], either[1])
    }
}
