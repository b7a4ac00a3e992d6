//! Random atomic accesses, messages from one program to the others, and updates under a lock.
//!
//! Updates of one address by several programs are deterministic only if they commute: sums, bit operations, and
//! extremes of integers. The old values that they return are not used.

use super::builder::Builder;
use super::exchange::{CHANGES, EXCHANGE, FLOAT_SUM, change};
use super::kernel::{
    Argument, BOOL, Code, Content, Element, ElementUpdate, I32, KernelRegion, KernelType, Scalar,
    Sync, Value,
};
use linear_layout::target::Vendor;

/// Floating-point maximum and minimum. They are generated for AMD GPUs only.
const FLOAT_EXTREMES: [ElementUpdate; 2] = [change(6, "arith.maxnumf"), change(7, "arith.minnumf")];

/// Commutative integer operations that update memory while a lock is held.
const UPDATES: [&str; 4] = ["arith.addi", "arith.xori", "arith.maxui", "arith.minsi"];

impl Builder {
    /// Adds a random atomic operation on elements with the type and layout of the tensor `value`. Returns its
    /// result, if later operations can use it.
    ///
    /// Returns `None` if the operation has no usable result, or if no operation was added. The latter happens if
    /// `value` is a scalar, if its element type or layout is not supported, or if no further arguments can be
    /// added.
    pub(super) fn atomic(&mut self, value: Value) -> Option<Value> {
        let type_ = self.type_(value);
        let is_word = type_.element.int().is_some_and(|bits| bits >= 32);
        let is_listed = type_.element.float().is_some() || is_word;
        if !is_listed || !self.has_room_for_arguments() {
            return None;
        }
        if type_.tensor.as_ref()?.encoding.contains("generic_linear") {
            // Triton's rule.
            return None;
        }
        match self.rng.below(6) {
            0 => self.atomic_load(&type_),
            1 => self.atomic_store(value, &type_),
            2 if is_word => self.atomic_compare(value, &type_),
            3 if is_word => self.atomic_sum(value, &type_),
            _ => self.atomic_change(value, &type_),
        }
    }

    fn any_sync(&mut self, orderings: &[u8]) -> Sync {
        Sync {
            ordering: self.rng.choose(orderings),
            scope: self.rng.choose(&[1, 1, 3]),
        }
    }

    /// Adds a buffer with elements of the element type of `type_`, and returns a tensor of distinct pointers into
    /// it. The operation that uses the pointers may be executed several times; each execution gets different
    /// pointers.
    fn distinct_places(&mut self, type_: &KernelType) -> Value {
        let offsets = self.distinct_offsets(type_);
        let content = self.content(type_.element, offsets.span);
        let base = self.buffer(type_.element, content);
        self.pointers_at(base, offsets.values)
    }

    fn any_mask(&mut self, type_: &KernelType) -> Option<Value> {
        let mask = type_.of(BOOL);
        self.rng.chance(40).then(|| self.like(&mask))
    }

    /// Returns the elements of `found`, the result of an access with the mask `mask`. Elements whose mask is false
    /// are replaced by those of `other`. Without a mask, returns `found` itself.
    fn found(&mut self, found: Value, mask: Option<Value>, other: Value) -> Value {
        match mask {
            Some(mask) => self.elementwise("arith.select", &[mask, found, other]),
            None => found,
        }
    }

    fn atomic_load(&mut self, type_: &KernelType) -> Option<Value> {
        let mut operands = vec![self.distinct_places(type_)];
        let mask = self.any_mask(type_);
        operands.extend(mask);
        let code = Code::AtomicLoad(self.any_sync(&[Sync::RELAXED, Sync::ACQUIRE]));
        let found = self.one(code, &operands, type_.clone());
        let other = self.like(type_);
        Some(self.found(found, mask, other))
    }

    fn atomic_store(&mut self, value: Value, type_: &KernelType) -> Option<Value> {
        let mut operands = vec![self.distinct_places(type_), value];
        operands.extend(self.any_mask(type_));
        let code = Code::AtomicStore(self.any_sync(&[Sync::RELAXED, Sync::RELEASE]));
        self.several(code, &operands, Vec::new());
        None
    }

