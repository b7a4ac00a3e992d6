//! Programs, which are decoded kernels, and their builder.

use super::MarkKind;
use super::points_to::{MemoryObject, PointsTo};
use super::products::ProductSources;
use super::{Instruction, MarkUndefined, Regs};
use crate::code::{BasicBlock, BlockId, Edge, Param, ParamTy, Reg, Space, Terminator};
use crate::error::{FaultKind, KernelError, Site};
use crate::graph;
use crate::memory::{MAX_SHARED_SYMBOLS, SHARED_SYMBOL_LOG2};
use gpu_race::Sync;
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes of padding before each stack variable.
const STACK_GAP: u32 = 16;
/// Alignment of shared variables in bytes: the size of the largest swizzle pattern.
const SHARED_ALIGN: u32 = 1024;
/// Exclusive upper bound on shared-memory addresses of a GPU.
const MAX_SHARED_BYTES: u32 = 1 << 18;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SharedSymbol {
    pub(crate) name: String,
    /// Simulator address. Addresses of variables are far apart, so that overruns are detected.
    pub(crate) base: u32,
    /// Size in bytes; `None` for an array of length zero, whose size the launch determines.
    pub(crate) bytes: Option<u32>,
    /// For an allocation, (index of the variable that contains it, byte offset in the variable). `None` for a
    /// variable.
    pub(crate) part_of: Option<(usize, u32)>,
}

impl SharedSymbol {
    pub(crate) const fn address(&self) -> u32 {
        self.base & ((1 << SHARED_SYMBOL_LOG2) - 1)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum InitialContent {
    Bytes(Vec<u8>),
    ImplicitArguments,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GlobalSymbol {
    pub(crate) name: String,
    pub(crate) content: InitialContent,
    pub(crate) writable: bool,
}

/// A decoded kernel, which [`Launch::run`](crate::Launch::run) runs.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) name: String,
    pub(crate) params: Vec<Param>,
    pub(crate) blocks: Vec<BasicBlock>,
    pub(crate) ops: Vec<Arc<dyn Instruction>>,
    pub(crate) op_sites: Vec<u32>,
    pub(crate) sites: Vec<Site>,
    pub(crate) num_regs: u32,
    pub(crate) constants: Vec<(Reg, u64)>,
    pub(crate) shared: Vec<SharedSymbol>,
    pub(crate) globals: Vec<GlobalSymbol>,
    pub(crate) local_bytes: u32,
    /// Stack variables, as (byte offset, bytes).
    pub(crate) stack: Vec<(u32, u32)>,
    /// Registers that hold constant stack addresses, which differ between lanes.
    pub(crate) stack_addresses: Vec<Reg>,
    pub(crate) origins: PointsTo,
    pub(crate) product_sources: ProductSources,
    pub(crate) block_size: Option<[u32; 3]>,
    pub(crate) cluster: [u32; 3],
    /// True if a block can observe other blocks through atomic accesses or clocks.
    pub(crate) sees_other_blocks: bool,
    pub(crate) uses_async_proxy: bool,
    pub(crate) has_waits: bool,
    /// True if the program has barriers in which only some warps of a block take part. The warps then always run
    /// separately.
    pub(crate) has_named_barriers: bool,
    /// True if the program has atomic accesses or named barriers. The field `orders_threads` is true if an atomic
    /// access, a named barrier or a fence orders the other accesses of different threads.
    pub(crate) has_atomics: bool,
    pub(crate) orders_threads: bool,
}

impl Program {
    /// Returns the name of the kernel.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the parameters in the order of the arguments.
    pub fn params(&self) -> &[Param] {
        &self.params
    }

    /// Returns the threads per block along x, y and z, or `None` if the kernel does not specify them.
    pub fn block_size(&self) -> Option<[u32; 3]> {
        self.block_size
    }

    pub(crate) fn cluster(&self) -> [u32; 3] {
        self.cluster
    }

    /// Returns the index of the stack variable that contains byte `at` of a lane's stack, or `None` if no variable
    /// contains this byte.
    pub(crate) fn stack_variable(&self, at: usize) -> Option<u32> {
        let next = self
            .stack
            .partition_point(|(start, _)| *start as usize <= at);
        let number = next.checked_sub(1)?;
        let (start, bytes) = self.stack[number];
        (at < (start + bytes) as usize).then_some(number as u32)
    }

    pub(crate) fn site(&self, op: u32) -> &Site {
        &self.sites[self.op_sites[op as usize] as usize]
    }
}

#[derive(Debug)]
pub(crate) struct ProgramBuilder {
    name: String,
    params: Vec<Param>,
    blocks: Vec<Draft>,
    current: usize,
    num_regs: u32,
    constants: HashMap<u64, Reg>,
    constant_bits: HashMap<Reg, u64>,
    sites: Vec<Site>,
    site: u32,
    shared: Vec<SharedSymbol>,
    globals: Vec<GlobalSymbol>,
    local_bytes: u32,
    stack: Vec<(u32, u32)>,
    /// Maps (address, memory object of the address) to the register that holds this constant address.
    addresses: HashMap<(u64, MemoryObject), Reg>,
    roots: HashMap<Reg, (u64, MemoryObject)>,
    block_size: Option<[u32; 3]>,
    cluster: [u32; 3],
    sees_other_blocks: bool,
    uses_async_proxy: bool,
    has_waits: bool,
    has_named_barriers: bool,
    shared_bytes: u32,
    has_atomics: bool,
    orders_threads: bool,
    undefined: HashMap<(u32, u64), MarkUndefined>,
}

#[derive(Debug, Default)]
struct Draft {
    params: Vec<Reg>,
    ops: Vec<Arc<dyn Instruction>>,
    sites: Vec<u32>,
    terminator: Option<(Terminator, u32)>,
}

impl ProgramBuilder {
    /// Returns a builder without blocks. The first added block is the entry.
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            params: Vec::new(),
            blocks: Vec::new(),
            current: 0,
            num_regs: 0,
            constants: HashMap::new(),
            constant_bits: HashMap::new(),
            sites: vec![Site::default()],
            site: 0,
            shared: Vec::new(),
            globals: Vec::new(),
            local_bytes: 0,
            stack: Vec::new(),
            addresses: HashMap::new(),
            roots: HashMap::new(),
            block_size: None,
            cluster: [1; 3],
            sees_other_blocks: false,
            uses_async_proxy: false,
            has_waits: false,
            has_named_barriers: false,
            shared_bytes: 0,
            has_atomics: false,
            orders_threads: false,
            undefined: HashMap::new(),
        }
    }

