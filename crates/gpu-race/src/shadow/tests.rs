use super::*;
use crate::split_mix::Random;
use crate::{ExecutionPoint, OrderRules, UNTOUCHED};

#[derive(Clone)]
struct Checked {
    shadow: Shadow,
    timestamps: Timestamps,
    order: OrderRules,
}

impl Checked {
    fn new(bytes: usize, order: OrderRules) -> Self {
        Self {
            shadow: Shadow::new(bytes),
            timestamps: Timestamps::default(),
            order,
        }
    }

    /// Calls the fast path `at_once`. If it returns `None`, calls `slow` instead.
    fn access<R>(
        &mut self,
        now: ExecutionPoint,
        at_once: impl FnOnce(&mut Shadow, &ShadowAccess<'_>) -> Option<R>,
        slow: impl FnOnce(&mut Shadow, &ShadowAccess<'_>) -> R,
    ) -> R {
        if self.timestamps.is_full() {
            self.shadow.unpack(&self.timestamps);
            self.timestamps.clear();
        }
        let timestamp = self.timestamps.index_of(now);
        let access = ShadowAccess {
            now,
            timestamp,
            order: self.order,
            timestamps: &self.timestamps,
        };
        match at_once(&mut self.shadow, &access) {
            Some(result) => result,
            None => slow(&mut self.shadow, &access),
        }
    }

    fn read(
        &mut self,
        at: usize,
        count: usize,
        now: ExecutionPoint,
    ) -> (Option<usize>, Option<Conflict>) {
        self.access(
            now,
            |shadow, access| {
                let is_good = shadow.read_fast(at, count, access);
                is_good.then_some((None, None))
            },
            |shadow, access| shadow.read(at, count, access),
        )
    }

    fn write(
        &mut self,
        at: usize,
        old: &[u8],
        new: &[u8],
        now: ExecutionPoint,
    ) -> (u64, Option<Conflict>) {
        let word = |bytes: &[u8]| {
            let bytes = bytes.iter().rev();
            bytes.fold(0, |word, byte| word << 8 | u64::from(*byte))
        };
        self.access(
            now,
            |shadow, access| Some((shadow.write_fast(at, old, new, access)?, None)),
            |shadow, access| {
                let (mut redundant, mut conflict) = (0, None);
                for (i, (old, new)) in old.chunks(8).zip(new.chunks(8)).enumerate() {
                    let words = [word(old), word(new)];
                    let found = shadow.write(at + 8 * i, new.len(), words, access);
                    redundant += found.0;
                    conflict = conflict.or(found.1);
                }
                (redundant, conflict)
            },
        )
    }
}

const ORDER: OrderRules = OrderRules {
    threads_per_block: 64,
    lanes_per_warp: 32,
    first_epoch: 1,
    is_block_own: false,
};

fn now(thread: u32, block_epoch: u32, warp_epoch: u32) -> ExecutionPoint {
    ExecutionPoint {
        thread,
        block: thread & !63,
        warp: thread & !31,
        op: 0,
        block_epoch,
        warp_epoch,
        joint_lanes: 0,
    }
}

/// Writes byte 3. If `same` is true, the byte already has the written value.
fn write(shadow: &mut Checked, same: bool, now: ExecutionPoint) -> (u64, Option<Conflict>) {
    shadow.write(3, &[0], &[u8::from(!same)], now)
}

#[track_caller]
fn check_write(steps: &[(char, ExecutionPoint)], expect_clean: bool) {
    let mut shadow = Checked::new(16, ORDER);
    let mut clean = true;
    for &(kind, now) in steps {
        if kind == 'w' {
            clean = write(&mut shadow, false, now) == (0, None);
        } else {
            clean = shadow.read(3, 1, now).1.is_none();
        }
    }
    assert_eq!(clean, expect_clean);
}

#[test]
fn order_comes_from_barriers_only() {
    check_write(&[('w', now(0, 1, 0)), ('r', now(0, 1, 0))], true);
    check_write(&[('w', now(0, 1, 0)), ('r', now(1, 1, 0))], false);
    check_write(&[('w', now(0, 1, 0)), ('r', now(1, 1, 1))], true);
    check_write(&[('w', now(0, 1, 0)), ('r', now(40, 1, 1))], false);
    check_write(&[('w', now(0, 1, 0)), ('r', now(40, 2, 1))], true);
    check_write(&[('w', now(0, 1, 0)), ('r', now(64, 2, 1))], false);
}

#[test]
fn a_write_sees_every_reader() {
    let readers = [
        ('r', now(0, 1, 0)),
        ('r', now(1, 1, 0)),
        ('r', now(33, 1, 0)),
    ];
    for writer in [0, 1, 2, 33, 34] {
        let mut steps = readers.to_vec();
        steps.push(('w', now(writer, 1, 0)));
        check_write(&steps, false);
        // A warp barrier does not order the other warp's reads.
        steps.pop();
        steps.push(('w', now(writer, 1, 1)));
        check_write(&steps, false);
        steps.pop();
        steps.push(('w', now(writer, 2, 0)));
        check_write(&steps, true);
    }
    check_write(&[('r', now(0, 1, 0)), ('w', now(0, 1, 0))], true);
    check_write(
        &[
            ('r', now(0, 1, 0)),
            ('r', now(64, 2, 0)),
            ('w', now(64, 2, 0)),
        ],
        false,
    );
    let again = [
        ('r', now(0, 1, 0)),
        ('r', now(1, 1, 0)),
        ('r', now(0, 1, 1)),
    ];
    check_write(&[&again[..], &[('w', now(0, 1, 1))]].concat(), true);
    let other = [
        ('r', now(0, 1, 0)),
        ('r', now(40, 1, 0)),
        ('r', now(0, 1, 1)),
    ];
    check_write(&[&other[..], &[('w', now(0, 1, 1))]].concat(), false);
}

#[test]
fn readers_before_a_barrier_are_forgotten() {
    let (before, after) = (('r', now(0, 1, 0)), ('r', now(40, 2, 0)));
    check_write(&[before, after, ('w', now(40, 2, 0))], true);
    check_write(&[before, after, ('w', now(0, 2, 0))], false);
    // A warp barrier has the same effect within a warp.
    let (before, after) = (('r', now(0, 1, 0)), ('r', now(1, 1, 1)));
    check_write(&[before, after, ('w', now(1, 1, 1))], true);
    check_write(&[before, after, ('w', now(2, 1, 1))], false);
}

#[test]
fn copies_are_harmless_until_read_or_replaced() {
    let three = |shadow: &mut Checked| {
        assert_eq!(write(shadow, false, now(0, 1, 0)), (0, None));
        assert_eq!(write(shadow, true, now(1, 1, 0)), (1, None));
        assert_eq!(write(shadow, true, now(32, 1, 0)), (1, None));
    };
    // A thread that is ordered after only one of the copies conflicts with another copy.
    for (thread, block, warp, clean) in [(32, 1, 1, false), (0, 1, 1, false), (0, 2, 0, true)] {
        let mut shadow = Checked::new(16, ORDER);
        three(&mut shadow);
        let found = write(&mut shadow, false, now(thread, block, warp));
        assert_eq!(found == (0, None), clean, "{thread}");
        let mut shadow = Checked::new(16, ORDER);
        three(&mut shadow);
        let (_, conflict) = shadow.read(3, 1, now(thread, block, warp));
        assert_eq!(conflict.is_none(), clean, "{thread}");
    }
    // A copy may come after another warp has read the first copy.
    let mut shadow = Checked::new(16, ORDER);
    write(&mut shadow, false, now(0, 1, 0));
    assert!(shadow.read(3, 1, now(1, 1, 1)).1.is_none());
    assert!(matches!(
        write(&mut shadow, true, now(32, 1, 0)),
        (_, Some(Conflict { thread: 1, .. }))
    ));
    // A copy may land before the value that the first copy replaced.
    let mut shadow = Checked::new(16, ORDER);
    write(&mut shadow, false, now(0, 1, 0));
    assert_eq!(write(&mut shadow, false, now(0, 1, 1)), (0, None));
    assert!(matches!(
        write(&mut shadow, true, now(32, 1, 0)),
        (_, Some(Conflict { thread: 0, .. }))
    ));
}

/// Granules of any size give the same findings as single bytes, both in global memory and in the memory of one
/// block.
#[test]
fn granules_agree_with_bytes() {
    let mut random = Random(7);
    let mut draw = |below: u64| random.below(below);
    for round in 0..4000 {
        let is_block_own = round % 2 == 1;
        let order = |first_epoch| OrderRules {
            first_epoch,
            is_block_own,
            ..ORDER
        };
        let mut granules = Checked::new(64, order(1));
        let mut bytes = vec![UNTOUCHED; 64];
        let mut memory = [0u8; 64];
        let (mut block, mut epoch, mut warp_epochs) = (0, 1, [0; 2]);
        let values = 1 + draw(3);
        for _ in 0..80 {
            let log2 = draw(6);
            let count = 1 << log2;
            let at = match (log2, draw(4)) {
                (5, _) => 32 * draw(2) as usize,
                (_, 0) => draw(48) as usize,
                _ => draw(64) as usize & !(count - 1),
            };
            match draw(8) {
                0 => epoch += 1,
                1 => warp_epochs[draw(2) as usize] += 1,
                2 if draw(4) == 0 => {
                    (block, epoch) = (block + 64, epoch + 1);
                    if is_block_own {
                        granules.order = order(epoch);
                    }
                }
                _ => {}
            }
            let thread = block + draw(64) as u32;
            let now = ExecutionPoint {
                op: draw(4) as u32,
                ..now(thread, epoch, warp_epochs[thread as usize / 32 % 2])
            };
            let order = granules.order;
            let cells = bytes[at..].iter_mut().take(count);
            let (found, wanted);
            if draw(2) == 0 {
                found = (0, granules.read(at, count, now).1);
                let mut conflict = None;
                for cell in cells {
                    conflict = conflict.or(cell.read(now, order).1);
                }
                wanted = (0, conflict);
            } else {
                let new: Vec<u8> = (0..count).map(|_| draw(values) as u8).collect();
                let old = memory[at..at + count].to_vec();
                found = granules.write(at, &old, &new, now);
                let (mut redundant, mut conflict) = (0, None);
                for (i, cell) in cells.enumerate() {
                    match cell.write(old[i] == new[i], now, order) {
                        WriteVerdict::Clean => {}
                        WriteVerdict::Redundant => redundant += 1,
                        WriteVerdict::Conflict(other) => conflict = conflict.or(Some(other)),
                    }
                }
                wanted = (redundant, conflict);
                memory[at..at + count].copy_from_slice(&new);
            }
            assert_eq!(found, wanted);
            if found.1.is_some() {
                break;
            }
        }
    }
}

#[test]
fn unwritten_bytes_are_missing() {
    let order = |first_epoch| OrderRules {
        first_epoch,
        is_block_own: true,
        ..ORDER
    };
    let mut shadow = Checked::new(64, order(1));
    shadow.write(16, &[0; 16], &[1; 16], now(3, 1, 0));
    assert_eq!(shadow.read(16, 16, now(3, 1, 0)), (None, None));
    assert_eq!(shadow.read(8, 8, now(3, 1, 0)), (Some(8), None));
    assert_eq!(shadow.read(30, 4, now(9, 2, 0)), (Some(32), None));
    shadow.order = order(3);
    shadow.timestamps.begin_block();
    assert_eq!(shadow.read(16, 4, now(64, 3, 0)), (Some(16), None));
}

#[test]
fn disjoint_copies_are_merged() {
    let run = |bytes: &mut [u8], at: usize, thread: u32, value: u8| {
        let mut shadow = Checked::new(4096, ORDER);
        let new = [value; 4];
        shadow.write(at, &[0; 4], &new, now(thread, 1, 0));
        bytes[at..at + 4].copy_from_slice(&new);
        shadow.read(8, 2, now(thread, 1, 0));
        shadow.shadow
    };
    let (mut ours, mut theirs) = (vec![0; 4096], vec![0; 4096]);
    let mut first = run(&mut ours, 16, 0, 1);
    let second = run(&mut theirs, 3000, 64, 2);
    assert!(first.merge(&second, &mut ours, &theirs));
    assert_eq!((ours[16], ours[3003], ours[3004]), (1, 2, 0));
    for at in [8, 16, 3000] {
        let mut theirs = vec![0; 4096];
        let third = run(&mut theirs, at, 128, 3);
        assert!(
            !first.clone().merge(&third, &mut ours.clone(), &theirs),
            "{at}"
        );
    }
}
