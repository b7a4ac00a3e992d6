//! Program structure apart from instructions: registers, parameters, memory spaces, basic blocks and CFG edges.

use super::float::FloatTy;
use super::memory::{LOCAL_WINDOW, SHARED_WINDOW};
use std::fmt;

/// A scalar register. It holds a separate value of up to 64 bits for each lane of a thread block.
///
/// Decoding a kernel spreads vectors and structs over several registers, so building and splitting an aggregate costs
/// nothing at run time.
/// # Units
/// The number is an index into the register file. Integers are zero-extended to 64 bits, floats are stored as raw bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Reg(pub(crate) u32);

/// The index of a basic block of a [`Program`](super::Program).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct BlockId(pub(crate) u32);

/// An address space of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Space {
    /// Generic addresses, which have 64 bits and encode the memory space to which they refer.
    Generic,
    /// Global memory: buffers of the launch, and global variables.
    Global,
    /// Shared memory (LDS) of a thread block.
    Shared,
    /// Constant memory: read-only global variables.
    Constant,
    /// Local memory: the stack of a lane.
    Local,
    /// The shared memory of all blocks of the cluster.
    Cluster,
}

impl Space {
    /// Returns the space with the number `number` in LLVM, or `None` for an unknown number. NVIDIA and AMD use the same
    /// numbers.
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

    /// Returns the width in bits of a pointer to this space.
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

    /// Returns the name of the space in messages, such as `shared`.
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
    /// All lanes follow the same edge.
    Branch(Edge),
    /// Each lane follows one of two edges, depending on the lowest bit of a register.
    CondBranch {
        /// Register whose lowest bit is the condition.
        cond: Reg,
        /// Edge of the lanes in which the condition is 1.
        then: Edge,
        /// Edge of the lanes in which the condition is 0.
        other: Edge,
    },
    /// Each lane follows the edge that belongs to its value of a register.
    Switch {
        value: Reg,
        /// The cases, as (value, edge) pairs.
        cases: Box<[(u64, Edge)]>,
        /// Edge of the lanes whose value equals no case.
        default: Edge,
    },
    /// The lanes exit from the kernel.
    Return,
    /// Reaching this terminator is a fault.
    Unreachable,
}

impl Terminator {
    /// Returns the register whose value selects the edge, or `None` if the terminator does not have several edges.
    pub(crate) fn choice(&self) -> Option<Reg> {
        match self {
            Self::CondBranch { cond, .. } => Some(*cond),
            Self::Switch { value, .. } => Some(*value),
            Self::Branch(_) | Self::Return | Self::Unreachable => None,
        }
    }

    /// Returns the registers that the terminator reads as a condition or as block arguments.
    pub(crate) fn reads(&self) -> impl Iterator<Item = Reg> {
        let args = self.edges().into_iter().flat_map(|edge| &edge.args);
        self.choice().into_iter().chain(args.copied())
    }

    /// Returns the outgoing CFG edges.
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
    /// A pointer into a buffer, or the null pointer.
    Pointer,
    /// An integer; the number is its width in bits.
    Int(u32),
    /// A floating-point number.
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

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct BasicBlock {
    /// Registers of the block parameters.
    pub(crate) params: Vec<Reg>,
    /// The index of the first instruction in the program's list of instructions.
    pub(crate) start: u32,
    /// Index one past the last instruction.
    pub(crate) end: u32,
    /// Terminator of the block.
    pub(crate) terminator: Terminator,
    /// Immediate post-dominator: the block where diverged lanes reconverge.
    pub(crate) reconverge: Option<BlockId>,
    /// Index of the terminator's source site.
    pub(crate) site: u32,
    /// Position of the block in reverse post-order. If lanes have diverged, the lanes whose block has the lowest
    /// position run first.
    pub(crate) order: u32,
}
