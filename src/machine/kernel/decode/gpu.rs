//! Thread indices, barriers and cross-lane operations of NVVM and ROCDL.

use super::{Decoder, Done, Values};
use crate::machine::kernel::eval::mask;
use crate::machine::kernel::op::{
    FloatUnary, IntOp, IntPred, Op, PermuteMode, Reg, ShuffleKind, Special, VoteKind, WaveOp,
};
use crate::machine::kernel::text::Node;

/// Operations of this file, for suggestions.
pub(super) const NAMES: &[&str] = &[
    "nvvm.read.ptx.sreg.tid.x",
    "nvvm.read.ptx.sreg.ctaid.x",
    "nvvm.read.ptx.sreg.ntid.x",
    "nvvm.read.ptx.sreg.nctaid.x",
    "nvvm.read.ptx.sreg.laneid",
    "nvvm.read.ptx.sreg.warpid",
    "nvvm.barrier0",
    "nvvm.barrier",
    "nvvm.bar.warp.sync",
    "nvvm.shfl.sync",
    "nvvm.vote.sync",
    "nvvm.redux.sync",
    "nvvm.elect.sync",
    "nvvm.prmt",
    "nvvm.memory.barrier",
    "rocdl.workitem.id.x",
    "rocdl.workgroup.id.x",
    "rocdl.workgroup.dim.x",
    "rocdl.grid.dim.x",
    "rocdl.barrier",
    "rocdl.s.barrier",
    "rocdl.ds_bpermute",
    "rocdl.ds_swizzle",
    "rocdl.update.dpp",
    "rocdl.permlanex16",
    "rocdl.permlane16.swap",
    "rocdl.permlane32.swap",
    "rocdl.readfirstlane",
    "rocdl.readlane",
    "rocdl.ballot",
    "rocdl.mbcnt.lo",
    "rocdl.mbcnt.hi",
    "rocdl.sched.barrier",
    "rocdl.s.waitcnt",
    "llvm.call_intrinsic",
];

/// What a special register holds, by the operation that reads it.
fn special(name: &str) -> Option<Special> {
    let axis = |rest: &str| match rest {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        _ => None,
    };
    if let Some(rest) = name.strip_prefix("nvvm.read.ptx.sreg.") {
        let (head, tail) = rest.split_once('.').unwrap_or((rest, ""));
        return match (head, tail) {
            ("tid", tail) => Some(Special::Thread(axis(tail)?)),
            ("ntid", tail) => Some(Special::BlockSize(axis(tail)?)),
            ("ctaid", tail) => Some(Special::Block(axis(tail)?)),
            ("nctaid", tail) => Some(Special::GridSize(axis(tail)?)),
            ("laneid", _) => Some(Special::Lane),
            ("warpid", _) => Some(Special::Warp),
            ("warpsize", _) => Some(Special::WarpSize),
            ("nwarpid", _) => Some(Special::NumWarps),
            ("lanemask", "eq") => Some(Special::LaneMask(IntPred::Eq)),
            ("lanemask", "le") => Some(Special::LaneMask(IntPred::Ule)),
            ("lanemask", "lt") => Some(Special::LaneMask(IntPred::Ult)),
            ("lanemask", "ge") => Some(Special::LaneMask(IntPred::Uge)),
            ("lanemask", "gt") => Some(Special::LaneMask(IntPred::Ugt)),
            _ => None,
        };
    }
    let rest = name.strip_prefix("rocdl.")?;
    if rest == "wavefrontsize" {
        return Some(Special::WarpSize);
    }
    let (head, tail) = rest.rsplit_once('.')?;
    match head {
        "workitem.id" => Some(Special::Thread(axis(tail)?)),
        "workgroup.id" => Some(Special::Block(axis(tail)?)),
        "workgroup.dim" => Some(Special::BlockSize(axis(tail)?)),
        "grid.dim" => Some(Special::GridSize(axis(tail)?)),
        _ => None,
    }
}

fn permute_mode(text: &str) -> Option<PermuteMode> {
    let name = text.rsplit(['<', ' ']).next()?.trim_end_matches('>');
    Some(match name {
        "default" => PermuteMode::Default,
        "f4e" => PermuteMode::F4e,
        "b4e" => PermuteMode::B4e,
        "rc8" => PermuteMode::Rc8,
        "ecl" => PermuteMode::Ecl,
        "ecr" => PermuteMode::Ecr,
        "rc16" => PermuteMode::Rc16,
        _ => return None,
    })
}

