//! Separation of a tensor into even and odd positions along a dimension.
//!
//! ```text
//! ..., n, ...  -reshape->  ..., n/2, 2, ...  -trans->  ..., n/2, ..., 2  -split->  two tensors of ..., n/2, ...
//! ```
//! Layouts are inferred backwards from the results: each step renames registers, and pairs are in one thread.

use super::DecompositionBuilder;
use crate::ir::builders;
use crate::sys::build::{self, Val};
use linear_layout::encoding::{Encoding, infer};
use melior::ir::Type;
use melior::ir::operation::OperationLike;

#[derive(Debug)]
pub(super) struct Pairs<'c> {
    /// The type of the tensor before the separation, which contains both elements of each pair.
    pub(super) whole: Type<'c>,
    split: Type<'c>,
    transposed: Type<'c>,
    half: Type<'c>,
    order: Vec<i32>,
}

impl<'c> Pairs<'c> {
    /// Infers the types for separating the elements at even positions along `axis` from those at odd positions.
    /// `shape`, `element` and `half` are the shape, element type and layout of each of the two resulting tensors.
    ///
    /// Returns `None` if a layout cannot be inferred, or if the tensor has too many dimensions.
    pub(super) fn new(
        emitter: DecompositionBuilder<'_, 'c>,
        (shape, element, half): (&[u64], Type<'c>, &Encoding),
        axis: usize,
    ) -> Option<Self> {
        let rank = shape.len();
        let order: Vec<usize> = (0..=axis)
            .chain(axis + 2..=rank)
            .chain([axis + 1])
            .collect();
        let mut transposed_shape = shape.to_vec();
        transposed_shape.push(2);
        let mut split_shape = shape.to_vec();
        split_shape.insert(axis + 1, 2);
        let mut whole_shape = shape.to_vec();
        whole_shape[axis] *= 2;

        let transposed = infer::split_source(half, shape).ok()?;
        let split = infer::trans_source(&transposed, &transposed_shape, &order).ok()?;
        let whole = infer::reshape_source(&split, &split_shape, &whole_shape).ok()?;
        Some(Self {
            whole: emitter.tensor(&whole_shape, element, &whole)?,
            split: emitter.tensor(&split_shape, element, &split)?,
            transposed: emitter.tensor(&transposed_shape, element, &transposed)?,
            half: emitter.tensor(shape, element, half)?,
            order: order.into_iter().flat_map(i32::try_from).collect(),
        })
    }

    /// Separates `value`, which has the type `whole`, into a tensor of the elements at even positions and a tensor
    /// of the elements at odd positions.
    pub(super) fn separate(
        &self,
        emitter: DecompositionBuilder<'_, 'c>,
        value: Val<'c>,
    ) -> Option<[Val<'c>; 2]> {
        let value = emitter.add(builders::tt::reshape(value, self.split))?;
        let value = emitter.add(builders::tt::trans(value, &self.order, self.transposed))?;
        let split = builders::tt::split(value, self.half, self.half);
        let split = split.insert(
            emitter.context.rewriter(),
            emitter.place,
            emitter.place.location(),
        )?;
        Some([0, 1].map(|i| build::result(split, i)))
    }
}
