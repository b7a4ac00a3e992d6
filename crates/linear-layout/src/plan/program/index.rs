//! Index arithmetic: a linear map of run-time bits as straight-line code.
//!
//! The lane and warp numbers are known only at run time, so a kernel computes the offset of a thread's element with
//! masks, shifts and ors. [`IndexProgram`] represents this computation as plain data. A lowering emits one instruction
//! per [`IndexOp`], and the tests evaluate the program and compare the results with the layout.
//!
//! # Example
//! Lane bits 0 and 1 map to offset bits 2 and 3. Lane bit 2 maps to offset bits 0 and 2, as in a swizzle:
//! ```
//! use linear_layout::plan::program::{IndexOp, IndexProgram};
//! let program = IndexProgram::new(&[3], &[vec![4, 8, 5]]);
//! // Bits on one diagonal (row - column) of the matrix move together: one mask and one shift for both;
//! // a bit with several destinations is multiplied.
//! assert_eq!(program.to_string(), "\
//! %0 = input 0 (3 bits)
//! %1 = and %0, 0x3
//! %2 = shl %1, 2
//! %3 = shr %0, 2
//! %4 = mul %3, 0x5
//! %5 = xor %2, %4
//! -> %5
//! ");
//! ```
//!
//! # Laws
//! - `evaluate` computes the given linear map (property `program_is_the_map`).
//! - A program never has more operations than naive code, which moves one bit at a time (property
//!   `never_worse_than_bit_by_bit`).
//!
//! # Source
//! The algorithm is Triton's `matrixVectorProd`. In addition, masks that a shift makes redundant are omitted, outputs
//! share terms, and several decompositions of the matrix are compared.

use crate::number::narrow;
use core::fmt;

use crate::layout::{Dim, LinearLayout};

/// A node of an index program: the index of its operation in [`IndexProgram::ops`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct IndexNode(pub u32);

impl IndexNode {
    /// Returns the node as an index into [`IndexProgram::ops`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operation of an index program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IndexOp {
    /// A run-time input. Only the lowest `bits` bits of its value can be set.
    Input {
        /// Index of the input among the inputs of the program.
        input: u32,
        /// Number of low bits that can be set.
        bits: u32,
    },
    /// A constant, currently always 0. It is the value of an output that depends on no input.
    Constant(u64),
    /// Bitwise and with a constant.
    And {
        /// Value to mask.
        value: IndexNode,
        /// Mask of the bits that are kept.
        mask: u64,
    },
    /// Logical shift left.
    Shl {
        /// Value to shift.
        value: IndexNode,
        /// Number of bit positions by which the value is shifted.
        by: u32,
    },
    /// Logical shift right.
    Shr {
        /// Value to shift.
        value: IndexNode,
        /// Number of bit positions by which the value is shifted.
        by: u32,
    },
    /// Product with a constant. The other factor has at most one set bit, so the product copies this bit to several
    /// bit positions without carries.
    Mul {
        /// Value to multiply, which is either 0 or one fixed power of two.
        value: IndexNode,
        /// Constant factor.
        by: u64,
    },
    /// Bitwise or of two values that never have a set bit in common. A lowering may emit `or disjoint` or an
    /// addition.
    Or(IndexNode, IndexNode),
    /// Exclusive or of two values that may have set bits in common.
    Xor(IndexNode, IndexNode),
}

/// The operation that combines a constant with a run-time value: the result of [`IndexProgram::join`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Join {
    /// No operation, because the constant is 0.
    Nothing,
    /// An addition, or an immediate offset of an access. No bit can be set in both the constant and the run-time
    /// value.
    Add,
    /// An exclusive or. The same bit may be set in both the constant and the run-time value.
    Xor,
}

/// Straight-line code that computes a linear map (over GF(2)) of run-time integers.
///
/// # Shape
/// The inputs are integers, each with a fixed number of bits. The outputs are integers, one per output dim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexProgram {
    ops: Vec<IndexOp>,
    outputs: Vec<IndexNode>,
    /// For each node, the mask of the bits that may be set in its value.
    possible: Vec<u64>,
}

