//! Decomposition of `amdg.local_load_packed_transposed`, from 4-bit elements packed along rows or columns to elements
//! packed along K.
//!
//! With i for the operand dimension other than K, byte (i, k) of the buffer holds elements (2i, k) and (2i + 1, k);
//! byte (i, k) of the result holds (i, 2k) and (i, 2k + 1):
//!
//! ```text
//! result(i, k) = half(buffer(i / 2, 2k), i % 2) | half(buffer(i / 2, 2k + 1), i % 2) << 4
//! ```
//! Each thread loads the bytes for its own results, without a conversion between threads.

use super::DecompositionBuilder;
use super::pairs::Pairs;
use crate::ir::ops::amdg;
use crate::ir::{TensorType, builders};
use crate::sys::build::Val;
use linear_layout::encoding::{Encoding, infer};
use melior::ir::ValueLike;

pub(super) fn decompose<'c>(
    emitter: DecompositionBuilder<'_, 'c>,
    load: amdg::LocalLoadPackedTransposed<'c, 'c>,
) -> Option<()> {
    let result = load.result().r#type();
    let tensor = TensorType::of(result)?;
    let encoding = emitter.encoding(&tensor)?;
    let Encoding::DotOperand(operand) = &*encoding else {
        return None;
    };
    let rank = tensor.shape.len();
    let [last, before] = [rank.checked_sub(1)?, rank.checked_sub(2)?];
    let (axis, k) = if operand.op_idx() == 0 {
        (before, last)
    } else {
        (last, before)
    };

    // The results are split into pairs of neighbours along `axis`, which read the same bytes.
    let mut paired = tensor.shape.to_vec();
    paired[axis] /= 2;
    paired.insert(axis + 1, 2);
    let pairs_encoding = infer::reshape_source(&encoding, tensor.shape, &paired).ok()?;
    let same = infer::expand_dims_source(&pairs_encoding, axis + 1).ok()?;
    let mut shape = tensor.shape.to_vec();
    shape[axis] /= 2;
    let bytes = Pairs::new(emitter, (&shape, tensor.element, &same), k)?;
    let loaded = builders::ttg::local_load(load.src(), load.token(), bytes.whole);
    let [first, second] = bytes.separate(emitter, emitter.add(loaded)?)?;

    let repeated = |value: Val<'c>| {
        let element = TensorType::of(value.r#type())?.element;
        let type_ = emitter.tensor(&paired, element, &pairs_encoding)?;
        let value = emitter.add(builders::tt::broadcast(value, type_))?;
        emitter.add(builders::tt::reshape(value, result))
    };
    let shift = parity(emitter, (&pairs_encoding, rank + 1), axis + 1)?;
    let two = emitter.integer(shift.r#type(), 2)?;
    let shift = emitter.add(builders::arith::shli(shift, two))?;
    let narrow = emitter.with_element(shift, tensor.element)?;
    let shift = repeated(emitter.add(builders::arith::trunci(shift, narrow))?)?;
    let [low, high] = [first, second].map(|value| {
        let mut one = paired.clone();
        one[axis + 1] = 1;
        let type_ = emitter.tensor(&one, tensor.element, &pairs_encoding)?;
        let dim = i64::try_from(axis + 1).ok()?;
        let value = repeated(emitter.add(builders::tt::expand_dims(value, dim, type_))?)?;
        let value = emitter.add(builders::arith::shrui(value, shift))?;
        let mask = emitter.integer(result, 0xf)?;
        emitter.add(builders::arith::andi(value, mask))
    });
    let four = emitter.integer(result, 4)?;
    let high = emitter.add(builders::arith::shli(high?, four))?;
    let both = emitter.add(builders::arith::ori(low?, high))?;
    emitter.replace(both);
    Some(())
}

/// Returns an i32 tensor that has the elements `[0, 1]` along `axis`, and the size 1 along all other dimensions.
fn parity<'c>(
    emitter: DecompositionBuilder<'_, 'c>,
    (encoding, rank): (&Encoding, usize),
    axis: usize,
) -> Option<Val<'c>> {
    // Slices remove the last other dimension first, so that expansion adds them in order.
    let others: Vec<usize> = (0..rank).filter(|dim| *dim != axis).collect();
    let mut encodings = vec![encoding.clone()];
    for dim in others.iter().rev() {
        let slice = infer::expand_dims_source(encodings.last()?, *dim).ok()?;
        encodings.push(slice);
    }
    let element = emitter.integer_type(32);
    let mut shape = vec![2];
    let type_ = emitter.tensor(&shape, element, &encodings.pop()?)?;
    let mut value = emitter.add(builders::tt::make_range(0, 2, type_))?;
    for dim in others {
        shape.insert(dim, 1);
        let type_ = emitter.tensor(&shape, element, &encodings.pop()?)?;
        let dim = i64::try_from(dim).ok()?;
        value = emitter.add(builders::tt::expand_dims(value, dim, type_))?;
    }
    Some(value)
}