    pub(crate) fn undefined(&mut self, kind: MarkKind, bits: u64, text: &'static str) -> Reg {
        let key = (self.site, bits);
        if let Some(known) = self.undefined.get(&key) {
            return known.reg;
        }
        let reg = self.reg();
        self.undefined
            .insert(key, MarkUndefined { reg, kind, text });
        reg
    }

    /// Returns true if `reg` holds the undefined value of lanes that a masked load skips.
    pub(crate) fn is_unset(&self, reg: Reg) -> bool {
        let mut known = self.undefined.values();
        known.any(|known| known.reg == reg && known.kind == MarkKind::Unset)
    }

    pub(crate) fn uses_async_proxy(&mut self) {
        self.uses_async_proxy = true;
    }

    pub(crate) fn sees_other_blocks(&mut self) {
        self.sees_other_blocks = true;
    }

    pub(crate) fn has_waits(&mut self) {
        self.has_waits = true;
    }

    /// Records that the program has barriers in which only some warps of a block take part. Block epochs cannot
    /// express their order, so vector clocks detect the races.
    pub(crate) fn has_named_barriers(&mut self) {
        self.has_named_barriers = true;
        self.has_atomics = true;
        self.orders_threads = true;
    }

    pub(crate) fn has_atomic(&mut self, space: Space, sync: Sync) {
        self.has_atomics = true;
        self.sees_other_blocks |= space != Space::Shared;
        self.orders_threads |= sync.acquires || sync.releases;
    }

    /// Records that the program has a fence. A fence, together with atomic accesses, orders the other accesses of
    /// different threads.
    pub(crate) fn orders_threads(&mut self) {
        self.orders_threads = true;
    }

    pub(crate) fn reg(&mut self) -> Reg {
        let reg = Reg(self.num_regs);
        self.num_regs += 1;
        reg
    }

    pub(crate) fn regs(&mut self, count: usize) -> Vec<Reg> {
        (0..count).map(|_| self.reg()).collect()
    }

    /// Returns a register that always holds `bits`.
    pub(crate) fn constant(&mut self, bits: u64) -> Reg {
        if let Some(&reg) = self.constants.get(&bits) {
            return reg;
        }
        let reg = self.reg();
        self.constants.insert(bits, reg);
        self.constant_bits.insert(reg, bits);
        reg
    }

