//! Random loads and stores: offsets, masks, and buffers of exactly the accessed size.

use super::builder::Builder;
use super::kernel::{
    Argument, BOOL, Code, Content, Element, I32, I64, KernelOp, KernelType, Scalar, Value,
};
use crate::referee::registers;
use linear_layout::target::Vendor;

const LOAD_POLICIES: [&str; 6] = [
    "cache_modifier = ca, eviction_policy = evict_normal",
    "cache_modifier = cg, eviction_policy = evict_normal",
    "cache_modifier = cs, eviction_policy = evict_normal",
    "cache_modifier = cv, eviction_policy = evict_normal",
    "cache_modifier = none, eviction_policy = evict_first",
    "cache_modifier = none, eviction_policy = evict_last",
];
const STORE_POLICIES: [&str; 5] = [
    "cache_modifier = cg, eviction_policy = evict_normal",
    "cache_modifier = cs, eviction_policy = evict_normal",
    "cache_modifier = wb, eviction_policy = evict_normal",
    "cache_modifier = wt, eviction_policy = evict_normal",
    "cache_modifier = none, eviction_policy = evict_first",
];

/// Offsets into a buffer, counted in elements. All offsets are below `span`.
pub(super) struct Offsets {
    pub(super) values: Value,
    pub(super) span: u64,
}

impl Builder {
    /// Adds a new tensor or scalar of this type. Its elements are mostly loaded from a new buffer.
    pub(crate) fn fresh(&mut self, type_: &KernelType) -> Value {
        if !type_.element.is_pointer() {
            return self.fresh_load(type_);
        }
        if self.rng.chance(70) {
            return self.new_pointers(type_);
        }
        // Pointers are stored as integers.
        self.pointee = Some(type_.element.pointee());
        let numbers = self.fresh_load(&type_.of(I64));
        self.pointee = None;
        self.cast("tt.int_to_ptr", numbers, type_.element)
    }

    /// Adds a buffer, and returns pointers to its elements that form a value of type `type_`.
    fn new_pointers(&mut self, type_: &KernelType) -> Value {
        let pointee = type_.element.pointee();
        if type_.tensor.is_none() {
            let content = self.content(pointee, 1);
            return self.buffer(pointee, content);
        }
        let offsets = self.any_offsets(type_);
        let content = self.content(pointee, offsets.span);
        let base = self.buffer(pointee, content);
        let pointers = self.splat(base, type_);
        self.one(Code::AddPointer, &[pointers, offsets.values], type_.clone())
    }

    /// Draws the initial contents of a buffer with `count` elements.
    pub(super) fn content(&mut self, element: Element, count: u64) -> Content {
        if let Some(pointee) = self.pointee.take() {
            let size = 1 + self.rng.below(64) as u64;
            let content = self.content(pointee, size);
            let into = self.buffer(pointee, content);
            let offsets = (0..count)
                .map(|_| self.rng.below(size as usize) as u64 * pointee.bytes() as u64)
                .collect();
            return Content::Pointers { into, offsets };
        }
        let mut bytes = Vec::new();
        for _ in 0..count {
            let word = self.interesting(element.scalar);
            bytes.extend(&word.to_le_bytes()[..element.bytes()]);
        }
        Content::Bytes(bytes)
    }

    fn load_code(&mut self) -> Code {
        Code::Load {
            volatile: self.rng.chance(6),
            policy: if self.rng.chance(15) {
                self.rng.choose(&LOAD_POLICIES)
            } else {
                ""
            },
        }
    }

    /// Adds a buffer and a load from it, and returns the loaded value of type `type_`.
    fn fresh_load(&mut self, type_: &KernelType) -> Value {
        let element = type_.element;
        if type_.tensor.is_none() {
            let count = self.slot.count;
            let content = self.content(element, count);
            let base = self.buffer(element, content);
            let pointer = KernelType::scalar(element.pointer());
            let pointer = self.one(Code::AddPointer, &[base, self.slot.number], pointer);
            let code = self.load_code();
            return self.one(code, &[pointer], type_.clone());
        }
        let offsets = self.any_offsets(type_);
        // A masked-off element would not be a valid address.
        let may_mask = self.pointee.is_none() && self.rng.chance(45);
        let mask = may_mask.then(|| self.bound(&offsets));
        let count = mask.map_or(offsets.span, |(_, limit)| limit);
        let content = self.content(element, count);
        let base = self.buffer(element, content);
        let mask = mask.map(|(mask, _)| self.maybe_random_too(mask));
        let is_amd = self.kernel.target.vendor == Vendor::Amd;
        if is_amd && element.bits() > 1 && self.rng.chance(35) {
            return self.masked(Code::BufferLoad, vec![base, offsets.values], mask, type_);
        }
        let pointers = self.pointers_at(base, offsets.values);
        let code = self.load_code();
        self.masked(code, vec![pointers], mask, type_)
    }

