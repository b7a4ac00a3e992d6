//! Instruction scheduling within basic blocks of LLVM IR, to reduce register pressure for `ptxas`.
//!
//! Tensor operations become one instruction per register, so a chain of operations keeps whole intermediate tensors
//! live. `ptxas` starts from the order in the PTX, and spills if the registers do not suffice. Measurements:
//! `tools/docs/adr/0037-order-by-registers.md`.
//!
//! [`Schedule::choose`] compares the peak of live registers for the given order and a few others. Loads, stores,
//! barriers and shuffles keep their relative order. If the best peak exceeds the registers of a thread,
//! [`order_instructions`] makes `ptxas` aim at one thread block per multiprocessor. Otherwise `ptxas` limits some
//! spilling kernels to 32 registers per thread. AMD's back end schedules for registers itself.

use crate::sys::{BlockInstruction, BlockOrder};
use inkwell::attributes::AttributeLoc;
use inkwell::module::Module;

/// The instruction order of a block may change only if its peak of live registers is above this number. Up to this
/// peak, the given order is better: dependent instructions are further apart, which hides latency. `ptxas` needs fewer
/// registers than that, as addresses become immediates.
const MIN_PEAK: u32 = 72;

/// Addressable 32-bit registers per thread on NVIDIA GPUs.
const MAX_REGISTERS: u32 = 255;

/// Function attributes by which a user limits the number of registers. `ptxas` accepts only one of them.
const BOUNDS: [&str; 2] = ["nvvm.maxnreg", "nvvm.minctasm"];

pub(super) fn order_instructions(module: &Module<'_>) {
    for function in module.get_functions() {
        let mut peak = 0;
        for block in function.get_basic_block_iter() {
            let block = BlockOrder::new(block);
            let schedule = Schedule(block.instructions());
            let (order, needed) = schedule.choose();
            peak = peak.max(needed);
            if let Some(order) = order {
                block.set(&order);
            }
        }
        let place = AttributeLoc::Function;
        let is_bounded = BOUNDS
            .iter()
            .any(|name| function.get_string_attribute(place, name).is_some());
        if peak > MAX_REGISTERS && !is_bounded {
            let one_block = module
                .get_context()
                .create_string_attribute("nvvm.minctasm", "1");
            function.add_attribute(place, one_block);
        }
    }
}

/// A basic block to schedule. Orders are permutations of instruction indices.
struct Schedule<'a>(&'a [BlockInstruction]);

