//! Flattening of types to scalars, memory layout of types, and constants.

use crate::bits::mask;
use crate::code::Space;
use crate::float::FloatTy;
use crate::ir::{Attribute, Type};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SlotKind {
    Int,
    Float(FloatTy),
    Ptr(u32),
}

/// A scalar part of a value, such as a vector element or a struct field.
///
/// # Units
/// `bits` is the width in a register. `offset` is in bytes from the start of the value in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot {
    pub(crate) kind: SlotKind,
    pub(crate) bits: u32,
    pub(crate) offset: u32,
}

impl Slot {
    pub(crate) fn bytes(self) -> u8 {
        self.bits.div_ceil(8) as u8
    }
}

fn scalar(ty: &Type) -> Option<(SlotKind, u32)> {
    match ty {
        Type::Int(bits) if *bits <= 64 && *bits > 0 => Some((SlotKind::Int, *bits)),
        Type::Float(float) => Some((SlotKind::Float(*float), float.bits())),
        Type::Ptr(space) if *space < 7 => {
            let bits = Space::from_number(*space).map_or(64, Space::pointer_bits);
            Some((SlotKind::Ptr(*space), bits))
        }
        _ => None,
    }
}

/// Returns (size, alignment) in memory, in bytes.
pub(crate) fn size_align(ty: &Type) -> Result<(u64, u64), String> {
    if let Some((_, bits)) = scalar(ty) {
        let bytes = u64::from(bits.div_ceil(8)).next_power_of_two();
        return Ok((bytes, bytes));
    }
    match ty {
        Type::Int(bits) => {
            let bytes = u64::from(bits.div_ceil(8)).next_power_of_two();
            Ok((bytes, bytes.min(16)))
        }
        Type::Vector(count, element) => {
            let bits = scalar(element)
                .ok_or_else(|| format!("vectors of {element} are not supported"))?
                .1;
            let bytes = (u64::from(*count) * u64::from(bits))
                .div_ceil(8)
                .next_power_of_two();
            Ok((bytes, bytes))
        }
        Type::Array(count, element) => {
            let (size, align) = size_align(element)?;
            Ok((size.next_multiple_of(align) * count, align))
        }
        Type::Struct { packed, body } => {
            let (mut size, mut most) = (0u64, 1);
            for field in body {
                let (bytes, align) = size_align(field)?;
                let align = if *packed { 1 } else { align };
                size = size.next_multiple_of(align) + bytes;
                most = most.max(align);
            }
            Ok((size.next_multiple_of(most), most))
        }
        Type::Other(text) => Err(format!("type `{text}` is not supported")),
        other => Err(format!("type `{other}` is not supported in memory")),
    }
}

/// Returns the scalars of a type, in memory order.
pub(crate) fn flatten(ty: &Type) -> Result<Vec<Slot>, String> {
    let mut slots = Vec::new();
    append(ty, 0, &mut slots)?;
    Ok(slots)
}

fn append(ty: &Type, offset: u32, out: &mut Vec<Slot>) -> Result<(), String> {
    if let Some((kind, bits)) = scalar(ty) {
        out.push(Slot { kind, bits, offset });
        return Ok(());
    }
    match ty {
        // A buffer descriptor: base, stride, bytes, flags.
        Type::Ptr(8) => {
            out.push(Slot {
                kind: SlotKind::Ptr(1),
                bits: 64,
                offset,
            });
            for bits in [16, 64, 32] {
                out.push(Slot {
                    kind: SlotKind::Int,
                    bits,
                    offset,
                });
            }
        }
        Type::Int(bits) => {
            return Err(format!(
                "integers of {bits} bits are not supported; expected at most 64 bits"
            ));
        }
        Type::Vector(count, element) => {
            let (kind, bits) =
                scalar(element).ok_or_else(|| format!("vectors of {element} are not supported"))?;
            let step = bits.div_ceil(8);
            out.extend((0..*count).map(|index| Slot {
                kind,
                bits,
                offset: offset + index * step,
            }));
        }
        Type::Array(count, element) => {
            let (size, align) = size_align(element)?;
            let step = size.next_multiple_of(align) as u32;
            for index in 0..*count as u32 {
                append(element, offset + index * step, out)?;
            }
        }
        Type::Struct { packed, body } => {
            let mut at = 0u64;
            for field in body {
                // A buffer descriptor is never stored in memory, so the size of this field does not matter.
                let (bytes, align) = size_align(field).unwrap_or((16, 16));
                at = at.next_multiple_of(if *packed { 1 } else { align });
                append(field, offset + at as u32, out)?;
                at += bytes;
            }
        }
        Type::Ptr(space) => {
            return Err(format!(
                "pointers to address space {space} are not supported"
            ));
        }
        Type::Void => {}
        Type::Other(text) => return Err(format!("type `{text}` is not supported")),
        Type::Float(_) => {}
    }
    Ok(())
}

