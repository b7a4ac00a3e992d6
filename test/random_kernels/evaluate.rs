//! Plain evaluation: every tensor is the array of its elements, row by row, without a layout.
//!
//! The evaluator is strict about what a kernel may do: an access outside of its buffer, a byte
//! written twice, or an operation without a result is an error of the kernel on every machine.

use super::compute::{compare_floats, compare_ints, elementwise};
use super::float::{decode, encode};
use super::kernel::{
    BufferAccess, Code, Element, ElementUpdate, Kernel, KernelOp, KernelRegion, KernelType, Scalar,
    Value,
};
use std::rc::Rc;

/// The buffers that a launch can access, with the address of each.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) buffers: Vec<Vec<u8>>,
    pub(crate) addresses: Vec<u64>,
    written: Vec<Vec<bool>>,
    /// For each buffer, true if its bytes may be written more than once.
    is_shared: Vec<bool>,
}

impl Memory {
    pub(crate) fn new(buffers: Vec<Vec<u8>>, addresses: Vec<u64>, is_shared: Vec<bool>) -> Self {
        let written = buffers.iter().map(|b| vec![false; b.len()]).collect();
        Self {
            buffers,
            addresses,
            written,
            is_shared,
        }
    }

    fn place(&self, address: u64, bytes: usize) -> Result<(usize, usize), String> {
        self.addresses
            .iter()
            .zip(&self.buffers)
            .enumerate()
            .find_map(|(i, (start, buffer))| {
                let offset = usize::try_from(address.checked_sub(*start)?).ok()?;
                (offset.checked_add(bytes)? <= buffer.len()).then_some((i, offset))
            })
            .ok_or_else(|| format!("{bytes} bytes at {address:#x} are in no buffer"))
    }

    fn load(&self, address: u64, element: Element) -> Result<u64, String> {
        let bytes = element.bytes();
        let (buffer, offset) = self.place(address, bytes)?;
        let word = self.buffers[buffer][offset..offset + bytes]
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u64::from(*byte));
        // Any non-zero byte is true.
        Ok(if element.bits() == 1 {
            u64::from(word != 0)
        } else {
            word
        })
    }

    fn store(&mut self, address: u64, element: Element, value: u64) -> Result<(), String> {
        let bytes = element.bytes();
        let (buffer, offset) = self.place(address, bytes)?;
        for i in 0..bytes {
            let is_again = std::mem::replace(&mut self.written[buffer][offset + i], true);
            if is_again && !self.is_shared[buffer] {
                return Err(format!(
                    "byte {} of buffer {buffer} is written twice",
                    offset + i
                ));
            }
            self.buffers[buffer][offset + i] = (value >> (8 * i)) as u8;
        }
        Ok(())
    }
}

type ElementBits = Rc<[u64]>;

fn changed(change: ElementUpdate, element: Element, old: u64, value: u64) -> Result<u64, String> {
    match change.elementwise {
        Some(name) => elementwise(name, element, element, &[old, value])
            .ok_or_else(|| format!("`{name}` has no result")),
        None => Ok(value),
    }
}

/// Evaluates all programs of the grid one after another. Program `kernel.producer` is the first, because other
/// programs may wait for it. `arguments` holds the bits of each argument; the bits of a buffer argument are its
/// address.
pub(crate) fn run(kernel: &Kernel, arguments: &[u64], memory: &mut Memory) -> Result<(), String> {
    let [x, y, z] = kernel.grid;
    let others = (0..x * y * z).filter(|program| *program != kernel.producer);
    for program in std::iter::once(kernel.producer).chain(others) {
        let mut program = Program {
            kernel,
            id: [program % x, program / x % y, program / x / y],
            values: vec![None; kernel.types.len()],
            memory,
            steps: 0,
        };
        for (i, bits) in arguments.iter().enumerate() {
            program.values[i] = Some(Rc::new([*bits]));
        }
        program.ops(&kernel.body)?;
    }
    Ok(())
}

struct Program<'a> {
    kernel: &'a Kernel,
    id: [u32; 3],
    values: Vec<Option<ElementBits>>,
    memory: &'a mut Memory,
    steps: u32,
}

