//! `tt.make_range`: each element is its tensor index plus the start of the range.

use super::index::element_indices;
use super::state::{Lowering, Outcome};
use crate::ir::ops::tt;
use crate::sys::build::Op;

pub(crate) fn make_range<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = tt::MakeRange::of(op).expect("the dispatch goes by kind");
    let layout = l.tensor_layout(view.result())?;
    let start = l.e.constant(l.e.types.i32, view.start());
    let indices = element_indices(&mut l.e, l.gpu, &layout);
    let values: Vec<_> = indices
        .iter()
        .map(|index| l.e.add(index[0], start))
        .collect();
    l.set(view.result(), values);
    Ok(())
}
