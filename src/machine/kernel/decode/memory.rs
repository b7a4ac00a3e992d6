//! Addresses, loads, stores and atomics.

use super::types::{SlotKind, flatten, size_align};
use super::{Decoder, Done, Values};
use crate::machine::kernel::eval::mask;
use crate::machine::kernel::memory::{LOCAL_WINDOW, SHARED_WINDOW};
use crate::machine::kernel::op::{
    Access, AtomicOp, BufferAccess, Claim, Field, FloatOp, IntOp, Op, Reg, Space,
};
use crate::machine::kernel::text::{Attr, Node, Ty};

/// Operations of this file, for suggestions.
pub(super) const NAMES: &[&str] = &[
    "llvm.load",
    "llvm.store",
    "llvm.getelementptr",
    "llvm.alloca",
    "llvm.mlir.addressof",
    "llvm.atomicrmw",
    "llvm.cmpxchg",
    "llvm.fence",
    "rocdl.make.buffer.rsrc",
    "rocdl.raw.ptr.buffer.load",
    "rocdl.raw.ptr.buffer.store",
    "nvvm.cp.async.shared.global",
    "nvvm.cp.async.commit.group",
    "nvvm.cp.async.wait.group",
    "nvvm.ldmatrix",
    "nvvm.stmatrix",
];

/// `rawConstantIndices` marks a dynamic index by this.
const DYNAMIC: i64 = i32::MIN as i64;

