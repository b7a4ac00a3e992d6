//! `atom` and `red` in inline assembly. Vectors and packed halves are accessed element by element.

use super::access::note_order;
use super::access::{parts, place, space};
use super::text::{PtxOperand, float_type};
use super::{AsmScope, StatementParts};
use crate::code::Reg;
use crate::decode::DecodeResult;
use crate::exec::{AtomicOperand, Move};
use crate::ops::atomic::{Atomic, Combine, CompareExchange};
use crate::ops::convert::repack;
use crate::ops::{float, integer};

const NAMES: [&str; 7] = ["add", "and", "or", "xor", "min", "max", "exch"];

fn combine(line: &StatementParts<'_>, is_float: bool) -> Option<Combine> {
    let name = line.words.iter().find(|word| NAMES.contains(word))?;
    Some(match (*name, line.signed) {
        ("add", _) if is_float => Combine::Float(&float::ADD),
        ("add", _) => Combine::Bits(integer::ADD.eval),
        ("and", _) => Combine::Bits(integer::AND.eval),
        ("or", _) => Combine::Bits(integer::OR.eval),
        ("xor", _) => Combine::Bits(integer::XOR.eval),
        ("min", true) => Combine::Bits(integer::SMIN.eval),
        ("min", false) => Combine::Bits(integer::UMIN.eval),
        ("max", true) => Combine::Bits(integer::SMAX.eval),
        ("max", false) => Combine::Bits(integer::UMAX.eval),
        _ => Combine::Bits(|_, _, new| new),
    })
}

/// Creates `count` registers that receive the old values of an atomic operation. If the statement has a guard, the
/// value of the result operand `into` is first copied to these registers. Lanes that do not execute the operation
/// then keep this value.
fn found(
    scope: &mut AsmScope<'_, '_>,
    line: &StatementParts<'_>,
    into: Option<&PtxOperand>,
    count: usize,
) -> DecodeResult<Vec<Reg>> {
    let regs = scope.d.b.regs(count);
    if let (Some(into), Some(_)) = (into, line.guard) {
        let old = scope.read(into)?;
        let width = line.bits / count as u32;
        let old = repack(scope.d, &[old], line.bits, width, count);
        for (&dst, src) in regs.iter().zip(old) {
            scope.d.b.push(Move { dst, src });
        }
    }
    Ok(regs)
}

/// Decodes `atom`, which returns the old value, and `red`, which does not.
pub(super) fn change(scope: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let Some(sync) = note_order(scope, line) else {
        return Err(scope.malformed("inline assembly: an atomic access without an order"));
    };
    let gives = line.words[0] == "atom";
    let (results, address, values) = match line.args {
        [result, address, values] if gives => (parts(result), address, values),
        [address, values] => (Vec::new(), address, values),
        _ => return Err(scope.malformed("inline assembly: an atomic access without an address")),
    };
    let (addr, start) = place(scope, address)?;
    let type_ = line.words.last().copied().unwrap_or_default();
    // Two packed halves are two elements.
    let (type_, halves) = match type_.strip_suffix("x2") {
        Some(half) => (half, 2),
        None => (type_, 1),
    };
    let float = float_type(type_);
    let Some(combine) = combine(line, float.is_some()) else {
        return Err(scope.malformed("inline assembly: an atomic access without a known operation"));
    };
    let bits = line.bits / halves as u32;
    for (i, value) in (0..).zip(parts(values)) {
        let value = scope.read_sized(&value, line.bits)?;
        let values = repack(scope.d, &[value], line.bits, bits, halves);
        let regs = found(scope, line, results.get(i), halves)?;
        for (half, (&dst, value)) in (0..).zip(regs.iter().zip(values)) {
            let before = i64::from(line.bits / 8) * i as i64 + i64::from(bits / 8) * half;
            let place = AtomicOperand {
                space: space(line),
                addr,
                offset: start + before,
                bits,
                guard: line.guard,
                sync,
            };
            scope.d.b.push(Atomic {
                combine,
                float,
                dst,
                place,
                value,
            });
        }
        if let Some(result) = results.get(i) {
            let whole = repack(scope.d, &regs, bits, line.bits, 1)[0];
            // The access has already kept the registers of inactive lanes.
            scope.write(result, whole, None)?;
        }
    }
    Ok(())
}

pub(super) fn compare(scope: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let Some(sync) = note_order(scope, line) else {
        return Err(scope.malformed("inline assembly: an atomic access without an order"));
    };
    let (addr, offset) = place(scope, &line.args[1])?;
    let [expected, value] = scope.sources(line)?;
    let dst = found(scope, line, Some(&line.args[0]), 1)?[0];
    let success = scope.d.b.reg();
    let place = AtomicOperand {
        space: space(line),
        addr,
        offset,
        bits: line.bits,
        guard: line.guard,
        sync,
    };
    scope.d.b.push(CompareExchange {
        dst,
        success,
        place,
        expected,
        value,
        acquires_on_failure: sync.acquires,
    });
    scope.write(&line.args[0], dst, None)
}
