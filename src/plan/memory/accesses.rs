//! Which registers go in one access: as many as their positions allow, without more wavefronts.
//!
//! Both what stores to buffers and what goes through swizzled scratch memory ask the same question: registers,
//! lanes and warps each move a position in memory by some bits; which registers lie side by side, how wide may
//! an access be, and what does each cost? [`Accesses`] is the answer, for either.

use super::place::{Padding, padded};
use crate::f2::Echelon;
use crate::plan::gf2::{apply, echelon, independent, log2_floor};
use crate::plan::program::wavefronts;
use crate::target::{Access, Banks, Target, Wavefronts};

/// What accesses are chosen from. Positions are in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choices<'a> {
    /// What each register bit adds (exclusive or) to the position.
    pub(crate) registers: &'a [u64],
    /// What each thread bit adds, lanes first.
    pub(crate) threads: &'a [u64],
    pub(crate) lanes_log2: u32,
    pub(crate) element_bytes: u32,
    /// The widest access that is allowed.
    pub(crate) widest_bytes: u32,
    /// Bits that something else than registers and threads may set.
    pub(crate) taken: u64,
    /// Bits that only registers may set, and that go last: they number repetitions.
    pub(crate) last: u64,
    /// What is skipped on the way from positions to addresses.
    pub(crate) gaps: &'a [Padding],
    pub(crate) access: Access,
    pub(crate) target: &'a Target,
}

impl Choices<'_> {
    /// Wavefronts of one access of a warp, and the least that as many bytes take, without gaps.
    fn linear_waves(&self, bytes: u32) -> (u32, u32) {
        let lanes = &self.threads[..self.lanes_log2 as usize];
        let lanes: Vec<u32> = lanes.iter().map(|c| *c as u32).collect();
        wavefronts(&lanes, bytes, self.access, self.target)
    }
}

/// How the registers of each thread go through memory.
///
/// The register of element `i` of access `x` is `access(x).1 ^ element(i)`, and it lies at position
/// `access(x).0 + i * element_bytes`, combined with what the thread adds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Accesses {
    threads: Vec<u64>,
    element_bytes: u32,
    /// Elements of one access, log2.
    vector_log2: u32,
    repetitions_log2: u32,
    /// Position and registers of each direction: within an access, from access to access, repetitions.
    basis: Vec<(u64, u64)>,
    /// Wavefronts of all accesses of a warp, and the least that as many bytes take.
    waves: (u32, u32),
}

impl Accesses {
    /// Chooses the fewest wavefronts, and of those the fewest accesses.
    ///
    /// Returns nothing where a thread moves along what numbers repetitions, or registers do not.
    pub(crate) fn choose(choices: &Choices<'_>) -> Option<Self> {
        let &Choices {
            registers, threads, ..
        } = choices;
        let moving = threads.iter().fold(choices.taken, |bits, c| bits | c);
        if moving & choices.last != 0 {
            return None;
        }
        let held = echelon(registers);
        let unit = u64::from(choices.element_bytes);
        // Bits below the vector must be the registers' alone, or an access is not aligned.
        let run = (0..log2_floor(choices.widest_bytes / choices.element_bytes))
            .take_while(|v| held.contains(unit << v) && (moving | choices.last) & unit << v == 0)
            .count() as u32;
        let with = |vector_log2| Self::with_vector(choices, &held, vector_log2);
        if choices.gaps.is_empty() {
            // All accesses of one width take as long: the accesses need not be made to compare.
            let waves = |v: u32| choices.linear_waves(choices.element_bytes << v).0 << (run - v);
            with((0..=run).min_by_key(|v| (waves(*v), run - v))?)
        } else {
            (0..=run)
                .filter_map(with)
                .min_by_key(|accesses| (accesses.waves.0, run - accesses.vector_log2))
        }
    }

