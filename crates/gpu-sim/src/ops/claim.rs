//! Poison-generating flags (`nuw`, `disjoint`, `range`, ...), which are checked on execution.
//!
//! A violated flag makes the result poison. `exec::poison` propagates the poison and reports harmful uses.

use crate::bits::{mask, signed};
use crate::code::{Reg, Space};
use crate::decode::{DecodeResult, Decoder};
use crate::exec::{Exec, Instruction, Regs};
use crate::float::FloatTy;
use crate::ir::{Attribute, Operation};
use crate::memory::{self, SHARED_SYMBOL_LOG2, SHARED_WINDOW};

/// Returns the exact result of an operation, computed with unbounded integers; `None` if the operation has no
/// result. To check the flag `nsw`, `x` and `y` are the operands as signed numbers; to check `nuw`, they are the
/// operands as unsigned numbers.
pub(crate) type Ideal = fn(bits: u32, x: i128, y: i128) -> Option<i128>;

/// Returns the bits that the operation drops from the exact result; `None` if there is no result. The flag
/// `exact` promises that these bits are zero.
pub(crate) type Remainder = fn(bits: u32, a: u64, b: u64) -> Option<u64>;

/// A condition that a flag or attribute promises.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Promise {
    Disjoint,
    /// `nsw`: the exact result fits this width in bits as a signed number.
    NoSignedWrap(Ideal, u32),
    /// `nuw`: the exact result fits this width in bits as an unsigned number.
    NoUnsignedWrap(Ideal, u32),
    /// `exact`: an operation of this width drops no bits of the exact result.
    Exact(Remainder, u32),
    /// `nneg`: the operand of this width is not negative.
    NonNegative(u32),
    /// `trunc nuw`: the operand fits this width in bits as an unsigned number.
    FitsUnsigned(u32),
    /// `trunc nsw`: the operand of width `from` fits the width `to` as a signed number.
    FitsSigned {
        from: u32,
        to: u32,
    },
    /// `range`: the value is in `low..high`, modulo 2^`bits`.
    Range {
        bits: u32,
        low: u64,
        high: u64,
    },
    /// `inbounds`: the address stays in the memory object of its base.
    Inside(Space),
    NotBelow,
    ShiftBelow(u32),
    /// The promise of the flag `flag`, such as `is_zero_poison`: an operand of `bits` bits is not equal to the
    /// constant `operand`.
    Not {
        flag: &'static str,
        operand: u64,
        bits: u32,
    },
    /// Float-to-integer conversion: the operand, truncated to an integer, fits `bits` bits as a signed or as an
    /// unsigned number.
    Converts {
        from: FloatTy,
        bits: u32,
        signed: bool,
    },
    /// Fast-math flags: if `no_nan` is true, the operand is not NaN; if `no_infinity` is true, the operand is not
    /// infinite.
    Number {
        ty: FloatTy,
        no_nan: bool,
        no_infinity: bool,
    },
}

#[derive(Debug)]
pub(crate) struct PromiseCheck {
    pub(crate) promise: Promise,
    pub(crate) value: Reg,
    pub(crate) a: Reg,
    pub(crate) b: Reg,
}

impl Instruction for PromiseCheck {
    fn regs(&self) -> Regs {
        Regs::new([], [self.value, self.a, self.b])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for at in 0..exec.lanes.len() {
            let lane = exec.lanes[at];
            let [value, a, b] = [self.value, self.a, self.b].map(|reg| exec.get(reg, lane));
            let violation = match self.promise {
                Promise::Inside(space) => leaves_object(exec, space, a, value),
                promise => violation(promise, value, a, b),
            };
            if let Some(text) = violation {
                exec.poison(self.value, lane, || text);
            }
        }
        Ok(())
    }
}

/// Emits a check of a promise about one operand. A violation makes `value` poison.
pub(crate) fn require(d: &mut Decoder<'_>, promise: Promise, value: Reg, operand: Reg) {
    d.b.push(PromiseCheck {
        promise,
        value,
        a: operand,
        b: operand,
    });
}

pub(crate) fn is_set(op: &Operation, flag: &str) -> bool {
    match op.attribute(flag) {
        None | Some(Attribute::Bool(false) | Attribute::Int(0, _)) => false,
        Some(_) => true,
    }
}

pub(crate) fn fast_math(
    d: &mut Decoder<'_>,
    op: &Operation,
    ty: FloatTy,
    value: Reg,
    checked: &[Reg],
) {
    let Some(Attribute::Opaque(flags)) = op.attribute("fastmathFlags") else {
        return;
    };
    let has = |flag: &str| {
        let mut words = flags.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|word| word == flag || word == "fast")
    };
    let (no_nan, no_infinity) = (has("nnan"), has("ninf"));
    if !no_nan && !no_infinity {
        return;
    }
    let promise = Promise::Number {
        ty,
        no_nan,
        no_infinity,
    };
    for &reg in checked {
        require(d, promise, value, reg);
    }
}

/// Returns (has `nsw`, has `nuw`).
pub(crate) fn overflow_flags(op: &Operation) -> (bool, bool) {
    match op.attribute("overflowFlags") {
        Some(Attribute::Int(flags, _)) => (flags & 1 != 0, flags & 2 != 0),
        Some(Attribute::Opaque(text)) => (text.contains("nsw"), text.contains("nuw")),
        _ => (false, false),
    }
}