/// The last word of an enum attribute: `bfly` of `#nvvm<shfl_kind bfly>`.
fn keyword(text: &str) -> &str {
    text.trim_end_matches('>')
        .rsplit(['<', ' '])
        .next()
        .unwrap_or("")
}

impl<'a> Decoder<'_, 'a> {
    /// Decodes an operation of the GPU dialects; `false` if it is none.
    pub(super) fn gpu(&mut self, op: &Node<'a>, values: &mut Values<'a>) -> Done<bool> {
        if let Some(what) = special(op.name) {
            let bits = self.flat(op, self.result_ty(op)?)?[0].bits;
            let reg = self.emit(|dst| Op::Special { dst, what });
            let reg = if bits < 32 {
                self.emit(|dst| Op::Trunc {
                    bits,
                    dst,
                    src: reg,
                })
            } else {
                reg
            };
            self.claim_range(op, bits, reg)?;
            self.define(op, vec![reg], values)?;
            return Ok(true);
        }
        if op.name.starts_with("nvvm.") {
            self.nvvm(op, values)
        } else if op.name.starts_with("rocdl.") {
            self.rocdl(op, values)
        } else if op.name == "llvm.call_intrinsic" {
            self.intrinsic(op, values)
        } else {
            Ok(false)
        }
    }

    fn nvvm(&mut self, op: &Node<'a>, values: &mut Values<'a>) -> Done<bool> {
        match op.name {
            "nvvm.barrier0" => self.b.push(Op::Barrier),
            "nvvm.barrier" => {
                let sizes = op
                    .ints("operandSegmentSizes")
                    .unwrap_or(&[0, 0, 0])
                    .to_vec();
                let named = sizes.first() == Some(&1) && {
                    let id = self.scalar(op, 0, values)?;
                    self.b.constant_of(id) != Some(0)
                };
                if named || sizes.get(1) == Some(&1) {
                    return Err(self.unsupported(
                        op,
                        "named barriers and barriers of a part of the block are not supported",
                    ));
                }
                match op.str("reductionOp") {
                    None => self.b.push(Op::Barrier),
                    Some(reduction) => {
                        let kind = match keyword(reduction) {
                            "and" => VoteKind::All,
                            "or" => VoteKind::Any,
                            _ => VoteKind::Ballot,
                        };
                        let last = op.operands.len() - 1;
                        let src = self.scalar(op, last, values)?;
                        let reg = self.emit(|dst| Op::BarrierReduce { kind, dst, src });
                        self.define(op, vec![reg], values)?;
                    }
                }
            }
            "nvvm.bar.warp.sync" => {
                let mask = self.scalar(op, 0, values)?;
                self.b.push(Op::WarpBarrier { mask });
            }
            "nvvm.shfl.sync" => {
                let kind = match keyword(op.str("kind").unwrap_or("")) {
                    "bfly" => ShuffleKind::Bfly,
                    "up" => ShuffleKind::Up,
                    "down" => ShuffleKind::Down,
                    "idx" => ShuffleKind::Idx,
                    other => return Err(self.malformed(op, format!("shuffle kind `{other}`"))),
                };
                self.shuffle(
                    op,
                    kind,
                    op.attr("return_value_and_is_valid").is_some(),
                    values,
                )?;
            }
            "nvvm.vote.sync" => {
                let kind = match keyword(op.str("kind").unwrap_or("")) {
                    "any" => VoteKind::Any,
                    "all" => VoteKind::All,
                    "uni" => VoteKind::Uni,
                    "ballot" => VoteKind::Ballot,
                    other => return Err(self.malformed(op, format!("vote kind `{other}`"))),
                };
                let (mask, src) = (
                    Some(self.scalar(op, 0, values)?),
                    self.scalar(op, 1, values)?,
                );
                let reg = self.emit(|dst| Op::Vote {
                    kind,
                    dst,
                    mask,
                    src,
                });
                self.define(op, vec![reg], values)?;
            }
            "nvvm.redux.sync" => {
                let kind = match keyword(op.str("kind").unwrap_or("")) {
                    "add" => IntOp::Add,
                    "and" => IntOp::And,
                    "or" => IntOp::Or,
                    "xor" => IntOp::Xor,
                    "max" => IntOp::SMax,
                    "min" => IntOp::SMin,
                    "umax" => IntOp::UMax,
                    "umin" => IntOp::UMin,
                    other => {
                        return Err(
                            self.unsupported(op, format!("reduction `{other}` is not supported"))
                        );
                    }
                };
                let (src, mask) = (self.scalar(op, 0, values)?, self.scalar(op, 1, values)?);
                let reg = self.emit(|dst| Op::Reduce {
                    op: kind,
                    dst,
                    mask,
                    src,
                });
                self.define(op, vec![reg], values)?;
            }
            "nvvm.elect.sync" => {
                let mask = if op.operands.is_empty() {
                    self.b.constant(0xffff_ffff)
                } else {
                    self.scalar(op, 0, values)?
                };
                let reg = self.emit(|dst| Op::Elect { dst, mask });
                self.define(op, vec![reg], values)?;
            }
            "nvvm.prmt" => {
                let Some(mode) = permute_mode(op.str("mode").unwrap_or("")) else {
                    return Err(self.malformed(op, "unknown permute mode"));
                };
                let a = self.scalar(op, 0, values)?;
                let last = op.operands.len() - 1;
                let b = if last == 2 {
                    self.scalar(op, 1, values)?
                } else {
                    self.b.constant(0)
                };
                let selector = self.scalar(op, last, values)?;
                let reg = self.emit(|dst| Op::Permute {
                    mode,
                    dst,
                    a,
                    b,
                    selector,
                });
                self.define(op, vec![reg], values)?;
            }
            "nvvm.rcp.approx.ftz.f" => self.unary_float(op, FloatUnary::Rcp, values)?,
            // Order inside a lane is kept anyway; order between lanes needs barriers.
            "nvvm.memory.barrier"
            | "nvvm.fence.proxy"
            | "nvvm.fence.sc.cluster"
            | "nvvm.prefetch"
            | "nvvm.fence.mbarrier.init"
            | "nvvm.griddepcontrol"
            | "nvvm.setmaxregister" => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn shuffle(
        &mut self,
        op: &Node<'a>,
        kind: ShuffleKind,
        pair: bool,
        values: &mut Values<'a>,
    ) -> Done {
        let [mask, src, offset, clamp] = [
            self.scalar(op, 0, values)?,
            self.scalar(op, 1, values)?,
            self.scalar(op, 2, values)?,
            self.scalar(op, 3, values)?,
        ];
        let dst = self.b.reg();
        let valid = pair.then(|| self.b.reg());
        self.b.push(Op::Shuffle {
            kind,
            dst,
            valid,
            mask,
            src,
            offset,
            clamp,
        });
        self.define(
            op,
            [dst].into_iter().chain(valid).collect::<Vec<_>>(),
            values,
        )
    }

    fn rocdl(&mut self, op: &Node<'a>, values: &mut Values<'a>) -> Done<bool> {
        let number = |name: &str| op.int(name).unwrap_or(0);
        match op.name {
            "rocdl.barrier" | "rocdl.s.barrier" => self.b.push(Op::Barrier),
            "rocdl.ds_bpermute" => {
                let index = self.scalar(op, 0, values)?;
                self.wave(op, WaveOp::Bpermute { index }, 1, values)?;
            }
            "rocdl.ds_swizzle" => {
                let pattern = self.scalar(op, 1, values)?;
                let Some(pattern) = self.b.constant_of(pattern) else {
                    return Err(
                        self.malformed(op, "the pattern of `rocdl.ds_swizzle` must be constant")
                    );
                };
                self.wave(
                    op,
                    WaveOp::Swizzle {
                        pattern: pattern as u32,
                    },
                    0,
                    values,
                )?;
            }
            "rocdl.update.dpp" => {
                let old = self.scalar(op, 0, values)?;
                let wave = WaveOp::Dpp {
                    old,
                    control: number("dppCtrl") as u32,
                    row_mask: number("rowMask") as u8,
                    bank_mask: number("bankMask") as u8,
                    bound_control: number("boundCtrl") != 0,
                };
                self.wave(op, wave, 1, values)?;
            }
            "rocdl.permlanex16" => {
                let [old, low, high] = [
                    self.scalar(op, 0, values)?,
                    self.scalar(op, 2, values)?,
                    self.scalar(op, 3, values)?,
                ];
                self.wave(
                    op,
                    WaveOp::Permlane16 {
                        old,
                        low,
                        high,
                        cross: true,
                    },
                    1,
                    values,
                )?;
            }
            "rocdl.permlane16.swap" | "rocdl.permlane32.swap" => {
                let rows = if op.name == "rocdl.permlane16.swap" {
                    16
                } else {
                    32
                };
                let (a, b) = (self.scalar(op, 0, values)?, self.scalar(op, 1, values)?);
                let dst = [self.b.reg(), self.b.reg()];
                self.b.push(Op::WaveSwap { rows, dst, a, b });
                self.define(op, dst.to_vec(), values)?;
            }
            "rocdl.readfirstlane" => self.wave(op, WaveOp::ReadFirstLane, 0, values)?,
            "rocdl.readlane" => {
                let lane = self.scalar(op, 1, values)?;
                self.wave(op, WaveOp::ReadLane { lane }, 0, values)?;
            }
            "rocdl.ballot" => {
                let src = self.scalar(op, 0, values)?;
                let bits = self.flat(op, self.result_ty(op)?)?[0].bits;
                let all = self.emit(|dst| Op::Vote {
                    kind: VoteKind::Ballot,
                    dst,
                    mask: None,
                    src,
                });
                let reg = self.emit(|dst| Op::Trunc {
                    bits,
                    dst,
                    src: all,
                });
                self.define(op, vec![reg], values)?;
            }
            "rocdl.mbcnt.lo" | "rocdl.mbcnt.hi" => {
                let high = op.name == "rocdl.mbcnt.hi";
                let (mask, base) = (self.scalar(op, 0, values)?, self.scalar(op, 1, values)?);
                let reg = self.emit(|dst| Op::MaskCount {
                    high,
                    dst,
                    mask,
                    base,
                });
                self.define(op, vec![reg], values)?;
            }
            // Scheduling and waiting: every access is complete when its instruction is.
            "rocdl.s.waitcnt"
            | "rocdl.s.sleep"
            | "rocdl.s.nop"
            | "rocdl.s.setprio"
            | "rocdl.sched.barrier"
            | "rocdl.sched.group.barrier"
            | "rocdl.iglp.opt"
            | "rocdl.s.wait.dscnt"
            | "rocdl.s.wait.loadcnt"
            | "rocdl.s.wait.storecnt"
            | "rocdl.s.wait.expcnt" => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A wave operation on operand `src`; wider or narrower values go in pieces of 32 bits.
    fn wave(&mut self, op: &Node<'a>, wave: WaveOp, src: usize, values: &mut Values<'a>) -> Done {
        let value = self.operand(op, src, values)?;
        let slots = self.flat(op, &value.ty)?;
        let total: u32 = slots.iter().map(|slot| slot.bits).sum();
        // The other registers of the operation are words, too; only the moved value may be wide.
        let pieces = total.div_ceil(32) as usize;
        let bits = slots[0].bits;
        let parts = if total < 32 {
            value.slots.to_vec()
        } else {
            self.repack(&value.slots, bits, 32, pieces)
        };
        if let (WaveOp::Dpp { .. } | WaveOp::Permlane16 { .. }, true) = (wave, parts.len() > 1) {
            return Err(self.unsupported(
                op,
                format!("`{}` on more than 32 bits is not supported", op.name),
            ));
        }
        let moved: Vec<Reg> = parts
            .into_iter()
            .map(|src| self.emit(|dst| Op::Wave { op: wave, dst, src }))
            .collect();
        let result = if total < 32 {
            moved
        } else {
            self.repack(&moved, 32, bits, slots.len())
        };
        self.define(op, result, values)
    }

    /// `llvm.call_intrinsic`: the intrinsics without an operation of their own.
    fn intrinsic(&mut self, op: &Node<'a>, values: &mut Values<'a>) -> Done<bool> {
        let name = op.str("intrin").unwrap_or("").to_owned();
        if let Some(rest) = name.strip_prefix("llvm.nvvm.shfl.sync.") {
            let (kind, rest) = rest.split_once('.').unwrap_or((rest, ""));
            let kind = match kind {
                "bfly" => ShuffleKind::Bfly,
                "up" => ShuffleKind::Up,
                "down" => ShuffleKind::Down,
                _ => ShuffleKind::Idx,
            };
            self.shuffle(op, kind, rest.ends_with('p'), values)?;
            return Ok(true);
        }
        let binary = |bits: u32, int: IntOp| Some((bits, int));
        let high = match name.as_str() {
            "llvm.nvvm.mulhi.ui" => binary(32, IntOp::UMulHigh),
            "llvm.nvvm.mulhi.i" => binary(32, IntOp::SMulHigh),
            "llvm.nvvm.mulhi.ull" => binary(64, IntOp::UMulHigh),
            "llvm.nvvm.mulhi.ll" => binary(64, IntOp::SMulHigh),
            _ => None,
        };
        if let Some((bits, int)) = high {
            let (a, b) = (self.scalar(op, 0, values)?, self.scalar(op, 1, values)?);
            let reg = self.emit(|dst| Op::Int {
                op: int,
                bits,
                dst,
                a,
                b,
            });
            self.define(op, vec![reg], values)?;
            return Ok(true);
        }
        match name.as_str() {
            "llvm.amdgcn.perm" | "llvm.nvvm.prmt" => {
                let [a, b, selector] = [
                    self.scalar(op, 0, values)?,
                    self.scalar(op, 1, values)?,
                    self.scalar(op, 2, values)?,
                ];
                let mode = PermuteMode::Default;
                let reg = if name == "llvm.nvvm.prmt" {
                    self.emit(|dst| Op::Permute {
                        mode,
                        dst,
                        a,
                        b,
                        selector,
                    })
                } else {
                    self.emit(|dst| Op::BytePermute {
                        dst,
                        a,
                        b,
                        selector,
                    })
                };
                self.define(op, vec![reg], values)?;
            }
            "llvm.amdgcn.ds.bpermute" => {
                let index = self.scalar(op, 0, values)?;
                self.wave(op, WaveOp::Bpermute { index }, 1, values)?;
            }
            "llvm.amdgcn.ds.permute" => {
                let index = self.scalar(op, 0, values)?;
                self.wave(op, WaveOp::Permute { index }, 1, values)?;
            }
            "llvm.amdgcn.permlane16"
            | "llvm.amdgcn.permlanex16"
            | "llvm.amdgcn.permlane16.i32"
            | "llvm.amdgcn.permlanex16.i32" => {
                let cross = name.contains("permlanex16");
                let [old, low, high] = [
                    self.scalar(op, 0, values)?,
                    self.scalar(op, 2, values)?,
                    self.scalar(op, 3, values)?,
                ];
                self.wave(
                    op,
                    WaveOp::Permlane16 {
                        old,
                        low,
                        high,
                        cross,
                    },
                    1,
                    values,
                )?;
            }
            "llvm.amdgcn.update.dpp"
            | "llvm.amdgcn.update.dpp.i32"
            | "llvm.amdgcn.mov.dpp"
            | "llvm.amdgcn.mov.dpp.i32" => {
                let update = name.contains("update");
                let first = usize::from(update);
                let fixed = |d: &Self, index: usize| -> Done<u64> {
                    let reg = d.scalar(op, first + index, values)?;
                    let bits = d.b.constant_of(reg);
                    bits.ok_or_else(|| d.malformed(op, "DPP controls must be constant"))
                };
                let [control, rows, banks, bound] = [
                    fixed(self, 1)?,
                    fixed(self, 2)?,
                    fixed(self, 3)?,
                    fixed(self, 4)?,
                ];
                let old = if update {
                    self.scalar(op, 0, values)?
                } else {
                    self.garbage(32)
                };
                let wave = WaveOp::Dpp {
                    old,
                    control: control as u32,
                    row_mask: (rows & mask(4)) as u8,
                    bank_mask: (banks & mask(4)) as u8,
                    bound_control: bound != 0,
                };
                self.wave(op, wave, first, values)?;
            }
            "llvm.nvvm.barrier0"
            | "llvm.nvvm.barrier.cta.sync.aligned.all"
            | "llvm.amdgcn.s.barrier" => {
                self.b.push(Op::Barrier);
            }
            "llvm.nvvm.bar.warp.sync" => {
                let mask = self.scalar(op, 0, values)?;
                self.b.push(Op::WarpBarrier { mask });
            }
            "llvm.amdgcn.wave.barrier"
            | "llvm.amdgcn.sched.barrier"
            | "llvm.amdgcn.s.waitcnt"
            | "llvm.assume" => {}
            _ => {
                if !self.library_call(op, &name, values)? {
                    let text = format!("intrinsic `{name}` is not supported");
                    return Err(self.unsupported(op, text));
                }
            }
        }
        Ok(true)
    }
}
