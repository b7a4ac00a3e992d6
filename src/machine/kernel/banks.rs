//! Bank conflicts: how many wavefronts a warp's shared access takes.

/// Counts the wavefronts of one access of one warp, and how many it would take at best.
///
/// Lanes are served in groups that together fill all banks once: on 32 banks of 4 bytes, 32
/// lanes of up to 4 bytes, 16 lanes of 8 bytes, 8 lanes of 16 bytes. Inside a group each bank
/// delivers one word per wavefront; lanes that want the same word share it. A group is consecutive
/// lanes, unless `lane_bits` says which bits of a lane's number run through it: CDNA3 serves 16-byte
/// loads of lanes 0 to 3 and 16 to 19 together, which is `0b010011`.
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
    lane_bits: Option<u32>,
) -> (u32, u32) {
    // An access of 12 bytes takes the room of one of 16.
    let per_lane = bytes.max(bank_bytes).next_power_of_two();
    let group = (num_banks * bank_bytes / per_lane).max(1) as usize;
    let lane_bits = lane_bits.map_or(group - 1, |bits| bits as usize);
    let width = u64::from(bank_bytes);
    let mut words: Vec<u64> = Vec::new();
    let mut load = vec![0u32; num_banks as usize];
    let (mut total, mut ideal) = (0, 0);
    for first in (0..addresses.len()).filter(|lane| lane & lane_bits == 0) {
        words.clear();
        let members = (first..addresses.len()).filter(|lane| lane & !lane_bits == first);
        for address in members.filter_map(|lane| addresses[lane]) {
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
        assert_eq!(wavefronts(&addresses, bytes, banks, 4, None), expect);
    }

    #[test]
    fn groups_of_lanes_that_are_not_consecutive() {
        // Lanes 4 to 7 and 16 to 19 want the same banks: no conflict if served apart.
        let at = |lane: u64| 16 * (lane & 3 | lane >> 2 & 4) + 128 * (lane >> 2);
        let addresses: Vec<_> = (0..64).map(|lane| Some(at(lane))).collect();
        assert_eq!(wavefronts(&addresses, 16, 32, 4, Some(0b01_0011)), (8, 8));
        assert_eq!(wavefronts(&addresses, 16, 32, 4, None), (16, 8));
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
        check(64, 12, 32, |l| 12 * l, (8, 8));
    }
}