    /// Adds a load with an optional mask. Elements whose mask is false get another value, so that every element of
    /// the returned value is defined.
    fn masked(
        &mut self,
        code: Code,
        mut operands: Vec<Value>,
        mask: Option<Value>,
        type_: &KernelType,
    ) -> Value {
        let Some(mask) = mask else {
            return self.one(code, &operands, type_.clone());
        };
        operands.push(mask);
        let other = if self.rng.chance(40) {
            let bits = self.interesting(type_.element.scalar);
            self.constant(type_, bits)
        } else {
            self.like(type_)
        };
        if self.rng.chance(60) {
            operands.push(other);
            return self.one(code, &operands, type_.clone());
        }
        let loaded = self.one(code, &operands, type_.clone());
        self.elementwise("arith.select", &[mask, loaded, other])
    }

    /// Returns a tensor of pointers at `offsets` from `base`, computed in one of the forms that compilers emit.
    pub(super) fn pointers_at(&mut self, base: Value, offsets: Value) -> Value {
        let element = self.element(base);
        let type_ = self.type_(offsets).of(element);
        let mut offsets = offsets;
        if self.rng.chance(25) {
            offsets = self.cast("arith.extsi", offsets, I64);
        }
        if self.rng.chance(15) {
            // An additional step, which is undone.
            let step = self.constant(&KernelType::scalar(I32), 4);
            let back = self.constant(&KernelType::scalar(I32), 4_u64.wrapping_neg());
            let moved = self.one(Code::AddPointer, &[base, step], KernelType::scalar(element));
            let base = self.one(
                Code::AddPointer,
                &[moved, back],
                KernelType::scalar(element),
            );
            let pointers = self.splat(base, &type_);
            return self.one(Code::AddPointer, &[pointers, offsets], type_);
        }
        let pointers = self.splat(base, &type_);
        self.one(Code::AddPointer, &[pointers, offsets], type_)
    }

    /// Adds a comparison that is true where an offset is below a random limit. Returns the result of the
    /// comparison, and the limit.
    fn bound(&mut self, offsets: &Offsets) -> (Value, u64) {
        let mut limit = 1 + self.rng.below(offsets.span as usize) as u64;
        if self.rng.chance(50) {
            limit = limit.next_multiple_of(16);
        }
        let type_ = self.type_(offsets.values);
        let limits = if self.rng.chance(60) && self.has_room_for_arguments() {
            let number = self.number(limit);
            self.splat(number, &type_)
        } else {
            self.constant(&type_, limit)
        };
        let predicate = self.rng.choose(&[2, 6]);
        (self.compare_ints(predicate, offsets.values, limits), limit)
    }

    fn maybe_random_too(&mut self, mask: Value) -> Value {
        if self.rng.chance(70) || self.tensors.is_empty() {
            return mask;
        }
        let type_ = self.type_(mask);
        let other = self.like(&type_);
        self.elementwise("arith.andi", &[mask, other])
    }

    /// Draws offsets. Several elements may have the same offset.
    pub(super) fn any_offsets(&mut self, type_: &KernelType) -> Offsets {
        if self.rng.chance(15)
            && let Some(offsets) = self.gathered(type_)
        {
            return offsets;
        }
        let mut offsets = self.distinct_offsets(type_);
        if self.rng.chance(15) {
            // Coarser: neighbours access the same element.
            let by = self.rng.below(3) as u64;
            let type_ = self.type_(offsets.values);
            let by_tensor = self.constant(&type_, by);
            offsets.values = self.elementwise("arith.shrui", &[offsets.values, by_tensor]);
            offsets.span = ((offsets.span - 1) >> by) + 1;
        }
        offsets
    }

    /// Returns offsets that are computed from the elements of an existing integer tensor. Returns `None` if no
    /// integer tensor has the shape of `type_`.
    fn gathered(&mut self, type_: &KernelType) -> Option<Offsets> {
        let ints: Vec<Value> = self
            .tensors
            .iter()
            .copied()
            .filter(|v| {
                let other = &self.kernel.types[*v];
                other.shape() == type_.shape() && other.element.int().is_some()
            })
            .collect();
        if ints.is_empty() {
            return None;
        }
        let value = self.rng.choose(&ints);
        let value = self.convert(value, &type_.tensor.as_ref()?.encoding);
        let value = self.cast_to(value, I32);
        let span = self.rng.power(0, 6);
        let type_ = self.type_(value);
        let most = self.constant(&type_, span - 1);
        let values = self.elementwise("arith.andi", &[value, most]);
        Some(Offsets { values, span })
    }

