//! `mbarrier` in inline assembly.

use super::access::place;
use super::text::Arg;
use super::{Line, Scope};
use crate::code::Space;
use crate::decode::Done;
use crate::exec::MbarrierAddress;
use crate::ops::mbarrier::{Act, push};

/// The place of a barrier in shared memory.
pub(super) fn address(s: &mut Scope<'_, '_>, arg: &Arg) -> Done<MbarrierAddress> {
    let (addr, offset) = place(s, arg)?;
    Ok(MbarrierAddress {
        space: Space::Shared,
        addr,
        offset,
    })
}

/// `mbarrier.init.shared::cta.b64 [a], n`, `inval [a]`, `arrive _, [a]`, `arrive.expect_tx _, [a], bytes`.
pub(super) fn change(s: &mut Scope<'_, '_>, line: &Line<'_>) -> Done {
    let (at, act) = match (line.words[1], line.args) {
        ("init", [at, count]) => (at, Act::Init(s.read_sized(count, 32)?)),
        ("inval", [at]) => (at, Act::Invalidate),
        ("arrive", [_, at, bytes]) if line.says("expect_tx") => {
            let one = s.d.b.constant(1);
            (at, Act::Arrive(one, Some(s.read_sized(bytes, 32)?)))
        }
        ("arrive", [_, at, count]) => (at, Act::Arrive(s.read_sized(count, 32)?, None)),
        ("arrive", [_, at]) => (at, Act::Arrive(s.d.b.constant(1), None)),
        _ => return Err(s.malformed("inline assembly: no such `mbarrier`")),
    };
    let at = address(s, at)?;
    push(s.d, at, act, line.guard);
    Ok(())
}

/// `wait: mbarrier.try_wait.parity.shared::cta.b64 complete, [a], parity; @!complete bra.uni wait;`
pub(super) fn wait(s: &mut Scope<'_, '_>, line: &Line<'_>) -> Done {
    if !line.repeats {
        let text = "inline assembly: `mbarrier.try_wait` is supported in a loop that repeats it until it succeeds";
        return Err(s.unsupported(text));
    }
    let at = address(s, &line.args[1])?;
    let parity = s.read_sized(&line.args[2], 32)?;
    push(s.d, at, Act::Wait(parity), line.guard);
    let yes = s.d.b.constant(1);
    s.write(&line.args[0], yes, line.guard)
}
