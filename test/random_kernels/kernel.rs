//! A kernel as data: the output of the generator, and the input of the evaluator and the shrinker.

use linear_layout::target::Target;
use std::rc::Rc;

/// A scalar type that memory can hold. Pointers are excluded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scalar {
    /// A signless integer of this bit width.
    Int(u32),
    F8E5M2,
    F8E4M3,
    F16,
    Bf16,
    F32,
    F64,
}

impl Scalar {
    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::Int(bits) => bits,
            Self::F8E5M2 | Self::F8E4M3 => 8,
            Self::F16 | Self::Bf16 => 16,
            Self::F32 => 32,
            Self::F64 => 64,
        }
    }

    pub(crate) fn is_float(self) -> bool {
        !matches!(self, Self::Int(_))
    }

    /// Returns true if this is a float type that operations compute with. The other float types are only moved.
    pub(crate) fn is_computed_float(self) -> bool {
        self.is_float() && self.bits() > 8
    }

    pub(crate) fn name(self) -> String {
        match self {
            Self::Int(bits) => format!("i{bits}"),
            Self::F8E5M2 => "f8E5M2".to_owned(),
            Self::F8E4M3 => "f8E4M3FN".to_owned(),
            Self::F16 => "f16".to_owned(),
            Self::Bf16 => "bf16".to_owned(),
            Self::F32 => "f32".to_owned(),
            Self::F64 => "f64".to_owned(),
        }
    }
}

/// The element type of a tensor: a scalar, or a pointer to one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Element {
    is_pointer: bool,
    pub(crate) scalar: Scalar,
}

pub(crate) const BOOL: Element = Element::number(Scalar::Int(1));
pub(crate) const I32: Element = Element::number(Scalar::Int(32));
pub(crate) const I64: Element = Element::number(Scalar::Int(64));

impl Element {
    pub(crate) const fn number(scalar: Scalar) -> Self {
        Self {
            is_pointer: false,
            scalar,
        }
    }

    pub(crate) fn pointer(self) -> Self {
        Self {
            is_pointer: true,
            ..self
        }
    }

    pub(crate) fn pointee(self) -> Self {
        Self {
            is_pointer: false,
            ..self
        }
    }

    pub(crate) fn is_pointer(self) -> bool {
        self.is_pointer
    }

    /// Returns the bit width of an integer type, and `None` for floats and pointers.
    pub(crate) fn int(self) -> Option<u32> {
        match self {
            Self {
                is_pointer: false,
                scalar: Scalar::Int(bits),
            } => Some(bits),
            _ => None,
        }
    }

    /// Returns the scalar type if it is a float that operations compute with, and `None` otherwise.
    pub(crate) fn float(self) -> Option<Scalar> {
        (!self.is_pointer && self.scalar.is_computed_float()).then_some(self.scalar)
    }

    pub(crate) fn bits(self) -> u32 {
        if self.is_pointer() {
            64
        } else {
            self.scalar.bits()
        }
    }

    /// Returns the size of an element in memory in bytes. A boolean occupies one byte.
    pub(crate) fn bytes(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    pub(crate) fn name(self) -> String {
        if self.is_pointer() {
            format!("!tt.ptr<{}>", self.pointee().name())
        } else {
            self.scalar.name()
        }
    }
}

/// The shape and encoding of a tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Tensor {
    pub(crate) shape: Vec<u64>,
    pub(crate) encoding: Rc<str>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct KernelType {
    pub(crate) element: Element,
    /// Shape and encoding of a tensor; `None` if the type is a scalar.
    pub(crate) tensor: Option<Tensor>,
}

impl KernelType {
    pub(crate) fn scalar(element: Element) -> Self {
        Self {
            element,
            tensor: None,
        }
    }

    /// Returns this type with the element type replaced by `element`.
    pub(crate) fn of(&self, element: Element) -> Self {
        Self {
            element,
            tensor: self.tensor.clone(),
        }
    }

    /// Returns the shape. The shape of a scalar is empty.
    pub(crate) fn shape(&self) -> &[u64] {
        self.tensor.as_ref().map_or(&[], |t| &t.shape)
    }

