//! Conversions through swizzled shared memory: stores, a barrier, loads.
//!
//! [`swizzle`](super::swizzle) assigns an offset to each element, and [`Accesses`] groups elements into vector
//! accesses. Each side (source and destination) then is a linear map from (register, lane, warp) to an offset. The
//! contribution of the thread is computed once at run time. The contribution of the register is a constant of each
//! access.

use super::error::{PlanError, PlanErrorKind};
use super::sides::{SideColumns, Sides};
use super::swizzle::{Favour, ScratchSwizzle, SwizzleOptions, swizzle};
use super::{ConvertPlan, PlanKind, PlanOptions};
use crate::number::narrow;
use crate::plan::gf2::{apply, echelon};
use crate::plan::memory::{AccessConstraints, AccessForm, Accesses};
use crate::plan::program::{Address, Builder, Cost, MemorySpace, Operands, ValueId};
use crate::target::{Access, Target};

/// Returns the accesses of one side of a conversion: the stores of the source registers, or the loads of the
/// destination registers. The offsets of the accesses count bytes.
///
/// Returns `None` if an offset bit that determines the repetition depends on the lane or the warp.
fn accesses(
    side: &SideColumns,
    sides: &Sides,
    swizzle: &ScratchSwizzle,
    container_bits: u32,
    access: Access,
    target: &Target,
) -> Option<Accesses> {
    let e = echelon(&swizzle.basis);
    let bytes = container_bits / 8;
    let offsets = |columns: &[u64]| -> Option<Vec<u64>> {
        let offset = |c: &u64| Some(e.solve(*c)? * u64::from(bytes));
        columns.iter().map(offset).collect()
    };
    let bits = narrow::<u32>(swizzle.basis.len());
    let repetitions = (1u64 << swizzle.reps_log2) - 1;
    Accesses::choose(&AccessConstraints {
        registers: &offsets(&side.reg)?,
        threads: &offsets(&side.thread)?,
        lanes_log2: sides.lanes_log2,
        element_bytes: bytes,
        max_bytes: target.max_shared_vector_bits / 8,
        neighbours: None,
        runtime_bits: 0,
        repetition_bits: (repetitions << (bits - swizzle.reps_log2)) * u64::from(bytes),
        paddings: &[],
        access,
        is_converged: true,
        target,
    })
}

/// A way to move all elements through swizzled shared memory. It consists of the swizzle, the stores of the source,
/// and the loads of the destination.
#[derive(Clone, Debug)]
pub(super) struct Route {
    swizzle: ScratchSwizzle,
    store: Accesses,
    load: Accesses,
    /// Memory from which threads load. It is the scratch memory of either their own block or all blocks of the
    /// cluster.
    from: MemorySpace,
    bytes: u32,
}

/// Returns the options of the swizzles to try. Swizzles for vector accesses come first, starting with the widest
/// vectors. Swizzles for matrix instructions follow.
pub(super) fn choices(
    container_bits: u32,
    reps_log2: u32,
    target: &Target,
) -> impl Iterator<Item = SwizzleOptions> {
    let widest = target.max_shared_vector_bits;
    let choices = [
        (widest, Favour::Auto),
        (widest, Favour::Source),
        (widest, Favour::Destination),
        (widest / 2, Favour::Auto),
        (widest / 4, Favour::Auto),
    ];
    // Common registers number the repetitions, which leaves one side with wide accesses.
    let repeated = [(0, Favour::Source), (0, Favour::Destination)];
    let repeated = repeated.into_iter().filter(move |_| reps_log2 > 0);
    let matrices = [Access::Store, Access::Load].map(|access| {
        let forms = AccessForm::matrices(container_bits / 8, access, target);
        forms.map(move |form| (widest, Favour::Rows(access, form)))
    });
    let choices = choices.into_iter().chain(repeated);
    let choices = choices.chain(matrices.into_iter().flatten());
    choices.map(move |(max_bits, favour)| SwizzleOptions {
        max_vector_bits: max_bits.max(container_bits),
        favour,
        reps_log2,
    })
}