impl IndexProgram {
    /// Builds the program that computes a linear map, which is given by its columns.
    ///
    /// `input_bits[i]` is the width of input `i` in bits. `outputs[o][c]` is the value that bit `c` contributes to
    /// output `o` if it is set, where `c` numbers the bits of all inputs consecutively. Each output is the
    /// exclusive or of the contributions of all set bits. Missing columns count as 0.
    #[must_use]
    pub fn new(input_bits: &[u32], outputs: &[Vec<u64>]) -> Self {
        [Cut::Diagonals, Cut::Peeled, Cut::Columns]
            .into_iter()
            .map(|cut| Self::with_cut(input_bits, outputs, cut))
            .min_by_key(Self::num_ops)
            .unwrap_or_else(|| Self::with_cut(input_bits, outputs, Cut::Columns))
    }

    /// Builds the program that maps some input dims of a layout to its outputs, as if all other input dims were 0.
    ///
    /// Each entry of `inputs` describes one input of the program: the input is the concatenation of the indices
    /// along the listed dims, and the first listed dim provides the lowest bits. For example, the entry
    /// `[LANE, WARP]` describes a thread index. The outputs of the program are the layout's output dims. To account
    /// for a constant value of the other input dims, evaluate `layout.apply` at compile time, and combine the
    /// result with the program's output by the operation that [`IndexProgram::join`] returns.
    #[must_use]
    pub fn from_layout(layout: &LinearLayout, inputs: &[&[Dim]]) -> Self {
        let bits = |d| layout.columns_of(d).len();
        let input_bits: Vec<u32> = inputs
            .iter()
            .map(|dims| narrow(dims.iter().map(|&d| bits(d)).sum::<usize>()))
            .collect();
        let outputs: Vec<Vec<u64>> = layout
            .out_dims()
            .map(|out| {
                let column = |d| (0..bits(d)).map(move |b| layout.basis_component(d, b, out));
                inputs.concat().into_iter().flat_map(column).collect()
            })
            .collect();
        Self::new(&input_bits, &outputs)
    }

    /// Returns the operations. Each operation comes after the operations whose results it uses.
    #[must_use]
    pub fn ops(&self) -> &[IndexOp] {
        &self.ops
    }

    /// Returns, for each output, the node that computes it.
    #[must_use]
    pub fn outputs(&self) -> &[IndexNode] {
        &self.outputs
    }

    /// Returns the number of operations that are executed: all nodes except inputs and constants.
    pub(crate) fn num_ops(&self) -> usize {
        let free = |op: &&IndexOp| !matches!(op, IndexOp::Input { .. } | IndexOp::Constant(_));
        self.ops.iter().filter(free).count()
    }

    /// Returns the mask of the bits that may be set in the given output.
    pub(crate) fn possible_bits(&self, output: usize) -> u64 {
        self.possible[self.outputs[output].index()]
    }

    /// Returns the operation that combines `constant` with the given output: an addition if the two have no bits in
    /// common, otherwise an exclusive or. A constant of 0 needs no operation.
    #[must_use]
    pub fn join(&self, output: usize, constant: u64) -> Join {
        match constant {
            0 => Join::Nothing,
            c if c & self.possible_bits(output) == 0 => Join::Add,
            _ => Join::Xor,
        }
    }

    /// Evaluates the program, and returns the value of each output. Missing inputs count as 0.
    pub(crate) fn evaluate(&self, inputs: &[u64]) -> Vec<u64> {
        let mut values: Vec<u64> = Vec::with_capacity(self.ops.len());
        for op in &self.ops {
            let at = |n: IndexNode| values[n.index()];
            values.push(match *op {
                IndexOp::Input { input, bits } => {
                    inputs.get(input as usize).copied().unwrap_or(0)
                        & crate::f2::low_mask(bits as usize)
                }
                IndexOp::Constant(c) => c,
                IndexOp::And { value, mask } => at(value) & mask,
                IndexOp::Shl { value, by } => at(value) << by,
                IndexOp::Shr { value, by } => at(value) >> by,
                IndexOp::Mul { value, by } => at(value).wrapping_mul(by),
                IndexOp::Or(a, b) => at(a) | at(b),
                IndexOp::Xor(a, b) => at(a) ^ at(b),
            });
        }
        self.outputs.iter().map(|n| values[n.index()]).collect()
    }

    fn with_cut(input_bits: &[u32], outputs: &[Vec<u64>], cut: Cut) -> Self {
        let mut program = Self {
            ops: Vec::new(),
            outputs: Vec::new(),
            possible: Vec::new(),
        };
        let inputs: Vec<IndexNode> = input_bits
            .iter()
            .zip(0..)
            .map(|(&bits, input)| program.add(IndexOp::Input { input, bits }))
            .collect();
        for columns in outputs {
            let mut terms = Vec::new();
            let mut at = 0;
            for (&input, &bits) in inputs.iter().zip(input_bits) {
                let mine: Vec<u64> = (at..at + bits as usize)
                    .map(|c| columns.get(c).copied().unwrap_or(0))
                    .collect();
                program.terms(input, bits, &mine, cut, &mut terms);
                at += bits as usize;
            }
            let output = program.sum(terms);
            program.outputs.push(output);
        }
        program
    }