    fn atomic_compare(&mut self, value: Value, type_: &KernelType) -> Option<Value> {
        let pointers = self.distinct_places(type_);
        // Some addresses hold the expected value.
        let loads = self.rng.chance(70);
        let expected = if loads {
            let code = Code::AtomicLoad(Sync::gpu(Sync::RELAXED));
            self.one(code, &[pointers], type_.clone())
        } else {
            self.like(type_)
        };
        let expected = if loads {
            let other = self.like(type_);
            let condition = self.like(&type_.of(BOOL));
            self.elementwise("arith.select", &[condition, expected, other])
        } else {
            expected
        };
        let code = Code::CompareExchange(self.any_change_sync());
        Some(self.one(code, &[pointers, expected, value], type_.clone()))
    }

    fn any_change_sync(&mut self) -> Sync {
        self.any_sync(&[
            Sync::RELAXED,
            Sync::ACQUIRE,
            Sync::RELEASE,
            Sync::ACQUIRE_RELEASE,
            Sync::ACQUIRE_RELEASE,
        ])
    }

    /// Adds an atomic read-modify-write in which each element has its own address, so that the old values are
    /// deterministic. Returns the old values; elements that are masked off get the value of the operand instead.
    ///
    /// Returns `None`, without adding the operation, if an exchange of elements with fewer than 32 bits was drawn.
    fn atomic_change(&mut self, value: Value, type_: &KernelType) -> Option<Value> {
        let is_amd = self.kernel.target.vendor == Vendor::Amd;
        let (mut value, mut change) = (value, EXCHANGE);
        let mut places = None;
        match type_.element.float() {
            // Extremes of zeros and NaN are unspecified: the operand is odd, so it is neither.
            Some(scalar) if is_amd && self.rng.chance(30) => {
                let byte = self.cast_to(value, Element::number(Scalar::Int(8)));
                let one = self.constant(&type_.of(Element::number(Scalar::Int(8))), 1);
                let odd = self.elementwise("arith.ori", &[byte, one]);
                value = self.cast("arith.sitofp", odd, type_.element);
                let offsets = self.distinct_offsets(type_);
                let bytes = (0..offsets.span).flat_map(|_| {
                    let odd = f64::from(2 * self.rng.below(100) as i32 - 99);
                    let word = super::float::encode(scalar, odd).to_le_bytes();
                    word[..type_.element.bytes()].to_vec()
                });
                let content = Content::Bytes(bytes.collect());
                let base = self.buffer(type_.element, content);
                places = Some(self.pointers_at(base, offsets.values));
                change = self.rng.choose(&FLOAT_EXTREMES);
            }
            Some(_) if self.rng.chance(70) => change = FLOAT_SUM,
            None if self.rng.chance(85) => change = self.rng.choose(&CHANGES),
            _ if type_.element.bits() < 32 => return None,
            _ => {}
        }
        let pointers = match places {
            Some(places) => places,
            None => self.distinct_places(type_),
        };
        let mut operands = vec![pointers, value];
        let mask = self.any_mask(type_);
        operands.extend(mask);
        let sync = self.any_change_sync();
        let code = Code::AtomicChange { change, sync };
        let found = self.one(code, &operands, type_.clone());
        Some(self.found(found, mask, value))
    }

    /// Adds an atomic read-modify-write in which several elements and programs may update the same address. The old
    /// values depend on the order, so the function always returns `None`.
    fn atomic_sum(&mut self, value: Value, type_: &KernelType) -> Option<Value> {
        let offsets = self.any_offsets(type_);
        let content = self.content(type_.element, offsets.span);
        let base = self.shared_buffer(type_.element, content);
        let pointers = self.pointers_at(base, offsets.values);
        let mut operands = vec![pointers, value];
        operands.extend(self.any_mask(type_));
        let change = self.rng.choose(&CHANGES);
        let sync = self.any_change_sync();
        let code = Code::AtomicChange { change, sync };
        self.one(code, &operands, type_.clone());
        None
    }

    /// Adds a buffer whose bytes the kernel may write more than once. In a buffer for ordinary stores, by contrast,
    /// each byte may be written only once.
    fn shared_buffer(&mut self, pointee: Element, content: Content) -> Value {
        self.argument(
            pointee.pointer(),
            Argument {
                content,
                divisibility: Some(16),
                is_shared: true,
            },
        )
    }

    /// Adds a zero-initialised 32-bit word in memory. Programs use it as a flag or as a lock.
    fn zero_word(&mut self) -> Value {
        self.shared_buffer(I32, Content::Bytes(vec![0; 4]))
    }

