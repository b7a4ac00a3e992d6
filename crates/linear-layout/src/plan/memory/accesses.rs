//! Vectorisation: groups registers into memory accesses that are as wide as possible without additional wavefronts.
//!
//! The position of an element in a buffer or in swizzled scratch memory is the exclusive or of the contributions of its
//! register, its lane and its warp. [`Accesses`] groups registers with adjacent positions, and contains the width and
//! the cost of the accesses.
//!
//! # Matrices
//! `ldmatrix`, `stmatrix` and `ds_read_tr` are warp-wide instructions: each lane supplies the address of a row, and a
//! [`Fragment`] defines which lane holds which units of the rows. These instructions apply under three conditions. The
//! lane bits that number the units of a row step by whole units within the row. The lane bits that number rows do not
//! step within a row. The bits that number the elements within a unit are register bits. Such an instruction accesses
//! several elements at a time, even if each element is only adjacent to elements of other lanes.

use super::buffer_layout::{Padding, padded};
use crate::f2::Echelon;
use crate::number::narrow;
use crate::plan::gf2::{apply, echelon, independent, log2_floor};
use crate::plan::program::{Cost, phase_lane_bits, wavefronts};
use crate::target::{Access, BitSource, Fragment, Target, Wavefronts};

/// The inputs of [`Accesses::choose`]. All positions in them are byte offsets in a buffer, without padding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessConstraints<'a> {
    /// For each bit of the register number, the value that is XORed into the position of an element if this bit is
    /// set.
    pub(crate) registers: &'a [u64],
    /// For each bit of the thread number, the value that is XORed into the position of an element if this bit is
    /// set. The lane bits come first, followed by the warp bits.
    pub(crate) threads: &'a [u64],
    pub(crate) lanes_log2: u32,
    pub(crate) element_bytes: u32,
    /// Maximum number of bytes that one access covers in each lane.
    pub(crate) max_bytes: u32,
    /// The register bits along which the elements of an access must be adjacent, lowest bit first. Bit `i` of the
    /// element's index in the access must be register bit `neighbours[i]`. `None` permits all register bits.
    pub(crate) neighbours: Option<&'a [u8]>,
    /// Mask of the position bits that may be set by a run-time offset, e.g. by the start of a view.
    pub(crate) runtime_bits: u64,
    /// Mask of the bits of a buffer position that number the repetitions: a small scratch buffer is filled and read
    /// several times, each time with the elements of one repetition. Only register bits may set these bits.
    /// Accesses are ordered by repetition.
    pub(crate) repetition_bits: u64,
    /// Padding rules of the buffer. The address of an element is its position plus the sizes of all gaps before it.
    pub(crate) paddings: &'a [Padding],
    pub(crate) access: Access,
    /// True if all lanes of a warp execute the access together, as matrix instructions require.
    pub(crate) is_converged: bool,
    pub(crate) target: &'a Target,
}

/// Size of a 32-bit register in bytes.
const WORD_BYTES: u32 = 4;

/// The form of the instructions by which a warp accesses a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AccessForm {
    /// Each lane accesses its own elements, at its own address.
    PerLane,
    /// Each lane supplies the address of a matrix row. The instruction distributes the elements of the rows over
    /// the lanes.
    Matrices(Fragment),
}

impl AccessForm {
    /// Returns the fragments of the matrix instructions that support elements of `element_bytes` bytes.
    pub(crate) fn matrices(
        element_bytes: u32,
        access: Access,
        target: &Target,
    ) -> impl Iterator<Item = Fragment> + use<> {
        let fits = move |fragment: &Fragment| element_bytes <= fragment.layout().unit_bytes;
        target.fragments(access).filter(fits)
    }
}

