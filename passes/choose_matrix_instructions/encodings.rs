//! Triton's encodings for results and operands of matrix instructions.

use linear_layout::encoding::{
    AmdMfmaEncoding, AmdWmmaEncoding, CgaLayout, DotOperandEncoding, Encoding, EncodingError,
    NvidiaMmaEncoding,
};
use linear_layout::layout::{Dim, LinearLayout, Surjectivity};
use linear_layout::target::{Product, ProductFamily, TileBit};
use std::sync::Arc;

/// Encodings of the operands A and B and of the result D. The encodings of A and B are `#ttg.dot_op`, and their
/// parent is the encoding of D.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Encodings {
    pub(super) a: Arc<Encoding>,
    pub(super) b: Arc<Encoding>,
    pub(super) d: Arc<Encoding>,
    pub(super) warps: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct ProductTensors {
    pub(super) rank: usize,
    pub(super) warps: u32,
    pub(super) k_size: u64,
    /// Ratio between the width of an operand's elements in the product and their width in memory, e.g. 2 for f16
    /// that is loaded as i8.
    pub(super) widened: u32,
}

/// Returns the candidate encodings for an instruction. There is one candidate for each combination of a
/// distribution of warps, an orientation of the result and a `kWidth`.
///
/// On AMD, the result is either transposed or not. For a transposed result, the instruction computes with swapped
/// operands. `kWidth` is the number of consecutive elements along K that each thread holds. A `kWidth` that is
/// larger than the instruction requires makes memory accesses wider.
pub(super) fn encodings(
    row: &Product,
    family: ProductFamily,
    tensors: ProductTensors,
) -> Result<Vec<Encodings>, EncodingError> {
    let mut all = Vec::new();
    let sizes = row.sizes();
    let sizes = sizes.map(|size| u32::try_from(size).expect("a tile has few elements"));
    let widths = k_widths(row, family, tensors);
    for warps in spreads(tensors.rank, tensors.warps) {
        for d in results(row, family, sizes, &warps)? {
            let d = Arc::new(d);
            for k_width in &widths {
                let factor = |operand| -> Result<_, EncodingError> {
                    let encoding = DotOperandEncoding::new(operand, Arc::clone(&d), *k_width)?;
                    Ok(Arc::new(Encoding::from(encoding)))
                };
                all.push(Encodings {
                    a: factor(0)?,
                    b: factor(1)?,
                    d: Arc::clone(&d),
                    warps: warps.clone(),
                });
            }
        }
    }
    Ok(all)
}

/// Returns the candidate values of `kWidth` for an instruction.
fn k_widths(row: &Product, family: ProductFamily, tensors: ProductTensors) -> Vec<u32> {
    let registers = row.operands[0].registers.iter().zip(0..);
    let neighbours = registers.take_while(|(bit, i)| **bit == TileBit::K(*i));
    let own: u32 = 1 << neighbours.count();
    // Each of four lanes along K holds `own` neighbouring elements.
    let is_within = |width: &u32| 4 * u64::from(*width) <= tensors.k_size;
    match family {
        ProductFamily::NvidiaMma if tensors.widened > 1 => {
            let both = [own, own * tensors.widened].into_iter();
            both.filter(is_within).collect()
        }
        ProductFamily::NvidiaMma => Some(own).filter(is_within).into_iter().collect(),
        ProductFamily::AmdMfma(_) => {
            let wide = own * tensors.widened.max(2);
            // The neighbours in a thread of a result, which may be an operand of the next product.
            let of_result = Some(RESULT_NEIGHBOURS).filter(|width| *width < own);
            [own, wide].into_iter().chain(of_result).collect()
        }
        ProductFamily::AmdWmma(1 | 2) => vec![own],
        // A thread holds more of K than one access loads.
        ProductFamily::AmdWmma(_) => vec![own.min(128 / row.factors[0].bits()), own],
    }
}

const RESULT_NEIGHBOURS: u32 = 4;

/// Returns all distributions of the warps over the dimensions. Each distribution is given by the number of warps
/// per dimension. The first one has all warps along the last dimension.
fn spreads(rank: usize, warps: u32) -> Vec<Vec<u32>> {
    if rank == 1 {
        return vec![vec![warps]];
    }
    let along = (0..=warps.ilog2()).map(|log2| 1 << log2);
    let all = along.flat_map(|outer: u32| {
        let inner = spreads(rank - 1, warps / outer);
        inner
            .into_iter()
            .map(move |inner| [vec![outer], inner].concat())
    });
    all.collect()
}

fn results(
    row: &Product,
    family: ProductFamily,
    [m, n, k]: [u32; 3],
    warps: &[u32],
) -> Result<Vec<Encoding>, EncodingError> {
    let rank = warps.len();
    let cga = CgaLayout::single(rank)?;
    let transposed = [true, false];
    match family {
        ProductFamily::NvidiaMma => {
            let tile = [&vec![1; rank - 2][..], &[m, n]].concat();
            Ok(vec![
                NvidiaMmaEncoding::new(2, 0, warps, cga, &tile)?.into(),
            ])
        }
        ProductFamily::AmdMfma(version) => {
            let width = row.sum.bits().max(32);
            let of = |transposed| {
                let tile = [m, n, k];
                let mfma = AmdMfmaEncoding::new(version, warps, &tile, transposed, cga, &[], width);
                Ok(mfma?.into())
            };
            transposed.into_iter().map(of).collect()
        }
        ProductFamily::AmdWmma(version) => {
            let cta = warp_layout(warps);
            let of = |transposed| {
                let tile = [m, n, k];
                Ok(AmdWmmaEncoding::new(version, cta.clone(), transposed, cga, &tile)?.into())
            };
            transposed.into_iter().map(of).collect()
        }
    }
}

/// Returns the layout that maps a warp index to the coordinates of its tile. The coordinate along the last
/// dimension varies fastest. For example, with `warps = [2, 4]`, warp 5 has the tile (1, 1).
fn warp_layout(warps: &[u32]) -> LinearLayout {
    let mut columns = Vec::new();
    let mut shift = 0;
    let mut shifts = vec![0; warps.len()];
    for (dim, count) in warps.iter().enumerate() {
        shifts[dim] = shift;
        shift += count.ilog2();
    }
    for (dim, count) in warps.iter().enumerate().rev() {
        columns.extend((0..count.ilog2()).map(|bit| 1u64 << (shifts[dim] + bit)));
    }
    let ins = [(Dim::REGISTER, 1), (Dim::WARP, 1 << columns.len())];
    let outs = warps.iter().enumerate();
    let outs: Vec<(Dim, u64)> = outs
        .map(|(dim, count)| (Dim::out(dim), u64::from(*count)))
        .collect();
    LinearLayout::from_columns(&ins, &outs, &columns, Surjectivity::Required)
        .expect("each bit of a warp's number is one of a tile's")
}
