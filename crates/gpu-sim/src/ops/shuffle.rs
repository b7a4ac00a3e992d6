//! Exchanges between lanes of a warp: NVIDIA's shuffles, votes and reductions with member masks, and AMD's ballot.

use super::atomic::Combine;
use super::convert::Trunc;
use super::integer::{self, IntBinaryOp};
use super::{Family, OpRow, float, needs, row};
use crate::code::Reg;
use crate::decode::{DecodeResult, Decoder, keyword};
use crate::error::FaultKind;
use crate::exec::{Exec, Instruction, Marks, PoisonEffect, Regs, is_active};
use crate::float::FloatTy;
use crate::ir::Operation;

pub(super) const FAMILY: Family = Family {
    title: "lanes of a warp: shuffles, votes, reductions",
    operations: &[ROWS],
    intrinsics: &[INTRINSICS],
};

const ROWS: &[OpRow] = &[
    row("nvvm.shfl.sync", |d, op| {
        let word = keyword(op.str("kind").unwrap_or(""));
        let Some(kind) = kind(word) else {
            let text = format!("unknown shuffle kind `{word}`; expected bfly, up, down or idx");
            return Err(d.malformed(op, text));
        };
        shuffle(
            d,
            op,
            kind,
            op.attribute("return_value_and_is_valid").is_some(),
        )
    }),
    row("nvvm.vote.sync", |d, op| {
        let word = keyword(op.str("kind").unwrap_or(""));
        let Some(answer) = vote(word) else {
            let text = format!("unknown vote kind `{word}`; expected any, all, uni or ballot");
            return Err(d.malformed(op, text));
        };
        let [mask, src] = d.scalars(op, [0, 1])?;
        let mask = Some(mask);
        let reg = d.emit(|dst| Vote {
            answer,
            dst,
            mask,
            src,
        });
        d.define(op, vec![reg])
    }),
    row("rocdl.ballot", |d, op| {
        let src = d.scalar(op, 0)?;
        let bits = d.result_slots(op)?[0].bits;
        let all = d.emit(|dst| Vote {
            answer: BALLOT,
            dst,
            mask: None,
            src,
        });
        let reg = d.emit(|dst| Trunc {
            bits,
            dst,
            src: all,
        });
        d.define(op, vec![reg])
    }),
    row("nvvm.redux.sync", |d, op| {
        let word = keyword(op.str("kind").unwrap_or(""));
        let nan = op.int("nan").is_some_and(|nan| nan != 0);
        let float = |of| Some(Combine::Float(of));
        let found = match (word, nan) {
            ("fmax", true) => float(&float::MAXIMUM),
            ("fmax", false) => float(&float::MAXNUM),
            ("fmin", true) => float(&float::MINIMUM),
            ("fmin", false) => float(&float::MINNUM),
            _ => {
                let known = REDUCTIONS.iter().find(|(name, _)| *name == word);
                known.map(|(_, of)| Combine::Bits(of.eval))
            }
        };
        let Some(of) = found else {
            let text = format!(
                "unknown reduction `{word}`; expected add, and, or, xor, max, min, umax, umin, fmax or fmin"
            );
            return Err(d.unsupported(op, text));
        };
        let [src, mask] = d.scalars(op, [0, 1])?;
        let reg = d.emit(|dst| Reduce {
            op: of,
            dst,
            mask,
            src,
        });
        d.define(op, vec![reg])
    })
    .needing(&needs::LANE_REDUCTIONS),
    row("nvvm.elect.sync", |d, op| {
        let mask = match op.operands.is_empty() {
            true => d.b.constant(0xffff_ffff),
            false => d.scalar(op, 0)?,
        };
        let reg = d.emit(|dst| Elect { dst, mask });
        d.define(op, vec![reg])
    })
    .needing(&needs::CLUSTERS),
];