impl AccessConstraints<'_> {
    /// Returns the number of wavefronts that one warp-wide access takes, and the number that it would take without
    /// bank conflicts. Each lane accesses `bytes` bytes. The buffer must not have padding.
    fn linear_waves(&self, bytes: u32) -> (u32, u32) {
        let lanes = &self.threads[..self.lanes_log2 as usize];
        self.waves_of(lanes, AccessForm::PerLane, bytes)
    }

    /// Returns the number of wavefronts that one warp-wide access takes, and the number that it would take without
    /// bank conflicts. Each lane accesses `bytes` bytes. `lanes[i]` is XORed into the position that a lane accesses
    /// if bit `i` of the lane number is set.
    fn waves_of(&self, lanes: &[u64], form: AccessForm, bytes: u32) -> (u32, u32) {
        let (access, target) = (self.access, self.target);
        let lanes: Vec<u32> = lanes.iter().map(|c| narrow::<u32>(*c)).collect();
        let phase_bits = match form {
            AccessForm::PerLane => phase_lane_bits(&lanes, bytes, access, target),
            AccessForm::Matrices(_) => target.phase_lane_bits(access, bytes),
        };
        wavefronts(&lanes, bytes, phase_bits, target)
    }

    /// Returns true if matrix instructions with this fragment can be used. In this case, each row is contiguous and
    /// aligned, and the lanes hold the elements that the fragment requires.
    fn matches_fragment(&self, held: &Echelon, fragment: Fragment) -> bool {
        let deal = fragment.layout();
        let (lanes, warps) = self.threads.split_at(self.lanes_log2 as usize);
        let row = u64::from(deal.row_bytes()) - 1;
        let unit = u64::from(deal.unit_bytes);
        if u64::from(self.max_bytes) <= row {
            return false;
        }
        // Register bits within a row: elements of a unit, units of a lane.
        let mut own = unit - 1;
        let mut others = warps
            .iter()
            .fold(self.runtime_bits | self.repetition_bits, |bits, c| bits | c);
        for by in deal.rows {
            if let BitSource::Lane(lane) = by {
                others |= lanes[*lane];
            }
        }
        for (i, by) in deal.within.iter().enumerate() {
            match by {
                BitSource::Lane(lane) if lanes[*lane] != unit << i => return false,
                BitSource::Lane(_) => {}
                BitSource::Unit => own |= unit << i,
            }
        }
        let bits = (0..u64::BITS).map(|bit| 1 << bit);
        let mut owned = bits.filter(|bit| own & bit != 0 && *bit >= u64::from(self.element_bytes));
        others & row == 0
            && self.registers.iter().all(|c| c & row & !own == 0)
            && owned.all(|bit| held.contains(bit))
    }
}

/// The accesses by which a thread stores its registers to a buffer, or loads them from it.
///
/// Element `i` of access `x` is in register `access(x).1 ^ element(i)`. In a per-lane access, the byte offset of
/// this element is `(access(x).0 + i * element_bytes) ^ t`, where `t` depends only on the thread. In a matrix
/// access, elements of the same 32-bit word have consecutive indices `i`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Accesses {
    form: AccessForm,
    /// The part of a buffer position that depends on the thread: entry `i` is XORed into the position if bit `i` of
    /// the thread number is set. In a matrix access, the position is that of a matrix row.
    threads: Vec<u64>,
    element_bytes: u32,
    /// log2 of the number of elements in one access.
    vector_log2: u32,
    repetitions_log2: u32,
    /// The part of a buffer position that depends on the element. Elements of a thread are numbered: from low to high
    /// bits, the number consists of the index in an access, the index of the access, and the index of the
    /// repetition. If bit `i` of the number is set, `basis[i].0` is XORed into the position of the element, and
    /// `basis[i].1` into its register number.
    basis: Vec<(u64, u64)>,
    /// Number of wavefronts that all accesses of a warp take, and the number that they would take without bank
    /// conflicts.
    waves: (u32, u32),
    /// Number of byte-permute instructions that a thread needs to pack narrow elements into words before the
    /// stores.
    packing: u32,
}

