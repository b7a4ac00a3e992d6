//! Global memory: loads and stores as wide as contiguity, alignment and masks allow.
//!
//! Registers whose elements lie side by side are moved by one access of up to 128 bits. A masked
//! access is predicated on NVIDIA and branched around on AMD. A store is made by one of the threads
//! that hold an element, a load by all of them.

use super::bits_of;
use super::elementwise::memory_type;
use super::function::{Lowering, Outcome, integer};
use super::gpu::extract_as;
use crate::ir::verify::policy;
use crate::ir::{TensorLayout, TensorType};
use crate::layout::Dim;
use crate::plan::axis::VectorAccess;
use crate::sys;
use crate::sys::Diagnostic;
use crate::sys::build::{self, Op, Val};
use crate::target::Vendor;
use melior::ir::attribute::DenseI32ArrayAttribute;
use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};

/// Operands of an operation with segments, by their place in its declaration.
pub(super) fn segment<'c>(op: Op<'c>, index: usize) -> Option<Val<'c>> {
    let sizes: Vec<i32> = op
        .attribute("operandSegmentSizes")
        .ok()
        .and_then(|a| DenseI32ArrayAttribute::try_from(a).ok())
        .map(|a| (0..a.len()).filter_map(|i| a.element(i).ok()).collect())?;
    let start: i32 = sizes[..index].iter().sum();
    (sizes[index] > 0).then(|| build::operand(op, usize::try_from(start).unwrap_or_default()))
}

/// How a tensor's registers are moved: groups of registers side by side in memory.
pub(super) struct Accesses<'c> {
    /// The type of one element in memory.
    pub(super) element: Type<'c>,
    pub(super) element_bits: u32,
    /// Registers of one access, lowest address first.
    pub(super) groups: Vec<Vec<usize>>,
    alignment_bytes: u32,
}

impl<'c> Accesses<'c> {
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
        }
    }

    fn scalar(element: Type<'c>) -> Self {
        let element_bits = bits_of(element);
        Self {
            element,
            element_bits,
            groups: vec![vec![0]],
            alignment_bytes: element_bits / 8,
        }
    }

    /// How many elements one access moves.
    pub(super) fn width(&self) -> usize {
        self.groups[0].len()
    }

    fn bits(&self) -> u32 {
        self.width() as u32 * self.element_bits
    }

    pub(super) fn vector_type(&self, l: &Lowering<'c>) -> Type<'c> {
        if self.width() == 1 {
            self.element
        } else {
            l.e.vector_type(self.width(), self.element)
        }
    }
}

fn element_of<'c>(type_: Type<'c>) -> Type<'c> {
    TensorType::of(type_).map_or(type_, |tensor| tensor.element)
}

/// The pointee as it lies in memory, and as the registers hold it.
pub(super) fn memory_element<'c>(
    l: &Lowering<'c>,
    pointer: Val<'c>,
) -> Result<(Type<'c>, Type<'c>), Diagnostic> {
    let element = element_of(pointer.r#type());
    let (pointee, _) = sys::pointer(element)
        .ok_or_else(|| Diagnostic::new(format!("needs a pointer, but has `{element}`")))?;
    let held = super::function::scalar_type(l.e.context, pointee)
        .ok_or_else(|| Diagnostic::new(format!("points to `{pointee}`, which has no LLVM type")))?;
    Ok((memory_type(l, pointee)?, held))
}

fn accesses<'c>(
    l: &Lowering<'c>,
    element: Type<'c>,
    pointer: Val<'c>,
    mask: Option<Val<'c>>,
    layout: Option<&TensorLayout>,
) -> Accesses<'c> {
    let Some(layout) = layout else {
        return Accesses::scalar(element);
    };
    let vector = l
        .axis
        .vector(pointer, mask, bits_of(element), &layout.unique);
    Accesses::of(element, layout.num_registers(), &vector)
}

/// Cache behaviour that a user asked for by `cachePolicy`, as PTX spells it; empty for none.
fn cache_modifier(op: Op<'_>, is_store: bool) -> String {
    let word = |key| policy(op, key).unwrap_or_default();
    let cache = match (&*word("cache_modifier"), is_store) {
        (name @ ("ca" | "cv"), false)
        | (name @ ("wb" | "wt"), true)
        | (name @ ("cg" | "cs"), _) => {
            format!(".{name}")
        }
        _ => String::new(),
    };
    let evict = match &*word("eviction_policy") {
        name @ ("evict_first" | "evict_last") => format!(".L1::{name}"),
        _ => String::new(),
    };
    // PTX takes one or the other.
    if cache.is_empty() { evict } else { cache }
}

