//! Approximations as operations of the LLVM dialect.

use super::arithmetic::{Arithmetic, Binary, IntBinary, Order, Unary};
use crate::lower::emit::Emitter;
use crate::sys::build::{self, Val};
use crate::target::Vendor;

/// Emits each operation once, at the emitter's place.
pub(super) struct Emission<'e, 'c> {
    pub(super) e: &'e mut Emitter<'c>,
    pub(super) vendor: Vendor,
}

impl<'c> Emission<'_, 'c> {
    fn int_name(op: IntBinary) -> &'static str {
        match op {
            IntBinary::Add => "llvm.add",
            IntBinary::Sub => "llvm.sub",
            IntBinary::And => "llvm.and",
            IntBinary::Or => "llvm.or",
            IntBinary::Xor => "llvm.xor",
            IntBinary::ShiftLeft => "llvm.shl",
            IntBinary::ShiftRight => "llvm.lshr",
        }
    }

    fn of_f32(&mut self, name: &str, operands: &[Val<'c>]) -> Val<'c> {
        let f32 = self.e.types.f32;
        self.e.pure(name, operands, f32, &[])
    }

    /// NVPTX has a power of two only as an approximation, which one must allow.
    fn exp2(&mut self, a: Val<'c>) -> Val<'c> {
        if matches!(self.vendor, Vendor::Amd) {
            return self.of_f32("llvm.intr.exp2", &[a]);
        }
        let approximate = self.e.parsed("#llvm.fastmath<afn>");
        let f32 = self.e.types.f32;
        let attributes = [("fastmathFlags", approximate)];
        self.e.pure("llvm.intr.exp2", &[a], f32, &attributes)
    }

    fn rsqrt(&mut self, a: Val<'c>) -> Val<'c> {
        let f32 = self.e.types.f32;
        if matches!(self.vendor, Vendor::Nvidia) {
            let name = self.e.string("llvm.nvvm.rsqrt.approx.f");
            return self.e.intrinsic(name, &[a], f32);
        }
        // AMD's instruction takes a subnormal number for 0.
        let is_subnormal = self.less(a, f32::MIN_POSITIVE);
        let scaled = self.scale(a, 2f32.powi(24));
        let normal = self.select(is_subnormal, scaled, a);
        let name = self.e.string("llvm.amdgcn.rsq");
        let root = self.e.intrinsic(name, &[normal], f32);
        let scaled = self.scale(root, 2f32.powi(12));
        self.select(is_subnormal, scaled, root)
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
        let name = match op {
            Unary::Neg => "llvm.fneg",
            Unary::Abs => "llvm.intr.fabs",
            Unary::Sqrt => "llvm.intr.sqrt",
            Unary::RoundEven => "llvm.intr.roundeven",
            Unary::Trunc => "llvm.intr.trunc",
            Unary::Exp2 => return self.exp2(a),
            Unary::Rsqrt => return self.rsqrt(a),
        };
        self.of_f32(name, &[a])
    }

    fn binary(&mut self, op: Binary, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let name = match op {
            Binary::Add => "llvm.fadd",
            Binary::Sub => "llvm.fsub",
            Binary::Mul => "llvm.fmul",
            Binary::Div => "llvm.fdiv",
            Binary::CopySign => "llvm.intr.copysign",
        };
        self.of_f32(name, &[a, b])
    }

    fn fma(&mut self, a: Val<'c>, b: Val<'c>, c: Val<'c>) -> Val<'c> {
        self.of_f32("llvm.intr.fma", &[a, b, c])
    }

    fn compare(&mut self, order: Order, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let predicate = self.e.i64_attr(match order {
            Order::Equal => 1,
            Order::Less => 4,
            Order::Unordered => 14,
        });
        let i1 = self.e.types.i1;
        self.e
            .pure("llvm.fcmp", &[a, b], i1, &[("predicate", predicate)])
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
        self.of_f32("llvm.sitofp", &[a])
    }

    fn to_int(&mut self, a: Val<'c>) -> Val<'c> {
        let i32 = self.e.types.i32;
        self.e.pure("llvm.fptosi", &[a], i32, &[])
    }

    fn int_binary(&mut self, op: IntBinary, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let i32 = self.e.types.i32;
        self.e.pure(Self::int_name(op), &[a, b], i32, &[])
    }

    fn int_equal(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let predicate = self.e.i64_attr(0);
        let i1 = self.e.types.i1;
        self.e
            .pure("llvm.icmp", &[a, b], i1, &[("predicate", predicate)])
    }

    fn int_select(&mut self, condition: Val<'c>, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.e.select(condition, a, b)
    }

    fn wide_product(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let i64 = self.e.types.i64;
        let [a, b] = [a, b].map(|v| self.e.zext(v, i64));
        self.e.pure("llvm.mul", &[a, b], i64, &[])
    }

    fn long_binary(&mut self, op: IntBinary, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let i64 = self.e.types.i64;
        self.e.pure(Self::int_name(op), &[a, b], i64, &[])
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
        self.of_f32("llvm.sitofp", &[a])
    }

    fn to_long(&mut self, a: Val<'c>) -> Val<'c> {
        let i64 = self.e.types.i64;
        self.e.pure("llvm.fptosi", &[a], i64, &[])
    }

    fn branch(
        &mut self,
        condition: Val<'c>,
        rare: impl FnOnce(&mut Self) -> (Val<'c>, Val<'c>),
        usual: (Val<'c>, Val<'c>),
    ) -> (Val<'c>, Val<'c>) {
        let (then, _) = self.e.open_region(&[]);
        let (a, b) = rare(self);
        self.e.operation("scf.yield", &[a, b], &[], &[], vec![]);
        self.e.close_region();
        let (otherwise, _) = self.e.open_region(&[]);
        let (a, b) = usual;
        self.e.operation("scf.yield", &[a, b], &[], &[], vec![]);
        self.e.close_region();
        let types = [self.e.types.f32, self.e.types.i32];
        let regions = vec![then, otherwise];
        let op = self
            .e
            .operation("scf.if", &[condition], &types, &[], regions);
        (build::result(op, 0), build::result(op, 1))
    }
}
