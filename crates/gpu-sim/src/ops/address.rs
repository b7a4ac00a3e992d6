//! Address computation: variables, stack allocation, `getelementptr`, casts between address spaces.

use super::claim::{Promise, PromiseCheck};
use super::convert::Trunc;
use super::integer::{ADD, Int, OR};
use super::{Family, OpRow, needs, row};
use crate::bits::{mask, signed};
use crate::code::{Reg, Space};
use crate::decode::{DecodeResult, Decoder, flatten, size_align};
use crate::exec::cluster::RANK_SHIFT;
use crate::exec::points_to::{MemoryObject, PointerFlow};
use crate::exec::{Exec, Instruction, Move, Regs};
use crate::ir::{Attribute, Operation, Type};
use crate::memory::{
    LOCAL_WINDOW, MAX_SHARED_SYMBOLS, SHARED_SYMBOL_LOG2, SHARED_WINDOW, STACK_LOG2, symbol_number,
};

pub(super) const FAMILY: Family = Family {
    title: "addresses",
    operations: &[ROWS],
    intrinsics: &[],
};

const ROWS: &[OpRow] = &[
    row("llvm.getelementptr", step),
    row("llvm.alloca", |d, op| {
        let count = d.scalar(op, 0)?;
        let Some(count) = d.b.constant_of(count) else {
            return Err(d.unsupported(
                op,
                "alloca has a dynamic number of elements, expected a constant",
            ));
        };
        let Some(Attribute::Type(ty)) = op.attribute("elem_type") else {
            return Err(d.malformed(op, "alloca without an element type"));
        };
        let (size, align) = size_align(ty).map_err(|text| d.unsupported(op, text))?;
        let Some(bytes) = size.checked_mul(count).filter(|bytes| *bytes <= MAX_LOCAL) else {
            let text = format!(
                "alloca of {count} elements of {size} bytes exceeds the limit of {MAX_LOCAL} bytes"
            );
            return Err(d.unsupported(op, text));
        };
        let (place, number) = d.b.local(bytes as u32, align as u32);
        if u64::from(place) + bytes >= MAX_LOCAL {
            let text = format!("a stack of more than {MAX_LOCAL} bytes is not supported");
            return Err(d.unsupported(op, text));
        }
        let window = match d.result_ty(op)? {
            Type::Ptr(5) => 0,
            _ => LOCAL_WINDOW,
        };
        let reg =
            d.b.address(window | u64::from(place), MemoryObject::Stack(number));
        d.define(op, vec![reg])
    }),
    row("llvm.mlir.addressof", |d, op| {
        let address = d.symbol(op, op.str("global_name").unwrap_or(""))?;
        let root = if address >> SHARED_SYMBOL_LOG2 < u64::from(MAX_SHARED_SYMBOLS) {
            MemoryObject::Shared((address >> SHARED_SYMBOL_LOG2) as u32)
        } else {
            MemoryObject::Global(symbol_number(address))
        };
        let reg = d.b.address(address, root);
        d.define(op, vec![reg])
    }),
    row("llvm.addrspacecast", |d, op| {
        let value = d.operand(op, 0)?;
        let slots = match (&value.ty, d.result_ty(op)?, &value.slots[..]) {
            (&Type::Ptr(from), &Type::Ptr(to), &[src]) => vec![cast(d, src, from, to)],
            _ => value.slots.to_vec(),
        };
        d.define(op, slots)
    }),
    row("nvvm.mapa", |d, op| {
        let (address, rank) = (d.scalar(op, 0)?, d.scalar(op, 1)?);
        if d.result_ty(op)? != &Type::Ptr(7) {
            return Err(d.unsupported(op, "unsupported result type; expected `!llvm.ptr<7>`"));
        }
        let reg = d.emit(|dst| MapToRank { dst, address, rank });
        d.define(op, vec![reg])
    })
    .needing(&needs::CLUSTERS),
];

const MAX_LOCAL: u64 = 1 << STACK_LOG2;

/// Placeholder for a dynamic index in `rawConstantIndices`.
const DYNAMIC: i64 = i32::MIN as i64;

/// Computes `base + sext(index) * scale`.
#[derive(Debug)]
pub(crate) struct Scale {
    pub(crate) bits: u32,
    pub(crate) dst: Reg,
    pub(crate) base: Reg,
    pub(crate) index: Reg,
    pub(crate) index_bits: u32,
    pub(crate) scale: i64,
}

impl Instruction for Scale {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.base, self.index])
    }

    fn flow(&self) -> PointerFlow {
        PointerFlow::From(vec![self.base])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        let (kept, index_bits, scale) = (mask(self.bits), self.index_bits, self.scale);
        exec.map2(self.dst, [self.base, self.index], |base, index| {
            let step = signed(index, index_bits).wrapping_mul(scale);
            base.wrapping_add(step as u64) & kept
        });
        Ok(())
    }
}

/// Maps an address in this block's shared memory to the same address in the shared memory of the block `rank`.
#[derive(Debug)]
struct MapToRank {
    dst: Reg,
    address: Reg,
    rank: Reg,
}

impl Instruction for MapToRank {
    fn regs(&self) -> Regs {
        Regs::new([self.dst], [self.address, self.rank])
    }

