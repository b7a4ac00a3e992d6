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

/// Maximum number of registers per thread that one tensor may occupy. Larger tensors are slow and test nothing new.
const MAX_REGISTERS: u64 = 64;
/// Maximum number of elements of a tensor.
pub(crate) const MAX_ELEMENTS: u64 = 1 << 11;

/// Scalar types from which the element types of new values are drawn.
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

/// Index of one execution of an operation. An operation is executed once per program and per iteration of the loops
/// around it; each of these executions has its own index.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    /// The `i32` value that holds the index of the execution.
    pub(crate) number: Value,
    /// Total number of executions; `number` is below it.
    pub(crate) count: u64,
}

pub(crate) struct Builder {
    pub(crate) rng: Rng,
    pub(crate) setting: Setting,
    pub(crate) kernel: Kernel,
    /// Operations of the blocks that enclose the insertion point, outermost block first.
    blocks: Vec<Vec<KernelOp>>,
    /// Tensors that later operations may use. Scalars are in `scalars`.
    pub(crate) tensors: Vec<Value>,
    pub(crate) scalars: Vec<Value>,
    pub(crate) slot: Slot,
    /// True if the insertion point is in the region of the function itself, not in the region of a loop or branch.
    pub(super) is_flat: bool,
    /// If set, the next buffer that is added holds addresses of elements of this type, each stored as an `i64`.
    pub(crate) pointee: Option<Element>,
    /// Arguments added so far, with their types. Arguments have the lowest value numbers. Because other values are
    /// numbered before the number of arguments is known, the first `max_arguments` numbers are reserved for
    /// arguments.
    arguments: Vec<(KernelType, Argument)>,
    max_arguments: usize,
    /// Number of operations added so far.
    pub(crate) num_ops: usize,
    /// Shapes, element types and layouts to draw from. If `None`, each draw is independent of the earlier ones.
    pub(crate) palette: Option<Palette>,
}

/// A small set of shapes, element types and layouts that a large kernel uses. Because the set is small, many values
/// have the same type and can be combined.
pub(crate) struct Palette {
    pub(crate) shapes: Vec<Vec<u64>>,
    pub(crate) elements: Vec<Element>,
    /// The layouts drawn so far, keyed by shape.
    layouts: HashMap<Vec<u64>, Vec<Rc<str>>>,
    /// Maximum number of operations of the kernel.
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

/// Maximum number of layouts that a palette holds for one shape.
const MAX_LAYOUTS: usize = 4;

/// Returns true if `encoding` is a distributed encoding, its layout on `shape` is surjective, and each thread holds
/// at most [`MAX_REGISTERS`] different elements.
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

/// Number of value numbers reserved for the arguments of a kernel. The finished kernel has only the arguments that
/// were added.
const MAX_ARGUMENTS: usize = 40;

impl Builder {
    pub(crate) fn new(mut rng: Rng, target: &'static Target) -> Self {
        let warps = rng.power(0, 4);
        let grid = [1, 2, 3].map(|_| rng.choose(&[1, 1, 1, 2, 3]));
        Self::launched(rng, target, warps, grid, MAX_ARGUMENTS)
    }

    /// Starts a kernel for `target` that is launched with `warps` warps per program and a grid of size `grid`. It
    /// may have up to `max_arguments` arguments.
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

    /// Returns the finished kernel. It has only the arguments that were added; the other value numbers that were
    /// reserved for arguments remain unused.
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

    /// Adds a buffer as an argument of the kernel, and returns the pointer to it.
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

    /// Adds an `i32` argument whose value at launch is `value`. The compiler does not know this value. If it is a
    /// nonzero multiple of 16, the argument is often declared to be divisible by 16.
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

    /// Adds an elementwise operation whose result has the type of its last operand.
    pub(crate) fn elementwise(&mut self, name: &'static str, operands: &[Value]) -> Value {
        let type_ = self.type_(*operands.last().expect("it has operands"));
        self.one(Code::Elementwise(name), operands, type_)
    }

    pub(crate) fn cast(&mut self, name: &'static str, operand: Value, to: Element) -> Value {
        let type_ = self.type_(operand).of(to);
        self.one(Code::Elementwise(name), &[operand], type_)
    }

    /// Adds a constant each of whose elements is `bits`, truncated to the width of the element type.
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

    /// Returns a register layout for `shape`. If the kernel has a palette, the layout is either one that the
    /// palette already holds for `shape`, or a new one that is added to the palette. Without a palette, the layout
    /// is new.
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

    /// Draws a new register layout for `shape`, from any family of layouts.
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

    /// Adds operations that compute a scalar from 0 to 3 from an existing scalar. Returns the new scalar.
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

    /// Draws the bits of a value of type `scalar`. Small numbers and other border cases are more frequent than
    /// under a uniform draw. NaN is always the quiet NaN.
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
