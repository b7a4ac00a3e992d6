//! `tt.extern_elementwise`: device library functions, expanded or called once per register.
//!
//! ```text
//! __nv_expf, __ocml_exp_f32     expanded as `math.exp`      __nv_float2int_rz    one operation
//! __nv_j0f, __ocml_sin_f64      a call, resolved by `ll-translate --link-bitcode`
//! ```
//! The call remains if the function is unknown, if the declared type differs from the library, or with
//! `call-libraries=true`. ADR 0016 has the reasons.

use super::emit::{FCmpPredicate, ICmpPredicate};
use super::library::{self, LibraryFunction};
use super::state::{Lowering, Outcome};
use super::types::bits_of;
use super::{integer, math};
use crate::ir::UpstreamKind as K;
use crate::ir::builders::llvm;
use crate::ir::ops::tt;
use crate::sys::build::{Op, Val};
use crate::sys::{Diagnostic, float_width, is_llvm_pointer};
use melior::ir::{Type, ValueLike};

/// The result of expanding a call of a library function. `Some` contains the value that replaces the call. `None`
/// means that the function must be called.
type Expansion<'c> = Result<Option<Val<'c>>, Diagnostic>;

pub(crate) fn elementwise<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = tt::ExternElementwise::of(op).expect("the dispatch goes by kind");
    let types = l.types_of(view.result().r#type())?;
    let operands: Vec<_> = view.srcs().into_iter().map(|value| l.get(value)).collect();
    let symbol = view.symbol().checked(tt::ExternElementwise::SYMBOL_KEY)?;
    let library = [
        view.libname().checked(tt::ExternElementwise::LIBNAME_KEY)?,
        view.libpath().checked(tt::ExternElementwise::LIBPATH_KEY)?,
    ];
    let mut registers = Vec::with_capacity(types.len());
    for (r, type_) in types.into_iter().enumerate() {
        let values: Vec<Val<'c>> = operands
            .iter()
            .map(|list| if list.len() == 1 { list[0] } else { list[r] })
            .collect();
        let expansion = match stem(symbol) {
            Some(name) if !l.call_libraries => expand(l, name, &values, type_)?,
            _ => None,
        };
        registers.push(match expansion {
            Some(value) => value,
            None => {
                let function = LibraryFunction {
                    name: symbol,
                    library,
                    is_pure: view.pure(),
                };
                library::call(l, function, &values, type_)?
            }
        });
    }
    l.set(view.result(), registers);
    Ok(())
}

/// Prefixes of the names of library functions. [`TYPES`] contains the suffixes.
const PREFIXES: [&str; 4] = ["__nv_", "__ocml_", "__ockl_", "__triton_hip_"];
const TYPES: [&str; 5] = ["_f16", "_f32", "_f64", "_u32", "_u64"];

/// Returns the name of a function without its library prefix and type suffix. Returns `None` if the name has no
/// library prefix.
fn stem(symbol: &str) -> Option<&str> {
    let name = PREFIXES
        .iter()
        .find_map(|prefix| symbol.strip_prefix(prefix))?;
    let bare = TYPES.iter().find_map(|type_| name.strip_suffix(type_));
    Some(bare.unwrap_or(name))
}

fn expand<'c>(
    l: &mut Lowering<'c>,
    name: &str,
    values: &[Val<'c>],
    result: Type<'c>,
) -> Expansion<'c> {
    let types: Vec<Type<'c>> = values.iter().map(ValueLike::r#type).collect();
    let Some(first) = types.first().copied() else {
        return Ok(None);
    };
    if types
        .iter()
        .chain([&result])
        .any(|type_| is_llvm_pointer(*type_))
    {
        return Ok(None);
    }
    let is_float = |type_: Type<'_>| float_width(type_).is_some();
    let is_uniform = types.iter().all(|type_| *type_ == first);
    match (is_float(first), is_float(result)) {
        (true, true) if is_uniform && result == first => {
            // NVIDIA's library marks f32 by a suffix `f`.
            let bare = name.strip_suffix('f').unwrap_or(name);
            match of_floats(l, name, values)? {
                None => of_floats(l, bare, values),
                found => Ok(found),
            }
        }
        (true, true) => of_float_and_integer(l, name, values, result),
        (true, false) if values.len() == 1 => Ok(integer_of_float(l, name, values[0], result)),
        (false, true) if values.len() == 1 => Ok(float_of_integer(l, name, values[0], result)),
        (false, false) if is_uniform => Ok(of_integers(l, name, values, result)),
        _ => Ok(None),
    }
}