impl Accesses {
    /// Returns the cheapest accesses. If `neighbours` is given, these are the widest possible per-lane accesses. If
    /// `neighbours` is `None`, they are the cheaper of two options:
    /// - matrix accesses;
    /// - the per-lane accesses with the fewest wavefronts. If several widths have equally few wavefronts, the
    ///   widest one is used.
    ///
    /// Returns `None` if a thread bit or a bit of `runtime_bits` contributes to a repetition bit, or if the
    /// registers do not reach all repetitions.
    pub(crate) fn choose(constraints: &AccessConstraints<'_>) -> Option<Self> {
        let &AccessConstraints {
            registers, threads, ..
        } = constraints;
        let moving = threads
            .iter()
            .fold(constraints.runtime_bits, |bits, c| bits | c);
        if moving & constraints.repetition_bits != 0 {
            return None;
        }
        let held = echelon(registers);
        let unit = u64::from(constraints.element_bytes);
        // Bits below the vector must be register bits alone, or an access is unaligned.
        let run = narrow::<u32>(
            (0..log2_floor(constraints.max_bytes / constraints.element_bytes))
                .take_while(|v| {
                    held.contains(unit << v)
                        && (moving | constraints.repetition_bits) & unit << v == 0
                })
                .count(),
        );
        let with = |vector_log2| Self::with_vector(constraints, &held, vector_log2);
        if let Some(bits) = constraints.neighbours {
            let is_next = |v: &u32| {
                let bit = bits.get(*v as usize).map(|bit| 1 << bit);
                bit.is_some() && held.solve(unit << v) == bit
            };
            return with(narrow((0..run).take_while(is_next).count()));
        }
        let own = if constraints.paddings.is_empty() {
            // All accesses of one width take equally long: they need not be built to be compared.
            let waves =
                |v: u32| constraints.linear_waves(constraints.element_bytes << v).0 << (run - v);
            with((0..=run).min_by_key(|v| (waves(*v), run - v))?)
        } else {
            (0..=run)
                .filter_map(with)
                .min_by_key(|accesses| (accesses.waves.0, run - accesses.vector_log2))
        }?;
        let matrices = AccessForm::matrices(
            constraints.element_bytes,
            constraints.access,
            constraints.target,
        )
        .filter(|_| constraints.is_converged)
        .filter_map(|fragment| Self::with_matrices(constraints, &held, fragment));
        let cost = |accesses: &Self| {
            let (load_store, arithmetic) = accesses.time(constraints.target);
            Cost {
                load_store,
                arithmetic,
                waiting: 0,
            }
            .total()
        };
        std::iter::once(own).chain(matrices).min_by_key(cost)
    }

    /// Returns per-lane accesses of `1 << vector_log2` elements each, or `None` if the registers do not hold that
    /// many adjacent elements.
    fn with_vector(
        constraints: &AccessConstraints<'_>,
        held: &Echelon,
        vector_log2: u32,
    ) -> Option<Self> {
        let unit = u64::from(constraints.element_bytes);
        let within = (unit << vector_log2) - 1;
        let mut basis: Vec<(u64, u64)> = Vec::new();
        for v in 0..vector_log2 {
            basis.push((unit << v, held.solve(unit << v)?));
        }
        basis.extend(access_bits(constraints, held, within)?);
        basis.extend(repetition_basis(constraints, held)?);
        let threads = constraints.threads.to_vec();
        Some(Self::of(
            constraints,
            AccessForm::PerLane,
            threads,
            vector_log2,
            basis,
        ))
    }