/// Emits a check of the `range` attribute on a read of a special register.
pub(crate) fn range(d: &mut Decoder<'_>, op: &Operation, bits: u32, value: Reg) -> DecodeResult {
    let Some(Attribute::Opaque(text)) = op.attribute("range") else {
        return Ok(());
    };
    let numbers: Vec<i64> = text
        .trim_end_matches('>')
        .split(',')
        .filter_map(|piece| piece.trim().parse().ok())
        .collect();
    let [low, high] = numbers[..] else {
        return Err(d.malformed(
            op,
            format!("the attribute `range` is `{text}`, expected two numbers"),
        ));
    };
    let promise = Promise::Range {
        bits,
        low: low as u64,
        high: high as u64,
    };
    d.b.push(PromiseCheck {
        promise,
        value,
        a: value,
        b: value,
    });
    Ok(())
}

/// Returns the reason why the computation of `address` from `base` leaves the memory object of `base`; `None`
/// if the address stays in the object.
fn leaves_object(exec: &Exec<'_>, space: Space, base: u64, address: u64) -> Option<String> {
    if base == address {
        return None;
    }
    let object = |address: u64| -> Option<(usize, i64, usize)> {
        let shared =
            space == Space::Shared || (space == Space::Generic && address & SHARED_WINDOW != 0);
        if shared {
            let offset = address & 0xffff_ffff;
            let number = (offset >> SHARED_SYMBOL_LOG2) as usize;
            let window = exec.window(number)?;
            let at = (offset & ((1 << SHARED_SYMBOL_LOG2) - 1)) as i64;
            return Some((number, at - window.address as i64, window.bytes));
        }
        let place = memory::locate(address, exec.memory.buffers.len(), exec.symbols.len())?;
        let len = exec.buffer(place.buffer).bytes.len();
        Some((place.buffer, place.offset, len))
    };
    let inside =
        |found: (usize, i64, usize)| usize::try_from(found.1).is_ok_and(|offset| offset <= found.2);
    if space == Space::Local {
        return None;
    }
    let holds = match (object(base), object(address)) {
        (Some(from), Some(to)) => from.0 == to.0 && inside(from) && inside(to),
        _ => false,
    };
    (!holds).then(|| {
        format!(
            "`inbounds` does not hold: the step from {base:#x} to {address:#x} leaves the buffer"
        )
    })
}

fn violation(promise: Promise, value: u64, a: u64, b: u64) -> Option<String> {
    match promise {
        Promise::Disjoint => (a & b != 0)
            .then(|| format!("`disjoint` does not hold: {a:#x} and {b:#x} have common bits")),
        Promise::NoSignedWrap(ideal, bits) => {
            let exact = ideal(bits, signed(a, bits).into(), signed(b, bits).into())?;
            (exact != i128::from(signed(value, bits)))
                .then(|| format!("`nsw` does not hold: {exact} does not fit i{bits}"))
        }
        Promise::NoUnsignedWrap(ideal, bits) => {
            let exact = ideal(bits, a.into(), b.into())?;
            (exact != i128::from(value))
                .then(|| format!("`nuw` does not hold: {exact} does not fit {bits} bits"))
        }
        Promise::Exact(rest, bits) => (rest(bits, a, b)? != 0).then(|| {
            format!("`exact` does not hold: {a:#x} divided or shifted by {b} has a remainder")
        }),
        Promise::NonNegative(bits) => (signed(a, bits) < 0)
            .then(|| format!("`nneg` does not hold: {} is negative", signed(a, bits))),
        Promise::FitsUnsigned(bits) => (a & !mask(bits) != 0)
            .then(|| format!("`nuw` does not hold: {a:#x} does not fit {bits} bits")),
        Promise::FitsSigned { from, to } => {
            let operand = signed(a, from);
            (operand != signed(a, to))
                .then(|| format!("`nsw` does not hold: {operand} does not fit i{to}"))
        }
        Promise::Range { bits, low, high } => {
            let m = mask(bits);
            let inside = value.wrapping_sub(low) & m < high.wrapping_sub(low) & m;
            (!inside).then(|| {
                let [v, low, high] = [value, low, high].map(|bound| signed(bound, bits));
                format!("`range` does not hold: {v} is outside of [{low}, {high})")
            })
        }
        Promise::NotBelow => (value < a)
            .then(|| format!("`nuw` does not hold: address {value:#x} is below the base {a:#x}")),
        Promise::ShiftBelow(bits) => (a >= u64::from(bits))
            .then(|| format!("shift amount {a} is out of range for an i{bits}")),
        Promise::Not {
            flag,
            operand,
            bits,
        } => (a == operand).then(|| {
            format!(
                "the result is poison: `{flag}` is set, and the operand is {}",
                signed(a, bits)
            )
        }),
        Promise::Converts { from, bits, signed } => {
            let number = from.to_f64(a);
            let size = 2f64.powi((bits - u32::from(signed)).cast_signed());
            let low = if signed { -size } else { 0.0 };
            // Truncation maps numbers above -1 to zero.
            let whole = number.trunc();
            let prefix = if signed { "" } else { "unsigned " };
            (!(low <= whole && whole < size)).then(|| {
                format!("conversion out of range: {number} does not fit an {prefix}i{bits}")
            })
        }
        Promise::Number {
            ty,
            no_nan,
            no_infinity,
        } => {
            let number = ty.to_f64(a);
            let flag = match () {
                () if no_nan && number.is_nan() => "nnan",
                () if no_infinity && number.is_infinite() => "ninf",
                () => return None,
            };
            Some(format!("`{flag}` does not hold: found {number}"))
        }
        Promise::Inside(_) => None,
    }
}