/// Defines shuffle modes. Each mode has intrinsics that return only the shuffled value, and intrinsics that also
/// return a predicate, which is true if the source lane is in range.
macro_rules! shuffles {
    ($($name:ident $word:literal [$($one:literal)*] [$($pair:literal)*] $source:expr;)*) => {
        $(pub(crate) static $name: ShuffleKind = ShuffleKind { word: $word, source: $source };)*
        const KINDS: &[&ShuffleKind] = &[$(&$name),*];
        const INTRINSICS: &[OpRow] = &[
            $($(row($one, |d, op| shuffle(d, op, &$name, false)),)*
            $(row($pair, |d, op| shuffle(d, op, &$name, true)),)*)*
        ];
    };
}

shuffles! {
    BFLY "bfly" ["llvm.nvvm.shfl.sync.bfly.i32" "llvm.nvvm.shfl.sync.bfly.f32"]
        ["llvm.nvvm.shfl.sync.bfly.i32p" "llvm.nvvm.shfl.sync.bfly.f32p"]
        |of| of.up_to_last(i64::from(of.lane ^ of.offset));
    UP "up" ["llvm.nvvm.shfl.sync.up.i32" "llvm.nvvm.shfl.sync.up.f32"]
        ["llvm.nvvm.shfl.sync.up.i32p" "llvm.nvvm.shfl.sync.up.f32p"]
        |of| {
            let from = i64::from(of.lane) - i64::from(of.offset);
            (from, from >= i64::from(of.last))
        };
    DOWN "down" ["llvm.nvvm.shfl.sync.down.i32" "llvm.nvvm.shfl.sync.down.f32"]
        ["llvm.nvvm.shfl.sync.down.i32p" "llvm.nvvm.shfl.sync.down.f32p"]
        |of| of.up_to_last(i64::from(of.lane + of.offset));
    IDX "idx" ["llvm.nvvm.shfl.sync.idx.i32" "llvm.nvvm.shfl.sync.idx.f32"]
        ["llvm.nvvm.shfl.sync.idx.i32p" "llvm.nvvm.shfl.sync.idx.f32p"]
        |of| of.up_to_last(i64::from(of.lane & of.segment | of.offset & !of.segment & 31));
}

#[derive(Debug)]
pub(crate) struct ShuffleKind {
    word: &'static str,
    /// Computes the lane from which a given lane reads, and returns (source lane, true if the source lane is in
    /// range).
    source: fn(ShuffleRequest) -> (i64, bool),
}

pub(super) fn kind(word: &str) -> Option<&'static ShuffleKind> {
    KINDS.iter().copied().find(|kind| kind.word == word)
}

/// The inputs from which `ShuffleKind::source` computes the source lane of the lane `lane`.
struct ShuffleRequest {
    lane: u32,
    offset: u32,
    segment: u32,
    /// Bound of the source lane. For the mode `up`, it is the first lane of the segment, and for the other modes
    /// the last lane.
    last: u32,
}

impl ShuffleRequest {
    fn up_to_last(&self, from: i64) -> (i64, bool) {
        (from, from <= i64::from(self.last))
    }
}

/// Returns the error message of the operation `what` for the lane index `lane`. The index is outside a warp of
/// `lanes` lanes. Hardware reports no error, and uses the low bits of the index.
pub(super) fn out_of_warp(what: &str, lane: u64, lanes: u32) -> String {
    let lane = lane as u32;
    let last = lanes - 1;
    format!(
        "{what} has the lane index {}, expected 0 to {last}",
        lane.cast_signed()
    )
}

/// Returns the lane from which `lane` reads in `shfl.sync`, as defined in the PTX manual. The second result is true
/// if the source lane is in range. If it is out of range, `lane` reads its own value.
fn source(kind: &ShuffleKind, lane: u32, offset: u32, clamp: u32) -> (u32, bool) {
    let (limit, segment) = (clamp & 31, clamp >> 8 & 31);
    let (from, ok) = (kind.source)(ShuffleRequest {
        lane,
        offset: offset & 31,
        segment,
        last: (lane & segment) | (limit & !segment & 31),
    });
    (if ok { from as u32 } else { lane }, ok)
}

