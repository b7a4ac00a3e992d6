//! Operations in which threads exchange elements: reductions, scans, gathers, histograms, buffers.

use super::builder::{Builder, MAX_ELEMENTS};
use super::kernel::{
    BOOL, BufferAccess, Code, Element, ElementUpdate, I32, KernelOp, KernelRegion, KernelType,
    Scalar, Tensor, Value,
};
use super::systems;
use crate::referee::{memory, registers};
use std::rc::Rc;

/// Commutative integer operations that update an element in memory. Each entry contains the number that
/// `tt.atomic_rmw` uses for the operation.
pub(super) const CHANGES: [ElementUpdate; 8] = [
    change(1, "arith.andi"),
    change(2, "arith.ori"),
    change(3, "arith.xori"),
    change(4, "arith.addi"),
    change(6, "arith.maxsi"),
    change(7, "arith.minsi"),
    change(8, "arith.maxui"),
    change(9, "arith.minui"),
];

/// Floating-point addition to memory. If several elements have the same address, the result depends on their order.
pub(super) const FLOAT_SUM: ElementUpdate = change(5, "arith.addf");

pub(super) const EXCHANGE: ElementUpdate = ElementUpdate {
    number: 10,
    elementwise: None,
};

pub(super) const fn change(number: u32, name: &'static str) -> ElementUpdate {
    ElementUpdate {
        number,
        elementwise: Some(name),
    }
}

impl Builder {
    /// Adds an operation in which threads exchange elements of `value`. Returns `None` if the operation that was
    /// drawn does not accept the tensor.
    pub(crate) fn exchange(&mut self, value: Value) -> Option<Value> {
        let type_ = self.type_(value);
        let tensor = type_.tensor.clone()?;
        if tensor.encoding.contains("generic_linear") || type_.element.is_pointer() {
            // Triton's rule; or the element type has no arithmetic.
            return None;
        }
        let value = if self.rng.chance(30) {
            let encoding = self.plain_encoding(&tensor.shape)?;
            self.convert(value, &encoding)
        } else {
            value
        };
        match self.rng.below(11) {
            0..=2 => self.reduce(value),
            3 | 4 => self.scan(value),
            5 | 6 => self.gather(value),
            7 => self.histogram(value),
            8 => self.product(),
            _ => self.through_buffer(value),
        }
    }

    /// Draws a register layout for `shape` that every operation accepts. Returns `None` if none of several draws
    /// yields such a layout.
    pub(super) fn plain_encoding(&mut self, shape: &[u64]) -> Option<Rc<str>> {
        let mut tries = (0..10).map(|_| self.encoding(shape));
        tries.find(|encoding| !encoding.contains("generic_linear"))
    }

    /// Adds a reduction of `value` along an axis. Its combining operation is commutative and associative, so the
    /// result does not depend on the order.
    pub(super) fn reduce(&mut self, value: Value) -> Option<Value> {
        let type_ = self.type_(value);
        let tensor = type_.tensor.clone()?;
        if !is_combined(type_.element) {
            return None;
        }
        let axis = self.rng.below(tensor.shape.len());
        let mut rows = tensor.shape.clone();
        rows.remove(axis);
        let operands = self.combined_operands(value);
        let (region, elements) = self.combining(&operands, Code::ReduceReturn);
        let slice = registers::slice(&tensor.encoding, axis);
        let results: Vec<Value> = elements
            .iter()
            .map(|element| {
                let type_ = if rows.is_empty() {
                    KernelType::scalar(*element)
                } else {
                    self.tensor_type(*element, &rows, &slice)
                };
                self.kernel.new_value(type_)
            })
            .collect();
        self.push(KernelOp {
            code: Code::Reduce(axis),
            operands,
            results: results.clone(),
            regions: vec![region],
        });
        if !rows.is_empty() {
            self.tensors.extend(&results[1..]);
            return Some(results[0]);
        }
        let splats = results.iter().map(|result| self.splat(*result, &type_));
        let splats: Vec<Value> = splats.collect();
        self.tensors.extend(&splats[1..]);
        Some(splats[0])
    }

