//! Parts of programs beside instructions: registers, parameters, memory spaces, control flow.

use super::float::FloatTy;
use super::memory::{LOCAL_WINDOW, SHARED_WINDOW};
use std::fmt;

/// A scalar register; each lane of a block has its own copy of up to 64 bits.
///
/// Vectors and structs are spread over several registers when a kernel is decoded, so that
/// taking an aggregate apart and putting it together costs nothing.
/// # Units
/// An index into the register file. Integers are kept zero-extended, floats as raw bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Reg(pub(crate) u32);

/// A basic block of a [`Program`](super::Program), by position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct BlockId(pub(crate) u32);

/// The memory that an access goes to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Space {
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
    pub(crate) const fn from_number(number: u32) -> Option<Self> {
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
    pub(crate) const fn pointer_bits(self) -> u32 {
        match self {
            Self::Shared | Self::Local => 32,
            _ => 64,
        }
    }

    /// Returns true if an address of this space means global memory.
    pub(crate) const fn is_global(self, address: u64) -> bool {
        match self {
            Self::Shared | Self::Local => false,
            Self::Generic => address & (SHARED_WINDOW | LOCAL_WINDOW) == 0,
            Self::Global | Self::Constant => true,
        }
    }

    /// The word that messages use.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Global => "global",
            Self::Shared => "shared",
            Self::Constant => "constant",
            Self::Local => "local",
        }
    }
}

/// The values handed to a block's parameters on one edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    /// The block that is entered.
    pub(crate) target: BlockId,
    /// One register for each parameter of the target.
    pub(crate) args: Box<[Reg]>,
}

/// How a block ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Terminator {
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
    /// The register that it chooses by.
    pub(crate) fn choice(&self) -> Option<Reg> {
        match self {
            Self::CondBranch { cond, .. } => Some(*cond),
            Self::Switch { value, .. } => Some(*value),
            Self::Branch(_) | Self::Return | Self::Unreachable => None,
        }
    }

    /// The registers that it chooses by or gives to block parameters.
    pub(crate) fn reads(&self) -> impl Iterator<Item = Reg> {
        let args = self.edges().into_iter().flat_map(|edge| &edge.args);
        self.choice().into_iter().chain(args.copied())
    }

    /// The edges that leave the block.
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

/// The type of a kernel parameter, as far as a launch must know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParamTy {
    /// A pointer to a buffer.
    Pointer,
    /// An integer of so many bits.
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

/// A parameter of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Param {
    /// The register that receives the argument.
    pub(crate) reg: Reg,
    /// Its type.
    pub ty: ParamTy,
}

/// A basic block: a run of instructions and the way out.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Block {
    /// Registers that each edge into the block fills.
    pub(crate) params: Vec<Reg>,
    /// First instruction, as an index into the instructions of the program.
    pub(crate) start: u32,
    /// One past the last instruction.
    pub(crate) end: u32,
    /// How the block ends.
    pub(crate) terminator: Terminator,
    /// Where lanes that part at the end of this block meet again.
    pub(crate) reconverge: Option<BlockId>,
    /// The site of the terminator.
    pub(crate) site: u32,
    /// Position in reverse post-order: among lanes that parted, the lowest runs first.
    pub(crate) order: u32,
}
