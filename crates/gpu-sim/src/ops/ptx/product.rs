//! `wgmma` in inline assembly.

use super::text::PtxOperand;
use super::{AsmScope, StatementParts};
use crate::code::Reg;
use crate::decode::DecodeResult;
use crate::ops::product::wgmma::{Factor, Order, ScaleD, Types, Wgmma, order};

/// Decodes `wgmma.fence`, `wgmma.commit_group` and `wgmma.wait_group n`.
pub(super) fn ordered(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    s.unguarded(line)?;
    let what = match (line.words[1], line.args.first()) {
        ("fence", _) => Order::Fence,
        ("commit_group", _) => Order::Commit,
        (_, Some(PtxOperand::Immediate(most))) if u32::try_from(*most).is_ok() => {
            Order::Wait(*most as u32)
        }
        _ => {
            return Err(
                s.malformed("inline assembly: `wgmma.wait_group` requires a number of groups")
            );
        }
    };
    order(s.d, what)
}

/// Decodes `wgmma.mma_async`, such as
/// `wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {d...}, descA, descB, p, 1, 1, 0, 0`.
pub(super) fn multiply(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    s.unguarded(line)?;
    let opcode = line.words.join(".");
    let [.., shape, sum, a, b] = line.words[..] else {
        return Err(s.malformed(format!("inline assembly: `{opcode}` has no shape")));
    };
    let types = Types::of(sum, a, b)
        .ok_or_else(|| s.malformed(format!("inline assembly: `{opcode}` has unsupported types")))?;
    let n = shape.split(['n', 'k']).nth(1).and_then(|n| n.parse().ok());
    let is_size = |n: &u32| {
        let step = if types.are_integers() && *n > 32 {
            16
        } else {
            8
        };
        (8..=256).contains(n) && n.is_multiple_of(step)
    };
    let n = n.filter(is_size).ok_or_else(|| {
        s.malformed(format!(
            "inline assembly: `{opcode}`: unsupported n; expected a multiple of 8 from 8 to 256"
        ))
    })?;
    let PtxOperand::Vector(results) = &line.args[0] else {
        return Err(s.malformed(format!(
            "inline assembly: `{opcode}`: D is not a list of registers"
        )));
    };
    if results.len() as u32 != types.sum_registers(n) {
        let text = format!(
            "inline assembly: `{opcode}`: D has {} registers, expected {}",
            results.len(),
            types.sum_registers(n)
        );
        return Err(s.malformed(text));
    }
    let numbers = line.args[4..].iter().map(|arg| match arg {
        PtxOperand::Immediate(value) => Ok(*value),
        _ => Err(s.malformed(format!(
            "inline assembly: `{opcode}`: a flag is not a number"
        ))),
    });
    let numbers: Vec<u64> = numbers.collect::<DecodeResult<_>>()?;
    let (scales, flags) = numbers.split_at(numbers.len().min(2));
    if scales.iter().any(|scale| *scale != 1) {
        let text = "inline assembly: `wgmma` with a scale of A or B that is not 1 is not supported";
        return Err(s.unsupported(text));
    }
    if flags.iter().any(|flag| *flag > 1) {
        return Err(s.malformed(format!(
            "inline assembly: `{opcode}`: a transpose flag is not 0 or 1"
        )));
    }
    let a = match &line.args[1] {
        PtxOperand::Vector(parts) if parts.len() == 4 => {
            let registers: DecodeResult<Vec<Reg>> = parts.iter().map(|part| s.read(part)).collect();
            Factor::Registers(registers?)
        }
        PtxOperand::Vector(parts) => {
            let text = format!(
                "inline assembly: `{opcode}`: A has {} registers, expected 4",
                parts.len()
            );
            return Err(s.malformed(text));
        }
        descriptor => Factor::Shared(s.read(descriptor)?),
    };
    let is_transposed = match (&a, flags) {
        (_, []) => [false, false],
        (Factor::Registers(_), [b, ..]) => [false, *b == 1],
        (Factor::Shared(_), flags) => [0, 1].map(|at| flags.get(at) == Some(&1)),
    };
    let b = s.read(&line.args[2])?;
    let scale = match &line.args[3] {
        PtxOperand::Immediate(0) => ScaleD::Zero,
        PtxOperand::Immediate(1) => ScaleD::One,
        PtxOperand::Immediate(found) => {
            let text = format!("inline assembly: `{opcode}`: scale-d is {found}, expected 0 or 1");
            return Err(s.malformed(text));
        }
        predicate => ScaleD::If(s.read(predicate)?),
    };
    let sum = match scale {
        ScaleD::Zero => Vec::new(),
        _ => results
            .iter()
            .map(|part| s.read(part))
            .collect::<DecodeResult<_>>()?,
    };
    let dst = s.d.b.regs(results.len());
    let scratch = s.d.b.reg();
    s.d.b.uses_async_proxy();
    s.d.b.push(Wgmma {
        types,
        n,
        dst: dst.clone(),
        sum,
        scale,
        a,
        b,
        is_transposed,
        scratch,
    });
    results
        .iter()
        .zip(dst)
        .try_for_each(|(part, reg)| s.write(part, reg, None))
}