    /// Adds a scan of `value` along an axis. Returns `None` if the element type cannot be combined.
    fn scan(&mut self, value: Value) -> Option<Value> {
        let type_ = self.type_(value);
        let tensor = type_.tensor.clone()?;
        if !is_combined(type_.element) {
            return None;
        }
        let axis = self.rng.below(tensor.shape.len());
        let operands = self.combined_operands(value);
        let (region, _) = self.combining(&operands, Code::ScanReturn);
        let results: Vec<Value> = operands
            .iter()
            .map(|operand| {
                let type_ = self.type_(*operand);
                self.kernel.new_value(type_)
            })
            .collect();
        let reverse = self.rng.chance(40);
        self.push(KernelOp {
            code: Code::Scan { axis, reverse },
            operands,
            results: results.clone(),
            regions: vec![region],
        });
        self.tensors.extend(&results[1..]);
        Some(results[0])
    }

    /// Returns the operands of a reduction or scan: `value`, and up to three further tensors of the same shape and
    /// layout, each of a random element type. NaN elements of the operands are replaced by zero.
    fn combined_operands(&mut self, value: Value) -> Vec<Value> {
        let type_ = self.type_(value);
        let mut operands = vec![self.plain_number(value)];
        for _ in 0..self.rng.choose(&[0, 0, 0, 0, 1, 1, 2, 3]) {
            let scalar = self.rng.choose(&[
                Scalar::Int(1),
                Scalar::Int(8),
                Scalar::Int(16),
                Scalar::Int(32),
                Scalar::Int(64),
                Scalar::F16,
                Scalar::F32,
            ]);
            let other = self.like(&type_.of(Element::number(scalar)));
            operands.push(self.plain_number(other));
        }
        operands
    }

    /// Replaces NaN by zero if `value` is a float tensor. The bits of a NaN result would depend on the order of a
    /// reduction.
    fn plain_number(&mut self, value: Value) -> Value {
        if self.element(value).float().is_some() {
            self.without_nan(value)
        } else {
            value
        }
    }

    /// Builds the region of a reduction or scan of `operands`. The region arguments are two tuples, each of which
    /// has one scalar per operand. The region combines the tuples and yields the result with the terminator `end`.
    /// Also returns the element types of the operands.
    fn combining(&mut self, operands: &[Value], end: Code) -> (KernelRegion, Vec<Element>) {
        let elements: Vec<Element> = operands.iter().map(|v| self.element(*v)).collect();
        let scalars = elements.iter().chain(&elements);
        let arguments: Vec<Value> = scalars
            .map(|element| self.kernel.new_value(KernelType::scalar(*element)))
            .collect();
        let (acc, other) = arguments.split_at(elements.len());
        self.open();
        let combined = self.combination(acc, other, end == Code::ScanReturn);
        self.terminate(end, combined);
        let region = KernelRegion {
            arguments: arguments.clone(),
            ops: self.close(),
        };
        (region, elements)
    }

    /// Adds operations that combine two tuples `acc` and `other`. One of these combinations is drawn:
    /// - The elements at each position are combined separately.
    /// - The result is the lexicographically larger tuple.
    /// - Only if `is_ordered` is true: `other` is taken if its first element is not 0, and `acc` otherwise.
    ///
    /// If `is_ordered` is false, the result of combining many tuples does not depend on their order.
    fn combination(&mut self, acc: &[Value], other: &[Value], is_ordered: bool) -> Vec<Value> {
        let are_ints = acc.iter().all(|v| self.element(*v).int().is_some());
        if acc.len() > 1 && are_ints && self.rng.chance(50) {
            let mut greater = self.compare_ints(8, acc[0], other[0]);
            for i in (1..acc.len()).rev() {
                // Lexicographic: a later operand decides if the previous ones are equal.
                let equal: Vec<Value> = (0..i)
                    .map(|at| self.compare_ints(0, acc[at], other[at]))
                    .collect();
                let mut all = self.compare_ints(8, acc[i], other[i]);
                for one in equal {
                    all = self.elementwise("arith.andi", &[one, all]);
                }
                greater = self.elementwise("arith.ori", &[greater, all]);
            }
            let pairs = acc.iter().zip(other);
            return pairs
                .map(|(a, b)| self.elementwise("arith.select", &[greater, *a, *b]))
                .collect();
        }
        if is_ordered && self.rng.chance(40) {
            // The last tuple whose first element is not 0 is kept.
            let zero = KernelType::scalar(self.element(acc[0]));
            if zero.element.int().is_some() {
                let zero = self.constant(&zero, 0);
                let is_set = self.compare_ints(1, other[0], zero);
                let pairs = acc.iter().zip(other);
                return pairs
                    .map(|(a, b)| self.elementwise("arith.select", &[is_set, *b, *a]))
                    .collect();
            }
        }
        let pairs = acc.iter().zip(other);
        pairs
            .map(|(a, b)| {
                let element = self.element(*a);
                let names = if element.float().is_some() {
                    &["arith.maximumf", "arith.minimumf"][..]
                } else if element.bits() == 1 {
                    &["arith.andi", "arith.ori", "arith.xori"][..]
                } else {
                    &[
                        "arith.addi",
                        "arith.muli",
                        "arith.andi",
                        "arith.ori",
                        "arith.xori",
                        "arith.maxsi",
                        "arith.minui",
                    ]
                };
                let name = self.rng.choose(names);
                self.elementwise(name, &[*a, *b])
            })
            .collect()
    }

