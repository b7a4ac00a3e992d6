//! `mbarrier` in inline assembly.

use super::access::place;
use super::text::PtxOperand;
use super::{AsmScope, StatementParts};
use crate::code::Space;
use crate::decode::DecodeResult;
use crate::exec::MbarrierAddress;
use crate::ops::mbarrier::{MbarrierAction, push};

pub(super) fn address(s: &mut AsmScope<'_, '_>, arg: &PtxOperand) -> DecodeResult<MbarrierAddress> {
    let (addr, offset) = place(s, arg)?;
    Ok(MbarrierAddress {
        space: Space::Shared,
        addr,
        offset,
    })
}

/// Decodes the mbarrier operations `init`, `inval`, `arrive` and `arrive.expect_tx`. Examples are
/// `mbarrier.init.shared::cta.b64 [a], n` and `mbarrier.arrive.expect_tx.shared::cta.b64 _, [a], bytes`.
pub(super) fn change(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    let (at, act) = match (line.words[1], line.args) {
        ("init", [at, count]) => (at, MbarrierAction::Init(s.read_sized(count, 32)?)),
        ("inval", [at]) => (at, MbarrierAction::Invalidate),
        ("arrive", [_, at, bytes]) if line.says("expect_tx") => {
            let one = s.d.b.constant(1);
            (
                at,
                MbarrierAction::Arrive(one, Some(s.read_sized(bytes, 32)?)),
            )
        }
        ("arrive", [_, at, count]) => (at, MbarrierAction::Arrive(s.read_sized(count, 32)?, None)),
        ("arrive", [_, at]) => (at, MbarrierAction::Arrive(s.d.b.constant(1), None)),
        _ => return Err(s.malformed("inline assembly: unknown form of `mbarrier`")),
    };
    let at = address(s, at)?;
    push(s.d, at, act, line.guard);
    Ok(())
}

/// Decodes a loop that waits for an mbarrier phase:
/// `wait: mbarrier.try_wait.parity.shared::cta.b64 complete, [a], parity; @!complete bra.uni wait;`. Returns an
/// error if the statement is not in such a loop.
pub(super) fn wait(s: &mut AsmScope<'_, '_>, line: &StatementParts<'_>) -> DecodeResult {
    if !line.repeats {
        let text = "inline assembly: `mbarrier.try_wait` is not in a loop that repeats until the phase \
            completes";
        return Err(s.unsupported(text));
    }
    let at = address(s, &line.args[1])?;
    let parity = s.read_sized(&line.args[2], 32)?;
    push(s.d, at, MbarrierAction::Wait(parity), line.guard);
    let yes = s.d.b.constant(1);
    s.write(&line.args[0], yes, line.guard)
}
