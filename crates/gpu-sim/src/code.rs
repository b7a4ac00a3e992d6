//! Programs apart from instructions: registers, parameters, memory spaces, basic blocks and CFG edges.

use super::float::FloatTy;
use super::memory::{LOCAL_WINDOW, SHARED_WINDOW};
use std::fmt;

/// A scalar register, with a value of up to 64 bits for each lane of a thread block.
///
/// Decoding spreads vectors and structs over several registers, so aggregates cost nothing at run time.
/// # Units
/// The number is an index into the register file. Integers are zero-extended to 64 bits, floats are raw bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Reg(pub(crate) u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct BlockId(pub(crate) u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Space {
    /// 64-bit addresses that encode their memory space.
    Generic,
    /// Buffers of the launch, and global variables.
    Global,
    Shared,
    Constant,
    Local,
    /// Shared memory of all blocks of the cluster.
    Cluster,
}

impl Space {
    /// Returns the space with the LLVM address-space number `number`; `None` for an unsupported number. NVIDIA and
    /// AMD use the same numbers.
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

    pub(crate) const fn pointer_bits(self) -> u32 {
        match self {
            Self::Shared | Self::Local => 32,
            _ => 64,
        }
    }

    pub(crate) const fn is_global(self, address: u64) -> bool {
        match self {
            Self::Shared | Self::Local | Self::Cluster => false,
            Self::Generic => address & (SHARED_WINDOW | LOCAL_WINDOW) == 0,
            Self::Global | Self::Constant => true,
        }
    }

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

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    pub(crate) target: BlockId,
    pub(crate) args: Box<[Reg]>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Terminator {
    Branch(Edge),
    CondBranch {
        /// Register whose lowest bit is the condition.
        cond: Reg,
        then: Edge,
        other: Edge,
    },
    Switch {
        value: Reg,
        cases: Box<[(u64, Edge)]>,
        default: Edge,
    },
    Return,
    Unreachable,
}

impl Terminator {
    /// Returns the condition of a branch or the value of a switch; `None` for terminators with at most one edge.
    pub(crate) fn choice(&self) -> Option<Reg> {
        match self {
            Self::CondBranch { cond, .. } => Some(*cond),
            Self::Switch { value, .. } => Some(*value),
            Self::Branch(_) | Self::Return | Self::Unreachable => None,
        }
    }

    /// Returns the registers that the terminator reads, including the arguments that it passes to its target
    /// blocks.
    pub(crate) fn reads(&self) -> impl Iterator<Item = Reg> {
        let args = self.edges().into_iter().flat_map(|edge| &edge.args);
        self.choice().into_iter().chain(args.copied())
    }

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
    /// An integer of this width in bits.
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
    pub(crate) reg: Reg,
    /// Type of the parameter.
    pub ty: ParamTy,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct BasicBlock {
    pub(crate) params: Vec<Reg>,
    pub(crate) start: u32,
    /// Index one past the last instruction.
    pub(crate) end: u32,
    pub(crate) terminator: Terminator,
    /// The immediate post-dominator of the block, at which diverged lanes reconverge.
    pub(crate) reconverge: Option<BlockId>,
    pub(crate) site: u32,
    /// Position of the block in reverse post-order. If lanes diverge, the lanes in the block with the lowest
    /// position run first.
    pub(crate) order: u32,
}