impl Route {
    /// Returns the cheapest route that has `1 << reps_log2` repetitions and one of the swizzles of [`choices`].
    /// Returns `None` if the accesses cannot be divided into that many repetitions.
    pub(super) fn best(
        sides: &Sides,
        container_bits: u32,
        reps_log2: u32,
        target: &Target,
    ) -> Option<Self> {
        let mut best: Option<(u32, Self)> = None;
        for choice in choices(container_bits, reps_log2, target) {
            let Some(swizzle) = swizzle(sides, container_bits, choice, target) else {
                continue;
            };
            if best.as_ref().is_some_and(|b| b.1.swizzle == swizzle) {
                continue;
            }
            let Some(route) = Self::through(swizzle, sides, container_bits, target) else {
                continue;
            };
            let cost = route.cost(target);
            // Nothing beats full width without conflicts on both sides.
            let done = best.is_none()
                && target.max_shared_vector_bits == 8 * route.store.bytes()
                && route.store.bytes() == route.load.bytes()
                && route.store.is_at_floor(target)
                && route.load.is_at_floor(target);
            if best.as_ref().is_none_or(|b| cost < b.0) {
                best = Some((cost, route));
            }
            if done {
                break;
            }
        }
        best.map(|b| b.1)
    }

    /// Returns the route through a buffer with the given swizzle. Returns `None` if the accesses of the source or of
    /// the destination cannot be divided into the swizzle's repetitions.
    pub(super) fn through(
        swizzle: ScratchSwizzle,
        sides: &Sides,
        container_bits: u32,
        target: &Target,
    ) -> Option<Self> {
        let side = |s, access| accesses(s, sides, &swizzle, container_bits, access, target);
        let store = side(&sides.src, Access::Store)?;
        let load = side(&sides.dst, Access::Load)?;
        Some(Self {
            swizzle,
            store,
            load,
            from: MemorySpace::Scratch,
            bytes: container_bits / 8,
        })
    }

    /// Returns a copy of this route in which the loads are replaced by `load`. The new loads read the scratch
    /// memory of all blocks of the cluster.
    pub(super) fn with_cluster_loads(self, load: Accesses) -> Self {
        Self {
            load,
            from: MemorySpace::Cluster,
            ..self
        }
    }

    /// Returns the swizzle of the scratch memory.
    pub(super) const fn swizzle(&self) -> &ScratchSwizzle {
        &self.swizzle
    }

    /// Returns the cost of all accesses that one warp executes.
    pub(super) fn cost(&self, target: &Target) -> u32 {
        let (load_store, arithmetic) = self.time(target);
        let cost = Cost {
            load_store,
            arithmetic,
            waiting: 0,
        };
        cost.total()
    }

    /// Returns the number of bytes of shared memory that one repetition needs.
    pub(super) fn scratch_bytes(&self) -> u32 {
        self.bytes << (narrow::<u32>(self.swizzle.basis.len()) - self.swizzle.reps_log2)
    }

    /// Returns the load-store time and the arithmetic time that one warp needs for all repetitions.
    pub(super) fn time(&self, target: &Target) -> (u32, u32) {
        let (a, b) = (self.store.time(target), self.load.time(target));
        (a.0 + b.0, a.1 + b.1)
    }

    /// Returns a function that computes the address of an access from the constant part of its offset.
    fn address(
        b: &mut Builder,
        side: &Accesses,
        space: MemorySpace,
        buffer: u32,
    ) -> impl Fn(u64) -> Address + use<> {
        let columns: Vec<u32> = side.threads().iter().map(|&c| narrow::<u32>(c)).collect();
        let base = b.address_base(columns, space);
        let possible = b.possible_bits(base);
        move |offset| Address {
            base,
            xor: narrow::<u32>(offset) & possible,
            add: (narrow::<u32>(offset) & !possible) + buffer,
            numbers: Operands::default(),
        }
    }

    /// Emits the stores of repetition `rep`. `source` returns the value of a source register.
    pub(super) fn store(
        &self,
        b: &mut Builder,
        rep: usize,
        buffer: u32,
        source: impl Fn(u64) -> ValueId,
    ) {
        let side = &self.store;
        let rep = side.repetition(rep);
        let address = Self::address(b, side, MemorySpace::Scratch, buffer);
        let mut values = Vec::with_capacity(side.vector());
        for x in 0..side.count() {
            let (offset, first) = side.access(x);
            values.clear();
            values.extend((0..side.vector()).map(|i| source(first ^ rep ^ side.element(i))));
            let AccessForm::Matrices(fragment) = side.form() else {
                b.store(address(offset), &values);
                continue;
            };
            if self.per_word() > 1 {
                values = values
                    .chunks(self.per_word())
                    .map(|parts| b.pack(parts))
                    .collect();
            }
            b.store_matrices(address(offset), &values, fragment);
        }
    }