pub(crate) fn load<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let pointer = build::operand(op, 0);
    let (mask, other) = (segment(op, 1), segment(op, 2));
    let (element, held) = memory_element(l, pointer)?;
    let layout = l.layout(pointer.r#type())?;
    let accesses = accesses(l, element, pointer, mask, layout.as_deref());
    let pointers = l.get(pointer);
    let masks = mask.map(|m| l.get(m));
    let others = other.map(|o| l.get(o));
    let volatile = integer(op, "isVolatile") != 0;
    // PTX takes no cache behaviour on a volatile access, which goes past the caches.
    let modifier = if volatile {
        String::new()
    } else {
        cache_modifier(op, false)
    };
    let mut registers = vec![pointers[0]; pointers.len()];
    for group in &accesses.groups {
        let first = group[0];
        let others = others.as_ref().map(|list| {
            group
                .iter()
                .map(|r| to_memory(l, list[*r], element))
                .collect::<Vec<_>>()
        });
        let access = Access {
            pointer: pointers[first],
            mask: masks.as_ref().map(|m| m[first]),
            modifier: &modifier,
            volatile,
        };
        let values = access.load(l, &accesses, others.as_deref());
        for (r, value) in group.iter().zip(values) {
            registers[*r] = from_memory(l, value, held);
        }
    }
    l.set(build::result(op, 0), registers);
    Ok(())
}

pub(crate) fn store<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let (pointer, value) = (build::operand(op, 0), build::operand(op, 1));
    let mask = (op.operand_count() > 2).then(|| build::operand(op, 2));
    let (element, _) = memory_element(l, pointer)?;
    let layout = l.layout(pointer.r#type())?;
    let accesses = accesses(l, element, pointer, mask, layout.as_deref());
    let (pointers, values) = (l.get(pointer), l.get(value));
    let masks = mask.map(|m| l.get(m));
    let (owner, registers) = owner(l, layout.as_deref());
    let modifier = cache_modifier(op, true);
    for group in &accesses.groups {
        if group[0] & registers != 0 {
            continue;
        }
        let first = group[0];
        let mask = match (masks.as_ref().map(|m| m[first]), owner) {
            (Some(mask), Some(owner)) => {
                let i1 = l.e.types.i1;
                Some(l.e.pure("llvm.and", &[mask, owner], i1, &[]))
            }
            (mask, owner) => mask.or(owner),
        };
        let values: Vec<Val<'c>> = group
            .iter()
            .map(|r| to_memory(l, values[*r], element))
            .collect();
        let access = Access {
            pointer: pointers[first],
            mask,
            modifier: &modifier,
            volatile: false,
        };
        access.store(l, &accesses, &values);
    }
    Ok(())
}

/// The condition that this thread is the one, of all that hold the same elements, to store them;
/// and the registers that hold what a lower one holds.
pub(super) fn owner<'c>(
    l: &mut Lowering<'c>,
    layout: Option<&TensorLayout>,
) -> (Option<Val<'c>>, usize) {
    let (threads, registers) = match layout {
        Some(layout) => {
            let free = layout.unique.free_variable_masks();
            let lanes = free.mask(Dim::LANE);
            let warps = free.mask(Dim::WARP) << l.gpu.target.lanes_log2();
            let registers = usize::try_from(free.mask(Dim::REGISTER)).unwrap_or_default();
            (u32::try_from(lanes | warps).unwrap_or(u32::MAX), registers)
        }
        // A scalar is stored by the first thread.
        None => (l.gpu.threads() - 1, 0),
    };
    if threads == 0 {
        return (None, registers);
    }
    let thread = l.gpu.thread_id(&mut l.e);
    let mask = l.e.i32(threads);
    let bits = l.e.and(thread, mask);
    (Some(l.e.is_zero(bits)), registers)
}

/// Booleans take a byte in memory.
pub(super) fn to_memory<'c>(l: &mut Lowering<'c>, value: Val<'c>, element: Type<'c>) -> Val<'c> {
    if value.r#type() == l.e.types.i1 {
        l.e.zext(value, element)
    } else {
        value
    }
}

pub(super) fn from_memory<'c>(l: &mut Lowering<'c>, value: Val<'c>, held: Type<'c>) -> Val<'c> {
    if held == l.e.types.i1 && value.r#type() != held {
        l.e.is_nonzero(value)
    } else {
        value
    }
}