    fn step(&self, exec: &mut Exec<'_>) -> DecodeResult {
        exec.map2(self.dst, [self.address, self.rank], |address, rank| {
            address & mask(RANK_SHIFT) | (rank & mask(32)) << RANK_SHIFT
        });
        Ok(())
    }
}

fn cast(d: &mut Decoder<'_>, src: Reg, from: u32, to: u32) -> Reg {
    let window = |space| match space {
        3 => SHARED_WINDOW,
        5 => LOCAL_WINDOW,
        _ => 0,
    };
    let (from, to) = (window(from), window(to));
    if from == to {
        return src;
    }
    if from != 0 {
        let b = d.b.constant(from);
        return d.emit(|dst| Int {
            op: &OR,
            bits: 64,
            dst,
            a: src,
            b,
        });
    }
    d.emit(|dst| Trunc { bits: 32, dst, src })
}

/// Decodes `getelementptr`. Adds all constant indices as one offset, and emits one instruction per dynamic
/// index.
fn step(d: &mut Decoder<'_>, op: &Operation) -> DecodeResult {
    let base = d.operand(op, 0)?;
    let (Type::Ptr(number), &[start]) = (&base.ty, &base.slots[..]) else {
        return Err(d.unsupported(op, "getelementptr on vectors of pointers is not supported"));
    };
    let space = Space::from_number(*number).ok_or_else(|| {
        let text = format!("pointers to address space {number} are not supported");
        d.unsupported(op, text)
    })?;
    let bits = space.pointer_bits();
    let Some(Attribute::Type(element)) = op.attribute("elem_type") else {
        return Err(d.malformed(op, "getelementptr without an element type"));
    };
    let mut fixed = 0i64;
    let mut current = start;
    let mut dynamic = 1;
    let mut ty = element;
    for (depth, &index) in op
        .ints("rawConstantIndices")
        .unwrap_or(&[])
        .iter()
        .enumerate()
    {
        let mut index = index;
        let mut operand = None;
        if index == DYNAMIC {
            let reg = d.scalar(op, dynamic)?;
            let width = d.scalar_slot(op, dynamic)?.bits;
            dynamic += 1;
            match d.b.constant_of(reg) {
                Some(bits) => index = signed(bits, width),
                None => operand = Some((reg, width)),
            }
        }
        match ty {
            _ if depth == 0 => {}
            Type::Array(_, inner) | Type::Vector(_, inner) => ty = inner,
            Type::Struct { packed, body } => {
                let field = usize::try_from(index)
                    .ok()
                    .filter(|i| operand.is_none() && *i < body.len());
                let Some(field) = field else {
                    let text = match operand {
                        Some(_) => "the index of a struct field is not a constant".to_owned(),
                        None => format!("the struct has no field {index}"),
                    };
                    return Err(d.malformed(op, text));
                };
                fixed += field_offset(*packed, &body[..=field])
                    .map_err(|text| d.unsupported(op, text))?;
                ty = &body[field];
                continue;
            }
            _ => {
                return Err(
                    d.malformed(op, format!("index into type `{ty}`, which has no elements"))
                );
            }
        }
        let (size, align) = size_align(ty).map_err(|text| d.unsupported(op, text))?;
        let scale = size.next_multiple_of(align) as i64;
        match operand {
            Some((index, index_bits)) => {
                let base = current;
                current = d.emit(|dst| Scale {
                    bits,
                    dst,
                    base,
                    index,
                    index_bits,
                    scale,
                });
            }
            None => fixed += index.wrapping_mul(scale),
        }
    }
    if fixed != 0 {
        current = moved(d, bits, current, fixed as u64 & mask(bits));
    }
    let flags = op.int("noWrapFlags").unwrap_or(0);
    let is_shared = d.b.constant_of(current).is_some() || d.b.address_of(current).is_some();
    if flags != 0 && is_shared {
        // Other operations may use the same constant register, so a copy carries the flags.
        let src = current;
        current = d.emit(|dst| Move { dst, src });
    }
    let promises = [
        (flags & 1 != 0, Promise::Inside(space)),
        (flags & 4 != 0, Promise::NotBelow),
    ];
    for (_, promise) in promises.into_iter().filter(|(flag, _)| *flag) {
        d.b.push(PromiseCheck {
            promise,
            value: current,
            a: start,
            b: start,
        });
    }
    d.define(op, vec![current])
}

/// Returns the byte offset, within a struct, of the last field in `fields`. `fields` contains the fields of the
/// struct up to and including this field.
fn field_offset(packed: bool, fields: &[Type]) -> Result<i64, String> {
    let body = fields.to_vec();
    let slots = flatten(&Type::Struct { packed, body })?;
    let inside = match fields.last() {
        Some(field) => flatten(field)?.len(),
        None => 0,
    };
    let first = slots.get(slots.len() - inside);
    Ok(first.map_or(0, |slot| slot.offset.into()))
}

/// Returns a register with the address `from + by`, in `bits` bits.
fn moved(d: &mut Decoder<'_>, bits: u32, from: Reg, by: u64) -> Reg {
    if let Some(base) = d.b.constant_of(from) {
        return d.b.constant(base.wrapping_add(by) & mask(bits));
    }
    if let Some((base, root)) = d.b.address_of(from) {
        return d.b.address(base.wrapping_add(by) & mask(bits), root);
    }
    let b = d.b.constant(by);
    d.emit(|dst| Int {
        op: &ADD,
        bits,
        dst,
        a: from,
        b,
    })
}