/// The `nvvm.shfl.sync` instruction. The register `valid`, if present, is set to true in each lane whose source
/// lane is in range.
#[derive(Debug)]
pub(crate) struct Shuffle {
    pub(crate) kind: &'static ShuffleKind,
    pub(crate) dst: Reg,
    pub(crate) valid: Option<Reg>,
    pub(crate) mask: Reg,
    pub(crate) src: Reg,
    pub(crate) offset: Reg,
    pub(crate) clamp: Reg,
}

impl Instruction for Shuffle {
    fn regs(&self) -> Regs {
        let writes: Vec<Reg> = [self.dst].into_iter().chain(self.valid).collect();
        Regs::new(writes, [self.mask, self.src, self.offset, self.clamp])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for (warp, lanes) in exec.active_warps() {
            let first = warp * exec.launch.machine.lanes_per_warp;
            exec.report.shuffles += 1;
            let mut checked = None;
            for &lane in &lanes {
                let members = exec.get(self.mask, lane);
                let own_in = members >> (lane - first) & 1 == 1;
                if checked != Some(members) || !own_in {
                    exec.check_members("shuffle", warp, &lanes, members, lane)?;
                    checked = Some(members);
                }
                let (from, ok) = source(
                    self.kind,
                    lane - first,
                    exec.get(self.offset, lane) as u32,
                    exec.get(self.clamp, lane) as u32,
                );
                let here = is_active(&lanes, first, first + from);
                if !here || members >> from & 1 == 0 {
                    let text = format!("shuffle reads lane {from}, which does not take part");
                    return Err(exec.fault(FaultKind::Divergence, lane, text));
                }
                let value = exec.get(self.src, first + from);
                exec.set(self.dst, lane, value);
                if let Some(valid) = self.valid {
                    exec.set(valid, lane, u64::from(ok));
                }
                let offset = exec.get(self.offset, lane);
                if offset > 31 {
                    exec.poison(self.dst, lane, || out_of_warp("shuffle", offset, 32));
                }
            }
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.exchanged(&[self.src])
    }

    fn moved(&self) -> Regs {
        Regs::new([self.dst], [self.src])
    }
}

fn shuffle(
    d: &mut Decoder<'_>,
    op: &Operation,
    kind: &'static ShuffleKind,
    pair: bool,
) -> DecodeResult {
    let [mask, src, offset, clamp] = d.scalars(op, [0, 1, 2, 3])?;
    let dst = d.b.reg();
    let valid = pair.then(|| d.b.reg());
    d.b.push(Shuffle {
        kind,
        dst,
        valid,
        mask,
        src,
        offset,
        clamp,
    });
    let results: Vec<Reg> = [dst].into_iter().chain(valid).collect();
    d.define(op, results)
}

/// A function that computes the result of a vote from two lane masks (`set`, `members`). `members` has the bits of
/// all lanes that take part, and `set` has the bits of those among them whose predicate is true.
pub(crate) type VoteResult = fn(u64, u64) -> u64;

const BALLOT: VoteResult = |set, _| set;

const VOTES: [(&str, VoteResult); 4] = [
    ("any", |set, _| u64::from(set != 0)),
    ("all", |set, members| u64::from(set == members)),
    ("uni", |set, members| u64::from(set == 0 || set == members)),
    ("ballot", BALLOT),
];

pub(crate) fn vote(word: &str) -> Option<VoteResult> {
    let found = VOTES.iter().find(|(name, _)| *name == word)?;
    Some(found.1)
}

/// The `nvvm.vote.sync` instruction, or AMD's ballot if `mask` is `None`. In AMD's ballot, all active lanes take
/// part.
#[derive(Debug)]
pub(crate) struct Vote {
    pub(crate) answer: VoteResult,
    pub(crate) dst: Reg,
    pub(crate) mask: Option<Reg>,
    pub(crate) src: Reg,
}

impl Instruction for Vote {
    fn regs(&self) -> Regs {
        let reads: Vec<Reg> = [self.src].into_iter().chain(self.mask).collect();
        Regs::new([self.dst], reads)
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for (warp, lanes) in exec.active_warps() {
            let first = warp * exec.launch.machine.lanes_per_warp;
            exec.report.shuffles += 1;
            let (mut here, mut bits) = (0, 0);
            for &lane in &lanes {
                here |= 1u64 << (lane - first);
                bits |= (exec.get(self.src, lane) & 1) << (lane - first);
            }
            for &lane in &lanes {
                let members = match self.mask {
                    Some(mask) => {
                        let members = exec.get(mask, lane);
                        exec.check_members("vote", warp, &lanes, members, lane)?;
                        members & here
                    }
                    None => here,
                };
                exec.set(self.dst, lane, (self.answer)(bits & members, members));
            }
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.require_defined()
    }
}

const REDUCTIONS: [(&str, &IntBinaryOp); 8] = [
    ("add", &integer::ADD),
    ("and", &integer::AND),
    ("or", &integer::OR),
    ("xor", &integer::XOR),
    ("max", &integer::SMAX),
    ("min", &integer::SMIN),
    ("umax", &integer::UMAX),
    ("umin", &integer::UMIN),
];

/// The `nvvm.redux.sync` instruction, which reduces 32-bit numbers over the lanes in `mask`.
#[derive(Debug)]
pub(crate) struct Reduce {
    pub(crate) op: Combine,
    pub(crate) dst: Reg,
    pub(crate) mask: Reg,
    pub(crate) src: Reg,
}

impl Instruction for Reduce {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.mask, self.src])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for (warp, lanes) in exec.active_warps() {
            let first = warp * exec.launch.machine.lanes_per_warp;
            exec.report.shuffles += 1;
            for &lane in &lanes {
                let members = exec.get(self.mask, lane);
                exec.check_members("reduction", warp, &lanes, members, lane)?;
                let values = lanes.iter().filter(|&&l| members >> (l - first) & 1 == 1);
                let values = values.map(|&l| exec.get(self.src, l));
                let value = values.reduce(|a, b| match self.op {
                    Combine::Bits(eval) => eval(32, a, b),
                    Combine::Float(of) => (of.eval)(FloatTy::F32, a, b),
                });
                exec.set(self.dst, lane, value.unwrap_or(0));
            }
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.require_defined()
    }
}

