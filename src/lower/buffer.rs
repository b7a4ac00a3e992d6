//! AMD's buffer instructions: a base for all threads, an offset for each, masked by going out of
//! range.

use super::gpu::BufferIsa;
use super::memory::{Accesses, from_memory, memory_element, owner, to_memory};
use super::state::{Lowering, Outcome};
use super::types::bits_of;
use super::value::Registers;
use crate::ir::ops::amdg;
use crate::ir::verify::policy;
use crate::ir::{OpKind, TensorLayout};
use crate::sys::Diagnostic;
use crate::sys::build::{Op, Val};
use crate::target::BufferInstructions;
use melior::ir::{Attribute, Type};

/// `amdg.buffer_load`
pub(crate) fn load<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let instructions = instructions(l, OpKind::TtLoad)?;
    let view = amdg::BufferLoad::of(op).expect("the dispatch goes by kind");
    let operands = Operands {
        base: view.ptr(),
        offsets: view.offsets(),
        mask: view.mask(),
        cache_policy: view.cache_policy(),
        is_store: false,
    };
    let (element, held) = memory_element(l, operands.base)?;
    let layout = l.tensor_layout(view.result())?;
    let buffer = Buffer::new(l, op, &operands, element, &layout, instructions);
    let others = view.other().map(|o| l.get(o));

    let mut registers = vec![buffer.resource; layout.num_registers()];
    for group in &buffer.accesses.groups {
        let first = group[0];
        let offset = buffer.offset(l, first, None);
        let words = buffer.words(l);
        let whole = buffer
            .isa
            .load(&mut l.e, buffer.resource, offset, buffer.cache, words);
        let mut values = buffer.elements_of(l, whole);
        if let (Some(masks), Some(others)) = (&buffer.masks, &others) {
            for (value, r) in values.iter_mut().zip(group) {
                let other = to_memory(l, others[*r], element);
                *value = l.e.select(masks[first], *value, other);
            }
        }
        for (r, value) in group.iter().zip(values) {
            registers[*r] = from_memory(l, value, held);
        }
    }
    l.set(view.result(), registers);
    Ok(())
}

/// `amdg.buffer_store`: by one of the threads that hold an element.
pub(crate) fn store<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let instructions = instructions(l, OpKind::TtStore)?;
    let view = amdg::BufferStore::of(op).expect("the dispatch goes by kind");
    let operands = Operands {
        base: view.ptr(),
        offsets: view.offsets(),
        mask: view.mask(),
        cache_policy: view.cache_policy(),
        is_store: true,
    };
    let (element, _) = memory_element(l, operands.base)?;
    let layout = l.tensor_layout(view.value())?;
    let buffer = Buffer::new(l, op, &operands, element, &layout, instructions);
    let values = l.get(view.value());
    let (owner, repeated) = owner(l, Some(&layout));
    for group in &buffer.accesses.groups {
        let first = group[0];
        if first & repeated != 0 {
            continue;
        }
        let offset = buffer.offset(l, first, owner);
        let elements: Vec<Val<'c>> = group
            .iter()
            .map(|r| to_memory(l, values[*r], element))
            .collect();
        let whole = buffer.to_words(l, &elements);
        buffer
            .isa
            .store(&mut l.e, whole, buffer.resource, offset, buffer.cache);
    }
    Ok(())
}

/// The GPU's buffer instructions, or which operation to use `instead` where it has none.
fn instructions(l: &Lowering<'_>, instead: OpKind) -> Result<Instructions, Diagnostic> {
    l.gpu.buffers().ok_or_else(|| {
        Diagnostic::new(format!("is not supported on {}", l.gpu.target.name)).note(format!(
            "buffer instructions exist on AMD GPUs; use `{}`",
            instead.name()
        ))
    })
}

/// What buffer instructions are told, and how they are emitted.
type Instructions = (BufferInstructions, &'static dyn BufferIsa);

/// What a load and a store have both.
struct Operands<'c> {
    base: Val<'c>,
    offsets: Val<'c>,
    mask: Option<Val<'c>>,
    cache_policy: Option<Attribute<'c>>,
    is_store: bool,
}

/// What the accesses of one operation share.
struct Buffer<'c> {
    accesses: Accesses<'c>,
    resource: Val<'c>,
    offsets: Registers<'c>,
    masks: Option<Registers<'c>>,
    /// The bits that say how data is cached.
    cache: u32,
    isa: &'static dyn BufferIsa,
}

impl<'c> Buffer<'c> {
    fn new(
        l: &mut Lowering<'c>,
        op: Op<'c>,
        operands: &Operands<'c>,
        element: Type<'c>,
        layout: &TensorLayout,
        (instructions, isa): Instructions,
    ) -> Self {
        let &Operands {
            base,
            offsets,
            mask,
            is_store,
            ..
        } = operands;
        let bits = bits_of(element);
        let vector = l
            .axis
            .buffer_vector(op, base, offsets, mask, bits, &layout.unique);
        let pointer = l.get(base)[0];
        let modifier = policy(operands.cache_policy, "cache_modifier").unwrap_or_default();
        Self {
            accesses: Accesses::of(element, layout.num_registers(), &vector),
            resource: isa.resource(
                &mut l.e,
                pointer,
                BUFFER_BYTES,
                instructions.descriptor_flags,
            ),
            offsets: l.get(offsets),
            masks: mask.map(|m| l.get(m)),
            cache: instructions.cache.of(&modifier, is_store),
            isa,
        }
    }

    /// The offset in bytes of a register's element, or one out of range where its mask or `owner`
    /// is false.
    fn offset(&self, l: &mut Lowering<'c>, register: usize, owner: Option<Val<'c>>) -> Val<'c> {
        let bytes = l.e.i32(self.accesses.element_bits / 8);
        let mut offset = l.e.mul(self.offsets[register], bytes);
        let mask = self.masks.as_ref().map(|masks| masks[register]);
        for condition in [mask, owner].into_iter().flatten() {
            let outside = l.e.i32(OUT_OF_RANGE);
            offset = l.e.select(condition, offset, outside);
        }
        offset
    }

    /// The type that one access moves: a word or several, which every GPU has instructions for.
    fn words(&self, l: &Lowering<'c>) -> Type<'c> {
        let bits = self.accesses.element_bits * self.accesses.width() as u32;
        if bits <= 32 {
            l.e.int_type(bits)
        } else {
            l.e.vector_type((bits / 32) as usize, l.e.types.i32)
        }
    }

    fn to_words(&self, l: &mut Lowering<'c>, elements: &[Val<'c>]) -> Val<'c> {
        let whole = l.e.gather(elements);
        let words = self.words(l);
        l.e.bitcast(whole, words)
    }

    fn elements_of(&self, l: &mut Lowering<'c>, whole: Val<'c>) -> Vec<Val<'c>> {
        let type_ = self.accesses.vector_type(l);
        let whole = l.e.bitcast(whole, type_);
        l.e.scatter(whole, self.accesses.width(), self.accesses.element)
    }
}

/// The range of a buffer: 2 GiB less two bytes, so that every offset the pass makes is inside and
/// [`OUT_OF_RANGE`] is not.
const BUFFER_BYTES: i64 = 0x7fff_fffe;
const OUT_OF_RANGE: u32 = 0x8000_0000;
