//! Loads and stores in inline assembly.

use super::text::PtxOperand;
use super::{AsmScope, StatementParts};
use crate::code::{Reg, Space};
use crate::decode::DecodeResult;
use crate::exec::{Access, Field};
use crate::ops::convert::SignExtend;
use crate::ops::memory::{GuardedLoad, Load, Store};
use crate::ops::order::words_of_ptx;
use gpu_race::Sync;

/// Returns the memory order of an atomic statement, and records that the program contains an atomic access. Returns
/// `None` for a statement that is not atomic.
pub(super) fn note_order(scope: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> Option<Sync> {
    let sync = words_of_ptx(&line.words)?;
    scope.d.b.has_atomic(space(line), sync);
    Some(sync)
}

/// Decodes `ld` and `st`. The data is one element of 8 to 64 bits, or a vector (`v2` or `v4`) of such elements.
pub(super) fn access(scope: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let sync = note_order(scope, line);
    let load = line.words[0] == "ld";
    let space = space(line);
    let (data, address) = match load {
        true => (&line.args[0], &line.args[1]),
        false => (&line.args[1], &line.args[0]),
    };
    let (addr, offset) = place(scope, address)?;
    let parts = parts(data);
    let bytes = line.bits / 8;
    let size = bytes * parts.len() as u32;
    let mut fields = Vec::new();
    // Inactive lanes keep their registers.
    let mut fallback = Vec::new();
    for (part, index) in parts.iter().zip(0..) {
        let reg = if load {
            let reg = scope.d.b.reg();
            if line.guard.is_some() {
                fallback.push(scope.read(part)?);
            }
            reg
        } else {
            scope.read_sized(part, line.bits)?
        };
        fields.push(Field {
            reg,
            offset: bytes * index,
            bytes: bytes as u8,
        });
    }
    let regs: Vec<Reg> = fields.iter().map(|field| field.reg).collect();
    let access = Access {
        space,
        addr,
        offset,
        fields: fields.into(),
        size,
        align: size,
        guard: line.guard,
        sync,
    };
    if !load {
        scope.d.b.push(Store(access));
        return Ok(());
    }
    match fallback.is_empty() {
        true => scope.d.b.push(Load(access)),
        false => scope.d.b.push(GuardedLoad {
            access,
            fallback: fallback.into(),
        }),
    }
    for (part, mut reg) in parts.iter().zip(regs) {
        if line.signed && line.bits < 32 {
            let src = reg;
            reg = scope.d.emit(|dst| SignExtend {
                from: line.bits,
                to: 32,
                dst,
                src,
            });
        }
        // The load has already kept the registers of inactive lanes.
        scope.write(part, reg, None)?;
    }
    Ok(())
}

/// Returns the memory space that the modifiers name, or the generic space if they name none.
pub(super) fn space(line: &StatementParts<'_>) -> Space {
    line.words.iter().fold(Space::Generic, |space, word| {
        match word.split("::").next().unwrap_or(word) {
            "global" => Space::Global,
            "shared" => Space::Shared,
            _ => space,
        }
    })
}

/// Returns the base register and the byte offset of the address operand `address`.
pub(super) fn place(
    scope: &mut AsmScope<'_, '_>,
    address: &PtxOperand,
) -> DecodeResult<(Reg, i64)> {
    let PtxOperand::Address(base, offset) = address else {
        return Err(scope.malformed(
            "inline assembly: an operand is not an address; write `[register + offset]`",
        ));
    };
    Ok((scope.read(base)?, *offset))
}

pub(super) fn parts(data: &PtxOperand) -> Vec<PtxOperand> {
    match data {
        PtxOperand::Vector(parts) => parts.clone(),
        other => vec![other.clone()],
    }
}
