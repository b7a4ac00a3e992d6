//! Program structure apart from instructions: registers, parameters, memory spaces, basic blocks and CFG edges.

use super::float::FloatTy;
use super::memory::{LOCAL_WINDOW, SHARED_WINDOW};
use std::fmt;

/// A scalar register. Each lane of a thread block has a separate value of up to 64 bits in it.
///
/// When a kernel is decoded, vectors and structs are spread over several registers. So building and splitting an
/// aggregate costs nothing at run time.
/// # Units
/// An index into the register file. Integers are zero-extended to 64 bits, floats are stored as raw bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Reg(pub(crate) u32);

/// The index of a basic block of a [`Program`](super::Program).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct BlockId(pub(crate) u32);

/// An address space of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Space {
    /// A 64-bit address that encodes its memory space.
    Generic,
    /// Buffers of the launch and global variables.
    Global,
    /// The block's shared memory (LDS).
    Shared,
    /// Read-only global variables.
    Constant,
    /// The lane's stack.
    Local,
    /// The shared memory of all blocks of the cluster.
    Cluster,
}

impl Space {
    /// Returns the memory space of LLVM's address space `number`, which is the same on NVIDIA and AMD.
    pub(crate) const fn from_number(number: u32) -> Option<Self> {
        match number {
            0 => Some(Self::Generic),
            1 => Some(Self::Global),
            3 => Some(Self::Shared),
            4 => Some(Self::Constant),
            5 => Some(Self::Local),
            7 => Some(Self::Cluster),
            _ => None,
        }
    }

    /// Returns the width of a pointer in bits.
    pub(crate) const fn pointer_bits(self) -> u32 {
        match self {
            Self::Shared | Self::Local => 32,
            _ => 64,
        }
    }

    /// Returns true if `address`, an address of this space, refers to global memory.
    pub(crate) const fn is_global(self, address: u64) -> bool {
        match self {
            Self::Shared | Self::Local | Self::Cluster => false,
            Self::Generic => address & (SHARED_WINDOW | LOCAL_WINDOW) == 0,
            Self::Global | Self::Constant => true,
        }
    }

    /// Returns the name of the space that messages use.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Global => "global",
            Self::Shared => "shared",
            Self::Constant => "constant",
            Self::Local => "local",
            Self::Cluster => "shared::cluster",
        }
    }
}

/// A CFG edge with the block arguments that it passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    pub(crate) target: BlockId,
    /// One register per parameter of the target block.
    pub(crate) args: Box<[Reg]>,
}

/// The terminator of a basic block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Terminator {
    /// All lanes take one edge.
    Branch(Edge),
    /// Each lane branches on the lowest bit of a register.
    CondBranch {
        /// The condition.
        cond: Reg,
        /// The edge of lanes in which the condition is 1.
        then: Edge,
        /// The edge of lanes in which the condition is 0.
        other: Edge,
    },
    /// Each lane branches on the value of a register.
    Switch {
        value: Reg,
        /// The value and the edge of each case.
        cases: Box<[(u64, Edge)]>,
        /// Edge of all other lanes.
        default: Edge,
    },
    /// The lanes exit.
    Return,
    /// Reaching this terminator is a fault.
    Unreachable,
}

impl Terminator {
    /// Returns the register whose value selects the edge, if there is more than one edge.
    pub(crate) fn choice(&self) -> Option<Reg> {
        match self {
            Self::CondBranch { cond, .. } => Some(*cond),
            Self::Switch { value, .. } => Some(*value),
            Self::Branch(_) | Self::Return | Self::Unreachable => None,
        }
    }

    /// Returns the registers that are read, as condition or as block arguments.
    pub(crate) fn reads(&self) -> impl Iterator<Item = Reg> {
        let args = self.edges().into_iter().flat_map(|edge| &edge.args);
        self.choice().into_iter().chain(args.copied())
    }

    /// Returns the outgoing edges.
    pub(crate) fn edges(&self) -> Vec<&Edge> {
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

/// The type of a kernel parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamTy {
    /// A pointer to a buffer.
    Pointer,
    /// An integer of this width.
    Int(u32),
    /// A float.
    Float(FloatTy),
}

impl fmt::Display for ParamTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pointer => f.write_str("a pointer"),
            Self::Int(width) => write!(f, "i{width}"),
            Self::Float(ty) => f.write_str(ty.name()),
        }
    }
}

/// A kernel parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    /// The register that receives the argument.
    pub(crate) reg: Reg,
    /// The type of the parameter.
    pub ty: ParamTy,
}

/// A basic block.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct BasicBlock {
    /// Registers of the block parameters.
    pub(crate) params: Vec<Reg>,
    /// The index of the first instruction in the program's list of instructions.
    pub(crate) start: u32,
    /// The index after the last instruction.
    pub(crate) end: u32,
    /// Terminator.
    pub(crate) terminator: Terminator,
    /// Immediate post-dominator: the block where diverged lanes reconverge.
    pub(crate) reconverge: Option<BlockId>,
    /// Site of the terminator.
    pub(crate) site: u32,
    /// Position in reverse post-order. Among several diverged frames, the frame whose block has the lowest position
    /// runs first.
    pub(crate) order: u32,
}