/// Library functions of one float, each with the equivalent `math` operation.
const UNARY: [(&str, K); 35] = [
    ("acos", K::MathAcos),
    ("acosh", K::MathAcosh),
    ("asin", K::MathAsin),
    ("asinh", K::MathAsinh),
    ("atan", K::MathAtan),
    ("atanh", K::MathAtanh),
    ("cbrt", K::MathCbrt),
    ("ceil", K::MathCeil),
    ("cos", K::MathCos),
    ("cosh", K::MathCosh),
    ("dsqrt_rn", K::MathSqrt),
    ("erf", K::MathErf),
    ("erfc", K::MathErfc),
    ("exp", K::MathExp),
    ("exp2", K::MathExp2),
    ("expm1", K::MathExpM1),
    ("fabs", K::MathAbsF),
    ("fast_tanh", K::MathTanh),
    ("floor", K::MathFloor),
    ("fsqrt_rn", K::MathSqrt),
    ("log", K::MathLog),
    ("log10", K::MathLog10),
    ("log1p", K::MathLog1p),
    ("log2", K::MathLog2),
    ("nearbyint", K::MathRoundEven),
    ("rint", K::MathRoundEven),
    ("round", K::MathRound),
    ("rsqrt", K::MathRsqrt),
    ("sin", K::MathSin),
    ("sinh", K::MathSinh),
    ("sqrt", K::MathSqrt),
    ("tan", K::MathTan),
    ("tanh", K::MathTanh),
    ("trunc", K::MathTrunc),
    ("roundeven", K::MathRoundEven),
];

/// Library functions of one float that are lowered to approximate instructions, each with the equivalent `math`
/// operation.
const APPROXIMATE: [(&str, K); 10] = [
    ("fast_cos", K::MathCos),
    ("fast_exp", K::MathExp),
    ("fast_log", K::MathLog),
    ("fast_log2", K::MathLog2),
    ("fast_sin", K::MathSin),
    ("native_cos", K::MathCos),
    ("native_exp", K::MathExp),
    ("native_log", K::MathLog),
    ("native_log2", K::MathLog2),
    ("native_sin", K::MathSin),
];

/// Library functions of two or three floats, each with the equivalent `math` operation.
const SEVERAL: [(&str, K); 6] = [
    ("atan2", K::MathAtan2),
    ("copysign", K::MathCopySign),
    ("fma", K::MathFma),
    ("fma_rn", K::MathFma),
    ("fmaf_rn", K::MathFma),
    ("pow", K::MathPowF),
];

/// Library functions of two floats, each with the equivalent `arith` operation.
const OPERATIONS: [(&str, K); 12] = [
    ("dadd_rn", K::ArithAddF),
    ("ddiv_rn", K::ArithDivF),
    ("dmul_rn", K::ArithMulF),
    ("dsub_rn", K::ArithSubF),
    ("fadd_rn", K::ArithAddF),
    ("fdiv_rn", K::ArithDivF),
    ("fmax", K::ArithMaxNumF),
    ("fmin", K::ArithMinNumF),
    ("fmul_rn", K::ArithMulF),
    ("fsub_rn", K::ArithSubF),
    ("max", K::ArithMaxNumF),
    ("min", K::ArithMinNumF),
];

fn lookup(table: &[(&str, K)], name: &str) -> Option<K> {
    let row = table.iter().find(|(key, _)| *key == name)?;
    Some(row.1)
}

