//! Global accesses as PTX, for predicates and cache operators that LLVM lacks.

use crate::ir::builders::nvvm::{self, LoadCacheModifierKind};
use crate::lower::emit::{AccessFlags, Emitter};
use crate::lower::gpu::access::{CachePolicy, GlobalAccess, SecondCache, SharedCopy};
use crate::lower::gpu::isa::Gpu;
use crate::sys::build::Val;
use melior::ir::Type;

/// Emits a load. A masked load is predicated, and its result registers first receive the fallback value.
pub(super) fn load<'c>(
    gpu: Gpu,
    e: &mut Emitter<'c>,
    access: &GlobalAccess<'_, 'c>,
    others: Option<&[Val<'c>]>,
) -> Val<'c> {
    // `ld.volatile` takes no cache operators.
    let cache = if access.is_volatile {
        CacheOperators::default()
    } else {
        CacheOperators::of(gpu, e, access.cache, false)
    };
    if access.mask.is_none() && cache == CacheOperators::default() {
        return access.unmasked_load(e, AccessFlags::default());
    }
    let fallback = access.fallback(e, others);
    let words = Words::of(e, access);
    let fallback = words.split(e, fallback);
    let mut operands = vec![access.pointer];
    let mut constraints: Vec<String> = vec![format!("={}", words.constraint); words.count];
    constraints.push("l".to_owned());
    let mut text = String::new();
    let predicate = match access.mask {
        Some(mask) => {
            operands.push(mask);
            constraints.push("b".to_owned());
            for (i, word) in fallback.iter().enumerate() {
                operands.push(*word);
                constraints.push(words.constraint.to_owned());
                text += &format!("mov.{} ${i}, ${};\n", words.register, words.count + 2 + i);
            }
            format!("@${} ", words.count + 1)
        }
        None => String::new(),
    };
    let volatile = if access.is_volatile { ".volatile" } else { "" };
    let policy = cache.push_policy(&mut operands, &mut constraints, words.count);
    text += &format!(
        "{predicate}ld{volatile}.global{}{}.{} {}, [${}{}]{policy};",
        cache.qualifiers,
        words.suffix(),
        words.untyped,
        words.list(0),
        words.count,
        offset(access)
    );
    let result = words.result_type(e);
    let whole = e.inline_asm(&text, &constraints.join(","), &operands, Some(result));
    let type_ = access.type_(e);
    words.join(e, whole.expect("a load has a result"), type_)
}

pub(super) fn store<'c>(
    gpu: Gpu,
    e: &mut Emitter<'c>,
    access: &GlobalAccess<'_, 'c>,
    whole: Val<'c>,
) {
    let cache = CacheOperators::of(gpu, e, access.cache, true);
    if access.mask.is_none() && cache == CacheOperators::default() {
        access.unmasked_store(e, whole, AccessFlags::default());
        return;
    }
    let words = Words::of(e, access);
    let mut operands = vec![access.pointer];
    let mut constraints = vec!["l".to_owned()];
    let values = words.split(e, whole);
    constraints.extend(vec![words.constraint.to_owned(); values.len()]);
    operands.extend(values);
    let mut predicate = String::new();
    if let Some(mask) = access.mask {
        predicate = format!("@${} ", operands.len());
        operands.push(mask);
        constraints.push("b".to_owned());
    }
    let policy = cache.push_policy(&mut operands, &mut constraints, 0);
    let text = format!(
        "{predicate}st.global{}{}.{} [$0{}], {}{policy};",
        cache.qualifiers,
        words.suffix(),
        words.untyped,
        offset(access),
        words.list(1)
    );
    e.inline_asm(&text, &constraints.join(","), &operands, None);
}

/// Emits a `cp.async`. A 16-byte copy bypasses L1 unless the cache modifier is `ca`.
pub(super) fn copy<'c>(e: &mut Emitter<'c>, copy: &SharedCopy<'_, 'c>) {
    let modifier = match copy.bytes {
        16 if copy.cache.modifier != "ca" => LoadCacheModifierKind::Cg,
        _ => LoadCacheModifierKind::Ca,
    };
    let bytes = i64::from(copy.bytes);
    let read_bytes = copy.mask.map(|mask| {
        let (all, none) = (e.i32(copy.bytes), e.i32(0));
        e.select(mask, all, none)
    });
    e.operation(nvvm::cp_async_shared_global(
        copy.to, copy.from, bytes, modifier, read_bytes,
    ));
}

/// Returns the operand of `.L2::cache_hint` for the given eviction priorities.
pub(super) fn l2_policy<'c>(e: &mut Emitter<'c>, second: &SecondCache) -> Val<'c> {
    let secondary = match &*second.secondary {
        "" | "none" => String::new(),
        name => format!(".L2::{name}"),
    };
    let text = format!(
        "createpolicy.fractional.L2::{}{secondary}.b64 $0, 0f{:08X};",
        second.primary, second.fraction
    );
    let i64 = e.types.i64;
    e.pure_asm(&text, "=l", &[], i64)
}

