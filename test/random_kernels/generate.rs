//! Generator of kernels from seeds: loads, operations, control flow, stores.

use super::builder::{Builder, MAX_ELEMENTS, Slot};
use super::kernel::{BOOL, Code, I32, I64, Kernel, KernelOp, KernelRegion, KernelType, Value};
use crate::referee::random::Rng;
use crate::referee::registers;
use linear_layout::encoding::{Encoding, EncodingError, infer};
use linear_layout::target::{TARGETS, Target};

/// Generates the random kernel that `seed` determines. The seed also selects the target.
pub(crate) fn generate(seed: u64) -> Kernel {
    let mut rng = Rng::new(seed);
    let target = &TARGETS[rng.below(TARGETS.len())];
    generate_for(rng, target)
}

pub(crate) fn generate_for(rng: Rng, target: &'static Target) -> Kernel {
    let mut builder = Builder::new(rng, target);
    for _ in 0..builder.rng.below(3) {
        builder.new_scalar();
    }
    for _ in 0..builder.rng.between(1, 2) {
        builder.input();
    }
    let steps = builder.rng.between(3, 12);
    builder.steps(steps, 0);
    if builder.rng.chance(12) {
        builder.message();
    }
    if builder.rng.chance(12) {
        builder.locked_update();
    }
    for _ in 0..builder.rng.between(1, 2) {
        let value = builder.any_tensor();
        builder.store(value);
    }
    builder.finish()
}

/// Generates a random kernel that consists mostly of operations in which threads exchange elements.
pub(crate) fn exchanges(seed: u64) -> Kernel {
    let mut rng = Rng::new(seed);
    let target = &TARGETS[rng.below(TARGETS.len())];
    let mut builder = Builder::new(rng, target);
    builder.input();
    let mut last = builder.any_tensor();
    for _ in 0..builder.rng.between(1, 3) {
        let value = builder.any_tensor();
        if let Some(result) = builder.exchange(value) {
            builder.tensors.push(result);
            last = result;
        }
    }
    builder.store(last);
    builder.finish()
}

/// Generates a random kernel with one or two matrix products. The results are converted to other layouts and
/// stored, and further operations may use them.
pub(crate) fn products(seed: u64) -> Kernel {
    let mut rng = Rng::new(seed);
    let target = &TARGETS[rng.below(TARGETS.len())];
    products_for(rng, target)
}

pub(crate) fn products_for(rng: Rng, target: &'static Target) -> Kernel {
    let mut builder = Builder::new(rng, target);
    let mut made = 0;
    // A layout may not fit the shape, so that several are tried.
    for _ in 0..40 {
        if let Some(result) = builder.product() {
            let shape = builder.type_(result).shape().to_vec();
            let encoding = builder.encoding(&shape);
            let result = builder.convert(result, &encoding);
            builder.tensors.push(result);
            builder.store(result);
            made += 1;
        }
        if made == 2 || made == 1 && builder.rng.chance(60) {
            break;
        }
    }
    if made == 0 {
        builder.input();
        let value = builder.any_tensor();
        builder.store(value);
    }
    // Other operations too, also loops and branches.
    if builder.rng.chance(40) {
        let steps = builder.rng.between(1, 6);
        builder.steps(steps, 0);
        let value = builder.any_tensor();
        builder.store(value);
    }
    builder.finish()
}

impl Builder {
    /// Adds a new tensor of a random type. Its elements are mostly loaded from memory.
    pub(super) fn input(&mut self) {
        let shape = match &self.palette {
            Some(palette) => palette.shapes[self.rng.below(palette.shapes.len())].clone(),
            None => {
                let rank = registers::rank(&mut self.rng);
                let bits = self.rng.choose(&[3, 5, 7, 8, 9, 9, 10]);
                registers::shape(&mut self.rng, rank, bits)
            }
        };
        let encoding = self.encoding(&shape);
        let mut element = self.any_scalar();
        if self.rng.chance(15) {
            element = element.pointer();
        }
        let type_ = self.tensor_type(element, &shape, &encoding);
        let value = self.fresh(&type_);
        self.tensors.push(value);
    }