    pub(crate) fn num_elements(&self) -> usize {
        self.shape().iter().product::<u64>() as usize
    }
}

/// A value, represented by its index in [`Kernel::types`]. The arguments of the kernel have the lowest indices.
pub(crate) type Value = usize;

/// The kind of an operation, with its attributes. Its operands and results are in [`KernelOp`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Code {
    ProgramId(u8),
    NumPrograms(u8),
    /// `arith.constant` whose elements all have these bits.
    Constant(u64),
    /// `arith.constant` whose elements have these bits, in row-major order.
    Elements(Rc<[u64]>),
    /// `tt.make_range` that starts at this number.
    Range(u64),
    Splat,
    ExpandDims(usize),
    Broadcast,
    Trans(Vec<usize>),
    Reshape,
    Join,
    Split,
    Convert,
    /// `gluon.set_auto_layout`.
    SetLayout,
    AddPointer,
    /// `tt.load`. Operands: pointer, mask, and the value of elements whose mask is false. The mask and this value
    /// are optional.
    Load {
        volatile: bool,
        policy: &'static str,
    },
    /// `tt.store`. Operands: pointer, value, mask. The mask may be absent.
    Store {
        policy: &'static str,
    },
    /// `tt.atomic_rmw`. Operands: pointer, value, mask.
    AtomicChange {
        change: ElementUpdate,
        sync: Sync,
    },
    /// `tt.atomic_cas`. Operands: pointer, expected value, new value.
    CompareExchange(Sync),
    /// `tt.atomic_load`. Operands: pointer, mask.
    AtomicLoad(Sync),
    /// `tt.atomic_store`. Operands: pointer, value, mask.
    AtomicStore(Sync),
    /// `tt.atomic_poll` without a timeout. Operands: pointer, expected value.
    Poll(Sync),
    /// `ttg.barrier all`.
    Barrier,
    /// `amdg.buffer_load`. Operands: base, offsets, mask, and the value of elements whose mask is false. The mask
    /// and this value are optional.
    BufferLoad,
    /// Operands: value, base, offsets, mask.
    BufferStore,
    /// An elementwise operation of the dialect `arith`, `math` or `tt`, given by its name.
    Elementwise(&'static str),
    /// `tt.extern_elementwise`, which calls the library function `symbol`. The function computes the same result as
    /// the operation with the name `same`.
    Extern {
        symbol: &'static str,
        same: &'static str,
    },
    /// `tt.elementwise_inline_asm` without instructions, which forwards its operands. The field is the attribute
    /// `packed_element`, the number of elements that one execution of the assembly processes.
    Assembly(u32),
    /// `arith.cmpi` with this predicate, given by its number in MLIR.
    CompareInts(u8),
    /// `arith.cmpf` with this predicate, given by its number in MLIR.
    CompareFloats(u8),
    For {
        unsigned: bool,
    },
    /// A branch. If `flat` is true, it is printed as blocks with `cf` branches in the body of the function;
    /// otherwise, as `scf.if`.
    If {
        flat: bool,
    },
    While {
        flat: bool,
    },
    Yield,
    Condition,
    /// `ttg.mask`. If the condition is false, the results are undefined.
    Mask,
    MaskReturn,
    /// `ttg.predicate_stage`; operands: counter, end, step.
    PredicateStage {
        most: u32,
        stage: u32,
    },
    /// `tt.reduce` along this axis. Its region combines two tuples that hold one element per operand. The region
    /// arguments are the elements of the first tuple, then those of the second.
    Reduce(usize),
    ReduceReturn,
    /// `tt.scan` along an axis, in reverse order if `reverse` is true. Its region has the same form as that of
    /// `Reduce`.
    Scan {
        axis: usize,
        reverse: bool,
    },
    ScanReturn,
    /// `tt.dot`. Operands: left, right, accumulator.
    Dot,
    /// `tt.gather` along this axis. Operands: source, indices.
    Gather(usize),
    /// `tt.histogram`. Operands: values, mask. The mask may be absent.
    Histogram,
    /// Allocates a buffer in shared memory with this encoding, initialises it with the first operand, and performs
    /// one access to it.
    Buffer {
        encoding: Rc<str>,
        access: BufferAccess,
    },
}

/// An access to a shared-memory buffer that has been initialised with a tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum BufferAccess {
    /// A load of the whole buffer.
    Load,
    /// `ttg.local_gather` along this axis. Further operand: indices.
    Gather(usize),
    /// `ttg.local_scatter` along this axis, then a load of the whole buffer. Further operands: values, indices.
    Scatter(usize),
    /// `ttg.local_atomic_scatter_rmw` along an axis, then a load of the whole buffer. Further operands: values,
    /// indices, mask; the mask may be absent. Results: the loaded buffer, and the old values.
    Update { axis: usize, change: ElementUpdate },
}

