//! Global memory by PTX: accesses with a predicate or a cache behaviour, which LLVM cannot say.

use crate::lower::emit::Emitter;
use crate::lower::gpu::access::{CachePolicy, GlobalAccess};
use crate::sys::build::Val;
use melior::ir::Type;

/// Reads with the predicate on the instruction: the fallback stays where it is false.
pub(super) fn load<'c>(
    e: &mut Emitter<'c>,
    access: &GlobalAccess<'_, 'c>,
    others: Option<&[Val<'c>]>,
) -> Val<'c> {
    // A volatile access goes past the caches, and PTX takes no word about them.
    let modifier = if access.is_volatile {
        String::new()
    } else {
        cache_modifier(access.cache, false)
    };
    if access.mask.is_none() && modifier.is_empty() {
        return access.plain_load(e);
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
    text += &format!(
        "{predicate}ld{volatile}.global{modifier}{}.{} {}, [${}];",
        words.suffix(),
        words.untyped,
        words.list(0),
        words.count
    );
    let result = words.result_type(e);
    let whole = e.inline_asm(&text, &constraints.join(","), &operands, Some(result));
    let type_ = access.type_(e);
    words.join(e, whole.expect("a load has a result"), type_)
}

/// Writes with the predicate on the instruction.
pub(super) fn store<'c>(e: &mut Emitter<'c>, access: &GlobalAccess<'_, 'c>, whole: Val<'c>) {
    let modifier = cache_modifier(access.cache, true);
    if access.mask.is_none() && modifier.is_empty() {
        access.plain_store(e, whole);
        return;
    }
    let words = Words::of(e, access);
    let mut operands = vec![access.pointer];
    let mut constraints = vec!["l"];
    let values = words.split(e, whole);
    constraints.extend(vec![words.constraint; values.len()]);
    operands.extend(values);
    let mut predicate = String::new();
    if let Some(mask) = access.mask {
        predicate = format!("@${} ", operands.len());
        operands.push(mask);
        constraints.push("b");
    }
    let text = format!(
        "{predicate}st.global{modifier}{}.{} [$0], {};",
        words.suffix(),
        words.untyped,
        words.list(1)
    );
    e.inline_asm(&text, &constraints.join(","), &operands, None);
}

/// Cache behaviour as PTX spells it; empty for none.
fn cache_modifier(policy: &CachePolicy, is_store: bool) -> String {
    match (&*policy.modifier, is_store) {
        (name @ ("ca" | "cv"), false)
        | (name @ ("wb" | "wt"), true)
        | (name @ ("cg" | "cs"), _) => return format!(".{name}"),
        _ => {}
    }
    // PTX takes one or the other.
    match &*policy.eviction {
        name @ ("evict_first" | "evict_last") => format!(".L1::{name}"),
        _ => String::new(),
    }
}

/// An access as the registers of PTX: 1, 2 or 4 words of 8 to 64 bits.
pub(super) struct Words<'c> {
    pub(super) count: usize,
    type_: Type<'c>,
    /// The PTX type of a word in memory, as `b32`.
    untyped: &'static str,
    /// The PTX type of the register that holds it: there are none of 8 bits.
    pub(super) register: &'static str,
    /// The constraint letter of inline assembly.
    pub(super) constraint: &'static str,
    /// The type of the register that holds a word.
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

    /// `{$2, $3}`, or `$2` for one word.
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

    /// A vector of elements as words.
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

    /// The words of a result as a vector of elements.
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