    pub(super) fn steps(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            if !self.has_room() {
                return;
            }
            if self.palette.is_some() {
                self.layout_step(depth);
            } else {
                self.step(depth);
            }
        }
    }

    /// Draws the number of operations in a region, between `least` and `most`. If the kernel has a palette, the
    /// upper limit is larger.
    fn region_steps(&mut self, least: usize, most: usize) -> usize {
        let most = if self.palette.is_some() { 12 } else { most };
        self.rng.between(least, most)
    }

    /// Adds an operation of any kind.
    fn step(&mut self, depth: usize) {
        let value = self.any_tensor();
        let result = match self.rng.below(100) {
            0..=30 => Some(self.arithmetic(value)),
            31..=36 => self.exchange(value),
            37..=38 => self.atomic(value),
            39..=50 => {
                let shape = self.type_(value).shape().to_vec();
                let encoding = self.encoding(&shape);
                Some(self.convert(value, &encoding))
            }
            51..=70 => self.view(value),
            71..=76 if self.element(value).is_pointer() => Some(self.load_through(value)),
            71..=76 => {
                self.input();
                None
            }
            77..=80 => {
                self.store(value);
                None
            }
            81..=83 => {
                self.scalar_step();
                None
            }
            _ if depth >= 2 => Some(self.arithmetic(value)),
            84..=90 => {
                self.for_loop(depth);
                None
            }
            91..=94 => {
                self.branch(depth);
                None
            }
            95..=96 => {
                self.mask(depth);
                None
            }
            _ => {
                self.while_loop(depth);
                None
            }
        };
        self.tensors.extend(result);
    }

    /// Adds a random use of a scalar: a computation, a store, or a splat to a tensor.
    pub(super) fn scalar_step(&mut self) {
        let list = self.scalars.clone();
        let scalar = self.rng.choose(&list);
        match self.rng.below(4) {
            0 => self.store(scalar),
            1 => {
                let shape_of = self.any_tensor();
                let type_ = self.type_(shape_of);
                let tensor = self.splat(scalar, &type_);
                self.tensors.push(tensor);
            }
            _ => {
                let result = self.arithmetic(scalar);
                if self.element(result) == I32 {
                    self.scalars.push(result);
                } else {
                    let back = self.cast_to(result, I32);
                    self.scalars.push(back);
                }
            }
        }
    }

    /// Adds a view operation, which keeps the elements of `value` but changes their shape or order. Returns `None`
    /// if the layout does not permit the view that was drawn.
    pub(super) fn view(&mut self, value: Value) -> Option<Value> {
        let type_ = self.type_(value);
        let tensor = type_.tensor.clone()?;
        let shape = tensor.shape.clone();
        let rank = shape.len();
        let total: u64 = shape.iter().product();
        match self.rng.below(6) {
            0 => {
                let order = self.rng.permutation(rank);
                let moved: Vec<u64> = order.iter().map(|d| shape[*d]).collect();
                let to = self.inferred(&type_, &moved, |e| infer::trans(e, &shape, &order))?;
                Some(self.one(Code::Trans(order), &[value], to))
            }
            1 => {
                let to = self.other_shape(total);
                self.reshaped(value, &to)
            }
            2 if 2 * total <= MAX_ELEMENTS && rank < 5 => {
                let mut larger = shape.clone();
                larger.push(2);
                let to = self.inferred(&type_, &larger, |e| infer::join(e, &shape))?;
                let other = self.like(&type_);
                Some(self.one(Code::Join, &[value, other], to))
            }
            3 if shape[rank - 1] == 2 && rank > 1 => {
                // The layout of a `join`, whose threads hold both halves.
                let half = shape[..rank - 1].to_vec();
                let encoding = self.encoding(&half);
                let half_type = self.tensor_type(type_.element, &half, &encoding);
                let whole = self.inferred(&half_type, &shape, |e| infer::join(e, &half))?;
                let to = self.inferred(&whole, &half, |e| infer::split(e, &shape))?;
                let whole = whole.tensor?.encoding;
                let source = self.convert(value, &whole);
                let halves = self.several(Code::Split, &[source], vec![to.clone(), to]);
                self.tensors.push(halves[0]);
                Some(halves[1])
            }
            4 if rank < 5 => {
                let axis = self.rng.below(rank + 1);
                let mut larger = shape.clone();
                larger.insert(axis, 1);
                let parent = self.encoding(&larger);
                let slice = registers::slice(&parent, axis);
                if !self.fits(&slice, &shape) {
                    return None;
                }
                let source = self.convert(value, &slice);
                let to = self.tensor_type(type_.element, &larger, &parent);
                Some(self.one(Code::ExpandDims(axis), &[source], to))
            }
            _ => {
                let axis = shape.iter().position(|size| *size == 1)?;
                let mut larger = shape.clone();
                larger[axis] = self.rng.power(1, 4);
                let fits = larger.iter().product::<u64>() <= MAX_ELEMENTS
                    && self.fits(&tensor.encoding, &larger);
                let to = self.tensor_type(type_.element, &larger, &tensor.encoding);
                fits.then(|| self.one(Code::Broadcast, &[value], to))
            }
        }
    }

    /// Draws a random shape with `total` elements. `total` is a power of two.
    pub(super) fn other_shape(&mut self, total: u64) -> Vec<u64> {
        let rank = self.rng.between(1, 4);
        let mut shape = vec![1; rank];
        for _ in 0..total.trailing_zeros() {
            let dim = self.rng.below(rank);
            shape[dim] *= 2;
        }
        shape
    }

    pub(crate) fn reshaped(&mut self, value: Value, shape: &[u64]) -> Option<Value> {
        let type_ = self.type_(value);
        let to = self.inferred(&type_, shape, |e| infer::reshape(e, type_.shape(), shape))?;
        Some(self.one(Code::Reshape, &[value], to))
    }

    /// Returns a tensor type with the shape `shape`, the element type of `from`, and the encoding that `rule`
    /// infers from the encoding of `from`. Returns `None` if `rule` fails or the inferred encoding does not fit the
    /// shape.
    fn inferred(
        &self,
        from: &KernelType,
        shape: &[u64],
        rule: impl FnOnce(&Encoding) -> Result<Encoding, EncodingError>,
    ) -> Option<KernelType> {
        let encoding = registers::known(&from.tensor.as_ref()?.encoding)?;
        let encoding = rule(&encoding).ok()?.to_string();
        self.fits(&encoding, shape)
            .then(|| self.tensor_type(from.element, shape, &encoding))
    }

    /// Draws between `least` and two existing values. Most of them are tensors.
    fn some_values(&mut self, least: usize) -> Vec<Value> {
        (0..self.rng.between(least, 2))
            .map(|_| {
                if self.rng.chance(15) {
                    let list = self.scalars.clone();
                    self.rng.choose(&list)
                } else {
                    self.any_tensor()
                }
            })
            .collect()
    }

    /// Returns one value of each type in `types`. It is either an existing value, converted if necessary, or a new
    /// one.
    fn likes(&mut self, types: &[KernelType]) -> Vec<Value> {
        types.iter().map(|t| self.like(t)).collect()
    }

    fn keep(&mut self, values: &[Value]) {
        for value in values {
            if self.type_(*value).tensor.is_some() {
                self.tensors.push(*value);
            } else if self.element(*value) == I32 {
                self.scalars.push(*value);
            }
        }
    }

    pub(crate) fn terminate(&mut self, code: Code, operands: Vec<Value>) {
        self.push(KernelOp {
            code,
            operands,
            results: Vec::new(),
            regions: Vec::new(),
        });
    }

    /// Builds a region with `arguments`, to which `body` adds the operations. Operations after the region cannot
    /// use the values that it defines.
    pub(super) fn region(
        &mut self,
        arguments: Vec<Value>,
        body: impl FnOnce(&mut Self),
    ) -> KernelRegion {
        self.region_or_blocks(false, arguments, body)
    }

    /// Builds a region with `arguments`, to which `body` adds the operations. If `flat` is true, the region will be
    /// printed as blocks of the function body that are connected by `cf` branches.
    fn region_or_blocks(
        &mut self,
        flat: bool,
        arguments: Vec<Value>,
        body: impl FnOnce(&mut Self),
    ) -> KernelRegion {
        let (tensors, scalars) = (self.tensors.len(), self.scalars.len());
        let (slot, is_flat) = (self.slot, self.is_flat);
        self.is_flat = flat;
        self.open();
        self.keep(&arguments);
        body(self);
        self.tensors.truncate(tensors);
        self.scalars.truncate(scalars);
        self.slot = slot;
        self.is_flat = is_flat;
        KernelRegion {
            arguments,
            ops: self.close(),
        }
    }

    /// Randomly decides whether the next branch or loop uses the `cf` dialect. It can do so only in the body of the
    /// function itself.
    fn is_next_flat(&mut self) -> bool {
        self.is_flat && self.rng.chance(35)
    }

    /// Adds an operation with regions. Later operations may use its results.
    pub(super) fn structured(
        &mut self,
        code: Code,
        operands: Vec<Value>,
        types: &[KernelType],
        regions: Vec<KernelRegion>,
    ) {
        let results: Vec<Value> = types
            .iter()
            .map(|t| self.kernel.new_value(t.clone()))
            .collect();
        self.push(KernelOp {
            code,
            operands,
            results: results.clone(),
            regions,
        });
        self.keep(&results);
    }

    /// Changes the execution index `slot` for the operations in a loop body, so that the iterations access disjoint
    /// memory. `count` is the index of the iteration, which is less than `most`.
    pub(super) fn enter_iteration(&mut self, count: Value, most: u64) {
        let times = self.constant(&KernelType::scalar(I32), most);
        let start = self.elementwise("arith.muli", &[self.slot.number, times]);
        self.slot = Slot {
            number: self.elementwise("arith.addi", &[start, count]),
            count: self.slot.count * most,
        };
    }

    pub(super) fn next_number(&mut self, number: Value) -> Value {
        let type_ = self.type_(number);
        let one = self.constant(&type_, 1);
        self.elementwise("arith.addi", &[number, one])
    }

    /// Adds `scf.for` with at most three iterations.
    pub(super) fn for_loop(&mut self, depth: usize) {
        let element = self.rng.choose(&[I32, I32, I32, I64]);
        let type_ = KernelType::scalar(element);
        let unsigned = self.rng.chance(40);
        let start = match (self.rng.below(4), unsigned) {
            (0, true) => 16_u64.wrapping_neg(),
            (0, false) => 2_u64.wrapping_neg(),
            (1, true) => (1 << (element.bits() - 1)) - 2,
            (other, _) => other as u64,
        };
        let start = self.constant(&type_, start);
        let step_size = self.rng.choose(&[1, 1, 1, 2, 3]);
        let step = self.constant(&type_, step_size);
        let trips = if self.rng.chance(60) {
            let trips = self.rng.below(4) as u64;
            self.constant(&type_, trips * step_size)
        } else {
            let trips = self.small_scalar();
            let trips = self.cast_exactly(trips, &type_);
            self.elementwise("arith.muli", &[trips, step])
        };
        let end = self.elementwise("arith.addi", &[start, trips]);
        let zero = self.constant(&KernelType::scalar(I32), 0);
        let carried = self.some_values(1);
        let mut operands = vec![start, end, step, zero];
        operands.extend(&carried);
        let types: Vec<KernelType> = operands[3..].iter().map(|v| self.type_(*v)).collect();

        let mut arguments = vec![self.kernel.new_value(type_)];
        for type_ in &types {
            arguments.push(self.kernel.new_value(type_.clone()));
        }
        let (at, count) = (arguments[0], arguments[1]);
        let region = self.region(arguments, |b| {
            b.enter_iteration(count, 4);
            if element == I64 {
                let short = b.cast("arith.trunci", at, I32);
                b.scalars.push(short);
            }
            let steps = b.region_steps(1, 4);
            b.steps(steps, depth + 1);
            let mut yielded = vec![b.next_number(count)];
            yielded.extend(b.likes(&types[1..]));
            b.terminate(Code::Yield, yielded);
        });
        self.structured(Code::For { unsigned }, operands, &types, vec![region]);
    }

    /// Converts a non-negative scalar `i32` to another integer type.
    fn cast_exactly(&mut self, value: Value, type_: &KernelType) -> Value {
        if type_.element == I32 {
            value
        } else {
            self.cast("arith.extsi", value, type_.element)
        }
    }

    fn any_condition(&mut self) -> Value {
        let list = self.scalars.clone();
        if self.rng.chance(20) {
            let operands = [(); 3].map(|()| self.rng.choose(&list));
            let most = self.rng.below(4) as u32;
            let stage = self.rng.below(most as usize + 1) as u32;
            let code = Code::PredicateStage { most, stage };
            return self.one(code, &operands, KernelType::scalar(BOOL));
        }
        let scalar = self.rng.choose(&list);
        let condition = self.comparison(scalar);
        debug_assert_eq!(self.element(condition), BOOL);
        condition
    }

    pub(super) fn branch(&mut self, depth: usize) {
        let condition = self.any_condition();
        let chosen = self.some_values(0);
        let types: Vec<KernelType> = chosen.iter().map(|v| self.type_(*v)).collect();
        let flat = self.is_next_flat();
        let mut regions = Vec::new();
        for i in 0..2 {
            if i == 1 && types.is_empty() && self.rng.chance(50) {
                regions.push(KernelRegion::default());
                continue;
            }
            let types = types.clone();
            regions.push(self.region_or_blocks(flat, Vec::new(), |b| {
                let steps = b.region_steps(1, 3);
                b.steps(steps, depth + 1);
                if types.is_empty() {
                    let value = b.any_tensor();
                    b.store(value);
                }
                let yielded = b.likes(&types);
                b.terminate(Code::Yield, yielded);
            }));
        }
        self.structured(Code::If { flat }, vec![condition], &types, regions);
    }

    /// Adds a `ttg.mask` operation. Its results are undefined if its condition is false. `arith.select` operations
    /// therefore replace them by existing values in this case.
    fn mask(&mut self, depth: usize) {
        let condition = self.any_condition();
        let mut chosen = self.some_values(0);
        chosen.retain(|value| {
            let tensor = &self.kernel.types[*value].tensor;
            // Triton's rule.
            !tensor
                .as_ref()
                .is_some_and(|t| t.encoding.contains("generic_linear"))
        });
        let types: Vec<KernelType> = chosen.iter().map(|v| self.type_(*v)).collect();
        let region = self.region(Vec::new(), |b| {
            let steps = b.region_steps(1, 3);
            b.steps(steps, depth + 1);
            if types.is_empty() {
                let value = b.any_tensor();
                b.store(value);
            }
            let handed = b.likes(&types);
            b.terminate(Code::MaskReturn, handed);
        });
        let results: Vec<Value> = types
            .iter()
            .map(|t| self.kernel.new_value(t.clone()))
            .collect();
        self.push(KernelOp {
            code: Code::Mask,
            operands: vec![condition],
            results: results.clone(),
            regions: vec![region],
        });
        let kept: Vec<Value> = results
            .iter()
            .zip(chosen)
            .map(|(result, other)| self.elementwise("arith.select", &[condition, *result, other]))
            .collect();
        self.keep(&kept);
    }

    /// Adds `scf.while` with at most three iterations.
    pub(super) fn while_loop(&mut self, depth: usize) {
        let flat = self.is_next_flat();
        let zero = self.constant(&KernelType::scalar(I32), 0);
        let trips = self.small_scalar();
        let mut operands = vec![zero];
        operands.extend(self.some_values(1));
        let types: Vec<KernelType> = operands.iter().map(|v| self.type_(*v)).collect();
        let arguments = |b: &mut Self| -> Vec<Value> {
            types
                .iter()
                .map(|t| b.kernel.new_value(t.clone()))
                .collect()
        };
        let before = arguments(self);
        let count = before[0];
        let before = self.region_or_blocks(flat, before, |b| {
            b.enter_iteration(count, 4);
            let steps = b.rng.below(3);
            b.steps(steps, depth + 1);
            let mut passed = vec![b.compare_ints(2, count, trips), count];
            passed.extend(b.likes(&types[1..]));
            b.terminate(Code::Condition, passed);
        });
        let after = arguments(self);
        let count = after[0];
        let after = self.region_or_blocks(flat, after, |b| {
            b.enter_iteration(count, 4);
            let steps = b.region_steps(1, 3);
            b.steps(steps, depth + 1);
            let mut yielded = vec![b.next_number(count)];
            yielded.extend(b.likes(&types[1..]));
            b.terminate(Code::Yield, yielded);
        });
        self.structured(Code::While { flat }, operands, &types, vec![before, after]);
    }
}