    /// Draws offsets that are distinct for all elements of a tensor of type `type_`. If the operation that uses the
    /// offsets is executed several times, no two executions have an offset in common.
    pub(super) fn distinct_offsets(&mut self, type_: &KernelType) -> Offsets {
        let tensor = type_.tensor.clone().expect("offsets are a tensor");
        let (shape, rank) = (&tensor.shape, tensor.shape.len());
        let total: u64 = shape.iter().product();
        let mut region = 1;
        let values = if self.rng.chance(20) {
            region = total;
            self.flat_range(shape, &tensor.encoding)
        } else {
            let mut order: Vec<usize> = (0..rank).rev().collect();
            if self.rng.chance(40) {
                self.rng.shuffle(&mut order);
            }
            let mut sum = None;
            for dim in order {
                let mut at = self.coordinate(shape, &tensor.encoding, dim);
                if region != 1 || self.rng.chance(10) {
                    let stride = self.constant(&type_.of(I32), region);
                    at = self.elementwise("arith.muli", &[at, stride]);
                }
                sum = Some(match sum {
                    None => at,
                    Some(sum) => self.elementwise("arith.addi", &[sum, at]),
                });
                region *= shape[dim];
                if self.rng.chance(15) {
                    region += self.rng.below(5) as u64;
                }
            }
            sum.expect("a tensor has dimensions")
        };
        let mut values = values;
        if self.rng.chance(20) && region.is_power_of_two() && region > 1 {
            let flip = self.rng.below(region as usize) as u64;
            let flip = self.constant(&type_.of(I32), flip);
            values = self.elementwise("arith.xori", &[values, flip]);
        }
        // Each execution has its own region.
        let size = self.constant(&KernelType::scalar(I32), region);
        let start = self.elementwise("arith.muli", &[self.slot.number, size]);
        let starts = self.splat(start, &type_.of(I32));
        Offsets {
            values: self.elementwise("arith.addi", &[values, starts]),
            span: region * self.slot.count,
        }
    }

    /// Returns the row-major index of each element of a tensor with this shape and encoding. It is computed as a
    /// reshaped range if the layouts permit it, and from the coordinates otherwise.
    pub(super) fn flat_range(&mut self, shape: &[u64], encoding: &str) -> Value {
        let total: u64 = shape.iter().product();
        let flat = self.encoding(&[total]);
        let type_ = self.tensor_type(I32, &[total], &flat);
        let range = self.one(Code::Range(0), &[], type_);
        let value = self.reshaped(range, shape).unwrap_or(range);
        if self.type_(value).shape() == shape {
            return self.convert(value, encoding);
        }
        self.coordinate_of_flat(shape, encoding)
    }

    /// Returns the row-major index of each element, computed from its coordinates.
    fn coordinate_of_flat(&mut self, shape: &[u64], encoding: &str) -> Value {
        let type_ = self.tensor_type(I32, shape, encoding);
        let mut sum = self.constant(&type_, 0);
        for dim in 0..shape.len() {
            let at = self.coordinate(shape, encoding, dim);
            let size = self.constant(&type_, shape[dim]);
            let larger = self.elementwise("arith.muli", &[sum, size]);
            sum = self.elementwise("arith.addi", &[larger, at]);
        }
        sum
    }

    /// Returns a tensor with this shape and encoding that holds the coordinate of each element along `dim`.
    pub(crate) fn coordinate(&mut self, shape: &[u64], encoding: &str, dim: usize) -> Value {
        let blocked;
        let steps = match self.slices(shape, encoding, dim) {
            Some(steps) if self.rng.chance(80) => steps,
            _ => {
                blocked = (0..100)
                    .find_map(|_| {
                        let text = registers::blocked(&mut self.rng, &self.setting, shape.len());
                        let steps = self.slices(shape, &text, dim)?;
                        self.fits(&text, shape).then_some(steps)
                    })
                    .expect("a blocked layout with slices is found soon");
                blocked
            }
        };
        let (first_encoding, views) = steps;
        let size = shape[dim];
        let type_ = self.tensor_type(I32, &[size], &first_encoding);
        let start = if self.rng.chance(15) {
            self.rng.below(100) as u64
        } else {
            0
        };
        let mut value = self.one(Code::Range(start), &[], type_.clone());
        if start != 0 {
            let back = self.constant(&type_, start);
            value = self.elementwise("arith.subi", &[value, back]);
        }
        for (axis, encoding) in views {
            let mut larger = self.type_(value).shape().to_vec();
            larger.insert(axis, 1);
            let type_ = self.tensor_type(I32, &larger, &encoding);
            value = self.one(Code::ExpandDims(axis), &[value], type_);
        }
        let type_ = self.type_(value);
        if type_.shape() != shape {
            let own = type_.tensor.expect("a range is a tensor").encoding;
            let type_ = self.tensor_type(I32, shape, &own);
            value = self.one(Code::Broadcast, &[value], type_);
        }
        self.convert(value, encoding)
    }

