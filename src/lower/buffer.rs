//! AMD buffer loads and stores: a uniform base address plus an offset per thread. A false mask becomes an out-of-range
//! offset.

use super::gpu::BufferIsa;
use super::memory::{AccessGroups, from_memory, memory_element, owner, to_memory};
use super::state::{Lowering, Outcome};
use super::types::bits_of;
use super::value::Registers;
use crate::ir::ops::amdg;
use crate::ir::verify::policy;
use crate::ir::{OpKind, TensorLayout};
use crate::sys::Diagnostic;
use crate::sys::build::{Op, Val};
use linear_layout::target::BufferInstructions;
use melior::ir::{Attribute, Type};

pub(crate) fn load<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let instructions = instructions(l, OpKind::TtLoad)?;
    let view = amdg::BufferLoad::of(op).expect("the dispatch goes by kind");
    let operands = BufferOperands {
        base: view.ptr(),
        offsets: view.offsets(),
        mask: view.mask(),
        widest: usize::MAX,
    };
    let (element, register_type) = memory_element(l, operands.base)?;
    let layout = l.tensor_layout(view.result())?;
    let buffer = GlobalBuffer::new(l, op, &operands, element, &layout, instructions);
    let cache = buffer.cache_bits(view.cache_policy(), false);
    let others = view.other().map(|o| l.get(o));

    let mut registers = vec![buffer.resource; layout.num_registers()];
    for group in &buffer.accesses.groups {
        let first = group[0];
        let offset = buffer.offset(l, first, None);
        let words = buffer.words(l);
        let whole = buffer
            .isa
            .load(&mut l.e, buffer.resource, offset, cache, words);
        let mut values = buffer.elements_of(l, whole);
        if let (Some(masks), Some(others)) = (&buffer.masks, &others) {
            for (value, r) in values.iter_mut().zip(group) {
                let other = to_memory(l, others[*r], element);
                *value = l.e.select(masks[first], *value, other);
            }
        }
        for (r, value) in group.iter().zip(values) {
            registers[*r] = from_memory(l, value, register_type);
        }
    }
    l.set(view.result(), registers);
    Ok(())
}

/// Lowers `amdg.buffer_store`. If several threads hold an element, only one of them stores the element.
pub(crate) fn store<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let instructions = instructions(l, OpKind::TtStore)?;
    let view = amdg::BufferStore::of(op).expect("the dispatch goes by kind");
    let operands = BufferOperands {
        base: view.ptr(),
        offsets: view.offsets(),
        mask: view.mask(),
        widest: usize::MAX,
    };
    let (element, _) = memory_element(l, operands.base)?;
    let layout = l.tensor_layout(view.value())?;
    let buffer = GlobalBuffer::new(l, op, &operands, element, &layout, instructions);
    let cache = buffer.cache_bits(view.cache_policy(), true);
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
            .store(&mut l.e, whole, buffer.resource, offset, cache);
    }
    Ok(())
}

/// Returns the GPU's buffer instructions.
///
/// # Errors
/// Fails on GPUs without buffer instructions; a note suggests the operation `instead`.
pub(super) fn instructions(l: &Lowering<'_>, instead: OpKind) -> Result<Instructions, Diagnostic> {
    l.gpu.buffers().ok_or_else(|| {
        Diagnostic::new(format!("is not supported on {}", l.gpu.target.name)).note(format!(
            "buffer instructions exist on AMD GPUs only; use `{}` instead",
            instead.name()
        ))
    })
}

pub(super) type Instructions = (BufferInstructions, &'static dyn BufferIsa);

/// Operands of all buffer operations. The operand `stride` is ignored, as in Triton 3.9.
pub(super) struct BufferOperands<'c> {
    pub(super) base: Val<'c>,
    pub(super) offsets: Val<'c>,
    pub(super) mask: Option<Val<'c>>,
    /// Maximum number of elements per access.
    pub(super) widest: usize,
}

pub(super) struct GlobalBuffer<'c> {
    pub(super) accesses: AccessGroups<'c>,
    base: Val<'c>,
    pub(super) resource: Val<'c>,
    offsets: Registers<'c>,
    pub(super) masks: Option<Registers<'c>>,
    pub(super) instructions: BufferInstructions,
    pub(super) isa: &'static dyn BufferIsa,
}

impl<'c> GlobalBuffer<'c> {
    pub(super) fn new(
        l: &mut Lowering<'c>,
        op: Op<'c>,
        operands: &BufferOperands<'c>,
        element: Type<'c>,
        layout: &TensorLayout,
        (instructions, isa): Instructions,
    ) -> Self {
        let &BufferOperands {
            base,
            offsets,
            mask,
            widest,
        } = operands;
        let bits = bits_of(element);
        let vector = l
            .widths()
            .buffer_vector(op, base, offsets, mask, bits, &layout.unique)
            .at_most(widest);
        let pointer = l.get(base)[0];
        Self {
            accesses: AccessGroups::of(element, layout.num_registers(), &vector),
            resource: isa.resource(
                &mut l.e,
                pointer,
                BUFFER_BYTES,
                instructions.descriptor_flags,
            ),
            offsets: l.get(offsets),
            masks: mask.map(|m| l.get(m)),
            base: pointer,
            instructions,
            isa,
        }
    }

    pub(super) fn cache_bits(&self, of: Option<Attribute<'_>>, is_store: bool) -> u32 {
        let modifier = policy(of, "cache_modifier").unwrap_or_default();
        self.instructions.cache.of(&modifier, is_store)
    }

    pub(super) fn pointer(&self, l: &mut Lowering<'c>, register: usize) -> Val<'c> {
        let element = self.accesses.element;
        l.e.gep(self.base, element, self.offsets[register])
    }

    /// Returns the byte offset of the element in register `register`. If the mask or `owner` is false at run time,
    /// the offset is out of range.
    pub(super) fn offset(
        &self,
        l: &mut Lowering<'c>,
        register: usize,
        owner: Option<Val<'c>>,
    ) -> Val<'c> {
        let bytes = l.e.i32(self.accesses.element_bits / 8);
        let mut offset = l.e.mul(self.offsets[register], bytes);
        let mask = self.masks.as_ref().map(|masks| masks[register]);
        for condition in [mask, owner].into_iter().flatten() {
            let outside = l.e.i32(OUT_OF_RANGE);
            offset = l.e.select(condition, offset, outside);
        }
        offset
    }

    /// Returns the data type of one access: an integer up to 32 bits, or a vector of 32-bit words. Every GPU has buffer
    /// instructions for these types.
    fn words(&self, l: &Lowering<'c>) -> Type<'c> {
        let bits = self.accesses.bits();
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

/// Size of each buffer in bytes. Valid offsets are smaller; [`OUT_OF_RANGE`] is larger.
const BUFFER_BYTES: i64 = 0x7fff_fffe;
const OUT_OF_RANGE: u32 = 0x8000_0000;
