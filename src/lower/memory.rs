//! Global loads and stores, vectorised by contiguity, alignment and masks.
//!
//! Registers with contiguous addresses share an access, up to the widest access of the GPU. Every replica of an element
//! is loaded, but only the owner stores. Predication is in `gpu`.

use super::emit::Emitter;
use super::gpu::{CachePolicy, GlobalAccess, Gpu, SecondCache};
use super::state::{Lowering, Outcome};
use super::types::{bits_of, bits_of_several, element_of, memory_type, scalar_type};
use crate::ir::TensorLayout;
use crate::ir::ops::tt;
use crate::ir::verify::policy;
use crate::sys;
use crate::sys::Diagnostic;
use crate::sys::build::{Op, Val};
use linear_layout::access::VectorAccess;
use linear_layout::layout::Dim;
use melior::ir::{Attribute, Type, ValueLike};

/// A partition of registers into vector accesses.
#[derive(Clone, Debug)]
pub(super) struct AccessGroups<'c> {
    /// Element type in memory, e.g. `i8` for a boolean.
    pub(super) element: Type<'c>,
    pub(super) element_bits: u32,
    /// The registers of each access. The register with the lowest address comes first.
    pub(super) groups: Vec<Vec<usize>>,
    alignment_bytes: u32,
    /// For each register: its base register, and its distance from the base register in elements.
    ///
    /// The base register of a group is the first register of the run that contains the group. A run consists of registers
    /// with consecutive addresses. The list is empty if the base register of each group is the group's first register.
    bases: Vec<(usize, u32)>,
}

impl<'c> AccessGroups<'c> {
    pub(super) fn of(element: Type<'c>, num_registers: usize, vector: &VectorAccess) -> Self {
        let groups = (0..num_registers)
            .filter(|r| vector.is_first(*r))
            .map(|first| vector.registers_of(first).collect())
            .collect();
        let alignment_bytes = u32::try_from(vector.alignment_bytes()).expect("at most 16 bytes");
        Self {
            element,
            element_bits: bits_of(element),
            groups,
            alignment_bytes,
            bases: Vec::new(),
        }
    }

    /// Makes the first register of each run in `runs` the base register of all groups in the run.
    fn with_runs(mut self, runs: &VectorAccess) -> Self {
        let num_registers = self.groups.len() * self.width();
        self.bases = (0..num_registers).map(|r| (r, 0)).collect();
        for first in (0..num_registers).filter(|r| runs.is_first(*r)) {
            for (distance, register) in (0..).zip(runs.registers_of(first)) {
                self.bases[register] = (first, distance);
            }
        }
        self
    }

    /// Returns the base register of `group`, and the distance from the base in bytes.
    fn base(&self, group: &[usize]) -> (usize, u32) {
        let (base, distance) = self.bases.get(group[0]).copied().unwrap_or((group[0], 0));
        (base, distance * (self.element_bits / 8))
    }

    pub(super) fn scalar(element: Type<'c>) -> Self {
        let element_bits = bits_of(element);
        Self {
            element,
            element_bits,
            groups: vec![vec![0]],
            alignment_bytes: element_bits / 8,
            bases: Vec::new(),
        }
    }

    pub(super) fn width(&self) -> usize {
        self.groups[0].len()
    }

    pub(super) fn bits(&self) -> u32 {
        bits_of_several(self.element_bits, self.width())
    }

    pub(super) fn global<'a>(
        &self,
        pointer: Val<'c>,
        mask: Option<Val<'c>>,
        cache: &'a CachePolicy,
        is_volatile: bool,
    ) -> GlobalAccess<'a, 'c> {
        GlobalAccess {
            pointer,
            offset_bytes: 0,
            mask,
            cache,
            is_volatile,
            element: self.element,
            element_bits: self.element_bits,
            width: self.width(),
            alignment_bytes: self.alignment_bytes,
        }
    }

    /// Splits the vector of each group. Returns a value for each register.
    fn scatter(&self, l: &mut Lowering<'c>, vectors: &[Val<'c>]) -> Vec<Val<'c>> {
        let mut registers = vec![vectors[0]; vectors.len() * self.width()];
        for (group, vector) in self.groups.iter().zip(vectors) {
            let values = l.e.scatter(*vector, self.width(), self.element);
            for (register, value) in group.iter().zip(values) {
                registers[*register] = value;
            }
        }
        registers
    }

    /// Gathers the values of the registers into a vector for each group.
    fn gather(&self, l: &mut Lowering<'c>, registers: &[Val<'c>]) -> Vec<Val<'c>> {
        let groups = self.groups.iter();
        groups
            .map(|group| {
                let values: Vec<Val<'c>> = group.iter().map(|r| registers[*r]).collect();
                l.e.gather(&values)
            })
            .collect()
    }

    pub(super) fn vector_type(&self, l: &Lowering<'c>) -> Type<'c> {
        if self.width() == 1 {
            self.element
        } else {
            l.e.vector_type(self.width(), self.element)
        }
    }
}