/// The memory ordering and the scope of an atomic access. Both are given by their numbers in the dialect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sync {
    pub(crate) ordering: u8,
    pub(crate) scope: u8,
}

impl Sync {
    pub(crate) const RELAXED: u8 = 1;
    pub(crate) const ACQUIRE: u8 = 2;
    pub(crate) const RELEASE: u8 = 3;
    pub(crate) const ACQUIRE_RELEASE: u8 = 4;

    /// Returns this memory ordering with the scope of the whole GPU.
    pub(crate) const fn gpu(ordering: u8) -> Self {
        Self { ordering, scope: 1 }
    }
}

/// A read-modify-write operation on one element in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ElementUpdate {
    /// The number that the dialect assigns to the operation.
    pub(crate) number: u32,
    /// Name of the elementwise operation that computes the new value from the old value and the operand; `None` for
    /// an exchange.
    pub(crate) elementwise: Option<&'static str>,
}

impl Code {
    /// Returns true if this operation terminates a region.
    pub(crate) fn is_end(&self) -> bool {
        matches!(
            self,
            Self::Yield
                | Self::Condition
                | Self::ReduceReturn
                | Self::ScanReturn
                | Self::MaskReturn
        )
    }
}

/// A region with a single block.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct KernelRegion {
    pub(crate) arguments: Vec<Value>,
    pub(crate) ops: Vec<KernelOp>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct KernelOp {
    pub(crate) code: Code,
    pub(crate) operands: Vec<Value>,
    pub(crate) results: Vec<Value>,
    pub(crate) regions: Vec<KernelRegion>,
}

impl KernelOp {
    /// Returns true if the operation, or one in its regions, writes memory or synchronises. Such operations must
    /// not be removed even if their results are unused.
    pub(crate) fn writes(&self) -> bool {
        let is_write = matches!(
            self.code,
            Code::Store { .. }
                | Code::BufferStore
                | Code::AtomicChange { .. }
                | Code::CompareExchange(_)
                | Code::AtomicStore(_)
                | Code::Poll(_)
                | Code::Barrier
        );
        is_write
            || self
                .regions
                .iter()
                .any(|region| region.ops.iter().any(Self::writes))
    }
}

/// The value of a kernel argument, or the initial contents of the buffer that it points to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    Number(u64),
    /// A buffer with these bytes.
    Bytes(Vec<u8>),
    /// A buffer of addresses. They point into the buffer of the argument with index `into`, at these byte offsets
    /// from its start.
    Pointers {
        into: usize,
        offsets: Vec<u64>,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Argument {
    pub(crate) content: Content,
    /// Number by which the compiler may assume the argument to be divisible.
    pub(crate) divisibility: Option<u64>,
    /// True if the bytes of the buffer may be written more than once, either atomically or by programs that hold a
    /// lock.
    pub(crate) is_shared: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) target: &'static Target,
    pub(crate) warps: u64,
    pub(crate) grid: [u32; 3],
    pub(crate) types: Vec<KernelType>,
    pub(crate) arguments: Vec<Argument>,
    /// Index of the program for which the other programs may wait.
    pub(crate) producer: u32,
    pub(crate) body: Vec<KernelOp>,
}

impl Kernel {
    pub(crate) fn new_value(&mut self, type_: KernelType) -> Value {
        self.types.push(type_);
        self.types.len() - 1
    }
}