    /// Returns accesses by matrix instructions with this fragment, or `None` if the lanes are not arranged as the
    /// fragment requires.
    fn with_matrices(
        constraints: &AccessConstraints<'_>,
        held: &Echelon,
        fragment: Fragment,
    ) -> Option<Self> {
        if !constraints.matches_fragment(held, fragment) {
            return None;
        }
        let deal = fragment.layout();
        let (element, unit) = (constraints.element_bytes, u64::from(deal.unit_bytes));
        let (lanes, warps) = constraints
            .threads
            .split_at(constraints.lanes_log2 as usize);
        let mut others = access_bits(constraints, held, u64::from(deal.row_bytes()) - 1)?;
        let held_at = |position: u64| Some((position, held.solve(position)?));
        let mut basis: Vec<(u64, u64)> = (0..log2_floor(deal.unit_bytes / element))
            .map(|v| held_at(u64::from(element) << v))
            .collect::<Option<_>>()?;
        // Row bits that are units of a lane: those of the registers with the fewest bank conflicts.
        let lane_of = |by: &BitSource| match by {
            BitSource::Lane(lane) => Some(lanes[*lane]),
            BitSource::Unit => None,
        };
        let mut served: Vec<u64> = deal.rows.iter().filter_map(lane_of).collect();
        let mut threads: Vec<u64> = Vec::with_capacity(constraints.threads.len());
        for by in deal.rows {
            threads.push(match lane_of(by) {
                Some(column) => column,
                None => {
                    let waves = |step: &(u64, u64)| {
                        let lanes = [&served[..], &[step.0]].concat();
                        constraints.waves_of(
                            &lanes,
                            AccessForm::Matrices(fragment),
                            deal.row_bytes(),
                        )
                    };
                    let at = (0..others.len()).min_by_key(|i| waves(&others[*i]))?;
                    let step = others.remove(at);
                    served.push(step.0);
                    basis.push(step);
                    step.0
                }
            });
        }
        for (i, by) in deal.within.iter().enumerate() {
            if *by == BitSource::Unit {
                basis.push(held_at(unit << i)?);
            }
        }
        let matrices = others.len().min(deal.most_log2 as usize);
        let vector_log2 = narrow(basis.len() + matrices);
        threads.extend(others[..matrices].iter().map(|step| step.0));
        threads.resize(lanes.len(), 0);
        threads.extend(warps);
        basis.extend(others);
        basis.extend(repetition_basis(constraints, held)?);
        let form = AccessForm::Matrices(fragment);
        Some(Self::of(constraints, form, threads, vector_log2, basis))
    }

    fn of(
        constraints: &AccessConstraints<'_>,
        form: AccessForm,
        threads: Vec<u64>,
        vector_log2: u32,
        basis: Vec<(u64, u64)>,
    ) -> Self {
        let mut accesses = Self {
            form,
            threads,
            element_bytes: constraints.element_bytes,
            vector_log2,
            repetitions_log2: constraints.repetition_bits.count_ones(),
            basis,
            waves: (0, 0),
            packing: 0,
        };
        accesses.waves = accesses.count_waves(constraints);
        accesses.packing = accesses.count_packing(constraints);
        accesses
    }

    fn count_waves(&self, constraints: &AccessConstraints<'_>) -> (u32, u32) {
        let all = 1 << (narrow::<u32>(self.basis.len()) - self.vector_log2);
        let lanes = &self.threads[..constraints.lanes_log2 as usize];
        // Lanes that supply an address, and the bytes there.
        let (addressing, bytes) = match self.form {
            AccessForm::PerLane => (lanes.len(), self.bytes()),
            AccessForm::Matrices(fragment) => {
                let deal = fragment.layout();
                let matrices_log2 = log2_floor(self.bytes() / deal.lane_bytes()) as usize;
                (deal.rows.len() + matrices_log2, deal.row_bytes())
            }
        };
        if constraints.paddings.is_empty() {
            let (waves, phases) = constraints.waves_of(lanes, self.form, bytes);
            let idle = lanes.len() - addressing;
            return ((waves * all) >> idle, (phases * all) >> idle);
        }
        let mut sum = Wavefronts::default();
        for x in 0..all as usize {
            let addresses: Vec<_> = (0..1 << addressing)
                .map(|lane| apply(lanes, lane) ^ self.access(x).0)
                .map(|position| Some(padded(constraints.paddings, position)))
                .collect();
            sum += constraints
                .target
                .wavefronts(&addresses, bytes, constraints.access);
        }
        (narrow(sum.taken), narrow(sum.ideal))
    }

    /// Returns the number of byte-permute instructions that a thread executes to pack elements before all stores,
    /// or 0 for loads. Elements in adjacent registers need no byte permutes, because they are assumed to share a
    /// word already.
    fn count_packing(&self, constraints: &AccessConstraints<'_>) -> u32 {
        let word_log2 = self
            .vector_log2
            .min(log2_floor(WORD_BYTES / self.element_bytes.min(WORD_BYTES)));
        let is_run = (0..word_log2).all(|v| self.basis[v as usize].1 == 1 << v);
        if is_run || constraints.access == Access::Load {
            return 0;
        }
        let words = 1 << (narrow::<u32>(self.basis.len()) - word_log2);
        words * ((1 << word_log2) - 1)
    }

    pub(crate) fn form(&self) -> AccessForm {
        self.form
    }