    fn add(&mut self, op: IndexOp) -> IndexNode {
        if let Some(known) = self.ops.iter().position(|o| *o == op) {
            return IndexNode(narrow(known));
        }
        let possible = |n: IndexNode| self.possible[n.index()];
        self.possible.push(match op {
            IndexOp::Input { bits, .. } => crate::f2::low_mask(bits as usize),
            IndexOp::Constant(c) => c,
            IndexOp::And { value, mask } => possible(value) & mask,
            IndexOp::Shl { value, by } => possible(value) << by,
            IndexOp::Shr { value, by } => possible(value) >> by,
            IndexOp::Mul { value, by } => possible(value).wrapping_mul(by),
            IndexOp::Or(a, b) | IndexOp::Xor(a, b) => possible(a) | possible(b),
        });
        self.ops.push(op);
        IndexNode(narrow::<u32>(self.ops.len()) - 1)
    }

    /// Adds nodes that compute `value & mask`, shifted left by `shift` bits, or right if `shift` is negative.
    fn moved(&mut self, value: IndexNode, mask: u64, shift: i32) -> IndexNode {
        let by = shift.unsigned_abs();
        let possible = self.possible[value.index()];
        // A right shift drops the low bits, so the mask need not clear them.
        let survives = if shift < 0 {
            possible >> by << by
        } else {
            possible
        };
        let masked = if mask == survives {
            value
        } else {
            self.add(IndexOp::And { value, mask })
        };
        match shift {
            0 => masked,
            1.. => self.add(IndexOp::Shl { value: masked, by }),
            _ => self.add(IndexOp::Shr { value: masked, by }),
        }
    }

    /// Appends to `terms` the nodes whose exclusive or is the contribution of one input to one output. `columns[c]`
    /// is the contribution of bit `c` of the input.
    fn terms(
        &mut self,
        input: IndexNode,
        bits: u32,
        columns: &[u64],
        cut: Cut,
        terms: &mut Vec<IndexNode>,
    ) {
        // Entry `row - column + 63`: mask of the columns that have a bit on this diagonal.
        let mut diagonals = [0u64; 128];
        let mut explicit = if cut == Cut::Columns {
            crate::f2::low_mask(bits as usize)
        } else {
            0
        };
        let fill = |diagonals: &mut [u64; 128], explicit: u64| {
            *diagonals = [0; 128];
            for (c, &column) in columns
                .iter()
                .enumerate()
                .filter(|(c, _)| explicit >> c & 1 == 0)
            {
                let mut rows = column;
                while rows != 0 {
                    diagonals[rows.trailing_zeros() as usize + 63 - c] |= 1 << c;
                    rows &= rows - 1;
                }
            }
        };
        fill(&mut diagonals, explicit);
        if cut == Cut::Peeled {
            // A diagonal of a single column saves nothing, so this column gets its own term, and the diagonals are
            // recomputed.
            loop {
                let multi = |c: u32| columns[c as usize].count_ones() > 1;
                let lonely = diagonals
                    .iter()
                    .filter(|d| d.count_ones() == 1 && multi(d.trailing_zeros()))
                    .fold(0, |a, d| a | d);
                if lonely == 0 {
                    break;
                }
                explicit |= lonely;
                fill(&mut diagonals, explicit);
            }
        }
        for (d, &mask) in diagonals.iter().enumerate().filter(|(_, m)| **m != 0) {
            terms.push(self.moved(input, mask, narrow::<i32>(d) - 63));
        }
        for (c, &column) in columns
            .iter()
            .enumerate()
            .filter(|(c, _)| explicit >> c & 1 == 1)
        {
            match column.count_ones() {
                0 => {}
                1 => {
                    let shift = column.trailing_zeros().cast_signed() - narrow::<i32>(c);
                    terms.push(self.moved(input, 1 << c, shift));
                }
                _ => {
                    // One bit with several destinations: a product of the bit with the column.
                    let low = column.trailing_zeros().min(narrow(c));
                    let bit = self.moved(input, 1 << c, low.cast_signed() - narrow::<i32>(c));
                    let by = column >> low;
                    terms.push(self.add(IndexOp::Mul { value: bit, by }));
                }
            }
        }
    }