/// Returns the row-major index that `coords` has in a tensor of shape `shape`.
fn flat(coords: &[u64], shape: &[u64]) -> usize {
    let index = coords.iter().zip(shape).fold(0, |n, (c, s)| n * s + c);
    index as usize
}

/// Returns the coordinates of the element with the row-major index `index`.
fn coords(mut index: u64, shape: &[u64]) -> Vec<u64> {
    let mut coords = vec![0; shape.len()];
    for (c, size) in coords.iter_mut().zip(shape).rev() {
        *c = index % size;
        index /= size;
    }
    coords
}

impl Program<'_> {
    fn type_(&self, value: Value) -> &KernelType {
        &self.kernel.types[value]
    }

    fn get(&self, value: Value) -> ElementBits {
        self.values[value]
            .clone()
            .expect("a value is computed before it is used")
    }

    fn condition(&self, value: Value) -> bool {
        self.get(value)[0] & 1 == 1
    }

    /// Evaluates operations in order. Returns the operands of the terminator, or nothing if there is no terminator.
    fn ops(&mut self, ops: &[KernelOp]) -> Result<Vec<ElementBits>, String> {
        for op in ops {
            self.steps += 1;
            if self.steps > 1_000_000 {
                return Err("the kernel runs for too long".to_owned());
            }
            match op.code {
                ref code if code.is_end() => {
                    return Ok(op.operands.iter().map(|v| self.get(*v)).collect());
                }
                _ => {
                    let results = self.op(op)?;
                    for (value, elements) in op.results.iter().zip(results) {
                        debug_assert_eq!(elements.len(), self.type_(*value).num_elements());
                        self.values[*value] = Some(elements);
                    }
                }
            }
        }
        Ok(Vec::new())
    }

    fn region(
        &mut self,
        region: &KernelRegion,
        arguments: &[ElementBits],
    ) -> Result<Vec<ElementBits>, String> {
        for (value, elements) in region.arguments.iter().zip(arguments) {
            self.values[*value] = Some(elements.clone());
        }
        self.ops(&region.ops)
    }

    fn op(&mut self, op: &KernelOp) -> Result<Vec<ElementBits>, String> {
        let operands: Vec<ElementBits> = op.operands.iter().map(|v| self.get(*v)).collect();
        match op.code {
            Code::For { unsigned } => return self.for_loop(op, &operands, unsigned),
            Code::If { .. } => {
                let region = if self.condition(op.operands[0]) { 0 } else { 1 };
                return match op.regions.get(region) {
                    Some(region) => self.region(region, &[]),
                    None => Ok(Vec::new()),
                };
            }
            // The result where the mask is off is undefined and must not be used.
            Code::Mask if !self.condition(op.operands[0]) => {
                let nothing = |value: &Value| vec![0; self.type_(*value).num_elements()].into();
                return Ok(op.results.iter().map(nothing).collect());
            }
            Code::Mask => return self.region(&op.regions[0], &[]),
            Code::While { .. } => {
                let mut carried = operands;
                loop {
                    let mut passed = self.region(&op.regions[0], &carried)?;
                    if passed.remove(0)[0] & 1 == 0 {
                        return Ok(passed);
                    }
                    carried = self.region(&op.regions[1], &passed)?;
                }
            }
            Code::Store { .. } => {
                self.store(op.operands[0], op.operands[1], op.operands.get(2))?;
                return Ok(Vec::new());
            }
            Code::Barrier => return Ok(Vec::new()),
            Code::AtomicStore(_) => {
                self.store(op.operands[0], op.operands[1], op.operands.get(2))?;
                return Ok(Vec::new());
            }
            Code::AtomicChange { change, .. } => return self.change_memory(change, &operands, op),
            Code::CompareExchange(_) => return self.compare_exchange(&operands, op),
            Code::BufferStore => {
                let (value, mask) = (op.operands[0], op.operands.get(3));
                let addresses = self.offset_by(op.operands[1], op.operands[2]);
                self.store_at(&addresses, value, mask)?;
                return Ok(Vec::new());
            }
            Code::Reduce(axis) => return self.reduce(op, axis, &operands),
            Code::Scan { axis, reverse } => return self.scan(op, axis, reverse, &operands),
            Code::Buffer { ref access, .. } => return self.buffer(op, access, &operands),
            Code::Assembly(_) => return Ok(operands),
            Code::Split => {
                let half = |h: usize| operands[0].iter().skip(h).step_by(2).copied().collect();
                return Ok(vec![half(0), half(1)]);
            }
            _ => {}
        }
        let type_ = self.type_(op.results[0]).clone();
        let count = type_.num_elements();
        let same = |bits: u64| -> ElementBits { vec![bits; count].into() };
        let result = match &op.code {
            Code::ProgramId(axis) => same(u64::from(self.id[usize::from(*axis)])),
            Code::NumPrograms(axis) => same(u64::from(self.kernel.grid[usize::from(*axis)])),
            Code::Constant(bits) => same(*bits),
            Code::Elements(elements) => elements.clone(),
            Code::Poll(_) => {
                let found = self.load(&operands[0], self.type_(op.operands[1]).element, &[])?;
                if found != operands[1] {
                    return Err("a program waits for what none before it stores".to_owned());
                }
                same(1)
            }
            Code::Range(start) => (0..count as u64).map(|i| start + i).collect(),
            Code::Splat => same(operands[0][0]),
            // These keep the row-major order of elements.
            Code::ExpandDims(_) | Code::Reshape | Code::Convert | Code::SetLayout => {
                operands[0].clone()
            }
            Code::Broadcast => {
                let from = self.type_(op.operands[0]).shape();
                let source = |i: u64| {
                    let mut at = coords(i, type_.shape());
                    for (c, size) in at.iter_mut().zip(from) {
                        *c %= size;
                    }
                    operands[0][flat(&at, from)]
                };
                (0..count as u64).map(source).collect()
            }
            Code::Trans(order) => {
                let from = self.type_(op.operands[0]).shape();
                let source = |i: u64| {
                    let at = coords(i, type_.shape());
                    let mut moved = vec![0; from.len()];
                    for (c, dim) in at.iter().zip(order) {
                        moved[*dim] = *c;
                    }
                    operands[0][flat(&moved, from)]
                };
                (0..count as u64).map(source).collect()
            }
            Code::Dot => self.dot(op, [&operands[0], &operands[1], &operands[2]]),
            Code::Gather(axis) => self.gather(op, *axis, &operands[0], &operands[1]),
            Code::Histogram => {
                let mut bins = vec![0; count];
                for (i, value) in operands[0].iter().enumerate() {
                    let is_counted = operands.get(1).is_none_or(|mask| mask[i] & 1 == 1);
                    if let (true, Some(bin)) = (is_counted, bins.get_mut(*value as usize)) {
                        *bin += 1;
                    }
                }
                bins.into()
            }
            Code::Join => (0..count).map(|i| operands[i % 2][i / 2]).collect(),
            Code::AddPointer => self.offset_by(op.operands[0], op.operands[1]),
            Code::Load { .. } | Code::AtomicLoad(_) => {
                self.load(&operands[0], type_.element, &operands[1..])?
            }
            Code::BufferLoad => {
                let addresses = self.offset_by(op.operands[0], op.operands[1]);
                self.load(&addresses, type_.element, &operands[2..])?
            }
            Code::CompareInts(predicate) => {
                let bits = self.type_(op.operands[0]).element.bits();
                let pairs = operands[0].iter().zip(operands[1].iter());
                pairs
                    .map(|(a, b)| u64::from(compare_ints(*predicate, bits, *a, *b)))
                    .collect()
            }
            Code::PredicateStage { most, stage } => {
                let [counter, end, step] = [0, 1, 2].map(|i| operands[i][0] as i32);
                let ahead = step.wrapping_mul((most - stage) as i32);
                same(u64::from(counter < end.wrapping_sub(ahead)))
            }
            Code::CompareFloats(predicate) => {
                let scalar = self.type_(op.operands[0]).element.scalar;
                let pairs = operands[0].iter().zip(operands[1].iter());
                pairs
                    .map(|(a, b)| u64::from(compare_floats(*predicate, scalar, *a, *b)))
                    .collect()
            }
            Code::Elementwise(name) => {
                if name.ends_with("_extended") {
                    return self.extended(op, name, &operands);
                }
                self.each(op, name, &operands, count)?
            }
            Code::Extern { same, .. } => self.each(op, same, &operands, count)?,
            other => return Err(format!("{other:?} has no value")),
        };
        Ok(vec![result])
    }

    /// Evaluates the elementwise operation `name`, whose result has `count` elements. A scalar operand has the same
    /// value for all elements.
    fn each(
        &self,
        op: &KernelOp,
        name: &str,
        operands: &[ElementBits],
        count: usize,
    ) -> Result<ElementBits, String> {
        let from = self.type_(op.operands[0]).element;
        let to = self.type_(op.results[0]).element;
        (0..count)
            .map(|i| {
                let one: Vec<u64> = operands.iter().map(|list| list[i % list.len()]).collect();
                elementwise(name, from, to, &one)
                    .ok_or_else(|| format!("`{name}` of {one:x?} has no result"))
            })
            .collect()
    }

    /// Evaluates an operation on integers whose exact result needs up to twice the width of an operand. Returns the
    /// low half and the high half of that result.
    fn extended(
        &self,
        op: &KernelOp,
        name: &str,
        operands: &[ElementBits],
    ) -> Result<Vec<ElementBits>, String> {
        let count = operands[0].len();
        ["low", "high"]
            .map(|half| self.each(op, &format!("{name}.{half}"), operands, count))
            .into_iter()
            .collect()
    }

    /// Returns `pointer` advanced by `offsets`, which count elements of the pointee type.
    fn offset_by(&self, pointer: Value, offsets: Value) -> ElementBits {
        let bytes = self.type_(pointer).element.pointee().bytes() as u64;
        let width = self.type_(offsets).element.bits();
        let (pointers, offsets) = (self.get(pointer), self.get(offsets));
        let moved = |(i, offset): (usize, &u64)| {
            let offset = (offset << (64 - width)).cast_signed() >> (64 - width);
            let pointer = pointers[i % pointers.len()];
            pointer.wrapping_add(offset.cast_unsigned().wrapping_mul(bytes))
        };
        offsets.iter().enumerate().map(moved).collect()
    }

    fn load(
        &self,
        addresses: &[u64],
        element: Element,
        masked: &[ElementBits],
    ) -> Result<ElementBits, String> {
        addresses
            .iter()
            .enumerate()
            .map(|(i, address)| match masked {
                [mask, other @ ..] if mask[i] & 1 == 0 => {
                    // Without a value for it, what is not loaded may be anything; nothing here
                    // looks at it.
                    Ok(other.first().map_or(0, |list| list[i]))
                }
                _ => self.memory.load(*address, element),
            })
            .collect()
    }

    fn store(&mut self, pointer: Value, value: Value, mask: Option<&Value>) -> Result<(), String> {
        let addresses = self.get(pointer);
        self.store_at(&addresses, value, mask)
    }

    fn store_at(
        &mut self,
        addresses: &[u64],
        value: Value,
        mask: Option<&Value>,
    ) -> Result<(), String> {
        let element = self.type_(value).element;
        let values = self.get(value);
        let mask = mask.map(|m| self.get(*m));
        for (i, address) in addresses.iter().enumerate() {
            if mask.as_ref().is_none_or(|mask| mask[i] & 1 == 1) {
                self.memory.store(*address, element, values[i])?;
            }
        }
        Ok(())
    }

    /// Performs a read-modify-write for each element in order. Returns the old values; an element whose mask is
    /// false is not updated and yields 0.
    fn change_memory(
        &mut self,
        change: ElementUpdate,
        operands: &[ElementBits],
        op: &KernelOp,
    ) -> Result<Vec<ElementBits>, String> {
        let element = self.type_(op.results[0]).element;
        let mut before = Vec::new();
        for (i, &address) in operands[0].iter().enumerate() {
            if operands.get(2).is_some_and(|mask| mask[i] & 1 == 0) {
                before.push(0);
                continue;
            }
            let old = self.memory.load(address, element)?;
            self.memory.store(
                address,
                element,
                changed(change, element, old, operands[1][i])?,
            )?;
            before.push(old);
        }
        Ok(vec![before.into()])
    }

    /// Performs a compare-and-exchange for each element in order: the new value is stored if memory holds the
    /// expected value. Returns the old values.
    fn compare_exchange(
        &mut self,
        operands: &[ElementBits],
        op: &KernelOp,
    ) -> Result<Vec<ElementBits>, String> {
        let element = self.type_(op.results[0]).element;
        let mut before = Vec::new();
        for (i, &address) in operands[0].iter().enumerate() {
            let old = self.memory.load(address, element)?;
            if old == operands[1][i] {
                self.memory.store(address, element, operands[2][i])?;
            }
            before.push(old);
        }
        Ok(vec![before.into()])
    }

    /// Reduces the operands along an axis. The elements are combined in ascending order of their coordinate along
    /// the axis.
    fn reduce(
        &mut self,
        op: &KernelOp,
        axis: usize,
        operands: &[ElementBits],
    ) -> Result<Vec<ElementBits>, String> {
        let shape = self.type_(op.operands[0]).shape().to_vec();
        let mut rows = shape.clone();
        rows[axis] = 1;
        let count = rows.iter().product();
        let mut results = vec![Vec::new(); operands.len()];
        for row in 0..count {
            let mut at = coords(row, &rows);
            let tuple = |at: &[u64]| -> Vec<ElementBits> {
                let element = |list: &ElementBits| Rc::new([list[flat(at, &shape)]]) as ElementBits;
                operands.iter().map(element).collect()
            };
            let mut combined = tuple(&at);
            for i in 1..shape[axis] {
                at[axis] = i;
                combined.extend(tuple(&at));
                combined = self.region(&op.regions[0], &combined)?;
            }
            for (list, one) in results.iter_mut().zip(combined) {
                list.push(one[0]);
            }
        }
        Ok(results.into_iter().map(ElementBits::from).collect())
    }

    /// Computes an inclusive scan of the operands along an axis. If `reverse` is true, it starts at the last
    /// element.
    fn scan(
        &mut self,
        op: &KernelOp,
        axis: usize,
        reverse: bool,
        operands: &[ElementBits],
    ) -> Result<Vec<ElementBits>, String> {
        let shape = self.type_(op.operands[0]).shape().to_vec();
        let mut rows = shape.clone();
        rows[axis] = 1;
        let mut results: Vec<Vec<u64>> = operands.iter().map(|list| list.to_vec()).collect();
        for row in 0..rows.iter().product() {
            let mut at = coords(row, &rows);
            let mut before: Option<Vec<ElementBits>> = None;
            for i in 0..shape[axis] {
                at[axis] = if reverse { shape[axis] - 1 - i } else { i };
                let place = flat(&at, &shape);
                let own = operands
                    .iter()
                    .map(|list| Rc::new([list[place]]) as ElementBits);
                let own: Vec<ElementBits> = own.collect();
                let all = match before {
                    Some(before) => self.region(&op.regions[0], &[before, own].concat())?,
                    None => own,
                };
                for (list, one) in results.iter_mut().zip(&all) {
                    list[place] = one[0];
                }
                before = Some(all);
            }
        }
        Ok(results.into_iter().map(ElementBits::from).collect())
    }

    /// Computes the matrix product `a * b + c`. The generator draws small integers, so the types represent all
    /// results exactly.
    fn dot(&self, op: &KernelOp, [a, b, c]: [&[u64]; 3]) -> ElementBits {
        let [left, sum] = [op.operands[0], op.operands[2]].map(|value| self.type_(value));
        let k = left.shape()[left.shape().len() - 1] as usize;
        let rank = sum.shape().len();
        let [m, n] = [rank - 2, rank - 1].map(|dim| sum.shape()[dim] as usize);
        let factor = left.element.scalar;
        let value = |scalar: Scalar, bits: u64| match scalar {
            Scalar::Int(8) => f64::from((bits as u8).cast_signed()),
            Scalar::Int(_) => f64::from((bits as u32).cast_signed()),
            _ => decode(scalar, bits),
        };
        let element = |at: usize| {
            let (matrix, i, j) = (at / (m * n), at / n % m, at % n);
            let products = (0..k).map(|k_at| {
                let left = a[(matrix * m + i) * k + k_at];
                let right = b[(matrix * k + k_at) * n + j];
                value(factor, left) * value(factor, right)
            });
            let total = sum.element.scalar;
            let sum = value(total, c[at]) + products.sum::<f64>();
            match total {
                Scalar::Int(_) => u64::from((sum as i32).cast_unsigned()),
                _ => encode(total, sum),
            }
        };
        (0..c.len()).map(element).collect()
    }

    /// Returns the elements that a gather along `axis` reads from `source`. Each element of `indices` selects the
    /// element of `source` at the same coordinates, except that the index replaces the coordinate along `axis`.
    fn gather(&self, op: &KernelOp, axis: usize, source: &[u64], indices: &[u64]) -> ElementBits {
        let from = self.type_(op.operands[0]).shape();
        let to = self.type_(op.operands[1]).shape();
        let places = self.indexed(from, to, axis, indices);
        places.into_iter().map(|place| source[place]).collect()
    }

    /// Returns the position that each element of the tensor `indices` selects in a tensor of shape `from`. The
    /// shape of `indices` is `to`. A position has the same coordinates as the index element, except that its
    /// coordinate along `axis` is the value of the index element. Positions are row-major indices.
    fn indexed(&self, from: &[u64], to: &[u64], axis: usize, indices: &[u64]) -> Vec<usize> {
        let place = |(i, index): (u64, &u64)| {
            let mut at = coords(i, to);
            at[axis] = *index;
            flat(&at, from)
        };
        (0..).zip(indices).map(place).collect()
    }

    /// Evaluates an operation `Code::Buffer`: initialises a shared-memory buffer with the first operand, and
    /// performs `access` on it. Returns the results of the operation.
    fn buffer(
        &self,
        op: &KernelOp,
        access: &BufferAccess,
        operands: &[ElementBits],
    ) -> Result<Vec<ElementBits>, String> {
        let type_ = self.type_(op.operands[0]);
        let places = |axis: usize, indices: usize| {
            let to = self.type_(op.operands[indices]).shape();
            self.indexed(type_.shape(), to, axis, &operands[indices])
        };
        let mut held = operands[0].to_vec();
        Ok(match access {
            BufferAccess::Load => vec![held.into()],
            BufferAccess::Gather(axis) => {
                vec![self.gather(op, *axis, &held, &operands[1])]
            }
            BufferAccess::Scatter(axis) => {
                for (place, value) in places(*axis, 2).into_iter().zip(operands[1].iter()) {
                    held[place] = *value;
                }
                vec![held.into()]
            }
            BufferAccess::Update { axis, change } => {
                let mut found = Vec::new();
                for (i, place) in places(*axis, 2).into_iter().enumerate() {
                    let (old, value) = (held[place], operands[1][i]);
                    found.push(old);
                    if operands.get(3).is_none_or(|mask| mask[i] & 1 == 1) {
                        held[place] = changed(*change, type_.element, old, value)?;
                    }
                }
                vec![held.into(), found.into()]
            }
        })
    }

    fn for_loop(
        &mut self,
        op: &KernelOp,
        operands: &[ElementBits],
        unsigned: bool,
    ) -> Result<Vec<ElementBits>, String> {
        let bits = self.type_(op.operands[0]).element.bits();
        // As signed or unsigned numbers, both fit.
        let number = |word: u64| {
            if unsigned {
                i128::from(word)
            } else {
                i128::from((word << (64 - bits)).cast_signed() >> (64 - bits))
            }
        };
        let [mut at, end, step] = [0, 1, 2].map(|i| number(operands[i][0]));
        let mut carried: Vec<ElementBits> = operands[3..].to_vec();
        while at < end {
            let mut arguments: Vec<ElementBits> =
                vec![Rc::new([at as u64 & (u64::MAX >> (64 - bits))])];
            arguments.append(&mut carried);
            carried = self.region(&op.regions[0], &arguments)?;
            at += step;
        }
        Ok(carried)
    }
}