    /// Returns the encodings that are needed to expand a range along `dim` to a tensor with this shape and
    /// encoding. The first result is the encoding of the one-dimensional range. The list has one entry per
    /// dimension that must be inserted, in the order of insertion: the position of the dimension, and the encoding
    /// after its insertion. Returns `None` if one of the encodings does not fit its shape.
    fn slices(
        &mut self,
        shape: &[u64],
        encoding: &str,
        dim: usize,
    ) -> Option<(String, Vec<(usize, String)>)> {
        let (mut sizes, mut dim) = (vec![1; shape.len()], dim);
        sizes[dim] = shape[dim];
        let mut encoding = encoding.to_owned();
        let mut views = Vec::new();
        while sizes.len() > 1 {
            if !self.fits(&encoding, &sizes) {
                return None;
            }
            let mut axis = self.rng.below(sizes.len() - 1);
            if axis >= dim {
                axis += 1;
            } else {
                dim -= 1;
            }
            let inner = registers::slice(&encoding, axis);
            views.push((axis, encoding));
            encoding = inner;
            sizes.remove(axis);
        }
        views.reverse();
        self.fits(&encoding, &sizes).then_some((encoding, views))
    }

    /// Adds a new buffer, and a store of `value` to it.
    pub(crate) fn store(&mut self, value: Value) {
        let value = if self.element(value).is_pointer() {
            self.cast("tt.ptr_to_int", value, I64)
        } else {
            value
        };
        let type_ = self.type_(value);
        let element = type_.element;
        let policy = if self.rng.chance(15) {
            self.rng.choose(&STORE_POLICIES)
        } else {
            ""
        };
        if type_.tensor.is_none() {
            let base = self.output(element, self.slot.count);
            let pointer = KernelType::scalar(element.pointer());
            let pointer = self.one(Code::AddPointer, &[base, self.slot.number], pointer);
            return self.effect(Code::Store { policy }, vec![pointer, value]);
        }
        let offsets = self.distinct_offsets(&type_);
        let mask = self.rng.chance(45).then(|| self.bound(&offsets));
        let count = mask.map_or(offsets.span, |(_, limit)| limit);
        let base = self.output(element, count);
        let mask = mask.map(|(mask, _)| self.maybe_random_too(mask));
        let is_amd = self.kernel.target.vendor == Vendor::Amd;
        if is_amd && element.bits() > 1 && self.rng.chance(35) {
            let operands = [value, base, offsets.values].into_iter().chain(mask);
            return self.effect(Code::BufferStore, operands.collect());
        }
        let pointers = self.pointers_at(base, offsets.values);
        let operands = [pointers, value].into_iter().chain(mask);
        self.effect(Code::Store { policy }, operands.collect());
    }

    fn effect(&mut self, code: Code, operands: Vec<Value>) {
        self.push(KernelOp {
            code,
            operands,
            results: Vec::new(),
            regions: Vec::new(),
        });
    }

    fn output(&mut self, element: Element, count: u64) -> Value {
        let bytes = vec![super::run::UNTOUCHED; count as usize * element.bytes()];
        self.buffer(element, Content::Bytes(bytes))
    }

    /// Adds a load from an existing tensor of pointers, possibly with a mask.
    pub(crate) fn load_through(&mut self, pointers: Value) -> Value {
        let type_ = self.type_(pointers);
        let loaded = type_.of(type_.element.pointee());
        let code = self.load_code();
        let mask = self.rng.chance(40).then(|| self.like(&type_.of(BOOL)));
        self.masked(code, vec![pointers], mask, &loaded)
    }

    /// Adds a new `i32` scalar, which is either an argument or loaded from memory. Later operations may use it.
    pub(crate) fn new_scalar(&mut self) {
        let scalar = if self.rng.chance(50) {
            let bits = self.interesting(Scalar::Int(32));
            self.argument(
                I32,
                Argument {
                    content: Content::Number(bits),
                    divisibility: None,
                    is_shared: false,
                },
            )
        } else {
            let element = Element::number(Scalar::Int(32));
            self.fresh_load(&KernelType::scalar(element))
        };
        self.scalars.push(scalar);
    }
}
