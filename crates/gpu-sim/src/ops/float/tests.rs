use super::library::erf;
use super::*;

#[test]
fn floats_round_once() {
    let h = |x: f64| FloatTy::F16.from_f64(x);
    assert_eq!((ADD.eval)(FloatTy::F16, h(2048.0), h(1.0)), h(2048.0));
    assert_eq!((DIV.eval)(FloatTy::F16, h(1.0), h(3.0)), 0x3555);
    let f = |x: f32| u64::from(x.to_bits());
    let nan = f(f32::NAN);
    assert_eq!((MAXNUM.eval)(FloatTy::F32, nan, f(1.0)), f(1.0));
    assert_eq!((MAXIMUM.eval)(FloatTy::F32, f(1.0), nan), nan);
    assert_eq!((MINIMUM.eval)(FloatTy::F32, f(0.0), f(-0.0)), f(-0.0));
    assert_eq!((EXP2.eval)(FloatTy::F32, f(3.0)), f(8.0));
    assert_eq!((NEG.eval)(FloatTy::F32, f(3.0)), f(-3.0));
    assert_eq!((ABS.eval)(FloatTy::F32, f(-3.0)), f(3.0));
    assert_eq!((COPYSIGN.eval)(FloatTy::F32, f(3.0), f(-0.0)), f(-3.0));
    assert_eq!((CLIP.eval)(FloatTy::F32, f(-9.0), f(6.0)), f(-6.0));
    assert_eq!((CLIP.eval)(FloatTy::F32, f(5.0), f(6.0)), f(5.0));
    assert_eq!((CLIP.eval)(FloatTy::F32, f(-f32::NAN), f(6.0)), f(-6.0));
    assert_eq!((CLIP_NAN.eval)(FloatTy::F32, nan, f(6.0)), nan);
    assert_eq!(ldexp(FloatTy::F32, f(1.0), -149), 1);
    assert!((erf(0.5) - 0.520_499_877_813_046_5).abs() < 1e-15);
    assert!((erf(-3.0) + 0.999_977_909_503_001_4).abs() < 1e-15);
}

#[test]
fn floats_of_64_bits_are_those_of_the_host() {
    for (op, expect) in [
        (&ADD, 10.0),
        (&SUB, 4.0),
        (&MUL, 21.0),
        (&DIV, 7.0 / 3.0),
        (&REM, 1.0),
        (&POW, 343.0),
        (&ATAN2, 7f64.atan2(3.0)),
    ] {
        let found = (op.eval)(FloatTy::F64, 7f64.to_bits(), 3f64.to_bits());
        assert_eq!(f64::from_bits(found), expect);
    }
}

#[test]
fn functions_of_one_float_are_the_ones_they_are_called_after() {
    for (op, x, expect) in [
        (&SQRT, 9.0, 3.0),
        (&RSQRT, 0.25, 2.0),
        (&CBRT, 27.0, 3.0),
        (&RCP, 4.0, 0.25),
        (&EXP, 2.0, core::f64::consts::E * core::f64::consts::E),
        (&EXP2, -2.0, 0.25),
        (&EXP10, 2.0, 100.0),
        (&EXPM1, core::f64::consts::LN_2, 1.0),
        (&LOG, core::f64::consts::E, 1.0),
        (&LOG2, 8.0, 3.0),
        (&LOG10, 1000.0, 3.0),
        (&LOG1P, core::f64::consts::E - 1.0, 1.0),
        (&SIN, core::f64::consts::FRAC_PI_6, 0.5),
        (&COS, core::f64::consts::FRAC_PI_3, 0.5),
        (&TAN, core::f64::consts::FRAC_PI_4, 1.0),
        (&ASIN, 0.5, core::f64::consts::FRAC_PI_6),
        (&ACOS, 0.5, core::f64::consts::FRAC_PI_3),
        (&ATAN, 1.0, core::f64::consts::FRAC_PI_4),
        (&SINH, core::f64::consts::LN_2, 0.75),
        (&COSH, core::f64::consts::LN_2, 1.25),
        (&TANH, core::f64::consts::LN_2, 0.6),
        (&FLOOR, -1.5, -2.0),
        (&CEIL, -1.5, -1.0),
        (&TRUNC, -1.5, -1.0),
        (&ROUND, 2.5, 3.0),
        (&ROUND_EVEN, 2.5, 2.0),
    ] {
        for (ty, ulp) in [(FloatTy::F32, 1e-6), (FloatTy::F64, 1e-14)] {
            let found = ty.to_f64((op.eval)(ty, ty.from_f64(x)));
            let near = (found - expect).abs() <= ulp * f64::abs(expect);
            assert!(near, "{ty:?}: {x} gives {found}, not {expect}");
        }
    }
}