fn offset(access: &GlobalAccess<'_, '_>) -> String {
    match access.offset_bytes {
        0 => String::new(),
        bytes => format!("+{bytes}"),
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct CacheOperators<'c> {
    /// Instruction suffix, for example `.cg` or `.L1::evict_first.L2::cache_hint`.
    qualifiers: String,
    /// Cache policy, the operand of `.L2::cache_hint`. `None` if the instruction has no such hint.
    policy: Option<Val<'c>>,
}

impl<'c> CacheOperators<'c> {
    fn of(gpu: Gpu, e: &mut Emitter<'c>, policy: &CachePolicy, is_store: bool) -> Self {
        let modifier = match (&*policy.modifier, is_store) {
            ("ca" | "cv", false) | ("wb" | "wt", true) | ("cg" | "cs", _) => &*policy.modifier,
            _ => "",
        };
        let first = match &*policy.first {
            "" | "none" => "",
            name => name,
        };
        // A cache operator excludes an L1 eviction priority.
        let mut qualifiers = match (modifier, first) {
            ("", "") => String::new(),
            ("", first) => format!(".L1::{first}"),
            (modifier, _) => format!(".{modifier}"),
        };
        let second = policy.second.as_ref();
        let has_policies = gpu.target.instructions.cache_policies;
        let cache_hint = second.filter(|_| has_policies);
        let cache_hint = cache_hint.map(|second| l2_policy(e, second));
        if cache_hint.is_some() {
            qualifiers += ".L2::cache_hint";
        }
        if let (Some(bytes), false, true) = (policy.prefetch_bytes, is_store, has_policies) {
            qualifiers += &format!(".L2::{bytes}B");
        }
        Self {
            qualifiers,
            policy: cache_hint,
        }
    }

    /// If there is a cache policy, appends it to the operands and constraints of an instruction that has `results`
    /// results. Returns the text that adds the policy operand to the instruction, or an empty string if there is no
    /// policy.
    fn push_policy(
        &self,
        operands: &mut Vec<Val<'c>>,
        constraints: &mut Vec<String>,
        results: usize,
    ) -> String {
        let Some(policy) = self.policy else {
            return String::new();
        };
        let place = results + operands.len();
        operands.push(policy);
        constraints.push("l".to_owned());
        format!(", ${place}")
    }
}

/// Describes the 1, 2 or 4 words, of 8 to 64 bits each, that contain the data of one access.
pub(super) struct Words<'c> {
    pub(super) count: usize,
    type_: Type<'c>,
    /// Untyped PTX type of a word in memory, for example `b32`.
    untyped: &'static str,
    /// PTX type of the register that holds a word. It has at least 16 bits.
    pub(super) register: &'static str,
    /// Constraint letter in inline assembly.
    pub(super) constraint: &'static str,
    container: Type<'c>,
}

impl<'c> Words<'c> {
    pub(super) fn of(e: &Emitter<'c>, access: &GlobalAccess<'_, 'c>) -> Self {
        let bits = access.bits();
        let word_bits = if access.element_bits == 64 {
            64
        } else {
            bits.min(32)
        };
        let types = e.types;
        let (type_, untyped) = match word_bits {
            8 => (types.i8, "b8"),
            16 => (types.i16, "b16"),
            32 => (types.i32, "b32"),
            _ => (types.i64, "b64"),
        };
        let (container, register, constraint) = match word_bits {
            8 | 16 => (types.i16, "b16", "h"),
            32 => (types.i32, "b32", "r"),
            _ => (types.i64, "b64", "l"),
        };
        Self {
            count: (bits / word_bits) as usize,
            type_,
            untyped,
            register,
            constraint,
            container,
        }
    }

    pub(super) fn suffix(&self) -> &'static str {
        match self.count {
            1 => "",
            2 => ".v2",
            _ => ".v4",
        }
    }

    /// Formats the operands of the words as text. The first operand has the number `first`. If `first` is 2, the
    /// text is `{$2, $3}` for two words and `$2` for one word.
    pub(super) fn list(&self, first: usize) -> String {
        let names: Vec<String> = (first..first + self.count)
            .map(|i| format!("${i}"))
            .collect();
        if self.count == 1 {
            names.concat()
        } else {
            format!("{{{}}}", names.join(", "))
        }
    }

    pub(super) fn split(&self, e: &mut Emitter<'c>, whole: Val<'c>) -> Vec<Val<'c>> {
        let type_ = if self.count == 1 {
            self.type_
        } else {
            e.vector_type(self.count, self.type_)
        };
        let whole = e.bitcast(whole, type_);
        let words = e.scatter(whole, self.count, self.type_);
        if self.type_ == self.container {
            return words;
        }
        words
            .into_iter()
            .map(|w| e.zext(w, self.container))
            .collect()
    }

    pub(super) fn result_type(&self, e: &Emitter<'c>) -> Type<'c> {
        if self.count == 1 {
            return self.container;
        }
        e.struct_type(&vec![self.container; self.count])
    }

    /// Joins the words in `result` to one value of type `vector`. Inverse of [`Self::split`].
    pub(super) fn join(&self, e: &mut Emitter<'c>, result: Val<'c>, vector: Type<'c>) -> Val<'c> {
        let mut words: Vec<Val<'c>> = if self.count == 1 {
            vec![result]
        } else {
            (0..self.count)
                .map(|i| e.extract_value(result, i, self.container))
                .collect()
        };
        if self.type_ != self.container {
            words = words.into_iter().map(|w| e.trunc(w, self.type_)).collect();
        }
        let whole = e.gather(&words);
        e.bitcast(whole, vector)
    }
}
