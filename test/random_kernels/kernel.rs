//! A kernel as data: the output of the generator, and the input of the evaluator and the shrinker.

use linear_layout::target::Target;
use std::rc::Rc;

/// A scalar type in memory, except pointers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scalar {
    /// A signless integer of this width.
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

    /// Returns true if it is a float that operations compute with; the others only move.
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

    /// Returns the number of bits of an integer.
    pub(crate) fn int(self) -> Option<u32> {
        match self {
            Self {
                is_pointer: false,
                scalar: Scalar::Int(bits),
            } => Some(bits),
            _ => None,
        }
    }

    /// Returns the format of a float that operations compute with.
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

    /// Returns the size in memory in bytes; a boolean takes one.
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
    /// `None` for a scalar.
    pub(crate) tensor: Option<Tensor>,
}

impl KernelType {
    pub(crate) fn scalar(element: Element) -> Self {
        Self {
            element,
            tensor: None,
        }
    }

    /// Returns the same type with another element.
    pub(crate) fn of(&self, element: Element) -> Self {
        Self {
            element,
            tensor: self.tensor.clone(),
        }
    }

    /// Returns the shape; a scalar has rank 0.
    pub(crate) fn shape(&self) -> &[u64] {
        self.tensor.as_ref().map_or(&[], |t| &t.shape)
    }

    pub(crate) fn num_elements(&self) -> usize {
        self.shape().iter().product::<u64>() as usize
    }
}

/// A value, by its index in [`Kernel::types`]; arguments come first.
pub(crate) type Value = usize;

/// The code of an operation; types and operands are in [`KernelOp`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Code {
    ProgramId(u8),
    NumPrograms(u8),
    /// The same bits in every element.
    Constant(u64),
    /// A constant tensor, element by element in row-major order.
    Elements(Rc<[u64]>),
    /// A range that starts here.
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
    /// Operands: pointer, mask, value where the mask is false; the latter two may be absent.
    Load {
        volatile: bool,
        policy: &'static str,
    },
    /// Operands: pointer, value, mask.
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
    /// Operands: base, offsets, mask, value where the mask is false.
    BufferLoad,
    /// Operands: value, base, offsets, mask.
    BufferStore,
    /// An operation of `arith`, `math` or `tt` that works on each element by itself.
    Elementwise(&'static str),
    /// `tt.extern_elementwise`: a library function that equals an operation.
    Extern {
        symbol: &'static str,
        same: &'static str,
    },
    /// `tt.elementwise_inline_asm` of no instruction, that forwards its operands, with this number of elements per
    /// register.
    Assembly(u32),
    /// `arith.cmpi`, with MLIR's number of the predicate.
    CompareInts(u8),
    /// `arith.cmpf`.
    CompareFloats(u8),
    For {
        unsigned: bool,
    },
    /// `flat` branches are blocks of `cf` in the function's own region.
    If {
        flat: bool,
    },
    While {
        flat: bool,
    },
    Yield,
    Condition,
    /// `ttg.mask`: where the condition is false, results are undefined.
    Mask,
    MaskReturn,
    /// `ttg.predicate_stage`; operands: counter, end, step.
    PredicateStage {
        most: u32,
        stage: u32,
    },
    /// `tt.reduce` along an axis; its region takes two elements of each operand.
    Reduce(usize),
    ReduceReturn,
    /// `tt.scan` along an axis, possibly reversed, with a region like that of a reduction.
    Scan {
        axis: usize,
        reverse: bool,
    },
    ScanReturn,
    /// `tt.dot`. Operands: left, right, accumulator.
    Dot,
    /// `tt.gather` along an axis. Operands: source, indices.
    Gather(usize),
    /// Operands: values, mask.
    Histogram,
    /// A buffer in shared memory of this encoding, initialised with the first operand.
    Buffer {
        encoding: Rc<str>,
        access: BufferAccess,
    },
}

/// An access to a buffer in shared memory after it was filled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum BufferAccess {
    /// A load.
    Load,
    /// `ttg.local_gather` along an axis. Further operand: indices.
    Gather(usize),
    /// `ttg.local_scatter` along an axis, then a load. Further operands: values, indices.
    Scatter(usize),
    /// `ttg.local_atomic_scatter_rmw` along an axis, then a load. Further operands: values, indices, mask. Results: the
    /// loaded and the old values.
    Update { axis: usize, change: ElementUpdate },
}

/// The ordering and scope of an atomic access, by their numbers in the dialect.
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

    /// Returns this ordering among all threads of the GPU.
    pub(crate) const fn gpu(ordering: u8) -> Self {
        Self { ordering, scope: 1 }
    }
}

/// A read-modify-write of an element of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ElementUpdate {
    /// The number of the operation in the dialect.
    pub(crate) number: u32,
    /// The equivalent operation on elements; `None` for an exchange.
    pub(crate) elementwise: Option<&'static str>,
}

impl Code {
    /// Returns true if it ends a region.
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

/// A region of one block.
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
    /// Returns true if it has an effect on memory.
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

/// The initial contents of an argument of the kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    Number(u64),
    /// A buffer of numbers.
    Bytes(Vec<u8>),
    /// A buffer of addresses in the buffer of another argument, as byte offsets from its start.
    Pointers {
        into: usize,
        offsets: Vec<u64>,
    },
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Argument {
    pub(crate) content: Content,
    /// Divisor that the kernel may assume.
    pub(crate) divisibility: Option<u64>,
    /// True if bytes of it may be written more than once: atomically, or by programs that hold a lock.
    pub(crate) is_shared: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) target: &'static Target,
    pub(crate) warps: u64,
    pub(crate) grid: [u32; 3],
    pub(crate) types: Vec<KernelType>,
    pub(crate) arguments: Vec<Argument>,
    /// The program that the others may wait for.
    pub(crate) producer: u32,
    pub(crate) body: Vec<KernelOp>,
}

impl Kernel {
    pub(crate) fn new_value(&mut self, type_: KernelType) -> Value {
        self.types.push(type_);
        self.types.len() - 1
    }
}