fn of_floats<'c>(l: &mut Lowering<'c>, name: &str, x: &[Val<'c>]) -> Expansion<'c> {
    let type_ = x[0].r#type();
    if let [x] = *x {
        if let Some(kind) = lookup(&UNARY, name) {
            return math::apply(l, kind, &[x], false);
        }
        if let Some(kind) = lookup(&APPROXIMATE, name) {
            return math::apply(l, kind, &[x], true);
        }
        return of_one_float(l, name, x);
    }
    let count = |kind| if kind == K::MathFma { 3 } else { 2 };
    if let Some(kind) = lookup(&SEVERAL, name).filter(|kind| count(*kind) == x.len()) {
        return math::apply(l, kind, x, false);
    }
    let [a, b] = *x else {
        return Ok(None);
    };
    if let Some(kind) = lookup(&OPERATIONS, name).filter(|_| bits_of(type_) >= 32) {
        return Ok(Some(l.e.upstream(kind, x, type_, &[])));
    }
    Ok(match name {
        "fast_fdivide" => Some(l.gpu.approximate_quotient(&mut l.e, a, b)),
        // `exp2(y * log2(x))`, as in the library.
        "fast_pow" => match math::apply(l, K::MathLog2, &[a], true)? {
            Some(logarithm) => {
                let exponent = l.e.pure(llvm::fmul(b, logarithm));
                math::apply(l, K::MathExp2, &[exponent], true)?
            }
            None => None,
        },
        "fdim" => {
            let zero = l.e.float(type_, 0.0);
            let difference = l.e.pure(llvm::fsub(a, b));
            let is_ordered_above = l.e.fcmp(FCmpPredicate::Ogt, a, b);
            let is_unordered = l.e.fcmp(FCmpPredicate::Uno, a, b);
            let counts = l.e.or(is_ordered_above, is_unordered);
            Some(l.e.select(counts, difference, zero))
        }
        _ => None,
    })
}

fn of_one_float<'c>(l: &mut Lowering<'c>, name: &str, x: Val<'c>) -> Expansion<'c> {
    let type_ = x.r#type();
    if bits_of(type_) < 32 {
        return Ok(None);
    }
    let one = l.e.float(type_, 1.0);
    let ten = l.e.float(type_, 10.0);
    Ok(match name {
        "frcp_rn" | "drcp_rn" => Some(l.e.pure(llvm::fdiv(one, x))),
        "rcbrt" => {
            let root = math::apply(l, K::MathCbrt, &[x], false)?;
            root.map(|root| l.e.pure(llvm::fdiv(one, root)))
        }
        "exp10" => math::apply(l, K::MathPowF, &[ten, x], false)?,
        "fast_exp10" => {
            let per_ten = l.e.float(type_, std::f64::consts::LOG2_10);
            let exponent = l.e.pure(llvm::fmul(x, per_ten));
            math::apply(l, K::MathExp2, &[exponent], true)?
        }
        "fast_log10" => {
            let logarithm = math::apply(l, K::MathLog2, &[x], true)?;
            let per_two = l.e.float(type_, std::f64::consts::LOG10_2);
            logarithm.map(|logarithm| l.e.pure(llvm::fmul(logarithm, per_two)))
        }
        "fast_tan" => {
            let sine = math::apply(l, K::MathSin, &[x], true)?;
            let cosine = math::apply(l, K::MathCos, &[x], true)?;
            sine.zip(cosine)
                .map(|(sine, cosine)| l.gpu.approximate_quotient(&mut l.e, sine, cosine))
        }
        // NaN becomes 0.
        "saturate" => {
            let zero = l.e.float(type_, 0.0);
            let above = l.e.upstream(K::ArithMaxNumF, &[x, zero], type_, &[]);
            Some(l.e.upstream(K::ArithMinNumF, &[above, one], type_, &[]))
        }
        _ => None,
    })
}

fn of_float_and_integer<'c>(
    l: &mut Lowering<'c>,
    name: &str,
    values: &[Val<'c>],
    result: Type<'c>,
) -> Expansion<'c> {
    let first = values[0].r#type();
    match (name, values) {
        ("powi" | "powif" | "pown", [_, exponent])
            if first == result && exponent.r#type() == l.e.types.i32 =>
        {
            math::apply(l, K::MathFPowI, values, false)
        }
        ("double2float_rn", [x]) if (bits_of(first), bits_of(result)) == (64, 32) => {
            Ok(Some(l.e.fptrunc(*x, result)))
        }
        _ => Ok(None),
    }
}