    /// Returns a list whose entry `i` is XORed into the position whose address a thread supplies, if bit `i` of the
    /// thread number is set. The lane bits come first, followed by the warp bits.
    pub(crate) fn threads(&self) -> &[u64] {
        &self.threads
    }

    pub(crate) fn vector(&self) -> usize {
        1 << self.vector_log2
    }

    pub(crate) fn bytes(&self) -> u32 {
        self.element_bytes << self.vector_log2
    }

    /// Returns the number of accesses that each thread executes in one repetition.
    pub(crate) fn count(&self) -> usize {
        1 << (narrow::<u32>(self.basis.len()) - self.vector_log2 - self.repetitions_log2)
    }

    /// Each register that is accessed in repetition `i` corresponds to a register that is accessed in repetition 0.
    /// Returns the XOR of the numbers of these two registers.
    pub(crate) fn repetition(&self, i: usize) -> u64 {
        let start = self.basis.len() - self.repetitions_log2 as usize;
        self.at(start, i).1
    }

    /// Returns the number of wavefronts that all accesses of a warp take, and the number that they would take
    /// without bank conflicts.
    pub(crate) fn waves(&self) -> (u32, u32) {
        self.waves
    }

    /// Returns the position and the register of the first element of access `x`. The accesses of later repetitions
    /// have higher indices.
    pub(crate) fn access(&self, x: usize) -> (u64, u64) {
        self.at(self.vector_log2 as usize, x)
    }

    /// Returns the XOR of the register numbers of element `i` and element 0 of the same access.
    pub(crate) fn element(&self, i: usize) -> u64 {
        self.at(0, i).1
    }

    /// Returns an echelon form whose [`Echelon::solve`] maps a position to the number of the element there. The low
    /// bits of the number are the index of the element in its access, and the high bits are the index of the
    /// access.
    pub(crate) fn numbers(&self) -> Echelon {
        echelon(self.basis.iter().map(|(position, _)| position))
    }

    fn at(&self, start: usize, x: usize) -> (u64, u64) {
        let chosen = self.basis[start..].iter().enumerate();
        chosen
            .filter(|(i, _)| x >> i & 1 == 1)
            .fold((0, 0), |sum, (_, c)| (sum.0 ^ c.0, sum.1 ^ c.1))
    }

    /// Returns the load-store time and the arithmetic time that one warp needs for all accesses.
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
            ((narrow::<u32>(self.count()) * costs.access) << self.repetitions_log2)
                + (joins + self.packing) * costs.select,
        )
    }

    /// Returns true if no cheaper accesses are possible on the target. This is the case if there are no bank
    /// conflicts, each lane accesses at least one whole bank, and no elements are packed.
    pub(crate) fn is_at_floor(&self, target: &Target) -> bool {
        self.waves.0 == self.waves.1 && self.bytes() >= target.bank_bytes && self.packing == 0
    }
}

/// For each bit of an access's index in its repetition, returns the pair (position, register) of values that are
/// XORed into the position and the register number of the access if this bit is set. The pairs are in the order of
/// the register bits from which they are derived. `within` is the mask of the position bits within one access.
///
/// Returns `None` if no register number has exactly the position of a pair.
fn access_bits(
    constraints: &AccessConstraints<'_>,
    held: &Echelon,
    within: u64,
) -> Option<Vec<(u64, u64)>> {
    let mut access_bits = Vec::new();
    let mut known = Echelon::new();
    for &c in constraints.registers {
        let step = c & !within & !constraints.repetition_bits;
        if step != 0 && known.insert(access_bits.len(), step).is_none() {
            access_bits.push((step, held.solve(step)?));
        }
    }
    Some(access_bits)
}

/// For each bit of a repetition's index, returns the pair (position, register) of values that are XORed into the
/// position and the register number of an access if this bit is set. Returns `None` if the registers do not reach
/// all repetitions.
fn repetition_basis(
    constraints: &AccessConstraints<'_>,
    held: &Echelon,
) -> Option<Vec<(u64, u64)>> {
    let bits = (0..u64::BITS).map(|bit| 1 << bit);
    let repetition_bits = bits.filter(|bit| constraints.repetition_bits & bit != 0);
    repetition_bits
        .map(|bit| Some((bit, held.solve(bit)?)))
        .collect()
}