/// Returns the types of the element that `pointer` points to: its type in memory, and its type in registers.
pub(super) fn memory_element<'c>(
    l: &Lowering<'c>,
    pointer: Val<'c>,
) -> Result<(Type<'c>, Type<'c>), Diagnostic> {
    let element = element_of(pointer.r#type());
    let (pointee, _) = sys::pointer(element)
        .ok_or_else(|| Diagnostic::new(format!("requires a pointer, but got `{element}`")))?;
    let register = scalar_type(l.e.context, pointee).ok_or_else(|| {
        Diagnostic::new(format!(
            "pointee type `{pointee}` cannot be converted to an LLVM type"
        ))
    })?;
    Ok((memory_type(l.e.context, pointee)?, register))
}

/// The accesses of a load or store.
struct Accesses<'c> {
    groups: AccessGroups<'c>,
    /// Wider accesses without masks, for threads whose masks are true for the first and the last element of each access. Masks
    /// such as `offset < n` are true in most threads, but differ within an access unless `n` is known to be divisible.
    unmasked: Option<AccessGroups<'c>>,
}

fn accesses<'c>(
    l: &Lowering<'c>,
    element: Type<'c>,
    pointer: Val<'c>,
    mask: Option<Val<'c>>,
    layout: Option<&TensorLayout>,
    is_plain: bool,
) -> Accesses<'c> {
    let Some(layout) = layout else {
        let groups = AccessGroups::scalar(element);
        return Accesses {
            groups,
            unmasked: None,
        };
    };
    // The widest accesses take neither masks nor cache modifiers.
    let widest = if is_plain && mask.is_none() {
        l.gpu.target.max_global_vector_bits
    } else {
        MASKED_BITS
    };
    let widest_at = |mask, widest| {
        l.widths()
            .vector(pointer, mask, bits_of(element), &layout.unique, widest)
    };
    let bits = bits_of(element);
    let run_bits = match layout.num_registers() <= MOST_SHARING {
        true => MASKED_BITS,
        false => bits,
    };
    let runs = l
        .widths()
        .consecutive(pointer, bits, &layout.unique, run_bits);
    let groups =
        |vector| AccessGroups::of(element, layout.num_registers(), &vector).with_runs(&runs);
    let masked = widest_at(mask, widest);
    let unmasked = mask.and_then(|mask| {
        let wide = widest_at(None, MASKED_BITS);
        l.widths().unmasked_vector(mask, &masked, wide)
    });
    Accesses {
        groups: groups(masked),
        unmasked: unmasked.map(groups),
    }
}

