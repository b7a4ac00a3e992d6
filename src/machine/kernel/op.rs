//! The instructions of a decoded kernel: scalar registers, one operation per lane.

use super::float::FloatTy;

/// A scalar register; each lane of a block has its own copy of up to 64 bits.
///
/// Vectors and structs are spread over several registers when a kernel is decoded, so that
/// taking an aggregate apart and putting it together costs nothing.
/// # Units
/// An index into the register file. Integers are kept zero-extended, floats as raw bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Reg(pub u32);

/// A basic block of a [`Program`](super::Program), by position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BlockId(pub u32);

/// Integer operations of two operands; the result has the operands' width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are LLVM's")]
pub enum IntOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    SMin,
    SMax,
    UMin,
    UMax,
    UAddSat,
    USubSat,
    SAddSat,
    SSubSat,
    /// The upper half of the unsigned product.
    UMulHigh,
    /// The upper half of the signed product.
    SMulHigh,
}

/// Integer operations of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are LLVM's")]
pub enum IntUnary {
    CtPop,
    CtLz,
    CtTz,
    BSwap,
    BitReverse,
    Abs,
}

/// Integer comparisons, numbered as in MLIR's `llvm.icmp`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are LLVM's")]
pub enum IntPred {
    Eq,
    Ne,
    Slt,
    Sle,
    Sgt,
    Sge,
    Ult,
    Ule,
    Ugt,
    Uge,
}

/// Float comparisons, numbered as in MLIR's `llvm.fcmp`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are LLVM's")]
pub enum FloatPred {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
    True,
}

/// Float operations of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are LLVM's")]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    /// A NaN operand loses against a number.
    MaxNum,
    /// A NaN operand loses against a number.
    MinNum,
    /// A NaN operand wins.
    Maximum,
    /// A NaN operand wins.
    Minimum,
    Pow,
    CopySign,
    Atan2,
}

/// Float operations of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are LLVM's")]
pub enum FloatUnary {
    Neg,
    Abs,
    Exp,
    Exp2,
    Exp10,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Sqrt,
    Rsqrt,
    Cbrt,
    Rcp,
    Floor,
    Ceil,
    Trunc,
    /// Half away from zero.
    Round,
    /// Half to even.
    RoundEven,
    Erf,
}

/// Where a value of a lane comes from that no instruction computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    /// Thread index within the block, per axis 0 to 2.
    Thread(u8),
    /// Block size, per axis.
    BlockSize(u8),
    /// Block index within the grid, per axis.
    Block(u8),
    /// Grid size in blocks, per axis.
    GridSize(u8),
    /// Lane within the warp.
    Lane,
    /// Warp within the block.
    Warp,
    /// Lanes per warp.
    WarpSize,
    /// Warps per block.
    NumWarps,
    /// Mask of lanes `==`, `<=`, `<`, `>=`, `>` one's own.
    LaneMask(IntPred),
}

/// The memory that an access goes to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Space {
    /// A 64-bit address that says itself which memory it means.
    Generic,
    /// Buffers of the launch and global variables.
    Global,
    /// The block's shared memory (LDS).
    Shared,
    /// Read-only global variables.
    Constant,
    /// The lane's own stack.
    Local,
}

impl Space {
    /// The memory of LLVM's address space `number` on both GPU families.
    pub const fn from_number(number: u32) -> Option<Self> {
        match number {
            0 => Some(Self::Generic),
            1 => Some(Self::Global),
            3 => Some(Self::Shared),
            4 => Some(Self::Constant),
            5 => Some(Self::Local),
            _ => None,
        }
    }

    /// Width of a pointer into this memory, in bits.
    pub const fn pointer_bits(self) -> u32 {
        match self {
            Self::Shared | Self::Local => 32,
            _ => 64,
        }
    }

    /// The word that messages use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Global => "global",
            Self::Shared => "shared",
            Self::Constant => "constant",
            Self::Local => "local",
        }
    }
}

/// One register's part of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// The register that is loaded or stored.
    pub reg: Reg,
    /// Its place, in bytes from the access's address.
    pub offset: u32,
    /// How many bytes it takes in memory, 1 to 8.
    pub bytes: u8,
}

/// A condition on a lane: the register's lowest bit, possibly negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The register that holds the bit.
    pub reg: Reg,
    /// Act where the bit is 0 instead of 1.
    pub negated: bool,
}

