//! Verification of matrix products: determines the products that each accumulator adds.

mod sums;

use super::plan::{OperandCells, PlanFault, check_operands};
use super::tuples::elements;
use crate::layout::LinearLayout;
use crate::number::narrow;
use crate::plan::product::MatrixProduct;
use crate::plan::program::Program;
use sums::{ALL, EMPTY, ProductSums, ProductTerm};

/// Returns log2 of the numbers of rows, columns and matrices in the batch.
fn sizes_log2(layout: &LinearLayout) -> [usize; 3] {
    let mut dims = layout.out_dims().rev();
    let [columns, rows] = [(); 2].map(|()| dims.next().map_or(0, |dim| layout.out_bits(dim)));
    [rows, columns, layout.total_out_bits() - rows - columns]
}

/// Returns the terms that registers hold, indexed by `[register][thread]`.
///
/// `cell` maps `[batch, row, column]` to a term.
fn cells(layout: &LinearLayout, cell: impl Fn([u32; 3]) -> ProductTerm) -> Vec<Vec<ProductTerm>> {
    let [rows, columns, matrices] = sizes_log2(layout);
    let of_element = |packed: u64| {
        let part = |from: usize, bits: usize| narrow(packed >> from & ((1 << bits) - 1));
        let [matrix, row] = [part(0, matrices), part(matrices, rows)];
        cell([matrix, row, part(matrices + rows, columns)])
    };
    let registers = elements(layout).into_iter();
    registers
        .map(|threads| threads.into_iter().map(of_element).collect())
        .collect()
}

/// Executes the program of a product for every thread and checks the multiplied elements.
///
/// Each result must contain the product for every index k exactly once. Two elements that are multiplied must have
/// the same index k. Each element must be multiplied by the scale of its own block. Signs, zeros and the order of
/// the sum are not checked.
///
/// # Shape
/// The sources of `plan` are the unique registers of D, A and B, followed by those of the scales of A and B, if
/// there are any. The results are the registers of D.
/// # Errors
/// Returns the first fault: a product of elements that do not match, a repeated or missing k, or a malformed step.
pub fn check_product(plan: &Program, product: &MatrixProduct<'_>) -> Result<(), PlanFault> {
    let (d, a, b) = (product.d, product.a, product.b);
    let packed_log2 = [0, 1].map(|factor| product.packed_log2(factor));
    let scales = product.scales.map_or([None; 2], |scales| scales.layouts);
    let block_log2 = product.scales.map(|scales| scales.block_log2);
    let k = a.out_shape().last().map_or(1, |(_, size)| size) << packed_log2[0];
    let mut sums = ProductSums::new(k, scales.map(|layout| layout.and(block_log2)));
    // Equal numbers for equal batch and row, or batch and column, in every operand.
    let matrices_log2 = [d, a, b].map(|layout| sizes_log2(layout)[2]);
    let matrices_log2 = matrices_log2.into_iter().max().unwrap_or(0);
    let line = |matrix: u32, own: u32| matrix | own << matrices_log2;
    let sum = |set| {
        move |[matrix, row, column]: [u32; 3]| ProductTerm::Sum {
            row: line(matrix, row),
            column: line(matrix, column),
            set,
        }
    };
    let factor = |factor: usize, line, k: u32| ProductTerm::Factor {
        line,
        k: k << packed_log2[factor],
    };
    let mut sources = vec![
        cells(d, sum(EMPTY)),
        cells(a, |[matrix, row, k]| factor(0, line(matrix, row), k)),
        cells(b, |[matrix, k, column]| factor(1, line(matrix, column), k)),
    ];
    for layout in scales {
        let scale = |[matrix, own, block]: [u32; 3]| ProductTerm::Scale {
            line: line(matrix, own),
            block,
        };
        sources.push(layout.map_or_else(Vec::new, |layout| cells(layout, scale)));
    }
    let operands = OperandCells {
        sources: &sources,
        expected: &[cells(d, sum(ALL))],
        numbers: &[],
        products: Some(&mut sums),
    };
    check_operands(plan, operands, product.target)
}

#[cfg(test)]
mod tests;