/// One access.
struct Access<'a, 'c> {
    pointer: Val<'c>,
    mask: Option<Val<'c>>,
    modifier: &'a str,
    volatile: bool,
}

impl<'c> Access<'_, 'c> {
    fn load(
        self,
        l: &mut Lowering<'c>,
        a: &Accesses<'c>,
        others: Option<&[Val<'c>]>,
    ) -> Vec<Val<'c>> {
        let vector = a.vector_type(l);
        let nvidia = matches!(l.gpu.target.vendor, Vendor::Nvidia);
        let whole = match self.mask {
            None if self.modifier.is_empty() || !nvidia => self.plain_load(l, a, vector),
            mask => {
                let fallback = match others {
                    Some(others) => l.e.gather(others),
                    None => zero_vector(l, vector, a),
                };
                if nvidia {
                    self.predicated_load(l, a, vector, mask, fallback)
                } else {
                    let (region, _) = l.e.open_region(&[]);
                    let loaded = self.plain_load(l, a, vector);
                    l.e.operation("scf.yield", &[loaded], &[], &[], Vec::new());
                    l.e.close_region();
                    let (otherwise, _) = l.e.open_region(&[]);
                    l.e.operation("scf.yield", &[fallback], &[], &[], Vec::new());
                    l.e.close_region();
                    let condition = mask.expect("an access without a mask is plain on AMD");
                    let branch = l.e.operation(
                        "scf.if",
                        &[condition],
                        &[vector],
                        &[],
                        vec![region, otherwise],
                    );
                    build::result(branch, 0)
                }
            }
        };
        l.e.scatter(whole, a.width(), a.element)
    }

    fn plain_load(&self, l: &mut Lowering<'c>, a: &Accesses<'c>, vector: Type<'c>) -> Val<'c> {
        let mut attributes = vec![("alignment", l.e.i64_attr(i64::from(a.alignment_bytes)))];
        if self.volatile {
            attributes.push(("volatile_", l.e.unit()));
        }
        l.e.effect("llvm.load", &[self.pointer], vector, &attributes)
    }

    /// PTX with the predicate on the instruction: `fallback` stays where it is false.
    fn predicated_load(
        &self,
        l: &mut Lowering<'c>,
        a: &Accesses<'c>,
        vector: Type<'c>,
        mask: Option<Val<'c>>,
        fallback: Val<'c>,
    ) -> Val<'c> {
        let words = Words::of(l, a);
        let list = words.list(0);
        let mut text = String::new();
        let fallback = words.split(l, fallback);
        let mut operands = vec![self.pointer];
        let mut constraints: Vec<String> = vec![format!("={}", words.constraint); words.count];
        constraints.push("l".to_owned());
        let predicate = match mask {
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
        let volatile = if self.volatile { ".volatile" } else { "" };
        text += &format!(
            "{predicate}ld{volatile}.global{}{}.{} {list}, [${}];",
            self.modifier,
            words.suffix(),
            words.untyped,
            words.count
        );
        let result = words.result_type(l);
        let whole = asm(l, &text, &constraints.join(","), &operands, Some(result));
        words.join(l, whole.expect("a load has a result"), vector)
    }

    fn store(self, l: &mut Lowering<'c>, a: &Accesses<'c>, values: &[Val<'c>]) {
        let whole = l.e.gather(values);
        let nvidia = matches!(l.gpu.target.vendor, Vendor::Nvidia);
        match self.mask {
            None if self.modifier.is_empty() || !nvidia => self.plain_store(l, a, whole),
            mask if nvidia => self.predicated_store(l, a, whole, mask),
            mask => {
                let (region, _) = l.e.open_region(&[]);
                self.plain_store(l, a, whole);
                l.e.operation("scf.yield", &[], &[], &[], Vec::new());
                l.e.close_region();
                let condition = mask.expect("an access without a mask is plain on AMD");
                let empty = melior::ir::Region::new();
                l.e.operation("scf.if", &[condition], &[], &[], vec![region, empty]);
            }
        }
    }

    fn plain_store(&self, l: &mut Lowering<'c>, a: &Accesses<'c>, whole: Val<'c>) {
        let alignment = l.e.i64_attr(i64::from(a.alignment_bytes));
        let attributes = [("alignment", alignment)];
        l.e.operation(
            "llvm.store",
            &[whole, self.pointer],
            &[],
            &attributes,
            Vec::new(),
        );
    }

    fn predicated_store(
        &self,
        l: &mut Lowering<'c>,
        a: &Accesses<'c>,
        whole: Val<'c>,
        mask: Option<Val<'c>>,
    ) {
        let words = Words::of(l, a);
        let mut operands = vec![self.pointer];
        let mut constraints = vec!["l".to_owned()];
        let values = words.split(l, whole);
        constraints.extend(vec![words.constraint.to_owned(); values.len()]);
        operands.extend(values);
        let mut predicate = String::new();
        if let Some(mask) = mask {
            predicate = format!("@${} ", operands.len());
            operands.push(mask);
            constraints.push("b".to_owned());
        }
        let text = format!(
            "{predicate}st.global{}{}.{} [$0], {};",
            self.modifier,
            words.suffix(),
            words.untyped,
            words.list(1)
        );
        asm(l, &text, &constraints.join(","), &operands, None);
    }
}

fn asm<'c>(
    l: &mut Lowering<'c>,
    text: &str,
    constraints: &str,
    operands: &[Val<'c>],
    result: Option<Type<'c>>,
) -> Option<Val<'c>> {
    let attributes = [
        ("asm_string", l.e.string(text)),
        ("constraints", l.e.string(constraints)),
        ("has_side_effects", l.e.unit()),
    ];
    let results: Vec<Type<'c>> = result.into_iter().collect();
    let op = l.e.operation(
        "llvm.inline_asm",
        operands,
        &results,
        &attributes,
        Vec::new(),
    );
    result.map(|_| build::result(op, 0))
}

