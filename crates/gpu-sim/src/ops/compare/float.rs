//! Float comparisons.

use crate::code::Reg;
use crate::decode::DecodeResult;
use crate::exec::{Exec, Instruction, Regs};
use crate::float::FloatTy;

#[derive(Debug)]
pub(super) struct FloatPredicate {
    #[cfg(test)]
    eval: fn(f64, f64) -> bool,
    all: fn(&mut Exec<'_>, &FloatCompare),
}

/// Defines float predicates in the order of MLIR's enum.
macro_rules! predicates {
    ($($name:ident |$a:ident, $b:ident| $result:expr;)*) => {
        $(static $name: FloatPredicate = FloatPredicate {
            #[cfg(test)]
            eval: |$a: f64, $b: f64| $result,
            all: |exec, c| {
                let ty = c.ty;
                exec.map2(c.dst, [c.a, c.b], |a, b| {
                    let ($a, $b) = (ty.to_f64(a), ty.to_f64(b));
                    u64::from($result)
                });
            },
        };)*
        pub(super) const PREDICATES: &[&FloatPredicate] = &[$(&$name),*];
    };
}

predicates! {
    FALSE |_a, _b| false;
    OEQ |a, b| a == b;
    OGT |a, b| a > b;
    OGE |a, b| a >= b;
    OLT |a, b| a < b;
    OLE |a, b| a <= b;
    ONE |a, b| !unordered(a, b) && a != b;
    ORD |a, b| !unordered(a, b);
    UEQ |a, b| a == b || unordered(a, b);
    UGT |a, b| a > b || unordered(a, b);
    UGE |a, b| a >= b || unordered(a, b);
    ULT |a, b| a < b || unordered(a, b);
    ULE |a, b| a <= b || unordered(a, b);
    UNE |a, b| a != b;
    UNO |a, b| unordered(a, b);
    TRUE |_a, _b| true;
}

fn unordered(a: f64, b: f64) -> bool {
    a.is_nan() || b.is_nan()
}

#[derive(Debug)]
pub(super) struct FloatCompare {
    pub(super) pred: &'static FloatPredicate,
    pub(super) ty: FloatTy,
    pub(super) dst: Reg,
    pub(super) a: Reg,
    pub(super) b: Reg,
}

impl Instruction for FloatCompare {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.a, self.b])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        (self.pred.all)(exec, self);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_say_what_their_names_do() {
        // Less, equal, greater, unordered.
        let expected = [
            (&FALSE, [false, false, false, false]),
            (&OEQ, [false, true, false, false]),
            (&OGT, [false, false, true, false]),
            (&OGE, [false, true, true, false]),
            (&OLT, [true, false, false, false]),
            (&OLE, [true, true, false, false]),
            (&ONE, [true, false, true, false]),
            (&ORD, [true, true, true, false]),
            (&UEQ, [false, true, false, true]),
            (&UGT, [false, false, true, true]),
            (&UGE, [false, true, true, true]),
            (&ULT, [true, false, false, true]),
            (&ULE, [true, true, false, true]),
            (&UNE, [true, false, true, true]),
            (&UNO, [false, false, false, true]),
            (&TRUE, [true, true, true, true]),
        ];
        for (number, (predicate, expect)) in expected.into_iter().enumerate() {
            assert!(std::ptr::eq(PREDICATES[number], predicate));
            let pairs = [(1.0, 2.0), (2.0, 2.0), (2.0, 1.0), (f64::NAN, 1.0)];
            let found = pairs.map(|(a, b)| (predicate.eval)(a, b));
            assert_eq!(found, expect, "{number}");
            assert_eq!((predicate.eval)(1.0, f64::NAN), expect[3]);
        }
    }
}