    /// Emits the loads of one repetition, and appends the loaded values to `loaded`. Their order is the one that
    /// [`Route::loaded_index`] describes.
    pub(super) fn load(&self, b: &mut Builder, buffer: u32, loaded: &mut Vec<ValueId>) {
        let side = &self.load;
        let address = Self::address(b, side, self.from, buffer);
        let count = narrow(side.vector());
        for x in 0..side.count() {
            let address = address(side.access(x).0);
            let AccessForm::Matrices(fragment) = side.form() else {
                let first = b.load(address, count, false);
                loaded.extend((0..count).map(|i| first.plus(i)));
                continue;
            };
            let per_word = narrow(self.per_word());
            let words = count / per_word;
            let first = b.load_matrices(address, words, fragment);
            for word in (0..words).map(|i| first.plus(i)) {
                let first = if per_word > 1 {
                    b.unpack(word, per_word)
                } else {
                    word
                };
                loaded.extend((0..per_word).map(|i| first.plus(i)));
            }
        }
    }

    /// Returns the number of elements that a 32-bit word holds. For elements of 32 or 64 bits, this is 1.
    fn per_word(&self) -> usize {
        4 / self.bytes.min(4) as usize
    }

    /// For each bit of a destination register's number, returns the value that is XORed into the register's index
    /// in the list `loaded` if this bit is set.
    ///
    /// [`Route::load`] appends to this list in every repetition. The entry at the resulting index is the value of
    /// the destination register.
    pub(super) fn loaded_index(&self, side: &SideColumns) -> Vec<u64> {
        let offsets = echelon(&self.swizzle.basis);
        let offset = |c: &u64| offsets.solve(*c).map(|at| at * u64::from(self.bytes));
        let positions: Vec<_> = side.reg.iter().map(offset).collect();
        self.loaded_at(positions)
    }

    /// Converts the effect of register bits on the byte offset of a load to their effect on an index in the list
    /// `loaded` (see [`Route::loaded_index`]). Entry `i` of `positions` is the value that is XORed into the byte
    /// offset if bit `i` of a destination register's number is set. Entry `i` of the result is the value that is
    /// then XORed into the index. It is 0 if the entry in `positions` is `None`, or is not the offset of a loaded
    /// element.
    pub(super) fn loaded_at(&self, positions: impl IntoIterator<Item = Option<u64>>) -> Vec<u64> {
        let numbers = self.load.numbers();
        let positions = positions.into_iter();
        let number = |position: Option<u64>| numbers.solve(position?);
        positions.map(|at| number(at).unwrap_or(0)).collect()
    }

    /// Records the access widths and the number of repetitions in the plan's `reason`.
    pub(super) fn explain(&self, plan: &mut ConvertPlan) {
        plan.reason.store_bytes = self.store.bytes();
        plan.reason.load_bytes = self.load.bytes();
        plan.reason.repetitions = 1 << self.swizzle.reps_log2;
    }
}

/// Returns the cheapest plan through shared memory.
///
/// # Errors
/// Returns an error if the scratch buffer exceeds the limit even with the largest possible number of repetitions.
pub(super) fn plan_shared(
    sides: &Sides,
    elem_bits: u32,
    options: &PlanOptions,
    target: &Target,
) -> Result<ConvertPlan, PlanError> {
    let container_bits = elem_bits.max(8);
    let limit = options
        .scratch_limit
        .unwrap_or(u32::MAX)
        .min(target.max_shared_bytes);
    let needed = (u64::from(container_bits) / 8) << sides.bits;
    let reps_log2 = (0..sides.bits)
        .find(|r| needed >> r <= u64::from(limit))
        .unwrap_or(sides.bits);
    let Some(route) = Route::best(sides, container_bits, reps_log2, target) else {
        // The largest number of repetitions needs the least memory.
        let most = (0..reps_log2)
            .rev()
            .find(|reps| Route::best(sides, container_bits, *reps, target).is_some());
        let needed = needed >> most.unwrap_or(0);
        return Err(PlanErrorKind::Scratch {
            needed,
            limit,
            target: target.name,
        }
        .into());
    };
    let mut b = sides.builder(elem_bits);
    let scope = sides.barrier_scope();
    let mut loaded: Vec<ValueId> = Vec::new();
    for rep in 0..1usize << reps_log2 {
        if rep > 0 {
            b.barrier(scope);
        }
        route.store(&mut b, rep, 0, |register| ValueId(narrow(register)));
        b.barrier(scope);
        route.load(&mut b, 0, &mut loaded);
    }
    let columns = route.loaded_index(&sides.dst);
    let results = (0..1u64 << columns.len())
        .map(|r| loaded[narrow::<usize>(apply(&columns, r))])
        .collect();
    let program = b.finish(results, route.scratch_bytes(), target);
    let mut plan = ConvertPlan::new(PlanKind::Shared, program);
    route.explain(&mut plan);
    Ok(plan)
}