    /// Adds nodes that compute the exclusive or of all terms as a tree of small depth, and returns the root. A term
    /// that has no bits in common with any other term is combined by a bitwise or.
    fn sum(&mut self, terms: Vec<IndexNode>) -> IndexNode {
        let mut counts = [0u32; 64];
        for t in &terms {
            let mut rows = self.possible[t.index()];
            while rows != 0 {
                counts[rows.trailing_zeros() as usize] += 1;
                rows &= rows - 1;
            }
        }
        let alone = (0..64)
            .filter(|&r| counts[r] == 1)
            .fold(0u64, |a, r| a | 1 << r);
        let (ors, xors): (Vec<_>, Vec<_>) = terms
            .into_iter()
            .partition(|t| self.possible[t.index()] & !alone == 0);
        let parts = [self.tree(ors), self.tree(xors)];
        match parts {
            [Some(a), Some(b)] => self.join_nodes(a, b),
            [Some(a), None] | [None, Some(a)] => a,
            [None, None] => self.add(IndexOp::Constant(0)),
        }
    }

    fn tree(&mut self, mut nodes: Vec<IndexNode>) -> Option<IndexNode> {
        while nodes.len() > 1 {
            nodes = nodes
                .chunks(2)
                .map(|pair| match *pair {
                    [a, b] => self.join_nodes(a, b),
                    _ => pair[0],
                })
                .collect();
        }
        nodes.pop()
    }

    fn join_nodes(&mut self, a: IndexNode, b: IndexNode) -> IndexNode {
        if self.possible[a.index()] & self.possible[b.index()] == 0 {
            self.add(IndexOp::Or(a, b))
        } else {
            self.add(IndexOp::Xor(a, b))
        }
    }
}

/// A rule for decomposing a linear map into terms, each of which covers some entries of the bit matrix of the map.
/// A term is computed by masking and shifting the input, or by multiplying one bit of the input. The exclusive or
/// of all terms is the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cut {
    /// One term per diagonal of the matrix. A diagonal consists of the entries with the same difference of row and
    /// column.
    Diagonals,
    /// One term per diagonal, except that some columns form a term by themselves. Such a column has several bits,
    /// and on at least one diagonal, no remaining column other than this column has a bit.
    Peeled,
    /// One term per column of the bit matrix.
    Columns,
}

