//! Histogram steps: ballots, and atomic additions in shared memory.

use super::ProgramEmitter;
use crate::ir::builders::llvm;
use crate::ir::ops::{MemSemantic, MemSyncScope, RMWOp};
use crate::lower::gpu::{AtomicAccess, AtomicAction, AtomicMemory, CachePolicy};
use crate::lower::memory::AccessGroups;
use crate::sys::build::Val;
use linear_layout::plan::program::{BinBit, Vote};
use melior::ir::ValueLike;

impl<'c> ProgramEmitter<'_, 'c> {
    pub(super) fn atomic_add(
        &mut self,
        pointer: Val<'c>,
        value: Val<'c>,
        mask: Option<Val<'c>>,
        guard: Option<u32>,
    ) {
        let guard = guard.map(|guard| self.predicate(guard));
        let l = &mut *self.l;
        let mask = match (mask, guard) {
            (Some(mask), Some(guard)) => Some(l.e.and(mask, guard)),
            (mask, guard) => mask.or(guard),
        };
        let (accesses, cache) = (AccessGroups::scalar(value.r#type()), CachePolicy::default());
        let access = AtomicAccess {
            at: accesses.global(pointer, mask, &cache, false),
            memory: AtomicMemory::Shared,
            sem: MemSemantic::Relaxed,
            scope: MemSyncScope::Cta,
            is_used: false,
        };
        let action = AtomicAction::Rmw(RMWOp::Add, value);
        l.gpu.atomic(&mut l.e, &access, action);
    }

    /// For each bin of this lane, counts the elements of the warp that fall into the bin. Adds the counts to `acc`
    /// and returns the sums.
    pub(super) fn count_votes(
        &mut self,
        vote: &Vote,
        bin: Val<'c>,
        mask: Option<Val<'c>>,
        acc: &[Val<'c>],
    ) -> Vec<Val<'c>> {
        let l = &mut *self.l;
        let lanes = l.gpu.target.lanes;
        let word = l.e.int_type(lanes);
        let own_lane = l.gpu.lane(&mut l.e);
        let owners = (0..lanes).filter(|lane| lane & vote.copies == 0);
        let owners = owners.fold(0u64, |mask, lane| mask | 1 << lane);
        let all_lanes = u64::MAX >> (64 - lanes);
        let owners_mask = l.e.constant(word, owners.cast_signed());
        let mut matching = match mask {
            Some(mask) => {
                let voters = l.gpu.ballot(&mut l.e, mask);
                if owners == all_lanes {
                    voters
                } else {
                    l.e.and(voters, owners_mask)
                }
            }
            None => owners_mask,
        };
        let mut of_registers = Vec::new();
        for (i, place) in (0u32..).zip(&vote.bin_bits) {
            let bit = l.e.i32(1 << i);
            let bit = l.e.and(bin, bit);
            let is_set = l.e.is_nonzero(bit);
            let votes = l.gpu.ballot(&mut l.e, is_set);
            match place {
                BinBit::Lane(bit) => {
                    // Inverts the votes where the lane's own bit is clear.
                    let own = l.e.i32(1 << bit);
                    let own = l.e.and(own_lane, own);
                    let is_clear = l.e.is_zero(own);
                    let inversion = l.e.sext(is_clear, word);
                    let agree = l.e.xor(votes, inversion);
                    matching = l.e.and(matching, agree);
                }
                BinBit::Register(_) => of_registers.push(votes),
            }
        }
        let mut parts = vec![matching];
        for votes in of_registers {
            let all = l.e.constant(word, -1);
            let others = l.e.xor(votes, all);
            let clear: Vec<Val<'c>> = parts.iter().map(|p| l.e.and(*p, others)).collect();
            let set: Vec<Val<'c>> = parts.iter().map(|p| l.e.and(*p, votes)).collect();
            parts = [clear, set].concat();
        }
        let i32 = l.e.types.i32;
        let counts = parts.into_iter().enumerate().map(|(i, part)| {
            let found = l.e.pure(llvm::intr_ctpop(part));
            let found = if lanes > 32 {
                l.e.trunc(found, i32)
            } else {
                found
            };
            match acc.get(i) {
                Some(count) => l.e.add(*count, found),
                None => found,
            }
        });
        counts.collect()
    }
}