fn integer_of_float<'c>(
    l: &mut Lowering<'c>,
    name: &str,
    x: Val<'c>,
    result: Type<'c>,
) -> Option<Val<'c>> {
    let (bits, width) = (bits_of(x.r#type()), bits_of(result));
    let classes = [
        ("isnan", K::MathIsNaN),
        ("isinf", K::MathIsInf),
        ("isfinite", K::MathIsFinite),
        ("finite", K::MathIsFinite),
    ];
    let letter = if bits == 64 { 'd' } else { 'f' };
    let bare = name.strip_suffix(letter).unwrap_or(name);
    for (class, kind) in classes {
        if class == name || class == bare {
            let is = math::classify(l, kind, x);
            return Some(resize(l, is, result));
        }
    }
    let int = l.e.int_type(bits);
    match name {
        "signbit" | "signbitf" | "signbitd" => {
            let bits_of_x = l.e.bitcast(x, int);
            let zero = l.e.zero(int);
            let is = l.e.icmp(ICmpPredicate::Slt, bits_of_x, zero);
            return Some(resize(l, is, result));
        }
        "float_as_int" | "float_as_uint" | "double_as_longlong" if width == bits => {
            return Some(l.e.bitcast(x, result));
        }
        _ => {}
    }
    // `float2int_rn`, `double2ull_rz`: result type and rounding mode.
    let (rounding, is_signed, to) = match name {
        "llrint" | "llrintf" => ("rn", true, 64),
        "llround" | "llroundf" => ("away", true, 64),
        _ => {
            let from = if bits == 64 { "double2" } else { "float2" };
            let (kind, rounding) = name.strip_prefix(from)?.split_once('_')?;
            let (is_signed, to) = match kind {
                "int" => (true, 32),
                "uint" => (false, 32),
                "ll" => (true, 64),
                "ull" => (false, 64),
                _ => return None,
            };
            (rounding, is_signed, to)
        }
    };
    if to != width || bits < 32 {
        return None;
    }
    let type_ = x.r#type();
    let whole = match rounding {
        "rz" => x,
        "rn" => l.e.upstream(K::MathRoundEven, &[x], type_, &[]),
        "rd" => l.e.upstream(K::MathFloor, &[x], type_, &[]),
        "ru" => l.e.upstream(K::MathCeil, &[x], type_, &[]),
        "away" => l.e.upstream(K::MathRound, &[x], type_, &[]),
        _ => return None,
    };
    Some(l.e.fptoi_sat(whole, result, is_signed))
}

fn float_of_integer<'c>(
    l: &mut Lowering<'c>,
    name: &str,
    x: Val<'c>,
    result: Type<'c>,
) -> Option<Val<'c>> {
    let (bits, width) = (bits_of(x.r#type()), bits_of(result));
    if matches!(
        name,
        "int_as_float" | "uint_as_float" | "longlong_as_double"
    ) {
        return (bits == width).then(|| l.e.bitcast(x, result));
    }
    let (from, to) = name.strip_suffix("_rn")?.split_once('2')?;
    let expected = match to {
        "float" => 32,
        "double" => 64,
        _ => return None,
    };
    let (is_signed, of) = match from {
        "int" => (true, 32),
        "uint" => (false, 32),
        "ll" => (true, 64),
        "ull" => (false, 64),
        _ => return None,
    };
    if (of, expected) != (bits, width) {
        return None;
    }
    Some(if is_signed {
        l.e.pure(llvm::sitofp(x, result))
    } else {
        l.e.pure(llvm::uitofp(x, result))
    })
}

fn of_integers<'c>(
    l: &mut Lowering<'c>,
    name: &str,
    x: &[Val<'c>],
    result: Type<'c>,
) -> Option<Val<'c>> {
    let type_ = x[0].r#type();
    let bits = bits_of(type_);
    if let [x] = *x {
        let counted = match (name, bits) {
            ("clz", 32 | 64) | ("clzll", 64) => l.e.pure(llvm::intr_ctlz(x, false)),
            ("popc", 32) | ("popcll", 64) | ("popcount", 32 | 64) => l.e.pure(llvm::intr_ctpop(x)),
            ("brev", 32) | ("brevll", 64) => l.e.pure(llvm::intr_bitreverse(x)),
            ("abs", 32) | ("llabs", 64) | ("iabs", _) => l.e.pure(llvm::intr_abs(x, false, type_)),
            ("ffs", 32) | ("ffsll", 64) => {
                let below = l.e.pure(llvm::intr_cttz(x, false));
                let one = l.e.constant(type_, 1);
                let position = l.e.add(below, one);
                let is_zero = l.e.is_zero(x);
                l.e.select(is_zero, x, position)
            }
            _ => return None,
        };
        return Some(resize(l, counted, result));
    }
    let [a, b] = *x else {
        return None;
    };
    if result != type_ {
        return None;
    }
    let kind = match (name, bits) {
        ("min", 32) | ("llmin", 64) => K::ArithMinSI,
        ("max", 32) | ("llmax", 64) => K::ArithMaxSI,
        ("umin", 32) | ("ullmin", 64) => K::ArithMinUI,
        ("umax", 32) | ("ullmax", 64) => K::ArithMaxUI,
        ("mulhi", 32) | ("mul64hi", 64) => return Some(integer::upper_half(l, a, b, true)),
        ("umulhi" | "mul_hi", 32) | ("umul64hi" | "mul_hi", 64) => {
            return Some(integer::upper_half(l, a, b, false));
        }
        _ => return None,
    };
    Some(l.e.upstream(kind, x, type_, &[]))
}

fn resize<'c>(l: &mut Lowering<'c>, value: Val<'c>, to: Type<'c>) -> Val<'c> {
    let (from, width) = (bits_of(value.r#type()), bits_of(to));
    if from < width {
        l.e.zext(value, to)
    } else if from > width {
        l.e.trunc(value, to)
    } else {
        value
    }
}
