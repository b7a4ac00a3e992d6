//! Points-to analysis: the memory objects to which the address in a register may point.
//!
//! Memory objects are the buffers of arguments, global and shared variables, and stack variables. A `getelementptr` has
//! the objects of its base pointer, regardless of the offset. An integer computed from addresses has the objects of all
//! its operands. A loaded address may point anywhere, as may a pointer cast from an integer without objects.
//!
//! ```text
//! %p = argument 0                      argument 0
//! %q = getelementptr %p, %i            argument 0
//! %r = select %c, %q, %s               argument 0, or the objects of %s
//! %t = load %x                         anything
//! ```
//!
//! The sets are a least fixed point, computed once per program. Checking an access then takes one comparison.

use super::Instruction;
use crate::code::Reg;
use crate::code::{BasicBlock, Param, ParamTy};
use std::collections::HashMap;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum MemoryObject {
    /// The buffer of the kernel argument with this index.
    Argument(u32),
    Global(u32),
    Shared(u32),
    Stack(u32),
}

/// The objects to which the results of an instruction may point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PointerFlow {
    /// Any object.
    Unknown,
    /// None: the results are not addresses.
    Nothing,
    /// The objects to which the given registers may point.
    From(Vec<Reg>),
    /// The objects from whose addresses the integer in the given register is derived. If the integer is not derived
    /// from an address, any object.
    FromInteger(Reg),
}

/// Maximum number of objects in a set. Larger sets are replaced by [`ANY`].
const MAX_ROOTS: usize = 16;

type SetId = u32;
/// The set of a register to which no value has been propagated.
const UNREACHED: SetId = 0;
const ANY: SetId = 1;
/// The empty set. This is the set of an integer that is not derived from an address.
const NONE: SetId = 2;

#[derive(Clone, Debug, Default)]
pub(crate) struct PointsTo {
    of_register: Box<[SetId]>,
    sets: Vec<Vec<MemoryObject>>,
}

impl PointsTo {
    pub(crate) fn of(
        blocks: &[BasicBlock],
        ops: &[Arc<dyn Instruction>],
        params: &[Param],
        addresses: &HashMap<Reg, (u64, MemoryObject)>,
        num_regs: u32,
    ) -> Self {
        let mut sets = Sets::default();
        let mut of = vec![UNREACHED; num_regs as usize];
        for (number, param) in (0..).zip(params) {
            of[param.reg.0 as usize] = match param.ty {
                ParamTy::Pointer => sets.number(vec![MemoryObject::Argument(number)]),
                ParamTy::Int(_) | ParamTy::Float(_) => NONE,
            };
        }
        for (reg, (_, root)) in addresses {
            of[reg.0 as usize] = sets.number(vec![*root]);
        }
        let flows: Vec<(Vec<Reg>, PointerFlow)> = ops
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
            let mut add = |of: &mut [SetId], sets: &mut Sets, reg: Reg, set: SetId| {
                let old = of[reg.0 as usize];
                let new = sets.join(old, set);
                changed |= new != old;
                of[reg.0 as usize] = new;
            };
            for (writes, flow) in &flows {
                let set = match flow {
                    PointerFlow::Unknown => ANY,
                    PointerFlow::Nothing => NONE,
                    PointerFlow::From(regs) => regs
                        .iter()
                        .fold(UNREACHED, |set, reg| sets.join(set, of[reg.0 as usize])),
                    PointerFlow::FromInteger(reg) => match of[reg.0 as usize] {
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

    /// Returns the objects to which the address in `reg` may point; `None` if it may point anywhere.
    pub(crate) fn get(&self, reg: Reg) -> Option<&[MemoryObject]> {
        match self.of_register[reg.0 as usize] {
            UNREACHED | ANY | NONE => None,
            set => Some(&self.sets[set as usize]),
        }
    }
}

struct Sets {
    sets: Vec<Vec<MemoryObject>>,
    numbers: HashMap<Vec<MemoryObject>, SetId>,
    joined: HashMap<(SetId, SetId), SetId>,
}

impl Default for Sets {
    fn default() -> Self {
        Self {
            sets: vec![Vec::new(); NONE as usize + 1],
            numbers: HashMap::new(),
            joined: HashMap::new(),
        }
    }
}

impl Sets {
    /// Returns the id of the set `roots`, which must be sorted. A set of more than [`MAX_ROOTS`] objects has the id
    /// [`ANY`].
    fn number(&mut self, roots: Vec<MemoryObject>) -> SetId {
        if roots.len() > MAX_ROOTS {
            return ANY;
        }
        *self.numbers.entry(roots).or_insert_with_key(|roots| {
            self.sets.push(roots.clone());
            self.sets.len() as SetId - 1
        })
    }

    fn join(&mut self, a: SetId, b: SetId) -> SetId {
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
                let mut roots: Vec<MemoryObject> = lists.into_iter().flatten().collect();
                roots.sort_unstable();
                roots.dedup();
                let set = self.number(roots);
                self.joined.insert((a, b), set);
                set
            }
        }
    }
}
