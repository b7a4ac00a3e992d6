//! AMD's buffer instructions: a base for all threads, an offset for each, masked by going out of
//! range.

use super::bits_of;
use super::function::{Lowering, Outcome};
use super::gpu::BufferIsa;
use super::memory::{Accesses, from_memory, memory_element, owner, segment, to_memory};
use crate::ir::verify::policy;
use crate::ir::{OpKind, OpView, TensorLayout};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic};
use crate::target::BufferInstructions;
use melior::ir::{Type, ValueLike};

/// `amdg.buffer_load`
pub(crate) fn load<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let instructions = instructions(l, OpKind::TtLoad)?;
    // Segments in the order of the declaration: ptr, offsets, stride, mask, other.
    let (base, offsets) = (build::operand(op, 0), build::operand(op, 1));
    let (mask, other) = (segment(op, 3), segment(op, 4));
    let (element, held) = memory_element(l, base)?;
    let result = build::result(op, 0);
    let layout = l.tensor_layout(result)?;
    let buffer = Buffer::new(
        l,
        op,
        base,
        offsets,
        mask,
        element,
        &layout,
        instructions,
        false,
    );
    let others = other.map(|o| l.get(o));

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
    l.set(result, registers);
    Ok(())
}

/// `amdg.buffer_store`: by one of the threads that hold an element.
pub(crate) fn store<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let instructions = instructions(l, OpKind::TtStore)?;
    // Segments in the order of the declaration: value, ptr, offsets, stride, mask.
    let [value, base, offsets] = [0, 1, 2].map(|i| build::operand(op, i));
    let mask = segment(op, 4);
    let (element, _) = memory_element(l, base)?;
    let layout = l.tensor_layout(value)?;
    let buffer = Buffer::new(
        l,
        op,
        base,
        offsets,
        mask,
        element,
        &layout,
        instructions,
        true,
    );
    let values = l.get(value);
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

/// What the accesses of one operation share.
struct Buffer<'c> {
    accesses: Accesses<'c>,
    resource: Val<'c>,
    offsets: super::function::Registers<'c>,
    masks: Option<super::function::Registers<'c>>,
    /// The bits that say how data is cached.
    cache: u32,
    isa: &'static dyn BufferIsa,
}

impl<'c> Buffer<'c> {
    #[allow(
        clippy::too_many_arguments,
        reason = "the parts of an operation, which stand in another order in each"
    )]
    fn new(
        l: &mut Lowering<'c>,
        op: Op<'c>,
        base: Val<'c>,
        offsets: Val<'c>,
        mask: Option<Val<'c>>,
        element: Type<'c>,
        layout: &TensorLayout,
        (instructions, isa): Instructions,
        is_store: bool,
    ) -> Self {
        let bits = bits_of(element);
        let vector = l
            .axis
            .buffer_vector(op, base, offsets, mask, bits, &layout.unique);
        let pointer = l.get(base)[0];
        let asked = match OpView::of(op) {
            Some(OpView::AmdgBufferLoad(op)) => op.cache_policy(),
            Some(OpView::AmdgBufferStore(op)) => op.cache_policy(),
            _ => None,
        };
        let modifier = policy(asked, "cache_modifier").unwrap_or_default();
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
        let elements: Vec<Val<'c>> = elements
            .iter()
            .map(|value| {
                if sys::is_llvm_pointer(value.r#type()) {
                    let i64 = l.e.types.i64;
                    l.e.ptrtoint(*value, i64)
                } else {
                    *value
                }
            })
            .collect();
        let whole = l.e.gather(&elements);
        let words = self.words(l);
        l.e.bitcast(whole, words)
    }

    fn elements_of(&self, l: &mut Lowering<'c>, whole: Val<'c>) -> Vec<Val<'c>> {
        let (element, width) = (self.accesses.element, self.accesses.width());
        if !sys::is_llvm_pointer(element) {
            let type_ = self.accesses.vector_type(l);
            let whole = l.e.bitcast(whole, type_);
            return l.e.scatter(whole, width, element);
        }
        let i64 = l.e.types.i64;
        let type_ = if width == 1 {
            i64
        } else {
            l.e.vector_type(width, i64)
        };
        let whole = l.e.bitcast(whole, type_);
        let addresses = l.e.scatter(whole, width, i64);
        addresses
            .into_iter()
            .map(|a| l.e.inttoptr(a, element))
            .collect()
    }
}

/// The range of a buffer: 2 GiB less two bytes, so that every offset the pass makes is inside and
/// [`OUT_OF_RANGE`] is not.
const BUFFER_BYTES: i64 = 0x7fff_fffe;
const OUT_OF_RANGE: u32 = 0x8000_0000;
