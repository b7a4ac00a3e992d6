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
    /// The base register of a group is the first register of the contiguous run that contains the group. A
    /// contiguous run consists of registers whose elements are contiguous in memory. The list is empty if the base
    /// register of each group is the group's first register.
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

    /// Makes the first register of each contiguous run in `runs` the base register of all groups in the run.
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

fn accesses<'c>(
    l: &Lowering<'c>,
    element: Type<'c>,
    pointer: Val<'c>,
    mask: Option<Val<'c>>,
    layout: Option<&TensorLayout>,
    is_plain: bool,
) -> AccessGroups<'c> {
    let Some(layout) = layout else {
        return AccessGroups::scalar(element);
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
    let accesses = AccessGroups::of(element, layout.num_registers(), &widest_at(mask, widest));
    if mask.is_none() {
        return accesses;
    }
    accesses.with_runs(&widest_at(None, MASKED_BITS))
}

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
    let others = view.other().map(|o| l.get(o));
    let mut registers = vec![pointers[0]; pointers.len()];
    for group in &accesses.groups {
        let first = group[0];
        let others = others.as_ref().map(|list| {
            group
                .iter()
                .map(|r| to_memory(l, list[*r], element))
                .collect::<Vec<_>>()
        });
        let mask = masks.as_ref().map(|m| m[first]);
        let (base, offset_bytes) = accesses.base(group);
        let access = GlobalAccess {
            offset_bytes,
            ..accesses.global(pointers[base], mask, &cache, is_volatile)
        };
        let whole = l.gpu.load(&mut l.e, &access, others.as_deref());
        let values = l.e.scatter(whole, access.width, element);
        for (r, value) in group.iter().zip(values) {
            registers[*r] = from_memory(l, value, register_type);
        }
    }
    l.set(view.result(), registers);
    Ok(())
}

pub(crate) fn store<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = tt::Store::of(op).expect("the dispatch goes by kind");
    let (pointer, value, mask) = (view.ptr(), view.value(), view.mask());
    let (element, _) = memory_element(l, pointer)?;
    let layout = l.layout(pointer.r#type())?;
    let cache = cache_policy(view.cache_policy());
    // Only the owner of an element stores.
    let (owner, registers) = owner(l, layout.as_deref());
    let is_plain = owner.is_none() && cache == CachePolicy::default();
    let accesses = accesses(l, element, pointer, mask, layout.as_deref(), is_plain);
    let (pointers, values) = (l.get(pointer), l.get(value));
    let masks = mask.map(|m| l.get(m));
    for group in &accesses.groups {
        if group[0] & registers != 0 {
            continue;
        }
        let first = group[0];
        let mask = match (masks.as_ref().map(|m| m[first]), owner) {
            (Some(mask), Some(owner)) => Some(l.e.and(mask, owner)),
            (mask, owner) => mask.or(owner),
        };
        let values: Vec<Val<'c>> = group
            .iter()
            .map(|r| to_memory(l, values[*r], element))
            .collect();
        let whole = l.e.gather(&values);
        let (base, offset_bytes) = accesses.base(group);
        let access = GlobalAccess {
            offset_bytes,
            ..accesses.global(pointers[base], mask, &cache, false)
        };
        l.gpu.store(&mut l.e, &access, whole);
    }
    Ok(())
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