    pub(crate) fn constant_of(&self, reg: Reg) -> Option<u64> {
        self.constant_bits.get(&reg).copied()
    }

    /// Returns a register that always holds the address `bits` in the object `root`.
    pub(crate) fn address(&mut self, bits: u64, root: MemoryObject) -> Reg {
        if let Some(&reg) = self.addresses.get(&(bits, root)) {
            return reg;
        }
        let reg = self.reg();
        self.addresses.insert((bits, root), reg);
        self.roots.insert(reg, (bits, root));
        reg
    }

    pub(crate) fn address_of(&self, reg: Reg) -> Option<(u64, MemoryObject)> {
        self.roots.get(&reg).copied()
    }

    pub(crate) fn param(&mut self, ty: ParamTy) -> Reg {
        let reg = self.reg();
        self.params.push(Param { reg, ty });
        reg
    }

    pub(crate) fn block(&mut self) -> BlockId {
        self.blocks.push(Draft::default());
        BlockId(self.blocks.len() as u32 - 1)
    }

    pub(crate) fn block_param(&mut self, block: BlockId) -> Reg {
        let reg = self.reg();
        self.blocks[block.0 as usize].params.push(reg);
        reg
    }

    pub(crate) fn switch_to(&mut self, block: BlockId) {
        self.current = block.0 as usize;
    }

    pub(crate) fn at(&mut self, site: Site) {
        self.sites.push(site);
        self.site = self.sites.len() as u32 - 1;
    }

    pub(crate) fn push(&mut self, op: impl Instruction) {
        let site = self.site;
        let block = &mut self.blocks[self.current];
        block.ops.push(Arc::new(op));
        block.sites.push(site);
    }

    pub(crate) fn terminate(&mut self, terminator: Terminator) {
        self.blocks[self.current].terminator = Some((terminator, self.site));
    }

    /// Adds a shared variable and returns its simulator address. The lowest bits of the address are the GPU
    /// address. A matrix descriptor contains only these bits.
    pub(crate) fn shared_symbol(&mut self, name: impl Into<String>, bytes: Option<u32>) -> u32 {
        let number = (self.shared.len() as u32) << SHARED_SYMBOL_LOG2;
        let base = number | self.shared_bytes.min(MAX_SHARED_BYTES);
        let end = self.shared_bytes.saturating_add(bytes.unwrap_or(0));
        self.shared_bytes = end.checked_next_multiple_of(SHARED_ALIGN).unwrap_or(end);
        self.shared.push(SharedSymbol {
            name: name.into(),
            base,
            bytes,
            part_of: None,
        });
        base
    }

    /// Adds an allocation at the address `at` in a shared variable. Returns the register with the address of the
    /// allocation, and the index of the allocation. Returns `None` if `at` is in no variable, or if all address ranges
    /// are used.
    pub(crate) fn shared_allocation(
        &mut self,
        name: String,
        at: u64,
        bytes: u32,
    ) -> Option<(Reg, u32)> {
        let number = u32::try_from(self.shared.len()).ok()?;
        let var = usize::try_from(at >> SHARED_SYMBOL_LOG2).ok()?;
        let symbol = self.shared.get(var)?;
        if number >= MAX_SHARED_SYMBOLS || symbol.part_of.is_some() {
            return None;
        }
        let address = at as u32 & ((1 << SHARED_SYMBOL_LOG2) - 1);
        let start = address.checked_sub(symbol.address())?;
        let base = number << SHARED_SYMBOL_LOG2 | address;
        self.shared.push(SharedSymbol {
            name,
            base,
            bytes: Some(bytes),
            part_of: Some((var, start)),
        });
        Some((
            self.address(base.into(), MemoryObject::Shared(number)),
            number,
        ))
    }

    pub(crate) fn global_symbol(&mut self, symbol: GlobalSymbol) -> u64 {
        self.globals.push(symbol);
        crate::memory::symbol_address(self.globals.len() - 1)
    }

    /// Adds a stack variable. Returns its byte offset on the stack of a lane, and its index.
    pub(crate) fn local(&mut self, bytes: u32, align: u32) -> (u32, u32) {
        let start = (self.local_bytes + STACK_GAP).next_multiple_of(align.max(1));
        self.local_bytes = start + bytes;
        self.stack.push((start, bytes));
        (start, self.stack.len() as u32 - 1)
    }

