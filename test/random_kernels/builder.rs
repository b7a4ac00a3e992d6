//! The kernel under construction: its values, and helpers of every part of the generator.

use super::float::{encode, is_nan};
use super::kernel::{
    Argument, BOOL, Code, Content, Element, I32, Kernel, KernelOp, KernelType, Scalar, Tensor,
    Value,
};
use super::systems;
use crate::referee::random::Rng;
use crate::referee::registers;
use crate::referee::text::Setting;
use linear_layout::target::Target;
use std::collections::HashMap;
use std::rc::Rc;

/// Limit on registers per thread of one tensor: more are slow, and test nothing new.
const MAX_REGISTERS: u64 = 64;
/// Limit on elements of a tensor.
pub(crate) const MAX_ELEMENTS: u64 = 1 << 11;

/// Element types of operations.
pub(crate) const SCALARS: [Scalar; 11] = [
    Scalar::Int(1),
    Scalar::Int(8),
    Scalar::Int(16),
    Scalar::Int(32),
    Scalar::Int(64),
    Scalar::F16,
    Scalar::Bf16,
    Scalar::F32,
    Scalar::F64,
    Scalar::F8E5M2,
    Scalar::F8E4M3,
];

/// The index of one execution of an operation among all programs and iterations.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    /// Index of the execution, an `i32`.
    pub(crate) number: Value,
    /// Number of executions.
    pub(crate) count: u64,
}

pub(crate) struct Builder {
    pub(crate) rng: Rng,
    pub(crate) setting: Setting,
    pub(crate) kernel: Kernel,
    /// The blocks around the insertion point, outermost first.
    blocks: Vec<Vec<KernelOp>>,
    /// Values that a later operation may use: tensors, scalars.
    pub(crate) tensors: Vec<Value>,
    pub(crate) scalars: Vec<Value>,
    pub(crate) slot: Slot,
    /// True if the insertion point is in the function's own region.
    pub(super) is_flat: bool,
    /// The next buffer of `i64` holds pointers to this.
    pub(crate) pointee: Option<Element>,
    /// Arguments are numbered first, but their number is known last.
    arguments: Vec<(KernelType, Argument)>,
    max_arguments: usize,
    /// Number of operations.
    pub(crate) num_ops: usize,
    /// `None` if shapes, elements and layouts are drawn anew each time.
    pub(crate) palette: Option<Palette>,
}

/// The shapes, elements and layouts of a large kernel; few, so that values can be combined.
pub(crate) struct Palette {
    pub(crate) shapes: Vec<Vec<u64>>,
    pub(crate) elements: Vec<Element>,
    /// The layouts so far, by shape.
    layouts: HashMap<Vec<u64>, Vec<Rc<str>>>,
    /// Limit on the number of operations.
    pub(crate) max_ops: usize,
}

impl Palette {
    pub(crate) fn new(shapes: Vec<Vec<u64>>, elements: Vec<Element>, max_ops: usize) -> Self {
        Self {
            shapes,
            elements,
            layouts: HashMap::new(),
            max_ops,
        }
    }
}

/// Layouts of a palette for one shape.
const MAX_LAYOUTS: usize = 4;

/// Returns true if the encoding has a layout on the shape with at most [`MAX_REGISTERS`] registers per thread.
fn fits(encoding: &str, shape: &[u64]) -> bool {
    registers::known(encoding).is_some_and(|known| {
        known.is_distributed()
            && known
                .to_linear_layout(shape)
                .is_ok_and(|l| l.is_surjective())
            && known
                .unique_elems_per_thread(shape)
                .is_ok_and(|count| count <= MAX_REGISTERS)
    })
}

/// Value numbers reserved for arguments; unused ones are removed in the end.
const MAX_ARGUMENTS: usize = 40;

impl Builder {
    pub(crate) fn new(mut rng: Rng, target: &'static Target) -> Self {
        let warps = rng.power(0, 4);
        let grid = [1, 2, 3].map(|_| rng.choose(&[1, 1, 1, 2, 3]));
        Self::launched(rng, target, warps, grid, MAX_ARGUMENTS)
    }