/// A load or a store of one or more neighbouring registers.
///
/// A load of `vector<4xf32>` has four fields of 4 bytes at offsets 0, 4, 8, 12, size 16.
/// # Units
/// `offset`, `size` and `align` are bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// The memory.
    pub space: Space,
    /// The register that holds the address.
    pub addr: Reg,
    /// Added to the address.
    pub offset: i64,
    /// The registers, in order of their place.
    pub fields: Box<[Field]>,
    /// Bytes from the first field to the end of the last.
    pub size: u32,
    /// The address must be a multiple of this.
    pub align: u32,
    /// Lanes where this fails do nothing; a load leaves their registers as they were.
    pub guard: Option<Guard>,
}

/// A load or store through an AMD buffer descriptor, checked against its size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BufferAccess {
    /// Base address, stride, number of bytes, flags.
    pub rsrc: [Reg; 4],
    /// Byte offset per lane.
    pub offset: Reg,
    /// Byte offset shared by the wave.
    pub soffset: Reg,
    /// The registers, in order of their place.
    pub fields: Box<[Field]>,
    /// Bytes from the first field to the end of the last.
    pub size: u32,
}

/// How a read-modify-write combines the old value with the operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomicOp {
    /// Takes the operand.
    Xchg,
    /// `not (old and operand)`.
    Nand,
    /// Any integer operation.
    Int(IntOp),
    /// A float operation on the given format.
    Float(FloatOp, FloatTy),
}

/// Lane selection of `nvvm.shfl.sync`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are PTX's")]
pub enum ShuffleKind {
    Bfly,
    Up,
    Down,
    Idx,
}

/// What a vote answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are PTX's")]
pub enum VoteKind {
    Any,
    All,
    Uni,
    Ballot,
}

/// Selector interpretation of `nvvm.prmt`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names are PTX's")]
pub enum PermuteMode {
    Default,
    F4e,
    B4e,
    Rc8,
    Ecl,
    Ecr,
    Rc16,
}

/// A cross-lane operation of AMD GPUs inside one wave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaveOp {
    /// Lane `i` reads lane `index[i] / 4`; a lane that is off reads as 0.
    Bpermute {
        /// Four times the source lane.
        index: Reg,
    },
    /// Lane `i` writes to lane `index[i] / 4`; lanes that nobody writes get 0.
    Permute {
        /// Four times the destination lane.
        index: Reg,
    },
    /// `ds_swizzle_b32` with a constant pattern.
    Swizzle {
        /// The instruction's 16-bit offset field.
        pattern: u32,
    },
    /// `v_mov_b32_dpp` on top of an old value.
    Dpp {
        /// The value of lanes that are masked off or read outside.
        old: Reg,
        /// The control field.
        control: u32,
        /// Enabled rows of 16 lanes.
        row_mask: u8,
        /// Enabled banks of 4 lanes within a row.
        bank_mask: u8,
        /// Reads outside give 0 instead of `old`.
        bound_control: bool,
    },
    /// `v_permlane16_b32`, or `v_permlanex16_b32` which reads the neighbouring row.
    Permlane16 {
        /// The value of lanes that read a lane that is off.
        old: Reg,
        /// Selectors of lanes 0 to 7 of a row, four bits each.
        low: Reg,
        /// Selectors of lanes 8 to 15.
        high: Reg,
        /// Read from the other row of the pair.
        cross: bool,
    },
    /// The value of the first active lane.
    ReadFirstLane,
    /// The value of the lane that a uniform register names.
    ReadLane {
        /// The source lane.
        lane: Reg,
    },
}

/// What a flag promises of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// `or disjoint`: the operands share no bits.
    Disjoint,
    /// `nsw` at a width.
    NoSignedWrap(IntOp, u32),
    /// `nuw` at a width.
    NoUnsignedWrap(IntOp, u32),
    /// `exact` at a width.
    Exact(IntOp, u32),
    /// `nneg`: the operand of this width is not negative.
    NonNegative(u32),
    /// `trunc nuw`: the operand fits so many bits.
    FitsUnsigned(u32),
    /// `trunc nsw`.
    FitsSigned {
        /// Width of the operand.
        from: u32,
        /// Width of the result.
        to: u32,
    },
    /// `range`: from `low` up to but without `high`, modulo the width.
    Range {
        /// The width.
        bits: u32,
        /// The first value inside.
        low: u64,
        /// The first value outside.
        high: u64,
    },
    /// `inbounds`: the step stays in its object.
    Inside(Space),
    /// `getelementptr nuw`: the step does not go down.
    NotBelow,
}

