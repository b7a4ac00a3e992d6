//! Kernels for the choice of layouts: 50 to 500 operations on tensors of few shapes, in few layouts each, with frequent
//! conversions, views, reductions, loops and branches.

use super::builder::{Builder, Palette};
use super::kernel::{Code, Element, I32, Kernel, Scalar, Value};
use crate::referee::random::Rng;
use crate::referee::registers;
use linear_layout::target::TARGETS;

/// Number of value numbers reserved for the arguments of a kernel.
const MAX_ARGUMENTS: usize = 96;
/// Maximum nesting depth of loops and branches.
const MAX_DEPTH: usize = 3;

/// Generates the random kernel that `seed` determines, for tests of the passes that choose layouts. The seed also
/// selects the target.
pub(crate) fn layouts(seed: u64) -> Kernel {
    let mut rng = Rng::new(seed);
    let target = &TARGETS[rng.below(TARGETS.len())];
    let warps = rng.choose(&[1, 2, 4, 4, 4, 8]);
    let grid = [rng.choose(&[1, 1, 2]), 1, 1];
    let mut builder = Builder::launched(rng, target, warps, grid, MAX_ARGUMENTS);
    builder.palette = Some(builder.new_palette());
    for _ in 0..builder.rng.between(2, 4) {
        builder.input();
    }
    while builder.has_room() {
        builder.steps(1, 0);
    }
    for _ in 0..builder.rng.between(2, 5) {
        let value = builder.any_tensor();
        builder.store(value);
    }
    builder.finish()
}

impl Builder {
    /// Draws a palette: one or two shapes, the element types `i32` and `f32` and up to two others, and a limit on
    /// the number of operations.
    fn new_palette(&mut self) -> Palette {
        let shapes = (0..self.rng.between(1, 2)).map(|_| {
            let rank = self.rng.choose(&[1, 2, 2, 2, 3]);
            let bits = self.rng.choose(&[5, 7, 8, 9]);
            registers::shape(&mut self.rng, rank, bits)
        });
        let shapes = shapes.collect();
        let mut elements = vec![I32, Element::number(Scalar::F32)];
        let others = [
            Scalar::Int(1),
            Scalar::Int(8),
            Scalar::Int(64),
            Scalar::F16,
            Scalar::Bf16,
            Scalar::F32,
        ];
        for _ in 0..self.rng.below(3) {
            let scalar = self.rng.choose(&others);
            elements.push(Element::number(scalar));
        }
        // Small ones more often: they are fast, and detect as much.
        let most = self.rng.choose(&[80, 120, 120, 250, 440]);
        let max_ops = self.rng.between(60, most);
        Palette::new(shapes, elements, max_ops)
    }

    /// Adds a random operation of a kind that affects the choice of layouts.
    pub(super) fn layout_step(&mut self, depth: usize) {
        let value = self.any_tensor();
        let result = match self.rng.below(100) {
            0..=33 => Some(self.arithmetic(value)),
            34..=54 => {
                let shape = self.type_(value).shape().to_vec();
                let encoding = self.encoding(&shape);
                Some(self.convert(value, &encoding))
            }
            55..=66 => self.view(value),
            67..=70 => self.there_and_back(value),
            71..=74 => self.spread_rows(value),
            75..=78 => self.exchange(value),
            79..=81 => {
                self.input();
                None
            }
            82 => {
                self.store(value);
                None
            }
            83..=84 => {
                self.scalar_step();
                None
            }
            _ if depth >= MAX_DEPTH => Some(self.arithmetic(value)),
            85..=91 => {
                self.for_loop(depth);
                None
            }
            92..=96 => {
                self.branch(depth);
                None
            }
            _ => {
                self.while_loop(depth);
                None
            }
        };
        self.tensors.extend(result);
    }

    /// Adds a reshape of `value`, possibly an operation on its result, and a reshape back to the original shape.
    /// Passes may propagate layouts through both reshapes. Returns `None` if a reshape is not possible.
    fn there_and_back(&mut self, value: Value) -> Option<Value> {
        let shape = self.type_(value).shape().to_vec();
        let count = shape.iter().product();
        let other = self.other_shape(count);
        let there = self.reshaped(value, &other)?;
        let there = match self.rng.below(3) {
            0 => there,
            1 => self.arithmetic(there),
            _ => {
                let encoding = self.encoding(&other);
                self.convert(there, &encoding)
            }
        };
        self.tensors.push(there);
        self.reshaped(there, &shape)
    }

    /// Adds a reduction along an axis and a broadcast of its result along that axis, as in a softmax.
    fn spread_rows(&mut self, value: Value) -> Option<Value> {
        let type_ = self.type_(value);
        let shape = type_.shape().to_vec();
        if type_.element.is_pointer() {
            return None;
        }
        let encoding = self.plain_encoding(&shape)?;
        let value = self.convert(value, &encoding);
        let row = self.reduce(value)?;
        let reduced = self.type_(row);
        if reduced.shape().len() == shape.len() {
            return Some(row);
        }
        let axis = (0..shape.len()).find(|&axis| {
            let mut rest = shape.clone();
            rest.remove(axis);
            rest == reduced.shape()
        })?;
        let mut single = shape.clone();
        single[axis] = 1;
        let parent = self.encoding(&shape);
        let slice = registers::slice(&parent, axis);
        if !self.fits(&slice, reduced.shape()) || !self.fits(&parent, &single) {
            return None;
        }
        let source = self.convert(row, &slice);
        let column = self.tensor_type(reduced.element, &single, &parent);
        let column = self.one(Code::ExpandDims(axis), &[source], column);
        let whole = self.tensor_type(reduced.element, &shape, &parent);
        let whole = self.one(Code::Broadcast, &[column], whole);
        self.tensors.push(whole);
        Some(self.arithmetic(whole))
    }
}