    pub(crate) fn set_block_size(&mut self, size: [u32; 3]) {
        self.block_size = Some(size);
    }

    pub(crate) fn set_cluster(&mut self, blocks: [u32; 3]) {
        self.cluster = blocks;
    }

    /// Validates the kernel, computes reconvergence points, and returns the program.
    ///
    /// # Errors
    /// A block lacks a terminator, an edge has a wrong number of values, a register is invalid, or an instruction
    /// writes a register that it reads.
    pub(crate) fn finish(mut self) -> Result<Program, KernelError> {
        let undefined = self.mark_undefined();
        let malformed = |text: String| KernelError::new(FaultKind::Malformed, text);
        if self.blocks.is_empty() {
            return Err(malformed("the kernel has no block".into()));
        }
        let arities: Vec<usize> = self.blocks.iter().map(|block| block.params.len()).collect();
        let check_edge = |edge: &Edge| match arities.get(edge.target.0 as usize) {
            None => Err(malformed(format!(
                "a branch targets block {}, which does not exist",
                edge.target.0
            ))),
            Some(&n) if n != edge.args.len() => Err(malformed(format!(
                "block {} has {n} arguments, but a branch passes {}",
                edge.target.0,
                edge.args.len()
            ))),
            Some(_) => Ok(()),
        };
        let mut ops = Vec::new();
        let mut op_sites = Vec::new();
        let mut blocks = Vec::with_capacity(self.blocks.len());
        for (index, draft) in self.blocks.into_iter().enumerate() {
            let start = ops.len() as u32;
            for (op, &site) in draft.ops.iter().zip(&draft.sites) {
                if let Some(problem) = check_op(&**op, self.num_regs) {
                    return Err(malformed(problem).at(self.sites[site as usize].clone()));
                }
            }
            ops.extend(draft.ops);
            op_sites.extend(draft.sites);
            let Some((terminator, site)) = draft.terminator else {
                return Err(malformed(format!("block {index} has no terminator")));
            };
            terminator.edges().into_iter().try_for_each(check_edge)?;
            let end = ops.len() as u32;
            let params = draft.params;
            blocks.push(BasicBlock {
                params,
                start,
                end,
                terminator,
                reconverge: None,
                site,
                order: 0,
            });
        }
        let successors = successors(&blocks);
        let meets = post_dominators(&successors);
        for (block, meet) in blocks.iter_mut().zip(meets) {
            block.reconverge = meet;
        }
        for (order, index) in graph::reverse_post_order(0, &successors)
            .into_iter()
            .enumerate()
        {
            blocks[index].order = order as u32;
        }
        let origins = PointsTo::of(&blocks, &ops, &self.params, &self.roots, self.num_regs);
        let product_sources = ProductSources::of(&blocks, &ops);
        let on_stack = |root: &MemoryObject| matches!(root, MemoryObject::Stack(_));
        let stack_addresses = self.roots.iter().filter(|(_, (_, root))| on_stack(root));
        let mut stack_addresses: Vec<Reg> = stack_addresses.map(|(reg, _)| *reg).collect();
        stack_addresses.sort_unstable();
        let mut constants: Vec<(Reg, u64)> = self
            .constants
            .into_iter()
            .chain(undefined)
            .map(|(bits, reg)| (reg, bits))
            .chain(self.roots.into_iter().map(|(reg, (bits, _))| (reg, bits)))
            .collect();
        constants.sort_unstable();
        Ok(Program {
            name: self.name,
            params: self.params,
            blocks,
            ops,
            op_sites,
            sites: self.sites,
            num_regs: self.num_regs,
            constants,
            shared: self.shared,
            globals: self.globals,
            local_bytes: self.local_bytes,
            stack: self.stack,
            stack_addresses,
            origins,
            product_sources,
            block_size: self.block_size,
            cluster: self.cluster,
            sees_other_blocks: self.sees_other_blocks,
            uses_async_proxy: self.uses_async_proxy,
            has_waits: self.has_waits,
            has_named_barriers: self.has_named_barriers,
            has_atomics: self.has_atomics,
            orders_threads: self.orders_threads,
        })
    }