    /// Adds a gather along a random axis. Returns `None` if no suitable indices are found.
    fn gather(&mut self, value: Value) -> Option<Value> {
        let type_ = self.type_(value);
        let tensor = type_.tensor.clone()?;
        let (axis, indices) = self.indices(&tensor)?;
        let to = self.type_(indices).of(type_.element);
        Some(self.one(Code::Gather(axis), &[value, indices], to))
    }

    /// Draws an axis of `tensor` and a tensor of valid indices along it. The layout of the indices, and their
    /// number along the axis, are random. Returns `None` if the drawn index type or layout is unsuitable.
    fn indices(&mut self, tensor: &Tensor) -> Option<(usize, Value)> {
        let axis = self.rng.below(tensor.shape.len());
        let size = tensor.shape[axis];
        let mut shape = tensor.shape.clone();
        let encoding = if self.rng.chance(35) {
            // In the layout of the source, which lanes can exchange.
            tensor.encoding.clone()
        } else {
            shape[axis] = self.rng.power(0, 6);
            if shape.iter().product::<u64>() > MAX_ELEMENTS {
                shape[axis] = size;
            }
            self.plain_encoding(&shape)?
        };
        let bits = self.rng.choose(&[8, 16, 32, 32, 64]);
        let element = Element::number(Scalar::Int(bits));
        let type_ = self.tensor_type(element, &shape, &encoding);
        let mut numbers = self.like(&type_);
        if bits > 8 || size <= 128 {
            let most = self.constant(&type_, size - 1);
            numbers = self.elementwise("arith.andi", &[numbers, most]);
        } else if size < 256 {
            return None;
        }
        // An index of one byte is unsigned.
        Some((axis, numbers)).filter(|_| size <= 1 << bits.min(63))
    }

    /// Adds a histogram of an integer tensor. Returns `None` if `value` does not hold integers or no layout for the
    /// bins is found.
    fn histogram(&mut self, value: Value) -> Option<Value> {
        let type_ = self.type_(value);
        let bits = type_.element.int()?;
        let bins = self.rng.power(0, 9);
        let mut value = value;
        if self.rng.chance(60) && bits > 1 {
            // Most values are in range.
            let most = self.constant(&type_, bins * 2 - 1);
            value = self.elementwise("arith.andi", &[value, most]);
        }
        let mut operands = vec![value];
        if self.rng.chance(40) {
            operands.push(self.like(&type_.of(BOOL)));
        }
        let encoding = self.plain_encoding(&[bins])?;
        let to = self.tensor_type(I32, &[bins], &encoding);
        Some(self.one(Code::Histogram, &operands, to))
    }