    /// The accesses of so many elements.
    fn with_vector(choices: &Choices<'_>, held: &Echelon, vector_log2: u32) -> Option<Self> {
        let unit = u64::from(choices.element_bytes);
        let within = (unit << vector_log2) - 1;
        let mut basis: Vec<(u64, u64)> = Vec::new();
        for v in 0..vector_log2 {
            basis.push((unit << v, held.solve(unit << v)?));
        }
        // From access to access in register order, without bits of the element or the repetition.
        let mut others = Echelon::new();
        for &c in choices.registers {
            let step = c & !within & !choices.last;
            if step != 0 && others.insert(basis.len(), step).is_none() {
                basis.push((step, held.solve(step)?));
            }
        }
        let mut last = choices.last;
        while last != 0 {
            let bit = 1 << last.trailing_zeros();
            basis.push((bit, held.solve(bit)?));
            last ^= bit;
        }
        let mut accesses = Self {
            threads: choices.threads.to_vec(),
            element_bytes: choices.element_bytes,
            vector_log2,
            repetitions_log2: choices.last.count_ones(),
            basis,
            waves: (0, 0),
        };
        accesses.waves = accesses.count_waves(choices);
        Some(accesses)
    }

    fn count_waves(&self, choices: &Choices<'_>) -> (u32, u32) {
        let all = 1 << (self.basis.len() as u32 - self.vector_log2);
        if choices.gaps.is_empty() {
            let (waves, phases) = choices.linear_waves(self.bytes());
            return (waves * all, phases * all);
        }
        let lanes = &self.threads[..choices.lanes_log2 as usize];
        let served = choices.target.phase_lane_bits(choices.access, self.bytes());
        let mut sum = Wavefronts::default();
        for x in 0..all as usize {
            let addresses: Vec<_> = (0..1 << choices.lanes_log2)
                .map(|lane| apply(lanes, lane) ^ self.access(x).0)
                .map(|position| Some(padded(choices.gaps, position)))
                .collect();
            sum += Banks::of(choices.target).wavefronts(&addresses, self.bytes(), served);
        }
        (sum.taken as u32, sum.ideal as u32)
    }

    /// What each thread bit adds to the position, lanes first.
    pub(crate) fn threads(&self) -> &[u64] {
        &self.threads
    }

    /// Elements of one access.
    pub(crate) fn vector(&self) -> usize {
        1 << self.vector_log2
    }

    /// Bytes of one access.
    pub(crate) fn bytes(&self) -> u32 {
        self.element_bytes << self.vector_log2
    }

    /// How many accesses each thread makes in one repetition.
    pub(crate) fn count(&self) -> usize {
        1 << (self.basis.len() as u32 - self.vector_log2 - self.repetitions_log2)
    }

    /// What repetition `i` adds to the registers of its accesses.
    pub(crate) fn repetition(&self, i: usize) -> u64 {
        let start = self.basis.len() - self.repetitions_log2 as usize;
        self.at(start, i).1
    }

    /// Wavefronts that all accesses of a warp take, and the least that as many bytes take.
    pub(crate) fn waves(&self) -> (u32, u32) {
        self.waves
    }

    /// Position and registers of an access; those of repetitions are numbered last.
    pub(crate) fn access(&self, x: usize) -> (u64, u64) {
        self.at(self.vector_log2 as usize, x)
    }

    /// What element `i` adds to the register of an access.
    pub(crate) fn element(&self, i: usize) -> u64 {
        self.at(0, i).1
    }

    /// The elimination that numbers elements, by position: elements of an access, then accesses.
    pub(crate) fn numbers(&self) -> Echelon {
        echelon(self.basis.iter().map(|(position, _)| position))
    }

    fn at(&self, start: usize, x: usize) -> (u64, u64) {
        let chosen = self.basis[start..].iter().enumerate();
        chosen
            .filter(|(i, _)| x >> i & 1 == 1)
            .fold((0, 0), |sum, (_, c)| (sum.0 ^ c.0, sum.1 ^ c.1))
    }

    /// Load-store and arithmetic time of all accesses of one warp.
    pub(crate) fn time(&self, target: &Target) -> (u32, u32) {
        let costs = &target.costs;
        let possible = self.threads.iter().fold(0, |a, c| a | c);
        let constants = self.basis[self.vector_log2 as usize..]
            .iter()
            .map(|(position, _)| position & possible);
        // Each constant that overlaps the thread's bits is joined once.
        let joins = (1u32 << independent(constants).len()) - 1;
        (
            self.waves.0 * costs.wavefront,
            ((self.count() as u32 * costs.access) << self.repetitions_log2) + joins * costs.select,
        )
    }

    /// Says whether every wavefront is full, as far as the phases of the target allow.
    pub(crate) fn is_at_floor(&self, target: &Target) -> bool {
        self.waves.0 == self.waves.1 && self.bytes() >= target.bank_bytes
    }
}