impl fmt::Display for IndexProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, op) in self.ops.iter().enumerate() {
            write!(f, "%{i} = ")?;
            match *op {
                IndexOp::Input { input, bits } => writeln!(f, "input {input} ({bits} bits)")?,
                IndexOp::Constant(c) => writeln!(f, "constant {c}")?,
                IndexOp::And { value, mask } => writeln!(f, "and %{}, {mask:#x}", value.0)?,
                IndexOp::Shl { value, by } => writeln!(f, "shl %{}, {by}", value.0)?,
                IndexOp::Shr { value, by } => writeln!(f, "shr %{}, {by}", value.0)?,
                IndexOp::Mul { value, by } => writeln!(f, "mul %{}, {by:#x}", value.0)?,
                IndexOp::Or(a, b) => writeln!(f, "or %{}, %{}", a.0, b.0)?,
                IndexOp::Xor(a, b) => writeln!(f, "xor %{}, %{}", a.0, b.0)?,
            }
        }
        write!(f, "->")?;
        for o in &self.outputs {
            write!(f, " %{}", o.0)?;
        }
        writeln!(f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Returns the number of operations of naive code, which masks, shifts and combines each bit of each column
    /// separately.
    fn bit_by_bit(input_bits: &[u32], outputs: &[Vec<u64>]) -> usize {
        let mut ops = 0;
        let mut ands: Vec<usize> = Vec::new();
        for columns in outputs {
            let mut terms = 0;
            let mut at = 0;
            for &bits in input_bits {
                for c in 0..bits as usize {
                    let column = columns.get(at + c).copied().unwrap_or(0);
                    if column != 0 && bits > 1 && !ands.contains(&(at + c)) {
                        ands.push(at + c);
                        ops += 1;
                    }
                    terms += column.count_ones() as usize;
                    ops += (column & !(1 << c)).count_ones() as usize;
                }
                at += bits as usize;
            }
            ops += terms.saturating_sub(1);
        }
        ops
    }

    fn map(input_bits: &[u32], outputs: &[Vec<u64>], inputs: &[u64]) -> Vec<u64> {
        let whole: Vec<bool> = input_bits
            .iter()
            .zip(inputs)
            .flat_map(|(&b, &x)| (0..b).map(move |i| x >> i & 1 == 1))
            .collect();
        let sum = |columns: &Vec<u64>| {
            whole
                .iter()
                .zip(columns)
                .filter(|(set, _)| **set)
                .fold(0, |a, (_, c)| a ^ c)
        };
        outputs.iter().map(sum).collect()
    }

    fn columns() -> impl Strategy<Value = u64> {
        prop_oneof![
            2 => Just(0u64),
            6 => (0u32..12).prop_map(|b| 1u64 << b),
            2 => 0u64..4096,
        ]
    }

    proptest! {
        #[test]
        fn program_is_the_map(
            input_bits in vec(0u32..8, 1..4),
            outputs in vec(vec(columns(), 0..24), 1..4),
            inputs in vec(0u64..256, 3),
        ) {
            let program = IndexProgram::new(&input_bits, &outputs);
            let inputs: Vec<u64> =
                input_bits.iter().zip(&inputs).map(|(&b, x)| x & crate::f2::low_mask(b as usize)).collect();
            prop_assert_eq!(program.evaluate(&inputs), map(&input_bits, &outputs, &inputs));
            for (o, value) in program.evaluate(&inputs).iter().enumerate() {
                prop_assert_eq!(value & !program.possible_bits(o), 0);
            }
        }

        #[test]
        fn never_worse_than_bit_by_bit(
            input_bits in vec(0u32..8, 1..4),
            outputs in vec(vec(columns(), 0..24), 1..4),
        ) {
            let program = IndexProgram::new(&input_bits, &outputs);
            prop_assert!(program.num_ops() <= bit_by_bit(&input_bits, &outputs), "{program}");
        }

        #[test]
        fn disjoint_means_disjoint(
            input_bits in vec(0u32..8, 1..4),
            outputs in vec(vec(columns(), 0..24), 1..4),
        ) {
            let program = IndexProgram::new(&input_bits, &outputs);
            for op in program.ops() {
                if let IndexOp::Or(a, b) = op {
                    prop_assert_eq!(program.possible[a.index()] & program.possible[b.index()], 0);
                }
            }
        }
    }

    #[test]
    fn contiguous_runs_are_shifts() {
        let ops = |columns: &[u64]| {
            IndexProgram::new(&[columns.len() as u32], &[columns.to_vec()]).num_ops()
        };
        assert_eq!(ops(&[1, 2, 4, 8, 16]), 0);
        assert_eq!(ops(&[4, 8, 16, 32, 64]), 1);
        assert_eq!(ops(&[0, 0, 1, 2, 4]), 1);
        assert_eq!(ops(&[1, 2, 4, 0, 0]), 1);
        assert_eq!(ops(&[0, 1, 2, 0, 0]), 2);
        assert_eq!(ops(&[0, 0, 0]), 0);
        // Two runs of columns: a mask and a shift for each run, and one or.
        assert_eq!(ops(&[1, 2, 16, 32, 64]), 4);
        // A run of columns that is masked, and a bit with three destinations, which takes a shift and one product.
        assert_eq!(ops(&[1, 2, 4, 8, 0b1001_0010_0000]), 4);
    }

    /// A term that has no bits in common with any other term is combined last, by a disjoint or. A lowering can
    /// then use it as the immediate offset of an access.
    #[test]
    fn what_meets_no_other_comes_last() {
        // Bits 0 and 1 overlap in the second bit of the result; bit 2 is disjoint.
        for columns in [
            [0b011, 0b110, 0b1000],
            [0b011, 0b1000, 0b110],
            [0b1000, 0b011, 0b110],
        ] {
            let program = IndexProgram::new(&[1, 1, 1], &[columns.to_vec()]);
            assert!(
                matches!(program.ops().last(), Some(IndexOp::Or(..))),
                "{program}"
            );
        }
    }

    #[test]
    fn constants_join() {
        let program = IndexProgram::new(&[3], &[vec![4, 8, 16]]);
        assert_eq!(program.join(0, 0), Join::Nothing);
        assert_eq!(program.join(0, 3), Join::Add);
        assert_eq!(program.join(0, 32), Join::Add);
        assert_eq!(program.join(0, 6), Join::Xor);
    }
}