    /// Adds a buffer in shared memory that is initialised with `value`, and accesses to it. Returns the values that
    /// are loaded from it.
    fn through_buffer(&mut self, value: Value) -> Option<Value> {
        let (mut value, mut type_) = (value, self.type_(value));
        if type_.element.bits() == 1 {
            type_ = type_.of(Element::number(Scalar::Int(8)));
            value = self.cast_to(value, type_.element);
        }
        let tensor = type_.tensor.clone()?;
        let encoding = self.shared_encoding(&tensor.shape, type_.element.bits());
        match self.rng.below(5) {
            0 => {
                let to = self.plain_encoding(&tensor.shape)?;
                let to = self.tensor_type(type_.element, &tensor.shape, &to);
                let access = BufferAccess::Load;
                Some(self.one(Code::Buffer { encoding, access }, &[value], to))
            }
            1 | 2 => {
                let (axis, indices) = self.indices(&tensor)?;
                let to = self.type_(indices).of(type_.element);
                let access = BufferAccess::Gather(axis);
                Some(self.one(Code::Buffer { encoding, access }, &[value, indices], to))
            }
            3 => {
                let (axis, indices) = self.distinct_indices(&tensor)?;
                let values = self.type_(indices).of(type_.element);
                let values = self.like(&values);
                let access = BufferAccess::Scatter(axis);
                let code = Code::Buffer { encoding, access };
                Some(self.one(code, &[value, values, indices], type_))
            }
            _ => self.changed_buffer(value, &type_, encoding),
        }
    }

    /// Adds an atomic update of some elements of a shared-memory buffer that is initialised with `value`. Returns
    /// the contents of the buffer after the update.
    fn changed_buffer(
        &mut self,
        value: Value,
        type_: &KernelType,
        encoding: Rc<str>,
    ) -> Option<Value> {
        let tensor = type_.tensor.clone()?;
        let is_distinct = type_.element.int().is_none() || self.rng.chance(50);
        let (axis, indices) = if is_distinct {
            self.distinct_indices(&tensor)?
        } else {
            self.indices(&tensor)?
        };
        let change = match type_.element.float() {
            Some(_) if self.rng.chance(70) => FLOAT_SUM,
            None if type_.element.int().is_some() && self.rng.chance(85) => {
                self.rng.choose(&CHANGES)
            }
            _ if is_distinct => EXCHANGE,
            _ => return None,
        };
        let values_type = self.type_(indices).of(type_.element);
        let values = self.like(&values_type);
        let mut operands = vec![value, values, indices];
        let mask = self
            .rng
            .chance(40)
            .then(|| self.like(&values_type.of(BOOL)));
        operands.extend(mask);
        let access = BufferAccess::Update { axis, change };
        let types = vec![type_.clone(), values_type.clone()];
        let results = self.several(Code::Buffer { encoding, access }, &operands, types);
        if is_distinct && self.rng.chance(70) {
            // Where the mask is false, the old value is undefined.
            let before = match mask {
                Some(mask) => self.elementwise("arith.select", &[mask, results[1], values]),
                None => results[1],
            };
            self.tensors.push(before);
        }
        Some(results[0])
    }

    /// Draws an axis of `tensor` and a tensor of indices along this axis. Two index elements are different if their
    /// coordinates differ only along the axis. Returns `None` if no layout for the indices is found.
    fn distinct_indices(&mut self, tensor: &Tensor) -> Option<(usize, Value)> {
        let axis = self.rng.below(tensor.shape.len());
        let size = tensor.shape[axis];
        let mut shape = tensor.shape.clone();
        if self.rng.chance(40) {
            shape[axis] = 1 << self.rng.below(size.ilog2() as usize + 1);
        }
        let encoding = self.plain_encoding(&shape)?;
        let at = self.coordinate(&shape, &encoding, axis);
        let type_ = self.type_(at);
        let flipped = self.rng.below(size as usize) as u64;
        let flipped = self.constant(&type_, flipped);
        Some((axis, self.elementwise("arith.xori", &[at, flipped])))
    }

    /// Draws a shared-memory layout for a tensor of this shape whose elements have `bits` bits.
    fn shared_encoding(&mut self, shape: &[u64], bits: u32) -> Rc<str> {
        for _ in 0..20 {
            let text = memory::any(&mut self.rng, &self.setting, shape, u64::from(bits));
            let fits = registers::known(&text).is_some_and(|known| {
                known.is_shared() && known.to_surjective_layout(shape).is_ok()
            });
            // Each of the largest swizzles has its own smallest shape.
            if fits && !text.contains("nvmma_shared") {
                return systems::of_memory(&text, shape).unwrap_or(text).into();
            }
        }
        let order: Vec<usize> = (0..shape.len()).rev().collect();
        format!("#ttg.swizzled_shared<{{vec = 1, perPhase = 1, maxPhase = 1, order = {order:?}}}>")
            .into()
    }
}

/// Returns true if reductions and scans can combine elements of this type.
fn is_combined(element: Element) -> bool {
    element.int().is_some() || element.float().is_some()
}