impl<'a> Decoder<'_, 'a> {
    /// Decodes a memory operation; `false` if it is none.
    pub(super) fn memory(&mut self, op: &Node<'a>, values: &mut Values<'a>) -> Done<bool> {
        match op.name {
            "llvm.load" => {
                let ty = self.result_ty(op)?.clone();
                let slots = self.flat(op, &ty)?;
                let regs = self.b.regs(slots.len());
                let access = self.access(op, 0, &ty, &regs, values)?;
                self.b.push(Op::Load(access));
                self.define(op, regs, values)?;
            }
            "llvm.store" => {
                let value = self.operand(op, 0, values)?;
                let access = self.access(op, 1, &value.ty, &value.slots, values)?;
                self.b.push(Op::Store(access));
            }
            "llvm.getelementptr" => self.address(op, values)?,
            "llvm.alloca" => {
                let count = self.scalar(op, 0, values)?;
                let Some(count) = self.b.constant_of(count) else {
                    return Err(self.unsupported(op, "alloca of a size that is not constant"));
                };
                let Some(Attr::Type(ty)) = op.attr("elem_type") else {
                    return Err(self.malformed(op, "alloca without an element type"));
                };
                let (size, align) = size_align(ty).map_err(|text| self.unsupported(op, text))?;
                let place = self.b.local((size * count) as u32, align as u32);
                let window = if *self.result_ty(op)? == Ty::Ptr(5) {
                    0
                } else {
                    LOCAL_WINDOW
                };
                let reg = self.b.constant(window | u64::from(place));
                self.define(op, vec![reg], values)?;
            }
            "llvm.mlir.addressof" => {
                let name = op.str("global_name").unwrap_or("").to_owned();
                let address = self.symbol(op, &name)?;
                let reg = self.b.constant(address);
                self.define(op, vec![reg], values)?;
            }
            "llvm.atomicrmw" => self.atomic(op, values)?,
            "llvm.cmpxchg" => {
                let space = self.space(op, 0, values)?;
                let [addr, expected, value] = [
                    self.scalar(op, 0, values)?,
                    self.scalar(op, 1, values)?,
                    self.scalar(op, 2, values)?,
                ];
                let bits = self.flat(op, &self.operand(op, 1, values)?.ty)?[0].bits;
                let (dst, success) = (self.b.reg(), self.b.reg());
                self.b.push(Op::CompareExchange {
                    bits,
                    dst,
                    success,
                    space,
                    addr,
                    expected,
                    value,
                });
                self.define(op, vec![dst, success], values)?;
            }
            // Accesses of one lane are in order here; only barriers order lanes.
            "llvm.fence" => {}
            "rocdl.make.buffer.rsrc" => {
                let parts: Vec<Reg> = (0..4)
                    .map(|i| self.scalar(op, i, values))
                    .collect::<Done<_>>()?;
                self.define(op, parts, values)?;
            }
            "rocdl.raw.ptr.buffer.load" => {
                let ty = self.result_ty(op)?.clone();
                let slots = self.flat(op, &ty)?;
                let regs = self.b.regs(slots.len());
                let access = self.buffer_access(op, 0, &ty, &regs, values)?;
                self.b.push(Op::BufferLoad(access));
                self.define(op, regs, values)?;
            }
            "rocdl.raw.ptr.buffer.store" => {
                let value = self.operand(op, 0, values)?;
                let access = self.buffer_access(op, 1, &value.ty, &value.slots, values)?;
                self.b.push(Op::BufferStore(access));
            }
            "nvvm.cp.async.shared.global" => self.async_copy(op, values)?,
            // Asynchronous copies are carried out where they start.
            "nvvm.cp.async.commit.group" | "nvvm.cp.async.wait.group" => {}
            "nvvm.ldmatrix" | "nvvm.stmatrix" => self.matrix(op, values)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The memory that operand `index`, a pointer, points to.
    fn space(&self, op: &Node<'a>, index: usize, values: &Values<'a>) -> Done<Space> {
        let Ty::Ptr(number) = self.operand(op, index, values)?.ty else {
            return Err(self.malformed(op, format!("operand {index} must be a pointer")));
        };
        Space::from_number(number).ok_or_else(|| {
            self.unsupported(
                op,
                format!("access to address space {number} is not supported"),
            )
        })
    }

    fn fields(&self, op: &Node<'a>, ty: &Ty, regs: &[Reg]) -> Done<(Box<[Field]>, u32)> {
        let slots = self.flat(op, ty)?;
        if slots.iter().any(|slot| slot.bits == 1) && slots.len() > 1 {
            return Err(self.unsupported(op, "vectors of i1 in memory are not supported"));
        }
        let size = slots
            .iter()
            .map(|slot| slot.offset + u32::from(slot.bytes()))
            .max()
            .unwrap_or(0);
        let fields = slots.iter().zip(regs);
        let fields = fields.map(|(slot, &reg)| Field {
            reg,
            offset: slot.offset,
            bytes: slot.bytes(),
        });
        Ok((fields.collect(), size))
    }

    fn access(
        &self,
        op: &Node<'a>,
        pointer: usize,
        ty: &Ty,
        regs: &[Reg],
        values: &Values<'a>,
    ) -> Done<Box<Access>> {
        let space = self.space(op, pointer, values)?;
        let addr = self.scalar(op, pointer, values)?;
        let (fields, size) = self.fields(op, ty, regs)?;
        let natural = size_align(ty).map_err(|text| self.unsupported(op, text))?.1;
        let align = op
            .int("alignment")
            .and_then(|align| u32::try_from(align).ok());
        let align = align.unwrap_or(natural as u32);
        Ok(Box::new(Access {
            space,
            addr,
            offset: 0,
            fields,
            size,
            align,
            guard: None,
        }))
    }

    fn buffer_access(
        &self,
        op: &Node<'a>,
        first: usize,
        ty: &Ty,
        regs: &[Reg],
        values: &Values<'a>,
    ) -> Done<Box<BufferAccess>> {
        let rsrc = self.operand(op, first, values)?;
        let &[base, stride, records, flags] = &rsrc.slots[..] else {
            return Err(self.unsupported(op, "a descriptor not made by `rocdl.make.buffer.rsrc`"));
        };
        if self.b.constant_of(stride).is_some_and(|stride| stride != 0) {
            return Err(self.unsupported(op, "a buffer whose descriptor has a stride"));
        }
        let (fields, size) = self.fields(op, ty, regs)?;
        Ok(Box::new(BufferAccess {
            rsrc: [base, stride, records, flags],
            offset: self.scalar(op, first + 1, values)?,
            soffset: self.scalar(op, first + 2, values)?,
            fields,
            size,
        }))
    }

    /// `getelementptr`: constant steps are summed, each dynamic one is an instruction.
    fn address(&mut self, op: &Node<'a>, values: &mut Values<'a>) -> Done {
        let base = self.operand(op, 0, values)?;
        let (Ty::Ptr(number), [start]) = (&base.ty, &base.slots[..]) else {
            return Err(
                self.unsupported(op, "getelementptr on vectors of pointers is not supported")
            );
        };
        let space = Space::from_number(*number).ok_or_else(|| {
            self.unsupported(
                op,
                format!("pointers to address space {number} are not supported"),
            )
        })?;
        let bits = space.pointer_bits();
        let Some(Attr::Type(element)) = op.attr("elem_type") else {
            return Err(self.malformed(op, "getelementptr without an element type"));
        };
        let indices = op.ints("rawConstantIndices").unwrap_or(&[]).to_vec();
        let stride = |d: &Self, ty: &Ty| -> Done<i64> {
            let (size, align) = size_align(ty).map_err(|text| d.unsupported(op, text))?;
            Ok(size.next_multiple_of(align) as i64)
        };
        let mut fixed = 0i64;
        let mut current = *start;
        let mut dynamic = 1;
        let mut ty = element;
        for (depth, &index) in indices.iter().enumerate() {
            let mut index = index;
            let mut operand = None;
            if index == DYNAMIC {
                let value = self.operand(op, dynamic, values)?;
                let reg = self.scalar(op, dynamic, values)?;
                let width = self.flat(op, &value.ty)?[0].bits;
                dynamic += 1;
                match self.b.constant_of(reg) {
                    Some(bits) => index = crate::machine::kernel::eval::signed(bits, width),
                    None => operand = Some((reg, width)),
                }
            }
            let scale = if depth == 0 {
                stride(self, ty)?
            } else {
                match ty {
                    Ty::Array(_, inner) | Ty::Vector(_, inner) => {
                        ty = inner;
                        stride(self, ty)?
                    }
                    Ty::Struct { packed, body } => {
                        let field = usize::try_from(index)
                            .ok()
                            .filter(|i| operand.is_none() && *i < body.len());
                        let Some(field) = field else {
                            return Err(
                                self.malformed(op, format!("the struct has no field {index}"))
                            );
                        };
                        let before = Ty::Struct {
                            packed: *packed,
                            body: body[..=field].to_vec(),
                        };
                        let slots = flatten(&before).map_err(|text| self.unsupported(op, text))?;
                        let inside =
                            flatten(&body[field]).map_err(|text| self.unsupported(op, text))?;
                        fixed += i64::from(slots[slots.len() - inside.len()].offset);
                        ty = &body[field];
                        continue;
                    }
                    _ => return Err(self.malformed(op, "index into a scalar")),
                }
            };
            match operand {
                Some((index, index_bits)) => {
                    let base = current;
                    current = self.emit(|dst| Op::Scale {
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
            let (a, b) = (current, self.b.constant(fixed as u64 & mask(bits)));
            current = match self.b.constant_of(a) {
                Some(base) => self
                    .b
                    .constant(base.wrapping_add(fixed as u64) & mask(bits)),
                None => self.emit(|dst| Op::Int {
                    op: IntOp::Add,
                    bits,
                    dst,
                    a,
                    b,
                }),
            };
        }
        let flags = op.int("noWrapFlags").unwrap_or(0);
        let start = *start;
        let claims = [
            (flags & 1 != 0, Claim::Inside(space)),
            (flags & 4 != 0, Claim::NotBelow),
        ];
        if flags != 0 && self.b.constant_of(current).is_some() {
            // Others may hold the same constant, of which nothing is promised.
            let src = current;
            current = self.emit(|dst| Op::Move { dst, src });
        }
        for (_, claim) in claims.into_iter().filter(|(flag, _)| *flag) {
            self.b.push(Op::Claim {
                claim,
                value: current,
                a: start,
                b: start,
            });
        }
        self.define(op, vec![current], values)
    }

    /// Moves a pointer between address spaces.
    pub(super) fn cast_pointer(&mut self, src: Reg, from: u32, to: u32) -> Reg {
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
            let b = self.b.constant(from);
            return self.emit(|dst| Op::Int {
                op: IntOp::Or,
                bits: 64,
                dst,
                a: src,
                b,
            });
        }
        self.emit(|dst| Op::Trunc { bits: 32, dst, src })
    }

    fn atomic(&mut self, op: &Node<'a>, values: &mut Values<'a>) -> Done {
        let space = self.space(op, 0, values)?;
        let (addr, value) = (self.scalar(op, 0, values)?, self.scalar(op, 1, values)?);
        let slot = self.flat(op, self.result_ty(op)?)?[0];
        let number = op.int("bin_op").unwrap_or(-1);
        let float = match slot.kind {
            SlotKind::Float(ty) => Some(ty),
            _ => None,
        };
        let kind = match (number, float) {
            (0, _) => AtomicOp::Xchg,
            (1, None) => AtomicOp::Int(IntOp::Add),
            (2, None) => AtomicOp::Int(IntOp::Sub),
            (3, None) => AtomicOp::Int(IntOp::And),
            (4, None) => AtomicOp::Nand,
            (5, None) => AtomicOp::Int(IntOp::Or),
            (6, None) => AtomicOp::Int(IntOp::Xor),
            (7, None) => AtomicOp::Int(IntOp::SMax),
            (8, None) => AtomicOp::Int(IntOp::SMin),
            (9, None) => AtomicOp::Int(IntOp::UMax),
            (10, None) => AtomicOp::Int(IntOp::UMin),
            (11, Some(ty)) => AtomicOp::Float(FloatOp::Add, ty),
            (12, Some(ty)) => AtomicOp::Float(FloatOp::Sub, ty),
            (13, Some(ty)) => AtomicOp::Float(FloatOp::MaxNum, ty),
            (14, Some(ty)) => AtomicOp::Float(FloatOp::MinNum, ty),
            (19, Some(ty)) => AtomicOp::Float(FloatOp::Maximum, ty),
            (20, Some(ty)) => AtomicOp::Float(FloatOp::Minimum, ty),
            _ => {
                return Err(
                    self.unsupported(op, format!("atomic operation {number} is not supported"))
                );
            }
        };
        let bits = slot.bits;
        let reg = self.emit(|dst| Op::Atomic {
            op: kind,
            bits,
            dst,
            space,
            addr,
            value,
        });
        self.define(op, vec![reg], values)
    }

    fn async_copy(&mut self, op: &Node<'a>, values: &Values<'a>) -> Done {
        let size = op
            .int("size")
            .and_then(|size| u32::try_from(size).ok())
            .unwrap_or(0);
        if !matches!(size, 4 | 8 | 16) {
            return Err(self.malformed(
                op,
                format!("asynchronous copy of {size} bytes; 4, 8 and 16 exist"),
            ));
        }
        if op.operands.len() > 2 {
            return Err(self.unsupported(op, "asynchronous copy of a part is not supported"));
        }
        let words = (size / 4) as usize;
        let regs = self.b.regs(words);
        let fields: Box<[Field]> = regs
            .iter()
            .zip(0..)
            .map(|(&reg, i)| Field {
                reg,
                offset: 4 * i,
                bytes: 4,
            })
            .collect();
        let (to, from) = (self.scalar(op, 0, values)?, self.scalar(op, 1, values)?);
        let access = |space, addr| {
            let fields = fields.clone();
            Box::new(Access {
                space,
                addr,
                offset: 0,
                fields,
                size,
                align: size,
                guard: None,
            })
        };
        self.b.push(Op::Load(access(Space::Global, from)));
        self.b.push(Op::Store(access(Space::Shared, to)));
        Ok(())
    }

    fn matrix(&mut self, op: &Node<'a>, values: &mut Values<'a>) -> Done {
        let transposed = op
            .str("layout")
            .is_some_and(|layout| layout.contains("col"));
        let shape = op.str("shape").unwrap_or("m = 8, n = 8");
        let ty = op.str("eltType").unwrap_or("b16");
        if !(shape.contains("m = 8, n = 8") && ty.contains("b16")) {
            return Err(self.unsupported(op, "only 8x8 matrices of 16 bits are supported"));
        }
        let addr = self.scalar(op, 0, values)?;
        if op.name == "nvvm.ldmatrix" {
            let count = self.flat(op, self.result_ty(op)?)?.len();
            let regs = self.b.regs(count);
            self.b.push(Op::LoadMatrix {
                dst: regs.clone().into(),
                addr,
                transposed,
            });
            return self.define(op, regs, values);
        }
        let count = op.operands.len();
        let src: Vec<Reg> = (1..count)
            .map(|i| self.scalar(op, i, values))
            .collect::<Done<_>>()?;
        self.b.push(Op::StoreMatrix {
            src: src.into(),
            addr,
            transposed,
        });
        Ok(())
    }
}