    /// Starts a kernel with this number of warps and this grid.
    pub(crate) fn launched(
        rng: Rng,
        target: &'static Target,
        warps: u64,
        grid: [u32; 3],
        max_arguments: usize,
    ) -> Self {
        let kernel = Kernel {
            target,
            warps,
            grid,
            types: vec![KernelType::scalar(I32); max_arguments],
            arguments: Vec::new(),
            producer: 0,
            body: Vec::new(),
        };
        let mut builder = Self {
            setting: Setting::new(u64::from(target.lanes), warps, 1, target.name),
            rng,
            kernel,
            blocks: vec![Vec::new()],
            tensors: Vec::new(),
            scalars: Vec::new(),
            slot: Slot {
                number: 0,
                count: grid.iter().map(|n| u64::from(*n)).product(),
            },
            is_flat: true,
            pointee: None,
            arguments: Vec::new(),
            max_arguments,
            num_ops: 0,
            palette: None,
        };
        let ids =
            [0, 1, 2].map(|axis| builder.one(Code::ProgramId(axis), &[], KernelType::scalar(I32)));
        let mut number = ids[2];
        for axis in [1, 0] {
            let size = builder.constant(&KernelType::scalar(I32), u64::from(grid[axis]));
            let times = builder.elementwise("arith.muli", &[number, size]);
            number = builder.elementwise("arith.addi", &[times, ids[axis]]);
        }
        builder.slot.number = number;
        builder.scalars = vec![ids[0], number];
        // AMD GPUs have no register for it.
        if builder.rng.chance(30) {
            let axis = builder.rng.below(3) as u8;
            let count = builder.one(Code::NumPrograms(axis), &[], KernelType::scalar(I32));
            builder.scalars.push(count);
        }
        builder
    }

    /// Returns the kernel with its arguments in order.
    pub(crate) fn finish(mut self) -> Kernel {
        for (i, (type_, argument)) in self.arguments.into_iter().enumerate() {
            self.kernel.types[i] = type_;
            self.kernel.arguments.push(argument);
        }
        self.kernel.body = self.blocks.remove(0);
        self.kernel
    }

    pub(crate) fn has_room_for_arguments(&self) -> bool {
        self.arguments.len() + 6 < self.max_arguments
    }

    pub(crate) fn argument(&mut self, element: Element, argument: Argument) -> Value {
        let value = self.arguments.len();
        self.kernel.types[value] = KernelType::scalar(element);
        self.arguments.push((KernelType::scalar(element), argument));
        value
    }

    /// Adds a buffer, and returns the pointer to it.
    pub(crate) fn buffer(&mut self, pointee: Element, content: Content) -> Value {
        let divisibility = self.rng.chance(75).then_some(16);
        self.argument(
            pointee.pointer(),
            Argument {
                content,
                divisibility,
                is_shared: false,
            },
        )
    }

    /// Adds a scalar argument, which is known at launch only.
    pub(crate) fn number(&mut self, value: u64) -> Value {
        let divisibility =
            (value != 0 && value.is_multiple_of(16) && self.rng.chance(70)).then_some(16);
        self.argument(
            I32,
            Argument {
                content: Content::Number(value),
                divisibility,
                is_shared: false,
            },
        )
    }

    pub(crate) fn type_(&self, value: Value) -> KernelType {
        self.kernel.types[value].clone()
    }

    pub(crate) fn element(&self, value: Value) -> Element {
        self.kernel.types[value].element
    }

    /// Returns true if another operation may be added.
    pub(crate) fn has_room(&self) -> bool {
        let max_ops = self.palette.as_ref().map(|palette| palette.max_ops);
        self.has_room_for_arguments() && max_ops.is_none_or(|most| self.num_ops < most)
    }

    pub(crate) fn push(&mut self, op: KernelOp) {
        self.num_ops += 1;
        self.blocks
            .last_mut()
            .expect("there is a block around every place")
            .push(op);
    }

    pub(crate) fn open(&mut self) {
        self.blocks.push(Vec::new());
    }

    pub(crate) fn close(&mut self) -> Vec<KernelOp> {
        self.blocks.pop().expect("a block was opened")
    }

    /// Adds an operation with one result.
    pub(crate) fn one(&mut self, code: Code, operands: &[Value], type_: KernelType) -> Value {
        self.several(code, operands, vec![type_])[0]
    }

    pub(crate) fn several(
        &mut self,
        code: Code,
        operands: &[Value],
        types: Vec<KernelType>,
    ) -> Vec<Value> {
        let results: Vec<Value> = types
            .into_iter()
            .map(|t| self.kernel.new_value(t))
            .collect();
        self.push(KernelOp {
            code,
            operands: operands.to_vec(),
            results: results.clone(),
            regions: Vec::new(),
        });
        results
    }

    /// Adds an operation whose result has the type of the last operand.
    pub(crate) fn elementwise(&mut self, name: &'static str, operands: &[Value]) -> Value {
        let type_ = self.type_(*operands.last().expect("it has operands"));
        self.one(Code::Elementwise(name), operands, type_)
    }

    pub(crate) fn cast(&mut self, name: &'static str, operand: Value, to: Element) -> Value {
        let type_ = self.type_(operand).of(to);
        self.one(Code::Elementwise(name), &[operand], type_)
    }

    /// Adds a constant; `bits` are truncated to the width of the element.
    pub(crate) fn constant(&mut self, type_: &KernelType, bits: u64) -> Value {
        let bits = bits & (u64::MAX >> (64 - type_.element.bits()));
        self.one(Code::Constant(bits), &[], type_.clone())
    }

