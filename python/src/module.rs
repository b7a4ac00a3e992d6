//! Layouts in the text of a TTGIR module.

use crate::error::Failure;
use crate::layout::Layout;
use linear_layout::view::{Mentions, shape_text};
use pyo3::prelude::*;

/// Returns the layouts that the text of a TTGIR module contains, as pairs `(name, layout)`. Each encoding is listed
/// once for each shape of a tensor or buffer to which it applies.
///
/// The layouts are in the order of the text. Attributes that are not encodings are ignored, and the rest of the
/// module need not be valid. Raises `LayoutError` for an encoding that cannot be parsed or does not fit its tensor.
///
/// Example:
///
///     >>> ttgir = '''
///     ... #b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
///     ... tt.func @f(%x: tensor<512xf32, #b>, %y: tensor<1024xf32, #b>) { tt.return }
///     ... '''
///     >>> [(name, layout.in_dims["register"], layout.shape) for name, layout in ll.layouts(ttgir)]
///     [('#b', 4, (512,)), ('#b', 8, (1024,))]
#[pyfunction]
pub(crate) fn layouts(ttgir: &str) -> PyResult<Vec<(String, Layout)>> {
    let line_of = |offset: usize| ttgir[..offset].matches('\n').count() + 1;
    let mentions = Mentions::of(ttgir);
    if let Some(unreadable) = mentions.unreadable().first() {
        let (line, error) = (line_of(unreadable.at), &unreadable.error);
        return Err(Failure::new(format!("line {line}: {error}")).into());
    }
    let mut found: Vec<(String, Layout)> = Vec::new();
    let mut seen = Vec::new();
    for mention in mentions.mentions() {
        let Some(shape) = mention.shape() else {
            continue;
        };
        let name = &ttgir[mention.span.clone()];
        let key = (mention.module, name, shape);
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let linear = mention.encoding.to_linear_layout(shape).map_err(|error| {
            let line = line_of(mention.span.start);
            Failure::new(format!(
                "line {line}: `{name}` on {}: {error}",
                shape_text(shape)
            ))
        })?;
        let encoding = Some(mention.encoding.clone());
        found.push((name.to_owned(), Layout { linear, encoding }));
    }
    Ok(found)
}