    /// Inserts instructions at the start of the entry block that mark every undefined register that the kernel
    /// reads. Returns (bits that the register holds, register) for every undefined register, even if the kernel
    /// does not read it.
    fn mark_undefined(&mut self) -> Vec<(u64, Reg)> {
        let mut undefined: Vec<_> = self.undefined.drain().collect();
        if undefined.is_empty() {
            return Vec::new();
        }
        let mut is_read = vec![false; self.num_regs as usize];
        for block in &self.blocks {
            let ends = block.terminator.iter().flat_map(|(end, _)| end.reads());
            let reads = block.ops.iter().flat_map(|op| op.regs().reads);
            for reg in ends.chain(reads) {
                is_read[reg.0 as usize] = true;
            }
        }
        undefined.sort_unstable_by_key(|(_, undefined)| std::cmp::Reverse(undefined.reg));
        let mut constants = Vec::new();
        for ((site, bits), undefined) in undefined {
            constants.push((bits, undefined.reg));
            if let Some(entry) = self.blocks.first_mut()
                && is_read[undefined.reg.0 as usize]
            {
                entry.ops.insert(0, Arc::new(undefined));
                entry.sites.insert(0, site);
            }
        }
        constants
    }
}

fn check_op(op: &dyn Instruction, num_regs: u32) -> Option<String> {
    let Regs { writes, reads } = op.regs();
    if let Some(reg) = writes.iter().chain(&reads).find(|reg| reg.0 >= num_regs) {
        return Some(format!("register {} does not exist", reg.0));
    }
    let both = writes.iter().find(|reg| reads.contains(reg))?;
    Some(format!(
        "register {} is read and written by one instruction",
        both.0
    ))
}

fn successors(blocks: &[BasicBlock]) -> Vec<Vec<usize>> {
    let targets = |block: &BasicBlock| {
        let edges = block.terminator.edges();
        edges.iter().map(|edge| edge.target.0 as usize).collect()
    };
    blocks.iter().map(targets).collect()
}

/// Returns the immediate post-dominator of each block; `None` if the paths from the block never rejoin.
///
/// Computed as dominators of the reversed graph, with a virtual exit node as its entry.
fn post_dominators(successors: &[Vec<usize>]) -> Vec<Option<BlockId>> {
    let exit = successors.len();
    let mut reversed = vec![Vec::new(); exit + 1];
    for (block, next) in successors.iter().enumerate() {
        if next.is_empty() {
            reversed[exit].push(block);
        }
        for &to in next {
            reversed[to].push(block);
        }
    }
    let mut dominators = graph::immediate_dominators(exit, &reversed);
    dominators.truncate(exit);
    let as_block = |d: usize| (d < exit).then_some(BlockId(d as u32));
    dominators
        .into_iter()
        .map(|d| d.and_then(as_block))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Move;

    fn edge(target: u32) -> Edge {
        Edge {
            target: BlockId(target),
            args: Box::new([]),
        }
    }

    #[test]
    fn a_diamond_meets_at_its_end_and_a_loop_at_its_exit() {
        let mut b = ProgramBuilder::new("k");
        let cond = b.reg();
        for _ in 0..6 {
            b.block();
        }
        let ends = [
            Terminator::CondBranch {
                cond,
                then: edge(1),
                other: edge(2),
            },
            Terminator::Branch(edge(3)),
            Terminator::Branch(edge(3)),
            Terminator::CondBranch {
                cond,
                then: edge(3),
                other: edge(4),
            },
            Terminator::CondBranch {
                cond,
                then: edge(5),
                other: edge(4),
            },
            Terminator::Return,
        ];
        for (index, end) in ends.into_iter().enumerate() {
            b.switch_to(BlockId(index as u32));
            b.terminate(end);
        }
        let program = b.finish().unwrap();
        let meets: Vec<Option<u32>> = program
            .blocks
            .iter()
            .map(|block| block.reconverge.map(|b| b.0))
            .collect();
        assert_eq!(meets, [Some(3), Some(3), Some(3), Some(4), Some(5), None]);
    }

    #[test]
    fn bad_programs_are_refused() {
        let mut b = ProgramBuilder::new("k");
        b.block();
        let reg = b.reg();
        b.push(Move { dst: reg, src: reg });
        b.terminate(Terminator::Return);
        let error = b.finish().unwrap_err();
        assert_eq!(
            error.message(),
            "register 0 is read and written by one instruction"
        );
        let mut b = ProgramBuilder::new("k");
        b.block();
        assert_eq!(
            b.finish().unwrap_err().message(),
            "block 0 has no terminator"
        );
    }
}
