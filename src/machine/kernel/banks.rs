//! Bank conflicts: how many wavefronts a warp's shared access takes.

/// Counts the wavefronts of one access of one warp, and how many it would take at best.
///
/// Lanes are served in groups that together fill all banks once: on 32 banks of 4 bytes, 32
/// lanes of up to 4 bytes, 16 lanes of 8 bytes, 8 lanes of 16 bytes. Inside a group each bank
/// delivers one word per wavefront; lanes that want the same word share it.
///
/// | lanes 0 .. 31 read 4 bytes at | wavefronts | ideal |
/// |---|---|---|
/// | `4 * lane` | 1 | 1 |
/// | `8 * lane` | 2 | 1 |
/// | `128 * lane` | 32 | 1 |
/// | `0` | 1 | 1 |
/// # Units
/// `addresses` are byte addresses, `None` for lanes that are off; the result counts wavefronts.
pub(super) fn wavefronts(
    addresses: &[Option<u64>],
    bytes: u32,
    num_banks: u32,
    bank_bytes: u32,
) -> (u32, u32) {
    let group = (num_banks * bank_bytes / bytes.max(bank_bytes)).max(1) as usize;
    let width = u64::from(bank_bytes);
    let mut words: Vec<u64> = Vec::new();
    let mut load = vec![0u32; num_banks as usize];
    let (mut total, mut ideal) = (0, 0);
    for lanes in addresses.chunks(group) {
        words.clear();
        for address in lanes.iter().flatten() {
            words.extend(address / width..(address + u64::from(bytes)).div_ceil(width));
        }
        if words.is_empty() {
            continue;
        }
        words.sort_unstable();
        words.dedup();
        load.fill(0);
        let mut most = 0;
        for word in &words {
            let bank = &mut load[(word % u64::from(num_banks)) as usize];
            *bank += 1;
            most = most.max(*bank);
        }
        total += most;
        ideal += 1;
    }
    (total, ideal)
}

#[cfg(test)]
mod tests {
    use super::wavefronts;

    #[track_caller]
    fn check(lanes: usize, bytes: u32, banks: u32, at: impl Fn(u64) -> u64, expect: (u32, u32)) {
        let addresses: Vec<_> = (0..lanes as u64).map(|lane| Some(at(lane))).collect();
        assert_eq!(wavefronts(&addresses, bytes, banks, 4), expect);
    }

    #[test]
    fn textbook_cases() {
        check(32, 4, 32, |l| 4 * l, (1, 1));
        check(32, 4, 32, |l| 8 * l, (2, 1));
        check(32, 4, 32, |l| 128 * l, (32, 1));
        check(32, 4, 32, |_| 0, (1, 1));
        check(32, 2, 32, |l| 2 * l, (1, 1));
        check(32, 16, 32, |l| 16 * l, (4, 4));
        check(32, 16, 32, |l| 128 * l, (32, 4));
        check(32, 8, 32, |l| 8 * l, (2, 2));
        check(64, 4, 32, |l| 4 * l, (2, 2));
        check(64, 4, 64, |l| 4 * l, (1, 1));
        check(64, 16, 32, |l| 16 * l, (8, 8));
    }
}