/// The `nvvm.elect.sync` instruction. The result is 1 in the lowest lane of the mask, and 0 in all other lanes.
#[derive(Debug)]
pub(crate) struct Elect {
    pub(crate) dst: Reg,
    pub(crate) mask: Reg,
}

impl Instruction for Elect {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.mask])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        for (warp, lanes) in exec.active_warps() {
            let first = warp * exec.launch.machine.lanes_per_warp;
            for &lane in &lanes {
                let members = exec.get(self.mask, lane);
                exec.check_members("election", warp, &lanes, members, lane)?;
                let leader = first + members.trailing_zeros();
                exec.set(self.dst, lane, u64::from(lane == leader));
            }
        }
        Ok(())
    }

    fn poison(&self, lane: &Marks<'_>) -> PoisonEffect {
        lane.require_defined()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_follow_the_manual() {
        let check = |kind: &ShuffleKind, lane, offset, clamp, expect| {
            assert_eq!(
                source(kind, lane, offset, clamp),
                expect,
                "{kind:?} {lane} {offset}"
            );
        };
        check(&BFLY, 5, 4, 0x1f, (1, true));
        check(&IDX, 5, 31, 0x1f, (31, true));
        check(&UP, 3, 4, 0, (3, false));
        check(&UP, 4, 4, 0, (0, true));
        check(&DOWN, 30, 1, 0x1f, (31, true));
        check(&DOWN, 31, 1, 0x1f, (31, false));
        // Segments of eight lanes: mask 0b11000.
        check(&IDX, 13, 2, 0x181f, (10, true));
        check(&DOWN, 15, 1, 0x181f, (15, false));
        check(&UP, 8, 1, 0x1800, (8, false));
    }
}
