//! Provenance of pointers: the objects that the address in a register may point to.
//!
//! A kernel's argument, a variable and a stack variable are objects. An address keeps its object through
//! `getelementptr`, whatever is added: from one buffer no difference of addresses leads to another one. A number made of
//! an address keeps the objects of its operands, and an address that is loaded, or made of a number without an object,
//! may point anywhere.
//!
//! ```text
//! %p = argument 0                      argument 0
//! %q = getelementptr %p, %i            argument 0
//! %r = select %c, %q, %s               argument 0, or what %s points to
//! %t = load %x                         anything
//! ```
//!
//! What registers may point to is computed once for the program, so an access only compares its buffer with it.

use super::Instruction;
use crate::code::Reg;
use crate::code::{Block, Param, ParamTy};
use std::collections::HashMap;
use std::sync::Arc;

/// An object that addresses are derived from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Root {
    /// What an argument of the kernel points to, by its number.
    Argument(u32),
    /// A variable of the program in global or constant memory.
    Global(u32),
    /// A variable or an allocation in shared memory.
    Shared(u32),
    /// A variable of the lane's stack.
    Stack(u32),
}

/// Where the results of an instruction get their objects from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    /// They may point anywhere.
    Unknown,
    /// They are no addresses.
    Nothing,
    /// They point to what these registers point to.
    From(Vec<Reg>),
    /// They point to what this number was made of, or anywhere where it was made of no address.
    FromNumber(Reg),
}

/// More objects than these are taken for any.
const MOST_ROOTS: usize = 16;

/// A set of objects, by its number.
type Set = u32;
/// Nothing has been found to reach the register.
const UNREACHED: Set = 0;
/// Any object.
const ANY: Set = 1;
/// No object: a number that was not made of an address.
const NONE: Set = 2;

/// The objects that each register may point to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins {
    of_register: Box<[Set]>,
    sets: Vec<Vec<Root>>,
}

impl Origins {
    /// Follows addresses through a program.
    pub(crate) fn of(
        blocks: &[Block],
        ops: &[Arc<dyn Instruction>],
        params: &[Param],
        addresses: &HashMap<Reg, (u64, Root)>,
        num_regs: u32,
    ) -> Self {
        let mut sets = Sets::default();
        let mut of = vec![UNREACHED; num_regs as usize];
        for (number, param) in (0..).zip(params) {
            of[param.reg.0 as usize] = match param.ty {
                ParamTy::Pointer => sets.number(vec![Root::Argument(number)]),
                ParamTy::Int(_) | ParamTy::Float(_) => NONE,
            };
        }
        for (reg, (_, root)) in addresses {
            of[reg.0 as usize] = sets.number(vec![*root]);
        }
        let flows: Vec<(Vec<Reg>, Flow)> = ops
            .iter()
            .map(|op| (op.regs().writes, op.flow()))
            .filter(|(writes, _)| !writes.is_empty())
            .collect();
        let edges: Vec<(Reg, Reg)> = blocks
            .iter()
            .flat_map(|block| block.terminator.edges())
            .flat_map(|edge| {
                let params = &blocks[edge.target.0 as usize].params;
                params.iter().copied().zip(edge.args.iter().copied())
            })
            .collect();
        // Constants are never written.
        let mut is_written = vec![false; num_regs as usize];
        let results = flows.iter().flat_map(|(writes, _)| writes.iter());
        for reg in results.chain(edges.iter().map(|(param, _)| param)) {
            is_written[reg.0 as usize] = true;
        }
        for (set, is_written) in of.iter_mut().zip(is_written) {
            if *set == UNREACHED && !is_written {
                *set = NONE;
            }
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            let mut add = |of: &mut [Set], sets: &mut Sets, reg: Reg, set: Set| {
                let old = of[reg.0 as usize];
                let new = sets.join(old, set);
                changed |= new != old;
                of[reg.0 as usize] = new;
            };
            for (writes, flow) in &flows {
                let set = match flow {
                    Flow::Unknown => ANY,
                    Flow::Nothing => NONE,
                    Flow::From(regs) => regs
                        .iter()
                        .fold(UNREACHED, |set, reg| sets.join(set, of[reg.0 as usize])),
                    Flow::FromNumber(reg) => match of[reg.0 as usize] {
                        NONE => ANY,
                        set => set,
                    },
                };
                for reg in writes {
                    add(&mut of, &mut sets, *reg, set);
                }
            }
            for (param, arg) in &edges {
                let set = of[arg.0 as usize];
                add(&mut of, &mut sets, *param, set);
            }
        }
        Self {
            of_register: of.into(),
            sets: sets.sets,
        }
    }

    /// Returns the objects that the address in a register may point to; nothing where it may be any.
    pub(crate) fn get(&self, reg: Reg) -> Option<&[Root]> {
        match self.of_register[reg.0 as usize] {
            UNREACHED | ANY | NONE => None,
            set => Some(&self.sets[set as usize]),
        }
    }
}

/// The sets that there are, each once.
struct Sets {
    sets: Vec<Vec<Root>>,
    numbers: HashMap<Vec<Root>, Set>,
    joined: HashMap<(Set, Set), Set>,
}

impl Default for Sets {
    fn default() -> Self {
        Self {
            // The first numbers mean no list.
            sets: vec![Vec::new(); NONE as usize + 1],
            numbers: HashMap::new(),
            joined: HashMap::new(),
        }
    }
}

impl Sets {
    /// The number of a sorted list of objects.
    fn number(&mut self, roots: Vec<Root>) -> Set {
        if roots.len() > MOST_ROOTS {
            return ANY;
        }
        *self.numbers.entry(roots).or_insert_with_key(|roots| {
            self.sets.push(roots.clone());
            self.sets.len() as Set - 1
        })
    }

    /// The union of two sets.
    fn join(&mut self, a: Set, b: Set) -> Set {
        match (a.min(b), a.max(b)) {
            (a, b) if a == b => a,
            (UNREACHED, other) | (other, UNREACHED) => other,
            (ANY, _) => ANY,
            (NONE, other) => other,
            (a, b) => {
                if let Some(&known) = self.joined.get(&(a, b)) {
                    return known;
                }
                let lists = [a, b].map(|set| self.sets[set as usize].iter().copied());
                let mut roots: Vec<Root> = lists.into_iter().flatten().collect();
                roots.sort_unstable();
                roots.dedup();
                let set = self.number(roots);
                self.joined.insert((a, b), set);
                set
            }
        }
    }
}