/// One instruction. `dst` registers differ from all source registers.
#[derive(Clone, PartialEq, Debug)]
#[expect(
    missing_docs,
    reason = "field names repeat: dst is written, a, b, c and src are read"
)]
pub enum Op {
    /// Copies a register.
    Move { dst: Reg, src: Reg },
    /// Reads something that the launch decides.
    Special { dst: Reg, what: Special },
    /// Integer arithmetic on `bits` bits.
    Int {
        op: IntOp,
        bits: u32,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Integer arithmetic on one operand of `bits` bits.
    IntUnary {
        op: IntUnary,
        bits: u32,
        dst: Reg,
        a: Reg,
    },
    /// `fshl` or `fshr`: `hi:lo` shifted by `amount` modulo the width.
    Funnel {
        left: bool,
        bits: u32,
        dst: Reg,
        hi: Reg,
        lo: Reg,
        amount: Reg,
    },
    /// `base + sign-extended index * scale`, the step of an address.
    Scale {
        bits: u32,
        dst: Reg,
        base: Reg,
        index: Reg,
        index_bits: u32,
        scale: i64,
    },
    /// Integer comparison.
    Compare {
        pred: IntPred,
        bits: u32,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Float arithmetic.
    Float {
        op: FloatOp,
        ty: FloatTy,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Float arithmetic on one operand.
    FloatUnary {
        op: FloatUnary,
        ty: FloatTy,
        dst: Reg,
        a: Reg,
    },
    /// `a * b + c`, rounded once.
    Fma {
        ty: FloatTy,
        dst: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    /// `a * 2^exponent`.
    Ldexp {
        ty: FloatTy,
        dst: Reg,
        a: Reg,
        exponent: Reg,
        exponent_bits: u32,
    },
    /// Float comparison.
    FloatCompare {
        pred: FloatPred,
        ty: FloatTy,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Keeps the lowest `bits` bits.
    Trunc { bits: u32, dst: Reg, src: Reg },
    /// Extends by the sign bit.
    SignExtend {
        from: u32,
        to: u32,
        dst: Reg,
        src: Reg,
    },
    /// Converts between float formats.
    FloatToFloat {
        from: FloatTy,
        to: FloatTy,
        dst: Reg,
        src: Reg,
    },
    /// Converts towards zero; values out of range go to the nearest integer that fits.
    FloatToInt {
        from: FloatTy,
        bits: u32,
        signed: bool,
        dst: Reg,
        src: Reg,
    },
    /// Converts to the nearest float.
    IntToFloat {
        bits: u32,
        signed: bool,
        to: FloatTy,
        dst: Reg,
        src: Reg,
    },
    /// `cond ? a : b`.
    Select { dst: Reg, cond: Reg, a: Reg, b: Reg },
    /// Sees the same bits in pieces of another width.
    Repack {
        dst: Box<[Reg]>,
        dst_bits: u32,
        src: Box<[Reg]>,
        src_bits: u32,
    },
    /// The element at a position that is only known when running.
    ExtractAt {
        dst: Reg,
        elems: Box<[Reg]>,
        index: Reg,
    },
    /// All elements, one of them replaced.
    InsertAt {
        dst: Box<[Reg]>,
        elems: Box<[Reg]>,
        value: Reg,
        index: Reg,
    },
    /// A promise about `value`, computed before from `a` and `b`; a value that breaks it must not be used.
    Claim {
        claim: Claim,
        value: Reg,
        a: Reg,
        b: Reg,
    },
    /// Reads memory.
    Load(Box<Access>),
    /// Writes memory.
    Store(Box<Access>),
    /// Reads through an AMD buffer descriptor; outside of it reads 0.
    BufferLoad(Box<BufferAccess>),
    /// Writes through an AMD buffer descriptor; outside of it nothing happens.
    BufferStore(Box<BufferAccess>),
    /// Atomic read-modify-write; `dst` is the old value.
    Atomic {
        op: AtomicOp,
        bits: u32,
        dst: Reg,
        space: Space,
        addr: Reg,
        value: Reg,
    },
    /// Atomic compare and exchange.
    CompareExchange {
        bits: u32,
        dst: Reg,
        success: Reg,
        space: Space,
        addr: Reg,
        expected: Reg,
        value: Reg,
    },
    /// All threads of the block meet; memory accesses before are ordered before those after.
    Barrier,
    /// Like [`Op::Barrier`], and every thread learns how many had the lowest bit of `src` set (popc), or whether all or any had.
    BarrierReduce { kind: VoteKind, dst: Reg, src: Reg },
    /// The lanes of `mask` meet inside each warp.
    WarpBarrier { mask: Reg },
    /// `nvvm.shfl.sync`; `valid` receives whether the computed lane was in range.
    Shuffle {
        kind: ShuffleKind,
        dst: Reg,
        valid: Option<Reg>,
        mask: Reg,
        src: Reg,
        offset: Reg,
        clamp: Reg,
    },
    /// `nvvm.vote.sync`, and AMD's ballot where `mask` is absent.
    Vote {
        kind: VoteKind,
        dst: Reg,
        mask: Option<Reg>,
        src: Reg,
    },
    /// `nvvm.redux.sync`.
    Reduce {
        op: IntOp,
        dst: Reg,
        mask: Reg,
        src: Reg,
    },
    /// `nvvm.elect.sync`: 1 in the lowest lane of the mask.
    Elect { dst: Reg, mask: Reg },
    /// `nvvm.prmt`.
    Permute {
        mode: PermuteMode,
        dst: Reg,
        a: Reg,
        b: Reg,
        selector: Reg,
    },
    /// AMD's `v_perm_b32`: bytes of `a:b` (`a` above) by selector bytes.
    BytePermute {
        dst: Reg,
        a: Reg,
        b: Reg,
        selector: Reg,
    },
    /// An AMD cross-lane operation on 32 bits.
    Wave { op: WaveOp, dst: Reg, src: Reg },
    /// `v_permlane16_swap_b32` / `v_permlane32_swap_b32`: exchanges the odd rows of `a` with the even rows of `b`.
    WaveSwap {
        rows: u32,
        dst: [Reg; 2],
        a: Reg,
        b: Reg,
    },
    /// `mbcnt`: how many lanes below one's own are in the mask, plus `base`.
    MaskCount {
        high: bool,
        dst: Reg,
        mask: Reg,
        base: Reg,
    },
    /// `nvvm.ldmatrix`: 8x8 matrices of 16 bits from shared memory.
    LoadMatrix {
        dst: Box<[Reg]>,
        addr: Reg,
        transposed: bool,
    },
    /// `nvvm.stmatrix`.
    StoreMatrix {
        src: Box<[Reg]>,
        addr: Reg,
        transposed: bool,
    },
}

/// The values handed to a block's parameters on one edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The block that is entered.
    pub target: BlockId,
    /// One register for each parameter of the target.
    pub args: Box<[Reg]>,
}

/// How a block ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Terminator {
    /// All lanes go one way.
    Branch(Edge),
    /// Each lane goes by the lowest bit of its register.
    CondBranch {
        /// The condition.
        cond: Reg,
        /// Where lanes with 1 go.
        then: Edge,
        /// Where lanes with 0 go.
        other: Edge,
    },
    /// Each lane goes by the value of its register.
    Switch {
        /// The value.
        value: Reg,
        /// Value and destination of each case.
        cases: Box<[(u64, Edge)]>,
        /// Where all other lanes go.
        default: Edge,
    },
    /// The lanes are done.
    Return,
    /// No lane may get here.
    Unreachable,
}

impl Terminator {
    /// The edges that leave the block.
    pub fn edges(&self) -> Vec<&Edge> {
        match self {
            Self::Branch(edge) => vec![edge],
            Self::CondBranch { then, other, .. } => vec![then, other],
            Self::Switch { cases, default, .. } => cases
                .iter()
                .map(|(_, edge)| edge)
                .chain([default])
                .collect(),
            Self::Return | Self::Unreachable => Vec::new(),
        }
    }
}

impl Op {
    /// Calls `f` with each register of the instruction and whether it is written.
    pub fn for_each_reg(&self, mut f: impl FnMut(Reg, bool)) {
        let mut io = |writes: &[Reg], reads: &[Reg]| {
            writes.iter().for_each(|&r| f(r, true));
            reads.iter().for_each(|&r| f(r, false));
        };
        match self {
            Self::Move { dst, src }
            | Self::Trunc { dst, src, .. }
            | Self::SignExtend { dst, src, .. }
            | Self::FloatToFloat { dst, src, .. }
            | Self::FloatToInt { dst, src, .. }
            | Self::IntToFloat { dst, src, .. }
            | Self::BarrierReduce { dst, src, .. } => io(&[*dst], &[*src]),
            Self::Special { dst, .. } => io(&[*dst], &[]),
            Self::Int { dst, a, b, .. }
            | Self::Compare { dst, a, b, .. }
            | Self::Float { dst, a, b, .. }
            | Self::FloatCompare { dst, a, b, .. } => io(&[*dst], &[*a, *b]),
            Self::IntUnary { dst, a, .. } | Self::FloatUnary { dst, a, .. } => io(&[*dst], &[*a]),
            Self::Funnel {
                dst,
                hi,
                lo,
                amount,
                ..
            } => io(&[*dst], &[*hi, *lo, *amount]),
            Self::Scale {
                dst, base, index, ..
            } => io(&[*dst], &[*base, *index]),
            Self::Fma { dst, a, b, c, .. } => io(&[*dst], &[*a, *b, *c]),
            Self::Ldexp {
                dst, a, exponent, ..
            } => io(&[*dst], &[*a, *exponent]),
            Self::Select { dst, cond, a, b } => io(&[*dst], &[*cond, *a, *b]),
            Self::Claim { value, a, b, .. } => io(&[], &[*value, *a, *b]),
            Self::Repack { dst, src, .. } => io(dst, src),
            Self::ExtractAt { dst, elems, index } => {
                io(&[*dst], elems);
                io(&[], &[*index]);
            }
            Self::InsertAt {
                dst,
                elems,
                value,
                index,
            } => {
                io(dst, elems);
                io(&[], &[*value, *index]);
            }
            Self::Load(access) | Self::Store(access) => {
                let writes = matches!(self, Self::Load(_));
                access.fields.iter().for_each(|field| f(field.reg, writes));
                f(access.addr, false);
                if let Some(guard) = access.guard {
                    f(guard.reg, false);
                }
            }
            Self::BufferLoad(access) | Self::BufferStore(access) => {
                let writes = matches!(self, Self::BufferLoad(_));
                access.fields.iter().for_each(|field| f(field.reg, writes));
                access.rsrc.iter().for_each(|&r| f(r, false));
                f(access.offset, false);
                f(access.soffset, false);
            }
            Self::Atomic {
                dst, addr, value, ..
            } => io(&[*dst], &[*addr, *value]),
            Self::CompareExchange {
                dst,
                success,
                addr,
                expected,
                value,
                ..
            } => {
                io(&[*dst, *success], &[*addr, *expected, *value]);
            }
            Self::Barrier => {}
            Self::WarpBarrier { mask } => io(&[], &[*mask]),
            Self::Shuffle {
                dst,
                valid,
                mask,
                src,
                offset,
                clamp,
                ..
            } => {
                io(&[*dst], &[*mask, *src, *offset, *clamp]);
                if let Some(valid) = valid {
                    io(&[*valid], &[]);
                }
            }
            Self::Vote { dst, mask, src, .. } => {
                io(&[*dst], &[*src]);
                if let Some(mask) = mask {
                    io(&[], &[*mask]);
                }
            }
            Self::Reduce { dst, mask, src, .. } => io(&[*dst], &[*mask, *src]),
            Self::Elect { dst, mask } => io(&[*dst], &[*mask]),
            Self::Permute {
                dst,
                a,
                b,
                selector,
                ..
            }
            | Self::BytePermute {
                dst,
                a,
                b,
                selector,
            } => {
                io(&[*dst], &[*a, *b, *selector]);
            }
            Self::Wave { op, dst, src } => {
                io(&[*dst], &[*src]);
                match op {
                    WaveOp::Bpermute { index } | WaveOp::Permute { index } => io(&[], &[*index]),
                    WaveOp::Dpp { old, .. } => io(&[], &[*old]),
                    WaveOp::Permlane16 { old, low, high, .. } => io(&[], &[*old, *low, *high]),
                    WaveOp::ReadLane { lane } => io(&[], &[*lane]),
                    WaveOp::Swizzle { .. } | WaveOp::ReadFirstLane => {}
                }
            }
            Self::WaveSwap { dst, a, b, .. } => io(dst, &[*a, *b]),
            Self::MaskCount {
                dst, mask, base, ..
            } => io(&[*dst], &[*mask, *base]),
            Self::LoadMatrix { dst, addr, .. } => io(dst, &[*addr]),
            Self::StoreMatrix { src, addr, .. } => {
                io(&[], src);
                io(&[], &[*addr]);
            }
        }
    }
}
