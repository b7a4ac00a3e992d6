//! Operations between the lanes of a warp.

use super::error::{FaultKind, KernelError};
use super::eval;
use super::exec::Exec;
use super::op::{Op, Reg, ShuffleKind, VoteKind, WaveOp};

impl Exec<'_> {
    /// The lane (within the warp) list of a member mask, all of which must be here.
    fn check_members(
        &self,
        what: &str,
        warp: u32,
        lanes: &[u32],
        mask: u64,
        own: u32,
    ) -> Result<(), KernelError> {
        let per_warp = self.launch.machine.lanes_per_warp;
        if mask >> (own % per_warp) & 1 == 0 {
            let text = format!("{what}: the lane is not in its own mask {mask:#010x}");
            return Err(self.fault(FaultKind::Divergence, own, text));
        }
        for member in (0..per_warp).filter(|lane| mask >> lane & 1 == 1) {
            let lane = warp * per_warp + member;
            let absent = lane >= self.num_threads || self.is_exited(lane);
            if !absent && lanes.binary_search(&lane).is_err() {
                let text = format!(
                    "{what} in divergent code: mask {mask:#010x} names lane {member}, which does not reach it"
                );
                return Err(self.fault(FaultKind::Divergence, own, text));
            }
        }
        Ok(())
    }

    /// Executes a cross-lane instruction, warp by warp.
    pub(super) fn warp_op(&mut self, op: &Op) -> Result<(), KernelError> {
        let per_warp = self.launch.machine.lanes_per_warp;
        for (warp, lanes) in self.active_warps() {
            let first = warp * per_warp;
            match *op {
                Op::WarpBarrier { mask } => {
                    for &lane in &lanes {
                        let mask = self.get(mask, lane);
                        self.check_members("warp barrier", warp, &lanes, mask, lane)?;
                    }
                    self.warp_epochs[warp as usize] += 1;
                    self.report.warp_barriers += 1;
                }
                Op::Shuffle {
                    kind,
                    dst,
                    valid,
                    mask,
                    src,
                    offset,
                    clamp,
                } => {
                    self.report.shuffles += 1;
                    let mut checked = None;
                    for &lane in &lanes {
                        let members = self.get(mask, lane);
                        let own_in = members >> (lane - first) & 1 == 1;
                        if checked != Some(members) || !own_in {
                            self.check_members("shuffle", warp, &lanes, members, lane)?;
                            checked = Some(members);
                        }
                        let own = lane - first;
                        let (from, ok) = shuffle_source(
                            kind,
                            own,
                            self.get(offset, lane) as u32,
                            self.get(clamp, lane) as u32,
                        );
                        let from = first + from;
                        if lanes.binary_search(&from).is_err() || members >> (from - first) & 1 == 0
                        {
                            let text = format!(
                                "shuffle reads lane {}, which does not take part",
                                from - first
                            );
                            return Err(self.fault(FaultKind::Divergence, lane, text));
                        }
                        let value = self.get(src, from);
                        self.set(dst, lane, value);
                        if let Some(valid) = valid {
                            self.set(valid, lane, u64::from(ok));
                        }
                    }
                }
                Op::Vote {
                    kind,
                    dst,
                    mask,
                    src,
                } => {
                    self.report.shuffles += 1;
                    let bits = lanes.iter().fold(0u64, |bits, &lane| {
                        bits | (self.get(src, lane) & 1) << (lane - first)
                    });
                    let here = lanes
                        .iter()
                        .fold(0u64, |bits, &lane| bits | 1 << (lane - first));
                    for &lane in &lanes {
                        let members = match mask {
                            Some(mask) => {
                                let members = self.get(mask, lane);
                                self.check_members("vote", warp, &lanes, members, lane)?;
                                members & here
                            }
                            None => here,
                        };
                        let set = bits & members;
                        let value = match kind {
                            VoteKind::Any => u64::from(set != 0),
                            VoteKind::All => u64::from(set == members),
                            VoteKind::Uni => u64::from(set == 0 || set == members),
                            VoteKind::Ballot => set,
                        };
                        self.set(dst, lane, value);
                    }
                }
                Op::Reduce { op, dst, mask, src } => {
                    self.report.shuffles += 1;
                    for &lane in &lanes {
                        let members = self.get(mask, lane);
                        self.check_members("reduction", warp, &lanes, members, lane)?;
                        let values = lanes.iter().filter(|&&l| members >> (l - first) & 1 == 1);
                        let values = values.map(|&l| self.get(src, l));
                        let value = values.reduce(|a, b| eval::int(op, 32, a, b)).unwrap_or(0);
                        self.set(dst, lane, value);
                    }
                }
                Op::Elect { dst, mask } => {
                    for &lane in &lanes {
                        let members = self.get(mask, lane);
                        self.check_members("election", warp, &lanes, members, lane)?;
                        let leader = first + members.trailing_zeros();
                        self.set(dst, lane, u64::from(lane == leader));
                    }
                }
                Op::Wave { op, dst, src } => {
                    self.report.shuffles += 1;
                    self.wave(op, dst, src, first, &lanes)?;
                }
                Op::WaveSwap {
                    rows,
                    dst: [dst_a, dst_b],
                    a,
                    b,
                } => {
                    self.report.shuffles += 1;
                    for &lane in &lanes {
                        let other = first + ((lane - first) ^ rows);
                        let odd = (lane - first) & rows != 0;
                        // The odd rows of `a` and the even rows of `b` change places.
                        let moved = self.wave_get(if odd { b } else { a }, other, &lanes);
                        let moved = moved.unwrap_or(0);
                        let kept = self.get(if odd { b } else { a }, lane);
                        let (new_a, new_b) = if odd { (moved, kept) } else { (kept, moved) };
                        self.set(dst_a, lane, new_a);
                        self.set(dst_b, lane, new_b);
                    }
                }
                Op::MaskCount {
                    high,
                    dst,
                    mask,
                    base,
                } => {
                    for &lane in &lanes {
                        let own = lane - first;
                        let below = match (high, own < 32) {
                            (false, true) => eval::mask(own),
                            (false, false) => 0xffff_ffff,
                            (true, true) => 0,
                            (true, false) => eval::mask(own - 32),
                        };
                        let count = u64::from((self.get(mask, lane) & below).count_ones());
                        let value = self.get(base, lane).wrapping_add(count) & 0xffff_ffff;
                        self.set(dst, lane, value);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The value in another lane, if that lane is active.
    fn wave_get(&self, reg: Reg, lane: u32, lanes: &[u32]) -> Option<u64> {
        lanes
            .binary_search(&lane)
            .is_ok()
            .then(|| self.get(reg, lane))
    }

    fn wave(
        &mut self,
        op: WaveOp,
        dst: Reg,
        src: Reg,
        first: u32,
        lanes: &[u32],
    ) -> Result<(), KernelError> {
        let size = self.launch.machine.lanes_per_warp;
        if let WaveOp::Permute { index } = op {
            for &lane in lanes {
                self.set(dst, lane, 0);
            }
            for &lane in lanes {
                let to = first + (self.get(index, lane) as u32 >> 2) % size;
                let value = self.get(src, lane);
                if lanes.binary_search(&to).is_ok() {
                    self.set(dst, to, value);
                }
            }
            return Ok(());
        }
        for &lane in lanes {
            let own = lane - first;
            let value = match op {
                WaveOp::Bpermute { index } => {
                    let from = first + (self.get(index, lane) as u32 >> 2) % size;
                    self.wave_get(src, from, lanes).unwrap_or(0)
                }
                WaveOp::Swizzle { pattern } => match swizzle_source(pattern, own) {
                    Some(from) => self.wave_get(src, first + from, lanes).unwrap_or(0),
                    None => {
                        let text = format!("ds_swizzle pattern {pattern:#06x} is not supported")
                            + " (bit-mask, quad and rotate patterns are)";
                        return Err(self.fault(FaultKind::Unsupported, lane, text));
                    }
                },
                WaveOp::Dpp {
                    old,
                    control,
                    row_mask,
                    bank_mask,
                    bound_control,
                } => {
                    let enabled =
                        row_mask >> (own / 16) & 1 == 1 && bank_mask >> (own % 16 / 4) & 1 == 1;
                    let Some(from) = dpp_source(control, own, size) else {
                        let text = format!("DPP control {control:#x} is not supported");
                        return Err(self.fault(FaultKind::Unsupported, lane, text));
                    };
                    let read = from.and_then(|from| self.wave_get(src, first + from, lanes));
                    match (enabled, read) {
                        (true, Some(value)) => value,
                        (true, None) if bound_control => 0,
                        _ => self.get(old, lane),
                    }
                }
                WaveOp::Permlane16 {
                    old,
                    low,
                    high,
                    cross,
                } => {
                    let selectors = if own % 16 < 8 { low } else { high };
                    let nibble = self.get(selectors, lane) >> (own % 8 * 4) & 0xf;
                    let row = (own / 16) ^ u32::from(cross);
                    let from = first + row * 16 + nibble as u32;
                    self.wave_get(src, from, lanes)
                        .unwrap_or(self.get(old, lane))
                }
                WaveOp::ReadFirstLane => self.get(src, lanes[0]),
                WaveOp::ReadLane { lane: index } => {
                    let from = first + self.get(index, lanes[0]) as u32 % size;
                    self.get(src, from.min(self.num_threads - 1))
                }
                WaveOp::Permute { .. } => continue,
            };
            self.set(dst, lane, value);
        }
        Ok(())
    }
}

/// The source lane of `shfl.sync` and whether it was in range, by the PTX manual.
fn shuffle_source(kind: ShuffleKind, lane: u32, offset: u32, clamp: u32) -> (u32, bool) {
    let offset = offset & 31;
    let (limit, segment) = (clamp & 31, clamp >> 8 & 31);
    let max_lane = (lane & segment) | (limit & !segment & 31);
    let min_lane = lane & segment;
    let (from, ok) = match kind {
        ShuffleKind::Up => {
            let from = i64::from(lane) - i64::from(offset);
            (from, from >= i64::from(max_lane))
        }
        ShuffleKind::Down => {
            let from = i64::from(lane + offset);
            (from, from <= i64::from(max_lane))
        }
        ShuffleKind::Bfly => {
            let from = i64::from(lane ^ offset);
            (from, from <= i64::from(max_lane))
        }
        ShuffleKind::Idx => {
            let from = i64::from(min_lane | (offset & !segment & 31));
            (from, from <= i64::from(max_lane))
        }
    };
    (if ok { from as u32 } else { lane }, ok)
}

/// The source lane of `ds_swizzle_b32`.
fn swizzle_source(pattern: u32, lane: u32) -> Option<u32> {
    let (row, own) = (lane & !31, lane & 31);
    let pattern = pattern & 0xffff;
    if pattern & 0x8000 == 0 {
        let (and, or, xor) = (pattern & 31, pattern >> 5 & 31, pattern >> 10 & 31);
        return Some(row | (((own & and) | or) ^ xor));
    }
    if pattern & 0xff00 == 0x8000 {
        return Some((lane & !3) | (pattern >> (2 * (lane & 3)) & 3));
    }
    if pattern & 0xe000 == 0xc000 {
        let (mask, count) = (pattern & 31, pattern >> 5 & 31);
        let left = pattern >> 10 & 1 == 0;
        let turned = if left {
            own.wrapping_add(count)
        } else {
            own.wrapping_sub(count)
        };
        return Some(row | (own & mask) | (turned & !mask & 31));
    }
    None
}

/// The source lane of a DPP control: `None` for an unknown control, `Some(None)` outside.
fn dpp_source(control: u32, lane: u32, size: u32) -> Option<Option<u32>> {
    let (row, own) = (lane & !15, lane & 15);
    let n = control & 15;
    Some(match control {
        0x000..=0x0ff => Some((lane & !3) | (control >> (2 * (lane & 3)) & 3)),
        0x101..=0x10f => (own + n < 16).then_some(lane + n),
        0x111..=0x11f => (own >= n).then(|| lane - n),
        0x121..=0x12f => Some(row | ((own + 16 - n) % 16)),
        0x130 => (lane + 1 < size).then_some(lane + 1),
        0x134 => Some((lane + 1) % size),
        0x138 => lane.checked_sub(1),
        0x13c => Some((lane + size - 1) % size),
        0x140 => Some(row | (15 - own)),
        0x141 => Some((lane & !7) | (7 - (lane & 7))),
        0x142 => row.checked_sub(1),
        0x143 => (lane >= 32).then_some(31),
        0x150..=0x15f => Some(row | n),
        0x160..=0x16f => Some(row | (own ^ n)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffle_sources_follow_the_manual() {
        let check = |kind, lane, offset, clamp, expect| {
            assert_eq!(
                shuffle_source(kind, lane, offset, clamp),
                expect,
                "{kind:?} {lane} {offset}"
            );
        };
        check(ShuffleKind::Bfly, 5, 4, 0x1f, (1, true));
        check(ShuffleKind::Idx, 5, 31, 0x1f, (31, true));
        check(ShuffleKind::Up, 3, 4, 0, (3, false));
        check(ShuffleKind::Up, 4, 4, 0, (0, true));
        check(ShuffleKind::Down, 30, 1, 0x1f, (31, true));
        check(ShuffleKind::Down, 31, 1, 0x1f, (31, false));
        // Segments of eight lanes: mask 0b11000.
        check(ShuffleKind::Idx, 13, 2, 0x181f, (10, true));
        check(ShuffleKind::Down, 15, 1, 0x181f, (15, false));
        check(ShuffleKind::Up, 8, 1, 0x1800, (8, false));
    }

    #[test]
    fn wave_sources_follow_the_manuals() {
        assert_eq!(swizzle_source(0x041f, 6), Some(7));
        assert_eq!(swizzle_source(0x041f, 39), Some(38));
        assert_eq!(swizzle_source(0x8000 | 0b00_01_10_11, 4), Some(7));
        assert_eq!(swizzle_source(0xc000 | 1 << 5, 31), Some(0));
        assert_eq!(dpp_source(0b01_00_11_10, 5, 64), Some(Some(7)));
        assert_eq!(dpp_source(0x101, 15, 64), Some(None));
        assert_eq!(dpp_source(0x101, 14, 64), Some(Some(15)));
        assert_eq!(dpp_source(0x111, 16, 64), Some(None));
        assert_eq!(dpp_source(0x121, 16, 64), Some(Some(31)));
        assert_eq!(dpp_source(0x128, 3, 64), Some(Some(11)));
        assert_eq!(dpp_source(0x140, 1, 64), Some(Some(14)));
        assert_eq!(dpp_source(0x141, 1, 64), Some(Some(6)));
        assert_eq!(dpp_source(0x142, 17, 64), Some(Some(15)));
        assert_eq!(dpp_source(0x143, 40, 64), Some(Some(31)));
        assert_eq!(dpp_source(0x168, 3, 64), Some(Some(11)));
        assert_eq!(dpp_source(0x170, 3, 64), None);
    }
}
