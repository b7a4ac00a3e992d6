//! Tensor copies and tensor maps in inline assembly.

use super::access::{place, space};
use super::mbarrier;
use super::text::PtxOperand;
use super::{AsmScope, StatementParts};
use crate::code::Reg;
use crate::decode::DecodeResult;
use crate::exec::{Channel, MBARRIER_ORDER};
use crate::ops::copy;
use crate::ops::shuffle::Elect;
use crate::ops::tensor::{BoxCopyKind, MapFence, TensorCopy, publish, replace_field};
use gpu_race::{Scope, Sync};

/// Decodes a tensor copy. The opcode contains the rank of the tensor: it begins with `cp.async.bulk.tensor.2d` if
/// the rank is 2.
pub(super) fn copy_box(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let opcode = line.words.join(".");
    let tensor = line.args.iter().find_map(|arg| match arg {
        PtxOperand::Tensor(base, coordinates) => Some((base, coordinates)),
        _ => None,
    });
    let Some((base, coordinates)) = tensor else {
        return Err(s.malformed(format!("inline assembly: `{opcode}` has no coordinates")));
    };
    let said = line
        .words
        .iter()
        .find_map(|word| word.strip_suffix('d')?.parse().ok());
    if said != Some(coordinates.len()) || !(1..=5).contains(&coordinates.len()) {
        let text = format!(
            "inline assembly: `{opcode}` has {} coordinates, expected the rank in the opcode (1 to 5)",
            coordinates.len()
        );
        return Err(s.malformed(text));
    }
    let map = place(s, base)?;
    let start = coordinates.iter().map(|arg| s.read_sized(arg, 32));
    let start: Vec<Reg> = start.collect::<DecodeResult<_>>()?;
    // A cache policy is the last operand.
    let args = match line.args {
        [args @ .., _] if line.says("L2::cache_hint") => args,
        args => args,
    };
    let (args, pixel_offsets) = match args {
        [args @ .., PtxOperand::Vector(offsets)] if line.says("im2col") => (args, &offsets[..]),
        args => (args, &[][..]),
    };
    let pixel_offsets = pixel_offsets.iter().map(|arg| s.read_sized(arg, 16));
    let pixel_offsets: Vec<Reg> = pixel_offsets.collect::<DecodeResult<_>>()?;
    let (shared, direction) = match args {
        [to, _, barrier] => {
            s.d.b.has_atomic(crate::code::Space::Shared, MBARRIER_ORDER);
            (to, BoxCopyKind::Load(mbarrier::address(s, barrier)?))
        }
        [_, from] if line.says("add") => {
            let sync = Sync::relaxed(Scope::Device);
            s.d.b.has_atomic(crate::code::Space::Global, sync);
            (from, BoxCopyKind::Add)
        }
        [_, from] => (from, BoxCopyKind::Store),
        _ => {
            return Err(s.malformed(format!(
                "inline assembly: `{opcode}` has unexpected operands"
            )));
        }
    };
    let shared = place(s, shared)?;
    let scratch = s.d.b.reg();
    s.d.b.uses_async_proxy();
    s.d.b.push(TensorCopy {
        direction,
        map,
        start,
        pixel_offsets,
        shared,
        guard: line.guard,
        scratch,
    });
    Ok(())
}

/// Decodes `cp.async.bulk.commit_group` and `cp.async.bulk.wait_group{.read} n`.
pub(super) fn group(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    s.unguarded(line)?;
    match line.args {
        [] => copy::close(s.d, Channel::Bulk),
        [PtxOperand::Immediate(most)] if u32::try_from(*most).is_ok() => {
            copy::wait_for(s.d, *most as u32, line.says("read"))
        }
        _ => Err(
            s.malformed("inline assembly: `cp.async.bulk.wait_group` requires a number of groups")
        ),
    }
}

/// Decodes `tensormap.replace.tile`, such as `tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [a], 1, $1`.
pub(super) fn replace(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let (addr, offset) = place(s, &line.args[0])?;
    let (index, value) = match line.args {
        [_, PtxOperand::Immediate(index), value] => (*index, value),
        [_, value] => (0, value),
        _ => return Err(s.malformed("inline assembly: the dimension operand is not a number")),
    };
    let value = s.read_sized(value, line.bits)?;
    let to = (space(line), addr, offset);
    match replace_field(s.d, to, line.words[3], index, value, line.guard) {
        true => Ok(()),
        false => {
            let text = format!(
                "inline assembly: field `{}` of a tensor map has no entry {index}",
                line.words[3]
            );
            Err(s.malformed(text))
        }
    }
}

/// Decodes `tensormap.cp_fenceproxy`, which copies a tensor map from shared memory to global memory. An example is
/// `tensormap.cp_fenceproxy.global.shared::cta... [to], [from], 128`.
pub(super) fn copy_map(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    s.unguarded(line)?;
    whole_map(s, line)?;
    let (to, from) = (place(s, &line.args[0])?, place(s, &line.args[1])?);
    let mask = s.d.b.constant(0xffff_ffff);
    let leader = s.d.emit(|dst| Elect { dst, mask });
    publish(s.d, to, from, leader);
    Ok(())
}

/// Decodes a fence of the tensor-map proxy. A release fence emits no instruction, since
/// `tensormap.cp_fenceproxy` includes the release.
pub(super) fn fence_map(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    s.unguarded(line)?;
    if line.args.is_empty() {
        return Ok(());
    }
    whole_map(s, line)?;
    let map = place(s, &line.args[0])?;
    s.d.b.push(MapFence {
        map,
        guard: None,
        acquires: true,
    });
    Ok(())
}

/// Checks that the last operand, a size in bytes, is 128, the size of a tensor map. Returns an error otherwise.
fn whole_map(s: &AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    match line.args.last() {
        Some(PtxOperand::Immediate(128)) => Ok(()),
        _ => Err(s.malformed("inline assembly: the size operand of a tensor map is not 128")),
    }
}

/// Decodes `elect.sync`, such as `elect.sync _|p, 0xffffffff`.
pub(super) fn elect(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    s.unguarded(line)?;
    let mask = s.read_sized(&line.args[2], 32)?;
    let leader = s.d.emit(|dst| Elect { dst, mask });
    s.write(&line.args[1], leader, None)
}