    pub(crate) fn float_constant(&mut self, type_: &KernelType, value: f64) -> Value {
        self.constant(type_, encode(type_.element.scalar, value))
    }

    pub(crate) fn compare_ints(&mut self, predicate: u8, a: Value, b: Value) -> Value {
        let type_ = self.type_(a).of(BOOL);
        self.one(Code::CompareInts(predicate), &[a, b], type_)
    }

    pub(crate) fn compare_floats(&mut self, predicate: u8, a: Value, b: Value) -> Value {
        let type_ = self.type_(a).of(BOOL);
        self.one(Code::CompareFloats(predicate), &[a, b], type_)
    }

    pub(crate) fn tensor_type(
        &self,
        element: Element,
        shape: &[u64],
        encoding: &str,
    ) -> KernelType {
        KernelType {
            element,
            tensor: Some(Tensor {
                shape: shape.to_vec(),
                encoding: encoding.into(),
            }),
        }
    }

    pub(crate) fn fits(&self, encoding: &str, shape: &[u64]) -> bool {
        fits(encoding, shape)
    }

    /// Returns a register layout for a shape: one of the palette, if there is a palette.
    pub(crate) fn encoding(&mut self, shape: &[u64]) -> Rc<str> {
        let known = self.palette.as_ref().map_or(&[][..], |palette| {
            palette.layouts.get(shape).map_or(&[], |layouts| layouts)
        });
        let known = known.to_vec();
        if known.len() == MAX_LAYOUTS || !known.is_empty() && self.rng.chance(60) {
            let at = self.rng.below(known.len());
            return known[at].clone();
        }
        let new = self.new_encoding(shape);
        if let Some(palette) = &mut self.palette {
            palette
                .layouts
                .entry(shape.to_vec())
                .or_default()
                .push(new.clone());
        }
        new
    }

    /// Draws a register layout for a shape, of any family.
    fn new_encoding(&mut self, shape: &[u64]) -> Rc<str> {
        for _ in 0..30 {
            let text = registers::any(&mut self.rng, &self.setting, shape);
            if fits(&text, shape) {
                let other = systems::of_registers(&text, shape).filter(|text| fits(text, shape));
                return other.unwrap_or(text).into();
            }
        }
        loop {
            let text = registers::blocked(&mut self.rng, &self.setting, shape.len());
            if fits(&text, shape) {
                return text.into();
            }
        }
    }

    pub(crate) fn convert(&mut self, value: Value, encoding: &str) -> Value {
        let type_ = self.type_(value);
        let to = self.tensor_type(type_.element, type_.shape(), encoding);
        if to == type_ {
            return value;
        }
        self.one(Code::Convert, &[value], to)
    }

    pub(crate) fn splat(&mut self, scalar: Value, type_: &KernelType) -> Value {
        let to = type_.of(self.element(scalar));
        self.one(Code::Splat, &[scalar], to)
    }

    pub(crate) fn any_tensor(&mut self) -> Value {
        // Recent values more often, so that chains grow.
        let count = self.tensors.len();
        let from = if self.rng.chance(60) {
            count.saturating_sub(3)
        } else {
            0
        };
        self.tensors[self.rng.between(from, count - 1)]
    }

    /// Returns a scalar from 0 to 3.
    pub(crate) fn small_scalar(&mut self) -> Value {
        let list = self.scalars.clone();
        let scalar = self.rng.choose(&list);
        let three = self.constant(&KernelType::scalar(I32), 3);
        self.elementwise("arith.andi", &[scalar, three])
    }

    pub(crate) fn any_scalar(&mut self) -> Element {
        if let Some(palette) = &self.palette {
            let elements = palette.elements.clone();
            return self.rng.choose(&elements);
        }
        let scalar = self.rng.choose(&SCALARS);
        Element::number(scalar)
    }

    /// Draws the bits of a number, border cases more often; NaN is quiet.
    pub(crate) fn interesting(&mut self, scalar: Scalar) -> u64 {
        let word = self.rng.next();
        let bits = match scalar {
            Scalar::Int(_) => match word % 4 {
                0 => word >> 32,
                1 => (word >> 32) % 7,
                2 => ((word >> 32) % 7).wrapping_neg(),
                _ => 1 << ((word >> 32) % 64),
            },
            Scalar::F8E5M2 | Scalar::F8E4M3 => word >> 32,
            _ if word.is_multiple_of(3) => {
                let small = f64::from((word >> 32) as i32) / f64::from(1 << 27);
                encode(scalar, small)
            }
            _ if word % 3 == 1 => encode(scalar, ((word >> 32) % 17) as f64 - 8.0),
            _ => self.rng.next(),
        } & (u64::MAX >> (64 - scalar.bits()));
        if is_nan(scalar, bits) {
            encode(scalar, f64::NAN)
        } else {
            bits
        }
    }
}