/// Returns (index of the first slot, type) of the element that the indices `path` select in a value of type `ty`.
/// Returns `None` if there is no such element.
pub(crate) fn part<'t>(ty: &'t Type, path: &[i64]) -> Option<(usize, &'t Type)> {
    let Some((&first, rest)) = path.split_first() else {
        return Some((0, ty));
    };
    let index = usize::try_from(first).ok()?;
    let (before, inner) = match ty {
        Type::Array(count, element) if first < *count as i64 => {
            (flatten(element).ok()?.len() * index, &**element)
        }
        Type::Vector(count, element) if first < i64::from(*count) => (index, &**element),
        Type::Struct { body, .. } => {
            let mut before = 0;
            for field in body.get(..index)? {
                before += flatten(field).ok()?.len();
            }
            (before, body.get(index)?)
        }
        _ => return None,
    };
    let (start, found) = part(inner, rest)?;
    Some((before + start, found))
}

/// Returns the bits of the constant `value`, with one entry per slot. Returns `None` if the constant does not fit
/// the slots.
pub(crate) fn constant_bits(value: &Attribute, slots: &[Slot]) -> Option<Vec<u64>> {
    match value {
        Attribute::Dense {
            splat: true,
            elements,
            ..
        } => {
            let element = elements.first()?;
            slots
                .iter()
                .map(|slot| scalar_bits(element, *slot))
                .collect()
        }
        Attribute::Dense { elements, .. } | Attribute::Array(elements) => {
            if elements.len() == slots.len() {
                elements
                    .iter()
                    .zip(slots)
                    .map(|(e, slot)| scalar_bits(e, *slot))
                    .collect()
            } else {
                // Nested arrays.
                let per = slots.len().checked_div(elements.len())?;
                let parts = elements.iter().zip(slots.chunks(per.max(1)));
                let parts: Option<Vec<Vec<u64>>> =
                    parts.map(|(e, s)| constant_bits(e, s)).collect();
                parts.map(|parts| parts.concat())
            }
        }
        Attribute::Ints(values) if values.len() == slots.len() => Some(
            values
                .iter()
                .zip(slots)
                .map(|(&v, slot)| v as u64 & mask(slot.bits))
                .collect(),
        ),
        Attribute::Str(_) | Attribute::Bytes(_) => {
            let bytes = value.bytes().unwrap_or_default();
            let mut bytes = bytes.iter().copied().chain(std::iter::repeat(0));
            Some(
                slots
                    .iter()
                    .map(|_| bytes.next().unwrap_or(0).into())
                    .collect(),
            )
        }
        other => match slots {
            [slot] => Some(vec![scalar_bits(other, *slot)?]),
            _ => None,
        },
    }
}

fn scalar_bits(value: &Attribute, slot: Slot) -> Option<u64> {
    match (value, slot.kind) {
        (Attribute::Bool(bit), _) => Some(u64::from(*bit)),
        (Attribute::Int(value, _), SlotKind::Int | SlotKind::Ptr(_)) => {
            Some(*value as u64 & mask(slot.bits))
        }
        (Attribute::Int(value, _), SlotKind::Float(ty)) => Some(ty.from_f64(*value as f64)),
        (Attribute::Float(bits, from), SlotKind::Float(ty)) if *from != ty => {
            Some(ty.from_f64(from.to_f64(*bits)))
        }
        (Attribute::Float(bits, _), _) => Some(*bits & mask(slot.bits)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aggregates_lie_in_memory_as_llvm_lays_them_out() {
        let ty = Type::Struct {
            packed: false,
            body: vec![
                Type::Int(8),
                Type::Array(2, Box::new(Type::Int(32))),
                Type::Float(FloatTy::F16),
            ],
        };
        assert_eq!(size_align(&ty), Ok((16, 4)));
        let offsets: Vec<u32> = flatten(&ty)
            .unwrap()
            .iter()
            .map(|slot| slot.offset)
            .collect();
        assert_eq!(offsets, [0, 4, 8, 12]);
        assert_eq!(part(&ty, &[1, 1]), Some((2, &Type::Int(32))));
        assert_eq!(part(&ty, &[3]), None);
        let vector = Type::Vector(3, Box::new(Type::Float(FloatTy::F32)));
        assert_eq!(size_align(&vector), Ok((16, 16)));
        let element = Type::Float(FloatTy::F32);
        assert_eq!(part(&vector, &[2]), Some((2, &element)));
        assert_eq!([part(&vector, &[3]), part(&vector, &[-1])], [None, None]);
        assert!(flatten(&Type::Int(128)).is_err());
    }

    /// In NVPTX and AMDGPU, pointers in the address spaces 0 to 6 have at most 64 bits. Spaces 7 and 9 contain fat
    /// buffer pointers, which are wider than 64 bits and therefore not supported as scalars.
    #[test]
    fn scalars_have_up_to_64_bits() {
        let bits = |ty: Type| flatten(&ty).map(|slots| slots[0].bits).ok();
        for space in [0, 1, 4] {
            assert_eq!(bits(Type::Ptr(space)), Some(64), "{space}");
        }
        for space in [3, 5] {
            assert_eq!(bits(Type::Ptr(space)), Some(32), "{space}");
        }
        for space in [7, 9, 10] {
            assert_eq!(bits(Type::Ptr(space)), None, "{space}");
        }
        assert_eq!(
            [0, 1, 64, 65].map(|n| bits(Type::Int(n))),
            [None, Some(1), Some(64), None]
        );
    }
}