/// Emits the condition that `masks` are true for the first and the last element of each access.
fn are_all_active<'c>(l: &mut Lowering<'c>, groups: &[Vec<usize>], masks: &[Val<'c>]) -> Val<'c> {
    let ends = groups
        .iter()
        .flat_map(|group| [group[0], group[group.len() - 1]]);
    ends.map(|register| masks[register])
        .reduce(|all, mask| l.e.and(all, mask))
        .expect("a tensor has elements")
}

/// Number of elements per thread up to which consecutive accesses share an address.
///
/// If the loaded elements do not fit in the registers at once, some loads have to wait. `ptxas` delays loads that have an
/// address each; with shared addresses, it spills instead (12 KB in a kernel of 512 loads per tensor).
const MOST_SHARING: usize = 128;

/// Width in bits of the widest access with a mask, a cache policy or a memory order.
pub const MASKED_BITS: u32 = 128;

pub(super) fn cache_policy(of: Option<Attribute<'_>>) -> CachePolicy {
    let word = |key| policy(of, key).filter(|word| word != "none");
    // `eviction_policy` applies to both caches, with the default `evict_normal`. `l1` and `l2_primary` apply to one
    // cache.
    let both = word("eviction_policy").filter(|name| name != "evict_normal");
    let number = |key| word(key)?.split(' ').next().map(str::to_owned);
    let fraction = number("l2_fraction").and_then(|text| text.parse::<f32>().ok());
    let second = both.clone().or_else(|| word("l2_primary"));
    CachePolicy {
        modifier: word("cache_modifier").unwrap_or_default(),
        first: both.or_else(|| word("l1")).unwrap_or_default(),
        second: second.map(|primary| SecondCache {
            primary,
            secondary: word("l2_secondary").unwrap_or_default(),
            fraction: fraction.unwrap_or(1.0).to_bits(),
        }),
        prefetch_bytes: number("l2_prefetch_size").and_then(|text| text.parse().ok()),
    }
}

pub(crate) fn load<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = tt::Load::of(op).expect("the dispatch goes by kind");
    let (pointer, mask) = (view.ptr(), view.mask());
    let (element, register_type) = memory_element(l, pointer)?;
    let layout = l.layout(pointer.r#type())?;
    let is_volatile = view.is_volatile();
    let cache = cache_policy(view.cache_policy());
    let is_plain = !is_volatile && cache == CachePolicy::default();
    let accesses = accesses(l, element, pointer, mask, layout.as_deref(), is_plain);
    let pointers = l.get(pointer);
    let masks = mask.map(|m| l.get(m));
    let others = view.other().map(|o| registers_to_memory(l, o, element));
    let operands = LoadOperands {
        pointers: &pointers,
        masks: masks.as_deref(),
        others,
        cache: &cache,
        is_volatile,
    };
    let groups = &accesses.groups;
    let registers = match (&accesses.unmasked, &masks) {
        (Some(wide), Some(masks)) => {
            let condition = are_all_active(l, &wide.groups, masks);
            let fork = l.e.fork(condition);
            let loaded = operands.unmasked().load(l, wide);
            let branch = l.e.begin_else(fork, &loaded);
            let loaded = operands.load(l, groups);
            let registers = groups.scatter(l, &loaded);
            let loaded = wide.gather(l, &registers);
            let joined = l.e.join(branch, &loaded);
            wide.scatter(l, &joined)
        }
        _ => {
            let loaded = operands.load(l, groups);
            groups.scatter(l, &loaded)
        }
    };
    let registers = registers.into_iter();
    let registers = registers.map(|value| from_memory(l, value, register_type));
    let registers: Vec<Val<'c>> = registers.collect();
    l.set(view.result(), registers);
    Ok(())
}

struct LoadOperands<'a, 'c> {
    pointers: &'a [Val<'c>],
    masks: Option<&'a [Val<'c>]>,
    others: Option<Vec<Val<'c>>>,
    cache: &'a CachePolicy,
    is_volatile: bool,
}

impl<'c> LoadOperands<'_, 'c> {
    fn unmasked(&self) -> Self {
        Self {
            masks: None,
            others: None,
            ..*self
        }
    }

    /// Emits a load of each group. Returns the loaded vectors.
    fn load(&self, l: &mut Lowering<'c>, accesses: &AccessGroups<'c>) -> Vec<Val<'c>> {
        let groups = accesses.groups.iter();
        groups
            .map(|group| {
                let others = self
                    .others
                    .as_ref()
                    .map(|list| group.iter().map(|r| list[*r]).collect::<Vec<_>>());
                let mask = self.masks.map(|masks| masks[group[0]]);
                let (base, offset_bytes) = accesses.base(group);
                let access = GlobalAccess {
                    offset_bytes,
                    ..accesses.global(self.pointers[base], mask, self.cache, self.is_volatile)
                };
                l.gpu.load(&mut l.e, &access, others.as_deref())
            })
            .collect()
    }
}

pub(crate) fn store<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = tt::Store::of(op).expect("the dispatch goes by kind");
    let (pointer, value, mask) = (view.ptr(), view.value(), view.mask());
    let (element, _) = memory_element(l, pointer)?;
    let layout = l.layout(pointer.r#type())?;
    let cache = cache_policy(view.cache_policy());
    // Only the owner of an element stores.
    let (owner, replicas) = owner(l, layout.as_deref());
    let is_plain = owner.is_none() && cache == CachePolicy::default();
    let accesses = accesses(l, element, pointer, mask, layout.as_deref(), is_plain);
    let pointers = l.get(pointer);
    let values = registers_to_memory(l, value, element);
    let masks = mask.map(|m| l.get(m));
    let operands = StoreOperands {
        pointers: &pointers,
        values: &values,
        masks: masks.as_deref(),
        owner,
        replicas,
        cache: &cache,
    };
    match (&accesses.unmasked, &masks, owner) {
        (Some(wide), Some(masks), None) => {
            let condition = are_all_active(l, &wide.groups, masks);
            let fork = l.e.fork(condition);
            operands.unmasked().store(l, wide);
            let branch = l.e.begin_else(fork, &[]);
            operands.store(l, &accesses.groups);
            l.e.join(branch, &[]);
        }
        _ => operands.store(l, &accesses.groups),
    }
    Ok(())
}