/// An access as the registers of PTX: 1, 2 or 4 words of 8 to 64 bits.
struct Words<'c> {
    count: usize,
    type_: Type<'c>,
    /// The PTX type of a word in memory, as `b32`.
    untyped: &'static str,
    /// The PTX type of the register that holds it: there are none of 8 bits.
    register: &'static str,
    /// The constraint letter of inline assembly.
    constraint: &'static str,
    /// The type of the register that holds a word.
    container: Type<'c>,
}

impl<'c> Words<'c> {
    fn of(l: &Lowering<'c>, a: &Accesses<'c>) -> Self {
        let word_bits = if a.element_bits == 64 {
            64
        } else {
            a.bits().min(32)
        };
        let count = (a.bits() / word_bits) as usize;
        let types = l.e.types;
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
            count,
            type_,
            untyped,
            register,
            constraint,
            container,
        }
    }

    fn suffix(&self) -> &'static str {
        match self.count {
            1 => "",
            2 => ".v2",
            _ => ".v4",
        }
    }

    /// `{$2, $3}`, or `$2` for one word.
    fn list(&self, first: usize) -> String {
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
    fn split(&self, l: &mut Lowering<'c>, whole: Val<'c>) -> Vec<Val<'c>> {
        let whole = if sys::is_llvm_pointer(whole.r#type()) {
            l.e.pure("llvm.ptrtoint", &[whole], self.type_, &[])
        } else {
            let type_ = if self.count == 1 {
                self.type_
            } else {
                l.e.vector_type(self.count, self.type_)
            };
            l.e.bitcast(whole, type_)
        };
        let words = l.e.scatter(whole, self.count, self.type_);
        if self.type_ == self.container {
            return words;
        }
        words
            .into_iter()
            .map(|w| l.e.zext(w, self.container))
            .collect()
    }

    fn result_type(&self, l: &Lowering<'c>) -> Type<'c> {
        if self.count == 1 {
            return self.container;
        }
        let members = vec![self.container.to_string(); self.count].join(", ");
        l.e.parsed_type(&format!("!llvm.struct<({members})>"))
    }

    /// The words of a result as a vector of elements.
    fn join(&self, l: &mut Lowering<'c>, result: Val<'c>, vector: Type<'c>) -> Val<'c> {
        let mut words: Vec<Val<'c>> = if self.count == 1 {
            vec![result]
        } else {
            (0..self.count as i64)
                .map(|i| extract_as(&mut l.e, result, i, self.container))
                .collect()
        };
        if self.type_ != self.container {
            words = words
                .into_iter()
                .map(|w| l.e.trunc(w, self.type_))
                .collect();
        }
        let whole = l.e.gather(&words);
        if sys::is_llvm_pointer(vector) {
            return l.e.pure("llvm.inttoptr", &[whole], vector, &[]);
        }
        l.e.bitcast(whole, vector)
    }
}

fn zero_vector<'c>(l: &mut Lowering<'c>, vector: Type<'c>, a: &Accesses<'c>) -> Val<'c> {
    if a.width() == 1 {
        l.e.zero(vector)
    } else {
        l.e.pure("llvm.mlir.zero", &[], vector, &[])
    }
}