    fn barrier(&mut self) {
        self.several(Code::Barrier, &[], Vec::new());
    }

    /// Adds a message between programs. One program stores a tensor and sets a flag; all programs wait for the flag
    /// and then load the tensor.
    pub(super) fn message(&mut self) {
        let value = self.any_tensor();
        let type_ = self.type_(value);
        if type_.element.is_pointer() || !self.has_room_for_arguments() {
            return;
        }
        let all = self.slot;
        self.kernel.producer = self.rng.below(all.count as usize) as u32;
        let scalar = KernelType::scalar(I32);
        let producer = self.constant(&scalar, u64::from(self.kernel.producer));
        let is_producer = self.compare_ints(0, all.number, producer);
        let flag = self.zero_word();
        let content = self.content(type_.element, type_.num_elements() as u64);
        let data = self.buffer(type_.element, content);
        let one = self.constant(&scalar, 1);
        // The address of an element is the same in all programs.
        let tensor = type_.tensor.clone().expect("a tensor has a shape");
        let offsets = self.flat_range(&tensor.shape, &tensor.encoding);
        let pointers = self.pointers_at(data, offsets);
        let side = self.region(Vec::new(), |b| {
            b.several(Code::Store { policy: "" }, &[pointers, value], Vec::new());
            b.barrier();
            let release = Sync::gpu(Sync::RELEASE);
            if b.rng.chance(50) {
                let code = Code::AtomicChange {
                    change: EXCHANGE,
                    sync: release,
                };
                b.one(code, &[flag, one], scalar.clone());
            } else {
                b.several(Code::AtomicStore(release), &[flag, one], Vec::new());
            }
            b.terminate(Code::Yield, Vec::new());
        });
        let regions = vec![side, KernelRegion::default()];
        self.structured(Code::If { flat: false }, vec![is_producer], &[], regions);
        let poll = Code::Poll(Sync::gpu(Sync::ACQUIRE));
        let found = self.one(poll, &[flag, one], KernelType::scalar(BOOL));
        let load = Code::Load {
            volatile: false,
            policy: "",
        };
        let received = self.one(load, &[pointers], type_.clone());
        let condition = self.splat(found, &type_);
        let other = self.like(&type_);
        let received = self.elementwise("arith.select", &[condition, received, other]);
        self.tensors.push(received);
    }

    /// Adds operations that update a tensor in memory while a lock is held. Each program acquires the lock, loads
    /// the tensor, combines it with a value, stores the result, and releases the lock.
    pub(super) fn locked_update(&mut self) {
        let value = self.any_tensor();
        let type_ = self.type_(value);
        let is_number = type_.element.int().is_some_and(|bits| bits > 1);
        if !is_number || !self.has_room_for_arguments() {
            return;
        }
        let scalar = KernelType::scalar(I32);
        let lock = self.zero_word();
        let [free, held] = [0, 1].map(|bits| self.constant(&scalar, bits));
        let before = self.region(Vec::new(), |b| {
            let code = Code::CompareExchange(Sync::gpu(Sync::ACQUIRE_RELEASE));
            let found = b.one(code, &[lock, free, held], scalar.clone());
            let waits = b.compare_ints(1, found, free);
            b.terminate(Code::Condition, vec![waits]);
        });
        let after = self.region(Vec::new(), |b| b.terminate(Code::Yield, Vec::new()));
        self.structured(
            Code::While { flat: false },
            Vec::new(),
            &[],
            vec![before, after],
        );
        let tensor = type_.tensor.clone().expect("a tensor has a shape");
        let offsets = self.flat_range(&tensor.shape, &tensor.encoding);
        let content = self.content(type_.element, type_.num_elements() as u64);
        let base = self.shared_buffer(type_.element, content);
        let pointers = self.pointers_at(base, offsets);
        let load = Code::Load {
            volatile: false,
            policy: "",
        };
        let old = self.one(load, &[pointers], type_.clone());
        let name = self.rng.choose(&UPDATES);
        let new = self.elementwise(name, &[old, value]);
        // All replicas of an element must have been loaded.
        self.barrier();
        self.several(Code::Store { policy: "" }, &[pointers, new], Vec::new());
        self.barrier();
        let code = Code::AtomicChange {
            change: EXCHANGE,
            sync: Sync::gpu(Sync::RELEASE),
        };
        self.one(code, &[lock, free], scalar);
    }
}