struct StoreOperands<'a, 'c> {
    pointers: &'a [Val<'c>],
    values: &'a [Val<'c>],
    masks: Option<&'a [Val<'c>]>,
    /// See [`owner`].
    owner: Option<Val<'c>>,
    replicas: usize,
    cache: &'a CachePolicy,
}

impl<'c> StoreOperands<'_, 'c> {
    fn unmasked(&self) -> Self {
        Self {
            masks: None,
            ..*self
        }
    }

    fn store(&self, l: &mut Lowering<'c>, accesses: &AccessGroups<'c>) {
        for group in &accesses.groups {
            if group[0] & self.replicas != 0 {
                continue;
            }
            let mask = match (self.masks.map(|masks| masks[group[0]]), self.owner) {
                (Some(mask), Some(owner)) => Some(l.e.and(mask, owner)),
                (mask, owner) => mask.or(owner),
            };
            let values: Vec<Val<'c>> = group.iter().map(|r| self.values[*r]).collect();
            let whole = l.e.gather(&values);
            let (base, offset_bytes) = accesses.base(group);
            let access = GlobalAccess {
                offset_bytes,
                ..accesses.global(self.pointers[base], mask, self.cache, false)
            };
            l.gpu.store(&mut l.e, &access, whole);
        }
    }
}

type Index<'c> = fn(Gpu, &mut Emitter<'c>) -> Val<'c>;

/// Selects one owner among the replicas of each element. Returns a condition on the thread, and a mask of register
/// bits.
///
/// The condition is true in the threads that own elements. It is `None` if all threads own elements. The mask
/// contains those bits of the register index that only distinguish replicas.
pub(super) fn owner<'c>(
    l: &mut Lowering<'c>,
    layout: Option<&TensorLayout>,
) -> (Option<Val<'c>>, usize) {
    let (threads, ctas, registers) = match layout {
        Some(layout) => {
            let free = layout.unique.free_variable_masks();
            let lanes = free.mask(Dim::LANE);
            let warps = free.mask(Dim::WARP) << l.gpu.target.lanes_log2();
            let registers = usize::try_from(free.mask(Dim::REGISTER)).unwrap_or_default();
            let narrow = |mask: u64| u32::try_from(mask).unwrap_or(u32::MAX);
            (
                narrow(lanes | warps),
                narrow(free.mask(Dim::BLOCK)),
                registers,
            )
        }
        // The first thread of the cluster owns a scalar.
        None => (l.gpu.threads() - 1, l.gpu.num_ctas - 1, 0),
    };
    let mut bits = None;
    for (unit, mask) in [
        (Gpu::thread_id as Index<'c>, threads),
        (Gpu::cta_rank, ctas),
    ] {
        if mask != 0 {
            let (unit, mask) = (unit(l.gpu, &mut l.e), l.e.i32(mask));
            let free = l.e.and(unit, mask);
            bits = Some(bits.map_or(free, |bits| l.e.or(bits, free)));
        }
    }
    (bits.map(|bits| l.e.is_zero(bits)), registers)
}

/// Returns the registers of `tensor`, each converted to its memory type.
fn registers_to_memory<'c>(
    l: &mut Lowering<'c>,
    tensor: Val<'c>,
    element: Type<'c>,
) -> Vec<Val<'c>> {
    let registers = l.get(tensor);
    registers
        .iter()
        .map(|value| to_memory(l, *value, element))
        .collect()
}

/// Converts a value to its memory type. A boolean occupies a byte.
pub(super) fn to_memory<'c>(l: &mut Lowering<'c>, value: Val<'c>, element: Type<'c>) -> Val<'c> {
    if value.r#type() == l.e.types.i1 {
        l.e.zext(value, element)
    } else {
        value
    }
}

pub(super) fn from_memory<'c>(l: &mut Lowering<'c>, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
    if type_ == l.e.types.i1 && value.r#type() != type_ {
        l.e.is_nonzero(value)
    } else {
        value
    }
}