impl Schedule<'_> {
    /// Returns the order with the lowest peak of live registers, and this peak. The order is `None` if the given
    /// order is best.
    fn choose(&self) -> (Option<Vec<u32>>, u32) {
        let given: Vec<u32> = (0..).take(self.0.len()).collect();
        let limit = self.peak(&given);
        if limit <= MIN_PEAK {
            return (None, limit);
        }
        // The first candidate computes each value right before its first user. Later candidates also fix the
        // instructions that free registers in the previous order.
        let mut orders = vec![self.arranged(|at| !self.0[at].is_movable)];
        let mut reducing = given;
        for _ in 0..2 {
            reducing = self.arranged(self.frees_registers_in(&reducing));
            orders.push(reducing.clone());
        }
        let peaks = orders.iter().map(|order| self.peak(order));
        let best = peaks.enumerate().min_by_key(|&(_, peak)| peak);
        match best {
            Some((at, peak)) if peak < limit => (Some(orders.swap_remove(at)), peak),
            _ => (None, limit),
        }
    }

    /// Returns an order in which each instruction is directly in front of its first user. Instructions for which
    /// `is_fixed` returns true keep their relative order.
    fn arranged(&self, is_fixed: impl Fn(usize) -> bool) -> Vec<u32> {
        let count = self.0.len();
        let Some(terminator) = count.checked_sub(1) else {
            return Vec::new();
        };
        let mut order = Vec::with_capacity(count);
        let mut is_placed = vec![false; count];
        let mut waiting = Vec::new();
        // Values used only in other blocks come last.
        let fixed = (0..terminator).filter(|&at| is_fixed(at));
        for root in fixed.chain(0..count) {
            waiting.push(root);
            while let Some(&at) = waiting.last() {
                let first = waiting.len();
                if !is_placed[at] {
                    let missing = self.operands(at).filter(|&operand| !is_placed[operand]);
                    waiting.extend(missing);
                    waiting[first..].reverse();
                }
                if waiting.len() == first {
                    waiting.pop();
                    if !std::mem::replace(&mut is_placed[at], true) {
                        order.push(u32::try_from(at).expect("positions have 32 bits"));
                    }
                }
            }
        }
        order
    }

    /// Returns a predicate on instruction indices. It is true for an instruction that must not move. It is also
    /// true for an instruction that, in `order`, is the last user of values with more registers than the
    /// instruction defines.
    fn frees_registers_in(&self, order: &[u32]) -> impl Fn(usize) -> bool {
        let mut freed: Vec<u32> = vec![0; self.0.len()];
        for (value, user) in self.last_users(order).into_iter().enumerate() {
            if let Some(user) = user {
                freed[user] += self.0[value].registers;
            }
        }
        move |at| !self.0[at].is_movable || freed[at] > self.0[at].registers
    }

    /// Returns the last user of each value in an order, or `None` for live-out and unused values.
    fn last_users(&self, order: &[u32]) -> Vec<Option<usize>> {
        let mut last = vec![None; self.0.len()];
        for at in order.iter().map(|&at| at as usize) {
            for operand in self.operands(at) {
                if !self.0[operand].is_live_out {
                    last[operand] = Some(at);
                }
            }
        }
        last
    }

    fn peak(&self, order: &[u32]) -> u32 {
        let mut freed: Vec<u32> = vec![0; self.0.len()];
        for (value, user) in self.last_users(order).into_iter().enumerate() {
            let instruction = &self.0[value];
            if !instruction.is_live_out {
                freed[user.unwrap_or(value)] += instruction.registers;
            }
        }
        let (mut live, mut peak) = (0, 0);
        for at in order.iter().map(|&at| at as usize) {
            live += self.0[at].registers;
            peak = peak.max(live);
            live -= freed[at];
        }
        peak
    }

    fn operands(&self, at: usize) -> impl Iterator<Item = usize> {
        let operands = self.0[at].operands.iter();
        operands.map(|&operand| operand as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split_mix::Random;

    fn value(operands: &[u32], is_movable: bool) -> BlockInstruction {
        BlockInstruction {
            operands: operands.to_vec(),
            registers: 1,
            is_movable,
            is_live_out: false,
        }
    }

    /// Builds `count` loads, two dependent operations on each loaded value, and a store of each result.
    fn elementwise(count: u32) -> Vec<BlockInstruction> {
        let loads = (0..count).map(|_| value(&[], false));
        let first = (0..count).map(|at| value(&[at], true));
        // The second operation has another operand with a single use.
        let other = (0..count).map(|_| value(&[], true));
        let second = (0..count).map(|at| value(&[count + at, 2 * count + at], true));
        let stores = (0..count).map(|at| BlockInstruction {
            registers: 0,
            ..value(&[3 * count + at, at], false)
        });
        let end = BlockInstruction {
            registers: 0,
            ..value(&[], false)
        };
        let all = loads.chain(first).chain(other).chain(second).chain(stores);
        all.chain([end]).collect()
    }

    #[test]
    fn temporaries_of_one_element_at_a_time_are_live() {
        let block = elementwise(64);
        let schedule = Schedule(&block);
        let given: Vec<u32> = (0..).take(block.len()).collect();
        assert_eq!(schedule.peak(&given), 3 * 64 + 1);
        let (order, peak) = schedule.choose();
        assert_eq!(peak, 64 + 3);
        assert_eq!(schedule.peak(&order.unwrap()), peak);
    }

    #[test]
    fn what_fits_keeps_its_order() {
        assert_eq!(Schedule(&elementwise(16)).choose(), (None, 3 * 16 + 1));
        assert_eq!(Schedule(&[]).choose(), (None, 0));
    }

    #[test]
    fn a_sum_stays_with_its_terms() {
        // Pairs of loads whose sum is used at the end: late sums would keep both terms live.
        let mut block = Vec::new();
        for pair in 0..80 {
            block.extend([value(&[], false), value(&[], false)]);
            block.push(value(&[3 * pair, 3 * pair + 1], true));
        }
        let sums: Vec<u32> = (0..80).map(|pair| 3 * pair + 2).collect();
        block.push(value(&sums, false));
        assert_eq!(Schedule(&block).choose(), (None, 82));
    }

    #[test]
    fn orders_of_random_blocks_are_valid_and_no_worse() {
        let mut random = Random(37);
        let mut below = |end: u32| u32::try_from(random.below(end.into())).unwrap();
        for _ in 0..300 {
            let count = 2 + below(200);
            let mut block: Vec<BlockInstruction> = Vec::new();
            for at in 0..count {
                block.push(BlockInstruction {
                    operands: (0..below(4).min(at)).map(|_| below(at)).collect(),
                    registers: below(5),
                    is_movable: at + 1 < count && below(3) > 0,
                    is_live_out: below(9) == 0,
                });
            }
            let count = block.len();
            let schedule = Schedule(&block);
            let given: Vec<u32> = (0..).take(count).collect();
            let before = schedule.peak(&given);
            let (order, peak) = schedule.choose();
            let Some(order) = order else {
                assert_eq!(peak, before);
                continue;
            };
            assert!(peak < before);
            let mut places = vec![None; count];
            for (place, &at) in order.iter().enumerate() {
                let at = at as usize;
                assert!(
                    schedule
                        .operands(at)
                        .all(|operand| places[operand].is_some())
                );
                assert_eq!(places[at].replace(place), None);
            }
            assert_eq!(order.len(), count);
            assert_eq!(order.last().map(|&at| at as usize), Some(count - 1));
            let fixed: Vec<_> = (0..count).filter(|&at| !block[at].is_movable).collect();
            assert!(fixed.iter().map(|&at| places[at]).is_sorted());
        }
    }
}
