//! Textual form of programs, with one line per step.

use core::fmt;

use crate::target::Fragment;

use super::{
    Address, BarrierScope, LaneMap, MemorySpace, Operands, Predicate, Program, ScaleWord, Step,
};

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_size(f)?;
        self.fmt_steps(f)
    }
}

impl Program {
    /// Writes the first line of the textual form: the numbers of registers, lanes and warps, the size of the
    /// scratch memory, and the cost.
    pub(crate) fn fmt_size(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} -> {} registers of {} bits, {} lanes, {} warps, {} bytes of shared memory, {}",
            self.num_sources,
            self.results.len(),
            self.widths
                .iter()
                .map(u32::to_string)
                .collect::<Vec<_>>()
                .join(", "),
            1u32 << self.lanes_log2,
            1u32 << self.warps_log2,
            self.scratch_bytes,
            self.cost,
        )
    }

    /// Writes the tables of address bases, lane maps and matrix instructions, then the steps, and then the results.
    pub(crate) fn fmt_steps(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, base) in self.address_bases.iter().enumerate() {
            write!(f, "  address {i}: thread bits -> bytes {:?}", base.columns)?;
            match base.space {
                MemorySpace::Scratch => {}
                MemorySpace::Buffer => write!(f, " of the buffer")?,
                MemorySpace::Cluster => write!(
                    f,
                    " of the cluster, with the rank of the CTA from bit {} on",
                    Address::CTA_SHIFT
                )?,
            }
            for gap in &base.gaps {
                let [interval, padding] =
                    [gap.interval_log2, gap.padding_log2].map(|log2| 1u64 << log2);
                write!(f, ", {padding} skipped after every {interval}")?;
            }
            match base.start {
                0 => writeln!(f)?,
                start => writeln!(f, " + {start}")?,
            }
        }
        for (i, map) in self.lane_maps.iter().enumerate() {
            match map {
                LaneMap::Linear(columns) => {
                    writeln!(f, "  lanes {i}: lane bits -> lane {columns:?}")?;
                }
                LaneMap::Fixed { mask, bits } => writeln!(f, "  lanes {i}: {bits} in bits {mask}")?,
                LaneMap::Before { mask } => writeln!(f, "  lanes {i}: before in bits {mask}")?,
                LaneMap::After { mask } => writeln!(f, "  lanes {i}: after in bits {mask}")?,
            }
        }
        for (i, row) in self.rows.iter().enumerate() {
            let [m, n, k] = row.sizes();
            writeln!(f, "  row {i}: {}, {m} x {n} x {k}", row.name)?;
        }
        for step in &self.steps {
            write!(f, "  ")?;
            self.fmt_step(f, step)?;
            writeln!(f)?;
        }
        write!(f, "  results")?;
        // Runs of consecutive values are abbreviated as %0..%7.
        let mut i = 0;
        while i < self.results.len() {
            let start = self.results[i];
            let mut n = 1;
            while i + n < self.results.len() && self.results[i + n].0 as usize == start.index() + n
            {
                n += 1;
            }
            match n {
                1 => write!(f, " {start}")?,
                _ => write!(f, " {start}..%{}", start.index() + n - 1)?,
            }
            i += n;
        }
        writeln!(f)
    }

    fn fmt_list(&self, f: &mut fmt::Formatter<'_>, list: Operands) -> fmt::Result {
        for (i, v) in self.operands(list).iter().enumerate() {
            write!(f, "{}{v}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }

    fn fmt_address(&self, f: &mut fmt::Formatter<'_>, a: &Address) -> fmt::Result {
        if !a.numbers.is_empty() {
            write!(f, "[(address {} ^ {}", a.base, a.xor)?;
            for number in self.operands(a.numbers) {
                write!(f, " ^ {number}")?;
            }
            return write!(f, ") + {}]", a.add);
        }
        match (a.xor, a.add) {
            (0, 0) => write!(f, "[address {}]", a.base),
            (0, add) => write!(f, "[address {} + {add}]", a.base),
            (xor, 0) => write!(f, "[address {} ^ {xor}]", a.base),
            (xor, add) => write!(f, "[(address {} ^ {xor}) + {add}]", a.base),
        }
    }

    fn fmt_predicate(&self, f: &mut fmt::Formatter<'_>, index: u32) -> fmt::Result {
        let mask = match self.predicates[index as usize] {
            Predicate::Parity(mask) => mask,
            Predicate::Clear(mask) => return write!(f, "thread & {mask} == 0"),
            Predicate::Differs { mask, first: 0 } if mask.is_power_of_two() => mask,
            Predicate::Differs { mask, first } => {
                return write!(f, "thread & {mask} != {first}");
            }
        };
        let lanes = (1u32 << self.lanes_log2) - 1;
        let mut first = true;
        for (name, bits) in [("lane", mask & lanes), ("warp", mask >> self.lanes_log2)] {
            if bits != 0 {
                write!(f, "{}{name} & {bits}", if first { "" } else { " ^ " })?;
                first = false;
            }
        }
        Ok(())
    }

    fn fmt_step(&self, f: &mut fmt::Formatter<'_>, step: &Step) -> fmt::Result {
        match *step {
            Step::Pack { out, parts } => {
                write!(f, "{out} = pack ")?;
                self.fmt_list(f, parts)
            }
            Step::Unpack {
                first,
                count,
                value,
            } => {
                write!(f, "{first}..%{} = unpack {value}", first.0 + count - 1)
            }
            Step::Select {
                out,
                predicate,
                if_set,
                if_clear,
            } => {
                write!(f, "{out} = select ")?;
                self.fmt_predicate(f, predicate)?;
                write!(f, " ? {if_set} : {if_clear}")
            }
            Step::Zero { out } => write!(f, "{out} = 0"),
            Step::One { out, of } => write!(f, "{out} = 1 for {of}"),
            Step::AtomicAdd {
                address,
                value,
                mask,
                guard,
            } => {
                write!(f, "add ")?;
                self.fmt_address(f, &address)?;
                write!(f, " += {value}")?;
                if let Some(mask) = mask {
                    write!(f, " if {mask}")?;
                }
                let Some(guard) = guard else { return Ok(()) };
                write!(f, " where ")?;
                self.fmt_predicate(f, guard)
            }
            Step::CountVotes {
                first,
                count,
                vote,
                bin,
                mask,
                acc,
            } => {
                match count {
                    1 => write!(f, "{first} = ")?,
                    _ => write!(f, "{first}..%{} = ", first.0 + count - 1)?,
                }
                write!(f, "votes {vote} on {bin}")?;
                if let Some(mask) = mask {
                    write!(f, " if {mask}")?;
                }
                if !acc.is_empty() {
                    write!(f, " plus ")?;
                }
                self.fmt_list(f, acc)
            }
            Step::Compute {
                first,
                count,
                map,
                inputs,
            } => {
                match count {
                    1 => write!(f, "{first} = ")?,
                    _ => write!(f, "{first}..%{} = ", first.0 + count - 1)?,
                }
                write!(f, "index {map} of lane, warp, ")?;
                self.fmt_list(f, inputs)
            }
            Step::SelectBit {
                out,
                number,
                bit,
                if_set,
                if_clear,
            } => {
                write!(
                    f,
                    "{out} = select bit {bit} of {number} ? {if_set} : {if_clear}"
                )
            }
            Step::ShuffleAt {
                out,
                value,
                lane,
                lane_xor,
            } => {
                write!(f, "{out} = shuffle {value} from lane {lane} ^ {lane_xor}")
            }
            Step::ShuffleXor {
                out,
                value,
                lane_mask,
            } => {
                write!(f, "{out} = shuffle {value} from lane ^ {lane_mask}")
            }
            Step::ShuffleIndex {
                out,
                value,
                map,
                lane_xor: 0,
            } => {
                write!(f, "{out} = shuffle {value} from lanes {map}")
            }
            Step::ShuffleIndex {
                out,
                value,
                map,
                lane_xor,
            } => {
                write!(f, "{out} = shuffle {value} from lanes {map} ^ {lane_xor}")
            }
            Step::TransposeMatrix { out, value } => {
                write!(f, "{out} = transpose {value} as a matrix")
            }
            Step::SwapLanes {
                first,
                low,
                high,
                lane_bit,
            } => {
                write!(
                    f,
                    "{first}, %{} = swap lane bit {lane_bit} of {low}, {high}",
                    first.0 + 1
                )
            }
            Step::Store {
                address,
                values,
                guard,
            } => {
                write!(f, "store ")?;
                self.fmt_address(f, &address)?;
                write!(f, " = ")?;
                self.fmt_list(f, values)?;
                let Some(guard) = guard else { return Ok(()) };
                write!(f, " where ")?;
                self.fmt_predicate(f, guard)
            }
            Step::Load {
                address,
                first,
                count,
                words,
            } => {
                match count {
                    1 => write!(f, "{first} = load ")?,
                    _ => write!(f, "{first}..%{} = load ", first.0 + count - 1)?,
                }
                self.fmt_address(f, &address)?;
                write!(f, "{}", if words { " (words)" } else { "" })
            }
            Step::StoreMatrices {
                address,
                values,
                fragment,
            } => {
                write!(f, "store {} ", matrices(fragment))?;
                self.fmt_address(f, &address)?;
                write!(f, " = ")?;
                self.fmt_list(f, values)
            }
            Step::LoadMatrices {
                address,
                first,
                count,
                fragment,
            } => {
                match count {
                    1 => write!(f, "{first} = ")?,
                    _ => write!(f, "{first}..%{} = ", first.0 + count - 1)?,
                }
                write!(f, "load {} ", matrices(fragment))?;
                self.fmt_address(f, &address)
            }
            Step::Combine {
                first, acc, other, ..
            } => {
                match acc.len {
                    1 => write!(f, "{first} = combine ")?,
                    n => write!(f, "{first}..%{} = combine ", first.0 + n - 1)?,
                }
                self.fmt_list(f, acc)?;
                write!(f, " with ")?;
                self.fmt_list(f, other)
            }
            Step::ReduceLanes { out, value, .. } => {
                write!(f, "{out} = {value} of all lanes combined")
            }
            Step::Mma {
                first,
                acc,
                a,
                b,
                scales,
                row,
            } => {
                match acc.len {
                    1 => write!(f, "{first} = mma row {row} of ")?,
                    n => write!(f, "{first}..%{} = mma row {row} of ", first.0 + n - 1)?,
                }
                for (list, scales, next) in [(a, scales[0], " and "), (b, scales[1], " plus ")] {
                    self.fmt_list(f, list)?;
                    if let Some(ScaleWord { word, selector }) = scales {
                        write!(f, " scaled by {word} at {selector}")?;
                    }
                    write!(f, "{next}")?;
                }
                self.fmt_list(f, acc)
            }
            Step::Barrier(BarrierScope::Warp) => write!(f, "barrier warp"),
            Step::Barrier(BarrierScope::Block) => write!(f, "barrier block"),
            Step::Barrier(BarrierScope::Cluster) => write!(f, "barrier cluster"),
        }
    }
}

const fn matrices(fragment: Fragment) -> &'static str {
    use Fragment as F;
    match fragment {
        F::Plain => "matrices",
        F::Transposed | F::Read16 | F::Load16 => "transposed matrices",
        F::LoadedBytes | F::StoredBytes | F::Read8 | F::Load8 => "transposed matrices of bytes",
    }
}
