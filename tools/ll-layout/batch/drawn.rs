//! The sample of elements in an answer about a large Tilus layout.
//!
//! The reference vectors choose the sample with Python's `random.Random(1).sample`. The same sample here allows
//! comparisons line by line.

/// The pseudo-random generator MT19937 (Mersenne Twister), seeded like Python's `random.Random(1)`.
struct Twister {
    state: [u32; 624],
    next: usize,
}

const LEN: usize = 624;

impl Twister {
    fn new() -> Self {
        let mut state = [0u32; LEN];
        state[0] = 19_650_218;
        for i in 1..LEN {
            let last = state[i - 1];
            state[i] = 1_812_433_253u32
                .wrapping_mul(last ^ last >> 30)
                .wrapping_add(u32::try_from(i).unwrap_or_default());
        }
        // The key is the one word of the seed, 1, mixed in with its index, 0.
        let mut i = 1;
        let mut step = |state: &mut [u32; LEN], factor: u32, count: usize, first: bool| {
            for _ in 0..count {
                let last = state[i - 1];
                let mixed = state[i] ^ (last ^ last >> 30).wrapping_mul(factor);
                state[i] = if first {
                    mixed.wrapping_add(1)
                } else {
                    mixed.wrapping_sub(u32::try_from(i).unwrap_or_default())
                };
                i += 1;
                if i == LEN {
                    state[0] = state[LEN - 1];
                    i = 1;
                }
            }
        };
        step(&mut state, 1_664_525, LEN, true);
        step(&mut state, 1_566_083_941, LEN - 1, false);
        state[0] = 1 << 31;
        Self { state, next: LEN }
    }

    fn word(&mut self) -> u32 {
        if self.next == LEN {
            for i in 0..LEN {
                let y = self.state[i] & 1 << 31 | self.state[(i + 1) % LEN] & !(1 << 31);
                let odd = if y & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[i] = self.state[(i + 397) % LEN] ^ y >> 1 ^ odd;
            }
            self.next = 0;
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c_5680;
        y ^= y << 15 & 0xefc6_0000;
        y ^ y >> 18
    }

    fn bits(&mut self, count: u32) -> u64 {
        let low = u64::from(self.word() >> (32 - count.min(32)));
        if count <= 32 {
            low
        } else {
            low | u64::from(self.word() >> (64 - count)) << 32
        }
    }

    fn below(&mut self, n: u64) -> u64 {
        let count = 64 - n.leading_zeros();
        loop {
            let drawn = self.bits(count);
            if drawn < n {
                return drawn;
            }
        }
    }
}

/// Returns `count` random numbers below `n` in ascending order. If `n <= count`, returns all numbers below `n`.
pub(super) fn numbers(n: u64, count: usize) -> Vec<u64> {
    if n <= count as u64 {
        return (0..n).collect();
    }
    let mut twister = Twister::new();
    // Python samples at most `list_up_to` numbers from a list. Above this limit, Python draws again for repeated
    // numbers.
    let mut list_up_to = 21;
    let mut power = 1;
    while power < 3 * count as u64 {
        power *= 4;
    }
    if count > 5 {
        list_up_to += power;
    }
    let mut drawn: Vec<u64> = if n <= list_up_to {
        let mut rest: Vec<u64> = (0..n).collect();
        (0..count)
            .map(|_| {
                let at = twister.below(rest.len() as u64);
                rest.swap_remove(usize::try_from(at).unwrap_or_default())
            })
            .collect()
    } else {
        let mut drawn: Vec<u64> = Vec::new();
        while drawn.len() < count {
            let number = twister.below(n);
            if !drawn.contains(&number) {
                drawn.push(number);
            }
        }
        drawn
    };
    drawn.sort_unstable();
    drawn
}
